"""Pending writes meet the disk and the rules, and become proposals.

A second write to a file is measured against what the first would leave. Many small changes are
also judged together, against what the file held before this thread first wrote to it. Asking
people and writing are for others.
Always true: nothing is written here; judging the same step again finds the same proposals, and
what was first shown of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from penstock.core.diff.measure import measure
from penstock.core.diff.overwrite import unmeasured
from penstock.core.digest import digest
from penstock.core.model import Action, Actor, Bytes, Change, Decision, Request, Verdict
from penstock.core.policy.decide import combine
from penstock.core.proposals.intent import NO_INTENT, AgentIntent, said_with
from penstock.core.proposals.model import Proposal, State
from penstock.core.text.lines import survey
from penstock.doors.langgraph.classify import not_text, request_of, source_of
from penstock.doors.langgraph.errors import BadTargetError
from penstock.doors.langgraph.preview import comparing
from penstock.doors.langgraph.project import Place, Project
from penstock.doors.langgraph.proposals import standing
from penstock.doors.langgraph.state import FileWriteRequest
from penstock.doors.langgraph.thread import Thread
from penstock.gate import Gate, Item, Proof

AGENT = "langgraph"
TOGETHER = "with the earlier changes of this run"
THE_DOOR = Proof(by=AGENT, kind="door")


class Write(Struct, frozen=True, kw_only=True):
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

    @property
    def request(self) -> FileWriteRequest:
        """What was measured; its classification is text, because checkpointers keep no enums."""
        request = request_of(self.place.shown, self.text, self.change)
        request["classification"] = request["classification"].value  # type: ignore[typeddict-item]
        return request


class WriteJudge(Struct, kw_only=True, dict=True):
    """The writes of one step, judged one after the other.

    `left` is what those before would leave in each file; `starts` the digests of what each file
    held when this thread first wrote to it, and `written` those files that it really wrote to.
    `words` are what the agent says of the write to each.
    """

    project: Project
    thread: Thread
    attended: bool
    starts: dict[str, str | None] = field(default_factory=dict)
    left: dict[str, str | bytes | None] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)
    words: dict[str, AgentIntent] = field(default_factory=dict)

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
        said = said_with(pending, path=place.path.text)
        self.words[place.path.text] = AgentIntent(why=said.why, regions=said.of(place.path.text))
        follows = place.path.text in self.left
        judged = (self._following if follows else self._first)(at, place, content, str(text))
        if judged.decision.verdict is not Verdict.DENY:
            self.left[judged.path] = judged.text
            self.starts.setdefault(judged.path, judged.base)
        return judged

    # -- the first write to a file ---------------------------------------------------------

    def _first(self, at: int, place: Place, content: bytes, text: str) -> Write:
        known = self._id(at, place, content)
        shown = self.gate.get(known) if known else None
        now = self.proposed(at, place, content)
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

    def _id(self, at: int, place: Place, content: bytes) -> str:
        """Return the id that an earlier run of this step has given; outside of a graph none."""
        step = self.thread.step
        return self.thread.proposal_id(at, place.path.text, digest(content)) if step else ""

    def proposed(self, at: int, place: Place, content: bytes) -> Proposal:
        """Return a write's proposal; one whose time is over is made again, as the file is now."""
        known = self._id(at, place, content)
        found, ids = standing(self.gate, [known]) if known else ([], [])
        made = self.gate.get(ids[0]) if found else None
        return made or self._propose(place, content, ids)

    def _propose(self, place: Place, content: bytes, ids: Sequence[str]) -> Proposal:
        self.project.exists(place)
        with comparing(place.shown) as told, self.gate.measuring(told):
            (one,) = self.gate.propose(
                [Item(path=place.path.text, content=content)],
                actor=self.actor,
                attended=self.attended,
                ids=ids,
                judged=self._besides(place, content, self._held(place)),
                intent=self.words.get(place.path.text, NO_INTENT),
            )
        self._require_text(one, place)
        return one

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
