"""Say how many lines a file has, and how large a share of them a write could lose at most.

`measure` counts exactly; this is the bound for the hook that starts cold: it is found
without importing anything, and where it stays below a rule's threshold the rule cannot speak.
Always true: the bound is never below the share that `measure` gives. What is no text, or has
other line ends than before, has no bound here (None).
"""

LARGEST = 4 << 20  # more is measured by the engine, in pieces


def bound(before: bytes, after: bytes) -> "tuple[int, float] | None":
    """Return the lines there are and the largest share of them that can be lost."""
    if len(before) + len(after) > LARGEST or not (_is_text(before) and _is_text(after)):
        return None
    old, new = _lines(before), _lines(after)
    if not old:
        return 0, 0.0
    return len(old), _lost(old, new) / len(old)


def _is_text(data: bytes) -> bool:
    if b"\0" in data or b"\r" in data:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _lines(data: bytes) -> "list[bytes]":
    """Split at newlines; a last line without one is another line than the same with one."""
    lines = data.split(b"\n")
    if lines[-1]:
        lines[-1] += b"\0"
    else:
        lines.pop()
    return lines


def _lost(old: "list[bytes]", new: "list[bytes]") -> int:
    """Count the lines that some way of keeping the others loses."""
    start = _common(old, new)
    old, new = old[start:], new[start:]
    end = _common(old[::-1], new[::-1])
    if end:
        old, new = old[:-end], new[:-end]
    return len(old) - _in_order(old, new)


def _common(old: "list[bytes]", new: "list[bytes]") -> int:
    """Return how many lines both begin with, compared in halves as long as they differ."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _in_order(old: "list[bytes]", new: "list[bytes]") -> int:
    """Return the length of one common sequence: of the lines that stand once in the new text.

    Each place is used once, since the ends rise strictly. Lines that stand more often could
    make it longer; a bound does not need them.
    """
    where: dict[bytes, int] = {}
    for at, line in enumerate(new):
        where[line] = -1 if line in where else at
    longest: list[int] = []  # longest[n]: the earliest end of a sequence of n + 1 lines
    for line in old:
        at = where.get(line, -1)
        if at >= 0:
            place = _place(longest, at)
            longest[place : place + 1] = [at]
    return len(longest)


def _place(ends: "list[int]", at: int) -> int:
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high) // 2
        if ends[middle] < at:
            low = middle + 1
        else:
            high = middle
    return low
