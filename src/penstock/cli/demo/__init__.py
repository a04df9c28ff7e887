"""`penstock demo`: a one-minute tour on real files in a temporary project.

The steps go through the real integrations: `tour` has those of the base install, `extras` those
that need an extra; `project` makes and removes the project, `agents` plays the agents, `stage` is
how it looks. At a terminal it ends at the review page; without one it ends by itself.
Enter by `command`.
Imported by: the `penstock` command.
Always true: nothing of the person's own is read or changed, and nothing is left behind.
"""

from __future__ import annotations

import click

from penstock.cli import OK
from penstock.cli.shape import PlainCommand


@click.command(cls=PlainCommand, examples=("penstock demo", "penstock demo --fast"))
@click.option("--fast", is_flag=True, help="Do not pause between steps.")
def command(fast: bool) -> int:
    """Take a one-minute tour in a temporary project.

    See writes denied, held for approval, merged, rebased and undone, a rule learned and rolled
    back, and the audit log verified. At a terminal the tour ends at the review page.
    """
    from penstock.cli.demo import extras, tour
    from penstock.cli.demo.project import project
    from penstock.cli.demo.stage import Stage
    from penstock.cli.terminal.ask import at_terminal
    from penstock.cli.terminal.output import console

    out = console()
    watched = at_terminal() and out.file.isatty()
    stage = Stage(out, paced=watched and not fast)
    with project() as here:
        tour.begin(stage)
        steps = [*tour.STEPS, *extras.installed()]
        for step in steps:
            tour.play(step, stage, here)
        extras.name_missing(stage)
        if watched:
            extras.page(stage, here)
    tour.end(stage)
    return OK
