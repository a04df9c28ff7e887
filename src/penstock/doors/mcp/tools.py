"""The tools, one row each: what it takes, what it gives, and what it truthfully is.

Arguments are checked here, against the same schema that clients are shown.
Always true: a tool that can change a file says so, and there is none that applies or approves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from penstock.core.display import spoken
from penstock.core.errors import InputError
from penstock.doors.mcp import asking, looking, reading, writing
from penstock.doors.mcp.asked import Answer, Asked, Json

Run = Callable[[Asked, Mapping[str, object]], Answer]
Schema = Mapping[str, Json]

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
        return _object(self.takes, self.needs)

    @property
    def output_schema(self) -> Json:
        """What clients get as structured content; some hold errors to it as well."""
        made = _object({**self.gives, **FAILED}, ())
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
            found[name] = _checked(name, self.takes[name], value)
        missing = [name for name in self.needs if name not in found]
        if missing:
            raise _wrong(f"`{missing[0]}` is missing", ", ".join(self.takes))
        return found


def _object(properties: Schema, required: tuple[str, ...]) -> Json:
    made = {name: dict(schema) for name, schema in properties.items()}
    return {"type": "object", "properties": made, "required": list(required)}


def _wrong(message: str, names: str) -> InputError:
    return InputError("bad-tool-input", message, hint=f"the parameters are: {names}")


def _short(text: str) -> str:
    return spoken(text if len(text) <= 60 else text[:60] + "...")


KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}


def _checked(name: str, schema: Json, value: object) -> object:
    kind = str(schema["type"])
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    right = isinstance(value, KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))
    if not right:
        raise InputError("bad-tool-input", f"`{name}` must be of type {kind}")
    return value


# Schemas


def _text(about: str) -> Json:
    return {"type": "string", "description": about}


def _whole(about: str, **more: object) -> Json:
    return {"type": "integer", "description": about, **more}


def _switch(about: str) -> Json:
    return {"type": "boolean", "description": about}


def _list(about: str, items: Json | None = None) -> Json:
    return {"type": "array", "description": about, "items": items or {"type": "string"}}


PATH = _text("A file of the workspace, relative to its root (absolute is understood, too).")
BASE = _text("The digest that read_file told: nothing is done if the file changed since.")
NOTES = _list("What rules add to their answer.")
DIGEST = _text("`sha256:` and hex; empty for no file.")
FILE: Json = {
    "type": "object",
    "properties": {
        "path": _text("The file."),
        "kind": _text("new, modify, replace, delete or unchanged."),
        "proposal_id": _text("The proposal about this file."),
        "base_digest": DIGEST,
        "content_digest": DIGEST,
        "lines_added": _whole("Lines that come."),
        "lines_deleted": _whole("Lines that go."),
        "existing_lines": _whole("Lines that were there."),
        "unit": _text("What is counted: lines, or bytes where it is no text."),
        "receipt": _text("The proof of the write; `penstock undo` takes it."),
        "state": _text("What became of the proposal about this file."),
    },
    "required": ["path", "kind"],
}
FAILED: Schema = {
    "status": _text(
        "applied, unchanged, hitl_required (it waits for a person); denied or error with `error`."
    ),
    "error": {
        "type": "object",
        "properties": {
            "code": _text("A stable word for it."),
            "message": _text("What happened."),
            "because": _text("Why."),
            "try": _text("What to do about it."),
        },
        "required": ["code", "message"],
    },
}
WRITTEN: Schema = {
    "status": FAILED["status"],
    "applied": _switch("True when the files hold it now."),
    "changed": _switch("False when they held it before."),
    "proposal_id": _text("What to ask `proposal_status` about: hitl-..., or set-... for several."),
    "files": _list("Each file of the change.", FILE),
    "because": _text("Why a person is asked."),
    "instead": _text("What would need no person."),
    "rules": _list("The rules that ask."),
    "warnings": _list("What an approver should know."),
    "expires_in_seconds": _whole("How long it waits."),
    "revision": _text("The policy in force, by its digest."),
    "notes": NOTES,
}
DECIDED: Schema = {
    "verdict": {"type": "string", "enum": ["allow", "ask", "deny"]},
    "path": _text("The file."),
    "action": _text("read, write, create, delete or run."),
    "code": _text("A stable word for the reason."),
    "because": _text("Why."),
    "instead": _text("What to do instead."),
    "notes": NOTES,
    "rules": _list("The rules that spoke.", {"type": "object"}),
    "change": {"type": "object", "description": "What would change, measured."},
}
PARTS = _object(DECIDED, ("verdict",))  # several files: each part is a decision itself
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
            run=reading.read_file,
            takes={
                "path": PATH,
                "start_line": _whole("The first line, from 1."),
                "end_line": _whole("The last line, included; the end of the file if left out."),
                "max_bytes": _whole("How many bytes to show at most."),
            },
            needs=("path",),
            gives={
                "path": _text("The file that was read."),
                "content": _text("Its lines."),
                "digest": _text("sha256 of the whole file."),
                "start_line": _whole("The first line shown."),
                "end_line": _whole("The last line shown."),
                "total_lines": _whole("The lines of the whole file."),
                "size": _whole("The bytes of the whole file."),
                "truncated": _switch("True when bytes were cut off."),
                "notes": NOTES,
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
            run=writing.write_file,
            takes={"path": PATH, "content": _text("The whole new content."), "base_digest": BASE},
            needs=("path", "content"),
            gives=WRITTEN,
            always=("status", "applied", "files"),
            idempotent=True,
            aliases=PATHS,
        ),
        Tool(
            name="edit_file",
            title="Edit a file",
            about="Replace a text in a file by another. The old text must occur exactly once, "
            "unless `replace_all` is true. Answers as write_file does.",
            run=writing.edit_file,
            takes={
                "path": PATH,
                "old_string": _text("The text that is there, exactly."),
                "new_string": _text("The text to put in its place."),
                "replace_all": _switch("Replace every occurrence."),
                "base_digest": BASE,
                "edits": _list(
                    "Several replacements, one after the other, instead of the two above.",
                    _object(
                        {"old_string": _text("What is there."), "new_string": _text("What comes.")},
                        (),
                    ),
                ),
            },
            needs=("path",),
            gives=WRITTEN,
            always=("status", "applied", "files"),
            aliases=PATHS | OLD | NEW | {"replaceAll": "replace_all"},
        ),
        Tool(
            name="apply_patch",
            title="Apply a patch",
            about="Change one or more files by a unified diff, or by text between `*** Begin "
            "Patch` and `*** End Patch`. All of it fits or none is taken; several files wait and "
            "are written together. Answers as write_file does.",
            run=writing.apply_patch,
            takes={"patch": _text("The patch.")},
            needs=("patch",),
            gives=WRITTEN,
            always=("status", "applied", "files"),
            aliases={"input": "patch", "diff": "patch"},
        ),
        Tool(
            name="list_directory",
            title="List a directory",
            about="List the names in a directory with kind and size. What may not be read is "
            "named and marked.",
            run=looking.list_directory,
            takes={"path": _text("A directory; the workspace itself if left out.")},
            gives={
                "path": _text("The directory."),
                "entries": _list("What it holds, by name.", {"type": "object"}),
                "truncated": _switch("True when there is more."),
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
            run=looking.search_files,
            takes={
                "pattern": _text("A glob such as *.py or src/**/*.ts."),
                "query": _text("A text to find in the files, line by line."),
                "regex": _switch("Take the query for a regular expression (RE2)."),
                "path": _text("Where to search; the workspace if left out."),
                "max_results": _whole("How many to find at most: 100, or up to 1000."),
            },
            gives={
                "matches": _list("What was found: path, and line and text.", {"type": "object"}),
                "files_searched": _whole("How many files were looked at."),
                "passed_over": {"type": "object", "description": "How many were not, and why."},
                "truncated": _switch("True when not all was searched."),
                "ended": _text("What ended the search early."),
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
            run=asking.proposal_status,
            takes={
                "proposal_id": _text("hitl-... or set-... from the answer to a write."),
                "wait_seconds": _whole("How long to wait for an answer.", maximum=LONGEST_WAIT),
            },
            needs=("proposal_id",),
            gives={
                "proposal_id": _text("What was asked about."),
                "status": _text("hitl_required while it waits; else what became of it."),
                "state": _text("waiting, approved, applied, rejected, denied, expired, stale..."),
                "open": _switch("True while something can still become of it."),
                "next": _text("What to do now."),
                "reason": _text("What the person said."),
                "because": _text("Why a person was asked."),
                "answered_by": _text("Who answered."),
                "expires_in_seconds": _whole("How long it still waits."),
                "replaced_by": _list("A person's own versions of it."),
                "files": _list("Each file of it.", FILE),
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
            run=asking.explain_decision,
            takes={
                "proposal_id": _text("A proposal to explain."),
                "tool": _text("Or the name of a tool, such as write_file or Bash,"),
                "input": {"type": "object", "description": "and its input."},
            },
            gives={
                **DECIDED,
                "revision": _text("The policy in force, by its digest."),
                "degraded": _text("Why the policy in force is not the one that was written."),
                "parts": _list("The same for each file, where there are several.", PARTS),
            },
            always=("verdict", "because", "rules", "revision"),
            reads=True,
            idempotent=True,
            aliases={"tool_name": "tool", "tool_input": "input"},
        ),
    )
}
