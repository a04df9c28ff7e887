"""Danger and notice are two levels wherever a change is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doors.web.page_server import Served, serving

CODE = "".join(f"value_{n} = {n}\n" for n in range(20))
RISKY = CODE + "requests.get(u, verify=False)\nx = 1  # noqa\n"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as one:
        yield one


def sections(text: str) -> dict[str, str]:
    """Return what stands under each level's label."""
    found = {}
    for label in ("Danger flags", "Warnings"):
        found[label] = text.partition(f'aria-label="{label}"')[2].partition("</ul>")[0]
    return found


def test_a_page_keeps_the_two_levels_apart(served: Served) -> None:
    served.write("a.py", CODE)
    one = served.propose("a.py", RISKY)
    told = sections(served.browser().get(f"/proposals/{one.id}").text)
    assert "check of certificates" in told["Danger flags"]
    assert "check of certificates" not in told["Warnings"]
    assert "turns off a linter" in told["Warnings"]


def test_a_set_and_the_queue_too(served: Served) -> None:
    served.write("a.py", CODE)
    served.write("b.py", CODE)
    first, _ = served.propose_set({"a.py": RISKY, "b.py": CODE + "more = 1\n"})
    browser = served.browser()
    told = sections(browser.get(f"/proposals/{first.set_id}").text)
    assert "check of certificates" in told["Danger flags"]
    assert "turns off a linter" in told["Warnings"]
    queue = browser.get("/").text
    assert "1 danger flag" in queue
    assert "warning" in queue


def test_the_api_names_the_level_of_each(served: Served) -> None:
    served.write("a.py", CODE)
    one = served.propose("a.py", RISKY)
    (told,) = served.call("GET", f"/proposals/{one.id}").json["proposals"]
    levels = {flag["code"]: flag["level"] for flag in told["flags"]}
    assert (levels["tls-off"], levels["lint-off"]) == ("danger", "notice")


def test_what_is_harmless_has_neither(served: Served) -> None:
    served.write("a.py", CODE)
    one = served.propose("a.py", CODE + "more = 1\n")
    assert not any(sections(served.browser().get(f"/proposals/{one.id}").text).values())
