"""`penstock help`: the help of a command, by its name."""

from __future__ import annotations

import click

from penstock.cli import OK
from penstock.cli.shape import PlainCommand, UnknownCommandError


def _names(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    from penstock.cli import penstock

    return [name for name in penstock.list_commands(ctx) if name.startswith(incomplete)]


@click.command(
    cls=PlainCommand, examples=("penstock help", "penstock help approve", "penstock help rules add")
)
@click.argument("names", nargs=-1, metavar="[COMMAND]", shell_complete=_names)
def command(names: tuple[str, ...]) -> int:
    """Show help for Penstock, or for one command."""
    from penstock.cli import penstock

    ctx = click.Context(penstock, info_name="penstock", help_option_names=["-h", "--help"])
    found: click.Command = penstock
    for name in names:
        if not isinstance(found, click.Group):
            raise click.UsageError(f"`{ctx.command_path}` has no subcommands", ctx)
        below = found.get_command(ctx, name)
        if below is None:
            raise UnknownCommandError(name, found.list_commands(ctx), ctx)
        ctx = click.Context(below, info_name=name, parent=ctx)
        found = below
    click.echo(found.get_help(ctx))
    return OK
