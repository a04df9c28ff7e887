"""What an approver signs, the signature, and the arithmetic of one-time codes.

Whose key it is, how it is sealed and who may use it is `stores/approver/keys.py`; what an approval
leads to is the gate's.
Always true: a statement reads in one way only. Two approvals that differ in anything have
different bytes, and no other thing that is ever signed begins as they do.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import math
from collections.abc import Iterable, Sequence

from penstock.core.digest import PREFIX, digest
from penstock.core.errors import InputError

DOMAIN = b"penstock approval v1\n"
SUCCESSION = b"penstock approver key v1\n"
KEY_BYTES = 32
SIGNATURE_BYTES = 64
KEY_ID_DIGITS = 16

STEP = 30
DIGITS = 6


def statement(
    proposal_id: str,
    base: str | None,
    content: str | None,
    revision: str,
    at: float,
    *,
    path: str = "",
    modes: tuple[str | None, str | None] = (None, None),
) -> bytes:
    """Return the bytes that stand for "I approve exactly this".

    `base` and `content` are digests; None says that there is no file. Each part has its
    name and its length before it, so none can run over into the next. `modes` are those before
    and after; they stand there only where one is more than a file's.
    """
    parts: tuple[tuple[str, str | None], ...] = (
        ("proposal", proposal_id),
        ("base", base),
        ("content", content),
        ("revision", revision),
        ("path", path),
        ("time", microseconds(at)),
    )
    if any(modes):
        parts += (("base mode", modes[0]), ("mode", modes[1]))
    return said(DOMAIN, parts)


def succession(old: bytes, new: bytes) -> bytes:
    """Return the bytes that stand for "from now on this other key is mine"."""
    keys = (("old", old), ("new", new))
    return said(SUCCESSION, [(name, base64.b64encode(key).decode()) for name, key in keys])


def said(domain: bytes, parts: Iterable[tuple[str, str | None]]) -> bytes:
    """Return the bytes of a statement: what kind it is, then its parts, each with its length."""
    return domain + b"".join(_part(name, text) for name, text in parts)


def microseconds(at: float) -> str:
    """Return a time as statements have it: text that every language writes alike."""
    if not math.isfinite(at):
        raise InputError("bad-time", "an approval needs a valid time")
    return str(round(at * 1_000_000))


def _part(name: str, text: str | None) -> bytes:
    if text is None:
        return f"{name} -\n".encode()
    # A path may hold bytes that are no text; they are kept as the lone surrogates they are.
    data = text.encode("utf-8", "surrogatepass")
    return f"{name} {len(data)}:".encode() + data + b"\n"


def key_id(public: bytes) -> str:
    """Return the short name of a public key, for people and for the record."""
    return digest(public).removeprefix(PREFIX)[:KEY_ID_DIGITS]


def public_of(secret: bytes) -> bytes:
    """Return the public half of a secret key of 32 bytes."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def sign(secret: bytes, message: bytes) -> str:
    """Return the Ed25519 signature of a message, as base64 text."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    made = Ed25519PrivateKey.from_private_bytes(secret).sign(message)
    return base64.b64encode(made).decode()


def check(public: bytes, message: bytes, signature: str) -> bool:
    """Say whether a signature is this key's over this message; whatever is no signature is not."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    made = _signature_bytes(signature)
    if len(public) != KEY_BYTES or len(made) != SIGNATURE_BYTES:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(made, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _signature_bytes(text: str) -> bytes:
    """Return what base64 text holds. One signature has one text: others are none."""
    try:
        made = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
    return made if base64.b64encode(made).decode() == text else b""


# One-time codes, RFC 6238 over RFC 4226 with SHA-1: what every authenticator app does.


def code_at(secret: bytes, counter: int, *, digits: int = DIGITS) -> str:
    """Return the code of one step of time."""
    mac = hmac.digest(secret, counter.to_bytes(8, "big"), "sha1")
    start = mac[-1] & 0x0F
    number = int.from_bytes(mac[start : start + 4], "big") & 0x7FFFFFFF
    return str(number % 10**digits).zfill(digits)


def step_of(at: float) -> int:
    """Return which step of time a moment is in."""
    return int(at // STEP)


def matching_step(
    secret: bytes, code: str, at: float, *, after: int = -1, drift: int = 1
) -> int | None:
    """Return the step whose code this is, or None.

    The steps next to the present count too, for a clock that is a little off. Steps up to
    `after` were used before: a code that someone has read over a shoulder is worth nothing.
    """
    typed = code.replace(" ", "")
    now = step_of(at)
    return _first_match(secret, typed, range(max(0, now - drift, after + 1), now + drift + 1))


def _first_match(secret: bytes, typed: str, steps: Sequence[int]) -> int | None:
    if len(typed) != DIGITS or not (typed.isascii() and typed.isdecimal()):
        return None
    found = [step for step in steps if hmac.compare_digest(code_at(secret, step), typed)]
    return found[0] if found else None


def enrolment(secret: bytes, label: str) -> str:
    """Return the address that an authenticator app reads, mostly from a QR code."""
    from urllib.parse import quote

    text = base64.b32encode(secret).decode().rstrip("=")
    return (
        f"otpauth://totp/Penstock:{quote(label, safe='', errors='replace')}"
        f"?secret={text}&issuer=Penstock&algorithm=SHA1&digits={DIGITS}&period={STEP}"
    )
