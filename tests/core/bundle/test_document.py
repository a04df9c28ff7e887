"""A bundle is read in one form only, and by one key only."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.bundle.document import LARGEST, canonical, read_bundle, sealed, statement
from penstock.core.bundle.public_key import key_fault, key_text, public_key
from penstock.core.errors import InputError, PenstockError, RefusedError
from penstock.core.proposals.signature import public_of, sign
from tests.organisation import ALICE, BOB, Organisation, owner

ACME = Organisation(now=1_800_000_000)
PINNED = public_key(ACME.key)


def wrong(body: dict[str, Any]) -> InputError:
    with pytest.raises(InputError) as caught:
        read_bundle(ACME.signed(body), PINNED)
    assert caught.value.code == "bundle-broken"
    return caught.value


def test_what_was_signed_is_read_back() -> None:
    body = ACME.body(
        approvers=[ALICE.approver("owners"), BOB.approver()],
        owners=[owner("src/**", approvals=2, not_author=False)],
        when_stale="deny",
        quorum=1,
    )
    bundle = read_bundle(ACME.signed(body), PINNED)
    assert [one.name for one in bundle.approvers] == ["alice", "bob"]
    assert bundle.approvers[0].key_id == ALICE.key_id
    assert (bundle.owners[0].approvals, bundle.owners[0].not_author) == (2, False)
    assert (bundle.version, bundle.when_stale, bundle.quorum) == (1, "deny", 1)


def test_another_organisations_signature_is_refused() -> None:
    other = Organisation("evil", now=ACME.now)
    for data in (
        other.signed(ACME.body()),
        # signed by the other, but naming our key
        sealed(ACME.body(), PINNED, sign(other.secret, statement(ACME.body()))),
    ):
        with pytest.raises(RefusedError) as caught:
            read_bundle(data, PINNED)
        assert caught.value.code == "bundle-forged"


DATA = ACME.signed(ACME.body())


@given(at=st.integers(0, len(DATA) - 1), sign=st.integers(0, 255))
def test_any_other_byte_is_refused(at: int, sign: int) -> None:
    data = DATA[:at] + bytes([sign]) + DATA[at + 1 :]
    if data == DATA:
        return
    with pytest.raises(PenstockError):
        read_bundle(data, PINNED)


@given(st.binary(max_size=300))
def test_garbage_is_refused_in_words(data: bytes) -> None:
    with pytest.raises(InputError) as caught:
        read_bundle(data, PINNED)
    assert caught.value.code == "bundle-broken"


OTHER_FORMS = [
    (DATA + b"\n", "one more line"),
    (DATA[:-1], "no line end"),
    (json.dumps(json.loads(DATA)).encode() + b"\n", "blanks"),
    (DATA.replace(b'"acme"', b'"\\u0061cme"'), "an escape for a letter"),
    (DATA.replace(b'"quorum":0', b'"quorum":0,"quorum":0'), "a key twice"),
    (DATA.replace(b'"quorum":0', b'"quorum":0.0'), "a fraction"),
    (b'{"more":1,' + DATA[1:], "a key beside the bundle"),
    (b"[" * 5000 + b"]" * 5000, "a deep nest"),
    (canonical(ACME.body()) + b"\n", "no signature"),
]


@pytest.mark.parametrize(("data", "why"), OTHER_FORMS, ids=[why for _, why in OTHER_FORMS])
def test_another_form_of_the_same_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(PenstockError):
        read_bundle(data, PINNED)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"more": 1}, "unknown field `more`"),
    ({"version": 0}, "version"),
    ({"version": True}, "version"),
    ({"version": 1.0}, "version"),
    ({"version": 2**60}, "version"),
    ({"version": 2}, "previous"),
    ({"previous": "sha256:" + "0" * 64}, "previous"),
    ({"previous": "md5:1"}, "previous"),
    ({"expires": 1}, "expires"),
    ({"when_stale": "allow"}, "when_stale"),
    ({"quorum": -1}, "quorum"),
    ({"codeowners": 1}, "codeowners"),
    ({"policies": {}}, "policies"),
    ({"policies": {"all": "text"}}, "not an object"),
    ({"policies": {"all": {"main": "x", "files": {}}}}, "lacks the file"),
    ({"approvers": {}}, "approvers"),
    ({"approvers": [{"name": "a"}]}, "lacks the field"),
    ({"approvers": [ALICE.approver(), {**ALICE.approver(), "name": "b"}]}, "same key"),
    ({"approvers": [{**ALICE.approver(), "key": "ed25519:AAAA"}]}, "base64"),
    ({"approvers": [{**ALICE.approver(), "passkeys": [{}]}]}, "passkey"),
    ({"owners": [owner()]}, "paths"),
    ({"owners": [owner("x", groups=())]}, "groups"),
    ({"owners": [owner("x", approvals=0)]}, "approvals"),
    ({"kind": "penstock approver key"}, "another kind"),
]


@pytest.mark.parametrize(("said", "word"), WRONG, ids=[str(said)[:60] for said, _ in WRONG])
def test_a_signed_body_that_is_no_bundle_is_refused(said: dict[str, Any], word: str) -> None:
    assert word in wrong(ACME.body(**said)).because


def test_a_body_that_lacks_a_field_is_refused() -> None:
    body = ACME.body()
    del body["expires"]
    assert "`expires`" in wrong(body).because


def test_a_huge_bundle_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(InputError) as caught:
        read_bundle(b"{" * (LARGEST + 1), PINNED)
    assert caught.value.code == "bundle-too-large"


def test_a_passkey_counts_only_with_its_owners_signature() -> None:
    from msgspec.structs import replace

    from penstock.core.bundle.document import passkey_body

    made = _passkey(ALICE.secret)
    body = ACME.body(approvers=[{**ALICE.approver(), "passkeys": [dict(passkey_body(made))]}])
    assert read_bundle(ACME.signed(body), PINNED).approvers[0].passkeys == (made,)
    stolen = ACME.body(approvers=[{**BOB.approver(), "passkeys": [dict(passkey_body(made))]}])
    assert "did not sign" in wrong(stolen).because
    # One authenticator that two people's keys vouch for would be two approvals by one touch.
    shared = {**dict(passkey_body(made)), "signature": ""}
    vouched = replace(made, key_id=BOB.key_id, signature="")
    shared["signature"] = sign(BOB.secret, vouched.statement())
    twice = [
        {**ALICE.approver(), "passkeys": [dict(passkey_body(made))]},
        {**BOB.approver(), "passkeys": [shared]},
    ]
    assert "same passkey" in wrong(ACME.body(approvers=twice)).because
    twice[1]["name"] = "alice"
    assert len(read_bundle(ACME.signed(ACME.body(approvers=twice)), PINNED).approvers) == 2


def _passkey(secret: bytes) -> Any:
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
    from msgspec.structs import replace

    from penstock.core.proposals.passkey import Passkey
    from penstock.core.proposals.signature import key_id

    public = ec.generate_private_key(ec.SECP256R1()).public_key()
    der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    made = Passkey(
        credential=b"handle",
        public=der,
        origin="http://localhost:1",
        label="stick",
        since=1_700_000_000.25,
        key_id=key_id(public_of(secret)),
    )
    return replace(made, signature=sign(secret, made.statement()))


@pytest.mark.parametrize("text", ["", "ed25519:", "x", ACME.key + "=", ACME.key[8:], "rsa:AAAA"])
def test_a_text_that_is_no_key_is_told(text: str) -> None:
    assert "ed25519" in key_fault(text)


def test_a_key_has_one_text() -> None:
    assert key_text(PINNED) == ACME.key
    assert not key_fault(ACME.key)


def test_rules_of_a_group_come_with_what_they_include() -> None:
    from penstock.core.rules.bundle_layer import group_level

    files = {"a/rules.toml": 'version = 1\n[includes]\nfiles = ["more.toml"]\n'}
    files["a/more.toml"] = 'version = 1\n[[deny]]\nid = "x"\npaths = ["x/**"]\n'
    body = ACME.body(policies={"all": {"main": "a/rules.toml", "files": files}})
    level = group_level(read_bundle(ACME.signed(body), PINNED), "all")
    assert level.ok
    assert [rule.id for rule in level.rules] == ["x"]
