"""Which edits would allow more, and which surely do not."""

from __future__ import annotations

import pytest

from penstock.core.rule_edit.edit import widens

OWN = """\
version = 1
outside_project = "ask"
[defaults]
write = "ask"
[approval]
rules = "person"
[[allow]]
id = "a"
tool = "Bash"
command_regex = "^ls"
[[deny]]
id = "d"
paths = ["**/.env", "secrets/**"]
not_paths = ["**/.env.example"]
[[warn]]
id = "w"
paths = ["src/**"]
"""
FLAT = """\
[logging]
log_file = "/tmp/x"
[[allow]]
id = "a"
tool = "Bash"
command_regex = "^ls"
[[deny]]
id = "d"
tool = "Bash"
command_regex = "rm"
command_exclude_regex = "^echo"
"""
SECTIONED = """\
[security]
priority = 5
[[security.deny]]
id = "d"
tool = "Bash"
command_regex = "rm"
[[tools.allow]]
id = "a"
tool = "Bash"
command_regex = "^ls"
"""
RULE = '\n[[{}]]\nid = "n"\ntool = "Bash"\ncommand_regex = "^cat"\n'


def why(before: str, after: str, file: str) -> str:
    return "; ".join(widens({file: before.encode()}, {file: after.encode()}))


# (file, text, what is replaced, by what, part of the reason or "" for none)
CASES = [
    (OWN, "", RULE.format("allow"), "allow rule 'n' is new"),
    (OWN, "", RULE.format("allow") + "enabled = false\n", ""),
    (OWN, "", RULE.format("deny"), ""),
    (OWN, "", RULE.format("ask"), ""),
    (OWN, "", RULE.format("warn"), "warn rule 'n' is new"),
    (OWN, '"^ls"', '"^ls -l"', "may allow more: `command_regex`"),
    (OWN, '"^ls"', '"^ls"\ncommand_exclude_regex = ";"', ""),
    (OWN, '"^ls"', '"^ls"\ndescription = "lists"', ""),
    (OWN, '"^ls"', '"^ls"\nenabled = false', ""),
    (OWN, '"^ls"', '"^ls"\nexpires_at = "2030-01-01"', ""),
    (OWN, 'command_regex = "^ls"\n', "", "may allow more: `command_regex`"),
    (OWN, '[[allow]]\nid = "a"\ntool = "Bash"\ncommand_regex = "^ls"\n', "", ""),
    (OWN, '"**/.env", "secrets/**"', '"**/.env"', "deny rule 'd' may deny less: `paths`"),
    (OWN, '"**/.env", "secrets/**"', '"**/.env", "secrets/**", "b"', ""),
    (OWN, 'not_paths = ["**/.env.example"]', "", ""),
    (OWN, '["**/.env.example"]', '["**/.env.example", "x"]', "`not_paths`"),
    (OWN, 'id = "d"', 'id = "d"\nenabled = false', "may deny less: `enabled`"),
    (OWN, 'id = "d"', 'id = "d2"', "deny rule 'd' is gone"),
    (OWN, '[[warn]]\nid = "w"\npaths = ["src/**"]\n', "", "warn rule 'w' is gone"),
    (OWN, '["src/**"]', '["src/**", "b"]', "warn rule 'w'"),
    (OWN, 'write = "ask"', 'write = "allow"', "`defaults.write`"),
    (OWN, 'write = "ask"', 'write = "deny"', ""),
    (OWN, 'write = "ask"', 'write = "ask"\nrun = "ask"', ""),
    (OWN, 'write = "ask"', 'write = "ask"\ncreate = "allow"', "`defaults.create`"),
    (OWN, 'outside_project = "ask"', 'outside_project = "none"', "`outside_project`"),
    (OWN, 'outside_project = "ask"', 'outside_project = "deny"', ""),
    (OWN, 'outside_project = "ask"', "", "`outside_project`"),
    (OWN, 'rules = "person"', 'rules = "switch"', "`approval.rules`"),
    (OWN, 'rules = "person"', 'rules = "person"\nrequire_key = true', ""),
    (OWN, "version = 1", 'version = 1\ndisable = ["x"]', "`disable`"),
    (OWN, "version = 1", 'version = 1\npreset = "guard"', "`preset`"),
    (OWN, "version = 1\n", "", ""),
    (OWN, "", '[includes]\nfiles = ["x.toml"]\n', "`includes.files`"),
    (OWN, "", '[llm_fallback]\nmodel = "x"\n', ""),
    (OWN, "", '[llm_fallback]\nenabled = true\nmodel = "x"\n', "`llm_fallback.enabled`"),
    (OWN, "", RULE.format("deny") + RULE.format("deny"), "is there several times"),
    (OWN, "[[allow]]", '[[allow]]\nid = "a"\ntool = "Bash"\n\n[[allow]]', "several times"),
    (OWN, "", "[broker]\nauto_apply = true\n", "`broker.auto_apply`"),
    (OWN, 'write = "ask"', "write = 1", "`defaults.write`"),
    (FLAT, "", RULE.format("allow"), "allow rule 'n' is new"),
    (FLAT, "", RULE.format("deny"), ""),
    (FLAT, 'command_exclude_regex = "^echo"\n', "", ""),
    (FLAT, '"^ls"', '"^ls"\nfile_path_regex = "x"', "`file_path_regex`"),
    (FLAT, 'id = "d"\n', "", "deny rule 'd' is gone"),
    (FLAT, 'id = "a"\n', "", "is new"),
    (FLAT, "log_file", "log_level", "`logging.log_file`"),
    (SECTIONED, "priority = 5", 'priority = 7\ndescription = "x"', ""),
    (SECTIONED, "priority = 5", "enabled = true", ""),
    (SECTIONED, "priority = 5", "enabled = false", "`security.enabled`"),
    (SECTIONED, "", RULE.format("tools.allow"), "allow rule 'n' is new"),
    (SECTIONED, "", RULE.format("more.deny"), ""),
    (SECTIONED, '"rm"', '"rm "', "deny rule 'd' may deny less"),
]
FILES = {OWN: "penstock.toml", FLAT: "claude-code-permissions-hook.toml", SECTIONED: "x.toml"}


