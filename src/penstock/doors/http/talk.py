"""What the background server prints on stderr: one line for each thing.

Always true: a line holds no body, no header and no query; as JSON it is one document a line;
nobody fills a disk by asking.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from penstock.core.text.display import in_line

MOST_LINES = 20  # about errors, a second

Fact = str | int | float
Say = Callable[..., None]


def say(line: str, **_facts: Fact) -> None:
    """Tell one line; a stderr that is gone is no reason to stop."""
    _write(f"penstock serve: {line}")


def say_json(line: str, **facts: Fact) -> None:
    """Tell one line as a JSON document, for a collector of logs."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    _write(json.dumps({"ts": stamp, "service": "penstock", "message": line, **facts}))


SAY: Mapping[str, Say] = {"text": say, "json": say_json}


class Log:
    """What is told about requests: errors always, those of pages only as JSON."""

    def __init__(self, say: Say = say) -> None:
        self.say = say
        self._second = 0.0
        self._said = 0

    def error(self, status: int, method: str, path: str, why: str = "") -> None:
        """Tell an error: its status, the method and the path, never a body or a header."""
        second = time.monotonic() // 1
        self._said = self._said + 1 if second == self._second else 1
        self._second = second
        if self._said > MOST_LINES:
            return
        asked = {"method": method[:16], "path": path[:100]} if method else {}
        words = [str(status), *asked.values(), *([f"({why})"] if why else [])]
        self.say(" ".join(words), level="error", status=status, code=why, **asked)

    def request(self, status: int, method: str, path: str, seconds: float) -> None:
        """Tell a request that was answered."""
        if self.say is say:
            return
        asked = {"method": method[:16], "path": path[:100]}
        line, took = f"{status} {method[:16]} {path[:100]}", round(seconds * 1000, 1)
        self.say(line, level="info", status=status, **asked, ms=took)


def _write(line: str) -> None:
    with suppress(OSError, ValueError):
        sys.stderr.write(f"{in_line(line)}\n")
        sys.stderr.flush()
