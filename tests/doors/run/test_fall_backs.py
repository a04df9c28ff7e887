"""Where something is missing a run falls back or is refused; what is missing is taken away."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from penstock.stores.isolation import apparmor
from penstock.stores.isolation.apparmor import apparmor_hint, restricted_by_apparmor
from penstock.stores.isolation.landlock import can_restrict
from penstock.stores.isolation.process import _impossible
from tests.project import Done, Project
from tests.stores.isolation import refusals
from tests.stores.isolation.ground import impossible

CANNOT = impossible()
pytestmark = [
    pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot: {CANNOT}"),
    pytest.mark.skipif(not can_restrict(), reason="NOT TESTED: this kernel has no Landlock 3"),
    pytest.mark.skipif(not refusals.known(), reason="NOT TESTED: unknown system call numbers"),
]

Taken = Callable[[], None]


@pytest.fixture
def here(project: Project) -> Project:
    shutil.rmtree(project.root / ".git")
    subprocess.run(["git", "init", "-q", str(project.root)], check=True)
    project.write("src/app.py", "x = 1\n")
    return project


def without(here: Project, taken: Taken, *argv: str) -> Done:
    """Run the real command as a process that something was taken from."""
    done = subprocess.run(
        [sys.executable, "-m", "penstock.cli", *argv],
        cwd=here.root, env=here.environ, capture_output=True, text=True, timeout=120, check=False,
        preexec_fn=taken,
    )  # fmt: skip
    return Done(done.returncode, done.stdout, done.stderr)


MISSING: list[tuple[str, Taken, str]] = [
    ("a container that forbids namespaces", partial(refusals.refuse, "unshare"), "unshare"),
    ("no more user namespaces", refusals.no_more_user_namespaces, "unshare"),
    ("no mounts", partial(refusals.refuse, "mount"), "mount"),
    ("an old kernel", partial(refusals.refuse, "mount_setattr", errno.ENOSYS), "read-only"),
]
NAMES = [row[0] for row in MISSING]
CHANGE = ("run", "--", "sh", "-c", "echo 'x = 2' > src/app.py; pwd")


@pytest.mark.parametrize(("name", "taken", "step"), MISSING, ids=NAMES)
def test_without_namespaces_a_run_falls_back_to_a_copy_and_says_so(
    here: Project, name: str, taken: Taken, step: str
) -> None:
    done = without(here, taken, *CHANGE)
    assert done.code == 0, done.err
    assert "started (copy, Landlock" in done.err
    assert f"this is the weaker mode: not an overlay, because {step}" in done.err
    assert f"the command works in a copy, at {done.out.strip()}" in done.err
    assert (here.root / "src/app.py").read_text() == "x = 2\n"
    assert "1 applied" in done.err
    assert here.run("runs", "--json").json == {"runs": []}, "nothing is left of either mode"


@pytest.mark.parametrize(("name", "taken", "step"), MISSING, ids=NAMES)
def test_a_required_overlay_never_weakens(
    here: Project, name: str, taken: Taken, step: str
) -> None:
    done = without(here, taken, "run", "--require", "overlay", *CHANGE[1:])
    assert done.code == 69, done.err
    assert "error[no-isolation]" in done.err
    assert (here.root / "src/app.py").read_text() == "x = 1\n"
    here.write("penstock.toml", '[run]\nmode = "overlay"\n')
    assert without(here, taken, *CHANGE).code == 69
    assert without(here, taken, "run", "--require", "copy", *CHANGE[1:]).code == 64


def _nothing_at_all() -> None:
    refusals.refuse("unshare")
    refusals.refuse("landlock", errno.ENOSYS)


def test_without_namespaces_and_landlock_nothing_is_started(here: Project) -> None:
    done = without(here, _nothing_at_all, *CHANGE)
    assert done.code == 69, done.err
    assert "no Landlock" in done.err
    assert (here.root / "src/app.py").read_text() == "x = 1\n"
    assert here.run("runs", "--json").json == {"runs": []}


def test_without_landlock_an_overlay_still_isolates_and_says_what_is_open(here: Project) -> None:
    done = without(here, partial(refusals.refuse, "landlock", errno.ENOSYS), *CHANGE)
    assert done.code == 0, done.err
    assert "started (overlay, no Landlock)" in done.err
    assert "abstract Unix sockets of others can be reached" in done.err


def test_a_copy_cannot_switch_the_network_off_so_it_is_refused(here: Project) -> None:
    here.write("penstock.toml", '[run]\nnet = "off"\n')
    done = without(here, partial(refusals.refuse, "unshare"), *CHANGE)
    assert done.code == 69, done.err
    assert "can't switch the network off" in done.err


REPORTS = [
    (partial(refusals.refuse, "unshare"), "uses the weaker copy mode here (Landlock"),
    (_nothing_at_all, "is not possible here (no Landlock)"),
    (partial(refusals.refuse, "landlock", errno.ENOSYS), "works here (overlay, no Landlock)"),
]


@pytest.mark.parametrize(("taken", "says"), REPORTS, ids=[row[1] for row in REPORTS])
def test_doctor_says_beforehand_what_a_run_will_be(here: Project, taken: Taken, says: str) -> None:
    assert says in without(here, taken, "doctor").out


def test_the_apparmor_profile_is_for_this_interpreter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing real can be tried here: it takes a kernel with AppArmor."""
    text = apparmor_hint("/usr/bin/python3.12")
    assert "profile penstock /usr/bin/python3.12 flags=(unconfined) {\n  userns,\n}" in text
    assert "apparmor_parser -r /etc/apparmor.d/penstock" in text
    setting = tmp_path / "restrict"
    monkeypatch.setattr(apparmor, "SETTING", str(setting))
    failed = {"step": "mount bind at /", "errno": errno.EACCES, "because": "permission denied"}
    for held, user, restricted in (
        ("1\n", 1000, True),
        ("0\n", 1000, False),
        ("1\n", 0, False),
        ("", 1000, False),
    ):
        setting.write_text(held)
        monkeypatch.setattr(os, "geteuid", lambda user=user: user)
        assert restricted_by_apparmor() is restricted
        assert ("prints the profile" in _impossible(failed).hint) is restricted
    setting.unlink()
    assert not restricted_by_apparmor()


