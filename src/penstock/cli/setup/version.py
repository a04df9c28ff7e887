"""`penstock version`: which version this is."""

from __future__ import annotations

import sys

import click

from penstock.cli import OK
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.output import json_option, print_json


@click.command(cls=PlainCommand, examples=("penstock version", "penstock version --json"))
@json_option
def command(as_json: bool) -> int:
    """Show the version of Penstock."""
    from penstock import __version__

    if as_json:
        print_json({"version": __version__, "python": sys.version.split()[0]})
    else:
        click.echo(f"penstock {__version__}")
    return OK
