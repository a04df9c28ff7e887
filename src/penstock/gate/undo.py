"""Undo: put back what was there, as one more proposal through the same gate.

Which receipts are meant is `receipts`'.
Always true: an undo writes only over the content that the receipt names, and only what the audit
log says was there; a file that changed since is never overwritten. An undo has a receipt itself,
so it can be undone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from penstock.core.audit.approval.standing_approval import WRITES, tells_of
from penstock.core.audit.query import Query
from penstock.core.errors import RefusedError, StaleError
from penstock.core.file_mode import FileMode
from penstock.core.model import Actor, Verdict
from penstock.core.proposals.model import UNDO, Proposal, Receipt, State
from penstock.gate.parts import Item, Parts
from penstock.gate.propose import Proposer
from penstock.gate.receipts import standing
from penstock.gate.revision.one_file import NO_IDS, Reviser
from penstock.gate.versions import undone
from penstock.ports import FileState

Known = tuple[str | None, FileMode | None]  # a content by its digest, and the mode told with it


class Undoer:
    """The steps from a receipt to the proposal that takes it back."""

    def __init__(self, parts: Parts, proposing: Proposer, revising: Reviser) -> None:
        self.parts = parts
        self.proposing = proposing
        self.revising = revising

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


def _ids_of(path: str, receipts: Sequence[Receipt]) -> list[str]:
    return [receipt.id for receipt in receipts if receipt.path == path]


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
