"""A project may be called anything: every command works there, in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock.stores.agents.ancestry import seen_here
from tests.cli.pending import proposed
from tests.doors.http.test_serve import serving
from tests.project import Project
from tests.registered import SYSTEM_PATH, before_a_call, hook_program
from tests.terminal import in_terminal

NAMES = {
    "spaces": "My Project",
    "plus": "c++",
    "letters": "größe",
    "composed otherwise": "gro\u0308ße",
    "a newline": "two\nlines",
    "quotes": 'it\'s "quoted"',
    "a variable": "$HOME ${PATH}",
    "a substitution": "`id` $(id)",
    "a dash": "-rf",
    "no UTF-8": os.fsdecode(b"caf\xe9 \xff"),
    "a glob": "[a]*?{b,c}",
    "a backslash": "a\\nb\\",
    "a comment": "#x; true & |",
    "a percent": "100%25 %s",
    "markup": "[bold]<b>x",
}


@pytest.fixture(params=NAMES.values(), ids=list(NAMES))
def odd(request: pytest.FixtureRequest, tmp_path: Path) -> Project:
    root = tmp_path / str(request.param)
    (root / ".git").mkdir(parents=True)
    (tmp_path / "home").mkdir()
    made = Project(root, tmp_path / "home")
    made.write("penstock.toml", 'version = 1\npreset = "guard"\n[[ask]]\npaths = ["asked/**"]\n')
    assert made.run("init", "--agent", "claude", "--yes").code == 0
    return made


def asks(project: Project, path: str, search: str = SYSTEM_PATH) -> str:
    """Return the verdict of the registered command, started through a shell as agents do."""
    given = {"file_path": path, "content": "x\n"}
    call = {"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": given}
    environ = {**project.environ, "PATH": search, "CLAUDE_PROJECT_DIR": str(project.root)}
    done = subprocess.run(
        ["/bin/sh", "-c", before_a_call(project, "claude").runs],
        cwd=project.root,
        env={**environ, "PENSTOCK_RESIDENT": "off"},
        input=json.dumps({**call, "session_id": "s", "tool_use_id": path}).encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done
    said = json.loads(done.stdout) if done.stdout else {}
    return str(said.get("hookSpecificOutput", {}).get("permissionDecision", "allow"))


def hook(project: Project) -> None:
    assert [asks(project, path) for path in (".env", "a.txt")] == ["deny", "allow"]


def shared(project: Project) -> None:
    assert project.run("init", "--agent", "claude", "--shared").code == 0
    search = hook_program(project.home / "bin")
    assert [asks(project, path, search) for path in (".env", "a.txt")] == ["deny", "allow"]
    assert project.run("init", "--agent", "claude", "--local").code == 0


def judge(project: Project) -> None:
    for path, code in ((".env", 2), ("a.txt", 0), (str(project.root / "a.txt"), 0)):
        assert project.judge("Write", {"file_path": path, "content": "x"}).code == code
    assert project.judge("Bash", {"command": "echo x > .env"}).code == 2


def queue(project: Project) -> None:
    """Propose, show, approve and apply, undo."""
    (made,) = proposed(project, {"asked/a.txt": b"new\n"})
    assert project.run("proposals", "--json").json["proposals"][0]["id"] == made.id
    assert project.run("show", made.id, "--json").code == 0
    if not seen_here():
        seen = in_terminal(project, "approve", made.id, typed=[("exactly like this?", "y")])
        assert seen.code == 0, seen
        assert (project.root / "asked/a.txt").read_text() == "new\n"
        undone = in_terminal(project, "undo", "--last", "1", "--yes")
        assert undone.code == 0, undone
        assert not (project.root / "asked/a.txt").exists()


def status(project: Project) -> None:
    found = project.run("status", "--json").json
    assert found["workspace"] == str(project.root)
    assert [row["ok"] for row in found["hooks"]] == [True]
    assert project.run("status").code == 0


def doctor(project: Project) -> None:
    done = project.run("doctor", "--json")
    assert done.code == 0, [row for row in done.json["checks"] if row["status"] == "bad"]


def audit(project: Project) -> None:
    assert project.run("audit", "checkpoint").code == 0
    assert project.run("audit", "verify", "--json").json["ok"]
    assert project.run("audit", "log").code == 0


def page(project: Project) -> None:
    """The server knows the project, and shows its queue."""
    (made,) = proposed(project, {"asked/page.txt": b"new\n"})
    with serving(project) as server:
        assert server.health()[0] == 200
        admin = (project.home / "state/penstock/admin.token").read_text().strip()
        talk = server.connect()
        talk.request("GET", "/api/v1/proposals", headers={"Authorization": f"Bearer {admin}"})
        answer = talk.getresponse()
        body = answer.read().decode()
        talk.close()
    assert answer.status == 200, body
    assert made.id in body


def listed(project: Project) -> None:
    rows = project.run("projects", "--json").json["projects"]
    assert str(project.root) in [row["project"] for row in rows]
    assert len(project.run("projects").out.splitlines()) == len(rows)


def rules(project: Project) -> None:
    """Rules are added, with a commit of their own, and taken back."""
    subprocess.run(["git", "init", "-q"], cwd=project.root, env=project.environ, check=True)
    before = (project.root / "penstock.toml").read_text()
    rule = ("rules", "add", "--ask", "--path", "docs/**")
    assert project.run(*rule, "--dry-run").code == 0
    assert (project.root / "penstock.toml").read_text() == before
    added = project.run(*rule, "--yes")
    assert added.code == 0, added.err
    assert project.judge("Write", {"file_path": "docs/a.md", "content": "x"}).code == 3
    assert project.run("check").code == 0
    assert project.run("rules", "suggest").code == 0
    assert project.run("why").code == 0
    assert project.run("audit", "verify", "--json").json["ok"]
    if not seen_here():
        undone = in_terminal(project, "undo", "--last", "1", "--yes")
        assert undone.code == 0, undone
        assert (project.root / "penstock.toml").read_text() == before
        short = ("allow", "--for", "1h", "--path", "asked/**", "--yes")
        assert in_terminal(project, *short).code == 0
        assert project.judge("Write", {"file_path": "asked/b.md", "content": "x"}).code == 0
        assert in_terminal(project, "allow", "--end", "all", "--yes").code == 0


COMMANDS: list[Callable[[Project], None]] = [
    *(hook, shared, judge, queue, status, doctor, audit, page, listed, rules),
]


@pytest.mark.slow
def test_every_command_works(odd: Project) -> None:
    for command in COMMANDS:
        command(odd)
    done = odd.run("uninstall", "--purge", "--yes")
    assert done.code == 0, done.err
    assert not (odd.root / ".claude").exists()
    assert odd.run("projects", "--json").json["projects"] == []


def test_the_registration_survives_a_shell_of_any_python(tmp_path: Path) -> None:
    """Penstock itself may lie in such a directory."""
    from penstock.doors.setup.scopes import hook_command

    for name in NAMES.values():
        folder = tmp_path / name
        folder.mkdir()
        (folder / "python").symlink_to(os.path.realpath(sys.executable))
        command = _with_python(hook_command("claude"), str(folder / "python"))
        done = subprocess.run(
            ["/bin/sh", "-c", f"{command} --help >/dev/null 2>&1; test $? -ne 127"], check=False
        )
        assert done.returncode == 0, name


def _with_python(command: str, python: str) -> str:
    import shlex

    return shlex.join([python, *shlex.split(command)[1:]])
