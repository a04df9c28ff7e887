"""`penstock sandbox`: scratch directories for agents, by day and topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from penstock.cli import OK
from penstock.cli.shape import CommandGroup
from penstock.cli.terminal.output import echo, json_option, print_json, tell, workspace_option

if TYPE_CHECKING:
    from penstock.app.sandbox import Sandbox

# Names that say nothing to whoever finds the directory next week.
SAYS_NOTHING = {"asdf", "bar", "baz", "data", "foo", "misc", "new", "stuff", "temp", "tmp"}
LEAST_WORDS = 8  # letters of a name that is only digits and a to f; shorter ones may be words


@click.group(cls=CommandGroup)
def command() -> None:
    """Create and clean up scratch directories: agent_sandbox/YYYY-MM-DD/CONTEXT/."""


@command.command(examples=("penstock sandbox new auth-investigation",))
@click.argument("context")
@workspace_option
@json_option
def new(context: str, workspace: str | None, as_json: bool) -> int:
    """Create today's scratch directory for CONTEXT, a short topic name."""
    from penstock.app.sandbox import today

    check(context)
    sandbox = _sandbox(workspace)
    path, made = sandbox.make(today(), context)
    _keep_out_of_git(sandbox)
    if says_nothing(context):
        tell(f"`{context}` is a vague name; a name such as `auth-investigation` is easier to find")
    if as_json:
        print_json({"path": path, "made": made})
    else:
        echo(path)
    return OK


@command.command(examples=("penstock sandbox clean --dry-run", "penstock sandbox clean --days 3"))
@click.option(
    "--days",
    type=click.IntRange(min=0),
    default=7,
    show_default=True,
    metavar="N",
    help="Keep the last N days.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be removed; remove nothing.")
@workspace_option
@json_option
def clean(days: int, dry_run: bool, workspace: str | None, as_json: bool) -> int:
    """Remove scratch directories that are older than N days."""
    from penstock.app.sandbox import NAME, today

    sandbox = _sandbox(workspace)
    old = sandbox.older(than=days, now=today())
    for day in old:
        if not dry_run:
            sandbox.remove(day)
        if not as_json:
            echo(f"{NAME}/{day}/")
    if as_json:
        print_json({"removed": [] if dry_run else old, "old": old})
    return OK


def _sandbox(workspace: str | None) -> Sandbox:
    from penstock.app.sandbox import Sandbox
    from penstock.app.workspace import workspace_root

    return Sandbox(root=workspace_root(workspace))


def check(context: str) -> None:
    """One name, that a shell and a person can handle. Raises what wrong usage raises."""
    from penstock.core.errors import InputError
    from penstock.core.paths import relpath

    try:
        named = relpath.parse(context, root="/")
    except InputError as wrong:
        raise click.BadParameter(f"{wrong.message}: {wrong.because}") from None
    if named.text != context or len(named.parts) > 1 or context.startswith((".", "-")):
        raise click.BadParameter("use one name, such as `auth-investigation`")


def _keep_out_of_git(sandbox: Sandbox) -> None:
    try:
        if sandbox.ignore():
            tell("added `agent_sandbox/` to .gitignore")
    except OSError as fault:
        because = (fault.strerror or str(fault)).lower()
        tell(f"`.gitignore` can't be written ({because}); add `agent_sandbox/` to it yourself")


def says_nothing(context: str) -> bool:
    """Say whether a name looks made by a program, or like no name at all."""
    plain = context.lower().replace("-", "").replace("_", "")
    hexadecimal = len(plain) >= LEAST_WORDS and set(plain) <= set("0123456789abcdef")
    return plain in SAYS_NOTHING or plain.isdigit() or hexadecimal or len(plain) < 2
