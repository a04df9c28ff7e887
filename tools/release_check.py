"""Build what would be published, and try it as its users would: `make release-check`.

    python tools/release_check.py [STEP ...]

Each step says what it did; one that needs a program that is not here is skipped, loudly. Results
are in `dist/`: the wheel, the sdist, the SBOM, the Homebrew formula, the release notes.
Always true: it fails if any step fails, and two builds of one commit are the same bytes.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import release_notes

TOP = release_notes.TOP
DIST = TOP / "dist"
PYTHONS = ("3.11", "3.12", "3.13")
TOOLS = Path(sys.executable).parent


def run(*argv: str | Path, cwd: Path = TOP, umask: int = 0o022) -> str:
    """Run a program; what it prints is shown only when it fails, and ends everything then."""
    done = subprocess.run(  # noqa: S603 - the words stand in this module
        [str(word) for word in argv],
        cwd=cwd, capture_output=True, text=True, check=False, umask=umask,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"FAILED: {' '.join(map(str, argv))}\n{done.stdout}{done.stderr}")
    return done.stdout


def say(text: str) -> None:
    """Print a line at once."""
    print(text, flush=True)


def wheel() -> Path:
    """Return the wheel that was built."""
    (found,) = DIST.glob("*.whl")
    return found


def sdist() -> Path:
    """Return the sdist that was built."""
    (found,) = DIST.glob("*.tar.gz")
    return found


def build_into(place: Path, source: Path = TOP, umask: int = 0o022) -> None:
    """Build wheel and sdist; the time in them is a constant of the build backend."""
    argv = (sys.executable, "-m", "hatchling", "build", "-d", place)
    run(*argv, cwd=source, umask=umask)


def build() -> None:
    """Build into `dist/`, from nothing."""
    shutil.rmtree(DIST, ignore_errors=True)
    build_into(DIST)
    for path in (wheel(), sdist()):
        say(f"built {path.name}: {digest(path)}")


def digest(path: Path) -> str:
    """Return SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def reproduce() -> None:
    """Build what git has in another place with another umask, and compare byte by byte."""
    if run("git", "status", "--porcelain"):
        say("SKIPPED: the second build: there are changes that are not committed")
        return
    with tempfile.TemporaryDirectory() as place:
        source = Path(place, "source")
        run("git", "clone", "--quiet", TOP, source)
        build_into(Path(place, "dist"), source, umask=0o077)
        for path in (wheel(), sdist()):
            if digest(path) != digest(Path(place, "dist", path.name)):
                sys.exit(f"FAILED: {path.name} is another in the second build")
    say("the second build is the same, byte by byte")


def contents() -> None:
    """Have the checkers of the field look at both files."""
    run(TOOLS / "twine", "check", "--strict", wheel(), sdist())
    run(TOOLS / "check-wheel-contents", wheel())
    say("twine and check-wheel-contents find nothing")


def install() -> None:
    """Install the wheel without extras with each Python, and try it; one of them read-only too."""
    version = release_notes.current(TOP)
    others: list[str] = []
    for number in PYTHONS:
        python = interpreter(number)
        if not python:
            say(f"SKIPPED: Python {number} is not here")
            continue
        with tempfile.TemporaryDirectory() as place:
            run(python, "-m", "venv", place)
            run(f"{place}/bin/python", "-m", "pip", "install", "-q", "--no-cache-dir", wheel())
            run(sys.executable, "tools/smoke.py", f"{place}/bin", version)
            say(f"the wheel works with Python {number}")
            if not others and (others := as_somebody(place)):
                read_only(Path(place), version, others)
    if not others:
        say("SKIPPED: read-only, as another user: only root can, with a Python that all can start")


def interpreter(number: str) -> str:
    """Return a Python of this version that starts, from PATH or from pyenv; else nothing."""
    places = sorted(Path.home().glob(f".pyenv/versions/{number}.*/bin/python{number}"))
    for one in (f"/usr/bin/python{number}", shutil.which(f"python{number}"), *map(str, places)):
        if one and os.path.exists(one) and _starts(one):
            return one
    return ""


def _starts(*python: str) -> bool:
    """Say whether a Python runs; pyenv has commands for versions that are switched off."""
    argv = [*python, "-c", ""]
    return not subprocess.run(argv, capture_output=True, check=False).returncode  # noqa: S603


