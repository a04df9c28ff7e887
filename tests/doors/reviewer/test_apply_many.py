"""Several files in one batch, and several processes at one file."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from penstock.core.errors import StoreError
from penstock.stores.rules.lock import locked
from tests.doors.reviewer.reviewer_process import NPM, RULES, START, Reviewer, adding, in_git, plain

QUICKLY = {"DECISION_REVIEWER_LOCK_SECONDS": "0.2"}


def two(at: Reviewer, *more: dict[str, object]) -> tuple[Path, dict[str, object]]:
    """Return a second rules file, and a batch about both."""
    other = at.folder / "sub" / "other.toml"
    other.parent.mkdir()
    other.write_text(RULES)
    operations = [
        adding(target_file=str(at.file)),
        {"type": "remove_rule", "id": "deny-rm", "target_file": str(other)},
        *more,
    ]
    return other, {"type": "batch", "operations": operations}


def test_a_batch_over_two_files_is_one_commit(tmp_path: Path) -> None:
    at = in_git(tmp_path)
    other, batch = two(at)
    answer = at.made(batch)
    assert len(answer["changes"]) == 2
    assert at.repo.git("show", "--format=", "--name-only").split() == [at.name, "sub/other.toml"]
    done = at.shell(answer["rollback_info"]["rollback_command"])
    assert done.code == 0, done.err
    assert (at.file.read_text(), other.read_text()) == (RULES, RULES)


def test_if_one_part_of_a_batch_is_wrong_no_file_changes(tmp_path: Path) -> None:
    at = in_git(tmp_path)
    other, batch = two(at, {"type": "remove_rule", "id": "nobody", "target_file": str(at.file)})
    before = at.repo.head()
    done = at.apply(batch)
    assert done.code == 1
    assert (at.file.read_text(), other.read_text(), at.repo.head()) == (RULES, RULES, before)


def test_if_one_file_cannot_be_written_no_file_changes(tmp_path: Path) -> None:
    at = plain(tmp_path)
    other, batch = two(at)
    (other.parent / "second name").hardlink_to(other)
    done = at.apply(batch)
    assert (done.code, done.json["success"]) == (1, False)
    assert done.json["error"] == f"`{other}` has 2 names (hard links)"
    assert (at.file.read_text(), other.read_text()) == (RULES, RULES)
    assert at.backups() == []
    assert at.apply(batch, "--dry-run").json == done.json


def test_a_dry_run_names_all_files(tmp_path: Path) -> None:
    at = plain(tmp_path)
    other, batch = two(at)
    answer = at.made(batch, "--dry-run")
    assert (answer["target_file"], answer["target_files"]) == (
        str(at.file),
        [str(at.file), str(other)],
    )


def test_the_parts_of_a_batch_inherit_its_file(tmp_path: Path) -> None:
    at = plain(tmp_path)
    at.made(
        {
            "type": "batch",
            "target_file": str(at.file),
            "operations": [adding(), {"type": "remove_rule", "id": "deny-rm"}],
        }
    )
    assert "deny-rm" not in at.file.read_text()
    assert NPM["id"] in at.file.read_text()


@pytest.mark.parametrize("take", [fcntl.flock, fcntl.lockf], ids=["flock", "lockf"])
def test_a_lock_that_somebody_holds_is_told_after_a_while(tmp_path: Path, take) -> None:  # type: ignore[no-untyped-def]
    at = plain(tmp_path)
    name = Path(f"{at.file}.lock")
    with name.open("w") as held:
        take(held, fcntl.LOCK_EX)
        done = at.apply(adding(), env=QUICKLY)
    assert (done.code, done.json["error_type"]) == (1, "config_locked")
    assert "Config locked" in done.json["error"]
    assert at.file.read_text() == RULES


@pytest.mark.parametrize("left", ["", '{"pid": 999999999, "by": "gone", "since": "x"}'])
def test_who_holds_a_lock_without_saying_so_is_named_by_its_number(
    tmp_path: Path, left: str
) -> None:
    at = plain(tmp_path)
    lock = at.folder / f"{at.name}.lock"
    lock.write_text(left)
    with lock.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if f":{lock.stat().st_ino} " not in Path("/proc/locks").read_text():
            pytest.skip("this file system has other numbers for the kernel")
        done = at.apply(adding(), env={"DECISION_REVIEWER_LOCK_SECONDS": "0"})
    assert (done.code, done.json["error_type"]) == (1, "config_locked")
    assert f"process {os.getpid()} holds the lock" in done.json["details"][0]["error"]
    assert lock.read_text() == left


def test_the_holder_of_a_lock_is_named(tmp_path: Path) -> None:
    at = plain(tmp_path)
    with locked([str(at.file)], by="ada"):
        done = at.apply(adding(), env=QUICKLY)
    assert " of `ada` has held the lock since " in done.json["details"][0]["error"]
    assert "process" in done.json["details"][0]["error"]
    assert not Path(f"{at.file}.lock").exists()


def test_a_dry_run_needs_no_lock(tmp_path: Path) -> None:
    at = plain(tmp_path)
    with locked([str(at.file)], by="ada"):
        assert at.apply(adding(), "--dry-run", env=QUICKLY).code == 0


def test_a_lock_file_that_a_crash_left_holds_nobody_up(tmp_path: Path) -> None:
    at = plain(tmp_path)
    left = Path(f"{at.file}.lock")
    left.write_text('{"pid": 1, "by": "x", "since": "y"}\n')
    assert at.apply(adding(), env=QUICKLY).code == 0
    assert not left.exists()


def test_a_lock_file_of_somebody_else_stays(tmp_path: Path) -> None:
    file = tmp_path / "r.toml"
    left = tmp_path / "r.toml.lock"
    left.write_text("mine\n")
    with locked([str(file)], by="x"):
        assert left.read_text() == "mine\n"
    assert left.read_text() == "mine\n"


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "r.toml.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError), locked([str(tmp_path / "r.toml")], by="x"):
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_ten_processes_at_once_lose_no_edit(tmp_path: Path) -> None:
    at = in_git(tmp_path)
    rules = [{**NPM, "id": f"allow-{n}", "command_regex": f"^tool{n}( |$)"} for n in range(10)]
    running = [
        subprocess.Popen(
            [
                *(sys.executable, "-c", START, "apply", "--json", json.dumps(adding(rule))),
                *("--target-file", str(at.file)),
            ],
            cwd=at.folder,
            env={**at.environ, "DECISION_REVIEWER_LOCK_SECONDS": "100"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rule in rules
    ]
    ends = [(one.communicate(timeout=120), one.returncode) for one in running]
    for (out, err), code in ends:
        assert code == 0 or json.loads(out)["error_type"] == "config_locked", out + err
    text = at.file.read_text()
    made = [rule for rule, (_, code) in zip(rules, ends, strict=True) if code == 0]
    assert len(made) == 10
    assert all(f'id = "{rule["id"]}"' in text for rule in made)
    assert len(at.repo.subjects()) == 11
    assert at.repo.status() == []
    assert len(at.logged()) == 10
