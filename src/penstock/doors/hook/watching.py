"""What agents write by themselves: kept before, compared after, so that it can be undone.

Also watched are the files that the rules protect: a command may reach them in a way that
nobody can read from its text, and what slipped through must at least be told and taken back.
Lock files and dependencies are left out, because package managers write them as they should.
Always true: watching stops nobody; what cannot be kept is simply not kept.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from penstock.app import Workspace
from penstock.core import quick
from penstock.core.chain import hexdigest
from penstock.core.compiled import compile_policy
from penstock.core.model import Action
from penstock.doors.hook.short import observed, who
from penstock.doors.hook.talk import Call
from penstock.gate import Judged
from penstock.stores import private, watched
from penstock.stores.places import stamp

WRITES = frozenset({Action.WRITE, Action.CREATE, Action.DELETE})
REGISTER = "protected.json"
MOST_SEEN, MOST_PROTECTED = 20_000, 500
UNSEEN = frozenset({"node_modules", ".venv", "venv", "__pycache__", ".tox", ".mypy_cache"})
IN_GIT = frozenset({"config", "hooks"})
WRITTEN_BY_TOOLS = frozenset({"lock-files", "dependencies"})
LARGEST = 1 << 20

Stamps = dict[str, list[int]]


@dataclass(frozen=True, slots=True)
class Seen:
    """One file that changed: the event that tells it, and what follows once it is recorded."""

    facts: dict[str, object]
    settle: Callable[[str], None]


def keep(here: Workspace, call: Call, judged: Judged) -> None:
    """Keep what each file holds that a call is about to write."""
    key = watched.call_key(call.session, call.call_id)
    paths = [
        one.path.text
        for one in judged.prepared
        if one.path is not None and one.request.action in WRITES
    ]
    for number, path in enumerate(dict.fromkeys(paths[: watched.MOST]) if key else ()):
        watched.keep(here.state, key, number, path, watched.read(f"{here.root}/{path}"))
    if any(one.request.action is Action.RUN for one in judged.prepared):
        _refresh(here)


def settled(here: Workspace, call: Call) -> list[Seen]:
    """Return what a call has changed among the files that were kept for it."""
    key = watched.call_key(call.session, call.call_id)
    return list(_changed(here, call, key)) if key else []


def _changed(here: Workspace, call: Call, key: str) -> Iterator[Seen]:
    for number, one in watched.kept(here.state, key):
        now = watched.read(f"{here.root}/{one.path}")
        after = now[0] if now else None
        digest = watched.digest_of(after)
        if digest == one.digest:
            watched.forget(here.state, key, number)
        else:
            yield Seen(observed(call, one, digest), _settling(here.state, key, number, after))


def _settling(state: str, key: str, number: int, after: bytes | None) -> Callable[[str], None]:
    def settle(event_hash: str) -> None:
        with suppress(OSError):
            watched.settle(state, key, number, after, event_hash)

    return settle


# --- protected files ---------------------------------------------------------------------------


def look(here: Workspace) -> None:
    """Find the files that the rules protect, and keep what they hold."""
    known: Stamps = {}
    for path in _protected(here):
        known[path] = list(stamp(f"{here.root}/{path}")[1:])
        _keep_protected(here, path)
    _register(here, known)


def slipped(here: Workspace, call: Call) -> list[Seen]:
    """Return the protected files that are not what they were before this call."""
    known = _registered(here)
    found = []
    for path in _moved(here, known):
        key = _key(path)
        for seen in _changed(here, call, key):
            facts = {**seen.facts, "op": "slipped", "status": "alert", **who(call)}
            found.append(Seen(facts, _then_watch(here, path, seen.settle)))
    return found


def _then_watch(here: Workspace, path: str, settle: Callable[[str], None]) -> Callable[[str], None]:
    def both(event_hash: str) -> None:
        settle(event_hash)
        known = _registered(here)
        known[path] = list(stamp(f"{here.root}/{path}")[1:])
        _keep_protected(here, path)
        _register(here, known)

    return both


def _refresh(here: Workspace) -> None:
    """Take over what a person changed since: from here on it is the call that may change it.

    Agents that do not tell when a session begins are looked at with their first command.
    """
    if not os.path.exists(_register_path(here)):
        look(here)
        return
    known = _registered(here)
    moved = _moved(here, known)
    for path in moved:
        known[path] = list(stamp(f"{here.root}/{path}")[1:])
        _keep_protected(here, path)
    if moved:
        _register(here, known)


def _moved(here: Workspace, known: Stamps) -> list[str]:
    return [path for path, was in known.items() if list(stamp(f"{here.root}/{path}")[1:]) != was]


def _key(path: str) -> str:
    return f"p{hexdigest(path.encode('utf-8', 'surrogateescape'))[:31]}"


def _keep_protected(here: Workspace, path: str) -> None:
    watched.keep(here.state, _key(path), 0, path, watched.read(f"{here.root}/{path}"))


def _protected(here: Workspace) -> list[str]:
    """Return the files that no agent may write, as far as a bounded look finds them."""
    policy = compile_policy(here.policy())
    found: list[str] = []
    for path in _files(here.root):
        said = quick.answer(policy, Action.WRITE, (path,), (), most_lines=0, most_lost=0.0, size=0)
        if said is None or said.verdict != quick.DENY or set(said.rules) <= WRITTEN_BY_TOOLS:
            continue
        found.append(path)
        if len(found) == MOST_PROTECTED:
            break
    return found


def _files(root: str) -> Iterator[str]:
    """Yield the files of a workspace, bounded; of a repository its settings and hooks only."""
    seen = 0
    for folder, folders, names in os.walk(root):
        relative = os.path.relpath(folder, root)
        in_git = os.path.basename(folder) == ".git"
        folders[:] = [n for n in folders if n not in UNSEEN and (n in IN_GIT or not in_git)]
        for name in names:
            if in_git and name not in IN_GIT:
                continue
            seen += 1
            yield name if relative == "." else f"{relative}/{name}"
        if seen > MOST_SEEN:
            return


def _registered(here: Workspace) -> Stamps:
    try:
        found = json.loads(private.read_file(_register_path(here), limit=LARGEST) or b"{}")
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _register(here: Workspace, known: Stamps) -> None:
    with suppress(OSError):
        private.write_file(here.state, REGISTER, json.dumps(known).encode(), replace=True)


def _register_path(here: Workspace) -> str:
    return os.path.join(here.state, REGISTER)
