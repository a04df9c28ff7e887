"""The nouns of Penstock: what is asked, what would change, what the rules answer.

Every other module speaks in these types. They hold values and derive small facts from
them; they never decide, read or write anything.
Always true: a value here is frozen, so what was judged is what is later shown and written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import ClassVar, Protocol

from msgspec import Struct, field

from penstock.core.extent import NEAR, Extent

NOTHING: Mapping[str, object] = {}


class Verdict(StrEnum):
    """The three answers that rules can give."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


STRICTNESS: Mapping[Verdict, int] = {Verdict.ALLOW: 0, Verdict.ASK: 1, Verdict.DENY: 2}


def strictest(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the strictest of some verdicts; nothing said is `allow`."""
    return max(verdicts, key=STRICTNESS.__getitem__, default=Verdict.ALLOW)


class Action(StrEnum):
    """What an actor would do. `WRITE` changes a file that exists."""

    READ = "read"
    WRITE = "write"
    CREATE = "create"
    DELETE = "delete"
    RUN = "run"


# A rule that says `write` speaks of every way to change a file; the others are narrow.
COVERS: Mapping[Action, frozenset[Action]] = {
    Action.READ: frozenset({Action.READ}),
    Action.WRITE: frozenset({Action.WRITE, Action.CREATE, Action.DELETE}),
    Action.CREATE: frozenset({Action.CREATE}),
    Action.DELETE: frozenset({Action.DELETE}),
    Action.RUN: frozenset({Action.RUN}),
}


class ChangeKind(StrEnum):
    """How much of a file a change touches."""

    NEW = "new"
    MODIFY = "modify"
    REPLACE = "replace"
    DELETE = "delete"


class Hunk(Struct, frozen=True, kw_only=True):
    """One run of changed lines: half-open, 0-based line ranges of before and after."""

    before_start: int
    before_end: int
    after_start: int
    after_end: int

    @property
    def before(self) -> range:
        """The places of the lines that go."""
        return range(self.before_start, self.before_end)

    @property
    def after(self) -> range:
        """The places of the lines that come."""
        return range(self.after_start, self.after_end)


class Change(Struct, frozen=True, kw_only=True):
    """One file's before and after, measured.

    Counts are lines unless `unit` is "bytes" (binary or undecodable content).
    `lines_deleted` is exact when `exact` is true; otherwise it is an upper bound and
    `least_deleted` the lower one, and `kind` errs towards REPLACE. Of those that are deleted and
    added, `white_space` come again with nothing but other white space; people are told, and the
    rules count them all the same. `LATER` are fields that older versions did not know.
    """

    LATER: ClassVar = frozenset({"white_space"})

    kind: ChangeKind
    existing_lines: int = 0
    new_lines: int = 0
    lines_deleted: int = 0
    lines_added: int = 0
    change_ratio: float = 0.0
    before_size: int = 0
    after_size: int = 0
    exact: bool = True
    least_deleted: int = 0
    unit: str = "lines"
    notes: tuple[str, ...] = ()
    identical: bool = False
    white_space: int = 0

    @property
    def same(self) -> bool:
        """True when not a single byte would change."""
        return self.identical


class Source(Protocol):
    """Bytes that can be read in pieces, so that a large file is never held whole."""

    @property
    def size(self) -> int:
        """How many bytes there are."""

    def read(self, offset: int, length: int) -> bytes:
        """Return up to `length` bytes from `offset`; fewer only at the end."""


class Bytes(Struct, frozen=True):
    """A Source over bytes in memory."""

    data: bytes

    @property
    def size(self) -> int:
        """How many bytes there are."""
        return len(self.data)

    def read(self, offset: int, length: int) -> bytes:
        """Return up to `length` bytes from `offset`."""
        return self.data[offset : offset + length]


class Target(Struct, frozen=True, kw_only=True):
    """A path as an actor wrote it, with every spelling that must be judged.

    `judged` are the spellings that get a full verdict (lexically normalised, resolved, and the
    other places that rules know it by: in a worktree of the project, that in the project);
    `tightening` are spellings that can only make it stricter (as given, look-alikes of
    protected names). `outside` means that the path leaves the workspace; a spelling out there
    is absolute and keeps its leading slash, so that only `**/` patterns can meet it. `twins` are
    other names of the same file (hard links, a folded name), judged like its own. `looks_like`
    are plain names that a reader takes it for, and `flags` what its letters hide.
    """

    shown: str
    judged: tuple[str, ...]
    tightening: tuple[str, ...] = ()
    outside: bool = False
    folds: bool = False
    twins: tuple[str, ...] = ()
    looks_like: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


class Actor(Struct, frozen=True, kw_only=True):
    """Who asks: which agent, in which conversation, by which call."""

    agent: str = ""
    session: str = ""
    tool_call_id: str = ""
    context_id: str = ""


NOBODY = Actor()


class GateRefusal(Struct, frozen=True, kw_only=True):
    """What a request is refused for whatever the rules files say: it would remove the gate.

    `verdict` is `ask` or `deny`; `rule` is the built-in rule that the record names.
    """

    rule: str
    verdict: Verdict
    text: str
    instead: str
    code: str = "self-protection"


class Request(Struct, frozen=True, kw_only=True):
    """What an actor wants, in our terms. One tool call may make several requests.

    `mention` says that nobody knows whether the target is meant: it stood among the arguments.
    `leaves` are the simple commands of a shell command, `programs` what they start: the simple
    command, and the program with its arguments, without `sudo` and its like before it.
    `doing` are the simple commands that are unclear, or the one that touches the target.
    `losses` are what a command would throw away for good. `by` is the program that would do it,
    `script` a file of the project that says so: then only rules speak, no default does.
    """

    action: Action
    tool: str = ""
    tool_input: Mapping[str, object] = field(default_factory=lambda: NOTHING)
    target: Target | None = None
    change: Change | None = None
    extent: Extent = NEAR
    leaves: tuple[str, ...] = ()
    programs: tuple[tuple[str, str], ...] = ()
    doing: tuple[str, ...] = ()
    unclear: str = ""
    refusals: tuple[GateRefusal, ...] = ()
    losses: tuple[GateRefusal, ...] = ()
    mention: bool = False
    by: str = ""
    script: str = ""
    attended: bool = True
    actor: Actor = NOBODY


class Reason(Struct, frozen=True, kw_only=True):
    """One rule's part in a decision: which rule, what it said, and where it is written."""

    rule: str
    verdict: Verdict | None
    text: str = ""
    code: str = ""
    where: str = ""


class Decision(Struct, frozen=True, kw_only=True):
    """What the rules answer to one request, and why.

    `granted` is true only when a rule said `allow`; a default never grants.
    `degraded` tells that the policy in force is not the one that was written.
    """

    verdict: Verdict
    reasons: tuple[Reason, ...] = ()
    notes: tuple[str, ...] = ()
    revision: str = ""
    code: str = ""
    because: str = ""
    suggestion: str = ""
    granted: bool = False
    degraded: str = ""
    parts: tuple[Decision, ...] = ()
    path: str = ""
    action: Action | None = None
