"""Signed notes: the C2SP form, who signed, and going forward only."""

from __future__ import annotations

import base64
import hashlib
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from penstock.core.audit.checkpoint import (
    Checkpoint,
    SignerKey,
    as_name,
    make_key,
    open_note,
    parse_checkpoint,
    peek,
    read_key,
    read_public_key,
    require_forward,
    split_notes,
)
from penstock.core.audit.log_head import CheckpointPolicy
from penstock.core.audit.merkle import consistency_proof, leaf_hash
from penstock.core.errors import AuditError
from tests.core.audit.trees import nodes_over, root_of

ROOT = hashlib.sha256(b"root").digest()
KEY = make_key("penstock.test/log", bytes(range(32)))
OTHER = make_key("penstock.test/log", bytes(range(1, 33)))
HERE = Checkpoint(origin="penstock.test/log", size=7, root=ROOT)
NOTE = KEY.sign(HERE)


def code_of(error: pytest.ExceptionInfo[AuditError]) -> str:
    return error.value.code


def test_a_note_is_three_lines_an_empty_one_and_a_signature_line() -> None:
    body, signature = NOTE.split("\n\n")
    assert body.split("\n") == ["penstock.test/log", "7", base64.b64encode(ROOT).decode()]
    assert signature.startswith("\u2014 penstock.test/log ")
    assert NOTE.endswith("\n")


def test_the_key_id_is_the_one_that_the_signed_note_form_defines() -> None:
    public = KEY.public()
    expected = hashlib.sha256(b"penstock.test/log\n\x01" + public.raw).digest()[:4]
    assert public.key_id == expected
    raw = base64.b64decode(NOTE.rstrip("\n").rpartition(" ")[2])
    assert raw[:4] == expected
    assert len(raw) == 4 + 64


def test_a_signature_made_elsewhere_is_accepted() -> None:
    # The well-known key of the Go checksum database and its first tree of the documentation.
    key = read_public_key("sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8")
    assert key.name == "sum.golang.org"
    assert key.key_id.hex() == "033de0ae"


def test_an_independent_library_agrees_that_the_signature_is_over_the_text() -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    raw = base64.b64decode(NOTE.rstrip("\n").rpartition(" ")[2])
    Ed25519PublicKey.from_public_bytes(KEY.public().raw).verify(raw[4:], HERE.body().encode())


def test_a_note_gives_its_checkpoint_to_whoever_knows_the_key() -> None:
    assert open_note(NOTE, [KEY.public()]) == HERE
    assert peek(NOTE) == HERE


def test_signatures_of_strangers_beside_a_known_one_mean_nothing() -> None:
    stranger = make_key("witness.example/w", b"w" * 32).sign(HERE).partition("\n\n")[2]
    assert open_note(NOTE + stranger, [KEY.public()]) == HERE


def test_a_note_that_only_strangers_signed_is_refused() -> None:
    with pytest.raises(AuditError) as error:
        open_note(OTHER.sign(HERE), [KEY.public()])
    assert code_of(error) == "unknown-signer"
    with pytest.raises(AuditError):
        open_note(NOTE, [])


@pytest.mark.parametrize(
    ("old", "new"),
    [("\n7\n", "\n8\n"), ("penstock.test/log\n7", "penstock.test/lug\n7")],
)
def test_a_changed_text_spoils_the_signature(old: str, new: str) -> None:
    with pytest.raises(AuditError) as error:
        open_note(NOTE.replace(old, new, 1), [KEY.public()])
    assert code_of(error) == "bad-signature"


def test_a_known_key_with_a_wrong_signature_spoils_a_note_that_another_signed_well() -> None:
    second = make_key("second.test/log", b"s" * 32)
    good = second.sign(HERE).partition("\n\n")[2]
    broken = KEY.sign(Checkpoint(origin=HERE.origin, size=8, root=ROOT)).partition("\n\n")[2]
    with pytest.raises(AuditError) as error:
        open_note(f"{HERE.body()}\n{good}{broken}", [KEY.public(), second.public()])
    assert code_of(error) == "bad-signature"


