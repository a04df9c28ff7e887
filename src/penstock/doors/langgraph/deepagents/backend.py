"""`PenstockBackend`: the files of a project for deepagents, behind the gate.

The file tools of a deep agent and of all its subagents reach the project through one backend.
Here a write, an edit or a removal is judged, measured and applied by the gate; where a person
must decide, the graph stops with one question, or the change waits in the queue when it cannot.
Always true: nothing is written but by the gate, and never over content that nobody compared.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from deepagents.backends.protocol import (
    DeleteResult,
    EditResult,
    FileUploadResponse,
    WriteResult,
)
from deepagents.backends.utils import perform_string_replacement
from msgspec.structs import replace
from pydantic import ValidationError

from penstock.core.errors import InputError
from penstock.core.model import Verdict
from penstock.core.proposals.model import Proposal
from penstock.doors.langgraph.deepagents.reads import ReadingBackend, wanted_here
from penstock.doors.langgraph.settle import After
from penstock.doors.langgraph.tools.answers import ToolReply, ToolRun, ask_and_settle, failed, write
from penstock.doors.langgraph.tools.calls import FAULTS, GraphCall
from penstock.doors.langgraph.tools.writes import written
from penstock.gate import Judgement

TOOLS_NODE = "tools:"
EDITED = "with the user's edits: read it before you continue"


class PenstockBackend(ReadingBackend):
    """Give a deep agent the gate: `create_deep_agent(model, backend=PenstockBackend("."))`.

    Paths are virtual, as in `FilesystemBackend`: `/` is the project's root.
    """

    def __init__(
        self,
        workspace: str | os.PathLike[str] | None = None,
        *,
        attended: bool | None = None,
        agent: str = "deepagents",
        state: str | None = None,
    ) -> None:
        """Open the project at a directory, or the one that the working directory lies in.

        With `attended` false nobody is asked: what needs a person waits in the queue.
        """
        super().__init__(workspace, agent=agent, state=state)
        self.attended = attended

    def write(self, file_path: str, content: str) -> WriteResult:
        """Create a file or put other content in its place."""
        wanted = wanted_here("write_file", {"file_path": file_path, "content": content})
        said = self._changed(wanted, whole=True)
        path = file_path if not said.facts.get("edited") else f"{file_path} ({EDITED})"
        return WriteResult(path=path) if said.ok else WriteResult(error=said.text)

    def edit(
        self,
        file_path: str,
        old_string: str,
        new_string: str,
        replace_all: bool = False,
    ) -> EditResult:
        """Replace a text in a file."""
        given = {"file_path": file_path, "old_string": old_string, "new_string": new_string}
        wanted = wanted_here("edit_file", {**given, "replace_all": replace_all})
        times: list[int] = []

        def fits() -> None:
            text, old, new = (
                each.replace("\r\n", "\n")
                for each in (self.text(file_path), old_string, new_string)
            )
            found = perform_string_replacement(text, old, new, replace_all)
            if isinstance(found, str):
                raise InputError("edit-does-not-fit", found.removeprefix("Error: "))
            times.append(found[1])

        said = self._changed(wanted, check=fits)
        if not said.ok:
            return EditResult(error=said.text)
        return EditResult(path=file_path, occurrences=times[0] if times else 1)

    def delete(self, file_path: str) -> DeleteResult:
        """Remove one file. A directory goes file by file, so that each is seen and comes back."""
        wanted = wanted_here("delete", {"file_path": file_path})
        said = self._changed(wanted, check=lambda: self._require_no_link(file_path))
        return DeleteResult(path=file_path) if said.ok else DeleteResult(error=said.text)

    def _require_no_link(self, file_path: str) -> None:
        """A link stands for another file; which of the two is meant nobody can tell."""
        root = self.tool_gate.here.root
        if os.path.islink(f"{root}/{file_path.strip('/')}"):
            raise InputError("is-symlink", f"`{file_path}` is a link", hint="name the file itself")

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        """Write several files; each is judged by itself."""
        return [self._uploaded(path, content) for path, content in files]

    def _uploaded(self, path: str, content: bytes) -> FileUploadResponse:
        shown = content.decode("utf-8", "backslashreplace")
        wanted = wanted_here("write_file", {"file_path": path, "content": shown})
        said = self._changed(wanted, whole=True, content=content)
        return FileUploadResponse(path=path, error=None if said.ok else said.text)

    def _changed(
        self,
        wanted: GraphCall,
        *,
        content: bytes | None = None,
        whole: bool = False,
        check: Callable[[], None] | None = None,
    ) -> ToolReply:
        """Take one change through the gate and say what became of it.

        `content` is what the file is to hold where the call cannot spell it. A change of the
        `whole` content must be made from what was read; `check` says whether another one fits.
        """
        tools = self.tool_gate
        try:
            judged = tools.require(wanted)
            path = _one_file(judged)
            base = tools.held(path)
            if not tools.proposed_before(wanted, [path]):
                if check is not None:
                    check()
                if whole:
                    self._seen.require(tools, wanted, path, base)
            after = None if content is None else {path: content}
            made = tools.proposed(wanted, {path: base}, after)
            if not made:
                raise _no_fit(path, there=base is not None)
            return self._settled(wanted, judged, made[0], after)
        except ValidationError:  # an answer that does not fit: it can be given again
            raise
        except FAULTS as problem:
            return failed(problem)

    def _settled(
        self, wanted: GraphCall, judged: Judgement, one: Proposal, after: After | None
    ) -> ToolReply:
        """Write what the rules allow, and ask about the rest; or take up what was begun before."""
        said: ToolReply | ToolRun
        if one.decision.verdict is Verdict.ALLOW:
            said = write(self.tool_gate, [one])
        else:
            asks = self.attended is not False and _in_tools(wanted)
            said = ask_and_settle(self.tool_gate, wanted, judged, asks=asks, after=after)
        if not isinstance(said, ToolReply):
            raise InputError("bad-tool-input", "the call has no content")
        # A person who answered in the tool's place has not written anything.
        if said.facts.get("status") == "answered":
            return replace(said, ok=False)
        if said.ok:
            self._seen.note(wanted.thread.id, one.path, self.tool_gate.held(one.path))
        return said


def _one_file(judged: Judgement) -> str:
    """Return the one file that a call would write, and refuse what is none."""
    first = judged.prepared[0] if judged.prepared else None
    if first is None or first.request.target is None:
        raise InputError("bad-tool-input", "the call names no writable file")
    paths = list(written(judged))
    if first.path is None or len(paths) != 1:
        raise InputError(
            "not-a-file",
            f"`{first.request.target.shown}` is not a plain file",
            hint="name the file itself; what is in a directory goes file by file",
        )
    return paths[0]


def _in_tools(wanted: GraphCall) -> bool:
    """Say whether a tool runs here: stopping a model's step would call the model twice."""
    step = wanted.thread.step.rpartition("|")[2]
    return wanted.thread.resumable and step.startswith(TOOLS_NODE)


def _no_fit(path: str, *, there: bool) -> InputError:
    if not there:
        return InputError("not-found", f"there is no file `{path}`")
    return InputError("edit-does-not-fit", f"the change does not apply to `{path}`")
