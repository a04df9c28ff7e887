"""penstock.toml becomes a policy, or every problem at once, each with its line."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.digest import digest
from penstock.core.errors import RulesError
from penstock.core.model import Action, ChangeKind, Verdict
from penstock.core.policy.builtin import CODE_GONE_RULE, CODE_RULE, SELF_RULE, STATE_RULE, Own
from penstock.core.policy.model import Policy, Warn
from penstock.core.policy.rule import FieldMatch, Rule
from penstock.core.rules import load
from penstock.core.rules.documents import MAX_BYTES
from penstock.core.rules.problems import MOST_KEPT, MOST_SHOWN

WRITES = frozenset({Action.WRITE, Action.CREATE, Action.DELETE})


def files(**named: str) -> Callable[[str], bytes | None]:
    """Return a reader over texts; `a_toml="..."` is the file `a.toml`."""
    return {name.replace("_", "."): text.encode() for name, text in named.items()}.get


def loaded(text: str, **others: str) -> load.LoadResult:
    return load.load("penstock.toml", files(penstock_toml=text, **others))


def only_rule(text: str) -> Rule:
    level = loaded(text)
    assert not level.problems, [str(problem) for problem in level.problems]
    (rule,) = level.rules
    return rule


# --- what a rule means ------------------------------------------------------------------


def test_a_rule_keeps_everything_that_is_written() -> None:
    rule = only_rule(
        """
        [[deny]]
        id = "x"
        description = "d"
        paths = ["a/**", "b"]
        not_paths = ["a/c"]
        actions = ["read", "modify"]
        line_threshold = 7
        change_threshold = 0.25
        kinds = ["replace"]
        max_bytes = 9
        reason = "r"
        note = "n"
        instead = "i"
        code = "c"
        enabled = false
        expires_at = 2030-01-01T00:00:00Z
        """
    )
    assert (rule.id, rule.description, rule.verdict) == ("x", "d", Verdict.DENY)
    assert (rule.paths, rule.not_paths) == (("a/**", "b"), ("a/c",))
    assert rule.actions == {Action.READ, Action.WRITE}
    assert (rule.line_threshold, rule.change_threshold, rule.max_bytes) == (7, 0.25, 9)
    assert rule.kinds == {ChangeKind.REPLACE}
    assert (rule.reason, rule.note, rule.instead, rule.code) == ("r", "n", "i", "c")
    assert not rule.enabled
    assert rule.expires_at == 1893456000.0
    assert (rule.where.file, rule.where.line) == ("penstock.toml", 2)


VERDICTS = [
    ("deny", Verdict.DENY, False),
    ("ask", Verdict.ASK, False),
    ("allow", Verdict.ALLOW, False),
    ("warn", None, True),
    ("safe", None, False),
]


@pytest.mark.parametrize(("table", "verdict", "warns"), VERDICTS)
def test_the_table_is_the_verdict(table: str, verdict: Verdict | None, warns: bool) -> None:
    rule = only_rule(f'[[{table}]]\npaths = ["x"]')
    assert (rule.verdict, rule.warns, rule.id) == (verdict, warns, f"{table}-1")


ACTIONS = [
    ('paths = ["x"]', WRITES, "a path rule speaks of changes"),
    ('tool = "Bash"', frozenset(Action), "a tool rule speaks of all that the tool does"),
    ('tool = "Bash"\ncommand_regex = "x"', frozenset(Action), "so does a command rule"),
    ("max_bytes = 3", WRITES, "a change rule speaks of changes"),
    ('actions = ["run"]', frozenset({Action.RUN}), "actions alone are a condition too"),
    ('paths = ["x"]\nactions = ["create"]', frozenset({Action.CREATE}), "create is narrow"),
    ('paths = ["x"]\nactions = ["write"]', WRITES, "write is every change"),
    ('paths = ["x"]\nactions = ["modify"]', frozenset({Action.WRITE}), "modify is not create"),
    ('paths = ["x"]\ntool = "Write"', frozenset(Action), "with a tool, all of its actions"),
]


@pytest.mark.parametrize(("body", "actions", "why"), ACTIONS)
def test_actions_have_sensible_defaults(body: str, actions: frozenset[Action], why: str) -> None:
    assert only_rule(f"[[deny]]\n{body}").actions == actions, why


def test_a_command_rule_looks_at_every_simple_command() -> None:
    rule = only_rule('[[allow]]\ntool = "Bash"\ncommand_regex = "^a"\ncommand_exclude_regex = "b"')
    assert rule.per_leaf
    assert rule.fields == (FieldMatch(name="command", regex="^a", exclude="b"),)


def test_every_field_of_a_tools_input_has_its_test() -> None:
    rule = only_rule(
        '[[deny]]\ntool_regex = "^T"\ntool_exclude_regex = "x$"\nsubagent_type = "a"\n'
        'subagent_type_exclude_regex = "b"\nprompt_regex = "c"\nfile_path_regex = "d"'
    )
    assert (rule.tool_regex, rule.tool_exclude_regex) == ("^T", "x$")
    assert rule.fields == (
        FieldMatch(name="file_path", regex="d"),
        FieldMatch(name="subagent_type", exact="a", exclude="b"),
        FieldMatch(name="prompt", regex="c"),
    )


CODES = [
    ('[[deny]]\npaths = ["x"]', "path-denied"),
    ("[[deny]]\nmax_bytes = 1", "too-large"),
    ('[[deny]]\ntool = "Bash"', "command-denied"),
    ('[[deny]]\nactions = ["run"]', ""),
    ('[[deny]]\npaths = ["x"]\ncode = "mine"', "mine"),
    ('[[ask]]\npaths = ["x"]', ""),
]


@pytest.mark.parametrize(("text", "code"), CODES)
def test_a_denial_has_a_code_for_programs(text: str, code: str) -> None:
    assert only_rule(text).code == code


NOTES = [
    ('note = "n"\nreason = "r"', "n"),
    ('reason = "r"\ndescription = "d"', "r"),
    ('description = "d"', "d"),
    ('id = "w"', "rule `w` warns about {path}"),
]


@pytest.mark.parametrize(("body", "note"), NOTES)
def test_a_warning_always_has_a_sentence(body: str, note: str) -> None:
    assert only_rule(f'[[warn]]\npaths = ["x"]\n{body}').note == note


MOMENTS = [
    ("2030-01-01T00:00:00Z", 1893456000.0, "a TOML date-time"),
    ("2030-01-01T01:00:00+01:00", 1893456000.0, "with an offset"),
    ("2030-01-01T00:00:00", 1893456000.0, "without one it is UTC"),
    ("2030-01-01", 1893456000.0, "a date is its midnight"),
    ('"2030-01-01T00:00:00Z"', 1893456000.0, "a text"),
    ('"2030-01-01"', 1893456000.0, "a text with a date"),
]


@pytest.mark.parametrize(("value", "moment", "why"), MOMENTS)
def test_a_rule_expires_at_a_moment(value: str, moment: float, why: str) -> None:
    rule = only_rule(f'[[deny]]\npaths = ["x"]\nexpires_at = {value}')
    assert rule.expires_at == moment, why


def test_substantial_takes_the_thresholds_of_the_gate() -> None:
    body = '\n[[ask]]\nid = "s"\nsubstantial = true'
    plain, own = (
        only_rule(body),
        only_rule("[gate]\nline_threshold = 7\nchange_threshold = 1" + body),
    )
    assert (plain.line_threshold, plain.change_threshold) == (100, 0.5)
    assert (own.line_threshold, own.change_threshold) == (7, 1.0)
    assert only_rule(body + "\nline_threshold = 3").line_threshold == 3


def test_a_file_that_includes_sets_the_thresholds_of_what_it_includes() -> None:
    main = '[gate]\nline_threshold = 5\n[includes]\nfiles = ["a.toml"]'
    level = loaded(main, a_toml="[gate]\nline_threshold = 50\n[[ask]]\nsubstantial = true")
    assert [rule.line_threshold for rule in level.rules] == [5]


# --- defaults and settings --------------------------------------------------------------


def policy(text: str) -> Policy:
    return load.parse_policy(text)


def test_defaults_cover_every_action_and_create_and_delete_follow_write() -> None:
    layer = policy('[defaults]\nwrite = "ask"\ndelete = "deny"').layers[0]
    assert layer.defaults == {
        Action.READ: Verdict.ALLOW,
        Action.WRITE: Verdict.ASK,
        Action.CREATE: Verdict.ASK,
        Action.DELETE: Verdict.DENY,
        Action.RUN: Verdict.ALLOW,
    }


def test_settings_arrive_where_doors_look_for_them() -> None:
    made = policy(
        """
        version = 1
        outside_project = "deny"
        mode = "propose"
        [defaults]
        unclear = "deny"
        warn = "ask"
        [on_error]
        hook = "deny"
        mcp = "ask"
        [gate]
        line_threshold = 5
        [limits]
        max_read_bytes_default = 10
        max_chain_length = 4
        [approval]
        ttl_seconds = 60
        require_key = true
        [audit]
        level = "matched"
        witnesses = ["w"]
        [broker]
        enabled = false
        [llm_fallback]
        enabled = true
        endpoint = "http://localhost:1"
        model = "m"
        temperature = 0
        """
    )
    layer = made.layers[0]
    assert (layer.outside, layer.unclear, layer.warn) == (Verdict.DENY, Verdict.DENY, Warn.ASK)
    assert (made.gate.mode, made.gate.line_threshold) == ("propose", 5)
    assert made.when_failing("hook") is Verdict.DENY
    assert made.when_failing("mcp") is Verdict.ASK
    assert made.when_failing("broker") is Verdict.DENY
    assert (made.limits.max_read_bytes_default, made.limits.max_chain_length) == (10, 4)
    assert (made.approval.ttl_seconds, made.approval.require_key) == (60, True)
    assert (made.audit.level, made.audit.witnesses) == ("matched", ("w",))
    assert not made.broker.enabled
    assert (made.advisor.model, made.advisor.temperature) == ("m", 0.0)


def test_an_empty_policy_allows_opens_the_hook_on_error_and_says_that_it_is_empty() -> None:
    made = policy("")
    assert set(made.layers[0].defaults.values()) == {Verdict.ALLOW}
    assert made.when_failing("hook") is Verdict.ALLOW
    assert made.when_failing("broker") is Verdict.DENY
    assert "no rules" in made.warnings[0]


def test_warn_may_stand_at_the_top_or_in_the_defaults() -> None:
    assert policy('warn = "deny"').layers[0].warn is Warn.DENY
    assert (
        policy('[defaults]\nwarn = "allow"\n[[warn]]\npaths = ["x"]').layers[0].warn is Warn.ALLOW
    )


def test_a_limit_on_writes_is_a_rule() -> None:
    layer = policy("[limits]\nmax_write_bytes = 10").layers[0]
    (rule,) = layer.rules
    assert (rule.verdict, rule.max_bytes, rule.code) == (Verdict.DENY, 10, "too-large")
    assert rule.actions == {Action.WRITE, Action.CREATE}


def test_the_revision_is_the_digest_of_the_text() -> None:
    text = '[[deny]]\npaths = ["x"]\n'
    assert policy(text).revision == digest(text.encode())
    assert policy(text + "#").revision != policy(text).revision


def test_every_policy_protects_penstock_itself() -> None:
    last = policy("").layers[-1]
    assert [rule.id for rule in last.rules] == [SELF_RULE, STATE_RULE, CODE_RULE, CODE_GONE_RULE]
    assert {"**/penstock.toml", "**/.claude/settings*.json"} <= {*last.rules[0].paths}


# --- problems ---------------------------------------------------------------------------

PROBLEMS = [
    # text, line, what is said, why it matters
    ('[[deny]]\npathss = ["x"]', 2, "unknown key `pathss` in [[deny]]: did you mean `paths`?"),
    ("vershun = 1", 1, "did you mean `version`?"),
    ("version = 2", 1, "`version` in the file is 2, but must be 1"),
    ("[denny]\nx = 1", 1, "unknown table `denny`: did you mean `deny`?"),
    ('[deny]\npaths = ["x"]', 1, "`deny` must be an array of tables (try: write [[deny]])"),
    ("defaults = 1", 1, "[defaults] must be a table, not `1`"),
    ("deny = [1]", 1, "[[deny]] must be a table, not `1`"),
    ('[defaults]\nread = "alow"', 2, "`alow`, but must be one of `allow`, `ask`, `deny`"),
    ("[defaults]\nread = 1", 2, "is `1`, but must be one of"),
    ('preset = "gard"', 1, "did you mean `guard`?"),
    ('warn = "loud"', 1, "but must be one of `context`, `allow`, `ask`, `deny`"),
    ("[on_error]\nhok = 'deny'", 2, "did you mean `hook`?"),
    ("[gate]\nline_threshold = -1", 2, "is -1, but must be at least 0"),
    ("[gate]\nline_threshold = 1.5", 2, "must be a whole number, not `1.5`"),
    ("[gate]\nline_threshold = true", 2, "must be a whole number, not `true`"),
    ("[gate]\nchange_threshold = 0", 2, "must be above 0 and at most 1"),
    ("[gate]\nchange_threshold = 2.0", 2, "must be above 0 and at most 1"),
    ("[gate]\nchange_threshold = nan", 2, "must be a number, not `nan`"),
    ("[gate]\nchange_threshold = inf", 2, "must be above 0 and at most 1"),
    ("[gate]\nchange_threshold = true", 2, "must be a number, not `true`"),
    ("[gate]\nchange_threshold = '0.5'", 2, "must be a number, not `0.5`"),
    ("mode = 'judge'\n[gate]\nmode = 'propose'", 1, "`mode` and `gate.mode` differ"),
    ("warn = 'ask'\n[defaults]\nwarn = 'deny'", 1, "`warn` and `defaults.warn` differ"),
    ("[approval]\nttl_seconds = 0", 2, "must be at least 1"),
    ("[approval]\nrequire_key = 'yes'", 2, "must be true or false, not `yes`"),
    ("[llm_fallback]\ntemperature = 3", 2, "is `3`, but must be from 0 to 2"),
    ("[llm_fallback]\nendpoint = 'ftp://x'", 2, "must start with http:// or https://"),
    ("[llm_fallback]\nenabled = true\nmodel = 'm'", 2, "is enabled without `endpoint`"),
    ("[llm_fallback]\napi_key = 'k'", 2, "keys do not belong in a rules file"),
    (
        "[limits]\nmax_read_bytes_default = 9\nmax_read_bytes_hard = 8",
        2,
        "`max_read_bytes_default` is above `max_read_bytes_hard`",
    ),
    ('[[deny]]\npaths = "x"', 2, 'must be a list (try: write `paths = ["x"]`)'),
    ("[[deny]]\npaths = 3", 2, "must be a list of texts, not `3`"),
    ("[[deny]]\npaths = []", 2, "is an empty list, which matches nothing"),
    ('[[deny]]\npaths = [\n"a",\n1]', 4, "contains `1`, which is not a string"),
    ('[[deny]]\npaths = [\n"a",\n""]', 4, "holds ``, which matches nothing"),
    ('[[deny]]\npaths = ["./."]', 2, "holds `./.`, which matches nothing"),
    ('[[deny]]\npaths = ["~/.ssh/**"]', 2, "not expanded in globs (try: write `**/.ssh/**`)"),
    ('[[deny]]\npaths = ["a/../b"]', 2, "leaves the project"),
    ('[[deny]]\npaths = ["a\\u0001"]', 2, "has a control character"),
    (f'[[deny]]\npaths = ["{"a" * 5000}"]', 2, "longer than any path"),
    ('[[deny]]\npaths = ["x"]\nactions = ["wriet"]', 3, "did you mean `write`?"),
    ('[[deny]]\npaths = ["x"]\nactions = []', 3, "an empty list"),
    ('[[deny]]\npaths = ["x"]\nkinds = ["new", "old"]', 3, "holds `old`, which is not known"),
    ('[[deny]]\npaths = ["x"]\nid = ""', 3, "is no id"),
    ('[[deny]]\npaths = ["x"]\nid = "a\\nb"', 3, "is no id"),
    ('[[deny]]\npaths = ["x"]\nid = 3', 3, "must be text in quotes, not `3`"),
    ('[[deny]]\npaths = ["x"]\nreason = ["r"]', 3, "must be text in quotes"),
    (f'[[deny]]\npaths = ["x"]\nreason = "{"r" * 30000}"', 3, "longer than 20000 characters"),
    ('[[deny]]\npaths = ["x"]\nexpires_at = "tomorrow"', 3, "is `tomorrow`, which is not a date"),
    ('[[deny]]\npaths = ["x"]\nexpires_at = 10:00:00', 3, "which is not a date"),
    ('[[deny]]\npaths = ["x"]\nexpires_at = 5', 3, "which is not a date"),
    ('[[deny]]\ntool = ""', 2, "is empty"),
    ('[[deny]]\ntool = "Bash"\ncommand_regex = ""', 3, "would match everything"),
    (
        '[[deny]]\ntool = "Bash"\ncommand_regex = "git (push"',
        3,
        "command_regex invalid: unmatched parenthesis at position 4",
    ),
    ('[[deny]]\ntool = "Bash"\ncommand_regex = "^(?!x)"', 3, "look-around is not supported"),
    ('[[deny]]\ntool_regex = "("', 2, "tool_regex invalid: unmatched parenthesis at position 0"),
    ('[[deny]]\nprompt_regex = "x"', 2, "Missing required field: tool or tool_regex"),
    (
        '[[deny]]\ntool = "a"\ntool_regex = "b"',
        3,
        "Rule must specify exactly one of 'tool' or 'tool_regex', not both",
    ),
    ('[[deny]]\ntool = "a"\ntool_exclude_regex = "b"', 3, "without `tool_regex`"),
    (
        '[[deny]]\ntool = "Task"\nsubagent_type = "a"\nsubagent_type_regex = "b"',
        4,
        "`subagent_type` and `subagent_type_regex`",
    ),
    ('[[deny]]\nid = "x"', 1, "the rule has no condition in [[deny]] `x`"),
    ('[[deny]]\nmax_bytes = 3\nmatch = ["x"]', 3, "`match` without `paths`, `tool` or a regex"),
    ('[[deny]]\npaths = ["a"]\nmatch = [\n"a",\n"b"]', 5, "does not match `b`, against its own"),
    ('[[deny]]\npaths = ["*"]\nnot_match = ["a"]', 3, "meets `a`, against its own `not_match`"),
    ('[includes]\nfiles = ["no.toml"]', 2, "included file `no.toml` is missing"),
    ('[includes]\nfiles = ["penstock.toml"]', 2, "circular include detected"),
    ('[includes]\nfiles = ["a\\u0000b"]', 2, "is missing"),
    ('x = 1\ndisable = ["nothing"]', 2, "`disable` names `nothing`, but no rule has that id"),
    (f'disable = ["{SELF_RULE}"]', 1, "cannot be disabled"),
    ("a = ", 1, "not valid TOML: Invalid value at line 1"),
    ("x = 1\ny 2", 2, "not valid TOML: Expected '=' after a key in a key/value pair at line 2"),
    ('a = "x', 1, "not valid TOML: Unterminated string at line 1"),
    ("x = 1\n[[deny]\n", 2, "not valid TOML"),
    ("a = 1\na = 2", 2, "not valid TOML: Cannot overwrite a value at line 2"),
    ("a = " + "9" * 5000, 1, "not valid TOML"),
    ("x = 1\na" + ".a" * 100 + " = 1", 2, "a key of more than 32 parts"),
    ("a = " + "[" * 2000, 1, "brackets nested more than 64 deep"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "said"), PROBLEMS)
def test_a_problem_names_its_line_and_what_to_do(text: str, line: int, said: str) -> None:
    problems = loaded(text).problems
    found = [problem for problem in problems if said in str(problem)]
    assert found, [str(problem) for problem in problems]
    assert (found[0].file, found[0].line) == ("penstock.toml", line)


BYTES = [
    (b"x = 1\n\xff = 2", 2, "not UTF-8 text"),
    (b'x = 1\ny = "\0"', 2, "has a NUL character"),
    (b"#" * (MAX_BYTES + 1), 0, "larger than 8388608 bytes"),
]


@pytest.mark.parametrize(("data", "line", "said"), BYTES)
def test_bytes_that_are_no_text_are_a_problem(data: bytes, line: int, said: str) -> None:
    (problem,) = load.load("penstock.toml", {"penstock.toml": data}.get).problems
    assert said in problem.message
    assert problem.line == line


def test_a_byte_order_mark_is_not_part_of_the_text() -> None:
    data = b"\xef\xbb\xbf[defaults]\nread = 'deny'"
    level = load.load("penstock.toml", {"penstock.toml": data}.get)
    assert level.ok
    assert level.setting("defaults", "read") == "deny"


def test_all_problems_come_at_once_in_the_order_of_the_file() -> None:
    text = """\
