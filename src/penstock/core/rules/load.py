"""Rules text to a policy, or to problems that name their lines.

A file is read with everything it includes, in whichever of the formats it is written.
`penstock.toml` is read here, the formats of other programs in `foreign`; what a rule's
fields mean is `rule`'s, and how levels meet is `layers`'. Files come in through
a callable, so that the same text always gives the same policy.
Always true: nothing is dropped in silence. What is not understood is a problem, problems come
all at once, and a policy exists only when there are none.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import cast

from msgspec import Struct, field
from msgspec.structs import replace

from penstock import presets
from penstock.core.digest import digest
from penstock.core.policy.builtin import NOTHING, Own
from penstock.core.policy.model import Policy
from penstock.core.policy.rule import Rule
from penstock.core.rules.documents import Document, read_shipped, read_toml
from penstock.core.rules.exceptions import exceptions_in
from penstock.core.rules.fields import ADDED_PRESETS, EDITED_TABLES, RULE_TABLES, SETS, TABLES
from penstock.core.rules.layers import LoadResult, Settings, build, fallback, join
from penstock.core.rules.problems import (
    LevelBudget,
    Problem,
    ProblemReport,
    as_error,
    did_you_mean,
    shown,
)
from penstock.core.rules.rule import Reader, Thresholds, Values
from penstock.core.rules.sets import Globs, read_sets
from penstock.core.text.late_regex import late_regex

__all__ = [
    "LoadResult",
    "Problem",
    "as_error",
    "build",
    "fallback",
    "in_force",
    "load",
    "load_preset",
    "parse_policy",
]

Read = Callable[[str], bytes | None]
Parse = Callable[[bytes, ProblemReport], Document | None]
Above = Callable[["LoadResult | None"], Sequence[LoadResult]]

MAX_FILES = 100  # in one level
MAX_DEPTH = 16  # of includes in includes
PRESET = "preset:"  # how a shipped file is named in problems and places
OTHERS = (".json", ".yaml", ".yml")  # never in Penstock's own format
STAND_INS = ("guard", "strict")  # the looser one first
PRESET_LINE = late_regex(
    rb"""^[ \t]*["']?preset["']?[ \t]*=[ \t]*["']([a-z-]{1,40})""", re.MULTILINE
)
SHIPPED = frozenset(f"{PRESET}{name}" for name in presets.FILES.values())


def nothing_above(_: LoadResult | None) -> tuple[LoadResult, ...]:
    """Say that no organisation stands above the user."""
    return ()


class _Sheet(Struct, kw_only=True):
    """One `penstock.toml`, parsed: its document and what was found so far."""

    file: str
    document: Document
    reader: Reader
    settings: dict[str, Values]
    source: str
    trail: tuple[str, ...]


class _LevelFiles(Struct, kw_only=True):
    """The files of one level, the including one before those that it includes."""

    read: Read
    preset_of: Callable[[str], bytes]
    parse: Parse = read_toml
    budget: LevelBudget = field(default_factory=LevelBudget)
    found: list[_Sheet | LoadResult] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    sets: dict[str, Mapping[str, Globs]] = field(default_factory=dict)  # that each file knows


def load(
    main: str,
    read: Read,
    *,
    preset_of: Callable[[str], bytes] = presets.read,
    parse: Parse = read_toml,
) -> LoadResult:
    """Read a rules file and all that it includes; `read` gives bytes, or None if missing.

    `parse` is for those who have read a text already and hand over what it says.
    """
    data = read(main)
    if data is None:
        problem = Problem(file=main, message="file not found", hint="check the path")
        return LoadResult(name=main, problems=(problem,))
    gathering = _LevelFiles(read=read, preset_of=preset_of, parse=parse)
    _gather(gathering, main, data, trail=())
    found = gathering.found
    return _level(main, found) if isinstance(found[0], _Sheet) else found[0]


def load_preset(name: str, *, preset_of: Callable[[str], bytes] = presets.read) -> LoadResult:
    """Read a shipped rules file."""
    return _shipped(name) if preset_of is presets.read else _preset(name, preset_of)


@cache
def _shipped(name: str) -> LoadResult:
    """A shipped file never changes while we run."""
    return _preset(name, presets.read)


def _preset(name: str, preset_of: Callable[[str], bytes]) -> LoadResult:
    files = {f"{PRESET}{presets.FILES[name]}": preset_of(name)}
    return load(next(iter(files)), files.get, preset_of=preset_of)


def parse_policy(text: str, *, file: str = "penstock.toml") -> Policy:
    """Return the policy of one text; raise a RulesError that tells all its problems."""
    return build(load(file, {file: text.encode("utf-8", "surrogatepass")}.get))


def in_force(
    read: Read,
    *,
    project: str = "penstock.toml",
    user: str = "",
    others: Sequence[LoadResult] = (),
    last_good: Policy | None = None,
    protect: Own = NOTHING,
    above: Above = nothing_above,
) -> Policy:
    """Return the policy of a workspace, whatever state its files are in.

    The project's and the user's file, each if it is there, and what a door brings along; the
    preset `guard` when there is nothing; and while something is broken, the last good policy,
    or else the preset that the broken file names (`guard` where it names none). `above` gives what
    stands above the user's own level, which it is handed if it is there: an organisation's rules.
    """
    levels = list(others)
    stand_ins: list[LoadResult] = []
    for file in filter(None, (project, user)):
        data = read(file)
        if data is not None:
            levels.append(load(file, _with(file, data, read)))
            stand_ins += [] if levels[-1].ok else map(load_preset, named_presets(data))
    own = next((level for level in levels if user and level.name == user), None)
    organisation = above(own)
    if not levels and organisation:
        levels.append(load_preset("guard"))
    levels += organisation
    problems = [problem for level in levels for problem in level.problems]
    if problems:
        good = [*(level for level in levels if level.ok), *stand_ins]
        return fallback(problems, last_good, good=good, protect=protect)
    if not levels:
        return build(load_preset("guard"), protect=protect)
    return build(others=levels, protect=protect)


def named_presets(data: bytes) -> list[str]:
    """Return the presets that a broken rules file names as far as one can tell, else `guard`."""
    names = {match.decode() for match in PRESET_LINE.findall(data) if match.decode() in STAND_INS}
    base = max(names, key=STAND_INS.index, default="guard")  # of several, the strictest
    quoted = [name for name in ADDED_PRESETS if re.search(rb"""["']%b["']""" % name.encode(), data)]
    return [base, *quoted]


def _with(file: str, data: bytes, read: Read) -> Read:
    """Return a reader that gives what was read a moment ago, so that a file is read once."""
    return lambda path: data if path == file else read(path)


# --- one level of penstock.toml files ---------------------------------------------------


def _gather(to: _LevelFiles, file: str, data: bytes, *, trail: tuple[str, ...]) -> None:
    """Add a file, then the preset and the files that it names, each once."""
    to.seen.add(file)
    report = ProblemReport(file=file, budget=to.budget)
    document = None if file.endswith(OTHERS) else _document(to, file, data, report)
    if document is None or not _is_ours(file):
        from penstock.core.rules import foreign

        if document is None or foreign.is_original(file, document):
            parsed = None if document is None else (document, report)
            to.found.append(foreign.read(file, data, to.read, parsed))
            return
    sheet = _Sheet(
        file=file,
        document=document,
        reader=Reader(
            report=report,
            prefix=f"{_stem(file)}:" if trail else "",
            proven=file in SHIPPED,
        ),
        settings={},
        source=digest(data),
        trail=(*trail, file),
    )
    to.found.append(sheet)
    sheet.settings = _settings(sheet)
    included = [
        _include(to, sheet, f"{PRESET}{presets.FILES[preset]}", to.preset_of(preset), place)
        for preset, place in _named_presets(sheet.settings)
    ]
    named = cast("tuple[str, ...]", sheet.settings.get("includes", {}).get("files", ()))
    for at, name in enumerate(named):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(file), name))
        # No file of somebody else's passes for one that we ship, whatever it is called.
        can_be_read = name and "\0" not in name and path not in SHIPPED
        inside = to.read(path) if can_be_read else None
        included.append(_include(to, sheet, path, inside, ("includes", "files", at)))
    known = {name: one for sets in reversed(included) for name, one in sets.items()}
    sheet.reader.sets = to.sets[file] = read_sets(document, sheet.reader, known)
    sheet.settings |= {SETS: dict(sheet.reader.sets)} if sheet.reader.sets else {}


