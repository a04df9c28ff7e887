"""Completion through the shells' own protocol, and through a real bash."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from penstock.cli import SECTIONS
from tests.cli.pending import one_proposed, proposed
from tests.project import Project

LONGEST = 30.0  # seconds for a shell that must never hang; it usually takes tenths


def complete(project: Project, line: str, shell: str = "bash") -> list[str]:
    """Return what a shell would be offered for a line; the last word is being typed."""
    words = line.split(" ")
    done = subprocess.run(
        [sys.executable, "-m", "penstock.cli"],
        cwd=project.root,
        env={
            **project.environ,
            "_PENSTOCK_COMPLETE": f"{shell}_complete",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(words) - 1) if shell != "fish" else words[-1],
        },
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    assert done.stderr == ""
    if shell == "bash":
        return [row.partition(",")[2] for row in done.stdout.splitlines() if row]
    return done.stdout.splitlines()


@pytest.fixture
def busy(project: Project) -> tuple[Project, list[str], str]:
    """A project with a pending change and a pending set."""
    project.write("src/app.py", "a\n")
    one = one_proposed(project, "src/app.py", b"b\n")
    group = proposed(project, {"x.py": b"x\n", "y.py": b"y\n"})
    return project, [one, *(each.id for each in group)], group[0].set_id


def test_commands_options_and_choices_are_offered(project: Project) -> None:
    assert complete(project, "penstock app") == ["approve", "approver"]
    offered = complete(project, "penstock ")
    assert set(offered) == {name for names in SECTIONS.values() for name in names}
    assert complete(project, "penstock init --preset ") == ["guard", "strict"]
    assert complete(project, "penstock init --agent c") == ["claude", "codex", "cursor", "copilot",
                                                            "cline"]  # fmt: skip
    assert "--strategy" in complete(project, "penstock approve --")
    assert complete(project, "penstock audit v") == ["verify"]
    assert "add" in complete(project, "penstock rules ")
    assert "approve" in complete(project, "penstock help app")


def test_ids_of_pending_changes_and_sets_are_offered(busy: tuple[Project, list[str], str]) -> None:
    project, ids, group = busy
    short = {one.removeprefix("hitl-")[:8] for one in ids} | {group.removeprefix("set-")[:8]}
    for command in ("approve", "show", "reject", "edit", "renew", "rebase", "apply", "open", "why"):
        assert set(complete(project, f"penstock {command} ")) == short, command
    one = sorted(short)[0]
    assert complete(project, f"penstock show {one[:7]}") == [one]


def test_rule_ids_are_offered(busy: tuple[Project, list[str], str]) -> None:
    project, *_ = busy
    assert complete(project, "penstock rules add --except s") == ["secrets"]
    assert complete(project, "penstock audit log --rule n") == ["notes"]


def test_zsh_and_fish_are_offered_the_same(busy: tuple[Project, list[str], str]) -> None:
    project, ids, _ = busy
    short = ids[0].removeprefix("hitl-")[:8]
    assert short in complete(project, "penstock show ", "zsh")
    assert any(short in row for row in complete(project, f"penstock show {short[:3]}", "fish"))


BROKEN = [
    ("penstock.toml", "this is [no toml"),
    ("penstock.toml", '[[deny]]\nid = 3\n'),
]  # fmt: skip


@pytest.mark.parametrize(("file", "text"), BROKEN)
def test_what_is_broken_offers_nothing_and_says_nothing(
    file: str, text: str, project: Project
) -> None:
    project.write(file, text)
    for line in ("penstock show ", "penstock undo ", "penstock why x", "penstock nonsense x"):
        assert complete(project, line) == []
    complete(project, "penstock rules add --except ")  # the last good rules, or those of a preset


def test_completing_makes_no_state(project: Project) -> None:
    complete(project, "penstock show ")
    complete(project, "penstock undo ")
    assert not (project.home / "state").exists()


def test_a_state_that_cannot_be_read_offers_nothing(busy: tuple[Project, list[str], str]) -> None:
    project, *_ = busy
    for file in (project.home / "state").rglob("*.db*"):
        file.write_bytes(b"no database")
    assert complete(project, "penstock show ") == []


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_a_real_bash_completes_a_line(busy: tuple[Project, list[str], str], tmp_path: Path) -> None:
    project, ids, _ = busy
    program = tmp_path / "bin" / "penstock"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m penstock.cli "$@"\n')
    program.chmod(0o755)
    script = """
eval "$(penstock completion bash)"
COMP_WORDS=(penstock show "$1"); COMP_CWORD=2
_penstock_completion penstock "$1" show
printf '%s\\n' "${COMPREPLY[@]}"
complete -p penstock
"""
    short = ids[0].removeprefix("hitl-")[:8]
    begun = time.monotonic()
    done = subprocess.run(
        ["bash", "--norc", "-c", script, "bash", short[:5]],
        cwd=project.root,
        env={**project.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    assert done.stderr == ""
    offered, registered = done.stdout.splitlines()
    assert offered == short
    assert "penstock" in registered
    assert time.monotonic() - begun < LONGEST


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_a_script_of_that_shell(shell: str, project: Project) -> None:
    done = project.run("completion", shell)
    assert (done.code, done.err) == (0, "")
    assert "_PENSTOCK_COMPLETE" in done.out
    if shutil.which(shell):
        check = subprocess.run([shell, "-n"], input=done.out, text=True, check=False)
        assert check.returncode == 0
