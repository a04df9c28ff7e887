"""Who sits at the screen: the proof that an approval needs, asked for once and not kept for ever.

Always true: once an approver's key exists only its signature approves; a proof that was not used
for a while is forgotten, and the passphrase itself is not kept at all.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from msgspec import Struct, field

from penstock.app import Workspace
from penstock.app.proof import by_key, who
from penstock.core.errors import RefusedError
from penstock.gate import Proof

FORGET_AFTER = 600.0  # seconds without an approval


class Keys(Protocol):
    """What the screen needs to know of the person."""

    def locked(self) -> bool:
        """Say whether the passphrase has to be asked for now."""

    def needs_code(self) -> bool:
        """Say whether a one-time code belongs to it."""

    def unlock(self, passphrase: str, code: str | None) -> None:
        """Take the passphrase. Raises RefusedError."""

    def proof(self) -> Proof:
        """Return the proof of an approval. Raises RefusedError while locked."""

    def name(self) -> Proof:
        """Return who it is, for what needs no signature."""


class AtTerminal(Struct, dict=True):
    """The person at this terminal, with the approver's key where there is one."""

    here: Workspace
    clock: Callable[[], float] = time.monotonic
    _signed: Proof | None = None
    _used: float = field(default=0.0)

    def locked(self) -> bool:
        """Say whether the passphrase has to be asked for now."""
        if self._signed is not None and self.clock() - self._used > FORGET_AFTER:
            self._signed = None
        return self._signed is None and self.here.keys.exists()

    def needs_code(self) -> bool:
        """Say whether a one-time code belongs to it."""
        return self.here.keys.exists() and bool(self.here.keys.current().totp)

    def unlock(self, passphrase: str, code: str | None) -> None:
        """Take the passphrase; a wrong one is on the record."""
        self.take(by_key(self.here, passphrase, code, command="review"))

    def take(self, proof: Proof) -> None:
        """Take a proof that was made elsewhere."""
        self._signed, self._used = proof, self.clock()

    def proof(self) -> Proof:
        """Return the proof of an approval."""
        if self.locked():
            raise RefusedError("key-needed", "the approver's passphrase is needed")
        self._used = self.clock()
        return self._signed or self.name()

    def name(self) -> Proof:
        """Return who it is, for what needs no signature."""
        return Proof(by=who(), kind="terminal")
