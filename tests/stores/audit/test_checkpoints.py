"""Checkpoints on the disk: growing, crashes, proofs, keys, and a log that signs itself."""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from penstock.core.audit.checkpoint import make_key, open_note
from penstock.core.audit.log_head import CheckpointPolicy
from penstock.core.audit.merkle import includes, is_consistent, leaf_hash
from penstock.core.audit.proofs import holds
from penstock.core.errors import AuditError
from penstock.stores.audit.checkpoints import Checkpoints, create_key, load_key
from penstock.stores.audit.jsonl import JsonlLog
from penstock.stores.audit.reader import read_lines
from penstock.stores.audit.remembered_head import HeadMemory
from penstock.stores.audit.segments import rotated
from penstock.stores.audit.signed_log import SignedLog
from penstock.stores.audit.tree_file import TreeFile, TreePosition
from penstock.stores.audit.verify import verify_log
from penstock.stores.audit.witness import FolderWitness
from tests.core.audit.trees import root_of

KEY = make_key("penstock.test/log", bytes(range(32)))
EVENT = {"op": "read_file", "path": "a", "status": "allowed"}


class Ticking:
    def __init__(self) -> None:
        self.now = 1736769600.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def log(tmp_path: Path) -> JsonlLog:
    return JsonlLog(str(tmp_path / "audit.jsonl"), clock=Ticking(), rotate_at=4000)


@pytest.fixture
def checkpoints(log: JsonlLog, tmp_path: Path) -> Checkpoints:
    return Checkpoints(
        str(tmp_path / "apart"),
        log.path,
        public=KEY.public(),
        key=KEY,
        remembered=str(tmp_path / "home" / "checkpoint"),
    )


def add(log: JsonlLog, count: int) -> None:
    for _ in range(count):
        log.append(EVENT, durable=False)


def leaves_of(log: JsonlLog) -> list[bytes]:
    return [leaf_hash(line) for line in read_lines(log.path)]


def test_a_checkpoint_has_the_size_and_root_of_the_log(
    log: JsonlLog, checkpoints: Checkpoints
) -> None:
    for count in (1, 4, 13, 20):  # over several rotations
        add(log, count)
        made = checkpoints.sign()
        assert made is not None
        leaves = leaves_of(log)
        assert (made.size, made.root) == (len(leaves), root_of(leaves))
        assert checkpoints.latest() == made
    assert rotated(log.path)
    assert len(checkpoints.notes()) == 4
    assert verify_log(log.path, checkpoints.evidence()).ok


def test_nothing_new_is_not_signed_again(log: JsonlLog, checkpoints: Checkpoints) -> None:
    assert checkpoints.sign() is None
    add(log, 1)
    assert checkpoints.sign() is not None
    assert checkpoints.sign() is None
    assert len(checkpoints.notes()) == 1


def test_an_unfinished_line_is_not_signed(log: JsonlLog, checkpoints: Checkpoints) -> None:
    add(log, 3)
    with open(log.path, "ab") as file:
        file.write(b'{"ts":')
    made = checkpoints.sign()
    assert made is not None
    assert made.size == 3


def test_the_files_belong_to_their_owner_alone(
    log: JsonlLog, checkpoints: Checkpoints, tmp_path: Path
) -> None:
    add(log, 2)
    checkpoints.sign()
    for name in ("apart/checkpoints", "apart/nodes", "apart/tree", "home/checkpoint"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "apart").stat().st_mode) == 0o700


def test_the_last_checkpoint_is_remembered_elsewhere(
    log: JsonlLog, checkpoints: Checkpoints, tmp_path: Path
) -> None:
    for _ in range(2):
        add(log, 2)
        made = checkpoints.sign()
    note = (tmp_path / "home" / "checkpoint").read_text()
    assert open_note(note, [KEY.public()]) == made


@pytest.mark.parametrize("name", ["tree", "nodes"])
@pytest.mark.parametrize("data", [None, b"", b"garbage", b'{"size":5}', b'{"size":-1,"x":1}'])
def test_a_stored_tree_that_was_lost_or_spoiled_is_made_anew(
    log: JsonlLog, checkpoints: Checkpoints, tmp_path: Path, name: str, data: bytes | None
) -> None:
    add(log, 9)
    checkpoints.sign()
    spoiled = tmp_path / "apart" / name
    if data is None:
        spoiled.unlink()
    else:
        spoiled.write_bytes(data)
    add(log, 3)
    made = checkpoints.sign()
    assert made is not None
    assert made.root == root_of(leaves_of(log))


