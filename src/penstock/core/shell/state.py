"""Where a shell stands while its commands are followed: directory, variables, functions.

A `cd` may fail, an `if` may go either way: so the walk carries a few possible states at once,
and a write is told for each of them.
Always true: a state never changes; moving or assigning makes another one.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from penstock.core.shell.expansion import Value, Values
from penstock.core.shell.syntax.nodes import Node

MOST_STATES = 4
MOST_VARIABLES = 256
LONGEST_PATH = 8_192

_NO_FUNCTIONS: Mapping[str, Node] = {}
# Changing to one of these does not fail.
_ALWAYS_THERE = frozenset({"/", "/tmp", "/var/tmp", "~"})  # noqa: S108 - names, not files we use
_UNKNOWN = Value("", exact=False)


class ShellState(NamedTuple):
    """One possible standing of a shell. `sure` is false when the directory is not known."""

    cwd: str
    scope: Mapping[str, Values]
    sure: bool = True
    back: str | None = None
    stack: tuple[str, ...] = ()
    functions: Mapping[str, Node] = _NO_FUNCTIONS

    def assign(self, name: str, values: Values) -> ShellState:
        """Give a variable its values."""
        if len(self.scope) >= MOST_VARIABLES and name not in self.scope:
            return self
        return self._replace(scope={**self.scope, name: values})

    def forget(self, name: str) -> ShellState:
        """Make a variable unknown."""
        return self.assign(name, (_UNKNOWN,))

    def move(self, target: Value) -> ShellState:
        """Change directory."""
        known = target.exact and not target.pattern
        sure = known and (self.sure or is_absolute(target.text))
        return self.stand(joined(self.cwd, target.text), sure=sure)

    def stand(self, cwd: str, *, sure: bool) -> ShellState:
        """Stand in another directory."""
        moved = self._replace(cwd=cwd, sure=sure, back=self.cwd)
        return moved.assign("PWD", (Value(cwd or "."),)) if sure else moved.forget("PWD")

    def surely_moves(self, target: Value) -> bool:
        """True when changing to a directory cannot fail: it is above this one, or always there."""
        there = joined(self.cwd, target.text)
        above = self.cwd == there or self.cwd.startswith(there.rstrip("/") + "/")
        return target.exact and (there in _ALWAYS_THERE or (above and bool(self.cwd)))


States = tuple[ShellState, ...]


def first_state(cwd: str) -> ShellState:
    """Return the state in which a command starts."""
    scope: dict[str, Values] = {
        "HOME": (Value("~"),),
        "PWD": (Value(cwd or "."),),
        "TMPDIR": (Value("/tmp"),),  # noqa: S108 - what the shell would say, no file of ours
    }
    return ShellState(cwd, scope)


def merged(*several: Iterable[ShellState]) -> States:
    """Return the different states among several."""
    out: list[ShellState] = []
    for states in several:
        for state in states:
            if not any(state is other or state == other for other in out):
                out.append(state)
    return tuple(out)


def collapsed(states: States) -> States:
    """Return one state for each directory; a variable that differs between them is unknown."""
    by_place: dict[tuple[str, bool], ShellState] = {}
    for state in states:
        place = (state.cwd, state.sure)
        known = by_place.get(place)
        by_place[place] = _blurred(known, state) if known else state
    return tuple(by_place.values())


def _blurred(one: ShellState, other: ShellState) -> ShellState:
    if one.scope is other.scope and one.functions is other.functions:
        return one
    scope = {
        name: one.scope[name] if one.scope.get(name) == other.scope.get(name) else (_UNKNOWN,)
        for name in {**one.scope, **other.scope}
    }
    return one._replace(scope=scope, functions={**one.functions, **other.functions})


def is_absolute(path: str) -> bool:
    """True for a path that does not depend on the directory."""
    return path.startswith(("/", "~"))


def joined(cwd: str, path: str) -> str:
    """Return where a path leads from a directory, by its text alone, as `cd` does it."""
    if len(path) > LONGEST_PATH:
        return path  # no file has such a name
    if is_absolute(path):
        return posixpath.normpath(path)
    there = posixpath.normpath(posixpath.join(cwd, path))
    return "" if there == "." else there
