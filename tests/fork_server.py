"""Import the program once, then fork for each call: `python fork_server.py FD PACKAGES KIND`.

A child gets its directory, variables, words, input and output, and then runs the same entry with
the same bytes as a process that was started; `forked` asks, over the socket FD.
Always true: nothing of the tests is imported here; the server ends with the one who started it.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import socket
import sys
import threading
import time
from contextlib import suppress

HOOK, COMMAND = "hook", "command"
LENGTH = 8  # bytes that say how long a request is
IMPORTED = {
    HOOK: ("core", "gate", "stores", "app", "doors.hook"),
    COMMAND: ("core", "gate", "stores", "app", "cli", "doors.setup", "doors.doctor"),
}


def main() -> None:
    """Serve; what returns from that is a child."""
    number, packages, kind = sys.argv[1:]
    _import_all(packages, kind)
    gc.collect()
    gc.freeze()  # a child that collects would copy all of this
    _serve(socket.socket(fileno=int(number)))
    if kind == COMMAND:
        os._exit(_command())
    with open(sys.argv[0], encoding="utf-8") as file:
        code = compile(file.read(), sys.argv[0], "exec")
    exec(code, {"__file__": sys.argv[0], "__name__": "__main__"})


def _command() -> int:
    """Run the command as `python -m` does; the interpreter's own end is left out, it takes long."""
    code: object = 0
    try:
        runpy.run_module("penstock.cli", run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        code = ended.code
        if isinstance(code, str):
            sys.stderr.write(f"{code}\n")
    except BaseException:  # as an interpreter does
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else int(code is not None)


def _import_all(packages: str, kind: str) -> None:
    """Import what a call may need; what cannot be imported is left to the call itself."""
    if packages not in sys.path:
        sys.path.append(packages)
    from penstock.doors.hook.daemon_client import use_packages

    if kind == HOOK:
        use_packages()
    for name in IMPORTED[kind]:
        package = importlib.import_module(f"penstock.{name}")
        for one in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not one.name.endswith("__main__"):
                with suppress(ImportError):
                    importlib.import_module(one.name)
    _read_presets()


def _read_presets() -> None:
    """Read what ships and never changes; nearly every call starts from one of these."""
    from penstock import presets
    from penstock.core.rules.load import load_preset

    for name in presets.FILES:
        load_preset(name)


def _serve(control: socket.socket) -> None:
    """Fork for each connection that comes over the socket; return in a child."""
    waiting = select.poll()
    waiting.register(control, select.POLLIN)
    children: dict[int, tuple[int, socket.socket]] = {}
    while True:
        for number, _ in waiting.poll():
            if number in children:
                waiting.unregister(number)
                _tell(number, *children.pop(number))
                continue
            head, connections, _, _ = socket.recv_fds(control, 1, 1)
            if not head:  # whoever asked is gone
                os._exit(0)
            asked = socket.socket(fileno=connections[0])
            process = os.fork()
            if process == 0:
                control.close()
                _become(asked)
                return
            child = os.pidfd_open(process)
            children[child] = (process, asked)
            waiting.register(child, select.POLLIN)


def _tell(number: int, process: int, asked: socket.socket) -> None:
    """Say how a child ended."""
    os.close(number)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    with asked, suppress(OSError):
        asked.sendall(b"%d" % code)


def _become(asked: socket.socket) -> None:
    """Take on everything that a process is started with."""
    head, files, _, _ = socket.recv_fds(asked, LENGTH, 3)
    data = b""
    while len(data) < int.from_bytes(head, "big"):
        data += asked.recv(1 << 20)
    given = json.loads(data)
    asked.sendall(b"%d\n" % os.getpid())
    asked.close()
    for target, file in enumerate(files):
        os.dup2(file, target)
        os.close(file)
    os.chdir(given["cwd"])
    os.environ.clear()
    os.environ.update(given["environ"])  # which `posix.environ` shares
    time.tzset()
    sys.argv[:] = given["argv"]


if __name__ == "__main__":
    main()
