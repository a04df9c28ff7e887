"""The MCP door as a server: roots, the approval page, progress, transports, what is published."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from pydantic import FileUrl

from penstock import app
from penstock.cli import COMMANDS
from penstock.core.distribution import NAME
from penstock.core.errors import InputError
from penstock.doors.mcp.address import host_and_port
from penstock.doors.mcp.tool_call import ToolCall, denied
from penstock.doors.mcp.tool_table import TOOLS
from tests import REPOSITORY
from tests.cli.pending import state_of, surroundings_of
from tests.doors.mcp.client import (
    APP,
    BIG,
    ERAS,
    HANDSHAKE,
    MODERN,
    RULES,
    SMALL,
    Talk,
    Told,
    furnished,
    over_http,
    proven,
    stored,
    talk,
    talk_over_stdio,
    talk_to,
)
from tests.project import Project
from tests.terminal import in_terminal


@pytest.fixture
def shop(project: Project) -> Project:
    return furnished(project)


# Roots


def rooted(*uris: str) -> Any:
    async def roots(ctx: object) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=FileUrl(uri)) for uri in uris])

    return roots


@pytest.mark.parametrize("era", ERAS)
def test_what_lies_outside_the_clients_roots_is_neither_read_nor_written_nor_told(
    shop: Project, era: str
) -> None:
    async def play(to: Talk) -> list[Told]:
        return [
            await to.call("read_file", path="src/app.py"),
            await to.call("read_file", path="big.py"),
            await to.call("write_file", path="docs/new.md", content="x"),
            await to.call("write_file", path="src/new.py", content="x\n"),
            await to.call("list_directory"),
            await to.call("search_files", pattern="*"),
        ]

    roots = rooted((shop.root / "src").as_uri())
    read, other, refused, written, listed, found = talk(
        shop, play, era=era, list_roots_callback=roots
    )
    assert not read.error
    assert (other.code, refused.code) == ("outside-roots", "outside-roots")
    assert written.status == "applied"
    assert [row["name"] for row in listed.data["entries"]] == ["src"]
    assert [one["path"] for one in found.data["matches"]] == ["src/app.py", "src/new.py"]
    assert not (shop.root / "docs").exists()


@pytest.mark.parametrize("era", ERAS)
def test_roots_can_only_narrow_the_workspace(shop: Project, era: str) -> None:
    async def play(to: Talk) -> tuple[Told, Told]:
        outside = await to.call("read_file", path=str(shop.home / "x"))
        return await to.call("read_file", path="big.py"), outside

    (shop.home / "x").write_text("not yours\n")
    read, outside = talk(shop, play, era=era, list_roots_callback=rooted("file:///"))
    assert not read.error
    assert outside.code == "absolute-path"


@pytest.mark.parametrize(
    ("uris", "code"),
    [
        ([], ""),
        (["file:///somewhere/else"], "outside-roots"),
        (["file://host.example/x"], "outside-roots"),
    ],
)
def test_no_roots_set_no_boundary_and_roots_elsewhere_do(
    shop: Project, uris: list[str], code: str
) -> None:
    async def play(to: Talk) -> Told:
        return await to.call("read_file", path="big.py")

    assert talk(shop, play, list_roots_callback=rooted(*uris)).code == code


def test_a_client_that_has_roots_and_does_not_tell_them_gets_nothing_done(shop: Project) -> None:
    async def silent(ctx: object) -> types.ErrorData:
        return types.ErrorData(code=types.INTERNAL_ERROR, message="no")

    async def play(to: Talk) -> Told:
        return await to.call("write_file", path="docs/new.md", content="x")

    told = talk(shop, play, era=HANDSHAKE, list_roots_callback=silent)
    assert (told.status, told.code) == ("denied", "roots-unknown")
    assert not (shop.root / "docs").exists()


# The approval page


def opened(seen: list[types.ElicitRequestURLParams], action: str) -> Any:
    async def answer(ctx: object, asked: types.ElicitRequestURLParams) -> types.ElicitResult:
        seen.append(asked)
        return types.ElicitResult(action=action)  # type: ignore[arg-type]

    return answer


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("action", ["accept", "decline", "cancel"])
def test_opening_the_approval_page_is_offered_and_proves_nothing(
    shop: Project, era: str, action: str
) -> None:
    seen: list[types.ElicitRequestURLParams] = []

    async def play(to: Talk) -> tuple[Told, Told]:
        allowed = await to.call("write_file", path="docs/new.md", content="x\n")
        return allowed, await to.call("write_file", path="big.py", content=SMALL)

    page = "http://127.0.0.1:7717/proposals/{id}"
    allowed, told = talk(shop, play, era=era, page=page, elicitation_callback=opened(seen, action))
    assert (allowed.status, told.status) == ("applied", "hitl_required")
    known = told.data["proposal_id"]
    assert [(one.mode, one.url) for one in seen] == [
        ("url", f"http://127.0.0.1:7717/proposals/{known}")
    ]
    assert state_of(shop, known) == "waiting"
    assert (shop.root / "big.py").read_text() == BIG


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("argv", "status"),
    [
        (("approve", "--strategy", "replace"), "applied"),
        (("reject", "--reason", "keep them"), "denied"),
    ],
)
def test_what_a_person_decides_while_the_page_is_open_is_the_answer(
    shop: Project, era: str, argv: tuple[str, ...], status: str
) -> None:
    async def decide(ctx: object, asked: types.ElicitRequestURLParams) -> types.ElicitResult:
        known = asked.url.rpartition("/")[2]
        word, *more = argv
        typed = [("[y/N]", "y\n")] if word == "approve" else []
        await asyncio.to_thread(in_terminal, shop, word, known, *more, typed=typed)
        return types.ElicitResult(action="accept")

    async def play(to: Talk) -> Told:
        return await to.call("write_file", path="big.py", content=SMALL)

    page = "http://127.0.0.1:7717/{id}"
    told = talk(shop, play, era=era, page=page, elicitation_callback=decide)
    assert told.status == status
    assert (shop.root / "big.py").read_text() == (SMALL if status == "applied" else BIG)
    assert len(stored(shop)) == 1
    if told.error:
        assert told.code == "already-rejected"
        assert "keep them" in told.text


async def written_with(to: Talk, state: str) -> str:
    """Write a file as the second round of some call, and return what became of it."""
    arguments = {"path": "docs/new.md", "content": "x\n"}
    got = await to.client.call_tool("write_file", arguments, request_state=state)
    assert isinstance(got, types.CallToolResult)
    return str((got.structured_content or {})["status"])


@pytest.mark.parametrize(
    "state", ["", "{", "[]", '{"roots": 5, "waits": 7}', '{"waits": "hitl-1"}']
)
def test_a_state_that_is_none_of_ours_changes_nothing(shop: Project, state: str) -> None:
    async def play(to: Talk) -> str:
        return await written_with(to, state)

    assert talk(shop, play) == "applied"


def test_the_state_of_another_write_does_not_stand_for_this_one(shop: Project) -> None:
    async def play(to: Talk) -> str:
        known = (await to.call("write_file", path="big.py", content=SMALL)).data["proposal_id"]
        return await written_with(to, json.dumps({"roots": None, "waits": known}))

    assert talk(shop, play) == "applied"


def test_without_a_page_nothing_is_offered(shop: Project) -> None:
    seen: list[types.ElicitRequestURLParams] = []

    async def play(to: Talk) -> Told:
        return await to.call("write_file", path="big.py", content=SMALL)

    told = talk(shop, play, elicitation_callback=opened(seen, "accept"))
    assert (told.status, seen) == ("hitl_required", [])


def test_a_client_that_opens_no_pages_just_gets_the_answer(shop: Project) -> None:
    async def play(to: Talk) -> Told:
        return await to.call("write_file", path="big.py", content=SMALL)

    told = talk(shop, play, era=HANDSHAKE, page="http://127.0.0.1:1/{id}")
    assert told.status == "hitl_required"


# Progress


@pytest.mark.parametrize("era", ERAS)
def test_waiting_tells_its_progress(shop: Project, era: str) -> None:
    seen: list[tuple[float, float | None]] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total))

    async def play(to: Talk) -> None:
        known = (await to.call("write_file", path="big.py", content=SMALL)).data["proposal_id"]
        arguments = {"proposal_id": known, "wait_seconds": 1}
        await to.client.call_tool("proposal_status", arguments, progress_callback=tell)

    talk(shop, play, era=era)
    assert seen
    assert all(total == 1 for _, total in seen)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


@pytest.mark.parametrize("era", ERAS)
def test_a_long_search_and_a_large_change_tell_their_progress(shop: Project, era: str) -> None:
    for number in range(600):
        shop.write(f"many/{number}.txt", "x\n")
    shop.write("large.txt", "".join(f"{n} {n * 7 % 1000}\n" for n in range(200_000)))
    seen: list[str | None] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        seen.append(message)

    async def play(to: Talk) -> None:
        await to.client.call_tool("search_files", {"query": "nothing"}, progress_callback=tell)
        other = "".join(f"{n} {n * 3 % 1000}\n" for n in range(200_000))
        arguments = {"path": "large.txt", "content": other}
        await to.client.call_tool("write_file", arguments, progress_callback=tell)

    talk(shop, play, era=era)
    assert "0 found" in seen
    assert "measuring the change" in seen


def test_a_search_asks_the_rules_exactly_what_a_read_asks(shop: Project) -> None:
    shop.write(
        "penstock.toml",
        RULES + '[[deny]]\nid = "t"\ntool = "mcp__penstock__read_file"\n'
        'actions = ["read"]\npaths = ["closed/**"]\n',
    )
    names = [
        ".env",
        "a/.env.local",
        "src/app.py",
        "x.key",
        "a/secrets/b",
        "closed/x",
        ".ssh/config",
    ]
    with surroundings_of(shop):
        asked = ToolCall(here=app.open_workspace(str(shop.root)), tool="search_files")
        quick = asked.readable()
        found = {name: quick(name) for name in names}
        assert found == {name: not denied(asked.may_read(name)) for name in names}
    assert [name for name, open_ in found.items() if open_] == ["src/app.py"]


def test_a_wait_is_bounded_whatever_is_asked_for() -> None:
    assert TOOLS["proposal_status"].takes["wait_seconds"]["maximum"] == 50


# The transports


@pytest.mark.parametrize("era", ERAS)
def test_the_command_serves_all_of_it_over_stdio(shop: Project, era: str) -> None:
    seen: list[types.ElicitRequestURLParams] = []

    async def play(to: Talk) -> list[Told]:
        return [
            await to.call("read_file", path="src/app.py"),
            await to.call("write_file", path="docs/new.md", content="x\n"),
            await to.call("write_file", path="big.py", content=SMALL),
            await to.call("read_file", path=".env"),
        ]

    read, written, waits, denied = talk_over_stdio(
        shop,
        play,
        era=era,
        args=["--page", "http://127.0.0.1:1/{id}"],
        list_roots_callback=rooted(shop.root.as_uri()),
        elicitation_callback=opened(seen, "accept"),
    )
    assert read.data["content"] == APP
    assert (written.status, waits.status, denied.status) == ("applied", "hitl_required", "denied")
    assert len(seen) == 1
    assert (shop.root / "docs/new.md").read_text() == "x\n"
    assert (shop.root / "big.py").read_text() == BIG
    assert proven(shop)


@pytest.mark.parametrize("era", ERAS)
def test_the_same_tools_answer_over_streamable_http(shop: Project, era: str) -> None:
    async def play(to: Talk) -> list[Told]:
        return [
            await to.call("read_file", path="src/app.py"),
            await to.call("write_file", path="docs/new.md", content="x\n"),
            await to.call("write_file", path="big.py", content=SMALL),
            await to.call("read_file", path=".env"),
        ]

    with over_http(shop) as url:
        read, written, waits, denied = talk_to(
            url, play, era=era, list_roots_callback=rooted(shop.root.as_uri())
        )
    assert read.data["content"] == APP
    assert (written.status, waits.status, denied.code) == (
        "applied",
        "hitl_required",
        "path-denied",
    )
    assert (shop.root / "docs/new.md").read_text() == "x\n"
    assert (shop.root / "big.py").read_text() == BIG


ASK = """
import sys, urllib.request, urllib.error
try:
    urllib.request.urlopen(sys.argv[1], timeout=20)
