"""What would be published: built twice, installed without extras, read-only; definitions linted.

`make release-check` does the same with other Pythons, pipx, uvx, twine and the SBOM.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from penstock.core.loopback import PORT
from tests import REPOSITORY
from tests.docs.install import environment

sys.path.insert(0, str(REPOSITORY / "tools"))
import release_notes  # type: ignore[import-not-found,unused-ignore]

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
VERSION = PROJECT["version"]
SPARED = shutil.ignore_patterns(
    "__pycache__", ".*_cache", ".venv*", ".git", "dist", "site", ".hypothesis"
)


def build(source: Path, place: Path, *, umask: int) -> dict[str, bytes]:
    argv = [sys.executable, "-m", "hatchling", "build", "-d", str(place)]
    subprocess.run(argv, cwd=source, check=True, capture_output=True, timeout=300, umask=umask)
    return {path.name: path.read_bytes() for path in place.iterdir()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("dist")
    build(REPOSITORY, place, umask=0o022)
    return place


@pytest.mark.slow
def test_two_builds_in_two_places_are_the_same_bytes(built: Path, tmp_path: Path) -> None:
    source = tmp_path / "another place"
    shutil.copytree(REPOSITORY, source, ignore=SPARED, copy_function=shutil.copy)
    if (REPOSITORY / ".git").exists():  # what git ignores is left out of a build
        shutil.copy(REPOSITORY / ".gitignore", source)
    second = build(source, tmp_path / "dist", umask=0o077)
    first = {path.name: path.read_bytes() for path in built.iterdir()}
    assert sorted(first) == sorted(second)
    assert [name for name in first if first[name] != second[name]] == []


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and what it needs, without any extra."""
    place = environment(tmp_path_factory.mktemp("bare") / "env", frozenset(), frozenset())
    (wheel,) = built.glob("*.whl")
    argv = [
        f"{place}/bin/python",
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        str(wheel),
    ]
    subprocess.run(argv, check=True, capture_output=True, timeout=300)
    return place


def smoke(programs: Path, *before: str) -> subprocess.CompletedProcess[str]:
    argv = [*before, sys.executable, str(REPOSITORY / "tools/smoke.py"), str(programs), VERSION]
    return subprocess.run(argv, capture_output=True, text=True, timeout=600, check=False)


@pytest.mark.slow
def test_the_wheel_alone_works_without_extras(installed: Path) -> None:
    done = smoke(installed / "bin")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_an_installation_that_is_read_only_and_roots_works(installed: Path) -> None:
    (site,) = installed.glob("lib/python*/site-packages")
    package = site / "penstock"
    before = sorted(package.rglob("*"))
    subprocess.run(["chmod", "-R", "a-w", str(package)], check=True)
    try:
        done = smoke(installed / "bin", *as_somebody_else(installed))
        assert done.returncode == 0, done.stdout + done.stderr
        assert sorted(package.rglob("*")) == before
    finally:
        subprocess.run(["chmod", "-R", "u+w", str(package)], check=True)


def as_somebody_else(installed: Path) -> list[str]:
    """Return the words that run a command as a user who owns nothing; only root can do that."""
    words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        return []
    probe = [*words, f"{installed}/bin/python", "-c", "import click"]
    if subprocess.run(probe, capture_output=True, check=False).returncode:
        return []  # the tests' own packages lie where only root looks; then it is only read-only
    return words


# --- versions and notes ------------------------------------------------------------------------


def test_one_version_stands_everywhere() -> None:
    server = json.loads((REPOSITORY / "server.json").read_text())
    plugins = (".claude-plugin/plugin.json", "plugins/penstock-full/.claude-plugin/plugin.json")
    said = [json.loads((REPOSITORY / name).read_text())["version"] for name in plugins]
    assert {server["version"], *(one["version"] for one in server["packages"]), *said} == {VERSION}


