"""`penstock status`: short for people, every key for programs."""

from __future__ import annotations

import re

import pytest

from tests.cli.pending import one_proposed, state_dir
from tests.cli.quick import Quick
from tests.doors.hook.hooks import Hook
from tests.project import Project

KEYS = {
    *("workspace", "checkout", "policy", "policy_files", "nested_rules", "degraded", "observe"),
    *("waiting", "slipped", "audit_head", "images_bytes", "state_error", "state", "approver_key"),
    *("images_most", "kept_days", "hooks", "approval", "ending", "sinks"),
}
SINCE = r"since \d{4}-\d\d-\d\d"


@pytest.fixture
def quick(project: Project) -> Quick:
    """A project that is protected for Claude Code."""
    made = Quick(project.root, project.home)
    assert made.run("init", "--agent", "claude", "--yes").code == 0
    return made


def test_a_busy_project_is_told_in_a_few_lines(quick: Quick) -> None:
    quick.write("big.py", "".join(f"line {at}\n" for at in range(270)))
    Hook(quick).write(".env", "KEY=1")
    one_proposed(quick, "big.py", b"small\n")
    one_proposed(quick, "other.py", b"new\n")
    lines = quick.run("status").out.splitlines()
    assert re.fullmatch(rf"project · preset guard · hooks: claude ok {SINCE}", lines[0])
    pending = next(line for line in lines if "pending" in line)
    assert re.fullmatch(r"1 pending change \(oldest \d+ s\) +penstock review", pending)
    denied = next(line for line in lines if "denied today" in line)
    assert re.fullmatch(
        r"1 denied today \(last: \.env, (just now|\d+ s ago)\) +penstock why", denied
    )
    assert any(line.startswith("approvals: by anyone at a terminal") for line in lines)
    assert any(re.fullmatch(r"audit log: \d+ entries, verified", line) for line in lines)
    assert lines[-1] == "next: `penstock review`"
    assert len(lines) <= 7


def test_the_document_has_every_key(quick: Quick) -> None:
    found = quick.run("status", "--json").json
    assert set(found) >= KEYS
    (hook,) = found["hooks"]
    assert set(hook) == {"agent", "file", "scope", "ok"}
    assert (hook["agent"], hook["scope"], hook["ok"]) == ("claude", "local", True)
    assert found["preset"] == "guard"
    assert found["audit"]["ok"] is True
    assert (found["waiting"], found["oldest_pending_seconds"]) == (0, None)
    assert (found["denied_today"], found["last_denied"]) == (0, None)


def test_an_edited_log_is_noticed(quick: Quick) -> None:
    one_proposed(quick, "a.py", b"x\n")
    log = state_dir(quick) / "audit.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"a.py"', b'"b.py"'))
    lines = quick.run("status").out.splitlines()
    assert any("VERIFICATION FAILED" in line and "penstock audit verify" in line for line in lines)
    assert lines[-1] == "next: `penstock audit verify`"


def test_agents_that_are_here_without_a_hook_are_named(quick: Quick) -> None:
    (quick.root / ".gemini").mkdir()
    first = quick.run("status").out.splitlines()[0]
    assert first.endswith(", gemini not installed")
    assert quick.run("status", "--json").json["agents_without_hook"] == ["gemini"]


def test_the_details_are_one_option_away(quick: Quick) -> None:
    short, long = quick.run("status").out, quick.run("status", "--verbose").out
    assert long.startswith(short)
    assert ".claude/settings.local.json (local, ok)" in long
    assert "of at most 512 MiB" in long


def test_an_unprotected_project_says_what_to_do(project: Project) -> None:
    lines = Quick(project.root, project.home).run("status").out.splitlines()
    assert lines[0] == "project · preset guard (no penstock.toml) · hooks: none"
    assert lines[-1] == "next: `penstock init`"


PROTECTED = "This project is protected: Claude Code asks Penstock before every tool call"


def test_doctor_ends_in_one_sentence(quick: Quick, project: Project) -> None:
    assert quick.run("doctor").out.splitlines()[-1] == PROTECTED
    assert quick.run("init", "--observe", "--yes").code in (0, 1)
    quick.write("penstock.toml", 'observe = true\nversion = 1\npreset = "guard"\n')
    assert quick.run("doctor").out.splitlines()[-1] == (
        "This project is NOT protected: observe mode only logs; "
        "to block again: `penstock init --enforce`"
    )
    quick.write("penstock.toml", "no toml [")
    last = quick.run("doctor").out.splitlines()[-1]
    assert last.startswith("This project is NOT protected: 1 problem found; to fix it: ")


def test_status_leaves_the_compiled_policy_to_the_hook(quick: Quick) -> None:
    compiled = state_dir(quick) / "hook.policy"
    compiled.unlink()
    assert quick.run("status").code == 0
    assert not compiled.exists()
    Hook(quick).write("a.txt", "x")
    assert compiled.exists()
