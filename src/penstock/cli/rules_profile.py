"""`decision_reviewer profile`: what one rule costs, on real calls and on hostile ones."""

from __future__ import annotations

from typing import Any

import click

from penstock.cli.rules_common import asking_options, rule_option, told


@click.command("profile")
@rule_option
@asking_options
def command(rule_id: str, **where: Any) -> int:
    """Measure what one rule costs, on calls of the past and on texts made to be slow."""
    from penstock.doors.reviewer.learning import profile

    return told(lambda asking: profile(asking, rule_id), **where)
