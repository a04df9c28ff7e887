"""`penstock status`: the project at a glance, as short as `git status`.

What is true is collected in `facts`, as the document of `--json`; the lines for people are made
from the same facts.
Always true: `--json` prints every key, whatever there is to say about it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from penstock.cli import COULD_NOT, OK
from penstock.cli.setup.status_facts import PRESET, facts
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.output import (
    echo,
    json_option,
    print_json,
    workspace_option,
)
from penstock.cli.terminal.words import day, since
from penstock.core.text.display import in_line
from penstock.core.text.quantities import counted, duration, size

if TYPE_CHECKING:
    from collections.abc import Mapping

Facts = dict[str, Any]
Row = tuple[str, str]  # what is said, and the command that goes with it


@click.command(
    cls=PlainCommand, examples=("penstock status", "penstock status --json | jq .waiting")
)
@click.option("-v", "--verbose", is_flag=True, help="Also show files, paths and revisions.")
@workspace_option
@json_option
def command(verbose: bool, workspace: str | None, as_json: bool) -> int:
    """Show protected agents, pending changes, recent denials and the audit log."""
    from penstock.app.workspace import open_workspace

    now = time.time()
    found = facts(open_workspace(workspace), now)
    if as_json:
        print_json(found)
    else:
        rows = list(_lines(found, now))
        width = max((len(said) for said, hint in rows if hint), default=0)
        lines = [f"{said:{width}}  {hint}" if hint else said for said, hint in rows]
        for line in [*lines, *(_details(found) if verbose else ())]:
            echo(line)
    return COULD_NOT if found["state_error"] else OK


def _lines(found: Facts, now: float) -> Iterator[Row]:
    """Yield what matters, each line with the command that goes with it, or none."""
    if found["observe"]:
        from penstock.cli.rules.observe import LOUD

        yield LOUD.upper()[:12] + LOUD[12:], ""
    name = os.path.basename(found["workspace"]) or found["workspace"]
    yield in_line(f"{name} · {_preset(found)} · {_hooks(found)}"), ""
    yield from _trouble(found)
    yield from _pending(found)
    yield from _denied(found, now)
    yield from _approval(found)
    yield from _audit(found)
    yield from _cosigned(found)
    yield from _sinks(found)
    yield from _bundle(found)
    yield from _endings(found)
    yield f"next: `{_next_step(found)}`", ""


def _preset(found: Facts) -> str:
    if found["degraded"]:
        return "rules broken"
    if not found["preset"]:
        return 'no preset (add `preset = "guard"`)'
    own = any(not name.startswith(PRESET) for name in found["policy_files"])
    return f"preset {found['preset']}{'' if own else ' (no penstock.toml)'}"


def _hooks(found: Facts) -> str:
    """Say of each agent whether its hook is installed, and since when."""
    said = []
    for agent in dict.fromkeys(hook["agent"] for hook in found["hooks"]):
        works = all(hook["ok"] for hook in found["hooks"] if hook["agent"] == agent)
        when = found["protected_since"]
        said.append(
            f"{agent} ok" + (f" since {day(when)}" if when else "") if works else f"{agent} BROKEN"
        )
    said += [f"{agent} not installed" for agent in found["agents_without_hook"]]
    return f"hooks: {', '.join(said)}" if said else "hooks: none"


def _trouble(found: Facts) -> Iterator[Row]:
    """Yield what keeps the rules from working."""
    if found["degraded"]:
        yield in_line(found["degraded"]), ""
    if wrong := found["state_error"]:
        because = in_line(wrong["because"])
        yield f"state: {in_line(wrong['message'])} ({because}) [{wrong['code']}]", ""
        yield f"  try: {in_line(wrong['try'])}", ""
    if found["slipped"]:
        some = ", ".join(found["slipped"][:5])
        more = f" and {len(found['slipped']) - 5} more" if len(found["slipped"]) > 5 else ""
        yield in_line(f"changed despite the rules: {some}{more}"), "penstock undo --dry-run"


def _pending(found: Facts) -> Iterator[Row]:
    if found["waiting"] is None:
        return
    if not found["waiting"]:
        yield "no pending changes", ""
        return
    oldest = found["oldest_pending_seconds"]
    age = f" (oldest {duration(oldest)})" if oldest is not None else ""
    yield f"{counted(found['waiting'], 'pending change')}{age}", "penstock review"


def _denied(found: Facts, now: float) -> Iterator[Row]:
    if not found["denied_today"]:
        return
    last = found["last_denied"]
    what = in_line(str(last["command"] or last["path"] or last["tool"]))
    shown = what if len(what) <= 40 else what[:37] + "..."
    when = since(last["ts"], now)
    yield f"{found['denied_today']:,} denied today (last: {shown}, {when})", "penstock why"


def _approval(found: Facts) -> Iterator[Row]:
    """Say what an approval has to show, and that a key was exchanged."""
    approval = found["approval"]
    weak = "by anyone at a terminal outside an agent (weak)"
    said = weak if approval["weak"] else approval["says"]
    hint = "penstock approver init" if approval["weak"] else ""
    yield f"approvals: {in_line(said)}", hint
    if approval["proof"] == "none" and approval["try"]:
        yield f"  try: {in_line(approval['try'])}", ""
    for one in approval["exchanged"]:
        yield f"WARNING: {in_line(one['what'])}", ""
    if approval["exchanged"]:
        yield "  if this was not you, see `penstock audit verify`", ""


def _audit(found: Facts) -> Iterator[Row]:
    audit = found["audit"]
    if audit is None:
        return
    entries = counted(audit["entries"], "entry", "entries")
    if audit["ok"] is None:
        yield f"audit log: {entries}, not verified now", "penstock audit verify"
    elif audit["ok"]:
        yield f"audit log: {entries}, verified", ""
    else:
        yield f"audit log: {entries}, VERIFICATION FAILED", "penstock audit verify"


def _cosigned(found: Facts) -> Iterator[Row]:
    """Say how many witnesses have cosigned the audit log."""
    one = found["cosigned"]
    if one:
        from penstock.core.audit.cosign import Quorum

        quorum = Quorum(**one)
        yield f"audit log: {quorum.text()}", "" if quorum.reached else "penstock audit checkpoint"


def _sinks(found: Facts) -> Iterator[Row]:
    """Say which sinks lack entries of the audit log, and why."""
    for one in found["sinks"] or ():
        if one["lag"] or one["error"]:
            behind = counted(one["lag"], "entry", "entries")
            why = f": {one['error']}" if one["error"] else ""
            said = f"{one['sink'] or 'a sink'} is {behind} behind{why}"
            yield in_line(said), "penstock ship --once"


def _bundle(found: Facts) -> Iterator[Row]:
    """Say which policy bundle is in force, how old it is and when it expires."""
    bundle = found["bundle"]
    if bundle is None:
        return
    hint = "penstock bundle fetch" if bundle["stale"] or bundle["error"] else ""
    from penstock.app.bundle.status import bundle_summary

    yield in_line(bundle_summary(bundle)), hint
    if bundle["error"]:
        yield in_line(f"  last fetch failed: {bundle['error']}"), ""


def _endings(found: Facts) -> Iterator[Row]:
    for end in found["ending"]:
        what = f"rule `{end['id']}`"
        if end["except_of"]:
            what = f"exception `{end['id']}` to `{end['except_of']}`"
        when = "has expired" if end["expired"] else f"expires on {end['expires_at']}"
        yield in_line(f"{what} {when}"), ""


def _next_step(found: Facts) -> str:
    """Return the one command that is due."""
    if found["degraded"]:
        return "penstock check"
    if not found["hooks"]:
        return "penstock init"
    if found["state_error"] or not all(hook["ok"] for hook in found["hooks"]):
        return "penstock doctor"
    if found["audit"] and found["audit"]["ok"] is False:
        return "penstock audit verify"
    return "penstock review" if found["waiting"] else "penstock doctor"


def _details(found: Facts) -> Iterator[str]:
    """Yield paths and revisions, for who looks closer."""
    yield ""
    rows: Mapping[str, object] = {
        "project": found["workspace"],
        "checkout": found["checkout"],
        "policy": found["policy"],
        "rules files": ", ".join(found["policy_files"]) or "none",
        "nested rules": ", ".join(found["nested_rules"] or ()),
        "state": found["state"],
        "audit head": found["audit_head"],
        "undo data": _undo_data(found),
        "kept for": counted(found["kept_days"], "day") if found["kept_days"] else "",
    }
    for name, value in rows.items():
        if value:
            yield in_line(f"{name:14}{value}")
    for hook in found["hooks"]:
        state = "ok" if hook["ok"] else "broken, see `penstock doctor`"
        yield in_line(f"{'hook':14}{hook['agent']} in {hook['file']} ({hook['scope']}, {state})")


def _undo_data(found: Facts) -> str:
    if found["images_bytes"] is None:
        return ""
    return f"{size(found['images_bytes'])} of at most {size(found['images_most'])}"
