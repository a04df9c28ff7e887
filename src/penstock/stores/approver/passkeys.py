"""Keep the approver's passkeys beside their key: added, removed, and how often each was used.

One line for each that was ever added, and one for each removal, both with the signature of the
approver's key: whoever can write this file can still add none. What a signature says is settled in
`core.proposals.passkey`; whether it is the approver's, by `keys`.
Always true: what was removed stays removed as long as its line is there; a line that cannot be
read is damage and is told, and until then no passkey counts; a counter never goes back.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from penstock.core.audit.approval.passkey_use import counts_back
from penstock.core.errors import InputError, RefusedError, StoreError
from penstock.core.proposals.passkey import Passkey
from penstock.core.proposals.signature import key_id
from penstock.core.strict_json import strict
from penstock.stores.system import private

LIST, COUNTS = "passkeys", "passkeys.used"
LIMIT = 1 << 20
MOST = 32


class PasskeyRemoval(Struct, frozen=True, kw_only=True):
    """That a passkey no longer counts, since when, and the approver's word for it."""

    public: bytes
    at: float
    key_id: str
    signature: str

    @property
    def id(self) -> str:
        """The short name of the passkey."""
        return key_id(self.public)


class PasskeyList:
    """The passkeys of one approver, in the directory of their key."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.abspath(folder)

    @property
    def path(self) -> str:
        """Where they are kept."""
        return os.path.join(self._folder, LIST)

    def added(self) -> tuple[Passkey, ...]:
        """Return those that were not removed, oldest first; who signed for them is not checked."""
        found = self._read()
        gone = {one.public for one in found if isinstance(one, PasskeyRemoval)}
        return tuple(one for one in found if isinstance(one, Passkey) and one.public not in gone)

    def removed(self) -> tuple[PasskeyRemoval, ...]:
        """Return every removal, oldest first."""
        return tuple(one for one in self._read() if isinstance(one, PasskeyRemoval))

    def require_new(self, made: Passkey) -> None:
        """Raise InputError for a passkey that is there already, or where there are many."""
        ever = self._read()
        if any(one.public == made.public for one in ever):
            raise InputError("passkey-exists", "this passkey is already registered")
        if len(ever) >= MOST:
            raise InputError(
                "too-many-passkeys",
                f"{MOST} passkeys were registered already",
                hint=f"remove those that you no longer use, and delete `{self.path}`",
            )

    def add(self, made: Passkey) -> None:
        """Add a passkey, signed for by the approver's key."""
        self.require_new(made)
        self._append(made)

    def remove(self, gone: PasskeyRemoval) -> None:
        """Note that a passkey no longer counts."""
        self._append(gone)

    def use(self, passkey: Passkey, count: int) -> None:
        """Take a touch's counter. Raises RefusedError `passkey-copied` where it went back."""
        with private.told("count a touch in", self._folder), private.locked(self._folder):
            counts = self._counts()
            if counts_back(counts.get(passkey.id, 0), count):
                raise RefusedError(
                    "passkey-copied",
                    f"the passkey `{passkey.label}` counted back, so there may be a copy of it",
                    because=f"its counter was {counts.get(passkey.id, 0)} and is {count} now",
                    hint="approve with the passphrase, and remove this passkey",
                )
            counts[passkey.id] = count
            lines = [f"{name} {number}\n" for name, number in sorted(counts.items())]
            private.put_file(self._folder, COUNTS, "".join(lines).encode())

    # -- the files ----------------------------------------------------------------------------

    def _read(self) -> list[Passkey | PasskeyRemoval]:
        with private.told("read the passkeys in", self.path):
            data = private.read_file(self.path, limit=LIMIT) or b""
        if len(data) > LIMIT:
            raise self._broken()
        try:
            return [_parsed(line) for line in data.split(b"\n") if line]
        except (ValueError, KeyError, TypeError):
            raise self._broken() from None

    def _append(self, made: Passkey | PasskeyRemoval) -> None:
        with private.told("keep the passkeys in", self._folder):
            private.private_dir(self._folder)
            with private.locked(self._folder):
                before = private.read_file(self.path, limit=LIMIT) or b""
                private.put_file(self._folder, LIST, before + _line(made))

    def _counts(self) -> dict[str, int]:
        data = private.read_file(os.path.join(self._folder, COUNTS), limit=LIMIT) or b""
        try:
            pairs = [line.split(" ") for line in data.decode("ascii").splitlines()]
            return {name: int(number) for name, number in pairs}
        except ValueError:
            raise self._broken() from None

    def _broken(self) -> StoreError:
        return StoreError(
            "passkeys-broken",
            f"the list of passkeys `{self.path}` is damaged",
            because="a line can't be read",
            hint="restore a backup, or delete it and register your passkeys again; "
            "the passphrase still approves",
        )


def _line(made: Passkey | PasskeyRemoval) -> bytes:
    facts: dict[str, object] = {
        "public": made.public.hex(),
        "key_id": made.key_id,
        "signature": made.signature,
    }
    if isinstance(made, Passkey):
        facts |= {
            "credential": made.credential.hex(),
            "origin": made.origin,
            "label": made.label,
            "since": made.since,
        }
    else:
        facts |= {"removed": made.at}
    return json.dumps(facts).encode() + b"\n"


def _parsed(line: bytes) -> Passkey | PasskeyRemoval:
    held: Mapping[str, Any] = strict(line.decode())
    texts = [held.get(name, "") for name in ("key_id", "signature", "origin", "label")]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("not a text")
    signed: dict[str, Any] = {"key_id": texts[0], "signature": texts[1]}
    signed["public"] = bytes.fromhex(held["public"])
    if "removed" in held:
        return PasskeyRemoval(at=float(held["removed"]), **signed)
    return Passkey(
        credential=bytes.fromhex(held["credential"]),
        origin=held["origin"],
        label=held["label"],
        since=float(held["since"]),
        **signed,
    )
