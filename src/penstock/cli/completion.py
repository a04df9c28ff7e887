"""`penstock completion`: the script that completes commands and options in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of a shell.

    For bash: `eval "$(penstock completion bash)"` in ~/.bashrc.
    """
    from penstock.cli import penstock

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(penstock, {}, "penstock", "_PENSTOCK_COMPLETE").source())
