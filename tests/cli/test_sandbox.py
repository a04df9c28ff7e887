"""`penstock sandbox` makes agent_sandbox/YYYY-MM-DD/CONTEXT/ and takes old days away again."""

from __future__ import annotations

import re
import subprocess
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import click
import pytest

from penstock.cli.integrations.sandbox import check, says_nothing
from penstock.stores.files.sandbox import Sandbox
from tests import REPOSITORY
from tests.project import Project

NOW = date(2026, 2, 4)


def days() -> set[str]:
    """Today, and tomorrow in case midnight comes while the command runs."""
    now = datetime.now(UTC)
    return {(now + timedelta(minutes=10)).date().isoformat(), now.date().isoformat()}


def test_new_makes_a_directory_by_day_and_context(project: Project) -> None:
    """S2-037, S2-038, S2-039."""
    possible = days()
    done = project.run("sandbox", "new", "auth-investigation")
    assert done.code == 0
    found = re.fullmatch(r"agent_sandbox/(\d{4}-\d{2}-\d{2})/auth-investigation/\n", done.out)
    assert found
    assert found[1] in possible
    assert (project.root / done.out.strip()).is_dir()


def test_new_twice_is_new_once(project: Project) -> None:
    first, second = (project.run("sandbox", "new", "api-research", "--json").json for _ in "12")
    assert (first["made"], second["made"]) == (True, False)
    assert first["path"] == second["path"]


def test_new_works_from_below_the_project(project: Project) -> None:
    (project.root / "lib").mkdir()
    below = Project(project.root / "lib", project.home)
    path = below.run("sandbox", "new", "parse-invoices").out.strip()
    assert (project.root / path).is_dir()


BAD = ["", ".", "..", "a/b", "../x", "/etc", ".hidden", "a\nb", "a" * 300, "a/", "./a"]


@pytest.mark.parametrize("context", BAD)
def test_a_context_is_one_plain_name(context: str) -> None:
    """S2-040."""
    with pytest.raises(click.BadParameter):
        check(context)


def test_a_wrong_context_is_wrong_usage_and_nothing_is_made(project: Project) -> None:
    done = project.run("sandbox", "new", "--json", "../x")
    assert (done.code, done.json["error"]["code"]) == (64, "wrong-usage")
    assert not (project.root / "agent_sandbox").exists()


