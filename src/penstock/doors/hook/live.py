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
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from penstock.app import Workspace
from penstock.core.model import Verdict
from penstock.doors.hook import registry
from penstock.doors.hook.asked import verdict_on
from penstock.doors.hook.doctor import Report
from penstock.doors.hook.live_model import model
from penstock.doors.hook.offs import BAD, NOTE, OK, WARN, Finding

SECONDS = 120.0
DENIED, PASSED = ".env", "agent_sandbox/live.txt"
SINCE = [2, 1, 295]
CLIENTS = "PENSTOCK_CLIENTS"  # a directory with installations, beside those on PATH


@dataclass(frozen=True, kw_only=True, slots=True)
class Client:
    """How one agent is found and run. `files` of the project and the home come along."""

    program: str
    packaged: str  # below an installation in `$PENSTOCK_CLIENTS`
    files: tuple[str, ...]
    home: tuple[str, ...]
    argv: Callable[[str, str], list[str]]
    environ: Callable[[str], dict[str, str]]


def _claude(program: str, address: str) -> list[str]:  # noqa: ARG001 - a row of the table
    return [program, "-p", "go", "--permission-mode", "acceptEdits"]


def _codex(program: str, address: str) -> list[str]:
    provider = {"name": "probe", "base_url": f"{address}/v1", "wire_api": "responses"}
    provider["env_key"] = "PROBE_KEY"
    settings: dict[str, object] = {
        "model": "gpt-5.5",
        "model_provider": "probe",
        "features.plugins": False,  # this and the next would wait for a network
        "analytics.enabled": False,
        **{f"model_providers.probe.{key}": value for key, value in provider.items()},
    }
    chosen = [word for k, v in settings.items() for word in ("-c", f"{k}={json.dumps(v)}")]
    # Whether a person trusts the hook is looked at elsewhere; here it is run.
    trust = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]
    return [program, "exec", "--skip-git-repo-check", *trust, *chosen, "go"]


def _gemini(program: str, address: str) -> list[str]:  # noqa: ARG001 - a row of the table
    start = ["node", program] if program.endswith(".js") else [program]
    return [*start, "-p", "go", "--approval-mode", "yolo"]


QUIET = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
AGENTS: Mapping[str, Client] = {
    "claude": Client(
        program="claude",
        packaged="claude*/node_modules/@anthropic-ai/claude-code-*/claude",
        files=(".claude/settings.json", ".claude/settings.local.json"),
        home=(".claude/settings.json",),
        argv=_claude,
        environ=lambda at: {"ANTHROPIC_BASE_URL": at, "ANTHROPIC_API_KEY": "probe", **QUIET},
    ),
    "codex": Client(
        program="codex",
        packaged="codex*/node_modules/@openai/codex-*/vendor/*/bin/codex",
        files=(".codex/hooks.json",),
        home=(),
        argv=_codex,
        environ=lambda _at: {"PROBE_KEY": "probe"},
    ),
    "gemini": Client(
        program="gemini",
        packaged="gemini*/node_modules/@google/gemini-cli/bundle/gemini.js",
        files=(".gemini/settings.json",),
        home=(),
        argv=_gemini,
        environ=lambda at: {
            "GOOGLE_GEMINI_BASE_URL": at,
            "GEMINI_API_KEY": "probe",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        },
    ),
}


def tried(here: Workspace, report: Report) -> Report:
    """Return the report with what the real agents did."""
    agents = dict.fromkeys(found.agent for found in registry.find(here.root))
    findings = [finding for agent in agents for finding in _tried(here, agent)]
    return replace(report, findings=(*report.findings, *findings))


