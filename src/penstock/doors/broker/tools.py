"""One function per tool that reads or proposes: what was asked, put to the gate.

Nothing is decided here: rules and states are the gate's; what a proposal is answered with is
`propose`'s, and applying is `apply`'s.
Always true: no tool in this module leads to a write.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from penstock.core.errors import InputError
from penstock.core.model import Action
from penstock.core.patch.apply import apply_all, modes_of, parse_patch
from penstock.core.patch.model import FilePatch
from penstock.core.text.excerpt import Window, bytes_shown, line_range, window
from penstock.core.text.quantities import counted
from penstock.core.tools.edits import Swap, Swaps, edited
from penstock.doors.broker.parameters import ToolRequest
from penstock.doors.broker.propose import FileIntent, propose
from penstock.doors.broker.responses import Status, ToolResponse
from penstock.doors.broker.targets import (
    TargetFile,
    current,
    find,
    require_allowed,
    require_file,
    require_text,
)
from penstock.gate import Gate

READ = "fs.read"
LINES = 200
MOST_FILES = 1000


# --- reading ----------------------------------------------------------------------------


def read_file(gate: Gate, asked: ToolRequest) -> ToolResponse:
    """Return some lines of a file, and the digest of all of it."""
    place = find(gate, asked.text("path"))
    require_allowed(gate, place, Action.READ)
    start = max(asked.number("start_line", 1), 1)
    start, end = line_range(start, asked.number("end_line", start + LINES - 1))
    limits = gate.policy().limits
    most = bytes_shown(
        asked.number("max_bytes", 0),
        default=limits.max_read_bytes_default,
        most=limits.max_read_bytes_hard,
    )
    require_file(place)
    source = gate.source(place.path)
    found = window(source, start=start, end=end, max_bytes=most, shown=place.shown)
    return _read(place.shown, found, most)


def _read(path: str, found: Window, max_bytes: int) -> ToolResponse:
    lines = {"start_line": found.start_line, "end_line": found.end_line}
    cut = f", cut at {max_bytes} bytes" if found.truncated else ""
    return ToolResponse(
        status=Status.ALLOWED,
        method=READ,
        path=path,
        output=f"read the lines {found.start_line} to {found.end_line} of {path}{cut}",
        data={
            "content": found.text,
            "returned_range": lines,
            "base_hash": found.digest,
            "truncated": found.truncated,
            "max_bytes": max_bytes,
        },
        facts={"range": lines, "base_hash": found.digest},
    )


# --- proposing --------------------------------------------------------------------------


def write_file(gate: Gate, asked: ToolRequest) -> ToolResponse:
    """Propose the whole content of a file."""
    path, content = asked.text("path"), asked.text("content").encode()
    place = find(gate, path)
    _require_writable(gate, place, content)
    return propose(
        gate, asked, [FileIntent(place=place, before=current(gate, place), after=content)]
    )


def replace_text(gate: Gate, asked: ToolRequest) -> ToolResponse:
    """Propose one text of a file in another's place."""
    path, old, new = asked.text("path"), asked.text("old"), asked.text("new")
    if not old:
        raise InputError("bad-parameter", "`old` is empty", hint="send the text to be replaced")
    place = find(gate, path)
    require_allowed(gate, place, Action.WRITE)
    before = current(gate, place)
    if before is None:
        raise InputError("not-found", f"`{place.shown}` does not exist")
    after = _swapped(before, old, new, every=asked.flag("replace_all"))
    _require_writable(gate, place, after)
    return propose(gate, asked, [FileIntent(place=place, before=before, after=after)])


def _swapped(before: bytes, old: str, new: str, *, every: bool) -> bytes | None:
    """Replace exactly these bytes; where they are not there, with the file's own line ends."""
    count = before.count(old.encode())
    if not count:
        return edited(Swaps(swaps=(Swap(old=old, new=new, every=every),)), before)
    if count > 1 and not every:
        raise InputError(
            "text-not-unique",
            f"`old` is in the file {count} times",
            because="only one place is meant",
            hint="send more of the text around it, or `replace_all`",
        )
    return before.replace(old.encode(), new.encode())


def apply_patch(gate: Gate, asked: ToolRequest) -> ToolResponse:
    """Propose what a patch makes of its files; several files are one set."""
    patches = parse_patch(asked.text("patch"))
    if len(patches) > MOST_FILES:
        raise InputError("too-large", f"the patch has {len(patches)} files, {MOST_FILES} at most")
    _require_only(asked.optional("path"), patches)
    places = _Places(gate)
    settled = [_settled(patch, places) for patch in patches]
    after, modes = apply_all(settled, places.content), modes_of(settled)
    wanted = [
        FileIntent(
            place=places.known[path],
            before=places.content(path),
            after=content,
            mode=modes.get(path),
        )
        for path, content in after.items()
    ]
    wanted = [one for one in wanted if one.before is not None or one.after is not None]
    for one in wanted:
        _require_writable(gate, one.place, one.after)
    return propose(gate, asked, wanted)


class _Places:
    """The files of a patch, each found, judged and read once."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.known: dict[str, TargetFile] = {}
        self.read: dict[str, bytes | None] = {}

    def settle(self, text: str) -> str:
        """Return the one name under which a file is known here."""
        place = find(self.gate, text)
        require_allowed(self.gate, place, Action.WRITE if place.exists else Action.CREATE)
        require_file(place)
        self.known.setdefault(place.path.text, place)
        return place.path.text

    def content(self, path: str) -> bytes | None:
        """Return what a file holds now."""
        if path not in self.read:
            self.read[path] = current(self.gate, self.known[path])
        return self.read[path]


def _settled(patch: FilePatch, places: _Places) -> FilePatch:
    moved = None if patch.moved_to is None else places.settle(patch.moved_to)
    return replace(patch, path=places.settle(patch.path), moved_to=moved)


def _require_only(path: str, patches: Sequence[FilePatch]) -> None:
    """A request that names one file gets a patch of that one file."""
    if not path:
        return
    named = {name for patch in patches for name in (patch.path, patch.moved_to) if name}
    if named != {path.removeprefix("./")}:
        raise InputError(
            "patch-path-mismatch",
            f"the patch changes {counted(len(named), 'file')}, but the request names `{path}`",
            because=", ".join(f"`{name}`" for name in sorted(named)[:5]),
            hint="leave `path` out to propose all of them as one set",
        )


def _require_writable(gate: Gate, place: TargetFile, content: bytes | None) -> None:
    """Ask the rules about the name and the size before anything is read or kept."""
    action = Action.WRITE if place.exists else Action.CREATE
    size = 0 if content is None else len(content)
    require_allowed(gate, place, Action.DELETE if content is None else action, size)
    require_file(place)
    if content is not None:
        require_text(content, place.shown)


Tool: TypeAlias = Callable[[Gate, ToolRequest], ToolResponse]
PROPOSING: Mapping[str, Tool] = {
    "write_file": write_file,
    "replace_text": replace_text,
    "apply_patch": apply_patch,
}
