"""`penstock log`: the audit log for people."""

from __future__ import annotations

import time
from collections.abc import Mapping

import click

from penstock.cli import OK
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.output import json_option, print_json, tell, workspace_option
from penstock.cli.terminal.pager import paged, pager_option
from penstock.cli.terminal.words import local
from penstock.core.text.display import in_line, spoken
from penstock.core.timestamps import seconds_of

USUAL = 20
# What an entry says happened, in words; `status` decides for what was judged.
DID = {
    "approved": "approved",
    "rejected": "rejected",
    "applied": "written",
    "undone": "reverted",
    "expired": "expired",
    "observed": "done by the agent",
    "rule_edit": "rules changed",
}
SAID = {
    "denied": "denied",
    "deny": "denied",
    "hitl_required": "needs approval",
    "ask": "needs approval",
    "allowed": "allowed",
    "allow": "allowed",
}


@click.command(
    cls=PlainCommand,
    examples=("penstock log", "penstock log --since 1h", 'penstock log --path "src/**" --last 50'),
)
@click.option(
    "--last",
    type=click.IntRange(min=1),
    default=USUAL,
    show_default=True,
    metavar="N",
    help="Show at most N entries, the latest.",
)
@click.option(
    "--since", default="", metavar="TIME", help="Show only newer entries: 1h, 7d or a UTC time."
)
@click.option("--path", default="", metavar="GLOB", help="Show only these files.")
@pager_option
@workspace_option
@json_option
def command(
    last: int, since: str, path: str, pager: bool, workspace: str | None, as_json: bool
) -> int:
    """Show what agents did and what was decided, the latest entry last.

    Times are local. `penstock audit log` has more filters.
    """
    from penstock.app import open_workspace
    from penstock.app.audit import lines_of
    from penstock.core.audit.query import Query, parse_line
    from penstock.core.timestamps import parse_when

    here = open_workspace(workspace)
    when = parse_when(since, now=time.time()) if since else ""
    lines = lines_of(here.record.path, Query(since=when, path=path, last=last), own=True)
    events = [parse_line(line) or {} for line in lines]
    if as_json:
        print_json({"events": events})
        return OK
    now = time.time()
    with paged(use=pager) as out:
        for event in events:
            out.print(entry_line(event, now), markup=False)
    if not events:
        tell("no entries")
    return OK


def entry_line(event: Mapping[str, object], now: float) -> str:
    """Return one entry as a person reads it."""
    op, status = str(event.get("op", "")), str(event.get("status", ""))
    did = DID.get(op) or SAID.get(status) or op.replace("_", " ")
    what = event.get("command") or event.get("path") or ""
    rules = event.get("rules")
    named = list(dict.fromkeys(map(str, rules))) if isinstance(rules, list) else []
    parts = [
        _when(str(event.get("ts", "")), now),
        f"{did:16}",
        str(event.get("tool", "")),
        in_line(str(what)),
        f"[{', '.join(named)}]" if named and did in ("denied", "needs approval") else "",
        f"({event.get('by') or event.get('agent')})"
        if event.get("by") or event.get("agent")
        else "",
    ]
    return " ".join(part for part in parts if part)


def _when(ts: str, now: float) -> str:
    at = seconds_of(ts)
    return f"{local(at, now=now):>5}" if at >= 0 else spoken(ts)
