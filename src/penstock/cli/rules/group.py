"""`penstock rules` and `decision_reviewer`: change rules and learn from past decisions.

Always true: each subcommand is imported only when it is called.
"""

from __future__ import annotations

import click

from penstock.cli.lazy import Lazy, Table

COMMANDS: Table = {
    "add": ("rules.add", "Add a rule; shows the diff and its effect first"),
    "apply": ("rules.apply", "Change a rules file with a JSON operation"),
    "query": ("rules.query", "Query rules and past decisions as JSON"),
    "suggest": (
        "rules.learning:suggest",
        "Suggest rules from repeated decisions",
    ),
    "stale": ("rules.learning:stale", "List rules that never matched, expired or have no effect"),
    "test": ("rules.learning:test", "Test one rule with an input"),
    "profile": ("rules.learning:profile", "Measure how fast one rule is"),
    "analyze-rule": (
        "rules.learning:analyze",
        "Show what a rule covers, overlaps and misses",
    ),
}


@click.group(cls=Lazy, table=COMMANDS)
def command() -> None:
    """Add, test and analyze rules.

    The same commands are available as `decision_reviewer`. All but `add` print JSON.
    """
