"""Read every error of Penstock out of the code that raises it: code, sentences, who acts next.

Sentences are taken as they stand in the source; what is filled in when the error is raised is
shown as `<a word>`. Tables from the errors of the system to ours are read as tables.
Always true: an error whose code cannot be found here is in `unresolved`, which a test compares
with the places that `TABLES` answers for, so that no code is missing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from penstock.core.proposals.model import OPEN, STATE_WORDS, State
from penstock.stores.files import errors as files
from penstock.stores.queue import database
from penstock.stores.system import os_errors, private

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src"
BASE = SOURCES / "penstock/core/errors.py"
ACTS = re.compile(r"(.+?) acts next:")
ANYBODY = "the caller"
OTHERWISE = {"NewerError": "a person"}  # is shown to the person who was about to approve

# Names of values in the source, and what a reader calls them.
WORDS = {
    "__name__": "type",
    "against": "reason",
    "again": "command",
    "asked": "reason",
    "base": "digest",
    "busy": "what is running",
    "by": "receipt",
    "dropped": "hunks",
    "ended": "exit code",
    "expect": "digest",
    "fd": "number",
    "file_path": "path",
    "filename": "path",
    "folder": "directory",
    "found": "reason",
    "given": "value",
    "here": "path",
    "kind": "type",
    "largest": "limit",
    "lower": "entry",
    "most": "limit",
    "most_viewers": "limit",
    "move": "step",
    "named": "path",
    "now": "digest",
    "real": "path",
    "root": "directory",
    "shown": "path",
    "st_nlink": "n",
    "start": "directory",
    "text": "value",
    "ttl": "seconds",
    "wanted": "type",
    "written": "digest",
    "wrong": "value",
}
SYSTEM = "what the system said"
BY_SYSTEM = re.compile(r"strerror|str\((?:fault|problem|error|why|no|failure|wrong)\)")
DEEPEST = 3
Texts = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ErrorSite:
    """One place that raises a code, and what it says there."""

    code: str
    acts: str
    message: Texts = ()
    because: Texts = ()
    hint: Texts = ()


@dataclass
class Scope:
    """What names stand for: constants of the module, and what a function assigns."""

    module: Mapping[str, list[ast.expr]]
    local: Mapping[str, list[ast.expr]] = field(default_factory=dict)

    def values(self, name: str) -> list[ast.expr]:
        """Return what may stand behind a name."""
        return self.local.get(name) or self.module.get(name) or []


# --- tables -----------------------------------------------------------------------------


def _filled(text: str) -> str:
    return re.sub(r"\{(\w+)\}", r"<\1>", text)


def _from_tables() -> Iterator[ErrorSite]:
    """Yield what the tables from the system's errors to ours say."""
    system = (f"<{SYSTEM}>",)
    for code, message in (*files.CALLER.values(), *files.NO_PLAIN_FILE.values()):
        yield ErrorSite(code=code, acts="the caller", message=(_filled(message),))
    for doing, done in (("read", "read"), ("write", "written")):
        said = (f"`<path>` could not be {done}",)
        hints = (*files.HINTS.values(), "look at the state of that disk")
        yield ErrorSite(
            code=f"{doing}-failed", acts="the operator", message=said, because=system, hint=hints
        )
    for code, hint in (*private.WHY.values(), ("disk-failed", "look at the state of that disk")):
        said = ("could not use `<path>`, a file of Penstock's state",)
        yield ErrorSite(code=code, acts="the operator", message=said, because=system, hint=(hint,))
    for code, what, hint in (*database.CODES.values(), database.OTHER):
        said = (f"the queue `<path>` {what}",)
        yield ErrorSite(code=code, acts="the operator", message=said, because=system, hint=(hint,))
    for code, what, hint in (*os_errors.FAULTS.values(), os_errors.OTHERWISE):
        said = (_filled(what),)
        yield ErrorSite(code=code, acts="the auditor", message=said, because=system, hint=(hint,))
    for state in sorted(set(State) - OPEN):
        said = (f"a proposal that is {STATE_WORDS[state]} can't be answered, renewed or applied",)
        hint = "see `penstock proposals --all`, or propose again"
        yield ErrorSite(code=f"already-{state}", acts="the agent", message=said, hint=(hint,))


