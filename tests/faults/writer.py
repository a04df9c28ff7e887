"""The one writer under every fault: create, modify, remove, and a set of all three."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence

from penstock.core.digest import digest
from penstock.core.errors import PenstockError
from penstock.core.paths.relpath import RelPath
from penstock.ports import PlannedWrite
from penstock.stores.files.workspace import DiskFiles
from tests.faults.scenario import Scenario, seen
from tests.faults.tracer import Plan, run

OLD = b"old line\n" * 400
NEW = b"\xef\xbb\xbfnew line\r\n" * 700
# Files that look like ours and are not; whoever cleans up must leave them alone.
STRANGERS: Mapping[str, bytes] = {
    ".penstock-0123456789abcdef.tmp": b"theirs",
    "dir/.penstock-0123456789abcdef.tmp.old": b"theirs",
    "dir/neighbour": b"theirs",
}

Planned = tuple[str, bytes | None, bytes | None]  # path, new, what it holds before
WRITES: dict[str, list[Planned]] = {
    "create": [("dir/a", NEW, None)],
    "create with parents": [("x/y/a", NEW, None)],
    "modify": [("dir/a", NEW, OLD)],
    "remove": [("dir/a", None, OLD)],
    "set": [("dir/a", NEW, OLD), ("x/y/b", NEW, None), ("c", None, OLD), ("dir/d", NEW, OLD)],
}
WAYS: dict[str, dict[str, bool | None]] = {
    "": {"use_openat2": None, "use_exchange": None},
    ", walking, no exchange": {"use_openat2": False, "use_exchange": False},
}
NAMING = {"renameat2", "renameat", "rename", "linkat"}  # the calls that change a name

# Answers that say themselves that the disk may hold either.
UNDECIDED = frozenset({"error outcome-unknown", "error half-applied"})


def root_of(folder: str) -> str:
    return os.path.join(folder, "workspace")


def opened(folder: str, *, sync: bool = True, way: str = "") -> DiskFiles:
    """Open the workspace of a scenario."""
    return DiskFiles(
        root_of(folder),
        journal_dir=os.path.join(folder, "journal"),
        sync=sync,
        use_openat2=WAYS[way]["use_openat2"],
        use_exchange=WAYS[way]["use_exchange"],
    )


def prepared(writes: Sequence[Planned]) -> Callable[[str], None]:
    """Return what sets the stage: the files that are there before, and strangers."""

    def prepare(folder: str) -> None:
        before = {path: held for path, _, held in writes if held is not None}
        for path, data in {**STRANGERS, **before}.items():
            full = os.path.join(root_of(folder), path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "wb") as file:
                file.write(data)

    return prepare


def written(writes: Sequence[Planned], way: str, *, sync: bool = True) -> Callable[[str], str]:
    """Return what does the writes."""

    def act(folder: str) -> str:
        plan = [
            PlannedWrite(
                path=RelPath(text=path), new=new, expect=None if held is None else digest(held)
            )
            for path, new, held in writes
        ]
        try:
            opened(folder, sync=sync, way=way).replace_all(plan)
        except PenstockError as problem:
            return f"error {problem.code}"
        return "ok"

    return act


def checked(writes: Sequence[Planned], way: str) -> Callable[[str, str | None], None]:
    """Return what looks at the disk: before recovery, and after it."""

    def check(folder: str, answer: str | None) -> None:
        before = _held(folder, writes)
        for path, new, held in writes:
            assert before[path] in (new, held), f"`{path}` is neither the old file nor the new"
        if answer is not None and answer not in UNDECIDED:
            assert _all(before, writes) == (answer == "ok"), "the answer and the disk disagree"
        opened(folder, way=way).recover()
        after = _held(folder, writes)
        done = _all(after, writes)
        assert done is not None, "half of the set is there"
        if answer is not None and answer not in UNDECIDED:
            assert done == (answer == "ok"), "recovery changed what was answered"
        _nothing_left(folder, writes, done)
        assert opened(folder, way=way).recover() == (), "a second recovery finds something"

    return check


def _held(folder: str, writes: Sequence[Planned]) -> dict[str, bytes | None]:
    found = seen(root_of(folder))
    return {path: found.get(path) for path, _, _ in writes}


def _all(held: Mapping[str, bytes | None], writes: Sequence[Planned]) -> bool | None:
    """Return True when all is new, False when all is old, None for a mixture."""
    if all(held[path] == new for path, new, _ in writes):
        return True
    return False if all(held[path] == old for path, _, old in writes) else None


def _nothing_left(folder: str, writes: Sequence[Planned], done: bool) -> None:
    """What is there must be exactly what was there, and what was written."""
    expected: dict[str, bytes | None] = dict(STRANGERS)
    for path, new, held in writes:
        content = new if done else held
        if content is not None:
            expected[path] = content
    for path in list(expected):
        while path := os.path.dirname(path):
            expected[path] = None
    found = seen(root_of(folder))
    assert found.keys() == expected.keys(), f"{found.keys() ^ expected.keys()} too many or too few"
    assert found == expected
    journal = os.path.join(folder, "journal")
    assert not os.path.exists(journal) or os.listdir(journal) == [], "a note is left"


def cut_short(writes: Sequence[Planned], way: str, names_changed: int) -> Callable[[str], None]:
    """Return what sets the stage for a recovery: a write that was killed in the middle."""
    ready = prepared(writes)
    act = written(writes, way)
    calls: list[str] = []

    def prepare(folder: str) -> None:
        ready(folder)
        if not calls:  # find out at which call to strike, once
            calls.extend(run(lambda: act(folder), Plan()).calls)
            shutil.rmtree(folder)
            ready(folder)
        renames = [at for at, call in enumerate(calls, start=1) if call in NAMING]
        run(lambda: act(folder), Plan(at=renames[names_changed], kill=True))

    return prepare


def recovered(way: str) -> Callable[[str], str]:
    """Return what recovers."""

    def act(folder: str) -> str:
        try:
            opened(folder, way=way).recover()
        except PenstockError as problem:
            return f"error {problem.code}"
        return "ok"

    return act


def checked_twice(writes: Sequence[Planned], way: str) -> Callable[[str, str | None], None]:
    """Return what recovers once more, since the first recovery may have been stopped."""
    check = checked(writes, way)
    return lambda folder, answer: check(folder, None)


def naive(folder: str) -> str:
    """Write in place, as a control: some fault must find a torn file."""
    with open(os.path.join(root_of(folder), "dir/a"), "wb", buffering=0) as file:
        file.write(NEW[:100])
        file.write(NEW[100:])
        os.fsync(file.fileno())
    return "ok"


SCENARIOS = [
    Scenario(
        name=name + way,
        prepare=prepared(writes),
        act=written(writes, way),
        check=checked(writes, way),
        undecided=UNDECIDED,
    )
    for name, writes in WRITES.items()
    for way in WAYS
]
SCENARIOS += [
    Scenario(
        name=f"recover a set, {changed} changed{way}",
        prepare=cut_short(WRITES["set"], way, changed),
        act=recovered(way),
        check=checked_twice(WRITES["set"], way),
    )
    for way in WAYS
    for changed in (1, 3)
]
SCENARIOS += [
    Scenario(
        name="modify in place (a control)",
        prepare=prepared(WRITES["modify"]),
        act=naive,
        check=checked(WRITES["modify"], ""),
        fails=True,
    )
]
