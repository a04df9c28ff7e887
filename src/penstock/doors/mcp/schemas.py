"""What tools take and give, as JSON Schema; and values held to it.

Which tool takes what is `tool_table`' to say.
Always true: a yes or no is no number, although to Python it is one.
"""

from __future__ import annotations

from collections.abc import Mapping

from penstock.core.errors import InputError
from penstock.core.proposals.intent import ABOUT_REGIONS, ABOUT_WHY, REGIONS, WHY
from penstock.doors.mcp.tool_call import Json

Schema = Mapping[str, Json]


def text(about: str) -> Json:
    """Return the schema of a text."""
    return {"type": "string", "description": about}


def whole(about: str, **more: object) -> Json:
    """Return the schema of a whole number."""
    return {"type": "integer", "description": about, **more}


def switch(about: str) -> Json:
    """Return the schema of a yes or no."""
    return {"type": "boolean", "description": about}


def listed(about: str, items: Json | None = None) -> Json:
    """Return the schema of a list, of texts where nothing else is said."""
    return {"type": "array", "description": about, "items": items or {"type": "string"}}


def obj(properties: Schema, required: tuple[str, ...]) -> Json:
    """Return the schema of an object."""
    made = {name: dict(schema) for name, schema in properties.items()}
    return {"type": "object", "properties": made, "required": list(required)}


KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}


def checked(name: str, schema: Json, value: object) -> object:
    """Return a value of the kind that its schema names. Raises InputError `bad-tool-input`."""
    kind = str(schema["type"])
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    right = isinstance(value, KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))
    if not right:
        raise InputError("bad-tool-input", f"`{name}` must be of type {kind}")
    return value


PATH = text("A file of the workspace, relative to its root (absolute paths work too).")
BASE = text("The digest that read_file returned; nothing is done if the file has changed since.")
# What an agent may say of its own change.
INTENT: Schema = {WHY: text(ABOUT_WHY), REGIONS: listed(ABOUT_REGIONS)}
NOTES = listed("Notes from matching rules.")
DIGEST = text("`sha256:` and hex; empty for no file.")
FILE: Json = {
    "type": "object",
    "properties": {
        "path": text("The file."),
        "kind": text("new, modify, replace, delete or unchanged."),
        "proposal_id": text("The proposal for this file."),
        "base_digest": DIGEST,
        "content_digest": DIGEST,
        "lines_added": whole("Lines added."),
        "lines_deleted": whole("Lines removed."),
        "existing_lines": whole("Lines in the file before."),
        "unit": text("What is counted: lines, or bytes for binary files."),
        "receipt": text("Receipt of the write, for `penstock undo`."),
        "state": text("State of the proposal for this file."),
    },
    "required": ["path", "kind"],
}
FAILED: Schema = {
    "status": text(
        "applied, unchanged, hitl_required (needs approval); denied or error with `error`."
    ),
    "error": {
        "type": "object",
        "properties": {
            "code": text("A stable error code."),
            "message": text("What happened."),
            "because": text("Why."),
            "try": text("What to do."),
        },
        "required": ["code", "message"],
    },
}
WRITTEN: Schema = {
    "status": FAILED["status"],
    "applied": switch("True when the files have this content now."),
    "changed": switch("False when they already had it."),
    "proposal_id": text("Id for `proposal_status`: hitl-..., or set-... for several files."),
    "files": listed("Each file of the change.", FILE),
    "because": text("Why approval is needed."),
    "instead": text("What would not need approval."),
    "rules": listed("The rules that require approval."),
    "warnings": listed("What an approver should know."),
    "expires_in_seconds": whole("Seconds until it expires."),
    "revision": text("Digest of the active policy."),
    "notes": NOTES,
}
DECIDED: Schema = {
    "verdict": {"type": "string", "enum": ["allow", "ask", "deny"]},
    "path": text("The file."),
    "action": text("read, write, create, delete or run."),
    "code": text("A stable reason code."),
    "because": text("Why."),
    "instead": text("What to do instead."),
    "notes": NOTES,
    "rules": listed("The rules that matched.", {"type": "object"}),
    "change": {"type": "object", "description": "What would change, measured."},
}
PARTS = obj(DECIDED, ("verdict",))  # several files: each part is a decision itself
