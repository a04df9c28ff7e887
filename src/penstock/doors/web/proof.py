"""The proof that a person answers on the page: the approver's key, opened for one answer.

A session proves nobody: an agent that runs as the same user can fetch a page as well. Without a
key nothing is approved here, because no terminal can be looked at.
Always true: every wrong passphrase and code is on the record and makes the next one wait; where
they become many nobody can try for a while, and that is on the record, too.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.core.errors import RefusedError
from penstock.doors.web.rate_limits import Attempts

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.gate import Proof

WRONG = frozenset({"wrong-passphrase", "wrong-code"})


@dataclass(kw_only=True)
class Prover:
    """Opens the approver's key for one answer; whoever guesses waits, then is locked out."""

    attempts: Attempts = field(default_factory=Attempts)
    sleep: Callable[[float], None] = time.sleep
    # Opening takes 128 MiB and some tenths of a second on purpose: one at a time.
    _one: threading.Lock = field(default_factory=threading.Lock)

    def admit(self, here: Workspace, **told: str) -> None:
        """Refuse where nothing can be approved at all; an agent's attempt is on the record."""
        _refuse_inside_agent(here, told)
        if not here.keys.exists():
            raise _no_key()

    def proof(self, here: Workspace, passphrase: str, code: str, *, who: str, **told: str) -> Proof:
        """Return the proof of a person. Raises RefusedError."""
        from penstock.app.proof import attempts_recorded, by_key

        self.admit(here, **told)
        self.attempts.check(who)
        if not passphrase:
            raise RefusedError("no-passphrase", "approval needs the approver's passphrase")
        try:
            with self._one:
                self.attempts.check(who)  # those before us may have used the attempts up
                proof = by_key(here, passphrase, code or None, **told)
        except RefusedError as no:
            if no.code in WRONG:
                with attempts_recorded(here, **told):  # being locked out is on the record, too
                    self.sleep(self.attempts.failed(who))
            raise
        self.attempts.succeeded(who)
        return proof


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
