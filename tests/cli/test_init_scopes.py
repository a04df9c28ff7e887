"""`penstock init --local|--shared|--global`: where the hook is registered, and that it holds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from penstock import __version__
from penstock.doors.hook.agents import NAMES
from penstock.doors.setup.scopes import SCOPES, home_files
from tests.cli.quick import Quick
from tests.project import Done, Project
from tests.registered import ask, before_a_call, hook_program, place, registered

LOCAL, SHARED, GLOBAL = SCOPES
AGENT_WORDS = [word for name in NAMES for word in ("--agent", name)]


@pytest.fixture
def project(project: Project) -> Project:
    return Quick(project.root, project.home)


def init(project: Project, scope: str, *more: str) -> Done:
    done = project.run("init", f"--{scope}", "--yes", *(more or AGENT_WORDS))
    assert done.code == 0, done.err
    return done


def everything(*roots: Path) -> dict[str, bytes]:
    """Return every file below some directories, without Penstock's own state."""
    files = (file for root in roots for file in root.rglob("*"))
    return {
        str(file): file.read_bytes() if file.is_file() else b""
        for file in files
        if "/state/" not in f"{file}/"
    }


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("agent", NAMES)
def test_a_registered_hook_refuses_and_lets_pass(
    project: Project, agent: str, scope: str, tmp_path: Path
) -> None:
    init(project, scope, "--agent", agent)
    search = hook_program(tmp_path / "bin")
    assert {one.scope for one in registered(project)} == {scope}
    refused = ask(project, agent, ".env", search=search)
    assert refused.refused, refused
    assert ".env" in refused.reason
    passed = ask(project, agent, "agent_sandbox/x.txt", search=search)
    assert (passed.refused, passed.fault) == (False, "")


BROKEN = ["missing", "no interpreter", "a shim without it", "not executable", "a directory"]


@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize("agent", NAMES)
@pytest.mark.parametrize("preset", ["guard", "strict"])
def test_a_clone_without_penstock_is_told_to_install_it_and_writes_nothing(
    project: Project, agent: str, broken: str, preset: str, tmp_path: Path
) -> None:
    init(project, SHARED, "--agent", agent, "--preset", preset)
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "penstock-hook"
    if broken == "no interpreter":
        hook_program(folder, python="/no/such/python")
    elif broken == "a shim without it":
        program.write_text("#!/bin/sh\necho 'pyenv: penstock-hook: not found' >&2\nexit 127")
        program.chmod(0o755)
    elif broken == "not executable":
        program.write_text("#!/bin/sh\nexit 0\n")
    elif broken == "a directory":
        program.mkdir()
    for path in (".env", "agent_sandbox/x.txt"):
        heard = ask(project, agent, path, search=f"{folder}:/usr/bin:/bin")
        assert heard.refused, heard
        assert "pipx install penstock-gate" in heard.reason
        assert "not-installed" in heard.reason


def test_a_shared_command_is_the_same_on_every_machine_and_names_no_place(project: Project) -> None:
    init(project, SHARED)
    for one in registered(project):
        text = Path(project.root, one.file).read_text()
        for place_here in (sys.executable, str(project.home), str(project.root), "/site-packages"):
            assert place_here not in text, one.file


def test_what_is_on_pythons_path_is_not_run_by_a_shared_hook(
    project: Project, tmp_path: Path
) -> None:
    """A project that has itself on PYTHONPATH must not be able to answer for Penstock."""
    init(project, SHARED, "--agent", "claude")
    (project.root / "penstock").mkdir()
    project.write("penstock/__init__.py", "")
    project.write("penstock/hook.py", "import os\nos._exit(0)\n")
    search = hook_program(tmp_path / "bin")
    heard = ask(project, "claude", ".env", search=search, PYTHONPATH=str(project.root))
    assert heard.refused, heard


MOVES = [
    (LOCAL, SHARED, {SHARED}),
    (SHARED, LOCAL, {LOCAL}),
    (LOCAL, GLOBAL, {GLOBAL}),
    (GLOBAL, LOCAL, {GLOBAL}),  # covered already: nothing for this project alone
    (SHARED, GLOBAL, {SHARED, GLOBAL}),  # a team's stays, it protects others
    (GLOBAL, SHARED, {SHARED, GLOBAL}),  # so does the one for all other projects
]


@pytest.mark.parametrize(("first", "then", "left"), MOVES)
def test_another_scope_moves_what_is_one_persons_and_keeps_what_protects_others(
    project: Project, first: str, then: str, left: set[str]
) -> None:
    was = everything(project.root, project.home)
    init(project, first)
    init(project, then)
    found = registered(project)
    by_agent = {name: {one.scope for one in found if one.agent == name} for name in NAMES}
    assert by_agent == dict.fromkeys(NAMES, left)
    once = {(one.agent, one.file, one.event) for one in found}
    assert len(once) == len(found), "nothing is registered twice in one place"
    again = everything(project.root, project.home)
    init(project, then)
    assert everything(project.root, project.home) == again
    assert project.run("uninstall").code == 0
    assert registered(project) == []
    assert everything(project.root, project.home) == was


