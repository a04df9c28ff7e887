"""Every agent's module: its JSON in, our call; our answer in, its exact words.

The payloads of Claude Code, Codex, Gemini, Copilot and Cline's command line were recorded from
the real clients; the others are as their documents show them.
"""

from __future__ import annotations

import ast
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.tools.intents import intents
from penstock.doors.hook import agents
from penstock.doors.hook.agents import NAMES, agent_module
from penstock.doors.hook.daemon_client import PREFIXES
from penstock.doors.hook.last_resort import unjudged
from penstock.doors.hook.messages import (
    AFTER,
    ALLOW,
    ASK,
    BEFORE,
    CONFIG,
    DENY,
    END,
    OTHER,
    START,
    HookAnswer,
    HookCall,
)

ROOT = "/home/me/project"
PATCH = (
    "*** Begin Patch\n*** Add File: a.txt\n+hello\n*** Update File: e.txt\n@@\n-one\n+two\n"
    "*** Delete File: d.txt\n*** End Patch"
)


class Sent(NamedTuple):
    """What an agent sends, and what it is in our words."""

    agent: str
    document: Mapping[str, Any]
    event: str
    tool: str = ""
    paths: tuple[str, ...] = ()
    environ: Mapping[str, str] = {}
    attended: bool = False
    root: str = ROOT


def claude(event: str = "PreToolUse", **more: Any) -> dict[str, Any]:
    return {
        "session_id": "0972e5c0",
        "transcript_path": "/home/me/.claude/projects/x.jsonl",
        "cwd": ROOT,
        "permission_mode": "acceptEdits",
        "hook_event_name": event,
        "tool_use_id": "toolu_fake_0001",
        **more,
    }


def codex(event: str = "PreToolUse", **more: Any) -> dict[str, Any]:
    return claude(event, turn_id="t", model="gpt-5.5", permission_mode="bypassPermissions") | more


def gemini(event: str = "BeforeTool", **more: Any) -> dict[str, Any]:
    return {
        "session_id": "75d9255f",
        "transcript_path": "/home/me/.gemini/tmp/x.jsonl",
        "cwd": ROOT,
        "hook_event_name": event,
        "timestamp": "2026-11-15T18:27:14.745Z",
        **more,
    }


def cursor(event: str = "preToolUse", **more: Any) -> dict[str, Any]:
    return {
        "conversation_id": "c-1",
        "generation_id": "g-1",
        "hook_event_name": event,
        "workspace_roots": [ROOT],
        "tool_use_id": "tu-1",
        "cwd": "",
        **more,
    }


def cascade(action: str, **info: Any) -> dict[str, Any]:
    return {
        "agent_action_name": action,
        "trajectory_id": "t-1",
        "execution_id": "e-1",
        "timestamp": "2026-01-01T00:00:00Z",
        "tool_info": info,
    }


def cline(event: str, tool: str, **parameters: Any) -> dict[str, Any]:
    return {
        "clineVersion": "3.40.0",
        "hookName": event,
        "timestamp": "1",
        "taskId": "task-1",
        "workspaceRoots": [ROOT],
        "userId": "u",
        event[0].lower() + event[1:]: {"toolName": tool, "parameters": parameters},
    }


def cline_cli(event: str, tool: str, **parameters: Any) -> dict[str, Any]:
    key = {"tool_call": "preToolUse", "tool_result": "postToolUse"}[event]
    return {
        "clineVersion": "",
        "taskId": "conv_1",
        "workspaceRoots": [ROOT],
        "agent_id": "agent_1",
        "parent_agent_id": None,
        "hookName": event,
        event: {"id": "call_0", "name": tool, "input": parameters},
        key: {"toolName": tool, "parameters": parameters},
    }


def shim(event: str, tool: str, **args: Any) -> dict[str, Any]:
    call = {"event": event, "tool": tool, "input": args, "cwd": ROOT}
    return {**call, "root": ROOT, "session": "s", "call": "c"}


WRITE = {"file_path": f"{ROOT}/a.txt", "content": "hello\n"}
SWAP = {"file_path": f"{ROOT}/e.txt", "old_string": "one", "new_string": "two"}
A, B, E = f"{ROOT}/a.txt", "b.txt", f"{ROOT}/e.txt"
NOTE = {"path": f"{ROOT}/m.txt", "content": "x"}
M = f"{ROOT}/m.txt"
SHELL = {"command": "echo hi > b.txt"}

