"""`penstock rules apply`: change a rules file."""

from __future__ import annotations

from typing import Any

import click

from penstock.cli.rules_common import OneDocument
from penstock.cli.rules_person import confirm
from penstock.doors.reviewer.apply_command import apply, not_understood
from penstock.doors.reviewer.arguments import ACTOR, ApplyArguments


@click.command("apply", cls=OneDocument, not_understood=not_understood)
@click.option("--json", required=True, metavar="JSON", help="The operation, as one JSON object.")
@click.option("--dry-run", is_flag=True, help="Only say what would change; write nothing.")
@click.option(
    "--force", is_flag=True, help="Do not show warnings; what blocks an edit still blocks it."
)
@click.option(
    "--target-file",
    default="",
    metavar="PATH",
    help="The rules file, where the operation names none.",
)
@click.option(
    "--no-commit",
    is_flag=True,
    help="Make a dated copy beside the file in place of a git commit.",
)
@click.option(
    "--applied-by",
    default="",
    metavar="NAME",
    help=f"Who is named in the commit and the logs (default: {ACTOR}, then the user).",
)
@click.option("--yes", is_flag=True, help="Do not ask before rules are widened.")
def command(**asked: Any) -> int:
    """Change a rules file: validated as a whole, written in one step, with a way back.

    The operation is one JSON object, such as {"type": "remove_rule", "id": "old",
    "target_file": "penstock.toml"}. DECISION_REVIEWER_ALLOW_WRITES=1 must be set.
    """
    if not asked["json"]:
        return not_understood("--json is needed: the operation, as one JSON object")
    return apply(ApplyArguments(**asked), confirm=confirm)
