"""What a run left in its layer goes to the gate: allowed changes are written, others wait.

A change is proposed under an id that derives from the run, its path and its bytes, so that a
second sync finds what the first one proposed; a newer version of a file replaces the pending one.
While the command runs, files that it is writing are left for the next sync, and files that were
applied leave the layer only when nobody uses them.
Always true: only the gate writes; what is not applied stays in the layer and is told with a
reason; git's own files are never proposed.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from msgspec import Struct, field
from msgspec.structs import replace

from penstock.app import Workspace
from penstock.app.isolated_runs import IsolatedRuns, LiveLayer, RunLayer
from penstock.core.errors import InputError, PenstockError, StaleError
from penstock.core.file_mode import FileMode
from penstock.core.model import Decision, Verdict
from penstock.core.proposals.model import OPEN, Proposal, State
from penstock.core.run.base import Shown, absorbed, agreed, offered
from penstock.core.run.changes import (
    HeldEntry,
    LayerChange,
    Turn,
    changes,
    key_of,
    numbered,
    renames,
)
from penstock.core.run.entry import BUSY, EntryKind
from penstock.core.run.reasons import reason_to_ask
from penstock.core.run.summary import PathNote, SyncResult, manifest_of
from penstock.core.text.display import visible
from penstock.doors.run.sort import SortedLayer, actor_of, settle_layer, sort_layer
from penstock.gate import Item, Proof
from penstock.gate.parts import ANYTHING

PENDING = ".pending"
MOST_BYTES = 32 << 20  # of contents in a set; one file more may be in it
MOST_PASSES = 3  # more than one for files that are changed outside in the very moment
CHANGED_BACK = "the run changed the file back"
NOT_REMOVED = "`{}` has to be removed first; then `penstock runs apply {}` proposes it"
CHANGED_NOW = "a file was changed outside the run while it was being written"


class Sync(Struct, kw_only=True, dict=True):
    """One sync of the layer of a run.

    Where a file is changed outside while its change is on its way, the layer is looked at again.
    """

    here: Workspace
    runs: IsolatedRuns
    run: str
    ask: bool = False
    live: LiveLayer | None = None  # the command goes on
    shown: Shown = ()  # when the user's files were shown inside
    last: SyncResult | None = None  # of the sync before; what is the same is not logged again
    applied: list[str] = field(default_factory=list)
    logged: int = 0  # how many of them the audit log has an entry of already
    done: set[str] = field(default_factory=set)  # the keys of the changes that were written
    pending: list[PathNote] = field(default_factory=list)
    blocked: list[PathNote] = field(default_factory=list)
    failed: list[PathNote] = field(default_factory=list)
    held: list[HeldEntry] = field(default_factory=list)
    overtaken: bool = False  # a file was changed outside in the very moment
    incomplete: bool = False  # the machine stopped while the layer was written

    def sync(self) -> SyncResult:
        """Propose all that changed, write what the rules allow, and drop that from the layer."""
        self.incomplete = self.runs.may_be_incomplete(self.run)
        result = self._pass()
        for _ in range(MOST_PASSES):
            if not self.overtaken:
                break
            result = self._pass()
        if not self.live or result.news(self.last):
            self._record(result)
        return result

    def _pass(self) -> SyncResult:
        self.overtaken = False
        for told in (self.pending, self.blocked, self.failed, self.held, self.done):
            told.clear()
        layer = self.runs.layer(self.run)
        live = self.live is not None
        found = sort_layer(self.here, self.runs, self.run, live=live, shown=self.shown)
        made, held = changes(found.project)
        busy = [one for one in held if one.because == BUSY]
        self.held += [one for one in held if one.because != BUSY]
        gone = {one.path: one.real.digest for one in found.project if one.removes and one.real}
        self._withdraw({one.path for one in made} | {one.path for one in held})
        for turn in Turn:
            self._take(self._possible([one for one in made if one.turn is turn], made), layer)
        left = {one.path for one in made if not self._is_done(one)}
        self._settle(found, left, {one.path for one in held})
        settled = set(self.applied)
        return SyncResult(
            applied=tuple(dict.fromkeys(self.applied)),
            pending=tuple(self.pending),
            blocked=tuple(self.blocked),
            failed=tuple(self.failed),
            held=tuple(self.held),
            busy=len(busy),
            scratch=found.scratch,
            git=found.git,
            renamed={n: o for n, o in renames(made, gone).items() if n in settled},
            manifest=manifest_of([one.key(self.run) for one in made]),
            incomplete=self.incomplete,
        )

    def _settle(self, found: SortedLayer, left: Set[str], held: Set[str]) -> None:
        """Remember what both sides hold by now, and drop that from the layer; `left` differs.

        What is held is neither: nobody took it, and nobody may drop it.
        """
        known = self.runs.records.bases(self.run)
        taken = [one for one in found.project if one.path not in held]
        same = {one.path: one.node for one in taken if one.path not in left}
        bases = offered(agreed(known, same), [one for one in taken if one.path in left])
        if self.live is None:
            settle_layer(self.runs, self.run, found.behind)
        else:
            over = {one.path: one.node for one in found.behind if not one.hidden}
            files = {p: node for p, node in same.items() if node.kind is EntryKind.FILE}
            bases = absorbed(bases, self.live.absorb({**files, **over}))
        if bases != known:
            self.runs.records.keep_bases(self.run, bases)

    def _withdraw(self, paths: Set[str]) -> None:
        """Close what is pending of files that the command changed back."""
        if self.incomplete:
            return  # nobody knows whether it did
        for one in self.here.gate.find(states=(State.WAITING,)):
            if self._is_ours(one) and one.path not in paths:
                proof = Proof(by=one.actor.agent, kind="run")
                self.here.gate.answer(one.id, approve=False, proof=proof, reason=CHANGED_BACK)

    # -- proposing ---------------------------------------------------------------------------------

    def _possible(
        self, some: Sequence[LayerChange], made: Sequence[LayerChange]
    ) -> list[LayerChange]:
        """Return some changes without those whose place is still taken; these are held.

        Proposed beside the removal, they would be a newer version of it.
        """
        taken = {one.path for one in made if not one.keeps and not self._is_done(one)}
        found = []
        for one in some:
            first = taken.intersection(one.places) if one.turn is Turn.REPLACEMENTS else set()
            if first:
                note = NOT_REMOVED.format(visible(min(first), keep_newlines=False), self.run)
                self.held.append(HeldEntry(path=one.path, because=note))
            else:
                found.append(one)
        return found

    def _take(self, made: Sequence[LayerChange], layer: RunLayer) -> None:
        """Propose some changes: what is allowed is one set and written, the rest is pending.

        Contents are held in memory on their way, so very large sets are several.
        """
        allowed: list[tuple[LayerChange, Item]] = []
        waiting: list[tuple[LayerChange, Item]] = []
        held = 0
        for one in made:
            if held >= MOST_BYTES:
                self._hand_over(allowed, waiting)
                allowed, waiting, held = [], [], 0
            try:
                item = self._item(one, layer)
                if self._known(one):
                    continue
                found, newer = self._previewed(one, item)
            except (PenstockError, OSError) as fault:
                self.failed.append(PathNote(path=one.path, note=_reason(fault)))
                continue
            held += len(item.content or b"")
            anyhow = replace(item, expect=ANYTHING)  # a person sees what it would replace
            if found.state is State.DENIED:
                self._deny(one, anyhow)
            elif found.state is State.APPROVED and not self._reason_to_ask(newer):
                allowed.append((one, item))
            else:
                waiting.append((replace(one, out_of_date=newer), anyhow))
        self._hand_over(allowed, waiting)

    def _hand_over(
        self,
        allowed: Sequence[tuple[LayerChange, Item]],
        waiting: Sequence[tuple[LayerChange, Item]],
    ) -> None:
        removals = bool(allowed) and allowed[0][0].turn is Turn.REMOVALS
        for group in [[one] for one in allowed] if removals else [allowed]:
            self._apply(group)
        self._wait(waiting)

    def _item(self, one: LayerChange, layer: RunLayer) -> Item:
        """Return a change for the gate, which takes it only over what it was compared with."""
        item = Item(one.path, expect=ANYTHING if one.base == "" else one.base)
        if not one.keeps:
            return item
        if one.link is not None:
            return replace(item, link=one.link)
        if one.mode is FileMode.DIRECTORY:
            return replace(item, mode=one.mode)
        return replace(item, content=layer.content(one.path, one.digest), mode=one.mode)

    def _previewed(self, one: LayerChange, item: Item) -> tuple[Proposal, bool]:
        """Return what the rules say, and whether the file was changed after the run copied it."""
        actor = actor_of(self.run)
        try:
            return self.here.gate.preview(item, actor=actor), one.out_of_date
        except StaleError:
            return self.here.gate.preview(replace(item, expect=ANYTHING), actor=actor), True

    def _known(self, one: LayerChange) -> bool:
        """Say whether an earlier sync proposed this, and what became of it stands."""
        found = self.here.gate.get(one.key(self.run))
        if found is None:
            return False
        now = self.here.gate.latest(found)
        if (not now.origin and not _holds(now, one)) or _was_withdrawn(now):
            return False
        if now.state is State.WAITING:
            self.pending.append(_noted(now))
            return True
        if now.state in (State.DENIED, State.REJECTED):
            because = now.answer.said if now.answer else now.decision.because
            self.blocked.append(PathNote(path=one.path, note=because))
            return True
        if now.state is State.APPROVED:
            if self.incomplete and now.decision.verdict is Verdict.ALLOW:
                return False  # only the rules allowed it
            # What a sync that was stopped had proposed; the others of its set are written with it.
            others = len(self.here.gate.of_set(now.set_id)) > 1 if now.set_id else False
            try:
                return self._write(now.id, [one], with_others=others)
            except InputError:
                return False
        return self._is_done(one)

    def _is_done(self, one: LayerChange) -> bool:
        """Say whether this very content was written; an older version of the file is not this."""
        return one.key(self.run) in self.done

    def _deny(self, one: LayerChange, item: Item) -> None:
        (found,) = self._proposed([(one, item)], "")
        self.blocked.append(PathNote(path=one.path, note=found.decision.because))

    def _apply(self, group: Sequence[tuple[LayerChange, Item]]) -> None:
        if not group:
            return
        asked = [one for one, _ in group]
        try:
            made = self._proposed(group, self._free_set(self.run))
        except StaleError as fault:
            self.overtaken = True
            self.failed += [PathNote(path=one.path, note=_reason(fault)) for one in asked]
            return
        try:
            if not self._write(made[0].set_id, asked, with_others=len(asked) > 1):
                self.failed += [PathNote(path=one.path, note=CHANGED_NOW) for one in asked]
        except InputError:
            for one in group:
                self._apply([one])

    def _write(self, known: str, asked: Sequence[LayerChange], *, with_others: bool) -> bool:
        """Have something written; False where one of its files was changed since it was proposed.

        Nothing of its set can be written any more then. It has to be proposed again. Raises
        InputError where one of several can never be written: so that the others can, without it.
        """
        try:
            done = self.here.gate.apply(known)
        except StaleError:
            self.overtaken = True
            return False
        except PenstockError as fault:
            if with_others and isinstance(fault, InputError):
                raise
            self.failed += [PathNote(path=one.path, note=_reason(fault)) for one in asked]
            return True
        self.applied += [receipt.path for receipt in done]
        self.logged += sum(bool(receipt.event_hash) for receipt in done)
        # A person's version has another id; others of a set that was stopped were not asked for.
        self.done |= {one.key(self.run) for one in asked}
        self.done |= {key_of(receipt.proposal) for receipt in done}
        return True

    def _wait(self, group: Sequence[tuple[LayerChange, Item]]) -> None:
        """Leave changes for a person; one that the real file overtook says so."""
        stale = [one for one in group if one[0].out_of_date]
        fresh = [one for one in group if not one[0].out_of_date]
        self._queue(fresh, self._reason_to_ask(overtaken=False))
        self._queue(stale, self._reason_to_ask(overtaken=True))

    def _reason_to_ask(self, overtaken: bool) -> str:
        return reason_to_ask(ask=self.ask, overtaken=overtaken, incomplete=self.incomplete)

    def _queue(self, group: Sequence[tuple[LayerChange, Item]], because: str) -> None:
        if not group:
            return
        name = self._free_set(self.run + PENDING) if len(group) > 1 else ""
        judged = Decision(verdict=Verdict.ASK, because=because) if because else None
        self.pending += map(_noted, self._proposed(group, name, judged))

    def _proposed(
        self, group: Sequence[tuple[LayerChange, Item]], name: str, judged: Decision | None = None
    ) -> tuple[Proposal, ...]:
        """Propose a group; a change that was proposed before and is over gets another id."""
        ids = [self._free_id(one.key(self.run)) for one, _ in group]
        if judged is not None:
            judged = replace(judged, revision=self.here.policy().revision, code="run")
        items = [item for _, item in group]
        return self.here.gate.propose(
            items,
            actor=actor_of(self.run),
            ids=ids,
            set_id=name,
            judged=judged,
            parents=self._older([one for one, _ in group]),
        )

    def _older(self, made: Sequence[LayerChange]) -> dict[str, str]:
        """Return what is pending of some files in an older version of this run, by path.

        What was proposed before a machine stopped is whole, and stays beside what is left of it.
        """
        return {
            one.path: one.id
            for change in made
            for one in self.here.gate.find(states=OPEN, path=change.path)
            if self._is_ours(one) and (not self.incomplete or _holds(one, change))
        }

    def _is_ours(self, one: Proposal) -> bool:
        """Say whether this run proposed it; a version that a person made of it is theirs."""
        return one.actor == actor_of(self.run) and not one.origin

    def _free_id(self, known: str) -> str:
        at, name = 1, known
        while self.here.gate.get(name) is not None:
            at, name = at + 1, numbered(known, at + 1)
        return name

    def _free_set(self, known: str) -> str:
        at, name = 1, known
        while self.here.gate.of_set(name):
            at, name = at + 1, f"{known}.{at + 1}"
        return name

    def _record(self, result: SyncResult) -> None:
        facts = {
            "applied": self.logged,  # an entry that could not be made follows at the next start
            "pending": len(result.pending),
            "denied": len(result.blocked),
            "failed": len(result.failed),
            "held": len(result.held),
            "scratch": result.scratch,
            "git": result.git,
        }
        counted = {name: str(count) for name, count in facts.items()}
        self.here.gate.record(
            "run_synced", path="", status="ok", run=self.run, manifest=result.manifest, **counted
        )


def _holds(one: Proposal, change: LayerChange) -> bool:
    """Say whether a proposal is about the same content: a newer one may stand in its place."""
    if not change.keeps or one.content is None:
        return not change.keeps and one.content is None
    return change.mode is FileMode.DIRECTORY or one.content == change.digest


def _was_withdrawn(one: Proposal) -> bool:
    return one.answer is not None and one.answer.reason == CHANGED_BACK


def _noted(one: Proposal) -> PathNote:
    lost = one.change.lines_deleted
    return PathNote(path=f"{one.path} −{lost}" if lost else one.path, note=one.id)


def _reason(fault: PenstockError | OSError) -> str:
    if isinstance(fault, PenstockError):
        return f"{fault.message} ({fault.because})" if fault.because else fault.message
    return (fault.strerror or str(fault)).lower()
