"""Which files git has: the names in its index, and those of them that some words mean.

Always true: an index of another form than is read here is not known.
"""

from __future__ import annotations

from collections.abc import Sequence

from penstock.core.shell.wildcards import is_wild, matches


def indexed(text: str | None) -> list[str] | None:
    """Return the names in an index of git's, versions 2 and 3; None for anything else."""
    data = (text or "").encode(errors="surrogateescape")
    version = int.from_bytes(data[4:8])
    if data[:4] != b"DIRC" or version not in (2, 3):
        return None
    names: list[str] = []
    at = 12
    for _ in range(int.from_bytes(data[8:12])):
        extended = version == 3 and len(data) > at + 60 and data[at + 60] & 0x40
        start = at + (64 if extended else 62)
        end = data.find(b"\0", start)
        if end < 0:
            return None
        names.append(data[start:end].decode(errors="surrogateescape"))
        at += (end - at) // 8 * 8 + 8  # an entry ends in one to eight zeros
    return names


def in_places(wanted: Sequence[str], name: str) -> bool:
    """Say whether git takes a file for one of those that some words name; no words mean all."""
    return not wanted or any(_in_pathspec(word, name) for word in wanted)


def _in_pathspec(wanted: str, name: str) -> bool:
    plain = wanted.removeprefix("./").rstrip("/")
    if plain in (".", "") or name == plain or name.startswith(f"{plain}/"):
        return True
    return is_wild(plain) and matches(plain, name)  # a star of git's goes through directories
