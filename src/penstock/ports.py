"""What the gate needs from outside, as narrow as it can be.

A port says what must hold, never how. `stores/` makes each real; `tests/fakes` make
each simple. One contract suite per port runs against both.
Always true: nothing here has an opinion about verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from penstock.core.file_mode import FileMode, of_permissions
from penstock.core.model import Action, Source
from penstock.core.paths.relpath import RelPath

if TYPE_CHECKING:
    from penstock.core.audit.query import Query
    from penstock.core.proposals.model import (
        Answer,
        Moment,
        Proposal,
        Receipt,
        State,
        Transition,
    )


class FileKind(StrEnum):
    """What a name stands for. A link is told as a link, never as what it points to."""

    FILE = "file"
    DIRECTORY = "directory"
    SYMLINK = "symlink"
    OTHER = "other"


OF_KIND: Mapping[FileKind, FileMode] = {
    FileKind.SYMLINK: FileMode.LINK,
    FileKind.DIRECTORY: FileMode.DIRECTORY,
}


class FileState(Struct, frozen=True, kw_only=True):
    """A file, link or directory as it was at one moment.

    `digest` is over a file's exact bytes, or over the path that a link holds; a directory's is
    that of no bytes. `mode` are the permissions.
    After a write, `notes` tell what did not go as it should although the file holds the new
    content: an owner that could not be kept, a directory that could not be flushed. `made` are
    the directories that were made for it: of the write and not of the file, so that two states
    are equal without them.
    """

    digest: str
    size: int
    mode: int
    kind: FileKind = FileKind.FILE
    notes: tuple[str, ...] = ()
    made: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FileState) and self._of_file == other._of_file

    def __hash__(self) -> int:
        return hash(self._of_file)

    @property
    def _of_file(self) -> tuple[object, ...]:
        return self.digest, self.size, self.mode, self.kind, self.notes

    @property
    def file_mode(self) -> FileMode:
        """The mode that a change from or to this has."""
        return OF_KIND.get(self.kind) or of_permissions(self.mode)


class DirectoryEntry(Struct, frozen=True, kw_only=True):
    """One name in a directory; `size` is a regular file's, 0 for everything else."""

    name: str
    kind: FileKind
    size: int = 0


class PlannedWrite(Struct, frozen=True, kw_only=True):
    """One name of a set: `new` None removes it, `expect` None creates it.

    `mode` is what it becomes; None is a regular file with the permissions that it has. `was` is
    what it must be; None is any regular file. `new` of a link is the path that it holds, and of
    a directory it is empty.
    """

    path: RelPath
    new: bytes | None
    expect: str | None
    mode: FileMode | None = None
    was: FileMode | None = None


class Ending(StrEnum):
    """How a write that a crash interrupted was brought to an end; LEFT means not yet."""

    FINISHED = "finished"
    PUT_BACK = "put-back"
    LEFT = "left"


