"""`decision_reviewer query`: ask about rules and past decisions; one JSON document in, one out."""

from __future__ import annotations

import os
import sys
import time

import click

from penstock.doors.reviewer.query import Asking, QueryError, answer, compact, read_query

USAGE = 64


@click.command("query")
@click.argument("query", required=False)
@click.option("--json", "as_json", metavar="JSON", help="The query, if it is not an argument.")
@click.option("--config", default="", metavar="FILE", help="The rules file that is asked about.")
@click.option("--log", "logs", multiple=True, metavar="FILE", help="A log to ask, and no other.")
@click.option("--compact/--pretty", "dense", default=None, help="One line, or indented.")
@click.option("--workspace", metavar="DIR", default="", help="The project (default: here).")
def command(
    query: str | None,
    as_json: str | None,
    config: str,
    logs: tuple[str, ...],
    dense: bool | None,
    workspace: str,
) -> int:
    """Ask about rules, past decisions and what is missing.

    The query is one JSON object with a `type`: config, config_files, rule, rule_count, log,
    match_test, stats, patterns or gaps.
    """
    if (query is None) == (as_json is None):
        raise click.UsageError("give the query once, as an argument or with --json")
    pretty = sys.stdout.isatty() if dense is None else not dense
    start = os.path.abspath(workspace) if workspace else os.getcwd()
    asking = Asking(config=config, logs=logs, start=start, now=time.time(), told=progress())
    try:
        document, code = answer(read_query(query or as_json or ""), asking)
    except QueryError as wrong:
        document, code = wrong.document(), 1
    click.echo(compact(document, pretty=pretty))
    return code


def progress() -> _Progress:
    """Return what tells how far the first reading of a long log is."""
    return _Progress()


class _Progress:
    """Says on stderr how far a long reading is, from the second second on."""

    def __init__(self) -> None:
        self._began = self._last = time.monotonic()

    def __call__(self, done: int, size: int) -> None:
        """Take note of how much is done, and tell it once a second."""
        now = time.monotonic()
        if now - self._last < 1 or done >= size:
            return
        self._last = now
        share = 100 * done // max(size, 1)
        click.echo(f"reading the log for the first time: {share} % of {size >> 20} MB", err=True)
