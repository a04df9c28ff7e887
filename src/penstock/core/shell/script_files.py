"""Scripts that lie on the disk: which text a program would run, and what Python imports along.

Always true: what is not a small text is no script; a module that is not the project's is left
alone.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from penstock.core.model import Action
from penstock.core.shell.effects import Effect, RunFile, RunText, Touch, Unclear
from penstock.core.shell.expansion import Value
from penstock.core.shell.look import LookHere

# `module` is run by its dotted name, `import` along with another, `pytest` by the test runner.
PYTHON = frozenset({"python", "module", "import", "pytest"})
MOST_IMPORTS = 24
_ROOTS = ("", "src/")
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import|import[ \t]+([\w., \t]+))", re.M)
_FUNCTION = re.compile(r"([ \t]*)(?:async[ \t]+def|def|if[ \t]+__name__)\b")
# Code without one of these neither changes nor shows a file.
_ACTS = re.compile(
    r"open\b|write|unlink|remove|rmtree|rename|replace\b|copy|move\b|read_|touch|system|subprocess"
    r"|popen|spawn|exec|eval|Path\b|truncate|link|os\.|shutil"
)
_READS_IN = re.compile(r"environ|dotenv|getenv|process\.env")
_ELSEWHERE = re.compile(r"tmp_path|tmpdir|tempfile|chdir|isolated_filesystem|TemporaryDirectory")


def on_disk(effect: RunFile, look: LookHere) -> RunText | None:
    """Return the text of a script file, if there is one."""
    for path in _candidates(effect):
        text = look.text(path)
        if text is not None and "\0" not in text:
            return RunText(path, effect.language, text, effect.args, here=effect.here)
    return None


def _candidates(effect: RunFile) -> Iterator[str]:
    path = effect.path.text
    if effect.language == "module":
        for root in _ROOTS:
            yield from (f"{root}{path}.py", f"{root}{path}/__main__.py")
        return
    yield path
    if effect.language == "python":
        yield f"{path.rstrip('/')}/__main__.py"


def imports(effect: RunText, here: LookHere) -> Iterator[RunText]:
    """Return the modules of the project that a Python text imports."""
    beside = effect.name.rpartition("/")[0]
    roots = dict.fromkeys((f"{beside}/" if beside else "", *_ROOTS))
    for name in _imported(effect.text)[:MOST_IMPORTS]:
        path = name.replace(".", "/")
        places = (f"{root}{path}{end}" for root in roots for end in (".py", "/__init__.py"))
        for place in places:
            text = here.text(place)
            if text is not None:
                yield RunText(place, "import", text, (Value(place),))
                break


def _imported(text: str) -> list[str]:
    names: dict[str, None] = {}
    for found in _IMPORT.finditer(text):
        for name in (found.group(1) or found.group(2)).split(","):
            plain = name.strip().partition(" ")[0].strip(".")
            if plain and plain.partition(".")[0] not in sys.stdlib_module_names:
                names[plain] = None
    return list(names)


def code_of(effect: RunText) -> str:
    """Return the part of a text that runs: of an import, what stands outside of functions."""
    text = effect.text
    if effect.language not in PYTHON:
        return text
    if effect.language == "import":
        text = _outside_functions(text)
    if effect.language == "pytest" and _ELSEWHERE.search(text):
        return ""  # tests that make a place of their own write there
    return text if _ACTS.search(text) else ""


def _outside_functions(text: str) -> str:
    kept: list[str] = []
    depth = -1
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip())
        if depth >= 0 and (not line.strip() or indent > depth or line.lstrip()[:1] in (")", "]")):
            continue
        found = _FUNCTION.match(line)
        depth = len(found.group(1)) if found else -1
        kept.append(f"{found.group(1)}pass" if found else line)
    return "\n".join(kept)


# Variables whose value is a file that a program runs when it starts.
_STARTS = {"PYTHONSTARTUP": "python"}


def run_with(name: str, value: Value) -> Iterator[Effect]:
    """Return the files that programs run because a variable names them."""
    text = value.text
    if name in _STARTS and text and value.exact:
        yield Touch(value, Action.READ)
        yield RunFile(_STARTS[name], value, (value,))
    elif name == "NODE_OPTIONS":
        for found in _REQUIRED.finditer(text):
            path = Value(found.group(1), exact=value.exact)
            yield RunFile("js", path, (path,))
    elif name == "PYTHONPATH" and value.exact:
        for entry in text.split(":")[:8]:
            path = Value(f"{entry.rstrip('/')}/sitecustomize.py" if entry else "sitecustomize.py")
            yield RunFile("python", path, (path,))
    elif name in ("LD_PRELOAD", "DYLD_INSERT_LIBRARIES") and text:
        yield Unclear(f"`{name}` puts other code into every program")


_REQUIRED = re.compile(r"(?:--require|-r|--import|--loader)[= ]+(\S+)")


def shadowed(name: Value, args: tuple[Value, ...], path: str, here: LookHere) -> Iterator[Effect]:
    """Return the file of the project that a changed `PATH` finds before the real program."""
    for entry in path.split(":")[:8]:
        if entry.startswith(("/usr", "/bin", "/sbin", "/opt", "$")):
            continue
        file = Value(f"{entry or '.'}/{name.text}")
        if here.kind(file.text) in ("file", "link"):
            yield RunFile("", file, (file, *args))
            return


def takes_in(effect: RunText) -> bool:
    """True for code that reads its settings for itself, or is only imported or tested."""
    direct = effect.language not in ("import", "module", "pytest")
    return not direct or _READS_IN.search(effect.text) is not None
