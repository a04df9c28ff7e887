"""Which bundle may follow which: the attacks that The Update Framework names."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.core.bundle.document import bundle_of
from penstock.core.bundle.model import CLOCK_SKEW, PolicyBundle
from penstock.core.bundle.trust import accept, groups_of
from penstock.core.errors import PenstockError
from tests.organisation import DAY, Organisation, policy

NOW = 1_800_000_000.0


def chain(count: int, **said: Any) -> list[PolicyBundle]:
    acme = Organisation(now=NOW)
    found = []
    for _ in range(count):
        acme.bundle(**said)
        found.append(bundle_of(acme.last))
    return found


def refused(new: PolicyBundle, current: PolicyBundle | None, **more: Any) -> str:
    with pytest.raises(PenstockError) as caught:
        accept(new, current, **{"now": NOW, "group": "", **more})
    return caught.value.code


def test_the_next_version_is_news_and_the_same_is_not() -> None:
    first, second, third = chain(3)
    assert accept(first, None, now=NOW, group="")
    assert accept(second, first, now=NOW, group="")
    assert not accept(second, second, now=NOW, group="")
    assert accept(third, first, now=NOW, group="")  # a machine that was off


def test_rollback_an_older_version_is_refused() -> None:
    first, second, third = chain(3)
    assert refused(first, second) == "bundle-rollback"
    assert refused(second, third) == "bundle-rollback"


def test_mix_two_bundles_of_one_version_are_refused() -> None:
    first, second = chain(2)
    other = chain(2, quorum=0, name="acme", when_stale="keep")[1]
    assert other.version == second.version
    assert refused(other, second) == "bundle-mixed"
    assert first.version == 1


def test_mix_a_bundle_that_follows_another_one_is_refused() -> None:
    first = chain(1)[0]
    other = chain(2, when_stale="keep")[1]
    assert refused(other, first) == "bundle-mixed"


def test_freeze_an_expired_bundle_is_not_taken() -> None:
    first, second = chain(2)
    assert refused(second, first, now=float(second.expires)) == "bundle-expired"
    assert accept(second, first, now=second.expires - 1.0, group="")


def test_a_clock_that_is_behind_is_told_beyond_some_minutes() -> None:
    first = chain(1)[0]
    assert accept(first, None, now=first.made - CLOCK_SKEW, group="")
    assert refused(first, None, now=first.made - CLOCK_SKEW - 1) == "bundle-from-future"
    assert first.is_stale(first.made - DAY)
    assert not first.is_stale(NOW)
    assert first.is_stale(float(first.expires))


def test_a_group_that_the_bundle_does_not_have_is_refused() -> None:
    one = chain(1, policies={"all": policy("version = 1"), "web": policy("version = 1")})[0]
    assert groups_of(one, "web") == ("all", "web")
    assert groups_of(one, "") == ("all",)
    assert refused(one, None, group="payments") == "bundle-group"
    lonely = chain(1, policies={"web": policy("version = 1")})[0]
    assert refused(lonely, None) == "bundle-group"
    assert accept(lonely, None, now=NOW, group="web")
