"""`list_directory` and `search_files`: what is there, as far as the rules let it be seen.

Always true: no link is followed; a file that not allowed is named and never looked into;
a search ends, after so many files, finds or seconds, and says that it did.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct, field

from penstock.core.errors import InputError, PenstockError
from penstock.core.paths.globs import matches
from penstock.core.paths.relpath import RelPath
from penstock.core.policy.regexes import search
from penstock.core.text.quantities import counted
from penstock.doors.mcp.tool_call import (
    Json,
    ToolAnswer,
    ToolCall,
    denied,
    number_of,
    refuse,
    text_of,
)
from penstock.ports import DirectoryEntry, FileKind

MOST_ENTRIES = 5000
MOST_FILES = 100_000
MOST_FINDS, USUAL_FINDS = 1000, 100
MOST_SECONDS = 30.0
LARGEST = 4 * 1024 * 1024  # a file that is larger is no source text; reading it takes a window
LONGEST_LINE = 400  # of a line that is shown; beginnings are enough to know it by
TELL_EVERY = 500
PASSED_OVER = frozenset({".git"})  # the repository's own files, unless they are asked for


def list_directory(asked: ToolCall, arguments: Mapping[str, object]) -> ToolAnswer:
    """Return the names in a directory, each with its kind, its size, and whether it is closed."""
    folder = asked.reach_folder(text_of(arguments, "path"))
    shown = folder.text if folder else "."
    where = f"./{shown}" if folder else "."
    decision = asked.judge({**arguments, "path": where}, attended=False).decision
    if denied(decision):
        raise refuse(decision)
    entries = [e for e in asked.here.files.entries(folder) if _in_sight(asked, _below(folder, e))]
    rows = [_row(asked, folder, entry) for entry in entries[:MOST_ENTRIES]]
    asked.record_read(shown, decision)
    lines = "\n".join(_line(row) for row in rows) or "(empty)"
    cut = len(entries) > MOST_ENTRIES
    note = (f"{len(entries) - MOST_ENTRIES} more not shown",) if cut else ()
    data: Json = {"path": shown, "entries": rows, "truncated": cut}
    return ToolAnswer(texts=(lines, *note), data=data)


def _below(folder: RelPath | None, entry: DirectoryEntry) -> str:
    return f"{folder.text}/{entry.name}" if folder else entry.name


def _in_sight(asked: ToolCall, path: str) -> bool:
    """Only what lies in a root, or on the way to one, is told at all."""
    return asked.in_roots(path) or asked.leads_to_root(path)


def _row(asked: ToolCall, folder: RelPath | None, entry: DirectoryEntry) -> Json:
    closed = denied(asked.may_read(_below(folder, entry)))
    row: Json = {"name": entry.name, "kind": str(entry.kind), "readable": not closed}
    return row | ({"size": entry.size} if entry.kind is FileKind.FILE and not closed else {})


def _line(row: Json) -> str:
    mark = "/" if row["kind"] == FileKind.DIRECTORY else ""
    size = f"\t{row['size']} bytes" if "size" in row else ""
    kind = f"\t({row['kind']})" if row["kind"] in (FileKind.SYMLINK, FileKind.OTHER) else ""
    closed = "" if row["readable"] else "\t(not allowed)"
    return f"{row['name']}{mark}{size}{kind}{closed}"


# Search


def search_files(asked: ToolCall, arguments: Mapping[str, object]) -> ToolAnswer:
    """Return files by a pattern for their names, by a text in them, or by both."""
    pattern, query = text_of(arguments, "pattern"), text_of(arguments, "query")
    if not pattern and not query:
        raise InputError(
            "bad-tool-input",
            "nothing to search for",
            hint="give `pattern` for names, `query` for what is in the files, or both",
        )
    folder = asked.reach_folder(text_of(arguments, "path"))
    where = f"./{folder.text}" if folder else "."
    decision = asked.judge({**arguments, "path": where}, attended=False).decision
    if denied(decision):
        raise refuse(decision)
    finds = number_of(arguments, "max_results")
    most = min(max(1, finds if finds is not None else USUAL_FINDS), MOST_FINDS)
    hunt = Hunt(
        asked=asked,
        pattern=pattern,
        meets=_meets(query, regex=arguments.get("regex") is True) if query else None,
        literal="" if arguments.get("regex") is True else query,
        most=most,
    )
    hunt.go(folder)
    asked.record_read(folder.text if folder else ".", decision)
    return _found(hunt)


def _meets(query: str, *, regex: bool) -> Callable[[str], bool]:
    if not regex:
        return lambda line: query in line
    search(query, "")  # a pattern that cannot be read is told before the first file is
    return lambda line: search(query, line)


def _found(hunt: Hunt) -> ToolAnswer:
    lines = [
        f"{find['path']}:{find['line']}: {find['text']}" if "line" in find else f"{find['path']}"
        for find in hunt.finds
    ]
    notes = [f"skipped {counted(count, 'file')}: {why}" for why, count in hunt.passed.items()]
    notes += [f"the search is incomplete: {hunt.ended}"] if hunt.ended else []
    data: Json = {
        "matches": hunt.finds,
        "files_searched": hunt.searched,
        "passed_over": dict(hunt.passed),
        "truncated": bool(hunt.ended),
        "ended": hunt.ended,
    }
    return ToolAnswer(texts=("\n".join(lines) or "no matches", *notes), data=data)


class Hunt(Struct, kw_only=True, dict=True):
    """A search on its way."""

    asked: ToolCall
    pattern: str
    meets: Callable[[str], bool] | None
    most: int
    literal: str = ""
    finds: list[Json] = field(default_factory=list)
    passed: dict[str, int] = field(default_factory=dict)
    searched: int = 0
    ended: str = ""
    until: float = field(default_factory=lambda: time.monotonic() + MOST_SECONDS)

    def __post_init__(self) -> None:
        self._readable = self.asked.readable()

    def go(self, folder: RelPath | None) -> None:
        """Look at every file below a directory until something ends it."""
        for path, entry in self._below(folder):
            self.ended = self._ending()
            if self.ended:
                return
            self._look(path, entry)
            self.searched += 1
            if self.searched % TELL_EVERY == 0:
                self.asked.progress(self.searched, None, f"{len(self.finds)} found")

    def _ending(self) -> str:
        if len(self.finds) >= self.most:
            return f"{self.most} results"
        if self.searched >= MOST_FILES:
            return f"{MOST_FILES} files"
        if time.monotonic() > self.until:
            return f"{MOST_SECONDS:.0f} seconds"
        return "stopped" if self.asked.stopped() else ""

    def _below(self, folder: RelPath | None) -> Iterator[tuple[str, DirectoryEntry]]:
        left = [folder.text if folder else ""]
        while left:
            above = left.pop()
            folders = []
            for entry in self._entries(above):
                path = f"{above}/{entry.name}" if above else entry.name
                if not _in_sight(self.asked, path):
                    continue
                if entry.kind is FileKind.DIRECTORY:
                    folders += [path] if entry.name not in PASSED_OVER else []
                elif self.asked.in_roots(path):
                    yield path, entry
            left += reversed(folders)

    def _entries(self, folder: str) -> tuple[DirectoryEntry, ...]:
        try:
            return self.asked.here.files.entries(RelPath(text=folder) if folder else None)
        except PenstockError:  # it went away, or nobody may list it
            self._pass("could not be read")
            return ()

    def _look(self, path: str, entry: DirectoryEntry) -> None:
        if self.pattern and not _named(self.pattern, path):
            return
        if self.meets is None:
            self.finds.append({"path": path, "kind": str(entry.kind)})
        elif entry.kind is FileKind.FILE:
            self._look_into(path, entry)

    def _look_into(self, path: str, entry: DirectoryEntry) -> None:
        if entry.size > LARGEST:
            self._pass("are too large")
        elif not self._readable(path):
            self._pass("may not be read")
        else:
            self._lines(path)

    def _lines(self, path: str) -> None:
        try:
            data = self.asked.here.files.read(RelPath(text=path))
            text = data.decode("utf-8") if b"\0" not in data else None
        except (PenstockError, UnicodeDecodeError):
            text = None
        if text is None:
            self._pass("are not text")
            return
        assert self.meets is not None
        if self.literal not in text:  # most files need no look at their lines
            return
        for number, line in enumerate(text.split("\n"), 1):
            if len(self.finds) >= self.most:
                return
            if self.meets(line):
                found: Json = {"path": path, "line": number, "text": line[:LONGEST_LINE]}
                self.finds.append(found)

    def _pass(self, why: str) -> None:
        self.passed[why] = self.passed.get(why, 0) + 1


def _named(pattern: str, path: str) -> bool:
    """A pattern without a slash is about the name, wherever the file lies."""
    return matches(pattern if "/" in pattern else f"**/{pattern}", path)
