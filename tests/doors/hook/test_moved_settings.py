"""Agents' settings that a variable has moved are protected there as in their usual place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from penstock.core.paths.spellings import MOVED
from penstock.doors.hook.engine import Engine
from penstock.doors.hook.fast_path_warm import Warm
from penstock.stores.system.places import IN_HOME
from tests.doors.hook.claude_calls import before
from tests.doors.hook.hooks import Hook, said
from tests.project import Project

# A variable, and a file that tells an agent which hooks to run where it leads.
FILES = [
    ("CLAUDE_CONFIG_DIR", "settings.json"),
    ("CLAUDE_CONFIG_DIR", "settings.local.json"),
    ("CLAUDE_CONFIG_DIR", "hooks/gate.sh"),
    ("CLAUDE_CONFIG_DIR", "plugins/x/plugin.json"),
    ("CODEX_HOME", "config.toml"),
    ("CODEX_HOME", "hooks.json"),
    ("CODEX_HOME", "hooks/gate.py"),
    ("COPILOT_HOME", "hooks/any.json"),
    ("COPILOT_HOME", "config.json"),
    ("CURSOR_CONFIG_DIR", "hooks.json"),
    ("QWEN_HOME", "settings.json"),
    ("QWEN_HOME", "trustedFolders.json"),
    ("KIRO_HOME", "hooks/any.json"),
    ("CLINE_DIR", "hooks/PreToolUse"),
    ("CLINE_HOOKS_DIR", "PreToolUse"),
    ("OPENCODE_CONFIG_DIR", "plugins/other.ts"),
    ("OPENCODE_CONFIG", ""),
    ("AMP_SETTINGS_FILE", ""),
    ("XDG_CONFIG_HOME", "opencode/plugins/other.ts"),
    ("XDG_CONFIG_HOME", "amp/plugins/other.ts"),
    ("GEMINI_CLI_TRUSTED_FOLDERS_PATH", ""),
    ("GEMINI_CLI_SYSTEM_SETTINGS_PATH", ""),
    ("GEMINI_CLI_SYSTEM_DEFAULTS_PATH", ""),
    ("QWEN_CODE_TRUSTED_FOLDERS_PATH", ""),
    ("QWEN_CODE_SYSTEM_SETTINGS_PATH", ""),
    ("QWEN_CODE_SYSTEM_DEFAULTS_PATH", ""),
]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project; this process has no variable of any agent, as the daemon may have none."""
    for name in MOVED:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "project"
    root.mkdir()
    (root / "penstock.toml").write_text('[[allow]]\nid = "all"\npaths = ["**"]\n')
    return root


def asked(root: Path, tool: str, given: dict[str, Any], environ: dict[str, str]) -> str:
    """Return the engine's verdict on a call of an agent with these variables."""
    document = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given}
    data = json.dumps({**document, "cwd": str(root), "session_id": "s"}).encode()
    agent = "codex" if tool == "apply_patch" else "claude"
    reply = Engine().reply(agent, data, {"HOME": str(root.parent / "home"), **environ})
    words = json.loads(reply.stdout or "{}").get("hookSpecificOutput", {})
    verdict: str = words.get("permissionDecision", "")
    return verdict


def test_the_table_tries_every_variable_that_is_known() -> None:
    assert {name for name, _ in FILES} == set(MOVED)


@pytest.mark.parametrize(("name", "file"), FILES)
@pytest.mark.parametrize("inside", [True, False], ids=["in the project", "outside"])
def test_a_registration_is_protected_where_a_variable_has_moved_it(
    root: Path, name: str, file: str, inside: bool
) -> None:
    there = (root if inside else root.parent) / "moved"
    path = there / file if file else there
    given = {"file_path": str(path), "content": "x"}
    assert asked(root, "Write", given, {name: str(there)}) == "deny"
    assert asked(root, "Write", given, {}) != "deny", "nobody has moved anything"


COMMANDS = [
    "echo x > {0}/settings.json",
    "echo x >> {0}/settings.json",
    "echo x | tee {0}/settings.json",
    "cp a.json {0}/settings.json",
    "cp settings.json {0}/",
    "mv a.json {0}/settings.json",
    "mv {0}/settings.json b.json",
    "rm {0}/settings.json",
    "ln -sf /tmp/other.json {0}/settings.json",
    "sed -i s/a/b/ {0}/settings.json",
    "cd {0} && echo x > settings.json",
    "cd {0}/.. && rm moved/settings.json",
    "python3 -c \"open('{0}/settings.json', 'w').write('x')\"",
    "rm -rf {0}",
    "rm -rf {0}/..",
    "mv {0} elsewhere",
]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("inside", [True, False], ids=["in the project", "outside"])
def test_no_command_changes_settings_that_were_moved(
    root: Path, command: str, inside: bool
) -> None:
    there = (root if inside else root.parent / "up") / "moved"
    there.mkdir(parents=True)
    (there / "settings.json").write_text("{}\n")
    given = {"command": command.format(there)}
    assert asked(root, "Bash", given, {"CLAUDE_CONFIG_DIR": str(there)}) == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "echo x > $CLAUDE_CONFIG_DIR/settings.json",
        'echo x > "${CLAUDE_CONFIG_DIR}/settings.json"',
        "cp a.json $CODEX_HOME/hooks.json",
        "cd $CODEX_HOME && rm config.toml",
        'sed -i s/a/b/ "$XDG_CONFIG_HOME"/opencode/opencode.json',
        "rm -rf $CLAUDE_CONFIG_DIR",
        "echo x > $AMP_SETTINGS_FILE",
    ],
)
def test_a_variable_in_a_command_is_no_way_around(root: Path, command: str) -> None:
    """Also where rules let pass what is only known when it runs."""
    (root / "penstock.toml").write_text('version = 1\n[defaults]\nunclear = "allow"\n')
    assert asked(root, "Bash", {"command": command}, {}) == "deny"