def test_a_tampered_node_cannot_slip_into_a_signature(
    log: JsonlLog, checkpoints: Checkpoints, tmp_path: Path
) -> None:
    add(log, 9)
    checkpoints.sign()
    nodes = tmp_path / "apart" / "nodes"
    nodes.write_bytes(bytes(len(nodes.read_bytes())))
    add(log, 1)
    made = checkpoints.sign()
    assert made is not None
    assert made.root == root_of(leaves_of(log))


def test_a_crash_between_note_and_tree_is_made_good(
    log: JsonlLog, checkpoints: Checkpoints, tmp_path: Path
) -> None:
    add(log, 5)
    checkpoints.sign()
    tree = (tmp_path / "apart" / "tree").read_bytes()
    add(log, 5)
    checkpoints.sign()
    (tmp_path / "apart" / "tree").write_bytes(tree)
    add(log, 5)
    made = checkpoints.sign()
    assert made is not None
    assert (made.size, made.root) == (len(leaves_of(log)), root_of(leaves_of(log)))


@pytest.mark.parametrize("cut", [1, 30, 60, 100, 150])
def test_a_note_that_a_crash_left_unfinished_is_replaced(
    log: JsonlLog, checkpoints: Checkpoints, cut: int
) -> None:
    add(log, 2)
    checkpoints.sign()
    whole = Path(checkpoints.path).read_bytes()
    add(log, 2)
    checkpoints.sign()
    Path(checkpoints.path).write_bytes(Path(checkpoints.path).read_bytes()[: len(whole) + cut])
    assert len(checkpoints.notes()) == 1
    add(log, 1)
    checkpoints.sign()
    assert [open_note(note, [KEY.public()]).size for note in checkpoints.notes()] == [2, 5]
    assert verify_log(log.path, checkpoints.evidence()).ok


def test_without_a_key_nothing_is_signed(log: JsonlLog, tmp_path: Path) -> None:
    add(log, 1)
    with pytest.raises(AuditError) as caught:
        Checkpoints(str(tmp_path / "x"), log.path, public=KEY.public()).sign()
    assert caught.value.code == "no-key"


def test_a_checkpoint_by_a_stranger_is_not_continued(
    log: JsonlLog, checkpoints: Checkpoints
) -> None:
    add(log, 2)
    checkpoints.sign()
    stranger = make_key(KEY.name, b"s" * 32)
    latest = checkpoints.latest()
    assert latest is not None
    Path(checkpoints.path).write_text(stranger.sign(latest) + "\n")
    add(log, 1)
    with pytest.raises(AuditError) as caught:
        checkpoints.sign()
    assert caught.value.code == "unknown-signer"


def test_proofs_hold_against_the_signed_roots(log: JsonlLog, checkpoints: Checkpoints) -> None:
    add(log, 6)
    old = checkpoints.sign()
    add(log, 9)
    new = checkpoints.sign()
    assert old is not None
    assert new is not None
    lines = list(read_lines(log.path))
    for index in (0, 5, len(lines) - 1):
        proof = checkpoints.inclusion(index, new.size)
        leaf = leaf_hash(lines[index])
        assert includes(leaf=leaf, index=index, size=new.size, proof=proof, root=new.root)
    assert is_consistent(
        old_size=old.size,
        old_root=old.root,
        new_size=new.size,
        new_root=new.root,
        proof=checkpoints.consistency(old.size, new.size),
    )
    with pytest.raises(AuditError) as caught:
        checkpoints.inclusion(0, new.size + 1)
    assert caught.value.code == "no-such-size"


def test_proofs_are_documents_that_need_nothing_but_the_key(
    log: JsonlLog, checkpoints: Checkpoints
) -> None:
    with pytest.raises(AuditError, match="nothing is signed yet"):
        checkpoints.prove_line(0)
    with pytest.raises(AuditError, match="nothing was signed at 1"):
        checkpoints.prove_growth(1)
    add(log, 6)
    checkpoints.sign()
    add(log, 9)
    checkpoints.sign()
    for document in (checkpoints.prove_line(3), checkpoints.prove_growth(6)):
        assert holds(json.loads(json.dumps(document)), [KEY.public()])
    with pytest.raises(AuditError) as caught:
        checkpoints.prove_line(99)
    assert caught.value.code == "no-such-event"


def test_the_tree_is_grown_by_what_is_new_and_not_read_from_the_beginning(
    log: JsonlLog, checkpoints: Checkpoints, tmp_path: Path
) -> None:
    add(log, 8)
    checkpoints.sign()
    tree = TreeFile(str(tmp_path / "apart"), log.path)
    place = tree.place()
    add(log, 1)
    pieces = tree.pieces_after(place)
    assert pieces is not None
    assert sum(piece.block.count(b"\n") for piece in pieces) == 1
    assert tree.pieces_after(TreePosition(size=3, hash="sha256:no", first=0, offset=500)) is None
    assert tree.pieces_after(TreePosition(size=3, hash="sha256:no", first=77, offset=500)) is None


