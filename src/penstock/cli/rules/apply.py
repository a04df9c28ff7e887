"""`penstock rules apply`: change a rules file."""

from __future__ import annotations

from typing import Any

import click

from penstock.cli.rules.options import OneDocument
from penstock.cli.rules.person import confirm
from penstock.doors.reviewer.apply_command import apply, not_understood
from penstock.doors.reviewer.arguments import ACTOR, ApplyArguments


@click.command(
    "apply",
    cls=OneDocument,
    not_understood=not_understood,
    examples=(
        "DECISION_REVIEWER_ALLOW_WRITES=1 penstock rules apply --dry-run \\",
        """    --json '{"type": "remove_rule", "id": "old", "target_file": "penstock.toml"}'""",
    ),
)
@click.option("--json", required=True, metavar="JSON", help="The operation: one JSON object.")
@click.option("--dry-run", is_flag=True, help="Show what would change; write nothing.")
@click.option("--force", is_flag=True, help="Hide warnings. Errors still stop the edit.")
@click.option(
    "--target-file",
    default="",
    metavar="PATH",
    help="Rules file, if the operation names none.",
)
@click.option(
    "--no-commit",
    is_flag=True,
    help="Keep a dated backup beside the file instead of a git commit.",
)
@click.option(
    "--applied-by",
    default="",
    metavar="NAME",
    help=f"Name for the commit and the logs (default: {ACTOR}, then the user).",
)
@click.option("--yes", is_flag=True, help="Don't ask before rules become less strict.")
def command(**asked: Any) -> int:
    """Change a rules file with one operation, given as a JSON object.

    The result is validated as a whole, written atomically and can be undone. The environment
    variable DECISION_REVIEWER_ALLOW_WRITES=1 must be set.
    """
    if not asked["json"]:
        return not_understood("--json is needed: the operation, as one JSON object")
    return apply(ApplyArguments(**asked), confirm=confirm)
