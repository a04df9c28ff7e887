"""Credentials and transcripts of agents are written back to the real home, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.doors.run.test_run import run
from tests.project import Project
from tests.stores.isolation.ground import impossible

CANNOT = impossible()
pytestmark = pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot: {CANNOT}")

LOGIN = ".claude/.credentials.json"
TALK = ".claude/projects/-p/1.jsonl"


def at_home(here: Project, path: str, text: str) -> None:
    file = here.home / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def held(here: Project, path: str) -> str | None:
    file = here.home / path
    return file.read_text() if file.is_file() else None


def test_a_login_and_a_transcript_leave_and_nothing_else_does(project: Project) -> None:
    at_home(project, LOGIN, '{"token": "old"}')
    at_home(project, ".claude/settings.json", "{}")
    done = run(
        project,
        f'cd; echo \'{{"token": "new"}}\' > {LOGIN}; mkdir -p .claude/projects/-p .codex/sessions; '
        f"echo '{{}}' > {TALK}; echo '{{}}' > .codex/auth.json; "
        "echo '{\"hooks\": 1}' > .claude/settings.json; echo evil > .bashrc; "
        "echo '[mcp]' > .codex/config.toml; echo '{}' > .claude.json; "
        "ln -s /etc/passwd .codex/sessions/link.jsonl; mkfifo .codex/sessions/pipe.jsonl",
    )
    assert done.code == 0, done.err
    assert "3 files of agents (credentials, transcripts) written back" in done.err
    assert held(project, LOGIN) == '{"token": "new"}\n'
    assert held(project, TALK) == "{}\n"
    assert held(project, ".codex/auth.json") == "{}\n"
    assert os.stat(project.home / ".codex/auth.json").st_mode & 0o077 == 0
    assert held(project, ".claude/settings.json") == "{}"
    for path in (".bashrc", ".codex/config.toml", ".claude.json"):
        assert held(project, path) is None
    assert not os.path.lexists(project.home / ".codex/sessions/link.jsonl")
    assert not os.path.lexists(project.home / ".codex/sessions/pipe.jsonl")
    events = project.run("audit", "log", "--json").out
    assert "home_writing" in events
    assert "home_written" in events
    assert project.run("audit", "verify").code == 0


def test_a_transcript_is_never_rewritten_and_nothing_is_removed(project: Project) -> None:
    at_home(project, TALK, "first\n")
    at_home(project, LOGIN, "{}")
    done = run(project, f"echo forged > ~/{TALK}; rm ~/{LOGIN}")
    assert "it rewrites a transcript" in done.err
    assert held(project, TALK) == "first\n"
    assert held(project, LOGIN) == "{}"
    again = run(project, f"printf 'first\\nsecond\\n' > ~/{TALK}")
    assert "1 file of agents" in again.err
    assert held(project, TALK) == "first\nsecond\n"


def test_a_link_in_place_of_an_agents_folder_is_not_followed(project: Project) -> None:
    at_home(project, "secret/auth.json", '{"a": 1}')
    run(project, "ln -s ~/secret ~/.codex")
    assert held(project, ".codex/auth.json") is None
    (project.home / ".gemini").symlink_to(project.home / "secret")
    run(project, "echo '{}' > ~/.gemini/oauth_creds.json")
    assert held(project, "secret/oauth_creds.json") is None


def test_the_users_own_newer_login_wins_and_the_next_run_sees_it(project: Project) -> None:
    at_home(project, LOGIN, '{"token": "old"}')
    script = f'echo \'{{"token": "run"}}\' > ~/{LOGIN}; echo ready; read _; exit 0'
    process = subprocess.Popen(
        [sys.executable, "-m", "penstock.cli", "run", "--", "sh", "-c", script],
        cwd=project.root, env=project.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    at_home(project, LOGIN, '{"token": "mine"}')
    _, said = process.communicate("\n", timeout=60)
    assert "changed outside the run meanwhile" in said
    assert held(project, LOGIN) == '{"token": "mine"}'
    assert run(project, f"cat ~/{LOGIN}").out == '{"token": "mine"}'
