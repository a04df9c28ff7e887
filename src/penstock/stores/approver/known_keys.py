"""Remember the approver's public keys beside the place where the key is kept.

One line for each key that was ever made here: when, its id, its public half, and for a successor
the id of the key before it and that key's signature. It lets the gate notice that the sealed key
was thrown away or exchanged, and the verifier tell the approver's key from one that somebody else
put on the record. What was exchanged is said by `core.audit.key_exchange`.
Always true: a key that is remembered is never forgotten by Penstock; what does not read as a
line is damage and is told, because an empty memory would trust whatever comes next.
"""

from __future__ import annotations

import os
from base64 import b64decode, b64encode

from penstock.core.audit.key_exchange import KnownKey
from penstock.core.errors import StoreError
from penstock.core.proposals.signature import KEY_BYTES
from penstock.core.timestamps import stamp
from penstock.stores.system import private

LIMIT = 1 << 20


class KeyMemory:
    """The keys that one approver ever made, oldest first."""

    def __init__(self, path: str) -> None:
        self.path = os.path.abspath(path)

    def recall(self) -> tuple[KnownKey, ...]:
        """Return every key that is remembered. Raises StoreError `key-broken`."""
        with private.told("read the approver's keys in", self.path):
            data = private.read_file(self.path, limit=LIMIT) or b""
        if len(data) > LIMIT:
            raise self._broken()
        return tuple(self._parsed(line) for line in data.split(b"\n") if line)

    def remember(
        self, public: bytes, *, at: float, replaces: str = "", signature: str = ""
    ) -> None:
        """Add a key, with its predecessor's signature if there is one; a known key stays."""
        folder, name = os.path.split(self.path)
        doing = "remember the approver's key in"
        with private.told(doing, self.path), private.locked(folder):
            known = self.recall()
            if all(one.public != public for one in known):
                new = KnownKey(
                    public=public, since=stamp(at), replaces=replaces, signature=signature
                )
                private.put_file(folder, name, b"".join(map(_line, (*known, new))))

    def _parsed(self, line: bytes) -> KnownKey:
        try:
            since, named, text, *more = line.decode("ascii").split(" ")
            replaces, signature = more or ("", "")
            public = b64decode(text, validate=True)
        except ValueError:
            raise self._broken() from None
        found = KnownKey(public=public, since=since, replaces=replaces, signature=signature)
        if len(public) != KEY_BYTES or found.id != named:
            raise self._broken()
        return found

    def _broken(self) -> StoreError:
        return StoreError(
            "key-broken",
            f"the list of approver keys `{self.path}` is damaged",
            because="a line is not a valid key",
            hint="restore a backup; until then nothing can be approved",
        )


def _line(one: KnownKey) -> bytes:
    words = [one.since, one.id, b64encode(one.public).decode(), one.replaces, one.signature]
    return " ".join(filter(None, words)).encode() + b"\n"
