"""Programs that an edit runs, such as git: their input, output and end."""

from __future__ import annotations

import os

import pytest

from penstock.stores.system.child import Child

SHELL = "/bin/sh"


def shell(script: str, stdin: bytes = b"") -> Child:
    return Child([SHELL, "-c", script], os.environ, stdin)


def test_a_program_gets_its_input_and_gives_its_output_however_large() -> None:
    data = os.urandom(3 << 20)
    code, out, err = shell("cat; echo end >&2; exit 3", data).ended(30)
    assert (code, out == data, err) == (3, True, b"end\n")


def test_a_program_that_reads_nothing_is_no_problem() -> None:
    assert shell("exec 0<&-; echo ok", b"x" * (1 << 20)).ended(30)[:2] == (0, b"ok\n")


def test_a_program_that_takes_too_long_is_ended() -> None:
    with pytest.raises(TimeoutError):
        shell("exec sleep 60").ended(0.2)


def test_a_program_that_is_not_there_is_an_error_and_leaves_nothing_open() -> None:
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    with pytest.raises(FileNotFoundError):
        Child(["/nowhere/program"], {}, b"")
    after = len(os.listdir("/proc/self/fd")) if before else 0
    assert before == after
