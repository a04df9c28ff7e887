"""Take secrets out of text that goes on the record: tokens, passwords, keys.

The record holds commands and paths, and people type secrets into both. What looks like one is
replaced by a mark; the rest of the text stays, because it is evidence. Which forms secrets have
is `token_formats`' and `secret_forms`' business.
Always true: text without a sign of a secret is returned as it is, at the price of one look, and
the forms are not imported for it.
"""

from penstock.core.text.secret_signs import may_hold_secret

MARK = "[redacted]"
MOST = 4096  # text beyond this is never shown, so it is never looked at either


def redact(text: str) -> str:
    """Return a text with what looks like a secret replaced by a mark."""
    text = text[:MOST]
    if not may_hold_secret(text):
        return text
    from penstock.core.text.secret_forms import hide

    return hide(text)[0]


def secrets_in(text: str) -> "tuple[str, ...]":
    """Return the names of the forms of secrets that can be read in a text."""
    if not may_hold_secret(text):
        return ()
    from penstock.core.text.secret_forms import hide

    return hide(text)[1]


def is_secret_name(name: str) -> bool:
    """Say whether a field of this name holds a secret, whatever its value looks like."""
    parts = _parts(name)
    return any(part in _SECRET_NAMES for part in (*parts, "".join(parts), "".join(parts[-2:])))


def _parts(name: str) -> "list[str]":
    """Return the words of a name: `apiKey`, `api-key` and `API_KEY` have the same two."""
    cut, before = "", ""
    for sign in name:
        starts = sign.isupper() and before.islower()
        cut += f" {sign}" if starts else sign if sign.isalnum() else " "
        before = sign
    return cut.lower().split()


_SECRET_NAMES = frozenset(
    {"password", "passwd", "passphrase", "pwd", "token", "secret", "credential", "credentials"}
    | {"authorization", "apikey", "accesskey", "privatekey", "secretkey", "cookie"}
)
