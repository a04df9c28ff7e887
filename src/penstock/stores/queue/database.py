"""One SQLite file: made whole, opened only if it is ours, and its errors in our words.

What the tables mean is `stores/queue/sqlite.py`. A database is built under another name and then
renamed, so a file that is there but empty or strange is damage, and damage is reported and
left alone: an empty queue in its place would hide what was approved and what was refused.
Always true: a commit that was acknowledged is on the disk (WAL, synchronous=FULL).
"""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from weakref import finalize

from penstock.core.errors import StoreError
from penstock.stores.system import private
from penstock.stores.system.os_errors import is_there

APPLICATION = 0x50656E53  # tells our files from every other SQLite database
MAGIC = b"SQLite format 3\0"
# Read anew at every open: none of them is kept in the file, except for the journal mode.
SETTINGS = (
    "PRAGMA synchronous=FULL",
    "PRAGMA fullfsync=ON",  # macOS: fsync alone stops at the drive's cache
    "PRAGMA checkpoint_fullfsync=ON",
    "PRAGMA foreign_keys=ON",
    "PRAGMA trusted_schema=OFF",
    "PRAGMA journal_size_limit=16777216",
)

Migration = Sequence[str]
Migrations = Sequence[Migration]

LEFT_ALONE = "nothing was changed; restore a backup, or move it away to start over"
CODES: Mapping[int, tuple[str, str, str]] = {
    sqlite3.SQLITE_CORRUPT: ("queue-broken", "is damaged", LEFT_ALONE),
    sqlite3.SQLITE_NOTADB: ("queue-broken", "is not a database", LEFT_ALONE),
    sqlite3.SQLITE_BUSY: (
        "queue-busy",
        "is in use",
        "try again; check for other Penstock processes",
    ),
    sqlite3.SQLITE_LOCKED: (
        "queue-busy",
        "is in use",
        "try again; check for other Penstock processes",
    ),
    sqlite3.SQLITE_PROTOCOL: ("queue-busy", "is in use", "keep the state on a local disk"),
    sqlite3.SQLITE_FULL: ("disk-full", "cannot grow", "free some space on that disk"),
    sqlite3.SQLITE_READONLY: ("read-only", "cannot be written", "make the disk writable"),
    sqlite3.SQLITE_PERM: ("no-access", "cannot be opened", "fix its permissions"),
    sqlite3.SQLITE_CANTOPEN: ("queue-failed", "cannot be opened", "check its directory"),
    sqlite3.SQLITE_IOERR: ("disk-failed", "cannot be read or written", "check the disk"),
}
OTHER = ("queue-failed", "failed", "run `penstock doctor`")


def broken(path: str, because: str) -> StoreError:
    """Return the error for a file that is there and is not what it should be."""
    return StoreError(
        "queue-broken", f"the queue `{path}` is damaged", because=because, hint=LEFT_ALONE
    )


def error_for(problem: sqlite3.Error, path: str) -> StoreError:
    """Return our error for one of SQLite's; the low byte of its code is the family."""
    family = getattr(problem, "sqlite_errorcode", 0) & 0xFF
    if family == sqlite3.SQLITE_CANTOPEN and _is_read_only(path):  # no log can be made beside it
        family = sqlite3.SQLITE_READONLY
    code, what, hint = CODES.get(family, OTHER)
    return StoreError(code, f"the queue `{path}` {what}", because=str(problem), hint=hint)


def _is_read_only(path: str) -> bool:
    with suppress(OSError):
        return bool(os.statvfs(os.path.dirname(path)).f_flag & os.ST_RDONLY)
    return False


@contextmanager
def told(path: str) -> Iterator[None]:
    """Turn SQLite's errors inside the block into ours."""
    try:
        yield
    except sqlite3.Error as problem:
        raise error_for(problem, path) from problem


class Database:
    """A connection that is opened when first used, shared by threads and never by a fork."""

    def __init__(self, path: str, migrations: Migrations, *, busy: float = 5.0) -> None:
        self.path = os.path.abspath(path)
        self._migrations = migrations
        self._busy = busy
        self._reset()

    def _reset(self) -> None:
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._open: sqlite3.Connection | None = None

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        if self._pid == os.getpid() and self._open is not None:
            with self._lock:
                self._let_go()
                self._open = None

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Give the connection for reading; each statement sees one moment."""
        with self._mine(), told(self.path):
            yield self._connection()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Give the connection inside a transaction: all of the block, or none of it."""
        with self._mine(), told(self.path):
            db = self._connection()
            # IMMEDIATE: waits its turn now. A transaction that began by reading could not
            # become a writing one after somebody else wrote in between.
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    with suppress(sqlite3.Error):
                        db.execute("ROLLBACK")
                raise

    def _mine(self) -> threading.RLock:
        """Return the lock, after leaving behind what belongs to the process we came from."""
        if self._pid != os.getpid():
            # Closing a connection of the parent's could remove files that it still needs.
            _ABANDONED.append(self._open)
            self._reset()
        return self._lock

    def _connection(self) -> sqlite3.Connection:
        if self._open is None:
            with private.told("open the queue", self.path), _opening():
                _ensure(self.path, self._migrations)
                self._open = _opened(self.path, self._migrations, self._busy)
            # Called at the latest when the process ends: SQLite's files beside ours go then.
            self._let_go = finalize(self, _let_go, self._open, self._lock, self._pid)
        return self._open


