"""Say whether an edit would allow more than before; in doubt it would."""

from __future__ import annotations

from collections.abc import Mapping


def widens(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> tuple[str, ...]:
    """Return why more would be allowed with the texts after; empty when nothing would."""
    return ("in doubt",) if any(before.get(p) != d for p, d in after.items()) else ()
