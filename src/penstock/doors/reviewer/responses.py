"""What `apply` answers: the documents of the reviewer's spec, key by key.

Always true: one answer is one document with the keys of its kind, in their order, whatever went
wrong; the exit code is 0 exactly when `success` is true.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence

from msgspec import Struct

from penstock.core.errors import PenstockError
from penstock.core.rule_edit.operation import EditError
from penstock.doors.reviewer.arguments import SWITCH
from penstock.ports import KeptVersion, VersionKind

OK, COULD_NOT, SWITCHED_OFF, USAGE = 0, 1, 3, 64
DISABLED = f"Write operations disabled. Set {SWITCH}=1 to enable."
DISABLED_TALK = (
    f"ERROR: {DISABLED}\n"
    "       This is a safety mechanism to prevent accidental configuration changes."
)
NOTHING = "none (nothing was written)"
BLOCKED = "none (validation failed before write)"
# After these nobody can promise that nothing has changed.
UNSURE = frozenset({"half-applied", "outcome-unknown", "system", "internal-error"})

Document = dict[str, object]


class CommandResult(Struct, frozen=True, kw_only=True):
    """One document for stdout, sentences for stderr, and the exit code."""

    document: Document
    code: int = OK
    talk: tuple[str, ...] = ()


def switched_off(operation: str | None) -> CommandResult:
    """Return the answer where the write switch is missing."""
    document = _error(
        operation, DISABLED, "writes_disabled", [], "none (write operations disabled)"
    )
    return CommandResult(document=document, code=SWITCHED_OFF, talk=(DISABLED_TALK,))


def wrong_usage(error: PenstockError) -> CommandResult:
    """Return the answer to a command line that cannot be understood."""
    document = _error(None, error.message, "usage", [_detail(error)], NOTHING)
    return CommandResult(document=document, code=USAGE, talk=(error.render(),))


def refused(operation: str | None, error: PenstockError) -> CommandResult:
    """Return the answer to an operation that was not made."""
    if isinstance(error, EditError):
        return _edit_refused(operation, error)
    unsure = f"unknown ({error.message})" if error.code in UNSURE else NOTHING
    kind = error.code.replace("-", "_")
    document = _error(operation, error.message, kind, [_detail(error)], unsure)
    return CommandResult(document=document, code=COULD_NOT, talk=(error.render(),))


def _edit_refused(operation: str | None, error: EditError) -> CommandResult:
    blocking = error.error_type == "blocking_validation"
    said = "Validation failed" if blocking else error.message
    details = [one.as_json() for one in error.details]
    document = _error(operation, said, error.error_type, details, BLOCKED if blocking else NOTHING)
    return CommandResult(document=document, code=COULD_NOT, talk=(error.render(),))


def _error(
    operation: str | None, error: str, kind: str, details: Sequence[object], applied: str
) -> Document:
    return {
        "success": False,
        "operation": operation,
        "error": error,
        "error_type": kind,
        "details": list(details),
        "changes_applied": applied,
    }


def _detail(error: PenstockError) -> Document:
    said = f"{error.message}: {error.because}" if error.because else error.message
    return {"field": "", "error": said, "suggestion": error.hint}


def success(
    operation: str, changes: Sequence[str], rollback_info: Document, validation: Document
) -> Document:
    """Return the document of an edit that was made."""
    return {
        "success": True,
        "operation": operation,
        "changes": list(changes),
        "rollback_info": rollback_info,
        "validation": validation,
        "dry_run": False,
    }


def preview(
    operation: str,
    files: Sequence[str],
    changes: Sequence[str],
    validation: Document,
    impact: Document,
    *,
    would_change: bool,
) -> Document:
    """Return the document of a dry run."""
    more = {"target_files": list(files)} if len(files) > 1 else {}
    return {
        "success": True,
        "dry_run": True,
        "operation": operation,
        "would_change": would_change,
        "target_file": files[0],
        **more,
        "changes": list(changes),
        "validation": validation,
        "impact_analysis": impact,
        "next_step": "Run without --dry-run to apply changes",
    }


def validation(warnings: Sequence[Document], *, forced: bool) -> Document:
    """Return what validation found."""
    more = {"forced": True} if forced else {}
    return {"blocking_passed": True, "warnings": list(warnings), **more}


# --- the way back ---------------------------------------------------------------------------


def rollback_info(kept: Sequence[KeptVersion], subject: str) -> Document:
    """Say where the versions before an edit are, and the command that brings them back."""
    if not kept:
        return {"type": "none", "message": "nothing was changed", "rollback_command": ""}
    command = _command(kept[0]) if len(kept) == 1 else _command_for_all(kept)
    first = kept[0]
    if first.kind is VersionKind.GIT:
        where: Document = {"commit": first.commit, "previous_commit": first.previous}
    else:
        where = {"backup_file": first.previous}
    return {
        "type": first.kind.value,
        **where,
        "message": subject,
        "rollback_command": command,
    }


def _command(kept: KeptVersion) -> str:
    return f"{_apply(_rollback(kept))} --target-file {shlex.quote(kept.path)}"


def _command_for_all(kept: Sequence[KeptVersion]) -> str:
    """Several files go back as they came, together: one before the other might not load."""
    parts = [{**_rollback(one), "target_file": one.path} for one in kept]
    return _apply({"type": "batch", "operations": parts})


def _rollback(kept: KeptVersion) -> Document:
    if kept.kind is VersionKind.GIT:
        return {"type": "rollback", "to_commit": kept.previous}
    return {"type": "rollback", "to_backup": kept.previous.rpartition("/")[2]}


def _apply(operation: Document) -> str:
    text = json.dumps(operation, separators=(",", ":"))
    return f"decision_reviewer apply --json {shlex.quote(text)}"
