"""The screen itself: the queue above, the proposal below, keys for everything.

What a key does is `desk.py`'s; it runs in a thread, so the screen never stands still. Errors are
shown as every door tells them.
Always true: `a` approves what is on the screen and never what the list has moved on to; while
something runs, or a preview is shown, nothing is answered.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from rich.text import Text
from textual import events, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.css.query import NoMatches
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from penstock.core.display import spoken
from penstock.core.errors import InputError, RefusedError
from penstock.core.merge import Strategy
from penstock.core.proposal import Proposal, State
from penstock.doors.tui import dialogs
from penstock.doors.tui.desk import Desk, Seen
from penstock.doors.tui.plain import Plain
from penstock.doors.tui.rows import Block, Kind, Sheet, sheet
from penstock.doors.tui.said import as_error, folded, in_list, title, trouble
from penstock.doors.tui.view import DiffView

LOOK_EVERY = 1.0  # seconds between two looks at the queue
KEYS = "a approve  r reject  s strategy  h hunks  e edit  / find  u undo  ? help  q end"
TOO_SOON = 0.4  # seconds; a key that is held down must not answer what has only just come up
ABOUT = {
    Strategy.APPEND: "append   put it at the end of the file",
    Strategy.INSERT: "insert   put it after a line that you choose",
    Strategy.EXTEND: "extend   join Python members, overwrite none",
    Strategy.REPLACE: "replace  as it was proposed",
}

T = TypeVar("T")
Edit = Callable[[bytes, str], bytes]


@dataclass(frozen=True, kw_only=True, slots=True)
class Preview:
    """What a strategy would make, shown before it is made."""

    strategy: Strategy
    at: int | None


class ReviewApp(App[int]):
    """The review of one workspace. Its result is how many proposals are left waiting."""

    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = "#queue"
    CSS = """
    #top { width: 100%; height: 1; background: $panel; text-style: bold; }
    #queue { height: auto; max-height: 30%; border: none; padding: 0; }
    #diff { height: 1fr; border-top: solid $primary; scrollbar-size-vertical: 1; }
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
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,ctrl+c", "leave", "leave"),
        Binding("question_mark", "help", "help"),
        Binding("tab", "other_pane", show=False, priority=False),
        Binding("j", "step(1)", show=False),
        Binding("k", "step(-1)", show=False),
        Binding("J", "step(1)", show=False),
        Binding("K", "step(-1)", show=False),
        Binding("right_square_bracket", "hunk(1)", show=False),
        Binding("left_square_bracket", "hunk(-1)", show=False),
        Binding("space", "tick", show=False),
        Binding("a", "approve", "approve"),
        Binding("A", "approve_set", "approve set"),
        Binding("r", "reject", "reject"),
        Binding("s", "strategy", "strategy"),
        Binding("h", "hunks", "hunks"),
        Binding("e", "edit", "edit"),
        Binding("b", "rebase", "rebase"),
        Binding("t", "renew", "renew"),
        Binding("u", "undo", "undo"),
        Binding("f", "files", "files"),
        Binding("v", "sides", "side by side"),
        Binding("z", "whole", "diff only"),
        Binding("slash", "find", "find"),
        Binding("n", "again(False)", show=False),
        Binding("N", "again(True)", show=False),
        Binding("enter", "keep_preview", show=False),
        Binding("escape", "leave_view", show=False),
    ]

    def __init__(
        self,
        desk: Desk,
        *,
        edit: Edit | None = None,
        live: bool = True,
        too_soon: float = TOO_SOON,
    ) -> None:
        super().__init__()
        self.animation_level = "none"  # whoever pages through a diff wants the next page now
        if self.no_color:  # greys are colours too: what is asked for is none at all
            self._filters[:] = [Plain()]
        self.desk, self.edit, self.live, self.too_soon = desk, edit, live, too_soon
        self.not_before = 0.0
        self.told = ""
        self.found: tuple[Proposal, ...] = ()
        self.seen: Seen | None = None
        self.preview: Preview | None = None
        self.looked: dict[str, Proposal] = {}
        self.filter_text, self.search_text = "", ""
        self.sides = False
        self.busy = ""
        self._looking = asyncio.Lock()

    # -- the screen --------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """Lay it out."""
        yield Label("", id="top")
        yield OptionList(id="queue")
        yield DiffView(id="diff")
        yield Label("", id="state")
        yield Label(Text(KEYS), id="keys")

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
            self.screen_stack[0].query_one("#state", Label).update(Text(text, no_wrap=True))
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
        moment = self.desk.gate.parts.clock.now()
        shown = self._filtered()
        if not changed and self.queue.option_count == len(shown):
            for one in shown:
                self.queue.replace_option_prompt(one.id, self._line(in_list(one, moment)))
        else:
            self._fill(shown, [in_list(one, moment) for one in shown])
        if self.seen is not None and self.seen.one.id in {one.id for one in now}:
            return
        if shown:
            self._choose(min(self.queue.highlighted or 0, len(shown) - 1))
        elif not now:
            self._nothing()

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
        return Text(text, no_wrap=True, overflow="ellipsis")

    def _filtered(self) -> tuple[Proposal, ...]:
        wanted = self.filter_text.casefold()
        return tuple(
            one
            for one in self.found
            if wanted in f"{one.path} {one.actor.agent} {one.change.kind} {one.id}".casefold()
        )

    def _title(self, waiting: int) -> None:
        only = f", only `{self.filter_text}`" if self.filter_text else ""
        root = self.desk.gate.parts.files.root
        text = f"penstock review  {waiting} waiting{only}  {root}"
        self.screen_stack[0].query_one("#top", Label).update(self._line(text))
        self._to_terminal(f"\x1b]0;penstock: {waiting} waiting\x07")

    def _to_terminal(self, text: str) -> None:
        """Send something that draws nothing: the title, or to keep the old one and put it back."""
        if self._driver is not None and not self.is_headless:
            self._driver.write(text)

    def _nothing(self) -> None:
        self.seen, self.preview = None, None
        said = Block(kind=Kind.TITLE, texts=("nothing waits", "new proposals show up here"))
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
            made = await asyncio.to_thread(seen.sheet, sides=self.sides)
        except Exception as fault:  # noqa: BLE001 - what cannot be shown is told in its place
            lines = tuple(trouble(as_error(fault)).split("\n"))
            self.diff.show(Sheet([Block(kind=Kind.WARNING, texts=lines)]))
            return
        self.diff.show(made)
        self.seen = seen
        self.looked[one.id] = one
        self.say("  |  ".join(filter(None, (self.told, self._about(seen, made)))))
        self.told = ""

    def _about(self, seen: Seen, made: Sheet) -> str:
        more = "" if len(made) <= self.diff.size.height else f", {len(made)} rows"
        some = f", {made.hunks} hunks" if made.hunks > 1 else ""
        group = ", part of a set" if seen.one.set_id else ""
        return f"{seen.one.state}{group}{some}{more}"

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

    def on_diff_view_ticked(self) -> None:
        """Say how many hunks are taken."""
        view = self.diff
        self.say(f"{len(view.ticked)} of {view.sheet.hunks} hunks are ticked; h keeps only these")

    def action_whole(self) -> None:
        """Give the diff the whole screen, or take it back."""
        self.screen.toggle_class("whole")
        if self.screen.has_class("whole"):
            self.diff.focus()

    async def action_sides(self) -> None:
        """Show lines side by side, or one below the other."""
        self.sides = not self.sides
        seen = self.seen
        if seen is not None and self.preview is None:
            made = await asyncio.to_thread(seen.sheet, sides=self.sides)
            ticked = set(self.diff.ticked)
            self.diff.show(made)
            self.diff.ticked = ticked

    def on_resize(self, event: events.Resize) -> None:
        """Nothing depends on the size but the rows in sight."""
        self.diff.refresh()

    # -- doing something -----------------------------------------------------------------------

    def _shown(self) -> Seen:
        """Return what is on the screen. Raises where nothing can be answered at the moment."""
        if self.preview is not None:
            raise InputError(
                "preview", "this is a preview", hint="enter keeps it, escape leaves it"
            )
        if self.busy:
            raise InputError("busy", f"{self.busy}; wait for it to end")
        if self.seen is None:
            raise InputError("nothing-shown", "no proposal is on the screen")
        return self.seen

    def _looked_at(self) -> Seen | None:
        """Return what is on the screen, unless it took another's place a moment ago."""
        seen = self._shown()
        if time.monotonic() < self.not_before:
            self.say("this has only just come up: look at it, then press the key again")
            return None
        return seen

    async def _run(self, what: str, job: Callable[[], T]) -> T:
        """Do something beside the screen, and say how far it has come."""
        self.busy = what
        self.say(f"{what} ...")
        self.desk.progress(self._measured)
        try:
            return await asyncio.to_thread(job)
        finally:
            self.busy = ""
            self.desk.progress(None)

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
            await self.push_screen_wait(dialogs.Told("this was not done", trouble(error)))
            await self.look_again()

    async def _show_version(self, made: Proposal) -> None:
        """Go on with the version that took a proposal's place."""
        await self.look_again()
        ids = [one.id for one in self._filtered()]
        if made.id in ids:
            self._choose(ids.index(made.id))
        elif made.state is State.DENIED:
            raise RefusedError(
                "denied", "the rules deny what came out", because=made.decision.because
            )

    @work(group="act")
    async def action_approve(self) -> None:
        """Approve exactly what is shown, and write it."""
        await self._try(self._approve)

    async def _approve(self) -> None:
        seen = self._looked_at()
        if seen is not None:
            await self._approve_all((seen.one,))

    @work(group="act")
    async def action_approve_set(self) -> None:
        """Approve all files of the set, each of which was looked at."""
        await self._try(self._approve_set)

    async def _approve_set(self) -> None:
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

    async def _approve_all(self, shown: tuple[Proposal, ...]) -> None:
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

    @work(group="act")
    async def action_reject(self) -> None:
        """Send it back with a reason."""
        await self._try(self._reject)

    async def _reject(self) -> None:
        seen = self._shown()
        reason = await self.push_screen_wait(dialogs.Ask("why? the agent is told"))
        if isinstance(reason, str):
            job = lambda: self.desk.reject((seen.one,), reason)  # noqa: E731
            await self._answered(await self._run("rejecting", job))

    @work(group="act")
    async def action_strategy(self) -> None:
        """Choose how to combine it with what is there, and look at the result first."""
        await self._try(self._strategy)

    async def _strategy(self) -> None:
        seen = self._shown()
        if seen.before is None or seen.after is None:
            raise InputError("nothing-to-combine", f"`{seen.one.path}` is created or removed whole")
        choices = [(str(strategy), text) for strategy, text in ABOUT.items()]
        word = await self.push_screen_wait(dialogs.Choose("how should it be combined?", choices))
        if not isinstance(word, str):
            return
        strategy, at = Strategy(word), None
        if strategy is Strategy.INSERT:
            line = await self.push_screen_wait(dialogs.InsertAt(seen.before))
            if not isinstance(line, int):
                return
            at = line
        await self._preview(seen, strategy, at)

    async def _preview(self, seen: Seen, strategy: Strategy, at: int | None) -> None:
        merged = await self._run("combining", lambda: self.desk.merged(seen, strategy, at))
        place = "" if at is None else f" after line {at}"
        head = f"PREVIEW of {merged.strategy}{place}: enter keeps it, escape leaves it"
        path = f"{spoken(seen.one.path)} as it would be; nothing is made yet"
        said = [Block(kind=Kind.HEADING, texts=(head,)), Block(kind=Kind.TITLE, texts=(path,))]
        if merged.warnings:
            lines = [line for text in merged.warnings for line in folded(f"warning: {text}")]
            said.append(Block(kind=Kind.WARNING, texts=tuple(lines)))
        made = await self._run("comparing", lambda: sheet(said, seen.before, merged.content))
        self.diff.show(made)
        self.preview = Preview(strategy=strategy, at=at)
        self.diff.focus()
        self.say(head)

    @work(group="act")
    async def action_keep_preview(self) -> None:
        """Make what the preview shows; it waits for an approval like any other."""
        await self._try(self._keep_preview)

    async def _keep_preview(self) -> None:
        preview, seen = self.preview, self.seen
        if preview is None or seen is None or self.busy:
            return
        self.preview = None
        made = await self._run(
            "combining", lambda: self.desk.with_strategy(seen.one, preview.strategy, preview.at)
        )
        if made.id == seen.one.id:
            self.show(made)
        else:
            await self._show_version(made)

    def action_leave_view(self) -> None:
        """Leave a preview, or the filter."""
        if self.preview is not None and self.seen is not None:
            self.show(self.seen.one)
        elif self.filter_text:
            self.filter_text = ""
            self._refill()

    @work(group="act")
    async def action_hunks(self) -> None:
        """Keep the ticked hunks only."""
        await self._try(self._hunks)

    async def _hunks(self) -> None:
        seen, view = self._shown(), self.diff
        if len(view.ticked) == view.sheet.hunks:
            raise InputError("all-hunks", "every hunk is ticked", hint="space leaves one out")
        chosen = sorted(view.ticked)
        made = await self._run("choosing", lambda: self.desk.with_hunks(seen.one, chosen))
        await self._show_version(made)

    @work(group="act")
    async def action_edit(self) -> None:
        """Change the content."""
        await self._try(self._edit)

    async def _edit(self) -> None:
        seen = self._shown()
        if seen.after is None:
            raise InputError("nothing-to-edit", f"the proposal removes `{seen.one.path}`")
        content = await self._edited(seen.after, seen.one.path.rsplit("/", 1)[-1])
        if content is not None:
            made = await self._run("measuring", lambda: self.desk.edited(seen, content))
            await self._show_version(made)

    async def _edited(self, content: bytes, name: str) -> bytes | None:
        """Return what the person made of it: in their editor, or here where there is none."""
        if self.edit is not None and self._driver is not None and self._driver.can_suspend:
            with self.suspend():
                return self.edit(content, name)
        try:
            text = content.decode()
        except UnicodeDecodeError:
            raise InputError(
                "not-text", f"`{name}` is no text", hint="set EDITOR to a program that can edit it"
            ) from None
        return await self._edited_here(text)

    async def _edited_here(self, text: str) -> bytes | None:
        if "\r" in text.replace("\r\n", "") or 0 < text.count("\r\n") < text.count("\n"):
            raise InputError(
                "mixed-line-ends", "this field would change its line ends", hint="set EDITOR"
            )
        made = await self.push_screen_wait(dialogs.EditHere(text))
        return made.encode("utf-8", "surrogatepass") if isinstance(made, str) else None

    @work(group="act")
    async def action_files(self) -> None:
        """Keep some files of a set."""
        await self._try(self._files)

    async def _files(self) -> None:
        seen = self._shown()
        group = self.desk.group(seen.one)
        if not seen.one.set_id:
            raise InputError("no-set", f"`{seen.one.path}` was proposed alone")
        files = [(one.path, title(one)) for one in group]
        chosen = await self.push_screen_wait(dialogs.ChooseFiles(files))
        if isinstance(chosen, tuple) and 0 < len(chosen) < len(group):
            made = await self._run("choosing", lambda: self.desk.choose_files(group, chosen))
            await self._show_version(made)

    @work(group="act")
    async def action_rebase(self) -> None:
        """Carry it over to what the file holds now."""
        await self._try(self._rebase)

    async def _rebase(self) -> None:
        seen = self._shown()
        await self._show_version(await self._run("merging", lambda: self.desk.rebase(seen.one)))

    @work(group="act")
    async def action_renew(self) -> None:
        """Give it its whole time again."""
        await self._try(self._renew)

    async def _renew(self) -> None:
        seen = self._shown()
        await self._run("renewing", lambda: self.desk.renew(seen.one))
        await self.look_again()
        self.say("it has its whole time again")

    @work(group="act")
    async def action_undo(self) -> None:
        """Propose to put back what was written last."""
        await self._try(self._undo)

    async def _undo(self) -> None:
        if self.preview is None and not self.busy:
            await self._show_version(await self._run("measuring", self.desk.undo))

    # -- finding -----------------------------------------------------------------------------

    @work(group="act")
    async def action_find(self) -> None:
        """Filter the queue, or search the diff, whichever has the keys."""
        in_diff = self.focused is self.diff
        known = self.search_text if in_diff else self.filter_text
        asked = "search for" if in_diff else "show only (path, agent, kind)"
        text = await self.push_screen_wait(dialogs.Ask(asked, value=known))
        if not isinstance(text, str):
            return
        if in_diff:
            self.search_text = text
            await self.action_again(False)
        else:
            self.filter_text = text
            self._refill()

    def _refill(self) -> None:
        shown, moment = self._filtered(), self.desk.gate.parts.clock.now()
        self._fill(shown, [in_list(one, moment) for one in shown])
        self._title(sum(one.state is State.WAITING for one in self.found))
        if shown and (self.seen is None or self.seen.one.id not in {one.id for one in shown}):
            self._choose(0)
        self.say("" if shown else f"nothing has `{self.filter_text}`; escape shows all")

    async def action_again(self, back: bool) -> None:
        """Go to the next match of the search."""
        if not self.search_text:
            return
        view, text = self.diff, self.search_text
        found = await asyncio.to_thread(view.sheet.find, text, view.place, back=back)
        if found is None:
            self.say(f"`{text}` is not in it")
        else:
            view.go_to(found)
            self.say(f"row {found + 1} of {len(view.sheet)}")

    def action_help(self) -> None:
        """Show every key."""
        self.push_screen(dialogs.Told("penstock review", dialogs.HELP))

    def action_leave(self) -> None:
        """End; what is not answered goes on waiting."""
        self._to_terminal("\x1b[23;2t")
        self.exit(sum(one.state is State.WAITING for one in self.found))
