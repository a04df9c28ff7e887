"""A rules file as bytes, read once: its text, its blocks and its document.

Always true: what was read is remembered by its bytes, so that an edit, its checks and its
comparison read a file once; bytes that cannot be read are an EditError that names the line.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from contextlib import suppress
from functools import lru_cache

from msgspec import Struct

from penstock.core.rule_edit.operation import Detail, EditError
from penstock.core.rule_edit.toml.blocks import TomlBlock, read_blocks
from penstock.core.rules.documents import BOM, Document, read_toml
from penstock.core.rules.problems import ProblemReport
from penstock.core.rules.toml_positions import TomlPositions


class Read(Struct, frozen=True, kw_only=True):
    """A text with its document and its blocks; shared, so nobody may change it.

    The text ends with a newline; `cut` is that newline where the file has none at its end.
    """

    text: str
    newline: str
    cut: str
    document: Document
    blocks: list[TomlBlock]
    lines: TomlPositions


@lru_cache(maxsize=4)
def read_text(path: str, data: bytes) -> Read:
    """Read a file's bytes into blocks and a document."""
    report = ProblemReport(file=path)
    document = read_toml(data, report)
    if document is None:
        raise EditError(*(_syntax(one.message, one.hint) for one in report.problems))
    if report.lines.lost:  # pragma: no cover - no text is known that leads here
        why = "this file is TOML, but its lines could not be parsed"
        raise EditError(Detail("target_file", why, "edit it by hand"))
    text = data.decode("utf-8").removeprefix(BOM)
    newline = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    cut = "" if text.endswith("\n") or not text else newline
    blocks = read_blocks(text + cut, report.lines.headers)
    return Read(
        text=text + cut,
        newline=newline,
        cut=cut,
        document=document,
        blocks=blocks,
        lines=report.lines,
    )


def parsing(paths: Container[str]) -> Callable[[bytes, ProblemReport], Document | None]:
    """Return what reads a policy's files where those at some paths were read a moment ago."""

    def parse(data: bytes, report: ProblemReport) -> Document | None:
        if report.file in paths:
            with suppress(EditError):
                read = read_text(report.file, data)
                report.lines = read.lines
                return read.document
        return read_toml(data, report)

    return parse


def _syntax(message: str, hint: str) -> Detail:
    """Return what the parser says in the words of the reviewer."""
    told = message.removeprefix("not valid TOML: ")
    return Detail("target_file", told.replace("after a key in a key/value pair", "after key"), hint)
