"""Texts that a command runs: other commands, nested shells, script files, code.

Always true: a text that is not known to its last character is followed as far as it is, and
doubted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec.structs import replace

from penstock.core.shell.budget import CODE, COMMAND, PYTHON_TOKEN
from penstock.core.shell.code.rewrites import with_edits
from penstock.core.shell.command.assign import doubt_texts
from penstock.core.shell.command.exits import Exits
from penstock.core.shell.command.host import Follows
from penstock.core.shell.command.texts import Texts
from penstock.core.shell.effects import (
    Code,
    Effect,
    Feed,
    ProgramCall,
    RunFile,
    RunProgram,
    RunText,
    Shell,
    Typed,
)
from penstock.core.shell.expansion import PIPE, Value
from penstock.core.shell.findings import ShellFindings, shown
from penstock.core.shell.place import joined
from penstock.core.shell.programs.builtins import positional
from penstock.core.shell.programs.filters import FILTER_SCRIPTS
from penstock.core.shell.programs.own import OWN, script, variable
from penstock.core.shell.programs.reads.script import script_reads
from penstock.core.shell.programs.terminals import cron_commands, expect_commands
from penstock.core.shell.script_files import code_of, imports, on_disk, run_with
from penstock.core.shell.state import POSITIONAL, ShellState, States, merged
from penstock.core.shell.tasks.translate import powershell
from penstock.core.shell.variables import runs
from penstock.core.text.late_regex import late_regex

_KEEPS_FUNCTIONS = frozenset({"noglob", "nocorrect", "-"})
_OPENED = late_regex(r"/dev/fd/[0-9]+|/proc/(?:self|[0-9]+)/fd/[0-9]+")
_SHEBANG = late_regex(r"#!.{0,80}?(python|node|perl|ruby|php|sh)")
_LANGUAGES = {"node": "js"}
MOST_TYPED = 4_096
# Languages that are shell commands with something around them.
_BECOME_SHELL: Mapping[str, Callable[[str], str]] = {
    "sh": lambda text: text,
    "cron": cron_commands,
    "powershell": powershell,
    "tmux": lambda text: "".join(f"tmux {line}\n" for line in text.split("\n") if line.strip()),
}


class RunTexts:
    """Follows what one walk's commands run."""

    def __init__(self, walk: Follows, texts: Texts, exits: Exits) -> None:
        self._walk = walk
        self._texts = texts
        self._exits = exits
        # What has been typed into other terminals.
        self._typed = ""

    def run(
        self,
        effect: RunProgram | Shell | RunFile | RunText | Code,
        state: ShellState,
        feed: Feed,
        by: str,
    ) -> States:
        """Follow what an effect runs; return the states after it."""
        if isinstance(effect, RunProgram):
            return self._program(effect, state, feed, by)
        if isinstance(effect, Shell):
            return self._shell(effect, state, feed)
        if isinstance(effect, RunFile):
            return self.file(effect, state, feed, by)
        if isinstance(effect, RunText):
            return self._walk.run_text(effect, state, feed)
        return self.code(effect, state, feed, by)

    # Programs and shells

    def type(self, effect: Typed, state: ShellState) -> None:
        """Follow what is typed into a terminal: the lines that this command has typed so far."""
        self._typed = f"{self._typed}{effect.text.text}"[-MOST_TYPED:]
        text = Value(self._typed, exact=effect.text.exact)
        self._shell(Shell(text, feed=Feed()), state, Feed())

    def _program(self, effect: RunProgram, state: ShellState, feed: Feed, by: str) -> States:
        if effect.elsewhere:
            self._elsewhere(effect, state, feed)
            return (state,)
        inside = state.move(effect.directory) if effect.directory else state
        for word in effect.env:
            inside = self._given(word, inside, state, feed)
        self._walk.account.charge(COMMAND + len(effect.argv))
        keeps = by in _KEEPS_FUNCTIONS
        with self._walk.account.deeper():
            good, bad = self._walk.program(list(effect.argv), inside, feed, functions=keeps)
        return merged(good, bad) or (state,)

    def _given(self, word: Value, inside: ShellState, state: ShellState, feed: Feed) -> ShellState:
        """Return the state of a program that is given a variable, as `env` does it."""
        name, _, text = word.text.partition("=")
        value = replace(word, text=text)
        for effects in (variable(name), runs(name, value), run_with(name, value)):
            self._walk.effects(effects, state, feed, name)
        doubt_texts(self._walk, (value,))
        self._walk.account.charge(2 + len(inside.scope) // 16)
        return inside.assign(name, (value,)).mark(name, "x")

    def _elsewhere(self, effect: RunProgram, state: ShellState, feed: Feed) -> None:
        """Follow a command for another machine.

        What Penstock has against it counts, and, where it is known which of our directories it
        sees there, what it reads and what it changes in those.
        """
        here, there = self._walk.found, ShellFindings()
        self._walk.found = there
        try:
            self._program(replace(effect, elsewhere=False), state, feed, "")
        finally:
            self._walk.found = here
        here.elsewhere(there)
        if effect.mounts is not None:
            here.see(there, effect.mounts, state)

    def _shell(self, effect: Shell, state: ShellState, feed: Feed) -> States:
        account = self._walk.account
        if not effect.text.exact:
            self._walk.found.doubt("part of a command is only known when it runs", runs=True)
        account.charge(COMMAND + len(state.scope) // 16)
        inside = state.started() if effect.started else state
        if effect.started or len(effect.args) > effect.here:
            inside = positional(inside, effect.args[1:])
        since = self._exits.mark()
        with account.deeper():
            after = self._walk.text(effect.text.text, (inside,), effect.feed or feed)
        if effect.here:
            replaced = POSITIONAL if inside is not state else ()
            return tuple(each.restored(replaced, state) for each in after)
        if effect.started:
            self._exits.ended(after, since)
        return (state,)

    # Files

    def file(self, effect: RunFile, state: ShellState, feed: Feed, by: str) -> States:
        """Run a script file: one that the same command wrote, or one on the disk."""
        path = effect.path
        self._doubt_file(path, state)
        ours = script(path)
        if ours:
            call = ProgramCall(ours, effect.args[1:], feed)
            self._walk.effects(OWN[ours](call), state, feed, ours)
        text = self._known_text(path, state)
        if text is not None:
            code = Code(effect.language or language_of(text), Value(text), effect.args, effect.here)
            return self.code(code, state, feed, by)
        known = path.exact and not path.pattern
        found = on_disk(effect, self._walk.here(state)) if known else None
        if found is not None:
            return self._walk.run_text(found, state, feed)
        # Nobody knows which variables such a file sets; the file of a Python environment is known.
        foreign = effect.here and not path.text.endswith("/activate")
        return (state.blur(),) if foreign else (state,)

    def _doubt_file(self, path: Value, state: ShellState) -> None:
        found = self._walk.found
        if path.text == PIPE or (path.exact and _OPENED.fullmatch(path.text)):
            found.doubt("what a command prints is run as a script", runs=True)
        elif not path.exact and not path.pattern and not set("./") & set(path.text):
            found.doubt(f"which script `{shown(path.text)}` names is only known when it runs")
        elif joined(state.cwd, path.text) in self._texts.unread:
            found.doubt(f"`{shown(path.text)}` is written and then run", runs=True)

    def _known_text(self, path: Value, state: ShellState) -> str | None:
        """Return the text of a script that the same command wrote, even if it may be another."""
        files = self._texts.files
        text = self._texts.content(path, state) or files.get(joined(state.cwd, path.text))
        if text is None:  # a directory is run by the module in it
            text = files.get(joined(state.cwd, f"{path.text}/__main__.py"))
        return text

    # Code

    def text(self, effect: RunText, state: ShellState, feed: Feed) -> States:
        """Follow a text of the project in this walk, which is its own."""
        language = effect.language or language_of(effect.text)
        if language == "sh":
            own = state.assign("0", (Value(effect.name),))
            own = own.assign("BASH_SOURCE", (Value(effect.name),))
            inside = positional(own, effect.args[1:]) if len(effect.args) > effect.here else own
            return self._walk.long_text(effect.text, (inside,), feed)
        known = replace(effect, language=language)
        text = code_of(known)
        self.code(Code(language, Value(text), effect.args), state, feed, effect.name, known)
        self._imports(known, state)
        return (state,)

    def _imports(self, effect: RunText, state: ShellState) -> None:
        """Follow the files of the project that a text imports."""
        for found in imports(effect, self._walk.here(state)):
            self._walk.run_text(found, state, Feed())

    def code(
        self,
        effect: Code,
        state: ShellState,
        feed: Feed,
        by: str,
        script: RunText | None = None,
    ) -> States:
        """Follow a program text in its language; `script` is the file that holds it."""
        text = effect.text.text
        if effect.language in _BECOME_SHELL:
            inner = replace(effect.text, text=_BECOME_SHELL[effect.language](text))
            shell = Shell(inner, effect.args, effect.here, Feed(), started=not effect.here)
            return self._shell(shell, state, feed)
        if not effect.text.exact:
            why = f"part of the {effect.language} code is only known when it runs"
            self._walk.found.doubt(why, runs=True)
        with self._walk.account.deeper():
            effects = self._read(effect, state, script.name if script else "")
            self._walk.effects(with_edits(text, effects), state, Feed(), by)
        if script is None:
            self._imports(RunText("", effect.language, text), state)
        return (state,)

    def _read(self, effect: Code, state: ShellState, name: str) -> Iterable[Effect]:
        """Return what a program text says that it does."""
        text, language = effect.text.text, effect.language
        if language == "python" and not text and len(effect.args) < 2:
            self._walk.account.charge(CODE)
            return ()  # a module that neither changes nor shows anything, as most are
        if language == "python":
            from penstock.core.shell.code.python import python_effects  # few commands hold code

            most = self._python_tokens(text)
            here = self._walk.here(state)
            return python_effects(text, effect.args[1:], most=most, file=name, here=here)
        from penstock.core.shell.code.one_liners import MOST_SCRIPT, code_effects
        from penstock.core.shell.code.one_liners import MOST_TEXT as MOST_CODE

        if language == "expect":
            return expect_commands(text[:MOST_CODE])
        if language in FILTER_SCRIPTS:
            return (*script_reads(language, text), *FILTER_SCRIPTS[language](text))
        units = min(len(text), MOST_SCRIPT) // 12 if name else min(len(text), MOST_CODE) // 3
        self._walk.account.charge(CODE + units)
        return code_effects(language, text, script=name)

    def _python_tokens(self, text: str) -> int:
        """Pay for reading Python; return how many tokens there is money for."""
        from penstock.core.shell.code.python import MOST_TOKENS, tokens

        account = self._walk.account
        most = min(account.left() // PYTHON_TOKEN, MOST_TOKENS)
        count = tokens(text, most)
        account.charge(CODE + text.count("\n") // 2 + len(text) // 128)
        account.charge(most if count is None else count * PYTHON_TOKEN)
        return most


def language_of(text: str) -> str:
    """Return the language of a script by its first line."""
    found = _SHEBANG.match(text)
    return _LANGUAGES.get(found.group(1), found.group(1)) if found else "sh"
