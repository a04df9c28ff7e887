"""Other content than was proposed: a strategy, some hunks, an edit, some files, another base.

Always true: a preview makes nothing; what is made of it is a proposal that is measured, judged and
shown again, and waits; nothing is approved here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from penstock.core.errors import InputError
from penstock.core.merge.combination import Combination
from penstock.core.merge.strategies import Strategy
from penstock.core.proposals.model import Proposal
from penstock.core.text.display import spoken
from penstock.doors.tui import dialogs
from penstock.doors.tui.actions import Actions
from penstock.doors.tui.captions import folded, title, tree_line
from penstock.doors.tui.diff_rows import TextRows, Tone, sheet
from penstock.doors.tui.gateway import ReviewDesk, ShownProposal
from penstock.doors.tui.screen import Preview

ABOUT = {
    Strategy.APPEND: "append   add it at the end of the file",
    Strategy.INSERT: "insert   add it after a line you choose",
    Strategy.EXTEND: "extend   add missing functions and classes (Python)",
    Strategy.REPLACE: "replace  replace the file, as proposed",
}

Edit = Callable[[bytes, str], bytes]


class Revisions(Actions):
    """The steps that change what is proposed. `edit` starts the person's own editor."""

    def __init__(self, desk: ReviewDesk, *, live: bool, too_soon: float, edit: Edit | None) -> None:
        super().__init__(desk, live=live, too_soon=too_soon)
        self.edit = edit

    async def do_strategy(self) -> None:
        """Choose how to combine it with what is there, and look at the result first."""
        seen = self._shown()
        if seen.before is None or seen.after is None:
            raise InputError(
                "nothing-to-combine", f"`{seen.one.path}` is created or deleted as a whole"
            )
        choices = [(str(strategy), text) for strategy, text in ABOUT.items()]
        word = await self.push_screen_wait(dialogs.Choose("merge strategy", choices))
        if not isinstance(word, str):
            return
        strategy, at = Strategy(word), None
        if strategy is Strategy.INSERT:
            line = await self.push_screen_wait(dialogs.InsertAt(seen.before))
            if not isinstance(line, int):
                return
            at = line
        await self._preview(seen, Combination(strategy=strategy, at=at))

    async def do_hunks(self) -> None:
        """Look at what the ticked hunks make."""
        seen, view = self._shown(), self.diff
        if len(view.ticked) == view.sheet.hunks:
            raise InputError(
                "all-hunks", "every hunk is selected", hint="press space to deselect one"
            )
        await self._preview(seen, Combination(hunks=frozenset(view.ticked)))

    async def do_rebase(self) -> None:
        """Look at what it would be on what the file holds now."""
        seen = self._shown()
        now, made = await self._run("merging", lambda: self.desk.gate.preview_rebase(seen.one.id))
        await self._show_preview(seen, "rebase", now, made, lambda: self.desk.rebase(seen.one))

    async def _preview(self, seen: ShownProposal, asked: Combination) -> None:
        made = await self._run(
            "combining", lambda: asked.of(seen.one.path, seen.before, seen.after)
        )
        words = asked.words if made.strategy is asked.strategy else str(made.strategy)
        await self._show_preview(
            seen,
            words,
            seen.before,
            made.content,
            lambda: self.desk.combined(seen.one, asked),
            made.warnings,
        )

    async def _show_preview(
        self,
        seen: ShownProposal,
        words: str,
        before: bytes | None,
        after: bytes,
        use: Callable[[], Proposal],
        warnings: Sequence[str] = (),
    ) -> None:
        """Show what would come out. Nothing is made, stored or logged by looking."""
        head = f"PREVIEW of {words}: enter keeps it, escape discards it"
        path = f"{spoken(seen.one.path)} after the change; nothing is saved yet"
        said = [
            TextRows(kind=Tone.HEADING, texts=(head,)),
            TextRows(kind=Tone.TITLE, texts=(path,)),
        ]
        if warnings:
            lines = [line for text in warnings for line in folded(f"warning: {text}")]
            said.append(TextRows(kind=Tone.WARNING, texts=tuple(lines)))
        made = await self._run("comparing", lambda: sheet(said, before, after, path=seen.one.path))
        self.diff.show(made)
        self.preview = Preview(use=use)
        self.diff.focus()
        self.say(head)

    async def do_keep_preview(self) -> None:
        """Make what the preview shows; it waits for an approval like any other."""
        preview, seen = self.preview, self.seen
        if preview is None or seen is None or self.busy:
            return
        made = await self._run("combining", preview.use)
        if made.id == seen.one.id:
            self.show(made)
        else:
            await self._show_version(made)

    async def do_edit(self) -> None:
        """Change the content."""
        seen = self._shown()
        if seen.after is None:
            raise InputError("nothing-to-edit", f"the proposal deletes `{seen.one.path}`")
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
                "not-text", f"`{name}` is not text", hint="set EDITOR to a program that can edit it"
            ) from None
        return await self._edited_here(text)

    async def _edited_here(self, text: str) -> bytes | None:
        if "\r" in text.replace("\r\n", "") or 0 < text.count("\r\n") < text.count("\n"):
            raise InputError(
                "mixed-line-ends", "this field would change its line endings", hint="set EDITOR"
            )
        made = await self.push_screen_wait(dialogs.EditHere(text))
        return made.encode("utf-8", "surrogatepass") if isinstance(made, str) else None

    async def do_files(self) -> None:
        """Keep some files of a set."""
        seen = self._shown()
        group = self.desk.group(seen.one)
        if not seen.one.set_id:
            raise InputError("no-set", f"`{seen.one.path}` is not part of a set")
        files = [(one.path, title(one)) for one in group]
        chosen = await self.push_screen_wait(dialogs.ChooseFiles(files))
        if isinstance(chosen, tuple) and 0 < len(chosen) < len(group):
            left = [one for one in group if one.path not in chosen]
            said = [comment for one in left for comment in self.drafts.of(one)]
            job = partial(self.desk.choose_files, group, chosen, said)
            self.drafts.refuse([one for one in group if one not in left])
            made = await self._run("choosing", job)
            self.drafts.clear(left)
            await self._show_version(made)

    async def do_rebase_set(self) -> None:
        """Carry every file of the set that changed over to what it holds now."""
        seen = self._shown()
        made = await self._run("merging", lambda: self.desk.rebase_set(seen.one))
        await self._show_version(made)

    async def do_tree(self) -> None:
        """Show the files of the set as a tree, with what was viewed; enter goes to one."""
        seen = self._shown()
        whole = await self._run("reading", lambda: self.desk.whole_set(seen.one))
        if len(whole.files) < 2:
            raise InputError("no-set", f"`{seen.one.path}` is not part of a set")
        unseen = {each.path: each for each in self.views.unseen(whole.files)}
        rows = [(row.one.id if row.one else "", tree_line(row, unseen)) for row in whole.rows]
        viewed = f"{len(whole.files) - len(unseen)} of {len(whole.files)} viewed"
        chosen = await self.push_screen_wait(dialogs.TreeDialog(f"{whole.words} · {viewed}", rows))
        ids = [one.id for one in self._filtered()]
        if isinstance(chosen, str) and chosen in ids:
            self._choose(ids.index(chosen))

    async def do_renew(self) -> None:
        """Give it its whole time again."""
        seen = self._shown()
        await self._run("renewing", lambda: self.desk.renew(seen.one))
        await self.look_again()
        self.say("expiry timer reset")

    async def do_undo(self) -> None:
        """Propose to put back what was written last."""
        if self.preview is None and not self.busy:
            await self._show_version(await self._run("measuring", self.desk.undo))
