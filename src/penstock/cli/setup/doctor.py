"""`penstock doctor`: check that the hooks work, or say why they don't."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from msgspec import to_builtins

from penstock.cli import COULD_NOT, OK
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.output import echo, json_option, print_json, workspace_option
from penstock.core.text.quantities import counted
from penstock.doors.hook.agents import agent_module

if TYPE_CHECKING:
    from penstock.doors.doctor.doctor import DoctorReport

COLOUR = {"ok": "green", "note": "cyan", "warn": "yellow", "bad": "red"}


@click.command(cls=PlainCommand, examples=("penstock doctor", "penstock doctor --live"))
@click.option("--live", is_flag=True, help="Also test with the real agents that are installed.")
@workspace_option
@json_option
def command(live: bool, workspace: str | None, as_json: bool) -> int:
    """Check that the hooks are installed and working.

    Each registered hook judges two test writes: one must be blocked, one allowed. Nothing is
    written or logged. Settings that switch hooks off are checked as well. The last line says
    whether the project is protected.
    """
    from penstock.app import open_workspace
    from penstock.doors.doctor.doctor import examine
    from penstock.doors.setup.agent_files import place_of

    here = open_workspace(workspace, compiles=True)
    report = examine(here, place_of(here.root))
    if live:
        from penstock.doors.doctor.live import tried

        report = tried(here, report)
    if as_json:
        print_json({"workspace": here.root, **document(report)})
    else:
        show(report)
    return OK if report.sound else COULD_NOT


def document(report: DoctorReport) -> dict[str, object]:
    """Return a report as data."""
    return {
        "ok": report.sound,
        "hooks": [to_builtins(hook) for hook in report.hooks],
        "checks": [
            {"name": one.name, "status": one.status, "what": one.what, "try": one.hint}
            for one in report.findings
        ],
    }


def show(report: DoctorReport) -> None:
    """Print a report for a person."""
    for one in report.findings:
        echo(f"{one.name}: {one.what}", mark=f"{one.status:5}", colour=COLOUR[one.status])
        if one.hint and one.status != "ok":
            echo(f"      try: {_commands(one.hint)}")
    echo(protection(report))


def protection(report: DoctorReport) -> str:
    """Say in one sentence whether the project is protected, and what to do if it is not."""
    bad = [one for one in report.findings if one.status == "bad"]
    if bad:
        first = next((one.hint for one in bad if one.hint), "")
        do = f"; to fix it: {_commands(first)}" if first else ""
        return f"This project is NOT protected: {counted(len(bad), 'problem')} found{do}"
    if any(one.name == "observe" for one in report.findings):
        return (
            "This project is NOT protected: observe mode only logs; "
            "to block again: `penstock init --enforce`"
        )
    agents = dict.fromkeys(agent_module(hook.agent).TITLE for hook in report.hooks)
    names = " and ".join(filter(None, (", ".join([*agents][:-1]), *[*agents][-1:])))
    asks = "ask" if len(agents) > 1 else "asks"
    return f"This project is protected: {names} {asks} Penstock before every tool call"


def _commands(hint: str) -> str:
    """Return a hint with a bare command in code style."""
    return f"`{hint}`" if hint.startswith("penstock ") and "`" not in hint else hint