class RecoveredWrite(Struct, frozen=True, kw_only=True):
    """A write that a crash interrupted: its files, how it ended, and what was kept beside them.

    `kept` are files that hold a version nobody asked to drop; a person looks at them.
    """

    paths: tuple[str, ...]
    ending: Ending
    kept: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Files(Protocol):
    """The files of one workspace. Only `replace`, `replace_all` and `remove` change any."""

    @property
    def root(self) -> str:
        """The workspace's absolute, resolved directory."""

    @property
    def folds(self) -> bool:
        """True when this file system takes `A` and `a` for one name."""

    def resolve(self, path: str) -> str:
        """Return the absolute path that the kernel would reach, links followed.

        The deepest part that exists is resolved, the rest is kept; nothing need exist.
        """

    def known_as(self, place: str) -> Sequence[str]:
        """Return the other places by which rules know an absolute one, mostly none.

        What lies in another worktree of the same repository is known by its place in this one,
        and an agent's settings that a variable has moved by the place where they usually are.
        """

    def twins(self, place: str) -> Sequence[str]:
        """Return the other names of the file at an absolute place, mostly none.

        These are hard links, and its listed name where one directory alone folds names.
        Raises InputError `hard-linked` where there is one that cannot be looked for.
        """

    def machine(self) -> Files:
        """Return all files of the machine, those outside the workspace included."""

    def kind(self, path: RelPath) -> FileKind | None:
        """Return what the name stands for, or None when nothing is there."""

    def below(self, path: RelPath) -> Iterator[RelPath]:
        """Yield every file and link below a directory, links not followed."""

    def entries(self, path: RelPath | None) -> tuple[DirectoryEntry, ...]:
        """Return what a directory holds, by name; None is the workspace itself.

        Names that are no text are left out. Raises InputError `not-found`, `is-symlink` or
        `not-a-directory`.
        """

    def state(self, path: RelPath) -> FileState | None:
        """Return what is there now, or None. Raises InputError for what is no plain file."""

    def node(self, path: RelPath) -> FileState | None:
        """Return the file, link or directory that is there, or None.

        Raises InputError `not-a-file` for pipes, sockets and devices.
        """

    def link(self, path: RelPath) -> bytes:
        """Return the path that a symbolic link holds. Raises InputError `not-a-link`."""

    def read(self, path: RelPath) -> bytes:
        """Return the whole content. Raises InputError `not-found` or `not-a-file`."""

    def source(self, path: RelPath) -> Source:
        """Open the content for reading in pieces, for files too large to hold."""

    def replace(self, path: RelPath, new: bytes, *, expect: str | None) -> FileState:
        """Put `new` at `path` if it still holds `expect` (None: if nothing is there).

        Raises StaleError `base-changed` when it does not; the file is then untouched.
        """

    def remove(self, path: RelPath, *, expect: str) -> None:
        """Remove the file if it still holds `expect`. Raises StaleError otherwise."""

    def replace_all(self, plan: Sequence[PlannedWrite]) -> Sequence[FileState | None]:
        """Do all of a plan or nothing: all are staged and checked before the first shows.

        Raises what `replace` raises, and StoreError `half-applied` when putting back failed
        too: `recover` then ends what was begun.
        """

    def unmake(self, paths: Sequence[RelPath]) -> None:
        """Remove those of these directories that are empty, innermost first."""

    def recover(self) -> tuple[RecoveredWrite, ...]:
        """Finish or put back what a crash left, and clean up our own temporary files."""

    def sweep(self, path: RelPath, contents: Collection[bytes]) -> tuple[str, ...]:
        """Remove temporary files that an interrupted write of these contents left beside a file.

        For whoever knows of such a write after `recover`: a power cut may have lost its note.
        Returns the names that were removed.
        """


class LogEntry(Struct, frozen=True, kw_only=True):
    """A line that is on the chain now."""

    seq: int
    prev_hash: str
    event_hash: str


class AuditLog(Protocol):
    """The chain. Lines are only ever added."""

    def append(self, event: Mapping[str, object], *, durable: bool) -> LogEntry:
        """Add one line; with `durable` it has reached the disk. Raises AuditError."""

    def append_many(
        self, events: Sequence[Mapping[str, object]], *, durable: bool
    ) -> Sequence[LogEntry]:
        """Add several lines in one piece, all or none. Raises AuditError."""

    def lines(self, query: Query) -> Iterator[bytes]:
        """Yield the lines that a query asks for, oldest first, without their newlines."""


class Clock(Protocol):
    """Time, ids and randomness, so that tests choose them."""

    def now(self) -> Moment:
        """Return the present; its wall time never goes back within one store."""

    def token(self) -> str:
        """Return a fresh unguessable id, 32 hexadecimal digits."""

    def sleep(self, seconds: float) -> None:
        """Let some time pass."""


Recording = Callable[["Sequence[Proposal]"], object]


def unrecorded(_: Sequence[Proposal]) -> None:
    """Put nothing on the record."""


