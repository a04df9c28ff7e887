"""Propose: a change is measured, judged, stored and shown; deciding about it is `answer`'s.

Always true: proposing never writes. A proposal's digests never change: a strategy, a choice of
hunks, an edit or a new base makes a new proposal.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from penstock.core.audit.standing_approval import POLICY, SWITCH, fingerprint
from penstock.core.diff.hunks import hunks
from penstock.core.diff.measure import measure
from penstock.core.digest import digest
from penstock.core.errors import InputError, RefusedError, StaleError, StoreError
from penstock.core.merge.strategies import Strategy, combine, select_hunks
from penstock.core.merge.three_way import Conflict, rebase
from penstock.core.model import (
    NOBODY,
    STRICTNESS,
    Action,
    Actor,
    Change,
    ChangeKind,
    Decision,
    Request,
    Verdict,
)
from penstock.core.proposals.model import FIRST, UNDO, Answer, Proposal, State, Transition
from penstock.core.proposals.model import after as state_after
from penstock.core.text.display import warnings
from penstock.gate.answer import Answerer, answered
from penstock.gate.doors import Proof
from penstock.gate.parts import ANYTHING, Event, Item, Parts, event_of

NONE: Mapping[str, Answer] = {}
NO_FACTS: Mapping[str, str] = {}

ACTIONS = {
    ChangeKind.NEW: Action.CREATE,
    ChangeKind.MODIFY: Action.WRITE,
    ChangeKind.REPLACE: Action.WRITE,
    ChangeKind.DELETE: Action.DELETE,
}


class Proposer:
    """The steps from content to a proposal, and from one version to the next."""

    def __init__(self, parts: Parts, answering: Answerer) -> None:
        self.parts = parts
        self.answering = answering

    def propose(
        self,
        items: Sequence[Item],
        *,
        actor: Actor = NOBODY,
        attended: bool = True,
        ids: Sequence[str] = (),
        set_id: str = "",
        ttl: float | None = None,
        judged: Decision | None = None,
        origin: str = "",
        extra: Mapping[str, str] = NO_FACTS,
    ) -> tuple[Proposal, ...]:
        """Measure, judge and store the files of one task; several files are one set.

        With `ids` given (derived from a call), proposing the same again finds the first.
        `judged` is what the rules say to the whole call, its tool and arguments included; it
        can only make the answer stricter.
        """
        if not items:
            raise InputError("nothing-proposed", "a proposal needs at least one file")
        found = [self.parts.proposals.get(known) for known in ids]
        if found and all(found):
            return tuple(p for p in found if p is not None)
        group = set_id or (self._new_id("set") if len(items) > 1 else "")
        made: list[Proposal] = []
        left: dict[str, bytes | None] = {}
        for at, item in enumerate(items):
            known = ids[at] if at < len(ids) else self._new_id("hitl")
            one = self.make(
                item, known, actor=actor, attended=attended, left=left, ttl=ttl, origin=origin
            )
            one = replace(one, set_id=group, extra={**one.extra, **extra})
            made.append(_at_least(one, judged))
        return self.store(made)

    def make(
        self,
        item: Item,
        proposal_id: str = "",
        *,
        actor: Actor,
        attended: bool = True,
        left: dict[str, bytes | None] | None = None,
        ttl: float | None = None,
        origin: str = "",
    ) -> Proposal:
        """Measure one file as it is now against what it should hold, and judge that."""
        parts = self.parts
        # Whoever proposes stays in the workspace; rules lie outside it, too.
        anywhere = parts.settled is not None or origin == UNDO
        path = parts.name(item.path) if anywhere else parts.path(item.path).text
        if left is not None and path in left:
            raise InputError(
                "twice-in-one-set",
                f"`{path}` stands twice in one set",
                hint="send the file's final content once",
            )
        before = self.current(path)
        _require(item, before)
        policy = parts.policy()
        change = measure(
            before,
            item.content,
            change_threshold=policy.gate.change_threshold,
            progress=parts.progress,
        )
        request = Request(
            action=ACTIONS[change.kind], change=change, attended=attended, actor=actor
        )
        decision = parts.judge(path, request)
        if left is not None:
            left[path] = item.content
        return Proposal(
            id=proposal_id or self._new_id("hitl"),
            path=path,
            base=None if before is None else parts.blobs.put(before),
            content=None if item.content is None else parts.blobs.put(item.content),
            change=change,
            decision=decision,
            state=FIRST[decision.verdict],
            created=parts.clock.now(),
            ttl=policy.approval.ttl_seconds if ttl is None else ttl,
            actor=actor,
            warnings=_warnings(item.content, change),
            origin=origin,
            extra={"resolved": parts.place(path)[0].resolve(parts.whole(path))},
        )

    def current(self, path: str) -> bytes | None:
        """Return what the file holds now; None when it is absent."""
        files, known = self.parts.place(path)
        return None if files.state(known) is None else files.read(known)

    def store(self, made: Sequence[Proposal]) -> tuple[Proposal, ...]:
        """Put proposals on the queue and their lines on the record."""
        answered = [self._answered_by_policy(one) for one in made]
        self.parts.proposals.add(
            answered, record=lambda new: self.parts.record_all([_proposed(one) for one in new])
        )
        return tuple(answered)

    def _answered_by_policy(self, one: Proposal) -> Proposal:
        """What the rules allow is answered by them; nobody needs to look."""
        if one.state is not State.APPROVED:
            return one
        kind = POLICY if self.parts.settled is None else SWITCH
        answer = Answer(approved=True, by=kind, proof=kind, at=one.created.wall)
        return replace(one, answer=answer)

    def _new_id(self, kind: str) -> str:
        token = self.parts.clock.token()
        # A random UUID (its version is 4, its variant one of 8, 9, a, b): tools expect one.
        variant = "89ab"[int(token[16], 16) % 4]
        halves = f"{token[:8]}-{token[8:12]}-4{token[13:16]}", f"{token[17:20]}-{token[20:32]}"
        return f"{kind}-{halves[0]}-{variant}{halves[1]}"

    # -- new versions ----------------------------------------------------------------------

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
        made = self._version(old, content, origin=origin, set_id=set_id)
        return self._put_instead([replace(made, warnings=(*warnings, *made.warnings))])[0]

    def _version(
        self, old: Proposal, content: bytes | None, *, origin: str, set_id: str = ""
    ) -> Proposal:
        """Return what would stand in a proposal's place; nothing is stored yet."""
        item = Item(path=old.path, content=content)
        made = self.make(item, actor=old.actor, ttl=old.ttl, origin=origin)
        if made.base != old.base and origin != "rebase":
            raise StaleError(
                "base-changed",
                f"`{old.path}` changed after this proposal was made",
                because=f"it was {old.base or 'absent'} and is {made.base or 'absent'} now",
                hint=f"penstock rebase {old.id}",
            )
        # A person changed what the agent asked for, so a person looks at the result.
        group = set_id or old.set_id
        return replace(made, parent=old.id, set_id=group, state=_at_least_waiting(made))

    def _put_instead(
        self, made: Sequence[Proposal], rejected: Mapping[str, Answer] = NONE
    ) -> tuple[Proposal, ...]:
        """Put new versions on the queue in one step with what they close: a crash loses none."""
        closed = self.parts.proposals.supersede(made, rejected=rejected)
        by = {one.parent: one.id for one in made}
        told = [
            _superseded(one, by[one.id], rejected.get(one.id))
            if one.id in by
            else answered(one, rejected[one.id])
            for one in closed
        ]
        self.parts.record_all([*told, *map(_proposed, made)])
        return tuple(made)

    def with_strategy(
        self, proposal_id: str, strategy: Strategy, *, at: int | None = None
    ) -> Proposal:
        """Combine the proposed content with what is there, in one of the four ways."""
        one = self.answering.fresh(proposal_id)
        before, after = self.contents(one)
        if before is None or after is None or strategy is Strategy.REPLACE:
            return one
        merged = combine(before, after, strategy, at=at, path=one.path)
        origin = f"strategy:{merged.strategy}"
        return self.revise(one.id, merged.content, origin=origin, warnings=merged.warnings)

    def with_hunks(
        self, proposal_id: str, chosen: Collection[int], *, reason: str = ""
    ) -> Proposal:
        """Keep only some hunks of a proposal; the rest goes back to the agent with the reason."""
        one = self.answering.fresh(proposal_id)
        before, after = self.contents(one)
        if before is None or after is None:
            raise InputError("no-hunks", f"`{one.path}` is created or removed whole")
        kept = select_hunks(before, after, chosen)
        origin = f"hunks:{','.join(map(str, sorted(chosen)))}"
        made = self._version(one, kept, origin=origin)
        left = Answer(
            approved=False,
            by="a person",
            proof="choice of hunks",
            at=self.parts.clock.now().wall,
            reason=": ".join(filter(None, (_left_out(before, after, chosen), reason))),
        )
        return self._put_instead([made], {one.id: left} if left.reason else NONE)[0]

    def choose_files(
        self,
        found: Sequence[Proposal],
        paths: Collection[str],
        *,
        proof: Proof,
        reason: str = "",
    ) -> tuple[Proposal, ...]:
        """Put the chosen files of a set into a set of their own, and send the others back."""
        unknown = sorted(set(paths) - {one.path for one in found})
        if unknown or not paths:
            raise InputError(
                "not-in-set", f"`{', '.join(unknown)}` is not in this set" if unknown else "no file"
            )
        fresh = [self.answering.fresh(one.id) for one in found]
        group = self._new_id("set")
        made = [
            self._version(one, self.contents(one)[1], origin="chosen", set_id=group)
            for one in fresh
            if one.path in paths
        ]
        why = ": ".join(filter(None, ("not chosen from its set", reason)))
        left = {
            one.id: self.answering.prove(one, approve=False, proof=proof, reason=why)
            for one in fresh
            if one.path not in paths
        }
        return self._put_instead(made, left)

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
        return self.merged(one.path, *self.contents(one))

    def merged(self, path: str, before: bytes | None, after: bytes | None) -> tuple[bytes, bytes]:
        """Return what a file holds now, and that with the change from before to after."""
        now = self.current(path)
        if before is None or after is None or now is None:
            raise StaleError(
                "cannot-rebase",
                f"`{path}` was created or removed meanwhile",
                because="there is no common beginning to merge from",
                hint="ask the agent to propose again",
            )
        merged = rebase(before, now, after)
        if merged.content is None:
            raise StaleError(
                "conflict",
                f"`{path}` was changed in the same place",
                because="; ".join(_place(conflict) for conflict in merged.conflicts[:5]),
                hint="ask the agent to propose again",
            )
        return now, merged.content

    def contents(self, one: Proposal) -> tuple[bytes | None, bytes | None]:
        """Return the bytes before and after, exactly those that were measured."""
        return self.blob(one.base), self.blob(one.content)

    def blob(self, known: str | None) -> bytes | None:
        """Return the bytes of a digest; None stands for no file."""
        if known is None:
            return None
        data = self.parts.blobs.get(known)
        if data is None:
            raise StoreError(
                "content-gone",
                f"the content {known} is no longer kept",
                because="it was older than the space for images allows",
                hint="ask the agent to propose again, or raise [audit] keep_blobs_bytes",
            )
        return data


