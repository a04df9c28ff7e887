"""Put hooks into a project's files, take them out again, and find them.

What one file looks like with and without them is `entries`'; which values an agent wants is
its own module's. Files are written by the workspace's one writer, all of them or none.
Always true: doing it twice changes nothing; what was there before is remembered before the
first byte is written, and given back byte for byte when nobody changed the file since.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.digest import digest
from penstock.core.errors import InputError
from penstock.core.own_commands import HOOK_PROGRAM
from penstock.core.paths.relpath import RelPath
from penstock.doors.setup import json_splice
from penstock.doors.setup.agent_files import SettingsPlace
from penstock.doors.setup.entries import (
    OURS,
    Entry,
    places,
    runs_us,
    value_at,
    with_entries,
    without_entries,
)
from penstock.doors.setup.install_record import FileBefore
from penstock.doors.setup.scopes import GLOBAL, LOCAL, SHARED, home_files, project_files
from penstock.ports import Files, PlannedWrite


class PlanStep(Struct, frozen=True, kw_only=True):
    """One file of a plan: its bytes before and after; None is no file. `why` says what is left.

    `at_home`: the path is from the top of the disk, and the file is for every project.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mode: int = 0
    why: str = ""
    at_home: bool = False

    @property
    def changes(self) -> bool:
        """True when there is something to do."""
        return self.before != self.after

    @property
    def shown(self) -> str:
        """The path as people read it."""
        return f"/{self.path}" if self.at_home else self.path


class Registration(Struct, frozen=True, kw_only=True):
    """A hook of ours as it is registered: where, for which event, what it runs or asks.

    `file` is in the project, or absolute for one in the home.
    """

    agent: str
    file: str
    event: str
    runs: str
    matcher: str = ""
    value: Any = None

    @property
    def scope(self) -> str:
        """Whom it is for; in a project the command tells, because some agents have one file."""
        if os.path.isabs(self.file):
            return GLOBAL
        return SHARED if HOOK_PROGRAM in self.runs else LOCAL


# Planning


def plan_adding(files: Files, entries: Iterable[Entry]) -> list[PlanStep]:
    """Return what each file would become; files that are fine already are told as unchanged."""
    by_file: dict[str, list[Entry]] = {}
    for entry in entries:
        by_file.setdefault(entry["file"], []).append(entry)
    return [_adding(files, path, found) for path, found in by_file.items()]


def _adding(files: Files, path: str, entries: Sequence[Entry]) -> PlanStep:
    before = _content(files, path)
    after = with_entries(entries, before, path)
    return PlanStep(path=path, before=before, after=after, mode=entries[0].get("mode", 0))


def plan_removing(
    files: Files, memory: Mapping[str, FileBefore], paths: Iterable[str]
) -> list[PlanStep]:
    """Return what takes what is ours out of some files, remembered or not."""
    steps = [_removing(files, path, memory.get(path)) for path in dict.fromkeys(paths)]
    return [step for step in steps if step is not None]


def _removing(files: Files, path: str, known: FileBefore | None) -> PlanStep | None:
    before = _content(files, path)
    if before is None or (known and before == known.content):
        return None
    if known and digest(before) == known.after:
        return PlanStep(path=path, before=before, after=known.content)
    step = PlanStep(path=path, before=before, after=before)
    if path in (IGNORE, RULES) or path.endswith(f"/{RULES}"):
        return _lines_taken(step, known)
    if not path.endswith(".json"):
        # A whole file of ours that nobody remembers, or that somebody changed.
        ours = known is None and OURS.encode() in before[:1000]
        kept = "" if known is None else "it was changed since; remove it by hand"
        return replace(step, after=None if ours else before, why=kept)
    after: bytes | None = without_entries(before, path, keep=known.content if known else None)
    if known and known.content is None and _empty(after or b"", path):
        after = None
    return replace(step, after=after)


IGNORE, RULES = ".gitignore", "penstock.toml"
SANDBOX, BROKER_LOG = "agent_sandbox/", ".agentzero_audit*.jsonl"  # also when it is rotated


