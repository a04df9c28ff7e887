"""Browsers that asked for web push, and the key by which their services know this machine.

Sending is `web_push`'s. All of it is one for all workspaces, beside their states.
Always true: the files are their owner's alone; there are few subscriptions, and the newest stay.
"""

from __future__ import annotations

import os
from contextlib import suppress

import msgspec

from penstock.core.notify.push import PushSubscription
from penstock.stores.system.private import (
    locked,
    private_dir,
    put_file,
    read_file,
    told,
    write_file,
)

FILE, KEY = "push.json", "push.key"
MOST = 8
LARGEST = 256 * 1024


class Subscriptions:
    """Who is subscribed; `home` is the directory above all states."""

    def __init__(self, home: str) -> None:
        self._home = home

    def all(self) -> tuple[PushSubscription, ...]:
        """Return all of them, oldest first; what can't be read is none."""
        with suppress(OSError, msgspec.DecodeError):
            data = read_file(os.path.join(self._home, FILE), limit=LARGEST)
            if data:
                return msgspec.json.decode(data, type=tuple[PushSubscription, ...])
        return ()

    def add(self, one: PushSubscription) -> None:
        """Keep a subscription, in place of an older one of the same browser."""
        self._keep(one.endpoint, one)

    def remove(self, endpoint: str) -> None:
        """Forget a browser."""
        if any(one.endpoint == endpoint for one in self.all()):
            self._keep(endpoint)

    def _keep(self, endpoint: str, *new: PushSubscription) -> None:
        folder = private_dir(self._home)
        with told("keep the subscription", folder), locked(folder):
            others = [one for one in self.all() if one.endpoint != endpoint]
            kept = (*others, *new)[-MOST:]
            put_file(folder, FILE, msgspec.json.encode(kept))


def push_key(home: str) -> bytes:
    """Return the key for push services as PEM, made at the first need."""
    folder = private_dir(home)
    path = os.path.join(folder, KEY)
    with told("keep the key", path):
        if not os.path.lexists(path):
            write_file(folder, KEY, _new_key(), replace=False)
        return read_file(path, limit=LARGEST) or b""


def _new_key() -> bytes:
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    made = ec.generate_private_key(ec.SECP256R1())
    return made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
