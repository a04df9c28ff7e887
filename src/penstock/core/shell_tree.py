"""Turn tokens into nodes: which command belongs to which list, pipe, loop or function.

Lists and pipes of simple commands are read here directly. What nests (`if`, `for`, `case`,
functions, brackets) is read by tree-sitter-bash, which gets a skeleton of the text: every
simple command stands as one made-up word. Its grammar costs quadratic time and memory on
some texts (a few thousand `a|` take a second) and misreads some words (`[ a > b ]`, `<>`);
on a skeleton of bounded length neither can happen.
Always true: each token ends up in a node. What tree-sitter cannot read, or may not see
because it is too long or too deep, is read as a plain list, and `flat` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.core.shell_parts import (
    NOTHING,
    Block,
    Both,
    Case,
    For,
    Function,
    If,
    Loop,
    Node,
    Not,
    Op,
    Pipe,
    Redirect,
    Script,
    Simple,
    Token,
    Word,
)
from penstock.core.shell_script import CLOSERS, OPENERS

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode

# Squares of skeleton lengths, summed over a command: 400 structural words at once cost the
# grammar some 4 ms at its worst, and so do any number of shorter skeletons of that sum.
MOST_SQUARES = 400 * 400
_EACH = 1_000  # what even the shortest costs, in the same coin
MOST_NESTING = 24

_SEPARATORS = frozenset({";", "\n", "&"})
_NEEDS_END = frozenset({"s", ")", "in"})
_ENDS = (Op(";"), Op("\n"))
_KEEPS = frozenset({"&&", "||", "|", "|&", ";", "\n", "&", "!"})


class Piece(NamedTuple):
    """One complete statement as a node; `flat` when its nesting could not be followed."""

    node: Node
    flat: bool


Item = Simple | Op


class Budget:
    """What is left to spend on skeletons within one command."""

    def __init__(self) -> None:
        self.spent = 0

    def covers(self, length: int) -> bool:
        """Take the price of a skeleton, if it can still be paid."""
        self.spent += length * length + _EACH
        return self.spent <= MOST_SQUARES


def pieces(script: Script, budget: Budget) -> Iterator[Piece]:
    """Return a script's statements in order, each made when it is asked for."""
    for items in _statements(_grouped(script)):
        first = items[0]
        alone = len(items) == 1 or (len(items) == 2 and items[1] in _ENDS)
        if isinstance(first, Simple) and alone:
            yield Piece(first, False)
        elif not (alone and first in _ENDS):
            yield _piece(items, budget)


def _grouped(script: Script) -> Iterator[Item]:
    """Join words and redirections that stand side by side into simple commands."""
    words: list[Word] = []
    redirects: list[Redirect] = []
    before: Token = Op("")
    for token in (*script.tokens, Op("")):
        if isinstance(token, Word):
            words.append(token)
            if before == Op("function"):
                # A name is no part of the command that some shells let follow it directly.
                yield _simple(script.text, words, redirects)
                words, redirects = [], []
        elif isinstance(token, Redirect):
            redirects.append(token)
        else:
            if words or redirects:
                yield _simple(script.text, words, redirects)
                words, redirects = [], []
            if token.text:
                yield token
        before = token


def _simple(text: str, words: list[Word], redirects: list[Redirect]) -> Simple:
    starts = [word.start for word in words] + [redirect.start for redirect in redirects]
    ends = [word.end for word in words] + [redirect.end for redirect in redirects]
    shown = text[min(starts) : max(ends)]
    return Simple(tuple(words), tuple(redirects), shown)


def _statements(items: Iterator[Item]) -> Iterator[list[Item]]:
    """Cut at separators that stand outside every bracket and compound command."""
    now: list[Item] = []
    depth = 0
    for item in items:
        now.append(item)
        if not isinstance(item, Op):
            continue
        depth += (item.text in OPENERS or item.text == "(") - (
            item.text in CLOSERS or item.text == ")"
        )
        if depth <= 0 and item.text in _SEPARATORS:
            yield now
            now, depth = [], 0
    if now:
        yield now


