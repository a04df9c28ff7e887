"""`penstock serve --address` and `penstock open --qr`: the real commands, over real TLS."""

from __future__ import annotations

import re
import socket
import ssl
from pathlib import Path

import pytest
import segno

from tests.doors.web.test_health import serving
from tests.project import Project

NAME = "phone.test"
SERVED = re.compile(rf"serving other devices at https://{NAME}:(\d+) \(127\.0\.0\.1\)")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(root=tmp_path / "project", home=tmp_path / "home")
    made.root.mkdir()
    made.write("penstock.toml", '[defaults]\ncreate = "ask"\n')
    return made


def asked(project: Project, port: int, path: str) -> bytes:
    """Ask by TLS, trusting what the server wrote down for this name."""
    trust = next(project.home.rglob("authority.pem"))
    context = ssl.create_default_context(cafile=str(trust))
    plain = socket.create_connection(("127.0.0.1", port), timeout=30)
    with context.wrap_socket(plain, server_hostname=NAME) as client:
        head = f"GET {path} HTTP/1.1\r\nHost: {NAME}:{port}\r\nConnection: close\r\n\r\n"
        client.sendall(head.encode())
        got = b""
        while piece := client.recv(65536):
            got += piece
    return got


def test_the_code_in_the_terminal_signs_a_phone_in(project: Project) -> None:
    with serving(project, "--address", f"{NAME}:0", "--bind", "127.0.0.1") as served:
        port = int(SERVED.search(served.said("serving other devices"))[1])  # type: ignore[index]
        assert "self-made certificate, SHA-256 " in served.said("SHA-256")
        done = project.run("open", "--qr")
        assert done.code == 0, done.err
        *code, url = done.out.rstrip("\n").split("\n")
        assert url.startswith(f"https://{NAME}:{port}/open?t=")
        assert modules(code) == [list(row) for row in segno.make_qr(url, error="l").matrix]
        path = url.partition(f":{port}")[2]
        assert asked(project, port, path).startswith(b"HTTP/1.1 303 ")
        assert asked(project, port, path).startswith(b"HTTP/1.1 401 ")
        assert project.run("open", "--qr", "--json").json["url"].startswith("https://")
        refused = project.run("open", "--qr", env={"CLAUDECODE": "1"})
        assert "error[inside-agent]" in refused.err


def modules(lines: list[str]) -> list[list[int]]:
    """Read the halves of a code back, without its border."""
    halves = {"█": (0, 0), "▀": (0, 1), "▄": (1, 0), " ": (1, 1)}
    rows = [[halves[sign][half] for sign in line] for line in lines for half in (0, 1)]
    size = len(lines[0]) - 4
    return [row[2:-2] for row in rows[2 : 2 + size]]


def test_without_an_address_the_command_says_how_to_have_one(project: Project) -> None:
    with serving(project):
        done = project.run("open", "--qr")
    assert done.code == 1
    assert "error[no-phone-address]" in done.err
    assert "penstock serve --address NAME" in done.err


REFUSED = {
    "a number": (["--address", "192.168.1.2"], "error[not-a-name]"),
    "every network": (["--address", NAME, "--bind", "0.0.0.0"], "error[bad-interface]"),
    "the internet": (["--address", NAME, "--bind", "8.8.8.8"], "error[bad-interface]"),
    "a name that leads nowhere": (["--address", "no.invalid"], "error[no-interface]"),
    "half a certificate": (["--address", NAME, "--certificate", "x"], "error[bad-certificate]"),
    "no certificate": (
        ["--address", NAME, "--certificate", "penstock.toml", "--certificate-key", "x"],
        "error[bad-certificate]",
    ),
    "options without it": (["--bind", "127.0.0.1"], "need --address"),
}


@pytest.mark.parametrize(("argv", "said"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_served_to_a_phone_is_refused(
    project: Project, argv: list[str], said: str
) -> None:
    done = project.run("serve", "--port", "0", *argv)
    assert done.code != 0
    assert said in done.err


def test_an_agent_cannot_open_the_page_to_others(project: Project) -> None:
    done = project.run("serve", "--port", "0", "--address", NAME, env={"CLAUDECODE": "1"})
    assert "error[inside-agent]" in done.err


def test_a_service_keeps_the_address(project: Project) -> None:
    done = project.run("serve", "--print-service", "systemd", "--address", "laptop.local")
    assert '"--address" "laptop.local"' in done.out
