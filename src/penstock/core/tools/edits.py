"""What a tool call does to one file's content: the edits that agents know, applied to bytes.

Each agent's tool fails when its edit does not fit; so does ours, with a sentence on what was
not found. Which tool makes which edit is settled by `table`.
Always true: an edit is applied to the bytes that are there, and gives the bytes that the tool
would write, line ends included.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct

from penstock.core.errors import InputError
from penstock.core.text.quantities import counted

if TYPE_CHECKING:
    from penstock.core.patch.apply import FilePatch

_SHOWN = 60
_NEW_CELL = "new-cell"


class Whole(Struct, frozen=True, kw_only=True):
    """The content is given."""

    content: bytes


class Swap(Struct, frozen=True, kw_only=True):
    """One text takes the place of another, which must occur `times` times, or at all."""

    old: str
    new: str
    every: bool = False
    times: int = 1


class Swaps(Struct, frozen=True, kw_only=True):
    """Swaps one after the other; an empty `old` makes a file that is absent or empty."""

    swaps: tuple[Swap, ...]


class InsertLines(Struct, frozen=True, kw_only=True):
    """Lines are put behind line `line`; None is the end of the file."""

    text: str
    line: int | None = None


class NotebookCell(Struct, frozen=True, kw_only=True):
    """One cell of a notebook is replaced, inserted behind another, or deleted."""

    source: str
    cell: str | int | None = None
    cell_type: str = ""
    mode: str = "replace"


class ApplyPatch(Struct, frozen=True, kw_only=True):
    """A patch is applied."""

    patch: FilePatch


Edit = Whole | Swaps | InsertLines | NotebookCell | ApplyPatch


def edited(edit: Edit, before: bytes | None) -> bytes | None:
    """Return the content after an edit; None is no file, before and after."""
    if isinstance(edit, Whole):
        return edit.content
    if isinstance(edit, Swaps):
        return _swapped(edit, before)
    if isinstance(edit, InsertLines):
        return _inserted(edit, before)
    if isinstance(edit, NotebookCell):
        return _notebook(edit, before)
    from penstock.core.patch.apply import apply_patch  # most edits are no patches

    return apply_patch(edit.patch, before)


def as_bytes(text: str) -> bytes:
    """Return a text as bytes, or say that it is none."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(
            "bad-tool-input",
            "the content contains a lone surrogate (half a character)",
            hint="send the content as valid text",
        ) from None


# Swaps


def _swapped(edit: Swaps, before: bytes | None) -> bytes:
    content = before
    for swap in edit.swaps:
        content = _one_swap(swap, content)
    return content or b""


def _one_swap(swap: Swap, content: bytes | None) -> bytes:
    old, new = as_bytes(swap.old), as_bytes(swap.new)
    if not old:
        if content:
            raise _no_fit("the file already exists", "an empty old text creates a new file")
        return new
    if content is None:
        raise _no_fit("the file does not exist", f"`{_cut(swap.old)}` was to be replaced")
    if _uses_crlf(content):
        # Agents see such a file with plain line ends, and write its own back.
        plain = content.replace(b"\r\n", b"\n")
        after = _replaced(plain, old.replace(b"\r\n", b"\n"), new.replace(b"\r\n", b"\n"), swap)
        return after.replace(b"\n", b"\r\n")
    return _replaced(content, old, new, swap)


def _replaced(content: bytes, old: bytes, new: bytes, swap: Swap) -> bytes:
    count = content.count(old)
    if not count:
        raise _no_fit(f"`{_cut(swap.old)}` is not in the file", "it may have changed since")
    if not swap.every and count != swap.times:
        raise _no_fit(
            f"`{_cut(swap.old)}` is in the file {count} times",
            f"the call replaces {counted(swap.times, 'occurrence')}",
        )
    return content.replace(old, new)


def _uses_crlf(content: bytes) -> bool:
    both = content.count(b"\r\n")
    return both > content.count(b"\n") - both


