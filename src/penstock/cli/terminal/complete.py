"""What a shell completes besides commands and options: ids, rules, agents.

Always true: it is quick, it makes no state, and whatever goes wrong, nothing is offered and
nothing is said: a person is in the middle of a line.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import wraps
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

    from penstock.app import Workspace

MOST = 100
Offer: TypeAlias = "tuple[str, str]"  # a word, and what it stands for
Completer: TypeAlias = "Callable[[click.Context, click.Parameter, str], list[CompletionItem]]"


def _quietly(offers: Callable[[click.Context], Iterator[Offer]]) -> Completer:
    """Return what click calls: the offers that begin like the word that is being typed."""

    @wraps(offers)
    def complete(
        ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        try:
            found = list(offers(ctx))
        except Exception:  # noqa: BLE001 - see above
            return []
        fitting = (row for row in found if row[0].startswith(incomplete))
        return [CompletionItem(word, help=_one_line(about)) for word, about in fitting]

    return complete


def _one_line(text: str) -> str:
    from penstock.core.text.display import in_line

    return in_line(text)[:60]


def _workspace(ctx: click.Context) -> Workspace | None:
    """Return the workspace that the line means, where it has state."""
    from penstock.app import open_workspace

    here = open_workspace(ctx.params.get("workspace"))
    return here if os.path.isdir(here.state) else None


@_quietly
def proposal_ids(ctx: click.Context) -> Iterator[Offer]:
    """Pending changes, then their change sets."""
    from penstock.core.proposals.model import OPEN
    from penstock.core.proposals.short_id import short
    from penstock.core.text.quantities import counted

    here = _workspace(ctx)
    found = here.gate.find(states=tuple(OPEN), limit=MOST) if here else ()
    ids = [name for one in found for name in (one.id, one.set_id) if name]
    for one in found:
        yield short(one.id, ids), one.path
    for name in dict.fromkeys(one.set_id for one in found if one.set_id):
        files = sum(one.set_id == name for one in found)
        yield short(name, ids), f"change set, {counted(files, 'file')}"


@_quietly
def receipt_ids(ctx: click.Context) -> Iterator[Offer]:
    """Applied changes that can be undone, then their change sets."""
    from penstock.core.proposals.short_id import short

    here = _workspace(ctx)
    found = here.gate.undoable(last=MOST) if here else ()
    ids = [name for one in found for name in (one.id, one.set_id) if name]
    for one in found:
        yield short(one.id, ids), one.path
    for name in dict.fromkeys(one.set_id for one in found if one.set_id):
        yield short(name, ids), "change set"


@_quietly
def rule_ids(ctx: click.Context) -> Iterator[Offer]:
    """The rules in force."""
    from penstock.app import open_workspace

    policy = open_workspace(ctx.params.get("workspace")).policy()
    for rule in (rule for layer in policy.layers for rule in layer.rules):
        yield rule.id, rule.description or rule.reason


@_quietly
def agent_names(_ctx: click.Context) -> Iterator[Offer]:
    """The agents that have an integration."""
    from penstock.doors.hook.agents import NAMES

    for name in NAMES:
        yield name, ""
