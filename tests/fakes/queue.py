"""The queue, the images and the clock in memory: simple enough to believe by reading.

They pass the same contract suites as the real ones.
Nothing here survives the process.
Always true: the moves and their checks are `core.proposals.transitions`', as in the real queue.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from penstock.core.digest import digest
from penstock.core.errors import InputError, PenstockError
from penstock.core.model import Source
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


class MemoryProposals:
    """A queue in a dictionary; its order is the order in which proposals were added."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._proposals: dict[str, Proposal] = {}
        self._claims: dict[str, str] = {}
        self._receipts: dict[str, Receipt] = {}
        self._wall = 0.0
        self._open: tuple[Proposal, ...] = ()

    def add(self, proposals: Sequence[Proposal], *, record: Recording = unrecorded) -> None:
        """Store new proposals, all or none. An id that exists is InputError `id-taken`."""
        with self._lock:
            new: dict[str, Proposal] = {}
            for proposal in proposals:
                if proposal.id in new or proposal.id in self._proposals:
                    raise id_taken(proposal.id)
                new[proposal.id] = proposal
            record(proposals)
            self._proposals.update(new)

    def get(self, proposal_id: str) -> Proposal | None:
        """Return one proposal, or None."""
        return self._proposals.get(proposal_id)

    def of_set(self, set_id: str) -> tuple[Proposal, ...]:
        """Return the proposals of a set in the order they were added."""
        return self._all(lambda proposal: bool(set_id) and proposal.set_id == set_id)

    def find(
        self, *, states: Collection[State] = (), path: str = "", limit: int = 1000
    ) -> tuple[Proposal, ...]:
        """Return the newest `limit` proposals, newest last; no states means all."""
        found = self._all(
            lambda proposal: (
                (not states or proposal.state in states) and (not path or proposal.path == path)
            )
        )
        return found[max(0, len(found) - max(0, limit)) :]

    def open(self) -> tuple[Proposal, ...]:
        """Return everything that is waiting or approved, oldest first; the same while it is."""
        found = self._all(lambda proposal: proposal.state in OPEN)
        if found != self._open:
            self._open = found
        return self._open

    def move(
        self,
        proposal_id: str,
        move: Transition,
        *,
        answer: Answer | None = None,
        at: Moment | None = None,
        token: str = "",
    ) -> Proposal:
        """Make one move of the table and return what is stored then."""
        with self._lock:
            proposal, holder = self._held(proposal_id)
            check_unclaimed(proposal, move, holder=holder, token=token)
            now = moved(proposal, move, answer=answer, at=at)
            self._proposals[proposal_id] = now
            self._claims.pop(proposal_id, None)
            return now

    def answer(
        self,
        answers: Mapping[str, Answer],
        move: Transition,
        *,
        record: Recording = unrecorded,
    ) -> tuple[Proposal, ...]:
        """Make the move of an answer for each of several proposals, all or none."""
        with self._lock:
            held = {name: self._held(name) for name in answers}
            made = {}
            for name, (proposal, holder) in held.items():
                check_unclaimed(proposal, move, holder=holder, token="")
                made[name] = moved(proposal, move, answer=answers[name], at=None)
            record(tuple(made.values()))
            self._proposals.update(made)
            return tuple(made.values())

    def supersede(
        self, new: Sequence[Proposal], *, rejected: Mapping[str, Answer]
    ) -> tuple[Proposal, ...]:
        """Store new versions, close the `parent` of each, and reject others, all or none."""
        with self._lock:
            before = dict(self._proposals)
            try:
                moves = supersessions([one.parent for one in new], rejected)
                closed = [self.move(name, move, answer=rejected.get(name)) for name, move in moves]
                self.add(new)
            except PenstockError:
                self._proposals = before
                raise
            return tuple(closed)

    def claim(self, proposal_ids: Sequence[str], *, token: str) -> tuple[Proposal, ...]:
        """Take approved proposals for writing, all or none; StaleError `claimed` otherwise."""
        if not token:
            raise InputError("no-token", "a claim needs a name of its own")
        with self._lock:
            held = [self._held(proposal_id) for proposal_id in dict.fromkeys(proposal_ids)]
            for proposal, holder in held:
                check_claimable(proposal, holder)
            self._claims.update({proposal.id: token for proposal, _ in held})
            return tuple(proposal for proposal, _ in held)

    def take_over(self, token: str, *, new: str) -> bool:
        """Refuse: what is in memory is gone with the process that claimed it."""
        del token, new
        return False

    def release(self, token: str) -> None:
        """Give up a claim: nothing was written."""
        with self._lock:
            self._claims = {name: by for name, by in self._claims.items() if by != token}

    def claimed(self) -> tuple[tuple[str, Proposal], ...]:
        """Return what is claimed with its token, in the order proposals were added."""
        with self._lock:
            taken = self._all(lambda proposal: proposal.id in self._claims)
            return tuple((self._claims[proposal.id], proposal) for proposal in taken)

    def abandoned(self) -> tuple[tuple[str, Proposal], ...]:
        """Return nothing: what is in memory is gone with the process that claimed it."""
        return ()

    def settle(self, receipts: Sequence[Receipt], *, token: str) -> None:
        """Store what was written and close it, all or none, and give up the claim."""
        with self._lock:
            open_ones = {
                one.proposal: self._held(one.proposal)[0]
                for one in receipts
                if self._held(one.proposal)[0].state is not State.APPLIED
            }
            done = {name: moved(one, Transition.APPLY) for name, one in open_ones.items()}
            self._proposals.update(done)
            for receipt in receipts:
                self._receipts.setdefault(receipt.id, receipt)
            self.release(token)

    def add_receipt(self, receipt: Receipt) -> None:
        """Store a receipt. The same id twice is InputError `id-taken`."""
        with self._lock:
            if receipt.id in self._receipts:
                raise id_taken(receipt.id)
            self._receipts[receipt.id] = receipt

    def receipt(self, receipt_id: str) -> Receipt | None:
        """Return one receipt, or None."""
        return self._receipts.get(receipt_id)

    def receipts(
        self, *, path: str = "", set_id: str = "", limit: int = 1000
    ) -> tuple[Receipt, ...]:
        """Return receipts, newest first."""
        with self._lock:
            newest = list(self._receipts.values())[::-1]
        found = [r for r in newest if path in ("", r.path) and (not set_id or r.set_id == set_id)]
        return tuple(found[: max(0, limit)])

    def forget(self, *, before: float, limit: int = 1000) -> int:
        """Drop the oldest closed proposals and receipts from before a wall time."""
        with self._lock:
            live = {one.set_id for one in self._proposals.values() if one.state in OPEN} - {""}
            old = [
                one.id
                for one in self._proposals.values()
                if one.state not in OPEN and one.set_id not in live and one.created.wall < before
            ][:limit]
            done = [r.id for r in self._receipts.values() if r.at < before][:limit]
            for name in old:
                del self._proposals[name]
            for name in done:
                del self._receipts[name]
            return len(old) + len(done)

    def last_wall(self, at_least: float) -> float:
        """Remember a wall time and return the latest one ever remembered."""
        with self._lock:
            self._wall = max(self._wall, at_least)
            return self._wall

    def _all(self, wanted: Callable[[Proposal], bool]) -> tuple[Proposal, ...]:
        with self._lock:
            return tuple(filter(wanted, self._proposals.values()))

    def _held(self, proposal_id: str) -> tuple[Proposal, str]:
        """Return a proposal and the token of whoever has claimed it."""
        if proposal_id not in self._proposals:
            raise not_found(proposal_id)
        return self._proposals[proposal_id], self._claims.get(proposal_id, "")


