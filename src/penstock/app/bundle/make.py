"""Build and sign a bundle, on the machine of whoever publishes it.

What a bundle says is `core.bundle`'s, and what it is built from `core.rules.bundle_source`'s.
Always true: a bundle is signed by the key in one directory, sealed with a passphrase like an
approver's, and is read back before it is written.
"""

from __future__ import annotations

import os

from penstock.app.rules.organisation import FOLDER
from penstock.core.bundle.document import (
    LARGEST,
    Body,
    canonical,
    passkey_body,
    read_body,
    read_bundle,
    sealed,
    statement,
)
from penstock.core.bundle.model import PolicyBundle
from penstock.core.bundle.public_key import key_text, public_key
from penstock.core.errors import InputError
from penstock.core.rules.bundle_source import build_body
from penstock.core.strict_json import strict
from penstock.stores.approver.keys import ApproverKeys, ApproverPublicKey
from penstock.stores.system.places import state_home
from penstock.stores.system.private import open_plain, put_file, told

ORGANISATION = "organisation"


def organisation_keys(folder: str = "") -> ApproverKeys:
    """Return the organisation's key: in a directory of its own, or in the state of this user."""
    return ApproverKeys(folder or os.path.join(state_home(), FOLDER, ORGANISATION))


def read_input(path: str) -> bytes:
    """Return a file that somebody named. Raises InputError."""
    try:
        with open(open_plain(os.path.abspath(path)), "rb") as file:
            return file.read(LARGEST + 1)
    except OSError as fault:
        because = (fault.strerror or str(fault)).lower()
        raise InputError("not-found", f"can't read `{path}`", because=because) from None


def write_output(path: str, data: bytes) -> None:
    """Write a file that somebody named, whole or not at all."""
    folder, name = os.path.split(os.path.abspath(path))
    with told("write", path):
        put_file(folder, name, data)


def built(source: str, *, previous: str, key: str, now: float) -> tuple[bytes, PolicyBundle]:
    """Return the unsigned bundle of a source file. `key` checks the previous bundle, if there."""
    folder = os.path.dirname(os.path.abspath(source))

    def read(name: str) -> bytes | None:
        path = os.path.join(folder, name)
        return read_input(path) if os.path.isfile(path) else None

    before = read_signed(previous, key)[1] if previous else None
    body = build_body(read_input(source), read, now=now, previous=before)
    data = canonical(body) + b"\n"
    return data, read_body(data)[1]


def read_signed(path: str, key: str) -> tuple[Body, PolicyBundle]:
    """Return a signed bundle, checked by a key, or where none is named by the one it names."""
    data = read_input(path)
    return read_data(data, key)


def read_data(data: bytes, key: str) -> tuple[Body, PolicyBundle]:
    """Return the body and the bundle of signed bytes."""
    named = key or named_key(data)
    bundle = read_bundle(data, public_key_of(named))
    return strict(data)["bundle"], bundle


def public_key_of(text: str) -> bytes:
    """Return the key that somebody typed. Raises InputError `bundle-key`."""
    try:
        return public_key(text)
    except ValueError as fault:
        raise InputError(
            "bundle-key",
            f"`{text[:80]}` is not a public key",
            because=str(fault),
            hint="`penstock bundle key` prints it",
        ) from None


def named_key(data: bytes) -> str:
    """Return the key that signed bytes name, for whoever only wants to look."""
    try:
        found = strict(data[: LARGEST + 1])
    except ValueError:
        found = None
    return str(found.get("key", "")) if isinstance(found, dict) else ""


def signed(data: bytes, keys: ApproverKeys, passphrase: str) -> tuple[bytes, PolicyBundle]:
    """Return the signed bundle of an unsigned one."""
    body, _ = read_body(data)
    signer = keys.unseal(passphrase)
    whole = sealed(body, signer.public, signer.sign(statement(body)))
    return whole, read_bundle(whole, signer.public)


def approver_block(
    keys: ApproverKeys, public: ApproverPublicKey, name: str, groups: tuple[str, ...]
) -> dict[str, object]:
    """Return what `[[approvers]]` of a bundle's source says of this machine's approver."""
    return {
        "name": name,
        "groups": list(groups),
        "key": key_text(public.public),
        "passkeys": [dict(passkey_body(one)) for one in keys.own_passkeys()],
    }
