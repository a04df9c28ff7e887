"""Write out what a dataclass would write at every start, and make protocols plain classes.

What such a class needs while it runs is `core/lowered.py`'s.
Always true: a class that is not understood to its last word stays what it is.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

SWITCHES = frozenset({"frozen", "kw_only", "slots", "eq", "repr"})
DEFAULTS = frozenset({"default", "default_factory"})
ASIDE = frozenset({"repr", "compare"})  # each understood only where it says False
SPECIAL = ("ClassVar", "InitVar", "KW_ONLY")
LOWERED, SHORT = "penstock.core.lowered", "_lowered"  # and the name that a module knows it by
MAKERS = frozenset({"dataclass", "field", "Protocol"})


@dataclass(frozen=True, kw_only=True, slots=True)
class _Field:
    """One field as its source has it."""

    name: str
    default: str = ""
    factory: str = ""
    hidden: bool = False  # not shown
    apart: bool = False  # not compared

    def parameter(self) -> str:
        if self.factory:
            return f"{self.name}={SHORT}.Made({self.factory})"
        return f"{self.name}={self.default}" if self.default else self.name

    def stored(self) -> str:
        """Return the statement that gives an object its value."""
        name = self.name
        if not self.factory:
            return f"self.{name} = {name}"
        # A field may be named `type`, so the function of that name is not asked.
        made = f"{name}.factory() if {name}.__class__ is {SHORT}.Made else {name}"
        return f"self.{name} = {made}"


def plain(node: ast.ClassDef) -> bool:
    """Make a dataclass or a protocol a plain class; say whether it needs `core/lowered.py`."""
    if [_spelled(base) for base in node.bases] == ["Protocol"] and not node.decorator_list:
        node.bases = []
        return False
    switches = _switches(node)
    fields = None if switches is None else _fields(node)
    if switches is None or fields is None or node.bases or node.keywords:
        return False
    _write_out(node, switches, fields)
    return True


def needs_import(node: ast.ClassDef) -> bool:
    """Say whether a class is still one that a library makes."""
    said = [name for one in (*node.decorator_list, *node.bases) for name in ast.walk(one)]
    return any(isinstance(name, ast.Name) and name.id in MAKERS for name in said)


def _switches(node: ast.ClassDef) -> dict[str, bool] | None:
    """Return what stands behind `@dataclass`; None where something else does."""
    if len(node.decorator_list) != 1:
        return None
    said = node.decorator_list[0]
    if _spelled(said) == "dataclass":
        return {}
    if not isinstance(said, ast.Call) or _spelled(said.func) != "dataclass" or said.args:
        return None
    found = {
        one.arg: one.value.value for one in said.keywords if isinstance(one.value, ast.Constant)
    }
    known = len(found) == len(said.keywords) and found.keys() <= SWITCHES
    return {str(name): bool(value) for name, value in found.items()} if known else None


def _fields(node: ast.ClassDef) -> list[_Field] | None:
    found = [_field(one) for one in node.body if isinstance(one, ast.AnnAssign)]
    known = [one for one in found if one is not None]
    return known if len(known) == len(found) else None


def _field(said: ast.AnnAssign) -> _Field | None:
    """Read one line of a class; None where it is no field, or one with more to it."""
    if not isinstance(said.target, ast.Name):
        return None
    if any(word in _spelled(said.annotation) for word in SPECIAL):
        return None
    name, value = said.target.id, said.value
    if not (isinstance(value, ast.Call) and _spelled(value.func) == "field"):
        return _Field(name=name, default=_spelled(value))
    words = {str(one.arg): _spelled(one.value) for one in value.keywords}
    aside = words.keys() & ASIDE
    if value.args or words.keys() - DEFAULTS - ASIDE or {words[one] for one in aside} - {"False"}:
        return None
    return _Field(
        name=name,
        default=words.get("default", ""),
        factory=words.get("default_factory", ""),
        hidden="repr" in aside,
        apart="compare" in aside,
    )


def _spelled(node: ast.expr | None) -> str:
    return "" if node is None else ast.unparse(node)


def _write_out(node: ast.ClassDef, switches: dict[str, bool], fields: list[_Field]) -> None:
    lines = ast.parse("\n".join(_lines(node, switches, fields))).body
    for one in node.body:
        if isinstance(one, ast.AnnAssign) and (switches.get("slots") or _is_field_call(one)):
            one.value = None  # what it was is now a default of `__init__`
    node.body = [*node.body, *lines]
    node.decorator_list = []


def _is_field_call(said: ast.AnnAssign) -> bool:
    return isinstance(said.value, ast.Call) and _spelled(said.value.func) == "field"


def _lines(node: ast.ClassDef, switches: dict[str, bool], fields: list[_Field]) -> list[str]:
    """Return the source of what is added to a class."""
    names = tuple(one.name for one in fields)
    hidden = tuple(one.name for one in fields if one.hidden)
    apart = tuple(one.name for one in fields if one.apart)
    kw_only = switches.get("kw_only", False)
    own = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
    lines = [
        f"__dataclass_fields__ = {SHORT}.Fields({names!r}, {hidden!r}, {apart!r})",
        f"__match_args__ = {() if kw_only else names!r}",
    ]
    if switches.get("slots"):
        lines.append(f"__slots__ = {names!r}")
    if switches.get("repr", True) and "__repr__" not in own:
        lines.append(f"__repr__ = {SHORT}.shown")
    if switches.get("eq", True):
        compared = [name for name in names if name not in apart]
        lines += _comparing(compared, own, frozen=switches.get("frozen", False))
    if "__init__" not in own:
        lines += _init(fields, kw_only=kw_only, after="__post_init__" in own)
    return lines


def _init(fields: list[_Field], *, kw_only: bool, after: bool) -> list[str]:
    star = ["*"] if kw_only and fields else []
    parameters = ", ".join(["self", *star, *(one.parameter() for one in fields)])
    body = [f"    {one.stored()}" for one in fields]
    body += ["    self.__post_init__()"] if after else []
    return [f"def __init__({parameters}):", *(body or ["    pass"])]


def _comparing(names: list[str], own: set[str], *, frozen: bool) -> list[str]:
    mine = f"({''.join(f'self.{name},' for name in names)})"
    others = f"({''.join(f'other.{name},' for name in names)})"
    lines = []
    if "__eq__" not in own:
        lines += [
            "def __eq__(self, other):",
            "    if other.__class__ is not self.__class__: return NotImplemented",
            f"    return {mine} == {others}",
        ]
    if "__hash__" not in own:
        lines += ["def __hash__(self):", f"    return hash({mine})"] if frozen else _NO_HASH
    return lines


_NO_HASH = ["__hash__ = None"]
