"""The audit log arrives: at sinks that refuse, go away, or take everything but one entry.

`PENSTOCK_SHIPPED=1000000` is the long form.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest

from penstock.app import Workspace
from penstock.app.ship import Shipper, SinkTurn, turns
from penstock.core.errors import InputError
from penstock.stores.audit.jsonl import JsonlLog
from tests.receivers import (
    GNUTLS,
    RSYSLOGD,
    HttpSink,
    certificate,
    collector,
    http_sink,
    now_and_then,
    otel_collector,
    rsyslog,
    wait_until,
)

FEW, MANY = 300, int(os.environ.get("PENSTOCK_SHIPPED", "5000"))
NO_RSYSLOG = pytest.mark.skipif(not RSYSLOGD, reason="NOT TESTED: rsyslog is not installed")
NO_GNUTLS = pytest.mark.skipif(not GNUTLS, reason="NOT TESTED: rsyslog-gnutls is not installed")
NO_COLLECTOR = pytest.mark.skipif(not collector(), reason="NOT TESTED: rotel is not installed")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "project").mkdir()
    (tmp_path / "project/penstock.toml").write_text("version = 1\n")
    return Workspace(str(tmp_path / "project"), str(tmp_path / "state" / "p"))


def add(here: Workspace, count: int, **facts: str) -> list[str]:
    """Add entries; return their hashes."""
    os.makedirs(here.state, mode=0o700, exist_ok=True)
    os.chmod(os.path.dirname(here.state), 0o700)
    log = JsonlLog(here.audit_path, clock=lambda: 1e9)
    events = [{"op": "note", "path": f"ü {at}", "status": "ok", **facts} for at in range(count)]
    made: list[str] = []
    for at in range(0, count, 500):
        made += [one.event_hash for one in log.append_many(events[at : at + 500], durable=False)]
    return made


def turn(here: Workspace, sink: str, **settings: str) -> SinkTurn:
    if settings:
        own = Path(os.environ["HOME"], ".config/penstock")
        own.mkdir(parents=True, exist_ok=True)
        said = "".join(f"{name} = {json.dumps(value)}\n" for name, value in settings.items())
        (own / "penstock.toml").write_text(f"version = 1\n[ship]\n{said}")
    (found,) = turns(here, sinks=[sink])
    return found


def hashes(here: Workspace) -> list[str]:
    return [str(event["event_hash"]) for event in here.record.events()]


# --- HTTP ----------------------------------------------------------------------------------


def test_every_entry_arrives_once_and_in_order(here: Workspace) -> None:
    with http_sink() as sink:
        made = add(here, FEW)
        one = turn(here, sink.url)
        assert one.send() == ""
        assert sink.hashes == made
        made += add(here, 3)
        assert one.status().lag == 3
        assert one.send() == ""
        assert sink.hashes == made
        assert (one.status().lag, one.status().error) == (0, "")
        assert max(map(len, sink.bodies)) <= 512 * 1024


def test_a_sink_that_refuses_now_and_then_and_goes_away_gets_everything(here: Workspace) -> None:
    """It answers 503 before it stores 30 % of the batches; small ones, so that there are many."""
    add(here, MANY, reason="x" * 400)
    made = hashes(here)  # a rotation of the log is an entry, too
    with http_sink(now_and_then(503, 0.3)) as sink:
        one = turn(here, sink.url)
        tries = 0
        while one.send():
            tries += 1
            assert tries < 1000
    assert set(sink.hashes) == set(made)
    assert len(sink.hashes) <= 1.01 * len(made)
    assert "connection refused" in turn(here, sink.url).send() or one.status().lag == 0
    add(here, 1)
    assert "connection refused" in one.send()
    assert one.status().error == "connection refused"
    assert one.status().lag == 1


def test_the_credential_and_retry_after_are_heard(
    here: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "Splunk abc")
    add(here, 1)
    with http_sink(lambda _: 429) as sink:
        sink.retry_after = "120"
        one = turn(here, sink.url, authorization="env:TOKEN")
        before = one.not_before
        assert one.send() == "the sink answered 429"
        assert one.not_before - before > 100
        sink.refuse = lambda _: 0
        assert one.send() == ""
        assert sink.headers[0]["Authorization"] == "Splunk abc"
    files = [path.read_bytes() for path in Path(here.state).rglob("*") if path.is_file()]
    assert not any(b"Splunk abc" in data for data in files)


def test_one_entry_that_is_refused_is_set_aside_and_told(here: Workspace) -> None:
    made = add(here, 20)
    add(here, 1, reason="poison")
    made += add(here, 20)
    with http_sink(lambda body: 400 if b"poison" in body else 0) as sink:
        one = turn(here, sink.url)
        assert one.send() == ""
        assert sink.hashes[:40] == made
        aside = list(Path(here.state, "ship").glob("*.refused.jsonl"))
        assert [b"poison" in path.read_bytes() for path in aside] == [True]
        told = [event for event in here.record.events() if event["op"] == "ship_refused"]
        assert [(event["numbers"], event["sink"]) for event in told] == [("20", sink.url)]
        assert one.send() == ""  # the entry about it arrives as well
        assert set(sink.hashes) == set(hashes(here)) - {hashes(here)[20]}


def test_a_collector_that_takes_a_part_keeps_no_entry_from_us(here: Workspace) -> None:
    """Its status is 200, and `partialSuccess` says that one record was dropped."""
    add(here, 9)
    add(here, 1, reason="poison")
    add(here, 10)
    made = hashes(here)
    rejects = b'{"partialSuccess":{"rejectedLogRecords":"1"}}'
    with http_sink() as sink:
        sink.answer = lambda body: rejects if b"poison" in body else b"{}"
        assert turn(here, f"otlp+{sink.url}").send() == ""
        taken = b"".join(body for body in sink.bodies if b"poison" not in body)
        own = '{"key":"event_hash","value":{"stringValue":"%s"}}'
        assert [one for one in made if (own % one).encode() not in taken] == [made[9]]
        (aside,) = Path(here.state, "ship").glob("*.refused.jsonl")
        assert made[9].encode() in aside.read_bytes()
        assert "ship_refused" in [event["op"] for event in here.record.events()]


def test_a_collectors_answer_that_is_cut_off_is_no_answer(here: Workspace) -> None:
    """Headers that say 200, and then the end: whether it rejects entries is not known."""
    import socket

    add(here, 2)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            line, _ = server.accept()
            with line:
                line.recv(1 << 20)
                line.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 60\r\n\r\n{"partial')

        thread = threading.Thread(target=answer)
        thread.start()
        one = turn(here, f"otlp+http://127.0.0.1:{server.getsockname()[1]}")
        assert one.send() == "its answer ends early, and may reject entries"
        thread.join()
    assert one.status().lag == 2


def test_a_sink_that_refuses_everything_costs_no_entry(here: Workspace) -> None:
    made = add(here, 50)
    with http_sink(lambda _: 400) as sink:
        one = turn(here, sink.url)
        for _ in range(3):
            assert one.send() == "the sink answered 400"
        assert not list(Path(here.state, "ship").glob("*.refused.jsonl"))
        assert hashes(here) == made
        sink.refuse = lambda _: 0
        assert one.send() == ""
        assert sink.hashes == made


def test_a_refused_last_entry_waits_for_a_later_one(here: Workspace) -> None:
    add(here, 1, reason="poison")
    with http_sink(lambda body: 400 if b"poison" in body else 0) as sink:
        one = turn(here, sink.url)
        assert one.send() == "it refuses the entry with number 0"
        assert one.status().lag == 1
        add(here, 1)
        assert one.send() == ""


def test_a_log_that_was_replaced_is_sent_anew_and_that_is_told(here: Workspace) -> None:
    add(here, 3)
    with http_sink() as sink:
        one = turn(here, sink.url)
        assert one.send() == ""
        os.unlink(here.audit_path)
        made = add(here, 2, reason="another log")
        assert one.send() == ""
        assert set(made) <= set(sink.hashes)
        assert "ship_restarted" in [event["op"] for event in here.record.events()]


def test_a_certificate_that_is_not_trusted_gets_nothing(here: Workspace, tmp_path: Path) -> None:
    import ssl

    public, private = certificate(tmp_path / "tls")
    other, _ = certificate(tmp_path / "other")
    add(here, 2)
    with http_sink() as sink:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(public, private)
        sink.socket = context.wrap_socket(sink.socket, server_side=True)
        port = sink.server_address[1]
        address = f"https://localhost:{port}/in"
        assert "certificate is not valid" in turn(here, address).send()
        assert "certificate is not valid" in turn(here, address, ca_file=str(other)).send()
        assert sink.bodies == []
        assert turn(here, address, ca_file=str(public)).send() == ""
        assert len(sink.hashes) == 2


GARBAGE: list[tuple[str, bytes]] = [
    ("nothing", b""),
    ("no HTTP", b"\x00\xff" * 100),
    ("half a head", b"HTTP/1.1 200"),
    ("a bad length", b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"),
    ("a bad status", b"HTTP/1.1 abc OK\r\n\r\n"),
    ("a redirect", b"HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n"),
    ("a long head", b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 500 + b"\r\n"),
]


@pytest.mark.parametrize(("name", "said"), GARBAGE)
def test_garbage_from_a_sink_is_a_problem_and_loses_nothing(
    here: Workspace, name: str, said: bytes
) -> None:
    import socket

    add(here, 2)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            line, _ = server.accept()
            with line:
                line.recv(1 << 20)
                line.sendall(said)

        thread = threading.Thread(target=answer)
        thread.start()
        one = turn(here, f"http://127.0.0.1:{server.getsockname()[1]}/")
        problem = one.send()
        thread.join()
    if name not in ("half a head", "a bad length"):  # their status says that it was taken
        assert problem
        assert one.status().lag == 2


# --- other receivers -----------------------------------------------------------------------


@NO_RSYSLOG
def test_a_real_rsyslog_gets_every_entry(here: Workspace, tmp_path: Path) -> None:
    add(here, MANY)
    made = hashes(here)
    with rsyslog(tmp_path / "rsyslog") as (port, out):
        assert turn(here, f"syslog+tcp://127.0.0.1:{port}").send() == ""
        wait_until(lambda: out.exists() and out.read_bytes().count(b"\n") >= len(made))
    assert _in_structured_data(out) == made


@NO_RSYSLOG
@NO_GNUTLS
def test_a_real_rsyslog_gets_every_entry_by_tls(here: Workspace, tmp_path: Path) -> None:
    made = add(here, FEW)
    public, private = certificate(tmp_path / "tls")
    with rsyslog(tmp_path / "rsyslog", tls=(public, private)) as (port, out):
        address = f"syslog+tls://localhost:{port}"
        assert "certificate is not valid" in turn(here, address).send()
        assert turn(here, address, ca_file=str(public)).send() == ""
        wait_until(lambda: out.exists() and out.read_bytes().count(b"\n") >= len(made))
    assert _in_structured_data(out) == made


def _in_structured_data(out: Path) -> list[str]:
    lines = out.read_text().splitlines()
    return [line.partition('event_hash="')[2].partition('"')[0] for line in lines]


@NO_COLLECTOR
def test_a_real_collector_gets_every_entry(here: Workspace, tmp_path: Path) -> None:
    add(here, MANY)
    missing, twice = set(hashes(here)), 0
    with otel_collector(tmp_path / "otel") as (port, out), out.open("rb") as printed:
        assert turn(here, f"otlp+http://127.0.0.1:{port}").send() == ""

        def arrived() -> bool:
            """Read on in what it printed, which may be gigabytes."""
            nonlocal twice
            for line in iter(printed.readline, b""):
                if not line.endswith(b"\n"):
                    printed.seek(-len(line), os.SEEK_CUR)  # it is still being written
                    break
                name, _, value = line.strip().partition(b": Str(")
                if name == b"-> event_hash":
                    one = value.rstrip(b")").decode()
                    twice += one not in missing
                    missing.discard(one)
            return not missing

        wait_until(arrived)
    assert twice <= MANY / 100


def test_a_file_gets_every_entry_through_no_link(here: Workspace, tmp_path: Path) -> None:
    made = add(here, FEW)
    target = tmp_path / "out.jsonl"
    assert turn(here, f"file:{target}").send() == ""
    lines = target.read_bytes().splitlines()
    assert [json.loads(line)["event_hash"] for line in lines] == made
    assert target.stat().st_mode & 0o077 == 0
    (tmp_path / "link").symlink_to(target)
    assert turn(here, f"file:{tmp_path / 'link'}").send()
    assert turn(here, f"file:{tmp_path / 'no/such'}").send() == "no such file or directory"


def test_formats_are_those_of_export(here: Workspace, tmp_path: Path) -> None:
    add(here, 2)
    target = tmp_path / "out"
    assert turn(here, f"file:{target}", format="ocsf").send() == ""
    assert [json.loads(line)["class_uid"] for line in target.read_text().splitlines()]


# --- processes -----------------------------------------------------------------------------

KILLED = """
import sys
from penstock.app import Workspace
from penstock.app.ship import turns
here = Workspace(sys.argv[1], sys.argv[2])
(one,) = turns(here, sinks=[sys.argv[3]])
print("begun", flush=True)
print(one.send(), flush=True)
"""


def _got(process: subprocess.Popen[bytes], sink: HttpSink, batches: int) -> bool:
    return process.poll() is not None or len(sink.bodies) >= batches


def test_a_killed_process_loses_nothing(here: Workspace) -> None:
    add(here, MANY, reason="x" * 400)
    made = hashes(here)
    command = [sys.executable, "-c", KILLED, here.root, here.state]
    with http_sink() as sink:
        for at in range(12):
            after = len(sink.bodies) + 1
            with subprocess.Popen([*command, sink.url], stdout=subprocess.PIPE) as process:
                assert process.stdout is not None
                process.stdout.readline()
                if at < 11:
                    wait_until(partial(_got, process, sink, after))
                    process.send_signal(signal.SIGKILL)
                process.wait()
        assert turn(here, sink.url).send() == ""
    assert set(sink.hashes) == set(made)


def test_a_shipper_says_a_problem_once_and_sends_again_in_time(here: Workspace) -> None:
    add(here, 1)
    said: list[str] = []
    with http_sink(lambda _: 503) as sink:
        one = turn(here, sink.url)
        shipper = Shipper(found=lambda: [one], say=said.append)
        for _ in range(3):
            one.not_before = 0.0
            shipper.look()
        assert said == [f"the audit log was not sent to {sink.url}: the sink answered 503"]
        shipper.look()  # not before its time
        sink.refuse = lambda _: 0
        one.not_before = 0.0
        shipper.look()
        assert len(sink.hashes) == 1


def test_a_bad_address_or_rule_is_told(here: Workspace) -> None:
    with pytest.raises(InputError) as told:
        turn(here, "http://elsewhere.example/in")
    assert told.value.code == "bad-sink"


def test_a_project_cannot_have_the_log_sent(here: Workspace) -> None:
    rules = 'version = 1\n[ship]\nsinks = ["https://evil.example/in"]\n'
    Path(here.root, "penstock.toml").write_text(rules)
    assert turns(here) == []


def test_the_brokers_log_is_sent_as_well(here: Workspace, tmp_path: Path) -> None:
    add(here, 1)
    JsonlLog(str(Path(here.root, ".agentzero_audit.jsonl")), clock=lambda: 1e9).append(
        {"op": "write_file", "path": "a", "status": "ok"}, durable=False
    )
    found = turns(here, sinks=[f"file:{tmp_path / 'out'}"])
    assert [one.log for one in found] == ["audit", "broker"]
    assert [one.send() for one in found] == ["", ""]
    assert len((tmp_path / "out").read_text().splitlines()) == 2
