"""A part of `python -m tests.faults` that is short enough for every day.

It runs in a process of its own, because it forks.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests import REPOSITORY


def faults(*options: str) -> str:
    command = [sys.executable, "-m", "tests.faults", *options]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode == 3:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_write_survives_a_kill_and_a_failing_call_at_every_fifth_step() -> None:
    out = faults("--every", "5", "--no-power", "--only", "create", "--only", "modify")
    assert "ok  modify" in out


@pytest.mark.slow
def test_a_set_survives_a_kill_and_a_failing_call_here_and_there() -> None:
    out = faults("--every", "31", "--no-power", "--only", "set", "--only", "remove")
    assert "ok  set" in out


@pytest.mark.slow
def test_a_power_cut_leaves_the_old_file_or_the_new() -> None:
    assert "BAD" not in faults("--only", "power cut: modify")


@pytest.mark.slow
def test_the_gate_survives_a_kill_and_a_failing_call_here_and_there() -> None:
    out = faults("--every", "61", "--no-power", "--races", "0", "--only", "gate")
    assert out.count("ok  gate") == 5


@pytest.mark.slow
def test_the_broker_survives_a_kill_and_a_failing_call_here_and_there() -> None:
    out = faults("--every", "97", "--first", "7", "--no-power", "--races", "0", "--only", "broker")
    assert out.count("ok  broker") == 3


@pytest.mark.slow
def test_the_approvers_key_survives_a_failing_call_here_and_there() -> None:
    """The first call of all asks for random bytes; that it failed was once a crash."""
    assert "0 of 2 scenarios" in faults("--every", "40", "--no-power", "--only", "keys")


@pytest.mark.slow
def test_a_look_at_a_path_that_fails_is_no_proof_that_the_path_has_moved() -> None:
    """A proposal is over once its file has moved; a disk that fails once must not end it."""
    only = ("--only", "broker, apply a set", "--only", "gate, apply a set")
    out = faults("--call", "openat2", "--no-power", "--races", "0", *only)
    assert "0 of 2 scenarios" in out


@pytest.mark.slow
def test_what_is_stored_stays_acknowledged_when_nobody_can_be_told() -> None:
    """Telling a person comes last; its imports and marks must not turn a yes into a crash."""
    late = ("--first", "326", "--every", "10", "--only", "gate, propose")
    out = faults("--no-power", "--races", "0", *late)
    assert "0 of 1 scenarios" in out


@pytest.mark.slow
def test_a_sync_of_a_run_survives_a_kill_and_a_failing_call_here_and_there() -> None:
    """So few of the 40,000 of `make faults`, spread over all calls of four scenarios."""
    out = faults("--sample", "24", "--no-power", "--races", "0", "--only", "run,")
    assert out.count("ok  run, a sync") in (0, 4), "none where no overlay can be made"
