"""Loops of Python code over the names in a directory: which names, by the tests around them.

Looks at the syntax alone; what names and expressions stand for is `python_values`'s.
Always true: endings are told only where the loop does nothing with a name that has another one.
"""

from __future__ import annotations

import ast

# No name of Python has a blank in it.
ANY_NAME = "any name"


def any_name(ending: str = "") -> ast.Call:
    """Return what stands for the name of any file in a directory, with an ending."""
    return ast.Call(func=ast.Name(id=ANY_NAME), args=[ast.Constant(value=ending)], keywords=[])


_ORDERS = frozenset({"sorted", "list", "tuple", "set", "reversed"})


def unwrapped(node: ast.expr) -> ast.expr:
    """Return what a loop goes over, in whichever order: `sorted(glob("*"))`."""
    while isinstance(node, ast.Call) and node.args and _is_order(node.func):
        node = node.args[0]
    return node


def _is_order(func: ast.expr) -> bool:
    return isinstance(func, ast.Name) and func.id in _ORDERS


def endings(node: ast.For | ast.comprehension) -> list[str]:
    """Return the endings of the names that a loop does something with; none where it may be any.

    `if name.endswith(".py"): ...` around all that is done, or `if not ...: continue` before it.
    """
    name = name_of(node.target)
    if isinstance(node, ast.comprehension):
        return [one for test in node.ifs[:1] for one in _endings_of(test, name)]
    first = node.body[0]
    if not isinstance(first, ast.If) or first.orelse:
        return []
    if isinstance(first.test, ast.UnaryOp) and isinstance(first.test.op, ast.Not):
        skips = len(first.body) == 1 and isinstance(first.body[0], ast.Continue)
        return _endings_of(first.test.operand, name) if skips else []
    return _endings_of(first.test, name) if len(node.body) == 1 else []


def _endings_of(test: ast.expr, name: str) -> list[str]:
    """Return the endings that a test lets pass: `name.endswith((".a", ".b"))`, `p.suffix == ".a"`.

    All parts of an `and` hold, so any of them may tell.
    """
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return next(filter(None, (_endings_of(part, name) for part in test.values)), [])
    given: ast.expr | None = None
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        among = isinstance(test.comparators[0], ast.Tuple | ast.List | ast.Set)
        same = isinstance(test.ops[0], ast.In if among else ast.Eq)
        of_name = member_of(test.left) == "suffix" and owner_of(test.left) == name
        given = test.comparators[0] if same and of_name else None
    elif isinstance(test, ast.Call) and member_of(test.func) == "endswith" and len(test.args) == 1:
        given = test.args[0] if owner_of(test.func) == name else None
    listed = given.elts if isinstance(given, ast.Tuple | ast.List | ast.Set) else [given]
    texts = [constant(one) for one in listed]
    plain = [text for text in texts if text and not set(text) & set("*?[/")]
    return plain if len(plain) == len(texts) else []


def owner_of(node: ast.AST) -> str:
    """Return the name in `name.member`, and in `entry.name.member`."""
    inner = node.value if isinstance(node, ast.Attribute) else node
    return name_of(inner.value if isinstance(inner, ast.Attribute) else inner)


def constant(node: ast.expr | None) -> str | None:
    """Return the text of a literal, or None."""
    if not isinstance(node, ast.Constant):
        return None
    if isinstance(node.value, bytes):
        return node.value.decode("utf-8", "surrogateescape")
    return node.value if isinstance(node.value, str) else None


def name_of(node: ast.AST) -> str:
    """Return the name that an expression is, or nothing."""
    return node.id if isinstance(node, ast.Name) else ""


def member_of(node: ast.AST) -> str:
    """Return `b` of `a.b`, or nothing."""
    return node.attr if isinstance(node, ast.Attribute) else ""