@pytest.mark.parametrize("scope", SCOPES)
def test_every_byte_comes_back_after_every_scope(project: Project, scope: str) -> None:
    own = '{"hooks": {"Stop": []},\n "mine": 1}'
    for root in (project.root, project.home):
        for file in (".claude/settings.json", ".gemini/settings.json", ".codex/hooks.json"):
            (root / file).parent.mkdir(exist_ok=True)
            (root / file).write_text(own)
    project.write(".gitignore", "build/")
    was = everything(project.root, project.home)
    init(project, scope)
    assert everything(project.root, project.home) != was
    assert project.run("uninstall").code == 0
    assert everything(project.root, project.home) == was


@pytest.mark.parametrize("scope", SCOPES)
def test_a_dry_run_shows_and_changes_nothing(project: Project, scope: str) -> None:
    was = everything(project.root, project.home)
    done = init(project, scope, "--agent", "claude", "--dry-run")
    assert everything(project.root, project.home) == was
    file = {
        LOCAL: ".claude/settings.local.json",
        SHARED: ".claude/settings.json",
        GLOBAL: f"{project.home}/.claude/settings.json",
    }[scope]
    assert f"would create  {file}" in done.out


def test_local_files_are_ignored_and_shared_ones_are_not(project: Project) -> None:
    subprocess.run(["git", "init", "-q"], cwd=project.root, check=True)

    def ignored(file: str) -> bool:
        asked = ["git", "check-ignore", "-q", file]
        return subprocess.run(asked, cwd=project.root, check=False).returncode == 0

    init(project, LOCAL)
    files = {one.file for one in registered(project)}
    assert all(ignored(file) for file in files)
    init(project, SHARED)
    assert not any(ignored(one.file) for one in registered(project))
    assert ignored("agent_sandbox/x")
    assert ignored(".agentzero_audit.jsonl")


def test_a_file_that_was_there_is_not_ignored_behind_its_owners_back(project: Project) -> None:
    project.write(".gemini/settings.json", '{"theme": "dark"}')
    done = init(project, LOCAL, "--agent", "gemini")
    assert ".gemini" not in (project.root / ".gitignore").read_text()
    assert "don't commit it, or use `--shared`" in " ".join(done.out.split())


def test_global_covers_a_project_without_rules_and_one_with_its_own(project: Project) -> None:
    init(project, GLOBAL, "--agent", "claude")
    assert not (project.root / "penstock.toml").exists()
    assert not (project.root / ".gitignore").exists()
    command = before_a_call(project, "claude").file
    assert command == os.path.realpath(project.home / ".claude/settings.json")
    other = Quick(project.root.parent / "other", project.home)
    other.root.mkdir()
    assert ask(other, "claude", ".env").refused, "the preset guard holds"
    assert not ask(other, "claude", "src/x.py").refused
    other.write("penstock.toml", 'version = 1\n[[deny]]\npaths = ["src/**"]\nreason = "no"\n')
    assert ask(other, "claude", "src/x.py").refused, "its own rules hold"
    assert not ask(other, "claude", ".env").refused, "and nothing else but its own"


def test_global_writes_the_users_rules_only_where_a_preset_is_named(project: Project) -> None:
    rules = project.home / "config/penstock/penstock.toml"
    init(project, GLOBAL, "--agent", "claude")
    assert not rules.exists()
    init(project, GLOBAL, "--agent", "claude", "--preset", "strict")
    assert 'preset = "strict"' in rules.read_text()
    rules.write_text(rules.read_text() + "# mine\n")
    assert project.run("uninstall").code == 0
    assert "# mine" in rules.read_text()


def test_uninstall_in_another_project_leaves_the_users_registration(project: Project) -> None:
    init(project, GLOBAL, "--agent", "claude")
    other = Quick(project.root.parent / "other", project.home)
    other.root.mkdir()
    done = other.run("uninstall")
    assert registered(project)
    assert "penstock uninstall --global" in done.out
    assert other.run("uninstall", "--global").code == 0
    assert registered(project) == []


def test_settings_behind_a_link_are_changed_where_they_lie(project: Project) -> None:
    dotfiles = project.home / "dotfiles"
    dotfiles.mkdir()
    (dotfiles / "claude.json").write_text("{}\n")
    (project.home / ".claude").mkdir()
    (project.home / ".claude/settings.json").symlink_to(dotfiles / "claude.json")
    init(project, GLOBAL, "--agent", "claude")
    assert (project.home / ".claude/settings.json").is_symlink()
    assert "PreToolUse" in json.loads((dotfiles / "claude.json").read_text())["hooks"]
    assert project.run("uninstall").code == 0
    assert (dotfiles / "claude.json").read_text() == "{}\n"


