"""What is on the screen: the queue above, the proposal below, moving and finding.

What is done with a proposal is `actions`'. Everything that takes time runs in a thread, so the
screen never stands still.
Always true: `seen` is what is on the screen, and None while it is being read; the list may have
moved on.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from msgspec import Struct
from rich.text import Text
from textual import work
from textual.app import App, ComposeResult
from textual.css.query import NoMatches
from textual.screen import Screen
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from penstock.core.diff.coverage import Unseen
from penstock.core.diff.expansion import CLOSED, STEP, Expansion
from penstock.core.proposals.model import STATE_WORDS, Proposal, State
from penstock.core.text.quantities import counted
from penstock.doors.tui import dialogs
from penstock.doors.tui.captions import as_error, drawn, in_list, title, trouble
from penstock.doors.tui.comments import CommentDrafts, with_comments
from penstock.doors.tui.diff_pane import DiffView
from penstock.doors.tui.diff_rows import Sheet, TextRows, Tone
from penstock.doors.tui.gateway import ReviewDesk, ShownProposal
from penstock.doors.tui.no_color import Plain
from penstock.doors.tui.syntax import colours_of
from penstock.gate.views import Views, change_key

LOOK_EVERY = 1.0  # seconds between two looks at the queue
KEYS = "a approve  r reject  c comment  h hunks  e edit  / find  u undo  ? help  q end"


class Preview(Struct, frozen=True, kw_only=True):
    """What a strategy, some hunks or a rebase would make; it is made once the person uses it."""

    use: Callable[[], Proposal]


class MainScreen(Screen[int]):
    """The queue and the diff; what a window hid is drawn again once that is closed."""

    def on_screen_resume(self) -> None:
        """Have the pane drawn anew: it counts nothing as shown that lay under a window."""
        for view in self.query(DiffView):
            view.refresh()


class QueueScreen(App[int]):
    """The queue and one proposal of it, looked at."""

    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = "#queue"
    CSS = """
    #top { width: 100%; height: 1; background: $panel; text-style: bold; }
    #queue { height: auto; max-height: 30%; border: none; padding: 0; }
    #diff { height: 1fr; border-top: solid $primary; scrollbar-size-vertical: 1;
            scrollbar-gutter: stable; }
    #diff:focus { border-top: heavy $accent; }
    #state { height: 1; }
    #keys { width: 100%; height: 1; background: $panel; }
    .whole #queue { display: none; }
    Dialog { align: center middle; }
    .window { width: 90%; max-width: 90; height: auto; max-height: 90%; border: solid $accent;
              background: $surface; padding: 0 1; }
    .window.tall { height: 90%; max-width: 120; }
    .window DiffView, .window TextArea { height: 1fr; }
    """

    def __init__(self, desk: ReviewDesk, *, live: bool, too_soon: float) -> None:
        super().__init__()
        self.animation_level = "none"  # whoever pages through a diff wants the next page now
        if self.no_color:  # greys are colours too: what is asked for is none at all
            self._filters[:] = [Plain()]
        self.desk, self.live = desk, live
        self.too_soon, self.not_before = too_soon, 0.0
        self.found: tuple[Proposal, ...] = ()
        self.seen: ShownProposal | None = None
        self.preview: Preview | None = None
        self.views = Views()
        self.drafts = CommentDrafts()
        self.unticked: dict[str, frozenset[int]] = {}  # hunks of proposals, also of those not shown
        self.filter_text, self.search_text = "", ""
        self.sides = self.details = self.removed = False
        self.white_space = True
        self.opened: dict[str, Expansion] = {}  # gaps of diffs that were opened
        self.busy, self.told = "", ""
        self._looking = asyncio.Lock()

    # -- the screen --------------------------------------------------------------------------

    def get_default_screen(self) -> Screen[int]:
        """Return what lies under every window."""
        return MainScreen(id="_default")

    def compose(self) -> ComposeResult:
        """Lay it out."""
        yield Label("", id="top")
        yield OptionList(id="queue")
        yield DiffView(id="diff")
        yield Label("", id="state")
        yield Label(drawn(KEYS), id="keys")

    @property
    def queue(self) -> OptionList:
        """The list of what waits."""
        return self.screen_stack[0].query_one("#queue", OptionList)

    @property
    def diff(self) -> DiffView:
        """The proposal on the screen."""
        return self.screen_stack[0].query_one("#diff", DiffView)

    async def on_mount(self) -> None:
        """Show the queue, and look for new ones from then on."""
        self._to_terminal("\x1b[22;2t")
        await self.look_again()
        if self.live:
            self.set_interval(LOOK_EVERY, self._tick)

    def say(self, text: str) -> None:
        """Show a sentence in the line above the keys."""
        try:
            self.screen_stack[0].query_one("#state", Label).update(drawn(text, no_wrap=True))
        except NoMatches:  # it is being closed
            return

    async def _tick(self) -> None:
        """Look by itself, unless something is being done or looked at already."""
        if not self.busy and not self._looking.locked():
            await self.look_again()

    async def look_again(self) -> None:
        """Read the queue; what is new is told by the bell and the title."""
        async with self._looking:
            await self._look()

    async def _look(self) -> None:
        try:
            now = await asyncio.to_thread(self.desk.queue)
        except Exception as fault:  # noqa: BLE001 - the next look may go better
            self.say(trouble(as_error(fault)).split("\n", 1)[0])
            return
        known = {one.id for one in self.found}
        fresh = [one for one in now if one.id not in known and not one.parent]
        if fresh and self.found:
            self.bell()
            self.say(f"new: {title(fresh[-1])}")
        self._list(now)

    def _list(self, now: tuple[Proposal, ...]) -> None:
        """Put the queue into the list, the one that is looked at still chosen."""
        changed = [(o.id, o.state) for o in now] != [(o.id, o.state) for o in self.found]
        self.found = now
        waiting = sum(one.state is State.WAITING for one in now)
        self._title(waiting)
        moment = self.desk.gate.now()
        shown = self._filtered()
        if not changed and self.queue.option_count == len(shown):
            for one in shown:
                self.queue.replace_option_prompt(one.id, self._line(in_list(one, moment)))
        else:
            self._fill(shown, [in_list(one, moment) for one in shown])
        if self.seen is not None and self.seen.one.id in {one.id for one in now}:
            return
        if self.seen is not None:  # a key on its way was meant for what was there until now
            self.wait_a_moment()
            self.told = self.told or "the shown change was closed or replaced"
        if shown:
            self._choose(min(self.queue.highlighted or 0, len(shown) - 1))
        elif not now:
            self._nothing()

    def wait_a_moment(self) -> None:
        """Take no answer until somebody can have looked at what comes up."""
        self.not_before = time.monotonic() + self.too_soon

    def _fill(self, shown: tuple[Proposal, ...], lines: list[str]) -> None:
        at = self.queue.highlighted
        current = self.seen.one.id if self.seen else ""
        self.queue.clear_options()
        self.queue.add_options(
            [Option(self._line(text), id=one.id) for one, text in zip(shown, lines, strict=True)]
        )
        ids = [one.id for one in shown]
        if ids:
            place = ids.index(current) if current in ids else min(at or 0, len(ids) - 1)
            with self.prevent(OptionList.OptionHighlighted):
                self.queue.highlighted = place

    def _line(self, text: str) -> Text:
        return drawn(text, no_wrap=True, overflow="ellipsis")

    def _filtered(self) -> tuple[Proposal, ...]:
        wanted = self.filter_text.casefold()
        return tuple(
            one
            for one in self.found
            if wanted in f"{one.path} {one.actor.agent} {one.change.kind} {one.id}".casefold()
        )

    def _title(self, waiting: int) -> None:
        only = f", only `{self.filter_text}`" if self.filter_text else ""
        root = self.desk.gate.root
        text = f"penstock review  {waiting} pending{only}  {root}"
        self.screen_stack[0].query_one("#top", Label).update(self._line(text))
        self._to_terminal(f"\x1b]0;penstock: {waiting} pending\x07")

    def _to_terminal(self, text: str) -> None:
        """Send something that draws nothing: the title, or to keep the old one and put it back."""
        if self._driver is not None and not self.is_headless:
            self._driver.write(text)

    def _nothing(self) -> None:
        self.seen, self.preview = None, None
        said = TextRows(kind=Tone.TITLE, texts=("no pending changes", "new changes appear here"))
        self.diff.show(Sheet([said]))

    # -- looking at one ------------------------------------------------------------------------

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the proposal that the list is at."""
        one = next((one for one in self.found if one.id == event.option.id), None)
        if one is not None and event.option_list.id == "queue":
            self.show(one)

    def _choose(self, at: int) -> None:
        shown = self._filtered()
        if shown:
            with self.prevent(OptionList.OptionHighlighted):
                self.queue.highlighted = at
            self.show(shown[at])

    @work(exclusive=True, group="show")
    async def show(self, one: Proposal) -> None:
        """Read a proposal and its diff beside the screen, then show it."""
        self.seen, self.preview = None, None  # what is not shown yet cannot be answered
        self.say(self.told or f"reading {title(one)}")
        try:
            seen = await asyncio.to_thread(self.desk.look, one)
            made = await asyncio.to_thread(self._sheet, seen)
        except Exception as fault:  # noqa: BLE001 - what cannot be shown is told in its place
            lines = tuple(trouble(as_error(fault)).split("\n"))
            self.diff.show(Sheet([TextRows(kind=Tone.WARNING, texts=lines)]))
            return
        self._put(seen, made)
        self.seen = seen
        self.say("  |  ".join(filter(None, (self.told, self._about(seen, made)))))
        self.told = ""

    def _sheet(self, seen: ShownProposal) -> Sheet:
        made = seen.sheet(
            sides=self.sides,
            details=self.details,
            removed=self.removed,
            white_space=self.white_space,
            opened=self.opened.get(seen.one.id, CLOSED),
        )
        return with_comments(made, self.drafts.of(seen.one))

    def _put(self, seen: ShownProposal, made: Sheet) -> None:
        """Put a proposal into the pane; what is drawn of it counts as shown."""
        self.diff.show(made, self.views.opened(change_key(seen.one), made.parts))
        self.colour(seen, made)
        if made.selects:
            self.diff.ticked -= self.unticked.get(seen.one.id, frozenset())

    @work(exclusive=True, group="colour")
    async def colour(self, seen: ShownProposal, made: Sheet) -> None:
        """Add the colours of syntax once they are there; the diff does not wait for them."""
        child = self.desk.colours
        if child is None or self.no_color:
            return
        found = await asyncio.to_thread(colours_of, child, seen.one.path, made)
        if self.diff.sheet is made:
            self.diff.colour(found)

    def _about(self, seen: ShownProposal, made: Sheet) -> str:
        lines = len(self.diff.folding)
        more = "" if lines <= self.diff.size.height else f", {lines} rows"
        some = f", {counted(made.hunks, 'hunk')}" if made.hunks > 1 else ""
        group = ", part of a set" if seen.one.set_id else ""
        count = self.drafts.count((seen.one,))
        said = f", {counted(count, 'comment')}" if count else ""
        return f"{STATE_WORDS[seen.one.state]}{group}{some}{said}{more}"

    def go_to_unseen(self, left: Unseen, shown: tuple[Proposal, ...]) -> None:
        """Show the first place of a change that was never on the screen."""
        one = next(one for one in shown if one.path == left.path)
        if self.seen is None or self.seen.one.id != one.id:
            if one.id not in {each.id for each in self._filtered()}:
                self.filter_text = ""
                self._refill()
            self._choose([each.id for each in self._filtered()].index(one.id))
            return
        places = ((side, gaps[0].start) for side, gaps in left.missing.items() if gaps)
        rows = [row for row in (self.diff.sheet.row_of(*place) for place in places) if row]
        if rows:
            self.diff.show_row(min(rows))
        self.diff.focus()

    def action_step(self, by: int) -> None:
        """Go to the next proposal, or the one before."""
        count = self.queue.option_count
        if count:
            self.queue.highlighted = min(max((self.queue.highlighted or 0) + by, 0), count - 1)

    def action_other_pane(self) -> None:
        """Go from the queue to the diff and back."""
        (self.queue if self.focused is self.diff else self.diff).focus()

    def action_hunk(self, step: int) -> None:
        """Go to a hunk from wherever the keys are."""
        self.diff.action_hunk(step)

    def action_tick(self) -> None:
        """Take a hunk or leave it out."""
        self.diff.action_tick()

    def on_diff_view_hunk_choice(self) -> None:
        """Say how many hunks are taken."""
        view = self.diff
        if self.seen is not None and self.preview is None:
            every = range(1, view.sheet.hunks + 1)
            self.unticked[self.seen.one.id] = frozenset(every) - view.ticked
        self.say(
            f"{len(view.ticked)} of {counted(view.sheet.hunks, 'hunk')} selected; "
            "press h to keep only these"
        )

    def action_whole(self) -> None:
        """Give the diff the whole screen, or take it back."""
        self.screen.toggle_class("whole")
        if self.screen.has_class("whole"):
            self.diff.focus()

    async def action_sides(self) -> None:
        """Show lines side by side, or one below the other."""
        self.sides = not self.sides
        await self._show_otherwise()

    async def action_removed(self) -> None:
        """Show the removed lines only, or the whole diff again."""
        self.removed = not self.removed
        await self._show_otherwise()
        self.say("only removed lines are shown" if self.removed else "the whole diff is shown")

    async def action_details(self) -> None:
        """Show the ids and digests above the diff, or not."""
        self.details = not self.details
        await self._show_otherwise()

    async def action_white_space(self) -> None:
        """Hide lines that differ only in white space, or show them again."""
        self.white_space = not self.white_space
        await self._show_otherwise()
        self.say(
            "white space is shown"
            if self.white_space
            else "lines that differ only in white space are hidden; approving writes them, too"
        )

    async def action_context(self, every: bool = False) -> None:
        """Show more lines around the hunk that one is at, or all lines of the file."""
        seen, view = self.seen, self.diff
        if seen is None or self.preview is not None:
            return
        hunk = view.at_hunk or view.sheet.hunk_at(view.place) or 1 if len(view.sheet) else 1
        known = self.opened.get(seen.one.id, CLOSED)
        more = known.more(hunk, up=STEP).more(hunk + 1, down=STEP)
        self.opened[seen.one.id] = Expansion(whole=True) if every else more
        await self._show_otherwise(hunk)

    async def _show_otherwise(self, hunk: int = 0, *, row: int | None = None) -> None:
        """Show the same proposal in another way, at a hunk or at a row of it."""
        seen = self.seen
        if seen is not None and self.preview is None:
            made = await asyncio.to_thread(self._sheet, seen)
            if self.seen is seen and self.preview is None:
                self._put(seen, made)
                if 0 < hunk <= len(made.hunk_rows()):
                    self.diff.at_hunk = hunk
                    self.diff.go_to(made.hunk_rows()[hunk - 1])
                if row is not None and row < len(made):
                    self.diff.at_hunk = made.hunk_at(row)
                    self.diff.go_to(row)

    def action_fold(self) -> None:
        """Break long lines, or cut them at the edge."""
        self.diff.action_fold()
        self.say(
            "long lines are wrapped"
            if self.diff.fold
            else "long lines are cut; scroll with left and right"
        )

    # -- finding -----------------------------------------------------------------------------

    @work(group="act")
    async def action_find(self) -> None:
        """Filter the queue, or search the diff, whichever has the keys."""
        in_diff = self.focused is self.diff
        known = self.search_text if in_diff else self.filter_text
        asked = "search for" if in_diff else "filter by path, agent or kind"
        text = await self.push_screen_wait(dialogs.TextDialog(asked, value=known))
        if not isinstance(text, str):
            return
        if in_diff:
            self.search_text = text
            await self.action_again(False)
        else:
            self.filter_text = text
            self._refill()

    def _refill(self) -> None:
        shown, moment = self._filtered(), self.desk.gate.now()
        self._fill(shown, [in_list(one, moment) for one in shown])
        self._title(sum(one.state is State.WAITING for one in self.found))
        if shown and (self.seen is None or self.seen.one.id not in {one.id for one in shown}):
            self._choose(0)
        self.say("" if shown else f"no match for `{self.filter_text}`; escape shows all")

    async def action_again(self, back: bool) -> None:
        """Go to the next match of the search."""
        if not self.search_text:
            self.action_step(-1 if back else 1)  # as on the page, where nothing is searched for
            return
        view, text = self.diff, self.search_text
        found = await asyncio.to_thread(view.sheet.find, text, view.place, back=back)
        if found is None:
            self.say(f"`{text}` not found")
        else:
            view.go_to(found)
            self.say(f"row {found + 1} of {len(view.sheet)}")

    def action_leave_view(self) -> None:
        """Leave a preview, or the filter."""
        if self.preview is not None and self.seen is not None:
            self.show(self.seen.one)
        elif self.filter_text:
            self.filter_text = ""
            self._refill()
