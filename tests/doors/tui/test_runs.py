"""Isolated runs on the full screen: `R` lists them with what they changed."""

from __future__ import annotations

import pytest

from tests.project import Project
from tests.stores.isolation.ground import impossible
from tests.terminal import in_terminal

CANNOT = impossible()
pytestmark = pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot: {CANNOT}")


def test_runs_are_listed_beside_the_queue(project: Project) -> None:
    project.write("penstock.toml", '[[ask]]\nid = "conf"\npaths = ["conf"]\n')
    done = project.run("run", "--", "sh", "-c", "echo 1 > conf; echo 1 > free")
    assert done.code == 0, done.err
    typed = [("1 pending", "R"), ("isolated runs", ""), ("applied", "\r"), ("1 pending", "q")]
    seen = in_terminal(project, "review", typed=typed)
    assert seen.code == 3, seen.text[-3000:]
