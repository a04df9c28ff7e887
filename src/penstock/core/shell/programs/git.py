"""What git commands do to files that their words name.

Git's own records (`.git/objects`, refs, the index) change with every commit and fetch; that
is git's business and not told, and so are settings of the repository that start no program.
What is told: files of the work tree named in the command, other settings, and repositories made
or removed. Commands that change the work tree to what
some revision, stash or patch holds (`checkout BRANCH`, `pull`, `reset --hard`, `stash pop`)
name no files: they are unclear, and the policy says what that means.
Always true: a path behind `--` is told, whatever the subcommand makes of it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence

from penstock.core.shell.effects import (
    HERE,
    Effect,
    Options,
    Patch,
    Program,
    ProgramCall,
    Shell,
    Touch,
    Unclear,
    base_name,
    below,
    deleted,
    last,
    nothing,
    options,
    written,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.programs.copies import COPIES
from penstock.core.text.git_settings import starts_programs

_CONFIG = Value(".git/config")
_GLOBAL = Value("~/.gitconfig")
_SYSTEM = Value("/etc/gitconfig")
_DATABASE = Value(".git")
_GIT_VALUES = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env"})


def git(call: ProgramCall) -> Iterator[Effect]:
    """Read git's own options, then its subcommand."""
    directory: Value | None = None
    words = deque(call.args)
    while words and words[0].text.startswith("-"):
        flag, _, attached = words[0].text.partition("=")
        value = words.popleft()._replace(text=attached)
        if not attached and flag in _GIT_VALUES and words:
            value = words.popleft()
        if flag in ("-C", "--work-tree"):
            directory = below(directory, value) if directory else value
        elif flag in ("-c", "--config-env") and _starts_programs(value):
            yield Unclear(f"`git -c {value.text}` starts a program")
            yield Shell(value._replace(text=value.text.partition("=")[2].removeprefix("!")))
    if not words:
        return
    if not words[0].exact:
        yield Unclear("the git subcommand is only known when it runs")
        return
    row = _SUBCOMMANDS.get(words[0].text, _output)
    yield from _moved(row(ProgramCall("git", tuple(words)[1:], call.feed)), directory)


def _starts_programs(setting: Value) -> bool:
    key, _, value = setting.text.partition("=")
    return starts_programs(key, value)


def _moved(effects: Iterator[Effect], directory: Value | None) -> Iterator[Effect]:
    """Put effects below the directory that `git -C` names."""
    for effect in effects:
        if directory and isinstance(effect, Touch) and not _is_absolute(effect.value):
            yield effect._replace(value=below(directory, effect.value))
        elif directory and isinstance(effect, Patch):
            yield effect._replace(directory=directory)
        else:
            yield effect


def _is_absolute(value: Value) -> bool:
    return value.text.startswith(("/", "~"))


def _output(call: ProgramCall) -> Iterator[Effect]:
    """Any subcommand that shows something can be told to write it (`git diff --output=f`)."""
    yield from written(options(call.args, long="output").values("output"))


def _changes_tree(name: str) -> Unclear:
    return Unclear(f"`git {name}` changes the work tree to what it finds elsewhere")


def _dashed(args: Sequence[Value]) -> tuple[list[Value], list[Value] | None]:
    """Split at `--`; None when there is none."""
    texts = [word.text for word in args]
    if "--" not in texts:
        return list(args), None
    at = texts.index("--")
    return list(args[:at]), list(args[at + 1 :])


def _checkout(call: ProgramCall) -> Iterator[Effect]:
    before, paths = _dashed(call.args)
    if paths:
        yield from written(paths, tree=True)
        return
    found = options(before, short="bB", long="orphan conflict pathspec-from-file")
    if found.has("b", "B", "orphan") and len(found.operands) == 0:
        return
    yield from written((w for w in found.operands if "." in w.text or w.pattern), tree=True)
    yield from written(found.operands[1:], tree=True)
    yield _changes_tree("checkout")


