"""The queue in SQLite: proposals, claims, receipts and the latest time that was seen.

Which moves exist is settled in `core.proposals` (`model`, `transitions`); opening the file is
`database`'s. The bytes of files are not here: images are blobs, found by digest.
Always true: a proposal's body is written once; a move changes state, answer and renewal in
one transaction that no other process can get between; and every query is answered from an
index, so costs follow what is asked for and not how much was ever stored.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import takewhile
from typing import Any

from msgspec.structs import replace

from penstock.core.errors import InputError
from penstock.core.proposals.codec import from_json, to_json
from penstock.core.proposals.model import OPEN, Answer, Moment, Proposal, Receipt, State, Transition
from penstock.core.proposals.transitions import (
    check_claimable,
    check_unclaimed,
    id_taken,
    moved,
    not_found,
    supersessions,
)
from penstock.ports import Recording, unrecorded
from penstock.stores.queue.database import Database, Migrations, broken
from penstock.stores.system.clock import boot_id, boot_time
from penstock.stores.system.process import alive, this_process

Boot = tuple[float, str]
MOST = 2**31

MIGRATIONS: Migrations = (
    (
        "CREATE TABLE migrations (version INTEGER PRIMARY KEY)",
        """CREATE TABLE proposals (
            seq INTEGER PRIMARY KEY,
            id NOT NULL UNIQUE,
            set_id NOT NULL,
            path NOT NULL,
            state TEXT NOT NULL,
            body TEXT NOT NULL,
            answer TEXT,
            renewed TEXT
        )""",
        "CREATE INDEX proposals_by_state ON proposals (state, seq)",
        "CREATE INDEX proposals_by_path ON proposals (path, state, seq)",
        "CREATE INDEX proposals_by_set ON proposals (set_id, seq) WHERE set_id <> ''",
        # The digests that were approved are in the body; no bug of ours shall change them.
        """CREATE TRIGGER proposals_keep BEFORE UPDATE OF seq, id, set_id, path, body
            ON proposals BEGIN SELECT RAISE(ABORT, 'a proposal never changes'); END""",
        """CREATE TABLE claims (
            proposal INTEGER PRIMARY KEY REFERENCES proposals (seq),
            token NOT NULL,
            holder TEXT NOT NULL
        )""",
        "CREATE INDEX claims_by_token ON claims (token)",
        """CREATE TABLE receipts (
            seq INTEGER PRIMARY KEY,
            id NOT NULL UNIQUE,
            set_id NOT NULL,
            path NOT NULL,
            body TEXT NOT NULL
        )""",
        "CREATE INDEX receipts_by_path ON receipts (path, seq)",
        "CREATE INDEX receipts_by_set ON receipts (set_id, seq) WHERE set_id <> ''",
        """CREATE TRIGGER receipts_keep BEFORE UPDATE
            ON receipts BEGIN SELECT RAISE(ABORT, 'a receipt never changes'); END""",
        """CREATE TABLE latest (
            one INTEGER PRIMARY KEY CHECK (one = 1), wall REAL, boot REAL, boot_id TEXT
        )""",
        "INSERT INTO latest VALUES (1, 0, 0, '')",
    ),
)

ROWS = """SELECT p.seq, p.id, p.path, p.state, p.body, p.answer, p.renewed,
    c.token, c.holder
    FROM proposals p LEFT JOIN claims c ON c.proposal = p.seq """
OPEN_ROWS = """SELECT seq, state, coalesce(answer, ''), coalesce(renewed, '')
    FROM proposals WHERE state = ?"""
CLAIMED = "WHERE p.seq IN (SELECT proposal FROM claims) ORDER BY p.seq"
NEWEST = "ORDER BY p.seq DESC LIMIT ?"
ADD_PROPOSAL = "INSERT INTO proposals (id, set_id, path, state, body, answer) VALUES (?,?,?,?,?,?)"
ADD_RECEIPT = "INSERT INTO receipts (id, set_id, path, body) VALUES (?,?,?,?)"
RECEIPTS = "SELECT body FROM receipts "
HAS_RECEIPT = "SELECT 1 FROM receipts WHERE id = ?"
_OPEN = ", ".join(f"'{state}'" for state in sorted(OPEN))
OLDEST_CLOSED = f"""WHERE p.state NOT IN ({_OPEN}) AND NOT EXISTS (SELECT 1 FROM proposals o
    WHERE o.set_id = p.set_id AND o.set_id <> '' AND o.state IN ({_OPEN}))
    ORDER BY p.seq LIMIT ?"""  # noqa: S608 - the names of our own states
OLDEST_RECEIPTS = "SELECT seq, body FROM receipts ORDER BY seq LIMIT ?"
HOLDERS = "SELECT holder FROM claims WHERE token = ?"
TAKE_OVER = "UPDATE claims SET token = ?, holder = ? WHERE token = ?"
MOVE = "UPDATE proposals SET state = ?, answer = ?, renewed = ? WHERE seq = ?"

Row = Sequence[Any]


def _this_boot() -> Boot:
    return boot_time(), boot_id()


class SqliteProposals:
    """The queue of one workspace, in one file that several processes share.

    `boot` reads the clock that counts since the machine started; None leaves the remembered
    wall time standing still while the wall clock is behind it.
    """

    def __init__(
        self, path: str, *, busy: float = 5.0, boot: Callable[[], Boot] | None = _this_boot
    ) -> None:
        self._db = Database(path, MIGRATIONS, busy=busy)
        self._boot = boot
        self._open: tuple[tuple[Proposal, ...], list[Row]] = ((), [])
        self._seen: tuple[object, ...] = ()
        self._writes = 0

    @property
    def path(self) -> str:
        """Where the queue is kept."""
        return self._db.path

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def check(self) -> tuple[str, ...]:
        """Read the whole file and return what is wrong with it; for a doctor, it takes time."""
        with self._db.reading() as db:
            problems = [row[0] for row in db.execute("PRAGMA integrity_check(20)")]
            problems += [f"claim {row[1]} has no proposal" for row in _foreign(db)]
        return tuple(problem for problem in problems if problem != "ok")

    # Proposals

    def add(self, proposals: Sequence[Proposal], *, record: Recording = unrecorded) -> None:
        """Store new proposals, all or none. An id that exists is InputError `id-taken`."""
        with self._writing() as db:
            self._add(db, proposals)
            record(proposals)

    def _add(self, db: sqlite3.Connection, proposals: Sequence[Proposal]) -> None:
        for proposal in proposals:
            _insert(db, ADD_PROPOSAL, _row(proposal))

    def get(self, proposal_id: str) -> Proposal | None:
        """Return one proposal, or None."""
        found = self._read(ROWS + "WHERE p.id = ?", _key(proposal_id))
        return found[0] if found else None

    def of_set(self, set_id: str) -> tuple[Proposal, ...]:
        """Return the proposals of a set in the order they were added."""
        test = "WHERE p.set_id = ? AND p.set_id <> '' ORDER BY p.seq"  # the words of the index
        return self._read(ROWS + test, _key(set_id))

    def find(
        self, *, states: Collection[State] = (), path: str = "", limit: int = 1000
    ) -> tuple[Proposal, ...]:
        """Return the newest `limit` proposals, newest last; no states means all."""
        limit = _bounded(limit)
        if not states and not path:
            return self._read(ROWS + NEWEST, limit)[::-1]
        # One short look-up per state: an index over (state, seq) gives each in order, while
        # `state IN (...)` would sort the whole history for its last few.
        test = "WHERE p.state = ? AND p.path = ? " if path else "WHERE p.state = ? "
        some = [_key(path)] if path else []
        wanted = sorted(set(states or State))
        one = f"SELECT * FROM ({ROWS}{test}{NEWEST})"  # noqa: S608 - all constants
        union = " UNION ALL ".join([one] * len(wanted))
        values = [value for state in wanted for value in (state, *some, limit)]
        return self._read(union + " ORDER BY 1 DESC LIMIT ?", *values, limit)[::-1]

    def open(self) -> tuple[Proposal, ...]:
        """Return everything that is waiting or approved, oldest first, however much there is.

        The same tuple comes again while nothing has changed. A body is written once, so what was
        read before is read again only where its state, its answer or its time is another.
        """
        with self._db.reading() as db:
            seen = db, db.execute("PRAGMA data_version").fetchone()[0], self._writes
            if seen == self._seen:  # nobody wrote: no other connection, and not this one
                return self._open[0]
            rows = sorted(row for state in OPEN for row in db.execute(OPEN_ROWS, (state,)))
            known, last = self._open
            if rows == last:
                self._seen = seen
                return known
            before = dict(zip(map(tuple, last), known, strict=True))
            pairs = [(row, before.get(tuple(row)) or self._at(db, row[0])) for row in rows]
            # Somebody may have closed one, or forgotten it, since the rows were listed.
            still = [(row, one) for row, one in pairs if one is not None and one.state in OPEN]
            found = tuple(one for _, one in still)
            self._open, self._seen = (found, [row for row, _ in still]), seen
        return found

    def _at(self, db: sqlite3.Connection, seq: int) -> Proposal | None:
        row = db.execute(ROWS + "WHERE p.seq = ?", (seq,)).fetchone()
        return None if row is None else self._proposal(row)

    def move(
        self,
        proposal_id: str,
        move: Transition,
        *,
        answer: Answer | None = None,
        at: Moment | None = None,
        token: str = "",
    ) -> Proposal:
        """Make one move of the table and return what is stored then.

        `token` names the claim under which the caller holds the proposal, if it does.
        """
        with self._writing() as db:
            return self._moved(db, proposal_id, move, answer=answer, at=at, token=token)

    def answer(
        self,
        answers: Mapping[str, Answer],
        move: Transition,
        *,
        record: Recording = unrecorded,
    ) -> tuple[Proposal, ...]:
        """Make the move of an answer for each of several proposals, all or none."""
        with self._writing() as db:
            done = [self._moved(db, name, move, answer=answer) for name, answer in answers.items()]
            record(done)
        return tuple(done)

    def supersede(
        self, new: Sequence[Proposal], *, rejected: Mapping[str, Answer]
    ) -> tuple[Proposal, ...]:
        """Store new versions, close the `parent` of each, and reject others, all or none."""
        with self._writing() as db:
            moves = supersessions([one.parent for one in new], rejected)
            closed = [
                self._moved(db, name, move, answer=rejected.get(name)) for name, move in moves
            ]
            self._add(db, new)
        return tuple(closed)

    def _moved(
        self,
        db: sqlite3.Connection,
        proposal_id: str,
        move: Transition,
        *,
        answer: Answer | None = None,
        at: Moment | None = None,
        token: str = "",
    ) -> Proposal:
        seq, proposal, holder = self._held(db, proposal_id)
        check_unclaimed(proposal, move, holder=holder, token=token)
        now = moved(proposal, move, answer=answer, at=at)
        db.execute(MOVE, (now.state, _optional(now.answer), to_json(now.created), seq))
        if holder:
            db.execute("DELETE FROM claims WHERE proposal = ?", (seq,))
        return now

    # Claims

    def claim(self, proposal_ids: Sequence[str], *, token: str) -> tuple[Proposal, ...]:
        """Take approved proposals for writing, all or none; StaleError `claimed` otherwise."""
        if not token:
            raise InputError("no-token", "a claim needs a name of its own")
        with self._writing() as db:
            held = [self._held(db, name) for name in dict.fromkeys(proposal_ids)]
            for seq, proposal, holder in held:
                check_claimable(proposal, holder)
                claim = (seq, _key(token), this_process())
                db.execute("INSERT INTO claims VALUES (?, ?, ?)", claim)
        return tuple(proposal for _, proposal, _ in held)

    def take_over(self, token: str, *, new: str) -> bool:
        """Take a claim whose process is gone under a new name; False where somebody else did."""
        with self._writing() as db:
            held = db.execute(HOLDERS, (_key(token),)).fetchall()
            if not held or any(alive(_text(row[0])) for row in held):
                return False
            db.execute(TAKE_OVER, (_key(new), this_process(), _key(token)))
        return True

    def release(self, token: str) -> None:
        """Give up a claim: nothing was written."""
        with self._writing() as db:
            db.execute("DELETE FROM claims WHERE token = ?", (_key(token),))

    def claimed(self) -> tuple[tuple[str, Proposal], ...]:
        """Return what is claimed with its token: what a crash may have left in the middle."""
        return self._claims(lambda holder: True)  # noqa: ARG005

    def abandoned(self) -> tuple[tuple[str, Proposal], ...]:
        """Return what is claimed by processes that no longer run: a crash did leave these."""
        return self._claims(lambda holder: not alive(holder))

    def _claims(self, wanted: Callable[[str], bool]) -> tuple[tuple[str, Proposal], ...]:
        with self._db.reading() as db:
            rows = db.execute(ROWS + CLAIMED).fetchall()
        return tuple((_text(row[7]), self._proposal(row)) for row in rows if wanted(_text(row[8])))

    # Receipts

    def settle(self, receipts: Sequence[Receipt], *, token: str) -> None:
        """Store what was written and close it, all or none, and give up the claim."""
        with self._writing() as db:
            for receipt in receipts:
                if not db.execute(HAS_RECEIPT, (_key(receipt.id),)).fetchone():
                    _insert(db, ADD_RECEIPT, _receipt_row(receipt))
                if self._held(db, receipt.proposal)[1].state is not State.APPLIED:
                    self._moved(db, receipt.proposal, Transition.APPLY, token=token)
            db.execute("DELETE FROM claims WHERE token = ?", (_key(token),))

    def add_receipt(self, receipt: Receipt) -> None:
        """Store a receipt. The same id twice is InputError `id-taken`."""
        with self._writing() as db:
            _insert(db, ADD_RECEIPT, _receipt_row(receipt))

    def receipt(self, receipt_id: str) -> Receipt | None:
        """Return one receipt, or None."""
        found = self._receipts("WHERE id = ?", _key(receipt_id))
        return found[0] if found else None

    def receipts(
        self, *, path: str = "", set_id: str = "", limit: int = 1000
    ) -> tuple[Receipt, ...]:
        """Return receipts, newest first."""
        wanted = {"path": path, "set_id": set_id}
        tests = [f"{name} = ?" for name, text in wanted.items() if text]
        if set_id:
            tests.append("set_id <> ''")  # says that the index over sets will do
        where = "WHERE " + " AND ".join(tests) + " " if tests else ""
        values = [_key(text) for text in wanted.values() if text]
        return self._receipts(where + "ORDER BY seq DESC LIMIT ?", *values, _bounded(limit))

    def forget(self, *, before: float, limit: int = 1000) -> int:
        """Drop the oldest closed proposals and receipts from before a wall time."""
        with self._writing() as db:
            rows = db.execute(ROWS + OLDEST_CLOSED, (_bounded(limit),)).fetchall()
            # Rows are in the order in which they were added: the first young one ends it.
            old = list(takewhile(lambda row: self._proposal(row).created.wall < before, rows))
            receipts = db.execute(OLDEST_RECEIPTS, (_bounded(limit),)).fetchall()
            done = list(takewhile(lambda row: from_json(Receipt, row[1]).at < before, receipts))
            db.executemany("DELETE FROM proposals WHERE seq = ?", [row[:1] for row in old])
            db.executemany("DELETE FROM receipts WHERE seq = ?", [row[:1] for row in done])
        return len(old) + len(done)

    # Time

    def last_wall(self, at_least: float) -> float:
        """Remember a wall time and return the latest one ever remembered.

        With a boot clock the mark itself goes on with it, so that time does not stand still
        for as long as a wall clock that was set back takes to catch up.
        """
        boot = self._boot() if self._boot is not None else (0.0, "")
        with self._db.reading() as db:
            latest, kept = self._latest(db, at_least, boot)
        if not kept:
            with self._db.writing() as db:
                latest, _ = self._latest(db, at_least, boot)
                db.execute("UPDATE latest SET wall = ?, boot = ?, boot_id = ?", (latest, *boot))
        return latest

    def _latest(self, db: sqlite3.Connection, at_least: float, boot: Boot) -> tuple[float, bool]:
        """Return the latest time, and whether that is what is kept already."""
        row = db.execute("SELECT wall, boot, boot_id FROM latest").fetchone()
        if row is None or not all(isinstance(part, float) for part in row[:2]):
            raise broken(self.path, "the latest time is gone")
        wall, then, start = row
        went_on = max(0.0, boot[0] - then) if boot[1] and boot[1] == start else 0.0
        latest = max(at_least if math.isfinite(at_least) else 0.0, wall + went_on)
        return latest, latest == wall and boot[1] == start

    # Rows

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Give the connection inside a transaction, and count it; time alone changes no row."""
        with self._db.writing() as db:
            self._writes += 1
            yield db

    def _read(self, query: str, *values: object) -> tuple[Proposal, ...]:
        with self._db.reading() as db:
            rows = db.execute(query, values).fetchall()
        return tuple(self._proposal(row) for row in rows)

    def _held(self, db: sqlite3.Connection, proposal_id: str) -> tuple[int, Proposal, str]:
        """Return a proposal with its row number and the token of whoever has claimed it."""
        row = db.execute(ROWS + "WHERE p.id = ?", (_key(proposal_id),)).fetchone()
        if row is None:
            raise not_found(proposal_id)
        return row[0], self._proposal(row), "" if row[7] is None else _text(row[7])

    def _proposal(self, row: Row) -> Proposal:
        _, name, path, state, body, answer, renewed, _, _ = row
        proposal = from_json(Proposal, body)
        if (_key(proposal.id), _key(proposal.path)) != (name, path) or state not in _STATES:
            raise broken(self.path, f"the row of `{_text(name)[:80]}` does not agree with itself")
        return replace(
            proposal,
            state=State(state),
            answer=None if answer is None else from_json(Answer, answer),
            created=proposal.created if renewed is None else from_json(Moment, renewed),
        )

    def _receipts(self, rest: str, *values: object) -> tuple[Receipt, ...]:
        with self._db.reading() as db:
            rows = db.execute(RECEIPTS + rest, values).fetchall()
        return tuple(from_json(Receipt, row[0]) for row in rows)


_STATES = frozenset(str(state) for state in State)


def _foreign(db: sqlite3.Connection) -> list[Any]:
    return db.execute("PRAGMA foreign_key_check").fetchmany(20)


def _row(proposal: Proposal) -> Row:
    names = map(_key, (proposal.id, proposal.set_id, proposal.path))
    return (*names, proposal.state, to_json(proposal), _optional(proposal.answer))


def _receipt_row(receipt: Receipt) -> Row:
    return (*map(_key, (receipt.id, receipt.set_id, receipt.path)), to_json(receipt))


def _optional(answer: Answer | None) -> str | None:
    return None if answer is None else to_json(answer)


def _insert(db: sqlite3.Connection, statement: str, row: Row) -> None:
    try:
        db.execute(statement, row)
    except sqlite3.IntegrityError:
        raise id_taken(_text(row[0])) from None


def _bounded(limit: int) -> int:
    return max(0, min(limit, MOST))


def _key(text: str) -> str | bytes:
    """Return text as a column holds it: lone surrogates, which SQLite refuses, as bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return str(text)


def _text(key: object) -> str:
    """Return the text of a column, also of one that was damaged."""
    return key.decode("utf-8", "surrogatepass") if isinstance(key, bytes) else str(key)
