"""The page over a real socket, in a project of its own with an approver's key."""

from __future__ import annotations

import http.client
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from penstock.app import Workspace, open_workspace
from penstock.app.phone import OpenPhone
from penstock.cli.integrations.serve import _guests
from penstock.core.loopback import page_origin
from penstock.core.model import Actor
from penstock.core.proposals.model import Proposal
from penstock.doors.http.routes import Routes
from penstock.doors.http.server import Server, for_pages
from penstock.doors.http.talk import Log
from penstock.doors.web.app import make_app
from penstock.doors.web.context import World
from penstock.doors.web.proof import Prover
from penstock.doors.web.rate_limits import Attempts
from penstock.gate import Gate, Item
from penstock.stores.approver.keys import ApproverKeys
from tests.doors.http.running_server import in_thread

TOKEN, HOOK_TOKEN = "a" * 64, "b" * 64
WORDS = "correct horse battery"
AGENT = Actor(agent="claude", session="s1", tool_call_id="t1")
LOW = 2**14  # a key that opens quickly
LINES = "".join(f"line {n}\n" for n in range(1, 271))


class Outside(Workspace, frozen=True):
    """A workspace whose server was not started by an agent, wherever these tests run."""

    def inside_agent(self) -> str | None:
        return None


@dataclass
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        found: str = self.json["error"]["code"]
        return found


@dataclass
class Browser:
    """A client that keeps its cookie and says where its requests come from, as browsers do."""

    port: int
    cookie: str = ""
    csrf: str = ""

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def connected(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        client = self.connected()
        try:
            client.request(method, path, body, dict(headers or {}))
            response = client.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            client.close()

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Answer:
        mine = {"Cookie": self.cookie} if self.cookie else {}
        return self.ask("GET", path, headers={**mine, **(headers or {})})

    def post(
        self, path: str, fields: Any = (), headers: Mapping[str, str | None] | None = None
    ) -> Answer:
        pairs = list(fields.items() if isinstance(fields, dict) else fields)
        mine = {
            "Cookie": self.cookie,
            "Origin": self.origin,
            "Sec-Fetch-Site": "same-origin",
            "Content-Type": "application/x-www-form-urlencoded",
            **(headers or {}),
        }
        body = urlencode([("csrf", self.csrf), *pairs])
        told = {name: value for name, value in mine.items() if value is not None}
        return self.ask("POST", path, body, told)


@dataclass
class Served:
    """The project, the world and where it is served."""

    root: Path
    here: Workspace
    world: World
    port: int
    waits: list[float] = field(default_factory=list)

    @property
    def gate(self) -> Gate:
        return self.here.gate

    @property
    def origin(self) -> str:
        return page_origin(self.port)

    def write(self, path: str, text: str | bytes) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def propose(self, path: str, text: str | bytes | None, **more: Any) -> Proposal:
        content = text.encode() if isinstance(text, str) else text
        (one,) = self.gate.propose([Item(path=path, content=content)], actor=AGENT, **more)
        return one

    def propose_set(self, files: Mapping[str, str]) -> tuple[Proposal, ...]:
        items = [Item(path=path, content=text.encode()) for path, text in files.items()]
        return self.gate.propose(items, actor=AGENT)

    def stored(self, one: Proposal) -> Proposal:
        found = self.gate.get(one.id)
        assert found is not None
        return found

    def events(self, op: str) -> list[Mapping[str, object]]:
        return [event for event in self.here.record.events() if event.get("op") == op]

    def later(self, seconds: float) -> None:
        """Have time pass here: a clock is never behind what its queue has seen."""
        then = time.time() + seconds
        self.gate._parts.proposals.last_wall(then)
        while self.gate.now().wall < then:  # it asks the queue once a second
            time.sleep(0.05)

    def stranger(self) -> Browser:
        return Browser(self.port)

    def browser(self) -> Browser:
        """Follow a one-time link."""
        link = urlsplit(self.world.link())
        made = Browser(self.port)
        answer = made.get(f"{link.path}?{link.query}")
        assert answer.status == 303, answer.text
        made.cookie = answer.headers["Set-Cookie"].partition(";")[0]
        session = self.world.session_of({"cookie": made.cookie})
        assert session is not None
        made.csrf = session.csrf
        return made

    def seen(self, id_: str, *, what: str = "proposals") -> dict[str, str]:
        """Read all of a change by the API, and return the name that it was read under."""
        of = "diff" if what == "proposals" else "undo"
        answer = self.call("GET", f"/{what}/{id_}/{of}?viewer=reader&limit=20000")
        assert answer.json["unseen"] == [], answer.text
        return {"viewer": "reader"}

    def call(
        self, method: str, path: str, document: object = None, *, token: str = TOKEN
    ) -> Answer:
        """Ask the API."""
        body = None if document is None else json.dumps(document)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        return Browser(self.port).ask(method, f"/api/v1{path}", body, headers)


ASK_ALL = '[defaults]\nwrite = "ask"\ncreate = "ask"\ndelete = "ask"\n'


@contextmanager
def serving(
    home: Path, *, key: bool = True, rules: str = ASK_ALL, phone: OpenPhone | None = None
) -> Iterator[Served]:
    """Serve a project below `home`."""
    root = home / "project"
    root.mkdir(parents=True, exist_ok=True)
    (root / "penstock.toml").write_text(rules)
    opened = open_workspace(str(root), state=str(home / "state/penstock/project-1"))
    here = Outside(opened.root, opened.state)
    keys = ApproverKeys(os.path.join(os.path.dirname(here.state), "approver"), cost=LOW)
    here.__dict__["keys"] = keys
    if key:
        keys.init(WORDS)
    waits: list[float] = []
    prover = Prover(attempts=Attempts(), sleep=waits.append)
    world = World([here], token=TOKEN, hook_token=HOOK_TOKEN, prover=prover)
    with running(world, phone=phone) as port:
        yield Served(root, here, world, port, waits)


@contextmanager
def running(world: World, *, port: int = 0, phone: OpenPhone | None = None) -> Iterator[int]:
    """Run the real server with the application in a thread of its own."""
    on = for_pages(port)
    port = on[0].getsockname()[1]
    world.origin = page_origin(port)
    log = Log(lambda *_, **__: None)
    routes = Routes([], rest=make_app(world), known=world.knows, log=log)
    guests = _guests(world, phone, log) if phone else None
    with in_thread(Server(routes, admit=routes.admit, log=log, guests=guests), *on):
        yield port
