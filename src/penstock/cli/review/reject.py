"""`penstock reject`: close a pending change with a reason for the agent."""

from __future__ import annotations

import click

from penstock.cli import OK
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.complete import proposal_ids
from penstock.cli.terminal.output import json_option, print_json, tell, workspace_option


@click.command(
    cls=PlainCommand,
    examples=(
        'penstock reject 3f2a1c9e --reason "keep the old API"',
        'penstock reject 3f2a1c9e --comment "src/a.py:14: keep the check"',
    ),
)
@click.argument("id_", metavar="ID", shell_complete=proposal_ids)
@click.option("--reason", default="", metavar="TEXT", help="Reason (sent to the agent).")
@click.option(
    "--comment",
    "comments",
    multiple=True,
    metavar="PATH:LINES: TEXT",
    help="A comment on lines of the change (sent to the agent): PATH:14, PATH:10-20, PATH:-7 for "
    "a removed line, PATH:#2 for a hunk. Can be repeated.",
)
@workspace_option
@json_option
def command(
    id_: str, reason: str, comments: tuple[str, ...], workspace: str | None, as_json: bool
) -> int:
    """Reject a pending change or change set. Nothing is written.

    The agent reads the reason and every comment.
    """
    from penstock.app.proof import who
    from penstock.cli.review.queue import document, named_by_person
    from penstock.core.proposals.line_comment import of_values
    from penstock.gate import Proof
    from penstock.gate.lookup import still_open

    if not reason.strip() and not comments:
        raise click.UsageError("`--reason` or `--comment` is needed; it is what the agent reads")
    here, group = named_by_person(workspace, id_)
    kept = still_open(group)
    said = of_values(comments, path=kept[0].path if len(kept) == 1 else "")
    closed = here.gate.answer_all(
        [one.id for one in kept],
        approve=False,
        proof=Proof(by=who(), kind="command"),
        reason=reason,
        comments=said,
    )
    if as_json:
        print_json({"rejected": [document(one) for one in closed]})
    for one in closed:
        tell(f"rejected {one.path}")
        for comment in one.answer.comments if one.answer else ():
            tell(f"  {comment.words}")
    return OK
