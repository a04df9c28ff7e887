"""What Penstock has against a command: it is for people, or it would take the gate away.

Our own programs by whatever name they are started, package managers that remove or replace us,
signals to our processes. Which files must stay is judged where there is a disk.
Always true: reading about a command is not running it, and a word that is only known when it
runs counts as the worst that it could be.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from penstock.core.distribution import NAME
from penstock.core.model import GateRefusal, Verdict
from penstock.core.own_commands import (
    FOR_PEOPLE,
    ON_RULES,
    PENSTOCK,
    PROGRAMS,
    REVIEWER,
    UNREADABLE,
    command_for_people,
)
from penstock.core.shell.effects import Effect, Program, ProgramCall, Refuse, RunProgram, options
from penstock.core.shell.expansion import Value

PEOPLE_RULE = "penstock-people"
_ASK_USER = "ask the user to run it in their own terminal"
MOST_LONG = 65_536

# Programs that only show or search their words.
SHOWS = frozenset(
    {
        *("echo", "printf", "print", "cat", "less", "more", "head", "tail", "wc", "ls", "file"),
        *("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "man", "info", "tldr", "apropos"),
        *("which", "whereis", "type", "help", "whatis", "diff", "cmp", "stat", "say", "logger"),
        *("notify-send", "cowsay", "figlet", "true", "false", ":", "test", "expr", "jq", "gh"),
    }
)


# Our own commands


def _ours(call: ProgramCall) -> Iterator[Effect]:
    """A command of ours is refused when it is for people."""
    program = call.name if call.name in PROGRAMS else PENSTOCK
    command = command_for_people(program, [_readable(word) for word in call.args])
    if command in ON_RULES:
        yield from _rule_edit(program, command, call.args)
    elif command == UNREADABLE:
        yield Refuse(_unreadable(program))
    elif command:
        yield Refuse(for_people(command))


def _readable(word: Value) -> str | None:
    """Return a word that is known, or the name of an option whose value alone is not."""
    option = word.text.startswith("--") and "=" in word.text
    return word.text if option or (word.exact and not word.pattern) else None


def for_people(command: str) -> GateRefusal:
    """Return what is said to an agent that runs a command for people."""
    return GateRefusal(
        rule=PEOPLE_RULE,
        verdict=Verdict.DENY,
        text=f"only a person may run `{PENSTOCK} {command}`, which {FOR_PEOPLE[command]}",
        instead=_ASK_USER,
        code="for-people",
    )


def _unreadable(program: str) -> GateRefusal:
    return GateRefusal(
        rule=PEOPLE_RULE,
        verdict=Verdict.DENY,
        text=f"can't tell which `{program}` command this runs, and some are for people only",
        instead="write the command out, without variables or substitutions",
        code="for-people",
    )


# Edits of rules

_VALUED = ("--json", "--target-file", "--applied-by")


def _rule_edit(program: str, command: str, args: Sequence[Value]) -> Iterator[Effect]:
    """An edit of the rules in force is for people; a dry run is for everybody."""
    words = [_readable(word) for word in args]
    if any(word == "--dry-run" and words[at - 1] not in _VALUED for at, word in enumerate(words)):
        return
    shown = command.removeprefix("rules ") if program == REVIEWER else command
    refusal = GateRefusal(
        rule=PEOPLE_RULE,
        verdict=Verdict.DENY,
        text=f"only a person may run `{program} {shown}` on the rules in force",
        instead="add `--dry-run` to see the effect, and ask the user to run it",
        code="for-people",
    )
    files = _edited_files(args)
    if files is None:
        yield Refuse(refusal)
    else:
        yield from (Refuse(refusal, file) for file in files)


def _edited_files(args: Sequence[Value]) -> list[Value] | None:
    """Return the files that an edit names; None where they are not known."""
    found = options(args, long="json target-file applied-by")
    fallback = found.values("target-file")
    operations = found.values("json")
    if not operations or not all(value.exact for value in (*operations, *fallback)):
        return None
    named = [file for value in operations for file in _named_in(value.text)]
    files = [*named, *(file.text for file in fallback)]
    return [Value(file) for file in files] if files else None


def _named_in(text: str) -> Iterator[str]:
    """Return every `target_file` of an operation and of its parts."""
    try:
        waiting: list[object] = [json.loads(text[:MOST_LONG])]
    except (ValueError, RecursionError):
        return
    while waiting:
        now = waiting.pop()
        if isinstance(now, dict):
            file = now.get("target_file")
            if isinstance(file, str):
                yield file
            waiting += now.values()
        elif isinstance(now, list):
            waiting += now


# By other names


def is_ours(word: Value) -> str:
    """Return the program of ours that a word names, by whatever path, else ""."""
    if not word.exact or word.pattern:
        return program_in(word)
    base = word.text.rpartition("/")[2].removesuffix(".exe")
    return PENSTOCK if base == NAME else base if base in PROGRAMS else ""


def program_in(name: Value) -> str:
    """Return the program of ours that a name may turn out to be, else ""."""
    pattern = name.text.rpartition("/")[2][:64]
    for program in PROGRAMS:
        if program in name.text or (name.pattern and fnmatchcase(program, pattern)):
            return program
    return ""


def carried(words: Sequence[Value]) -> Iterator[Effect]:
    """Return a program of ours that stands among the words of a wrapper that nobody knows."""
    for at, word in enumerate(words):
        folder, _, name = word.text.rpartition("/")
        rest = words[at + 1 :]
        rest = rest[1:] if rest[:1] == (Value("--"),) else rest
        short_option = rest and rest[0].text.startswith("-") and not rest[0].text.startswith("--")
        installed = not folder or folder.endswith(("bin", "Scripts"))
        if name in PROGRAMS and installed and not short_option:
            yield RunProgram((Value(name), *rest))
            return


def script(path: Value) -> str:
    """Return the program of ours that a script file is, else ""."""
    name = path.text
    if is_ours(path):
        return is_ours(path)
    if "/penstock/" in f"/{name}" and name.endswith(("/cli/__main__.py", "/cli/__init__.py")):
        return PENSTOCK
    return REVIEWER if name.endswith("penstock/reviewer.py") else ""


def module(name: Value, args: Sequence[Value]) -> Iterator[Effect]:
    """`python -m NAME ARGS`: our modules, and programs that are modules as well."""
    top, _, below = name.text.partition(".")
    if top == PENSTOCK and below.partition(".")[0] in ("", "cli", "reviewer"):
        program = REVIEWER if below.startswith("reviewer") else PENSTOCK
        yield RunProgram((Value(program), *args))
        return
    if not name.exact:
        yield from carried(args)
    yield RunProgram((Value(_MODULES.get(name.text, name.text)), *args))
    for at, word in enumerate(args[:-1]):
        if word.text == "-m":
            yield from module(args[at + 1], args[at + 2 :])


_MODULES = {"venv": "python-venv", "virtualenv": "virtualenv"}

OWN: Mapping[str, Program] = {**dict.fromkeys((*PROGRAMS, NAME), _ours)}
