"""Find the agents' clients in their pinned versions, or install them with npm, once.

They lie in `$PENSTOCK_CLIENTS`, or in `.clients/` of the checkout. `PENSTOCK_AGENTS=off` leaves
the agents out, `PENSTOCK_AGENTS=required` makes a missing one a failure.
Always true: an installation is whole or not there, one process makes it while others wait, it
ends within `PATIENCE`, and what is missing is told with a reason.
"""

from __future__ import annotations

import fcntl
import functools
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests import REPOSITORY

CHECKOUT = REPOSITORY
PATIENCE = 300.0  # seconds for one step; a slow mirror is slow, an absent one answers at once
RETRY_AFTER = 900.0  # a failed installation is not tried again by every worker of a test run
OLDEST_NODE = 20
NODE = "22.23.3"


@dataclass(frozen=True, kw_only=True)
class Client:
    """An npm package, and the program in it."""

    package: str
    version: str
    program: str  # below the installation, may hold `*`
    needs_node: bool = False


CLIENTS = {
    "claude": Client(
        package="@anthropic-ai/claude-code",
        version="2.1.325",
        program="node_modules/@anthropic-ai/claude-code-*/claude",
    ),
    "codex": Client(
        package="@openai/codex",
        version="0.166.0",
        program="node_modules/@openai/codex-*/vendor/*/bin/codex",
    ),
    "gemini": Client(
        package="@google/gemini-cli",
        version="0.61.0",
        program="node_modules/@google/gemini-cli/bundle/gemini.js",
        needs_node=True,
    ),
}


class NotHereError(Exception):
    """The client is not here and cannot be had; the text says why."""


@functools.cache
def command(name: str) -> tuple[str, ...]:
    """Return how the client is started; install it when it is not there yet."""
    if os.environ.get("PENSTOCK_AGENTS") == "off":
        raise NotHereError("PENSTOCK_AGENTS=off")
    client = CLIENTS[name]
    program = _program(name, client)
    return (_node(), program) if client.needs_node else (program,)


def cache() -> Path:
    """Return the directory that holds the installations."""
    named = os.environ.get("PENSTOCK_CLIENTS")
    return Path(named) if named else CHECKOUT / ".clients"


def _program(name: str, client: Client) -> str:
    place = cache() / f"{name}-{client.version}"
    return _inside(place, client.program) or _installed(
        place, f"{client.package}@{client.version}", client.program
    )


def _inside(place: Path, program: str) -> str | None:
    return next((str(found) for found in sorted(place.glob(program))), None)


def _node() -> str:
    """Return a node that is new enough; npm has them as packages, too."""
    node = shutil.which("node")
    if node is not None and _major(node) >= OLDEST_NODE:
        return node
    package = f"node-{_platform()}"
    place = cache() / f"node-{NODE}"
    program = f"node_modules/{package}/bin/node"
    return _inside(place, program) or _installed(place, f"{package}@{NODE}", program)


def _major(node: str) -> int:
    done = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    number = done.stdout.strip().lstrip("v").split(".")[0]
    return int(number) if number.isdecimal() else 0


def _platform() -> str:
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
    return f"{sys.platform}-{machine}"


def _installed(place: Path, package: str, program: str) -> str:
    with _alone(place):
        found = _inside(place, program)  # another process may have been here first
        if found is None:
            _tell_recent_failure(place)
            try:
                _install(place, package)
            except NotHereError as failed:
                _beside(place, "failed").write_text(str(failed))
                raise
            found = _inside(place, program)
    if found is None:
        raise NotHereError(f"{package} has no program for {_platform()}")
    return found


def _beside(place: Path, what: str) -> Path:
    return place.with_name(f"{place.name}.{what}")


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    place.parent.mkdir(parents=True, exist_ok=True)
    with open(_beside(place, "lock"), "w") as lock:
        wait_for([lock.fileno()], 3 * PATIENCE)
        yield


def wait_for(descriptors: Sequence[int], seconds: float) -> None:
    """Lock any one of some files; give up in the end, because who has them may hang."""
    end = time.monotonic() + seconds
    while True:
        for descriptor in descriptors:
            with suppress(BlockingIOError):
                return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if time.monotonic() > end:
            raise NotHereError("other processes hold the clients for too long")
        time.sleep(0.2)


def _tell_recent_failure(place: Path) -> None:
    failed = _beside(place, "failed")
    if failed.exists() and time.time() - failed.stat().st_mtime < RETRY_AFTER:
        raise NotHereError(failed.read_text())


def _install(place: Path, package: str) -> None:
    """Install beside the place and move it there when it is whole."""
    npm = _npm()
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".new-") as new:
        options = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
        patience = ("--fetch-retries=1", "--fetch-timeout=60000")
        _run(
            [npm, "install", "--prefix", new, *options, *patience, package], f"npm has no {package}"
        )
        if not (Path(new) / "node_modules").is_dir():
            raise NotHereError(f"npm installed nothing for {package}")
        shutil.rmtree(place, ignore_errors=True)  # what lay there had no program
        os.chmod(new, 0o755)
        os.rename(new, place)
        os.mkdir(new)  # what the context manager removes


def _npm() -> str:
    found = shutil.which("npm")
    if found is None:
        _run([str(CHECKOUT / "tools" / "node")], "npm is not installed")
        found = shutil.which("npm")
    if found is None:
        raise NotHereError("npm is not installed")
    return found


def _run(argv: Sequence[str], problem: str) -> None:
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NotHereError(f"{problem}: no end after {PATIENCE:.0f} s") from None
    if done.returncode != 0:
        said = "; ".join((done.stderr or done.stdout).strip().splitlines()[:2])
        raise NotHereError(f"{problem}: {said or f'exit {done.returncode}'}")


if __name__ == "__main__":
    for each in CLIENTS:
        print(each, *command(each))
