"""What the commands of the queue share: what they print, and how they exit."""

from __future__ import annotations

from penstock.cli import DENIED, WAITING
from penstock.core.codec import to_plain
from penstock.core.proposal import Proposal, Receipt, State


def code_of(one: Proposal) -> int:
    """Return the exit code that a new version gives: it waits, or the rules deny it."""
    return DENIED if one.state is State.DENIED else WAITING


def document(one: Proposal | Receipt) -> dict[str, object]:
    """Return a proposal or a receipt as `--json` prints it."""
    return dict(to_plain(one))
