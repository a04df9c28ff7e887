"""Read rules that were written for other programs, unchanged.

`write-policies.json` (the hook spec's three lists), the `file_broker:` section of a YAML file
(the broker spec's), and, from `permissions_hook/`, `claude-code-permissions-hook.toml`. Each is
turned into the same rules and settings that `penstock.toml` gives.
Always true: the hook spec's file never fails (what cannot be read is its default, with a
warning); the broker's does, because a broker that guesses its limits guards nothing.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from typing import cast

from msgspec import Struct

from penstock.core.digest import digest
from penstock.core.model import COVERS, Action, Verdict
from penstock.core.policy.protected_names import DEFAULT_LISTS, PROTECTED_REASON, WARNED_NOTE
from penstock.core.policy.rule import Rule, Where
from penstock.core.rules.documents import Document, read_json, read_yaml
from penstock.core.rules.fields import Field, FieldKind
from penstock.core.rules.layers import LoadResult
from penstock.core.rules.permissions_hook.document import looks_original, read_permissions_hook
from penstock.core.rules.problems import ProblemReport, did_you_mean, shown
from penstock.core.rules.values import READERS, WrongValueError, glob_fault

__all__ = [
    "is_original",
    "read",
    "read_file_broker",
    "read_permissions_hook",
    "read_write_policies",
]

ORIGINAL_NAME = "claude-code-permissions-hook.toml"


def is_original(file: str, document: Document) -> bool:
    """Say whether a TOML file was written for the original, by its name, else by its shape."""
    name = posixpath.basename(file)
    return name != "penstock.toml" and looks_original(document, named=name == ORIGINAL_NAME)


def read(
    file: str,
    data: bytes,
    reading: Callable[[str], bytes | None],
    parsed: tuple[Document, ProblemReport] | None = None,
) -> LoadResult:
    """Read a file that is not in Penstock's own format."""
    if file.endswith(".json"):
        return read_write_policies(data, file=file)
    if file.endswith((".yaml", ".yml")):
        return read_file_broker(data, file=file)
    return read_permissions_hook(file, reading, parsed=parsed)


# --- write-policies.json ----------------------------------------------------------------

WRITE_KEYS = (*DEFAULT_LISTS, "paranoid", "suppress", "outside_project")
OUTSIDE = ("none", "ask", "deny")


def read_write_policies(data: bytes | None, *, file: str = "write-policies.json") -> LoadResult:
    """Read the hook spec's policy file; None is a missing one. Never has problems."""
    report = ProblemReport(file=file)
    document = read_json(data, report) if data is not None else {}
    if not isinstance(document, dict):
        # An open failure is what that spec asks for, and its defaults still protect.
        report.warn("not a JSON object, so the default lists are in force", hint="fix the file")
        document = {}
    for key in document:
        if key not in WRITE_KEYS and not key.startswith("$"):
            report.warn(f"unknown key {shown(key)} is ignored", hint=did_you_mean(key, WRITE_KEYS))
    lists = {name: _globs_of(document, name, DEFAULT_LISTS[name], report) for name in DEFAULT_LISTS}
    suppressed = _globs_of(document, "suppress", (), report)
    return LoadResult(
        name=file,
        rules=_write_rules(lists, suppressed, Where(file=file)),
        settings=_write_settings(document, report),
        warnings=(*report.problems, *report.warnings),
        sources=((file, digest(data or b"")),),
        literal=True,
    )


def _globs_of(
    document: Mapping[str, object], name: str, default: tuple[str, ...], report: ProblemReport
) -> tuple[str, ...]:
    """Return a list's usable globs; one that is missing, no list or all faults has its default.

    Whoever wants a list to be empty writes `[]`.
    """
    raw = document.get(name, list(default))
    if not isinstance(raw, list):
        report.warn(f"`{name}` must be a list, so its default is in force", hint="write [...]")
        return default
    globs = []
    for glob in raw:
        fault = glob_fault(glob) if isinstance(glob, str) else ("which is not a string", "")
        if fault:
            report.warn(f"`{name}` holds {shown(glob)}, {fault[0]}; it is skipped", hint=fault[1])
        else:
            globs.append(cast("str", glob))
    if raw and not globs:
        hint = f'write patterns, or `"{name}": []` for none'
        report.warn(f"`{name}` has no usable pattern, so its default is in force", hint=hint)
        return default
    return tuple(globs)


def _write_rules(
    lists: Mapping[str, tuple[str, ...]], suppressed: tuple[str, ...], where: Where
) -> tuple[Rule, ...]:
    rules = (
        Rule(
            id="protected",
            verdict=Verdict.DENY,
            paths=lists["protected"],
            reason=PROTECTED_REASON,
            code="path-denied",
            where=where,
        ),
        Rule(
            id="warned",
            warns=True,
            paths=lists["warned"],
            not_paths=suppressed,
            note=WARNED_NOTE,
            where=where,
        ),
        Rule(id="safe", paths=lists["safe"], where=where),
    )
    # Without globs a rule would speak of every path; an empty list means none.
    return tuple(rule for rule in rules if rule.paths)


def _write_settings(
    document: Mapping[str, object], report: ProblemReport
) -> dict[str, dict[str, object]]:
    paranoid, outside = document.get("paranoid", False), document.get("outside_project", "none")
    if not isinstance(paranoid, bool):
        report.warn("`paranoid` must be true or false, so it is true", hint="without quotes")
    if outside not in OUTSIDE:
        report.warn("`outside_project` is not understood", hint=f"one of {', '.join(OUTSIDE)}")
    return {
        "": {
            # A word that is not understood is taken as the stricter one.
            "warn": "allow" if paranoid is False else "deny",
            "outside_project": outside if outside in OUTSIDE else "deny",
        },
        "on_error": {"hook": "allow"},
    }