def _piece(items: list[Item], budget: Budget) -> Piece:
    if all(not isinstance(item, Op) or item.text in _KEEPS for item in items):
        return Piece(_list(items), False)
    if _deepest(items) <= MOST_NESTING and budget.covers(len(items)):
        node = _by_grammar(items)
        if node is not None:
            return Piece(node, False)
    return Piece(_list(list(_without_structure(items))), True)


def _deepest(items: Sequence[Item]) -> int:
    depth = most = 0
    for item in items:
        if isinstance(item, Op):
            depth += (item.text in OPENERS or item.text == "(") - (
                item.text in CLOSERS or item.text == ")"
            )
            most = max(most, depth)
    return most


def _without_structure(items: Sequence[Item]) -> Iterator[Item]:
    for item in items:
        keep = not isinstance(item, Op) or item.text in _KEEPS
        yield item if keep else Op(";", item.word if isinstance(item, Op) else None)


# Plain lists, without a grammar


def _list(items: Sequence[Item]) -> Node:
    statements: list[Node] = []
    for part, end in _split(items, _SEPARATORS):
        node = _and_or(part)
        if node is not None:
            statements.append(Block((node,), apart=True) if end == "&" else node)
    return statements[0] if len(statements) == 1 else Block(tuple(statements))


def _split(items: Sequence[Item], ops: frozenset[str]) -> Iterator[tuple[list[Item], str]]:
    part: list[Item] = []
    for item in items:
        if isinstance(item, Op) and item.text in ops:
            yield part, item.text
            part = []
        else:
            part.append(item)
    yield part, ""


_AND_OR = frozenset({"&&", "||"})
_PIPES = frozenset({"|", "|&"})


def _and_or(items: list[Item]) -> Node | None:
    left: Node | None = None
    joined = ""
    for part, op in _split(items, _AND_OR):
        right = _pipeline(part)
        if right is not None:
            left = right if left is None else Both(left, right, joined == "||")
        joined = op
    return left


def _pipeline(items: list[Item]) -> Node | None:
    found: list[Node] = []
    negated = False
    for part, _ in _split(items, _PIPES):
        negated ^= sum(isinstance(item, Op) and item.text == "!" for item in part) % 2 == 1
        found.extend(item for item in part if isinstance(item, Simple))
    if not found:
        return None
    node = found[0] if len(found) == 1 else Pipe(tuple(found))
    return Not(node) if negated else node


# What nests, with tree-sitter


@cache
def _parser() -> Any:
    # Imported here: most commands are plain lists, and the hook must not pay for a grammar.
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def _by_grammar(items: Sequence[Item]) -> Node | None:
    skeleton = _skeleton(items)
    tree = _parser().parse(skeleton.encode())
    nodes = _Nodes(items)
    try:
        found = None if tree.root_node.has_error else nodes.block(tree.root_node)
    except _MisreadError:
        return None
    # A stray `fi` counts as a command for this grammar: trust it only when it met all of ours.
    return found if nodes.met == sum(isinstance(item, Simple) for item in items) else None


def _skeleton(items: Sequence[Item]) -> str:
    """Return the structure on one line: this grammar misplaces some line ends without a word."""
    out: list[str] = []
    before = ""
    for at, item in enumerate(items):
        if not isinstance(item, Op):
            out.append(_stand_in(item, before, at))
            before = "s"
            continue
        text = ";" if item.text == "\n" else item.text
        if text == ";" and not (before in _NEEDS_END or before in CLOSERS):
            continue
        out.append(_bone(text, before, at))
        before = text
    return " ".join(out)


