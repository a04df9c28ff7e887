r"""The lines of a change: hunks, and a unified diff that `git apply` and `patch` accept.

Lines are compared byte for byte, so that a diff, once applied, gives exactly the new content.
For people to read, `line_ends=False` leaves out lines that differ only in `\r\n` or `\n`, and
`white_space=False` those that differ only in white space or line ends (`white_space`).
Choosing among hunks is left to `merge.strategies`, reading patches to `patch.apply`, unseen
characters to `text.display`.
Always true: hunks are in order and never touch, and applying all of them gives the new content.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BytesIO
from itertools import accumulate, chain

from penstock.core.diff.lcs import Lines
from penstock.core.diff.pairs import pairs
from penstock.core.diff.walk import walked
from penstock.core.model import Bytes, Hunk
from penstock.core.text.lines import ChangeSpan, differing, line_list, numbers
from penstock.core.text.white_space import folded

# What stands behind the heading of some hunks: for the first, and the line where it is shown from.
Heads = Callable[[Hunk, int], bytes]
PREVIEW = 8000
# What is at most so many bytes, both sides together, may be held as lines.
FEW_BYTES = 1 << 21
NOWHERE = b"/dev/null"
NO_NEWLINE = b"\n\\ No newline at end of file\n"
# What git writes with a backslash and a letter in names; other odd bytes become octal.
ESCAPES = {
    7: b"\\a", 8: b"\\b", 9: b"\\t", 10: b"\\n", 11: b"\\v", 12: b"\\f", 13: b"\\r",
    34: b'\\"', 92: b"\\\\",
}  # fmt: skip


def hunks(
    before: bytes, after: bytes, *, line_ends: bool = True, white_space: bool = True
) -> tuple[Hunk, ...]:
    """Return the runs of changed lines, as few lines as can be for all but huge contents."""
    if not white_space:
        before, after = folded(before), folded(after)
    elif not line_ends:
        before, after = before.replace(b"\r\n", b"\n"), after.replace(b"\r\n", b"\n")
    old, new = Bytes(before), Bytes(after)
    span = differing(old, new)
    found = walked(old, new, span)
    if found is None:
        found = _paired(old, new, span)
    top = before.count(b"\n", 0, span.start)
    return tuple(moved(hunk, top, top) for hunk in found) if top else found


def _paired(before: Bytes, after: Bytes, span: ChangeSpan) -> tuple[Hunk, ...]:
    """Return the hunks of a span by looking at all of its lines, counted from its start."""
    few = span.before_end + span.after_end - 2 * span.start <= FEW_BYTES
    lines: Callable[..., Lines] = line_list if few else numbers
    a = lines(before, span.start, span.before_end, pairs=False)
    b = lines(after, span.start, span.after_end, pairs=False)
    rows, columns = len(a), len(b)
    found = pairs(a, b)
    ends = zip(chain(found.a, (rows,)), chain(found.b, (columns,)), strict=True)
    return tuple(between(ends))


def moved(hunk: Hunk, rows: int, columns: int) -> Hunk:
    """Return a hunk so many lines further down on each side."""
    return Hunk(
        before_start=rows + hunk.before_start,
        before_end=rows + hunk.before_end,
        after_start=columns + hunk.after_start,
        after_end=columns + hunk.after_end,
    )


def between(pairs_then_end: Iterable[tuple[int, int]]) -> Iterator[Hunk]:
    """Yield what lies between pairs of equal lines."""
    top = left = 0
    for bottom, right in pairs_then_end:
        if bottom > top or right > left:
            yield Hunk(before_start=top, before_end=bottom, after_start=left, after_end=right)
        top, left = bottom + 1, right + 1


def unified(
    before: bytes | None,
    after: bytes | None,
    *,
    path: str,
    old_path: str | None = None,
    context: int = 3,
    git_header: bool = False,
    line_ends: bool = True,
    white_space: bool = True,
    modes: tuple[str | None, str | None] = (None, None),
    heads: Heads | None = None,
) -> bytes:
    """Return a unified diff; nothing when nothing changes. None stands for no file.

    `modes` are those before and after, of a change that is more than the bytes of a file.
    `heads` says what stands behind the `@@` of a heading: which function it is about.

    The lines that only git knows are left out unless asked for, or unless there is no other
    way to say it: an empty file that comes or goes, a file that moves.
    """
    old_path = path if old_path is None else old_path
    moved = old_path != path and before is not None and after is not None
    if before == after and not moved and not any(modes):
        return b""
    old = NOWHERE if before is None else _name("a/", old_path)
    new = NOWHERE if after is None else _name("b/", path)
    empty = not before and not after
    asked = git_header or empty or moved or any(modes)
    head = _git_lines(before, after, old_path, path, modes) if asked else b""
    if before == after:
        return head
    if b"\0" in (before or b"") or b"\0" in (after or b""):
        return head + b"Binary files %b and %b differ\n" % (old, new)
    found = hunks(before or b"", after or b"", line_ends=line_ends, white_space=white_space)
    body = b"".join(_body(before or b"", after or b"", found, max(context, 0), heads, white_space))
    if not body and not empty:
        return head
    return b"%b--- %b\n+++ %b\n%b" % (head, _closed(old), _closed(new), body)


def _body(
    before: bytes,
    after: bytes,
    found: Sequence[Hunk],
    context: int,
    heads: Heads | None,
    white_space: bool,
) -> Iterator[bytes]:
    """Yield the hunks with their context, each group under one heading."""
    old, new = _Text(before), _Text(after)

    def same(top: int, bottom: int, left: int, right: int) -> bytes:
        # Where white space is left out the sides differ: what is shown is what will be written.
        return old.signed(b" ", top, bottom) if white_space else new.signed(b" ", left, right)

    for group in groups(found, context):
        first, last = group[0], group[-1]
        top, bottom = (
            max(first.before_start - context, 0),
            min(last.before_end + context, old.lines),
        )
        # Context is equal on both sides, so the new side begins and ends as many lines away.
        left = first.after_start - (first.before_start - top)
        right = last.after_end + (bottom - last.before_end)
        head = heads(first, top) if heads else b""
        yield b"@@ -%b +%b @@%b%b\n" % (
            _range(top, bottom), _range(left, right), b" " if head else b"", head
        )  # fmt: skip
        for hunk in group:
            yield same(top, hunk.before_start, left, hunk.after_start)
            yield old.signed(b"-", hunk.before_start, hunk.before_end)
            yield new.signed(b"+", hunk.after_start, hunk.after_end)
            top, left = hunk.before_end, hunk.after_end
        yield same(top, bottom, left, right)


def groups(found: Sequence[Hunk], context: int) -> Iterator[list[Hunk]]:
    """Yield hunks together whose context would touch."""
    group: list[Hunk] = []
    for hunk in found:
        if group and hunk.before_start - group[-1].before_end > 2 * context:
            yield group
            group = []
        group.append(hunk)
    if group:
        yield group


def _range(start: int, end: int) -> bytes:
    """Return a range as a heading has it: an empty one is named by the line before it."""
    if end - start == 1:
        return b"%d" % end
    return b"%d,%d" % (start + (end > start), end - start)


class _Text:
    """Content whose lines can be taken out by number."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.starts = array("q", chain((0,), accumulate(map(len, BytesIO(content)))))
        self.lines = len(self.starts) - 1

    def signed(self, sign: bytes, start: int, end: int) -> bytes:
        """Return some lines, each with a sign before it."""
        lines = self.content[self.starts[start] : self.starts[end]]
        if not lines:
            return b""
        if not lines.endswith(b"\n"):
            return sign + lines.replace(b"\n", b"\n" + sign) + NO_NEWLINE
        return sign + lines[:-1].replace(b"\n", b"\n" + sign) + b"\n"


