"""`decision_reviewer stale`: rules that were never hit, have ended, or say nothing new."""

from __future__ import annotations

from typing import Any

import click

from penstock.cli.rules_common import asking_options, told


@click.command("stale")
@asking_options
def command(**where: Any) -> int:
    """List rules that are never hit, expired, shadowed or switched off."""
    from penstock.doors.reviewer.learning import stale_rules

    return told(stale_rules, **where)
