"""Programs that run what a file of the project says: npm and its kin, just, task, pytest.

Always true: what is not in such a file, or cannot be read, is no text at all.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

from penstock.core.shell.effects import (
    Effect,
    Program,
    ProgramCall,
    RunFile,
    RunProgram,
    RunText,
    last,
    options,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.look import LookHere
from penstock.core.shell.place import joined
from penstock.core.shell.programs.make import make
from penstock.core.shell.programs.runners import first_word_runs

MOST_TESTS = 40
_INSTALLS = ("preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare")
_ON_INSTALL = frozenset({"install", "i", "ci", "add", "rebuild", "it", "install-test", "link"})
_ON_PACK = frozenset({"pack", "publish"})
_PACKS = ("prepublishOnly", "prepack", "prepare", "postpack", "publish", "postpublish")
_SHORT_FOR = {"t": "test", "tst": "test", "run-script": "run", "rum": "run"}
_OWN = frozenset({"test", "start", "stop", "restart"})


# npm, yarn, pnpm, bun


def _package(call: ProgramCall) -> Iterator[Effect]:
    """Run the scripts of `package.json` that a command runs by name or along the way."""
    yield from first_word_runs("exec", "x", "dlx")(call)
    found = options(call.args, short="C", long="prefix cwd dir filter", first_operand_ends=True)
    place = last(found.values("C", "prefix", "cwd", "dir"))
    words = [word.text for word in found.operands]
    scripts = _scripts(call.here, place.text if place else "")
    verb = _SHORT_FOR.get(words[0], words[0]) if words else "install"
    if call.name != "npm" and verb not in scripts:  # perhaps a program of an installed package
        yield RunProgram(found.operands, elsewhere=True)
    if "--ignore-scripts" in words or not scripts:
        return
    for name, args in _run_by(call.name, verb, words[1:], scripts):
        yield RunText("package.json", "sh", _with_words(scripts[name], args), directory=place)


def _run_by(
    program: str, verb: str, rest: Sequence[str], scripts: Mapping[str, str]
) -> Iterator[tuple[str, Sequence[str]]]:
    named = next((word for word in rest if not word.startswith("-")), "")
    args: Sequence[str]
    if verb == "run":
        wanted, args = named, rest[rest.index(named) + 1 :] if named else ()
    elif verb in _OWN or (program != "npm" and verb in scripts):
        wanted, args = verb, rest
    else:
        along = _INSTALLS if verb in _ON_INSTALL else _PACKS if verb in _ON_PACK else ()
        yield from ((name, ()) for name in along if name in scripts)
        return
    for name in (f"pre{wanted}", wanted, f"post{wanted}"):
        if name in scripts:
            yield name, args if name == wanted else ()


def _with_words(text: str, args: Sequence[str]) -> str:
    return " ".join([text, *(shlex.quote(word) for word in args if word != "--")])


def _scripts(here: LookHere, folder: str) -> Mapping[str, str]:
    text = here.text(joined(folder, "package.json"))
    if text is None:
        return {}
    import json  # few commands have one

    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    scripts = data.get("scripts") if isinstance(data, dict) else None
    if not isinstance(scripts, dict):
        return {}
    return {str(name): line for name, line in scripts.items() if isinstance(line, str)}


# just, task

_RECIPE = re.compile(r"@?([A-Za-z_][\w-]*)((?:\s+[^:=]*)?):(?!=)\s*(.*)")
_JUST_VARIABLE = re.compile(r"(?:export\s+)?([A-Za-z_][\w-]*)\s*:=\s*(.+)")
_PLACE = re.compile(r"\{\{\s*([\w.-]+)\s*\}\}")


def _just(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="fd", long="justfile working-directory set shell")
    names = [value.text for value in found.values("f", "justfile")]
    names = names or ["justfile", "Justfile", ".justfile"]
    name = next((one for one in names if call.here.text(one) is not None), "")
    recipes, needs, variables = _just_recipes(call.here.text(name) or "") if name else ({}, {}, {})
    goals = [word.text for word in found.operands if word.text in recipes] or [*recipes][:1]
    if found.has("n", "dry-run", "l", "list", "summary", "show"):
        return
    waiting, seen = goals[::-1], set[str]()
    while waiting:
        goal = waiting.pop()
        if goal in recipes and goal not in seen:
            seen.add(goal)
            waiting += needs[goal][::-1]
            text = _PLACE.sub(lambda m: variables.get(m.group(1), "${of_just}"), recipes[goal])
            yield RunText(name, _shebang(text), text, (Value(name), *found.operands[1:]))


def _shebang(text: str) -> str:
    return "python" if text.startswith("#!") and "python" in text.partition("\n")[0] else "sh"


def _just_recipes(text: str) -> tuple[dict[str, str], dict[str, list[str]], dict[str, str]]:
    recipes: dict[str, str] = {}
    needs: dict[str, list[str]] = {}
    variables: dict[str, str] = {}
    name = ""
    for line in text.split("\n"):
        recipe, variable = _RECIPE.fullmatch(line), _JUST_VARIABLE.fullmatch(line)
        if line[:1] in (" ", "\t") and name:
            recipes[name] += line.strip().lstrip("@-") + "\n"
        elif variable:
            variables[variable.group(1)] = variable.group(2).strip().strip("'\"`")
        elif recipe:
            name = recipe.group(1)
            recipes[name], needs[name] = "", re.findall(r"[\w-]+", recipe.group(3))
    return recipes, needs, variables


_TASK = re.compile(r"^(\s+)([\w:.-]+):\s*$")
_COMMAND = re.compile(r"^\s*(?:-\s+)?(?:cmd:|cmds:\s*-?|-)?\s*(.*)$")


def _task(call: ProgramCall) -> Iterator[Effect]:
    """A Taskfile by its indentation: each listed command below a task is run by a shell."""
    for name in ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml"):
        text = call.here.text(name)
        if text is not None:
            wanted = [word.text for word in options(call.args).operands] or ["default"]
            script = "\n".join(_task_lines(text, wanted))
            yield RunText(name, "sh", script)
            return


def _task_lines(text: str, wanted: Sequence[str]) -> Iterator[str]:
    inside, depth = False, -1
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip())
        named = _TASK.match(line)
        if named and named.group(2) in wanted:
            inside, depth = True, indent
        elif line.strip() and indent <= depth:
            inside = False
        elif inside and line.strip().startswith(("- ", "cmd:")):
            found = _COMMAND.match(line)
            yield (found.group(1) if found else "").strip("'\"")


# pytest

_TEST_FILES = ("test_*.py", "*_test.py")
_TEST_FOLDERS = ("", "tests/", "tests/**/", "test/", "test/**/")


def _pytest(call: ProgramCall) -> Iterator[Effect]:
    """Test files are Python that is run, and so is each `conftest.py` beside or above them."""
    found = options(call.args, short="kmpcnoWr", long="rootdir confcutdir junitxml durations cov")
    named = [word.text.partition("::")[0] for word in found.operands]
    files: list[str] = ["conftest.py"]
    for name in named:
        kind = call.here.kind(name)
        if kind == "file":
            files.append(name)
            files += [f"{above}conftest.py" for above in _folders(name)]
        elif kind == "directory":
            files += _tests_in(call.here, [name.rstrip("/") + "/", name.rstrip("/") + "/**/"])
    if not named:
        files += _tests_in(call.here, _TEST_FOLDERS)
    for file in list(dict.fromkeys(files))[:MOST_TESTS]:
        yield RunFile("pytest", Value(file), (Value(file),))


def _folders(name: str) -> Iterator[str]:
    at = name.find("/")
    while at >= 0:
        yield name[: at + 1]
        at = name.find("/", at + 1)


def _tests_in(here: LookHere, folders: Sequence[str]) -> list[str]:
    patterns = [f"{folder}{name}" for folder in folders for name in ("conftest.py", *_TEST_FILES)]
    return [name for pattern in patterns for name in here.names(pattern) or ()]


TASKS: Mapping[str, Program] = {
    **dict.fromkeys(("make", "gmake"), make),
    **dict.fromkeys(("npm", "pnpm", "yarn"), _package),
    "just": _just,
    **dict.fromkeys(("task", "go-task"), _task),
    **dict.fromkeys(("pytest", "py.test"), _pytest),
}
