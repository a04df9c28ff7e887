"""The full screen on a real project, driven by keys; and what it shows, as plain text."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from textual.pilot import Pilot

from penstock.core.proposals.model import Proposal
from penstock.doors.tui.app import Edit, ReviewApp
from penstock.doors.tui.dialogs import Dialog
from penstock.doors.tui.gateway import ReviewDesk
from penstock.doors.tui.proof import AtTerminal
from penstock.gate import Gate
from penstock.gate.doors import Door
from penstock.stores.system.places import state_of
from tests.cli.pending import RULES, surroundings_of
from tests.fakes.surroundings import SeatedWorkspace
from tests.project import Project

DEADLINE = 60.0


@dataclass
class Stage:
    """A running screen and the hands at its keys."""

    app: ReviewApp
    pilot: Pilot[int]
    gate: Gate

    async def press(self, *keys: str) -> None:
        """Press keys one by one, each after what the last one did."""
        for key in keys:
            await self.pilot.press(key)
            await self.settled()

    async def type(self, text: str) -> None:
        """Type a line and end it."""
        names = {" ": "space", ",": "comma", ".": "full_stop", "-": "minus"}
        await self.pilot.press(*(names.get(sign, sign) for sign in text), "enter")
        await self.settled()

    async def settled(self) -> None:
        """Wait until nothing is being read or done any more; a window that waits for us is fine."""
        await self.until(lambda: not self.app.busy and not self._reading())

    def _reading(self) -> bool:
        """A worker that neither waits for a window nor has ended is still at work."""
        window = self.app.screen
        asking = isinstance(window, Dialog) and not window.answered
        running = [one for one in self.app.workers if not one.is_finished]
        return any(one.group == "show" for one in running) or (bool(running) and not asking)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something to be true, and fail if it never is."""
        end = time.monotonic() + DEADLINE
        await self.pilot.pause()
        while not condition():
            assert time.monotonic() < end, f"this never came:\n{self.text}"
            await asyncio.sleep(0)
            await self.pilot.pause()
        await self.pilot.pause()

    @property
    def text(self) -> str:
        """What is on the screen."""
        return text_of(self.app)

    @property
    def shown(self) -> Proposal:
        assert self.app.seen is not None, self.text
        return self.app.seen.one


def text_of(app: ReviewApp) -> str:
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in strips)


@asynccontextmanager
async def review(
    project: Project,
    *,
    size: tuple[int, int] = (100, 40),
    edit: Edit | None = None,
    **more: Any,
) -> AsyncIterator[Stage]:
    """Open the full screen on a project whose rules ask about everything."""
    if not (project.root / "penstock.toml").exists():
        project.write("penstock.toml", RULES)
    with surroundings_of(project):
        root = os.path.realpath(project.root)
        here = SeatedWorkspace(root, state_of(root), door=Door.COMMAND)
        desk = ReviewDesk(here.gate, AtTerminal(here))
        async with on_screen(desk, size=size, edit=edit, **more) as stage:
            yield stage


@asynccontextmanager
async def on_screen(
    desk: ReviewDesk, *, size: tuple[int, int], **more: Any
) -> AsyncIterator[Stage]:
    """Open the full screen on a desk."""
    app = ReviewApp(desk, **{"live": False, "too_soon": 0.0, **more})
    async with app.run_test(size=size) as pilot:
        stage = Stage(app, pilot, desk.gate)
        await stage.settled()
        yield stage
