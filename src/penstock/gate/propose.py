"""Propose: a change is measured, judged, stored and shown.

Deciding about it is `answer`'s, and another version of it `revise`'s.
Always true: proposing never writes, and a proposal's digests never change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from penstock.core.audit.approval.standing_approval import POLICY, SWITCH, fingerprint
from penstock.core.diff.measure import measure
from penstock.core.digest import digest
from penstock.core.errors import InputError, RefusedError, StaleError, StoreError
from penstock.core.model import (
    NOBODY,
    STRICTNESS,
    Actor,
    Decision,
    Request,
)
from penstock.core.proposals.intent import NO_INTENT, AgentIntent, only
from penstock.core.proposals.model import FIRST, UNDO, Answer, Proposal, State
from penstock.gate import node as nodes
from penstock.gate.answer import Answerer
from penstock.gate.parts import ANYTHING, Event, Item, Parts, event_of
from penstock.gate.proof.owners import author_facts

NONE: Mapping[str, Answer] = {}
NO_FACTS: Mapping[str, str] = {}


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
        parents: Mapping[str, str] = NO_FACTS,
        intent: AgentIntent = NO_INTENT,
    ) -> tuple[Proposal, ...]:
        """Measure, judge and store the files of one task; several files are one set.

        With `ids` given (derived from a call), proposing the same again finds the first.
        `judged` is what the rules say to the whole call, its tool and arguments included; it
        can only make the answer stricter. `parents` has, by path, the proposals that are replaced.
        `intent` is what the agent says of it; no judgement sees it.
        """
        if not items:
            raise InputError("nothing-proposed", "a proposal needs at least one file")
        found = [self.parts.proposals.get(known) for known in ids]
        if found and all(found):
            return tuple(p for p in found if p is not None)
        group = set_id or (self.new_id("set") if len(items) > 1 else "")
        made: list[Proposal] = []
        left: dict[str, bytes | None] = {}
        for at, item in enumerate(items):
            known = ids[at] if at < len(ids) else self.new_id("hitl")
            one = self.make(
                item, known, actor=actor, attended=attended, left=left, ttl=ttl, origin=origin
            )
            parent = parents.get(item.path, "")
            one = replace(one, set_id=group, parent=parent, extra={**one.extra, **extra})
            made.append(_at_least(one, judged))
        return self.store(self._with_words(self._as_set(made), intent))

    def _with_words(self, made: Sequence[Proposal], said: AgentIntent) -> Sequence[Proposal]:
        """Put the agent's words beside proposals that are judged already."""
        if said == NO_INTENT:
            return made
        named = [replace(one, path=self.parts.path(one.path).text) for one in said.regions]
        only(named, (one.path for one in made))
        found = replace(said, regions=tuple(named))
        return [replace(one, why=found.why, regions=found.of(one.path)) for one in made]

    def _as_set(self, made: Sequence[Proposal]) -> Sequence[Proposal]:
        """Return proposals that know of each other: which of the files got another name."""
        if len(made) < 2:
            return made
        from penstock.gate.file_renames import with_renames

        return with_renames(made, self.parts.blobs.get)

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
        keeps: bool = True,
    ) -> Proposal:
        """Measure one file as it is now against what it should hold, and judge that.

        Without `keeps` the bytes themselves are not stored, for whoever only wants the answer.
        """
        # A hook is a process start, and most of them propose nothing.
        from penstock.core.review.assess import assess
        from penstock.core.review.risks.permissions import mode_remarks

        parts = self.parts
        # Whoever proposes stays in the workspace; rules lie outside it, too.
        anywhere = parts.settled is not None or origin == UNDO
        path = parts.name(item.path) if anywhere else parts.path(item.path).text
        if left is not None and path in left:
            raise InputError(
                "twice-in-one-set",
                f"`{path}` occurs twice in one set",
                hint="send the file's final content once",
            )
        now = nodes.before(item, *parts.place(path))
        _require(item, now.content)
        then = nodes.after(item, now)
        modes = nodes.told_modes(now, then)
        policy = parts.policy()
        change = measure(
            now.content,
            then.content,
            change_threshold=policy.gate.change_threshold,
            progress=parts.progress,
        )
        change = replace(change, notes=(*mode_remarks(modes, then.content), *change.notes))
        request = Request(
            action=nodes.ACTIONS[change.kind], change=change, attended=attended, actor=actor
        )
        decision = nodes.with_target(parts.judge(path, request), parts, path, then, request)
        if left is not None:
            left[path] = then.content
        seen = assess(path, now.content, then.content, change, modes=modes)
        known = parts.blobs.put if keeps else digest
        return Proposal(
            id=proposal_id or self.new_id("hitl"),
            path=path,
            base=None if now.content is None else known(now.content),
            content=None if then.content is None else known(then.content),
            base_mode=modes[0],
            mode=modes[1],
            change=replace(change, white_space=seen.white_space.blanks),
            decision=decision,
            state=FIRST[decision.verdict],
            created=parts.clock.now(),
            ttl=policy.approval.ttl_seconds if ttl is None else ttl,
            actor=actor,
            warnings=tuple(flag.text for flag in seen.flags),
            flags=seen.flags,
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
        first = [one for one in answered if not one.parent]
        if first:
            self.parts.proposals.add(
                first, record=lambda new: self.parts.record_all(self._entries(new))
            )
        newer = [one for one in answered if one.parent]
        if newer:
            self._put_instead(newer)
        return tuple(answered)

    def _put_instead(self, newer: Sequence[Proposal]) -> None:
        """Put newer versions on the queue in one step with what they close."""
        closed = self.parts.proposals.supersede(newer, rejected=NONE)
        by = {one.parent: one.id for one in newer}
        told = [superseded(one, by[one.id], None) for one in closed]
        self.parts.record_all([*told, *self._entries(newer)])

    def _entries(self, made: Sequence[Proposal]) -> list[Event]:
        """Return the entries of proposals that are new on the queue, with who made them."""
        author = author_facts(self.parts)
        return [{**proposed(one), **author} for one in made]

    def _answered_by_policy(self, one: Proposal) -> Proposal:
        """What the rules allow is answered by them; nobody needs to look."""
        if one.state is not State.APPROVED:
            return one
        kind = POLICY if self.parts.settled is None else SWITCH
        answer = Answer(approved=True, by=kind, proof=kind, at=one.created.wall)
        return replace(one, answer=answer)

    def new_id(self, kind: str) -> str:
        """Return a fresh id of a proposal or a set."""
        token = self.parts.clock.token()
        # A random UUID (its version is 4, its variant one of 8, 9, a, b): tools expect one.
        variant = "89ab"[int(token[16], 16) % 4]
        halves = f"{token[:8]}-{token[8:12]}-4{token[13:16]}", f"{token[17:20]}-{token[20:32]}"
        return f"{kind}-{halves[0]}-{variant}{halves[1]}"

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
                f"the content {known} is no longer stored",
                because="older content was deleted to stay within the size limit",
                hint="ask the agent to propose again, or raise [audit] keep_blobs_bytes",
            )
        return data


