"""A tool that runs tasks: the files that it reads, and which of the tasks in them a call runs.

A row of the table is a `TaskTool`; `run_tasks` is what they all do.
Always true: a task runs once for a call, and no more than `MOST_TASKS` of them do.
"""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.shell.effects import (
    Effect,
    Options,
    Program,
    ProgramCall,
    RunFile,
    RunRole,
    RunText,
    last,
    options,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.look import LookHere
from penstock.core.shell.place import joined
from penstock.core.shell.wildcards import is_wild
from penstock.core.text.late_regex import late_regex

MOST_TASKS = 128
MOST_FILES = 40
MOST_DEEP = 4
ALL = "*"


class Task(Struct, frozen=True):
    """What a task runs: texts in a language, Python modules, other tasks before it.

    Each text is a shell of its own; `variables` are given to all of them. With `chosen`, the
    functions of the text are the tasks, and those that are named run.
    """

    texts: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    language: str = "sh"
    directory: str = ""
    role: RunRole = RunRole.SCRIPT
    chosen: bool = False
    variables: tuple[tuple[str, str], ...] = ()


Tasks = Mapping[str, Task]
Reader = Callable[[str], Tasks]
Includes = Callable[[str], list[tuple[str, list[str]]]]


def _nothing_included(text: str) -> list[tuple[str, list[str]]]:  # noqa: ARG001 - most files
    return []


class TaskFile(Struct, frozen=True):
    """Files of one kind: the first that is there is read, or with `every` each of them.

    Behind `verbs` (any, if there are none) stand the tasks to run, else those in `default`;
    `along` are tasks that run with a verb without being named. `includes` returns what stands in
    front of the names of tasks from other files, and where each of these may be.
    """

    files: str
    read: Reader
    verbs: str = ""
    default: str = ""
    along: Mapping[str, str] = {}
    every: bool = False
    includes: Includes = _nothing_included


class TaskTool(Struct, frozen=True):
    """A program: its files, and its options.

    `takes` are options with a value, of which `file` name the file, `place` the directory and
    `goals` the tasks; with one of `quiet` nothing runs.
    """

    kinds: tuple[TaskFile, ...]
    takes: str = ""
    file: str = ""
    place: str = ""
    goals: str = ""
    quiet: str = ""


def run_tasks(tool: TaskTool) -> Program:
    """Return the program of a tool."""
    names = f"{tool.takes} {tool.file} {tool.place} {tool.goals}".split()
    short = "".join(name for name in names if len(name) == 1)
    long = " ".join(name for name in names if len(name) > 1)

    def program(call: ProgramCall) -> Iterator[Effect]:
        if not call.here.sees:
            return
        found = options(call.args, short=short, long=long)
        if not found.has(*tool.quiet.split()):
            for kind in tool.kinds:
                yield from _of_kind(kind, tool, found, call)

    return program


def _of_kind(kind: TaskFile, tool: TaskTool, found: Options, call: ProgramCall) -> Iterator[Effect]:
    words = [word.text for word in found.operands]
    verbs = kind.verbs.split()
    verb = words[0] if words else ""
    along = kind.along.get(verb)
    if verbs and verb not in verbs and along is None:
        return
    place = last(found.values(*tool.place.split())) if tool.place else None
    goals = [part for value in _given(found, tool.goals) for part in value.text.split(",")]
    goals += words[1:] if verbs else words
    if along is not None:
        goals = along.split()
    for name in _files(kind, _given(found, tool.file), call.here, place):
        tasks = _read(kind, joined(place.text if place else "", name), call.here)
        default = () if along is not None else kind.default.split()
        for effect in effects_of(tasks, goals, default, name):
            yield effect if place is None else replace(effect, directory=_within(place, effect))


def _read(kind: TaskFile, path: str, here: LookHere, depth: int = 0) -> dict[str, Task]:
    """Return the tasks of a file and of those that it includes."""
    text = here.text(path)
    if text is None or "\0" in text:
        return {}
    found: dict[str, Task] = {}
    beside = posixpath.dirname(path)
    for prefix, places in kind.includes(text)[:MOST_FILES] if depth < MOST_DEEP else ():
        several = (_read(kind, joined(beside, one), here, depth + 1) for one in places)
        for name, task in next(filter(None, several), {}).items():
            found[f"{prefix}{name}"] = replace(task, needs=tuple(prefix + n for n in task.needs))
    return {**found, **kind.read(text)}


def _given(found: Options, names: str) -> list[Value]:
    return found.values(*names.split()) if names else []


def _within(place: Value, effect: RunText) -> Value:
    below = effect.directory.text if effect.directory else ""
    return replace(place, text=joined(place.text, below)) if below else place


def _files(
    kind: TaskFile, given: Sequence[Value], here: LookHere, place: Value | None
) -> list[str]:
    """Return the files of a kind that may be there."""
    start = f"{place.text.rstrip('/')}/" if place else ""
    names: list[str] = []
    for name in [value.text for value in given] or kind.files.split():
        if is_wild(name):
            met = here.names(start + name) or ()
            names += [one.removeprefix(start) for one in met][: MOST_FILES - len(names)]
        elif here.kind(start + name) in ("file", "link"):
            names.append(name)
    return names if kind.every else names[:1]


def effects_of(
    tasks: Tasks, goals: Sequence[str], default: Sequence[str], name: str
) -> Iterator[RunText]:
    """Return what runs of some tasks; `name` is the file that holds them."""
    wanted = [goal for goal in goals if goal in tasks]
    if not goals:
        wanted = [one for goal in default for one in (tasks if goal == ALL else [goal])]
    seen: set[str] = set()
    waiting = [*reversed(wanted), ""]
    while waiting and len(seen) < MOST_TASKS:
        goal = waiting.pop()
        if goal not in seen and goal in tasks:
            seen.add(goal)
            waiting += reversed(tasks[goal].needs)
            yield from _effects(tasks[goal], goals, name)


def _effects(task: Task, goals: Sequence[str], name: str) -> Iterator[RunText]:
    where = Value(task.directory) if task.directory else None
    called = _functions(goals) if task.chosen and goals else None
    args = tuple(Value(goal) for goal in goals[1:] if "=" not in goal)
    text = _script(task, goals)
    if text.strip():
        yield RunText(
            name, task.language, text, (Value(name), *args), where, role=task.role, called=called
        )
    for module in task.modules:
        code = f"import {module.partition(':')[0]}\n{module.rpartition(':')[2]}()\n"
        yield RunText("", "python", code, role=RunRole.MODULE)


def _script(task: Task, goals: Sequence[str]) -> str:
    """Return the text of a task, with what it is given in front."""
    if task.language != "sh":
        return "\n".join(task.texts)
    words = [tuple(word.split("=", 1)) for word in goals if "=" in word and word[0] not in "-/"]
    given = [f"{one[0]}={shlex.quote(one[1])}" for one in (*task.variables, *words)]
    texts = task.texts if len(task.texts) == 1 else [f"(\n{one}\n)" for one in task.texts if one]
    return "\n".join([*(line for line in given if _ASSIGNS.match(line)), *texts])


_ASSIGNS = late_regex(r"[A-Za-z_]\w*=")


def _functions(goals: Sequence[str]) -> frozenset[str]:
    """Return the functions that goals may be: `inv build-docs` is `build_docs`."""
    plain = [goal.partition("=")[0].replace("-", "_").rpartition(".")[2] for goal in goals]
    return frozenset(form for one in plain for form in (one, f"task_{one}", one.capitalize()))


def also(*programs: Program) -> Program:
    """Return a program that does what several do."""

    def program(call: ProgramCall) -> Iterator[Effect]:
        for one in programs:
            yield from one(call)

    return program


def source(language: str, path: str, *, role: RunRole = RunRole.TOOL) -> RunFile:
    """Return the effect of running one source file."""
    return RunFile(language, Value(path), (Value(path),), role=role)
