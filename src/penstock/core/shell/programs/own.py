"""What Penstock has against a command: it is for people, or it would take the gate away.

Our own programs by whatever name they are started, package managers that remove or replace us,
signals to our processes. Which files must stay is judged where there is a disk.
Always true: reading about a command is not running it, and a word that is only known when it
runs counts as the worst that it could be.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise

from penstock.core.distribution import LIBRARIES, NAME
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
from penstock.core.shell.effects import (
    Code,
    Effect,
    Program,
    ProgramCall,
    Refuse,
    RunProgram,
    Touch,
    deleted,
    options,
)
from penstock.core.shell.expansion import Value
from penstock.core.text.late_regex import late_regex

PEOPLE_RULE = "penstock-people"
_ASK_USER = "ask the user to run it in their own terminal"
MOST_LONG = 65_536
# What the file holds that starts one of our programs, whatever its name.
OWN_SCRIPT = "#!/usr/bin/env python3\nfrom penstock.cli import main\nmain()\n"

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
    elif program == PENSTOCK:
        yield from _isolated(call)


def _isolated(call: ProgramCall) -> Iterator[Effect]:
    """`penstock run -- CMD`: its files are isolated, what else it does is not, so it is judged."""
    found = options(call.args, long="workspace", first_operand_ends=True).operands
    if found[:1] and found[0].text == "run":
        inner = options(found[1:], long="require apply workspace", first_operand_ends=True)
        if inner.operands:
            yield RunProgram(inner.operands)


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
        text=f"can't predict which `{program}` command this runs, and some are for people only",
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
        text=f"only a person may run `{program} {shown}` on the active rules",
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
    if name.text == "timeit":
        statements = [word.text for word in args if not word.text.startswith("-")]
        yield Code("python", Value("\n".join(statements)))
    yield RunProgram((Value(_MODULES.get(name.text, name.text)), *args))
    for at, word in enumerate(args[:-1]):
        if word.text == "-m":
            yield from module(args[at + 1], args[at + 2 :])


# Modules of Python that are programs by another name.
_MODULES = {
    **{name: f"python-{name}" for name in ("venv", "build", "zipfile", "tarfile")},
    "pre_commit": "pre-commit",
    "poethepoet": "poe",
}

# Programs that install and remove packages

_PACKAGE_END = late_regex(r"[\[=<>!~@; ]")
_REMOVES = frozenset({"uninstall", "remove", "rm", "purge", "autoremove", "erase", "unlink"})
_REMOVES_ALL = frozenset({"uninstall-all", "reinstall-all"})
_INSTALLS = frozenset({"install", "add", "reinstall", "upgrade", "update", "inject", "download"})
MANAGERS = frozenset(
    {
        *("pip", "pipx", "uv", "poetry", "pdm", "rye", "pixi", "hatch", "pipenv", "easy_install"),
        *("conda", "mamba", "micromamba", "apt", "apt-get", "aptitude", "nala", "dnf", "yum"),
        *("zypper", "apk", "brew", "snap", "pacman", "nix-env", "port", "pip-sync"),
    }
)


def packages(call: ProgramCall, environment: str) -> Iterator[Effect]:
    """Removing Penstock is refused, putting another version in its place is asked about.

    `environment` is the one that a Python manager changes, as far as the command tells.
    """
    words = [word for word in call.args if not word.text.startswith("-")]
    yield from _around(call, words, environment)
    texts = [word.text for word in words[:3]]
    removes = next((text for text in texts if text in _REMOVES), "")
    named = any(_is_package(word.text) for word in words)
    open_ended = any(not word.exact or word.pattern for word in words) or any(
        word.text in ("-r", "--requirement", "--all") for word in call.args
    )
    if texts[:1] == ["venv"] and Value("--clear") in call.args:
        found = options(call.args, short="p", long="python prompt index-url cache-dir")
        yield from deleted(found.operands[1:] or (Value(".venv"),), tree=True)
    elif (removes and named) or set(texts) & _REMOVES_ALL:
        yield Refuse(_gate(Verdict.DENY, f"`{call.name}`", "remove Penstock"))
    elif removes and open_ended and call.name in _PYTHON_MANAGERS:
        yield Refuse(_gate(Verdict.ASK, f"`{call.name}`", "remove Penstock as well"))
    elif named and set(texts) & _INSTALLS:
        yield Refuse(_gate(Verdict.ASK, f"`{call.name}`", "replace the installed Penstock"))


_PYTHON_MANAGERS = frozenset({"pip", "pipx", "uv"})
# What else these do to an environment as a whole, by the words that say so.
_EMPTIES = (
    *(("pip-sync",), ("uv", "pip", "sync"), ("pipenv", "--rm"), ("pipenv", "clean")),
    *(("pipenv", "uninstall", "--all"), ("poetry", "sync"), ("poetry", "install", "--sync")),
    *(("poetry", "env", "remove"), ("pdm", "sync", "--clean"), ("hatch", "env", "prune")),
    *(("hatch", "env", "remove"), ("conda", "remove", "--all"), ("conda", "env", "remove")),
)


def _around(call: ProgramCall, words: Sequence[Value], environment: str) -> Iterator[Effect]:
    """What a manager does to libraries that Penstock needs, or to all of them at once."""
    given = {call.name, *(word.text for word in call.args)}
    found = options(call.args, short="pt", long="prefix target python")
    named = found.values("p", "prefix") if call.name in _CONDAS else ()
    name = "conda" if call.name in _CONDAS else call.name
    python = [word.text.rpartition("/bin/")[0] for word in found.values("python")]
    place = next((text for text in (*(word.text for word in named), *python) if text), environment)
    if any(set(row) <= given | {name} for row in _EMPTIES) and (named or name != "conda"):
        refusal = _gate(Verdict.ASK, f"`{call.name}`", "remove Penstock from its environment")
        yield Refuse(refusal, Value(place))
    if call.name == "pip":
        yield from (Touch(target, tree=True, whole=True) for target in found.values("t", "target"))
    if any(word.text in _REMOVES for word in words[:3]):
        libraries = [LIBRARIES[one] for word in words if (one := _package(word.text)) in LIBRARIES]
        refusal = _gate(Verdict.ASK, f"`{call.name}`", "remove a library that Penstock needs")
        for library in libraries[:8]:
            yield Refuse(refusal, Value(f"{place}/lib/python*/site-packages/{library}"))


_CONDAS = frozenset({"conda", "mamba", "micromamba"})


def _package(word: str) -> str:
    """Return the name of the package that a requirement, or a file, is of."""
    name = _PACKAGE_END.split(word)[0].rpartition("/")[2].lower()
    return re.sub(r"[-_.]+", "-", _FILE_OF_PACKAGE.sub("", name))


_FILE_OF_PACKAGE = late_regex(r"-[0-9][^/]{0,99}\.(?:whl|tar\.gz|zip)$")


def _is_package(word: str) -> bool:
    return _package(word) in (NAME, PENSTOCK)


GATE_RULE = "penstock-removal"


def _gate(verdict: Verdict, program: str, what: str) -> GateRefusal:
    return GateRefusal(
        rule=GATE_RULE,
        verdict=verdict,
        text=f"{program} would {what}, and then nothing checks what agents write",
        instead=_ASK_USER,
    )


# Signals and services

_STOPS = frozenset({"stop", "disable", "mask", "kill", "bootout", "unload", "remove", "restart"})


def _kills(call: ProgramCall) -> Iterator[Effect]:
    if any(PENSTOCK in word.text.lower() for word in call.args):
        yield Refuse(
            GateRefusal(
                rule=GATE_RULE,
                verdict=Verdict.ASK,
                text=f"`{call.name}` would stop Penstock's background server",
                instead="leave it running; it stops by itself when idle",
            )
        )


def _services(call: ProgramCall) -> Iterator[Effect]:
    if any(word.text in _STOPS for word in call.args):
        yield from _kills(call)
    elif call.name == "launchctl":
        yield from carried(call.args)


# Variables

_STEERING = (
    *("XDG_STATE_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"),
    *("CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SETTINGS"),
)
_MARKS_AN_AGENT = "PENSTOCK_AGENT"  # setting this one only makes Penstock stricter
AGENTS = frozenset(
    {
        *("claude", "codex", "gemini", "qwen", "cursor-agent", "copilot", "opencode", "amp"),
        *("kiro", "kiro-cli", "cline"),
    }
)


def computed_removal(text: str) -> Iterator[Effect]:
    """A file that is deleted or closed, and is found by asking where Penstock is."""
    if _WHERE_WE_ARE.search(text[:MOST_LONG]):
        yield Refuse(_gate(Verdict.ASK, "this command", "remove or block Penstock"))


_WHERE_WE_ARE = late_regex(
    r"(?:\$\(|`).{0,200}\b(?:which|command -v|type -[pP]|whereis|import|show(?: -f)?|-name)"
    r"[ \t'\"]{1,4}penstock"
)


def variable(name: str, *, exported: bool = False) -> Iterator[Effect]:
    """Setting a variable that Penstock goes by is asked about."""
    ours = name.startswith("PENSTOCK_") and name != _MARKS_AN_AGENT
    if ours or (exported and name in _STEERING):
        yield Refuse(
            GateRefusal(
                rule=GATE_RULE,
                verdict=Verdict.ASK,
                text=f"`{name}` configures Penstock, and agents may not set it",
                instead="run the command without it, or ask the user to",
            )
        )


def surroundings(program: str, scope: Mapping[str, Sequence[Value]]) -> Iterator[Effect]:
    """Started with these variables, one of ours or an agent would look for its state elsewhere."""
    if program in AGENTS or program in PROGRAMS:
        for name in _STEERING:
            if name in scope:
                yield from variable(name, exported=True)
        if tuple(scope.get("HOME", ())) != (Value("~"),):
            yield Refuse(_other_settings(program, "HOME"))


# Agents without their hooks

_OTHER_SETTINGS = ("--settings", "--setting-sources", "--bare")
_SETS = ("-c", "--config", "--disable", "set", "add", "remove", "unset", "disable")
_ADDED_PARTS = frozenset({"plugin", "plugins", "extension", "extensions", "hooks"})


def _agent(call: ProgramCall) -> Iterator[Effect]:
    """An agent that is started, or told, to leave its hooks out."""
    texts = [word.text for word in call.args if word.text not in ("-g", "--global")]
    pairs = pairwise([*texts, ""])
    switch = next((text for text in texts if text.partition("=")[0] in _OTHER_SETTINGS), "")
    sets = any(one in _SETS and "hook" in two.lower() and " " not in two for one, two in pairs)
    off = len(texts) > 1 and texts[0] in _ADDED_PARTS and texts[1] in _REMOVES | _TURNS_OFF
    ours = off and (texts[0] == "hooks" or any(text.startswith(PENSTOCK) for text in texts[2:]))
    if switch or sets or ours:
        what = switch.partition("=")[0] or " ".join(texts[:3])
        yield Refuse(_other_settings(call.name, what))


_TURNS_OFF = frozenset({"disable", "disable-all"})


def _other_settings(program: str, what: str) -> GateRefusal:
    return GateRefusal(
        rule=GATE_RULE,
        verdict=Verdict.ASK,
        text=f"with `{what}`, `{program}` may run without Penstock's hook",
        instead="run it without that, or ask the user to",
    )


OWN: Mapping[str, Program] = {
    **dict.fromkeys(("kill", "pkill", "killall", "skill", "xkill"), _kills),
    **dict.fromkeys(("systemctl", "launchctl", "service", "initctl"), _services),
    **dict.fromkeys((*PROGRAMS, NAME), _ours),
    **dict.fromkeys(AGENTS, _agent),
}
