"""`[witness]`: what commands say about the witnesses that others run, and whose rules count."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from tests.cli.quick import Quick
from tests.cli.test_ship import own_rules
from tests.doors.hook.hooks import Hook
from tests.foreign_witness import ForeignWitness, serving
from tests.project import Project


@pytest.fixture
def quick(project: Project) -> Quick:
    made = Quick(project.root, project.home)
    assert made.run("init", "--agent", "claude", "--yes").code == 0
    Hook(made).write(".env", "KEY=1")
    return made


def pin(quick: Quick, *witnesses: ForeignWitness, require: int) -> None:
    lines = ", ".join(f'"{one.public} {one.url}"' for one in witnesses)
    own_rules(quick, f"[witness]\ncosigners = [{lines}]\nrequire = {require}\n")


def test_commands_say_how_many_of_how_many_cosigned(quick: Quick) -> None:
    names = [f"witness.example/w{number}" for number in range(3)]
    witnesses = [ForeignWitness(name) for name in names]
    key = quick.run("audit", "checkpoint", "--json").json["key"]
    for one in witnesses:
        one.trust(key)
    with ExitStack() as stack:
        for one in witnesses:
            stack.enter_context(serving(one))
        pin(quick, *witnesses, require=2)
        assert "cosigned by 0 of 3 witnesses (2 required)" in quick.run("status").out
        assert "cosigned by 0 of 3 witnesses (2 required)" in quick.run("doctor").out
        witnesses[2].logs.clear()
        done = quick.run("audit", "checkpoint")
        assert done.code == 0, done.err
        assert f"witness {names[2]}: error[witness-refused]: " in done.err
        assert "cosigned by 2 of 3 witnesses (2 required), up to entry " in done.err
        verified = quick.run("audit", "verify", "--json")
        assert verified.code == 0
        found = verified.json["cosigned"]
        assert (found["by"], found["of"], found["require"]) == (2, 3, 2)
        assert verified.json["level"] == "witness"
        assert "cosigned by 2 of 3 witnesses" in quick.run("audit", "verify").out
        assert "cosigned by 2 of 3" in quick.run("status").out
        assert quick.run("status", "--json").json["cosigned"] == found
        assert "cosigned by 2 of 3" in quick.run("doctor").out
    Hook(quick).write(".env", "KEY=2")
    done = quick.run("audit", "checkpoint")
    assert done.code == 1, "nobody is there, and a new checkpoint was signed"
    assert done.err.count("error[witness-unreachable]") == 3
    assert quick.run("audit", "verify").code == 0, "the log itself is intact"


def test_a_project_names_no_witness(quick: Quick) -> None:
    with serving(ForeignWitness()) as witness:
        text = f'[witness]\ncosigners = ["{witness.public} {witness.url}"]\n'
        rules = quick.root / "penstock.toml"
        rules.write_text(f"{rules.read_text()}\n{text}")
        done = quick.run("audit", "checkpoint")
        assert done.code == 0
        assert f"ignored: [witness] in {rules}; put it into your own rules" in done.err
        assert not witness.requests


@pytest.mark.parametrize(
    ("cosigners", "said"),
    [
        ('["https://w.example"]', "a key and an address"),
        ("[{0}, {0}]", "one key twice"),
        ("[" + "{0}, " * 17 + "]", "more than 16"),
    ],
)
def test_a_witness_that_cannot_be_one_is_a_mistake_in_the_rules(
    quick: Quick, cosigners: str, said: str
) -> None:
    one = f'"{ForeignWitness().public} https://w.example"'
    own_rules(quick, f"[witness]\ncosigners = {cosigners.format(one)}\n")
    done = quick.run("check")
    assert done.code == 1
    assert said in done.out + done.err
