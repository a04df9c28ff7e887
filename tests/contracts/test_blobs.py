"""One suite for every store of images: what the port promises, in memory and on disk."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penstock.core.digest import digest
from penstock.core.model import Bytes
from penstock.stores.queue.blobs import DiskBlobs
from tests.fakes.queue import MemoryBlobs

if TYPE_CHECKING:
    from penstock.ports import Blobs

Store = MemoryBlobs | DiskBlobs


@pytest.fixture(params=["memory", "disk"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return MemoryBlobs() if request.param == "memory" else DiskBlobs(str(tmp_path / "blobs"))


def noise(seed: int, size: int = 5000) -> bytes:
    """Return bytes that cannot be compressed, always the same for a seed."""
    return hashlib.shake_128(b"%d" % seed).digest(size)


def test_each_store_is_what_the_gate_asks_for(blobs: Store) -> None:
    port: Blobs = blobs
    assert port.get(digest(b"never put")) is None


CONTENTS = [
    ("nothing at all", b""),
    ("one byte", b"\0"),
    ("text", b"def f():\r\n    return 1\n" * 500),
    ("not text", bytes(range(256)) * 40),
    ("incompressible", noise(1)),
    ("what looks like a header", b"PSB1\x01" + bytes(8)),
    ("a megabyte and one", b"ab" * (1 << 19) + b"c"),
    ("three megabytes of noise", noise(2, 3 << 20)),
]


@pytest.mark.parametrize(("why", "data"), CONTENTS, ids=[row[0] for row in CONTENTS])
def test_what_is_put_comes_back(blobs: Store, why: str, data: bytes) -> None:
    name = blobs.put(data)
    assert name == digest(data)
    assert blobs.get(name) == data
    assert blobs.put(data) == name
    assert blobs.put_source(Bytes(data)) == name
    assert blobs.get(name) == data


@given(st.binary(max_size=300))
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_bytes_come_back(blobs: Store, data: bytes) -> None:
    assert blobs.get(blobs.put(data)) == data


NO_DIGESTS = [
    "",
    "sha256:",
    "sha256:../../etc/passwd",
    "sha256:" + "0" * 63,
    "sha256:" + "0" * 65,
    "sha256:" + "A" * 64,
    "md5:" + "0" * 64,
    "0" * 64,
    "sha256:" + "0" * 62 + "\0a",
    "sha256:" + "/" * 64,
    "\udc80",
]


@pytest.mark.parametrize("name", NO_DIGESTS)
def test_nothing_is_kept_under_what_is_no_digest(blobs: Store, name: str) -> None:
    blobs.put(b"something")
    assert blobs.get(name) is None


def test_a_source_that_shrinks_is_kept_as_far_as_it_goes(blobs: Store) -> None:
    class Shrinking(Bytes, frozen=True):
        @property
        def size(self) -> int:
            return len(self.data) * 2

    data = b"x" * (2 << 20)
    name = blobs.put_source(Shrinking(data))
    assert name == digest(data)
    assert blobs.get(name) == data


# Pruning. The images cannot be compressed, so both stores need about as much room.


def filled(blobs: Store, count: int) -> list[str]:
    return [blobs.put(noise(n)) for n in range(count)]


def there(blobs: Store, names: list[str]) -> list[bool]:
    return [blobs.get(name) is not None for name in names]


def test_the_oldest_go_first(blobs: Store) -> None:
    names = filled(blobs, 4)
    assert blobs.prune(budget=2 * 5100, keep=()) == 2
    assert there(blobs, names) == [False, False, True, True]


def test_nothing_goes_while_the_budget_holds(blobs: Store) -> None:
    names = filled(blobs, 3)
    assert blobs.prune(budget=3 * 5100, keep=()) == 0
    assert there(blobs, names) == [True] * 3


def test_what_is_to_be_kept_stays_whatever_it_takes(blobs: Store) -> None:
    names = filled(blobs, 4)
    assert blobs.prune(budget=0, keep=(names[0], names[2])) == 2
    assert there(blobs, names) == [True, False, True, False]
    assert blobs.prune(budget=0, keep=set(names)) == 0


def test_putting_again_makes_young_again(blobs: Store) -> None:
    names = filled(blobs, 3)
    blobs.put(noise(0))
    assert blobs.prune(budget=5100, keep=()) == 2
    assert there(blobs, names) == [True, False, False]


def test_what_was_dropped_can_be_put_again(blobs: Store) -> None:
    name = blobs.put(b"here")
    assert blobs.prune(budget=0, keep=()) == 1
    assert blobs.get(name) is None
    assert blobs.put(b"here") == name
    assert blobs.get(name) == b"here"


@pytest.mark.parametrize("keep", [(), ("no digest",), (digest(b"never put"),)])
def test_pruning_nothing_is_fine(blobs: Store, keep: tuple[str, ...]) -> None:
    assert blobs.prune(budget=0, keep=keep) == 0


def test_a_negative_budget_keeps_what_is_to_be_kept(blobs: Store) -> None:
    names = filled(blobs, 2)
    assert blobs.prune(budget=-1, keep=names[:1]) == 1
    assert there(blobs, names) == [True, False]


def test_those_that_are_spared_go_last_and_only_for_the_budget(blobs: Store) -> None:
    names = filled(blobs, 4)
    far = time.time() + 3600
    assert blobs.prune(budget=10**9, keep=names[1:2], spare=names[:1], before=far) == 2
    assert there(blobs, names) == [True, True, False, False], "too old, neither kept nor spared"
    assert blobs.prune(budget=5100, keep=names[1:2], spare=names[:1]) == 1
    assert there(blobs, names) == [False, True, False, False]


def test_the_others_make_room_before_those_that_are_spared(blobs: Store) -> None:
    names = filled(blobs, 4)
    assert blobs.prune(budget=2 * 5100, keep=(), spare=names[:2]) == 2
    assert there(blobs, names) == [True, True, False, False]


def test_what_is_young_enough_stays(blobs: Store) -> None:
    names = filled(blobs, 2)
    assert blobs.prune(budget=10**9, keep=(), before=time.time() - 3600) == 0
    assert there(blobs, names) == [True, True]


def test_when_it_was_pruned_is_remembered(blobs: Store) -> None:
    assert blobs.pruned_at() == 0
    blobs.prune(budget=0, keep=())
    assert blobs.pruned_at() == 0, "this one did not say when"
    for at in (1000.0, 2000.0):
        blobs.prune(budget=0, keep=(), at=at)
        assert blobs.pruned_at() == at


def test_the_size_is_that_of_the_images(blobs: Store) -> None:
    assert blobs.size() == 0
    filled(blobs, 3)
    assert 3 * 5000 <= blobs.size() <= 3 * 5100


def test_two_stores_in_one_place_are_one(tmp_path: Path) -> None:
    make: Callable[[], DiskBlobs] = lambda: DiskBlobs(os.fspath(tmp_path / "blobs"))  # noqa: E731
    name = make().put(b"shared")
    assert make().get(name) == b"shared"
