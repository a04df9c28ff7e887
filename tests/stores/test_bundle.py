"""A copy of the program in a directory of its own, with and without its bundle."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from penstock.stores.bundle import package

NAMES = shutil.ignore_patterns("__pycache__", "doors", "cli")
LOOK = """\
import sys
from penstock.stores import bundle
bundle.use()
from penstock.core import policy
print(type(policy.__spec__.loader).__name__, policy.__file__)
print("dataclasses" in sys.modules, policy.Rule.__doc__ is None, getattr(policy, "NEW", ""))
"""


class Program:
    """The program's package below a directory, run by an interpreter that sees no other."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.package = top / "penstock"
        self.policy = self.package / "core" / "policy.py"

    def run(self, code: str) -> list[str]:
        """Run some code and return the words that it prints; it has no bundle made unasked."""
        environ = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        environ["PYTHONDONTWRITEBYTECODE"] = "1"
        done = subprocess.run(
            [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(self.top)!r})\n{code}"],
            env=environ,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    def look(self) -> list[str]:
        """Say whether the bundle was used, what loaded a module, and what that module is like."""
        return self.run(LOOK)

    def make(self) -> None:
        self.run("from penstock.stores import bundling; bundling.write()")

    @property
    def bundle(self) -> Path:
        (found,) = (self.package / "__pycache__").glob("bundle-*[0-9]")
        return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The program with a bundle; most doors are left out, they take long to copy."""
    top = tmp_path_factory.mktemp("made")
    shutil.copytree(package(), top / "penstock", ignore=NAMES)
    for name in ("", "reviewer"):
        (top / "penstock" / "doors" / name).mkdir()
        shutil.copy(f"{package()}/doors/{name}/__init__.py", top / "penstock" / "doors" / name)
    found = Program(top)
    found.make()
    return found


@pytest.fixture
def program(made: Program, tmp_path: Path) -> Program:
    """A copy of it, down to the times of its files."""
    return copied(made, tmp_path / "here")


def copied(program: Program, to: Path) -> Program:
    shutil.copytree(program.top, to, copy_function=shutil.copy2)
    return Program(to)


def from_bundle(at: Program, new: str = "") -> list[str]:
    return ["Bundle", str(at.policy), "False", "True", *new.split()]


def from_files(at: Program, new: str = "") -> list[str]:
    return ["SourceFileLoader", str(at.policy), "True", "False", *new.split()]


def test_modules_come_from_the_bundle_once_there_is_one(program: Program) -> None:
    assert program.look() == from_bundle(program)
    program.bundle.unlink()
    assert program.look() == from_files(program)


def test_a_source_that_changed_is_what_counts(program: Program) -> None:
    with program.policy.open("a") as file:
        file.write("\nNEW = 1\n")
    assert program.look() == from_files(program, "1")
    others = program.run(LOOK.replace("policy", "model").replace("Rule", "Change"))
    assert others[0] == "Bundle", "one that changed does not make the others slow"
    program.make()
    assert program.look() == from_bundle(program, "1")


def test_a_source_that_is_gone_is_gone(program: Program) -> None:
    (program.package / "core" / "suggest.py").unlink()
    said = program.run(
        "from penstock.stores import bundle; bundle.use()\n"
        "try: import penstock.core.suggest\n"
        "except ImportError: print('gone')\n"
    )
    assert said == ["gone"]


@pytest.mark.parametrize("data", [b"", b"torn", b"\xff" * 50, b"i\x00\x00\x00\x00", None])
def test_a_bundle_that_is_torn_or_strange_is_none(program: Program, data: bytes | None) -> None:
    whole = program.bundle.read_bytes()
    program.bundle.write_bytes(whole[: len(whole) // 2] if data is None else data)
    assert program.look() == from_files(program)


def test_a_copy_goes_by_its_own_sources(program: Program, tmp_path: Path) -> None:
    copy = copied(program, tmp_path / "there")
    assert copy.look() == from_bundle(copy), "nothing changed, and its files are its own"
    with copy.policy.open("a") as file:
        file.write("\nNEW = 2\n")
    assert copy.look() == from_files(copy, "2")
    assert program.look() == from_bundle(program)


def test_who_finds_no_bundle_has_one_made_and_does_not_wait(program: Program) -> None:
    program.bundle.unlink()
    program.run(f"sys.dont_write_bytecode = False\n{LOOK}bundle.renew()")
    for _ in range(600):
        if program.look() == from_bundle(program):
            return
        time.sleep(0.1)
    pytest.fail("no bundle was made")


def test_where_nothing_may_be_written_nothing_is(program: Program) -> None:
    program.bundle.unlink()
    said = program.run(
        "from penstock.stores import bundle; bundle.use(); bundle.renew()\n"
        "import os\n"
        "try: os.wait()\n"
        "except ChildProcessError: print('nobody')\n"
    )
    assert said == ["nobody"]


def test_two_that_make_one_do_not_make_two(program: Program) -> None:
    program.bundle.unlink()
    said = program.run(
        "import fcntl, os\n"
        "from penstock.stores import bundle, bundling\n"
        "lock = open(bundle.place() + '.lock', 'wb'); fcntl.flock(lock, fcntl.LOCK_EX)\n"
        "bundling.write(); print(os.path.exists(bundle.place()))\n"
    )
    assert said == ["False"]
