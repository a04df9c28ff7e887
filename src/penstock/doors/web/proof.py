"""The proof that a person answers on the page: a passphrase, a touch, or a session unlocked by one.

A session proves nobody: an agent that runs as the same user can fetch a page as well. Without a
key nothing is approved here, because no terminal can be looked at. What a proof is good for is the
gate's to say.
Always true: every wrong passphrase, code and touch is on the record; wrong passphrases make the
next one wait, and where they become many nobody can try for a while, which is on the record, too.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from msgspec import Struct, field

from penstock.core.audit.approval.approval_proof import touch_facts, unlock_facts
from penstock.core.audit.approval.passkey_use import LOCKED, UNLOCKED
from penstock.core.errors import PenstockError, RefusedError
from penstock.doors.web.rate_limits import Attempts
from penstock.doors.web.touch import TouchRequest, touch_of
from penstock.doors.web.unlock import SessionSecret, new_secret, opened

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.core.proposals.model import Proposal
    from penstock.doors.web.sessions import Session
    from penstock.gate import Proof

WRONG = frozenset({"wrong-passphrase", "wrong-code"})
BROUGHT = ("passphrase", "code", "touch", "unlocked", "unlock")  # what a form may prove with


class Prover(Struct, kw_only=True, dict=True):
    """Opens the approver's key for one answer; whoever guesses waits, then is locked out."""

    attempts: Attempts = field(default_factory=Attempts)
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.time
    typed: bool = True  # False where only a touch proves a person, and no secret is taken
    # Opening takes 128 MiB and some tenths of a second on purpose: one at a time.
    _one: threading.Lock = field(default_factory=threading.Lock)

    def admit(self, here: Workspace, **told: str) -> None:
        """Refuse where nothing can be approved at all; an agent's attempt is on the record."""
        _refuse_inside_agent(here, told)
        if not here.keys.exists():
            raise _no_key()

    def proof(self, here: Workspace, passphrase: str, code: str, *, who: str, **told: str) -> Proof:
        """Return the proof of a person. Raises RefusedError."""
        from penstock.app.proof import by_key

        self.admit(here, **told)
        with self.tries(here, passphrase, who=who, **told):
            return by_key(here, passphrase, code or None, **told)

    @contextmanager
    def tries(self, here: Workspace, passphrase: str, *, who: str, **told: str) -> Iterator[None]:
        """Let somebody try a passphrase inside the block; a wrong one is counted and waited for."""
        from penstock.app.proof import attempts_recorded

        self.attempts.check(who)
        if not self.typed:
            raise _touch_only()
        if not passphrase:
            raise RefusedError("no-passphrase", "approval needs the approver's passphrase")
        try:
            with self._one:
                self.attempts.check(who)  # those before us may have used the attempts up
                yield
        except RefusedError as no:
            if no.code in WRONG:
                with attempts_recorded(here, **told):  # being locked out is on the record, too
                    self.sleep(self.attempts.failed(who))
            raise
        self.attempts.succeeded(who)


