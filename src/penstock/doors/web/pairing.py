"""Passkeys that another device made and that wait for the passphrase at the computer.

A phone types no passphrase, so it cannot have its passkey signed by itself: the passkey waits here
under a code that only its page shows, and whoever types code and passphrase on the computer's own
page has it registered. Whose it is, is said by the code alone: an agent can put a passkey of its
own here, under a code that nobody was shown.
Always true: pending passkeys are kept in memory only, a few at a time, for some minutes; a code is
random and is used once.
"""

from __future__ import annotations

import secrets
import threading
import time
from typing import TYPE_CHECKING

from msgspec import Struct

from penstock.core.errors import RefusedError
from penstock.doors.web.rate_limits import Now

if TYPE_CHECKING:
    from penstock.core.proposals.passkey import Passkey

DIGITS = 8
SECONDS = 600.0
MOST = 8


class Pairing(Struct, frozen=True, kw_only=True):
    """A passkey that waits, and until when."""

    passkey: Passkey
    until: float


class Pairings:
    """All that wait, by their codes."""

    def __init__(self, *, now: Now = time.monotonic) -> None:
        self._now = now
        self._waiting: dict[str, Pairing] = {}
        self._lock = threading.Lock()

    def add(self, made: Passkey) -> str:
        """Have a passkey wait; return the code to type."""
        with self._lock:
            while len(self._waiting) >= MOST:
                self._waiting.pop(next(iter(self._waiting)))
            code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
            self._waiting[code] = Pairing(passkey=made, until=self._now() + SECONDS)
            return code

    def waits(self, code: str) -> bool:
        """Say whether a code is still good."""
        with self._lock:
            held = self._waiting.get(code)
            return held is not None and self._now() < held.until

    def find(self, code: str) -> Passkey:
        """Return the passkey of a code. Raises RefusedError `wrong-pairing`."""
        with self._lock:
            held = self._waiting.get(code)
        if held is None or self._now() >= held.until:
            raise RefusedError(
                "wrong-pairing",
                "no passkey is to be confirmed by this code",
                because="it was mistyped, used, or is older than ten minutes",
                hint="register the passkey on your phone again, then type the code it shows",
            )
        return held.passkey

    def done(self, code: str) -> None:
        """Forget a code that was used."""
        with self._lock:
            self._waiting.pop(code, None)
