"""Pending writes meet the disk and the rules, and become proposals.

A second write to a file is measured against what the first would leave. Many small changes are
also judged together, against what the file held before this thread first wrote to it. Asking
people and writing are for others.
Always true: nothing is written here; judging the same step again finds the same proposals, and
what was first shown of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from penstock.core.change import measure
from penstock.core.decide import combine
from penstock.core.digest import digest
from penstock.core.lines import survey
from penstock.core.model import Action, Actor, Bytes, Change, Decision, Request, Verdict
from penstock.core.overwrite import unmeasured
from penstock.core.proposal import Proposal, State
from penstock.doors.langgraph.classify import not_text, source_of
from penstock.doors.langgraph.errors import BadTargetError
from penstock.doors.langgraph.progress import comparing
from penstock.doors.langgraph.project import Place, Project
from penstock.doors.langgraph.thread import Thread
from penstock.gate import Gate, Item, Proof

AGENT = "langgraph"
MOST_AGAIN = 10_000
MOST_VERSIONS = 1000
TOGETHER = "with the earlier changes of this run"
THE_DOOR = Proof(by=AGENT, kind="door")


@dataclass(frozen=True, kw_only=True, slots=True)
class Write:
    """A pending write that was measured and judged.

    `base` is the digest of what it was judged against, `before` the content itself where a
    person must see it. `proposal` is None while another write to the same file comes first.
    """

    at: int
    text: str
    place: Place
    base: str | None
    before: bytes | None
    change: Change
    decision: Decision
    proposal: Proposal | None = None

    @property
    def content(self) -> bytes:
        """What would be written; the state holds it already, so it is not kept twice."""
        return self.text.encode("utf-8")

    @property
    def asks(self) -> bool:
        """Say whether a person decides."""
        return self.decision.verdict is Verdict.ASK

    @property
    def path(self) -> str:
        """Where it goes, from the workspace on."""
        return self.place.path.text


@dataclass(kw_only=True)
class Judging:
    """The writes of one step, judged one after the other.

    `left` is what those before would leave in each file; `starts` the digests of what each file
    held when this thread first wrote to it, and `written` those files that it really wrote to.
    """

    project: Project
    thread: Thread
    attended: bool
    starts: dict[str, str | None] = field(default_factory=dict)
    left: dict[str, str | bytes | None] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)

    @property
    def gate(self) -> Gate:
        """The gate of the workspace."""
        return self.project.here.gate

    @property
    def actor(self) -> Actor:
        """Who asks, as the record tells it."""
        return Actor(agent=AGENT, session=self.thread.id, context_id=self.thread.step)

    def judge(self, at: int, pending: object) -> Write:
        """Measure and judge one pending write. Raises PenstockError where that cannot be done."""
        if not isinstance(pending, Mapping):
            raise BadTargetError("bad-write", f"a pending write is {type(pending).__name__}")
        place = self.project.find(pending.get("target_path"))
        text = pending.get("new_content")
        source = source_of(text)
        content = source.read(0, source.size)
        follows = place.path.text in self.left
        judged = (self._following if follows else self._first)(at, place, content, str(text))
        if judged.decision.verdict is not Verdict.DENY:
            self.left[judged.path] = judged.text
            self.starts.setdefault(judged.path, judged.base)
        return judged

    # -- the first write to a file ---------------------------------------------------------

    def _first(self, at: int, place: Place, content: bytes, text: str) -> Write:
        shown, now = self._shown(at, place, content)
        if now is None:
            now = self.propose(at, place, content, again=0 if shown is None else None)
        first = shown or now
        asks = first.decision.verdict is Verdict.ASK
        return Write(
            at=at,
            text=text,
            place=place,
            base=first.base,
            before=self.gate.contents(first)[0] if asks else None,
            change=first.change,
            decision=first.decision,
            proposal=now,
        )

    def known(self, at: int, place: Place, content: bytes) -> Proposal | None:
        """Return the proposal that an earlier run of this step has made, if it is not over."""
        return self._shown(at, place, content)[1]

    def _shown(
        self, at: int, place: Place, content: bytes
    ) -> tuple[Proposal | None, Proposal | None]:
        """Return the proposal that was shown first, and the one that stands for it now."""
        first: Proposal | None = None
        for again in range(MOST_AGAIN if self.thread.step else 0):
            one = self.gate.get(self._id(at, place, content, again))
            first = first or one
            if one is None or not self.is_over(one):
                return first, one
        return first, None

    def is_over(self, one: Proposal) -> bool:
        """Say whether its time is over, or a crash came before another could take its place."""
        state = latest(self.gate, one).state
        expired = one.expired(self.gate.now())
        return expired or state in (State.EXPIRED, State.SUPERSEDED)

    def _id(self, at: int, place: Place, content: bytes, again: int) -> str:
        return self.thread.proposal_id(at, place.path.text, digest(content), again)

    def propose(self, at: int, place: Place, content: bytes, *, again: int | None = 0) -> Proposal:
        """Put a write on the queue as the file is now. `again` None takes the next free id."""
        ids = self._free_id(at, place, content, again) if self.thread.step else ()
        self.project.exists(place)
        with comparing(place.shown) as told, self.gate.measuring(told):
            (one,) = self.gate.propose(
                [Item(path=place.path.text, content=content)],
                actor=self.actor,
                attended=self.attended,
                ids=ids,
                judged=self._besides(place, content, self._held(place)),
            )
        self._require_text(one, place)
        return one

    def _free_id(self, at: int, place: Place, content: bytes, again: int | None) -> tuple[str]:
        numbers = range(MOST_AGAIN) if again is None else (again,)
        for number in numbers:
            known = self._id(at, place, content, number)
            if again is not None or self.gate.get(known) is None:
                break
        return (known,)

    def _require_text(self, one: Proposal, place: Place) -> None:
        """A file that nobody can judge line by line is left alone."""
        if one.base is None or one.change.unit == "lines":
            return
        before = self.gate.contents(one)[0]
        if before is None or survey(Bytes(before)).text:
            return
        problem = not_text(place.shown)
        if one.state in (State.WAITING, State.APPROVED):
            self.gate.answer(one.id, approve=False, proof=THE_DOOR, reason=problem.message)
        raise problem

    # -- another write to the same file ----------------------------------------------------

    def _following(self, at: int, place: Place, content: bytes, text: str) -> Write:
        left = self.left[place.path.text]
        before = left.encode("utf-8") if isinstance(left, str) else left
        threshold = self.gate.policy().gate.change_threshold
        with comparing(place.shown) as told:
            change = measure(before, content, change_threshold=threshold, progress=told)
        base = None if before is None else digest(before)
        besides = self._besides(place, content, base)
        parts = [self._judged(place, change), *([besides] if besides else [])]
        return Write(
            at=at,
            text=text,
            place=place,
            base=base,
            before=before,
            change=change,
            decision=combine(parts, self.gate.policy()),
        )

    # -- what else there is to say to a write ------------------------------------------------

    def _judged(self, place: Place, change: Change | None) -> Decision:
        action = Action.WRITE if self.project.exists(place) else Action.CREATE
        return self.gate.decide(
            Request(
                action=action,
                target=place.target,
                change=change,
                attended=self.attended,
                actor=self.actor,
            )
        )

    def _held(self, place: Place) -> str | None:
        """Return the digest of what a file holds, if this thread has written to it."""
        if place.path.text not in self.starts:
            return None
        return self.gate.digest(place.path.text)

    def _besides(self, place: Place, content: bytes, base: str | None) -> Decision | None:
        """Return what the rules say to the name as given, and to this run's changes together."""
        found = [self._judged(place, None)] if place.linked else []
        change = self._since_start(place.path.text, content, base)
        if change is not None:
            one = self._judged(place, change)
            because = f"{TOGETHER}, {one.because}" if one.because else ""
            found.append(replace(one, because=because))
        return combine(found, self.gate.policy()) if found else None

    def _since_start(self, path: str, content: bytes, base: str | None) -> Change | None:
        """Measure a write against what the file held before this thread wrote to it."""
        start = self.starts.get(path)
        if start is None or start == base:  # there was no file, or it is as it was then
            return None
        old = self.gate.content(start)
        # What is no longer kept cannot be compared: in doubt somebody looks.
        return unmeasured(len(content)) if old is None else measure(old, content)


def latest(gate: Gate, one: Proposal) -> Proposal:
    """Return the newest version of a proposal: a strategy or an edit puts one in its place."""
    now = gate.get(one.id) or one
    if now.state is not State.SUPERSEDED:
        return now
    # Oldest first, so that one walk finds the end of the line.
    for version in gate.find(path=now.path, limit=MOST_VERSIONS):
        if version.parent == now.id:
            now = version
    return now
