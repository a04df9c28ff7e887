"""Editing rules files: what an operation does to a text, and what it leaves alone."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from penstock.core.rule_edit.edit import EditError, EditResult, edited, parse_operation, told

FLAT = """\
# rules of this machine

[audit]
audit_file = "/tmp/x"

# about a
[[allow]]
id = "a"
tool = "Bash"   # the tool
command_regex = "^ls"

# about d
[[deny]]
id = "d"
tool = "Bash"
command_regex = 'rm'

[[allow]]
id = "b"
tool = "Read"
file_path_regex = "^/x"
"""
SECTIONED = """\
[logging]
review_log_file = "/tmp/x"

[security]
priority = 5

[[security.deny]]
id = "d"
tool = "Bash"
command_regex = "rm"

[[tools.allow]]
id = "a"
tool = "Read"
file_path_regex = "^/x"
"""
OWN = """\
version = 1
preset = "guard"

[[deny]]
id = "d"
paths = ["secrets/**"]

[[allow]]
id = "a"
paths = [
  "docs/**",  # written by people
  "notes/**",
]
"""
FORK = """\
[variables]
HOME = "$HOME"

[[allow]]
tool = "Bash"
command_regex = "^ls"
"""
NEW: dict[str, object] = {"id": "new", "tool": "Bash", "command_regex": "^npm install( |$)"}
FILE = "rules.toml"


def edit(text: str, *, file: str = FILE, **operation: object) -> EditResult:
    return edited({file: text.encode()}, parse_operation(operation))


def after(text: str, **operation: Any) -> str:
    made = dict(edit(text, **operation).texts)
    return made.popitem()[1].decode() if made else text


def refused(text: str, **operation: Any) -> str:
    with pytest.raises(EditError) as error:
        edit(text, **operation)
    return "; ".join(f"{one.field}: {one.error}" for one in error.value.details)


def add(text: str, **more: Any) -> str:
    return after(text, **{"type": "add_rule", "rule_type": "allow", "rule": NEW, **more})


# --- adding -----------------------------------------------------------------------------


@pytest.mark.parametrize("position", ["start", "end", {"before": "b"}, {"after": "a"}])
def test_adding_a_rule_and_removing_it_gives_the_bytes_from_before(position: object) -> None:
    made = add(FLAT, position=position)
    assert made != FLAT
    assert after(made, type="remove_rule", id="new") == FLAT


@pytest.mark.parametrize(
    ("position", "order"),
    [
        ("start", ["new", "a", "b"]),
        ("end", ["a", "b", "new"]),
        ({"before": "b"}, ["a", "new", "b"]),
        ({"after": "a"}, ["a", "new", "b"]),
        ({"after": "b"}, ["a", "b", "new"]),
        ({"before": "a"}, ["new", "a", "b"]),
    ],
)
def test_a_position_is_among_the_rules_of_one_kind(position: object, order: list[str]) -> None:
    made = tomllib.loads(add(FLAT, position=position))
    assert [rule["id"] for rule in made["allow"]] == order


def test_a_rule_keeps_close_to_the_one_it_was_put_after() -> None:
    made = add(FLAT, position={"after": "a"})
    assert made.index('id = "a"') < made.index('id = "new"') < made.index('id = "d"')


def test_what_was_added_is_told_with_its_line() -> None:
    (change,) = edit(FLAT, type="add_rule", rule_type="allow", rule=NEW).changes
    assert told(change, dry_run=False) == "Added rule 'new' to rules.toml at line 23"
    assert told(change, dry_run=True) == "Would add rule 'new' at line 23"
    assert add(FLAT).splitlines()[22] == "[[allow]]"


def test_a_rule_is_written_id_first_and_its_regex_readable() -> None:
    rule = {"tool": "Bash", "command_regex": r"^\w+ 'x'", "command_exclude_regex": r"\|", "id": "n"}
    text = add(FLAT, rule=rule)
    assert text.endswith(
        '\n[[allow]]\nid = "n"\ntool = "Bash"\n'
        "command_regex = \"^\\\\w+ 'x'\"\ncommand_exclude_regex = '\\|'\n"
    )


def test_characters_that_nobody_sees_are_written_as_escapes() -> None:
    text = add(FLAT, rule={**NEW, "description": "a\u202eb\u200b\x1b[2J\U000e0041"})
    assert 'description = "a\\u202Eb\\u200B\\u001B[2J\\U000E0041"' in text


def test_a_long_list_gets_a_line_for_each_element() -> None:
    paths = [f"src/part-{n}/**" for n in range(9)]
    text = add(OWN, file="penstock.toml", rule={"id": "n", "paths": paths})
    assert '\npaths = [\n  "src/part-0/**",\n' in text


SECTIONS = [
    ({}, "[[rules.allow]]", "the usual section, made by the rule itself"),
    ({"section": "tools"}, "[[tools.allow]]", "a section that is there"),
    ({"section": "more"}, "[[more.allow]]", "one that is not"),
    ({"position": {"before": "a"}}, "[[tools.allow]]", "the section of the rule it goes before"),
    ({"rule_type": "deny", "section": "tools"}, "[[tools.deny]]", "no rule of that kind there"),
]


@pytest.mark.parametrize(("more", "header", "why"), SECTIONS)
def test_a_rule_in_a_file_with_sections_goes_into_one(
    more: dict[str, Any], header: str, why: str
) -> None:
    made = add(SECTIONED, **more)
    assert made.count(header) == SECTIONED.count(header) + 1, why


def test_a_file_of_the_original_without_rules_may_get_sections() -> None:
    name = "claude-code-permissions-hook.toml"
    assert "[[mine.allow]]" in add("", file=name, section="mine")
    assert add("", file=name).startswith("[[allow]]\n")
    assert "[[rules.allow]]" in add('[logging]\nreview_log_file = "x"\n', file=name)


def test_the_fork_that_refuses_ids_gets_them_as_comments() -> None:
    made = add(FORK, rule={**NEW, "description": "for node"})
    assert '\n# id: new\n# for node\n[[allow]]\ntool = "Bash"\n' in made
    assert after(made, type="remove_rule", id="new") == FORK
    assert "allow rules" not in refused(FORK, type="update_rule", id="x", changes={"tool": "a"})
    told_ = refused(made, type="update_rule", id="new", changes={"description": "x"})
    assert "refuses rules with `description`" in told_


def test_rules_without_an_id_are_known_by_their_number() -> None:
    assert after(FORK, type="remove_rule", id="allow-1") == '[variables]\nHOME = "$HOME"\n'
    assert "not found" in refused(FORK, type="remove_rule", id="allow-2")
    assert "not found" in refused(FLAT, type="remove_rule", id="allow-1")
    nameless = SECTIONED.replace('id = "a"\n', "")
    assert "tools.allow" not in after(nameless, type="remove_rule", id="tools-allow-1")


# --- refused ----------------------------------------------------------------------------

INLINE = 'allow = [{id = "x", tool = "Bash"}]\n[logging]\nlog_file = "x"\n'
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    (FLAT, {"type": "add_rule", "rule": {**NEW, "id": "a"}}, "Rule with id 'a' already exists"),
    (FLAT, {"type": "add_rule", "rule_type": "ask"}, "has no ask rules"),
    (FLAT, {"type": "add_rule", "section": "x"}, "section: this file has no sections"),
    (FLAT, {"type": "add_rule", "position": {"before": "z"}}, "position.before: Rule with id 'z'"),
    (FLAT, {"type": "add_rule", "position": {"after": "d"}}, "rule 'd' is in `deny`, not in"),
    (SECTIONED, {"type": "add_rule", "section": "logging"}, "is not a section of rules"),
    (SECTIONED, {"type": "add_rule", "position": {"after": "d"}}, "not in `security.allow`"),
    (INLINE, {"type": "add_rule"}, "are inline tables, which can't be edited"),
    (INLINE, {"type": "remove_rule", "id": "x"}, "are inline tables, which can't be edited"),
    (SECTIONED, {"type": "add_rule", "section": "allow"}, "`allow` is not a section of rules"),
    ("allow = []\n", {"type": "add_rule"}, "are inline tables, which can't be edited"),
    ("allow = 1\n", {"type": "add_rule"}, "`allow` is not a table of rules"),
    ("[allow]\nx = 1\n", {"type": "add_rule"}, "`allow` is not a table of rules"),
    (
        "tools = {allow = [{id = 'x'}]}\n",
        {"type": "add_rule", "section": "tools"},
        "are inline tables, which can't be edited",
    ),
    (FLAT, {"type": "remove_rule", "id": "aa"}, "id: Rule with id 'aa' not found"),
    (FLAT, {"type": "update_rule", "id": "a", "changes": {"id": "c"}}, "id cannot be changed"),
    (FLAT, {"type": "update_rule", "id": "a", "changes": {"model": "c"}}, "unknown field `model`"),
    (FLAT, {"type": "toggle_rule", "id": "z", "enabled": True}, "not found"),
    (FLAT, {"type": "reorder_rule", "id": "a", "move_to": {"after": "d"}}, "move_to.after"),
    (FLAT, {"type": "update_llm_config", "changes": {"api_key": "s"}}, "`api_key` cannot be set"),
    (FLAT, {"type": "update_llm_config", "changes": {"tool": "s"}}, "unknown key `tool`"),
    (
        "llm_fallback = {}\n",
        {"type": "update_llm_prompt", "prompt": "x"},
        "is an inline table, which can't be edited",
    ),
    ("llm_fallback = 1\n", {"type": "update_llm_prompt", "prompt": "x"}, "is no table"),
    (FLAT, {"type": "remove_include", "path": "x"}, "`x` is not included"),
    ("includes.files = ['x']\n", {"type": "add_include", "path": "x"}, "included already"),
    ("includes = 1\n", {"type": "add_include", "path": "x"}, "`includes.files` is no list"),
    (FLAT, {"type": "rollback", "to_commit": "abcd"}, "a rollback is not a text edit"),
    ("a b\n", {"type": "remove_rule", "id": "a"}, "Expected '=' after key at line 1"),
]


@pytest.mark.parametrize(("text", "operation", "why"), REFUSED)
def test_an_edit_that_cannot_be_made_says_why(
    text: str, operation: dict[str, Any], why: str
) -> None:
    if operation["type"] == "add_rule":
        operation = {"rule_type": "allow", "rule": NEW, **operation}
    assert why in refused(text, **operation)


def test_a_file_that_was_not_read_is_not_edited() -> None:
    operation = parse_operation({"type": "remove_rule", "id": "a", "target_file": "other.toml"})
    with pytest.raises(EditError, match="was not read"):
        edited({FILE: FLAT.encode()}, operation)
    with pytest.raises(EditError, match="no file named"):
        edited({}, parse_operation({"type": "remove_rule", "id": "a"}))


def test_a_result_that_is_too_large_is_refused() -> None:
    large = FLAT + "#" * (8 * 1024 * 1024 - len(FLAT) - 10) + "\n"
    assert "larger than" in refused(large, type="add_rule", rule_type="allow", rule=NEW)


# --- changing ---------------------------------------------------------------------------


def test_a_changed_value_keeps_its_line_its_quotes_and_its_comment() -> None:
    text = after(
        FLAT,
        type="update_rule",
        id="a",
        changes={"tool": "Task", "command_regex": None, "prompt_regex": "^x"},
    )
    old = 'id = "a"\ntool = "Bash"   # the tool\ncommand_regex = "^ls"\n'
    new = 'id = "a"\ntool = "Task"   # the tool\nprompt_regex = "^x"\n'
    assert text == FLAT.replace(old, new)
    text = after(FLAT, type="update_rule", id="d", changes={"command_regex": "rm -r"})
    assert text == FLAT.replace("'rm'", "'rm -r'")


def test_what_changes_nothing_changes_nothing() -> None:
    for operation in (
        {"type": "update_rule", "id": "a", "changes": {"tool": "Bash", "id": "a", "reason": None}},
        {"type": "toggle_rule", "id": "a", "enabled": True},
        {"type": "reorder_rule", "id": "a", "move_to": "start"},
        {"type": "reorder_rule", "id": "a", "move_to": {"before": "a"}},
        {"type": "reorder_rule", "id": "b", "move_to": {"after": "a"}},
        {"type": "update_llm_config", "changes": {"model": None}},
        {"type": "validate"},
    ):
        made = edit(FLAT, **operation)
        assert (made.texts, made.changes) == ({}, ())


def test_a_moved_rule_takes_its_comments_along_and_others_stay_between() -> None:
    text = after(FLAT, type="reorder_rule", id="b", move_to="start")
    b = '[[allow]]\nid = "b"\ntool = "Read"\nfile_path_regex = "^/x"\n'
    assert text == FLAT.replace(f"\n{b}", "").replace("# about a", f"{b}\n# about a")
    text = after(FLAT, type="reorder_rule", id="a", move_to="end")
    assert text.endswith(
        '# about a\n[[allow]]\nid = "a"\ntool = "Bash"   # the tool\n' + ('command_regex = "^ls"\n')
    )


def test_removing_a_rule_takes_the_comment_above_it_and_no_other() -> None:
    text = after(FLAT, type="remove_rule", id="d")
    assert text == FLAT.replace(
        '# about d\n[[deny]]\nid = "d"\ntool = "Bash"\ncommand_regex = \'rm\'\n\n', ""
    )


def test_in_our_own_format_a_rule_is_disabled_by_its_key() -> None:
    file = "penstock.toml"
    off = after(OWN, file=file, type="toggle_rule", id="d", enabled=False)
    line = "enabled = false  # disabled by decision_reviewer\n"
    assert off == OWN.replace('["secrets/**"]\n', f'["secrets/**"]\n{line}')
    assert after(off, file=file, type="toggle_rule", id="d", enabled=True) == OWN
    own = OWN.replace('id = "d"', 'id = "d"\nenabled = true  # mine')
    off = after(own, file=file, type="toggle_rule", id="d", enabled=False)
    assert off == own.replace("enabled = true", "enabled = false")
    assert after(off, file=file, type="toggle_rule", id="d", enabled=True) == own


def test_in_the_originals_formats_a_rule_is_commented_out_under_a_line_that_names_it() -> None:
    for text in (FLAT, FLAT.replace("\n\n", "\n"), FLAT.replace("\n", "\r\n"), SECTIONED):
        off = after(text, type="toggle_rule", id="a", enabled=False)
        assert "# disabled by decision_reviewer: a" in off
        rules = tomllib.loads(off).get("allow", [])
        assert "a" not in [rule["id"] for rule in rules]
        assert after(off, type="toggle_rule", id="a", enabled=True) == text


def test_a_disabled_rule_can_be_removed_and_nothing_else() -> None:
    off = after(FLAT, type="toggle_rule", id="a", enabled=False)
    gone = edit(off, type="remove_rule", id="a")
    assert "disabled by" not in dict(gone.texts)[FILE].decode()
    assert told(gone.changes[0], dry_run=False) == "Removed rule 'a' from rules.toml at line 7"
    assert "is disabled" in refused(off, type="update_rule", id="a", changes={"tool": "x"})
    assert "already exists" in refused(
        off, type="add_rule", rule_type="allow", rule={**NEW, "id": "a"}
    )
    for changed in ("# id", '# id = "other"', '# id = "a"\n# [[allow]]'):
        broken = off.replace('# id = "a"', changed)
        assert "were changed while" in refused(broken, type="toggle_rule", id="a", enabled=True)


def test_two_nameless_rules_are_not_disabled_under_one_name() -> None:
    text = FORK + '\n[[allow]]\ntool = "Bash"\ncommand_regex = "^cat"\n'
    off = after(text, type="toggle_rule", id="allow-1", enabled=False)
    assert "is disabled already" in refused(off, type="toggle_rule", id="allow-1", enabled=False)


def test_a_rule_in_two_places_is_not_commented_out() -> None:
    text = FLAT + "\n[[deny]]\nid = 'e'\n\n[allow.meta]\nx = 1\n"
    assert "two places" in refused(text, type="toggle_rule", id="b", enabled=False)
    assert tomllib.loads(after(text, type="remove_rule", id="b"))["allow"] == [
        {"id": "a", "tool": "Bash", "command_regex": "^ls"}
    ]


# --- settings ---------------------------------------------------------------------------

LLM = '[llm_fallback]\nmodel = "m"  # which\nenabled = false\n\n[includes]\nfiles = ["a.toml"]\n'
SETTINGS: list[tuple[str, dict[str, Any], str, str]] = [
    (
        LLM,
        {"type": "update_llm_config", "changes": {"model": "n", "timeout_secs": 9}},
        LLM.replace('"m"', '"n"').replace("false\n", "false\ntimeout_secs = 9\n"),
        "not behind the last header",
    ),
    (
        LLM,
        {"type": "update_llm_prompt", "prompt": "be\nstrict"},
        LLM.replace("false\n", 'false\nsystem_prompt = """\nbe\nstrict"""\n'),
        "several lines",
    ),
    (
        LLM,
        {"type": "update_llm_config", "changes": {"model": None}},
        LLM.replace('model = "m"  # which\n', ""),
        "null takes a key out",
    ),
    (
        'llm_fallback.model = "m"\nx = 1\n',
        {"type": "update_llm_config", "changes": {"model": "n", "enabled": True}},
        'llm_fallback.model = "n"\nllm_fallback.enabled = true\nx = 1\n',
        "dotted keys stay dotted",
    ),
    (
        "",
        {"type": "update_llm_config", "changes": {"provider_preferences": ["a", "b"]}},
        '[llm_fallback]\nprovider_preferences = ["a", "b"]\n',
        "a new table",
    ),
    (
        LLM,
        {"type": "add_include", "path": "b.toml"},
        LLM.replace('"a.toml"', '"a.toml", "b.toml"'),
        "",
    ),
    (LLM, {"type": "remove_include", "path": "a.toml"}, LLM.replace('"a.toml"', ""), ""),
    ("[includes]\n", {"type": "add_include", "path": "b"}, '[includes]\nfiles = ["b"]\n', ""),
]


@pytest.mark.parametrize(("text", "operation", "expected", "why"), SETTINGS)
def test_settings_are_changed_where_they_stand(
    text: str, operation: dict[str, Any], expected: str, why: str
) -> None:
    assert after(text, **operation) == expected, why


LISTS = [
    ("[]", "b", '["b"]', None),
    ("[ # none\n]", "b", '["b", # none\n]', None),
    ('["a",]', "b", '["a", "b"]', 0),
    ("['a' , 'c']", "b", "['a' , 'c', \"b\"]", 0),
    ('[\n  "a"\n]', "b", '[\n  "a",\n  "b"\n]', 0),
    ('[\n  "a",  # one\n  "c",  # two\n]', "b", '[\n  "a",  # one\n  "c",  # two\n  "b",\n]', 1),
    ('[\n  "a"  # one\n  , "c" # two\n]', "b", '[\n  "a"  # one\n  , "c", # two\n  "b"\n]', 0),
    ('["a", # one\n]', "b", '["a", # one\n  "b",\n]', 0),
]


@pytest.mark.parametrize(("files", "name", "expected", "drop"), LISTS)
def test_a_list_keeps_its_layout_and_its_comments(
    files: str, name: str, expected: str, drop: int | None
) -> None:
    text = f"[includes]\nfiles = {files}\n"
    made = after(text, type="add_include", path=name)
    assert made == f"[includes]\nfiles = {expected}\n"
    if drop is not None:
        gone = tomllib.loads(text)["includes"]["files"][drop]
        left = after(made, type="remove_include", path=gone)
        assert gone not in tomllib.loads(left)["includes"]["files"]
        assert left.count("# ") >= text.count("# ") - 1


# --- batch ------------------------------------------------------------------------------


def test_a_batch_goes_over_several_files_or_over_none() -> None:
    texts = {"a.toml": FLAT.encode(), "b.toml": LLM.encode()}
    parts = [
        {"type": "add_rule", "rule_type": "allow", "rule": NEW},
        {"type": "update_rule", "id": "new", "changes": {"tool": "Task"}},
        {"type": "update_llm_config", "changes": {"model": "n"}, "target_file": "b.toml"},
    ]
    batch = {"type": "batch", "target_file": "a.toml", "operations": parts}
    made = edited(texts, parse_operation(batch))
    assert set(made.texts) == {"a.toml", "b.toml"}
    assert [told(one, dry_run=False) for one in made.changes] == [
        "Added rule 'new' to a.toml at line 23",
        "Updated rule 'new' in a.toml at line 23",
        "Updated llm_fallback (model) in b.toml at line 1",
    ]
    parts.append({"type": "remove_rule", "id": "zz"})
    with pytest.raises(EditError) as error:
        edited(texts, parse_operation(batch))
    assert error.value.details[0].field == "operations[3].id"


def test_what_one_part_added_another_may_take_away() -> None:
    parts = [
        {"type": "add_rule", "rule_type": "allow", "rule": NEW},
        {"type": "toggle_rule", "id": "a", "enabled": False},
        {"type": "remove_rule", "id": "new"},
        {"type": "toggle_rule", "id": "a", "enabled": True},
        {"type": "reorder_rule", "id": "a", "move_to": "end"},
    ]
    made = after(FLAT, type="batch", operations=parts)
    assert made == after(FLAT, type="reorder_rule", id="a", move_to="end")


# --- traps of TOML ----------------------------------------------------------------------

TRAPS = [
    ('x = """\n[[allow]]\nid = "a"\n"""\n\n', "a rule inside a string"),
    ("x = '''\n# [[allow]]'''\n", "a comment inside a string, above a header"),
    ('["a.b"]\n"[[allow]]" = 1\n\n', "a name that looks like a header"),
    ('[x]\ny = [\n  "[[allow]]",\n  # ]\n]\n\n', "brackets inside a list"),
    ("#:schema x.json\n", "a line that belongs to the file"),
    ("\ufeff", "a byte order mark"),
    ("   \n\t\n", "lines of blanks"),
]


@pytest.mark.parametrize(("head", "why"), TRAPS)
def test_traps_are_not_stepped_into(head: str, why: str) -> None:
    rules = '[[allow]]\nid = "r"\ntool = "Bash"\n\n[[allow]]\nid = "s"\n'
    text = head + rules
    made = add(text, position="start")
    assert made.startswith(head), why
    assert made.endswith(rules)
    assert after(made, type="remove_rule", id="new") == text
    assert after(text, type="remove_rule", id="s") == text.replace('\n[[allow]]\nid = "s"\n', "")
    moved = after(text, type="reorder_rule", id="s", move_to="start")
    assert moved.startswith(head)
    off = after(text, type="toggle_rule", id="r", enabled=False)
    assert after(off, type="toggle_rule", id="r", enabled=True) == text


def test_a_comment_below_the_last_line_of_a_rule_stays_with_it_when_one_is_added() -> None:
    text = FLAT.replace('"^ls"\n', '"^ls"\n# that was a\n')
    made = add(text, position={"after": "a"})
    assert '"^ls"\n# that was a\n\n[[allow]]\nid = "new"' in made
    assert after(made, type="remove_rule", id="new") == text


def test_a_comment_at_the_end_of_a_file_does_not_become_that_of_a_new_rule() -> None:
    text = '[[allow]]\nid = "a"\n[[allow]]\nid = "b"\n# the end\n'
    made = add(text)
    assert "# the end\n\n[[allow]]" in made
    assert after(made, type="remove_rule", id="new") == text


def test_rules_without_blank_lines_between_them_stay_so() -> None:
    text = '[[allow]]\nid = "a"\n[[allow]]\nid = "b"\n'
    for position in ("start", "end", {"after": "a"}):
        made = add(text, position=position, rule={"id": "n", "tool": "Bash"})
        assert "\n\n" not in made
        assert after(made, type="remove_rule", id="n") == text


# --- large files ------------------------------------------------------------------------


def test_a_large_file_is_edited_like_a_small_one() -> None:
    rule = '# number {0}\n[[allow]]\nid = "r{0}"\ntool = "Bash"\ncommand_regex = "^x{0}"\n\n'
    text = FLAT + "\n" + "".join(rule.format(number) for number in range(3100))
    made = add(text, position={"after": "r1000"})
    assert made.count("\n") == text.count("\n") + 5
    assert tomllib.loads(made)["allow"][1003] == NEW
    assert after(made, type="remove_rule", id="new") == text
    moved = after(text, type="reorder_rule", id="r3000", move_to="start")
    assert tomllib.loads(moved)["allow"][0]["id"] == "r3000"


def test_many_operations_on_a_large_file_take_one_walk() -> None:
    rule = '[[allow]]\nid = "r{0}"\ntool = "Bash"\ncommand_regex = "^x{0}"\n\n'
    text = "".join(rule.format(number) for number in range(1500))
    parts = [{"type": "remove_rule", "id": f"r{number}"} for number in range(0, 1500, 3)]
    left = tomllib.loads(after(text, type="batch", operations=parts))["allow"]
    assert [one["id"] for one in left] == [f"r{n}" for n in range(1500) if n % 3]


@pytest.mark.parametrize(
    ("text", "operation", "hint"),
    [
        (FLAT, {"type": "remove_rule", "id": "zz"}, "one of `a`, `b`, `d`"),
        ("", {"type": "remove_rule", "id": "zz"}, "there is none in this file"),
        ("", {"type": "remove_include", "path": "x.toml"}, "there is none in this file"),
        (
            SECTIONED,
            {"type": "reorder_rule", "id": "d", "move_to": {"after": "zz"}},
            "one of `a`, `d`",
        ),
    ],
)
def test_what_is_not_there_is_told_with_what_is(
    text: str, operation: dict[str, Any], hint: str
) -> None:
    with pytest.raises(EditError) as error:
        edit(text, **operation)
    assert error.value.details[0].suggestion == hint


@pytest.mark.parametrize("head", ["# of this machine\n\n", '[logging]\nlog_file = "/x"\n\n', ""])
def test_new_settings_do_not_come_between_a_section_and_its_rules(head: str) -> None:
    """A settings table in there would look as if the rules behind it were of no section."""
    section = '[tools]\npriority = 5\n\n[[tools.deny]]\nid = "d"\ntool = "Read"\n'
    made = after(head + section, type="update_llm_config", changes={"model": "m"})
    assert section in made
    assert made.replace(section, "").strip().endswith('[llm_fallback]\nmodel = "m"')
    assert tomllib.loads(made)["llm_fallback"] == {"model": "m"}
    assert after(made, type="update_llm_config", changes={"model": None}).count("[tools]") == 1


def test_no_rule_is_named_as_defaults_are() -> None:
    told_ = refused(FLAT, type="add_rule", rule_type="allow", rule={**NEW, "id": "default.run"})
    assert told_.startswith("rule.id: ids that begin with `default.`")
