"""What is kept before an agent's own write, and what becomes of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from penstock.stores.queue import before_images
from penstock.stores.queue.observations import DONE, drop, observed, tidy

KEY = before_images.call_key("session", "call")


@pytest.fixture
def state(tmp_path: Path) -> str:
    """A state directory as the engine leaves it."""
    (tmp_path / "state" / before_images.FOLDER).mkdir(parents=True, mode=0o700)
    return str(tmp_path / "state")


def settled(state: str, before: bytes | None, after: bytes | None, path: str = "a.txt") -> None:
    assert before_images.keep(state, KEY, 0, path, None if before is None else (before, 0o644))
    before_images.settle(state, KEY, 0, after, "sha256:" + "1" * 64)


@pytest.mark.parametrize(
    "data", [b"", b"x\n", b"a\nb\nc\nd\ne\n", b"\0\xff\n\n", b"penstock-watch 1\n"]
)
@pytest.mark.parametrize("path", ["a.txt", "dir with space/b", "\u00fc.txt", "a\udcffb"])
def test_what_is_kept_comes_back_byte_for_byte(state: str, data: bytes, path: str) -> None:
    assert before_images.keep(state, KEY, 0, path, (data, 0o755))
    ((number, one),) = before_images.kept(state, KEY)
    assert (number, one.path, one.data, one.mode) == (0, path, data, 0o755)
    assert one.digest == before_images.digest_of(data)


def test_a_file_that_is_not_there_is_kept_as_nothing(state: str) -> None:
    before_images.keep(state, KEY, 0, "new.txt", None)
    ((_, one),) = before_images.kept(state, KEY)
    assert one.digest == before_images.NOTHING


@pytest.mark.parametrize(
    ("before", "after"), [(b"old", b"new"), (None, b"new"), (b"old", None), (b"", b"x")]
)
def test_what_changed_waits_for_the_gate(
    state: str, before: bytes | None, after: bytes | None
) -> None:
    settled(state, before, after)
    (one,) = observed(state)
    assert (one.before, one.after, one.path) == (before, after, "a.txt")
    assert one.event_hash == "sha256:" + "1" * 64
    assert before_images.kept(state, KEY) == [], "it is settled once"
    drop(state, one.name)
    assert list(observed(state)) == []


def test_images_that_are_not_what_they_say_are_never_offered(state: str) -> None:
    settled(state, b"old", b"new")
    done = next(Path(state, before_images.FOLDER).glob(f"*{DONE}"))
    done.write_bytes(done.read_bytes() + b"more")
    assert list(observed(state)) == []
    assert not done.exists()


def test_half_a_file_is_nothing(state: str) -> None:
    place = Path(state, before_images.FOLDER, f"{KEY}.0")
    for text in (b"", b"penstock-watch 1\n", b"other\n-\n0\na\n", b"penstock-watch 1\n-\nx9\na\n"):
        place.write_bytes(text)
        assert before_images.kept(state, KEY) == []


def test_links_directories_and_what_is_too_large_are_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"12345")
    (tmp_path / "link").symlink_to(file)
    os.mkfifo(tmp_path / "fifo")
    for name in ("link", "fifo", ".", "missing", "a\0b"):
        assert before_images.read(f"{tmp_path}/{name}") is None
    assert before_images.read(str(file)) == (b"12345", file.stat().st_mode & 0o7777)
    monkeypatch.setattr(before_images, "LARGEST", 4)
    assert before_images.read(str(file)) is None


def test_a_state_that_cannot_be_written_stops_nobody(tmp_path: Path) -> None:
    assert not before_images.keep(str(tmp_path / "missing"), KEY, 0, "a", (b"x", 0o644))


def test_calls_without_an_id_have_no_key() -> None:
    assert before_images.call_key("session", "") == ""
    assert before_images.call_key("a", "b") != before_images.call_key("a", "c")


def test_what_never_came_to_an_end_goes_after_a_day_and_protected_images_stay(state: str) -> None:
    before_images.keep(state, KEY, 0, "a", (b"x", 0o644))
    before_images.keep(state, "p" + KEY[1:], 0, ".env", (b"x", 0o600))
    tidy(state)
    assert len(os.listdir(os.path.join(state, before_images.FOLDER))) == 2, "it may still come"
    for name in os.listdir(os.path.join(state, before_images.FOLDER)):
        os.utime(os.path.join(state, before_images.FOLDER, name), (0, 0))
    tidy(state)
    assert os.listdir(os.path.join(state, before_images.FOLDER)) == [f"p{KEY[1:]}.0"]
