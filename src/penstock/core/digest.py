"""Name some bytes by their digest: `sha256:` and 64 hex digits.

The one place where a digest is made, so that a base, a proposal, an image and a line of the
record can be compared as text. Reading files in pieces is left to whoever holds them.
Always true: the digest is over exact bytes; nothing is decoded and no line end is touched.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

PREFIX = "sha256:"


def digest(data: bytes | memoryview) -> str:
    """Return the digest of some bytes."""
    return PREFIX + hashlib.sha256(data).hexdigest()


def digest_of_pieces(pieces: Iterable[bytes | memoryview]) -> str:
    """Return the digest of the pieces joined, without joining them."""
    state = hashlib.sha256()
    for piece in pieces:
        state.update(piece)
    return PREFIX + state.hexdigest()


EMPTY = digest(b"")