def _no_fit(message: str, because: str) -> InputError:
    return InputError(
        "edit-does-not-fit", message, because=because, hint="read the file again and edit that"
    )


def _cut(text: str) -> str:
    line = text.split("\n", 1)[0]
    return line if len(line) <= _SHOWN and line == text else line[:_SHOWN] + "..."


# Lines


def _inserted(edit: InsertLines, before: bytes | None) -> bytes:
    *ended, last = (before or b"").split(b"\n")
    lines = [*(line + b"\n" for line in ended), *([last] if last else [])]
    at = len(lines) if edit.line is None else edit.line
    if not 0 <= at <= len(lines):
        raise _no_fit(f"the file has no line {at}", f"it has {counted(len(lines), 'line')}")
    new = as_bytes(edit.text)
    head, tail = b"".join(lines[:at]), b"".join(lines[at:])
    if head and not head.endswith(b"\n"):
        head += b"\n"
    if tail and not new.endswith(b"\n"):
        new += b"\n"
    return head + new + tail


# Notebooks


def _notebook(edit: NotebookCell, before: bytes | None) -> bytes:
    book = _book(before)
    cells = book["cells"]
    assert isinstance(cells, list)
    at = _place(edit, cells)
    if edit.mode == "delete":
        del cells[at]
    elif edit.mode == "insert" or at == len(cells):
        cells.insert(at, _new_cell(edit, book))
    else:
        _replace_cell(edit, cells[at])
    import json  # few edits are on notebooks

    return as_bytes(json.dumps(book, indent=1, ensure_ascii=False))


def _book(before: bytes | None) -> dict[str, object]:
    import json

    book: object = None
    with suppress(ValueError, RecursionError):
        book = json.loads(before or b"", parse_float=_number)
    cells = book.get("cells") if isinstance(book, dict) else None
    whole = isinstance(cells, list) and all(isinstance(cell, dict) for cell in cells)
    if not isinstance(book, dict) or not whole:
        raise _no_fit("the file is not a notebook", "it is not JSON with a list of cells")
    return book


def _number(text: str) -> float | int:
    """Return a number as JavaScript would write it back: `1.0` becomes `1`."""
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _place(edit: NotebookCell, cells: list[dict[str, object]]) -> int:
    """Return which cell is meant; an insert goes behind it, or to the front without one."""
    if edit.cell is None or edit.cell == "":
        if edit.mode == "insert":
            return 0
        raise _no_fit("no cell is named", f"{edit.mode} needs a cell")
    at = _found(edit.cell, cells) + (edit.mode == "insert")
    longest = len(cells) if edit.mode != "delete" else len(cells) - 1
    if not 0 <= at <= longest:
        raise _no_fit(
            f"there is no cell `{edit.cell}`", f"the notebook has {counted(len(cells), 'cell')}"
        )
    return at


def _found(cell: str | int, cells: list[dict[str, object]]) -> int:
    if isinstance(cell, int):
        return cell
    for at, known in enumerate(cells):
        if known.get("id") == cell:
            return at
    number = cell.removeprefix("cell-")
    if number.isascii() and number.isdigit() and len(number) < 10:
        return int(number)
    raise _no_fit(
        f"there is no cell `{_cut(cell)}`", f"the notebook has {counted(len(cells), 'cell')}"
    )


def _new_cell(edit: NotebookCell, book: dict[str, object]) -> dict[str, object]:
    """Return a new cell; a real one would get a random id, which nobody can know."""
    kind = edit.cell_type or "code"
    cell: dict[str, object] = {"cell_type": kind}
    minor = book.get("nbformat_minor")
    if book.get("nbformat") == 4 and isinstance(minor, int) and minor >= 5:
        cell["id"] = _NEW_CELL
    cell |= {"source": edit.source, "metadata": {}}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell


def _replace_cell(edit: NotebookCell, cell: dict[str, object]) -> None:
    cell["source"] = edit.source
    if cell.get("cell_type") == "code":
        cell |= {"execution_count": None, "outputs": []}
    if edit.cell_type:
        cell["cell_type"] = edit.cell_type
