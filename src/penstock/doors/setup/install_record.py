"""Remember what `init` changed in a project, so that `uninstall` takes exactly that back.

For each file: its bytes before the first change, the digest of what was written, and the
directories that were made for it.
Always true: what cannot be read counts as nothing remembered.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass

from penstock.app import Workspace

NAME = "installed.json"
LIMIT = 64 * 1024 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class FileBefore:
    """A file as it was: `content` None where there was none; `after` is what we left there."""

    content: bytes | None
    after: str
    made: tuple[str, ...] = ()


def load(here: Workspace) -> dict[str, FileBefore]:
    """Return what is remembered, by path in the project."""
    try:
        data = here.read_state(NAME, limit=LIMIT) or b"{}"
        return {str(path): _before(row) for path, row in json.loads(data).items()}
    except (OSError, ValueError, TypeError, AttributeError, KeyError):
        return {}


def save(here: Workspace, files: Mapping[str, FileBefore]) -> None:
    """Remember this and nothing else. Raises StoreError."""
    rows = {name: _row(before) for name, before in files.items()}
    if rows:
        here.write_state(NAME, json.dumps(rows).encode())
    else:
        here.drop_state(NAME)


def _row(before: FileBefore) -> dict[str, object]:
    content = None if before.content is None else base64.b64encode(before.content).decode()
    return {"content": content, "after": before.after, "made": list(before.made)}


def _before(row: Mapping[str, object]) -> FileBefore:
    content, made = row["content"], row["made"]
    if not (content is None or isinstance(content, str)) or not isinstance(made, list):
        raise TypeError
    return FileBefore(
        content=None if content is None else base64.b64decode(content, validate=True),
        after=str(row["after"]),
        made=tuple(str(path) for path in made),
    )
