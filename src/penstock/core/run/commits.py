"""Commits that were made in a run: how they are listed, what they change, what became of them.

Branches, tags and stashes lead to commits. What the real repository has under the same name at the
same commit is none of the run's. Reading a repository and judging files is done elsewhere.
Always true: a name that git or a terminal could misunderstand is no branch; a change that a merge
took over from one of its parents is that parent's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from enum import StrEnum

from msgspec import Struct

REFS = "refs/penstock/run/"
HEADS, TAGS, STASH = "refs/heads/", "refs/tags/", "refs/stash"
DETACHED = "HEAD"
HEX = frozenset("0123456789abcdef")
WIDTHS = (40, 64)
MOST_BRANCHES, LONGEST_NAME = 100, 200
GITLINK, LINK, EXECUTABLE, ABSENT = "160000", "120000", "100755", "000000"


class TipKind(StrEnum):
    """What leads to commits."""

    BRANCH = "branch"
    TAG = "tag"
    STASH = "stash"


class BranchTip(Struct, frozen=True, kw_only=True):
    """A branch, tag or stash of a run, or its HEAD where that is on no branch, and its commit.

    An annotated tag is an object of its own, which names the commit.
    """

    name: str
    commit: str
    kind: TipKind = TipKind.BRANCH

    def ref(self, run: str) -> str:
        """Return the name under which the real repository keeps it."""
        return f"{REFS}{run}/{'tags/' if self.kind is TipKind.TAG else ''}{self.name}"


class CommittedFile(Struct, frozen=True, kw_only=True):
    """What a commit says of a path that it changes; `mode` ABSENT removes it."""

    path: bytes
    mode: str
    blob: str


class BranchImport(Struct, frozen=True, kw_only=True):
    """What became of the commits on one branch. With a `problem` they stay in the layer.

    `place` is the work tree in the project, "" for the project's own.
    """

    name: str
    kind: TipKind = TipKind.BRANCH
    place: str = ""
    ref: str = ""
    commits: int = 0
    files: int = 0
    pending: int = 0
    fast_forward: bool = False
    problem: str = ""


def parse_tips(
    listing: bytes, known: Mapping[str, str] | None = None, stashed: Set[str] = frozenset()
) -> tuple[BranchTip, ...]:
    """Read lines of an id and a ref, as a run printed them. Raises ValueError.

    `known` are the refs of the real repository, `stashed` its stashes: these are left out.
    """
    found: dict[tuple[TipKind, str], str] = {}
    head, branches = "", set[str]()
    for line in listing.decode().splitlines():
        oid, _, ref = line.partition(" ")
        if ref == DETACHED:
            head = _oid(oid) if oid else ""
        elif (known or {}).get(ref) != oid and oid not in stashed:
            found[_named_tip(ref, found)] = _oid(oid)
        branches |= {oid} if ref.startswith(HEADS) else set()
    if head and head not in branches:
        found[TipKind.BRANCH, DETACHED] = head
    if len(found) > MOST_BRANCHES:
        raise ValueError(f"there are more than {MOST_BRANCHES} new branches, tags and stashes")
    return tuple(
        BranchTip(name=name, commit=oid, kind=kind) for (kind, name), oid in sorted(found.items())
    )


def _named_tip(ref: str, found: Mapping[tuple[TipKind, str], str]) -> tuple[TipKind, str]:
    if ref.startswith(HEADS):
        return TipKind.BRANCH, _name(ref.removeprefix(HEADS))
    if ref.startswith(TAGS):
        return TipKind.TAG, _name(ref.removeprefix(TAGS))
    if ref != STASH:
        raise ValueError("it lists something else than branches, tags and stashes")
    older = sum(kind is TipKind.STASH for kind, _ in found)  # the newest comes first
    return TipKind.STASH, f"stash-{older}" if older else "stash"


def _oid(text: str) -> str:
    if len(text) not in WIDTHS or not set(text) <= HEX:
        raise ValueError("it names a commit by something else than an id")
    return text


def _name(text: str) -> str:
    parts = text.split("/")
    plain = text.isprintable() and not set(text) & set(' ~^:?*[\\"') and "@{" not in text
    right = all(
        p and not p.startswith((".", "-")) and not p.endswith((".", ".lock")) for p in parts
    )
    if not (plain and right and ".." not in text and text != "@" and len(text) <= LONGEST_NAME):
        raise ValueError("a branch has a name that git does not take")
    return text


def parse_pairs(output: bytes) -> Iterator[tuple[tuple[str, str], tuple[CommittedFile, ...]]]:
    """Read `git diff-tree --stdin -r -z --raw` of pairs of trees. Raises ValueError."""
    at, pair, files = 0, ("", ""), list[CommittedFile]()
    while at < len(output):
        if output[at : at + 1] != b":":
            if pair[0]:
                yield pair, tuple(files)
            end = output.index(b"\n", at)
            before, after = output[at:end].decode().split(" ")
            at, pair, files = end + 1, (before, after), []
            continue
        end = output.index(b"\0", at)
        stop = output.index(b"\0", end + 1)
        _, mode, _, blob, _ = output[at + 1 : end].decode().split(" ")
        files.append(CommittedFile(path=output[end + 1 : stop], mode=mode, blob=blob))
        at = stop + 1
    if pair[0]:
        yield pair, tuple(files)


def changed_files(
    tree: str,
    parents: Sequence[str],
    pairs: Mapping[tuple[str, str], Sequence[CommittedFile]],
) -> set[CommittedFile]:
    """Return what a commit itself changes: that in which it differs from each of its parents."""
    differences = [set(pairs[parent, tree]) for parent in parents]
    return set.intersection(*differences) if differences else set()


def is_taken(ref: str, others: Iterable[str]) -> bool:
    """Say whether git cannot keep a ref beside others: one of them is it, above it or below it."""
    return any(f"{one}/".startswith(f"{ref}/") or f"{ref}/".startswith(f"{one}/") for one in others)


def told_imports(run: str, brought: Sequence[BranchImport]) -> list[str]:
    """Return what is said of commits when a run has ended."""
    lines = []
    for one in brought:
        if one.problem:
            kept = "stays" if one.commits == 1 or one.kind is not TipKind.BRANCH else "stay"
            lines.append(f"  {_subject(one)} {kept} in the layer: {one.problem}")
            continue
        judged = f"{one.pending} need approval" if one.pending else "none denied"
        files = f" ({one.files} file{'s' if one.files != 1 else ''}, {judged})"
        lines.append(f"  {_subject(one)}{files if one.commits else ''}: {one.ref}")
    if any(one.fast_forward for one in brought):
        lines.append(f"  fast-forward your branch: penstock runs merge {run}")
    return lines


def _subject(one: BranchImport) -> str:
    where = f" of {one.place}" if one.place else ""
    if one.kind is TipKind.TAG:
        return f"tag {one.name}{where}"
    if one.kind is TipKind.STASH:
        return f"{one.name}{where}"
    count = f"{one.commits} commit{'s' if one.commits != 1 else ''}" if one.commits else "commits"
    return f"{count} on {one.name}{where}"
