"""The promises of the page against its views: a view that leaves something out approves none of it.

Every case shares one server; each has files of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from penstock.core.proposals.model import Proposal, State
from tests.doors.web.page_server import LINES, Answer, Browser, Served, serving
from tests.doors.web.test_red_team import RULES, TWO, approve, form, new, now, page, without

LONG = "".join(f"old {n}\n" for n in range(900))
OTHER = "".join(f"new {n}\n" for n in range(900))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("views"), rules=RULES) as one:
        yield one


@pytest.fixture
def browser(served: Served) -> Browser:
    return served.browser()


def look(browser: Browser, one: Proposal | str, query: str) -> Answer:
    answer = browser.get(f"/proposals/{one if isinstance(one, str) else one.id}?{query}")
    assert answer.status == 200, answer.text
    return answer


def refused(served: Served, answer: Answer, one: Proposal, code: str) -> None:
    assert answer.status >= 400
    assert code in answer.text
    assert served.stored(one).state is State.WAITING


def test_removed_lines_alone_show_nothing_of_what_comes(served: Served, browser: Browser) -> None:
    one = new(served)
    shown = look(browser, one, "view=removed")
    refused(served, approve(browser, one, form(shown)), one, "not-shown")
    assert now(served, one) == LINES


def test_removed_lines_and_then_all_of_them_are_shown(served: Served, browser: Browser) -> None:
    one = new(served)
    look(browser, one, "view=removed")
    assert approve(browser, one, form(look(browser, one, "view=unified"))).status == 303
    assert now(served, one) == TWO


def test_a_page_of_removed_lines_shows_no_other_page(served: Served, browser: Browser) -> None:
    one = new(served, OTHER, before=LONG)
    shown = look(browser, one, "view=removed&page=3")
    assert "removed lines (1 to 799)" in shown.text
    refused(served, approve(browser, one, form(shown)), one, "not-shown")


def test_white_space_that_is_hidden_from_the_removed_lines_is_not_viewed(
    served: Served, browser: Browser
) -> None:
    one = new(served, LINES.replace("line 7\n", "line  7\n").replace("line 9\n", ""))
    shown = look(browser, one, "view=removed&space=hide")
    assert "line 9" in shown.text
    refused(served, approve(browser, one, form(shown)), one, "not-shown")


def test_an_addition_is_deselected_among_the_removed_lines(
    served: Served, browser: Browser
) -> None:
    one = new(served, LINES.replace("line 9\n", "") + "added\n")
    page(browser, one)
    fields = form(look(browser, one, "view=removed"))
    assert ("hunk", "2") in fields
    answer = approve(browser, one, without(fields, ("hunk", "2")))
    assert "Use this version" in answer.text or answer.status in (303, 400)
    assert now(served, one) == LINES
    assert ("drop", "2") in form(page(browser, one)), "it stays deselected in the whole diff"


def test_a_view_that_nobody_has_is_the_usual_one(served: Served, browser: Browser) -> None:
    one = new(served)
    for odd in ("REMOVED", "removed%00", "gone", "unified,removed"):
        assert "two hundred" in look(browser, one, f"view={odd}").text


def test_the_removed_lines_are_not_remembered_as_the_way_to_look(
    served: Served, browser: Browser
) -> None:
    one, other = new(served), new(served)
    look(browser, one, "view=removed")
    assert "two hundred" in page(browser, other).text
    assert approve(browser, other, form(page(browser, other))).status == 303


def test_a_form_that_claims_to_show_no_hunk_takes_none_that_was_deselected(
    served: Served, browser: Browser
) -> None:
    one = new(served)
    fields = form(page(browser, one))
    left = without(fields, ("hunk", "1"))
    assert browser.post(f"/proposals/{one.id}/choose", left).status == 303
    claims = [pair for pair in fields if pair[0] in ("digest", "total")]
    for drop in ("", "2"):
        forged = [*claims, ("here", ""), ("drop", drop)]
        assert approve(browser, one, forged).status >= 400 or now(served, one) == LINES
    assert now(served, one) == LINES


def test_a_set_seen_by_its_removed_lines_was_not_viewed(served: Served, browser: Browser) -> None:
    some = served.propose_set({"views/a.txt": "x\n", "views/b.txt": "y\n"})
    shown = look(browser, some[0].set_id, "view=removed")
    assert "0 of 2 viewed" in shown.text
    refused(served, approve(browser, some[0].set_id, form(shown)), some[0], "not-shown")
    assert not (served.root / "views").exists()


def test_an_address_cannot_say_that_something_was_approved(
    served: Served, browser: Browser
) -> None:
    one, other = new(served), new(served)
    for query in (f"done={other.id}", "done=x&what=Approved", f"done={one.id}&undo=/close"):
        answer = browser.get(f"/?{query}")
        assert answer.status == 200
        assert "Approved" not in answer.text
        assert 'href="/close"' not in answer.text
    assert now(served, one) == LINES
