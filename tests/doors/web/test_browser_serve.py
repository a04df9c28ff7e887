"""From an agent's write to a person's answer: the real commands, and a real browser between."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.doors.web.browser import WITHIN, chromium
from tests.doors.web.test_health import Resident, serving
from tests.project import Project


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as one:
        yield one


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(root=tmp_path / "project", home=tmp_path / "home")
    made.root.mkdir()
    made.write("penstock.toml", '[defaults]\nwrite = "ask"\ncreate = "ask"\n')
    return made


def link(resident: Resident) -> str:
    """Ask the server for a link, as `penstock open` does."""
    token = next(resident.project.home.rglob("admin.token")).read_text().strip()
    client = http.client.HTTPConnection("127.0.0.1", resident.port, timeout=30)
    client.request("POST", "/api/v1/links", headers={"Authorization": f"Bearer {token}"})
    found: str = json.loads(client.getresponse().read())["url"]
    client.close()
    return found


def ask(project: Project, path: str, content: str) -> None:
    """Have an agent ask for a file, through the broker's own process."""
    call = {"type": "tool_request", "tool_name": "write_file", "tool_call_id": "t", "path": path}
    done = project.run("broker", stdin=json.dumps({**call, "content": content}) + "\n")
    assert json.loads(done.out)["details"]["status"] == "hitl_required", done.err


def test_what_an_agent_asks_for_appears_and_the_answer_gets_back_to_it(
    browser: Browser, project: Project
) -> None:
    with serving(project, "--no-link") as resident:
        page = browser.new_page()
        page.set_default_timeout(WITHIN)
        page.goto(link(resident))
        expect(page.locator("h1")).to_have_text("No pending changes")
        ask(project, "notes.txt", "hello\n")
        expect(page.locator(".card .path")).to_have_text("notes.txt", timeout=WITHIN)
        page.click(".card a")
        expect(page.locator("tr.new .c")).to_have_text("hello")
        page.fill("#reason", "put it elsewhere")
        page.press("#reason", "Enter")
        expect(page.locator("h1")).to_have_text("No pending changes")
        page.close()
    told = project.run("proposals", "--all", "--json").json["proposals"][0]
    assert told["state"] == "rejected"
    assert not (project.root / "notes.txt").exists()
