"""Fuzz the record: any bytes as a log, a note, an event or a text end in a result.

The first byte chooses what the rest is taken for.
"""

from __future__ import annotations

import json
from contextlib import suppress

from penstock.core.audit.broken_links import find_hashes
from penstock.core.audit.checkpoint import (
    make_key,
    open_note,
    read_key,
    read_public_key,
    split_notes,
)
from penstock.core.audit.event import compose
from penstock.core.audit.export.formats import Format, encode
from penstock.core.audit.export.outcomes import Sender
from penstock.core.audit.fast_lines import Shapes
from penstock.core.audit.query import Query, parse_line
from penstock.core.audit.verify import START, LogWalk, pass_block
from penstock.core.errors import PenstockError
from penstock.core.text.redact import redact
from penstock.core.timestamps import parse_when
from tests.core.audit.records import block, linked, record

PUBLIC = make_key("fuzz/log", bytes(range(32))).public()
SOUND = record(6)
SENDER = Sender(version="0")


def as_log(data: bytes) -> None:
    """Bytes put into a sound record are found; what passes as a whole passes line by line."""
    lines = [*SOUND[:3], *data.split(b"\n"), *SOUND[3:]]
    walk = LogWalk()
    walk.feed(block(lines))
    walk.tear(data)
    problems = walk.finish(find_hashes([block(lines)], walk.orphans))
    assert problems or b"".join(lines) == b"".join(SOUND)
    for form in Format:
        for text in encode(data.split(b"\n"), form, SENDER):
            assert form is Format.JSONL or "\n" not in text


def as_line(data: bytes) -> None:
    """A line with right hashes passes the quick way only if it passes the careful one."""
    try:
        body = data.decode("utf-8")
    except UnicodeDecodeError:
        return
    if "\n" in body:
        return
    lines = linked([body])
    shapes = Shapes()
    event = parse_line(lines[0])
    if event is not None:
        shapes.learn(event)
    if pass_block(block(lines), START, shapes) is not None:
        walk = LogWalk()
        walk.feed(block(lines))
        assert not walk.problems
        assert not walk.breaks
    if event is not None and json.dumps(event, separators=(",", ":")).encode() == lines[0]:
        for query in (Query(outcome="denied"), Query(op="x"), Query(agent="y", since="2025")):
            assert query.fits(lines[0]) is query.accepts(event)


def as_note(data: bytes) -> None:
    """Text is a note or an error of ours."""
    text = data.decode("utf-8", "replace")
    split_notes(text)
    for read in (lambda: open_note(text, [PUBLIC]), lambda: read_key(text)):
        with suppress(PenstockError):
            read()
    with suppress(PenstockError):
        read_public_key(text)
    with suppress(PenstockError):
        parse_when(text, now=0.0)


def as_event(data: bytes) -> None:
    """Any facts become one line of valid JSON, or an error of ours."""
    text = data.decode("utf-8", "surrogateescape")
    with suppress(PenstockError):
        event: dict[str, object] = {"op": text[:9] or "x", "path": text, "reason": [text, data]}
        found = compose({**event, "args": {text[:5]: text[5:]}})
        assert found.isascii()
        assert b"\n" not in found
        json.loads(b"{" + found + b"}")
    redact(text)


TAKEN_AS = (as_log, as_line, as_note, as_event)


def one(data: bytes) -> None:
    """Take bytes for something that the record reads."""
    if data:
        TAKEN_AS[data[0] % len(TAKEN_AS)](data[1:])
