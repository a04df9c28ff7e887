"""Programs that pass lines on: which of the lines that they are given come out again.

`head -5 f > tmp && mv tmp f` loses what `head` leaves out, so what comes out is computed from the
text that goes in. A line counts as itself also where `sed` changes a part of it: what matters is
which lines are no longer there.
Always true: None means that it is not known; nothing is read here, texts are handed in; regular
expressions are RE2's, so no pattern takes long.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from penstock.core.shell.effects import Options, options
from penstock.core.shell.expansion import Value
from penstock.core.text.late_regex import late_regex

MOST_TEXT = 1 << 20
MOST_SCRIPT = 4_096
MOST_COMMANDS = 32
Read = Callable[[Value], str | None]
_INPUT = Value("-")


def passed(argv: Sequence[Value], read: Read) -> str | None:
    """Return what a filter prints; `read` gives the text of a file, or of the input for `-`."""
    if not argv or not all(word.exact and not word.pattern for word in argv):
        return None
    row = _FILTERS.get(argv[0].text.rpartition("/")[2])
    text = row(tuple(argv[1:]), read) if row else None
    return text if text is not None and len(text) <= MOST_TEXT else None


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, each with its end; only a line feed ends one."""
    *whole, last = text.split("\n")
    return [f"{line}\n" for line in whole] + ([last] if last else [])


def _all_of(files: Sequence[Value], read: Read) -> str | None:
    """Return some files one behind the other; without any, the input."""
    texts = [read(file) for file in files or (_INPUT,)]
    return None if None in texts else "".join(text or "" for text in texts)


def _nothing(args: Sequence[Value], read: Read) -> str | None:  # noqa: ARG001 - a row of the table
    return ""


def _cat(args: Sequence[Value], read: Read) -> str | None:
    found = options(args)
    return None if found.given else _all_of(found.operands, read)


# Ends of files

_OLD_COUNT = late_regex(r"-([0-9]{1,9})")
_COUNT = late_regex(r"([-+]?)([0-9]{1,9})")


def _counted(args: Sequence[Value]) -> tuple[Options, str, int, bool] | None:
    """Return the words of `head` and `tail`, the sign and number, and whether bytes are meant."""
    old = _OLD_COUNT.fullmatch(args[0].text) if args else None
    words = (Value(f"-n{old[1]}"), *args[1:]) if old else args
    given = options(words, short="nc", long="lines bytes")
    if any(name not in ("n", "c", "lines", "bytes", "q", "quiet") for name, _ in given.given):
        return None
    amount = [*given.values("n", "lines"), *given.values("c", "bytes"), Value("10")][0]
    number = _COUNT.fullmatch(amount.text)
    if number is None or len(given.operands) > 1:
        return None
    return given, number[1], int(number[2]), given.has("c", "bytes")


def _head(args: Sequence[Value], read: Read) -> str | None:
    found = _counted(args)
    text = _all_of(found[0].operands, read) if found else None
    if found is None or text is None:
        return None
    _, sign, number, in_bytes = found
    pieces: Sequence[str] = text if in_bytes else lines_of(text)
    return "".join(pieces[:-number] if sign == "-" and number else pieces[:number])


def _tail(args: Sequence[Value], read: Read) -> str | None:
    found = _counted(args)
    text = _all_of(found[0].operands, read) if found else None
    if found is None or text is None:
        return None
    _, sign, number, in_bytes = found
    pieces: Sequence[str] = text if in_bytes else lines_of(text)
    start = max(number - 1, 0) if sign == "+" else max(len(pieces) - number, 0)
    return "".join(pieces[start:])


# Other orders: a line is lost only where it is no longer there at all


def _sort(args: Sequence[Value], read: Read) -> str | None:
    found = options(args, short="kStTo", long="key buffer-size field-separator parallel output")
    text = _all_of(found.operands, read)
    if text is None or not found.has("u", "unique"):
        return text
    return "".join(dict.fromkeys(lines_of(text)))


