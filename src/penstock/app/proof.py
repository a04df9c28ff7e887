"""The proof of a person, for every door that takes an answer: by the key, and on the record.

How the passphrase is asked for is each door's own business.
Always true: whoever tried what was not theirs to do is on the record, as far as a line can be
written; the refusal stands either way.
"""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from penstock.app.workspace import Workspace
from penstock.core.errors import PenstockError, RefusedError
from penstock.stores.approver.passphrase import VARIABLE as PASSPHRASE_VARIABLE
from penstock.stores.approver.passphrase import passphrase_from_environment

if TYPE_CHECKING:
    from penstock.gate import Proof
    from penstock.stores.approver.keys import ApproverPublicKey

__all__ = [
    "ATTEMPTS",
    "PASSPHRASE_VARIABLE",
    "ApproverPublicKey",
    "attempts_recorded",
    "by_key",
    "need_code_set_up",
    "passphrase_from_environment",
    "who",
]

# Refusals that tell of an attempt; the others tell only of a missing option or terminal.
ATTEMPTS = frozenset({"inside-agent", "wrong-passphrase", "wrong-code", "too-many-attempts"})


def need_code_set_up(here: Workspace) -> None:
    """Refuse where the rules ask for one-time codes and the key has none."""
    if here.policy().approval.totp and not here.keys.current().totp:
        raise RefusedError(
            "code-needed",
            "the rules require a one-time code, but none is set up",
            because="[approval] totp is true",
            hint="set them up with `penstock approver totp`",
        )


def by_key(here: Workspace, passphrase: str, code: str | None = None, **told: str) -> Proof:
    """Return the proof that the approver's key gives; `told` goes on the record when it fails."""
    from penstock.gate import Proof

    need_code_set_up(here)
    with attempts_recorded(here, **told):
        return Proof(by=who(), kind="key", sign=here.keys.unseal(passphrase, code=code))


@contextmanager
def attempts_recorded(here: Workspace, **told: str) -> Iterator[None]:
    """Put it on the record when somebody is refused inside the block."""
    try:
        yield
    except RefusedError as no:
        if no.code in ATTEMPTS:
            with suppress(PenstockError, OSError):
                here.record.log.append(_attempt(no, told), durable=False)
        raise


def _attempt(no: RefusedError, told: dict[str, str]) -> dict[str, object]:
    """Return the event of a refusal: what was run on which proposal, and why it was refused."""
    facts = {
        "op": "approval_refused",
        "path": "",
        "status": "denied",
        "code": no.code,
        "reason": no.because or no.message,
        "by": who(),
        **told,
    }
    return {name: value for name, value in facts.items() if value or name == "path"}


def who() -> str:
    """Return the user's name, for the record: the system's, as variables can say anything."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid {os.getuid()}"
