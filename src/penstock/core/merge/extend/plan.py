"""Decide for every member of a new module: join, already there, or a clash to report.

Blocks that exist on both sides (the module, a class, an `if` with the same test) are compared
member by member. Where a member goes in the text is left to `placement`.
Always true: an existing member is never changed, and a new one that does not join is either
the same code as an existing one or named in a warning.
"""

from __future__ import annotations

import ast

from msgspec import Struct, field

from penstock.core.merge.extend.bindings import (
    Assignment,
    Import,
    accessor,
    bound,
    import_keys,
    is_docstring,
    is_filler,
    is_import_block,
    is_main_guard,
    is_overload,
    is_typing_only,
    key_of,
    same,
)
from penstock.core.merge.extend.scope import Scope
from penstock.core.merge.extend.source import (
    Block,
    CannotExtendError,
    Function,
    Module,
    Nested,
    Shift,
    body_indentation,
    extent,
    first_line,
    indentation,
    is_comment,
    is_heading,
    step_of,
    text_of,
)
from penstock.core.text.line_endings import LF
from penstock.core.text.quantities import counted

MAX_WARNINGS = 50
# More statements than any hand-written module has, compared in about a second.
MAX_STATEMENTS = 20_000


class Addition(Struct, frozen=True, kw_only=True):
    """One new statement: the code that must be found in the result, and its text."""

    node: ast.stmt
    text: bytes


class Joint(Struct, frozen=True, kw_only=True):
    """A block that both sides have, what joins it, and the blocks inside it."""

    old: Block
    shift: Shift
    title: str = ""
    added: list[Addition] = field(default_factory=list)
    inner: list[Joint] = field(default_factory=list)


class ExtendPlan(Struct, frozen=True, kw_only=True):
    """What joins where, and what a person should know about the rest."""

    root: Joint
    warnings: tuple[str, ...]


