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
from penstock.core.distribution import NAME, pip_install
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
@click.option("--local", "scope", flag_value="local", help="For you alone (default), git-ignored.")
@click.option("--shared", "scope", flag_value="shared", help="For the team: files to commit.")
@click.option("--global", "scope", flag_value="global", help="For all your projects.")
@click.option("--observe", "observe", flag_value="observe", help="Decide and record, stop nothing.")
@click.option("--enforce", "observe", flag_value="enforce", help="Stop again what the rules stop.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@click.option("--yes", is_flag=True, help="Ask nothing; for scripts.")
@workspace_option
@json_option
def command(
    preset: str | None,
    agents: tuple[str, ...],
    http: bool,
    port: int,
    scope: str | None,
    observe: str | None,
    dry_run: bool,
    yes: bool,
    workspace: str | None,
    as_json: bool,
) -> int:
    """Write penstock.toml and register the hook with the agents that are here.

    `--local` (the default) registers it in the agent's own local settings, with
    this machine's interpreter. `--shared` registers it in the files that a team
    commits: the command looks for `penstock-hook` on PATH, and where Penstock is
    not installed the agent's calls are denied with the command that installs it.
    `--global` registers it in your home, for every project; penstock.toml is
    then not written, and a project without rules goes by yours, or by `guard`.

    With `--observe` the hook asks the rules and records their answers, and stops
    nothing but what would remove Penstock or its audit log; `penstock report`
    then shows what would have been stopped. What goes through Penstock's own
    tools (MCP server, broker, LangGraph write gate) still goes by the rules.
    `--enforce` ends that.

    What is there already is kept, and a second run changes nothing. `penstock
    uninstall` takes exactly this back. At a terminal, where there is no approver
    key yet, it offers to make one.
    """
    from penstock.app import open_workspace
    from penstock.doors.setup.agents_present import present
    from penstock.doors.setup.install import Wish, carry_out, described, only_adds, plan
    from penstock.doors.setup.scopes import LOCAL

    here = open_workspace(workspace)
    here_too = present(here.root, os.path.expanduser("~"), environ=os.environ)
    chosen = tuple(dict.fromkeys(agents)) or tuple(here_too) or ("claude",)
    wish = Wish(
        agents=chosen,
        preset=preset or "",
        http=http,
        port=port,
        scope=scope or LOCAL,
        observe=observe == "observe",
    )
    _check_http(wish)
    switched = _switched(here, wish, observe, yes=yes, dry_run=dry_run)
    steps = plan(here, wish, token=_token(here, dry_run) if http else "")
    if not dry_run:
        if here.inside_agent():
            only_adds(steps)
        carry_out(here, steps)
    left = [*_observing(here, wish), *_scope_notes(here, wish, steps)]
    left += _left(wish, steps, named=bool(agents), found=bool(here_too), preset=preset)
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
        "changes": [*described(steps, WOULD if dry_run else DONE), *switched],
        "left": [*_off(here, wish), *left],
    }
    if as_json:
        print_json(facts)
    else:
        _show(facts)
    if offers:
        _offer_key(here)
    return OK


def _switched(
    here: Workspace, wish: Wish, observe: str | None, *, yes: bool, dry_run: bool
) -> list[dict[str, object]]:
    """Make the project's rules observe or enforce; rules that are made now are the plan's."""
    if observe is None:
        return []
    from penstock.cli.observe import switch
    from penstock.cli.proof import refuse_inside_agent

    if wish.scope == "global":
        raise click.UsageError(f"--{observe} is for one project: it stands in its penstock.toml")
    if wish.observe and not dry_run:
        refuse_inside_agent(here, command="init --observe")
    return switch(here, observe=wish.observe, yes=yes, dry_run=dry_run)


def _check_http(wish: Wish) -> None:
    """The address, the token and the project's place are one person's and one machine's."""
    if wish.http and wish.scope != "local":
        raise click.UsageError(f"--http is for one person on one machine, not --{wish.scope}")


def _scope_notes(here: Workspace, wish: Wish, steps: list[PlanStep]) -> Iterator[str]:
    """Yield what a person has to know about where the hook is registered now."""
    from penstock.doors.setup.install import at_home
    from penstock.doors.setup.scopes import GLOBAL, LOCAL, SHARED, has_one_file

    title = {name: agent_module(name).TITLE for name in wish.agents}
    changed = {step.path for step in steps if step.changes}
    for name in at_home(here, wish) if wish.scope != GLOBAL else ():
        more = {
            LOCAL: "nothing is registered for this project alone",
            SHARED: "here both registrations judge each call, and the strictest answer wins",
        }
        yield f"{title[name]}: registered for every project already; {more[wish.scope]}"
    if wish.scope == SHARED:
        files = sorted(path for path in changed if path not in (".gitignore", "penstock.toml"))
        yield f"commit {', '.join([*files, 'penstock.toml', '.gitignore'])}"
        yield f"colleagues need Penstock: pipx install {NAME}; until then their calls are denied"
    for name in wish.agents if wish.scope == LOCAL else ():
        if has_one_file(name) and name not in at_home(here, wish):
            yield (
                f"{title[name]}: it reads one file in a project, which now has this machine's "
                "paths in it; do not commit it, or use --shared"
            )


def _observing(here: Workspace, wish: Wish) -> Iterator[str]:
    if wish.observe or here.policy().enforced is not None:
        from penstock.cli.observe import LOUD

        yield LOUD


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
    if preset and not any(step.path.endswith("penstock.toml") for step in steps):
        left.append("penstock.toml was there and is kept; its own preset stays in force")
    for name in wish.agents:
        left += [f"{agent_module(name).TITLE}: {sentence}" for sentence in LEFT[name]]
    if wish.http:
        if missing("web"):
            left.append(f"`penstock serve` needs the extra `web`: {pip_install('web')}")
        left.append(
            f"start `penstock serve --port {wish.port}`: while it is down, writes are blocked"
        )
        left.append("the token in Claude Code's settings is good for judging only")
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
