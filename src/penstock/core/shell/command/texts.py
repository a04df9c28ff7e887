"""What the same command has put into files: it may run them, read them, or start them later.

Always true: a file that was written twice, or in a way that nobody can tell, is `unread`: what
is remembered of it is only one of the texts that it may hold.
"""

from __future__ import annotations

from penstock.core.shell.code.one_liners import MOST_TEXT as MOST_CODE
from penstock.core.shell.expansion import Value
from penstock.core.shell.place import joined
from penstock.core.shell.programs.own import OWN_SCRIPT, is_ours
from penstock.core.shell.state import ShellState

# Programs that put a file under another name.
NAMES_ANEW = frozenset(
    {"cp", "gcp", "ditto", "mv", "gmv", "ln", "link", "install", "ginstall", "rsync", "scp"}
)


class Texts:
    """The files of one command."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        # Files that the command writes and whose text nobody can tell.
        self.unread: set[str] = set()
        # Patches that git makes, by the files that they go into.
        self.patches: dict[str, tuple[str, ...]] = {}
        # Names that the command gives to programs of ours.
        self.copies: dict[str, str] = {}

    def content(self, path: Value, state: ShellState) -> str | None:
        """Return the text of a file that this command wrote, or that is a script of ours."""
        if path.exact and "/" in path.text and is_ours(path):
            return OWN_SCRIPT
        there = joined(state.cwd, path.text)
        return None if there in self.unread else self.files.get(there)

    def keep(self, file: Value, text: str | None, state: ShellState, *, more: bool = False) -> None:
        """Remember what a file holds from now on; with `more` it held something before."""
        there = joined(state.cwd, file.text)
        if text is None:
            self.unread.add(there)
            return
        before = self.files.get(there, "")
        if before and not more:
            # It was written before, perhaps on another way through the command: both may run.
            self.unread.add(there)
            before = "" if before == text else before.rstrip("\n") + "\n"
        self.files[there] = f"{before}{text}"[-MOST_CODE:]

    def keep_patch(self, file: Value, patch: tuple[str, ...], state: ShellState) -> None:
        """Remember what git puts into a patch that goes into a file."""
        there = joined(state.cwd, file.text)
        if patch and file.exact and there not in self.patches:
            self.patches[there] = patch
        elif there in self.patches:
            self.patches[there] = ()

    def drop_patch(self, file: Value, state: ShellState) -> None:
        """A program has changed a file, or one below it: it is not the patch that git made."""
        there = joined(state.cwd, file.text)
        for path in self.patches:
            if not file.exact or file.pattern or f"{path}/".startswith(f"{there}/"):
                self.patches[path] = ()

    def doubt(self, file: Value, state: ShellState) -> None:
        """A program has changed a file: what was noted of it is no longer sure."""
        self.unread.update({joined(state.cwd, file.text)} & self.files.keys())

    def copied(self, args: tuple[Value, ...], state: ShellState) -> None:
        """Remember under which other name the same command puts a text or a program of ours."""
        words = [word for word in args if not word.text.startswith("-")]
        texts = [self.content(word, state) for word in words[:-1]]
        if len(words) == 2 and (texts[0] is not None or self.files):
            self.keep(words[1], texts[0], state)
        ours = next((found for word in args[:-1] if (found := is_ours(word))), "")
        if ours and not is_ours(args[-1]):
            self.copies[joined(state.cwd, args[-1].text)] = ours
            self.copies[args[-1].text.rstrip("/").rpartition("/")[2]] = ours
