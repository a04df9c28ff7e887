"""No agent changes where agents are told which hooks to run, whether the file exists or not."""

from __future__ import annotations

import pytest

from penstock.core.model import Action, Request, Verdict
from penstock.core.paths.relpath import locate
from penstock.core.policy.decide import decide
from penstock.core.rules.load import in_force
from penstock.doors.setup.scopes import project_files

ROOT = "/home/me/project"
HOME = "/home/me"

IN_PROJECT = [
    *project_files(),
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/hooks/gate.sh",
    ".codex/hooks.json",
    ".codex/config.toml",
    ".codex/hooks/gate.py",
    ".gemini/settings.json",
    ".gemini/extensions/x/gemini-extension.json",
    ".cursor/hooks.json",
    ".cursor/hooks/gate.sh",
    ".github/hooks/any.json",
    ".github/copilot/settings.json",
    ".github/copilot/settings.local.json",
    ".windsurf/hooks.json",
    ".devin/hooks.json",
    ".kiro/hooks/any.json",
    ".kiro/hooks/any.kiro.hook",
    ".kiro/agents/default.json",
    ".clinerules/hooks/PreToolUse",
    ".clinerules/hooks/PostToolUse",
    ".cline/hooks/PreToolUse",
    ".qwen/settings.json",
    ".qwen/settings.local.json",
    ".qwen/extensions/x/qwen-extension.json",
    ".opencode/plugins/other.ts",
    ".opencode/plugin/other.ts",
    ".opencode/opencode.json",
    "opencode.json",
    "opencode.jsonc",
    ".amp/plugins/other.ts",
    ".amp/settings.json",
    "hooks/hooks.json",
    "penstock.toml",
]
IN_HOME = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude.json",
    ".claude/plugins/x/hooks/hooks.json",
    ".codex/hooks.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".gemini/trustedFolders.json",
    ".cursor/hooks.json",
    ".copilot/hooks/any.json",
    ".copilot/config.json",
    ".copilot/settings.json",
    ".codeium/windsurf/hooks.json",
    ".kiro/hooks/any.json",
    ".kiro/agents/default.json",
    ".cline/hooks/PreToolUse",
    "Documents/Cline/Hooks/PreToolUse",
    "Documents/Cline/Rules/Hooks/PreToolUse",
    ".qwen/settings.json",
    ".qwen/trustedFolders.json",
    ".config/opencode/opencode.json",
    ".config/opencode/plugins/other.ts",
    ".config/amp/plugins/other.ts",
    ".config/amp/settings.json",
    ".config/penstock/penstock.toml",
]
FOR_ALL_USERS = [
    "/etc/claude-code/managed-settings.json",
    "/etc/claude-code/managed-settings.d/x.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
    "/etc/codex/requirements.toml",
    "/etc/codex/config.toml",
    "/etc/codex/managed_config.toml",
    "/etc/gemini-cli/settings.json",
    "/Library/Application Support/GeminiCli/settings.json",
    "/etc/cursor/hooks.json",
    "/Library/Application Support/Cursor/hooks.json",
    "/etc/github-copilot/policy.d/x.json",
    "/etc/windsurf/hooks.json",
    "/etc/devin/hooks.json",
    "/Library/Application Support/Windsurf/hooks.json",
    "/etc/qwen-code/settings.json",
    "/etc/opencode/opencode.json",
]
PATHS = [
    *(f"{ROOT}/{path}" for path in IN_PROJECT),
    *(f"{ROOT}/packages/app/{path}" for path in IN_PROJECT),
    *(f"{HOME}/{path}" for path in IN_HOME),
    *FOR_ALL_USERS,
]
EMPTY = in_force(lambda _path: None, project=f"{ROOT}/penstock.toml")
OPEN = in_force(
    {f"{ROOT}/penstock.toml": b'version = 1\n[[allow]]\nid = "all"\npaths = ["**"]\n'}.get,
    project=f"{ROOT}/penstock.toml",
)


@pytest.mark.parametrize("action", [Action.WRITE, Action.DELETE])
@pytest.mark.parametrize("path", dict.fromkeys(PATHS))
def test_a_registration_is_never_written_by_an_agent(path: str, action: Action) -> None:
    target = locate(path, root=ROOT, resolve=lambda same: same)
    for policy in (EMPTY, OPEN):
        decision = decide(Request(action=action, tool="Write", target=target), policy, now=0.0)
        assert decision.verdict is Verdict.DENY, path
        assert decision.code == "self-protection", path


@pytest.mark.parametrize(
    "path",
    [
        "src/settings.json",
        ".claude/commands/fix.md",
        ".claude/agents/reviewer.md",
        ".cursor/rules/style.mdc",
        ".github/workflows/ci.yml",
        ".gemini/GEMINI.md",
        ".kiro/steering/product.md",
        ".clinerules/style.md",
        "src/hooks/useThing.ts",
    ],
)
def test_what_only_looks_similar_is_written(path: str) -> None:
    target = locate(path, root=ROOT, resolve=lambda same: same)
    request = Request(action=Action.WRITE, tool="Write", target=target)
    assert decide(request, EMPTY, now=0.0).code != "self-protection"
