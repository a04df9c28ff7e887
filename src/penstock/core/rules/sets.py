"""Named lists of globs: the table `[sets]`, and `"@name"` wherever globs are listed.

A file knows its own sets and those of the presets and files that it includes, its own first. What
it includes keeps its own meaning: no file changes a set under the rules of another one.
Always true: names are gone once a file has been read, so that whoever matches globs never meets
one; a name that leads nowhere, or in a circle, is a problem with its line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Protocol, cast

from msgspec.structs import replace

from penstock.core.rules.fields import SET, SETS, Field
from penstock.core.rules.problems import ProblemReport, did_you_mean, shown
from penstock.core.text.late_regex import late_regex

Globs = tuple[str, ...]
MARK = "@"
NAME = late_regex(r"[A-Za-z0-9_-]+")
GLOB_SIGNS = frozenset("/*?")
MOST_NESTED = 16  # sets in sets
MOST_GUESSED = 300  # names that a mistyped one is held against


class GlobReader(Protocol):
    """What reads and checks the values of a file."""

    report: ProblemReport

    def value(
        self, one: Field, value: object, key: str, label: str, *path: str | int
    ) -> object | None:
        """Return the value of one key, None when anything is wrong with it."""

    def warn_of_globs(self, globs: Sequence[str], label: str, *path: str | int) -> None:
        """Warn of what other glob languages read differently."""


def set_name(glob: str) -> str | None:
    """Return the set that an element of a list names; None for a glob, such as `@types/**`."""
    return glob[1:] if glob.startswith(MARK) and GLOB_SIGNS.isdisjoint(glob) else None


def one_path(path: str) -> str:
    """Return the glob that means one path of the project, also where it looks like a name."""
    return path if set_name(path) is None else f"./{path}"


def spelled_out(
    globs: Sequence[str], sets: Mapping[str, Globs], report: ProblemReport, *path: str | int
) -> Globs:
    """Return a list with the globs of its sets in place of their names; each glob once."""
    if not any(glob.startswith(MARK) for glob in globs):
        return tuple(globs)
    found: dict[str, None] = {}
    for at, glob in enumerate(globs):
        name = set_name(glob)
        if name is None:
            found[glob] = None
        elif name not in sets:
            _unknown(name, sets, report, *path, at)
        elif report.budget.takes_globs(len(inner := sets[name])):
            found.update(dict.fromkeys(inner))
        else:
            report.wrong("the sets up to here are too large together", *path, at, hint="name less")
    return tuple(found)


def _unknown(name: str, sets: Iterable[str], report: ProblemReport, *path: str | int) -> None:
    guess = did_you_mean(name, islice(sets, MOST_GUESSED))
    hint = guess if guess.endswith("?") else f"a file of that name is written `./{MARK}{name}`"
    report.wrong(f"there is no set {shown(name)}", *path, hint=hint)


def read_sets(
    document: Mapping[str, object], reader: GlobReader, included: Mapping[str, Globs]
) -> Mapping[str, Globs]:
    """Return every set that a file's rules can name; `included` are those of its includes."""
    raw = document.get(SETS, {})
    if not isinstance(raw, dict):
        reader.report.wrong(f"`{SETS}` must be a table", SETS, hint=f"write [{SETS}]")
        return included
    own: dict[str, Globs] = {}
    for name, value in raw.items():
        _check_name(name, included, reader.report)
        kind = replace(SET, name=name)
        one = cast("Globs | None", reader.value(kind, value, name, f"[{SETS}]", SETS))
        if one is not None:
            reader.warn_of_globs(one, f"`{name}` of [{SETS}]", SETS, name)
            own[name] = one
    found = _Scope(own, included, reader.report)
    return {**included, **{name: found[name] for name in own}}


def _check_name(name: str, included: Mapping[str, Globs], report: ProblemReport) -> None:
    if not NAME.fullmatch(name):
        hint = "use letters, digits, `-` and `_`"
        report.wrong(f"{shown(name)} is no name for a set", SETS, name, hint=hint)
    elif name in included:
        message = f"`{name}` is also a set of an included file or preset, whose rules keep theirs"
        hint = "choose another name; [[except]] takes something out of an included rule"
        report.warn(message, SETS, name, hint=hint)


class _Scope(Mapping[str, Globs]):
    """The sets that a file can name; those of its own are followed when they are asked for."""

    def __init__(
        self, own: Mapping[str, Globs], included: Mapping[str, Globs], report: ProblemReport
    ) -> None:
        self._own, self._included, self._report = own, included, report
        self._done: dict[str, Globs] = {}
        self._trail: list[str] = []

    def __getitem__(self, name: str) -> Globs:
        if name not in self._own:
            return self._included[name]
        if name not in self._done and not self._is_lost(name):
            self._trail.append(name)
            self._done[name] = spelled_out(self._own[name], self, self._report, SETS, name)
            self._trail.pop()
        return self._done.get(name, ())

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._included

    def __iter__(self) -> Iterator[str]:
        return iter({**self._own, **self._included})

    def __len__(self) -> int:
        return len({**self._own, **self._included})

    def _is_lost(self, name: str) -> bool:
        """Say, and report, whether a set leads back to itself or deeper than anybody writes."""
        place = (SETS, *self._trail[-1:])
        if name in self._trail:
            circle = " -> ".join(f"`{MARK}{one}`" for one in (*self._trail, name))
            self._report.wrong(f"circular sets: {circle}", *place, hint="rename or remove one")
        elif len(self._trail) >= MOST_NESTED:
            self._report.wrong(f"sets more than {MOST_NESTED} deep", *place, hint="flatten them")
        else:
            return False
        return True
