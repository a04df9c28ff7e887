"""The files of a project for deepagents, as far as the rules let them be read.

`PenstockBackend` adds writing. Searching is deepagents' own, and what it finds is sifted here.
Always true: the rules are asked before a byte is shown; a link is judged and read as the file
that it leads to, and none leads out of the project.
"""

from __future__ import annotations

import base64
import mimetypes
import os
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from deepagents.backends import FilesystemBackend
from deepagents.backends.protocol import (
    BackendProtocol,
    FileData,
    FileDownloadResponse,
    GlobResult,
    GrepMatch,
    GrepResult,
    LsResult,
    ReadResult,
)
from deepagents.backends.utils import check_empty_content, slice_read_response

from penstock.app import open_workspace
from penstock.core.digest import digest
from penstock.core.errors import InputError
from penstock.core.model import Verdict
from penstock.core.paths.relpath import RelPath
from penstock.doors.langgraph.known_digests import KnownDigests
from penstock.doors.langgraph.thread import Thread, thread_here
from penstock.doors.langgraph.tools.calls import FAULTS, GraphCall, told
from penstock.doors.langgraph.tools.writes import ToolGate, denied
from penstock.gate.doors import Door
from penstock.ports import FileKind

LARGEST = 64 << 20  # a file is read whole to be shown or changed
MEDIA = ("image/", "audio/", "video/", "application/pdf")


class ReadingBackend(BackendProtocol):
    """A project that can only be read. Paths are virtual: `/` is the project's root."""

    def __init__(
        self,
        workspace: str | os.PathLike[str] | None = None,
        *,
        agent: str = "deepagents",
        state: str | None = None,
    ) -> None:
        """Open the project at a directory, or the one that the working directory lies in."""
        named = None if workspace is None else os.fspath(workspace)
        here = open_workspace(named, state=state, door=Door.GRAPH)
        self.tool_gate = ToolGate(
            here=here, agent=agent, cwd=here.root, virtual=True, observes=False
        )
        self._search = FilesystemBackend(root_dir=here.root, virtual_mode=True)
        self._seen = KnownDigests()

    def read(self, file_path: str, offset: int = 0, limit: int = 2000) -> ReadResult:
        """Return some lines of a file, as far as the rules let it be read."""
        try:
            data = self._bytes(file_path)
            if _media(file_path):
                encoded = base64.standard_b64encode(data).decode("ascii")
                return ReadResult(file_data=FileData(content=encoded, encoding="base64"))
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            return ReadResult(error=f"Error reading file '{file_path}': it is not text")
        except FAULTS as problem:
            return ReadResult(error=f"Error reading file '{file_path}': {told(problem)}")
        empty = check_empty_content(text)
        if empty:
            return ReadResult(file_data=FileData(content=empty, encoding="utf-8"))
        return slice_read_response(FileData(content=text, encoding="utf-8"), offset, limit)

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        """Return whole files, each as far as the rules let it be read."""
        return [self._downloaded(path) for path in paths]

    def _downloaded(self, path: str) -> FileDownloadResponse:
        try:
            return FileDownloadResponse(path=path, content=self._bytes(path))
        except FAULTS as problem:
            missing = isinstance(problem, InputError) and problem.code == "not-found"
            said = "file_not_found" if missing else told(problem)
            return FileDownloadResponse(path=path, error=said)

    def text(self, file_path: str) -> str:
        """Return what a text file holds."""
        return self._bytes(file_path).decode("utf-8")

    def _bytes(self, file_path: str) -> bytes:
        """Return what a file holds, and remember that this thread has seen it."""
        wanted = wanted_here("read_file", {"file_path": file_path})
        path = self._readable(wanted)
        files = self.tool_gate.here.files
        if files.kind(path) is None:
            raise InputError("not-found", f"there is no file `{path}`")
        with files.source(path) as source:
            if source.size > LARGEST:
                raise InputError("too-large", f"`{path}` has {source.size} bytes")
        data = files.read(path)
        self._seen.note(wanted.thread.id, path.text, digest(data))
        return data

    def _readable(self, wanted: GraphCall) -> RelPath:
        """Return the file that may be read, links followed. Nobody is asked about reading."""
        judged = self.tool_gate.judge(wanted)
        self.tool_gate.record(wanted, judged.decision)
        if judged.decision.verdict is not Verdict.ALLOW:
            raise denied(judged)
        path = judged.prepared[0].path if judged.prepared else None
        if path is None:
            raise InputError("outside-workspace", "the path is outside the project")
        return path

    def ls(self, path: str) -> LsResult:
        """Return the names in a directory."""
        try:
            folder = self._folder(path)
            entries = self.tool_gate.here.files.entries(folder)
        except FAULTS as problem:
            return LsResult(error=f"Path '{path}': {told(problem)}", entries=None)
        above = f"/{folder}/" if folder else "/"
        found: list[Any] = []
        for entry in entries:
            if entry.kind is FileKind.DIRECTORY:
                found.append({"path": f"{above}{entry.name}/", "is_dir": True, "size": 0})
            elif entry.kind is FileKind.FILE:
                found.append({"path": f"{above}{entry.name}", "is_dir": False, "size": entry.size})
        return LsResult(entries=found)

    def _folder(self, path: str) -> RelPath | None:
        if path.strip("/") in ("", "."):
            return None
        return self._readable(wanted_here("read_file", {"file_path": path}))

    def glob(self, pattern: str, path: str | None = None) -> GlobResult:
        """Return the names that a pattern meets."""
        return self._search.glob(pattern, path)

    def grep(
        self,
        pattern: str,
        path: str | None = None,
        glob: str | None = None,
        *,
        max_count: int | None = None,
    ) -> GrepResult:
        """Return the lines that hold a text, in files that may be read.

        The number of finds is cut here, after those in closed files are gone: an end that comes
        too early would tell that a closed file holds the text.
        """
        found = self._search.grep(pattern, path, glob)
        may_read = self._may_read()
        matches = [one for one in found.matches or () if may_read(one["path"])]
        cut = max_count is not None and len(matches) > max_count
        kept: list[GrepMatch] = matches[:max_count] if cut else matches
        return GrepResult(error=found.error, matches=kept, truncated=cut or found.truncated)

    def _may_read(self) -> Callable[[str], bool]:
        known: dict[str, bool] = {}

        def ask(path: str) -> bool:
            if path not in known:
                wanted = GraphCall(name="read_file", args={"file_path": path})
                try:
                    judged = self.tool_gate.judge(wanted)
                    known[path] = judged.decision.verdict is Verdict.ALLOW
                except FAULTS:
                    known[path] = False
            return known[path]

        return ask


def wanted_here(name: str, args: Mapping[str, object]) -> GraphCall:
    """Return a call of a file tool. Outside of a graph each is its own."""
    here = thread_here()
    return GraphCall(
        name=name, args=args, thread=here if here.step else Thread(step=uuid.uuid4().hex)
    )


def _media(path: str) -> bool:
    kind = mimetypes.guess_type(path)[0] or ""
    return kind.startswith(MEDIA)
