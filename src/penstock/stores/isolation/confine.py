"""What a process gives up before the command starts: rights, descriptors, terminal injection.

Files are `room`'s. Landlock is used for its scope alone (abstract sockets and signals): with
rules about files it would forbid `mount`, and agents start sandboxes of their own.
Always true: each step works or raises; none can be taken back by what is started afterwards.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

from penstock.stores.isolation import syscalls

SYS_LANDLOCK_CREATE, SYS_LANDLOCK_RESTRICT = 444, 446
LANDLOCK_VERSION = 1  # the flag that asks for it
SCOPE_SINCE, SCOPE_SOCKETS_AND_SIGNALS = 6, 3

# seccomp: a classic BPF program over the system call's number and arguments.
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
AT_NUMBER, AT_ARCHITECTURE, AT_SECOND_ARGUMENT = 0, 4, 24
ALLOW, REFUSE = 0x7FFF0000, 0x00050000
X32 = 0x40000000
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
# The architectures that one kernel runs, each with the number of its `ioctl`.
IOCTL = {
    "x86_64": {0xC000003E: 16, 0x40000003: 54},
    "aarch64": {0xC00000B7: 29, 0x40000028: 54},
    "riscv64": {0xC00000F3: 29},
    "loongarch64": {0xC0000102: 29},
}


def landlock_version() -> int:
    """Return which version of Landlock this kernel has, 0 for none."""
    try:
        return syscalls.numbered(SYS_LANDLOCK_CREATE, 0, 0, LANDLOCK_VERSION, what="landlock")
    except OSError:
        return 0


def scope() -> None:
    """Put abstract sockets and signals of others out of reach, where the kernel can do it."""
    if landlock_version() < SCOPE_SINCE:
        return  # `probe` says so, and the banner with it
    rules = struct.pack("QQQ", 0, 0, SCOPE_SOCKETS_AND_SIGNALS)
    made = syscalls.numbered(SYS_LANDLOCK_CREATE, rules, len(rules), 0, what="landlock scope")
    try:
        syscalls.numbered(SYS_LANDLOCK_RESTRICT, made, 0, what="landlock scope")
    finally:
        os.close(made)


def _step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("HBBI", code, yes, no, value)


def terminal_filter(machine: str) -> bytes:
    """Return the program that refuses to type into a terminal, for all of a machine's ABIs.

    An ABI that is not listed could number `ioctl` otherwise, so its calls do not exist.
    """
    unknown = _step(RETURN, REFUSE | errno.ENOSYS)
    steps = [_step(LOAD, AT_ARCHITECTURE)]
    for architecture, ioctl in IOCTL[machine].items():
        body = [
            _step(LOAD, AT_NUMBER),
            _step(AT_LEAST, X32, 0, 1),
            unknown,
            _step(EQUAL, ioctl, 0, 4),
            _step(LOAD, AT_SECOND_ARGUMENT),
            _step(EQUAL, TIOCSTI, 1, 0),
            _step(EQUAL, TIOCLINUX, 0, 1),
            _step(RETURN, REFUSE | errno.EPERM),
            _step(RETURN, ALLOW),
        ]
        steps += [_step(EQUAL, architecture, 0, len(body)), *body]
    return b"".join([*steps, unknown])


def no_typing() -> None:
    """Refuse TIOCSTI and TIOCLINUX: a command must not type into the terminal it leaves."""
    machine = os.uname().machine
    if machine not in IOCTL:
        raise OSError(errno.ENOSYS, f"no system call filter for {machine}")
    steps = terminal_filter(machine)
    buffer = ctypes.create_string_buffer(steps, len(steps))
    program = ctypes.create_string_buffer(
        struct.pack("HxxxxxxQ", len(steps) // 8, ctypes.addressof(buffer))
    )
    where = ctypes.addressof(program)
    syscalls.prctl(syscalls.SECCOMP, syscalls.SECCOMP_FILTER, where, what="system call filter")


def close_descriptors(kept: frozenset[int] = frozenset()) -> None:
    """Close everything but the three standard descriptors and those that are kept."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) not in kept:
            try:
                os.close(int(name))
            except OSError:  # the listing's own, which is closed by now
                continue


def confine(kept: frozenset[int], *, bounding: bool = True) -> None:
    """Give up everything but some descriptors; what starts from here on gets nothing back."""
    syscalls.own_keyring()
    close_descriptors(kept)
    syscalls.prctl(syscalls.NO_NEW_PRIVS, 1, what="no new privileges")
    scope()
    syscalls.no_capabilities(bounding=bounding)
    no_typing()
