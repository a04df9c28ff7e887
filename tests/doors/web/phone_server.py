"""The page at an address for other devices: on loopback, under a name, by real TLS."""

from __future__ import annotations

import base64
import http.client
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from penstock.app.phone import OpenPhone, PhoneOptions, open_phone
from penstock.doors.web.context import World
from tests.doors.web.page_server import Browser, Served, serving

NAME = "phone.test"


@dataclass
class PhoneBrowser(Browser):
    """A client that trusts the certificate that we made, and nothing else."""

    trust: bytes = b""
    host: str = ""
    checks: bool = field(default=True)

    @property
    def origin(self) -> str:
        return f"https://{NAME}:{self.port}"

    def connected(self) -> http.client.HTTPConnection:
        context = ssl.create_default_context(cadata=self.trust.decode())
        made = http.client.HTTPConnection(NAME, self.port, timeout=30)
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        made.sock = context.wrap_socket(plain, server_hostname=NAME)
        return made


@dataclass
class PhoneServed:
    """A project that is served to this machine, and to others."""

    served: Served
    opened: OpenPhone

    @property
    def world(self) -> World:
        found = self.served.world.phone
        assert found is not None
        return found

    @property
    def port(self) -> int:
        return self.opened.at.port

    def stranger(self) -> PhoneBrowser:
        return PhoneBrowser(self.port, trust=self.opened.certificate.authority)

    def browser(self) -> PhoneBrowser:
        """Follow a one-time link."""
        link = urlsplit(self.world.link())
        made = self.stranger()
        answer = made.get(f"{link.path}?{link.query}")
        assert answer.status == 303, answer.text
        made.cookie = answer.headers["Set-Cookie"].partition(";")[0]
        session = self.world.session_of({"cookie": made.cookie})
        assert session is not None
        made.csrf = session.csrf
        return made

    @property
    def pin(self) -> str:
        """What a browser is told to trust: the digest of this very key."""
        data = Path(self.opened.certificate.chain).read_bytes()
        key = x509.load_pem_x509_certificates(data)[0].public_key()
        spki = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return base64.b64encode(sha256(spki).digest()).decode()


def phone_at(home: Path, *, port: int = 0) -> OpenPhone:
    """Open the address, with its state below `home`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(home))
        return open_phone(PhoneOptions(address=f"{NAME}:{port}", bind="127.0.0.1"))


@contextmanager
def serving_phone(home: Path, *, tls: Path | None = None, **more: str) -> Iterator[PhoneServed]:
    """Serve a project to this machine and to others; `tls` is where the certificate is kept."""
    opened = phone_at(tls or home)
    with serving(home, phone=opened, **more) as served:  # type: ignore[arg-type]
        yield PhoneServed(served, opened)
