"""Where a workspace begins, where Penstock keeps its state, and by what places rules know a file.

Always true: the hook that starts cold and every other command find the same places, because
both ask here; so nothing is imported but the kernel's own calls, and paths are plain text.
"""

import posix
import sys

from penstock.core.audit.chain import hexdigest
from penstock.core.paths.git_folders import as_git
from penstock.core.paths.spellings import MOVED, joined, normal, renamed

TYPE_CHECKING = False  # what `typing` calls so; type checkers know the bare name too
if TYPE_CHECKING:
    from collections.abc import Callable

RULES = "penstock.toml"
MARKS = (RULES, ".git")

# One file in each usual place: who removes what is above it removes a registration.
IN_HOME = (
    ".claude/settings.json",
    ".codex/config.toml",
    ".copilot/hooks/any.json",
    ".cursor/hooks.json",
    ".qwen/settings.json",
    ".kiro/hooks/any.json",
    ".cline/hooks/PreToolUse",
    ".gemini/settings.json",
    ".opencode/opencode.json",
    ".config/opencode/opencode.json",
    ".config/amp/settings.json",
    ".codeium/windsurf/hooks.json",
)
LONGEST = 4096  # bytes of a `.git` that is a file, and of a variable
LONGEST_NAME = 100  # characters of a project's own name in the name of its state
KIND, FOLDER, FILE, LINK = 0o170000, 0o040000, 0o100000, 0o120000
O_PATH = 0o10000000  # of Linux; elsewhere there is no /proc that would tell of what was opened


def workspace_above(start: str) -> str:
    """Return the nearest directory at or above `start` with rules or a repository, else it.

    Rules below other rules of the same repository are those of a directory: the outermost ones
    make the workspace. Nobody's home becomes one by rules that lie below it. `start` is absolute
    and resolved.
    """
    above, ruled, top = start, "", home()
    while True:
        if ruled and above == top:
            return ruled
        if exists(f"{above}/{RULES}"):
            ruled = above
        if exists(f"{above}/.git"):
            return ruled or above
        parent = above.rpartition("/")[0] or "/"
        if parent == above:
            return ruled or start
        above = parent


def has_nested_rules(root: str, path: str) -> bool:
    """Say whether a directory between the root and a path (relative to it) has rules."""
    folder, _, _ = path.rpartition("/")
    while folder:
        if exists(f"{root}/{folder}/{RULES}"):
            return True
        folder, _, _ = folder.rpartition("/")
    return False


def rules_of(root: str) -> "tuple[str, ...]":
    """Return where the rules of a workspace may lie; the first that is there counts.

    A worktree that has none goes by those of the checkout that it was made from: they may not
    be committed, and `git worktree add` brings along only what is.
    """
    repository = _repository(root)
    main = repository.removesuffix("/.git")
    own = f"{root}/{RULES}"
    return (own,) if main in (repository, root) else (own, f"{main}/{RULES}")


# Where a program inside an isolated run reaches the supervisor; elsewhere nothing is there.
RUN_SOCKET = "/run/penstock/run.sock"


def project_here() -> str:
    """Return the directory of this process if it lies in a project that has rules, else ""."""
    try:
        here = posix.getcwd()
    except OSError:
        return ""
    above = here
    while not exists(f"{above}/{RULES}"):
        if above == "/":
            return ""
        above = above.rpartition("/")[0] or "/"
    return here


def exists(path: str) -> bool:
    """Say whether a name is there, whatever it stands for."""
    try:
        posix.lstat(path)
    except (OSError, ValueError):
        return False
    return True


def arrival(path: str) -> "str | None":
    """Return where the kernel arrives by an absolute path, with the names that are not there yet.

    None where it does not say: then only following the path name by name can tell.
    """
    rest = ""
    try:
        while True:
            try:
                fd = posix.open(path or "/", O_PATH | posix.O_CLOEXEC)
                break
            except FileNotFoundError:
                if _is_link(path):  # it leads to what is not there yet
                    return None
            path, _, name = path.rpartition("/")
            if name == "..":
                return None
            rest = f"/{name}{rest}" if name not in ("", ".") else rest
        try:
            found = posix.readlink(f"/proc/self/fd/{fd}")
        finally:
            posix.close(fd)
    except (OSError, ValueError):
        return None
    if found[:1] != "/" or found.endswith(" (deleted)"):
        return None
    return found.rstrip("/") + rest or "/"


def _is_link(path: str) -> bool:
    try:
        return posix.lstat(path).st_mode & KIND == LINK
    except FileNotFoundError:
        return False