def _uniq(args: Sequence[Value], read: Read) -> str | None:
    found = options(args, short="fsw", long="skip-fields skip-chars check-chars")
    text = None if found.given or len(found.operands) > 1 else _all_of(found.operands, read)
    if text is None:
        return None
    lines = lines_of(text)
    return "".join(line for at, line in enumerate(lines) if not at or line != lines[at - 1])


def _tac(args: Sequence[Value], read: Read) -> str | None:
    return _all_of(options(args).operands, read)


# Changes inside of lines


def _same(short: str = "", long: str = "") -> Callable[[Sequence[Value], Read], str | None]:
    """A program that changes blanks, letters or line ends, and takes no line away."""

    def row(args: Sequence[Value], read: Read) -> str | None:
        return _all_of(options(args, short=short, long=long).operands, read)

    return row


def _tr(args: Sequence[Value], read: Read) -> str | None:
    return None if any(r"\n" in word.text or "\n" in word.text for word in args) else read(_INPUT)


_SETS = late_regex(r"\.|.*[^=!<>]\|?=[^=].*|\s*(?:del|walk|with_entries|sort_by)\(.*", re.DOTALL)


def _jq(args: Sequence[Value], read: Read) -> str | None:
    """A filter that sets or deletes something passes the rest on."""
    found = options(args, short="fLI", long="indent from-file")
    named = {"arg", "argjson", "slurpfile", "rawfile", "args", "n", "null-input", "f", "from-file"}
    sets = bool(found.operands) and _SETS.fullmatch(found.operands[0].text)
    if not sets or found.has(*named - {"arg", "argjson"}):
        return None
    files = found.operands[1:] if not found.has("arg", "argjson") else found.operands[-1:]
    return _all_of(files, read)


# Searches

_GREP = frozenset("vEFGiwxhs") | {"invert-match", "extended-regexp", "fixed-strings", "ignore-case"}


def _grep(args: Sequence[Value], read: Read) -> str | None:
    found = options(args, short="efmABC", long="regexp file max-count context")
    wanted, files = found.values("e", "regexp"), found.operands
    if not wanted:
        wanted, files = list(files[:1]), files[1:]
    flags = {name for name, _ in found.given if name not in ("e", "regexp")}
    text = _all_of(files, read) if wanted and flags <= _GREP and len(files) < 2 else None
    tests = [_test(one.text, flags) for one in wanted]
    if text is None or None in tests:
        return None
    out = bool(flags & {"v", "invert-match"})
    lines = lines_of(text)
    return "".join(
        line for line in lines if any(test and test(line.rstrip("\n")) for test in tests) is not out
    )


def _test(pattern: str, flags: set[str]) -> Callable[[str], object] | None:
    if flags & {"F", "fixed-strings"}:
        source = re.escape(pattern)
    else:
        source = pattern if flags & {"E", "extended-regexp"} else extended(pattern)
    source = f"^(?:{source})$" if "x" in flags else source
    source = rf"\b(?:{source})\b" if "w" in flags else source
    return _searcher(f"(?i){source}" if flags & {"i", "ignore-case"} else source)


def _searcher(source: str) -> Callable[[str], object] | None:
    import re2  # few commands rewrite a file by its lines

    try:
        compiled: Any = re2.compile(source)
    except (re2.error, UnicodeError):
        return None
    return lambda line: compiled.search(
        line.encode(errors="surrogateescape").decode(errors="replace")
    )


_SWAPPED = frozenset("(){}|+?")


def extended(pattern: str) -> str:
    """Return a basic regular expression as an extended one: backslashes mean the opposite."""
    out, at = [], 0
    while at < len(pattern):
        char, after = pattern[at], pattern[at + 1 : at + 2]
        if char == "[":
            end = pattern.find("]", at + (3 if after == "^" else 2))
            end = len(pattern) if end < 0 else end + 1
            out.append(pattern[at:end])
            at = end
            continue
        if char == "\\" and after:
            out.append(after if after in _SWAPPED else r"\b" if after in "<>" else char + after)
            at += 2
            continue
        out.append(f"\\{char}" if char in _SWAPPED else char)
        at += 1
    return "".join(out)


