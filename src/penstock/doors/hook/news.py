"""Tell an agent what became of the proposals that its hook stored: once each, at its next event.

A session hears of its own; of those of a session whose process has ended, the next session of the
same agent hears. What an agent cannot hear at an event waits for one at which it can.
Always true: a ticket is taken before it is told and removed only when the answer was printed, so
that it is neither lost nor told twice; whatever fails here changes no verdict.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from penstock.app import tickets as store
from penstock.app.background import agent_above, is_running, mark_of
from penstock.core.errors import PenstockError
from penstock.doors.hook.agents import HEARS
from penstock.doors.hook.decision_text import greeting
from penstock.doors.hook.failures import tried
from penstock.doors.hook.messages import ALLOW, BEFORE, START, HookAnswer, HookCall

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.app.tickets import Ticket

MOST_TOLD = 5  # tickets at one event; the others follow at the next
# Agents of whose sessions no start is registered.
STARTLESS = frozenset({"cursor", "kiro", "cline", "opencode"})
MOST_SESSIONS, LARGEST = 16, 1 << 16


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
    from penstock.doors.hook.ticket_text import ends, members_of, told  # most events tell nothing

    gate = here.gate
    with suppress(PenstockError):  # another process may close the same at this moment
        gate.expire()
    look = store.looks(here.state)  # before the queue is read: what comes later is seen next time
    ours = agent_above(call.hook) if call.hook else ""
    until: list[float] = []
    for ticket in found:
        members = members_of(gate, ticket.id)
        text = "" if len(answer.claims) >= MOST_TOLD else told(gate, ticket, members)
        if not text or not _concerns(ticket, call, ours):
            until += ends(gate, members)
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
