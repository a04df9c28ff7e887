"""Take in a new passkey: what a browser is asked to make, and what came of it.

Reading an authenticator's answer is the library's (`webauthn`). That the passkey is the approver's
is their key's word alone, so no attestation is asked for. Keeping it is `app.proof`'s.
Always true: a passkey that does not check who touches it is refused; it is bound to the address
of this server, port included.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from penstock.core.errors import InputError
from penstock.core.proposals.passkey import MOST_BYTES, MOST_LABEL, Passkey, is_usable, relying_name
from penstock.core.text.redact import redact

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_ANSWER = 64 * 1024
USER = "penstock approver"


def creation_options(
    challenge: bytes, *, approver: bytes, origin: str, known: Sequence[Passkey]
) -> dict[str, Any]:
    """Return what `navigator.credentials.create` is asked for, as JSON."""
    from webauthn import generate_registration_options, options_to_json
    from webauthn.helpers import structs as web

    made = generate_registration_options(
        rp_id=relying_name(origin),
        rp_name="Penstock",
        challenge=challenge,
        # One account for each key and address: a second passkey takes no other one's place.
        user_id=sha256(approver + origin.encode()).digest(),
        user_name=f"{USER} ({origin.rpartition(':')[2]})",
        attestation=web.AttestationConveyancePreference.NONE,
        authenticator_selection=web.AuthenticatorSelectionCriteria(
            resident_key=web.ResidentKeyRequirement.PREFERRED,
            user_verification=web.UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=[
            web.PublicKeyCredentialDescriptor(id=one.credential)
            for one in known
            if one.origin == origin
        ],
    )
    found: dict[str, Any] = json.loads(options_to_json(made))
    return found


def passkey_of(answer: str, *, challenge: bytes, origin: str, label: str, at: float) -> Passkey:
    """Return the passkey that a browser made. Raises InputError `bad-passkey`.

    Nobody has signed for it yet.
    """
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
    from webauthn import verify_registration_response
    from webauthn.helpers import decode_credential_public_key, decoded_public_key_to_cryptography

    try:
        if len(answer) > MOST_ANSWER:
            raise _bad("it is too long")
        found = verify_registration_response(
            credential=answer,
            expected_challenge=challenge,
            expected_rp_id=relying_name(origin),
            expected_origin=origin,
            require_user_verification=True,
        )
        key = decoded_public_key_to_cryptography(
            decode_credential_public_key(found.credential_public_key)
        )
        public = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    except InputError:
        raise
    except Exception as wrong:  # noqa: BLE001 - whatever the library stumbles over is no passkey
        raise _bad(str(wrong)[:200] or type(wrong).__name__) from None
    if not is_usable(public) or not 0 < len(found.credential_id) <= MOST_BYTES:
        raise _bad("its kind of key is not supported")
    return Passkey(
        credential=found.credential_id,
        public=public,
        origin=origin,
        label=checked_label(label),
        since=at,
    )


def checked_label(label: str) -> str:
    """Return a label as it is kept. Raises InputError `bad-label`."""
    text = " ".join(label.split()) or "passkey"
    if len(text) > MOST_LABEL or not text.isprintable() or redact(text) != text:
        raise InputError(
            "bad-label",
            f"a label has at most {MOST_LABEL} printable characters",
            hint="call it after the device, for example `laptop`",
        )
    return text


def _bad(because: str) -> InputError:
    return InputError(
        "bad-passkey",
        "this passkey can't be registered",
        because=because,
        hint="try again, or use another authenticator: it has to ask for a PIN or a fingerprint",
    )