# sed


class _Sed(Struct, frozen=True):
    """One command of a script: its addresses, whether they are turned round, and its letter."""

    first: str
    second: str
    negated: bool
    letter: str


_ADDRESS = r"[0-9]+(?:~[0-9]+)?|\$|/(?:[^/\\\n]|\\.)+/I?"
_SED = late_regex(
    rf"[\s;]*({_ADDRESS})?(?:,({_ADDRESS}|\+[0-9]+|~[0-9]+))?\s*(!?)\s*"
    r"(?:([dpqQ=])|([sy])(?P<mark>[^\w\s\\])((?:(?!(?P=mark))[^\\]|\\.)*)(?P=mark)"
    r"((?:(?!(?P=mark))[^\\]|\\.)*)(?P=mark)([gIpimM0-9]*)"
    r"|([aic])(?:[^\n]|\\\n)*)[ \t]*(?=[;\n]|$)",
    re.DOTALL,
)
_WHOLE_LINE = late_regex(r"\^?\.[*+]\$?")


def _commands(script: str) -> list[_Sed] | None:
    """Return the commands of a script, or None where it has others than choose and change lines."""
    found: list[_Sed] = []
    at = 0
    while script[at:].strip(" \t\n;"):
        one = _SED.match(script, at) if len(found) < MOST_COMMANDS else None
        if one is None:
            return None
        first, second, negated, letter, swap, _, old, new, _, adds = one.groups()
        if swap == "s" and not new and _WHOLE_LINE.fullmatch(old):
            letter = "d"  # what is on the line goes
        found.append(_Sed(first or "", second or "", bool(negated), letter or swap or adds))
        at = one.end()
    return found


def keeps_lines(scripts: Sequence[Value]) -> bool:
    """Say whether scripts of sed change lines only in part, and take none away."""
    known = [_commands(one.text) if len(one.text) <= MOST_SCRIPT else None for one in scripts]
    return all(some is not None and all(c.letter in "syai=p" for c in some) for some in known)


def sed_leaves(scripts: Sequence[Value], text: str, *, quiet: bool, wide: bool) -> str | None:
    """Return the lines that `sed` prints; `quiet` is its `-n`, `wide` its `-E`."""
    script = "\n".join(one.text for one in scripts)
    known = _commands(script) if len(script) <= MOST_SCRIPT else None
    if known is None or not all(one.exact for one in scripts):
        return None
    lines = lines_of(text)
    ranges = [_chosen(one, lines, wide=wide) for one in known]
    if any(some is None for some in ranges):
        return None
    out: list[str] = []
    for at, line in enumerate(lines):
        shown, ends = _line(
            line, [c for c, some in zip(known, ranges, strict=True) if some and some[at]], quiet
        )
        out += shown
        if ends:
            break
    return "".join(out)


def _line(line: str, commands: Sequence[_Sed], quiet: bool) -> tuple[list[str], bool]:
    """Return what is printed of a line, and whether it is the last that is read."""
    shown: list[str] = []
    for one in commands:
        if one.letter == "p":
            shown.append(line)
        elif one.letter in "dc":
            return shown, False
        elif one.letter in "qQ":
            return shown + ([line] if one.letter == "q" and not quiet else []), True
    return shown + ([] if quiet else [line]), False


def _chosen(one: _Sed, lines: Sequence[str], *, wide: bool) -> list[bool] | None:
    """Return for each line whether a command's addresses choose it."""
    if not one.first:
        return [not one.negated] * len(lines)
    starts = _met(one.first, lines, wide=wide)
    ends = _met(one.second, lines, wide=wide) if one.second[:1] not in ("", "+", "~") else None
    if starts is None or (ends is None and one.second[:1] not in ("", "+", "~")):
        return None
    chosen = [*_range(one, starts, ends, len(lines))] if one.second else starts
    return [hit is not one.negated for hit in chosen]


