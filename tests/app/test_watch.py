"""`penstock watch`: a terminal that rings, and lines for whatever reads them."""

from __future__ import annotations

import json
import subprocess
import sys

from penstock.core.model import Actor
from penstock.gate import Item
from tests.cli.pending import RULES, gate_of, one_proposed, state_of
from tests.project import Project
from tests.terminal import in_terminal

DEADLINE = 60


def test_a_terminal_rings_and_gets_a_title_and_a_line(project: Project) -> None:
    project.write("app.txt", "old\n")
    one = one_proposed(project, "app.txt", b"new\n")
    seen = in_terminal(project, "watch", "--once")
    assert seen.code == 3, "something waits"
    assert f"{one[5:13]}  app.txt: 1 of 1 line removed, 1 added (an-agent)\n" in seen.text
    assert "\x1b]0;penstock: 1 pending\a" in seen.text
    assert seen.text.replace("pending\a", "").count("\a") == 1
    assert seen.text.endswith("\x1b[23;2t"), "the title is restored"
    assert state_of(project, one) == "waiting"


def test_it_can_be_quiet(project: Project) -> None:
    one_proposed(project, "app.txt", b"new\n")
    seen = in_terminal(project, "watch", "--once", "--no-bell")
    assert "\a" not in seen.text.replace("pending\a", "")


def test_in_quiet_hours_it_does_not_ring(project: Project) -> None:
    quiet = '\n[notify]\nquiet = "00:00-23:59"\n'
    project.write("penstock.toml", RULES + quiet)
    one_proposed(project, "app.txt", b"new\n")
    seen = in_terminal(project, "watch", "--once", env={"TZ": "UTC-1"})
    rings = "\a" in seen.text.replace("pending\a", "")
    assert not rings or _last_minute()


def _last_minute() -> bool:
    import time

    now = time.gmtime(time.time() + 3600)
    return (now.tm_hour, now.tm_min) in ((23, 59), (0, 0))


def test_what_comes_while_it_runs_is_told_and_ends_it(project: Project) -> None:
    project.write("penstock.toml", RULES)
    child = subprocess.Popen(
        [sys.executable, "-m", "penstock.cli", "watch", "--once", "--json", "--every", "0.05"],
        cwd=project.root,
        env=project.environ,
        stdout=subprocess.PIPE,
        text=True,
    )
    one = one_proposed(project, "app.txt", b"new\n")
    out, _ = child.communicate(timeout=DEADLINE)
    assert child.returncode == 3
    assert json.loads(out)["id"] == one


def test_where_nothing_waits_it_ends_when_it_was_asked_to(project: Project) -> None:
    done = project.run("watch", "--for", "0")
    assert (done.code, done.out) == (0, "")


def test_a_hostile_name_cannot_ring_or_change_the_title(project: Project) -> None:
    with gate_of(project) as gate:
        item = Item(path="a\u202eb.txt", content=b"new\n")
        gate.propose([item], actor=Actor(agent="\x1b]0;owned\x07"))
    done = project.run("watch", "--once")
    assert "\x1b" not in done.out
    assert "\a" not in done.out
    assert "\u202e" not in done.out
    assert "owned" in done.out
