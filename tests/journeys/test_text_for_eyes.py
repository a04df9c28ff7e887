"""No text that people read holds a character that they cannot see, whatever a file is called."""

from __future__ import annotations

import json

import pytest

from penstock.cli import COMMANDS as KNOWN
from penstock.core.model import Actor
from penstock.gate import Item
from tests.cli.pending import gate_of
from tests.doors.broker.brokers import bench
from tests.doors.hook.hooks import Hook
from tests.doors.mcp.client import Talk, Told, talk
from tests.journeys.hostile_text import AGENT, NAME, RULES, TEXT, raw
from tests.project import Done, Project


@pytest.fixture
def hostile(project: Project) -> Project:
    """A project with a pending change of a hostile name and content, one applied, one denied."""
    project.write("penstock.toml", RULES)
    project.write(NAME, "before " + TEXT)
    project.write(f"deep/{NAME}", TEXT)
    with gate_of(project) as gate:
        actor = Actor(agent=AGENT, session=AGENT, tool_call_id=AGENT)
        gate.propose([Item(path=NAME, content=TEXT.encode())], actor=actor)
        gate.propose([Item(path=f"name2{NAME}", content=TEXT.encode())])
    hook = Hook(project)
    hook.write(f".env{NAME}", TEXT)
    hook.write(NAME, TEXT, "toolu_1")
    hook.before("Bash", {"command": f"echo '{TEXT}' > '.env{NAME}'"})
    return project


COMMANDS: tuple[tuple[str, ...], ...] = (
    ("help", NAME),
    ("version",),
    ("version", NAME),
    ("status",),
    ("status", "--verbose"),
    ("status", "--json"),
    ("proposals",),
    ("proposals", "--json"),
    ("show", "ID"),
    ("show", "ID", "--json"),
    ("show", NAME),
    ("check",),
    ("check", NAME),
    ("doctor",),
    ("projects",),
    ("log",),
    ("log", "--json"),
    ("report",),
    ("report", "--json"),
    ("why", "--last", "20"),
    ("why", "--last", "20", "--json"),
    ("why", NAME),
    ("allow", "--list"),
    ("audit", "log"),
    ("audit", "log", "--json"),
    ("audit", "verify"),
    ("audit", "export"),
    ("audit", "export", "--format", "cef"),
    ("audit", "export", "--format", "ocsf"),
    ("audit", "export", "--format", "syslog"),
    ("ship", "--status"),
    ("bundle", "show", NAME),
    ("bundle", "verify", NAME, "--key", NAME),
    ("bundle", "build", NAME),
    ("ship", "--once", "--sink", NAME),
    ("ship", "--once", "--sink", f"file:/nowhere/{NAME}"),
    ("ship", "--once", "--sink", f"https://{NAME}/"),
    ("watch", "--once", "--no-bell"),
    ("watch", "--once", "--json"),
    ("rules", "query", json.dumps({"type": NAME})),
    ("rules", "query", json.dumps({"type": "rule"})),
    ("rules", "test", "--rule-id", NAME, "--input", "{}"),
    ("rules", "apply", "--json", json.dumps({"type": NAME})),
    ("rules", "suggest"),
    ("rules", NAME),
    ("renew", "ID"),
    ("renew", NAME),
    ("rebase", "ID"),
    ("rebase", NAME),
    ("apply", "ID"),
    ("apply", NAME),
    ("approve", "ID"),
    ("approve", NAME),
    ("edit", NAME),
    ("undo", "--path", NAME),
    ("undo", NAME),
    ("approver", NAME),
    ("sandbox", NAME),
    ("notify", NAME),
    ("init", NAME),
    ("uninstall", NAME),
    ("judge", "--tool", "Write", "--input", json.dumps({"file_path": NAME, "content": TEXT})),
    ("judge", "--tool", "Bash", "--input", json.dumps({"command": f"rm '.env{NAME}' {TEXT}"})),
    ("judge", "--tool", f"mcp__x__{NAME}", "--input", json.dumps({"saveTo": f".env{NAME}"})),
    ("judge", "--tool", "Read", "--input", json.dumps({"file_path": f"../{NAME}"})),
    ("judge", "--tool", "Write", "--input", f"{{{TEXT}"),
    ("reject", "ID", "--reason", TEXT.replace("\0", "")),
    ("reject", NAME),
    ("hook", NAME),
    ("broker", NAME),
    ("mcp", NAME),
    ("serve", NAME),
    ("open", NAME),
    ("demo", NAME),
    ("completion", NAME),
    ("watch", NAME),
    ("run", "--", NAME),
    ("run", "--", "sh", "-c", f"echo '{TEXT}' > '.env{NAME}'"),
    ("runs",),
    ("runs", "--json"),
    ("runs", "diff"),
    ("runs", "drop", NAME),
    ("review", NAME),
    (NAME,),
    ("status", f"--{NAME}"),
    ("status", "--workspace", f"/nowhere/{NAME}"),
)
BOM = "] \ufeff"  # RFC 5424 wants it before a message in UTF-8
# It starts an agent and asks at a terminal; what it prints goes through the same functions.
APART = frozenset({"broker-cli"})


