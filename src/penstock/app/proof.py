"""The proof of a person, for every door that takes an answer: by the key, and on the record.

How the passphrase is asked for is each door's own business, and so is the ceremony of a passkey.
Always true: whoever tried what was not theirs to do is on the record, as far as a line can be
written; the refusal stands either way. A passkey is added and removed by the passphrase alone, and
what cannot be logged is not done.
"""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from msgspec.structs import replace

from penstock.app.workspace import Workspace
from penstock.core.errors import PenstockError, RefusedError
from penstock.stores.approver.passphrase import VARIABLE as PASSPHRASE_VARIABLE
from penstock.stores.approver.passphrase import passphrase_from_environment

if TYPE_CHECKING:
    from penstock.core.proposals.passkey import Passkey
    from penstock.gate import Proof
    from penstock.stores.approver.keys import ApproverPublicKey

__all__ = [
    "ATTEMPTS",
    "PASSPHRASE_VARIABLE",
    "ApproverPublicKey",
    "add_passkey",
    "attempts_recorded",
    "by_key",
    "by_key_in",
    "log_unlock",
    "named_passkey",
    "need_code_set_up",
    "passphrase_from_environment",
    "remove_passkey",
    "who",
]

# Refusals that tell of an attempt; the others tell only of a missing option or terminal.
ATTEMPTS = frozenset(
    {"inside-agent", "wrong-passphrase", "wrong-code", "too-many-attempts"}
    | {"wrong-touch", "passkey-copied", "locked"}
)


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


def by_key_in(here: Workspace, folder: str, passphrase: str, **told: str) -> Proof:
    """Return the proof that an approver's key in another directory gives.

    It counts for what the organisation's bundle has that key for.
    """
    from penstock.gate import Proof
    from penstock.stores.approver.keys import ApproverKeys

    with attempts_recorded(here, **told):
        return Proof(by=who(), kind="key", sign=ApproverKeys(folder).unseal(passphrase))


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


# -- passkeys and unlocks ------------------------------------------------------------------------


def add_passkey(
    here: Workspace, made: Passkey, passphrase: str, code: str | None = None, **told: str
) -> Passkey:
    """Have the approver's key vouch for a passkey, log it, and keep it."""
    from penstock.core.audit.approval.approval_proof import passkey_facts
    from penstock.core.audit.approval.passkey_use import ADDED

    here.keys.passkeys.require_new(made)
    with attempts_recorded(here, **told):
        signer = here.keys.unseal(passphrase, code=code)
    signed = replace(made, key_id=signer.id)
    signed = replace(signed, signature=signer.sign(signed.statement()))
    _log(here, ADDED, key_id=signer.id, passkey=passkey_facts(signed))
    here.keys.passkeys.add(signed)
    return signed


def remove_passkey(
    here: Workspace, gone: Passkey, passphrase: str, code: str | None = None, **told: str
) -> None:
    """Have the approver's key say that a passkey no longer counts, log it, and keep that."""
    import time

    from penstock.core.audit.approval.passkey_use import REMOVED
    from penstock.core.proposals.passkey import removal
    from penstock.stores.approver.passkeys import PasskeyRemoval

    with attempts_recorded(here, **told):
        signer = here.keys.unseal(passphrase, code=code)
    at = time.time()
    signature = signer.sign(removal(gone.public, at))
    about = {"id": gone.id, "public": gone.public.hex(), "label": gone.label}
    signed = {"key_id": signer.id, "signed_at": at, "signature": signature}
    _log(here, REMOVED, passkey=about, **signed)
    here.keys.passkeys.remove(
        PasskeyRemoval(public=gone.public, at=at, key_id=signer.id, signature=signature)
    )


def named_passkey(here: Workspace, text: str) -> Passkey:
    """Return the passkey whose id begins so, or whose label it is. Raises InputError."""
    from penstock.core.errors import InputError

    known = here.keys.passkeys.added()
    found = [one for one in known if text and (one.id.startswith(text) or one.label == text)]
    if len(found) != 1:
        raise InputError(
            "ambiguous-id" if found else "not-found",
            f"`{text}` names {len(found)} passkeys" if found else f"there is no passkey `{text}`",
            hint="list them with `penstock approver passkeys`",
        )
    return found[0]


def log_unlock(here: Workspace, op: str, **facts: object) -> None:
    """Log that a session was unlocked or locked."""
    _log(here, op, **facts)


def _log(here: Workspace, op: str, **facts: object) -> None:
    event = {"op": op, "path": "", "status": "done", "by": who(), **facts}
    here.record.log.append(event, durable=True)


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
