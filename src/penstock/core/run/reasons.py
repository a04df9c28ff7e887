"""Why a change of a run needs approval, whatever the rules allow.

What is not on the disk when a machine stops can come back empty, or in part. A layer counts as
written to the disk only when somebody waited for that (`flushed`). So one that is found after a
restart may hold files that no command left like this.
Always true: of such a layer nothing is written, and nothing that was proposed before is closed,
without a person.
"""

from __future__ import annotations

ASK_ALL = "you asked to approve every change of this run"
CHANGED_MEANWHILE = "the file was changed outside the run after the run had copied it"
INCOMPLETE = "the machine stopped during this run, so this change may be incomplete"
SUMMARY = (
    "the machine stopped during this run, so its changes may be incomplete: each needs approval"
)


def may_be_incomplete(*, boot: str, flushed: bool, now: str) -> bool:
    """Say whether a machine has stopped since a layer was written.

    `boot` is the id of the start of the machine in which the run began, "" where nobody kept it.
    """
    return not flushed and boot != now


def reason_to_ask(*, ask: bool, overtaken: bool, incomplete: bool) -> str:
    """Return why a person has to see a change, "" where only the rules decide."""
    said = [INCOMPLETE] if incomplete else []
    if overtaken:
        said.append(CHANGED_MEANWHILE)
    if ask and not said:
        said.append(ASK_ALL)
    return "; ".join(said)
