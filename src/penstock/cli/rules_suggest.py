"""`decision_reviewer suggest`: rules learnt from what people were asked again and again."""

from __future__ import annotations

from typing import Any

import click

from penstock.cli.rules_common import asking_options, told


@click.command("suggest")
@click.option("--min-support", default=3, type=click.IntRange(1), help="Calls behind a rule.")
@click.option("--tool", default="", metavar="NAME", help="Only calls of this tool.")
@click.option("--since", default="", metavar="TIME", help="Only decisions since: 24h, 7d, a date.")
@asking_options
def command(min_support: int, tool: str, since: str, **where: Any) -> int:
    """Propose rules from repeated asks, denials that people overruled, and passthroughs.

    Each one comes with its support, what it would flip, its examples and the exact command that
    applies it. Nothing is changed.
    """
    from penstock.doors.reviewer.learning import suggestions

    return told(
        lambda asking: suggestions(asking, least=min_support, tool=tool, since=since), **where
    )
