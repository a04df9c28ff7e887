"""Undo: put back what was there, as one more proposal through the same gate.

Always true: an undo writes only over the content that the receipt names, and only what the audit
log says was there; a file that changed since is never overwritten. An undo has a receipt itself,
so it can be undone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from msgspec.structs import replace

from penstock.core.audit.approval.standing_approval import WRITES, tells_of
from penstock.core.audit.query import Query
from penstock.core.errors import InputError, RefusedError, StaleError
from penstock.core.file_mode import FileMode
from penstock.core.model import Actor, Verdict
from penstock.core.proposals.model import UNDO, Proposal, Receipt, State
from penstock.gate.parts import Item, Parts
from penstock.gate.propose import Proposer
from penstock.gate.revision.one_file import NO_IDS, Reviser
from penstock.gate.versions import undone
from penstock.ports import FileState

Known = tuple[str | None, FileMode | None]  # a content by its digest, and the mode told with it

RUN_ID = re.compile(r"r-[0-9a-f]{6}")  # a set that is named like a run is the first of several
MOST = 10_000  # receipts that a short id is looked for among


class Undoer:
    """The steps from a receipt to the proposal that takes it back."""

    def __init__(self, parts: Parts, proposing: Proposer, revising: Reviser) -> None:
        self.parts = parts
        self.proposing = proposing
        self.revising = revising

    def find(self, *, receipt: str = "", last: int = 0, path: str = "") -> tuple[Receipt, ...]:
        """Return the receipts to take back, newest first: one, a set, the last N, or a path's.

        `receipt` may name several, with commas between them: what was answered together.
        What was written as one set is counted on until it is whole, so that none is split.
        """
        if receipt:
            return self._together(receipt.split(","))
        wanted = self.parts.name(path) if path else ""
        done = self.parts.proposals.receipts(path=wanted)
        stands = standing(done)
        left = [r for r in done if r.id in stands and not r.undoes]
        most = max(last, 1)
        return tuple(left[: most + (0 if path else _rest_of_set(left, most))])

    def adopt(
        self,
        path: str,
        *,
        before: bytes | None,
        after: bytes | None,
        event_hash: str,
        at: float,
        note: str = "",
        set_id: str = "",
    ) -> Receipt:
        """Make a receipt of a write that did not go through the gate; the same one only once."""
        blobs, proposals = self.parts.blobs, self.parts.proposals
        receipt = Receipt(
            id=f"seen-{event_hash.removeprefix('sha256:')[:32]}",
            proposal="",
            path=path,
            before=None if before is None else blobs.put(before),
            after=None if after is None else blobs.put(after),
            event_hash=event_hash,
            at=at,
            note=note,
            set_id=set_id,
        )
        if proposals.receipt(receipt.id) is None:
            proposals.add_receipt(receipt)
        return receipt

    def _together(self, names: Sequence[str]) -> tuple[Receipt, ...]:
        if len(names) == 1:
            return self._named(names[0])
        found = {one.id: one for name in dict.fromkeys(names) for one in self._named(name)}
        left = {id_: one for id_, one in found.items() if self._stands(one)} or found
        # Of two at the same moment, the one that is named later was written later.
        return tuple(sorted(left.values(), key=lambda one: one.at)[::-1])

    def _named(self, receipt: str) -> tuple[Receipt, ...]:
        found = self._exactly(receipt) or self._exactly(self._by_beginning(receipt))
        return tuple(r for r in found if self._stands(r)) or found

    def _exactly(self, receipt: str) -> tuple[Receipt, ...]:
        of_set = self.parts.proposals.receipts(set_id=receipt)
        if of_set and RUN_ID.fullmatch(receipt):
            return self._of_run(receipt)
        one = self.parts.proposals.receipt(receipt)
        return of_set or ((one,) if one else ())

    def _of_run(self, run: str) -> tuple[Receipt, ...]:
        """Return what all syncs of an isolated run wrote, newest first: `RUN`, `RUN.2` and on.

        Of a file that somebody else changed in between, only what came after that.
        """
        later = re.compile(rf"{re.escape(run)}(\.[0-9]+)?")
        found: list[Receipt] = []
        before: dict[str, str | None] = {}
        for one in self.parts.proposals.receipts(limit=MOST):
            if later.fullmatch(one.set_id) and before.get(one.path, one.after) == one.after:
                found.append(one)
                before[one.path] = one.before
        return tuple(found)

    def _by_beginning(self, text: str) -> str:
        """Return the id that begins so; its kind (`r-`, `set-`) need not be typed."""
        known = self.parts.proposals.receipts(limit=MOST)
        ids = {each for one in known for each in (one.id, one.set_id) if each}
        begins = [
            one for one in ids if one.startswith(text) or one.partition("-")[2].startswith(text)
        ]
        if len(begins) == 1:
            return begins[0]
        raise InputError(
            "ambiguous-id" if begins else "not-found",
            f"`{text}` is the beginning of {len(begins)} ids"
            if begins
            else f"there is no receipt `{text}`",
            hint="type more of it" if begins else "list applied changes with `penstock log`",
        )

    def _stands(self, one: Receipt) -> bool:
        return one.id in standing(self.parts.proposals.receipts(path=one.path))

    def propose(
        self,
        receipts: Sequence[Receipt],
        *,
        by: Actor,
        rebase: bool = False,
        ids: Mapping[str, str] = NO_IDS,
    ) -> tuple[Proposal, ...]:
        """Propose the inverse of some receipts; waiting, because a person decides.

        `ids` are the names of the proposals, by path, where they were drafted before.
        """
        return self.proposing.store(self.draft(receipts, by=by, rebase=rebase, ids=ids))

    def draft(
        self,
        receipts: Sequence[Receipt],
        *,
        by: Actor,
        rebase: bool = False,
        ids: Mapping[str, str] = NO_IDS,
    ) -> tuple[Proposal, ...]:
        """Return the inverse of some receipts; nothing is stored yet."""
        items = [item for item, _ in self.preview(receipts, rebase=rebase)]
        group = f"set-{self.parts.clock.token()}" if len(items) > 1 else ""
        return tuple(
            self._one(item, by, _ids_of(item.path, receipts), group, ids.get(item.path, ""))
            for item in items
        )

    def preview(
        self, receipts: Sequence[Receipt], *, rebase: bool = False
    ) -> tuple[tuple[Item, bytes | None], ...]:
        """Return what each file would hold again and what it holds now.

        A file that changed since is refused; with `rebase`, what was saved since is kept.
        """
        for receipt in receipts:
            self._require_logged(receipt)
        return tuple(
            self._back(path, then, written, receipts, rebase=rebase)
            for path, (then, written) in self._net(receipts).items()
        )

    def _require_logged(self, receipt: Receipt) -> None:
        """A receipt counts by the entry that it names: the queue's file alone proves nothing."""
        query = Query(event_hash=receipt.event_hash, ops=WRITES, last=1)
        line = next(self.parts.log.lines(query), b"") if receipt.event_hash else b""
        if not tells_of(line, receipt):
            raise RefusedError(
                "not-in-log",
                f"the audit log has no entry for the write to `{receipt.path}` to undo",
                because=f"no entry matches the receipt {receipt.id}",
                hint="run `penstock audit verify`",
            )

    def _back(
        self,
        path: str,
        then: Known,
        written: Known,
        receipts: Sequence[Receipt],
        *,
        rebase: bool,
    ) -> tuple[Item, bytes | None]:
        now = self._state(path)
        if _is(now, written):
            return _item(path, then, self._image(then[0])), self._image(written[0])
        self._refuse_undone(path, receipts)
        if not rebase:
            raise changed_since(
                path, written[0], now.digest if now else None, name=_name_of(receipts)
            )
        before, after = self._image(written[0]), self._image(then[0])
        current, merged = self.revising.merged(path, before, after)
        return Item(path=path, content=merged), current

    def _refuse_undone(self, path: str, receipts: Sequence[Receipt]) -> None:
        """What was taken back already did not change by somebody's hand, and is told so."""
        done = self.parts.proposals.receipts(path=path)
        asked, stands = set(_ids_of(path, receipts)), standing(done)
        by = [r.id for r in done if r.id in stands and asked & set(r.undoes.split())]
        if by and not asked & stands:
            raise StaleError(
                "already-undone",
                f"the write to `{path}` is already undone",
                because=f"by receipt {by[0]}",
                hint=f"redo the write with `penstock undo {by[0]}`",
            )

    def changed(self, receipts: Sequence[Receipt]) -> Iterator[tuple[str, bytes | None]]:
        """Yield each file that changed since, with what Penstock had written."""
        for path, (_, written) in self._net(receipts).items():
            if not _is(self._state(path), written):
                yield path, self._image(written[0])

    def _state(self, path: str) -> FileState | None:
        files, known = self.parts.place(path)
        return files.node(known)

    def _one(self, item: Item, by: Actor, ids: Sequence[str], group: str, new_id: str) -> Proposal:
        one = self.proposing.make(item, new_id, actor=by, origin=UNDO)
        decision = replace(one.decision, verdict=Verdict.ASK)
        return replace(
            one,
            decision=decision,
            state=State.WAITING,
            set_id=group,
            extra={**one.extra, **undone(self._taken_back(ids)), "undoes": " ".join(ids)},
        )

    def _taken_back(self, ids: Sequence[str]) -> list[Proposal]:
        """Return the proposals of some receipts, as far as they are known; newest first."""
        receipts = [self.parts.proposals.receipt(known) for known in ids]
        found = [self.parts.proposals.get(one.proposal) for one in receipts if one]
        return [one for one in found if one is not None]

    def _net(self, receipts: Sequence[Receipt]) -> dict[str, tuple[Known, Known]]:
        """Return for each path (what was there first, what must be there now).

        Several receipts of one path, newest first, are one step back over all of them.
        """
        net: dict[str, tuple[Known, Known]] = {}
        for receipt in receipts:
            written = receipt.after, receipt.after_mode
            now = net[receipt.path][1] if receipt.path in net else written
            net[receipt.path] = (receipt.before, receipt.before_mode), now
        return net

    def _image(self, known: str | None) -> bytes | None:
        return self.proposing.blob(known)


