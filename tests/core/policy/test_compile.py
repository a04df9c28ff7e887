"""The hook's fast path never differs from the engine."""

from __future__ import annotations

import marshal
import subprocess
import sys
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.model import COVERS, Action, Change, ChangeKind, Request, Target, Verdict
from penstock.core.policy import fast_decide
from penstock.core.policy.compile import compile_policy, dump, load
from penstock.core.policy.decide import decide
from penstock.core.policy.fast_decide import FORMAT
from penstock.core.policy.model import DEFAULTS, Layer, Policy, Warn
from penstock.core.policy.rule import FieldMatch, Rule
from penstock.core.rules.load import build, load_preset

GLOBS = ["**", "src/**", "**/.env*", "*.md", ".git/**", "**/*.pem", "docs/*.md", "src/app.py"]
PATHS = ["src/app.py", ".env", "docs/a.md", "README.md", "a/b/x.pem", ".git/config", "other"]
WRITING = [Action.WRITE, Action.CREATE, Action.DELETE]


@st.composite
def rules(draw: st.DrawFn, at: int) -> Rule:
    warns = draw(st.booleans())
    command = FieldMatch(name=draw(st.sampled_from(["command", "program"])), regex="x")
    paths = tuple(draw(st.lists(st.sampled_from(GLOBS), max_size=2)))
    within = tuple(draw(st.lists(st.sampled_from(GLOBS), max_size=1)))
    return Rule(
        id=f"r{at}",
        verdict=None if warns else draw(st.sampled_from([None, *Verdict])),
        warns=warns,
        actions=draw(st.sampled_from([*COVERS.values(), frozenset(Action)])),
        paths=paths,
        within=within if paths else (),
        not_paths=tuple(draw(st.lists(st.sampled_from(GLOBS), max_size=1))),
        tool=draw(st.sampled_from(["", "", "Write", "Bash"])),
        fields=draw(st.sampled_from([(), (), (command,)])),
        line_threshold=draw(st.sampled_from([None, None, 0, 5, 100])),
        change_threshold=draw(st.sampled_from([None, None, 0.5])),
        max_bytes=draw(st.sampled_from([None, None, 10])),
        tree=draw(st.sampled_from([False, False, True])),
        inside=draw(st.sampled_from([False, False, True])),
        beyond=draw(st.sampled_from([False, False, True])),
        uncommitted=draw(st.sampled_from([False, False, True])),
        not_by=draw(st.sampled_from([(), (), ("git",)])),
        reason=draw(st.sampled_from(["", "no {path}", "{deleted} lost"])),
        instead=draw(st.sampled_from(["", "ask a person"])),
        note=draw(st.sampled_from(["", "mind {path}"])),
        code=draw(st.sampled_from(["", "path-denied"])),
        enabled=draw(st.sampled_from([True, True, False])),
        expires_at=draw(st.sampled_from([None, None, 50.0, 150.0])),
    )


@st.composite
def layers(draw: st.DrawFn) -> Layer:
    count = draw(st.integers(0, 4))
    default = draw(st.sampled_from([Verdict.ALLOW, Verdict.ALLOW, Verdict.ASK, Verdict.DENY]))
    return Layer(
        name="x",
        rules=tuple(draw(rules(at)) for at in range(count)),
        defaults={**DEFAULTS, Action.WRITE: default},
        warn=draw(st.sampled_from(list(Warn))),
    )


policies = st.builds(
    lambda found: Policy(layers=tuple(found), revision="r"), st.lists(layers(), max_size=2)
)


def change_of(existing: int, lost: int, size: int) -> Change:
    kind = ChangeKind.REPLACE if existing else ChangeKind.NEW
    return Change(
        kind=kind,
        existing_lines=existing,
        lines_deleted=lost,
        change_ratio=lost / existing if existing else 0.0,
        after_size=size,
    )


def long_way(
    policy: Policy, action: Action, judged: Sequence[str], tight: Sequence[str], change: Change
) -> tuple[object, ...]:
    target = Target(shown=judged[0], judged=tuple(judged), tightening=tuple(tight))
    request = Request(action=action, tool="Write", target=target, change=change)
    decision = decide(request, policy, now=100.0)
    if decision.verdict is Verdict.DENY:
        return (fast_decide.DENY, decision.because, decision.code, decision.suggestion)
    verdict = "granted" if decision.granted else str(decision.verdict)
    return (verdict, *decision.notes)


