"""`penstock audit`: read, prove and ship the record."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from penstock.cli import COULD_NOT, OK
from penstock.cli.output import console, json_option, print_json, printable, tell, workspace_option
from penstock.core.audit.export.formats import Format

if TYPE_CHECKING:
    from penstock.app.audit import Record
    from penstock.core.audit.query import Query

F = TypeVar("F", bound=Callable[..., Any])
LINE = click.IntRange(min=1)
OUTCOMES = "allow, ask, deny, approved, rejected, expired, applied, error ..."


ROTATE = (
    "Replace each of these secrets where it was issued: whoever could read {log}, a copy or an "
    "export of it has it.",
    "The entries stay: they are linked by hashes, and an edited one no longer verifies.",
)


@click.group()
def command() -> None:
    """Read, prove and ship the record."""


def log_option(function: F) -> F:
    """Add `--log PATH`."""
    return click.option("--log", "log_path", default="", help="Another record than this one's.")(
        function
    )


def filters(function: F) -> F:
    """Add the options that choose events."""
    for option in (
        click.option("--since", default="", help="From then on: 1h, 24h, 7d or a UTC time."),
        click.option("--until", default="", help="Up to then."),
        click.option("--path", default="", help="Only paths that this glob meets."),
        click.option("--agent", default="", help="Only this agent's."),
        click.option("--decision", default="", help=f"Only this outcome: {OUTCOMES}"),
        click.option("--rule", default="", help="Only where this rule spoke."),
        click.option("--op", default="", help="Only this kind of event."),
        click.option("--last", type=LINE, default=None, help="Only the last N of them."),
    ):
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


@command.command()
@filters
@log_option
@workspace_option
@json_option
def log(log_path: str, workspace: str | None, as_json: bool, **chosen: Any) -> int:
    """Print events, oldest first."""
    from penstock.app.audit import lines_of
    from penstock.core.audit.query import parse_line
    from penstock.core.text.display import spoken

    path = log_path or _record(workspace).path
    events = (parse_line(line) or {} for line in lines_of(path, query(chosen)))
    if as_json:
        print_json({"events": list(events)})
        return OK
    out = console()
    for event in events:
        facts = [event.get(key) for key in ("ts", "op", "status", "path", "agent", "by")]
        out.print(spoken(" ".join(str(fact) for fact in facts if fact)), markup=False)
    return OK


@command.command()
@click.option("--inclusion", type=LINE, help="Add the proof that this line is on the record.")
@click.option("--consistency", type=LINE, help="Add the proof that a checkpoint only grew.")
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
    """Prove that nothing was edited, cut, inserted, reordered or replaced.

    The proofs are those of RFC 6962 under the last signed checkpoint, with --json: of a LINE,
    and of the growth since the checkpoint over SIZE lines.
    """
    from penstock.app import open_workspace

    if log_path and (inclusion or consistency):
        raise click.UsageError("only this workspace's own record has checkpoints to prove with")
    here = open_workspace(workspace)
    report = here.verify(log_path)
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
    said = "ok" if report.ok else "NOT ok"
    head = f", head {report.head}" if report.head else ""
    out.print(f"{said}: {report.count} events, {report.level}{head}", markup=False)
    return OK if report.ok else COULD_NOT


def _proofs(record: Record, line: int | None, size: int | None) -> dict[str, object]:
    found: dict[str, object] = {}
    if line:
        found["inclusion"] = record.checkpoints.prove_line(line - 1)
    if size:
        found["consistency"] = record.checkpoints.prove_growth(size)
    return found


@command.command()
@click.option("--format", "form", type=click.Choice([str(f) for f in Format]), default="jsonl")
@click.option("--output", default="-", help="A file; - is standard output.")
@filters
@log_option
@workspace_option
def export(form: str, output: str, log_path: str, workspace: str | None, **chosen: Any) -> int:
    """Write events in a form that other systems take."""
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


@command.command()
@click.option("--since", default="", help="Only entries from then on: 1h, 24h, 7d or a UTC time.")
@log_option
@workspace_option
@json_option
def secrets(since: str, log_path: str, workspace: str | None, as_json: bool) -> int:
    """List entries in which a secret can be read.

    Entries are written without the secrets that were known then; this looks at them again with
    the formats that are known now. It prints where a secret is and of which format, never the
    secret. Exit code 0 when there is none, 1 when there are some.
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


@command.command()
@workspace_option
@json_option
def checkpoint(workspace: str | None, as_json: bool) -> int:
    """Sign the record as it is now, and show it to the witnesses."""
    record = _record(workspace)
    shown = record.log.sign_and_show()
    made = record.checkpoints.latest()
    facts: dict[str, object] = {
        "size": made.size if made else 0,
        "checkpoints": record.checkpoints.path,
        "witnesses": [
            {"witness": one.witness, "error": one.error.code if one.error else None}
            for one in shown
        ],
    }
    if as_json:
        print_json(facts)
    else:
        console().print(
            f"{facts['size']} events are signed in {facts['checkpoints']}", markup=False
        )
        for one in shown:
            tell(f"witness {one.witness}: {one.error.render() if one.error else 'has seen them'}")
    return COULD_NOT if any(one.error for one in shown) else OK


def _record(workspace: str | None) -> Record:
    from penstock.app import open_workspace

    return open_workspace(workspace).record