def _lines_taken(step: PlanStep, known: FileBefore | None) -> PlanStep | None:
    """Take our lines out of a text file; a rules file that was changed is a person's."""
    if known is None or step.before is None:
        return None
    if step.path != IGNORE:
        return replace(step, why="it was changed since, so it was kept")
    theirs = {line.strip() for line in (known.content or b"").splitlines()}
    after = step.before
    for line in (SANDBOX, BROKER_LOG, *project_files()):
        if line.encode() not in theirs:
            after = without_entries(after, step.path, line=line)
    return replace(step, after=after)


def _empty(data: bytes, path: str) -> bool:
    """Say whether a settings file holds nothing but what a new one begins with."""
    document = json_splice.read(data, path)[1]
    return isinstance(document, dict) and set(document) <= {"version"}


def _content(files: Files, path: str) -> bytes | None:
    """Return a file's bytes, or None. Raises InputError for a link or what is no file."""
    relative = RelPath(text=path)
    return files.read(relative) if files.state(relative) is not None else None


# Doing


def carry_out(files: Files, steps: Sequence[PlanStep]) -> None:
    """Write all files of a plan, or none."""
    todo = [step for step in steps if step.changes]
    plan = [
        PlannedWrite(
            path=RelPath(text=step.path),
            new=step.after,
            expect=None if step.before is None else digest(step.before),
        )
        for step in todo
    ]
    files.replace_all(plan)
    for step in todo:
        if step.mode and step.after is not None:
            _set_mode(os.path.join(files.root, step.path), step.mode)


def _set_mode(path: str, mode: int) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.fchmod(descriptor, mode)
    finally:
        os.close(descriptor)


def missing_above(files: Files, path: str) -> tuple[str, ...]:
    """Return the directories that would have to be made for a file, the outermost first."""
    parts = path.split("/")[:-1]
    above = ["/".join(parts[: n + 1]) for n in range(len(parts))]
    return tuple(one for one in above if files.kind(RelPath(text=one)) is None)


def remove_empty(root: str, made: Iterable[str]) -> list[str]:
    """Remove directories that we made and that hold nothing any more; the innermost first."""
    gone: list[str] = []
    for path in sorted(set(made), key=lambda one: -one.count("/")):
        with suppress(OSError):
            os.rmdir(os.path.join(root, path))
            gone.append(path)
    return gone


# Finding


def find(root: str) -> Iterator[Registration]:
    """Yield every hook of ours that is registered in a project, in whatever state its file is."""
    for path, agent in project_files().items():
        yield from _in_file(os.path.join(root, path), path, agent)


def find_everywhere(place: SettingsPlace) -> list[Registration]:
    """Return every hook of ours that a project's agents run: the project's, then the user's."""
    found = list(find(place.root))
    for path, agent in home_files(place).items():
        found += _in_file(path, path, agent)
    return found


def _in_file(path: str, named: str, agent: str) -> Iterator[Registration]:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return
    if named.endswith(".json"):
        with suppress(InputError):
            yield from _found(agent, named, json_splice.read(data, named)[1])
    elif OURS.encode() in data[:1000]:
        yield Registration(agent=agent, file=named, event="", runs=_command_in(data))


def _found(agent: str, path: str, document: object) -> Iterator[Registration]:
    for place in places(document):
        value = value_at(document, place)
        group = value_at(document, place[:3])
        event = str(place[1]) if isinstance(place[1], str) else str(value.get("trigger", ""))
        matcher = group.get("matcher", "") if isinstance(group, dict) else ""
        for runs in _runs(value):
            yield Registration(
                agent=agent, file=path, event=event, runs=runs, matcher=str(matcher), value=value
            )


def _runs(value: object) -> Iterator[str]:
    """Yield the commands or addresses in a registered value."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inner:
        if isinstance(one, str) and (runs_us(one) or one.startswith("http://")):
            yield one
        elif isinstance(one, dict | list):
            yield from _runs(one)


def _command_in(data: bytes) -> str:
    """Return the line of a whole file of ours that has the command in it."""
    for line in data.decode("utf-8", "replace").splitlines():
        if runs_us(line):
            return line.strip()
    return ""
