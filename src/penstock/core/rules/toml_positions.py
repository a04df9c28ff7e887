"""Tell where in a TOML text each key, table and array element stands.

`tomllib` gives values without places, a problem without a line is half a problem, and an edit
must know which lines are a rule. This scanner reads places without values: it splits the text
into statements and remembers where each begins. Judging the text is `tomllib`'s work.
Always true: one pass, no recursion, and for any text that `tomllib` accepts every path that
leads to a value has the line on which that key, or that element, is written.
"""

from __future__ import annotations

import re

from msgspec import Struct, field

from penstock.core.text.late_regex import late_regex

Name = tuple[str, ...]
Path = tuple[str | int, ...]

# What would cost `tomllib` seconds, or its stack, is told before it reads the text.
MAX_PARTS = 32  # of one key; it needs quadratic time for very many
MAX_NESTING = 64  # brackets in brackets
MAX_PLACES = 250_000  # keys, tables and elements; some 30,000 rules

_SPACE = r"[ \t]*+"
_BASIC = r'"(?!"")(?:[^"\\\n]++|\\.)*+"'
_LITERAL = r"'(?!'')[^'\n]*+'"
_STRING = rf"(?:{_BASIC}|{_LITERAL})"
_END = rf"{_SPACE}(?:#[^\n]*+)?+\r?+(?:\n|\Z)"
_EMPTY = rf"(?:{_SPACE}(?:#[^\n]*+)?+\r?+\n)"
_PLAIN = r"[^\s\"'\[\]{},#]++"
_LIST = rf"\[{_SPACE}(?:{_STRING}{_SPACE},?+{_SPACE})*+\]"

# Nearly every line of a rules file is one of three and is read by one match: a simple pair
# (its key is group 1), a header (its brackets and its name are groups 2 and 3), or nothing.
FAST = late_regex(
    rf"{_SPACE}(?:([\w-]++){_SPACE}={_SPACE}(?:{_STRING}|{_PLAIN}|{_LIST})"
    rf"|(\[\[?+){_SPACE}([\w-]++(?:\.[\w-]++){{0,8}}+){_SPACE}\]\]?+)?+{_END}({_EMPTY}*+)",
    re.A,
)
EMPTY = late_regex(_END)

BARE = late_regex(r"[\w-]++", re.A)
BLANK = late_regex(_SPACE)
ONE_LINE = late_regex(_STRING)
# A string of several lines may end in one or two quotes of its own: `""""a""""`.
MANY_LINES = late_regex(
    r'"""(?:[^"\\]++|\\.|"{1,2}+(?!"))*+"{3,5}+' + r"|'''(?:[^']++|'{1,2}+(?!'))*+'{3,5}+",
    re.DOTALL,
)
SCALAR = late_regex(r"[^\s\"'\[\]{},#]++(?: [0-9][^\s\"'\[\]{},#]*+)?+")
_GAP = r"(?:[ \t\r\n]++|#[^\n]*+)*+"
GAP = late_regex(_GAP)
# Most elements of an array over several lines are strings of one line with a comma behind them.
ELEMENT = late_regex(rf"({_GAP}){_STRING}{_GAP},")
ESCAPE = late_regex(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}


class TomlHeader(Struct):
    """The line of `[name]`, or of `[[name]]` where there are `many`; the first is the file's top.

    `start` and `body` are where it begins and ends. Up to `solid` stand values of several lines
    below it, in which anything may look like a comment or a header.
    """

    name: Name
    many: bool
    start: int
    body: int
    solid: int


