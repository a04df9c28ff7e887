"""What git commands show, send or keep of the files that their words name.

`git show HEAD:.env` prints what was committed, `git add -f .env` puts a file where everybody
with the repository finds it. Names alone (`status`, `ls-files`, `check-ignore`, `--stat`) are
free, and so is taking a file out of the index. What git changes is `git`'s.
Always true: a word that is a revision is no file that a rule protects, so both may be told.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from penstock.core.shell.effects import (
    HERE,
    Effect,
    Program,
    ProgramCall,
    Touch,
    below,
    options,
    read,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.place import TELLING
from penstock.core.shell.programs.reads.credential import kept
from penstock.core.shell.programs.reads.git_index import in_places, indexed
from penstock.core.shell.programs.reads.name_list import fed, listed_in
from penstock.core.shell.programs.reads.rows import MOST_WORDS, perhaps, sweep
from penstock.core.shell.programs.reads.search import printed
from penstock.core.text.sought import finds_secrets, holds_secrets

_GIT_VALUES = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"})
_NAMES_ONLY = ("stat", "name-only", "name-status", "numstat", "shortstat", "summary", "quiet")
_LOG_VALUES = "SGnLO"
_LOG_LONG = (
    "author committer grep since until after before format pretty max-count skip date output"
    " diff-filter unified color word-diff-regex relative"
)


def git_reads(call: ProgramCall) -> Iterator[Effect]:
    """Read git's own options, then its subcommand."""
    directory: Value | None = None
    words = deque(call.args)
    while words and words[0].text.startswith("-"):
        flag, equals, attached = words[0].text.partition("=")
        value = replace(words.popleft(), text=attached)
        if not equals and flag in _GIT_VALUES and words:
            value = words.popleft()
        if flag in ("-C", "--work-tree"):
            directory = below(directory, value) if directory else value
    row = _ROWS.get(words[0].text) if words else None
    yield from kept(replace(call, args=tuple(words)))
    if row is None:
        return
    for effect in row(ProgramCall("git", tuple(words)[1:], call.feed, call.here)):
        if directory and isinstance(effect, Touch) and effect.value.text[:1] not in ("/", "~"):
            yield replace(effect, value=below(directory, effect.value))
        else:
            yield effect


def _paths(words: Sequence[Value]) -> Iterator[Value]:
    """Return the files that words name: `REV:path`, `:(top)path`, or themselves."""
    for word in words:
        if word.text.startswith(":("):
            yield replace(word, text=word.text.partition(")")[2])
        elif ":" in word.text:
            yield replace(word, text=word.text.rpartition(":")[2])
        else:
            yield word


def _shows(call: ProgramCall) -> Iterator[Effect]:
    """Contents are shown, unless only names or counts are asked for."""
    found = options(call.args, short=_LOG_VALUES, long=_LOG_LONG)
    if found.has(*_NAMES_ONLY):
        return
    yield from _shown_below(found.operands, tree=found.has("no-index"))
    yield from read(_paths(found.values("L")))


def _shown_below(words: Sequence[Value], *, tree: bool = False) -> Iterator[Effect]:
    """Files are shown, and all of a directory that is one for secrets."""
    for path in _paths(words):
        yield from read([path], tree=tree or holds_secrets(path.text))


def _logs(call: ProgramCall) -> Iterator[Effect]:
    """A log names files; it shows them with `-p` and its kin."""
    found = options(call.args, short=_LOG_VALUES, long=_LOG_LONG)
    if found.has("p", "u", "patch", "L", "c", "cc", "full-diff", "patch-with-stat", "word-diff"):
        yield from _shows(call)


def _objects(call: ProgramCall) -> Iterator[Effect]:
    """`cat-file --batch` and `hash-object --stdin-paths` are given their names by the input."""
    yield from _shows(call)
    lines = (call.feed.text or "").split("\n")[:MOST_WORDS]
    yield from read(_paths([Value(line, call.feed.exact) for line in lines if line]))
    if any(word.text == "--stdin-paths" for word in call.args):
        yield from perhaps(fed(call.feed, call.here))


