"""Advice only tightens; what is asked is bounded and bare of secrets; nonsense is no opinion."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.model import STRICTNESS, Decision, Reason, Verdict
from penstock.core.policy.advice import (
    MOST_SENT,
    PROMPT,
    SCHEMA,
    Advice,
    AdviceOutcome,
    CallFacts,
    question,
    tightened,
    undecided,
    understood,
)
from penstock.core.policy.model import AdvisorSettings

ALLOW, ASK, DENY = Verdict.ALLOW, Verdict.ASK, Verdict.DENY
SETTINGS = AdvisorSettings(enabled=True, endpoint="http://127.0.0.1:1/v1", model="m")


def by_rule(verdict: Verdict) -> Decision:
    reason = Reason(rule="r", verdict=verdict)
    return Decision(verdict=verdict, reasons=(reason,), granted=verdict is ALLOW)


def by_default(verdict: Verdict) -> Decision:
    reasons = () if verdict is ALLOW else (Reason(rule="default.write", verdict=verdict),)
    return Decision(verdict=verdict, reasons=reasons)


def joined(*parts: Decision) -> Decision:
    lead = max(parts, key=lambda part: STRICTNESS[part.verdict])
    reasons = tuple(reason for part in parts for reason in part.reasons)
    granted = all(part.granted for part in parts)
    return Decision(verdict=lead.verdict, reasons=reasons, granted=granted, parts=parts)


NOTED = Decision(verdict=ALLOW, reasons=(Reason(rule="n", verdict=None),), notes=("n",))
ASKED = [
    (by_default(ALLOW), True, "nothing spoke"),
    (NOTED, True, "a note decides nothing"),
    (by_default(ASK), True, "a default is no rule"),
    (by_rule(ALLOW), False, "a rule said yes"),
    (by_rule(ASK), False, "a rule said that a person decides"),
    (by_rule(DENY), False, "a rule said no"),
    (by_default(DENY), False, "nothing could be stricter"),
    (joined(by_rule(ALLOW), by_default(ALLOW)), True, "one part is open"),
    (joined(by_rule(ALLOW), by_rule(ALLOW)), False, "all parts are granted"),
    (joined(by_default(ALLOW), by_rule(ASK)), False, "a rule asks about one part"),
]


@pytest.mark.parametrize(("decision", "open_", "why"), ASKED, ids=[why for _, _, why in ASKED])
def test_only_what_no_rule_decides_is_asked(decision: Decision, open_: bool, why: str) -> None:
    assert undecided(decision) is open_, why


def said(verdict: Verdict | None) -> Advice:
    return Advice(outcome=AdviceOutcome.ANSWERED, verdict=verdict, reasoning="why", model="m")


def test_advice_never_loosens_anything() -> None:
    decisions = [decision for decision, _, _ in ASKED]
    for decision, verdict, attended in product(decisions, (*Verdict, None), (True, False)):
        heard = tightened(decision, said(verdict), attended=attended)
        assert STRICTNESS[heard.verdict] >= STRICTNESS[decision.verdict]
        assert heard.granted <= decision.granted
        if not undecided(decision) or verdict in (None, ALLOW):
            assert heard == decision


@pytest.mark.parametrize(
    ("given_", "attended", "expected"),
    [(DENY, True, DENY), (ASK, True, ASK), (ASK, False, DENY), (ALLOW, True, ALLOW)],
)
def test_an_open_call_gets_the_stricter_verdict(
    given_: Verdict, attended: bool, expected: Verdict
) -> None:
    heard = tightened(by_default(ALLOW), said(given_), attended=attended)
    assert heard.verdict is expected
    if expected is not ALLOW:
        assert heard.because == f"the advisor (m) says {given_}: why"
        assert heard.reasons[0].rule == "llm_fallback"


def test_no_advice_changes_nothing() -> None:
    assert tightened(by_default(ALLOW), None, attended=True) == by_default(ALLOW)


def test_every_assessment_can_be_told_on_the_record() -> None:
    event = Advice(
        outcome=AdviceOutcome.TIMEOUT, reasoning="late", model="m", milliseconds=7
    ).event()
    assert event["op"] == "advised"
    assert event["verdict"] == "none"
    assert (event["status"], event["model"], event["milliseconds"]) == ("timeout", "m", 7)
    assert event["reasoning"] == "late"


# --- what is asked -------------------------------------------------------------------------------


def asked(tool_input: dict[str, object], **more: Any) -> tuple[dict[str, Any], str]:
    made: Any = question(SETTINGS, CallFacts(tool="Bash", tool_input=tool_input, **more))
    return made, made["messages"][1]["content"]


def test_the_question_has_the_form_of_the_endpoint() -> None:
    made, user = asked({"command": "make"}, path="a.txt", action="run")
    assert made["model"] == "m"
    assert made["temperature"] == SETTINGS.temperature
    assert made["messages"][0] == {"role": "system", "content": PROMPT}
    assert made["response_format"]["json_schema"]["schema"] == SCHEMA
    call = json.loads(user.partition("\n")[2])
    assert call == {"tool": "Bash", "action": "run", "path": "a.txt", "input": {"command": "make"}}
    assert "provider" not in made


def test_the_settings_are_heard() -> None:
    settings_ = AdvisorSettings(
        model="x", temperature=0.0, system_prompt="be brief", provider_preferences=("a", "b")
    )
    made: Any = question(settings_, CallFacts(tool="T", tool_input={}))
    assert made["messages"][0]["content"] == "be brief"
    assert made["provider"] == {"order": ["a", "b"]}
    assert made["temperature"] == 0.0


def test_secrets_stay_here() -> None:
    _, user = asked(
        {
            "command": "curl -H 'Authorization: Bearer abcdefgh12345678' x",
            "env": {"api_token": "hunter2", "list": ["--password=hunter2", 3, None, True]},
        },
        path="x/ghp_0123456789abcdefghij0123456789abcdefghij",
    )
    assert "hunter2" not in user
    assert "abcdefgh12345678" not in user
    assert "ghp_0123" not in user
    assert user.count("[redacted]") == 4


def test_what_is_sent_is_bounded() -> None:
    _, user = asked({f"f{at}": "x" * 100_000 for at in range(200)})
    assert len(user) < 2 * MOST_SENT
    assert "of 100000 characters" in user
    assert "truncated" in user
    deep: dict[str, object] = {"x": "end"}
    for _ in range(50):
        deep = {"x": deep}
    assert "end" not in asked(deep)[1]


# --- what is understood --------------------------------------------------------------------------


def answered(content: object) -> bytes:
    return json.dumps({"choices": [{"message": {"content": content}}]}).encode()


UNDERSTOOD = [
    ('{"verdict":"deny","reasoning":"bad"}', DENY, "bad"),
    ('{"verdict":"ALLOW","reasoning":"two\\nlines"}', ALLOW, "two lines"),
    ('```json\n{"verdict":"ask","reasoning":""}\n```', ASK, ""),
    ('```\n{"verdict":"ask"}```', ASK, ""),
    ('{"assessment":"QUERY","reasoning":"r"}', ASK, "r"),
    ('{"decision":"block","reasoning":7}', DENY, ""),
    ('{"verdict":"deny","decision":"block"}', DENY, ""),
    ('{"verdict":"deny","reasoning":"a\\u202eb"}', DENY, "a⟦U+202E RLO⟧b"),
]


@pytest.mark.parametrize(("content", "verdict", "reasoning"), UNDERSTOOD)
def test_an_assessment_is_understood(content: str, verdict: Verdict, reasoning: str) -> None:
    assert understood(answered(content)) == (verdict, reasoning)


def test_reasoning_is_cut_and_bare_of_secrets() -> None:
    text = "token=hunter2hunter2 " + "x" * 5000
    found = understood(answered(json.dumps({"verdict": "deny", "reasoning": text})))
    assert found is not None
    assert len(found[1]) <= 1000
    assert "hunter2" not in found[1]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>no</html>",
        b"[]",
        b"{}",
        b'{"choices":[]}',
        b'{"choices":[{"message":{}}]}',
        b'{"choices":[{"message":{"content":null,"refusal":"no"}}]}',
        b'{"choices":[{"message":{"content":["a"]}}]}',
        b"\xff\xfe",
        b"[" * 100_000,
        answered("allow"),
        answered('"allow"'),
        answered('["verdict"]'),
        answered("{}"),
        answered('{"verdict":"yes"}'),
        answered('{"verdict":null}'),
        answered('{"verdict":["allow"]}'),
        answered('{"verdict":"allow","decision":"deny"}'),
        answered('{"verdict":"allow"} {"verdict":"deny"}'),
        answered("[" * 100_000),
        answered("9" * 10_000),
        answered('I think {"verdict":"allow"}'),
    ],
)
def test_anything_else_is_no_opinion(body: bytes) -> None:
    assert understood(body) is None


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=100) | st.text(max_size=60).map(answered))
def test_any_answer_is_an_assessment_or_nothing(body: bytes) -> None:
    found = understood(body)
    assert found is None or isinstance(found[0], Verdict)
