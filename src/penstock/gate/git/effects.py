"""The git commands of one call, in their order: each deed meets its repository.

Where git would refuse the command there is nothing to judge; where git cannot tell, the command is
unclear.
Always true: commands are judged in their order, each on what those before it leave.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from penstock.core.errors import StoreError
from penstock.core.model import GateRefusal
from penstock.core.paths.spellings import joined, normal
from penstock.core.shell.git_deed import GitDeed, GitKind
from penstock.core.shell.git_state import GitState
from penstock.core.tools.intents import Intent, intents
from penstock.gate.git.arrivals import ARRIVALS
from penstock.gate.git.call import GitCall, Requests
from penstock.gate.git.commit_losses import COMMIT_LOSSES
from penstock.gate.git.deed import Handler, OneDeed
from penstock.gate.git.keep import KEEPS
from penstock.gate.git.losses import LOSSES
from penstock.gate.git.push import push_losses
from penstock.gate.git.words import loss

MOST_DEEP = 4
_HARMLESS = frozenset({GitKind.SETTING, GitKind.ALIAS})


class GitEffects(Struct):
    """Judges the git commands of one call; what it finds is in `call`."""

    call: GitCall
    deep: int = 0

    def requests(self, found: Sequence[Intent]) -> Requests:
        """Yield what some deeds change and lose, in their order."""
        for intent in _that_matter(found):
            if intent.git is not None:
                self.call.doing = intent.doing
                yield from self._of(intent.git, intent.base)

    def _of(self, deed: GitDeed, base: str) -> Requests:
        call = self.call
        files, home = call.preparation.files, call.preparation.call.home
        at_home = home + base[1:] if home and base[:2] in ("~", "~/") else base
        folder = normal(joined(at_home or files.root, files.root))
        if call.repositories is None:
            if not deed.for_later and deed.kind not in _HARMLESS:
                yield call.unclear(f"can't predict which files `{deed.command}` will change")
            return
        try:
            repository = call.repository(
                files.resolve(folder), git_dir=deed.git_dir, work_tree=deed.work_tree
            )
            if repository is None:  # git refuses
                return
            state = call.states.setdefault(repository.top, GitState())
            one = OneDeed(call, repository, state, deed, folder)
            handler = self._own.get(deed.kind) or _HANDLERS[deed.kind]
            yield from handler(one)
        except StoreError as fault:
            why = f"can't predict which files `{deed.command}` will change ({fault.because})"
            yield call.unclear(why)

    @property
    def _own(self) -> Mapping[GitKind, Handler]:
        return {GitKind.ALIAS: self._alias, GitKind.EACH: self._each}

    def _alias(self, one: OneDeed) -> Requests:
        name, *args = one.deed.refs
        key = f"alias.{name.lower()}"
        named = [value for found, value in one.settings("alias.") if found.lower() == key]
        text = named[-1] if named else ""
        words = " ".join(args)
        if text.startswith("!"):
            yield from self._aliased(f"{text[1:]} {words}", one.repository.top)
        elif text:
            yield from self._aliased(f"git {text} {words}", one.folder)

    def _each(self, one: OneDeed) -> Requests:
        """A command is run in each submodule that is there."""
        for path in one.repository.submodules():
            yield from self._aliased(one.deed.refs[0], f"{one.repository.top}/{path}")

    def _aliased(self, command: str, folder: str) -> Requests:
        """Yield what a command does that an alias stands for."""
        if self.deep >= MOST_DEEP:
            yield self.call.unclear("git aliases refer to each other")
            return
        self.deep += 1
        for intent in intents("Bash", {"command": command}, cwd=folder):
            if intent.git is None:
                yield from self.call.preparation.of(intent)
            else:
                yield from self._of(intent.git, intent.base)
        self.deep -= 1


def _that_matter(found: Sequence[Intent]) -> Sequence[Intent]:
    """Leave out the last deeds where they are only for later ones: nobody asks what they mean."""
    last = len(found)
    while last and (deed := found[last - 1].git) is not None and deed.for_later:
        last -= 1
    return found[:last]


def _push(one: OneDeed) -> Requests:
    one.state.worked = False  # what this call has committed is elsewhere as well
    for said in push_losses(one.deed, one.repository):
        if isinstance(said, GateRefusal):
            yield one.call.losing(said)
        else:
            one.call.notes.append(said)


def _setting(one: OneDeed) -> Requests:
    """A setting is for later commands: what an alias means, what a push replaces."""
    key, value = one.deed.refs
    section, _, name = key.lower().rpartition(".")
    one.state.settings[key.lower()] = value
    if section.startswith("remote.") and (
        (name == "push" and value.startswith("+")) or (name == "mirror" and value != "false")
    ):
        what = f"`{key} = {value}` makes every later `git push` overwrite what others have pushed"
        yield one.call.losing(loss("git config", "", whole=what))


_HANDLERS: Mapping[GitKind, Handler] = {
    **ARRIVALS,
    **KEEPS,
    **LOSSES,
    **COMMIT_LOSSES,
    GitKind.PUSH: _push,
    GitKind.SETTING: _setting,
}
