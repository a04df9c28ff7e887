"""Commits of isolated runs: brought out of a layer, checked apart, and put below refs of ours.

It joins the stores that run git inside a layer and those that check a pack outside of it. Which
commits may leave is the door's to find out, with the gate. A submodule is a repository like the
project's own.
Always true: git never runs on a run's repository except inside that run's layer.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property

from msgspec import Struct

from penstock.app.isolated_runs import IsolatedRuns
from penstock.core.errors import StoreError
from penstock.core.run.commits import DETACHED, HEADS, REFS, BranchTip, parse_tips
from penstock.stores.files import syscalls as file_syscalls
from penstock.stores.files.beneath import Beneath
from penstock.stores.git.fast_forward import FastForward
from penstock.stores.git.ignore import submodules
from penstock.stores.git.quarantine import (
    LARGEST_PACK,
    PackQuarantine,
    refs_of,
    stashes_of,
    write_refs,
)
from penstock.stores.git.repository import Repository, repository_of
from penstock.stores.git.run import OPTIONS, GitError, environment
from penstock.stores.isolation.capture import capture
from penstock.stores.isolation.mounts import is_below

__all__ = ["FastForward", "PackQuarantine", "Repository", "RunCommits", "current_branch"]

LARGEST_LISTING = 16 << 20
EXPORT_SECONDS = 120.0
FOLDER = "quarantine"
# Where a change of a repository can mean that there is something to bring.
TRACES = (("objects",), ("refs", "tags"), ("reftable",))
# Inside the run: its branches, tags, stashes and its HEAD, an empty line, and a pack of what the
# real repository does not have. Which that is comes in as ids; some of them may be gone inside.
EXPORT = """
cd "$0" || exit 3
refs() {
  git "$@" for-each-ref --format='%(objectname) %(refname)' refs/heads/ refs/tags/ || return 3
  git "$@" log --walk-reflogs --format='%H refs/stash' refs/stash -- 2>/dev/null || :
}
head() { git "$@" rev-parse -q --verify 'HEAD^{commit}'; }
listed=$(refs "$@") || exit 3
[ -z "$listed" ] || printf '%s\\n' "$listed"
printf '%s HEAD\\n\\n' "$(head "$@")"
known=$(git "$@" cat-file --batch-check='^%(objectname)' | grep '^^')
{
  [ -z "$listed" ] || printf '%s\\n' "$listed" | cut -d' ' -f1
  head "$@"
  printf '%s\\n' "$known"
} | git "$@" pack-objects -q --revs --stdout --no-use-bitmap-index
"""


class RunCommits(Struct, frozen=True, dict=True):
    """The commits that runs of a workspace made."""

    runs: IsolatedRuns

    @cached_property
    def repository(self) -> Repository | None:
        """The real repository of the project, if it has one that git accepts."""
        return _repository(self.runs.here.root)

    @cached_property
    def repositories(self) -> Mapping[str, Repository]:
        """The project's repository and those of its submodules, by their place in the project.

        Submodules come first: a commit of the project can name one of theirs.
        """
        root = self.runs.here.root
        places = [*reversed(submodules(root)), ""] if self.repository else []
        found = {place: _repository(os.path.join(root, place)) for place in places}
        return {place: one for place, one in found.items() if one is not None}

    def made(self, run: str, repository: Repository) -> bool:
        """Say whether a run left something of git that may lead to commits of its own."""
        layer = self._layer(run, repository)
        if layer is None:
            return False
        upper, above = layer
        beneath = Beneath(root=upper, by_openat2=file_syscalls.openat2_offered())
        for trace in TRACES:
            with suppress(OSError):
                folder = beneath.open((*above, *trace))
                try:
                    if os.listdir(folder):
                        return True
                finally:
                    os.close(folder)
        return os.path.lexists(os.path.join(upper, *above, "packed-refs"))

    def _layer(self, run: str, repository: Repository) -> tuple[str, tuple[str, ...]] | None:
        """Return the layer that a repository lies in, with the way to it; None without any."""
        root, common = self.runs.here.root, os.path.realpath(repository.common)
        outside = self.runs.repository_outside()
        upper, real = self.runs.layer(run).upper, root
        if outside and is_below(common, outside):
            upper, real = os.path.join(self.runs.records.path(run), "git", "upper"), outside
        if not is_below(common, real) or not os.path.isdir(upper) or not os.listdir(upper):
            return None  # after most commands that only look nothing is there
        way = os.path.relpath(common, real)
        return upper, () if way == "." else tuple(way.split("/"))

    @contextmanager
    def exported(
        self, run: str, repository: Repository
    ) -> Iterator[tuple[PackQuarantine, tuple[BranchTip, ...]]]:
        """Give what a run committed, checked, in a quarantine that is gone afterwards."""
        folder = os.path.join(self.runs.records.path(run), FOLDER)
        held = PackQuarantine(repository=repository, folder=folder)
        held.drop()
        held.make()
        try:
            tips = self._export(run, repository, held.pack)
            held.check(tips)
            yield held, tips
        finally:
            held.drop()

    def _export(self, run: str, repository: Repository, pack: str) -> tuple[BranchTip, ...]:
        """Have the run's own git print its branches and a pack; split the two."""
        refs = refs_of(repository, "refs")
        environ = {**environment(os.environ), "GIT_CONFIG_GLOBAL": os.devnull}
        top = self.runs.inside(run, repository.top)
        command = ("/bin/sh", "-c", EXPORT, top, *OPTIONS)
        with open(f"{pack}.stream", "w+b") as stream:
            code = capture(
                self.runs.looking(run, command, environ), name="git",
                stdin="".join(f"{one}\n" for one in sorted(set(refs.values()))).encode(),
                into=stream.fileno(), largest=LARGEST_PACK, seconds=EXPORT_SECONDS,
            )  # fmt: skip
            if code:
                raise _unreadable(f"git ended with {code} in the run")
            stream.seek(0)
            listing, end, _ = stream.read(LARGEST_LISTING).partition(b"\n\n")
            stream.seek(len(listing) + len(end))
            with open(pack, "wb") as file:
                while piece := stream.read(1 << 20):
                    file.write(piece)
        os.unlink(f"{pack}.stream")
        try:
            return parse_tips(listing, refs, stashes_of(repository))
        except ValueError as fault:
            raise _unreadable(str(fault)) from None

    def refs(self, run: str, repository: Repository) -> Mapping[str, str]:
        """Return the refs that a run left in a real repository."""
        return refs_of(repository, f"{REFS}{run}/")

    def drop_refs(self, run: str) -> int:
        """Remove the refs of a run; return how many there were."""
        count = 0
        for repository in self.repositories.values():
            found = self.refs(run, repository)
            if found:
                write_refs(repository, dict.fromkeys(found, ""))
            count += len(found)
        return count


def current_branch(forward: FastForward) -> str:
    """Return the name of the branch that a work tree is on; `HEAD` where it is on none."""
    return forward.branch().removeprefix(HEADS) or DETACHED


def _repository(folder: str) -> Repository | None:
    try:
        return repository_of(os.path.join(folder, ".git"))
    except GitError:
        return None


def _unreadable(because: str) -> StoreError:
    return StoreError(
        "run-output",
        "the commits of the run could not be read",
        because=because,
        hint="look at them inside: `penstock runs enter RUN git log`",
    )
