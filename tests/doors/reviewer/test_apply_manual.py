"""The page on changing rules is true: each operation on it is made, in the order of the page."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests import REPOSITORY
from tests.doors.reviewer.reviewer_process import RULES
from tests.doors.reviewer.scene import scene

ROOT = REPOSITORY
PAGE = (ROOT / "docs/how-to/change-rules.md").read_text()


def test_every_operation_on_the_page_can_be_made() -> None:
    found = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]
    assert len(found) == 14
    with scene(RULES, git=True) as here:
        (here.folder / "more-rules.toml").write_text("[llm_fallback]\nenabled = false\n")
        copy = f"{here.file}.20260101T100000Z.bak"
        Path(copy).write_text(RULES)
        first = here.repo.head()
        for operation in found:
            if "to_commit" in operation:
                operation["to_commit"] = first[:8]
            here.made(operation)
        assert here.text == RULES


def test_the_skill_and_the_section_for_agents_say_the_same() -> None:
    skill = (ROOT / "skills/change-rules/SKILL.md").read_text()
    section = (ROOT / "docs/how-to/agents-and-rules.md").read_text()
    for word in ("--dry-run", "--applied-by", "inside_agent", "rollback_command", "match_test"):
        assert word in skill
        assert word in section
    assert skill.startswith("---\nname: change-rules\ndescription: ")
