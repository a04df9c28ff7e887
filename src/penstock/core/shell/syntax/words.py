"""Read one shell word: quotes, escapes, parameters and substitutions, as bash does.

What a word is worth is settled by `shell.expansion`; where words stand in commands by
`tokens`, which also reads the commands inside a substitution for us.
Always true: every turn of a loop costs a step, and steps are counted, so that the time a
text takes has a bound that depends on the text alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct, field

from penstock.core.shell.syntax.nodes import (
    Arr,
    Lit,
    Part,
    Redirect,
    Script,
    ShellWord,
    Sub,
    Token,
    Var,
)
from penstock.core.text.late_regex import late_regex

# What a text may cost. A script of three hundred lines takes some 2,000 steps; bytes in quotes
# and here-documents cost nothing, so a large file written by a command is no matter.
MOST_STEPS = 2_200
MOST_DEPTH = 12

_PLAIN = late_regex(r"[^ \t\n'\"\\$`<>|&;()]+")
# A word of plain characters alone, by far the most common kind.
_WHOLE = late_regex(r"[^ \t\n'\"\\$`<>|&;()]++(?=[ \t\n;|&]|$)")
_IN_QUOTES = late_regex(r"[^\"\\$`]+")
_IN_DOCUMENT = late_regex(r"[^\\$`]+")
_IN_BRACES = late_regex(r"[^}'\"\\$`]+")
_IN_QUOTED_BRACES = late_regex(r"[^}\"\\$`]+")
_BLANKS = late_regex(r"(?:[ \t]++|\\\n)++")
_NAME = late_regex(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
_PARAMETER = late_regex(r"\$\{([!#]?)([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])(\[[^\[\]{}$`]*\])?")
_OPERATOR = late_regex(r":[-=+?]|[-=+?]|##?|%%?|//?|\^\^?|,,?|:|@")
_ASSIGNS_ARRAY = late_regex(r"[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=")
_BRACKETS = late_regex(r"[()\\'\"]")
_TICK = late_regex(r"[\\`]")
_QUOTE = late_regex(r"[\\']")
_ESCAPE = late_regex(
    r"\\(?:x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|c(.)|(.))",
    re.DOTALL,
)
_LETTERS = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "e": 27, "E": 27, "f": 12, "v": 11}
_SURROGATES = range(0xD800, 0xE000)


class TooMuch(Exception):  # noqa: N818 - a signal between the two readers, never an error of ours
    """The text costs more than we spend on one command."""


class Cursor(Struct):
    """Where we are in a text, what has been spent, and what was found wrong."""

    text: str
    commands: Callable[[Cursor], Script]
    at: int = 0
    end: int = 0
    steps: int = 0
    depth: int = 0
    problems: list[str] = field(default_factory=list)
    pending: list[tuple[list[Token], int, Redirect]] = field(default_factory=list)

    def step(self, steps: int = 1) -> None:
        """Spend a step, or some."""
        self.steps += steps
        if self.steps > MOST_STEPS:
            raise TooMuch

    def problem(self, text: str) -> None:
        """Remember that something is wrong with the text."""
        if text not in self.problems:
            self.problems.append(text)

    def peek(self, ahead: int = 0) -> str:
        """Return the character at the cursor, or nothing at the end."""
        at = self.at + ahead
        return self.text[at] if at < self.end else ""

    def take(self, pattern: re.Pattern[str]) -> str:
        """Return what a pattern matches here, and pass it."""
        found = pattern.match(self.text, self.at, self.end)
        if not found:
            return ""
        self.at = found.end()
        return found.group()

    def skip_blanks(self) -> None:
        """Pass spaces, tabs and joined lines."""
        self.take(_BLANKS)


def read_word(cur: Cursor) -> ShellWord:
    """Read the word that starts here; it may be empty where none does."""
    start = cur.at
    whole = _WHOLE.match(cur.text, start, cur.end)
    if whole:
        cur.at = whole.end()
        return ShellWord((Lit(whole.group(), False),), whole.group(), start, cur.at)
    parts: list[Part] = []
    while cur.at < cur.end:
        cur.step()
        plain = cur.take(_PLAIN)
        if plain:
            parts.append(Lit(plain, False))
            continue
        more = _special(cur, start)
        if more is None:
            break
        parts.extend(more)
    return ShellWord(tuple(parts), cur.text[start : cur.at], start, cur.at)


def _special(cur: Cursor, start: int) -> tuple[Part, ...] | None:
    """Read what a special character begins inside a word, or None where the word ends."""
    char = cur.peek()
    if char in "<>" and cur.peek(1) == "(":
        return (_substitution(cur, kind=char, quoted=False),)
    if char == "(":
        return _parenthesis(cur, start)
    reader = _UNQUOTED.get(char)
    return reader(cur) if reader else None


def _single(cur: Cursor) -> tuple[Part, ...]:
    close = cur.text.find("'", cur.at + 1, cur.end)
    if close < 0:
        cur.problem("a quote is not closed")
        close = cur.end
    text = cur.text[cur.at + 1 : close]
    cur.at = min(close + 1, cur.end)
    return (Lit(text, True),)


def _escaped(cur: Cursor) -> tuple[Part, ...]:
    char = cur.peek(1)
    cur.at = min(cur.at + 2, cur.end)
    return () if char == "\n" else (Lit(char or "\\", True),)


def _double(cur: Cursor) -> tuple[Part, ...]:
    cur.at += 1
    parts = read_quoted(cur, _IN_QUOTES, close='"')
    # Empty quotes still make a word, so that `""` is an argument.
    return parts or (Lit("", True),)


def _unquoted_dollar(cur: Cursor) -> tuple[Part, ...]:
    follows = cur.peek(1)
    if follows == "'":
        return (_ansi(cur),)
    if follows == '"':
        cur.at += 1
        return _double(cur)
    return (_dollar(cur, quoted=False),)


def _unquoted_backquote(cur: Cursor) -> tuple[Part, ...]:
    return (_backquote(cur, quoted=False),)


_UNQUOTED: dict[str, Callable[[Cursor], tuple[Part, ...]]] = {
    "'": _single,
    '"': _double,
    "\\": _escaped,
    "$": _unquoted_dollar,
    "`": _unquoted_backquote,
}


def read_quoted(cur: Cursor, plain: re.Pattern[str], *, close: str) -> tuple[Part, ...]:
    """Read parts as they are inside double quotes, up to and past `close`."""
    parts: list[Part] = []
    while cur.at < cur.end:
        cur.step()
        text = cur.take(plain)
        if text:
            parts.append(Lit(text, True))
            continue
        if cur.peek() == close:
            cur.at += 1
            return tuple(parts)
        parts.extend(_inside(cur, close))
    if close:
        cur.problem("a quote is not closed")
    return tuple(parts)


def _inside(cur: Cursor, close: str) -> tuple[Part, ...]:
    """Read a special character inside double quotes or a here-document."""
    char = cur.peek()
    if char == "$":
        return (_dollar(cur, quoted=True),)
    if char == "`":
        return (_backquote(cur, quoted=True),)
    if char != "\\":
        cur.at += 1
        return (Lit(char, True),)
    follows = cur.peek(1)
    cur.at = min(cur.at + 2, cur.end)
    if follows == "\n":
        return ()
    live = "$`\\" + close
    return (Lit(follows if follows and follows in live else "\\" + follows, True),)


def read_document(cur: Cursor, start: int, end: int) -> tuple[Part, ...]:
    """Read the body of a here-document whose delimiter is not quoted."""
    before = cur.at, cur.end
    cur.at, cur.end = start, end
    parts = read_quoted(cur, _IN_DOCUMENT, close="")
    cur.at, cur.end = before
    return parts


def _dollar(cur: Cursor, *, quoted: bool) -> Part:
    follows = cur.peek(1)
    if follows == "(":
        end = arithmetic_end(cur, cur.at + 1)
        return _arithmetic(cur, end, quoted) if end else _substitution(cur, kind="$", quoted=quoted)
    if follows == "{":
        return _braced(cur, quoted=quoted)
    if follows == "[":
        close = cur.text.find("]", cur.at, cur.end)
        return _arithmetic(cur, close + 1 if close >= 0 else cur.end, quoted)
    name = _NAME.match(cur.text, cur.at + 1, cur.end)
    if not name:
        cur.at += 1
        return Lit("$", quoted)
    cur.at = name.end()
    return Var(name.group(), "", (), quoted, "$" + name.group())


def _braced(cur: Cursor, *, quoted: bool) -> Part:
    """Read `${...}`; what we do not know how to expand keeps its text and its substitutions."""
    start = cur.at
    found = _PARAMETER.match(cur.text, cur.at, cur.end)
    cur.at = found.end() if found else cur.at + 2
    op = "" if cur.peek() == "}" else cur.take(_OPERATOR) or "bad"
    arg = _until_brace(cur, quoted=quoted)
    raw = cur.text[start : cur.at]
    if not found:
        return Var("", "bad", arg, quoted, raw)
    sigil, name, index = found.groups()
    return Var(name + (index or ""), sigil + op, arg, quoted, raw)


def _until_brace(cur: Cursor, *, quoted: bool) -> tuple[Part, ...]:
    parts: list[Part] = []
    plain = _IN_QUOTED_BRACES if quoted else _IN_BRACES
    while cur.at < cur.end:
        cur.step()
        text = cur.take(plain)
        if text:
            parts.append(Lit(text, quoted))
            continue
        char = cur.peek()
        if char == "}":
            cur.at += 1
            return tuple(parts)
        parts.extend(_UNQUOTED[char](cur) if char in "'\"" or not quoted else _inside(cur, "}"))
    cur.problem("a `${` is not closed")
    return tuple(parts)


def _deeper(cur: Cursor) -> None:
    cur.depth += 1
    if cur.depth > MOST_DEPTH:
        raise TooMuch


def _substitution(cur: Cursor, *, kind: str, quoted: bool) -> Part:
    """Read `$(...)`, `<(...)` or `>(...)`, the commands inside included."""
    start = cur.at
    cur.at += 2
    _deeper(cur)
    script = cur.commands(cur)
    cur.depth -= 1
    return Sub(kind, script, (), quoted, cur.text[start : cur.at])


def _backquote(cur: Cursor, *, quoted: bool) -> Part:
    start = cur.at
    close = _closing(cur, start + 1, _TICK)
    inner = re.sub(r"\\([\\`$])", r"\1", cur.text[start + 1 : close])
    cur.at = min(close + 1, cur.end)
    _deeper(cur)
    script = _apart(cur, inner)
    cur.depth -= 1
    return Sub("$", script, (), quoted, cur.text[start : cur.at])


def _apart(cur: Cursor, text: str) -> Script:
    """Read commands in a text of their own, on the same account."""
    inner = Cursor(text, cur.commands, end=len(text), steps=cur.steps, depth=cur.depth)
    script = cur.commands(inner)
    cur.steps = inner.steps
    for problem in inner.problems:
        cur.problem(problem)
    return script


def arithmetic_end(cur: Cursor, opening: int) -> int:
    """Return where the `((...))` at `opening` ends, or 0 when it is no arithmetic.

    Bash reads `((` as arithmetic exactly when the brackets close with an adjacent `))`;
    otherwise it is a command in brackets twice.
    """
    if not cur.text.startswith("((", opening):
        return 0
    depth, at, last = 0, opening, -2
    while found := _BRACKETS.search(cur.text, at, cur.end):
        cur.step()
        at = found.end()
        char = found.group()
        if char == "(":
            depth += 1
        elif char == "\\":
            at += 1
        elif char == ")":
            depth -= 1
            if depth == 0:
                return at if last == at - 1 else 0
            last = at if depth == 1 else last
        else:
            at = (cur.text.find(char, at, cur.end) + 1) or cur.end
    return 0


def _arithmetic(cur: Cursor, end: int, quoted: bool) -> Part:
    start = cur.at
    inner = read_document(cur, start + 2, end)
    cur.at = end
    return Sub("((", None, inner, quoted, cur.text[start:end])


def arithmetic_word(cur: Cursor, end: int) -> ShellWord:
    """Read a whole `((...))` command as one word."""
    start = cur.at
    part = _arithmetic(cur, end, quoted=True)
    return ShellWord((part,), cur.text[start:end], start, end)


def _parenthesis(cur: Cursor, start: int) -> tuple[Part, ...] | None:
    """Read `name=(...)` or an extended glob; any other bracket ends the word."""
    so_far = cur.text[start : cur.at]
    if _ASSIGNS_ARRAY.fullmatch(so_far):
        return (_array(cur),)
    if len(so_far) and so_far[-1] in "?*+@!" and so_far != "!":
        close = cur.text.find(")", cur.at, cur.end)
        end = close + 1 if close >= 0 else cur.end
        inner = read_document(cur, cur.at, end)
        text = cur.text[cur.at : end]
        cur.at = end
        return (Lit(text, False), *(part for part in inner if isinstance(part, Sub)))
    return None


def _array(cur: Cursor) -> Arr:
    cur.at += 1
    _deeper(cur)
    words: list[ShellWord] = []
    while cur.at < cur.end and cur.peek() != ")":
        cur.step()
        word = read_word(cur)
        if word.raw:
            words.append(word)
        else:
            cur.at += 1
    cur.depth -= 1
    if cur.at >= cur.end:
        cur.problem("a bracket is not closed")
    cur.at = min(cur.at + 1, cur.end)
    return Arr(tuple(words))


def _ansi(cur: Cursor) -> Part:
    """Read `$'...'`, whose escapes are those of C."""
    close = _closing(cur, cur.at + 2, _QUOTE)
    text = cur.text[cur.at + 2 : close]
    cur.at = min(close + 1, cur.end)
    return Lit(unescape(text).split("\0", 1)[0], True)  # bash cuts the text at a NUL


def _closing(cur: Cursor, at: int, either: re.Pattern[str]) -> int:
    """Return where the closing character stands that no backslash takes away."""
    while found := either.search(cur.text, at, cur.end):
        cur.step()
        if found.group() != "\\":
            return found.start()
        at = found.end() + 1
    cur.problem("a quote is not closed")
    return cur.end


def unescape(text: str) -> str:
    """Return text with the escapes of `$'...'`, `echo -e` and `printf` decoded."""
    if "\\" not in text:
        return text
    out = bytearray()
    at = 0
    for found in _ESCAPE.finditer(text):
        out += text[at : found.start()].encode("utf-8", "surrogatepass")
        out += _decoded(found)
        at = found.end()
    out += text[at:].encode("utf-8", "surrogatepass")
    return out.decode("utf-8", "surrogateescape")


def _decoded(found: re.Match[str]) -> bytes:
    byte, octal, short, long, control, letter = found.groups()
    if byte or octal:
        return bytes([int(byte, 16) if byte else int(octal, 8) & 0xFF])
    if short or long:
        code = int(short or long, 16)
        fits = code <= 0x10FFFF and code not in _SURROGATES
        return chr(code).encode() if fits else b"?"
    if control:
        return bytes([ord(control) & 0x1F])
    if letter in _LETTERS:
        return bytes([_LETTERS[letter]])
    known = letter in "\\'\"?"
    return (letter if known else "\\" + letter).encode("utf-8", "surrogatepass")