def test_the_changelog_has_this_version_first() -> None:
    headings = re.findall(r"^## (\S+)", (REPOSITORY / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[:2] == [VERSION, "0.1.0"]


def test_the_notes_have_each_change_once() -> None:
    files = sorted((REPOSITORY / "changes").glob("*.md"))
    by_section = release_notes.changes(REPOSITORY)
    assert sum(map(len, by_section.values())) == len(files)
    assert len(by_section.get(release_notes.REST, ())) < len(files) / 5, "sections say something"
    argv = [sys.executable, "tools/release_notes.py"]
    done = subprocess.run(argv, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"# Penstock {VERSION}\n")
    assert all(f"\n### {name}\n" in done.stdout for name in by_section)


def test_notes_of_a_version_that_never_was_are_refused() -> None:
    argv = [sys.executable, "tools/release_notes.py", "9.9.9"]
    done = subprocess.run(argv, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (done.returncode, "no section for 9.9.9" in done.stderr) == (1, True)


# --- definitions -------------------------------------------------------------------------------


def instructions() -> list[tuple[str, str]]:
    """Read the image definition: one instruction a line, continued by a backslash."""
    text = (REPOSITORY / "Containerfile").read_text()
    lines = [line for line in text.split("\n") if line and not line.startswith("#")]
    joined = re.sub(r"\\\n", " ", "\n".join(lines))
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in joined.split("\n"))]


def test_the_image_serves_as_another_user_than_root_and_watches_its_health() -> None:
    found = dict(instructions())
    assert found["USER"] == "1000"
    assert json.loads(found["ENTRYPOINT"]) == ["penstock"]
    assert json.loads(found["CMD"]) == ["serve", "--port", str(PORT)]
    assert f"127.0.0.1:{PORT}/healthz" in found["HEALTHCHECK"]


def test_what_the_image_copies_is_there_and_not_ignored() -> None:
    let = [
        line[1:] for line in (REPOSITORY / ".containerignore").read_text().split() if line[0] == "!"
    ]
    copied = [
        name
        for kind, rest in instructions()
        if kind == "COPY" and not rest.startswith("--from")
        for name in rest.split()[:-1]
    ]
    assert set(copied) == set(let)
    assert all((REPOSITORY / name).exists() for name in copied)


def test_the_health_check_of_the_image_asks_a_server_that_runs(tmp_path: Path) -> None:
    """The words of HEALTHCHECK, run here against a server of ours, and against none."""
    from http.server import BaseHTTPRequestHandler, HTTPServer
    from threading import Thread

    class Health(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/healthz" else 404)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    check = json.loads(dict(instructions())["HEALTHCHECK"].partition("CMD ")[2])
    server = HTTPServer(("127.0.0.1", 0), Health)
    code = check[2].replace(str(PORT), str(server.server_address[1]))
    argv = [sys.executable, check[1], code]
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    assert subprocess.run(argv, check=False, timeout=60).returncode == 0
    server.shutdown()
    server.server_close()
    assert subprocess.run(argv, check=False, timeout=60, capture_output=True).returncode != 0


def test_the_formula_is_ruby_and_names_commands_that_exist(tmp_path: Path) -> None:
    text = (REPOSITORY / "packaging/homebrew/penstock.rb").read_text()
    named = re.search(r"%w\[([^\]]+)\]", text)
    assert named is not None
    assert set(named[1].split()) == set(PROJECT["scripts"])
    if not shutil.which("ruby"):
        pytest.skip("NO RUBY: install Debian's ruby to lint the formula")
    made = tmp_path / "penstock.rb"
    made.write_text(text.replace("@VERSION@", VERSION).replace("@SHA256@", "0" * 64))
    done = subprocess.run(["ruby", "-wc", str(made)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "Syntax OK", "")


def test_the_flake_parses_and_names_what_the_package_needs() -> None:
    text = (REPOSITORY / "flake.nix").read_text()
    block = re.search(r" dependencies = \[(.*?)\]", text, re.DOTALL)
    assert block is not None
    needed = {re.split(r"[^\w-]", one)[0] for one in PROJECT["dependencies"]}
    assert set(re.findall(r"python\.([\w-]+)", block[1])) == needed
    if not shutil.which("nix-instantiate"):
        pytest.skip("NO NIX: install Debian's nix-bin to parse the flake")
    argv = ["nix-instantiate", "--parse", str(REPOSITORY / "flake.nix")]
    assert subprocess.run(argv, capture_output=True, check=False).returncode == 0


def test_the_goals_of_the_makefile_run_scripts_that_are_there() -> None:
    text = (REPOSITORY / "Makefile").read_text()
    for goal in ("dist", "notes", "release-check"):
        assert re.search(rf"^{goal}:.*## ", text, re.MULTILINE)
    for name in re.findall(r"tools/[\w.-]+", text):
        assert (REPOSITORY / name).is_file(), name


def test_the_action_installs_and_runs_what_is_in_this_repository() -> None:
    action = yaml.safe_load((REPOSITORY / "action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    assert os.access(REPOSITORY / "ci/github", os.X_OK)
