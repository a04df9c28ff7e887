"""Whose word counts about isolated runs: a project tightens, only its user opens anything."""

from __future__ import annotations

import pytest

from penstock.core.errors import RulesError
from penstock.core.rules import load
from penstock.core.rules.fields import TABLES
from penstock.core.run.settings import ORDER, RunSettings, run_settings, without_effect

USER, PROJECT = "/home/u/penstock.toml", "/p/penstock.toml"
Said = dict[str, object]


def both(mine: Said, theirs: Said) -> RunSettings:
    return run_settings({PROJECT: theirs, USER: mine}, user=USER)


def test_the_table_of_fields_and_the_settings_are_one() -> None:
    usual = RunSettings()
    table = {one.name: one for one in TABLES["run"]}
    assert {*table} == {*usual.__struct_fields__}
    for name, one in table.items():
        known = getattr(usual, name)
        assert (tuple(one.default) if isinstance(one.default, list) else one.default) in (
            known,
            None if known == () else known,
        )
        if name in ORDER:
            assert {*one.words} == {*ORDER[name]}


@pytest.mark.parametrize("name", ORDER)
def test_a_project_tightens_a_word_and_never_loosens_it(name: str) -> None:
    words = ORDER[name]
    for at, mine in enumerate(words):
        for other, theirs in enumerate(words):
            found = getattr(both({name: mine}, {name: theirs}), name)
            assert found == words[max(at, other)]
    usual = getattr(RunSettings(), name)
    loosest = getattr(both({}, {name: words[0]}), name)
    assert loosest == usual, "the usual word is the user's own where they say nothing"


OPENING: list[tuple[Said, Said, Said]] = [
    # what the user says, what the project says, what counts
    ({}, {"through": ("~/.npm",)}, {"through": ()}),
    ({}, {"sockets": ("/run/docker.sock",)}, {"sockets": ()}),
    ({}, {"devices": ("/dev/kvm",)}, {"devices": ()}),
    ({"through": ("~/.npm",)}, {"through": ("~/x",)}, {"through": ("~/.npm",)}),
    ({}, {"hide": ()}, {"hide": RunSettings().hide}),
    ({}, {"hide": ("secrets",)}, {"hide": (*RunSettings().hide, "secrets")}),
    ({"hide": ()}, {}, {"hide": ()}),
    ({"hide": ()}, {"hide": ("secrets",)}, {"hide": ("secrets",)}),
    ({"scratch": ("out",)}, {"scratch": ("gen",)}, {"scratch": ("out", "gen")}),
    ({}, {"limit_bytes": 10**12}, {"limit_bytes": RunSettings().limit_bytes}),
    ({"limit_bytes": 10**12}, {}, {"limit_bytes": 10**12}),
    ({"limit_files": 50}, {"limit_files": 9}, {"limit_files": 9}),
    ({"keep": "all"}, {"keep": "changes"}, {"keep": "all"}),
    ({}, {"keep": "changes"}, {"keep": "changes"}),
]


@pytest.mark.parametrize(("mine", "theirs", "counts"), OPENING)
def test_only_the_user_opens_anything(mine: Said, theirs: Said, counts: Said) -> None:
    found = both(mine, theirs)
    assert {name: getattr(found, name) for name in counts} == counts


def test_what_a_project_cannot_open_is_named() -> None:
    said: dict[str, Said] = {
        PROJECT: {"through": ("/x",), "net": "off"},
        USER: {"sockets": ("/s",)},
    }
    assert without_effect(said, user=USER) == ((PROJECT, "through"),)


WRONG = [
    ('mode = "chroot"', "must be one of"),
    ('nett = "off"', "net"),
    ("limit_files = 0", "at least 1"),
    ('hide = "~/.ssh"', "must be a list"),
    ('hide = ["../other"]', "`..`"),
    ('hide = ["~root/x"]', "only `~/` is expanded"),
    ('through = ["/"]', "no path"),
]


@pytest.mark.parametrize(("line", "says"), WRONG)
def test_what_is_not_understood_is_an_error_with_its_line(line: str, says: str) -> None:
    with pytest.raises(RulesError) as caught:
        load.parse_policy(f"[run]\n{line}\n")
    assert says in caught.value.render()
    assert ":2" in caught.value.render()