SENT = [
    # Claude Code, recorded
    Sent("claude", claude(tool_name="Write", tool_input=WRITE), BEFORE, "Write", (A,)),
    Sent(
        "claude",
        claude(tool_name="Bash", tool_input=SHELL),
        BEFORE,
        "Bash",
        (B,),
        {"CLAUDE_PROJECT_DIR": "/elsewhere", "CLAUDE_CODE_ENTRYPOINT": "cli"},
        attended=True,
        root="/elsewhere",
    ),
    Sent(
        "claude", claude("PostToolUse", tool_name="Write", tool_input=WRITE), AFTER, "Write", (A,)
    ),
    Sent(
        "claude",
        claude("ConfigChange", source="local_settings", file_path=f"{ROOT}/.claude/settings.json"),
        CONFIG,
    ),
    Sent("claude", claude("SessionStart", source="startup"), START),
    Sent("claude", claude("Stop", stop_hook_active=False, last_assistant_message="done"), END),
    Sent("claude", claude("Notification"), OTHER),
    # Codex, recorded
    Sent(
        "codex",
        codex(tool_name="apply_patch", tool_input={"command": PATCH}),
        BEFORE,
        "apply_patch",
        ("a.txt", "e.txt", "d.txt"),
    ),
    Sent("codex", codex(tool_name="Bash", tool_input=SHELL), BEFORE, "Bash", (B,)),
    Sent(
        "codex",
        codex(tool_name="mcp__notes__write_note", tool_input=NOTE),
        BEFORE,
        "mcp__notes__write_note",
        (M,),
    ),
    Sent(
        "codex",
        codex("PostToolUse", tool_name="apply_patch", tool_input={"command": PATCH}),
        AFTER,
        "apply_patch",
        ("a.txt", "e.txt", "d.txt"),
    ),
    Sent("codex", codex("SessionStart", source="startup"), START),
    Sent("codex", codex("Stop", stop_hook_active=False, last_assistant_message="done"), END),
    # Gemini, recorded
    Sent("gemini", gemini(tool_name="write_file", tool_input=WRITE), BEFORE, "write_file", (A,)),
    Sent(
        "gemini",
        gemini(tool_name="replace", tool_input={**SWAP, "instruction": "c"}),
        BEFORE,
        "replace",
        (E,),
    ),
    Sent(
        "gemini",
        gemini(tool_name="run_shell_command", tool_input={**SHELL, "description": "x"}),
        BEFORE,
        "run_shell_command",
        (B,),
        {"GEMINI_PROJECT_DIR": "/elsewhere"},
        root="/elsewhere",
    ),
    Sent(
        "gemini",
        gemini(
            tool_name="mcp_notes_write_note",
            tool_input=NOTE,
            mcp_context={"server_name": "notes", "tool_name": "write_note"},
        ),
        BEFORE,
        "mcp__notes__write_note",
        (M,),
    ),
    Sent(
        "gemini", gemini("AfterTool", tool_name="replace", tool_input=SWAP), AFTER, "replace", (E,)
    ),
    Sent("gemini", gemini("SessionStart", source="startup"), START),
    Sent("gemini", gemini("AfterAgent", prompt="go on", prompt_response="done"), END),
    Sent("gemini", gemini("BeforeModel"), OTHER),
    # Cursor
    Sent(
        "cursor",
        cursor(tool_name="Write", tool_input={"file_path": A, "contents": "x"}),
        BEFORE,
        "Write",
        (A,),
    ),
    Sent("cursor", cursor(tool_name="Shell", tool_input=SHELL), BEFORE, "Shell", (B,)),
    Sent("cursor", cursor(tool_name="Delete", tool_input={"path": A}), BEFORE, "Delete", (A,)),
    Sent(
        "cursor",
        cursor(tool_name="MCP:write_note", tool_input=NOTE),
        BEFORE,
        "MCP:write_note",
        (M,),
    ),
    Sent(
        "cursor", cursor("postToolUse", tool_name="Shell", tool_input=SHELL), AFTER, "Shell", (B,)
    ),
    Sent("cursor", cursor("sessionStart", composer_mode="agent"), START),
    # Copilot: its own spelling with an object or a text, and Claude Code's
    Sent(
        "copilot",
        {"sessionId": "s", "timestamp": 1, "cwd": ROOT, "toolName": "create"}
        | {"toolArgs": {"path": A, "file_text": "x"}},
        BEFORE,
        "create",
        (A,),
        attended=True,
    ),
    Sent(
        "copilot",
        {"timestamp": 1, "cwd": ROOT, "toolName": "bash", "toolArgs": json.dumps(SHELL)},
        BEFORE,
        "bash",
        (B,),
        {"GITHUB_ACTIONS": "true"},
    ),
    Sent(
        "copilot",
        {"timestamp": 1, "cwd": ROOT, "toolName": "apply_patch", "toolArgs": {"input": PATCH}},
        BEFORE,
        "apply_patch",
        ("a.txt", "e.txt", "d.txt"),
        attended=True,
    ),
    Sent(
        "copilot",
        {"cwd": ROOT, "toolName": "edit", "toolArgs": {"path": E, "old_str": "a", "new_str": "b"}}
        | {"toolResult": {"resultType": "success"}},
        AFTER,
        "edit",
        (E,),
        attended=True,
    ),
    Sent(
        "copilot", claude(tool_name="Write", tool_input=WRITE), BEFORE, "Write", (A,), attended=True
    ),
    Sent(
        "copilot",
        {"sessionId": "s", "timestamp": 1, "cwd": ROOT, "source": "new", "initialPrompt": "go on"},
        START,
        attended=True,
    ),
    Sent("copilot", claude("SessionStart", source="startup"), START, attended=True),
    # Windsurf
    Sent(
        "windsurf",
        cascade("pre_write_code", file_path=E, edits=[{"old_string": "a", "new_string": "b"}]),
        BEFORE,
        "pre_write_code",
        (E,),
        {"ROOT_WORKSPACE_PATH": ROOT},
    ),
    Sent(
        "windsurf",
        cascade("pre_run_command", command_line="echo hi > b.txt", cwd=ROOT),
        BEFORE,
        "pre_run_command",
        (B,),
        root="",
    ),
    Sent(
        "windsurf",
        cascade(
            "pre_mcp_tool_use",
            mcp_server_name="notes",
            mcp_tool_name="write_note",
            mcp_tool_arguments=NOTE,
        ),
        BEFORE,
        "pre_mcp_tool_use",
        (M,),
        root="",
    ),
    Sent(
        "windsurf", cascade("post_write_code", file_path=E), AFTER, "pre_write_code", (E,), root=""
    ),
    Sent(
        "windsurf", cascade("pre_user_prompt", user_prompt="x"), OTHER, "pre_user_prompt", root=""
    ),
    # Kiro, in the editor and with the small letter of its command line
    Sent(
        "kiro",
        {"hook_event_name": "PreToolUse", "cwd": ROOT, "tool_name": "fs_write"}
        | {"tool_input": {"path": A, "text": "x"}},
        BEFORE,
        "fs_write",
        (A,),
    ),
    Sent(
        "kiro",
        {"hook_event_name": "preToolUse", "cwd": ROOT, "tool_name": "fs_write"}
        | {"tool_input": {"command": "create", "path": A, "file_text": "x"}},
        BEFORE,
        "fs_write",
        (A,),
    ),
    Sent(
        "kiro",
        {"hook_event_name": "PreToolUse", "cwd": ROOT, "tool_name": "str_replace"}
        | {"tool_input": {"path": E, "oldStr": "a", "newStr": "b"}},
        BEFORE,
        "str_replace",
        (E,),
    ),
    Sent(
        "kiro",
        {"hook_event_name": "PreToolUse", "cwd": ROOT, "tool_name": "@notes/write_note"}
        | {"tool_input": NOTE},
        BEFORE,
        "@notes/write_note",
        (M,),
    ),
    Sent(
        "kiro",
        {"hook_event_name": "postToolUse", "cwd": ROOT, "tool_name": "execute_bash"}
        | {"tool_input": SHELL},
        AFTER,
        "execute_bash",
        (B,),
    ),
    # Cline
    Sent(
        "cline",
        cline("PreToolUse", "write_to_file", path="a.txt", content="x"),
        BEFORE,
        "write_to_file",
        ("a.txt",),
    ),
    Sent(
        "cline",
        cline(
            "PreToolUse", "execute_command", command="echo hi > b.txt", requires_approval="false"
        ),
        BEFORE,
        "execute_command",
        (B,),
    ),
    Sent(
        "cline",
        cline(
            "PreToolUse",
            "use_mcp_tool",
            server_name="notes",
            tool_name="write_note",
            arguments=json.dumps(NOTE),
        ),
        BEFORE,
        "mcp__notes__write_note",
        (M,),
    ),
    Sent(
        "cline",
        cline("PostToolUse", "replace_in_file", path="e.txt", diff="x"),
        AFTER,
        "replace_in_file",
        ("e.txt",),
    ),
    Sent("cline", {"hookName": "TaskStart", "taskId": "t", "workspaceRoots": [ROOT]}, OTHER),
    # its command line 3.0.65, recorded: another name for the event, other tools
    Sent("cline", cline_cli("tool_call", "editor", path=A, new_text="x"), BEFORE, "editor", (A,)),
    Sent(
        "cline",
        cline_cli("tool_call", "run_commands", commands=["echo hi > b.txt"]),
        BEFORE,
        "run_commands",
        (B,),
    ),
    Sent(
        "cline",
        cline_cli(
            "tool_call", "run_commands", commands=[{"command": "touch", "args": ["b c.txt", "d"]}]
        ),
        BEFORE,
        "run_commands",
        ("b c.txt", "d"),
    ),
    Sent("cline", cline_cli("tool_result", "editor", path=E), AFTER, "editor", (E,)),
    # Qwen
    Sent(
        "qwen",
        claude(tool_name="write_file", tool_input=WRITE, permission_mode="default"),
        BEFORE,
        "write_file",
        (A,),
        {"QWEN_PROJECT_DIR": "/elsewhere"},
        attended=True,
        root="/elsewhere",
    ),
    Sent(
        "qwen",
        claude(tool_name="edit", tool_input=SWAP, permission_mode="yolo"),
        BEFORE,
        "edit",
        (E,),
    ),
    Sent(
        "qwen",
        claude("PostToolUse", tool_name="run_shell_command", tool_input=SHELL),
        AFTER,
        "run_shell_command",
        (B,),
    ),
    Sent("qwen", claude("SessionStart", source="startup", permission_mode="yolo"), START),
    # The plugins of ours
    Sent("opencode", shim("before", "write", filePath=A, content="x"), BEFORE, "write", (A,)),
    Sent("opencode", shim("before", "bash", **SHELL), BEFORE, "bash", (B,)),
    Sent(
        "opencode",
        shim("after", "edit", filePath=E, oldString="a", newString="b"),
        AFTER,
        "edit",
        (E,),
    ),
    Sent("amp", shim("before", "create_file", path=A, content="x"), BEFORE, "create_file", (A,)),
    Sent("amp", shim("before", "Bash", cmd="echo hi > b.txt"), BEFORE, "Bash", (B,)),
    Sent(
        "amp",
        shim("after", "edit_file", path=E, old_str="a", new_str="b"),
        AFTER,
        "edit_file",
        (E,),
    ),
]


