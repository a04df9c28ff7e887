"""Commands for people are found in whatever they are wrapped, and nothing else is taken for one."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from penstock.cli import penstock
from penstock.core.own_commands import (
    FOR_ANYONE,
    FOR_PEOPLE,
    HOOK_PROGRAM,
    PROGRAMS,
    command_for_people,
)
from penstock.core.shell.analyze import writes
from tests.core.shell.own_rows import ATTACKS, BENIGN, rows
from tests.core.shell.own_spellings import LOOKALIKES, SPELLINGS


@pytest.mark.parametrize("command", rows(ATTACKS) + rows(SPELLINGS))
def test_a_command_for_people_is_found(command: str) -> None:
    found = writes(command, cwd="/srv/app").refusals
    assert "penstock-people" in [one.refusal.rule for one in found]


@pytest.mark.parametrize("command", rows(BENIGN) + rows(LOOKALIKES))
def test_what_only_looks_like_one_is_not(command: str) -> None:
    effect = writes(command, cwd="/srv/app")
    assert effect.refusals == ()
    assert not effect.excessive


def commands(group: click.Group, above: str = "") -> Iterator[str]:
    """Walk the names of all commands of the real command line."""
    context = click.Context(group)
    for name in group.list_commands(context):
        yield f"{above}{name}"
        inner = group.get_command(context, name)
        if isinstance(inner, click.Group):
            yield from commands(inner, f"{above}{name} ")


def test_each_command_is_for_people_or_for_anyone() -> None:
    real = set(commands(penstock))
    ours = {name for name in FOR_PEOPLE if "--" not in name} | FOR_ANYONE
    groups = {name for name in real if any(other.startswith(f"{name} ") for other in real)}
    below_people = {name for name in real if name.split()[0] in FOR_PEOPLE and " " in name}
    assert real - ours - below_people == set(), "say whose a new command is in own_commands"
    assert ours - real == set()
    assert groups >= {"rules", "approver", "audit"}


def test_the_command_line_takes_no_shortened_names() -> None:
    context = click.Context(penstock)
    for name in FOR_PEOPLE:
        for end in range(1, len(name.split()[0])):
            short = name[:end]
            assert (
                short in {*FOR_PEOPLE, *FOR_ANYONE} or penstock.get_command(context, short) is None
            )


def test_the_programs_are_those_that_are_installed() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())
    assert set(project["project"]["scripts"]) == {*PROGRAMS, HOOK_PROGRAM}


def test_every_command_for_people_is_found_by_its_name() -> None:
    for name in FOR_PEOPLE:
        assert command_for_people("penstock", name.split()) == name
    for name in FOR_ANYONE:
        assert command_for_people("penstock", name.split()) == "", name
