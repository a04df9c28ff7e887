"""The full screen: its keys, and the answers.

How it looks is `screen`'s, how a step is done `actions`'.
Always true: `a` approves what is on the screen and never what the list has moved on to.
"""

from __future__ import annotations

import time
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType

from penstock.core.errors import InputError
from penstock.core.proposals.model import Proposal, State
from penstock.doors.tui import dialogs
from penstock.doors.tui.actions import TOO_SOON
from penstock.doors.tui.gateway import ReviewDesk
from penstock.doors.tui.revise import Edit, Revisions

__all__ = ["Edit", "ReviewApp"]


class ReviewApp(Revisions):
    """The review of one workspace. Its result is how many proposals are left waiting."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,ctrl+c", "leave", "leave"),
        Binding("question_mark", "help", "help"),
        Binding("tab", "other_pane", show=False, priority=False),
        Binding("j", "step(1)", show=False),
        Binding("k", "step(-1)", show=False),
        Binding("J", "step(1)", show=False),
        Binding("K", "step(-1)", show=False),
        # Here and not in the pane: hunks are gone to and ticked from the list as well.
        Binding("right_square_bracket", "hunk(1)", show=False),
        Binding("left_square_bracket", "hunk(-1)", show=False),
        Binding("space", "tick", show=False),
        Binding("a", "do('approve')", "approve"),
        Binding("A", "do('approve_set')", "approve set"),
        Binding("r", "do('reject')", "reject"),
        Binding("s", "do('strategy')", "strategy"),
        Binding("h", "do('hunks')", "hunks"),
        Binding("e", "do('edit')", "edit"),
        Binding("b", "do('rebase')", "rebase"),
        Binding("t", "do('renew')", "renew"),
        Binding("u", "do('undo')", "undo"),
        Binding("f", "do('files')", "files"),
        Binding("v", "sides", "side by side"),
        Binding("z", "whole", "diff only"),
        Binding("slash", "find", "find"),
        Binding("n", "again(False)", show=False),
        Binding("N", "again(True)", show=False),
        Binding("enter", "do('keep_preview')", show=False),
        Binding("escape", "leave_view", show=False),
    ]

    def __init__(
        self,
        desk: ReviewDesk,
        *,
        edit: Edit | None = None,
        live: bool = True,
        too_soon: float = TOO_SOON,
    ) -> None:
        super().__init__(desk, live=live, too_soon=too_soon, edit=edit)

    async def do_approve(self) -> None:
        """Approve exactly what is shown, and write it."""
        seen = self._looked_at()
        if seen is not None:
            await self._approve_all((seen.one,))

    async def do_approve_set(self) -> None:
        """Approve all files of the set, each of which was looked at."""
        seen = self._looked_at()
        if seen is None:
            return
        group = self.desk.group(seen.one)
        unseen = [one.path for one in group if one.id not in self.looked]
        if unseen:
            raise InputError(
                "not-looked-at",
                f"{len(unseen)} file(s) of this set were not looked at yet",
                because=", ".join(f"`{path}`" for path in unseen[:5]),
                hint="look at each with J and K, then approve",
            )
        await self._approve_all(group)

    def _refuse_unticked(self, shown: tuple[Proposal, ...]) -> None:
        """What is not ticked is not written: the ticked hunks become a version first."""
        for one in shown:
            dropped = self.unticked.get(one.id)
            if dropped:
                raise InputError(
                    "hunks-unticked",
                    f"not ticked in `{one.path}`: {len(dropped)} hunk(s); nothing is written",
                    because="what is not ticked is not written",
                    hint="h keeps only the ticked hunks and shows them; space ticks one again",
                )

    async def _approve_all(self, shown: tuple[Proposal, ...]) -> None:
        self._refuse_unticked(shown)
        if not await self._unlocked():
            return
        await self._answered(await self._run("writing", lambda: self.desk.approve(shown)))

    async def _answered(self, said: str) -> None:
        """Go on to the next one; a key that is held down must not answer it."""
        self.not_before = time.monotonic() + self.too_soon
        self.told = said
        self.say(said)
        await self.look_again()

    async def _unlocked(self) -> bool:
        """Ask for the passphrase where it is needed; False when the person left."""
        if not self.desk.keys.locked():
            return True
        secret = await self.push_screen_wait(dialogs.AskSecret(code=self.desk.keys.needs_code()))
        if not isinstance(secret, dialogs.Secret):
            self.say("not approved")
            return False
        await self._run("opening the key", lambda: self._unlock(secret))
        return True

    def _unlock(self, secret: dialogs.Secret) -> None:
        self.desk.keys.unlock(secret.passphrase, secret.code)

    async def do_reject(self) -> None:
        """Send it back with a reason."""
        seen = self._shown()
        reason = await self.push_screen_wait(dialogs.TextDialog("why? the agent is told"))
        if isinstance(reason, str):
            job = partial(self.desk.reject, (seen.one,), reason)
            await self._answered(await self._run("rejecting", job))

    def action_help(self) -> None:
        """Show every key."""
        self.push_screen(dialogs.MessageDialog("penstock review", dialogs.HELP))

    async def action_leave(self) -> None:
        """End; what is not answered goes on waiting."""
        self._to_terminal("\x1b[23;2t")
        await self.look_again()  # what was answered a moment ago waits no more
        self.exit(sum(one.state is State.WAITING for one in self.found))
