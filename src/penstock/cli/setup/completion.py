"""`penstock completion`: the script that completes commands, options and ids in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from penstock.cli import OK
from penstock.cli.shape import OneOf, PlainCommand


@click.command(
    cls=PlainCommand,
    examples=(
        'eval "$(penstock completion bash)"                              # in ~/.bashrc',
        'eval "$(penstock completion zsh)"                               # in ~/.zshrc',
        "penstock completion fish > ~/.config/fish/completions/penstock.fish",
    ),
)
@click.argument("shell", type=OneOf(["bash", "zsh", "fish"]), metavar="SHELL")
def command(shell: str) -> int:
    """Print the completion script for SHELL: bash, zsh or fish.

    It completes commands, options, presets, agents, rule ids and the ids of pending changes,
    change sets and receipts.
    """
    from penstock.cli import COMPLETE, penstock

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(penstock, {}, "penstock", COMPLETE).source())
    return OK
