"""Carry out one simple command on paper: assignments, redirections, its program's effects.

The tables of programs say what a program does with its words; here those effects become
targets, other commands to follow, or doubts.
Always true: nothing is run and nothing is read but the text of the command itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, Protocol

from penstock.core.errors import PenstockError
from penstock.core.model import Action
from penstock.core.shell.budget import (
    CODE,
    COMMAND,
    EFFECT,
    PATCH_LINE,
    PYTHON_TOKEN,
    REDIRECT,
    WORD,
    Account,
)
from penstock.core.shell.code.one_liners import MOST_TEXT as MOST_CODE
from penstock.core.shell.code.one_liners import code_effects
from penstock.core.shell.code.python import MOST_TOKENS, python_effects, tokens
from penstock.core.shell.effects import (
    Alias,
    Code,
    Effect,
    Feed,
    Git,
    Later,
    Patch,
    Program,
    ProgramCall,
    Refuse,
    RunFile,
    RunProgram,
    RunText,
    Shell,
    Touch,
    Typed,
    Unclear,
)
from penstock.core.shell.expansion import PIPE, Value, Values, expand, inner_scripts, text_of
from penstock.core.shell.findings import ShellFindings, shown
from penstock.core.shell.git_deed import GitKind
from penstock.core.shell.look import LookHere
from penstock.core.shell.place import joined
from penstock.core.shell.programs.builtins import (
    BUILTINS,
    Builtin,
    Outcome,
    alias_name,
    counted,
    positional,
    set_variable,
)
from penstock.core.shell.programs.filters import FILTER_SCRIPTS, FILTERS, MOST_SCRIPT
from penstock.core.shell.programs.git import git
from penstock.core.shell.programs.git_config import variables as git_variables
from penstock.core.shell.programs.listings import listed
from penstock.core.shell.programs.mentions import FILES_OF, commands_in, mentions
from penstock.core.shell.programs.output import printed
from penstock.core.shell.programs.own import (
    MANAGERS,
    OWN,
    OWN_SCRIPT,
    SHOWS,
    carried,
    computed_removal,
    is_ours,
    packages,
    program_in,
    script,
    surroundings,
    variable,
)
from penstock.core.shell.programs.read_options import COUNTS
from penstock.core.shell.programs.reads import READS, reads, script_reads
from penstock.core.shell.programs.runners import RUNNERS
from penstock.core.shell.programs.table import PROGRAMS
from penstock.core.shell.programs.tasks import TASKS
from penstock.core.shell.programs.terminals import TERMINALS, cron_commands, expect_commands
from penstock.core.shell.script_files import PYTHON, code_of, imports, on_disk, run_with, shadowed
from penstock.core.shell.scripts import ScriptBudget
from penstock.core.shell.state import MOST_STATES, POSITIONAL, ShellState, States, merged
from penstock.core.shell.syntax.nodes import (
    Arr,
    Lit,
    Node,
    Part,
    Redirect,
    Script,
    ShellWord,
    Simple,
    Sub,
    Var,
)
from penstock.core.shell.variables import SPECIAL, evaluates, runs

TABLE: Mapping[str, Program] = {
    **PROGRAMS,
    **FILTERS,
    **RUNNERS,
    **TASKS,
    **TERMINALS,
    **OWN,
    "git": git,
}

_WRITES = frozenset({">", ">>", ">|", ">!", ">>|", ">>!", "<>", "&>", "&>>", "&>|", "&>>|", ">&"})
_READS = frozenset({"<", "<>"})
_APPENDS = frozenset({">>", "&>>", ">>|", ">>!", "&>>|"})
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\[[^\]]*\])?(\+?)=")
_DUPLICATE = re.compile(r"[0-9]*-?")
_VERSION = re.compile(r"(?:-?[0-9][0-9.]{0,16})?(?:\.exe)?$")
_IN_THIS_SHELL = frozenset(
    {"command", "builtin", "noglob", "nocorrect", "-", "eval", ".", "source"}
)
_KEEPS_FUNCTIONS = frozenset({"noglob", "nocorrect", "-"})
_JUMPS = frozenset({"break", "continue", "return", "exit"})
# With this among the traits of a state, `exec` has changed what commands read.
INPUT_MOVED = "exec <"
_INPUTS = frozenset({"<", "<>", "<<", "<<-", "<<<", "<&"})
# Builtins that give variables the texts in their words or in their input.
_FILLS = frozenset(
    {
        *("declare", "typeset", "local", "export", "readonly", "read", "mapfile", "readarray"),
        *("printf", "set", "let", "getopts"),
    }
)
# Builtins that expand the subscripts in their words once more, commands inside included.
_EVALUATES = frozenset({"let", "declare", "typeset", "local", "read", "unset"})
_EVALUATES_NAMED = frozenset({"printf", "test", "[", "[["})
_TESTS = frozenset({"[", "[["})
_MOVES = frozenset({"cd", "chdir", "pushd"})
_TAKES_IN = frozenset({"export", "eval", "declare", "readonly"})
_UNKNOWN = Value("", exact=False)
_ANY = Value("", exact=False, loose=True)
_OPENED = re.compile(r"/dev/fd/[0-9]+|/proc/(?:self|[0-9]+)/fd/[0-9]+")
# Options that let a pattern meet names beginning with a dot, or in other letters.
_OPTION_SETTERS = frozenset({"shopt", "setopt", "set"})
_DOT_OPTION = re.compile(r"(?i)dot_?glob|glob_?dots|no_?case_?glob|no_?case_?match|extended_?glob")
_SEPARATOR = re.compile(r"\$\{?IFS\}?")
_SHEBANG = re.compile(r"#!.{0,80}?(python|node|perl|ruby|php|sh)")
_LONGEST_NAME = 64
# The lines of a patch that name its files.
_PATCHED_FILE = re.compile(
    r"^(?:\*\*\* (?:Add File|Update File|Delete File|Move to): |(?:---|\+\+\+) (?:[ab]/)?)"
    r"([^\t\n]{1,255})",
    re.MULTILINE,
)
MOST_PATCHED = 128
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.+-]+")
_LANGUAGES = {"node": "js"}
_NAMES_ANEW = frozenset(
    {"cp", "gcp", "ditto", "mv", "gmv", "ln", "link", "install", "ginstall", "rsync", "scp"}
)
_EXPORTS = frozenset({"export", "declare", "typeset", "readonly"})
_DECLARES = _EXPORTS | {"local"}
# Programs after which a file holds what it held, or what has been noted of it.
_KEEPS_TEXT = frozenset(
    {*_NAMES_ANEW, "chmod", "chown", "chgrp", "touch", "rm", "unlink", "tee", "dd", "chattr"}
)
MOST_JUMPS = 8
MOST_LATER = 16
MOST_TYPED = 4_096
_WHICH_PROGRAM = "`{}` decides when it runs which program it is"
# Languages that are shell commands with something around them.
_BECOME_SHELL: Mapping[str, Callable[[str], str]] = {
    "sh": lambda text: text,
    "cron": cron_commands,
    "tmux": lambda text: "".join(f"tmux {line}\n" for line in text.split("\n") if line.strip()),
}


class Follows(Protocol):
    """What a simple command needs from the walk that it is part of."""

    found: ShellFindings
    scripts: ScriptBudget

    def text(self, text: str, states: States, feed: Feed) -> States:
        """Follow a text as shell commands."""

    def script(self, script: Script, states: States, feed: Feed) -> States:
        """Follow a script that has been read."""

    def node(self, node: Node, states: States, feed: Feed) -> Outcome:
        """Follow one node."""

    def printed(self, script: Script, state: ShellState) -> str | None:
        """Return what a substitution prints, if that is known."""

    def names(self, pattern: str, state: ShellState) -> Sequence[str] | None:
        """Return the files that a pattern meets, if that is known."""

    def here(self, state: ShellState) -> LookHere:
        """Return what can be seen from a state."""

    def run_text(self, effect: RunText, state: ShellState, feed: Feed) -> States:
        """Follow a text of the project apart from the command that runs it."""

    def called(self, name: str) -> None:
        """A function was called."""


class _Ask(NamedTuple):
    """Answers an expansion's questions in one state."""

    walk: Follows
    account: Account
    state: ShellState

    def printed(self, script: Script) -> str | None:
        """Return what a substitution prints, if that is known."""
        return self.walk.printed(script, self.state)

    def names(self, pattern: str) -> Sequence[str] | None:
        """Return the files that a pattern meets, if that is known."""
        return self.walk.names(pattern, self.state)

    def charge(self, units: int) -> None:
        """Account for work."""
        self.account.charge(units)