def _grep(call: ProgramCall) -> Iterator[Effect]:
    """The index is searched; without it, files that are not in it as well."""
    found = options(call.args, short="efABCmO?", long="max-depth threads")
    if found.has("q", "quiet", "l", "files-with-matches", "name-only", "c", "count", "L"):
        return
    given = found.values("e")
    patterns, files = (given or found.operands[:1]), found.operands[0 if given else 1 :]
    yield from _shown_below(files)
    places = [word for word in files if word.text != "--"]
    sought = any(finds_secrets(pattern.text) for pattern in patterns)
    if sought and found.has("no-index", "no-exclude-standard"):
        yield from sweep(places or (HERE,))
    elif call.here.sees:
        tracked = indexed(call.here.text(".git/index")) or ()
        wanted = [word.text for word in places]
        telling = (name for name in tracked if TELLING.search(name) and in_places(wanted, name))
        yield from printed(found, patterns, telling, call.here)


def _add(call: ProgramCall) -> Iterator[Effect]:
    """What is added is for everybody; with `-f`, also what `.gitignore` keeps out."""
    found = options(call.args, long="chmod pathspec-from-file")
    if found.has("n", "dry-run"):
        return
    yield from read(_paths(found.operands))
    lists = found.values("pathspec-from-file")
    yield from perhaps(listed_in([word.text for word in lists], call.here))
    if found.has("f", "force"):
        whole = [word for word in found.operands if word.text.rstrip("/") in (".", "*", "./*")]
        if whole or not found.operands:
            yield from sweep([HERE])
        yield from read(found.operands, tree=True)


def _commit(call: ProgramCall) -> Iterator[Effect]:
    found = options(
        call.args,
        short="mFCctS?u?",
        long="message file author date template fixup squash trailer cleanup reuse-message",
    )
    yield from read((*found.values("F", "file", "t", "template"), *found.operands))


def _stash(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="m", long="message")
    verb = found.operands[0].text if found.operands else "push"
    if verb in ("push", "save") and found.has("a", "all"):
        yield from sweep([HERE])
    elif verb == "show":
        yield from _logs(replace(call, args=call.args[1:]))


def _config(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="ft", long="file type default blob value comment")
    if found.has("l", "list", "get", "get-all", "get-regexp") or len(found.operands) == 1:
        yield from read(found.values("f", "file"))


def _behind_first(call: ProgramCall) -> Iterator[Effect]:
    """The first operand is a revision, the others are files."""
    found = options(call.args, short="o", long="format prefix output remote exec")
    yield from read(_paths(found.operands[1:]), tree=True)
    yield from read(found.values("add-file"))


def _message_files(call: ProgramCall) -> list[Value]:
    return options(call.args, short="mFu", long="message file").values("F", "file")


_ROWS: Mapping[str, Program] = {
    **dict.fromkeys(("show", "diff", "blame", "annotate", "difftool", "range-diff"), _shows),
    **dict.fromkeys(("merge-file", "send-email", "interpret-trailers", "checkout-index"), _shows),
    **dict.fromkeys(("cat-file", "hash-object"), _objects),
    **dict.fromkeys(("tag", "notes"), lambda call: read(_message_files(call))),
    **dict.fromkeys(("diff-tree", "diff-index", "diff-files", "format-patch"), _shows),
    **dict.fromkeys(("log", "whatchanged", "reflog"), _logs),
    "grep": _grep,
    **dict.fromkeys(("add", "stage"), _add),
    "update-index": lambda call: read(options(call.args).operands if _adds(call) else ()),
    "commit": _commit,
    "stash": _stash,
    "config": _config,
    "archive": _behind_first,
}


def _adds(call: ProgramCall) -> bool:
    return Value("--add") in call.args
