"""Rules written for other programs are read unchanged, with the meaning they have there."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.model import Action, Request, Verdict
from penstock.core.policy.decide import decide
from penstock.core.policy.model import Warn
from penstock.core.policy.protected_names import DEFAULT_LISTS
from penstock.core.rules import load
from penstock.core.rules.foreign import (
    BROKER_KEYS,
    read_file_broker,
    read_permissions_hook,
    read_write_policies,
)
from penstock.core.rules.layers import LoadResult, build

HOOK = "claude-code-permissions-hook.toml"


def hook(text: str, **others: str) -> LoadResult:
    named = {HOOK: text.encode()}
    named.update({name.replace("_", "."): body.encode() for name, body in others.items()})
    return read_permissions_hook(HOOK, named.get)


def said(level: LoadResult) -> list[str]:
    return [str(one) for one in (*level.problems, *level.warnings)]


# --- write-policies.json ----------------------------------------------------------------

LISTS = [
    # file, list, what is in force, why
    (None, "protected", DEFAULT_LISTS["protected"], "S2-034: no file"),
    ("{", "warned", DEFAULT_LISTS["warned"], "S2-035: no JSON"),
    ("[]", "safe", DEFAULT_LISTS["safe"], "no object"),
    ("null", "safe", DEFAULT_LISTS["safe"], "nothing"),
    ('"x"', "safe", DEFAULT_LISTS["safe"], "a text"),
    ("{}", "protected", DEFAULT_LISTS["protected"], "C8: a missing list has its default"),
    ('{"protected": "x"}', "protected", DEFAULT_LISTS["protected"], "C8: no list"),
    ('{"protected": null}', "protected", DEFAULT_LISTS["protected"], "C8: nothing"),
    ('{"protected": {"a": 1}}', "protected", DEFAULT_LISTS["protected"], "C8: an object"),
    ('{"protected": []}', "protected", (), "C8: empty is empty"),
    ('{"protected": ["a/**"]}', "protected", ("a/**",), "S2-036: one's own"),
    ('{"protected": ["a/**"]}', "warned", DEFAULT_LISTS["warned"], "the others keep theirs"),
    ('{"protected": ["a", "", 3, null, "../x", "b"]}', "protected", ("a", "b"), "C13: skipped"),
    ("\ufeff{}", "safe", DEFAULT_LISTS["safe"], "a byte order mark"),
    ("[" * 100_000, "safe", DEFAULT_LISTS["safe"], "absurd depth"),
]


@pytest.mark.parametrize(("text", "name", "globs", "why"), LISTS)
def test_each_list_is_read_or_has_its_default(
    text: str | None, name: str, globs: tuple[str, ...], why: str
) -> None:
    level = read_write_policies(None if text is None else text.encode())
    assert level.ok, why
    found = {rule.id: rule.paths for rule in level.rules}
    assert found.get(name, ()) == globs, why


WARNED = [
    ("{", "the default lists are in force"),
    ('{"protected": 3}', "`protected` must be a list"),
    ('{"safe": [""]}', "which matches nothing; it is skipped"),
    ('{"safe": [7]}', "which is not a string; it is skipped"),
    ('{"protectd": []}', "unknown key `protectd` is ignored: did you mean `protected`?"),
    ('{"paranoid": "yes"}', "`paranoid` must be true or false"),
    ('{"outside_project": "maybe"}', "`outside_project` is not understood"),
    ("\x00", "NUL"),
]


@pytest.mark.parametrize(("text", "warning"), WARNED)
def test_what_is_not_understood_is_told_and_never_fatal(text: str, warning: str) -> None:
    level = read_write_policies(text.encode())
    assert level.ok
    assert any(warning in one for one in said(level))


def test_a_good_file_has_no_warnings() -> None:
    data = json.dumps({**DEFAULT_LISTS, "$schema": "x", "suppress": [], "paranoid": False})
    assert said(read_write_policies(data.encode())) == []


def test_bytes_that_are_no_text_leave_the_defaults_in_force() -> None:
    level = read_write_policies(b"\xff\xfe")
    assert {rule.id: rule.paths for rule in level.rules} == DEFAULT_LISTS


def test_a_warned_path_is_allowed_and_a_paranoid_one_denied() -> None:
    assert build(read_write_policies(b"{}")).layers[0].warn is Warn.ALLOW
    assert build(read_write_policies(b'{"paranoid": true}')).layers[0].warn is Warn.DENY


def test_warnings_can_be_suppressed_for_some_paths() -> None:
    level = read_write_policies(b'{"suppress": ["src/gen/**"]}')
    warned = next(rule for rule in level.rules if rule.id == "warned")
    assert warned.not_paths == ("src/gen/**",)


def test_paths_outside_are_nobodys_business_unless_the_file_says_so() -> None:
    assert build(read_write_policies(b"{}")).layers[0].outside is None
    denied = build(read_write_policies(b'{"outside_project": "deny"}'))
    assert denied.layers[0].outside is Verdict.DENY


def test_a_specs_own_file_protects_only_penstocks_own_files_besides() -> None:
    literal = build(read_write_policies(None)).layers[-1].rules[0].paths
    wise = load.parse_policy("").layers[-1].rules[0].paths
    assert "**/penstock.toml" in literal
    assert "**/.claude/settings*.json" not in literal
    assert "**/.claude/settings*.json" in wise


# --- file_broker: -----------------------------------------------------------------------


def test_the_section_has_the_specs_defaults() -> None:
    made = build(read_file_broker(None))
    assert (made.limits.max_read_bytes_default, made.limits.max_read_bytes_hard) == (32000, 131072)
    assert made.limits.max_write_bytes == 524288
    assert made.approval.ttl_seconds == 120
    assert (made.broker.enabled, made.broker.audit_log_enabled) == (True, True)
    denied, created, large = made.layers[0].rules
    assert denied.paths == BROKER_KEYS["deny_path_globs"].default
    assert (denied.code, created.code, large.code) == (
        "path-denied",
        "create-not-allowed",
        "too-large",
    )
    assert made.layers[0].defaults[Action.WRITE] is Verdict.ASK
    assert made.layers[0].defaults[Action.CREATE] is Verdict.ASK
    assert made.layers[0].defaults[Action.READ] is Verdict.ALLOW


@pytest.mark.parametrize("text", ["", "other: 1\n", "file_broker:\n", "file_broker: {}\n", "# x\n"])
def test_a_missing_section_is_its_defaults(text: str) -> None:
    level = read_file_broker(text.encode())
    assert level.ok
    assert level.settings == read_file_broker(None).settings


def test_each_key_of_the_section_is_used() -> None:
    made = build(
        read_file_broker(
            b"file_broker:\n  enabled: false\n  hitl_ttl_seconds: 5\n  max_read_bytes_default: 1\n"
            b"  max_read_bytes_hard: 2\n  max_write_bytes_hard: 3\n  audit_log_enabled: false\n"
            b"  auto_apply: true\n  allowlisted_create_dirs: [app/]\n  deny_path_globs: ['x']\n"
        )
    )
    assert (made.broker.enabled, made.broker.audit_log_enabled) == (False, False)
    assert made.broker.auto_apply
    assert (made.approval.ttl_seconds, made.limits.max_read_bytes_default) == (5, 1)
    assert (made.limits.max_read_bytes_hard, made.limits.max_write_bytes) == (2, 3)
    denied, created, _ = made.layers[0].rules
    assert (denied.paths, created.not_paths) == (("x",), ("*", "app/**"))


def test_empty_lists_deny_nothing_and_create_only_at_the_root() -> None:
    level = read_file_broker(
        b"file_broker:\n  allowlisted_create_dirs: []\n  deny_path_globs: []\n"
    )
    (created,) = level.rules
    assert created.not_paths == ("*",)


BROKEN_YAML = [
    ("file_broker: 3\n", 1, "must be a mapping"),
    ("- a\n- b\n", 1, "no mapping of keys"),
    ("file_broker:\n  hitl_ttl_seconds: soon\n", 2, "`hitl_ttl_seconds` must be a whole number"),
    ("file_broker:\n  hitl_ttl_seconds: 0\n", 2, "must be at least 1"),
    ("file_broker:\n  hitl_ttl_seconds: true\n", 2, "must be a whole number"),
    ("file_broker:\n  enabled: 'yes'\n", 2, "must be true or false"),
    ("file_broker:\n  deny_path_globs: '*'\n", 2, "must be a list"),
    ("file_broker:\n  deny_path_globs:\n    - a\n    - ''\n", 4, "which matches nothing"),
    ("file_broker:\n  deny_path_globs: [1]\n", 2, "which is not a string"),
    ("file_broker:\n  allowlisted_create_dirs: ['../x']\n", 2, "leaves the project"),
    ("file_broker:\n  enabled: [\n", 3, "not YAML"),
    ("a: b: c\n", 1, "not YAML"),
    ("a: &x 1\nb: *x\n", 0, "aliases"),
    ("a: !!python/object:os.system x\n", 1, "not YAML"),
    ("a: 2020-99-99\n", 1, "not YAML"),
    ("[" * 5000, 0, "brackets"),
    ("- " * 5000, 0, "not YAML"),
    ("x" * 300_000, 0, "larger than"),
]


@pytest.mark.parametrize(("text", "line", "what"), BROKEN_YAML)
def test_a_wrong_section_is_a_problem_with_its_line(text: str, line: int, what: str) -> None:
    problems = read_file_broker(text.encode()).problems
    found = [one for one in problems if what in str(one)]
    assert found, [str(one) for one in problems]
    assert found[0].line == line


def test_an_unknown_key_of_the_section_is_told() -> None:
    level = read_file_broker(b"file_broker:\n  enable: true\n  3: 4\n")
    assert level.ok
    assert "unknown key `enable` is ignored: did you mean `enabled`?" in said(level)[0]
    assert level.warnings[0].line == 2


@given(st.binary(max_size=60))
@settings(max_examples=200, deadline=None)
def test_no_bytes_make_a_foreign_reader_fail(data: bytes) -> None:
    assert read_write_policies(data).ok
    read_file_broker(data)
    read_permissions_hook(HOOK, {HOOK: data}.get)


# --- claude-code-permissions-hook.toml --------------------------------------------------


def answer(level: LoadResult, tool: str, **fields: object) -> str:
    """Return allow, deny or passthrough, as the original would for a call."""
    assert level.ok, said(level)
    leaves = tuple(str(fields.get("command", "")).split(" && ")) if tool == "Bash" else ()
    request = Request(action=Action.RUN, tool=tool, tool_input=fields, leaves=leaves)
    decision = decide(request, build(level), now=0.0)
    if decision.verdict is Verdict.ALLOW:
        return "allow" if decision.granted else "passthrough"
    return str(decision.verdict)


FLAT = """
[audit]
audit_file = "/var/log/a.json"
audit_level = "all"