def test_every_command_is_tried() -> None:
    assert {words[0] for words in COMMANDS} >= set(KNOWN) - APART


def test_no_command_prints_what_nobody_sees(hostile: Project) -> None:
    with gate_of(hostile) as gate:
        known = gate.find()[0].id
    wrong: dict[str, list[str]] = {}
    for words in COMMANDS:
        done: Done = hostile.run(*(known if word == "ID" else word for word in words))
        found = raw(done.out.replace(BOM, "")) + raw(done.err)
        assert "Traceback" not in done.err, done.err
        if found:
            wrong[ascii(" ".join(words))] = found[:3]
    assert wrong == {}


CALLS = [
    ("Write", {"file_path": f".env{NAME}", "content": TEXT}),
    ("Write", {"file_path": NAME, "content": TEXT}),
    ("Write", {"file_path": "denied.txt", "content": TEXT}),
    ("Write", {"file_path": "warned.txt", "content": TEXT}),
    ("Read", {"file_path": f"secrets/{NAME}"}),
    ("Bash", {"command": f"echo > '.env{NAME}'"}),
    ("Bash", {"command": f"eval \"$(cat '{NAME}')\" {TEXT}"}),
    (f"mcp__x__{NAME}", {"saveTo": f".env{NAME}"}),
    ("mcp__x__y", {"path": f"a\x07{NAME}"}),
]


@pytest.mark.parametrize(("tool", "given"), CALLS, ids=lambda v: ascii(v)[:40])
def test_a_hook_says_nothing_hidden(hostile: Project, tool: str, given: dict[str, str]) -> None:
    done = Hook(hostile, attended=True).before(tool, given)
    said = json.dumps(json.loads(done.out or "{}"), ensure_ascii=False)
    assert raw(said) + raw(done.err) == []


def test_the_broker_shows_nothing_hidden() -> None:
    with bench() as here:
        here.write(f"src/{NAME}", "before\n")
        found = [
            here.ask("write_file", path=f"src/{NAME}", content=TEXT.replace("\x9b", "")),
            here.ask("write_file", path=f".env{NAME}", content=TEXT),
            here.ask("read_file", path=f"gone{NAME}"),
            here.ask(f"tool{NAME}", path="a"),
        ]
    hitl = found[0]["details"]["hitl"]
    assert "diff_preview" in hitl
    for one in found:
        details = one["details"]
        shown = [one["output"], details.get("hitl"), details.get("error"), details.get("warnings")]
        assert raw(json.dumps(shown, ensure_ascii=False)) == []


def test_an_mcp_client_reads_nothing_hidden(hostile: Project) -> None:
    async def play(to: Talk) -> list[Told]:
        return [
            await to.call("write_file", path=f".env{NAME}", content=TEXT),
            await to.call("write_file", path=NAME, content=TEXT),
            await to.call("write_file", path="denied.txt", content=TEXT),
            await to.call("write_file", path="warned.txt", content=TEXT),
            await to.call("read_file", path=f"gone{NAME}"),
            await to.call("list_directory", path="."),
            await to.call("search_files", pattern="na*"),
            await to.call("proposal_status"),
        ]

    wrong = [raw(one.text)[:2] for one in talk(hostile, play)]
    assert [one for one in wrong if one] == []