class Planner:
    """Walks both modules once and collects what joins and what is to be told."""

    def __init__(self, old: Module, new: Module) -> None:
        self.old = old
        self.new = new
        self.step = step_of(old)
        self.statements = 0
        self.entered: dict[int, Joint] = {}  # by the existing block, which new ones may share
        self.warnings: list[str] = []
        self.told = bytearray(len(new.lines) + 1)  # the lines whose fate is settled

    def plan(self) -> ExtendPlan:
        """Return what joins where."""
        root = Joint(old=self.old.tree, shift=Shift())
        self._join(root, self.new.tree, root.shift)
        self._tell_loose_comments()
        more = len(self.warnings) - MAX_WARNINGS
        shown = self.warnings[:MAX_WARNINGS] + ([f"and {more} more"] if more > 0 else [])
        return ExtendPlan(root=root, warnings=tuple(shown))

    def _join(self, joint: Joint, new: Block, shift: Shift) -> None:
        """Compare a new block with an existing one, member by member."""
        self.statements += len(joint.old.body) + len(new.body)
        if self.statements > MAX_STATEMENTS:
            raise CannotExtendError(f"there are more than {MAX_STATEMENTS} statements to compare")
        have, come = Scope(joint.old.body), Scope(new.body)
        here = Joint(old=joint.old, shift=shift, title=joint.title, inner=joint.inner)
        for previous, node in zip([None, *new.body], new.body, strict=False):
            self._settle(node)
            if is_docstring(node):
                self._string(here, previous, node)
            elif isinstance(node, Import):
                self._import(here, have, node)
            elif isinstance(node, ast.ClassDef):
                self._class(here, have, come, node)
            elif isinstance(node, Function):
                self._function(here, have, come, node)
            elif isinstance(node, ast.If):
                self._condition(here, have, node)
            elif not is_filler(node):
                self._statement(here, have, node)
        joint.added.extend(sorted(here.added, key=lambda item: item.node.lineno))

    def _add(self, joint: Joint, node: ast.stmt) -> None:
        joint.added.append(Addition(node=node, text=text_of(self.new, node, joint.shift)))

    def _kept(self, joint: Joint, what: str, name: str) -> None:
        self.warnings.append(f"{joint.title}{what} `{name}` already exists and was kept")

    def _string(self, joint: Joint, previous: ast.stmt | None, node: ast.stmt) -> None:
        """A string below a member describes it and shares its fate; the first is a docstring."""
        if previous is not None:
            if joint.added and joint.added[-1].node is previous:
                self._add(joint, node)
        elif not same(joint.old.body[0], node):
            self.warnings.append(f"{joint.title or 'the module '}keeps its docstring")

    def _import(self, joint: Joint, have: Scope, node: Import) -> None:
        joining = [alias for alias in node.names if self._joins(joint, have, node, alias)]
        if joining == node.names:
            self._add(joint, node)
        elif joining:
            part = _part_of(node, joining)
            text = joint.shift.to_base + ast.unparse(part).encode() + LF
            joint.added.append(Addition(node=part, text=text))
        have.imports.update(key_of(node, alias) for alias in joining)

    def _joins(self, joint: Joint, have: Scope, node: Import, alias: ast.alias) -> bool:
        key = key_of(node, alias)
        if key in have.imports:
            return False
        name = alias.asname or alias.name.partition(".")[0]
        plain = isinstance(node, ast.Import) and alias.asname is None
        taken = name in have.names and not (plain and name in have.roots)
        if taken and key[1] != "__future__":
            self._kept(joint, "name", name)
            return False
        return True

    def _class(self, joint: Joint, have: Scope, come: Scope, node: ast.ClassDef) -> None:
        old = have.classes.get(node.name)
        if old is not None and node is not come.classes[node.name]:
            self.warnings.append(
                f"{joint.title}class `{node.name}` occurs twice; the last one was used"
            )
        elif old is not None:
            outer = joint.title.removeprefix("class `").removesuffix("` ")
            title = f"class `{outer}.{node.name}` " if outer else f"class `{node.name}` "
            if not _same_header(old, node):
                self.warnings.append(f"{title}keeps its existing bases and decorators")
            self._enter(joint, old, node, title)
        elif node.name in have.names:
            self._kept(joint, "class", node.name)
        else:
            self._add(joint, node)

    def _enter(self, joint: Joint, old: Nested, new: Nested, title: str) -> None:
        first, last = first_line(new.body[0]), extent(self.new, new)[1]
        # Comments between the members of a joined block are judged again, one by one.
        self.told[first : last + 1] = bytes(last + 1 - first)
        shift = self._shift(old, new)
        inner = self.entered.get(id(old))
        if inner is None:
            inner = self.entered[id(old)] = Joint(old=old, shift=shift, title=title)
            joint.inner.append(inner)
        self._join(inner, new, shift)

    def _shift(self, old: Nested, new: Nested) -> Shift:
        outer = indentation(self.old.lines[old.lineno - 1])
        base = body_indentation(self.new, new) or b""
        to_base = body_indentation(self.old, old)
        if to_base is None:
            to_base = outer + self.step
        return Shift(
            base=base,
            to_base=to_base,
            step=base.removeprefix(indentation(self.new.lines[new.lineno - 1])),
            to_step=to_base.removeprefix(outer),
        )

    def _function(self, joint: Joint, have: Scope, come: Scope, node: Function) -> None:
        unit = come.functions[node.name]
        if node is not unit[0]:
            return  # signatures, accessors and redefinitions of one name are settled together
        old = have.functions.get(node.name, [])
        if node.name not in have.names:
            joining = unit
        elif not old:
            joining = []
            self._kept(joint, _word(joint, node), node.name)
        else:
            joining = self._new_among(joint, old, unit)
        for one in joining:
            self._add(joint, one)

    def _new_among(self, joint: Joint, old: list[Function], unit: list[Function]) -> list[Function]:
        """Return the functions of one name that may join those that exist."""
        known = {ast.dump(one) for one in old}
        fresh = [one for one in unit if ast.dump(one) not in known]
        if unit[0].name == "_":
            return fresh  # a throw-away name: each of them stands for itself
        roles = {accessor(one) for one in old}
        accessible = any(one.decorator_list and not is_overload(one) for one in old)
        joining = [one for one in fresh if accessible and accessor(one) not in {"", *roles}]
        if len(joining) < len(fresh):
            self._kept(joint, _word(joint, unit[0]), unit[0].name)
        return joining

    def _condition(self, joint: Joint, have: Scope, node: ast.If) -> None:
        twin = have.conditions.get(ast.dump(node.test))
        if ast.dump(node) in have.statements:
            return
        if is_main_guard(node) and have.has_main_guard:
            self.warnings.append("the `__main__` block already exists and was kept")
        elif twin is not None and not node.orelse:
            # Under its own `if` it would clash as well; the block to join must not hide that.
            clashes = sorted(have.names_beside(node, twin))
            for name in clashes:
                self._kept(joint, _word(joint, node), name)
            if not clashes:
                self._enter(joint, twin, node, joint.title)
        elif is_typing_only(node) and is_import_block(node) and not node.orelse:
            if not import_keys(node.body) <= have.imports:
                self._add(joint, node)
        else:
            self._statement(joint, have, node)

    def _statement(self, joint: Joint, have: Scope, node: ast.stmt) -> None:
        if ast.dump(node) in have.statements:
            return
        clashes = sorted(bound([node]) & have.names)
        if not clashes:
            self._add(joint, node)
        for name in clashes:
            self._kept(joint, _word(joint, node), name)

    def _settle(self, node: ast.stmt) -> None:
        first, last = extent(self.new, node)
        self.told[first : last + 1] = b"\1" * (last + 1 - first)

    def _tell_loose_comments(self) -> None:
        loose = sum(
            is_comment(line) and not self.told[number]
            for number, line in enumerate(self.new.lines, 1)
            if not is_heading(line, number)
        )
        if loose:
            lines = counted(loose, "comment line")
            self.warnings.append(f"left out {lines} outside any function or class")


def _word(joint: Joint, node: ast.stmt) -> str:
    inside = isinstance(joint.old, ast.ClassDef)
    if isinstance(node, Function):
        return "method" if inside else "function"
    if isinstance(node, Assignment):
        return "attribute" if inside else "name"
    return "member" if inside else "name"


def _same_header(old: ast.ClassDef, new: ast.ClassDef) -> bool:
    sides = [
        (*side.bases, *side.keywords, *side.decorator_list, *getattr(side, "type_params", ()))
        for side in (old, new)
    ]
    return len(sides[0]) == len(sides[1]) and all(map(same, *sides))


def _part_of(node: Import, names: list[ast.alias]) -> Import:
    part: Import = (
        ast.Import(names=names)
        if isinstance(node, ast.Import)
        else ast.ImportFrom(module=node.module, names=names, level=node.level)
    )
    return ast.copy_location(part, node)


def is_empty(joint: Joint) -> bool:
    """Return whether nothing joins a block or the blocks inside it."""
    return not joint.added and all(is_empty(inner) for inner in joint.inner)
