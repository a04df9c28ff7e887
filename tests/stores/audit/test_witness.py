"""Witnesses take what continues and refuse to go back: a folder, real git, a program."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock.core.audit.checkpoint import Checkpoint, make_key, open_note
from penstock.core.audit.merkle import consistency_proof, leaf_hash
from penstock.core.errors import AuditError
from penstock.stores.audit.checkpoints import Checkpoints
from penstock.stores.audit.jsonl import JsonlLog
from penstock.stores.audit.verify import verify_log
from penstock.stores.audit.witness import (
    CommandWitness,
    FolderWitness,
    GitWitness,
    Witness,
    make_witness,
)
from tests.core.audit.trees import nodes_over, root_of

KEY = make_key("penstock.test/log", bytes(range(32)))
PUBLIC = KEY.public()
LEAVES = [leaf_hash(b"%d" % number) for number in range(30)]
FORGED = [*LEAVES[:3], *(leaf_hash(b"x%d" % number) for number in range(27))]

BRANCH = f"penstock-{hashlib.sha256(KEY.name.encode()).hexdigest()[:16]}"

# A witness in thirty lines, as somebody might write it in any language.
PROGRAM = """
import json, os, sys
place = sys.argv[1]
if sys.argv[2] == "latest":
    if os.path.exists(place):
        sys.stdout.write(open(place).read())
else:
    job = json.load(sys.stdin)
    if "refuse" in os.environ.get("MOOD", ""):
        sys.exit("I do not like it") if os.environ["MOOD"] == "crash,refuse" else None
        sys.stderr.write("not today"); sys.exit(2)
    open(place, "w").write(job["note"])
