"""`penstock init` and `penstock uninstall`: what they write, and that it all goes back."""

from __future__ import annotations

import json
import shlex
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from penstock.doors.hook.agents import NAMES
from penstock.doors.setup.registrations import find
from penstock.stores.agents.ancestry import seen_here
from tests.cli.quick import Quick
from tests.project import Project
from tests.terminal import END, in_terminal

SETTINGS = ".claude/settings.local.json"
SHARED = ".claude/settings.json"
IGNORED = f"agent_sandbox/\n.agentzero_audit*.jsonl\n{SETTINGS}\n"


@pytest.fixture
def project(project: Project) -> Project:
    return Quick(project.root, project.home)


# A person's file: their own hook, an order, an indentation and a line end of their own.
OWN = (
    '{\n    "zebra": [1, 2],\n    "hooks": {\n        "PreToolUse": [\n            '
    '{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}\n        ],\n'
    '        "Notification": []\n    },\n    "alpha": "\\u00e9"\n}'
)


def everything(root: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(root)): file.read_bytes() if file.is_file() else b"directory"
        for file in root.rglob("*")
    }


def settings(project: Project, file: str = SETTINGS) -> dict[str, Any]:
    hooks: dict[str, Any] = json.loads((project.root / file).read_text())["hooks"]
    return hooks


def test_init_writes_rules_hook_and_ignore_line(project: Project) -> None:
    done = project.run("init", "--agent", "claude")
    assert done.code == 0, done.err
    hooks = settings(project)
    after = {"PostToolUse", "PostToolUseFailure"}
    assert set(hooks) == {"PreToolUse", *after, "ConfigChange", "SessionStart", "Stop"}
    writes = "Write|Edit|MultiEdit|NotebookEdit|Bash|mcp__.*"
    assert hooks["PreToolUse"][0]["matcher"] == f"Read|Grep|Glob|{writes}"
    assert (project.root / ".gitignore").read_text() == IGNORED
    assert project.run("check").out.endswith("rules, no problems\n")


def test_git_sees_neither_the_sandbox_nor_the_logs_of_the_broker(project: Project) -> None:
    git = partial(subprocess.run, cwd=project.root, check=True, capture_output=True, text=True)
    git(["git", "init", "-q"])
    assert project.run("init", "--agent", "claude").code == 0
    names = [".agentzero_audit.jsonl", ".agentzero_audit.0000000000-0000000001.jsonl"]
    for name in (*names, "agent_sandbox/2026-02-04/notes/a.md", "audit.jsonl"):
        project.write(name, "x\n")
    seen = git(["git", "status", "--porcelain", "-uall"]).stdout
    assert "audit.jsonl" in seen
    assert ".agentzero" not in seen
    assert "agent_sandbox" not in seen


def test_a_project_may_have_any_name(tmp_path: Path, project: Project) -> None:
    odd = Quick(tmp_path / "my project + 'more'", project.home)
    (odd.root / ".git").mkdir(parents=True)
    assert odd.run("init", "--agent", "claude").code == 0
    assert odd.run("audit", "checkpoint").code == 0
    assert odd.run("audit", "verify", "--json").json["ok"]


def test_the_registered_command_is_absolute_and_isolated(project: Project) -> None:
    project.run("init", "--agent", "claude")
    (hook,) = settings(project)["PreToolUse"][0]["hooks"]
    python, *flags, launcher, agent = shlex.split(hook["command"])
    assert python.startswith("/")
    assert flags == ["-I", "-S"]
    assert launcher.startswith("/")
    assert launcher.endswith("/penstock/hook.py")
    assert agent == "claude"
    assert 0 < hook["timeout"] <= 30


def test_a_second_init_changes_nothing(project: Project) -> None:
    project.write(SETTINGS, OWN)
    project.run("init", "--agent", "claude")
    before = everything(project.root)
    done = project.run("init", "--agent", "claude", "--json")
    assert everything(project.root) == before
    assert {change["status"] for change in done.json["changes"]} == {"unchanged"}


