"""Shell builtins that change where the shell stands: cd, export, read, set and their kin.

Always true: each returns the states after success and the states after failure; a variable
whose new value the text does not tell becomes unknown, never keeps its old one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from penstock.core.shell.effects import ProgramCall, options
from penstock.core.shell.expansion import Value, Values
from penstock.core.shell.programs.output import printed
from penstock.core.shell.state import ALL_EXPORTED, MOST_STATES, ShellState, States
from penstock.core.text.late_regex import late_regex

Outcome = tuple[States, States]
Builtin = Callable[[ShellState, ProgramCall], Outcome]

_SUBSCRIPTED = late_regex(r"([A-Za-z_][A-Za-z0-9_]*)(\[.*\])?", re.DOTALL)
_FLAGS = late_regex(r"-[A-Za-z]+")
_COUNTS = late_regex(
    r"([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]]*\])?\s*(?:\+\+|--|(?:<<|>>|[-+*/%&|^])?=(?!=))"
    r"|(?:\+\+|--)\s*([A-Za-z_][A-Za-z0-9_]*)"
)
_DECLARES = frozenset({"declare", "typeset"})
_UNKNOWN = Value("", exact=False)
_ANY = Value("", exact=False, loose=True)
# With this among the traits the last command of a pipe runs in this very shell.
LAST_PIPE = "lastpipe "


def _both(state: ShellState) -> Outcome:
    return (state,), (state,)


def _cd(state: ShellState, call: ProgramCall) -> Outcome:
    found = options(call.args)
    target = found.operands[0] if found.operands else Value("~")
    if target.text == "-":
        return (state.turn_back(),), (state,)
    moved = state.move(target)
    if "CDPATH" in state.scope and not target.text.startswith(("/", ".", "~")):
        moved = replace(moved, sure=False)
    return (moved,), (() if state.surely_moves(target) else (state.stay(),))


def _pushd(state: ShellState, call: ProgramCall) -> Outcome:
    found = [word for word in call.args if word.text[:1] not in ("-", "+")]
    if not found:
        return _popd(state, call)
    moved = replace(state.move(found[0]), stack=(*state.stack, state.cwd))
    return (moved,), (() if state.surely_moves(found[0]) else (state,))


def _popd(state: ShellState, call: ProgramCall) -> Outcome:  # noqa: ARG001 - a row of the table
    if not state.stack:
        return _both(state)
    moved = state.stand(state.stack[-1], sure=state.sure)
    return (replace(moved, stack=state.stack[:-1]),), (state,)


# Variables


def names_in(text: str) -> tuple[str, str]:
    """Return the name that a builtin is given, and its subscript."""
    found = _SUBSCRIPTED.fullmatch(text)
    return (found.group(1), found.group(2) or "") if found else ("", "")


def set_variable(state: ShellState, target: Value, values: Values) -> ShellState:
    """Give a value to the variable that a word names; a name nobody knows may be any."""
    name, index = names_in(target.text)
    if not name:
        return state if target.exact else state.blur()
    return state.forget(name) if index else state.assign(name, values)


def _declare(state: ShellState, call: ProgramCall) -> Outcome:
    flags = "".join(word.text[1:] for word in call.args if _FLAGS.fullmatch(word.text))
    if "f" in flags or "F" in flags:
        return _both(_exported_functions(state, call, flags))
    traits = "".join(letter for letter in "luicrx" if letter in flags)
    traits += {"export": "x", "readonly": "r"}.get(call.name, "")
    local = call.name == "local" or (call.name in _DECLARES and "g" not in flags)
    for word in call.args:
        if word.text[:1] not in ("-", "+") and "p" not in flags:
            state = _declared(state, word, traits, flags, local=local)
    return _both(state)


def _declared(
    state: ShellState, word: Value, traits: str, flags: str, *, local: bool
) -> ShellState:
    """Carry out one word of `declare`: its scope, then its value, then its traits."""
    left, equals, text = word.text.partition("=")
    name, index = names_in(left.removesuffix("+"))
    if not name:
        return state if word.exact else state.blur()
    new = local and state.hidden is not None and name not in state.hidden
    state = state.hide(name) if local else state
    value = replace(word, text=text)
    if "n" in flags:
        return state.refers(name, value)
    before = state.mark(name, "".join(letter for letter in traits if letter != "r"))
    if equals:
        known = not (index or left.endswith("+") or set(flags) & set("aA"))
        state = before.assign(name, (value,) if known else (_UNKNOWN,))
    else:
        state = before.put(name, ()) if new else before
    if state.hidden and name in state.hidden and "g" in flags:
        state = replace(state, hidden={**state.hidden, name: (value,)})
    return state.mark(name, "r" if "r" in traits else "")


def _exported_functions(state: ShellState, call: ProgramCall, flags: str) -> ShellState:
    if call.name == "export" or "x" in flags:
        for word in call.args:
            state = state.mark(f"{word.text}()", "x")
    return state


def _unset(state: ShellState, call: ProgramCall) -> Outcome:
    found = options(call.args)
    for word in found.operands:
        name, index = names_in(word.text)
        if found.has("f") or (word.text in state.functions and name not in state.scope):
            kept = {n: body for n, body in state.functions.items() if n != word.text}
            state = replace(state, functions=kept)
        elif not name:
            state = state if word.exact else state.blur()
        elif index or name in state.traits or state.hidden is not None:
            state = state.forget(name)  # what a caller's variable hid may show again
        else:
            state = state.put(name, ())
    return _both(state)


def _read(state: ShellState, call: ProgramCall) -> Outcome:
    """Each line of a known input makes a state of its own; other inputs are unknown."""
    found = options(call.args, short="adinNptu")
    targets = (*found.operands, *found.values("a")) or (Value("REPLY"),)
    text = call.feed.text or ""
    nul = [value.text for value in found.values("d")] == [""]  # lists of `find -print0`
    lines = [line for line in text.split("\0" if nul else "\n") if line.strip()]
    odd = found.has(*"nNu") or (found.has("d") and not nul)
    known = call.feed.exact and 0 < len(lines) <= MOST_STATES and not odd
    ifs = state.scope.get("IFS", (Value(" \t\n"),))
    if not known or not _splits(ifs) or (not found.has("r") and "\\" in text):
        guess = Value(lines[0], exact=False) if lines and len(targets) == 1 else _UNKNOWN
        for target in targets:
            state = set_variable(state, target, (guess,))
        return _both(state)
    array = found.has("a")
    words = (_words(line, ifs[0].text, 0 if array else len(targets)) for line in lines)
    states = tuple(_assigned(state, targets, given, array=array) for given in words)
    return states, states


def _mapfile(state: ShellState, call: ProgramCall) -> Outcome:
    """Lines become the elements of an array; nobody knows which of them, or how many."""
    names = options(call.args, short="dnOsuCc").operands or (Value("MAPFILE"),)
    lines = [line for line in (call.feed.text or "").split("\n") if line][:MOST_STATES]
    values = tuple(Value(line, exact=False) for line in lines) or (_UNKNOWN,)
    return _both(set_variable(state, names[-1], values))


def _splits(ifs: Values) -> bool:
    """True for an IFS that is read here: nothing, blanks, or one other character."""
    text = ifs[0].text if len(ifs) == 1 and ifs[0].exact else "::"
    return not text.strip() or len(text) == 1


def _words(line: str, ifs: str, most: int) -> list[str]:
    """Split a line at IFS into at most so many words (0: as many as there are)."""
    if not ifs:
        return [line]
    if not ifs.strip():
        return line.strip().split(None, most - 1)
    words = line.split(ifs, most - 1)
    return [*words[:-1], words[-1].removesuffix(ifs)]


def _assigned(
    state: ShellState, targets: tuple[Value, ...], words: list[str], *, array: bool
) -> ShellState:
    """Give each name a word of the line; an array takes them all."""
    if array:
        return set_variable(state, targets[-1], tuple(map(Value, words)))
    for at, target in enumerate(targets):
        text = words[at] if at < len(words) else ""
        state = set_variable(state, target, (Value(text),))
    return state


def _forgets(short: str = "", *also: str) -> Builtin:
    """The operands are names whose values become unknown, and so do some others."""

    def builtin(state: ShellState, call: ProgramCall) -> Outcome:
        for word in (*options(call.args, short=short).operands, *map(Value, also)):
            state = set_variable(state, word, (_UNKNOWN,))
        return _both(state)

    return builtin


def _let(state: ShellState, call: ProgramCall) -> Outcome:
    for word in call.args:
        state = counted(state, word.text)
    return _both(state)


def counted(state: ShellState, arithmetic: str) -> ShellState:
    """Forget the variables that arithmetic assigns."""
    for found in _COUNTS.finditer(arithmetic):
        state = state.forget(found.group(1) or found.group(2))
    return state


def _printf(state: ShellState, call: ProgramCall) -> Outcome:
    if call.args[:1] == (Value("-v"),) and len(call.args) > 1:
        text = printed([Value("printf"), *call.args[2:]], call.feed, state.cwd)
        value = _UNKNOWN if text is None else Value(text)
        state = set_variable(state, call.args[1], (value,))
    return _both(state)


def _set(state: ShellState, call: ProgramCall) -> Outcome:
    """Options, then the positional parameters, if there is anything left for them."""
    at, ends = 0, False
    while at < len(call.args) and not ends and call.args[at].text[:1] in ("-", "+"):
        text = call.args[at].text
        ends = text in ("--", "-")
        takes = not ends and text.endswith("o") and at + 1 < len(call.args)
        option = call.args[at + 1].text if takes else ""
        if option == "allexport" or (text[:1] == "-" and text[1:2] != "-" and "a" in text):
            state = state.mark(ALL_EXPORTED, "x")
        at += 2 if takes else 1
    values = call.args[at:]
    emptied = ends and at and call.args[at - 1].text == "--"
    return _both(positional(state, values) if values or emptied else state)


def _shopt(state: ShellState, call: ProgramCall) -> Outcome:
    if Value("-s") in call.args and Value("lastpipe") in call.args:
        state = state.mark(LAST_PIPE, "x")
    return _both(state)


def _shift(state: ShellState, call: ProgramCall) -> Outcome:
    known = state.scope.get("@")
    if known is None:
        return _both(state)
    if call.args and not (call.args[0].exact and call.args[0].text.isdecimal()):
        return _both(positional(state, (_ANY,)))
    by = int(call.args[0].text) if call.args else 1
    return _both(positional(state, known[min(by, len(known)) :]))


def positional(state: ShellState, values: tuple[Value, ...]) -> ShellState:
    """Give `$@`, `$1` and so on their values; behind a word that may be several, nobody knows."""
    scope = {name: value for name, value in state.scope.items() if not name.isdigit()}
    scope["@"] = scope["*"] = values
    loose = next((at for at, value in enumerate(values) if value.loose), len(values))
    for at in range(9):
        given = values[at : at + 1]
        scope[str(at + 1)] = given if at <= loose and at < len(values) else _beyond(loose, values)
    return replace(state, scope=scope)


def _beyond(loose: int, values: tuple[Value, ...]) -> Values:
    return () if loose == len(values) else (_UNKNOWN,)


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
            state = state.assign(alias_name(name), (replace(word, text=text),))
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
    **dict.fromkeys(("mapfile", "readarray"), _mapfile),
    "getopts": lambda state, call: _forgets("", "OPTARG", "OPTIND")(
        state, replace(call, args=call.args[1:2])
    ),
    "let": _let,
    "printf": _printf,
    "set": _set,
    "shopt": _shopt,
    "shift": _shift,
}
