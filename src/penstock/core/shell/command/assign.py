"""Assignments in front of a command, and what comes of giving a variable a value.

Always true: an assignment in front of a program ends with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec.structs import replace

from penstock.core.shell.command.host import Follows
from penstock.core.shell.command.words import Words
from penstock.core.shell.effects import Feed
from penstock.core.shell.expansion import Value, Values
from penstock.core.shell.findings import shown
from penstock.core.shell.programs.builtins import Outcome
from penstock.core.shell.programs.own import variable
from penstock.core.shell.script_files import run_with
from penstock.core.shell.state import ShellState, States
from penstock.core.shell.syntax.nodes import Arr, Lit, Part, ShellWord
from penstock.core.shell.variables import evaluates, runs
from penstock.core.text.late_regex import late_regex

_ASSIGNMENT = late_regex(r"([A-Za-z_][A-Za-z0-9_]*)(\[[^\]]*\])?(\+?)=")
_UNKNOWN = Value("", exact=False)


class Assignments:
    """Carries out assignments for one walk."""

    def __init__(self, walk: Follows, words: Words) -> None:
        self._walk = walk
        self._words = words

    def in_front(
        self, words: tuple[ShellWord, ...], state: ShellState
    ) -> tuple[ShellState, tuple[ShellWord, ...]]:
        """Carry out the assignments in front of a command; return the state and the rest."""
        at = 0
        for word in words:
            first = word.parts[0] if word.parts else None
            if not isinstance(first, Lit) or first.quoted or "=" not in first.text:
                break
            found = _ASSIGNMENT.match(first.text)
            if not found:
                break
            rest = Lit(first.text[found.end() :], False)
            state = self._assign(state, found, (rest, *word.parts[1:]))
            at += 1
        return state, words[at:]

    def _assign(
        self, state: ShellState, found: re.Match[str], parts: tuple[Part, ...]
    ) -> ShellState:
        name, index, more = found.groups()
        self._walk.effects(variable(name), state, Feed(), name)
        self._walk.account.charge(2 + len(state.scope) // 16)
        values = self._assigned(parts, state)
        doubt_texts(self._walk, values)
        before = state.scope.get(name)
        if more and before is not None and not index:
            array = any(isinstance(part, Arr) for part in parts)
            first = before[0] if before else Value("")
            values = (*before, *values) if array else (_concatenated(first, values[0]), *before[1:])
        for value in values[:1]:
            self._walk.effects(runs(name, value), state, Feed(), name)
            self._walk.effects(run_with(name, value), state, Feed(), name)
        if index or (more and before is None):
            return state.forget(name)
        return state.forget(name) if name == "_" else state.assign(name, values)

    def _assigned(self, parts: tuple[Part, ...], state: ShellState) -> Values:
        for part in parts:
            if isinstance(part, Arr):
                if any(word.raw.startswith("[") for word in part.words):
                    return (_UNKNOWN,)  # each word says where it goes
                return tuple(self._words.values(part.words, state))
        return (self._words.text(parts, state),)


def doubt_texts(walk: Follows, values: Iterable[Value]) -> None:
    """Doubt a text that becomes the value of a variable, and that arithmetic would run."""
    found = evaluates(values)
    if found:
        walk.found.doubt(f"`{shown(found)}` may be run as a command", runs=True)


def _concatenated(before: Value, after: Value) -> Value:
    return Value(before.text + after.text, exact=before.exact and after.exact)


# Where they end


def names_changed(inside: ShellState, state: ShellState) -> list[str]:
    """Return the variables in which two states differ."""
    now, before = inside.scope, state.scope
    return [name for name in now if now[name] is not before.get(name)]


def exported(inside: ShellState, state: ShellState) -> ShellState:
    """Assignments in front of a command go to it, as if they were exported."""
    for name in names_changed(inside, state):
        inside = inside.mark(name, "x")
    return inside


def put_back(outcome: Outcome, inside: ShellState, state: ShellState) -> Outcome:
    """Assignments in front of a command end with it, also where it runs in this shell."""
    if inside is state:
        return outcome
    names = names_changed(inside, state)

    def back(states: States) -> States:
        restored = (each.restored(names, state) for each in states)
        return tuple(replace(each, traits=state.traits) for each in restored)

    return back(outcome[0]), back(outcome[1])
