"""Which names lead to this machine alone, and which token is the right one."""

from __future__ import annotations

import pytest

from penstock.core.errors import InputError
from penstock.core.loopback import check, is_ours, same

HEADERS = [
    ("127.0.0.1", True, "no port"),
    ("127.0.0.1:7717", True, "a port"),
    ("LocalHost:80", True, "names have no case"),
    ("[::1]:7717", True, "the other family"),
    ("[::1]", True, "the other family, no port"),
    ("", False, "no name"),
    (":7717", False, "a port alone"),
    ("::1", False, "a header has it in brackets"),
    ("127.0.0.1:port", False, "no number is no port"),
    ("127.0.0.1.evil.example:80", False, "a name that begins like ours"),
    ("evil.localhost", False, "a name that ends like ours"),
    ("169.254.1.1", False, "another address"),
    ("0.0.0.0", False, "every address of the machine"),
]


@pytest.mark.parametrize(("header", "ours", "why"), HEADERS, ids=[row[2] for row in HEADERS])
def test_a_host_header_names_this_machine_only_by_an_exact_name(
    header: str, ours: bool, why: str
) -> None:
    assert is_ours(header) is ours


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_loopback_may_be_listened_on(host: str) -> None:
    check(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "", "example.org", "[::1]"])
def test_nothing_but_loopback_may_be_listened_on(host: str) -> None:
    with pytest.raises(InputError, match="on this machine only") as told:
        check(host)
    assert told.value.code == "not-loopback"


@pytest.mark.parametrize(
    ("given", "equal"),
    [("abc", True), ("abd", False), ("", False), ("é", False), ("\ud800", False)],
)
def test_tokens_are_compared_whole(given: str, equal: bool) -> None:
    assert same(given, "abc") is equal
