"""Carry out one simple command: its words, assignments and redirections, then its program.

Always true: the order is bash's, and every part is told even where another cannot be.
"""

from __future__ import annotations

from functools import partial

from penstock.core.shell.budget import COMMAND
from penstock.core.shell.command.assign import Assignments, exported
from penstock.core.shell.command.contents import Contents
from penstock.core.shell.command.effect import Effects
from penstock.core.shell.command.exits import Exits
from penstock.core.shell.command.host import Follows
from penstock.core.shell.command.program import WHICH_PROGRAM, Programs
from penstock.core.shell.command.project_copies import Packed
from penstock.core.shell.command.redirect import INPUT_MOVED, Redirections, after_redirections
from penstock.core.shell.command.run import RunTexts
from penstock.core.shell.command.texts import Texts
from penstock.core.shell.command.words import Words
from penstock.core.shell.effects import Feed, ProgramCall, Touch
from penstock.core.shell.expansion import PIPE, Value
from penstock.core.shell.findings import ShellTarget, shown
from penstock.core.shell.programs.builtins import Outcome
from penstock.core.shell.programs.git_answers import answered
from penstock.core.shell.programs.git_patches import made_patch
from penstock.core.shell.programs.listings import PASSES_LINES, listed, perhaps_listed
from penstock.core.shell.programs.output import printed
from penstock.core.shell.programs.own import SHOWS
from penstock.core.shell.programs.reads.environment import prints_own
from penstock.core.shell.programs.reads.table import READS
from penstock.core.shell.programs.reads.vocabulary import COUNTS
from penstock.core.shell.shell_setup import sets_up
from penstock.core.shell.state import ShellState
from penstock.core.shell.syntax.nodes import ShellWord, Simple, Sub

# Builtins that expand the subscripts in their words once more, commands inside included.
_EVALUATES = frozenset({"let", "declare", "typeset", "local", "read", "unset"})
_EVALUATES_NAMED = frozenset({"printf", "test", "[", "[["})
_IN_THIS_SHELL = frozenset({"eval", "source", "."})
_TAKES_IN = frozenset({"export", "eval", "declare", "readonly"})


