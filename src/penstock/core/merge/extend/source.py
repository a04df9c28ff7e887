"""One Python module as text and tree at once: which lines and comments belong to a statement.

Positions come from `ast`: lines count from 1, columns are UTF-8 bytes. What to do with the
statements is left to `plan`.
Always true: a text returned from here is a piece of the module, byte for byte, unless it was
asked for with another indentation.
"""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Iterator
from threading import Lock

from msgspec import Struct

from penstock.core.text.line_endings import CRLF, LF, split, without_bom

# A module beyond this takes seconds and a gigabyte to parse; appending it costs nothing.
MAX_BYTES = 2 * 2**20
MAX_LINES = 50_000
BLANKS = b" \t\x0c"
QUIET = Lock()

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef
Nested = ast.ClassDef | ast.If
Block = ast.Module | Nested
Bodied = Block | Function


class CannotExtendError(Exception):
    """These two texts cannot be joined member by member; the sentence says why."""


class Module(Struct, frozen=True, kw_only=True):
    """A parsed module: its lines with their ends (without a byte order mark) and its tree."""

    lines: list[bytes]
    tree: ast.Module


class Shift(Struct, frozen=True, kw_only=True):
    """From which indentation to which: of the statement itself, and of each step within it."""

    base: bytes = b""
    to_base: bytes = b""
    step: bytes = b"    "
    to_step: bytes = b"    "


def read(content: bytes, *, whose: str) -> Module:
    """Return a content as a module, or say why it is none."""
    body = without_bom(content)
    if len(body) > MAX_BYTES:
        raise CannotExtendError(f"{whose} is larger than {MAX_BYTES // 2**20} MB")
    if body.count(LF) + body.count(b";") > MAX_LINES:
        raise CannotExtendError(f"{whose} has more than {MAX_LINES} lines")
    if body.replace(CRLF, LF).count(b"\r"):
        raise CannotExtendError(f"{whose} has carriage returns inside its lines")
    return Module(lines=split(body), tree=_parsed(_decoded(body, whose), whose))


def _decoded(body: bytes, whose: str) -> str:
    try:
        # A declared encoding decides what the bytes mean, so it must be the one we write.
        declared = tokenize.detect_encoding(io.BytesIO(body).readline)[0]
        if declared != "utf-8":
            raise CannotExtendError(f"{whose} declares the encoding `{declared}`")
        return body.decode("utf-8")
    except (SyntaxError, UnicodeDecodeError):
        raise CannotExtendError(f"{whose} is not UTF-8 text") from None


def _parsed(text: str, whose: str) -> ast.Module:
    try:
        # Python warns of odd escapes while it parses; they are not ours to talk about. The
        # filters belong to the whole process, so one thread at a time may set them aside.
        with QUIET, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        where = f", line {error.lineno}" if error.lineno else ""
        raise CannotExtendError(f"{whose} is not valid Python ({error.msg}{where})") from None
    except ValueError:
        raise CannotExtendError(f"{whose} is not valid Python") from None
    except (RecursionError, MemoryError):
        raise CannotExtendError(f"{whose} is nested too deeply") from None


def first_line(node: ast.stmt) -> int:
    """Return the line where a statement begins, its decorators included."""
    if isinstance(node, Definition) and node.decorator_list:
        return min(node.lineno, node.decorator_list[0].lineno)
    return node.lineno


def last_line(node: ast.stmt) -> int:
    """Return the line where a statement ends."""
    return node.end_lineno or node.lineno


def indentation(line: bytes) -> bytes:
    """Return the white space that a line starts with."""
    return line[: len(line) - len(line.lstrip(BLANKS))]


def is_comment(line: bytes) -> bool:
    """Return whether a line holds a comment and nothing else."""
    return line.lstrip(BLANKS).startswith(b"#")


def is_blank(line: bytes) -> bool:
    """Return whether a line holds nothing at all."""
    return not line.strip()


