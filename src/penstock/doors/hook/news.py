"""Tell an agent what became of the proposals that its hook stored: once each, at its next event.

A session hears of its own; of those of a session whose process has ended, the next session of the
same agent hears. What an agent cannot hear at an event waits for one at which it can.
Always true: a ticket is taken before it is told and removed only when the answer was printed, so
that it is neither lost nor told twice; whatever fails here changes no verdict.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

from penstock.app import Workspace
from penstock.app import tickets as store
from penstock.app.background import agent_above, is_running, mark_of
from penstock.app.tickets import Ticket
from penstock.core.diff.hunks import unified
from penstock.core.errors import PenstockError
from penstock.core.proposals.model import OPEN, Proposal
from penstock.core.proposals.outcome import outcome
from penstock.core.proposals.short_id import short
from penstock.core.text.display import visible_diff
from penstock.core.text.quantities import counted
from penstock.doors.hook.agents import HEARS
from penstock.doors.hook.decision_text import greeting
from penstock.doors.hook.failures import tried
from penstock.doors.hook.messages import ALLOW, BEFORE, START, HookAnswer, HookCall
from penstock.gate import Gate

MOST_TOLD = 5  # tickets at one event; the others follow at the next
MOST_FILES = 10  # of one set
# Agents of whose sessions no start is registered.
STARTLESS = frozenset({"cursor", "kiro", "cline", "opencode"})
MOST_SESSIONS, LARGEST = 16, 1 << 16
MOST_TEXT = 4000
GONE = "its result is no longer stored; check the file"


def with_news(here: Workspace, call: HookCall, answer: HookAnswer) -> HookAnswer:
    """Return an answer with what there is to tell, where the agent hears it."""
    if call.agent in STARTLESS and call.session and call.event in HEARS[call.agent]:
        tried("say that Penstock is active", lambda: _greet(here, call, answer))
    if _hears(call, answer):
        problem = tried("report on your pending changes", lambda: _add(here, call, answer))
        answer.warnings += (problem,) if problem else ()
    return answer


def _greet(here: Workspace, call: HookCall, answer: HookAnswer) -> None:
    """Say at the first event of a session what others hear at its start."""
    name, session = f"greeted-{call.agent}", call.session.encode("utf-8", "surrogateescape")
    known = (here.read_state(name, limit=LARGEST) or b"").split(b"\n")
    if session not in known:
        here.write_state(name, b"\n".join([*known, session][-MOST_SESSIONS:]))
        answer.notes = (greeting(here, attended=call.attended), *answer.notes)


def _hears(call: HookCall, answer: HookAnswer) -> bool:
    """A denial's reason is read by every agent; notes only where `HEARS` says so."""
    hears = call.event in HEARS.get(call.agent, ())
    return hears or (call.event == BEFORE and answer.verdict != ALLOW)


def _add(here: Workspace, call: HookCall, answer: HookAnswer) -> None:
    # Over HTTP this process tells several clients; a hook tells one, and may look twice.
    holder = mark_of(call.hook or os.getpid())

    def is_gone(mark: str) -> bool:
        return (call.hook != 0 and mark == holder) or not is_running(mark)

    found = store.tickets(here.state, call.agent, is_gone=is_gone)
    if not found:
        store.tidy(here.state, call.agent)
        return
    gate = here.gate
    with suppress(PenstockError):  # another process may close the same at this moment
        gate.expire()
    look = store.looks(here.state)  # before the queue is read: what comes later is seen next time
    ours = agent_above(call.hook) if call.hook else ""
    left: list[Ticket] = []
    until: list[float] = []
    for ticket in found:
        members = _members(gate, ticket.id)
        text = "" if len(answer.claims) >= MOST_TOLD else _told(gate, ticket, members)
        if not text or not _concerns(ticket, call, ours):
            left.append(ticket)
            now = map(gate.latest, members)
            until += [one.created.wall + one.ttl for one in now if one.state in OPEN]
            continue
        taken = store.take(here.state, call.agent, ticket, holder)
        if taken:
            answer.claims += (taken,)
            _say(call, answer, text)
    # What is told now may have to be told again: until it is settled nobody is quiet.
    quiet = (look, min(until, default=float("inf")))
    store.mark(here.state, call.agent, store.LOOK_ALWAYS if answer.claims else quiet)


def _say(call: HookCall, answer: HookAnswer, text: str) -> None:
    if call.event in HEARS[call.agent]:
        answer.notes += (text,)
    else:
        answer.reason = f"{answer.reason}\n{text}"


def _concerns(ticket: Ticket, call: HookCall, ours: str) -> bool:
    """Say whether this session is the one to hear of a ticket."""
    if ticket.session == call.session or (ticket.client and ticket.client == ours):
        return True
    if not ticket.client:  # made over HTTP, where no process is known
        return call.event == START
    return not is_running(ticket.client)


def _members(gate: Gate, known: str) -> tuple[Proposal, ...]:
    """Return what was proposed under an id, as the agent proposed it."""
    one = gate.get(known)
    return (one,) if one is not None else tuple(m for m in gate.of_set(known) if not m.parent)


def _told(gate: Gate, ticket: Ticket, members: tuple[Proposal, ...]) -> str:
    """Return what is said of a ticket; "" while a file of it is open."""
    head = f"Penstock: pending change {short(ticket.id)}: "
    if not members:
        return head + GONE
    said = [*_outcomes(gate, members[:MOST_FILES])]
    if "" in said:
        return ""
    more = (
        [f"{counted(len(members) - MOST_FILES, 'more file')}"] if len(members) > MOST_FILES else []
    )
    text = head + "; ".join([*said, *more])
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]} [cut]"


def _outcomes(gate: Gate, members: tuple[Proposal, ...]) -> Iterator[str]:
    for asked in members:
        now = gate.latest(asked)
        yield outcome(asked, now, diff=_difference(gate, asked, now))


def _difference(gate: Gate, asked: Proposal, now: Proposal) -> str:
    """Return the lines by which what stands now differs from what was proposed."""
    contents = [gate.content(one) for one in (asked.content, now.content) if one]
    known = [one for one in contents if one is not None and b"\0" not in one]
    if now.content == asked.content or len(known) != 2:
        return ""
    found = unified(*known, path=asked.path, context=1)
    return visible_diff(b"".join(found.splitlines(keepends=True)[2:]))  # without the names