class MemoryBlobs:
    """Images in a dictionary; its order is how recently each was put."""

    def __init__(self, *, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._images: dict[str, bytes] = {}
        self._put_at: dict[str, float] = {}
        self._pruned = 0.0

    def put(self, data: bytes) -> str:
        """Keep some bytes and return their digest."""
        name = digest(data)
        self._images.pop(name, None)
        self._images[name] = bytes(data)
        self._put_at[name] = self._now()
        return name

    def put_source(self, source: Source) -> str:
        """Keep what a source holds and return its digest."""
        return self.put(source.read(0, source.size))

    def get(self, digest: str) -> bytes | None:
        """Return the bytes, or None when they are gone."""
        return self._images.get(digest)

    def prune(
        self,
        *,
        budget: int,
        keep: Collection[str],
        spare: Collection[str] = (),
        before: float = 0.0,
        at: float | None = None,
    ) -> int:
        """Drop the oldest images until the budget holds, never those in `keep`."""
        self._pruned = self._pruned if at is None else at
        over = self.size() - budget
        dropped = 0
        for name in [name for name in self._images if name not in keep]:
            if name not in spare and (over > 0 or self._put_at[name] < before):
                over -= len(self._images.pop(name))
                dropped += 1
        for name in [name for name in self._images if name in spare and name not in keep]:
            if over > 0:
                over -= len(self._images.pop(name))
                dropped += 1
        return dropped

    def pruned_at(self) -> float:
        """Return the wall time of the last `prune` that said one."""
        return self._pruned

    def size(self) -> int:
        """Return how many bytes the images take."""
        return sum(map(len, self._images.values()))


@dataclass(kw_only=True)
class FixedClock:
    """A clock that stands until a test moves it, and ids that a test can foresee."""

    moment: Moment = field(
        default_factory=lambda: Moment(wall=1_700_000_000.0, boot=1000.0, boot_id="boot-1")
    )
    tokens: int = 0

    def now(self) -> Moment:
        """Return the moment that was set."""
        return self.moment

    def token(self) -> str:
        """Return the next id: always the same ones in the same order."""
        self.tokens += 1
        return hashlib.sha256(b"token %d" % self.tokens).hexdigest()[:32]

    def sleep(self, seconds: float) -> None:
        """Let the time pass that somebody waits for."""
        self.advance(seconds)

    def advance(self, seconds: float) -> None:
        """Let time pass on both clocks."""
        now = self.moment
        self.moment = replace(now, wall=now.wall + seconds, boot=now.boot + seconds)

    def set_wall(self, wall: float) -> None:
        """Set the wall clock, as a person or an attacker with the rights could."""
        self.moment = replace(self.moment, wall=wall)

    def restart(self) -> None:
        """Start the machine anew: its boot clock begins at nothing under another name."""
        self.moment = replace(self.moment, boot=0.0, boot_id=self.moment.boot_id + "'")
