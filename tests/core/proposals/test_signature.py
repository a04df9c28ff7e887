"""What is signed, that nothing else passes for it, and the codes of RFC 6238."""

from __future__ import annotations

import base64
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.errors import InputError
from penstock.core.proposals.signature import (
    DOMAIN,
    check,
    code_at,
    enrolment,
    key_id,
    matching_step,
    public_of,
    sign,
    statement,
    step_of,
)

SECRET = bytes(range(32))
PUBLIC = public_of(SECRET)
MESSAGE = statement("p-1", "sha256:a", "sha256:b", "sha256:r", 1_700_000_000.25, path="src/app.py")

TEXT = st.text(st.characters(), max_size=6)
PARTS = st.tuples(
    TEXT, st.none() | TEXT, st.none() | TEXT, TEXT, st.integers(0, 2**40).map(float), TEXT
)


def made(parts: tuple[Any, ...]) -> bytes:
    proposal_id, base, content, revision, at, path = parts
    return statement(proposal_id, base, content, revision, at, path=path)


def test_a_statement_is_written_like_this_for_ever() -> None:
    """Signatures of old records must still be checked in ten years."""
    assert MESSAGE == (
        b"penstock approval v1\n"
        b"proposal 3:p-1\n"
        b"base 8:sha256:a\n"
        b"content 8:sha256:b\n"
        b"revision 8:sha256:r\n"
        b"path 10:src/app.py\n"
        b"time 16:1700000000250000\n"
    )
    assert statement("p", None, None, "", 0.0) == (
        b"penstock approval v1\nproposal 1:p\nbase -\ncontent -\nrevision 0:\npath 0:\ntime 1:0\n"
    )


@given(PARTS, PARTS)
@settings(max_examples=300, deadline=None)
def test_two_approvals_that_differ_have_different_bytes(one: Any, other: Any) -> None:
    assert (made(one) == made(other)) == (one == other)


CONFUSED = [
    ("no file is not an empty digest", ("p", None, "c", "r"), ("p", "", "c", "r")),
    ("no file is not a dash", ("p", None, "c", "r"), ("p", "-", "c", "r")),
    ("base and content do not change places", ("p", "a", "b", "r"), ("p", "b", "a", "r")),
    ("a part does not run over", ("p", "a\ncontent 1:b", "c", "r"), ("p", "a", "b", "c")),
    ("characters do not move over", ("ab", "c", "d", "r"), ("a", "bc", "d", "r")),
    ("look-alikes differ", ("é", "c", "d", "r"), ("e\u0301", "c", "d", "r")),
]


@pytest.mark.parametrize(("why", "one", "other"), CONFUSED, ids=[row[0] for row in CONFUSED])
def test_approvals_are_not_confused(why: str, one: Any, other: Any) -> None:
    assert made((*one, 1.0, "")) != made((*other, 1.0, ""))


@pytest.mark.parametrize("at", [math.nan, math.inf, -math.inf])
def test_a_time_that_does_not_exist_cannot_be_signed(at: float) -> None:
    with pytest.raises(InputError):
        statement("p", None, None, "r", at)


def test_a_signature_holds_for_its_message_and_key_only() -> None:
    signature = sign(SECRET, MESSAGE)
    assert check(PUBLIC, MESSAGE, signature)
    assert not check(PUBLIC, MESSAGE + b"x", signature)
    assert not check(PUBLIC, MESSAGE.removeprefix(DOMAIN), signature)
    assert not check(public_of(bytes(32)), MESSAGE, signature)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_changed_byte_breaks_the_signature(data: st.DataObject) -> None:
    signature = sign(SECRET, MESSAGE)
    at = data.draw(st.integers(0, len(MESSAGE) - 1))
    bit = 1 << data.draw(st.integers(0, 7))
    changed = MESSAGE[:at] + bytes([MESSAGE[at] ^ bit]) + MESSAGE[at + 1 :]
    assert not check(PUBLIC, changed, signature)


