"""Find the few rules that can speak of a request, without asking all of them.

Globs go into one index, regexes into one bank per input field, the rest into small lists by
tool. Whether a candidate really applies is `decide`'s question.
Always true: a rule that applies is among the candidates; their number does not grow with
the number of rules, but with the number that are near.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from penstock.core.paths.glob_index import compile_globs
from penstock.core.paths.globs import lookup
from penstock.core.paths.relpath import fold
from penstock.core.policy.regexes import Bank

if TYPE_CHECKING:
    from penstock.core.model import Request
    from penstock.core.policy.rule import Rule


MOST_REMEMBERED = 4096  # paths: an agent comes back to the same ones again and again


class RuleIndex:
    """The rules of one layer, arranged for look-up. Built once, never changed."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        active = [(at, rule) for at, rule in enumerate(rules) if rule.enabled]
        self._globs = [(glob, at) for at, rule in active for glob in rule.paths]
        self._by_tool: dict[str, list[int]] = {}
        self._any_tool: list[int] = []
        self._with_field: dict[str, list[tuple[int, str]]] = {}
        self._banks: dict[str, Bank] = {}
        for at, rule in active:
            if not rule.paths:
                self._place(at, rule)
        self.for_path = lru_cache(MOST_REMEMBERED)(self._for_path)
        self._by_name = lru_cache(MOST_REMEMBERED)(self._for_name)

    @cached_property
    def _index(self) -> dict[str, object]:
        return compile_globs(self._globs)

    @cached_property
    def _folded(self) -> dict[str, object]:
        return compile_globs([(fold(glob), at) for glob, at in self._globs])

    def _place(self, at: int, rule: Rule) -> None:
        first = next((f for f in rule.fields if f.regex), None)
        if first is not None:
            self._with_field.setdefault(first.name, []).append((at, first.regex))
        elif rule.tool:
            self._by_tool.setdefault(rule.tool, []).append(at)
        else:
            self._any_tool.append(at)

    def _for_path(self, spelling: str) -> frozenset[int]:
        """Return the numbers of the rules with a glob that meets this spelling."""
        return frozenset(lookup(self._index, spelling))

    def for_folded(self, spelling: str) -> frozenset[int]:
        """Return the same where the file system takes `A` and `a` for one name."""
        return frozenset(lookup(self._folded, fold(spelling)))

    def _for_name(self, tool: str) -> frozenset[int]:
        return frozenset((*self._any_tool, *self._by_tool.get(tool, ())))

    def for_tool(self, request: Request) -> frozenset[int]:
        """Return the numbers of the rules without globs that may speak of this request."""
        near = self._by_name(request.tool)
        for name, rules in self._with_field.items():
            for text in (*field_texts(name, request), *program_texts(name, request)):
                near |= {rules[hit][0] for hit in self._bank(name).hits(text)}
        return near

    def _bank(self, name: str) -> Bank:
        if name not in self._banks:
            self._banks[name] = Bank([regex for _, regex in self._with_field[name]])
        return self._banks[name]


COMMAND = "command"
PROGRAM = "program"  # no key of an input: it is read out of the command

# Some tools call the same thing by another name (dialects: Glob and Grep have `path`).
ALSO_CALLED: Mapping[str, tuple[str, ...]] = {
    "file_path": ("file_path", "notebook_path", "path"),
}


def field_value(name: str, request: Request) -> str | None:
    """Return the string that a rule's field speaks of, or None."""
    for key in ALSO_CALLED.get(name, (name,)):
        value = request.tool_input.get(key)
        if isinstance(value, str):
            return value
    return None


def input_key(name: str) -> str:
    """Return the key of a tool's input that a rule's field is read from."""
    return COMMAND if name == PROGRAM else name


def program_texts(name: str, request: Request) -> tuple[str, ...]:
    """Return the programs that a command starts, for the fields that may mean one."""
    about = input_key(name) == COMMAND
    return tuple(text for _, text in request.programs) if about else ()


def field_texts(name: str, request: Request) -> tuple[str, ...]:
    """Return the whole value of a field and, for a shell command, its simple commands."""
    value = field_value(name, request)
    if value is None:
        return ()
    return (value, *request.leaves) if name == COMMAND else (value,)
