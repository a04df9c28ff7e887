"""Measure a write against the disk: what it does to its file, and whether somebody must look.

These are the gate spec's functions for a single write. They read and tell; rules, the queue and
writing are the node's and the gate's.
Always true: what a write says of itself plays no part; a path that leaves the project is an error
before anything is read, and so is a file that is no text.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TypeGuard

from penstock.core.diff.measure import lost, measure
from penstock.core.errors import PenstockError
from penstock.core.model import Bytes, Change, ChangeKind, Source
from penstock.core.text.display import spoken, visible_bytes
from penstock.core.text.lines import survey
from penstock.doors.langgraph import config, preview
from penstock.doors.langgraph.config import CHANGE_THRESHOLD, LINE_THRESHOLD
from penstock.doors.langgraph.errors import BadTargetError
from penstock.doors.langgraph.preview import Ascii, comparing
from penstock.doors.langgraph.project import Place, open_project
from penstock.doors.langgraph.state import FileWriteRequest, WriteClassification

SHOWN_LOST, LONGEST_SHOWN = 40, 500  # lines, and bytes of each
MOST_COMPARED = 8 * 1024 * 1024  # bytes of a file whose lost lines are listed
Root = str | os.PathLike[str] | None


def classify_write(
    target_path: str, new_content: str, *, project_root: Root = None
) -> FileWriteRequest:
    """Analyze a file write and classify it as NEW, MODIFY or REPLACE.

    Relative paths start from `project_root`, by default the working directory, and no path may
    leave it. Raises BadTargetError.
    """
    with _opened(target_path, project_root) as (place, before), comparing(place.shown) as told:
        change = measure(before, source_of(new_content), progress=told)
        if change.unit != "lines":
            _require_text(before, place)
    return request_of(place.shown, new_content, change)


def request_of(target_path: str, new_content: str, change: Change) -> FileWriteRequest:
    """Return a measured write under the spec's names."""
    return {
        "target_path": target_path,
        "new_content": new_content,
        "classification": kind_of(change),
        "existing_lines": change.existing_lines,
        "lines_deleted": change.lines_deleted,
        "lines_added": change.lines_added,
        "change_ratio": change.change_ratio,
    }


def kind_of(change: Change) -> WriteClassification:
    """Return the spec's word for a change: by its share of lost lines alone."""
    if change.kind is ChangeKind.NEW:
        return WriteClassification.NEW
    replaced = change.existing_lines > 0 and change.change_ratio >= CHANGE_THRESHOLD
    return WriteClassification.REPLACE if replaced else WriteClassification.MODIFY


def source_of(new_content: object) -> Source:
    """Return a write's content as it would lie on the disk. Raises BadTargetError for no text."""
    if not isinstance(new_content, str):
        kind = type(new_content).__name__
        raise BadTargetError("bad-content", f"`new_content` is {kind}, not text")
    if new_content.isascii():
        return Ascii(new_content)
    try:
        return Bytes(new_content.encode("utf-8"))
    except UnicodeEncodeError:
        raise BadTargetError(
            "bad-content",
            "`new_content` cannot be written as UTF-8",
            because="it contains a lone surrogate",
        ) from None


@contextmanager
def _opened(target_path: object, project_root: Root) -> Iterator[tuple[Place, Source | None]]:
    """Find a file and open what is there; None where nothing is."""
    project = open_project(project_root)
    place = project.find(target_path)
    if not project.exists(place):
        yield place, None
        return
    with project.here.files.source(place.path) as source:
        yield place, source


def _require_text(source: Source | None, place: Place) -> None:
    if source is not None and not survey(source).text:
        raise not_text(place.shown)


def not_text(shown: str) -> BadTargetError:
    """Return the error for a file that nobody can judge line by line."""
    return BadTargetError(
        "not-text",
        f"`{spoken(shown)}` is not text, so its changes can't be shown",
        because="it is binary, or not UTF-8",
        hint="change it by hand",
    )


def requires_approval(
    request: FileWriteRequest,
    line_threshold: int = LINE_THRESHOLD,
    change_threshold: float = CHANGE_THRESHOLD,
) -> bool:
    """Determine if a write request requires user approval.

    Both must hold: the file has at least `line_threshold` lines, and at least the share
    `change_threshold` of them would go. A request that was not measured requires it.
    """
    lines, share = request.get("existing_lines"), request.get("change_ratio")
    if not _is_number(lines) or not _is_number(share):
        return True
    few = lines < config.line_threshold(line_threshold)
    little = share < config.change_threshold(change_threshold)
    return not (few or little)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def generate_diff_preview(
    target_path: str,
    new_content: str,
    context_lines: int = 3,
    *,
    project_root: Root = None,
    existing_content: str | None = None,
) -> str:
    r"""Generate a unified diff showing what will change.

    `\r\n` and `\n` are the same here. Of files above 10 MB only line numbers are held, and a
    very long diff is cut. `existing_content` stands in for what is on the disk.
    """
    with _opened(target_path, project_root) as (place, disk), comparing(place.shown) as told:
        _require_text(disk, place)
        before = disk if existing_content is None else source_of(existing_content)
        new, path = source_of(new_content), place.target.shown
        return preview.diff(before, new, path=path, context=context_lines, told=told)


def show_deletion_summary(
    request: FileWriteRequest,
    *,
    project_root: Root = None,
    existing_content: str | None = None,
) -> str:
    """Format a summary of what code will be deleted: how much, then the lines themselves."""
    shown = spoken(str(request.get("target_path", "")))
    deleted, existing = request.get("lines_deleted", 0), request.get("existing_lines", 0)
    if not deleted:
        return f"{shown}: no lines will be DELETED ({request.get('lines_added', 0)} added)"
    percent = 100 * deleted / existing if existing else 0
    head = f"{shown}: {deleted} of {existing} lines will be DELETED ({percent:.0f} %)"
    return "\n".join([head, *_lost_lines(request, project_root, existing_content)])


def _lost_lines(
    request: Mapping[str, object], project_root: Root, existing_content: str | None
) -> Iterator[str]:
    """Yield the first lost lines; none where the file cannot be read or is very large."""
    try:
        before = _held(request, project_root) if existing_content is None else existing_content
        old, new = source_of(before), source_of(request.get("new_content"))
    except PenstockError:
        return
    if old.size + new.size > MOST_COMPARED:
        return
    gone = lost(old.read(0, old.size), new.read(0, new.size), limit=SHOWN_LOST)
    for number, line in gone.lines:
        more = " ..." if len(line) > LONGEST_SHOWN else ""
        yield f"{number:6} - {visible_bytes(line[:LONGEST_SHOWN])}{more}"
    if gone.hidden:
        yield f"       ... and {gone.hidden} more"


def _held(request: Mapping[str, object], project_root: Root) -> str:
    with _opened(request.get("target_path"), project_root) as (place, source):
        _require_text(source, place)
        small = source is not None and source.size <= MOST_COMPARED
        return source.read(0, source.size).decode("utf-8") if source and small else ""
