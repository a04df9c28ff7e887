"""Make one line of the record from an event's fields and the line before it.

The bytes of a line and its hash are settled here, for the hook that starts cold and for the
full engine alike. Which fields an event has is `event`'s work; storing is a store's.
Always true: a line is ASCII, ends with `prev_hash` and `event_hash` at fixed length, and its
hash is over the exact bytes before `,"event_hash"`. Nothing is imported here but a sha256,
because a cold hook pays for every import.
"""

TYPE_CHECKING = False  # what `typing` calls so; type checkers know the bare name too
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from _typeshed import ReadableBuffer

try:  # the small C module of 3.11, that of 3.12 and later, then whatever this Python has
    from _sha256 import sha256  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    try:
        from _sha2 import sha256  # type: ignore[import-not-found, unused-ignore]
    except ImportError:  # pragma: no cover - a build without its own sha256
        from hashlib import sha256

GENESIS = "sha256:" + "0" * 64

# A line ends  ,"prev_hash":"sha256:<64>"  ,"event_hash":"sha256:<64>"}  and nothing follows.
BEFORE_PREV = b',"prev_hash":"sha256:'
BEFORE_HASH = b'","event_hash":"sha256:'
END = b'"}'
HASHED_BEFORE = 88  # how many of a line's last bytes the hash does not cover
TAIL = 174  # how long the two last fields are together, with the closing brace

_PLAIN = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def hexdigest(data: "ReadableBuffer") -> str:
    """Return the sha256 of some bytes, for those who must not import `hashlib`."""
    found: str = sha256(data).hexdigest()
    return found


def quote(text: str) -> str:
    """Return a text as a JSON string, ASCII only.

    A lone surrogate (an undecodable byte of a file name) is spelled out as visible text,
    because JSON readers disagree about it and a record must read the same everywhere.
    """
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join([_escaped(char) for char in text]) + '"'


def _escaped(char: str) -> str:
    code = ord(char)
    if char in _PLAIN:
        return _PLAIN[char]
    if 0x20 <= code < 0x7F:
        return char
    if 0xD800 <= code < 0xE000:
        return f"\\\\u{code:04x}"
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def encode(value: "Any") -> str:
    """Return a value as compact JSON. What JSON cannot say becomes the text of its type."""
    if isinstance(value, str):
        return quote(value)
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(int(value)) if -(2**63) <= value < 2**63 else quote(hex(value)[:64])
    if isinstance(value, float):
        return repr(value) if -1e300 < value < 1e300 else "null"
    if isinstance(value, dict):
        return "{" + ",".join([f"{quote(str(k))}:{encode(v)}" for k, v in value.items()]) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join([encode(item) for item in value]) + "]"
    return quote(type(value).__name__)


def link(
    ts: str,
    seq: int,
    body: bytes,
    prev: str,
    sha: "Callable[[ReadableBuffer], Any]" = sha256,
) -> "tuple[bytes, str]":
    """Return a whole line with its newline, and its hash.

    `body` is what stands between `seq` and `prev_hash`: fields joined by commas.
    """
    hashed = b'{"ts":"%b","seq":%d,%b,"prev_hash":"%b"' % (ts.encode(), seq, body, prev.encode())
    found: str = sha(hashed).hexdigest()
    return hashed + b',"event_hash":"sha256:' + found.encode() + b'"}\n', "sha256:" + found


def stated_hash(line: bytes) -> str:
    """Return the hash that a line (without its newline) says it has, or "" for no such line."""
    if line[-89:-66] != BEFORE_HASH or line[-2:] != END or line[-174:-153] != BEFORE_PREV:
        return ""
    return "sha256:" + line[-66:-2].decode("ascii", "replace")


def place(line: bytes) -> "tuple[str, int]":
    """Return the time and the number that a line begins with; ("", -1) when it does not."""
    digits = line[35:54].partition(b",")[0]
    if line[:7] != b'{"ts":"' or line[27:35] != b'","seq":' or not digits.isdigit():
        return "", -1
    return line[7:27].decode("ascii", "replace"), int(digits)
