"""What several agents' modules share: a JSON answer, a refusal by exit code, an id for a call.

Always true: a refusal has a reason, because several agents take one without a reason for a
hook that failed, and write.
"""

from penstock.core.chain import encode, hexdigest
from penstock.doors.hook.talk import Answer, Reply, table, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

TIMEOUT = 10  # seconds until a client gives up; ours ends long before
NAMED = ("file_path", "filePath", "path", "notebook_path", "command", "command_line", "cmd")
LONGEST = 4000


def said(document: "Mapping[str, object]") -> Reply:
    """Return an answer in JSON."""
    return Reply(encode(document) + "\n")


def reason(answer: Answer) -> str:
    """Return why not; never nothing."""
    return answer.reason or "Penstock does not allow this"


def noted(answer: Answer) -> str:
    """Return the notes as one text."""
    return "\n".join(answer.notes)


def refused(answer: Answer) -> Reply:
    """Return a refusal for agents that go by the exit code: stderr, and nothing on stdout."""
    return Reply(stderr=reason(answer) + "\n", code=2)


def call_id(given: object, tool: str, tool_input: "Mapping[str, Any]") -> str:
    """Return a call's id, or one made of what it is about, the same before and after the call."""
    if isinstance(given, str) and given:
        return given
    for key in NAMED:
        about = text(tool_input.get(key))
        if about:
            whole = f"{tool}\n{about[:LONGEST]}".encode("utf-8", "surrogatepass")
            return "made-" + hexdigest(whole)[:16]
    return ""


def first(value: object) -> str:
    """Return the first text of a list."""
    return text(value[0]) if isinstance(value, list) and value else ""


def parsed(value: object) -> "dict[str, Any]":
    """Return arguments that some agents send as an object and others as its JSON text."""
    if not isinstance(value, str):
        return table(value)
    from penstock.doors.hook.wire import parse

    try:
        return table(parse(value.encode("utf-8", "surrogatepass")))
    except ValueError:
        return {"arguments": value}
