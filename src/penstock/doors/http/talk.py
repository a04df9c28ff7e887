"""What the resident tells whoever reads its stderr: one line for each thing.

Always true: a line holds no body, no header and no query; as JSON it is one document a line.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

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


def _write(line: str) -> None:
    with suppress(OSError, ValueError):
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
