"""Lines that are requests or nearly: the broker gives one answer to each and writes nothing."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import suppress
from functools import cache

from penstock.doors.broker.service import TOOLS, Broker, serve

NAMES = (*TOOLS, "", "rm", 7)
KEYS = (
    *("path", "content", "old", "new", "patch", "hitl_id", "reason", "start_line", "end_line"),
    *("max_bytes", "tool_call_id", "context_id", "type", "replace_all"),
)
KEPT = b"one\ntwo\n"


@cache
def _place() -> tuple[Broker, str, tempfile.TemporaryDirectory[str]]:
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = tempfile.TemporaryDirectory(prefix="penstock-fuzz-", dir=memory)
    os.environ["XDG_CONFIG_HOME"] = os.path.join(folder.name, "none")
    file = os.path.join(folder.name, "project", "src", "a.py")
    os.makedirs(os.path.dirname(file))
    with open(file, "wb") as made:
        made.write(KEPT)
    root, state = os.path.join(folder.name, "project"), os.path.join(folder.name, "state")
    return Broker(root, {"audit_log_enabled": False}, state=state), file, folder


def _line(data: bytes) -> bytes:
    """Return a line: the bytes as they are, or a request whose parameters they are."""
    if data[0] % 4 == 0:
        return data[1:].replace(b"\n", b" ")
    pieces = data[2:].decode("utf-8", "replace").split("\x00")
    said: dict[str, object] = {}
    for at, piece in enumerate(pieces[:40]):
        value: object = piece
        with suppress(ValueError, RecursionError):
            value = json.loads(piece)
        said[KEYS[(at + data[0]) % len(KEYS)]] = value
    said.setdefault("path", "src/a.py")
    return json.dumps({"tool_name": NAMES[data[1] % len(NAMES)], **said}).encode()


def one(data: bytes) -> None:
    """Send a line, and look at the answer and at the disk."""
    if len(data) < 3:
        return
    broker, file, _ = _place()
    left = [_line(data)]
    out: list[bytes] = []
    serve(broker, lambda _size: left.pop() if left else b"", out.append)
    for line in out:
        answer = json.loads(line)
        status = answer["details"]["status"]
        assert answer["ok"] is (status in ("allowed", "hitl_required"))
        assert answer["ok"] or answer["details"]["error"]["code"] != "internal_error", answer
    assert len(out) <= 1
    with open(file, "rb") as kept:
        assert kept.read() == KEPT
    assert os.listdir(os.path.dirname(os.path.dirname(file))) == ["src"]
    assert os.listdir(os.path.dirname(file)) == ["a.py"]
