"""What signed and remembered checkpoints say against a record."""

from __future__ import annotations

import pytest

from penstock.core.audit.checkpoint import Checkpoint
from penstock.core.audit.evidence import CheckpointNote, Evidence, LogFacts, compare
from penstock.core.audit.log_head import LogHead
from penstock.core.audit.merkle import leaf_hash
from penstock.core.errors import AuditError
from tests.core.audit.trees import root_of

LEAVES = [leaf_hash(str(number).encode()) for number in range(20)]
FORGED = [*LEAVES[:6], *(leaf_hash(b"forged%d" % number) for number in range(14))]
SIZES = range(21)


def note(size: int, leaves: list[bytes] = LEAVES) -> CheckpointNote:
    checkpoint = Checkpoint(origin="o", size=size, root=root_of(leaves[:size]))
    return CheckpointNote(checkpoint=checkpoint, size=size)


def found(count: int, leaves: list[bytes] = LEAVES, at_head: str = "") -> LogFacts:
    return LogFacts(
        count=count,
        roots={size: root_of(leaves[:size]) for size in SIZES if size <= count},
        at_head=at_head,
    )


BAD = CheckpointNote(checkpoint=None, error=AuditError("bad-signature", "it does not fit"), size=9)
HEAD = LogHead(seq=14, event_hash="sha256:" + "a" * 64)

CASES: list[tuple[str, Evidence, LogFacts, list[tuple[str, int]]]] = [
    ("nothing to compare with", Evidence(), found(10), []),
    ("all agrees", Evidence(own=[note(5), note(10)], remembered=note(10)), found(12), []),
    ("older evidence is fine", Evidence(own=[note(5)], witnesses={"w": note(3)}), found(12), []),
    ("cut below a checkpoint", Evidence(own=[note(5), note(10)]), found(7), [("tail-cut", 7)]),
    ("rewritten after the first", Evidence(own=[note(5), note(10)]), found(12, FORGED),
     [("rewritten", 6)]),
    ("rewritten from the beginning", Evidence(own=[note(10)]), found(12, FORGED[::-1]),
     [("rewritten", 1)]),
    ("two of one size", Evidence(own=[note(5), note(10), note(10, FORGED)]), found(12),
     [("forked", 10)]),
    ("a bad signature", Evidence(own=[note(5), BAD]), found(12), [("bad-signature", 9)]),
    ("checkpoints lost", Evidence(remembered=note(10)), found(12), [("missing-checkpoints", 10)]),
    ("checkpoints cut", Evidence(own=[note(5)], remembered=note(10)), found(12),
     [("missing-checkpoints", 10)]),
    ("log and checkpoints older", Evidence(own=[note(5)], remembered=note(10)), found(7),
     [("replaced-by-older-copy", 7)]),
    ("only the log older", Evidence(own=[note(10)], remembered=note(10)), found(7),
     [("tail-cut", 7)]),
    ("log gone", Evidence(own=[note(5)], remembered=note(10)), found(0), [("tail-cut", 0),
     ("deleted", 0)]),
    ("all gone", Evidence(remembered=note(10)), found(0), [("deleted", 0)]),
    ("signed anew", Evidence(own=[note(10, FORGED)], remembered=note(10)), found(12, FORGED),
     [("rewritten", 1)]),
    ("remembered is damaged", Evidence(own=[note(10)], remembered=BAD), found(12),
     [("bad-signature", 9)]),
    ("head agrees", Evidence(head=HEAD), found(15, at_head=HEAD.event_hash), []),
    ("head cut off", Evidence(head=HEAD), found(14), [("tail-cut", 14)]),
    ("head differs", Evidence(head=HEAD), found(15, at_head="sha256:0"), [("rewritten", 15)]),
    ("witness saw more", Evidence(own=[note(5)], witnesses={"w": note(10)}), found(7),
     [("replaced-by-older-copy", 7)]),
    ("witness and own saw more", Evidence(own=[note(10)], witnesses={"w": note(10)}), found(7),
     [("tail-cut", 7), ("tail-cut", 7)]),
    ("witness saw another", Evidence(own=[note(10, FORGED)], witnesses={"w": note(10)}),
     found(12, FORGED), [("forked", 10)]),
    ("witness alone saw another", Evidence(witnesses={"w": note(10)}), found(12, FORGED),
     [("rewritten", 10)]),
    ("witness is damaged", Evidence(witnesses={"w": BAD}), found(12), [("bad-signature", 9)]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "evidence", "now", "expected"), CASES, ids=[c[0] for c in CASES])
