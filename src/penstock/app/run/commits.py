"""Commits of isolated runs: brought out of a layer, checked apart, and put below refs of ours.

It joins the stores that run git inside a layer and those that check a pack outside of it. Which
commits may leave is the door's to find out, with the gate.
Always true: git never runs on a run's repository except inside that run's layer.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property

from penstock.app.isolated_runs import IsolatedRuns
from penstock.core.errors import StoreError
from penstock.core.run.commits import HEADS, REFS, BranchTip, parse_tips
from penstock.stores.files import syscalls as file_syscalls
from penstock.stores.files.beneath import Beneath
from penstock.stores.git.fast_forward import FastForward
from penstock.stores.git.quarantine import LARGEST_PACK, PackQuarantine, refs_of, write_refs
from penstock.stores.git.repository import Repository, repository_of
from penstock.stores.git.run import OPTIONS, GitError, environment
from penstock.stores.isolation.capture import capture

__all__ = ["FastForward", "PackQuarantine", "RunCommits"]

LARGEST_LISTING = 1 << 20
EXPORT_SECONDS = 120.0
FOLDER = "quarantine"
# Inside the run: its branches and its HEAD, an empty line, and a pack of what the real
# repository does not have. Which that is comes in as ids; some of them may be gone inside.
EXPORT = """
cd "$0" || exit 3
heads() { git "$@" for-each-ref --format='%(objectname) %(refname)' refs/heads/; }
head() { git "$@" rev-parse -q --verify 'HEAD^{commit}'; }
heads "$@" || exit 3
printf '%s HEAD\\n\\n' "$(head "$@")"
known=$(git "$@" cat-file --batch-check='^%(objectname)' | grep '^^')
{ heads "$@" | cut -d' ' -f1; head "$@"; printf '%s\\n' "$known"; } |
git "$@" pack-objects -q --revs --stdout --no-use-bitmap-index
"""


@dataclass(frozen=True)
class RunCommits:
    """The commits that runs of a workspace made."""

    runs: IsolatedRuns

    @cached_property
    def repository(self) -> Repository | None:
        """The real repository of the project, if it has one that git accepts."""
        try:
            return repository_of(os.path.join(self.runs.here.root, ".git"))
        except GitError:
            return None

    def made(self, run: str) -> bool:
        """Say whether a run made objects of git; without any there are no commits of its own."""
        layers = (self.runs.layer(run).upper, os.path.join(self.runs.records.path(run), "git"))
        if not any(os.path.isdir(one) and os.listdir(one) for one in layers):
            return False  # most runs of a command that only looks: git need not be asked
        repository = self.repository
        if repository is None:
            return False
        upper, above = self._layer(run, repository)
        beneath = Beneath(root=upper, by_openat2=file_syscalls.openat2_offered())
        with suppress(OSError):
            folder = beneath.open((*above, "objects"))
            try:
                return bool(os.listdir(folder))
            finally:
                os.close(folder)
        return False

    def _layer(self, run: str, repository: Repository) -> tuple[str, tuple[str, ...]]:
        root, common = self.runs.here.root, os.path.realpath(repository.common)
        if self.runs.repository_outside():
            return os.path.join(self.runs.records.path(run), "git", "upper"), ()
        return self.runs.layer(run).upper, tuple(os.path.relpath(common, root).split("/"))

    @contextmanager
    def exported(self, run: str) -> Iterator[tuple[PackQuarantine, tuple[BranchTip, ...]]]:
        """Give what a run committed, checked, in a quarantine that is gone afterwards."""
        repository = self.repository
        if repository is None:
            raise StoreError(
                "no-repository",
                "the project has no git repository",
                because="git finds none, or refuses to use it",
                hint="see what `git status` says in the project",
            )
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
        known = sorted(set(refs_of(repository, "refs").values()))
        plan = replace(self.runs.plan(run), directory=self.runs.here.root)
        environ = {**environment(os.environ), "GIT_CONFIG_GLOBAL": os.devnull}
        command = ("/bin/sh", "-c", EXPORT, self.runs.here.root, *OPTIONS)
        with open(f"{pack}.stream", "w+b") as stream:
            code = capture(
                plan, command, environ,
                stdin="".join(f"{one}\n" for one in known).encode(),
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
            return parse_tips(listing)
        except ValueError as fault:
            raise _unreadable(str(fault)) from None

    def branch_commit(self, name: str) -> str | None:
        """Return the commit of a branch of the real repository, "" for none yet.

        None for one that is not the branch of the project's own work tree.
        """
        if self.repository is None:
            return None
        forward = FastForward(repository=self.repository)
        return forward.head() if forward.branch() == HEADS + name else None

    def refs(self, run: str) -> Mapping[str, str]:
        """Return the refs that a run left in the real repository."""
        return refs_of(self.repository, f"{REFS}{run}/") if self.repository else {}

    def drop_refs(self, run: str) -> int:
        """Remove the refs of a run; return how many there were."""
        found = self.refs(run)
        if found and self.repository is not None:
            write_refs(self.repository, dict.fromkeys(found, ""))
        return len(found)


def _unreadable(because: str) -> StoreError:
    return StoreError(
        "run-output",
        "the commits of the run could not be read",
        because=because,
        hint="look at them inside: `penstock runs enter RUN git log`",
    )
