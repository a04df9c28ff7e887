"""Check the approvals on the record: each signature against what it says was approved.

Reading the record is elsewhere, and so is remembering which keys are the approver's. A line can
be added by whoever can write the log, so a line that names a key proves nothing by itself.
Always true: an approval is good only if a trusted key signed exactly that proposal, path, base,
content, policy and time, or vouches for the passkey or the unlock that did (`approval_proof`), and
only once; one without a signature is good only from before there was a key.

A key is trusted that
1. the approver's own store remembers (`know`), or
2. a trusted key has signed as its successor, or
3. a record names first of all that comes from elsewhere (`elsewhere`), where nothing is known.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from penstock.core.audit.approval.approval_proof import KINDS, LATEST, proof_fault
from penstock.core.audit.approval.passkey_use import ENTRIES, PasskeyUse
from penstock.core.audit.approval.standing_approval import DECIDING
from penstock.core.audit.findings import AuditProblem, TamperKind
from penstock.core.digest import digest
from penstock.core.proposals.signature import KEY_BYTES, check, key_id, statement, succession

APPROVED, KEY_MADE = "approved", "key_made"
NOTICE = frozenset({APPROVED, KEY_MADE}) | DECIDING | ENTRIES

Event = Mapping[str, object]


class Approvals(Struct):
    """Goes over numbered events once, in their order; `problems` and `warnings` are its finds.

    `elsewhere` says that the record is not this approver's own.
    """

    elsewhere: bool = False
    keys: dict[str, bytes] = field(default_factory=dict)
    problems: list[AuditProblem] = field(default_factory=list)
    warnings: list[AuditProblem] = field(default_factory=list)
    needed: bool = False  # a key was made further up, and since then nothing else approves
    since: str = ""  # the time of the first known key, as the record writes times
    latest: str = ""  # the id of the key that the record named last
    passkeys: PasskeyUse = field(default_factory=PasskeyUse)
    _given: dict[str, int] = field(default_factory=dict)  # the lines of statements, by digest

    def know(self, public: bytes, since: str = "") -> None:
        """Trust a key that the approver's store remembers, made at a time if that is known."""
        self.keys[key_id(public)] = public
        self.since = min(filter(None, (self.since, since)), default="")

    def trust(self, others: Iterable[bytes]) -> None:
        """Trust keys of other approvers, whom the organisation's bundles name."""
        for public in others:
            self.keys.setdefault(key_id(public), public)

    def feed(self, events: Iterable[tuple[int, Event]]) -> None:
        """Check every approval among some events, each with the number of its line."""
        for line, event in events:
            if event.get("op") == KEY_MADE:
                self._meet(line, event)
                self.needed = True
            elif event.get("op") == APPROVED:
                self._approve(line, event)
            elif event.get("op") in ENTRIES:
                for why in self.passkeys.note(event, self.keys):
                    self._tell(line, why)

    def _approve(self, line: int, event: Event) -> None:
        path = event.get("path")
        if event.get("proof") in KINDS:
            why = self._proof_fault(event)
        elif event.get("signature"):
            why = self._signature_fault(event)
        else:
            if self._is_late(event):
                self._tell(line, f"the approval of `{path}` is not signed")
            return
        # A statement holds the moment of its approval, so nobody ever gives the same twice.
        before = line if why else self._given.setdefault(digest(approved_statement(event)), line)
        if before != line:
            why = f"the approval of `{path}` was used before, at line {before}"
        if why:
            self._tell(line, why)

    def _is_late(self, event: Event) -> bool:
        """The key of one user counts in every workspace, and only one record tells of it."""
        return self.needed or bool(self.since and str(event.get("ts", "")) > self.since)

    def _meet(self, line: int, event: Event) -> None:
        public = _key(event.get("approver"))
        found = key_id(public)
        handed_on = self._handed_on(event, public)
        if len(public) != KEY_BYTES:
            self._tell(line, "this names a key that is not an approver key")
            return
        if not self._is_trusted(found, handed_on):
            self._tell(line, f"the key `{found}` is named here but is not the approver's")
            return
        if self.latest not in ("", found) and not handed_on:
            said = f"the key `{found}` replaced `{self.latest}` without its signature"
            self.warnings.append(
                AuditProblem(kind=TamperKind.KEY_REPLACED, line=line, message=said)
            )
        self.keys[found] = public
        self.latest = found

    def _is_trusted(self, found: str, handed_on: bool) -> bool:
        first = self.elsewhere and not self.latest
        return found in self.keys or handed_on or first

    def _handed_on(self, event: Event, public: bytes) -> bool:
        old = self.keys.get(str(event.get("replaces")))
        signature = str(event.get("signature"))
        return old is not None and check(old, succession(old, public), signature)

    def _signature_fault(self, event: Event) -> str:
        public = self.keys.get(str(event.get("key_id")))
        if public is None:
            return f"approval by `{event.get('key_id')}`, which is not an approver key"
        good = check(public, approved_statement(event), str(event["signature"]))
        return "" if good else f"the approval of `{event.get('path')}` has an invalid signature"

    def _proof_fault(self, event: Event) -> str:
        why = proof_fault(event, approved_statement(event), self.keys)
        why = why or next(self.passkeys.approve(event), "")
        return f"the approval of `{event.get('path')}` is invalid: {why}" if why else ""

    def _tell(self, line: int, message: str) -> None:
        self.problems.append(AuditProblem(kind=TamperKind.BAD_APPROVAL, line=line, message=message))


def _key(text: object) -> bytes:
    try:
        return base64.b64decode(str(text), validate=True)
    except (binascii.Error, ValueError):
        return b""


def approved_statement(event: Event) -> bytes:
    """Return the statement that an approval in the record says was signed."""
    at = event.get("signed_at")
    possible = isinstance(at, int | float) and 0 <= at < LATEST
    return statement(
        str(event.get("proposal")),
        _digest(event.get("base_hash")),
        _digest(event.get("content_hash")),
        str(event.get("revision")),
        at if isinstance(at, int | float) and possible else 0.0,
        path=str(event.get("path")),
        modes=(_digest(event.get("base_mode")), _digest(event.get("mode"))),
    )


def _digest(value: object) -> str | None:
    return value if isinstance(value, str) else None
