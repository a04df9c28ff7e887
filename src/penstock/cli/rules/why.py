"""`penstock why`: explain decisions and how to change them."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import click

from penstock.cli import OK
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.complete import proposal_ids
from penstock.cli.terminal.output import echo, json_option, print_json, workspace_option
from penstock.cli.terminal.words import since
from penstock.core.errors import InputError
from penstock.core.text.display import in_line, spoken

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from penstock.app import Workspace

WORDS = {
    **dict.fromkeys(("deny", "denied"), "denied"),
    **dict.fromkeys(("ask", "hitl_required", "waiting"), "needed approval"),
}
NO_WAY = "no rule can allow this"


@click.command(
    cls=PlainCommand, examples=("penstock why", "penstock why --last 10", "penstock why 3f2a1c9e")
)
@click.argument("id_", metavar="[ID]", default="", shell_complete=proposal_ids)
@click.option(
    "--last",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    metavar="N",
    help="Explain the last N decisions.",
)
@workspace_option
@json_option
def command(id_: str, last: int, workspace: str | None, as_json: bool) -> int:
    """Explain the latest calls that were denied or needed approval.

    For each: the call, the rule with its file and line, and the command that would allow it.
    ID is the id of a pending change or a tool call, or the number (seq) of an audit log entry.
    """
    from penstock.app import open_workspace
    from penstock.app.audit import lines_of
    from penstock.core.audit.query import Query, parse_line

    here = open_workspace(workspace)
    events = (parse_line(line) or {} for line in lines_of(here.record.path, Query()))
    chosen = list(_chosen(events, id_))[-(1 if id_ else last) :]
    if id_ and not chosen:
        raise InputError(
            "not-found",
            f"there is no decision `{id_[:80]}`",
            hint="list decisions with `penstock log`",
        )
    told = [explained(here, event) for event in chosen]
    if as_json:
        print_json({"decisions": told})
        return OK
    for one in told:
        _show(one)
    if not told:
        echo("nothing was denied or needed approval yet")
    return OK


def _chosen(events: Iterable[Mapping[str, object]], id_: str) -> Iterable[Mapping[str, object]]:
    for event in events:
        if event.get("op") not in ("tool_call", "proposed"):
            continue
        if id_:
            names = [event.get(k) for k in ("tool_call_id", "proposal", "event_hash", "set")]
            fits = any(isinstance(n, str) and _begins(n, id_) for n in names)
            if fits or str(event.get("seq")) == id_:
                yield event
        elif event.get("status") in WORDS:
            yield event


def _begins(name: str, text: str) -> bool:
    """The kind before the first dash, `hitl` or `sha256`, need not be typed."""
    rest = re.split("[-:]", name, maxsplit=1)[-1]
    return name.startswith(text) or rest.startswith(text)


def explained(here: Workspace, event: Mapping[str, object]) -> dict[str, object]:
    """Return one decision with its rules, and the commands that would change it now."""
    from penstock.app.rules.past_ways import ways_of
    from penstock.core.rule_edit.quick_rule import joined

    names = event.get("rules")
    rules = list(dict.fromkeys(names)) if isinstance(names, list) else []
    changes = ways_of(here.root, event)
    return {
        "seq": event.get("seq"),
        "ts": event.get("ts"),
        "agent": event.get("agent"),
        "tool": event.get("tool"),
        "command": event.get("command"),
        "path": event.get("path"),
        "verdict": WORDS.get(str(event.get("status")), event.get("status")),
        "because": changes.because,
        "now": changes.now,
        "rules": [_rule(here, name, str(event.get("path", ""))) for name in rules],
        "change": joined(changes.ways.rules) or None,
        "no_change": changes.ways.against or None,
    }


def _rule(here: Workspace, name: str, path: str) -> dict[str, str | None]:
    """Return where a rule is written, and what it says of a path."""
    from penstock.core.rule_edit.ways import layers_of

    layers = layers_of(here.policy(), path)
    rule = next((one for layer in layers for one in layer.rules if one.id == name), None)
    if rule is None:
        return {"id": name, "where": None, "says": None}
    reason = rule.reason.replace("{path}", path)
    says = rule.description if "{" in reason else reason or rule.description
    return {"id": name, "where": str(rule.where), "says": says}


def _show(one: Mapping[str, object]) -> None:
    what = one["command"] or one["path"] or ""
    agent = f" ({one['agent']})" if one["agent"] else ""
    tool = one["tool"] or "change of"
    echo(f"{_when(one)}  {one['verdict']}: {tool} {in_line(str(what))}{agent}")
    rules = one["rules"]
    for rule in rules if isinstance(rules, list) else []:
        where = f" at {spoken(rule['where'])}" if rule["where"] else ""
        says = f": {in_line(rule['says'])}" if rule["says"] else ""
        echo(f"  rule {spoken(rule['id'])}{where}{says}")
    if one["because"]:
        echo(f"  because: {in_line(str(one['because']))}")
    if one["now"] == "allow":
        echo("  now: allowed by the current rules")
    else:
        against = f": {in_line(str(one['no_change']))}" if one["no_change"] else ""
        echo(f"  to allow it: `{one['change']}`" if one["change"] else f"  {NO_WAY}{against}")


def _when(one: Mapping[str, object]) -> str:
    from penstock.cli.terminal.words import local
    from penstock.core.timestamps import seconds_of

    now, at = time.time(), seconds_of(str(one["ts"]))
    return f"{local(at, now=now)} ({since(str(one['ts']), now)})" if at >= 0 else "unknown time"
