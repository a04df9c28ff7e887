"""Compare the record with what was signed and remembered elsewhere.

The chain alone cannot show that its end was cut off or that all of it was written anew. A
checkpoint can, and the further from the record it is kept, the more it shows: beside the log,
remembered outside the workspace, held by a witness. Reading them is a store's work.
Always true: a copy that is only older never counts against a record that has grown since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from penstock.core.audit.checkpoint import Checkpoint, glance
from penstock.core.audit.cosign import Quorum
from penstock.core.audit.findings import AuditProblem, TamperKind
from penstock.core.audit.log_head import LogHead
from penstock.core.errors import AuditError
from penstock.core.text.quantities import entries


class CheckpointNote(Struct, frozen=True, kw_only=True):
    """A note that was read: a checkpoint, or the reason why it is none."""

    checkpoint: Checkpoint | None
    error: AuditError | None = None
    size: int = 0


class Evidence(Struct, frozen=True, kw_only=True):
    """Everything that the record is compared with. Empty means that there is none."""

    own: Sequence[CheckpointNote] = ()
    older: Sequence[str] = ()
    """Notes beside the log before those in `own`, as text that nobody has opened yet."""
    check: Callable[[str], CheckpointNote] | None = None
    """Opens such a note."""
    remembered: CheckpointNote | None = None
    head: LogHead | None = None
    witnesses: Mapping[str, CheckpointNote] = field(default_factory=dict)
    unreachable: Sequence[str] = ()
    rewritten: Mapping[str, str] = field(default_factory=dict)
    """Witnesses that lack what they had taken, and what is known of it."""
    disputes: Mapping[str, str] = field(default_factory=dict)
    """Witnesses that say, without proof, that they have seen another log, and what they say."""
    cosigned: Quorum | None = None
    """How many of the witnesses that others run have cosigned; None where there are none."""
    confirmed: int = 0
    """How many of them have done so just now."""
    expects_head: bool = False
    """Say that whoever wrote this log remembers where it ends."""
    unremembered: int = 0
    """How many entries follow the one that is remembered as the last."""

    @property
    def level(self) -> str:
        """Name the strongest kind of evidence there is."""
        if any(opened.checkpoint for opened in self.witnesses.values()):
            return "witness"
        if self.remembered is not None or self.head is not None:
            return "remembered"
        return "checkpoints" if self.own else "chain"

    @property
    def is_empty(self) -> bool:
        """Say that nobody has ever seen an entry of this log."""
        seen = (self.own, self.older, self.remembered, self.head, self.witnesses, self.rewritten)
        return not any(seen)

    def checkpoints(self) -> list[Checkpoint]:
        """Return every checkpoint that could be read, wherever it is kept."""
        notes = [*self.own, *self.witnesses.values()]
        notes += [self.remembered] if self.remembered else []
        return [note.checkpoint for note in notes if note.checkpoint]

    def sizes_to_find(self) -> set[int]:
        """Return the sizes at which the chain's own hash tells most of what there is to tell."""
        sizes = {note.size for note in self.checkpoints() if note.head}
        sizes |= {size for size, head in map(glance, self.older) if head}
        return sizes | ({self.head.seq + 1} if self.head else set())

    def opened(self, heads: Mapping[int, str]) -> Evidence:
        """Return this with every older note opened that could tell something.

        Opening a note means to check its signature, and a long record has thousands of them.
        Below a checkpoint that a sound chain agrees with, one that names the chain's own hash
        adds nothing, whoever has signed it.
        """
        if self.check is None or not self.older:
            return self
        good = [note for note in _good(self.own) if heads.get(note.size) == note.head != ""]
        trusted = max((note.size for note in good), default=-1)
        telling = []
        for note in self.older:
            size, head = glance(note)
            if not (head and size <= trusted and heads.get(size) == head):
                telling.append(self.check(note))
        return replace(self, own=[*telling, *self.own], older=())

    def agreed(self, heads: Mapping[int, str]) -> dict[int, bytes]:
        """Return the roots of the checkpoints that a sound chain agrees with, by size.

        `heads` are the hashes at some sizes. A hash is over all lines before it, so where it is
        the one that was signed beside a root, that root need not be made anew.
        """
        found: dict[int, bytes] = {}
        for note in self.checkpoints():
            if note.head and heads.get(note.size) == note.head:
                found.setdefault(note.size, note.root)
        return found


