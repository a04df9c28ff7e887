"""Show checkpoints to somebody else, who remembers them and refuses to go back.

Three places that can be one: a folder (best one that another user owns), a git repository or
remote, and any command. Each keeps the last checkpoint that it took, and takes a new one only
with a proof that it continues that one, so a record that was cut or rewritten is refused there
even when its signing key was stolen. One that cannot be reached is no evidence; one that lacks
what it had taken is evidence against whoever could change it.
Always true: a witness never lets its latest checkpoint be replaced by an older or inconsistent
one; what it hands out is checked by whoever asks, like any other note.
"""

from __future__ import annotations

import base64
import json
import os
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from penstock.core.audit.checkpoint import Checkpoint, SignerKey, open_note, require_forward
from penstock.core.digest import digest
from penstock.core.errors import AuditError
from penstock.core.text.quantities import entries
from penstock.stores.audit.segments import open_to_read
from penstock.stores.system.os_errors import telling
from penstock.stores.system.programs import program_outside

if TYPE_CHECKING:
    import subprocess

MOST_NOTE = 64 * 1024
TIMEOUT = 20.0  # a person waits for it at the end of a command
THEIRS = "refs/penstock/theirs"
SHARED = "refs/heads/checkpoints"  # older copies have one branch for all logs; it is only read
DISAGREES, REWRITTEN, RACED = "witness-disagrees", "witness-rewritten", "witness-raced"
REFUSED = 2  # the exit code by which a command says no


class Witness(Protocol):
    """Somebody who remembers checkpoints."""

    @property
    def name(self) -> str:
        """What people call this witness."""

    def latest(self, origin: str) -> str:
        """Return the last note it took for a log, "" for none. Raises AuditError."""

    def take(self, note: str, *, proof: Sequence[bytes]) -> None:
        """Hand over a note that continues the latest one. Raises AuditError if refused."""


class WitnessReply(Struct, frozen=True, kw_only=True):
    """What a witness said to a checkpoint: `error` is None when it took it."""

    witness: str
    error: AuditError | None = None


def _judged(
    key: SignerKey, latest: str, note: str, proof: Sequence[bytes]
) -> tuple[Checkpoint, bool]:
    """Return the new checkpoint and whether it adds anything; raises where it goes back."""
    new = open_note(note, [key])
    old = open_note(latest, [key]) if latest else None
    require_forward(old, new, proof)
    return new, old is None or new.size > old.size


def unreachable(name: str, because: str) -> AuditError:
    """Return the error for a witness that can't be asked."""
    return AuditError(
        "witness-unreachable",
        f"witness `{name}` does not answer",
        because=because[:300] or "it gave no reason",
        hint="the audit log itself is safe; try again with `penstock audit checkpoint`",
    )


def rewritten(name: str, because: str) -> AuditError:
    """Return the error for a witness that lacks what it had taken."""
    return AuditError(
        REWRITTEN,
        f"witness `{name}` was rewritten or emptied",
        because=because,
        hint="find out who changed it; compare it and the log with backups",
    )


def _file_name(origin: str) -> str:
    """Return a file name for an origin, which may hold slashes."""
    return digest(origin.encode())[7:23]


