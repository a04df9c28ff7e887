"""Rules about the programs that a command starts, and what is taken out of them."""

from __future__ import annotations

import pytest

from penstock.core.model import Action, Request
from penstock.core.policy.decide import decide
from penstock.core.rules.load import load, parse_policy
from penstock.core.tools.intents import intents

PUSH = '[[deny]]\nid = "x"\n{}\n'
BY_COMMAND = PUSH.format("command_regex = '^git push .*--force'")
BY_PROGRAM = PUSH.format("program_regex = '^git push .*--force'")
SANDBOX = "[[except]]\nrule = \"x\"\ncommand_regex = '^git push --force origin sandbox$'\n"


def judged(text: str, command: str, tool: str = "Bash") -> str:
    given = {"command": command}
    intent = next(iter(intents(tool, given, cwd="/work")))
    request = Request(
        action=Action.RUN,
        tool=tool,
        tool_input=given,
        leaves=intent.leaves,
        programs=intent.programs,
    )
    return str(decide(request, parse_policy(text), now=0.0).verdict)


FORCED = [
    "git push --force",
    "git push origin main --force",
    "sudo git push --force",
    "/usr/bin/git  push  --force",
    "g=git; $g push --force",
    "xargs git push --force < a",
    "cd x; A=1 git push --force",
    "ssh host 'git push --force'",
]


@pytest.mark.parametrize("command", FORCED)
@pytest.mark.parametrize("text", [BY_COMMAND, BY_PROGRAM])
@pytest.mark.parametrize("tool", ["Bash", "run_shell_command"])
def test_a_strict_rule_hears_what_a_command_starts(text: str, command: str, tool: str) -> None:
    assert judged(text, command, tool) == "deny"


FREE = ["git push", "echo git push --force", "git commit -m 'git push --force'"]


@pytest.mark.parametrize("command", FREE)
@pytest.mark.parametrize("text", [BY_COMMAND, BY_PROGRAM])
def test_words_of_other_programs_do_not_count(text: str, command: str) -> None:
    assert judged(text, command) == "allow"


def test_a_rule_about_programs_never_reaches_into_the_next_command() -> None:
    command = "git push && git fetch --force"
    assert judged(BY_PROGRAM, command) == "allow"
    assert judged(BY_COMMAND, command) == "deny", "this one looks at the line, too"


def test_an_exclusion_is_about_the_one_program() -> None:
    text = BY_PROGRAM + "program_exclude_regex = '--dry-run'\n"
    assert judged(text, "git push --force --dry-run") == "allow"
    assert judged(text, "git push --force --dry-run; git push --force") == "deny"
    assert judged(text, "git push --force; echo --dry-run") == "deny"


OUT = [
    ("git push --force origin sandbox", "allow", "taken out"),
    ("cd x && git push --force origin sandbox", "allow", "beside another"),
    ("sudo git push --force origin sandbox", "allow", "the program is the one that is taken out"),
    ("git push --force origin main", "deny", "another one"),
    ("git push --force origin sandbox; git push --force", "deny", "and another"),
    ("git push --force origin sandbox2", "deny", "a longer one"),
]


@pytest.mark.parametrize(("command", "verdict", "why"), OUT)
@pytest.mark.parametrize("text", [BY_COMMAND, BY_PROGRAM])
def test_an_exception_takes_out_a_command_with_what_it_starts(
    text: str, command: str, verdict: str, why: str
) -> None:
    assert judged(text + SANDBOX, command) == verdict, why


def test_an_exception_may_be_written_as_the_command_was() -> None:
    quoted = '[[except]]\nrule = "x"\ncommand_regex = \'^git push --force "my branch"$\'\n'
    for text in (BY_COMMAND, BY_PROGRAM):
        assert judged(text + quoted, 'git push --force "my branch"') == "allow"


@pytest.mark.parametrize("table", ["allow", "safe"])
def test_what_grants_looks_at_the_command_as_it_is(table: str) -> None:
    text = f"[[{table}]]\nprogram_regex = '^git'\n"
    (problem,) = load("penstock.toml", {"penstock.toml": text.encode()}.get).problems
    assert "`program_regex` grants nothing" in problem.message
    assert problem.line == 2


def test_an_allowing_rule_does_not_hear_what_is_started() -> None:
    text = "[defaults]\nrun = \"ask\"\n[[allow]]\ncommand_regex = '^git push'\n"
    assert judged(text, "git push") == "allow"
    assert judged(text, "sudo git push") == "ask"
