"""Programs that search through files: grep, ripgrep and their kin.

A search through a whole project is everyday, and shows a line of a protected file only where it
is after such lines; then what lies below is told. A file that is named is read in any case.
Always true: whether, how often and where something is found shows none of the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from penstock.core.shell.effects import (
    HERE,
    Effect,
    Options,
    Program,
    ProgramCall,
    below,
    options,
    read,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.programs.reads.rows import is_all, met, sweep
from penstock.core.shell.programs.reads.vocabulary import (
    GREP_LONG,
    GREP_SHORT,
    RG_LONG,
    RG_SHORT,
)
from penstock.core.text.sought import finds_secrets

_COUNTS = ("q", "quiet", "silent", "c", "count", "l", "files-with-matches", "L")


def _grep(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short=GREP_SHORT, long=GREP_LONG)
    recursive = found.has("r", "R", "recursive", "dereference-recursive") or call.name == "rgrep"
    yield from _search(found, recursive=recursive, hidden=True)


def _rg(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short=RG_SHORT, long=RG_LONG)
    unrestricted = sum(name == "u" for name, _ in found.given)
    hidden = found.has("hidden", "no-ignore", "unrestricted", ".", "all-types") or unrestricted
    yield from _search(found, recursive=not found.has("files"), hidden=bool(hidden))


def _search(found: Options, *, recursive: bool, hidden: bool) -> Iterator[Effect]:
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
        yield from read(met(word for word in files if not is_all(word)), tree=sought)
        if hidden and sought and not found.has("exclude", "exclude-from", "type", "t"):
            yield from sweep(word for word in roots if is_all(word))


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
