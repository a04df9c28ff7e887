"""`penstock rules apply`: change a rules file."""

from __future__ import annotations

import click

from penstock.cli.rules_person import confirm
from penstock.doors.reviewer.arguments import OPTIONS


class Verbatim(click.Command):
    """A command whose words are read by the door; the options here are for help and completion."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the words as they are, unless help is asked for."""
        if {"--help", "-h"} & {*args}:
            return super().parse_args(ctx, args)
        ctx.args = list(args)
        return []


@click.command(
    "apply",
    cls=Verbatim,
    params=[
        click.Option(
            [option.name], is_flag=not option.value, metavar=option.value or None, help=option.help
        )
        for option in OPTIONS
    ],
)
@click.pass_context
def command(ctx: click.Context) -> int:
    """Change a rules file: validated as a whole, written in one step, with a way back.

    The operation is one JSON object, such as {"type": "remove_rule", "id": "old",
    "target_file": "penstock.toml"}. DECISION_REVIEWER_ALLOW_WRITES=1 must be set.
    """
    from penstock.doors.reviewer.apply_command import apply

    return apply(ctx.args, confirm=confirm)
