"""`decision_reviewer suggest`, `stale`, `test`, `profile`, `analyze-rule`: learn from decisions.

Always true: nothing is written; each command prints one JSON document.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from penstock.cli.rules_common import asking_options, rule_option
from penstock.doors.reviewer import learning
from penstock.doors.reviewer.query_command import answered
from penstock.doors.reviewer.question import Document, QueryContext


def _told(answer: Callable[[QueryContext], Document], **where: Any) -> int:
    return answered(lambda asking: (answer(asking), 0), failed={"success": False}, **where)


@click.command("suggest")
@click.option("--min-support", default=3, type=click.IntRange(1), help="Calls behind a rule.")
@click.option("--tool", default="", metavar="NAME", help="Only calls of this tool.")
@click.option("--since", default="", metavar="TIME", help="Only decisions since: 24h, 7d, a date.")
@asking_options
def suggest(min_support: int, tool: str, since: str, **where: Any) -> int:
    """Propose rules from repeated asks, denials that people overruled, and passthroughs.

    Each one comes with its support, what it would flip, its examples and the exact command that
    applies it. Nothing is changed.
    """
    return _told(
        lambda asking: learning.suggestions(asking, least=min_support, tool=tool, since=since),
        **where,
    )


@click.command("stale")
@asking_options
def stale(**where: Any) -> int:
    """List rules that are never hit, expired, shadowed or switched off."""
    return _told(learning.stale_rules, **where)


@click.command("test")
@rule_option
@click.option("--input", "given", required=True, metavar="JSON", help="The tool's input.")
@click.option("--tool", default="", metavar="NAME", help="The tool (default: the rule's).")
@asking_options
def test(rule_id: str, given: str, tool: str, **where: Any) -> int:
    """Try one rule on an input, and say what all rules together answer.

    decision_reviewer test --rule-id allow-npm-install --input '{"command":"npm install"}'
    """
    return _told(
        lambda asking: learning.try_rule(asking, rule_id, learning.read_input(given), tool), **where
    )


@click.command("profile")
@rule_option
@asking_options
def profile(rule_id: str, **where: Any) -> int:
    """Measure what one rule costs, on calls of the past and on texts made to be slow."""
    return _told(lambda asking: learning.profile(asking, rule_id), **where)


@click.command("analyze-rule")
@rule_option
@asking_options
def analyze(rule_id: str, **where: Any) -> int:
    """Say what a rule covers, which rules overlap it, and what slips past it."""
    return _told(lambda asking: learning.analyze(asking, rule_id), **where)