def _switch(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="cC", long="create force-create orphan conflict")
    makes = found.has("c", "C", "create", "force-create", "orphan")
    if not makes or found.operands:
        yield _changes_tree("switch")


def _restore(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="s", long="source conflict pathspec-from-file")
    if found.has("S", "staged") and not found.has("W", "worktree"):
        return
    yield from written(found.operands, tree=True)
    if found.has("pathspec-from-file"):
        yield _changes_tree("restore")


_APPLY_SHOWS = ("check", "stat", "numstat", "summary", "cached")


def _apply(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="pC", long="directory exclude include whitespace")
    if found.has(*_APPLY_SHOWS) and not found.has("apply"):
        return
    patches = [word for word in found.operands if word.text != "-"]
    if patches or call.feed.text is None:
        yield Unclear("`git apply` changes the files that its patch names")
    else:
        yield Patch(call.feed.text, last(found.values("directory")))


_CONFIG_READS = ("get", "get-all", "get-regexp", "get-urlmatch", "list", "l", "get-color")
_CONFIG_WRITES = (
    *("unset", "unset-all", "add", "replace-all", "edit", "e"),
    *("remove-section", "rename-section"),
)
_CONFIG_WHOLE = ("edit", "rename-section", "remove-section")
_CONFIG_VERBS = ("set", "unset", "edit", "rename-section", "remove-section")


def _config(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="ft", long="file type default blob value comment")
    verb = found.operands[0].text if found.operands else ""
    changes = found.has(*_CONFIG_WRITES) or verb in _CONFIG_VERBS or len(found.operands) > 1
    if any(given in _CONFIG_READS for given, _ in found.given) or verb in ("get", "list"):
        return
    if changes and not _is_ordinary(found):
        yield Touch(_config_file(found))


def _is_ordinary(found: Options) -> bool:
    """True for a setting of this repository that git itself writes as well: a name, a remote."""
    words = found.operands[1:] if found.operands[0].text in _CONFIG_VERBS else found.operands
    value = words[1] if len(words) > 1 else Value("x")
    elsewhere = found.has("f", "file", "global", "system", "worktree")
    whole = found.has("edit", "e", "remove-section", "rename-section")
    named = bool(words) and words[0].exact and "." in words[0].text
    if elsewhere or whole or not named or found.operands[0].text in _CONFIG_WHOLE:
        return False
    unknown = "!" if words[0].text.lower().startswith(("alias.", "submodule.")) else "x"
    return not starts_programs(words[0].text, value.text if value.exact else unknown)


def _config_file(found: Options) -> Value:
    named = last(found.values("f", "file"))
    if named:
        return named
    if found.has("global"):
        return _GLOBAL
    return _SYSTEM if found.has("system") else _CONFIG


def _mv(call: ProgramCall) -> Iterator[Effect]:
    if not options(call.args).has("n", "dry-run"):
        yield from COPIES["mv"](call)


def _rm(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, long="pathspec-from-file")
    if not found.has("cached", "n", "dry-run"):
        yield from deleted(found.operands, tree=True)


def _clean(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="e", long="exclude")
    if found.has("n", "dry-run"):
        return
    yield from deleted(found.operands or (HERE,), tree=True)
    yield Unclear("`git clean` deletes the files that git does not know")


def _reset(call: ProgramCall) -> Iterator[Effect]:
    if options(call.args).has("hard", "merge", "keep"):
        yield _changes_tree("reset")


_STASH_SHOWS = ("list", "show", "drop", "clear", "create", "store")


def _stash(call: ProgramCall) -> Iterator[Effect]:
    verb = next((word.text for word in call.args if word.text[:1] != "-"), "push")
    _, paths = _dashed(call.args)
    if paths:
        yield from written(paths, tree=True)
    elif verb not in _STASH_SHOWS:
        yield _changes_tree("stash")
        if options(call.args).has("a", "all"):  # ignored files go as well
            yield from deleted((HERE,), tree=True)


