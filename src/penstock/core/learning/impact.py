"""Say what a change of the rules would have changed: replay past decisions against both policies.

Which calls would be answered otherwise, in both directions, with examples; and whether a call
that a person had refused would now go through. Reading the past is a store's work, asking the
rules is `replay`'s; whether a finding stops an edit is the reviewer's.
Always true: a flip is a difference between the two policies, never between now and then; calls
that cannot be asked again are counted, not guessed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, field

from penstock.core.learning.past_decision import (
    ALLOW,
    ASK,
    DEFAULT,
    DENY,
    PASSTHROUGH,
    Past,
    Person,
)
from penstock.core.learning.replay import UNTOUCHED, LoggedVerdict, Replay
from penstock.core.policy.model import Policy
from penstock.core.text.redact import redact

MOST_EXAMPLES = 5  # of each direction
MOST_SHOWN = 300  # characters of a call
LOOSENESS: Mapping[str, int] = {DENY: 0, ASK: 1, PASSTHROUGH: 2, ALLOW: 3}
GOES_THROUGH = (ALLOW, PASSTHROUGH)


class Flip(Struct, frozen=True, kw_only=True):
    """Calls that are alike and would be answered otherwise."""

    tool: str
    subject: str
    recorded: str
    before: str
    after: str
    rules: tuple[str, ...]
    count: int
    last_seen: str = ""
    rejected: bool = False

    @property
    def looser(self) -> bool:
        """True when more goes through than before."""
        return LOOSENESS[self.after] > LOOSENESS[self.before]

    @property
    def against_a_person(self) -> bool:
        """True when a person had said no to what would now go through."""
        return self.rejected and self.looser and self.after in GOES_THROUGH

    def document(self) -> dict[str, object]:
        """Return the flip as JSON shows it, without secrets."""
        return {
            "tool": self.tool,
            "input": redact(self.subject[:MOST_SHOWN]),
            "recorded": self.recorded,
            "before": self.before,
            "after": self.after,
            "rules": list(self.rules),
            "count": self.count,
            "last_seen": self.last_seen,
        }


class Impact(Struct, frozen=True, kw_only=True):
    """What a change would do, by the calls of the past.

    `changes` says that some rule or default is another one, whether or not a call shows it.
    `moves` counts the calls that go from one answer to another; `looser` and `stricter` hold
    the commonest of them, `blocking` every one that a person had refused.
    """

    changes: bool
    replayed: int = 0
    left_out: int = 0
    affected: frozenset[str] = frozenset()
    moves: Mapping[str, int] = field(default_factory=dict)
    looser: tuple[Flip, ...] = ()
    stricter: tuple[Flip, ...] = ()
    blocking: tuple[Flip, ...] = ()

    @property
    def would_flip(self) -> int:
        """How many past calls would be answered otherwise."""
        return sum(self.moves.values())

    @property
    def would_change_behavior(self) -> bool:
        """True when a past call would be answered otherwise; without a past, when rules differ."""
        if self.blocking:
            return True
        return bool(self.moves) if self.replayed else self.changes

    def document(self) -> dict[str, object]:
        """Return what stands under `impact_analysis`."""
        return {
            "rules_affected": len(self.affected),
            "would_change_behavior": self.would_change_behavior,
            "affected_rules": sorted(self.affected),
            "decisions_replayed": self.replayed,
            "decisions_not_replayed": self.left_out,
            "would_flip": self.would_flip,
            "flips": dict(self.moves),
            "looser": [flip.document() for flip in self.looser],
            "stricter": [flip.document() for flip in self.stricter],
            "against_people": [flip.document() for flip in self.blocking[:MOST_EXAMPLES]],
        }


class _Alike(Struct):
    """Calls with the same input."""

    first: Past
    count: int = 0
    last: str = ""


class _Kind(Struct):
    """Calls that both policies answer with the same words; the commonest come first."""

    words: tuple[LoggedVerdict, LoggedVerdict]
    count: int = 0
    examples: list[_Alike] = field(default_factory=list)

    @property
    def flips(self) -> bool:
        """True when the two policies differ."""
        return self.words[0].said != self.words[1].said


class _Sum:
    """What the replay has found so far."""

    def __init__(self, changed: frozenset[str]) -> None:
        self.changed = changed
        self.replayed = self.left_out = 0
        self.affected: set[str] = set()
        self.kinds: dict[int, _Kind] = {}
        self.refused: list[Flip] = []

    def add(self, alike: _Alike, words: tuple[LoggedVerdict, LoggedVerdict] | None) -> None:
        """Count some calls that are alike."""
        answered = alike.first.person is not None
        if answered:  # what a person said to a call is no second call
            if words is not None and words[0].said != words[1].said:
                self.refused.append(_flip(alike, *words))
            return
        if words is None:
            self.left_out += alike.count
            return
        self.replayed += alike.count
        if words is UNTOUCHED:
            return
        # The replay gives the very same words to calls of one kind, so that they need no hashing.
        kind = self.kinds.get(id(words))
        if kind is None:
            kind = self.kinds[id(words)] = _Kind(words)
        kind.count += alike.count
        if len(kind.examples) < MOST_EXAMPLES:
            kind.examples.append(alike)

    def impact(self, *, changes: bool) -> Impact:
        """Return the sum as it is told."""
        told: Counter[str] = Counter()
        flipped = [kind for kind in self.kinds.values() if kind.flips]
        for kind in flipped:
            told[f"{kind.words[0].said}_to_{kind.words[1].said}"] += kind.count
        flips = [_flip(one, *kind.words) for kind in flipped for one in kind.examples]
        flips.sort(key=lambda flip: -flip.count)
        return Impact(
            changes=changes,
            replayed=self.replayed,
            left_out=self.left_out,
            affected=frozenset(self._affected()),
            moves=dict(told.most_common()),
            looser=tuple([flip for flip in flips if flip.looser][:MOST_EXAMPLES]),
            stricter=tuple([flip for flip in flips if not flip.looser][:MOST_EXAMPLES]),
            blocking=tuple(flip for flip in self.refused if flip.against_a_person),
        )

    def _affected(self) -> Iterator[str]:
        """Yield the rules that speak of the same calls as those that changed."""
        for kind in self.kinds.values():
            spoke = {rule for word in kind.words for rule in word.rules}
            if spoke & self.changed:
                yield from (r for r in spoke - self.changed if not r.startswith(DEFAULT))


def _flip(alike: _Alike, before: LoggedVerdict, after: LoggedVerdict) -> Flip:
    past = alike.first
    return Flip(
        tool=past.tool,
        subject=past.subject,
        recorded=past.decision,
        before=before.said,
        after=after.said,
        rules=after.rules or before.rules,
        count=alike.count,
        last_seen=alike.last,
        rejected=past.person is Person.REJECTED,
    )


def impact(before: Policy, after: Policy, decisions: Iterable[Past], *, now: float = 0.0) -> Impact:
    """Return what would change; `now` is when rules that end are asked (0: none has ended)."""
    replay = Replay(before, after, now=now)
    found = _Sum(frozenset(rule.id for rule in (*replay.gone, *replay.come)))
    for alike in _grouped(decisions, found):
        found.add(alike, replay.words(alike.first) if replay.changes else UNTOUCHED)
    return found.impact(changes=replay.changes)


def _grouped(decisions: Iterable[Past], found: _Sum) -> list[_Alike]:
    """Put calls together that the rules cannot tell apart; what is not whole is left out.

    What people refused comes first, then the commonest: only so many are followed.
    """
    groups: dict[object, _Alike] = {}
    for past in decisions:
        if not past.decision or past.person is Person.APPROVED:
            continue
        if not past.whole:
            found.left_out += past.person is None
            continue
        shown = past.command or past.path or repr(past.tool_input)
        # Which rules spoke matters only where they measured a change, and that has a path.
        spoke = past.rules if past.path else ()
        key = (past.tool, shown, past.action, past.cwd, spoke, past.person)
        alike = groups.get(key)
        if alike is None:
            alike = groups[key] = _Alike(past)
        alike.count += 1
        alike.last = max(alike.last, past.ts)
    return sorted(groups.values(), key=lambda one: (one.first.person is None, -one.count))
