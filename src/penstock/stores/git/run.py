"""Run one git command so that nothing of a repository's own choosing runs with it.

A repository's configuration can name programs: hooks, filters, a file system monitor, a signing
program, helpers that fetch. Whoever can write `.git/config` must not thereby run code in ours.
What the commands are for is `repository`'s.
Always true: no hook, filter, monitor, pager, prompt or network is used; what git writes is
flushed; every command ends in time, or is ended.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence

from penstock.core.errors import StoreError
from penstock.core.text.display import spoken
from penstock.stores.system.programs import program_outside

SECONDS = 30.0
MOST_SAID = 500
OFF = (
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.untrackedCache", "false"),
    ("core.fsync", "reference,index"),  # objects are flushed by `commit`
    ("core.fsyncMethod", "fsync"),
    ("commit.gpgSign", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("protocol.allow", "never"),
    ("i18n.commitEncoding", "UTF-8"),
    ("safe.bareRepository", "explicit"),
)
NO_FILTER = (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false"))
OPTIONS = tuple(word for key, value in OFF for word in ("-c", f"{key}={value}"))
# What a user sets on purpose; every other GIT_ variable would lead to another repository or
# index, as when this runs inside a hook of git's.
KEPT = ("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM")
KEPT_TOO = ("GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM")
BLOCK = 512  # bytes, in which a shell counts
BOUND = 'ulimit -f "$0" && exec "$@"'
SET = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


class GitError(StoreError):
    """Git is there and could not do what was asked of it."""


def program(folder: str) -> str:
    """Return the absolute path of git, or nothing; none that lies in the project of a folder."""
    return program_outside("git", folder)


def needed(folder: str) -> str:
    """Return the absolute path of git. Raises GitError where there is none."""
    found = program(folder)
    if not found:
        raise failed(("git",), "it is not on PATH, outside of the project")
    return found


def environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables for git: the user's, without those that steer it elsewhere."""
    kept = (*KEPT, *KEPT_TOO)
    mine = {k: v for k, v in environ.items() if not k.startswith("GIT_") or k.startswith(kept)}
    return {**mine, **SET}


def run(
    folder: str,
    *words: str | bytes,
    stdin: bytes = b"",
    more: Mapping[str, str | None] | None = None,
    right: Sequence[int] = (0,),
    seconds: float = SECONDS,
    file_bytes: int = 0,
) -> tuple[int, bytes]:
    """Run one command and return its exit code and output. Raises GitError.

    `more` are variables on top of those that are always set; None takes one away. `file_bytes`
    bounds every file that it writes, for what comes from elsewhere and may never end.
    """
    bound = ("/bin/sh", "-c", BOUND, str(file_bytes // BLOCK)) if file_bytes else ()
    git = (*bound, needed(folder), "-C", folder, "--no-pager", *OPTIONS)
    argv: list[str | bytes] = [*git, *words]
    asked = {**environment(os.environ), **(more or {})}
    variables = {name: value for name, value in asked.items() if value is not None}
    try:
        done = subprocess.run(  # noqa: S603 - git, without a program of the repository's choosing
            argv, input=stdin, capture_output=True, env=variables, timeout=seconds, check=False
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as fault:
        raise failed(words, str(fault)) from fault
    if done.returncode not in right:
        raise failed(words, done.stderr.decode("utf-8", "replace"))
    return done.returncode, done.stdout


def no_filters(folder: str) -> dict[str, str]:
    """Return variables that switch off every filter that a repository names.

    Writing the index can make git compare files that were saved in the same moment as it, ours
    or others, and for that it would run their filters.
    """
    words = ("config", "--null", "--name-only", "--get-regexp", r"^filter\.")
    names = run(folder, *words, right=(0, 1))[1].split(b"\0")
    return filters_off([os.fsdecode(name) for name in names])


def filters_off(names: Sequence[str]) -> dict[str, str]:
    """Return variables that switch off the filters among some settings."""
    filters = [name for name in names if name.startswith("filter.") and name.count(".") > 1]
    drivers = {name.rpartition(".")[0] for name in filters}
    off = [(f"{name}.{key}", value) for name in sorted(drivers) for key, value in NO_FILTER]
    made = {"GIT_CONFIG_COUNT": str(len(off))} if off else {}
    for at, (key, value) in enumerate(off):
        made |= {f"GIT_CONFIG_KEY_{at}": key, f"GIT_CONFIG_VALUE_{at}": value}
    return made


def failed(words: Sequence[str | bytes], said: str) -> GitError:
    """Return the error for a command that did not work."""
    what = words[0] if words else "git"
    name = what.decode("utf-8", "replace") if isinstance(what, bytes) else what
    return GitError(
        "git-failed",
        f"`git {name}` failed",
        because=spoken(" ".join(said.split()))[:MOST_SAID] or "it gave no reason",
        hint="fix the repository, or use --no-commit",
    )