GOOD = sign(SECRET, MESSAGE)
NO_SIGNATURES = [
    "",
    "=",
    "A",
    GOOD[:-4],
    GOOD + "AAAA",
    GOOD.rstrip("="),
    GOOD[:-3] + chr(ord(GOOD[-3]) + 1) + "==",  # the same bytes in another spelling
    " " + GOOD,
    GOOD + "\n",
    "é" * 88,
    "\udc80" * 88,
    base64.b64encode(bytes(64)).decode(),
]


@pytest.mark.parametrize("signature", NO_SIGNATURES)
def test_what_is_no_signature_does_not_hold(signature: str) -> None:
    assert not check(PUBLIC, MESSAGE, signature)


@pytest.mark.parametrize("public", [b"", b"x", PUBLIC + b"x", bytes(32), b"\xff" * 32])
def test_what_is_no_key_checks_nothing(public: bytes) -> None:
    assert not check(public, MESSAGE, GOOD)


def test_rfc_8032_test_1() -> None:
    secret = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    public = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    assert public_of(secret) == public
    made_hex = base64.b64decode(sign(secret, b"")).hex()
    assert made_hex.startswith("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155")
    assert check(public, b"", sign(secret, b""))


def test_a_key_has_a_short_name() -> None:
    assert key_id(PUBLIC) == "56475aa75463474c"
    assert key_id(PUBLIC) != key_id(public_of(bytes(32)))


# RFC 6238, appendix B, the rows for SHA-1
RFC_6238 = [
    (59, "94287082"),
    (1111111109, "07081804"),
    (1111111111, "14050471"),
    (1234567890, "89005924"),
    (2000000000, "69279037"),
    (20000000000, "65353130"),
]
SEED = b"12345678901234567890"


@pytest.mark.parametrize(("at", "code"), RFC_6238)
def test_codes_are_those_of_rfc_6238(at: int, code: str) -> None:
    assert code_at(SEED, step_of(at), digits=8) == code
    assert code_at(SEED, step_of(at)) == code[2:]


@pytest.mark.parametrize(
    ("late", "holds", "why"),
    [
        (0, True, "at once"),
        (29, True, "within its step"),
        (59, True, "one step late: typing takes time"),
        (-30, True, "one step early: clocks differ"),
        (90, False, "too late"),
        (-60, False, "too early"),
    ],
)
def test_a_code_holds_for_its_step_and_the_ones_beside_it(late: int, holds: bool, why: str) -> None:
    made_at = 1_200_000_000.0
    code = code_at(SEED, step_of(made_at))
    found = matching_step(SEED, code, made_at + late)
    assert (found is not None) is holds, why
    assert found in (None, step_of(made_at))


def test_a_code_is_used_once() -> None:
    at = 1_200_000_000.0
    step = step_of(at)
    code = code_at(SEED, step)
    assert matching_step(SEED, code, at, after=step - 1) == step
    assert matching_step(SEED, code, at, after=step) is None
    assert matching_step(SEED, code_at(SEED, step - 1), at, after=step) is None


def test_people_type_codes_with_a_space() -> None:
    at = 1111111109.0
    assert matching_step(SEED, "081 804", at) == step_of(at)


@pytest.mark.parametrize(
    "code", ["", "08180", "0818044", "abcdef", "٠٨١٨٠٤", "-81804", "081804\n", "\udc80"]
)
def test_what_is_no_code_does_not_hold(code: str) -> None:
    assert matching_step(SEED, code, 1111111109.0) is None


def test_at_the_beginning_of_time_there_is_no_step_before() -> None:
    assert matching_step(SEED, code_at(SEED, 0), 0.0) == 0


def test_an_app_can_read_the_enrolment() -> None:
    assert enrolment(SEED, "ada at home") == (
        "otpauth://totp/Penstock:ada%20at%20home?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
        "&issuer=Penstock&algorithm=SHA1&digits=6&period=30"
    )
    assert "%3F" in enrolment(SEED, "\udc80&/"), "any label is just a label"
