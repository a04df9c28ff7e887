"""The plugin's hook, as a client starts it, beside starting bash and Python for nothing.

The script needs both: the least that it can cost is a shell that does nothing and then an
interpreter that does nothing. 50 ms is the hook spec's own limit.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.row import Row, best_of

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = str(ROOT / "hooks" / "write-control.sh")
PATH = "/usr/bin:/bin"
ROUNDS = 30
SPEC_LIMIT = 0.050  # seconds
CONTENT = "def step(): return 'a line as agents write them'\n" * 400  # 20 kB


def rows() -> Iterator[Row]:
    """Measure a silent, a warned, a denied and a large call."""
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as project:
        subjects = {
            "silent, 20 kB": _call(project, "lib/app.py"),
            "warned": _call(project, "src/app.py"),
            "denied": _call(project, ".env"),
            "silent, 1 MB": _call(project, "lib/app.py", times=50),
        }
        calls = [_started([SCRIPT], stdin) for stdin in subjects.values()]
        bare = [
            _started(["bash", "-c", ":"], b""),
            _started(["python3", "-I", "-S", "-c", "pass"], b""),
        ]
        *found, shell, python = best_of([*calls, *bare], rounds=ROUNDS)
    for name, seconds in zip(subjects, found, strict=True):
        yield Row(
            area="hook-spec",
            name=f"plugin script, {name}",
            subject=seconds,
            baseline=shell + python,
            beside="bash -c : + python -c pass",
            limit=None if name.endswith("MB") else 1.4,
        )
    yield Row(
        area="hook-spec",
        name="plugin script, slowest of the small calls",
        subject=max(found[:3]),
        baseline=SPEC_LIMIT,
        beside="the spec's 50 ms",
        limit=1.0,
    )


def _call(project: str, path: str, *, times: int = 1) -> bytes:
    call = {
        "session_id": "0972e5c0-dbb3-408b-b3f8-43164b455e51",
        "cwd": project,
        "hook_event_name": "PreToolUse",
        "tool_name": "Write",
        "tool_input": {"file_path": f"{project}/{path}", "content": CONTENT * times},
    }
    return json.dumps(call).encode()


def _started(argv: list[str], stdin: bytes) -> Callable[[], None]:
    def run() -> None:
        subprocess.run(argv, input=stdin, capture_output=True, env={"PATH": PATH}, check=True)

    return run
