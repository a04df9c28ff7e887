"""Shell builtins that change where the shell stands: cd, export, read, set and their kin.

Always true: each returns the states after success and the states after failure; a variable
whose new value the text does not tell becomes unknown, never keeps its old one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from penstock.core.shell.effects import ProgramCall, options
from penstock.core.shell.expansion import Value
from penstock.core.shell.state import MOST_STATES, ShellState, States

Outcome = tuple[States, States]
Builtin = Callable[[ShellState, ProgramCall], Outcome]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _both(state: ShellState) -> Outcome:
    return (state,), (state,)


def _cd(state: ShellState, call: ProgramCall) -> Outcome:
    found = options(call.args)
    target = found.operands[0] if found.operands else Value("~")
    if target.text == "-":
        known = state.back is not None
        return (state.stand(state.back or "", sure=known and state.sure),), (state,)
    moved = state.move(target).assign("OLDPWD", (Value(state.cwd, exact=state.sure),))
    return (moved,), (() if state.surely_moves(target) else (state,))


def _pushd(state: ShellState, call: ProgramCall) -> Outcome:
    found = [word for word in call.args if word.text[:1] not in ("-", "+")]
    if not found:
        return _popd(state, call)
    moved = state.move(found[0])._replace(stack=(*state.stack, state.cwd))
    return (moved,), (() if state.surely_moves(found[0]) else (state,))


def _popd(state: ShellState, call: ProgramCall) -> Outcome:  # noqa: ARG001 - a row of the table
    if not state.stack:
        return _both(state)
    moved = state.stand(state.stack[-1], sure=state.sure)
    return (moved._replace(stack=state.stack[:-1]),), (state,)


def _declare(state: ShellState, call: ProgramCall) -> Outcome:
    for word in call.args:
        name, equals, text = word.text.partition("=")
        if equals and _NAME.fullmatch(name):
            state = state.assign(name, (word._replace(text=text),))
            if Value("-n") in call.args:  # it is another name of a variable
                state = state.forget(name)
    return _both(state)


def _unset(state: ShellState, call: ProgramCall) -> Outcome:
    for word in call.args:
        if _NAME.fullmatch(word.text):
            state = state.assign(word.text, (Value(""),))
    return _both(state)


def _read(state: ShellState, call: ProgramCall) -> Outcome:
    """Each line of a known input makes a state of its own; other inputs are unknown."""
    found = options(call.args, short="adinNptu")
    names = [word.text for word in (*found.operands, *found.values("a"))] or ["REPLY"]
    lines = [line for line in (call.feed.text or "").split("\n") if line.strip()]
    if not lines or len(lines) > MOST_STATES or not call.feed.exact:
        for name in names:
            state = state.forget(name)
        return _both(state)
    states = tuple(_assigned(state, names, line.strip()) for line in lines)
    return states, states


def _assigned(state: ShellState, names: list[str], line: str) -> ShellState:
    """Give each name a word of the line, and the last name the rest."""
    words = line.split(None, len(names) - 1)
    for at, name in enumerate(names):
        state = state.assign(name, (Value(words[at] if at < len(words) else ""),))
    return state


def _forgets(short: str = "") -> Builtin:
    """The operands are names whose values become unknown."""

    def builtin(state: ShellState, call: ProgramCall) -> Outcome:
        for word in options(call.args, short=short).operands:
            found_name = _NAME.match(word.text)
            if found_name:
                state = state.forget(found_name.group())
        return _both(state)

    return builtin


def _printf(state: ShellState, call: ProgramCall) -> Outcome:
    if call.args[:1] == (Value("-v"),) and len(call.args) > 1:
        state = state.forget(call.args[1].text)
    return _both(state)


def _set(state: ShellState, call: ProgramCall) -> Outcome:
    texts = [word.text for word in call.args]
    if "--" in texts:
        values = call.args[texts.index("--") + 1 :]
    elif texts and texts[0][:1] not in ("-", "+"):
        values = call.args
    else:
        return _both(state)
    return _both(positional(state, values))


def _shift(state: ShellState, call: ProgramCall) -> Outcome:
    by = int(call.args[0].text) if call.args and call.args[0].text.isdecimal() else 1
    known = state.scope.get("@")
    if known is None:
        return _both(state)
    return _both(positional(state, known[min(by, len(known)) :]))


def positional(state: ShellState, values: tuple[Value, ...]) -> ShellState:
    """Give `$@`, `$1` and so on their values."""
    scope = {name: value for name, value in state.scope.items() if not name.isdigit()}
    scope["@"] = scope["*"] = values
    for at in range(9):
        scope[str(at + 1)] = values[at : at + 1] or (Value(""),)
    return state._replace(scope=scope)


def _exit(state: ShellState, call: ProgramCall) -> Outcome:  # noqa: ARG001 - a row of the table
    return (), ()


def alias_name(name: str) -> str:
    """Return where a state keeps an alias: beside the variables, under a name that none has."""
    return f"alias {name}"


def _alias(state: ShellState, call: ProgramCall) -> Outcome:
    """Give another name to a command; `hash -p` does so with a program's path."""
    found = options(call.args, short="p" if call.name == "hash" else "")
    paths = found.values("p")
    for word in found.operands:
        name, equals, text = word.text.partition("=")
        if paths:
            state = state.assign(alias_name(word.text), (paths[-1],))
        elif equals:
            state = state.assign(alias_name(name), (word._replace(text=text),))
    return _both(state)


BUILTINS: Mapping[str, Builtin] = {
    **dict.fromkeys(("alias", "hash"), _alias),
    "cd": _cd,
    "chdir": _cd,
    "pushd": _pushd,
    "popd": _popd,
    **dict.fromkeys(("export", "declare", "local", "readonly", "typeset"), _declare),
    "unset": _unset,
    "read": _read,
    "mapfile": _forgets("dnOstuCc"),
    "readarray": _forgets("dnOstuCc"),
    "getopts": lambda state, call: _both(
        state.forget(call.args[1].text) if len(call.args) > 1 else state
    ),
    "let": _forgets(),
    "printf": _printf,
    "set": _set,
    "shift": _shift,
    "exit": _exit,
}