class PagePerson(Struct, kw_only=True, dict=True):
    """Who answers, with what their form brings: one of passphrase, touch, or `unlocked`.

    `unlocked` and `unlock` are the secret of the page: by the first an unlocked session approves,
    with the second it is unlocked from then on.
    """

    prover: Prover = field(default_factory=Prover)
    session: Session | None = None
    origin: str = ""  # the address of the page, where its passkeys count
    who: str = "api"
    passphrase: str = ""
    code: str = ""
    touch: str = ""
    unlocked: str = ""
    unlock: str = ""

    def __post_init__(self) -> None:
        self._asked: TouchRequest | None = None

    @property
    def ids(self) -> Mapping[str, str]:
        """The ids of what a touch approves and is not stored yet, by path."""
        return self._asked.ids if self._asked else {}

    def admit(self, here: Workspace, **told: str) -> None:
        """Refuse where nothing can be approved at all."""
        self.prover.admit(here, **told)

    def ask(
        self,
        here: Workspace,
        found: Sequence[Proposal],
        ids: Mapping[str, str],
        *,
        in_part: bool = False,
    ) -> tuple[bytes, tuple[bytes, ...]]:
        """Return the challenge that approves proposals, and the credentials that may sign it.

        `in_part` says that some of them may be left out when the touch comes back.
        """
        assert self.session is not None
        own = (one for one in here.keys.own_passkeys() if one.origin == self.origin)
        credentials = tuple(one.credential for one in own)
        if not credentials:
            raise RefusedError(
                "no-passkey",
                "no passkey is registered",
                hint="register one with `penstock approver passkey`, or type the passphrase",
            )
        at = here.gate.now().wall
        wanted = new_secret(self.unlock, at) if self.unlock else None
        beside = [wanted.unlock.statement()] if wanted else []
        challenge, places = here.gate.challenge(found, at=at, beside=beside)
        place = places[beside[0]] if beside else None
        listed = tuple(places) if in_part else ()
        request = TouchRequest(at=at, ids=ids, unlock=wanted, place=place, listed=listed)
        self.session.touches.ask(challenge, request)
        return challenge, credentials

    def proof(self, here: Workspace, **told: str) -> Proof:
        """Return the proof of a person. Raises RefusedError."""
        if self.touch and self.session is not None:
            self.admit(here, **told)
            return self._by_touch(here, told)
        if self.unlocked and self.session is not None and not self.passphrase:
            self.admit(here, **told)
            return self._by_unlock(here, told)
        return self.prover.proof(here, self.passphrase, self.code, who=self.who, **told)

    def _by_touch(self, here: Workspace, told: Mapping[str, str]) -> Proof:
        from penstock.app.proof import attempts_recorded, who
        from penstock.gate import Proof
        from penstock.gate.doors import TouchedApproval

        assert self.session is not None
        credential, touch = touch_of(self.touch)
        with attempts_recorded(here, **told):
            asked = self._asked = self.session.touches.take(touch)
        beside = (*asked.listed, *([asked.unlock.unlock.statement()] if asked.unlock else []))
        touched = TouchedApproval(credential=credential, touch=touch, at=asked.at, beside=beside)
        return Proof(by=who(), touch=touched)

    def _by_unlock(self, here: Workspace, told: Mapping[str, str]) -> Proof:
        from penstock.app.proof import attempts_recorded, who
        from penstock.gate import Proof

        assert self.session is not None
        held = self.session.unlock
        if held is None or not held.opens(self.unlocked, self.prover.now()):
            with attempts_recorded(here, **told):
                raise RefusedError(
                    "locked",
                    "this session is not unlocked",
                    because="its time is over, or it was unlocked in another browser",
                    hint="type the passphrase, or touch your passkey",
                )
        return Proof(by=who(), session=held.key)

    def check(self, here: Workspace, drafts: Sequence[Proposal], proof: Proof, **told: str) -> None:
        """Refuse a proof that would not do, before anything is stored that it is for."""
        from penstock.app.proof import attempts_recorded

        with attempts_recorded(here, **told):
            here.gate.check_proof(drafts, proof)

    def approve(
        self, here: Workspace, reasons: Mapping[str, str], proof: Proof, **told: str
    ) -> None:
        """Approve with a proof, log what was tried where it is refused, and unlock if asked.

        `reasons` are what the audit log says beside each approval, by the proposal's id.
        """
        from penstock.app.proof import attempts_recorded

        with attempts_recorded(here, **told):
            here.gate.answer_all(tuple(reasons), approve=True, proof=proof, reasons=reasons)
        if self.unlock and self.session is not None and proof.by_person:
            self._open(here, proof)

    def _open(self, here: Workspace, proof: Proof) -> None:
        """Unlock the session by the proof that just approved."""
        from penstock.app.proof import log_unlock

        assert self.session is not None
        facts = self._vouched(here, proof)
        if facts is None:
            return
        asked, vouched = facts
        log_unlock(here, UNLOCKED, proof="key" if proof.sign else "passkey", **vouched)
        self.session.unlock = opened(asked, vouched, here)

    def _vouched(
        self, here: Workspace, proof: Proof
    ) -> tuple[SessionSecret, dict[str, object]] | None:
        """Return a session's new key, and what the approver says for it."""
        if proof.sign is not None:
            asked = new_secret(self.unlock, self.prover.now())
            signature, key_id = proof.sign(asked.unlock.statement())
            return asked, {
                "key_id": key_id,
                "unlock": unlock_facts(asked.unlock, signature=signature),
            }
        touched, request = proof.touch, self._asked
        passkey = here.keys.passkey(touched.credential) if touched else None
        if touched is None or passkey is None or request is None or request.unlock is None:
            return None
        facts = touch_facts(passkey, touched.touch, request.place)
        return request.unlock, {**facts, "unlock": unlock_facts(request.unlock.unlock)}


def lock(session: Session) -> None:
    """End an unlock, and log it as far as a line can be written: it is over either way."""
    from penstock.app.proof import log_unlock

    held, session.unlock = session.unlock, None
    if held is not None:
        with suppress(PenstockError, OSError):
            facts = {"id": held.asked.unlock.id}
            log_unlock(held.here, LOCKED, unlock=facts)


def _touch_only() -> RefusedError:
    return RefusedError(
        "touch-only",
        "this address takes no passphrase; approve with a passkey",
        because="a passphrase typed on another device could be read there or on the way",
        hint="touch your passkey, or use the page on your computer",
    )


def _no_key() -> RefusedError:
    return RefusedError(
        "key-needed",
        "approving on the page needs an approver key",
        because="without a key, only a terminal outside any agent can approve",
        hint="run `penstock approver init` in a terminal, or approve there with `penstock approve`",
    )


def _refuse_inside_agent(here: Workspace, told: Mapping[str, str]) -> None:
    from penstock.app.proof import attempts_recorded

    why = here.inside_agent()
    if why:
        with attempts_recorded(here, **told):
            raise RefusedError(
                "inside-agent",
                "this server was started by an agent, so it can't approve anything",
                because=why,
                hint="start `penstock serve` in your own terminal",
            )
