"""One workspace's broker: a request in, a result out, one line in the log.

Always true: every request gets exactly one result, whatever it holds; an agent's role never
applies or rejects; no line in the log means no write and no proposal, and a read that could not
be logged says so.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import StrEnum
from typing import TypeAlias

from msgspec.structs import replace

from penstock.app.workspace import DoorExtras, open_workspace
from penstock.core.digest import digest
from penstock.core.errors import AuditError, InputError, PenstockError, RefusedError
from penstock.core.proposals.model import OPEN, Proposal
from penstock.core.text.display import spoken
from penstock.doors.broker.apply import APPLY, REJECT, apply_proposal, became, reject_proposal
from penstock.doors.broker.config import Given, config_of
from penstock.doors.broker.parameters import ToolRequest
from penstock.doors.broker.propose import PROPOSE, diff_of, withdraw
from penstock.doors.broker.responses import (
    NOTHING,
    BrokerRefusal,
    Status,
    ToolResponse,
    of_decision,
    of_error,
    refuse,
    result,
    shortened,
)
from penstock.doors.broker.targets import DeniedError
from penstock.doors.broker.tools import PROPOSING, READ, read_file
from penstock.doors.broker.wire import cap_for
from penstock.doors.broker.workspace_log import FILE, Beside, Ledger, who
from penstock.gate import Gate, Proof
from penstock.gate.doors import Door
from penstock.ports import AuditLog, LogEntry

Result: TypeAlias = dict[str, object]
TIDY_SECONDS = 5.0  # between two looks for proposals whose time is over
CAUGHT_UP = 50  # applies that a command may have ended while no broker ran


class Role(StrEnum):
    """Who is at the other end."""

    AGENT = "agent"
    FRONT_END = "front-end"


# For each tool: its operation in the answer, and in the log.
TOOLS: Mapping[str, tuple[str, str]] = {
    "read_file": (READ, "read_file"),
    **dict.fromkeys(PROPOSING, (PROPOSE, "write_file_propose")),
    "apply_proposal": (APPLY, "write_file_apply"),
    "reject_proposal": (REJECT, "write_file_reject"),
}
FOR_PEOPLE = frozenset({"apply_proposal", "reject_proposal"})
UNKNOWN = ("fs.unknown", "bad_request")


class Broker:
    """The file broker of one workspace.

    `config` is a settings file, a mapping of settings, or None for the workspace's own
    `config.yaml`. With the role `front-end` a person's program may apply and reject; `proof`
    says who that person is.
    """

    def __init__(
        self,
        workspace: str | os.PathLike[str] | None = None,
        config: Given = None,
        *,
        role: Role | str = Role.AGENT,
        proof: Proof | None = None,
        state: str | None = None,
    ) -> None:
        self.role = _role(role)
        root = None if workspace is None else os.fspath(workspace)
        found = open_workspace(root, state=state)
        self.config = config_of(found.root, config)
        brought = DoorExtras(file=self.config.file, level=self.config.level, beside=self._beside)
        self.here = open_workspace(found.root, state=found.state, brought=brought, door=Door.BROKER)
        self.proof = proof or self._own_proof()
        logged = self.here.policy().broker.audit_log_enabled
        self.ledger = Ledger(self.here.log_beside(FILE) if logged else None)
        self.gate = self._opened()
        self._one_at_a_time = threading.Lock()
        self._tidied = 0.0

    def _opened(self) -> Gate:
        """Open the gate, which ends what a crash left, and tell of what was ended elsewhere."""
        gate = self.here.gate
        done = [(r, gate.get(r.proposal)) for r in gate.receipts(limit=CAUGHT_UP)]
        with suppress(AuditError):  # reading still works, and the next apply says what is wrong
            self.ledger.catch_up([(r, one) for r, one in done if one is not None])
        return gate

    def _beside(self, record: AuditLog) -> AuditLog:
        return Beside(record, self.ledger)

    def _own_proof(self) -> Proof:
        """A program that says it is a person's must not run inside an agent."""
        why = self.here.inside_agent() if self.role is Role.FRONT_END else None
        if why:
            raise RefusedError(
                "inside-agent",
                "the role `front-end` can't be used from an agent's shell",
                because=why,
                hint="run it in your own terminal",
            )
        return Proof(by=str(os.getuid()), kind="front-end")

    @property
    def longest_line(self) -> int:
        """How long a line of a request may be."""
        return cap_for(self.gate.policy().limits.max_write_bytes)

    @property
    def auto_apply(self) -> bool:
        """Say whether the settings let a front end apply without asking."""
        return self.here.policy().broker.auto_apply

    # -- requests --------------------------------------------------------------------------

    def execute_tool(self, request: Mapping[str, object], *, by_agent: bool = False) -> Result:
        """Do what one request asks for, as far as this role may, and return the result.

        With `by_agent` a front end passes on what its agent asks: that stays an agent's.
        """
        with self._one_at_a_time:
            return self._executed(request, by_agent or self.role is Role.AGENT)

    def refuse_line(self, problem: InputError) -> Result:
        """Return the result for a line that is no request."""
        with self._one_at_a_time:
            answer = refuse(of_error(problem), method=UNKNOWN[0], path="")
            logged = self._log(UNKNOWN[1], answer, {}, durable=False)
            return result(answer, logged, tool_name="", tool_call_id=None)

    def _executed(self, request: Mapping[str, object], by_agent: bool) -> Result:
        asked = ToolRequest(request)
        tool = request.get("tool_name")
        name = tool if isinstance(tool, str) else ""
        method, op = TOOLS.get(name, UNKNOWN)
        call: dict[str, object] = {}
        try:
            call = who(asked.actor())
            answer = self._answer(name, asked, by_agent)
        except Exception as error:  # noqa: BLE001 - whatever breaks, the answer is a no
            path = shortened(request.get("path"))
            answer = refuse(_refusal_of(error), method=method, path=path)
        answer, logged = self._recorded(op, answer, call)
        call_id = str(call.get("tool_call_id") or "") or None
        return result(answer, logged, tool_name=shortened(name), tool_call_id=call_id)

    def _answer(self, name: str, asked: ToolRequest, by_agent: bool) -> ToolResponse:
        if asked.said.get("type", "tool_request") != "tool_request":
            raise InputError("bad-request", "`type` is not `tool_request`")
        if name not in TOOLS:
            raise InputError(
                "unknown-tool",
                f"there is no tool `{spoken(shortened(name))}`",
                hint=f"one of {', '.join(TOOLS)}",
            )
        self._tidy()
        if name in FOR_PEOPLE:
            return self._not_for_agents(name, asked) if by_agent else self._settle(name, asked)
        if name == "read_file":
            return read_file(self.gate, asked)
        self._require_enabled()
        self.ledger.require_ready()
        return PROPOSING[name](self.gate, asked)

    def _settle(self, name: str, asked: ToolRequest) -> ToolResponse:
        if name == "reject_proposal":
            return reject_proposal(self.gate, asked, self.proof)
        self._require_enabled()
        return apply_proposal(self.gate, self.ledger, asked, self.proof)

    def _not_for_agents(self, name: str, asked: ToolRequest) -> ToolResponse:
        """Say no, and what became of the proposal, so that nobody has to try again."""
        named = asked.said.get("hitl_id")
        known = became(self.gate, named) if isinstance(named, str) else ""
        refusal = BrokerRefusal(
            code="not_for_agents",
            message=f"`{name}` is for the user's program, not for agents",
            because=known,
            hint="wait for the user's answer; do not send this again",
        )
        path = shortened(asked.said.get("path"))
        answer = refuse(refusal, method=TOOLS[name][0], path=path)
        return replace(answer, facts={**answer.facts, "hitl_id": shortened(named)})

    def _require_enabled(self) -> None:
        if not self.gate.policy().broker.enabled:
            raise RefusedError(
                "disabled",
                "the broker does not accept writes",
                because="`enabled` is false in its settings",
                hint="ask the user to enable it",
            )

    def _tidy(self) -> None:
        """Close what has expired, now and then: a look at the whole queue takes its time."""
        now = time.monotonic()
        if now - self._tidied >= TIDY_SECONDS:
            self._tidied = now
            with suppress(PenstockError):
                self.gate.expire()

    # -- the log ---------------------------------------------------------------------------

    def _recorded(
        self, op: str, answer: ToolResponse, call: Mapping[str, object]
    ) -> tuple[ToolResponse, LogEntry | None]:
        """Write the line of an answer; where that fails, the answer says so."""
        if answer.logged is not None:
            return answer, answer.logged
        if op == "write_file_apply" and answer.status is Status.ALLOWED:
            return answer, None  # the file is written: what could not be told is told later
        try:
            return answer, self._log(op, answer, call, durable=op != "read_file")
        except AuditError as error:
            return self._unlogged(answer, error), None

    def _log(
        self, op: str, answer: ToolResponse, call: Mapping[str, object], *, durable: bool
    ) -> LogEntry | None:
        facts = {"path": answer.path, "status": str(answer.status), **call, **answer.facts}
        return self.ledger.add(op, facts, durable=durable)

    def _unlogged(self, answer: ToolResponse, error: AuditError) -> ToolResponse:
        """A proposal that is not on the log is taken back; a read goes on, with a warning."""
        if answer.status is not Status.HITL_REQUIRED:
            said = f"this is not in the audit log: {error.message}"
            return replace(answer, warnings=(*answer.warnings, said))
        found = self.gate.get(str(answer.hitl["hitl_id"]))
        if found is not None:
            group = self.gate.of_set(found.set_id) or (found,)
            withdraw(self.gate, group, "the entry could not be logged")
        return refuse(of_error(error), method=answer.method, path=answer.path)

    # -- for a person's program ------------------------------------------------------------

    def hitl_record(self, hitl_id: str) -> dict[str, object] | None:
        """Return a proposal that can still be applied, under the spec's names; None otherwise."""
        one = self.gate.get(hitl_id)
        now = self.gate.now()
        if one is None or one.state not in OPEN or one.expired(now):
            return None
        before, after = self.gate.contents(one)
        diff = diff_of(one.path, before, after, one.modes)
        return {
            "hitl_id": one.id,
            "path": one.path,
            "full_path": os.path.join(self.here.root, one.path),
            "created": one.creates,
            "base_hash": one.base or NOTHING,
            "diff": diff.decode("utf-8", "backslashreplace"),
            "new_content": (after or b"").decode("utf-8", "backslashreplace"),
            "patch_hash": digest(diff),
            "expires_at": now.wall + one.expires_in(now),
            **who(one.actor),
        }

    def proposals_of(self, hitl_id: str) -> tuple[Proposal, ...]:
        """Return a proposal with all that is written together with it."""
        one = self.gate.get(hitl_id)
        if one is None:
            return ()
        return self.gate.of_set(one.set_id) or (one,)


def _role(role: Role | str) -> Role:
    try:
        return Role(role)
    except ValueError:
        raise InputError("bad-role", f"`{role}` is not a role", hint="agent or front-end") from None


def _refusal_of(error: Exception) -> BrokerRefusal:
    """Return why not; a fault that nobody foresaw is told as one, and nothing went through."""
    if isinstance(error, DeniedError):
        return of_decision(error.decision)
    if isinstance(error, PenstockError):
        return of_error(error)
    return BrokerRefusal(
        code="internal_error",
        message=f"the broker failed on this request ({type(error).__name__})",
        hint="report this to the user",
        denied=True,
    )


def serve(broker: Broker, read: Callable[[int], bytes], write: Callable[[bytes], object]) -> None:
    """Answer every line that comes in, in order, until there are no more."""
    from penstock.doors.broker.wire import encode, lines, parse

    for line in lines(read, most=broker.longest_line):
        try:
            if isinstance(line, InputError):
                raise line
            if not line.strip():
                continue
            answer = broker.execute_tool(parse(line))
        except InputError as problem:
            answer = broker.refuse_line(problem)
        write(encode(answer))
