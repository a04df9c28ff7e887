"""What git commands do, as far as their words tell: git's own options, then the subcommand.

Git's own records (`.git/objects`, refs, the index) change with every commit and fetch; that is
git's business. What comes into the work tree and what is lost are deeds (`git_tree`, `git_refs`),
settings are `git_config`'s. Told here: repositories that are made, files that output goes into, and
names that may be aliases.
Always true: a subcommand that git does not have is looked up as an alias, never passed over.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from penstock.core.shell.effects import (
    Effect,
    Git,
    Patch,
    Program,
    ProgramCall,
    Shell,
    Touch,
    Unclear,
    base_name,
    below,
    nothing,
    options,
    written,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.git_deed import GitDeed, GitKind
from penstock.core.shell.programs.git_config import config, setting, steers
from penstock.core.shell.programs.git_refs import REF_COMMANDS
from penstock.core.shell.programs.git_tree import TREE_COMMANDS, deed, programs_of

_GIT_VALUES = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"})
# Commands of git itself, none of which an alias can take the place of.
_OWN = frozenset(
    [
        "add",
        "am",
        "annotate",
        "apply",
        "archive",
        "bisect",
        "blame",
        "branch",
        "bugreport",
        "bundle",
        "cat-file",
        "check-attr",
        "check-ignore",
        "check-mailmap",
        "check-ref-format",
        "checkout",
        "checkout-index",
        "cherry",
        "cherry-pick",
        "clean",
        "clone",
        "column",
        "commit",
        "commit-graph",
        "commit-tree",
        "config",
        "count-objects",
        "credential",
        "describe",
        "diagnose",
        "diff",
        "diff-files",
        "diff-index",
        "diff-tree",
        "difftool",
        "fast-export",
        "fast-import",
        "fetch",
        "fetch-pack",
        "filter-branch",
        "for-each-ref",
        "for-each-repo",
        "format-patch",
        "fsck",
        "gc",
        "get-tar-commit-id",
        "grep",
        "gui",
        "hash-object",
        "help",
        "hook",
        "index-pack",
        "init",
        "init-db",
        "instaweb",
        "interpret-trailers",
        "log",
        "ls-files",
        "ls-remote",
        "ls-tree",
        "mailinfo",
        "mailsplit",
        "maintenance",
        "merge",
        "merge-base",
        "merge-file",
        "merge-index",
        "merge-tree",
        "mergetool",
        "mktag",
        "mktree",
        "multi-pack-index",
        "mv",
        "name-rev",
        "notes",
        "pack-objects",
        "pack-refs",
        "patch-id",
        "prune",
        "prune-packed",
        "pull",
        "push",
        "range-diff",
        "read-tree",
        "rebase",
        "reflog",
        "remote",
        "repack",
        "replace",
        "request-pull",
        "rerere",
        "reset",
        "restore",
        "rev-list",
        "rev-parse",
        "revert",
        "rm",
        "send-pack",
        "shortlog",
        "show",
        "show-branch",
        "show-index",
        "show-ref",
        "sparse-checkout",
        "stage",
        "stash",
        "status",
        "stripspace",
        "submodule",
        "subtree",
        "switch",
        "symbolic-ref",
        "tag",
        "unpack-file",
        "unpack-objects",
        "update-index",
        "update-ref",
        "update-server-info",
        "var",
        "verify-commit",
        "verify-pack",
        "verify-tag",
        "version",
        "whatchanged",
        "worktree",
        "write-tree",
    ]
)


class GitPlace:
    """Where git's own options say that a command is done."""

    def __init__(self) -> None:
        self.directory: Value | None = None
        self.git_dir = ""
        self.work_tree = ""

    def take(self, flag: str, value: Value) -> None:
        """Hear one option."""
        if flag == "-C":
            self.directory = below(self.directory, value) if self.directory else value
        elif flag == "--git-dir":
            self.git_dir = value.text
        elif flag == "--work-tree":
            self.work_tree = value.text

    def of(self, effect: Effect) -> Effect:
        """Return an effect in its place."""
        if isinstance(effect, Git):
            there = replace(effect.deed, git_dir=self.git_dir, work_tree=self.work_tree)
            return replace(effect, deed=there, directory=self.directory)
        if self.directory and isinstance(effect, Touch) and not _is_absolute(effect.value):
            return replace(effect, value=below(self.directory, effect.value))
        if self.directory and isinstance(effect, Patch):
            inner = effect.directory
            return replace(
                effect, directory=below(self.directory, inner) if inner else self.directory
            )
        return effect


