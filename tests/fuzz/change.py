"""Two contents of any bytes: measured, told apart line by line, shown as a diff."""

from __future__ import annotations

from penstock.core.diff.hunks import hunks, preview, unified
from penstock.core.diff.measure import lost, measure
from penstock.core.model import Change

# Random bytes are seldom lines that come again: half of the inputs are read as numbers of these.
LINES = (
    b"\n", b"}\n", b"    pass\n", b"    return None\n", b"a\n", b"b\n", b"c\n", b"a\r\n", b"\r",
    b"d", b"# ... existing code ...\n", b"\xef\xbb\xbf", b"\xff", b"\0", "\u2028".encode(),
)  # fmt: skip


def contents(data: bytes) -> tuple[bytes, bytes]:
    """Cut the input into a content before and one after."""
    body, half = data[1:], len(data) // 2
    if data[0] % 2:
        return body[:half], body[half:]
    # Mostly the same lines on both sides, as in a real change.
    before = [LINES[byte % len(LINES)] for byte in body]
    after = [LINES[(byte + (byte > 220)) % len(LINES)] for byte in body if byte < 245]
    return b"".join(before), b"".join(after)


def applied(before: bytes, after: bytes) -> bytes:
    """Put all hunks into the old content."""
    old, new = lines_of(before), lines_of(after)
    made, at = [], 0
    for hunk in hunks(before, after):
        made += old[at : hunk.before_start] + new[hunk.after_start : hunk.after_end]
        at = hunk.before_end
    return b"".join(made + old[at:])


def lines_of(content: bytes) -> list[bytes]:
    parts = content.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def check(before: bytes, after: bytes, found: Change) -> None:
    """Hold a measured change to what is always true."""
    assert found.same == (before == after)
    assert found.exact
    assert found.existing_lines - found.lines_deleted == found.new_lines - found.lines_added
    assert 0 <= found.lines_deleted <= found.existing_lines
    assert 0.0 <= found.change_ratio <= 1.0
    if before != after and not found.lines_deleted and not found.lines_added:
        assert found.notes


def one(data: bytes) -> None:
    """Measure a change both ways, and show it."""
    if not data:
        return
    before, after = contents(data)
    there, back = measure(before, after), measure(after, before)
    check(before, after, there)
    check(after, before, back)
    assert (there.lines_deleted, there.lines_added) == (back.lines_added, back.lines_deleted)
    assert applied(before, after) == after
    gone = lost(before, after, limit=5)
    assert len(gone.lines) <= 5
    diff = unified(before, after, path="a b\n\xe9", context=data[0] % 5)
    assert bool(diff) == (before != after)
    assert len(preview(diff, limit=50)) <= 50 + len(
        "... 9999 more lines and 9999 more hunks hidden\n"
    )