@pytest.mark.parametrize("sent", SENT, ids=lambda one: f"{one.agent}-{one.event}-{one.tool}")
def test_what_an_agent_sends_is_read(sent: Sent) -> None:
    call = agent_module(sent.agent).read(sent.document, sent.environ)
    assert (call.agent, call.event, call.tool) == (sent.agent, sent.event, sent.tool)
    assert call.attended is sent.attended
    assert call.root == sent.root
    named = [one.path for one in intents(call.tool, call.tool_input, cwd=ROOT) if one.path]
    assert tuple(dict.fromkeys(named)) == sent.paths


def test_before_and_after_a_call_its_id_is_the_same() -> None:
    """Otherwise nothing could be undone: what was there before is kept under that id."""
    pairs = [
        (
            "gemini",
            gemini(tool_name="replace", tool_input=SWAP),
            gemini("AfterTool", tool_name="replace", tool_input=SWAP),
        ),
        (
            "windsurf",
            cascade("pre_write_code", file_path=E),
            cascade("post_write_code", file_path=E),
        ),
        ("cline", cline("PreToolUse", "x", path="a"), cline("PostToolUse", "x", path="a")),
        ("cline", cline_cli("tool_call", "x"), cline_cli("tool_result", "x")),
        ("opencode", shim("before", "write", filePath=A), shim("after", "write", filePath=A)),
    ]
    for agent, before, after in pairs:
        one, two = (agent_module(agent).read(sent, {}) for sent in (before, after))
        assert (one.session, one.call_id) == (two.session, two.call_id)
        assert one.call_id