def _proposed(one: Proposal) -> Event:
    approval = one.answer if one.state is State.APPROVED else None
    return event_of(
        "proposed",
        one,
        status=one.state,
        rules=[reason.rule for reason in one.decision.reasons][:8],
        code=one.decision.code,
        deleted=one.change.lines_deleted,
        added=one.change.lines_added,
        proof=approval.proof if approval else "",
        proposal_hash=fingerprint(one) if approval else "",
    )


def _superseded(one: Proposal, by: str, answer: Answer | None) -> Event:
    reason = answer.reason if answer else ""
    return event_of("superseded", one, status=one.state, by_proposal=by, reason=reason)


def _left_out(before: bytes, after: bytes, chosen: Collection[int]) -> str:
    """Say which hunks were not taken, and where they are in the file."""
    found = hunks(before, after)
    left = [
        f"{number} (line {hunk.before_start + 1})"
        for number, hunk in enumerate(found, 1)
        if number not in chosen
    ]
    more = f" and {len(left) - 8} more" if len(left) > 8 else ""
    return f"of {len(found)} hunks, not taken: {', '.join(left[:8])}{more}" if left else ""


def _place(conflict: Conflict) -> str:
    first, last = conflict.theirs_start + 1, max(conflict.theirs_end, conflict.theirs_start + 1)
    lines = f"line {first}" if last == first else f"lines {first} to {last}"
    return f"{lines} of what is there now"


