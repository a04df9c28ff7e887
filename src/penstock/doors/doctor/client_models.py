"""How each agent sends a write to its hook, and how it takes the answer: a model of the client.

Written apart from the agents' modules, from what the clients were seen or are said to do, so
that the two can be compared.
Always true: an answer that the client would not understand is a fault, never a good answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

SESSION = "penstock-doctor"
Json = dict[str, Any]


class ClientVerdict(Struct, frozen=True, kw_only=True):
    """What a hook answered: `refused` as its agent would take it, or `fault` where it would not."""

    refused: bool = False
    reason: str = ""
    fault: str = ""
    seconds: float = 0.0


class Raw(Struct, frozen=True, kw_only=True):
    """What came out of a hook."""

    code: int
    stdout: str
    stderr: str = ""


# What each agent sends for a write


def _claude_write(root: str, path: str) -> Json:
    return {
        "session_id": SESSION,
        "cwd": root,
        "permission_mode": "acceptEdits",
        "hook_event_name": "PreToolUse",
        "tool_name": "Write",
        "tool_input": {"file_path": f"{root}/{path}", "content": "probe\n"},
        "tool_use_id": SESSION,
    }


def _codex_write(root: str, path: str) -> Json:
    patch = f"*** Begin Patch\n*** Add File: {path}\n+probe\n*** End Patch"
    call = {"tool_name": "apply_patch", "tool_input": {"command": patch}}
    return {**_claude_write(root, path), **call, "turn_id": SESSION, "model": "probe"}


def _gemini_write(root: str, path: str) -> Json:
    event = {"hook_event_name": "BeforeTool", "tool_name": "write_file"}
    return {**_claude_write(root, path), **event}


def _qwen_write(root: str, path: str) -> Json:
    return {**_claude_write(root, path), "tool_name": "write_file", "permission_mode": "yolo"}


def _cursor_write(root: str, path: str) -> Json:
    return {
        "conversation_id": SESSION,
        "hook_event_name": "preToolUse",
        "workspace_roots": [root],
        "cwd": root,
        "tool_name": "Write",
        "tool_input": {"file_path": f"{root}/{path}", "contents": "probe\n"},
        "tool_use_id": SESSION,
    }


def _copilot_write(root: str, path: str) -> Json:
    args = {"path": f"{root}/{path}", "file_text": "probe\n"}
    return {"sessionId": SESSION, "cwd": root, "toolName": "create", "toolArgs": args}


def _windsurf_write(root: str, path: str) -> Json:
    edits = [{"old_string": "", "new_string": "probe\n"}]
    return {
        "agent_action_name": "pre_write_code",
        "trajectory_id": SESSION,
        "tool_info": {"file_path": f"{root}/{path}", "edits": edits},
    }


def _kiro_write(root: str, path: str) -> Json:
    arguments = {"command": "create", "path": f"{root}/{path}", "file_text": "probe\n"}
    event = {"hook_event_name": "PreToolUse", "cwd": root, "tool_name": "fs_write"}
    return {**event, "tool_input": arguments, "session_id": SESSION}


def _cline_write(root: str, path: str) -> Json:
    call = {"toolName": "write_to_file", "parameters": {"path": path, "content": "probe\n"}}
    return {
        "hookName": "PreToolUse",
        "taskId": SESSION,
        "workspaceRoots": [root],
        "preToolUse": call,
    }


def _shim_write(root: str, path: str) -> Json:
    arguments = {"filePath": f"{root}/{path}", "path": f"{root}/{path}", "content": "probe\n"}
    call = {"event": "before", "tool": "write", "input": arguments, "cwd": root}
    return {**call, "root": root, "session": SESSION, "call": SESSION}


# How each agent takes an answer: what it would do, or why it would not understand


def _by_exit(raw: Raw) -> ClientVerdict:
    """Exit 2 with a reason on stderr; everything else lets the call run."""
    if raw.code == 2 and raw.stderr.strip():
        return ClientVerdict(refused=True, reason=raw.stderr.strip())
    return ClientVerdict(fault="" if raw.code == 0 else f"it ended with exit code {raw.code}")


def _by_json(
    find: Callable[[Json], tuple[bool, str]], *, empty: str = "", by_exit: bool = True
) -> Callable[[Raw], ClientVerdict]:
    """JSON with exit 0. `empty` is what is wrong with no answer at all, where that is wrong.

    Nearly all take exit 2 with a reason for a refusal too.
    """

    def take(raw: Raw) -> ClientVerdict:
        if by_exit and raw.code == 2 and raw.stderr.strip():
            return ClientVerdict(refused=True, reason=raw.stderr.strip())
        if raw.code != 0:
            return ClientVerdict(fault=f"it ended with exit code {raw.code}")
        if not raw.stdout.strip():
            return ClientVerdict(fault=empty)
        try:
            document = json.loads(raw.stdout)
            refused, reason = find(document)
        except (ValueError, AttributeError, TypeError, KeyError):
            return ClientVerdict(fault="its answer is not the JSON that the agent reads")
        return ClientVerdict(refused=refused, reason=reason)

    return take


def _nested(document: Json) -> tuple[bool, str]:
    if set(document) == {"systemMessage"}:  # told to the person; the call runs
        return False, ""
    inner = document["hookSpecificOutput"]
    if inner["hookEventName"] != "PreToolUse":
        raise ValueError("another event")
    denied = inner.get("permissionDecision") in ("deny", "ask")
    return denied, inner.get("permissionDecisionReason", "")


def _codex_only(document: Json) -> tuple[bool, str]:
    """Codex takes a field that it does not know for a hook that failed, and writes."""
    known = {"hookEventName", "permissionDecision", "permissionDecisionReason", "additionalContext"}
    if set(document) != {"hookSpecificOutput"} or set(document["hookSpecificOutput"]) - known:
        raise ValueError("a field that Codex does not accept")
    return _nested(document)


def _gemini_decision(document: Json) -> tuple[bool, str]:
    return document.get("decision") in ("deny", "block"), document.get("reason", "")


def _permission(document: Json) -> tuple[bool, str]:
    return document["permission"] == "deny", document.get("user_message", "")


def _flat(document: Json) -> tuple[bool, str]:
    denied = document.get("permissionDecision") in ("deny", "ask")
    return denied, document.get("permissionDecisionReason", "")


def _cancel(document: Json) -> tuple[bool, str]:
    return document["cancel"] is True, document.get("errorMessage", "")


WRITES: Mapping[str, Callable[[str, str], Json]] = {
    "claude": _claude_write,
    "codex": _codex_write,
    "gemini": _gemini_write,
    "cursor": _cursor_write,
    "copilot": _copilot_write,
    "windsurf": _windsurf_write,
    "kiro": _kiro_write,
    "cline": _cline_write,
    "qwen": _qwen_write,
    "opencode": _shim_write,
    "amp": _shim_write,
}
TAKES: Mapping[str, Callable[[Raw], ClientVerdict]] = {
    "claude": _by_json(_nested),
    "codex": _by_json(_codex_only),
    "gemini": _by_json(_gemini_decision),
    "cursor": _by_json(_permission, empty="an empty answer blocks where `failClosed` is set"),
    "copilot": _by_json(_flat),
    "windsurf": _by_exit,
    "kiro": _by_exit,
    "cline": _by_json(_cancel, empty="Cline expects an answer to every call", by_exit=False),
    "qwen": _by_json(_nested),
    "opencode": _by_exit,
    "amp": _by_exit,
}
