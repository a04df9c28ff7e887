"""Follow the nodes of a command from state to state.

Both ways of every branch are followed; loops over known words run once for each, other loops
until nothing new appears, at most twice. Functions are followed when they are called, or at
the end when nothing called them. What simple commands do is settled by `command`.
Always true: a node that never ends (`exit`) leaves the states before it, so that nothing
behind it goes unseen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from penstock.core.shell.budget import MOST_NODES_DEEP, MOST_UNITS, PIECE, TEXT, Account
from penstock.core.shell.command.assign import doubt_texts
from penstock.core.shell.command.simple import Commands
from penstock.core.shell.effects import Effect, Feed, RunRole, RunText
from penstock.core.shell.expansion import Value
from penstock.core.shell.fallback_scan import scan
from penstock.core.shell.findings import NOT_PARSED, ShellFindings
from penstock.core.shell.look import NO_LOOK, NOWHERE, Look, LookAfter, LookHere
from penstock.core.shell.programs.builtins import LAST_PIPE, Outcome
from penstock.core.shell.programs.reads.name_list import fed as fed_names
from penstock.core.shell.programs.reads.vocabulary import SENDS
from penstock.core.shell.scripts import ScriptBudget, run_of
from penstock.core.shell.state import (
    MOST_STATES,
    ShellState,
    States,
    collapsed,
    merged,
    widened,
)
from penstock.core.shell.syntax.nodes import (
    Both,
    Case,
    CommandBlock,
    For,
    Function,
    If,
    Loop,
    Node,
    Not,
    Pipe,
    Script,
    Simple,
)
from penstock.core.shell.syntax.tokens import read_script
from penstock.core.shell.syntax.tree import Statement, pieces
from penstock.core.shell.syntax.words import TooMuch
from penstock.core.shell.wildcards import is_read, is_wild

MOST_TURNS = 64
# A loop that goes on changing variables is followed so often; in the last turn all are unknown.
MOST_ROUNDS = 4
MOST_LINES = 400
# Parts of one script, some two hundred and fifty plain lines each.
MOST_PARTS = 12
MOST_SCRIPT_UNITS = 60_000
_SHORT_SCRIPT = 64
# Beyond this the walk stops telling states apart that differ in variables only.
_LONG = MOST_UNITS // 6


class CommandWalk:
    """One command being followed."""

    def __init__(
        self, found: ShellFindings, look: Look = NO_LOOK, scripts: ScriptBudget | None = None
    ) -> None:
        self.found = found
        self.look = look
        self.scripts = scripts or ScriptBudget()
        self.account = Account()
        self.commands = Commands(self)
        self.defined: dict[str, tuple[Node, ShellState]] = {}
        self._read: dict[int, tuple[Script, list[Statement]]] = {}

    # Texts and scripts

    def text(self, text: str, states: States, feed: Feed) -> States:
        """Follow a text as shell commands."""
        self.account.charge(TEXT)
        reading = read_script(text, steps=self.account.steps)
        self.account.steps = reading.steps
        for problem in reading.problems:
            self.found.doubt(f"{NOT_PARSED}: {problem}")
        if reading.rest:
            # The answer is "too large" already: what was read gets a short look only.
            self.found.overflow()
            self.account.hurry()
            scan(reading.rest, self.found, states[0])
        return self.script(reading.script, states, feed)

    def long_text(self, text: str, states: States, feed: Feed) -> States:
        """Follow a script of the project part by part, each at the price of a command.

        What is unclear in a script does not count, so nothing may hide behind its length: a part
        that cannot be followed, and what is behind the last, still get a look.
        """
        for _ in range(MOST_PARTS):
            reading = read_script(text)
            part = text[: len(text) - len(reading.rest)]
            states = self._part(part, reading.script, states, feed)
            text = reading.rest
            if not text or self.account.earlier > MOST_SCRIPT_UNITS:
                break
        scan(text, self.found, states[0])
        return states

    def _part(self, text: str, script: Script, states: States, feed: Feed) -> States:
        """Follow the statements of a part of a script; one that costs too much is passed over."""
        self.account.refill()
        for piece in self._pieces(script):
            if self.account.units > MOST_UNITS // 2:
                self.account.refill()
            try:
                states = self._after(piece.node, states, feed)
            except (TooMuch, RecursionError):
                self.account.refill()
                self.found.doing.clear()
                scan(text, self.found, states[0])
            if self.account.earlier > MOST_SCRIPT_UNITS:
                scan(text, self.found, states[0])
                break
        return states

    def script(self, script: Script, states: States, feed: Feed) -> States:
        """Follow a script that has been read."""
        with self.account.deeper():
            for piece in self._pieces(script):
                self.account.charge(PIECE)
                if piece.flat:
                    self.found.doubt(NOT_PARSED)
                states = self._after(piece.node, states, feed)
        return states

    def _pieces(self, script: Script) -> Iterator[Statement]:
        """Return a script's statements, nested once however often it is followed."""
        known = self._read.get(id(script))
        if known:
            yield from known[1]
            return
        made: list[Statement] = []
        for piece in pieces(script, self.account.skeletons):
            made.append(piece)
            yield piece
        self._read[id(script)] = (script, made)

    def printed(self, script: Script, state: ShellState) -> str | None:
        """Return what a substitution prints, when it is one command whose output is known."""
        if len(script.tokens) > _SHORT_SCRIPT:
            return None
        made = list(self._pieces(script))
        with self.account.deeper():
            return self._output(made[0].node, state, Feed()) if len(made) == 1 else None

    def words_of(self, script: Script, state: ShellState) -> Sequence[Value]:
        """Return the words of a substitution that is one simple command; none where it is not."""
        made = list(self._pieces(script)) if len(script.tokens) <= _SHORT_SCRIPT else []
        node = made[0].node if len(made) == 1 else None
        while isinstance(node, CommandBlock) and len(node.items) == 1:
            node = node.items[0]
        return self.commands.words.values(node.words, state) if isinstance(node, Simple) else ()

    def here(self, state: ShellState) -> LookHere:
        """Return what can be seen from a state."""
        if self.look is NO_LOOK:
            return NOWHERE
        written, changed = self.commands.texts.files, self.commands.contents.changed
        look = LookAfter(self.look, written, changed) if written or changed else self.look
        return LookHere(look, state.cwd, state.sure, self.account.grant, self.found.start)

    def run_text(self, effect: RunText, state: ShellState, feed: Feed) -> States:
        """Follow a text of the project apart: what it does counts, what is unclear in it not."""
        where = state.move(effect.directory) if effect.directory else state
        if self.look is NO_LOOK:
            return (state,)
        if not self.scripts.enter(effect):
            known = effect in self.scripts.seen or effect.role is not RunRole.SCRIPT
            self.scripts.missed = self.scripts.missed or not known
            return (state,)
        inside = CommandWalk(ShellFindings(), self.look, self.scripts)
        inside.commands.texts.files = self.commands.texts.files
        after: States = (state,)
        try:
            after = inside.commands.runs.text(effect, where, feed)
            inside.uncalled()
        except (TooMuch, RecursionError):
            after = (state,)
        finally:
            self.scripts.leave(inside.account.earlier + inside.account.units)
        self.found.scripts += [run_of(effect, inside.found), *inside.found.scripts]
        return after[:1] if effect.here else (state,)

    # Effects and programs

    def effects(self, effects: Iterable[Effect], state: ShellState, feed: Feed, by: str) -> States:
        """Carry out what a program does."""
        return self.commands.effects.all(effects, state, feed, by)

    def program(
        self, argv: list[Value], state: ShellState, feed: Feed, *, functions: bool
    ) -> Outcome:
        """Do what a program does with its words."""
        return self.commands.programs.start(argv, state, feed, functions=functions)

    def names(self, pattern: str, state: ShellState) -> Sequence[str] | None:
        """Return the files that a pattern meets: on the disk, and made by this very command."""
        if self.look is NO_LOOK or not is_read(pattern) or not state.plain_patterns:
            return None
        if not is_wild(pattern):
            return ()
        made = self.found.made(pattern, state)
        found = None if made is None else self.here(state).names(pattern)
        if found is None or not self.account.grant(len(found)):
            return None
        return [*found, *(name for name in made or () if name not in found)]

    def define(self, name: str, body: Node, state: ShellState) -> None:
        """Remember a function until it is called."""
        self.defined[name] = (body, state)

    def called(self, name: str) -> None:
        """A function was called, so it need not be followed for its own sake."""
        self.defined.pop(name, None)

    def uncalled(self) -> None:
        """Follow the functions that nothing called: something else might."""
        while self.defined:
            _, (body, state) = self.defined.popitem()
            self._after(body, (state,), Feed())

    # Nodes

    def node(self, node: Node, states: States, feed: Feed) -> Outcome:
        """Return the states after a node succeeds, and those after it fails."""
        account = self.account
        account.nodes_deep += 1
        if account.nodes_deep > MOST_NODES_DEEP:
            raise TooMuch
        outcome = _FOLLOW[type(node)](self, node, states, feed)
        account.nodes_deep -= 1
        return outcome

    def _after(self, node: Node, states: States, feed: Feed) -> States:
        """Return the states after a node, however it ends; the old ones when it never does."""
        succeeded, failed = self.node(node, states, feed)
        if succeeded is failed:
            return succeeded or states
        return self._few(merged(succeeded, failed)) or states

    def _few(self, states: States) -> States:
        if len(states) > MOST_STATES or (len(states) > 1 and self.account.units > _LONG):
            states = collapsed(states)
        if len(states) > MOST_STATES:
            self.found.doubted[""] = None  # what comes later was not followed to its end
            self.found.doubt("there are too many ways through the command to follow")
        return states[:MOST_STATES]

    def _simple(self, node: Simple, states: States, feed: Feed) -> Outcome:
        self.found.leaf(node.text)
        outcome = self._carried_out(node, states, feed)
        self.found.doing.pop()
        return outcome

    def _carried_out(self, node: Simple, states: States, feed: Feed) -> Outcome:
        if len(states) == 1:
            return self.commands.command(node, states[0], feed)
        succeeded: States = ()
        failed: States = ()
        for state in states:
            good, bad = self.commands.command(node, state, feed)
            self.account.charge(len(states) * (1 + len(state.scope) // 16))
            succeeded, failed = merged(succeeded, good), merged(failed, bad)
        return self._few(succeeded), self._few(failed)

    def _pipe(self, node: Pipe, states: States, feed: Feed) -> Outcome:
        ends: States = ()
        for state in states:
            now = feed
            last: Outcome = ((state,), (state,))
            for at, item in enumerate(node.items, start=1):
                self.commands.programs.away = any(map(_sends, node.items[at:]))
                last = self.node(item, (state,), now)
                now = self._fed_on(item, state, now) if at < len(node.items) else now
            self.commands.programs.away = False
            ends = merged(ends, *last) if LAST_PIPE in state.traits else merged(ends, (state,))
        return self._few(ends), self._few(ends)

    def _fed_on(self, node: Node, state: ShellState, feed: Feed) -> Feed:
        """Return what comes out of a node of a pipe, as far as it is known."""
        text = self._output(node, state, feed)
        if text is None and isinstance(node, Simple):
            return replace(self.commands.passed_on(node, state, feed), piped=True)
        parts = self._known_parts(node, state, feed)
        return Feed(text, piped=True, parts=parts)

    def _known_parts(self, node: Node, state: ShellState, feed: Feed) -> str:
        """Return what is known of the output of a block, where the whole is not."""
        if not isinstance(node, CommandBlock):
            return self._output(node, state, feed) or ""
        with self.account.deeper():
            found = [self._known_parts(item, state, feed) for item in node.items[:MOST_TURNS]]
        return "".join(found)

    def _output(self, node: Node, state: ShellState, feed: Feed) -> str | None:
        """Return what a node prints, when it is a command whose output is known."""
        if isinstance(node, Simple):
            return self.commands.output(node, state, feed)
        if isinstance(node, CommandBlock) and len(node.items) == 1:
            return self._output(node.items[0], state, feed)
        if isinstance(node, Pipe):
            for item in node.items:
                feed = Feed(self._output(item, state, feed), piped=True)
            return feed.text
        return None

    def _lines(self, node: Node, state: ShellState, feed: Feed) -> str | None:
        """Return the lines that a command prints, or those of a block one behind the other."""
        if isinstance(node, Simple):
            return self.commands.lines(node, state, feed)
        if not isinstance(node, CommandBlock):
            return None
        with self.account.deeper():
            found = [self._lines(item, state, feed) for item in node.items]
        return None if None in found else "".join(text or "" for text in found)

    def hints(self, script: Script, state: ShellState) -> Sequence[str]:
        """Return files that a substitution may name: those in lists that it prints."""
        if self.look is NO_LOOK or len(script.tokens) > _SHORT_SCRIPT:
            return ()
        made = list(self._pieces(script))
        node = made[0].node if len(made) == 1 else None
        feed = Feed()
        with self.account.deeper():
            for item in node.items if isinstance(node, Pipe) else (node,):
                known = isinstance(item, Simple)
                feed = self._fed_on(item, state, feed) if known and item else Feed()
        names = list(fed_names(feed, self.here(state)))
        return [name.text for name in names] if self.account.grant(len(names)) else ()

    def _not(self, node: Not, states: States, feed: Feed) -> Outcome:
        succeeded, failed = self.node(node.item, states, feed)
        return failed, succeeded

    def _both(self, node: Both, states: States, feed: Feed) -> Outcome:
        succeeded, failed = self.node(node.left, states, feed)
        start = failed if node.either else succeeded
        good, bad = self.node(node.right, self._few(start) or states, feed)
        if node.either:
            return self._few(merged(succeeded, good)), self._few(bad)
        return self._few(good), self._few(merged(failed, bad))

    def _block(self, node: CommandBlock, states: States, feed: Feed) -> Outcome:
        for state in states:
            output = partial(self._lines, node, state, feed)
            self.commands.redirections.tell(node.redirects, state, output=output)
        inside = self.commands.redirections.fed(node.redirects, states[0], feed)
        now = states
        last: Outcome = (states, states)
        since = self.commands.exits.mark()
        for item in node.items:
            last = self.node(item, now, inside)
            now = self._few(merged(*last)) or now
        if not node.apart:
            return last
        self.commands.exits.ended(now, since)
        return states, states

    def _if(self, node: If, states: States, feed: Feed) -> Outcome:
        ends: States = ()
        now = states
        for condition, body in node.branches:
            holds, fails = self.node(condition, now, feed)
            ends = merged(ends, self._after(body, self._few(holds) or now, feed))
            now = self._few(fails) or now
        ends = self._few(merged(ends, self._after(node.otherwise, now, feed)))
        return ends, ends

    def _loop(self, node: Loop, states: States, feed: Feed) -> Outcome:
        lines = _lines_read(node.condition, feed)
        if 0 < len(lines) <= MOST_LINES:
            return self._each_line(node, states, lines)
        if feed.piped and feed.text == "" and feed.exact and _reads_lines(node.condition):
            return states, states  # there is no line to read
        if feed.text is None and (feed.parts or feed.files):
            self._perhaps_lines(node, states, feed)
        holds, ends = self.node(node.condition, states, feed)
        seen, after, left = states, *self._turn(node.body, self._few(holds) or states, feed)
        for turn in range(MOST_ROUNDS):
            if all(state in seen for state in after):
                break
            now = after if not turn else widened(seen, after, entirely=turn == MOST_ROUNDS - 1)
            seen = merged(seen, now)
            holds, fails = self.node(node.condition, now, feed)
            after, more = self._turn(node.body, self._few(holds) or now, feed)
            ends, left = merged(ends, fails), merged(left, more)
        ends = self._few(merged(ends, after, left))
        return ends, ends

    def _turn(self, body: Node, states: States, feed: Feed) -> tuple[States, States]:
        """Follow a loop's body once; return the states after it, and those that left it early."""
        self.commands.exits.loops.append([])
        after = self._after(body, states, feed)
        left = tuple(self.commands.exits.loops.pop())
        return (self._few(merged(after, left)), left) if left else (after, ())

    def _each_line(self, node: Loop, states: States, lines: list[str]) -> Outcome:
        """Follow `while read name`: once for each line of a known input."""
        now, left = states, states[:0]
        for line in lines:
            holds, _ = self.node(node.condition, now, Feed(line, piped=True))
            now, more = self._turn(node.body, self._few(holds) or now, Feed(piped=True))
            left = merged(left, more)
        ends = self._few(merged(now, left))
        return ends, ends

    def _perhaps_lines(self, node: Loop, states: States, feed: Feed) -> None:
        """Follow `while read name` for files that its input may name, besides the unknown."""
        names = list(fed_names(feed, self.here(states[0])))[:MOST_TURNS]
        if _reads_lines(node.condition) and self.account.grant(len(names)):
            for name in names:
                holds, _ = self.node(node.condition, states, Feed(name.text, exact=False))
                self._turn(node.body, self._few(holds) or states, Feed(piped=True))

    def _for(self, node: For, states: States, feed: Feed) -> Outcome:
        ends: States = ()
        for state in states:
            now: States = (self.commands.words.expanded(node.words or (), state),)
            turns = self._turns(node, state)
            if any(value.loose for value in turns):
                ends = merged(ends, now)  # perhaps there is nothing to loop over
            for value in turns:
                self.account.charge(2 + len(state.scope) // 16)
                turn = tuple(each.assign(node.name, (value,)) for each in now)
                now, left = self._turn(node.body, turn, feed)
                ends = merged(ends, left)
            ends = merged(ends, now)
        return self._few(ends), self._few(ends)

    def _turns(self, node: For, state: ShellState) -> list[Value]:
        """Return the values of a loop's variable; behind the last that is followed, any."""
        if node.words is None:
            values = list(state.scope.get("@", ()))
        else:
            self.commands.words.look_into(node.words, state)
            state = self.commands.words.expanded(node.words, state)
            values = self.commands.words.values(node.words, state)
            doubt_texts(self, values)
        unknown = Value(f"${node.name}", exact=False, loose=True)
        certain = [replace(value, exact=False) if value.pattern else value for value in values]
        most = max(MOST_TURNS, self.account.names)
        if len(certain) > most:
            return [*certain[:most], unknown]
        return certain or [unknown]

    def _case(self, node: Case, states: States, feed: Feed) -> Outcome:
        self.commands.words.look_into(node.words, states[0])
        states = tuple(self.commands.words.expanded(node.words, state) for state in states)
        ends, before = states, states
        for body, falls in node.bodies:
            after = self._after(body, self._few(before), feed)
            ends = merged(ends, after)
            before = merged(states, after) if falls else states
        return self._few(ends), self._few(ends)

    def _function(self, node: Function, states: States, feed: Feed) -> Outcome:
        self.define(node.name, node.body, states[0])
        self.account.charge(2 + len(states[0].functions) // 8)
        after = tuple(
            replace(state, functions={**state.functions, node.name: node.body}) for state in states
        )
        return after, after


def _lines_read(condition: Node, feed: Feed) -> list[str]:
    """Return the lines that a loop's condition reads one by one, as far as they are known."""
    if feed.text is None or not feed.exact or not _reads_lines(condition):
        return []
    cut = "\0" if "\0" in feed.text else "\n"
    return [line for line in feed.text.split(cut) if line.strip()]


def _sends(node: Node) -> bool:
    """True for a command that sends its input to another machine."""
    return isinstance(node, Simple) and bool(node.words) and node.words[0].raw in SENDS


def _reads_lines(condition: Node) -> bool:
    """True for a condition that is one `read`."""
    while isinstance(condition, CommandBlock) and len(condition.items) == 1:
        condition = condition.items[0]
    if not isinstance(condition, Simple):
        return False
    words = [word.raw for word in condition.words if not word.raw.startswith("IFS=")]
    return words[:1] == ["read"]


_FOLLOW: Mapping[type, Callable[..., Outcome]] = {
    Simple: CommandWalk._simple,
    Pipe: CommandWalk._pipe,
    Not: CommandWalk._not,
    Both: CommandWalk._both,
    CommandBlock: CommandWalk._block,
    If: CommandWalk._if,
    Loop: CommandWalk._loop,
    For: CommandWalk._for,
    Case: CommandWalk._case,
    Function: CommandWalk._function,
}
