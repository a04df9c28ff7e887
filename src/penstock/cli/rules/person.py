"""The person behind rules that widen: refused inside an agent, confirmed at a terminal.

Always true: inside an agent nothing is confirmed, whatever is set or typed there; where an
approver key exists or is wanted, only its signature counts.
"""

from __future__ import annotations

from penstock.app import Workspace
from penstock.core.errors import RefusedError
from penstock.gate import Proof

COMMAND = "rules apply"


def confirm(here: Workspace, reasons: tuple[str, ...], yes: bool) -> Proof:
    """Return the proof of a person; with `yes` nothing is asked at a terminal."""
    from penstock.cli.terminal.ask import agreed, at_terminal
    from penstock.cli.terminal.output import tell
    from penstock.cli.terminal.proof import person, refuse_inside_agent

    refuse_inside_agent(here, command=COMMAND)
    _need_key(here)
    tell("this makes the rules less strict:\n" + "\n".join(f"  - {reason}" for reason in reasons))
    # Without a terminal nothing can be asked, and only a key's signature is a proof.
    if at_terminal() and not agreed("make this change?", yes=yes):
        raise RefusedError("not-confirmed", "nothing was changed", because="the answer was no")
    return person(here)


def _need_key(here: Workspace) -> None:
    if here.policy().approval.key_wanted and not here.keys.exists():
        raise RefusedError(
            "key-needed",
            "making the rules less strict needs an approver key",
            because="`[approval] require_key` or `totp` is set",
            hint="create a key with `penstock approver init`",
        )
