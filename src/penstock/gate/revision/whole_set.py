"""Revise a set: some of its files, some hunks of them, or all of it on what the files hold now.

One file's versions are `one_file`'s, and so is putting them on the queue.
Always true: the new versions of a set are stored in one step with what they close, or none is;
a file that can't be merged stops the rebase of the whole set, and every such file is named.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from penstock.core.errors import InputError, StaleError
from penstock.core.proposals.line_comment import LineComment
from penstock.core.proposals.model import NEXT, Answer, Proposal, State, Transition
from penstock.core.proposals.model import after as state_after
from penstock.core.text.quantities import counted
from penstock.gate.doors import Proof
from penstock.gate.file_renames import with_renames
from penstock.gate.revision.one_file import NO_IDS, Reviser

NO_HUNKS: Mapping[str, Collection[int]] = {}
OVER = frozenset({State.STALE, State.EXPIRED})
MOST_NAMED = 5  # files that an error tells about


class SetReviser:
    """The steps from one version of a set to the next."""

    def __init__(self, revising: Reviser) -> None:
        self.revising = revising
        self.parts = revising.parts
        self.answering = revising.answering
        self.proposing = revising.proposing

    # -- some of it --------------------------------------------------------------------------

    def choose(
        self,
        found: Sequence[Proposal],
        paths: Collection[str],
        *,
        proof: Proof,
        reason: str = "",
        comments: Sequence[LineComment] = (),
        ids: Mapping[str, str] = NO_IDS,
        hunks: Mapping[str, Collection[int]] = NO_HUNKS,
    ) -> tuple[Proposal, ...]:
        """Put the chosen files of a set into a set of their own, and send the others back.

        `ids` are the names of the new proposals, by path, where they were drafted before. `hunks`
        are those that are kept of a file; with hunks of every file the set stays what it is. What
        goes back takes its `comments` along.
        """
        chosen = self.draft(found, paths, ids=ids, hunks=hunks)
        fresh = [self.answering.fresh(one.id) for one in found]
        why = ": ".join(filter(None, ("not selected from its set", reason)))
        said = self.answering.comments_of([one for one in fresh if one.path not in paths], comments)
        left: dict[str, Answer] = {}
        for one in fresh:
            if one.path not in paths:
                rejected = self.answering.prove(one, approve=False, proof=proof, reason=why)
                left[one.id] = replace(rejected, comments=said[one.id])
            elif one.path in hunks:
                left |= self.revising.left_out(one, hunks[one.path], reason=reason)
        known = {one.id for one in found}
        self.revising.put_instead([one for one in chosen if one.id not in known], left)
        return chosen

    def draft(
        self,
        found: Sequence[Proposal],
        paths: Collection[str],
        *,
        ids: Mapping[str, str] = NO_IDS,
        hunks: Mapping[str, Collection[int]] = NO_HUNKS,
    ) -> tuple[Proposal, ...]:
        """Return the chosen files of a set as a set of their own; nothing is stored yet."""
        _require_known(found, paths, hunks)
        fresh = [self.answering.fresh(one.id) for one in found]
        kept = [one for one in fresh if one.path in paths]
        # Of a set with a denied file the others are given here: they leave it for one of their own.
        whole = bool(hunks) and len(kept) == len(fresh)
        group = fresh[0].set_id if whole else self.proposing.new_id("set")
        made = [
            one if whole and one.path not in hunks else self._chosen(one, group, ids, hunks)
            for one in kept
        ]
        stored = {one.id: one for one in fresh}
        named = with_renames(made, self.parts.blobs.get)
        return tuple(stored.get(one.id, one) for one in named)

    def _chosen(
        self,
        one: Proposal,
        group: str,
        ids: Mapping[str, str],
        hunks: Mapping[str, Collection[int]],
    ) -> Proposal:
        new_id = ids.get(one.path, "")
        if one.path in hunks:
            return self.revising.of_hunks(one, hunks[one.path], set_id=group, new_id=new_id)
        content = self.proposing.contents(one)[1]
        return self.revising.version(one, content, origin="chosen", set_id=group, new_id=new_id)

    # -- all of it on another base -----------------------------------------------------------

    def rebase(self, found: Sequence[Proposal]) -> tuple[Proposal, ...]:
        """Carry the files of a set that changed since over to what they hold now, all or none.

        What expired or went out of date comes back as well; the other files stay as they are.
        """
        can = [one for one in found if (one.state, Transition.SUPERSEDE) in NEXT]
        if not can:
            state_after(found[0].state, Transition.SUPERSEDE)
        behind = [one for one in can if one.state in OVER or not self._on_its_base(one)]
        made: list[Proposal] = []
        faults: list[StaleError] = []
        for one in behind:
            try:
                content = self._carried_over(one)
            except StaleError as fault:
                faults.append(fault)
            else:
                made.append(self.revising.version(one, content, origin="rebase"))
        if faults:
            raise _conflicts(faults, len(behind))
        if not made:
            return ()
        stays = [one for one in can if one not in behind]
        whole = with_renames([*made, *stays], self.parts.blobs.get)
        return self.revising.put_instead(whole[: len(made)])

    def _on_its_base(self, one: Proposal) -> bool:
        files, known = self.parts.place(one.path)
        now = files.node(known)
        return (None if now is None else now.digest) == one.base

    def _carried_over(self, one: Proposal) -> bytes | None:
        if self._on_its_base(one):
            return self.proposing.contents(one)[1]
        return self.revising.preview_rebase(one.id)[1]


def _require_known(
    found: Sequence[Proposal], paths: Collection[str], hunks: Mapping[str, Collection[int]]
) -> None:
    unknown = sorted(set(paths) - {one.path for one in found})
    if unknown or not paths:
        raise InputError(
            "not-in-set", f"`{', '.join(unknown)}` is not in this set" if unknown else "no file"
        )
    beside = sorted(set(hunks) - set(paths))
    if beside:
        raise InputError("not-in-set", f"hunks of `{', '.join(beside)}`, which is not selected")


def _conflicts(faults: Sequence[StaleError], of: int) -> StaleError:
    """Return one error for all files that can't be merged; nothing was changed."""
    if len(faults) == 1 and of == 1:
        return faults[0]
    told = [f"{fault.message}: {fault.because}" for fault in faults[:MOST_NAMED]]
    more = [f"{counted(len(faults) - MOST_NAMED, 'more file')}"] if len(faults) > MOST_NAMED else []
    return StaleError(
        faults[0].code,
        "the change set can't be rebased; nothing was changed",
        because="; ".join([*told, *more]),
        hint="ask the agent to propose again, or keep the other files with `--files`",
    )
