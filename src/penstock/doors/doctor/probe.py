"""Run a registered hook as its agent does, and read its answer as its agent does.

One write that must be refused, one that must pass, each with the agent's own JSON on stdin; a
hook over HTTP gets the same as a request. What the rules say to the two is asked beforehand,
so a project with rules of its own is measured by them.
Always true: a command is run with a state directory of its own, which is removed afterwards,
so that a probe is not on the record; over HTTP it is, under the session `penstock-doctor`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from msgspec.structs import replace

from penstock.doors.doctor.client_models import TAKES, WRITES, ClientVerdict, Raw

SECONDS = 20.0
STARTING = 10.0


@contextmanager
def state_apart() -> Iterator[dict[str, str]]:
    """Give the variables under which a hook keeps its state in a directory that goes away."""
    with tempfile.TemporaryDirectory(prefix="penstock-doctor-") as folder:
        yield {**os.environ, "XDG_STATE_HOME": folder, "PENSTOCK_RESIDENT": "off"}


@contextmanager
def warm(environ: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Keep the engine warm in that directory, as the first call of a hook leaves it in use."""
    from penstock.doors.hook.daemon_client import SWITCH, launch, socket_name

    usual = {name: value for name, value in environ.items() if name != SWITCH}
    quiet = subprocess.DEVNULL
    with subprocess.Popen(  # noqa: S603 - our own interpreter and our own words
        launch("penstock.doors.hook.daemon"), env=usual, stdin=quiet, stdout=quiet, stderr=quiet
    ) as daemon:
        try:
            socket = os.path.join(environ["XDG_STATE_HOME"], "penstock", socket_name())
            until = time.monotonic() + STARTING
            while not os.path.exists(socket) and time.monotonic() < until:
                time.sleep(0.01)
            # Where it does not start, no hook is to leave one behind.
            yield usual if os.path.exists(socket) else dict(environ)
        finally:
            daemon.kill()


def run(
    agent: str, command: str, root: str, path: str, environ: Mapping[str, str]
) -> ClientVerdict:
    """Have a command judge a write, as the agent would."""
    more = {"CLAUDE_PROJECT_DIR": root} if agent == "claude" else {}
    text = json.dumps(WRITES[agent](root, path))
    began = time.perf_counter()
    shell = ["/bin/sh", "-c", command]
    raw = in_session(shell, root, {**environ, **more}, seconds=SECONDS, given=text)
    if raw is None:
        return ClientVerdict(fault=f"no answer within {SECONDS:g} seconds", seconds=SECONDS)
    heard = TAKES[agent](raw)
    return replace(heard, seconds=time.perf_counter() - began)


def in_session(
    argv: list[str], cwd: str, environ: Mapping[str, str], *, seconds: float, given: str = ""
) -> Raw | None:
    """Run a program in a session of its own; None where it took too long and was ended."""
    pipe = subprocess.PIPE
    with subprocess.Popen(  # noqa: S603 - what the agent runs, or the agent itself
        argv,
        cwd=cwd,
        env=environ,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        start_new_session=True,
        text=True,
        errors="replace",
    ) as started:
        try:
            out, err = started.communicate(given, timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            return None
    return Raw(code=started.returncode, stdout=out, stderr=err)


def ask(url: str, headers: Mapping[str, str], root: str, path: str) -> ClientVerdict:
    """Have the background server judge a write, as Claude Code would."""
    body = json.dumps(WRITES["claude"](root, path)).encode()
    request = urllib.request.Request(  # noqa: S310 - only an address on loopback gets here
        url, body, {"Content-Type": "application/json", **headers}
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    began = time.perf_counter()
    try:
        with opener.open(request, timeout=SECONDS) as answer:
            text = answer.read(1 << 20).decode("utf-8", "replace")
    except urllib.error.HTTPError as refused:
        return ClientVerdict(fault=f"it answered with status {refused.code}")
    except (OSError, ValueError) as fault:
        why = getattr(fault, "reason", fault)
        return ClientVerdict(fault=f"nothing answers at {url} ({why})")
    said = "" if text.strip() == "{}" else text
    heard = TAKES["claude"](Raw(code=0, stdout=said))
    return replace(heard, seconds=time.perf_counter() - began)