class Noticing(dict[str, str]):
    """An environment that notices what is asked of it."""

    def __init__(self) -> None:
        self.asked: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        self.asked.add(name)
        return default


def test_what_a_module_asks_of_the_environment_reaches_the_resident() -> None:
    """Otherwise the same call would be judged differently by the process that stays."""
    environ = Noticing()
    for sent in SENT:
        agent_module(sent.agent).read(sent.document, environ)
    assert "CLAUDE_PROJECT_DIR" in environ.asked
    assert all(name.encode().startswith(PREFIXES) for name in environ.asked), environ.asked


# Answers

NO = HookAnswer(DENY, "Protected path: .env cannot be modified")
WHETHER = HookAnswer(ASK, "this removes 214 of 270 lines")
TOLD = HookAnswer(notes=("production code", "be careful"))
NOTHING = HookAnswer()
YES = HookAnswer(ALLOW, "a rule allows this", granted=True)
OBSERVED = HookAnswer(notes=("a protected file was changed",))
R, Q, T, G = NO.reason, WHETHER.reason, "production code\nbe careful", YES.reason
SEEN = OBSERVED.notes[0]


def pre(**words: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **words}}


def decided(decision: str, why: str) -> dict[str, Any]:
    return pre(permissionDecision=decision, permissionDecisionReason=why)


