"""Who gets in, from where, and what a response lets a browser do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.web.served import Served, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("web")) as one:
        yield one


def test_a_page_without_a_session_says_how_to_open_one(served: Served) -> None:
    answer = served.stranger().get("/")
    assert answer.status == 401
    assert "penstock open" in answer.text


def test_a_link_opens_one_session_and_never_a_second(served: Served) -> None:
    link = served.world.link().removeprefix(served.origin)
    first, second = served.stranger().get(link), served.stranger().get(link)
    assert first.status == 303
    cookie = first.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert (second.status, second.headers["Set-Cookie"]) == (401, None)
