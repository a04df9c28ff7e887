"""`penstock hook`: what agents call, for trying it by hand."""

from __future__ import annotations

import click

from penstock.doors.hook.agents import NAMES


@click.command()
@click.option("--agent", type=click.Choice(NAMES), default="claude", help="Whose JSON it is.")
@click.option("--closed", is_flag=True, help="Block what cannot be judged.")
def command(agent: str, closed: bool) -> int:
    """Answer one call of an agent's hook: its JSON on stdin, its answer on stdout.

    `penstock init` registers a quicker way to start the same.
    """
    from penstock.doors.hook.main import main

    main([agent, *(["closed"] if closed else [])])
    return 0
