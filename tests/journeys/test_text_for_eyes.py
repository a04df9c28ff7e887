"""No text that people read holds a character that they cannot see, whatever a file is called."""

from __future__ import annotations

import json
import re

import pytest

from penstock.cli import COMMANDS as KNOWN
from penstock.core.text.invisible import HiddenKind, class_of
from penstock.gate import Item
from tests.cli.pending import gate_of
from tests.doors.broker.brokers import bench
from tests.doors.hook.hooks import Hook
from tests.doors.mcp.client import Talk, Told, talk
from tests.project import Done, Project

KINDS = (
    HiddenKind.CONTROL,
    HiddenKind.ESCAPE,
    HiddenKind.DIRECTION,
    HiddenKind.MARK,
    HiddenKind.NOTHING,
    HiddenKind.TAG,
    HiddenKind.LINE,
)
HIDDEN = re.compile(f"[{class_of(*KINDS)}]")
# A name may hold all but control characters, a text all of them.
NAME = "na\u202eme\u200b\u2066x\U000e0041.txt"
TEXT = "a\x1b[2J\x1b]0;title\x07\u202eb\u200bc\u2066d\x9bm\x08\u2028e\n"
RULES = """\
version = 1
preset = "guard"
[[ask]]
id = "asks"
paths = ["na*"]
actions = ["write"]
"""


def raw(text: str) -> list[str]:
    """Return the hidden characters of a text, with a little around each."""
    return [repr(text[max(0, m.start() - 30) : m.end() + 10]) for m in HIDDEN.finditer(text)]


@pytest.fixture
def hostile(project: Project) -> Project:
    """A project with a pending change of a hostile name and content, one applied, one denied."""
    project.write("penstock.toml", RULES)
    project.write(NAME, "before " + TEXT)
    project.write(f"deep/{NAME}", TEXT)
    with gate_of(project) as gate:
        gate.propose([Item(path=NAME, content=TEXT.encode())])
        gate.propose([Item(path=f"name2{NAME}", content=TEXT.encode())])
    hook = Hook(project)
    hook.write(f".env{NAME}", TEXT)
    hook.write(NAME, TEXT, "toolu_1")
    hook.before("Bash", {"command": f"echo '{TEXT}' > '.env{NAME}'"})
    return project


COMMANDS: tuple[tuple[str, ...], ...] = (
    ("status",),
    ("status", "--json"),
    ("proposals",),
    ("proposals", "--json"),
    ("show", "ID"),
    ("show", "ID", "--json"),
    ("show", NAME),
    ("check",),
    ("check", NAME),
    ("doctor",),
    ("audit", "log"),
    ("audit", "log", "--json"),
    ("audit", "verify"),
    ("audit", "export"),
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
    ("review", NAME),
    (NAME,),
    ("status", f"--{NAME}"),
    ("status", "--workspace", f"/nowhere/{NAME}"),
)
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
        found = raw(done.out) + raw(done.err)
        assert "Traceback" not in done.err, done.err
        if found:
            wrong[ascii(" ".join(words))] = found[:3]
    assert wrong == {}


CALLS = [
    ("Write", {"file_path": f".env{NAME}", "content": TEXT}),
    ("Write", {"file_path": NAME, "content": TEXT}),
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
            await to.call("read_file", path=f"gone{NAME}"),
            await to.call("list_directory", path="."),
            await to.call("search_files", pattern="na*"),
            await to.call("proposal_status"),
        ]

    wrong = [raw(one.text)[:2] for one in talk(hostile, play)]
    assert [one for one in wrong if one] == []