def flat(decision: str, why: str) -> dict[str, Any]:
    return {"permissionDecision": decision, "permissionDecisionReason": why}


def post(event: str = "PostToolUse") -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": SEEN}}


class Exit(NamedTuple):
    """A refusal by exit code: the reason on stderr and nothing on stdout."""

    reason: str


class Plain(NamedTuple):
    """Plain text on stdout."""

    text: str


class Words(NamedTuple):
    """How one agent says each answer. `asked` is with a person there, `alone` without."""

    deny: object
    asked: object
    alone: object
    note: object
    silent: object
    granted: object
    after: object


SAID: Mapping[str, Words] = {
    "claude": Words(
        deny=decided("deny", R),
        asked={**decided("ask", Q), "systemMessage": Q},
        alone={**decided("ask", Q), "systemMessage": Q},
        note=pre(additionalContext=T),
        silent=None,
        granted=decided("allow", G),
        after=post(),
    ),
    # No `ask`, no `allow`, no key of another level: each of those makes Codex write.
    "codex": Words(
        deny=decided("deny", R),
        asked=decided("deny", Q),
        alone=decided("deny", Q),
        note=pre(additionalContext=T),
        silent=None,
        granted=None,
        after=post(),
    ),
    "gemini": Words(
        deny={"decision": "deny", "reason": R},
        asked={"decision": "deny", "reason": Q},
        alone={"decision": "deny", "reason": Q},
        note={"systemMessage": T},
        silent=None,
        granted={"decision": "allow", "reason": G},
        after=post("AfterTool"),
    ),
    "cursor": Words(
        deny={"permission": "deny", "user_message": R, "agent_message": R},
        asked={"permission": "deny", "user_message": Q, "agent_message": Q},
        alone={"permission": "deny", "user_message": Q, "agent_message": Q},
        note={"permission": "allow", "agent_message": T},
        silent={"permission": "allow"},
        granted={"permission": "allow"},
        after={"additional_context": SEEN},
    ),
    "copilot": Words(
        deny=flat("deny", R),
        asked=flat("ask", Q),
        alone=flat("deny", Q),
        note={"additionalContext": T},
        silent=None,
        granted=flat("allow", G),
        after={"additionalContext": SEEN},
    ),
    "windsurf": Words(Exit(R), Exit(Q), Exit(Q), Plain(T), None, None, Plain(SEEN)),
    "kiro": Words(Exit(R), Exit(Q), Exit(Q), Plain(T), None, None, Plain(SEEN)),
    "cline": Words(
        deny={"cancel": True, "errorMessage": R},
        asked={"cancel": True, "errorMessage": Q},
        alone={"cancel": True, "errorMessage": Q},
        note={"cancel": False, "contextModification": T},
        silent={"cancel": False},
        granted={"cancel": False},
        after={"cancel": False, "contextModification": SEEN},
    ),
    "qwen": Words(
        deny=decided("deny", R),
        asked=decided("ask", Q),
        alone=decided("deny", Q),
        note=pre(additionalContext=T),
        silent=None,
        granted=decided("allow", G),
        after=post(),
    ),
    "opencode": Words(Exit(R), Exit(Q), Exit(Q), Plain(T), None, None, Plain(SEEN)),
    "amp": Words(Exit(R), Exit(Q), Exit(Q), Plain(T), None, None, Plain(SEEN)),
}
ANSWERS = {"deny": NO, "asked": WHETHER, "alone": WHETHER, "note": TOLD, "silent": NOTHING}
ANSWERS |= {"granted": YES, "after": OBSERVED}


