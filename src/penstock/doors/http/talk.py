"""What the resident tells whoever reads its stderr: one line for each thing."""

from __future__ import annotations

import sys
from contextlib import suppress


def say(line: str) -> None:
    """Tell one line; a stderr that is gone is no reason to stop."""
    with suppress(OSError, ValueError):
        sys.stderr.write(f"penstock serve: {line}\n")
        sys.stderr.flush()