LOGIN, TALK = ".claude/.credentials.json", ".claude/projects/p/1.jsonl"


def test_a_run_in_a_copy_from_end_to_end(here: Project) -> None:
    """Files, commits, tags and what agents keep at home leave as they leave an overlay."""
    here.write(".env", "SECRET=1\n")
    (here.home / ".claude").mkdir()
    (here.home / LOGIN).write_text('{"token": 1}')
    (here.home / ".claude/settings.json").write_text("{}")
    mark = here.home / "ran-outside"
    script = (
        "echo SECRET=2 > .env; echo 'x = 2' > src/app.py; git add src; "
        f"printf '#!/bin/sh\\ntouch {mark} || :\\n' > .git/hooks/reference-transaction; "
        f"git config core.fsmonitor 'touch {mark} || :'; chmod +x .git/hooks/reference*; "
        "git -c user.name=a -c user.email=a@b commit -qm done; git tag v1; "
        f"echo '{{\"token\": 2}}' > ~/{LOGIN}; echo evil > ~/.bashrc; "
        "echo '{\"hooks\": 1}' > ~/.claude/settings.json; "
        f"mkdir -p ~/.claude/projects/p; echo '{{}}' > ~/{TALK}; exit 5"
    )
    before = (here.root / ".git/config").read_bytes()
    done = here.run("run", "--require", "copy", "--", "sh", "-c", script)
    assert done.code == 5, done.err
    assert "1 applied, 1 blocked (.env), 1 commit, 1 tag" in done.err, done.err
    assert "2 files of agents (credentials, transcripts) written back" in done.err
    assert (here.home / LOGIN).read_text() == '{"token": 2}\n'
    assert (here.home / TALK).read_text() == "{}\n"
    assert (here.home / ".claude/settings.json").read_text() == "{}"
    assert not (here.home / ".bashrc").exists()
    assert not mark.exists()
    assert (here.root / ".git/config").read_bytes() == before
    assert (here.root / ".env").read_text() == "SECRET=1\n"
    assert (here.root / "src/app.py").read_text() == "x = 2\n"
    name = done.err.split("run ")[1].split()[0]
    assert here.run("runs", "enter", name, "git", "log", "--format=%s").out == "done\n"
    merged = here.run("runs", "merge", name, "--yes")
    assert merged.code == 0, merged.err
    assert "+SECRET=2" in here.run("runs", "diff", name).out
    assert here.run("undo", name, "--yes").code == 0
    assert (here.root / "src/app.py").read_text() == "x = 1\n"
    assert here.run("audit", "verify").code == 0
    assert here.run("runs", "drop", name, "--yes").code == 0
    assert here.run("runs", "--json").json == {"runs": []}
