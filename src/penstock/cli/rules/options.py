"""Options that the commands of `penstock rules` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.complete import rule_ids
from penstock.cli.usage import message

F = TypeVar("F", bound=Callable[..., Any])


class OneDocument(PlainCommand):
    """A command that prints a document also for wrong usage.

    No value may be given twice: whoever reads the line and whoever obeys it must mean the same.
    """

    def __init__(self, *, not_understood: Callable[[str], int], **settings: Any) -> None:
        super().__init__(**settings)
        self.not_understood = not_understood

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words; what is wrong with them is printed."""
        try:
            _, _, given = self.make_parser(ctx).parse_args(list(args))
            for one in given:
                single = isinstance(one, click.Option) and not (one.is_flag or one.multiple)
                if single and given.count(one) > 1:
                    raise click.UsageError(f"`{one.opts[0]}` is given twice")
            return super().parse_args(ctx, args)
        except click.UsageError as wrong:
            ctx.exit(self.not_understood(message(wrong)))


def asking_options(function: F) -> F:
    """Add the options that choose rules and logs."""
    options = (
        click.option("--config", default="", metavar="FILE", help="Rules file."),
        click.option(
            "--log",
            "logs",
            multiple=True,
            metavar="FILE",
            help="Decision log to read; may be repeated.",
        ),
        click.option(
            "--workspace", metavar="DIR", default="", help="Project directory (default: here)."
        ),
        click.option(
            "--compact/--pretty", "dense", default=None, help="Print JSON on one line, or indented."
        ),
    )
    for decorate in reversed(options):
        function = decorate(function)
    return function


def rule_option(function: F) -> F:
    """Add `--rule-id`."""
    return click.option(
        "--rule-id", required=True, metavar="ID", shell_complete=rule_ids, help="Id of the rule."
    )(function)
