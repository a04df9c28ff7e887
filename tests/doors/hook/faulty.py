"""The hook with one step that fails: `python -I -S faulty.py LAUNCHER < cells.json`.

The modules are loaded once; then each cell is a process of its own, forked from here, with its own
stdin, stdout and stderr, that runs the hook's `main` as the launcher does. Prints what each said.
"""

import json
import os
import sqlite3
import sys
import time
from typing import Any

launcher = sys.argv[1]
sys.path.append(launcher.rpartition("/penstock/")[0])

from penstock.doors.hook.daemon_client import use_packages  # noqa: E402 - found only now

use_packages()

import penstock.app.announce  # noqa: E402
import penstock.doors.hook.engine  # noqa: E402
import penstock.doors.hook.last_resort  # noqa: E402
import penstock.gate.service  # noqa: E402
import penstock.stores.audit.append  # noqa: E402
import penstock.stores.queue.sqlite  # noqa: E402
from penstock.doors.hook import main  # noqa: E402

STEPS = {
    "read stdin": ["penstock.doors.hook.main:_stdin"],
    "parse": [
        "penstock.doors.hook.fast_path:parse",
        "penstock.doors.hook.engine:parse",
        "penstock.doors.hook.wire:parse",
    ],
    "fast path": ["penstock.doors.hook.main:_by_fast_path"],
    "daemon": ["penstock.doors.hook.main:_by_daemon"],
    "policy": ["penstock.app.workspace:policy_of"],
    "judge": ["penstock.gate.judge:judge_call"],
    "advise": ["penstock.doors.hook.engine:Engine._advised"],
    "before-image": ["penstock.stores.queue.before_images:_write"],
    "look": ["penstock.doors.hook.protected_files:refresh"],
    "propose": ["penstock.gate.service:Gate.propose"],
    "queue": ["penstock.stores.queue.sqlite:SqliteProposals.add"],
    "record": [
        "penstock.stores.audit.append:ChainWriter.write",
        "penstock.doors.hook.fast_path:append_cold",
    ],
    "notify": ["penstock.app.announce:announce"],
    "words": ["penstock.doors.hook.engine:spoken"],
}


def hang() -> None:
    while True:  # until the deadline, which the test has made short
        time.sleep(0.01)


def fail(fault: str) -> None:
    if fault == "hang":
        hang()
    if fault.startswith("E"):
        import errno

        number = getattr(errno, fault)
        raise OSError(number, os.strerror(number))
    made = {
        "ImportError": ImportError("No module named 'nowhere'"),
        "locked": sqlite3.OperationalError("database is locked"),
        "corrupt": sqlite3.DatabaseError("database disk image is malformed"),
        "MemoryError": MemoryError(),
        "RecursionError": RecursionError("maximum recursion depth exceeded"),
        "UnicodeError": UnicodeEncodeError("utf-8", "\udcff", 0, 1, "surrogates not allowed"),
        "TypeError": TypeError("unsupported"),
        "KeyboardInterrupt": KeyboardInterrupt(),
        "SystemExit": SystemExit(0),
    }
    raise made[fault]


def spoil(step: str, fault: str) -> None:
    for target in STEPS[step]:
        name, _, path = target.partition(":")
        *above, last = path.split(".")
        owner = sys.modules[name]
        for part in above:
            owner = getattr(owner, part)
        if not hasattr(owner, last):
            raise SystemExit(f"there is no {target}")
        setattr(owner, last, lambda *_args, **_given: fail(fault))


def run(cell: "dict[str, Any]", folder: str) -> "dict[str, object]":
    files = [os.path.join(folder, name) for name in ("in", "out", "err")]
    with open(files[0], "w", encoding="utf-8") as file:
        file.write(cell["data"])
    pid = os.fork()
    if pid == 0:
        code = 97
        try:
            for at, path in enumerate(files):
                fd = os.open(path, os.O_RDWR | os.O_CREAT | (os.O_TRUNC if at else 0))
                os.dup2(fd, at)
            os.chdir(cell["cwd"])
            main.SECONDS = cell["seconds"]
            if cell["step"]:
                spoil(cell["step"], cell["fault"])
            code = 98
            main.main(cell["argv"])
        finally:
            os._exit(code)
    status = os.waitpid(pid, 0)[1]
    said = []
    for path in files[1:]:
        with open(path, encoding="utf-8") as file:
            said.append(file.read())
    return {"code": os.waitstatus_to_exitcode(status), "out": said[0], "err": said[1]}


if __name__ == "__main__":
    import tempfile

    cells = json.load(sys.stdin)
    penstock.doors.hook.engine.Engine().warm(cells[0]["cwd"])  # nothing is left to import
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps([run(cell, folder) for cell in cells]))
