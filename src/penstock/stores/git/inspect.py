"""Look at a git repository: what would change, what is not committed, what nothing else reaches.

The real git is asked, by commands that only read (`run` keeps hooks, filters, monitors, pagers
and the network off). What the answers mean for a verdict is the gate's.
Always true: nothing is written, not even the index; every question ends in time, and an answer
beyond measure is none. A repository that was found is one look: the same question has one answer.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from penstock.core.errors import InputError
from penstock.core.model import Action
from penstock.ports import GitChange, GitCommit
from penstock.stores.git.run import GitError, failed, filters_off, program, run

SECONDS = 2.0  # for one question; a hook has three for all
MOST_BYTES = 4 << 20
MOST_COMMITS = 100
MOST_KEPT = 1 << 16  # bytes of an answer that is kept for the next who asks the same
LARGEST_PACK = 16 << 20
_ACTIONS = {"A": Action.CREATE, "D": Action.DELETE}
# Patterns are git's own here, and what replaces an object for git replaces it for us.
_AS_GIT_DOES: Mapping[str, str | None] = {
    "GIT_LITERAL_PATHSPECS": None,
    "GIT_NO_REPLACE_OBJECTS": None,
}
_DIFF = ("-z", "--raw", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-relative")
# A look into a submodule would obey its own settings; what it points to is no file of this tree.
_SUBMODULES = {False: "--ignore-submodules=dirty", True: "--ignore-submodules=all"}
# Otherwise comparing files writes what was learnt of them into the index.
_QUIET = (
    *("-c", "diff.autoRefreshIndex=false", "-c", "log.showSignature=false"),
    *("-c", "log.showRoot=true"),
)
_NOT_ONE = ("not a git repository", "must be run in a work tree", "does not exist")


def inspected(folder: str, *, git_dir: str, work_tree: str) -> InspectedRepository | None:
    """Return the repository of a directory; None where git finds none, or there is no git."""
    if not program(folder):
        return None
    options = [f"--git-dir={git_dir}"] if git_dir else []
    options += [f"--work-tree={work_tree}"] if work_tree else []
    try:
        common, own, top, head = _places(folder, options)
    except GitError as fault:
        if any(words in fault.because for words in _NOT_ONE):
            return None
        raise
    return InspectedRepository(
        top=os.path.realpath(os.fsdecode(top)),
        folder=os.path.realpath(os.fsdecode(common)),
        own=os.path.realpath(os.fsdecode(own)),
        at=folder,
        options=tuple(options),
        known={("HEAD", "commit"): head.decode("ascii", "replace")},
    )


def _places(folder: str, options: Sequence[str]) -> list[bytes]:
    """Return a repository's common and own directory, the top of its work tree, and HEAD's commit.

    One question answers all, unless there is a line break in a name.
    """

    def ask(*words: str) -> bytes:
        words = ("rev-parse", "--path-format=absolute", *words)
        return run(folder, *options, *words, right=(0, 1), seconds=SECONDS)[1]

    places = ("--git-common-dir", "--git-dir", "--show-toplevel")
    head = ("--verify", "--quiet", "HEAD^{commit}")
    output = ask(*places, *head).removesuffix(b"\n").split(b"\n")
    if len(output) > 4 or (len(output) == 4 and not output[3].isalnum()):
        output = [ask(*words).removesuffix(b"\n") for words in (*((one,) for one in places), head)]
    return output if len(output) == 4 else [*output, b""]


class InspectedRepository(Struct, frozen=True, dict=True):
    """One repository, asked from a directory in it."""

    top: str
    folder: str
    own: str  # where this work tree has its HEAD and its index
    at: str
    options: tuple[str, ...] = ()
    known: dict[tuple[str, str], str] = field(default_factory=dict)
    answers: dict[tuple[object, ...], bytes] = field(default_factory=dict)

    @cached_property
    def _no_filters(self) -> Mapping[str, str]:
        return filters_off([key for key, _ in self._settings])

    @cached_property
    def _settings(self) -> tuple[tuple[str, str], ...]:
        output = os.fsdecode(self._ask("config", "--null", "--list"))
        entries = [entry.partition("\n")[::2] for entry in output.split("\0") if entry]
        return tuple((key, value) for key, value in entries)

    def _ask(
        self,
        *words: str,
        stdin: bytes = b"",
        right: Sequence[int] = (0,),
        top: bool = False,
        contents: bool = False,
    ) -> bytes:
        """Ask git; `contents` where it reads files of the work tree, and filters would run."""
        question = (*words, stdin, top, contents)
        if question in self.answers:
            return self.answers[question]
        output = run(
            self.top if top else self.at,
            *(*_QUIET, *self.options, *words),
            stdin=stdin,
            more={**_AS_GIT_DOES, **(self._no_filters if contents else {})},
            right=right,
            seconds=SECONDS,
        )[1]
        if len(output) > MOST_BYTES:
            raise failed(words, "it says more than is read")
        if len(output) <= MOST_KEPT:
            self.answers[question] = output
        return output

    def _maybe(self, *words: str) -> str:
        """Return one line, or nothing where git does not know."""
        try:
            return os.fsdecode(self._ask(*words)).strip()
        except GitError:
            return ""

    # Revisions

    def commit(self, name: str, *, kind: str = "commit") -> str:
        """Return the id of the commit (or tree) that a name means, or nothing."""
        if (name.startswith("-") and name != "-") or "\0" in name or not name:
            return ""
        if (name, kind) not in self.known:
            spelt = "@{-1}" if name == "-" else name
            words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{spelt}^{{{kind}}}")
            found = self._maybe(*words).split("\n")[-1]
            self.known[name, kind] = found if found and found.isalnum() else ""
        return self.known[name, kind]

    def remote_branch(self, name: str) -> str:
        """Return the remote branch that `git checkout NAME` would start from, or nothing."""
        found = [ref for ref in self.refs("refs/remotes/") if ref.split("/", 3)[3:] == [name]]
        return found[0] if len(found) == 1 else ""

    def base(self, one: str, other: str) -> str:
        """Return the merge base of two commits, or nothing."""
        return self._maybe("merge-base", one, other).split("\n")[0]

    def revisions(self, words: Sequence[str]) -> tuple[str, ...]:
        """Return the commits that `git rev-list` lists for some words of its own."""
        return tuple(self._maybe("rev-list", *words).split())

    def describe(self, words: Sequence[str]) -> str:
        """Return what `git describe` says with some words of its own, or nothing."""
        return self._maybe("describe", *words).split("\n")[0]

    # Files

    def changed(
        self, before: str, after: str = "", *, paths: Sequence[str] = ()
    ) -> tuple[GitChange, ...]:
        """Return what differs between a revision ("" is the index) and another, or the files."""
        what = [name for name in (before, after) if name]
        if after:
            return tuple(_told(self._diff(*what, "--", *paths)))
        # A file that was only saved again is told as well; counting lines compares contents.
        output = self._diff("--numstat", *what, "--", *paths, here=True)
        lines = dict(_counted(output))
        return tuple(
            replace(one, lines=lines[one.path]) for one in _told(output) if one.path in lines
        )

    def staged(self, *, paths: Sequence[str] = ()) -> tuple[GitChange, ...]:
        """Return what differs between HEAD and the index."""
        return tuple(_told(self._diff("--cached", "--", *paths, here=True)))

    def unmerged(self) -> tuple[str, ...]:
        """Return the paths that a merge left for somebody to resolve."""
        output = self._diff("--diff-filter=U", here=True, top=True)
        return tuple(dict.fromkeys(one.path for one in _told(output)))

    def _diff(self, *words: str, here: bool = False, top: bool = False) -> bytes:
        return self._ask("diff", *_DIFF, _SUBMODULES[here], *words, top=top, contents=here)

    def unfinished(self) -> tuple[str, ...] | None:
        """Return what a merge, rebase, pick or patch brings that waits for somebody."""
        names = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD")
        waits = [name for name in names if os.path.lexists(f"{self.own}/{name}")]
        waiting = [*waits, "rebase-merge", "rebase-apply"]
        if not any(os.path.lexists(f"{self.own}/{name}") for name in waiting):
            return None
        found = list(self.unmerged())
        for name in waits:
            found += (one.path for one in self._brought_by(name))
        patch = f"{self.own}/rebase-apply/patch"
        with suppress(GitError):
            found += (one.path for one in self.patched([patch] if os.path.isfile(patch) else []))
        return tuple(dict.fromkeys(found))

    def _brought_by(self, name: str) -> tuple[GitChange, ...]:
        commit = self.commit(name)
        if name != "MERGE_HEAD" or not commit:
            return self.of_commits([commit], span=False) if commit else ()
        return self.changed(self.base("HEAD", commit) or "HEAD", commit)

    def holds(self, place: str, commit: str) -> bool:
        """Say whether a revision has every file as a commit has it that the commit changed."""
        other = self.commit(place)
        base = self.base(other, commit) if other and other != commit else ""
        if not base or base == other:
            return False
        changed = {one.path for one in self.changed(base, commit)}
        return changed.isdisjoint(one.path for one in self.changed(other, commit))

    def submodules(self) -> tuple[str, ...]:
        """Return the paths of the submodules that the work tree names."""
        file = f"{self.top}/.gitmodules"
        if not os.path.isfile(file):
            return ()
        words = ("config", "--null", "--file", file, "--get-regexp", r"^submodule\..*\.path$")
        output = os.fsdecode(self._ask(*words, right=(0, 1)))
        return tuple(entry.partition("\n")[2] for entry in output.split("\0") if entry)

    def of_commits(self, names: Sequence[str], *, span: bool) -> tuple[GitChange, ...]:
        """Return what some commits changed; `span` for ranges, which git walks along."""
        walk = f"-n{MOST_COMMITS}" if span else "--no-walk"  # a number would make it walk
        words = ("log", walk, "--format=", "-m", "--first-parent")
        output = self._ask(*words, *_DIFF, _SUBMODULES[False], "--end-of-options", *names, "--")
        return tuple(_told(output))

    def patched(self, files: Sequence[str], *, below: str = "") -> tuple[GitChange, ...]:
        """Return what patches in some files would change; nothing is applied."""
        words = ["apply", "--numstat", "-z", *([f"--directory={below}"] if below else [])]
        if not files:
            return ()
        output = self._ask(*words, "--", *files)
        return tuple(GitChange(path=path, action=Action.WRITE) for path, _ in _counted(output))

    def untracked(
        self,
        *,
        paths: Sequence[str] = (),
        ignored: str = "",
        left_out: Sequence[str] = (),
        collapsed: bool = False,
    ) -> tuple[str, ...]:
        """Return files that git does not know; `ignored` is "", "also" or "only"."""
        words = ["ls-files", "-z", "--others", "--full-name"]
        words += [f"--exclude={pattern}" for pattern in left_out]
        words += ["--exclude-standard"] if ignored != "also" else []
        words += ["--ignored"] if ignored == "only" else []
        words += ["--directory"] if collapsed else []
        output = self._ask(*words, "--", *paths)
        return tuple(map(os.fsdecode, output.split(b"\0")[:-1]))

    def unsaved(self) -> tuple[str, ...]:
        """Return the files below the directory that are in no commit as they are, nor ignored."""
        words = ("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames")
        output = self._ask(*words, "--ignore-submodules=dirty", "--", ".")
        return tuple(os.fsdecode(entry[3:]) for entry in output.split(b"\0")[:-1])

    def tracked(self, *, paths: Sequence[str]) -> tuple[str, ...]:
        """Return the known files that pathspecs meet."""
        output = self._ask("ls-files", "-z", "--full-name", "--", *paths)
        return tuple(dict.fromkeys(map(os.fsdecode, output.split(b"\0")[:-1])))

    # Names of commits

    def refs(self, pattern: str) -> Mapping[str, str]:
        """Return the full names of refs below a prefix, with the object of each."""
        words = ("for-each-ref", "--format=%(refname)%00%(objectname)")
        output = os.fsdecode(self._ask(*words, "--", pattern))
        pairs = [line.partition("\0")[::2] for line in output.split("\n") if line]
        return {name: oid for name, oid in pairs if name.startswith(pattern)}

    def lost_with(
        self, refs: Sequence[str], *, also: Sequence[str] = (), head: bool = True
    ) -> tuple[GitCommit, ...]:
        """Return the commits that neither other refs nor `also` would reach without these."""
        there = [ref for ref in refs if self.commit(ref)]
        if not there:
            return ()
        left_out = [f"--exclude={ref}" for ref in there]
        # HEAD is one of all; a merge alone is made again.
        others = ("--all", "HEAD") if head else ("--glob=refs/*", "--no-merges")
        return self._log(*there, "--not", *left_out, *others, *also)

    def unreachable(self, *, reflogs: bool) -> tuple[GitCommit, ...]:
        """Return commits that no ref reaches; `reflogs`: those that only reflogs reach."""
        if reflogs:
            return self._log("--reflog", "--not", "--all")
        words = ("fsck", "--unreachable", "--no-progress", "--connectivity-only")
        lines = self._ask(*words, right=(0, 1, 2, 3, 4)).decode("ascii", "replace").split("\n")
        found = [line.split()[2] for line in lines if line.startswith("unreachable commit ")]
        return self._log("--no-walk", *found[:MOST_COMMITS]) if found else ()

    def lost_at(self, remote: str, ref: str) -> bool:
        """Say whether a remote's branch holds commits that none of its other branches has."""
        others = [name for name in self.refs(f"refs/remotes/{remote}/") if name != ref]
        return bool(self._log(ref, "--not", *others))

    def branch(self) -> str:
        """Return the short name of the present branch, or nothing."""
        return self._maybe("symbolic-ref", "--quiet", "--short", "HEAD")

    def default_branch(self, remote: str) -> str:
        """Return the short name of the branch that a clone of a remote would start on."""
        name = self._maybe("symbolic-ref", "--quiet", f"refs/remotes/{remote}/HEAD")
        return name.removeprefix(f"refs/remotes/{remote}/")

    def stashes(self) -> tuple[GitCommit, ...]:
        """Return the stashes, newest first."""
        if not self.commit("refs/stash"):
            return ()
        return self._log("--walk-reflogs", "refs/stash", subject="%gs")

    def _log(self, *words: str, subject: str = "%s") -> tuple[GitCommit, ...]:
        form = f"--format=%H%x00{subject}"
        most = () if "--no-walk" in words else (f"-n{MOST_COMMITS}",)
        output = os.fsdecode(self._ask("log", "-z", *most, form, *words, "--"))
        parts = output.rstrip("\0").split("\0") if output else []
        pairs = zip(parts[::2], parts[1::2], strict=False)
        return tuple(GitCommit(id=oid.strip(), subject=said) for oid, said in pairs)

    def pack(self, commits: Sequence[str]) -> Mapping[str, bytes]:
        """Return commits with all that only they need as the files of a pack, by file name."""
        reached = [f"^{oid}" for oid in dict.fromkeys(self.refs("refs/").values())]
        import tempfile  # few calls lose a commit

        asked = "".join(f"{line}\n" for line in (*commits, *reached))
        with tempfile.TemporaryDirectory(prefix="penstock-pack-") as folder:
            words = ("pack-objects", "-q", "--revs", "--no-reuse-delta", f"{folder}/pack")
            self._ask(*words, stdin=asked.encode())
            names = sorted(os.listdir(folder))
            if sum(os.path.getsize(f"{folder}/{name}") for name in names) > LARGEST_PACK:
                raise failed(words, "the commits are too large to be kept")
            return {name: _bytes(f"{folder}/{name}") for name in names}

    def settings(self, prefix: str) -> tuple[tuple[str, str], ...]:
        """Return settings whose names begin so (in lower case), in git's order."""
        return tuple(pair for pair in self._settings if pair[0].lower().startswith(prefix))


def _told(output: bytes) -> Iterator[GitChange]:
    """Read `--raw -z`: modes, objects and a letter behind a colon, then a path."""
    parts = iter(output.split(b"\0"))
    for part in parts:
        if part.lstrip(b"\n").startswith(b":"):
            letter = part.rpartition(b" ")[2][:1].decode("ascii", "replace")
            action = _ACTIONS.get(letter, Action.WRITE)
            yield GitChange(path=os.fsdecode(next(parts, b"")), action=action)


def _counted(output: bytes) -> Iterator[tuple[str, int]]:
    """Read `--numstat -z`: lines added, lines removed (a dash for bytes), and a path."""
    for entry in output.split(b"\0"):
        added, _, rest = entry.partition(b"\t")
        removed, tab, path = rest.partition(b"\t")
        if tab:
            numbers = [int(n) if n.isdigit() else 1 for n in (added.strip(), removed)]
            yield os.fsdecode(path), sum(numbers)


def _bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as fault:
        raise InputError("not-found", f"`{path}` is gone", because=str(fault)) from None
