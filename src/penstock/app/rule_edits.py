"""Everything behind an edit of rules files: where they lie, what they hold, who has a say.

Which texts an edit makes is the core's business, and how it is asked for and answered the door's.
Always true: looking leaves nothing behind; only what `editing` gives can change a file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from penstock.app.rules.policy_files import wanting_person
from penstock.app.workspace import (
    LARGEST_RULES,
    Workspace,
    read_rules,
    rule_history,
    workspace_of,
)
from penstock.core.errors import InputError
from penstock.gate.doors import Door
from penstock.stores.rules import discovery
from penstock.stores.system.places import RULES, state_of

if TYPE_CHECKING:
    from penstock.gate.rule_edit import RuleEdit, RuleEditResult
    from penstock.stores.rules.edit_log import ReviewerLog

    Writing = Callable[[RuleEdit], RuleEditResult]

CONFIG = discovery.CONFIG
discovered = discovery.discovered
found_config = discovery.found_config
LOCK_SECONDS = "DECISION_REVIEWER_LOCK_SECONDS"
REFUSALS = (b'"op":"rejected"', b'"op":"write_file_reject"')
NEWEST = 8  # files of a record


def mains(paths: Sequence[str]) -> tuple[str, ...]:
    """Return the rules files that others are included from: those in force where files lie."""
    beside = [f"{os.path.dirname(path)}/{CONFIG}" for path in paths]
    own = [*beside, *(f"{home_of(path).root}/{RULES}" for path in paths)]
    own = [os.path.realpath(path) for path in own]
    return tuple(dict.fromkeys((*discovered(os.environ), *filter(os.path.isfile, own))))


def target(named: str) -> str:
    """Return the real place of the rules file that a name means; it must be one that exists.

    Raises InputError `no-target` or `bad-target`.
    """
    try:
        path = os.path.abspath(os.path.expanduser(named))
    except OSError:
        raise InputError(
            "no-target",
            f"can't find `{named}`",
            because="the current directory no longer exists",
            hint="use an absolute path",
        ) from None
    real = os.path.realpath(path)
    if not os.path.lexists(real):
        raise InputError("no-target", f"there is no file `{real}`", hint="create it first")
    if not os.path.isfile(real):
        raise InputError("bad-target", f"`{real}` is not a regular file")
    if not (real.endswith(".toml") or path.endswith(".toml")):
        raise InputError(
            "bad-target", f"`{real}` is not a rules file", because="it is not a .toml file"
        )
    return real


def replaceable(paths: Sequence[str]) -> None:
    """Raise what the real run would raise for a file that cannot be replaced by another."""
    from penstock.core.paths.relpath import RelPath
    from penstock.stores.files.errors import require_single

    for path in paths:
        RelPath(text=path.removeprefix("/"))
        require_single(os.stat(path), path)


def content(path: str) -> bytes:
    """Return what a rules file holds now."""
    data = read_rules(path)
    if data is None:
        raise InputError("no-target", f"there is no file `{path}`")
    if len(data) >= LARGEST_RULES:
        raise InputError("bad-target", f"`{path}` is larger than {LARGEST_RULES} bytes")
    return data


def home_of(path: str) -> Workspace:
    """Return the workspace that a rules file lies in; its record tells of the edits."""
    return workspace_of(os.path.dirname(path))


def asks_person(paths: Sequence[str]) -> Workspace | None:
    """Return the workspace whose policy some files are part of and that wants a person, or None."""
    root = wanting_person(paths)
    return Workspace(root, state_of(root), door=Door.COMMAND) if root else None


def tells_of_refusals(paths: Sequence[str]) -> bool:
    """Say whether the records of some files' workspaces tell of a person who said no.

    Most never do, and then nothing has to be replayed.
    """
    from penstock.stores.audit.segments import files_of

    logs = dict.fromkeys(home_of(path).audit_path for path in paths)
    return any(_refusals_in(one.path) for log in logs for one in files_of(log)[-NEWEST:])


def _refusals_in(path: str) -> bool:
    import mmap

    try:
        with (
            open(path, "rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as lines,
        ):
            return any(lines.find(sign) >= 0 for sign in REFUSALS)
    except (OSError, ValueError):  # a file without a line cannot be mapped
        return False


def reviewer_log() -> ReviewerLog:
    """Open the reviewer's own log. Raises AuditError."""
    from penstock.stores.rules.edit_log import ReviewerLog, place

    return ReviewerLog(place())


def logged_targets(commit: str) -> tuple[str, ...]:
    """Return the files that a commit of ours was about, from the reviewer's log."""
    from penstock.stores.rules.edit_log import newest_first, place

    for line in newest_first(place()):
        info = line.get("rollback_info")
        known = [info.get("commit"), info.get("previous_commit")] if isinstance(info, dict) else []
        if any(isinstance(one, str) and one.startswith(commit.lower()) for one in known if one):
            files = line.get("target_files", [line.get("target_file")])
            return tuple(str(file) for file in files if file) if isinstance(files, list) else ()
    return ()


@contextmanager
def editing(paths: Sequence[str], *, by: str, home: Workspace | None = None) -> Iterator[Writing]:
    """Hold the locks of some rules files and give what can change them.

    The edit belongs to `home`, or to where the command runs. What a crash left of an earlier edit
    is ended first. Raises StoreError `config-locked`.
    """
    from penstock.stores.rules.lock import SECONDS, locked

    here, versions = home or _workspace(paths), rule_history()
    with locked(paths, by=by, seconds=_seconds(SECONDS)):
        here.rule_files.files.recover()
        yield lambda edit: here.gate.edit_rules(edit, history=versions)
    if "gate" in vars(here):
        here.record.log.settle()


def _workspace(paths: Sequence[str]) -> Workspace:
    """Return the workspace of the command, which edits belong to: their undo is found there."""
    try:
        return workspace_of(os.path.realpath(os.getcwd()), door=Door.COMMAND)
    except OSError:  # a directory that is gone
        return workspace_of(os.path.dirname(paths[0]), door=Door.COMMAND)


def _seconds(usual: float) -> float:
    try:
        return min(max(float(os.environ[LOCK_SECONDS]), 0.0), 600.0)
    except (KeyError, ValueError):
        return usual
