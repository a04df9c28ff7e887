"""Remember what `init` changed, so that `uninstall` takes exactly that back.

For each file: its bytes before the first change, the digest of what was written, the directories
that were made for it, and the project that `init` was run in. What is in a project is remembered
in its state, what is in the home above all states.
Always true: what cannot be read counts as nothing remembered.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from contextlib import suppress

from msgspec import Struct

from penstock.app.places import private_dir, read_file, told, write_file

NAME = "installed.json"
LIMIT = 64 * 1024 * 1024


class FileBefore(Struct, frozen=True, kw_only=True):
    """A file as it was: `content` None where there was none; `after` is what we left there."""

    content: bytes | None
    after: str
    made: tuple[str, ...] = ()
    by: str = ""


def load(state: str) -> dict[str, FileBefore]:
    """Return what is remembered in a directory of states, by path."""
    try:
        data = read_file(os.path.join(state, NAME), limit=LIMIT) or b"{}"
        return {str(path): _before(row) for path, row in json.loads(data).items()}
    except (OSError, ValueError, TypeError, AttributeError, KeyError):
        return {}


def save(state: str, files: Mapping[str, FileBefore]) -> None:
    """Remember this and nothing else. Raises StoreError."""
    rows = {name: _row(before) for name, before in files.items()}
    path = os.path.join(state, NAME)
    if not rows:
        with suppress(FileNotFoundError):
            os.remove(path)
        return
    folder = private_dir(state)
    with told("remember what was changed in", path):
        write_file(folder, NAME, json.dumps(rows).encode(), replace=True)


def _row(before: FileBefore) -> dict[str, object]:
    content = None if before.content is None else base64.b64encode(before.content).decode()
    row: dict[str, object] = {"content": content, "after": before.after, "made": list(before.made)}
    return {**row, "by": before.by} if before.by else row


def _before(row: Mapping[str, object]) -> FileBefore:
    content, made = row["content"], row["made"]
    if not (content is None or isinstance(content, str)) or not isinstance(made, list):
        raise TypeError
    return FileBefore(
        content=None if content is None else base64.b64decode(content, validate=True),
        after=str(row["after"]),
        made=tuple(str(path) for path in made),
        by=str(row.get("by", "")),
    )
