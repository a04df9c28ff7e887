"""An event's fields: bounded, in order, without content and without secrets."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.audit import event as event_module
from penstock.core.audit.event import (
    MOST_BODY,
    MOST_FIELDS,
    VERDICTS,
    _carefully,
    compose,
    judged,
)
from penstock.core.audit.judgement import (
    FIRST,
    KNOWN,
    MOST_RULES,
    MOST_TEXT,
    STATUS,
    is_wanted,
    plain_line,
)
from penstock.core.audit.readable_secrets import readable_secrets
from penstock.core.errors import InputError
from penstock.core.model import Decision, Reason, Verdict
from penstock.core.text.redact import MARK


def shown(event: dict[str, object]) -> dict[str, object]:
    found = json.loads(b"{" + compose(event) + b"}")
    assert isinstance(found, dict)
    return found


def test_fields_begin_with_op_path_and_status() -> None:
    found = shown({"agent": "claude", "status": "denied", "path": ".env", "op": "read_file"})
    assert list(found) == ["op", "path", "status", "agent"]


def test_a_path_and_a_status_that_are_not_given_are_empty() -> None:
    assert shown({"op": "chain_start"}) == {"op": "chain_start", "path": "", "status": ""}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("content", "line one\nline two"),
        ("new_content", "x"),
        ("diff", "--- a\n+++ b"),
        ("patch", "*** Begin Patch"),
        ("old_string", "a"),
        ("stdout", b"bytes"),
        ("tool_input", {"file_path": "a", "content": "b"}),
    ],
)
def test_content_is_withheld_under_every_name_it_goes_by(name: str, value: object) -> None:
    # S0-089: metadata only, whoever hands it in
    found = shown({"op": "write_file_propose", "path": "a", name: value})
    assert str(found[name]).startswith("[withheld ")


def test_bytes_are_withheld_under_any_name() -> None:
    assert shown({"op": "x", "blob": b"abc"})["blob"] == "[withheld 3 bytes]"


# Real signatures that look like tokens by chance: of an Azure key, and of a JSON web token.
LIKE_TOKENS = (
    "YCCKxOJllaXqdCflRGR8uhIDYUEeFo7SBqxOTryKP3l6NwvoDEkwgksOhE33eL+PhpaqVU7t/lBA4hmpVB/WZg==",
    "Qn5onYWQzhZZbKHKlXHBPndlLgmMfnJTj+H1bNS2iKpfzLmUQTINCSy40Cv5sP+eyJGG9GAtcm46MsdVvU7fsg==",
)


@pytest.mark.parametrize("text", LIKE_TOKENS)
def test_a_signature_that_looks_like_a_token_is_kept(text: str) -> None:
    assert shown({"op": "approved", "path": "a", "signature": text})["signature"] == text
    assert list(readable_secrets([b"{" + compose({"op": "x", "signature": text}) + b"}"])) == []
    for event in ({"command": text}, {"signature": text + "A"}, {"signature": f"x {text[:86]}"}):
        assert MARK in str(shown({"op": "approved", **event})), "nowhere else, and nothing longer"


def test_a_command_keeps_its_first_line_only() -> None:
    command = "cat > notes.txt <<EOF\nthe whole file\nEOF"
    assert shown({"op": "decided", "command": command})["command"] == (
        "cat > notes.txt <<EOF[+2 lines]"
    )


def test_secrets_in_texts_and_under_telling_names_are_hidden() -> None:
    found = shown(
        {
            "op": "decided",
            "path": "a",
            "command": "curl -u bob:hunter2 x",
            "api_token": "abc",
            "args": {"password": "abc", "user": "bob"},
            "list": ["--token abc"],
        }
    )
    assert "hunter2" not in str(found)
    assert found["api_token"] == MARK
    assert found["args"] == {"password": MARK, "user": "bob"}
    assert found["list"] == [f"--token {MARK}"]


@pytest.mark.parametrize("again", [1, 2])
def test_a_telling_name_hides_its_value_even_if_the_value_tells_nothing(again: int) -> None:
    for name in ("api_token", "password", "cookie"):
        assert shown({"op": "x", name: "abc"})[name] == MARK
    assert shown({"op": "x", "token_count": 5})["token_count"] == 5


def test_a_digest_is_never_taken_for_a_secret() -> None:
    digest = "sha256:" + "a" * 64
    assert shown({"op": "x", "base_hash": digest, "key_hash": digest})["key_hash"] == digest


def test_long_texts_lists_and_objects_are_cut_and_say_so() -> None:
    found = shown(
        {
            "op": "x",
            "path": "p" * 5000,
            "many": list(range(100)),
            "deep": {"a": {"b": {"c": {"d": 1}}}},
            "deep_list": [[[[1, 2]]]],
        }
    )
    assert found["path"] == "p" * MOST_TEXT + "[+4000 characters]"
    assert isinstance(found["many"], list)
    assert found["many"][-1] == "[+68 items]"
    assert found["deep"] == {"a": {"b": {"c": "[+1 fields]"}}}
    assert found["deep_list"] == [[["[+2 items]"]]]


def test_too_many_fields_are_left_out_and_counted() -> None:
    found = shown({"op": "x", **{f"f{n}": n for n in range(100)}})
    assert len(found) == MOST_FIELDS + 1
    assert found["fields_left_out"] == 103 - MOST_FIELDS


def test_a_line_stays_short_whatever_is_in_it() -> None:
    body = compose({"op": "x", **{f"f{n}": ["é" * 900] * 3 for n in range(20)}})
    assert len(body) < MOST_BODY + 100
    assert b"fields_left_out" in body


def test_names_that_are_alike_once_cut_stand_once() -> None:
    found = shown({"op": "x", "args": {"k" * 70 + "a": 1, "k" * 70 + "b": 2}})
    assert found["args"] == {"k" * 64: 1}


@pytest.mark.parametrize("name", ["ts", "seq", "prev_hash", "event_hash"])
def test_what_the_record_adds_itself_cannot_be_given(name: str) -> None:
    with pytest.raises(InputError, match="added by the audit log"):
        compose({"op": "x", name: "y"})


@pytest.mark.parametrize("name", ["", "a b", 'a":1,"b', "é", "x" * 65, 5])
def test_what_cannot_be_a_name_is_refused(name: object) -> None:
    with pytest.raises(InputError) as caught:
        compose({"op": "x", name: "y"})  # type: ignore[dict-item]
    assert caught.value.code == "bad-event"


def test_an_event_needs_an_op() -> None:
    with pytest.raises(InputError):
        compose({"path": "a"})


@settings(deadline=None, max_examples=150)
@given(
    st.dictionaries(
        st.sampled_from(["path", "status", "agent", "reason", "args", "n"]),
        st.text(max_size=80)
        | st.integers()
        | st.binary(max_size=9)
        | st.lists(st.text(max_size=9), max_size=4)
        | st.dictionaries(st.text(max_size=9), st.text(max_size=9), max_size=4)
        | st.sets(st.integers(), max_size=3),
    )
)
def test_any_value_becomes_one_ascii_line_of_valid_json(event: dict[str, object]) -> None:
    body = compose({"op": "x", **event})
    assert body.isascii()
    assert b"\n" not in body
    assert json.loads(b"{" + body + b"}")["op"] == "x"


# Events of a kind that was met before are filled into a form.

TEXTS = st.one_of(
    st.sampled_from(["", "a", "claude", "sha256:" + "0" * 64, "sha256:" + "x" * 64, "sha256:1"]),
    st.sampled_from(["token=abcdefgh12345", "ghp_" + "a" * 36, 'say "x"', "a\\b", "é", "\n", "%s"]),
    st.text(max_size=20),
    st.sampled_from(["x" * MOST_TEXT, "y" * (MOST_TEXT + 1)]),
)
WORDS = st.one_of(st.booleans(), st.none(), st.integers(), st.floats())


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(TEXTS, TEXTS, TEXTS, TEXTS, WORDS), min_size=1, max_size=4),
    st.sampled_from(["agent", "token", "content", "session_key", "rule"]),
)
def test_the_quick_way_says_what_the_careful_way_says(
    rows: list[tuple[str, str, str, str, object]], name: str
) -> None:
    for path, status, text, other, word in [rows[0], *rows]:
        event = {"op": "read", "path": path, "status": status, name: text, "b": other, "w": word}
        compose({**event, "path": "", "status": "", name: "", "b": ""})  # the kind is known now
        assert compose(event) == _carefully(event)


def test_an_event_without_an_op_is_refused_also_where_its_kind_is_known() -> None:
    compose({"op": "x", "path": "", "status": ""})
    with pytest.raises(InputError):
        compose({"op": "", "path": "", "status": ""})


def test_what_is_remembered_of_events_is_bounded() -> None:
    for number in range(5000):
        compose({"op": "x", "path": f"p{number}", "status": "", f"f{number % 600}": 1})
    assert len(event_module._harmless) <= event_module.MOST_KNOWN + MOST_FIELDS
    assert len(event_module._forms) <= event_module.MOST_KINDS


def test_a_secret_between_harmless_texts_is_hidden_every_time() -> None:
    event = {"op": "x", "path": "a", "status": "ok", "note": "harmless"}
    for _ in range(3):
        compose(event)
        found = shown({**event, "note": "password=hunter2-and-more"})
        assert found["note"] == f"password={MARK}"


LISTS: list[list[object]] = [
    [],
    ["env-files"],
    ["a", "b", "c"],
    ['with "quotes"', "back\\slash"],
    ["token=hunter2hunter2"],
    ["two\nlines"],
    ["ü"],
    ["x" * 3000],
    ["a"] * 100,
    ["a", 1, None, True, 2.5],
    [1, True, 1.0],
    [["nested"], {"a": "b"}],
]


@pytest.mark.parametrize("rules", LISTS, ids=str)
def test_a_list_is_written_the_same_the_first_and_every_further_time(rules: list[object]) -> None:
    event = {"op": "tool_call", "path": "a", "status": "allowed", "rules": rules}
    first = compose(event)
    assert {compose(event) for _ in range(3)} == {first}
    assert json.loads(b"{%b}" % first)["path"] == "a"


def test_a_text_that_reads_like_a_list_stays_a_text() -> None:
    facts = {"op": "tool_call", "path": "a", "status": "allowed"}
    for value in (["a"], '["a"]', ["a"], '["a"]'):
        assert json.loads(b"{%b}" % compose({**facts, "rules": value}))["rules"] == value


def test_numbers_that_equal_each_other_are_not_taken_for_each_other() -> None:
    facts = {"op": "tool_call", "path": "a", "status": "allowed"}
    for value in ([1], [True], [1.0], [1]):
        assert str(json.loads(b"{%b}" % compose({**facts, "rules": value}))["rules"]) == str(value)


def test_many_lists_stay_within_a_line() -> None:
    event = {"op": "x", "path": "a", "status": "b", **{f"l{n}": ["y" * 900] for n in range(40)}}
    assert {len(compose(event)) <= MOST_BODY + 100 for _ in range(3)} == {True}


# --- judgements ----------------------------------------------------------------------------------


def test_every_verdict_has_a_status_that_reads_back() -> None:
    assert set(STATUS) == set(Verdict)
    for verdict, status in STATUS.items():
        assert VERDICTS[status] == VERDICTS[verdict] == verdict


WANTED = [
    # level, verdict, rules, on the record
    ("all", "allow", [], True),
    ("matched", "allow", ["a"], True),
    ("matched", "allow", [], False),
    ("denied", "allow", ["a"], False),
    ("denied", "ask", [], True),
    ("denied", "deny", [], True),
]


@pytest.mark.parametrize(("level", "verdict", "rules", "wanted"), WANTED)
def test_what_is_not_allowed_is_always_on_the_record(
    level: str, verdict: str, rules: list[str], wanted: bool
) -> None:
    assert is_wanted(level, verdict, rules) is wanted


def test_a_judgement_says_who_and_leaves_out_what_is_empty() -> None:
    rules = tuple(Reason(rule=f"r{at}", verdict=Verdict.DENY) for at in range(MOST_RULES + 1))
    decision = Decision(verdict=Verdict.DENY, reasons=rules, revision="abc", path="")
    assert judged(decision, {"agent": "codex", "tool": ""}, command="") == {
        "op": "tool_call",
        "path": "",
        "status": "denied",
        "agent": "codex",
        "rules": [f"r{at}" for at in range(MOST_RULES)],
        "revision": "abc",
    }


# --- the line of a hook that starts cold ---------------------------------------------------------

DIGEST = "sha256:" + "0f" * 32
TEXTS = st.one_of(
    st.sampled_from(["", "src/app.py", "toolu_01", DIGEST, "sha256:" + "\u0660" * 64, "a b"]),
    st.sampled_from(["src/keyboard.py", "ghp_0123456789abcdef0123456789abcdef0123", "x=secret"]),
    st.text(max_size=8),
    st.text(alphabet='a"\\\n\u00e9\ud800', max_size=4),
    st.just("y" * MOST_TEXT),
)
VALUES = st.one_of(TEXTS, st.lists(TEXTS, max_size=MOST_RULES + 1), st.none(), st.integers())
EVENTS = st.dictionaries(st.sampled_from([*sorted(KNOWN), "content", "token"]), VALUES).map(
    lambda found: {"op": "tool_call", "path": "a", "status": "allowed", **found}
)


@given(EVENTS)
@settings(max_examples=400)
def test_a_plain_line_is_what_compose_would_make(event: dict[str, object]) -> None:
    line = plain_line(event)
    assert line is None or line == compose(event) == _carefully(event)
    assert line is None or line.isascii()


def test_the_hooks_own_events_are_plain_lines() -> None:
    event: dict[str, object] = dict.fromkeys(sorted(KNOWN - {*FIRST, "rules"}), "x")
    event = {
        "op": "tool_call",
        "path": "a/keyboard.py",
        "status": "denied",
        **event,
        "subagent": "x y",
    }
    for rules in ([], ["env-files", "secrets"]):
        assert plain_line({**event, "rules": rules}) == _carefully({**event, "rules": rules})


@pytest.mark.parametrize(
    "event",
    [
        {"op": "x", "path": "a", "status": "b", "content": "c"},
        {"op": "x", "status": "b", "path": "a"},
        {"op": "", "path": "a", "status": "b"},
        {"op": "x", "path": 'a"', "status": "b"},
        {"op": "x", "path": "a", "status": "b", "session": "password=hunter2"},
        {"op": "x", "path": "a" * (MOST_TEXT + 1), "status": "b"},
    ],
)
def test_what_needs_a_second_look_is_no_plain_line(event: dict[str, object]) -> None:
    assert plain_line(event) is None
