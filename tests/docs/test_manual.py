"""The manual says what the code says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from penstock.cli import COMMANDS
from tests import REPOSITORY
from tests.project import Project

ROOT = REPOSITORY


def test_the_generated_pages_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, "tools/manual.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}\n  try: make manual"


def test_every_subcommand_has_a_heading() -> None:
    page = (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f"## penstock {name}\n" in page


LINK = re.compile(r"\]\(([^)#:]+\.md)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/**/*.md")) + sorted(ROOT.glob("*.md")))
def test_every_link_between_pages_leads_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


JUDGED = re.compile(r"\$ penstock judge --tool (\S+) --input '([^']+)'\n(\w+)")


def test_the_judgements_in_the_readme_are_what_the_command_says(project: Project) -> None:
    project.write("src/app.py", "".join(f"line {at}\n" for at in range(270)))
    examples = JUDGED.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(examples) >= 2
    for tool, tool_input, verdict in examples:
        done = project.run("judge", "--tool", tool, "--input", tool_input)
        assert done.out.split()[0] == verdict
