"""What the screen looks like, letter by letter; `tests.doors.tui.scenes` writes them anew."""

from __future__ import annotations

import pytest

from tests.doors.tui.scenes import KEPT, SCENES, shot


@pytest.mark.parametrize("name", SCENES)
def test_the_screen_is_as_it_was_kept(name: str) -> None:
    kept = (KEPT / f"{name}.txt").read_text(encoding="utf-8")
    assert shot(name)[0] == kept, "look at it; if it is right: python -m tests.doors.tui.scenes"


def test_every_picture_that_is_kept_belongs_to_a_scene() -> None:
    assert {path.stem for path in KEPT.glob("*.txt")} == set(SCENES)
