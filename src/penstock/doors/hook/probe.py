"""Run a registered hook as its agent does, and read its answer as its agent does.

One write that must be refused, one that must pass, each with the agent's own JSON on stdin; a
hook over HTTP gets the same as a request. What the rules say to the two is asked beforehand,
so a project with rules of its own is measured by them.
Always true: a command is run with a state directory of its own, which is removed afterwards,
so that a probe is not on the record; over HTTP it is, under the session `penstock-doctor`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

SESSION = "penstock-doctor"
SECONDS = 20.0
STARTING = 10.0
Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Heard:
    """What a hook answered: `refused` as its agent would take it, or `fault` where it would not."""

    refused: bool = False
    reason: str = ""
    fault: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Raw:
    """What came out of a hook."""

    code: int
    stdout: str
    stderr: str
    seconds: float


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


def _by_exit(raw: Raw) -> Heard:
    """Exit 2 with a reason on stderr; everything else lets the call run."""
    if raw.code == 2 and raw.stderr.strip():
        return Heard(refused=True, reason=raw.stderr.strip())
    return Heard(fault="" if raw.code == 0 else f"it ended with exit code {raw.code}")


def _by_json(
    find: Callable[[Json], tuple[bool, str]], *, empty: str = "", by_exit: bool = True
) -> Callable[[Raw], Heard]:
    """JSON with exit 0. `empty` is what is wrong with no answer at all, where that is wrong.

    Nearly all take exit 2 with a reason for a refusal too.
    """

    def take(raw: Raw) -> Heard:
        if by_exit and raw.code == 2 and raw.stderr.strip():
            return Heard(refused=True, reason=raw.stderr.strip())
        if raw.code != 0:
            return Heard(fault=f"it ended with exit code {raw.code}")
        if not raw.stdout.strip():
            return Heard(fault=empty)
        try:
            document = json.loads(raw.stdout)
            refused, reason = find(document)
        except (ValueError, AttributeError, TypeError, KeyError):
            return Heard(fault="its answer is not the JSON that the agent reads")
        return Heard(refused=refused, reason=reason)

    return take


def _nested(document: Json) -> tuple[bool, str]:
    inner = document["hookSpecificOutput"]
    if inner["hookEventName"] != "PreToolUse":
        raise ValueError("another event")
    denied = inner.get("permissionDecision") in ("deny", "ask")
    return denied, inner.get("permissionDecisionReason", "")


def _codex_only(document: Json) -> tuple[bool, str]:
    """Codex takes a field that it does not know for a hook that failed, and writes."""
    known = {"hookEventName", "permissionDecision", "permissionDecisionReason", "additionalContext"}
    if set(document) != {"hookSpecificOutput"} or set(document["hookSpecificOutput"]) - known:
        raise ValueError("a field that Codex does not know")
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
TAKES: Mapping[str, Callable[[Raw], Heard]] = {
    "claude": _by_json(_nested),
    "codex": _by_json(_codex_only),
    "gemini": _by_json(_gemini_decision),
    "cursor": _by_json(_permission, empty="an empty answer blocks where `failClosed` is set"),
    "copilot": _by_json(_flat),
    "windsurf": _by_exit,
    "kiro": _by_exit,
    "cline": _by_json(_cancel, empty="Cline wants an answer to every call", by_exit=False),
    "qwen": _by_json(_nested),
    "opencode": _by_exit,
    "amp": _by_exit,
}


# Asking


@contextmanager
def state_apart() -> Iterator[dict[str, str]]:
    """Give the variables under which a hook keeps its state in a directory that goes away."""
    with tempfile.TemporaryDirectory(prefix="penstock-doctor-") as folder:
        yield {**os.environ, "XDG_STATE_HOME": folder, "PENSTOCK_RESIDENT": "off"}


@contextmanager
def warm(environ: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Keep the engine warm in that directory, as the first call of a hook leaves it in use."""
    from penstock.doors.hook.resident_client import SWITCH, launch, socket_name

    usual = {name: value for name, value in environ.items() if name != SWITCH}
    quiet = subprocess.DEVNULL
    with subprocess.Popen(  # noqa: S603 - our own interpreter and our own words
        launch("penstock.doors.hook.resident"), env=usual, stdin=quiet, stdout=quiet, stderr=quiet
    ) as resident:
        try:
            socket = os.path.join(environ["XDG_STATE_HOME"], "penstock", socket_name())
            until = time.monotonic() + STARTING
            while not os.path.exists(socket) and time.monotonic() < until:
                time.sleep(0.01)
            # Where it does not start, no hook is to leave one behind.
            yield usual if os.path.exists(socket) else dict(environ)
        finally:
            resident.kill()


def run(agent: str, command: str, root: str, path: str, environ: Mapping[str, str]) -> Heard:
    """Have a command judge a write, as the agent would."""
    more = {"CLAUDE_PROJECT_DIR": root} if agent == "claude" else {}
    text = json.dumps(WRITES[agent](root, path))
    began = time.perf_counter()
    with subprocess.Popen(  # noqa: S602 - the registered command, as the agent runs it
        command,
        shell=True,
        cwd=root,
        env={**environ, **more},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
        errors="replace",
    ) as started:
        try:
            out, err = started.communicate(text, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            return Heard(fault=f"no answer within {SECONDS:g} seconds", seconds=SECONDS)
    seconds = time.perf_counter() - began
    raw = Raw(code=started.returncode, stdout=out, stderr=err, seconds=seconds)
    return _timed(TAKES[agent](raw), raw)


def ask(url: str, headers: Mapping[str, str], root: str, path: str) -> Heard:
    """Have the resident judge a write, as Claude Code would."""
    body = json.dumps(_claude_write(root, path)).encode()
    request = urllib.request.Request(  # noqa: S310 - only an address on loopback gets here
        url, body, {"Content-Type": "application/json", **headers}
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    began = time.perf_counter()
    try:
        with opener.open(request, timeout=SECONDS) as answer:
            text = answer.read(1 << 20).decode("utf-8", "replace")
    except urllib.error.HTTPError as refused:
        return Heard(fault=f"it answered with status {refused.code}")
    except (OSError, ValueError) as fault:
        why = getattr(fault, "reason", fault)
        return Heard(fault=f"nothing answers at {url} ({why})")
    raw = Raw(code=0, stdout=text, stderr="", seconds=time.perf_counter() - began)
    plain = (
        raw
        if text.strip() not in ("", "{}")
        else Raw(code=0, stdout="", stderr="", seconds=raw.seconds)
    )
    return _timed(TAKES["claude"](plain), raw)


def _timed(heard: Heard, raw: Raw) -> Heard:
    return Heard(refused=heard.refused, reason=heard.reason, fault=heard.fault, seconds=raw.seconds)