except urllib.error.HTTPError as told:
    print(told.code)
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can ask as somebody else")
@pytest.mark.skipif(not Path("/usr/bin/python3").exists(), reason="others cannot run our python")
def test_another_user_of_the_machine_is_turned_away(shop: Project) -> None:
    with over_http(shop) as url:
        argv = ["/usr/bin/python3", "-c", ASK, url]
        us = subprocess.run(argv, capture_output=True, text=True, check=False)
        other = subprocess.run(
            argv, user=65534, capture_output=True, text=True, cwd="/", env={}, check=False
        )
    assert us.stdout.strip() in ("400", "405", "406"), us
    # Root may ask anybody's server; the server of root is for root alone.
    assert other.stdout.strip() == "403", other


PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def test_http_refuses_what_a_page_of_another_site_or_a_flood_would_send(shop: Project) -> None:
    import httpx2

    usual = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    with over_http(shop) as url:

        def status(body: bytes, **headers: str) -> int:
            sent = httpx2.post(url, content=body, headers=usual | headers)
            return int(sent.status_code)

        assert status(PING, origin="http://evil.example") == 403
        assert status(PING, host="evil.example") == 421
        assert status(b'{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}') == 400
        assert status(b"not json") == 400
        assert status(b" " * (17 * 2**20)) == 413
        assert status(PING, x="a" * 20_000) == 431


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("0.0.0.0:7718", "not-loopback"),
        ("example.org:80", "not-loopback"),
        ("[::]:80", "not-loopback"),
        ("7718", "bad-address"),
        ("127.0.0.1:99999", "bad-address"),
    ],
)
def test_only_loopback_is_listened_on(text: str, code: str) -> None:
    with pytest.raises(InputError) as told:
        host_and_port(text)
    assert told.value.code == code


