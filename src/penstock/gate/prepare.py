"""Turn a tool call into requests: look at the disk, measure, keep what was seen.

The core says what a call intends; here each intent meets the file as it is now. Judging is
`policy.decide`'s work, and nothing here writes.
Always true: what a request says of a file was read from the disk, never from what the agent
declared; the second write to a file is measured against the result of the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice

from msgspec import Struct, field
from msgspec.structs import replace

from penstock.core.errors import InputError
from penstock.core.model import Action, Change, Request, Source, Target
from penstock.core.paths.free_places import MADE_ANEW, OUTPUT, is_temporary
from penstock.core.paths.relpath import RelPath, locate, parse
from penstock.core.paths.spellings import joined, normal, renamed, written_out
from penstock.core.policy.vital import environment_holds, reached, vital_refusal
from penstock.core.text.secret_signs import names_secret_file
from penstock.core.tools.code_reads import shown_files
from penstock.core.tools.intents import Intent, intents, mentioned, resulting
from penstock.gate.call import Call, PreparedRequest
from penstock.gate.extent import CallExtent
from penstock.gate.look import DiskLook, DiskMemory
from penstock.gate.tree_reads import names_below, names_outside
from penstock.ports import FileKind, Files

__all__ = ["Call", "Preparation", "PreparedRequest"]
MOST_BELOW = 1000  # files of one directory that are judged one by one
MOST_OUTSIDE = 200  # files of a directory outside of the project that are read with it
WRITES = frozenset({Action.WRITE, Action.CREATE, Action.DELETE})

# Programs that remove a link and leave what it leads to.
UNLINKS = frozenset({"rm", "grm", "unlink", "find", "fd", "rimraf", "trash", "trash-put"})


class Preparation(Struct):
    """One call being prepared: remembers what earlier intents of the call would leave."""

    files: Files
    call: Call
    change_threshold: float
    extent: CallExtent
    measures: bool = True
    guarded: tuple[str, ...] = ()
    rule_files: tuple[str, ...] = ()
    vital: tuple[str, ...] = ()
    left: dict[str, bytes | None] = field(default_factory=dict)
    git: list[Intent] = field(default_factory=list)
    memory: DiskMemory = field(default_factory=DiskMemory)

    def all(self) -> Iterator[PreparedRequest]:
        """Yield every request of the call, in the order of its effects."""
        call = self.call
        look = DiskLook(
            self.files,
            home=call.home,
            repositories=self.extent.repositories,
            memory=self.memory,
        )
        here = call.cwd or self.files.root
        for intent in intents(call.tool, call.tool_input, cwd=here, look=look):
            yield from self.of(intent)
        for mention in mentioned(call.tool, call.tool_input):
            with suppress(InputError):  # what can name no file mentions none
                paths = (mention.path, *look.met(mention.path, here))
                yield from self._mentioned(mention.action, paths)

    def of(self, intent: Intent) -> Iterator[PreparedRequest]:
        """Prepare one intent; what cannot be understood is a problem, not a crash."""
        problem = _excess(intent) if intent.excessive else None
        if intent.git:  # what git does is found on the repository, by `gate.git`
            self.git.append(intent)
            return
        if intent.only_at and not self._in_force(intent):
            return
        if intent.path is None or problem:
            yield PreparedRequest(request=self._request(intent, intent.action), problem=problem)
            return
        try:
            target = self._target(intent)
        except InputError as wrong:
            yield PreparedRequest(request=self._request(intent, intent.action), problem=wrong)
            return
        if not self._cannot_happen(intent):
            yield from self._on(intent, target)

    def _mentioned(self, action: Action, paths: tuple[str, ...]) -> Iterator[PreparedRequest]:
        """Prepare what a call mentions, and the files that it means where it is a pattern."""
        for path in paths:
            intent = Intent(action=action, path=path)
            request = self._request(intent, action, self._target(intent))
            yield PreparedRequest(request=replace(request, mention=True))

    def _on(self, intent: Intent, target: Target) -> Iterator[PreparedRequest]:
        path = self._reached(target)
        yield from self._taken_along(intent, target)
        if path is None or intent.action not in WRITES or intent.mention:
            yield PreparedRequest(request=self._request(intent, intent.action, target), path=path)
            if path is None and intent.action in WRITES and intent.edit and not intent.mention:
                yield from self._shown_outside(intent, target)
            if intent.action is Action.READ and intent.tree:
                yield from self._read_below(intent, target)
            if path is None and intent.tree and intent.action in WRITES:
                yield from self._below_twins(intent, target)
            return
        earlier = self.left.get(path.text)
        written = self._write(intent, target, path)
        yield written
        yield from self._shown_by(written, earlier)
        if (intent.tree or intent.whole) and self._kind(path) is FileKind.DIRECTORY:
            yield from self._below(intent, path)

    def _shown_by(
        self, written: PreparedRequest, earlier: bytes | None
    ) -> Iterator[PreparedRequest]:
        """Prepare the reads of code that is written, where it shows what it reads."""
        after, path = written.after, written.path
        if after is None or path is None or not names_secret_file(after):
            return
        there = self.files.kind(path) is FileKind.FILE
        before = earlier if earlier is not None or not there else self.files.read(path)
        yield from self._later(path.text, shown_files(path.text, before, after))

    def _shown_outside(self, intent: Intent, target: Target) -> Iterator[PreparedRequest]:
        """Prepare the reads of code that is written outside; most of it is run from the project."""
        with suppress(InputError):  # an edit of what is there: the file is not looked at
            after = resulting(intent, None)
            if after is not None and names_secret_file(after):
                found = shown_files(target.shown.rpartition("/")[2], None, after)
                yield from self._later(target.shown, found)

    def _later(self, script: str, names: Iterable[str]) -> Iterator[PreparedRequest]:
        """Prepare reads that happen when a file is run."""
        for name in names:
            read = Intent(action=Action.READ, path=name, base=self.files.root)
            with suppress(InputError):
                request = self._request(read, Action.READ, self._target(read))
                yield PreparedRequest(request=replace(request, script=script), later=True)

    def _in_force(self, intent: Intent) -> bool:
        """Say whether a place is a file of the policy, or what the hook runs from."""
        base = self._at_home(intent.base or self.call.cwd or self.files.root)
        place = normal(joined(self._at_home(intent.only_at), base))
        ours = {self._absolute(file) for file in self.rule_files}
        places = {place, self._resolve(place)}
        vital = reached(places, self.vital)
        return bool(vital) or bool(places & (ours | set(map(self._resolve, ours))))

    def _taken_along(self, intent: Intent, target: Target) -> Iterator[PreparedRequest]:
        """Removing, moving or closing a directory takes along what Penstock needs below it."""
        if intent.action is not Action.DELETE and not intent.whole:
            return
        places = [self._absolute(spelling) for spelling in target.judged]
        for kept in self._guarded():
            if reached(places, (kept,), itself=False):
                inside = self._found(f"{kept}/.")
                yield PreparedRequest(request=self._request(intent, Action.DELETE, inside))
        lost = reached(places, self.vital)
        if lost:
            refused = replace(intent, refusals=(*intent.refusals, vital_refusal(lost)))
            yield PreparedRequest(request=self._request(refused, intent.action, target))

    def _guarded(self) -> Iterator[str]:
        """Yield what must not be taken along, where it usually is and where it was moved to."""
        yield from self.guarded
        back = [(usual, there) for there, usual in self.call.moved]
        for kept in self.guarded:
            yield from renamed(kept, back)

    def _found(self, path: str) -> Target:
        """Return the target of a path that no link leads to."""
        files = self.files
        return locate(
            path,
            root=files.root,
            known_as=self._known_as,
            twins=self._twins,
            folds=files.folds,
        )

    def _known_as(self, place: str) -> list[str]:
        """Return the other places by which rules know one."""
        known = self.memory.known_as
        if place not in known:
            known[place] = self.files.known_as(place)
        found = [*known[place], *renamed(place, self.call.moved)]
        return [*found, *written_out(place, self.call.home)] if "/$" in place else found

    def _twins(self, place: str) -> Sequence[str]:
        """Return the other names of the file at a place."""
        known = self.memory.twins
        if place not in known:
            known[place] = self.files.twins(place)
        return known[place]

    def _absolute(self, spelling: str) -> str:
        return normal(joined(spelling, self.files.root))

    def _below(self, intent: Intent, path: RelPath) -> Iterator[PreparedRequest]:
        """Judge each file of a directory: `rm -r src` is as much as removing all of them.

        In the environment that Penstock runs from, `_taken_along` has said all there is to say.
        """
        gone = intent.action is Action.DELETE and path.name in MADE_ANEW
        if gone or environment_holds(self._absolute(path.text), self.vital, root=self.files.root):
            return
        for count, name in enumerate(self.files.below(path)):
            if count == MOST_BELOW and intent.action is Action.DELETE and path.name in OUTPUT:
                return
            if count == MOST_BELOW:
                why = f"`{path}` holds more than {MOST_BELOW} files"
                yield PreparedRequest(
                    request=self._request(replace(intent, unclear=why), Action.RUN)
                )
                return
            yield self._write(replace(intent, unclear=""), self._found(name.text), name)

    def _read_below(self, intent: Intent, target: Target) -> Iterator[PreparedRequest]:
        """Mention each file of a directory that is read whole: `cp -r keys /tmp`.

        Where they are not all known, the directory's own name tells what is in it.
        """
        place, inside = target.judged[-1], replace(intent, mention=True)
        if place.startswith("/") and is_temporary(f"{place}/x"):
            found = []
        elif place.startswith("/"):
            found = list(names_outside(self.files, place, most=MOST_OUTSIDE))
        else:
            names = names_below(self.files, place, whole=intent.whole, most=MOST_BELOW)
            found = [one.text for one in names]
        known = 0 < len(found) < MOST_BELOW
        itself = () if known else (f"{self._absolute(target.shown)}/.",)
        for name in (*itself, *found):
            yield PreparedRequest(request=self._request(inside, Action.READ, self._found(name)))

    def _below_twins(self, intent: Intent, target: Target) -> Iterator[PreparedRequest]:
        """Judge a directory of a worktree outside by what the project has in its place."""
        for spelling in target.judged:
            for name in self._files_below(spelling):
                there = self._found(f"{self._absolute(target.shown)}{name.text[len(spelling) :]}")
                yield PreparedRequest(request=self._request(intent, intent.action, there))

    def _files_below(self, spelling: str) -> Iterator[RelPath]:
        try:
            path = parse(spelling, root=self.files.root, absolute_allowed=False)
            if self.files.kind(path) is FileKind.DIRECTORY:
                yield from islice(self.files.below(path), MOST_BELOW)
        except InputError:  # outside, the workspace itself, or a link on the way
            return

    def _cannot_happen(self, intent: Intent) -> bool:
        """Some effects need a directory: `cp a b` writes `b/a` only where `b` is one."""
        if not intent.within:
            return False
        try:
            base = intent.base or self.call.cwd
            place = parse(intent.within, root=self.files.root, base=base)
            return self._kind(place) is not FileKind.DIRECTORY
        except InputError:  # outside, or a link on the way: then it may be one
            return False

    def _target(self, intent: Intent) -> Target:
        assert intent.path is not None
        # `rm link` removes the link and nothing behind it; `rm -r link/` does.
        link = intent.action is Action.DELETE and intent.by in UNLINKS and intent.path[-1:] != "/"
        return locate(
            self._at_home(intent.path),
            root=self.files.root,
            base=self._at_home(intent.base or self.call.cwd or self.files.root),
            resolve=self._resolve_above if link else self._resolve,
            known_as=self._known_as,
            twins=self._twins,
            folds=self.files.folds,
        )

    def _resolve(self, path: str) -> str:
        """Return where a path leads; a call names the same ones again and again."""
        resolved = self.memory.resolved
        if path not in resolved:
            resolved[path] = self.files.resolve(path)
        return resolved[path]

    def _resolve_above(self, path: str) -> str:
        """Return where a path leads that is not followed where it is a link itself."""
        above, _, name = path.rstrip("/").rpartition("/")
        plain = above and name not in ("", ".", "..")
        return f"{self._resolve(above)}/{name}" if plain else self._resolve(path)

    def _at_home(self, path: str) -> str:
        """A shell's `~` is the home directory; a name that begins so arrives as `./~`."""
        if self.call.home and (path == "~" or path.startswith("~/")):
            return self.call.home + path[1:]
        return path

    def _reached(self, target: Target) -> RelPath | None:
        """The last judged spelling is the resolved one: the file that would be written."""
        if target.outside or not target.judged:
            return None
        try:
            return RelPath(text=target.judged[-1])
        except InputError:  # the workspace itself
            return None

    def _write(self, intent: Intent, target: Target, path: RelPath) -> PreparedRequest:
        """Measure what a write would leave; where that cannot be known, the name is judged."""
        kind = self._kind(path)
        if kind is FileKind.FILE and not intent.by:  # a tool that removes directories as well
            intent = replace(intent, tree=False)
        action = _action(intent.action, exists=kind is not None)
        named_only = PreparedRequest(request=self._request(intent, action, target), path=path)
        if kind not in (None, FileKind.FILE):
            return replace(named_only, path=None)
        if intent.kept and not self._target(replace(intent, path=intent.kept)).outside:
            self.left[path.text] = None  # moved within the project: no line of it is lost
            return named_only
        if not self.measures:
            return self._unmeasured(intent, target, path, named_only)
        try:
            after = self._after(intent, path)
        except InputError:  # the edit does not fit: the agent's own tool will refuse it
            return named_only
        if isinstance(after, Unknown):
            return self._unknown(intent, target, path, named_only)
        there = self._there(path)
        if there is None and after is None:  # removing what is not there changes nothing
            return named_only
        from penstock.core.diff.measure import measure  # most calls change no known content

        change = measure(there, after, change_threshold=self.change_threshold)
        self.left[path.text] = after
        request = self._request(intent, action, target, change)
        return PreparedRequest(request=request, path=path, known=True, after=after)

    def _unmeasured(
        self, intent: Intent, target: Target, path: RelPath, named_only: PreparedRequest
    ) -> PreparedRequest:
        """Reading and comparing took too long; what is there may all be lost."""
        there = self._there(path)
        if there is None:
            return named_only
        from penstock.core.diff.overwrite import unmeasured

        change = unmeasured(len(there) if isinstance(there, bytes) else there.size)
        request = named_only.request
        return replace(named_only, request=self._request(intent, request.action, target, change))

    def _unknown(
        self, intent: Intent, target: Target, path: RelPath, named_only: PreparedRequest
    ) -> PreparedRequest:
        """A redirection over a file may lose all of it; that it may not is no comfort."""
        from penstock.core.diff.overwrite import overwritten, replaces

        there = self._there(path)
        if there is None or intent.keeps or not replaces(intent.by):
            return named_only
        change = overwritten(there)
        return replace(named_only, request=self._request(intent, Action.WRITE, target, change))

    def _kind(self, path: RelPath) -> FileKind | None:
        if path.text in self.left:
            return None if self.left[path.text] is None else FileKind.FILE
        kinds = self.memory.kinds
        if path.text not in kinds:
            kinds[path.text] = self.files.kind(path)
        return kinds[path.text]

    def _there(self, path: RelPath) -> Source | bytes | None:
        """What the file holds now, or what an earlier intent of this call would leave."""
        if path.text in self.left:
            return self.left[path.text]
        return self.files.source(path) if self._kind(path) else None

    def _after(self, intent: Intent, path: RelPath) -> bytes | Unknown | None:
        if intent.action is Action.DELETE:
            return None
        if intent.edit is None:
            return Unknown()
        return resulting(intent, self._bytes(self._origin(intent) or path))

    def _origin(self, intent: Intent) -> RelPath | None:
        """The file that an edit starts from when it is not the one it ends in: a move."""
        if intent.source is None:
            return None
        return parse(intent.source, root=self.files.root, base=intent.base or self.call.cwd)

    def _bytes(self, path: RelPath) -> bytes | None:
        if path.text in self.left:
            return self.left[path.text]
        return self.files.read(path) if self._kind(path) else None

    def _request(
        self,
        intent: Intent,
        action: Action,
        target: Target | None = None,
        change: Change | None = None,
    ) -> Request:
        return Request(
            action=action,
            tool=self.call.tool,
            tool_input=self.call.tool_input,
            target=target,
            change=change,
            extent=self.extent.of(intent, action, target),
            leaves=intent.leaves,
            programs=intent.programs,
            doing=intent.doing,
            unclear=intent.unclear,
            refusals=intent.refusals,
            mention=intent.mention,
            by=intent.by,
            script=intent.script,
            attended=self.call.attended,
            actor=self.call.actor,
        )


class Unknown:
    """Stands for content that only running the command would tell."""


def _excess(intent: Intent) -> InputError:
    return InputError(
        "too-much",
        intent.unclear or "the call is too large or too deeply nested",
        hint="split it into smaller calls",
    )


def _action(action: Action, *, exists: bool) -> Action:
    """Whether a write creates is a fact of the disk."""
    if action is Action.DELETE:
        return action
    return Action.WRITE if exists else Action.CREATE