@pytest.mark.parametrize("agent", NAMES)
@pytest.mark.parametrize("which", ANSWERS)
def test_what_is_said_to_an_agent_is_exactly_this(agent: str, which: str) -> None:
    event = AFTER if which == "after" else BEFORE
    sent = next(one for one in SENT if (one.agent, one.event) == (agent, event))
    call = agent_module(agent).read(sent.document, sent.environ)
    call.attended = which == "asked"
    reply = agent_module(agent).say(call, ANSWERS[which])
    wanted = getattr(SAID[agent], which)
    if isinstance(wanted, Exit):
        assert (reply.stdout, reply.stderr, reply.code) == ("", wanted.reason + "\n", 2)
        return
    assert (reply.stderr, reply.code) == ("", 0)
    if isinstance(wanted, Plain):
        assert reply.stdout == wanted.text + "\n"
    elif wanted is None:
        assert reply.stdout == ""
    else:
        assert json.loads(reply.stdout) == wanted


@pytest.mark.parametrize("sent", [one for one in SENT if one.event == START], ids=str)
def test_what_is_said_at_the_start_of_a_session_is_exactly_this(sent: Sent) -> None:
    module = agent_module(sent.agent)
    reply = module.say(module.read(sent.document, {}), HookAnswer(notes=("Penstock is on",)))
    usual = {"hookEventName": "SessionStart", "additionalContext": "Penstock is on"}
    own = {
        "cursor": {"additional_context": "Penstock is on"},
        "copilot": {"additionalContext": "Penstock is on"},
    }
    assert json.loads(reply.stdout) == own.get(sent.agent, {"hookSpecificOutput": usual})
    assert (reply.stderr, reply.code) == ("", 0)


@pytest.mark.parametrize("agent", [name for name in NAMES if name != "claude"])
def test_a_refusal_always_has_a_reason(agent: str) -> None:
    """Codex and Gemini take a refusal without one for a hook that failed, and write."""
    reply = agent_module(agent).say(HookCall(agent, BEFORE), HookAnswer(DENY))
    assert "Penstock" in reply.stdout + reply.stderr


@pytest.mark.parametrize("agent", NAMES)
@pytest.mark.parametrize("event", [OTHER, START, CONFIG, AFTER])
def test_what_is_over_or_none_of_ours_is_never_refused_by_exit_code(agent: str, event: str) -> None:
    for answer in (NOTHING, OBSERVED, NO):
        reply = agent_module(agent).say(HookCall(agent, event), answer)
        assert reply.code == 0
        assert '"deny"' not in reply.stdout


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = sorted({key for sent in SENT for key in sent.document} | {"tool_info", "preToolUse"})
EVENT_WORDS = ["PreToolUse", "BeforeTool", "preToolUse", "pre_write_code", "before"]


@pytest.mark.parametrize("agent", NAMES)
@given(
    document=st.dictionaries(
        st.sampled_from(KEYS), JSON | st.sampled_from(EVENT_WORDS), max_size=12
    )
)
def test_malformed_fields_never_stop_a_reader(agent: str, document: dict[str, Any]) -> None:
    call = agent_module(agent).read(document, {})
    assert isinstance(call.tool, str)
    assert isinstance(call.tool_input, dict)
    assert isinstance(call.cwd + call.root + call.session + call.call_id, str)
    agent_module(agent).say(call, NO)


# Modules


ALLOWED = {
    "penstock.core.audit.chain",
    "penstock.doors.hook.messages",
    "penstock.doors.hook.agents",
}


@pytest.mark.parametrize("agent", [*NAMES, "common"])
def test_an_agents_module_imports_next_to_nothing(agent: str) -> None:
    """A hook that starts cold loads it."""
    folder = Path(agents.__file__).parent
    tree = ast.parse((folder / f"{agent}.py").read_text(encoding="utf-8"))
    at_load = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    named = {node.module if isinstance(node, ast.ImportFrom) else "" for node in at_load}
    assert named <= ALLOWED