# Modules that make a code when they run, and where the tables above have it from.
TABLES = {
    "app/isolated_runs.py": "NO_ISOLATION, raised again",
    "cli/review/open.py": "an error of the server, raised again",
    "core/proposals/line_comment.py": "bad-comment, bad-region: raised elsewhere too",
    "core/proposals/model.py": "the states that are closed",
    "doors/langgraph/project.py": "an error of another module, raised again",
    "doors/web/answers.py": "an error of another module, raised again",
    "gate/revision/whole_set.py": "an error of another module, raised again",
    "stores/files/errors.py": "CALLER, NO_PLAIN_FILE, and read or write",
    "stores/queue/database.py": "CODES",
    "stores/system/os_errors.py": "FAULTS",
    "stores/system/private.py": "WHY",
}


# --- the source -------------------------------------------------------------------------


def sites() -> list[ErrorSite]:
    """Return every place that raises an error, in the order of the modules."""
    found = [site for _, rows in _walk() for row in rows for site in row]
    return [*_from_tables(), *found]


def unresolved() -> set[str]:
    """Return the modules that raise an error whose code is made when they run."""
    return {module for module, found in _walk() if not all(found)}


@cache
def _walk() -> list[tuple[str, list[list[ErrorSite]]]]:
    """Return each call that makes an error: its module, and what is known, a list a branch."""
    return list(_each_call())


def _each_call() -> Iterator[tuple[str, list[list[ErrorSite]]]]:
    trees = {file: ast.parse(file.read_text(encoding="utf-8")) for file in _modules()}
    kinds = _kinds(trees.values())
    for file, tree in trees.items():
        module = _assigned(tree.body)
        name = file.relative_to(SOURCES / "penstock").as_posix()
        for call, function in _calls(tree, kinds):
            assert isinstance(call.func, ast.Name)
            acts = kinds[call.func.id]
            scope = Scope(module, _assigned(ast.walk(function)) if function else {})
            edit = call.func.id == "EditError"
            yield name, [_edit(call, acts)] if edit else list(_read(call, scope, acts))


def _modules() -> list[Path]:
    return sorted(SOURCES.rglob("*.py"))


def _kinds(trees: Iterable[ast.Module]) -> dict[str, str]:
    """Return who acts next, by the name of each class of errors."""
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    found = {"PenstockError": ANYBODY}
    while True:
        more = {
            one.name: OTHERWISE.get(one.name) or _acts(one) or found[base.id]
            for one in classes
            for base in one.bases
            if isinstance(base, ast.Name) and base.id in found and one.name not in found
        }
        if not more:
            return found
        found |= more


def _acts(node: ast.ClassDef) -> str:
    said = ACTS.match(ast.get_docstring(node) or "")
    return said[1].lower() if said else ""


