"""What an agent's tool calls would do to the project, and what the rules say to that.

One object a workspace judges calls, proposes what a person must see, puts both on the record
and notices what a tool wrote by itself. Who asks the person, and how, is left to the middleware
and the backend; what follows from an answer is `tool_answers`.
Always true: a change that a person must see is a proposal before anybody is asked; looking at
the same call of the same step again finds the same proposals.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, NotRequired, TypedDict

from penstock.app import Workspace
from penstock.core.digest import digest
from penstock.core.display import spoken
from penstock.core.errors import PenstockError
from penstock.core.model import Action, Actor, Decision, Verdict
from penstock.core.paths import RelPath
from penstock.core.proposal import Proposal, State
from penstock.gate import Call, Gate, Item, Judged

WRITES = frozenset({Action.WRITE, Action.CREATE, Action.DELETE})
STATUS = {Verdict.ALLOW: "allowed", Verdict.ASK: "hitl_required", Verdict.DENY: "denied"}
MOST_WATCHED, LARGEST_WATCHED = 64, 16 << 20
FAULTS = (PenstockError, OSError, ValueError, RecursionError)
LATER = "send it again after the other one is done, with the file as it is then"


class Asked(TypedDict):
    """One tool call that does not simply pass, as the graph's state keeps it: plain JSON.

    `call` is the digest of the call's name and arguments; an entry is good for exactly that.
    `known` names its proposals to a person: the one, or their set. `bases` is what each file
    held that the call would write. `refused` is a no that needs no
    person; `decision` is what a person said.
    """

    call: str
    because: str
    instead: str
    known: str
    proposals: list[str]
    bases: dict[str, str | None]
    refused: NotRequired[str]
    decision: NotRequired[dict[str, Any]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """A tool call in a graph. `step` names the step that makes it, the same when run again."""

    name: str
    args: Mapping[str, object] = field(default_factory=dict)
    id: str = ""
    thread: str = ""
    step: str = ""

    @property
    def fingerprint(self) -> str:
        """The digest of what is called with which arguments; empty where they have no spelling."""
        try:
            spelled = json.dumps([self.name, self.args], sort_keys=True, default=str)
        except (TypeError, ValueError, RecursionError):
            return ""
        return digest(spelled.encode())

    def proposal_id(self, path: str) -> str:
        """Return the id of this call's proposal for a file: the same at every run of its step."""
        told = json.dumps([self.thread, self.step, self.id, self.fingerprint, path])
        return f"hitl-{uuid.UUID(bytes=sha256(told.encode()).digest()[:16], version=4)}"

    def is_what(self, asked: Asked) -> bool:
        """Say whether an entry was made for exactly this call."""
        return bool(asked["call"]) and asked["call"] == self.fingerprint


