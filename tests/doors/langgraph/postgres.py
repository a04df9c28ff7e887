"""A real PostgreSQL for one test session: found, or installed where apt-get is there.

Its data lies in a temporary directory and it listens on a socket in there only. Started by root
it runs as another user, because PostgreSQL refuses to be root.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PLACES = ("/usr/lib/postgresql", "/usr/local/pgsql", "/opt/homebrew/opt")
USERS = ("postgres", "nobody")
NAME = "penstock"


def programs() -> Path | None:
    """Return the directory with `initdb` and `pg_ctl`, the newest where there are several."""
    found = shutil.which("initdb")
    if found and (Path(found).parent / "pg_ctl").exists():
        return Path(found).parent
    every = [one for place in PLACES for one in Path(place).glob("*/bin")]
    usable = [one for one in every if (one / "initdb").exists() and (one / "pg_ctl").exists()]
    return max(usable, key=lambda one: [int(n) for n in one.parent.name.split(".") if n.isdigit()],
               default=None)  # fmt: skip


def installed() -> Path | None:
    """Return the programs; install them first where they are missing and that can be done."""
    found = programs()
    if found or os.geteuid() != 0 or not shutil.which("apt-get"):
        return found
    # Tests run side by side, and only one may install.
    with open(Path(tempfile.gettempdir()) / "penstock-tests-apt.lock", "w", encoding="utf-8") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        if programs() is None:
            _apt("update")
            _apt("install", "-y", "--no-install-recommends", "postgresql")
    return programs()


def _apt(*argv: str) -> None:
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "-q", *argv]
    subprocess.run(command, env=environ, capture_output=True, timeout=600, check=False)


@contextmanager
def server(bin_: Path) -> Iterator[str]:
    """Start a server and yield how to connect to it; it is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="penstock-pg-"))
    user = _user()
    if user is not None:
        os.chown(folder, user.pw_uid, user.pw_gid)
    data = str(folder / "data")
    try:
        _run(user, folder, bin_ / "initdb", "-D", data, "-A", "trust", "-U", NAME, "--no-sync",
             "-E", "UTF8", "--locale=C")  # fmt: skip
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        log = str(folder / "log")
        _run(user, folder, bin_ / "pg_ctl", "-D", data, "-w", "-t", "60", "-l", log,
             "-o", options, "start")  # fmt: skip
        try:
            yield f"host={folder} user={NAME} dbname=postgres"
        finally:
            _run(user, folder, bin_ / "pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _user() -> pwd.struct_passwd | None:
    if os.geteuid() != 0:
        return None
    known = {one.pw_name: one for one in pwd.getpwall()}
    return next(known[name] for name in USERS if name in known)


def _run(user: pwd.struct_passwd | None, folder: Path, program: Path, *argv: str) -> None:
    done = subprocess.run(
        [str(program), *argv],
        cwd=folder,
        env={"PATH": os.environ.get("PATH", ""), "HOME": str(folder), "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        # Not a pipe: the server keeps what it was started with.
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=120,
        check=False,
        user=None if user is None else user.pw_uid,
        group=None if user is None else user.pw_gid,
        extra_groups=None if user is None else [],
    )
    if done.returncode:
        log = folder / "log"
        said = log.read_text(errors="replace") if log.exists() else ""
        raise RuntimeError(f"{program.name} ended with {done.returncode}: {said}")
