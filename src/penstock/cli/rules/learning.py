"""`decision_reviewer suggest`, `stale`, `test`, `profile`, `analyze-rule`: learn from decisions.

Always true: nothing is written; each command prints one JSON document.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from penstock.cli.rules.options import asking_options, rule_option
from penstock.cli.shape import PlainCommand
from penstock.doors.reviewer import learning
from penstock.doors.reviewer.query_command import answered
from penstock.doors.reviewer.question import Document, QueryContext


def _told(answer: Callable[[QueryContext], Document], **where: Any) -> int:
    return answered(lambda asking: (answer(asking), 0), failed={"success": False}, **where)


@click.command("suggest", cls=PlainCommand, examples=("penstock rules suggest --since 7d",))
@click.option(
    "--min-support",
    default=3,
    type=click.IntRange(1),
    metavar="N",
    help="Suggest a rule after N calls.",
)
@click.option("--tool", default="", metavar="NAME", help="Use only calls of this tool.")
@click.option(
    "--since", default="", metavar="TIME", help="Use only newer decisions: 24h, 7d or a date."
)
@asking_options
def suggest(min_support: int, tool: str, since: str, **where: Any) -> int:
    """Suggest rules from repeated questions, overruled denials and calls without a rule.

    Each suggestion has its examples, the past decisions it would change and the command that adds
    it. Nothing is changed.
    """
    return _told(
        lambda asking: learning.suggestions(asking, least=min_support, tool=tool, since=since),
        **where,
    )


@click.command("stale", cls=PlainCommand, examples=("penstock rules stale",))
@asking_options
def stale(**where: Any) -> int:
    """List rules that never matched, have expired, have no effect or are disabled."""
    return _told(learning.stale_rules, **where)


@click.command(
    "test",
    cls=PlainCommand,
    examples=("""penstock rules test --rule-id npm --input '{"command": "npm install"}'""",),
)
@rule_option
@click.option("--input", "given", required=True, metavar="JSON", help="Input of the tool.")
@click.option("--tool", default="", metavar="NAME", help="Tool (default: the rule's).")
@asking_options
def test(rule_id: str, given: str, tool: str, **where: Any) -> int:
    """Test one rule with an input, and show the decision of all rules together."""
    return _told(
        lambda asking: learning.try_rule(asking, rule_id, learning.read_input(given), tool), **where
    )


@click.command("profile", cls=PlainCommand, examples=("penstock rules profile --rule-id npm",))
@rule_option
@asking_options
def profile(rule_id: str, **where: Any) -> int:
    """Measure how fast one rule is, with past calls and with worst-case input."""
    return _told(lambda asking: learning.profile(asking, rule_id), **where)


@click.command(
    "analyze-rule", cls=PlainCommand, examples=("penstock rules analyze-rule --rule-id npm",)
)
@rule_option
@asking_options
def analyze(rule_id: str, **where: Any) -> int:
    """Show what a rule covers, which rules overlap it, and similar calls it misses."""
    return _told(lambda asking: learning.analyze(asking, rule_id), **where)
