"""Real receivers of the audit log: rsyslog, an OpenTelemetry collector, and an HTTP endpoint.

Each listens on this machine alone, in a directory of its own, and ends with its test.
"""

from __future__ import annotations

import datetime
import ipaddress
import json
import random
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

PATIENCE = 60.0
HASH = '"event_hash":"'


def free_port() -> int:
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def wait_until(what: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < end, "it did not come in time"
        time.sleep(0.02)


def listens(port: int) -> bool:
    with closing(socket.socket()) as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def running(command: list[str], port: int, output: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a receiver until the block ends; it listens when the block begins."""
    with open(output, "ab") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said, stdin=subprocess.DEVNULL)
    try:
        wait_until(lambda: process.poll() is not None or listens(port))
        assert process.poll() is None, output.read_text(errors="replace")
        yield process
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


# --- certificates --------------------------------------------------------------------------


def certificate(folder: Path, *, host: str = "localhost") -> tuple[Path, Path]:
    """Make a certificate that signs itself; return it and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    now = datetime.datetime.now(datetime.UTC)
    names: list[x509.GeneralName] = [x509.DNSName(host)]
    if host == "localhost":
        names.append(x509.IPAddress(ipaddress.ip_address("127.0.0.1")))
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    folder.mkdir(parents=True, exist_ok=True)
    public, private = folder / "cert.pem", folder / "key.pem"
    public.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return public, private


# --- rsyslog -------------------------------------------------------------------------------

RSYSLOGD = shutil.which("rsyslogd") or shutil.which("rsyslogd", path="/usr/sbin:/sbin") or ""
GNUTLS = any(Path("/usr/lib").glob("*/rsyslog/lmnsd_gtls.so"))
_RSYSLOG = """
global(workDirectory="{folder}" maxMessageSize="256k"{tls})
module(load="imtcp"{mode})
template(name="raw" type="string" string="%rawmsg%\\n")
input(type="imtcp" address="127.0.0.1" port="{port}" ruleset="keep")
ruleset(name="keep") {{ action(type="omfile" file="{folder}/out.log" template="raw") }}
"""


@contextmanager
def rsyslog(folder: Path, *, tls: tuple[Path, Path] | None = None) -> Iterator[tuple[int, Path]]:
    """Give the port of a real rsyslog and the file in which it keeps messages."""
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    with_tls = mode = ""
    if tls:
        with_tls = (
            ' defaultNetstreamDriver="gtls"'
            f' defaultNetstreamDriverCAFile="{tls[0]}"'
            f' defaultNetstreamDriverCertFile="{tls[0]}"'
            f' defaultNetstreamDriverKeyFile="{tls[1]}"'
        )
        mode = ' streamDriver.name="gtls" streamDriver.mode="1" streamDriver.authMode="anon"'
    text = _RSYSLOG.format(folder=folder, port=port, tls=with_tls, mode=mode)
    (folder / "rsyslog.conf").write_text(text)
    pid = folder / "pid"
    command = [RSYSLOGD, "-n", "-f", str(folder / "rsyslog.conf"), "-i", str(pid)]
    with running(command, port, folder / "said"):
        yield port, folder / "out.log"


# --- an OpenTelemetry collector ------------------------------------------------------------


def collector() -> str:
    """Return the program of `rotel`, where it is installed; "" where it is not."""
    found = find_spec("rotel")
    return str(Path(found.origin).parent / "rotel-agent") if found and found.origin else ""


@contextmanager
def otel_collector(folder: Path) -> Iterator[tuple[int, Path]]:
    """Give the port of a real collector and the file to which it prints what it got."""
    port, other = free_port(), free_port()
    folder.mkdir(parents=True, exist_ok=True)
    command = [collector(), "start", "--otlp-http-endpoint", f"127.0.0.1:{port}"]
    command += ["--otlp-grpc-endpoint", f"127.0.0.1:{other}", "--exporter", "blackhole"]
    command += ["--debug-log", "logs", "--debug-log-verbosity", "detailed"]
    with running(command, port, folder / "said"):
        yield port, folder / "said"


# --- an HTTP endpoint ----------------------------------------------------------------------


class HttpSink(ThreadingHTTPServer):
    """Keeps what it is sent; `refuse` says with which status, before anything is stored."""

    daemon_threads = True

    def __init__(self, refuse: Callable[[bytes], int] = lambda _: 0) -> None:
        super().__init__(("127.0.0.1", 0), _Taking)
        self.refuse = refuse
        self.bodies: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        self.retry_after = ""
        self.answer: Callable[[bytes], bytes] = lambda _: b""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/in"

    @property
    def hashes(self) -> list[str]:
        """The hashes of all entries that were stored, in order."""
        lines = b"".join(self.bodies).split(b"\n")
        return [json.loads(line)["event_hash"] for line in lines if line]


class _Taking(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: HttpSink

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = self.server.refuse(body)
        if not status:
            self.server.bodies.append(body)
            self.server.headers.append(dict(self.headers.items()))
        self.send_response(status or 200)
        if status and self.server.retry_after:
            self.send_header("Retry-After", self.server.retry_after)
        said = self.server.answer(body)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *args: Any) -> None:
        pass


@contextmanager
def http_sink(refuse: Callable[[bytes], int] = lambda _: 0) -> Iterator[HttpSink]:
    with HttpSink(refuse) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def now_and_then(status: int, part: float, *, seed: int = 1) -> Callable[[bytes], int]:
    """Return what refuses so many of all requests, before storing them."""
    chance = random.Random(seed)
    return lambda _: status if chance.random() < part else 0