def _document(to: _LevelFiles, file: str, data: bytes, report: ProblemReport) -> Document:
    """Return what a TOML file says; empty where it cannot be read, which the report tells."""
    if file in SHIPPED and to.preset_of is presets.read:
        found, report.lines = read_shipped(data)
        return found
    return to.parse(data, report) or {}


def _named_presets(settings: dict[str, Values]) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """Yield the shipped files that a file names, each with its place; its base first."""
    base = settings[""].get("preset")
    if base is not None:
        yield cast("str", base), ("preset",)
    added = cast("tuple[str, ...]", settings.get("includes", {}).get("presets", ()))
    yield from ((name, ("includes", "presets", at)) for at, name in enumerate(added))


def _is_ours(file: str) -> bool:
    """Say whether a file's name alone tells that it is in Penstock's own format."""
    return file in SHIPPED or posixpath.basename(file) == "penstock.toml"


def _include(
    to: _LevelFiles, sheet: _Sheet, path: str, data: bytes | None, place: tuple[str | int, ...]
) -> Mapping[str, Globs]:
    """Follow one include, unless it leads nowhere, in a circle, or too far; return its sets."""
    report = sheet.reader.report
    if path in sheet.trail:
        circle = " -> ".join(f"`{name}`" for name in (*sheet.trail, path))
        report.wrong(f"circular include detected: {circle}", *place, hint="remove one of them")
    elif data is None:
        hint = "paths are relative to this file, and `~` is not expanded"
        report.wrong(f"included file {shown(path)} is missing", *place, hint=hint)
    elif len(sheet.trail) >= MAX_DEPTH or len(to.seen) >= MAX_FILES:
        limit = f"at most {MAX_FILES} files, {MAX_DEPTH} deep"
        report.wrong("too many includes", *place, hint=f"include {limit}")
    elif path not in to.seen:
        _gather(to, path, data, trail=sheet.trail)
    return to.sets.get(path, {})