def _tried(here: Workspace, agent: str) -> Iterator[Finding]:
    name = f"{agent}-live"
    client = AGENTS.get(agent)
    if client is None:
        yield Finding(name=name, status=NOTE, what="we do not know how to run this agent by itself")
        return
    program = installed(client)
    if not program:
        hint = f"put `{client.program}` on PATH, or name its place in {CLIENTS}"
        yield Finding(name=name, status=NOTE, what=f"`{client.program}` is not here", hint=hint)
        return
    expected = {DENIED: Verdict.DENY, PASSED: Verdict.ALLOW}
    if any(verdict_on(here.root, path) is not verdict for path, verdict in expected.items()):
        what = f"not tried: the rules here do not deny `{DENIED}` and allow `{PASSED}`"
        yield Finding(name=name, status=NOTE, what=what)
        return
    with tempfile.TemporaryDirectory(prefix="penstock-live-", ignore_cleanup_errors=True) as folder:
        for finding in _too_old(here, agent, program, folder):
            yield replace(finding, name=f"{agent}-version")
        yield replace(_outcome(here, agent, client, program, folder), name=name)


def installed(client: Client) -> str:
    """Return the program of an agent, or nothing."""
    place = os.environ.get(CLIENTS)
    found = sorted(glob.glob(os.path.join(glob.escape(place), client.packaged))) if place else []
    return found[-1] if found else shutil.which(client.program) or ""


def _too_old(here: Workspace, agent: str, program: str, folder: str) -> Iterator[Finding]:
    """Claude Code before 2.1.295 takes `onFailure` and does nothing about it."""
    closed = any("onFailure" in json.dumps(one.value) for one in registry.find(here.root))
    if agent != "claude" or not closed:
        return
    told = _run([program, "--version"], folder, _environ(folder))
    numbers = told.split(" ")[0].split(".")
    if all(number.isdecimal() for number in numbers) and [int(n) for n in numbers] < SINCE:
        what = f"version {told.split(' ')[0]} writes when a hook fails, whatever `onFailure` says"
        yield Finding(name="", status=WARN, what=what, hint="update Claude Code")


def _outcome(here: Workspace, agent: str, client: Client, program: str, folder: str) -> Finding:
    project, home = os.path.join(folder, "project"), os.path.join(folder, "home")
    _copy(here.root, project, (*_rules(here), *client.files))
    _copy(os.path.expanduser("~"), home, client.home)
    os.makedirs(os.path.join(project, ".git"))
    _settle(agent, project, home)
    paths = [os.path.join(project, path) for path in (DENIED, PASSED)]
    given = [DENIED, PASSED] if agent == "codex" else paths
    with model(agent, given) as address:
        environ = {**_environ(home), **client.environ(address)}
        told = _run(client.argv(program, address), project, environ)
    wrote = [os.path.exists(path) for path in paths]
    if wrote == [False, True]:
        what = f"the real agent was refused `{DENIED}` and wrote `{PASSED}`"
        return Finding(name="", status=OK, what=what)
    if wrote[0]:
        what = f"the real agent wrote `{DENIED}`: its hook did not hold"
        return Finding(name="", status=BAD, what=what, hint="see the other findings")
    what = f"the real agent wrote neither file: {told[-300:].strip() or 'it said nothing'}"
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
            shutil.copyfile(here, there)


def _settle(agent: str, project: str, home: str) -> None:
    """Answer beforehand what a client would ask a person: how to sign in, what to trust."""
    security = {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}
    texts = {
        "codex": (
            ".codex/config.toml",
            f'[projects.{json.dumps(project)}]\ntrust_level = "trusted"\n',
        ),
        "gemini": (
            ".gemini/settings.json",
            json.dumps({"security": security, "privacy": {"usageStatisticsEnabled": False}}),
        ),
    }
    if agent in texts:
        name, text = texts[agent]
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
    return {"PATH": os.defpath, **kept, "HOME": home, **apart, "TMPDIR": _made(home, "tmp")}


def _made(home: str, name: str) -> str:
    path = os.path.join(home, name)
    os.makedirs(path, exist_ok=True)
    return path


def _run(argv: list[str], cwd: str, environ: Mapping[str, str]) -> str:
    """Run a client in a session of its own; on timeout end exactly that session."""
    with subprocess.Popen(  # noqa: S603 - the person's own agent, asked for by --live
        argv,
        cwd=cwd,
        env=dict(environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        text=True,
        errors="replace",
    ) as client:
        try:
            return client.communicate(timeout=SECONDS)[0]
        except subprocess.TimeoutExpired:
            os.killpg(client.pid, signal.SIGKILL)
            return f"no end within {SECONDS:g} seconds"
