"""The pages about agents say what the modules do."""

from __future__ import annotations

import pytest

from penstock.doors.hook.agents import NAMES, agent_module
from tests.docs.test_examples import ROOT

REFERENCE = (ROOT / "docs/reference/agents.md").read_text(encoding="utf-8")
HOW_TO = ROOT / "docs/how-to/set-up-agents.md"


@pytest.mark.parametrize("agent", NAMES)
def test_each_agent_is_named_with_where_it_is_registered(agent: str) -> None:
    rows = [
        line
        for line in REFERENCE.splitlines()
        if line.startswith(f"| {agent_module(agent).TITLE} ")
    ]
    assert len(rows) >= 2
    for entry in agent_module(agent).registration("x", strict=False):
        assert f"`{entry['file']}`" in REFERENCE
    assert f"`{agent}`" in HOW_TO.read_text(encoding="utf-8") or agent == "claude"
