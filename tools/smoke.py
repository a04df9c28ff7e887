"""Try an installed Penstock as a newcomer would, with the base install alone.

    python tools/smoke.py BIN_DIRECTORY VERSION

Everything happens in a temporary project and a temporary home. Any Python runs it; it imports
nothing but the standard library.
Always true: it exits with 0 only if every step did what it should.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def main(programs: str, version: str) -> int:
    """Run the steps; return how many of them failed."""
    with tempfile.TemporaryDirectory() as place:
        project, home = Path(place, "project"), Path(place, "home")
        (project / ".git").mkdir(parents=True)
        home.mkdir()
        environ = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(home), "LC_ALL": "C.UTF-8"}
        failed = 0
        for said, argv, stdin, code, wanted in steps(project, version):
            done = subprocess.run(  # noqa: S603 - the words stand below
                [os.path.join(programs, argv[0]), *argv[1:]],
                cwd=project, env=environ, input=stdin, capture_output=True, text=True,
                timeout=120, check=False,
            )  # fmt: skip
            text = done.stdout + done.stderr
            if done.returncode != code or wanted not in text:
                failed += 1
                print(f"FAILED: {said}: exit code {done.returncode}\n{text}")
        print(f"{'ok' if not failed else 'NOT ok'}: {programs} ({version})")
        return failed


def steps(project: Path, version: str) -> list[tuple[str, list[str], str, int, str]]:
    """Return what is run: a name, the words, the input, the exit code and a text that must come."""
    call = {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "cwd": str(project),
        "tool_name": "Write",
        "tool_input": {"file_path": str(project / ".env"), "content": "KEY=1"},
    }
    return [
        ("version", ["penstock", "version"], "", 0, version),
        ("help", ["penstock", "--help"], "", 0, "Get started"),
        ("judge", ["penstock", "judge", "write", ".env"], "", 2, ".env"),
        ("init", ["penstock", "init", "--agent", "claude", "--yes"], "", 0, "claude"),
        ("hook", ["penstock-hook", "claude"], json.dumps(call), 0, "deny"),
        ("log", ["penstock", "audit", "log", "--json"], "", 0, ".env"),
        ("verify", ["penstock", "audit", "verify"], "", 0, "ok: "),
        ("checkpoint", ["penstock", "audit", "checkpoint"], "", 0, "signed"),
        ("rules", ["penstock", "check"], "", 0, ""),
        ("extra", ["penstock", "serve"], "", 1, "penstock-gate[web]"),
        ("status", ["penstock", "status"], "", 0, "audit log"),
    ]


if __name__ == "__main__":
    sys.exit(bool(main(os.path.abspath(sys.argv[1]), sys.argv[2])))
