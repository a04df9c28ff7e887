"""Tokens that nobody issued, made from the facts of the table; the same ones each time.

They are made when a test runs, so that no file of this repository holds one.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from penstock.core.text.token_formats import TokenFormat, formats


def example(token: TokenFormat) -> str:
    """Return a token of a format, as long as the provider makes them."""
    dice = random.Random(token.name)
    made = "".join(
        piece.literal or "".join(dice.choices(_members(piece.chars), k=piece.count))
        for piece in token.pieces
    )
    # Base 64 ends in its filling, it does not begin or go on with it.
    return made.replace("=", "A").replace("%", "b")


def _members(chars: str) -> list[str]:
    """Return the characters of a class."""
    found: list[str] = []
    rest = list(chars)
    while rest:
        first = rest.pop(0)
        if len(rest) > 1 and rest[0] == "-":
            found += map(chr, range(ord(first), ord(rest[1]) + 1))
            del rest[:2]
        else:
            found.append(first)
    return found


def examples() -> Iterator[tuple[str, str]]:
    """Yield the name of each format and a token of it."""
    for token in formats():
        yield token.name, example(token)
