"""Images on disk: private, whole or absent, never wrong, and safe between processes."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penstock.core.digest import digest
from penstock.core.errors import StoreError
from penstock.stores.queue.blobs import HEADER, MAGIC, DiskBlobs
from tests.stores.queue.test_sqlite import small_disk

TEXT = b"a line that repeats itself\n" * 400
NOISE = hashlib.shake_128(b"noise").digest(5000)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "blobs"


@pytest.fixture
def blobs(folder: Path) -> DiskBlobs:
    return DiskBlobs(str(folder))


def file_of(folder: Path, name: str) -> Path:
    digits = name.removeprefix("sha256:")
    return folder / digits[:2] / digits


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_images_are_private(blobs: DiskBlobs, folder: Path) -> None:
    old = os.umask(0)
    try:
        blobs.put(TEXT)
    finally:
        os.umask(old)
    for path in (folder, *folder.rglob("*")):
        want = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.lstat().st_mode) == want


def test_text_is_kept_small_and_noise_is_kept_as_it_is(blobs: DiskBlobs, folder: Path) -> None:
    small = file_of(folder, blobs.put(TEXT))
    assert small.stat().st_size < len(TEXT) / 10
    raw = file_of(folder, blobs.put(NOISE))
    assert raw.stat().st_size == HEADER.size + len(NOISE)
    assert blobs.size() == small.stat().st_size + raw.stat().st_size


def test_putting_twice_writes_once(blobs: DiskBlobs, folder: Path) -> None:
    path = file_of(folder, blobs.put(TEXT))
    before = path.stat()
    blobs.put(TEXT)
    assert path.stat().st_ino == before.st_ino
    assert path.stat().st_mtime_ns > before.st_mtime_ns
    assert files(folder) == [path]


def test_putting_again_makes_it_strictly_younger_whatever_the_clock(
    blobs: DiskBlobs, folder: Path
) -> None:
    path = file_of(folder, blobs.put(TEXT))
    future = 4_000_000_000 * 10**9
    os.utime(path, ns=(future, future))
    blobs.put(TEXT)
    assert path.stat().st_mtime_ns > future


# Damage

Harm = Callable[[bytes], bytes]
DAMAGE: list[tuple[str, Harm]] = [
    ("emptied", lambda data: b""),
    ("cut within the header", lambda data: data[:6]),
    ("cut after the header", lambda data: data[: HEADER.size]),
    ("cut short", lambda data: data[:-1]),
    ("something added", lambda data: data + b"x"),
    ("one bit turned over", lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:]),
    ("another size", lambda data: data[:12] + bytes([data[12] ^ 1]) + data[13:]),
    ("a size beyond all bounds", lambda data: data[:5] + b"\xff" * 8 + data[13:]),
    ("called compressed or not", lambda data: data[:4] + bytes([data[4] ^ 1]) + data[5:]),
    ("another format", lambda data: b"XXXX" + data[4:]),
    ("all zeros", lambda data: bytes(len(data))),
]


@pytest.mark.parametrize("content", [TEXT, NOISE], ids=["compressed", "raw"])
@pytest.mark.parametrize(("why", "harm"), DAMAGE, ids=[row[0] for row in DAMAGE])
def test_a_damaged_image_is_an_error_and_never_wrong_bytes(
    blobs: DiskBlobs, folder: Path, content: bytes, why: str, harm: Harm
) -> None:
    name = blobs.put(content)
    path = file_of(folder, name)
    path.write_bytes(harm(path.read_bytes()))
    with pytest.raises(StoreError) as caught:
        blobs.get(name)
    assert caught.value.code == "blob-broken"
    # What is put again is whole again: an acknowledged image can be read.
    assert blobs.put(content) == name
    assert blobs.get(name) == content


@given(st.data())
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_change_to_a_file_brings_out_other_bytes(
    blobs: DiskBlobs, folder: Path, data: st.DataObject
) -> None:
    name = blobs.put(TEXT)
    path = file_of(folder, name)
    whole = path.read_bytes()
    at = data.draw(st.integers(0, len(whole)))
    cut = data.draw(st.integers(0, 5))
    path.write_bytes(whole[:at] + data.draw(st.binary(max_size=5)) + whole[at + cut :])
    with suppress(StoreError):
        assert blobs.get(name) == TEXT


def test_the_image_of_other_content_is_not_taken_for_it(blobs: DiskBlobs, folder: Path) -> None:
    name, other = blobs.put(TEXT), blobs.put(NOISE)
    file_of(folder, name).write_bytes(file_of(folder, other).read_bytes())
    with pytest.raises(StoreError):
        blobs.get(name)


def test_what_is_no_file_is_not_opened(blobs: DiskBlobs, folder: Path, tmp_path: Path) -> None:
    name = blobs.put(TEXT)
    path = file_of(folder, name)
    whole = path.read_bytes()
    (tmp_path / "real").write_bytes(whole)

    def link() -> None:
        os.symlink(tmp_path / "real", path)

    for make in (link, lambda: os.mkfifo(path), lambda: os.mkdir(path)):
        with suppress(FileNotFoundError):
            path.unlink()
        make()
        with pytest.raises(StoreError) as caught:
            blobs.get(name)
        assert caught.value.code == "blob-broken"


def test_an_image_that_would_fill_the_memory_is_stopped(blobs: DiskBlobs, folder: Path) -> None:
    import zlib

    name = blobs.put(TEXT)
    bomb = zlib.compress(bytes(200 << 20), 9)
    file_of(folder, name).write_bytes(HEADER.pack(MAGIC, True, len(TEXT)) + bomb)
    tracemalloc.start()
    with pytest.raises(StoreError):
        blobs.get(name)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 << 20


def test_a_link_in_place_of_the_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    os.symlink(tmp_path / "real", tmp_path / "blobs")
    with pytest.raises(StoreError) as caught:
        DiskBlobs(str(tmp_path / "blobs")).put(TEXT)
    assert caught.value.code == "is-symlink"
    assert not list((tmp_path / "real").iterdir())


# Large contents


class Zeros:
    """A hundred megabytes that exist only while they are read."""

    size = 100 << 20

    def read(self, offset: int, length: int) -> bytes:
        return bytes(max(0, min(length, self.size - offset)))


def test_a_large_content_is_never_held_whole(blobs: DiskBlobs) -> None:
    tracemalloc.start()
    name = blobs.put_source(Zeros())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 << 20
    assert blobs.size() < 1 << 20
    assert name == "sha256:" + hashlib.sha256(bytes(Zeros.size)).hexdigest()


# Faults and crashes


def test_a_full_disk_is_an_error_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "size=64k,mode=700"):
        blobs = DiskBlobs(str(tmp_path / "disk" / "blobs"))
        name = blobs.put(NOISE)
        with pytest.raises(StoreError) as caught:
            blobs.put(hashlib.shake_128(b"big").digest(200_000))
        assert caught.value.code == "disk-full"
        assert len(files(tmp_path / "disk")) == 1
        assert blobs.get(name) == NOISE


def test_a_read_only_disk_is_an_error(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "size=64k,mode=700"):
        blobs = DiskBlobs(str(tmp_path / "disk" / "blobs"))
        name = blobs.put(NOISE)
        subprocess.run(["mount", "-o", "remount,ro", str(tmp_path / "disk")], check=True)
        assert blobs.get(name) == NOISE
        for call in (lambda: blobs.put(TEXT), lambda: blobs.prune(budget=0, keep=())):
            with pytest.raises(StoreError) as caught:
                call()
            assert caught.value.code == "read-only"


def test_only_our_own_old_leftovers_are_cleaned_away(blobs: DiskBlobs, folder: Path) -> None:
    blobs.put(TEXT)
    old, young = folder / ".penstock-new-old", folder / ".penstock-new-young"
    other = folder / "notes.txt"
    for path in (old, young, other):
        path.write_text("half an image")
    for path in (old, other):
        os.utime(path, (1, 1))
    assert blobs.prune(budget=10**9, keep=()) == 0
    assert not old.exists()
    assert young.exists(), "another process may be writing it just now"
    assert other.exists()


def test_what_is_no_image_is_never_pruned(blobs: DiskBlobs, folder: Path) -> None:
    name = blobs.put(TEXT)
    strange = file_of(folder, name).parent / "README"
    strange.write_text("not ours")
    (folder / "zz").mkdir()
    (folder / "zz" / "x").write_text("not ours")
    assert blobs.prune(budget=0, keep=()) == 1
    assert strange.exists()
    assert (folder / "zz" / "x").exists()


CHILD = """
import os, sys
from penstock.stores.queue.blobs import DiskBlobs
blobs = DiskBlobs(sys.argv[1])
def tell(text):
    os.write(1, text.encode() + b"\\n")