def test_a_dry_run_changes_nothing_and_shows_the_diff(project: Project) -> None:
    project.write(SETTINGS, OWN)
    before = everything(project.root)
    done = project.run("init", "--agent", "claude", "--dry-run")
    assert done.code == 0
    assert f"+++ b/{SETTINGS}" in done.out
    assert "would create  penstock.toml" in done.out
    assert everything(project.root) == before
    assert not (project.home / "state").exists()


def test_what_a_person_wrote_stays_as_it_is_and_where_it_is(project: Project) -> None:
    project.write(SETTINGS, OWN)
    project.run("init", "--agent", "claude")
    text = (project.root / SETTINGS).read_text()
    rest = text
    for line in OWN.splitlines():
        if line.strip(" ,]}") and line.strip() != '"Notification": []':
            at = rest.find(line.rstrip(","))
            assert at >= 0, line
            rest = rest[at:]
    assert list(json.loads(text)) == ["zebra", "hooks", "alpha"]
    assert settings(project)["PreToolUse"][0]["matcher"] == "Bash"


@pytest.mark.parametrize(
    "before", [None, OWN, "{}", "{}\n", "", '{"a":1}', OWN.replace("\n", "\r\n")]
)
def test_uninstall_gives_every_byte_back(project: Project, before: str | None) -> None:
    project.write(".gitignore", "build/")
    if before is not None:
        project.write(SETTINGS, before)
    was = everything(project.root)
    assert project.run("init", "--agent", "claude").code == 0
    assert everything(project.root) != was
    done = project.run("uninstall")
    assert done.code == 0, done.err
    assert everything(project.root) == was
    assert not list(project.home.rglob("installed.json"))


def test_after_a_change_by_a_person_only_our_entries_go(project: Project) -> None:
    project.write(SETTINGS, OWN)
    project.run("init", "--agent", "claude")
    file = project.root / SETTINGS
    file.write_text(file.read_text().replace('"zebra": [1, 2]', '"zebra": [1, 2, 3]'))
    toml = project.root / "penstock.toml"
    toml.write_text(toml.read_text() + "# mine\n")
    project.write(".gitignore", f"{IGNORED}build/\n")
    done = project.run("uninstall")
    assert done.code == 0
    assert json.loads(file.read_text()) == json.loads(OWN.replace("2]", "2, 3]"))
    assert "# mine" in toml.read_text()
    assert "penstock.toml: it was changed since, so it was kept" in done.out
    assert (project.root / ".gitignore").read_text() == "build/\n"


def test_a_file_that_we_made_goes_when_only_ours_was_added_to_it(project: Project) -> None:
    project.run("init", "--agent", "claude")
    file = project.root / SETTINGS
    file.write_text(json.dumps(json.loads(file.read_text())))
    project.run("uninstall")
    assert not (project.root / ".claude").exists()


def test_a_copy_without_its_state_is_cleaned_as_well(project: Project) -> None:
    project.write(SETTINGS, OWN)
    project.run("init", "--agent", "claude")
    done = project.run("uninstall", env={"XDG_STATE_HOME": str(project.home / "other")})
    assert done.code == 0
    left = json.loads((project.root / SETTINGS).read_text())
    assert left == json.loads(OWN)


@pytest.mark.parametrize(
    "text", ["{", '{"hooks": {}} // mine', "\ud800".encode("utf-8", "surrogatepass")]
)
def test_settings_that_are_no_json_are_refused_and_left_alone(
    project: Project, text: str | bytes
) -> None:
    file = project.write(SETTINGS, text)
    was = everything(project.root)
    done = project.run("init", "--agent", "claude")
    assert done.code == 1
    assert "settings-not-json" in done.err
    assert everything(project.root) == was
    assert file.exists()


