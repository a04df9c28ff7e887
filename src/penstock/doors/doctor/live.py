"""Let the real agent try: the registered hook, in the real client, with a scripted model.

A copy of the project's registration and rules in a temporary directory is what the agent works
in, so that a hook which does not hold costs nothing; the model is ours and on loopback, so no
account is used and nothing leaves the machine on our behalf.
Always true: the project itself is only read; what is said is read off the disk afterwards.
"""

from __future__ import annotations

import glob
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from penstock.app import Workspace
from penstock.core.model import Verdict
from penstock.doors.doctor.doctor import DoctorReport
from penstock.doors.doctor.live_clients import AGENTS, Client
from penstock.doors.doctor.live_model import model
from penstock.doors.doctor.probe import in_session
from penstock.doors.doctor.trial import verdict_on
from penstock.doors.setup import registrations
from penstock.doors.setup.agent_files import BAD, NOTE, OK, WARN, Finding
from penstock.doors.setup.scopes import project_files

SECONDS = 120.0
# Denied by Penstock whatever the rules say, and by no agent itself: Gemini never writes `.env`.
DENIED, PASSED = ".agentzero_audit.live", "agent_sandbox/live.txt"
SINCE = [2, 1, 295]
CLIENTS = "PENSTOCK_CLIENTS"  # a directory with installations, beside those on PATH


def tried(here: Workspace, report: DoctorReport) -> DoctorReport:
    """Return the report with what the real agents did."""
    agents = dict.fromkeys(found.agent for found in registrations.find(here.root))
    findings = [finding for agent in agents for finding in _tried(here, agent)]
    return replace(report, findings=(*report.findings, *findings))


def _tried(here: Workspace, agent: str) -> Iterator[Finding]:
    name = f"{agent}-live"
    client = AGENTS.get(agent)
    if client is None:
        yield Finding(name=name, status=NOTE, what="this agent can't be tested automatically")
        return
    program = installed(agent, client)
    if not program:
        hint = f"put `{agent}` on PATH, or set {CLIENTS}"
        yield Finding(name=name, status=NOTE, what=f"`{agent}` not found", hint=hint)
        return
    expected = {DENIED: Verdict.DENY, PASSED: Verdict.ALLOW}
    if any(verdict_on(here.root, path) is not verdict for path, verdict in expected.items()):
        what = f"not tested: the rules here do not deny `{DENIED}` and allow `{PASSED}`"
        yield Finding(name=name, status=NOTE, what=what)
        return
    with tempfile.TemporaryDirectory(prefix="penstock-live-", ignore_cleanup_errors=True) as folder:
        for finding in _too_old(here, agent, program, folder):
            yield replace(finding, name=f"{agent}-version")
        yield replace(_outcome(here, agent, client, program, folder), name=name)


def installed(agent: str, client: Client) -> str:
    """Return the program of an agent, or nothing."""
    place = os.environ.get(CLIENTS)
    found = sorted(glob.glob(os.path.join(glob.escape(place), client.packaged))) if place else []
    return found[-1] if found else shutil.which(agent) or ""


def _too_old(here: Workspace, agent: str, program: str, folder: str) -> Iterator[Finding]:
    """Claude Code before 2.1.295 takes `onFailure` and does nothing about it."""
    closed = any("onFailure" in json.dumps(one.value) for one in registrations.find(here.root))
    if agent != "claude" or not closed:
        return
    told = _run([program, "--version"], folder, _environ(folder))
    numbers = told.split(" ")[0].split(".")
    if all(number.isdecimal() for number in numbers) and [int(n) for n in numbers] < SINCE:
        what = (
            f"version {told.split(' ')[0]} writes even when a hook fails, regardless of `onFailure`"
        )
        yield Finding(name="", status=WARN, what=what, hint="update Claude Code")


def _outcome(here: Workspace, agent: str, client: Client, program: str, folder: str) -> Finding:
    project, home = os.path.join(folder, "project"), os.path.join(folder, "home")
    own = [file for file, name in project_files().items() if name == agent]
    _copy(here.root, project, (*_rules(here), *own))
    _copy(os.path.expanduser("~"), home, client.home)
    for made in (".git", os.path.dirname(PASSED)):
        os.makedirs(os.path.join(project, made))
    # The refused one comes last: in some agents a refusal ends the run.
    given = (PASSED, DENIED)
    paths = [os.path.join(project, path) for path in given]
    with model(agent, given if agent == "codex" else paths) as (address, asked):
        if client.settings:
            _put(home, client.settings, client.settled(project, address))
        environ = {**_environ(home), **client.environ(address)}
        told = _run(client.argv(program, address), project, environ)
    passed, denied = (os.path.exists(path) for path in paths)
    if denied:
        what = f"the agent wrote `{DENIED}`: the hook did not block it"
        return Finding(name="", status=BAD, what=what, hint="see the other findings")
    if passed and len(asked) == len(given):
        what = f"hook works in the agent: `{PASSED}` written, `{DENIED}` blocked"
        return Finding(name="", status=OK, what=what)
    did = "did not attempt the second file" if passed else "wrote neither file"
    what = f"the agent {did}: {told[-300:].strip() or 'no output'}"
    return Finding(name="", status=BAD, what=what, hint="run the agent by hand once")


def _rules(here: Workspace) -> tuple[str, ...]:
    """Return the rules files of the project, with those that they include."""
    inside = [path for path in here.policy().files if path.startswith(here.root + "/")]
    return tuple(os.path.relpath(path, here.root) for path in inside)


def _copy(source: str, target: str, files: Iterable[str]) -> None:
    os.makedirs(target, exist_ok=True)
    for file in files:
        here, there = os.path.join(source, file), os.path.join(target, file)
        if os.path.isfile(here):
            os.makedirs(os.path.dirname(there), exist_ok=True)
            shutil.copy(here, there)  # with its mode: some hooks are programs


def _put(home: str, name: str, text: str) -> None:
    path = os.path.join(home, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _environ(home: str) -> dict[str, str]:
    """Return the few variables that a client gets: nothing of the person's own accounts."""
    kept = {
        name: os.environ[name] for name in ("PATH", "LANG", "TERM", "SHELL") if name in os.environ
    }
    apart = {"XDG_STATE_HOME": os.path.join(home, "state"), "PENSTOCK_RESIDENT": "off"}
    temporary = os.path.join(home, "tmp")
    os.makedirs(temporary, exist_ok=True)
    return {"PATH": os.defpath, **kept, "HOME": home, **apart, "TMPDIR": temporary}


def _run(argv: list[str], cwd: str, environ: Mapping[str, str]) -> str:
    raw = in_session(argv, cwd, environ, seconds=SECONDS)
    return raw.stdout + raw.stderr if raw else f"no end within {SECONDS:g} seconds"
