"""What a simple command prints, when its text tells: echo, printf, cat of a here-document.

Such output becomes a path (`$(echo .env)`), a script (`echo ... | sh`) or arguments
(`... | xargs rm`), so knowing it is worth more than calling it unclear.
Always true: None means that it is not known; a text is exactly what would be printed.
"""

from __future__ import annotations

import base64
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence

from penstock.core.shell.effects import Feed
from penstock.core.shell.expansion import Value
from penstock.core.shell.syntax.words import unescape
from penstock.core.text.late_regex import late_regex

MOST_TEXT = 65_536
MOST_NUMBERS = 256
Printer = Callable[[list[str], Feed, str], "str | None"]
_FIELD = late_regex(r"%(?:(-?[0-9]{0,5}(?:\.[0-9]{0,5})?)([sbqdic])|%)")
# In `echo -e` and `%b` an octal number may have a zero in front, and `\c` ends everything.
_STOP = late_regex(r"((?:^|[^\\])(?:\\\\)*)\\c.*", re.DOTALL)
_OCTAL = late_regex(r"((?:^|[^\\])(?:\\\\)*)\\0([0-7]{1,3})")


def printed(argv: Sequence[Value], feed: Feed, cwd: str) -> str | None:
    """Return what a command prints, or None."""
    if not argv or not all(word.exact and not word.pattern for word in argv):
        return None
    row = _PRINTERS.get(argv[0].text)
    text = row([word.text for word in argv[1:]], feed, cwd) if row else None
    return text if text is not None and len(text) <= MOST_TEXT else None


def _echo(words: list[str], feed: Feed, cwd: str) -> str | None:  # noqa: ARG001
    end, escapes = "\n", False
    while words and re.fullmatch(r"-[neE]+", words[0]):
        end = "" if "n" in words[0] else end
        escapes = words[0].rindex("e") > words[0].rfind("E") if "e" in words[0] else escapes
        words = words[1:]
    text = " ".join(words)
    if not escapes:  # other shells than bash decode them all the same
        return None if "\\" in text else text + end
    shown, stopped = _shown_escapes(text)
    return shown if stopped else shown + end


def _shown_escapes(text: str) -> tuple[str, bool]:
    r"""Decode the escapes of `echo -e` and `%b`; true when a `\c` ends the output."""
    before, stop, _ = _STOP.sub(r"\1\0", text).partition("\0")
    return unescape(_OCTAL.sub(r"\1\\\2", before)), bool(stop)


def _printf(words: list[str], feed: Feed, cwd: str) -> str | None:  # noqa: ARG001
    words = words[1:] if words[:1] == ["--"] else words
    if not words or words[0] == "-v":
        return None
    form, rest = unescape(words[0]), words[1:]
    found = [field for field in _FIELD.finditer(form) if field.group() != "%%"]
    if "%" in _FIELD.sub("", form):
        return None
    if not found:
        return form.replace("%%", "%")
    size = len(found)
    rounds = [rest[at : at + size] for at in range(0, max(len(rest), 1), size)]
    made = [_formatted(form, values) for values in rounds[:256]]
    return None if None in made else "".join(text or "" for text in made)


def _formatted(form: str, values: list[str]) -> str | None:
    waiting = iter(values)
    wrong: list[str] = []

    def field(found: re.Match[str]) -> str:
        if found.group() == "%%":
            return "%"
        text = _field(found.group(2), next(waiting, ""))
        if text is None:
            wrong.append(found.group())
            return ""
        return _fitted(text, found.group(1), found.group(2))

    out = _FIELD.sub(field, form)
    return None if wrong else out


def _field(kind: str, value: str) -> str | None:
    """Return what one conversion prints, where that is plain."""
    if kind == "b":
        text, stopped = _shown_escapes(value)
        return None if stopped else text
    if kind == "q":
        return value if re.fullmatch(r"[A-Za-z0-9_./:@%+-]+", value) else None
    if kind == "c":
        return value[:1]
    if kind in "di":
        return (value or "0") if re.fullmatch(r"|-?(?:0|[1-9][0-9]{0,17})", value) else None
    return value


def _fitted(text: str, size: str, kind: str) -> str:
    """Return a text cut and padded as `%-8.3s` asks; numbers are padded with zeros too."""
    width, point, most = size.lstrip("-0").partition(".")
    text = text[: int(most or 0)] if point and kind in "sb" else text
    wide = min(int(width or 0), MOST_TEXT)
    if size.startswith("-"):
        return text.ljust(wide)
    return text.zfill(wide) if size.startswith("0") and kind in "di" else text.rjust(wide)


def _cat(words: list[str], feed: Feed, cwd: str) -> str | None:  # noqa: ARG001
    plain = not words or words == ["-"]
    return feed.text if plain and feed.exact else None


def _pwd(words: list[str], feed: Feed, cwd: str) -> str | None:  # noqa: ARG001
    return (cwd or ".") + "\n"


def _basename(words: list[str], feed: Feed, cwd: str) -> str | None:  # noqa: ARG001
    if not words or words[0].startswith("-"):
        return None
    name = posixpath.basename(words[0].rstrip("/"))
    return name.removesuffix(words[1] if len(words) > 1 else "") + "\n"


def _dirname(words: list[str], feed: Feed, cwd: str) -> str | None:  # noqa: ARG001
    return (posixpath.dirname(words[0].rstrip("/")) or ".") + "\n" if len(words) == 1 else None


