r"""Show a change as hunks and as a unified diff that `git apply` and `patch` accept.

Lines end at `\n` and are compared byte for byte, so that what a diff says can be applied.
Counting without showing is `change`'s work.
Always true: hunks are those of a minimal diff unless the contents are so large and so different
that anchors had to be chosen first; then they are still right, only not the fewest.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from penstock.core import lcs
from penstock.core.model import Hunk

NO_END = b"\\ No newline at end of file\n"
NOWHERE = b"/dev/null"
WORK = 400_000_000  # about nanoseconds that one search for pairs may take
Pair = tuple[int, int]


def split_lines(content: bytes) -> list[bytes]:
    r"""Return the lines of a content with their ends; only `\n` ends a line."""
    lines = content.split(b"\n")
    last = lines.pop()
    whole = [line + b"\n" for line in lines]
    return [*whole, last] if last else whole


def hunks(before: bytes, after: bytes) -> tuple[Hunk, ...]:
    """Return the runs of lines that differ, in order."""
    old, new = split_lines(before), split_lines(after)
    return tuple(_hunks(_pairs(*_numbered(old, new)), len(old), len(new)))


def _numbered(old: list[bytes], new: list[bytes]) -> tuple[array[int], array[int]]:
    known: dict[bytes, int] = {}
    a = array("q", [known.setdefault(line, len(known)) for line in old])
    return a, array("q", [known.setdefault(line, len(known)) for line in new])


def _hunks(pairs: Iterator[Pair], rows: int, columns: int) -> Iterator[Hunk]:
    i = j = 0
    for x, y in (*pairs, (rows, columns)):
        if x > i or y > j:
            yield Hunk(before_start=i, before_end=x, after_start=j, after_end=y)
        i, j = x + 1, y + 1


def _pairs(a: array[int], b: array[int]) -> Iterator[Pair]:
    """Yield the places of lines that stay, in order."""
    head = 0
    least = min(len(a), len(b))
    while head < least and a[head] == b[head]:
        yield (head, head)
        head += 1
    tail = 0
    while tail < least - head and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    yield from _between(a, b, head, len(a) - tail, head, len(b) - tail)
    for at in range(tail, 0, -1):
        yield (len(a) - at, len(b) - at)


def _between(
    a: array[int], b: array[int], top: int, bottom: int, left: int, right: int
) -> Iterator[Pair]:
    """Yield the pairs of one piece; only lines that both sides have are worth a place."""
    in_b = set(b[left:right])
    rows = [at for at in range(top, bottom) if a[at] in in_b]
    in_a = {a[at] for at in rows}
    columns = [at for at in range(left, right) if b[at] in in_a]
    x, y = array("q", [a[at] for at in rows]), array("q", [b[at] for at in columns])
    if lcs.cost(x, y) <= WORK:
        for i, j in lcs.pairs(x, y):
            yield (rows[i], columns[j])
        return
    yield from _by_anchors(x, y, rows, columns)


def _by_anchors(
    x: array[int], y: array[int], rows: Sequence[int], columns: Sequence[int]
) -> Iterator[Pair]:
    """Fix lines that come once on each side, and search between them only."""
    i = j = 0
    for p, q in (*_anchors(x, y), (len(x), len(y))):
        part_x, part_y = x[i:p], y[j:q]
        if part_x and part_y and lcs.cost(part_x, part_y) <= WORK:
            for m, n in lcs.pairs(part_x, part_y):
                yield (rows[i + m], columns[j + n])
        if p < len(x):
            yield (rows[p], columns[q])
        i, j = p + 1, q + 1


def _anchors(x: array[int], y: array[int]) -> list[Pair]:
    """Return the longest rising run of lines that come exactly once on both sides."""
    once_y = {line: at for line, at in _once(y).items() if at >= 0}
    found = [(at, once_y[line]) for line, at in _once(x).items() if at >= 0 and line in once_y]
    ends: list[int] = []
    tops: list[int] = []
    back: list[int] = []
    for at, (_, j) in enumerate(found):
        place = bisect_left(ends, j)
        back.append(tops[place - 1] if place else -1)
        if place == len(ends):
            ends.append(j)
            tops.append(at)
        else:
            ends[place], tops[place] = j, at
    chain: list[Pair] = []
    at = tops[-1] if tops else -1
    while at >= 0:
        chain.append(found[at])
        at = back[at]
    return chain[::-1]


def _once(lines: array[int]) -> dict[int, int]:
    """Return each line's place, or -1 for one that comes again."""
    places: dict[int, int] = {}
    for at, line in enumerate(lines):
        places[line] = -1 if line in places else at
    return places


