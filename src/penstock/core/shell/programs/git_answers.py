"""What read-only git commands print when they name a commit or a branch: `$(git rev-parse x)`.

Such an answer becomes a word of the next command, so git is asked for it when the command is
judged. What else git prints is not known.
Always true: None means that it is not known; only questions are put whose answer changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from penstock.core.shell.effects import Options, options
from penstock.core.shell.expansion import Value
from penstock.core.shell.look import LookHere
from penstock.core.text.late_regex import late_regex

_NAME = late_regex(r"[\w@./^~{}:+-]{1,200}")
_IDS = frozenset({"%H", "format:%H", "tformat:%H"})
_SHORT_IDS = frozenset({"%h", "format:%h", "tformat:%h"})
_SHORT = 7


def answered(args: Sequence[Value], here: LookHere) -> str | None:
    """Return what git prints for some words, or None."""
    if not args or not here.sees or not all(word.exact and not word.pattern for word in args):
        return None
    row = _QUESTIONS.get(args[0].text)
    found = row(args[1:], here) if row else None
    return f"{found}\n" if found else found


def _names(found: Options, *allowed: str) -> list[str] | None:
    """Return the operands where they are names, and no other option is given."""
    plain = all(_NAME.fullmatch(word.text) and word.text[0] != "-" for word in found.operands)
    fits = all(name in allowed for name, _ in found.given)
    return [word.text for word in found.operands] if plain and fits else None


def _rev_parse(args: Sequence[Value], here: LookHere) -> str | None:
    found = options(args)
    if found.has("show-toplevel") and not found.operands:
        return here.git("top")
    names = _names(found, "verify", "quiet", "q", "short", "abbrev-ref")
    if not names or len(names) != 1:
        return None
    if found.has("abbrev-ref"):
        return here.git("branch") if names == ["HEAD"] else None
    return _commit(names, here, short=found.has("short"))


def _commit(names: Sequence[str], here: LookHere, *, short: bool = False) -> str | None:
    found = here.git("commit", *(names or ("HEAD",)))
    return found[:_SHORT] if found and short else found


def _merge_base(args: Sequence[Value], here: LookHere) -> str | None:
    names = _names(options(args))
    return here.git("base", *names) if names and len(names) == 2 else None


def _newest(args: Sequence[Value], here: LookHere) -> str | None:
    """`git log -1 --format=%H x`: the commit itself."""
    found = options(args, short="n", long="max-count format pretty")
    counts = [value.text for value in found.values("n", "max-count")]
    forms = [value.text for value in found.values("format", "pretty")]
    names = _names(found, "1", "n", "max-count", "format", "pretty")
    once = found.has("1") or counts == ["1"]
    known = forms in ([], *([one] for one in _IDS | _SHORT_IDS))
    if names is None or not once or not known or len(names) > 1:
        return None
    return _commit(names, here, short=bool(forms) and forms[0] in _SHORT_IDS)


_CHOICES = (
    *("reverse", "no-merges", "merges", "first-parent", "n", "max-count", "skip", "topo-order"),
    *("before", "until", "after", "since", "date-order", "1", "2", "3", "4", "5"),
)
_RANGE = late_regex(r"\^?[\w@./^~{}+-]{1,200}")
_MOMENT = late_regex(r"[\w :.+-]{1,40}")


def _rev_list(args: Sequence[Value], here: LookHere) -> str | None:
    """`git rev-list --reverse a..b`: the commits themselves, as git lists them now."""
    found = options(args, short="n", long="max-count skip before until after since")
    values = [value.text for name, value in found.given if value is not None]
    named = all(_RANGE.fullmatch(word.text) for word in found.operands)
    if not found.operands or not named or any(name not in _CHOICES for name, _ in found.given):
        return None
    if not all(_MOMENT.fullmatch(value) for value in values):
        return None
    return here.git("commits", *(word.text for word in args))


def _log(args: Sequence[Value], here: LookHere) -> str | None:
    formatted = any(word.text.startswith(("--format", "--pretty")) for word in args)
    return _newest(args, here) if formatted else None


def _branch(args: Sequence[Value], here: LookHere) -> str | None:
    return here.git("branch") if [word.text for word in args] == ["--show-current"] else None


def _symbolic_ref(args: Sequence[Value], here: LookHere) -> str | None:
    found = options(args)
    names = _names(found, "short", "quiet", "q")
    return here.git("branch") if names == ["HEAD"] and found.has("short") else None


def _describe(args: Sequence[Value], here: LookHere) -> str | None:
    names = _names(options(args), "tags", "abbrev", "always", "long", "exact-match")
    flags = [word.text for word in args if word.text.startswith("--")]
    return None if names is None or len(names) > 1 else here.git("describe", *flags, *names)


_QUESTIONS: Mapping[str, Callable[[Sequence[Value], LookHere], str | None]] = {
    "rev-parse": _rev_parse,
    "merge-base": _merge_base,
    "rev-list": _rev_list,
    "log": _log,
    "branch": _branch,
    "symbolic-ref": _symbolic_ref,
    "describe": _describe,
}
