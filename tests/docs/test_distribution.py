"""The distribution has one name and says of itself only what is so."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tarfile
import tomllib
from email import message_from_bytes
from email.message import Message
from importlib.metadata import packages_distributions
from pathlib import Path
from zipfile import ZipFile

import pytest

from penstock.cli.extras import need
from penstock.core.distribution import HOME, NAME, pip_install
from tests import REPOSITORY

ROOT = REPOSITORY
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
ONE_PLACE = ROOT / "src/penstock/core/distribution.py"

READERS = ("README.md", "SECURITY.md", "CONTRIBUTING.md", "server.json", "pyproject.toml")
PLUGINS = (".claude-plugin", "hooks", "plugins")
FOLDERS = ("docs", *PLUGINS, "skills", "examples", "src", "tools", "changes")
INSTALLS = r"(?:pip3? install|pipx install|uv tool install|uv add|uvx)(?: -\S+)* [\"']?"
SPELT = re.compile(
    rf"(?:{INSTALLS}|\"identifier\": \")(penstock[\w-]*)"
    r"|\b(penstock[\w-]*)\[[a-z]+[\],]"
    r"|(?:version|distribution|metadata)\([\"'](penstock[\w-]*)"
    r"|package_name=[\"'](penstock[\w-]*)"
)


def texts() -> list[Path]:
    inside = [one for folder in FOLDERS for one in (ROOT / folder).rglob("*") if one.is_file()]
    readable = [p for p in inside if p.suffix != ".png" and "__pycache__" not in p.parts]
    return [*(ROOT / name for name in READERS), *readable]


def names_in(text: str) -> set[str]:
    return {name for found in SPELT.findall(text) for name in found if name}


def test_no_text_knows_the_distribution_by_another_name() -> None:
    wrong = {
        str(path.relative_to(ROOT)): others
        for path in texts()
        if (others := names_in(path.read_text(encoding="utf-8")) - {NAME})
    }
    assert wrong == {}


@pytest.mark.parametrize(
    "text",
    [
        "pip install penstock",
        "pip install 'penstock[web]'",
        "pip install --user penstock\n",
        "uv tool install penstock-gates",
        "uvx --from penstock penstock demo",
        '"identifier": "penstock"',
        '"value": "penstock[mcp]==0.1.0"',
        'version("penstock")',
        'version_option(package_name="penstock")',
    ],
)
def test_another_name_would_be_found(text: str) -> None:
    assert names_in(text) - {NAME}


def test_only_one_module_spells_the_name() -> None:
    spelling = [path for path in SOURCES if NAME in path.read_text(encoding="utf-8")]
    assert spelling == [ONE_PLACE]
    assert PROJECT["name"] == NAME


def imported() -> set[str]:
    """Return every distribution that a module of ours imports."""
    by_module, found = packages_distributions(), set[str]()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            found.update(d for name in names for d in by_module.get(name.partition(".")[0], ()))
    return {name.lower() for name in found}


def test_every_extra_brings_something_that_a_module_imports() -> None:
    used = imported()
    brings = {
        extra: {re.split(r"[^\w.-]", one)[0].lower() for one in needs}
        for extra, needs in EXTRAS.items()
    }
    assert {extra for extra, needs in brings.items() if not needs & used} == set()


def hinted(path: Path) -> set[str]:
    """Return the extras that a module tells people to install."""
    return {
        str(node.args[0].value)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in (pip_install.__name__, need.__name__)
        and isinstance(node.args[0], ast.Constant)
    }


def test_every_hint_names_an_extra_that_exists() -> None:
    hints = set[str]().union(*map(hinted, SOURCES))
    pages = re.compile(rf"{NAME}\[([a-z,]+)\]")
    told = {
        extra
        for path in texts()
        for found in pages.findall(path.read_text(encoding="utf-8"))
        for extra in found.split(",")
    }
    assert {"web", "mcp", "llm", "notify", "langgraph"} <= hints
    assert (hints | told) - EXTRAS.keys() == set()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel and the sdist as they would be published."""
    place = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(place)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=300)
    return place


@pytest.fixture(scope="module")
def wheel(built: Path) -> ZipFile:
    (found,) = built.glob("*.whl")
    return ZipFile(found)


@pytest.fixture(scope="module")
def metadata(wheel: ZipFile) -> Message:
    (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    return message_from_bytes(wheel.read(name))


def test_the_wheel_says_who_made_it_and_where_it_lives(metadata: Message) -> None:
    assert metadata["Name"] == NAME
    assert metadata["Author"] == "Penstock maintainers"
    addresses = [one.split(", ")[1] for one in metadata.get_all("Project-URL", [])]
    assert addresses
    assert all(address.startswith(HOME) for address in addresses)


def test_every_python_that_is_named_is_one_that_is_allowed(metadata: Message) -> None:
    prefix = "Programming Language :: Python :: 3."
    named = [one for one in metadata.get_all("Classifier", []) if one.startswith(prefix)]
    assert f"{prefix}{sys.version_info.minor}" in named
    least = int(metadata["Requires-Python"].removeprefix(">=3."))
    assert min(int(one.removeprefix(prefix)) for one in named) == least


def test_what_is_shown_beside_the_package_leads_somewhere(metadata: Message) -> None:
    targets = re.findall(r"\]\(([^)]+)\)", str(metadata.get_payload()))
    assert len(targets) > 20
    for target in targets:
        where = re.fullmatch(rf"{HOME}/(?:blob|raw)/main/([^#]+)(?:#.*)?", target)
        assert where is not None, target
        assert (ROOT / where[1]).is_file(), target


def test_the_wheel_has_the_package_and_nothing_else(wheel: ZipFile, built: Path) -> None:
    names = wheel.namelist()
    tops = {name.partition("/")[0].partition("-")[0] for name in names}
    assert tops == {"penstock", NAME.replace("-", "_")}
    assert not [name for name in names if "fake" in name or "/memory" in name]
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as source:
        assert f"{sdist.name.removesuffix('.tar.gz')}/README.md" in source.getnames()
