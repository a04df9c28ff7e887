"""Comments on lines and hunks in a real browser: typed, kept while reading on, sent as one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from penstock.core.proposals.line_comment import LineComment
from penstock.core.proposals.model import Proposal, State
from tests.doors.web.browser import Window, chromium, window
from tests.doors.web.page_server import LINES, Served, serving
from tests.doors.web.test_browser_review import BOTH, serious

CHANGED = LINES.replace("line 10\n", "X\n").replace("line 99\n", "").replace("line 200\n", "Y\n")
ATTACK = "</textarea><img src=x onerror=alert(1)>\u202ekeep"
FAR = "".join(f"old {n}\n" if n % 2 else f"same {n}\n" for n in range(1, 900))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as one:
        yield one


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as one:
        yield one


@pytest.fixture
def one(served: Served) -> Proposal:
    served.write("src/a.txt", LINES)
    return served.propose("src/a.txt", CHANGED)


def said(served: Served, one: Proposal) -> list[tuple[str, str]]:
    answer = served.stored(one).answer
    assert answer is not None
    return [(comment.lines, comment.text) for comment in answer.comments]


def on_hunk(at: Window, number: int, text: str, *, of: str = "") -> None:
    place = f'textarea[name="say:{of}:#{number}"]' if of else f'textarea[name$=":#{number}"]'
    box = at.page.locator(place)
    box.locator("xpath=ancestor::details[1]/summary").click()
    box.fill(text)


@BOTH
@pytest.mark.parametrize("view", ["unified", "split"])
def test_comments_on_hunks_and_lines_are_one_rejection(
    browser: Browser, served: Served, one: Proposal, view: str, script: bool
) -> None:
    with window(browser, served, java_script_enabled=script) as at:
        at.go(f"/proposals/{one.id}?view={view}")
        on_hunk(at, 1, "keep line ten\nplease")
        on_hunk(at, 3, ATTACK)
        at.page.click("text=Comment on lines or the whole file")
        at.page.fill('[name^="line:"]', "-99")
        at.page.fill('[name^="text:"]', "why?")
        at.page.fill("#reason", "too broad")
        at.page.press("#reason", "Enter")
        at.page.wait_for_url(re.compile(r"[?]done="))
        assert served.stored(one).state is State.REJECTED
        assert sorted(said(served, one)) == [
            ("#1", "keep line ten\nplease"),
            ("#3", ATTACK),
            ("-99", "why?"),
        ]
        at.go(f"/proposals/{one.id}")
        told = at.page.get_by_label("Comments", exact=True)
        expect(told).to_contain_text("removed line 99: why?")
        expect(told).to_contain_text("onerror=alert(1)>⟦U+202E RLO⟧keep")
        told.get_by_text("removed line 99").click()
        expect(at.page.locator("#before-99")).to_be_in_viewport()
        assert not script or serious(at) == []
    (event,) = served.events("rejected")
    assert "removed line 99: why?" in str(event["comments"])
    assert "\u202e" not in str(event["comments"])


def test_a_click_on_a_line_opens_a_box_below_it(
    browser: Browser, served: Served, one: Proposal
) -> None:
    with window(browser, served) as at:
        at.go(f"/proposals/{one.id}")
        at.page.locator("tr.gone td.n:nth-child(1)").nth(1).click()
        expect(at.page.get_by_label("Comment on removed line 99")).to_be_focused()
        at.page.keyboard.type("keep it")
        at.page.locator("tr.new td.n:nth-child(2)").first.click()
        at.page.get_by_label("Comment on line 10", exact=True).fill("no")
        context = at.page.locator("tr:not(.gone):not(.new) td.n:nth-child(2)", has_text="12")
        context.first.click()
        at.page.locator("tr.new td.n:nth-child(2)").first.click(modifiers=["Shift"])
        at.page.get_by_label("Comment on lines 10 to 12").fill("all of it")
        expect(at.page.locator("#comment-count")).to_have_text("With 3 comments.")
        assert serious(at) == []
        at.page.click("#reject .stop")
        at.page.wait_for_url(re.compile(r"[?]done="))
    found = [("-99", "keep it"), ("10", "no"), ("10-12", "all of it")]
    assert sorted(said(served, one)) == sorted(found)


def test_by_keyboard_alone(browser: Browser, served: Served, one: Proposal) -> None:
    with window(browser, served) as at:
        at.go(f"/proposals/{one.id}")
        for key in ("j", "j", "c"):
            at.page.keyboard.press(key)
        at.page.keyboard.type("the hunk")
        at.page.keyboard.press("Escape")
        for key in ("j", "J", "J", "c"):
            at.page.keyboard.press(key)
        at.page.keyboard.type("the line")
        at.page.keyboard.press("Escape")
        at.page.keyboard.press("r")
        at.page.keyboard.type("no")
        at.page.keyboard.press("Enter")
        at.page.wait_for_url(re.compile(r"[?]done="))
    found = said(served, one)
    assert found[0] == ("#2", "the hunk")
    assert found[1][1] == "the line"
    assert found[1][0].lstrip("-").isdigit()


@BOTH
def test_what_is_typed_is_kept_on_other_pages_of_the_diff(
    browser: Browser, served: Served, script: bool
) -> None:
    served.write("far.txt", FAR)
    one = served.propose("far.txt", FAR.replace("old", "new"))
    with window(browser, served, java_script_enabled=script) as at:
        at.go(f"/proposals/{one.id}")
        on_hunk(at, 2, "on the first page")
        if not script:
            at.page.click("text=Comment on lines or the whole file")
            at.page.click("text=Add comment")
        at.page.get_by_role("button", name="Next").first.click()
        at.page.wait_for_url("**page=2*")
        expect(at.page.get_by_label("Comment on hunk 2", exact=True)).to_have_value(
            "on the first page"
        )
        at.page.click("text=Side by side")
        expect(at.page.get_by_label("Comment on hunk 2", exact=True)).to_have_value(
            "on the first page"
        )
        at.page.fill("#reason", "no")
        at.page.press("#reason", "Enter")
        at.page.wait_for_url(re.compile(r"[?]done="))
    assert said(served, one) == [("#2", "on the first page")]


@BOTH
def test_each_file_of_a_set_gets_its_own(browser: Browser, served: Served, script: bool) -> None:
    for name in ("a.txt", "b.txt"):
        served.write(name, LINES)
    a, b = served.propose_set({"a.txt": CHANGED, "b.txt": CHANGED})
    with window(browser, served, java_script_enabled=script) as at:
        at.go(f"/proposals/{a.set_id}")
        on_hunk(at, 1, "of a", of=a.id)
        on_hunk(at, 2, "of b", of=b.id)
        at.page.click("#reject .stop")
        at.page.wait_for_url(re.compile(r"[?]done="))
    assert (said(served, a), said(served, b)) == ([("#1", "of a")], [("#2", "of b")])


def test_a_file_that_is_left_out_of_a_set_takes_its_comments_along(
    browser: Browser, served: Served
) -> None:
    for name in ("a.txt", "b.txt"):
        served.write(name, LINES)
    a, b = served.propose_set({"a.txt": CHANGED, "b.txt": CHANGED})
    with window(browser, served) as at:
        at.go(f"/proposals/{a.set_id}")
        on_hunk(at, 2, "of b", of=b.id)
        at.page.uncheck(f'input[name=keep][value="{b.id}"]')
        at.approve()
        at.see("Written and logged.")
    assert said(served, b) == [("#2", "of b")]
    assert (served.root / "a.txt").read_text() == CHANGED


def test_what_has_comments_is_not_approved_over_them(
    browser: Browser, served: Served, one: Proposal
) -> None:
    with window(browser, served) as at:
        at.go(f"/proposals/{one.id}")
        on_hunk(at, 1, "wait")
        at.approve()
        at.see("1 comment would not be sent, nothing written")
        assert (served.root / "src/a.txt").read_text() == LINES
        at.page.get_by_label("Comment on hunk 1").fill("")
        at.approve()
        at.see("Written and logged.")


def test_an_approval_is_sent_after_what_was_typed_before_it(
    browser: Browser, served: Served, one: Proposal
) -> None:
    with window(browser, served) as at:
        at.go(f"/proposals/{one.id}")
        on_hunk(at, 1, "wait")
        at.approve()
        at.see("1 comment would not be sent, nothing written")
        slow: list[Route] = []
        at.page.route("**/comment", lambda route: slow.insert(0, route))
        sent: list[str] = []
        at.page.on("request", lambda request: sent.append(request.url))
        with at.page.expect_request("**/comment"):
            at.page.get_by_label("Comment on hunk 1").fill("")
            at.approve()
        at.page.evaluate("() => new Promise(requestAnimationFrame)")
        assert [url for url in sent if url.endswith("/approve")] == []
        slow[0].continue_()
        at.see("Written and logged.")


@pytest.mark.parametrize(
    "fields",
    [{"say:other:1": "x"}, {"say:{id}:9-3": "x"}, {"say:{id}:x": "x"}, {"text:other": "x"}],
)
def test_a_comment_on_something_else_is_refused(
    served: Served, one: Proposal, fields: dict[str, str]
) -> None:
    browser = served.browser()
    digest = browser.get(f"/proposals/{one.id}").text.partition('name="digest" value="')[2]
    sent = {name.format(id=one.id): text for name, text in fields.items()}
    for action in ("comment", "reject"):
        answer = browser.post(
            f"/proposals/{one.id}/{action}", {"digest": digest.partition('"')[0], **sent}
        )
        assert answer.status == 400
    assert served.stored(one).state is State.WAITING


def test_what_is_kept_belongs_to_one_browser(served: Served, one: Proposal) -> None:
    mine, other = served.browser(), served.browser()
    kept = {"talk": one.id, f"say:{one.id}:10": "mine"}
    assert mine.post(f"/proposals/{one.id}/comment", kept).status == 303
    assert "mine</textarea>" in mine.get(f"/proposals/{one.id}").text
    assert "mine</textarea>" not in other.get(f"/proposals/{one.id}").text
    assert served.events("rejected") == []


def test_a_long_comment_is_cut_and_too_many_are_refused(served: Served, one: Proposal) -> None:
    browser = served.browser()
    many = {f"say:{one.id}:{n}": "x" for n in range(1, 102)}
    assert browser.post(f"/proposals/{one.id}/comment", many).status == 400
    browser.post(f"/proposals/{one.id}/comment", {f"say:{one.id}:1": "y" * 5000})
    assert browser.get(f"/proposals/{one.id}").text.count("y" * 900) == 1
    made = LineComment(path="src/a.txt", start=1, end=1, text="z")
    assert made.lines == "1"
