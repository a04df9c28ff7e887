"""What a tool writes by itself, where the rules let it: on the record, and it can be undone.

Always true: watching stops nobody; what cannot be kept is simply not kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from penstock.core.digest import digest
from penstock.core.errors import PenstockError
from penstock.core.paths.relpath import RelPath
from penstock.doors.langgraph.tools.calls import GraphCall
from penstock.doors.langgraph.tools.writes import ToolGate, written
from penstock.gate import Judgement

MOST_WATCHED, LARGEST_WATCHED = 64, 16 << 20


class OpaqueContent:
    """Stands for content that is too large to be kept, or no file at all."""


Content = bytes | OpaqueContent | None


@contextmanager
def watching(tools: ToolGate, wanted: GraphCall, judged: Judgement) -> Iterator[None]:
    """Notice what a tool changes meanwhile."""
    before = {path: _content(tools, path) for path in list(written(judged))[:MOST_WATCHED]}
    try:
        yield
    finally:
        with suppress(PenstockError, OSError):  # the tool has run, whatever becomes of this
            _notice(tools, wanted, before)


def _content(tools: ToolGate, path: str) -> Content:
    files = tools.here.files
    try:
        known = RelPath(text=path)
        state = files.state(known)
        if state is None:
            return None
        return files.read(known) if state.size <= LARGEST_WATCHED else OpaqueContent()
    except (PenstockError, OSError):
        return OpaqueContent()


def _notice(tools: ToolGate, wanted: GraphCall, before: Mapping[str, Content]) -> None:
    for path, was in before.items():
        now = _content(tools, path)
        if isinstance(was, OpaqueContent) or isinstance(now, OpaqueContent) or was == now:
            continue
        facts = {"op": "observed", "path": path, "status": "observed"}
        hashes = {"before_hash": _digest(was), "after_hash": _digest(now)}
        event = tools.add(wanted, {**facts, **hashes})
        at = tools.gate.now().wall
        tools.gate.adopt(path, before=was, after=now, event_hash=event, at=at)


def _digest(content: bytes | None) -> str:
    return "" if content is None else digest(content)
