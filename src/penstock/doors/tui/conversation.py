"""What a person says about lines on the full screen, and the rejection that sends it.

Where comments stand is `comments`'; the other answers are `app`'s.
Always true: nothing is sent before a rejection; what has comments is not approved over them, and
leaving says once that they would be lost.
"""

from __future__ import annotations

from functools import partial

from penstock.core.proposals.line_comment import LineComment
from penstock.core.proposals.model import Proposal
from penstock.core.text.quantities import counted
from penstock.doors.tui import dialogs
from penstock.doors.tui.comments import comment_on, lines_of
from penstock.doors.tui.revise import Revisions


class Conversation(Revisions):
    """Comments on lines and hunks of what is on the screen."""

    warned = False  # that comments are lost by leaving

    async def do_comment(self) -> None:
        """Write a comment on the line or the hunk that is pointed at."""
        seen, made = self._shown(), self.diff.sheet
        asked = dialogs.CommentDialog(
            self._pointed_at(),
            kept={each.lines: each.text for each in self.drafts.of(seen.one)},
            read=lambda lines, text: comment_on(seen.one, made, lines, text),
        )
        said = await self.push_screen_wait(asked)
        if isinstance(said, LineComment):
            self.drafts.keep(seen.one, said)
            self.warned = False
            await self._show_otherwise(row=self.diff.place)
            self.say(self._kept_words(seen.one))

    def _pointed_at(self) -> str:
        """Name the line that is pointed at, or the hunk; "" is the whole file."""
        view = self.diff
        row = view.sheet.row(view.mark) if view.mark is not None else None
        hunk = view.at_hunk or (view.sheet.hunk_at(view.place) if len(view.sheet) else 0)
        return (lines_of(row) if row else "") or (f"#{hunk}" if hunk else "")

    def _kept_words(self, one: Proposal) -> str:
        count = self.drafts.count((one,))
        return f"{counted(count, 'comment')}; press r to reject with them" if count else ""

    async def do_reject(self) -> None:
        """Send it back with a reason and the comments on it."""
        seen = self._shown()
        comments = self.drafts.of(seen.one)
        more = f" with {counted(len(comments), 'comment')}" if comments else ""
        asked = dialogs.TextDialog(f"reason (sent to the agent{more})")
        reason = await self.push_screen_wait(asked)
        if isinstance(reason, str):
            job = partial(self.desk.reject, (seen.one,), reason, comments)
            said = await self._run("rejecting", job)
            self.drafts.clear((seen.one,))
            await self._answered(said)

    def may_leave(self) -> bool:
        """Say once that comments would be lost; the second time they are."""
        count = self.drafts.count(self.found)
        if not count or self.warned:
            return True
        self.warned = True
        self.say(f"{counted(count, 'comment')} not sent; press q again to discard, r to reject")
        return False

    async def _answered(self, said: str) -> None:
        """Go on to the next one; a key that is held down must not answer it."""
        self.wait_a_moment()
        self.told = said
        self.say(said)
        await self.look_again()
