"""Named sets of globs: what a name stands for, where it is known, and what is wrong with one."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from penstock import presets
from penstock.core.policy.compile import compile_policy
from penstock.core.rule_edit.edit import edited, parse_operation, widens
from penstock.core.rule_edit.toml.write import toml_value
from penstock.core.rules import load
from penstock.core.rules.folder_layer import nested_layer
from penstock.core.rules.sets import MOST_NESTED, one_path, set_name

FILE = "penstock.toml"


def level(text: str, **others: str) -> load.LoadResult:
    named = {name.replace("_", "."): other.encode() for name, other in others.items()}
    return load.load(FILE, {FILE: text.encode(), **named}.get)


def paths(text: str, **others: str) -> tuple[str, ...]:
    found = level(text, **others)
    assert not found.problems, [str(one) for one in found.problems]
    return next(rule.paths for rule in found.rules if rule.where.file == FILE)


# --- what is a name, and what it stands for ---------------------------------------------------

NAMES = [
    ("@lock-files", "lock-files"),
    ("@Lock_Files2", "Lock_Files2"),
    ("@", ""),
    ("@a.b", "a.b"),
    ("@types/**", None),
    ("@types/node", None),
    ("**/@types/**", None),
    ("packages/@scope/a.ts", None),
    ("./@name", None),
    ("@*", None),
    ("@?", None),
    ("a@b", None),
    ("lock-files", None),
]


@pytest.mark.parametrize(("element", "name"), NAMES)
def test_only_an_element_that_begins_with_the_mark_and_has_no_slash_is_a_name(
    element: str, name: str | None
) -> None:
    assert set_name(element) == name


MEANINGS = [
    ('s = ["a"]', '"@s"', ("a",)),
    ('s = ["a", "b"]', '"c", "@s", "d"', ("c", "a", "b", "d")),
    ('s = ["a"]\nt = ["@s", "b"]', '"@t"', ("a", "b")),
    ('t = ["@s", "b"]\ns = ["a"]', '"@t"', ("a", "b")),
    ('s = ["a", "b"]\nt = ["b", "@s"]', '"@t", "@s", "a"', ("b", "a")),
    ('s = ["@types/**"]', '"@s", "@scope/*"', ("@types/**", "@scope/*")),
    ('s = ["a"]', '"./@s"', ("./@s",)),
]


@pytest.mark.parametrize(("sets", "listed", "expected"), MEANINGS)
def test_a_name_stands_for_the_globs_of_its_set(
    sets: str, listed: str, expected: tuple[str, ...]
) -> None:
    for rules in (f"[[deny]]\npaths = [{listed}]\n", f"[[ask]]\nnot_paths = [{listed}]\ntree=true"):
        found = level(f"[sets]\n{sets}\n{rules}")
        assert not found.problems
        rule = found.rules[0]
        assert expected in (rule.paths, rule.not_paths)


def test_an_exception_can_name_sets() -> None:
    text = '[sets]\ns = ["a/**"]\n[[deny]]\nid = "x"\npaths = ["**"]\n'
    found = level(f'{text}[[except]]\nrule = "x"\npaths = ["@s", "b"]\n')
    assert found.rules[0].excepts[0].paths == ("a/**", "b")


def test_a_rules_examples_are_held_against_its_sets() -> None:
    text = '[sets]\ns = ["a/**"]\n[[deny]]\npaths = ["@s"]\nmatch = ["a/b"]\nnot_match = ["b"]\n'
    assert level(text).ok
    assert not level(text.replace('["a/b"]', '["b"]')).ok


# --- where a name is known --------------------------------------------------------------------

RULE = '[[deny]]\nid = "mine"\npaths = ["@s"]\n'
THEIRS = '[sets]\ns = ["theirs"]\n[[deny]]\nid = "theirs"\npaths = ["@s"]\n'


def test_a_file_knows_the_sets_of_its_preset() -> None:
    assert "**/uv.lock" in paths('preset = "guard"\n[[ask]]\npaths = ["@lock-files"]\n')
    strict = paths('preset = "strict"\n[[ask]]\npaths = ["@lock-files", "x"]\n')
    assert "**/uv.lock" in strict, "of a preset of its preset, too"


def test_a_file_knows_the_sets_of_the_files_that_it_includes() -> None:
    text = f'[includes]\nfiles = ["a.toml"]\n{RULE}'
    assert paths(text, a_toml=f"version = 1\n{THEIRS}") == ("theirs",)
    further = '[includes]\nfiles = ["b.toml"]\n[defaults]\nread = "allow"\n'
    assert paths(text, a_toml=further, b_toml=f"version = 1\n{THEIRS}") == ("theirs",)


def test_of_two_sets_with_one_name_each_file_means_its_own() -> None:
    text = f'[includes]\nfiles = ["a.toml"]\n[sets]\ns = ["mine"]\n{RULE}'
    found = level(text, a_toml=f"version = 1\n{THEIRS}")
    assert {rule.id: rule.paths for rule in found.rules} == {
        "mine": ("mine",),
        "theirs": ("theirs",),
    }
    assert "whose rules keep theirs" in found.warnings[0].message
    assert found.warnings[0].line == 4


def test_of_two_includes_the_first_is_meant() -> None:
    text = f'[includes]\nfiles = ["a.toml", "b.toml"]\n{RULE}'
    sets = {name: f'version = 1\n[sets]\ns = ["{name}"]\n' for name in ("a_toml", "b_toml")}
    assert paths(text, **sets) == ("a_toml",)


def test_a_file_does_not_know_the_sets_of_the_one_that_includes_it() -> None:
    found = level(
        '[includes]\nfiles = ["a.toml"]\n[sets]\ns = ["mine"]\n', a_toml=f"version = 1\n{RULE}"
    )
    assert [(one.file, one.line) for one in found.problems] == [("a.toml", 4)]


def test_a_rules_file_in_a_directory_has_sets_of_its_own() -> None:
    text = f'[sets]\ns = ["*.sql"]\n{RULE}'
    layer = nested_layer("db", "db/penstock.toml", text.encode())
    assert [rule.paths for rule in layer.rules] == [("db/*.sql",)]


# --- what is wrong ----------------------------------------------------------------------------

WRONG = [
    ('[sets]\nlocks = ["a"]\n[[deny]]\npaths = ["b", "@lock"]\n', 4, "did you mean `locks`?"),
    ('[[deny]]\npaths = ["@types"]\n', 2, "a file of that name is written `./@types`"),
    ('[[deny]]\npaths = ["a"]\nnot_paths = ["@s"]\n', 3, "there is no set `s`"),
    ('[[deny]]\nid="x"\npaths=["a"]\n[[except]]\nrule="x"\npaths=["@s"]', 6, "no set `s`"),
    ('[sets]\ns = ["@t"]\n', 2, "there is no set `t`"),
    ('[sets]\ns = ["@s"]\n', 2, "circular sets: `@s` -> `@s`"),
    ('[sets]\na = ["@b"]\nb = ["@c"]\nc = ["@a"]\n', 4, "`@a` -> `@b` -> `@c` -> `@a`"),
    ('[sets]\ns = []\n', 2, "matches nothing"),
    ('[sets]\ns = ["../x"]\n', 2, "leaves the project"),
    ('[sets]\ns = "x"\n', 2, 's = ["x"]'),
    ('[sets]\ns = [1]\n', 2, "which is not a string"),
    ('[sets]\n"a b" = ["x"]\n', 2, "is no name for a set"),
    ('[sets.s]\nt = ["x"]\n', 1, "must be a list"),
    ("sets = 3\n", 1, "`sets` must be a table"),
    ('[[sets]]\ns = ["x"]\n', 1, "`sets` must be a table"),
    ('[set]\ns = ["x"]\n', 1, "did you mean `sets`?"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "told"), WRONG)
def test_what_is_wrong_with_a_set_is_told_once_with_its_line(
    text: str, line: int, told: str
) -> None:
    (problem,) = level(text).problems
    assert told in str(problem)
    assert problem.line == line


def test_a_set_that_extends_an_included_one_of_the_same_name_is_circular() -> None:
    (problem,) = level('preset = "guard"\n[sets]\nkeys = ["@keys", "x"]\n').problems
    assert "circular sets: `@keys` -> `@keys`" in problem.message


def test_the_doubts_about_a_glob_are_told_at_its_set() -> None:
    found = level('[sets]\ns = ["a", "!b"]\n[[deny]]\npaths = ["@s"]\n')
    assert [(one.line, "means itself" in one.message) for one in found.warnings] == [(2, True)]


def test_sets_are_bounded_in_depth_and_size() -> None:
    def chain(length: int) -> str:
        rest = [f's{n} = ["@s{n + 1}"]' for n in range(length - 1)]
        return "\n".join(["[sets]", *rest, f's{length - 1} = ["x"]', ""])

    assert level(chain(MOST_NESTED)).ok
    assert "deep" in level(chain(MOST_NESTED + 1)).problems[0].message
    doubling = [f's{n} = ["@s{n + 1}", "@s{n + 1}"]' for n in range(15)]
    assert level("\n".join(["[sets]", *doubling, 's15 = ["x"]', ""])).ok
    large = ", ".join(f'"d{n}"' for n in range(2000))
    rules = '[[deny]]\npaths = ["@s"]\n'
    assert level(f"[sets]\ns = [{large}]\n" + rules * 50).ok
    problems = level(f"[sets]\ns = [{large}]\n" + rules * 200).problems
    assert "too large together" in problems[0].message


# --- who else knows of them -------------------------------------------------------------------


def flat(document: dict[str, Any]) -> dict[str, Any]:
    """Write the sets of a document out by hand."""
    sets = document.pop("sets", {})

    def out(globs: list[str]) -> list[str]:
        found: dict[str, None] = {}
        for glob in globs:
            known = glob[1:] in sets and glob.startswith("@")
            found.update(dict.fromkeys(out(sets[glob[1:]]) if known else [glob]))
        return [*found]

    for table in ("deny", "ask", "warn", "allow"):
        for rule in document.get(table, []):
            for key in {"paths", "within", "not_paths"} & rule.keys():
                rule[key] = out(rule[key])
    return document


@pytest.mark.parametrize("name", ["guard", "strict"])
def test_a_preset_says_what_it_would_say_with_its_lists_written_out(name: str) -> None:
    text = presets.read(name).decode()
    long = written(flat(tomllib.loads(text)))
    assert "@" not in long
    assert len(long) >= len(text) or name == "strict"
    compiled = []
    for one in (text, long):
        made = load.build(load.load(FILE, {FILE: one.encode()}.get))
        compiled.append({**compile_policy(made), "revision": ""})
    assert compiled[0] == compiled[1]


def written(document: dict[str, Any]) -> str:
    lines = []
    for key, value in document.items():
        if not isinstance(value, dict | list):
            lines.append(f"{key} = {toml_value(value)}")
    for table, value in document.items():
        for one in value if isinstance(value, list) else [value] if isinstance(value, dict) else []:
            lines.append(f"[[{table}]]" if isinstance(value, list) else f"[{table}]")
            lines += [f"{key} = {toml_value(inner)}" for key, inner in one.items()]
    return "\n".join([*lines, ""])


def test_the_settings_of_a_level_hold_every_set_that_its_file_knows() -> None:
    found = level('preset = "guard"\n[sets]\ns = ["a"]\nt = ["@s", "b"]\n')
    assert found.setting("sets", "t") == ("a", "b")
    assert "**/uv.lock" in str(found.setting("sets", "lock-files"))


def test_the_revision_covers_sets() -> None:
    before, after = (level(f'[sets]\ns = ["{name}"]\n{RULE}') for name in ("a", "b"))
    assert load.build(before).revision != load.build(after).revision


BEFORE = f'version = 1\n\n# ours\n[sets]\ns = [\n  "a", # first\n  "b",\n]\n\n{RULE}'


def test_a_rule_that_names_a_set_is_edited_as_text_and_the_sets_stay_as_they_are() -> None:
    rule = {"id": "new", "paths": ["@s", "c"]}
    operation = parse_operation({"type": "add_rule", "rule_type": "deny", "rule": rule})
    after = edited({FILE: BEFORE.encode()}, operation).texts[FILE].decode()
    assert after.startswith(BEFORE)
    found = {one.id: one.paths for one in level(after).rules}
    assert found == {"mine": ("a", "b"), "new": ("a", "b", "c")}
    assert widens({FILE: BEFORE.encode()}, {FILE: after.encode()}) == ()


CHANGES = [
    ('"a"', '"a", "c"', "the rule may deny more, and one elsewhere that names it less"),
    ('"a", # first\n', "", "less is in it"),
    ("s = [", "t = [", "it has another name"),
]


@pytest.mark.parametrize(("old", "new", "why"), CHANGES)
def test_a_changed_set_may_widen(old: str, new: str, why: str) -> None:
    after = BEFORE.replace(old, new)
    assert after != BEFORE
    assert widens({FILE: BEFORE.encode()}, {FILE: after.encode()}), why


def test_a_file_with_sets_is_never_taken_for_one_of_the_original() -> None:
    text = '[sets]\nallow = ["a"]\ndeny = ["b"]\n[[deny]]\npaths = ["@allow"]\n'
    found = load.load("team.toml", {"team.toml": text.encode()}.get)
    assert [rule.paths for rule in found.rules] == [("a",)]


GLOBS = [
    ("@name", "./@name"),
    ("@scope/a", "@scope/a"),
    ("a@b", "a@b"),
    ("src/a.py", "src/a.py"),
]


@pytest.mark.parametrize(("path", "glob"), GLOBS)
def test_a_rule_that_is_offered_for_a_path_means_that_path(path: str, glob: str) -> None:
    assert one_path(path) == glob
    found = paths(f'[[deny]]\npaths = ["{one_path(path)}"]\n')
    assert found == (glob,)
