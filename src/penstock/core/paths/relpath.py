"""Turn what an actor wrote for a path into something that can be judged.

`parse` gives a RelPath, which is safe because it exists. `locate` gives every spelling that
the rules must hear about, and never says no to a path merely because it leads outside: that
is a verdict. What the disk holds comes in through `resolve`; globs are `globs`'s.
Always true: no text makes a RelPath that leaves its root; only text that cannot name a file
raises, and then an InputError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from penstock.core.errors import InputError
from penstock.core.model import Target
from penstock.core.paths.spellings import beneath, fold, joined, normal, spellings

__all__ = ["RelPath", "can_name", "fold", "locate", "parse"]

LONGEST_PATH = 4096  # bytes, as Linux has it
LONGEST_NAME = 255
INSIDE = "use the path of a file inside the workspace"


class RelPath(Struct, frozen=True, kw_only=True):
    """A path beneath the workspace, in its one normal spelling.

    It checks itself, so that nobody can make one that `parse` would not have made.
    """

    text: str

    def __post_init__(self) -> None:
        _accepted(self.text)
        if self.text.startswith("/") or normal(self.text) != self.text:
            raise _refused(self.text, "it is not in normal form", "let `parse` make it")

    @property
    def parts(self) -> tuple[str, ...]:
        """The directories above it, then its name."""
        return tuple(self.text.split("/"))

    @property
    def name(self) -> str:
        """The last part."""
        return self.text.rpartition("/")[2]

    def __str__(self) -> str:
        return self.text


def parse(
    text: str | bytes, *, root: str, base: str = "", absolute_allowed: bool = True
) -> RelPath:
    """Return the path that a text means, relative to `base` (the root, unless it is given).

    Raises InputError: `bad-path`, `path-too-long`, `path-escape` or `absolute-path`.
    """
    given = _accepted_in(root, text)
    if given.startswith("/") and not absolute_allowed:
        raise InputError(
            "absolute-path",
            f"`{_spoken(given)}` is an absolute path",
            because="use a path relative to the workspace",
            hint=INSIDE,
        )
    place = normal(joined(given, root, base))
    relative = beneath(place, normal(root))
    if relative is None:
        raise _outside(given, place, normal(root))
    if not relative:
        raise _refused(given, "it is the workspace itself, not a file in it", INSIDE)
    return RelPath(text=relative)


def locate(
    text: str | bytes,
    *,
    root: str,
    base: str = "",
    resolve: Callable[[str], str] | None = None,
    known_as: Callable[[str], Iterable[str]] | None = None,
    twins: Callable[[str], Iterable[str]] | None = None,
    folds: bool = False,
) -> Target:
    """Return every spelling of a path that must be judged.

    Judged are the normal form and, where `resolve` follows links (as Files.resolve does),
    what that form and the text as it stands lead to; the last is where the kernel would go.
    So are the other places that `known_as` (as Files.known_as) has for each of them, and the
    other names of the same file that `twins` (as Files.twins) finds.
    The text as given and the names that are taken for it only tighten. A spelling that
    begins with `/` lies outside the workspace and is met only by patterns that begin with
    `**`. When `folds` is true the folded spellings are there too, for patterns that went
    through `fold` as well.
    """
    given = _accepted_in(root, text)
    same: list[str] = []

    def others(place: str) -> list[str]:
        linked = list(twins(place)) if twins else []
        same.extend(linked)
        return [*(known_as(place) if known_as else ()), *linked]

    shown, judged, tightening, outside = spellings(
        given, root=root, base=base, resolve=resolve, known_as=others, folds=folds
    )
    named = given.removeprefix(f"{root}/")
    looks_like, flags = ((), ()) if named.isascii() else _deceiving(named, judged)
    return Target(
        shown=shown,
        judged=judged,
        tightening=tightening,
        outside=outside,
        folds=folds,
        twins=tuple(dict.fromkeys(beneath(name, normal(root)) or name for name in same)),
        looks_like=looks_like,
        flags=flags,
    )


def _deceiving(given: str, judged: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what a reader takes a path for, and what it hides; only other letters need it."""
    from penstock.core.paths.lookalikes import flags, taken_for

    seen = [(spelling, taken_for(spelling)) for spelling in judged]
    return tuple(other for spelling, other in seen if other != spelling), flags(given)


