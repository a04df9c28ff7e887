"""From an operation to what it would write: read, edit in memory, validate, look at the effect.

Nothing is written here, so the dry run and the real run share every step and every word.
Always true: an EditPlan is good to be written because it exists; whatever stands against it was
raised as an EditError or another PenstockError.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from penstock.app import rule_edits as app
from penstock.app.workspace import read_rules, rule_history
from penstock.core.digest import digest
from penstock.core.errors import InputError
from penstock.core.rule_edit.edit import (
    Detail,
    EditCheck,
    EditError,
    EditResult,
    Operation,
    checked,
    edited,
    restored,
    told,
)
from penstock.core.rule_edit.source import read_text
from penstock.core.rules.fields import EDITED_TABLES, SETS
from penstock.core.rules.fields import TABLES as FIELD_TABLES
from penstock.doors.reviewer.responses import Document

MOST_FILES = 20
OWN_NAMES = (f"/{app.CONFIG}", "/penstock.toml")
RULES = (b"allow", b"deny", b"ask", b"warn")
OURS = (*EDITED_TABLES, SETS, *FIELD_TABLES)
TABLES = frozenset({*(name.encode() for name in OURS), b"logging", b"variables"})
HEADER = re.compile(rb"^[ \t]*+\[\[?+[ \t]*+([\w-]++)(?:\.([\w-]++))?+", re.MULTILINE)


class EditPlan(Struct, frozen=True, kw_only=True):
    """An operation with the files that it is about, as they are and as they would be.

    `main` is the file that the policy begins with, which may include the edited ones.
    """

    operation: Operation
    before: Mapping[str, bytes]
    edited: EditResult
    checked: EditCheck
    main: str

    @property
    def files(self) -> tuple[str, ...]:
        """The files that were asked about."""
        return tuple(self.before)

    @property
    def after(self) -> Mapping[str, bytes]:
        """The new texts of the files that change."""
        return {p: d for p, d in self.edited.texts.items() if d != self.before[p]}

    @property
    def fingerprint(self) -> str:
        """A digest of every file that changes, as it is and as it would be."""
        texts = [(path, self.before[path], text) for path, text in sorted(self.after.items())]
        return digest(repr(texts).encode("utf-8", "surrogatepass"))

    def changes(self, *, dry_run: bool) -> list[str]:
        """Return one sentence for each change."""
        return [told(one, dry_run=dry_run) for one in self.edited.changes] if self.after else []

    def warnings(self) -> list[Document]:
        """Return what should be known about it."""
        return [dict(one.as_json()) for one in self.checked.warnings]


def aimed(operation: Operation, fallback: str, environ: Mapping[str, str]) -> Operation:
    """Return an operation whose files are absolute and real. Raises when it names none."""

    def resolve(name: str) -> str:
        return app.target(name or fallback) if name or fallback else ""

    found = operation.aimed(resolve)
    if "" in found.files:
        raise _no_target(app.discovered(environ))
    if len(found.files) > MOST_FILES:
        detail = Detail("operations", f"more than {MOST_FILES} files in one batch", "split it")
        raise EditError(detail, error_type="invalid_operation")
    return found


def _no_target(known: Sequence[str]) -> EditError:
    hint = "Add target_file to the operation, or --target-file."
    if len(known) == 1:
        hint = f"Found {known[0]}; if that is the one, add --target-file {known[0]}"
    elif known:
        hint = f"Name one of: {', '.join(known)}"
    detail = Detail("target_file", "Missing required field: target_file", hint)
    return EditError(detail, error_type="missing_target")


def planned(operation: Operation) -> EditPlan:
    """Read the files, make the edit in memory and validate all of it."""
    before = {path: app.content(path) for path in operation.files}
    for path, data in before.items():
        _need_rules(path, data)
    back = operation.each[0].type == "rollback"
    made = _rolled_back(operation) if back else edited(before, operation)
    mains, read = _including(before), reading(made.texts)
    found = [checked(read, main, made, operation) for main in (next(iter(before)), *mains)]
    for one in found:
        if one.blocking:
            raise EditError(*one.blocking)
    main = (*mains, *_including_each_other(before), *before)[0]
    return EditPlan(
        operation=operation, before=before, edited=made, checked=_joined(found), main=main
    )


def reading(texts: Mapping[str, bytes]) -> Callable[[str], bytes | None]:
    """Return how files are read beside some new texts, which stand for themselves.

    Under another name, as through a link, an edited file already holds its new text.
    """

    def read(path: str) -> bytes | None:
        real = path if path in texts else os.path.realpath(path)
        return texts[real] if real != path and real in texts else read_rules(path)

    return read


def _joined(found: Sequence[EditCheck]) -> EditCheck:
    """Return what was found in the file itself and in the policies that include it."""
    if len(found) == 1:
        return found[0]
    warnings = dict.fromkeys(warning for one in found for warning in one.warnings)
    overlaps = dict.fromkeys(name for one in found for name in one.overlaps)
    return replace(found[1], warnings=tuple(warnings), overlaps=tuple(overlaps))


def _need_rules(path: str, data: bytes) -> None:
    """Refuse a TOML file of another kind: the tables that it begins are not those of rules."""
    if path.endswith(OWN_NAMES):
        return
    found = {(m[1], m[2] or b"") for m in HEADER.finditer(data)}
    if found and not any(first in TABLES or second in RULES for first, second in found):
        raise InputError(
            "bad-target",
            f"`{path}` is no rules file",
            because="none of its tables is one of rules",
            hint="name the file with the rules",
        )


def _rolled_back(operation: Operation) -> EditResult:
    """Return older versions, each of a file of its own, as the edit that they are."""
    if len(operation.files) < len(operation.each):
        detail = Detail("operations", "a file is rolled back twice", "name one version of each")
        raise EditError(detail, error_type="invalid_operation")
    history = rule_history()
    made = [
        restored(
            one.target_file,
            history.at(one.target_file, commit=one.to_commit, backup=one.to_backup),
        )
        for one in operation.each
    ]
    return EditResult(
        texts={path: data for one in made for path, data in one.texts.items()},
        changes=tuple(change for one in made for change in one.changes),
    )


def _including(before: Mapping[str, bytes]) -> list[str]:
    """Return the rules files that may include one of these: they must load afterwards, too."""
    others = [(main, read_rules(main)) for main in app.mains([*before]) if main not in before]
    return [
        main
        for main, data in others
        if data and (_names(data, [*before]) or _links_to(main, data, before))
    ]


def _including_each_other(before: Mapping[str, bytes]) -> list[str]:
    """Return those of some files that may include another of them."""
    return [one for one, data in before.items() if _names(data, [*({*before} - {one})])]


def _names(data: bytes, paths: Sequence[str]) -> bool:
    names = [path.rpartition("/")[2].encode("utf-8", "surrogateescape") for path in paths]
    return b"include" in data and any(name in data for name in names)


def _links_to(main: str, data: bytes, before: Mapping[str, bytes]) -> bool:
    """Say whether a rules file includes one of some files under another name."""
    if b"include" not in data:
        return False
    try:
        includes = read_text(main, data).document.get("includes")
    except EditError:
        return False  # whoever reads it is told
    files = includes.get("files") if isinstance(includes, dict) else None
    names = [name for name in files if isinstance(name, str)] if isinstance(files, list) else []
    folder = os.path.dirname(main)
    return any(os.path.realpath(os.path.join(folder, name)) in before for name in names)