@dataclass(frozen=True, kw_only=True)
class ToolGate:
    """The gate as tool calls meet it.

    Relative paths start from `cwd`. With `virtual`, a path that begins with `/` begins at the
    workspace, as the file tools of deepagents have it. With `confined`, nothing outside the
    workspace is written, unless a rule allows it by name.
    """

    here: Workspace
    agent: str
    cwd: str = ""
    virtual: bool = False
    confined: bool = True

    @property
    def gate(self) -> Gate:
        """The gate of the workspace."""
        return self.here.gate

    def judge(self, wanted: Wanted) -> Judged:
        """Return what the rules say to a call, measured against the disk."""
        judged = self.here.judge(
            Call(
                tool=wanted.name,
                tool_input=self._anchored(wanted),
                cwd=self.cwd or self.here.root,
                home=os.environ.get("HOME", ""),
                actor=self.actor(wanted),
            )
        )
        return _confined(judged) if self.confined else judged

    def actor(self, wanted: Wanted) -> Actor:
        """Return who asks, as the record tells it."""
        return Actor(agent=self.agent, session=wanted.thread, tool_call_id=wanted.id)

    def _anchored(self, wanted: Wanted) -> Mapping[str, object]:
        if not self.virtual or wanted.name not in VIRTUAL_TOOLS:
            return wanted.args
        return {
            key: f"{self.here.root}{value}"
            if key in VIRTUAL_KEYS and isinstance(value, str) and value.startswith("/")
            else value
            for key, value in wanted.args.items()
        }

    # -- before anything happens -------------------------------------------------------------

    def look(self, message: Sequence[Wanted]) -> dict[str, Asked]:
        """Look at all calls of one message; return those that a person decides about.

        Calls of one message run side by side, so only the first may change a file: two of them
        would overwrite each other, and each would be measured without the other.
        """
        found: dict[str, Asked] = {}
        taken: set[str] = set()
        for wanted in message:
            asked, paths = self._look_at(wanted, taken)
            taken.update(paths)
            if asked is not None:
                found[wanted.id] = asked
        return found

    def _look_at(self, wanted: Wanted, taken: set[str]) -> tuple[Asked | None, set[str]]:
        try:
            judged = self.judge(wanted)
            paths = set(_written(judged))
            if judged.decision.verdict is Verdict.DENY:
                return None, set()  # said when the call comes: nothing to ask, nothing to hold
            if paths & taken:
                return self._crowded(wanted, judged, min(paths & taken)), set()
            if judged.decision.verdict is Verdict.ASK:
                return self.ask(wanted, judged), paths
        except FAULTS as problem:
            return refused(wanted, f"Penstock could not judge this call: {told(problem)}"), set()
        return None, paths

    def _crowded(self, wanted: Wanted, judged: Judged, path: str) -> Asked:
        said = f"another call of the same message changes `{path}`"
        denied = replace(judged.decision, verdict=Verdict.DENY, code="twice-at-once", because=said)
        self.record(wanted, denied)
        return refused(wanted, phrase(said, LATER))

    def ask(self, wanted: Wanted, judged: Judged) -> Asked:
        """Propose what a person must see; a call whose result is unknown is only described."""
        decision = judged.decision
        asked = Asked(
            call=wanted.fingerprint,
            because=decision.because or "the rules say that a person decides on this",
            instead=decision.suggestion,
            known="",
            proposals=[],
            bases={path: self.held(path) for path in _written(judged)},
        )
        made = self._proposed(wanted, asked["bases"])
        if not made:
            self.record(wanted, decision)
        no = next((one for one in made if one.state is State.DENIED), None)
        if no is not None:
            return refused(wanted, phrase(no.decision.because, no.decision.suggestion))
        if made:
            asked["known"] = made[0].set_id or made[0].id
            asked["proposals"] = [one.id for one in made]
        return asked

    def _proposed(self, wanted: Wanted, bases: Mapping[str, str | None]) -> tuple[Proposal, ...]:
        """Propose what the call leaves, unless running it is the only way to know.

        Judged a second time, after the bases were taken: the content is then made from what
        the proposal will be compared with.
        """
        known = [self.gate.parts.proposals.get(wanted.proposal_id(path)) for path in bases]
        if known and all(known):
            return tuple(one for one in known if one is not None)
        judged = self.judge(wanted)
        after = left(judged)
        if not after or set(after) != set(bases):
            return ()
        return self.gate.propose(
            [Item(path=path, content=new, expect=bases[path]) for path, new in after.items()],
            actor=self.actor(wanted),
            ids=[wanted.proposal_id(path) for path in after],
            judged=judged.decision,
        )

    def held(self, path: str) -> str | None:
        """Return the digest of what a file holds now; None where there is none."""
        state = self.here.files.state(RelPath(text=path))
        return None if state is None else state.digest

    # -- on the record -------------------------------------------------------------------------

    def record(self, wanted: Wanted, decision: Decision, *, by: str = "", proof: str = "") -> None:
        """Put a judgement on the record, as far as `[audit] level` wants it there.

        What a person let through, `by` a `proof`, is always there.
        """
        rules = [reason.rule for reason in decision.reasons]
        level, allowed = self.here.policy().audit.level, decision.verdict is Verdict.ALLOW
        if allowed and not by and not (level == "all" or (level == "matched" and rules)):
            return
        command = wanted.args.get("command")
        self.add(
            wanted,
            {
                "op": "tool_call",
                "path": decision.path,
                "status": STATUS[decision.verdict],
                "action": str(decision.action or ""),
                "rules": rules[:8],
                "code": decision.code,
                "revision": decision.revision,
                "degraded": decision.degraded,
                "command": command if isinstance(command, str) else "",
                "by": by,
                "proof": proof,
            },
        )

    def add(self, wanted: Wanted, facts: Mapping[str, object]) -> str:
        """Add a line about a call and return its hash."""
        who = {
            "agent": self.agent,
            "session": wanted.thread,
            "tool_call_id": wanted.id,
            "tool": wanted.name,
        }
        said = {key: value for key, value in {**facts, **who}.items() if value or key == "path"}
        self.here.ready()
        return self.here.record.log.append(said, durable=False).event_hash

    # -- what a tool writes by itself ------------------------------------------------------------

    @contextmanager
    def watching(self, wanted: Wanted, judged: Judged) -> Iterator[None]:
        """Notice what a tool changes meanwhile, so that it is on the record and can be undone."""
        before = {path: self._content(path) for path in list(_written(judged))[:MOST_WATCHED]}
        try:
            yield
        finally:
            with suppress(PenstockError, OSError):  # the tool has run: watching stops nobody
                self._notice(wanted, before)

    def _content(self, path: str) -> bytes | Unseen | None:
        try:
            known = RelPath(text=path)
            state = self.here.files.state(known)
            if state is None:
                return None
            return self.here.files.read(known) if state.size <= LARGEST_WATCHED else Unseen()
        except (PenstockError, OSError):
            return Unseen()

    def _notice(self, wanted: Wanted, before: Mapping[str, bytes | Unseen | None]) -> None:
        for path, was in before.items():
            now = self._content(path)
            if isinstance(was, Unseen) or isinstance(now, Unseen) or was == now:
                continue
            facts = {"op": "observed", "path": path, "status": "observed"}
            hashes = {"before_hash": _digest(was), "after_hash": _digest(now)}
            event = self.add(wanted, {**facts, **hashes})
            at = self.gate.parts.clock.now().wall
            self.gate.adopt(path, before=was, after=now, event_hash=event, at=at)


