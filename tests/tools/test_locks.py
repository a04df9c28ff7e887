"""The two locks agree, name packages, versions and hashes only, and bring what they are for."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests import REPOSITORY

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
ALL, RUN = (REPOSITORY / name for name in ("requirements.lock.txt", "requirements-run.lock.txt"))
PINNED = re.compile(r"^([\w.-]+)(?:\[[\w,-]+\])?==([^\s;]+)(?: ; [^\\]+)? \\$")
HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}(?: \\)?$")


def pinned(lock: Path) -> dict[str, str]:
    lines = lock.read_text(encoding="utf-8").splitlines()
    return {found[1]: found[2] for line in lines if (found := PINNED.match(line))}


def names(requirements: list[object]) -> set[str]:
    return {re.split(r"[^\w.-]", one)[0] for one in requirements if isinstance(one, str)}


RELEASE = REPOSITORY / "requirements.release.txt"


@pytest.mark.parametrize("lock", [ALL, RUN, RELEASE], ids=lambda lock: lock.name)
def test_a_lock_names_packages_versions_and_hashes_only(lock: Path) -> None:
    for line in lock.read_text(encoding="utf-8").splitlines():
        assert PINNED.match(line) or HASH.match(line), line


def test_the_lock_of_make_run_is_a_part_of_the_other() -> None:
    assert pinned(RUN).items() < pinned(ALL).items()


def test_the_lock_of_make_run_has_the_demo_and_nothing_for_work_on_penstock() -> None:
    project, extras = PROJECT["project"], PROJECT["project"]["optional-dependencies"]
    groups = PROJECT["dependency-groups"]
    wanted = names([*project["dependencies"], *groups["build"]])
    for extra in ("web", "mcp", "langgraph"):
        wanted |= names(extras[extra])
    assert {name.lower() for name in wanted} <= set(pinned(RUN))
    assert {"pytest", "mypy", "ruff", "playwright", "deepagents"} & set(pinned(RUN)) == set()


@pytest.mark.parametrize(("goal", "lock"), [("run", RUN), ("unit", ALL)])
def test_each_goal_installs_its_own_lock(goal: str, lock: Path, tmp_path: Path) -> None:
    words = ["make", "--dry-run", goal, f"VENV={tmp_path}/venv"]
    done = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert re.findall(r"requirements[\w.-]*", done.stdout) == [lock.name]


def test_what_a_lock_pins_is_installed_without_resolving_anything() -> None:
    """A resolver looks at newer releases too, and a new release must not break the set-up."""
    script = (REPOSITORY / "tools" / "install").read_text(encoding="utf-8")
    installs = [line for line in script.splitlines() if "pip install" in line]
    assert len(installs) == 2
    assert all("--no-deps --require-hashes" in line for line in installs)
