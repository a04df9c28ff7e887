"""Variables that do more than hold a text: a shell or another program runs what is in them.

The tables say which they are; what their text then does is followed like any other command.
Always true: a variable that is not in a table here is only a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from penstock.core.model import Action
from penstock.core.shell.effects import Effect, RunFile, Shell, Touch, Unclear
from penstock.core.shell.expansion import PIPE, Value
from penstock.core.text.late_regex import late_regex

# Other programs run these as commands.
_RUN_LATER = frozenset(
    {
        *("EDITOR", "VISUAL", "PAGER", "MANPAGER", "BROWSER", "LESSOPEN", "PROMPT_COMMAND"),
        *("GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_SSH_COMMAND", "GIT_ASKPASS"),
        *("SSH_ASKPASS", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND"),
    }
)
_PROMPTS = frozenset({"PS0", "PS1", "PS2", "PS4", "PROMPT"})  # expanded, then shown
# A shell expands these and reads the file that comes out before anything else.
_START_FILES = frozenset({"BASH_ENV", "ENV"})
_TABLES = frozenset({"BASH_ALIASES", "BASH_CMDS"})
_FUNCTION = "BASH_FUNC_"
SPECIAL = _RUN_LATER | _PROMPTS | _START_FILES | _TABLES
# Arithmetic takes such a text for an element of an array, and runs what is in its brackets.
_SUBSCRIPT_RUNS = late_regex(r"[A-Za-z_][A-Za-z0-9_]*\[[^\]]{0,4096}?(?:\$\(|`)")


def runs(name: str, value: Value) -> Iterator[Effect]:
    """Return what comes of giving a variable a value, beside its having it."""
    if name in _RUN_LATER:
        yield Shell(value)
    elif name in _PROMPTS:
        yield _expanded(value)
    elif name in _START_FILES:
        yield from _start_file(name, value)
    elif name in _TABLES or name.startswith(_FUNCTION):
        yield Unclear(f"`{name}` changes what a command name means", runs=True)


def _expanded(value: Value) -> Shell:
    return Shell(replace(value, text=f'echo "{value.text}"'))


def _start_file(name: str, value: Value) -> Iterator[Effect]:
    if "$(" in value.text or "`" in value.text:
        yield _expanded(value)
    if value.text in (PIPE, "/dev/stdin") or value.text.startswith(("/dev/fd/", "/proc/")):
        yield Unclear(f"`{name}` runs what comes in by a pipe", runs=True)
    elif name == "BASH_ENV" or "/" in value.text:  # many programs have an `ENV` of their own
        yield Touch(value, Action.READ)
        yield RunFile("sh", value)


def evaluates(values: Iterable[Value]) -> str:
    """Return a text among some that arithmetic would run, or nothing."""
    return next((v.text for v in values if "[" in v.text and _SUBSCRIPT_RUNS.search(v.text)), "")
