"""The harness itself: without a hook every client writes, and a hook that denies is obeyed.

Whatever a scenario finds unwritten was therefore stopped by the hook, and a hook that does
nothing would be noticed.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping

import pytest

from tests.agents.models import Say, Use
from tests.agents.session import Claude, Codex, Gemini, Report, Session
from tests.project import Project

REASON = "not this one, says the hook"
PATCH = "*** Begin Patch\n*** Add File: note.txt\n+hello\n*** End Patch"


def deny_in(answer: Mapping[str, object]) -> str:
    """Return a command that gives one answer to whatever it is asked."""
    program = f"import sys; sys.stdin.read(); print({json.dumps(answer)!r})"
    return shlex.join([sys.executable, "-I", "-S", "-c", program])


CLAUDE_ANSWER = {
    "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": REASON,
    }
}
GEMINI_ANSWER = {"decision": "deny", "reason": REASON}


def hook(event: str, answer: Mapping[str, object]) -> str:
    entry = {"matcher": "*", "hooks": [{"type": "command", "command": deny_in(answer)}]}
    return json.dumps({"hooks": {event: [entry]}})


CASES = [
    pytest.param(
        Claude,
        Use("Write", {"file_path": "note.txt", "content": "hello\n"}),
        ".claude/settings.json",
        hook("PreToolUse", CLAUDE_ANSWER),
        id="claude",
    ),
    pytest.param(
        Codex,
        Use("apply_patch", PATCH),
        ".codex/hooks.json",
        hook("PreToolUse", CLAUDE_ANSWER),
        id="codex",
    ),
    pytest.param(
        Gemini,
        Use("write_file", {"file_path": "note.txt", "content": "hello\n"}),
        ".gemini/settings.json",
        hook("BeforeTool", GEMINI_ANSWER),
        id="gemini",
    ),
]


def ran(
    request: pytest.FixtureRequest, project: Project, client: type[Session], use: Use
) -> Report:
    request.getfixturevalue(client.client)
    report = client(project=project, steps=[use, Say("finished")]).run()
    assert report.code == 0, report
    return report


@pytest.mark.parametrize(("client", "use", "file", "settings"), CASES)
def test_without_a_hook_the_client_writes(
    request: pytest.FixtureRequest,
    project: Project,
    client: type[Session],
    use: Use,
    file: str,
    settings: str,
) -> None:
    report = ran(request, project, client, use)
    assert (project.root / "note.txt").read_text() == "hello\n"
    assert not report.result.error
    assert "finished" in report.out


@pytest.mark.parametrize(("client", "use", "file", "settings"), CASES)
def test_a_hook_that_denies_stops_the_write_and_the_model_is_told_why(
    request: pytest.FixtureRequest,
    project: Project,
    client: type[Session],
    use: Use,
    file: str,
    settings: str,
) -> None:
    project.write(file, settings)
    report = ran(request, project, client, use)
    assert not (project.root / "note.txt").exists()
    assert REASON in report.result.text, report