def _calls(
    tree: ast.AST, kinds: Mapping[str, str], function: ast.AST | None = None
) -> Iterator[tuple[ast.Call, ast.AST | None]]:
    """Yield every call that makes an error, with the function around it."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.Call) and _makes(child, kinds):
            yield child, function
        inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        yield from _calls(child, kinds, child if inside else function)


def _makes(call: ast.Call, kinds: Mapping[str, str]) -> bool:
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    # A denial says what the decision says, whose codes are among those of `path-denied`.
    return name in kinds and name != "DeniedError" and bool(call.args)


def _assigned(nodes: Iterable[ast.AST]) -> dict[str, list[ast.expr]]:
    found: dict[str, list[ast.expr]] = {}
    for node in nodes:
        pairs: list[tuple[str, ast.expr]] = []
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            pairs = _pairs(node.targets[0], node.value)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            pairs = _pairs(node.target, node.value)
        for name, value in pairs:
            found.setdefault(name, []).append(value)
    return found


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        return [(target.id, value)]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        each = zip(target.elts, value.elts, strict=False)
        return [pair for one, what in each for pair in _pairs(one, what)]
    return []


def _read(call: ast.Call, scope: Scope, acts: str) -> Iterator[list[ErrorSite]]:
    given = {word.arg: word.value for word in call.keywords}
    message = call.args[1] if len(call.args) > 1 else None
    parts = [call.args[0], message, given.get("because"), given.get("hint")]
    for code, *texts in _branches(parts):
        said, because, hint = (_sentences(text, scope) for text in texts)
        yield [
            ErrorSite(code=name, acts=acts, message=said, because=because, hint=hint)
            for name in _codes(code, scope)
        ]


def _edit(call: ast.Call, acts: str) -> list[ErrorSite]:
    """Return the code of a rule edit that is not made: its `error_type`."""
    given = {word.arg: word.value for word in call.keywords}
    named = given.get("error_type", ast.Constant("blocking_validation"))
    return [ErrorSite(code=code.replace("_", "-"), acts=acts) for code in _codes(named, Scope({}))]


def _branches(parts: list[ast.expr | None]) -> list[list[ast.expr | None]]:
    """Return the parts as they are, or a row a branch where the code depends on a condition."""
    code = parts[0]
    if not isinstance(code, ast.IfExp):
        return [parts]
    test = ast.dump(code.test)

    def side(part: ast.expr | None, name: str) -> ast.expr | None:
        same = isinstance(part, ast.IfExp) and ast.dump(part.test) == test
        return getattr(part, name) if same else part

    return [[side(part, name) for part in parts] for name in ("body", "orelse")]


def _codes(node: ast.expr | None, scope: Scope) -> list[str]:
    """Return the codes that an expression may be."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.BoolOp):
        return [code for value in node.values for code in _codes(value, scope)]
    if isinstance(node, ast.Name):
        return [code for value in scope.values(node.id) for code in _codes(value, scope)]
    return []


def _sentences(node: ast.expr | None, scope: Scope, deep: int = 0) -> Texts:
    """Return what an expression may say; nothing where only a running program can tell."""
    if node is None or deep > DEEPEST:
        return ()
    if isinstance(node, ast.Constant):
        return (node.value,) if isinstance(node.value, str) and node.value else ()
    if isinstance(node, ast.JoinedStr):
        return ("".join(map(_piece, node.values)),)
    if BY_SYSTEM.search(ast.unparse(node)):
        return (f"<{SYSTEM}>",)
    if isinstance(node, ast.IfExp):
        return _any([node.body, node.orelse], scope, deep)
    if isinstance(node, ast.BoolOp):
        return _any(node.values, scope, deep)
    if isinstance(node, ast.Name):
        return _any(scope.values(node.id), scope, deep)
    return ()


def _any(nodes: Iterable[ast.expr], scope: Scope, deep: int) -> Texts:
    found = [text for node in nodes for text in _sentences(node, scope, deep + 1)]
    return tuple(dict.fromkeys(found))


def _piece(part: ast.expr) -> str:
    value = part.value if isinstance(part, ast.FormattedValue) else part
    return str(value.value) if isinstance(value, ast.Constant) else f"<{_word(value)}>"


def _word(node: ast.expr) -> str:
    """Return what a reader would call a value."""
    if isinstance(node, ast.FormattedValue):
        return _word(node.value)
    if BY_SYSTEM.search(ast.unparse(node)):
        return SYSTEM
    if isinstance(node, ast.IfExp):
        ends = [node.body, node.orelse]
        filled = [one for one in ends if not isinstance(one, ast.Constant)]
        return _word(filled[0]) if filled else " or ".join(str(_constant(one)) for one in ends)
    if isinstance(node, ast.Call):
        counted = isinstance(node.func, ast.Name) and node.func.id == "len"
        return "n" if counted else _word(node.args[0] if node.args else node.func)
    if isinstance(node, ast.Attribute):
        return _plain(node.attr)
    if isinstance(node, ast.Name):
        return _plain(node.id)
    inner = {ast.BoolOp: "values", ast.BinOp: "left", ast.Subscript: "value"}
    inner |= {ast.GeneratorExp: "elt", ast.ListComp: "elt"}
    if (name := inner.get(type(node))) is not None:
        value = getattr(node, name)
        return _word(value[0] if isinstance(value, list) else value)
    return "n" if isinstance(node, ast.Constant) else "value"


def _constant(node: ast.expr) -> object:
    return node.value if isinstance(node, ast.Constant) else ""


def _plain(name: str) -> str:
    known = WORDS.get(name) or WORDS.get(name.strip("_"))
    return known or name.strip("_").replace("_", " ").lower()
