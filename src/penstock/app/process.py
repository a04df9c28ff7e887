"""Start a command of ours beside everything else that goes on, and let it run on without us.

Always true: it runs our own code, whatever the directory and the variables of whoever starts it
would have it import; nobody who waits for our end or for our output waits for it.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

# Descriptors that came down to us are closed: whoever waits for their end must not wait for this.
CODE = (
    "import os, sys; os.closerange(3, 1024); sys.path.insert(0, sys.argv.pop(1)); "
    "from penstock.cli import main; main()"
)
_BESIDE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_START = ("-I", "-c", CODE, _BESIDE)
_STARTED: list[int] = []


def helpers() -> tuple[tuple[str, ...], ...]:
    """Return how the command lines of what is started here go on after their first word."""
    return (_START,)


def start_beside(*words: str) -> int:
    """Start `penstock` with these words in a session of its own. Raises OSError."""
    for pid in _STARTED[:]:
        with suppress(ChildProcessError):
            if os.waitpid(pid, os.WNOHANG)[0] == 0:
                continue
        _STARTED.remove(pid)
    quiet = [(os.POSIX_SPAWN_OPEN, at, os.devnull, os.O_RDWR, 0) for at in (0, 1, 2)]
    argv = [sys.executable, *_START, *words]
    try:
        pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=quiet, setsid=True)
    except NotImplementedError:  # a system that knows no sessions here; a group is enough
        pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=quiet, setpgroup=0)
    _STARTED.append(pid)
    return pid