def owns_lines(module: Module, node: ast.stmt) -> bool:
    """Return whether nothing else stands on the lines of a statement (`a = 1; b = 2`)."""
    before = module.lines[node.lineno - 1][: node.col_offset]
    after = module.lines[last_line(node) - 1][node.end_col_offset or 0 :].strip()
    return not before.strip(BLANKS) and (not after or after.startswith(b"#"))


def segment(module: Module, node: ast.stmt) -> bytes:
    """Return exactly the bytes of a statement, its decorators included."""
    first, last = first_line(node), last_line(node)
    start = node.col_offset if first == node.lineno else 0
    lines = module.lines[first - 1 : last]
    lines[-1] = lines[-1][: node.end_col_offset]
    lines[0] = lines[0][start:]
    return b"".join(lines)


def extent(module: Module, node: ast.stmt) -> tuple[int, int]:
    """Return the first and last line of a statement with the comments that belong to it.

    Those are the ones directly above in the same column, and the ones directly below that
    are indented deeper. The comment at the very top of a file belongs to the file.
    """
    first, last = first_line(node), last_line(node)
    base = indentation(module.lines[first - 1])
    top = first
    while top > 1 and _comment_at(module.lines[top - 2], base):
        if is_heading(module.lines[top - 2], top - 1):
            break
        top -= 1
    if top == 1 and isinstance(node, ast.Import | ast.ImportFrom):
        top = first
    while last < len(module.lines) and _comment_below(module.lines[last], base):
        last += 1
    return top, last


def _comment_at(line: bytes, base: bytes) -> bool:
    return is_comment(line) and indentation(line) == base


def _comment_below(line: bytes, base: bytes) -> bool:
    return is_comment(line) and len(indentation(line)) > len(base)


def is_heading(line: bytes, number: int) -> bool:
    """Return whether a line speaks of the whole file: to the system or about its encoding."""
    return number <= 2 and (line.startswith(b"#!") or b"coding:" in line or b"coding=" in line)


def text_of(module: Module, node: ast.stmt, shift: Shift) -> bytes:
    """Return a statement with its comments, moved to another indentation, lines ending in LF."""
    if not owns_lines(module, node):
        return shift.to_base + segment(module, node).replace(CRLF, LF) + LF
    first, last = extent(module, node)
    inside = set(_lines_inside_strings(node))
    lines = [
        line if number in inside else _shifted(line, shift)
        for number, line in enumerate(module.lines[first - 1 : last], first)
    ]
    text = b"".join(lines).replace(CRLF, LF)
    return text if text.endswith(LF) else text + LF


def _lines_inside_strings(node: ast.stmt) -> Iterator[int]:
    """Yield the lines that begin inside a string: their white space is data."""
    waiting: list[ast.AST] = [node]
    while waiting:
        item = waiting.pop()
        if isinstance(item, ast.Constant | ast.JoinedStr):
            yield from range(item.lineno + 1, (item.end_lineno or item.lineno) + 1)
        else:
            waiting.extend(ast.iter_child_nodes(item))


def _shifted(line: bytes, shift: Shift) -> bytes:
    if shift.base == shift.to_base or not line.startswith(shift.base) or is_blank(line):
        return line
    rest = line[len(shift.base) :]
    deeper = indentation(rest)
    steps = 0
    while shift.step and deeper.startswith(shift.step, steps * len(shift.step)):
        steps += 1
    return shift.to_base + shift.to_step * steps + rest[steps * len(shift.step) :]


def body_indentation(module: Module, block: Bodied) -> bytes | None:
    """Return the indentation of a block's statements; None when they share the header's line."""
    first = block.body[0]
    line = module.lines[first_line(first) - 1]
    lead = indentation(line)
    alone = first_line(first) != first.lineno or len(lead) == first.col_offset
    return lead if alone else None


def step_of(module: Module) -> bytes:
    """Return how a module indents: the first indented body decides, else four spaces."""
    bodied = (node for node in module.tree.body if isinstance(node, Bodied))
    return next(filter(None, (body_indentation(module, node) for node in bodied)), b"    ")
