"""Remember what `init` changed in a project, so that `uninstall` takes exactly that back.

For each file: its bytes before the first change, the digest of what was written, and the
directories that were made for it.
Always true: it is written before the files are, so a crash in between leaves nothing unknown;
what cannot be read counts as nothing remembered.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from penstock.stores.system.private import private_dir, read_file, told, write_file

NAME = "installed.json"
TRIED = ".penstock-tried"
LIMIT = 64 * 1024 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class FileBefore:
    """A file as it was: `content` None where there was none; `after` is what we left there."""

    content: bytes | None
    after: str
    made: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InstallRecord:
    """What was changed in one workspace, kept in its state."""

    state: str

    def before(self, *, content: bytes | None, after: str, made: tuple[str, ...]) -> FileBefore:
        """Return a note about one file, to be saved with the others."""
        return FileBefore(content=content, after=after, made=made)

    def touch(self) -> None:
        """See that the state can be written. Raises StoreError."""
        with told("write to", self.state):
            write_file(private_dir(self.state), TRIED, b"", replace=True)
            os.unlink(os.path.join(self.state, TRIED))

    def load(self) -> dict[str, FileBefore]:
        """Return what is remembered, by path in the project."""
        try:
            data = read_file(os.path.join(self.state, NAME), limit=LIMIT) or b"{}"
            return {str(path): _before(row) for path, row in json.loads(data).items()}
        except (OSError, ValueError, TypeError, AttributeError, KeyError):
            return {}

    def save(self, files: Mapping[str, FileBefore]) -> None:
        """Remember this and nothing else."""
        path = os.path.join(self.state, NAME)
        with told("remember what was changed in", path):
            if not files:
                with suppress(FileNotFoundError):
                    os.unlink(path)
                return
            rows = {name: _row(before) for name, before in files.items()}
            write_file(private_dir(self.state), NAME, json.dumps(rows).encode(), replace=True)


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
