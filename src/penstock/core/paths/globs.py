"""Say which globs meet a path: one matcher, and an index that asks thousands of globs at once.

A glob is read segment by segment. `**` alone in a segment stands for any number of segments,
also none; at the end it needs at least one. `*` and `?` stay within a segment and meet a
leading dot. Every other character means itself, also `[`, `{`, `!` and the backslash.
What a match leads to is the rules' business; how a path is spelled is `relpath`'.
Always true: `lookup` finds exactly the entries that `matches` would find one by one; no
pattern needs more than (its length x the path's) steps; and this module imports nothing,
because a hook that starts cold loads it with an index that `marshal` brought back.

An empty segment is met by `**` only. So a path with its leading slash kept, the spelling of
what lies outside the workspace, is met only by patterns that begin with `**`.
"""

TYPE_CHECKING = False  # what `typing` calls so; type checkers know the bare name too
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    # A segment is its text when literal; (head, tail, chunks between) when it has `*` only;
    # (text,) when it has `?` as well. A pattern is its runs of segments between the `**`.
    Segment = str | tuple[str] | tuple[str, str, tuple[str, ...]]
    Pattern = tuple[tuple[Segment, ...], ...]


def tidy(pattern: str) -> str:
    """Return a pattern's one spelling; never fails.

    Patterns hang from the workspace, so a leading `/` or `./` says nothing. A trailing `/`
    means everything below. Empty and `.` segments go, and `**/**` is `**`.
    """
    if pattern.endswith("/"):
        pattern += "**"
    parts: list[str] = []
    for part in pattern.split("/"):
        if part not in ("", ".") and not (part == "**" and parts and parts[-1] == "**"):
            parts.append(part)
    return "/".join(parts)


def matches(pattern: str, path: str) -> bool:
    """Say whether one pattern meets a path. To ask many patterns, use an index."""
    path = path.rstrip("/")
    return bool(path) and _meets(_parse(tidy(pattern).split("/")), path.split("/"))


# --- one pattern ---------------------------------------------------------------------------


def _parse(parts: list[str]) -> "Pattern":
    """Split a tidy pattern at its `**`. A last `**` needs a segment, so it is `**/*`."""
    groups: list[list[Segment]] = [[]]
    for part in [*parts, "*"] if parts[-1] == "**" else parts:
        if part == "**":
            groups.append([])
        else:
            groups[-1].append(_segment(part))
    return tuple(tuple(group) for group in groups)


def _segment(part: str) -> "Segment":
    if "?" in part:
        return (part,)
    if "*" not in part:
        return part
    head, *chunks, tail = part.split("*")
    return (head, tail, tuple(chunk for chunk in chunks if chunk))


def _meets(pattern: "Pattern", segments: list[str]) -> bool:
    """Fix both ends, then put each run between at its first place: no later one is better."""
    first, last = pattern[0], pattern[-1]
    if len(pattern) == 1:
        return len(first) == len(segments) and _run_fits(first, segments, 0)
    if not first and len(last) == 1 and len(pattern) == 2:  # `**/name`, the commonest by far
        return _fits(last[0], segments[-1])
    at, stop = len(first), len(segments) - len(last)
    if at > stop or not _run_fits(first, segments, 0) or not _run_fits(last, segments, stop):
        return False
    for run in pattern[1:-1]:
        at = _find_run(run, segments, at, stop)
        if at < 0:
            return False
        at += len(run)
    return True


def _find_run(run: "tuple[Segment, ...]", segments: list[str], at: int, stop: int) -> int:
    for start in range(at, stop - len(run) + 1):
        if _run_fits(run, segments, start):
            return start
    return -1


def _run_fits(run: "tuple[Segment, ...]", segments: list[str], at: int) -> bool:
    for segment in run:
        if not _fits(segment, segments[at]):
            return False
        at += 1
    return True


def _fits(segment: "Segment", text: str) -> bool:
    """Say whether a segment meets a name: each chunk at its first place is enough."""
    if isinstance(segment, str):
        return segment == text
    if len(segment) == 1:
        return _walks(segment[0], text)
    head, tail, chunks = segment
    at, stop = len(head), len(text) - len(tail)
    if not text or at > stop or not text.startswith(head) or not text.endswith(tail):
        return False
    for chunk in chunks:
        at = text.find(chunk, at, stop)
        if at < 0:
            return False
        at += len(chunk)
    return True


def _walks(part: str, text: str) -> bool:
    """Match a segment with `?` by walking all places at once, each one bit of a number.

    Trying one place after another takes quadratic time on names made for that purpose.
    """
    absent = dict.fromkeys(map(ord, text), "0")
    places: dict[str, int] = {}
    everywhere = (2 << len(text)) - 1
    reached = 1
    for sign in part:
        if sign == "*":
            reached = everywhere & -(reached & -reached)
        elif sign == "?":
            reached = everywhere & reached << 1
        else:
            if sign not in places:
                places[sign] = int("0" + text[::-1].translate({**absent, ord(sign): "1"}), 2)
            reached = (reached & places[sign]) << 1
        if not reached:
            return False
    return reached >> len(text) == 1