# --- keys -------------------------------------------------------------------------------------


def test_a_key_is_made_once_and_read_by_its_owner_alone(tmp_path: Path) -> None:
    path = str(tmp_path / "key")
    made = create_key(path, "a.test/log")
    assert load_key(path) == made
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    with pytest.raises(AuditError) as caught:
        create_key(path, "a.test/log")
    assert caught.value.code == "key-exists"
    assert load_key(path) == made


def test_a_key_that_others_could_read_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "key")
    create_key(path, "a.test/log")
    os.chmod(path, 0o640)
    with pytest.raises(AuditError) as caught:
        load_key(path)
    assert caught.value.code == "key-permissions"


def test_a_key_file_that_is_missing_or_a_link_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AuditError):
        load_key(str(tmp_path / "none"))
    with pytest.raises(AuditError):
        create_key(str(tmp_path / "none" / "key"), "a")
    os.symlink("elsewhere", tmp_path / "link")
    with pytest.raises(AuditError) as caught:
        load_key(str(tmp_path / "link"))
    assert caught.value.code == "audit-symlink"


def test_two_keys_are_never_the_same(tmp_path: Path) -> None:
    assert create_key(str(tmp_path / "a"), "n") != create_key(str(tmp_path / "b"), "n")


# --- a log that signs itself ------------------------------------------------------------------


def signed(log: JsonlLog, checkpoints: Checkpoints, clock: Ticking) -> SignedLog:
    policy = CheckpointPolicy(events=5, seconds=60.0)
    memory = HeadMemory(log.path + ".head")
    return SignedLog(log, memory, lambda: checkpoints, policy=policy, clock=clock)


def test_a_log_is_signed_at_every_apply_every_so_many_events_and_seconds(
    log: JsonlLog, checkpoints: Checkpoints
) -> None:
    clock = Ticking()
    signing = signed(log, checkpoints, clock)
    sizes = []
    for op in ["decided", "applied", "decided", "decided", "decided", "decided", "decided"]:
        signing.append({**EVENT, "op": op}, durable=False)
        sizes.append(len(checkpoints.notes()))
    assert sizes == [0, 1, 1, 1, 1, 1, 2]
    clock.now += 61
    signing.append(EVENT, durable=False)
    assert len(checkpoints.notes()) == 3
    signing.append_many([{**EVENT, "op": "applied"}, EVENT], durable=True)
    assert len(checkpoints.notes()) == 4
    assert [event["op"] for event in signing.read()][:2] == ["decided", "applied"]
    assert len(list(signing.lines())) == 10
    head = signing.head()
    assert head is not None
    assert head.seq == 9


def test_entries_count_whoever_wrote_them(log: JsonlLog, checkpoints: Checkpoints) -> None:
    clock = Ticking()
    for expected in (0, 0, 0, 0, 1, 1):  # each a process of its own
        signed(log, checkpoints, clock).append(EVENT, durable=False)
        assert len(checkpoints.notes()) == expected


def test_time_counts_from_the_last_checkpoint_and_a_quiet_log_is_not_signed_again(
    log: JsonlLog, checkpoints: Checkpoints
) -> None:
    clock = Ticking()
    memory = HeadMemory(log.path + ".head")
    log = JsonlLog(log.path, clock=clock, memory=memory)
    signed(log, checkpoints, clock).append(EVENT, durable=False)
    for seconds, expected in ((59, 0), (1, 1), (120, 1), (120, 1)):
        clock.now += seconds
        signed(log, checkpoints, clock).sign_if_due()
        assert len(checkpoints.notes()) == expected
    log.append(EVENT, durable=False)  # by somebody who does not sign
    signed(log, checkpoints, clock).sign_if_due()
    assert len(checkpoints.notes()) == 2


def test_a_log_that_is_older_than_the_count_is_signed_by_its_next_entry(
    log: JsonlLog, checkpoints: Checkpoints
) -> None:
    add(log, 3)
    signed(log, checkpoints, Ticking()).append(EVENT, durable=False)
    assert len(checkpoints.notes()) == 1


def test_a_signer_that_fails_is_tried_again_only_when_the_next_checkpoint_is_due(
    log: JsonlLog, checkpoints: Checkpoints
) -> None:
    clock = Ticking()
    signing = signed(log, checkpoints, clock)
    signing.append({**EVENT, "op": "applied"}, durable=True)
    Path(checkpoints.path).write_text("garbage\n\n\u2014 garbage\n\n")
    for _ in range(20):
        signing.append(EVENT, durable=False)
    told = [json.loads(line)["op"] for line in read_lines(log.path)]
    assert told.count("checkpoint_failed") == 4


