"""Look at very many lines of a log quickly: when, which kind of decision, in which session.

A line in one of the usual shapes is taken apart by its bytes; any other line is parsed. Both
ways tell the same, because the quick one takes only lines that leave no other reading.
Always true: a line that is no decision tells nothing.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import NamedTuple

from penstock.core.audit.chain import stated_hash
from penstock.core.audit.query import parse_line
from penstock.core.learning.past_decision import DEFAULT, Past, past_of

LONGEST_QUICK = 8192  # bytes; beyond, a line is parsed
MOST_KINDS = 65_535


class DecisionField(NamedTuple):
    """What decisions can be alike in. `rule` is the one that was named first."""

    tool: str
    decision: str
    source: str
    rule: str
    review: bool


Seen = tuple[str, DecisionField, str]


def told_by(line: bytes) -> Past | None:
    """Return what a line tells, whoever wrote it: other programs end lines in other ways."""
    event = parse_line(line)
    if event is None and b"{" in line:
        text = line.decode("utf-8", "replace").removeprefix("\ufeff").strip()
        event = parse_line(text.encode())
    return past_of(event) if event is not None else None


def seconds_of(when: str) -> int:
    """Return the seconds since 1970 of any ISO time; 0 for what is none."""
    try:
        found = datetime.fromisoformat(when)
    except ValueError:
        return 0
    second = (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    return max(int(second), 0)


def kind_of(past: Past) -> DecisionField:
    """Return the kind of a decision."""
    rule = next((name for name in past.rules if not name.startswith(DEFAULT)), "")
    return DecisionField(past.tool, past.decision, str(past.source), rule, past.needs_review)


def seen(line: bytes) -> Seen | None:
    """Return when, of which kind and in which session a line decided; None where it did not."""
    found = quick(line) if len(line) <= LONGEST_QUICK else None
    if found is not None:
        return found
    past = told_by(line)
    return (past.ts, kind_of(past), past.session) if past is not None and past.decision else None


# --- lines in their usual shapes -----------------------------------------------------------------

_TEXT = rb'"[^"\\]*(?:\\.[^"\\]*)*"'
_HEAD = re.compile(
    rb'\{"timestamp": ?"([0-9TZ:.+-]{19,40})", ?"session_id": ?"([^"\\]*)", ?'
    rb'"tool_name": ?"([^"\\]*)", ?"tool_input": ?\{'
)
# From the decision to the end nothing is nested that could hold a decision of its own.
_TAIL = re.compile(
    rb'"decision": ?"(\w+)"'
    rb'(?:, ?"decision_source": ?"(\w+)")?'
    rb'(?:, ?"reason(?:ing)?": ?' + _TEXT + rb")?"
    rb'(?:, ?"rule_metadata": ?\{"rule_id": ?"([^"\\]*)"[^{}]*\})?'
    rb'(?:, ?"llm_metadata": ?\{"assessment": ?"(\w+)"[^{}]*\})?'
    rb'(?:, ?"review_flags": ?\{"needs_review": ?(true|false)[^{}]*\})?'
    rb'(?:, ?"cwd": ?' + _TEXT + rb")?\}"
)
_OWN = re.compile(
    rb'\{"ts":"([0-9TZ:-]{20})","seq":\d+,"op":"(\w+)","path":' + _TEXT + rb',"status":"(\w+)"'
)

UNSEEN = DecisionField("", "", "", "", review=False)
_kinds: dict[tuple[object, ...], DecisionField | None] = {}


def quick(line: bytes) -> Seen | None:
    """Return what a line tells if it has a usual shape; None where it must be parsed."""
    head = _HEAD.match(line)
    if head is None:
        return _own(line)
    tail = _TAIL.fullmatch(line, line.rfind(b'"decision":', head.end()))
    if tail is None or not line.isascii():
        return None
    when, session, tool = head.groups()
    told = (tool, tail.groups())
    kind = _kinds.get(told, UNSEEN)
    if kind is UNSEEN:
        kind = _learn(told, line)
    return None if kind is None else (when.decode(), kind, session.decode())


def _own(line: bytes) -> Seen | None:
    head = _OWN.match(line)
    whole = stated_hash(line) and line.find(b"{", 1) < 0 and line.isascii()
    whole = whole and b'"would":' not in line
    if head is None or not whole:
        return None
    when, op, status = head.groups()
    tool = _after(line, b'"tool":"', b'"', head.end())
    rules = _after(line, b'"rules":[', b"]", head.end())
    session = _after(line, b'"session":"', b'"', head.end())
    if not session or b"\\" in session + tool + rules:
        return None
    told = (op, status, tool, rules)
    kind = _kinds.get(told, UNSEEN)
    if kind is UNSEEN:
        kind = _learn(told, line)
    return None if kind is None else (when.decode(), kind, session.decode())


def _after(line: bytes, name: bytes, end: bytes, start: int) -> bytes:
    at = line.find(name, start)
    return line[at + len(name) : line.find(end, at + len(name))] if at >= 0 else b""


def _learn(told: tuple[object, ...], line: bytes) -> DecisionField | None:
    """Remember what lines that tell the same are; those that are no decision are parsed."""
    if len(_kinds) > MOST_KINDS:
        _kinds.clear()
    past = told_by(line)
    _kinds[told] = kind_of(past) if past is not None and past.decision else None
    return _kinds[told]
