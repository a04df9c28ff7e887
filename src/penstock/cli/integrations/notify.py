"""`penstock notify`: test the targets, and the process that sends.

Always true: no address is ever printed, only labels; an agent cannot have test messages sent.
"""

from __future__ import annotations

import os
import threading

import click

from penstock.cli import COULD_NOT, OK
from penstock.cli.shape import CommandGroup
from penstock.cli.terminal.output import json_option, print_json, tell, workspace_option

NICE = 5  # whoever proposes comes first


@click.group(cls=CommandGroup)
def command() -> None:
    """Test notifications about pending changes."""


@command.command("test", examples=("penstock notify test",))
@workspace_option
@json_option
def test(workspace: str | None, as_json: bool) -> int:
    """Send a test notification to each target in your own rules."""
    from penstock.app import open_workspace
    from penstock.app.deliver import tried
    from penstock.app.places import user_rules
    from penstock.cli.terminal.proof import refuse_inside_agent
    from penstock.core.notify.settings import ignored

    here = open_workspace(workspace)
    refuse_inside_agent(here)
    results = tried(here, here.notify_settings(), os.environ)
    dropped = ignored(here.policy().notify, user=user_rules())
    if as_json:
        rows = [{"target": name, "sent": not wrong, "because": wrong} for name, wrong in results]
        print_json({"targets": rows, "ignored": list(dropped)})
    else:
        _say(results, dropped)
    return OK if results and not any(wrong for _, wrong in results) else COULD_NOT


def _say(results: list[tuple[str, str]], dropped: tuple[str, ...]) -> None:
    for name, wrong in results:
        tell(f"{name}: {wrong or 'sent'}")
    for file in dropped:
        tell(f"ignored: targets and link in {file}; put them into your own rules")
    if not results:
        tell("no notification targets configured and no desktop available")


@command.command("send", hidden=True, examples=("penstock notify send",))
@workspace_option
def send(workspace: str | None) -> int:
    """Send the notifications that are due; started by other commands."""
    from penstock.app import open_workspace
    from penstock.app.deliver import LIFE, Teller

    os.nice(NICE)
    here = open_workspace(workspace)
    # Whatever a service's library hangs in, this process does not stay.
    limit = 2 * (LIFE + here.notify_settings().every_seconds)
    last = threading.Timer(limit, os._exit, [COULD_NOT])
    last.daemon = True
    last.start()
    Teller(here, os.environ).run()
    return OK
