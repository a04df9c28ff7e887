"""`penstock rules query`: query rules and past decisions; one JSON document in, one out."""

from __future__ import annotations

from typing import Any

import click

from penstock.cli.rules.options import OneDocument, asking_options
from penstock.doors.reviewer.query import answer, read_query
from penstock.doors.reviewer.query_command import answered, not_understood


@click.command(
    "query",
    cls=OneDocument,
    not_understood=not_understood,
    examples=("""penstock rules query '{"type": "stats"}'""",),
)
@click.argument("query", required=False, metavar="[QUERY]")
@click.option("--json", "as_json", metavar="JSON", help="The query, instead of an argument.")
@asking_options
def command(query: str | None, as_json: str | None, **where: Any) -> int:
    """Query rules and past decisions.

    QUERY is one JSON object with a `type`: config, config_files, rule, rule_count, log,
    match_test, stats, patterns or gaps.
    """
    if (query is None) == (as_json is None):
        return not_understood("give the query once, as an argument or with `--json`")
    asked = query if query is not None else as_json or ""
    return answered(lambda asking: answer(read_query(asked), asking), **where)
