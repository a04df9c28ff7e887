"""The weaker mode: a command in a copy, kept there by Landlock; what holds and what does not."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from penstock.core.run.changes import changes
from penstock.stores.isolation.copy_process import CopyPlan, start_copy
from penstock.stores.isolation.landlock import can_restrict, readable
from penstock.stores.isolation.project_copy import CopyLayer, copy_home, copy_project
from penstock.stores.isolation.records import has_copy
from tests.stores.isolation.escapes import ESCAPES, HEAD
from tests.stores.isolation.ground import REAL, Ground, ground, python
from tests.stores.isolation.test_escapes import Outside, standard

PYTHON = python()
pytestmark = [
    pytest.mark.skipif(not can_restrict(), reason="NOT TESTED: this kernel has no Landlock 3"),
    pytest.mark.skipif(not PYTHON, reason="NOT TESTED: no python that every user can start"),
]


def no_scratch(path: str) -> bool:
    return path.rsplit("/", maxsplit=1)[-1] in ("node_modules", "target")


def layer(here: Ground) -> CopyLayer:
    folder = here.run / "copy"
    return CopyLayer(upper=str(folder / "tree"), real=str(here.project), folder=str(folder))


def copied(here: Ground, command: list[str]) -> int:
    """Run a command in a copy, as the user who this process is."""
    folder = here.run / "copy"
    hidden = (str(here.home / ".ssh"),)
    if not has_copy(str(folder)):
        copy_project(str(here.project), str(folder), left_out=no_scratch, hidden=hidden)
    temporary = here.run / "tmp"
    temporary.mkdir(exist_ok=True)
    tree = str(folder / "tree")
    plan = CopyPlan(
        directory=tree, writable=(tree, str(temporary)), hidden=(str(here.state), *hidden)
    )
    return start_copy(plan, command, here.environ(TMPDIR=str(temporary))).wait()


def found(here: Ground) -> dict[str, str]:
    """Return the changes of the copy, each with whether it is out of date."""
    made, held = changes(layer(here).entries(lambda path: not path.startswith(".git/")))
    said = {one.path: "out of date" if one.out_of_date else "fresh" for one in made}
    return {**said, **{one.path: one.because for one in held}}


# What Landlock does not stop: metadata, sockets with a path, System V IPC, niceness.
OPEN = frozenset(
    {
        "change a mode", "a mode by way of /proc", "change times", "set an attribute", "a niceness",
        "a socket with a path", "a socket in the home directory", "a socket in the project",
        "a message queue", "shared memory",
    }
)  # fmt: skip


@pytest.mark.parametrize("name", ESCAPES)
def test_contents_stay_and_what_is_open_is_known(name: str) -> None:
    def work() -> list[str]:
        outside = Outside(here)
        try:
            command = [PYTHON, "-c", HEAD + ESCAPES[name], json.dumps(outside.facts())]
            with standard(outside):
                copied(here, command)
            return outside.reached()
        finally:
            outside.close()

    with ground() as here:
        reached = here.as_user(work)
    if name not in OPEN:
        assert not reached, f"`{name}` reached {reached}"
    else:
        assert reached, f"`{name}` is stopped: take it out of the list and out of the banner"


def test_what_a_command_changes_is_found_and_what_its_user_changes_is_not() -> None:
    with ground() as here:
        for name in ("kept", "saved", "both", "gone", "gone-saved", "old/in"):
            file = here.project / name
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(REAL)
        (here.project / "link").symlink_to("kept")
        here.give()

        def work() -> dict[str, str]:
            script = (
                "echo x > target.txt; echo x > both; echo x > new; rm gone gone-saved; rm -r old; "
                "mkdir empty; mkfifo pipe; ln -s kept second; chmod +x kept"
            )
            assert copied(here, ["sh", "-c", script]) == 0
            for name in ("saved", "both", "gone-saved", "users-own"):
                (here.project / name).write_text("saved by its user\n")
            return found(here)

        said = here.as_user(work)
        assert said == {
            "target.txt": "fresh",
            "both": "out of date",
            "new": "fresh",
            "gone": "fresh",
            "gone-saved": "out of date",
            "old/in": "fresh",
            "old": "fresh",
            "empty": "fresh",
            "second": "fresh",
            "kept": "fresh",
            "pipe": "a pipe, socket or device is never written to the project",
        }
        assert here.target.read_bytes() == REAL


def test_what_was_applied_is_no_change_any_more_and_nothing_else_is_forgotten() -> None:
    with ground() as here:

        def work() -> list[dict[str, str]]:
            copied(here, ["sh", "-c", "echo x > target.txt; echo y > new; rmdir src"])
            said = [found(here)]
            here.target.write_text("x\n")
            (here.project / "src").rmdir()
            layer(here).settle(lambda _: True)
            said.append(found(here))
            (here.project / "src").mkdir()
            return [*said, found(here)]

        before, after, later = here.as_user(work)
        assert {*before} == {"target.txt", "new", "src"}
        assert {*after} == {"new"}
        assert {*later} == {"new"}, "a directory that its user makes again is not removed again"


def test_scratch_is_left_out_or_linked_and_never_written() -> None:
    with ground() as here:
        for name in ("node_modules/a", "target/b"):
            (here.project / name).parent.mkdir()
            (here.project / name).write_bytes(REAL)
        here.give()
        script = "cat node_modules/a && ! test -e target && ! echo x > node_modules/a"
        assert here.as_user(lambda: copied(here, ["sh", "-c", script])) == 0
        assert here.as_user(lambda: found(here)) == {}


def test_a_hidden_file_is_neither_copied_nor_read() -> None:
    with ground() as here:
        assert here.as_user(lambda: copied(here, ["cat", str(here.home / ".ssh/id")])) == 1
        assert here.as_user(lambda: copied(here, ["cat", str(here.home / ".bashrc")])) == 0
    around = list(readable(["/a/b/c"]))
    assert not any(one in ("/", "/a", "/a/b", "/a/b/c") for one in around)


def test_a_process_that_stays_ends_with_the_command() -> None:
    mark = f"penstock-stays-{os.urandom(6).hex()}"
    script = f"setsid sh -c 'sleep 300; : {mark}' </dev/null >/dev/null 2>&1 & exit 3"
    with ground() as here:
        assert here.as_user(lambda: copied(here, ["sh", "-c", script])) == 3
    running = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            if mark.encode() in Path(f"/proc/{entry}/cmdline").read_bytes():
                running.append(entry)
        except OSError:
            continue
    assert not running


def test_a_signal_is_the_exit_code() -> None:
    with ground() as here:
        ended = here.as_user(lambda: copied(here, ["sh", "-c", "kill -TERM $$"]))
        assert ended == 128 + signal.SIGTERM


def test_a_home_has_what_agents_need_and_is_kept(tmp_path: Path) -> None:
    real, own = tmp_path / "real", tmp_path / "own"
    (real / ".claude").mkdir(parents=True)
    (real / ".claude.json").write_text("{}")
    (real / ".bash_history").write_text("secret")
    copy_home(str(real), str(own))
    assert (own / ".claude.json").read_text() == "{}"
    assert not (own / ".bash_history").exists()
    (own / ".claude.json").write_text("{1}")
    copy_home(str(real), str(own))
    assert (own / ".claude.json").read_text() == "{1}"


def test_a_home_that_is_kept_has_the_newer_login_and_the_users_newer_settings(
    tmp_path: Path,
) -> None:
    real, own = tmp_path / "real", tmp_path / "own"
    for name in (".codex/auth.json", ".codex/config.toml", ".gitconfig"):
        (real / name).parent.mkdir(parents=True, exist_ok=True)
        (real / name).write_text("old")
        os.utime(real / name, ns=(0, 0))
    copy_home(str(real), str(own))
    (own / ".codex/auth.json").write_text("of a run")
    (own / ".codex/config.toml").write_text("of a run")
    for name in (".codex/auth.json", ".codex/config.toml", ".gitconfig"):
        (real / name).write_text("newer")
    copy_home(str(real), str(own))
    assert (own / ".codex/auth.json").read_text() == "newer", "the older one works no more"
    assert (own / ".codex/config.toml").read_text() == "of a run", "a command changed it"
    assert (own / ".gitconfig").read_text() == "newer", "no command changed it"


def test_links_that_a_command_left_in_its_home_lead_us_nowhere(tmp_path: Path) -> None:
    real, own, elsewhere = tmp_path / "real", tmp_path / "own", tmp_path / "elsewhere"
    for folder in (real / ".codex", real / ".claude", own, elsewhere):
        folder.mkdir(parents=True)
    for name in (".codex/auth.json", ".claude/settings.json", ".gitconfig"):
        (real / name).write_text("mine")
    (elsewhere / "kept").write_text("kept")
    (own / ".codex").symlink_to(elsewhere)
    (own / ".claude").write_text("a file")
    (own / ".gitconfig").symlink_to(elsewhere / "kept")
    for name in (".codex/auth.json", ".gitconfig"):
        os.utime(real / name)
    copy_home(str(real), str(own))
    assert [one.name for one in elsewhere.iterdir()] == ["kept"]
    assert (elsewhere / "kept").read_text() == "kept"


def test_a_broken_manifest_is_an_error_and_never_a_deletion() -> None:
    with ground() as here:
        here.as_user(lambda: copied(here, ["true"]))
        (here.run / "copy/manifest.json").write_text("{")
        said = here.as_user(lambda: found(here))
        assert said["code"] == "copy-broken"
