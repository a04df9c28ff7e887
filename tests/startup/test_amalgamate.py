"""The hook's modules as one say what the modules say, wherever the wheel was put."""

from __future__ import annotations

import compileall
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from dataclasses import replace
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
        done = hook.call(event, tool, here)
        once = done.out.replace(
            "change is already saved", "change was saved"
        )  # one change, one ticket
        found.append(replace(done, out=once))
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


def test_nothing_is_written_where_the_program_lies(project: Project, installed: Path) -> None:
    hook = Hook(project, launcher=str(installed / "hook.py"))
    before = listing(installed)
    answers(hook)
    assert imported(hook) == set()
    assert listing(installed) == before


def listing(folder: Path) -> set[tuple[str, int]]:
    return {(str(one), one.stat().st_mtime_ns) for one in folder.rglob("*")}


# Makes a directory read-only for what it runs, root included, and proves that it is.
READ_ONLY = """
mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" || exit 70
if touch "$0/written" 2>/dev/null; then exit 71; fi
exec "$@"
"""


def read_only(folder: Path) -> list[str]:
    """Return what a command begins with that may not write to a folder."""
    for namespace in (["unshare", "-m"], ["unshare", "-rm"]):
        words = [*namespace, "sh", "-c", READ_ONLY, str(folder)]
        if (
            shutil.which("unshare")
            and not subprocess.run([*words, "true"], capture_output=True, check=False).returncode
        ):
            return words
    pytest.skip("NOT RUN: the read-only installation, because nothing can be mounted here")


@pytest.mark.parametrize("compiled", [True, False])
def test_an_installation_that_nobody_may_write_to_answers(
    project: Project, installed: Path, compiled: bool
) -> None:
    """By the short way and by the engine; also where Python would leave what it compiled."""
    for file in [] if compiled else [*installed.rglob("*.pyc")]:
        os.unlink(file)
    before = listing(installed)
    begin, hook = read_only(installed), Hook(project, launcher=str(installed / "hook.py"))
    calls = [
        ("Bash", {"command": "echo x > .env"}),  # leaves the policy that the next one is judged by
        ("Write", {"file_path": hook.at(".env"), "content": "x"}),
    ]
    for tool, given in calls:
        done = subprocess.run(
            [*begin, sys.executable, "-I", "-S", hook.launcher, "claude"],
            cwd=project.root,
            env={**hook.environ(), "PATH": os.environ["PATH"]},
            input=json.dumps(hook.document("PreToolUse", tool, given, "t")).encode(),
            capture_output=True,
            timeout=60,
            check=True,
        )
        answer = json.loads(done.stdout)["hookSpecificOutput"]
        assert answer["permissionDecision"] == "deny"
        assert "Protected path: .env" in answer["permissionDecisionReason"], done.stderr
    assert listing(installed) == before


def test_a_wheel_built_from_the_sdist_has_the_one_module(tmp_path: Path, wheel: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build"]
    subprocess.run([*build, "-t", "sdist", "-d", tmp_path], cwd=TOP, check=True, timeout=300)
    (sdist,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(sdist) as source:
        source.extractall(tmp_path, filter="data")
    (unpacked,) = (path.parent for path in tmp_path.glob("*/pyproject.toml"))
    subprocess.run([*build, "-t", "wheel", "-d", tmp_path], cwd=unpacked, check=True, timeout=300)
    (built,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(built) as file:
        found = file.read(f"penstock/startup/{NAME}")
    assert found == (wheel / "startup" / NAME).read_bytes()


def test_without_compiled_files_the_answers_are_the_same(project: Project, installed: Path) -> None:
    hook = Hook(project, launcher=str(installed / "hook.py"))
    wanted = answers(hook)
    for compiled in [*installed.rglob("*.pyc")]:
        os.unlink(compiled)
    assert imported(hook, "-B") == set()
    assert answers(hook) == wanted


# Prints what there is to say of each module in C, loaded directly first where there is a word.
MODULES_IN_C = """
import sys
sys.path.append(sys.argv[1])
from penstock.startup.register import IN_C, load_in_c
if len(sys.argv) > 2:
    load_in_c([*IN_C, "_no_such_module"])
    print(sorted(set(sys.modules).intersection(["_no_such_module"])), file=sys.stderr)
for name in IN_C:
    try:
        one = __import__(name)
    except ImportError:
        continue
    spec = one.__spec__
    print(name, one.__loader__, getattr(one, "__file__", ""), one.__package__, sorted(vars(one)))
    print(spec.name, spec.origin, spec.loader, spec.cached, spec.parent, spec.has_location)
"""


def test_modules_in_c_are_those_that_a_search_finds() -> None:
    def said(*more: str) -> list[str]:
        run = [sys.executable, "-I", "-S", "-c", MODULES_IN_C, str(PACKAGE.parent), *more]
        done = subprocess.run(run, capture_output=True, text=True, check=True, timeout=60)
        assert done.stderr.strip() == ("[]" if more else "")
        return [re.sub("0x[0-9a-f]+", "", line) for line in done.stdout.splitlines()]

    assert said("directly") == said() != []


def test_the_same_sources_give_the_same_text() -> None:
    assert amalgamate(read, version="1") == amalgamate(read, version="1")


def test_a_module_comes_behind_all_that_it_imports() -> None:
    for number, name in enumerate(MODULES):
        above = name.rpartition(".")[0]
        assert not above or above in MODULES[:number]


def test_the_launcher_knows_the_version_of_the_package() -> None:
    version = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]["version"]
    assert f'VERSION = "{version}"' in Path(LAUNCHER).read_text()
