"""Users' regexes: check them, search with them, and search with very many at once.

Only RE2 is used: linear time whatever the text, and the language of the Rust program whose
rule files we read. Which field a regex speaks of is the rules' business.
Always true: no pattern and no text makes a search slow or noisy, and a search never raises
for a pattern that `check` found nothing wrong with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, cast

from penstock.core.errors import RulesError
from penstock.core.policy.regex_faults import Fault, explained, pieces

MAX_LENGTH = 10_000  # characters; the largest regex that a person could still mean
MAX_MEMORY = 2 * 1024 * 1024  # bytes for one compiled pattern with its automaton
SET_MEMORY = 8 * 1024 * 1024  # bytes for a set of patterns
SURELY_SMALL = 512  # characters; a pattern that parses then also compiles, unless it repeats
LARGE = ("{", "\\p", "\\P")  # what makes a short pattern a large program


def check(pattern: str) -> str | None:
    """Return what is wrong with a pattern, with the position, or None."""
    found = fault(pattern)
    return None if found is None else str(found)


def fault(pattern: str) -> Fault | None:
    """Return what is wrong with a pattern, or None when RE2 accepts it."""
    found = weigh(pattern)
    return found if isinstance(found, Fault) else None


@lru_cache(maxsize=4096)  # rules of one file often share what they exclude
def weigh(pattern: str) -> Fault | int:
    """Return what is wrong with a pattern, or how large it is when compiled (0: small)."""
    if len(pattern) > MAX_LENGTH:
        return Fault(what=f"longer than {MAX_LENGTH} characters", hint="split it into two rules")
    try:
        if len(pattern) <= SURELY_SMALL and not any(sign in pattern for sign in LARGE):
            # Adding to a set parses and does not compile: seven times quicker.
            _re2().Set.SearchSet(_options(captures=True)).Add(pattern)
            return 0
        return size(pattern)
    except UnicodeEncodeError as error:
        return Fault(what="not Unicode text", position=error.start, hint="remove the character")
    except _re2().error:
        return explained(pattern, _message(pattern))


def size(pattern: str) -> int:
    """Return how many instructions a pattern that holds is compiled to."""
    return int(_re2().compile(pattern, _options(captures=True)).programsize)


def _message(pattern: str) -> str:
    """Return RE2's own message about a pattern; a set does not give it."""
    try:
        _re2().compile(pattern, _options(captures=True))
    except _re2().error as error:
        raw = error.args[0] if error.args else b""
        return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)
    return ""  # pragma: no cover - it was refused a moment ago


def re_escape(text: str) -> str:
    """Return a regex for exactly this text, in RE2's and Rust's language."""
    return "".join(f"\\{c}" if c in r"\.+*?()|[]{}^$" else c for c in text)


def search(pattern: str, text: str) -> bool:
    """Say whether a pattern occurs anywhere in a text; `^` and `$` anchor it."""
    return _searcher(pattern)(_encoded(text)) is not None


@lru_cache(maxsize=4096)
def _searcher(pattern: str) -> Callable[[bytes], object]:
    found = fault(pattern)
    if found is not None:
        message = f"the regex `{pattern[:200]}` is not valid: {found}"
        raise RulesError("bad-regex", message, hint=found.hint)
    return cast("Callable[[bytes], object]", _re2().compile(pattern, _options()).search)


def _encoded(text: str) -> bytes:
    # A lone surrogate is hostile, not unsearchable: it hides nothing beside it.
    return text.encode("utf-8", "surrogatepass")


@cache
def _re2() -> Any:
    """Import late: most decisions are about paths and need no regex at all."""
    import re2

    return re2


@cache
def _options(*, captures: bool = False, memory: int = MAX_MEMORY) -> Any:
    options = _re2().Options()
    options.log_errors = False
    options.never_capture = not captures
    options.max_mem = memory
    return options


