"""What a process gives up before the command starts: rights, descriptors, some system calls.

Files are `room`'s. Landlock is used for its scope alone (abstract sockets and signals): with
rules about files it would forbid `mount`, and agents start sandboxes of their own.
Always true: each step works or raises; none can be taken back by what is started afterwards.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Sequence

from msgspec import Struct

from penstock.stores.isolation import syscalls

SYS_LANDLOCK_CREATE, SYS_LANDLOCK_RESTRICT = 444, 446
LANDLOCK_VERSION = 1  # the flag that asks for it
SCOPE_SINCE, SCOPE_SOCKETS_AND_SIGNALS = 6, 3

# seccomp: a classic BPF program over the system call's number and arguments.
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
AT_NUMBER, AT_ARCHITECTURE, AT_ARGUMENTS, ARGUMENT_BYTES = 0, 4, 16, 8
ALLOW, REFUSE = 0x7FFF0000, 0x00050000
X32 = 0x40000000
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
PRIO_PGRP, IOPRIO_WHO_PGRP = 1, 2
AF_VSOCK = 40
OWN_GROUP = 0  # of `kill`: every process of the caller's group

GENERIC = {
    "ioctl": 29, "setpriority": 140, "ioprio_set": 30, "kill": 129,
    "add_key": 217, "request_key": 218, "keyctl": 219, "socket": 198, "io_uring_setup": 425,
}  # fmt: skip
# The architectures that one kernel runs, each with the numbers of its calls.
NUMBERS: dict[str, dict[int, dict[str, int]]] = {
    "x86_64": {
        0xC000003E: {
            "ioctl": 16, "setpriority": 141, "ioprio_set": 251, "kill": 62,
            "add_key": 248, "request_key": 249, "keyctl": 250, "socket": 41, "io_uring_setup": 425,
        },
        0x40000003: {
            "ioctl": 54, "setpriority": 97, "ioprio_set": 289, "kill": 37,
            "add_key": 286, "request_key": 287, "keyctl": 288, "socket": 359,
            "socketcall": 102, "io_uring_setup": 425,
        },
    },
    "aarch64": {
        0xC00000B7: GENERIC,
        0x40000028: {
            "ioctl": 54, "setpriority": 97, "ioprio_set": 314, "kill": 37,
            "add_key": 309, "request_key": 310, "keyctl": 311, "socket": 281,
            "io_uring_setup": 425,
        },
    },
    "riscv64": {0xC00000F3: GENERIC},
    "loongarch64": {0xC0000102: GENERIC},
}  # fmt: skip


class CallRefusal(Struct, frozen=True, kw_only=True):
    """A system call that does not exist for a command, or not with some values of an argument."""

    call: str
    problem: int = errno.EPERM
    argument: int = 0
    values: tuple[int, ...] = ()  # none: whatever the arguments are


# What no namespace divides: the terminal, the process group that the command shares with us and
# with what started us, and keys, which a number and the same user are enough to reach.
REFUSED = (
    CallRefusal(call="ioctl", argument=1, values=(TIOCSTI, TIOCLINUX)),
    CallRefusal(call="setpriority", values=(PRIO_PGRP,)),
    CallRefusal(call="ioprio_set", values=(IOPRIO_WHO_PGRP,)),
    CallRefusal(call="add_key", problem=errno.ENOSYS),
    CallRefusal(call="request_key", problem=errno.ENOSYS),
    CallRefusal(call="keyctl", problem=errno.ENOSYS),
)
# Where Landlock does not keep signals in the run, none is sent to the whole group.
UNSCOPED = CallRefusal(call="kill", values=(OWN_GROUP,))
# Without a network: sockets to the machine that this one runs in belong to no network namespace.
# What makes sockets where no filter sees their family does not exist then.
OFFLINE = (
    CallRefusal(call="socket", problem=errno.EAFNOSUPPORT, values=(AF_VSOCK,)),
    CallRefusal(call="socketcall", problem=errno.ENOSYS),
    CallRefusal(call="io_uring_setup", problem=errno.ENOSYS),
)


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


def _refusal(one: CallRefusal, number: int) -> list[bytes]:
    """Return the steps for one call; what is another call goes on behind them."""
    refuse = _step(RETURN, REFUSE | one.problem)
    if one.values:
        found = [_step(EQUAL, value, len(one.values) - at) for at, value in enumerate(one.values)]
        where = AT_ARGUMENTS + ARGUMENT_BYTES * one.argument
        body = [_step(LOAD, where), *found, _step(RETURN, ALLOW), refuse]
    else:
        body = [refuse]
    return [_step(EQUAL, number, 0, len(body)), *body]


def call_filter(machine: str, refused: Sequence[CallRefusal]) -> bytes:
    """Return the program that refuses some calls, for all of a machine's ABIs.

    An ABI that is not listed could number its calls otherwise, so they do not exist.
    """
    unknown = _step(RETURN, REFUSE | errno.ENOSYS)
    steps = [_step(LOAD, AT_ARCHITECTURE)]
    for architecture, numbers in NUMBERS[machine].items():
        body = [_step(LOAD, AT_NUMBER), _step(AT_LEAST, X32, 0, 1), unknown]
        for one in refused:
            body += _refusal(one, numbers[one.call]) if one.call in numbers else []
        body.append(_step(RETURN, ALLOW))
        steps += [_step(EQUAL, architecture, 0, len(body)), *body]
    return b"".join([*steps, unknown])


def refuse_calls(*, network: bool = True) -> None:
    """Refuse what reaches around all namespaces, such as typing into the terminal."""
    machine = os.uname().machine
    if machine not in NUMBERS:
        raise OSError(errno.ENOSYS, f"no system call filter for {machine}")
    scoped = landlock_version() >= SCOPE_SINCE
    more = (*(() if scoped else (UNSCOPED,)), *(() if network else OFFLINE))
    steps = call_filter(machine, (*REFUSED, *more))
    buffer = ctypes.create_string_buffer(steps, len(steps))
    program = ctypes.create_string_buffer(
        struct.pack("HxxxxxxQ", len(steps) // 8, ctypes.addressof(buffer))
    )
    where = ctypes.addressof(program)
    syscalls.prctl(syscalls.SECCOMP, syscalls.SECCOMP_FILTER, where, what="system call filter")


class _NoModules:
    """Finds no module, and says so."""

    @staticmethod
    def find_spec(name: str, _: object = None, __: object = None) -> None:
        raise ModuleNotFoundError(f"`{name}` is not imported inside a run", name=name)


def import_no_more() -> None:
    """Have this process import nothing from here on: where it goes, files are the command's.

    A module that Python or we look for late would be read there, and run with the rights that a
    process has which is no command.
    """
    sys.meta_path[:] = [_NoModules]


def close_descriptors(kept: frozenset[int] = frozenset()) -> None:
    """Close everything but the three standard descriptors and those that are kept."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) not in kept:
            try:
                os.close(int(name))
            except OSError:  # the listing's own, which is closed by now
                continue


def confine(kept: frozenset[int], *, bounding: bool = True, network: bool = True) -> None:
    """Give up everything but some descriptors; what starts from here on gets nothing back."""
    syscalls.own_keyring()
    close_descriptors(kept)
    syscalls.prctl(syscalls.NO_NEW_PRIVS, 1, what="no new privileges")
    scope()
    syscalls.no_capabilities(bounding=bounding)
    refuse_calls(network=network)