# --- what cannot name a file ---------------------------------------------------------------


def _accepted_in(root: str, text: str | bytes) -> str:
    """Return a text that can name a file; what the root itself is called nobody asked for here."""
    if not isinstance(text, str) or not text.startswith(f"{root}/"):
        return _accepted(text)
    _accepted(text.removeprefix(f"{root}/") or ".")
    return text


def _accepted(text: str | bytes) -> str:
    """Return a text that can name a file; the checks come in the order of their danger."""
    # Most are short and plain: nothing of what follows can be wrong with them.
    if isinstance(text, str) and 0 < len(text) <= LONGEST_NAME and _is_plain(text):
        return text
    # (1) Control characters: a NUL ends the name for the kernel but not for us.
    if isinstance(text, bytes):
        _without_control(text.decode("latin-1"), upto="\x7f")
    else:
        _without_control(text, upto="\x9f")
    # (2) What is no text has no spelling to judge.
    given = _decoded(text)
    if given is not text:
        _without_control(given, upto="\x9f")
    # (3) What is longer than the kernel takes is an attack or a mistake.
    _short_enough(given)
    # (4) Nothing names nothing.
    if not given:
        raise _refused(given, "it is empty", INSIDE)
    return given


def can_name(text: str) -> bool:
    """Say whether a text can be a path; a directory's own name may hold more than we let in."""
    try:
        return bool(_accepted(text))
    except InputError:
        return False


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _without_control(text: str, *, upto: str) -> None:
    if text.isprintable():
        return
    for sign in text:
        if sign < " " or "\x7f" <= sign <= upto:
            because = f"it has a control character (U+{ord(sign):04X})"
            raise _refused(text, because, "name the file without control characters")


def _decoded(text: str | bytes) -> str:
    try:
        if isinstance(text, bytes):
            return text.decode("utf-8")
        text.encode("utf-8")
    except UnicodeError:
        shown = text.decode("utf-8", "surrogateescape") if isinstance(text, bytes) else text
        raise _refused(shown, "it is not valid UTF-8", "give the file a name in UTF-8") from None
    return text


def _short_enough(text: str) -> None:
    if len(text) * 4 <= LONGEST_NAME:  # no character takes more than four bytes
        return
    encoded = text.encode("utf-8")
    longest = max(map(len, encoded.split(b"/")))
    if len(encoded) <= LONGEST_PATH and longest <= LONGEST_NAME:
        return
    raise InputError(
        "path-too-long",
        f"`{_spoken(text[:40])}...` is too long for a path",
        because=f"it has {len(encoded)} bytes, its longest name {longest}; "
        f"the limits are {LONGEST_PATH} and {LONGEST_NAME}",
        hint="use shorter names",
    )


def _refused(text: str, because: str, hint: str) -> InputError:
    shown = _spoken(text if len(text) <= LONGEST_NAME else text[:40] + "...")
    return InputError("bad-path", f"`{shown}` is not a path to a file", because=because, hint=hint)


def _outside(given: str, place: str, root: str) -> InputError:
    """Tell a path that climbs out from one that was outside to begin with."""
    if given.startswith("/") and not beneath(given, root):
        message = f"`{_spoken(given)}` is outside the workspace"
        return InputError("absolute-path", message, hint=INSIDE)
    message = f"`{_spoken(given)}` leaves the workspace"
    because = f"it leads to `{_spoken(place)}`"
    return InputError("path-escape", message, because=because, hint=INSIDE)


def _spoken(text: str) -> str:
    """Make a path safe to show; most are never shown, so what that needs is imported late."""
    from penstock.core.text.display import spoken

    return spoken(text)
