"""What verifying the record can find, and how it is told.

The words here are those of `penstock audit verify --json`. Finding is `verify`'s and `evidence`'s
work. Always true: a problem means that the record is not what was written; a warning does not.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, to_builtins

TYPE_CHECKING = False  # what `typing` calls so; type checkers know the bare name too
if TYPE_CHECKING:
    from penstock.core.audit.cosign import Quorum


class TamperKind(StrEnum):
    """What can have happened to a record."""

    EDITED = "edited"
    DELETED = "deleted"
    INSERTED = "inserted"
    REORDERED = "reordered"
    TAIL_CUT = "tail-cut"
    REWRITTEN = "rewritten"
    OLDER_COPY = "replaced-by-older-copy"
    FORKED = "forked"
    RESTARTED = "restarted"
    SEQUENCE_GAP = "sequence-gap"
    CLOCK_STEP = "clock-step"
    MISSING_CHECKPOINTS = "missing-checkpoints"
    BAD_SIGNATURE = "bad-signature"
    BAD_APPROVAL = "bad-approval"
    UNAPPROVED = "unapproved"
    UNACCOUNTED = "unaccounted"
    KEY_REPLACED = "key-replaced"
    STRANGER = "stranger"
    TORN_TAIL = "torn-tail"
    TAIL_SET_ASIDE = "tail-set-aside"
    ENTRIES_LOST = "entries-lost"
    UNREMEMBERED = "unremembered"
    HEAD_MISSING = "head-missing"
    DUPLICATE_KEYS = "duplicate-keys"
    NOT_JSON = "not-json"
    TRAILING_BYTES = "trailing-bytes"
    WITNESS_REWRITTEN = "witness-rewritten"
    WITNESS_DISAGREES = "witness-disagrees"
    FEW_COSIGNATURES = "few-cosignatures"
    UNREACHABLE = "unreachable"


class AuditProblem(Struct, frozen=True, kw_only=True):
    """One finding: what, at which line (1 is the first; 0 is none in particular), and how."""

    kind: TamperKind
    line: int
    message: str

    def as_json(self) -> dict[str, object]:
        """Return the finding as `verify --json` shows it."""
        return {"kind": self.kind.value, "line": self.line, "message": self.message}


class RunAccount(Struct, frozen=True, kw_only=True):
    """An isolated run: how many writes of its own the log has, and what its last sync left."""

    run: str
    applied: int = 0
    pending: int = 0
    denied: int = 0
    ended: bool = False


class AuditReport(Struct, frozen=True, kw_only=True):
    """What verifying found. `level` names the strongest evidence that was compared."""

    count: int
    head: str
    problems: tuple[AuditProblem, ...] = ()
    warnings: tuple[AuditProblem, ...] = ()
    level: str = "chain"
    runs: tuple[RunAccount, ...] = ()
    cosigned: Quorum | None = None
    noticed: tuple[tuple[int, bytes], ...] = ()
    """Lines that the caller asked for by their `op`, with their numbers; not part of the JSON."""

    @property
    def ok(self) -> bool:
        """True when nothing is wrong; warnings do not count."""
        return not self.problems

    def as_json(self) -> dict[str, object]:
        """Return the document that `verify --json` prints."""
        return {
            "ok": self.ok,
            "count": self.count,
            "head": self.head,
            "problems": [problem.as_json() for problem in self.problems],
            "warnings": [warning.as_json() for warning in self.warnings],
            "level": self.level,
            **({"runs": [to_builtins(run) for run in self.runs]} if self.runs else {}),
            **({"cosigned": self.cosigned.as_json()} if self.cosigned else {}),
        }
