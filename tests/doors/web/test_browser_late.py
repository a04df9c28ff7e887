"""Scripts that load late and answers that come late: nothing a person did before is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.doors.web.browser import Window, chromium, window
from tests.doors.web.page_server import LINES, Served, serving
from tests.doors.web.test_browser_passkeys import Device, register

CHANGED = LINES.replace("line 10\n", "ten\n").replace("line 200\n", "two hundred\n")
BOX = 'textarea[name$=":#1"]'
FRAME = "() => new Promise((done) => setTimeout(done, 100))"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as one:
        yield one


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as one:
        yield one


def held(page: Page, what: str) -> list[Route]:
    """Keep what is asked for until somebody lets it go."""
    kept: list[Route] = []
    page.route(what, lambda route: kept.insert(0, route))
    return kept


def opened_without(at: Window, script: str, path: str) -> list[Route]:
    """Open a page one of whose scripts does not come yet."""
    late = held(at.page, f"**/static/{script}.js")
    with at.page.expect_request(f"**/static/{script}.js"):
        at.page.goto(f"{at.served.origin}{path}", wait_until="commit")
    at.page.locator("footer.foot").wait_for()
    return late


def arrive(at: Window, late: list[Route]) -> None:
    with at.page.expect_event("domcontentloaded"):
        late[0].continue_()
    at.page.unroute_all()


def test_a_change_that_is_selected_before_the_script_is_there_stays_selected(
    browser: Browser, served: Served
) -> None:
    one = served.propose("a.txt", "x\n")
    with window(browser, served) as at:
        late = opened_without(at, "selection", "/")
        at.page.check(f'input[name=id][value="{one.id}"]')
        arrive(at, late)
        expect(at.page.locator("[data-count]")).to_have_text("1 selected")
        expect(at.page.locator(f'input[name=id][value="{one.id}"]')).to_be_checked()


def test_a_comment_that_is_typed_before_the_script_is_there_is_not_approved_over(
    browser: Browser, served: Served
) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", CHANGED)
    with window(browser, served) as at:
        late = opened_without(at, "comments", f"/proposals/{one.id}")
        at.page.locator(BOX).locator("xpath=ancestor::details[1]/summary").click()
        at.page.fill(BOX, "wait")
        at.page.focus("#passphrase")
        arrive(at, late)
        at.approve()
        at.see("1 comment would not be sent, nothing written")
    assert (served.root / "a.txt").read_text() == LINES


def test_a_hunk_that_is_deselected_before_the_script_is_there_is_kept(
    browser: Browser, served: Served
) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", CHANGED)
    with window(browser, served) as at:
        late = opened_without(at, "page", f"/proposals/{one.id}")
        at.page.uncheck('input[name=hunk][value="2"]')
        with at.page.expect_request("**/choose"):
            arrive(at, late)
        at.page.evaluate("() => keeping")
        at.go(f"/proposals/{one.id}")
        expect(at.page.locator('input[name=hunk][value="2"]')).not_to_be_checked()


def test_a_touch_waits_for_the_comment_that_was_typed_before_it(
    browser: Browser, served: Served
) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", CHANGED)
    with window(browser, served) as at:
        Device(at)
        register(at)
        expect(at.page.locator("#passkeys li")).to_have_count(1)
        at.go(f"/proposals/{one.id}")
        slow = held(at.page, "**/comment")
        asked: list[str] = []
        at.page.on("request", lambda request: asked.append(request.url))
        at.page.locator(BOX).locator("xpath=ancestor::details[1]/summary").click()
        with at.page.expect_request("**/comment"):
            at.page.fill(BOX, "wait")
            at.page.click("[data-touch]")
        at.page.evaluate(FRAME)
        assert [url for url in asked if url.endswith("/challenge")] == []
        slow[0].continue_()
        at.see("1 comment would not be sent, nothing written")
    assert (served.root / "a.txt").read_text() == LINES


def test_a_list_that_was_asked_for_earlier_does_not_undo_an_update(
    browser: Browser, served: Served
) -> None:
    served.propose("a.txt", "x\n")
    with window(browser, served) as at:
        with at.page.expect_response("**/updates?*"):  # the stream is open, and looked once
            at.go("/")
        slow = held(at.page, f"{served.origin}/")
        with at.page.expect_request(f"{served.origin}/"):
            at.page.evaluate("() => { document.body.dataset.mark = 'another'; check(); }")
        at.page.evaluate(FRAME)
        old = slow[0].fetch()
        asked: list[str] = []
        at.page.on("request", lambda request: asked.append(request.url))
        new = served.propose("b.txt", "y\n")
        at.page.evaluate(f"() => update(['{new.id}'])")
        at.page.evaluate(FRAME)
        assert asked == [], "what is asked for later is answered later"
        slow[0].fulfill(response=old)
        expect(at.page.locator(f'.card[data-id="{new.id}"]')).to_be_visible()
        at.page.evaluate(FRAME)
        expect(at.page.locator(".card")).to_have_count(2)


def test_a_touch_without_a_server_is_said_and_the_button_stays_disabled(
    browser: Browser, served: Served
) -> None:
    one = served.propose("a.txt", "x\n")
    with window(browser, served) as at:
        Device(at)
        register(at)
        expect(at.page.locator("#passkeys li")).to_have_count(1)
        with at.page.expect_response("**/here"):
            at.go(f"/proposals/{one.id}")
        slow = held(at.page, "**/challenge")
        with at.page.expect_request("**/challenge"):
            at.page.click("[data-touch]")
        at.page.route("**/here", lambda route: route.abort())
        at.page.evaluate("() => document.dispatchEvent(new Event('penstock-stream'))")
        expect(at.page.locator("#offline")).to_be_visible()
        slow[0].abort()
        expect(at.page.locator("[data-said]")).to_contain_text("server can't be reached")
        expect(at.page.locator("[data-touch]")).to_be_disabled()
