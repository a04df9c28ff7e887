"""What makes an edit start quickly, and that it works as well without."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from penstock.stores.system.child import Child
from tests.doors.reviewer.reviewing import adding, plain

SHELL = "/bin/sh"


def shell(script: str, stdin: bytes = b"") -> Child:
    return Child([SHELL, "-c", script], os.environ, stdin)


# Programs


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


def test_an_edit_loads_no_library_for_command_lines(tmp_path: Path) -> None:
    at = plain(tmp_path)
    told = "lambda code: (print(sorted(sys.modules), file=sys.stderr), sys.exit(code))"
    code = f"import sys, penstock.reviewer as r; r._end = {told}; r.main(sys.argv[1:])"
    words = ["apply", "--json", json.dumps(adding()), "--target-file", str(at.file)]
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        env=at.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(json.loads(done.stderr.strip().splitlines()[-1].replace("'", '"')))
    assert not {"click", "rich", "yaml", "textual", "starlette"} & loaded
