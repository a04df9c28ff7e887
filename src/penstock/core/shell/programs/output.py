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

MOST_TEXT = 65_536
Printer = Callable[[list[str], Feed, str], "str | None"]
_FIELD = re.compile(r"%(?:[-0-9.]*[sbqd]|%)")


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
        escapes = escapes or "e" in words[0]
        words = words[1:]
    text = " ".join(words)
    return (unescape(text) if escapes else text) + end


def _printf(words: list[str], feed: Feed, cwd: str) -> str | None:  # noqa: ARG001
    words = words[1:] if words[:1] == ["--"] else words
    if not words or words[0] == "-v":
        return None
    form, rest = unescape(words[0]), words[1:]
    fields = len([found for found in _FIELD.findall(form) if found != "%%"])
    if "%" in _FIELD.sub("", form):
        return None
    if not fields:
        return form.replace("%%", "%")
    rounds = [rest[at : at + fields] for at in range(0, max(len(rest), 1), fields)]
    return "".join(_formatted(form, values) for values in rounds[:256])


def _formatted(form: str, values: list[str]) -> str:
    waiting = iter(values)
    return _FIELD.sub(lambda m: "%" if m.group() == "%%" else next(waiting, ""), form)


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
    """A fresh name below the directory for temporary files: never one that exists."""
    return "/tmp/tmp.XXXXXXXXXX\n" if words in ([], ["-d"]) else None  # noqa: S108


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
    "base64": _decoder(base64.b64decode, "-d", "-D", "--decode", "-di", "-id"),
    "base32": _decoder(base64.b32decode, "-d", "--decode"),
    "openssl": _decoder(base64.b64decode, "-d"),
    "xxd": _decoder(lambda data: bytes.fromhex(data.decode()), "-r", "-rp", "-pr"),
    "rev": _rev,
    "tr": _tr,
    "tee": _tee,
}
