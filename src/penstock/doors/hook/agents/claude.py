"""Claude Code: `PreToolUse`, `PostToolUse`, `ConfigChange`, `SessionStart` and `Stop` hooks.

It can be asked, told and denied in JSON with exit code 0. A file dialog does not show the
reason of an `ask`, so the person is told by `systemMessage` as well. Run by a program
(`claude -p`, the SDK) there is nobody to ask.
"""

from penstock.core.audit.chain import encode
from penstock.doors.hook.messages import (
    AFTER,
    ALLOW,
    ASK,
    BEFORE,
    CONFIG,
    DENY,
    END,
    OTHER,
    SILENT,
    START,
    HookAnswer,
    HookCall,
    Reply,
    started,
    table,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from penstock.doors.hook.messages import Document, Entries, Environ

NAME = "claude"
TITLE = "Claude Code"
EVENTS = {
    "PreToolUse": BEFORE,
    "PostToolUse": AFTER,
    "PostToolUseFailure": AFTER,
    "ConfigChange": CONFIG,
    "SessionStart": START,
    "Stop": END,
}
WORDS = {BEFORE: "PreToolUse", AFTER: "PostToolUse", START: "SessionStart"}
MATCHER = "Write|Edit|MultiEdit|NotebookEdit|Bash|mcp__.*"
READS = "Read|Grep|Glob"  # nothing to settle after these
TIMEOUT = 10  # seconds until the client gives up; ours ends long before


def read(document: "Document", environ: "Environ") -> HookCall:
    """Return what Claude Code is about to do."""
    return HookCall(
        NAME,
        EVENTS.get(text(document.get("hook_event_name")), OTHER),
        tool=text(document.get("tool_name")),
        tool_input=table(document.get("tool_input")),
        cwd=text(document.get("cwd")),
        root=environ.get("CLAUDE_PROJECT_DIR", "") or started(environ),
        session=text(document.get("session_id")),
        call_id=text(document.get("tool_use_id")),
        subagent=text(document.get("agent_type")),
        settings=text(document.get("file_path")),
        attended=_attended(environ),
        name=text(document.get("hook_event_name")),
    )


def _attended(environ: "Environ") -> bool:
    """A person is there unless Claude Code says otherwise, or is run by a program."""
    told = environ.get("CLAUDE_CODE_SESSION_ATTENDED", "")
    return told != "0" and not environ.get("CLAUDE_CODE_ENTRYPOINT", "sdk").startswith("sdk")


def say(call: HookCall, answer: HookAnswer) -> Reply:
    """Return the answer in Claude Code's words; an allow that no rule gave is no word at all."""
    if call.event == CONFIG:
        refused = {"decision": "block", "reason": answer.reason}
        return _json(refused) if answer.verdict == DENY else SILENT
    said: dict[str, object] = {}
    if call.event == BEFORE and (answer.verdict != ALLOW or answer.granted):
        said["permissionDecision"] = answer.verdict
        said["permissionDecisionReason"] = answer.reason
    if answer.notes:
        said["additionalContext"] = "\n".join(answer.notes)
    whole: dict[str, object] = {}
    if said:
        name = call.name or WORDS.get(call.event, "")
        whole["hookSpecificOutput"] = {"hookEventName": name, **said}
    shown = [answer.reason] if answer.verdict == ASK else []
    shown += answer.warnings
    if shown:
        whole["systemMessage"] = "; ".join(shown)
    return _json(whole) if whole else SILENT


def shows(call: HookCall) -> bool:
    """Say whether the user sees `systemMessage`; a program that runs Claude Code has no user."""
    return call.attended


def _json(document: "Document") -> Reply:
    return Reply(encode(document) + "\n")


def registration(command: str, *, strict: bool) -> "Entries":
    """Return what `init` adds to the project's settings."""
    hook: dict[str, Any] = {"type": "command", "command": command, "timeout": TIMEOUT}
    return _entries(hook, {**hook, "onFailure": "block"} if strict else hook, hook)


def http_registration(command: str, url: str, token: str, root: str) -> "Entries":
    """Return the same for a hook over HTTP: when nothing answers, nothing is written.

    A session's start is told by a command all the same, because that is all it can be, and so is
    the end of a turn: only a command in an isolated run reaches its supervisor. A request has no
    variables, so the project is named in a header: a session that walks into another repository
    takes its rules along. The client fills in whether a person is there, and where its settings
    are if not at home.
    """
    start: dict[str, Any] = {"type": "command", "command": command, "timeout": TIMEOUT}
    headers = {
        "Authorization": "Bearer " + token,
        "X-Penstock-Project": _plain(root),
        "X-Penstock-Entrypoint": "$CLAUDE_CODE_ENTRYPOINT",
        "X-Penstock-Settings": "$CLAUDE_CONFIG_DIR",
    }
    hook: dict[str, Any] = {
        "type": "http",
        "url": url,
        "headers": headers,
        "allowedEnvVars": ["CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CONFIG_DIR"],
        "timeout": TIMEOUT,
    }
    return _entries(hook, {**hook, "onFailure": "block"}, start)


def _plain(path: str) -> str:
    """Return a path as a header can hold it: whatever is not plain as `%XX`.

    `$` is not plain either: the client would take what follows for a variable.
    """
    data = path.encode("utf-8", "surrogateescape")
    return "".join([chr(c) if 0x20 < c < 0x7F and c not in b"%$" else f"%{c:02X}" for c in data])


def _entries(
    hook: "dict[str, Any]", before: "dict[str, Any]", start: "dict[str, Any]"
) -> "Entries":
    from penstock.doors.hook.agents.common import entries, never_failing

    end = {**start, "command": never_failing(start["command"])}
    hooks = {
        "PreToolUse": {"matcher": f"{READS}|{MATCHER}", "hooks": [before]},
        "PostToolUse": {"matcher": MATCHER, "hooks": [hook]},
        "PostToolUseFailure": {"matcher": MATCHER, "hooks": [hook]},
        "ConfigChange": {"hooks": [before]},
        "SessionStart": {"hooks": [start]},
        "Stop": {"hooks": [end]},
    }
    return entries(".claude/settings.json", hooks)
