"""`penstock mcp` as a server of the real Claude Code: it reads, proposes, and is refused."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

import pytest

from tests.agents.models import Use
from tests.agents.scene import BIG, SECRET, SMALL, events, furnish, proven, text_of
from tests.agents.session import Claude, Report
from tests.project import Project

pytestmark = pytest.mark.usefixtures("claude")
RULES = 'version = 1\npreset = "guard"\n'
SERVER = {"command": sys.executable, "args": ["-m", "penstock.cli", "mcp"]}


@dataclass(kw_only=True)
class ClaudeWithPenstock(Claude):
    """Claude Code with `penstock mcp` as its only server, as `.mcp.json` names it."""

    mcp: bool = True

    def prepare(self) -> None:
        super().prepare()
        self._servers().write_text(json.dumps({"mcpServers": {"penstock": SERVER}}))


@pytest.fixture
def shop(project: Project) -> Project:
    furnish(project)
    project.write("penstock.toml", RULES)
    return project


def use(tool: str, **arguments: object) -> Use:
    return Use(f"mcp__penstock__{tool}", arguments)


def ran(project: Project, *steps: Use) -> Report:
    report = ClaudeWithPenstock(project=project, steps=steps).run()
    assert report.code == 0, report
    assert len(report.results) == len(steps), report
    return report


def test_claude_code_works_through_the_server_and_stays_within_the_rules(shop: Project) -> None:
    report = ran(
        shop,
        use("read_file", path="notes.txt"),
        use("read_file", path=".env"),
        use("write_file", path="docs/new.md", content="hello\n"),
        use("write_file", path="lib/big.py", content=SMALL),
        use("write_file", path=".env", content="x\n"),
        use("edit_file", path="src/app.py", old_string="hello", new_string="bye"),
        use("search_files", query="keep-me"),
    )
    read, secret, written, waits, denied, edited, found = report.results
    assert "second" in read.text
    assert "sha256:" in read.text
    assert secret.error
    assert "Protected path: .env cannot be read" in secret.text
    assert not written.error
    assert text_of(shop, "docs/new.md") == "hello\n"
    assert not waits.error
    assert "hitl_required" in waits.text
    assert "214 of 270 lines" in waits.text
    assert text_of(shop, "lib/big.py") == BIG
    assert denied.error
    assert "Protected path: .env cannot be modified" in denied.text
    assert text_of(shop, ".env") == SECRET
    assert not edited.error
    assert text_of(shop, "src/app.py") == "print('bye')\n"
    assert "keep-me" not in found.text
    (event,) = events(shop, op="applied", path="docs/new.md")
    assert event["agent"] == "claude-code"
    assert proven(shop)
