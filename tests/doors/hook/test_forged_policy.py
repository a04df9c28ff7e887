"""A compiled policy that somebody exchanged is noticed before it is made anew."""

from __future__ import annotations

import marshal
from pathlib import Path

import pytest

from tests.doors.hook.hooks import Hook, said
from tests.project import Project

FORGERIES = {
    "no layers": lambda policy: {**policy, "layers": []},
    "no layers, no stamps": lambda policy: {**policy, "layers": [], "stamps": []},
    "nothing is recorded": lambda policy: {**policy, "level": "off"},
}


@pytest.fixture
def hook(project: Project) -> Hook:
    project.write("penstock.toml", 'preset = "guard"\n')
    found = Hook(project)
    assert said(found.write("notes.txt", "x")) == {}
    return found


def compiled(hook: Hook) -> Path:
    (found,) = (hook.project.home / "state" / "penstock").glob("*/hook.policy")
    return found


@pytest.mark.parametrize("why", FORGERIES)
def test_doctor_notices_a_forged_compiled_policy_before_it_is_made_anew(
    hook: Hook, why: str
) -> None:
    place = compiled(hook)
    good = place.read_bytes()
    place.write_bytes(marshal.dumps(FORGERIES[why](marshal.loads(good))))
    told = hook.project.run("doctor", "--json").out
    assert "did not match the rules" in told
    assert marshal.loads(place.read_bytes()) == marshal.loads(good), "made anew"
    assert "did not match the rules" not in hook.project.run("doctor", "--json").out


def test_doctor_takes_neither_a_good_one_nor_an_old_one_for_a_forgery(hook: Hook) -> None:
    assert "did not match the rules" not in hook.project.run("doctor", "--json").out
    hook.project.write("penstock.toml", 'preset = "guard"\n[[deny]]\npaths = ["x/**"]\n')
    assert "did not match the rules" not in hook.project.run("doctor", "--json").out
    compiled(hook).write_bytes(b"torn")
    assert "did not match the rules" not in hook.project.run("doctor", "--json").out
