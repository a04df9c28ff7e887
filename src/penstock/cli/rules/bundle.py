"""`penstock bundle`: an organisation's rules, owners and approvers in one signed file."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from penstock.cli import OK
from penstock.cli.shape import CommandGroup
from penstock.cli.terminal.output import console, json_option, print_json, tell, workspace_option
from penstock.core.rule_edit.toml.write import toml_value

if TYPE_CHECKING:
    from penstock.core.bundle.model import PolicyBundle

key_option = click.option(
    "--key", default="", metavar="KEY", help="The organisation's public key: ed25519:BASE64."
)
keys_option = click.option(
    "--keys",
    default="",
    metavar="DIR",
    help="Directory of the organisation's key (default: in your state directory).",
)


@click.group(cls=CommandGroup)
def command() -> None:
    """Build, sign and fetch an organisation's policy bundle.

    A bundle holds rules, owners and approvers' keys in one signed file. Its rules stand above
    your own and the project's: they tighten, and nobody can loosen them.
    """


@command.command(name="init-key", examples=("penstock bundle init-key",))
@keys_option
@workspace_option
@json_option
def init_key(keys: str, workspace: str | None, as_json: bool) -> int:
    """Create the organisation's key, protected by a passphrase."""
    from penstock.app import open_workspace
    from penstock.app.bundle.make import organisation_keys
    from penstock.cli.terminal.proof import passphrase, refuse_inside_agent

    refuse_inside_agent(open_workspace(workspace))
    held = organisation_keys(keys)
    made = held.init(passphrase(confirm=True))
    _show_key(made.public, held.path, as_json=as_json)
    return OK


@command.command(name="key", examples=("penstock bundle key",))
@keys_option
@json_option
def show_key(keys: str, as_json: bool) -> int:
    """Show the organisation's public key, for `[bundle]` in users' own rules."""
    from penstock.app.bundle.make import organisation_keys

    held = organisation_keys(keys)
    _show_key(held.current().public, held.path, as_json=as_json)
    return OK


def _show_key(public: bytes, path: str, *, as_json: bool) -> None:
    from penstock.core.bundle.public_key import key_text

    if as_json:
        print_json({"key": key_text(public), "path": path})
    else:
        console().print(key_text(public), markup=False, soft_wrap=True)


@command.command(
    examples=(
        "penstock bundle build bundle.toml --out bundle.unsigned.json",
        "penstock bundle build bundle.toml --previous bundle.json --out next.unsigned.json",
    )
)
@click.argument("source", metavar="SOURCE")
@click.option("--previous", default="", metavar="FILE", help="The signed bundle that it follows.")
@click.option("--out", required=True, metavar="FILE", help="Where to write the unsigned bundle.")
@key_option
@json_option
def build(source: str, previous: str, out: str, key: str, as_json: bool) -> int:
    """Build a bundle from SOURCE and the rules files that it names.

    The version is one more than that of --previous, whose digest goes into the new bundle.
    """
    from penstock.app.bundle.make import built

    data, bundle = built(source, previous=previous, key=key, now=time.time())
    _write(out, data)
    _show(bundle, as_json=as_json)
    return OK


@command.command(examples=("penstock bundle sign bundle.unsigned.json --out bundle.json",))
@click.argument("file", metavar="FILE")
@click.option("--out", required=True, metavar="FILE", help="Where to write the signed bundle.")
@keys_option
@workspace_option
@json_option
def sign(file: str, out: str, keys: str, workspace: str | None, as_json: bool) -> int:
    """Sign a bundle with the organisation's key; asks for its passphrase."""
    from penstock.app import open_workspace
    from penstock.app.bundle.make import organisation_keys, read_input, signed
    from penstock.cli.terminal.proof import passphrase, refuse_inside_agent

    refuse_inside_agent(open_workspace(workspace))
    held = organisation_keys(keys)
    held.current()
    data = read_input(file)
    whole, bundle = signed(data, held, passphrase())
    _write(out, whole)
    _show(bundle, as_json=as_json)
    return OK


