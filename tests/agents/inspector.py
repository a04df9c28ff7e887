"""The MCP inspector's command line, in its pinned version, with a node that is new enough."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.agents import install
from tests.project import Project

PACKAGE = "@modelcontextprotocol/inspector"
VERSION = "2.12.0"
PROGRAM = f"node_modules/{PACKAGE}/clients/launcher/build/index.js"
OLDEST_NODE = 22


def command() -> tuple[str, ...]:
    """Return how the inspector is started. Raises install.NotHereError."""
    if os.environ.get("PENSTOCK_AGENTS") == "off":
        raise install.NotHereError("PENSTOCK_AGENTS=off")
    program = _found(f"inspector-{VERSION}", f"{PACKAGE}@{VERSION}", PROGRAM)
    return _node(), program


def _node() -> str:
    node = shutil.which("node")
    if node is not None and install._major(node) >= OLDEST_NODE:
        return node
    package = f"node-{install._platform()}"
    program = f"node_modules/{package}/bin/node"
    return _found(f"node-{install.NODE}", f"{package}@{install.NODE}", program)


def _found(name: str, package: str, program: str) -> str:
    place: Path = install.cache() / name
    return install._inside(place, program) or install._installed(place, package, program)


def inspect(project: Project, target: Sequence[str], *args: str) -> tuple[int, Any, str]:
    """Run one method; return the exit code, the document on stdout, and stderr."""
    done = subprocess.run(
        [*command(), "--cli", *target, *args],
        cwd=project.root,
        env=project.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr
