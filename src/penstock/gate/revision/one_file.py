"""Revise: other content in a proposal's place, by a strategy, chosen hunks, an edit or a new base.

Measuring and judging it is `propose`'s, deciding about it `answer`'s.
Always true: a new version is a new proposal, judged and shown again; what it replaces is closed
in the same step, and an earlier approval does not count for it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from penstock.core.diff.hunks import hunks
from penstock.core.errors import InputError, StaleError
from penstock.core.merge.strategies import Strategy, combine, select_hunks
from penstock.core.merge.three_way import Conflict, rebase
from penstock.core.model import Verdict
from penstock.core.proposals.model import Answer, Proposal, State, Transition
from penstock.core.proposals.model import after as state_after
from penstock.core.proposals.short_id import short
from penstock.core.text.quantities import counted
from penstock.gate.answer import Answerer, answered
from penstock.gate.parts import Item, Parts
from penstock.gate.propose import Proposer, proposed, superseded

NONE: Mapping[str, Answer] = {}
NO_IDS: Mapping[str, str] = {}


class Reviser:
    """The steps from one version of a proposal to the next."""

    def __init__(self, parts: Parts, answering: Answerer, proposing: Proposer) -> None:
        self.parts = parts
        self.answering = answering
        self.proposing = proposing

    def revise(
        self,
        proposal_id: str,
        content: bytes | None,
        *,
        origin: str,
        set_id: str = "",
        warnings: Sequence[str] = (),
    ) -> Proposal:
        """Put other content in a proposal's place: measured, judged and waiting again."""
        old = self.parts.proposals.get(proposal_id)
        if old is None:
            raise InputError("not-found", f"there is no proposal `{proposal_id}`")
        made = self.version(old, content, origin=origin, set_id=set_id)
        return self.put_instead([replace(made, warnings=(*warnings, *made.warnings))])[0]

    def version(
        self,
        old: Proposal,
        content: bytes | None,
        *,
        origin: str,
        set_id: str = "",
        new_id: str = "",
    ) -> Proposal:
        """Return what would stand in a proposal's place; nothing is stored yet."""
        item = Item(path=old.path, content=content, mode=old.mode)
        made = self.proposing.make(item, new_id, actor=old.actor, ttl=old.ttl, origin=origin)
        if made.base != old.base and origin != "rebase":
            raise StaleError(
                "base-changed",
                f"`{old.path}` has changed since this proposal was created",
                because=f"it was {old.base or 'absent'} and is {made.base or 'absent'} now",
                hint=f"run `penstock rebase {short(old.id)}`",
            )
        # A person changed what the agent asked for, so a person looks at the result.
        group = set_id or old.set_id
        regions = old.regions if made.content == old.content else ()  # its lines are others now
        return replace(
            made,
            parent=old.id,
            set_id=group,
            state=_at_least_waiting(made),
            why=old.why,
            regions=regions,
        )

    def put_instead(
        self, made: Sequence[Proposal], rejected: Mapping[str, Answer] = NONE
    ) -> tuple[Proposal, ...]:
        """Put new versions on the queue in one step with what they close: a crash loses none."""
        closed = self.parts.proposals.supersede(made, rejected=rejected)
        by = {one.parent: one.id for one in made}
        told = [
            superseded(one, by[one.id], rejected.get(one.id))
            if one.id in by
            else answered(one, rejected[one.id])
            for one in closed
        ]
        self.parts.record_all([*told, *map(proposed, made)])
        return tuple(made)

    def with_strategy(
        self, proposal_id: str, strategy: Strategy, *, at: int | None = None
    ) -> Proposal:
        """Combine the proposed content with what is there, in one of the four ways."""
        one = self.answering.fresh(proposal_id)
        before, after = self.proposing.contents(one)
        if before is None or after is None or strategy is Strategy.REPLACE or not one.text_like:
            return one
        merged = combine(before, after, strategy, at=at, path=one.path)
        origin = f"strategy:{merged.strategy}"
        return self.revise(one.id, merged.content, origin=origin, warnings=merged.warnings)

    def with_hunks(
        self, proposal_id: str, chosen: Collection[int], *, reason: str = ""
    ) -> Proposal:
        """Keep only some hunks of a proposal; the rest goes back to the agent with the reason."""
        one = self.answering.fresh(proposal_id)
        made = self.of_hunks(one, chosen)
        return self.put_instead([made], self.left_out(one, chosen, reason=reason))[0]

    def of_hunks(
        self, one: Proposal, chosen: Collection[int], *, set_id: str = "", new_id: str = ""
    ) -> Proposal:
        """Return the version that only some hunks make; nothing is stored yet."""
        before, after = self.proposing.contents(one)
        if before is None or after is None or not one.text_like:
            raise InputError("no-hunks", f"`{one.path}` is created, removed or linked whole")
        kept = select_hunks(before, after, chosen)
        origin = f"hunks:{','.join(map(str, sorted(chosen)))}"
        return self.version(one, kept, origin=origin, set_id=set_id, new_id=new_id)

    def left_out(
        self, one: Proposal, chosen: Collection[int], *, reason: str = ""
    ) -> Mapping[str, Answer]:
        """Return what the agent reads about the other hunks; nothing where all are kept."""
        before, after = self.proposing.contents(one)
        missing = _left_out(before or b"", after or b"", chosen)
        said = ": ".join(filter(None, (missing, reason)))
        if not said:
            return NONE
        at = self.parts.clock.now().wall
        left = Answer(approved=False, by="a person", proof="choice of hunks", at=at, reason=said)
        return {one.id: left}

    def rebased(self, proposal_id: str) -> Proposal:
        """Carry a proposal over to what the file holds now; an old approval is void."""
        return self.revise(proposal_id, self.preview_rebase(proposal_id)[1], origin="rebase")

    def preview_rebase(self, proposal_id: str) -> tuple[bytes, bytes]:
        """Return what the file holds now and what a rebase would make of it; nothing is made."""
        one = self.parts.proposals.get(proposal_id)
        if one is None:
            raise InputError("not-found", f"there is no proposal `{proposal_id}`")
        state_after(
            one.state, Transition.SUPERSEDE
        )  # what is closed is told before what it would meet
        if not one.text_like:
            raise StaleError(
                "cannot-rebase",
                f"`{one.path}` is no text that could be merged",
                because="a link or a directory is taken whole",
                hint="ask the agent to propose again",
            )
        return self.merged(one.path, *self.proposing.contents(one))

    def merged(self, path: str, before: bytes | None, after: bytes | None) -> tuple[bytes, bytes]:
        """Return what a file holds now, and that with the change from before to after."""
        now = self.proposing.current(path)
        if before is None or after is None or now is None:
            raise StaleError(
                "cannot-rebase",
                f"`{path}` was created or deleted in the meantime",
                because="there is no common ancestor to merge from",
                hint="ask the agent to propose again",
            )
        merged = rebase(before, now, after)
        if merged.content is None:
            raise StaleError(
                "conflict",
                f"`{path}` has conflicting changes",
                because="; ".join(_place(conflict) for conflict in merged.conflicts[:5]),
                hint="ask the agent to propose again",
            )
        return now, merged.content


def _left_out(before: bytes, after: bytes, chosen: Collection[int]) -> str:
    """Say which hunks were rejected, and where they are in the file."""
    found = hunks(before, after)
    left = [
        f"{number} (line {hunk.before_start + 1})"
        for number, hunk in enumerate(found, 1)
        if number not in chosen
    ]
    more = f" and {len(left) - 8} more" if len(left) > 8 else ""
    if not left:
        return ""
    word = "hunk" if len(left) == 1 else "hunks"
    kept = f"{len(found) - len(left)} of {counted(len(found), 'hunk')} kept"
    return f"{kept}; {word} {', '.join(left[:8])}{more} rejected"


def _place(conflict: Conflict) -> str:
    first, last = conflict.theirs_start + 1, max(conflict.theirs_end, conflict.theirs_start + 1)
    lines = f"line {first}" if last == first else f"lines {first} to {last}"
    return f"{lines} of the current file"


def _at_least_waiting(made: Proposal) -> State:
    return State.WAITING if made.decision.verdict is Verdict.ALLOW else made.state
