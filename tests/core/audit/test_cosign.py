"""Keys, settings and answers of witnesses that others run."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.audit.checkpoint import COSIGNATURE, Checkpoint, SignerKey, make_key, open_note
from penstock.core.audit.cosign import (
    Quorum,
    WitnessSettings,
    bare,
    cosigned,
    cosigner_fault,
    quorum,
    read_cosigner,
    request_body,
    stated_size,
    witness_ignored,
    witness_settings,
)
from penstock.core.errors import AuditError
from tests.foreign_witness import ForeignWitness, cosign_note

LOG = make_key("log.example/a", bytes(range(32)))
WITNESS = ForeignWitness()
KEY = read_cosigner(f"{WITNESS.public} https://w.example").key
NOTE = LOG.sign(Checkpoint(origin=LOG.name, size=7, root=bytes(32)))
BODY = NOTE.partition("\n\n")[0] + "\n"
LINE = cosign_note(WITNESS.private, WITNESS.name, BODY, 1_736_769_600)


def test_what_a_foreign_witness_signs_is_a_note_signature_to_us() -> None:
    made = cosigned(NOTE, LINE, KEY)
    assert made == NOTE + LINE
    assert open_note(made, [KEY]).size == open_note(made, [LOG.public()]).size == 7


def test_signatures_of_others_in_an_answer_are_left_out() -> None:
    stranger = ForeignWitness("stranger.example")
    other = cosign_note(stranger.private, stranger.name, BODY, 1)
    same_name = cosign_note(stranger.private, WITNESS.name, BODY, 1)
    assert cosigned(NOTE, other + LINE + same_name, KEY) == NOTE + LINE
    with pytest.raises(AuditError) as caught:
        cosigned(NOTE, other, KEY)
    assert caught.value.code == "unknown-signer"


def test_a_signature_of_the_log_key_is_no_cosignature() -> None:
    raw = LOG.public().raw
    as_log = SignerKey(name=LOG.name, raw=raw)
    as_witness = SignerKey(name=LOG.name, raw=raw, kind=COSIGNATURE)
    assert as_log.key_id != as_witness.key_id
    with pytest.raises(AuditError):
        open_note(NOTE, [as_witness])


@pytest.mark.parametrize("at", range(len(LINE) - 1))
def test_any_other_character_in_a_cosignature_is_refused(at: int) -> None:
    changed = LINE[:at] + ("A" if LINE[at] != "A" else "B") + LINE[at + 1 :]
    with pytest.raises(AuditError):
        cosigned(NOTE, changed, KEY)


@given(st.text() | st.binary().map(lambda raw: raw.decode("utf-8", "replace")))
def test_any_answer_is_refused_or_a_cosignature(text: str) -> None:
    for answer in (text, LINE + text, text + LINE):
        with suppress(AuditError):
            assert LINE in cosigned(NOTE, answer, KEY)
    found = stated_size(text)
    assert found is None or text in (str(found), f"{found}\n")


@pytest.mark.parametrize(
    "text", ["-1", "+1", "01", "1 ", " 1", "1\n\n", "", "\n", "\u0661", "9" * 19]
)
def test_what_is_no_size_is_none(text: str) -> None:
    assert stated_size(text) is None


def test_a_request_has_the_old_size_the_proof_an_empty_line_and_the_note() -> None:
    steps = [bytes(32), b"\xff" * 32]
    made = request_body(old_size=5, proof=steps, note=NOTE)
    first, zeros, ones, empty, rest = made.split("\n", 4)
    assert (first, zeros, ones[:4], empty, rest) == ("old 5", "A" * 43 + "=", "////", "", NOTE)
    with pytest.raises(AuditError):
        request_body(old_size=5, proof=[bytes(32)] * 64, note=NOTE)


def test_a_checkpoint_for_witnesses_has_three_lines() -> None:
    full = Checkpoint(origin="o", size=1, root=bytes(32), head="sha256:x")
    assert bare(full).body().count("\n") == 3


# --- settings ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (WITNESS.public, "a key and an address"),
        (f"{WITNESS.public}  https://w.example", "a key and an address"),
        (f"{LOG.public().written()} https://w.example", "type 4"),
        (f"{WITNESS.public[:-8]}AAAAAAA= https://w.example", "key"),
        (f"{WITNESS.public} http://w.example", "https"),
        (f"{WITNESS.public} ftp://w.example", "https"),
        (f"{WITNESS.public} https://", "https"),
        (f"{WITNESS.public} https://u:p@w.example", "more than host"),
        (f"{WITNESS.public} https://w.example/?a=1", "more than host"),
        (f"{WITNESS.public} https://w.example:no", "valid host"),
        (f"{WITNESS.public} https://w.example\n", "a key and an address"),
        (f"{WITNESS.public} https://{'w' * 3000}", "a key and an address"),
    ],
)
def test_what_is_wrong_with_a_witness_is_said(text: str, fault: str) -> None:
    assert fault in cosigner_fault(text)
    with pytest.raises(AuditError) as caught:
        read_cosigner(text)
    assert caught.value.code == "bad-witness"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://w.example", ("w.example", 443, "/add-checkpoint", True)),
        ("https://w.example:8443/a/", ("w.example", 8443, "/a/add-checkpoint", True)),
        ("https://w.example/a/add-checkpoint", ("w.example", 443, "/a/add-checkpoint", True)),
        ("http://localhost:80/w", ("localhost", 80, "/w/add-checkpoint", False)),
    ],
)
def test_an_address_is_the_prefix_that_operators_publish(url: str, expected: object) -> None:
    found = read_cosigner(f"{WITNESS.public} {url}")
    assert (found.host, found.port, found.path, found.tls) == expected
    assert not cosigner_fault(f"{WITNESS.public} {url}")


def test_only_the_users_own_rules_name_witnesses() -> None:
    said: dict[str, object] = {"cosigners": (f"{WITNESS.public} https://w.example",), "require": 1}
    levels: dict[str, dict[str, object]] = {"/own": {"require": 2}, "/project": said}
    assert witness_settings(levels, user="/own") == WitnessSettings(require=2)
    assert witness_ignored(levels, user="/own") == ("/project",)
    assert witness_settings(levels, user="/project").cosigners[0].key == KEY


@pytest.mark.parametrize(
    ("sizes", "require", "by", "size"),
    [
        ([0, 0, 0], 2, 0, 0),
        ([9, 0, 0], 2, 1, 0),
        ([9, 5, 0], 2, 2, 5),
        ([5, 9, 7], 2, 3, 7),
        ([5, 9, 7], 0, 3, 5),
        ([5, 9, 7], 99, 3, 5),
        ([5, 9, 7], 1, 3, 9),
    ],
)
def test_enough_witnesses_have_the_size_that_each_of_them_has(
    sizes: list[int], require: int, by: int, size: int
) -> None:
    pinned = tuple(read_cosigner(f"{WITNESS.public} https://w.example") for _ in sizes)
    settings = WitnessSettings(cosigners=pinned, require=require)
    found = quorum(sizes, settings)
    need = min(require or 3, 3)
    assert found == Quorum(by=by, of=3, require=need, size=size)
    assert found.reached is (by >= need)