def test_what_else_a_variable_leads_to_stays_unclear(root: Path) -> None:
    given = {"command": "echo x > $CLAUDE_CONFIG_DIR/notes.md"}
    (root / "penstock.toml").write_text('version = 1\n[defaults]\nunclear = "allow"\n')
    assert asked(root, "Bash", given, {}) != "deny"
    (root / "penstock.toml").write_text('version = 1\n[defaults]\nunclear = "deny"\n')
    assert asked(root, "Bash", given, {}) == "deny"


@pytest.mark.parametrize("verb", ["Add", "Update", "Delete"])
def test_no_patch_changes_settings_that_were_moved(root: Path, verb: str) -> None:
    there = root / "moved"
    there.mkdir()
    (there / "hooks.json").write_text("a\n")
    body = {"Add": "+x\n", "Update": "@@\n-a\n+b\n", "Delete": ""}[verb]
    patch = f"*** Begin Patch\n*** {verb} File: moved/hooks.json\n{body}*** End Patch"
    assert asked(root, "apply_patch", {"command": patch}, {"CODEX_HOME": str(there)}) == "deny"


@pytest.mark.parametrize("file", IN_HOME)
def test_a_directory_that_holds_registrations_is_not_removed_from_the_home(
    root: Path, file: str
) -> None:
    folder = file.partition("/")[0]
    assert asked(root, "Bash", {"command": f"rm -rf ~/{folder}"}, {}) == "deny"
    assert asked(root, "Bash", {"command": f"mv ~/{folder} /tmp/other"}, {}) == "deny"


WAYS = [
    ("~/moved", "a home in the variable"),
    ("{root}/../home/moved/", "not in normal form"),
    ("{root}/link", "a link to it"),
    ("../home/moved", "relative to the project"),
]


@pytest.mark.parametrize(("value", "why"), WAYS)
def test_the_variable_counts_for_what_it_leads_to(root: Path, value: str, why: str) -> None:
    there = root.parent / "home/moved"
    there.mkdir(parents=True)
    (root / "link").symlink_to(there)
    given = {"file_path": f"{there}/settings.json", "content": "x"}
    environ = {"CLAUDE_CONFIG_DIR": value.format(root=root)}
    assert asked(root, "Write", given, environ) == "deny", why


def test_what_else_lies_there_is_written_as_ever(root: Path) -> None:
    there = root.parent / "moved"
    for name in ("notes.md", "agents/reviewer.md", "todos/1.json"):
        given = {"file_path": f"{there}/{name}", "content": "x"}
        assert asked(root, "Write", given, {"CLAUDE_CONFIG_DIR": str(there)}) != "deny", name
    strange = {"CLAUDE_CONFIG_DIR": "x" * 10_000, "CODEX_HOME": "", "QWEN_HOME": "~"}
    assert asked(root, "Write", {"file_path": "a.txt", "content": "x"}, strange) != "deny"


def test_a_rule_about_the_usual_place_holds_where_it_was_moved_to(root: Path) -> None:
    rules = '[[deny]]\nid = "logins"\npaths = ["**/.codex/auth.json"]\n'
    (root / "penstock.toml").write_text(rules)
    given = {"file_path": str(root.parent / "moved/auth.json"), "content": "x"}
    assert asked(root, "Write", given, {"CODEX_HOME": str(root.parent / "moved")}) == "deny"


# --- the processes that answer -------------------------------------------------------------------


def test_the_short_way_and_the_engine_know_the_same_variables(project: Project) -> None:
    hook = Hook(project)
    assert said(hook.write("notes.txt", "x")) == {}
    moved = {"CLAUDE_CONFIG_DIR": hook.at("conf")}
    given = {"file_path": hook.at("conf/settings.json"), "content": "x"}
    data = json.dumps(hook.document("PreToolUse", "Write", given, "t1")).encode()
    assert said(hook.send(data)) == {}
    short = hook.send(data, env=moved)
    (policy,) = (project.home / "state/penstock").glob("*/hook.policy")
    policy.unlink()  # without it only the engine can answer
    long = hook.send(data, env=moved)
    assert said(short)["permissionDecision"] == "deny"
    assert "conf/settings.json configures Penstock or an agent's hooks" in str(said(short))
    assert (short.code, short.out) == (long.code, long.out)


def test_the_short_way_of_a_resident_goes_by_the_variables_of_the_call(root: Path) -> None:
    environ = {"HOME": str(root.parent / "home")}
    Engine().reply("claude", before(root, "Write", "first.txt", content="x"), environ)
    (root / "penstock.toml").write_text('[[deny]]\nid = "x"\npaths = ["none"]\n')
    Engine().reply("claude", before(root, "Write", "first.txt", content="x"), environ)
    warm = Warm(Engine())
    data = before(root, "Write", "moved/settings.json", content="x")
    moved = {**environ, "CLAUDE_CONFIG_DIR": f"{root}/moved"}
    for _ in range(2):  # the second time from what is remembered
        reply = warm.quick("claude", data, moved)
        assert reply is not None
        assert "deny" in reply.stdout
        reply = warm.quick("claude", data, environ)
        assert reply is not None
        assert reply.stdout == ""