@pytest.mark.parametrize("text", ['{"hooks": []}', '{"hooks": {"PreToolUse": {}}}', "[]", '"x"'])
def test_settings_of_another_shape_are_refused_and_left_alone(project: Project, text: str) -> None:
    project.write(SETTINGS, text)
    was = everything(project.root)
    done = project.run("init", "--agent", "claude")
    assert done.code == 1
    assert "settings-shape" in done.err
    assert everything(project.root) == was


def test_a_link_is_refused_and_what_it_points_to_left_alone(project: Project) -> None:
    target = project.home / "mine.json"
    target.write_text("{}")
    (project.root / ".claude").mkdir()
    (project.root / SETTINGS).symlink_to(target)
    done = project.run("init", "--agent", "claude")
    assert done.code != 0
    assert SETTINGS in done.err
    assert target.read_text() == "{}"
    assert not (project.root / "penstock.toml").exists()


def test_rules_that_are_there_are_never_overwritten(project: Project) -> None:
    project.write("penstock.toml", 'version = 1\npreset = "strict"\n')
    done = project.run("init", "--agent", "claude", "--preset", "guard")
    assert (project.root / "penstock.toml").read_text() == 'version = 1\npreset = "strict"\n'
    assert "was kept" in done.out


@pytest.mark.parametrize("given", ["flag", "rules"])
def test_strict_rules_make_the_hook_block_when_it_fails(project: Project, given: str) -> None:
    if given == "rules":
        project.write("penstock.toml", 'version = 1\npreset = "strict"\n')
    more = ("--preset", "strict") if given == "flag" else ()
    project.run("init", "--agent", "claude", *more)
    (hook,) = settings(project)["PreToolUse"][0]["hooks"]
    assert hook["onFailure"] == "block"
    assert hook["command"].endswith(" claude closed")


def test_http_registers_the_resident_with_a_token_and_blocks_without_it(project: Project) -> None:
    done = project.run("init", "--agent", "claude", "--http", "--port", "7999")
    assert done.code == 0, done.err
    hooks = settings(project)
    (hook,) = hooks["PreToolUse"][0]["hooks"]
    assert hook["type"] == "http"
    assert hook["url"] == "http://127.0.0.1:7999/hook/claude"
    assert hook["onFailure"] == "block"
    assert len(hook["headers"]["Authorization"].removeprefix("Bearer ")) >= 32
    assert "penstock serve" in done.out
    project.run("init", "--agent", "claude")
    (again,) = settings(project)["PreToolUse"]
    assert again["hooks"][0]["type"] == "command"
    project.run("uninstall")
    assert not (project.root / ".claude").exists()


def test_an_old_registration_of_ours_is_replaced_and_not_doubled(project: Project) -> None:
    project.run("init", "--agent", "claude")
    file = project.root / SETTINGS
    file.write_text(file.read_text().replace(" -I -S ", " -I -S -B "))
    project.run("init", "--agent", "claude")
    (entry,) = settings(project)["PreToolUse"]
    assert " -B " not in json.dumps(entry)


def test_from_an_agents_shell_hooks_are_added_but_nothing_is_taken_back(project: Project) -> None:
    inside = {"CLAUDECODE": "1"}
    assert project.run("init", "--agent", "claude", "--preset", "strict", env=inside).code == 0
    was = everything(project.root)
    assert project.run("init", "--agent", "claude", env=inside).code == 0
    (project.root / "penstock.toml").write_text('version = 1\npreset = "guard"\n')
    loosened = project.run("init", "--agent", "claude", env=inside)
    assert loosened.code == 2
    assert "inside-agent" in loosened.err
    taken = project.run("uninstall", env=inside)
    assert taken.code == 2
    (project.root / "penstock.toml").write_bytes(was["penstock.toml"])
    assert everything(project.root) == was


def test_an_unknown_agent_is_wrong_usage(project: Project) -> None:
    assert project.run("init", "--agent", "nobody").code == 64


