"""Lists of files: which names a text file holds that a program takes its files from.

`xargs cat < names.txt`, `tar -T names.txt`, `cat $(<names.txt)`: the command does not name the
file, the list does. Only words count that are there on the disk, or that name a file elsewhere on
the machine which may hold a secret, so what else a list holds is never told to anybody.
Always true: at most `MOST_LOOKS` names are looked for in one list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from penstock.core.shell.effects import Feed
from penstock.core.shell.expansion import Value
from penstock.core.shell.look import LookHere
from penstock.core.shell.place import SOMEWHERE, TELLING
from penstock.core.text.late_regex import late_regex

MOST_TEXT = 16_384
MOST_LOOKS = 96
MOST_LINES = 512
_APART = late_regex(r"[\s\0'\"=,;:()\[\]{}]+")
_LINES = late_regex(r"[\n\0]+")


def names_in(text: str, here: LookHere) -> list[Value]:
    """Return the words of a text that are files here; those that may be secrets come first."""
    if not here.sees:
        return []
    text = text[:MOST_TEXT]
    words = dict.fromkeys((*_LINES.split(text), *_APART.split(text)))
    plain = [word.strip().lstrip("@") for word in words if _is_name(word)]  # as curl has it
    plain.sort(key=lambda word: TELLING.search(word) is None)
    return [Value(word, exact=False) for word in plain[:MOST_LOOKS] if _may_be_there(word, here)]


def _may_be_there(word: str, here: LookHere) -> bool:
    """Say whether a file is there; elsewhere on the machine that is not known, but its name is."""
    kind = here.kind(word)
    unseen = f"/{SOMEWHERE}" in word or (kind is None and word[:1] == "/")
    return bool(kind) or (unseen and bool(TELLING.search(word)))


def _is_name(word: str) -> bool:
    return 1 < len(word.strip()) < 256 and word.strip("./") != "" and word[:1] != "-"


def listed_in(paths: Iterable[str], here: LookHere) -> list[Value]:
    """Return the files that some list files name."""
    texts = (here.text(path) for path in paths)
    return [name for text in texts if text for name in names_in(text, here)]


def fed(feed: Feed, here: LookHere) -> Iterator[Value]:
    """Return the files that an input names, or may name where it is not known as a whole."""
    if feed.text is not None:
        lines = _LINES.split(feed.text)[:MOST_LINES]
        yield from (Value(line, exact=feed.exact) for line in lines if line)
        return
    yield from names_in(feed.parts, here) if feed.parts else ()
    yield from listed_in(feed.files, here)
