"""The tools, one row each: what it takes, what it gives, and what it truthfully is.

Arguments are checked here, against the same schema that clients are shown.
Always true: a tool that can change a file says so, and there is none that applies or approves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from penstock.core.errors import InputError
from penstock.core.text.display import spoken
from penstock.doors.mcp import read_tool, search_tools, status_tools, write_tools
from penstock.doors.mcp import schemas as of
from penstock.doors.mcp.schemas import Schema
from penstock.doors.mcp.tool_call import Json, ToolAnswer, ToolCall

Run = Callable[[ToolCall, Mapping[str, object]], ToolAnswer]

LONGEST_WAIT = 50  # seconds; clients give a call a minute


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """One tool. `reads` means that nothing in the workspace changes by it.

    `apart` runs beside what the gate is doing; `waits` may be asked to wait for an answer.
    """

    name: str
    title: str
    about: str
    run: Run
    takes: Schema
    gives: Schema
    needs: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    reads: bool = False
    idempotent: bool = False
    apart: bool = False
    waits: bool = False
    aliases: Mapping[str, str] = field(default_factory=dict)

    @property
    def input_schema(self) -> Json:
        """What clients are told to send."""
        return of.obj(self.takes, self.needs)

    @property
    def output_schema(self) -> Json:
        """What clients get as structured content; some hold errors to it as well."""
        made = of.obj({**self.gives, **of.FAILED}, ())
        made["anyOf"] = [{"required": list(self.always)}, {"required": ["status", "error"]}]
        return made

    def checked(self, given: Mapping[str, object]) -> Json:
        """Return the arguments under their own names. Raises InputError `bad-tool-input`."""
        found: Json = {}
        for key, value in given.items():
            name = self.aliases.get(key, key)
            if name not in self.takes:
                raise _wrong(f"there is no parameter `{_short(key)}`", ", ".join(self.takes))
            if name in found:
                raise _wrong(f"`{name}` is given twice", ", ".join(self.takes))
            if value is None and name not in self.needs:
                continue  # how some clients leave a parameter out
            found[name] = of.checked(name, self.takes[name], value)
        missing = [name for name in self.needs if name not in found]
        if missing:
            raise _wrong(f"`{missing[0]}` is missing", ", ".join(self.takes))
        return found


def _wrong(message: str, names: str) -> InputError:
    return InputError("bad-tool-input", message, hint=f"the parameters are: {names}")


def _short(text: str) -> str:
    return spoken(text if len(text) <= 60 else text[:60] + "...")


PATHS = {"file_path": "path", "filePath": "path"}
OLD = dict.fromkeys(("old", "old_text", "oldText", "old_str", "oldString"), "old_string")
NEW = dict.fromkeys(("new", "new_text", "newText", "new_str", "newString"), "new_string")

TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            name="read_file",
            title="Read a file",
            about="Read lines of a text file, with the digest of the whole file. At most 32000 "
            "bytes unless `max_bytes` says more (131072 at most); `truncated` tells of a cut.",
            run=read_tool.read_file,
            takes={
                "path": of.PATH,
                "start_line": of.whole("The first line, from 1."),
                "end_line": of.whole("The last line, included; the end of the file if left out."),
                "max_bytes": of.whole("How many bytes to show at most."),
            },
            needs=("path",),
            gives={
                "path": of.text("The file that was read."),
                "content": of.text("Its lines."),
                "digest": of.text("sha256 of the whole file."),
                "start_line": of.whole("The first line shown."),
                "end_line": of.whole("The last line shown."),
                "total_lines": of.whole("The lines of the whole file."),
                "size": of.whole("The bytes of the whole file."),
                "truncated": of.switch("True when bytes were cut off."),
                "notes": of.NOTES,
            },
            always=("path", "content", "digest", "start_line", "end_line", "truncated"),
            reads=True,
            idempotent=True,
            aliases=PATHS,
        ),
        Tool(
            name="write_file",
            title="Write a file",
            about="Create a file or replace its whole content. Where the rules allow it, it is "
            "written at once; where they ask, it waits for a person (status hitl_required) and "
            "nothing is written yet. Prefer edit_file for a file that exists.",
            run=write_tools.write_file,
            takes={
                "path": of.PATH,
                "content": of.text("The whole new content."),
                "base_digest": of.BASE,
            },
            needs=("path", "content"),
            gives=of.WRITTEN,
            always=("status", "applied", "files"),
            idempotent=True,
            aliases=PATHS,
        ),
        Tool(
            name="edit_file",
            title="Edit a file",
            about="Replace a text in a file by another. The old text must occur exactly once, "
            "unless `replace_all` is true. Answers as write_file does.",
            run=write_tools.edit_file,
            takes={
                "path": of.PATH,
                "old_string": of.text("The text that is there, exactly."),
                "new_string": of.text("The text to put in its place."),
                "replace_all": of.switch("Replace every occurrence."),
                "base_digest": of.BASE,
                "edits": of.listed(
                    "Several replacements, one after the other, instead of the two above.",
                    of.obj(
                        {
                            "old_string": of.text("What is there."),
                            "new_string": of.text("What comes."),
                        },
                        (),
                    ),
                ),
            },
            needs=("path",),
            gives=of.WRITTEN,
            always=("status", "applied", "files"),
            aliases=PATHS | OLD | NEW | {"replaceAll": "replace_all"},
        ),
        Tool(
            name="apply_patch",
            title="Apply a patch",
            about="Change one or more files by a unified diff, or by text between `*** Begin "
            "Patch` and `*** End Patch`. All of it fits or none is taken; several files wait and "
            "are written together. Answers as write_file does.",
            run=write_tools.apply_patch,
            takes={"patch": of.text("The patch.")},
            needs=("patch",),
            gives=of.WRITTEN,
            always=("status", "applied", "files"),
            aliases={"input": "patch", "diff": "patch"},
        ),
        Tool(
            name="list_directory",
            title="List a directory",
            about="List the names in a directory with kind and size. What may not be read is "
            "named and marked.",
            run=search_tools.list_directory,
            takes={"path": of.text("A directory; the workspace itself if left out.")},
            gives={
                "path": of.text("The directory."),
                "entries": of.listed("What it holds, by name.", {"type": "object"}),
                "truncated": of.switch("True when there is more."),
            },
            always=("path", "entries", "truncated"),
            reads=True,
            idempotent=True,
            aliases=PATHS,
        ),
        Tool(
            name="search_files",
            title="Search files",
            about="Find files by a glob for their names (`pattern`), by a text in them (`query`, "
            "with `regex` a regular expression), or by both. Files that may not be read are "
            "passed over and counted; `.git` is left out.",
            run=search_tools.search_files,
            takes={
                "pattern": of.text("A glob such as *.py or src/**/*.ts."),
                "query": of.text("A text to find in the files, line by line."),
                "regex": of.switch("Take the query for a regular expression (RE2)."),
                "path": of.text("Where to search; the workspace if left out."),
                "max_results": of.whole("How many to find at most: 100, or up to 1000."),
            },
            gives={
                "matches": of.listed(
                    "What was found: path, and line and text.", {"type": "object"}
                ),
                "files_searched": of.whole("How many files were looked at."),
                "passed_over": {"type": "object", "description": "How many were not, and why."},
                "truncated": of.switch("True when not all was searched."),
                "ended": of.text("What ended the search early."),
            },
            always=("matches", "files_searched", "truncated"),
            reads=True,
            idempotent=True,
            apart=True,
            aliases=PATHS | {"text": "query"},
        ),
        Tool(
            name="proposal_status",
            title="Ask what became of a proposal",
            about="Tell whether a proposal still waits, was applied, rejected (with the reason), "
            "expired or is stale, and what to do next. With `wait_seconds` it waits that long "
            f"for an answer, {LONGEST_WAIT} at most.",
            run=status_tools.proposal_status,
            takes={
                "proposal_id": of.text("hitl-... or set-... from the answer to a write."),
                "wait_seconds": of.whole("How long to wait for an answer.", maximum=LONGEST_WAIT),
            },
            needs=("proposal_id",),
            gives={
                "proposal_id": of.text("What was asked about."),
                "status": of.text("hitl_required while it waits; else what became of it."),
                "state": of.text("waiting, approved, applied, rejected, denied, expired, stale..."),
                "open": of.switch("True while something can still become of it."),
                "next": of.text("What to do now."),
                "reason": of.text("What the person said."),
                "because": of.text("Why a person was asked."),
                "answered_by": of.text("Who answered."),
                "expires_in_seconds": of.whole("How long it still waits."),
                "replaced_by": of.listed("A person's own versions of it."),
                "files": of.listed("Each file of it.", of.FILE),
            },
            always=("proposal_id", "status", "state", "open", "next", "files"),
            reads=True,
            idempotent=True,
            waits=True,
            aliases={"id": "proposal_id", "hitl_id": "proposal_id"},
        ),
        Tool(
            name="explain_decision",
            title="Explain a decision",
            about="Tell what the rules say to a call, or why a proposal waits: the verdict, the "
            "rules behind it and where they are written. Does nothing else.",
            run=status_tools.explain_decision,
            takes={
                "proposal_id": of.text("A proposal to explain."),
                "tool": of.text("Or the name of a tool, such as write_file or Bash,"),
                "input": {"type": "object", "description": "and its input."},
            },
            gives={
                **of.DECIDED,
                "revision": of.text("The policy in force, by its digest."),
                "degraded": of.text("Why the policy in force is not the one that was written."),
                "parts": of.listed("The same for each file, where there are several.", of.PARTS),
            },
            always=("verdict", "because", "rules", "revision"),
            reads=True,
            idempotent=True,
            aliases={"tool_name": "tool", "tool_input": "input"},
        ),
    )
}
