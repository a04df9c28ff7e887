"""What every page and every call of the API stands on: the workspaces, the sessions, the proof.

Which pages there are and how they look is elsewhere.
Always true: each workspace is opened once, whoever asks first; what is named and not there is
an error and never another workspace.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlencode

from penstock.core.errors import InputError, PenstockError
from penstock.core.loopback import brought, is_ours, same
from penstock.core.notify.push import SERVICES
from penstock.doors.web import answers
from penstock.doors.web.answers import AnswerResult
from penstock.doors.web.live_events import Hub
from penstock.doors.web.pairing import Pairings
from penstock.doors.web.proof import BROUGHT, PagePerson, Prover
from penstock.doors.web.reader import Readers
from penstock.doors.web.sessions import COOKIE, Session, Sessions, cookies_of
from penstock.doors.web.sign_in_challenge import SignInChallenges
from penstock.doors.web.wording import name_of

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.core.proposals.model import Proposal, Receipt
    from penstock.gate import Gate

T = TypeVar("T")
MOST_TOGETHER = 1000
Places = Callable[[], Iterable["Workspace"]]


def no_more() -> tuple[Workspace, ...]:
    """There are no other workspaces than those that were named."""
    return ()


class World:
    """One process's view: `places` are served from the start, `more` may come while it runs."""

    def __init__(
        self,
        places: Sequence[Workspace],
        *,
        token: str,
        hook_token: str = "",
        more: Places = no_more,
        sessions: Sessions | None = None,
        prover: Prover | None = None,
    ) -> None:
        self.token = token
        self.hook_token = hook_token
        self.sessions = sessions or Sessions()
        self.prover = prover or Prover()
        self.origin = ""  # where we listen, once that is known
        self.computer = ""  # where the page is for whoever sits at this machine, if not there
        self._more = more
        self._lock = threading.Lock()
        self._places: dict[str, Workspace] = {name_of(here): here for here in places}
        self.readers = Readers()
        self.hub = Hub(self)
        self.pairings = Pairings()
        self.challenges = SignInChallenges()
        self.certificate = b""  # what other devices have to install, where we made it ourselves
        self.push_services: Sequence[str] = SERVICES
        self.phone: World | None = None  # the same at an address that other devices reach

    # -- addresses ----------------------------------------------------------------------------

    @property
    def remote(self) -> bool:
        """Say whether this is the address for other devices: TLS, and passkeys only."""
        return self.origin.startswith("https:")

    def answers_to(self, host: str) -> bool:
        """Say whether a Host header names this address, and no other."""
        return same(f"https://{host.lower()}", self.origin) if self.remote else is_ours(host)

    def open_phone(self, origin: str, certificate: bytes = b"") -> World:
        """Return the same workspaces at an address for other devices.

        Sessions and links are its own, so what opens one address does not open the other.
        """
        made = copy(self)
        made.sessions, made.readers = Sessions(), Readers()
        made.origin, made.computer = origin, self.origin
        made.prover = Prover(attempts=self.prover.attempts, sleep=self.prover.sleep, typed=False)
        made.token, made.hook_token, made.certificate = "", "", certificate
        self.phone = made
        return made

    # -- workspaces ---------------------------------------------------------------------------

    @property
    def workspaces(self) -> tuple[Workspace, ...]:
        """Every workspace that is served, the first one first."""
        return tuple(self._places.values())

    def look_around(self) -> None:
        """Take in the workspaces that have a state by now."""
        for here in self._more():
            with self._lock:
                self._places.setdefault(name_of(here), here)

    def here(self, name: str = "") -> Workspace:
        """Return a workspace by its name or its root; the first one where none is named."""
        for known, here in list(self._places.items()):
            if name in ("", known, here.root):
                return here
        raise InputError("no-workspace", f"there is no workspace `{name}` here")

    def gate(self, name: str = "") -> Gate:
        """Return the gate of a workspace, opened by whoever asks first."""
        return self.gate_of(self.here(name))

    def gate_of(self, here: Workspace) -> Gate:
        """Return the gate of a workspace that is at hand."""
        with self._lock:  # two threads must not open it twice
            return here.gate

    # -- finding ------------------------------------------------------------------------------

    def find(self, proposal_id: str) -> tuple[Workspace, tuple[Proposal, ...]]:
        """Return the proposal or the set of exactly this id, and where it is."""
        return self._first(lambda gate: gate.members(proposal_id), f"proposal `{proposal_id}`")

    def find_receipts(self, receipt_id: str) -> tuple[Workspace, tuple[Receipt, ...]]:
        """Return the receipt or the receipts of a set, and where they are."""
        return self._first(lambda gate: _receipts(gate, receipt_id), f"receipt `{receipt_id}`")

    def _first(
        self, look: Callable[[Gate], tuple[T, ...]], what: str
    ) -> tuple[Workspace, tuple[T, ...]]:
        """Return what the first workspace has; one that cannot be opened hides no other."""
        fault: PenstockError | None = None
        for here in self.workspaces:
            try:
                found = look(self.gate_of(here))
            except PenstockError as error:
                fault = fault or error
                continue
            if found:
                return here, found
        raise fault or InputError("not-found", f"there is no {what}")

    # -- answering ----------------------------------------------------------------------------

    def answer(
        self, session: Session | None, action: str, id_: str, **given: object
    ) -> AnswerResult:
        """Do one of `answers.ACTIONS` with a proposal, a set or a receipt; blocks, never raises.

        `session` is whose attempts count, and who was shown what; None is the API, where `viewer`
        names who reads.
        """
        find = self.find_receipts if action in answers.OF_RECEIPTS else self.find
        try:
            here = find(id_)[0]
        except PenstockError as error:
            return AnswerResult(error=error)
        if action in answers.PROVEN:
            reader = session.reader if session else self.readers.of(str(given.pop("viewer", "")))
            brought = {name: str(given.pop(name, "")) for name in BROUGHT}
            who = session.key if session else "api"
            person = PagePerson(
                prover=self.prover, session=session, origin=self.origin, who=who, **brought
            )
            given |= {"person": person, "reader": reader}
        return answers.ACTIONS[action](here, id_, **given)

    def knows(self, headers: Mapping[str, str]) -> bool:
        """Say whether a request comes from somebody who may send much: a session, or the token."""
        return self.has_token(headers) or self.session_of(headers) is not None

    def has_token(self, headers: Mapping[str, str]) -> bool:
        """Say whether a request brings the person's token; where there is none, none does."""
        return bool(self.token) and same(brought(headers), self.token)

    @property
    def cookie(self) -> str:
        """The name of the session's cookie."""
        return self.cookie_name(COOKIE)

    def cookie_name(self, what: str) -> str:
        """Return the name of a cookie of ours. Cookies know no ports, so the name has to."""
        name = f"{what}_{self.origin.rpartition(':')[2].removeprefix('//')}"
        return f"__Host-{name}" if self.remote else name

    def cookie_line(self, value: str, seconds: float, *, what: str = COOKIE) -> str:
        """Return a cookie: no script reads it, and no other site's request brings it along."""
        rest = f"Path=/; Max-Age={seconds:.0f}; HttpOnly; SameSite=Strict"
        return f"{self.cookie_name(what)}={value}; {rest}{'; Secure' if self.remote else ''}"

    def session_of(self, headers: Mapping[str, str]) -> Session | None:
        """Return the session that a request belongs to."""
        found = (self.sessions.find(value) for value in cookies_of(headers, self.cookie))
        return next((session for session in found if session), None)

    # -- links --------------------------------------------------------------------------------

    def link(self, *, to: str = "") -> str:
        """Return a new one-time link; `to` is the page it leads to."""
        query = {"t": self.sessions.new_link(), **({"to": to} if to else {})}
        return f"{self.origin}/open?{urlencode(query)}"


def _receipts(gate: Gate, receipt_id: str) -> tuple[Receipt, ...]:
    if "," in receipt_id:  # what was answered together
        found = [_receipts(gate, name) for name in receipt_id.split(",")[:MOST_TOGETHER]]
        return tuple(one for some in found for one in some) if all(found) else ()
    one = gate.receipt(receipt_id)
    if one is not None:
        return (one,)
    return gate.receipts(set_id=receipt_id) if receipt_id else ()