# --- file_broker: in YAML ---------------------------------------------------------------

SECTION = "file_broker"


class _Key(Struct, frozen=True, kw_only=True):
    """A key of the section: what it may hold, its default, and where it goes in settings."""

    kind: FieldKind
    default: object
    to: tuple[str, str] | None = None
    least: int = 0


BROKER_KEYS: Mapping[str, _Key] = {
    "enabled": _Key(kind=FieldKind.FLAG, default=True, to=("broker", "enabled")),
    "hitl_ttl_seconds": _Key(
        kind=FieldKind.COUNT, default=120, to=("approval", "ttl_seconds"), least=1
    ),
    "max_read_bytes_default": _Key(
        kind=FieldKind.COUNT, default=32_000, to=("limits", "max_read_bytes_default"), least=1
    ),
    "max_read_bytes_hard": _Key(
        kind=FieldKind.COUNT, default=131_072, to=("limits", "max_read_bytes_hard"), least=1
    ),
    "max_write_bytes_hard": _Key(
        kind=FieldKind.COUNT, default=524_288, to=("limits", "max_write_bytes"), least=1
    ),
    "audit_log_enabled": _Key(
        kind=FieldKind.FLAG, default=True, to=("broker", "audit_log_enabled")
    ),
    "auto_apply": _Key(kind=FieldKind.FLAG, default=False, to=("broker", "auto_apply")),
    "allowlisted_create_dirs": _Key(
        kind=FieldKind.TEXTS, default=("src/", "lib/", "tests/", "docs/", "scripts/")
    ),
    "deny_path_globs": _Key(
        kind=FieldKind.TEXTS, default=("**/.env", "**/*.pem", "**/*id_rsa*", "**/secrets/**")
    ),
}


def read_file_broker(data: bytes | None, *, file: str = "config.yaml") -> LoadResult:
    """Read the broker's section of a YAML file; None, or no section, is its defaults."""
    report = ProblemReport(file=file)
    document = read_yaml(data, report) if data is not None else {}
    section: object = {}
    if isinstance(document, dict):
        section = document.get(SECTION)
    elif document is not None:
        report.wrong("the file is no mapping of keys", hint=f"write `{SECTION}:` and its keys")
    values = _section_values({} if section is None else section, report)
    settings: dict[str, dict[str, object]] = {
        "defaults": {"read": "allow", "write": "ask"},
        "": {"outside_project": "deny"},
    }
    for name, key in BROKER_KEYS.items():
        if key.to is not None:
            settings.setdefault(key.to[0], {})[key.to[1]] = values[name]
    return LoadResult(
        name=file,
        rules=_broker_rules(values, report),
        settings=settings,
        problems=tuple(report.problems),
        warnings=tuple(report.warnings),
        sources=((file, digest(data or b"")),),
        literal=True,
    )


def _section_values(section: object, report: ProblemReport) -> dict[str, object]:
    values = {name: key.default for name, key in BROKER_KEYS.items()}
    if not isinstance(section, dict):
        report.wrong(f"`{SECTION}` must be a mapping", SECTION, hint="indent its keys below it")
        return values
    for name, raw in section.items():
        key = BROKER_KEYS.get(name) if isinstance(name, str) else None
        if key is None:
            hint = did_you_mean(str(name), BROKER_KEYS)
            report.warn(f"unknown key {shown(name)} is ignored", SECTION, str(name), hint=hint)
            continue
        try:
            one = Field(name=name, kind=key.kind, doc="", least=key.least)
            values[name] = READERS[key.kind](one, raw)
        except WrongValueError as wrong:
            for one_fault in wrong.all_of:
                report.wrong(f"`{name}` {one_fault.what}", SECTION, name, hint=one_fault.hint)
    return values


def _broker_rules(values: Mapping[str, object], report: ProblemReport) -> tuple[Rule, ...]:
    """A deny list, and an allow-list of directories turned into what it denies."""
    line = report.line_of
    globs = cast("tuple[str, ...]", values["deny_path_globs"])
    dirs = cast("tuple[str, ...]", values["allowlisted_create_dirs"])
    _check_globs(globs, "deny_path_globs", report)
    _check_globs(dirs, "allowlisted_create_dirs", report)
    denied = Rule(
        id="deny_path_globs",
        verdict=Verdict.DENY,
        actions=COVERS[Action.READ] | COVERS[Action.WRITE],
        paths=globs,
        reason="{path} is on the deny list",
        code="path-denied",
        where=Where(file=report.file, line=line(SECTION, "deny_path_globs")),
    )
    created = Rule(
        id="allowlisted_create_dirs",
        verdict=Verdict.DENY,
        actions=COVERS[Action.CREATE],
        paths=("**",),
        not_paths=("*", *(f"{folder.rstrip('/')}/**" for folder in dirs)),
        reason="{path} is not below a directory in which files may be created",
        instead=f"create it below {', '.join(dirs)}" if dirs else "create it at the root",
        code="create-not-allowed",
        where=Where(file=report.file, line=line(SECTION, "allowlisted_create_dirs")),
    )
    return (denied, created) if globs else (created,)


def _check_globs(globs: tuple[str, ...], name: str, report: ProblemReport) -> None:
    for at, glob in enumerate(globs):
        fault = glob_fault(glob)
        if fault:
            message = f"`{name}` holds {shown(glob)}, {fault[0]}"
            report.wrong(message, SECTION, name, at, hint=fault[1])