def _tree_changer(name: str) -> Program:
    def program(call: ProgramCall) -> Iterator[Effect]:
        found = options(call.args, short="x", long="exec")
        if not found.has("abort", "quit", "continue", "skip"):
            yield _changes_tree(name)
        yield from (Shell(text) for text in found.values("x", "exec"))

    return program


def _init(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="b", long="template separate-git-dir object-format")
    place = found.operands[0] if found.operands else None
    yield Touch(below(place, _DATABASE) if place else _DATABASE, tree=True)
    yield from written(found.values("separate-git-dir"), tree=True)


def _clone(call: ProgramCall) -> Iterator[Effect]:
    found = options(
        call.args,
        short="bocju",
        long="branch origin config jobs upload-pack depth reference filter template"
        " shallow-since separate-git-dir",
    )
    if len(found.operands) > 1:
        yield Touch(found.operands[1], tree=True)
    elif found.operands:
        name = base_name(found.operands[0])
        shown = name.text.rpartition(":")[2].removesuffix(".git")
        yield Touch(name._replace(text=shown), tree=True)


def _worktree(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="bB", long="reason expire")
    verb = found.operands[0].text if found.operands else ""
    if verb in ("add", "move"):
        at = 1 if verb == "add" else 2
        yield from written(found.operands[at : at + 1], tree=True)
    if verb in ("remove", "move"):
        yield from deleted(found.operands[1:2], tree=True)


def _submodule(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="b", long="branch name reference depth jobs")
    verb = found.operands[0].text if found.operands else ""
    if verb == "add":
        yield Touch(Value(".gitmodules"))
        yield from written(found.operands[2:3], tree=True)
    elif verb == "foreach":
        yield Shell(Value(" ".join(word.text for word in found.operands[1:])))
    elif verb in ("update", "deinit"):
        yield _changes_tree("submodule")


def _runner(name: str) -> Program:
    """A subcommand that runs commands for each revision."""

    def program(call: ProgramCall) -> Iterator[Effect]:
        words = [word.text for word in call.args]
        if name == "bisect" and words[:1] == ["run"]:
            yield Shell(Value(" ".join(words[1:])))
        if name != "bisect" or words[:1] not in (["log"], ["view"], ["visualize"]):
            yield _changes_tree(name)

    return program


def _named_output(short: str, *, tree: bool = False) -> Program:
    def program(call: ProgramCall) -> Iterator[Effect]:
        found = options(call.args, short=short, long="output output-directory format prefix")
        yield from written(found.values("o", "output", "output-directory"), tree=tree)

    return program


def _bundle(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, long="version")
    if found.operands[:1] == (Value("create"),):
        yield from written(found.operands[1:2])


_TREE_CHANGERS = (
    *("pull", "merge", "rebase", "cherry-pick", "revert", "am", "read-tree"),
    *("checkout-index", "sparse-checkout", "subtree", "lfs", "mergetool", "svn"),
)
_QUIET = ("add", "commit", "fetch", "push", "tag", "branch", "status", "remote", "rev-parse")

_SUBCOMMANDS: Mapping[str, Program] = {
    **dict.fromkeys(_QUIET, nothing),
    **{name: _tree_changer(name) for name in _TREE_CHANGERS},
    "apply": _apply,
    "archive": _named_output("o"),
    "bisect": _runner("bisect"),
    "bundle": _bundle,
    "checkout": _checkout,
    "clean": _clean,
    "clone": _clone,
    "config": _config,
    "filter-branch": _runner("filter-branch"),
    "filter-repo": _runner("filter-repo"),
    "format-patch": _named_output("o", tree=True),
    "init": _init,
    "mv": _mv,
    "reset": _reset,
    "restore": _restore,
    "rm": _rm,
    "stash": _stash,
    "submodule": _submodule,
    "switch": _switch,
    "worktree": _worktree,
}
