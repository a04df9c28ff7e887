"""Which program a command starts: a function, an alias, a builtin, a row of a table, a file.

Always true: a program whose name nobody can tell is doubted, and one without a row may be a file
of the project or a wrapper that we do not know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from penstock.core.model import Action
from penstock.core.shell.budget import COMMAND, EFFECT
from penstock.core.shell.command.assign import doubt_texts, names_changed, put_back
from penstock.core.shell.command.contents import Contents
from penstock.core.shell.command.exits import JUMPS, Exits
from penstock.core.shell.command.host import Follows
from penstock.core.shell.command.project_copies import Packed
from penstock.core.shell.command.run import RunTexts, language_of
from penstock.core.shell.command.texts import NAMES_ANEW, Texts
from penstock.core.shell.effects import Code, Feed, Program, ProgramCall, RunFile, options
from penstock.core.shell.expansion import Value
from penstock.core.shell.findings import shown
from penstock.core.shell.place import joined
from penstock.core.shell.programs.builtins import (
    BUILTINS,
    Builtin,
    Outcome,
    alias_name,
    positional,
)
from penstock.core.shell.programs.credential_stores import STORES, stored
from penstock.core.shell.programs.filters import FILTERS, MOST_SCRIPT
from penstock.core.shell.programs.git import git
from penstock.core.shell.programs.git_config import variables as git_variables
from penstock.core.shell.programs.git_patches import patch_folder
from penstock.core.shell.programs.mentions import FILES_OF, commands_in, mentions
from penstock.core.shell.programs.own import (
    MANAGERS,
    OWN,
    SHOWS,
    carried,
    packages,
    program_in,
    surroundings,
    variable,
)
from penstock.core.shell.programs.reads.name_list import fed as fed_names
from penstock.core.shell.programs.reads.table import READS, reads
from penstock.core.shell.programs.runners import RUNNERS
from penstock.core.shell.programs.table import PROGRAMS
from penstock.core.shell.programs.terminals import TERMINALS
from penstock.core.shell.script_files import shadowed
from penstock.core.shell.state import MOST_STATES, ShellState, States, merged
from penstock.core.shell.tasks.hooks import git_hooks
from penstock.core.shell.tasks.model import also
from penstock.core.shell.tasks.project_code import by_convention
from penstock.core.shell.tasks.table import TASKS
from penstock.core.shell.variables import SPECIAL, runs
from penstock.core.text.late_regex import late_regex

_DESCRIBED: Mapping[str, Program] = {
    **PROGRAMS,
    **FILTERS,
    **RUNNERS,
    **TERMINALS,
    **OWN,
    "git": also(git, git_hooks),
}
TABLE: Mapping[str, Program] = {**_DESCRIBED, **TASKS}
WHICH_PROGRAM = "which program `{}` starts is only known when it runs"

_IN_THIS_SHELL = frozenset(
    {"command", "builtin", "noglob", "nocorrect", "-", "eval", ".", "source"}
)
# Builtins that give variables the texts in their words or in their input.
_FILLS = frozenset(
    {
        *("declare", "typeset", "local", "export", "readonly", "read", "mapfile", "readarray"),
        *("printf", "set", "let", "getopts"),
    }
)
_TAKES_LINES = frozenset({"read", "mapfile", "readarray"})
_TESTS = frozenset({"[", "[["})
_MOVES = frozenset({"cd", "chdir", "pushd"})
_EXPORTS = frozenset({"export", "declare", "typeset", "readonly"})
_DECLARES = _EXPORTS | {"local"}
_ANY = Value("", exact=False, loose=True)
# Options that let a pattern meet names beginning with a dot, or in other letters.
_OPTION_SETTERS = frozenset({"shopt", "setopt", "set"})
_DOT_OPTION = late_regex(r"(?i)dot_?glob|glob_?dots|no_?case_?glob|no_?case_?match|extended_?glob")
_SEPARATOR = late_regex(r"\$\{?IFS\}?")
_VERSION = late_regex(r"(?:-?[0-9][0-9.]{0,16})?(?:\.exe)?$")
_PLAIN_NAME = late_regex(r"[A-Za-z0-9_.+-]+")
_LONGEST_NAME = 64
_MOST_GROUPS = 4
# Programs that are nobody's scripts: the system's, and those of installed packages.
_INSTALLED = late_regex(
    r"^/(?:usr|bin|sbin|opt|snap|nix)/|(?:^|/)(?:node_modules|\.?venv|\.tox|\.nox|vendor)/"
)


class Programs:
    """Starts programs for one walk."""

    def __init__(
        self,
        walk: Follows,
        texts: Texts,
        exits: Exits,
        runs: RunTexts,
        contents: Contents,
        packed: Packed,
    ) -> None:
        self._walk = walk
        self._texts = texts
        self._contents = contents
        self._packed = packed
        self._exits = exits
        self._runs = runs
        # Functions and aliases that are being followed.
        self._calls: list[int] = []
        self._inside_aliases: list[str] = []
        # The Python environment whose programs are meant.
        self._environment = ".venv"
        # Whether a `cd` was followed, and whether new directories may be closed.
        self._moved = False
        self._masked = False
        # Whether what is printed now goes to another machine.
        self.away = False

    def start(
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
            tested = _matched(argv, state) if Value("=~") in argv else state
            return (tested,), (tested,)
        args = tuple(argv[1:])
        if not _is_named(name):
            return self._unnamed(name, args, state, feed)
        if name.text in _OPTION_SETTERS and any(_DOT_OPTION.search(word.text) for word in args):
            state = inside = state.match_dots()
        start = inside or state
        alias = state.scope.get(alias_name(name.text)) if functions else None
        if alias and name.text not in self._inside_aliases:
            return self._through_alias(name.text, alias[0], args, state, feed)
        if functions and name.text in state.functions:
            return put_back(self._called(name.text, args, start, feed), start, state)
        self._walk.found.program(name.text, args, feed)
        self._masked = self._masked or name.text == "umask"
        if name.text in JUMPS:
            return self._exits.jump(name.text, start)
        builtin = BUILTINS.get(name.text)
        if builtin:
            return self._builtin(builtin, ProgramCall(name.text, args, feed), start, state)
        after = self._tabled(name, args, start, feed)
        if name.text in _IN_THIS_SHELL:
            return put_back((after, after), start, state)
        if name.text == "mkdir":
            return self._made(args, state)
        return (state,), (state,)

    def _unnamed(
        self, name: Value, args: tuple[Value, ...], state: ShellState, feed: Feed
    ) -> Outcome:
        """Doubt a program whose name nobody can tell; it may still be one of ours."""
        self._walk.found.doubt(WHICH_PROGRAM.format(shown(name.text)), runs=True)
        ours = program_in(name)
        if ours:
            more = map(Value, _SEPARATOR.split(name.text)[1:])  # penstock${IFS}approve
            call = ProgramCall(ours, (*more, *args), feed)
            self._walk.effects(OWN[ours](call), state, feed, ours)
        return (state,), (state,)

    # Aliases, functions, builtins

    def _through_alias(
        self, name: str, text: Value, args: tuple[Value, ...], state: ShellState, feed: Feed
    ) -> Outcome:
        """Do what an alias stands for; inside of it, its name is the program again."""
        words = [Value(word, exact=text.exact) for word in text.text.split()]
        self._inside_aliases.append(name)
        with self._walk.account.deeper():
            outcome = self.start([*words, *args], state, feed)
        self._inside_aliases.pop()
        return outcome

    def _called(self, name: str, args: tuple[Value, ...], state: ShellState, feed: Feed) -> Outcome:
        self._walk.called(name)
        self._walk.account.charge(COMMAND + len(state.scope) // 16)
        doubt_texts(self._walk, args)
        body = state.functions[name]
        depth = self._calls.count(id(body))
        if depth > 2:
            return (state.blur(),), (state.blur(),)
        # A function that calls itself is followed twice, and once more with any arguments.
        start = state if depth < 2 else state.blur()
        inside = replace(positional(start, args if depth < 2 else (_ANY,)), hidden={})
        self._calls.append(id(body))
        self._exits.returns.append([])
        with self._walk.account.deeper():
            good, bad = self._walk.node(body, (inside,), feed)
        self._calls.pop()
        left = tuple(self._exits.returns.pop())
        good = tuple(each.leave(state) for each in merged(good, left)[:MOST_STATES])
        return good, tuple(each.leave(state) for each in merged(bad, left)[:MOST_STATES])

    def _builtin(
        self, builtin: Builtin, call: ProgramCall, start: ShellState, state: ShellState
    ) -> Outcome:
        """Do what a builtin does, to files and to the shell itself."""
        self._walk.account.charge(EFFECT + len(state.scope) // 16)
        if call.name in TABLE:
            self._tabled(Value(call.name), call.args, start, call.feed)
        if call.name in _FILLS:
            doubt_texts(self._walk, (*call.args, Value(call.feed.text or "")))
        if call.name in _DECLARES:
            self._declared(call, state)
        elif call.name in _FILLS and any(word.text in SPECIAL for word in call.args):
            self._walk.found.doubt("a variable that the shell runs gets another value", runs=True)
        if call.name in _TAKES_LINES and call.feed.text is None:
            lines = [name.text for name in fed_names(call.feed, self._walk.here(start))]
            call = replace(call, feed=Feed("\n".join(lines), exact=False)) if lines else call
        if call.name in _MOVES:
            start = start.stay() if self._moved else start
            self._moved = True
        outcome = builtin(start, call)
        if call.name in _MOVES and self._is_there(call.args, start):
            outcome = (outcome[0], ())
        if start is not state and call.name in _DECLARES:
            names = names_changed(start, state)[:1]
            unsure = tuple(each.forget(name) for each in outcome[0] for name in names)
            return unsure, unsure
        return put_back(outcome, start, state)

    def _declared(self, call: ProgramCall, state: ShellState) -> None:
        """Do what comes of the values that `export` and its like give to variables."""
        for word in call.args:
            name, equals, text = word.text.partition("=")
            given = replace(word, text=text)
            found = variable(name, exported=call.name in _EXPORTS) if equals else ()
            self._walk.effects(found, state, call.feed, call.name)
            self._walk.effects(runs(name, given) if equals else (), state, call.feed, call.name)

    # Directories

    def _is_there(self, args: tuple[Value, ...], state: ShellState) -> bool:
        """Say whether a `cd` cannot fail: a directory is there that this command leaves alone."""
        if args == (Value("-"),):
            back = state.turn_back()
            return back.sure and self._stands(".", back)
        words = [word for word in args if word.exact and word.text[:1] != "-"]
        return len(words) == len(args) == 1 and self._stands(words[0].text, state)

    def _stands(self, path: str, state: ShellState) -> bool:
        there = joined(state.cwd, path)
        gone = any(
            f"{there}/".startswith(f"{joined(one.base, one.path)}/")
            for one in self._walk.found.targets
            if one.action is Action.DELETE or one.whole
        )
        return not gone and (
            state.made_folder(path) or self._walk.here(state).kind(path) == "directory"
        )

    def _made(self, args: tuple[Value, ...], state: ShellState) -> Outcome:
        """`mkdir`: it cannot fail where nothing is in the way of any directory that it makes."""
        found = options(args, short="mZ?", long="mode context")
        parents = found.has("p", "parents")
        after = state
        closed = self._masked or found.has("m", "mode", "Z", "context")
        sure = bool(found.operands) and not closed
        for word in found.operands:
            known = word.exact and not word.pattern
            sure = sure and known and self._can_make(word.text, after, parents=parents)
            if known and not closed:
                after = after.make_folder(word.text, parents=parents)
        return (after,), (() if sure else (state,))

    def _can_make(self, path: str, state: ShellState, *, parents: bool) -> bool:
        """Say whether a directory can be made: above it are directories, or `-p` makes them."""
        if self._stands(path, state):
            return parents
        if self._walk.here(state).kind(path) != "" or path.rstrip("/") in ("", ".", "..", "~"):
            return False
        above = path.rstrip("/").rpartition("/")[0] or ("/" if path.startswith("/") else ".")
        if above in (".", "/") or self._stands(above, state):
            return True
        return parents and self._can_make(above, state, parents=True)

    # Rows of the table

    def _tabled(
        self, name: Value, args: tuple[Value, ...], state: ShellState, feed: Feed
    ) -> States:
        """Do what the table says about a program; one without a row may be a file of ours."""
        base = name.text.rpartition("/")[2].lstrip("=")  # zsh writes `=rm` for the path of rm
        known = self._known(name, base, state)
        call = ProgramCall(known, args, feed, self._walk.here(state), self.away)
        row = TABLE.get(known)
        self._note_copies(call, state)
        self._around(call, name, base, state)
        tabled = known in _DESCRIBED
        self._mentions(call, state, tabled=tabled)
        self._walk.effects(reads(call), state, feed, base)
        if "PATH" in state.scope and "/" not in name.text:
            self._on_path(name, args, state, feed)
        if "/" in name.text and not _INSTALLED.search(name.text):
            self._runs.file(RunFile("", name, (name, *args)), state, feed, base)
        if not tabled and base not in SHOWS:  # a wrapper that we do not know
            self._walk.effects(carried(args), state, feed, base)
        if row is None:
            if known not in READS:
                self._walk.effects(by_convention(call), state, feed, base)
            return (state,)
        effects = self._packed.note(call, self._contents.told(row(call), call, state), state)
        after = self._walk.effects(effects, state, feed, base)
        place, patch = patch_folder(args) if known == "git" else ("", ())
        if patch:
            self._texts.keep_patch(Value(f"{place}/0001.patch"), patch, state)
        return after

    def _known(self, name: Value, base: str, state: ShellState) -> str:
        """Return the name under which a table may know a program: `python3.11` is `python`."""
        known = base
        if base not in TABLE:
            plain = _VERSION.sub("", base[:_LONGEST_NAME])
            known = base if base in READS and plain not in TABLE else plain
        copies = self._texts.copies
        if not copies:
            return known
        return copies.get(joined(state.cwd, name.text), copies.get(base, known))

    def _note_copies(self, call: ProgramCall, state: ShellState) -> None:
        """Remember what the command puts into files by copying it."""
        if call.name in NAMES_ANEW:
            self._texts.copied(call.args, state)
        elif call.name == "dd":
            sides = dict(word.text.partition("=")[::2] for word in call.args)
            pair = (Value(sides.get("if", "")), Value(sides.get("of", "")))
            self._texts.copied(pair, state)
        elif call.name == "tee" and call.feed.text is not None:
            for word in call.args:
                self._texts.keep(word, call.feed.text, state, more=Value("-a") in call.args)

    def _around(self, call: ProgramCall, name: Value, base: str, state: ShellState) -> None:
        """Do what a program does because of what is around it: variables, an environment."""
        known, args, feed = call.name, call.args, call.feed
        entered = args[0].text if known in ("source", ".") and args else name.text
        if "/bin/" in entered:
            self._environment = entered.rpartition("/bin/")[0]
        self._walk.effects(surroundings(known, state.scope), state, feed, base)
        if known == "git":
            self._walk.effects(git_variables(state.scope), state, feed, base)
        if known in MANAGERS:
            self._walk.effects(packages(call, self._environment), state, feed, base)
        if known in STORES:
            self._walk.effects(stored(call), state, feed, base)
        if known in FILTERS:
            self._walk.account.charge(sum(min(len(word.text), MOST_SCRIPT) for word in args))

    def _on_path(self, name: Value, args: tuple[Value, ...], state: ShellState, feed: Feed) -> None:
        """With another PATH, a file of the project may be the program, or one just written."""
        path = state.scope["PATH"][0].text if state.scope["PATH"] else ""
        found = shadowed(name, args, path, self._walk.here(state))
        self._walk.effects(found, state, feed, name.text)
        for there, text in list(self._texts.files.items()):
            if there.rpartition("/")[2] == name.text:
                code = Code(language_of(text), Value(text), (name, *args))
                self._runs.code(code, state, feed, "PATH")

    def _mentions(self, call: ProgramCall, state: ShellState, *, tabled: bool) -> None:
        """Look for commands for people in texts that a program may run in its own way."""
        self._walk.effects(mentions(call, tabled=tabled), state, call.feed, call.name)
        for name in FILES_OF.get(call.name, ()):
            text = self._texts.files.get(joined(state.cwd, name), "")
            self._walk.effects(commands_in(text), state, call.feed, call.name)


def _matched(argv: Sequence[Value], state: ShellState) -> ShellState:
    """Return the state after `[[ text =~ (...) ]]`: what was met is a part of the text."""
    at = argv.index(Value("=~"))
    text = replace(argv[at - 1], exact=False) if at > 1 else _ANY
    return state.assign("BASH_REMATCH", (text,) * _MOST_GROUPS)


def _is_named(program: Value) -> bool:
    """True when the name of a program is known, even if its directory is not."""
    if program.exact and not program.pattern:
        return True
    directory, slash, name = program.text.rpartition("/")
    return bool(slash and directory) and _PLAIN_NAME.fullmatch(name[:_LONGEST_NAME]) is not None
