"""Join commands into lists and pipes: `;`, `&`, `&&`, `||`, `|` and `!`, as bash ranks them.

Always true: every command among the items is in the node that comes out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from penstock.core.shell.syntax.nodes import (
    Both,
    CommandBlock,
    Node,
    Not,
    Op,
    Pipe,
    Redirect,
    Script,
    ShellWord,
    Simple,
    Token,
)

SEPARATORS = frozenset({";", "\n", "&"})
_AND_OR = frozenset({"&&", "||"})
_PIPES = frozenset({"|", "|&"})
JOINTS = SEPARATORS | _AND_OR | _PIPES | {"!"}

Item = Node | Op
_FUNCTION, _END = Op("function"), Op("")


def grouped(script: Script) -> Iterator[Simple | Op]:
    """Join words and redirections that stand side by side into simple commands."""
    words: list[ShellWord] = []
    redirects: list[Redirect] = []
    before: Token = _END
    for token in (*script.tokens, _END):
        if isinstance(token, ShellWord):
            words.append(token)
            if before == _FUNCTION:
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


def _simple(text: str, words: list[ShellWord], redirects: list[Redirect]) -> Simple:
    starts = [word.start for word in words] + [redirect.start for redirect in redirects]
    ends = [word.end for word in words] + [redirect.end for redirect in redirects]
    shown = text[min(starts) : max(ends)]
    return Simple(tuple(words), tuple(redirects), shown)


def listed(items: Sequence[Item]) -> Node:
    """Return one node for commands and the operators between them."""
    statements: list[Node] = []
    for part, end in _split(items, SEPARATORS):
        node = _and_or(part)
        if node is not None:
            statements.append(CommandBlock((node,), apart=True) if end == "&" else node)
    return statements[0] if len(statements) == 1 else CommandBlock(tuple(statements))


def _split(items: Sequence[Item], ops: frozenset[str]) -> Iterator[tuple[list[Item], str]]:
    part: list[Item] = []
    for item in items:
        if isinstance(item, Op) and item.text in ops:
            yield part, item.text
            part = []
        else:
            part.append(item)
    yield part, ""


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
        found.extend(item for item in part if not isinstance(item, Op))
    if not found:
        return None
    node = found[0] if len(found) == 1 else Pipe(tuple(found))
    return Not(node) if negated else node
