"""The man pages are what the help says, and roff formats them without a warning."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from penstock.cli import COMMANDS
from tests import REPOSITORY

PAGES = sorted((REPOSITORY / "docs/man").glob("*.1"))
FORMATTERS = {
    "groff": ["groff", "-man", "-ww", "-Tutf8"],
    "mandoc": ["mandoc", "-Tlint", "-Werror"],
}


def test_there_is_one_page_for_each_command() -> None:
    names = {page.name for page in PAGES}
    assert names == {"penstock.1", *(f"penstock-{name}.1" for name in COMMANDS)}


@pytest.mark.parametrize("formatter", FORMATTERS)
def test_pages_are_formatted_without_a_warning(formatter: str) -> None:
    if shutil.which(formatter) is None:
        pytest.skip(f"{formatter} is not installed")
    done = subprocess.run(
        [*FORMATTERS[formatter], *PAGES], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stderr == ""
    assert done.returncode == 0
    assert "PENSTOCK-APPROVE(1)" in done.stdout or formatter == "mandoc"


def test_a_page_says_what_the_help_says() -> None:
    page = (REPOSITORY / "docs/man/penstock-approve.1").read_text(encoding="utf-8")
    assert "penstock\\-approve \\- approve a pending change and write it" in page
    assert "\\fB\\-\\-strategy NAME\\fR" in page
    assert "penstock approve 3f2a1c9e \\-\\-hunks 1,3" in page
    assert "ID_" not in page


def test_the_wheel_installs_them_where_man_looks() -> None:
    settings = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    assert '"docs/man" = "share/man/man1"' in settings
