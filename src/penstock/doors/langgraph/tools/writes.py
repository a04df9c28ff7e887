"""What an agent's tool calls would do to the project, and what the rules say to that.

One object a workspace judges calls, proposes what a person must see, and puts both on the
record. Who asks the person, and how, is left to the middleware
and the backend; what follows from an answer is `answers`.
Always true: a change that a person must see is a proposal before anybody is asked; looking at
the same call of the same step again finds the same proposals.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from penstock.app import Workspace
from penstock.core.audit.event import judged
from penstock.core.audit.judgement import is_wanted
from penstock.core.errors import RefusedError
from penstock.core.model import Action, Actor, Decision, Verdict
from penstock.core.paths.relpath import RelPath
from penstock.core.proposals.intent import AgentIntent, said_with
from penstock.core.proposals.model import Proposal, State
from penstock.core.text.display import spoken
from penstock.doors.langgraph.settle import After
from penstock.doors.langgraph.tools.calls import FAULTS, CallEntry, GraphCall, phrase, refused, told
from penstock.gate import Call, Gate, Item, Judgement

WRITES = frozenset({Action.WRITE, Action.CREATE, Action.DELETE})
LATER = "send it again after the other one is done, with the file as it is then"


class ToolGate(Struct, frozen=True, kw_only=True, dict=True):
    """The gate as tool calls meet it.

    Relative paths start from `cwd`. With `virtual`, a path that begins with `/` begins at the
    workspace, as the file tools of deepagents have it. With `confined`, nothing outside the
    workspace is written, unless a rule allows it by name. `observes` where the tools are the
    agent's own: what an observing project would stop passes, and is on the record.
    """

    here: Workspace
    agent: str
    cwd: str = ""
    virtual: bool = False
    confined: bool = True
    observes: bool = True

    @property
    def gate(self) -> Gate:
        """The gate of the workspace."""
        return self.here.gate

    def judge(self, wanted: GraphCall) -> Judgement:
        """Return what the rules say to a call, measured against the disk."""
        judged = self.here.judge(
            Call(
                tool=wanted.name,
                tool_input=self._anchored(wanted),
                cwd=self.cwd or self.here.root,
                home=os.environ.get("HOME", ""),
                temporary=os.environ.get("TMPDIR", ""),
                actor=self.actor(wanted),
            )
        )
        said = judged if self.observes else judged.by_all_rules
        return _confined(said) if self.confined else said

    def require(self, wanted: GraphCall) -> Judgement:
        """Judge a call that is to be done now. Raises RefusedError where the rules deny it."""
        judged = self.judge(wanted)
        if judged.decision.verdict is Verdict.DENY:
            self.record(wanted, judged.decision)
            raise denied(judged)
        return judged

    def actor(self, wanted: GraphCall) -> Actor:
        """Return who asks, as the record tells it."""
        return Actor(agent=self.agent, session=wanted.thread.id, tool_call_id=wanted.id)

    def _anchored(self, wanted: GraphCall) -> Mapping[str, object]:
        if not self.virtual or wanted.name not in VIRTUAL_TOOLS:
            return wanted.args
        return {
            key: f"{self.here.root}{value}"
            if key in VIRTUAL_KEYS and isinstance(value, str) and value.startswith("/")
            else value
            for key, value in wanted.args.items()
        }

    # -- before anything happens -------------------------------------------------------------

    def look(self, message: Sequence[GraphCall]) -> dict[str, CallEntry]:
        """Look at all calls of one message; return those that a person decides about.

        Calls of one message run side by side, so only the first may change a file: two of them
        would overwrite each other, and each would be measured without the other.
        """
        found: dict[str, CallEntry] = {}
        taken: set[str] = set()
        for wanted in message:
            asked, paths = self._look_at(wanted, taken)
            taken.update(paths)
            if asked is not None:
                found[wanted.id] = asked
        return found

    def _look_at(self, wanted: GraphCall, taken: set[str]) -> tuple[CallEntry | None, set[str]]:
        try:
            judged = self.judge(wanted)
            paths = set(written(judged))
            if judged.decision.verdict is Verdict.DENY:
                return None, set()  # said when the call comes: nothing to ask, nothing to hold
            if paths & taken:
                return self._crowded(wanted, judged, min(paths & taken)), set()
            if judged.decision.verdict is Verdict.ASK:
                return self.ask(wanted, judged), paths
        except FAULTS as problem:
            return refused(wanted, f"Penstock could not judge this call: {told(problem)}"), set()
        return None, paths

    def _crowded(self, wanted: GraphCall, judged: Judgement, path: str) -> CallEntry:
        said = f"another call of the same message changes `{path}`"
        denied = replace(judged.decision, verdict=Verdict.DENY, code="twice-at-once", because=said)
        self.record(wanted, denied)
        return refused(wanted, phrase(said, LATER))

    def ask(self, wanted: GraphCall, judged: Judgement, after: After | None = None) -> CallEntry:
        """Propose what a person must see; a call whose result is unknown is only described.

        `after` is what each file is to hold, where the caller knows it better than the call.
        """
        decision = judged.decision
        because = decision.because or "this needs the user's approval"
        bases = {path: self.held(path) for path in written(judged)}
        asked = wanted.entry(because, decision.suggestion, bases)
        made = self.proposed(wanted, bases, after)
        if not made:
            self.record(wanted, decision)
            return asked
        no = next((one for one in made if one.state is State.DENIED), None)
        if no is not None:
            return refused(wanted, phrase(no.decision.because, no.decision.suggestion))
        asked["known"] = made[0].set_id or made[0].id
        asked["proposals"] = [one.id for one in made]
        return asked

    def proposed(
        self, wanted: GraphCall, bases: Mapping[str, str | None], after: After | None = None
    ) -> tuple[Proposal, ...]:
        """Propose what the call leaves, unless running it is the only way to know.

        Judged a second time, after the bases were taken: the content is then made from what
        the proposal will be compared with.
        """
        known = self.proposed_before(wanted, bases)
        if known:
            return known
        judged = self.judge(wanted)
        after = left(judged) if after is None else after
        if not after or set(after) != set(bases):
            return ()
        return self.gate.propose(
            [Item(path=path, content=new, expect=bases[path]) for path, new in after.items()],
            actor=self.actor(wanted),
            ids=[wanted.proposal_id(path) for path in after],
            judged=judged.decision,
            intent=self._words(wanted, after),
        )

    def _words(self, wanted: GraphCall, after: After) -> AgentIntent:
        """Return what the agent says of a call; regions of other files are left out."""
        said = said_with(wanted.args, besides=wanted.said)
        return AgentIntent(why=said.why, regions=tuple(r for r in said.regions if r.path in after))

    def proposed_before(self, wanted: GraphCall, paths: Iterable[str]) -> tuple[Proposal, ...]:
        """Return what this step has proposed for this call already, where it is run again.

        The file may be another by now, so that the rules would not ask today; but the question
        was about the file as it was, and so is the answer.
        """
        known = [self.gate.get(wanted.proposal_id(path)) for path in paths]
        return tuple(one for one in known if one is not None) if all(known) else ()

    def held(self, path: str) -> str | None:
        """Return the digest of what a file holds now; None where there is none."""
        state = self.here.files.state(RelPath(text=path))
        return None if state is None else state.digest

    # -- on the record -------------------------------------------------------------------------

    def record(
        self,
        wanted: GraphCall,
        decision: Decision,
        *,
        would: Decision | None = None,
        by: str = "",
        proof: str = "",
    ) -> None:
        """Put a judgement on the record, as far as `[audit] level` wants it there.

        What a person let through, `by` a `proof`, is always there; `would` is what rules say
        that only observe.
        """
        said = would or decision
        rules = [reason.rule for reason in said.reasons]
        if not by and not is_wanted(self.here.policy().audit.level, said.verdict, rules):
            return
        command = wanted.args.get("command")
        shown = command if isinstance(command, str) else ""
        self.add(wanted, judged(decision, {}, would=would, command=shown, by=by, proof=proof))

    def add(self, wanted: GraphCall, facts: Mapping[str, object]) -> str:
        """Add a line about a call and return its hash."""
        who = {
            "agent": self.agent,
            "session": wanted.thread.id,
            "tool_call_id": wanted.id,
            "tool": wanted.name,
        }
        said = {key: value for key, value in {**facts, **who}.items() if value or key == "path"}
        self.here.ready()
        return self.here.record.log.append(said, durable=False).event_hash


# The file tools of deepagents, and those that LangChain offers for Claude.
VIRTUAL_TOOLS = frozenset(
    {
        *("ls", "read_file", "write_file", "edit_file", "delete", "glob", "grep"),
        *("str_replace_based_edit_tool", "memory", "glob_search", "grep_search"),
    }
)
VIRTUAL_KEYS = frozenset({"file_path", "path", "old_path", "new_path"})


def _confined(judged: Judgement) -> Judgement:
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


def denied(judged: Judgement) -> RefusedError:
    """Return a denial as the error that says it."""
    decision = judged.decision
    because = decision.because or "the rules deny this"
    return RefusedError(decision.code or "path-denied", because, hint=decision.suggestion)


def left(judged: Judgement) -> dict[str, bytes | None]:
    """Return what a call leaves in each file; nothing where any part of it is unknown."""
    found: dict[str, bytes | None] = {}
    for one in judged.prepared:
        if not one.known or one.path is None:
            return {}
        found[one.path.text] = one.after
    return found


def written(judged: Judgement) -> Iterator[str]:
    """Yield the files in the workspace that a call would write, each once."""
    paths = (
        one.path.text
        for one in judged.prepared
        if one.path is not None and one.request.action in WRITES
    )
    yield from dict.fromkeys(paths)