def _require(item: Item, before: bytes | None) -> None:
    """An edit was made from certain bytes; over any others it would undo what was saved since."""
    if item.expect == ANYTHING:
        return
    now = None if before is None else digest(before)
    if item.expect != now:
        raise StaleError(
            "base-changed",
            f"`{item.path}` changed while this was proposed",
            because=f"it was {item.expect or 'absent'} and is {now or 'absent'} now",
            hint="read it again and propose again",
        )


def _at_least(one: Proposal, judged: Decision | None) -> Proposal:
    """Put a stricter decision on the whole call in the place of the one on this file."""
    if judged is None or STRICTNESS[judged.verdict] <= STRICTNESS[one.decision.verdict]:
        return one
    return replace(one, decision=replace(judged, parts=()), state=FIRST[judged.verdict])


def _at_least_waiting(made: Proposal) -> State:
    return State.WAITING if made.decision.verdict is Verdict.ALLOW else made.state


def _warnings(content: bytes | None, change: Change) -> tuple[str, ...]:
    """Return what an approver must know: of the change, and hidden in the text."""
    if content is None:
        return change.notes
    return (*change.notes, *warnings(content.decode("utf-8", "replace")))


def refused(decision: Decision) -> RefusedError:
    """Return a denial as the error that `apply` raises."""
    return RefusedError(
        decision.code or "path-denied",
        decision.because or "the rules deny this",
        because=f"policy {decision.revision}",
        hint=decision.suggestion,
    )