class Commands:
    """Carries out simple commands for one walk; its parts share what they remember."""

    def __init__(self, walk: Follows) -> None:
        self._walk = walk
        self.words = Words(walk)
        self.texts = Texts()
        self.contents = Contents(walk)
        self.packed = Packed()
        self.exits = Exits(walk)
        self.redirections = Redirections(walk, self.words, self.texts, self.contents)
        self.runs = RunTexts(walk, self.texts, self.exits)
        self.programs = Programs(
            walk, self.texts, self.exits, self.runs, self.contents, self.packed
        )
        self.effects = Effects(walk, self.texts, self.exits, self.runs, self.packed)
        self._assignments = Assignments(walk, self.words)
        self._taken_in: dict[ShellTarget, None] = {}  # read into this shell, and shown to nobody

    def command(self, node: Simple, state: ShellState, feed: Feed) -> Outcome:
        """Carry out one simple command."""
        self._walk.account.charge(COMMAND)
        self._look_into(node, state)
        state = self.words.expanded(node.words, state)
        inside, words = self._assignments.in_front(node.words, state)
        if not words:
            self.redirections.tell(node.redirects, inside, output=lambda: "")
            return (inside,), (inside,)
        if INPUT_MOVED in state.traits:
            feed = Feed(piped=True)
        argv = self.words.values(words, state)
        if self._sets_up(words, state):
            return (state,), (state,)
        if self._taken_in and prints_own(argv):
            self._walk.found.reads |= self._taken_in
        self._note_pipes(node.words, state)
        self._doubt_program(words[0], argv)
        self._doubt_pipes(node.words, argv)
        if node.redirects:
            quiet = bool(argv) and argv[0].text in COUNTS
            fed = self.redirections.fed(node.redirects, state, feed)
            output = partial(self.contents.output, argv, fed, state)
            self.redirections.tell(node.redirects, state, quiet=quiet, output=output)
            feed = fed
            self.redirections.remember(node.redirects, argv, state, feed)
            state, inside = after_redirections(node.redirects, argv, state, inside)
        if inside is not state:
            inside = exported(inside, state)
        return self.programs.start(argv, state, feed, inside)

    def _look_into(self, node: Simple, state: ShellState) -> None:
        """Follow what runs inside the words.

        A script that exports what it reads takes it in and shows it to nobody, until a command
        prints the environment.
        """
        found = self._walk.found
        takes_in = bool(node.words) and (
            (self._walk.scripts.depth and node.words[0].raw in _TAKES_IN)
            or self._sets_up(node.words, state)
        )
        before = set(found.reads) if takes_in else None
        self.words.look_into(node.words, state)
        if before is not None:
            self._taken_in |= {one: None for one in found.reads if one not in before}
            found.reads = {one: None for one in found.reads if one in before}

    def _sets_up(self, words: tuple[ShellWord, ...], state: ShellState) -> bool:
        """True for `eval "$(ssh-agent -s)"`, `source <(kubectl completion bash)` and the like."""
        if words[0].raw not in _IN_THIS_SHELL or len(words) != 2 or len(words[1].parts) != 1:
            return False
        part = words[1].parts[0]
        script = part.script if isinstance(part, Sub) else None
        return script is not None and sets_up(self._walk.words_of(script, state))

    def _note_pipes(self, words: tuple[ShellWord, ...], state: ShellState) -> None:
        """Remember what `<(...)` holds, as far as it is known or names files."""
        subs = (part for word in words for part in word.parts if isinstance(part, Sub))
        scripts = [part.script for part in subs if part.kind == "<" and part.script is not None]
        self.texts.files.pop(PIPE, None)
        for script in scripts[:1]:
            text = self._walk.printed(script, state)
            known = "\n".join(self._walk.hints(script, state)) if text is None else text
            if known:
                self.texts.files[PIPE] = known

    def _doubt_program(self, word: ShellWord, argv: list[Value]) -> None:
        """Doubt a program that a substitution names, and arithmetic that may run commands."""
        first = word.parts[0] if word.parts else None
        if isinstance(first, Sub) and first.script is not None:
            self._walk.found.doubt(WHICH_PROGRAM.format(shown(word.raw)), runs=True)
        name = argv[0].text if argv else ""
        if name in _EVALUATES or (name in _EVALUATES_NAMED and Value("-v") in argv):
            for value in argv[1:]:
                if value.exact and ("$(" in value.text or "`" in value.text):
                    self._walk.found.doubt(f"`{shown(value.text)}` may be run as a command")

    def _doubt_pipes(self, words: tuple[ShellWord, ...], argv: list[Value]) -> None:
        """Doubt a program that is given `<(...)` as a file, unless it only shows files."""
        name = argv[0].text.rpartition("/")[2] if argv else ""
        if any(PIPE in word.raw or "<(" in word.raw for word in words) and name not in SHOWS:
            self._walk.found.doubt("", runs=True)

    def output(self, node: Simple, state: ShellState, feed: Feed) -> str | None:
        """Return what a simple command prints, if that is known."""
        fed = self.redirections.fed(node.redirects, state, feed)
        argv = self.words.values(node.words, state)
        shows = len(argv) == 2 and argv[0].text in ("cat", "tac")
        known = self.texts.content(argv[1], state) if shows else None
        if known is None:
            known = printed(argv, fed, state.cwd)
        # What commands before this one change in the repository is not known to it yet.
        if known is None and argv[:1] == [Value("git")] and not self._walk.found.git:
            known = answered(argv[1:], self._walk.here(state))
        return listed(argv, fed, self._walk.here(state)) if known is None else known

    def lines(self, node: Simple, state: ShellState, feed: Feed) -> str | None:
        """Return the lines that a simple command prints, from files on the disk as well."""
        fed = self.redirections.fed(node.redirects, state, feed)
        return self.contents.output(self.words.values(node.words, state), fed, state)

    def passed_on(self, node: Simple, state: ShellState, feed: Feed) -> Feed:
        """Return what may be known of the output of a command whose whole is not known."""
        fed = self.redirections.fed(node.redirects, state, feed)
        argv = self.words.values(node.words, state)
        name = argv[0].text.rpartition("/")[2] if argv else "cat"  # `$(<file)`
        if name not in PASSES_LINES:
            parts = perhaps_listed(argv, fed, self._walk.here(state))
            return Feed(parts=parts, patch=made_patch(argv))
        call = ProgramCall(name, tuple(argv[1:]), fed)
        lines = partial(self.contents.output, argv, fed, state)
        files = [e.value for e in READS[name](call) if isinstance(e, Touch) and not e.mention]
        if files:
            known = tuple(file.text for file in files if file.exact)
            return Feed(files=known, lines=lines)
        return Feed(parts=fed.text or fed.parts, files=fed.files, lines=lines)