def _met(address: str, lines: Sequence[str], *, wide: bool) -> list[bool] | None:
    if address == "$":
        return [at == len(lines) for at in range(1, len(lines) + 1)]
    if address[0] == "/":
        body = address[1 : address.rindex("/")].replace("\\/", "/")
        test = _searcher(
            ("(?i)" if address.endswith("I") else "") + (body if wide else extended(body))
        )
        return None if test is None else [bool(test(line.rstrip("\n"))) for line in lines]
    first, tilde, step = address.partition("~")
    if tilde:
        each = int(step) or 1
        return [
            at >= int(first) and (at - int(first)) % each == 0 for at in range(1, len(lines) + 1)
        ]
    return [at == int(first) for at in range(1, len(lines) + 1)]


def _range(
    one: _Sed, starts: Sequence[bool], ends: Sequence[bool] | None, count: int
) -> Iterator[bool]:
    """Yield which lines a range such as `3,/end/` holds; a number that has passed ends it."""
    until, inside = 0, False
    for at in range(1, count + 1):
        if inside:
            last = ends[at - 1] if ends is not None else at >= until
            last = last or (one.second.isdecimal() and at >= int(one.second))
            inside = not last
            yield True
        elif starts[at - 1]:
            until = at + int(one.second[1:] or 0) if one.second[0] in "+~" else 0
            inside = not (one.second.isdecimal() and int(one.second) <= at) and until != at
            yield True
        else:
            yield False


def sed_words(args: Sequence[Value]) -> tuple[Options, list[Value], tuple[Value, ...]]:
    """Take apart the words of sed: options, scripts, files; BSD's `-i ''` has an empty suffix."""
    found = options(args, short="efli?", long="expression file line-length")
    scripts, files = found.values("e", "expression"), found.operands
    if found.has("i", "in-place") and files[:1] == (Value(""),):
        files = files[1:]
    if not scripts and not found.values("f", "file"):
        scripts, files = list(files[:1]), files[1:]
    return found, scripts, files


def _sed(args: Sequence[Value], read: Read) -> str | None:
    found, scripts, files = sed_words(args)
    if found.has("i", "in-place", "f", "file", "s", "z") or not scripts:
        return None
    text = _all_of(files, read)
    quiet, wide = found.has("n", "quiet", "silent"), found.has("E", "r", "regexp-extended")
    return None if text is None else sed_leaves(scripts, text, quiet=quiet, wide=wide)


# awk

_AWK = late_regex(
    r"\s*NR\s*(<=|>=|<|>|==|!=)\s*([0-9]{1,9})\s*(?:\{\s*print(?:\s+\$0)?\s*;?\s*\})?\s*"
)
_COMPARES: Mapping[str, Callable[[int, int], bool]] = {
    "<=": int.__le__,
    ">=": int.__ge__,
    "<": int.__lt__,
    ">": int.__gt__,
    "==": int.__eq__,
    "!=": int.__ne__,
}


def _awk(args: Sequence[Value], read: Read) -> str | None:
    """Lines by their numbers; any other program is not followed."""
    one = _AWK.fullmatch(args[0].text) if args else None
    text = _all_of(args[1:], read) if one else None
    if one is None or text is None:
        return None
    lines = enumerate(lines_of(text), start=1)
    return "".join(line for at, line in lines if _COMPARES[one[1]](at, int(one[2])))


_FILTERS: Mapping[str, Callable[[Sequence[Value], Read], str | None]] = {
    **dict.fromkeys((":", "true", "false"), _nothing),
    "cat": _cat,
    "head": _head,
    "tail": _tail,
    "sort": _sort,
    "uniq": _uniq,
    "tac": _tac,
    "tr": _tr,
    **dict.fromkeys(("expand", "unexpand"), _same("t", "tabs")),
    "iconv": _same("ft", "from-code to-code"),
    "nl": _same("bvw"),
    **dict.fromkeys(("jq", "yq", "gojq", "jaq"), _jq),
    **dict.fromkeys(("grep", "egrep", "fgrep"), _grep),
    **dict.fromkeys(("sed", "gsed"), _sed),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk),
}
