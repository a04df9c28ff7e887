"""What the commands of `decision_reviewer` share: their options and how they print."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

import click

from penstock.core.errors import PenstockError
from penstock.doors.reviewer.output import keep_standard
from penstock.doors.reviewer.query_command import LogProgress, of_ours, show, start_of
from penstock.doors.reviewer.question import Document, QueryContext, QueryError

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
            ctx.exit(self.not_understood(wrong.format_message()))


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


def told(
    answer: Callable[[QueryContext], Document],
    *,
    config: str,
    logs: tuple[str, ...],
    workspace: str,
    dense: bool | None,
) -> int:
    """Print the one document of an answer, or of what went wrong; return the exit code."""
    keep_standard()
    code = 0
    try:
        start = start_of(workspace)
        asking = QueryContext(
            config=config, logs=logs, start=start, now=time.time(), told=LogProgress()
        )
        document = answer(asking)
    except QueryError as wrong:
        document, code = {"success": False, **wrong.document()}, 1
    except PenstockError as problem:
        details = "; ".join(filter(None, (problem.because, problem.hint)))
        fault = QueryError(problem.code.replace("-", "_"), problem.message, details)
        document, code = {"success": False, **fault.document()}, 1
    except Exception as unknown:  # noqa: BLE001 - a script waits for a document, not for a trace
        document, code = {"success": False, **of_ours(unknown).document()}, 1
    shown = show(document, pretty=None if dense is None else not dense)
    return code if shown else code or 1
