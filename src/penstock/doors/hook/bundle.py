"""The modules of the short way as one file, so that a hook opens one instead of twenty.

It lies in `__pycache__` beside the compiled modules and is as good as they are: made from the
sources, out of date when one of them has changed, and made anew by the next call that takes
the long way. Where it cannot be written the modules are imported one by one.
Always true: what runs from the bundle is what the sources say. `unpack` is its first part.
"""

from __future__ import annotations

import ast
import marshal
import os
import sys
from contextlib import suppress
from types import CodeType

FORM = 1  # of the bundle, as `hook.py` reads it

# In the order in which each finds what it imports.
MODULES = (
    "penstock",
    "penstock.core",
    "penstock.core.chain",
    "penstock.core.errors",
    "penstock.core.quickjson",
    "penstock.core.redact",
    "penstock.core.event",
    "penstock.core.match",
    "penstock.core.quick",
    "penstock.core.atmost",
    "penstock.core.spelling",
    "penstock.stores",
    "penstock.stores.places",
    "penstock.stores.watched",
    "penstock.stores.cold_append",
    "penstock.doors",
    "penstock.doors.hook",
    "penstock.doors.hook.talk",
    "penstock.doors.hook.wire",
    "penstock.doors.hook.short",
    "penstock.doors.hook.agents",
    "penstock.doors.hook.agents.claude",
    "penstock.doors.hook.cold",
)


def write() -> None:
    """Make the bundle if it is missing or out of date; where that cannot be, nothing happens."""
    with suppress(OSError):
        path = place()
        data = made()
        if _read(path) != data:
            fresh = f"{path}.{os.getpid()}"
            with open(fresh, "wb") as file:
                file.write(data)
            os.replace(fresh, path)


def place() -> str:
    """Return where the bundle lies."""
    return f"{_package()}/__pycache__/hook-{FORM}.{sys.implementation.cache_tag}.bundle"


def made() -> bytes:
    """Return the code that puts every module in its place, if no source has changed since."""
    stamps, modules = [], []
    for name in MODULES:
        path = _source(name)
        status = os.stat(path)
        stamps.append((path, status.st_size, status.st_mtime_ns))
        modules.append((name, path, _code(path)))
    return marshal.dumps((_code(_source(f"{__package__}.unpack")), stamps, modules))


def _code(path: str) -> CodeType:
    """Return a module's code without what only readers and type checkers need."""
    with open(path, "rb") as file:
        tree = Lean().visit(ast.parse(file.read(), path))
    ast.fix_missing_locations(tree)
    return _bare(compile(tree, path, "exec", dont_inherit=True, optimize=2))


class Lean(ast.NodeTransformer):
    """Takes annotations and imports for type checkers away; nothing of ours looks at them."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Leave a function its names and defaults."""
        node.returns = None
        every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        for one in (*every, node.args.vararg, node.args.kwarg):
            if one is not None:
                one.annotation = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        """Keep the value; a name without one says nothing at run time."""
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign(targets=[node.target], value=node.value), node)

    def visit_If(self, node: ast.If) -> ast.AST:
        """Drop what stands below `if TYPE_CHECKING`."""
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)


def _bare(code: CodeType) -> CodeType:
    """Leave out which line is which: half of the bytes, for tracebacks that nobody sees."""
    consts = tuple(_bare(one) if isinstance(one, CodeType) else one for one in code.co_consts)
    return code.replace(co_consts=consts, co_linetable=b"")


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def _source(name: str) -> str:
    path = f"{_package()[: -len('/penstock')]}/{name.replace('.', '/')}"
    return f"{path}/__init__.py" if os.path.isdir(path) else f"{path}.py"


def _package() -> str:
    return __file__.rpartition("/doors/")[0]
