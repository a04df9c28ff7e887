"""`${name%pattern}` and its like: a known value cut, replaced or put in other letters.

Always true: None means that the operator is not read here; a text is what bash would make.
"""

from __future__ import annotations

from penstock.core.shell.wildcards import matches

MOST_LENGTH = 1_024


def altered(text: str, op: str, argument: str) -> str | None:
    """Return what an operator makes of a value."""
    if len(text) > MOST_LENGTH:
        return None
    if op in ("%", "%%"):
        return _without_end(text, argument, longest=op == "%%")
    if op in ("#", "##"):
        return _without_start(text, argument, longest=op == "##")
    if op in ("^^", ",,") and not argument:
        return text.upper() if op == "^^" else text.lower()
    if op in ("/", "//"):
        old, _, new = argument.partition("/")
        plain = old and not set(old) & set("*?[#%\\&") and not set(new) & set("\\&")
        return text.replace(old, new, -1 if op == "//" else 1) if plain else None
    return None


def _without_end(text: str, pattern: str, *, longest: bool) -> str:
    cuts = range(len(text) + 1) if longest else range(len(text), -1, -1)
    return next((text[:at] for at in cuts if matches(pattern, text[at:])), text)


def _without_start(text: str, pattern: str, *, longest: bool) -> str:
    cuts = range(len(text), -1, -1) if longest else range(len(text) + 1)
    return next((text[at:] for at in cuts if matches(pattern, text[:at])), text)
