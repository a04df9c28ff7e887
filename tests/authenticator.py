"""An authenticator in software: makes passkeys, and touches that are right or wrong in one thing.

It knows nothing of Penstock's own code but the bytes that WebAuthn defines, so that what it makes
can be held against both `core.proposals.passkey` and the library `webauthn`.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40
ORIGIN = "http://localhost:7717"


def text(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


@dataclass(kw_only=True)
class Authenticator:
    """One passkey in software. `kind` is `es256`, `eddsa` or `rs256`."""

    kind: str = "es256"
    credential: bytes = b"credential-1"
    count: int = 0
    secret: Any = field(init=False)

    def __post_init__(self) -> None:
        if self.kind == "es256":
            self.secret = ec.generate_private_key(ec.SECP256R1())
        elif self.kind == "eddsa":
            self.secret = ed25519.Ed25519PrivateKey.generate()
        else:
            self.secret = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    @property
    def public(self) -> bytes:
        """The public key as DER."""
        found: bytes = self.secret.public_key().public_bytes(
            Encoding.DER, PublicFormat.SubjectPublicKeyInfo
        )
        return found

    @property
    def cose(self) -> bytes:
        """The public key as authenticators tell it."""
        key = self.secret.public_key()
        if self.kind == "es256":
            point = key.public_numbers()
            x, y = point.x.to_bytes(32, "big"), point.y.to_bytes(32, "big")
            return cbor2.dumps({1: 2, 3: -7, -1: 1, -2: x, -3: y})
        if self.kind == "eddsa":
            return cbor2.dumps({1: 1, 3: -8, -1: 6, -2: key.public_bytes_raw()})
        numbers = key.public_numbers()
        modulus = numbers.n.to_bytes(256, "big")
        return cbor2.dumps({1: 3, 3: -257, -1: modulus, -2: numbers.e.to_bytes(3, "big")})

    def sign(self, data: bytes) -> bytes:
        if self.kind == "es256":
            made: bytes = self.secret.sign(data, ec.ECDSA(SHA256()))
        elif self.kind == "eddsa":
            made = self.secret.sign(data)
        else:
            made = self.secret.sign(data, padding.PKCS1v15(), SHA256())
        return made

    def client(self, kind: str, challenge: bytes, origin: str, more: dict[str, Any]) -> bytes:
        said = {"type": kind, "challenge": text(challenge), "origin": origin, "crossOrigin": False}
        return json.dumps({**said, **more}, separators=(",", ":")).encode()

    def head(self, rp: str, flags: int) -> bytes:
        return sha256(rp.encode()).digest() + bytes([flags]) + self.count.to_bytes(4, "big")

    def touch(
        self,
        challenge: bytes,
        *,
        origin: str = ORIGIN,
        rp: str = "localhost",
        flags: int = PRESENT | VERIFIED,
        kind: str = "webauthn.get",
        extra: bytes = b"",
        steps: int = 1,
        more: Mapping[str, object] | None = None,
        **said: Any,
    ) -> dict[str, bytes]:
        """Return what `navigator.credentials.get` would: the three parts of an assertion."""
        self.count += steps
        client = self.client(kind, challenge, origin, {**(more or {}), **said})
        data = self.head(rp, flags) + extra
        signature = self.sign(data + sha256(client).digest())
        return {"client_data": client, "authenticator_data": data, "signature": signature}

    def answer(self, challenge: bytes, **how: Any) -> dict[str, str]:
        """Return a touch as the page posts it."""
        made = self.touch(challenge, **how)
        names = {"client_data": "client", "authenticator_data": "authenticator"}
        parts = {names.get(name, name): text(value) for name, value in made.items()}
        return {"id": text(self.credential), **parts}

    def create(
        self,
        challenge: bytes,
        *,
        origin: str = ORIGIN,
        rp: str = "localhost",
        flags: int = PRESENT | VERIFIED | ATTESTED,
        kind: str = "webauthn.create",
        **more: Any,
    ) -> dict[str, Any]:
        """Return what `navigator.credentials.create` would, as JSON has it."""
        client = self.client(kind, challenge, origin, more)
        data = self.head(rp, flags) + bytes(16)
        data += len(self.credential).to_bytes(2, "big") + self.credential + self.cose
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        return {
            "id": text(self.credential),
            "rawId": text(self.credential),
            "type": "public-key",
            "response": {
                "clientDataJSON": text(client),
                "attestationObject": text(attestation),
            },
        }
