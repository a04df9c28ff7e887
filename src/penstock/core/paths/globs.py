"""Say which globs meet a path: one matcher, and a look-up that asks thousands of globs at once.

A glob is read segment by segment. `**` alone in a segment stands for any number of segments,
also none; at the end it needs at least one. `*` and `?` stay within a segment and meet a
leading dot. Every other character means itself, also `[`, `{`, `!` and the backslash.
What a match leads to is the rules' business; how a path is spelled is `relpath`'; the index that
is looked up in is made by `glob_index`.
Always true: `lookup` finds exactly the entries that `matches` would find one by one; no
pattern needs more than (its length x the path's) steps; and this module imports nothing,
because a hook that starts cold loads it with an index that `marshal` brought back.

An empty segment is met by `**` only. So a path with its leading slash kept, the spelling of
what lies outside the workspace, is met only by patterns that begin with `**`.
"""

TYPE_CHECKING = False  # what `typing` calls so; type checkers know the bare name too
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    # A segment is its text when literal; (head, tail, chunks between) when it has `*` only;
    # (text,) when it has `?` as well. A pattern is its runs of segments between the `**`.
    Segment = str | tuple[str] | tuple[str, str, tuple[str, ...]]
    Pattern = tuple[tuple[Segment, ...], ...]
    Entry = tuple[str, int]  # a tidy pattern as it is written, and its number


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
            groups[-1].append(segment(part))
    return tuple(tuple(group) for group in groups)


def segment(part: str) -> "Segment":
    """Return one segment as the matcher reads it."""
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
# `glob_index` says what an index holds. Its patterns are texts, read when they are met for the
# first time: a hook that starts cold meets few, and loads them all.

FEW, SHORT = 24, 64
MOST_KNOWN = 65_536
_patterns: "dict[str, Pattern]" = {}


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
    near: list[Entry] = []
    if of_names:
        _ask(of_names, name, near)
    if of_segments:
        for segment in set(above[at:]):
            _ask(of_segments, segment, near)
    if near:
        segments = [*above, name]
        found += [number for pattern, number in near if _meets(_known(pattern), segments)]


def _ask(shelf: "tuple[Any, ...]", text: str, near: "list[Entry]") -> None:
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
        for gram in [g for g in table if g in text] if few else grams(text, size):
            if gram in table:
                near += table[gram]
    if loose:
        near += [entry for wild, entry in loose if _fits(wild, text)]


def _known(pattern: str) -> "Pattern":
    """Return a tidy pattern in parts; read once, where a process stays."""
    found = _patterns.get(pattern)
    if found is None:
        if len(_patterns) >= MOST_KNOWN:
            _patterns.clear()
        found = _patterns[pattern] = _parse(pattern.split("/"))
    return found


def grams(text: str, size: int) -> "Collection[str]":
    """Return every piece of a text that is so many characters long; of a long text once."""
    pieces = [text[at : at + size] for at in range(len(text) - size + 1)]
    return pieces if len(pieces) < SHORT else set(pieces)
