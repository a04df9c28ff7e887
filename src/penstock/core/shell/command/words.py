"""What the words of a command stand for, what runs inside them, what they assign.

Always true: a word is expanded in one state; the state after it is another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.shell.budget import WORD
from penstock.core.shell.command.host import Follows
from penstock.core.shell.effects import Feed
from penstock.core.shell.expansion import Value, expand, inner_scripts, text_of
from penstock.core.shell.findings import shown
from penstock.core.shell.programs.builtins import counted, set_variable
from penstock.core.shell.state import ShellState
from penstock.core.shell.syntax.nodes import Arr, Lit, Part, Script, ShellWord, Sub, Var


class _Ask(Struct, frozen=True):
    """Answers an expansion's questions in one state."""

    walk: Follows
    state: ShellState

    def printed(self, script: Script) -> str | None:
        """Return what a substitution prints, if that is known."""
        return self.walk.printed(script, self.state)

    def names(self, pattern: str) -> Sequence[str] | None:
        """Return the files that a pattern meets, if that is known."""
        return self.walk.names(pattern, self.state)

    def hints(self, script: Script) -> Sequence[str]:
        """Return files that a substitution may name whose output is not known."""
        return self.walk.hints(script, self.state)

    def charge(self, units: int) -> None:
        """Account for work."""
        self.walk.account.charge(units)


class Words:
    """Expands the words of one walk's commands."""

    def __init__(self, walk: Follows) -> None:
        self._walk = walk

    def look_into(self, words: Iterable[ShellWord], state: ShellState) -> None:
        """Follow the scripts that stand inside some words."""
        for word in words:
            self.look_into_parts(word.parts, state)

    def look_into_parts(self, parts: Iterable[Part], state: ShellState) -> None:
        """Follow the scripts that stand inside parts of a word."""
        for part in parts:
            if isinstance(part, Lit):  # as most are: nothing runs in it
                continue
            if isinstance(part, Var) and part.op.startswith("@"):
                self._walk.found.doubt(f"`{shown(part.raw)}` may be run as a command")
            for script in inner_scripts((part,)):
                self._walk.script(script, (state,), Feed())

    def values(self, words: Iterable[ShellWord], state: ShellState) -> list[Value]:
        """Return what some words stand for; empty words in front are none."""
        ask = _Ask(self._walk, state)
        argv: list[Value] = []
        for word in words:
            self._walk.account.charge(WORD + len(word.raw) // 512)
            argv.extend(expand(word, state.scope, ask))
        empty = next((at for at, value in enumerate(argv) if value.text), len(argv))
        return argv[empty:]

    def text(self, parts: tuple[Part, ...], state: ShellState) -> Value:
        """Return what parts stand for as one text, as an assignment takes it."""
        value = text_of(parts, state.scope, _Ask(self._walk, state))
        self._walk.account.charge(WORD + len(value.text) // 256)
        return value

    # Words that assign

    def expanded(self, words: Iterable[ShellWord], state: ShellState) -> ShellState:
        """Return the state after some words are expanded: `${x:=y}` and `$((x=1))` assign."""
        for word in words:
            raw = word.raw
            if ("=" in raw and "${" in raw) or "((" in raw or "$[" in raw:
                state = self._expanded(word.parts, state)
        return state

    def _expanded(self, parts: Iterable[Part], state: ShellState) -> ShellState:
        for part in parts:
            if isinstance(part, Var):
                state = self._default(part, self._expanded(part.arg, state))
            elif isinstance(part, Sub) and part.kind == "((":
                state = counted(self._expanded(part.inner, state), part.raw)
            elif isinstance(part, Arr):
                state = self.expanded(part.words, state)
        return state

    def _default(self, part: Var, state: ShellState) -> ShellState:
        """Return the state after `${x:=y}`: where x may be set or not, its value is not certain."""
        if part.op not in (":=", "="):
            return state.blur() if part.op in ("!:=", "!=") else state
        before = state.scope.get(part.name)
        if before and (before[0].text or part.op == "=") and before[0].exact:
            return state
        value = self.text(part.arg, state)
        known = before is not None and all(one.exact for one in before)
        return set_variable(state, Value(part.name), (replace(value, exact=known and value.exact),))


def assigned_names(parts: Iterable[Part]) -> Iterator[str]:
    """Return the variables that parts of a word assign when they are expanded."""
    for part in parts:
        if isinstance(part, Var):
            if part.op in (":=", "="):
                yield part.name.partition("[")[0]
            yield from assigned_names(part.arg)
