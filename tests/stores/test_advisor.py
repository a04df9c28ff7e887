"""The advisor against a server that speaks the wire format: well, badly, slowly, not at all."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from penstock.core.model import Verdict
from penstock.core.policy.advice import Advice, AdviceOutcome, CallFacts
from penstock.core.policy.model import AdvisorSettings
from penstock.stores import advisor
from penstock.stores.advisor import advise
from tests.stores.endpoint import Behaviour, Endpoint, Handler, completion, gives, listening, says

FACTS = CallFacts(tool="Bash", tool_input={"command": "make deploy"}, action="run")


@dataclass
class World:
    endpoint: Endpoint
    environ: dict[str, str] = field(default_factory=dict)

    def ask(self, *script: Behaviour, within: float | None = None, **settings: Any) -> Advice:
        self.endpoint.script = list(script)
        made = {"endpoint": self.endpoint.url, "timeout_secs": 20, "max_retries": 0, **settings}
        settings_ = AdvisorSettings(enabled=True, model="tiny", **made)
        advice = advise(settings_, FACTS, environ=self.environ, within=within)
        assert advice is not None
        return advice


@pytest.fixture
def world() -> Iterator[World]:
    with listening() as endpoint:
        yield World(endpoint)


# --- well ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("verdict", list(Verdict))
def test_an_assessment_arrives_with_model_time_and_reasoning(
    world: World, verdict: Verdict
) -> None:
    advice = world.ask(says(str(verdict)))
    assert (advice.outcome, advice.verdict) == (AdviceOutcome.ANSWERED, verdict)
    assert (advice.model, advice.reasoning, advice.attempts) == ("tiny", "because", 1)
    assert 0 <= advice.milliseconds < 20_000


def test_the_request_is_what_such_endpoints_take(world: World) -> None:
    world.environ["PENSTOCK_LLM_API_KEY"] = "key-1"
    world.ask(says("allow"), temperature=0.3)
    (asked,) = world.endpoint.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["Authorization"] == "Bearer key-1"
    assert asked.headers["Content-Type"] == "application/json"
    assert asked.body["temperature"] == 0.3
    assert asked.body["response_format"]["type"] == "json_schema"
    assert "make deploy" in asked.body["messages"][1]["content"]


def test_an_address_that_names_the_whole_path_is_taken_as_it_is(world: World) -> None:
    world.ask(says("allow"), endpoint=f"{world.endpoint.url}/chat/completions/")
    assert world.endpoint.asked[0].path == "/v1/chat/completions"


def test_switched_off_means_that_nobody_is_asked(world: World) -> None:
    for settings in (
        AdvisorSettings(endpoint=world.endpoint.url, model="m"),
        AdvisorSettings(enabled=True, endpoint=world.endpoint.url),
        AdvisorSettings(enabled=True, model="m"),
    ):
        assert advise(settings, FACTS, environ={}) is None
    assert not world.endpoint.asked


# --- badly ---------------------------------------------------------------------------------------

NONSENSE: list[tuple[str, Behaviour]] = [
    ("HTML", gives(b"<html>Welcome to our portal</html>", Content_Type="text/html")),
    ("nothing", gives(b"")),
    ("an empty object", gives(b"{}")),
    ("a refusal", gives(completion(None))),
    ("prose", gives(completion("I would allow this."))),
    ("deep", gives(b"[" * 200_000)),
    ("deep inside", gives(completion("[" * 100_000))),
    ("ten megabytes", gives(completion("x" * 10_000_000))),
    ("packed", gives(completion('{"verdict":"deny"}'), Content_Encoding="gzip")),
    ("another verdict", says("destroy")),
]


@pytest.mark.parametrize("behaviour", [b for _, b in NONSENSE], ids=[name for name, _ in NONSENSE])
def test_nonsense_is_no_opinion(world: World, behaviour: Behaviour) -> None:
    advice = world.ask(behaviour)
    assert (advice.outcome, advice.verdict) == (AdviceOutcome.NONSENSE, None)
    assert advice.reasoning


CUT_OFF = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"
FAULTS: list[tuple[str, Behaviour]] = [
    ("500", gives(completion('{"verdict":"allow"}'), 500)),
    ("401", gives(b"{}", 401)),
    ("204", gives(b"", 204)),
    ("hangs up", lambda client: client.connection.close()),
    ("no HTTP", lambda client: client.connection.sendall(b"\x00" * 100)),
    ("cut off", lambda client: client.connection.sendall(CUT_OFF)),
]


@pytest.mark.parametrize("behaviour", [b for _, b in FAULTS], ids=[name for name, _ in FAULTS])
def test_a_fault_is_no_opinion(world: World, behaviour: Behaviour) -> None:
    advice = world.ask(behaviour)
    assert (advice.outcome, advice.verdict) == (AdviceOutcome.FAULT, None)


def test_nobody_there_is_no_opinion(world: World) -> None:
    world.endpoint.server_close()
    assert world.ask().outcome is AdviceOutcome.FAULT


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(world: World, status: int) -> None:
    world.environ["PENSTOCK_LLM_API_KEY"] = "key-1"
    elsewhere = gives(b"", status, Location=f"{world.endpoint.url}/elsewhere")
    advice = world.ask(elsewhere, says("allow"), max_retries=3)
    assert advice.verdict is None
    assert len(world.endpoint.asked) == 1


def test_a_stumble_is_tried_again_and_a_refusal_is_not(world: World) -> None:
    good = world.ask(gives(b"", 500), gives(b"what"), says("deny"), max_retries=2)
    assert (good.verdict, good.attempts) == (Verdict.DENY, 3)
    assert world.ask(gives(b"", 500), max_retries=2).attempts == 3
    assert world.ask(gives(b"", 401), says("deny"), max_retries=2).attempts == 1


# --- slowly --------------------------------------------------------------------------------------


PATIENCE = 60.0  # after it the endpoint hangs up, which is another outcome than a timeout


def dawdles(client: Handler) -> None:
    client.server.over.wait(PATIENCE)


def drips(first: bytes) -> Behaviour:
    """Send a byte now and then: no single wait is long, all together are."""

    def drip(client: Handler) -> None:
        client.wfile.write(first)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and not client.server.over.wait(0.05):
            client.wfile.write(b" ")

    return drip


SLOW: list[tuple[str, Behaviour]] = [
    ("no answer", dawdles),
    ("a body in drops", drips(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n")),
    ("a head in drops", drips(b"HTTP/1.1 200 OK\r\nX: ")),
]


@pytest.mark.parametrize("behaviour", [b for _, b in SLOW], ids=[name for name, _ in SLOW])
def test_asking_ends_in_time_whatever_comes(world: World, behaviour: Behaviour) -> None:
    advice = world.ask(behaviour, within=0.5, max_retries=5)
    assert (advice.outcome, advice.verdict) == (AdviceOutcome.TIMEOUT, None)
    assert advice.milliseconds >= 400


def test_without_time_nobody_is_asked(world: World) -> None:
    assert world.ask(says("deny"), within=0).outcome is AdviceOutcome.TIMEOUT
    assert not world.endpoint.asked


def test_an_endpoint_that_hangs_holds_a_few_threads_at_most(world: World) -> None:
    before = threading.active_count()
    outcomes = [world.ask(dawdles, within=0.05).outcome for _ in range(2 * advisor.MOST_AT_ONCE)]
    hanging = [t for t in threading.enumerate() if t.name == "advisor"]
    assert len(hanging) <= advisor.MOST_AT_ONCE, before
    assert set(outcomes) <= {AdviceOutcome.TIMEOUT, AdviceOutcome.NOT_ASKED}
    world.endpoint.over.set()
    for thread in hanging:
        thread.join(20)
    world.endpoint.over.clear()
    assert world.ask(says("deny")).verdict is Verdict.DENY


# --- the key -------------------------------------------------------------------------------------

ALL_KEYS = {"OPENAI_API_KEY": "o", "OPENROUTER_API_KEY": "r", "PENSTOCK_LLM_API_KEY": "p"}
WHERE = [
    ("https://api.openai.com/v1", {"OPENAI_API_KEY": "o", "OPENROUTER_API_KEY": "r"}, "o"),
    ("https://openrouter.ai/api/v1", {"OPENAI_API_KEY": "o", "OPENROUTER_API_KEY": "r"}, "r"),
    ("https://llm.example.org/v1", {"PENSTOCK_LLM_API_KEY": "p"}, "p"),
    ("https://api.openai.com/v1", ALL_KEYS, "p"),
    ("http://localhost:1234", {"OPENAI_API_KEY": "o"}, "o"),
    ("http://[::1]:1234", {}, ""),
]


@pytest.mark.parametrize(("endpoint", "environ", "key"), WHERE)
def test_a_key_goes_where_it_belongs(endpoint: str, environ: dict[str, str], key: str) -> None:
    assert advisor._address(endpoint, environ).key == key


NOWHERE = [
    ("https://evil.example/v1", {"OPENAI_API_KEY": "o", "OPENROUTER_API_KEY": "r"}, "not theirs"),
    ("https://api.openai.com.evil.example", {"OPENAI_API_KEY": "o"}, "not theirs either"),
    ("http://api.openai.com/v1", ALL_KEYS, "in clear text"),
    ("https://api.openai.com/v1", {}, "no key"),
    ("ftp://127.0.0.1/", ALL_KEYS, "another scheme"),
    ("file:///etc/passwd", ALL_KEYS, "no host"),
    ("https://user:secret@api.openai.com", ALL_KEYS, "a key in the rules"),
    ("http://[broken", ALL_KEYS, "no address"),
    ("nonsense", ALL_KEYS, "no address at all"),
]


@pytest.mark.parametrize(("endpoint", "environ", "why"), NOWHERE, ids=[w for _, _, w in NOWHERE])
def test_nothing_leaves_without_a_key_for_that_place(
    endpoint: str, environ: dict[str, str], why: str
) -> None:
    settings = AdvisorSettings(enabled=True, endpoint=endpoint, model="m")
    advice = advise(settings, FACTS, environ=environ)
    assert advice is not None
    assert (advice.outcome, advice.attempts) == (AdviceOutcome.NOT_ASKED, 0), why


def test_a_key_that_no_header_can_hold_is_a_fault_and_is_not_told(world: World) -> None:
    world.environ["PENSTOCK_LLM_API_KEY"] = "secret\r\nX: y"
    advice = world.ask(says("allow"))
    assert advice.outcome is AdviceOutcome.FAULT
    assert "secret" not in advice.reasoning
    assert not world.endpoint.asked
