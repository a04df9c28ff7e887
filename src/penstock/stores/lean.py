"""From a module's source to code that starts quickly: without what only readers need.

Docstrings, annotations of functions, imports for type checkers and line numbers are left out;
dataclasses and protocols become plain classes (`lean_class.py`). Where such code is kept, and
when it is out of date, is its keepers' work.
Always true: the code does what the source says, but that nobody stops an assignment to what is
frozen; that nobody makes one is the type checker's to show.
"""

from __future__ import annotations

import ast
import re
from types import CodeType

from penstock.stores.lean_class import LOWERED, MAKERS, SHORT, needs_import, plain

WORD = re.compile(r"[A-Za-z_]\w*+")


def lean_code(source: bytes, path: str) -> CodeType:
    """Return the code of a module."""
    lean = _Lean()
    tree: ast.Module = lean.visit(ast.parse(source, path))
    if lean.any_written:
        tree.body.insert(_first(tree), ast.parse(f"import {LOWERED} as {SHORT}").body[0])
    tree = _Imports(_used(tree), all_plain=lean.all_plain).visit(tree)
    ast.fix_missing_locations(tree)
    return _bare(compile(tree, path, "exec", dont_inherit=True, optimize=2))


class _Lean(ast.NodeTransformer):
    """Takes away what nothing of ours looks at."""

    all_plain = True
    any_written = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Leave a function its names and defaults."""
        node.returns = None
        every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        for one in (*every, node.args.vararg, node.args.kwarg):
            if one is not None:
                one.annotation = None
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Leave a class its annotations: they are read where records are stored."""
        node.body = [
            one if isinstance(one, ast.AnnAssign) else self.visit(one) for one in node.body
        ]
        self.any_written |= plain(node)
        self.all_plain &= not needs_import(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Keep the value; a name without one says nothing at run time."""
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign(targets=[node.target], value=node.value), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Leave out what tells only type checkers what a value is."""
        self.generic_visit(node)
        told = isinstance(node.func, ast.Name) and node.func.id == "cast" and len(node.args) == 2
        return node.args[1] if told else node

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        """Drop what stands below `if TYPE_CHECKING`."""
        self.generic_visit(node)
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return node.orelse or ast.copy_location(ast.Pass(), node)
        return node


def _used(tree: ast.Module) -> set[str]:
    """Return the names that a module uses itself, or lists in `__all__` or names in quotes."""
    nodes = [*ast.walk(tree)]
    quoting = [node.annotation for node in nodes if isinstance(node, ast.AnnAssign)]
    quoting += [node.value for node in nodes if isinstance(node, ast.Assign) and _is_all(node)]
    quoted = [word for node in quoting for text in _texts(node) for word in WORD.findall(text)]
    return {node.id for node in nodes if isinstance(node, ast.Name)} | {*quoted}


def _is_all(node: ast.Assign) -> bool:
    return isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__"


def _texts(node: ast.AST) -> list[str]:
    found = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant))
    return [value for value in found if isinstance(value, str)]


class _Imports(ast.NodeTransformer):
    """Takes away imports that only annotations needed, and `replace` from where none are made."""

    def __init__(self, used: set[str], *, all_plain: bool) -> None:
        self._used = used
        self._all_plain = all_plain

    def visit_Import(self, node: ast.Import) -> ast.AST:
        """Leave out what is not used."""
        node.names = [one for one in node.names if self._is_used(one)]
        return node if node.names else ast.copy_location(ast.Pass(), node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | list[ast.AST]:
        """Leave out what is not used, and split the rest by where it now comes from."""
        if node.module == "__future__":
            return node
        needed = [one for one in node.names if self._is_used(one)]
        ours = [one for one in needed if node.module == "dataclasses" and one.name == "replace"]
        made = [
            ast.copy_location(ast.ImportFrom(module, names, node.level), node)
            for module, names in (
                (node.module, [one for one in needed if one not in ours]),
                (LOWERED, ours),
            )
            if names
        ]
        return [*made] or ast.copy_location(ast.Pass(), node)

    def _is_used(self, one: ast.alias) -> bool:
        name = one.asname or one.name.partition(".")[0]
        if self._all_plain and name in MAKERS:
            return False  # another thing of that name is meant
        return name in self._used or name == "*"


def _first(tree: ast.Module) -> int:
    """Return where a module's statements begin: behind its docstring and `__future__`."""
    for number, one in enumerate(tree.body):
        future = isinstance(one, ast.ImportFrom) and one.module == "__future__"
        if not future and not isinstance(one, ast.Expr):
            return number
    return len(tree.body)


def _bare(code: CodeType) -> CodeType:
    """Leave out which line is which: half of the bytes, for tracebacks that nobody sees."""
    consts = tuple(_bare(one) if isinstance(one, CodeType) else one for one in code.co_consts)
    return code.replace(co_consts=consts, co_linetable=b"")