@command.command(examples=("penstock bundle verify bundle.json --key ed25519:...",))
@click.argument("file", metavar="FILE")
@key_option
@json_option
def verify(file: str, key: str, as_json: bool) -> int:
    """Check a bundle as this machine would before it takes it.

    The key is the one in your own rules, or --key.
    """
    from penstock.app.bundle.make import read_signed
    from penstock.app.bundle.refresh import needed_settings, verify_bundle

    settings = None if key else needed_settings()
    bundle = read_signed(file, key or (settings.key if settings else ""))[1]
    verify_bundle(bundle, settings.group if settings else None, now=time.time())
    if not as_json:
        tell("the bundle is valid")
    _show(bundle, as_json=as_json)
    return OK


@command.command(examples=("penstock bundle show", "penstock bundle show bundle.json --json"))
@click.argument("file", metavar="[FILE]", required=False)
@key_option
@json_option
def show(file: str | None, key: str, as_json: bool) -> int:
    """Show what a bundle says: FILE, or the one that is active on this machine."""
    from penstock.app.bundle.make import read_data, read_input
    from penstock.app.bundle.refresh import needed_settings
    from penstock.app.rules.organisation import bundle_store
    from penstock.core.errors import InputError

    pinned = key or (needed_settings().key if file is None else "")
    data = bundle_store().current() if file is None else read_input(file)
    if data is None:
        raise InputError(
            "no-bundle",
            "no policy bundle is on this machine",
            hint="fetch it with `penstock bundle fetch`",
        )
    body, bundle = read_data(data, pinned)
    if as_json:
        print_json({"revision": bundle.digest, **body})
    else:
        _show(bundle, as_json=False)
    return OK


@command.command(examples=("penstock bundle fetch",))
@json_option
def fetch(as_json: bool) -> int:
    """Fetch the bundle that your own rules name, check it and make it active.

    If anything is wrong with it, the last valid bundle stays active. `penstock serve` does the
    same in the background.
    """
    from penstock.app.bundle.refresh import fetch_bundle

    step = fetch_bundle()
    if not as_json:
        tell("a new bundle is active" if step.changed else "the active bundle is up to date")
    _show(step.bundle, as_json=as_json, changed=step.changed)
    return OK


@command.command(examples=("penstock bundle approver --name alice --group payments",))
@click.option("--name", required=True, metavar="NAME", help="Your name in the bundle.")
@click.option("--group", "groups", multiple=True, metavar="GROUP", help="A group you are in.")
@workspace_option
@json_option
def approver(name: str, groups: tuple[str, ...], workspace: str | None, as_json: bool) -> int:
    """Print your approver key and passkeys for `[[approvers]]` in a bundle's source."""
    from penstock.app import open_workspace
    from penstock.app.bundle.make import approver_block

    keys = open_workspace(workspace).keys
    block = approver_block(keys, keys.current(), name, groups)
    if as_json:
        print_json(block)
        return OK
    for title, table in toml_tables(block):
        console().print(title, markup=False)
        for field, value in table.items():
            console().print(f"{field} = {toml_value(value)}", markup=False, soft_wrap=True)
    return OK


def toml_tables(block: dict[str, Any]) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the tables of TOML that an approver is, each with its title."""
    yield "[[approvers]]", {name: one for name, one in block.items() if name != "passkeys"}
    for one in block["passkeys"]:
        yield "[[approvers.passkeys]]", one


def _write(path: str, data: bytes) -> None:
    from penstock.app.bundle.make import write_output

    write_output(path, data)


def _show(bundle: PolicyBundle, *, as_json: bool, **more: object) -> None:
    from penstock.core.timestamps import stamp

    facts: dict[str, object] = {
        "name": bundle.name,
        "version": bundle.version,
        "revision": bundle.digest,
        "previous": bundle.previous or None,
        "made": stamp(bundle.made),
        "expires": stamp(bundle.expires),
        "when_stale": str(bundle.when_stale),
        "groups": sorted(bundle.policies),
        "quorum": bundle.quorum,
        "approvers": [one.name for one in bundle.approvers],
        "owners": len(bundle.owners),
        **more,
    }
    if as_json:
        print_json(facts)
        return
    for name, value in facts.items():
        shown = ", ".join(value) if isinstance(value, list) else value
        if name not in more and shown not in (None, ""):
            console().print(f"{name:11} {shown}", markup=False, soft_wrap=True)