class Proposals(Protocol):
    """The queue. Several processes may use it at once."""

    def add(self, proposals: Sequence[Proposal], *, record: Recording = unrecorded) -> None:
        """Store new proposals, all or none. An id that exists is InputError `id-taken`.

        `record` is called before they are kept, and nothing is kept where it fails.
        """

    def get(self, proposal_id: str) -> Proposal | None:
        """Return one proposal, or None."""

    def of_set(self, set_id: str) -> tuple[Proposal, ...]:
        """Return the proposals of a set in the order they were added."""

    def find(
        self, *, states: Collection[State] = (), path: str = "", limit: int = 1000
    ) -> tuple[Proposal, ...]:
        """Return proposals, newest last; no states means all."""

    def open(self) -> tuple[Proposal, ...]:
        """Return everything that is waiting or approved, oldest first, however much there is.

        The same tuple comes again while nothing has changed.
        """

    def move(
        self,
        proposal_id: str,
        move: Transition,
        *,
        answer: Answer | None = None,
        at: Moment | None = None,
        token: str = "",
    ) -> Proposal:
        """Make one move of the table and return what is stored then.

        Exactly one of several processes making the same move succeeds; the others get
        StaleError. RENEW sets `created` to `at`. What is claimed moves only for the holder
        of `token`. Raises InputError `not-found`.
        """

    def answer(
        self,
        answers: Mapping[str, Answer],
        move: Transition,
        *,
        record: Recording = unrecorded,
    ) -> tuple[Proposal, ...]:
        """Make the move of an answer for each of several proposals, all or none.

        `record` is called with what they become before that is kept; where it fails nothing is.
        """

    def supersede(
        self, new: Sequence[Proposal], *, rejected: Mapping[str, Answer]
    ) -> tuple[Proposal, ...]:
        """Store new versions, close the `parent` of each, and reject others, all or none.

        A parent that stands among the rejected is closed with that answer: of it a part was taken.
        Returns what was closed: the parents in their order, then what was rejected.
        """

    def claim(self, proposal_ids: Sequence[str], *, token: str) -> tuple[Proposal, ...]:
        """Take approved proposals for writing, all or none; StaleError `claimed` otherwise."""

    def release(self, token: str) -> None:
        """Give up a claim: nothing was written."""

    def claimed(self) -> tuple[tuple[str, Proposal], ...]:
        """Return what is claimed with its token: what a crash may have left in the middle."""

    def abandoned(self) -> tuple[tuple[str, Proposal], ...]:
        """Return the claims whose process is gone: what a crash left in the middle."""

    def take_over(self, token: str, *, new: str) -> bool:
        """Take a claim whose process is gone under a new name; False where somebody else did."""

    def settle(self, receipts: Sequence[Receipt], *, token: str) -> None:
        """Store what was written and close it, all or none, and give up the claim.

        Receipts that are there and proposals that are closed as applied stay as they are.
        """

    def add_receipt(self, receipt: Receipt) -> None:
        """Store a receipt. The same id twice is InputError `id-taken`."""

    def receipt(self, receipt_id: str) -> Receipt | None:
        """Return one receipt, or None."""

    def receipts(
        self, *, path: str = "", set_id: str = "", limit: int = 1000
    ) -> tuple[Receipt, ...]:
        """Return receipts, newest first."""

    def forget(self, *, before: float, limit: int = 1000) -> int:
        """Drop the oldest closed proposals and receipts from before a wall time; return how many.

        What is open stays, and so does every member of a set in which one is open. At most
        `limit` of each are dropped.
        """

    def last_wall(self, at_least: float) -> float:
        """Remember a wall time and return the latest one ever remembered."""


class Blobs(Protocol):
    """Before and after images, found by their digest."""

    def put(self, data: bytes) -> str:
        """Keep some bytes and return their digest."""

    def get(self, digest: str) -> bytes | None:
        """Return the bytes, checked against their digest, or None when they are gone."""

    def prune(
        self,
        *,
        budget: int,
        keep: Collection[str],
        spare: Collection[str] = (),
        before: float = 0.0,
        at: float | None = None,
    ) -> int:
        """Drop the oldest images until the budget holds, never those in `keep`.

        Those in `spare` go last, and only for the budget; all others that were put before a
        wall time go as well. `at` is what `pruned_at` returns from then on.
        """

    def pruned_at(self) -> float:
        """Return the wall time of the last `prune` that said one, 0 when there was none."""

    def size(self) -> int:
        """Return how many bytes the images take."""


class Version(Struct, frozen=True, kw_only=True):
    """One rules file before and after an edit; `path` is absolute, every link resolved."""

    path: str
    before: bytes
    after: bytes


class VersionKind(StrEnum):
    """How an earlier version of a rules file is kept."""

    GIT = "git"
    BACKUP = "backup"


class KeptVersion(Struct, frozen=True, kw_only=True):
    """Where the version before an edit is found: a commit's id, or a copy's path.

    `commit` is the commit that holds the edit itself, "" where there is none.
    """

    path: str
    kind: VersionKind
    previous: str
    commit: str = ""


class PendingVersions(Protocol):
    """Versions that are safe, of an edit that is not yet made."""

    def publish(self) -> tuple[KeptVersion, ...]:
        """The files hold the edit now: make it part of the history, and say where."""

    def drop(self) -> None:
        """The edit was not made: leave no trace of it."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What did not go as it should, for a person."""


class History(Protocol):
    """The versions of rules files. It only grows."""

    def prepare(
        self, versions: Sequence[Version], *, message: str, snapshot: str
    ) -> PendingVersions:
        """Make the versions before an edit safe. Raises StoreError: then nothing may be edited.

        Without a message no commit is made of it; copies are kept.
        """

    def at(self, path: str, *, commit: str = "", backup: str = "") -> bytes:
        """Return an earlier version of a file. Raises InputError when there is no such."""


class GitChange(Struct, frozen=True, kw_only=True):
    """One path, relative to the top of its work tree, that differs; `action` is how."""

    path: str
    action: Action
    lines: int = 0  # added and removed, where files were compared


