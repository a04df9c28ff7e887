"""A program inside an agent edits rules with the switch set: only a sure tightening is written.

Each row is a whole new text of a file that is part of the policy in force, handed to the gate by
the library without a proof; each spelling is another path to the same file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.pending import events
from tests.cli.test_doors import run
from tests.doors.reviewer.reviewer_process import SWITCH
from tests.project import Done, Project

MAIN = """version = 1

[defaults]
write = "ask"
run = "ask"

[includes]
files = ["claude-code-permissions-hook.toml"]

[llm_fallback]
enabled = true
endpoint = "http://127.0.0.1:9/v1"
model = "m"

[[deny]]
id = "twice"
tool = "Bash"
command_regex = "^curl "
"""
HOOK = """[audit]
audit_file = "x"

[[allow]]
id = "one"
tool = "Bash"
command_regex = "^ls$"
"""
WIDE = '[[allow]]\nid = "one"\ntool = "Bash"\ncommand_regex = ".*"\n\n'
DENY = '\n[[deny]]\nid = "{}"\ntool = "Bash"\ncommand_regex = "{}"\n'
PROGRAM = """
import json, sys
import penstock
from pathlib import Path
from penstock.app.workspace import rule_history
from penstock.gate.rule_edit import RuleEdit
from penstock.ports import Version

versions = tuple(
    Version(path=path, before=Path(path).read_bytes(), after=text.encode())
    for path, text in json.loads(sys.argv[1]).items()
)
edit = RuleEdit(versions=versions, message="", snapshot="")
penstock.open_gate().edit_rules(edit, history=rule_history())
"""
M, H = "penstock.toml", "claude-code-permissions-hook.toml"

WIDER = [
    ({H: HOOK.replace("[[allow]]", WIDE + "[[allow]]")}, "an id twice, the wider rule first"),
    ({H: HOOK + DENY.format("twice", "^x")}, "an id that another file has: it would not load"),
    ({H: HOOK + DENY.format("broken", "(")}, "a regex that does not compile: it would not load"),
    ({M: MAIN.replace("enabled = true", "enabled = false")}, "the advisor switched off"),
    ({M: MAIN + '[approval]\nrules =\t"switch"\n'}, "the switch brought along"),
    ({M: MAIN + 'approval.rules = "\\u0073witch"\n' + DENY.format("d", "x")}, "and hidden"),
    ({M: MAIN.replace("version", "\\uFEFFversion")}, "a text that is no TOML"),
    (
        {M: MAIN + DENY.format("d", "^x"), H: HOOK.replace("^ls$", "^ls")},
        "one file tightened, another widened",
    ),
]
TIGHTER = [
    ({M: MAIN + DENY.format("d", "^x")}, "one more denial"),
    ({H: HOOK + DENY.format("d", "^x")}, "in the included file, too"),
    ({M: MAIN + "\n# a remark\n"}, "a comment"),
    ({M: MAIN.replace('"ask"', '"deny"')}, "a stricter default"),
]


@pytest.fixture
def ruled(project: Project) -> Project:
    project.write(M, MAIN)
    project.write(H, HOOK)
    assert project.run("check").code == 0
    return project


def edit(project: Project, texts: dict[str, str]) -> Done:
    command = [sys.executable, "-c", PROGRAM, json.dumps(texts)]
    return run(project, command, CLAUDECODE="1", **SWITCH)


def at(project: Project, texts: dict[str, str]) -> dict[str, str]:
    return {str(project.root / name): text for name, text in texts.items()}


def unchanged(project: Project) -> bool:
    return [(project.root / name).read_text() for name in (M, H)] == [MAIN, HOOK]


@pytest.mark.parametrize(("texts", "why"), WIDER, ids=[row[1] for row in WIDER])
def test_what_may_allow_more_is_not_written(
    ruled: Project, texts: dict[str, str], why: str
) -> None:
    done = edit(ruled, at(ruled, texts))
    assert done.code != 0, why
    assert "no-terminal" in done.err, done.err
    assert unchanged(ruled)


@pytest.mark.parametrize(("texts", "why"), TIGHTER, ids=[row[1] for row in TIGHTER])
def test_what_surely_tightens_is_written(ruled: Project, texts: dict[str, str], why: str) -> None:
    done = edit(ruled, at(ruled, texts))
    assert done.code == 0, (why, done.err)
    assert [(ruled.root / name).read_text() for name in texts] == [*texts.values()]
    assert events(ruled, "proposed")[-1]["proof"] == "switch"


SPELLINGS = ["link.toml", "sub/../penstock.toml", "sub/up/penstock.toml", "/proc/self/cwd/" + M]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_another_name_of_the_file_leads_to_the_same_refusal(ruled: Project, spelling: str) -> None:
    (ruled.root / "sub").mkdir()
    (ruled.root / "sub" / "up").symlink_to("..")
    (ruled.root / "link.toml").symlink_to(M)
    wide = MAIN.replace('"ask"', '"allow"')
    assert edit(ruled, {str(Path(ruled.root) / spelling): wide}).code != 0
    rule = {"id": "n", "tool": "Bash", "command_regex": "^npm$"}
    operation = json.dumps({"type": "add_rule", "rule_type": "allow", "rule": rule})
    argv = ["rules", "apply", "--json", operation, "--target-file", spelling, "--yes", "--force"]
    done = ruled.run(*argv, env={**SWITCH, "CLAUDECODE": "1"})
    assert (done.code, done.json["error_type"]) == (1, "inside_agent"), done.out
    assert unchanged(ruled)
