"""Existing and new content of any bytes: joined, extended, merged, never lost."""

from __future__ import annotations

from penstock.core.errors import PenstockError
from penstock.core.merge.strategies import Strategy, combine, line_count, select_hunks
from penstock.core.merge.three_way import rebase

# Random bytes are seldom Python: half of the inputs are read as numbers of these lines.
LINES = (
    b"import a, b as c",
    b"from a import (b,",
    b"c)",
    b"x = 1; y = '''",
    b"'''",
    b"class A: pass",
    b"class A(B):",
    b"    def f(self): ...",
    b"\tx: int = 1  # why",
    b"    @x.setter",
    b"    # comment",
    b"    class B:",
    b"        y = (1,",
    b"2)",
    b"@d",
    b"def f():",
    b"    pass",
    b"if TYPE_CHECKING:",
    b"try:",
    b"except E:",
    b'if __name__ == "__main__":',
    b"\\",
    b"",
    b"\x0c",
    b"# coding: latin-1",
    b"x = 1\r",
    b"del x",
    b"    return f'''{",
    b"}'''",
    b"async def g(a=x) -> y:",
)


def contents(data: bytes) -> list[bytes]:
    """Cut the input into an existing file, a new one and a third."""
    kind, body = data[0] % 2, data[1:]
    third = len(body) // 3
    parts = [body[:third], body[third : 2 * third], body[2 * third :]]
    if kind:
        return parts
    return [b"\n".join(LINES[byte % len(LINES)] for byte in part) for part in parts]


def one(data: bytes) -> None:
    """Join three contents in all ways."""
    if not data:
        return
    existing, new, other = contents(data)
    for strategy in Strategy:
        try:
            merged = combine(existing, new, strategy, at=min(1, line_count(existing)))
        except PenstockError as error:
            if error.code not in ("unsupported-encoding", "bad-insertion-point"):
                raise
            continue
        if merged.strategy is Strategy.APPEND:
            assert merged.content.startswith(existing)
        if merged.strategy is Strategy.EXTEND:
            left = iter(merged.content.split())
            assert all(any(word == found for found in left) for word in existing.split())
    rebased = rebase(existing, new, other)
    assert (rebased.content is None) == bool(rebased.conflicts)
    assert select_hunks(existing, new, ()) == existing
