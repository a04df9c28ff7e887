"""File names as patches write them: quoted, prefixed, with a time behind them, or none at all.

Whether a name stays inside the workspace is left to `paths.relpath`.
Always true: a name that comes out is not empty, is text, and holds no control character.
"""

from __future__ import annotations

from penstock.core.patch.model import bad_patch, shown

NOWHERE = b"/dev/null"
ESCAPES = {
    ord("a"): 7,
    ord("b"): 8,
    ord("t"): 9,
    ord("n"): 10,
    ord("v"): 11,
    ord("f"): 12,
    ord("r"): 13,
    ord('"'): 34,
    ord("\\"): 92,
}
# The two sides of a diff: a/ and b/, or what `diff.mnemonicPrefix` writes instead.
PREFIXES = frozenset({b"a/", b"b/", b"c/", b"i/", b"w/", b"o/", b"1/", b"2/"})


def text_of(name: bytes, line: int) -> str:
    """Return a name as text."""
    try:
        text = name.decode("utf-8")
    except UnicodeDecodeError:
        raise bad_patch(f"the name `{shown(name)}` is not UTF-8", line=line) from None
    if not text.strip() or any(ord(char) < 32 or ord(char) == 127 for char in text):
        raise bad_patch(f"`{shown(text)}` is not the name of a file", line=line)
    return text


def read_name(field: bytes, line: int) -> tuple[bytes, bytes]:
    """Return the name at the start of a header field, and what comes after it."""
    if field.startswith(b'"'):
        return unquoted(field, line)
    name, _, rest = field.partition(b"\t")
    return name, rest


def unquoted(field: bytes, line: int) -> tuple[bytes, bytes]:
    """Return a name out of its quotes, and what comes after them."""
    name = bytearray()
    at = 1
    while at < len(field):
        byte = field[at]
        at += 1
        if byte == ord('"'):
            return bytes(name), field[at:]
        if byte == ord("\\"):
            value, at = _escaped(field, at, line)
            name.append(value)
        else:
            name.append(byte)
    raise bad_patch("a quoted name does not end", line=line)


def _escaped(field: bytes, at: int, line: int) -> tuple[int, int]:
    """Return the byte that an escape stands for, and where it ends."""
    code = field[at : at + 3]
    if len(code) == 3 and code[:1] in b"0123" and all(48 <= digit < 56 for digit in code):
        return int(code, 8), at + 3
    if code and code[0] in ESCAPES:
        return ESCAPES[code[0]], at + 1
    raise bad_patch("a quoted name has an unknown escape", line=line)


def git_pair(rest: bytes, line: int) -> tuple[bytes, bytes] | None:
    """Return both names of a `diff --git` line, or None when it does not tell them apart.

    Names may hold spaces, so only two names that are the same can be told apart.
    """
    if rest.startswith(b'"'):
        old, rest = unquoted(rest, line)
        new, rest = read_name(rest.removeprefix(b" "), line)
        return (old, new) if not rest else None
    if rest.endswith(b'"') and b' "' in rest:
        at = rest.index(b' "')
        new, after = unquoted(rest[at + 1 :], line)
        return (rest[:at], new) if not after else None
    half = len(rest) // 2
    old, new = rest[:half], rest[half + 1 :]
    apart = rest[half : half + 1] == b" " and without_prefixes(old, new) is not None
    return (old, new) if apart else None


def without_prefixes(old: bytes, new: bytes) -> bytes | None:
    """Return the one name that both sides give a file, or None when they name two files."""
    if old == new:
        return old
    known = old[:2] in PREFIXES and new[:2] in PREFIXES and old[:2] != new[:2]
    return old[2:] if known and old[2:] == new[2:] else None


def stripped(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """Return both names without the prefixes that tell the sides of a diff."""
    if old == NOWHERE:
        return old, new.removeprefix(b"b/")
    if new == NOWHERE:
        return old.removeprefix(b"a/"), new
    known = old[:2] in PREFIXES and new[:2] in PREFIXES and old[:2] != new[:2]
    return (old[2:], new[2:]) if known else (old, new)


def is_beginning_of_time(after: bytes) -> bool:
    """Return whether the time behind a name is the one that stands for "no file"."""
    return after.startswith((b"1970-01-01 ", b"1969-12-31 ", b"Thu Jan  1 ", b"Wed Dec 31 "))
