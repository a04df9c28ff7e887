"""Turn tokens into nodes: which command belongs to which list, pipe, loop or function.

Lists and pipes are `lists`' work. What nests (`if`, `for`, `case`, functions, brackets)
is read by tree-sitter-bash, which gets a skeleton of the text: every simple command and every
operator between commands stands as one made-up word. Its grammar costs quadratic time and
memory on some texts (a few thousand `a|` take a second), misreads some words (`[ a > b ]`,
`<>`), and ranks `|` and `&&` wrongly inside brackets; on such a skeleton none of it happens.
Always true: each token ends up in a node. What tree-sitter cannot read, or may not see
because it is too long or too deep, is read as a plain list, and `flat` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from penstock.core.shell.syntax.lists import JOINTS, SEPARATORS, Item, grouped, listed
from penstock.core.shell.syntax.nodes import (
    NOTHING,
    Case,
    CommandBlock,
    For,
    Function,
    If,
    Loop,
    Node,
    Not,
    Op,
    Redirect,
    Script,
    ShellWord,
    Simple,
)
from penstock.core.shell.syntax.tokens import CLOSERS, OPENERS

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode

# Squares of skeleton lengths, summed over a command: 400 structural words at once cost the
# grammar some 4 ms at its worst, and so do any number of shorter skeletons of that sum.
MOST_SQUARES = 400 * 400
_EACH = 1_000  # what even the shortest costs, in the same coin
MOST_NESTING = 24

_NEEDS_END = frozenset({"s", ")", "in"})
_ENDS = (Op(";"), Op("\n"))


class Statement(Struct, frozen=True):
    """One complete statement as a node; `flat` when its nesting could not be followed."""

    node: Node
    flat: bool


Stand = Simple | Op


class SkeletonBudget:
    """What is left to spend on skeletons within one command."""

    def __init__(self) -> None:
        self.spent = 0

    def covers(self, length: int) -> bool:
        """Take the price of a skeleton, if it can still be paid."""
        self.spent += length * length + _EACH
        return self.spent <= MOST_SQUARES


def pieces(script: Script, budget: SkeletonBudget) -> Iterator[Statement]:
    """Return a script's statements in order, each made when it is asked for."""
    for items in _statements(grouped(script)):
        first = items[0]
        alone = len(items) == 1 or (len(items) == 2 and items[1] in _ENDS)
        if isinstance(first, Simple) and alone:
            yield Statement(first, False)
        elif not (alone and first in _ENDS):
            yield _piece(items, budget)


def _statements(items: Iterator[Stand]) -> Iterator[list[Stand]]:
    """Cut at separators that stand outside every bracket and compound command."""
    now: list[Stand] = []
    depth = 0
    for item in items:
        now.append(item)
        if not isinstance(item, Op):
            continue
        depth += (item.text in OPENERS or item.text == "(") - (
            item.text in CLOSERS or item.text == ")"
        )
        if depth <= 0 and item.text in SEPARATORS:
            yield now
            now, depth = [], 0
    if now:
        yield now


def _piece(items: list[Stand], budget: SkeletonBudget) -> Statement:
    if all(not isinstance(item, Op) or item.text in JOINTS for item in items):
        return Statement(listed(items), False)
    if _deepest(items) <= MOST_NESTING and budget.covers(len(items)):
        node = _by_grammar(items)
        if node is not None:
            return Statement(node, False)
    return Statement(listed(list(_without_structure(items))), True)


def _deepest(items: Sequence[Stand]) -> int:
    depth = most = 0
    for item in items:
        if isinstance(item, Op):
            depth += (item.text in OPENERS or item.text == "(") - (
                item.text in CLOSERS or item.text == ")"
            )
            most = max(most, depth)
    return most


def _without_structure(items: Sequence[Stand]) -> Iterator[Item]:
    """Take brackets and reserved words for separators, and keep what patterns hold."""
    for item in items:
        if not isinstance(item, Op) or item.text in JOINTS:
            yield item
            continue
        yield Op(";")
        if item.word:
            yield Case((item.word,), ())
            yield Op(";")


# What nests, with tree-sitter


@cache
def _parser() -> Any:
    # Imported here: most commands are plain lists, and the hook must not pay for a grammar.
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def _by_grammar(items: Sequence[Stand]) -> Node | None:
    skeleton = _skeleton(items)
    tree = _parser().parse(skeleton.encode())
    nodes = _Nodes(items)
    try:
        found = None if tree.root_node.has_error else nodes.block(tree.root_node)
    except _MisreadError:
        return None
    # A stray `fi` counts as a command for this grammar: trust it only when it met all of ours.
    return found if nodes.met == sum(isinstance(item, Simple) for item in items) else None


def _skeleton(items: Sequence[Stand]) -> str:
    """Return the structure on one line: this grammar misplaces some line ends without a word."""
    out: list[str] = []
    before = ""
    for at, item in enumerate(items):
        if not isinstance(item, Op):
            out.append(_stand_in(item, before, at))
            before = "s"
            continue
        ends = before in _NEEDS_END or before in CLOSERS
        if item.text in (";", "\n"):
            if ends:
                out.append(f"s{at} ;" if before == "in" else ";")
                before = ";"
        elif item.text in JOINTS:
            out.append(f"; s{at} ;" if ends else f"s{at} ;")
            before = ";"
        else:
            out.append(_bone(item.text, before, at))
            before = item.text
    return " ".join(out)


def _bone(text: str, before: str, at: int) -> str:
    """Return a structural word, with the separators that bash does without."""
    if text == "pattern":
        return f"w{at})"
    loose = (text in CLOSERS and before in CLOSERS) or (text == "do" and before == "s")
    return f"; {text}" if loose else text