class GitCommit(Struct, frozen=True, kw_only=True):
    """A commit, and the first line of what it says of itself."""

    id: str
    subject: str = ""


class GitRepository(Protocol):
    """A git repository that is looked at and never changed; nothing of its own choosing runs.

    Names of revisions and pathspecs are git's own, relative to the directory that was asked for.
    Raises StoreError where git cannot tell, or not in time.
    """

    @property
    def top(self) -> str:
        """The absolute top of the work tree, every link resolved."""

    @property
    def folder(self) -> str:
        """The absolute directory that refs and objects lie in."""

    def commit(self, name: str, *, kind: str = "commit") -> str:
        """Return the id of the commit (or, as `kind` says, tree) that a name means, or nothing."""

    def remote_branch(self, name: str) -> str:
        """Return the remote branch that `git checkout NAME` would start from, or nothing."""

    def base(self, one: str, other: str) -> str:
        """Return the merge base of two commits, or nothing."""

    def revisions(self, words: Sequence[str]) -> tuple[str, ...]:
        """Return the commits that `git rev-list` lists for some words of its own."""

    def describe(self, words: Sequence[str]) -> str:
        """Return what `git describe` says with some words of its own, or nothing."""

    def changed(
        self, before: str, after: str = "", *, paths: Sequence[str] = ()
    ) -> tuple[GitChange, ...]:
        """Return what differs between a revision ("" is the index) and another, or the files."""

    def of_commits(self, names: Sequence[str], *, span: bool) -> tuple[GitChange, ...]:
        """Return what some commits changed; `span` for ranges, which git walks along."""

    def staged(self, *, paths: Sequence[str] = ()) -> tuple[GitChange, ...]:
        """Return what differs between HEAD and the index."""

    def unmerged(self) -> tuple[str, ...]:
        """Return the paths that a merge left for somebody to resolve."""

    def untracked(
        self,
        *,
        paths: Sequence[str] = (),
        ignored: str = "",
        left_out: Sequence[str] = (),
        collapsed: bool = False,
    ) -> tuple[str, ...]:
        """Return files that git does not know; `ignored` is "", "also" or "only".

        A directory that holds a repository of its own is one name with a slash behind it; with
        `collapsed` every directory without a known file is.
        """

    def unsaved(self) -> tuple[str, ...]:
        """Return the files below the directory that are in no commit as they are, nor ignored."""

    def tracked(self, *, paths: Sequence[str]) -> tuple[str, ...]:
        """Return the known files that pathspecs meet."""

    def refs(self, pattern: str) -> Mapping[str, str]:
        """Return the full names of refs below a prefix, with the object of each."""

    def unfinished(self) -> tuple[str, ...] | None:
        """Return the paths that a merge, rebase, pick or patch brings which waits for somebody.

        None where none waits.
        """

    def submodules(self) -> tuple[str, ...]:
        """Return the paths of the submodules that the work tree names."""

    def holds(self, place: str, commit: str) -> bool:
        """Say whether a revision has every file as a commit has it that the commit changed."""

    def lost_with(
        self, refs: Sequence[str], *, also: Sequence[str] = (), head: bool = True
    ) -> tuple[GitCommit, ...]:
        """Return the commits that neither other refs nor `also` would reach without these.

        Without `head` what HEAD means does not count, because it goes along.
        """

    def stashes(self) -> tuple[GitCommit, ...]:
        """Return the stashes, newest first."""

    def unreachable(self, *, reflogs: bool) -> tuple[GitCommit, ...]:
        """Return commits that no ref reaches; `reflogs`: those that only reflogs reach."""

    def pack(self, commits: Sequence[str]) -> Mapping[str, bytes]:
        """Return commits with all that only they need as the files of a pack, by file name."""

    def patched(self, files: Sequence[str], *, below: str = "") -> tuple[GitChange, ...]:
        """Return what patches in some files would change."""

    def branch(self) -> str:
        """Return the short name of the present branch, or nothing."""

    def default_branch(self, remote: str) -> str:
        """Return the short name of the branch that a clone of a remote would start on."""

    def lost_at(self, remote: str, ref: str) -> bool:
        """Say whether a remote's branch holds commits that none of its other branches has."""

    def settings(self, prefix: str) -> tuple[tuple[str, str], ...]:
        """Return settings whose names begin so (in lower case), in git's order."""


class Repositories(Protocol):
    """Where repositories are found."""

    def at(self, folder: str, *, git_dir: str = "", work_tree: str = "") -> GitRepository | None:
        """Return the repository of a directory; None where there is none."""
