"""Commits that were made in a run: how they are listed, what they change, what became of them.

Reading a repository and judging files is done elsewhere.
Always true: a name that git or a terminal could misunderstand is no branch; a change that a merge
took over from one of its parents is that parent's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

REFS = "refs/penstock/run/"
HEADS = "refs/heads/"
DETACHED = "HEAD"
HEX = frozenset("0123456789abcdef")
WIDTHS = (40, 64)
MOST_BRANCHES, LONGEST_NAME = 100, 200
GITLINK, LINK, EXECUTABLE, ABSENT = "160000", "120000", "100755", "000000"


@dataclass(frozen=True, kw_only=True, slots=True)
class BranchTip:
    """A branch of a run, or its HEAD where that is on none, and the commit it is at."""

    name: str
    commit: str

    def ref(self, run: str) -> str:
        """Return the name under which the real repository keeps it."""
        return f"{REFS}{run}/{self.name}"


@dataclass(frozen=True, kw_only=True, slots=True)
class CommittedFile:
    """What a commit says of a path that it changes; `mode` ABSENT removes it."""

    path: bytes
    mode: str
    blob: str


@dataclass(frozen=True, kw_only=True, slots=True)
class BranchImport:
    """What became of the commits on one branch. With a `problem` they stay in the layer."""

    name: str
    ref: str = ""
    commits: int = 0
    files: int = 0
    pending: int = 0
    fast_forward: bool = False
    problem: str = ""


def parse_tips(listing: bytes) -> tuple[BranchTip, ...]:
    """Read lines of an id and a ref, as a run printed them. Raises ValueError."""
    found: dict[str, str] = {}
    head = ""
    for line in listing.decode().splitlines():
        commit, _, ref = line.partition(" ")
        if ref == DETACHED:
            head = _oid(commit) if commit else ""
        elif ref.startswith(HEADS):
            found[_name(ref.removeprefix(HEADS))] = _oid(commit)
        else:
            raise ValueError("it lists something else than a branch")
    if head and head not in found.values():
        found[DETACHED] = head
    if len(found) > MOST_BRANCHES:
        raise ValueError(f"there are more than {MOST_BRANCHES} branches")
    return tuple(BranchTip(name=name, commit=commit) for name, commit in sorted(found.items()))


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


def told_imports(run: str, brought: Sequence[BranchImport]) -> list[str]:
    """Return what is said of commits when a run has ended."""
    lines = []
    for one in brought:
        if one.problem:
            kept = "stays" if one.commits == 1 else "stay"
            lines.append(f"  {_commits(one)}on {one.name} {kept} in the layer: {one.problem}")
            continue
        judged = f"{one.pending} need approval" if one.pending else "none denied"
        files = f"{one.files} file{'s' if one.files != 1 else ''}, {judged}"
        lines.append(f"  {_commits(one)}on {one.name} ({files}): {one.ref}")
    if any(one.fast_forward for one in brought):
        lines.append(f"  fast-forward your branch: penstock runs merge {run}")
    return lines


def _commits(one: BranchImport) -> str:
    if not one.commits:
        return "commits "
    return f"{one.commits} commit{'s' if one.commits != 1 else ''} "
