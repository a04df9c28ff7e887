"""Git commands that remove names of commits, or push: what is then found nowhere any more.

Always true: an option that forces is found in whatever way it is spelt; which commits are lost is
for whoever has the repository.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from penstock.core.shell.effects import (
    Effect,
    Program,
    ProgramCall,
    Shell,
    Unclear,
    deleted,
    options,
    written,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.git_deed import GitKind
from penstock.core.shell.programs.git_tree import deed, flagged, programs_of


def _below(prefix: str, words: tuple[Value, ...]) -> list[Value]:
    return [word._replace(text=f"{prefix}{word.text}") for word in words]


def branch(call: ProgramCall) -> Iterator[Effect]:
    """`git branch`: only deleting by force loses anything; the reflog has the rest."""
    found = options(call.args, short="u", long="set-upstream-to sort format points-at contains")
    forced = found.has("D") or (found.has("d", "delete") and found.has("f", "force"))
    if forced:
        prefix = "refs/remotes/" if found.has("r", "remotes") else "refs/heads/"
        if prefix == "refs/heads/":
            yield deed(GitKind.REFS, "git branch -D", refs=_below(prefix, found.operands))


def tag(call: ProgramCall) -> Iterator[Effect]:
    """`git tag`: one that is deleted or moved may have been the only name of its commits."""
    found = options(call.args, short="mFuk", long="message file local-user sort format contains")
    if found.has("d", "delete"):
        yield deed(GitKind.REFS, "git tag -d", refs=_below("refs/tags/", found.operands))
    elif found.has("f", "force") and found.operands:
        yield deed(GitKind.REFS, "git tag -f", refs=_below("refs/tags/", found.operands[:1]))


def update_ref(call: ProgramCall) -> Iterator[Effect]:
    """`git update-ref`: with `-d` a name goes; otherwise the reflog has the old one."""
    found = options(call.args, short="m")
    if found.has("stdin"):
        yield Unclear("`git update-ref` takes its commands from its input")
    elif found.has("d") and found.operands:
        if found.operands[0].text == "refs/stash":
            yield deed(GitKind.DROP, "git update-ref -d refs/stash")
        else:
            yield deed(GitKind.REFS, "git update-ref -d", refs=found.operands[:1])


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


def prune(call: ProgramCall) -> Iterator[Effect]:
    """`git prune`: unreachable objects go."""
    if not options(call.args, long="expire").has("n", "dry-run"):
        yield deed(GitKind.PRUNE, "git prune")


def repack(call: ProgramCall) -> Iterator[Effect]:
    """`git repack`: `-a -d` drops unreachable objects of packs."""
    found = options(call.args, long="window depth threads max-pack-size")
    if found.has("a") and found.has("d"):
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
    if verb == "remove" and found.has("f", "force"):
        yield deed(GitKind.WORKTREE, "git worktree remove --force", paths=found.operands[1:2])


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
    found = options(call.args, short="b", long="branch name reference depth jobs")
    verb = found.operands[0].text if found.operands else ""
    if verb == "add":
        yield from written((Value(".gitmodules"),))
        yield from written(found.operands[2:3], tree=True)
    elif verb == "foreach":
        yield Shell(Value(" ".join(word.text for word in found.operands[1:])))
    elif verb in ("update", "deinit") and found.has("f", "force"):
        yield Unclear(f"`git submodule {verb} --force` throws away changes in submodules")


def bisect(call: ProgramCall) -> Iterator[Effect]:
    """`git bisect`: revisions that are part of the history come and go."""
    words = [word.text for word in call.args]
    if words[:1] == ["run"]:
        yield Shell(Value(" ".join(words[1:])))


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
    "tag": tag,
    "update-ref": update_ref,
    "worktree": worktree,
}
