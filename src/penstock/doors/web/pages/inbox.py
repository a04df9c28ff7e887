"""The pending changes as an inbox: grouped, searched, ordered, one page of them at a time.

What one line of it says is `queue_values`'. Nothing is read from the disk here.
Always true: dangers come first unless another order is asked for; a filter never changes how many
changes there are in all; a page costs what it shows, however many are pending.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from fnmatch import fnmatchcase
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.digest import digest
from penstock.core.proposals.model import Proposal, State
from penstock.core.proposals.remarks import dangers
from penstock.core.text.display import spoken

PAGE = 40  # so that a page of a long queue is less than twice one of 20, whatever a line holds
MOST_AGENTS = 50  # that can be chosen
LONGEST = 200  # characters of a search
KEPT = 8  # lists whose groups are remembered
FAR = 1e11  # seconds; later than any change is made


class Order(StrEnum):
    """How changes follow each other."""

    DANGER = "danger"
    OLDEST = "oldest"
    NEWEST = "newest"


class PendingGroup(Struct, frozen=True, kw_only=True):
    """One thing to answer: a proposal, or the members of a set."""

    members: tuple[Proposal, ...]
    danger: bool
    workspace: str = ""

    @property
    def id(self) -> str:
        """The id by which it is opened."""
        first = self.members[0]
        return first.set_id if len(self.members) > 1 else first.id

    @property
    def agent(self) -> str:
        """Who asks."""
        return self.members[0].actor.agent

    @property
    def created(self) -> float:
        """Since when it is pending."""
        return self.members[0].created.wall

    @property
    def section(self) -> str:
        """The heading that it stands under where dangers come first."""
        agent = spoken(self.agent) or "unknown agent"
        return f"Danger · {agent}" if self.danger else agent

    def order(self, by: Order) -> str:
        """Return a text by which groups are sorted."""
        if by is Order.NEWEST:
            return f"{FAR - self.created:015.3f}"
        since = f"{self.created:014.3f}"
        return since if by is Order.OLDEST else f"{int(not self.danger)} {self.agent} {since}"


class QueueQuery(Struct, frozen=True, kw_only=True):
    """What is looked for, and in which order."""

    text: str = ""
    agent: str = ""
    path: str = ""
    state: str = State.WAITING
    order: Order = Order.DANGER
    number: int = 1

    @property
    def filters(self) -> bool:
        """True where something may be left out."""
        return bool(self.text or self.agent or self.path)

    def to(self, **changes: object) -> str:
        """Return the address of the same list with something else chosen."""
        made = replace(self, **changes)
        said = {
            "q": made.text,
            "agent": made.agent,
            "path": made.path,
            "state": made.state if made.state != State.WAITING else "",
            "sort": made.order if made.order is not Order.DANGER else "",
            "page": made.number if made.number > 1 else "",
        }
        return "?" + urlencode(
            {name: value for name, value in said.items() if value}, errors="replace"
        )

    def matches(self, group: PendingGroup) -> bool:
        """Say whether a group is among what is looked for."""
        if self.agent and group.agent != self.agent:
            return False
        if self.path and not any(_path_matches(self.path, one.path) for one in group.members):
            return False
        wanted = self.text.casefold()
        return not wanted or any(wanted in text.casefold() for text in _texts(group))


def query_of(given: Mapping[str, str], number: int) -> QueueQuery:
    """Return what an address asks for; what is no state or order counts as none."""
    text, agent, path = (given.get(name, "").strip()[:LONGEST] for name in ("q", "agent", "path"))
    state, order = given.get("state", ""), given.get("sort", "")
    return QueueQuery(
        text=text,
        agent=agent,
        path=path,
        state=state if state in list(State) else State.WAITING,
        order=Order(order) if order in list(Order) else Order.DANGER,
        number=number,
    )


def _path_matches(wanted: str, path: str) -> bool:
    return fnmatchcase(path, wanted) if set("*?[") & set(wanted) else wanted in path


def _texts(group: PendingGroup) -> Iterable[str]:
    for one in group.members:
        yield from (one.path, one.id, one.actor.agent, one.decision.because, one.why)


# -- groups ----------------------------------------------------------------------------------------


def grouped(found: Iterable[Proposal], *, workspace: str = "") -> tuple[PendingGroup, ...]:
    """Return the changes, the members of a set together, dangers first."""
    by_set: dict[str, list[Proposal]] = {}
    for one in found:
        by_set.setdefault(one.set_id or one.id, []).append(one)
    made = (
        PendingGroup(members=tuple(some), danger=any(map(dangers, some)), workspace=workspace)
        for some in by_set.values()
    )
    return tuple(sorted(made, key=lambda group: (group.order(Order.DANGER), group.id)))


class Inbox:
    """The groups of the lists that were asked for lately, each made once."""

    def __init__(self) -> None:
        self._known: list[tuple[tuple[Proposal, ...], str, tuple[PendingGroup, ...]]] = []
        self._summed: list[tuple[tuple[PendingGroup, ...], tuple[str, ...], str]] = []

    def pending(
        self, found: tuple[Proposal, ...], *, workspace: str = ""
    ) -> tuple[PendingGroup, ...]:
        """Return the groups of pending changes in a list; the same list gives the same groups."""
        for known, name, groups in list(self._known):
            if known is found and name == workspace:
                return groups
        waiting = (one for one in found if one.state is State.WAITING)
        made = grouped(waiting, workspace=workspace)
        self._known = [(found, workspace, made), *self._known[: KEPT - 1]]
        return made

    def summary(self, groups: tuple[PendingGroup, ...]) -> tuple[tuple[str, ...], str]:
        """Return the agents of all groups, and the mark of the list."""
        for known, agents, mark in list(self._summed):
            if known is groups:
                return agents, mark
        agents = tuple(sorted({one.agent for one in groups if one.agent})[:MOST_AGENTS])
        made = agents, mark_of(groups)
        self._summed = [(groups, *made), *self._summed[: KEPT - 1]]
        return made


INBOX = Inbox()


class InboxPage(Struct, frozen=True, kw_only=True):
    """One page of what matches: `found` in all that match, of `total` changes."""

    groups: tuple[PendingGroup, ...]
    found: int
    total: int
    number: int
    pages: int
    agents: tuple[str, ...]
    mark: str


def page_of(groups: tuple[PendingGroup, ...], query: QueueQuery) -> InboxPage:
    """Return the groups that a page shows; `groups` have dangers first."""
    some: Sequence[PendingGroup] = (
        [one for one in groups if query.matches(one)] if query.filters else groups
    )
    if query.order is not Order.DANGER:
        some = sorted(some, key=lambda group: (group.order(query.order), group.id))
    agents, mark = INBOX.summary(groups)
    pages = max(1, -(-len(some) // PAGE))
    number = min(max(query.number, 1), pages)
    return InboxPage(
        groups=tuple(some[(number - 1) * PAGE : number * PAGE]),
        found=len(some),
        total=len(groups),
        number=number,
        pages=pages,
        agents=agents,
        mark=mark,
    )


def mark_of(groups: Iterable[PendingGroup]) -> str:
    """Return a short text that is another one when other changes are pending."""
    ids = (one.id for group in groups for one in group.members)
    return digest("\n".join(ids).encode("utf-8", "replace")).removeprefix("sha256:")[:16]