@pytest.mark.parametrize(("text", "old", "new", "reason"), CASES)
def test_an_edit_widens_unless_it_surely_does_not(
    text: str, old: str, new: str, reason: str
) -> None:
    assert old in text
    after = text.replace(old, new, 1) if old else text + new
    told = why(text, after, FILES[text])
    assert (reason in told) if reason else not told, told


def test_the_first_denial_beside_an_include_hides_those_of_the_include() -> None:
    before = '[includes]\nfiles = ["more.toml"]\n[logging]\nlog_file = "x"\n'
    file = FILES[FLAT]
    assert "now hides" in why(before, before + RULE.format("deny"), file)
    allow = before + RULE.format("allow")
    assert "no longer hides" in why(allow, before, file)


def test_an_id_that_makes_bare_rules_match_is_told() -> None:
    bare = '[logging]\nlog_file = "x"\n[[allow]]\ntool = "WebFetch"\n'
    assert "now match" in why(bare, bare + RULE.format("deny"), FILES[FLAT])


def test_a_word_that_tells_the_dialect_is_more_than_a_word() -> None:
    """With `reason` commands are looked at one by one; without it `^ls` allows `ls; rm x`."""
    telling = FLAT.replace('"^ls"', '"^ls"\nreason = "lists"')
    assert "another of the original's dialects" in why(telling, FLAT, FILES[FLAT])
    assert "another of the original's dialects" in why(FLAT, telling, FILES[FLAT])


def test_what_cannot_be_read_is_a_reason() -> None:
    assert why("[[", OWN, "penstock.toml") == "it is unknown what was allowed before"
    assert "read in another way" in why(FLAT, OWN, "rules.toml")
    assert "is new" in "; ".join(widens({}, {"penstock.toml": OWN.encode()}))
    assert not why(OWN, OWN, "penstock.toml")


ADVISOR = '[llm_fallback]\nenabled = {}\nmodel = "m"\n'


@pytest.mark.parametrize(("was", "now"), [("true", "false"), ("false", "true")])
def test_an_advisor_that_is_switched_is_a_reason(was: str, now: str) -> None:
    """Asked, it makes answers stricter; and what it is asked leaves the machine."""
    assert "llm_fallback" in why(ADVISOR.format(was), ADVISOR.format(now), FILES[OWN])


@pytest.mark.parametrize(
    ("text", "wider"),
    [("version = 1\n", True), ('preset = "guard"\n', False), ('preset = "strict"\n', False)],
)
def test_a_first_rules_file_takes_the_place_of_the_preset(text: str, wider: bool) -> None:
    told = widens({}, {FILES[OWN]: text.encode()})
    assert any("takes the place of the preset" in one for one in told) == wider
