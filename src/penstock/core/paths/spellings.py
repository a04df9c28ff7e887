"""Say under which spellings a path must be judged, and which other names are taken for it.

Windows drops dots and spaces from the end of a name, opens `.env:x` as a stream of `.env`
and gives `.git` the short name `GIT~1`; HFS+ ignores zero-width characters; git itself takes
`.GIT` for `.git` everywhere. A workspace may be shared, mounted or cloned there, so a name
that is `.git` to any of them must not get by rules that say `.git`.
Whether a text can be a path at all is `relpath`' question, and what a spelling leads to is the
rules'. Always true: the last judged spelling is the place that the kernel would reach; an
alias is never the text it came from, and there are few; and this module imports nothing until
a name has letters beyond ASCII, because a hook that starts cold loads it.
"""

TYPE_CHECKING = False  # what `typing` calls so; type checkers know the bare name too
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# What HFS+ leaves out when it compares names (git refuses these in `.git` too), and every
# other code point that is drawn as nothing.
IGNORED = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)

# The first six letters are all that a short name keeps, so these are known by them; the
# names of six letters and digits are what Windows makes when the plain ones are taken.
SHORTENED = {
    "agentz": ".agentzero_audit.jsonl",
    "creden": "credentials",
    "gi250a": ".gitignore",
    "gi7d29": ".gitattributes",
    "gi7eba": ".gitmodules",
    "gitatt": ".gitattributes",
    "gitign": ".gitignore",
    "gitmod": ".gitmodules",
    "maba30": ".mailmap",
    "node_m": "node_modules",
    "packag": "package-lock.json",
    "pensto": "penstock.toml",
    "pnpm-l": "pnpm-lock.yaml",
    "settin": "settings.json",
    "yarn": "yarn.lock",
}
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
SHORT_NAME = 8
MOST_ALIASES = 16


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
    found: dict[str, None] = {}
    for spelling in (path, path.replace("\\", "/")):
        choices: list[list[str]] = [[]]
        for segment in spelling.split("/"):
            options = _options(segment)
            if len(choices) * len(options) > MOST_ALIASES:
                options = options[:1]
            choices = [[*chosen, option] for chosen in choices for option in options]
        for chosen in choices:
            found[normal("/".join(chosen))] = None
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


def _options(segment: str) -> list[str]:
    """Return what a name may stand for, the likeliest first."""
    if _is_plain(segment):
        return [segment]
    name = segment if segment.isascii() else _compatible(segment)
    # A stream is part of the file before the colon; dots and spaces at the end are dropped.
    name = name.partition(":")[0] or name
    name = name.strip(" ") if name.strip(" ") in (".", "..") else name.rstrip(". ") or name
    if name.lower() == ".git":
        return [".git"]
    return _long_names(name) or [name]


def _compatible(segment: str) -> str:
    """Return a name without what is drawn as nothing, wide and styled letters made plain."""
    import unicodedata

    seen = "".join(sign for sign in segment if not _is_ignored(ord(sign)))
    return unicodedata.normalize("NFKC", seen)


def _is_ignored(code: int) -> bool:
    return any(first <= code <= last for first, last in IGNORED)


def _long_names(name: str) -> list[str]:
    """Return the names that a Windows short name (`GIT~1`, `ENV~1.LOC`) may stand for."""
    stem, dot, extension = name.lower().partition(".")
    start, tilde, number = stem.partition("~")
    if not (start and tilde and number.isdecimal()) or len(stem) > SHORT_NAME:
        return []
    if start in SHORTENED:
        return [SHORTENED[start]]
    # A leading dot is dropped from short names, so both spellings are possible.
    return [f".{start}{dot}{extension}", f"{start}{dot}{extension}"]
