"""How rules become decisions. Each table row is a sentence of the manual."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from penstock.core.model import (
    COVERS,
    STRICTNESS,
    Action,
    Change,
    ChangeKind,
    Decision,
    Request,
    Target,
    Verdict,
    strictest,
)
from penstock.core.policy.decide import combine, decide
from penstock.core.policy.model import DEFAULTS, Layer, Limits, Policy, Warn
from penstock.core.policy.rule import FieldMatch, Rule
from penstock.core.policy.sentences import filled

ALLOW, ASK, DENY = Verdict.ALLOW, Verdict.ASK, Verdict.DENY
ANY = frozenset(Action)
NOW = 1_800_000_000.0


def policy(*rules: Rule, **layer: object) -> Policy:
    return Policy(layers=(Layer(name="project", rules=rules, **layer),), revision="sha256:1")  # type: ignore[arg-type]


def write(path: str, **more: object) -> Request:
    target = Target(shown=path, judged=(path,))
    return Request(action=Action.WRITE, tool="Write", target=target, **more)  # type: ignore[arg-type]


def run(command: str, *leaves: str, **more: object) -> Request:
    return Request(
        action=Action.RUN,
        tool="Bash",
        tool_input={"command": command},
        leaves=leaves or (command,),
        **more,  # type: ignore[arg-type]
    )


def verdict_of(request: Request, rules: Policy) -> Verdict:
    return decide(request, rules, now=NOW).verdict


def change(existing: int, deleted: int, *, kind: ChangeKind = ChangeKind.REPLACE) -> Change:
    ratio = deleted / existing if existing else 0.0
    return Change(kind=kind, existing_lines=existing, lines_deleted=deleted, change_ratio=ratio)


class TestStrictestWins:
    def test_the_strictest_of_several_verdicts_wins_and_none_is_allow(self) -> None:
        assert strictest([ALLOW, DENY, ASK]) is DENY
        assert strictest([ALLOW, ASK]) is ASK
        assert strictest([]) is ALLOW

    @given(st.permutations([ALLOW, ASK, DENY]), st.lists(st.sampled_from([ALLOW, ASK, DENY])))
    @settings(deadline=None)
    def test_the_order_of_rules_never_changes_an_answer(
        self, order: list[Verdict], more: list[Verdict]
    ) -> None:
        verdicts = [*order[:1], *more]
        rules = [Rule(id=f"r{at}", verdict=v, paths=("src/**",)) for at, v in enumerate(verdicts)]
        forward = verdict_of(write("src/a"), policy(*rules))
        assert forward is verdict_of(write("src/a"), policy(*reversed(rules)))
        assert forward is strictest(verdicts)

    def test_a_decision_names_every_rule_behind_it_strictest_first(self) -> None:
        rules = policy(
            Rule(id="fine", verdict=ALLOW, paths=("src/**",)),
            Rule(id="never", verdict=DENY, paths=("**/*.pem",), code="path-denied"),
        )
        decision = decide(write("src/x.pem"), rules, now=NOW)
        assert [reason.rule for reason in decision.reasons] == ["never", "fine"]
        assert decision.code == "path-denied"
        assert decision.revision == "sha256:1"

    def test_a_default_answers_only_where_no_rule_does(self) -> None:
        rules = policy(
            Rule(id="fine", verdict=ALLOW, paths=("docs/**",)),
            defaults={**DEFAULTS, Action.WRITE: ASK},
        )
        assert verdict_of(write("docs/a"), rules) is ALLOW
        decision = decide(write("src/a"), rules, now=NOW)
        assert decision.verdict is ASK
        assert decision.reasons[0].rule == "default.write"

    def test_a_default_never_grants_and_a_rule_does(self) -> None:
        rules = policy(Rule(id="fine", verdict=ALLOW, paths=("docs/**",)))
        assert decide(write("docs/a"), rules, now=NOW).granted
        assert not decide(write("src/a"), rules, now=NOW).granted


class TestNobodyToAsk:
    def test_unattended_asks_become_denials_that_say_why(self) -> None:
        rules = policy(Rule(id="look", verdict=ASK, paths=("**",), reason="look at {path}"))
        decision = decide(write("a", attended=False), rules, now=NOW)
        assert decision.verdict is DENY
        assert decision.because == "look at a; denied: this session is non-interactive"
        assert decision.code == "unattended"

    def test_unattended_leaves_allow_and_deny_alone(self) -> None:
        rules = policy(Rule(id="never", verdict=DENY, paths=("a",), reason="no"))
        assert decide(write("a", attended=False), rules, now=NOW).because == "no"
        assert verdict_of(write("b", attended=False), rules) is ALLOW


class TestActions:
    @pytest.mark.parametrize(
        ("said", "asked", "applies"),
        [
            (Action.WRITE, Action.WRITE, True),
            (Action.WRITE, Action.CREATE, True),
            (Action.WRITE, Action.DELETE, True),
            (Action.WRITE, Action.READ, False),
            (Action.CREATE, Action.CREATE, True),
            (Action.CREATE, Action.WRITE, False),
            (Action.DELETE, Action.DELETE, True),
            (Action.DELETE, Action.CREATE, False),
            (Action.READ, Action.READ, True),
            (Action.READ, Action.WRITE, False),
        ],
    )
    def test_write_speaks_of_every_way_to_change_a_file(
        self, said: Action, asked: Action, applies: bool
    ) -> None:
        rules = policy(Rule(id="r", verdict=DENY, paths=("a",), actions=COVERS[said]))
        assert verdict_of(replace(write("a"), action=asked), rules) is (DENY if applies else ALLOW)


class TestSpellings:
    def test_each_judged_spelling_counts_and_the_strictest_wins(self) -> None:
        rules = policy(Rule(id="never", verdict=DENY, paths=("**/.env",)))
        linked = Target(shown="docs/x", judged=("docs/x", ".env"))
        assert verdict_of(replace(write("docs/x"), target=linked), rules) is DENY

    def test_an_allowed_spelling_does_not_open_another(self) -> None:
        rules = policy(
            Rule(id="fine", verdict=ALLOW, paths=("docs/**",)),
            defaults={**DEFAULTS, Action.WRITE: ASK},
        )
        linked = Target(shown="docs/x", judged=("docs/x", "src/x"))
        decision = decide(replace(write("docs/x"), target=linked), rules, now=NOW)
        assert decision.verdict is ASK
        assert not decision.granted

    def test_a_grant_needs_a_rule_for_each_spelling(self) -> None:
        rules = policy(Rule(id="fine", verdict=ALLOW, paths=("docs/**",)))
        linked = Target(shown="docs/x", judged=("docs/x", "src/x"))
        decision = decide(replace(write("docs/x"), target=linked), rules, now=NOW)
        assert decision.verdict is ALLOW
        assert not decision.granted

    def test_a_tightening_spelling_is_heard_by_strict_rules_only(self) -> None:
        rules = policy(
            Rule(id="never", verdict=DENY, paths=(".git/**",)),
            Rule(id="fine", verdict=ALLOW, paths=("docs/**",)),
            defaults={**DEFAULTS, Action.WRITE: ASK},
        )
        look_alike = Target(
            shown="GIT~1/config", judged=("GIT~1/config",), tightening=(".git/config",)
        )
        assert verdict_of(replace(write(""), target=look_alike), rules) is DENY
        dotted = Target(shown="docs/../x", judged=("x",), tightening=("docs/../x",))
        assert verdict_of(replace(write(""), target=dotted), rules) is ASK

    def test_where_the_disk_folds_case_protected_names_fold_too(self) -> None:
        rules = policy(Rule(id="never", verdict=DENY, paths=("Secrets/**",)))
        for folds, expected in ((True, DENY), (False, ALLOW)):
            target = Target(shown="sECRETS/a", judged=("sECRETS/a",), folds=folds)
            assert verdict_of(replace(write(""), target=target), rules) is expected

    def test_where_the_disk_folds_case_allowed_names_do_not(self) -> None:
        rules = policy(
            Rule(id="fine", verdict=ALLOW, paths=("docs/**",)),
            defaults={**DEFAULTS, Action.WRITE: ASK},
        )
        target = Target(shown="DOCS/a", judged=("DOCS/a",), folds=True)
        assert verdict_of(replace(write(""), target=target), rules) is ASK


class TestOutside:
    PATH = Target(shown="/home/me/.env", judged=("/home/me/.env",), outside=True)
    ELSEWHERE = Target(shown="/home/me/x", judged=("/home/me/x",), outside=True)

    @pytest.mark.parametrize("setting", [None, ASK, DENY])
    def test_a_path_outside_gets_what_the_policy_says_of_outside(
        self, setting: Verdict | None
    ) -> None:
        rules = policy(outside=setting)
        request = replace(write(""), target=self.ELSEWHERE)
        assert verdict_of(request, rules) is (setting or ALLOW)

    def test_patterns_for_any_depth_reach_outside_and_others_do_not(self) -> None:
        rules = policy(Rule(id="never", verdict=DENY, paths=("**/.env",)))
        assert verdict_of(replace(write(""), target=self.PATH), rules) is DENY
        rules = policy(Rule(id="never", verdict=DENY, paths=("home/**", "*", ".env")))
        assert verdict_of(replace(write(""), target=self.PATH), rules) is ALLOW


class TestWarnings:
    RULE = Rule(id="prod", warns=True, paths=("src/**",), note="Production path: {path}")

    @pytest.mark.parametrize(
        ("warn", "verdict", "granted"),
        [
            (Warn.CONTEXT, ALLOW, False),
            (Warn.ALLOW, ALLOW, True),
            (Warn.ASK, ASK, False),
            (Warn.DENY, DENY, False),
        ],
    )
    def test_a_note_is_a_note_and_grants_only_where_the_policy_says_so(
        self, warn: Warn, verdict: Verdict, granted: bool
    ) -> None:
        decision = decide(write("src/a"), policy(self.RULE, warn=warn), now=NOW)
        assert (decision.verdict, decision.granted) == (verdict, granted)
        assert decision.notes == ("Production path: src/a",)


class TestChanges:
    BIG = Rule(id="big", verdict=ASK, line_threshold=100, change_threshold=0.5)

    @pytest.mark.parametrize(
        ("existing", "deleted", "verdict", "why"),
        [
            (50, 50, ALLOW, "S0-042: a small file may be rewritten"),
            (200, 10, ALLOW, "S0-043: a small change of a large file"),
            (270, 216, ASK, "S0-044: most of a large file"),
            (270, 214, ASK, "S0-045: the incident"),
            (100, 50, ASK, "S0-046: exactly at both thresholds"),
            (99, 99, ALLOW, "S0-039: one line below"),
            (100, 49, ALLOW, "S0-040: just below half"),
            (0, 0, ALLOW, "S0-047: an empty file"),
        ],
    )
    def test_a_substantial_change_of_a_substantial_file_asks(
        self, existing: int, deleted: int, verdict: Verdict, why: str
    ) -> None:
        request = write("a.py", change=change(existing, deleted))
        assert verdict_of(request, policy(self.BIG)) is verdict, why

    def test_the_reason_says_what_would_be_lost_and_what_to_do(self) -> None:
        decision = decide(write("a.py", change=change(270, 214)), policy(self.BIG), now=NOW)
        assert "214 of 270 lines removed" in decision.because
        assert decision.suggestion == "edit only the lines that change"

    def test_a_rule_about_changes_is_silent_without_a_measured_change(self) -> None:
        assert verdict_of(write("a.py"), policy(self.BIG)) is ALLOW

    def test_a_size_cap_speaks_above_it_only(self) -> None:
        rules = policy(Rule(id="cap", verdict=DENY, max_bytes=10, code="too-large"))
        for size, expected in ((10, ALLOW), (11, DENY)):
            told = Change(kind=ChangeKind.NEW, after_size=size)
            assert verdict_of(write("a", change=told), rules) is expected

    def test_kinds_narrow_a_rule(self) -> None:
        rules = policy(Rule(id="gone", verdict=ASK, kinds=frozenset({ChangeKind.DELETE})))
        gone = change(5, 5, kind=ChangeKind.DELETE)
        request = replace(write("a", change=gone), action=Action.DELETE)
        assert verdict_of(request, rules) is ASK
        assert verdict_of(write("a", change=change(5, 5)), rules) is ALLOW


def command_rule(verdict: Verdict, regex: str, *, per_leaf: bool = True, **more: object) -> Rule:
    test = FieldMatch(name="command", regex=regex, **more)  # type: ignore[arg-type]
    return Rule(
        id="c", verdict=verdict, tool="Bash", fields=(test,), actions=ANY, per_leaf=per_leaf
    )


class TestCommands:
    def test_an_allowing_rule_must_hold_for_every_simple_command(self) -> None:
        rules = policy(command_rule(ALLOW, "^npm install"), defaults={**DEFAULTS, Action.RUN: ASK})
        assert verdict_of(run("npm install x"), rules) is ALLOW
        chained = run("npm install && rm -rf ~", "npm install", "rm -rf ~")
        assert verdict_of(chained, rules) is ASK

    def test_a_strict_rule_needs_one_simple_command(self) -> None:
        rules = policy(command_rule(DENY, "^rm "))
        assert verdict_of(run("ls; rm -rf x", "ls", "rm -rf x"), rules) is DENY
        assert verdict_of(run("echo rm x"), rules) is ALLOW

    def test_without_leaves_the_whole_text_is_matched_as_the_original_does(self) -> None:
        rules = policy(
            command_rule(ALLOW, "^npm install", per_leaf=False),
            defaults={**DEFAULTS, Action.RUN: ASK},
        )
        chained = run("npm install && rm -rf ~", "npm install", "rm -rf ~")
        assert verdict_of(chained, rules) is ALLOW

    def test_an_exclude_takes_a_match_back(self) -> None:
        rules = policy(command_rule(DENY, "push", exclude="--dry-run"))
        assert verdict_of(run("git push"), rules) is DENY
        assert verdict_of(run("git push --dry-run"), rules) is ALLOW

    def test_tools_are_named_exactly_or_by_expression(self) -> None:
        exact = policy(Rule(id="t", verdict=DENY, tool="Bash", actions=ANY))
        assert verdict_of(run("ls"), exact) is DENY
        assert verdict_of(write("a"), exact) is ALLOW
        pattern = Rule(
            id="m", verdict=DENY, tool_regex="^mcp__", tool_exclude_regex="_read$", actions=ANY
        )
        for tool, expected in (("mcp__x_write", DENY), ("mcp__x_read", ALLOW), ("Write", ALLOW)):
            assert verdict_of(replace(write("a"), tool=tool), policy(pattern)) is expected

    def test_a_field_may_be_an_exact_value(self) -> None:
        test = FieldMatch(name="subagent_type", exact="reviewer")
        rules = policy(Rule(id="s", verdict=DENY, tool="Task", fields=(test,), actions=ANY))
        for value, expected in (("reviewer", DENY), ("reviewers", ALLOW)):
            request = Request(action=Action.RUN, tool="Task", tool_input={"subagent_type": value})
            assert verdict_of(request, rules) is expected

    def test_a_field_that_is_missing_or_no_text_never_matches(self) -> None:
        rules = policy(command_rule(DENY, "."))
        for given_input in ({}, {"command": 7}):
            request = Request(action=Action.RUN, tool="Bash", tool_input=given_input)
            assert verdict_of(request, rules) is ALLOW

    @pytest.mark.parametrize("setting", [ALLOW, ASK, DENY])
    def test_what_cannot_be_told_gets_what_the_policy_says_of_it(self, setting: Verdict) -> None:
        decision = decide(run("eval $x", unclear="eval"), policy(unclear=setting), now=NOW)
        assert decision.verdict is setting
        assert not decision.granted
        text = decision.because or decision.notes[0]
        assert "can't predict which files this changes: eval" in text


class TestTime:
    def test_a_rule_is_over_at_the_moment_it_expires(self) -> None:
        rules = policy(Rule(id="r", verdict=DENY, paths=("a",), expires_at=NOW))
        assert decide(write("a"), rules, now=NOW - 1).verdict is DENY
        assert decide(write("a"), rules, now=NOW).verdict is ALLOW

    def test_a_disabled_rule_does_not_exist(self) -> None:
        for rule in (
            Rule(id="r", verdict=DENY, paths=("a",), enabled=False),
            Rule(id="r", verdict=DENY, tool="Write", enabled=False),
        ):
            assert verdict_of(write("a"), policy(rule)) is ALLOW


class TestLayers:
    def test_a_project_can_tighten_and_never_loosen(self) -> None:
        user = Layer(name="user", defaults={**DEFAULTS, Action.WRITE: ASK})
        project = Layer(name="project", rules=(Rule(id="ok", verdict=ALLOW, paths=("**",)),))
        both = Policy(layers=(user, project), revision="r")
        decision = decide(write("a"), both, now=NOW)
        assert decision.verdict is ASK
        assert not decision.granted

    def test_exceptions_belong_to_the_rule_that_has_them(self) -> None:
        rules = policy(
            Rule(
                id="new",
                verdict=DENY,
                paths=("**",),
                not_paths=("src/**", "*"),
                actions=COVERS[Action.CREATE],
            )
        )
        for path, expected in (
            ("src/a", ALLOW),
            ("a", ALLOW),
            ("other/a", DENY),
            ("b/src/a", DENY),
        ):
            request = replace(write(path), action=Action.CREATE)
            assert verdict_of(request, rules) is expected, path

    def test_another_spelling_is_no_way_out_of_an_exception(self) -> None:
        rules = policy(
            Rule(id="new", verdict=DENY, paths=("**",), not_paths=("src/**",), actions=ANY)
        )
        given_as = Target(shown="src/a", judged=("src/a",), tightening=("./src/a", "/w/src/a"))
        assert verdict_of(replace(write(""), target=given_as), rules) is ALLOW


def test_a_chain_of_more_commands_than_the_limit_is_denied() -> None:
    rules = replace(policy(), limits=Limits(max_chain_length=2))
    assert verdict_of(run("a; b", "a", "b"), rules) is ALLOW
    decision = decide(run("a; b; c", "a", "b", "c"), rules, now=NOW)
    assert decision.verdict is DENY
    assert decision.code == "max-chain-length"


def whole(rules: Policy, *paths: str) -> Decision:
    return combine([decide(write(path), rules, now=NOW) for path in paths], rules)


class TestWholeCalls:
    def test_the_strictest_part_leads_and_the_others_stay_visible(self) -> None:
        rules = policy(Rule(id="never", verdict=DENY, paths=(".env",), reason="{path} is secret"))
        decision = whole(rules, "a", ".env")
        assert decision.verdict is DENY
        assert decision.because == ".env is secret"
        assert [part.path for part in decision.parts] == ["a", ".env"]

    def test_a_call_is_granted_only_when_all_of_it_is(self) -> None:
        rules = policy(Rule(id="ok", verdict=ALLOW, paths=("a",)))
        assert whole(rules, "a", "a").granted
        assert not whole(rules, "a", "b").granted

    def test_a_call_without_requests_is_allowed_and_grants_nothing(self) -> None:
        decision = combine([], policy())
        assert decision.verdict is ALLOW
        assert not decision.granted

    def test_a_degraded_policy_is_told_with_every_decision(self) -> None:
        broken = replace(policy(), degraded="penstock.toml:3 is broken")
        assert decide(write("a"), broken, now=NOW).degraded == "penstock.toml:3 is broken"
        assert combine([], broken).degraded == "penstock.toml:3 is broken"


class TestSentences:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("no {path}", "no a/b"),
            ("{deleted} of {existing} ({percent} %)", "214 of 270 (79 %)"),
            ("{unknown} {", "{unknown} {"),
            ("{path.__class__}", "{path.__class__}"),
            ("plain", "plain"),
            ("{{path}}", "{a/b}"),
        ],
    )
    def test_facts_are_filled_in_and_nothing_else_is_reached(
        self, text: str, expected: str
    ) -> None:
        assert filled(text, write("a/b", change=change(270, 214))) == expected

    @given(st.text(alphabet="{}path dels", max_size=30))
    @settings(deadline=None)
    def test_any_sentence_can_be_filled(self, text: str) -> None:
        assert isinstance(filled(text, write("x")), str)

    def test_strictness_orders_all_verdicts(self) -> None:
        assert sorted(Verdict, key=STRICTNESS.__getitem__) == [ALLOW, ASK, DENY]


# --- a place inside of which a rule holds ------------------------------------------------------

WITHIN = Rule(id="x", verdict=DENY, paths=("**/*.key",), within=("**/tests/**", "spec/**"))
WITHIN_ROWS = [
    ("tests/a.key", DENY, "both are met"),
    ("x/tests/y/a.key", DENY, ""),
    ("spec/a.key", DENY, "one place is enough"),
    ("a.key", ALLOW, "not within"),
    ("tests/a.pem", ALLOW, "within, and another name"),
    ("x/spec/a.key", ALLOW, ""),
]


@pytest.mark.parametrize(("path", "verdict", "why"), WITHIN_ROWS)
def test_a_rule_speaks_only_within_its_places(path: str, verdict: Verdict, why: str) -> None:
    assert verdict_of(write(path), policy(WITHIN)) is verdict, why


def test_another_spelling_within_a_place_still_tightens() -> None:
    target = Target(shown="Tests/a.key", judged=("Tests/a.key",), tightening=("tests/a.key",))
    request = Request(action=Action.WRITE, tool="Write", target=target)
    assert verdict_of(request, policy(WITHIN)) is DENY
