"""A batch over two files that is killed anywhere, and a power cut right after the answer."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

from penstock.core.rule_edit.edit import edited, parse_operation
from penstock.doors.reviewer.apply import Apply
from penstock.doors.reviewer.arguments import ApplyArguments
from tests.doors.reviewer.repos import NAME, Repo, clean, repo_at
from tests.doors.reviewer.reviewer_process import RULES, adding
from tests.doors.reviewer.scene import Scene, scene
from tests.faults import power
from tests.faults.tracer import Plan, can_inject_errors, run, why_not


def both(here: Scene) -> tuple[Path, dict[str, object]]:
    other = here.folder / "other.toml"
    other.write_text(RULES)
    operations = [
        adding(target_file=str(here.file)),
        {"type": "remove_rule", "id": "deny-rm", "target_file": str(other)},
    ]
    return other, {"type": "batch", "operations": operations}


@pytest.mark.skipif(bool(why_not()), reason="system calls cannot be watched here")
@pytest.mark.parametrize("git", [True, False], ids=["git", "copies"])
def test_two_files_are_both_old_or_both_new_whenever_it_is_killed(git: bool) -> None:
    with scene(git=git) as here:
        other, batch = both(here)
        paths = [str(here.file), str(other)]
        operation = parse_operation(batch)
        new = edited({path: RULES.encode() for path in paths}, operation).texts
        calls = len(run(lambda: _applied(here, batch), Plan()).calls)
        seen = set()
        for place in range(calls // 3, calls, max(1, calls // 60)):
            for path in paths:
                Path(path).write_text(RULES)
            run(lambda: _applied(here, batch), Plan(at=place, kill=True))
            here.made({"type": "validate"})
            # The next edit ends what was begun, whatever it is about.
            third = here.folder / "third.toml"
            third.write_text(RULES)
            assert here.answer(adding(), target=str(third)).code == 0
            now = {path: Path(path).read_bytes() for path in paths}
            old = dict.fromkeys(paths, RULES.encode())
            assert now in (old, dict(new)), f"killed at call {place}"
            seen.add(now == old)
            left = [one.name for one in here.folder.iterdir() if one.name.startswith(".penstock")]
            assert left == [], f"killed at call {place}"
        assert seen == {True, False}, "some kills came before, and some behind"


WRITING = ("write", "fsync", "fdatasync", "renameat2", "renameat", "unlink", "unlinkat", "fchmod")


@pytest.mark.skipif(not can_inject_errors(), reason="no errors can be injected here")
@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EIO], ids=["disk full", "disk broken"])
def test_whatever_a_disk_answers_the_answer_is_what_the_disk_says(fault: int) -> None:
    with scene() as warm:  # what is imported on the way is imported before the disk fails
        _one(warm)
    with scene() as here:
        calls = run(lambda: _one(here), Plan()).calls
        new = here.file.read_bytes()
        places = [at for at, name in enumerate(calls, 1) if name in WRITING]
        ends = set()
        for place in places[:: max(1, len(places) // 12)]:
            here.file.write_text(RULES)
            said = run(lambda: _one(here), Plan(at=place, error=fault)).answer
            answer, now = json.loads(said or "null"), here.file.read_bytes()
            where = f"{calls[place - 1]}, call {place}: {said}"
            assert now in (RULES.encode(), new), where
            sure = answer["success"] or not answer["changes_applied"].startswith("unknown")
            assert not sure or (now == new) == answer["success"], where
            ends.add(answer["success"])
        assert False in ends, "some of the faults were in the way"


def _one(here: Scene) -> str:
    return json.dumps(here.answer(adding()).document)


def _applied(here: Scene, operation: object) -> str:
    return json.dumps(here.answer(operation, target="").document)


@pytest.mark.skipif(bool(why_not() or power.why_not()), reason="no image can be mounted here")
def test_a_power_cut_right_after_the_answer_loses_nothing() -> None:
    with tempfile.TemporaryDirectory(prefix="penstock-power-") as folder:
        image, copy = power.new_image(folder), os.path.join(folder, "cut")
        with power.mounted(image, os.path.join(folder, "disk")) as disk:
            assert power.apart(lambda: _prepared(disk)) == ""
            power.command("sync", "-f", disk)
            said = run(lambda: _edited(disk), Plan()).answer
            power.copied(image, copy)  # what was not flushed is not in it
        answer = json.loads(said or "null")
        assert answer["success"], answer
        with power.mounted(copy, os.path.join(folder, "disk")) as disk:
            problem = power.apart(lambda: _looked(Path(disk), answer))
        assert problem == ""


def _prepared(disk: str) -> None:
    repo_at(Path(disk, "rules"), committed=RULES)
    Path(disk, "home").mkdir()


def _edited(disk: str) -> str:
    os.environ.update({**clean(Path(disk, "home")), "DECISION_REVIEWER_ALLOW_WRITES": "1"})
    asked = ApplyArguments(json=json.dumps(adding()), target_file=str(Path(disk, "rules", NAME)))
    return json.dumps(Apply(asked=asked, environ=os.environ, prove=_nobody).run().document)


def _nobody(*_: object) -> Any:
    raise AssertionError("nobody is asked here")


def _looked(disk: Path, answer: dict[str, dict[str, str]]) -> None:
    repo = Repo(disk / "rules")
    assert repo.head() == answer["rollback_info"]["commit"], "HEAD is behind the answer"
    fsck = ["git", "fsck", "--strict"]
    done = subprocess.run(fsck, cwd=repo.root, env=clean(disk), check=False, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    text = (disk / "rules" / NAME).read_text()
    assert "allow-npm-install" in text, "the file is behind the answer"
    assert repo.git("show", f"HEAD:{NAME}") == text
    log = (disk / "home/.config/decision-reviewer-audit.log").read_text()
    assert json.loads(log)["success"] is True
