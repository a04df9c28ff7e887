"""Git commands that change the work tree: what they bring, put away or throw away.

A row reads the words of one subcommand into deeds. Whether anything would be lost, and which
files would change, is for whoever has the repository.
Always true: a word that is only known when the command runs makes the command unclear.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from penstock.core.model import Action
from penstock.core.shell.effects import (
    Effect,
    Git,
    Options,
    Patch,
    Program,
    ProgramCall,
    Shell,
    Touch,
    Unclear,
    base_name,
    below,
    last,
    options,
    written,
)
from penstock.core.shell.expansion import PIPE, Value
from penstock.core.shell.git_deed import GitDeed, GitKind
from penstock.core.shell.git_state import UNKNOWN
from penstock.core.shell.programs.copies import COPIES

GOES_ON = ("quit", "continue", "edit-todo", "show-current-patch")


def deed(
    kind: GitKind,
    command: str,
    *,
    refs: Sequence[Value] = (),
    paths: Sequence[Value] = (),
    flags: Sequence[str] = (),
) -> Effect:
    """Return a deed, or say that its words are not known."""
    if not all(word.exact for word in (*refs, *paths)):
        return Unclear(f"`{command}` is given words that are only known when it runs")
    return Git(
        GitDeed(
            kind,
            command,
            tuple(word.text for word in refs),
            tuple(word.text for word in paths),
            frozenset(flags),
        )
    )


def dashed(args: Sequence[Value]) -> tuple[list[Value], list[Value] | None]:
    """Split at `--`; None when there is none."""
    texts = [word.text for word in args]
    if "--" not in texts:
        return list(args), None
    at = texts.index("--")
    return list(args[:at]), list(args[at + 1 :])


def flagged(found: Options, **flags: str) -> list[str]:
    """Return the flags for which one of their options, named in a text, is given."""
    return [flag for flag, names in flags.items() if found.has(*names.split())]


# Checkout and its younger relatives


def checkout(call: ProgramCall) -> Iterator[Effect]:
    """`git checkout`: another revision, or paths of one."""
    before, paths = dashed(call.args)
    found = options(before, short="bB", long="orphan conflict pathspec-from-file")
    flags = flagged(
        found,
        force="f force",
        conflict="ours theirs 2 3 m merge",
        p="p patch",
        exact="no-overlay",
        submodules="recurse-submodules",
        again="B",
    )
    if found.has("pathspec-from-file"):
        yield Unclear("`git checkout` takes its paths from a file")
    made = [*found.values("b", "B"), *found.values("orphan")]
    command = "git checkout -f" if "force" in flags else "git checkout"
    if made:
        yield from _on_new_branch(command, made[-1], found.operands[:1], flags)
    elif found.operands or paths:
        yield deed(GitKind.CHECKOUT, command, refs=found.operands, paths=paths or (), flags=flags)
    elif "force" in flags:
        yield deed(GitKind.TREE, command, refs=(Value("HEAD"),), flags=flags)


def _on_new_branch(
    command: str, name: Value, start: Sequence[Value], flags: Sequence[str]
) -> Iterator[Effect]:
    """A branch is made and gone to; its files are the present ones unless it starts elsewhere."""
    moves = "again" in flags
    flags = [flag for flag in flags if flag != "again"]
    if start or "force" in flags:
        yield deed(GitKind.TREE, command, refs=start or (Value("HEAD"),), flags=flags)
    # By then HEAD is where it starts.
    point = Value("HEAD") if moves else next(iter(start), Value("HEAD"))
    yield from named("refs/heads/", name, point, moves=command if moves else "")


def named(prefix: str, name: Value, revision: Value, *, moves: str = "") -> Iterator[Effect]:
    """Yield that a ref means a revision from now on; a name that nobody knows misleads nobody.

    `moves` is the command that moves it where it may be there already, and leave commits behind.
    """
    if name.exact:
        full = Value(prefix + name.text)
        flags = ("moves",) if moves else ()
        yield deed(GitKind.NAME, moves or "git", refs=(full, _revision(revision)), flags=flags)


def _revision(word: Value) -> Value:
    """Return a revision, or that nobody knows it: only those who use it will mind."""
    return word if word.exact else Value(f"{UNKNOWN}its revision is only known when it runs")


def switch(call: ProgramCall) -> Iterator[Effect]:
    """`git switch`: another branch."""
    found = options(call.args, short="cC", long="create force-create orphan conflict")
    flags = flagged(
        found,
        force="f force discard-changes",
        submodules="recurse-submodules",
        again="C force-create",
    )
    command = "git switch -f" if "force" in flags else "git switch"
    made = found.values("c", "C", "create", "force-create")
    if found.has("orphan"):
        yield deed(GitKind.TREE, command, flags=flags)
    elif made:
        yield from _on_new_branch(command, made[-1], found.operands[:1], flags)
    elif found.operands:
        yield deed(GitKind.TREE, command, refs=found.operands[:1], flags=flags)


def restore(call: ProgramCall) -> Iterator[Effect]:
    """`git restore`: paths of the index or of a revision."""
    before, behind = dashed(call.args)
    found = options(before, short="s", long="source conflict pathspec-from-file")
    if found.has("pathspec-from-file"):
        yield Unclear("`git restore` takes its paths from a file")
    paths = (*found.operands, *(behind or ()))
    staged = found.has("S", "staged")
    source = last(found.values("s", "source")) or (Value("HEAD") if staged else None)
    refs = (source,) if source else ()
    if staged:
        yield deed(GitKind.INDEX, "git restore --staged", refs=[_revision(word) for word in refs])
    if not paths or (staged and not found.has("W", "worktree")):
        return
    flags = flagged(found, conflict="ours theirs m merge", staged="S staged")
    flags += [] if found.has("overlay") else ["exact"]
    yield deed(GitKind.PATHS, "git restore", refs=refs, paths=paths, flags=flags)


def reset(call: ProgramCall) -> Iterator[Effect]:
    """`git reset`: `--hard` throws away, `--merge` what is staged; others leave files alone."""
    before, behind = dashed(call.args)
    found = options(before, long="pathspec-from-file")
    refs = found.operands[:1] or (Value("HEAD"),)
    if not found.has("hard", "merge", "keep"):
        yield from _reset_index(found, refs, behind)
        return
    flags = flagged(found, force="hard", staged="merge", submodules="recurse-submodules")
    command = f"git reset --{'hard' if found.has('hard') else 'merge'}"
    command = "git reset --keep" if not found.has("hard", "merge") else command
    yield deed(GitKind.TREE, command, refs=refs, flags=[*flags, "moves"])


def _reset_index(
    found: Options, refs: Sequence[Value], behind: Sequence[Value] | None
) -> Iterator[Effect]:
    """A word may be a revision or a path: what is no revision moves nothing."""
    if found.has("p", "patch"):
        return
    known = [_revision(word) for word in refs]
    if behind or not found.operands or found.operands[1:] or found.has("pathspec-from-file"):
        yield deed(GitKind.INDEX, "git reset", refs=known)
    else:
        flags = [] if found.has("soft") else ["index"]
        yield deed(GitKind.HEAD, "git reset", refs=known, flags=flags)


def read_tree(call: ProgramCall) -> Iterator[Effect]:
    """`git read-tree`: the index becomes what a tree holds, and the files with `-u`."""
    found = options(call.args, long="prefix index-output exclude-per-directory")
    yield from written(found.values("index-output"))
    if found.has("u"):
        yield from written(found.values("prefix"), tree=True)
    for tree in found.operands[-1:]:
        if found.has("u") and not found.has("prefix"):
            flags = ["force"] if found.has("reset") else []
            yield deed(GitKind.TREE, "git read-tree", refs=(tree,), flags=flags)
        elif not found.has("n", "dry-run", "index-output"):
            yield deed(GitKind.INDEX, "git read-tree", refs=(_revision(tree),))


def checkout_index(call: ProgramCall) -> Iterator[Effect]:
    """`git checkout-index`: files are written from the index, over others with `-f`."""
    found = options(call.args, long="prefix stage")
    for prefix in found.values("prefix"):
        if not prefix.text.endswith("/"):
            yield Unclear("`git checkout-index` puts a prefix in front of the names of files")
        yield from written((prefix,), tree=True)
    if not found.has("prefix"):
        whole = found.has("a", "all", "stdin")
        paths = (Value(":/"),) if whole else found.operands
        flags = [] if found.has("f", "force") else ["new"]
        yield deed(GitKind.PATHS, "git checkout-index -f", paths=paths, flags=flags)


def update_index(call: ProgramCall) -> Iterator[Effect]:
    """`git update-index`: some paths get other content in the index."""
    words = list(call.args)
    for at, word in enumerate(words):
        if word.text in ("--index-info", "--stdin", "--unresolve"):
            yield Unclear("`git update-index` takes its paths from its input")
        if word.text == "--cacheinfo" and at + 1 < len(words):
            whole = words[at + 1].text.split(",", 2)
            one = whole[2] if len(whole) == 3 else "".join(w.text for w in words[at + 3 : at + 4])
            yield deed(GitKind.INDEX, "git update-index", paths=(Value(one),))


# What others did


def merge(call: ProgramCall) -> Iterator[Effect]:
    """`git merge`: what another side has changed since the two went apart."""
    found = options(call.args, short="mFsXS?", long="file strategy strategy-option into-name")
    if found.has("abort"):
        yield deed(GitKind.ABORT, "git merge --abort")
    elif not found.has(*GOES_ON) and found.operands:
        yield deed(GitKind.MERGE, "git merge", refs=found.operands)


def pull(call: ProgramCall) -> Iterator[Effect]:
    """`git pull`: what a remote branch holds after the fetch."""
    found = options(
        call.args,
        short="sXjoS?",
        long="strategy strategy-option upload-pack depth deepen shallow-since shallow-exclude"
        " jobs server-option refmap negotiation-tip",
    )
    yield from programs_of(found)
    if not found.has("dry-run"):
        yield deed(GitKind.PULL, "git pull", refs=found.operands)


def programs_of(found: Options) -> Iterator[Effect]:
    """Yield the programs that options start at the other end, which may be this machine."""
    yield from (Shell(word) for word in found.values("upload-pack", "receive-pack", "exec"))
    yield from transports(found.operands)


def transports(words: Sequence[Value]) -> Iterator[Effect]:
    """Yield the programs that addresses start: `ext::COMMAND`, where `% ` is a blank."""
    for word in words:
        kind, colons, rest = word.text.partition("::")
        if colons and kind == "ext":
            yield Shell(replace(word, text=rest.replace("% ", " ").replace("%%", "%")))


def rebase(call: ProgramCall) -> Iterator[Effect]:
    """`git rebase`: own commits on top of another side."""
    found = options(call.args, short="xsXCS?", long="exec onto strategy strategy-option whitespace")
    yield from (Shell(text) for text in found.values("x", "exec"))
    if found.has("skip", "abort"):
        yield _given_up("rebase", found, "hard")
    elif not found.has(*GOES_ON):
        onto = last(found.values("onto"))
        upstream = (onto,) if onto else found.operands[:1] or (Value("@{upstream}"),)
        branch = found.operands[1:2]
        if branch:
            yield deed(GitKind.TREE, "git rebase", refs=branch)
        yield deed(GitKind.MERGE, "git rebase", refs=() if found.has("root") else upstream)


def _given_up(name: str, found: Options, *flags: str) -> Effect:
    verb = "skip" if found.has("skip") else "abort"
    return deed(GitKind.ABORT, f"git {name} --{verb}", flags=flags)


def commits(name: str) -> Program:
    """`git cherry-pick` and `git revert`: the changes of some commits."""

    def program(call: ProgramCall) -> Iterator[Effect]:
        found = options(call.args, short="mXS?", long="mainline strategy strategy-option cleanup")
        if found.has("skip", "abort"):
            yield _given_up(name, found)
        elif not found.has(*GOES_ON) and found.operands:
            yield deed(GitKind.COMMITS, f"git {name}", refs=found.operands)

    return program


_APPLY_SHOWS = ("check", "stat", "numstat", "summary", "cached")


def apply(call: ProgramCall) -> Iterator[Effect]:
    """`git apply`: the files that a patch names."""
    found = options(call.args, short="pC", long="directory exclude include whitespace")
    if found.has(*_APPLY_SHOWS) and not found.has("apply"):
        return
    yield from patched("git apply", call, found.operands, last(found.values("directory")))
    unknown = call.feed.text is None and not call.feed.patch
    if found.has("R", "reverse") and not found.operands and (unknown or _of_files(call)):
        # Most likely what `git diff` prints, and that is then found nowhere else.
        yield deed(GitKind.PATHS, "git apply -R", paths=(Value(":/"),))


def _of_files(call: ProgramCall) -> bool:
    """True for a patch that holds what is not committed."""
    return call.feed.patch[:1] in (("diff",), ("staged",)) and "" in (*call.feed.patch[2:], "")


def am(call: ProgramCall) -> Iterator[Effect]:
    """`git am`: patches from mails."""
    found = options(
        call.args, short="pCS?", long="directory exclude include whitespace patch-format"
    )
    if found.has("skip", "abort"):
        yield _given_up("am", found)
    elif not found.has(*GOES_ON, "r", "resolved"):
        yield from patched("git am", call, found.operands, last(found.values("directory")))


def patched(
    command: str, call: ProgramCall, operands: Sequence[Value], directory: Value | None
) -> Iterator[Effect]:
    """Yield what patches do: in files, or in what the command reads."""
    files = [word for word in operands if word.text != "-"]
    if not files and call.feed.patch:
        yield deed(GitKind.PATCH, command, refs=tuple(map(Value, call.feed.patch)))
    elif any(word.text == PIPE for word in files) or (not files and call.feed.text is None):
        yield Unclear(f"`{command}` changes the files that its patch names")
    elif files:
        flags = (f"below:{directory.text}",) if directory else ()
        yield deed(GitKind.PATCH, command, paths=files, flags=flags)
    else:
        yield Patch(call.feed.text or "", directory)


# What is put away


_STASH_SHOWS = ("list", "show", "create", "store")


def stash(call: ProgramCall) -> Iterator[Effect]:
    """`git stash`: changes are put away, brought back, or dropped."""
    before, behind = dashed(call.args)
    found = options(before, short="m", long="message pathspec-from-file")
    verb = found.operands[0].text if found.operands else "push"
    names = found.operands[1:2]
    if verb in _STASH_SHOWS:
        return
    if verb in ("pop", "apply", "branch"):
        names = found.operands[2:3] if verb == "branch" else names
        pops = () if verb == "apply" else ("pop",)
        yield deed(GitKind.UNSTASH, f"git stash {verb}", refs=names, flags=pops)
    elif verb == "drop":
        yield deed(GitKind.DROP, "git stash drop", refs=names or (Value("stash@{0}"),))
    elif verb == "clear":
        yield deed(GitKind.DROP, "git stash clear")
    else:
        flags = flagged(
            found, untracked="u include-untracked a all", all="a all", staged="S staged"
        )
        paths = () if verb == "save" else (*found.operands[1:], *(behind or ()))
        yield deed(GitKind.STASH, "git stash", paths=paths, flags=flags)


def add(call: ProgramCall) -> Iterator[Effect]:
    """`git add`: content goes into the index."""
    found = options(call.args, long="chmod pathspec-from-file")
    if found.has("n", "dry-run", "p", "patch", "i", "interactive", "N", "intent-to-add", "e"):
        return
    everything = found.has("A", "all", "u", "update") and not found.operands
    paths = (Value(":/"),) if everything else found.operands
    # What is staged by name is read into the repository, and the next push shows it to others.
    plain = [word for word in found.operands if word.exact and not word.pattern]
    yield from (Touch(word, Action.READ) for word in plain if word.text != ".")
    flags = flagged(found, tracked="u update")
    if paths and all(word.exact for word in paths):
        yield deed(GitKind.STAGE, "git add", paths=paths, flags=flags)


def commit(call: ProgramCall) -> Iterator[Effect]:
    """`git commit`: what is staged, or named, is in the history."""
    found = options(
        call.args,
        short="mFCctS?u?",
        long="message file reuse-message reedit-message template author date cleanup fixup squash"
        " trailer pathspec-from-file",
    )
    if found.has("dry-run"):
        return
    flags = flagged(found, all="a all", amend="amend")
    known = all(word.exact for word in found.operands)
    paths = found.operands if known else ()
    yield deed(GitKind.COMMIT, "git commit", paths=paths, flags=flags)


# What goes


def clean(call: ProgramCall) -> Iterator[Effect]:
    """`git clean`: files that git does not know are deleted."""
    found = options(call.args, short="e", long="exclude")
    asks = found.has("i", "interactive")  # and without an answer nothing goes
    if found.has("n", "dry-run") or (asks and not call.feed.piped):
        return
    flags = flagged(found, ignored="x", only_ignored="X", folders="d")
    forces = sum(name in ("f", "force") for name, _ in found.given)
    flags += ["force"] if forces or asks else []
    yield deed(
        GitKind.CLEAN,
        "git clean",
        paths=found.operands,
        refs=found.values("e", "exclude"),
        flags=[*flags, *(["nested"] if forces > 1 else [])],
    )


def rm(call: ProgramCall) -> Iterator[Effect]:
    """`git rm`: tracked files are deleted."""
    found = options(call.args, long="pathspec-from-file")
    if found.has("pathspec-from-file"):
        yield Unclear("`git rm` takes its paths from a file")
    if not found.has("cached", "n", "dry-run") and found.operands:
        flags = flagged(found, force="f force")
        yield deed(GitKind.REMOVE, "git rm", paths=found.operands, flags=flags)


def mv(call: ProgramCall) -> Iterator[Effect]:
    """`git mv`: files get other names; with `-f` one that another file has."""
    found = options(call.args)
    if found.has("n", "dry-run"):
        return
    yield from COPIES["mv"](call)
    *sources, target = found.operands or (Value(""),)
    if found.has("f", "force") and sources:
        inside = [below(target, base_name(word)) for word in sources]
        yield deed(GitKind.OVERWRITE, "git mv -f", paths=[target, *inside])


def sparse_checkout(call: ProgramCall) -> Iterator[Effect]:
    """`git sparse-checkout`: only some folders stay in the work tree."""
    found = options(call.args)
    verb = found.operands[0].text if found.operands else ""
    if verb in ("init", "set"):
        flags = ["patterns"] if found.has("no-cone", "stdin") else []
        yield deed(
            GitKind.SPARSE, f"git sparse-checkout {verb}", paths=found.operands[1:], flags=flags
        )


TREE_COMMANDS: Mapping[str, Program] = {
    "add": add,
    "stage": add,
    "am": am,
    "apply": apply,
    "checkout": checkout,
    "checkout-index": checkout_index,
    "cherry-pick": commits("cherry-pick"),
    "clean": clean,
    "commit": commit,
    "merge": merge,
    "mv": mv,
    "pull": pull,
    "read-tree": read_tree,
    "rebase": rebase,
    "reset": reset,
    "restore": restore,
    "revert": commits("revert"),
    "rm": rm,
    "sparse-checkout": sparse_checkout,
    "stash": stash,
    "switch": switch,
    "update-index": update_index,
}
