"""The pages about agents say what the modules do, and their commands answer as shown."""

from __future__ import annotations

import pytest

from penstock.doors.hook.agents import NAMES, agent_module
from tests.cli.quick import Quick
from tests.docs.test_examples import ROOT, blocks, commands, holds
from tests.project import Project

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


def test_the_how_to_can_be_followed_to_its_end(project: Project) -> None:
    quick = Quick(project.root, project.home)
    steps = [one for block in blocks(HOW_TO) if block.kind == "console" for one in commands(block)]
    assert [command.split()[1] for command, _ in steps] == ["init", "init", "doctor", "uninstall"]
    for command, shown in steps:
        done = quick.run(*command.split()[1:], env={"COLUMNS": "300"})
        assert done.code == 0, done.err
        holds(tuple(line for line in shown if line != "..."), done.out)
