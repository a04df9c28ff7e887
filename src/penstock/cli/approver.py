"""`penstock approver`: the key that proves an approval."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from penstock.cli import OK
from penstock.cli.output import console, json_option, print_json, tell, workspace_option

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.app.proof import ApproverPublicKey


@click.group()
def command() -> None:
    """Set up and look at the approver's key."""


@command.command()
@workspace_option
@json_option
def init(workspace: str | None, as_json: bool) -> int:
    """Make a key sealed with a passphrase; from then on only it approves."""
    from penstock.app import open_workspace
    from penstock.cli.proof import refuse_inside_agent

    here = open_workspace(workspace)
    refuse_inside_agent(here)
    made = make(here)
    _told({"key_id": made.id, "public": made.text, "path": here.keys.path}, as_json=as_json)
    return OK


def make(here: Workspace) -> ApproverPublicKey:
    """Ask for a passphrase, make the key that it seals and put it on the record."""
    from penstock.cli.proof import passphrase

    made = here.keys.init(passphrase(confirm=True))
    _recorded(here, made)
    if len(here.keys.known()) > 1:
        tell("a key was made here before; `penstock audit verify` tells that this one replaced it")
    return made


@command.command()
@workspace_option
@json_option
def replace(workspace: str | None, as_json: bool) -> int:
    """Make another key in place of this one, which signs that; the passphrase stays.

    Without the old key's signature, `penstock audit verify` tells that keys were exchanged.
    """
    from penstock.app import open_workspace
    from penstock.cli.proof import code_if_needed, passphrase, refuse_inside_agent

    here = open_workspace(workspace)
    refuse_inside_agent(here)
    here.keys.current()
    words = passphrase()
    made, old, signature = here.keys.succeed(words, code=code_if_needed(here))
    _recorded(here, made, replaces=old, signature=signature)
    facts: dict[str, object] = {"key_id": made.id, "public": made.text, "replaces": old}
    _told(facts, as_json=as_json)
    return OK


def _recorded(here: Workspace, made: ApproverPublicKey, **facts: str) -> None:
    """Put a key on the record, so that old approvals stay checkable and another is noticed."""
    event = {"op": "key_made", "path": "", "status": "done", "key_id": made.id}
    here.record.log.append({**event, "approver": made.text, **facts}, durable=True)


@command.command()
@workspace_option
@json_option
def show(workspace: str | None, as_json: bool) -> int:
    """Tell the key's id and its public half; no passphrase is needed."""
    from penstock.app import open_workspace
    from penstock.core.errors import InputError

    keys = open_workspace(workspace).keys
    public = keys.public()
    if public is None:
        raise InputError("no-key", "no approver key is set up", hint="penstock approver init")
    _told({"key_id": public.id, "public": public.text, "path": keys.path}, as_json=as_json)
    return OK


@command.command()
@workspace_option
def totp(workspace: str | None) -> int:
    """Ask for a one-time code besides the passphrase; prints what an authenticator takes."""
    from penstock.app import open_workspace
    from penstock.cli.proof import passphrase, refuse_inside_agent

    here = open_workspace(workspace)
    refuse_inside_agent(here)
    click.echo(here.keys.add_totp(passphrase()))
    return OK


@command.command(name="passphrase")
@workspace_option
def change_passphrase(workspace: str | None) -> int:
    """Seal the same key with another passphrase."""
    from penstock.app import open_workspace
    from penstock.cli.proof import passphrase, refuse_inside_agent

    here = open_workspace(workspace)
    refuse_inside_agent(here)
    old = passphrase()
    here.keys.change_passphrase(old, passphrase(confirm=True))
    return OK


def _told(facts: dict[str, object], *, as_json: bool) -> None:
    if as_json:
        print_json(facts)
        return
    for name, value in facts.items():
        console().print(f"{name:8} {value}", markup=False)
