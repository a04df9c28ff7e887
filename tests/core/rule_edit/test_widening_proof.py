"""When nothing is said to widen, no request is answered more leniently than before."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from penstock.core.model import Action, Change, ChangeKind, Decision, Request, Target, Verdict
from penstock.core.policy.decide import decide
from penstock.core.policy.model import Policy
from penstock.core.rule_edit.edit import widens
from penstock.core.rules import load

NOW = 1_800_000_000.0
HOOK = "claude-code-permissions-hook.toml"
OWN = "penstock.toml"

REGEX = st.sampled_from(["^ls", "^l", "x", "-l$", ".*"])
GLOBS = st.lists(st.sampled_from(["a/**", "a/b", "**", "c"]), min_size=1, max_size=2, unique=True)
WORDS = {"description": st.just("words"), "reason": st.just("because")}
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "command_regex": REGEX,
    "command_exclude_regex": REGEX,
    "file_path_regex": REGEX,
    **WORDS,
}
OURS: dict[str, st.SearchStrategy[Any]] = {
    "enabled": st.booleans(),
    "expires_at": st.sampled_from(["2000-01-01", "2100-01-01"]),
    "actions": st.sampled_from([["write"], ["read"], ["run"], ["create"]]),
    "kinds": st.sampled_from([["replace"], ["modify"]]),
    "line_threshold": st.sampled_from([1, 50, 500]),
}
COMMANDS = st.fixed_dictionaries({"tool": st.sampled_from(["Bash", "Read"])}, optional=FIELDS)
BY_PATH = st.fixed_dictionaries(
    {"paths": GLOBS},
    optional={"not_paths": GLOBS, "within": GLOBS, **WORDS, **OURS, "substantial": st.just(True)},
)
BY_TOOL = st.fixed_dictionaries(
    {"tool": st.sampled_from(["Bash", "Read"])}, optional={**FIELDS, **OURS}
)
VERDICTS = st.sampled_from(["allow", "ask", "deny"])


def documents(rule: st.SearchStrategy[Any], kinds: tuple[str, ...]) -> st.SearchStrategy[Any]:
    """Some rules, each with the table that it is in; names are given in order."""
    return st.lists(st.tuples(st.sampled_from(kinds), rule), min_size=1, max_size=3)


def written(found: list[tuple[str, dict[str, Any]]], head: str) -> str:
    out = [head]
    for number, (kind, rule) in enumerate(found):
        lines = [f"{key} = {json.dumps(value)}" for key, value in rule.items()]
        out.append("\n".join([f"[[{kind}]]", f'id = "r{number}"', *lines]))
    return "\n".join(out) + "\n"


def changed(
    found: list[tuple[str, dict[str, Any]]], other: list[tuple[str, dict[str, Any]]], how: int
) -> list[tuple[str, dict[str, Any]]]:
    """Return rules that are partly the same: one key more, less or other, or a rule."""
    at = how % len(found)
    kind, rule = found[at]
    _, donor = other[how % len(other)]
    if how % 5 == 0:
        return [*found[:at], *found[at + 1 :]]
    if how % 5 == 1:
        return [*found, other[0]]
    key = sorted({*rule, *donor})[how % len({*rule, *donor})]
    mixed = {name: value for name, value in rule.items() if name != key}
    if key in donor and how % 5 != 2:
        mixed[key] = donor[key]
    return [*found[:at], (kind, mixed), *found[at + 1 :]]


def requests() -> list[Request]:
    change = Change(
        kind=ChangeKind.REPLACE, existing_lines=200, lines_deleted=150, change_ratio=0.75
    )
    paths = ["a/b", "a/d", "c", "z/x"]
    made = [
        Request(
            action=action,
            tool="Read" if action is Action.READ else "Write",
            tool_input={"file_path": path},
            target=Target(shown=path, judged=(path,)),
            change=change if action is Action.WRITE else None,
        )
        for action in (Action.READ, Action.WRITE, Action.CREATE)
        for path in paths
    ]
    for command in ("ls -l", "ls x", "rm x", "less"):
        made.append(
            Request(
                action=Action.RUN, tool="Bash", tool_input={"command": command}, leaves=(command,)
            )
        )
    made.append(
        Request(
            action=Action.RUN,
            tool="Bash",
            tool_input={"command": "ls; rm x"},
            leaves=("ls", "rm x"),
        )
    )
    return made


REQUESTS = requests()


def leniency(decision: Decision) -> int:
    order = {Verdict.DENY: 0, Verdict.ASK: 1, Verdict.ALLOW: 2}
    return order[decision.verdict] + (decision.verdict is Verdict.ALLOW and decision.granted)


def check(file: str, before: str, after: str) -> None:
    policies: list[Policy] = []
    for text in (before, after):
        loaded = load.load(file, {file: text.encode()}.get)
        assume(loaded.ok)
        policies.append(load.build(loaded))
    if widens({file: before.encode()}, {file: after.encode()}):
        return
    for request in REQUESTS:
        was, now = (leniency(decide(request, policy, now=NOW)) for policy in policies)
        assert now <= was, (request, before, after)


HOW = st.integers(0, 10_000)


@settings(max_examples=250, deadline=None)
@given(
    documents(st.one_of(BY_PATH, BY_TOOL), ("allow", "deny", "ask", "warn", "safe")),
    documents(st.one_of(BY_PATH, BY_TOOL), ("allow", "deny", "ask", "warn", "safe")),
    HOW,
    VERDICTS,
    VERDICTS,
)
def test_no_edit_of_our_own_format_loosens_in_silence(
    found: Any, other: Any, how: int, write: str, warn: str
) -> None:
    head = f'warn = "{warn}"\n[defaults]\nwrite = "{write}"\nrun = "{write}"\n'
    check(OWN, written(found, head), written(changed(found, other, how), head))


@settings(max_examples=250, deadline=None)
@given(documents(COMMANDS, ("allow", "deny")), documents(COMMANDS, ("allow", "deny")), HOW)
def test_no_edit_of_the_originals_format_loosens_in_silence(
    found: Any, other: Any, how: int
) -> None:
    head = '[logging]\nlog_file = "x"\n'
    check(HOOK, written(found, head), written(changed(found, other, how), head))


def test_surely_stricter_edits_are_silent_often_enough() -> None:
    """A check that always says "widens" would pass the others."""
    head = '[defaults]\nwrite = "ask"\n'
    rule = ("deny", {"paths": ["a/**"]})
    before = written([rule], head).encode()
    assert widens({OWN: before}, {OWN: written([rule, rule], head).encode()}) == ()
