"""Renames inside a set: exact first, then at least half the same, and git agrees."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from penstock.core.digest import digest
from penstock.core.review import renames as module
from penstock.core.review.renames import FileDigests, RenamedFile, renames


def lines(seed: int, count: int = 60) -> bytes:
    rng = random.Random(seed)
    return b"".join(b"value_%d = compute(%d)\n" % (rng.randrange(10**6), at) for at in range(count))


def edited(content: bytes, share: float, seed: int = 7) -> bytes:
    rng = random.Random(seed)
    parts = content.splitlines(keepends=True)
    changed = set(rng.sample(range(len(parts)), int(len(parts) * share)))
    return b"".join(b"other %d\n" % at if at in changed else p for at, p in enumerate(parts))


Sides = dict[str, tuple[bytes | None, bytes | None]]


def paired(sides: Sides) -> dict[str, str]:
    return {pair.old: pair.new for pair in found(sides)}


def found(sides: Sides) -> tuple[RenamedFile, ...]:
    blobs = {digest(one): one for pair in sides.values() for one in pair if one is not None}
    files = [
        FileDigests(
            path=path,
            before=None if before is None else digest(before),
            after=None if after is None else digest(after),
        )
        for path, (before, after) in sides.items()
    ]
    return renames(files, blobs.get)


ONE, TWO = lines(1), lines(2)
TABLE: list[tuple[str, Sides, dict[str, str]]] = [
    ("the same bytes", {"a.py": (ONE, None), "b.py": (None, ONE)}, {"a.py": "b.py"}),
    ("mostly the same", {"a.py": (ONE, None), "b.py": (None, edited(ONE, 0.2))}, {"a.py": "b.py"}),
    ("hardly the same", {"a.py": (ONE, None), "b.py": (None, edited(ONE, 0.8))}, {}),
    ("other content", {"a.py": (ONE, None), "b.py": (None, TWO)}, {}),
    ("nothing is new", {"a.py": (ONE, None), "b.py": (ONE, TWO)}, {}),
    ("nothing goes", {"a.py": (ONE, TWO), "b.py": (None, ONE)}, {}),
    ("empty files", {"a": (b"", None), "b": (None, b"")}, {}),
    ("binary, the same", {"a": (b"\0x", None), "b": (None, b"\0x")}, {"a": "b"}),
    ("binary, not the same", {"a": (b"\0" + ONE, None), "b": (None, b"\0" + ONE + b"x")}, {}),
    (
        "the name decides among the same",
        {"x/a": (ONE, None), "x/b": (ONE, None), "y/b": (None, ONE), "y/a": (None, ONE)},
        {"x/a": "y/a", "x/b": "y/b"},
    ),
    (
        "the most alike wins",
        {"a": (ONE, None), "b": (edited(ONE, 0.3), None), "c": (None, edited(ONE, 0.1))},
        {"a": "c"},
    ),
    (
        "one goes and two come",
        {"a": (ONE, None), "b": (None, edited(ONE, 0.1)), "c": (None, ONE)},
        {"a": "c"},
    ),
    ("line ends", {"a": (ONE, None), "b": (None, ONE.replace(b"\n", b"\r\n"))}, {"a": "b"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("sides", "pairs"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
def test_pairs(sides: Sides, pairs: dict[str, str]) -> None:
    assert paired(sides) == pairs


@pytest.mark.parametrize("share", [0.05, 0.2, 0.4, 0.65, 0.9])
def test_git_pairs_the_same_files(tmp_path: Path, share: float) -> None:
    content = lines(3, 200)
    after = edited(content, share)
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    (tmp_path / "old" / "a.py").write_bytes(content)
    (tmp_path / "new" / "b.py").write_bytes(after)
    said = subprocess.run(
        ["git", "diff", "--no-index", "-M50%", "--name-status", "old", "new"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    ours = found({"a.py": (content, None), "b.py": (None, after)})
    assert bool(ours) is said.startswith("R")
    if ours:
        assert abs(ours[0].alike - int(said[1:4])) <= 3


def test_a_pair_in_words() -> None:
    assert RenamedFile(old="a", new="b", alike=100).words == "a renamed to b (unchanged)"
    assert RenamedFile(old="a", new="b", alike=87).words == "a renamed to b (87 % the same)"


def test_many_files_are_read_within_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_FILES", 3)
    sides: Sides = {}
    for n in range(6):
        sides[f"old/{n}.py"] = (lines(n), None)
        sides[f"new/{n}.py"] = (None, edited(lines(n), 0.1))
    assert paired(sides) == {f"old/{n}.py": f"new/{n}.py" for n in range(3)}