@pytest.mark.parametrize(
    ("note", "why"),
    [
        ("", "nothing"),
        ("text", "no signatures"),
        (NOTE.rstrip("\n"), "no last newline"),
        (NOTE.replace("\u2014 ", "- "), "another dash"),
        (NOTE.replace("\u2014 ", "\u2014 \t"), "a control character"),
        (HERE.body() + "\n" + "\u2014 a b\n" * 65, "too many signatures"),
        ("x" * 70_000, "too long"),
        (HERE.body() + "\n\u2014 name !!!!\n", "no base64"),
        (HERE.body() + "\n\u2014 name AAAA\n", "too short a signature"),
    ],
)
def test_what_is_no_note_is_refused(note: str, why: str) -> None:
    with pytest.raises(AuditError) as error:
        open_note(note, [KEY.public()])
    assert code_of(error) == "bad-checkpoint", why


GOOD = base64.b64encode(ROOT).decode()


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("origin\n7\n", "no root"),
        (f"\n7\n{GOOD}\n", "no origin"),
        (f"origin\n07\n{GOOD}\n", "a leading zero"),
        (f"origin\n-1\n{GOOD}\n", "below zero"),
        (f"origin\n+7\n{GOOD}\n", "a sign"),
        (f"origin\n\u0667\n{GOOD}\n", "another script's digit"),
        (f"origin\n{2**63}\n{GOOD}\n", "too large"),
        (f"origin\n{'9' * 5000}\n{GOOD}\n", "far too large"),
        (f"origin\n7\n{GOOD[:-4]}\n", "a short root"),
        (f"origin\n7\n{GOOD[:-2]}B=\n", "a root in another spelling"),
        (f"origin\n7\n{GOOD}", "no last newline"),
        (f"origin\n7\n{GOOD}\n\n", "an empty line"),
    ],
)
def test_what_is_no_checkpoint_is_refused(body: str, why: str) -> None:
    with pytest.raises(AuditError) as error:
        parse_checkpoint(body)
    assert code_of(error) == "bad-checkpoint", why


def test_lines_after_the_third_are_allowed() -> None:
    assert parse_checkpoint(f"origin\n0\n{GOOD}\nextension\n").size == 0


def test_keys_read_back_as_they_were_written() -> None:
    assert read_key(KEY.written() + "\n") == KEY
    assert read_public_key(KEY.public().written()) == KEY.public()
    assert "PRIVATE" not in repr(KEY)
    assert KEY.seed.hex() not in repr(KEY)


@pytest.mark.parametrize(
    "text",
    [
        *("", "PRIVATE+KEY+a", "x+y+z+u+v"),
        KEY.written().replace(KEY.public().key_id.hex(), "00000000"),
        KEY.written()[:-8],
        KEY.public().written(),
    ],
)
def test_what_is_no_signing_key_is_refused(text: str) -> None:
    with pytest.raises(AuditError) as error:
        read_key(text)
    assert code_of(error) == "bad-key"


@pytest.mark.parametrize(
    "text",
    ["", "a+b", KEY.public().written().replace(KEY.public().key_id.hex(), "00000000"), "a+b+AAAA"],
)
def test_what_is_no_public_key_is_refused(text: str) -> None:
    with pytest.raises(AuditError) as error:
        read_public_key(text)
    assert code_of(error) == "bad-key"


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\nb", "a\u2003b", "x" * 201])
def test_what_cannot_be_a_name_is_refused(name: str) -> None:
    with pytest.raises(AuditError) as error:
        make_key(name, bytes(32))
    assert code_of(error) == "bad-key-name"


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("penstock/app-1f", "penstock/app-1f"),
        ("penstock/my app+\n\u2003\udc80-1f", "penstock/my-app-----1f"),
        ("x" * 300 + "-1f", "x" * 197 + "-1f"),
        ("penstock/pr\u00f3j'\"$-1f", "penstock/pr\u00f3j'\"$-1f"),
    ],
    ids=["plain", "odd", "long", "quotes"],
)
def test_every_folder_has_a_name_and_a_good_one_keeps_it(folder: str, name: str) -> None:
    assert as_name(folder) == name
    assert make_key(as_name(folder), bytes(32)).name == name


