"""Pair the deleted and the new files of a set: which of them is a file that got another name.

The same content first, then content of which at least half stays, as git counts it: by the bytes
of the lines that both have, of the larger file. Showing the difference is `diff.hunks.unified`'s,
with the old name.
Always true: a file is in one pair at most; the best pairs come first; how many contents are read,
and how much of them, is bounded, and what is not read is not paired.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

LEAST_ALIKE = 50  # percent
MOST_FILES = 400  # of either side that are compared by their lines
LARGEST = 1 << 20  # bytes of a file that is compared by its lines
MOST_READ = 64 << 20  # bytes of all of them
MOST_OWNERS = 8  # files that have a line in common; more say nothing about a pair
MOST_TRIED = 4  # old files that one new file is compared with

Read = Callable[[str], bytes | None]


class FileDigests(Struct, frozen=True, kw_only=True):
    """One file of a set: its name, and the digests of what was there and what would be."""

    path: str
    before: str | None
    after: str | None


class RenamedFile(Struct, frozen=True, kw_only=True):
    """A file that would have another name; `alike` is the percentage of it that stays."""

    old: str
    new: str
    alike: int

    @property
    def words(self) -> str:
        """Say what is renamed to what."""
        much = "unchanged" if self.alike == 100 else f"{self.alike} % the same"
        return f"{self.old} renamed to {self.new} ({much})"


def renames(files: Sequence[FileDigests], read: Read) -> tuple[RenamedFile, ...]:
    """Return the pairs of a set; `read` gives the content of a digest, None where it is gone."""
    gone = {one.path: one.before for one in files if one.after is None and one.before is not None}
    came = {one.path: one.after for one in files if one.before is None and one.after is not None}
    if not gone or not came:
        return ()
    pairs = list(_same(gone, came, read))
    for pair in pairs:
        del gone[pair.old], came[pair.new]
    return (*pairs, *_similar(gone, came, read))


def _same(gone: Mapping[str, str], came: Mapping[str, str], read: Read) -> Iterator[RenamedFile]:
    """Yield files whose content is the same to the last byte; empty files say nothing."""
    by_digest: dict[str, list[str]] = {}
    for path, digest in gone.items():
        by_digest.setdefault(digest, []).append(path)
    for path, digest in came.items():
        old = by_digest.get(digest)
        if old and read(digest) != b"":
            best = max(old, key=lambda one: _shared_name(one, path))
            old.remove(best)
            yield RenamedFile(old=best, new=path, alike=100)


def _shared_name(old: str, new: str) -> int:
    """Return how many parts of two names are the same from their ends."""
    parts = zip(reversed(old.split("/")), reversed(new.split("/")), strict=False)
    return next((n for n, (one, two) in enumerate(parts) if one != two), 1 << 20)


class _Lines(Struct, frozen=True):
    """A content as the bytes of each of its lines, however often it is there."""

    size: int
    weights: Counter[bytes]


class _BoundedReader:
    """Reads contents within the bounds."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._left = MOST_READ

    def of(self, files: Mapping[str, str]) -> dict[str, _Lines]:
        found = {}
        for path, digest in list(files.items())[:MOST_FILES]:
            content = self._read(digest) if self._left > 0 else None
            if content and len(content) <= LARGEST and b"\0" not in content:
                self._left -= len(content)
                found[path] = _lines(content)
        return found


def _lines(content: bytes) -> _Lines:
    weights: Counter[bytes] = Counter()
    for line in content.split(b"\n"):
        weights[line.rstrip(b"\r")] += len(line) + 1
    return _Lines(len(content), weights)


def _similar(gone: Mapping[str, str], came: Mapping[str, str], read: Read) -> Iterator[RenamedFile]:
    """Yield files that are mostly the same, the most alike first."""
    if not gone or not came:
        return
    reader = _BoundedReader(read)
    old, new = reader.of(gone), reader.of(came)
    owners = _owners(old)
    scored = [
        (_alike(old[was], lines), _shared_name(was, now), was, now)
        for now, lines in new.items()
        for was in _candidates(old, owners, lines, now)
    ]
    taken: set[str] = set()
    for alike, _, was, now in sorted(scored, key=lambda row: (-row[0], -row[1], row[2:])):
        if alike >= LEAST_ALIKE and was not in taken and now not in taken:
            taken |= {was, now}
            yield RenamedFile(old=was, new=now, alike=min(alike, 99))


def _owners(files: Mapping[str, _Lines]) -> dict[bytes, list[str]]:
    """Return which files have a line; more than a few are not noted."""
    owners: dict[bytes, list[str]] = {}
    for path, lines in files.items():
        for line in lines.weights:
            known = owners.setdefault(line, [])
            if len(known) <= MOST_OWNERS:
                known.append(path)
    return owners


def _candidates(
    old: Mapping[str, _Lines], owners: Mapping[bytes, Sequence[str]], lines: _Lines, name: str
) -> list[str]:
    """Return the old files that share most with a new one, and those with its name."""
    votes: Counter[str] = Counter()
    for line, weight in lines.weights.items():
        known = owners.get(line, ())
        if len(known) <= MOST_OWNERS:
            for path in known:
                votes[path] += weight
    best = [path for path, _ in votes.most_common(MOST_TRIED)]
    named = (path for path in old if path.rsplit("/", 1)[-1] == name.rsplit("/", 1)[-1])
    return list(dict.fromkeys([*best, *list(named)[:MOST_TRIED]]))


def _alike(one: _Lines, two: _Lines) -> int:
    """Return how many percent of the larger content both have."""
    larger = max(one.size, two.size)
    if min(one.size, two.size) * 100 < LEAST_ALIKE * larger:
        return 0
    return sum((one.weights & two.weights).values()) * 100 // max(larger, 1)
