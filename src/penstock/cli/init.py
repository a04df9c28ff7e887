"""`penstock init`: put the gate in front of the agents of this project."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypedDict

import click

from penstock.cli import OK
from penstock.cli.extras import missing
from penstock.cli.output import (
    console,
    json_option,
    print_json,
    printable,
    tell,
    workspace_option,
)
from penstock.core.distribution import pip_install
from penstock.core.loopback import PORT
from penstock.doors.hook.agents import NAMES, agent_module

if TYPE_CHECKING:
    from rich.console import Console

    from penstock.app import Workspace
    from penstock.doors.setup.install import Wish
    from penstock.doors.setup.registrations import PlanStep

DONE = {"create": "created", "change": "changed", "remove": "removed"}
WOULD = {word: f"would {word}" for word in DONE}
TO_DO = "left to do"
QUESTION = "make an approver key now? Then nothing approves a change without its passphrase"
PLAIN_PORT = click.IntRange(min=1, max=65535)


@click.command()
@click.option("--preset", type=click.Choice(["guard", "strict"]), help="The rules to begin with.")
@click.option(
    "--agent", "agents", multiple=True, type=click.Choice(NAMES), help="Only for this agent."
)
@click.option("--http", is_flag=True, help="Claude Code asks `penstock serve` instead.")
@click.option("--port", type=PLAIN_PORT, default=PORT, help="Where `penstock serve` listens.")
@click.option("--local", is_flag=True, help="Claude Code: .claude/settings.local.json instead.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--yes", is_flag=True, help="Ask nothing; for scripts.")
@workspace_option
@json_option
def command(
    preset: str | None,
    agents: tuple[str, ...],
    http: bool,
    port: int,
    local: bool,
    dry_run: bool,
    yes: bool,
    workspace: str | None,
    as_json: bool,
) -> int:
    """Write penstock.toml and register the hook with the agents that are here.

    What is there already is kept, and a second run changes nothing. `penstock
    uninstall` takes exactly this back. At a terminal, where there is no approver
    key yet, it offers to make one.
    """
    from penstock.app import open_workspace
    from penstock.doors.setup.agents_present import present
    from penstock.doors.setup.install import Wish, carry_out, described, only_adds, plan

    here = open_workspace(workspace)
    here_too = present(here.root, os.path.expanduser("~"), environ=os.environ)
    chosen = tuple(dict.fromkeys(agents)) or tuple(here_too) or ("claude",)
    wish = Wish(agents=chosen, preset=preset or "guard", http=http, port=port, local=local)
    steps = plan(here, wish, token=_token(here, dry_run) if http else "")
    if not dry_run:
        if here.inside_agent():
            only_adds(steps)
        carry_out(here, steps)
    left = _left(wish, steps, named=bool(agents), found=bool(here_too), preset=preset)
    keyless = not here.keys.exists()
    offers = keyless and not (yes or as_json or dry_run) and _somebody_here(here)
    if keyless and not offers:
        left.insert(0, _keyless(here))
    facts: InitSummary = {
        "workspace": here.root,
        "dry_run": dry_run,
        "agents": [
            {"name": name, "title": agent_module(name).TITLE, "found": here_too.get(name)}
            for name in wish.agents
        ],
        "changes": described(steps, WOULD if dry_run else DONE),
        "left": [*_off(here, wish), *left],
    }
    if as_json:
        print_json(facts)
    else:
        _show(facts)
    if offers:
        _offer_key(here)
    return OK


def _somebody_here(here: Workspace) -> bool:
    from penstock.cli.ask import at_terminal

    return at_terminal() and not here.inside_agent()


def _offer_key(here: Workspace) -> None:
    """Ask once whether to make the approver key now; what ends the question is a no."""
    from penstock.cli.approver import make

    try:
        wanted = click.confirm(QUESTION, default=False, err=True)
    except click.Abort:
        tell("")
        wanted = False
    label, done = ("made", f"approver key {make(here).id}") if wanted else (TO_DO, _keyless(here))
    console().print(printable(f"{label:13} {done}"), markup=False)


def _keyless(here: Workspace) -> str:
    """Say what an approval is worth without a key, and how to make one."""
    from penstock.app.approval_state import MAKE_KEY, approval_state

    return f"approvals: {approval_state(here).says}; make an approver key: {MAKE_KEY}"


def _token(here: Workspace, dry_run: bool) -> str:
    from penstock.doors.http.tokens import hook_token

    return "..." if dry_run else hook_token(os.path.dirname(here.state))


class InitSummary(TypedDict):
    """What was done, or would be; `--json` prints it as it is."""

    workspace: str
    dry_run: bool
    agents: list[dict[str, str | None]]
    changes: list[dict[str, object]]
    left: list[str]


def _off(here: Workspace, wish: Wish) -> Iterator[str]:
    """Yield why a hook would not run although it is registered now; trust is asked for below."""
    from penstock.doors.doctor.ways_off import ways_off
    from penstock.doors.setup.agent_files import BAD, place_of

    for name in wish.agents:
        for finding in ways_off(name, place_of(here.root)):
            if finding.status == BAD and finding.name != "trust":
                yield f"{agent_module(name).TITLE}: {finding.what}; {finding.hint}"


def _left(
    wish: Wish, steps: list[PlanStep], *, named: bool, found: bool, preset: str | None
) -> list[str]:
    """Return what a person has to know or do now."""
    from penstock.doors.setup.agents_present import LEFT

    left = []
    if not named and not found:
        left.append("no agent was found here; this is for Claude Code, `--agent` names another")
    if preset and not any(step.path == "penstock.toml" for step in steps):
        left.append("penstock.toml was there and is kept; its own preset stays in force")
    for name in wish.agents:
        left += [f"{agent_module(name).TITLE}: {sentence}" for sentence in LEFT[name]]
    if wish.http:
        if missing("web"):
            left.append(f"`penstock serve` needs the extra `web`: {pip_install('web')}")
        left.append(
            f"start `penstock serve --port {wish.port}`: while it is down, writes are blocked"
        )
        file = "" if wish.local else "; with --local it stays out of a shared repository"
        left.append(f"the token in Claude Code's settings is good for judging only{file}")
    return [*left, "prove that it works: penstock doctor"]


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
