"""Nobody's work is lost: whatever happens to a file while its proposal waits, and while it is
being written, is still there afterwards.

Each attack is also tried on a naive broker, which does what the spec's pseudocode would look like
on a first try. It must fall for the attack, or the drill would prove nothing.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec.structs import force_setattr

from penstock.broker import Broker, Role
from penstock.ports import FileState, PlannedWrite
from penstock.stores.files.workspace import DiskFiles
from tests.doors.broker.brokers import Bench, bench, code, status

OLD, NEW, THEIRS = b"old\n", b"proposed\n", b"theirs\n"


class Attack(NamedTuple):
    """What somebody does, to which proposal, and what must be found afterwards."""

    name: str
    path: str
    act: Callable[[Path], None]
    kept: Callable[[Path], bytes]


def edit(root: Path) -> None:
    (root / "src/a.py").write_bytes(THEIRS)


def save_by_rename(root: Path) -> None:
    (root / "src/.a.py.swp").write_bytes(THEIRS)
    (root / "src/.a.py.swp").rename(root / "src/a.py")


def edit_and_touch_back(root: Path) -> None:
    """The same size and the same times: only the content tells."""
    file = root / "src/a.py"
    before = file.stat()
    file.write_bytes(b"OLD\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def create(root: Path) -> None:
    (root / "src/new.py").write_bytes(THEIRS)


def create_empty(root: Path) -> None:
    (root / "src/new.py").write_bytes(b"")


def delete(root: Path) -> None:
    (root / "src/a.py").unlink()


def link_out(root: Path) -> None:
    (root.parent / "theirs.py").write_bytes(OLD)
    (root / "src/a.py").unlink()
    (root / "src/a.py").symlink_to(root.parent / "theirs.py")


def link_inside(root: Path) -> None:
    (root / "src/b.py").write_bytes(OLD)
    (root / "src/a.py").unlink()
    (root / "src/a.py").symlink_to("b.py")


def rename_parent(root: Path) -> None:
    """The directory goes elsewhere, and another one has its name."""
    (root / "src").rename(root / "moved")
    (root / "src").mkdir()
    (root / "src/a.py").write_bytes(THEIRS)


def link_parent(root: Path) -> None:
    """The directory's name is outside the workspace, to a file that looks the same."""
    (root.parent / "theirs").mkdir()
    (root.parent / "theirs/a.py").write_bytes(OLD)
    (root / "src").rename(root / "moved")
    (root / "src").symlink_to(root.parent / "theirs")


def absent(path: str) -> Callable[[Path], bytes]:
    return lambda root: b"absent" if not (root / path).exists() else b"there"


def at(path: str) -> Callable[[Path], bytes]:
    return lambda root: (root / path).read_bytes()


ATTACKS = [
    Attack("edited", "src/a.py", edit, at("src/a.py")),
    Attack("saved by rename", "src/a.py", save_by_rename, at("src/a.py")),
    Attack("edited, times put back", "src/a.py", edit_and_touch_back, at("src/a.py")),
    Attack("created", "src/new.py", create, at("src/new.py")),
    Attack("created empty", "src/new.py", create_empty, at("src/new.py")),
    Attack("deleted", "src/a.py", delete, absent("src/a.py")),
    Attack("a link out", "src/a.py", link_out, at("../theirs.py")),
    Attack("a link inside", "src/a.py", link_inside, at("src/b.py")),
    Attack("another directory", "src/a.py", rename_parent, at("src/a.py")),
    Attack("a directory outside", "src/a.py", link_parent, at("../theirs/a.py")),
]
IDS = [attack.name for attack in ATTACKS]
REFUSALS = {"base_changed", "path_escape", "not_found", "write_failed"}


@pytest.fixture
def here() -> Iterator[Bench]:
    with bench() as made:
        made.write("src/a.py", OLD)
        yield made


def kept_after(here: Bench, attack: Attack) -> bytes:
    return attack.kept(here.root)


@pytest.mark.parametrize("attack", ATTACKS, ids=IDS)
def test_what_happened_while_a_proposal_waited_is_never_overwritten(
    here: Bench, attack: Attack
) -> None:
    waiting = here.propose(attack.path, NEW.decode())
    attack.act(here.root)
    before = kept_after(here, attack)
    assert code(here.apply(attack.path, waiting)) in REFUSALS
    assert kept_after(here, attack) == before != NEW
    assert NEW not in here.tree().values()
    assert code(here.apply(attack.path, waiting)) in {"hitl_not_found", *REFUSALS}
    assert NEW not in here.tree().values()


@dataclass
class Meddled:
    """The files of a workspace; somebody strikes after all checks, when the write begins."""

    files: DiskFiles
    strike: Callable[[], None] | None
    seen: list[bytes] = field(default_factory=list)

    def __getattr__(self, name: str) -> object:
        return getattr(self.files, name)

    def replace_all(self, plan: Sequence[PlannedWrite]) -> list[FileState | None]:
        strike, self.strike = self.strike, None
        if strike is not None:
            strike()
        return self.files.replace_all(plan)


@pytest.mark.parametrize("attack", ATTACKS, ids=IDS)
def test_what_happens_between_the_checks_and_the_write_is_never_overwritten(
    here: Bench, attack: Attack
) -> None:
    waiting = here.propose(attack.path, NEW.decode())
    front = here.broker(Role.FRONT_END)
    held: list[bytes] = []

    def strike() -> None:
        attack.act(here.root)
        held.append(kept_after(here, attack))

    meddled = Meddled(front.here.files, strike)
    force_setattr(front.gate._parts, "files", meddled)
    found = here.apply(attack.path, waiting)
    assert held, "nobody struck"
    assert code(found) in REFUSALS
    assert kept_after(here, attack) == held[0] != NEW
    assert NEW not in here.tree().values()


