"""A part of `python -m tests.faults --only record` that is short enough for every day."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from penstock.core.errors import AuditError
from penstock.stores.audit.remembered_head import HeadMemory
from penstock.stores.audit.segments import files_of
from penstock.stores.system.os_errors import is_there
from penstock.stores.system.private import write_file
from tests import REPOSITORY


def faults(*options: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults", "--no-power", "--races", "0", *options],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 3:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_record_survives_a_kill_and_a_failing_call_here_and_there() -> None:
    assert "0 of 4 scenarios" in faults("--only", "record", "--every", "7")


@pytest.mark.slow
def test_a_rotation_survives_a_failing_call_at_every_step() -> None:
    """A look at a segment that failed once made the chain begin anew."""
    assert "0 of 1 scenarios" in faults("--only", "record, append with rotation")


TOO_LONG = "x" * 300  # the kernel refuses to look, which does not mean that nothing is there


def test_a_failing_look_is_an_error_and_never_an_absence(tmp_path: Path) -> None:
    path = str(tmp_path / TOO_LONG)
    with pytest.raises(AuditError):
        files_of(path)
    with pytest.raises(AuditError):
        HeadMemory(path).recall()
    with pytest.raises(OSError, match="too long"):
        is_there(path)
    assert not is_there(str(tmp_path / "absent"))
    assert not is_there(str(tmp_path / "absent" / "below"))
    (tmp_path / "link").symlink_to("nowhere")
    assert is_there(str(tmp_path / "link"))


def test_a_key_whose_place_cannot_be_looked_at_is_not_written_over(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="too long"):
        write_file(str(tmp_path), TOO_LONG, b"", replace=False)
