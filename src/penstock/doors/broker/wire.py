"""Lines in, lines out: one JSON object a line, read strictly and within bounds.

What a request asks for is `service`'s; here is only whether it is one.
Always true: a line is a request or a problem with a code, never an exception; a line of any
length takes bounded memory; an answer is one line of ASCII.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from penstock.core.errors import InputError
from penstock.core.strict_json import DuplicateKeyError, strict

PIECE = 64 * 1024
LEAST_CAP = 8 * 1024 * 1024
MOST_CAP = 64 * 1024 * 1024
ESCAPED = 6  # bytes that one byte of content may take as JSON

Request: TypeAlias = Mapping[str, object]
Read: TypeAlias = Callable[[int], bytes]


def cap_for(max_write_bytes: int | None) -> int:
    """Return how long a line may be: room for the largest content, however it is escaped."""
    wanted = ESCAPED * (max_write_bytes or LEAST_CAP) + PIECE
    return min(max(LEAST_CAP, wanted), MOST_CAP)


def lines(read: Read, *, most: int) -> Iterator[bytes | InputError]:
    """Yield each line without its end, and an error in the place of one that is too long."""
    held = bytearray()
    dropped = 0
    while piece := read(PIECE):
        *ended, rest = piece.split(b"\n")
        for part in ended:
            held += part
            yield (
                _too_long(dropped + len(held), most) if dropped or len(held) > most else bytes(held)
            )
            held.clear()
            dropped = 0
        held += rest
        if len(held) > most:
            dropped += len(held)
            held.clear()
    if dropped or len(held) > most:
        yield _too_long(dropped + len(held), most)
    elif held:
        yield bytes(held)


def _too_long(size: int, most: int) -> InputError:
    return InputError(
        "too-large",
        f"the line has {size} bytes",
        because=f"a request has {most} bytes at most",
        hint="split the request",
    )


def parse(line: bytes) -> Request:
    """Return the request on a line. Raises InputError `bad-json` or `duplicate-key`."""
    try:
        found = strict(line)
    except DuplicateKeyError as wrong:
        raise InputError("duplicate-key", str(wrong), hint="send each key once") from None
    except ValueError as wrong:
        raise InputError(
            "bad-json",
            "the line is not JSON",
            because=str(wrong)[:200],
            hint="send one object per line",
        ) from None
    if not isinstance(found, dict):
        raise InputError(
            "bad-json", "the line is not a JSON object", hint="send one object per line"
        )
    return found


def encode(answer: Mapping[str, object]) -> bytes:
    """Return an answer as a line; ASCII, so that no reader can disagree about it."""
    return json.dumps(answer, separators=(",", ":")).encode("ascii") + b"\n"
