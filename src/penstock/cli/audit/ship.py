"""`penstock ship`: send the audit log to other systems."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING

import click

from penstock.cli import COULD_NOT, OK
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.output import (
    console,
    json_option,
    print_json,
    printable,
    tell,
    workspace_option,
)
from penstock.core.text.quantities import entries

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.app.ship import SinkTurn


@click.command(
    cls=PlainCommand,
    examples=(
        "penstock ship --once",
        "penstock ship --status",
        "penstock ship --once --sink file:/var/log/penstock.jsonl",
        "penstock ship --print-service > ~/.config/systemd/user/penstock-ship.service",
    ),
)
@click.option("--once", is_flag=True, help="Send all new entries, then exit.")
@click.option("--status", "only_status", is_flag=True, help="Show how far each sink has the log.")
@click.option(
    "--sink",
    "sinks",
    multiple=True,
    metavar="URL",
    help="Send there instead of to the sinks in your own rules.",
)
@click.option(
    "--print-service", is_flag=True, help="Print a systemd unit for this project to install."
)
@workspace_option
@json_option
def command(
    once: bool,
    only_status: bool,
    sinks: tuple[str, ...],
    print_service: bool,
    workspace: str | None,
    as_json: bool,
) -> int:
    """Send the audit log to the sinks in your own rules.

    A sink is an address: otlp+https://, syslog+tcp://, syslog+tls://, https:// (JSON lines) or
    file:. Each entry arrives at least once; its event_hash is its id. Without --once, runs until
    you stop it with Ctrl-C.
    """
    from penstock.app import open_workspace
    from penstock.app.ship import turns
    from penstock.cli.terminal.proof import refuse_inside_agent

    here = open_workspace(workspace)
    if print_service:
        return _print_service(here)
    if sinks and not only_status:
        refuse_inside_agent(here)
    _say_ignored(here)
    found = turns(here, sinks=sinks)
    if only_status:
        return _show(found, as_json=as_json)
    _need_sinks(found)
    if not once:
        _keep_sending(here, sinks)
        return OK
    failed = {one.sink.shown: problem for one in found if (problem := one.send())}
    return _show(found, as_json=as_json) if not failed else _failed(found, failed, as_json=as_json)


def _print_service(here: Workspace) -> int:
    from penstock.cli.integrations.units import ship_service

    argv = [sys.executable, "-m", "penstock.cli", "ship", "--workspace", here.root]
    click.echo(ship_service(argv, os.environ), nl=False)
    tell("nothing was installed; save this where its first line says")
    return OK


def _need_sinks(found: list[SinkTurn]) -> None:
    from penstock.core.errors import InputError

    if not found:
        raise InputError(
            "no-sinks",
            "no sinks are configured",
            hint='add `[ship]` with `sinks = ["..."]` to your own rules, or use `--sink URL`',
        )


def _say_ignored(here: Workspace) -> None:
    from penstock.app.places import user_rules
    from penstock.core.ship.settings import ship_ignored

    for file in ship_ignored(here.policy().ship, user=user_rules()):
        tell(f"ignored: [ship] in {file}; put it into your own rules")


def _show(found: list[SinkTurn], *, as_json: bool) -> int:
    rows = [one.status() for one in found]
    if as_json:
        print_json({"sinks": [row.as_json() for row in rows]})
        return OK
    out = console()
    for row in rows:
        left = f"{entries(row.lag)} behind" if row.lag else "has everything"
        said = f"{row.sink} ({row.log}): {left}{f'; {row.error}' if row.error else ''}"
        out.print(printable(said), markup=False, soft_wrap=True)
    if not rows:
        tell("no sinks are configured")
    return OK


def _failed(found: list[SinkTurn], failed: dict[str, str], *, as_json: bool) -> int:
    _show(found, as_json=as_json)
    if not as_json:
        for sink, problem in failed.items():
            tell(f"not everything was sent to {sink}: {problem}; nothing is lost, run it again")
    return COULD_NOT


def _keep_sending(here: Workspace, sinks: tuple[str, ...]) -> None:
    from penstock.app.ship import Shipper, turns

    tell("sending the audit log; stop with Ctrl-C")
    Shipper(found=lambda: turns(here, sinks=sinks), say=tell).run(threading.Event())
