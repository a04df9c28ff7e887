"""The approval page as a person meets it: a long queue, a huge diff, many open pages.

The server is the real process; times are those of whole requests over a kept connection. The
time of a page is told beside what a person does not notice, and beside `git diff` of the same
files.
"""

from __future__ import annotations

import http.client
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from bench.hook_http import Asked
from bench.row import Row, best_of

WAITING = 200
FEW, MANY, HUGE = 20, 2000, 10_000
CLOSED = 8  # changes that were answered before
LINES = 20_000
VIEWERS = 50
ROUNDS = 5
TELLINGS = 5
IDLE_SECONDS = 3.0
LINK = re.compile(r"http://localhost:(\d+)(/open\?t=[\w-]+)")
RULES = '[defaults]\nwrite = "ask"\ncreate = "ask"\n'


def rows() -> Iterator[Row]:
    """Measure one server from empty to full."""
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as folder, _places(folder):
        project = Project(Path(folder))
        with project.served() as page:
            yield from _measured(project, page)
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as folder, _places(folder):
        project = Project(Path(folder))
        with project.served() as page:
            yield from _long_queue(project, page)


@contextmanager
def _places(folder: str) -> Iterator[None]:
    """Keep state and settings in the folder, for this process and those it starts."""
    before = dict(os.environ)
    os.environ |= {"XDG_STATE_HOME": f"{folder}/state", "XDG_CONFIG_HOME": f"{folder}/config"}
    try:
        yield
    finally:
        os.environ.clear()
        os.environ |= before


def _measured(project: Project, page: Page) -> Iterator[Row]:
    project.propose("first.txt", "one\n")
    page.get("/")
    small = page.memory()
    (alone,) = best_of([lambda: page.get("/")], rounds=ROUNDS)
    for number in range(WAITING - 1):
        project.propose(f"src/file{number}.py", f"value = {number}\n")
    queue, health = best_of([lambda: page.get("/"), lambda: page.get("/healthz")], rounds=ROUNDS)
    area = "web"
    name = f"the queue with {WAITING} waiting"
    yield Row(area=area, name=name, subject=queue, baseline=0.5, beside="half a second", limit=1)
    yield Row(area=area, name="the same", subject=queue, baseline=alone, beside="with one waiting")
    yield Row(
        area=area, name="the same", subject=queue, baseline=health, beside="an answer of no page"
    )
    yield from _huge(project, page)
    yield from _viewers(project, page)
    yield Row(
        area=area,
        name="memory after all of that",
        subject=page.memory(),
        baseline=small,
        beside="with one small proposal",
        unit="B",
        limit=4,
    )


def _long_queue(project: Project, page: Page) -> Iterator[Row]:
    """Compare the queue's page with many pending changes to the same page with a few."""
    for number in range(CLOSED):
        project.reject(project.propose(f"src/old{number}.py", f"value = {number}\n"))
    for number in range(FEW):
        project.propose(f"src/file{number}.py", f"value = {number}\n")
    page.get("/")
    (few,) = best_of([lambda: page.get("/")], rounds=2 * ROUNDS)
    small = len(page.get("/"))
    for total in (MANY, HUGE):
        project.fill(total)
        yield from _against(page, total, few, small)
    new = project.propose("src/new.py", "value = 1\n")
    size = len(page.get(f"/updates?ids={new}"))
    yield Row(
        area="web",
        name="an update of it",
        subject=size,
        baseline=5000,
        beside="5 KB",
        unit="B",
        limit=1,
    )


def _against(page: Page, total: int, few: float, small: int) -> Iterator[Row]:
    """Compare the queue's page with what it was with a few changes."""
    page.get("/")
    (many,) = best_of([lambda: page.get("/")], rounds=2 * ROUNDS)
    name, beside = f"the queue with {total} waiting", f"with {FEW}"
    yield Row(area="web", name=name, subject=many, baseline=few, beside=beside, limit=2)
    yield Row(
        area="web",
        name="its size",
        subject=len(page.get("/")),
        baseline=small,
        beside=beside,
        unit="B",
        limit=2,
    )


def _huge(project: Project, page: Page) -> Iterator[Row]:
    before = "".join(f"value_{n} = compute({n}, 'text')\n" for n in range(LINES))
    after = "".join(f"value_{n} = compute({n + n % 2}, 'text')\n" for n in range(LINES))
    old, new = project.write("big.py", before), project.write("../new.py", after)
    id_ = project.propose("big.py", after)
    git = ["git", "diff", "--no-index", "--word-diff=porcelain", str(old), str(new)]
    start = time.perf_counter()
    page.get(f"/proposals/{id_}")
    first = time.perf_counter() - start
    again, shown, beside = best_of(
        [
            lambda: page.get(f"/proposals/{id_}"),
            lambda: page.get(f"/proposals/{id_}?page=2"),
            lambda: subprocess.run(git, stdout=subprocess.DEVNULL, check=False),
        ],
        rounds=ROUNDS,
    )
    name = f"a diff of {LINES} lines, first look"
    yield Row(area="web", name=name, subject=first, baseline=3.0, beside="three seconds", limit=1)
    yield Row(area="web", name="the same", subject=first, baseline=beside, beside="git's word diff")
    name = f"a diff of {LINES} lines, looked at again"
    yield Row(area="web", name=name, subject=again, baseline=1.0, beside="one second", limit=1)
    name = "its second page"
    yield Row(area="web", name=name, subject=shown, baseline=1.0, beside="one second", limit=1)


