"""The queue's file: private, durable, shared by processes, and never silently replaced."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from penstock.core.errors import StoreError
from penstock.core.model import Change, ChangeKind, Decision, Verdict
from penstock.core.proposals.model import Moment, Proposal, Receipt, State, Transition
from penstock.stores.queue import sqlite as sqlite_store
from penstock.stores.queue.database import Database, migrate
from penstock.stores.queue.sqlite import MIGRATIONS, SqliteProposals

ROOT = os.geteuid() == 0
PROPOSAL = Proposal(
    id="p1",
    path="a.py",
    base=None,
    content="sha256:0",
    change=Change(kind=ChangeKind.NEW),
    decision=Decision(verdict=Verdict.ASK),
    state=State.APPROVED,
    created=Moment(wall=1000.0),
    ttl=120.0,
)
# What child processes of these tests begin with.
CHILD = """
import os, sys
from penstock.core.proposals.codec import from_json
from penstock.core.errors import PenstockError, StaleError
from penstock.core.proposals.model import Proposal, Transition
from penstock.stores.queue.sqlite import SqliteProposals
from msgspec.structs import replace
queue = SqliteProposals(sys.argv[1])
some = from_json(Proposal, sys.argv[2])
def tell(text):
    os.write(1, text.encode() + b"\\n")
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "state" / "penstock.db")


@contextmanager
def opened(path: str, **options: float) -> Iterator[SqliteProposals]:
    queue = SqliteProposals(path, boot=None, **options)
    try:
        yield queue
    finally:
        queue.close()


def child(path: str, script: str, *more: str) -> subprocess.Popen[bytes]:
    from penstock.core.proposals.codec import to_json

    argv = [sys.executable, "-c", CHILD + script, path, to_json(PROPOSAL), *more]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stdin=subprocess.PIPE)


def mode(path: str) -> int:
    return stat.S_IMODE(os.lstat(path).st_mode)


def failing(code: str, path: str) -> StoreError:
    """Return the error of opening a queue, which must leave everything as it is."""
    before = {name: Path(name).read_bytes() for name in plain_files(path)}
    with opened(path) as queue, pytest.raises(StoreError) as caught:
        queue.find()
    assert caught.value.code == code
    assert caught.value.hint
    assert {name: Path(name).read_bytes() for name in plain_files(path)} == before
    return caught.value


def plain_files(path: str) -> list[str]:
    folder = Path(path).parent
    return (
        sorted(str(file) for file in folder.glob("*") if file.is_file()) if folder.exists() else []
    )


# Private


def test_the_file_is_private_below_a_private_directory(path: str) -> None:
    old = os.umask(0)
    try:
        with opened(path) as queue:
            queue.add([PROPOSAL])
            assert {mode(file) for file in plain_files(path)} == {0o600}
            assert any(file.endswith("-wal") for file in plain_files(path))
            assert mode(os.path.dirname(path)) == 0o700
    finally:
        os.umask(old)


def test_nothing_is_made_before_it_is_needed(path: str) -> None:
    with opened(path):
        assert not os.path.exists(os.path.dirname(path))