"""
PUTS = """
for n in range(100_000):
    data = (sys.argv[2] + str(n)).encode() * 3000
    blobs.put(data)
    tell(sys.argv[2] + str(n))
"""


def child(folder: Path, script: str, *more: str) -> subprocess.Popen[bytes]:
    argv = [sys.executable, "-c", CHILD + script, str(folder), *more]
    return subprocess.Popen(argv, stdout=subprocess.PIPE)


def test_what_was_acknowledged_survives_kill_9(blobs: DiskBlobs, folder: Path) -> None:
    for turn in range(5):
        process = child(folder, PUTS, f"{turn}-")
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(5 + turn * 3)]
        process.kill()
        lines += process.communicate()[0].splitlines()
        for line in lines:
            data = line.strip() * 3000
            assert blobs.get(digest(data)) == data
    for path in files(folder):
        if not path.name.startswith("."):
            assert blobs.get("sha256:" + path.name) is not None, "whole or not there at all"


PRUNES = """
while True:
    blobs.prune(budget=0, keep=())
    tell("pruned")
"""


def test_what_is_put_while_another_process_prunes_is_put(blobs: DiskBlobs, folder: Path) -> None:
    """Pruned and put again, over and over: a put that has returned is never undone by a
    prune that had looked before it."""
    blobs.put(TEXT)
    pruner = child(folder, PRUNES)
    assert pruner.stdout is not None
    pruner.stdout.readline()
    try:
        for n in range(150):
            assert blobs.put(TEXT) == digest(TEXT)
            assert blobs.put(b"%d" % n * 100) == digest(b"%d" % n * 100)
    finally:
        pruner.kill()
        pruner.communicate()
    name = blobs.put(TEXT)
    assert blobs.get(name) == TEXT


def test_a_prune_spares_what_was_put_since_it_looked(
    blobs: DiskBlobs, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The race, step by step: scan, then a put by someone else, then the drop."""
    name = blobs.put(TEXT)
    scanned = list(blobs._images())
    DiskBlobs(str(folder)).put(TEXT)
    monkeypatch.setattr(blobs, "_images", lambda: iter(scanned))
    assert blobs.prune(budget=0, keep=()) == 0
    assert blobs.get(name) == TEXT


def test_two_prunes_at_once_do_not_trip_over_each_other(
    blobs: DiskBlobs, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs.put(TEXT)
    scanned = list(blobs._images())
    assert DiskBlobs(str(folder)).prune(budget=0, keep=()) == 1
    monkeypatch.setattr(blobs, "_images", lambda: iter(scanned))
    assert blobs.prune(budget=0, keep=()) == 1


def test_a_directory_that_was_removed_meanwhile_is_made_again(
    blobs: DiskBlobs, folder: Path
) -> None:
    import shutil

    name = blobs.put(TEXT)
    shutil.rmtree(folder)
    assert blobs.get(name) is None
    assert blobs.prune(budget=0, keep=()) == 0
    assert blobs.put(TEXT) == name
    assert blobs.get(name) == TEXT
