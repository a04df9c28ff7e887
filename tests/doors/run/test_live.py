"""What a run changes goes to the gate while its command goes on."""

from __future__ import annotations

import shutil
import subprocess
import time

import pytest

from tests.doors.run.live import live_run, soon
from tests.project import Project
from tests.stores.isolation.ground import impossible

CANNOT = impossible()
pytestmark = pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot: {CANNOT}")

BIG = "".join(f"line {at}\n" for at in range(270))


@pytest.fixture
def here(project: Project) -> Project:
    shutil.rmtree(project.root / ".git")
    subprocess.run(["git", "init", "-q", str(project.root)], check=True)
    project.write(".gitignore", ".env\n")
    project.write(".env", "SECRET=1\n")
    project.write("src/app.py", "x = 1\n")
    project.write("src/big.py", BIG)
    return project


def pending(here: Project) -> list[dict[str, str]]:
    found: list[dict[str, str]] = here.run("proposals", "--json").json["proposals"]
    return found


def test_an_allowed_change_is_written_while_the_command_goes_on(here: Project) -> None:
    with live_run(here) as run:
        run("echo 'x = 2' > src/app.py; echo S=2 > .env; seq 5 > src/big.py")
        assert soon(lambda: run.real("src/app.py") == "x = 2\n")
        assert soon(lambda: len(pending(here)) == 1)
        run("cat mark 2> /dev/null")
        run.save("src/app.py", "x = 'the user'\n")
        time.sleep(0.05)  # the clock of files is a coarse one
        run.save("mark", "")
        assert soon(lambda: run("ls mark 2> /dev/null") == "mark\n"), "there was a refresh"
        assert run("cat src/app.py") == "x = 'the user'\n", "the run's own file left the layer"
        run("echo 'y = 1' >> src/app.py; seq 6 > src/big.py")
        assert soon(lambda: "y = 1" in (run.real("src/app.py") or ""))
        assert soon(lambda: here.run("proposals", "--all", "--json").out.count("superseded") > 0)
        assert len(pending(here)) == 1
        assert run.real(".env") == "SECRET=1\n"
        run.end()
    assert "1 applied, 1 pending (src/big.py −270), 1 blocked (.env)" in run.err
    assert run.real("src/app.py") == "x = 'the user'\ny = 1\n"
    log = here.run("audit", "log", "--json").out
    # One for each of five changes at most, and one at the end.
    assert log.count('"run_synced"') <= 6, "a sync that found nothing new is not logged"
    assert here.run("audit", "verify").code == 0


def test_undo_reverts_all_syncs_of_a_run_and_stops_at_the_users_own_save(here: Project) -> None:
    with live_run(here) as run:
        run("echo 'x = 2' > src/app.py; echo 1 > new.txt")
        assert soon(lambda: run.real("src/app.py") == "x = 2\n")
        run("echo 'x = 3' > src/app.py; echo 2 > new.txt")
        assert soon(lambda: run.real("src/app.py") == "x = 3\n")
        run.save("new.txt", "the user\n")
        run("echo later > later.txt")
        run.end()
    assert "3 applied" in run.err
    name = run.err.split("run ")[1].split()[0]
    refused = here.run("undo", name, "--yes")
    assert refused.code != 0, "new.txt was saved by the user since"
    run.save("new.txt", "2\n")
    assert here.run("undo", name, "--yes").code == 0
    assert run.real("src/app.py") == "x = 1\n"
    assert run.real("new.txt") is None
    assert run.real("later.txt") is None


def test_a_change_that_is_taken_back_is_no_longer_pending(here: Project) -> None:
    with live_run(here) as run:
        run("cp src/big.py /tmp/kept; seq 5 > src/big.py")
        assert soon(lambda: len(pending(here)) == 1)
        run("cat /tmp/kept > src/big.py")
        assert soon(lambda: not pending(here))
        run("seq 5 > src/big.py")
        assert soon(lambda: len(pending(here)) == 1), "and is proposed again"
        run.end()


def test_exit_leaves_everything_for_the_end(here: Project) -> None:
    with live_run(here, "--apply", "exit") as run:
        run("echo 'x = 2' > src/app.py; cat mark 2> /dev/null; sleep 4")
        assert run.real("src/app.py") == "x = 1\n"
        run.end()
    assert run.real("src/app.py") == "x = 2\n"
