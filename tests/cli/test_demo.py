"""`penstock demo`: the story ends by itself, and at a terminal it ends at the approval page."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.project import Project
from tests.terminal import PENSTOCK

LINK = re.compile(rb"http://127\.0\.0\.1:(\d+)(/open\?t=[\w-]+)")
WITHIN = 120.0


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "project").mkdir()
    return Project(root=tmp_path / "project", home=tmp_path / "home")


def test_without_a_terminal_it_tells_its_story_and_ends(project: Project) -> None:
    done = project.run("demo")
    assert done.code == 0, done.err
    for said in ("deny: Protected path", "hitl-", "applied, receipt r-", "over MCP", "waits"):
        assert said in done.out
    assert "/open?t=" not in done.out
    assert not project.home.exists(), "something of the person's own was touched"


def test_at_a_terminal_it_ends_at_a_page_with_changes_that_wait(project: Project) -> None:
    import pty

    master, slave = pty.openpty()
    child = subprocess.Popen(
        [*PENSTOCK, "demo"],
        cwd=project.root,
        env={**project.environ, "TERM": "xterm"},
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
    )
    os.close(slave)
    try:
        seen = shown(master, LINK)
        found = LINK.search(seen)
        assert found, seen
        assert b"let the water through" in seen
        port, path = int(found[1]), found[2].decode()
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        client.request("GET", path)
        opened = client.getresponse()
        opened.read()
        assert opened.status == 303
        cookie = opened.headers["Set-Cookie"].partition(";")[0]
        client.request("GET", "/", headers={"Cookie": cookie})
        page = client.getresponse().read().decode()
        assert approved(client, cookie, page, port) == 303
        client.close()
        for path_ in ("src/app.py", "src/admins.py", "config/limits.toml"):
            assert path_ in page
        child.send_signal(signal.SIGINT)
        shown(master, re.compile(rb"Next: penstock init"))
        assert child.wait(30) == 0
    finally:
        child.kill()
        child.wait(30)
        os.close(master)
    assert not project.home.exists()


def approved(client: http.client.HTTPConnection, cookie: str, queue: str, port: int) -> int:
    """Approve the first change that waits, with the passphrase that was printed."""
    found = re.search(r'href="(/proposals/hitl-[\w-]+)"', queue)
    assert found, queue
    client.request("GET", found[1], headers={"Cookie": cookie})
    page = client.getresponse().read().decode()
    form = page.partition(f'action="{found[1]}/approve"')[2]
    fields = {
        name: unescape(re.findall(rf'name="{name}" value="([^"]*)"', form)[0])
        for name in ("csrf", "digest")
    }
    headers = {
        "Cookie": cookie,
        "Origin": f"http://127.0.0.1:{port}",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    body = urlencode({**fields, "passphrase": "let the water through"})
    client.request("POST", f"{found[1]}/approve", body, headers)
    response = client.getresponse()
    response.read()
    return response.status


def shown(master: int, wanted: re.Pattern[bytes]) -> bytes:
    """Read what the terminal shows until something is there."""
    import select

    seen, end = b"", time.monotonic() + WITHIN
    while not wanted.search(seen):
        ready, _, _ = select.select([master], [], [], max(0.0, end - time.monotonic()))
        assert ready, seen
        data = b""
        with suppress(OSError):  # how Linux says that nobody has the other end any more
            data = os.read(master, 65536)
        if not data:
            break
        seen += data
    return seen