def as_somebody(place: str) -> list[str]:
    """Return the words that run an installation as a user who owns nothing; none if that fails."""
    words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        return []
    Path(place).chmod(0o755)
    starts = _starts(*words, f"{place}/bin/python") and _starts(*words, "/usr/bin/python3")
    return words if starts else []


def read_only(place: Path, version: str, others: list[str]) -> None:
    """Try an installation that belongs to root and that nobody can write to, as another user."""
    run("chmod", "-R", "a-w,a+rX", place)
    before = sorted(place.rglob("*"))
    with tempfile.TemporaryDirectory() as copy:
        Path(copy).chmod(0o755)
        smoke = shutil.copy(TOP / "tools/smoke.py", copy)  # the checkout may be nobody else's
        run(*others, "/usr/bin/python3", smoke, place / "bin", version, cwd=Path("/"))
    run("chmod", "-R", "u+w", place)
    if sorted(place.rglob("*")) != before:
        sys.exit("FAILED: something was written into an installation that is read-only")
    say("it works read-only, as another user than its owner")


def runners() -> None:
    """Have pipx and uvx run the wheel."""
    with tempfile.TemporaryDirectory() as place:
        os.environ.update(PIPX_HOME=f"{place}/pipx", UV_TOOL_DIR=f"{place}/uv")
        version = release_notes.current(TOP)
        pipx = run(TOOLS / "pipx", "run", "--spec", wheel(), "penstock", "version")
        uvx = run(TOOLS / "uvx", "--from", wheel(), "penstock", "version")
        if not all(version in text for text in (pipx, uvx)):
            sys.exit("FAILED: pipx or uvx ran another version")
    say("pipx and uvx run the wheel")


def bom() -> None:
    """Write the SBOM of the wheel's own environment, twice, and compare."""
    with tempfile.TemporaryDirectory() as place:
        run(sys.executable, "-m", "venv", "--without-pip", place)
        target = next(Path(place).glob("lib/python*/site-packages"))
        run(TOOLS / "uv", "pip", "install", "-q", "--target", target, wheel())
        made = [Path(place, name) for name in ("one.json", "two.json")]
        for path in made:
            argv = (TOOLS / "cyclonedx-py", "environment", "--output-reproducible", "-o", path)
            run(*argv, "--pyproject", TOP / "pyproject.toml", f"{place}/bin/python")
        if digest(made[0]) != digest(made[1]):
            sys.exit("FAILED: the SBOM is another the second time")
        shutil.copy(made[0], DIST / "penstock.cdx.json")
    say("wrote dist/penstock.cdx.json")


def definitions() -> None:
    """Lint the image definition and the flake; fill in the formula and lint it."""
    formula = (TOP / "packaging/homebrew/penstock.rb").read_text()
    made = formula.replace("@VERSION@", release_notes.current(TOP))
    (DIST / "penstock.rb").write_text(made.replace("@SHA256@", digest(sdist())))
    checks: Mapping[str, tuple[str | Path, ...]] = {
        str(TOOLS / "hadolint"): ("Containerfile",),
        "ruby": ("-c", DIST / "penstock.rb"),
        "nix-instantiate": ("--parse", "flake.nix"),
    }
    for program, argv in checks.items():
        if shutil.which(program):
            run(program, *argv)
            say(f"{Path(program).name} finds nothing in {argv[-1]}")
        else:
            say(f"SKIPPED: {argv[-1]}: {Path(program).name} is not installed")


def image() -> None:
    """Build the image and run it, where buildah is installed and this is root."""
    if os.geteuid() != 0 or not shutil.which("buildah"):
        say("SKIPPED: the image: it needs root and buildah")
        return
    say(run(TOP / "tools/image").strip())


def notes() -> None:
    """Write the release notes."""
    (DIST / "NOTES.md").write_text(release_notes.notes(TOP, release_notes.current(TOP)))
    say("wrote dist/NOTES.md")


STEPS: Mapping[str, Callable[[], None]] = {
    one.__name__: one
    for one in (build, reproduce, contents, definitions, image, notes, install, runners, bom)
}

if __name__ == "__main__":
    for name in sys.argv[1:] or STEPS:
        STEPS[name]()
