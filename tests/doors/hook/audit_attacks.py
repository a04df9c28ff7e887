"""What somebody can do to a log, done to its real files.

`Target` says where the files of one log lie. The attacks of `FOUND_ALONE` change the log, its
checkpoints and its tree, and leave alone what is remembered one level above them. Those of
`FOUND_BY_WITNESS` are done by somebody who runs as the same user, takes back what is remembered as
well and, where it is needed, signs anew with the key: only who has seen more can tell.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from penstock.core.audit.checkpoint import Checkpoint, CheckpointKey, make_key
from penstock.core.audit.merkle import leaf_hash
from penstock.stores.audit.checkpoints import load_key
from tests.core.audit.records import linked, relinked
from tests.core.audit.trees import root_of

EVIDENCE = ("checkpoints", "tree", "nodes")


@dataclass(frozen=True)
class Target:
    """One log: its file, the folder of its checkpoints, and what makes it grow by one entry.

    `grow` returns once a checkpoint over at least that many entries has been signed and shown.
    """

    log: Path
    folder: Path
    grow: Callable[[int], None]

    @property
    def memory(self) -> list[Path]:
        """What is remembered one level above."""
        above = self.folder.parent / f"{self.folder.name}.head"
        return [above, Path(f"{above}.checkpoint")]

    def lines(self) -> list[bytes]:
        return self.log.read_bytes().splitlines()

    def put(self, lines: list[bytes]) -> None:
        self.log.write_bytes(b"".join(line + b"\n" for line in lines))

    def kept(self) -> dict[Path, bytes]:
        """Return everything that there is of this log, but the key."""
        places = [self.log, *(self.folder / name for name in EVIDENCE), *self.memory]
        return {place: place.read_bytes() for place in places}

    def put_back(self, kept: dict[Path, bytes]) -> None:
        for place, data in kept.items():
            place.write_bytes(data)

    def signed(self) -> int:
        """Return how many entries the last checkpoint is over; 0 without one."""
        notes = self.folder / "checkpoints"
        text = notes.read_text() if notes.exists() else ""
        return int(text.rstrip("\n").split("\n\n")[-2].split("\n")[1]) if text else 0

    def sign_anew(self, key: CheckpointKey | None = None) -> None:
        """Replace all checkpoints by one over the log as it is; by the key that lies there."""
        key = key or load_key(str(self.folder / "checkpoint.key"))
        leaves = [leaf_hash(line) for line in self.lines()]
        whole = Checkpoint(origin=key.name, size=len(leaves), root=root_of(leaves))
        (self.folder / "checkpoints").write_text(key.sign(whole) + "\n")


def changed(lines: list[bytes], start: int) -> list[bytes]:
    """Return lines whose content and hashes from `start` on are others."""
    other = [line.replace(b'"path":"', b'"path":"x') for line in lines[start:]]
    return relinked([*lines[:start], *other], start)


# --- found without a witness ------------------------------------------------------------------


def edit_a_field(target: Target) -> None:
    lines = target.lines()
    lines[2] = lines[2].replace(b'"path":"', b'"path":"x', 1)
    target.put(lines)


def edit_and_hash_anew(target: Target) -> None:
    """One entry with its own hash right; the next one names another."""
    lines = target.lines()
    lines[2] = changed(lines[:3], 2)[2]
    target.put(lines)


def cut_the_last(target: Target) -> None:
    target.put(target.lines()[:-1])


def cut_many(target: Target) -> None:
    target.put(target.lines()[:3])


def cut_back_to_the_last_checkpoint(target: Target) -> None:
    lines = target.lines()
    assert 0 < target.signed() < len(lines)
    target.put(lines[: target.signed()])


def delete_from_the_middle(target: Target) -> None:
    lines = target.lines()
    target.put([*lines[:2], *lines[3:]])


def insert(target: Target) -> None:
    lines = target.lines()
    prev = lines[1][-66:-2].decode()
    facts = '"ts":"2025-01-13T12:00:00Z","seq":2,"op":"approved","path":"x"'
    target.put([*lines[:2], *linked([facts], f"sha256:{prev}"), *lines[2:]])


def duplicate(target: Target) -> None:
    lines = target.lines()
    target.put([*lines[:3], lines[2], *lines[3:]])


def reorder(target: Target) -> None:
    lines = target.lines()
    lines[1], lines[3] = lines[3], lines[1]
    target.put(lines)


def rebuild_from_the_middle(target: Target) -> None:
    target.put(changed(target.lines(), 3))


def rebuild_the_whole(target: Target) -> None:
    target.put(changed(target.lines(), 0))


def rebuild_the_end(target: Target) -> None:
    """Only what no checkpoint covers yet, the last entry."""
    lines = target.lines()
    assert target.signed() < len(lines)
    target.put(changed(lines, len(lines) - 1))


def older_copy(target: Target) -> None:
    """Log, checkpoints and tree as they were a while ago; what is remembered stays."""
    kept = target.kept()
    target.grow(6)
    target.put_back({place: kept[place] for place in kept if place not in target.memory})


def delete_the_checkpoints(target: Target) -> None:
    for name in EVIDENCE:
        (target.folder / name).unlink()


def forge_a_checkpoint(target: Target) -> None:
    """Rewrite the log, and sign that with a key of one's own under the log's name."""
    name = load_key(str(target.folder / "checkpoint.key")).name
    target.put(changed(target.lines(), 0))
    target.sign_anew(make_key(name, b"m" * 32))


def swap_for_another_log(target: Target) -> None:
    """A sound log of the same length from elsewhere, with sound checkpoints of its own."""
    other = [f'"ts":"2025-01-13T12:00:00Z","seq":{at},"op":"x","path":""' for at in range(50)]
    target.put(linked(other[: len(target.lines())]))
    target.sign_anew(make_key("penstock/elsewhere", b"e" * 32))


def delete_the_file(target: Target) -> None:
    target.log.unlink()


def delete_and_begin_anew(target: Target) -> None:
    """Log, checkpoints and tree go; a log of the same length is there in its place."""
    lines = target.lines()
    for name in EVIDENCE:
        (target.folder / name).unlink(missing_ok=True)
    target.put(changed(lines, 0))


# --- found by a witness: everything here is taken back, what is remembered, too ------------------


def older_copy_of_everything(target: Target) -> None:
    kept = target.kept()
    target.grow(6)
    target.put_back(kept)


def rewrite_and_sign_with_the_key(target: Target) -> None:
    kept = target.kept()
    target.grow(6)
    lines = target.lines()
    target.put_back(kept)
    target.put(changed(lines, len(lines) - 6))
    target.sign_anew()
    for place in target.memory:
        place.unlink()


def begin_anew_with_another_key(target: Target) -> None:
    lines = target.lines()
    for name in (*EVIDENCE, "checkpoint.key"):
        (target.folder / name).unlink(missing_ok=True)
    for place in target.memory:
        place.unlink(missing_ok=True)
    target.put(changed(lines, 0))


def leave_nothing(target: Target) -> None:
    target.log.unlink()
    for name in (*EVIDENCE, "checkpoint.key"):
        (target.folder / name).unlink()
    for place in target.memory:
        place.unlink()


Attack = Callable[[Target], None]
FOUND_ALONE: list[Attack] = [
    edit_a_field,
    edit_and_hash_anew,
    cut_the_last,
    cut_many,
    cut_back_to_the_last_checkpoint,
    delete_from_the_middle,
    insert,
    duplicate,
    reorder,
    rebuild_from_the_middle,
    rebuild_the_whole,
    rebuild_the_end,
    older_copy,
    delete_the_file,
    delete_and_begin_anew,
    delete_the_checkpoints,
    forge_a_checkpoint,
    swap_for_another_log,
]
FOUND_BY_WITNESS: list[Attack] = [
    older_copy_of_everything,
    rewrite_and_sign_with_the_key,
    begin_anew_with_another_key,
    leave_nothing,
]
