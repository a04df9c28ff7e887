"""What is told, when, where to and whose word counts: the pure part of being told."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from penstock.core.errors import RulesError
from penstock.core.model import Actor, Change, ChangeKind, Decision, Verdict
from penstock.core.notify import message as notify
from penstock.core.notify.message import groups, inert, message
from penstock.core.notify.settings import (
    LOCAL,
    NotifyEvent,
    Quiet,
    ignored,
    label,
    quiet_hours,
    settings_of,
    target_fault,
)
from penstock.core.proposals.model import Moment, Proposal, State
from penstock.core.rules.load import parse_policy

NOW = Moment(wall=10_000.0)
SECRET = "slack://T0KENAAAA/B0KENBBBB/abcdefghijklmnop/#general"
CHANGE = Change(kind=ChangeKind.REPLACE, existing_lines=270, lines_deleted=214, lines_added=5)


def one(name: str, *, path: str = "src/app.py", **more: object) -> Proposal:
    made = Proposal(
        id=name,
        path=path,
        base="sha256:0",
        content="sha256:1",
        change=CHANGE,
        decision=Decision(verdict=Verdict.ASK),
        state=State.WAITING,
        created=NOW,
        ttl=3600.0,
        actor=Actor(agent="claude"),
    )
    return replace(made, **more)


HOURS = [
    ("22:00-07:00", "23:00", True),
    ("22:00-07:00", "06:59", True),
    ("22:00-07:00", "07:00", False),
    ("22:00-07:00", "12:00", False),
    ("9:00-17:30", "17:29", True),
    ("9:00-17:30", "08:59", False),
]


@pytest.mark.parametrize(("hours", "time", "quiet"), HOURS)
def test_quiet_hours_may_span_midnight_and_end_when_they_say(
    hours: str, time: str, quiet: bool
) -> None:
    found = quiet_hours(hours)
    assert found is not None
    assert found.covers(int(time[:2]) * 60 + int(time[3:])) is quiet


@pytest.mark.parametrize(
    "text", ["", "22-7", "22:00", "24:00-07:00", "22:60-07:00", "1:5-2:00", "07:00-07:00", "a-b",
             "٠٧:00-08:00", "22:00-07:00-08:00", "-1:00-2:00"],
)  # fmt: skip
def test_what_are_no_hours_is_none(text: str) -> None:
    assert quiet_hours(text) is None


@given(st.text(max_size=20))
@settings(deadline=None, max_examples=200)
def test_no_text_makes_the_reader_of_hours_or_targets_fail(text: str) -> None:
    quiet_hours(text)
    assert text not in target_fault(text) or len(text) < 8
    label(text)


GOOD = ["env:TELL", "file:~/targets", "ntfys://ntfy.sh/topic", "mailto://u:p@host", SECRET,
        "https://hooks.slack.com/services/T/B/C", "JSON://127.0.0.1:99/"]  # fmt: skip


@pytest.mark.parametrize("text", GOOD)
def test_a_service_a_variable_and_a_file_are_targets(text: str) -> None:
    assert target_fault(text) == ""


BAD = ["", "slack", "://x", "env:", "file://etc/passwd", "s lack://x", "é://x", "slack://",
       *(f"{name}://localhost" for name in sorted(LOCAL)), "EXEC://rm"]  # fmt: skip


@pytest.mark.parametrize("text", BAD)
def test_what_runs_programs_here_or_is_no_address_is_no_target(text: str) -> None:
    assert target_fault(text)


@pytest.mark.parametrize("text", GOOD[2:])
def test_a_target_is_named_without_anything_that_could_be_a_secret(text: str) -> None:
    name = label(text)
    scheme = text.partition("://")[0].lower()
    assert name.startswith(f"{scheme}-")
    assert len(name) == len(scheme) + 7
    assert label(text + "x") != name


def test_a_rules_file_with_a_wrong_target_is_told_without_the_target() -> None:
    for wrong in (f'"{SECRET}"', f'["{SECRET}", "dbus://{SECRET[8:]}"]', f'[["{SECRET}"]]'):
        with pytest.raises(RulesError) as told:
            parse_policy(f"version = 1\n[notify]\ntargets = {wrong}\n")
        assert "T0KEN" not in told.value.render()
        assert "abcdefghijklmnop" not in told.value.render()


def test_too_many_targets_and_hours_that_are_none_are_problems() -> None:
    many = ", ".join(f'"env:A{at}"' for at in range(21))
    for wrong in (f"targets = [{many}]", 'quiet = "late"', 'events = ["applied"]'):
        with pytest.raises(RulesError):
            parse_policy(f"version = 1\n[notify]\n{wrong}\n")


USER, PROJECT = "/home/u/penstock.toml", "/project/penstock.toml"


def test_where_messages_go_and_what_they_link_to_is_the_users_own_word() -> None:
    levels = {PROJECT: {"targets": ("json://evil",), "link": "http://evil"}, USER: {}}
    found = settings_of(levels, user=USER)
    assert (found.targets, found.link) == ((), "")
    assert ignored(levels, user=USER) == (PROJECT,)
    mine = settings_of({**levels, USER: {"targets": ("env:MINE",), "link": "http://a"}}, user=USER)
    assert (mine.targets, mine.link) == (("env:MINE",), "http://a")


NARROW: list[tuple[dict[str, object], dict[str, object], str, object]] = [
    ({"contents": True}, {}, "contents", True),
    ({"contents": True}, {"contents": False}, "contents", False),
    ({}, {"contents": True}, "contents", False),
    ({}, {"desktop": False}, "desktop", False),
    ({"desktop": False}, {"desktop": True}, "desktop", False),
    (
        {"events": ("waiting", "expiring")},
        {"events": ("waiting",)},
        "events",
        {NotifyEvent.WAITING},
    ),
    ({"events": ("expiring",)}, {"events": ("waiting",)}, "events", set()),
    ({}, {}, "events", {NotifyEvent.WAITING}),
    ({"every_seconds": 60}, {"every_seconds": 5}, "every_seconds", 60),
    ({"every_seconds": 5}, {"every_seconds": 60}, "every_seconds", 60),
    ({"quiet": "22:00-07:00"}, {"quiet": "1:00-2:00"}, "quiet", Quiet(start=1320, end=420)),
    ({}, {"quiet": "1:00-2:00"}, "quiet", Quiet(start=60, end=120)),
]


@pytest.mark.parametrize(("mine", "theirs", "name", "value"), NARROW)
def test_a_project_can_only_make_it_less(
    mine: dict[str, object], theirs: dict[str, object], name: str, value: object
) -> None:
    found = settings_of({USER: mine, PROJECT: theirs}, user=USER)
    assert getattr(found, name) == value


def test_a_set_is_one_group_and_what_a_person_made_is_none() -> None:
    found = [
        one("a"),
        one("b", set_id="set-1"),
        one("c", set_id="set-1", path="two.py"),
        one("d", parent="a"),
        one("e", origin="undo"),
        one("f", state=State.APPROVED),
    ]
    made = groups(found, NOW, {NotifyEvent.WAITING})
    assert [(group.key, len(group.files)) for group in made] == [
        ("waiting:a", 1),
        ("waiting:set-1", 2),
    ]


def test_little_time_left_is_told_once_a_quarter_is_left_and_not_when_it_is_over() -> None:
    events = {NotifyEvent.EXPIRING}
    later = [Moment(wall=NOW.wall + after) for after in (2699, 2700, 3599, 3600)]
    assert [len(groups([one("a")], at, events)) for at in later] == [0, 1, 1, 0]


def test_a_message_says_what_would_be_lost_with_a_link_and_no_content() -> None:
    due = groups([one("hitl-1", warnings=("x",))], NOW, {NotifyEvent.WAITING})
    said = message(due, workspace="shop", now=NOW, link="http://127.0.0.1:7717/")
    assert said.title == "Penstock: src/app.py needs approval in shop"
    assert said.body == (
        "REPLACE src/app.py: 214 of 270 lines removed, 5 added, 1 warning\n"
        "proposed by claude, expires in 60 min\n"
        "http://127.0.0.1:7717/proposals/hitl-1\n"
        "Run `penstock review`"
    )


def test_many_are_one_message_that_names_the_first_ten() -> None:
    due = groups([one(f"p{at}", path=f"f{at}.py") for at in range(25)], NOW, {NotifyEvent.WAITING})
    said = message(due, workspace="shop", now=NOW, link="http://a")
    assert said.title == "Penstock: 25 pending changes in shop"
    assert "f9.py" in said.body
    assert "f10.py" not in said.body
    assert "... and 15 more\nhttp://a\n" in said.body


def test_a_large_set_names_its_first_files_and_says_how_many_more() -> None:
    found = [one(f"p{at}", path=f"f{at}.py", set_id="set-1") for at in range(12)]
    said = message(groups(found, NOW, {NotifyEvent.WAITING}), workspace="shop", now=NOW)
    assert said.title == "Penstock: a change to 12 files needs approval in shop"
    assert "... and 2 more files of this set" in said.body


def test_a_reminder_says_that_it_is_one() -> None:
    at = Moment(wall=NOW.wall + 3000)
    said = message(groups([one("a")], at, {NotifyEvent.EXPIRING}), workspace="shop", now=at)
    assert "expires soon" in said.title
    assert "expires in 10 min" in said.body


def test_contents_are_in_it_only_where_they_were_asked_for() -> None:
    due = groups([one("a")], NOW, {NotifyEvent.WAITING})
    assert "-secret" not in message(due, workspace="w", now=NOW).body
    assert "-secret" in message(due, workspace="w", now=NOW, contents={"a": "-secret"}).body


HOSTILE = ["<!channel>", "@everyone", "[click](http://evil)", "`code`", "a\nb", "x\u202ey",
           "https://evil.example/x", "<a href=x>", "www.evil.example", "\x1b[31m"]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_an_agent_wrote_is_obeyed_where_it_arrives(text: str) -> None:
    proposal = one("a", path=text, actor=Actor(agent=text))
    said = message(groups([proposal], NOW, {NotifyEvent.WAITING}), workspace=text, now=NOW)
    *lines, ours = said.body.split("\n")
    assert ours == "Run `penstock review`"
    for sign in ("<", ">", "@", "`", "[", "]", "\x1b", "\u202e", "://", "www."):
        assert sign not in said.title + "".join(lines)
    assert len(lines) == 2


def test_a_long_value_is_cut_and_says_so() -> None:
    assert inert("x" * 500) == "x" * notify.LONGEST_VALUE + "..."
