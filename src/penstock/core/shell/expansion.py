"""Settle what a shell word stands for, given the variables that are known.

Follows the order of bash: braces, then parameters and substitutions, then splitting, then
tildes, then patterns; a pattern is what the host's look at the disk makes of it, and where
that is not known it is reported as a pattern.
Always true: a value that is `exact` is the very text that the program would get; any other
value keeps the unknown parts as they are written, so that a rule on a name can still meet
the part that is known (`$DIR/.env`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import islice, pairwise
from typing import Protocol

from msgspec import Struct

from penstock.core.shell.affixes import altered
from penstock.core.shell.syntax.nodes import Arr, Lit, Part, Script, ShellWord, Sub, Var
from penstock.core.shell.wildcards import quoted
from penstock.core.text.late_regex import late_regex

MOST_VALUES = 256
MOST_FIELDS = 512
MOST_WORDS = 1_024
MOST_LENGTH = 65_536
MOST_BRACES = 32

# The name that bash gives a process substitution.
PIPE = "/dev/fd/63"

# What each character of a word is: quoted, unquoted, from an expansion (split, never braces),
# the home directory, or part of an expansion whose value nobody knows.
_QUOTED, _PLAIN, _EXPANDED, _HOME, _UNKNOWN, _LOOSE = "q", "u", "v", "h", "x", "y"
_GLOB = late_regex(r"[*?\[(]")
_RANGE = late_regex(r"(-?[0-9]{1,6}|[A-Za-z])\.\.(-?[0-9]{1,6}|[A-Za-z])(?:\.\.(-?[0-9]{1,4}))?")
_LIVE = late_regex(r"[*?\[({~]")
_RUN = late_regex(_EXPANDED + "+")
_BLANK = late_regex(r"[ \t\n]+")
_BRACE = late_regex(r"[{},]")
_OTHER_PLACE = late_regex(r"~[-+0-9]")  # `~+`, `~-`, `~2`: directories that the shell remembers
_IN_NAME = late_regex(r"\w")
_OPEN_NAME = late_regex(r"\$(\w+)$")
_LONGEST_INDEX = 4
_NOTHING = Lit("", False)
_DEFAULTS = frozenset({":-", "-", ":=", "=", ":?", "?"})


class Value(Struct, frozen=True):
    """One text that a program would get. `pattern` means that it may name other files.

    `loose` means that it may turn out to be no word at all, or several. `hints` are files that an
    unknown text may name.
    """

    text: str
    exact: bool = True
    pattern: bool = False
    loose: bool = False
    hints: tuple[str, ...] = ()


class MarkedText(Struct, frozen=True):
    """Text with one mark for each of its characters."""

    text: str
    marks: str


_EMPTY = MarkedText("", "")
Values = tuple[Value, ...]
Scope = Mapping[str, Values]


class ExpansionHost(Protocol):
    """What an expansion needs from whoever follows the command."""

    def printed(self, script: Script) -> str | None:
        """Return what a substitution prints, if that is known."""

    def names(self, pattern: str) -> Sequence[str] | None:
        """Return the files that a pattern meets, if that is known."""

    def hints(self, script: Script) -> Sequence[str]:
        """Return files that a substitution may name whose output is not known."""

    def charge(self, units: int) -> None:
        """Account for work, some microseconds each; raises when there was too much."""


def expand(word: ShellWord, scope: Scope, ask: ExpansionHost) -> list[Value]:
    """Return the values of a word; `ask` knows what substitutions print."""
    if len(word.parts) == 1:
        part = word.parts[0]
        if isinstance(part, Lit) and (part.quoted or not _LIVE.search(part.text)):
            return [Value(_inert_tilde(part.text) if part.quoted else part.text)]
    return _settled(word.parts, scope, ask)


def _inert_tilde(text: str) -> str:
    """Return text whose tilde is only a character as a path that says so."""
    return "./" + text if text.startswith("~") else text


def _settled(parts: Iterable[Part], scope: Scope, ask: ExpansionHost) -> list[Value]:
    out: list[Value] = []
    parts = tuple(parts)
    no_word = all(_may_vanish(part) for part in parts)
    made = 0
    for fields in _fields(parts, scope, ask):
        if no_word and not fields.text:
            continue
        for marked in _braces(fields, ask):
            before = len(out)
            split = list(islice(_split(marked), MOST_FIELDS + 1))
            made += 1
            for field in split:
                out.extend(_values(field, ask))
            ask.charge(2 * (len(out) - before) + len(marked.text) // 64)
            if made > MOST_VALUES or len(split) > MOST_FIELDS or len(out) > MOST_WORDS:
                return [Value("".join(_raw(part) for part in parts), exact=False)]
    return out


def _may_vanish(part: Part) -> bool:
    """True for a part that makes no word when it is empty."""
    if isinstance(part, Var):
        return not part.quoted or part.name == "@" or part.name.endswith("[@]")
    return isinstance(part, Sub) and not part.quoted


def text_of(parts: Sequence[Part], scope: Scope, ask: ExpansionHost) -> Value:
    """Return parts as one text that is neither split nor matched, as an assignment takes it."""
    if len(parts) == 1 and isinstance(parts[0], Lit):
        return Value(_inert_tilde(parts[0].text) if parts[0].quoted else parts[0].text)
    several = [_marked(part, scope, ask) for part in parts if part != _NOTHING]
    if len(several) == 1 and len(several[0]) > 1 and isinstance(parts[-1], Sub):
        unknown, *names = (one.text for one in several[0])
        return Value(unknown, exact=False, hints=tuple(names))
    whole = reduce(_one_behind, (_joined(each, " ") for each in several), _EMPTY)
    text, marks = whole.text, whole.marks
    if len(text) > MOST_LENGTH:
        return Value(text[:MOST_LENGTH], exact=False)
    return Value(_tilde(text, marks), exact=_known(marks))


def inner_scripts(parts: Iterable[Part]) -> Iterator[Script]:
    """Return every script that stands inside some parts, in order."""
    for part in parts:
        if isinstance(part, Sub):
            if part.script is not None:
                yield part.script
            yield from inner_scripts(part.inner)
        elif isinstance(part, Var):
            yield from inner_scripts(part.arg)
        elif isinstance(part, Arr):
            for word in part.words:
                yield from inner_scripts(word.parts)


def _raw(part: Part) -> str:
    return part.text if isinstance(part, Lit) else getattr(part, "raw", "()")


# Parameters and substitutions


def _fields(parts: Iterable[Part], scope: Scope, ask: ExpansionHost) -> Iterator[MarkedText]:
    """Join parts into fields; `"$@"` and arrays make several."""
    fields = [_EMPTY]
    parts = tuple(parts)
    for part in parts:
        several = _marked(part, scope, ask)
        if not several:
            continue
        if len(parts) > 1 and _has_hints(part, several):  # a part of a name is no file
            several = several[:1]
        joined = _one_behind(fields.pop(), several[0])
        fields.extend([joined, *several[1:]])
        if len(fields) > MOST_VALUES or len(joined.text) > MOST_LENGTH:
            yield MarkedText("$", _LOOSE)
            return
    yield from fields


def _has_hints(part: Part, several: list[MarkedText]) -> bool:
    if len(several) < 2 or isinstance(part, Lit):
        return False
    return not isinstance(part, Var) or not (part.name in ("@", "*") or part.name[-1] == "]")


def _marked(part: Part, scope: Scope, ask: ExpansionHost) -> list[MarkedText]:
    ask.charge(2)
    if isinstance(part, Lit):
        return [MarkedText(part.text, (_QUOTED if part.quoted else _PLAIN) * len(part.text))]
    if isinstance(part, Var):
        return _variable(part, scope, ask)
    if isinstance(part, Sub):
        return _printed(part, ask)
    return [_unknown("()", quoted=False)]


def _joined(several: list[MarkedText], glue: str) -> MarkedText:
    return MarkedText(
        glue.join(m.text for m in several), (_QUOTED * len(glue)).join(m.marks for m in several)
    )


def _one_behind(text: MarkedText, more: MarkedText) -> MarkedText:
    """Join two texts; the name of an unknown variable still ends where it ended (`$x'nv'`)."""
    goes_on = _IN_NAME.match(more.text) and text.marks[-1:] in (_UNKNOWN, _LOOSE)
    name = _OPEN_NAME.search(text.text) if goes_on else None
    if name:
        closed = f"${{{name.group(1)}}}"
        mark = text.marks[-1] * len(closed)
        text = MarkedText(text.text[: name.start()] + closed, text.marks[: name.start()] + mark)
    return MarkedText(text.text + more.text, text.marks + more.marks)


def _unknown(text: str, *, quoted: bool) -> MarkedText:
    return MarkedText(text, (_UNKNOWN if quoted else _LOOSE) * len(text))


def _printed(part: Sub, ask: ExpansionHost) -> list[MarkedText]:
    if part.kind in ("<", ">"):
        return [MarkedText(PIPE, _QUOTED * len(PIPE))]
    text = ask.printed(part.script) if part.script is not None else None
    if text is None:
        unknown = _unknown(part.raw, quoted=part.quoted)
        names = ask.hints(part.script) if part.script is not None else ()
        return [unknown, *(_unknown(name, quoted=part.quoted) for name in names)]
    mark = _QUOTED if part.quoted else _EXPANDED
    return [MarkedText(text.rstrip("\n"), mark * len(text.rstrip("\n")))]


def _variable(part: Var, scope: Scope, ask: ExpansionHost) -> list[MarkedText]:
    """Return what a parameter stands for; several values for `$@` and whole arrays."""
    name, whole = part.name, part.name.endswith(("[@]", "[*]"))
    values = scope.get(name[:-3]) if whole else _looked_up(name, scope)
    if part.op in ("", *_DEFAULTS, "+", ":+"):
        default = _default(part, values, scope, ask)
        if default is not None:
            return [default]
        if values is not None:
            chosen = values if whole or name in ("@", "*") else values[:1]
            if not part.quoted and "IFS" in scope:  # how it is cut is not known here
                return [_unknown(value.text or part.raw, quoted=False) for value in chosen]
            several = [_valued(value, part) for value in chosen]
            hints = values[0].hints if len(chosen) == 1 else ()
            several += [_unknown(name, quoted=part.quoted) for name in hints]
            return several if name[-2:] != "*]" and name != "*" else _as_one(several, part, scope)
    elif values and len(values) == 1 and values[0].exact:
        argument = _argument(part, scope, ask)
        live = part.quoted or not (_QUOTED in argument.marks and _GLOB.search(argument.text))
        known = live and _known(argument.marks)
        made = altered(values[0].text, part.op, argument.text) if known else None
        if made is not None:
            return [_valued(Value(made), part)]
    return [_unknown(part.raw, quoted=part.quoted)]


def _as_one(several: list[MarkedText], part: Var, scope: Scope) -> list[MarkedText]:
    """Return what `"$*"` makes of several values: one, with the first of IFS between them."""
    if not part.quoted or len(several) < 2:
        return several
    return [_unknown(part.raw, quoted=True)] if "IFS" in scope else [_joined(several, " ")]


def _looked_up(name: str, scope: Scope) -> Values | None:
    """Return the values of a variable, or the one element of an array that a number names."""
    base, bracket, index = name.partition("[")
    if not bracket:
        return scope.get(name)
    values, number = scope.get(base), index[:-1]
    if values is None or not number.lstrip("-").isdecimal() or any(v.loose for v in values):
        return None
    at = int(number[:_LONGEST_INDEX])
    return values[at : at + 1 or None] if at < 0 or len(values) > 1 or at == 0 else None


def _default(
    part: Var, values: Values | None, scope: Scope, ask: ExpansionHost
) -> MarkedText | None:
    """Return the text behind `:-` and its like where it is what counts."""
    if part.op in ("+", ":+"):
        if values is None or not all(value.exact for value in values[:1]):
            return _unknown(part.raw, quoted=part.quoted)
        given = values and (part.op == "+" or values[0].text)
        return _argument(part, scope, ask) if given else MarkedText("", "")
    if not part.op or part.op in ("?", ":?"):
        return None
    if values is None:
        # The environment may hold a value, or not: likely the default, but not certainly.
        shown = _argument(part, scope, ask)
        return MarkedText(shown.text, (_UNKNOWN if part.quoted else _LOOSE) * len(shown.text))
    empty = not values or (part.op.startswith(":") and not values[0].text)
    if empty and values and not values[0].exact:
        return _unknown(part.raw, quoted=part.quoted)
    return _argument(part, scope, ask) if empty else None


def _argument(part: Var, scope: Scope, ask: ExpansionHost) -> MarkedText:
    return _joined([_joined(_marked(inner, scope, ask), " ") for inner in part.arg], "")


def _valued(value: Value, part: Var) -> MarkedText:
    if not value.exact or value.pattern:
        text = value.text or part.raw
        return _unknown(text, quoted=part.quoted and not value.loose)
    mark = _QUOTED if part.quoted else _EXPANDED
    if value.text.startswith("~"):
        return MarkedText(value.text, _HOME + mark * (len(value.text) - 1))
    return MarkedText(value.text, mark * len(value.text))


# Braces


def _braces(marked: MarkedText, ask: ExpansionHost) -> Iterator[MarkedText]:
    """Expand `{a,b}` and `{1..3}`, innermost last, as often as it takes and no more."""
    if marked.text.count("{") > MOST_BRACES:
        yield _unknown(marked.text, quoted=False)
        return
    waiting = [marked]
    made = 0
    while waiting:
        now = waiting.pop()
        ask.charge(4 + len(now.text) // 64)
        options = _first_brace(now) if "{" in now.text else None
        if options is None:
            made += 1
            yield now
        else:
            waiting.extend(reversed(options))
        if made > MOST_VALUES or len(waiting) > MOST_VALUES:
            yield MarkedText("$", _LOOSE)
            return


def _first_brace(marked: MarkedText) -> list[MarkedText] | None:
    """Return the words that the first live brace makes, or None when there is none."""
    opened: list[int] = []
    commas: dict[int, list[int]] = {}
    for found in _BRACE.finditer(marked.text):
        at, char = found.start(), found.group()
        if marked.marks[at] != _PLAIN:
            continue
        if char == "{":
            opened.append(at)
            commas[at] = []
        elif char == "," and opened:
            commas[opened[-1]].append(at)
        elif char == "}" and opened:
            start = opened.pop()
            options = _options(marked, start, commas[start], at)
            if options:
                return options
    return None


def _options(marked: MarkedText, start: int, commas: list[int], end: int) -> list[MarkedText]:
    text, marks = marked.text, marked.marks
    if commas:
        cuts = [start, *commas, end]
        spans = [(a + 1, b) for a, b in pairwise(cuts)]
        middles = [(text[a:b], marks[a:b]) for a, b in spans]
    else:
        middles = [(item, _PLAIN * len(item)) for item in _range(text[start + 1 : end])]
    return [
        MarkedText(text[:start] + inner + text[end + 1 :], marks[:start] + mark + marks[end + 1 :])
        for inner, mark in middles[: MOST_VALUES + 1]
    ]


def _range(text: str) -> list[str]:
    found = _RANGE.fullmatch(text)
    if not found:
        return []
    first, last, step = found.groups()
    by = abs(int(step or 1)) or 1
    if first.lstrip("-").isdigit() and last.lstrip("-").isdigit():
        start, end = int(first), int(last)
        return [str(n) for n in _between(start, end, by)]
    if first.isalpha() and last.isalpha():
        return [chr(n) for n in _between(ord(first), ord(last), by)]
    return []


def _between(start: int, end: int, by: int) -> range:
    full = range(start, end + 1, by) if start <= end else range(start, end - 1, -by)
    return full[: MOST_VALUES + 1]


# Splitting, tildes, patterns


def _split(marked: MarkedText) -> Iterator[MarkedText]:
    """Split at blanks that an unquoted expansion brought in; an empty expansion is no word."""
    text, marks = marked.text, marked.marks
    start = 0
    for run in _RUN.finditer(marks):
        for blank in _BLANK.finditer(text, run.start(), run.end()):
            if blank.start() > start:
                yield MarkedText(text[start : blank.start()], marks[start : blank.start()])
            start = blank.end()
    if start < len(text) or not start:
        yield MarkedText(text[start:], marks[start:])


def _values(marked: MarkedText, ask: ExpansionHost) -> list[Value]:
    """Return a field, or the files that it meets where it is a pattern and that is known."""
    text, marks = marked.text, marked.marks
    live = any(marks[found.start()] in (_PLAIN, _EXPANDED) for found in _GLOB.finditer(text))
    shown = _tilde(text, marks)
    exact = _known(marks) and not (marks[:1] == _PLAIN and _OTHER_PLACE.match(text))
    names = ask.names(_pattern(text, marks)) if live and exact else None
    if names is None:
        return [Value(shown, exact=exact, pattern=live, loose=_LOOSE in marks or live)]
    home = shown.startswith("~")  # a name that begins so is a name, unless the pattern did
    return [Value(name if home else _inert_tilde(name)) for name in names] or [Value(shown)]


def _pattern(text: str, marks: str) -> str:
    """Return a pattern in which only unquoted characters are live."""
    pieces = (
        char if mark in (_PLAIN, _EXPANDED) else quoted(char)
        for char, mark in zip(text, marks, strict=True)
    )
    return _tilde("".join(pieces), marks)


def _known(marks: str) -> bool:
    return _UNKNOWN not in marks and _LOOSE not in marks and _HOME not in marks[1:]


def _tilde(text: str, marks: str) -> str:
    return text if marks[:1] in (_PLAIN, _HOME) else _inert_tilde(text)
