"""The plugins for agents that run hooks inside their own process, as text.

Both begin with the same part (`presets/ask.js`), which starts the hook and reads its answer.
Always true: the command stands in the text as a list of words, so no shell reads it.
"""

from __future__ import annotations

import json
import shlex

from penstock import presets

WITHIN = 10_000  # milliseconds; the hook itself ends long before


def shim(name: str, command: str, *, strict: bool) -> str:
    """Return a plugin's text with the command in it; `strict`: a hook that fails blocks."""
    text = presets.read("ask.js").decode() + presets.read(name).decode()
    for mark, value in (
        ("__COMMAND__", json.dumps(shlex.split(command))),
        ("__CLOSED__", json.dumps(strict)),
        ("__WITHIN__", json.dumps(WITHIN)),
    ):
        text = text.replace(mark, value)
    return text
