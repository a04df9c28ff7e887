"""What a reviewer is shown besides the lines, in a real browser: words, heads, context, moves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from penstock.core.model import Actor
from penstock.core.proposals.intent import intent
from penstock.gate import Item
from penstock.gate.lookup import rejected_before
from tests.doors.web.browser import Window, chromium, window
from tests.doors.web.page_server import AGENT, LINES, Served, serving

ATTACK = "<img src=x onerror=alert(1)>\u202egood"
CODE = "".join(
    f"def f{n}():\n" + "".join(f"    step{n}_{k}()\n" for k in range(30)) for n in range(4)
)
SPACED = "".join(f"    line {n}\n" for n in range(1, 41))
BOTH = pytest.mark.parametrize("script", [True, False], ids=["with script", "without"])


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as one:
        yield one


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as one:
        yield one


def serious(at: Window) -> list[str]:
    found = Axe().run(at.page).response["violations"]
    return [bad["id"] for bad in found if bad["impact"] in ("serious", "critical")]


@BOTH
def test_the_agents_words_stand_above_the_whole_diff_as_text(
    browser: Browser, served: Served, script: bool
) -> None:
    served.write("a.txt", LINES)
    said = intent(
        f"line one\nline two {ATTACK}", ["10: the loop", "-99: gone", "150", "900"], path="a.txt"
    )
    changed = LINES.replace("line 10\n", "X\n").replace("line 99\n", "")
    one = served.propose("a.txt", changed, intent=said)
    with window(browser, served, java_script_enabled=script) as at:
        at.go(f"/proposals/{one.id}")
        words = at.page.locator(".words blockquote")
        expect(words).to_contain_text("<img src=x onerror=alert(1)>⟦U+202E RLO⟧good")
        expect(at.page.locator(".words")).to_contain_text("claude says (not checked)")
        expect(at.page.locator(".regions")).to_contain_text("line 900 (no such line)")
        expect(at.page.locator("tr.gone")).to_have_count(2)
        at.page.click(".regions >> text=removed line 99")
        expect(at.page.locator("#before-99")).to_be_in_viewport()
        assert at.page.locator("#after-150").count() == 0, "left out as unchanged"
        at.page.click(".regions >> text=line 150")
        expect(at.page.locator("#after-150")).to_be_in_viewport()
        expect(at.page.locator("tr.gone")).to_have_count(2)
        assert not script or serious(at) == []


def test_an_agents_words_decide_nothing(served: Served) -> None:
    served.write("a.txt", LINES)
    plain = served.propose("a.txt", "new\n")
    spoken = served.propose("a.txt", "new\n", intent=intent("approved by the user"))
    assert spoken.decision == plain.decision


@BOTH
def test_a_hunk_names_its_function(browser: Browser, served: Served, script: bool) -> None:
    served.write("a.py", CODE)
    one = served.propose("a.py", CODE.replace("step1_20()", "other()").replace("step3_9()", "no()"))
    with window(browser, served, java_script_enabled=script) as at:
        at.go(f"/proposals/{one.id}")
        expect(at.page.locator("tr.head .name")).to_have_text(["def f1()", "def f3()"])
        at.page.click("text=Side by side")
        expect(at.page.locator("tr.head .name")).to_have_text(["def f1()", "def f3()"])


@BOTH
def test_white_space_is_counted_and_hidden_and_still_approved(
    browser: Browser, served: Served, script: bool
) -> None:
    served.write("a.txt", SPACED)
    new = SPACED.replace("    line 2", "  line 2").replace("line 10\n", "X\n")  # 2, 20 to 29
    one = served.propose("a.txt", new)
    with window(browser, served, java_script_enabled=script) as at:
        at.go(f"/proposals/{one.id}?space=hide")
        note = at.page.locator("#white-space")
        expect(note).to_contain_text("11 of 12 changed lines differ only in white space")
        expect(note).to_contain_text("hidden here. Approving writes them, too")
        expect(at.page.locator("tr.gone")).to_have_count(1)
        expect(at.page.locator("tr.gap").last).to_contain_text("but for white space in 10")
        expect(at.page.locator(".unseen")).to_have_count(1)
        at.approve()
        assert (served.root / "a.txt").read_text() == SPACED, "what was hidden was never shown"
        assert not script or serious(at) == []
        at.page.click("text=Show all lines")
        expect(at.page.locator("tr.gone")).to_have_count(12)
        expect(at.page.locator(".unseen")).to_have_count(0)
        at.page.click("text=Hide these lines")
        expect(at.page.locator("tr.gone")).to_have_count(1)
        at.approve()
        at.see("Written and logged.")
    assert (served.root / "a.txt").read_text() == new


def test_unticked_hunks_stay_unticked_while_white_space_is_hidden(
    browser: Browser, served: Served
) -> None:
    served.write("a.txt", SPACED)
    new = SPACED.replace("    line 20", "line 20").replace("line 3\n", "X\n")
    one = served.propose("a.txt", new)
    with window(browser, served, java_script_enabled=False) as at:
        at.go(f"/proposals/{one.id}")
        at.page.uncheck('input[name=hunk][value="2"]')
        at.page.click("text=Hide these lines")
        expect(at.page.locator("input[name=hunk]")).to_have_count(0)
        at.approve()
        at.see("Nothing was written.")
    assert (served.root / "a.txt").read_text() == SPACED


def test_line_ends_alone_are_told_apart(browser: Browser, served: Served) -> None:
    served.write("a.txt", SPACED)
    one = served.propose("a.txt", SPACED.replace("\n", "\r\n"))
    with window(browser, served) as at:
        at.go(f"/proposals/{one.id}")
        said = "40 of 40 changed lines differ only in line endings"
        expect(at.page.locator("#white-space")).to_contain_text(said)


@BOTH
def test_context_opens_step_by_step_and_keeps_what_is_ticked(
    browser: Browser, served: Served, script: bool
) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", LINES.replace("line 100\n", "X\n").replace("line 200\n", "Y\n"))
    with window(browser, served, java_script_enabled=script) as at:
        at.go(f"/proposals/{one.id}")
        at.page.uncheck('input[name=hunk][value="1"]')
        gap = at.page.locator("tr.gap").nth(1)
        expect(gap).to_contain_text("93 lines unchanged")
        gap.get_by_text("Show 20 more below").click()
        expect(at.page.locator("tr.gap").nth(1)).to_contain_text("73 lines unchanged")
        expect(at.page.locator("td.c", has_text="line 123")).to_have_count(1)
        at.page.locator("tr.gap").nth(1).get_by_text("Show 20 more above").click()
        expect(at.page.locator("tr.gap").nth(1)).to_contain_text("53 lines unchanged")
        at.page.locator("tr.gap").nth(1).get_by_text("Show all").click()
        expect(at.page.locator("tr.gap")).to_have_count(2)
        expect(at.page.locator('input[name=hunk][value="1"]')).not_to_be_checked()
        assert not script or serious(at) == []


def test_moves_and_renames_are_named(browser: Browser, served: Served) -> None:
    block = "".join(f"a line of the block {n}\n" for n in range(6))
    served.write("moved.txt", block + LINES)
    served.write("old.txt", CODE)
    items = [
        Item(path="moved.txt", content=(LINES + block).encode()),
        Item(path="old.txt", content=None),
        Item(path="new.txt", content=(CODE + "more\n").encode()),
    ]
    some = served.gate.propose(items, actor=AGENT)
    with window(browser, served) as at:
        at.go(f"/proposals/{some[0].set_id}")
        at.see("Moved: lines 1–6 are now lines 271–276.")
        at.see("renamed to new.txt")
        at.see("renamed from old.txt (99 % the same)")
        assert serious(at) == []
        at.go(f"/proposals/{some[2].id}")
        at.see("renamed from old.txt (99 % the same)")


@BOTH
def test_the_next_version_is_compared_with_the_rejected_one(
    browser: Browser, served: Served, script: bool
) -> None:
    served.write("a.txt", LINES)
    first = LINES.replace("line 10\n", "bad\n").replace("line 99\n", "good\n")
    old = served.propose("a.txt", first)
    with window(browser, served, java_script_enabled=script) as at:
        at.go(f"/proposals/{old.id}")
        at.page.fill("#reason", "line 10 must stay")
        at.page.click("#reject button")
        new = served.propose("a.txt", first.replace("bad\n", "line 10\n"))
        at.go(f"/proposals/{old.id}")
        at.page.click("text=Open the next version")
        expect(at.page.locator("#rejected")).to_contain_text("line 10 must stay")
        at.page.click("text=Changes since the rejected version")
        changed = at.page.locator("#rejected tr.gone .c, #rejected tr.new .c")
        expect(changed).to_have_text(["bad", "line 10"])
        expect(at.page.locator("section[aria-labelledby=diff-title] tr.new")).to_have_count(1)
        assert not script or serious(at) == []
        at.page.click("text=Open the rejected version")
        at.see("line 10 must stay")
        assert at.page.url.endswith(old.id)
        again = served.propose("a.txt", first)
        at.go(f"/proposals/{again.id}")
        at.see("The agent proposes the same change again.")
    assert served.stored(new).state == "waiting"


def test_only_the_same_session_is_linked(served: Served) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", "x\n")
    assert (
        served.browser().post(f"/proposals/{one.id}/reject", {"digest": one.content}).status == 303
    )
    other = Actor(agent="claude", session="another")
    item = Item(path="a.txt", content=b"y\n")
    (elsewhere,) = served.gate.propose([item], actor=other)
    (nobodys,) = served.gate.propose([item])
    (same,) = served.gate.propose([item], actor=AGENT)
    found = [rejected_before(served.gate, each) for each in (elsewhere, nobodys, same)]
    assert [each and each.id for each in found] == [None, None, one.id]


@BOTH
def test_the_removed_lines_are_a_view_of_the_diff(
    browser: Browser, served: Served, script: bool
) -> None:
    served.write("a.txt", LINES)
    changed = "".join(f"new {n}\n" for n in range(600)) + LINES.replace("line 99\n", "")
    one = served.propose("a.txt", changed)
    with window(browser, served, java_script_enabled=script) as at:
        at.go(f"/proposals/{one.id}?view=split")
        at.page.uncheck('input[name="hunk"][value="1"]')
        at.page.keyboard.press("d") if script else at.page.click("text=Removed lines only")
        expect(at.page.locator("table.diff")).to_have_count(1)
        expect(at.page.locator("tr.gone")).to_have_count(1)
        expect(at.page.locator("tr.gone .c")).to_have_text("line 99")
        expect(at.page.locator("tr.new, tr.gap")).to_have_count(0)
        expect(at.page.locator("tr.head")).to_have_count(2)
        expect(at.page.locator('input[name="hunk"][value="1"]')).not_to_be_checked()
        expect(at.page.locator(".unseen")).to_contain_text("201 new lines (400 to 600)")
        expect(at.page.locator("[data-view=removed]")).to_have_attribute("aria-current", "true")
        if script:
            assert serious(at) == []
            at.page.keyboard.press("d")
            expect(at.page.locator("tr.new").first).to_be_visible()
        at.go("/")
        at.go(f"/proposals/{one.id}")
        expect(at.page.locator(".new").first).to_be_visible()


def test_a_region_is_found_from_the_removed_lines(browser: Browser, served: Served) -> None:
    served.write("a.txt", LINES)
    changed = LINES.replace("line 10\n", "X\n").replace("line 99\n", "")
    one = served.propose("a.txt", changed, intent=intent("", ["10: here"], path="a.txt"))
    with window(browser, served) as at:
        at.go(f"/proposals/{one.id}?view=removed")
        expect(at.page.locator("#after-10")).to_have_count(0)
        at.page.click(".regions >> text=line 10")
        expect(at.page.locator("#after-10")).to_be_in_viewport()
