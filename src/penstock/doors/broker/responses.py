"""What the broker says: the spec's response schemas, its words, and its codes.

Which answer is due is decided by the gate and chosen by `tools`.
Always true: `ok` is false exactly for `denied` and `error`, and those carry a code and a
message; every answer names its operation and its line in the log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct, field

from penstock.core.digest import digest
from penstock.core.errors import AuditError, PenstockError, RefusedError
from penstock.core.model import Decision
from penstock.core.proposals.model import OPEN, State
from penstock.core.text.display import in_line
from penstock.ports import LogEntry

SCHEMA_VERSION = "1.0"
NOTHING = digest(b"")  # what stands for a file that is not there
PREVIEW = 8000
SHOWN = 200


class Status(StrEnum):
    """The four ways in which a request can end."""

    ALLOWED = "allowed"
    HITL_REQUIRED = "hitl_required"
    DENIED = "denied"
    ERROR = "error"


FAILED = frozenset({Status.DENIED, Status.ERROR})

# Our codes in the spec's words. Every other code is the same word with underscores.
CODES: Mapping[str, str] = {
    "self-protection": "path_denied",
    "default": "path_denied",
    "outside-project": "path_escape",
    "outside-workspace": "path_escape",
    "is-symlink": "path_escape",
    "nul-in-path": "bad_path",
    "path-too-long": "bad_path",
    "name-too-long": "bad_path",
    "not-a-directory": "not_found",
    "not-text": "binary_file",
    "edit-does-not-fit": "text_not_found",
    "bad-tool-input": "bad_parameter",
    "expired": "hitl_expired",
    **dict.fromkeys(
        # somebody else was quicker: it is answered, being written, or closed by now
        ("claimed", "wrong-state", *(f"already-{state}" for state in State if state not in OPEN)),
        "hitl_not_found",
    ),
    "path-mismatch": "hitl_path_mismatch",
    "path-moved": "base_changed",
    "file-busy": "base_changed",
    "key-needed": "key_needed",
    "system": "write_failed",
    "journal-failed": "write_failed",
}
# What the rules or the door say no to; everything else could not be done.
DENIALS = frozenset(
    {
        "path_denied",
        "path_escape",
        "absolute_path",
        "bad_path",
        "create_not_allowed",
        "too_large",
        "duplicate_key",
        "not_for_agents",
        "disabled",
        "key_needed",
        "rejected",
    }
)


def code_of(code: str) -> str:
    """Return a code as the broker says it."""
    return CODES.get(code, code.replace("-", "_"))


class BrokerRefusal(Struct, frozen=True, kw_only=True):
    """Why something was not done, in the broker's words."""

    code: str
    message: str
    because: str = ""
    hint: str = ""
    denied: bool = False

    @property
    def status(self) -> Status:
        """Return whether it was denied or could not be done."""
        return Status.DENIED if self.denied or self.code in DENIALS else Status.ERROR

    def as_json(self) -> dict[str, str]:
        """Return it as an answer carries it."""
        said = {"message": self.message, "because": self.because, "try": self.hint}
        shown = {name: in_line(text) for name, text in said.items() if text or name == "message"}
        return {"code": self.code, **shown}


def of_error(error: PenstockError) -> BrokerRefusal:
    """Return an error of ours as a refusal."""
    return BrokerRefusal(
        code="audit_failed" if isinstance(error, AuditError) else code_of(error.code),
        message=error.message,
        because=error.because,
        hint=error.hint,
        denied=isinstance(error, RefusedError),
    )


def of_decision(decision: Decision) -> BrokerRefusal:
    """Return a denial by the rules as a refusal."""
    return BrokerRefusal(
        code=code_of(decision.code or "path-denied"),
        message=decision.because or "the rules deny this",
        hint=decision.suggestion,
        denied=True,
    )


class ToolResponse(Struct, frozen=True, kw_only=True):
    """What a tool comes to; `facts` go to the log and not to the agent."""

    status: Status
    method: str
    path: str
    output: str
    data: Mapping[str, object] = field(default_factory=dict)
    hitl: Mapping[str, object] = field(default_factory=dict)
    refusal: BrokerRefusal | None = None
    warnings: Sequence[str] = ()
    facts: Mapping[str, object] = field(default_factory=dict)
    logged: LogEntry | None = None
    tool_name: str = ""
    tool_call_id: str | None = None


def refuse(
    refusal: BrokerRefusal, *, method: str, path: str, data: Mapping[str, object] | None = None
) -> ToolResponse:
    """Return the answer to what was not done."""
    said = f"{refusal.message}: {refusal.because}" if refusal.because else refusal.message
    hint = f" (try: {refusal.hint})" if refusal.hint else ""
    return ToolResponse(
        status=refusal.status,
        method=method,
        path=path,
        output=f"{refusal.status} [{refusal.code}] {said}{hint}",
        data=data or {},
        refusal=refusal,
        facts={"code": refusal.code},
    )


def details(answer: ToolResponse, logged: LogEntry | None) -> dict[str, object]:
    """Return the spec's response."""
    audit = {
        "prev_hash": logged.prev_hash if logged else None,
        "event_hash": logged.event_hash if logged else None,
    }
    parts: dict[str, object] = {
        "schema_version": SCHEMA_VERSION,
        "status": str(answer.status),
        "op": {"method": answer.method, "path": answer.path},
    }
    if answer.refusal is not None:
        parts["error"] = answer.refusal.as_json()
    if answer.hitl:
        parts["hitl"] = dict(answer.hitl)
    if answer.data:
        parts["data"] = dict(answer.data)
    if answer.warnings:
        parts["warnings"] = [in_line(warning) for warning in answer.warnings]
    parts["audit"] = audit
    return parts


def result(
    answer: ToolResponse, logged: LogEntry | None, *, tool_name: str, tool_call_id: str | None
) -> dict[str, object]:
    """Return the whole line that goes back."""
    return {
        "type": "tool_result",
        "tool_name": answer.tool_name or tool_name,
        "tool_call_id": answer.tool_call_id or tool_call_id,
        "ok": answer.status not in FAILED,
        "output": in_line(answer.output),
        "details": details(answer, logged),
    }


def preview(diff: str, *, limit: int = PREVIEW) -> str:
    """Return the first characters of a diff, and how much of it is hidden."""
    if len(diff) <= limit:
        return diff
    rest = diff[limit:]
    lines = rest.count("\n") + (not rest.endswith("\n"))
    word = "line" if lines == 1 else "lines"
    return f"{diff[:limit]}\n... {len(rest)} more characters in {lines} {word} hidden\n"


def shortened(text: object) -> str:
    """Return what somebody sent as a path, short enough to be sent back."""
    given = text if isinstance(text, str) else ""
    return given if len(given) <= SHOWN else given[:SHOWN] + "..."