def test_every_agent_is_registered_at_once_and_taken_back(project: Project) -> None:
    project.write(".gitignore", "build/\r\n")
    project.write(".cursor/hooks.json", '{"version": 1, "hooks": {"stop": [{"command": "x"}]}}')
    project.write(".github/workflows/ci.yml", "on: push\n")
    was = everything(project.root)
    named = [word for name in NAMES for word in ("--agent", name)]
    assert project.run("init", *named).code == 0
    assert len(list(find(str(project.root)))) > len(NAMES)
    assert project.run("init", *named, "--json").json["changes"][0]["status"] == "unchanged"
    assert project.run("uninstall").code == 0
    assert everything(project.root) == was


@pytest.mark.parametrize(
    ("agent", "file"), [("codex", ".codex/hooks.json"), ("gemini", ".gemini/settings.json")]
)
def test_a_start_of_somebody_else_stays_where_ours_goes(
    project: Project, agent: str, file: str
) -> None:
    own = {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "x"}]}]}}
    path = project.write(file, json.dumps(own))
    project.run("init", "--agent", agent)
    both = json.loads(path.read_text())
    assert len(both["hooks"]["SessionStart"]) == 2
    path.write_text(json.dumps(both, indent=1))  # changed since, so its old bytes are not put back
    project.run("uninstall")
    assert json.loads(path.read_text()) == own


def test_the_agents_that_are_here_are_found(project: Project) -> None:
    (project.root / ".gemini").mkdir()
    (project.home / ".codex").mkdir()
    programs = project.home / "bin"
    programs.mkdir()
    (programs / "opencode").write_text("#!/bin/sh\n")
    (programs / "opencode").chmod(0o755)
    moved = {"CLAUDE_CONFIG_DIR": str(programs), "QWEN_HOME": "/nowhere"}
    done = project.run("init", "--json", env={"PATH": str(programs), **moved})
    found = {agent["name"]: agent["found"] for agent in done.json["agents"]}
    assert found == {
        "claude": "$CLAUDE_CONFIG_DIR",
        "codex": "~/.codex",
        "gemini": ".gemini in the project",
        "opencode": "opencode on PATH",
    }
    assert any("/hooks" in sentence for sentence in done.json["left"])


def test_a_change_after_a_persons_change_never_brings_our_entries_back(project: Project) -> None:
    """The old bytes that are given back one day are a person's, without us in them."""
    project.run("init", "--agent", "claude")
    file = project.root / SETTINGS
    document = json.loads(file.read_text())
    file.write_text(json.dumps({**document, "mine": 1}))
    project.run("init", "--agent", "claude", "--preset", "strict", "--http")
    assert "http://" in file.read_text()
    project.run("uninstall")
    assert json.loads(file.read_text()) == {"mine": 1}


def test_putting_the_gate_up_and_down_is_on_the_record(project: Project) -> None:
    project.run("init", "--agent", "claude")
    project.run("uninstall")
    log = project.run("audit", "log", "--json").json
    events = log if isinstance(log, list) else log["events"]
    ops = [event["op"] for event in events if event["status"] == "done"]
    assert ops.count("hooks_registered") == ops.count("hooks_removed") == 3
    assert project.run("audit", "verify").code == 0


def test_a_plugin_that_blocks_is_not_made_to_let_pass_from_an_agents_shell(
    project: Project,
) -> None:
    inside = {"CLAUDECODE": "1"}
    rules = project.write("penstock.toml", 'version = 1\npreset = "strict"\n')
    assert project.run("init", "--agent", "opencode", env=inside).code == 0
    rules.write_text('version = 1\npreset = "guard"\n')
    assert project.run("init", "--agent", "opencode", env=inside).code == 2
    assert project.run("init", "--agent", "opencode").code == 0


