"""Nobody is quick enough: no write leaves the workspace, no save of an editor is lost.

Each attack is also tried on the naive writer, which must fall for it: otherwise the test
would prove nothing. PENSTOCK_RACES says how many applies an attack gets.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from penstock.core.digest import digest
from penstock.core.errors import InputError, PenstockError, StaleError
from penstock.core.paths.relpath import RelPath
from penstock.stores.files.workspace import DiskFiles
from tests.stores.files.rivals import (
    content,
    last_save,
    naive_replace,
    new_board,
    rival,
    started,
)

APPLIES = int(os.environ.get("PENSTOCK_RACES", "1000"))
MOST_TURNS = 20_000  # of a rival against the naive writer, which falls after some hundreds
A = RelPath(text="src/a.txt")
SWAPPERS = ["swap-for-link", "replace-by-link", "carry-away"]
WAYS: dict[str, dict[str, bool]] = {
    "openat2": {},
    "walking": {"use_openat2": False},
    "no exchange": {"use_exchange": False},
}
# What may be the answer to a write that somebody gets in the way of.
REFUSALS = {
    "applied",
    "is-symlink",
    "path-moved",
    "base-changed",
    "not-a-directory",
    "not-found",
    "outside-workspace",
    "file-busy",
}


def applies(way: str) -> int:
    """Return how many applies a way gets: the usual one all of them, a stand-in some."""
    return APPLIES if way == "openat2" else APPLIES // 4


class Place:
    """A workspace, and beside it a directory that nobody may touch."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workspace = folder / "workspace"
        self.outside = folder / "outside"
        (self.workspace / "src").mkdir(parents=True)
        self.outside.mkdir()
        (self.workspace / "link").symlink_to(self.outside)
        self.file = self.workspace / "src" / "a.txt"
        self.file.write_bytes(b"0")
        (self.outside / "a.txt").write_bytes(b"theirs")
        # The directory itself, wherever it is carried.
        self._src = os.open(self.workspace / "src", os.O_RDONLY)

    def held(self) -> bytes | None:
        """Return what the real file holds; None while it is away or a link has its name."""
        try:
            descriptor = os.open("a.txt", os.O_RDONLY | os.O_NOFOLLOW, dir_fd=self._src)
        except OSError:
            return None
        with open(descriptor, "rb") as file:
            return file.read()

    def escaped(self) -> bool:
        names = set(os.listdir(self.outside)) - {"away"}
        return names != {"a.txt"} or (self.outside / "a.txt").read_bytes() != b"theirs"

    def close(self) -> None:
        os.close(self._src)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    place = Place(tmp_path)
    yield place
    place.close()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("attack", SWAPPERS)
def test_no_write_escapes_while_directories_are_swapped(
    place: Place, attack: str, way: str
) -> None:
    files = DiskFiles(str(place.workspace), **WAYS[way])  # type: ignore[arg-type]
    answers: Counter[str] = Counter()
    held = b"0"
    with rival(attack, place.folder, str(place.workspace), str(place.outside)) as board:
        for turn in range(1, applies(way) + 1):
            new = b"%d" % turn
            try:
                files.replace(A, new, expect=digest(held))
            except (InputError, StaleError) as problem:
                answers[problem.code] += 1
            else:
                held = new
                answers["applied"] += 1
            assert place.held() == held, "the answer and the disk disagree"
            assert not place.escaped()
        assert board["turns"]
    assert place.held() == held
    assert not place.escaped()
    assert {name for name in os.listdir(place.file.parent) if "penstock" in name} == set()
    assert set(answers) <= REFUSALS, "anything else is a fault of ours"
    print(attack, way, board["turns"], dict(answers))


@pytest.mark.parametrize("way", WAYS)
def test_no_link_that_takes_the_place_of_the_file_is_written_through(
    place: Place, way: str
) -> None:
    """S1-040. The attacker moves the file itself about, so only the outside is asserted."""
    files = DiskFiles(str(place.workspace), **WAYS[way])  # type: ignore[arg-type]
    answers: Counter[str] = Counter()
    with rival("swap-file-for-link", place.folder, str(place.workspace), str(place.outside)):
        for turn in range(applies(way)):
            try:
                state = files.state(A)
                files.replace(A, b"%d" % turn, expect=state.digest if state else None)
                answers["applied"] += 1
            except (InputError, StaleError) as problem:
                answers[problem.code] += 1
            assert not place.escaped()
    assert set(answers) <= REFUSALS
    assert not [name for name in os.listdir(place.file.parent) if name.endswith(".tmp")]


def test_the_naive_writer_does_escape(place: Place) -> None:
    with rival("swap-for-link", place.folder, str(place.workspace), str(place.outside)) as board:
        while board["turns"] < MOST_TURNS and not place.escaped():
            held = place.held() or b""
            with suppress(OSError):  # the directory is away just now
                naive_replace(str(place.workspace), A.text, b"naive", digest(held))
    assert place.escaped(), "the attack is too weak to prove anything"


@pytest.mark.parametrize("way", ["openat2", "walking"])
def test_no_save_of_an_editor_is_lost(place: Place, way: str) -> None:
    files = DiskFiles(str(place.workspace), **WAYS[way])  # type: ignore[arg-type]
    answers: Counter[str] = Counter()
    with rival("edit", place.folder, str(place.file)) as board:
        for turn in range(1, applies(way) + 1):
            try:
                base = files.read(A)
                board["calls"] += 1
                files.replace(A, content(last_save(base), turn), expect=digest(base))
                answers["applied"] += 1
            except PenstockError as problem:
                answers[problem.code] += 1
            finally:
                board["calls"] += board["calls"] % 2
        saves = board["turns"]
    print(way, saves, "saves", dict(answers), len(os.listdir(place.file.parent)) - 1, "kept")
    assert board["lost"] == 0
    assert set(answers) <= REFUSALS
    assert saves, "the editor never got to save"
    assert answers["applied"], "no apply got through"
    assert answers["base-changed"], "the editor never got in the way"
    temporary = [name for name in os.listdir(place.file.parent) if name.endswith(".tmp")]
    assert temporary == []


def test_the_naive_writer_does_lose_saves(place: Place) -> None:
    with rival("edit", place.folder, str(place.file)) as board:
        while board["turns"] < MOST_TURNS and not board["lost"]:
            base = place.held() or b""
            board["calls"] += 1
            new = content(last_save(base), 0)
            naive_replace(str(place.workspace), A.text, new, digest(base))
            board["calls"] += 1
    assert board["lost"], "the editor is too slow to prove anything"


@pytest.mark.parametrize("exchange", ["yes", ""], ids=["exchange", "no exchange"])
def test_of_several_writers_with_one_base_exactly_one_wins(place: Place, exchange: str) -> None:
    board = new_board(place.folder)
    arguments = (str(place.workspace), exchange, "30")
    writers = [started("count-up", board, *arguments) for _ in range(4)]
    assert [writer.wait() for writer in writers] == [0] * 4
    assert place.held() == b"120", "every step was counted once"
    assert os.listdir(place.file.parent) == ["a.txt"]
