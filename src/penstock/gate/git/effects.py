"""The git commands of one call, in their order: each deed meets its repository.

Where git would refuse the command there is nothing to judge; where git cannot tell, the command is
unclear.
Always true: commands are judged in their order, each on what those before it leave.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from penstock.core.errors import StoreError
from penstock.core.model import GateRefusal
from penstock.core.paths.spellings import joined, normal
from penstock.core.shell.git_deed import GitDeed, GitKind
from penstock.core.shell.git_state import GitState
from penstock.core.tools.intents import Intent, intents
from penstock.gate.git.arrivals import ARRIVALS
from penstock.gate.git.call import GitCall, Requests
from penstock.gate.git.deed import Handler, OneDeed
from penstock.gate.git.keep import KEEPS
from penstock.gate.git.losses import LOSSES
from penstock.gate.git.push import push_losses
from penstock.gate.git.words import loss

MOST_DEEP = 4
_HARMLESS = frozenset({GitKind.STAGE, GitKind.COMMIT, GitKind.SETTING, GitKind.ALIAS})


@dataclass(slots=True)
class GitEffects:
    """Judges the git commands of one call; what it finds is in `call`."""

    call: GitCall
    deep: int = 0

    def requests(self, found: Sequence[Intent]) -> Requests:
        """Yield what some deeds change and lose, in their order."""
        for intent in found:
            if intent.git is not None:
                self.call.doing = intent.doing
                yield from self._of(intent.git, intent.base)

    def _of(self, deed: GitDeed, base: str) -> Requests:
        call = self.call
        files, home = call.preparation.files, call.preparation.call.home
        at_home = home + base[1:] if home and base[:2] in ("~", "~/") else base
        folder = normal(joined(at_home or files.root, files.root))
        if call.repositories is None:
            if deed.kind not in _HARMLESS:
                yield call.unclear(f"can't predict which files `{deed.command}` will change")
            return
        try:
            repository = call.repositories.at(
                files.resolve(folder), git_dir=deed.git_dir, work_tree=deed.work_tree
            )
            if repository is None:  # git refuses
                return
            state = call.states.setdefault(repository.top, GitState())
            one = OneDeed(call, repository, state, deed, folder)
            yield from self._alias(one) if deed.kind is GitKind.ALIAS else _HANDLERS[deed.kind](one)
        except StoreError as fault:
            why = f"git does not tell what `{deed.command}` would change ({fault.because})"
            yield call.unclear(why)

    def _alias(self, one: OneDeed) -> Requests:
        name, *args = one.deed.refs
        named = [
            v for k, v in one.repository.settings("alias.") if k.lower() == f"alias.{name.lower()}"
        ]
        text = one.state.aliases.get(name.lower(), named[-1] if named else "")
        words = " ".join(args)
        if text.startswith("!"):
            yield from self._aliased(f"{text[1:]} {words}", one.repository.top)
        elif text:
            yield from self._aliased(f"git {text} {words}", one.folder)

    def _aliased(self, command: str, folder: str) -> Requests:
        """Yield what a command does that an alias stands for."""
        if self.deep >= MOST_DEEP:
            yield self.call.unclear("an alias of git stands for another, and so on")
            return
        self.deep += 1
        for intent in intents("Bash", {"command": command}, cwd=folder):
            if intent.git is None:
                yield from self.call.preparation.of(intent)
            else:
                yield from self._of(intent.git, intent.base)
        self.deep -= 1


def _push(one: OneDeed) -> Requests:
    for said in push_losses(one.deed, one.repository):
        if isinstance(said, GateRefusal):
            yield one.call.losing(said)
        else:
            one.call.notes.append(said)


def _setting(one: OneDeed) -> Requests:
    """A setting is for later commands: what an alias means, what a push replaces."""
    key, value = one.deed.refs
    section, _, name = key.lower().rpartition(".")
    if section == "alias":
        one.state.aliases[name] = value
    elif section.startswith("remote.") and (
        (name == "push" and value.startswith("+")) or (name == "mirror" and value != "false")
    ):
        what = f"`{key} = {value}` makes every later `git push` replace what others have pushed"
        yield one.call.losing(loss("git config", "", whole=what))


_HANDLERS: Mapping[GitKind, Handler] = {
    **ARRIVALS,
    **KEEPS,
    **LOSSES,
    GitKind.PUSH: _push,
    GitKind.SETTING: _setting,
}
