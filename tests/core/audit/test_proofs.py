"""A proof document holds for its line and roots, and for nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.audit.checkpoint import Checkpoint, make_key
from penstock.core.audit.merkle import (
    consistency_proof,
    inclusion_proof,
    leaf_hash,
)
from penstock.core.audit.proofs import Document, consistency_document, holds, inclusion_document
from penstock.core.errors import AuditError
from tests.core.audit.records import record
from tests.core.audit.trees import nodes_over, root_of

KEY = make_key("penstock.test/log", bytes(range(32)))
LINES = record(11)
LEAVES = [leaf_hash(line) for line in LINES]
NODES = nodes_over(LEAVES)


def note(size: int, origin: str = KEY.name) -> str:
    return KEY.sign(Checkpoint(origin=origin, size=size, root=root_of(LEAVES[:size])))


def included(index: int = 4) -> Document:
    proof = inclusion_proof(NODES, index=index, size=11)
    return inclusion_document(line=LINES[index], index=index, note=note(11), proof=proof)


def grown(old: int = 6) -> Document:
    proof = consistency_proof(NODES, old_size=old, size=11)
    return consistency_document(old_note=note(old), note=note(11), proof=proof)


def test_a_proof_holds_with_the_key_alone() -> None:
    assert holds(included(), [KEY.public()])
    assert holds(grown(), [KEY.public()])


@pytest.mark.parametrize(
    "changed",
    [
        {**included(), "index": 5},
        {**included(), "line": LINES[5].decode()},
        {**included(), "checkpoint": note(10)},
        {**included(), "proof": []},
        {**grown(), "old_checkpoint": note(5)},
        {**grown(), "checkpoint": note(10)},
        {**grown(), "old_checkpoint": note(6, "other")},
    ],
)
def test_a_proof_of_something_else_does_not_hold(changed: Document) -> None:
    assert not holds(changed, [KEY.public()])


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ({}, "bad-proof"),
        ({**included(), "type": "x"}, "bad-proof"),
        ({**included(), "index": "4"}, "bad-proof"),
        ({**included(), "line": None}, "bad-proof"),
        ({**included(), "proof": "x"}, "bad-proof"),
        ({**included(), "proof": [5]}, "bad-proof"),
        ({**included(), "proof": ["!"]}, "bad-proof"),
        ({**included(), "proof": ["AAAA"] * 200}, "bad-proof"),
        ({**included(), "checkpoint": "x"}, "bad-checkpoint"),
        ({**grown(), "old_checkpoint": note(6).replace("\n6\n", "\n7\n")}, "bad-signature"),
    ],
)
def test_what_is_no_proof_is_told(document: Document, code: str) -> None:
    with pytest.raises(AuditError) as caught:
        holds(document, [KEY.public()])
    assert caught.value.code == code


def test_a_stranger_proves_nothing() -> None:
    with pytest.raises(AuditError) as caught:
        holds(included(), [make_key(KEY.name, b"s" * 32).public()])
    assert caught.value.code == "unknown-signer"


@settings(deadline=None, max_examples=80)
@given(st.sampled_from(["type", "index", "line", "proof"]), st.text(max_size=9) | st.integers())
def test_any_change_to_a_proof_is_no_proof(name: str, value: object) -> None:
    document = {**included(), name: value}
    try:
        assert not holds(document, [KEY.public()]) or document == included()
    except AuditError as error:
        assert error.code == "bad-proof"  # noqa: PT017 - both ends are fine
