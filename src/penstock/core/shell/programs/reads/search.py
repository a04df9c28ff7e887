"""Programs that search through files: grep, ripgrep and their kin.

A search through a whole project is everyday, and shows a line of a protected file only where it
is after such lines, or meets one in an environment file; then what lies below is told. A file
that is named is read in any case, and so is all of a directory for secrets.
Always true: whether, how often and where something is found shows none of the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from penstock.core.model import Action
from penstock.core.shell.effects import (
    HERE,
    Effect,
    Options,
    Program,
    ProgramCall,
    Touch,
    below,
    options,
    read,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.look import LookHere
from penstock.core.shell.programs.reads.rows import is_all, met, sweep
from penstock.core.shell.programs.reads.vocabulary import (
    GREP_LONG,
    GREP_SHORT,
    RG_LONG,
    RG_SHORT,
)
from penstock.core.text.sought import finds_secrets, holds_secrets, reveals

MOST_FILES = 64

_COUNTS = ("q", "quiet", "silent", "c", "count", "l", "files-with-matches", "L")


def _grep(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short=GREP_SHORT, long=GREP_LONG)
    recursive = found.has("r", "R", "recursive", "dereference-recursive") or call.name == "rgrep"
    yield from _search(found, call.here, recursive=recursive, hidden=True)


def _rg(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short=RG_SHORT, long=RG_LONG)
    unrestricted = sum(name == "u" for name, _ in found.given)
    hidden = found.has("hidden", "no-ignore", "unrestricted", ".", "all-types") or unrestricted
    recursive = not found.has("files")
    yield from _search(found, call.here, recursive=recursive, hidden=bool(hidden))


def _search(found: Options, here: LookHere, *, recursive: bool, hidden: bool) -> Iterator[Effect]:
    """The pattern is no file; a search through directories meets what its globs let it meet."""
    given = found.values("e", "regexp")
    patterns, files = (given, found.operands) if given else (found.operands[:1], found.operands[1:])
    if found.has("f", "file"):
        yield from read(found.values("f", "file"))
        files = files if given else found.operands
    if found.has(*_COUNTS):
        return
    roots = files or (HERE,)
    globs = [word for word in found.values("include", "g", "glob", "iglob", "G") if _names(word)]
    sought = not patterns or any(finds_secrets(pattern.text) for pattern in patterns)
    if not recursive:
        yield from read(met(files))
    elif globs:
        for root in roots:
            yield from read(met(_narrowed(root, glob) for glob in globs))
    else:
        named = [word for word in files if not is_all(word)]
        yield from read(met(word for word in named if not holds_secrets(word.text)), tree=sought)
        yield from read((word for word in named if holds_secrets(word.text)), tree=True)
        if not hidden or found.has("exclude", "exclude-from", "type", "t"):
            return
        if sought:
            yield from sweep(word for word in roots if is_all(word))
        else:
            names = [name for root in roots for name in _environments(root, here)]
            yield from printed(found, patterns, names, here)


def _environments(root: Value, here: LookHere) -> Iterator[str]:
    """Return the environment files of a directory, and of those in it."""
    start = "" if is_all(root) else f"{root.text.rstrip('/')}/"
    for place in (".env*", "*/.env*"):
        yield from here.names(start + place) or () if root.exact else ()


def printed(
    found: Options, patterns: Iterable[Value], names: Iterable[str], here: LookHere
) -> Iterator[Effect]:
    """Return the files of which a search prints a line that holds a secret."""
    sought = [pattern.text for pattern in patterns]
    any_case = found.has("i", "ignore-case", "y", "S", "smart-case")
    for name in islice(names, MOST_FILES):
        text = here.text(name) or ""
        if any(reveals(pattern, text, any_case=any_case) for pattern in sought):
            yield Touch(Value(name), Action.READ, mention=True)


def _names(glob: Value) -> bool:
    """True for a glob that narrows a search to some names; `!x` leaves names out."""
    return glob.text[:1] != "!" and bool(glob.text.strip("*/"))


def _narrowed(root: Value, glob: Value) -> Value:
    """Return where a search looks: the glob stands for the names that it meets."""
    text = glob.text.removeprefix("**/").lstrip("/")
    pattern = Value(text, exact=glob.exact, pattern=any(sign in text for sign in "*?["))
    return pattern if is_all(root) else below(root, pattern)


SEARCHES: Mapping[str, Program] = {
    **dict.fromkeys(
        ("grep", "egrep", "fgrep", "zgrep", "rgrep", "ggrep", "bzgrep", "xzgrep"), _grep
    ),
    **dict.fromkeys(("rg", "ripgrep", "ag", "ack", "ugrep", "ug"), _rg),
}
