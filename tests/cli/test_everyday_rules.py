"""`rules add`, `why`, `log` and `allow`: at a real terminal, through the real hook."""

from __future__ import annotations

import json
import shlex

import pytest

from tests.doors.hook.hooks import Hook, said
from tests.project import Project
from tests.terminal import in_terminal

RULES = """version = 1
[defaults]
unclear = "ask"

[[deny]]
id = "no-env"
paths = ["**/.env*"]
actions = ["read", "write"]
reason = "{path} holds secrets"

[[ask]]
id = "no-publish"
tool = "Bash"
command_regex = "^npm publish"

[[ask]]
id = "substantial"
substantial = true
"""
PATCH = "*** Begin Patch\n*** Add File: a/.env\n+a\n*** Add File: b/.env\n+a\n*** End Patch"
BIG = "".join(f"line {n}\n" for n in range(300))


@pytest.fixture
def ours(project: Project) -> Project:
    project.write("penstock.toml", RULES)
    return project


def by_person(project: Project, line: str) -> None:
    """Run a printed command as a person does, at a terminal."""
    words = shlex.split(line)
    while words:
        end = words.index("&&") if "&&" in words else len(words)
        one, words = words[:end], words[end + 1 :]
        assert one[0] == "penstock"
        seen = in_terminal(project, *one[1:], "--no-commit", "--yes")
        assert seen.code == 0, seen.text


# --- rules add -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "warned"),
    [
        ("src/app.py", True),
        (".env.ci", False),
        ("deep/.ENV", False),
        ("src/*", False),
        ("@lists", False),
    ],
)
def test_an_exception_for_a_file_that_the_rule_does_not_match_is_warned_about(
    ours: Project, path: str, warned: bool
) -> None:
    done = ours.run("rules", "add", "--except", "no-env", "--path", path, "--dry-run")
    said = f"warning: rule `no-env` does not match `{path}`; the exception has no effect"
    assert (said in done.err) is warned, done.err
    assert ("warning: rule" in done.err) is warned


def test_the_diff_and_the_effect_come_first_and_a_dry_run_writes_nothing(ours: Project) -> None:
    hook = Hook(ours)
    assert said(hook.before("Bash", {"command": "npm publish"}))["permissionDecision"] == "deny"
    argv = ("rules", "add", "--except", "no-publish", "--command", "npm publish", "--dry-run")
    done = ours.run(*argv)
    assert done.code == 0, done.err
    assert '+rule = "no-publish"' in done.out
    assert "1 of 1 past decisions would change" in done.out
    document = ours.run(*argv, "--json").json
    assert document["dry_run"] is True
    assert document["effect"]["would_flip"] == 1
    assert document["widens"]
    assert (ours.root / "penstock.toml").read_text() == RULES


def test_a_person_adds_a_rule_with_an_owner_and_an_end(ours: Project) -> None:
    seen = in_terminal(
        ours, "rules", "add", "--except", "no-env", "--path", ".env.ci", "--reason", "no secret",
        "--expires", "7d", "--owner", "build team", "--no-commit",
        typed=[("make this change?", "y\n")],
    )  # fmt: skip
    assert seen.code == 0, seen.text
    text = (ours.root / "penstock.toml").read_text()
    assert text.startswith(RULES)
    assert 'owner = "build team"' in text
    assert ours.judge("Write", {"file_path": ".env.ci", "content": "x"}).code == 0
    assert ours.judge("Write", {"file_path": ".env", "content": "x"}).code == 2
    ending = ours.run("status", "--json").json["ending"]
    assert [one["owner"] for one in ending] == ["build team"]


def test_tightening_needs_no_person_and_is_recorded(ours: Project) -> None:
    argv = ("rules", "add", "--deny", "--path", "release/**", "--no-commit")
    refused = ours.run(*argv)
    assert refused.code == 1
    assert "--yes" in refused.err
    done = ours.run(*argv, "--yes", "--json")
    assert done.code == 0, done.err
    assert done.json["success"] is True
    assert ours.judge("Write", {"file_path": "release/1", "content": "x"}).code == 2
    assert "rules" in json.dumps(ours.run("audit", "log", "--json").json)


