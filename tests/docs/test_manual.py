"""The manual says what the code says."""

from __future__ import annotations

import subprocess
import sys

from penstock.cli import COMMANDS
from tests import REPOSITORY

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
