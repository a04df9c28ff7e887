"""Look at very many lines of a log quickly: when, which kind of decision, in which session.

A line in one of the usual shapes is taken apart by its bytes; any other line is parsed. Both
ways tell the same, because the quick one takes only lines that leave no other reading.
Always true: memory stays that of the columns; a line that is no decision has no row.
"""

from __future__ import annotations

import re
from array import array
from datetime import UTC, datetime
from typing import NamedTuple

from penstock.core.audit.query import parse_line
from penstock.core.learning.past_decision import DEFAULT, DENY, Past, past_of

LONGEST_QUICK = 8192  # bytes; beyond, a line is parsed
MOST_KINDS = 65_535
MOST_TEXTS = 200_000
LAST = 0xFFFFFFFF  # the last second that a column holds
OTHER = 0xFFFFFFFF  # stands for a text beyond those that are kept


class DecisionField(NamedTuple):
    """What decisions can be alike in. `rule` is the one that was named first."""

    tool: str
    decision: str
    source: str
    rule: str
    review: bool


class Texts:
    """Texts with their numbers, in the order in which they were met."""

    def __init__(self, known: list[str] | None = None) -> None:
        self.all = known or []
        self._numbers = {text: at for at, text in enumerate(self.all)}

    def number(self, text: str) -> int:
        """Return a text's number, giving it one if there is room."""
        found = self._numbers.get(text)
        if found is None:
            if len(self.all) >= MOST_TEXTS:
                return OTHER
            found = self._numbers[text] = len(self.all)
            self.all.append(text)
        return found

    def find(self, text: str) -> int:
        """Return a text's number, -1 where it has none."""
        return self._numbers.get(text, -1)


class Rows:
    """The columns of some lines, in the order of the log."""

    def __init__(
        self,
        kinds: list[DecisionField] | None = None,
        sessions: list[str] | None = None,
        commands: list[str] | None = None,
    ) -> None:
        self.kinds = kinds or []
        self._numbers = {kind: at for at, kind in enumerate(self.kinds)}
        self.sessions, self.commands = Texts(sessions), Texts(commands)
        self.offset, self.second = array("Q"), array("I")
        self.kind, self.session = array("H"), array("I")
        self.denied = array("I")  # pairs: a row's number, its command's
        self._minutes: dict[bytes, int] = {}
        self._session: tuple[bytes | None, int] = (None, 0)

    def add(self, block: bytes, start: int) -> None:
        """Add the decisions of a block of whole lines that begins at an offset of its file."""
        at = start
        for line in block.split(b"\n"):
            if line:
                self._line(line, at)
            at += len(line) + 1

    def _line(self, line: bytes, at: int) -> None:
        found = quick(line) if len(line) <= LONGEST_QUICK else None
        if found is None or found[1].decision == DENY:
            past = told_by(line)
            if past is None or not past.decision:
                return
            found = _bytes(past.ts), kind_of(past), _bytes(past.session)
            if past.command and past.decision == DENY:
                self.denied.extend((len(self.kind), self.commands.number(past.command)))
        when, kind, session = found
        self.offset.append(at)
        self.second.append(self._second(when))
        number = self._numbers.get(kind)
        self.kind.append(self._kind(kind) if number is None else number)
        if session != self._session[0]:
            self._session = session, self.sessions.number(session.decode("utf-8", "replace"))
        self.session.append(self._session[1])

    def _kind(self, kind: DecisionField) -> int:
        """Give a kind its number; where there are too many, its tool and rule are not told."""
        if len(self.kinds) >= MOST_KINDS - 1000:
            kind = kind._replace(tool="", rule="")
        if kind not in self._numbers:
            self._numbers[kind] = len(self.kinds)
            self.kinds.append(kind)
        return self._numbers[kind]

    def _second(self, when: bytes) -> int:
        """Return the seconds since 1970; each minute in UTC is worked out once."""
        usual = when[-1:] == b"Z" and when[17:19].isdigit() and (
            len(when) == 20 or (when[19:20] == b"." and when[20:-1].isdigit())
        )  # fmt: skip
        minute = self._minutes.get(when[:17]) if usual else None
        second = int(when[17:19]) if usual else 0
        if minute is not None and second < 60:
            return minute + second
        found = seconds_of(when.decode("utf-8", "replace"))
        if usual and 60 < found < LAST - 60 and second < 60:
            if len(self._minutes) > 1000:
                self._minutes.clear()
            self._minutes[when[:17]] = found - second
        return found


def told_by(line: bytes) -> Past | None:
    """Return what a line tells, whoever wrote it: other programs end lines in other ways."""
    event = parse_line(line)
    if event is None and b"{" in line:
        text = line.decode("utf-8", "replace").removeprefix("\ufeff").strip()
        event = parse_line(text.encode())
    return past_of(event) if event is not None else None


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def seconds_of(when: str) -> int:
    """Return the seconds since 1970 of any ISO time; 0 for what is none."""
    try:
        found = datetime.fromisoformat(when)
    except ValueError:
        return 0
    second = (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    return min(max(int(second), 0), LAST)


def kind_of(past: Past) -> DecisionField:
    """Return the kind of a decision."""
    rule = next((name for name in past.rules if not name.startswith(DEFAULT)), "")
    return DecisionField(past.tool, past.decision, str(past.source), rule, past.needs_review)


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

Quick = tuple[bytes, DecisionField, bytes]


def quick(line: bytes) -> Quick | None:
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
    return None if kind is None else (when, kind, session)


def _own(line: bytes) -> Quick | None:
    head = _OWN.match(line)
    if head is None or line.find(b"{", 1) > 0 or not line.isascii():
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
    return None if kind is None else (when, kind, session)


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
