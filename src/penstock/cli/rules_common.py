"""What the learning commands of `decision_reviewer` share: their options and how they print."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any, TypeVar

import click

from penstock.core.errors import PenstockError
from penstock.doors.reviewer.output import keep_standard
from penstock.doors.reviewer.query import QueryContext, QueryError
from penstock.doors.reviewer.query_command import LogProgress, of_ours, show, start_of

Document = dict[str, object]

F = TypeVar("F", bound=Callable[..., Any])


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
    code, collecting = 0, gc.isenabled()
    gc.disable()  # very many small values, none of them a circle, and the end is near
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
    finally:
        if collecting:
            gc.enable()
    shown = show(document, pretty=None if dense is None else not dense)
    return code if shown else code or 1
