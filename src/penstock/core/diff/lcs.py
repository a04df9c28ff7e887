"""How many lines two runs of lines have in common, in order, and which: exact, without hurry.

One row of the classic table is one whole number: bit `j` is 0 where column `j` adds one to
the length (Hyyro's bit-parallel form), so a row costs a few operations on a long integer.
Wide tables are cut into strips of columns that hand a carry from strip to strip, which bounds
the memory and lets a row skip the strips where its line does not occur. What is worth asking
here, and in which pieces, is settled in `align`.
Always true: `length` is the truth when `reach` is, and neither it nor `along` is ever more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

# Bits of a digit of a long integer, and columns of one strip.
DIGIT = 30
STRIP = DIGIT * 1024
# What a row costs in a strip, beside a nanosecond or so for each digit.
VISIT = 500
# Bytes of masks kept for the lines that come often in one strip; others are built as they come.
MASKS = 8 << 20
# A table whose rows are kept, so that one can walk back through it, has at most so many bits.
KEPT_BITS = 1 << 26
# Overflow gathers above the last column, a bit a row; it is cut off once in so many rows.
CLEAN_EVERY = 512
CHUNK = 4096
# Up to so many columns, masks for all lines are small and quickest made bit by bit.
FEW = 1024

Lines = Sequence[Hashable]
Pair = tuple[int, int]


def cost(a: Lines, b: Lines, *, reach: int | None = None) -> int:
    """Return what `length` costs, in units of about a nanosecond."""
    width = STRIP if reach is None else _width(reach)
    # Within reach, about five columns of eight turn out to be worth a look.
    looked = len(b) if reach is None else min(len(b), reach + width) * 5 // 8
    # Many different lines make for narrow strips, and for masks that no cache can hold.
    crowded = len(b) > width and _repeated(b[:width]) > _room(width)
    visits = (looked // width + 1) * (5 if crowded else 1)
    return len(a) * (looked * 4 // (3 * DIGIT) + visits * VISIT)


def _width(reach: int) -> int:
    """Return how wide strips may be: the less far one looks, the narrower."""
    return min(STRIP, max(reach, STRIP // 16))


def length(a: Lines, b: Lines, *, reach: int | None = None) -> int:
    """Return how many lines `a` and `b` have in common, in order.

    `reach` is known to be enough: there is an answer that deletes and adds no more lines than
    that, together. It bounds what has to be looked at.
    """
    reach = len(a) + len(b) if reach is None else reach
    if len(b) > STRIP:
        return _within(a, b, reach)
    if 2 * reach < len(b):
        return near(a, b, reach=reach)
    return len(b) - _narrow_row(a, b, (1 << len(b)) - 1).bit_count()


def near(a: Lines, b: Lines, *, reach: int) -> int:
    """Return how many lines are in common on ways that delete and add at most `reach` lines.

    The rows are done in blocks, each over the columns that such ways can get to. A column
    that is left behind keeps what it has counted, one that comes in has not counted yet.
    """
    surplus = len(b) - len(a)
    deleted, added = (reach - surplus) // 2, (reach + surplus) // 2
    size = max(reach, FEW)
    known = first = last = row = 0
    for top in range(0, len(a), size):
        start, end = max(0, top - deleted), min(len(b), top + size + added)
        left, fresh = start - first, end - last
        known += left - (row & ((1 << left) - 1)).bit_count()
        row = row >> left | ((1 << fresh) - 1) << (last - start)
        first, last = start, end
        row = _narrow_row(a[top : top + size], b[start:end], row)
    return known + last - first - row.bit_count()


def _mask(spots: list[int], width: int) -> int:
    """Return the number that has a bit for each spot."""
    if len(spots) < 8:
        mask = 0
        for j in spots:
            mask |= 1 << j
        return mask
    bits = bytearray((width >> 3) + 1)
    for j in spots:
        bits[j >> 3] |= 1 << (j & 7)
    return int.from_bytes(bits, "little")


def _room(width: int) -> int:
    """Return for how many lines of a strip masks are kept."""
    return MASKS // (width // 8 + 64)


def _masks(b: Lines) -> tuple[dict[Hashable, int], dict[Hashable, list[int]]]:
    """Return masks for the lines that come often, and the spots of all others.

    A mask is as wide as the strip. Keeping one for each of many rare lines would take more
    memory than the file, and more time to fetch than to make anew.
    """
    if len(b) <= FEW:
        return _few_masks(b), {}
    spots: dict[Hashable, list[int]] = {}
    for j, line in enumerate(b):
        if line in spots:
            spots[line].append(j)
        else:
            spots[line] = [j]
    often = [line for line, at in spots.items() if len(at) > 1]
    often.sort(key=lambda line: -len(spots[line]))
    masks = {line: _mask(spots.pop(line), len(b)) for line in often[: _room(len(b))]}
    return masks, spots


def _few_masks(b: Lines) -> dict[Hashable, int]:
    masks: dict[Hashable, int] = {}
    bit = 1
    for line in b:
        masks[line] = masks.get(line, 0) | bit
        bit <<= 1
    return masks


def _rows(a: Lines, b: Lines) -> Iterator[int]:
    """Yield the rows of the table of `a` over `b`, each after one more line of `a`."""
    masks, rare = _masks(b)
    full = row = (1 << len(b)) - 1
    for start in range(0, len(a), CLEAN_EVERY):
        for line in a[start : start + CLEAN_EVERY]:
            mask = masks.get(line)
            if mask is None and (at := rare.get(line)):
                mask = 1 << at[0] if len(at) == 1 else _mask(at, len(b))
            if mask:
                hit = row & mask
                row = (row + hit) | (row ^ hit)
            yield row
        row &= full


def _last_row(a: Lines, b: Lines) -> int:
    """Return the last row of the table: a 0 bit where the length grows."""
    if len(b) <= STRIP:
        return _narrow_row(a, b, (1 << len(b)) - 1)
    row, grows = 0, bytearray(len(a))
    for start, strip in _strips(b, STRIP):
        row |= _strip(a, strip, 0, len(a), grows) << start
    return row


def _narrow_row(a: Lines, b: Lines, row: int) -> int:
    """Return the last row of a table that is one strip and starts with some row.

    The same loop as `_rows` without its yield, which would cost a third of the time.
    """
    masks, rare = _masks(b)
    full = (1 << len(b)) - 1
    for start in range(0, len(a), CLEAN_EVERY):
        for line in a[start : start + CLEAN_EVERY]:
            mask = masks.get(line)
            if mask is None:
                at = rare.get(line)
                if at is None:
                    continue
                mask = 1 << at[0] if len(at) == 1 else _mask(at, len(b))
            hit = row & mask
            row = (row + hit) | (row ^ hit)
        row &= full
    return row


def _strips(b: Lines, width: int) -> Iterator[tuple[int, Lines]]:
    """Yield strips of columns, narrow enough for the masks of the lines that come again."""
    start = 0
    while start < len(b):
        strip = b[start : start + width]
        while width > STRIP // 16 and _repeated(strip) > _room(len(strip)):
            width //= 2
            strip = b[start : start + width]
        yield start, strip
        start += len(strip)


def _repeated(strip: Lines) -> int:
    """Return how many different lines come more than once."""
    return sum(times > 1 for times in Counter(strip).values())


def _within(a: Lines, b: Lines, reach: int) -> int:
    """Return the length, strip by strip, as far as `reach` allows.

    An answer within reach adds and deletes so many lines and no more, which bounds the rows
    worth a look in each strip: before `first`, too many columns would have been added, after
    `last`, too many rows deleted. `grows[i]` tells whether row `i` adds one to the length at
    the right edge of the strips done so far; `known` is the length there before `first`.
    """
    surplus = len(b) - len(a)
    added, deleted = (reach + surplus) // 2, (reach - surplus) // 2
    grows = bytearray(len(a))
    known = first = last = 0
    lowest = deleted
    for start, strip in _strips(b, _width(reach)):
        # Never back up: flags of rows left out would be those of an earlier edge.
        last = min(len(a), max(last, lowest + len(strip)))
        _strip(a, strip, first, last, grows)
        lowest = _nth(grows, 0, first, last, deleted - first + known + 1)
        missing = start + len(strip) - added - known
        if missing > 0:
            place = min(_nth(grows, 1, first, last, missing) + 1, last)
            known += grows.count(1, first, place)
            first = place
    return known + grows.count(1, first)


def along(a: Lines, b: Lines, *, width: int) -> int:
    """Return how many lines are in common on ways that stay near the diagonal: a lower bound."""
    grows = bytearray(len(a))
    known = first = 0
    for start, strip in _strips(b, _width(width)):
        place = max(first, start * len(a) // len(b) - width // 2)
        known += grows.count(1, first, place)
        first = place
        last = (start + len(strip)) * len(a) // len(b) + width // 2
        _strip(a, strip, first, min(len(a), last), grows)
    return known + grows.count(1, first)


def _nth(flags: bytearray, value: int, start: int, end: int, n: int) -> int:
    """Return the place of the n-th flag of some value from `start` on, or `end`."""
    at = start
    while at < end and (there := flags.count(value, at, min(end, at + CHUNK))) < n:
        n -= there
        at += CHUNK
    if at >= end:
        return end
    at -= 1
    for _ in range(n):
        at = flags.find(value, at + 1, end)
    return max(at, start)


def _strip(a: Lines, strip: Lines, first: int, last: int, grows: bytearray) -> int:
    """Work through rows `first` to `last` of one strip and return the last one.

    `grows` is the left edge of the strip before, the right edge after. Above the columns all
    bits are 1, so a carry to the right makes the number a bit longer.
    """
    masks, rare = _masks(strip)
    full = row = (2 << len(strip)) - 1
    size = len(strip) + 1
    for i, line in enumerate(a[first:last], first):
        carry = grows[i]
        mask = masks.get(line)
        if mask is None:
            at = rare.get(line)
            if at is not None:
                mask = 1 << at[0] if len(at) == 1 else _mask(at, len(strip))
            elif carry:
                mask = 0
            else:
                continue
        hit = row & mask
        total = row + hit
        if carry:
            total += 1
        row = total | (row ^ hit)
        if total.bit_length() > size:
            grows[i] = 1
            size += 1
            if size > len(strip) + CLEAN_EVERY:
                row, size = row & full, len(strip) + 1
        elif carry:
            grows[i] = 0
    return row & (full >> 1)


def pairs(a: Lines, b: Lines) -> list[Pair]:
    """Return the places in `a` and `b` of a longest run of lines in common, in order.

    A table too large to keep is halved where its best way crosses the middle row, at twice
    the time of `length` and a fraction of its memory (Hirschberg's way).
    """
    done: list[Pair] = []
    todo = [(0, len(a), 0, len(b))]
    while todo:
        top, bottom, left, right = todo.pop()
        if (bottom - top) * (right - left) <= KEPT_BITS or bottom - top < 2:
            kept = _kept(a[top:bottom], b[left:right])
            done.extend((top + i, left + j) for i, j in kept)
            continue
        middle = (top + bottom) // 2
        cross = left + _crossing(a[top:middle], a[middle:bottom], b[left:right])
        todo += ((middle, bottom, cross, right), (top, middle, left, cross))
    return done


def _kept(a: Lines, b: Lines) -> list[Pair]:
    """Return the pairs of one table by walking back through its kept rows."""
    rows = list(_rows(a, b))
    i, j = len(a) - 1, len(b) - 1
    found: list[Pair] = []
    while i >= 0 and j >= 0:
        if a[i] == b[j]:
            found.append((i, j))
            i, j = i - 1, j - 1
        elif rows[i] >> j & 1:
            j -= 1
        else:
            i -= 1
    found.reverse()
    return found


def _crossing(upper: Lines, lower: Lines, b: Lines) -> int:
    """Return a column where a best way leaves the upper rows for the lower ones."""
    growth = _growth(_last_row(upper, b), len(b))
    back = _growth(_last_row(lower[::-1], b[::-1]), len(b))
    best = score = sum(back)
    column = 0
    for j, (gain, loss) in enumerate(zip(growth, reversed(back), strict=True), 1):
        score += gain - loss
        if score > best:
            best, column = score, j
    return column


def _growth(row: int, width: int) -> bytes:
    """Return a row as a byte for each column, 1 where the length grows."""
    digits = format(row, f"0{width}b").encode()[::-1]
    return digits.translate(bytes.maketrans(b"01", b"\x01\x00"))
