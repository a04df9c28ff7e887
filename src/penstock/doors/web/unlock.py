"""A session that is unlocked: for some minutes it approves what is not dangerous.

A cookie is no proof: every server of `localhost` is sent it, whatever its port. So the page makes a
secret of its own, which a browser shows to pages of this very address alone, and the form brings
it along. The key that signs is made here and forgotten with the unlock; the approver vouches for
it (`core.proposals.unlock`), and the gate looks at each change.
Always true: without the page's secret a session is not unlocked; of the secret only a digest is
kept; an unlock ends by itself, by *Lock*, with its session and with this process.
"""

from __future__ import annotations

import hashlib
import secrets
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from penstock.core.errors import InputError
from penstock.core.loopback import same
from penstock.core.proposals.signature import KEY_BYTES, public_of, sign
from penstock.core.proposals.unlock import LONGEST, Unlock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.app import Workspace
    from penstock.gate.doors import SessionKey

LEAST_SECRET, MOST_SECRET = 40, 100  # characters


class SessionSecret(Struct, frozen=True, kw_only=True):
    """An unlock that is asked for: its public part, its key, a digest of the page's secret."""

    unlock: Unlock
    sign: Callable[[bytes], str]
    digest: str


class OpenUnlock(Struct, frozen=True, kw_only=True):
    """An unlock that somebody vouched for, and where that was logged."""

    asked: SessionSecret
    key: SessionKey
    here: Workspace

    def opens(self, secret: str, now: float) -> bool:
        """Say whether this is the page's secret, and the time is not over."""
        return same(_digest(secret), self.asked.digest) and self.asked.unlock.covers(now)

    def left(self, now: float) -> float:
        """Return the seconds that are left."""
        return max(0.0, self.asked.unlock.until - now)


def new_secret(secret: str, now: float) -> SessionSecret:
    """Return a fresh key for the secret that a page made. Raises InputError `bad-secret`."""
    if not (LEAST_SECRET <= len(secret) <= MOST_SECRET and secret.isascii()):
        raise InputError("bad-secret", "the page's unlock secret can't be used")
    key = secrets.token_bytes(KEY_BYTES)
    unlock = Unlock(public=public_of(key), since=now, until=now + LONGEST)
    return SessionSecret(unlock=unlock, sign=partial(sign, key), digest=_digest(secret))


def opened(asked: SessionSecret, facts: Mapping[str, object], here: Workspace) -> OpenUnlock:
    """Return an unlock that `facts` vouch for."""
    from penstock.gate.doors import SessionKey

    key = SessionKey(unlock=asked.unlock, sign=asked.sign, facts=facts)
    return OpenUnlock(asked=asked, key=key, here=here)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
