"""Who left a loop, a function or the shell before its end, and what the shell runs when it ends.

Always true: a state that left is followed from where it arrives; behind the jump it is not.
"""

from __future__ import annotations

from msgspec.structs import replace

from penstock.core.shell.command.host import Follows
from penstock.core.shell.effects import Feed, Later, Shell
from penstock.core.shell.programs.builtins import Outcome
from penstock.core.shell.state import ShellState, States, merged

JUMPS = frozenset({"break", "continue", "return", "exit"})
MOST_JUMPS = 8
MOST_LATER = 16


class Exits:
    """The ways out of one walk's loops, functions and shells."""

    def __init__(self, walk: Follows) -> None:
        self._walk = walk
        self.loops: list[list[ShellState]] = []
        self.returns: list[list[ShellState]] = []
        self._exits: list[ShellState] = []
        self._later: list[tuple[Later, ShellState]] = []

    def jump(self, name: str, state: ShellState) -> Outcome:
        """Leave a loop, a function or the shell; what follows is not reached from here."""
        if name == "exit":
            self._left(self._exits, state)
            return (), ()
        places = self.returns[-1:] if name == "return" else self.loops
        for place in places:
            self._left(place, state)
        return ((), ()) if places else ((state,), (state,))

    def _left(self, place: list[ShellState], state: ShellState) -> None:
        if state in place:
            return
        if len(place) < MOST_JUMPS:
            place.append(state)
        else:
            self._walk.found.doubt("there are too many ways through the command to follow")

    def later(self, effect: Later, state: ShellState) -> None:
        """Remember a text that this shell runs later on."""
        if len(self._later) < MOST_LATER:
            self._later.append((effect, state))
        else:
            self._walk.found.doubt("the command sets too many traps to follow")

    def mark(self) -> int:
        """Return how many texts are remembered now, for `ended`."""
        return len(self._later)

    def ended(self, states: States, since: int = 0) -> None:
        """A shell ends: follow the texts that it was told to run then."""
        waiting, self._later[since:] = self._later[since:], []
        for effect, before in waiting:
            for state in merged(states, self._exits):
                moved = effect.often and state.cwd != before.cwd
                now = replace(state.blur(), sure=state.sure and not moved)
                start = now if effect.often else state
                self._walk.effects((Shell(effect.text),), start, Feed(), "trap")
