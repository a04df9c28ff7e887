"""`penstock log`: the audit log for people."""

from __future__ import annotations

import time
from collections.abc import Mapping

import click

from penstock.cli import OK
from penstock.cli.output import echo, json_option, print_json, workspace_option
from penstock.core.text.display import in_line

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


@click.command()
@click.option("--last", type=click.IntRange(min=1), default=USUAL, help=f"Show N ({USUAL}).")
@click.option("--since", default="", metavar="TIME", help="From then on: 1h, 7d or a UTC time.")
@click.option("--path", default="", metavar="GLOB", help="Only these files.")
@workspace_option
@json_option
def command(last: int, since: str, path: str, workspace: str | None, as_json: bool) -> int:
    """Show what agents did and what became of it, the newest last.

    `penstock audit log` prints the entries as they are, with more filters.
    """
    from penstock.app import open_workspace
    from penstock.app.audit import lines_of
    from penstock.core.audit.query import Query, parse_line
    from penstock.core.timestamps import parse_when

    here = open_workspace(workspace)
    when = parse_when(since, now=time.time()) if since else ""
    lines = lines_of(here.record.path, Query(since=when, path=path, last=last))
    events = [parse_line(line) or {} for line in lines]
    if as_json:
        print_json({"events": events})
        return OK
    for event in events:
        echo(told(event))
    if not events:
        echo("the audit log has no such entries")
    return OK


def told(event: Mapping[str, object]) -> str:
    """Return one entry as a person reads it."""
    op, status = str(event.get("op", "")), str(event.get("status", ""))
    did = DID.get(op) or SAID.get(status) or op.replace("_", " ")
    what = event.get("command") or event.get("path") or ""
    rules = event.get("rules")
    named = list(dict.fromkeys(map(str, rules))) if isinstance(rules, list) else []
    parts = [
        str(event.get("ts", "")).replace("T", " ").removesuffix("Z"),
        f"{did:16}",
        str(event.get("tool", "")),
        in_line(str(what)),
        f"[{', '.join(named)}]" if named and did in ("denied", "needs approval") else "",
        f"({event.get('by') or event.get('agent')})"
        if event.get("by") or event.get("agent")
        else "",
    ]
    return " ".join(part for part in parts if part)
