"""What programs that list files print: ls, find, git ls-files, grep -l, and filters behind them.

Such output becomes arguments (`... | xargs rm`) or the words of a loop, so a look at the disk is
worth more than calling it unclear.
Always true: None means that it is not known. Where a test cannot be settled by names and small
texts (`-mtime`, a regular expression), the file is listed: rather one too many than one too few.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from penstock.core.shell.effects import Feed, Options, last, options
from penstock.core.shell.expansion import Value
from penstock.core.shell.look import LookHere
from penstock.core.shell.place import TELLING
from penstock.core.shell.programs.find import fd_meets, find_may_print, find_prints
from penstock.core.shell.programs.git_patches import made_patch
from penstock.core.shell.programs.line_filters import passed
from penstock.core.shell.programs.reads.git_index import in_places, indexed
from penstock.core.shell.wildcards import is_wild, matches
from penstock.core.text.late_regex import late_regex

Lister = Callable[[tuple[Value, ...], Feed, LookHere], "str | None"]
_ENDS = late_regex(r"[\n\0]")
_PLAIN = late_regex(r"[\w ./:@%,=<>#&~'\"!-]*")
_LARGE_AND_PACKED = ".git/objects/"


def listed(argv: Sequence[Value], feed: Feed, here: LookHere) -> str | None:
    """Return what a command prints when it lists files, or None."""
    argv = _any_search(argv)
    if not argv or not all(word.exact and not word.pattern for word in argv):
        return None
    row = _LISTERS.get(argv[0].text.rpartition("/")[2])
    text = row(tuple(argv[1:]), feed, here) if row else None
    if text is None or (feed.text is None and not here.grant(len(_ENDS.findall(text)))):
        return None
    return text


def _any_search(argv: Sequence[Value]) -> Sequence[Value]:
    """Return a search for an unknown text as one that may meet every file it looks at."""
    words = [word.text.rpartition("/")[2] for word in argv[:2]]
    at = 2 if words == ["git", "grep"] else 1 if words[:1] and words[0] in _SEARCHERS else 0
    first = next((n for n in range(at, len(argv)) if argv[n].text[:1] != "-"), 0) if at else 0
    if not first or argv[first].exact:
        return argv
    return [*argv[:first], Value(".*"), *argv[first + 1 :]]


_SEARCHERS = frozenset({"grep", "egrep", "fgrep", "rg"})


def _find(args: tuple[Value, ...], feed: Feed, here: LookHere) -> str | None:  # noqa: ARG001
    return find_prints(args, here)


def _ls(args: tuple[Value, ...], feed: Feed, here: LookHere) -> str | None:  # noqa: ARG001
    """Names only: what `-l`, `-R` and marks behind names print is not a list of files."""
    found = options(args, short="IwT", long="ignore width tabsize sort time hide")
    if any(name not in "1aAtrSUvXcudfB" for name, _ in found.given if len(name) == 1):
        return None
    if found.has("recursive", "classify", "long"):
        return None
    dots = "*" if not found.has("a", "A", "all", "almost-all") else ""
    names: list[str] = []
    for word in found.operands or (Value("."),):
        kind = here.kind(word.text)
        if kind in ("directory", "link") and not found.has("d", "directory"):
            inside = _inside(word.text, here, hidden=not dots)
            if inside is None or len(found.operands) > 1:
                return None
            names += inside
        elif kind is None:
            return None
        elif kind:
            names.append(word.text)
    return _lines(names)


def _inside(folder: str, here: LookHere, *, hidden: bool) -> list[str] | None:
    start = "" if folder == "." else folder.rstrip("/") + "/"
    names: list[str] = []
    for pattern in ("*", ".*") if hidden else ("*",):
        found = here.names(f"{start}{pattern}")
        if found is None:
            return None
        names += [name[len(start) :] for name in found]
    return names


def _git(args: tuple[Value, ...], feed: Feed, here: LookHere) -> str | None:  # noqa: ARG001
    """`git ls-files`: what the index names, or what is there where the index is not read.

    Then names that git usually ignores are left out where `.gitignore` names them.
    """
    if args and args[0].text == "grep":
        return _git_grep(args[1:], here)
    if args and (args[0].text == "diff" or _prints_names_only(args)):
        return _git_changed(args, here)
    if not args or args[0].text != "ls-files":
        return None
    found = options(args[1:], short="xX", long="exclude exclude-from exclude-per-directory")
    if found.has("o", "others", "d", "deleted", "s", "stage", "i", "ignored", "t", "v", "eol"):
        return None
    tracked = indexed(here.text(".git/index"))
    tracked = _perhaps_tracked(here) if tracked is None else tracked
    if tracked is None:
        return None
    wanted = [word.text for word in found.operands]
    names = [name for name in tracked if in_places(wanted, name)]
    return _lines(names, end="\0" if found.has("z") else "\n")


def _prints_names_only(args: tuple[Value, ...]) -> bool:
    """`git show --name-only --format=`: no word of the commit itself comes before the names."""
    forms = [word.text.partition("=")[2] for word in args if word.text.startswith(_FORMATS)]
    return args[0].text == "show" and bool(forms) and all(form in _BLANK for form in forms)


_FORMATS = ("--format=", "--pretty=")
_BLANK = frozenset({"", "format:", "tformat:"})


def _git_changed(args: tuple[Value, ...], here: LookHere) -> str | None:
    """`git diff --name-only`: the files that differ, which git is asked for."""
    patch = made_patch((Value("git"), *args)) if Value("--name-only") in args else ()
    names = here.git("names", *patch) if patch else None
    if names is None:
        return None
    texts = [word.text for word in args]
    wanted = texts[texts.index("--") + 1 :] if "--" in texts else []
    kept = [n for n in names.split("\0") if n and in_places(wanted, n)]
    return _lines(kept, end="\0" if Value("-z") in args else "\n")


def _gofmt(args: tuple[Value, ...], feed: Feed, here: LookHere) -> str | None:  # noqa: ARG001
    """`gofmt -l`: those Go files below its arguments that it would change, or all of them."""
    found = options(args, short="r")
    if not found.has("l") or found.has("w", "d"):
        return None
    names = _searched(found.operands or (Value("."),), here, deep=True)
    return None if names is None else _lines([name for name in names if name.endswith(".go")])


def _git_grep(args: tuple[Value, ...], here: LookHere) -> str | None:
    """`git grep -l`: the files of the index that may hold what is searched for."""
    found = options(args, short="efmABCO?", long="max-depth max-count threads context")
    tracked = indexed(here.text(".git/index"))
    listing = found.has("l", "files-with-matches", "name-only")
    if (
        tracked is None
        or not listing
        or found.has("f", "v", "L", "cached", "no-index", "untracked")
    ):
        return None
    wanted, operands = found.values("e"), [word for word in found.operands if word.text != "--"]
    if not wanted:
        wanted, operands = operands[:1], operands[1:]
    places = [word.text for word in operands]
    if any(
        place.startswith(":") or here.kind(place) == "" for place in places if not is_wild(place)
    ):
        return None  # a revision, or a pathspec with a meaning of its own
    names = [
        name for name in tracked if in_places(places, name) and _may_hold(name, wanted, found, here)
    ]
    return _lines(names, end="\0" if found.has("z", "null") else "\n")


def _perhaps_tracked(here: LookHere) -> list[str] | None:
    below = here.below(".")
    if below is None:
        return None
    ignored = _ignored(here)
    return [
        name
        for name in below
        if not name.endswith("/")
        and not name.startswith(".git/")
        and not any(_ignores(entry, name) for entry in ignored)
    ]


def _ignored(here: LookHere) -> list[str]:
    lines = (here.text(".gitignore") or "").split("\n")
    return [line.strip() for line in lines if line.strip() and line[:1] not in ("#", "!")]


def _ignores(entry: str, name: str) -> bool:
    """Say whether a line of `.gitignore` names a file or a directory above it."""
    wanted = entry.strip("/")
    if "/" in wanted:
        return name == wanted or name.startswith(f"{wanted}/")
    return any(matches(wanted, part) for part in name.split("/"))


# Programs that search


def _grep(args: tuple[Value, ...], feed: Feed, here: LookHere) -> str | None:
    found = options(
        args, short="efmABCdD", long="regexp file include exclude exclude-dir max-count context"
    )
    if not found.has("l", "files-with-matches"):
        return _grep_lines(found, feed)
    wanted = found.values("e", "regexp")
    operands = found.operands
    if not wanted and not found.has("f", "file"):
        wanted, operands = list(operands[:1]), operands[1:]
    deep = found.has("r", "R", "recursive", "dereference-recursive")
    names = _searched(operands or ((Value("."),) if deep else ()), here, deep=deep)
    if names is None or not (operands or deep):
        return None
    kept = [
        name for name in names if _included(name, found) and _may_hold(name, wanted, found, here)
    ]
    return _lines(kept, end="\0" if found.has("Z", "null") else "\n")


def _searched(operands: Sequence[Value], here: LookHere, *, deep: bool) -> list[str] | None:
    names: list[str] = []
    for word in operands:
        kind = here.kind(word.text)
        if kind == "directory" and deep:
            below = here.below(word.text)
            if below is None:
                return None
            start = word.text.rstrip("/") + "/"
            names += [start + name for name in below if not name.endswith("/")]
        elif kind is None:
            return None
        elif kind in ("file", "link"):
            names.append(word.text)
    return names


def _included(name: str, found: Options) -> bool:
    *above, last = name.split("/")
    only = [value.text for value in found.values("include")]
    without = [value.text for value in found.values("exclude")]
    folders = [value.text.rstrip("/") for value in found.values("exclude-dir")]
    return (
        (not only or any(matches(glob, last) for glob in only))
        and not any(matches(glob, last) for glob in without)
        and not any(matches(glob, part) for glob in folders for part in above)
    )


def _may_hold(name: str, wanted: Sequence[Value], found: Options, here: LookHere) -> bool:
    """Say whether a file may hold what is searched for; only plain words are looked for."""
    if not wanted or not all(_PLAIN.fullmatch(value.text) for value in wanted):
        return True
    text = here.text(name)
    if text is None:
        return _LARGE_AND_PACKED not in name
    if found.has("i", "ignore-case"):
        return any(value.text.lower().strip(".") in text.lower() for value in wanted)
    return any(_in_words(value.text, text) for value in wanted)


def _in_words(wanted: str, text: str) -> bool:
    """A dot stands for any character: what lies between the dots must all be there."""
    return all(piece in text for piece in wanted.split("."))


def _grep_lines(found: Options, feed: Feed) -> str | None:
    """Lines of a known input that hold, or with `-v` do not hold, a plain text."""
    if feed.text is None or not feed.exact or len(found.operands) != 1 or "\0" in feed.text:
        return None
    pattern = found.operands[0].text
    given = {name for name, _ in found.given}
    if most := given & {"m", "max-count"}:
        fewer = replace(found, given=tuple(one for one in found.given if one[0] not in most))
        return _first_lines(_grep_lines(fewer, feed), last(found.values(*most)))
    if given - {"v", "F", "E", "i", "invert-match"}:
        return None
    plain = pattern if "F" in given else _unescaped(pattern)
    if plain is None:
        words = [
            Value("grep"),
            *(Value(f"-{name}") for name in given if len(name) == 1),
            Value(pattern),
        ]
        return passed(words, lambda _: feed.text)
    folds = "i" in given
    wanted = plain.lower() if folds else plain
    inverted = bool(given & {"v", "invert-match"})
    return _lines(
        line
        for line in feed.text.split("\n")
        if line and (wanted in (line.lower() if folds else line)) is not inverted
    )


def _first_lines(text: str | None, count: Value | None) -> str | None:
    if text is None or count is None or not count.text.isdecimal():
        return None
    return "".join(text.splitlines(keepends=True)[: int(count.text[:6])])


def _xargs(args: tuple[Value, ...], feed: Feed, here: LookHere) -> str | None:
    """`... | xargs grep -l x`: those of a known list that may hold what is searched for."""
    found = options(args, short="nPLsd", long="max-args max-procs", first_operand_ends=True)
    command = found.operands
    if feed.text is None or not feed.exact or found.has("d", "delimiter", "I", "replace"):
        return None
    if not command or command[0].text not in ("grep", "egrep", "fgrep"):
        return None
    names = re.split(r"\0" if found.has("0", "null") else r"\s+", feed.text)
    return _grep((*command[1:], *(Value(name) for name in names if name)), Feed(), here)


def _unescaped(pattern: str) -> str | None:
    """Return the text that a regular expression stands for when it is a plain text."""
    text = re.sub(r"\\([./-])", r"\1", pattern)
    live = re.sub(r"\\[./-]", "", pattern)
    return text if re.fullmatch(r"[\w /@%,=:#~-]*", live) else None


def _ripgrep(args: tuple[Value, ...], feed: Feed, here: LookHere) -> str | None:  # noqa: ARG001
    """`rg -l` and `rg --files`: hidden files are left out unless they are asked for."""
    found = options(
        args,
        short="egtTmABC",
        long="regexp glob type type-not max-count iglob",
        first_operand_ends=False,
    )
    lists = found.has("files")
    if not lists and not found.has("l", "files-with-matches"):
        return None
    operands = found.operands if lists else found.operands[1:]
    wanted = [] if lists else list(found.operands[:1])
    names = _searched(operands or (Value("."),), here, deep=True)
    if names is None:
        return None
    hidden = found.has("hidden", "u", "unrestricted", ".")
    ignored = [] if found.has("no-ignore", "u", "unrestricted") else _ignored(here)
    kept = [
        name.removeprefix("./")
        for name in names
        if (hidden or not _is_hidden(name))
        and not any(_ignores(entry, name.removeprefix("./")) for entry in ignored)
        and _may_hold(name, wanted, found, here)
    ]
    return _lines(kept, end="\0" if found.has("0", "null") else "\n")


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") and part not in (".", "..") for part in name.split("/"))


# Lists that are only partly known

# Programs whose output is made of lines, or words, of what they read.
PASSES_LINES = frozenset(
    {
        *("cat", "tac", "head", "tail", "sort", "uniq", "grep", "egrep", "fgrep", "sed", "awk"),
        *("gawk", "cut", "tr", "nl", "shuf", "rev", "tee", "column", "paste", "rg", "fold", "fmt"),
    }
)


def perhaps_listed(argv: Sequence[Value], feed: Feed, here: LookHere) -> str:
    """Return names that a command may print which lists what git ignores, or too many files."""
    if not argv or not here.sees:
        return ""
    name, words = argv[0].text.rpartition("/")[2], [word.text for word in argv[1:]]
    if name == "git" and words:
        return _lines(_perhaps_untracked(words[0], words[1:], here))
    if name == "compgen":
        start = words[-1] if words and words[-2:-1] != ["-A"] and words[-1][:1] != "-" else ""
        return _lines(here.names(start if is_wild(start) else f"{start}*") or ())
    if name in _SHOWS_NAMES:
        return _lines(_perhaps_shown(name, words, here))
    if name in ("locate", "plocate", "mdfind"):
        return _lines([word for word in words if word[:1] != "-"])
    if name == "xargs":
        return _xargs(tuple(argv[1:]), Feed(feed.parts or None), here) or ""
    if name in ("find", "gfind"):
        return _lines(find_may_print(argv[1:], here))
    if name in ("fd", "fdfind"):
        return _lines(fd_meets(argv[1:], here) or ())
    return ""


# Programs that show the files of a directory with much around them, and the options with values.
_SHOWS_NAMES = {
    **dict.fromkeys(("ls", "dir", "vdir", "exa", "eza", "lsd"), "IwTL"),
    "tree": "LPIo",
    "du": "dtBX",
}
_MOST_SHOWN = 400


def _perhaps_shown(program: str, words: Sequence[str], here: LookHere) -> list[str]:
    """Return the files of the directories that a program shows; those that tell come first."""
    found = options(tuple(map(Value, words)), short=_SHOWS_NAMES[program])
    if program == "du" and not found.has("a", "all"):
        return []
    deep = program in ("tree", "du") or found.has("R", "recursive", "tree", "T")
    hidden = program == "du" or found.has("a", "A", "f", "all", "almost-all")
    names: list[str] = []
    for word in found.operands or (Value("."),):
        start = "" if word.text == "." else word.text.rstrip("/") + "/"
        names += [
            start + name
            for name in here.below(word.text) or ()
            if not name.endswith("/")
            and (deep or "/" not in name)
            and (hidden or not _is_hidden(name))
        ]
    names.sort(key=lambda name: TELLING.search(name) is None)
    return names[:_MOST_SHOWN]


def _perhaps_untracked(verb: str, words: Sequence[str], here: LookHere) -> list[str]:
    """Return the files that git does not have, where a command of git's lists such files."""
    letters = {letter for word in words if re.fullmatch(r"-\w+", word) for letter in word[1:]}
    others = verb == "ls-files" and (letters & {"o", "i"} or "--others" in words)
    cleaned = verb == "clean" and letters & {"x", "X"}
    if not (others or cleaned or verb == "check-ignore" or "--ignored" in words):
        return []
    narrow = "--exclude-standard" in words and "i" not in letters and "--ignored" not in words
    return _untracked(here, ignored=not narrow)


