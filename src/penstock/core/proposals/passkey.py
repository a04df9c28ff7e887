"""A passkey: how the approver's key vouches for it, and whether a touch was one of it.

A passkey (WebAuthn) signs only while a person touches it and proves themselves to it, by a PIN or
a finger. What it signs holds a challenge: for us the digest of what is approved. Its ceremonies
are the browser's, reading a new one is the page's, keeping it `stores/approver/passkeys.py`'s.
Always true: `fault` looks at bytes and says the same wherever it is asked, before a write and when
an audit log is verified years later; a passkey counts only at the one address where it was added,
port included, because any other page of the same name may ask it to sign as well.
"""

from __future__ import annotations

import base64
from hashlib import sha256
from typing import TYPE_CHECKING

from msgspec import Struct

from penstock.core.proposals.signature import check, key_id, microseconds, said
from penstock.core.strict_json import strict

if TYPE_CHECKING:
    from collections.abc import Mapping

REGISTRATION = b"penstock passkey v1\n"
REMOVAL = b"penstock passkey removed v1\n"
PRESENT, VERIFIED, ATTESTED, EXTENDED = 0x01, 0x04, 0x40, 0x80
HEAD_BYTES = 37  # of authenticator data: digest of the name, flags, counter
MOST_BYTES = 480  # of a passkey's or a touch's part: in hexadecimal it fits an audit entry
RSA_BITS = range(2048, 3073)
MOST_LABEL = 60


class Passkey(Struct, frozen=True, kw_only=True):
    """One passkey of the approver, with the signature by which their key vouches for it.

    `credential` is what its authenticator knows it by, `public` its key as DER
    (SubjectPublicKeyInfo), `origin` the address of the page where it is used.
    """

    credential: bytes
    public: bytes
    origin: str
    label: str
    since: float
    key_id: str = ""
    signature: str = ""

    @property
    def id(self) -> str:
        """Its short name."""
        return key_id(self.public)

    @property
    def name(self) -> str:
        """What it belongs to for browsers: the name in its address, without the port."""
        return relying_name(self.origin)

    def statement(self) -> bytes:
        """Return the bytes that stand for "this passkey is mine"."""
        parts = (
            ("credential", self.credential.hex()),
            ("public", self.public.hex()),
            ("origin", self.origin),
            ("label", self.label),
            ("time", microseconds(self.since)),
        )
        return said(REGISTRATION, parts)

    def is_of(self, approver: bytes) -> bool:
        """Say whether an approver's key, by its public half, vouches for this passkey."""
        mine = key_id(approver) == self.key_id
        return mine and check(approver, self.statement(), self.signature)


def relying_name(origin: str) -> str:
    """Return the name in the address of a page, to which its passkeys belong."""
    place = origin.partition("://")[2]
    name, colon, port = place.rpartition(":")
    return name if colon and port.isdecimal() else place


def removal(public: bytes, at: float) -> bytes:
    """Return the bytes that stand for "this passkey is no longer mine"."""
    return said(REMOVAL, (("public", public.hex()), ("time", microseconds(at))))


class PasskeyTouch(Struct, frozen=True, kw_only=True):
    """What a passkey answered to one challenge, in the bytes that WebAuthn has for it."""

    client_data: bytes
    authenticator_data: bytes
    signature: bytes

    @property
    def count(self) -> int:
        """How often the passkey was used, by its own word; 0 where it does not count."""
        return int.from_bytes(self.authenticator_data[33:HEAD_BYTES], "big")


def fault(passkey: Passkey, challenge: bytes, touch: PasskeyTouch) -> str:
    """Return why a touch does not stand for a challenge; "" where it does.

    The checks are those of WebAuthn for an assertion, in its order.
    """
    # (1) Nothing is larger than an entry of the audit log can hold.
    parts = (touch.client_data, touch.authenticator_data, touch.signature)
    if any(len(part) > MOST_BYTES for part in parts):
        return "it is too large"
    # (2) to (5): what the browser says of it.
    client = _client_data(touch.client_data)
    if client is None:
        return "the browser's part can't be read"
    if client.get("type") != "webauthn.get":
        return "it was not made to sign"
    if client.get("challenge") != as_text(challenge):
        return "it was made for something else"
    if client.get("origin") != passkey.origin:
        return f"it was made on another page than `{passkey.origin}`"
    if client.get("crossOrigin", False) is not False or "topOrigin" in client:
        return "it was made inside of another page"
    return _authenticator_fault(touch, passkey.name) or _signature_fault(passkey.public, touch)


def _client_data(data: bytes) -> Mapping[str, object] | None:
    try:
        found = strict(data.decode())
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _authenticator_fault(touch: PasskeyTouch, name: str) -> str:
    data = touch.authenticator_data
    if len(data) < HEAD_BYTES:
        return "the authenticator's part can't be read"
    flags = data[32]
    # (6) It is for our name,
    if data[:32] != sha256(name.encode()).digest():
        return f"it was made for another name than `{name}`"
    # (7) somebody was there, (8) who proved to be its owner,
    if not flags & PRESENT:
        return "nobody touched the passkey"
    if not flags & VERIFIED:
        return "the passkey did not check who touched it"
    # (9) and nothing is added that we did not ask for and cannot read.
    if flags & ATTESTED or (len(data) > HEAD_BYTES and not flags & EXTENDED):
        return "the authenticator's part has more than it says"
    return ""


def _signature_fault(public: bytes, touch: PasskeyTouch) -> str:
    """(10) All of it is signed by the passkey."""
    signed = touch.authenticator_data + sha256(touch.client_data).digest()
    return "" if _verifies(public, touch.signature, signed) else "its signature is invalid"


def _verifies(public: bytes, signature: bytes, signed: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
    from cryptography.hazmat.primitives.hashes import SHA256

    key = _loaded(public)
    try:
        if isinstance(key, ec.EllipticCurvePublicKey):
            key.verify(signature, signed, ec.ECDSA(SHA256()))
        elif isinstance(key, rsa.RSAPublicKey):
            key.verify(signature, signed, padding.PKCS1v15(), SHA256())
        elif isinstance(key, ed25519.Ed25519PublicKey):
            key.verify(signature, signed)
        else:
            return False
    except (InvalidSignature, ValueError):
        return False
    return True


def is_usable(public: bytes) -> bool:
    """Say whether a key is of a kind whose signatures are checked here."""
    return _loaded(public) is not None


def _loaded(public: bytes) -> object:
    """Return a key of one of the three kinds (ES256, EdDSA, RS256), None for anything else."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    try:
        key = load_der_public_key(public) if len(public) <= MOST_BYTES else None
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None
    if isinstance(key, ec.EllipticCurvePublicKey):
        return key if isinstance(key.curve, ec.SECP256R1) else None
    if isinstance(key, rsa.RSAPublicKey):
        return key if key.key_size in RSA_BITS else None
    return key if isinstance(key, ed25519.Ed25519PublicKey) else None


def as_text(data: bytes) -> str:
    """Return bytes as WebAuthn writes them: base64 for addresses, without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_text(text: str) -> bytes:
    """Return the bytes of such a text. Raises ValueError for what is none."""
    made = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    if as_text(made) != text:
        raise ValueError("not base64url")
    return made
