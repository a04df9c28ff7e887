"""Git commands that remove names of commits, or push: what is then found nowhere any more.

Always true: an option that forces is found in whatever way it is spelt; which commits are lost is
for whoever has the repository.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from penstock.core.shell.effects import (
    Effect,
    Program,
    ProgramCall,
    RunProgram,
    Shell,
    Unclear,
    base_name,
    deleted,
    options,
    written,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.git_deed import GitKind
from penstock.core.shell.programs.git_tree import dashed, deed, flagged, named, programs_of

_HEADS = "refs/heads/"


def _below(prefix: str, words: tuple[Value, ...]) -> list[Value]:
    return [replace(word, text=f"{prefix}{word.text}") for word in words]


def branch(call: ProgramCall) -> Iterator[Effect]:
    """`git branch`: deleting by force loses commits, and so does taking the name of another."""
    found = options(
        call.args,
        short="u",
        long="set-upstream-to sort format points-at contains no-contains merged no-merged",
    )
    names = found.operands
    if found.has("D") or (found.has("d", "delete") and found.has("f", "force")):
        if not found.has("r", "remotes"):
            yield deed(GitKind.REFS, "git branch -D", refs=_below(_HEADS, names))
    elif found.has("m", "move", "c", "copy", "M", "C"):
        if found.has("M", "C", "f", "force"):
            yield deed(GitKind.REFS, "git branch -M", refs=_below(_HEADS, names[-1:]))
        source = names[0] if len(names) > 1 else Value("HEAD")
        yield from (one for name in names[-1:] for one in named(_HEADS, name, source))
    elif names and not found.has("d", "delete", "l", "list", "a", "all", "edit-description"):
        start = names[1] if len(names) > 1 else Value("HEAD")
        yield from named(_HEADS, names[0], start, moves="git branch -f" * found.has("f", "force"))


def tag(call: ProgramCall) -> Iterator[Effect]:
    """`git tag`: one that is deleted or moved may have been the only name of its commits."""
    found = options(
        call.args,
        short="mFun?",
        long="message file local-user sort format contains no-contains merged points-at",
    )
    names = found.operands
    if found.has("d", "delete"):
        yield deed(GitKind.REFS, "git tag -d", refs=_below("refs/tags/", names))
    elif names and not found.has("l", "list", "v", "verify", "n"):
        if found.has("f", "force"):
            yield deed(GitKind.REFS, "git tag -f", refs=_below("refs/tags/", names[:1]))
        start = names[1] if len(names) > 1 else Value("HEAD")
        yield from named("refs/tags/", names[0], start)


def update_ref(call: ProgramCall) -> Iterator[Effect]:
    """`git update-ref`: with `-d` a name goes; otherwise the reflog has the old one."""
    found = options(call.args, short="m")
    names = found.operands
    if found.has("stdin"):
        yield Unclear("`git update-ref` takes its commands from its input")
    elif found.has("d") and names:
        if names[0].text == "refs/stash":
            yield deed(GitKind.DROP, "git update-ref -d refs/stash")
        else:
            yield deed(GitKind.REFS, "git update-ref -d", refs=names[:1])
    elif len(names) > 1:
        yield from named("", names[0], names[1], moves="git update-ref")


def symbolic_ref(call: ProgramCall) -> Iterator[Effect]:
    """`git symbolic-ref`: a name, most often HEAD, means another from now on."""
    found = options(call.args, short="m")
    if len(found.operands) > 1:
        yield from named("", found.operands[0], found.operands[1])


def reflog(call: ProgramCall) -> Iterator[Effect]:
    """`git reflog`: old places of branches are forgotten."""
    found = options(call.args, long="expire expire-unreachable")
    verb = found.operands[0].text if found.operands else "show"
    if verb in ("expire", "delete", "drop") and not found.has("n", "dry-run"):
        flags = flagged(found, all="all")
        yield deed(GitKind.REFLOG, f"git reflog {verb}", refs=found.operands[1:], flags=flags)


def gc(call: ProgramCall) -> Iterator[Effect]:
    """`git gc`: unreachable objects of more than two weeks go, with `--prune=now` all of them."""
    dates = [word.text.partition("=")[2] for word in call.args if word.text.startswith("--prune=")]
    if dates and dates[-1] != "never":
        yield deed(GitKind.PRUNE, f"git gc --prune={dates[-1]}")
    elif not dates and not options(call.args).has("no-prune", "auto"):
        yield deed(GitKind.PRUNE, "git gc", flags=["as_set"])


def prune(call: ProgramCall) -> Iterator[Effect]:
    """`git prune`: unreachable objects go."""
    if not options(call.args, long="expire").has("n", "dry-run"):
        yield deed(GitKind.PRUNE, "git prune")


def repack(call: ProgramCall) -> Iterator[Effect]:
    """`git repack`: `-a -d` drops unreachable objects of packs."""
    found = options(call.args, long="window depth threads max-pack-size")
    if found.has("a") and found.has("d") and not found.has("A", "k", "keep-unreachable"):
        yield deed(GitKind.PRUNE, "git repack -a -d")


def worktree(call: ProgramCall) -> Iterator[Effect]:
    """`git worktree`: another work tree is made, moved or removed."""
    found = options(call.args, short="bB", long="reason expire")
    verb = found.operands[0].text if found.operands else ""
    if verb == "move":
        yield from deleted(found.operands[1:2], tree=True)
    if verb in ("add", "move"):
        at = 1 if verb == "add" else 2
        yield deed(GitKind.MADE, f"git worktree {verb}", paths=found.operands[at : at + 1])
    if verb == "add":
        made = found.values("b", "B")
        start = found.operands[2] if len(found.operands) > 2 else Value("HEAD")
        yield from (one for name in made for one in named(_HEADS, name, start))
    if verb == "remove":
        force = found.has("f", "force")
        command = "git worktree remove --force" if force else "git worktree remove"
        flags = ["force"] if force else []
        yield deed(GitKind.WORKTREE, command, paths=found.operands[1:2], flags=flags)


def rewriter(name: str) -> Program:
    """A command that makes every commit anew."""

    def program(call: ProgramCall) -> Iterator[Effect]:
        found = options(
            call.args, long="tree-filter index-filter msg-filter env-filter commit-filter"
        )
        filters = ("tree-filter", "index-filter", "msg-filter", "env-filter", "commit-filter")
        yield from (Shell(text) for text in found.values(*filters))
        yield Unclear(f"`git {name}` rewrites the history")

    return program


def push(call: ProgramCall) -> Iterator[Effect]:
    """`git push`: what replaces or removes branches of others is told apart by whoever knows."""
    found = options(
        call.args,
        short="o",
        long="repo receive-pack exec push-option recurse-submodules",
    )
    yield from programs_of(found)
    if found.has("n", "dry-run"):
        return
    flags = flagged(
        found,
        force="f force",
        lease="force-with-lease force-if-includes",
        delete="d delete",
        mirror="mirror",
        prune="prune",
        every="all branches",
    )
    # `--force` is no short form of `--force-with-lease`, nor the other way round.
    given = {name for name, _ in found.given}
    if not given & {"f", "force", "forc"}:
        flags = [flag for flag in flags if flag != "force"]
    if not any(name.startswith("force-") for name in given):
        flags = [flag for flag in flags if flag != "lease"]
    words = [_known(word) for word in (*found.values("repo"), *found.operands)]
    yield deed(GitKind.PUSH, "git push", refs=words, flags=flags)


def _known(word: Value) -> Value:
    """Return a word of a push; one that prints the name of the present branch means HEAD."""
    asks = ("git branch --show-current", "git rev-parse --abbrev-ref HEAD", "git symbolic-ref")
    text = word.text.strip("$()` ")
    if word.exact or word.text[:1] in "+:" or not text.startswith(asks):
        return word
    return Value("HEAD") if "$(" in word.text or "`" in word.text else word


def submodule(call: ProgramCall) -> Iterator[Effect]:
    """`git submodule`: other repositories below this one."""
    found = options(call.args, short="bj", long="branch name reference depth jobs")
    verb = found.operands[0].text if found.operands else ""
    names = found.operands[1:]
    if verb == "add":
        yield from written((Value(".gitmodules"),))
        made = names[1:2] or [base_name(url) for url in names[:1]]
        yield from written((replace(name, text=_folder(name)) for name in made), tree=True)
    elif verb == "foreach":
        words = [word for word in call.args if word.text not in ("--recursive", "-q", "--quiet")]
        command = Value(" ".join(word.text for word in words[1:]), all(w.exact for w in words))
        yield deed(GitKind.EACH, "git submodule foreach", refs=(command,))
    elif verb in ("update", "deinit") and found.has("f", "force"):
        flags = ["gone"] if verb == "deinit" else []
        yield deed(GitKind.SUBMODULES, f"git submodule {verb} --force", paths=names, flags=flags)


def _folder(url: Value) -> str:
    return url.text.rpartition(":")[2].removesuffix(".git")


_BISECT_MOVES = frozenset({"start", "good", "bad", "old", "new", "skip", "run", "next", "replay"})


def bisect(call: ProgramCall) -> Iterator[Effect]:
    """`git bisect`: revisions between a good and a bad one come and go."""
    before, _ = dashed(call.args)
    found = options(before, long="term-good term-bad term-new term-old")
    verb = found.operands[0].text if found.operands else ""
    if verb == "run":
        yield RunProgram(call.args[1:])
    revisions = found.operands[1:] if verb == "start" else ()
    if verb in _BISECT_MOVES and all(word.exact for word in revisions):
        yield deed(GitKind.BISECT, "git bisect", refs=revisions)


REF_COMMANDS: Mapping[str, Program] = {
    "bisect": bisect,
    "branch": branch,
    "filter-branch": rewriter("filter-branch"),
    "filter-repo": rewriter("filter-repo"),
    "gc": gc,
    "prune": prune,
    "push": push,
    "reflog": reflog,
    "repack": repack,
    "submodule": submodule,
    "symbolic-ref": symbolic_ref,
    "tag": tag,
    "update-ref": update_ref,
    "worktree": worktree,
}