def _untracked(here: LookHere, *, ignored: bool) -> list[str]:
    tracked = set(indexed(here.text(".git/index")) or ())
    leaves_out = [] if ignored else _ignored(here)
    return [
        name
        for name in here.below(".") or ()
        if not name.endswith("/")
        and name not in tracked
        and not name.startswith(".git/")
        and not any(_ignores(entry, name) for entry in leaves_out)
    ]


# Filters of lists


def _sort(args: tuple[Value, ...], feed: Feed, here: LookHere) -> str | None:  # noqa: ARG001
    """The same lines in another order, which is nothing to a list of files."""
    if feed.text is None or not feed.exact or any(word.text[:1] != "-" for word in args):
        return None
    return feed.text


def _lines(names: Iterator[str] | Sequence[str], end: str = "\n") -> str:
    return "".join(f"{name}{end}" for name in names)


_LISTERS: Mapping[str, Lister] = {
    "find": _find,
    "gfind": _find,
    "ls": _ls,
    "git": _git,
    **dict.fromkeys(("gofmt", "goimports", "gofumpt"), _gofmt),
    **dict.fromkeys(("grep", "egrep", "fgrep", "ggrep"), _grep),
    "rg": _ripgrep,
    "xargs": _xargs,
    **dict.fromkeys(("sort", "uniq"), _sort),
}
