"""Say which other names some file system, or git, takes for a path that has an unusual name.

Windows drops dots and spaces from the end of a name, opens `.env:x` as a stream of `.env`
and gives `.git` the short name `GIT~1`; HFS+ ignores zero-width characters; git itself takes
`.GIT` for `.git` everywhere. A workspace may be shared, mounted or cloned there, so a name
that is `.git` to any of them must not get by rules that say `.git`.
Always true: a plain name has one reading, and of any path there are few.
"""

TYPE_CHECKING = False  # what `typing` calls so; a hook that starts cold comes by here, too
if TYPE_CHECKING:
    from collections.abc import Iterator

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
SHORT_NAME = 8
MOST_ALIASES = 16


def all_readings(path: str) -> "Iterator[str]":
    """Yield every way to read a path, not yet normal; the path itself may be among them."""
    for spelling in (path, path.replace("\\", "/")):
        choices: list[list[str]] = [[]]
        for segment in spelling.split("/"):
            options = _options(segment)
            if len(choices) * len(options) > MOST_ALIASES:
                options = options[:1]
            choices = [[*chosen, option] for chosen in choices for option in options]
        yield from map("/".join, choices)


def _options(segment: str) -> list[str]:
    """Return what a name may stand for, the likeliest first."""
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
