"""A witness as somebody else would write it, from the C2SP texts alone.

Written from tlog-witness, tlog-cosignature, tlog-checkpoint and signed-note, and from section
2.1.4.2 of RFC 9162 for proofs. It shares nothing with Penstock: its own note parser, its own check
of proofs, its own server. No such implementation installs from PyPI, npm or Debian.
"""

from __future__ import annotations

import base64
import hashlib
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

EM_DASH = "\u2014"
Answer = tuple[int, str, bytes]


class RefusalError(Exception):
    """A status that is not 200."""

    def __init__(self, status: int, kind: str = "text/plain", body: str = "") -> None:
        self.answer: Answer = (status, kind, body.encode())


def vkey(name: str, algorithm: int, public: bytes) -> str:
    data = bytes([algorithm]) + public
    ident = hashlib.sha256(name.encode() + b"\n" + data).digest()[:4]
    return f"{name}+{ident.hex()}+{base64.b64encode(data).decode()}"


def parse_vkey(text: str) -> tuple[str, bytes, bytes]:
    name, ident, data = text.split("+", 2)
    raw = base64.b64decode(data, validate=True)
    expected = hashlib.sha256(name.encode() + b"\n" + raw).digest()[:4]
    assert bytes.fromhex(ident) == expected
    assert raw[0] == 1
    return name, expected, raw[1:]


def parent(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def proof_holds(first: int, root1: bytes, second: int, root2: bytes, path: list[bytes]) -> bool:
    """RFC 9162, 2.1.4.2, as its numbered steps say."""
    if first == second:
        return not path and root1 == root2
    if first & (first - 1) == 0:
        path = [root1, *path]
    if not path:
        return False
    fn, sn = first - 1, second - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    fr = sr = path[0]
    for c in path[1:]:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            fr, sr = parent(c, fr), parent(c, sr)
            if not fn & 1:
                while fn and not fn & 1:
                    fn, sn = fn >> 1, sn >> 1
        else:
            sr = parent(sr, c)
        fn, sn = fn >> 1, sn >> 1
    return (fr, sr, sn) == (root1, root2, 0)


def cosign_note(private: Ed25519PrivateKey, name: str, text: str, when: int) -> str:
    message = f"cosignature/v1\ntime {when}\n{text}".encode()
    public = private.public_key().public_bytes_raw()
    ident = hashlib.sha256(name.encode() + b"\n\x04" + public).digest()[:4]
    blob = ident + struct.pack(">Q", when) + private.sign(message)
    return f"{EM_DASH} {name} {base64.b64encode(blob).decode()}\n"


class ForeignWitness:
    """Its memory: per origin the size and root that it cosigned last."""

    def __init__(self, name: str = "witness.example/w1") -> None:
        self.name = name
        seed = hashlib.sha256(name.encode()).digest()  # the same in each process of a test run
        self.private = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = vkey(name, 4, self.private.public_key().public_bytes_raw())
        self.logs: dict[str, tuple[str, bytes, bytes]] = {}
        self.seen: dict[str, tuple[int, bytes]] = {}
        self.requests: list[str] = []
        self.url = ""
        self._alone = threading.Lock()

    def trust(self, log_vkey: str) -> None:
        name, ident, raw = parse_vkey(log_vkey)
        self.logs[name] = (name, ident, raw)

    def add_checkpoint(self, body: bytes) -> Answer:
        text = body.decode()
        self.requests.append(text)
        head, empty, note = text.partition("\n\n")
        assert empty
        old_line, *steps = head.split("\n")
        word, _, number = old_line.partition(" ")
        assert word == "old"
        assert number == str(int(number))
        old = int(number)
        assert len(steps) <= 63
        path = [base64.b64decode(step, validate=True) for step in steps]
        assert all(len(step) == 32 for step in path)
        signed, _, signatures = note.rpartition("\n\n")
        signed += "\n"
        lines = signed.split("\n")
        assert len(lines) == 4, "no extension lines"
        assert lines[3] == ""
        origin, size, root = lines[0], int(lines[1]), base64.b64decode(lines[2], validate=True)
        assert lines[1] == str(size)
        assert len(root) == 32
        self._require_signed(origin, signed, signatures)
        if old > size:
            raise RefusalError(400)
        with self._alone:
            known, known_root = self.seen.get(origin, (0, b""))
            if old != known:
                raise RefusalError(409, "text/x.tlog.size", f"{known}\n")
            if old == size and root != known_root:
                raise RefusalError(409, "text/x.tlog.size", f"{known}\n")
            if old == 0:
                if path:
                    raise RefusalError(422)
            elif not proof_holds(old, known_root, size, root, path):
                raise RefusalError(422)
            self.seen[origin] = (size, root)
        made = cosign_note(self.private, self.name, signed, int(time.time()))
        return 200, "text/plain", made.encode()

    def _require_signed(self, origin: str, signed: str, signatures: str) -> None:
        known = self.logs.get(origin)
        if known is None:
            raise RefusalError(404)
        name, ident, raw = known
        for line in signatures.split("\n")[:-1]:
            dash, who, blob = line.split(" ")
            assert dash == EM_DASH
            data = base64.b64decode(blob, validate=True)
            if (who, data[:4]) != (name, ident):
                continue
            try:
                Ed25519PublicKey.from_public_bytes(raw).verify(data[4:], signed.encode())
            except InvalidSignature:
                continue
            return
        raise RefusalError(403)


@contextmanager
def serving(
    witness: ForeignWitness,
    *,
    tls: tuple[Path, Path] | None = None,
    mood: Callable[[Any], Answer | None] | None = None,
) -> Iterator[ForeignWitness]:
    """Serve a witness on loopback. `mood` may answer first, in whatever way it likes."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/w/add-checkpoint"
            body = self.rfile.read(int(self.headers["Content-Length"]))
            try:
                answer = (mood(self) if mood else None) or witness.add_checkpoint(body)
            except RefusalError as refusal:
                answer = refusal.answer
            except (AssertionError, ValueError) as error:
                answer = (400, "text/plain", repr(error).encode())
            status, kind, data = answer
            if not status:
                return
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """A client that has gone away is no news."""

    server = Server(("127.0.0.1", 0), Handler)
    scheme = "http"
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*tls)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        scheme = "https"
    witness.url = f"{scheme}://localhost:{server.server_address[1]}/w"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield witness
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