class TomlPositions(Struct, frozen=True):
    """Where things stand. `refused` says why the text is not worth reading, from `line` on.

    `lost` is true when the text is no TOML from somewhere on.
    """

    known: dict[Path, int]
    headers: tuple[TomlHeader, ...] = ()
    refused: str = ""
    line: int = 0
    lost: bool = False

    def of(self, *path: str | int) -> int:
        """Return the line of a path, or of the nearest thing around it; 1 when unknown."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.known:
                return self.known[path[:end]]
        return 1


def find_lines(text: str) -> TomlPositions:
    """Scan a TOML text; in a text that is not TOML, as far as it is understood."""
    scan = TomlScan(text=text)
    lost = False
    try:
        while scan.at < len(text):
            _fast_statements(scan)
            if scan.at < len(text):
                _slow_statement(scan)
    except _TooMuchError as why:
        return TomlPositions(scan.known, refused=str(why), line=scan.line)
    except _LostError:
        lost = True
    return TomlPositions(scan.known, tuple(scan.headers), lost=lost)


def rule_lines(text: str) -> TomlPositions:
    """Return the lines of `[[name]]` alone: all that anybody asks of a text without a fault."""
    known: dict[Path, int] = {}
    counts: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("[["):
            name = line[2:].partition("]]")[0]
            counts[name] = counts.get(name, -1) + 1
            known[name, counts[name]] = number
    return TomlPositions(known)


class _LostError(Exception):
    """The text is not TOML from here on; `tomllib` will say why."""


class _TooMuchError(Exception):
    """A key of too many parts, brackets in brackets in brackets, or simply too many."""


class TomlScan(Struct, kw_only=True):
    """Where the scanner is: a position, its line, and the table that keys fall into."""

    text: str
    at: int = 0
    line: int = 1
    table: Path = ()
    known: dict[Path, int] = field(default_factory=dict)
    counts: dict[Path, int] = field(default_factory=dict)
    headers: list[TomlHeader] = field(default_factory=lambda: [TomlHeader((), False, 0, 0, 0)])

    def move(self, to: int) -> None:
        """Go on to a position, counting the lines on the way."""
        self.line += self.text.count("\n", self.at, to)
        self.at = to

    def skip(self, what: re.Pattern[str]) -> str:
        """Go on past what matches here and return it; nothing is "" and no move."""
        found = what.match(self.text, self.at)
        if found is None:
            return ""
        self.move(found.end())
        return found.group()

    def next_is(self, sign: str) -> bool:
        """Say whether a sign comes next, and if so go past it."""
        if not self.text.startswith(sign, self.at):
            return False
        self.at += len(sign)
        return True

    def check_size(self) -> None:
        """Stop at a text with more places than any policy has."""
        if len(self.known) > MAX_PLACES:
            raise _TooMuchError(f"more than {MAX_PLACES} keys and elements")

    def need(self, sign: str) -> None:
        """Go past a sign that must be here."""
        if not self.next_is(sign):
            raise _LostError


def _fast_statements(scan: TomlScan) -> None:
    """Read statements as long as each is one simple line."""
    text, known, table = scan.text, scan.known, scan.table
    while scan.at < len(text) and (found := FAST.match(text, scan.at)):
        key, brackets, name, after = found.groups()
        if key is not None:
            known.setdefault((*table, key), scan.line)
        elif name is not None:
            _enter(scan, tuple(name.split(".")), scan.at, many=len(brackets) == 2)
            scan.headers[-1].body = scan.headers[-1].solid = found.start(4)
            table = scan.table
            scan.check_size()
        scan.at = found.end()
        scan.line += 1 + after.count("\n")


def _slow_statement(scan: TomlScan) -> None:
    """Read what is not one simple line: quoted or dotted keys, values over several lines."""
    scan.check_size()
    start = scan.at
    scan.skip(BLANK)
    many = scan.next_is("[[")
    is_header = many or scan.next_is("[")
    if is_header:
        _enter(scan, _key(scan), start, many=many)
        scan.need("]]" if many else "]")
    else:
        skip_value(scan, pair_key(scan, scan.table))
    end = scan.at
    scan.skip(EMPTY)
    if scan.at == end < len(scan.text):
        raise _LostError
    scan.headers[-1].solid = scan.at
    if is_header:
        scan.headers[-1].body = scan.at


def _enter(scan: TomlScan, key: Name, start: int, *, many: bool) -> None:
    """Go into a table; a name of an array of tables means its last element."""
    scan.headers.append(TomlHeader(key, many, start, start, start))
    path: Path = ()
    for part in key[:-1]:
        scan.known.setdefault((*path, part), scan.line)
        path = _last(scan, (*path, part))
    path = (*path, key[-1])
    if many:
        scan.counts[path] = scan.counts.get(path, 0) + 1
        scan.known.setdefault(path, scan.line)
    scan.table = _last(scan, path)
    scan.known[scan.table] = scan.line


def _last(scan: TomlScan, path: Path) -> Path:
    count = scan.counts.get(path)
    return path if count is None else (*path, count - 1)


def pair_key(scan: TomlScan, table: Path) -> Path:
    """Read `a.b =` and return the whole path of what it names."""
    line = scan.line
    path = (*table, *_key(scan))
    for end in range(len(table) + 1, len(path) + 1):
        scan.known.setdefault(path[:end], line)
    scan.need("=")
    return path


def _key(scan: TomlScan) -> Name:
    parts: list[str] = []
    while True:
        scan.skip(BLANK)
        bare = scan.skip(BARE)
        quoted = "" if bare else scan.skip(ONE_LINE)
        if not (bare or quoted):
            raise _LostError
        parts.append(bare or _unquoted(quoted))
        if len(parts) > MAX_PARTS:
            raise _TooMuchError(f"a key of more than {MAX_PARTS} parts")
        scan.skip(BLANK)
        if not scan.next_is("."):
            return tuple(parts)


def _unquoted(text: str) -> str:
    if text[0] == "'" or "\\" not in text:
        return text[1:-1]
    return ESCAPE.sub(_unescaped, text[1:-1])


def _unescaped(found: re.Match[str]) -> str:
    name = found.group(1)
    if name[0] in "uU" and len(name) > 1:
        number = int(name[1:], 16)
        return chr(number) if number < 0x110000 else "\ufffd"
    return ESCAPES.get(name, name)


class _Open(Struct):
    """A bracket that is open: an array that counts, or a table that takes keys."""

    path: Path
    closes: str
    count: int = 0


def skip_value(scan: TomlScan, path: Path) -> None:
    """Read one value. Open brackets are kept in a list, so that none is too deep for us."""
    opened: list[_Open] = []
    while True:
        opener = _scalar_or_opener(scan)
        if opener:
            opened.append(_Open(path, "]" if opener == "[" else "}"))
            if len(opened) > MAX_NESTING:
                raise _TooMuchError(f"brackets nested more than {MAX_NESTING} deep")
        if opener == "[":
            _skip_strings(scan, opened[-1])
        place = None
        while opened and (place := _next_place(scan, opened[-1], first=bool(opener))) is None:
            opened.pop()
            opener = ""
        if place is None:
            return
        path = place


def _scalar_or_opener(scan: TomlScan) -> str:
    """Go past a string, a number, a date; or past an opening bracket, and return that."""
    scan.skip(BLANK)
    for sign in "[{":
        if scan.next_is(sign):
            return sign
    if not (scan.skip(MANY_LINES) or scan.skip(ONE_LINE) or scan.skip(SCALAR)):
        raise _LostError
    return ""


def _next_place(scan: TomlScan, inside: _Open, *, first: bool) -> Path | None:
    """Return the path of the next value inside a bracket, or None when it closes here."""
    scan.skip(GAP)
    comma = not first and scan.next_is(",")
    scan.skip(GAP)
    if scan.next_is(inside.closes):
        return None
    if not (first or comma):
        raise _LostError
    if inside.closes == "}":
        return pair_key(scan, inside.path)
    return _element(scan, inside)


def _element(scan: TomlScan, inside: _Open) -> Path:
    """Note the next element of an array and return its path."""
    path = (*inside.path, inside.count)
    inside.count += 1
    scan.check_size()
    scan.known.setdefault(path, scan.line)
    return path


def _skip_strings(scan: TomlScan, inside: _Open) -> None:
    """Go past the strings that an array begins with, as long as each has a comma behind it."""
    while found := ELEMENT.match(scan.text, scan.at):
        scan.move(found.end(1))
        _element(scan, inside)
        scan.move(found.end())
