"""Change sets in a real browser: the tree, choices for each file, hunks, rebase, result, undo."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from penstock.core.proposals.model import State
from penstock.gate import Item
from tests.doors.web.browser import Window, chromium, window
from tests.doors.web.page_server import AGENT, LINES, Served, serving

TWO = LINES.replace("line 10\n", "X\n").replace("line 99\n", "Y\n")
SPACED = "".join(f"    line {n}\n" for n in range(1, 41))
LARGE = "".join(f"row {n}\n" for n in range(20_000))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as one:
        yield one


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as one:
        yield one


def png(width: int, height: int) -> bytes:
    """Return a picture of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\x40\x80\xc0" * width) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def proposed(served: Served, files: dict[str, bytes | str | None]) -> str:
    made = served.gate.propose(
        [
            Item(path=path, content=text.encode() if isinstance(text, str) else text)
            for path, text in files.items()
        ],
        actor=AGENT,
    )
    return made[0].set_id


def member(served: Served, set_id: str, path: str) -> str:
    return next(one.id for one in served.gate.members(set_id) if one.path == path)


def file_of(at: Window, served: Served, set_id: str, path: str) -> str:
    """Return the selector of a file's section."""
    return f'[id="{member(served, set_id, path)}"]'


def test_a_set_of_sixty_is_viewed_in_parts_approved_and_undone(
    browser: Browser, served: Served
) -> None:
    served.write("app/two.py", LINES)
    served.write("app/crlf.txt", SPACED.replace("\n", "\r\n"))
    served.write("app/indent.py", SPACED)
    served.write("old/name.txt", LINES)
    files: dict[str, bytes | str | None] = {
        "app/two.py": TWO,
        "app/crlf.txt": SPACED,
        "app/indent.py": SPACED.replace("    ", "        ").replace("line 7\n", "seven\n"),
        "old/name.txt": None,
        "new/name.txt": LINES,
        "pic.png": png(32, 16),
        "uv.lock": "locked = 1\n" * 3,
        "app/long.js": "x" * 30_000 + "\n",
        "zz/large.txt": LARGE,
        **{f"many/{n:02}.txt": "x\n" * 20 for n in range(51)},
    }
    set_id = proposed(served, files)
    with window(browser, served, java_script_enabled=False) as at:
        at.go(f"/proposals/{set_id}")
        tree = at.page.locator(".tree li")
        expect(tree.filter(has_text="large.txt")).to_contain_text("+20,000")
        expect(at.page.locator(".tree")).to_contain_text("many/")
        expect(at.page.locator('.file-head:has(h3 a:text-is("new/name.txt"))')).to_contain_text(
            "renamed from old/name.txt (unchanged)"
        )
        lock = at.page.locator(file_of(at, served, set_id, "uv.lock"))
        crlf, indent = (
            at.page.locator(file_of(at, served, set_id, path))
            for path in ("app/crlf.txt", "app/indent.py")
        )
        expect(crlf).to_contain_text("40 of 40 changed lines differ only in line endings")
        expect(indent).to_contain_text("39 of 40 changed lines differ only in white space")
        indent.get_by_role("button", name="Hide these lines").click()
        expect(indent.locator("tr.gone")).to_have_count(1)
        expect(crlf.locator("tr.gone")).to_have_count(40)
        two = at.page.locator(file_of(at, served, set_id, "app/two.py"))
        rows = two.locator("tr").count()
        two.get_by_role("button", name="Show 20 more above").first.click()
        assert two.locator("tr").count() == rows + 20
        expect(indent.locator("tr.gone")).to_have_count(1)  # the choice for the other file stays
        # A large file is paged through here; what is collapsed, or does not fit, loads when opened.
        at.page.locator(".tree button", has_text="large.txt").click()
        large = at.page.locator(file_of(at, served, set_id, "zz/large.txt"))
        expect(large).to_contain_text("Showing 1–400 of 20,001 rows")
        large.get_by_role("button", name="Last").click()
        expect(large).to_contain_text("row 19999")
        at.go(f"/proposals/{set_id}?from={member(served, set_id, 'pic.png')}")
        expect(at.page.locator(".pixels")).to_have_text("32 × 16 px")
        expect(lock).to_contain_text("Lock file, 33 bytes: collapsed.")
        lock.get_by_role("button", name="Load this file").click()
        expect(lock).to_contain_text("locked = 1")
        # What was never on the screen is named, and approving it takes a tick of its own.
        missing = at.page.locator(".unseen li")
        expect(missing.filter(has_text="zz/large.txt")).to_have_count(1)
        expect(missing.filter(has_text="app/long.js")).to_have_count(1)
        at.page.check("input[name=unseen]")
        at.approve()
        at.see("Change set: 60 files")
        assert (served.root / "zz/large.txt").read_text() == LARGE
        assert not (served.root / "old/name.txt").exists()
        at.page.check("input[name=unseen]")
        at.approve()
        at.see("Reverted and logged.")
    assert (served.root / "app/two.py").read_text() == LINES
    assert (served.root / "old/name.txt").exists()
    assert not (served.root / "zz").exists()


