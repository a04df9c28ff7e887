"""What an approval needs here, whether the approver's key was exchanged, whether the log verifies.

The three are looked at together: whoever exchanges the key and the memory of it has to change the
audit log as well, and that is what verifying notices. What was exchanged is decided by the core.
Always true: an exchange that only its owner could explain is a warning, each other one is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock.app import Workspace
from penstock.app.approval_state import ApprovalState, ProofNeeded, approval_state_by
from penstock.core.audit.findings import AuditReport
from penstock.core.audit.key_exchange import Exchange
from penstock.core.audit.query import parse_line
from penstock.core.errors import PenstockError
from penstock.core.text.quantities import counted
from penstock.doors.setup.agent_files import BAD, OK, WARN, Finding

VERIFY = "penstock audit verify"


def approvals(here: Workspace) -> Iterator[Finding]:
    """Look at the proof that approvals have, and at the log that they stand in."""
    try:
        report = here.verify()
    except PenstockError as fault:
        report = AuditReport(count=0, head="")
        yield Finding(name="audit", status=BAD, what=fault.message, hint=fault.hint or VERIFY)
    else:
        yield _log(report)
    events = [(line, parse_line(text) or {}) for line, text in report.noticed]
    found = approval_state_by(here, events)
    yield _proof(found)
    yield from _exchanges(found)


def _log(report: AuditReport) -> Finding:
    if not report.problems:
        return Finding(
            name="audit",
            status=OK,
            what=f"the audit log verifies ({counted(report.count, 'entry', 'entries')})",
        )
    first, more = report.problems[0], len(report.problems) - 1
    what = f"the audit log does not verify: {first.message}"
    what += f", and {more} more" if more else ""
    return Finding(name="audit", status=BAD, what=what, hint=VERIFY)


STATUS = {ProofNeeded.TERMINAL: WARN, ProofNeeded.NONE: BAD}


def _proof(found: ApprovalState) -> Finding:
    status = STATUS.get(found.proof, OK)
    return Finding(name="approval", status=status, what=found.says, hint=found.hint)


def _exchanges(found: ApprovalState) -> Iterator[Finding]:
    for one in found.exchanged:
        status = WARN if one.kind is Exchange.KEY_UNSIGNED else BAD
        hint = f"if this was not you, do not trust later approvals; run `{VERIFY}`"
        yield Finding(name="approver-key", status=status, what=one.what, hint=hint)
