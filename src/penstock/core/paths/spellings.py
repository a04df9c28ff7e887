"""Say under which spellings a path must be judged; other names that stand for it are `aliases`'.

Whether a text can be a path at all is `relpath`' question, and what a spelling leads to is the
rules'. Always true: the last judged spelling is the place that the kernel would reach; and this
module imports nothing until a name is unusual, because a hook that starts cold loads it.
"""

TYPE_CHECKING = False  # what `typing` calls so; type checkers know the bare name too
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Where agents' settings are when a variable says so, and the place in the home (or the whole
# path) that rules know them by.
MOVED = {
    "CLAUDE_CONFIG_DIR": ".claude",
    "CODEX_HOME": ".codex",
    "COPILOT_HOME": ".copilot",
    "CURSOR_CONFIG_DIR": ".cursor",
    "QWEN_HOME": ".qwen",
    "KIRO_HOME": ".kiro",
    "CLINE_DIR": ".cline",
    "CLINE_HOOKS_DIR": ".cline/hooks",
    "OPENCODE_CONFIG_DIR": ".opencode",
    "OPENCODE_CONFIG": ".opencode/opencode.json",
    "AMP_SETTINGS_FILE": ".config/amp/settings.json",
    "XDG_CONFIG_HOME": ".config",
    "GEMINI_CLI_TRUSTED_FOLDERS_PATH": ".gemini/trustedFolders.json",
    "GEMINI_CLI_SYSTEM_SETTINGS_PATH": "/etc/gemini-cli/settings.json",
    "GEMINI_CLI_SYSTEM_DEFAULTS_PATH": "/etc/gemini-cli/system-defaults.json",
    "QWEN_CODE_TRUSTED_FOLDERS_PATH": ".qwen/trustedFolders.json",
    "QWEN_CODE_SYSTEM_SETTINGS_PATH": "/etc/qwen-code/settings.json",
    "QWEN_CODE_SYSTEM_DEFAULTS_PATH": "/etc/qwen-code/system-defaults.json",
}


def normal(path: str) -> str:
    """Return a path without `.`, empty and `..` segments, as if nothing were a link.

    An absolute path stays absolute. A `..` at the very top goes, as it does for the kernel;
    whoever must know that a relative path left its start makes it absolute first.
    """
    whole = f"{path}/" if path.startswith("/") else f"/{path}/"
    if "//" not in whole and "/./" not in whole and "/../" not in whole:
        return path  # as nearly all are
    kept: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if kept:
                kept.pop()
        elif part not in ("", "."):
            kept.append(part)
    return ("/" if path.startswith("/") else "") + "/".join(kept)


def joined(given: str, root: str, base: str = "") -> str:
    """Return an absolute path that is not yet normal; it hangs from `base`, or the root."""
    if given.startswith("/"):
        return given
    start = base if base.startswith("/") else f"{root}/{base}" if base else root
    return f"{start.rstrip('/')}/{given}"


def beneath(path: str, root: str) -> "str | None":
    """Return a path relative to a normal root, "" for the root itself, None for outside."""
    if path == root:
        return ""
    above = root if root == "/" else f"{root}/"
    return path[len(above) :] if path.startswith(above) else None


def renamed(place: str, moved: "Iterable[tuple[str, str]]") -> "list[str]":
    """Return what a place is called by those who know moved directories by their usual place."""
    found = []
    for there, usual in moved:
        rest = beneath(place, there)
        if rest is not None:
            found.append(f"{usual}/{rest}" if rest else usual)
    return found


def written_out(place: str, home: str) -> "list[str]":
    """Return the usual places of settings that a path names by a variable, as in a command.

    Where the variable leads only the shell knows; what rules say of the usual place holds there.
    """
    found = []
    parts = place.split("/")
    for at, part in enumerate(parts):
        usual = MOVED.get(part[1:].strip("{}")) if part[:1] == "$" else None
        if usual:
            start = usual if usual.startswith("/") else f"{home}/{usual}"
            found.append("/".join([start, *parts[at + 1 :]]))
    return found


def spellings(
    given: str,
    *,
    root: str,
    base: str = "",
    resolve: "Callable[[str], str] | None" = None,
    known_as: "Callable[[str], Iterable[str]] | None" = None,
    folds: bool = False,
) -> tuple[str, tuple[str, ...], tuple[str, ...], bool]:
    """Return what to show, what to judge, what may only tighten, and whether any is outside.

    These are the fields of a Target; `paths.locate` says what they mean.
    """
    whole = joined(given, root, base)
    places = [normal(whole)]
    if resolve is not None:
        places.append(normal(resolve(places[0])))
        if whole != places[0]:
            # After `link/..` the kernel is elsewhere than a program that tidies paths first.
            places.append(normal(resolve(whole)))
    known: list[str] = []
    if known_as is not None:
        for place in dict.fromkeys(places):
            known += known_as(place)
    if not known and not folds and places.count(whole) == len(places):
        plain = beneath(whole, normal(root))
        if plain:  # as nearly all are: written as the place that it leads to
            return plain, (plain,), tuple(aliases(plain)), False
    roots = [normal(root)]
    below = [beneath(one, roots[0]) for one in (whole, *places, *known)]
    if resolve is not None and not all(below):  # most lie below the root as it is written
        roots.append(normal(resolve(root)))
    spelled = [_spelled(place, roots) for place in places]
    inside = [spelling for spelling in spelled if not spelling.startswith("/")]
    besides = [_spelled(other, roots) for other in known]
    # First of all, because the last one is where a write would go.
    judged = _last_of_each([*besides, *(inside or spelled)])
    others = [*spelled, *besides, _as_given(whole, roots)]
    others += [alias for spelling in _last_of_each(others) for alias in aliases(spelling)]
    if folds:
        others += [fold(spelling) for spelling in (*judged, *others)]
    tightening = tuple(other for other in _last_of_each(others) if other not in judged)
    return spelled[0], judged, tightening, len(inside) < len(spelled)


def _spelled(place: str, roots: "Iterable[str]") -> str:
    """Return a place as rules see it: relative to the workspace, or absolute outside it."""
    for root in roots:
        relative = beneath(place, root)
        if relative is not None:
            return relative or "."
    return place


def _as_given(whole: str, roots: "Iterable[str]") -> str:
    """Return a path relative to the workspace where it begins there, otherwise untouched."""
    for root in roots:
        relative = beneath(whole, root)
        if relative:
            return relative
    return whole


def _last_of_each(spellings: "Iterable[str]") -> tuple[str, ...]:
    return tuple(reversed(dict.fromkeys(reversed(list(spellings)))))


def fold(text: str) -> str:
    """Return a text as a file system sees it that takes `A` and `a` for one name.

    Both sides need it: a folded path is compared with folded patterns.
    """
    if text.isascii():
        return text.lower()
    import unicodedata

    apart = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", apart.casefold()))


def aliases(path: str) -> list[str]:
    """Return the other names that some file system, or git, takes for this path."""
    if "\\" not in path and all(map(_is_plain, path.split("/"))):
        return []
    from penstock.core.paths.aliases import all_readings  # of few paths; a hook starts without it

    found = dict.fromkeys(map(normal, all_readings(path)))
    return [alias for alias in found if alias not in ("", "/", path)]


def _is_plain(segment: str) -> bool:
    """Say whether a name has nothing that anyone would read as another one."""
    return (
        segment.isascii()
        and not segment.endswith((" ", "."))
        and "~" not in segment
        and ":" not in segment
        and (len(segment) != len(".git") or segment.lower() != ".git" or segment == ".git")
    ) or segment in (".", "..")
