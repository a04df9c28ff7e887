"""`decision_reviewer query`: ask about rules and past decisions; one JSON document in, one out."""

from __future__ import annotations

import click

from penstock.cli.rules_common import OneDocument
from penstock.doors.reviewer.query_command import ask, not_understood


@click.command("query", cls=OneDocument, not_understood=not_understood)
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
        return not_understood("give the query once, as an argument or with --json")
    pretty = None if dense is None else not dense
    asked = query if query is not None else as_json or ""
    return ask(asked, config=config, logs=logs, workspace=workspace, pretty=pretty)