@given(
    policies,
    st.sampled_from(WRITING),
    st.lists(st.sampled_from(PATHS), min_size=1, max_size=2, unique=True),
    st.lists(st.sampled_from(PATHS), max_size=2),
    st.integers(0, 120).flatmap(lambda lines: st.tuples(st.just(lines), st.integers(0, lines))),
    st.integers(0, 20),
)
@settings(max_examples=400, deadline=None)
def test_a_short_answer_is_the_answer_of_the_long_way(
    policy: Policy,
    action: Action,
    judged: list[str],
    tight: list[str],
    lines: tuple[int, int],
    size: int,
) -> None:
    compiled = load(dump(policy))
    assert compiled is not None
    existing, lost = lines
    share = lost / existing if existing else 0.0
    said = fast_decide.answer(
        compiled, action, judged, tight, most_lines=existing, most_lost=share, size=size
    )
    if said is None:
        return
    expected = long_way(policy, action, judged, tight, change_of(existing, lost, size))
    shown = [text.replace("{path}", judged[0]) for text in (said.reason, *said.notes)]
    if said.verdict == fast_decide.DENY:
        assert (said.verdict, shown[0], said.code, said.instead) == expected
    else:
        assert (said.verdict, *shown[1:]) == expected


def guard_like() -> Policy:
    deny = Rule(id="secret", verdict=Verdict.DENY, paths=("**/.env*",), reason="no {path}")
    safe = Rule(id="safe", paths=("docs/**",))
    told = Rule(id="told", warns=True, paths=("lib/**",), note="mind {path}")
    big = Rule(id="big", verdict=Verdict.ASK, line_threshold=100, change_threshold=0.5)
    return Policy(layers=(Layer(name="p", rules=(deny, safe, told, big)),), revision="r")


def test_the_common_cases_do_take_the_short_way() -> None:
    compiled = compile_policy(guard_like())

    def ask(path: str, lines: int, lost: float = 1.0) -> str:
        said = fast_decide.answer(
            compiled, "write", [path], [], most_lines=lines, most_lost=lost, size=1
        )
        return "long" if said is None else " ".join([said.verdict, *said.notes])

    assert ask("src/new.py", 0) == "allow"
    assert ask("docs/new.md", 0) == "allow"
    assert ask("lib/new.py", 0) == "allow mind {path}"
    assert ask("src/small.py", 99) == "allow"
    assert ask("src/large.py", 100) == "long"
    assert ask("src/large.py", 100, 0.49) == "allow", "little of it is lost"
    assert ask("a/.env", 0) == "deny"


GUARD_ROWS = [
    # path, action, the short answer
    (".env", "write", "deny"),
    ("a/.env.local", "create", "deny"),
    (".env", "read", "deny"),
    (".env.example", "write", "allow"),
    (".env.example", "read", "allow"),
    ("keys/server.pem", "write", "deny"),
    ("keys/server.pem", "read", "deny"),
    ("src/secrets/store.py", "read", "allow"),
    ("package-lock.json", "write", "deny"),
    ("node_modules/x/i.js", "create", "deny"),
    (".git/config", "write", "deny"),
    ("src/app.py", "write", "allow"),
    ("src/app.py", "read", "allow"),
    ("README.md", "create", "allow"),
    ("CLAUDE.md", "write", "allow"),
    ("dist/a.js", "create", "allow"),
]


@pytest.mark.parametrize(("path", "action", "expected"), GUARD_ROWS)
def test_guard_answers_by_name_on_the_short_way(path: str, action: str, expected: str) -> None:
    compiled = compile_policy(build(load_preset("guard")))
    said = fast_decide.answer(compiled, action, [path], [], most_lines=9, most_lost=1.0, size=1)
    assert said is not None
    assert said.verdict == expected


def test_a_look_alike_is_heard_by_strict_rules_in_the_short_way_too() -> None:
    compiled = compile_policy(guard_like())
    said = fast_decide.answer(
        compiled, "write", ["x"], [".env"], most_lines=0, most_lost=0.0, size=1
    )
    assert said is not None
    assert (said.verdict, said.rules) == (fast_decide.DENY, ["secret"])


def test_what_is_not_a_compiled_policy_of_this_version_is_none() -> None:
    other = marshal.dumps({"version": FORMAT + 1})
    for data in (b"", b"garbage", marshal.dumps([1]), other, dump(guard_like())[:-3]):
        assert load(data) is None


def test_the_short_way_imports_only_the_matcher() -> None:
    code = (
        "import sys; before = set(sys.modules); import penstock.core.policy.fast_decide;"
        "print(*sorted(set(sys.modules) - before))"
    )
    src = __file__.rsplit("/tests/", 1)[0] + "/src"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {src!r}); {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    allowed = {
        "penstock",
        "penstock.core",
        "penstock.core.paths",
        "penstock.core.paths.globs",
        "penstock.core.policy",
        "penstock.core.policy.fast_decide",
    }
    assert set(done.stdout.split()) <= allowed