def _viewers(project: Project, page: Page) -> Iterator[Row]:
    took = []
    asked = Asked(page.port, project.hook_token(), str(project.root))
    asked.ask(clients=1)  # the policy is compiled at the first call
    alone = min(asked.ask(clients=1)["p50"] for _ in range(2))
    with page.watched(VIEWERS) as told:
        for number in range(TELLINGS):
            told.expect(VIEWERS)
            start = time.perf_counter()
            project.propose(f"told{number}.txt", "x\n")
            assert told.all.wait(30), "not everybody was told"
            took.append(time.perf_counter() - start)
        used = page.cpu_seconds()
        time.sleep(IDLE_SECONDS)
        used = page.cpu_seconds() - used
        beside = min(asked.ask(clients=1)["p50"] for _ in range(2))
    yield Row(
        area="web",
        name=f"a hook's decision beside {VIEWERS} viewers, p50",
        subject=beside,
        baseline=alone,
        beside="without them",
        limit=2,
    )
    yield Row(
        area="web",
        name=f"a change until {VIEWERS} viewers know",
        subject=sorted(took)[len(took) // 2],
        baseline=1.0,
        beside="one second",
        limit=1,
    )
    yield Row(
        area="web",
        name=f"{VIEWERS} viewers to whom nothing happens",
        subject=used,
        baseline=IDLE_SECONDS,
        beside="all of a core",
        limit=0.1,
    )


class Project:
    """A project that proposals are made in, by this process."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.root.mkdir()
        self.write("penstock.toml", RULES)
        from penstock.app import open_gate

        self._gate = open_gate(str(self.root))

    def write(self, path: str, text: str) -> Path:
        """Write a file of the project."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def propose(self, path: str, text: str) -> str:
        """Propose a file, and return the id."""
        from penstock.gate import Item

        return self._gate.propose([Item(path=path, content=text.encode())])[0].id

    def fill(self, total: int) -> None:
        """Have so many changes pending in all, each like the first that is."""
        queue = self._gate._parts.proposals
        first, *others = self._gate.open()
        have = 1 + len(others)
        queue.add(
            [
                replace(first, id=f"hitl-{n:032x}", path=f"src/file{n}.py")
                for n in range(have, total)
            ]
        )

    def reject(self, proposal_id: str) -> None:
        """Answer a change, so that it is no longer pending."""
        from penstock.gate import Proof

        self._gate.answer(proposal_id, approve=False, proof=Proof(by="bench"), reason="no")

    def hook_token(self) -> str:
        """Return the token of the hook."""
        return Path(os.environ["XDG_STATE_HOME"], "penstock/hook.token").read_text().strip()

    @contextmanager
    def served(self) -> Iterator[Page]:
        """Serve it for the time of a block."""
        argv = [sys.executable, "-m", "penstock.cli", "serve", "--port", "0"]
        environ = {name: value for name, value in os.environ.items() if "CLAUDE" not in name}
        process = subprocess.Popen(
            argv, cwd=self.root, env=environ, stderr=subprocess.PIPE, text=True
        )
        assert process.stderr is not None
        try:
            said = process.stderr.readline() + process.stderr.readline()
            found = LINK.search(said)
            assert found, said
            yield Page(process.pid, int(found[1]), found[2])
        finally:
            process.terminate()
            process.wait()
            process.stderr.close()


@dataclass
class Told:
    """Counts who was told."""

    left: int = 0
    all: threading.Event = field(default_factory=threading.Event)

    def expect(self, count: int) -> None:
        """Begin to count down from so many."""
        self.left, self.all = count, threading.Event()

    def one(self) -> None:
        """Count one."""
        self.left -= 1
        if not self.left:
            self.all.set()


class Page:
    """A person's browser at the server."""

    def __init__(self, pid: int, port: int, link: str) -> None:
        self._pid = pid
        self.port = port
        self._client = http.client.HTTPConnection("127.0.0.1", port)
        self._client.request("GET", link)
        response = self._client.getresponse()
        response.read()
        self._cookie = {"Cookie": response.headers["Set-Cookie"].partition(";")[0]}

    def get(self, path: str) -> bytes:
        """Load a page."""
        self._client.request("GET", path, headers=self._cookie)
        response = self._client.getresponse()
        body = response.read()
        assert response.status == 200, (path, response.status, body[:500])
        return body

    def memory(self) -> int:
        """Return the server's highest resident size so far, in bytes."""
        status = Path(f"/proc/{self._pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024

    def cpu_seconds(self) -> float:
        """Return the time that the server has computed so far."""
        fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @contextmanager
    def watched(self, count: int) -> Iterator[Told]:
        """Keep so many pages open that listen."""
        told = Told()
        lines = []
        lock = threading.Lock()

        def read(response: http.client.HTTPResponse) -> None:
            while line := response.readline():
                if line.startswith(b"event: queue"):
                    with lock:
                        told.one()

        for _ in range(count):
            client = http.client.HTTPConnection("127.0.0.1", self.port)
            client.request("GET", "/events", headers=self._cookie)
            response = client.getresponse()
            threading.Thread(target=read, args=(response,), daemon=True).start()
            lines.append(client)
        yield told
        for client in lines:
            if client.sock is not None:
                client.sock.close()
