"""Syntax colours of some lines, made by a child process that runs this module.

Pygments reads with regular expressions that a clever text can make take for ever, and nothing
stops one of those from outside but ending its process. So they run in one of their own, which
`child` ends when it is late.
Always true: the child reads requests, one JSON line each, and answers each with one JSON line;
it opens no file of the workspace.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from pygments.token import _TokenType

Line = list[tuple[int, str]]

# The few kinds that a reader tells apart by colour; the nearest parent of a token counts.
CLASSES = {
    "Comment": "sc",
    "Literal.String.Doc": "sc",
    "Keyword": "sk",
    "Operator.Word": "sk",
    "Literal.String": "ss",
    "Literal.Number": "sn",
    "Name.Function": "sf",
    "Name.Class": "sf",
    "Name.Tag": "sf",
    "Name.Decorator": "sd",
    "Name.Attribute": "sd",
    "Name.Builtin": "sb",
    "Name.Constant": "sb",
    "Generic.Heading": "sk",
}


def coloured(name: str, text: str) -> list[Line]:
    """Return for each line of a text its spans: how many characters, and which class."""
    lines: list[Line] = [[]]
    for kind, piece in _tokens(name, text):
        for at, part in enumerate(piece.split("\n")):
            if at:
                lines.append([])
            if part:
                _add(lines[-1], len(part), kind)
    return lines


def _add(line: Line, length: int, name: str) -> None:
    if line and line[-1][1] == name:
        length += line.pop()[0]
    line.append((length, name))


def _tokens(name: str, text: str) -> Iterator[tuple[str, str]]:
    lexer = _lexer(name)
    if lexer is None:
        return
    for kind, piece in lexer.get_tokens(text):
        yield _class(kind), piece


def _lexer(name: str) -> Lexer | None:
    """Return the lexer for a file name; what the text holds plays no part."""
    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    try:
        # Blank lines and the end stay as they are, or the lines would be counted wrong.
        return get_lexer_for_filename(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _class(kind: _TokenType | None) -> str:
    while kind:
        name = str(kind).removeprefix("Token.")
        if name in CLASSES:
            return CLASSES[name]
        kind = kind.parent
    return ""


def main() -> None:
    """Answer until the other end is closed."""
    for request in sys.stdin:
        asked = json.loads(request)
        try:
            answer = coloured(asked["name"], asked["text"])
        except Exception:  # noqa: BLE001 - a lexer that fails costs the colours, nothing else
            answer = []
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
