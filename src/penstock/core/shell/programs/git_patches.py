"""Patches that git makes itself: which revisions `git diff A B > p` puts into a patch.

Where the same command applies such a patch, its files are those that differ between the two, so
nobody has to read it.
Always true: a patch is a kind and names of revisions; () means that nobody can tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from penstock.core.shell.effects import options
from penstock.core.shell.expansion import Value
from penstock.core.text.late_regex import late_regex

# Kinds: "diff" of two revisions ("" is the index, then the files), "base" from where two went
# apart, "staged", and "commits" by their names.
DIFF, BASE, STAGED, COMMITS = "diff", "base", "staged", "commits"
_NAME = late_regex(r"[\w@./^~{}+-]{1,200}")
_ELSEWHERE = ("no-index", "R", "src-prefix", "dst-prefix", "relative", "output")


def made_patch(argv: Sequence[Value]) -> tuple[str, ...]:
    """Return what a git command puts into the patch that it prints."""
    words = [word.text for word in argv]
    if words[:1] != ["git"] or not all(word.exact and not word.pattern for word in argv):
        return ()
    at = 1
    while words[at : at + 1] and words[at].startswith("--no-pager"):
        at += 1
    row = _MAKERS.get(words[at]) if at < len(words) else None
    return row(argv[at + 1 :]) if row else ()


def _diff(args: Sequence[Value]) -> tuple[str, ...]:
    texts = [word.text for word in args]
    before = args[: texts.index("--")] if "--" in texts else args
    found = options(before, short="U", long="unified diff-filter")
    names = [word.text for word in found.operands]
    if found.has(*_ELSEWHERE) or not all(_NAME.fullmatch(name) for name in names):
        return ()
    if found.has("cached", "staged"):
        return (STAGED,) if not names or names == ["HEAD"] else ()
    if len(names) == 1 and ".." in names[0]:
        first, last = re.split(r"\.{2,3}", names[0], maxsplit=1)
        kind = BASE if "..." in names[0] else DIFF
        return (kind, first or "HEAD", last or "HEAD")
    return (DIFF, *names, *[""] * (2 - len(names))) if len(names) <= 2 else ()


def _shown(args: Sequence[Value]) -> tuple[str, ...]:
    found = options(args, short="U", long="unified format pretty")
    names = [word.text for word in found.operands] or ["HEAD"]
    plain = all(_NAME.fullmatch(name) and ".." not in name for name in names)
    return (COMMITS, *names) if plain and not found.has(*_ELSEWHERE) else ()


def patch_folder(args: Sequence[Value]) -> tuple[str, tuple[str, ...]]:
    """Return where `git format-patch -o DIR X` puts its patches, and what is in them together."""
    if args[:1] != (Value("format-patch"),) or not all(w.exact and not w.pattern for w in args):
        return "", ()
    found = options(args[1:], short="o", long="output-directory")
    places = found.values("o", "output-directory")
    return (places[-1].text, _formatted((*args[1:], Value("--stdout")))) if places else ("", ())


def _formatted(args: Sequence[Value]) -> tuple[str, ...]:
    """`git format-patch -1 X --stdout`: one commit; more of them are a range."""
    found = options(args, short="o", long="output-directory")
    if not found.has("stdout"):
        return ()
    names = [word.text for word in found.operands]
    if found.has("1"):
        return (COMMITS, *(names or ["HEAD"])) if len(names) < 2 else ()
    if len(names) != 1 or not _NAME.fullmatch(names[0]):
        return ()
    first, _, last = names[0].partition("..")
    return (BASE, first, last.lstrip(".") or "HEAD")


_MAKERS: Mapping[str, Callable[[Sequence[Value]], tuple[str, ...]]] = {
    "diff": _diff,
    "show": _shown,
    "format-patch": _formatted,
}
