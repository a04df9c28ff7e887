"""Two browsers on one proposal: the first answer stands, and the second person is told so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from penstock.core.proposals.model import State
from tests.doors.web.browser import Window, chromium, window
from tests.doors.web.page_server import LINES, Served, serving

NEW = LINES.replace("line 10\n", "X\n").replace("line 200\n", "Y\n")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as one:
        yield one


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as one:
        yield one


def reject(at: Window) -> None:
    at.page.fill("#reason", "no")
    at.page.press("#reason", "Enter")
    at.page.wait_for_url(re.compile(r"[?]done="))


def approve(at: Window) -> None:
    at.approve()
    at.see("Written and logged.")


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without"])
@pytest.mark.parametrize(
    ("first", "second", "state", "told"),
    [
        (approve, "approve", State.APPLIED, "already-applied"),
        (approve, "reject", State.APPLIED, "already-applied"),
        (reject, "approve", State.REJECTED, "already-rejected"),
        (reject, "reject", State.REJECTED, "already-rejected"),
    ],
    ids=["approve-approve", "approve-reject", "reject-approve", "reject-reject"],
)
def test_the_second_answer_is_refused_and_says_what_happened(
    browser: Browser, served: Served, first: object, second: str, state: State, told: str,
    script: bool,
) -> None:  # fmt: skip
    served.write("a.txt", LINES)
    one = served.propose("a.txt", NEW)
    with (
        window(browser, served) as mine,
        window(browser, served, java_script_enabled=script) as other,
    ):
        for at in (mine, other):
            at.go(f"/proposals/{one.id}")
        assert callable(first)
        first(mine)
        if script:  # said before anybody presses anything
            expect(other.page.locator("#changed")).to_be_visible()
        if second == "approve":
            other.approve()
        else:
            other.page.fill("#reason", "mine")
            other.page.press("#reason", "Enter")
        alert = other.page.locator("section[role=alert]")
        expect(alert).to_contain_text(told)
        expect(other.page.locator("#approve")).to_have_count(0)
        expect(other.page.locator("main")).to_contain_text(
            "approved by" if state is State.APPLIED else "rejected by"
        )
    assert served.stored(one).state is state
    assert (served.root / "a.txt").read_text() == (NEW if state is State.APPLIED else LINES)
    assert len(served.events("applied")) == (state is State.APPLIED)


def test_a_version_that_somebody_else_made_is_not_approved_unseen(
    browser: Browser, served: Served
) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", NEW)
    with window(browser, served) as mine, window(browser, served) as other:
        for at in (mine, other):
            at.go(f"/proposals/{one.id}")
        mine.more()
        mine.page.click("#edit")
        mine.page.fill("textarea", "mine\n")
        mine.page.click("form button.go, form button:has-text('version')")
        mine.page.wait_for_url("**/proposals/*")
        other.approve()
        expect(other.page.locator("section[role=alert]")).to_be_visible()
        expect(other.page.get_by_text("Open the latest version")).to_be_visible()
    assert (served.root / "a.txt").read_text() == LINES