def test_hunks_of_one_file_become_its_version_and_the_set_goes_on(
    browser: Browser, served: Served
) -> None:
    served.write("a.txt", LINES)
    set_id = proposed(served, {"a.txt": TWO, "b.txt": "b\n", "c.txt": "c\n"})
    with window(browser, served, java_script_enabled=False) as at:
        at.go(f"/proposals/{set_id}")
        one = at.page.locator(file_of(at, served, set_id, "a.txt"))
        one.get_by_role("checkbox", name="hunk 2").uncheck()
        at.page.locator("label.tick", has_text="Select c.txt").locator("input").uncheck()
        at.approve()
        at.see("1 hunk of this file is deselected")
        assert (served.root / "a.txt").read_text() == LINES, "what is not ticked is not written"
        expect(one.get_by_role("checkbox", name="hunk 2")).not_to_be_checked()
        one.get_by_role("button", name="Preview the selected hunks", exact=True).click()
        at.page.click("text=Use this version")
        at.see("It was created by")
        one = at.page.locator(file_of(at, served, set_id, "a.txt"))
        expect(one.locator("tr.new")).to_have_count(1)
        c = at.page.locator("label.tick", has_text="Select c.txt").locator("input")
        expect(c).not_to_be_checked()
        at.approve()
        at.see("Not written")
        expect(at.page.locator("#rejected")).to_contain_text("c.txt")
    assert (served.root / "a.txt").read_text() == LINES.replace("line 10\n", "X\n")
    assert not (served.root / "c.txt").exists()


def test_a_set_is_worked_through_by_keys(browser: Browser, served: Served) -> None:
    served.write("a.txt", LINES)
    served.write("b.py", SPACED)
    set_id = proposed(
        served,
        {"a.txt": TWO, "b.py": SPACED.replace("    ", "  ").replace("line 9\n", "nine\n")},
    )
    with window(browser, served) as at:
        at.go(f"/proposals/{set_id}")
        keys = at.page.keyboard
        keys.press("]")
        keys.press("]")
        expect(at.page.locator("tr.head.at")).to_contain_text("line 99")
        keys.press("x")
        expect(at.page.get_by_label("hunk 2").first).not_to_be_checked()
        keys.press("[")
        expect(at.page.locator("tr.head.at")).to_contain_text("line 10")
        keys.press("o")
        fold = at.page.locator(file_of(at, served, set_id, "a.txt")).locator("details.fold")
        expect(fold).not_to_have_attribute("open", "")
        keys.press("o")
        before = at.page.locator("[data-file]").first.locator("tr").count()
        keys.press("m")
        at.page.wait_for_function(
            "many => document.querySelectorAll('[data-file] tr').length > many", arg=before + 41
        )
        keys.press("j")
        keys.press("j")
        keys.press("W")
        other = at.page.locator(file_of(at, served, set_id, "b.py"))
        expect(other.locator("tr.gone")).to_have_count(1)
        keys.press("j")
        keys.press("j")
        keys.press("e")
        expect(at.page.locator("h1")).to_contain_text("b.py")
        at.page.fill("textarea", "mine = 1\n")
        at.page.click("text=Save")
        expect(at.page.locator("h1")).to_contain_text("Change set: 2 files")
        expect(at.page.locator(file_of(at, served, set_id, "b.py"))).to_contain_text("mine = 1")
        found = Axe().run(at.page).response["violations"]
        assert [bad["id"] for bad in found if bad["impact"] in ("serious", "critical")] == []
        at.page.set_viewport_size({"width": 360, "height": 740})
        wide = at.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 360


def test_a_set_that_is_out_of_date_is_rebased_as_a_whole(browser: Browser, served: Served) -> None:
    served.write("a.txt", LINES)
    served.write("b.txt", LINES)
    set_id = proposed(served, {"a.txt": TWO, "b.txt": TWO})
    served.write("b.txt", LINES.replace("line 200\n", "saved\n"))
    with window(browser, served, java_script_enabled=False) as at:
        at.go(f"/proposals/{set_id}")
        expect(at.page.locator("#behind")).to_contain_text(
            "1 file of this change set is out of date"
        )
        expect(at.page.locator("#behind li")).to_have_text("b.txt")
        expect(at.page.locator("#approve button.go")).to_be_disabled()
        at.page.click("text=Rebase all")
        expect(at.page.locator("#behind")).to_have_count(0)
        at.go(f"/proposals/{set_id}")
        at.approve()
        at.see("Written and logged.")
    assert "saved\n" in (served.root / "b.txt").read_text()
    assert "Y\n" in (served.root / "b.txt").read_text()
    assert {one.state for one in served.gate.members(set_id)} == {State.APPLIED}
