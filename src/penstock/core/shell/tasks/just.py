"""A justfile as tasks: recipes with their parameters, variables, imports and modules.

Always true: what just would compute is an unknown word of the shell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from penstock.core.shell.tasks.model import Task, Tasks
from penstock.core.text.late_regex import late_regex

_RECIPE = late_regex(r"@?([A-Za-z_][\w-]*)((?:[ \t]+[^:\n]*?)?):(?!=)[ \t]*(.*)")
_VARIABLE = late_regex(r"(?:export[ \t]+)?([A-Za-z_][\w-]*)[ \t]*:=[ \t]*(.+)")
_INSERTED = late_regex(r"\{\{\s*([\w.-]+)\s*\}\}")
_PARAMETER = late_regex(r"[*+$]*([A-Za-z_][\w-]*)(?:=(?:'([^']*)'|\"([^\"]*)\"|(\S+)))?")
_NEED = late_regex(r"\(\s*([\w-]+)((?:\s+(?:'[^']*'|\"[^\"]*\"|[\w.-]+))*)\s*\)|&&|([\w-]+)")
_WORD = late_regex(r"'([^']*)'|\"([^\"]*)\"|(\S+)")
_IMPORT = late_regex(r"^import\??[ \t]+['\"]([^'\"\n]+)['\"]", re.M)
_MODULE = late_regex(r"^mod\??[ \t]+([\w-]+)(?:[ \t]+['\"]([^'\"\n]+)['\"])?", re.M)
_BACKTICKS = late_regex(r"`([^`\n]+)`")


def just(text: str) -> Tasks:
    """Read the recipes of a justfile."""
    variables: dict[str, str] = {}
    tasks: dict[str, Task] = {}
    bodies: dict[str, list[str]] = {}
    heads: dict[str, tuple[str, str]] = {}
    name = ""
    for line in text.replace("\\\n", " ").split("\n"):
        variable, recipe = _VARIABLE.fullmatch(line), _RECIPE.fullmatch(line)
        if line[:1] in (" ", "\t") and name:
            bodies[name].append(line.strip().lstrip("@-"))
        elif variable:
            variables[variable.group(1)] = variable.group(2).strip().strip("'\"`")
        elif recipe:
            name = recipe.group(1)
            heads[name], bodies[name] = (recipe.group(2), recipe.group(3)), []
    for one, body in bodies.items():
        tasks.update(_recipe(one, *heads[one], body, variables))
    first = next(iter(bodies), "")
    made = "\n".join(_BACKTICKS.findall(text))
    return {**tasks, "": Task((made,)), "default.recipe": Task(needs=(first,) if first else ())}


def _recipe(
    name: str, parameters: str, needs: str, body: list[str], variables: Mapping[str, str]
) -> dict[str, Task]:
    """Return a recipe, and one more for each need that gives another recipe its words."""
    names = [found.group(1) for found in _PARAMETER.finditer(parameters)]
    defaults = {
        m[1]: m[2] or m[3] or m[4] or "" for m in _PARAMETER.finditer(parameters) if "=" in m[0]
    }
    # Words of the call are the shell's `$1`, `$2`; a default is what they are without any.
    places = {
        one: f"${{{at}:-{defaults[one]}}}" if one in defaults else f"${{{at}}}"
        for at, one in enumerate(names, start=1)
    }
    known = {**variables, **places}
    lines = (_INSERTED.sub(lambda m: known.get(m[1], "${of_just}"), line) for line in body)
    text = "\n".join(lines)
    found = [(m[1] or m[3], m[2] or "") for m in _NEED.finditer(needs) if m[1] or m[3]]
    language = "python" if text.startswith("#!") and "python" in text.partition("\n")[0] else "sh"
    calls = [f"just {one} {words}" for one, words in found if words]
    return {name: Task((*calls, text), tuple(one for one, _ in found), language=language)}


def just_includes(text: str) -> list[tuple[str, list[str]]]:
    """Return the files that a justfile imports, and its modules by their names."""
    found = [("", [path]) for path in _IMPORT.findall(text)]
    for name, path in _MODULE.findall(text):
        found.append((f"{name}::", [path] if path else [f"{name}.just", f"{name}/mod.just"]))
    return found
