"""Any sequence of file operations leaves the same tree with a run, all approved, as without one.

PENSTOCK_SEQUENCES says how many sequences are tried. The long form takes about half an hour:
`PENSTOCK_SEQUENCES=2000 python -m pytest tests/doors/run/test_same_tree.py`
"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.doors.run import operations
from tests.project import Project
from tests.stores.isolation.ground import impossible, python

CANNOT = impossible()
PYTHON = python()
SOURCE = Path(operations.__file__).read_text()  # as text: a run has a /tmp of its own
pytestmark = [
    pytest.mark.skipif(bool(CANNOT), reason=f"NOT TESTED: this kernel cannot isolate: {CANNOT}"),
    pytest.mark.skipif(not PYTHON, reason="NOT TESTED: no python that every user can start"),
]

PARTS = 2  # so that two processes share the work
SEQUENCES = int(os.environ.get("PENSTOCK_SEQUENCES", "16"))
# Every change is allowed, so that what is compared is the whole way and not a person's answers.
RULES = 'version = 1\n[defaults]\nwrite = "allow"\n'
AT_FIRST = {"a.txt": "a\n", "b.txt": "b\n", "d/a.txt": "a\n", "d/e/c.txt": "c\n", "f/x.sh": "x\n"}
PATHS = ["a.txt", "b.txt", "n.txt", "d", "d/a.txt", "d/n", "d/e", "d/e/c.txt", "f", "f/x.sh", "g"]
PLACES = st.sampled_from(PATHS)
TEXTS = st.sampled_from(["", "one\n", "two\nlines\n", "a\n"])
STEPS = st.one_of(
    st.tuples(st.sampled_from(["write", "append", "save"]), PLACES, TEXTS),
    st.tuples(st.sampled_from(["remove", "mkdir", "empty", "touch"]), PLACES),
    st.tuples(st.just("chmod"), PLACES, st.sampled_from([0o755, 0o644])),
    st.tuples(st.just("rename"), PLACES, PLACES),
    st.tuples(st.just("link"), st.sampled_from(["a.txt", "d", "nowhere"]), PLACES),
)


def furnished(folder: Path) -> Path:
    root = folder / "project"
    (root / ".git").mkdir(parents=True)
    (root / "penstock.toml").write_text(RULES)
    for path, text in AT_FIRST.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def tree(root: Path) -> dict[str, object]:
    """Return everything that is there: contents, whether it can be run, links, directories."""
    found: dict[str, object] = {}
    for folder, names, files in os.walk(root):
        for name in [*names, *files]:
            place = Path(folder, name)
            status = place.lstat()
            path = str(place.relative_to(root))
            if stat.S_ISLNK(status.st_mode):
                found[path] = ("link", os.readlink(place))
            elif stat.S_ISDIR(status.st_mode):
                found[path] = "directory"
            else:
                found[path] = (place.read_bytes(), bool(status.st_mode & 0o100))
    return found


@pytest.mark.parametrize("part", range(PARTS))
@settings(
    max_examples=max(1, SEQUENCES // PARTS),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@example(steps=[("remove", "d"), ("write", "d", "a file now\n")])
@example(steps=[("remove", "a.txt"), ("mkdir", "a.txt"), ("write", "a.txt/in", "x\n")])
@example(steps=[("rename", "d", "g"), ("mkdir", "d"), ("link", "a.txt", "d/n")])
@example(steps=[("rename", "f/x.sh", "g"), ("chmod", "g", 0o755), ("remove", "f")])
@example(steps=[("rename", "a.txt", "b.txt"), ("link", "b.txt", "a.txt")])
@given(steps=st.lists(STEPS, min_size=1, max_size=12))
def test_a_run_that_is_approved_is_as_if_there_had_been_none(
    part: int, steps: list[tuple[object, ...]]
) -> None:
    with tempfile.TemporaryDirectory(prefix="penstock-same-") as name:
        folder = Path(name)
        for one in ("plain", "home"):
            (folder / one).mkdir()
        plain = furnished(folder / "plain")
        project = Project(furnished(folder), folder / "home")
        command = [PYTHON, "-I", "-S", "-c", SOURCE, json.dumps(steps)]
        subprocess.run(command, cwd=plain, check=True)
        done = project.run("run", "--", *command)
        assert done.code == 0, done.err
        for word in ("pending", "blocked", "not written", "held"):
            assert word not in done.err, done.err
        assert tree(project.root) == tree(plain), done.err
