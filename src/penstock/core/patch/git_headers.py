"""What git says of a file above its hunks: names, modes, renames.

Reading the lines is left to `unified_diff`, what a name may be to `file_names`.
Always true: all names that one diff gives its file agree, and what a diff asks for beyond content
and the modes of files and new links is refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock.core.file_mode import FileMode
from penstock.core.model import Action
from penstock.core.patch.file_names import NOWHERE, read_name, stripped, without_prefixes
from penstock.core.patch.model import bad_patch, shown, unsupported

GIT_HEADERS = (
    b"old mode ",
    b"new mode ",
    b"new file mode ",
    b"deleted file mode ",
    b"rename from ",
    b"rename to ",
    b"copy from ",
    b"copy to ",
    b"similarity index ",
    b"dissimilarity index ",
    b"index ",
)
SAY_NOTHING = {b"index ", b"similarity index ", b"dissimilarity index "}
SPECIAL_MODES = {b"120000": "a symbolic link", b"160000": "a submodule", b"040000": "a directory"}
CREATED = b"new file mode "
# What git can say of a file's own mode; a link comes as a whole, with its path as its content.
OF_FILES = {b"100644": FileMode.FILE, b"100755": FileMode.EXECUTABLE}
LINK = b"120000"
Headers = dict[bytes, bytes]


def refuse_special(headers: Headers, line: int) -> None:
    """Refuse what git says of more than a file's content: copies, links, submodules."""
    if b"copy from " in headers or b"copy to " in headers:
        raise unsupported("patches can't copy files", line=line, hint="send the copy as a new file")
    made = headers.get(CREATED)
    modes = [v for key, v in headers.items() if key.endswith(b"mode ") and v != made]
    if made is not None and made != LINK:
        modes.append(made)
    for mode in [*modes, headers.get(b"index ", b"").partition(b" ")[2]]:
        if mode in SPECIAL_MODES:
            raise unsupported(f"it changes {SPECIAL_MODES[mode]}, not a file", line=line)


def agreed_names(
    headers: Headers,
    pair: tuple[bytes, bytes] | None,
    named: tuple[bytes, bytes] | None,
    line: int,
) -> tuple[bytes, bytes]:
    """Return the two names of a git diff, proven to be the same wherever they are written."""
    renamed = b"rename from " in headers or b"rename to " in headers
    if renamed:
        names = _told_by_rename(headers, line)
        agree = named in (None, names) or (named is not None and stripped(*named) == names)
    elif pair:
        one = without_prefixes(*pair)
        names = (one, one) if one is not None else pair
        agree = named is None or all(
            name in (NOWHERE, side) for name, side in zip(named, pair, strict=True)
        )
    else:
        names, agree = stripped(*(named or (b"", b""))), named is not None
    if not agree:
        raise bad_patch("it does not give its file one name", line=line)
    gone = [
        NOWHERE if name == NOWHERE else told
        for name, told in zip(named or names, names, strict=True)
    ]
    return gone[0], gone[1]


def _told_by_rename(headers: Headers, line: int) -> tuple[bytes, bytes]:
    if b"rename from " not in headers or b"rename to " not in headers:
        raise bad_patch("a rename needs both of its names", line=line)
    sides = (headers[b"rename from "], headers[b"rename to "])
    old, new = (read_name(side, line)[0] for side in sides)
    if old == new:
        raise bad_patch(f"`{shown(old)}` is moved to itself", line=line)
    return old, new


def action_of(old: bytes, new: bytes, headers: Headers, line: int) -> Action:
    """Return what a diff does to its file, by its names and headers."""
    created = old == NOWHERE or b"new file mode " in headers
    deleted = new == NOWHERE or b"deleted file mode " in headers
    moved = b"rename from " in headers
    if created + deleted + moved > 1:
        raise bad_patch("it creates, deletes or moves one file at a time", line=line)
    if created:
        return Action.CREATE
    return Action.DELETE if deleted else Action.WRITE


def mode_of(headers: Headers) -> FileMode | None:
    """Return the mode that a diff gives its file; None where it says nothing of it."""
    told = headers.get(b"new mode ", headers.get(CREATED, b""))
    return FileMode.LINK if told == LINK else OF_FILES.get(told)


def notes_on(headers: Headers, crlf: bool) -> Iterator[str]:
    """Yield what a diff asks for and will not get."""
    told = headers.get(b"new mode ", headers.get(CREATED, LINK))
    if told != LINK and told not in OF_FILES:
        yield f"the file does not get the mode `{shown(told)}`"
    if crlf:
        yield "all lines of the patch text end in CRLF; a file with LF keeps LF"