# --- many patterns -------------------------------------------------------------------------
#
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
FEW, SHORT = 24, 64
# What it costs to ask for a segment this way, in patterns that a look-up may bring in vain;
# every length of a beginning or an end beyond a gram's is one more question.
HANDICAP = {IS: 0, BEGINS: 2, ENDS: 2, HAS: 16, LOOSE: 1_000_000}
LONG_KEY = 8


def compile_globs(entries: "Sequence[tuple[str, int]]") -> "dict[str, Any]":
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


def lookup(index: "dict[str, Any]", path: str) -> list[int]:
    """Return the numbers of all entries whose pattern meets a path, sorted, each once."""
    path = path.rstrip("/")
    *above, name = path.split("/")
    if not name:
        return []
    found: list[int] = []
    found += index["exact"].get(path, ())
    found += index["name"].get(name, ())
    _, dot, extension = name.rpartition(".")
    if dot:
        found += index["extension"].get(extension, ())
        found += index["beside"].get(path[: -len(name)] + extension, ())
    _through(index["through"], above, found)
    _below(index, above, name, found)
    return sorted(set(found)) if len(found) > 1 else found


def _through(through: dict[str, list[int]], above: list[str], found: list[int]) -> None:
    # A segment that comes a thousand times is asked for once.
    for segment in above if len(above) < SHORT else set(above):
        if segment in through:
            found += through[segment]


def _below(index: "dict[str, Any]", above: list[str], name: str, found: list[int]) -> None:
    """Ask every folder that the path lies in, from the workspace down to the deepest known."""
    under, folders = index["under"], index["folders"]
    found += under.get("", ())
    if "" in folders:
        _search(folders[""], above, name, 0, found)
    folder = ""
    for at, segment in enumerate(above[: index["depth"]], 1):
        # An empty first segment is a path from outside: it lies in no folder of ours.
        folder = f"{folder}/{segment}" if folder else segment or "/"
        if folder in under:
            found += under[folder]
        if folder in folders:
            _search(folders[folder], above, name, at, found)


def _search(
    shelves: "tuple[Any, Any]", above: list[str], name: str, at: int, found: list[int]
) -> None:
    """Ask the shelves of one folder, which is the path's first `at` segments."""
    of_names, of_segments = shelves
    near: list[tuple[Pattern, int]] = []
    if of_names:
        _ask(of_names, name, near)
    if of_segments:
        for segment in set(above[at:]):
            _ask(of_segments, segment, near)
    if near:
        segments = [*above, name]
        found += [number for pattern, number in near if _meets(pattern, segments)]


def _ask(shelf: "tuple[Any, ...]", text: str, near: "list[tuple[Pattern, int]]") -> None:
    """Add the patterns that a shelf holds for one segment of a path."""
    literal, begins, ends, has, loose = shelf
    if text in literal:
        near += literal[text]
    for size, table in begins:
        if text[:size] in table:
            near += table[text[:size]]
    for size, table in ends:
        if text[-size:] in table:
            near += table[text[-size:]]
    for size, table in has:
        # A few pieces are sooner looked for in a name than all of a name's are looked up.
        few = len(table) <= FEW
        for gram in [g for g in table if g in text] if few else _grams(text, size):
            if gram in table:
                near += table[gram]
    if loose:
        near += [entry for wild, entry in loose if _fits(wild, text)]


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


def _filed(folder: str, patterns: "list[tuple[list[str], int]]") -> "tuple[Any, Any]":
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
        _shelve(shelves[at < len(parts) - 1], key, parts[at], (_parse(parts), number))
    return _frozen(shelves[0]), _frozen(shelves[1])


def _frozen(shelf: "list[Any]") -> "tuple[Any, ...]":
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
    inside = [(HAS, gram) for gram in sorted(_grams(longest, min(GRAM, len(longest))))]
    return [key for key in ends + inside if key[1]]


def _handicap(key: tuple[int, str]) -> int:
    side, text = key
    return HANDICAP[side] + (LONG_KEY if side in (BEGINS, ENDS) and len(text) > GRAM else 0)


def _grams(text: str, size: int) -> "Collection[str]":
    """Return every piece of a text that is so many characters long; of a long text once."""
    pieces = [text[at : at + size] for at in range(len(text) - size + 1)]
    return pieces if len(pieces) < SHORT else set(pieces)


def _shelve(
    shelf: "list[Any]", key: tuple[int, str], part: str, entry: "tuple[Pattern, int]"
) -> None:
    """Put a pattern where `_ask` finds it for every name that this segment of it meets."""
    if not shelf:
        shelf += [{}, {}, {}, {}, []]
    side, text = key
    if side == IS:
        shelf[IS].setdefault(text, []).append(entry)
    elif side == LOOSE:
        shelf[LOOSE].append((_segment(part), entry))
    else:
        shelf[side].setdefault(len(text), {}).setdefault(text, []).append(entry)