version = 9
[defaults]
read = "maybe"
[[deny]]
id = "same"
pathz = ["x"]
paths = ["", "ok", 4]
[[ask]]
id = "same"
tool = "Bash"
command_regex = "("
"""
    problems = loaded(text).problems
    assert [problem.line for problem in problems] == [1, 3, 6, 7, 8, 11]
    assert all(problem.field and problem.message for problem in problems)
    with pytest.raises(RulesError) as caught:
        load.parse_policy(text)
    for problem in problems:
        assert str(problem) in str(caught.value)


def test_an_error_with_very_many_problems_stays_readable() -> None:
    text = '[[deny]]\nid = "a"\n' * 300
    with pytest.raises(RulesError, match=r"and [0-9]+ more") as caught:
        load.parse_policy(text)
    assert str(caught.value).count("\n") < MOST_SHOWN + 10


def test_one_problem_gives_its_own_hint() -> None:
    with pytest.raises(RulesError, match="the policy has a problem") as caught:
        load.parse_policy('[[deny]]\npathz = ["x"]\npaths = ["x"]')
    assert caught.value.hint == "did you mean `paths`?"


def test_the_same_id_twice_is_a_problem_even_when_the_first_rule_is_wrong() -> None:
    level = loaded('[[deny]]\nid = "a"\nbad = 1\n[[ask]]\nid = "a"\npaths = ["x"]')
    assert any(
        "Rule with id 'a' already exists at penstock.toml:1" in str(p) for p in level.problems
    )


def test_regexes_that_are_too_large_together_are_refused_before_they_cost_much() -> None:
    one = '[[deny]]\ntool = "Bash"\ncommand_regex = "[a-z]{900}[^a]{900}.{900}"\n'
    said = [problem.message for problem in loaded(one * 400).problems]
    assert any("too large together" in message for message in said)


EXAMPLES = [
    ('paths = ["a/**"]\nnot_paths = ["a/b"]', ["a/x", "./a/x"], ["a/b", "b"], "globs"),
    (
        'tool = "Bash"\ncommand_regex = "^a"\ncommand_exclude_regex = "z"',
        ["ab"],
        ["az", "ba"],
        "regex",
    ),
    ('tool = "Bash"\ncommand_exclude_regex = "z"', ["a"], ["z"], "an exclude alone"),
    ('tool = "Task"\nsubagent_type = "a"', ["a"], ["b"], "an exact field"),
    ('tool = "Bash"', ["Bash"], ["Write"], "a tool"),
    ('tool_regex = "^mcp_"\ntool_exclude_regex = "x"', ["mcp_a"], ["mcp_x", "a"], "tools"),
]


@pytest.mark.parametrize(("body", "yes", "no", "why"), EXAMPLES)
def test_examples_are_held_against_the_rule(
    body: str, yes: list[str], no: list[str], why: str
) -> None:
    assert loaded(f"[[deny]]\n{body}\nmatch = {yes}\nnot_match = {no}").ok, why
    for example in no:
        assert not loaded(f"[[deny]]\n{body}\nmatch = ['{example}']").ok, example
    for example in yes:
        assert not loaded(f"[[deny]]\n{body}\nnot_match = ['{example}']").ok, example


DOUBTFUL = [
    ("a/{b,c}", "two alternatives are two globs"),
    ("a\\\\b", "write `/` between directories"),
    ("!a", "exceptions go into `not_paths`"),
]


@pytest.mark.parametrize(("glob", "warning"), DOUBTFUL)
def test_a_glob_of_another_language_is_read_and_told(glob: str, warning: str) -> None:
    level = loaded(f'[[deny]]\npaths = [\n"a!b",\n"{glob}"]')
    assert level.ok
    (told,) = level.warnings
    assert warning in told.message
    assert told.line == 4


def test_a_file_that_is_no_rules_file_gives_problems_and_not_a_flood() -> None:
    level = loaded("\n".join(f"key{n} = 1" for n in range(5000)) + '\n[[deny]]\npaths = ["x"]')
    assert len(level.problems) == MOST_KEPT
    assert not level.rules


# --- includes and presets ---------------------------------------------------------------


def test_included_rules_join_and_the_including_file_wins_for_settings() -> None:
    level = loaded(
        '[includes]\nfiles = ["a.toml"]\n[gate]\nline_threshold = 1\n[[deny]]\npaths = ["m"]',
        a_toml='[gate]\nline_threshold = 2\nchange_threshold = 0.2\n[[deny]]\npaths = ["a"]',
    )
    assert level.ok
    assert [(rule.id, rule.paths) for rule in level.rules] == [
        ("deny-1", ("m",)),
        ("a:deny-1", ("a",)),
    ]
    assert level.settings["gate"] == {"line_threshold": 1, "change_threshold": 0.2}
    assert [file for file, _ in level.sources] == ["penstock.toml", "a.toml"]
    assert level.rules[1].where.file == "a.toml"


def test_includes_are_relative_to_the_file_that_names_them() -> None:
    named = {
        "p/penstock.toml": b'[includes]\nfiles = ["sub/a.toml", "/abs.toml"]',
        "p/sub/a.toml": b'[includes]\nfiles = ["../b.toml"]',
        "p/b.toml": b'[[deny]]\npaths = ["b"]',
        "/abs.toml": b'[[ask]]\npaths = ["c"]',
    }
    level = load.load("p/penstock.toml", named.get)
    assert level.ok
    assert [rule.paths for rule in level.rules] == [("b",), ("c",)]


def test_a_circle_of_includes_is_told_with_its_way() -> None:
    level = loaded(
        '[includes]\nfiles = ["a.toml"]',
        a_toml='[includes]\nfiles = ["b.toml"]',
        b_toml='[includes]\nfiles = ["a.toml"]',
    )
    (problem,) = level.problems
    assert (problem.file, problem.line) == ("b.toml", 2)
    assert "circular include detected: `penstock.toml` -> `a.toml` -> `b.toml` -> `a.toml`" in str(
        problem
    )


def test_a_file_included_twice_is_read_once() -> None:
    level = loaded(
        '[includes]\nfiles = ["a.toml", "b.toml", "./a.toml"]',
        a_toml='[includes]\nfiles = ["b.toml"]',
        b_toml='[[deny]]\nid = "b"\npaths = ["b"]',
    )
    assert level.ok
    assert len(level.rules) == 1


def test_includes_without_end_are_stopped() -> None:
    def endless(name: str) -> bytes | None:
        return f'[includes]\nfiles = ["x{len(name)}{name}"]'.encode()

    level = load.load("penstock.toml", endless)
    assert ["too many includes" in problem.message for problem in level.problems] == [True]


def test_problems_of_an_included_file_name_that_file() -> None:
    level = loaded('[includes]\nfiles = ["a.toml"]', a_toml="\n\nnope = 1")
    assert [(problem.file, problem.line) for problem in level.problems] == [("a.toml", 3)]


def test_an_id_is_unique_over_all_files_of_a_level() -> None:
    level = loaded(
        '[includes]\nfiles = ["a.toml"]\n[[deny]]\nid = "x"\npaths = ["m"]',
        a_toml='[[deny]]\nid = "x"\npaths = ["a"]',
    )
    (problem,) = level.problems
    assert str(problem).startswith("a.toml:1: Rule with id 'x' already exists at penstock.toml:3")


def test_other_programs_files_can_be_included() -> None:
    named = {
        "penstock.toml": b'[includes]\nfiles = ["w.json", "config.yaml", "rules.toml"]',
        "w.json": b'{"protected": ["p/**"], "warned": [], "safe": []}',
        "config.yaml": b"file_broker:\n  deny_path_globs: ['d/**']\n",
        "rules.toml": b'[logging]\n[[deny]]\ntool = "Bash"\ncommand_regex = "x"',
    }
    level = load.load("penstock.toml", named.get)
    assert level.ok
    ids = ["protected", "deny_path_globs", "allowlisted_create_dirs", "deny-1"]
    assert [rule.id for rule in level.rules] == ids
    assert not level.literal


def test_a_preset_is_an_include() -> None:
    level = loaded('preset = "strict"\ndisable = ["lock-files"]\n[defaults]\nunclear = "ask"')
    assert level.ok
    named = {rule.id: rule for rule in level.rules}
    assert not named["lock-files"].enabled
    assert named["git"].enabled
    assert level.setting("defaults", "unclear") == "ask"
    assert level.setting("defaults", "write") == "ask"
    assert named["git"].where.file == "preset:guard.toml"


def test_a_preset_may_be_a_specs_own_file() -> None:
    level = loaded('preset = "hook-spec"')
    assert [rule.id for rule in level.rules] == ["protected", "warned", "safe"]
    assert level.setting("", "warn") == "allow"


def test_a_missing_main_file_is_a_problem() -> None:
    (problem,) = load.load("penstock.toml", files()).problems
    assert "file not found" in str(problem)


# --- levels -----------------------------------------------------------------------------


def two(project: str, user: str) -> Policy:
    return load.build(loaded(project), load.load("u.toml", files(u_toml=user)))


def test_between_levels_the_stricter_setting_wins() -> None:
    made = two(
        "[gate]\nline_threshold = 50\nmode = 'judge'\n[approval]\nttl_seconds = 60\ntotp = true\n"
        "[limits]\nmax_write_bytes = 10\nmax_chain_length = 0\n[on_error]\nhook = 'allow'\n"
        "[audit]\nlevel = 'off'\n[broker]\nauto_apply = true",
        "[gate]\nline_threshold = 10\nmode = 'propose'\n[approval]\nttl_seconds = 90\n"
        "totp = false\n[limits]\nmax_write_bytes = 5\nmax_chain_length = 3\n[on_error]\n"
        "hook = 'deny'\n[audit]\nlevel = 'matched'\n[broker]\nauto_apply = false",
    )
    assert (made.gate.line_threshold, made.gate.mode) == (10, "propose")
    assert (made.approval.ttl_seconds, made.approval.totp) == (60, True)
    assert (made.limits.max_write_bytes, made.limits.max_chain_length) == (5, 3)
    assert made.when_failing("hook") is Verdict.DENY
    assert made.audit.level == "matched"
    assert not made.broker.auto_apply


def test_where_nothing_is_stricter_the_users_own_word_counts() -> None:
    endpoint = "[llm_fallback]\nendpoint = 'http://{}'"
    made = two(endpoint.format("project"), endpoint.format("user") + "\nmodel = 'm'")
    assert (made.advisor.endpoint, made.advisor.model) == ("http://user", "m")
    assert two(endpoint.format("project"), "").advisor.endpoint == "http://project"


def test_each_level_is_a_layer_of_its_own() -> None:
    made = two('[defaults]\nwrite = "allow"', '[defaults]\nwrite = "deny"')
    assert [layer.name for layer in made.layers] == ["penstock.toml", "u.toml", "built-in"]
    assert [layer.defaults[Action.WRITE] for layer in made.layers[:2]] == [
        Verdict.ALLOW,
        Verdict.DENY,
    ]
    assert made.files == ("penstock.toml", "u.toml")


def test_building_with_problems_raises_them_all() -> None:
    with pytest.raises(RulesError, match=r"(?s)penstock\.toml:1.*u\.toml:1"):
        two("a = 1", "b = 1")


# --- what is in force -------------------------------------------------------------------


def test_without_any_file_the_guard_preset_is_in_force() -> None:
    made = load.in_force(files())
    assert made.files == ("preset:guard.toml",)
    assert not made.degraded


def test_a_users_file_alone_is_the_policy() -> None:
    made = load.in_force({"u": b"", "x": b""}.get, user="u")
    assert [layer.name for layer in made.layers] == ["u", "built-in"]


def test_a_broken_policy_leaves_the_last_good_one_in_force() -> None:
    good = load.in_force(files(penstock_toml='[[deny]]\npaths = ["x"]'))
    broken = load.in_force(files(penstock_toml="oops = 1\nand = 2"), last_good=good)
    assert broken.layers == good.layers
    assert broken.revision == good.revision
    assert "the last valid rules stay active" in broken.degraded
    assert "penstock.toml:1" in broken.degraded
    assert "1 more" in broken.degraded


def test_a_broken_policy_without_a_good_one_leaves_the_built_in_list() -> None:
    broken = load.in_force(files(penstock_toml="["), protect=Own(kept=("/state",)))
    paths = {glob for layer in broken.layers for rule in layer.rules for glob in rule.paths}
    assert {"**/.env*", "**/.git/**", "**/*.pem", "**/penstock.toml", "**/state/**"} <= paths
    assert broken.degraded.startswith("the rules are broken: ")
    assert (
        "until this is fixed, the preset `guard` and the built-in protected list apply"
        in broken.degraded
    )


STAND_INS = [
    ("[", "guard", "nothing to read"),
    ('preset = "guard"\n[', "guard", "it names it"),
    ('preset = "strict"\n[', "strict", "it names it"),
    ("  preset='strict' # x\n[[deny]\n", "strict", "in another spelling"),
    ('preset = "strict"\noops = 1\n', "strict", "it parses, and is wrong"),
    ('preset = "strickt"\n', "guard", "there is none of that name"),
    ('# preset = "strict"\n[', "guard", "a comment names nothing"),
    ('preset = "hook-spec"\n[', "guard", "a spec's lists have no gate for replaced files"),
    ('preset = "guard"\npreset = "strict"\n', "strict", "of two the stricter one"),
]


@pytest.mark.parametrize(("text", "preset", "why"), STAND_INS)
def test_the_preset_that_a_broken_file_names_stands_in_for_it(
    text: str, preset: str, why: str
) -> None:
    broken = load.in_force(files(penstock_toml=text))
    assert f"the preset `{preset}`" in broken.degraded, why
    expected = load.build(load.load_preset(preset))
    assert broken.layers[0].rules == expected.layers[0].rules, why
    assert broken.on_error == expected.on_error
    assert broken.gate == expected.gate


def test_a_broken_project_does_not_switch_the_users_own_rules_off() -> None:
    named = {"penstock.toml": b"[", "u": b'[[deny]]\nid = "mine"\npaths = ["x"]'}
    broken = load.in_force(named.get, user="u")
    assert broken.degraded
    assert "mine" in {rule.id for layer in broken.layers for rule in layer.rules}


def test_falling_back_without_a_known_problem_still_says_why() -> None:
    assert "the rules are broken: they could not be read; " in load.fallback(()).degraded


def test_a_door_may_bring_a_level_along() -> None:
    """X11: the broker's own file and the project's, the strictest wins."""
    broker = load.load_preset("broker-spec")
    alone = load.in_force(files(), others=[broker])
    both = load.in_force(files(penstock_toml='preset = "guard"'), others=[broker])
    assert [layer.name for layer in alone.layers] == ["preset:broker-spec.yaml", "built-in"]
    assert [layer.name for layer in both.layers][:2] == ["preset:broker-spec.yaml", "penstock.toml"]
    assert both.approval.ttl_seconds == 120
    assert len(both.layers[-1].rules[0].paths) > len(alone.layers[-1].rules[0].paths)


def test_what_the_running_program_protects_is_protected() -> None:
    made = load.in_force(files(), protect=Own(kept=("/srv/state",)))
    assert "**/srv/state/**" in made.layers[-1].rules[1].paths


# --- properties -------------------------------------------------------------------------


@given(st.binary(max_size=80))
@settings(max_examples=200, deadline=None)
def test_no_bytes_make_loading_fail_in_another_way(data: bytes) -> None:
    level = load.load("penstock.toml", {"penstock.toml": data}.get)
    assert load.in_force({"penstock.toml": data}.get).degraded == "" if level.ok else level.problems


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)
NAMES = ["paths", "actions", "tool", "tool_regex", "command_regex", "id", "match", "expires_at"]
TABLES = ["deny", "ask", "warn", "defaults", "gate", "includes", "limits", "version", "preset"]


def as_toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return "nan" if math.isnan(value) else str(value)
    if isinstance(value, list):
        return "[" + ", ".join(as_toml(one) for one in value if one is not None) + "]"
    if isinstance(value, dict):
        pairs = (f"{as_toml(str(k))} = {as_toml(v)}" for k, v in value.items() if v is not None)
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(char):08X}" for char in value if char.isprintable()) + '"'
    return str(value)


@given(st.dictionaries(st.sampled_from(TABLES), VALUES, max_size=4))
@settings(max_examples=200, deadline=None)
def test_wrong_types_anywhere_are_problems(document: dict[str, object]) -> None:
    text = "\n".join(f"{k} = {as_toml(v)}" for k, v in document.items() if v is not None)
    for problem in loaded(text).problems:
        assert problem.file == "penstock.toml"
        assert problem.message


@given(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=5))
@settings(max_examples=300, deadline=None)
def test_a_rule_is_either_valid_or_has_problems(raw: dict[str, object]) -> None:
    text = "[[deny]]\n" + "\n".join(f"{k} = {as_toml(v)}" for k, v in raw.items() if v is not None)
    level = loaded(text)
    assert level.ok == (len(level.rules) == 1)