[[allow]]
tool = "Read"
file_path_regex = "^/home/me/"
file_path_exclude_regex = "\\\\.\\\\."

[[allow]]
tool = "Bash"
command_regex = "^cargo (build|test)"
command_exclude_regex = "&|;"

[[deny]]
tool = "Bash"
command_regex = "rm -rf"

[[allow]]
tool = "Task"
subagent_type = "analyzer"
prompt_regex = "^please"

[[allow]]
tool = "WebFetch"

[[deny]]
tool = "Bash"

[[deny]]
tool = "Write"
file_path_exclude_regex = "x"
"""
FLAT_CALLS = [
    ("Read", {"file_path": "/home/me/a"}, "allow", "its main regex matches"),
    ("Read", {"file_path": "/home/me/../b"}, "passthrough", "its exclude regex does too"),
    ("Read", {"file_path": "x/home/me/a"}, "passthrough", "the regex is anchored"),
    ("Read", {"path": 3}, "passthrough", "no field, no match"),
    ("Write", {"file_path": "/home/me/a"}, "passthrough", "another tool; an exclude is no match"),
    ("Bash", {"command": "cargo test"}, "allow", ""),
    ("Bash", {"command": "cargo test && rm -rf /"}, "deny", "deny first; the whole command"),
    ("Bash", {"command": "echo cargo test"}, "passthrough", ""),
    ("Bash", {"command": "ls"}, "passthrough", "tool = Bash alone never matches"),
    ("Task", {"subagent_type": "analyzer", "prompt": "x"}, "allow", "the kind is enough"),
    ("Task", {"subagent_type": "other", "prompt": "please"}, "allow", "so is the prompt"),
    ("Task", {"subagent_type": "other", "prompt": "x"}, "passthrough", "neither"),
    ("WebFetch", {"url": "u"}, "passthrough", "the first dialect knows six tools"),
]


@pytest.mark.parametrize(("tool", "fields", "expected", "why"), FLAT_CALLS)
def test_a_flat_file_means_what_the_original_means(
    tool: str, fields: dict[str, object], expected: str, why: str
) -> None:
    assert answer(hook(FLAT), tool, **fields) == expected, why


def test_rules_without_ids_are_named_after_their_place() -> None:
    names = [rule.id for rule in hook(FLAT).rules]
    assert names == [
        "deny-1",
        "deny-2",
        "deny-3",
        "allow-1",
        "allow-2",
        "allow-3",
        "allow-3",
        "allow-4",
    ]


def test_a_rule_that_can_never_match_is_kept_off_and_told() -> None:
    level = hook(FLAT)
    assert {rule.id for rule in level.rules if not rule.enabled} == {"deny-2", "deny-3", "allow-4"}
    told = "\n".join(said(level))
    assert "rule `deny-2` can never match: for Bash it needs `command_regex`" in told
    assert "rule `deny-3` can never match: for Write it needs `file_path_regex`" in told
    assert "rule `allow-4` can never match: the original knows no tool `WebFetch`" in told
    assert [one.line for one in level.warnings] == [28, 31, 25]


ANY_TOOL = """
[includes]
files = []
[[allow]]
tool_regex = "^mcp__"
tool_exclude_regex = "_delete$"
[[allow]]
tool = "WebFetch"
[[deny]]
tool_regex = "^(Read|Bash|Other)$"
file_path_regex = "secret"
command_regex = "sudo"
[[deny]]
tool = "NotebookEdit"
file_path_regex = "x"
[[allow]]
tool_regex = ".*"
"""
ANY_CALLS = [
    ("mcp__a", {}, "allow", "a tool by its name"),
    ("mcp__a_delete", {}, "allow", "excluded there, but the last rule takes any other tool"),
    ("WebFetch", {}, "allow", ""),
    ("Read", {"file_path": "a/secret"}, "deny", "Read looks at the path"),
    ("Read", {"file_path": "sudo"}, "passthrough", "and not at the command; .* needs a field"),
    ("Bash", {"command": "sudo x"}, "deny", "Bash looks at the command"),
    ("Bash", {"command": "cat secret"}, "passthrough", "and not at the path"),
    ("Other", {"file_path": "secret"}, "allow", "another tool is never matched by a field"),
    ("NotebookEdit", {"file_path": "x"}, "allow", "nor this one"),
    ("Task", {"prompt": "x"}, "passthrough", "one of the six needs its field"),
]


@pytest.mark.parametrize(("tool", "fields", "expected", "why"), ANY_CALLS)
def test_tool_regexes_reach_every_other_tool(
    tool: str, fields: dict[str, object], expected: str, why: str
) -> None:
    assert answer(hook(ANY_TOOL), tool, **fields) == expected, why


SECTIONED = """
[logging]
log_file = "/tmp/l"

