"""The real `penstock serve` with its page: found, asked, logged, stopped; and without the extra."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.cli.pending import one_proposed
from tests.doors.http.running_server import WITHIN, started
from tests.project import Project

LINK = re.compile(r"http://localhost:\d+(/open\?t=[\w-]+)")
SERVE = (sys.executable, "-m", "penstock.cli", "serve", "--port", "0")


@dataclass
class Resident:
    project: Project
    process: subprocess.Popen[str]
    port: int
    lines: list[str] = field(default_factory=list)

    def get(self, path: str, **headers: str) -> tuple[int, http.client.HTTPMessage, str]:
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WITHIN)
        client.request("GET", path, headers=headers)
        response = client.getresponse()
        found = response.status, response.headers, response.read().decode()
        client.close()
        return found

    def said(self, what: str) -> str:
        """Wait until a line of the log holds something."""
        end = time.monotonic() + WITHIN
        while time.monotonic() < end:
            for line in list(self.lines):
                if what in line:
                    return line
            threading.Event().wait(0.01)
        raise AssertionError(self.lines)

    def cookie(self, link: str) -> str:
        status, headers, _ = self.get(link)
        assert status == 303
        return headers["Set-Cookie"].partition(";")[0]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(root=tmp_path / "project", home=tmp_path / "home")
    made.root.mkdir()
    made.write("penstock.toml", '[defaults]\nwrite = "ask"\ncreate = "ask"\n')
    return made


@contextmanager
def serving(
    project: Project,
    *more: str,
    program: Sequence[str] = SERVE,
    root: Path | None = None,
) -> Iterator[Resident]:
    where = root or project.root
    with started([*program, *more], cwd=where, env=project.environ) as one:
        yield Resident(project, one.process, one.port, one.lines)


def test_it_tells_that_it_lives_and_that_it_can_work(project: Project) -> None:
    with serving(project) as served:
        for path in ("/health", "/healthz", "/readyz"):
            status, headers, body = served.get(path)
            assert (status, json.loads(body)["status"]) == (200, "ok")
            assert headers["Cache-Control"] == "no-store"
            assert served.get(path, Origin="http://evil.example")[0] == 403
            assert served.get(path, Host="evil.example")[0] == 403
        assert served.get("/healthz/more")[0] == 404


def test_it_is_not_ready_while_the_state_cannot_be_written(project: Project) -> None:
    with serving(project) as served:
        home = project.home / "state/penstock"
        home.rename(home.with_name("away"))
        assert served.get("/readyz")[0] == 503
        assert served.get("/healthz")[0] == 200
        home.with_name("away").rename(home)
        assert served.get("/readyz")[0] == 200


def test_the_printed_link_opens_the_page_of_this_project(project: Project) -> None:
    with serving(project) as served:
        found = LINK.search(served.said("/open?t="))
        assert found
        status, _, page = served.get("/", Cookie=served.cookie(found[1]))
        assert status == 200
        assert "<html" in page
        assert served.get("/")[0] == 401


def test_another_link_is_printed_by_a_command_of_the_person(project: Project) -> None:
    assert project.run("open", "--json").json["error"]["code"] == "not-serving"
    project.write("app.py", "old\n")
    one = one_proposed(project, "app.py", b"new\n")
    with serving(project, "--no-link") as served:
        link = project.run("open")
        assert link.code == 0, link.err
        assert served.cookie(link.out.strip().partition(f":{served.port}")[2])
        to = project.run("open", one, "--json").json["url"]
        assert served.get(to.partition(f":{served.port}")[2])[1]["Location"] == f"/proposals/{one}"
        refused = project.run("open", env={"CLAUDECODE": "1"})
        assert (refused.code, "inside-agent" in refused.err) == (2, True)
        assert not any("/open?t=" in line for line in served.lines)
    assert project.run("open", "--json").json["error"]["code"] in ("not-serving", "no-link")


def test_no_link_is_printed_where_an_agent_would_read_it(project: Project) -> None:
    program = ("env", "CLAUDECODE=1", *SERVE)
    with serving(project, program=program) as served:
        assert "penstock open" in served.said("your own terminal")
        assert not any("/open?t=" in line for line in served.lines)


def test_every_workspace_with_a_state_is_served(project: Project, tmp_path: Path) -> None:
    other = Project(root=tmp_path / "other", home=project.home)
    other.root.mkdir()
    other.write("penstock.toml", '[defaults]\ncreate = "ask"\n')
    assert other.run("proposals").code == 0
    with serving(project) as served:
        token = (project.home / "state/penstock/admin.token").read_text().strip()
        bearer = {"Authorization": f"Bearer {token}"}
        found = json.loads(served.get("/api/v1/workspaces", **bearer)[2])["workspaces"]
        assert [one["root"] for one in found] == [str(project.root), str(other.root)]
        third = Project(root=tmp_path / "third", home=project.home)
        third.root.mkdir()
        third.write("penstock.toml", "")
        assert third.run("proposals").code == 0
        found = json.loads(served.get("/api/v1/workspaces", **bearer)[2])["workspaces"]
        assert str(third.root) in [one["root"] for one in found]


def test_the_log_is_json_if_asked_for_and_never_holds_what_opens_a_session(
    project: Project,
) -> None:
    with serving(project, "--log-format", "json") as served:
        link = LINK.search(served.said("/open?t="))
        assert link
        served.cookie(link[1])
        served.get("/nothing?secret=1", Host="evil.example")
        served.said("wrong-host")
        lines = [json.loads(line) for line in served.lines]
    opened = next(line for line in lines if line.get("path") == "/open")
    assert (opened["status"], opened["method"], opened["level"]) == (303, "GET", "info")
    refused = next(line for line in lines if line.get("code") == "wrong-host")
    assert (refused["status"], refused["level"]) == (403, "error")
    told = [line for line in lines if "open http" not in line["message"]]
    assert link[1].partition("t=")[2] not in json.dumps(told)
    assert "secret" not in json.dumps(lines)
    assert {"ts", "service", "message"} <= set(lines[0])


def test_a_stop_lets_viewers_go_in_good_order(project: Project) -> None:
    with serving(project) as served:
        link = LINK.search(served.said("/open?t="))
        assert link
        cookie = served.cookie(link[1])
        viewers = []
        for _ in range(10):
            client = http.client.HTTPConnection("127.0.0.1", served.port, timeout=WITHIN)
            client.request("GET", "/events", headers={"Cookie": cookie})
            response = client.getresponse()
            assert response.readline() == b"retry: 2000\n"
            viewers.append((client, response))
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(WITHIN) == 0
        for client, response in viewers:
            assert response.read() == b"\n", "it came to its end, and was not cut off"
            client.close()
        served.said("stopped")


WITHOUT = """
import sys
sys.modules["{name}"] = None
from penstock.cli import main
main({argv})
"""


def without(project: Project, name: str, *argv: str) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-c", WITHOUT.format(name=name, argv=list(argv))]
    return subprocess.run(
        program,
        cwd=project.root,
        env=project.environ,
        timeout=WITHIN,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", ["uvicorn", "httptools", "starlette", "jinja2"])
def test_without_the_extra_serve_says_which_one_it_needs(project: Project, name: str) -> None:
    done = without(project, name, "serve", "--port", "0")
    assert done.returncode == 1
    assert "error[extra-missing]" in done.stderr
    assert "pip install 'penstock-gate[web]'" in done.stderr


def test_without_the_extra_a_registration_over_http_says_which_one(project: Project) -> None:
    done = without(project, "uvicorn", "init", "--agent", "claude", "--http")
    assert done.returncode == 0, done.stderr
    assert "penstock-gate[web]" in done.stdout
    assert "penstock-gate[web]" not in project.run("init", "--agent", "claude", "--http").out


def test_hooks_refuse_browsers_as_before_beside_the_page(project: Project) -> None:
    with serving(project) as served:
        token = (project.home / "state/penstock/hook.token").read_text().strip()
        own = f"http://127.0.0.1:{served.port}"
        client = http.client.HTTPConnection("127.0.0.1", served.port, timeout=WITHIN)
        headers = {"Authorization": f"Bearer {token}", "Origin": own}
        client.request("POST", "/hook/claude", "{}", headers)
        assert client.getresponse().status == 403
        client.close()
        admin = (project.home / "state/penstock/admin.token").read_text().strip()
        client.request("POST", "/hook/claude", "{}", {"Authorization": f"Bearer {admin}"})
        assert client.getresponse().status == 401
        client.close()
