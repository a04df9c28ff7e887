"""What git commands of a call bring and lose, found on the real repository.

The core tells deeds (`core.shell.git_deed`); here each meets the repository. A file that comes in
with other content is a request of its own, so that the rule of a protected file answers. What is
lost and kept nowhere else is said in one sentence, and what undo needs is named. Where git would
refuse the command there is nothing to judge; where git cannot tell, the command is unclear.
Always true: the repository is only looked at; commands are judged in their order, each on what
those before it leave.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from penstock.core.errors import PenstockError, StoreError
from penstock.core.model import Action, GateRefusal, Request
from penstock.core.paths.relpath import RelPath, locate
from penstock.core.paths.spellings import beneath, joined, normal, renamed
from penstock.core.shell.git_deed import GitDeed, GitKind
from penstock.core.shell.git_state import EVERYTHING, GitState, is_made_anew
from penstock.core.tools.intents import Intent, intents
from penstock.gate.git_push import push_losses
from penstock.gate.git_words import FIRST, loss, of_commits, of_files
from penstock.gate.prepare import Preparation, PreparedRequest
from penstock.ports import GitChange, GitCommit, GitRepository, Repositories

MOST_FILES = 5_000
MOST_DEEP = 4
MOST_KEPT = 1_000
_INVERSE = {Action.CREATE: Action.DELETE, Action.DELETE: Action.CREATE}
_HARMLESS = frozenset({GitKind.STAGE, GitKind.COMMIT, GitKind.SETTING, GitKind.ALIAS})
_MARK = b"<<<<<<< "
GIT = "git"  # rules against changes by hand leave out what git brings


@dataclass(frozen=True, kw_only=True, slots=True)
class BroughtFile:
    """A file that a git command gives other content: only strict rules have a say in it."""

    request: Request
    by: str


Requests = Iterator["PreparedRequest | BroughtFile"]


@dataclass(slots=True)
class GitEffects:
    """The git commands of one call.

    `kept` are the files of the workspace that bring back what is lost, each with its content where
    it is another than on the disk; `notes` are said although nothing is asked.
    """

    preparation: Preparation
    repositories: Repositories | None
    kept: dict[str, bytes | None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    states: dict[str, GitState] = field(default_factory=dict)
    deep: int = 0
    doing: tuple[str, ...] = ()  # the simple command whose deed is looked at

    def requests(self, found: Sequence[Intent]) -> Requests:
        """Yield what some deeds change and lose, in their order."""
        for intent in found:
            if intent.git is not None:
                self.doing = intent.doing
                yield from self._of(intent.git, intent.base)

    def _of(self, deed: GitDeed, base: str) -> Requests:
        files, home = self.preparation.files, self.preparation.call.home
        at_home = home + base[1:] if home and base[:2] in ("~", "~/") else base
        folder = normal(joined(at_home or files.root, files.root))
        if self.repositories is None:
            if deed.kind not in _HARMLESS:
                yield self.unclear(f"can't predict which files `{deed.command}` will change")
            return
        try:
            repository = self.repositories.at(
                files.resolve(folder), git_dir=deed.git_dir, work_tree=deed.work_tree
            )
            if repository is None:  # git refuses
                return
            state = self.states.setdefault(repository.top, GitState())
            one = OneDeed(self, repository, state, deed, folder)
            yield from _HANDLERS[deed.kind](one)
        except StoreError as fault:
            why = f"git does not tell what `{deed.command}` would change ({fault.because})"
            yield self.unclear(why)

    def request(self, action: Action = Action.RUN) -> Request:
        """Return a request of this call."""
        call = self.preparation.call
        return Request(
            action=action,
            tool=call.tool,
            tool_input=call.tool_input,
            doing=self.doing,
            attended=call.attended,
            actor=call.actor,
        )

    def unclear(self, why: str) -> PreparedRequest:
        """Return that something cannot be told."""
        return PreparedRequest(request=replace(self.request(), unclear=why))

    def losing(self, said: GateRefusal) -> PreparedRequest:
        """Return that something would be lost."""
        return PreparedRequest(request=replace(self.request(), losses=(said,)))

    def brought(self, place: str, action: Action, by: str) -> BroughtFile:
        """Return that a file gets other content. Git writes through no link."""
        files, moved = self.preparation.files, self.preparation.call.moved
        target = locate(
            place,
            root=files.root,
            known_as=lambda known: [*files.known_as(known), *renamed(known, moved)],
            folds=files.folds,
        )
        return BroughtFile(request=replace(self.request(action), target=target, by=GIT), by=by)

    def aliased(self, command: str, folder: str) -> Requests:
        """Yield what a command does that an alias stands for."""
        if self.deep >= MOST_DEEP:
            yield self.unclear("an alias of git stands for another, and so on")
            return
        self.deep += 1
        for intent in intents("Bash", {"command": command}, cwd=folder):
            if intent.git is None:
                yield from self.preparation.of(intent)
            else:
                yield from self._of(intent.git, intent.base)
        self.deep -= 1


@dataclass(slots=True)
class OneDeed:
    """One deed in its repository."""

    effects: GitEffects
    repository: GitRepository
    state: GitState
    deed: GitDeed
    folder: str

    # What is yielded

    def brought(self, changes: Iterable[GitChange], *, inverse: bool = False) -> Requests:
        """Yield a request for each file that gets other content; its own rule answers."""
        for count, one in enumerate(dict.fromkeys(changes)):
            if count == MOST_FILES:
                why = f"`{self.deed.command}` changes more than {MOST_FILES} files"
                yield self.effects.unclear(why)
                return
            action = _INVERSE.get(one.action, Action.WRITE) if inverse else one.action
            yield self.file(one.path, action)

    def file(self, path: str, action: Action) -> BroughtFile:
        """Return that a path of the work tree gets other content."""
        place = os.path.join(self.repository.top, path)
        return self.effects.brought(place, action, by=self.deed.command)

    def lost(self, what: str, *, kept: Mapping[str, bytes | None], way: str = FIRST) -> Requests:
        """Yield that something goes, and the files by which it can be brought back."""
        inside = {self.inside(path): image for path, image in kept.items()}
        safe = bool(inside) and None not in inside and len(inside) <= MOST_KEPT
        self.effects.kept |= {path.text: image for path, image in inside.items() if path}
        yield self.effects.losing(loss(self.deed.command, what, way=way, kept=safe))

    def inside(self, place: str) -> RelPath | None:
        """Return an absolute place as a path of the workspace; None outside."""
        inside = beneath(place, self.effects.preparation.files.root)
        return RelPath(text=inside) if inside else None

    def lost_files(self, files: Sequence[GitChange], kind: str) -> Requests:
        """Yield that the contents of some files go."""
        if files:
            kept = {os.path.join(self.repository.top, one.path): None for one in files}
            yield from self.lost(of_files(files, kind), kept=kept)

    def lost_commits(
        self, commits: Sequence[GitCommit], kept: Mapping[str, bytes | None]
    ) -> Requests:
        """Yield that some commits can be reached no more."""
        if commits:
            yield from self.lost(of_commits(commits), kept=kept)

    def named(self, paths: Sequence[str], action: Action) -> Requests:
        """Yield a request for each path that is written out, whether or not git finds it changed.

        What the index holds by then may be the work of a command before.
        """
        here = self.effects.preparation.files.resolve(self.folder)
        for spec in paths:
            inside = beneath(normal(joined(spec, here)), self.repository.top)
            if inside and not set(spec) & set(":*?["):
                yield self.file(inside, action)

    # What is asked

    def head(self) -> str:
        """Return where HEAD is by now."""
        return self.repository.commit(self.state.revision("HEAD"))

    def commit(self, name: str) -> str:
        """Return the commit that a name means by now, or nothing."""
        return self.repository.commit(self.state.revision(name))

    def paths(self) -> tuple[str, ...]:
        """Return the paths of the deed from the top of the work tree, where they are plain."""
        top, found = self.repository.top, list[str]()
        here = self.effects.preparation.files.resolve(self.folder)
        for spec in self.deed.paths:
            place = beneath(normal(joined(spec, here)), top)
            plain = place is not None and not spec.startswith(":")
            found.append((place or EVERYTHING) if plain and place is not None else EVERYTHING)
        return tuple(found)

    def uncommitted(self, *, against: str = "HEAD", paths: Sequence[str] = ()) -> list[GitChange]:
        """Return the files whose changes are nowhere else; what was only deleted is in git."""
        repository, state = self.repository, self.state
        staged = bool(against)
        if not repository.commit("HEAD"):  # before the first commit there is only the index
            against = ""
        found = {
            one.path: one
            for one in repository.changed(against, paths=paths)
            if one.action is not Action.DELETE and one.lines
        }
        if staged:
            for one in repository.staged(paths=paths):
                if one.action is not Action.DELETE:
                    found.setdefault(one.path, one)
        if found:
            found = self._without_conflicts(found)
        left = [one for path, one in found.items() if not state.is_saved(path)]
        popped = [GitChange(path=path, action=Action.WRITE) for path in sorted(state.popped)]
        return [*left, *(one for one in popped if one.path not in found)]

    def _without_conflicts(self, found: dict[str, GitChange]) -> dict[str, GitChange]:
        """Leave out what a merge wrote and nobody has resolved yet: git makes it again."""
        unmerged = [path for path in self.repository.unmerged() if path in found]
        for path in unmerged:
            if self.deed.has("conflict") or _MARK in self._content(path):
                del found[path]
        return found

    def _content(self, path: str) -> bytes:
        inside = self.inside(os.path.join(self.repository.top, path))
        try:
            return self.effects.preparation.files.read(inside) if inside else b""
        except PenstockError:
            return b""

    def overwritten(self, changes: Iterable[GitChange], *, forced: bool) -> list[GitChange]:
        """Return files that git does not know and that would be written over.

        Git refuses to, without force, unless they are ignored.
        """
        new = [f":(top,literal){one.path}" for one in changes if one.action is Action.CREATE]
        if not new or len(new) > MOST_FILES:
            return []
        ask = self.repository.untracked
        found = [path for path in ask(paths=new, ignored="only") if not is_made_anew(path)]
        found += ask(paths=new) if forced else ()
        return [
            GitChange(path=path, action=Action.WRITE)
            for path in found
            if not self.state.is_saved_untracked(path)
        ]


# Content comes into the work tree


def _tree(one: OneDeed, name: str = "") -> Requests:
    name = name or one.deed.refs[0]
    commit = one.commit(name) or one.repository.commit(one.repository.remote_branch(name))
    if not commit:  # git refuses
        return
    head, forced = one.head(), one.deed.has("force")
    changes = one.repository.changed(head, commit) if head else ()
    yield from one.brought(changes)
    if forced:
        here = one.repository.changed(commit)
        yield from one.brought(here, inverse=True)
        differ = {change.path for change in here}
        staged = {change.path for change in one.repository.staged()} if head else set()
        lost = [f for f in one.uncommitted() if f.path in differ | staged | one.state.popped]
        yield from one.lost_files(lost, "uncommitted changes")
        one.state.popped = set()
    yield from one.lost_files(one.overwritten(changes, forced=forced), "untracked")
    one.state.move(commit)


def _checkout(one: OneDeed) -> Requests:
    words, paths = one.deed.refs, one.deed.paths
    first = words[0] if words else ""
    is_commit = bool(first) and bool(
        one.commit(first) or (one.repository.remote_branch(first) and not paths)
    )
    if paths:
        if first and not is_commit:  # git refuses
            return
        yield from _take_paths(one, first, paths)
    elif is_commit and len(words) == 1:
        yield from _tree(one, first)
    elif is_commit:
        yield from _take_paths(one, first, words[1:])
    else:
        yield from _take_paths(one, "", words)


def _paths(one: OneDeed) -> Requests:
    source = one.deed.refs[0] if one.deed.refs else ""
    yield from _take_paths(one, source, one.deed.paths)


def _take_paths(one: OneDeed, source: str, paths: Sequence[str]) -> Requests:
    """Paths become what a revision holds, or what is staged."""
    commit = one.commit(source) if source else ""
    if source and not commit:  # git refuses
        return
    yield from one.named(paths, Action.WRITE)
    changes = one.repository.changed(commit, paths=paths)
    if not source:
        changes = tuple(change for change in changes if change.action is not Action.CREATE)
    yield from one.brought(changes, inverse=True)
    differ = {change.path for change in changes}
    lost = one.uncommitted(against="HEAD" if source else "", paths=paths)
    yield from one.lost_files([f for f in lost if f.path in differ], "uncommitted changes")


def _merge(one: OneDeed) -> Requests:
    yield from _merged(one, [one.commit(name) for name in one.deed.refs])


def _merged(one: OneDeed, commits: Iterable[str]) -> Requests:
    """What another side has changed since the two went apart comes in."""
    for commit in filter(None, commits):  # where there is none git refuses
        head = one.head()
        base = one.repository.base(head, commit) if head else ""
        changes = one.repository.changed(base or head, commit) if head else ()
        yield from one.brought(changes)
        yield from one.lost_files(one.overwritten(changes, forced=False), "ignored")
        if base == head:
            one.state.move(commit)


def _pull(one: OneDeed) -> Requests:
    """What a fetch will bring is known by nobody; judged is what the last one brought."""
    remote, *branches = one.deed.refs or ("",)
    known = {
        key.split(".", 1)[1].rpartition(".")[0] for key, _ in one.repository.settings("remote.")
    }
    if remote and remote != "." and remote not in known:
        why = f"`git pull` takes changes from `{remote}`, which is no remote of this repository"
        yield one.effects.unclear(why)
        return
    names = [branch.removeprefix("+").partition(":")[0] for branch in branches]
    names = [name if remote == "." else f"refs/remotes/{remote}/{name}" for name in names]
    yield from _merged(one, [one.commit(name) for name in names or ["@{upstream}"]])


def _commits(one: OneDeed) -> Requests:
    names = [one.state.revision(name) for name in one.deed.refs]
    span = any(".." in name or name.startswith("^") for name in names)
    if span or all(one.repository.commit(name) for name in names):
        yield from one.brought(one.repository.of_commits(names, span=span))


def _patch(one: OneDeed) -> Requests:
    below = next((flag[6:] for flag in one.deed.flags if flag.startswith("below:")), "")
    yield from one.brought(one.repository.patched(one.deed.paths, below=below))


def _made(one: OneDeed) -> Requests:
    """Another work tree is made where nothing is; git refuses elsewhere."""
    for path in one.deed.paths:
        yield one.file(normal(joined(path, one.folder)), Action.CREATE)


def _index(one: OneDeed) -> Requests:
    yield from (one.file(path, Action.WRITE) for path in one.deed.paths)


# Content is put away


def _stash(one: OneDeed) -> Requests:
    deed, repository = one.deed, one.repository
    if not repository.commit("HEAD"):  # git refuses
        return
    changed = repository.changed("HEAD", paths=deed.paths)
    yield from one.brought(changed, inverse=True)
    more: tuple[str, ...] = ()
    if deed.has("untracked"):
        more = repository.untracked(paths=deed.paths, ignored="also" if deed.has("all") else "")
        gone = (GitChange(path=path, action=Action.DELETE) for path in more)
        yield from one.brought(gone)
    count = len([change for change in changed if not one.state.is_saved(change.path)]) + len(more)
    if count:  # without changes nothing is put away
        one.state.stash(paths=one.paths(), untracked=deed.has("untracked"), files=count)


def _unstash(one: OneDeed) -> Requests:
    if not one.deed.refs and one.state.unstash():
        return
    name = one.deed.refs[0] if one.deed.refs else "stash@{0}"
    stash = one.repository.commit(f"stash@{{{name}}}" if name.isdigit() else name)
    if not stash:  # git refuses
        return
    changes = list(one.repository.changed(f"{stash}^1", stash))
    untracked = one.repository.commit(f"{stash}^3")
    if untracked:
        changes += one.repository.of_commits([untracked], span=False)
    yield from one.brought(changes)
    if one.deed.has("pop"):
        one.state.popped |= {change.path for change in changes}


def _stage(one: OneDeed) -> Requests:
    one.state.staged |= set(one.paths())
    return iter(())


def _commit(one: OneDeed) -> Requests:
    dirty = bool(one.uncommitted()) or bool(one.state.staged)
    if not one.state.staged and not one.deed.has("all") and not one.deed.paths:
        # What was staged before is in the commit; what differs from it is not.
        unstaged = {change.path for change in one.repository.changed("")}
        found = {change.path for change in one.repository.staged()} - unstaged
        one.state.staged |= found
    one.state.commit(paths=one.paths(), every=one.deed.has("all"), dirty=dirty)
    if one.deed.has("amend"):
        one.state.commits -= 1
    return iter(())


# Something goes


def _clean(one: OneDeed) -> Requests:
    deed, repository = one.deed, one.repository
    ignored = "only" if deed.has("only_ignored") else "also" if deed.has("ignored") else ""
    found = repository.untracked(paths=deed.paths, ignored=ignored, left_out=deed.refs)
    if not deed.has("folders") and not deed.paths:
        apart = repository.untracked(ignored=ignored, left_out=deed.refs, collapsed=True)
        folders = tuple(name for name in apart if name.endswith("/"))
        found = tuple(path for path in found if not path.startswith(folders))
    if not deed.has("nested"):
        found = tuple(path for path in found if not path.endswith("/"))
    found = tuple(path for path in found if not one.state.is_saved_untracked(path))
    gone = [GitChange(path=path, action=Action.DELETE) for path in found]
    yield from one.brought(gone)
    plain = set(repository.untracked(paths=deed.paths)) if ignored else set(found)
    lost = [change for change in gone if change.path in plain or not is_made_anew(change.path)]
    yield from one.lost_files(lost, "untracked")


def _remove(one: OneDeed) -> Requests:
    yield from one.named(one.deed.paths, Action.DELETE)
    gone = one.repository.tracked(paths=one.deed.paths)
    yield from one.brought(GitChange(path=path, action=Action.DELETE) for path in gone)
    if one.deed.has("force"):
        yield from one.lost_files(one.uncommitted(paths=one.deed.paths), "uncommitted changes")


def _refs(one: OneDeed) -> Requests:
    if one.state.worked:
        yield from one.lost("the commit that the same command makes", kept={})
        return
    objects = {name: oid for ref in one.deed.refs for name, oid in one.repository.refs(ref).items()}
    kept: dict[str, bytes | None] = {}
    for name in one.deed.refs:
        if name in objects:
            kept[f"{one.repository.folder}/{name}"] = f"{objects[name]}\n".encode()
            kept[f"{one.repository.folder}/logs/{name}"] = None
    yield from one.lost_commits(one.repository.lost_with(one.deed.refs), kept)


def _drop(one: OneDeed) -> Requests:
    if one.state.stashes:
        count = one.state.stashes.pop()[2]
        yield from one.lost(
            f"changes of {count} file{'s' * (count != 1)} that it has just stashed", kept={}
        )
        return
    stashes = one.repository.stashes()
    name = one.deed.refs[0] if one.deed.refs else ""
    if name:
        at = name.removeprefix("stash@{").removesuffix("}")
        stashes = stashes[int(at) : int(at) + 1] if at.isdigit() else stashes
    if stashes:
        folder = one.repository.folder
        kept: dict[str, bytes | None] = {f"{folder}/refs/stash": None}
        kept[f"{folder}/logs/refs/stash"] = None
        yield from one.lost(of_commits(stashes, "stash", "stashes"), kept=kept)


def _reflog(one: OneDeed) -> Requests:
    one.state.expired = True
    logs = _below(one, f"{one.repository.folder}/logs")
    # The stashes are nothing but a reflog.
    stashes = one.deed.has("all") or any("stash" in ref for ref in one.deed.refs)
    found = one.repository.stashes() if stashes else ()
    if found:
        yield from one.lost(of_commits(found, "stash", "stashes"), kept=logs)
    else:
        yield from one.lost_commits(one.repository.unreachable(reflogs=True), logs)


def _below(one: OneDeed, place: str) -> dict[str, bytes | None]:
    inside = one.inside(place)
    files = one.effects.preparation.files
    found = files.below(inside) if inside else ()
    return {f"{files.root}/{path.text}": None for path in found}


def _prune(one: OneDeed) -> Requests:
    lost = list(one.repository.unreachable(reflogs=False))
    lost += one.repository.unreachable(reflogs=True) if one.state.expired else ()
    if lost:
        pack = one.repository.pack([commit.id for commit in lost])
        folder = f"{one.repository.folder}/objects/pack"
        kept = {f"{folder}/{name}": data for name, data in pack.items()}
        yield from one.lost_commits(lost, kept)


def _worktree(one: OneDeed) -> Requests:
    place = normal(joined(one.deed.paths[0] if one.deed.paths else ".", one.folder))
    repositories = one.effects.repositories
    other = repositories.at(one.effects.preparation.files.resolve(place)) if repositories else None
    if other is None or other.top == one.repository.top:  # git refuses
        return
    there = OneDeed(one.effects, other, GitState(), one.deed, place)
    yield from there.lost_files(there.uncommitted(), "uncommitted changes")
    lost = [GitChange(path=path, action=Action.DELETE) for path in other.untracked()]
    yield from there.lost_files(lost, "untracked")


def _skip(one: OneDeed) -> Requests:
    """Skipping a commit throws away its conflicts; what else was changed is work of somebody."""
    names = ("REBASE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD")
    at = [name for name in names if one.repository.commit(name)]
    replayed = (
        {change.path for change in one.repository.of_commits(at, span=False)} if at else set()
    )
    unmerged = set(one.repository.unmerged())
    lost = [f for f in one.uncommitted() if f.path not in replayed | unmerged]
    yield from one.lost_files(lost, "uncommitted changes")


# Elsewhere, and what later commands mean


def _push(one: OneDeed) -> Requests:
    for said in push_losses(one.deed, one.repository):
        if isinstance(said, GateRefusal):
            yield one.effects.losing(said)
        else:
            one.effects.notes.append(said)


def _setting(one: OneDeed) -> Requests:
    key, value = one.deed.refs
    section, _, name = key.lower().rpartition(".")
    if section == "alias":
        one.state.aliases[name] = value
    elif section.startswith("remote.") and (
        (name == "push" and value.startswith("+")) or (name == "mirror" and value != "false")
    ):
        what = f"`{key} = {value}` makes every later `git push` replace what others have pushed"
        yield one.effects.losing(loss("git config", "", whole=what))


def _alias(one: OneDeed) -> Requests:
    name, *args = one.deed.refs
    named = [
        v for k, v in one.repository.settings("alias.") if k.lower() == f"alias.{name.lower()}"
    ]
    text = one.state.aliases.get(name.lower(), named[-1] if named else "")
    words = " ".join(args)
    if text.startswith("!"):
        yield from one.effects.aliased(f"{text[1:]} {words}", one.repository.top)
    elif text:
        yield from one.effects.aliased(f"git {text} {words}", one.folder)


_HANDLERS: Mapping[GitKind, Callable[[OneDeed], Requests]] = {
    GitKind.CHECKOUT: _checkout,
    GitKind.TREE: _tree,
    GitKind.PATHS: _paths,
    GitKind.MERGE: _merge,
    GitKind.PULL: _pull,
    GitKind.COMMITS: _commits,
    GitKind.PATCH: _patch,
    GitKind.MADE: _made,
    GitKind.INDEX: _index,
    GitKind.STASH: _stash,
    GitKind.UNSTASH: _unstash,
    GitKind.STAGE: _stage,
    GitKind.COMMIT: _commit,
    GitKind.CLEAN: _clean,
    GitKind.REMOVE: _remove,
    GitKind.REFS: _refs,
    GitKind.DROP: _drop,
    GitKind.REFLOG: _reflog,
    GitKind.PRUNE: _prune,
    GitKind.WORKTREE: _worktree,
    GitKind.SKIP: _skip,
    GitKind.PUSH: _push,
    GitKind.SETTING: _setting,
    GitKind.ALIAS: _alias,
}
