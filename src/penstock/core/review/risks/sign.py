"""Tables of signs, and the search for all of them at once in the lines that come.

A sign is a pattern with a level and a sentence; which files it speaks of is a language, a name, or
nothing in particular. All signs of a file are one RE2 automaton, so that a change is read once
however many signs there are.
Always true: a line is named once for each sign; in prose a danger is only a notice, unless agents
take that prose for instructions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct

from penstock.core.proposals.flag import RiskFlag, RiskLevel
from penstock.core.review.languages import Language, file_name
from penstock.core.review.risks.changed_text import ChangedText, LineRun
from penstock.core.text.quantities import counted

LINES_KEPT = 8  # of each flag
LINES_NAMED = 3
MOST_LINES = 50_000  # lines of one change that show some sign; more are not looked at

AnyLanguage: frozenset[Language] = frozenset()
PROSE = frozenset({Language.MARKDOWN, None})
# Prose that agents obey: what it says is done.
INSTRUCTIONS = frozenset(
    ("agents.md", "claude.md", "claude.local.md", "gemini.md", "skill.md", ".cursorrules",
     ".windsurfrules", ".clinerules", "copilot-instructions.md", "conventions.md")
)  # fmt: skip


class Sign(Struct, frozen=True, kw_only=True):
    """One sign: what a line looks like (RE2), and what it says about a change.

    It counts in `languages`, all where there are none, and in files whose path `names` accepts.
    """

    code: str
    level: RiskLevel
    text: str
    pattern: str
    languages: frozenset[Language] = AnyLanguage
    names: Callable[[str], bool] | None = None

    def speaks_of(self, changed: ChangedText) -> bool:
        """Say whether it counts in a file."""
        if self.languages and changed.language not in self.languages:
            return False
        return self.names is None or self.names(changed.path)


def found(signs: Sequence[Sign], changed: ChangedText) -> Iterator[RiskFlag]:
    """Yield a flag for each sign that the new lines show, in the order of the table."""
    wanted = tuple(sign for sign in signs if sign.speaks_of(changed))
    places = _places(wanted, changed.added) if wanted else {}
    softer = is_prose(changed)
    for number, sign in enumerate(wanted):
        if number in places:
            level = RiskLevel.NOTICE if softer else sign.level
            yield flagged(level, sign.code, sign.text, places[number])


def is_prose(changed: ChangedText) -> bool:
    """Say whether a file is for people to read; a script without a known name is none."""
    name = file_name(changed.path)
    if name in INSTRUCTIONS:
        return False
    ending = name.rpartition(".")[2]
    return changed.language in PROSE and ending in ("md", "markdown", "rst", "txt", "adoc")


def flagged(
    level: RiskLevel, code: str, text: str, lines: Sequence[int], *, removed: bool = False
) -> RiskFlag:
    """Return a flag whose sentence begins with where it is."""
    said = f"{where(lines, removed=removed)}: {text}" if lines else text
    kept = tuple(lines[:LINES_KEPT])
    return RiskFlag(level=level, code=code, text=said, lines=kept, removed=removed)


def where(lines: Sequence[int], *, removed: bool = False) -> str:
    """Name some lines: `line 3`, `lines 3, 9 and 12`, `lines 3, 9, 12 and 40 more`."""
    named = [str(line) for line in lines[:LINES_NAMED]]
    more = len(lines) - len(named)
    if more:
        named.append(f"{more:,} more")
    kind = "removed line" if removed else "line"
    word = kind if len(lines) == 1 else f"{kind}s"
    return f"{word} {' and '.join([', '.join(named[:-1]), named[-1]]) if named[1:] else named[0]}"


def times(lines: Sequence[int], word: str) -> str:
    """Return `1 network call`, `12 network calls`."""
    return counted(len(lines), word)


def _places(signs: Sequence[Sign], lines: LineRun) -> dict[int, list[int]]:
    """Return the lines on which each sign stands, by the number of the sign."""
    patterns = tuple(sign.pattern for sign in signs)
    anywhere, which = _automaton(patterns)
    places: dict[int, list[int]] = {}
    look = 0
    for _ in range(MOST_LINES):
        match = anywhere.search(lines.text, look)
        if match is None:
            break
        line = lines.line(match.start())
        for number in which.Match(line) or ():
            places.setdefault(number, []).append(lines.at(match.start()))
        look = max(lines.end(match.start()), match.start() + 1)
    return places


def search(patterns: Iterable[str], lines: LineRun) -> Iterator[tuple[int, bytes]]:
    """Yield the lines on which any of some patterns is found, with their numbers."""
    anywhere, _ = _automaton(tuple(patterns))
    look = 0
    while (match := anywhere.search(lines.text, look)) is not None:
        yield lines.at(match.start()), lines.line(match.start())
        look = max(lines.end(match.start()), match.start() + 1)


@lru_cache(maxsize=64)
def _automaton(patterns: tuple[str, ...]) -> tuple[Any, Any]:
    """Return what finds any of some patterns, and what tells which of them a line shows."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = 32 << 20
    which = re2.Set.SearchSet(options)
    for pattern in patterns:
        which.Add(f"(?m){pattern}".encode())
    which.Compile()
    either = "|".join(f"(?:{pattern})" for pattern in patterns)
    return re2.compile(f"(?m){either}".encode(), options), which