@pytest.mark.parametrize(
    "argv",
    [
        ("--allow", "--command", "rm -rf /"),
        ("--except", "no-env", "--path", "**"),
        ("--allow", "--path", "**", "--user"),
    ],
)
def test_only_a_person_widens(ours: Project, argv: tuple[str, ...]) -> None:
    """Without a terminal, and inside an agent, whatever is typed there."""
    user = ours.home / "config/penstock/penstock.toml"
    user.parent.mkdir(parents=True)
    user.write_text("version = 1\n")
    assert ours.run("rules", "add", *argv, "--yes").code == 1
    agent = {"CLAUDECODE": "1", "DECISION_REVIEWER_ALLOW_WRITES": "1"}
    seen = in_terminal(ours, "rules", "add", *argv, "--yes", env=agent)
    assert seen.code == 2
    assert "agent" in seen.text
    assert (ours.root / "penstock.toml").read_text() == RULES
    assert user.read_text() == "version = 1\n"


WRONG = [
    (("--allow",), 64),
    (("--allow", "--deny", "--path", "x", "--command", "y"), 64),
    (("--path", "x"), 64),
    (("--allow", "--except", "no-env", "--path", "x"), 64),
    (("--except", "no-enf", "--path", "x", "--dry-run"), 1),
    (("--except", "penstock-self", "--path", "penstock.toml", "--dry-run"), 1),
    (("--deny", "--regex", "(", "--dry-run"), 1),
    (("--deny", "--path", "x", "--expires", "soon"), 64),
    (("--deny", "--path", "x", "--expires", "2001-01-01"), 64),
]


@pytest.mark.parametrize(("argv", "code"), WRONG)
def test_what_cannot_be_added_says_why(ours: Project, argv: tuple[str, ...], code: int) -> None:
    done = ours.run("rules", "add", *argv, "--json")
    assert done.code == code
    assert done.json["error"]["message"]
    assert (ours.root / "penstock.toml").read_text() == RULES


# --- why -------------------------------------------------------------------------------------

STOPPED = [
    ("Write", {"file_path": ".env", "content": "x"}, "--except no-env --path .env"),
    ("Bash", {"command": "npm publish --tag next"}, "--except no-publish --command"),
    ("Bash", {"command": 'tee "$OUT"'}, "--allow --command"),
    ("Bash", {"command": "npm publish && rm .env"}, "--except no-env --path .env"),
    ("Bash", {"command": 'npm pack | tee "$OUT"'}, "--allow --command"),
    ("Write", {"file_path": "big.py", "content": "x"}, "--except substantial --path big.py"),
    ("Bash", {"command": "rm .env\nrm .env.local"}, "--except no-env --path .env.local"),
    ("Write", {"file_path": "sub/a.txt", "content": "x"}, "--except here --path a.txt --workspace"),
    ("apply_patch", {"command": PATCH}, "--except no-env --path b/.env"),
]


@pytest.mark.parametrize(("tool", "given", "way"), STOPPED)
def test_the_printed_command_really_changes_the_answer(
    ours: Project, tool: str, given: dict[str, object], way: str
) -> None:
    ours.write("big.py", BIG)
    ours.write("sub/penstock.toml", 'version = 1\n[[ask]]\nid = "here"\npaths = ["*"]\n')
    hook = Hook(ours)
    full = (
        {**given, "file_path": hook.at(str(given["file_path"]))} if "file_path" in given else given
    )
    assert said(hook.before(tool, full))["permissionDecision"] == "deny"
    assert ours.judge(tool, given).code in (2, 3)
    (one,) = ours.run("why", "--json").json["decisions"]
    assert way in one["change"]
    assert one["change"] in ours.run("why").out
    by_person(ours, one["change"])
    assert ours.judge(tool, given).code == 0
    assert said(hook.before(tool, full)).get("permissionDecision") != "deny"


def test_why_names_the_rule_with_its_line_and_its_sentence(ours: Project) -> None:
    hook = Hook(ours)
    hook.write(".env", "x", call="toolu_first")
    hook.write("app/.env", "x", call="toolu_second")
    told = ours.run("why").out
    assert "penstock.toml:5" in told
    assert "holds secrets" in told
    assert told.index("app/.env") > told.index("Write .env")
    assert [one["path"] for one in ours.run("why", "toolu_first", "--json").json["decisions"]] == [
        ".env"
    ]
    assert len(ours.run("why", "--last", "1", "--json").json["decisions"]) == 1
    missing = ours.run("why", "nothing")
    assert missing.code == 1


def test_nothing_is_offered_against_what_penstock_protects(ours: Project) -> None:
    Hook(ours).write("penstock.toml", "version = 1\n")
    (one,) = ours.run("why", "--json").json["decisions"]
    assert one["change"] is None
    assert "no rule can allow this" in ours.run("why").out


