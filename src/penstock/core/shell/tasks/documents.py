"""Documents that hold code for one tool: notebooks, playbooks, Terraform, scripts of debuggers.

Each is read into the texts that its tool would run; what these texts do is found like that of any
other script.
Always true: a document that cannot be read holds nothing, and no more than `MOST_TEXTS` texts of
one are taken.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from penstock.core.model import Action
from penstock.core.shell.effects import (
    Effect,
    Program,
    ProgramCall,
    RunRole,
    RunText,
    Touch,
    options,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.tasks.data import json_data, yaml_data
from penstock.core.text.late_regex import late_regex

MOST_TEXTS = 200

# Notebooks


def notebook(call: ProgramCall) -> Iterator[Effect]:
    """`jupyter nbconvert --execute`, `jupyter execute`, `papermill`: every cell runs."""
    found = options(call.args, long="to output output-dir")
    words = [word.text for word in found.operands]
    if words[:1] == ["nbconvert"] and not found.has("execute"):
        return
    for word in words:
        if word.endswith(".ipynb"):
            yield from _in_place(word, "python", _cells(call.here.text(word) or ""))


def _cells(text: str) -> str:
    data = json_data(text)
    cells = data.get("cells") if isinstance(data, dict) else None
    code = [cell for cell in _tables(cells) if cell.get("cell_type") == "code"]
    return "\n".join(_cell(_text(cell.get("source"))) for cell in code[:MOST_TEXTS])


def _cell(source: str) -> str:
    """Return a cell as Python: a line behind `!` is a command, one behind `%` is the notebook's."""
    return "\n".join(map(_cell_line, source.split("\n")))


def _cell_line(line: str) -> str:
    bare = line.lstrip()
    if bare.startswith(("!", "%sx ", "%system ")):
        command = bare.removeprefix("!").removeprefix("%sx ").removeprefix("%system ")
        return f"import os; os.system({command!r})"
    return "" if bare.startswith("%") else line


# Playbooks

_SHELLS = ("shell", "command", "raw", "win_shell", "win_command")
_READS = ("copy", "template", "unarchive", "script", "fetch", "slurp", "synchronize")
_WRITES = ("lineinfile", "blockinfile", "replace", "file", "copy", "template", "get_url")
_LOCAL = frozenset({"localhost", "127.0.0.1"})


def playbook(call: ProgramCall) -> Iterator[Effect]:
    """`ansible-playbook FILE`: what its tasks do on this machine, and what they copy from it."""
    found = options(call.args, short="ietlcuKMf", long="inventory extra-vars connection limit tags")
    forced = [value.text for value in found.values("c", "connection")] == ["local"]
    for word in found.operands[:8]:
        text = call.here.text(word.text) or ""
        yield from _looked_up(word.text, text)
        for play in _tables(yaml_data(text)):
            here = forced or play.get("connection") == "local" or play.get("hosts") in _LOCAL
            yield from _play(word.text, play, here=here)


# `lookup('file', 'x')` reads here, whatever the host; `lookup('pipe', 'cmd')` runs here.
_LOOKUP = late_regex(
    r"(?:lookup|query|q)\(\s*['\"](?:ansible\.builtin\.)?(\w+)['\"]\s*,\s*['\"]([^'\"\n]{1,300})['\"]"
)
_FILE_LOOKUPS = frozenset({"file", "template", "unvault", "ini", "csvfile", "lines", "fileglob"})


def _looked_up(name: str, text: str) -> Iterator[Effect]:
    """Return what expressions in a playbook read or run on this machine."""
    beside = posixpath.dirname(name)
    for kind, given in _LOOKUP.findall(text)[:MOST_TEXTS]:
        if kind in _FILE_LOOKUPS:
            path = given.removeprefix("{{ playbook_dir }}/").removeprefix("{{playbook_dir}}/")
            for place in dict.fromkeys((posixpath.join(beside, path), path)):
                yield Touch(Value(place), Action.READ)
        elif kind in ("pipe", "lines"):
            yield RunText(name, "sh", given)


def _play(name: str, play: Mapping[str, object], *, here: bool) -> Iterator[Effect]:
    sections = ("pre_tasks", "tasks", "post_tasks", "handlers", "block")
    for task in [one for section in sections for one in _tables(play.get(section))][:MOST_TEXTS]:
        if "block" in task:
            yield from _play(name, task, here=here)
        local = here or task.get("delegate_to") in _LOCAL or "local_action" in task
        for key, given in task.items():
            yield from _task(name, key.rpartition(".")[2], given, local=local)


def _task(name: str, module: str, given: object, *, local: bool) -> Iterator[Effect]:
    table = given if isinstance(given, dict) else {}
    if module in _SHELLS and local:
        text = _text(table.get("cmd") if table else given)
        yield RunText(name, "sh", text)
    if module in _READS and isinstance(table.get("src"), str):
        yield Touch(Value(str(table["src"])), Action.READ)
    if module in _WRITES and local:
        for key in ("path", "dest", "name"):
            if isinstance(table.get(key), str):
                gone = module == "file" and table.get("state") == "absent"
                yield Touch(Value(str(table[key])), Action.DELETE if gone else Action.WRITE)


# Terraform

