"""`penstock allow`: allow something for a limited time."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import click

from penstock.cli import OK
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.output import echo, json_option, print_json, tell, workspace_option
from penstock.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.app import Workspace
    from penstock.app.rules.rule_ways import RuleWays
    from penstock.core.policy.expiry import RuleEnd
    from penstock.core.rule_edit.quick_rule import QuickRule
    from penstock.core.rule_edit.ways import Stop
    from penstock.gate import Call

LONGEST = 30 * 86400.0
MARK = "penstock allow"  # stands in `reason`, so that a grant is known from other rules


@click.command(
    cls=PlainCommand,
    examples=(
        'penstock allow --for 1h --command "make generate"',
        'penstock allow --for 30m --path "db/migrations/**"',
        "penstock allow --list",
        "penstock allow --end all",
    ),
)
@click.option(
    "--for", "how_long", default="", metavar="TIME", help="How long: 30m, 1h, 2d (at most 30d)."
)
@click.option("--path", default="", metavar="GLOB", help="Allow changes to these files.")
@click.option(
    "--command", "prefix", default="", metavar="PREFIX", help="Allow commands that start with this."
)
@click.option("--list", "listing", is_flag=True, help="List temporary permissions.")
@click.option("--end", default="", metavar="ID", help="Revoke one now; `all` revokes all.")
@click.option("--yes", is_flag=True, help="Don't ask for confirmation.")
@workspace_option
@json_option
def command(
    how_long: str,
    path: str,
    prefix: str,
    listing: bool,
    end: str,
    yes: bool,
    workspace: str | None,
    as_json: bool,
) -> int:
    """Allow files or commands for a limited time; the permission expires by itself."""
    from penstock.app import open_workspace
    from penstock.cli.rules.add import add, end_of
    from penstock.gate.doors import Door

    here = open_workspace(workspace, door=Door.COMMAND)
    if listing:
        return _listed(here, as_json=as_json)
    if end:
        return _ended(here, end, as_json=as_json)
    if not how_long or bool(path) is bool(prefix):
        raise click.UsageError("give a duration with `--for`, and either `--path` or `--command`")
    until = end_of(how_long)
    if until > time.time() + LONGEST:
        raise InputError(
            "bad-time",
            f"`--for {how_long}` is longer than 30 days",
            hint="add a rule: `penstock rules add --allow --expires`",
        )
    rules = _grants(here, path, prefix, until)
    return add(here, rules, commit=False, yes=yes, as_json=as_json)


def _grants(here: Workspace, path: str, prefix: str, until: float) -> list[QuickRule]:
    """Return an allowing rule, and an exception to each rule that stands in the way."""
    from msgspec.structs import replace

    from penstock.app.proof import who
    from penstock.app.rules.rule_ways import RuleTrial
    from penstock.core.rule_edit.quick_rule import QuickRule, glob_of

    glob = glob_of(path, root=here.root, home=os.path.expanduser("~"))
    trial = RuleTrial(here.root, [*_examples(path, prefix)])
    stops = [*trial.stops(trial.decisions()), *(_measuring(here, glob) if glob else ())]
    first = QuickRule(kind="allow", path=glob, command=prefix)
    ways = trial.ways(stops, first=[first])
    _check(ways, path or prefix)
    wanted = dict.fromkeys(_wider(way, glob) for way in ways.rules)
    return [
        replace(one, reason=f"{MARK}: temporary permission", owner=who(), expires_at=until)
        for one in wanted
    ]


def _check(ways: RuleWays, what: str) -> None:
    """Refuse what a project's grant cannot open."""
    if not ways.rules:
        raise InputError(
            "not-grantable",
            f"`{what}` can't be allowed temporarily",
            because=f"no rule can allow this: {ways.against}",
        )
    if any(way.user for way in ways.rules):
        raise InputError(
            "not-grantable",
            f"your own rules block `{what}`",
            because="a permission of a project can't override your own rules",
            hint="change them with `penstock rules add --user`",
        )
    folder = next((way.folder for way in ways.rules if way.folder), "")
    if folder:
        raise InputError(
            "not-grantable",
            f"the rules of a directory block `{what}`",
            because=f"they are in `{folder}`; a permission of the project can't override them",
            hint=f"change them with `penstock rules add --workspace {folder}`",
        )


def _wider(way: QuickRule, path: str) -> QuickRule:
    """What was found for one example holds for all that was named."""
    from msgspec.structs import replace

    return replace(way, path=path) if path and way.path else way


def _examples(path: str, prefix: str) -> Iterator[Call]:
    """Yield examples of what was named."""
    from penstock.gate import Call

    home = os.path.expanduser("~")
    if prefix:
        yield Call(tool="Bash", tool_input={"command": prefix}, home=home)
        return
    below = f"{path}x" if path.endswith("/") else path
    example = os.path.expanduser(below).replace("**", "x").replace("*", "x").replace("?", "x")
    for tool in ("Write", "Read"):
        yield Call(tool=tool, tool_input={"file_path": example}, home=home)


def _measuring(here: Workspace, path: str) -> Iterator[Stop]:
    """Yield the rules about how much of a file changes, which no example shows."""
    from penstock.core.model import Action, Verdict
    from penstock.core.rule_edit.ways import Stop

    for layer in here.policy().layers:
        for rule in layer.rules:
            strict = rule.verdict in (Verdict.ASK, Verdict.DENY) and rule.enabled
            if strict and rule.measures and not rule.paths and rule.max_bytes is None:
                yield Stop(rule=rule.id, path=path, action=Action.WRITE)


def _current(here: Workspace) -> list[tuple[RuleEnd, str]]:
    """Return the grants that have not ended, each with its rules file."""
    from penstock.core.policy.expiry import endings

    rules = [rule for layer in here.policy().layers for rule in layer.rules]
    ends = [end for end in endings(rules, time.time()) if end.reason.startswith(MARK)]
    ends = [end for end in ends if not end.ended]
    return [(end, end.where.file) for end in ends]


def _listed(here: Workspace, *, as_json: bool) -> int:
    from penstock.cli.terminal.words import local
    from penstock.core.timestamps import stamp

    found = _current(here)
    if as_json:
        told = [
            {"id": end.id, "expires_at": stamp(end.expires_at), "owner": end.owner, "file": file}
            for end, file in found
        ]
        print_json({"grants": told})
        return OK
    for end, _ in found:
        by = f", by {end.owner}" if end.owner else ""
        echo(f"{end.id}: until {local(end.expires_at, now=time.time())}{by}")
    if not found:
        echo("no temporary permissions")
    return OK


def _ended(here: Workspace, name: str, *, as_json: bool) -> int:
    """Revoke grants: their rules are removed."""
    from penstock.cli.rules.person import confirm
    from penstock.doors.reviewer.quick import in_one, made

    chosen = [(end, file) for end, file in _current(here) if name in ("all", end.id)]
    if not chosen:
        raise InputError(
            "not-found",
            f"there is no temporary permission `{name[:80]}`",
            hint="list them with `penstock allow --list`",
        )
    operations: list[dict[str, object]] = [
        {"type": "remove_rule", "id": end.id, "target_file": file} for end, file in chosen
    ]
    made(in_one(operations), prove=lambda at, why: confirm(at, why, True), commit=False)
    ids = [end.id for end, _ in chosen]
    if as_json:
        print_json({"ended": ids})
    tell(f"revoked {', '.join(f'`{one}`' for one in ids)}")
    return OK
