"""Data that lists tasks, as tasks: what the keys of the usual tools mean.

One reading serves them all: a task is a text, a list of texts, or a mapping in which some keys
hold what runs (`cmd`, `run`, `sequence`) and others name tasks that run before (`deps`).
Always true: a text that is the name of another task runs that task.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping

from penstock.core.shell.effects import RunRole
from penstock.core.shell.tasks.data import Data, at, ini_data, json_data, toml_data, yaml_data
from penstock.core.shell.tasks.model import Reader, Task, Tasks
from penstock.core.text.late_regex import late_regex

MOST_NODES = 2_000
_RUN = frozenset(
    {
        *("cmd", "cmds", "command", "commands", "shell", "run", "script", "scripts", "sequence"),
        *("composite", "exec", "entry", "defer", "expr", "call", "status", "preconditions", "sh"),
        *("options", "windows", "pre", "post", "finally", "jobs", "group"),
    }
)
_NEED = frozenset(
    {
        *("deps", "depends", "depends_on", "depends-on", "dependsOn", "dependencies", "needs"),
        *("task", "ref", "depends_post", "uses", "extend"),
    }
)
_PLACE = ("dir", "cwd", "working_dir", "workdir", "working_directory")
_MODULE = late_regex(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*(?:\(.*\))?")
_INSERTED = late_regex(r"\{\{\s*\.?([\w.-]+)\s*\}\}")


def tasks_at(data: Data, *paths: str, variables: str = "") -> Reader:
    """Return a reader of the tasks at some paths of a file; `variables` is a path as well."""

    def read(text: str) -> Tasks:
        values = data(text)
        known = _texts(at(values, variables)) if variables else {}
        found = {name: one for path in paths for name, one in at(values, path).items()}
        return {name: task_of(value, found, known) for name, value in found.items()}

    return read


def _texts(found: Mapping[str, object]) -> dict[str, str]:
    return {name: str(one) for name, one in found.items() if isinstance(one, str | int)}


def task_of(
    value: object, names: Mapping[str, object], variables: Mapping[str, str] | None = None
) -> Task:
    """Return what one task runs; `names` are all tasks of the file."""
    texts: list[str] = []
    needs: list[str] = []
    modules: list[str] = []
    directory = ""
    known = dict(variables or {})
    waiting: list[tuple[object, bool]] = [(value, False)]
    for _ in range(MOST_NODES):
        if not waiting:
            break
        now, inside = waiting.pop()
        if isinstance(now, str):
            _text(now, names, texts, needs, modules)
        elif isinstance(now, list) and inside and all(isinstance(one, str) for one in now):
            texts.append(shlex.join(now))
        elif isinstance(now, list):
            waiting += [(one, True) for one in reversed(now)]
        elif isinstance(now, dict):
            directory = next((str(now[key]) for key in _PLACE if key in now), directory)
            known.update(_texts(at(now, "vars")))
            needs += _needs(now)
            waiting += [(one, False) for one in _run_by(now)]
    return Task(
        tuple(_INSERTED.sub(_inserted, one) for one in texts),
        tuple(needs),
        tuple(modules),
        directory=directory,
        variables=tuple(known.items()),
    )


def _inserted(found: re.Match[str]) -> str:
    """Return the shell's word for what a tool puts into a text."""
    name = found.group(1)
    if name == "CLI_ARGS":
        return '"$@"'
    return f"${{{name}}}" if name.isidentifier() else "${of_task}"


def _text(
    text: str,
    names: Mapping[str, object],
    texts: list[str],
    needs: list[str],
    modules: list[str],
) -> None:
    """Sort a text: a module to call, the name of another task, or a command."""
    first = text.split(maxsplit=1)[0].lstrip("@") if text.strip() else ""
    if first in names:
        needs.append(first)
    if _MODULE.fullmatch(text):
        modules.append(text.partition("(")[0])
    elif first != text.lstrip("@"):
        texts.append(_PREFIX.sub("", text))
    elif first not in names:
        texts.append(text)


_PREFIX = late_regex(r"^@(?=(?:php|composer)\b)")


def _needs(task: Mapping[object, object]) -> Iterator[str]:
    for key in _NEED & task.keys():
        value = task[key]
        for one in value if isinstance(value, list) else [value]:
            name = one.get("task") if isinstance(one, dict) else one
            if isinstance(name, str):
                yield name.split()[0].lstrip("^:") if name.strip() else ""


def _run_by(task: Mapping[object, object]) -> list[object]:
    """Return what the keys of a task run, the last first; a command may have its words apart."""
    found = [task[key] for key in task if key in _RUN]
    if not (_RUN | _NEED) & task.keys():  # names of its own, each with a task
        found = [one for one in task.values() if isinstance(one, dict)]
    command, args = task.get("command") or task.get("exec") or task.get("entry"), task.get("args")
    if isinstance(command, str) and isinstance(args, list):
        found.append(shlex.join([*shlex.split(command, posix=True), *map(str, args)]))
    return found[::-1]


# Files of data

JSON_SCRIPTS = tasks_at(json_data, "scripts")
DENO = tasks_at(json_data, "tasks")
NX = tasks_at(json_data, "targets")
TASKFILE = tasks_at(yaml_data, "tasks", variables="vars")
LINT_STAGED = tasks_at(json_data, "lint-staged")


