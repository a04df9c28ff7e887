"""What the tables of programs answer with becomes findings, or a text that is run.

Always true: an effect is either told, doubted, refused or followed; none is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from msgspec.structs import replace

from penstock.core.errors import PenstockError
from penstock.core.model import Action
from penstock.core.shell.budget import EFFECT, PATCH_LINE
from penstock.core.shell.command.exits import Exits
from penstock.core.shell.command.host import Follows
from penstock.core.shell.command.new_files import settled
from penstock.core.shell.command.project_copies import Packed
from penstock.core.shell.command.run import RunTexts
from penstock.core.shell.command.texts import NAMES_ANEW, Texts
from penstock.core.shell.effects import (
    Alias,
    Code,
    Effect,
    Feed,
    Git,
    Later,
    Patch,
    Refuse,
    RunFile,
    RunProgram,
    RunText,
    Shell,
    Touch,
    Typed,
    Unclear,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.git_deed import GitKind
from penstock.core.shell.place import joined
from penstock.core.shell.possible_names import pattern_of, possible_names
from penstock.core.shell.programs.own import computed_removal
from penstock.core.shell.programs.reads.rows import usual_names
from penstock.core.shell.state import ShellState, States
from penstock.core.text.late_regex import late_regex

_RUNS = (RunProgram, Shell, RunFile, RunText, Code)
# Programs after which a file holds what it held, or what has been noted of it.
_KEEPS_TEXT = frozenset(
    {*NAMES_ANEW, "chmod", "chown", "chgrp", "touch", "rm", "unlink", "tee", "dd", "chattr"}
)
# The lines of a patch that name its files.
_PATCHED_FILE = late_regex(
    r"^(?:\*\*\* (?:Add File|Update File|Delete File|Move to): |(?:---|\+\+\+) (?:[ab]/)?)"
    r"([^\t\n]{1,255})",
    re.MULTILINE,
)
MOST_PATCHED = 128


def _is_open(effect: Touch) -> bool:
    changes = effect.action is not Action.READ and not effect.mention
    return changes and effect.value.exact and effect.value.pattern


class Effects:
    """Carries out effects for one walk."""

    def __init__(
        self, walk: Follows, texts: Texts, exits: Exits, runs: RunTexts, packed: Packed
    ) -> None:
        self._packed = packed
        self._walk = walk
        self._texts = texts
        self._exits = exits
        self._runs = runs

    def all(self, effects: Iterable[Effect], state: ShellState, feed: Feed, by: str) -> States:
        """Carry out effects in their order; return the states after the last."""
        after: States = (state,)
        for effect in effects:
            self._walk.account.charge(EFFECT)
            after = self._one(effect, state, feed, by)
        return after

    def _one(self, effect: Effect, state: ShellState, feed: Feed, by: str) -> States:
        found = self._walk.found
        if isinstance(effect, Touch):
            self._touch(effect, state, feed, by)
        elif isinstance(effect, _RUNS):
            return self._runs.run(effect, state, feed, by)
        elif isinstance(effect, Unclear):
            found.doubt(effect.why, runs=effect.runs)
        elif isinstance(effect, Refuse):
            found.refuse(effect, state)
        elif isinstance(effect, Typed):
            self._runs.type(effect, state)
        elif isinstance(effect, Alias):
            found.alias(effect.link, effect.target, state)
        elif isinstance(effect, Patch):
            self._patch(effect, state, by)
        elif isinstance(effect, Later):
            self._exits.later(effect, state)
        else:
            self._git(effect, state, by)
        return (state,)

    def _touch(self, effect: Touch, state: ShellState, feed: Feed, by: str) -> None:
        """Tell a file; what the same command wrote there before is then no longer known.

        A pattern in code is one that no shell has looked up before.
        """
        effect = self._settled(effect, state, by)
        met = self._walk.names(effect.value.text, state) if _is_open(effect) else None
        if met is not None:
            # New files beside those that are met: `open(f + ".key", "w")` for each of them.
            for name in met or (effect.value.text,):
                self._touch(replace(effect, value=Value(name)), state, feed, by)
            return
        self._walk.found.touch(effect, state, by)
        if effect.action is not Action.READ and by != ">":
            self._texts.drop_patch(effect.value, state)
        if effect.action is Action.READ and effect.value.pattern and effect.value.exact:
            for name in self._walk.names(effect.value.text, state) or ():
                one = Touch(Value(name), Action.READ, mention=effect.mention)
                self._walk.found.touch(one, state, by)
        if not effect.value.exact and (effect.mention or effect.action is Action.READ):
            self._perhaps(effect, state, by)
        for inside in self._packed.shown(effect, state, by):
            self._walk.found.touch(inside, state, by)
        if effect.action is Action.READ and effect.value.pattern and not state.plain_patterns:
            for usual in usual_names(effect.value):
                self._walk.found.touch(replace(effect, value=usual), state, by)
        if by not in _KEEPS_TEXT and effect.action is not Action.READ:
            self._texts.doubt(effect.value, state)
        if not effect.value.exact and (effect.whole or effect.action is Action.DELETE):
            self.all(computed_removal(effect.value.text), state, feed, by)

    def _settled(self, effect: Touch, state: ShellState, by: str) -> Touch:
        """Return a write whose file is one of a pattern, where a part of its name is not known."""
        if effect.value.exact or effect.mention or effect.action is not Action.WRITE:
            return effect
        within = settled(effect.within, state, self._walk, by) if effect.within else None
        if within is not None and effect.within is not None:
            inside = effect.value.text.removeprefix(effect.within.text)
            return replace(effect, value=Value(within.text + inside), within=within)
        value = settled(effect.value, state, self._walk, by)
        return effect if value is None else replace(effect, value=value, content=None)

    def _perhaps(self, effect: Touch, state: ShellState, by: str) -> None:
        """Tell the files that a word most likely names of which a part is not known."""
        pattern = pattern_of(effect.value.text)
        folder, slash, name = pattern.rpartition("/")
        if name.strip("*") and "*" in pattern:
            there = self._walk.names(pattern, state) if "*" not in folder else ()
            names = [one.removeprefix(folder + slash) for one in there or ()]
            for likely in possible_names(pattern, names):
                self._walk.found.touch(Touch(Value(likely), Action.READ, mention=True), state, by)

    def _git(self, effect: Git, state: ShellState, by: str) -> None:
        """Note what git does; a patch that this very command has written is read at once."""
        where = state.move(effect.directory) if effect.directory else state
        texts = [self._texts.content(Value(path), where) for path in effect.deed.paths]
        patches = [self._texts.patches.get(joined(where.cwd, path)) for path in effect.deed.paths]
        if effect.deed.kind is GitKind.PATCH and effect.deed.paths and all(patches):
            for patch in patches:
                made = replace(effect.deed, paths=(), refs=patch or ())
                self._walk.found.git_deed(replace(effect, deed=made), state)
        elif effect.deed.kind is GitKind.PATCH and effect.deed.paths and None not in texts:
            for text in texts:
                self._patch(Patch(text or ""), where, by)
        else:
            self._walk.found.git_deed(effect, state)

    def _patch(self, effect: Patch, state: ShellState, by: str) -> None:
        found, account = self._walk.found, self._walk.account
        where = state.move(effect.directory) if effect.directory else state
        lines = effect.text.count("\n")
        if lines * PATCH_LINE > account.left():
            found.doubt(f"the patch for `{by}` is too long to be read")
            for name in islice(_PATCHED_FILE.finditer(effect.text), MOST_PATCHED):
                found.touch(Touch(Value(name.group(1))), where, by)
            return
        account.charge(lines * PATCH_LINE)
        from penstock.core.patch.apply import parse_patch  # few commands have one

        try:
            files = parse_patch(effect.text)
        except PenstockError:
            found.doubt(f"the patch for `{by}` cannot be read")
            return
        for file in files:
            gone = file.action is Action.DELETE or file.moved_to is not None
            action = Action.DELETE if gone else Action.WRITE
            found.touch(Touch(Value(file.path), action), where, by)
            if file.moved_to is not None:
                found.touch(Touch(Value(file.moved_to)), where, by)
