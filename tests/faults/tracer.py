"""Stop a process at each of its system calls and decide what happens there.

This uses ptrace directly: counting begins where the scenario begins and not where Python
starts, a run costs milliseconds, and nothing needs to be installed. The process is forked, so
everything that it imports is imported already. Processes that it forks are watched with it, as
long as they start no program; of each only the main thread.
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
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field

TRACEME, SYSCALL, GETREGS, SETREGS, DETACH, SETOPTIONS = 0, 24, 12, 13, 17, 0x4200
GET_EVENT, GET_SYSCALL_INFO, FORKED = 0x4201, 0x420E, 1
OPTIONS = 0x1 | 0x2 | 0x100000  # mark system calls; follow forks; kill the traced when we end
ALL = 0x40000000  # wait for processes of every sort
HELPER = "forked, "  # before the name of a call that a forked process makes
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
# Memory comes and goes as Python likes, so these are not counted: each run has the same calls then.
MEMORY = {9, 10, 11, 12, 25, 28}
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
    alone: bool = False  # only the process that makes the call is killed
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


def run(act: Callable[[], str], plan: Plan, *, ready: Callable[[], None] | None = None) -> Trace:
    """Do something in a traced process, with faults as planned; `ready` comes before, untraced."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _perform(act, ready, reading, writing)
    os.close(writing)
    trace = Trace()
    try:
        _Tracer(child, writing, plan, trace).follow()
    finally:
        with os.fdopen(reading, "rb") as pipe:
            answer = pipe.read()
        trace.answer = answer.decode() if answer else None
    return trace


def _perform(
    act: Callable[[], str], ready: Callable[[], None] | None, reading: int, writing: int
) -> None:
    """Run in the child: tell the answer and end, whatever happens."""
    above = os.getpid()
    try:
        os.close(reading)
        os.setpgid(0, 0)  # so that whoever waits for us waits for nobody else
        _stop_clocks()
        if ready is not None:
            ready()
        gc.disable()  # so that each run makes the same calls
        if _libc.ptrace(TRACEME, 0, None, None):
            os._exit(125)
        os.kill(os.getpid(), signal.SIGSTOP)
        answer = act()
    except BaseException:
        answer = "crash: " + traceback.format_exc()
    if os.getpid() == above:  # a process that it forked ends without a word
        os.write(writing, answer.encode())
    os._exit(0)


def _stop_clocks() -> None:
    """Let it be one moment: at the turn of a second some calls more are made than otherwise."""
    now, since = time.time(), time.clock_gettime(time.CLOCK_BOOTTIME)
    time.time = lambda: now
    time.clock_gettime = lambda _: since


class _Tracer:
    """Follows a process and those that it forks, call by call."""

    def __init__(self, child: int, writing: int, plan: Plan, trace: Trace) -> None:
        self.child, self.writing, self.plan, self.trace = child, writing, plan, trace
        self.results: dict[int, int | None] = {child: None}  # what a call under way shall give
        self.met, self.unseen = {child}, set[int]()  # the latter were forked and have not stopped
        self.over = self.leaving = self.killed = False

    def follow(self) -> None:
        """Go on until the process and those that it forked have ended."""
        _, status = os.waitpid(self.child, 0)
        if not os.WIFSTOPPED(status):
            raise PermissionError(errno.EPERM, "the process would not be traced")
        _ptrace(SETOPTIONS, self.child, OPTIONS)
        _ptrace(SYSCALL, self.child, 0)
        for _ in range(MOST_STOPS):
            known, status = os.waitpid(-self.child, ALL)
            if os.WIFSTOPPED(status):
                self._expect(_forked(known) if status >> 16 == FORKED else known)
                self._continue(known, 0 if self.leaving else self._stopped(known, status))
            else:
                self.results.pop(known, None)
            if not self.results:
                return
        raise RuntimeError("the process does not end")

    def _continue(self, known: int, deliver: int) -> None:
        if not self.leaving:
            _ptrace(SYSCALL, known, deliver)
            return
        _ptrace(DETACH, known, deliver)
        if known != self.child:  # it is no longer ours to wait for
            self.results.pop(known, None)

    def _stopped(self, known: int, status: int) -> int:
        """Do what is due where a process has stopped; return the signal that it shall get."""
        stop = os.WSTOPSIG(status)
        if known in self.unseen:
            self.unseen.discard(known)
            return 0  # this stop is the tracer's own
        if stop != SYSCALL_STOP:
            return 0 if stop == signal.SIGTRAP else stop  # it has forked, or started a program
        if self.over:
            return 0
        entering, number, first = _call_info(known)
        if number in MEMORY:
            return 0
        if entering:
            self.over = known == self.child and number == 1 and first == self.writing
            self.results[known] = self._strike(known, number)
            return 0
        result, self.results[known] = self.results[known], None
        if result is not None:
            _set_register(known, RAX, result)
            self.leaving = self.plan.once  # nothing more will happen: let them run at full speed
        return 0

    def _expect(self, known: int) -> None:
        """Wait for a process that was forked; its first stop may come before or after the news."""
        if known not in self.met:
            self.met.add(known)
            self.unseen.add(known)
            self.results[known] = None
            if self.killed:
                os.kill(known, signal.SIGKILL)

    def _strike(self, known: int, number: int) -> int | None:
        """Count a call and do what is planned for it; return what it shall give, None as it is."""
        plan, trace = self.plan, self.trace
        name = "the answer" if self.over else FILE_CALLS.get(number, f"call {number}")
        trace.calls.append(name if known == self.child else f"{HELPER}{name}")
        if plan.pause is not None:
            plan.pause(len(trace.calls), trace.calls[-1])
        if not plan.strikes(len(trace.calls)):
            return None
        if plan.kill:
            trace.struck = True
            for one in [known] if plan.alone else list(self.results):
                os.kill(one, signal.SIGKILL)
            self.killed, self.leaving = not plan.alone, plan.alone
            return None
        if number in SLEEPS:
            _set_register(known, ORIG_RAX, -1)
            return 0
        if self.over or number not in FILE_CALLS:
            return None
        trace.struck = True
        _set_register(known, ORIG_RAX, -1)  # the kernel skips a call that has no number
        return -plan.error


def _forked(parent: int) -> int:
    """Return which process another one has forked."""
    number = ctypes.c_ulong()
    _ptrace(GET_EVENT, parent, ctypes.addressof(number))
    return number.value


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
