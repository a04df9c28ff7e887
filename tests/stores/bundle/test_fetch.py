"""Bundles fetched over real connections, from real repositories, and from files."""

from __future__ import annotations

import gzip
import os
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from penstock.core.bundle.address import address_fault, address_of
from penstock.core.bundle.document import LARGEST
from penstock.core.errors import PenstockError
from penstock.stores.bundle import fetch as fetching
from penstock.stores.bundle.fetch import fetch
from tests.receivers import certificate, free_port

Answer = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def web(answer: Answer, *, tls: tuple[Path, Path] | None = None) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer(self)

        def log_message(self, *_: object) -> None:
            pass

    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.daemon_threads = True
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*tls)
        made.socket = context.wrap_socket(made.socket, server_side=True)
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"{'https' if tls else 'http'}://localhost:{made.server_address[1]}/bundle.json"
    finally:
        made.shutdown()
        made.server_close()


def code(url: str, **more: str) -> str:
    with pytest.raises(PenstockError) as caught:
        fetch(address_of(url), **more)
    return caught.value.code


def tagged(handler: BaseHTTPRequestHandler) -> None:
    same = handler.headers.get("If-None-Match") == '"one"'
    handler.send_response(304 if same else 200)
    handler.send_header("ETag", '"one"')
    handler.end_headers()
    if not same:
        handler.wfile.write(b"{}")


def test_what_has_not_changed_is_not_sent_again() -> None:
    with web(tagged) as url:
        first = fetch(address_of(url))
        assert (first.data, first.etag) == (b"{}", '"one"')
        assert fetch(address_of(url), etag=first.etag).data is None


def test_a_bundle_of_100_megabytes_is_not_read() -> None:
    sent: list[int] = []

    def large(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(100 * 1024 * 1024))
        handler.end_headers()
        sent.append(1)

    with web(large) as url:
        assert code(url) == "bundle-too-large"
    assert sent == [1]