GENERATED = ("tmp", "123", "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "deadbeef", "x")
MEANT = ("test", "auth-investigation", "api_research", "face", "bead")


def test_a_name_that_says_nothing_is_told_and_made(project: Project) -> None:
    """S2-040: guidance, no refusal."""
    done = project.run("sandbox", "new", "tmp")
    assert (done.code, "is a vague name" in done.err) == (0, True)
    assert [says_nothing(name) for name in GENERATED] == [True] * len(GENERATED)
    assert [says_nothing(name) for name in MEANT] == [False] * len(MEANT)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, "agent_sandbox/\n"),
        ("", "agent_sandbox/\n"),
        ("a\n", "a\nagent_sandbox/\n"),
        ("a", "a\nagent_sandbox/\n"),
        ("a\r\n", "a\r\nagent_sandbox/\r\n"),
        ("agent_sandbox/\n", "agent_sandbox/\n"),
        ("/agent_sandbox\n", "/agent_sandbox\n"),
        ("agent_sandbox/** \nb", "agent_sandbox/** \nb"),
        (" agent_sandbox/\n", " agent_sandbox/\nagent_sandbox/\n"),
        ("#agent_sandbox/\n", "#agent_sandbox/\nagent_sandbox/\n"),
        ("!agent_sandbox/\n", "!agent_sandbox/\nagent_sandbox/\n"),
    ],
)
def test_git_does_not_see_the_sandbox(tmp_path: Path, before: str | None, after: str) -> None:
    """S2-041: the line is added once, whatever stands there."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    ignore = tmp_path / ".gitignore"
    if before is not None:
        ignore.write_bytes(before.encode())
    sandbox = Sandbox(root=str(tmp_path))
    path, _ = sandbox.make(NOW, "try")
    sandbox.ignore()
    assert not sandbox.ignore()
    assert ignore.read_bytes().decode() == after
    (tmp_path / path / "probe.py").touch()
    git = ["git", "-C", str(tmp_path), "check-ignore", "-q", f"{path}probe.py"]
    assert subprocess.run(git, check=False).returncode == 0


def test_this_repository_keeps_it_out_too() -> None:
    root = REPOSITORY
    assert "agent_sandbox/" in (root / ".gitignore").read_text().splitlines()


def test_without_a_repository_there_is_no_gitignore(tmp_path: Path) -> None:
    sandbox = Sandbox(root=str(tmp_path))
    sandbox.make(NOW, "try")
    assert not sandbox.ignore()
    assert not (tmp_path / ".gitignore").exists()


def test_a_gitignore_that_is_a_link_is_left_alone(project: Project) -> None:
    elsewhere = project.home / "ignore"
    elsewhere.write_text("a\n")
    (project.root / ".gitignore").symlink_to(elsewhere)
    done = project.run("sandbox", "new", "try-parser")
    assert done.code == 0
    assert "add `agent_sandbox/`" in done.err
    assert elsewhere.read_text() == "a\n"


def test_links_are_not_followed(project: Project) -> None:
    (project.root / "agent_sandbox").symlink_to(project.home)
    for argv in (("new", "try-parser"), ("clean", "--days", "0")):
        done = project.run("sandbox", *argv)
        assert (done.code, "sandbox-in-the-way" in done.err) == (1, True)
    assert not [name for name in project.home.iterdir() if name.name[:2] == "20"]


# --- clean --------------------------------------------------------------------------------


def test_clean_removes_days_that_are_longer_ago(project: Project) -> None:
    today = datetime.now(UTC).date()
    for ago in (0, 1, 6, 9, 400):
        project.write(f"agent_sandbox/{today - timedelta(days=ago)}/a/b/c.py", "x")
    dry = project.run("sandbox", "clean", "--dry-run", "--json").json
    assert dry["removed"] == []
    done = project.run("sandbox", "clean", "--json").json
    old = [str(today - timedelta(days=ago)) for ago in (400, 9)]
    assert (done["removed"], dry["old"]) == (old, old)
    assert len(list((project.root / "agent_sandbox").iterdir())) == 3
    assert project.run("sandbox", "clean", "--days", "3").out.count("\n") == 1
    assert project.run("sandbox", "clean", "--days", "-1").code == 64


def test_clean_touches_nothing_but_days(tmp_path: Path) -> None:
    sandbox = Sandbox(root=str(tmp_path))
    assert sandbox.older(than=0, now=NOW) == [], "there is no sandbox yet"
    names = ("notes", "2020-1-1", "20200101", "2020-02-31", "2026-02-05", "2026-02-04", "2020-W01")
    for name in (*names, "2026-01-28", "2026-01-27", "2020-01-01"):
        (tmp_path / "agent_sandbox" / name / "x").mkdir(parents=True)
    assert sandbox.older(than=7, now=NOW) == ["2020-01-01", "2026-01-27"]
    assert sandbox.older(than=0, now=NOW) == ["2020-01-01", "2026-01-27", "2026-01-28"]


def test_what_a_link_in_the_sandbox_leads_to_stays(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("x")
    sandbox = Sandbox(root=str(tmp_path))
    sandbox.make(date(2020, 1, 1), "try")
    (tmp_path / "agent_sandbox/2020-01-01/try/link").symlink_to(kept)
    sandbox.remove("2020-01-01")
    assert not (tmp_path / "agent_sandbox/2020-01-01").exists()
    assert (kept / "file").read_text() == "x"
