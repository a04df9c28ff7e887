"""`penstock demo`: the tour ends by itself, and at a terminal it ends at the review page."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from html import unescape
from io import StringIO
from pathlib import Path
from urllib.parse import urlencode

import pytest
from rich.console import Console

from penstock.cli.demo import agents, tour
from penstock.cli.demo.project import project as demo_project
from penstock.cli.demo.stage import NARROWEST, WIDEST, Stage
from tests.project import Project
from tests.stores.isolation.ground import impossible
from tests.terminal import PENSTOCK

LINK = re.compile(rb"http://localhost:(\d+)(/open\?t=[\w-]+)")
WITHIN = 120.0


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "project").mkdir()
    return Project(root=tmp_path / "project", home=tmp_path / "home")


OUTCOMES = (
    "DENIED",
    "DENIED",
    "WARNED",
    "PENDING",
    "PENDING",
    "APPLIED",
    "OUT OF DATE",
    "REBASED",
    "APPLIED",
    "UNDONE",
    "ASKED",
    "LEARNED",
    "ROLLED BACK",
    *(() if impossible() else ("DENIED", "APPLIED")),  # in an isolated run
    "VERIFIED",
    "CAUGHT",
    "PENDING",
    "ALLOWED",
    "DENIED",
)
WORD = re.compile(r"^    ([A-Z]+(?: [A-Z]+)*)  ", re.MULTILINE)


def test_without_a_terminal_it_shows_every_outcome_and_ends(
    project: Project, tmp_path: Path
) -> None:
    room = tmp_path / "tmp"
    room.mkdir()
    done = project.run("demo", env={"TMPDIR": str(room)})
    assert done.code == 0, done.err
    assert done.err == ""
    assert tuple(WORD.findall(done.out)) == OUTCOMES
    assert "\x1b" not in done.out
    assert max(map(len, done.out.splitlines())) <= 88
    assert "/open?t=" not in done.out
    assert not project.home.exists(), "something of the person's own was touched"
    assert list(project.root.iterdir()) == list(room.iterdir()) == []


@pytest.mark.parametrize("agent", [{}, {"CLAUDECODE": "1"}], ids=["own terminal", "in an agent"])
def test_the_outcomes_are_those_of_the_files_on_disk(
    project: Project, agent: dict[str, str], tmp_path: Path
) -> None:
    """The base install's steps alone; the tour is the same where an agent runs it."""
    done = project.run("demo", env={**agent, **without(tmp_path, "mcp", "langgraph", "starlette")})
    assert done.code == 0, done.err
    assert tuple(WORD.findall(done.out)) == OUTCOMES[:-3]
    assert "pip install 'penstock-gate[mcp,langgraph,web]'" in done.out
    assert "`loyalty` was added, everything else kept: 26 lines" in done.out


def without(place: Path, *modules: str) -> dict[str, str]:
    """Return variables under which a process finds some modules not installed."""
    (place / "sitecustomize.py").write_text(
        "import importlib.util as util\n"
        f"missing, find = {modules!r}, util.find_spec\n"
        "util.find_spec = lambda name, *a: None if name in missing else find(name, *a)\n"
    )
    return {"PYTHONPATH": str(place)}


def test_it_runs_in_a_directory_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(tmp_path)
    os.chdir(gone)
    gone.rmdir()
    with demo_project() as here:
        assert here.lines("src/tax.py") == 136
    assert not os.path.exists(here.root)


@pytest.mark.parametrize("width", [30, 60, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    out = Console(file=StringIO(), width=width, force_terminal=True, color_system=None)
    stage = Stage(out)
    words = (
        "a rule of yours says that `src/some/where/deep/in/it.py` is never to be written by hand"
    )
    stage.title(f"Penstock: {words}", words)
    stage.step("A step with a title that is longer than a narrow terminal", words)
    stage.types(f"penstock rules add --deny --path x --reason '{words}'")
    stage.outcome("OUT OF DATE", words)
    stage.say(words)
    stage.diff(None, f"{words}\n".encode() * 30, path="x")
    assert isinstance(out.file, StringIO)
    lines = out.file.getvalue().splitlines()
    assert max(map(len, lines)) <= max(NARROWEST, min(WIDEST, width)), lines
    assert "... 26 more lines added" in out.file.getvalue()


def test_at_a_terminal_it_ends_at_a_page_with_changes_that_wait(project: Project) -> None:
    import pty

    master, slave = pty.openpty()
    child = subprocess.Popen(
        [*PENSTOCK, "demo", "--fast"],
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
        for path_ in ("src/tax.py", "src/admins.py", "config/shop.toml"):
            assert path_ in page
        child.send_signal(signal.SIGINT)
        shown(master, re.compile(rb"penstock init"))
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
    form = page.partition(f'action="{found[1]}/approve"')[2].partition("</form>")[0]
    inputs = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form)
    fields = {name: unescape(value) for name, value in inputs}
    headers = {
        "Cookie": cookie,
        "Origin": f"http://127.0.0.1:{port}",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    ticked = re.findall(r'name="hunk" value="(\d+)"', page)
    typed = {**fields, "passphrase": "let the water through", "hunk": ticked}
    body = urlencode(typed, doseq=True)
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


@pytest.mark.parametrize("late", [1, 2])
def test_a_hook_that_was_late_is_asked_again(monkeypatch: pytest.MonkeyPatch, late: int) -> None:
    """A late hook denies by names alone and stores nothing; under load the tour ended there."""
    lost = [agents.DemoAnswer("deny")] * late
    ask = agents.hook
    monkeypatch.setattr(agents, "hook", lambda *a, **k: lost.pop() if lost else ask(*a, **k))
    assert "PENDING  132 of 136 lines removed" in played(tour.rewrite)
    assert not lost


@pytest.mark.parametrize("step", [tour.secret, tour.warning, tour.rewrite, tour.learn])
def test_a_step_that_never_gets_its_answer_is_skipped(
    monkeypatch: pytest.MonkeyPatch, step: tour.Step
) -> None:
    monkeypatch.setattr(agents, "hook", lambda *_a, **_k: agents.DemoAnswer("late"))
    assert "Skipped: this machine is too busy to show this step." in played(step)


def test_a_program_that_takes_too_long_skips_its_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "SECONDS", 0.01)
    assert "Skipped" in played(tour.secret)


def played(step: tour.Step) -> str:
    """Return what one step prints, on the real project of the tour."""
    out = Console(file=StringIO(), width=WIDEST, color_system=None)
    with demo_project() as here:
        tour.play(step, Stage(out), here)
    assert isinstance(out.file, StringIO)
    return out.file.getvalue()
