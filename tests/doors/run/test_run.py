"""`penstock run` and `penstock runs` from end to end, with real namespaces and real files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project import Done, Project
from tests.stores.isolation.ground import ground, impossible, python
from tests.terminal import in_terminal

CANNOT = impossible()
pytestmark = pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot: {CANNOT}")

BIG = "".join(f"line {at}\n" for at in range(270))


@pytest.fixture
def here(project: Project) -> Project:
    shutil.rmtree(project.root / ".git")
    subprocess.run(["git", "init", "-q", str(project.root)], check=True)
    project.write(".gitignore", ".env\nbuild/\n")
    project.write(".env", "SECRET=1\n")
    project.write("src/app.py", "x = 1\n")
    project.write("src/big.py", BIG)
    return project


def run(here: Project, script: str, *options: str) -> Done:
    return here.run("run", *options, "--", "sh", "-c", script)


def text(here: Project, path: str) -> str:
    return (here.root / path).read_text()


def run_id(done: Done) -> str:
    return done.err.split("run ")[1].split()[0]


def test_an_agents_afternoon(here: Project) -> None:
    """Denied, applied, pending, ignored and committed, each as the rules say."""
    done = run(
        here,
        "echo SECRET=2 > .env; echo 'x = 2' > src/app.py; seq 5 > src/big.py; "
        "mkdir -p build node_modules/a; echo 1 > build/o; echo 1 > node_modules/a/b; "
        "printf '#!/bin/sh\\n' > tool; chmod +x tool; "
        "git add -A; git -c user.name=a -c user.email=a@b commit -qm done; exit 5",
    )
    assert done.code == 5, done.err
    assert text(here, ".env") == "SECRET=1\n"
    assert text(here, "src/app.py") == "x = 2\n"
    assert text(here, "src/big.py") == BIG
    assert os.access(here.root / "tool", os.X_OK)
    assert not (here.root / "build").exists()
    assert not (here.root / "node_modules").exists()
    log = subprocess.run(["git", "-C", here.root, "log"], capture_output=True, check=False)
    assert log.returncode != 0, "the real repository has no commit"
    assert "2 applied, 1 pending (src/big.py −2" in done.err
    assert "1 blocked (.env)" in done.err
    assert "2 scratch files" in done.err
    assert "1 commit on " in done.err

    name = run_id(done)
    entered = here.run("runs", "enter", name, "git", "log", "--format=%s")
    assert entered.out == "done\n"
    shown = here.run("runs", "diff", name)
    assert "+SECRET=2" in shown.out
    assert here.run("runs", "ls", "--json").json["runs"][0]["id"] == name

    undone = here.run("undo", name, "--yes")
    assert undone.code == 0, undone.err
    assert text(here, "src/app.py") == "x = 1\n"
    assert not (here.root / "tool").exists()

    events = here.run("audit", "log", "--json").out
    for op in ("run_started", "run_synced", "run_ended"):
        assert op in events
    assert here.run("audit", "verify").code == 0


def test_what_waits_can_be_rejected_and_is_not_proposed_again(here: Project) -> None:
    done = run(here, "seq 5 > src/big.py", "--no-wait")
    assert done.code == 3, done.err
    (one,) = here.run("proposals", "--json").json["proposals"]
    assert one["actor"]["session"] == run_id(done)
    again = here.run("runs", "apply")
    assert again.code == 3
    assert len(here.run("proposals", "--json").json["proposals"]) == 1
    rejected = here.run("reject", one["id"], "--reason", "no")
    assert rejected.code == 0, rejected.err
    assert "1 blocked" in here.run("runs", "apply").err
    assert text(here, "src/big.py") == BIG


def test_a_run_that_left_nothing_leaves_nothing(here: Project) -> None:
    done = run(here, "cat src/app.py; touch src/app.py")
    assert (done.code, done.out) == (0, "x = 1\n")
    assert "0 applied" in done.err
    assert here.run("runs", "--json").json == {"runs": []}


def test_deletions_links_and_directories_are_changes_too(here: Project) -> None:
    here.write("old/a.txt", "a\n")
    here.write("old/deep/b.txt", "b\n")
    done = run(here, "mv old/a.txt moved.txt; rm -r old; mkdir empty; ln -s src/app.py link")
    assert done.code == 0, done.err
    pending = here.run("proposals", "--json").json["proposals"]
    left = {one["path"] for one in pending}
    assert "not written" not in done.err, done.err
    for path in ("moved.txt", "empty", "link"):
        assert os.path.lexists(here.root / path) != (path in left), done.err
    assert not (here.root / "old").exists() or any(one.startswith("old") for one in left)


def test_every_change_waits_when_it_is_asked_for(here: Project) -> None:
    done = run(here, "echo 'x = 2' > src/app.py; echo n > n.txt", "--apply", "ask")
    assert text(here, "src/app.py") == "x = 1\n"
    assert "2 pending" in done.err
    sets = {one["set_id"] for one in here.run("proposals", "--json").json["proposals"]}
    assert sets == {f"{run_id(done)}.pending"}


def test_a_file_that_was_saved_meanwhile_is_never_overwritten_unasked(here: Project) -> None:
    saved = here.root / "src/app.py"
    script = (
        "echo 'x = 2' >> src/app.py; echo ready; "
        # The real file is saved outside: its own process answers through the pipe.
        "read _; exit 0"
    )
    process = subprocess.Popen(
        [*_command(), "run", "--", "sh", "-c", script],
        cwd=here.root, env=here.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    saved.write_text("x = 'saved by its user'\n")
    _, said = process.communicate("\n", timeout=60)
    assert process.returncode == 0, said
    assert saved.read_text() == "x = 'saved by its user'\n"
    assert "1 pending" in said


def _command() -> list[str]:
    return [sys.executable, "-m", "penstock.cli"]


def test_ctrl_c_reaches_the_command_and_its_changes_are_handed_on(here: Project) -> None:
    script = (
        "trap 'echo stopped > src/app.py; exit 9' INT; "
        "echo ready for it; while :; do sleep 0.1; done"
    )
    seen = in_terminal(here, "run", "--", "sh", "-c", script, typed=[("ready for it", "\x03")])
    assert seen.code == 9, seen.text
    assert text(here, "src/app.py") == "stopped\n"
    assert "1 applied" in seen.text


def test_an_ordinary_user_needs_no_rights(here: Project) -> None:
    """The whole command as another user, by an interpreter that this user can start."""
    program = python()
    version = subprocess.run([program, "-V"], capture_output=True, text=True, check=False).stdout
    if os.geteuid() != 0 or version.split(".")[:2] != f"Python {sys.version}".split(".")[:2]:
        pytest.skip("NOT TESTED: needs root, and another python of this version")
    with ground() as ours:
        (ours.project / ".git").mkdir()
        ours.give()
        script = "echo changed > target.txt; id -u; cat $HOME/.ssh/id"
        done = subprocess.run(
            [program, "-B", "-m", "penstock.cli", "run", "--", "sh", "-c", script],
            cwd=ours.project,
            env={**ours.environ(), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            user=ours.user, group=ours.user, extra_groups=[],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.stdout == f"{ours.user}\n", done.stderr
        assert "1 applied" in done.stderr
        assert ours.target.read_text() == "changed\n"


ENDS = [("no-such-program", 127), ("/etc/passwd", 126)]


@pytest.mark.parametrize(("name", "code"), ENDS)
def test_a_command_that_cannot_be_started(here: Project, name: str, code: int) -> None:
    done = here.run("run", "--", name)
    assert done.code == code
    assert "cannot be started" in done.err


def test_where_nothing_can_be_isolated_nothing_is_started(here: Project) -> None:
    done = here.run(
        "run", "--", "sh", "-c", "echo started > src/app.py", env={"HOME": str(here.root / "src")}
    )
    assert done.code == 69, done.err
    assert "error[no-isolation]" in done.err
    assert text(here, "src/app.py") == "x = 1\n"
    assert here.run("runs", "--json").json == {"runs": []}


def test_a_run_is_dropped_only_with_a_yes(here: Project) -> None:
    name = run_id(run(here, "echo S=2 > .env"))
    assert here.run("runs", "drop", name).code != 0
    assert here.run("runs", "--json").json["runs"]
    assert here.run("runs", "drop", name, "--yes").code == 0
    assert here.run("runs", "--json").json == {"runs": []}


def test_scratch_is_cleaned_and_nothing_else(here: Project) -> None:
    run(here, "mkdir node_modules; echo 1 > node_modules/a")
    kept = run_id(run(here, "echo S=2 > .env"))
    assert len(here.run("runs", "clean", "--json").json["removed"]) == 1
    assert [one["id"] for one in here.run("runs", "--json").json["runs"]] == [kept]


def test_the_rules_are_the_real_ones_not_those_a_run_wrote(here: Project) -> None:
    done = run(here, "printf '[gate]\\nobserve = true\\n' > penstock.toml; echo S=2 > .env")
    assert text(here, ".env") == "SECRET=1\n"
    assert not (here.root / "penstock.toml").exists()
    assert "2 blocked" in done.err


def test_hooks_of_git_that_a_run_plants_stay_in_its_layer(here: Project) -> None:
    mark = here.root / "hook-ran"
    run(here, f"printf '#!/bin/sh\\ntouch {mark}' > .git/hooks/post-checkout; "
              "chmod +x .git/hooks/post-checkout; git config core.fsmonitor 'touch x'")  # fmt: skip
    assert not (here.root / ".git/hooks/post-checkout").exists()
    assert "fsmonitor" not in text(here, ".git/config")


def test_a_home_is_kept_between_runs_and_never_real(here: Project) -> None:
    run(here, "echo token > $HOME/.agent-login")
    assert run(here, "cat $HOME/.agent-login").out == "token\n"
    assert not Path(here.home, ".agent-login").exists()


def test_doctor_says_whether_runs_can_be_isolated(here: Project) -> None:
    checks = here.run("doctor", "--json").json["checks"]
    (found,) = [one for one in checks if one["name"] == "isolated runs"]
    assert found["status"] == "ok"


def test_a_program_that_the_project_plants_is_never_run_outside(here: Project) -> None:
    """`bin` of a project is often on PATH, and what a run puts there is applied."""
    planted = f'#!/bin/sh\ntouch {here.home}/planted\nexec /usr/bin/git "$@"\n'
    here.write("bin/git", planted).chmod(0o755)
    path = {"PATH": f"{here.root}/bin:{os.environ['PATH']}"}
    done = here.run("run", "--", "sh", "-c", "echo 'x = 3' > src/app.py", env=path)
    assert done.code == 0, done.err
    assert text(here, "src/app.py") == "x = 3\n"
    assert not (here.home / "planted").exists()


def test_verify_states_that_every_change_of_a_run_is_accounted_for(here: Project) -> None:
    done = run(here, "echo 'x = 2' > src/app.py; seq 5 > src/big.py; echo S > .env")
    report = here.run("audit", "verify", "--json").json
    assert report["ok"] is True
    counts = {"applied": 1, "pending": 1, "denied": 1, "ended": True}
    assert report["runs"] == [{"run": run_id(done), **counts}]
    said = here.run("audit", "verify")
    assert "1 isolated run: 1 write, all accounted for" in said.out


def test_what_is_held_stays_in_the_layer_however_often_it_is_synced(here: Project) -> None:
    odd = "import os; os.mkfifo('pipe'); open(b'odd-\\xff', 'wb').write(b'mine')"
    done = here.run("run", "--", sys.executable, "-c", odd)
    assert "2 held" in done.err
    for _ in range(3):
        again = here.run("runs", "apply", run_id(done), "--json").json
        assert sorted(one["path"].encode("utf-8", "replace")[:4] for one in again["held"]) == [
            b"odd-",
            b"pipe",
        ]
    shown = here.run("runs", "enter", run_id(done), "sh", "-c", "cat odd-*; test -p pipe")
    assert (shown.code, shown.out) == (0, "mine")


BARE = """
git init -q --bare sub; printf '[core]\\n\\tfsmonitor=false\\n' > sub/config
printf '#!/bin/sh\\n' > sub/hooks/post-checkout; chmod +x sub/hooks/post-checkout
"""


def test_a_repository_that_a_run_makes_is_none_until_a_person_says_so(here: Project) -> None:
    """Git reads settings and hooks of a directory with a `HEAD` when its user enters it."""
    done = here.run("run", "--", "sh", "-c", BARE)
    assert "1 pending (sub/HEAD)" in done.err, done.err
    assert not (here.root / "sub/HEAD").exists()
    (here.root / "sub/HEAD").write_text("ref: refs/heads/main\n")
    again = here.run("run", "--", "sh", "-c", "echo >> sub/config; echo >> sub/hooks/post-checkout")
    assert "2 blocked (sub/config, sub/hooks/post-checkout)" in again.err, again.err


@pytest.mark.slow
def test_many_large_files_are_not_all_held_in_memory(here: Project) -> None:
    """What a sync holds at a time is bounded; each part of it is a set, and all are one run."""
    files, size = 12, 10_000_000
    script = f"for n in $(seq {files}); do head -c {size} /dev/urandom > large.$n; done"
    empty = peak(here, "true")
    most = peak(here, script)
    assert most - empty < 150 << 20, "of 120 MB"
    assert {(here.root / f"large.{n}").stat().st_size for n in range(1, files + 1)} == {size}
    assert here.run("audit", "verify").code == 0


def peak(here: Project, script: str) -> int:
    """Run a script isolated; return the most memory that our process had."""
    process = subprocess.Popen(
        [sys.executable, "-m", "penstock.cli", "run", "--", "sh", "-c", script],
        cwd=here.root, env=here.environ, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    with process.stderr as said:
        text = said.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, text
    return used.ru_maxrss * 1024