"""


def folder(tmp_path: Path) -> Witness:
    (tmp_path / "witness").mkdir(exist_ok=True)
    return FolderWitness(str(tmp_path / "witness"), key=PUBLIC)


def local_git(tmp_path: Path) -> Witness:
    return GitWitness(str(tmp_path / "repository.git"), key=PUBLIC)


def remote_git(tmp_path: Path) -> Witness:
    remote = tmp_path / "remote.git"
    if not remote.exists():
        subprocess.run(["git", "init", "--quiet", "--bare", str(remote)], check=True)
    return GitWitness(str(tmp_path / "copy.git"), key=PUBLIC, remote=str(remote))


def command(tmp_path: Path) -> Witness:
    argv = [sys.executable, "-c", PROGRAM, str(tmp_path / "note")]
    return CommandWitness(argv, key=PUBLIC)


MAKERS: list[Callable[[Path], Witness]] = [folder, local_git, remote_git, command]


@pytest.fixture(params=MAKERS)
def witness(request: pytest.FixtureRequest, tmp_path: Path) -> Witness:
    made: Witness = request.param(tmp_path)
    return made


def note(size: int, leaves: list[bytes] = LEAVES, origin: str = KEY.name) -> str:
    return KEY.sign(Checkpoint(origin=origin, size=size, root=root_of(leaves[:size])))


def proof(old: int, new: int, leaves: list[bytes] = LEAVES) -> list[bytes]:
    return consistency_proof(nodes_over(leaves), old_size=old, size=new)


def test_a_witness_remembers_what_it_took(witness: Witness) -> None:
    assert witness.latest(KEY.name) == ""
    witness.take(note(5), proof=[])
    assert witness.latest(KEY.name) == note(5)
    witness.take(note(12), proof=proof(5, 12))
    witness.take(note(12), proof=[])
    assert open_note(witness.latest(KEY.name), [PUBLIC]).size == 12
    assert witness.name


@pytest.mark.parametrize(
    ("bad", "steps", "code"),
    [
        (note(4), [], "goes-back"),
        (note(12), [], "inconsistent"),
        (note(12, FORGED), proof(5, 12, FORGED), "inconsistent"),
        (note(5, FORGED), [], "inconsistent"),
        ("garbage", [], "bad-checkpoint"),
        (make_key(KEY.name, b"s" * 32).sign(Checkpoint(origin=KEY.name, size=9, root=LEAVES[0])),
         [], "unknown-signer"),
    ],
)  # fmt: skip
def test_a_witness_refuses_to_go_back(
    witness: Witness, bad: str, steps: list[bytes], code: str
) -> None:
    witness.take(note(5), proof=[])
    with pytest.raises(AuditError) as caught:
        witness.take(bad, proof=steps)
    assert caught.value.code == code
    assert witness.latest(KEY.name) == note(5)


def test_logs_of_different_names_do_not_meet(tmp_path: Path) -> None:
    for make in (folder, local_git):
        witness = make(tmp_path)
        witness.take(note(5), proof=[])
        witness.take(note(2, origin="other/log"), proof=[])
        assert open_note(witness.latest(KEY.name), [PUBLIC]).size == 5
        assert open_note(witness.latest("other/log"), [PUBLIC]).size == 2


def test_every_checkpoint_in_a_folder_is_a_file_of_its_own_that_stays(tmp_path: Path) -> None:
    witness = folder(tmp_path)
    witness.take(note(5), proof=[])
    witness.take(note(7), proof=proof(5, 7))
    (place,) = (tmp_path / "witness").iterdir()
    assert sorted(path.name for path in place.iterdir()) == ["0" * 19 + "5", "0" * 19 + "7"]
    assert all(not path.stat().st_mode & 0o222 for path in place.iterdir())


def test_a_damaged_note_in_a_folder_lets_nothing_pass(tmp_path: Path) -> None:
    witness = folder(tmp_path)
    witness.take(note(5), proof=[])
    (place,) = (tmp_path / "witness").iterdir()
    (place / ("0" * 19 + "9")).write_text("garbage")
    with pytest.raises(AuditError):
        witness.take(note(12), proof=proof(5, 12))


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo, lambda path: os.symlink("note", path)])
def test_something_else_in_place_of_a_note_is_rewriting(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    witness = folder(tmp_path)
    witness.take(note(5), proof=[])
    (place,) = (tmp_path / "witness").iterdir()
    make(place / ("0" * 19 + "9"))
    with pytest.raises(AuditError) as caught:
        witness.latest(KEY.name)
    assert caught.value.code == "witness-rewritten"


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    witness = FolderWitness(str(tmp_path / "none"), key=PUBLIC)
    with pytest.raises(AuditError) as caught:
        witness.latest(KEY.name)
    assert caught.value.code == "audit-no-directory"


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def test_every_checkpoint_in_git_is_a_commit_on_top_of_the_last(tmp_path: Path) -> None:
    witness = remote_git(tmp_path)
    for old, new in ((0, 5), (5, 7), (7, 30)):
        witness.take(note(new), proof=proof(old, new))
    remote = tmp_path / "remote.git"
    assert git(remote, "rev-list", "--count", BRANCH) == "3"
    assert "30 entries" in git(remote, "log", "-1", "--format=%s", BRANCH)


def wound_back(remote: Path) -> None:
    git(remote, "update-ref", f"refs/heads/{BRANCH}", f"{BRANCH}~1")


def emptied(remote: Path) -> None:
    git(remote, "update-ref", "-d", f"refs/heads/{BRANCH}")


def begun_anew(remote: Path) -> None:
    shutil.rmtree(remote)
    git(remote.parent, "init", "--quiet", "--bare", str(remote))


def forged(remote: Path) -> None:
    tree = git(remote, "rev-parse", f"{BRANCH}~1^{{tree}}")
    who = ["-c", "user.name=x", "-c", "user.email=x"]
    made = git(remote, *who, "commit-tree", tree, "-m", "forged")
    git(remote, "update-ref", f"refs/heads/{BRANCH}", made)


@pytest.mark.parametrize("change", [wound_back, emptied, begun_anew, forged])
def test_a_remote_that_was_rewritten_or_emptied_is_noticed(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    witness = remote_git(tmp_path)
    for old, new in ((0, 5), (5, 7)):
        witness.take(note(new), proof=proof(old, new))
    change(tmp_path / "remote.git")
    for ask in (
        lambda: witness.latest(KEY.name),
        lambda: witness.take(note(9), proof=proof(7, 9)),
    ):
        with pytest.raises(AuditError) as caught:
            ask()
        assert caught.value.code == "witness-rewritten"


def test_a_push_that_another_was_quicker_than_is_tried_again(tmp_path: Path) -> None:
    """The remote takes another checkpoint of the log in the middle of our push."""
    log = JsonlLog(str(tmp_path / "audit.jsonl"), clock=lambda: 1736769600.0)
    witness = remote_git(tmp_path)
    remote = tmp_path / "remote.git"
    other = GitWitness(str(tmp_path / "other.git"), key=PUBLIC, remote=str(remote))

    def sign(*witnesses: Witness) -> Checkpoints:
        log.append_many([{"op": "x"}] * 3, durable=False)
        apart = str(tmp_path / "apart")
        made = Checkpoints(apart, log.path, public=PUBLIC, key=KEY, witnesses=witnesses)
        assert made.sign() is not None
        return made

    assert [reply.error for reply in sign(witness).show()] == [None]
    sign(other).show()
    theirs = git(remote, "rev-parse", BRANCH)
    git(remote, "update-ref", f"refs/heads/{BRANCH}", f"{BRANCH}~1")
    (tmp_path / "apart" / "witnessed").unlink()
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    quicker = f"rm -f hooks/pre-receive; git update-ref refs/heads/{BRANCH} {theirs}"
    hook.write_text(f"#!/bin/sh\nunset GIT_QUARANTINE_PATH\n{quicker}\n")
    hook.chmod(0o755)
    assert [reply.error for reply in sign(witness).show()] == [None]
    assert not hook.exists(), "the race took place"
    assert open_note(witness.latest(KEY.name), [PUBLIC]).size == 9
    assert git(remote, "rev-list", "--count", BRANCH) == "3"


@pytest.mark.parametrize("maker", [folder, remote_git, command])
def test_a_witness_that_lacks_what_it_took_is_a_problem_and_not_unreachable(
    tmp_path: Path, maker: Callable[[Path], Witness]
) -> None:
    log = JsonlLog(str(tmp_path / "audit.jsonl"), clock=lambda: 1736769600.0)
    log.append_many([{"op": "x"}] * 3, durable=False)
    witnesses = [maker(tmp_path)]
    apart = str(tmp_path / "apart")
    made = Checkpoints(apart, log.path, public=PUBLIC, key=KEY, witnesses=witnesses)
    made.sign()
    assert [reply.error for reply in made.show()] == [None]
    assert verify_log(log.path, made.evidence()).ok
    for name in ("witness", "remote.git"):
        if (tmp_path / name).exists():
            shutil.rmtree(tmp_path / name)
    (tmp_path / "note").unlink(missing_ok=True)
    maker(tmp_path)  # an empty one in its place
    report = verify_log(log.path, made.evidence())
    assert [problem.kind for problem in report.problems] == ["witness-rewritten"]
    assert not report.warnings
    log.append({"op": "x"}, durable=False)
    made.sign()
    codes = [reply.error.code if reply.error else "" for reply in made.show()]
    assert codes == ["witness-rewritten"], "it is not simply begun anew"


def test_a_log_whose_notes_are_on_the_branch_for_all_logs_goes_on_from_there(
    tmp_path: Path,
) -> None:
    witness = remote_git(tmp_path)
    witness.take(note(5), proof=[])
    remote = tmp_path / "remote.git"
    git(remote, "update-ref", "refs/heads/checkpoints", BRANCH)
    git(remote, "update-ref", "-d", f"refs/heads/{BRANCH}")
    fresh = GitWitness(str(tmp_path / "fresh.git"), key=PUBLIC, remote=str(remote))
    assert fresh.latest(KEY.name) == note(5)
    with pytest.raises(AuditError) as caught:
        fresh.take(note(12, FORGED), proof=proof(5, 12, FORGED))
    assert caught.value.code == "inconsistent"
    fresh.take(note(12), proof=proof(5, 12))
    assert git(remote, "rev-list", "--count", BRANCH) == "1"
    assert git(remote, "rev-list", "--count", "checkpoints") == "1", "it is only read"


def test_a_remote_that_cannot_be_reached_is_told(tmp_path: Path) -> None:
    witness = GitWitness(str(tmp_path / "c.git"), key=PUBLIC, remote=str(tmp_path / "none"))
    with pytest.raises(AuditError) as caught:
        witness.latest(KEY.name)
    assert caught.value.code == "witness-unreachable"


def test_nobodys_git_settings_reach_a_witness(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "somebody")
    witness = local_git(tmp_path)
    witness.take(note(5), proof=[])
    assert not (tmp_path / "nowhere").exists()
    monkeypatch.delenv("GIT_DIR")
    assert git(tmp_path / "repository.git", "log", "-1", "--format=%an", BRANCH) == "penstock"


def test_a_program_may_refuse_and_may_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    witness = command(tmp_path)
    monkeypatch.setenv("MOOD", "refuse")
    with pytest.raises(AuditError) as caught:
        witness.take(note(5), proof=[])
    assert (caught.value.code, caught.value.because) == ("witness-refused", "not today")
    monkeypatch.setenv("MOOD", "crash,refuse")
    with pytest.raises(AuditError) as caught:
        witness.take(note(5), proof=[])
    assert caught.value.code == "witness-unreachable"


@pytest.mark.parametrize("argv", [["/nonexistent/program"], ["false"], ["a\0b"]])
def test_a_program_that_cannot_be_run_is_told(argv: list[str]) -> None:
    with pytest.raises(AuditError) as caught:
        CommandWitness(argv, key=PUBLIC).latest(KEY.name)
    assert caught.value.code == "witness-unreachable"


def test_a_program_that_hangs_is_given_up() -> None:
    with pytest.raises(AuditError) as caught:
        CommandWitness(["sleep", "60"], key=PUBLIC, timeout=0.1).latest(KEY.name)
    assert caught.value.code == "witness-unreachable"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("/var/lib/witness", FolderWitness),
        ("git:ssh://host/repository", GitWitness),
        ("command:notary --log 'a b'", CommandWitness),
    ],
)
def test_a_setting_names_a_witness(text: str, kind: type, tmp_path: Path) -> None:
    made = make_witness(text, key=PUBLIC, folder=str(tmp_path))
    assert type(made) is kind


@pytest.mark.parametrize(
    "text", ["command:", "command:'unclosed", "git:", "git:--upload-pack=touch x"]
)
def test_a_setting_that_names_no_witness_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(AuditError) as caught:
        make_witness(text, key=PUBLIC, folder=str(tmp_path))
    assert caught.value.code == "bad-witness"


def test_a_folder_of_another_user_that_we_cannot_write_is_told(tmp_path: Path) -> None:
    witness = folder(tmp_path)
    os.chmod(tmp_path / "witness", 0o500)
    if os.geteuid() == 0:
        witness.take(note(5), proof=[])  # root may, whatever the mode says
        return
    with pytest.raises(AuditError) as caught:
        witness.take(note(5), proof=[])
    assert caught.value.code == "audit-read-only"
