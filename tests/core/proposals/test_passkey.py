"""A touch of a passkey: good for one challenge at one address, and for nothing else."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from webauthn import verify_authentication_response

from penstock.core.proposals import passkey as module
from penstock.core.proposals.passkey import (
    MOST_BYTES,
    Passkey,
    PasskeyTouch,
    as_text,
    fault,
    from_text,
)
from penstock.core.proposals.signature import key_id, public_of, sign
from tests.authenticator import ORIGIN, PRESENT, VERIFIED, Authenticator

APPROVER = bytes(range(32))
CHALLENGE = bytes(range(32, 64))
KINDS = ("es256", "eddsa", "rs256")
MADE = {kind: Authenticator(kind=kind, count=7) for kind in KINDS}


def registered(one: Authenticator, **other: Any) -> Passkey:
    facts: dict[str, Any] = {
        "credential": one.credential,
        "public": one.public,
        "origin": ORIGIN,
        "label": "key ring",
        "since": 1000.5,
        "key_id": key_id(public_of(APPROVER)),
    }
    made = Passkey(**{**facts, **other})
    return replace(made, signature=sign(APPROVER, made.statement()))


def library_says(one: Authenticator, touch: PasskeyTouch, challenge: bytes = CHALLENGE) -> bool:
    """Ask the library that the field uses, with the same demands."""
    credential = {
        "id": as_text(one.credential),
        "rawId": as_text(one.credential),
        "type": "public-key",
        "response": {
            "clientDataJSON": as_text(touch.client_data),
            "authenticatorData": as_text(touch.authenticator_data),
            "signature": as_text(touch.signature),
        },
    }
    try:
        verify_authentication_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id="localhost",
            expected_origin=ORIGIN,
            credential_public_key=one.cose,
            credential_current_sign_count=0,
            require_user_verification=True,
        )
    except Exception:  # whatever it stumbles over, it has not said yes
        return False
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_a_touch_for_this_challenge_is_good(kind: str) -> None:
    one = MADE[kind]
    touch = PasskeyTouch(**one.touch(CHALLENGE))
    assert fault(registered(one), CHALLENGE, touch) == ""
    assert touch.count == one.count
    assert library_says(one, touch)


def test_what_the_browser_adds_of_its_own_does_no_harm() -> None:
    more = {"other_keys_can_be_added_here": "do not compare clientDataJSON against a template"}
    touch = PasskeyTouch(**MADE["es256"].touch(CHALLENGE, more=more))
    assert fault(registered(MADE["es256"]), CHALLENGE, touch) == ""


# One thing wrong in each; everything else is signed and right.
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "another name": ({"rp": "evil.example"}, "another name"),
    "another site": ({"origin": "https://evil.example"}, "another page"),
    "another port of localhost": ({"origin": "http://localhost:3000"}, "another page"),
    "the number in place of the name": ({"origin": "http://127.0.0.1:7717"}, "another page"),
    "another scheme": ({"origin": "https://localhost:7717"}, "another page"),
    "a path behind the address": ({"origin": f"{ORIGIN}/"}, "another page"),
    "no address": ({"origin": ""}, "another page"),
    "nobody was verified": ({"flags": PRESENT}, "did not check"),
    "nobody was there": ({"flags": VERIFIED}, "nobody touched"),
    "no flags": ({"flags": 0}, "nobody touched"),
    "made to register": ({"kind": "webauthn.create"}, "not made to sign"),
    "made to pay": ({"kind": "payment.get"}, "not made to sign"),
    "inside a frame": ({"crossOrigin": True}, "inside of another page"),
    "a frame that is no answer": ({"crossOrigin": "no"}, "inside of another page"),
    "below another page": ({"topOrigin": "http://localhost:3000"}, "inside of another page"),
    "attested data": ({"flags": PRESENT | VERIFIED | 0x40, "extra": bytes(18)}, "more than it"),
    "bytes that no flag tells of": ({"extra": b"x"}, "more than it"),
    "too large": ({"padding": "x" * MOST_BYTES}, "too large"),
}


@pytest.mark.parametrize(("how", "why"), WRONG.values(), ids=WRONG.keys())
def test_one_thing_that_is_wrong_is_enough(how: dict[str, Any], why: str) -> None:
    one = MADE["es256"]
    assert why in fault(registered(one), CHALLENGE, PasskeyTouch(**one.touch(CHALLENGE, **how)))


@pytest.mark.parametrize("kind", KINDS)
def test_a_touch_is_good_for_no_other_challenge_and_no_other_passkey(kind: str) -> None:
    one, other = MADE[kind], Authenticator(kind=kind)
    touch = PasskeyTouch(**one.touch(CHALLENGE))
    assert fault(registered(one), bytes(32), touch) == "it was made for something else"
    assert fault(registered(other), CHALLENGE, touch) == "its signature is invalid"
    assert not library_says(one, touch, bytes(32))
    assert not library_says(other, touch)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(KINDS),
    st.sampled_from(["client_data", "authenticator_data", "signature"]),
    st.integers(min_value=0, max_value=10**6),
    st.integers(min_value=1, max_value=255),
)
def test_any_changed_byte_is_noticed_here_and_by_the_library(
    kind: str, part: str, at: int, by: int
) -> None:
    one = MADE[kind]
    made = one.touch(CHALLENGE)
    data = bytearray(made[part])
    data[at % len(data)] ^= by
    touch = PasskeyTouch(**{**made, part: bytes(data)})
    assert fault(registered(one), CHALLENGE, touch) != ""
    assert not library_says(one, touch)


def test_client_data_that_reads_in_two_ways_is_none() -> None:
    one = MADE["es256"]
    made = one.touch(CHALLENGE)
    twice = made["client_data"][:-1] + f',"origin":"{ORIGIN}"}}'.encode()
    for client in (twice, b"[]", b"", b"\xff", json.dumps(None).encode()):
        signature = one.sign(made["authenticator_data"] + sha256(client).digest())
        touch = PasskeyTouch(**{**made, "client_data": client, "signature": signature})
        assert fault(registered(one), CHALLENGE, touch) == "the browser's part can't be read"


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200), st.binary(max_size=80), st.binary(max_size=80))
def test_no_bytes_stop_the_check(client: bytes, data: bytes, signature: bytes) -> None:
    touch = PasskeyTouch(client_data=client, authenticator_data=data, signature=signature)
    assert fault(registered(MADE["es256"]), CHALLENGE, touch)


# --- whose passkey it is -------------------------------------------------------------------------

SWAPPED: dict[str, dict[str, Any]] = {
    "another key": {"public": Authenticator().public},
    "another credential": {"credential": b"credential-2"},
    "another address": {"origin": "http://localhost:3000"},
    "another label": {"label": "mine"},
    "another time": {"since": 1000.6},
    "no signature": {"signature": ""},
    "another approver": {"key_id": key_id(public_of(bytes(32)))},
}


@pytest.mark.parametrize("other", SWAPPED.values(), ids=SWAPPED.keys())
def test_a_passkey_counts_only_as_the_approver_signed_for_it(other: dict[str, Any]) -> None:
    made = registered(MADE["es256"])
    assert made.is_of(public_of(APPROVER))
    assert not replace(made, **other).is_of(public_of(APPROVER))
    assert not made.is_of(public_of(bytes(32))), "nor for another approver"


def _der(secret: Any) -> bytes:
    made: bytes = secret.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return made


def test_only_keys_that_can_be_checked_are_taken() -> None:
    for one in MADE.values():
        assert module.is_usable(one.public)
    weak = rsa.generate_private_key(public_exponent=65537, key_size=1024)
    for public in (_der(ec.generate_private_key(ec.SECP384R1())), _der(weak), b"", b"\x30\x00"):
        assert not module.is_usable(public)


@given(st.binary(max_size=70))
def test_bytes_as_text_read_back(data: bytes) -> None:
    assert from_text(as_text(data)) == data


@pytest.mark.parametrize("text", ["=", "a", "ab=", "a+b/", "YQ==", "YR", "ä"])
def test_a_text_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        from_text(text)
