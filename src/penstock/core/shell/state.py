"""Where a shell stands while its commands are followed: directory, variables, functions.

A `cd` may fail, an `if` may go either way: so the walk carries a few possible states at once,
and a write is told for each of them. A variable that is missing is unknown, the environment
may hold it; one without any value is known to be unset.
Always true: a state never changes; moving or assigning makes another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.shell.expansion import Value, Values
from penstock.core.shell.place import is_absolute, joined
from penstock.core.shell.syntax.nodes import Node
from penstock.core.text.late_regex import late_regex

MOST_STATES = 4
MOST_VARIABLES = 256

_NO_FUNCTIONS: Mapping[str, Node] = {}
_NO_TRAITS: Mapping[str, str] = {}
# With this key among the traits every variable is exported (`set -a`).
ALL_EXPORTED = "-a"
# Variables that the environment holds already, so that a new value goes on to programs.
_ENVIRONMENT = frozenset(
    {"HOME", "PWD", "OLDPWD", "TMPDIR", "PATH", "USER", "LOGNAME", "SHELL", "TERM", "LANG"}
)
_NAME = late_regex(r"[A-Za-z_][A-Za-z0-9_]*")
# Changing to one of these does not fail.
_ALWAYS_THERE = frozenset({"/", "/tmp", "/var/tmp", "~"})  # noqa: S108 - names, not files we use
_UNKNOWN = Value("", exact=False)
_MADE: Values = (Value("made"),)
_DOTS = "option dotglob"  # beside the variables, under a name that none has


class ShellState(Struct, frozen=True):
    """One possible standing of a shell. `sure` is false when the directory is not known.

    `traits` are the letters of `declare` that a variable has; `hidden` is, inside a function,
    what its local variables hide until it ends.
    """

    cwd: str
    scope: Mapping[str, Values]
    sure: bool = True
    back: str | None = None
    stack: tuple[str, ...] = ()
    functions: Mapping[str, Node] = _NO_FUNCTIONS
    traits: Mapping[str, str] = _NO_TRAITS
    hidden: Mapping[str, Values | None] | None = None

    def assign(self, name: str, values: Values) -> ShellState:
        """Give a variable its values, as far as its traits let it take them."""
        trait = self.traits.get(name) if self.traits else None
        if trait and "n" in trait:
            return self._refer(name, values)
        return self.put(name, _taken(trait, values) if trait else values)

    def put(self, name: str, values: Values) -> ShellState:
        """Give a variable its values, whatever its traits are."""
        if len(self.scope) >= MOST_VARIABLES and name not in self.scope:
            return self
        scope = {**self.scope, name: values}
        for other in self._names_of(name) if self.traits else ():
            scope[other] = values
        return replace(self, scope=scope)

    def _names_of(self, name: str) -> Iterator[str]:
        """Return the `declare -n` variables that are other names of one."""
        for other, trait in self.traits.items():
            target = self.scope.get(reference(other)) if "n" in trait else None
            if target and target[0].text == name:
                yield other

    def forget(self, name: str) -> ShellState:
        """Make a variable unknown."""
        return self.assign(name, (_UNKNOWN,))

    def blur(self) -> ShellState:
        """Make every variable unknown: one of them was changed, and nobody can tell which."""
        kept = {name: values for name, values in self.scope.items() if name in _ENVIRONMENT}
        return replace(self, scope={**dict.fromkeys(self.scope, (_UNKNOWN,)), **kept})

    # Traits

    def mark(self, name: str, letters: str) -> ShellState:
        """Give a variable some more traits."""
        if not letters:
            return self
        return replace(self, traits={**self.traits, name: self.traits.get(name, "") + letters})

    def refers(self, name: str, target: Value) -> ShellState:
        """Make a variable another name of a second one."""
        known = self.put(reference(name), (target,)) if target.text else self
        values = self.scope.get(target.text, (_UNKNOWN,)) if target.exact else (_UNKNOWN,)
        return known.put(name, values).mark(name, "n")

    def _refer(self, name: str, values: Values) -> ShellState:
        """Assign through such a name; the first value that it gets says which one it is."""
        target = self.scope.get(reference(name))
        if target is None:
            return self.refers(name, values[0] if values else _UNKNOWN)
        other = target[0].text
        again = "n" in self.traits.get(other, "")
        if not target[0].exact or again or not _NAME.fullmatch(other):
            return self.blur()
        return self.assign(other, values)

    # Functions and other shells

    def hide(self, name: str) -> ShellState:
        """Make a variable local to the function that is being followed, if one is."""
        if self.hidden is None or name in self.hidden:
            return self
        traits = {other: trait for other, trait in self.traits.items() if other != name}
        hidden = {**self.hidden, name: self.scope.get(name)}
        return replace(self, hidden=hidden, traits=traits)

    def leave(self, caller: ShellState) -> ShellState:
        """Return from a function: what was hidden shows again, the arguments are the old ones."""
        back = {**(self.hidden or {}), **{name: caller.scope.get(name) for name in POSITIONAL}}
        scope = {name: values for name, values in self.scope.items() if name not in back}
        scope.update((name, values) for name, values in back.items() if values is not None)
        traits = self.traits
        if self.hidden and (traits or caller.traits):
            traits = {name: trait for name, trait in traits.items() if name not in self.hidden}
            traits.update((n, t) for n, t in caller.traits.items() if n in self.hidden)
        return replace(self, scope=scope, traits=traits, hidden=caller.hidden)

    def restored(self, names: Iterable[str], before: ShellState) -> ShellState:
        """Return this state with some variables as they were before."""
        scope = dict(self.scope)
        for name in names:
            scope.pop(name, None)
            if name in before.scope:
                scope[name] = before.scope[name]
        return replace(self, scope=scope)

    def started(self) -> ShellState:
        """Return the state of a shell that is started here: it gets what is exported."""
        if ALL_EXPORTED in self.traits:
            return self
        scope = {
            name: values if self._exports(name) else (_UNKNOWN,)
            for name, values in self.scope.items()
            if " " not in name
        }
        functions = {n: body for n, body in self.functions.items() if f"{n}()" in self.traits}
        return replace(self, scope=scope, functions=functions, hidden=None)

    def _exports(self, name: str) -> bool:
        return name in _ENVIRONMENT or "x" in self.traits.get(name, "")

    def move(self, target: Value) -> ShellState:
        """Change directory."""
        known = target.exact and not target.pattern
        sure = known and (self.sure or is_absolute(target.text))
        return self.stand(joined(self.cwd, target.text), sure=sure)

    def stand(self, cwd: str, *, sure: bool) -> ShellState:
        """Stand in another directory."""
        moved = replace(self, cwd=cwd, sure=sure, back=self.cwd if self.sure else None)
        moved = moved.put("OLDPWD", (Value(self.cwd, exact=self.sure),))
        return moved.assign("PWD", (Value(cwd or "."),)) if sure else moved.forget("PWD")

    def stay(self) -> ShellState:
        """A `cd` failed. Without an OLDPWD of its own a shell then has nowhere to go back to."""
        first = self.back is None and self.sure and "OLDPWD" not in self.scope
        return replace(self, back=self.cwd) if first else self

    def turn_back(self) -> ShellState:
        """Do what `cd -` does: OLDPWD says where to, whoever gave it its value."""
        given = self.scope.get("OLDPWD") or (Value(self.back or "", exact=self.back is not None),)
        if given[0].exact and given[0].text != self.back:
            return self.move(given[0])
        return self.stand(self.back or "", sure=given[0].exact and self.back is not None)

    # Directories that the command itself has made

    def make_folder(self, path: str, *, parents: bool) -> ShellState:
        """A directory is there from now on, with `parents` those above it as well."""
        there = joined(self.cwd, path)
        above = [there[:at] for at, sign in enumerate(there) if sign == "/" and at]
        state = self.put(folder(there), _MADE)
        for one in above if parents else ():
            state = state.put(folder(one), _MADE)
        return state

    def made_folder(self, path: str) -> bool:
        """Say whether the command itself has made a directory, on each way that led here."""
        return self.scope.get(folder(joined(self.cwd, path))) == _MADE

    def match_dots(self) -> ShellState:
        """From now on patterns may meet names that they usually do not."""
        return self.assign(_DOTS, (Value("on"),))

    @property
    def plain_patterns(self) -> bool:
        """True while patterns mean what they usually do: no `dotglob`, no `nocaseglob`."""
        return _DOTS not in self.scope and "GLOBIGNORE" not in self.scope

    def surely_moves(self, target: Value) -> bool:
        """True when changing to a directory cannot fail: it is above this one, or always there."""
        there = joined(self.cwd, target.text)
        above = self.cwd == there or self.cwd.startswith(there.rstrip("/") + "/")
        return target.exact and (there in _ALWAYS_THERE or (above and bool(self.cwd)))


States = tuple[ShellState, ...]
POSITIONAL = ("@", "*", *"123456789")


def reference(name: str) -> str:
    """Return where a state keeps what a `declare -n` variable refers to."""
    return f"reference {name}"


def folder(path: str) -> str:
    """Return where a state keeps that a directory was made."""
    return f"folder {path}"


def _taken(trait: str, values: Values) -> Values:
    """Return what a variable with traits makes of the values it is given."""
    if "r" in trait or "c" in trait:
        return (_UNKNOWN,)
    if "i" in trait:
        return tuple(v if v.exact and v.text.isdecimal() else _UNKNOWN for v in values)
    if "l" in trait:
        return tuple(replace(value, text=value.text.lower()) for value in values)
    if "u" in trait:
        return tuple(replace(value, text=value.text.upper()) for value in values)
    return values


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


def widened(before: States, after: States, *, entirely: bool) -> States:
    """Return states in which everything that a loop still changes is unknown."""
    if entirely:
        return collapsed(tuple(state.blur() for state in after))
    places = {state.cwd for state in before}
    out = []
    for state in after:
        moving = [
            name
            for name, values in state.scope.items()
            if not any(other.scope.get(name) == values for other in before)
        ]
        scope = {**state.scope, **dict.fromkeys(moving, (_UNKNOWN,))}
        out.append(replace(state, scope=scope, sure=state.sure and state.cwd in places))
    return collapsed(tuple(out))


def _blurred(one: ShellState, other: ShellState) -> ShellState:
    if one.scope is other.scope and one.functions is other.functions:
        return one
    scope = {
        name: one.scope[name] if one.scope.get(name) == other.scope.get(name) else (_UNKNOWN,)
        for name in {**one.scope, **other.scope}
    }
    functions = {**one.functions, **other.functions}
    return replace(one, scope=scope, functions=functions, traits={**one.traits, **other.traits})
