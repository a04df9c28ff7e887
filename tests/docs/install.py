"""Environments as a reader of a page has them: the built wheel, and the extras that it names.

A package of an extra is taken from where the tests run, so that nothing is fetched; what an extra
does not need is not there.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement

from penstock.core.distribution import NAME
from tests import REPOSITORY


def built(place: Path) -> Path:
    """Build the wheel into a directory, and return it."""
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(place)]
    subprocess.run(words, cwd=REPOSITORY, check=True, capture_output=True, timeout=300)
    return place


def environment(place: Path, extras: frozenset[str], beside: frozenset[str]) -> Path:
    """Make a virtual environment with what Penstock needs for some extras, but not Penstock.

    `beside` are other packages that the page has its reader install.
    """
    words = [sys.executable, "-m", "venv", "--without-pip", str(place)]
    subprocess.run(words, check=True, capture_output=True, timeout=300)
    (site,) = place.glob("lib/python*/site-packages")
    for one in (distribution("pip"), *needed(extras), *map(distribution, beside)):
        link(one, site)
    pip = place / "bin/pip"
    pip.write_text(f'#!/bin/sh\nexec "{place}/bin/python" -m pip "$@"\n')
    pip.chmod(0o755)
    return place


def install(place: Path, wheels: Path) -> None:
    """Install the built wheel into an environment, as a reader does."""
    words = [str(place / "bin/pip"), "install", "-q", "--no-deps", "--no-index"]
    subprocess.run([*words, *map(str, wheels.glob("*.whl"))], check=True, timeout=300)


def install_again(place: Path, first: Path) -> None:
    """Install what was installed into the first environment: the same files, its own Python."""
    (site,), (origin,) = (one.glob("lib/python*/site-packages") for one in (place, first))
    (ours,) = distributions(name=NAME, path=[str(origin)])
    for file in ours.files or ():
        target = site / file
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(origin / file, target)
        if target.parent.resolve() == place.resolve() / "bin":
            target.write_text(target.read_text().replace(str(first), str(place)))


def needed(extras: frozenset[str]) -> Iterator[Distribution]:
    """Yield every package that Penstock needs with some extras."""
    left: list[tuple[str, frozenset[str]]] = [(NAME, extras)]
    seen: set[tuple[str, frozenset[str]]] = set()
    while left:
        name, wanted = left.pop()
        if (name, wanted) in seen:
            continue
        seen.add((name, wanted))
        found = distribution(name)
        if name != NAME:
            yield found
        for text in found.requires or ():
            one = Requirement(text)
            marked = [{"extra": extra} for extra in ("", *wanted)]
            if one.marker is None or any(map(one.marker.evaluate, marked)):
                left.append((one.name, frozenset(one.extras)))


def link(one: Distribution, site: Path) -> None:
    """Link a package's directories and files."""
    for file in one.files or ():
        top = file.parts[0]
        target = Path(str(one.locate_file(top)))
        if top not in ("..", "__pycache__") and target.exists() and not (site / top).exists():
            (site / top).symlink_to(target)
