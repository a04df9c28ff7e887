"""The wheel as users install it, built for a run of the benchmark; nobody starts a checkout.

Always true: `sealed` is an installation that the measured process cannot write to.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).parents[1]
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
OFFLINE = ["--no-deps", "--no-index"]
# Root writes anywhere; without this capability its own files keep it out as anybody's would.
NO_OVERRIDE = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"]


def built(place: str) -> Path:
    """Return the wheel in a directory, built there first where it is not."""
    if not [*Path(place).glob("*.whl")]:
        build = [*PIP, "wheel", *OFFLINE, "--no-build-isolation", "-w", place, str(TOP)]
        subprocess.run(build, check=True)
    (wheel,) = Path(place).glob("*.whl")
    return wheel


def installed(place: str) -> str:
    """Install the wheel below a directory; return where its packages are."""
    target = ["--target", f"{place}/site", str(built(place))]
    subprocess.run([*PIP, "install", *OFFLINE, *target], check=True)
    return f"{place}/site"


def sealed(place: str) -> str:
    """Install it once more, and take every permission to write away."""
    folder = Path(place, "sealed")
    target = ["--target", str(folder), str(built(place))]
    subprocess.run([*PIP, "install", *OFFLINE, *target], check=True)
    for name in (folder, *folder.rglob("*")):
        name.chmod(name.stat().st_mode & ~0o222)
    return str(folder)


def unsealed(place: str) -> None:
    """Let a sealed installation be removed again."""
    for name in (Path(place, "sealed"), *Path(place, "sealed").rglob("*")):
        name.chmod(name.stat().st_mode | 0o200)


def keeping_out() -> list[str]:
    """Return the words that start a process which a sealed installation keeps out."""
    return NO_OVERRIDE if os.geteuid() == 0 and shutil.which("setpriv") else []
