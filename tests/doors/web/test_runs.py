"""Isolated runs on the page: which are kept, and what became of each path that one changed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doors.web.page_server import Served, serving
from tests.stores.isolation.ground import impossible

CANNOT = impossible()
pytestmark = pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot: {CANNOT}")

RULES = """
[[deny]]
id = "no-secrets"
paths = ["secret.txt"]
[[ask]]
id = "ask-config"
paths = ["conf/*"]
"""
IN_A_RUN = """
import sys
from penstock.app import open_workspace
from penstock.doors.run.launch import run_command
from penstock.gate.doors import Door
here = open_workspace(sys.argv[1], state=sys.argv[2], door=Door.COMMAND)
sys.exit(run_command(here, ["sh", "-c", sys.argv[3]], say=print).code)
"""
SCRIPT = "mkdir -p conf src; echo 1 > 'conf/<a>'; echo 1 > src/a; echo 1 > secret.txt; mkfifo pipe"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path, rules=RULES) as one:
        words = [sys.executable, "-c", IN_A_RUN, str(one.root), one.here.state, SCRIPT]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        yield one


def test_a_run_is_listed_with_its_command_and_leads_to_its_changes(served: Served) -> None:
    browser = served.browser()
    listed = browser.get("/runs").text
    assert "ended" in listed
    assert "conf/&lt;a&gt;" in listed
    (address,) = {part.split('"')[0] for part in listed.split('href="')[1:] if "/runs/r-" in part}
    shown = browser.get(address.replace("&amp;", "&")).text
    rows = {row.split("</li>")[0] for row in shown.split("<li>")[1:]}

    def row_of(name: str) -> str:
        (found,) = [row for row in rows if f">{name}</" in row]
        return found

    assert "pending" in row_of("&lt;a&gt;")
    assert "/proposals/hitl-" in row_of("&lt;a&gt;")
    assert "denied" in row_of("secret.txt")
    assert "applied" in row_of("a")
    assert "held" in row_of("pipe")


def test_a_run_that_is_not_there_is_said(served: Served) -> None:
    answer = served.browser().get("/runs/r-000000")
    assert answer.status == 404
    assert "r-000000" in answer.text


def test_a_stranger_sees_no_run(served: Served) -> None:
    assert served.stranger().get("/runs").status == 401


def test_without_runs_the_page_says_how_to_start_one(tmp_path: Path) -> None:
    with serving(tmp_path) as one:
        assert "penstock run" in one.browser().get("/runs").text
