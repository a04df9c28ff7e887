"""Lines of the specifications that have no table of their own: each is one test."""

from __future__ import annotations

import tomllib

import pytest

from tests import REPOSITORY
from tests.doors.broker.brokers import bench, status


def test_denied_and_failed_requests_are_logged_with_their_status() -> None:
    """B21: who reads the log sees what was refused."""
    with bench() as here:
        asked = [
            here.ask("write_file", path=".env", content="x\n"),
            here.ask("read_file", path="src/none.py"),
            here.apply("src/a.py", "hitl-unknown"),
        ]
        logged = [(line["op"], line["path"], line["status"]) for line in here.log()]
    assert [status(one) for one in asked] == ["denied", "error", "error"]
    assert logged == [
        ("write_file_propose", ".env", "denied"),
        ("read_file", "src/none.py", "error"),
        ("write_file_apply", "src/a.py", "error"),
    ]


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("Makefile", "test: lint unit"),
        ("Makefile", "$(BIN)/ruff check ."),
        ("Makefile", "$(BIN)/mypy\n"),
        ("Makefile", "tools/house.py"),
        ("tools/unit", "--fail-under=95"),
    ],
)
def test_types_layers_and_coverage_are_part_of_make_test(file: str, said: str) -> None:
    """S0-122, S0-123: the figures are measured by `make test`; here is what it asks for."""
    assert said in (REPOSITORY / file).read_text(encoding="utf-8")
    tool = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    assert tool["mypy"]["strict"] is True
    assert tool["coverage"]["run"] == {
        "branch": True,
        "source": ["penstock.core"],
        "parallel": True,
    }
