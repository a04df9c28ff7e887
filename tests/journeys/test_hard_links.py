"""A protected file has a second name: no door reads or writes it by that one either."""

from __future__ import annotations

import os

import pytest

from penstock import open_gate
from penstock.core.model import Verdict
from penstock.gate import Item
from tests.doors.broker.brokers import bench, code
from tests.doors.hook.hooks import Hook, said
from tests.doors.langgraph.guarded_agent import Guarded
from tests.doors.langgraph.scripted_model import Call
from tests.doors.langgraph.scripted_model import said as messages_of
from tests.doors.mcp.client import Talk, Told, furnished, talk_over_stdio
from tests.project import Project


@pytest.fixture
def linked(project: Project) -> Project:
    """`.env` is also `notes.txt`; `a.txt` is also `b.txt`, and neither is protected."""
    furnished(project)
    os.link(project.root / ".env", project.root / "notes.txt")
    project.write("a.txt", "a\n")
    os.link(project.root / "a.txt", project.root / "b.txt")
    return project


HOOK_CALLS = [
    ("Write", {"file_path": "notes.txt", "content": "x"}),
    ("Edit", {"file_path": "notes.txt", "old_string": "TOKEN", "new_string": "x"}),
    ("Read", {"file_path": "notes.txt"}),
    ("mcp__fs__read_file", {"path": "notes.txt"}),
    ("mcp__x__y", {"saveTo": "notes.txt"}),
    ("Bash", {"command": "echo x > notes.txt"}),
    ("Bash", {"command": "ln .env other.txt"}),
    ("Bash", {"command": "ln -s .env other.txt"}),
    ("Bash", {"command": "ln -s ../.env src/other.txt"}),
    ("Bash", {"command": "cp -l .env other.txt"}),
    ("Bash", {"command": "cp -s .env other.txt"}),
    ("Bash", {"command": "cp -l -t src .env"}),
    ("Bash", {"command": "cp -rl . ../copy"}),
    ("Bash", {"command": "python3 -c \"import os; os.link('.env', 'other.txt')\""}),
]


@pytest.mark.parametrize(("tool", "given"), HOOK_CALLS, ids=[str(row[1]) for row in HOOK_CALLS])
def test_the_hook_refuses_the_other_name(linked: Project, tool: str, given: dict[str, str]) -> None:
    hook = Hook(linked, attended=True)
    hook.write("ordinary.txt", "x")  # leaves the policy compiled, so that the fast path is asked
    paths = {k: hook.at(v) if k == "file_path" else v for k, v in given.items()}
    answer = said(hook.before(tool, paths))
    assert answer["permissionDecision"] in ("ask", "deny")


def test_the_hook_says_whose_name_it_is(linked: Project) -> None:
    reason = said(Hook(linked).write("notes.txt", "x"))["permissionDecisionReason"]
    assert "`notes.txt` is a hard link to `.env`" in reason


HARMLESS = [
    ("Write", {"file_path": "a.txt", "content": "b\n"}),
    ("Read", {"file_path": "b.txt"}),
    ("Bash", {"command": "ln a.txt c.txt"}),
    ("Bash", {"command": "ln -s a.txt c.txt"}),
    ("Bash", {"command": "ln -s ../node_modules/p/index.js lib/index.js"}),
    ("Read", {"file_path": "node_modules/p/index.js"}),
    ("Read", {"file_path": ".venv/lib/p.py"}),
]


@pytest.mark.parametrize(("tool", "given"), HARMLESS, ids=[str(row[1]) for row in HARMLESS])
def test_links_without_a_protected_name_pass(
    linked: Project, tool: str, given: dict[str, str]
) -> None:
    store = linked.home / "store.js"
    store.write_text("x")
    for name in ("node_modules/p/index.js", ".venv/lib/p.py"):
        (linked.root / name).parent.mkdir(parents=True)
        os.link(store, linked.root / name)
    hook = Hook(linked, attended=True)
    paths = {k: hook.at(v) if k == "file_path" else v for k, v in given.items()}
    assert said(hook.before(tool, paths)) == {}


