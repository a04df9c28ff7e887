"""Rules files that ship with Penstock, and the schema that editors complete them with.

`guard` is for new users, `strict` for the careful; two are the hook spec's and the broker spec's
own files with their own defaults. A policy starts from one of these; `destructive` is one that is
added to any of them. What they say is read like any rules file.
Enter by `read`.
Imported by: `core.rules`, `doors.hook.agents` (plugin files) and `cli.check`.
Always true: a preset is read like any rules file, and its own examples are proven by tests.
"""

from __future__ import annotations

import os

FILES = {
    "guard": "guard.toml",
    "strict": "strict.toml",
    "hook-spec": "hook-spec.json",
    "broker-spec": "broker-spec.yaml",
    "destructive": "destructive.toml",
}
SCHEMA = "penstock.schema.json"


def read(name: str) -> bytes:
    """Return the bytes of a preset, or of the schema, by its name."""
    with open(place(FILES.get(name, name)), "rb") as file:
        return file.read()


def place(file: str) -> str:
    """Return where a file of ours lies."""
    return os.path.join(os.path.dirname(__file__), file)