def _stand_in(item: Simple, before: str, at: int) -> str:
    """Return the word that stands for a simple command, or for redirections of a compound."""
    if not item.words and (before in CLOSERS or before == ")"):
        return f">s{at}"
    return f"s{at}"


class _MisreadError(Exception):
    """The grammar put a stand-in where it cannot be."""


class _Nodes:
    """Makes our nodes of tree-sitter's, looking each stand-in up again."""

    def __init__(self, items: Sequence[Stand]) -> None:
        self.items = items
        self.met = 0

    def block(self, node: TreeNode) -> Node:
        """Return the statements among a node's children."""
        return self._listed(node.children)

    def _listed(self, children: Sequence[TreeNode]) -> Node:
        """Join commands with the operators that stand among them."""
        out: list[Item] = []
        for child in children:
            if child.type not in _MAKERS:
                continue
            made = self._operator(child) or _MAKERS[child.type](self, child)
            begins = not isinstance(made, Op) or made.text == "!"
            if begins and out and not isinstance(out[-1], Op):
                out.append(Op(";"))
            out.append(made)
        return listed(out)

    def _operator(self, node: TreeNode) -> Op | None:
        found = self._found(node) if node.type == "command" else None
        return found if isinstance(found, Op) and found.text in JOINTS else None

    def one(self, node: TreeNode) -> Node:
        """Return the node for one statement."""
        return _MAKERS[node.type](self, node) if node.type in _MAKERS else NOTHING

    def item(self, node: TreeNode) -> Simple:
        """Return the simple command that a stand-in stands for."""
        found = self._found(node)
        if not isinstance(found, Simple):
            raise _MisreadError
        self.met += 1
        return found

    def _found(self, node: TreeNode | None) -> Stand:
        text = (node.text if node else None) or b""
        number = text.lstrip(b"> ")[1:]
        if not number.isdigit() or int(number) >= len(self.items):
            raise _MisreadError
        return self.items[int(number)]

    def simple(self, node: TreeNode) -> Node:
        """A command is its stand-in."""
        return self.item(node)

    def redirected(self, node: TreeNode) -> Node:
        """A compound command with redirections behind it."""
        body = node.child_by_field_name("body")
        return CommandBlock((self.one(body) if body else NOTHING,), self._redirects(node))

    def _redirects(self, node: TreeNode) -> tuple[Redirect, ...]:
        places = node.children_by_field_name("redirect")
        return tuple(redirect for place in places for redirect in self.item(place).redirects)

    def subshell(self, node: TreeNode) -> Node:
        """`( a )`: what happens inside to directory and variables stays inside."""
        return CommandBlock((self.block(node),), apart=True)

    def choice(self, node: TreeNode) -> Node:
        """`if`, with its `elif` and `else` parts."""
        branches = [self._branch(node)]
        otherwise: Node = NOTHING
        for child in node.children:
            if child.type == "elif_clause":
                branches.append(self._branch(child))
            elif child.type == "else_clause":
                otherwise = self.block(child)
        return If(tuple(branches), otherwise)

    def _branch(self, node: TreeNode) -> tuple[Node, Node]:
        at = next((n for n, child in enumerate(node.children) if child.type == "then"), 0)
        return self._listed(node.children[:at]), self._listed(node.children[at:])

    def loop(self, node: TreeNode) -> Node:
        """`while` and `until`."""
        body = node.child_by_field_name("body")
        condition = self._listed([child for child in node.children if child.type != "do_group"])
        until = node.children[0].type == "until"
        return Loop(Not(condition) if until else condition, self.block(body) if body else NOTHING)

    def each(self, node: TreeNode) -> Node:
        """`for` and `select`."""
        variable = node.child_by_field_name("variable")
        values = node.children_by_field_name("value")
        body = node.child_by_field_name("body")
        name = self._name(variable)
        words = self._words(values[0]) if values else None
        return For(name, words, self.block(body) if body else NOTHING)

    def _words(self, node: TreeNode) -> tuple[ShellWord, ...]:
        """Return the words after `in`; an empty list has a stand-in of its own."""
        return () if isinstance(self._found(node), Op) else self.item(node).words

    def _name(self, node: TreeNode | None) -> str:
        words = self.item(node).words if node else ()
        if len(words) != 1:
            raise _MisreadError
        return words[0].raw

    def case(self, node: TreeNode) -> Node:
        """`case`, with the word it looks at and its patterns."""
        value = node.child_by_field_name("value")
        words = self.item(value).words if value else ()
        cases = [child for child in node.children if child.type == "case_item"]
        bodies = tuple((self.block(child), _falls(child)) for child in cases)
        return Case((*words, *self._patterns(cases)), bodies)

    def _patterns(self, cases: Sequence[TreeNode]) -> Iterator[ShellWord]:
        for child in cases:
            found = self._found(child.child_by_field_name("value"))
            if isinstance(found, Op) and found.word:
                yield found.word

    def function(self, node: TreeNode) -> Node:
        """A function definition, with the redirections that each call gets."""
        body = node.child_by_field_name("body")
        name = self._name(node.child_by_field_name("name"))
        inner = self.one(body) if body else NOTHING
        return Function(name, CommandBlock((inner,), self._redirects(node)))


def _falls(node: TreeNode) -> bool:
    """True for a part of `case` behind which the next one may run too."""
    return any(child.type in (";&", ";;&") for child in node.children)


_MAKERS: dict[str, Callable[[_Nodes, TreeNode], Node]] = {
    "command": _Nodes.simple,
    "redirected_statement": _Nodes.redirected,
    "subshell": _Nodes.subshell,
    "compound_statement": _Nodes.block,
    "if_statement": _Nodes.choice,
    "while_statement": _Nodes.loop,
    "for_statement": _Nodes.each,
    "case_statement": _Nodes.case,
    "function_definition": _Nodes.function,
}