def test_evidence_says_what_happened(
    name: str, evidence: Evidence, now: LogFacts, expected: list[tuple[str, int]]
) -> None:
    problems = compare(evidence, now)
    assert [(problem.kind.value, problem.line) for problem in problems] == expected


@pytest.mark.parametrize(("count", "told"), [(3, True), (12, False)])
def test_a_witness_of_another_key_that_saw_more_is_told_so(count: int, told: bool) -> None:
    """All was deleted and begun anew: its signature proves nothing, its number says something."""
    (problem,) = compare(Evidence(witnesses={"w": BAD}), found(count))
    assert (f"only {count} are here" in problem.message) == told


@pytest.mark.parametrize(
    ("evidence", "level"),
    [
        (Evidence(), "chain"),
        (Evidence(own=[note(1)]), "checkpoints"),
        (Evidence(own=[note(1)], head=HEAD), "remembered"),
        (Evidence(remembered=note(1)), "remembered"),
        (Evidence(remembered=note(1), witnesses={"w": note(1)}), "witness"),
        (Evidence(witnesses={"w": BAD}), "chain"),
    ],
)
def test_the_level_is_that_of_the_strongest_evidence(evidence: Evidence, level: str) -> None:
    assert evidence.level == level


def test_roots_are_wanted_at_the_size_of_every_good_note() -> None:
    evidence = Evidence(own=[note(5), BAD], remembered=note(7), witnesses={"w": note(9), "x": BAD})
    assert {one.size for one in evidence.checkpoints()} == {5, 7, 9}


def test_a_root_is_agreed_with_where_the_hash_signed_beside_it_is_there() -> None:
    heads = {size: f"sha256:{size:064d}" for size in SIZES}

    def with_head(size: int, head: str) -> CheckpointNote:
        root = root_of(LEAVES[:size])
        return CheckpointNote(
            checkpoint=Checkpoint(origin="o", size=size, root=root, head=head), size=size
        )

    own = [with_head(5, heads[5]), with_head(7, heads[6]), note(9), with_head(11, heads[11])]
    agreed = Evidence(own=own).agreed({size: heads[size] for size in (5, 6, 7, 9)})
    assert agreed == {5: root_of(LEAVES[:5])}, "7 is another, 9 has none, 11 was not found"


# Older notes are opened only where they could tell something.

HASHES = {size: f"sha256:{size:064d}" for size in SIZES}


def older(size: int, head: str) -> str:
    return Checkpoint(origin="o", size=size, root=bytes(32), head=head).body() + "\nsignature\n"


OLDER = [
    (older(5, HASHES[5]), False, "names the chain's own hash"),
    (older(5, HASHES[6]), True, "names another hash"),
    (older(5, ""), True, "names none"),
    (older(15, HASHES[15]), True, "reaches further than what is trusted"),
    (older(30, HASHES[5]), True, "a size that the chain does not have"),
    ("nonsense", True, "is none"),
]


@pytest.mark.parametrize(("text", "opened", "why"), OLDER, ids=[row[2] for row in OLDER])
def test_an_older_note_is_opened_where_it_could_tell_something(
    text: str, opened: bool, why: str
) -> None:
    last = Checkpoint(origin="o", size=10, root=root_of(LEAVES[:10]), head=HASHES[10])
    own = [CheckpointNote(checkpoint=last, size=10)]
    found = Evidence(own=own, older=[text], check=lambda _: BAD).opened(HASHES)
    assert list(found.own) == ([BAD, *own] if opened else own)
    assert found.older == ()


def test_without_a_newest_note_that_holds_every_older_one_is_opened() -> None:
    notes = [older(5, HASHES[5]), older(6, HASHES[6])]
    for own in ([], [BAD], [note(10)]):
        found = Evidence(own=own, older=notes, check=lambda _: BAD).opened(HASHES)
        assert list(found.own) == [BAD, BAD, *own]
    signed = Evidence(own=[note(10)], older=notes, check=lambda _: BAD).opened({})
    assert len(signed.own) == 3, "a chain that is not sound vouches for nothing"


def test_a_cut_is_counted_to_the_newest_checkpoint_that_was_signed() -> None:
    evidence = Evidence(own=[note(5), note(10), note(12)])
    (problem,) = compare(evidence, found(3))
    assert problem.message == "9 entries missing after this line: a signed checkpoint has 12"
