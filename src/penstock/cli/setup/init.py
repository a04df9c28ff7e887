"""`penstock init`: protect this project.

What is said afterwards is in `init_notes`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypedDict

import click
from msgspec import Struct

from penstock.cli import OK
from penstock.cli.setup.init_notes import keyless, notes
from penstock.cli.shape import OneOf, PlainCommand
from penstock.cli.terminal.output import (
    console,
    json_option,
    print_json,
    printable,
    tell,
    workspace_option,
)
from penstock.core.errors import InputError
from penstock.core.loopback import PORT
from penstock.doors.hook.agents import NAMES, agent_module

if TYPE_CHECKING:
    from rich.console import Console

    from penstock.app import Workspace
    from penstock.doors.setup.install import Wish
    from penstock.doors.setup.registrations import PlanStep

DONE = {"create": "created", "change": "changed", "remove": "removed"}
WOULD = {word: f"would {word}" for word in DONE}
TO_DO = "next"
QUESTION = "create an approver key now? Then every approval needs its passphrase"
PLAIN_PORT = click.IntRange(min=1, max=65535)


@click.command(
    cls=PlainCommand,
    examples=(
        "penstock init",
        "penstock init --dry-run",
        "penstock init --agent claude --shared",
        "penstock init --observe",
    ),
)
@click.option(
    "--preset",
    type=OneOf(["guard", "strict"]),
    metavar="NAME",
    help="Rules to start with: guard (default) or strict.",
)
@click.option(
    "--agent",
    "agents",
    multiple=True,
    type=OneOf(NAMES),
    metavar="NAME",
    help=f"Register only this agent: {', '.join(NAMES)}.",
)
@click.option("--local", "scope", flag_value="local", help="Only for you (default): not committed.")
@click.option("--shared", "scope", flag_value="shared", help="For the team: files to commit.")
@click.option("--global", "scope", flag_value="global", help="For all your projects.")
@click.option(
    "--observe", "observe", flag_value="observe", help="Only log decisions; block nothing."
)
@click.option("--enforce", "observe", flag_value="enforce", help="Leave observe mode; block again.")
@click.option("--http", is_flag=True, help="Claude Code: send calls to `penstock serve`.")
@click.option(
    "--port",
    type=PLAIN_PORT,
    default=PORT,
    show_default=True,
    metavar="PORT",
    help="Port of `penstock serve`.",
)
@click.option("--dry-run", is_flag=True, help="Show what would change; change nothing.")
@click.option("--yes", is_flag=True, help="Don't ask any questions.")
@workspace_option
@json_option
def command(workspace: str | None, as_json: bool, **given: Any) -> int:
    """Protect this project: create penstock.toml and register agent hooks.

    Installed agents are detected automatically. Existing files are kept, a second run changes
    nothing, and `penstock uninstall` removes exactly what was added.

    --local writes the agent's personal settings file. --shared writes the settings file that the
    team commits; for colleagues without Penstock, agents' calls are denied with the command that
    installs it. --global writes to your home directory and creates no penstock.toml:
    projects without one use your own rules, or the preset guard.

    With --observe every call is decided and logged, but only attempts to remove Penstock or its
    audit log are blocked; `penstock report` shows what would have been blocked.
    """
    from penstock.app import open_workspace

    here = open_workspace(workspace, compiles=True)
    asked = InitRequest(here, **given)
    _check(asked)
    facts = asked.carry_out()
    left = facts["left"]
    no_key = not here.keys.exists()
    offers = no_key and not (asked.yes or as_json or asked.dry_run) and _somebody_here(here)
    if no_key and not offers:
        left.insert(0, keyless(here))
    if as_json:
        print_json(facts)
    else:
        _show(facts)
    if offers:
        _offer_key(here)
    return OK


class InitSummary(TypedDict):
    """What was done, or would be; `--json` prints it as it is."""

    workspace: str
    dry_run: bool
    agents: list[dict[str, str | None]]
    changes: list[dict[str, object]]
    left: list[str]


class InitRequest(Struct, frozen=True, dict=True):
    """One call of `init`, as its options say it."""

    here: Workspace
    preset: str | None
    agents: tuple[str, ...]
    http: bool
    port: int
    scope: str | None
    observe: str | None
    dry_run: bool
    yes: bool

    def carry_out(self) -> InitSummary:
        """Register the hooks, unless it is a dry run; return what changed and what is left."""
        from penstock.doors.setup.agents_present import present
        from penstock.doors.setup.install import described, plan

        found = present(self.here.root, os.path.expanduser("~"), environ=os.environ)
        wish = self._wish(found)
        switched = self._switched(wish)
        steps = plan(self.here, wish, token=self._token() if self.http else "")
        if not self.dry_run:
            self._write(steps)
        return {
            "workspace": self.here.root,
            "dry_run": self.dry_run,
            "agents": [
                {"name": name, "title": agent_module(name).TITLE, "found": found.get(name)}
                for name in wish.agents
            ],
            "changes": [*described(steps, WOULD if self.dry_run else DONE), *switched],
            "left": [
                *notes(self.here, wish, steps, found=bool(found or self.agents), preset=self.preset)
            ],
        }

    def _wish(self, found: dict[str, str]) -> Wish:
        from penstock.doors.setup.install import Wish
        from penstock.doors.setup.scopes import LOCAL

        return Wish(
            agents=tuple(dict.fromkeys(self.agents)) or tuple(found) or ("claude",),
            preset=self.preset or "",
            http=self.http,
            port=self.port,
            scope=self.scope or LOCAL,
            observe=self.observe == "observe",
        )

    def _write(self, steps: list[PlanStep]) -> None:
        from penstock.doors.setup.install import carry_out, only_adds

        if self.here.inside_agent():
            only_adds(steps)
        carry_out(self.here, steps)

    def _switched(self, wish: Wish) -> list[dict[str, object]]:
        """Make the project's rules observe or enforce; rules that are made now are the plan's."""
        from penstock.cli.rules.observe import switch
        from penstock.cli.terminal.proof import refuse_inside_agent

        if self.observe is None:
            return []
        if wish.observe and not self.dry_run:
            refuse_inside_agent(self.here, command="init --observe")
        return switch(self.here, observe=wish.observe, yes=self.yes, dry_run=self.dry_run)

    def _token(self) -> str:
        from penstock.doors.http.tokens import hook_token

        return "..." if self.dry_run else hook_token(os.path.dirname(self.here.state))


def _check(asked: InitRequest) -> None:
    """Refuse options that contradict each other, and a place that is no project."""
    if asked.observe and asked.scope == "global":
        raise click.UsageError(f"`--{asked.observe}` is set per project; leave out `--global`")
    if asked.http and asked.scope not in (None, "local"):
        raise click.UsageError(f"`--http` works on one machine only; leave out `--{asked.scope}`")
    if asked.scope != "global":
        _check_place(asked.here.root)


def _check_place(root: str) -> None:
    """Refuse the directories that hold everything of a person, or of the machine."""
    places = {os.path.realpath(os.path.expanduser("~")): "your home", os.sep: "the root"}
    if root in places:
        raise InputError(
            "is-home",
            f"this is {places[root]} directory, not a project",
            because="a hook here would treat all files below it as one project",
            hint="change to a project directory, or use `penstock init --global`",
        )


def _somebody_here(here: Workspace) -> bool:
    from penstock.cli.terminal.ask import at_terminal

    return at_terminal() and not here.inside_agent()


def _offer_key(here: Workspace) -> None:
    """Ask once whether to make the approver key now; what ends the question is a no."""
    from penstock.cli.setup.approver import make

    try:
        wanted = click.confirm(QUESTION, default=False, err=True)
    except click.Abort:
        tell("")
        wanted = False
    label, done = ("created", f"approver key {make(here).id}") if wanted else (TO_DO, keyless(here))
    console().print(printable(f"{label:13} {done}"), markup=False)


def _show(facts: InitSummary) -> None:
    out = console()
    show_changes(out, facts["changes"], diffs=facts["dry_run"])
    for agent in facts["agents"]:
        why = f" ({agent['found']})" if agent["found"] else ""
        out.print(printable(f"{'agent':13} {agent['title']}{why}"), markup=False)
    for sentence in facts["left"]:
        out.print(printable(f"{TO_DO:13} {sentence}"), markup=False)


def show_changes(out: Console, changes: list[dict[str, object]], *, diffs: bool) -> None:
    """Print each file with what happened to it; what only would happen has its diff."""
    for change in changes:
        why = f": {change['why']}" if "why" in change else ""
        out.print(printable(f"{change['status']:13} {change['path']}{why}"), markup=False)
        if diffs and change["diff"]:
            out.print(printable(str(change["diff"])), markup=False)
