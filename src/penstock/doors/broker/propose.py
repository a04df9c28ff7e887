"""Propose, and say what waits: the spec's answer to a change that a person has to look at.

Always true: the diff, its hash and the digests are of exactly the bytes that would be written;
a set waits as a whole or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from penstock.core.diff.hunks import unified
from penstock.core.digest import digest
from penstock.core.file_mode import FileMode
from penstock.core.model import ChangeKind
from penstock.core.proposals.model import OPEN, Proposal, State
from penstock.core.proposals.remarks import remarks
from penstock.core.proposals.short_id import short
from penstock.core.text.display import spoken, visible_diff
from penstock.doors.broker.parameters import ToolRequest
from penstock.doors.broker.responses import (
    NOTHING,
    Status,
    ToolResponse,
    of_decision,
    preview,
    refuse,
)
from penstock.doors.broker.targets import TargetFile
from penstock.gate import Gate, Item, Proof

PROPOSE = "fs.propose_patch"
THE_DOOR = Proof(by="broker", kind="door")
VERBS: Mapping[ChangeKind, str] = {
    ChangeKind.NEW: "CREATE FILE",
    ChangeKind.MODIFY: "MODIFY",
    ChangeKind.REPLACE: "MODIFY",
    ChangeKind.DELETE: "DELETE FILE",
}
NOW_WAITS = "nothing is written until a person approves it"
MOST_NAMED = 5


class FileIntent(Struct, frozen=True, kw_only=True):
    """One file with what it holds and what it should hold; None is no file.

    `mode` is there where more than content is asked for.
    """

    place: TargetFile
    before: bytes | None
    after: bytes | None
    mode: FileMode | None = None

    @property
    def item(self) -> Item:
        """What is proposed: good only for the content that it was made from."""
        expect = None if self.before is None else digest(self.before)
        return Item(path=self.place.path.text, content=self.after, expect=expect, mode=self.mode)


def propose(gate: Gate, asked: ToolRequest, wanted: Sequence[FileIntent]) -> ToolResponse:
    """Put changes on the queue as one proposal or one set, and answer with them."""
    changed = [one for one in wanted if one.before != one.after or one.mode]
    if not changed:
        return _unchanged(wanted)
    items = [one.item for one in changed]
    made = gate.propose(items, actor=asked.actor(), intent=asked.intent())
    denied = next((one for one in made if one.state is State.DENIED), None)
    if denied is not None:
        withdraw(gate, made, f"`{denied.path}` of the same set is denied")
        return refuse(of_decision(denied.decision), method=PROPOSE, path=denied.path)
    return _waiting(gate, changed, made)


def diff_of(
    path: str,
    before: bytes | None,
    after: bytes | None,
    modes: tuple[FileMode | None, FileMode | None],
) -> bytes:
    """Return the unified diff whose digest is a proposal's `patch_hash`."""
    return unified(before, after, path=path, modes=modes)


def withdraw(gate: Gate, made: Sequence[Proposal], reason: str) -> None:
    """Close what is still open of some proposals."""
    found = [gate.get(one.id) for one in made]
    still = [one.id for one in found if one is not None and one.state in OPEN]
    gate.answer_all(still, approve=False, proof=THE_DOOR, reason=reason)


def _unchanged(wanted: Sequence[FileIntent]) -> ToolResponse:
    """What is there already needs nobody's approval, and nothing is written either."""
    shown = wanted[0].place.shown if wanted else ""
    base = digest(wanted[0].before or b"") if wanted else NOTHING
    data = {
        "path": shown,
        "created": False,
        "changed": False,
        "base_hash": base,
        "patch_hash": digest(b""),
        "patch_format": "unified_diff",
    }
    return ToolResponse(
        status=Status.ALLOWED,
        method=PROPOSE,
        path=shown,
        output=f"{shown} already holds exactly this; nothing to propose",
        data=data,
        facts={"created": False, "base_hash": base, "patch_hash": digest(b"")},
    )


def _waiting(gate: Gate, wanted: Sequence[FileIntent], made: Sequence[Proposal]) -> ToolResponse:
    """Return the answer for one proposal, or for a set: the first of it stands for all."""
    first, shown = made[0], wanted[0].place.shown
    both = zip(wanted, made, strict=True)
    diffs = [diff_of(one.place.shown, one.before, one.after, of.modes) for one, of in both]
    whole = b"".join(diffs)
    base, patch_hash = first.base or NOTHING, digest(whole)
    created = first.creates
    summary = _summary(wanted, made)
    data: dict[str, object] = {
        "path": shown,
        "created": created,
        "base_hash": base,
        "patch_hash": patch_hash,
        "patch_format": "unified_diff",
    }
    facts = {"created": created, "base_hash": base, "patch_hash": patch_hash, "hitl_id": first.id}
    if len(made) > 1:
        data |= {"set_id": first.set_id, "files": _files(wanted, made, diffs)}
        facts |= {"set": first.set_id, "files": len(made)}
    return ToolResponse(
        status=Status.HITL_REQUIRED,
        method=PROPOSE,
        path=shown,
        output=f"{summary}: {NOW_WAITS} ({first.id}, {first.ttl:g} s)",
        hitl={
            "hitl_id": first.id,
            "ttl_seconds": int(first.ttl),
            "summary": summary,
            "diff_preview": preview(visible_diff(whole)),
        },
        data=data,
        warnings=_warnings(gate, wanted, made),
        facts=facts,
    )


def _summary(wanted: Sequence[FileIntent], made: Sequence[Proposal]) -> str:
    said = [
        f"{VERBS[one.change.kind]} {spoken(each.place.shown)}"
        for each, one in zip(wanted, made, strict=True)
    ]
    if len(said) == 1:
        return said[0]
    more = f", and {len(said) - MOST_NAMED} more" if len(said) > MOST_NAMED else ""
    return f"CHANGE {len(said)} FILES: {', '.join(said[:MOST_NAMED])}{more}"


def _files(
    wanted: Sequence[FileIntent], made: Sequence[Proposal], diffs: Sequence[bytes]
) -> list[dict[str, object]]:
    return [
        {
            "path": each.place.shown,
            "hitl_id": one.id,
            "summary": f"{VERBS[one.change.kind]} {each.place.shown}",
            "created": one.creates,
            "base_hash": one.base or NOTHING,
            "patch_hash": digest(diff),
        }
        for each, one, diff in zip(wanted, made, diffs, strict=True)
    ]


def _warnings(gate: Gate, wanted: Sequence[FileIntent], made: Sequence[Proposal]) -> list[str]:
    """Return what an approver must know, each with its path where there are several."""
    broken = made[0].decision.degraded
    found = [broken] if broken else []
    for each, one in zip(wanted, made, strict=True):
        before = f"{each.place.shown}: " if len(made) > 1 else ""
        linked = f"the name is a link, and `{one.path}` is what would be written"
        said = [*([linked] if each.place.linked else []), *(flag.text for flag in remarks(one))]
        found += [before + text for text in (*said, *_sent_back(gate, one))]
    return list(dict.fromkeys(found))


def _sent_back(gate: Gate, one: Proposal) -> list[str]:
    """Tell that the very same was rejected before: agents try again, and people forget."""
    closed = gate.find(states=(State.REJECTED,), path=one.path, limit=20)
    for old in reversed(closed):
        if (old.base, old.content) == (one.base, one.content):
            why = f": {old.answer.said}" if old.answer and old.answer.said else ""
            return [f"exactly this was rejected before ({short(old.id)}){why}"]
    return []
