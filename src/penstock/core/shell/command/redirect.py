"""Redirections: the files that they open, and what a command then reads.

Always true: a redirection is told whatever its program is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from penstock.core.model import Action
from penstock.core.shell.budget import REDIRECT
from penstock.core.shell.command.contents import Contents
from penstock.core.shell.command.host import Follows
from penstock.core.shell.command.new_files import settled
from penstock.core.shell.command.texts import Texts
from penstock.core.shell.command.words import Words, assigned_names
from penstock.core.shell.effects import Feed, Touch
from penstock.core.shell.expansion import PIPE, Value
from penstock.core.shell.findings import shown
from penstock.core.shell.place import joined
from penstock.core.shell.programs.git_patches import made_patch
from penstock.core.shell.programs.output import printed
from penstock.core.shell.programs.own import OWN_SCRIPT
from penstock.core.shell.state import ShellState
from penstock.core.shell.syntax.nodes import Redirect, ShellWord, Sub
from penstock.core.text.late_regex import late_regex

_WRITES = frozenset({">", ">>", ">|", ">!", ">>|", ">>!", "<>", "&>", "&>>", "&>|", "&>>|", ">&"})
_READS = frozenset({"<", "<>"})
_REPLACES = frozenset({">", ">|", ">!", "&>", "&>|"})
_APPENDS = frozenset({">>", "&>>", ">>|", ">>!", "&>>|"})
_INPUTS = frozenset({"<", "<>", "<<", "<<-", "<<<", "<&"})
_SHOW_FILE = (["git", "show"], ["git", "cat-file"])
_DUPLICATE = late_regex(r"[0-9]*-?")
# With this among the traits of a state, `exec` has changed what commands read.
INPUT_MOVED = "exec <"


def _nobody_knows() -> str | None:
    return None


class Redirections:
    """Carries out redirections for one walk."""

    def __init__(self, walk: Follows, words: Words, texts: Texts, contents: Contents) -> None:
        self._walk = walk
        self._words = words
        self._texts = texts
        self._contents = contents

    def tell(
        self,
        redirects: Sequence[Redirect],
        state: ShellState,
        *,
        quiet: bool = False,
        output: Callable[[], str | None] = _nobody_knows,
    ) -> None:
        """Tell the files that redirections open, and follow what they hold.

        `quiet` means that the program tells nothing of what it reads (`wc -l < f`); `output`
        computes what it prints.
        """
        self._walk.found.doing.append("")
        for redirect in redirects:
            self._walk.account.charge(REDIRECT)
            if redirect.word:
                self._words.look_into_parts(redirect.word.parts, state)
            if redirect.body is not None and redirect.op != "<<<":
                self._words.look_into_parts(redirect.body, state)
            if redirect.op in _WRITES and redirect.word:
                text = self._left_by(redirect, redirects, output, state)
                self._written(redirect, redirect.word, state, text)
            if redirect.op in _READS and redirect.word and not quiet:
                values = self._words.values((redirect.word,), state)
                read = [Touch(value, Action.READ) for value in values]
                self._walk.effects(read, state, Feed(), redirect.op)
        self._walk.found.doing.pop()

    def _left_by(
        self,
        redirect: Redirect,
        redirects: Sequence[Redirect],
        output: Callable[[], str | None],
        state: ShellState,
    ) -> str | None:
        """Return what a redirection leaves in its file; the last of several has what is printed."""
        if redirect.op not in _REPLACES or not self._walk.here(state).sees:
            return None
        outputs = [one for one in redirects if one.op in _WRITES and one.fd in ("", "1")]
        if redirect not in outputs or redirect is not outputs[-1]:
            return None
        return output()

    def _written(
        self, redirect: Redirect, word: ShellWord, state: ShellState, text: str | None
    ) -> None:
        found = self._walk.found
        for value in self._words.values((word,), state):
            self._contents.leave(value, text, state)
            if redirect.op != ">&":
                file = settled(value, state, self._walk, redirect.op)
                left = Touch(file) if file else Touch(value, content=text)
                found.touch(left, state, redirect.op)
            elif not value.exact:
                found.doubt(f"where `>&{shown(value.text)}` leads is not known")
            elif not _DUPLICATE.fullmatch(value.text):
                found.touch(Touch(value), state, redirect.op)

    # What a command reads

    def fed(self, redirects: Sequence[Redirect], state: ShellState, feed: Feed) -> Feed:
        """Return what a command reads, given its redirections."""
        for redirect in redirects:
            if redirect.fd not in ("", "0"):
                continue
            if redirect.op == "<&":
                feed = Feed(piped=True)
            elif redirect.body is not None:
                value = self._words.text(redirect.body, state)
                end = "\n" if redirect.op == "<<<" else ""
                feed = Feed(value.text + end, piped=True, exact=value.exact)
            elif redirect.op in ("<", "<>") and redirect.word:
                feed = self._fed_by_file(redirect.word, state)
        return feed

    def _fed_by_file(self, word: ShellWord, state: ShellState) -> Feed:
        path = (self._words.values((word,), state) or [Value("")])[0]
        text = self._texts.content(path, state)
        for part in word.parts[:1]:
            if isinstance(part, Sub) and part.kind == "<" and part.script is not None:
                text = self._walk.printed(part.script, state)
        files = (path.text,) if text is None and path.text != PIPE else ()
        return Feed(text, piped=path.text == PIPE or text is not None, files=files)

    # What stays behind

    def remember(
        self, redirects: Sequence[Redirect], argv: list[Value], state: ShellState, feed: Feed
    ) -> None:
        """Remember a text that goes into a file, in case the same command runs the file."""
        shows = argv in ([Value("cat")], [Value("tee")])
        text = feed.text if shows else printed(argv, feed, state.cwd)
        ours = any(self._texts.content(word, state) == OWN_SCRIPT for word in argv[1:])
        text = OWN_SCRIPT if text is None and ours else text
        for redirect in redirects:
            if redirect.op in _WRITES and redirect.word:
                for value in self._words.values((redirect.word,), state):
                    if redirect.op in _REPLACES:
                        self._restored(argv, value, state)
                    self._texts.keep_patch(value, made_patch(argv), state)
                    self._texts.keep(value, text, state, more=redirect.op in _APPENDS)

    def _restored(self, argv: list[Value], file: Value, state: ShellState) -> None:
        """`git show HEAD:f > f` is `git checkout HEAD -- f`, and loses what that would lose."""
        if [word.text for word in argv[:2]] not in _SHOW_FILE:
            return
        for word in argv[2:]:
            revision, colon, path = word.text.partition(":")
            if colon and file.exact and joined(state.cwd, path) == joined(state.cwd, file.text):
                words = map(Value, ("git", "checkout", revision or "HEAD", "--", path))
                self._walk.program(list(words), state, Feed(), functions=False)


def after_redirections(
    redirects: Sequence[Redirect], argv: list[Value], state: ShellState, inside: ShellState
) -> tuple[ShellState, ShellState]:
    """Return the states after redirections: words in them assign, `exec` makes them last."""
    for redirect in redirects:
        parts = (*(redirect.word.parts if redirect.word else ()), *(redirect.body or ()))
        for name in assigned_names(parts):
            state, inside = state.forget(name), inside.forget(name)
        if argv == [Value("exec")] and redirect.op in _INPUTS and redirect.fd in ("", "0"):
            state, inside = state.mark(INPUT_MOVED, "x"), inside.mark(INPUT_MOVED, "x")
    return state, inside
