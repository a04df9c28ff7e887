"""After the same kind of change was approved three times, the answer offers the rule."""

from __future__ import annotations

import re

from tests.cli.pending import one_proposed
from tests.cli.test_everyday_rules import by_person
from tests.project import Project
from tests.terminal import in_terminal

OFFER = re.compile(r"you have approved changes like this 3 times; to stop being asked: (.+)")


def approved(project: Project, path: str) -> str:
    name = one_proposed(project, path, b"x\n")
    seen = in_terminal(project, "approve", name, "--yes")
    assert seen.code == 0, seen.text
    return seen.text


def test_the_third_approval_offers_the_rule_and_its_command_works(project: Project) -> None:
    for path in ("guides/a.md", "guides/b.md"):
        assert "to stop being asked" not in approved(project, path)
    found = OFFER.search(approved(project, "guides/c.md"))
    assert found
    assert project.judge("Write", {"file_path": "guides/d.md", "content": "x"}).code == 3
    by_person(project, found[1].strip())
    assert project.judge("Write", {"file_path": "guides/d.md", "content": "x"}).code == 0
    assert project.judge("Write", {"file_path": "src/d.py", "content": "x"}).code == 3


def test_the_prompt_of_review_offers_it_too(project: Project) -> None:
    for path in ("guides/a.md", "guides/b.md"):
        approved(project, path)
    one_proposed(project, "guides/c.md", b"x\n")
    seen = in_terminal(project, "review", "--plain", typed=[("a", "a\n")])
    assert OFFER.search(seen.text), seen.text


def test_nothing_is_offered_for_what_was_rejected_once_or_must_never_be_a_rule(
    project: Project,
) -> None:
    rejected = one_proposed(project, "guides/no.md", b"x\n")
    assert in_terminal(project, "reject", rejected, "--reason", "no").code == 0
    for path in ("guides/a.md", "guides/b.md", "guides/c.md"):
        assert "to stop being asked" not in approved(project, path)
    for path in (".github/a.yml", ".github/b.yml", ".github/c.yml"):
        assert "to stop being asked" not in approved(project, path)