def _bone(text: str, before: str, at: int) -> str:
    """Return a structural word, with the separators that bash does without."""
    if text == "pattern":
        return f"w{at})"
    if text == ";" and before == "in":
        return f"s{at} ;"
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

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = items
        self.met = 0

    def block(self, node: TreeNode) -> Node:
        """Return the statements among a node's children."""
        return _block(self._statements(node.children))

    def _statements(self, children: Sequence[TreeNode]) -> list[Node]:
        out: list[Node] = []
        for child in children:
            if child.type == "&" and out:
                out[-1] = Block((out[-1],), apart=True)
            elif child.type in _MAKERS:
                out.append(_MAKERS[child.type](self, child))
        return out

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

    def _found(self, node: TreeNode | None) -> Item:
        text = (node.text if node else None) or b""
        number = text.lstrip(b"> ")[1:]
        if not number.isdigit() or int(number) >= len(self.items):
            raise _MisreadError
        return self.items[int(number)]

    def simple(self, node: TreeNode) -> Node:
        """A command is its stand-in."""
        return self.item(node)

    def pipeline(self, node: TreeNode) -> Node:
        """A pipe, or a negated pipe: tree-sitter gives the `!` to the first command only."""
        items = self._statements(node.children)
        if items and isinstance(items[0], Not):
            return Not(Pipe((items[0].item, *items[1:])))
        return Pipe(tuple(items))

    def and_or(self, node: TreeNode) -> Node:
        """`a && b` or `a || b`."""
        either = any(child.type == "||" for child in node.children)
        left, right = self._statements(node.children)
        return Both(left, right, either)

    def negated(self, node: TreeNode) -> Node:
        """`! a`."""
        return Not(self.block(node))

    def redirected(self, node: TreeNode) -> Node:
        """A compound command with redirections behind it."""
        body = node.child_by_field_name("body")
        return Block((self.one(body) if body else NOTHING,), self._redirects(node))

    def _redirects(self, node: TreeNode) -> tuple[Redirect, ...]:
        places = node.children_by_field_name("redirect")
        return tuple(redirect for place in places for redirect in self.item(place).redirects)

    def subshell(self, node: TreeNode) -> Node:
        """`( a )`: what happens inside to directory and variables stays inside."""
        return Block(tuple(self._statements(node.children)), apart=True)

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
        condition, body = node.children[:at], node.children[at:]
        return _block(self._statements(condition)), _block(self._statements(body))

    def loop(self, node: TreeNode) -> Node:
        """`while` and `until`."""
        body = node.child_by_field_name("body")
        condition = _block(self._statements([c for c in node.children if c.type != "do_group"]))
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

    def _words(self, node: TreeNode) -> tuple[Word, ...]:
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
        bodies = tuple(self.block(child) for child in cases)
        return Case((*words, *self._patterns(cases)), bodies)

    def _patterns(self, cases: Sequence[TreeNode]) -> Iterator[Word]:
        for child in cases:
            found = self._found(child.child_by_field_name("value"))
            if isinstance(found, Op) and found.word:
                yield found.word

    def function(self, node: TreeNode) -> Node:
        """A function definition, with the redirections that each call gets."""
        body = node.child_by_field_name("body")
        name = self._name(node.child_by_field_name("name"))
        inner = self.one(body) if body else NOTHING
        return Function(name, Block((inner,), self._redirects(node)))


def _block(items: list[Node]) -> Node:
    return items[0] if len(items) == 1 else Block(tuple(items))


_MAKERS: dict[str, Callable[[_Nodes, TreeNode], Node]] = {
    "command": _Nodes.simple,
    "pipeline": _Nodes.pipeline,
    "list": _Nodes.and_or,
    "negated_command": _Nodes.negated,
    "redirected_statement": _Nodes.redirected,
    "subshell": _Nodes.subshell,
    "compound_statement": _Nodes.block,
    "if_statement": _Nodes.choice,
    "while_statement": _Nodes.loop,
    "for_statement": _Nodes.each,
    "case_statement": _Nodes.case,
    "function_definition": _Nodes.function,
}