def test_missing_directories_above_are_made_private_too(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "penstock.db"
    with opened(str(path)) as queue:
        queue.find()
    assert mode(str(tmp_path / "a")) == 0o700


def test_a_directory_that_others_can_read_is_closed_to_them(path: str) -> None:
    os.mkdir(os.path.dirname(path))
    os.chmod(os.path.dirname(path), 0o755)
    with opened(path) as queue:
        queue.find()
    assert mode(os.path.dirname(path)) == 0o700


def test_a_directory_that_others_can_write_is_refused(path: str) -> None:
    os.mkdir(os.path.dirname(path))
    os.chmod(os.path.dirname(path), 0o777)
    failing("state-exposed", path)
    assert mode(os.path.dirname(path)) == 0o777, "never ours to change: it may be /tmp"


def test_a_file_that_others_can_read_is_closed_to_them(path: str) -> None:
    with opened(path) as queue:
        queue.add([PROPOSAL])
    os.chmod(path, 0o644)
    with opened(path) as queue:
        queue.find()
    assert mode(path) == 0o600


def test_no_link_is_followed_to_the_file(path: str, tmp_path: Path) -> None:
    elsewhere = str(tmp_path / "elsewhere" / "penstock.db")
    with opened(elsewhere) as queue:
        queue.add([PROPOSAL])
    os.mkdir(os.path.dirname(path), 0o700)
    os.symlink(elsewhere, path)
    failing("queue-broken", path)


def test_a_dangling_link_makes_nothing_where_it_points(path: str, tmp_path: Path) -> None:
    os.mkdir(os.path.dirname(path), 0o700)
    os.symlink(tmp_path / "victim", path)
    failing("queue-broken", path)
    assert not os.path.lexists(tmp_path / "victim")


def test_no_link_is_followed_to_the_directory(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir(mode=0o700)
    os.symlink(real, tmp_path / "state")
    failing("is-symlink", str(tmp_path / "state" / "penstock.db"))
    assert not list(real.iterdir())


def test_a_file_where_the_directory_should_be_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    with opened(str(tmp_path / "state" / "penstock.db")) as queue, pytest.raises(StoreError):
        queue.find()


@pytest.mark.parametrize("name", ["a?b#c%20d.db", "ünï côde.db", "file:x.db", "a'b.db", ":memory:"])
def test_any_file_name_is_just_a_name(tmp_path: Path, name: str) -> None:
    path = str(tmp_path / name)
    for _ in range(2):
        with opened(path) as queue:
            queue.last_wall(5.0)
    assert os.path.isfile(path)
    with opened(path) as queue:
        assert queue.last_wall(0.0) == 5.0


def test_a_name_that_cannot_be_is_an_error_of_ours(tmp_path: Path) -> None:
    for name in ("a\0b", "x" * 300):
        with opened(str(tmp_path / name)) as queue, pytest.raises(StoreError):
            queue.find()


# Never silently replaced


DAMAGE: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("emptied", lambda data: b""),
    ("cut within the header", lambda data: data[:50]),
    ("cut to its first page", lambda data: data[:4096]),
    ("overwritten with text", lambda data: b"not a database at all\n" * 400),
    ("its beginning zeroed", lambda data: bytes(4096) + data[4096:]),
]


@pytest.mark.parametrize(("why", "harm"), DAMAGE, ids=[row[0] for row in DAMAGE])
def test_a_damaged_file_is_reported_and_left_alone(
    path: str, why: str, harm: Callable[[bytes], bytes]
) -> None:
    with opened(path) as queue:
        queue.add([replace(PROPOSAL, id=f"p{n}") for n in range(40)])
    Path(path).write_bytes(harm(Path(path).read_bytes()))
    damaged = Path(path).read_bytes()
    with opened(path) as queue:
        for call in (queue.find, lambda: queue.add([PROPOSAL]), lambda: queue.get("p1")):
            with pytest.raises(StoreError) as caught:
                call()
            assert caught.value.code == "queue-broken"
            assert "backup" in caught.value.hint
    assert Path(path).read_bytes() == damaged


def test_damage_in_the_middle_is_reported_when_it_is_met(path: str) -> None:
    with opened(path) as queue:
        queue.add([replace(PROPOSAL, id=f"p{n}", path="x" * 300) for n in range(200)])
    data = bytearray(Path(path).read_bytes())
    for page in range(1, len(data) // 4096):
        data[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    Path(path).write_bytes(data)
    with opened(path) as queue, pytest.raises(StoreError) as caught:
        queue.find()
    assert caught.value.code == "queue-broken"
    assert Path(path).read_bytes() == data


def test_a_file_that_vanished_under_its_journal_is_not_made_anew(path: str) -> None:
    with opened(path) as queue:
        queue.add([PROPOSAL])
        shutil.copy(path + "-wal", path + "-copy")
    os.rename(path + "-copy", path + "-wal")
    os.unlink(path)
    failing("queue-broken", path)
    assert not os.path.exists(path)


def test_a_database_of_something_else_is_left_alone(path: str) -> None:
    os.mkdir(os.path.dirname(path), 0o700)
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE proposals (id)")
    db.commit()
    db.close()
    os.chmod(path, 0o600)
    failing("queue-broken", path)


def test_a_queue_of_a_newer_penstock_is_left_alone(path: str) -> None:
    with opened(path) as queue:
        queue.add([PROPOSAL])
    edit(path, "PRAGMA user_version=99")
    failing("queue-newer", path)


def edit(path: str, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()


TAMPERED = [
    ("a state that does not exist", "UPDATE proposals SET state = 'sure'"),
    ("a body that is no JSON", "UPDATE proposals SET body = '{'"),
    ("a body that is a number", "UPDATE proposals SET body = 7"),
    ("another path than the body's", "UPDATE proposals SET path = '.git/hooks/pre-commit'"),
    ("another id than the body's", "UPDATE proposals SET id = 7"),
    ("an answer that is none", "UPDATE proposals SET answer = '[]'"),
]


@pytest.mark.parametrize(("why", "statement"), TAMPERED, ids=[row[0] for row in TAMPERED])
def test_a_row_that_does_not_agree_with_itself_is_refused(
    path: str, why: str, statement: str
) -> None:
    with opened(path) as queue:
        queue.add([PROPOSAL])
    edit(path, "DROP TRIGGER proposals_keep", statement)
    with opened(path) as queue, pytest.raises(StoreError) as caught:
        queue.find()
    assert caught.value.code in ("queue-broken", "record-broken")


def test_a_queue_whose_time_is_gone_is_broken(path: str) -> None:
    with opened(path) as queue:
        queue.last_wall(5.0)
    edit(path, "DELETE FROM latest")
    with opened(path) as queue, pytest.raises(StoreError) as caught:
        queue.last_wall(6.0)
    assert caught.value.code == "queue-broken"


def test_the_digests_of_a_proposal_cannot_be_changed_by_mistake(path: str) -> None:
    with opened(path) as queue:
        queue.add([PROPOSAL])
        queue.add_receipt(
            Receipt(id="r", proposal="p1", path="a", before=None, after=None, event_hash="", at=1.0)
        )
    for statement in ("UPDATE proposals SET body = '{}'", "UPDATE receipts SET path = 'b'"):
        with pytest.raises(sqlite3.IntegrityError):
            edit(path, statement)


# Migrations


def test_older_tables_are_brought_up_to_date_in_order(path: str) -> None:
    with opened(path) as queue:
        queue.add([PROPOSAL])
    more = (
        *MIGRATIONS,
        ("ALTER TABLE receipts ADD COLUMN colour",),
        ("UPDATE receipts SET colour = 'blue'", "CREATE INDEX by_colour ON receipts (colour)"),
    )
    for _ in range(2):
        database = Database(path, more)
        with database.reading() as db:
            assert [row[0] for row in db.execute("SELECT version FROM migrations")] == [1, 2, 3]
            assert db.execute("PRAGMA user_version").fetchone()[0] == 3
            assert db.execute("SELECT count(*) FROM proposals").fetchone()[0] == 1
        database.close()
    failing("queue-newer", path)


def test_a_migration_that_fails_leaves_the_old_tables(path: str) -> None:
    with opened(path) as queue:
        queue.add([PROPOSAL])
    bad = (*MIGRATIONS, ("ALTER TABLE receipts ADD COLUMN colour", "nonsense"))
    database = Database(path, bad)
    with pytest.raises(StoreError), database.reading():
        pass
    database.close()
    with opened(path) as queue:
        assert queue.get("p1") == PROPOSAL
        assert queue.check() == ()


def test_migrating_what_is_up_to_date_takes_no_lock(path: str) -> None:
    with opened(path) as queue:
        queue.find()
    db, other = sqlite3.connect(path, isolation_level=None), sqlite3.connect(path)
    db.execute("BEGIN IMMEDIATE")
    migrate(other, path, MIGRATIONS)
    db.close()
    other.close()


# Durable


def test_it_is_a_write_ahead_log_synced_at_every_commit(path: str) -> None:
    with opened(path) as queue:
        queue.add([PROPOSAL])
        with queue._db.reading() as db:
            settings = {
                name: db.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("journal_mode", "synchronous", "foreign_keys", "trusted_schema")
            }
    assert settings == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "trusted_schema": 0,
    }


def test_a_queue_outlives_its_process(path: str) -> None:
    """S1-075: the queue is there after a restart, answers and renewals included."""
    with opened(path) as queue:
        queue.add([replace(PROPOSAL, state=State.WAITING)])
        queue.move("p1", Transition.RENEW, at=Moment(wall=1050.0, boot=3.0, boot_id="b"))
    script = "tell(str(queue.get('p1').created.wall)); queue.move('p1', Transition.APPROVE)"
    assert child(path, script).communicate()[0] == b"1050.0\n"
    with opened(path) as queue:
        assert queue.get("p1") == replace(
            PROPOSAL,
            state=State.APPROVED,
            created=Moment(wall=1050.0, boot=3.0, boot_id="b"),
        )


KILLED = """
for n in range(100_000):
    name = sys.argv[3] + "-" + str(n)
    queue.add([replace(some, id=name)])
    tell("added " + name)
    queue.claim([name], token=name)
    tell("claimed " + name)
    queue.move(name, Transition.APPLY)
    tell("applied " + name)
"""


def test_what_was_acknowledged_survives_kill_9(path: str) -> None:
    seen: dict[str, str] = {}
    for turn in range(8):
        process = child(path, KILLED, str(turn))
        assert process.stdout is not None
        # Another number of steps each time, so that it dies in another place each time.
        for _ in range(3 + 2 * turn):
            what, name = process.stdout.readline().decode().split()
            seen[name] = what
        process.send_signal(signal.SIGKILL)
        for line in process.communicate()[0].splitlines():
            what, name = line.decode().split()
            seen[name] = what
        with opened(path) as queue:
            assert queue.check() == ()
            claimed = {proposal.id for _, proposal in queue.claimed()}
            for name, what in seen.items():
                found = queue.get(name)
                assert found is not None, f"{name} was {what} and is gone"
                if what == "applied":
                    assert found.state is State.APPLIED
                if what == "claimed":
                    assert name in claimed or found.state is State.APPLIED
    assert {"applied"} <= set(seen.values())


HOLDING = """
queue.claim(["p1"], token="held")
tell("holding")
sys.stdin.read()
"""


def test_a_claim_is_abandoned_once_its_process_is_gone(path: str) -> None:
    with opened(path) as queue:
        queue.add([PROPOSAL, replace(PROPOSAL, id="p2")])
        process = child(path, HOLDING)
        assert process.stdout is not None
        assert process.stdout.readline() == b"holding\n"
        queue.claim(["p2"], token="mine")
        assert queue.abandoned() == ()
        process.kill()
        process.communicate()
        assert [(token, p.id) for token, p in queue.abandoned()] == [("held", "p1")]
        assert [token for token, _ in queue.claimed()] == ["held", "mine"]


MADE_AT_ONCE = """
sys.stdin.read(1)
queue.add([replace(some, id=sys.argv[3] + "-" + str(n)) for n in range(5)])
won = 0
for n in range(20):
    try:
        queue.claim(["shared-" + str(n)], token=sys.argv[3])
        won += 1
    except StaleError:
        pass
for n in range(20):
    try:
        queue.move("single-" + str(n), Transition.APPLY)
        won += 1
    except StaleError:
        pass
tell(str(won))
"""


@pytest.mark.parametrize("there", [True, False], ids=["there already", "made at the same time"])
def test_of_several_processes_each_claim_and_each_move_is_won_once(path: str, there: bool) -> None:
    names = [f"{kind}-{n}" for kind in ("shared", "single") for n in range(20)]
    if there:
        with opened(path) as queue:
            queue.add([replace(PROPOSAL, id=name) for name in names])
    script = MADE_AT_ONCE if there else MADE_AT_ONCE.partition("won = 0")[0]
    processes = [child(path, script, str(n)) for n in range(4)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"g")
        process.stdin.flush()
    answers = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * 4
    with opened(path) as queue:
        assert queue.check() == ()
        for n in range(4):
            assert queue.get(f"{n}-4") is not None
        if there:
            assert sum(int(answer) for answer in answers) == 40
            assert len(queue.claimed()) == 20


def test_a_forked_process_opens_its_own_connection(path: str) -> None:
    with opened(path) as queue:
        queue.add([PROPOSAL])
        parents = queue._db._open
        pid = os.fork()
        if pid == 0:  # pragma: no cover - in another process
            code = 1
            try:
                queue.add([replace(PROPOSAL, id="child")])
                code = 2 if queue._db._open is parents else 0
                queue.close()
            finally:
                os._exit(code)
        assert os.waitpid(pid, 0)[1] == 0
        queue.add([replace(PROPOSAL, id="parent")])
        assert [p.id for p in queue.find()] == ["p1", "child", "parent"]
        assert queue.check() == ()


def test_a_closed_queue_opens_again_when_it_is_used(path: str) -> None:
    with opened(path) as queue:
        queue.add([PROPOSAL])
        queue.close()
        queue.close()
        assert queue.get("p1") == PROPOSAL


# Faults


def test_waiting_for_another_writer_has_an_end(path: str) -> None:
    with opened(path, busy=0.05) as queue:
        queue.add([PROPOSAL])
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError) as caught:
            queue.move("p1", Transition.APPLY)
        assert caught.value.code == "queue-busy"
        assert queue.get("p1") == PROPOSAL, "readers do not wait for writers"
        other.close()
        assert queue.move("p1", Transition.APPLY).state is State.APPLIED


def test_a_fault_inside_a_move_changes_nothing(path: str) -> None:
    with opened(path) as queue:
        queue.add([PROPOSAL])
        queue.claim(["p1"], token="t")
        edit(
            path, "CREATE TRIGGER stop BEFORE DELETE ON claims BEGIN SELECT RAISE(FAIL, 'no'); END"
        )
        with pytest.raises(StoreError):
            queue.move("p1", Transition.APPLY)
        edit(path, "DROP TRIGGER stop")
        assert queue.get("p1") == PROPOSAL
        assert len(queue.claimed()) == 1


LIMITED = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
queue.add([replace(some, id="before")])
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
try:
    for n in range(1000):
        queue.add([replace(some, id=str(n), path="x" * 5000)])
        tell(str(n))
except PenstockError as error:
    tell(type(error).__name__ + " " + error.code)
"""


def test_a_file_that_cannot_grow_is_an_error_and_loses_nothing(path: str) -> None:
    lines = child(path, LIMITED).communicate()[0].decode().splitlines()
    assert lines[-1].startswith("StoreError disk")
    with opened(path) as queue:
        assert queue.check() == ()
        for name in ("before", *lines[:-1]):
            assert queue.get(name) is not None


@contextmanager
def small_disk(folder: Path, options: str) -> Iterator[None]:
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if not ROOT or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("mounting a small disk needs root")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(queue: SqliteProposals, kept: list[str]) -> None:
    for n in range(1000):
        queue.add([replace(PROPOSAL, id=str(n), path="x" * 5000)])
        kept.append(str(n))


def test_a_full_disk_is_an_error_and_loses_nothing(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "size=400k,mode=700"):
        path = str(tmp_path / "disk" / "penstock.db")
        kept: list[str] = []
        with opened(path) as queue:
            with pytest.raises(StoreError) as caught:
                fill(queue, kept)
            assert caught.value.code in ("disk-full", "disk-failed")
            assert [p.id for p in queue.find()] == kept


def test_a_disk_too_small_for_any_queue_leaves_no_half_of_one(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "size=16k,mode=700"):
        with opened(str(tmp_path / "disk" / "penstock.db")) as queue, pytest.raises(StoreError):
            queue.find()
        assert not os.listdir(tmp_path / "disk")


def test_wherever_the_disk_gets_full_the_queue_is_whole_or_absent(tmp_path: Path) -> None:
    """Also where SQLite itself would have said nothing: emptying its log as it closes."""
    disk = tmp_path / "disk"
    with small_disk(disk, "size=1m,mode=700"):
        path, ballast = str(disk / "penstock.db"), disk / "ballast"
        made = 0
        for pages in range(1, 60, 2):
            ballast.write_bytes(bytes((1 << 20) - pages * 4096))
            with suppress(StoreError), opened(path) as queue:
                queue.last_wall(5.0)
                made += 1
            ballast.unlink()
            with opened(path) as queue:
                assert queue.check() == ()
                assert queue.last_wall(0.0) in (0.0, 5.0)
            for name in plain_files(path):
                os.unlink(name)
    assert 0 < made < 30


def test_a_read_only_disk_is_an_error(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "size=1m,mode=700"):
        path = str(tmp_path / "disk" / "penstock.db")
        with opened(path) as queue:
            queue.add([PROPOSAL])
        remount = ["mount", "-o", "remount,ro", str(tmp_path / "disk")]
        subprocess.run(remount, check=True)
        with opened(path) as queue, pytest.raises(StoreError) as caught:
            queue.move("p1", Transition.APPLY)
        assert caught.value.code in ("read-only", "queue-failed")
        with opened(path + "2") as queue, pytest.raises(StoreError) as caught:
            queue.find()
        assert caught.value.code == "read-only"


def test_files_left_by_a_crash_while_making_the_queue_are_removed(path: str) -> None:
    folder = Path(path).parent
    folder.mkdir(mode=0o700)
    (folder / ".penstock-new-00").write_text("half a database")
    (folder / "notes.txt").write_text("someone else's")
    with opened(path) as queue:
        queue.find()
    assert sorted(os.listdir(folder))[:2] == ["notes.txt", "penstock.db"]


# Costs


def test_every_question_is_answered_from_an_index(path: str) -> None:
    """Costs grow with the work and not with the history: no plan reads a whole table."""
    plans: list[str] = []
    with opened(path) as queue:
        queue.add([replace(PROPOSAL, id=str(n), set_id="s") for n in range(5)])
        asked: list[str] = []
        with queue._db.reading() as db:
            db.set_trace_callback(asked.append)
        queue.get("1")
        queue.of_set("s")
        queue.find(states=[State.WAITING, State.APPROVED])
        queue.find(path="a.py")
        queue.find(path="a.py", states=[State.APPLIED], limit=5)
        queue.claim(["1"], token="t")
        queue.claimed()
        queue.move("2", Transition.APPLY)
        queue.release("t")
        queue.receipt("r")
        queue.receipts(path="a.py")
        queue.receipts(set_id="s")
        with queue._db.reading() as db:
            db.set_trace_callback(None)
            for statement in asked:
                if statement.startswith(("SELECT", "UPDATE", "DELETE")):
                    plan = db.execute("EXPLAIN QUERY PLAN " + statement).fetchall()
                    plans += [f"{row[3]} <- {statement}" for row in plan]
    assert len(plans) > 20
    whole = [plan for plan in plans if plan.startswith(("SCAN p", "SCAN r"))]
    assert not whole
    # Only what the states gave, at most `limit` from each, is ever sorted.
    sorts = [plan for plan in plans if "B-TREE" in plan]
    assert all("<- SELECT * FROM (SELECT" in plan for plan in sorts)


def test_listing_without_a_filter_stops_at_its_limit(path: str) -> None:
    """Counted in steps of the database's machine, not in seconds."""
    with opened(path) as queue:
        steps = []
        for size in (50, 2000):
            have = len(queue.find(limit=10**6))
            queue.add([replace(PROPOSAL, id=str(n)) for n in range(have, size)])
            count = [0]

            def tick(count: list[int] = count) -> int:
                count[0] += 1
                return 0

            with queue._db.reading() as db:
                db.set_progress_handler(tick, 1)
            queue.find(limit=10)
            queue.find(states=[State.APPROVED, State.WAITING], limit=10)
            with queue._db.reading() as db:
                db.set_progress_handler(None, 0)
            steps.append(count[0])
    assert steps[1] <= steps[0] + 5


# Time


def test_the_mark_goes_on_with_the_boot_clock(path: str) -> None:
    boot: list[Any] = [100.0, "first"]
    queue = SqliteProposals(path, boot=lambda: (boot[0], boot[1]))
    assert queue.last_wall(1000.0) == 1000.0
    boot[0] = 160.0
    assert queue.last_wall(400.0) == 1060.0, "the wall clock was set back; a minute has passed"
    boot[:] = [5.0, "second"]
    assert queue.last_wall(400.0) == 1060.0, "restarted: nobody knows how long it was off"
    boot[0] = 25.0
    queue.close()
    assert queue.last_wall(400.0) == 1080.0, "it goes on in the new boot, in another process"
    boot[0] = 20.0
    assert queue.last_wall(400.0) == 1080.0, "a boot clock that goes back changes nothing"
    assert queue.last_wall(5000.0) == 5000.0
    queue.close()


@pytest.mark.parametrize("wall", [float("nan"), float("inf"), float("-inf")])
def test_a_time_that_is_none_is_not_remembered(path: str, wall: float) -> None:
    with opened(path) as queue:
        queue.last_wall(1000.0)
        assert queue.last_wall(wall) == 1000.0


def test_without_a_boot_id_the_mark_stands(path: str) -> None:
    boot = [100.0]
    queue = SqliteProposals(path, boot=lambda: (boot[0], ""))
    queue.last_wall(1000.0)
    boot[0] = 500.0
    assert queue.last_wall(400.0) == 1000.0
    queue.close()


def test_the_real_boot_clock_is_the_default(path: str) -> None:
    queue = SqliteProposals(path)
    first = queue.last_wall(1000.0)
    assert first == 1000.0
    assert queue.last_wall(0.0) >= first
    queue.close()
    assert sqlite_store._this_boot()[0] > 0


def test_opening_it_twice_in_one_process_keeps_the_locks_of_the_first(path: str) -> None:
    """Otherwise another process that ends takes the log away, and the queue is lost."""
    with opened(path) as first, opened(path) as second:
        first.last_wall(1000.0)
        second.last_wall(1001.0)
        code = "from penstock.stores.queue.sqlite import SqliteProposals as S; import sys\n"
        run = f"{code}queue = S(sys.argv[1]); queue.last_wall(1002.0); queue.close()"
        subprocess.run([sys.executable, "-c", run, path], check=True, timeout=60)
        assert os.path.exists(path + "-wal"), "the other process was not the last one here"
        assert first.last_wall(0.0) >= 1002.0
