"""The recorder of terminals: what a command printed, in its colours and at its time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests import REPOSITORY
from tools import record

PICTURE = REPOSITORY / "docs/images/demo.svg"
SCRIPT = r"printf 'plain \033[1;32mgreen\033[0m\n'; printf '\033[41mDENIED\033[0m <a & b>\n'"


def recorded(place: Path, script: str, *options: str) -> subprocess.CompletedProcess[str]:
    tool = [sys.executable, str(REPOSITORY / "tools/record.py"), str(place), *options]
    words = [*tool, "--typed", "try it", "--", "/bin/sh", "-c", script]
    return subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)


def texts(place: Path) -> list[str]:
    root = ElementTree.parse(place).getroot()
    return [one.text or "" for one in root.iter("{http://www.w3.org/2000/svg}text")]


def test_a_recording_has_the_text_in_its_colours(tmp_path: Path) -> None:
    place = tmp_path / "it.svg"
    assert recorded(place, SCRIPT).returncode == 0
    assert texts(place) == ["$ ", "try it", "plain ", "green", "DENIED", " <a & b>"]
    written = place.read_text()
    assert f"fill:{record.COLOURS[2]}" in written
    assert f'fill="{record.BACKGROUNDS[1]}"' in written


def test_it_ends_before_a_text(tmp_path: Path) -> None:
    place = tmp_path / "it.svg"
    done = recorded(place, "echo one; echo stop here; exec sleep 60", "--until", "stop")
    assert done.returncode == 0, done.stderr
    assert texts(place) == ["$ ", "try it", "one"]


def test_a_program_that_moves_the_cursor_is_refused(tmp_path: Path) -> None:
    done = recorded(tmp_path / "it.svg", r"printf '\033[2J'")
    assert done.returncode == 1
    assert "moves the cursor" in done.stderr


def test_long_pauses_are_cut() -> None:
    lines = record.lines_of([(100.0, "a\n"), (190.0, "b\n")], "x")
    assert [line.at for line in lines] == [0.0, 1.0, 1.0 + record.IDLE]


@pytest.mark.parametrize("word", ["DENIED", "WARNED", "PENDING", "APPLIED", "OUT OF DATE"])
def test_the_picture_of_the_tour_shows_each_outcome(word: str) -> None:
    assert f" {word} " in texts(PICTURE)


def test_the_picture_names_no_place_of_a_machine() -> None:
    written = PICTURE.read_text(encoding="utf-8")
    assert [word for word in ("/home/", "/tmp/", "/root/", "/work/") if word in written] == []