class LogFacts(Struct, frozen=True, kw_only=True):
    """The record as it is now: lines, roots at the sizes asked for, a hash at the head's place."""

    count: int
    roots: Mapping[int, bytes]
    at_head: str = ""


def compare(evidence: Evidence, found: LogFacts) -> list[AuditProblem]:
    """Return what the evidence says against the log."""
    problems = [
        *_unreadable("checkpoint", evidence.own),
        *_own(evidence.own, found),
        *_remembered(evidence, found),
    ]
    if not problems:
        problems += _head(evidence.head, found)
    for name, note in evidence.witnesses.items():
        problems += _unreadable(f"witness `{name}`", [note], count=found.count)
        problems += _witnessed(name, note.checkpoint, evidence, found)
    for name, why in evidence.rewritten.items():
        said = f"witness `{name}` was rewritten or emptied: {why}"
        problems.append(AuditProblem(kind=TamperKind.WITNESS_REWRITTEN, line=0, message=said))
    return problems if _outvoted(evidence) else problems + _disputes(evidence)


def _outvoted(evidence: Evidence) -> bool:
    """Say whether enough other witnesses stand against one that disagrees."""
    return evidence.cosigned is not None and evidence.confirmed >= evidence.cosigned.require


def _disputes(evidence: Evidence) -> list[AuditProblem]:
    """Return what witnesses say without proof: one alone could have made it up."""
    return [
        AuditProblem(
            kind=TamperKind.WITNESS_DISAGREES,
            line=0,
            message=f"witness `{name}` has seen a different log: {why}",
        )
        for name, why in evidence.disputes.items()
    ]


def doubts(evidence: Evidence, count: int) -> list[AuditProblem]:
    """Return what can't be checked without evidence; it is nothing against the log."""
    found = [
        AuditProblem(
            kind=TamperKind.UNREACHABLE, line=0, message=f"witness `{name}` did not answer"
        )
        for name in evidence.unreachable
    ]
    found += _disputes(evidence) if _outvoted(evidence) else []
    if evidence.cosigned and not evidence.cosigned.reached:
        said = f"the log is {evidence.cosigned.text()}"
        found.append(AuditProblem(kind=TamperKind.FEW_COSIGNATURES, line=0, message=said))
    if evidence.unremembered:
        said = (
            f"not confirmed as written: the last {entries(evidence.unremembered)}; the"
            " writer was killed, or somebody added them by hand"
        )
        found.append(AuditProblem(kind=TamperKind.UNREMEMBERED, line=count, message=said))
    signed = max((note.size for note in evidence.checkpoints()), default=0)
    if signed and evidence.head is None and evidence.expects_head:
        said = f"the end of the log was not saved; entries after line {signed} may be missing"
        found.append(AuditProblem(kind=TamperKind.HEAD_MISSING, line=count, message=said))
    return found


def _unreadable(
    whose: str, notes: Iterable[CheckpointNote], *, count: int | None = None
) -> list[AuditProblem]:
    """Return notes that prove nothing; one of more than `count` entries is still a hint."""
    found = []
    for note in notes:
        if note.error is None:
            continue
        said = f"{whose} at {entries(note.size)}: {note.error.message}"
        if count is not None and note.size > count:
            said += f"; only {count} are here, so the log and key may have been recreated"
        found.append(AuditProblem(kind=TamperKind.BAD_SIGNATURE, line=note.size, message=said))
    return found


def _good(notes: Iterable[CheckpointNote]) -> list[Checkpoint]:
    return [note.checkpoint for note in notes if note.checkpoint is not None]