def _name(prefix: str, path: str) -> bytes:
    """Return a name as git writes it: quoted when a byte in it could be misread."""
    try:
        name = (prefix + path).encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        name = (prefix + path).encode("utf-8", "surrogatepass")
    if not any(byte < 32 or byte > 126 or byte in ESCAPES for byte in name):
        return name
    odd = (ESCAPES.get(byte) or (b"%c" if 32 <= byte < 127 else b"\\%03o") % byte for byte in name)
    return b'"' + b"".join(odd) + b'"'


def _closed(name: bytes) -> bytes:
    """Return a name for a line of its own; after one with spaces, a tab says where it ends."""
    return name + b"\t" if b" " in name and not name.startswith(b'"') else name


def _git_lines(
    before: bytes | None,
    after: bytes | None,
    old_path: str,
    path: str,
    modes: tuple[str | None, str | None],
) -> bytes:
    """Return the lines that tell git what no line of content can tell."""
    lines = [b"diff --git %b %b" % (_name("a/", old_path), _name("b/", path))]
    # The ids of nothing and of an empty file: without them, patch will not touch an empty file.
    if before is None:
        mode = _mode(modes[1])
        lines += [b"new file mode " + mode, b"index 0000000..e69de29"][: 1 + (after == b"")]
    elif after is None:
        mode = _mode(modes[0])
        lines += [b"deleted file mode " + mode, b"index e69de29..0000000"][: 1 + (before == b"")]
    elif old_path != path:
        lines += [b"rename from " + _name("", old_path), b"rename to " + _name("", path)]
    if before is not None and after is not None and any(modes):
        lines += [b"old mode " + _mode(modes[0]), b"new mode " + _mode(modes[1])]
    return b"\n".join(lines) + b"\n"


def _mode(mode: str | None) -> bytes:
    return (mode or "100644").encode()


def preview(diff: bytes, *, limit: int = PREVIEW) -> str:
    r"""Return the first lines of a diff, at most `limit` characters, and what was left out.

    A line is shown whole or not at all. Bytes that are not text are shown as `\xff`.
    """
    shown: list[str] = []
    room, taken = limit, 0
    for line in BytesIO(diff):
        # No character takes more than four bytes: what is longer need not be decoded.
        text = line.decode("utf-8", "backslashreplace") if len(line) <= 4 * room else None
        if text is None or len(text) > room:
            break
        shown.append(text)
        room -= len(text)
        taken += len(line)
    if taken < len(diff):
        shown.append(_hidden(diff, taken))
    return "".join(shown)


def _hidden(diff: bytes, start: int) -> str:
    """Return the line that says how much of a diff is not shown."""
    lines = diff.count(b"\n", start) + (not diff.endswith(b"\n"))
    headed = diff.count(b"\n@@ ", max(start - 1, 0)) + (start == 0 and diff.startswith(b"@@ "))
    return f"... {_many(lines, 'line')} and {_many(headed, 'hunk')} hidden\n"


def _many(count: int, noun: str) -> str:
    return f"{count} more {noun}" if count == 1 else f"{count} more {noun}s"
