"""The page of operations: each example is run, and every operation and warning has its place."""

from __future__ import annotations

import json
import re

from penstock.core.rule_edit.edit import checked, edited, parse_operation, told
from penstock.core.rule_edit.operation import KEYS
from penstock.core.rule_edit.warnings import KINDS
from tests import REPOSITORY

PAGE = REPOSITORY / "docs" / "reference" / "rule-edits.md"
FILE = "rules.toml"
BLOCK = re.compile(r"```(toml|json|text)\n(.*?)```", re.DOTALL)


def test_every_example_does_what_the_page_says() -> None:
    (_, text), *examples = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    data = text.encode()
    ran = []
    for (kind, asked), (_, said) in zip(examples[::2], examples[1::2], strict=True):
        assert kind == "json"
        operation = parse_operation(json.loads(asked))
        made = edited({FILE: data}, operation)
        others = {FILE: data, "team.toml": b""}
        assert checked(others.get, FILE, made, operation).blocking == ()
        assert [told(one, dry_run=False) for one in made.changes] == said.splitlines()
        data = made.texts.get(FILE, data)
        ran.append(operation.type)
    assert set(ran) == set(KEYS) - {"rollback"}


def test_every_operation_and_every_warning_is_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    headings = " ".join(re.findall(r"^## (.*)$", page, re.MULTILINE))
    assert all(name in headings for name in KEYS)
    own = {"rule_overlap", "shadowed_rule", "broad_pattern", "performance_impact", "dialect_change"}
    assert all(f"| `{name}` |" in page for name in own | {kind for _, kind in KINDS})
