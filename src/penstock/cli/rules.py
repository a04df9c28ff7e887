"""`penstock rules` and `decision_reviewer`: change the rules, and learn from decisions.

Always true: each subcommand is imported only when it is called.
"""

from __future__ import annotations

import click

from penstock.cli.lazy import Lazy, Table

COMMANDS: Table = {
    "add": ("rules_add", "Add a rule: shows the diff and its effect first."),
    "apply": ("rules_apply", "Change a rules file: validated, atomic, with a way back."),
    "query": ("rules_query", "Ask about rules, past decisions and what is missing."),
    "suggest": (
        "rules_learning:suggest",
        "Propose rules from what people decided again and again.",
    ),
    "stale": ("rules_learning:stale", "List rules that are never hit, expired or shadowed."),
    "test": ("rules_learning:test", "Try one rule on an input."),
    "profile": ("rules_learning:profile", "Measure what one rule costs."),
    "analyze-rule": (
        "rules_learning:analyze",
        "Say what a rule covers, overlaps and lets slip past.",
    ),
}


@click.group(cls=Lazy, table=COMMANDS)
def command() -> None:
    """Change the rules, with a way back, and learn from decisions.

    The same commands are also called `decision_reviewer`.
    """