def git(call: ProgramCall) -> Iterator[Effect]:
    """Read git's own options, then its subcommand."""
    place = GitPlace()
    words = deque(call.args)
    while words and words[0].text.startswith("-"):
        flag, _, attached = words[0].text.partition("=")
        value = replace(words.popleft(), text=attached)
        if not attached and flag in _GIT_VALUES and words:
            value = words.popleft()
        place.take(flag, value)
        if flag in ("-c", "--config-env"):
            yield from (place.of(effect) for effect in _given_setting(flag, value))
        elif flag == "--exec-path" and attached:
            yield Unclear("`git --exec-path` says where git's programs are")
    if not words:
        return
    if not words[0].exact:
        yield Unclear("the git subcommand is only known when it runs")
        return
    name = words[0].text
    inner = ProgramCall("git", tuple(words)[1:], call.feed)
    yield from map(place.of, _transports(inner.args))
    row = _SUBCOMMANDS.get(name) or (_output if name in _OWN else _alias(name))
    yield from map(place.of, row(inner))


def _transports(words: tuple[Value, ...]) -> Iterator[Effect]:
    """`ext::COMMAND` as an address is a command that git starts."""
    for word in words:
        if word.text.startswith("ext::"):
            yield Shell(replace(word, text=word.text.removeprefix("ext::")))


def _given_setting(flag: str, given: Value) -> Iterator[Effect]:
    key, _, value = given.text.partition("=")
    if flag == "--config-env" and steers(key, "!"):
        yield Unclear(f"`git --config-env {given.text}` takes a setting from a variable")
    elif steers(key, value):
        yield Unclear(f"`git -c {given.text}` starts a program")
        yield Shell(replace(given, text=value.removeprefix("!")))
    yield from setting(key, value)


def _is_absolute(value: Value) -> bool:
    return value.text.startswith(("/", "~"))


def _alias(name: str) -> Program:
    """A name that only the settings of a repository explain; it may also be a program."""

    def program(call: ProgramCall) -> Iterator[Effect]:
        words = (name, *(word.text for word in call.args))
        yield Git(GitDeed(GitKind.ALIAS, f"git {name}", refs=words))
        yield from _output(call)

    return program


def _output(call: ProgramCall) -> Iterator[Effect]:
    """Any subcommand that shows something can be told to write it (`git diff --output=f`)."""
    yield from written(options(call.args, long="output").values("output"))


def _unclear(name: str) -> Program:
    def program(call: ProgramCall) -> Iterator[Effect]:  # noqa: ARG001 - a row of a table
        yield Unclear(f"can't predict which files `git {name}` will change")

    return program


def _init(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="b", long="template separate-git-dir object-format")
    yield from written(found.operands[:1])
    yield from written(found.values("separate-git-dir"), tree=True)
    yield from _template(found.values("template"))


def _template(values: list[Value]) -> Iterator[Effect]:
    """Hooks that a template brings are started by the next git command."""
    for value in values:
        if value.text:
            yield Unclear(f"the template `{value.text}` may bring hooks that git starts")


def _clone(call: ProgramCall) -> Iterator[Effect]:
    found = options(
        call.args,
        short="bocju",
        long="branch origin config jobs upload-pack depth reference filter template"
        " shallow-since separate-git-dir",
    )
    yield from programs_of(found)
    yield from (Shell(word) for word in found.values("u"))
    yield from _template(found.values("template"))
    for given in found.values("c", "config"):
        yield from _given_setting("-c", given)
    if len(found.operands) > 1:
        yield Touch(found.operands[1], tree=True)
    elif found.operands:
        name = base_name(found.operands[0])
        shown = name.text.rpartition(":")[2].removesuffix(".git")
        yield Touch(replace(name, text=shown), tree=True)