# --- the naive one ----------------------------------------------------------------------


class Naive:
    """Propose and apply as one writes them on a first try: check, then write."""

    def __init__(self, root: Path, *, rehash: bool = True) -> None:
        self.root = root
        self.rehash = rehash
        self.before_write: Callable[[], None] = lambda: None

    def propose(self, path: str) -> tuple[str, str]:
        return path, self._digest(path)

    def apply(self, proposal: tuple[str, str]) -> bool:
        path, base = proposal
        if self.rehash and self._digest(path) != base:
            return False
        self.before_write()
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(NEW)
        return True

    def _digest(self, path: str) -> str:
        file = self.root / path
        return hashlib.sha256(file.read_bytes() if file.exists() else b"").hexdigest()


@pytest.mark.parametrize("attack", ATTACKS, ids=IDS)
def test_a_broker_that_only_trusts_its_proposal_overwrites(here: Bench, attack: Attack) -> None:
    naive = Naive(here.root, rehash=False)
    proposal = naive.propose(attack.path)
    attack.act(here.root)
    before = kept_after(here, attack)
    assert naive.apply(proposal)
    assert kept_after(here, attack) != before


@pytest.mark.parametrize("attack", ATTACKS, ids=IDS)
def test_a_broker_that_checks_and_then_writes_overwrites_in_between(
    here: Bench, attack: Attack
) -> None:
    naive = Naive(here.root)
    held: list[bytes] = []

    def strike() -> None:
        attack.act(here.root)
        held.append(kept_after(here, attack))

    proposal = naive.propose(attack.path)
    naive.before_write = strike
    assert naive.apply(proposal)
    assert kept_after(here, attack) != held[0]


def test_even_a_check_misses_an_empty_file_and_a_link_to_the_same(here: Bench) -> None:
    """Comparing digests alone is not enough while a proposal waits."""
    for attack in ATTACKS:
        if attack.name in ("created empty", "a link inside"):
            with bench() as one:
                one.write("src/a.py", OLD)
                naive = Naive(one.root)
                proposal = naive.propose(attack.path)
                attack.act(one.root)
                assert naive.apply(proposal)
                assert kept_after(one, attack) == NEW


def test_without_an_attack_both_write(here: Bench) -> None:
    assert status(here.apply("src/a.py", here.propose("src/a.py", NEW.decode()))) == "allowed"
    assert here.holds("src/a.py") == NEW
    here.write("src/a.py", OLD)
    naive = Naive(here.root)
    assert naive.apply(naive.propose("src/a.py"))
    assert here.holds("src/a.py") == NEW


def test_a_set_that_somebody_meets_in_the_middle_is_not_written_at_all(here: Bench) -> None:
    here.write("src/b.py", OLD)
    patch = "".join(
        f"--- a/src/{name}\n+++ b/src/{name}\n@@ -1 +1 @@\n-old\n+proposed\n"
        for name in ("a.py", "b.py")
    )
    found = here.ask("apply_patch", patch=patch)
    front = here.broker(Role.FRONT_END)

    def strike() -> None:
        here.write("src/b.py", THEIRS)

    force_setattr(front.gate._parts, "files", Meddled(front.here.files, strike))
    assert code(here.apply("src/a.py", found["details"]["hitl"]["hitl_id"])) == "base_changed"
    assert here.tree() == {"src/a.py": OLD, "src/b.py": THEIRS}


def test_two_front_ends_write_one_proposal_once(here: Bench) -> None:
    waiting = here.propose("src/a.py", NEW.decode())
    first = here.apply("src/a.py", waiting)
    here.restart()
    second = here.apply("src/a.py", waiting)
    assert (status(first), code(second)) == ("allowed", "hitl_not_found")
    applied = [line for line in here.log() if line["op"] == "write_file_apply"]
    assert [line["status"] for line in applied] == ["allowed", "error"]


def test_of_two_front_ends_at_once_one_writes_and_the_other_is_told(here: Bench) -> None:
    """The other one answers in between: after this one has looked, before it moves."""
    here.write("src/b.py", OLD)
    patch = "".join(
        f"--- a/src/{name}\n+++ b/src/{name}\n@@ -1 +1 @@\n-old\n+proposed\n"
        for name in ("a.py", "b.py")
    )
    known = here.ask("apply_patch", patch=patch)["details"]["hitl"]["hitl_id"]
    slow = here.broker(Role.FRONT_END)
    quick = Broker(here.root, role=Role.FRONT_END, state=os.fspath(here.state))
    request = {"tool_name": "apply_proposal", "path": "src/a.py", "hitl_id": known}
    answer_all = slow.gate.answer_all
    told = []

    def overtaken(*args: object, **kwargs: object) -> object:
        told.append(quick.execute_tool(request))
        return answer_all(*args, **kwargs)  # type: ignore[arg-type]

    slow.gate.answer_all = overtaken  # type: ignore[method-assign,assignment]
    found = here.apply("src/a.py", known)
    assert status(told[0]) == "allowed"
    assert code(found) == "hitl_not_found"
    assert here.tree() == {"src/a.py": NEW, "src/b.py": NEW}
