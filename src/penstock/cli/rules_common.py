"""What the commands of `decision_reviewer` share: their options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from penstock.cli.output import usage_message

F = TypeVar("F", bound=Callable[..., Any])


class OneDocument(click.Command):
    """A command that prints a document also where its words cannot be understood.

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
                    raise click.UsageError(f"{one.opts[0]} is given twice")
            return super().parse_args(ctx, args)
        except click.UsageError as wrong:
            ctx.exit(self.not_understood(usage_message(wrong)))


def asking_options(function: F) -> F:
    """Add the options that say which rules and which logs are meant."""
    for decorate in (
        click.option("--config", default="", metavar="FILE", help="The rules file."),
        click.option("--log", "logs", multiple=True, metavar="FILE", help="A log to learn from."),
        click.option("--workspace", metavar="DIR", default="", help="The project (default: here)."),
        click.option("--compact/--pretty", "dense", default=None, help="One line, or indented."),
    ):
        function = decorate(function)
    return function


def rule_option(function: F) -> F:
    """Add `--rule-id`."""
    return click.option("--rule-id", required=True, metavar="ID", help="The rule's id.")(function)
