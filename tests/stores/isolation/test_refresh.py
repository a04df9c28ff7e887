"""A refresh shows what the user saved, and changes no mount, wherever the command leads its name.

Below a private /tmp a command can move the directory that its project lies in, and put a link in
its place: whoever remounts "the project" by its name then remounts what the link leads to.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from penstock.stores.isolation.process import start
from penstock.stores.isolation.streams import Streams
from tests.stores.isolation.ground import NOBODY, Ground, ground, impossible, python

CANNOT = impossible()
PYTHON = python()
pytestmark = [
    pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot isolate: {CANNOT}"),
    pytest.mark.skipif(not PYTHON, reason="NOT TESTED: no python that every user can start"),
]
MOVED = """
import os, sys
top, project, leads = sys.argv[1:]
def flags():
    lines = [line.split() for line in open("/proc/self/mountinfo")]
    return [one[5].split(",")[0] for one in lines if one[4] == leads][-1:]
before = flags()
os.rename(top, top + ".moved")
os.makedirs(os.path.dirname(project))
os.symlink(leads, project)
os.write(1, b"moved")
os.read(0, 1)
print(before == flags() != [], flags())
"""


@contextmanager
def project_in_tmp(here: Ground) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="penstock-refresh-", dir="/tmp") as top:
        project = Path(top, "above", "project")
        project.mkdir(parents=True)
        for place in (Path(top), project.parent, project):
            os.chown(place, here.user, here.user)
        yield project


def refreshed(here: Ground, project: Path, leads: str) -> str:
    """Return what the command says about a mount after a refresh of what it moved."""

    def work() -> Any:
        asked, ask = os.pipe()
        told, tell = os.pipe()
        command = [PYTHON, "-c", MOVED, str(project.parents[1]), str(project), leads]
        plan = here.plan(project=str(project), directory=str(project))
        process = start(plan, command, here.environ(), Streams({0: asked, 1: tell}))
        os.read(told, 5)
        process.refresh()
        os.write(ask, b"x")
        process.wait()
        return os.read(told, 999).decode()

    return str(here.as_user(work))


@pytest.mark.parametrize(
    ("user", "leads"),
    [
        (NOBODY, ".ssh"),  # hidden: an empty directory that nothing can be put into
        (NOBODY, "/dev"),
        (0, "/proc/sys"),  # a setting there runs a program outside
    ],
)
def test_a_refresh_changes_no_mount_that_the_projects_name_was_led_to(
    user: int, leads: str
) -> None:
    if os.geteuid() != 0 and user != os.geteuid():
        pytest.skip("only root can be another user")
    with ground(user) as here, project_in_tmp(here) as project:
        place = os.path.join(here.home, leads)
        assert refreshed(here, project, place).startswith("True"), "a mount has other flags now"
