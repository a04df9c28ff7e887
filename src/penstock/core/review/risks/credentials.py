"""Secrets in new lines: tokens of known forms, private keys, passwords in addresses and fields.

The forms are those that the audit log hides (`core.text.secret_forms`). In a file, a field with a
telling name counts only where its value is a text in quotes, or in a file of settings, and looks
random: `token = token` is code.
Always true: a flag says which form, never the secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from penstock.core.proposals.flag import RiskFlag, RiskLevel
from penstock.core.review.content_kind import ContentKind
from penstock.core.review.languages import Language
from penstock.core.review.risks.changed_text import ChangedText
from penstock.core.review.risks.sign import flagged, search
from penstock.core.text.redact import secrets_in
from penstock.core.text.secret_forms import looks_random
from penstock.core.text.token_formats import formats

MOST_LINES = 400  # lines with a sign of a secret that are looked at
LONGEST = 4096  # bytes of a line
SETTINGS = frozenset({Language.INI, Language.YAML, Language.TOML, Language.SHELL, Language.DOCKER})
# Forms that commands have and code has for other reasons.
IN_COMMANDS = frozenset({"field with a telling name", "authorization header", "cookie",
                         "password of a program", "password in XML"})  # fmt: skip
# How a key begins in a file, or in a text of several lines; code that looks for one goes on.
KEY_BEGINS = re.compile(rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----\s{0,9}(?:\\n|$)")
FIELD = re.compile(
    rb"(?i)[\w.-]*(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|"
    rb"private[_-]?key|credentials?)[\w.-]*[\"']?\s{0,3}(?:[:=]|:=|=>)\s{0,3}"
    rb"(?:[\"']([^\"'\n]{8,200})[\"']|([^\s\"'#,;()\[\]{}<>]{8,200})\s*$)"
)
_FIELD_SIGN = (
    r"(?i)(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|"
    r"credentials?)[\w.-]*[\"']?[ \t]{0,3}(?:[:=]|:=|=>)"
)
_OTHER_SIGNS = (
    r"BEGIN[ A-Z0-9]{0,40}PRIVATE KEY",
    r"PuTTY-User-Key-File",
    r"://[^\s/@:]*:[^\s/@]+@",
)


def credentials(changed: ChangedText) -> Iterator[RiskFlag]:
    """Yield one flag for each form of secret that new lines hold."""
    if changed.kind is ContentKind.LOCK:
        return
    found: dict[str, list[int]] = {}
    looked = 0
    for number, line in islice(search(_signs(), changed.added), MOST_LINES):
        looked += 1
        for name in dict.fromkeys(_names(line[:LONGEST], changed.language)):
            found.setdefault(name, []).append(number)
    for name, lines in found.items():
        text = f"looks like a secret ({name})"
        yield flagged(RiskLevel.DANGER, "secret", text, lines)
    if looked == MOST_LINES:
        text = f"more than {MOST_LINES} lines may hold a secret; the others were not checked"
        yield RiskFlag(level=RiskLevel.NOTICE, code="not-checked", text=text)


def _names(line: bytes, language: Language | None) -> Iterator[str]:
    if KEY_BEGINS.search(line):
        yield "private key"
    said = secrets_in(line.decode("utf-8", "replace"))
    yield from (name for name in said if name not in IN_COMMANDS)
    field = FIELD.search(line)
    if field is None:
        return
    quoted, bare = field[1], field[2]
    value = quoted if quoted is not None else bare if language in SETTINGS else None
    if value and looks_random(value) and not _is_reference(value):
        yield "a field with a telling name"


def _is_reference(value: bytes) -> bool:
    """Say whether a value only says where a secret is: a variable, a template, a path, a name."""
    return value.startswith((b"$", b"{", b"%", b"<", b"/", b"./", b"http", b"env:", b"vault:")) or (
        b"${" in value or b"{{" in value or b"(" in value or b" " in value
    )


@cache
def _signs() -> tuple[str, ...]:
    """Return what a line shows that may hold a secret: how tokens begin, and names of fields."""
    starts = {token.prefix if token.is_telling else token.literal for token in formats()}
    words = "|".join(re.escape(start) for start in sorted(starts) if len(start) > 2)
    return (words, _FIELD_SIGN, *_OTHER_SIGNS)
