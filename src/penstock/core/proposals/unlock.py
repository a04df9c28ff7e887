"""An unlock: for some minutes, a key of one browser session approves in the approver's place.

The session's key is made anew for each unlock and never leaves the server's memory. The approver,
by passphrase or touch, vouches for its public half and for how long. Which changes may be
approved so is the gate's to say; whose session it is, the page's.
Always true: an unlock has an end, at most `LONGEST` seconds after it began.
"""

from __future__ import annotations

from msgspec import Struct

from penstock.core.proposals.signature import key_id, microseconds, said

DOMAIN = b"penstock unlock v1\n"
LONGEST = 600.0  # seconds


class Unlock(Struct, frozen=True, kw_only=True):
    """The public half of a session's key, and from when to when it counts."""

    public: bytes
    since: float
    until: float

    @property
    def id(self) -> str:
        """Its short name."""
        return key_id(self.public)

    def statement(self) -> bytes:
        """Return the bytes that stand for "until then this key approves for me"."""
        parts = (
            ("public", self.public.hex()),
            ("from", microseconds(self.since)),
            ("until", microseconds(self.until)),
        )
        return said(DOMAIN, parts)

    def covers(self, at: float) -> bool:
        """Say whether a moment lies within it; one that is too long covers nothing."""
        return self.since <= at <= self.until <= self.since + LONGEST
