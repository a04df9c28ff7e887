"""One call of a tool: who asks, about which workspace, within which roots.

Always true: a path that comes out of `reach` lies beneath the workspace and beneath one of the
client's roots, links followed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping

from msgspec import Struct, field

from penstock.app import Workspace
from penstock.core.audit.judgement import MOST_RULES, STATUS, judgement
from penstock.core.errors import InputError, PenstockError, RefusedError
from penstock.core.model import NOBODY, Action, Actor, Decision, Request, Verdict
from penstock.core.paths.relpath import RelPath, locate, parse
from penstock.core.paths.spellings import beneath
from penstock.core.policy.decide import decide
from penstock.core.text.display import harmless, spoken
from penstock.gate import Call, Gate, Judgement

Json = dict[str, object]
Progress = Callable[[float, float | None, str], None]
SERVER = "penstock"
HERE = ("", ".", "./", "/")  # how clients spell the workspace itself


def _silent(done: float, total: float | None, what: str) -> None:
    """Nobody wants to know how far it has come."""


def _never() -> bool:
    return False


class ToolAnswer(Struct, frozen=True, kw_only=True):
    """What a tool says: texts for the model, and the same as data.

    `content` is part of a file and sent as it is; `texts` are ours, with nothing hidden in them.
    """

    texts: tuple[str, ...]
    data: Json
    content: str | None = None


class ToolCall(Struct, frozen=True, kw_only=True):
    """A call. `roots` are absolute, resolved directories; none means that none were named."""

    here: Workspace
    tool: str = ""
    actor: Actor = NOBODY
    roots: tuple[str, ...] = ()
    progress: Progress = field(default=_silent)
    stopped: Callable[[], bool] = field(default=_never)

    @property
    def gate(self) -> Gate:
        """The gate of the workspace."""
        return self.here.gate

    def reach(self, text: str) -> RelPath:
        """Return the file that a path leads to. Raises InputError, RefusedError."""
        files = self.here.files
        parse(text, root=files.root)
        target = locate(text, root=files.root, resolve=files.resolve, folds=files.folds)
        if target.outside:
            raise InputError(
                "path-escape",
                f"`{spoken(text)}` is outside the workspace",
                because="a symbolic link in its path points outside",
                hint="use the path of a file inside the workspace",
            )
        reached = parse(target.judged[-1], root=files.root)
        self.within(reached)
        return reached

    def reach_folder(self, text: str) -> RelPath | None:
        """Return the directory that a path leads to; None is the workspace itself."""
        if text in HERE or text.rstrip("/") == self.here.files.root:
            return None
        return self.reach(text)

    def within(self, path: RelPath) -> None:
        """Raise RefusedError for a path that the client's roots leave out."""
        if self.roots and not self.in_roots(path.text):
            raise RefusedError(
                "outside-roots",
                f"`{spoken(path.text)}` is outside the roots that the client names",
                because="the roots are " + ", ".join(f"`{spoken(root)}`" for root in self.roots),
                hint="work inside these roots, or let the user add one",
            )

    def in_roots(self, path: str) -> bool:
        """Say whether a path of the workspace lies in a root, or a root in it."""
        whole = f"{self.here.files.root}/{path}" if path else self.here.files.root
        return not self.roots or any(beneath(whole, root) is not None for root in self.roots)

    def leads_to_root(self, path: str) -> bool:
        """Say whether a directory has a root somewhere below it."""
        whole = f"{self.here.files.root}/{path}" if path else self.here.files.root
        return any(beneath(root, whole) is not None for root in self.roots)

    def judge(
        self, arguments: Mapping[str, object], *, attended: bool, tool: str = ""
    ) -> Judgement:
        """Return what the rules say to this call, its name and arguments included.

        All of them: what an observing project lets pass are the agent's own tools, not ours.
        """
        judged = self.here.judge(
            Call(
                tool=f"mcp__{SERVER}__{tool or self.tool}",
                tool_input=arguments,
                cwd=self.here.files.root,
                attended=attended,
                actor=self.actor,
            )
        )
        return judged.by_all_rules

    def may_read(self, path: str) -> Decision:
        """Return what the rules say to reading a file. Nobody is asked about reading."""
        return self.judge({"path": f"./{path}"}, attended=False, tool="read_file").decision

    def readable(self) -> Callable[[str], bool]:
        """Return a quick way to ask the same of many plain files that no link leads to."""
        policy, files, now = self.here.policy(), self.here.files, time.time()
        tool = f"mcp__{SERVER}__read_file"

        def ask(path: str) -> bool:
            try:
                target = locate(
                    path,
                    root=files.root,
                    known_as=files.known_as,
                    twins=files.twins,
                    folds=files.folds,
                )
            except InputError:
                return False
            given = {"path": path}
            request = Request(
                action=Action.READ, tool=tool, tool_input=given, target=target, attended=False
            )
            return not denied(decide(request, policy, now=now))

        return ask

    def refuse_denied(self, path: str, action: Action) -> None:
        """Raise RefusedError where the rules deny an action on a file by its name alone."""
        target = self.gate.locate(path)
        decision = self.gate.decide(Request(action=action, target=target, actor=self.actor))
        if denied(decision):
            raise refuse(decision)

    def record_read(self, path: str, decision: Decision) -> None:
        """Put what was read on the record, where the policy wants everything there."""
        if self.here.policy().audit.level == "all":
            rules = [reason.rule for reason in decision.reasons][:MOST_RULES]
            self.add(STATUS["allow"], path=path, rules=rules, revision=decision.revision)

    def add(self, status: str, *, path: str = "", **more: object) -> None:
        """Put a line about this call on the record. Nothing was written, so it may fail."""
        who: Json = {
            "agent": self.actor.agent,
            "session": self.actor.session,
            "tool_call_id": self.actor.tool_call_id,
            "tool": f"mcp__{SERVER}__{self.tool}",
        }
        event = judgement(path, status, {**who, **more})
        try:
            self.here.ready()
            self.here.record.log.append(event, durable=False)
        except (PenstockError, OSError) as problem:
            sys.stderr.write(f"penstock mcp: can't write the audit log: {harmless(str(problem))}\n")


def refuse(decision: Decision) -> RefusedError:
    """Return a denial as the error that the agent reads."""
    return RefusedError(
        decision.code or "path-denied",
        decision.because or "the rules deny this",
        because="; ".join((f"policy {decision.revision}", *_degraded(decision))),
        hint=decision.suggestion,
    )


def _degraded(decision: Decision) -> tuple[str, ...]:
    return (decision.degraded,) if decision.degraded else ()


def denied(decision: Decision) -> bool:
    """Say whether a decision lets nothing happen."""
    return decision.verdict is Verdict.DENY


def text_of(arguments: Mapping[str, object], name: str, default: str = "") -> str:
    """Return a text argument; its type was checked at the door."""
    value = arguments.get(name)
    return value if isinstance(value, str) else default


def number_of(arguments: Mapping[str, object], name: str) -> int | None:
    """Return a whole number, or None where none was given."""
    value = arguments.get(name)
    return value if isinstance(value, int) else None
