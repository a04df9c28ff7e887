"""A policy that was kept as plain values is the policy that it was."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.model import Action, Request, Target
from penstock.core.policy.decide import decide
from penstock.core.policy.model import Policy
from penstock.core.policy.plain import packed, unpacked
from penstock.core.rules.layers import build
from penstock.core.rules.load import load_preset, parse_policy
from penstock.presets import FILES

RULES = [
    '[[allow]]\nid = "npm"\ntool = "Bash"\ncommand_regex = "^npm"\ncommand_exclude_regex = "x"\n',
    '[[deny]]\nid = "s"\npaths = ["secrets/**"]\nnot_paths = ["secrets/a"]\nreason = "no"\n',
    '[[ask]]\nid = "l"\npaths = ["**"]\nsubstantial = true\nexpires_at = 2030-01-01T00:00:00Z\n',
    '[[warn]]\nid = "w"\npaths = ["src/**"]\nnote = "{path}"\n',
    '[[deny]]\nid = "t"\ntool_regex = "^mcp__"\ntool_exclude_regex = "_get$"\nactions = ["run"]\n',
    '[[deny]]\nid = "k"\npaths = ["*.lock"]\nkinds = ["replace"]\nmax_bytes = 9\nenabled = false\n',
    '[[allow]]\nid = "e"\ntool = "Bash"\ncommand_regex = "^e$"\nmatch = ["e"]\nnot_match = ["f"]\n',
    '[[deny]]\nid = "u"\ntool = "Task"\nsubagent_type = "x"\nactions = ["run"]\n',
]
TOP = 'outside_project = "ask"\n'
TABLES = """
[defaults]
run = "ask"
unclear = "deny"
warn = "ask"
[limits]
max_write_bytes = 7
max_chain_length = 3
"""


def kept(policy: Policy) -> Policy:
    return unpacked(json.loads(json.dumps(packed(policy))))


DECIDING = ("layers", "revision", "files", "guarded", "limits", "gate", "advisor", "degraded")


def deciding(policy: Policy) -> list[object]:
    """What is kept of a policy: all that decides."""
    return [getattr(policy, name) for name in DECIDING]


@pytest.mark.parametrize("name", sorted(FILES))
def test_every_preset_comes_back_as_it_was(name: str) -> None:
    policy = build(load_preset(name))
    assert deciding(kept(policy)) == deciding(policy)


@given(chosen=st.sets(st.sampled_from(RULES)), tables=st.booleans())
@settings(deadline=None, max_examples=60)
def test_any_policy_comes_back_and_decides_the_same(chosen: set[str], tables: bool) -> None:
    policy = parse_policy(
        (TOP if tables else "") + "".join(sorted(chosen)) + (TABLES if tables else "")
    )
    again = kept(policy)
    assert deciding(again) == deciding(policy)
    for request in (
        Request(action=Action.RUN, tool="Bash", tool_input={"command": "npm i"}, leaves=("npm i",)),
        Request(action=Action.WRITE, target=Target(shown="secrets/b", judged=("secrets/b",))),
        Request(action=Action.RUN, tool="mcp__a", tool_input={}),
    ):
        assert decide(request, again, now=0.0) == decide(request, policy, now=0.0)


def test_a_degraded_policy_says_so_still() -> None:
    policy = replace(parse_policy(""), degraded="it is broken")
    assert kept(policy).degraded == "it is broken"
