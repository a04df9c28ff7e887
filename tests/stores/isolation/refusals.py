"""Take something away from a process for real: a system call that the kernel then refuses."""

from __future__ import annotations

import ctypes
import errno
import os
import struct

from penstock.stores.isolation import syscalls
from penstock.stores.isolation.confine import ALLOW, AT_NUMBER, EQUAL, LOAD, REFUSE, RETURN

# By machine: what is refused, and the number of its system call.
NUMBERS = {
    "x86_64": {"unshare": 272, "mount": 165},
    "aarch64": {"unshare": 97, "mount": 40},
}
YOUNG = {"mount_setattr": 442, "landlock": 444}  # the same everywhere


def known() -> bool:
    """Say whether this machine's numbers are known."""
    return os.uname().machine in NUMBERS


def refuse(name: str, problem: int = errno.EPERM) -> None:
    """Have the kernel refuse a system call to this process and all that it starts."""
    number = {**YOUNG, **NUMBERS[os.uname().machine]}[name]
    steps = b"".join(
        struct.pack("HBBI", *step)
        for step in (
            (LOAD, 0, 0, AT_NUMBER),
            (EQUAL, 0, 1, number),
            (RETURN, 0, 0, REFUSE | problem),
            (RETURN, 0, 0, ALLOW),
        )
    )
    buffer = ctypes.create_string_buffer(steps, len(steps))
    program = ctypes.create_string_buffer(
        struct.pack("HxxxxxxQ", len(steps) // 8, ctypes.addressof(buffer))
    )
    syscalls.prctl(syscalls.NO_NEW_PRIVS, 1, what="no new privileges")
    where = ctypes.addressof(program)
    syscalls.prctl(syscalls.SECCOMP, syscalls.SECCOMP_FILTER, where, what="refusal")


def no_more_user_namespaces() -> None:
    """Put this process into a user namespace in which no other can be made."""
    user, group = os.geteuid(), os.getegid()
    syscalls.unshare(syscalls.NEWUSER)
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"0 {user} 1"),
        ("gid_map", f"0 {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)
    with open("/proc/sys/user/max_user_namespaces", "w", encoding="ascii") as file:
        file.write("0")
