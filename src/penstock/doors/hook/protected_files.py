"""Files that no agent may write: known before a command, and looked at after it.

A command may reach them in a way that nobody can read from its text, and what slipped through
must at least be told and taken back. What was there is kept, and compared when its stamp has
changed; what is new is found in directories whose stamp has. Lock files and dependencies are
left out, because package managers write them as they should, and so is what git makes itself, and
what it writes into its settings as long as no setting changed that starts a program.
A change between two calls is a person's, and taken over, unless a process of an agent's command
was running meanwhile: then nobody knows whose it is, and it is told as of unknown origin.
Always true: looking stops nobody, and looks at no more than `MOST_SEEN` files; nothing is taken
over in silence while a process of a command is known to run.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial

from msgspec import Struct, field
from msgspec.structs import asdict

from penstock.app import Workspace
from penstock.app import before_images as watched
from penstock.app.background import TICKS, BackgroundLook, agent_above, helpers, ticks
from penstock.app.places import in_worktree, stamp
from penstock.core.audit.chain import hexdigest
from penstock.core.model import Action
from penstock.core.policy import fast_decide
from penstock.core.policy.compile import compile_policy
from penstock.core.text.git_settings import steering
from penstock.doors.hook.before_after import ChangedFile, changed
from penstock.doors.hook.daemon_client import DAEMON, launch
from penstock.doors.hook.messages import HookCall

REGISTER = "protected.json"
FORM = 3
MOST_SEEN, MOST_FOLDERS, MOST_PROTECTED = 20_000, 5000, 500
UNSEEN = frozenset({"node_modules", ".venv", "venv", "__pycache__", ".tox", ".mypy_cache"})
GIT = ".git"
GIT_SETTINGS = frozenset({"config", "config.worktree"})
IN_GIT = GIT_SETTINGS | {"hooks"}
WRITTEN_BY_TOOLS = frozenset({"lock-files", "dependencies"})
LARGEST = 4 << 20
GONE = [-1, 0, 0]  # the stamp of what is not there
UNKNOWN = "unknown"  # the origin of a change while a process of an earlier command was running
A_DAY = 24 * 3600 * TICKS  # a call that has not ended until then never will
EARLIER = "earlier call"  # the origin of a change that could not be recorded when it was found
OF_A_CALL = frozenset({"tool", "tool_call_id", "subagent"})
MOST_AGENTS, MOST_CALLS, MOST_RUNNING = 16, 64, 64

Stamp = list[int]


class Register(Struct, kw_only=True):
    """What is known: protected files and all directories, by their stamps.

    `whole` says that the look came to its end: only then is a directory that is not known new.
    `agents` are the processes that start hooks here, `calls` the commands that have not been seen
    to end, `running` what their commands had left running at the last look; times are in ticks.
    `untold` are changes that were found and that no entry of the audit log says yet.
    """

    revision: str = ""
    files: dict[str, Stamp] = field(default_factory=dict)
    folders: dict[str, Stamp] = field(default_factory=dict)
    whole: bool = True
    agents: list[str] = field(default_factory=list)
    calls: dict[str, int] = field(default_factory=dict)
    running: list[str] = field(default_factory=list)
    since: int = 0
    untold: list[str] = field(default_factory=list)
    form: int = FORM


def look(here: Workspace, call: HookCall) -> list[ChangedFile]:
    """Find the files that the rules protect, and keep what they hold; see `refresh`."""
    before = _load(here)
    found = [] if before is None else _between(here, before, call)
    told = {str(change.facts["path"]) for change in found}
    walk = WorkspaceWalk(here)
    known = Register(revision=here.policy().revision)
    if before is not None:
        known.agents, known.calls = before.agents, before.calls
        known.running, known.since = before.running, before.since
        known.untold = before.untold
        known.files = {path: was for path, was in before.files.items() if path in told}
    _note_agent(known, call.hook)
    for path in walk.protected(""):
        if len(known.files) == MOST_PROTECTED:
            walk.folders.clear()  # what else is there would look new
            break
        if path not in told:
            _take_over(here, known, path)
    known.whole = walk.whole
    known.folders = walk.folders
    _save(here, known)
    return found


def refresh(here: Workspace, call: HookCall) -> list[ChangedFile]:
    """Take over what a person changed since: from here on it is the call that may change it.

    Returned is what may be somebody else's. Agents that do not tell when a session begins are
    looked at with their first command.
    """
    known = _load(here)
    if known is None or known.revision != here.policy().revision:
        found = look(here, call)
        known = _load(here)
    else:
        found = _between(here, known, call)
    if known is not None:
        _note_agent(known, call.hook)
        known.calls[_call(call)] = ticks()
        known.calls = dict(sorted(known.calls.items(), key=lambda one: one[1])[-MOST_CALLS:])
        known.since = known.since or min(known.calls.values())
        _save(here, known)
    return found


def slipped(here: Workspace, call: HookCall) -> list[ChangedFile]:
    """Return the protected files that are not what they were before this call."""
    known = _load(here)
    if known is None:
        return []
    origin = UNKNOWN if known.running else ""
    news = _news(here, known)
    known.calls.pop(_call(call), None)
    _note_running(here, known, call.hook)
    return _sorted_out(here, known, news, partial(_told, here, call, origin=origin))


def _between(here: Workspace, known: Register, call: HookCall) -> list[ChangedFile]:
    """Take over what changed since the last look, or return it where nobody knows whose it is."""
    ran = known.running
    news = _news(here, known)
    _note_running(here, known, call.hook)
    unknown = bool(ran or known.running)

    def tell(path: str) -> Iterable[ChangedFile]:
        if unknown or path in known.untold:
            return _told(here, call, path, origin=UNKNOWN if unknown else EARLIER)
        return ()

    return _sorted_out(here, known, news, tell)


def _news(here: Workspace, known: Register) -> list[str]:
    """Return what has changed and what is new; the latter is known as not there until settled."""
    found = _moved(here, known)
    if known.revision == here.policy().revision:  # by other rules all of them might look new
        for path in _made(here, known) or ():
            watched.keep(here.state, _key(path), 0, path, None)
            known.files[path] = GONE
            found.append(path)
    return found


def _sorted_out(
    here: Workspace, known: Register, news: list[str], tell: Callable[[str], Iterable[ChangedFile]]
) -> list[ChangedFile]:
    """Return what there is to tell of some files; where that is nothing, they are taken over."""
    found: list[ChangedFile] = []
    for path in news:
        told = [] if _is_ordinary(here, path) else list(tell(path))
        found += told
        if told:
            known.untold = [*(one for one in known.untold if one != path), path]
        else:
            _take_over(here, known, path)
    _save(here, known)
    return found


# --- what still runs ---------------------------------------------------------------------------


def _call(call: HookCall) -> str:
    return watched.call_key(call.session, call.call_id) or call.session


def _note_agent(known: Register, hook: int) -> None:
    mark = agent_above(hook) if hook else ""
    if mark:
        known.agents = [*(one for one in known.agents if one != mark), mark][-MOST_AGENTS:]


def _note_running(here: Workspace, known: Register, hook: int) -> None:
    """Look what commands have left running; where that is nothing, the next look begins anew."""
    now = ticks()
    known.calls = {key: at for key, at in known.calls.items() if now - A_DAY < at <= now}
    known.running = []
    if known.since:
        ours = (launch(DAEMON)[1:], *helpers())
        seen = BackgroundLook(
            root=here.root, agents=known.agents, since=known.since, hook=hook, ours=ours
        )
        known.running = seen.found()[:MOST_RUNNING]
    if not known.running:
        known.since = min(known.calls.values(), default=0)


def _is_ordinary(here: Workspace, path: str) -> bool:
    """True for settings of git that changed in nothing that starts a program: a remote, a name."""
    folder, _, name = path.rpartition("/")
    if name not in GIT_SETTINGS or folder.rpartition("/")[2] != GIT:
        return False
    kept = watched.kept(here.state, _key(path))
    now = watched.read(f"{here.root}/{path}")
    if not kept or now is None:
        return False
    before, after = steering(kept[0][1].data), steering(now[0])
    return before is not None and before == after


def _told(here: Workspace, call: HookCall, path: str, *, origin: str) -> Iterator[ChangedFile]:
    own = "" if origin else watched.call_key(call.session, call.call_id)
    for seen in changed(here, call, _key(path), with_call=own):
        facts = {**seen.facts, "op": "slipped", "status": "alert"}
        if origin:  # the call only noticed it
            facts = {name: value for name, value in facts.items() if name not in OF_A_CALL}
            facts["origin"] = origin
        yield ChangedFile(facts, partial(_settle, here, path, seen))


def _settle(here: Workspace, path: str, seen: ChangedFile, event_hash: str) -> None:
    """Settle a change, and watch the file as it is from here on."""
    seen.settle(event_hash)
    known = _load(here)
    if known is not None:
        _take_over(here, known, path)
        _save(here, known)


def _take_over(here: Workspace, known: Register, path: str) -> None:
    known.files[path] = _stamp(here, path)
    known.untold = [one for one in known.untold if one != path]
    watched.keep(here.state, _key(path), 0, path, watched.read(f"{here.root}/{path}"))


def _key(path: str) -> str:
    return f"p{hexdigest(path.encode('utf-8', 'surrogateescape'))[:31]}"


def _stamp(here: Workspace, path: str) -> Stamp:
    return list(stamp(f"{here.root}/{path}")[1:])


def _moved(here: Workspace, known: Register) -> list[str]:
    return [path for path, was in known.files.items() if _stamp(here, path) != was]


# --- what is new -------------------------------------------------------------------------------


def _made(here: Workspace, known: Register) -> list[str] | None:
    """Return new protected files in directories whose stamps have changed; None where none has.

    The directories are known as they are now.
    """
    stale = [path for path, was in known.folders.items() if _stamp(here, path) != was]
    if not stale:
        return None
    walk, made = WorkspaceWalk(here), list[str]()
    for folder in stale:
        del known.folders[folder]
        made += walk.new_in(folder, known)
    known.folders |= walk.folders
    for path in walk.by_git:
        _take_over(here, known, path)
    room = max(0, MOST_PROTECTED - len(known.files))
    return [path for path in made if path not in known.files][:room]


class WorkspaceWalk:
    """A bounded walk through a workspace; it notes the stamp of each directory before its names."""

    def __init__(self, here: Workspace) -> None:
        self.folders: dict[str, Stamp] = {}
        self.whole = True
        self.by_git: list[str] = []
        self._here = here
        self._policy = compile_policy(here.policy().in_force)
        self._seen = 0

    def protected(self, start: str, *, new: bool = False) -> Iterator[str]:
        """Yield the files at and below a directory that no agent may write.

        In a `new` one whatever lies in a repository is only noted: a checkout is git's own work.
        """
        todo = [(start, False)]
        while todo:
            folder, by_git = todo.pop(0)
            if self._seen > MOST_SEEN or len(self.folders) >= MOST_FOLDERS:
                self.whole = False
                return
            files, folders = self._entries(folder)
            by_git = by_git or (new and (folder.endswith(GIT) or GIT in (*files, *folders)))
            found = self._denied(folder, files, Action.CREATE if new else Action.WRITE)
            if by_git:
                self.by_git += found
            else:
                yield from found
            todo += [(_below(folder, name), by_git) for name in folders]

    def new_in(self, folder: str, known: Register) -> Iterator[str]:
        """Yield the protected files that are new in a directory, or below it in new ones."""
        if _stamp(self._here, folder) == GONE:
            return
        files, folders = self._entries(folder)
        yield from self._denied(folder, _not_by_git(folder, files), Action.CREATE)
        for name in folders if known.whole else ():
            inner = _below(folder, name)
            if inner not in known.folders and inner not in self.folders:
                yield from self.protected(inner, new=True)

    def _entries(self, folder: str) -> tuple[list[str], list[str]]:
        """Return the files and directories of one; of a repository its settings and hooks only."""
        self.folders[folder] = _stamp(self._here, folder)
        in_git = folder.rpartition("/")[2] == GIT
        files: list[str] = []
        folders: list[str] = []
        with suppress(OSError), os.scandir(f"{self._here.root}/{folder}") as entries:
            for entry in entries:
                if in_git and entry.name not in IN_GIT:
                    continue
                self._seen += 1
                (folders if entry.is_dir(follow_symlinks=False) else files).append(entry.name)
        return files, [name for name in folders if name not in UNSEEN]

    def _denied(self, folder: str, names: list[str], action: Action) -> Iterator[str]:
        root = self._here.root
        twin = in_worktree(f"{root}/{folder}/".replace("//", "/"), root)
        for name in names:
            path = _below(folder, name)
            judged = (path, f"{twin}{name}".removeprefix(f"{root}/")) if twin else (path,)
            said = fast_decide.answer(
                self._policy, action, judged, (), most_lines=0, most_lost=0.0, size=0
            )
            if (
                said is None
                or said.verdict != fast_decide.DENY
                or set(said.rules) <= WRITTEN_BY_TOOLS
            ):
                continue
            yield path


def _below(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _not_by_git(folder: str, names: list[str]) -> list[str]:
    """Leave out what git makes: its mark in a worktree or submodule, and examples of hooks."""
    hooks = folder == f"{GIT}/hooks" or folder.endswith(f"/{GIT}/hooks")
    return [name for name in names if name != GIT and not (hooks and name.endswith(".sample"))]


# --- the register ------------------------------------------------------------------------------


def _load(here: Workspace) -> Register | None:
    """Return what is known; None where nothing is, or in another form."""
    try:
        data = here.read_state(REGISTER, limit=LARGEST)
        found = Register(**json.loads(data or b"{}"))
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    fits = found.form == FORM and all(
        isinstance(getattr(found, one), type(getattr(Register(), one)))
        for one in Register.__struct_fields__
    )
    return found if data and fits else None


def _save(here: Workspace, known: Register) -> None:
    """Keep what is known; not waiting for the disk, because it can be found anew."""
    place = os.path.join(here.state, REGISTER)
    fresh = f"{place}.{os.getpid()}.{threading.get_ident()}"
    with suppress(OSError):
        try:
            with open(os.open(fresh, watched.MAKE, 0o600), "wb") as file:
                file.write(json.dumps(asdict(known)).encode())
            os.replace(fresh, place)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(fresh)