def _fetch(call: ProgramCall) -> Iterator[Effect]:
    found = options(
        call.args,
        short="jo",
        long="upload-pack exec depth deepen shallow-since shallow-exclude jobs refmap"
        " negotiation-tip server-option filter",
    )
    yield from programs_of(found)
    known = all(word.exact for word in found.operands)
    if known and not found.has("dry-run", "multiple", "all"):
        forced = found.has("f", "force") or any(w.text.startswith("+") for w in found.operands)
        moves = ("moves",) if forced and any(":" in w.text for w in found.operands) else ()
        yield deed(GitKind.FETCH, "git fetch", refs=found.operands, flags=moves)


def _marks(call: ProgramCall) -> Iterator[Effect]:
    yield from written(options(call.args, long="export-marks").values("export-marks"))


def _grep(call: ProgramCall) -> Iterator[Effect]:
    """`git grep -O CMD` hands the files that it finds to a program."""
    found = options(call.args, short="O?efABCm", long="output max-depth threads")
    pagers = found.values("O", "open-files-in-pager")
    yield from (Shell(pager) for pager in pagers)
    yield from _output(call)


def _difftool(call: ProgramCall) -> Iterator[Effect]:
    """`git difftool -x CMD` hands each pair of files to a program."""
    found = options(call.args, short="xt", long="extcmd tool")
    yield from (Shell(text) for text in found.values("x", "extcmd"))
    yield from _output(call)


def _starts(*names: str) -> Program:
    """The values of some options are programs."""

    def program(call: ProgramCall) -> Iterator[Effect]:
        yield from (Shell(text) for text in options(call.args, long=" ".join(names)).values(*names))

    return program


def _archive(call: ProgramCall) -> Iterator[Effect]:
    yield from _named_output("o")(call)
    yield from programs_of(options(call.args, short="o", long="exec remote output format prefix"))


def _format_patch(call: ProgramCall) -> Iterator[Effect]:
    """Patches come to lie in a directory, each in a file of its own."""
    found = options(call.args, short="o", long="output output-directory")
    yield from written(found.values("output"))
    for place in found.values("o", "output-directory"):
        yield Touch(below(place, Value("0001.patch")))


def _ls_remote(call: ProgramCall) -> Iterator[Effect]:
    yield from programs_of(options(call.args, long="upload-pack exec sort server-option"))


def _merge_file(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="L", long="marker-size diff-algorithm")
    if not found.has("p", "stdout"):
        yield from written(found.operands[:1])


def _replace(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="l?", long="format")
    if len(found.operands) > 1 or found.has("e", "edit", "graft", "convert-graft-file"):
        yield Unclear("`git replace` gives a commit other content than its name says")


def _subtree(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="Pmb", long="prefix message branch onto annotate")
    verb = found.operands[0].text if found.operands else ""
    if verb in ("add", "merge", "pull"):
        yield from written(found.values("P", "prefix"), tree=True)


def _named_output(short: str, *, tree: bool = False) -> Program:
    def program(call: ProgramCall) -> Iterator[Effect]:
        found = options(call.args, short=short, long="output output-directory format prefix")
        yield from written(found.values("o", "output", "output-directory"), tree=tree)

    return program


def _bundle(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, long="version")
    if found.operands[:1] == (Value("create"),):
        yield from written(found.operands[1:2])


_QUIET = ("notes", "rev-parse", "status", "remote", "lfs")

_SUBCOMMANDS: Mapping[str, Program] = {
    **dict.fromkeys(_QUIET, nothing),
    **{name: _unclear(name) for name in ("mergetool", "svn", "merge-index", "fast-import")},
    **TREE_COMMANDS,
    **REF_COMMANDS,
    "archive": _archive,
    "bundle": _bundle,
    "clone": _clone,
    "difftool": _difftool,
    "config": config,
    "fetch": _fetch,
    "fast-export": _marks,
    "format-patch": _format_patch,
    "grep": _grep,
    "instaweb": _starts("httpd", "browser"),
    "send-email": _starts("smtp-server", "sendmail-cmd", "to-cmd", "cc-cmd", "header-cmd"),
    "init": _init,
    "init-db": _init,
    "ls-remote": _ls_remote,
    "merge-file": _merge_file,
    "replace": _replace,
    "subtree": _subtree,
}
