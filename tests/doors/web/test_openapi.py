"""The OpenAPI document, and a machine that tries what it promises."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from jsonschema import Draft202012Validator
from schemathesis.generation.modes import GenerationMode

from penstock.doors.web.api.endpoints import ENDPOINTS, Endpoint
from tests.doors.web.page_server import LINES, TOKEN, Served, serving

EXAMPLES = 6


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("api")) as one:
        one.write("app.py", LINES)
        one.propose("app.py", LINES.replace("line 7\n", "seven\n"))
        yield one


def test_the_document_is_there_for_everybody_and_describes_every_call(served: Served) -> None:
    answer = served.stranger().get("/api/v1/openapi.json")
    assert answer.status == 200
    found = answer.json
    assert found["openapi"] == "3.1.0"
    described = {(method, path) for path, ways in found["paths"].items() for method in ways}
    assert described == {(one.method.lower(), f"/api/v1{one.path}") for one in ENDPOINTS}
    names = [way["operationId"] for ways in found["paths"].values() for way in ways.values()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("one", ENDPOINTS, ids=lambda one: f"{one.method} {one.path}")
def test_what_is_taken_is_told_as_json_schema(one: Endpoint) -> None:
    for schema in (one.body or {}, *one.query.values()):
        Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("one", ENDPOINTS, ids=lambda one: f"{one.method} {one.path}")
@pytest.mark.parametrize("mode", list(GenerationMode))
def test_whatever_is_sent_the_answer_is_as_described(
    served: Served, one: Endpoint, mode: GenerationMode
) -> None:
    schema = schemathesis.openapi.from_url(f"{served.origin}/api/v1/openapi.json")
    operation = schema[f"/api/v1{one.path}"][one.method]

    @seed(2)
    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def tried(case: Any) -> None:
        case.call_and_validate(headers={"Authorization": f"Bearer {TOKEN}"})

    tried()