@pytest.mark.parametrize("scope", [SHARED, GLOBAL])
def test_a_server_of_this_machine_is_registered_for_one_person_only(
    project: Project, scope: str
) -> None:
    assert project.run("init", "--agent", "claude", "--http", f"--{scope}").code == 64


@pytest.mark.parametrize(("first", "then"), [(LOCAL, SHARED), (SHARED, LOCAL), (LOCAL, GLOBAL)])
def test_an_agent_moves_no_registration(project: Project, first: str, then: str) -> None:
    init(project, first)
    was = everything(project.root, project.home)
    moved = project.run("init", f"--{then}", *AGENT_WORDS, env={"CLAUDECODE": "1"})
    assert (moved.code, "inside-agent" in moved.err) == (2, True)
    assert everything(project.root, project.home) == was


@pytest.mark.parametrize("scope", SCOPES)
def test_status_lists_the_hooks(project: Project, scope: str, tmp_path: Path) -> None:
    search = {"PATH": hook_program(tmp_path / "bin")}
    init(project, scope)
    hooks = project.run("status", "--json", env=search).json["hooks"]
    assert {hook["agent"] for hook in hooks} == set(NAMES)
    assert all(set(hook) == {"agent", "file", "scope", "ok"} for hook in hooks)
    assert {hook["scope"] for hook in hooks} == {scope}
    assert all(hook["ok"] for hook in hooks), hooks
    home = home_files(place(project))
    assert all((hook["file"] in home) is (scope == GLOBAL) for hook in hooks)
    assert (
        f"claude in {hooks[0]['file']} ({scope}, ok)" in project.run("status", "-v", env=search).out
    )


def test_status_says_which_hook_cannot_work(project: Project) -> None:
    assert project.run("status", "--json").json["hooks"] == []
    assert "hooks: none" in project.run("status").out
    init(project, SHARED, "--agent", "claude")
    (hook,) = project.run("status", "--json", env={"PATH": "/usr/bin:/bin"}).json["hooks"]
    assert hook == {
        "agent": "claude",
        "file": ".claude/settings.json",
        "scope": SHARED,
        "ok": False,
    }


# What `doctor` compares


def findings(done: Done) -> dict[str, tuple[str, str]]:
    return {row["name"]: (row["status"], row["what"]) for row in done.json["checks"]}


def test_doctor_is_content_with_one_registration_of_this_version(
    project: Project, tmp_path: Path
) -> None:
    init(project, SHARED, "--agent", "claude")
    search = {"PATH": hook_program(tmp_path / "bin")}
    found = findings(project.run("doctor", "--json", env=search))
    assert found["claude-registered"][0] == "ok"
    assert found["claude-works"][0] == "ok"
    assert not {"claude-double", "claude-version", "claude-command-differs"} & set(found)


def test_doctor_says_that_a_clone_lacks_penstock(project: Project) -> None:
    init(project, SHARED, "--agent", "claude")
    done = project.run("doctor", "--json", env={"PATH": "/usr/bin:/bin"})
    status, what = findings(done)["claude-command"]
    assert (done.code, status) == (1, "bad")
    assert "every call is denied" in what


def test_doctor_names_each_registration_and_which_wins(project: Project, tmp_path: Path) -> None:
    search = {"PATH": hook_program(tmp_path / "bin")}
    init(project, GLOBAL, "--agent", "claude")
    init(project, SHARED, "--agent", "claude")
    status, what = findings(project.run("doctor", "--json", env=search))["claude-double"]
    assert status == "warn"
    assert "`.claude/settings.json` (shared)" in what
    assert "`~/.claude/settings.json` (global)" in what
    assert "strictest answer wins" in what


def test_doctor_compares_the_committed_command_with_the_installed_version(
    project: Project, tmp_path: Path
) -> None:
    init(project, SHARED, "--agent", "claude")
    settings = project.root / ".claude/settings.json"
    settings.write_text(settings.read_text().replace(f"penstock-{__version__}", "penstock-0.0.9"))
    search = {"PATH": hook_program(tmp_path / "bin")}
    beside = tmp_path / "bin/penstock"
    beside.write_text("#!/bin/sh\necho penstock, version 9.9.9\n")
    beside.chmod(0o755)
    found = findings(project.run("doctor", "--json", env=search))
    assert "0.0.9" in found["claude-command-differs"][1]
    assert "9.9.9" in found["claude-version"][1]


def test_doctor_names_the_interpreter_of_another_checkout(project: Project, tmp_path: Path) -> None:
    init(project, LOCAL, "--agent", "claude")
    other = tmp_path / "other/penstock"
    other.mkdir(parents=True)
    (other / "hook.py").write_text("")
    settings = project.root / ".claude/settings.local.json"
    from penstock.doors.setup.scopes import hook_command

    launcher = hook_command("claude").split()[3]
    settings.write_text(settings.read_text().replace(launcher, str(other / "hook.py")))
    status, what = findings(project.run("doctor", "--json"))["claude-installation"]
    assert status == "warn"
    assert str(other) in what