class FolderWitness:
    """A folder in which every checkpoint becomes a file that is never written again."""

    def __init__(self, folder: str, *, key: SignerKey) -> None:
        self.folder = folder
        self._key = key

    @property
    def name(self) -> str:
        """The folder's path."""
        return self.folder

    def _place(self, origin: str) -> str:
        return os.path.join(self.folder, _file_name(origin))

    def latest(self, origin: str) -> str:
        """Return the note with the largest size."""
        place = self._place(origin)
        with telling(self.folder):
            os.stat(self.folder)
            if not os.path.isdir(place):
                return ""
            names = sorted(name for name in os.listdir(place) if _is_size(name))
        return self._read(os.path.join(place, names[-1])) if names else ""

    def _read(self, path: str) -> str:
        """Read a note; anything else in its place was put there by somebody else."""
        try:
            with telling(path), open(open_to_read(path), "rb") as file:
                return file.read(MOST_NOTE).decode("utf-8", "replace")
        except AuditError as error:
            if error.code in ("audit-not-a-file", "audit-symlink"):
                raise rewritten(self.name, f"`{path}` is not a file that it wrote") from error
            raise

    def take(self, note: str, *, proof: Sequence[bytes]) -> None:
        """Add a file named by the size; an existing one is never opened for writing."""
        new = open_note(note, [self._key])
        _, adds = _judged(self._key, self.latest(new.origin), note, proof)
        if not adds:
            return
        place = self._place(new.origin)
        path = os.path.join(place, f"{new.size:020d}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with telling(path):
            os.makedirs(place, exist_ok=True)
            with open(os.open(path, flags, 0o444), "wb") as file:
                file.write(note.encode())
                file.flush()
                os.fsync(file.fileno())


def _is_size(name: str) -> bool:
    return len(name) == 20 and name.isascii() and name.isdigit()


class GitWitness:
    """A branch for each log in a git repository, pushed to a remote where one is named.

    Every checkpoint is a commit on top of the one before. Our own copy holds what the remote has
    taken, and nothing is ever forced: a remote that lacks any of it was rewritten or emptied,
    and one that got ahead since we looked is looked at again.
    """

    def __init__(self, repository: str, *, key: SignerKey, remote: str = "") -> None:
        self.repository = repository
        self._key = key
        self._remote = remote

    @property
    def name(self) -> str:
        """The remote, or the repository where there is none."""
        return self._remote or self.repository

    def latest(self, origin: str) -> str:
        """Return the note in the newest commit."""
        return self._note(origin, self._caught_up(_branch(origin)))

    def take(self, note: str, *, proof: Sequence[bytes]) -> None:
        """Commit a note and push it. Raises AuditError `witness-raced` when another was quicker."""
        new = open_note(note, [self._key])
        ref = _branch(new.origin)
        head = self._caught_up(ref)
        _, adds = _judged(self._key, self._note(new.origin, head), note, proof)
        if adds and not self._put(ref, head, self._commit(new, note, head)):
            said = f"witness `{self.name}` took another checkpoint in between"
            raise AuditError(RACED, said, hint="try again with `penstock audit checkpoint`")

    def _note(self, origin: str, head: str) -> str:
        """Return the note of a log; before it had its own branch it was on one for all logs."""
        head = head or self._caught_up(SHARED)
        path = f"{head}:{_file_name(origin)}"
        return self._git("cat-file", "blob", path, may_fail=True) if head else ""

    def _caught_up(self, ref: str) -> str:
        """Bring our copy of a branch forward to the remote, and return its newest commit."""
        if not os.path.isdir(self.repository):
            with telling(self.repository):
                os.makedirs(self.repository, mode=0o700)
            self._git("init", "--quiet", "--bare", ".")
        ours = self._head(ref)
        if not self._remote:
            return ours
        theirs = self._git("ls-remote", self._remote, ref).partition("\t")[0]
        if theirs == ours:
            return ours
        if not theirs:
            raise rewritten(self.name, "the branch it accepted is missing")
        self._git("fetch", "--quiet", self._remote, f"+{ref}:{THEIRS}")
        theirs = self._git("rev-parse", THEIRS).strip()
        if ref == SHARED and ours and self._is_before(theirs, ours):
            return theirs  # what could not be pushed there goes to the log's own branch now
        if ours and not self._is_before(ours, theirs):
            raise rewritten(self.name, "its branch does not contain the accepted checkpoint")
        self._git("update-ref", ref, theirs)
        return theirs

    def _is_before(self, older: str, newer: str) -> bool:
        return self._git("merge-base", older, newer, may_fail=True).strip() == older

    def _head(self, ref: str) -> str:
        return self._git("rev-parse", "--verify", "--quiet", ref, may_fail=True).strip()

    def _commit(self, new: Checkpoint, note: str, head: str) -> str:
        blob = self._git("hash-object", "-w", "--stdin", stdin=note).strip()
        tree = self._git("mktree", stdin=f"100644 blob {blob}\t{_file_name(new.origin)}\n")
        parent = ["-p", head] if head else []
        message = f"{new.origin}: {entries(new.size)}"
        return self._git("commit-tree", tree.strip(), *parent, "-m", message).strip()

    def _put(self, ref: str, head: str, made: str) -> bool:
        """Make a commit the newest of a branch; False when another one came before it."""
        before = head or "0" * len(made)
        if self._remote:
            done = self._run_git("push", "--quiet", self._remote, f"{made}:{ref}")
            if done.returncode:
                if self._git("ls-remote", self._remote, ref).partition("\t")[0] == head:
                    raise unreachable(self.name, done.stderr.strip())
                return False
            before = ""  # the remote has it: our copy says so, whoever else wrote there
        done = self._run_git("update-ref", ref, made, *([before] if before else []))
        return not done.returncode

    def _git(self, *arguments: str, stdin: str = "", may_fail: bool = False) -> str:
        done = self._run_git(*arguments, stdin=stdin)
        if done.returncode and not may_fail:
            raise unreachable(self.name, done.stderr.strip())
        return done.stdout if not done.returncode else ""

    def _run_git(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        git = program_outside("git", os.getcwd())
        if not git:
            raise unreachable(self.name, "git is not on PATH, outside of the project")
        argv = [git, "-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false"]
        argv += ["-c", "core.fsmonitor=false", "-c", "core.fsync=all", *arguments]
        return _run(self.name, argv, stdin=stdin, folder=self.repository, env=_git_environment())


def _branch(origin: str) -> str:
    """Return the branch of one log."""
    return f"refs/heads/penstock-{_file_name(origin)}"


def _git_environment() -> dict[str, str]:
    """Return an environment in which nobody's git settings reach into ours."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    who = {"NAME": "penstock", "EMAIL": "penstock@localhost"}
    for role in ("AUTHOR", "COMMITTER"):
        kept |= {f"GIT_{role}_{part}": text for part, text in who.items()}
    return {**kept, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


class CommandWitness:
    """Any program: `PROGRAM latest ORIGIN` prints the last note, `PROGRAM take` reads a new one.

    `take` gets `{"note": ..., "proof": [base64, ...]}` on stdin; exit code 0 takes it, 2
    refuses it, and anything else means that the witness cannot be reached.
    """

    def __init__(self, argv: Sequence[str], *, key: SignerKey, timeout: float = TIMEOUT) -> None:
        self._argv = list(argv)
        self._key = key
        self._timeout = timeout

    @property
    def name(self) -> str:
        """The program's name."""
        return self._argv[0]

    def latest(self, origin: str) -> str:
        """Ask the program for its last note."""
        done = _run(self.name, [*self._argv, "latest", origin], timeout=self._timeout)
        if done.returncode:
            raise unreachable(self.name, done.stderr.strip())
        return done.stdout[:MOST_NOTE]

    def take(self, note: str, *, proof: Sequence[bytes]) -> None:
        """Hand a note to the program, after judging it ourselves."""
        new = open_note(note, [self._key])
        _judged(self._key, self.latest(new.origin), note, proof)
        steps = [base64.b64encode(step).decode() for step in proof]
        text = json.dumps({"note": note, "proof": steps})
        done = _run(self.name, [*self._argv, "take"], stdin=text, timeout=self._timeout)
        if done.returncode == REFUSED:
            said = f"witness `{self.name}` refused the checkpoint of {entries(new.size)}"
            raise AuditError("witness-refused", said, because=done.stderr.strip()[:300])
        if done.returncode:
            raise unreachable(self.name, done.stderr.strip())


def make_witness(text: str, *, key: SignerKey, folder: str) -> Witness:
    """Return the witness that a setting names: a folder, `git:REMOTE`, or `command:PROGRAM ...`.

    `folder` is where a git witness keeps its own copy of what it has seen.
    """
    kind, colon, rest = text.partition(":")
    if colon and kind == "git":
        if not rest or rest.startswith(
            "-"
        ):  # git would take it for an option, which may run things
            raise AuditError("bad-witness", f"`{text[:80]}` is not a git repository")
        copy = os.path.join(folder, f"witness-{_file_name(rest)}.git")
        return GitWitness(copy, key=key, remote=rest)
    if colon and kind == "command":
        try:
            argv = shlex.split(rest)
        except ValueError:
            argv = []
        if not argv:
            raise AuditError("bad-witness", f"`{text[:80]}` is not a program")
        return CommandWitness(argv, key=key)
    return FolderWitness(text, key=key)


def _run(
    name: str,
    argv: Sequence[str],
    *,
    stdin: str = "",
    folder: str | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = TIMEOUT,
) -> subprocess.CompletedProcess[str]:
    import subprocess  # few witnesses are programs

    try:
        return subprocess.run(  # noqa: S603 - the operator named this program
            argv,
            input=stdin,
            capture_output=True,
            text=True,
            errors="replace",
            cwd=folder,
            env=env,
            timeout=timeout,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise unreachable(name, str(error)) from error