def test_two_who_see_that_one_is_due_begin_only_one(tmp_path: Path) -> None:
    memory = HeadMemory(str(tmp_path / "head"))
    memory.mark(5, 100)
    seen = memory.signed()
    assert seen == (5, 100)
    assert memory.claim(9, 200, seen=seen)
    assert not HeadMemory(memory.path).claim(9, 200, seen=seen)


def test_an_event_stays_when_signing_fails_and_the_failure_is_told(
    log: JsonlLog, checkpoints: Checkpoints
) -> None:
    signing = signed(log, checkpoints, Ticking())
    signing.append({**EVENT, "op": "applied"}, durable=True)
    Path(checkpoints.path).write_text("garbage\n\n\u2014 garbage\n\n")
    made = signing.append({**EVENT, "op": "applied"}, durable=True)
    assert made.seq == 1
    told = [json.loads(line) for line in read_lines(log.path)][-1]
    assert (told["op"], told["code"]) == ("checkpoint_failed", "bad-checkpoint")


def test_witnesses_are_told_beside_the_way_and_their_refusal_is_on_the_record(
    log: JsonlLog, tmp_path: Path
) -> None:
    (tmp_path / "witness").mkdir()
    witnesses = [
        FolderWitness(str(tmp_path / "witness"), key=KEY.public()),
        FolderWitness(str(tmp_path / "missing"), key=KEY.public()),
    ]
    checkpoints = Checkpoints(
        str(tmp_path / "apart"), log.path, public=KEY.public(), key=KEY, witnesses=witnesses
    )
    signing = signed(log, checkpoints, Ticking())
    signing.settle()
    signing.append({**EVENT, "op": "applied"}, durable=True)
    signing.settle()
    evidence = checkpoints.evidence()
    assert list(evidence.witnesses) == [str(tmp_path / "witness")]
    assert evidence.unreachable == (str(tmp_path / "missing"),)
    told = [json.loads(line) for line in read_lines(log.path)][-1]
    assert (told["op"], told["code"]) == ("witness_failed", "audit-no-directory")
    report = verify_log(log.path, evidence)
    assert report.ok
    assert [warning.kind for warning in report.warnings] == ["unreachable"]
    assert report.level == "witness"


class Slow(FolderWitness):
    """Takes its first note, and answers only when it is let go."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder, key=KEY.public())
        self.took, self.go = threading.Event(), threading.Event()

    def take(self, note: str, *, proof: Sequence[bytes]) -> None:
        super().take(note, proof=proof)
        self.took.set()
        assert self.go.wait(60)


def test_what_is_signed_while_a_witness_is_asked_is_shown_as_well(
    log: JsonlLog, tmp_path: Path
) -> None:
    (tmp_path / "witness").mkdir()
    slow = Slow(str(tmp_path / "witness"))
    checkpoints = Checkpoints(
        str(tmp_path / "apart"), log.path, public=KEY.public(), key=KEY, witnesses=[slow]
    )
    signing = signed(log, checkpoints, Ticking())
    signing.append({**EVENT, "op": "applied"}, durable=True)
    assert slow.took.wait(60)
    signing.append({**EVENT, "op": "applied"}, durable=True)
    slow.go.set()
    signing.settle()
    assert open_note(slow.latest(KEY.name), [KEY.public()]).size == 2


def test_an_older_note_that_was_changed_is_told(log: JsonlLog, checkpoints: Checkpoints) -> None:
    for _ in range(3):
        add(log, 5)
        checkpoints.sign()
    path = Path(checkpoints.path)
    kept = path.read_text()
    assert verify_log(log.path, checkpoints.evidence()).ok
    first = checkpoints.notes()[0]
    path.write_text(kept.replace(first.split("\n")[3], "head sha256:" + "0" * 64))
    report = verify_log(log.path, checkpoints.evidence())
    assert [problem.kind for problem in report.problems] == ["bad-signature"]


def test_processes_that_start_at_once_have_one_key_and_leave_nothing_else(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    from penstock.stores.audit.checkpoints import kept_key

    for turn in range(20):
        folder = tmp_path / str(turn)
        folder.mkdir()
        path = str(folder / "checkpoint.key")
        with ThreadPoolExecutor(4) as pool:
            keys = list(pool.map(lambda _: kept_key(path, "a/log"), range(4)))  # noqa: B023
        assert len({key.written() for key in keys}) == 1
        assert [file.name for file in folder.iterdir()] == ["checkpoint.key"]