_PROGRAM = late_regex(r"\bprogram\s*=\s*\[([^\]]*)\]")
_COMMAND = late_regex(
    r'\bcommand\s*=\s*"((?:[^"\\]|\\.)*)"|\bcommand\s*=\s*<<-?(\w+)\n(.*?)\n\s*\2', re.S
)
_STRING = late_regex(r'"((?:[^"\\]|\\.)*)"')
_FILE = late_regex(r'\b(?:file\w*|templatefile)\(\s*(?:(?:pathexpand|abspath)\(\s*)?"([^"\n]+)"')
_MODULE = late_regex(r'\bsource\s*=\s*"(\.{1,2}/[^"$]+)"')
_IN_MODULE = late_regex(r"\$\{path\.(?:module|root|cwd)\}/?")
MOST_MODULES = 16
_PLANS = frozenset({"plan", "apply", "refresh", "destroy", "test", "console", "import"})


def terraform(call: ProgramCall) -> Iterator[Effect]:
    """`terraform plan` runs external programs, `apply` commands of provisioners too."""
    texts = [word.text for word in call.args]
    words = [text for text in texts if text[:1] != "-"]
    if not words or words[0] not in _PLANS:
        return
    chdir = next((text.partition("=")[2] for text in texts if text.startswith("-chdir=")), "")
    waiting, seen = [chdir.rstrip("/")], set[str]()
    while waiting and len(seen) < MOST_MODULES:
        folder = waiting.pop()
        if folder in seen:
            continue
        seen.add(folder)
        for name in (call.here.names(posixpath.join(folder, "*.tf")) or ())[:MOST_TEXTS]:
            text = call.here.text(name) or ""
            yield from _settings(name, folder, text)
            found = _MODULE.findall(text)
            waiting += [posixpath.normpath(posixpath.join(folder, one)) for one in found]
    if words[0] == "console":  # what is typed there is printed
        yield from _shown(chdir, call.feed.text or "")


def _settings(name: str, folder: str, text: str) -> Iterator[Effect]:
    where = Value(folder) if folder else None
    for found in _PROGRAM.finditer(text):
        words = [_plain(one) for one in _STRING.findall(found.group(1))]
        yield RunText(name, "sh", " ".join(map(_quoted, words)), directory=where)
    for found in _COMMAND.finditer(text):
        command = _plain(found.group(1) or "") or found.group(3) or ""
        yield RunText(name, "sh", command, directory=where)
    if re.search(r"\b(?:output|local_file|http)\b", text):
        yield from _shown(folder, text)


def _shown(folder: str, text: str) -> Iterator[Effect]:
    """Return the files whose text an expression is worth."""
    for path in _FILE.findall(text)[:MOST_TEXTS]:
        plain = _IN_MODULE.sub("", path)
        if "$" not in plain:
            place = plain if plain[:1] in "/~" else posixpath.join(folder, plain)
            yield Touch(Value(place), Action.READ)


def _plain(text: str) -> str:
    return text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")


def _quoted(word: str) -> str:
    import shlex

    return shlex.quote(word)


# Debuggers

_DEBUGGER_SHELL = late_regex(r"^\s*(?:shell|!|make|platform shell)\s*(.*)$", re.M)
_DEBUGGER_PYTHON = late_regex(
    r"^\s*(?:python|py|script)[ \t]+(\S.*)$|^\s*python\s*\n(.*?)^end\s*$", re.M | re.S
)


def debugger(call: ProgramCall) -> Iterator[Effect]:
    """`gdb -x FILE -ex COMMAND`, `lldb -s FILE -o COMMAND`: their shell and Python commands."""
    names = "x command ex eval-command ix iex s source o one-line"
    found = options(_long(call.args), long=names)
    texts = [
        (v.text, call.here.text(v.text) or "")
        for v in found.values("x", "command", "s", "source", "ix")
    ]
    texts += [("", v.text) for v in found.values("ex", "eval-command", "iex", "o", "one-line")]
    for name, text in texts[:MOST_TEXTS]:
        lines = "\n".join(_DEBUGGER_SHELL.findall(text))
        yield RunText(name, "sh", lines)
        code = "\n".join(one or block for one, block in _DEBUGGER_PYTHON.findall(text))
        yield RunText(name, "python", code)


def _long(args: Sequence[Value]) -> list[Value]:
    """Return arguments with two dashes before long names: these tools take one as well."""
    return [
        replace(arg, text=f"-{arg.text}") if re.match(r"-[a-z]", arg.text) else arg for arg in args
    ]


# Common


def _in_place(path: str, language: str, text: str) -> Iterator[Effect]:
    """Return the effect of code that runs in the directory of its document."""
    folder, _, name = path.rpartition("/")
    if text.strip():
        where = Value(folder) if folder else None
        yield RunText(name, language, text, directory=where, role=RunRole.SCRIPT)


def _tables(value: object) -> list[dict[str, object]]:
    listed = value if isinstance(value, list) else []
    return [one for one in listed if isinstance(one, dict)]


def _text(value: object) -> str:
    if isinstance(value, list):
        return "".join(str(one) for one in value)
    return value if isinstance(value, str) else ""


DOCUMENTS: Mapping[str, Program] = {
    **dict.fromkeys(("jupyter", "jupyter-nbconvert", "jupyter-execute", "papermill"), notebook),
    "ansible-playbook": playbook,
    **dict.fromkeys(("terraform", "tofu"), terraform),
    **dict.fromkeys(("gdb", "lldb"), debugger),
}