def test_data_without_an_end_is_cut_off() -> None:
    sent = [0]

    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        piece = b"x" * 65536
        try:
            for _ in range(100 * 1024 * 1024 // len(piece)):
                handler.wfile.write(piece)
                sent[0] += len(piece)
        except OSError:
            pass  # the other side has heard enough

    with web(endless) as url:
        assert code(url) == "bundle-too-large"
    assert sent[0] < 4 * LARGEST


def test_less_than_was_promised_is_an_error() -> None:
    def short(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100")
        handler.end_headers()
        handler.wfile.write(b"{}")

    with web(short) as url:
        assert code(url) == "bundle-unreachable"


@pytest.mark.parametrize("status", [301, 302, 304, 401, 404, 500])
def test_a_redirect_is_not_followed_and_a_refusal_is_told(status: int) -> None:
    def refuse(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Location", "http://localhost:1/")
        handler.end_headers()

    with web(refuse) as url, pytest.raises(PenstockError) as caught:
        fetch(address_of(url))
    assert (caught.value.code, str(status) in caught.value.because) == ("bundle-unreachable", True)


def test_a_packed_answer_is_not_unpacked() -> None:
    """A kilobyte of gzip can be a gigabyte; nobody asked for it, so nobody looks into it."""
    bomb = gzip.compress(bytes(2 * LARGEST), 1)

    def packed(handler: BaseHTTPRequestHandler) -> None:
        assert handler.headers.get("Accept-Encoding") == "identity"
        handler.send_response(200)
        handler.send_header("Content-Encoding", "gzip")
        handler.end_headers()
        handler.wfile.write(bomb)

    with web(packed) as url, pytest.raises(PenstockError) as caught:
        fetch(address_of(url))
    assert "packed" in caught.value.because


@pytest.mark.parametrize(
    "line", [b"HTTP/1.1 500 \x1b[2J\xe2\x80\xaeok", b"\x1b]0;owned\x07 nonsense", b"HTTP/9 \x9b"]
)
def test_what_a_server_says_cannot_move_a_terminal(line: bytes) -> None:
    def rude(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(line + b"\r\n\r\n")

    with web(rude) as url, pytest.raises(PenstockError) as caught:
        fetch(address_of(url))
    assert caught.value.because.isprintable()


def test_headers_that_drip_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "LONGEST", 0.5)
    over = threading.Event()

    def slow(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        with suppress(OSError):
            for _ in range(600):  # each line in time, and no end of them
                handler.wfile.write(b"x")
                if over.wait(0.1):
                    return

    with web(slow) as url, pytest.raises(PenstockError) as caught:
        fetch(address_of(url))
    over.set()
    assert caught.value.because == "it did not answer in time"


def test_a_token_in_a_query_is_used_and_not_shown() -> None:
    asked: list[str] = []

    def note(handler: BaseHTTPRequestHandler) -> None:
        asked.append(handler.path)
        handler.send_response(404)
        handler.end_headers()

    with web(note) as url, pytest.raises(PenstockError) as caught:
        fetch(address_of(f"{url}?token=s3cret"))
    assert asked == ["/bundle.json?token=s3cret"]
    said = f"{caught.value.message} {caught.value.because} {caught.value.hint}"
    assert ("s3cret" in said, "bundle.json?..." in said) == (False, True)


def test_a_certificate_has_to_be_right(tmp_path: Path) -> None:
    own = certificate(tmp_path / "own")
    other = certificate(tmp_path / "other", host="other.example")
    with web(tagged, tls=own) as url:
        assert fetch(address_of(url), ca_file=str(own[0])).data == b"{}"
        assert code(url) == "bundle-certificate"
    with web(tagged, tls=other) as url:
        assert code(url, ca_file=str(other[0])) == "bundle-certificate"
    assert code(url, ca_file=str(tmp_path / "none")) == "bundle-unreachable"


def test_the_credential_goes_along() -> None:
    seen: list[str] = []

    def ask(handler: BaseHTTPRequestHandler) -> None:
        seen.append(handler.headers.get("Authorization", ""))
        tagged(handler)

    with web(ask) as url:
        fetch(address_of(url), authorization="Bearer x")
    assert seen == ["Bearer x"]


def test_nobody_there_is_told() -> None:
    assert code(f"http://127.0.0.1:{free_port()}/x") == "bundle-unreachable"


# --- files ---------------------------------------------------------------------------------


def test_a_file_is_read_through_no_link_and_not_beyond_the_limit(tmp_path: Path) -> None:
    file = tmp_path / "bundle.json"
    file.write_bytes(b"{}")
    assert fetch(address_of(f"file:{file}")).data == b"{}"
    (tmp_path / "link").symlink_to(file)
    assert code(f"file:{tmp_path}/link") == "bundle-unreachable"
    assert code(f"file:{tmp_path}") == "bundle-unreachable"
    assert code(f"file:{tmp_path}/none") == "bundle-unreachable"
    os.mkfifo(tmp_path / "pipe")
    assert code(f"file:{tmp_path}/pipe") == "bundle-unreachable"
    os.truncate(file, 100 * 1024 * 1024)
    assert code(f"file:{file}") == "bundle-too-large"


# --- git -----------------------------------------------------------------------------------


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"]
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"}
    subprocess.run(["git", *who, *words], cwd=folder, env=environ, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    made = tmp_path / "repository"
    made.mkdir()
    git(made, "init", "--quiet")
    (made / "bundle.json").write_bytes(b"main")
    git(made, "add", ".")
    git(made, "commit", "--quiet", "-m", "one")
    git(made, "checkout", "--quiet", "-b", "next")
    (made / "team").mkdir()
    (made / "team" / "b.json").write_bytes(b"next")
    git(made, "add", ".")
    git(made, "commit", "--quiet", "-m", "two")
    git(made, "checkout", "--quiet", "main")
    return made


def test_a_file_of_a_branch_is_fetched_by_git(repository: Path) -> None:
    assert fetch(address_of(f"git+file://{repository}")).data == b"main"
    assert fetch(address_of(f"git+file://{repository}#next:team/b.json")).data == b"next"
    assert code(f"git+file://{repository}#main:team/b.json") == "bundle-unreachable"
    assert code(f"git+file://{repository}#none:bundle.json") == "bundle-unreachable"
    assert code(f"git+file://{repository}/none") == "bundle-unreachable"


def test_a_large_file_of_a_repository_is_refused(repository: Path) -> None:
    (repository / "bundle.json").write_bytes(b"x" * (LARGEST + 1))
    git(repository, "commit", "--quiet", "-a", "-m", "large")
    assert code(f"git+file://{repository}") == "bundle-too-large"


def test_a_repository_without_end_is_cut_off(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.stores.bundle.fetch.GIT_BYTES", 64 * 1024)
    (repository / "noise").write_bytes(os.urandom(1024 * 1024))
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "noise")
    assert code(f"git+file://{repository}") == "bundle-unreachable"


def test_no_hook_of_a_template_runs(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    template = tmp_path / "template" / "hooks"
    template.mkdir(parents=True)
    for name in ("post-checkout", "reference-transaction", "post-index-change"):
        hook = template / name
        hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        hook.chmod(0o755)
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(tmp_path / "template"))
    assert fetch(address_of(f"git+file://{repository}")).data == b"main"
    assert not (tmp_path / "ran").exists()


# --- addresses -----------------------------------------------------------------------------

WRONG = [
    ("git+https://h.example/r?private_token=x", "credentials"),
    ("", "address"),
    ("http://elsewhere.example/b", "encryption"),
    ("https://u:p@host.example/b", "credentials"),
    ("https:///b", "host"),
    ("https://host.example:x/b", "port"),
    ("ftp://host.example/b", "begins with"),
    ("file:b.json", "absolute"),
    ("git+http://host.example/r", "begins with"),
    ("git+ext::sh -c x", "address"),
    ("git+ext://x", "begins with"),
    ("git+https://u@host.example/r", "credentials"),
    ("git+ssh://-oProxyCommand=x/r", "option"),
    ("git+https://host.example/r#--upload-pack=x:b", "branch"),
    ("git+https://host.example/r#main:../b", "branch"),
    ("git+https://host.example", "repository"),
]


@pytest.mark.parametrize(("text", "word"), WRONG, ids=[text for text, _ in WRONG])
def test_an_address_that_is_none_is_told(text: str, word: str) -> None:
    assert word in address_fault(text)


@pytest.mark.parametrize(
    "text",
    ["https://h.example/b?x=1", "http://127.0.0.1:8/b", "git+ssh://git@h.example/r#b", "file:/b"],
)
def test_an_address_that_can_be_used(text: str) -> None:
    assert not address_fault(text)
