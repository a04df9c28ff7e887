"""Stop a process at each of its system calls and decide what happens there.

This uses ptrace directly: counting begins where the scenario begins and not where Python
starts, a run costs milliseconds, and nothing needs to be installed. The process is forked, so
everything that it imports is imported already. Only its main thread is watched.
"""

from __future__ import annotations

import ctypes
import errno
import gc
import os
import platform
import signal
import struct
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field

TRACEME, SYSCALL, GETREGS, SETREGS, DETACH, SETOPTIONS = 0, 24, 12, 13, 17, 0x4200
GET_SYSCALL_INFO = 0x420E
OPTIONS = 0x1 | 0x100000  # mark system calls; kill the traced one when we end
SYSCALL_STOP = signal.SIGTRAP | 0x80
ENTRY = 1
RAX, ORIG_RAX, REGISTERS = 10, 15, 27
MOST_STOPS = 1_000_000

# The calls that an error is injected into, by their numbers on x86-64: those that touch files.
# Memory and threads are left alone; their failure is Python's affair and not a disk's.
FILE_CALLS = {
    0: "read",
    1: "write",
    2: "open",
    3: "close",
    4: "stat",
    5: "fstat",
    6: "lstat",
    8: "lseek",
    17: "pread64",
    18: "pwrite64",
    20: "writev",
    21: "access",
    72: "fcntl",
    73: "flock",
    74: "fsync",
    75: "fdatasync",
    76: "truncate",
    77: "ftruncate",
    79: "getcwd",
    82: "rename",
    83: "mkdir",
    84: "rmdir",
    85: "creat",
    86: "link",
    87: "unlink",
    88: "symlink",
    89: "readlink",
    90: "chmod",
    91: "fchmod",
    92: "chown",
    93: "fchown",
    190: "fsetxattr",
    193: "fgetxattr",
    196: "flistxattr",
    217: "getdents64",
    257: "openat",
    258: "mkdirat",
    262: "newfstatat",
    263: "unlinkat",
    264: "renameat",
    265: "linkat",
    266: "symlinkat",
    267: "readlinkat",
    268: "fchmodat",
    285: "fallocate",
    316: "renameat2",
    318: "getrandom",
    332: "statx",
    437: "openat2",
}
# To SQLite a disk that fails for good looks like one that others use: it sleeps and tries again,
# for ten seconds. Thousands of faults cannot wait for that, so while calls fail a sleep is short.
SLEEPS = {35, 230}

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


def why_not() -> str:
    """Return why nothing can be traced here, or nothing."""
    if not sys.platform.startswith("linux"):
        return "only Linux has ptrace as it is used here"
    try:
        run(lambda: "ok", Plan())
    except OSError as problem:
        return f"this machine does not allow ptrace: {problem}"
    return ""


def can_inject_errors() -> bool:
    """True where we know the registers; killing works everywhere."""
    return platform.machine() == "x86_64"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to do at which call, counted from 1. Nothing is done when `at` is 0."""

    at: int = 0
    kill: bool = False
    error: int = 0
    lasting: bool = False  # every later file call fails too
    pause: Callable[[int, str], None] | None = None  # called at every call

    @property
    def once(self) -> bool:
        """True when nothing is planned after the call that is struck."""
        return not self.lasting and self.pause is None

    def strikes(self, number: int) -> bool:
        return bool(self.at) and (number == self.at or (self.lasting and number > self.at))


@dataclass
class Trace:
    """What happened: the calls, whether the plan struck, and the answer if one came."""

    calls: list[str] = field(default_factory=list)
    struck: bool = False
    answer: str | None = None


def run(act: Callable[[], str], plan: Plan) -> Trace:
    """Do something in a traced process, with faults as planned."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _perform(act, reading, writing)
    os.close(writing)
    trace = Trace()
    try:
        _follow(child, writing, plan, trace)
    finally:
        with os.fdopen(reading, "rb") as pipe:
            answer = pipe.read()
        trace.answer = answer.decode() if answer else None
    return trace


def _perform(act: Callable[[], str], reading: int, writing: int) -> None:
    """Run in the child: tell the answer and end, whatever happens."""
    try:
        os.close(reading)
        gc.disable()  # so that each run makes the same calls
        if _libc.ptrace(TRACEME, 0, None, None):
            os._exit(125)
        os.kill(os.getpid(), signal.SIGSTOP)
        answer = act()
    except BaseException:
        answer = "crash: " + traceback.format_exc()
    os.write(writing, answer.encode())
    os._exit(0)


def _follow(child: int, writing: int, plan: Plan, trace: Trace) -> None:
    _, status = os.waitpid(child, 0)
    if not os.WIFSTOPPED(status):
        raise PermissionError(errno.EPERM, "the process would not be traced")
    _ptrace(SETOPTIONS, child, OPTIONS)
    deliver, over = 0, False
    result: int | None = None
    for _ in range(MOST_STOPS):
        _ptrace(SYSCALL, child, deliver)
        _, status = os.waitpid(child, 0)
        if not os.WIFSTOPPED(status):
            return
        stop = os.WSTOPSIG(status)
        deliver = 0 if stop == SYSCALL_STOP else stop
        if stop != SYSCALL_STOP or over:
            continue
        entering, number, first = _call_info(child)
        if not entering:
            if result is not None:
                _set_register(child, RAX, result)
                result = None
                if plan.once:  # nothing more will happen to it: let it run at full speed
                    _ptrace(DETACH, child, 0)
                    os.waitpid(child, 0)
                    return
            continue
        over = number == 1 and first == writing  # the answer is on its way
        result = _strike(child, number, over, plan, trace)
    raise RuntimeError("the process does not end")


def _strike(child: int, number: int, over: bool, plan: Plan, trace: Trace) -> int | None:
    """Count a call and do what is planned for it; return what it shall give, None as it is."""
    name = FILE_CALLS.get(number, f"call {number}")
    trace.calls.append("the answer" if over else name)
    if plan.pause is not None:
        plan.pause(len(trace.calls), trace.calls[-1])
    if not plan.strikes(len(trace.calls)):
        return None
    if plan.kill:
        trace.struck = True
        os.kill(child, signal.SIGKILL)
        return None
    if number in SLEEPS:
        _set_register(child, ORIG_RAX, -1)
        return 0
    if over or number not in FILE_CALLS:
        return None
    trace.struck = True
    _set_register(child, ORIG_RAX, -1)  # the kernel skips a call that has no number
    return -plan.error


def _call_info(child: int) -> tuple[bool, int, int]:
    """Return whether a call begins, its number and its first argument."""
    buffer = ctypes.create_string_buffer(88)
    _ptrace(GET_SYSCALL_INFO, child, ctypes.addressof(buffer), at=len(buffer))
    kind = buffer.raw[0]
    number, first = struct.unpack_from("=QQ", buffer.raw, 24)
    return kind == ENTRY, number, first


def _set_register(child: int, register: int, value: int) -> None:
    registers = (ctypes.c_ulonglong * REGISTERS)()
    _ptrace(GETREGS, child, ctypes.addressof(registers))
    registers[register] = value & (2**64 - 1)
    _ptrace(SETREGS, child, ctypes.addressof(registers))


def _ptrace(request: int, child: int, data: int, *, at: int = 0) -> None:
    if _libc.ptrace(request, child, at, data) < 0 and ctypes.get_errno() != errno.ESRCH:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
