"""The comparison is dated, and each of its rows can be checked by a link or a command."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from penstock.doors.hook.agents import NAMES
from tests import REPOSITORY

PAGE = (REPOSITORY / "docs/comparison.md").read_text(encoding="utf-8")
TOOLS = (
    *("Penstock", "Claude Code", "HOL Guard", "agentsh", "nono", "dcg", "cc-safety-net"),
    "AGT",
)
ROW = re.compile(rf"^\| ({'|'.join(TOOLS)}) \| (.+) \|$", re.MULTILINE)
SECTIONS = [part for part in PAGE.split("\n## ")[1:] if ROW.search(part)]
LINK = re.compile(r"\]\(([^)]+)\)|`penstock [a-z]")
UNKNOWN = "not checked"


def test_the_page_says_when_it_was_made() -> None:
    assert "As of November 2026" in PAGE


@pytest.mark.parametrize("section", SECTIONS, ids=lambda text: text.splitlines()[0])
def test_each_topic_has_every_tool_once(section: str) -> None:
    assert Counter(tool for tool, _ in ROW.findall(section)) == Counter(TOOLS)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda text: text.splitlines()[0])
def test_each_row_can_be_checked_or_says_that_it_was_not(section: str) -> None:
    rows = [row for _, row in ROW.findall(section)]
    assert [row for row in rows if not (LINK.search(row) or UNKNOWN in row)] == []


def test_the_others_are_ahead_somewhere_and_the_page_says_so() -> None:
    assert PAGE.count("Ahead of Penstock here: ") >= 5
    assert "## What Penstock does not do" in PAGE


def test_the_number_of_agents_is_right() -> None:
    assert f"| {len(NAMES)} by hook" in PAGE
