"""The tools, one row each: what it takes, what it gives, and what it truthfully is.

Arguments are checked here, against the same schema that clients are shown.
Always true: a tool that can change a file says so, and there is none that applies or approves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct, field

from penstock.core.errors import InputError
from penstock.core.text.display import spoken
from penstock.doors.mcp import read_tool, search_tools, status_tools, write_tools
from penstock.doors.mcp import schemas as of
from penstock.doors.mcp.schemas import Schema
from penstock.doors.mcp.tool_call import Json, ToolAnswer, ToolCall

Run = Callable[[ToolCall, Mapping[str, object]], ToolAnswer]

LONGEST_WAIT = 50  # seconds; clients give a call a minute


class Tool(Struct, frozen=True, kw_only=True):
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
            "bytes unless `max_bytes` says more (131072 at most); `truncated` says if it was cut.",
            run=read_tool.read_file,
            takes={
                "path": of.PATH,
                "start_line": of.whole("The first line, from 1."),
                "end_line": of.whole("The last line, inclusive; default: the end of the file."),
                "max_bytes": of.whole("Maximum number of bytes to return."),
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
            about="Create a file or replace its whole content. If the rules allow it, it is "
            "written at once; if they require approval, it is pending (status hitl_required) and "
            "not written yet. Prefer edit_file for an existing file.",
            run=write_tools.write_file,
            takes={
                "path": of.PATH,
                "content": of.text("The whole new content."),
                "base_digest": of.BASE,
                **of.INTENT,
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
            "unless `replace_all` is true. Returns the same as write_file.",
            run=write_tools.edit_file,
            takes={
                "path": of.PATH,
                "old_string": of.text("The exact text to replace."),
                "new_string": of.text("The new text."),
                "replace_all": of.switch("Replace every occurrence."),
                "base_digest": of.BASE,
                "edits": of.listed(
                    "Several replacements, one after the other, instead of the two above.",
                    of.obj(
                        {
                            "old_string": of.text("The text to replace."),
                            "new_string": of.text("The new text."),
                        },
                        (),
                    ),
                ),
                **of.INTENT,
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
            "Patch` and `*** End Patch`. All hunks must apply; several files are approved and "
            "written together. Returns the same as write_file.",
            run=write_tools.apply_patch,
            takes={"patch": of.text("The patch."), **of.INTENT},
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
            takes={"path": of.text("A directory; default: the workspace.")},
            gives={
                "path": of.text("The directory."),
                "entries": of.listed("Its entries, sorted by name.", {"type": "object"}),
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
            "skipped and counted; `.git` is excluded.",
            run=search_tools.search_files,
            takes={
                "pattern": of.text("A glob such as *.py or src/**/*.ts."),
                "query": of.text("A text to find in the files, line by line."),
                "regex": of.switch("Treat the query as a regular expression (RE2)."),
                "path": of.text("Where to search; default: the workspace."),
                "max_results": of.whole("Maximum number of matches: default 100, at most 1000."),
            },
            gives={
                "matches": of.listed("Matches: path, and line and text.", {"type": "object"}),
                "files_searched": of.whole("Number of files searched."),
                "passed_over": {
                    "type": "object",
                    "description": "Number of files skipped, by reason.",
                },
                "truncated": of.switch("True when the search is incomplete."),
                "ended": of.text("Why the search ended early."),
            },
            always=("matches", "files_searched", "truncated"),
            reads=True,
            idempotent=True,
            apart=True,
            aliases=PATHS | {"text": "query"},
        ),
        Tool(
            name="proposal_status",
            title="Get the status of a proposal",
            about="Return whether a proposal is pending, applied, rejected (with the reason), "
            "expired or out of date, and what to do next. With `wait_seconds`, wait that long "
            f"for an answer (at most {LONGEST_WAIT}).",
            run=status_tools.proposal_status,
            takes={
                "proposal_id": of.text("hitl-... or set-... from the answer to a write."),
                "wait_seconds": of.whole(
                    "How many seconds to wait for an answer.", maximum=LONGEST_WAIT
                ),
            },
            needs=("proposal_id",),
            gives={
                "proposal_id": of.text("The id that was asked for."),
                "status": of.text("hitl_required while it is pending; else the outcome."),
                "state": of.text("waiting, approved, applied, rejected, denied, expired, stale..."),
                "open": of.switch("True while it is open."),
                "next": of.text("What to do next."),
                "reason": of.text("The user's reason, with every comment."),
                "comments": of.listed(
                    "What the user says about lines of your version: path, start, end, text; "
                    "`removed` is true for lines of the current file.",
                    {"type": "object"},
                ),
                "because": of.text("Why approval was needed."),
                "answered_by": of.text("Who answered."),
                "expires_in_seconds": of.whole("Seconds until it expires."),
                "replaced_by": of.listed("Versions edited by the user."),
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
            about="Return what the rules decide about a call, or why a proposal needs approval: "
            "the verdict, the matching rules and where they are defined. Changes nothing.",
            run=status_tools.explain_decision,
            takes={
                "proposal_id": of.text("A proposal to explain."),
                "tool": of.text("Or the name of a tool, such as write_file or Bash,"),
                "input": {"type": "object", "description": "and its input."},
            },
            gives={
                **of.DECIDED,
                "revision": of.text("Digest of the active policy."),
                "degraded": of.text("Why the active policy is not the one in the rules file."),
                "parts": of.listed("The same for each file, where there are several.", of.PARTS),
            },
            always=("verdict", "because", "rules", "revision"),
            reads=True,
            idempotent=True,
            aliases={"tool_name": "tool", "tool_input": "input"},
        ),
    )
}
