"""`penstock audit`: query, verify and export the audit log."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from penstock.cli import COULD_NOT, OK
from penstock.cli.shape import CommandGroup, OneOf
from penstock.cli.terminal.complete import agent_names, rule_ids
from penstock.cli.terminal.output import (
    console,
    json_option,
    print_json,
    printable,
    tell,
    workspace_option,
)
from penstock.cli.terminal.pager import paged, pager_option
from penstock.core.audit.export.formats import Format
from penstock.core.audit.findings import TamperKind
from penstock.core.text.quantities import counted

if TYPE_CHECKING:
    from penstock.app.audit import Record
    from penstock.app.workspace import Workspace
    from penstock.core.audit.query import Query

F = TypeVar("F", bound=Callable[..., Any])
LINE = click.IntRange(min=1)
# What the strongest evidence for an audit log is, for people; `--json` has the short words.
LEVELS = {
    "witness": "confirmed by a witness",
    "remembered": "confirmed by the remembered last entry",
    "checkpoints": "confirmed by its own checkpoints",
    "chain": "confirmed by its hash chain alone",
}
OUTCOMES = "allow, ask, deny, approved, rejected, expired, applied, error"


ROTATE = (
    "Replace each of these secrets: anyone who could read {log} or a copy of it knows them.",
    "The entries stay in the log: editing one would break the hash chain.",
)


@click.group(cls=CommandGroup)
def command() -> None:
    """Query, verify and export the audit log.

    Each decision and each write is an entry, linked to the one before by its hash.
    """


def log_option(function: F) -> F:
    """Add `--log PATH`."""
    return click.option(
        "--log", "log_path", default="", metavar="FILE", help="Another audit log file."
    )(function)


def filters(function: F) -> F:
    """Add the options that choose entries."""
    options = (
        click.option(
            "--since", default="", metavar="TIME", help="Only newer entries: 1h, 7d or a UTC time."
        ),
        click.option("--until", default="", metavar="TIME", help="Only older entries."),
        click.option("--path", default="", metavar="GLOB", help="Only these files."),
        click.option(
            "--agent",
            default="",
            metavar="NAME",
            shell_complete=agent_names,
            help="Only this agent.",
        ),
        click.option(
            "--decision", default="", metavar="WORD", help=f"Only this outcome: {OUTCOMES}."
        ),
        click.option(
            "--rule",
            default="",
            metavar="ID",
            shell_complete=rule_ids,
            help="Only decisions of this rule.",
        ),
        click.option("--op", default="", metavar="WORD", help="Only this kind of entry."),
        click.option(
            "--last",
            type=LINE,
            default=None,
            metavar="N",
            help="Show at most N entries, the latest.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def query(chosen: dict[str, Any]) -> Query:
    """Return the query that the options make."""
    from penstock.core.audit.query import Query
    from penstock.core.timestamps import parse_when

    now = time.time()
    return Query(
        since=parse_when(chosen["since"], now=now) if chosen["since"] else "",
        until=parse_when(chosen["until"], now=now) if chosen["until"] else "",
        path=chosen["path"],
        agent=chosen["agent"],
        outcome=chosen["decision"],
        rule=chosen["rule"],
        op=chosen["op"],
        last=chosen["last"] or 0,
    )


@command.command(
    examples=("penstock audit log --since 24h --decision deny", "penstock audit log --agent claude")
)
@filters
@log_option
@pager_option
@workspace_option
@json_option
def log(log_path: str, pager: bool, workspace: str | None, as_json: bool, **chosen: Any) -> int:
    """Print audit log entries, oldest first, with times in UTC."""
    from penstock.app.audit import lines_of
    from penstock.core.audit.query import parse_line
    from penstock.core.text.display import spoken

    path = log_path or _record(workspace).path
    lines = lines_of(path, query(chosen), own=not log_path)
    events = (parse_line(line) or {} for line in lines)
    if as_json:
        print_json({"events": list(events)})
        return OK
    found = False
    with paged(use=pager) as out:
        for event in events:
            found = True
            facts = [event.get(key) for key in ("ts", "op", "status", "path", "agent", "by")]
            out.print(spoken(" ".join(str(fact) for fact in facts if fact)), markup=False)
    if not found:
        tell("no entries match" if any(chosen.values()) else "no entries")
    return OK


@command.command(examples=("penstock audit verify", "penstock audit verify --json --inclusion 17"))
@click.option(
    "--inclusion", type=LINE, metavar="LINE", help="Add the proof that this line is in the log."
)
@click.option(
    "--consistency",
    type=LINE,
    metavar="SIZE",
    help="Add the proof that the log only grew since it had SIZE lines.",
)
@log_option
@workspace_option
@json_option
def verify(
    inclusion: int | None,
    consistency: int | None,
    log_path: str,
    workspace: str | None,
    as_json: bool,
) -> int:
    """Verify that no entry was edited, removed, inserted, reordered or replaced.

    Exit code: 0 if the log is intact, 1 if not. The proofs that --json adds are those of RFC 6962
    under the last signed checkpoint.
    """
    from penstock.app import open_workspace

    if log_path and (inclusion or consistency):
        raise click.UsageError(
            "`--inclusion` and `--consistency` work only with this project's own audit log"
        )
    here = open_workspace(workspace)
    report = here.verify(log_path, ask=True)
    proofs = _proofs(here.record, inclusion, consistency)
    if as_json:
        print_json({**report.as_json(), **({"proofs": proofs} if proofs else {})})
        return OK if report.ok else COULD_NOT
    out = console()
    for problem in report.problems:
        at = f" at line {problem.line}" if problem.line else ""
        out.print(printable(f"{problem.kind}{at}: {problem.message}"), markup=False)
    for warning in report.warnings:
        out.print(printable(f"warning, {warning.kind}: {warning.message}"), markup=False)
    if report.runs and not any(one.kind is TamperKind.UNACCOUNTED for one in report.problems):
        writes = counted(sum(run.applied for run in report.runs), "write")
        out.print(f"{counted(len(report.runs), 'isolated run')}: {writes}, all accounted for")
    if report.cosigned and report.cosigned.reached:
        out.print(report.cosigned.text(), markup=False)
    said = "ok" if report.ok else "NOT ok"
    head = f", head {report.head}" if report.head else ""
    entries = counted(report.count, "entry", "entries")
    out.print(f"{said}: {entries}, {LEVELS[report.level]}{head}", markup=False)
    return OK if report.ok else COULD_NOT


def _proofs(record: Record, line: int | None, size: int | None) -> dict[str, object]:
    found: dict[str, object] = {}
    if line:
        found["inclusion"] = record.checkpoints.prove_line(line - 1)
    if size:
        found["consistency"] = record.checkpoints.prove_growth(size)
    return found


@command.command(
    examples=(
        "penstock audit export > audit.jsonl",
        "penstock audit export --format ocsf --since 24h --output audit.json",
    )
)
@click.option(
    "--format",
    "form",
    type=OneOf(Format),
    default="jsonl",
    show_default=True,
    help="Output format.",
)
@click.option(
    "--output", default="-", metavar="FILE", help="Output file (default: standard output)."
)
@filters
@log_option
@workspace_option
def export(form: str, output: str, log_path: str, workspace: str | None, **chosen: Any) -> int:
    """Export entries in a format for other systems: JSON lines, CEF, syslog or OCSF."""
    from penstock import __version__
    from penstock.app.audit import lines_of
    from penstock.core.audit.export.formats import encode
    from penstock.core.audit.export.outcomes import Sender

    path = log_path or _record(workspace).path
    source = Sender(version=__version__, host=socket.gethostname(), log=path)
    lines = encode(lines_of(path, query(chosen)), Format(form), source)
    if output == "-":
        for line in lines:
            sys.stdout.write(line + "\n")
        return OK
    with open(output, "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)
    return OK


@command.command(examples=("penstock audit secrets", "penstock audit secrets --since 7d"))
@click.option(
    "--since", default="", metavar="TIME", help="Only newer entries: 1h, 7d or a UTC time."
)
@log_option
@workspace_option
@json_option
def secrets(since: str, log_path: str, workspace: str | None, as_json: bool) -> int:
    """Find entries that contain a readable secret.

    Secrets are removed before an entry is written. This checks old entries again with the formats
    that are known today. It prints where a secret is and its format, never the secret itself.
    Exit code: 0 if there is none, 1 if there are some.
    """
    from penstock.app.audit import lines_of
    from penstock.core.audit.query import Query
    from penstock.core.audit.readable_secrets import readable_secrets
    from penstock.core.timestamps import parse_when

    path = log_path or _record(workspace).path
    start = parse_when(since, now=time.time()) if since else ""
    found = list(readable_secrets(lines_of(path, Query(since=start))))
    if as_json:
        print_json({"ok": not found, "log": path, "found": [one.as_json() for one in found]})
        return COULD_NOT if found else OK
    out = console()
    for one in found:
        where = f"{one.ts} {one.entry.removeprefix('sha256:')[:8]} line {one.line}"
        said = f"{where}: {', '.join(one.formats)} in `{one.field}` of {one.op}"
        out.print(printable(said), markup=False)
    if not found:
        out.print("no readable secrets found", markup=False)
        return OK
    for line in ROTATE:
        tell(line.format(log=path))
    return COULD_NOT


@command.command(examples=("penstock audit checkpoint",))
@workspace_option
@json_option
def checkpoint(workspace: str | None, as_json: bool) -> int:
    """Sign the current state of the audit log and send it to the witnesses."""
    here = _workspace(workspace)
    record = here.record
    shown = record.log.sign_and_show()
    made, quorum = record.checkpoints.latest(), record.checkpoints.quorum()
    facts: dict[str, object] = {
        "size": made.size if made else 0,
        "checkpoints": record.checkpoints.path,
        "witnesses": [
            {"witness": one.witness, "error": one.error.code if one.error else None}
            for one in shown
        ],
        "key": record.checkpoints.public.written(),
        **({"cosigned": quorum.as_json()} if quorum else {}),
    }
    if as_json:
        print_json(facts)
    else:
        entries = counted(made.size if made else 0, "entry", "entries")
        console().print(f"signed {entries} in {facts['checkpoints']}", markup=False)
        for one in shown:
            tell(f"witness {one.witness}: {one.error.render() if one.error else 'confirmed'}")
        if quorum:
            tell(quorum.text())
    _say_ignored(here)
    return OK if record.took(shown) else COULD_NOT


def _say_ignored(here: Workspace) -> None:
    from penstock.app.places import user_rules
    from penstock.core.audit.cosign import witness_ignored

    for file in witness_ignored(here.policy().witness, user=user_rules()):
        tell(f"ignored: [witness] in {file}; put it into your own rules")


def _workspace(workspace: str | None) -> Workspace:
    from penstock.app import open_workspace

    return open_workspace(workspace)


def _record(workspace: str | None) -> Record:
    return _workspace(workspace).record