def _own(notes: Sequence[CheckpointNote], found: LogFacts) -> list[AuditProblem]:
    """Compare with the checkpoints beside the log: the first that does not fit tells where."""
    agreed = 0
    seen: dict[int, bytes] = {}
    for note in _good(notes):
        if seen.setdefault(note.size, note.root) != note.root:
            said = f"two signed checkpoints of {entries(note.size)} differ"
            return [AuditProblem(kind=TamperKind.FORKED, line=note.size, message=said)]
        if note.size > found.count:
            return [_cut(found.count, _largest(notes), "a signed checkpoint")]
        if found.roots.get(note.size) != note.root:
            return [_rewritten(agreed, note.size, "a signed checkpoint")]
        agreed = max(agreed, note.size)
    return []


def _largest(notes: Iterable[CheckpointNote]) -> int:
    return max((note.size for note in _good(notes)), default=0)


def _cut(count: int, size: int, by: str) -> AuditProblem:
    said = f"{entries(size - count)} missing after this line: {by} has {size:,}"
    return AuditProblem(kind=TamperKind.TAIL_CUT, line=count, message=said)


def _rewritten(agreed: int, size: int, by: str) -> AuditProblem:
    said = f"lines {agreed + 1} to {size} were rewritten: {by} has another root"
    return AuditProblem(kind=TamperKind.REWRITTEN, line=agreed + 1, message=said)


def _remembered(evidence: Evidence, found: LogFacts) -> list[AuditProblem]:
    """Compare with the last checkpoint that was remembered outside."""
    if evidence.remembered is None:
        return []
    problems = _unreadable("remembered checkpoint", [evidence.remembered])
    remembered = evidence.remembered.checkpoint
    if remembered is None:
        return problems
    latest = _largest(evidence.own)
    if found.count < remembered.size:
        return problems + _shorter(latest, remembered, found.count)
    if found.roots.get(remembered.size) != remembered.root and not _own(evidence.own, found):
        # The checkpoints beside the log agree with it, so they were signed anew, too.
        return [*problems, _rewritten(0, remembered.size, "the remembered checkpoint")]
    if latest < remembered.size:
        said = f"the checkpoints end at {entries(latest)}, but one of {remembered.size} was signed"
        problems.append(
            AuditProblem(kind=TamperKind.MISSING_CHECKPOINTS, line=remembered.size, message=said)
        )
    return problems


def _shorter(latest: int, remembered: Checkpoint, count: int) -> list[AuditProblem]:
    if latest >= remembered.size:
        return []  # the checkpoints beside the log tell the same
    if not count:
        said = f"the log is missing; {entries(remembered.size)} were signed"
        return [AuditProblem(kind=TamperKind.DELETED, line=0, message=said)]
    said = (
        f"log and checkpoints end at {count} and {latest}; {entries(remembered.size)} were signed"
    )
    return [AuditProblem(kind=TamperKind.OLDER_COPY, line=count, message=said)]


def _head(head: LogHead | None, found: LogFacts) -> list[AuditProblem]:
    """Compare with the last line that is remembered as written."""
    if head is None:
        return []
    if head.seq >= found.count:
        return [_cut(found.count, head.seq + 1, "the remembered head")]
    if found.at_head != head.event_hash:
        said = f"it is not the entry that was written here, {head.event_hash}"
        return [AuditProblem(kind=TamperKind.REWRITTEN, line=head.seq + 1, message=said)]
    return []


def _witnessed(
    name: str, note: Checkpoint | None, evidence: Evidence, found: LogFacts
) -> list[AuditProblem]:
    """Compare with what a witness saw. Two signed histories of one log are a fork."""
    if note is None:
        return []
    if found.count < note.size:
        said = (
            f"witness `{name}` saw {entries(note.size)}, {note.size - found.count} more than here"
        )
        signed = any(own.size > found.count for own in _good(evidence.own))
        kind = TamperKind.TAIL_CUT if signed else TamperKind.OLDER_COPY
        return [AuditProblem(kind=kind, line=found.count, message=said)]
    if found.roots.get(note.size) == note.root:
        return []
    signed = any(own.size >= note.size for own in _good(evidence.own))
    kind = TamperKind.FORKED if signed and not _own(evidence.own, found) else TamperKind.REWRITTEN
    said = f"witness `{name}` saw a different log of {entries(note.size)}"
    return [AuditProblem(kind=kind, line=note.size, message=said)]
