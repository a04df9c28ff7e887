"""From the path in a request to the file that is meant, judged before it is touched.

A link inside the workspace is followed, and both its name and where it leads are judged; one
that leads out is refused. Always true: what comes out lies in the workspace and is allowed to be
proposed or read; a path that is absolute or climbs is refused however harmless it would be.
"""

from __future__ import annotations

from msgspec import Struct

from penstock.core.errors import InputError, PenstockError
from penstock.core.model import Action, Change, ChangeKind, Decision, Request, Verdict
from penstock.core.paths.relpath import RelPath, parse
from penstock.core.text.display import spoken
from penstock.core.text.excerpt import not_text
from penstock.gate import Gate
from penstock.ports import FileKind

LARGEST = 64 * 1024 * 1024  # of a file that is compared with what shall be in its place


class DeniedError(PenstockError):
    """The rules say no; `decision` says why."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(decision.code or "path-denied", decision.because)
        self.decision = decision


class TargetFile(Struct, frozen=True, kw_only=True):
    """A file: how the request names it, and where that name leads."""

    shown: str
    path: RelPath
    kind: FileKind | None

    @property
    def exists(self) -> bool:
        """Say whether something is there."""
        return self.kind is not None

    @property
    def linked(self) -> bool:
        """Say whether the name leads elsewhere."""
        return self.shown != self.path.text


def named(gate: Gate, text: str) -> RelPath:
    """Return the path that a text names, whatever it leads to. Raises InputError."""
    path = parse(text, root=gate.root, absolute_allowed=False)
    if ".." in text.split("/"):
        raise InputError(
            "path-escape",
            f"`{spoken(text)}` contains `..`",
            hint="use a path below the workspace",
        )
    return path


def find(gate: Gate, text: str) -> TargetFile:
    """Return where a path leads. Raises InputError for one that leaves the workspace."""
    name = named(gate, text)
    try:
        reached = parse(gate.locate(name.text).judged[-1], root=gate.root)
    except InputError:
        raise InputError(
            "path-escape",
            f"`{name.text}` is outside the workspace",
            because="a symbolic link in its path points outside",
            hint="use the path of a file inside the workspace",
        ) from None
    return TargetFile(shown=name.text, path=reached, kind=gate.kind(reached))


def require_allowed(gate: Gate, place: TargetFile, action: Action, size: int = 0) -> None:
    """Judge a path, and a size, by all of its names. Raises DeniedError."""
    change = None
    if action is not Action.READ:
        kind = ChangeKind.MODIFY if place.exists else ChangeKind.NEW
        change = Change(kind=kind, after_size=size)
    target = gate.locate(place.shown)
    decision = gate.decide(Request(action=action, target=target, change=change))
    # Nobody can be asked about a read here, so what would be asked is not read.
    if decision.verdict is Verdict.DENY or (
        action is Action.READ and decision.verdict is not Verdict.ALLOW
    ):
        raise DeniedError(decision)


def require_file(place: TargetFile) -> None:
    """Raise InputError for what is there and is no file."""
    if place.kind is FileKind.DIRECTORY:
        raise InputError("is-directory", f"`{place.shown}` is a directory")
    if place.kind is FileKind.SYMLINK:  # followed as far as it goes: it leads in a circle
        raise InputError("is-symlink", f"`{place.shown}` is a broken symbolic link")
    if place.kind not in (None, FileKind.FILE):
        raise InputError(
            "not-a-file", f"`{place.shown}` is a pipe, a socket or a device, not a file"
        )


def current(gate: Gate, place: TargetFile) -> bytes | None:
    """Return what a file holds; None where there is none. Raises InputError for no text."""
    if not place.exists:
        return None
    require_file(place)
    if gate.source(place.path).size > LARGEST:
        raise InputError(
            "too-large",
            f"`{place.shown}` is too large to compare",
            because=f"it has more than {LARGEST} bytes",
        )
    content = gate.current(place.path.text)
    if content is not None:
        require_text(content, place.shown)
    return content


def require_text(content: bytes, shown: str) -> None:
    """Raise InputError for what a person cannot judge as text."""
    if b"\0" in content:
        raise not_text(shown, "it holds a NUL byte")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        raise not_text(shown, "it is not valid UTF-8") from None
