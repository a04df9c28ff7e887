"""Check the approvals on the record: each signature against what it says was approved.

Reading the record is elsewhere. Always true: an approval is good only if a key that the record
or the approver names signed exactly that proposal, path, base, content, policy and time; one
without a signature is good only above the line that tells of the first key.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from penstock.core.approval import check, key_id, statement
from penstock.core.findings import Kind, Problem

APPROVED, KEY_MADE = "approved", "key_made"
LATEST = 1e11  # a time after this, the year 5138, was never signed


@dataclass(slots=True)
class Approvals:
    """Goes over events once, in their order; `problems` are what it found."""

    keys: dict[str, bytes] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    needed: bool = False  # a key was made further up, and since then nothing else approves

    def know(self, public: bytes) -> None:
        """Accept a key that the approver names."""
        self.keys[key_id(public)] = public

    def feed(self, events: Iterable[Mapping[str, object]]) -> None:
        """Check every approval among some events."""
        for line, event in enumerate(events, 1):
            if event.get("op") == KEY_MADE:
                self._learn(event)
                self.needed = True
            elif event.get("op") == APPROVED and event.get("signature"):
                self._check(line, event)
            elif event.get("op") == APPROVED and self.needed:
                self._tell(line, f"the approval of `{event.get('path')}` is not signed")

    def _learn(self, event: Mapping[str, object]) -> None:
        try:
            self.know(base64.b64decode(str(event.get("approver")), validate=True))
        except (binascii.Error, ValueError):
            return

    def _check(self, line: int, event: Mapping[str, object]) -> None:
        public = self.keys.get(str(event.get("key_id")))
        if public is None:
            self._tell(line, f"approval by `{event.get('key_id')}`, which is no approver's key")
        elif not check(public, _said(event), str(event["signature"])):
            self._tell(line, f"the approval of `{event.get('path')}` was not signed like this")

    def _tell(self, line: int, message: str) -> None:
        self.problems.append(Problem(kind=Kind.BAD_SIGNATURE, line=line, message=message))


def _said(event: Mapping[str, object]) -> bytes:
    at = event.get("signed_at")
    possible = isinstance(at, int | float) and 0 <= at < LATEST
    return statement(
        str(event.get("proposal")),
        _digest(event.get("base_hash")),
        _digest(event.get("content_hash")),
        str(event.get("revision")),
        at if isinstance(at, int | float) and possible else 0.0,
        path=str(event.get("path")),
    )


def _digest(value: object) -> str | None:
    return value if isinstance(value, str) else None