@pytest.mark.parametrize("agent", NAMES)
@pytest.mark.parametrize("strict", [False, True])
def test_every_agent_can_be_registered(agent: str, strict: bool) -> None:
    entries = agent_module(agent).registration(
        "/usr/bin/python -I -S /x/penstock/hook.py " + agent, strict=strict
    )
    assert entries
    for entry in entries:
        assert not entry["file"].startswith("/")
        assert "/penstock/hook.py" in json.dumps(entry)


RUNS = {"type": "command", "command": "cmd", "timeout": 10}
STARTS = {
    "claude": (".claude/settings.json", "SessionStart", {"hooks": [RUNS]}),
    "codex": (".codex/hooks.json", "SessionStart", {"hooks": [RUNS]}),
    "gemini": (".gemini/settings.json", "SessionStart", {"hooks": [{**RUNS, "timeout": 10_000}]}),
    "qwen": (".qwen/settings.json", "SessionStart", {"hooks": [{**RUNS, "timeout": 10_000}]}),
    "copilot": (
        ".github/hooks/penstock.json",
        "sessionStart",
        {"type": "command", "bash": "cmd", "timeoutSec": 10},
    ),
}


@pytest.mark.parametrize("agent", NAMES)
def test_the_start_of_a_session_is_registered_exactly_so(agent: str) -> None:
    entries = agent_module(agent).registration("cmd", strict=False)
    found = [
        (entry["file"], entry["at"][-1], entry["add"])
        for entry in entries
        if "start" in str(entry.get("at", "")).lower()
    ]
    assert found == ([STARTS[agent]] if agent in STARTS else [])


ENDING = {**RUNS, "command": "cmd || :"}
ENDS = {
    "claude": (".claude/settings.json", "Stop", {"hooks": [ENDING]}),
    "codex": (".codex/hooks.json", "Stop", {"hooks": [ENDING]}),
    "gemini": (".gemini/settings.json", "AfterAgent", {"hooks": [{**ENDING, "timeout": 10_000}]}),
}


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("agent", ENDS)
def test_the_end_of_a_turn_is_registered_exactly_so_and_never_blocks(
    agent: str, strict: bool
) -> None:
    """An agent that may not end its turn goes on for ever, so nothing fails closed there."""
    entries = agent_module(agent).registration("cmd", strict=strict)
    found = [(one["file"], one["at"][-1], one["add"]) for one in entries]
    assert ENDS[agent] in found
    command = entries[-1]["add"]["hooks"][0]["command"].replace("cmd", "sh -c 'exit 2'")
    assert subprocess.run(["sh", "-c", command], check=False).returncode == 0
    call = HookCall(agent, END)
    answers = [HookAnswer(), unjudged(call, "late"), HookAnswer(warnings=("late",))]
    for answer in answers:
        said = agent_module(agent).say(call, answer)
        assert said.code == 0
        assert "decision" not in said.stdout


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("command", ["/nowhere/penstock/hook.py", "false", "sh -c 'kill -9 $$'"])
def test_a_hook_of_cline_that_fails_cancels_where_the_rules_are_strict(
    strict: bool, command: str, tmp_path: Path
) -> None:
    """The real one was seen to go on after exit 1, exit 2, silence, garbage and a timeout."""
    before, after = agent_module("cline").registration(command, strict=strict)
    for entry in (before, after):
        script = tmp_path / "hook"
        script.write_text(entry["text"])
        done = ran(script, "{}")
        cancelled = done.returncode == 0 and json.loads(done.stdout or "{}").get("cancel") is True
        assert cancelled is (strict and entry is before)


def test_what_a_hook_of_cline_says_comes_through_the_script(tmp_path: Path) -> None:
    script = tmp_path / "hook"
    script.write_text(agent_module("cline").registration("cat", strict=True)[0]["text"])
    said = '{"cancel": false, "contextModification": "100 % sure\\nof it"}'
    assert json.loads(ran(script, said).stdout) == json.loads(said)


def ran(script: Path, stdin: str) -> subprocess.CompletedProcess[str]:
    argv = ["/bin/sh", str(script)]
    return subprocess.run(argv, input=stdin, capture_output=True, text=True, check=False)
