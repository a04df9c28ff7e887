"""What the commands of the queue share: how they find, what they print, and how they exit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from penstock.cli import DENIED, WAITING
from penstock.cli.output import console, print_json, tell
from penstock.core.proposals.codec import to_plain
from penstock.core.proposals.model import Proposal, Receipt, State

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.gate import Gate


def named_by_person(workspace: str | None, id_: str) -> tuple[Workspace, tuple[Proposal, ...]]:
    """Return the workspace and what is named in it: one proposal, or all of a set.

    Agents are refused, and what is over was closed before anybody acts on it.
    """
    from penstock.app import open_workspace
    from penstock.cli.proof import refuse_inside_agent
    from penstock.gate.doors import Door
    from penstock.gate.lookup import named

    here = open_workspace(workspace, door=Door.COMMAND)
    refuse_inside_agent(here)
    here.gate.expire()
    return here, named(here.gate, id_)


def document(one: Proposal | Receipt) -> dict[str, object]:
    """Return a proposal or a receipt as `--json` prints it."""
    return dict(to_plain(one))


def show_version(gate: Gate, made: Proposal, *, as_json: bool) -> int:
    """Show a new version and return its exit code: it waits, or the rules deny it."""
    from penstock.cli import render

    if as_json:
        print_json({"proposals": [document(made)]})
    else:
        render.show(console(), made, *gate.contents(made))
    return DENIED if made.state is State.DENIED else WAITING


def tell_written(what: str, receipts: Iterable[Receipt]) -> None:
    """Say what was done to each file, and by which receipt it can be undone."""
    for receipt in receipts:
        note = f" ({receipt.note})" if receipt.note else ""
        tell(f"{what} {receipt.path}: receipt {receipt.id}{note}")