def _is(state: FileState | None, known: Known) -> bool:
    """Say whether a name stands for a content, and for the mode that was told with it."""
    if state is None or known[0] is None:
        return state is None and known[0] is None
    plain = state.file_mode.plain if known[1] is None else state.file_mode is known[1]
    return plain and state.digest == known[0]


def _item(path: str, then: Known, content: bytes | None) -> Item:
    """Return what brings a name back: content, mode, or nothing at all."""
    return Item(path=path, content=content, mode=then[1])


def standing(receipts: Sequence[Receipt]) -> frozenset[str]:
    """Return the ids of the receipts, newest first, that no undo has taken back.

    An undo that was itself undone takes nothing back any more.
    """
    gone: set[str] = set()
    for receipt in receipts:
        if receipt.id not in gone:
            gone.update(receipt.undoes.split())
    return frozenset(receipt.id for receipt in receipts) - gone


def _ids_of(path: str, receipts: Sequence[Receipt]) -> list[str]:
    return [receipt.id for receipt in receipts if receipt.path == path]


def _rest_of_set(receipts: Sequence[Receipt], at: int) -> int:
    """Return how many more receipts belong to the set that a cut here would split."""
    group = receipts[at - 1].set_id if 0 < at <= len(receipts) else ""
    return len(list(takewhile(lambda one: bool(group) and one.set_id == group, receipts[at:])))


def _name_of(receipts: Sequence[Receipt]) -> str:
    """Return by which one name these receipts can be asked for again; empty when by none."""
    groups = {receipt.set_id for receipt in receipts}
    return receipts[0].id if len(receipts) == 1 else groups.pop() if len(groups) == 1 else ""


def changed_since(path: str, written: str | None, now: str | None, *, name: str = "") -> StaleError:
    """Return the error for a file that somebody has changed since Penstock wrote it."""
    again = f"penstock undo --rebase {name}".rstrip()
    return StaleError(
        "changed-since",
        f"`{path}` has changed since Penstock wrote it",
        because=f"it was {written or 'absent'} and is {now or 'absent'} now",
        hint=f"keep the later changes with `{again}`, or revert by hand",
    )
