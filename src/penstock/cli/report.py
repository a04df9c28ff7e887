"""`penstock report`: what was stopped, or would have been, and what would calm it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from penstock.cli import OK
from penstock.cli.output import console, json_option, print_json, printable, workspace_option

if TYPE_CHECKING:
    from penstock.core.learning.report import StopCount, StopReport

UNITS = {"m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}
SPAN = re.compile(r"([0-9]{1,6})([mhdw])")


class Span(click.ParamType[int]):
    """A span of time: 90m, 12h, 7d, 2w."""

    name = "span"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the seconds of a span."""
        found = SPAN.fullmatch(str(value))
        if found is None:
            self.fail(f"`{value}` is no span of time; try 90m, 12h, 7d or 2w", param, ctx)
        return int(found[1]) * UNITS[found[2]]


@click.command()
@click.option("--since", type=Span(), default="7d", show_default=True, help="How far back to look.")
@workspace_option
@json_option
def command(since: int, workspace: str | None, as_json: bool) -> int:
    """Show what the rules stopped, or would have stopped, and what would calm it.

    Counts the calls of the audit log by rule and by kind of call, with what
    people approved and rejected. For calls that came several times it prints
    the `penstock rules add` command that would let them pass: read what it
    says before you run it. With `observe = true` nothing was stopped, and the
    counts are what would have been.
    """
    from penstock.app import open_workspace
    from penstock.app.decision_logs import logs_of, wanted
    from penstock.core.learning.report import report

    here = open_workspace(workspace)
    logs = logs_of(start=here.root)
    query = wanted(since=max(1, int(time.time()) - since))
    found = report(logs.open().newest(query) if logs.paths else ())
    observes = here.policy().enforced is not None
    if as_json:
        print_json(document(found, workspace=here.root, since=since, observes=observes))
        return OK
    out = console()
    for line in _lines(found, days=since / UNITS["d"], observes=observes):
        out.print(printable(line), markup=False)
    return OK


def document(found: StopReport, *, workspace: str, since: int, observes: bool) -> dict[str, object]:
    """Return the report as `--json` prints it."""
    return {
        "workspace": workspace,
        "since_seconds": since,
        "observe": observes,
        "calls": found.calls,
        "asked": found.asked,
        "denied": found.denied,
        "observed": found.observed,
        "share_stopped": round(found.share, 4),
        "answers": {"approved": found.approved, "rejected": found.rejected},
        "by_rule": [asdict(one) for one in found.by_rule],
        "by_kind": [asdict(one) for one in found.by_kind],
        "edits": [asdict(one) for one in found.edits],
    }


def _lines(found: StopReport, *, days: float, observes: bool) -> Iterator[str]:
    if observes:
        from penstock.cli.observe import LOUD

        yield LOUD
    yield f"{found.calls} calls in {days:g} days"
    share = f"{found.share:.1%} of them"
    passed = f"; {found.observed} of these passed, because the rules only observed"
    yield (
        f"{found.asked} asked about, {found.denied} denied ({share})"
        f"{passed if found.observed else ''}"
    )
    yield f"people approved {found.approved} and rejected {found.rejected}"
    for title, counts in (("by rule", found.by_rule), ("by kind of call", found.by_kind)):
        if counts:
            yield f"\n{title} (asked, denied):"
            yield from map(_row, counts)
    if found.edits:
        yield "\nto let what came often pass; read each before you run it:"
    for edit in found.edits:
        yield f"  {edit.command}"
        yield f"      {edit.calms} calls, for example: {edit.examples[0] if edit.examples else ''}"
    if not found.asked + found.denied:
        yield "nothing was stopped"


def _row(one: StopCount) -> str:
    return f"  {one.asked:5} {one.denied:5}  {one.name}"
