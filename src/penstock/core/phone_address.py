"""The address under which other devices reach the review page: a host name and a port.

It has to be a name: a passkey belongs to a name, and browsers make none for a number. Opening it
is `app.phone`'s work, admitting requests the doors'.
Always true: a name that comes out is lower case, plain and not one of loopback's; a number that
comes out is one interface's, and none that the whole internet reaches.
"""

from __future__ import annotations

import ipaddress
import re

from msgspec import Struct

from penstock.core.errors import InputError
from penstock.core.loopback import NAME

PORT = 7718  # unless another is named; the page on this machine has the one before it
TLS_PORT = 443
LONGEST = 253
LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")

Number = ipaddress.IPv4Address | ipaddress.IPv6Address


class PhoneAddress(Struct, frozen=True, kw_only=True):
    """A host name and a port."""

    name: str
    port: int

    @property
    def origin(self) -> str:
        """How browsers write it: without the port that is usual for TLS."""
        return f"https://{self.name}" + (f":{self.port}" if self.port != TLS_PORT else "")


def phone_address(text: str) -> PhoneAddress:
    """Return NAME or NAME:PORT taken apart. Raises InputError `bad-address`, `not-a-name`."""
    name, colon, port = text.strip().lower().rpartition(":")
    if not colon or text.count(":") > 1:
        name, port = text.strip().lower(), str(PORT)
    name = name.removesuffix(".")
    if (
        text.strip().startswith("[")
        or _number(name) is not None
        or name.rpartition(".")[2].isdecimal()
    ):
        raise _needs_name(text, "a passkey belongs to a name, and browsers make none for a number")
    if name == NAME or name.endswith(f".{NAME}"):
        raise _needs_name(text, f"on a phone `{NAME}` is the phone itself")
    if not 0 < len(name) <= LONGEST or not all(map(LABEL.fullmatch, name.split("."))):
        raise _bad(text, "it is not a host name")
    if not (port.isascii() and port.isdecimal() and len(port) <= 5 and int(port) <= 65535):
        raise _bad(text, "the port is not a number up to 65535")
    return PhoneAddress(name=name, port=int(port))


def _needs_name(text: str, because: str) -> InputError:
    return InputError(
        "not-a-name",
        f"`{text}` can't be the address for other devices; a host name is needed",
        because=because,
        hint="use a name that leads to this machine: `laptop.local`, or its name in your tailnet",
    )


def _bad(text: str, because: str) -> InputError:
    hint = "write NAME or NAME:PORT, for example `laptop.local:7718`"
    return InputError("bad-address", f"`{text}` is not an address", because=because, hint=hint)


def interface(text: str) -> Number:
    """Return the number of an interface to listen on. Raises InputError `bad-interface`."""
    found = _number(text)
    if found is None:
        raise _no_interface(text, "it is not an IP address")
    if fault := interface_fault(found):
        raise _no_interface(text, fault)
    return found


def interface_fault(number: Number) -> str:
    """Return why an address is not listened on; "" where it may be."""
    if number.is_unspecified:
        return "it stands for every network of this machine; name one"
    if number.is_multicast:
        return "it is not the address of one machine"
    return "it is reachable from the internet" if number.is_global else ""


def _no_interface(text: str, because: str) -> InputError:
    hint = "use this machine's address in your LAN or tailnet"
    return InputError("bad-interface", f"can't listen on `{text}`", because=because, hint=hint)


def _number(text: str) -> Number | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None