def test_a_key_needs_thirty_two_bytes() -> None:
    with pytest.raises(AuditError):
        make_key("a", b"short")


def test_a_key_that_is_no_point_verifies_nothing() -> None:
    assert not SignerKey(name="a", raw=b"short").verifies(b"s" * 64, b"text")


def test_a_file_of_notes_splits_into_its_notes() -> None:
    notes = [KEY.sign(Checkpoint(origin="o", size=size, root=ROOT)) for size in (1, 2, 3)]
    text = "".join(note + "\n" for note in notes)
    assert split_notes(text) == notes
    assert split_notes(text + notes[0][:40]) == notes  # a torn end is no note
    assert split_notes("") == []


# --- forward only ---------------------------------------------------------------------------

LEAVES = [leaf_hash(str(number).encode()) for number in range(12)]


def at(size: int, *, leaves: list[bytes] = LEAVES, origin: str = "o") -> Checkpoint:
    return Checkpoint(origin=origin, size=size, root=root_of(leaves[:size]))


def test_a_checkpoint_that_adds_lines_is_taken() -> None:
    proof = consistency_proof(nodes_over(LEAVES), old_size=5, size=12)
    require_forward(at(5), at(12), proof)
    require_forward(at(5), at(5), [])
    require_forward(None, at(5), [])


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (at(5), at(4), "goes-back"),
        (at(5), at(12), "inconsistent"),
        (at(5), at(5, leaves=LEAVES[::-1]), "inconsistent"),
        (at(5), at(12, origin="p"), "other-log"),
    ],
)
def test_a_checkpoint_that_does_not_continue_is_refused(
    old: Checkpoint, new: Checkpoint, code: str
) -> None:
    with pytest.raises(AuditError) as error:
        require_forward(old, new, [])
    assert code_of(error) == code


@pytest.mark.parametrize(
    ("op", "events", "seconds", "due"),
    [
        ("applied", 1, 0.0, True),
        ("write_file_apply", 1, 0.0, True),
        ("decided", 1, 0.0, False),
        ("decided", 999, 599.0, False),
        ("decided", 1000, 0.0, True),
        ("decided", 1, 600.0, True),
        ("applied", 0, 900.0, False),
    ],
)
def test_a_checkpoint_is_due_at_every_apply_and_every_so_often(
    op: str, events: int, seconds: float, due: bool
) -> None:
    assert CheckpointPolicy().is_due(op=op, events=events, seconds=seconds) is due


@settings(deadline=None, max_examples=150)
@given(
    st.text(max_size=300) | st.binary(max_size=300).map(lambda raw: raw.decode("utf-8", "replace"))
)
def test_any_text_is_a_note_or_an_audit_error(text: str) -> None:
    for note in (text, HERE.body() + "\n" + text, NOTE + text):
        split_notes(note)
        with suppress(AuditError):
            assert open_note(note, [KEY.public()]).origin


def test_the_hash_of_the_last_line_is_signed_along() -> None:
    head = "sha256:" + "a" * 64
    made = Checkpoint(origin="o", size=3, root=ROOT, head=head)
    note = KEY.sign(made)
    assert note.split("\n")[3] == f"head {head}"
    assert open_note(note, [KEY.public()]) == made
    for changed in (note.replace("aaa", "aab", 1), note.replace(f"head {head}\n", "")):
        with pytest.raises(AuditError) as error:
            open_note(changed, [KEY.public()])
        assert code_of(error) == "bad-signature"


def test_lines_of_others_after_the_root_are_passed_over() -> None:
    body = HERE.body() + "something else\nhead x\nhead y\n"
    assert parse_checkpoint(body) == replace(HERE, head="x")
