"""One touch for several statements: each stands for itself, and none can be added."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from penstock.core.audit.approval.approval_list import MOST, ListPlace, alone, challenge_of

STATEMENTS = st.lists(st.binary(min_size=1, max_size=12), min_size=2, max_size=40, unique=True)


@settings(max_examples=100, deadline=None)
@given(STATEMENTS)
def test_each_statement_leads_to_the_challenge_alone(statements: list[bytes]) -> None:
    challenge, places = challenge_of(statements)
    for one in statements:
        place = places[one]
        assert place is not None
        assert place.challenge(one) == challenge
        assert place.challenge(one + b"x") is None


@settings(max_examples=100, deadline=None)
@given(STATEMENTS, st.binary(min_size=13, max_size=13))
def test_one_more_or_one_less_is_another_challenge(statements: list[bytes], more: bytes) -> None:
    challenge, places = challenge_of(statements)
    assert challenge_of([*statements, more])[0] != challenge
    assert challenge_of(statements[1:])[0] != challenge
    assert challenge_of(statements[::-1])[0] == challenge, "the order is always the same"
    assert challenge_of([*statements, statements[0]])[0] == challenge, "nothing counts twice"
    assert all(place.challenge(more) is None for place in places.values() if place)


def test_one_statement_is_its_own_challenge() -> None:
    assert challenge_of([b"a"]) == (alone(b"a"), {b"a": None})


def test_a_place_that_was_changed_leads_nowhere_else() -> None:
    challenge, places = challenge_of([b"%d" % n for n in range(9)])
    place = places[b"4"]
    assert place is not None
    other = places[b"5"]
    assert other is not None
    wrong = [
        replace(place, index=5),
        replace(place, size=10),
        replace(place, path=place.path[:-1]),
        replace(place, path=()),
        replace(place, root=bytes(32)),
        replace(place, path=other.path),
        replace(place, index=-1),
    ]
    assert [one.challenge(b"4") for one in wrong] == [None] * len(wrong) or all(
        one.challenge(b"4") != challenge for one in wrong
    )


def test_a_list_of_one_does_not_pass_for_a_statement() -> None:
    from penstock.core.audit.merkle import leaf_hash

    single = ListPlace(index=0, size=1, root=leaf_hash(b"a"), path=())
    assert single.challenge(b"a") is None


def test_nothing_and_too_much_have_no_challenge() -> None:
    with pytest.raises(ValueError, match="not too many"):
        challenge_of([])
    with pytest.raises(ValueError, match="not too many"):
        challenge_of([b"%d" % n for n in range(MOST + 1)])