def _let_go(db: sqlite3.Connection, lock: threading.RLock, pid: int) -> None:
    """Close a connection of this process, unless another thread is in it while all ends."""
    if pid == os.getpid() and lock.acquire(blocking=False):
        with suppress(sqlite3.Error):
            db.close()
        lock.release()


_ABANDONED: list[object] = []
_LOCKS: dict[int, threading.Lock] = {}
# Files whose beginning was looked at by this process, by device and number. See `_check_magic`.
_LOOKED_AT: set[tuple[int, int]] = set()


def _opening() -> threading.Lock:
    """Return the lock of this process: one held while it forked stays behind with its thread."""
    return _LOCKS.setdefault(os.getpid(), threading.Lock())


def _ensure(path: str, migrations: Migrations) -> None:
    """Make the file if there is none, and check that it is a plain one of ours."""
    folder = private.private_dir(os.path.dirname(path))
    if not is_there(path):
        with private.locked(folder):
            if not is_there(path):
                _make(path, folder, migrations)
    status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode):
        raise broken(path, "it is a link, a directory or a device")
    if stat.S_IMODE(status.st_mode) & 0o077:
        os.chmod(path, private.OWN_FILE)
    if not status.st_size:
        raise broken(path, "it is empty")
    _check_magic(path, (status.st_dev, status.st_ino))


def _check_magic(path: str, file_id: tuple[int, int]) -> None:
    """Look at a file's first bytes, once in a process.

    Closing any descriptor of a file drops every lock that this process holds on it, those of
    SQLite's connections too; another process would then take the log away from under them, and
    the queue would be lost. So once there may be a connection, SQLite itself is the judge.
    """
    if file_id in _LOOKED_AT:
        return
    with open(private.open_plain(path), "rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise broken(path, "it is empty or not a database")
    _LOOKED_AT.add(file_id)


def _make(path: str, folder: str, migrations: Migrations) -> None:
    """Build a database under another name and put it in place; the directory is locked."""
    if _size(path + "-wal"):
        # SQLite would play this journal into the new file, whatever it was about.
        raise broken(path, "the database is missing, but its journal exists")
    fresh = private.fresh_name(folder)
    try:
        private.write_fresh(fresh, b"")
        with told(path):
            db = _connected(fresh, 0.0)
            try:
                db.execute(f"PRAGMA application_id={APPLICATION}")
                # The log comes last and stays empty. SQLite would empty it when we close,
                # but says nothing if it fails, and the rename leaves the log behind.
                migrate(db, path, migrations)
                db.execute("PRAGMA journal_mode=WAL")
            finally:
                db.close()
        os.rename(fresh, path)
        private.sync_dir(folder)
    except BaseException:
        for ending in ("", "-wal", "-shm", "-journal"):
            with suppress(OSError):
                os.unlink(fresh + ending)
        raise


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except FileNotFoundError:
        return 0


def _connected(path: str, busy: float) -> sqlite3.Connection:
    # mode=rw: a file that vanished meanwhile is an error and not a new, empty queue.
    name = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    db = sqlite3.connect(
        f"file:{name}?mode=rw",
        uri=True,
        timeout=busy,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        for setting in SETTINGS:
            db.execute(setting)
    except BaseException:
        db.close()
        raise
    return db


def _opened(path: str, migrations: Migrations, busy: float) -> sqlite3.Connection:
    db = _connected(path, busy)
    try:
        if _pragma(db, "application_id") != APPLICATION:
            raise broken(path, "it is a database, but not a Penstock queue")
        if db.execute("PRAGMA journal_mode=WAL").fetchone()[0] != "wal":
            raise StoreError("queue-failed", f"the queue `{path}` cannot use a write-ahead log")
        migrate(db, path, migrations)
    except BaseException:
        db.close()
        raise
    return db


def migrate(db: sqlite3.Connection, path: str, migrations: Migrations) -> None:
    """Bring the tables to the newest shape, all steps in one transaction."""
    newest = len(migrations)
    if _version(db, path, newest) == newest:
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        for version in range(_version(db, path, newest), newest):
            for statement in migrations[version]:
                db.execute(statement)
            db.execute("INSERT INTO migrations (version) VALUES (?)", (version + 1,))
        db.execute(f"PRAGMA user_version={newest}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _version(db: sqlite3.Connection, path: str, newest: int) -> int:
    version = _pragma(db, "user_version")
    if version > newest:
        raise StoreError(
            "queue-newer",
            f"the queue `{path}` was written by a newer penstock",
            because=f"its tables are version {version} and this one knows {newest}",
            hint="use the newer penstock for this workspace",
        )
    return version


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])
