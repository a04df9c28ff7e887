"""Any patterns and any path: the index answers as the matcher does, and quickly."""

from __future__ import annotations

from penstock.core.paths.glob_index import compile_globs
from penstock.core.paths.globs import lookup, matches, tidy


def one(data: bytes) -> None:
    """Read patterns and a path from lines; the last line is the path."""
    *patterns, path = data.decode("utf-8", "replace").split("\n")
    entries = [(pattern, at % 7) for at, pattern in enumerate(patterns[:200])]
    index = compile_globs(entries)
    for each in (path, *patterns[:2]):
        expected = sorted({at for pattern, at in entries if matches(pattern, each)})
        assert lookup(index, each) == expected
    for pattern in patterns[:20]:
        assert tidy(tidy(pattern)) == tidy(pattern)