def proposed(one: Proposal) -> Event:
    """Return the entry of a proposal that is new on the queue."""
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


def superseded(one: Proposal, by: str, answer: Answer | None) -> Event:
    """Return the entry of a proposal that another version replaced."""
    reason = answer.reason if answer else ""
    return event_of("superseded", one, status=one.state, by_proposal=by, reason=reason)


def _require(item: Item, before: bytes | None) -> None:
    """An edit was made from certain bytes; over any others it would undo what was saved since."""
    if item.expect == ANYTHING:
        return
    now = None if before is None else digest(before)
    if item.expect != now:
        raise StaleError(
            "base-changed",
            f"`{item.path}` changed while this was being proposed",
            because=f"it was {item.expect or 'absent'} and is {now or 'absent'} now",
            hint="read it again and propose again",
        )


def _at_least(one: Proposal, judged: Decision | None) -> Proposal:
    """Put a stricter decision on the whole call in the place of the one on this file."""
    if judged is None or STRICTNESS[judged.verdict] <= STRICTNESS[one.decision.verdict]:
        return one
    return replace(one, decision=replace(judged, parts=()), state=FIRST[judged.verdict])


def refused(decision: Decision) -> RefusedError:
    """Return a denial as the error that `apply` raises."""
    return RefusedError(
        decision.code or "path-denied",
        decision.because or "the rules deny this",
        because=f"policy {decision.revision}",
        hint=decision.suggestion,
    )
