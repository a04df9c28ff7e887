"""One block of a module, with the questions that comparing its members raises.

Answers are worked out when first asked for, since most blocks raise few. What follows from
them is left to `plan`.
Always true: a name bound under a condition counts as bound, one for type checkers only does not.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from functools import cached_property

from penstock.core.merge.extend.bindings import ImportKey, bound, import_keys, is_main_guard
from penstock.core.merge.extend.source import Definition, Function


class Scope:
    """One existing or new block, with the questions that its members raise."""

    def __init__(self, body: list[ast.stmt]) -> None:
        self.body = body

    @cached_property
    def names(self) -> set[str]:
        """All names bound when the block runs."""
        return bound(self.body)

    @cached_property
    def _binders(self) -> Counter[str]:
        """How many statements of the block bind a name."""
        return Counter(name for node in self.body for name in bound([node]))

    def names_beside(self, node: ast.stmt, member: ast.stmt) -> set[str]:
        """Return the names that a new statement binds and that are bound beside one member."""
        own = bound([member])
        return {name for name in bound([node]) if self._binders[name] > (name in own)}

    @cached_property
    def imports(self) -> set[ImportKey]:
        """All that is imported when the block runs."""
        return import_keys(self.body)

    @cached_property
    def roots(self) -> set[str]:
        """The packages that plain imports bind: `os` for `import os.path`."""
        return {
            name.partition(".")[0]
            for level, _, name, alias in self.imports
            if level < 0 and alias is None
        }

    @cached_property
    def functions(self) -> dict[str, list[Function]]:
        """The functions of the block itself, by name."""
        found: dict[str, list[Function]] = defaultdict(list)
        for node in self.body:
            if isinstance(node, Function):
                found[node.name].append(node)
        return found

    @cached_property
    def classes(self) -> dict[str, ast.ClassDef]:
        """The classes of the block itself, by name; of several the last, which counts."""
        return {node.name: node for node in self.body if isinstance(node, ast.ClassDef)}

    @cached_property
    def conditions(self) -> dict[str, ast.If]:
        """The `if` statements without `else`, by their test."""
        return {
            ast.dump(node.test): node
            for node in self.body
            if isinstance(node, ast.If) and not node.orelse
        }

    @cached_property
    def statements(self) -> set[str]:
        """The code of everything that is not a definition, to find the same again."""
        return {ast.dump(node) for node in self.body if not isinstance(node, Definition)}

    @cached_property
    def has_main_guard(self) -> bool:
        """True when the block runs something only as a script."""
        return any(is_main_guard(node) for node in self.body)