def test_hooks_that_are_switched_off_are_told_at_once(project: Project) -> None:
    project.write(SETTINGS, '{"disableAllHooks": true}')
    done = project.run("init", "--agent", "claude")
    assert done.code == 0
    assert "disableAllHooks" in done.out


# The approver key

QUESTION = "create an approver key now?"
WEAK = "without an approver key, any program that opens a terminal can approve"
WORDS = "correct horse battery staple"
KEY_FILE = "state/penstock/approver/approver.key"
INIT = ("init", "--agent", "claude")


@pytest.fixture
def outside() -> None:
    if seen_here():
        pytest.skip("these tests run inside an agent themselves")


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize("answer", ["", "n", END], ids=["nothing", "no", "the end of input"])
def test_a_no_to_the_key_leaves_a_sentence_and_no_key(project: Project, answer: str) -> None:
    seen = in_terminal(project, *INIT, typed=[(QUESTION, answer)])
    assert seen.code == 0, seen.text
    assert seen.text.count(QUESTION) == 1
    said = " ".join(seen.text.split())
    assert said.count(WEAK) == 1
    assert "create one with `penstock approver init`" in said
    assert not (project.home / KEY_FILE).exists()
    assert (project.root / "penstock.toml").exists()


@pytest.mark.usefixtures("outside")
def test_a_yes_makes_the_key_and_then_init_says_nothing_of_it(project: Project) -> None:
    typed = [(QUESTION, "y"), ("passphrase: ", WORDS), ("repeat passphrase: ", WORDS)]
    seen = in_terminal(project, *INIT, typed=typed)
    assert seen.code == 0, seen.text
    named = project.run("approver", "show", "--json").json["key_id"]
    assert f"approver key {named}" in seen.text
    assert WEAK not in " ".join(seen.text.split())
    assert "key_made done" in project.run("audit", "log", "--op", "key_made").out
    key = (project.home / KEY_FILE).read_bytes()
    again = in_terminal(project, *INIT)
    assert (again.code, "approver" in again.text) == (0, False)
    assert (project.home / KEY_FILE).read_bytes() == key


@pytest.mark.usefixtures("outside")
def test_two_passphrases_that_differ_make_no_key(project: Project) -> None:
    typed = [(QUESTION, "y"), ("passphrase: ", WORDS), ("repeat passphrase: ", "something else")]
    seen = in_terminal(project, *INIT, typed=typed)
    assert (seen.code, "error[not-the-same]" in seen.text) == (1, True)
    assert not (project.home / KEY_FILE).exists()
    assert (project.root / "penstock.toml").exists()


UNASKED = [
    (("--yes",), {}, "a script"),
    (("--json",), {}, "data"),
    (("--dry-run",), {}, "a dry run"),
    ((), {"CLAUDECODE": "1"}, "an agent"),
]


@pytest.mark.parametrize(("more", "env", "why"), UNASKED, ids=[row[2] for row in UNASKED])
def test_nothing_is_asked_at_a_terminal_of(
    project: Project, more: tuple[str, ...], env: dict[str, str], why: str
) -> None:
    seen = in_terminal(project, *INIT, *more, env=env)
    assert seen.code == 0, seen.text
    assert QUESTION not in seen.text
    assert "penstock approver init" in seen.text
    assert not (project.home / KEY_FILE).exists()


def test_without_a_terminal_nothing_is_asked_and_the_sentence_is_in_the_document(
    project: Project,
) -> None:
    done = project.run(*INIT, "--json")
    assert set(done.json) == {"workspace", "dry_run", "agents", "changes", "left"}
    assert sum(WEAK in sentence for sentence in done.json["left"]) == 1
    assert not done.err


def test_where_the_rules_demand_a_key_the_sentence_says_so(project: Project) -> None:
    project.write("penstock.toml", "version = 1\n[approval]\nrequire_key = true\n")
    (said, *_) = project.run(*INIT, "--json").json["left"]
    assert "nothing can be approved: the rules require an approver key, but none is set up" in said
