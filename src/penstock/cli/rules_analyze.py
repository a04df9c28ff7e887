"""`decision_reviewer analyze-rule`: what a rule covers, shares with others, and lets slip past."""

from __future__ import annotations

from typing import Any

import click

from penstock.cli.rules_common import asking_options, rule_option, told


@click.command("analyze-rule")
@rule_option
@asking_options
def command(rule_id: str, **where: Any) -> int:
    """Say what a rule covers, which rules overlap it, and what slips past it."""
    from penstock.doors.reviewer.learning import analyze

    return told(lambda asking: analyze(asking, rule_id), **where)
