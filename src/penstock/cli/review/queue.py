"""What the commands for pending changes share: how they find, print and exit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from penstock.cli import DENIED, WAITING
from penstock.cli.terminal.output import console, print_json, tell
from penstock.core.proposals.codec import to_plain
from penstock.core.proposals.model import Proposal, Receipt, State
from penstock.core.proposals.short_id import short

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.core.review.set_summary import SetSummary
    from penstock.gate import Gate


def named_by_person(workspace: str | None, id_: str) -> tuple[Workspace, tuple[Proposal, ...]]:
    """Return the workspace and what is named in it: one proposal, or all of a set.

    Agents are refused, and what has expired is closed before anybody acts on it.
    """
    from penstock.app import open_workspace
    from penstock.cli.terminal.proof import refuse_inside_agent
    from penstock.gate.doors import Door
    from penstock.gate.lookup import named

    here = open_workspace(workspace, door=Door.COMMAND)
    refuse_inside_agent(here)
    here.gate.expire()
    return here, named(here.gate, id_)


def document(one: Proposal | Receipt) -> dict[str, object]:
    """Return a proposal or a receipt as `--json` prints it."""
    return dict(to_plain(one))


def set_of(gate: Gate, found: Sequence[Proposal]) -> SetSummary | None:
    """Return what is said of a set as a whole; None for a single change."""
    from penstock.core.review.set_summary import summary

    return summary(found, gate.renames(found)) if len(found) > 1 else None


def set_document(whole: SetSummary) -> dict[str, object]:
    """Return a set as `--json` prints it."""
    return {
        "id": whole.id,
        "files": [one.path for one in whole.files],
        "proposals": [one.id for one in whole.files],
        "deleted": whole.deleted,
        "added": whole.added,
        "states": {str(state): many for state, many in whole.states.items()},
        "renamed": {row.one.path: row.renamed for row in whole.rows if row.one and row.renamed},
    }


def with_owners(gate: Gate, one: Proposal) -> dict[str, object]:
    """Return a proposal as `--json` prints it, with the owners' approvals where it needs any."""
    found = gate.approvals(one)
    return {**document(one), **({"approvals": found.as_json()} if found else {})}


def known_ids(gate: Gate) -> list[str]:
    """Return the ids that a short one must not be mistaken for."""
    from penstock.gate.lookup import MOST

    return [name for one in gate.find(limit=MOST) for name in (one.id, one.set_id) if name]


def show_versions(gate: Gate, made: Sequence[Proposal], *, as_json: bool) -> int:
    """Show new versions and return the exit code: they are pending, or the rules deny one."""
    from penstock.cli.terminal import render

    if as_json:
        print_json({"proposals": [document(one) for one in made]})
    else:
        for one in made:
            render.show(console(), one, *gate.contents(one), now=gate.now())
    return DENIED if any(one.state is State.DENIED for one in made) else WAITING


def tell_written(what: str, receipts: Iterable[Receipt]) -> None:
    """Say what was done to each file, and by which id it can be undone."""
    done = tuple(receipts)
    for receipt in done:
        note = f" ({receipt.note})" if receipt.note else ""
        tell(f"{what} {receipt.path}{note}")
    if done:
        first, known = done[0], [each for one in done for each in (one.id, one.set_id)]
        name = first.set_id if len(done) > 1 and first.set_id else first.id
        tell(f"undo with `penstock undo {short(name, known)}`")