def test_what_the_log_does_not_hold_in_full_is_said_to_be_so(ours: Project) -> None:
    Hook(ours).before("Bash", {"command": "true\nnpm publish"})
    (one,) = ours.run("why", "--json").json["decisions"]
    assert (one["change"], one["now"]) == (None, None)
    assert "has only part of this command" in ours.run("why").out


def test_a_change_that_waits_is_called_one(ours: Project) -> None:
    ours.write("big.py", BIG)
    Hook(ours).write("big.py", "x")
    told = ours.run("why").out
    assert "needed approval: change of big.py (claude)" in told
    assert "{" not in told


def test_a_rule_that_is_not_added_leaves_no_rules_file_behind(project: Project) -> None:
    argv = ("rules", "add", "--except", "env-files", "--path", ".env.ci")
    assert project.run(*argv, "--yes").code == 1
    assert not (project.root / "penstock.toml").exists()
    seen = in_terminal(project, *argv, "--no-commit", typed=[("make this change?", "n\n")])
    assert seen.code != 0
    assert not (project.root / "penstock.toml").exists()
    assert in_terminal(project, *argv, "--no-commit", "--yes").code == 0
    assert project.judge("Write", {"file_path": ".env.ci", "content": "x"}).code == 3


# --- log -------------------------------------------------------------------------------------


def test_the_log_is_for_people_the_newest_last(ours: Project) -> None:
    hook = Hook(ours)
    hook.write(".env", "x")
    hook.write("notes.txt", "x")
    lines = ours.run("log").out.splitlines()
    assert "denied" in lines[0]
    assert "[no-env]" in lines[0]
    assert "allowed" in lines[1]
    assert len(ours.run("log", "--last", "1").out.splitlines()) == 1
    assert [e["path"] for e in ours.run("log", "--path", ".env", "--json").json["events"]] == [
        ".env"
    ]
    assert ours.run("log", "--since", "1h", "--json").json["events"]
    assert "no entries" in ours.run("log", "--path", "zzz").err


# --- allow -----------------------------------------------------------------------------------

GRANTS = [
    (("--command", "npm publish"), "Bash", {"command": "npm publish --tag next"}),
    (("--command", 'tee "$OUT"'), "Bash", {"command": 'tee "$OUT"'}),
    (("--path", ".env.ci"), "Write", {"file_path": ".env.ci", "content": "x"}),
    (("--path", "*.py"), "Write", {"file_path": "big.py", "content": "x"}),
]


@pytest.mark.parametrize(("what", "tool", "given"), GRANTS)
def test_a_grant_holds_for_a_while_is_listed_and_can_be_ended(
    ours: Project, what: tuple[str, str], tool: str, given: dict[str, object]
) -> None:
    ours.write("big.py", BIG)
    assert ours.judge(tool, given).code in (2, 3)
    seen = in_terminal(ours, "allow", "--for", "1h", *what, "--yes")
    assert seen.code == 0, seen.text
    assert ours.judge(tool, given).code == 0
    grants = ours.run("allow", "--list", "--json").json["grants"]
    assert grants
    assert {one["id"] for one in ours.run("status", "--json").json["ending"]} == {
        one["id"] for one in grants
    }
    text = (ours.root / "penstock.toml").read_text()
    ours.write("penstock.toml", text.replace(grants[0]["expires_at"][:4], "2001"))
    assert ours.judge(tool, given).code in (2, 3)  # its time is over
    ours.write("penstock.toml", text)
    assert ours.run("allow", "--end", "all").code == 0
    assert ours.judge(tool, given).code in (2, 3)
    assert ours.run("allow", "--list", "--json").json["grants"] == []


def test_no_grant_opens_what_penstock_protects_and_no_agent_grants(ours: Project) -> None:
    seen = in_terminal(ours, "allow", "--for", "1h", "--path", "penstock.toml", "--yes")
    assert seen.code == 1
    assert "not-grantable" in seen.text
    inside = in_terminal(
        ours, "allow", "--for", "1h", "--path", ".env", "--yes", env={"CLAUDECODE": "1"}
    )
    assert inside.code == 2
    assert ours.run("allow", "--for", "1h", "--path", ".env", "--yes").code == 1
    assert (ours.root / "penstock.toml").read_text() == RULES
    assert ours.run("allow", "--for", "1h").code == 64
