"""`penstock doctor`: what works is proven, what does not is named."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from penstock.doors.doctor import probe
from penstock.doors.doctor.client_models import TAKES, WRITES, Raw
from penstock.doors.doctor.live import installed
from penstock.doors.doctor.live_clients import AGENTS
from penstock.doors.doctor.trial import ask_hook, to_ask
from penstock.doors.doctor.ways_off import ways_off
from penstock.doors.hook.agents import NAMES, agent_module
from penstock.doors.hook.messages import ALLOW, ASK, BEFORE, DENY, HookAnswer
from penstock.doors.setup.agent_files import BAD, NOTE, OK, SettingsPlace
from penstock.doors.setup.inspect import looked_at
from penstock.doors.setup.registrations import find
from penstock.doors.setup.scopes import hook_command
from tests.agents.install import NotHereError
from tests.agents.install import cache as clients
from tests.agents.install import command as client
from tests.cli.quick import Quick
from tests.project import Project

SETTINGS = ".claude/settings.local.json"
EMPTY: Mapping[str, str] = {}


@pytest.fixture
def project(project: Project) -> Project:
    return Quick(project.root, project.home)


def statuses(done: Any) -> dict[str, str]:
    return {check["name"]: check["status"] for check in done.json["checks"]}


# The command


def test_a_sound_project_is_proven_sound_and_nothing_is_left_behind(project: Project) -> None:
    project.run("init", "--agent", "claude")
    before = sorted(str(path) for path in project.root.rglob("*"))
    recorded = project.run("audit", "log").out
    done = project.run("doctor", "--json")
    assert done.code == 0, done.out
    (hook,) = done.json["hooks"]
    assert hook["sound"] is True
    assert ".env" in hook["refused"]
    assert hook["then_ms"] > 0
    assert statuses(done)["claude-works"] == "ok"
    assert sorted(str(path) for path in project.root.rglob("*")) == before
    assert project.run("audit", "log").out == recorded


def test_without_a_registration_nothing_is_sound(project: Project) -> None:
    done = project.run("doctor")
    assert done.code == 1
    assert "penstock init" in done.out


def test_hooks_that_are_switched_off_are_told_although_they_answer(project: Project) -> None:
    project.run("init", "--agent", "claude")
    project.write(".claude/settings.json", '{"disableAllHooks": true}')
    done = project.run("doctor", "--json")
    assert done.code == 1
    assert statuses(done)["claude-disabled"] == "bad"
    assert statuses(done)["claude-works"] == "ok"


def test_broken_rules_and_a_state_that_cannot_be_written_are_told(project: Project) -> None:
    project.run("init", "--agent", "claude")
    project.write("penstock.toml", "version = ")
    file = project.home / "file"
    file.write_text("")
    done = project.run("doctor", "--json", env={"XDG_STATE_HOME": str(file)})
    assert done.code == 1
    assert statuses(done)["rules"] == "bad"
    assert statuses(done)["state"] == "bad"


# Ways to be off

FINE = json.dumps({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}]}]}})
OFF = [
    # agent, where, what stands there, which finding
    ("claude", "project/.claude/settings.json", '{"disableAllHooks": true}', "disabled"),
    ("claude", "project/.claude/settings.local.json", '{"disableAllHooks": true}', "disabled"),
    ("claude", "home/.claude/settings.json", '{"disableAllHooks": true}', "disabled"),
    (
        "claude",
        "system/etc/claude-code/managed-settings.json",
        '{"disableAllHooks": 1}',
        "disabled",
    ),
    (
        "claude",
        "system/etc/claude-code/managed-settings.d/10.json",
        '{"allowManagedHooksOnly": true}',
        "managed-only",
    ),
    ("claude", "project/.claude/settings.json", "{,}", "settings"),
    ("claude", "home/.claude/settings.json", "[]", "settings"),
    ("claude", "project/.claude/settings.json", FINE.replace("command", "shell", 1), "hook-type"),
    ("codex", "project/.codex/hooks.json", FINE, "trust"),
    ("codex", "project/.codex/hooks.json", FINE.replace("command", "http", 1), "hook-type"),
    ("codex", "home/.codex/config.toml", "[features]\nhooks = false\n", "disabled"),
    ("codex", "project/.codex/config.toml", "[features]\nhooks = false\n", "disabled"),
    ("gemini", "project/.gemini/settings.json", '{"hooksConfig": {"enabled": false}}', "disabled"),
    ("gemini", "home/.gemini/settings.json", '{"hooksConfig": {"enabled": false}}', "disabled"),
    ("gemini", "project/.gemini/settings.json", "// c\n{}", "settings"),
    ("gemini", "project/.gemini/settings.json", "{}", "trust"),
    ("gemini", "home/.gemini/trustedFolders.json", '{"{root}": "DO_NOT_TRUST"}', "trust"),
    ("copilot", "project/.github/hooks/penstock.json", FINE, "trust"),
    ("copilot", "project/.github/hooks/penstock.json", "{", "settings"),
    ("qwen", "home/.qwen/settings.json", '{"disableAllHooks": true}', "disabled"),
    ("cursor", "project/.cursor/hooks.json", '{"hooks": {}}', "version"),
    ("windsurf", "project/.windsurf/hooks.json", "{", "settings"),
]


def place(tmp_path: Path) -> SettingsPlace:
    return SettingsPlace(
        root=str(tmp_path / "project"),
        home=str(tmp_path / "home"),
        system=str(tmp_path / "system"),
    )


def put(tmp_path: Path, name: str, text: str) -> None:
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text.replace("{root}", str(tmp_path / "project")))


def wrong(agent: str, tmp_path: Path, environ: Mapping[str, str] = EMPTY) -> set[str]:
    there = replace(place(tmp_path), environ=environ)
    return {one.name for one in ways_off(agent, there) if one.status == BAD}


@pytest.mark.parametrize(("agent", "file", "text", "name"), OFF)
def test_each_way_to_be_off_is_named(
    agent: str, file: str, text: str, name: str, tmp_path: Path
) -> None:
    put(tmp_path, file, text)
    assert name in wrong(agent, tmp_path)


def test_a_registration_that_a_worktree_would_not_have_is_told(project: Project) -> None:
    def told() -> bool:
        return "claude-worktree" in statuses(project.run("doctor", "--json"))

    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    git = ["git", "-C", str(project.root), *who]
    project.run("init", "--agent", "claude", "--shared")
    shutil.rmtree(project.root / ".git", ignore_errors=True)
    assert not told(), "no repository has no worktrees"
    subprocess.run([*git, "init", "-q"], check=True, capture_output=True)
    subprocess.run([*git, "commit", "-qm", "x", "--allow-empty"], check=True, capture_output=True)
    assert told()
    subprocess.run([*git, "add", ".claude/settings.json"], check=True, capture_output=True)
    subprocess.run([*git, "commit", "-qm", "hooks"], check=True, capture_output=True)
    assert not told()


# As the real Codex 0.166 counts it: the command, and the digest that it reports for it.
CODEX_COMMAND = "/opt/venv/bin/python -I -S /opt/penstock/hook.py codex closed"
CODEX_HOOK = {"type": "command", "command": CODEX_COMMAND, "timeout": 10}
CODEX_HOOKS = {"hooks": {"PreToolUse": [{"matcher": "apply_patch|Bash", "hooks": [CODEX_HOOK]}]}}
CODEX_DIGEST = "sha256:beb6f6d24b3c64f2d016e2ce4f7162961d984dc69532fcfb44ae27f9816706af"


def trusted(value: str, more: str = "") -> str:
    key = '[hooks.state."{root}/.codex/hooks.json:pre_tool_use:0:0"]'
    return f'{key}\ntrusted_hash = "{value}"\n{more}'


@pytest.mark.parametrize(
    ("config", "found"),
    [
        (trusted(CODEX_DIGEST), set()),
        (trusted("sha256:00"), {"trust"}),
        (trusted(CODEX_DIGEST, "enabled = false\n"), {"trust"}),
        ("", {"trust"}),
        ("not toml", {"trust"}),
        ("hooks = 1", {"trust"}),
    ],
)
def test_only_a_codex_hook_that_is_trusted_as_it_is_counts(
    config: str, found: set[str], tmp_path: Path
) -> None:
    put(tmp_path, "project/.codex/hooks.json", json.dumps(CODEX_HOOKS))
    put(tmp_path, "home/.codex/config.toml", config)
    assert wrong("codex", tmp_path) == found


@pytest.mark.parametrize(
    ("event", "name", "says", "digest"),
    [
        (
            "SessionStart", "session_start", "session start",
            "sha256:53092463c908320e31c17c6dec63045016691e77d0acfb6e2c1b1b27b4814736",
        ),
        (
            "Stop", "stop", "turn end",
            "sha256:bae4850ab31aa3ac9b7bc4a23cd482ffceea3e1502ed5360d9b08bab5b23d94f",
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("trusts", [True, False])
def test_a_start_or_end_that_codex_does_not_trust_is_told_and_nothing_worse(
    event: str, name: str, says: str, digest: str, trusts: bool, tmp_path: Path
) -> None:
    """Whoever registers anew keeps what was trusted before; only what is new waits for /hooks."""
    hooks = {**CODEX_HOOKS["hooks"], event: [{"hooks": [CODEX_HOOK]}]}
    put(tmp_path, "project/.codex/hooks.json", json.dumps({"hooks": hooks}))
    more = trusted(digest if trusts else "sha256:00").replace("pre_tool_use", name)
    put(tmp_path, "home/.codex/config.toml", trusted(CODEX_DIGEST) + more)
    (found,) = [one for one in ways_off("codex", place(tmp_path)) if one.name == "trust"]
    assert found.status == (OK if trusts else NOTE)
    assert (says in found.what) is not trusts


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("trustedFolders.json", '{"{root}": "TRUST_FOLDER"}'),
        ("trustedFolders.json", '{"{root}/sub": "TRUST_PARENT"}'),
        ("settings.json", '{"security": {"folderTrust": {"enabled": false}}}'),
    ],
)
def test_a_folder_that_gemini_trusts_is_fine(file: str, text: str, tmp_path: Path) -> None:
    put(tmp_path, f"home/.gemini/{file}", text)
    assert wrong("gemini", tmp_path) == set()


def test_a_folder_that_copilot_trusts_is_fine(tmp_path: Path) -> None:
    """Its own file begins with lines of comment."""
    put(tmp_path, "project/.github/hooks/penstock.json", FINE)
    text = '// managed automatically\n{"trustedFolders": ["{root}"]}\n'
    put(tmp_path, "home/.copilot/config.json", text)
    assert wrong("copilot", tmp_path) == set()


MOVED = [
    ("claude", "CLAUDE_CONFIG_DIR", "settings.json", '{"disableAllHooks": true}', "disabled"),
    ("qwen", "QWEN_HOME", "settings.json", '{"disableAllHooks": true}', "disabled"),
    ("codex", "CODEX_HOME", "config.toml", "[features]\nhooks = false\n", "disabled"),
    (
        "gemini",
        "GEMINI_CLI_HOME",
        ".gemini/settings.json",
        '{"hooksConfig": {"enabled": false}}',
        "disabled",
    ),
    (
        "gemini",
        "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
        "",
        '{"hooksConfig": {"enabled": false}}',
        "disabled",
    ),
]


@pytest.mark.parametrize(("agent", "variable", "file", "text", "name"), MOVED)
def test_settings_are_looked_at_where_a_variable_has_moved_them(
    agent: str, variable: str, file: str, text: str, name: str, tmp_path: Path
) -> None:
    put(tmp_path, f"moved/{file}".rstrip("/"), text)
    assert name not in wrong(agent, tmp_path)
    assert name in wrong(agent, tmp_path, {variable: str(tmp_path / "moved")})


TRUSTING = [
    ("gemini", "GEMINI_CLI_TRUSTED_FOLDERS_PATH", "", '{"{root}": "TRUST_FOLDER"}'),
    ("gemini", "GEMINI_CLI_HOME", ".gemini/trustedFolders.json", '{"{root}": "TRUST_FOLDER"}'),
    ("copilot", "COPILOT_HOME", "config.json", '{"trustedFolders": ["{root}"]}'),
    ("codex", "CODEX_HOME", "config.toml", trusted(CODEX_DIGEST)),
]


@pytest.mark.parametrize(("agent", "variable", "file", "text"), TRUSTING)
def test_what_is_trusted_is_looked_up_where_a_variable_has_moved_it(
    agent: str, variable: str, file: str, text: str, tmp_path: Path
) -> None:
    put(tmp_path, "project/.github/hooks/penstock.json", FINE)
    put(tmp_path, "project/.codex/hooks.json", json.dumps(CODEX_HOOKS))
    put(tmp_path, f"home/moved/{file}".rstrip("/"), text)
    assert wrong(agent, tmp_path) == {"trust"}
    assert wrong(agent, tmp_path, {variable: "~/moved"}) == set()


@pytest.mark.parametrize("agent", NAMES)
def test_an_empty_machine_has_nothing_to_complain_about(agent: str, tmp_path: Path) -> None:
    assert wrong(agent, tmp_path) <= {"trust"}


# Registrations


def registered(project: Project, change: Any) -> set[str]:
    """Register, change the settings by hand, and return what is wrong then."""
    project.run("init", "--agent", "claude")
    file = project.root / SETTINGS
    document = json.loads(file.read_text())
    change(document["hooks"])
    file.write_text(json.dumps(document))
    found = list(find(str(project.root)))
    return {one.name for one in looked_at("claude", found) if one.status == BAD}


def _set(**values: Any) -> Any:
    def change(hooks: Any) -> None:
        hooks["PreToolUse"][0]["hooks"][0].update(values)

    return change


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda hooks: hooks.pop("PreToolUse"), "registered"),
        (lambda hooks: hooks.pop("ConfigChange"), "registered"),
        (lambda hooks: hooks["PreToolUse"][0].update(matcher="Write"), "matcher"),
        (_set(command="/nowhere/python -I -S /nowhere/penstock/hook.py claude"), "command"),
        (_set(command=f"python3 -I -S {shlex.split(hook_command('claude'))[3]} claude"), "shim"),
        (_set(command="'/penstock/hook.py"), "command"),
        (_set(type="http", url="http://127.0.0.1:1/hook/claude"), "http"),
    ],
)
def test_a_registration_that_was_changed_by_hand_is_told(
    change: Any, name: str, project: Project
) -> None:
    assert name in registered(project, change)


@pytest.mark.parametrize(
    ("agent", "file", "event", "name"),
    [
        ("qwen", ".qwen/settings.json", "SessionStart", "start"),
        ("claude", SETTINGS, "Stop", "turn-end"),
    ],
)
def test_a_registration_from_before_there_was_a_start_or_end_is_sound_and_gets_a_hint(
    project: Project, agent: str, file: str, event: str, name: str
) -> None:
    project.run("init", "--agent", agent)
    settings = project.root / file
    document = json.loads(settings.read_text())
    del document["hooks"][event]
    settings.write_text(json.dumps(document))
    done = project.run("doctor", "--json")
    assert done.code == 0, done
    assert statuses(done)[f"{agent}-{name}"] == "note"
    assert statuses(done)[f"{agent}-registered"] == "ok"


def test_a_shim_in_place_of_the_interpreter_is_told(project: Project, tmp_path: Path) -> None:
    shim = tmp_path / "python"
    shim.write_text("#!/bin/sh\n")
    shim.chmod(0o755)
    launcher = shlex.split(hook_command("claude"))[3]
    assert "shim" in registered(project, _set(command=f"{shim} -I -S {launcher} claude"))


# Answers


@pytest.mark.parametrize("agent", NAMES)
def test_what_we_say_to_an_agent_is_what_it_would_understand(agent: str) -> None:
    call = agent_module(agent).read(WRITES[agent]("/p", ".env"), {})
    assert call.event == BEFORE
    assert not call.attended or agent == "copilot"
    for answer in (HookAnswer(DENY, "no"), HookAnswer(ASK, "whether")):
        reply = agent_module(agent).say(call, answer)
        heard = TAKES[agent](Raw(code=reply.code, stdout=reply.stdout, stderr=reply.stderr))
        assert heard.refused
        assert heard.reason == answer.reason
    for answer in (
        HookAnswer(),
        HookAnswer(notes=("careful",)),
        HookAnswer(ALLOW, "yes", granted=True),
    ):
        reply = agent_module(agent).say(call, answer)
        heard = TAKES[agent](Raw(code=reply.code, stdout=reply.stdout, stderr=reply.stderr))
        assert (heard.refused, heard.fault) == (False, "")


def test_the_real_hook_refuses_and_lets_pass_for_every_agent(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in project.environ.items():
        monkeypatch.setenv(name, value)
    root = str(project.root)
    with probe.state_apart() as apart, probe.warm(apart) as environ:
        for agent in NAMES:
            denied = probe.run(agent, hook_command(agent), root, ".env", environ)
            assert (denied.refused, denied.fault) == (True, ""), agent
            assert ".env" in denied.reason
            passed = probe.run(agent, hook_command(agent), root, "agent_sandbox/x", environ)
            assert (passed.refused, passed.fault) == (False, ""), agent


def test_a_hook_over_http_is_asked_where_it_is_registered(project: Project) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    assert project.run("init", "--agent", "claude", "--http", "--port", port).code == 0
    serve = [sys.executable, "-m", "penstock.cli", "serve", "--port", port]
    with subprocess.Popen(serve, cwd=project.root, env=project.environ) as server:
        try:
            wait_for(int(port))
            done = project.run("doctor", "--json")
        finally:
            server.terminate()
    assert done.code == 0, done.out
    hook = next(one for one in done.json["hooks"] if one["runs"].startswith("http://"))
    assert hook["sound"] is True


def wait_for(port: int) -> None:
    for _ in range(600):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise AssertionError(f"nothing listens on port {port}")


BAD_ANSWERS = [
    # what stands in the hook's place, and what is to be told
    ("", "lets `.env` be written"),
    ("import sys; sys.exit(1)", "exit code 1"),
    ("print('a log line')", "not the JSON"),
    ('print(\'{"hookSpecificOutput": {"permissionDecision": "deny"}}\')', "not the JSON"),
    ("import sys; sys.exit('no')", "exit code 1"),
    ("import sys; sys.stderr.write('no'); sys.exit(2)", "the hook blocks what the rules allow: no"),
    ("import time; time.sleep(60)", "no answer within"),
]


@pytest.mark.parametrize(("code", "told"), BAD_ANSWERS)
def test_a_hook_that_does_not_do_its_work_is_found_out(
    code: str, told: str, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in project.environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(probe, "SECONDS", 0.7 if "sleep" in code else 30.0)
    folder = project.home / "penstock"
    folder.mkdir()
    (folder / "hook.py").write_text(code)
    command = shlex.join([sys.executable, "-I", "-S", str(folder / "hook.py"), "claude"])
    hook = {"type": "command", "command": command, "timeout": 10}
    hooks = {"hooks": {"PreToolUse": [{"matcher": "Write", "hooks": [hook]}]}}
    project.write(SETTINGS, json.dumps(hooks))
    (one,) = to_ask(find(str(project.root)))
    asked, findings = ask_hook(str(project.root), one)
    assert asked.sound is False
    assert told in " ".join(finding.what for finding in findings if finding.status == BAD)


def test_a_resident_that_is_not_there_is_told(project: Project) -> None:
    hook = {
        "type": "http",
        "url": "http://127.0.0.1:9/hook/claude",
        "headers": {"Authorization": "Bearer x"},
        "onFailure": "block",
    }
    hooks = {"hooks": {"PreToolUse": [{"matcher": "Write", "hooks": [hook]}]}}
    project.write(SETTINGS, json.dumps(hooks))
    (one,) = to_ask(find(str(project.root)))
    asked, findings = ask_hook(str(project.root), one)
    assert asked.sound is False
    assert "nothing answers" in findings[0].what


# The real agents


@pytest.mark.live
@pytest.mark.parametrize("agent", ["claude", "codex", "gemini"])
def test_the_real_agent_is_refused_and_let_pass(agent: str, project: Project) -> None:
    try:
        client(agent)
    except NotHereError as missing:
        pytest.skip(f"{agent} was not tried: {missing}")
    project.run("init", "--agent", agent)
    done = project.run("doctor", "--live", "--json", env={"PENSTOCK_CLIENTS": str(clients())})
    assert statuses(done)[f"{agent}-live"] == "ok", done.out
    assert not (project.root / ".env").exists()


@pytest.mark.live
@pytest.mark.parametrize("agent", ["qwen", "copilot", "opencode"])
def test_another_real_agent_is_refused_and_let_pass(agent: str, project: Project) -> None:
    """These are not installed for a test; where they are here they are tried."""
    if not installed(agent, AGENTS[agent]):
        pytest.skip(f"{agent} was not tried: it is neither on PATH nor in $PENSTOCK_CLIENTS")
    project.run("init", "--agent", agent)
    done = project.run("doctor", "--live", "--json", env={"PATH": os.environ["PATH"]})
    assert statuses(done)[f"{agent}-live"] == "ok", done.out


def only(programs: Path) -> dict[str, str]:
    """Variables under which no agent is found but those in one directory."""
    return {"PATH": f"{programs}", "PENSTOCK_CLIENTS": ""}


def test_a_client_that_cannot_fail_closed_is_told(project: Project) -> None:
    """A stand-in that says an old version and writes nothing."""
    programs = project.home / "bin"
    programs.mkdir()
    old = programs / "claude"
    old.write_text("#!/bin/sh\necho '2.1.197 (Claude Code)'\n")
    old.chmod(0o755)
    project.run("init", "--agent", "claude", "--preset", "strict")
    done = project.run("doctor", "--live", "--json", env=only(programs))
    assert statuses(done)["claude-version"] == "warn"
    assert statuses(done)["claude-live"] == "bad"


def test_a_client_that_writes_what_it_must_not_is_found_out(project: Project) -> None:
    programs = project.home / "bin"
    programs.mkdir()
    bad = programs / "codex"
    writes = "> .agentzero_audit.live; > agent_sandbox/live.txt"
    bad.write_text(f"#!/bin/sh\n/bin/mkdir agent_sandbox; {writes}\n")
    bad.chmod(0o755)
    project.run("init", "--agent", "codex")
    done = project.run("doctor", "--live", "--json", env=only(programs))
    told = {check["name"]: check["what"] for check in done.json["checks"]}
    assert "the hook did not block it" in told["codex-live"]
    assert not (project.root / ".env").exists()


def test_an_agent_that_is_not_here_is_noted_and_no_fault(project: Project) -> None:
    project.run("init", "--agent", "kiro", "--agent", "claude")
    done = project.run("doctor", "--live", "--json", env=only(project.home / "nothing"))
    assert statuses(done)["kiro-live"] == statuses(done)["claude-live"] == "note"
    assert done.code == 0
