"""A rules file as bytes, read once: its text, its blocks and its document.

Always true: what was read is remembered by its bytes, so that an edit, its checks and its
comparison read a file once; bytes that cannot be read are an EditError that names the line.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

from penstock.core.rule_edit.operation import Detail, EditError
from penstock.core.rule_edit.toml.blocks import LostError, TomlBlock, read_blocks, shared_blocks
from penstock.core.rule_edit.toml.read import quick_lines, read_document
from penstock.core.rules.documents import BOM, MAX_BYTES, Document, read_toml
from penstock.core.rules.problems import ProblemReport


@dataclass(frozen=True, kw_only=True, slots=True)
class Read:
    """A text with its document and its blocks; shared, so nobody may change it.

    The text ends with a newline; `cut` is that newline where the file has none at its end.
    """

    text: str
    newline: str
    cut: str
    document: Document
    blocks: list[TomlBlock]


@lru_cache(maxsize=4)
def read_text(path: str, data: bytes) -> Read:
    """Read a file's bytes into blocks and a document."""
    text = _decoded(data)
    if text is not None:
        newline = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
        cut = "" if text.endswith("\n") or not text else newline
        text += cut
        with suppress(LostError):
            blocks = read_blocks(text, _known_blocks(path, text))
            document = read_document(text, blocks)
            read = Read(text=text, newline=newline, cut=cut, document=document, blocks=blocks)
            _remember(path, read)
            return read
    report = ProblemReport(file=path)
    if read_toml(data, report) is None:
        raise EditError(*(_syntax(one.message, one.hint) for one in report.problems))
    # No text is known that leads here; if there is one, it is not for us to edit.
    why = "this file is TOML, but its lines could not be told apart"  # pragma: no cover
    raise EditError(Detail("target_file", why, "edit it by hand"))  # pragma: no cover


# The last version of a file that was read: the next one mostly begins as it does.
_last: dict[str, Read] = {}
MOST_FILES = 4


def _known_blocks(path: str, text: str) -> list[TomlBlock]:
    last = _last.get(path)
    return shared_blocks(text, last.text, last.blocks) if last else []


def _remember(path: str, read: Read) -> None:
    if len(_last) >= MOST_FILES:
        _last.clear()
    _last[path] = read


def parsing(paths: Container[str]) -> Callable[[bytes, ProblemReport], Document | None]:
    """Return what reads a policy's files where those at some paths were read a moment ago."""

    def parse(data: bytes, report: ProblemReport) -> Document | None:
        if report.file in paths:
            with suppress(EditError):
                read = read_text(report.file, data)
                report.lines = quick_lines(read.text, read.blocks, read.document)
                return read.document
        return read_toml(data, report)

    return parse


def _decoded(data: bytes) -> str | None:
    """Return the text, or None when a parser should say what is wrong with it."""
    # Half of a Windows line end is none, and must not become one when its other half is added.
    if len(data) > MAX_BYTES or b"\0" in data or data.endswith(b"\r"):
        return None
    try:
        return data.decode("utf-8").removeprefix(BOM)
    except UnicodeDecodeError:
        return None


def _syntax(message: str, hint: str) -> Detail:
    """Return what the parser says in the words of the reviewer."""
    told = message.removeprefix("not TOML: ")
    return Detail("target_file", told.replace("after a key in a key/value pair", "after key"), hint)


def differing(before: Read, after: Read) -> str:
    """Return the text after without the simple elements of arrays that the text before has, too.

    What is left is small, and is TOML exactly if the whole is.
    """
    known = {before.text[b.start : b.tail] for b in before.blocks if b.many and b.plain}
    ends = [block.head for block in after.blocks[1:]] + [len(after.text)]
    # A table inside an element needs its element, so those arrays stay.
    sub = {b.name[:at] for b in after.blocks for at in range(1, len(b.name))}
    kept = []
    for block, end in zip(after.blocks, ends, strict=True):
        text = after.text[block.start : block.tail]
        drop = block.many and block.plain and text in known and block.name not in sub
        kept.append("" if drop else after.text[block.head : end])
    return "".join(kept)