# --- unified output ------------------------------------------------------------------------


def unified(
    before: bytes | None,
    after: bytes | None,
    *,
    path: str,
    old_path: str | None = None,
    context: int = 3,
    git_header: bool = False,
) -> bytes:
    """Return the change as a unified diff; None stands for no file. Nothing changed: nothing."""
    if before == after:
        return b""
    old_name, new_name = _name("a", old_path or path), _name("b", path)
    start = _git_header(before, after, old_name, new_name) if git_header else b""
    if b"\0" in (before or b"")[:8192] or b"\0" in (after or b"")[:8192]:
        names = (NOWHERE if before is None else old_name, NOWHERE if after is None else new_name)
        return start + b"Binary files %b and %b differ\n" % names
    body = b"".join(_groups(before or b"", after or b"", context))
    if not body:  # an empty file that is created or removed has no lines to show
        return start
    old_line = NOWHERE if before is None else old_name + _tab(old_name)
    new_line = NOWHERE if after is None else new_name + _tab(new_name)
    return b"%b--- %b\n+++ %b\n%b" % (start, old_line, new_line, body)


def _tab(name: bytes) -> bytes:
    """A name with a space ends at a tab; without it, `patch` takes the rest for a date."""
    return b"\t" if b" " in name and not name.startswith(b'"') else b""


def _git_header(before: bytes | None, after: bytes | None, old: bytes, new: bytes) -> bytes:
    mode = b""
    if before is None:
        mode = b"new file mode 100644\n"
    elif after is None:
        mode = b"deleted file mode 100644\n"
    return b"diff --git %b %b\n%b" % (old, new, mode)


ESCAPES = {7: b"a", 8: b"b", 9: b"t", 10: b"n", 11: b"v", 12: b"f", 13: b"r", 34: b'"', 92: b"\\"}


def _name(side: str, path: str) -> bytes:
    """Return a file's name as git writes it: quoted when it holds what would mislead."""
    raw = f"{side}/{path}".encode("utf-8", "surrogateescape")
    if all(32 <= byte < 127 and byte not in (34, 92) for byte in raw):
        return raw
    return b'"%b"' % b"".join(_escaped(byte) for byte in raw)


def _escaped(byte: int) -> bytes:
    if byte in ESCAPES:
        return b"\\" + ESCAPES[byte]
    return bytes([byte]) if 32 <= byte < 127 else b"\\%03o" % byte


def _groups(before: bytes, after: bytes, context: int) -> Iterator[bytes]:
    old, new = split_lines(before), split_lines(after)
    group: list[Hunk] = []
    for hunk in hunks(before, after):
        if group and hunk.before_start - group[-1].before_end > 2 * context:
            yield from _group(group, old, new, context)
            group = []
        group.append(hunk)
    if group:
        yield from _group(group, old, new, context)


def _group(group: list[Hunk], old: list[bytes], new: list[bytes], context: int) -> Iterator[bytes]:
    lead = min(context, group[0].before_start)
    top, left = group[0].before_start - lead, group[0].after_start - lead
    bottom = min(len(old), group[-1].before_end + context)
    right = min(len(new), group[-1].after_end + context)
    yield b"@@ -%b +%b @@\n" % (_range(top, bottom), _range(left, right))
    at = top
    for hunk in group:
        yield from _marked(b" ", old[at : hunk.before_start])
        yield from _marked(b"-", old[hunk.before_start : hunk.before_end])
        yield from _marked(b"+", new[hunk.after_start : hunk.after_end])
        at = hunk.before_end
    yield from _marked(b" ", old[at:bottom])


def _range(start: int, end: int) -> bytes:
    count = end - start
    first = start + 1 if count else start
    return b"%d" % first if count == 1 else b"%d,%d" % (first, count)


def _marked(mark: bytes, lines: Sequence[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield mark + line if line.endswith(b"\n") else mark + line + b"\n" + NO_END


def preview(diff: bytes, *, limit: int = 8000) -> str:
    """Return a diff cut to some characters, whole lines only, and say how much is hidden."""
    text = diff.decode("utf-8", "backslashreplace")
    if len(text) <= limit:
        return text
    shown = text[: text.rfind("\n", 0, limit) + 1]
    hidden = text[len(shown) :]
    lines = hidden.count("\n") + (not hidden.endswith("\n"))
    groups = hidden.count("\n@@ ") + hidden.startswith("@@ ")
    return f"{shown}... {lines} more lines and {groups} more hunks are not shown\n"
