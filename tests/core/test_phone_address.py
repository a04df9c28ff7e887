"""Where other devices reach the page: a name, and an interface of a network of one's own."""

from __future__ import annotations

import pytest

from penstock.core.errors import InputError
from penstock.core.phone_address import interface, phone_address
from penstock.core.proposals.passkey import relying_name

GOOD = {
    "laptop.local": "https://laptop.local:7718",
    "Laptop.Tail1234.ts.net:8443": "https://laptop.tail1234.ts.net:8443",
    "laptop.example:443": "https://laptop.example",
    "laptop": "https://laptop:7718",
    "laptop.local.": "https://laptop.local:7718",
    "xn--bcher-kva.example:0": "https://xn--bcher-kva.example:0",
}
BAD = {
    "192.168.1.2": "not-a-name",
    "192.168.1.2:7718": "not-a-name",
    "[fd00::1]:7718": "not-a-name",
    "fd00::1": "not-a-name",
    "1.2.3": "not-a-name",
    "localhost": "not-a-name",
    "app.localhost:7718": "not-a-name",
    "": "bad-address",
    ":7718": "bad-address",
    "a b": "bad-address",
    "bücher.example": "bad-address",
    "-x.example": "bad-address",
    "x..example": "bad-address",
    "laptop/evil": "bad-address",
    "user@laptop": "bad-address",
    "laptop:port": "bad-address",
    "laptop:65536": "bad-address",
    f"{'a' * 64}.example": "bad-address",
}
INTERFACES = {
    "192.168.1.2": True,
    "10.0.0.1": True,
    "100.101.102.103": True,  # a tailnet's
    "fd7a:115c:a1e0::1": True,
    "127.0.0.1": True,
    "0.0.0.0": False,
    "::": False,
    "8.8.8.8": False,
    "2606:4700::1": False,
    "224.0.0.1": False,
    "laptop": False,
    "": False,
}


@pytest.mark.parametrize(("text", "origin"), GOOD.items())
def test_a_name_becomes_the_origin_that_browsers_write(text: str, origin: str) -> None:
    at = phone_address(text)
    assert at.origin == origin
    assert relying_name(at.origin) == at.name


@pytest.mark.parametrize(("text", "code"), BAD.items())
def test_what_can_have_no_passkey_or_is_no_name_is_refused(text: str, code: str) -> None:
    with pytest.raises(InputError) as no:
        phone_address(text)
    assert no.value.code == code


@pytest.mark.parametrize(("text", "good"), INTERFACES.items())
def test_only_one_address_of_a_private_network_is_listened_on(text: str, good: bool) -> None:
    if good:
        assert str(interface(text)) == text
        return
    with pytest.raises(InputError) as no:
        interface(text)
    assert no.value.code == "bad-interface"
