"""Fifteen things that can be done to a log, and the level at which each is caught.

Level 1 is the chain alone; level 2 adds the signed checkpoints beside the log; level 3 what is
remembered outside the workspace; level 4 a witness. Each attack is shown to pass unseen at every
level below the one that is said to catch it, so the table is true in both directions.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from penstock.core.audit.checkpoint import Checkpoint, make_key
from penstock.core.audit.evidence import Evidence
from penstock.core.audit.findings import AuditReport
from penstock.core.audit.merkle import leaf_hash
from penstock.core.errors import AuditError
from penstock.stores.audit.checkpoints import Checkpoints
from penstock.stores.audit.jsonl import JsonlLog
from penstock.stores.audit.remembered_head import HeadMemory
from penstock.stores.audit.segments import rotated
from penstock.stores.audit.verify import verify_log
from penstock.stores.audit.witness import FolderWitness
from tests.core.audit.records import linked, relinked
from tests.core.audit.trees import root_of

KEY = make_key("penstock.test/log", bytes(range(32)))
EVENT = {"op": "read_file", "path": "src/app.py", "status": "denied"}


@dataclass
class Scene:
    """A log with all its evidence, and what an attacker needs to know about it."""

    folder: Path

    def __post_init__(self) -> None:
        for name in ("workspace", "state", "home", "witness"):
            (self.folder / name).mkdir()
        self.log = str(self.folder / "workspace" / ".agentzero_audit.jsonl")
        self.memory = HeadMemory(str(self.folder / "home" / "head"))
        self.writer = JsonlLog(self.log, clock=lambda: 1736769600.0, memory=self.memory)
        self.beside = str(self.folder / "state")
        self.witness = FolderWitness(str(self.folder / "witness"), key=KEY.public())
        self.checkpoints = Checkpoints(
            self.beside,
            self.log,
            public=KEY.public(),
            key=KEY,
            remembered=str(self.folder / "home" / "checkpoint"),
            witnesses=[self.witness],
        )

    def write(self, count: int, *, durable: bool = True) -> None:
        self.writer.append_many([EVENT] * count, durable=durable)

    def sign(self, *, witnessed: bool = True) -> None:
        assert self.checkpoints.sign() is not None
        if witnessed:
            assert [shown.error for shown in self.checkpoints.show()] == [None]

    def lines(self) -> list[bytes]:
        return Path(self.log).read_bytes().splitlines()

    def put(self, lines: list[bytes]) -> None:
        Path(self.log).write_bytes(b"".join(line + b"\n" for line in lines))

    def sign_anew(self, keep: int = 0) -> None:
        """Replace the checkpoints beside the log after the first `keep`, with the stolen key."""
        notes = self.checkpoints.notes()[:keep]
        leaves = [leaf_hash(line) for line in self.lines()]
        whole = Checkpoint(origin=KEY.name, size=len(leaves), root=root_of(leaves))
        text = "".join(note + "\n" for note in [*notes, KEY.sign(whole)])
        Path(self.checkpoints.path).write_text(text)

    def verify(self, level: int) -> AuditReport:
        every = self.checkpoints.evidence(self.memory.recall())
        evidence = Evidence(
            own=every.own if level >= 2 else (),
            older=every.older if level >= 2 else (),
            check=every.check,
            remembered=every.remembered if level >= 3 else None,
            head=every.head if level >= 3 else None,
            witnesses=every.witnesses if level >= 4 else {},
        )
        return verify_log(self.log, evidence)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    """Ten events, checkpoint, ten more, checkpoint, five more; all of them remembered."""
    scene = Scene(tmp_path)
    scene.write(10)
    scene.sign()
    scene.write(10)
    scene.sign()
    scene.write(5)
    return scene


def edit(scene: Scene) -> None:
    lines = scene.lines()
    lines[6] = lines[6].replace(b"denied", b"allowed")
    scene.put(lines)


def delete(scene: Scene) -> None:
    scene.put([*scene.lines()[:6], *scene.lines()[7:]])


def swap(scene: Scene) -> None:
    lines = scene.lines()
    lines[6], lines[9] = lines[9], lines[6]
    scene.put(lines)


def insert(scene: Scene) -> None:
    lines = scene.lines()
    prev = lines[5][-73:-2].decode()
    forged = linked(['"ts":"2025-01-13T12:00:00Z","seq":6,"op":"approved","path":"x"'], prev)
    scene.put([*lines[:6], *forged, *lines[6:]])


def cut_tail(scene: Scene) -> None:
    """The last three events, which no checkpoint covers yet."""
    scene.put(scene.lines()[:22])


def cut_far(scene: Scene) -> None:
    scene.put(scene.lines()[:15])


def forged_from(lines: list[bytes], start: int) -> list[bytes]:
    changed = [line.replace(b"denied", b"allowed") for line in lines[start:]]
    return relinked([*lines[:start], *changed], start)


def rewrite_from_the_middle(scene: Scene) -> None:
    scene.put(forged_from(scene.lines(), 12))


def rewrite_from_genesis(scene: Scene) -> None:
    scene.put(forged_from(scene.lines(), 0))


def delete_and_restart(scene: Scene) -> None:
    """The log and its checkpoints go, and a new log of the same length begins."""
    count = len(scene.lines())
    os.unlink(scene.log)
    shutil.rmtree(scene.beside)
    clean = {**EVENT, "status": "allowed"}
    JsonlLog(scene.log, clock=lambda: 1736769600.0).append_many([clean] * count, durable=True)


def rotate_away(scene: Scene) -> None:
    """The newest events are moved away as if rotated, and the log goes on from what is left."""
    small = JsonlLog(scene.log, clock=lambda: 1736769600.0, rotate_at=1000)
    small.append(EVENT, durable=True)
    assert rotated(scene.log)
    os.unlink(rotated(scene.log)[-1].path)


def replace_by_older_copy_before(scene: Scene) -> None:
    """Log and checkpoints together go back to a state before the remembered one."""
    scene.put(scene.lines()[:13])
    Path(scene.checkpoints.path).write_text(scene.checkpoints.notes()[0] + "\n")


def replace_by_older_copy_after(scene: Scene) -> None:
    """They go back to a state that still holds all that is remembered: a witness saw more."""
    older_head = scene.memory.recall()
    older_note = (scene.folder / "home" / "checkpoint").read_text()
    lines, notes = scene.lines(), Path(scene.checkpoints.path).read_text()
    scene.write(6)
    scene.sign()
    scene.put(lines)
    Path(scene.checkpoints.path).write_text(notes)
    assert older_head is not None
    scene.memory.restart(older_head)  # what is remembered is from before, too
    (scene.folder / "home" / "checkpoint").write_text(older_note)


def steal_key_before(scene: Scene) -> None:
    """With the signing key, history before the remembered point is rewritten and signed anew."""
    scene.put(forged_from(scene.lines(), 3))
    scene.sign_anew()


def steal_key_after(scene: Scene) -> None:
    """Only what came after the remembered point is rewritten; a witness had seen it."""
    head, note = scene.memory.recall(), (scene.folder / "home" / "checkpoint").read_text()
    scene.write(6)
    scene.sign()
    scene.put(forged_from(scene.lines(), 26))
    scene.sign_anew(keep=2)
    assert head is not None
    scene.memory.restart(head)
    (scene.folder / "home" / "checkpoint").write_text(note)


def fork(scene: Scene) -> None:
    """Two logs go on from one point, each signed; the witness was shown the other one."""
    ours = scene.lines()
    home = [scene.memory.recall(), (scene.folder / "home" / "checkpoint").read_text()]
    notes = Path(scene.checkpoints.path).read_text()
    tree = {name: (Path(scene.beside) / name).read_bytes() for name in ("tree", "nodes")}
    scene.write(4)
    scene.sign()  # theirs, shown to the witness
    scene.put(ours)
    Path(scene.checkpoints.path).write_text(notes)
    for name, data in tree.items():
        (Path(scene.beside) / name).write_bytes(data)
    assert home[0] is not None
    scene.memory.restart(home[0])  # type: ignore[arg-type]
    other = JsonlLog(scene.log, clock=lambda: 1736769600.0, memory=scene.memory)
    other.append_many([{**EVENT, "path": "other"}] * 4, durable=True)
    scene.sign(witnessed=False)


Attack = Callable[[Scene], None]
# attack, the level that catches it, what it is called there, at which line
ATTACKS: list[tuple[Attack, int, str, int]] = [
    (edit, 1, "edited", 7),
    (delete, 1, "deleted", 7),
    (swap, 1, "reordered", 7),
    (insert, 1, "inserted", 7),
    (rotate_away, 1, "deleted", 1),
    (cut_far, 2, "tail-cut", 15),
    (rewrite_from_the_middle, 2, "rewritten", 11),
    (rewrite_from_genesis, 2, "rewritten", 1),
    (cut_tail, 3, "tail-cut", 22),
    (delete_and_restart, 3, "rewritten", 1),
    (replace_by_older_copy_before, 3, "replaced-by-older-copy", 13),
    (steal_key_before, 3, "rewritten", 1),
    (replace_by_older_copy_after, 4, "replaced-by-older-copy", 25),
    (steal_key_after, 4, "forked", 31),
    (fork, 4, "forked", 29),
]


def test_there_are_fifteen_attacks() -> None:
    assert len({attack for attack, *_ in ATTACKS}) == 15


@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_a_log_that_nobody_touched_passes_at_every_level(scene: Scene, level: int) -> None:
    report = scene.verify(level)
    assert report.ok, report.as_json()
    assert report.count == 25
    assert report.level == ("chain", "checkpoints", "remembered", "witness")[level - 1]


@pytest.mark.parametrize(("attack", "level", "kind", "line"), ATTACKS)
def test_an_attack_is_caught_at_its_level_and_not_below(
    scene: Scene, attack: Attack, level: int, kind: str, line: int
) -> None:
    attack(scene)
    for lower in range(1, level):
        assert scene.verify(lower).ok, (lower, scene.verify(lower).as_json())
    report = scene.verify(level)
    found = [(problem.kind.value, problem.line) for problem in report.problems]
    assert (kind, line) in found, report.as_json()
    assert not scene.verify(4).ok


@pytest.mark.parametrize(("attack", "kind"), [(attack, kind) for attack, _, kind, _ in ATTACKS[:5]])
def test_what_the_lines_themselves_show_is_told_before_what_a_root_tells(
    scene: Scene, attack: Attack, kind: str
) -> None:
    attack(scene)
    assert scene.verify(4).problems[0].kind == kind


def test_what_no_level_can_see_is_what_nobody_else_has_seen_yet(scene: Scene) -> None:
    """Whoever owns everything can take back the newest events before they are shown around."""
    head = scene.memory.recall()
    lines = scene.lines()
    scene.write(3)
    scene.put(lines)
    assert head is not None
    scene.memory.restart(head)
    assert scene.verify(4).ok


def test_deleting_the_checkpoints_is_noticed_from_outside(scene: Scene) -> None:
    os.unlink(scene.checkpoints.path)
    assert scene.verify(2).ok
    report = scene.verify(3)
    assert [problem.kind for problem in report.problems] == ["missing-checkpoints"]


def test_a_forged_signature_is_named(scene: Scene) -> None:
    text = Path(scene.checkpoints.path).read_text()
    Path(scene.checkpoints.path).write_text(text.replace("\n20\n", "\n25\n"))
    assert "bad-signature" in [problem.kind for problem in scene.verify(2).problems]


@pytest.mark.parametrize("attack", [attack for attack, level, *_ in ATTACKS if level <= 2])
def test_signing_after_an_attack_never_makes_it_pass(scene: Scene, attack: Attack) -> None:
    attack(scene)
    with suppress(AuditError):  # `does-not-continue`, where the signer can see it at once
        scene.checkpoints.sign()
    assert not scene.verify(2).ok


@pytest.mark.parametrize("attack", [edit, delete, insert, cut_far, rewrite_from_the_middle])
def test_lines_that_do_not_continue_what_was_signed_are_not_signed(
    scene: Scene, attack: Attack
) -> None:
    notes, lines = scene.checkpoints.notes(), scene.lines()
    attack(scene)
    with pytest.raises(AuditError) as caught:
        scene.checkpoints.sign()
    assert caught.value.code == "does-not-continue"
    assert scene.checkpoints.notes() == notes
    scene.put(lines)
    scene.sign()
    assert scene.verify(4).ok


def test_an_attacker_who_restarts_the_log_through_us_is_told_on_the_record(scene: Scene) -> None:
    os.unlink(scene.log)
    scene.writer.append(EVENT, durable=True)
    first = json.loads(scene.lines()[0])
    assert first["op"] == "chain_start"
    assert "restarted" in [problem.kind for problem in scene.verify(1).problems]
