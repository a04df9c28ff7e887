"""Every command of the README, the tutorial and the how-to pages runs as printed.

A page is walked from its first command to its last in a terminal, with Penstock installed from its
wheel and only the extras that the page itself names.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock.core.distribution import NAME
from penstock.stores.agents.ancestry import seen_here
from tests import REPOSITORY
from tests.docs.install import built, environment, install, install_again
from tests.docs.test_examples import holds
from tests.docs.walk import BLOCK, ENDLESS, OUTSIDE, Step, steps, walk
from tests.project import Project

PAGES = [
    REPOSITORY / "README.md",
    REPOSITORY / "docs/tutorial.md",
    *sorted((REPOSITORY / "docs/how-to").glob("*.md")),
]
WALKED = [page for page in PAGES if any(step.shown is not None for step in steps(page))]
INSTALLED = re.compile(r"pip install '?([\w-]+)(?:\[([\w,]+)\])?")
# What only the makers of the page's own repository can run, from a clone.
FROM_A_CLONE = re.compile(r"make (run|test)\b|git clone ")
ENDS = {0: "done", 2: "denied", 3: "pending", 4: "out of date"}
STOPPED = 124


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("wheels"))


Packages = tuple[frozenset[str], frozenset[str]]
Environments = Callable[[Packages], Path]


@pytest.fixture(scope="module")
def venv_with(tmp_path_factory: pytest.TempPathFactory, wheels: Path) -> Environments:
    made: dict[Packages, Path] = {}

    def get(packages: Packages) -> Path:
        if packages not in made:
            place = tmp_path_factory.mktemp("venv") / "venv"
            environment(place, *packages)
            if made:
                install_again(place, next(iter(made.values())))
            else:
                install(place, wheels)
            made[packages] = place
        return made[packages]

    return get


@pytest.fixture
def shop(tmp_path: Path) -> Project:
    """A project as a reader has one: a repository with a file of 270 lines."""
    root, home = tmp_path / "my-project", tmp_path / "home"
    home.mkdir()
    project = Project(root, home)
    project.write("src/app.py", "".join(f"def step_{n}(): return {n}\n" for n in range(1, 271)))
    (root / "config").mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (home / ".gitconfig").write_text("[user]\nname = Ann\nemail = ann@example.org\n")
    return project


def packages_of(page: Path) -> Packages:
    """Return the extras, and the other packages, that a page has its reader install."""
    words = [found for step in steps(page) for found in INSTALLED.findall(step.command)]
    extras = frozenset(extra for one, some in words if one == NAME for extra in some.split(","))
    return extras - {""}, frozenset(one for one, _ in words if one != NAME)


@pytest.mark.skipif(
    seen_here() is not None, reason="nothing can be approved inside an agent, and that is right"
)
@pytest.mark.parametrize("page", WALKED, ids=lambda page: page.name)
def test_a_page_can_be_followed_to_its_end(
    page: Path, shop: Project, venv_with: Environments, wheels: Path
) -> None:
    walked = [one for one in steps(page) if not FROM_A_CLONE.match(one.command)]
    shown = [one for one in walked if one.shown is not None]
    began_outside = Project(shop.root.parent, shop.home)
    where = began_outside if any(one.command == "cd my-project" for one in shown) else shop
    seen = walk(walked, where, venv_with(packages_of(page)), wheels)
    for step, (code, told) in zip(shown, seen, strict=False):
        assert code in ENDS or fits(step, code), (
            f"{step.command}\n{told[-3000:]}\nended with {code}"
        )
        assert "Traceback (most" not in told, told[-3000:]
        holds(step.shown or (), told)
    assert len(seen) == len(shown), f"after {shown[len(seen) - 1].command}"


def fits(step: Step, code: int) -> bool:
    """Say whether a command may end so: a page shows the error, or it runs until it is stopped."""
    if code == STOPPED:
        return ENDLESS.match(step.command) is not None
    return any(line.startswith("error[") for line in step.shown or ())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_is_not_walked_is_not_ours(page: Path) -> None:
    for found in BLOCK.finditer(page.read_text(encoding="utf-8")):
        lines = (found["text"] or "").splitlines() if found["kind"] == "sh" else []
        assert [line for line in lines if not line.startswith(OUTSIDE)] == []
