"""A public key as people copy it: `ed25519:` and base64, in bundles and in the user's own rules.

Always true: one key has one text.
"""

from __future__ import annotations

import base64
import binascii

from penstock.core.proposals.signature import KEY_BYTES

ED25519 = "ed25519:"


class KeyTextError(ValueError):
    """A text that is no public key; it says why."""


def key_text(public: bytes) -> str:
    """Return the text of a public key."""
    return ED25519 + base64.b64encode(public).decode()


def public_key(text: str) -> bytes:
    """Return the key that a text is. Raises KeyTextError."""
    try:
        made = base64.b64decode(text.removeprefix(ED25519), validate=True)
    except (binascii.Error, ValueError):
        made = b""
    if len(made) != KEY_BYTES or key_text(made) != text:
        raise KeyTextError(f"a key is written as `{ED25519}` and 44 characters of base64")
    return made


def key_fault(text: str) -> str:
    """Return what is wrong with the text of a key; nothing where it is one."""
    try:
        public_key(text)
    except KeyTextError as fault:
        return str(fault)
    return ""
