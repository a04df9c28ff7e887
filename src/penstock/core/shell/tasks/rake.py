"""A Rakefile as tasks: the blocks of `task` and `file`, what they need, and what is around them.

Always true: a block ends where a line stands that is indented no further than its head.
"""

from __future__ import annotations

from penstock.core.shell.effects import RunRole
from penstock.core.shell.tasks.model import Task, Tasks
from penstock.core.text.late_regex import late_regex

_HEAD = late_regex(
    r"[ \t]*(task|file|multitask|namespace)\b[ \t(]*:?['\"]?([A-Za-z_][\w:./-]*?)"
    r"(?=['\"]|:?[ \t)]|:?$|,|=)(.*)"
)
_NEED = late_regex(r"(?:=>|:)[ \t]*(\[[^\]]*\]|:?['\"]?[A-Za-z_][\w:.-]*)")
_NAME = late_regex(r"[A-Za-z_][\w:.-]*")


def rake(text: str) -> Tasks:
    """Read the tasks of a Rakefile, by their names with and without their namespaces."""
    around: list[str] = []
    bodies: dict[str, list[str]] = {}
    needs: dict[str, list[str]] = {}
    spaces: list[tuple[int, str]] = []
    name, depth = "", -1
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip())
        head = _HEAD.match(line)
        if name and (not line.strip() or indent > depth):
            bodies[name].append(line)
            continue
        name = ""
        spaces = [one for one in spaces if one[0] < indent or not line.strip()]
        if head and head.group(1) == "namespace":
            spaces.append((indent, head.group(2)))
        elif head:
            name = ":".join([*(space for _, space in spaces), head.group(2)])
            depth = indent
            bodies.setdefault(name, []).append(head.group(3))
            found = (one for group in _NEED.findall(head.group(3)) for one in _NAME.findall(group))
            needs.setdefault(name, []).extend(found)
        else:
            around.append(line)
    tasks = {name: _task(lines, tuple(needs[name])) for name, lines in bodies.items()}
    short = {name.rpartition(":")[2]: task for name, task in tasks.items()}
    return {**short, **tasks, "": _task(around)}


def _task(lines: list[str], needs: tuple[str, ...] = ()) -> Task:
    return Task(("\n".join(lines),), needs, language="rake", role=RunRole.TOOL)
