"""Challenges for signing in with a passkey, at the address that other devices reach.

A stranger asks for one and nothing is kept for them, so that nobody fills the memory or pushes out
another's: a challenge carries its time and a tag by which it is known again.
Always true: a challenge is good for one sign-in within two minutes; it is longer than a digest, so
it never is the challenge of an approval.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time

from penstock.core.proposals.passkey import Passkey, PasskeyTouch, fault, from_text
from penstock.core.strict_json import strict
from penstock.doors.web.rate_limits import Now

SECONDS = 120.0
TIME_BYTES, RANDOM_BYTES, TAG_BYTES = 8, 16, 16
DIGEST_BYTES = 32  # of an approval's challenge


class SignInChallenges:
    """Challenges of this process."""

    def __init__(self, *, now: Now = time.monotonic) -> None:
        self._now = now
        self._key = secrets.token_bytes(32)
        self._used: dict[bytes, float] = {}  # only of sign-ins that were good
        self._lock = threading.Lock()

    def new(self) -> bytes:
        """Return a challenge for whoever asks."""
        at = int(self._now() * 1000).to_bytes(TIME_BYTES, "big")
        text = at + secrets.token_bytes(RANDOM_BYTES)
        return text + self._tag(text)

    def fault(self, passkey: Passkey, touch: PasskeyTouch) -> str:
        """Return why a touch signs nobody in; "" where it does, and then its challenge is used."""
        challenge = _challenge(touch)
        wrong = self._stale(challenge) or fault(passkey, challenge, touch)
        if not wrong and not self._use(challenge):
            return "it was used before"
        return wrong

    def _stale(self, challenge: bytes) -> str:
        text, tag = challenge[:-TAG_BYTES], challenge[-TAG_BYTES:]
        if len(challenge) <= DIGEST_BYTES or not hmac.compare_digest(tag, self._tag(text)):
            return "this server did not ask for it"
        made = int.from_bytes(text[:TIME_BYTES], "big") / 1000
        return "" if self._now() - made < SECONDS else "it is too old"

    def _use(self, challenge: bytes) -> bool:
        with self._lock:
            now = self._now()
            self._used = {one: at for one, at in self._used.items() if now - at < SECONDS}
            if challenge in self._used:
                return False
            self._used[challenge] = now
            return True

    def _tag(self, text: bytes) -> bytes:
        return hmac.digest(self._key, text, "sha256")[:TAG_BYTES]


def _challenge(touch: PasskeyTouch) -> bytes:
    try:
        return from_text(strict(touch.client_data.decode())["challenge"])
    except (ValueError, KeyError, TypeError):
        return b""
