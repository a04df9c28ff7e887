"""What the families of agents share; an agent's own module says what is particular to it.

A call with the fields that most of them took over from Claude Code (`made`), or from a plugin of
ours inside the agent (`from_plugin`). An answer by exit code (`by_exit_code`), or in JSON: Claude
Code's `hookSpecificOutput` and `permissionDecision` are taken by several, not by all alike. What
`init` writes: entries under `hooks`, or a plugin.
Always true: a refusal has a reason, because several agents take one without a reason for a
hook that failed, and write.
"""

from penstock.core.audit.chain import encode, hexdigest
from penstock.doors.hook.messages import (
    AFTER,
    ALLOW,
    ASK,
    BEFORE,
    DENY,
    END,
    OTHER,
    SILENT,
    HookAnswer,
    HookCall,
    Reply,
    table,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from penstock.doors.hook.messages import Document, Entries

TIMEOUT = 10  # seconds until a client gives up; ours ends long before
MILLISECONDS = TIMEOUT * 1000
NAMED = ("file_path", "filePath", "path", "notebook_path", "command", "command_line", "cmd")
LONGEST = 4000


# A call


def event(document: "Document", events: "Mapping[str, str]") -> str:
    """Return what a call is about, by the agent's own word for it."""
    return events.get(text(document.get("hook_event_name")), OTHER)


def made(
    agent: str,
    event: str,
    document: "Document",
    *,
    root: str,
    tool: str = "",
    tool_input: "dict[str, Any] | None" = None,
    cwd: str = "",
    session: str = "",
    given: object = None,
    attended: bool = False,
) -> HookCall:
    """Return a call whose fields are named as Claude Code names them, except for those given."""
    tool = tool or text(document.get("tool_name"))
    tool_input = table(document.get("tool_input")) if tool_input is None else tool_input
    return HookCall(
        agent,
        event,
        tool=tool,
        tool_input=tool_input,
        cwd=cwd or text(document.get("cwd")),
        root=root,
        session=session or text(document.get("session_id")),
        call_id=call_id(given or document.get("tool_use_id"), tool, tool_input),
        attended=attended,
    )


def from_plugin(agent: str, document: "Document", *, root: str) -> HookCall:
    """Return a call that a plugin of ours tells (see `presets/ask.js`)."""
    told = text(document.get("event"))
    return made(
        agent,
        told if told in (BEFORE, AFTER) else OTHER,
        document,
        root=root,
        tool=text(document.get("tool")),
        tool_input=table(document.get("input")),
        session=text(document.get("session")),
        given=document.get("call"),
    )


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


# An answer


def said(document: "Mapping[str, object]") -> Reply:
    """Return an answer in JSON."""
    return Reply(encode(document) + "\n")


def reason(answer: HookAnswer) -> str:
    """Return why not; never nothing."""
    return answer.reason or "Denied by Penstock"


def noted(answer: HookAnswer) -> str:
    """Return the notes as one text."""
    return "\n".join(answer.notes)


def by_exit_code(call: HookCall, answer: HookAnswer) -> Reply:
    """Return a refusal as exit 2 with stderr and nothing on stdout; else the notes, if any."""
    if call.event == BEFORE and answer.verdict != ALLOW:
        return Reply(stderr=reason(answer) + "\n", code=2)
    return Reply(noted(answer) + "\n") if answer.notes else SILENT


def permission(
    call: HookCall, answer: HookAnswer, *, knows_deny_only: bool = False
) -> "dict[str, object]":
    """Return the decision in Claude Code's words; without somebody to ask, an ask is a denial."""
    if call.event != BEFORE:
        return {}
    if answer.verdict == ALLOW and (knows_deny_only or not answer.granted):
        return {}
    unheard = answer.verdict == ASK and (knows_deny_only or not call.attended)
    return {
        "permissionDecision": DENY if unheard else answer.verdict,
        "permissionDecisionReason": reason(answer),
    }


def hook_output(
    events: "Mapping[str, str]", call: HookCall, answer: HookAnswer, words: "dict[str, object]"
) -> Reply:
    """Return some words and the notes, under the agent's name for the event."""
    name = next((name for name, event in events.items() if event == call.event), "")
    if answer.notes and name:
        words["additionalContext"] = noted(answer)
    return said({"hookSpecificOutput": {"hookEventName": name, **words}}) if words else SILENT


# What `init` writes


def entries(
    file: str, hooks: "Mapping[str, object]", *, defaults: "Document | None" = None
) -> "Entries":
    """Return a hook for each event, in a file that has them under `hooks`."""
    more = {"defaults": defaults} if defaults else {}
    return [
        {"file": file, "at": ["hooks", event], "add": hook, **more} for event, hook in hooks.items()
    ]


def matching(
    file: str,
    events: "Mapping[str, str]",
    matcher: str,
    command: str,
    timeout: int,
    *,
    before: str = "",
) -> "Entries":
    """Return a command for each event, for the tools that a pattern names.

    `before` is the pattern before a tool runs, where it is not the same: after a read there is
    nothing to settle.
    """
    patterns = {BEFORE: before or matcher, AFTER: matcher}

    def hook(event: str) -> "dict[str, Any]":
        only = {"matcher": patterns[event]} if event in patterns else {}
        runs = never_failing(command) if event == END else command
        return {**only, "hooks": [{"type": "command", "command": runs, "timeout": timeout}]}

    return entries(file, {name: hook(event) for name, event in events.items()})


def never_failing(command: str) -> str:
    """Return a command for the end of a turn: an agent that is refused there goes on for ever."""
    return f"{command} || :"


def plugin(file: str, preset: str, command: str, *, strict: bool) -> "Entries":
    """Return a plugin that runs inside the agent; `strict`: a hook that fails blocks.

    It begins with what all of them share (`presets/ask.js`). The command stands in it as a list
    of words, so no shell reads it.
    """
    import json
    import shlex

    from penstock import presets

    text = presets.read("ask.js").decode() + presets.read(preset).decode()
    words = {"COMMAND": shlex.split(command), "CLOSED": strict, "WITHIN": MILLISECONDS}
    for mark, value in words.items():
        text = text.replace(f"__{mark}__", json.dumps(value))
    return [{"file": file, "text": text}]
