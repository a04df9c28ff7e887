"""Open the address for other devices: its sockets, its certificate, and where it is.

It is opened only when its owner says so, at the addresses that its name has in their own networks.
Always true: nothing is listened on that the whole internet reaches; without a certificate for the
name nothing is opened.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl

from msgspec import Struct
from msgspec.structs import replace

from penstock.app.listen import opened
from penstock.core.errors import InputError
from penstock.core.phone_address import (
    PhoneAddress,
    interface,
    interface_fault,
    phone_address,
)
from penstock.stores.system.places import state_home
from penstock.stores.system.tls_certificate import (
    TlsCertificate,
    made_certificate,
    own_certificate,
)

BACKLOG = 64
MOST_NUMBERS = 4
HINT = "choose another port, or name one of this machine's addresses with --bind"


class PhoneOptions(Struct, frozen=True, kw_only=True):
    """What its owner says: NAME[:PORT], and what they would rather choose themselves."""

    address: str
    bind: str = ""
    certificate: str = ""
    key: str = ""


class OpenPhone(Struct, frozen=True, kw_only=True):
    """An address that is open: where, its sockets, and what it shows of itself."""

    at: PhoneAddress
    sockets: tuple[socket.socket, ...]
    context: ssl.SSLContext
    certificate: TlsCertificate


def open_phone(options: PhoneOptions) -> OpenPhone:
    """Open the address for other devices. Raises InputError, StoreError."""
    at = phone_address(options.address)
    found = _certificate(at.name, options)
    context = found.context()
    sockets = [opened(one, at.port, backlog=BACKLOG, hint=HINT) for one in _numbers(at, options)]
    port = sockets[0].getsockname()[1]
    return OpenPhone(
        at=replace(at, port=port), sockets=tuple(sockets), context=context, certificate=found
    )


def _certificate(name: str, options: PhoneOptions) -> TlsCertificate:
    if bool(options.certificate) != bool(options.key):
        raise InputError(
            "bad-certificate",
            "a certificate and its key belong together",
            because="only one of the two files was named",
            hint="name both with --certificate and --certificate-key",
        )
    if options.certificate:
        return own_certificate(name, options.certificate, options.key)
    return made_certificate(state_home(), name)


def _numbers(at: PhoneAddress, options: PhoneOptions) -> list[str]:
    """Return where to listen: as was said, or what the name leads to in this machine's networks."""
    if options.bind:
        return [str(interface(options.bind))]
    try:
        found = socket.getaddrinfo(at.name, at.port, type=socket.SOCK_STREAM)
    except OSError as fault:
        raise _nowhere(at.name, (fault.strerror or str(fault)).lower()) from None
    numbers = {ipaddress.ip_address(str(one[4][0]).partition("%")[0]) for one in found}
    ours = [one for one in numbers if not one.is_loopback and not interface_fault(one)]
    if not ours:
        named = ", ".join(sorted(map(str, numbers)))
        raise _nowhere(at.name, f"it leads to {named}, which is no address in a LAN or tailnet")
    return sorted(map(str, ours))[:MOST_NUMBERS]


def _nowhere(name: str, because: str) -> InputError:
    return InputError(
        "no-interface",
        f"`{name}` leads to no address that other devices in your network can reach",
        because=because,
        hint="name this machine's address in your LAN or tailnet with --bind",
    )
