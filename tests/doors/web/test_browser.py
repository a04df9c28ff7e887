"""A person at the page, in a real browser: every way to answer, live, with keys, without script."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from penstock.core.proposals.model import State
from tests.doors.web.browser import Window, chromium, window
from tests.doors.web.page_server import LINES, Served, serving


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


# -- live ------------------------------------------------------------------------------------------


def test_the_queue_changes_by_itself(served: Served, at: Window) -> None:
    expect(at.page.locator("h1")).to_have_text("No pending changes")
    at.page.evaluate("window.mark = 1")
    expect(at.page.locator("#live")).to_have_text("Live")
    one = served.propose("src/new.py", "print(1)\n")
    expect(at.page.locator(f'[data-id="{one.id}"] .path')).to_have_text("src/new.py")
    assert at.page.title().startswith("(1)")
    served.gate.revise(one.id, b"print(2)\n")
    expect(at.page.locator(f'[data-id="{one.id}"]')).to_have_count(0)
    expect(at.page.locator(".card")).to_have_count(1)
    assert at.page.evaluate("window.mark") == 1, "the page itself was never loaded again"


def test_the_chosen_card_keeps_its_focus_when_another_arrives(served: Served, at: Window) -> None:
    one = served.propose("a.py", "1\n")
    at.page.locator(f'[data-id="{one.id}"]').wait_for()
    at.page.keyboard.press("j")
    served.propose("b.py", "2\n")
    expect(at.page.locator(".card")).to_have_count(2)
    expect(at.page.locator(f'[data-id="{one.id}"] a')).to_be_focused()


def test_a_page_that_is_out_of_date_says_so_by_itself(served: Served, at: Window) -> None:
    one = served.propose("a.py", "print(1)\n")
    at.go(f"/proposals/{one.id}")
    expect(at.page.locator("#changed")).to_be_hidden()
    served.gate.revise(one.id, b"print(2)\n")
    expect(at.page.locator("#changed")).to_be_visible()


def test_many_open_tabs_leave_room_for_one_more(browser: Browser, served: Served) -> None:
    made = [served.propose(f"{n}.py", "1\n") for n in range(9)]
    with window(browser, served) as at:
        for one in made:
            tab = at.page.context.new_page()
            tab.set_default_timeout(20_000)
            tab.goto(f"{served.origin}/proposals/{one.id}")
            # What a browser does to a tab that another covers; a headless one never does.
            tab.evaluate(
                "Object.defineProperty(document, 'hidden', {value: true});"
                "document.dispatchEvent(new Event('visibilitychange'))"
            )
        at.go(f"/proposals/{made[0].id}")
        at.approve()
        at.see("Approved 0.py")


# -- answers ---------------------------------------------------------------------------------------


def test_approving_writes_what_was_shown(served: Served, at: Window) -> None:
    one = served.propose("a.py", "print(1)\n")
    at.go("/")
    at.page.click(f'[data-id="{one.id}"] a')
    at.approve()
    at.see("Written and logged")
    assert (served.root / "a.py").read_text() == "print(1)\n"


def test_rejecting_sends_the_reason_back(served: Served, at: Window) -> None:
    one = served.propose("a.py", "print(1)\n")
    at.go(f"/proposals/{one.id}")
    at.page.fill("#reason", "use the logger")
    at.page.click("#reject button")
    at.see("No pending changes")
    answer = served.stored(one).answer
    assert answer is not None
    assert answer.reason == "use the logger"


def test_only_the_ticked_hunks_are_kept(served: Served, at: Window) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", LINES.replace("line 10\n", "X\n").replace("line 99\n", "Y\n"))
    at.go(f"/proposals/{one.id}")
    at.page.uncheck('input[name=hunk][value="1"]')
    at.page.click("#ticked")
    at.page.click("text=Use this")
    at.see("hunks:2")
    at.approve()
    at.see("Written and logged.")
    assert (served.root / "a.txt").read_text() == LINES.replace("line 99\n", "Y\n")


def test_a_strategy_is_shown_before_it_is_approved(served: Served, at: Window) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", "new\n")
    at.go(f"/proposals/{one.id}")
    at.more()
    at.page.check('input[name=strategy][value="insert"]')
    at.page.fill("input[name=at]", "270")
    at.page.click("#strategy button")
    at.see("Nothing is saved or written yet")
    at.page.click("text=Use this")
    at.see("strategy:insert")
    expect(at.page.locator("tr.new .c")).to_have_text("new")
    at.approve()
    at.see("Written and logged.")
    assert (served.root / "a.txt").read_text() == LINES + "new\n"


ODD = [
    b"one\r\ntwo\r\nthree",
    b"\xef\xbb\xbfone\ntwo\r\nthree\n",
    b"\n\none\ntwo\n\n\n",
    "one\ntwo \u200b\u202e\t\n".encode(),
]


@pytest.mark.parametrize("content", ODD)
def test_an_edit_changes_the_edited_line_and_no_other_byte(
    served: Served, at: Window, content: bytes
) -> None:
    one = served.propose("a.txt", content)
    at.go(f"/proposals/{one.id}")
    at.page.keyboard.press("e")
    at.page.wait_for_url("**/edit")
    text = at.page.input_value("#text")
    at.page.fill("#text", text.replace("two", "2"))
    at.page.click("button.go")
    at.see("It was created by")
    at.approve()
    at.see("Written and logged.")
    assert (served.root / "a.txt").read_bytes() == content.replace(b"two", b"2")


def test_a_newer_version_is_refused_with_the_difference(served: Served, at: Window) -> None:
    one = served.propose("a.py", "print(1)\n")
    at.go(f"/proposals/{one.id}")
    served.gate.revise(one.id, b"print(2)\n")
    at.approve()
    at.see("a newer version of")
    expect(at.page.locator(".difference tr.gone .c")).to_have_text("print(1)")
    expect(at.page.locator(".difference tr.new .c")).to_have_text("print(2)")
    assert not (served.root / "a.py").exists()
    at.page.click("text=Open the current version")
    at.approve()
    at.see("Written and logged.")
    assert (served.root / "a.py").read_text() == "print(2)\n"


def test_a_file_that_moved_is_carried_over(served: Served, at: Window) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", LINES.replace("line 3\n", "three\n"))
    at.go(f"/proposals/{one.id}")
    served.write("a.txt", LINES.replace("line 250\n", "mine\n"))
    at.approve()
    at.see("has changed since this proposal was created")
    at.page.click("button:text-is('Rebase')")
    at.page.wait_for_url(lambda url: one.id not in url)
    at.approve()
    at.see("Written and logged.")
    text = (served.root / "a.txt").read_text()
    assert "three\n" in text
    assert "mine\n" in text


def test_some_files_of_a_set_are_taken(served: Served, at: Window) -> None:
    some = served.propose_set({"a.py": "1\n", "b.py": "2\n"})
    at.go(f"/proposals/{some[0].set_id}")
    at.page.uncheck(f'input[name=keep][value="{some[1].id}"]')
    at.approve()
    at.see("Written and logged.")
    assert (served.root / "a.py").exists()
    assert not (served.root / "b.py").exists()
    assert served.stored(some[1]).state is State.REJECTED


def test_a_write_is_taken_back(served: Served, at: Window) -> None:
    served.write("a.txt", "old\n")
    one = served.propose("a.txt", "new\n")
    at.go(f"/proposals/{one.id}")
    at.approve()
    at.see("Written and logged.")
    at.go("/history")
    at.page.click("text=a.txt")
    at.approve()
    at.see("Reverted and logged.")
    assert (served.root / "a.txt").read_text() == "old\n"


def test_how_one_looks_at_diffs_is_remembered(served: Served, at: Window) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", LINES.replace("line 3\n", "three\n"))
    at.go(f"/proposals/{one.id}")
    expect(at.page.locator("table.unified")).to_have_count(1)
    at.page.click("text=Side by side")
    expect(at.page.locator("table.split")).to_have_count(1)
    at.go(f"/proposals/{one.id}")
    expect(at.page.locator("table.split")).to_have_count(1)


# -- keys ------------------------------------------------------------------------------------------


def test_everything_is_done_with_keys_alone(served: Served, at: Window) -> None:
    first = served.propose("a.py", "print(1)\n")
    second = served.propose("b.py", "print(2)\n")
    at.go("/")
    keys = at.page.keyboard
    keys.press("j")
    keys.press("j")
    keys.press("k")
    expect(at.page.locator(f'[data-id="{first.id}"] a')).to_be_focused()
    keys.press("j")
    keys.press("Enter")
    at.page.wait_for_url(f"**/{second.id}")
    keys.press("r")
    keys.type("not this one, r and a are letters here")
    keys.press("Enter")
    at.see("Rejected b.py")
    expect(at.page.locator("h1")).to_have_text("a.py")
    keys.press("a")
    keys.type("correct horse battery")
    keys.press("Enter")
    at.see("Written and logged.")
    assert (served.root / "a.py").exists()
    answer = served.stored(second).answer
    assert answer is not None
    assert answer.reason == "not this one, r and a are letters here"


def test_from_the_queue_a_key_leads_to_the_answer(served: Served, at: Window) -> None:
    one = served.propose("a.py", "print(1)\n")
    for key, field in (("a", "#passphrase"), ("r", "#reason"), ("e", "#text")):
        at.go("/")
        at.page.locator(f'[data-id="{one.id}"]').wait_for()
        at.page.keyboard.press("j")
        at.page.keyboard.press(key)
        at.page.locator(field).wait_for()
        if key != "e":
            expect(at.page.locator(field)).to_be_focused()


def test_hunks_are_walked_and_ticked_with_keys(served: Served, at: Window) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", LINES.replace("line 10\n", "X\n").replace("line 99\n", "Y\n"))
    at.go(f"/proposals/{one.id}")
    at.page.keyboard.press("j")
    at.page.keyboard.press("j")
    at.page.keyboard.press("x")
    expect(at.page.locator('input[name=hunk][value="1"]')).to_be_checked()
    expect(at.page.locator('input[name=hunk][value="2"]')).not_to_be_checked()


def test_the_keys_are_told_on_demand(at: Window) -> None:
    at.page.keyboard.press("?")
    expect(at.page.locator("#help")).to_be_visible()
    at.page.keyboard.press("Escape")
    expect(at.page.locator("#help")).to_be_hidden()


# -- without JavaScript ----------------------------------------------------------------------------


def test_everything_works_without_javascript(browser: Browser, served: Served) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", LINES.replace("line 10\n", "X\n").replace("line 99\n", "Y\n"))
    with window(browser, served, java_script_enabled=False) as at:
        refresh = at.page.locator('meta[http-equiv="refresh"]')
        assert refresh.get_attribute("content") == "60", "the queue is loaded again by itself"
        at.page.click(f'[data-id="{one.id}"] a')
        at.page.uncheck('input[name=hunk][value="2"]')
        at.page.click("#ticked")
        at.page.click("text=Use this")
        at.see("hunks:1")
        at.more()
        at.page.click("#edit")
        at.page.fill("#text", at.page.input_value("#text").replace("X", "ten"))
        at.page.click("button.go")
        at.see("edit")
        at.approve()
        at.see("Written and logged.")
        assert (served.root / "a.txt").read_text() == LINES.replace("line 10\n", "ten\n")
        at.approve()
        at.see("Reverted and logged.")
        assert (served.root / "a.txt").read_text() == LINES
