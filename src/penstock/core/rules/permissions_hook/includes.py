"""Gather a rule file of the original with everything it includes into one document.

There the including file wins, key by key, and lists are never joined. What the keys mean is
`document`'s work.
Always true: gathering ends, each part of the document remembers the file it came from, and a
list that is dropped because another one stands is told.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from typing import cast

from msgspec import Struct, field

from penstock.core.digest import digest
from penstock.core.rules.documents import Document, read_toml
from penstock.core.rules.fields import BY_NAME
from penstock.core.rules.problems import ProblemReport, shown
from penstock.core.text.quantities import counted

Read = Callable[[str], bytes | None]
Path = tuple[str, ...]

MAX_DEPTH = 16
LLM = frozenset(BY_NAME["llm_fallback"]) | {"api_key"}


class MergedDocument(Struct, kw_only=True):
    """One document of a file and its includes, with where each part came from."""

    main: ProblemReport
    first: Document | None = None
    document: Document = field(default_factory=dict)
    origin: dict[Path, ProblemReport] = field(default_factory=dict)
    sources: list[tuple[str, str]] = field(default_factory=list)
    reports: list[ProblemReport] = field(default_factory=list)

    def report_of(self, *path: str) -> ProblemReport:
        """Return the report of the file that a part came from."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.origin:
                return self.origin[path[:end]]
        return self.main


def gather(merged: MergedDocument, file: str, read: Read, *, trail: Path) -> None:
    """Read a file and merge it below what is there, then what it includes below that."""
    report = merged.main if not trail else ProblemReport(file=file, budget=merged.main.budget)
    merged.reports.append(report)
    data = read(file)
    if data is None:
        report.wrong("file not found", hint="check the path")
        return
    merged.sources.append((file, digest(data)))
    document = read_toml(data, report) if trail or merged.first is None else merged.first
    if document is None:
        return
    _merge(merged, merged.document, document, report, ())
    for at, name in enumerate(_included(document, report)):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(file), name))
        if path in (*trail, file) or len(trail) >= MAX_DEPTH:
            report.wrong("circular include detected", "includes", "files", at, hint=shown(path))
        elif read(path) is None:
            missing = f"included file {shown(path)} is missing"
            report.wrong(
                missing, "includes", "files", at, hint="check the path; `~` is not expanded"
            )
        elif all(path != source for source, _ in merged.sources):
            gather(merged, path, read, trail=(*trail, file))


def _included(document: Document, report: ProblemReport) -> Iterator[str]:
    includes = document.get("includes", {})
    if not isinstance(includes, dict):
        report.wrong("`includes` must be a table", "includes", hint="write [includes]")
        return
    for key in includes:
        if key != "files":
            # A real file has its `system_prompt` here, one header too low, and never used.
            hint = "move it above [includes], into [llm_fallback]" if key in LLM else ""
            report.warn(f"`{key}` in [includes] has no effect", "includes", key, hint=hint)
    for at, name in enumerate(list_of(includes.get("files"))):
        if isinstance(name, str) and name and "\0" not in name:
            yield name
        else:
            report.warn(f"{shown(name)} is no file name and is skipped", "includes", "files", at)


def _merge(
    merged: MergedDocument, base: Document, other: Document, report: ProblemReport, path: Path
) -> None:
    """Add what the base does not have; the base, which includes, keeps what it has."""
    for key, value in other.items():
        here = (*path, key)
        if key not in base:
            base[key] = dict(value) if isinstance(value, dict) else value
            merged.origin[here] = report
        elif isinstance(base[key], dict) and isinstance(value, dict):
            inner = base[key] = dict(cast("Document", base[key]))  # may be shared with a reader
            _merge(merged, inner, value, report, here)
        elif isinstance(value, list) and value and here != ("includes", "files"):
            name, kept = ".".join(here), merged.report_of(*here).file
            rules = counted(len(value), "rule")
            verb = "is" if len(value) == 1 else "are"
            dropped = f"its {rules} in `{name}` {verb} dropped, because `{kept}` has its own"
            report.warn(dropped, *here, hint="the including file wins; lists are not joined")


def list_of(value: object) -> list[object]:
    """Return a value that is a list, and an empty list for anything else."""
    return value if isinstance(value, list) else []