def test_the_command_tells_an_address_that_it_does_not_take(shop: Project) -> None:
    done = shop.run("mcp", "--http", "0.0.0.0:7718")
    assert (done.code, done.out) == (1, "")
    assert "error[not-loopback]" in done.err


def test_a_person_may_answer_while_an_agent_is_served(shop: Project) -> None:
    """The queue is shared by processes; nothing is held between two calls."""
    with over_http(shop) as url:

        async def play(to: Talk) -> Told:
            known = (await to.call("write_file", path="big.py", content=SMALL)).data["proposal_id"]
            person = threading.Thread(target=shop.run, args=("reject", known, "--reason", "no"))
            person.start()
            told = await to.call("proposal_status", proposal_id=known, wait_seconds=40)
            person.join()
            return told

        assert talk_to(url, play, era=MODERN).status == "rejected"


def test_what_is_missing_is_named_with_the_extra_that_has_it(shop: Project) -> None:
    hidden = "import sys; sys.modules['mcp'] = None; from penstock.cli import main; main()"

    done = subprocess.run(
        [sys.executable, "-c", hidden, "mcp"],
        cwd=shop.root,
        env=shop.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "error[extra-missing]" in done.stderr
    assert "penstock-gate[mcp]" in done.stderr


# What is published


ROOT = REPOSITORY


def test_the_description_for_the_registry_is_of_this_version() -> None:
    about = json.loads((ROOT / "server.json").read_text())
    (package,) = about["packages"]
    (runtime,) = package["runtimeArguments"]
    now = version(NAME)
    assert about["version"] == package["version"] == now
    assert runtime["value"] == f"{NAME}[mcp]=={now}"
    assert package["packageArguments"][0] == {"type": "positional", "value": "mcp"}
    assert len(about["description"]) <= 100  # the registry takes no more


def test_the_example_for_clients_is_the_one_in_the_manual_and_starts_the_server() -> None:
    example = (ROOT / "docs/examples/.mcp.json").read_text()
    assert example in (ROOT / "docs/how-to/mcp.md").read_text()
    assert json.loads(example)["mcpServers"]["penstock"] == {"command": "penstock", "args": ["mcp"]}
    assert "mcp" in COMMANDS


def test_a_page_has_an_address_of_the_web(shop: Project) -> None:
    done = shop.run("mcp", "--page", "javascript:alert(1)")
    assert (done.code, done.out) == (64, "")