def _mktemp(words: list[str], feed: Feed, cwd: str) -> str | None:  # noqa: ARG001
    """A fresh name, below the directory for temporary files unless it says another one."""
    plain = [word for word in words if word not in ("-d", "-q", "-t", "-dt", "-u")]
    if not plain:
        return "/tmp/tmp.XXXXXXXXXX\n"  # noqa: S108
    if len(plain) > 1 or plain[0].startswith("-") or "XXX" not in plain[0]:
        return None
    apart = "/" not in plain[0] and ("-t" in words or "-dt" in words)
    return f"/tmp/{plain[0]}\n" if apart else f"{plain[0]}\n"  # noqa: S108


_DATE = late_regex(r"%[-_0^#]?([A-Za-z%])")
_DATE_PIECES = {
    **dict.fromkeys("YGC", "2000"),
    **dict.fromkeys("mdHMSyjUVWIklgu", "01"),
    "F": "2000-01-01",
    "T": "00:00:00",
    "R": "00:00",
    "s": "946684800",
    "N": "000000000",
    "D": "01/01/00",
    **dict.fromkeys("bhB", "Jan"),
    **dict.fromkeys("aA", "Sat"),
    "p": "AM",
    "Z": "UTC",
    "z": "+0000",
    "%": "%",
    "n": "\n",
    "t": "\t",
}


def _date(words: list[str], feed: Feed, cwd: str) -> str | None:  # noqa: ARG001
    """Some date in the form that is asked for: no file is protected by its date."""
    forms = [word for word in words if word.startswith("+")]
    others = [word for word in words if word.startswith("-") and word not in ("-u", "--utc")]
    if len(forms) != 1 or others:
        return None
    return _DATE.sub(lambda one: _DATE_PIECES.get(one[1], "0"), forms[0][1:]) + "\n"


def _seq(words: list[str], feed: Feed, cwd: str) -> str | None:  # noqa: ARG001
    if not all(re.fullmatch(r"-?[0-9]{1,9}", word) for word in words) or not 0 < len(words) < 4:
        return None
    numbers = [int(word) for word in words]
    first, step, end = {1: (1, 1, *numbers), 2: (numbers[0], 1, numbers[-1])}.get(
        len(words), tuple(numbers)
    )
    some = range(first, end + (1 if step > 0 else -1), step) if step else range(0)
    return "".join(f"{number}\n" for number in some) if len(some) <= MOST_NUMBERS else None


def _some(text: str) -> Printer:
    """A word that differs from machine to machine, and is none that a rule knows."""

    def printer(words: list[str], feed: Feed, cwd: str) -> str | None:  # noqa: ARG001
        return text + "\n"

    return printer


def _decoder(decode: Callable[[bytes], bytes], *flags: str) -> Printer:
    """A program that decodes its input when one of its flags says so."""

    def printer(words: list[str], feed: Feed, cwd: str) -> str | None:  # noqa: ARG001
        asked = any(word in flags for word in words)
        files = [
            word for word in words if not word.startswith("-") and word not in ("enc", "base64")
        ]
        if not asked or files or feed.text is None or not feed.exact:
            return None
        try:
            return decode("".join(feed.text.split()).encode()).decode()
        except ValueError:
            return None

    return printer


def _rev(words: list[str], feed: Feed, cwd: str) -> str | None:  # noqa: ARG001
    if words or feed.text is None or not feed.exact:
        return None
    return "\n".join(line[::-1] for line in feed.text.split("\n"))


def _tr(words: list[str], feed: Feed, cwd: str) -> str | None:  # noqa: ARG001
    """Letters for letters, or none for some; classes and other flags are not known here."""
    deletes = words[:1] == ["-d"]
    sets = [_letters(unescape(word)) for word in (words[1:] if deletes else words)]
    wrong = len(sets) != (1 if deletes else 2) or any(word[:1] == "-" for word in words[deletes:])
    if wrong or feed.text is None or not feed.exact or any("[:" in word for word in words):
        return None
    if deletes:
        return feed.text.translate(dict.fromkeys(map(ord, sets[0])))
    old, new = sets
    if not new:
        return None
    return feed.text.translate(
        {ord(char): new[min(at, len(new) - 1)] for at, char in enumerate(old)}
    )


def _letters(text: str) -> str:
    """Return the letters that a set of `tr` names, its ranges written out."""

    def between(found: re.Match[str]) -> str:
        return "".join(map(chr, range(ord(found.group(1)), ord(found.group(2)) + 1)[:256]))

    return re.sub(r"(.)-(.)", between, text)


def _tee(words: list[str], feed: Feed, cwd: str) -> str | None:  # noqa: ARG001
    return feed.text if feed.exact else None


_PRINTERS: Mapping[str, Printer] = {
    "echo": _echo,
    "printf": _printf,
    "cat": _cat,
    "pwd": _pwd,
    "basename": _basename,
    "dirname": _dirname,
    "mktemp": _mktemp,
    "date": _date,
    "seq": _seq,
    "nproc": _some("4"),
    "whoami": _some("somebody"),
    "hostname": _some("machine"),
    "uname": _some("Linux"),
    "arch": _some("x86_64"),
    "uuidgen": _some("00000000-0000-4000-8000-000000000000"),
    "base64": _decoder(base64.b64decode, "-d", "-D", "--decode", "-di", "-id"),
    "base32": _decoder(base64.b32decode, "-d", "--decode"),
    "openssl": _decoder(base64.b64decode, "-d"),
    "xxd": _decoder(lambda data: bytes.fromhex(data.decode()), "-r", "-rp", "-pr"),
    "rev": _rev,
    "tr": _tr,
    "tee": _tee,
}