GRAM = 4  # characters; commands share most runs of three
CHUNK = 256  # patterns in one set: beyond, its automaton outgrows any cache
ALWAYS = ""  # the first pattern of every set; a set that misses it ran out of memory

Asked = tuple[list[int], Callable[[bytes], list[int] | None] | None]


class Bank:
    """Many patterns over one kind of text; asking all costs about what asking a few does.

    Most patterns contain characters that any match must contain too. Those are found by the
    runs of characters in the text; the others are asked together, in sets. Whatever turns
    up is asked once more by itself, so that a set can only ever suggest.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = tuple(patterns)
        needed = {at: run for at, p in enumerate(patterns) if (run := literal(p))}
        self._by_gram = _by_rarest_gram(needed)
        other = [at for at in range(len(patterns)) if at not in needed]
        chunks = [other[at : at + CHUNK] for at in range(0, len(other), CHUNK)]
        self._sets = [_asked_together(patterns, chunk) for chunk in chunks]

    def hits(self, text: str) -> list[int]:
        """Return the numbers of all patterns that occur in a text, ascending."""
        return sorted(at for at in self._near(text) if search(self._patterns[at], text))

    def _near(self, text: str) -> Iterator[int]:
        if self._by_gram:
            for gram in {text[at : at + GRAM] for at in range(len(text) - GRAM + 1)}:
                yield from (at for at, run in self._by_gram.get(gram, ()) if run in text)
        encoded = _encoded(text) if self._sets else b""
        for numbers, matcher in self._sets:
            found = matcher(encoded) if matcher else None
            # Without its first pattern the answer is no answer; then each one is asked.
            yield from (numbers[n - 1] for n in found if n) if found and 0 in found else numbers


def _asked_together(patterns: Sequence[str], numbers: list[int]) -> Asked:
    made = _re2().Set.SearchSet(_options(memory=SET_MEMORY))
    try:
        for pattern in (ALWAYS, *(patterns[at] for at in numbers)):
            made.Add(pattern)
        made.Compile()
    except _re2().error:
        return numbers, None  # too large together: each is asked by itself
    return numbers, made.Match


def _by_rarest_gram(needed: dict[int, str]) -> dict[str, list[tuple[int, str]]]:
    """File each run under the gram that the fewest runs share."""
    shared = Counter(gram for run in needed.values() for gram in _grams(run))
    filed: dict[str, list[tuple[int, str]]] = {}
    for at, run in needed.items():
        filed.setdefault(min(_grams(run), key=shared.__getitem__), []).append((at, run))
    return filed


def _grams(run: str) -> Iterable[str]:
    return [run[at : at + GRAM] for at in range(len(run) - GRAM + 1)]


def literal(pattern: str) -> str:
    """Return the longest run of characters that every match contains, or "" if none is sure.

    Only the top level is read. Alternatives and flags make it give up, because both can
    make a character optional or different.
    """
    runs, run, depth, counting = [""], "", 0, False
    for _, piece in pieces(pattern):
        if (piece == "|" and not depth) or (piece[:2] == "(?" and piece != "(?:"):
            return ""
        depth += (piece[0] == "(") - (piece == ")")
        char = "" if depth or counting else stands_for(piece)
        # The digits between `{` and `}` are a count and no characters.
        counting = piece == "{" or (counting and piece != "}")
        if char:
            run += char
            continue
        # `ab*` needs no b, `ab+` needs one; after either the next run begins.
        runs.append(run[:-1] if piece in "*?{" else run)
        run = ""
    longest = max((*runs, run), key=len)
    return longest if len(longest) >= GRAM else ""


VARIES = frozenset(".^$*+?{()")


def stands_for(piece: str) -> str:
    """Return the one character that a piece must match, or "" when it may vary."""
    if piece[0] == "\\":
        return piece[1] if len(piece) == 2 and not piece[1].isalnum() else ""
    return "" if piece in VARIES or piece[0] in "[(" else piece
