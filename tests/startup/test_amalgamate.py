"""The hook's modules as one say what the modules say, wherever the wheel was put."""

from __future__ import annotations

import compileall
import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import penstock
from penstock.startup.amalgamate import MODULES, NAME, amalgamate
from tests import REPOSITORY
from tests.doors.hook.hooks import LAUNCHER, Hook
from tests.project import Done, Project

TOP = REPOSITORY
PACKAGE = Path(penstock.__file__).parent
BIG = "".join(f"line {n}\n" for n in range(1, 271))
CALLS: list[tuple[str, str, object]] = [
    ("PreToolUse", "Write", {"file_path": "new.txt", "content": "x"}),
    ("PostToolUse", "Write", {"file_path": "new.txt", "content": "x"}),
    ("PreToolUse", "Write", {"file_path": ".env", "content": "x"}),
    ("PreToolUse", "Write", {"file_path": "src/app.py", "content": "x"}),
    ("PreToolUse", "Write", {"file_path": "a/../.git/config", "content": "x"}),
    ("PreToolUse", "Write", {"file_path": "big.py", "content": BIG[:400]}),
    ("PreToolUse", "Edit", {"file_path": "big.py", "old_string": "line 7\n", "new_string": ""}),
    ("PreToolUse", "Edit", {"file_path": "big.py", "old_string": "?", "new_string": ""}),
    ("PreToolUse", "Write", {"file_path": 7, "content": "x"}),
    ("PreToolUse", "Bash", {"command": "echo x > .env"}),
    ("PreToolUse", "Bash", {"command": "ls"}),
    ("ConfigChange", "", {}),
    ("SessionStart", "", {}),
    ("Strange", "Write", []),
]


def read(path: str) -> str:
    return (PACKAGE / path).read_text("utf-8")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel as anybody would, and put it somewhere as an installer does."""
    place = tmp_path_factory.mktemp("wheel")
    offline = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", *offline, "-w", place, TOP], check=True, timeout=300)
    (built,) = place.glob("*.whl")
    with zipfile.ZipFile(built) as file:
        file.extractall(place / "site")
    assert compileall.compile_dir(place / "site", quiet=1)
    return place / "site" / "penstock"


@pytest.fixture
def installed(wheel: Path, tmp_path: Path) -> Path:
    """An installation that is this test's own."""
    return Path(shutil.copytree(wheel, tmp_path / "site" / "penstock"))


def answers(hook: Hook) -> list[Done]:
    hook.project.write("big.py", BIG)
    found = []
    for event, tool, given in CALLS:
        here = dict(given) if isinstance(given, dict) else given
        if isinstance(here, dict) and isinstance(here.get("file_path"), str):
            here["file_path"] = hook.at(here["file_path"])
        found.append(hook.call(event, tool, here))
    found.append(hook.send(b"no JSON"))
    return found


def imported(hook: Hook, *options: str) -> set[str]:
    """Return the modules of ours that a write to an ordinary path imports from their files."""
    document = hook.document("PreToolUse", "Write", {"file_path": hook.at("b"), "content": ""}, "t")
    done = subprocess.run(
        [sys.executable, "-I", "-S", *options, "-X", "importtime", hook.launcher, "claude"],
        input=json.dumps(document).encode(),
        env=hook.environ(),
        capture_output=True,
        timeout=60,
        check=True,
    )
    names = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    return {name for name in names if name.startswith("penstock")}


def test_the_one_module_answers_as_the_modules_do(project: Project, installed: Path) -> None:
    hook = Hook(project)
    answers(hook)  # which leaves the compiled policy
    modules = answers(hook)
    hook.launcher = str(installed / "hook.py")
    assert answers(hook) == modules
    assert imported(hook) == set()
    hook.launcher = LAUNCHER
    assert imported(hook) == {*MODULES}, "a checkout has its sources only"
    assert not (PACKAGE / "startup" / NAME).exists()


def test_one_of_another_version_is_not_used(project: Project, installed: Path) -> None:
    hook = Hook(project, launcher=str(installed / "hook.py"))
    wanted = answers(hook)
    made = installed / "startup" / NAME
    text = made.read_text()
    for other in (text.replace("VERSION = '0", "VERSION = '9", 1), "this is no Python", ""):
        made.write_text(other)
        assert imported(hook) >= {*MODULES}
        assert answers(hook) == wanted


def test_an_installation_that_nobody_may_write_to_is_as_quick(
    project: Project, installed: Path
) -> None:
    """Nothing is written where the program lies, and what the installer compiled is used."""
    hook = Hook(project, launcher=str(installed / "hook.py"))
    before = listing(installed)
    answers(hook)
    assert imported(hook) == set()
    assert listing(installed) == before


def listing(folder: Path) -> set[tuple[str, int]]:
    return {(str(one), one.stat().st_mtime_ns) for one in folder.rglob("*")}


def test_without_compiled_files_the_answers_are_the_same(project: Project, installed: Path) -> None:
    hook = Hook(project, launcher=str(installed / "hook.py"))
    wanted = answers(hook)
    for compiled in [*installed.rglob("*.pyc")]:
        os.unlink(compiled)
    assert imported(hook, "-B") == set()
    assert answers(hook) == wanted


def test_the_same_sources_give_the_same_text() -> None:
    assert amalgamate(read, version="1") == amalgamate(read, version="1")


def test_a_module_comes_behind_all_that_it_imports() -> None:
    for number, name in enumerate(MODULES):
        above = name.rpartition(".")[0]
        assert not above or above in MODULES[:number]


def test_the_launcher_knows_the_version_of_the_package() -> None:
    version = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]["version"]
    assert f'VERSION = "{version}"' in Path(LAUNCHER).read_text()
