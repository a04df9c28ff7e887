"""How something is done with what is on the screen: beside it, one at a time, errors shown.

What is done is `revise`'s and `app`'s; the calls to the gate are `gateway`'s.
Always true: while something runs, or a preview is shown, nothing is answered; whatever fails is
shown as every door tells it, and the screen stands.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from textual import work

from penstock.core.errors import InputError, RefusedError
from penstock.core.proposals.model import Proposal, State
from penstock.doors.tui import dialogs
from penstock.doors.tui.captions import as_error, trouble
from penstock.doors.tui.gateway import ShownProposal
from penstock.doors.tui.screen import QueueScreen

TOO_SOON = 0.4  # seconds; a key that is held down must not answer what has only just come up

T = TypeVar("T")


class Actions(QueueScreen):
    """The steps of a person: each is a method `do_...`, and a key names it."""

    @work(group="act")
    async def action_do(self, name: str) -> None:
        """Do the step of a key."""
        await self._try(getattr(self, f"do_{name}"))

    def _shown(self) -> ShownProposal:
        """Return what is on the screen. Raises where nothing can be answered at the moment."""
        if self.preview is not None:
            raise InputError(
                "preview", "this is a preview", hint="enter keeps it, escape discards it"
            )
        if self.busy:
            raise InputError("busy", f"{self.busy}; please wait")
        if self.seen is None:
            raise InputError("nothing-shown", "no change is selected")
        return self.seen

    def _looked_at(self) -> ShownProposal | None:
        """Return what is on the screen, unless it took another's place a moment ago."""
        seen = self._shown()
        if time.monotonic() < self.not_before:
            self.say("this was just updated: check it, then press the key again")
            return None
        return seen

    async def _run(self, what: str, job: Callable[[], T]) -> T:
        """Do something beside the screen, and say how far it has come."""
        self.busy = what
        self.say(f"{what} ...")
        try:
            with self.desk.gate.measuring(self._measured):
                return await asyncio.to_thread(job)
        finally:
            self.busy = ""

    def _measured(self, done: int, total: int) -> None:
        percent = 100 * done // max(total, 1)
        self.call_from_thread(self.say, f"{self.busy}, {percent} % of {total:,} bytes")

    async def _try(self, step: Callable[[], Awaitable[None]]) -> None:
        """Do a step of the person's, and show what went wrong with it."""
        try:
            await step()
        except Exception as fault:  # noqa: BLE001 - a screen that falls down prints what was typed
            error = as_error(fault)
            self.say(f"error[{error.code}]")
            await self.push_screen_wait(dialogs.MessageDialog("not done", trouble(error)))
            await self.look_again()

    async def _show_version(self, made: Proposal) -> None:
        """Go on with the version that took a proposal's place."""
        self.seen = None  # what is on the screen is not the version yet
        self.drafts.take_over(made)
        await self.look_again()
        ids = [one.id for one in self._filtered()]
        if made.id in ids:
            self._choose(ids.index(made.id))
        elif made.state is State.DENIED:
            raise RefusedError("denied", "the rules deny the result", because=made.decision.because)
