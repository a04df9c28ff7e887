"""A push service on loopback, and the browser behind it: it decrypts what it is sent, for real."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from os import urandom
from threading import Thread
from typing import Any

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02

from penstock.core.notify.push import PushSubscription

SERVICES = ("127.0.0.1",)


def text(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


@dataclass
class PushService:
    """What came in: headers, and bodies as they were sent."""

    port: int = 0
    status: int = 201
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )
    auth: bytes = field(default_factory=lambda: urandom(16))

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}/send/abc123"

    @property
    def document(self) -> dict[str, Any]:
        """The subscription as a browser writes it."""
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        keys = {"p256dh": text(point), "auth": text(self.auth)}
        return {"endpoint": self.endpoint, "expirationTime": None, "keys": keys}

    @property
    def subscription(self) -> PushSubscription:
        keys = self.document["keys"]
        return PushSubscription(
            endpoint=self.endpoint, origin="https://phone.test:7718", since=1.0, **keys
        )

    def opened(self, at: int = -1) -> bytes:
        """Decrypt a push as the browser does."""
        found: bytes = http_ece.decrypt(
            self.bodies[at], private_key=self.key, auth_secret=self.auth, version="aes128gcm"
        )
        return found

    def claims(self, at: int = -1) -> dict[str, Any]:
        """Check who signed, as the service does, and return what they said."""
        signed = self.headers[at]["authorization"]
        assert Vapid02.verify(signed)
        middle = signed.partition("t=")[2].split(".")[1]
        found: dict[str, Any] = json.loads(urlsafe_b64decode(middle + "=" * (-len(middle) % 4)))
        return found


@contextmanager
def push_service() -> Iterator[PushService]:
    """Run it."""
    made = PushService()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            made.headers.append({name.lower(): value for name, value in self.headers.items()})
            made.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(made.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.port = server.server_address[1]
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
