"""The approver's keys are remembered: one that was thrown away or exchanged is noticed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from penstock.core.errors import PenstockError, RefusedError, StoreError
from penstock.core.proposals.signature import check, public_of, statement, succession
from penstock.stores.approver.keys import ApproverKeys
from penstock.stores.approver.known_keys import LIMIT, KeyMemory

CHEAP = 2**14
PASS = "correct horse battery staple"
SAID = statement("p", None, "sha256:c", "r", 1.0)


@pytest.fixture
def keys(tmp_path: Path) -> ApproverKeys:
    return ApproverKeys(str(tmp_path / "approver"), cost=CHEAP)


@pytest.fixture
def memory(tmp_path: Path) -> KeyMemory:
    return KeyMemory(str(tmp_path / "approver.known"))


def code_of(error: pytest.ExceptionInfo[PenstockError]) -> str:
    return error.value.code


def test_what_is_remembered_comes_back_in_its_order_and_once(memory: KeyMemory) -> None:
    assert memory.recall() == ()
    first, second = (public_of(bytes([n]) * 32) for n in (1, 2))
    for public, at in ((first, 0.0), (second, 60.0), (first, 120.0)):
        memory.remember(public, at=at)
    found = memory.recall()
    assert [one.public for one in found] == [first, second]
    assert [one.since for one in found] == ["1970-01-01T00:00:00Z", "1970-01-01T00:01:00Z"]
    assert stat.S_IMODE(os.stat(memory.path).st_mode) == 0o600


DAMAGED = [
    (b"x\n", "no line of ours"),
    (b"a b c\n", "no key"),
    (b"\xff \xff \xff\n", "no text"),
    (b"2025-01-13T12:00:00Z 0000000000000000 " + b"A" * 43 + b"=\n", "another key's name"),
    (b"\n" * (LIMIT + 1), "without an end"),
]


@pytest.mark.parametrize(("data", "why"), DAMAGED, ids=[row[1] for row in DAMAGED])
def test_a_damaged_memory_is_told_and_trusts_nobody(
    keys: ApproverKeys, memory: KeyMemory, data: bytes, why: str
) -> None:
    keys.init(PASS)
    signature, name = keys.unseal(PASS)(SAID)
    Path(memory.path).write_bytes(data)
    with pytest.raises(StoreError) as error:
        keys.valid(SAID, signature, name)
    assert code_of(error) == "key-broken"


def test_a_link_in_the_place_of_the_memory_is_not_followed(
    keys: ApproverKeys, memory: KeyMemory, tmp_path: Path
) -> None:
    (tmp_path / "empty").touch()
    os.symlink(tmp_path / "empty", memory.path)
    with pytest.raises(StoreError):
        keys.known()


def test_a_key_that_is_thrown_away_is_still_needed(keys: ApproverKeys) -> None:
    """An agent could otherwise delete the sealed key and approve without one."""
    keys.init(PASS)
    os.unlink(keys.path)
    assert keys.exists()
    assert keys.required()
    with pytest.raises(RefusedError) as error:
        keys.unseal(PASS)
    assert code_of(error) == "no-key"
    assert "is missing" in error.value.message


def test_a_sealed_key_that_somebody_exchanged_approves_nothing(
    keys: ApproverKeys, tmp_path: Path
) -> None:
    keys.init(PASS)
    strange = ApproverKeys(str(tmp_path / "elsewhere"), cost=CHEAP)
    strange.init("the agent's own words")
    os.replace(strange.path, keys.path)
    signature, name = keys.unseal("the agent's own words")(SAID)
    assert not keys.valid(SAID, signature, name)


def test_a_key_from_before_there_was_a_memory_counts(keys: ApproverKeys, memory: KeyMemory) -> None:
    made = keys.init(PASS)
    os.unlink(memory.path)
    signature, name = keys.unseal(PASS)(SAID)
    assert keys.valid(SAID, signature, name)
    assert [one.public for one in keys.known()] == [made.public]


def test_after_a_loss_another_key_can_be_made_and_both_are_known(keys: ApproverKeys) -> None:
    lost = keys.init(PASS)
    os.unlink(keys.path)
    made = keys.init(PASS)
    assert [one.public for one in keys.known()] == [lost.public, made.public]
    signature, name = keys.unseal(PASS)(SAID)
    assert keys.valid(SAID, signature, name)


def test_a_successor_is_signed_by_the_key_before_it(keys: ApproverKeys, memory: KeyMemory) -> None:
    first = keys.init(PASS)
    os.unlink(memory.path)  # as it was before there was one
    made, replaced, signature = keys.succeed(PASS)
    assert (replaced, made.id == first.id) == (first.id, False)
    assert check(first.public, succession(first.public, made.public), signature)
    assert [one.public for one in keys.known()] == [first.public, made.public]
    signature, name = keys.unseal(PASS)(SAID)
    assert name == made.id
    assert keys.valid(SAID, signature, name)


def test_without_the_passphrase_there_is_no_successor(keys: ApproverKeys) -> None:
    first = keys.init(PASS)
    with pytest.raises(RefusedError):
        keys.succeed("another")
    assert keys.current() == first
    assert len(keys.known()) == 1
