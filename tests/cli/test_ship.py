"""`penstock ship`: what a person and a program are told, and whose rules count."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.quick import Quick
from tests.doors.hook.hooks import Hook
from tests.project import Project
from tests.receivers import http_sink


@pytest.fixture
def quick(project: Project) -> Quick:
    made = Quick(project.root, project.home)
    assert made.run("init", "--agent", "claude", "--yes").code == 0
    Hook(made).write(".env", "KEY=1")
    return made


def own_rules(quick: Quick, text: str) -> None:
    place = quick.home / "config/penstock/penstock.toml"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"version = 1\n{text}")


def test_everything_is_sent_once_and_the_status_says_so(quick: Quick, tmp_path: Path) -> None:
    own_rules(quick, f'[ship]\nsinks = ["file:{tmp_path}/out.jsonl"]\n')
    before = quick.run("ship", "--status", "--json").json["sinks"]
    assert [(one["seq"], one["lag"] > 0, one["error"]) for one in before] == [(-1, True, "")]
    assert "behind" in quick.run("status").out
    assert "behind" in quick.run("doctor").out
    done = quick.run("ship", "--once")
    assert (done.code, "has everything" in done.out) == (0, True)
    again = quick.run("ship", "--once", "--json")
    assert [one["lag"] for one in again.json["sinks"]] == [0]
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    hashes = [json.loads(line)["event_hash"] for line in lines]
    assert len(hashes) == len(set(hashes)) == before[0]["lag"]
    assert "behind" not in quick.run("status").out


def test_a_sink_that_is_away_is_told_everywhere(quick: Quick) -> None:
    with http_sink() as sink:
        address = sink.url
    own_rules(quick, f'[ship]\nsinks = ["{address}"]\n')
    done = quick.run("ship", "--once")
    assert done.code == 1
    assert "connection refused; nothing is lost" in done.err
    assert "connection refused" in quick.run("status").out
    assert quick.run("status", "--json").json["sinks"][0]["error"] == "connection refused"
    assert "connection refused" in quick.run("doctor").out


def test_without_sinks_one_hears_how_to_add_one(quick: Quick) -> None:
    assert quick.run("ship", "--status").code == 0
    done = quick.run("ship", "--once")
    assert (done.code, "error[no-sinks]" in done.err) == (1, True)


def test_a_projects_sinks_are_ignored_aloud(quick: Quick) -> None:
    with open(quick.root / "penstock.toml", "a") as file:
        file.write('\n[ship]\nsinks = ["https://evil.example/in"]\n')
    done = quick.run("ship", "--status")
    assert "ignored: [ship]" in done.err
    assert "evil" not in done.out
    assert quick.run("status", "--json").json["sinks"] is None


BAD = [
    ('sinks = ["http://elsewhere.example"]', "without encryption"),
    ('sinks = ["https://u:hush@siem.example"]', "credentials"),
    ('sinks = "file:/x"', "list"),
    ('authorization = "Bearer hush"', "env:NAME"),
    ('format = "xml"', "jsonl"),
    ('sink = ["file:/x"]', "sinks"),
]


@pytest.mark.parametrize(("line", "said"), BAD)
def test_a_wrong_setting_is_told_without_its_secret(quick: Quick, line: str, said: str) -> None:
    own_rules(quick, f"[ship]\n{line}\n")
    done = quick.run("check")
    assert done.code != 0
    assert said in done.out + done.err
    assert "hush" not in (done.out + done.err).replace(line, "")


def test_an_agent_cannot_send_the_log_to_an_address_of_its_own(quick: Quick) -> None:
    done = quick.run("ship", "--once", "--sink", "file:/tmp/x", env={"CLAUDECODE": "1"})
    assert done.code == 2
    assert "agent" in done.err


def test_a_unit_of_its_own_is_printed_and_systemd_accepts_it(quick: Quick, tmp_path: Path) -> None:
    done = quick.run("ship", "--print-service")
    assert done.code == 0
    argv = f'"{sys.executable}" "-m" "penstock.cli" "ship" "--workspace" "{quick.root}"'
    assert f"\nExecStart={argv}\n" in done.out
    if not shutil.which("systemd-analyze"):
        pytest.skip("NO SYSTEMD: install it to have the unit verified")
    unit = tmp_path / "penstock-ship.service"
    unit.write_text(done.out)
    checked = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")