def test_the_broker_refuses_the_other_name() -> None:
    with bench() as here:
        here.write(".env", "K=1\n")
        os.link(here.root / ".env", here.root / "notes.txt")
        assert code(here.ask("read_file", path="notes.txt")) == "path_denied"
        assert code(here.ask("write_file", path="notes.txt", content="x")) == "path_denied"
        assert here.holds(".env") == b"K=1\n"


def test_an_mcp_client_is_refused_the_other_name(linked: Project) -> None:
    async def play(to: Talk) -> list[Told]:
        return [
            await to.call("read_file", path="notes.txt"),
            await to.call("write_file", path="notes.txt", content="x"),
            await to.call("edit_file", path="notes.txt", old_string="TOKEN", new_string="x"),
            await to.call("search_files", query="keep-me"),
        ]

    read, written, edited, found = talk_over_stdio(linked, play)
    assert [one.error for one in (read, written, edited)] == [True, True, True]
    assert all("keep-me" not in one.text for one in (read, written, edited))
    assert "notes.txt" not in found.text
    assert (linked.root / ".env").read_text() == "TOKEN=keep-me\n"


def test_the_library_denies_the_other_name(
    linked: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in linked.environ.items():
        monkeypatch.setenv(name, value)
    gate = open_gate(str(linked.root))
    (made,) = gate.propose([Item(path="notes.txt", content=b"x")])
    assert made.decision.verdict is Verdict.DENY


# What the built-in list protects in a home, and what an agent may do to it.
IN_HOME = [
    (".ssh/id_rsa", "Read"),
    (".aws/credentials", "Read"),
    (".kube/config", "Read"),
    (".netrc", "Read"),
    (".claude/settings.json", "Write"),
    (".claude/hooks/x.sh", "Write"),
    (".codex/config.toml", "Write"),
    (".gemini/settings.json", "Write"),
    (".cursor/hooks.json", "Write"),
    (".config/opencode/plugin/x.js", "Write"),
    (".config/penstock/penstock.toml", "Write"),
]


@pytest.mark.parametrize(("name", "tool"), IN_HOME)
def test_nothing_protected_in_the_home_is_reached_by_a_link(
    linked: Project, name: str, tool: str
) -> None:
    kept = linked.home / name
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text("version = 1\n")
    (linked.root / "build").mkdir()
    os.link(kept, linked.root / "build/k.txt")
    hook = Hook(linked, attended=True)
    answer = said(hook.before(tool, {"file_path": hook.at("build/k.txt"), "content": "x"}))
    assert answer["permissionDecision"] in ("ask", "deny")


def test_a_link_made_one_call_before_by_a_script_is_seen(linked: Project) -> None:
    hook = Hook(linked, attended=True)
    assert said(hook.write("deep/er/new.txt", "x")) == {}
    (linked.root / "deep/er").mkdir(parents=True)
    os.link(linked.root / ".env", linked.root / "deep/er/new.txt")
    assert said(hook.write("deep/er/new.txt", "x"))["permissionDecision"] == "deny"
    os.rename(linked.root / "deep", linked.root / "moved")
    assert said(hook.write("moved/er/new.txt", "x"))["permissionDecision"] == "deny"


def test_a_graphs_tool_is_refused_the_other_name(
    linked: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in linked.environ.items():
        monkeypatch.setenv(name, value)
    calls: list[Call] = [
        ("write_file", {"file_path": "notes.txt", "content": "x"}),
        ("read_file", {"file_path": "notes.txt"}),
    ]
    answers = messages_of(Guarded(linked, calls).start())
    assert [answer.status for answer in answers] == ["error", "error"]
    assert "keep-me" not in "".join(str(answer.content) for answer in answers)
    assert (linked.root / ".env").read_text() == "TOKEN=keep-me\n"


def test_the_command_line_says_the_same(linked: Project) -> None:
    done = linked.judge("Write", {"file_path": "notes.txt", "content": "x"})
    assert done.code == 2
    assert "(`notes.txt` is a hard link to `.env`)" in done.out + done.err
