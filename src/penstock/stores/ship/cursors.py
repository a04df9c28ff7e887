"""How far each sink has the log: a small file each, and whose turn it is to send.

One process sends to a sink at a time; the kernel gives the place free when it ends, however it
ends. What a sink does not take is set aside in a file beside the cursor.
Always true: a cursor is whole on the disk before anything counts as sent.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from msgspec import to_builtins

from penstock.core.ship.batch import ShipCursor
from penstock.core.ship.sink import Sink
from penstock.stores.system.private import (
    OWN_FILE,
    private_dir,
    read_file,
    sync,
    told,
    write_file,
)

FOLDER = "ship"
LARGEST = 1 << 16


class ShipCursors:
    """The cursors of one log; `name` tells it from other logs of the same project."""

    def __init__(self, state: str, name: str) -> None:
        self.folder = os.path.join(state, FOLDER)
        self.name = name

    def get(self, sink: Sink) -> ShipCursor:
        """Return how far a sink has the log; a cursor that cannot be read says nothing."""
        return _cursor(self._document(sink))

    def problem(self, sink: Sink) -> str:
        """Return why the last try failed; nothing when it did not."""
        return str(self._document(sink).get("problem", ""))

    def keep(self, sink: Sink, cursor: ShipCursor, *, problem: str = "") -> None:
        """Note how far a sink has the log, and what went wrong last."""
        with told("keep how far the audit log was sent in", self.folder):
            private_dir(self.folder)
            facts = {"sink": sink.shown, **to_builtins(cursor), "problem": problem}
            write_file(self.folder, self._file(sink), json.dumps(facts).encode(), replace=True)

    def set_aside(self, sink: Sink, lines: Sequence[bytes]) -> str:
        """Keep lines that a sink does not take; return where."""
        path = os.path.join(self.folder, f"{self.name}.{sink.label}.refused.jsonl")
        with told("write to", path):
            private_dir(self.folder)
            how = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
            with open(os.open(path, how, OWN_FILE), "ab") as file:
                file.write(b"".join(line + b"\n" for line in lines))
                file.flush()
                sync(file.fileno())
        return path

    @contextmanager
    def turn(self, sink: Sink) -> Iterator[bool]:
        """Hold the place of the one who sends; False where another process has it."""
        with told("use", self.folder):
            private_dir(self.folder)
            path = os.path.join(self.folder, f"{self.name}.{sink.label}.lock")
            how = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(path, how, OWN_FILE)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            yield True
        finally:
            os.close(descriptor)

    def _file(self, sink: Sink) -> str:
        return f"{self.name}.{sink.label}.json"

    def _document(self, sink: Sink) -> dict[str, object]:
        path = os.path.join(self.folder, self._file(sink))
        with told("read", path):
            data = read_file(path, limit=LARGEST)
        try:
            found = json.loads(data or b"{}")
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}


def _cursor(found: dict[str, object]) -> ShipCursor:
    seq, first, at = (found.get(name) for name in ("seq", "first", "at"))
    head = found.get("head")
    if isinstance(seq, int) and isinstance(first, int) and isinstance(at, int) and at >= 0:
        return ShipCursor(seq=seq, head=str(head), first=first, at=at)
    return ShipCursor()
