"""The full screen: its keys, and the answers.

How it looks is `screen`'s, how a step is done `actions`'.
Always true: `a` approves what is on the screen and never what the list has moved on to; what was
never on the screen is named, and approved only after a second answer that the audit log has.
"""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType

from penstock.core.diff.coverage import Unseen, fingerprint, require_shown
from penstock.core.errors import InputError
from penstock.core.proposals.model import Proposal, State
from penstock.core.text.display import spoken
from penstock.core.text.quantities import counted
from penstock.doors.tui import dialogs
from penstock.doors.tui.actions import TOO_SOON
from penstock.doors.tui.conversation import Conversation
from penstock.doors.tui.gateway import ReviewDesk, WriteResult
from penstock.doors.tui.revise import Edit

__all__ = ["Edit", "ReviewApp"]


class ReviewApp(Conversation):
    """The review of one workspace. Its result is how many proposals are left waiting."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,ctrl+c", "leave", "leave"),
        Binding("question_mark", "help", "help"),
        Binding("R", "runs", "runs"),
        Binding("tab", "other_pane", show=False, priority=False),
        Binding("j", "step(1)", show=False),
        Binding("k", "step(-1)", show=False),
        Binding("J", "step(1)", show=False),
        Binding("K", "step(-1)", show=False),
        # Here and not in the pane: hunks are gone to and ticked from the list as well.
        Binding("right_square_bracket", "hunk(1)", show=False),
        Binding("left_square_bracket", "hunk(-1)", show=False),
        Binding("space,x", "tick", show=False),
        Binding("a", "do('approve')", "approve"),
        Binding("A", "do('approve_set')", "approve set"),
        Binding("r", "do('reject')", "reject"),
        Binding("c", "do('comment')", "comment"),
        Binding("s", "do('strategy')", "strategy"),
        Binding("h", "do('hunks')", "hunks"),
        Binding("e", "do('edit')", "edit"),
        Binding("b", "do('rebase')", "rebase"),
        Binding("t", "do('renew')", "renew"),
        Binding("u", "do('undo')", "undo"),
        Binding("B", "do('rebase_set')", show=False),
        Binding("f", "do('files')", "files"),
        Binding("T", "do('tree')", "tree"),
        Binding("W", "white_space", "white space"),
        Binding("m", "context", "context"),
        Binding("M", "context(True)", show=False),
        Binding("v", "sides", "side by side"),
        Binding("d", "removed", "removed lines"),
        Binding("z", "whole", "diff only"),
        Binding("w", "fold", "long lines"),
        Binding("i", "details", "ids"),
        Binding("slash", "find", "find"),
        Binding("n", "again(False)", show=False),
        Binding("N", "again(True)", show=False),
        Binding("p", "step(-1)", show=False),
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
        """Approve all files of the set."""
        seen = self._looked_at()
        if seen is None:
            return
        await self._approve_all(self.desk.group(seen.one))

    def _refuse_unticked(self, shown: tuple[Proposal, ...]) -> None:
        """What is not ticked is not written: the ticked hunks become a version first."""
        for one in shown:
            dropped = self.unticked.get(one.id)
            if dropped:
                raise InputError(
                    "hunks-unticked",
                    f"{counted(len(dropped), 'hunk')} of `{one.path}` not selected; "
                    "nothing was written",
                    because="only selected hunks are written",
                    hint="press h to keep only the selected hunks, or space to select one again",
                )

    async def _approve_all(self, shown: tuple[Proposal, ...]) -> None:
        """Approve what was shown of these, or what the person accepts unseen, and write it."""
        self._refuse_unticked(shown)
        self.drafts.refuse(shown)
        unseen = self.views.unseen(shown)
        if unseen and not await self._accepted(shown, unseen):
            return
        if not await self._unlocked():
            return
        name = fingerprint(unseen)
        said = require_shown(self.views.unseen(shown), acknowledged=name, hint="review again")
        done = await self._run("writing", lambda: self.desk.approve(shown, said))
        await self._answered(done.said)
        if done.of_set:
            await self._show_result(done)

    async def _accepted(self, shown: tuple[Proposal, ...], unseen: tuple[Unseen, ...]) -> bool:
        """Name what was never on the screen; without a clear yes, go there."""
        asked = sum(one.state is State.WAITING for one in shown)
        viewed = f"{asked - len(unseen)} of {counted(asked, 'file')} viewed"
        heading = viewed if asked > 1 else "not fully viewed"
        parts = [one.words for one in unseen]
        answer = await self.push_screen_wait(dialogs.UnseenDialog(heading, parts))
        if answer is False:
            self.go_to_unseen(unseen[0], shown)
        elif answer is None:
            self.say("not approved")
        return answer is True

    async def _show_result(self, done: WriteResult) -> None:
        """List every file of a set; from here all of it is undone at once."""
        count = len(done.receipts)
        lines = [f"press u to undo all {count} files" if count > 1 else "press u to undo"]
        lines += [f"written   {spoken(one.path)}" for one in done.receipts]
        lines += [f"rejected  {spoken(one.path)}" for one in done.rejected]
        heading = f"{count} of {counted(count + len(done.rejected), 'file')} of the set written"
        if await self.push_screen_wait(dialogs.SetResultDialog(heading, "\n".join(lines))):
            job = partial(self.desk.undo, done.of_set)
            await self._show_version(await self._run("measuring", job))

    async def _unlocked(self) -> bool:
        """Ask for the passphrase where it is needed; False when the person left."""
        if not self.desk.keys.locked():
            return True
        secret = await self.push_screen_wait(dialogs.AskSecret(code=self.desk.keys.needs_code()))
        if not isinstance(secret, dialogs.Secret):
            self.say("not approved")
            return False
        await self._run("unlocking the key", lambda: self._unlock(secret))
        return True

    def _unlock(self, secret: dialogs.Secret) -> None:
        self.desk.keys.unlock(secret.passphrase, secret.code)

    def action_help(self) -> None:
        """Show every key."""
        self.push_screen(dialogs.MessageDialog("penstock review", dialogs.HELP))

    def action_runs(self) -> None:
        """Show the isolated runs and what they changed so far."""
        self.push_screen(dialogs.RunsDialog(self.desk.runs))

    async def action_leave(self) -> None:
        """End; what is not answered goes on waiting."""
        if not self.may_leave():
            return
        self._to_terminal("\x1b[23;2t")
        await self.look_again()  # what was answered a moment ago waits no more
        self.exit(sum(one.state is State.WAITING for one in self.found))