class Commands:
    """Carries out simple commands for one walk."""

    def __init__(self, walk: Follows, found: ShellFindings, account: Account) -> None:
        self.walk = walk
        self.found = found
        self.account = account
        # Texts that the command itself puts into files: it may run them later on.
        self.files: dict[str, str] = {}
        self.calls: list[int] = []
        # Names that the command gives to programs of ours, aliases that are being followed, and
        # what has been typed into other terminals.
        self.copies: dict[str, str] = {}
        self.inside_aliases: list[str] = []
        self.typed = ""
        # The Python environment whose programs are meant.
        self.environment = ".venv"
        # Files that the command writes and whose text nobody can tell.
        self.unread: set[str] = set()
        # States that left a loop, a function or the shell before its end; texts that run later.
        self.loops: list[list[ShellState]] = []
        self.returns: list[list[ShellState]] = []
        self.exits: list[ShellState] = []
        self.later: list[tuple[Later, ShellState]] = []

    def command(self, node: Simple, state: ShellState, feed: Feed) -> Outcome:
        """Carry out one simple command."""
        self.account.charge(COMMAND)
        before = set(self.found.reads)
        self.look_into(node.words, state)
        if self.walk.scripts.depth and node.words and node.words[0].raw in _TAKES_IN:
            # A script that exports what it reads takes it in and shows it to nobody.
            self.found.reads = {one: None for one in self.found.reads if one in before}
        state = self.expanded(node.words, state)
        inside, words = self._assignments(node.words, state)
        if not words:
            self.redirects(node.redirects, inside)
            return (inside,), (inside,)
        if INPUT_MOVED in state.traits:
            feed = Feed(piped=True)
        argv = self.values(words, state)
        self._doubt_program(words[0], argv)
        self._doubt_pipes(node.words, argv)
        fed = feed
        if node.redirects:
            self.redirects(node.redirects, state, quiet=bool(argv) and argv[0].text in COUNTS)
            fed = self.fed(node.redirects, state, feed)
            self._remember(node.redirects, argv, state, fed)
            state, inside = self._redirected(node.redirects, argv, state, inside)
        if inside is not state:
            inside = _exported(inside, state)
        return self._program(argv, state, fed, inside)

    def _redirected(
        self,
        redirects: tuple[Redirect, ...],
        argv: list[Value],
        state: ShellState,
        inside: ShellState,
    ) -> tuple[ShellState, ShellState]:
        """Return the states after redirections: words in them assign, `exec` makes them last."""
        for redirect in redirects:
            parts = (*(redirect.word.parts if redirect.word else ()), *(redirect.body or ()))
            for name in _assigned_names(parts):
                state, inside = state.forget(name), inside.forget(name)
            if argv == [Value("exec")] and redirect.op in _INPUTS and redirect.fd in ("", "0"):
                state, inside = state.mark(INPUT_MOVED, "x"), inside.mark(INPUT_MOVED, "x")
        return state, inside

    def _doubt_program(self, word: ShellWord, argv: list[Value]) -> None:
        """Doubt a program that a substitution names, and arithmetic that may run commands."""
        first = word.parts[0] if word.parts else None
        if isinstance(first, Sub) and first.script is not None:
            self.found.doubt(_WHICH_PROGRAM.format(shown(word.raw)), runs=True)
        name = argv[0].text if argv else ""
        if name in _EVALUATES or (name in _EVALUATES_NAMED and Value("-v") in argv):
            for value in argv[1:]:
                if value.exact and ("$(" in value.text or "`" in value.text):
                    self.found.doubt(f"`{shown(value.text)}` may be run as a command")

    def _doubt_pipes(self, words: tuple[ShellWord, ...], argv: list[Value]) -> None:
        """Doubt a program that is given `<(...)` as a file, unless it only shows files."""
        name = argv[0].text.rpartition("/")[2] if argv else ""
        if any(PIPE in word.raw or "<(" in word.raw for word in words) and name not in SHOWS:
            self.found.doubt("", runs=True)

    def output(self, node: Simple, state: ShellState, feed: Feed) -> str | None:
        """Return what a simple command prints, if that is known."""
        fed = self.fed(node.redirects, state, feed)
        argv = self.values(node.words, state)
        shows = len(argv) == 2 and argv[0].text in ("cat", "tac")
        known = self._content(argv[1], state) if shows else None
        if known is None:
            known = printed(argv, fed, state.cwd)
        return listed(argv, fed, self.walk.here(state)) if known is None else known

    def _content(self, path: Value, state: ShellState) -> str | None:
        """Return the text of a file that this command wrote, or that is a script of ours."""
        if path.exact and "/" in path.text and is_ours(path):
            return OWN_SCRIPT
        there = joined(state.cwd, path.text)
        return None if there in self.unread else self.files.get(there)

    # Words

    def look_into(self, words: Iterable[ShellWord], state: ShellState) -> None:
        """Follow the scripts that stand inside some words."""
        for word in words:
            self._look_into(word.parts, state)

    def _look_into(self, parts: Iterable[Part], state: ShellState) -> None:
        for part in parts:
            if isinstance(part, Var) and part.op.startswith("@"):
                self.found.doubt(f"`{shown(part.raw)}` may be run as a command")
            if not isinstance(part, Lit):
                for script in inner_scripts((part,)):
                    self.walk.script(script, (state,), Feed())

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
        value = self._text(part.arg, state)
        known = before is not None and all(one.exact for one in before)
        return set_variable(state, Value(part.name), (value._replace(exact=known and value.exact),))

    def values(self, words: Iterable[ShellWord], state: ShellState) -> list[Value]:
        """Return what some words stand for; empty words in front are none."""
        ask = _Ask(self.walk, self.account, state)
        argv: list[Value] = []
        for word in words:
            self.account.charge(WORD + len(word.raw) // 512)
            argv.extend(expand(word, state.scope, ask))
        empty = next((at for at, value in enumerate(argv) if value.text), len(argv))
        return argv[empty:]

    def _text(self, parts: tuple[Part, ...], state: ShellState) -> Value:
        value = text_of(parts, state.scope, _Ask(self.walk, self.account, state))
        self.account.charge(WORD + len(value.text) // 256)
        return value

    # Assignments

    def _assignments(
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
        self._effects(variable(name), state, Feed(), name)
        self.account.charge(2 + len(state.scope) // 16)
        values = self._assigned(parts, state)
        self.doubt_texts(values)
        before = state.scope.get(name)
        if more and before is not None and not index:
            array = any(isinstance(part, Arr) for part in parts)
            first = before[0] if before else Value("")
            values = (*before, *values) if array else (_concatenated(first, values[0]), *before[1:])
        for value in values[:1]:
            self._effects(runs(name, value), state, Feed(), name)
            self._effects(run_with(name, value), state, Feed(), name)
        if index or (more and before is None):
            return state.forget(name)
        return state.forget(name) if name == "_" else state.assign(name, values)

    def doubt_texts(self, values: Iterable[Value]) -> None:
        """Doubt a text that becomes the value of a variable, and that arithmetic would run."""
        found = evaluates(values)
        if found:
            self.found.doubt(f"`{shown(found)}` may be run as a command", runs=True)

    def _assigned(self, parts: tuple[Part, ...], state: ShellState) -> Values:
        for part in parts:
            if isinstance(part, Arr):
                if any(word.raw.startswith("[") for word in part.words):
                    return (_UNKNOWN,)  # each word says where it goes
                return tuple(self.values(part.words, state))
        return (self._text(parts, state),)

    # Redirections

    def redirects(
        self, redirects: tuple[Redirect, ...], state: ShellState, *, quiet: bool = False
    ) -> None:
        """Tell the files that redirections open, and follow what they hold.

        `quiet` means that the program tells nothing of what it reads (`wc -l < f`).
        """
        self.found.doing.append("")
        for redirect in redirects:
            self.account.charge(REDIRECT)
            if redirect.word:
                self._look_into(redirect.word.parts, state)
            if redirect.body is not None and redirect.op != "<<<":
                self._look_into(redirect.body, state)
            if redirect.op in _WRITES and redirect.word:
                self._redirect(redirect, redirect.word, state)
            if redirect.op in _READS and redirect.word and not quiet:
                read = [Touch(value, Action.READ) for value in self.values((redirect.word,), state)]
                self._effects(read, state, Feed(), redirect.op)
        self.found.doing.pop()

    def _redirect(self, redirect: Redirect, word: ShellWord, state: ShellState) -> None:
        for value in self.values((word,), state):
            if redirect.op != ">&":
                self.found.touch(Touch(value), state, redirect.op)
            elif not value.exact:
                self.found.doubt(f"where `>&{shown(value.text)}` leads is not known")
            elif not _DUPLICATE.fullmatch(value.text):
                self.found.touch(Touch(value), state, redirect.op)

    def fed(self, redirects: tuple[Redirect, ...], state: ShellState, feed: Feed) -> Feed:
        """Return what a command reads, given its redirections."""
        for redirect in redirects:
            if redirect.fd not in ("", "0"):
                continue
            if redirect.op == "<&":
                feed = Feed(piped=True)
            elif redirect.body is not None:
                value = self._text(redirect.body, state)
                end = "\n" if redirect.op == "<<<" else ""
                feed = Feed(value.text + end, piped=True, exact=value.exact)
            elif redirect.op in ("<", "<>") and redirect.word:
                feed = self._fed_by_file(redirect.word, state)
        return feed

    def _fed_by_file(self, word: ShellWord, state: ShellState) -> Feed:
        path = (self.values((word,), state) or [Value("")])[0]
        text = self._content(path, state)
        for part in word.parts[:1]:
            if isinstance(part, Sub) and part.kind == "<" and part.script is not None:
                text = self.walk.printed(part.script, state)
        return Feed(text, piped=path.text == PIPE or text is not None)

    def _remember(
        self, redirects: tuple[Redirect, ...], argv: list[Value], state: ShellState, feed: Feed
    ) -> None:
        """Remember a text that goes into a file, in case the same command runs the file."""
        text = (
            feed.text
            if argv in ([Value("cat")], [Value("tee")])
            else printed(argv, feed, state.cwd)
        )
        ours = any(self._content(word, state) == OWN_SCRIPT for word in argv[1:])
        text = OWN_SCRIPT if text is None and ours else text
        for redirect in redirects:
            if redirect.op in _WRITES and redirect.word:
                before = redirect.op in _APPENDS
                for value in self.values((redirect.word,), state):
                    self._keep(value, text, state, more=before)

    def _keep(
        self, file: Value, text: str | None, state: ShellState, *, more: bool = False
    ) -> None:
        """Remember what a file holds from now on; with `more` it held something before."""
        there = joined(state.cwd, file.text)
        if text is None:
            self.unread.add(there)
            return
        before = self.files.get(there, "")
        if before and not more:
            # It was written before, perhaps on another way through the command: both may run.
            self.unread.add(there)
            before = "" if before == text else before.rstrip("\n") + "\n"
        self.files[there] = f"{before}{text}"[-MOST_CODE:]

    # Programs

    def _program(
        self,
        argv: list[Value],
        state: ShellState,
        feed: Feed,
        inside: ShellState | None = None,
        *,
        functions: bool = True,
    ) -> Outcome:
        """Do what a program does with its words. `inside` is the state that it starts in."""
        name = argv[0] if argv else Value("[")
        if name.text in _TESTS or name.text.startswith("(("):
            tested = state.forget("BASH_REMATCH") if Value("=~") in argv else state
            return (tested,), (tested,)
        args = tuple(argv[1:])
        if not _is_named(name):
            return self._unnamed(name, args, state, feed)
        if name.text in _OPTION_SETTERS and any(_DOT_OPTION.search(word.text) for word in args):
            state = inside = state.match_dots()
        start = inside or state
        alias = state.scope.get(alias_name(name.text)) if functions else None
        if alias and name.text not in self.inside_aliases:
            return self._through_alias(name.text, alias[0], args, state, feed)
        if functions and name.text in state.functions:
            return _put_back(self._called(name.text, args, start, feed), start, state)
        self.found.program(name.text, args, feed)
        if name.text in _JUMPS:
            return self._jump(name.text, start)
        builtin = BUILTINS.get(name.text)
        if builtin:
            return self._builtin(builtin, ProgramCall(name.text, args, feed), start, state)
        after = self._tabled(name, args, start, feed)
        if name.text in _IN_THIS_SHELL:
            return _put_back((after, after), start, state)
        return (state,), (state,)

    def _unnamed(
        self, name: Value, args: tuple[Value, ...], state: ShellState, feed: Feed
    ) -> Outcome:
        """Doubt a program whose name nobody can tell; it may still be one of ours."""
        self.found.doubt(_WHICH_PROGRAM.format(shown(name.text)), runs=True)
        ours = program_in(name)
        if ours:
            more = map(Value, _SEPARATOR.split(name.text)[1:])  # penstock${IFS}approve
            call = ProgramCall(ours, (*more, *args), feed)
            self._effects(OWN[ours](call), state, feed, ours)
        return (state,), (state,)

    def _builtin(
        self, builtin: Builtin, call: ProgramCall, start: ShellState, state: ShellState
    ) -> Outcome:
        """Do what a builtin does, to files and to the shell itself."""
        self.account.charge(EFFECT + len(state.scope) // 16)
        if call.name in TABLE:
            self._tabled(Value(call.name), call.args, start, call.feed)
        if call.name in _FILLS:
            self.doubt_texts((*call.args, Value(call.feed.text or "")))
        if call.name in _DECLARES:
            for word in call.args:
                name, equals, text = word.text.partition("=")
                given = word._replace(text=text)
                found = variable(name, exported=call.name in _EXPORTS) if equals else ()
                self._effects(found, state, call.feed, call.name)
                self._effects(runs(name, given) if equals else (), state, call.feed, call.name)
        elif call.name in _FILLS and any(word.text in SPECIAL for word in call.args):
            self.found.doubt("a variable that the shell runs gets another value", runs=True)
        outcome = builtin(start, call)
        if call.name in _MOVES and self._is_there(call.args, start):
            outcome = (outcome[0], ())
        if start is not state and call.name in _DECLARES:
            names = _changed(start, state)[:1]
            unsure = tuple(each.forget(name) for each in outcome[0] for name in names)
            return unsure, unsure
        return _put_back(outcome, start, state)

    def _jump(self, name: str, state: ShellState) -> Outcome:
        """Leave a loop, a function or the shell; what follows is not reached from here."""
        if name == "exit":
            self._left(self.exits, state)
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
            self.found.doubt("there are too many ways through the command to follow")

    def _is_there(self, args: tuple[Value, ...], state: ShellState) -> bool:
        """Say whether a `cd` cannot fail: a directory is there that this command leaves alone."""
        words = [word for word in args if word.exact and word.text[:1] != "-"]
        if len(words) != len(args) or len(args) != 1:
            return False
        there = joined(state.cwd, words[0].text)
        gone = any(
            f"{there}/".startswith(f"{joined(one.base, one.path)}/")
            for one in self.found.targets
            if one.action is Action.DELETE
        )
        return not gone and self.walk.here(state).kind(words[0].text) == "directory"

    def _tabled(
        self, name: Value, args: tuple[Value, ...], state: ShellState, feed: Feed
    ) -> States:
        """Do what the table says about a program; one without a row may be a file of ours."""
        base = name.text.rpartition("/")[2].lstrip("=")  # zsh writes `=rm` for the path of rm
        plain = _VERSION.sub("", base[:_LONGEST_NAME])
        known = base if base in TABLE or (base in READS and plain not in TABLE) else plain
        there = joined(state.cwd, name.text)
        known = self.copies.get(there, self.copies.get(base, known))
        row = TABLE.get(known)
        entered = args[0].text if known in ("source", ".") and args else name.text
        if "/bin/" in entered:
            self.environment = entered.rpartition("/bin/")[0]
        if known in _NAMES_ANEW:
            self._note_copies(args, state)
        elif known == "dd":
            sides = dict(word.text.partition("=")[::2] for word in args)
            self._note_copies((Value(sides.get("if", "")), Value(sides.get("of", ""))), state)
        elif known == "tee" and feed.text is not None:
            for word in args:
                self._keep(word, feed.text, state, more=Value("-a") in args)
        self._effects(surroundings(known, state.scope), state, feed, base)
        if known == "git":
            self._effects(git_variables(state.scope), state, feed, base)
        if known in MANAGERS:
            found = packages(ProgramCall(known, args, feed), self.environment)
            self._effects(found, state, feed, base)
        if known in FILTERS:
            self.account.charge(sum(min(len(word.text), MOST_SCRIPT) for word in args))
        tabled = row is not None and known not in TASKS
        self._mentions(ProgramCall(known, args, feed), state, tabled=tabled)
        found = reads(ProgramCall(known, args, feed), tabled=tabled)
        self._effects(found, state, feed, base)
        if "PATH" in state.scope and "/" not in name.text:
            self._on_path(name, args, state, feed)
        if row:
            call = ProgramCall(known, args, feed, self.walk.here(state))
            return self._effects(row(call), state, feed, base)
        if "/" in name.text:
            self._file(RunFile("", name, (name, *args)), state, feed, base)
        if base not in SHOWS:  # a wrapper that we do not know
            self._effects(carried(args), state, feed, base)
        return (state,)

    def _on_path(self, name: Value, args: tuple[Value, ...], state: ShellState, feed: Feed) -> None:
        """With another PATH, a file of the project may be the program, or one just written."""
        path = state.scope["PATH"][0].text if state.scope["PATH"] else ""
        found = shadowed(name, args, path, self.walk.here(state))
        self._effects(found, state, feed, name.text)
        for there, text in list(self.files.items()):
            if there.rpartition("/")[2] == name.text:
                self._code(Code(_language(text), Value(text), (name, *args)), state, feed, "PATH")

    def _mentions(self, call: ProgramCall, state: ShellState, *, tabled: bool) -> None:
        """Look for commands for people in texts that a program may run in its own way."""
        self._effects(mentions(call, tabled=tabled), state, call.feed, call.name)
        for name in FILES_OF.get(call.name, ()):
            text = self.files.get(joined(state.cwd, name), "")
            self._effects(commands_in(text), state, call.feed, call.name)

    def _note_copies(self, args: tuple[Value, ...], state: ShellState) -> None:
        """Remember under which other name the same command puts a program of ours."""
        words = [word for word in args if not word.text.startswith("-")]
        texts = [self._content(word, state) for word in words[:-1]]
        if len(words) == 2 and (texts[0] is not None or self.files):
            self._keep(words[1], texts[0], state)
        ours = next((found for word in args[:-1] if (found := is_ours(word))), "")
        if ours and not is_ours(args[-1]):
            self.copies[joined(state.cwd, args[-1].text)] = ours
            self.copies[args[-1].text.rstrip("/").rpartition("/")[2]] = ours

    def _through_alias(
        self, name: str, text: Value, args: tuple[Value, ...], state: ShellState, feed: Feed
    ) -> Outcome:
        """Do what an alias stands for; inside of it, its name is the program again."""
        words = [Value(word, exact=text.exact) for word in text.text.split()]
        self.inside_aliases.append(name)
        with self.account.deeper():
            outcome = self._program([*words, *args], state, feed)
        self.inside_aliases.pop()
        return outcome

    def _called(self, name: str, args: tuple[Value, ...], state: ShellState, feed: Feed) -> Outcome:
        self.walk.called(name)
        self.account.charge(COMMAND + len(state.scope) // 16)
        self.doubt_texts(args)
        body = state.functions[name]
        depth = self.calls.count(id(body))
        if depth > 2:
            return (state.blur(),), (state.blur(),)
        # A function that calls itself is followed twice, and once more with any arguments.
        start = state if depth < 2 else state.blur()
        inside = positional(start, args if depth < 2 else (_ANY,))._replace(hidden={})
        self.calls.append(id(body))
        self.returns.append([])
        with self.account.deeper():
            good, bad = self.walk.node(body, (inside,), feed)
        self.calls.pop()
        left = tuple(self.returns.pop())
        good = tuple(each.leave(state) for each in merged(good, left)[:MOST_STATES])
        return good, tuple(each.leave(state) for each in merged(bad, left)[:MOST_STATES])

    def _effects(self, effects: Iterable[Effect], state: ShellState, feed: Feed, by: str) -> States:
        after: States = (state,)
        for effect in effects:
            self.account.charge(EFFECT)
            after = self._effect(effect, state, feed, by)
        return after

    def _effect(self, effect: Effect, state: ShellState, feed: Feed, by: str) -> States:
        if isinstance(effect, Touch):
            self._touch(effect, state, feed, by)
        elif isinstance(effect, Unclear):
            self.found.doubt(effect.why, runs=effect.runs)
        elif isinstance(effect, Refuse):
            self.found.refuse(effect, state)
        elif isinstance(effect, Typed):
            self._typed(effect, state)
        elif isinstance(effect, Alias):
            self.found.alias(effect.link, effect.target, state)
        elif isinstance(effect, Patch):
            self._patch(effect, state, by)
        elif isinstance(effect, Later):
            self._later(effect, state)
        elif isinstance(effect, Git):
            self._git(effect, state, by)
        elif isinstance(effect, RunProgram):
            return self._run(effect, state, feed, by)
        elif isinstance(effect, Shell):
            return self._shell(effect, state, feed)
        else:
            return self._runs(effect, state, feed, by)
        return (state,)

    def _runs(
        self, effect: RunFile | RunText | Code, state: ShellState, feed: Feed, by: str
    ) -> States:
        if isinstance(effect, RunFile):
            return self._file(effect, state, feed, by)
        if isinstance(effect, RunText):
            return self.walk.run_text(effect, state, feed)
        return self._code(effect, state, feed, by)

    def _touch(self, effect: Touch, state: ShellState, feed: Feed, by: str) -> None:
        """Tell a file; what the same command wrote there before is then no longer known."""
        self.found.touch(effect, state, by)
        if self.files and by not in _KEEPS_TEXT and effect.action is not Action.READ:
            there = joined(state.cwd, effect.value.text)
            self.unread.update({there} & self.files.keys())
        if not effect.value.exact and (effect.whole or effect.action is Action.DELETE):
            self._effects(computed_removal(effect.value.text), state, feed, by)

    # Later on

    def _later(self, effect: Later, state: ShellState) -> None:
        if len(self.later) < MOST_LATER:
            self.later.append((effect, state))
        else:
            self.found.doubt("the command sets too many traps to follow")

    def ended(self, states: States, since: int = 0) -> None:
        """A shell ends: follow the texts that it was told to run then."""
        waiting, self.later[since:] = self.later[since:], []
        for effect, before in waiting:
            for state in merged(states, self.exits):
                moved = effect.often and state.cwd != before.cwd
                now = state.blur()._replace(sure=state.sure and not moved)
                self._shell(Shell(effect.text), now if effect.often else state, Feed())

    # Programs inside programs

    def _typed(self, effect: Typed, state: ShellState) -> None:
        """Follow what is typed into a terminal: the lines that this command has typed so far."""
        self.typed = f"{self.typed}{effect.text.text}"[-MOST_TYPED:]
        self._shell(Shell(Value(self.typed, exact=effect.text.exact), feed=Feed()), state, Feed())

    def _elsewhere(self, effect: RunProgram, state: ShellState, feed: Feed) -> None:
        """Follow a command for another machine: only what Penstock has against it counts."""
        here, there = self.found, ShellFindings()
        self.found = self.walk.found = there
        try:
            self._run(effect._replace(elsewhere=False), state, feed, "")
        finally:
            self.found = self.walk.found = here
        here.elsewhere(there)

    def _run(self, effect: RunProgram, state: ShellState, feed: Feed, by: str) -> States:
        if effect.elsewhere:
            self._elsewhere(effect, state, feed)
            return (state,)
        inside = state.move(effect.directory) if effect.directory else state
        for word in effect.env:
            name, _, text = word.text.partition("=")
            value = word._replace(text=text)
            self._effects(variable(name), state, feed, name)
            self._effects(runs(name, value), state, feed, name)
            self._effects(run_with(name, value), state, feed, name)
            self.doubt_texts((value,))
            self.account.charge(2 + len(inside.scope) // 16)
            inside = inside.assign(name, (value,)).mark(name, "x")
        self.account.charge(COMMAND + len(effect.argv))
        keeps = by in _KEEPS_FUNCTIONS
        with self.account.deeper():
            good, bad = self._program(list(effect.argv), inside, feed, functions=keeps)
        return merged(good, bad) or (state,)

    def _shell(self, effect: Shell, state: ShellState, feed: Feed) -> States:
        if not effect.text.exact:
            self.found.doubt("part of a command is only known when it runs", runs=True)
        self.account.charge(COMMAND + len(state.scope) // 16)
        inside = state.started() if effect.started else state
        if effect.started or len(effect.args) > effect.here:
            inside = positional(inside, effect.args[1:])
        since = len(self.later)
        with self.account.deeper():
            after = self.walk.text(effect.text.text, (inside,), effect.feed or feed)
        if effect.here:
            replaced = POSITIONAL if inside is not state else ()
            return tuple(each.restored(replaced, state) for each in after)
        if effect.started:
            self.ended(after, since)
        return (state,)

    def _file(self, effect: RunFile, state: ShellState, feed: Feed, by: str) -> States:
        """Run a script file: one that the same command wrote, or one on the disk."""
        path = effect.path
        there = joined(state.cwd, path.text)
        if path.text == PIPE or (path.exact and _OPENED.fullmatch(path.text)):
            self.found.doubt("what a command prints is run as a script", runs=True)
        elif not path.exact and not path.pattern and not set("./") & set(path.text):
            self.found.doubt(f"`{shown(path.text)}` decides when it runs which script it is")
        elif there in self.unread:
            self.found.doubt(f"`{shown(path.text)}` is written and then run", runs=True)
        ours = script(path)
        if ours:
            self._effects(OWN[ours](ProgramCall(ours, effect.args[1:], feed)), state, feed, ours)
        text = self._content(path, state) or self.files.get(there)
        if text is None:  # a directory is run by the module in it
            text = self.files.get(joined(state.cwd, f"{path.text}/__main__.py"))
        if text is not None:
            language = effect.language or _language(text)
            code = Code(language, Value(text), effect.args, effect.here)
            return self._code(code, state, feed, by)
        known = path.exact and not path.pattern
        found = on_disk(effect, self.walk.here(state)) if known else None
        if found is not None:
            return self.walk.run_text(found, state, feed)
        # Nobody knows which variables such a file sets; the file of a Python environment is known.
        foreign = effect.here and not path.text.endswith("/activate")
        return (state.blur(),) if foreign else (state,)

    def run_text(self, effect: RunText, state: ShellState, feed: Feed) -> States:
        """Follow a text of the project in this walk, which is its own."""
        language = effect.language or _language(effect.text)
        if language == "sh":
            own = state.assign("0", (Value(effect.name),))
            inside = positional(own, effect.args[1:]) if len(effect.args) > effect.here else own
            return self.walk.text(effect.text, (inside,), feed)
        code = "python" if language in PYTHON else language
        text = code_of(effect)
        self._code(Code(code, Value(text), effect.args), state, feed, effect.name)
        if text != effect.text and language in PYTHON:
            self._imports(effect, state)
        return (state,)

    def _imports(self, effect: RunText, state: ShellState) -> None:
        """Follow the modules of the project that a Python text imports."""
        for found in imports(effect, self.walk.here(state)):
            self.walk.run_text(found, state, Feed())

    def _code(self, effect: Code, state: ShellState, feed: Feed, by: str) -> States:
        text = effect.text.text
        if effect.language in _BECOME_SHELL:
            inner = effect.text._replace(text=_BECOME_SHELL[effect.language](text))
            shell = Shell(inner, effect.args, effect.here, Feed(), started=not effect.here)
            return self._shell(shell, state, feed)
        if not effect.text.exact:
            why = f"part of the {effect.language} code is only known when it runs"
            self.found.doubt(why, runs=True)
        if effect.language == "python":
            effects = python_effects(text, effect.args[1:], most=self._python_tokens(text))
            name = effect.args[0].text if effect.args else ""
            self._imports(RunText(name, "python", text), state)
        elif effect.language == "expect":
            effects = expect_commands(text[:MOST_CODE])
        elif effect.language in FILTER_SCRIPTS:
            self._effects(script_reads(effect.language, text), state, feed, by)
            effects = FILTER_SCRIPTS[effect.language](text)
        else:
            self.account.charge(CODE + min(len(text), MOST_CODE) // 3)
            effects = code_effects(effect.language, text)
        with self.account.deeper():
            self._effects(effects, state, Feed(), by)
        return (state,)

    def _python_tokens(self, text: str) -> int:
        """Pay for reading Python; return how many tokens there is money for."""
        most = min(self.account.left() // PYTHON_TOKEN, MOST_TOKENS)
        count = tokens(text, most)
        self.account.charge(CODE + text.count("\n") // 2 + len(text) // 128)
        self.account.charge(most if count is None else count * PYTHON_TOKEN)
        return most

    def _git(self, effect: Git, state: ShellState, by: str) -> None:
        """Note what git does; a patch that this very command has written is read at once."""
        where = state.move(effect.directory) if effect.directory else state
        texts = [self._content(Value(path), where) for path in effect.deed.paths]
        if effect.deed.kind is GitKind.PATCH and None not in texts:
            for text in texts:
                self._patch(Patch(text or ""), where, by)
        else:
            self.found.git_deed(effect, state)

    def _patch(self, effect: Patch, state: ShellState, by: str) -> None:
        where = state.move(effect.directory) if effect.directory else state
        lines = effect.text.count("\n")
        if lines * PATCH_LINE > self.account.left():
            self.found.doubt(f"the patch for `{by}` is too long to be read")
            for name in islice(_PATCHED_FILE.finditer(effect.text), MOST_PATCHED):
                self.found.touch(Touch(Value(name.group(1))), where, by)
            return
        self.account.charge(lines * PATCH_LINE)
        from penstock.core.patch.apply import parse_patch  # few commands have one

        try:
            files = parse_patch(effect.text)
        except PenstockError:
            self.found.doubt(f"the patch for `{by}` cannot be read")
            return
        for file in files:
            gone = file.action is Action.DELETE or file.moved_to is not None
            action = Action.DELETE if gone else Action.WRITE
            self.found.touch(Touch(Value(file.path), action), where, by)
            if file.moved_to is not None:
                self.found.touch(Touch(Value(file.moved_to)), where, by)


def _changed(inside: ShellState, state: ShellState) -> list[str]:
    """Return the variables in which two states differ."""
    now, before = inside.scope, state.scope
    return [name for name in now if now[name] is not before.get(name)]


def _exported(inside: ShellState, state: ShellState) -> ShellState:
    """Assignments in front of a command go to it, as if they were exported."""
    for name in _changed(inside, state):
        inside = inside.mark(name, "x")
    return inside


def _put_back(outcome: Outcome, inside: ShellState, state: ShellState) -> Outcome:
    """Assignments in front of a command end with it, also where it runs in this shell."""
    if inside is state:
        return outcome
    names = _changed(inside, state)

    def put_back(states: States) -> States:
        back = (each.restored(names, state) for each in states)
        return tuple(each._replace(traits=state.traits) for each in back)

    return put_back(outcome[0]), put_back(outcome[1])


def _assigned_names(parts: Iterable[Part]) -> Iterator[str]:
    """Return the variables that parts of a word assign when they are expanded."""
    for part in parts:
        if isinstance(part, Var):
            if part.op in (":=", "="):
                yield part.name.partition("[")[0]
            yield from _assigned_names(part.arg)


def _is_named(program: Value) -> bool:
    """True when the name of a program is known, even if its directory is not."""
    if program.exact and not program.pattern:
        return True
    directory, slash, name = program.text.rpartition("/")
    return bool(slash and directory) and _PLAIN_NAME.fullmatch(name[:_LONGEST_NAME]) is not None


def _concatenated(before: Value, after: Value) -> Value:
    return Value(before.text + after.text, exact=before.exact and after.exact)


def _language(text: str) -> str:
    found = _SHEBANG.match(text)
    return _LANGUAGES.get(found.group(1), found.group(1)) if found else "sh"