def pyproject(*paths: str) -> Reader:
    """Return a reader of the tasks at some paths of a `pyproject.toml`."""
    return tasks_at(toml_data, *paths)


# tox, pre-commit, lefthook, compose

_TOX = ("commands_pre", "commands", "commands_post")
_TOX_PLACE = late_regex(r"\{(?:tox_?[a-z]*dir|tox_root|base_?dir)\}")
_TOX_OTHER = late_regex(r"\{\[(.*?)\](\w+)\}")


def tox_ini(text: str) -> Tasks:
    """Read the environments of tox: what all have, and each of its own."""
    sections = {name: at(value, "") for name, value in at(ini_data(text), "").items()}
    found: dict[str, Task] = {}
    for name, keys in sections.items():
        if name.startswith("testenv"):
            lines = "\n".join(str(keys.get(key) or "") for key in _TOX)
            lines = _TOX_OTHER.sub(lambda m: str(sections.get(m[1], {}).get(m[2], "")), lines)
            commands = _TOX_PLACE.sub(".", lines.replace("\\\n", " ")).split("\n")
            found[name.partition(":")[2]] = Task(tuple(one.lstrip(" -") for one in commands))
    return found


def tox_toml(text: str) -> Tasks:
    """Read the environments of tox where they stand in `pyproject.toml` or `tox.toml`."""
    data = toml_data(text)
    tables = [at(data, "tool.tox"), at(data, "")]
    found: dict[str, Task] = {}
    for table in tables:
        legacy = table.get("legacy_tox_ini")
        found.update(tox_ini(legacy) if isinstance(legacy, str) else {})
        some = {"": table.get("env_run_base"), **at(table, "env")}
        for name, one in some.items():
            values = at(one, "")
            commands = [line for key in _TOX for line in _listed(values.get(key))]
            if commands:
                found[name] = task_of(commands, {})
    return found


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


_NOT_RUN = frozenset({"pygrep", "fail", "docker", "docker_image"})


def pre_commit(text: str) -> Tasks:
    """Read the hooks of the project itself; the others are installed from elsewhere."""
    found: dict[str, Task] = {}
    for repository in _listed(at(yaml_data(text), "").get("repos")):
        for hook in _listed(at(repository, "").get("hooks")):
            keys = at(hook, "")
            local = at(repository, "").get("repo") == "local" or "entry" in keys
            if local and keys.get("language") not in _NOT_RUN:
                found[str(keys.get("id"))] = task_of({k: keys[k] for k in keys}, {})
    return found


_MOUNT = late_regex(r"(?:\./?|\$\{?PWD\}?/?):([^:]+)(?::.*)?")


def compose(text: str) -> Tasks:
    """Read the commands of services that have the project mounted: there, its files are ours."""
    found: dict[str, Task] = {}
    for name, service in at(yaml_data(text), "services").items():
        keys = at(service, "")
        mounts = [_mount(one) for one in _listed(keys.get("volumes"))]
        inside = next((one for one in mounts if one), "")
        if inside:
            task = task_of({"commands": [keys.get("entrypoint"), keys.get("command")]}, {})
            here = keys.get("working_dir", inside)
            texts = (one.replace(inside.rstrip("/") + "/", "./") for one in task.texts)
            found[name] = Task(tuple(texts)) if here == inside else Task()
    return found


def _mount(volume: object) -> str:
    """Return where a volume puts the project, if it does."""
    if isinstance(volume, dict):
        return str(volume.get("target", "")) if volume.get("source") in (".", "./") else ""
    found = _MOUNT.fullmatch(str(volume))
    return found.group(1) if found else ""


def hatch(text: str) -> Tasks:
    """Read the scripts of hatch's environments, by their names alone and behind their own."""
    data = toml_data(text)
    found: dict[str, Task] = {}
    for path in ("tool.hatch.envs", "envs"):
        for environment, value in at(data, path).items():
            scripts = at(value, "scripts")
            for name, one in scripts.items():
                task = task_of(one, scripts)
                found[f"{environment}:{name}"] = task
                if environment == "default":
                    found[name] = task
    return found


def taskfile_includes(text: str) -> list[tuple[str, list[str]]]:
    """Return the Taskfiles that one includes, by the names that stand before their tasks."""
    found = []
    for name, value in at(yaml_data(text), "includes").items():
        given = value.get("taskfile") if isinstance(value, dict) else value
        path = str(given).rstrip("/")
        found.append((f"{name}:", [path, *(f"{path}/{one}" for one in TASKFILES.split())]))
    return found


TASKFILES = " ".join(
    f"{name}{kind}.{end}"
    for kind in ("", ".dist")
    for name in ("Taskfile", "taskfile")
    for end in ("yml", "yaml")
)


def whole(language: str, *, role: RunRole = RunRole.TOOL, chosen: bool = False) -> Reader:
    """Return a reader that takes a source file as it is; its functions may be the tasks."""
    return lambda text: {"": Task((text,), language=language, role=role, chosen=chosen)}


def translated(become: Callable[[str], str]) -> Reader:
    """Return a reader of a file that becomes shell text."""
    return lambda text: {"": Task((become(text),))}


def every_task(reader: Reader) -> Reader:
    """Return a reader whose tasks all run, whatever is asked for."""

    def read(text: str) -> Tasks:
        tasks = reader(text)
        return {**tasks, "": Task(needs=tuple(tasks))}

    return read
