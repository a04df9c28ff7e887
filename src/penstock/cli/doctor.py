"""`penstock doctor`: prove that the hooks work, or say why they do not."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from penstock.cli import COULD_NOT, OK
from penstock.cli.output import echo, json_option, print_json, workspace_option

if TYPE_CHECKING:
    from penstock.doors.doctor.doctor import DoctorReport

COLOUR = {"ok": "green", "note": "cyan", "warn": "yellow", "bad": "red"}


@click.command()
@click.option("--live", is_flag=True, help="Also let the real agent try, where it is installed.")
@workspace_option
@json_option
def command(live: bool, workspace: str | None, as_json: bool) -> int:
    """Have each registered hook judge two writes, and name what could be wrong.

    One write must be refused and one must pass; neither is made, and neither is on
    the record. Everything that can switch hooks off is looked at as well.
    """
    from penstock.app import open_workspace
    from penstock.doors.doctor.doctor import examine
    from penstock.doors.setup.agent_files import place_of

    here = open_workspace(workspace)
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
        "hooks": [asdict(hook) for hook in report.hooks],
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
            echo(f"      try: {one.hint}")
    wrong = sum(one.status == "bad" for one in report.findings)
    echo("the hooks work" if report.sound else f"{wrong} things are wrong")
