"""Carry out one simple command on paper: assignments, redirections, its program's effects.

The tables of programs say what a program does with its words; here those effects become
targets, other commands to follow, or doubts.
Always true: nothing is run and nothing is read but the text of the command itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
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
    Patch,
    Program,
    ProgramCall,
    Refuse,
    RunFile,
    RunProgram,
    Shell,
    Touch,
    Typed,
    Unclear,
)
from penstock.core.shell.expansion import PIPE, Value, Values, expand, inner_scripts, text_of
from penstock.core.shell.findings import ShellFindings, shown
from penstock.core.shell.programs.builtins import BUILTINS, Outcome, alias_name, positional
from penstock.core.shell.programs.filters import FILTERS, MOST_SCRIPT
from penstock.core.shell.programs.git import git
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
from penstock.core.shell.programs.runners import RUNNERS
from penstock.core.shell.programs.table import PROGRAMS
from penstock.core.shell.programs.terminals import TERMINALS, cron_commands, expect_commands
from penstock.core.shell.state import ShellState, States, joined, merged
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

TABLE: Mapping[str, Program] = {
    **PROGRAMS,
    **FILTERS,
    **RUNNERS,
    **TERMINALS,
    **OWN,
    "git": git,
}

_WRITES = frozenset({">", ">>", ">|", ">!", ">>|", ">>!", "<>", "&>", "&>>", "&>|", "&>>|", ">&"})
_APPENDS = frozenset({">>", "&>>", ">>|", ">>!", "&>>|"})
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\[[^\]]*\])?(\+?)=")
_DUPLICATE = re.compile(r"[0-9]*-?")
_VERSION = re.compile(r"(?:-?[0-9][0-9.]{0,16})?(?:\.exe)?$")
_IN_THIS_SHELL = frozenset({"command", "builtin", "noglob", "nocorrect", "-", "eval"})
# Builtins that expand the subscripts in their words once more, commands inside included.
_EVALUATES = frozenset({"let", "declare", "typeset", "local", "read", "unset"})
_EVALUATES_NAMED = frozenset({"printf", "test", "[", "[["})
# Variables whose value other programs run as a command.
_RUN_LATER = frozenset(
    {
        *("EDITOR", "VISUAL", "PAGER", "MANPAGER", "BROWSER", "LESSOPEN", "PROMPT_COMMAND"),
        *("GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_SSH_COMMAND", "GIT_ASKPASS"),
        *("SSH_ASKPASS", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND"),
    }
)
_PROMPTS = frozenset({"PS0", "PS1", "PS2", "PS4", "PROMPT"})  # expanded, then shown
_TESTS = frozenset({"[", "[["})
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

    def text(self, text: str, states: States, feed: Feed) -> States:
        """Follow a text as shell commands."""

    def script(self, script: Script, states: States, feed: Feed) -> States:
        """Follow a script that has been read."""

    def node(self, node: Node, states: States, feed: Feed) -> Outcome:
        """Follow one node."""

    def printed(self, script: Script, state: ShellState) -> str | None:
        """Return what a substitution prints, if that is known."""

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

    def command(self, node: Simple, state: ShellState, feed: Feed) -> Outcome:
        """Carry out one simple command."""
        self.account.charge(COMMAND)
        self.look_into(node.words, state)
        inside, words = self._assignments(node.words, state)
        if not words:
            self.redirects(node.redirects, inside)
            return (inside,), (inside,)
        argv = self.values(words, state)
        self._doubt_program(words[0], argv)
        self._doubt_pipes(node.words, argv)
        fed = feed
        if node.redirects:
            self.redirects(node.redirects, state)
            fed = self.fed(node.redirects, state, feed)
            self._remember(node.redirects, argv, state, fed)
        return self._program(argv, state, fed, inside)

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
        return printed(argv, fed, state.cwd) if known is None else known

    def _content(self, path: Value, state: ShellState) -> str | None:
        """Return the text of a file that this command wrote, or that is a script of ours."""
        if path.exact and "/" in path.text and is_ours(path):
            return OWN_SCRIPT
        return self.files.get(joined(state.cwd, path.text))

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
        before = state.scope.get(name)
        if index or (more and not before):
            return state.forget(name)
        if more and before:
            array = any(isinstance(part, Arr) for part in parts)
            values = (*before, *values) if array else (_concatenated(before[0], values[0]),)
        if name in _RUN_LATER:
            self._effects([Shell(value) for value in values[:1]], state, Feed(), name)
        if name in _PROMPTS:
            shows = [Shell(value._replace(text=f'echo "{value.text}"')) for value in values[:1]]
            self._effects(shows, state, Feed(), name)
        return state.assign(name, values)

    def _assigned(self, parts: tuple[Part, ...], state: ShellState) -> Values:
        for part in parts:
            if isinstance(part, Arr):
                return tuple(self.values(part.words, state))
        return (self._text(parts, state),)

    # Redirections

    def redirects(self, redirects: tuple[Redirect, ...], state: ShellState) -> None:
        """Tell the files that redirections open for writing, and follow what they hold."""
        for redirect in redirects:
            self.account.charge(REDIRECT)
            if redirect.word:
                self._look_into(redirect.word.parts, state)
            if redirect.body is not None and redirect.op != "<<<":
                self._look_into(redirect.body, state)
            if redirect.op in _WRITES and redirect.word:
                self._redirect(redirect, redirect.word, state)

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
            if redirect.body is not None:
                value = self._text(redirect.body, state)
                end = "\n" if redirect.op == "<<<" else ""
                feed = Feed(value.text + end, piped=True, exact=value.exact)
            elif redirect.op in ("<", "<>") and redirect.word:
                feed = self._fed_by_file(redirect.word, state)
        return feed

    def _fed_by_file(self, word: ShellWord, state: ShellState) -> Feed:
        path = (self.values((word,), state) or [Value("")])[0]
        text = self._content(path, state)
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
        if text is None:
            return
        for redirect in redirects:
            if redirect.op in _WRITES and redirect.word:
                before = redirect.op in _APPENDS
                for value in self.values((redirect.word,), state):
                    self._keep(value, text, state, more=before)

    def _keep(self, file: Value, text: str, state: ShellState, *, more: bool = False) -> None:
        """Remember what a file holds from now on; with `more` it held something before."""
        there = joined(state.cwd, file.text)
        before = self.files.get(there, "") if more else ""
        self.files[there] = f"{before}{text}"[-MOST_CODE:]

    # Programs

    def _program(
        self, argv: list[Value], state: ShellState, feed: Feed, inside: ShellState | None = None
    ) -> Outcome:
        """Do what a program does with its words. `inside` is the state that it starts in."""
        name = argv[0] if argv else Value("[")
        if name.text in _TESTS or name.text.startswith("(("):
            return (state,), (state,)
        args = tuple(argv[1:])
        if not _is_named(name):
            self.found.doubt(_WHICH_PROGRAM.format(shown(name.text)), runs=True)
            ours = program_in(name)
            if ours:
                more = map(Value, _SEPARATOR.split(name.text)[1:])  # penstock${IFS}approve
                call = ProgramCall(ours, (*more, *args), feed)
                self._effects(OWN[ours](call), state, feed, ours)
            return (state,), (state,)
        alias = state.scope.get(alias_name(name.text))
        if alias and name.text not in self.inside_aliases:
            return self._through_alias(name.text, alias[0], args, state, feed)
        if name.text in state.functions:
            return self._called(name.text, args, state, feed)
        builtin = BUILTINS.get(name.text)
        if builtin:
            self.account.charge(EFFECT + len(state.scope) // 16)
            if name.text in TABLE:
                self._tabled(name, args, state, feed)
            if name.text in _EXPORTS:
                for word in args:
                    set_name, equals, _ = word.text.partition("=")
                    found = variable(set_name, exported=True) if equals else ()
                    self._effects(found, state, feed, name.text)
            return builtin(state, ProgramCall(name.text, args, feed))
        after = self._tabled(name, args, inside or state, feed)
        return (after, after) if name.text in _IN_THIS_SHELL else ((state,), (state,))

    def _tabled(
        self, name: Value, args: tuple[Value, ...], state: ShellState, feed: Feed
    ) -> States:
        """Do what the table says about a program; one without a row may be a file of ours."""
        base = name.text.rpartition("/")[2].lstrip("=")  # zsh writes `=rm` for the path of rm
        known = base if base in TABLE else _VERSION.sub("", base[:_LONGEST_NAME])
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
        if known in MANAGERS:
            found = packages(ProgramCall(known, args, feed), self.environment)
            self._effects(found, state, feed, base)
        if known in FILTERS:
            self.account.charge(sum(min(len(word.text), MOST_SCRIPT) for word in args))
        self._mentions(ProgramCall(known, args, feed), state, tabled=row is not None)
        if row:
            return self._effects(row(ProgramCall(known, args, feed)), state, feed, base)
        if "/" in name.text:
            self._file(RunFile("", name, (name, *args)), state, feed, base)
        if base not in SHOWS:  # a wrapper that we do not know
            self._effects(carried(args), state, feed, base)
        return (state,)

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
        if len(words) == 2 and texts[0] is not None:
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
        body = state.functions[name]
        if self.calls.count(id(body)) > 1:
            return (state,), (state,)  # a function that calls itself has been followed twice
        self.calls.append(id(body))
        with self.account.deeper():
            outcome = self.walk.node(body, (positional(state, args),), feed)
        self.calls.pop()
        return outcome

    def _effects(self, effects: Iterable[Effect], state: ShellState, feed: Feed, by: str) -> States:
        after: States = (state,)
        for effect in effects:
            self.account.charge(EFFECT)
            after = self._effect(effect, state, feed, by)
        return after

    def _effect(self, effect: Effect, state: ShellState, feed: Feed, by: str) -> States:
        if isinstance(effect, Touch):
            self.found.touch(effect, state, by)
            if not effect.value.exact and (effect.whole or effect.action is Action.DELETE):
                self._effects(computed_removal(effect.value.text), state, feed, by)
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
        elif isinstance(effect, RunProgram):
            return self._run(effect, state, feed)
        elif isinstance(effect, Shell):
            return self._shell(effect, state, feed)
        elif isinstance(effect, RunFile):
            self._file(effect, state, feed, by)
        else:
            self._code(effect, state, feed, by)
        return (state,)

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
            self._run(effect._replace(elsewhere=False), state, feed)
        finally:
            self.found = self.walk.found = here
        here.refusals.update(there.refusals)

    def _run(self, effect: RunProgram, state: ShellState, feed: Feed) -> States:
        if effect.elsewhere:
            self._elsewhere(effect, state, feed)
            return (state,)
        inside = state.move(effect.directory) if effect.directory else state
        for word in effect.env:
            name, _, text = word.text.partition("=")
            self._effects(variable(name), state, feed, name)
            self.account.charge(2 + len(inside.scope) // 16)
            inside = inside.assign(name, (word._replace(text=text),))
        self.account.charge(COMMAND + len(effect.argv))
        with self.account.deeper():
            good, bad = self._program(list(effect.argv), inside, feed)
        return merged(good, bad) or (state,)

    def _shell(self, effect: Shell, state: ShellState, feed: Feed) -> States:
        if not effect.text.exact:
            self.found.doubt("part of a command is only known when it runs", runs=True)
        self.account.charge(COMMAND + len(state.scope) // 16)
        inside = positional(state, effect.args[1:]) if effect.args else state
        with self.account.deeper():
            after = self.walk.text(effect.text.text, (inside,), effect.feed or feed)
        return after if effect.here else (state,)

    def _file(self, effect: RunFile, state: ShellState, feed: Feed, by: str) -> None:
        """Run a script file: read it when the same command wrote it."""
        path = effect.path
        if path.text == PIPE:
            self.found.doubt("what a command prints is run as a script", runs=True)
        elif not path.exact and not path.pattern and not set("./") & set(path.text):
            self.found.doubt(f"`{shown(path.text)}` decides when it runs which script it is")
        ours = script(path)
        if ours:
            self._effects(OWN[ours](ProgramCall(ours, effect.args[1:], feed)), state, feed, ours)
        text = self._content(path, state)
        if text is None:  # a directory is run by the module in it
            text = self.files.get(joined(state.cwd, f"{path.text}/__main__.py"))
        if text is not None:
            language = effect.language or _language(text)
            self._code(Code(language, Value(text), effect.args), state, feed, by)

    def _code(self, effect: Code, state: ShellState, feed: Feed, by: str) -> None:
        text = effect.text.text
        if effect.language in _BECOME_SHELL:
            inner = effect.text._replace(text=_BECOME_SHELL[effect.language](text))
            self._shell(Shell(inner, effect.args, feed=Feed()), state, feed)
            return
        if not effect.text.exact:
            why = f"part of the {effect.language} code is only known when it runs"
            self.found.doubt(why, runs=True)
        if effect.language == "python":
            effects = python_effects(text, effect.args[1:], most=self._python_tokens(text))
        elif effect.language == "expect":
            effects = expect_commands(text[:MOST_CODE])
        else:
            self.account.charge(CODE + min(len(text), MOST_CODE) // 3)
            effects = code_effects(effect.language, text)
        with self.account.deeper():
            self._effects(effects, state, Feed(), by)

    def _python_tokens(self, text: str) -> int:
        """Pay for reading Python; return how many tokens there is money for."""
        most = min(self.account.left() // PYTHON_TOKEN, MOST_TOKENS)
        count = tokens(text, most)
        self.account.charge(CODE + text.count("\n") // 2 + len(text) // 128)
        self.account.charge(most if count is None else count * PYTHON_TOKEN)
        return most

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
