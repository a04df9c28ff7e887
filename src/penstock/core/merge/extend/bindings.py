"""What Python statements bind, import and need: the facts by which members are compared.

Pure questions about `ast` nodes. Which member wins and where it goes is left to `plan`.
Always true: two statements are the same when their code is, whatever their comments and layout.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from penstock.core.merge.extend.source import Definition, Function

Import = ast.Import | ast.ImportFrom
Assignment = ast.Assign | ast.AnnAssign
# What one alias of an import brings in: level and module it comes from, its name, its new name.
ImportKey = tuple[int, str, str, str | None]

ACCESSORS = frozenset({"setter", "getter", "deleter"})


def same(one: ast.AST, other: ast.AST) -> bool:
    """Return whether two nodes are the same code."""
    return type(one) is type(other) and ast.dump(one) == ast.dump(other)


def is_docstring(node: ast.stmt) -> bool:
    """Return whether a statement is nothing but a string."""
    return isinstance(node, ast.Expr) and (
        isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    )


def is_filler(node: ast.stmt) -> bool:
    """Return whether a statement only keeps a body from being empty (`pass`, `...`)."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return node.value.value is ...
    return isinstance(node, ast.Pass)


def is_main_guard(node: ast.stmt) -> bool:
    """Return whether a statement is `if __name__ == "__main__":`."""
    if not isinstance(node, ast.If) or not isinstance(node.test, ast.Compare):
        return False
    sides = [node.test.left, *node.test.comparators]
    names = {side.id for side in sides if isinstance(side, ast.Name)}
    values = {side.value for side in sides if isinstance(side, ast.Constant)}
    return names == {"__name__"} and values == {"__main__"}


def is_typing_only(node: ast.stmt) -> bool:
    """Return whether a statement is `if TYPE_CHECKING:`, which never runs."""
    if not isinstance(node, ast.If):
        return False
    test = node.test
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def is_future(node: ast.stmt) -> bool:
    """Return whether a statement is `from __future__ import ...`, which must come first."""
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def is_import_block(node: ast.stmt) -> bool:
    """Return whether a statement only imports under a condition (`try: import x ...`)."""
    if not isinstance(node, ast.Try | ast.If) or is_main_guard(node):
        return False
    return all(isinstance(inner, Import) for inner in node.body)


def bodies(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the statement lists inside a statement that share its scope."""
    if isinstance(node, Definition):
        return
    for field in ("body", "orelse", "finalbody"):
        yield getattr(node, field, [])
    for part in (*getattr(node, "handlers", []), *getattr(node, "cases", [])):
        yield part.body


def within(nodes: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements and those inside them of the same scope; what never runs is left out."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        if not is_typing_only(node):
            waiting.extend(inner for body in bodies(node) for inner in body)


def bound_here(node: ast.stmt) -> set[str]:
    """Return the names that a statement itself binds, not the statements inside it."""
    if isinstance(node, Definition):
        return {node.name}
    if isinstance(node, Import):
        names = {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        return names - {"*"}
    if isinstance(node, ast.Assign):
        return {leaf.id for target in node.targets for leaf in _names_in(target)}
    if isinstance(node, ast.AnnAssign) or type(node).__name__ == "TypeAlias":
        target = getattr(node, "target", None) or getattr(node, "name", None)
        return {target.id} if isinstance(target, ast.Name) else set()
    return set()


def _names_in(target: ast.expr) -> Iterator[ast.Name]:
    for leaf in ast.walk(target):
        if isinstance(leaf, ast.Name) and isinstance(leaf.ctx, ast.Store):
            yield leaf


def bound(nodes: Iterable[ast.stmt]) -> set[str]:
    """Return all names that some statements bind in their scope when they run."""
    return {name for node in within(nodes) for name in bound_here(node)}


def import_keys(nodes: Iterable[ast.stmt]) -> set[ImportKey]:
    """Return what some statements import when they run."""
    return {
        key_of(node, alias)
        for node in within(nodes)
        if isinstance(node, Import)
        for alias in node.names
    }


def key_of(node: Import, alias: ast.alias) -> ImportKey:
    """Return what one alias of an import brings in."""
    if isinstance(node, ast.Import):
        return (-1, "", alias.name, alias.asname)
    return (node.level, node.module or "", alias.name, alias.asname)


def accessor(node: Function) -> str:
    """Return `setter`, `getter` or `deleter` when a function is that of a property, else ``."""
    for mark in node.decorator_list:
        if (
            isinstance(mark, ast.Attribute)
            and mark.attr in ACCESSORS
            and isinstance(mark.value, ast.Name)
            and mark.value.id == node.name
        ):
            return mark.attr
    return ""


def is_overload(node: Function) -> bool:
    """Return whether a function is one signature of several."""
    return any(
        (isinstance(mark, ast.Name) and mark.id == "overload")
        or (isinstance(mark, ast.Attribute) and mark.attr == "overload")
        for mark in node.decorator_list
    )


def needs(node: ast.AST, *, annotations: bool = True) -> set[str]:
    """Return the names that must exist when a statement runs, without calling anything.

    A function's body runs later; its decorators, defaults and, unless they are postponed,
    its annotations run now.
    """
    found: set[str] = set()
    waiting = [node]
    while waiting:
        item = waiting.pop()
        if isinstance(item, ast.Name):
            found.add(item.id)
        elif isinstance(item, Function):
            waiting.extend(_run_at_definition(item, annotations))
        elif isinstance(item, ast.Lambda):
            waiting.extend(_defaults(item.args))
        elif isinstance(item, ast.AnnAssign) and not annotations:
            waiting.extend(part for part in (item.target, item.value) if part)
        else:
            waiting.extend(ast.iter_child_nodes(item))
    return found


def _run_at_definition(node: Function, annotations: bool) -> Iterator[ast.AST]:
    yield from node.decorator_list
    yield from _defaults(node.args)
    if annotations:
        args = node.args
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
        yield from (arg.annotation for arg in every if arg and arg.annotation)
        if node.returns:
            yield node.returns


def _defaults(args: ast.arguments) -> Iterator[ast.expr]:
    yield from args.defaults
    yield from (default for default in args.kw_defaults if default)
