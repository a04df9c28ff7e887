"""`penstock judge --git` and `--staged`: commits of real repositories, judged by earlier rules."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import REPOSITORY
from tests.project import Project
from tests.schemas import sarif_faults

LONG = "".join(f"line {at}\n" for at in range(300))
RULES = 'version = 1\npreset = "guard"\n'
NO_MIGRATIONS = (
    RULES + '[[deny]]\nid = "migrations"\npaths = ["db/**"]\nreason = "{path} is done"\n'
)


class Repository:
    """A project with commits: `main` has the rules and some files, `work` comes from it."""

    def __init__(self, project: Project) -> None:
        self.project = project
        shutil.rmtree(project.root / ".git")
        self.git("init", "-q", "-b", "main")
        for name, value in (("user.name", "dev"), ("user.email", "dev@example.com")):
            self.git("config", name, value)
        self.commit({"src/app.py": LONG, "package-lock.json": "{}\n", "penstock.toml": RULES})
        self.git("checkout", "-q", "-b", "work")

    def git(self, *words: str, **more: Any) -> str:
        plain = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        variables = {**self.project.environ, **plain, **more.pop("env", {})}
        done = subprocess.run(
            ["git", "-C", str(self.project.root), *words],
            env=variables, capture_output=True, text=True, check=more.pop("check", True),
        )  # fmt: skip
        return done.stdout.strip() if done.returncode == 0 else f"{done.returncode}: {done.stderr}"

    def stage(self, files: dict[str, str | None]) -> None:
        for path, text in files.items():
            if text is None:
                self.git("rm", "-q", "-f", path)
            else:
                self.project.write(path, text)
                self.git("add", "-f", path)

    def commit(self, files: dict[str, str | None]) -> str:
        self.stage(files)
        self.git("commit", "-q", "--no-verify", "-m", "change")
        return self.git("rev-parse", "HEAD")

    def judge(self, *words: str) -> Any:
        return self.project.run("judge", *(words or ("--git", "main..work")))

    def findings(self, *words: str) -> dict[str, str]:
        document = self.judge(*(words or ("--git", "main..work")), "--json").json
        return {one["path"]: one["verdict"] for one in document["findings"]}


@pytest.fixture
def repository(project: Project) -> Repository:
    return Repository(project)


def test_an_everyday_branch_passes_with_exit_0(repository: Repository) -> None:
    changed = LONG.replace("line 7\n", "seven\n")
    repository.commit({"src/app.py": changed, "package-lock.json": '{"a": 1}\n', "README.md": "x"})
    done = repository.judge()
    assert (done.code, done.out.splitlines()[-1][:16]) == (0, "3 files checked "), done.err
    assert "all allowed" in done.out


@pytest.mark.parametrize(
    ("files", "verdict", "code"),
    [
        ({".env": "KEY=1\n"}, "deny", 2),
        ({"src/app.py": "stub\n"}, "ask", 3),
        ({"penstock.toml": RULES + "# more\n"}, "ask", 3),
        ({".claude/settings.json": "{}\n"}, "ask", 3),
        ({"deploy/id_rsa": "key\n"}, "deny", 2),
        ({"src/app.py": None}, "allow", 0),  # git has it
    ],
)
def test_a_file_is_judged_by_its_name_and_its_change(
    repository: Repository, files: dict[str, str | None], verdict: str, code: int
) -> None:
    repository.commit(files)
    assert repository.judge().code == code
    assert repository.findings() == dict.fromkeys(files, verdict)


def test_the_rules_of_the_base_judge_and_commits_cannot_loosen_them(repository: Repository) -> None:
    repository.git("checkout", "-q", "main")
    repository.commit({"penstock.toml": NO_MIGRATIONS})
    repository.git("checkout", "-q", "work")
    repository.git("merge", "-q", "main")
    repository.commit({"penstock.toml": RULES, "db/one.sql": "drop\n"})
    found = repository.findings()
    assert found == {"db/one.sql": "deny", "penstock.toml": "ask"}


def test_nested_rules_come_from_the_base_too(repository: Repository) -> None:
    nested = 'version = 1\n[[deny]]\nid = "frozen"\npaths = ["*.txt"]\nreason = "frozen"\n'
    repository.commit({"docs/penstock.toml": nested})
    repository.git("branch", "-f", "main", "work")
    repository.commit({"docs/penstock.toml": None, "docs/a.txt": "a", "a.txt": "a"})
    found = repository.findings()
    assert (found["docs/a.txt"], found["a.txt"]) == ("deny", "allow")


def test_what_a_commit_brings_and_the_next_removes_is_in_the_history(
    repository: Repository,
) -> None:
    bad = repository.commit({".env": "KEY=1\n", "src/app.py": "stub\n"})
    repository.commit({".env": None, "src/app.py": LONG})
    done = repository.judge("--git", "main..work", "--json")
    (one,) = done.json["findings"]  # the rewrite was put right again, and nobody cares
    assert (one["path"], one["verdict"], one["commit"]) == (".env", "deny", bad)
    assert done.code == 2
    assert f"only in commit {bad[:12]}" in repository.judge().out


def test_commits_of_the_base_that_came_later_are_not_the_branchs(repository: Repository) -> None:
    repository.commit({"README.md": "x"})
    repository.git("checkout", "-q", "main")
    repository.commit({"src/app.py": "stub\n"})
    assert repository.findings("--git", "main..work") == {"README.md": "allow"}
    repository.git("checkout", "-q", "work")
    repository.git("merge", "-q", "main")
    assert repository.findings("--git", "main..work") == {"README.md": "allow"}


@pytest.mark.parametrize(
    ("target", "verdict"),
    [("src/app.py", "allow"), ("/etc/passwd", "ask"), ("../other", "ask"), (".env", "deny")],
)
def test_a_link_is_judged_by_where_it_leads(
    repository: Repository, target: str, verdict: str
) -> None:
    (repository.project.root / "link").symlink_to(target)
    repository.git("add", "link")
    repository.git("commit", "-q", "-m", "link")
    assert repository.findings() == {"link": verdict}


def test_names_of_any_bytes_and_hostile_names_are_judged(repository: Repository) -> None:
    for name in (b"n\xff.txt", b"two\nlines", b"-n", b"::error file=x::y", b"%0A"):
        Path(os.fsdecode(bytes(repository.project.root) + b"/" + name)).write_text("x")
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "names")
    assert len(repository.findings()) == 5
    for line in repository.judge("--git", "main", "--format", "github").out.splitlines():
        assert line.startswith(("::error file=", "::warning file=", "::notice file="))


def test_staged_files_are_judged_by_the_rules_of_head(repository: Repository) -> None:
    repository.stage({".env": "KEY=1\n", "README.md": "x"})
    repository.project.write("unstaged.pem", "key")
    assert repository.findings("--staged") == {".env": "deny", "README.md": "allow"}
    assert repository.judge("--staged").code == 2


def test_staged_files_before_the_first_commit(project: Project) -> None:
    shutil.rmtree(project.root / ".git")
    for words in (("init", "-q"), ("add", "-f", ".env")):
        project.write(".env", "KEY=1\n")
        subprocess.run(["git", "-C", str(project.root), *words], check=True)
    assert project.run("judge", "--staged").code == 2


@pytest.mark.parametrize("words", [("-a",), (".env",), ()])
def test_a_git_hook_sees_the_index_of_its_commit(
    repository: Repository, words: tuple[str, ...]
) -> None:
    """`git commit -a` and `git commit FILE` make an index of their own for the hook."""
    repository.commit({".env": "KEY=1\n"})
    hook = repository.project.root / ".git/hooks/pre-commit"
    hook.write_text(f"#!/bin/sh\nexec {sys.executable} -m penstock.cli judge --staged\n")
    hook.chmod(0o755)
    repository.project.write(".env", "KEY=2\n")
    if not words:
        repository.git("add", ".env")
    said = repository.git("commit", "-q", "-m", "x", *words, check=False)
    assert said.startswith("1: "), said
    repository.git("checkout", "-q", "HEAD", "--", ".env")
    repository.stage({"README.md": "x"})
    assert repository.git("commit", "-q", "-m", "x") == ""


def test_broken_rules_at_the_base_are_said_and_the_preset_judges(repository: Repository) -> None:
    repository.commit({"penstock.toml": "version = \n"})
    repository.stage({"penstock.toml": RULES, ".env": "KEY=1\n"})
    done = repository.judge("--staged")
    assert done.code == 2
    assert done.out.startswith("warning the rules are broken")
    assert repository.judge("--staged", "--json").json["degraded"]


def test_rules_that_are_a_link_at_the_base_are_an_error(repository: Repository) -> None:
    repository.git("rm", "-q", "-f", "penstock.toml")
    (repository.project.root / "penstock.toml").symlink_to("rules.toml")
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "link")
    done = repository.judge("--staged", "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "rules-unreadable")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--git", "nope..HEAD"), 1, "there is no commit `nope`"),
        (("--git", f"{'0' * 40}..HEAD"), 1, "the branch is new"),
        (("--git", "..HEAD"), 1, "not a range of commits"),
        (("--git", "main..work..x"), 1, "not a range of commits"),
        (("--git", "--upload-pack=x"), 1, "there is no commit"),
        (("--git", "main", "--staged"), 64, "exclude each other"),
        (("--git", "main", "--", "ls"), 64, "the files come from git"),
        (("--format", "sarif", "--", "ls"), 64, "belong to `--git`"),
    ],
)
def test_mistakes_are_explained(
    repository: Repository, words: tuple[str, ...], code: int, said: str
) -> None:
    done = repository.judge(*words)
    assert done.code == code
    assert said in done.err


def test_a_directory_without_a_repository(project: Project) -> None:
    shutil.rmtree(project.root / ".git")
    done = project.run("judge", "--staged", "--workspace", str(project.root))
    assert (done.code, "not in a git repository" in done.err) == (1, True)


def test_a_project_below_the_top_of_its_repository(repository: Repository) -> None:
    below = repository.project.root / "apps/shop"
    repository.commit({"apps/shop/penstock.toml": NO_MIGRATIONS})
    repository.git("branch", "-f", "main", "work")
    repository.commit({"apps/shop/db/a.sql": "x", "db/b.sql": "x"})
    done = repository.project.run(
        "judge", "--git", "main..work", "--json", "--workspace", str(below)
    )
    assert [one["path"] for one in done.json["findings"]] == ["db/a.sql"]
    assert done.json["outside_project"] == 1
    assert done.code == 2


def test_fail_on_deny_lets_pass_what_needs_approval(repository: Repository) -> None:
    repository.commit({"src/app.py": "stub\n"})
    assert repository.judge("--git", "main..work", "--fail-on", "deny").code == 0
    repository.commit({".env": "KEY=1\n"})
    assert repository.judge("--git", "main..work", "--fail-on", "deny").code == 2


def test_a_file_too_large_to_compare_is_judged_by_its_name(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    from penstock.app.rules.commit_check import check_commits
    from penstock.stores.git import commit_range

    monkeypatch.setattr(commit_range, "LARGEST", 1000)
    repository.commit({"src/app.py": "stub\n", ".env": LONG})
    check = check_commits(str(repository.project.root), "main..work")
    said = {one.path: (str(one.decision.verdict), one.decision.notes) for one in check.findings}
    assert said[".env"][0] == "deny"
    assert said["src/app.py"] == ("allow", ("too large to compare: judged by its name",))


# What SARIF 2.1.0 demands of the parts that are written, nothing else allowed.
TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
LEVEL = {"enum": ["none", "note", "warning", "error"]}


def test_sarif_is_valid_by_the_published_schema_and_names_each_file(repository: Repository) -> None:
    repository.commit({".env": "KEY=1\n", "src/app.py": "stub\n", "größe #1.key": "x"})
    document = repository.judge("--git", "main..work", "--format", "sarif").json
    assert sarif_faults(document) == []
    (run,) = document["runs"]
    rules = [one["id"] for one in run["tool"]["driver"]["rules"]]
    for one in run["results"]:
        assert rules[one["ruleIndex"]] == one["ruleId"]
    places = {
        one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]: one["level"]
        for one in run["results"]
    }
    expected = {".env": "error", "src/app.py": "warning", "gr%C3%B6%C3%9Fe%20%231.key": "error"}
    assert places == expected


# --- the files that run it elsewhere -------------------------------------------------------------


def programs(tmp_path: Path) -> str:
    """Return a PATH on which `penstock` is this checkout's."""
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "penstock"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m penstock.cli "$@"\n')
    command.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def test_the_steps_of_the_github_action(repository: Repository, tmp_path: Path) -> None:
    action = yaml.safe_load((REPOSITORY / "action.yml").read_text())
    (step,) = action["runs"]["steps"]
    assert set(step["env"]) == {"BASE", "FAIL_ON", "SARIF", "BEFORE", "DEFAULT_BRANCH"}
    repository.git("update-ref", "refs/remotes/origin/main", "main")
    before = repository.commit({"src/app.py": "stub\n"})
    variables = {
        **repository.project.environ,
        "PATH": programs(tmp_path),
        "GITHUB_ACTION_PATH": str(REPOSITORY),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "SARIF": str(tmp_path / "result.sarif"),
        "GITHUB_BASE_REF": "main",
        "RUNNER_TEMP": str(tmp_path),
    }

    def run(**more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-c", step["run"]], cwd=repository.project.root, env={**variables, **more},
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    done = run()
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("::warning file=src/app.py")
    assert "needs approval src/app.py" in (tmp_path / "summary.md").read_text()
    assert sarif_faults(json.loads((tmp_path / "result.sarif").read_text())) == []
    assert run(FAIL_ON="ask").returncode == 3
    repository.commit({".env": "KEY=1\n"})
    assert run().returncode == 2
    pushed = {"GITHUB_BASE_REF": "", "BEFORE": before}
    assert "app.py" not in run(**pushed).stdout  # it was pushed before
    assert "app.py" in run(**{**pushed, "BEFORE": "0" * 40}).stdout


def test_the_script_of_the_gitlab_template(repository: Repository, tmp_path: Path) -> None:
    job = yaml.safe_load((REPOSITORY / "ci/gitlab.yml").read_text())["penstock"]
    base = repository.git("rev-parse", "main")
    repository.commit({".env": "KEY=1\n"})
    variables = {
        **repository.project.environ,
        **job["variables"],
        "PATH": programs(tmp_path),
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": base,
    }
    done = subprocess.run(
        ["bash", "-ec", "\n".join(job["script"])], cwd=repository.project.root, env=variables,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout[:11]) == (2, "denied .env"), done.stderr


def test_the_pre_commit_hook_by_the_real_pre_commit(repository: Repository, tmp_path: Path) -> None:
    """Installed as pre-commit would, except that its environment is this one."""
    (hook,) = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text())
    local = {**hook, "language": "system"}
    config = {"repos": [{"repo": "local", "hooks": [local]}]}
    repository.commit({".pre-commit-config.yaml": yaml.safe_dump(config)})
    variables = {"PATH": programs(tmp_path), "PRE_COMMIT_HOME": str(tmp_path / "cache")}
    subprocess.run(
        [sys.executable, "-m", "pre_commit", "install"], cwd=repository.project.root,
        env={**repository.project.environ, **variables}, check=True, capture_output=True,
    )  # fmt: skip
    repository.stage({"README.md": "x"})
    assert repository.git("commit", "-q", "-m", "fine", env=variables) == ""
    repository.stage({".env": "KEY=1\n"})
    said = repository.git("commit", "-m", "no", env=variables, check=False)
    assert said.startswith("1: "), said
    assert "Protected path: .env" in said
