"""Who is at the page: one-time links from the terminal, and the sessions they open.

A session lets somebody look, reject and prepare; it proves no person, because an agent that
runs as the same user can get a link as well. What proves one is in `proof`.
Always true: links and sessions live in this process alone; only their digests are kept, a link
opens one session at most, and every session has an end.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Mapping

from msgspec import Struct, field

from penstock.doors.web.rate_limits import Now
from penstock.doors.web.reader import PageReader
from penstock.doors.web.touch import TouchRequests
from penstock.doors.web.unlock import OpenUnlock

COOKIE, TO = "penstock_session", "penstock_to"
LINK_SECONDS = 120.0
SESSION_SECONDS = 12 * 3600.0
IDLE_SECONDS = 4 * 3600.0
MOST_LINKS, MOST_SESSIONS, MOST_COOKIES, MOST_RESULTS = 16, 32, 8, 8


class Session(Struct):
    """One browser that came by a link. `csrf` stands in each form that it is given.

    `reader` is what it was sent, and what is not ticked in it; `touches` what its passkey was
    asked to approve, and `unlock` by what it approves for some minutes; `results` are what came of
    its last answers, as a page keeps them.
    """

    key: str
    csrf: str
    until: float
    seen: float
    reader: PageReader = field(default_factory=PageReader)
    touches: TouchRequests = field(default_factory=TouchRequests)
    unlock: OpenUnlock | None = None
    results: dict[str, object] = field(default_factory=dict)
    registering: bytes = b""  # the challenge of a passkey that is being made

    def keep(self, result: object) -> str:
        """Keep what came of an answer; return the name by which its page finds it."""
        while len(self.results) >= MOST_RESULTS:
            self.results.pop(next(iter(self.results)))
        name = secrets.token_hex(8)
        self.results[name] = result
        return name

    def is_over(self, now: float) -> bool:
        """Say whether its time is over, or nobody has used it for long."""
        return now >= self.until or now - self.seen >= IDLE_SECONDS


class Sessions:
    """The links that were given out and the sessions that are open."""

    def __init__(self, *, now: Now = time.monotonic) -> None:
        self._now = now
        self._links: dict[str, float] = {}
        self._sessions: dict[str, Session] = {}
        self._lock = threading.Lock()

    def new_link(self) -> str:
        """Return the secret of a link that works once, for two minutes."""
        secret = secrets.token_urlsafe(32)
        with self._lock:
            _make_room(self._links, MOST_LINKS)
            self._links[_digest(secret)] = self._now() + LINK_SECONDS
        return secret

    def open(self, secret: str) -> tuple[str, Session] | None:
        """Use a link up; return the cookie's value and the session, None if it is no good."""
        with self._lock:
            until = self._links.pop(_digest(secret), 0.0)
            return self._begin() if self._now() < until else None

    def begin(self) -> tuple[str, Session]:
        """Return the cookie's value and the session of somebody who proved to be the approver."""
        with self._lock:
            return self._begin()

    def _begin(self) -> tuple[str, Session]:
        now, cookie = self._now(), secrets.token_urlsafe(32)
        session = Session(
            key=_digest(cookie),
            csrf=secrets.token_urlsafe(32),
            until=now + SESSION_SECONDS,
            seen=now,
        )
        _make_room(self._sessions, MOST_SESSIONS)
        self._sessions[session.key] = session
        return cookie, session

    def find(self, cookie: str) -> Session | None:
        """Return the session of a cookie, if it is still open."""
        with self._lock:
            now = self._now()
            session = self._sessions.get(_digest(cookie)) if cookie else None
            if session is None:
                return None
            if session.is_over(now):
                del self._sessions[session.key]
                return None
            session.seen = now
            return session

    def lasts(self, session: Session) -> bool:
        """Say whether a session is still open; asking is no use of it."""
        with self._lock:
            return session.key in self._sessions and not session.is_over(self._now())

    def close(self, session: Session) -> None:
        """End a session."""
        with self._lock:
            self._sessions.pop(session.key, None)


def cookies_of(headers: Mapping[str, str], name: str) -> tuple[str, ...]:
    """Return every value of a cookie. Other servers of this machine set cookies for us, too."""
    pairs = (part.partition("=") for part in headers.get("cookie", "").split(";"))
    return tuple(value.strip() for known, _, value in pairs if known.strip() == name)[:MOST_COOKIES]


def _digest(secret: str) -> str:
    """Return what is kept of a secret: looking it up tells nothing about the secret itself."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _make_room(kept: dict[str, float] | dict[str, Session], most: int) -> None:
    """Let the oldest go, so that nobody fills the memory by asking."""
    while len(kept) >= most:
        kept.pop(next(iter(kept)))
