"""Ask the record: read its lines back, and choose among them.

Making lines is `event`'s and `chain`'s work, proving them `verify`'s. Reading files, and knowing
where in them a time lies, is a store's.
Always true: a line that cannot be read is left out by a query, never an exception; `verify`
is what tells of such lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from msgspec import Struct

# The words people use for an outcome, and the words that doors write for it.
OUTCOMES: Mapping[str, frozenset[str]] = {
    "deny": frozenset({"deny", "denied"}),
    "denied": frozenset({"deny", "denied"}),
    "allow": frozenset({"allow", "allowed"}),
    "allowed": frozenset({"allow", "allowed"}),
    "ask": frozenset({"ask", "hitl_required", "waiting"}),
    "waiting": frozenset({"ask", "hitl_required", "waiting"}),
}
OUTCOME_FIELDS = ("status", "verdict", "decision")

_scan = json.JSONDecoder().raw_decode


def parse_line(line: bytes) -> dict[str, object] | None:
    """Return a line's event, or None when it has none."""
    try:
        text = line.decode("utf-8")
        found, end = _scan(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and end == len(text) else None


class Query(Struct, frozen=True, kw_only=True):
    """What to choose. Every part that is given must fit; an empty query fits everything.

    `since` and `until` are moments as the record writes them (`timestamps.parse_when` makes them);
    `since` is included, `until` is not. `path` is a glob. `ops` are several values of `op`.
    """

    since: str = ""
    until: str = ""
    path: str = ""
    agent: str = ""
    outcome: str = ""
    rule: str = ""
    op: str = ""
    ops: frozenset[str] = frozenset()
    proposal: str = ""
    event_hash: str = ""
    last: int = 0

    def accepts(self, event: Mapping[str, object]) -> bool:
        """Say whether an event fits."""
        ts = event.get("ts")
        moment = ts if isinstance(ts, str) else ""
        return (
            (not self.since or moment >= self.since)
            and (not self.until or moment < self.until)
            and (not self.op or event.get("op") == self.op)
            and (not self.ops or event.get("op") in self.ops)
            and (not self.proposal or event.get("proposal") == self.proposal)
            and (not self.event_hash or event.get("event_hash") == self.event_hash)
            and (not self.agent or event.get("agent") == self.agent)
            and (not self.outcome or self._has_outcome(event))
            and (not self.rule or self._has_rule(event))
            and (not self.path or self._has_path(event))
        )

    def _has_outcome(self, event: Mapping[str, object]) -> bool:
        words = _outcomes(self.outcome)
        return any(event.get(field) in words for field in OUTCOME_FIELDS if _is_text(event, field))

    def _has_rule(self, event: Mapping[str, object]) -> bool:
        rules = event.get("rules")
        return event.get("rule") == self.rule or (isinstance(rules, list) and self.rule in rules)

    def _has_path(self, event: Mapping[str, object]) -> bool:
        from penstock.core.paths.globs import matches

        path = event.get("path")
        return isinstance(path, str) and matches(self.path, path)

    def needle(self) -> bytes:
        """Return bytes that every fitting line must hold, b"" when there are none to name.

        Searching bytes is fifty times quicker than reading lines, so the rarest part is
        named. A part is usable only when it stands on the line exactly as it is asked for.
        """
        for text in (self.event_hash, self.proposal):
            if text and _is_plain(text):
                return b'"' + text.encode() + b'"'
        if name := self.path_needle():
            return name
        if self.outcome:
            start = _common_start(sorted(_outcomes(self.outcome)))
            if len(start) >= 2 and _is_plain(start):
                return b':"' + start.encode()
        for text in (self.rule, self.op, self.agent):
            if text and _is_plain(text):
                return b'"' + text.encode() + b'"'
        return b""

    def path_needle(self) -> bytes:
        """Return bytes that the path of every fitting line must hold, b"" for none."""
        return _longest_name(self.path).encode()

    def fits(self, line: bytes) -> bool:
        """Say whether a line's event fits; a line without one never does."""
        event = parse_line(line)
        return event is not None and self.accepts(event)


EVERYTHING = Query()


def _outcomes(word: str) -> frozenset[str]:
    return OUTCOMES.get(word, frozenset({word}))


def _is_text(event: Mapping[str, object], field: str) -> bool:
    return isinstance(event.get(field), str)


def _common_start(words: list[str]) -> str:
    """Return what sorted words begin with in common."""
    first, last = words[0], words[-1]
    at = 0
    while at < min(len(first), len(last)) and first[at] == last[at]:
        at += 1
    return first[:at]


def _longest_name(glob: str) -> str:
    """Return the longest text that stands in every path that a glob meets; "" without a long one.

    Never across a `/`, which JSON may write in two ways.
    """
    pieces = re.split(r"[*?/]+", glob)
    return max(
        (piece for piece in pieces if len(piece) > 2 and _is_plain(piece)), key=len, default=""
    )


def _is_plain(text: str) -> bool:
    """True when JSON writes a text as it is."""
    return text.isascii() and text.isprintable() and '"' not in text and "\\" not in text
