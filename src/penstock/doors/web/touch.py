"""Touches of a passkey that the page has asked for: challenges, and what comes back.

A challenge stands for exact statements, belongs to one session and is used once. Whether a touch
is good for them is the gate's to say.
Always true: what was asked for is kept in this process alone, for some minutes; an answer that
nobody asked for, or that comes a second time, is refused before anything looks at it.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from penstock.core.audit.approval.approval_list import ListPlace
from penstock.core.errors import InputError, RefusedError
from penstock.core.proposals.passkey import PasskeyTouch, from_text
from penstock.core.strict_json import strict
from penstock.doors.web.unlock import SessionSecret

MOST_ASKED = 8  # of one session at a time
MOST_TEXT = 8192


class TouchRequest(Struct, frozen=True, kw_only=True):
    """What one touch would approve: when, under which ids, and what it would unlock.

    `listed` are the statements of a list whose members are answered one by one: what is not as it
    was any more is left out, and the touch is still the one for the whole list.
    """

    at: float
    ids: Mapping[str, str] = field(default_factory=dict)  # of proposals that are not stored yet
    unlock: SessionSecret | None = None
    place: ListPlace | None = None  # of the unlock among what is approved
    listed: tuple[bytes, ...] = ()


class TouchRequests:
    """The challenges that one session waits for."""

    def __init__(self) -> None:
        self._asked: dict[bytes, TouchRequest] = {}

    def ask(self, challenge: bytes, asked: TouchRequest) -> None:
        """Keep what a challenge stands for; the oldest goes where there are many."""
        while len(self._asked) >= MOST_ASKED:
            self._asked.pop(next(iter(self._asked)))
        self._asked[challenge] = asked

    def take(self, touch: PasskeyTouch) -> TouchRequest:
        """Return what a touch was asked for, once. Raises RefusedError `wrong-touch`."""
        found = self._asked.pop(_challenge(touch), None)
        if found is None:
            raise RefusedError(
                "wrong-touch",
                "this touch of a passkey approves nothing",
                because="this session did not ask for it, or it was used before",
                hint="reload the page and touch it again, or type the passphrase",
            )
        return found


def touch_of(text: str) -> tuple[bytes, PasskeyTouch]:
    """Return the credential and the touch that a form holds. Raises InputError `bad-touch`."""
    try:
        if len(text) > MOST_TEXT:
            raise ValueError("too long")
        held = strict(text)
        names = ("id", "client", "authenticator", "signature")
        credential, client, authenticator, signature = (from_text(held[name]) for name in names)
    except (ValueError, KeyError, TypeError):
        raise InputError("bad-touch", "the answer of the passkey can't be read") from None
    return credential, PasskeyTouch(
        client_data=client, authenticator_data=authenticator, signature=signature
    )


def _challenge(touch: PasskeyTouch) -> bytes:
    """Return the challenge that a touch says it is for; only to look it up."""
    try:
        return from_text(strict(touch.client_data.decode())["challenge"])
    except (ValueError, KeyError, TypeError):
        return b""
