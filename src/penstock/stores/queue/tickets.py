"""Tickets: proposals of an agent whose end that agent has not heard of yet.

One small file for each ticket, `tickets/AGENT/ID` in the state: who made it. Whoever is about to
tell takes it by renaming it to `ID@PROCESS`, and removes it once the answer is printed; what a
process that is gone had taken is free again. `tickets/AGENT.look` is there while some ticket is:
it says how the queue's files looked when nothing was new, and when the first ticket runs out, so
that the fast path need not open the queue.
Always true: of several processes one tells; nothing is removed before it was told.
"""

from __future__ import annotations

import marshal
import os
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress

from msgspec import Struct

from penstock.stores.queue.before_images import MAKE, read
from penstock.stores.system.places import stamp
from penstock.stores.system.private import private_dir

FOLDER = "tickets"
QUEUE = ("penstock.db", "penstock.db-wal")
TAKEN = "@"
NEW = ".new-"

Stamp = tuple[str, int, int, int]
Look = tuple[tuple[Stamp, ...], float]
LOOK_ALWAYS: Look = (), 0.0


class Ticket(Struct, frozen=True, kw_only=True):
    """One proposal or set: the session that made it, and the agent's process then."""

    name: str
    session: str
    client: str

    @property
    def id(self) -> str:
        """The proposal or the set."""
        return self.name.partition(TAKEN)[0]

    @property
    def holder(self) -> str:
        """The process that has taken it for telling, if one has."""
        return self.name.partition(TAKEN)[2]


def add(state: str, agent: str, known: str, *, session: str, client: str) -> None:
    """Remember that an agent is to hear of a proposal. Raises OSError or StoreError."""
    private_dir(os.path.join(state, FOLDER))
    folder = private_dir(_folder(state, agent))
    text = f"{session}\n{client}\n".encode("utf-8", "surrogateescape")
    _put(os.path.join(folder, known), text)
    mark(state, agent, LOOK_ALWAYS)


def tickets(state: str, agent: str, *, is_gone: Callable[[str], bool]) -> list[Ticket]:
    """Return what nobody tells at the moment; `is_gone` knows processes that have ended."""
    try:
        names = sorted(n for n in os.listdir(_folder(state, agent)) if not n.startswith(NEW))
    except OSError:
        return []
    found = [one for name in names if (one := _ticket(state, agent, name)) is not None]
    return [one for one in found if not one.holder or is_gone(one.holder)]


def _ticket(state: str, agent: str, name: str) -> Ticket | None:
    text = read(os.path.join(_folder(state, agent), name))
    if text is None:
        return None
    lines = text[0].decode("utf-8", "surrogateescape").split("\n")
    session, client = (*lines, "", "")[:2]
    return Ticket(name=name, session=session, client=client)


def take(state: str, agent: str, ticket: Ticket, holder: str) -> str:
    """Take a ticket for telling, and return the file to remove once that is done; "" if gone."""
    folder = _folder(state, agent)
    taken = os.path.join(folder, f"{ticket.id}{TAKEN}{holder}")
    try:
        os.rename(os.path.join(folder, ticket.name), taken)
    except OSError:
        return ""
    return taken


def settle(claims: Iterable[str]) -> None:
    """Remove what was taken, now that it was told."""
    for one in claims:
        with suppress(OSError):
            os.unlink(one)


def looks(state: str) -> tuple[Stamp, ...]:
    """Return what changes whenever the queue does."""
    return tuple(stamp(os.path.join(state, name)) for name in QUEUE)


def mark(state: str, agent: str, look: Look) -> None:
    """Say how the queue looked when there was nothing to tell."""
    with suppress(OSError):
        _put(_mark(state, agent), marshal.dumps(look))


def tidy(state: str, agent: str) -> None:
    """Remove what stands for tickets where none is left: then the fast path looks at nothing."""
    with suppress(OSError):
        os.rmdir(_folder(state, agent))
        os.unlink(_mark(state, agent))


def _mark(state: str, agent: str) -> str:
    return os.path.join(state, FOLDER, f"{agent}.look")


def _put(name: str, data: bytes) -> None:
    """Put a small file in place, whole. Raises OSError."""
    new = f"{os.path.dirname(name)}/{NEW}{threading.get_ident()}.{os.getpid()}"
    with suppress(FileNotFoundError):
        os.unlink(new)
    with open(os.open(new, MAKE, 0o600), "wb") as file:
        file.write(data)
    os.rename(new, name)


def _folder(state: str, agent: str) -> str:
    return os.path.join(state, FOLDER, agent)
