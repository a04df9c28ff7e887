"""What could be files among the words of a program that has no row of its own.

A plain word, the value of an option, what stands behind `@`, `=` or `:`, a `file:` address, a
name inside of code, a list of names: where a rule protects such a file, a person is asked. Left
alone is what a program loads to work with it and does not show (`--env-file`, `--cert`), and what
people write to each other (`--title`).
Always true: a word is only named here, never followed; at most `MOST_WORDS` words are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from penstock.core.shell.effects import Effect, ProgramCall, Touch
from penstock.core.shell.expansion import Value
from penstock.core.shell.programs.reads.literals import is_path, named_in_code
from penstock.core.shell.programs.reads.name_list import fed, listed_in
from penstock.core.shell.programs.reads.rows import MOST_PARTS, MOST_WORDS, perhaps
from penstock.core.shell.programs.reads.vocabulary import (
    CODE,
    KEEPS,
    LISTS,
    LOADS,
    PROSE,
    SPEAKS,
    SPOKEN,
    TAKES_CODE,
    TESTERS,
    WORDS_INSIDE,
)
from penstock.core.text.late_regex import late_regex


def mentioned(call: ProgramCall, *, writes: bool = True) -> Iterator[Effect]:
    """Return what could be files among the words of a program; `writes` says that it may write."""
    changes = writes and call.name not in KEEPS | SPEAKS
    before = ""
    for word in islice(call.args, MOST_WORDS):
        tells = _is_option(word) or word.text in CODE
        option, before = before, word.text if tells else ""
        if is_free(option) or (_is_prose(option, call.name) and not word.text.startswith("-")):
            continue
        for effect in _word(word, option, call):
            yield effect
            loads = _is_plugin(option, word.text)
            if changes and not loads and isinstance(effect, Touch) and effect.value == word:
                yield Touch(word, mention=True)
    if call.name in WORDS_INSIDE and call.feed.text is not None:
        yield from perhaps(words_inside(call.feed.text))
    elif call.name in TAKES_CODE and call.feed.text is not None:
        yield from perhaps(map(Value, named_in_code(call.feed.text)))


def _is_option(word: Value) -> bool:
    return word.text.startswith("-") and "=" not in word.text


_INSTALLED = late_regex(r"(?:^|/)(?:node_modules|site-packages)/")
_CHANGED = late_regex(r"-+(?:[ofiw]|.*(?:out|dest|write|place|fix|target|save|patch|edit|file).*)")


def _is_plugin(option: str, word: str) -> bool:
    """True for a part of an installed package that an option names: plug-ins, rules, presets."""
    named = bool(option) and _INSTALLED.search(word) is not None
    return named and not _CHANGED.fullmatch(option.lower())


def is_free(option: str) -> bool:
    """True for an option whose value is loaded and not shown."""
    return option.lstrip("-").replace("_", "-").lower() in LOADS


def _is_prose(option: str, program: str) -> bool:
    return option in PROSE or (option in SPOKEN and program in SPEAKS | TESTERS)


def _word(word: Value, option: str, call: ProgramCall) -> Iterator[Effect]:
    name, equals, value = word.text.partition("=")
    if equals and (is_free(name) or _is_prose(name, call.name)):
        return
    if word.text.partition(":")[0] in CODE:
        yield from perhaps(inside_code(word.text.partition(":")[2]))
    elif equals and name in CODE:
        yield from perhaps(inside_code(value))
    elif call.name in WORDS_INSIDE and not word.text.isalnum():
        yield from perhaps(words_inside(word.text))
    elif any(sign.isspace() for sign in word.text) or (option in CODE and _is_call(word.text)):
        yield from perhaps(inside_code(word.text) if option in CODE else ())
    else:
        yield from perhaps(_listed(word, option, call))
        found = (Value(text, word.exact, word.pattern) for text in parts(word.text))
        yield from perhaps(found)


def _is_call(text: str) -> bool:
    return "(" in text or '"' in text


# Words inside of a text

_INSIDE = late_regex(r"[\s'\"`(),;=\[\]{}]+")


def words_inside(text: str) -> Iterator[Value]:
    """Return the words of a command in another language that could be files."""
    for word in islice(_INSIDE.split(text), MOST_WORDS):
        if is_candidate(word):
            yield Value(word)


def inside_code(text: str) -> Iterator[Value]:
    """Return what code names in quotes, and words in it that can only be files."""
    yield from map(Value, named_in_code(text))
    yield from (Value(word) for word in islice(_INSIDE.split(text), MOST_WORDS) if is_path(word))


# One word

_APART = late_regex(r"[=@:,;#?]+")
_ADDRESS = late_regex(r"([a-z][a-z0-9+.-]{1,30})://([^/]*)(.*)", re.IGNORECASE | re.DOTALL)
_ATTACHED = late_regex(r"-[A-Za-z]([~.]?[^=\s]*[/.][^=\s]*)")
_LOCAL = frozenset({"localhost", "127.0.0.1", "0.0.0.0", "[::1]"})  # noqa: S104
_LOCAL_SCHEMES = ("file", "sqlite", "duckdb", "unix")


def parts(text: str) -> Iterator[str]:
    """Return a word, what stands behind its `=`, `@` or `:`, and the file that an address is."""
    start, _, rest = text.partition("://")
    if rest and "/" not in start:
        yield from of_address(_APART.split(start)[-1] + "://" + rest)
        return
    attached = _ATTACHED.fullmatch(text)
    candidates = [text, *([attached.group(1)] if attached else [])]
    pieces = _APART.split(text)
    candidates += pieces[:MOST_PARTS] if len(pieces) > 1 else []
    yield from (one for one in dict.fromkeys(candidates) if is_candidate(one))


def of_address(text: str) -> Iterator[str]:
    """Return the files that an address stands for; another machine's are none of ours."""
    found = _ADDRESS.fullmatch(text)
    if not found:
        return
    scheme, host, path = found.groups()
    path = path.partition("?")[0].partition("#")[0]
    if any(name in scheme.lower() for name in _LOCAL_SCHEMES):
        yield from (one for one in (host + path, path) if is_candidate(one))
    elif host.rpartition("@")[2].partition(":")[0] in _LOCAL and is_candidate(path.lstrip("/")):
        yield path.lstrip("/")  # a server on this machine, most likely of this directory


_NO_FILE = late_regex(r"-.*|[0-9.]+|[.]{1,2}/?|[a-z]{1,3}|.*[()'\"<>|].*|.{256,}", re.DOTALL)


def is_candidate(text: str) -> bool:
    """True for a text that could be the name of a file."""
    return bool(text) and not _NO_FILE.fullmatch(text)


# Lists of names


def _listed(word: Value, option: str, call: ProgramCall) -> Iterator[Value]:
    """Return the files that a list names which the program is given."""
    name, equals, value = word.text.partition("=")
    wanted = option if not equals else name
    path = value if equals else word.text
    if path.startswith("@"):
        yield from listed_in([path[1:]], call.here)
    elif wanted.lstrip("-").replace("_", "-").lower() in LISTS:
        yield from fed(call.feed, call.here) if path == "-" else listed_in([path], call.here)