VIRTUAL_TOOLS = frozenset({"ls", "read_file", "write_file", "edit_file", "delete", "glob", "grep"})
VIRTUAL_KEYS = frozenset({"file_path", "path"})


class Unseen:
    """Stands for content that is too large to be kept, or no file at all."""


def _confined(judged: Judged) -> Judged:
    """Deny a write that leaves the workspace; like every proposal, a write belongs inside."""
    decision = judged.decision
    targets = [one.request.target for one in judged.prepared if one.request.action in WRITES]
    out = next((target for target in targets if target is not None and target.outside), None)
    if out is None or decision.granted or decision.verdict is Verdict.DENY:
        return judged
    denied = replace(
        decision,
        verdict=Verdict.DENY,
        code="outside-project",
        because=f"`{spoken(out.shown)}` is outside the project",
        suggestion="use the path of a file inside the project",
        path=out.shown,
        parts=(),
    )
    return replace(judged, decision=denied)


def refused(wanted: Wanted, why: str) -> Asked:
    """Return the entry of a call that is refused without asking anybody."""
    return Asked(
        call=wanted.fingerprint,
        because="",
        instead="",
        known="",
        proposals=[],
        bases={},
        refused=why,
    )


def left(judged: Judged) -> dict[str, bytes | None]:
    """Return what a call leaves in each file; nothing where any part of it is unknown."""
    found: dict[str, bytes | None] = {}
    for one in judged.prepared:
        if not one.known or one.path is None:
            return {}
        found[one.path.text] = one.after
    return found


def _written(judged: Judged) -> Iterator[str]:
    """Yield the files in the workspace that a call would write, each once."""
    paths = (
        one.path.text
        for one in judged.prepared
        if one.path is not None and one.request.action in WRITES
    )
    yield from dict.fromkeys(paths)


def _digest(content: bytes | None) -> str:
    return "" if content is None else digest(content)


def phrase(because: str, instead: str) -> str:
    """Return a reason as agents and people read it: why, and what to do instead."""
    return f"{because}. Instead: {instead}" if instead else because


def told(problem: Exception) -> str:
    """Return a problem in one line, with what to do about it."""
    if not isinstance(problem, PenstockError):
        return str(problem)
    why = f"{problem.message}: {problem.because}" if problem.because else problem.message
    return phrase(why, problem.hint)
