"""`penstock report`: what was blocked, or would have been, and rules that would help."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click
from msgspec import to_builtins

from penstock.cli import OK
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.output import (
    console,
    json_option,
    print_json,
    printable,
    workspace_option,
)
from penstock.core.text.quantities import counted, duration

if TYPE_CHECKING:
    from penstock.core.learning.report import StopCount, StopReport

UNITS = {"m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}
SPAN = re.compile(r"([0-9]{1,6})([mhdw])")


class Span(click.ParamType):  # type: ignore[type-arg]
    """A duration: 90m, 12h, 7d, 2w."""

    name = "span"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the seconds of a duration."""
        found = SPAN.fullmatch(str(value))
        if found is None:
            self.fail(f"`{value}` is not a duration; use 90m, 12h, 7d or 2w", param, ctx)
        return int(found[1]) * UNITS[found[2]]


@click.command(cls=PlainCommand, examples=("penstock report", "penstock report --since 12h"))
@click.option(
    "--since",
    type=Span(),
    default="7d",
    metavar="TIME",
    show_default=True,
    help="How far back to look.",
)
@workspace_option
@json_option
def command(since: int, workspace: str | None, as_json: bool) -> int:
    """Count what the rules stopped, and suggest rules for frequent calls.

    Counts calls by rule and by kind, with what people approved and rejected. For calls that came
    several times it prints a `penstock rules add` command that would allow them: read it before
    you run it. In observe mode the counts are what would have been stopped.
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
        "by_rule": [to_builtins(one) for one in found.by_rule],
        "by_kind": [to_builtins(one) for one in found.by_kind],
        "edits": [to_builtins(one) for one in found.edits],
    }


def _lines(found: StopReport, *, days: float, observes: bool) -> Iterator[str]:
    if observes:
        from penstock.cli.rules.observe import LOUD

        yield LOUD
    if not found.calls:
        yield f"no calls in the last {_span(days)}"
        return
    yield f"{counted(found.calls, 'call')} in the last {_span(days)}"
    share = f"{found.share:.1%} of them"
    passed = f"; {found.observed:,} of these were not stopped (observe mode)"
    yield (
        f"{found.asked:,} needed approval, {found.denied:,} denied ({share})"
        f"{passed if found.observed else ''}"
    )
    yield f"approved by a person: {found.approved:,}; rejected: {found.rejected:,}"
    for title, counts in (("by rule", found.by_rule), ("by kind of call", found.by_kind)):
        if counts:
            yield f"\n{title} (needed approval, denied):"
            yield from map(_row, counts)
    if found.edits:
        yield "\nrules that would allow frequent calls; read each before you run it:"
    for edit in found.edits:
        yield f"  {edit.command}"
        example = f", for example: {edit.examples[0]}" if edit.examples else ""
        yield f"      {counted(edit.calms, 'call')}{example}"
    if not found.asked + found.denied:
        yield "nothing was stopped"


def _span(days: float) -> str:
    return f"{days:g} days" if days > 1 else duration(days * UNITS["d"])


def _row(one: StopCount) -> str:
    return f"  {one.asked:5} {one.denied:5}  {one.name}"
