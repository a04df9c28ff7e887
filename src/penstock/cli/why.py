"""`penstock why`: explain decisions, and what would change them."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import click

from penstock.cli import OK
from penstock.cli.output import echo, json_option, print_json, workspace_option
from penstock.core.errors import InputError
from penstock.core.text.display import in_line, spoken

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from penstock.app import Workspace
    from penstock.core.model import Decision
    from penstock.core.rule_edit.quick_rule import Stop

STOPPED = ("deny", "ask")
WORDS = {
    **dict.fromkeys(("deny", "denied"), "denied"),
    **dict.fromkeys(("ask", "hitl_required", "waiting"), "asked about"),
}
NO_WAY = "no rule changes this: Penstock protects itself, or a setting decides"


@click.command()
@click.argument("id_", metavar="[ID]", default="")
@click.option("--last", type=click.IntRange(min=1), default=3, help="The last N (default: 3).")
@workspace_option
@json_option
def command(id_: str, last: int, workspace: str | None, as_json: bool) -> int:
    """Explain the last calls that were denied or asked about.

    ID is a tool call's or proposal's id, or the number (seq) of an entry in the audit log.
    For each: the call, the rule with its file and line, and the command that would change it.
    """
    from penstock.app import open_workspace
    from penstock.app.audit import lines_of
    from penstock.core.audit.query import Query, parse_line

    here = open_workspace(workspace)
    events = (parse_line(line) or {} for line in lines_of(here.record.path, Query()))
    chosen = list(_chosen(events, id_))[-(1 if id_ else last) :]
    if id_ and not chosen:
        raise InputError(
            "not-found", f"no decision has the id `{id_[:80]}`", hint="penstock log --last 20"
        )
    told = [explained(here, event) for event in chosen]
    if as_json:
        print_json({"decisions": told})
        return OK
    for one in told:
        _show(one)
    if not told:
        echo("nothing was denied or asked about yet")
    return OK


def _chosen(events: Iterable[Mapping[str, object]], id_: str) -> Iterable[Mapping[str, object]]:
    for event in events:
        if event.get("op") not in ("tool_call", "proposed"):
            continue
        if id_:
            names = [event.get(k) for k in ("tool_call_id", "proposal", "event_hash", "set")]
            fits = any(isinstance(n, str) and n.startswith(id_) for n in names)
            if fits or str(event.get("seq")) == id_:
                yield event
        elif event.get("status") in WORDS:
            yield event


def explained(here: Workspace, event: Mapping[str, object]) -> dict[str, object]:
    """Return one decision with its rules, and the commands that would change it now."""
    from penstock.app.places import user_rules
    from penstock.core.rule_edit.quick_rule import joined, ways_past

    policy = here.policy()
    stops, now = _stops(here, event)
    found = {rule.id: rule for layer in policy.layers for rule in layer.rules}
    names = event.get("rules")
    rules = list(dict.fromkeys(names)) if isinstance(names, list) else []
    ways = ways_past(stops, policy, user_file=user_rules())
    return {
        "seq": event.get("seq"),
        "ts": event.get("ts"),
        "agent": event.get("agent"),
        "tool": event.get("tool"),
        "command": event.get("command"),
        "path": event.get("path"),
        "verdict": WORDS.get(str(event.get("status")), event.get("status")),
        "because": now.because if now is not None else None,
        "now": now.verdict if now is not None else None,
        "rules": [
            {
                "id": name,
                "where": str(found[name].where) if name in found else None,
                "says": found[name].reason or found[name].description if name in found else None,
            }
            for name in rules
        ],
        "change": joined(ways) if ways else None,
    }


def _stops(here: Workspace, event: Mapping[str, object]) -> tuple[list[Stop], Decision | None]:
    """Return what stands in the way: of a command as it is judged now, else as it was recorded."""
    from penstock.app.workspace import judge_here
    from penstock.core.learning.past_decision import past_of
    from penstock.core.rule_edit.quick_rule import stops_in, stops_of_event
    from penstock.gate import Call

    past = past_of(event)
    if past is None or not past.command or not past.whole:
        return stops_of_event(event, here.policy()), None
    call = Call(
        tool=past.tool, tool_input=past.tool_input, cwd=here.root, home=os.path.expanduser("~")
    )
    decision = judge_here(call, workspace=here.root, now=time.time()).decision
    return stops_in(decision, past.command), decision


def _show(one: Mapping[str, object]) -> None:
    what = one["command"] or one["path"] or ""
    agent = f" ({one['agent']})" if one["agent"] else ""
    echo(f"{one['ts']}  {one['verdict']}: {one['tool']} {in_line(str(what))}{agent}")
    rules = one["rules"]
    for rule in rules if isinstance(rules, list) else []:
        where = f" at {spoken(rule['where'])}" if rule["where"] else ""
        says = f": {in_line(rule['says'])}" if rule["says"] else ""
        echo(f"  rule {spoken(rule['id'])}{where}{says}")
    if one["because"]:
        echo(f"  because: {in_line(str(one['because']))}")
    if one["now"] == "allow":
        echo("  the rules allow it now")
    else:
        echo(f"  to allow it: {one['change']}" if one["change"] else f"  {NO_WAY}")