def stamp(path: str) -> "tuple[str, int, int, int]":
    """Return what changes when a file is written, made or removed: size, time, inode."""
    try:
        status = posix.stat(path)
    except (OSError, ValueError):
        return path, -1, 0, 0
    return path, status.st_size, status.st_mtime_ns, status.st_ino


def known_as(place: str, root: str, moved: "list[tuple[str, str]]") -> "list[str]":
    """Return the other places by which rules know one; `moved` comes from `moved_settings`."""
    twin = in_worktree(place, root)
    found = [*renamed(place, moved), *as_git(place, exists)]
    return [*found, twin] if twin else found


def moved_settings(
    get: "Callable[[str], str | None]", root: str, resolve: "Callable[[str], str]"
) -> "list[tuple[str, str]]":
    """Return the places that variables name for agents' settings, each with its usual one.

    `get` gives a variable's value, or nothing. A place counts by its name and by what that
    leads to. What is relative hangs from the project, where agents are started.
    """
    found = []
    for name, below in MOVED.items():
        given = get(name)
        if not given or len(given) > LONGEST:
            continue
        above = get("HOME") or home()
        usual = below if below.startswith("/") else f"{above}/{below}"
        if given == "~" or given.startswith("~/"):
            given = above + given[1:]
        place = normal(joined(given, root))
        found += [(one, usual) for one in dict.fromkeys((place, resolve(place))) if one != usual]
    return found


def in_worktree(place: str, root: str) -> str:
    """Return where a file of another worktree of the same repository would be in this one.

    "" for what lies in none, as nearly all files do.
    """
    try:
        posix.lstat(f"{root}/.git/worktrees")
    except FileNotFoundError:  # no repository, or one that has no other worktree
        return ""
    except (OSError, ValueError):  # `.git` may be a file that says where the repository is
        pass
    repository = _repository(root)
    if not repository or not exists(f"{repository}/worktrees"):
        return ""
    above = place.rpartition("/")[0]
    while above and above != root:
        if _repository(above) == repository:
            return root + place[len(above) :]
        above = above.rpartition("/")[0]
    return ""


def _repository(folder: str) -> str:
    """Return the repository that a directory is the top of a worktree of, "" for none."""
    git = f"{folder}/.git"
    try:
        kind = posix.stat(git).st_mode & KIND
        if kind == FOLDER:
            return git
        if kind != FILE:
            return ""
        fd = posix.open(git, posix.O_RDONLY | posix.O_CLOEXEC | posix.O_NONBLOCK)
        try:
            text = posix.read(fd, LONGEST).decode("utf-8", "surrogateescape")
        finally:
            posix.close(fd)
    except (OSError, ValueError):
        return ""
    if not text.startswith("gitdir: "):
        return ""
    above, _, _ = normal(joined(text[8:].rstrip("\n"), folder)).rpartition("/")
    return above.removesuffix("/worktrees") if above.endswith("/worktrees") else ""


def state_home() -> str:
    """Return where Penstock keeps the state of all workspaces; "" where there is no home."""
    return _below("XDG_STATE_HOME", ".local/state", "penstock")


def state_of(root: str) -> str:
    """Return the directory of one workspace's state: its name, and a digest of its place."""
    place = hexdigest(root.encode("utf-8", "surrogateescape"))
    name = root.rpartition("/")[2] or "root"
    if len(name.encode("utf-8", "surrogateescape")) > 2 * LONGEST_NAME:  # as others need room, too
        name = name[: LONGEST_NAME // 2]
    return f"{state_home()}/{name}-{place[:16]}"


def user_rules() -> str:
    """Return the path of the user's own rules."""
    return _below("XDG_CONFIG_HOME", ".config", f"penstock/{RULES}")


def home() -> str:
    """Return the home directory; a relative `HOME` would be another one in each directory."""
    place = variable("HOME")
    return place if place.startswith("/") else _home_of_user()


def variable(name: str) -> str:
    """Return a variable of the environment, "" where it is not set."""
    if "os" in sys.modules:  # it alone knows what was set since the start
        found: str = sys.modules["os"].environ.get(name, "")
        return found
    return posix.environ.get(name.encode(), b"").decode("utf-8", "surrogateescape")


def _below(name: str, usual: str, ours: str) -> str:
    """A relative place counts as not set, as the standard says: it would move with the project."""
    place = variable(name)
    return f"{place if place.startswith('/') else f'{home()}/{usual}'}/{ours}"


def _home_of_user() -> str:
    import pwd

    try:
        return pwd.getpwuid(posix.getuid()).pw_dir
    except KeyError:
        return "/"
