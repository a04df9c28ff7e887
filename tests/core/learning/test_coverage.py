"""What a rule covers, shares and misses, asked of the rule itself."""

from __future__ import annotations

import pytest

from penstock.core.learning.coverage import (
    Overlap,
    meets,
    overlaps,
    request_for,
    samples,
    stale,
    variants,
)
from penstock.core.model import Verdict
from penstock.core.policy.model import Policy
from penstock.core.policy.rule import Rule
from penstock.core.rules.load import parse_policy

NPM = '[[allow]]\nid = "npm"\ntool = "Bash"\ncommand_regex = "^npm install"\n'
LEFT = '[[allow]]\nid = "left"\ntool = "Bash"\ncommand_regex = "^npm install left"\n'
NO_NPM = '[[deny]]\nid = "no-npm"\ntool = "Bash"\ncommand_regex = "npm install"\n'
SRC = '[[allow]]\nid = "src"\npaths = ["src/**"]\n'
DEEP = '[[allow]]\nid = "deep"\npaths = ["src/deep/*.py"]\n'
ANY_BASH = '[[deny]]\nid = "bash"\ntool = "Bash"\n'


def named(policy: Policy, name: str) -> Rule:
    return next(rule for layer in policy.layers for rule in layer.rules if rule.id == name)


def test_samples_of_a_rule_begin_with_its_own_examples() -> None:
    policy = parse_policy(NPM + 'match = ["npm install left-pad"]\n' + SRC)
    layer = policy.layers[0]
    assert samples(named(policy, "npm"), layer)[0] == "npm install left-pad"
    assert all(text.startswith("src/") for text in samples(named(policy, "src"), layer))
    exact = parse_policy(
        '[[deny]]\nid = "t"\ntool = "Task"\nsubagent_type = "x"\nactions = ["run"]\n'
    )
    assert samples(named(exact, "t"), exact.layers[0]) == ["x"]


def test_rules_that_share_a_call_overlap() -> None:
    policy = parse_policy(NPM + LEFT + NO_NPM + SRC + DEEP)
    layer = policy.layers[0]
    found = {one.id: one for one in overlaps([named(policy, "left")], policy, layer)}
    assert set(found) == {"npm", "no-npm"}
    assert found["npm"].all_of
    assert (found["no-npm"].type, found["no-npm"].examples) == ("deny", ("npm install left",))
    assert found["npm"].document()["relation"] == "covers every sample of this rule"
    assert [one.id for one in overlaps([named(policy, "deep")], policy, layer)] == ["src"]
    assert [one.id for one in overlaps([named(policy, "src")], policy, layer)] == []
    assert isinstance(found["npm"], Overlap)


def test_what_an_attacker_makes_of_a_call_is_tried() -> None:
    policy = parse_policy(NPM + SRC)
    rule, layer = named(policy, "npm"), policy.layers[0]
    added = dict(variants(rule, "npm install", Verdict.ALLOW))
    assert "npm install\nrm -rf ~" in added
    assert "npm install > ~/.bashrc" in added
    disguised = dict(variants(rule, "rm -rf x", Verdict.DENY))
    assert "sudo rm -rf x" in disguised
    assert "rm -r -f x" in disguised
    assert "r''m -rf x" in disguised
    assert not meets(rule, request_for(rule, "npm  install"), layer, now=0.0)
    paths = [text for text, _ in variants(named(policy, "src"), "src/a", Verdict.ALLOW)]
    assert paths == ["src/./a", "src//a", "x/../src/a", "SRC/A"]
    assert next(variants(named(policy, "src"), "a", None))[0] == "./a"


@pytest.mark.parametrize(
    ("text", "name", "why"),
    [
        (NPM + LEFT, "left", "shadowed"),
        (NPM + LEFT, "npm", "never_hit"),
        (NO_NPM + LEFT, "left", "shadowed"),  # a denial leaves an allowing rule nothing
        (LEFT + NO_NPM, "left", "shadowed"),  # wherever it stands
        (NPM + ANY_BASH, "npm", "shadowed"),
        (SRC + DEEP, "deep", "shadowed"),
        (NPM + "expires_at = 2020-01-01T00:00:00Z\n", "npm", "expired"),
        (NPM + "enabled = false\n", "npm", "disabled"),
        (SRC + 'not_paths = ["src/deep/**"]\n' + DEEP, "deep", "never_hit"),
        # What only looks covered is not called so: the other one excludes something.
        (NPM + 'command_exclude_regex = "--global"\n' + LEFT, "left", "never_hit"),
        (LEFT + NO_NPM.replace("deny", "ask"), "left", "never_hit"),  # the person may say yes
    ],
)
def test_rules_that_do_nothing_are_told_with_the_reason(text: str, name: str, why: str) -> None:
    found = {one.id: one for one in stale(parse_policy(text), {}, now=1.9e9, seen=10)}
    assert found[name].why == why
    document = found[name].document()
    assert document["source_file"] == "penstock.toml"
    assert document["message"]


def test_a_rule_that_was_hit_is_not_stale_and_without_a_past_none_is_unhit() -> None:
    policy = parse_policy(NPM + SRC)
    files = ["penstock.toml"]
    assert [one.id for one in stale(policy, {"npm": 3}, now=0.0, files=files, seen=5)] == ["src"]
    assert stale(policy, {}, now=0.0, files=files) == []
    assert stale(policy, {}, now=0.0, files=["other"], seen=5) == []


def test_a_rule_about_the_size_of_a_change_is_no_shadow() -> None:
    text = '[[deny]]\nid = "large"\npaths = ["**"]\nmax_bytes = 10\n' + SRC
    assert (
        stale(parse_policy(text), {"src": 1, "large": 1}, now=0.0, files=["penstock.toml"], seen=9)
        == []
    )
