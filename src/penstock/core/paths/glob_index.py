"""Arrange thousands of globs so that `globs.lookup` finds those that meet a path.

Made once from the rules, looked up in for every path; a hook that starts cold only looks up.
Always true: the same entries make the same index, in plain values that `marshal` can keep.
"""

from __future__ import annotations

from penstock.core.paths.globs import grams, segment, tidy

TYPE_CHECKING = False  # what `typing` calls so; the hook's last resort comes by here, too
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from penstock.core.paths.globs import Entry

# Most patterns have one of six forms that a dictionary answers:
#   exact       a/b.py      by the whole path
#   under       a/b/**      by a directory that the path lies in
#   beside      a/*.py      by the path with its name cut down to the extension
#   name        **/b.py     by the name
#   extension   **/*.py     by the extension
#   through     **/b/**     by a segment above the name
# The rest is filed under its literal beginning (a folder, "" for none), there by its rarest
# segment, and checked by the matcher. A segment is found by its text, by how it begins or
# ends, or by three letters in it; only segments like `*` and `??` are tried one by one.

IS, BEGINS, ENDS, HAS, LOOSE = range(5)
GRAM = 3
# What it costs to ask for a segment this way, in patterns that a look-up may bring in vain;
# every length of a beginning or an end beyond a gram's is one more question.
HANDICAP = {IS: 0, BEGINS: 2, ENDS: 2, HAS: 16, LOOSE: 1_000_000}
LONG_KEY = 8


def compile_globs(entries: Sequence[tuple[str, int]]) -> dict[str, Any]:
    """Arrange (pattern, number) pairs for `lookup`, in plain values that `marshal` can keep.

    A number may come with several patterns, and a pattern with several numbers.
    """
    forms = ("exact", "under", "beside", "name", "extension", "through")
    index: dict[str, Any] = {form: {} for form in forms}
    others: dict[str, list[tuple[list[str], int]]] = {}
    depth = 0
    for pattern, number in entries:
        parts = tidy(pattern).split("/")
        literal = _literal_beginning(parts)
        folder = "/".join(parts[:literal])
        form, key = _form(folder, parts[literal:])
        if form:
            index[form].setdefault(key, []).append(number)
        else:
            others.setdefault(folder, []).append((parts, number))
        if literal < len(parts):
            depth = max(depth, literal)
    folders = {folder: _filed(folder, patterns) for folder, patterns in others.items()}
    return {**index, "folders": folders, "depth": depth}


def _literal_beginning(parts: list[str]) -> int:
    for at, part in enumerate(parts):
        if _is_wild(part):
            return at
    return len(parts)


def _is_wild(part: str) -> bool:
    return "*" in part or "?" in part


def _form(folder: str, rest: list[str]) -> tuple[str, str]:
    """Tell which of the six dictionaries has a pattern, and by what; ("", "") is none."""
    if not rest:
        return ("exact", folder)
    if rest == ["**"]:
        return ("under", folder)
    last = rest[-1]
    extension = last[2:] if last.startswith("*.") else "."
    plain = not _is_wild(extension) and "." not in extension
    if len(rest) == 1 and plain:
        return ("beside", f"{folder}/{extension}" if folder else extension)
    if folder or rest[0] != "**":
        return ("", "")
    if len(rest) == 2 and plain:
        return ("extension", extension)
    if len(rest) == 2 and not _is_wild(last):
        return ("name", last)
    if len(rest) == 3 and last == "**" and not _is_wild(rest[1]):
        return ("through", rest[1])
    return ("", "")


def _filed(folder: str, patterns: list[tuple[list[str], int]]) -> tuple[Any, Any]:
    """File each pattern of a folder by what the fewest of the others have.

    The last segment of a pattern can only meet a path's name, so it has a shelf of its own.
    """
    literal = folder.count("/") + 1 if folder else 0
    keyed = [(_all_keys(parts, literal), parts, number) for parts, number in patterns]
    counts: dict[tuple[int, str], int] = {}
    for keys, _, _ in keyed:
        for key in keys:
            counts[key] = counts.get(key, 0) + 1
    shelves: tuple[list[Any], list[Any]] = ([], [])
    for keys, parts, number in keyed:
        key = min(keys, key=lambda key: counts[key] + _handicap(key))
        at = keys[key]
        _shelve(shelves[at < len(parts) - 1], key, parts[at], ("/".join(parts), number))
    return _frozen(shelves[0]), _frozen(shelves[1])


def _frozen(shelf: list[Any]) -> tuple[Any, ...]:
    """Return a shelf as `_ask` reads it: tables by size in pairs, one `()` for what is empty."""
    if not shelf:
        return ()
    literal, begins, ends, has, loose = shelf
    return (literal, *(tuple(sorted(by.items())) for by in (begins, ends, has)), tuple(loose))


def _all_keys(parts: list[str], literal: int) -> dict[tuple[int, str], int]:
    """Return everything that a pattern can be found by, with the segment that has it."""
    wild = [(at, part) for at, part in enumerate(parts) if at >= literal and part != "**"]
    return {key: at for at, part in wild for key in _keys(part)}


def _keys(part: str) -> list[tuple[int, str]]:
    if not _is_wild(part):
        return [(IS, part)]
    runs = part.replace("?", "*").split("*")
    longest = max(runs, key=len)
    if not longest:
        return [(LOOSE, part)]
    first, last = runs[0], runs[-1]
    ends = [(BEGINS, first[:GRAM]), (ENDS, last[-GRAM:]), (BEGINS, first), (ENDS, last)]
    inside = [(HAS, gram) for gram in sorted(grams(longest, min(GRAM, len(longest))))]
    return [key for key in ends + inside if key[1]]


def _handicap(key: tuple[int, str]) -> int:
    side, text = key
    return HANDICAP[side] + (LONG_KEY if side in (BEGINS, ENDS) and len(text) > GRAM else 0)


def _shelve(shelf: list[Any], key: tuple[int, str], part: str, entry: Entry) -> None:
    """Put a pattern where `_ask` finds it for every name that this segment of it meets."""
    if not shelf:
        shelf += [{}, {}, {}, {}, []]
    side, text = key
    if side == IS:
        shelf[IS].setdefault(text, []).append(entry)
    elif side == LOOSE:
        shelf[LOOSE].append((segment(part), entry))
    else:
        shelf[side].setdefault(len(text), {}).setdefault(text, []).append(entry)