def _stem(file: str) -> str:
    return posixpath.basename(file).removesuffix(".toml")


def _settings(sheet: _Sheet) -> dict[str, Values]:
    """Read everything but the rules; what is no table and no known key is a problem."""
    reader, document = sheet.reader, sheet.document
    # `warn` is a setting when it is a word, and rules when it is tables; never both in TOML.
    known = {*TABLES, *EDITED_TABLES, SETS} - (
        {"warn"} if isinstance(document.get("warn"), str) else set()
    )
    top = {key: value for key, value in document.items() if key not in known}
    strays = {k: v for k, v in top.items() if isinstance(v, dict | list) and k != "disable"}
    for key in strays:
        hint = did_you_mean(key, (*TABLES, *EDITED_TABLES, SETS))
        reader.report.wrong(f"unknown table {shown(key)}", key, hint=hint)
    plain = {key: value for key, value in top.items() if key not in strays}
    settings = {"": reader.table(plain, "", "the file")}
    for table in TABLES:
        if table in document:
            settings[table] = reader.table(document[table], table, f"[{table}]", table)
    _check_settings(reader.report, settings)
    return settings


def _check_settings(report: ProblemReport, settings: dict[str, Values]) -> None:
    """Check what settings mean together, and put `mode` where it belongs."""
    top, gate = settings[""], settings.setdefault("gate", {})
    mode = top.get("mode")
    if mode is not None and gate.setdefault("mode", mode) != mode:
        report.wrong("`mode` and `gate.mode` differ", "mode", hint="keep one of them")
    warn = settings.get("defaults", {}).pop("warn", None)
    if warn is not None and top.setdefault("warn", warn) != warn:
        report.wrong("`warn` and `defaults.warn` differ", "warn", hint="keep one of them")
    advisor = settings.get("llm_fallback", {})
    for key in ("endpoint", "model"):
        if advisor.get("enabled") and not advisor.get(key):
            message = f"[llm_fallback] is enabled without `{key}`"
            report.wrong(message, "llm_fallback", "enabled", hint=f"add `{key}`")
    said = settings.get("bundle", {})
    for key, other in (("url", "key"), ("key", "url"), ("group", "key")):
        if said.get(key) and not said.get(other):
            message = f"[bundle] has a `{key}` and no `{other}`"
            report.wrong(message, "bundle", key, hint=f"add `{other}`")
    limits = settings.get("limits", {})
    usual, most = limits.get("max_read_bytes_default"), limits.get("max_read_bytes_hard")
    if isinstance(usual, int) and isinstance(most, int) and usual > most:
        message = "`max_read_bytes_default` is above `max_read_bytes_hard`"
        report.wrong(message, "limits", "max_read_bytes_default", hint="lower it")


def _level(main: str, found: Sequence[_Sheet | LoadResult]) -> LoadResult:
    """Read the rules of all files, now that the level's thresholds are known."""
    settings = [one.settings for one in found]
    thresholds = _thresholds(settings)
    parts = [_part(one, thresholds) if isinstance(one, _Sheet) else one for one in found]
    level = join(main, parts)
    if level.problems or level.rules:
        return level
    idle = "no rules: only Penstock's own files are protected"
    warning = Problem(file=main, message=idle, hint='write `preset = "guard"`')
    return replace(level, warnings=(*level.warnings, warning))


def _thresholds(settings: Sequence[Settings]) -> Thresholds:
    """Return the `[gate]` thresholds of a level: those of the first file that has them."""
    made = Thresholds()
    for one in reversed(settings):
        gate = one.get("gate", {})
        made.lines = cast("int", gate.get("line_threshold", made.lines))
        made.change = cast("float", gate.get("change_threshold", made.change))
    return made


def _part(sheet: _Sheet, thresholds: Thresholds) -> LoadResult:
    sheet.reader.thresholds = thresholds
    rules = tuple(_rules(sheet))
    excepts = tuple(exceptions_in(sheet.document, sheet.reader))
    report = sheet.reader.report
    return LoadResult(
        name=sheet.file,
        rules=rules,
        excepts=excepts,
        settings=sheet.settings,
        problems=tuple(sorted(report.problems, key=lambda problem: problem.line)),
        warnings=tuple(report.warnings),
        names=tuple(sheet.reader.names),
        sources=((sheet.file, sheet.source),),
        disable_line=report.line_of("disable"),
    )


def _rules(sheet: _Sheet) -> Iterator[Rule]:
    for table in RULE_TABLES:
        raw = sheet.document.get(table, [])
        if table == "warn" and isinstance(raw, str):
            continue
        if not isinstance(raw, list):
            message = f"`{table}` must be an array of tables"
            sheet.reader.report.wrong(message, table, hint=f"write [[{table}]]")
            continue
        for number, one in enumerate(raw):
            rule = sheet.reader.rule(one, table, number)
            if rule is not None:
                yield rule
