"""Records for tests, made without the code under test: hashlib and string formatting only."""

from __future__ import annotations

import hashlib
import json
import re

ZEROS = "sha256:" + "0" * 64
NAMES = re.compile(r'(?<="approval":")sha256:[0-9a-f]{64}')


def linked(bodies: list[str], prev: str = ZEROS) -> list[bytes]:
    """Return lines (without newlines) that chain some bodies, each the text inside the braces."""
    lines = []
    for body in bodies:
        hashed = f'{{{body},"prev_hash":"{prev}"'.encode()
        prev = "sha256:" + hashlib.sha256(hashed).hexdigest()
        lines.append(hashed + f',"event_hash":"{prev}"}}'.encode())
    return lines


def body(seq: int, *, ts: str = "", **fields: object) -> str:
    """Return the text of an event with a number and a time of its own."""
    moment = ts or f"2025-01-13T{12 + seq // 3600:02d}:{seq // 60 % 60:02d}:{seq % 60:02d}Z"
    event = {"ts": moment, "seq": seq, "op": "read_file", "path": f"src/f{seq}.py"}
    event |= {"status": "allowed", **fields}
    return json.dumps(event, separators=(",", ":"))[1:-1]


def record(count: int, **fields: object) -> list[bytes]:
    """Return a sound record of so many lines."""
    return linked([body(seq, ts="", **fields) for seq in range(count)])


def block(lines: list[bytes]) -> bytes:
    """Return lines as a file holds them."""
    return b"".join(line + b"\n" for line in lines)


def relinked(lines: list[bytes], start: int) -> list[bytes]:
    """Return a record whose lines from `start` on got new hashes, as a careful forger would."""
    kept = lines[:start]
    prev = ZEROS if not kept else kept[-1][-73:-2].decode()
    named: dict[str, str] = {}  # hashes that other lines name: those of approvals
    for line in lines[start:]:
        told = NAMES.sub(lambda found: named.get(found[0], found[0]), line[1:-174].decode())
        (made,) = linked([told], prev)
        prev = made[-73:-2].decode()
        named[line[-73:-2].decode()] = prev
        kept.append(made)
    return kept
