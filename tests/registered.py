"""What a project's settings tell agents to start, and starting it as they do: through a shell."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from penstock.core.own_commands import HOOK_PROGRAM
from penstock.doors.doctor.client_models import TAKES, WRITES, ClientVerdict, Raw
from penstock.doors.setup.agent_files import SettingsPlace
from penstock.doors.setup.inspect import command_of, event_of
from penstock.doors.setup.registrations import Registration, find_everywhere
from tests.project import Project

SYSTEM_PATH = "/usr/bin:/bin"


def place(project: Project) -> SettingsPlace:
    environ = {"XDG_CONFIG_HOME": str(project.home / "config")}
    return SettingsPlace(root=str(project.root), home=str(project.home), environ=environ)


def registered(project: Project) -> list[Registration]:
    return find_everywhere(place(project))


def before_a_call(project: Project, agent: str) -> Registration:
    """Return the registration that is asked before a write; there must be exactly one."""
    found = [
        one
        for one in registered(project)
        if one.agent == agent and event_of(one).lower().startswith(("pre", "before", "penstock."))
    ]
    events = {event_of(one) for one in found}
    assert len(found) == len(events), found
    return found[0]


def hook_program(folder: Path, python: str = sys.executable) -> str:
    """Put `penstock-hook` into a directory, as installers write it; return a PATH with it."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / HOOK_PROGRAM
    program.write_text(
        f"#!{python}\nimport sys\nfrom penstock.hook import main\n"
        "if __name__ == '__main__':\n    sys.exit(main())\n"
    )
    program.chmod(0o755)
    return f"{folder}:{SYSTEM_PATH}"


def ask(
    project: Project, agent: str, path: str, *, search: str = SYSTEM_PATH, **more: str
) -> ClientVerdict:
    """Have the registered hook judge a write; the answer is as its agent takes it."""
    one = before_a_call(project, agent)
    script = one.runs.startswith("exec ")
    file = os.path.join(project.root, one.file)
    command = shlex.quote(file) if script else command_of(one)
    return run(project, agent, command, path, {"PATH": search, **more})


def run(
    project: Project, agent: str, command: str, path: str, environ: Mapping[str, str]
) -> ClientVerdict:
    own = {"CLAUDE_PROJECT_DIR": str(project.root)} if agent == "claude" else {}
    base = {
        "HOME": str(project.home),
        "XDG_STATE_HOME": str(project.home / "state"),
        "XDG_CONFIG_HOME": str(project.home / "config"),
        "PENSTOCK_RESIDENT": "off",
    }
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=project.root,
        env={**base, **own, **environ},
        input=json.dumps(WRITES[agent](str(project.root), path)).encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    out, err = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
    return TAKES[agent](Raw(code=done.returncode, stdout=out, stderr=err))