[late]
priority = 90
[[late.deny]]
id = "z"
tool = "Bash"
command_regex = "x"

[early-one]
priority = 5
description = "first"
[[early-one.allow]]
id = "ok"
description = "fine"
tool = "Bash"
command_regex = "^ls"
[[early-one.deny]]
id = "y"
tool = "Bash"
command_regex = "x"

[a-late]
priority = 90
[[a-late.deny]]
id = "w"
tool = "Bash"
command_regex = "x"

[off]
enabled = false
[[off.deny]]
id = "never"
tool = "Bash"
command_regex = "ls"
"""


def test_sections_go_by_priority_then_name_denials_first() -> None:
    level = hook(SECTIONED)
    assert level.ok, said(level)
    assert [rule.id for rule in level.rules] == ["y", "w", "z", "ok"]
    assert [rule.where.section for rule in level.rules] == [
        "early-one",
        "a-late",
        "late",
        "early-one",
    ]
    assert level.rules[0].where.line == 20
    assert answer(level, "Bash", command="ls") == "allow"


def test_a_disabled_section_is_dropped_and_told() -> None:
    assert any("section `off` is disabled" in one for one in said(hook(SECTIONED)))


LATER = """
[variables]
TOOLS = "git|npm"
SAFE = "^(${TOOLS}) "
HOMES = "^$HOME/"
[limits]
max_chain_length = 3
[[deny]]
tool = "Bash"
command_regex = "rm"
reason = "no rm"
[[allow]]
tool = "Bash"
command_regex = "${SAFE}"
[[allow]]
tool = "Grep"
file_path_regex = "${HOMES}"
[[allow]]
tool = "TodoWrite"
[[allow]]
tool = "ignored"
tool_regex = "^Ag"
[[allow]]
tool = "Task"
subagent_type_regex = "^[a-z]+$"
[[allow]]
tool = "WebSearch"
command_exclude_regex = "x"
"""
LATER_CALLS = [
    ("Bash", {"command": "git x && npm y"}, "allow", "every simple command matches"),
    ("Bash", {"command": "git x && ls"}, "passthrough", "one does not"),
    ("Bash", {"command": "git x && rm y"}, "deny", "one is denied"),
    ("Grep", {"path": "/home/me/x"}, "allow", "Grep has `path`"),
    ("TodoWrite", {}, "allow", "a tool alone matches"),
    ("Agent", {}, "allow", "the regex wins over the name"),
    ("Task", {"subagent_type": "abc"}, "allow", "a kind by regex"),
    ("Task", {"subagent_type": "a1"}, "passthrough", ""),
    ("WebSearch", {}, "passthrough", "an exclude is a field, so the tool is not alone"),
]


@pytest.mark.parametrize(("tool", "fields", "expected", "why"), LATER_CALLS)
def test_the_fork_with_variables_keeps_its_own_meaning(
    tool: str, fields: dict[str, object], expected: str, why: str
) -> None:
    level = read_permissions_hook(HOOK, {HOOK: LATER.encode()}.get, env={"HOME": "/home/me"})
    assert answer(level, tool, **fields) == expected, why


def test_the_forks_settings_and_reasons_arrive() -> None:
    level = hook(LATER)
    assert build(level).limits.max_chain_length == 3
    assert level.rules[0].reason == "no rm"
    assert level.rules[0].per_leaf


def test_protected_branches_are_variables() -> None:
    level = hook(
        '[git_protection]\nprotected_branches = ["a.b"]\n[[deny]]\ntool = "Bash"\n'
        'command_regex = "push ${PROTECTED_BRANCHES}$"\n[[deny]]\ntool = "Bash"\n'
        'command_regex = "push origin ${PROTECTED_REFS}$"\n[[allow]]\ntool = "Bash"\n'
        'command_regex = "merge"\nprotected_branch_check = true\n'
    )
    assert answer(level, "Bash", command="git push a.b") == "deny"
    assert answer(level, "Bash", command="git push origin refs/heads/main") == "deny"
    assert answer(level, "Bash", command="git push axb") == "passthrough"
    assert answer(level, "Bash", command="merge") == "passthrough"
    assert any("asks for the branch" in one for one in said(level))


BAD_HOOK = [
    # text, line, what is said
    ("[[allow]]\ncommand_regex = 'x'", 1, "Missing required field: tool or tool_regex"),
    (
        "[[allow]]\ntool = 'a'\ntool_regex = 'b'",
        3,
        "Rule must specify exactly one of 'tool' or 'tool_regex', not both",
    ),
    ("[[allow]]\ntool = 'Bash'\ncommand_regex = '('", 3, "command_regex invalid: unmatched"),
    ("[[allow]]\ntool = 'Bash'\ncommand_regex = '(?!a)'", 3, "look-around is not supported"),
    ("[[allow]]\ntool = 'Bash'\ncommand_regex = 'rm {}'", 3, "a bare `{` at position 3"),
    ("[[allow]]\ntool = 3", 2, "`tool` must be text in quotes"),
    ("[[allow]]\nid = 'a'\ntool = 'x'\n[[deny]]\nid = 'a'\ntool = 'x'", 1, "Rule with id 'a'"),
    ("allow = 3", 1, "`allow` must be an array of tables"),
    ("allow = [3]", 1, "[[allow]] must be a table"),
    ("[a]\n[[a.allow]]\nid='x'\ntool='y'\n[[deny]]\ntool='z'", 5, "outside of a section"),
    ("[a]\nallow = 3", 2, "`a.allow` must be an array of tables"),
    ("[Bad]\n[[Bad.allow]]\nid='x'\ntool='y'", 1, "Invalid section name `Bad`"),
    ("[a]\npriority = -1\n[[a.allow]]\nid='x'\ntool='y'", 2, "`priority` of [a]"),
    ("[a]\npriority = true\n[[a.allow]]\nid='x'\ntool='y'", 2, "`priority` of [a]"),
    ("[a]\nenabled = 1\n[[a.allow]]\nid='x'\ntool='y'", 2, "`enabled` of [a]"),
    ("includes = 3", 1, "`includes` must be a table"),
    ("[includes]\nfiles = ['no.toml']", 2, "included file `no.toml` is missing"),
    (f"[includes]\nfiles = ['{HOOK}']", 2, "circular include detected"),
    ("audit = 3", 1, "`audit` must be a table"),
    ("logging = 3", 1, "`logging` must be a table"),
    ("llm_fallback = 3", 1, "`llm_fallback` must be a table"),
    ("[llm_fallback]\ntimeout_secs = 'x'", 2, "`timeout_secs` in [llm_fallback]"),
    ("[limits]\nmax_chain_length = -1", 2, "`max_chain_length` in [limits]"),
    ("variables = 3", 1, "`variables` must be a table"),
    ("[variables]\nA = 3", 2, "variable `A` must be text"),
    ("[variables]\nA = '${A}'", 2, "variable `A` names itself"),
    ("[variables]\nA = '${B}x'\nB = '${A}'", 2, "variable `A` names itself"),
    ("[audit]\npassthrough_log_file = 'x'\n[[allow]]\ntool = 3", 4, "`tool` must be text"),
    ("[variables]\nA = '${B}'", 2, "undefined variable `B` in variable `A`"),
    (
        "[variables]\nA = 'x'\n[[deny]]\ntool = 'Bash'\ncommand_regex = '${C}'",
        5,
        "undefined variable `C` in `command_regex`",
    ),
    ("[", 1, "not valid TOML"),
]


@pytest.mark.parametrize(("text", "line", "what"), BAD_HOOK)
def test_what_the_original_cannot_load_is_a_problem(text: str, line: int, what: str) -> None:
    problems = hook(text).problems
    found = [one for one in problems if what in str(one)]
    assert found, [str(one) for one in problems]
    assert found[0].line == line


BOMB = "[variables]\n" + "\n".join(f"V{n} = '${{V{n + 1}}}${{V{n + 1}}}'" for n in range(60))


def test_very_many_variables_are_refused() -> None:
    text = "[variables]\n" + "\n".join(f"V{n} = 'x'" for n in range(1001))
    assert any("more than 1000 variables" in one for one in said(hook(text)))


def test_a_long_chain_of_variables_is_followed() -> None:
    chain = "\n".join(f"V{n} = '${{V{n + 1}}}'" for n in range(900))
    level = hook(
        f"[variables]\n{chain}\nV900 = 'ls'\n[[deny]]\ntool = 'Bash'\ncommand_regex = '${{V0}}'"
    )
    assert answer(level, "Bash", command="ls") == "deny"


def test_variables_that_grow_without_end_are_stopped() -> None:
    assert any("grows too long" in one for one in said(hook(BOMB + "\nV60 = 'xxxxxxxx'")))


ODD = [
    ("[[allow]]\ntool = 'a'\nenabled = false\nid = 'x'", "unknown key `enabled` in [[allow]]"),
    ("[[allow]]\ntol = 'a'\ntool = 'b'\nid = 'x'", "did you mean `tool`?"),
    (
        "[a]\n[[a.allow]]\ntool = 'b'",
        "the original refuses a rule without `id`; here it is `a-allow-1`",
    ),
    ("[a]\nprioriti = 3\n[[a.allow]]\nid = 'i'\ntool = 'b'", "did you mean `priority`?"),
    ("[includes]\nsystem_prompt = 'x'", "`system_prompt` in [includes] has no effect"),
    ("[includes]\nfiles = [3, '']", "`3` is no file name and is skipped"),
    ("[llm_fallback]\nenabled = true", "enabled without `endpoint`, so it stays off"),
    ("[llm_fallback]\napi_key = 'k'", "`api_key` is not taken from a rules file"),
    ("[llm_fallback]\nmodl = 'k'", "unknown key `modl` is ignored"),
    ("[[allow]]\ntool_regex = '^Bash$'\nid = 'x'\nprompt_regex = 'p'", "its fields do not belong"),
    ("[[allow]]\ntool = 'Task'\nid = 'x'", "for Task it needs `subagent_type` or `prompt_regex`"),
]


@pytest.mark.parametrize(("text", "warning"), ODD)
def test_what_the_original_ignores_is_told(text: str, warning: str) -> None:
    level = hook(text)
    assert level.ok, said(level)
    assert any(warning in one for one in said(level)), said(level)


def test_an_advisor_without_an_address_stays_off_and_a_whole_one_is_used() -> None:
    off = hook("[llm_fallback]\nenabled = true\nmodel = 'm'")
    on = hook("[llm_fallback]\nenabled = true\nmodel = 'm'\nendpoint = 'https://x'")
    assert not build(off).advisor.enabled
    assert build(on).advisor.enabled


def test_the_including_file_wins_key_by_key_and_a_dropped_list_is_told() -> None:
    level = hook(
        "[includes]\nfiles = ['b.toml', 'c.toml']\n[[allow]]\ntool = 'A'\n"
        "[llm_fallback]\nmodel = 'm'",
        b_toml="[[allow]]\ntool = 'B'\n[[deny]]\ntool = 'D'\n[llm_fallback]\nmodel = 'x'\n"
        "endpoint = 'https://y'\n[includes]\nfiles = ['c.toml']",
        c_toml="[[deny]]\ntool = 'E'\nid = 'e'",
    )
    assert level.ok, said(level)
    assert [(rule.tool, rule.where.file) for rule in level.rules] == [("D", "b.toml"), ("A", HOOK)]
    assert (build(level).advisor.model, build(level).advisor.endpoint) == ("m", "https://y")
    told = "\n".join(said(level))
    assert f"b.toml:1: its 1 rule in `allow` is dropped, because `{HOOK}` has its own" in told
    assert "c.toml:1: its 1 rule in `deny` is dropped, because `b.toml` has its own" in told
    assert [file for file, _ in level.sources] == [HOOK, "b.toml", "c.toml"]


def test_a_missing_main_file_is_a_problem() -> None:
    assert "file not found" in said(read_permissions_hook(HOOK, {"x": b""}.get))[0]


def test_a_section_is_joined_from_two_files() -> None:
    level = hook(
        "[includes]\nfiles = ['b.toml']\n[s]\npriority = 1\n[[s.allow]]\nid = 'a'\ntool = 'A'",
        b_toml="[s]\npriority = 9\n[[s.deny]]\nid = 'd'\ntool = 'D'",
    )
    assert [(rule.id, rule.where.file) for rule in level.rules] == [("d", "b.toml"), ("a", HOOK)]


def test_a_problem_in_an_included_file_names_it() -> None:
    level = hook(
        "[includes]\nfiles = ['b.toml']", b_toml="[[deny]]\ntool = 'Bash'\ncommand_regex = '('"
    )
    assert [(one.file, one.line) for one in level.problems] == [("b.toml", 3)]


def test_the_originals_own_log_does_not_steer_penstocks_record() -> None:
    level = hook(FLAT)
    assert build(level).audit.file == ""
    assert level.settings["original"] == {"audit_file": "/var/log/a.json", "audit_level": "all"}


def test_the_rule_files_own_program_is_protected_from_agents() -> None:
    assert f"**/{HOOK}" in build(hook(FLAT)).layers[-1].rules[0].paths


# --- which dialect ----------------------------------------------------------------------

SHAPES = [
    ("penstock.toml", "[[deny]]\ntool = 'x'\n[logging]", False, "by name it is ours"),
    (HOOK, "", True, "by name it is the original's"),
    (HOOK, "version = 1", False, "unless it says otherwise"),
    ("r.toml", "[audit]\naudit_file = 'x'\n[[deny]]\ntool = 'a'", True, "flat, by its log"),
    ("r.toml", "[logging]\n[[deny]]\ntool = 'a'", True, "flat, by its older log"),
    ("r.toml", "[variables]\nA = 'x'", True, "the fork with variables"),
    ("r.toml", "[s]\n[[s.deny]]\nid = 'a'", True, "sections"),
    ("r.toml", "[[deny]]\ntool = 'a'", False, "nothing says that it is not ours"),
    ("r.toml", "[logging]\n[[deny]]\npaths = ['a']", False, "our own keys"),
    ("r.toml", "[audit]\nlevel = 'all'", False, "our own audit table"),
    ("r.toml", "[defaults]\nread = 'deny'\n[logging]", False, "our own tables"),
    ("r.toml", "", False, "nothing at all"),
]


@pytest.mark.parametrize(("file", "text", "original", "why"), SHAPES)
def test_a_file_is_told_by_its_name_and_its_shape(
    file: str, text: str, original: bool, why: str
) -> None:
    level = load.load(file, {file: text.encode()}.get)
    assert ("original" in level.settings) is original, why


def test_other_formats_are_told_by_their_ending() -> None:
    assert load.load("w.json", {"w.json": b"{}"}.get).rules[0].id == "protected"
    assert load.load("c.yml", {"c.yml": b""}.get).rules[0].id == "deny_path_globs"
