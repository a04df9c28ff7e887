"""Where a workspace begins, and where Penstock keeps its state and the user's rules.

Always true: the hook that starts cold and every other command find the same places, because
both ask here; so nothing is imported but the kernel's own calls, and paths are plain text.
"""

import posix
import sys

from penstock.core.chain import hexdigest

RULES = "penstock.toml"
MARKS = (RULES, ".git")


def workspace_above(start: str) -> str:
    """Return the nearest directory at or above `start` with rules or a repository, else it.

    `start` is absolute and resolved.
    """
    above = start
    while True:
        if any(exists(f"{above}/{mark}") for mark in MARKS):
            return above
        parent = above.rpartition("/")[0] or "/"
        if parent == above:
            return start
        above = parent


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


def stamp(path: str) -> "tuple[str, int, int, int]":
    """Return what changes when a file is written, made or removed: size, time, inode."""
    try:
        status = posix.stat(path)
    except (OSError, ValueError):
        return path, -1, 0, 0
    return path, status.st_size, status.st_mtime_ns, status.st_ino


def state_home() -> str:
    """Return where Penstock keeps the state of all workspaces; "" where there is no home."""
    return _below("XDG_STATE_HOME", ".local/state", "penstock")


def state_of(root: str) -> str:
    """Return the directory of one workspace's state: its name, and a digest of its place."""
    place = hexdigest(root.encode("utf-8", "surrogateescape"))
    return f"{state_home()}/{root.rpartition('/')[2] or 'root'}-{place[:16]}"


def user_rules() -> str:
    """Return the path of the user's own rules."""
    return _below("XDG_CONFIG_HOME", ".config", f"penstock/{RULES}")


def home() -> str:
    """Return the home directory."""
    return variable("HOME") or _home_of_user()


def variable(name: str) -> str:
    """Return a variable of the environment, "" where it is not set."""
    if "os" in sys.modules:  # it alone knows what was set since the start
        found: str = sys.modules["os"].environ.get(name, "")
        return found
    return posix.environ.get(name.encode(), b"").decode("utf-8", "surrogateescape")


def _below(name: str, usual: str, ours: str) -> str:
    return f"{variable(name) or f'{home()}/{usual}'}/{ours}"


def _home_of_user() -> str:
    import pwd

    try:
        return pwd.getpwuid(posix.getuid()).pw_dir
    except KeyError:
        return "/"
