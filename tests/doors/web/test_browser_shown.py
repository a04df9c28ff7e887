"""What is shown is what is approved, in a real browser: ticks, long lines, large sets, narrow."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from threading import Thread

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from tests.doors.web.browser import Window, chromium, window
from tests.doors.web.page_server import LINES, WORDS, Served, serving

LONG = "".join(chr(97 + n % 26) for n in range(16_058))
TWO = LINES.replace("line 10\n", "X\n").replace("line 99\n", "Y\n")


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


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without"])
def test_an_unticked_hunk_is_never_written(browser: Browser, served: Served, script: bool) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", TWO)
    with window(browser, served, java_script_enabled=script) as at:
        at.go(f"/proposals/{one.id}")
        at.page.uncheck('input[name=hunk][value="1"]')
        at.approve()
        at.see("Nothing was written.")
        assert (served.root / "a.txt").read_text() == LINES
        assert not script or serious(at) == []
        at.page.click("text=Use this")
        at.see("hunks:2")
        at.approve()
        at.see("Written and logged.")
    assert (served.root / "a.txt").read_text() == LINES.replace("line 99\n", "Y\n")


def test_what_is_unticked_stays_unticked_when_one_goes_elsewhere(
    browser: Browser, served: Served
) -> None:
    served.write("a.txt", LINES)
    some = served.propose_set({"a.txt": TWO, "b.txt": "b\n"})
    with window(browser, served) as at:
        at.go(f"/proposals/{some[0].id}")
        with at.page.expect_response("**/choose"):
            at.page.uncheck('input[name=hunk][value="1"]')
        at.page.click("text=set of 2 files")
        at.see("1 hunk of this file is deselected")
        at.approve()
        at.see("hunks-unticked")
    assert (served.root / "a.txt").read_text() == LINES
    assert not (served.root / "b.txt").exists()


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without"])
def test_a_long_line_is_read_to_its_end_before_it_is_approved(
    browser: Browser, served: Served, script: bool
) -> None:
    one = served.propose("a.js", LONG + "\n")
    with window(browser, served, java_script_enabled=script) as at:
        at.go(f"/proposals/{one.id}")
        expect(at.page.locator(".unseen")).to_contain_text("characters 2,001 to 16,058 of 16,058")
        at.approve()
        assert not (served.root / "a.js").exists(), "the box beside the parts is not ticked"
        at.page.click("text=Open the whole line")
        read = ""
        for _ in range(4):
            read += at.page.inner_text(".whole-line")
            at.page.locator("text=Next").first.click()
        read += at.page.inner_text(".whole-line")
        assert read == LONG
        assert not script or serious(at) == []
        at.page.click("text=Back to the change")
        expect(at.page.locator(".unseen")).to_have_count(0)
        at.approve()
        at.see("Written and logged.")
    assert (served.root / "a.js").read_text() == LONG + "\n"


def test_files_of_a_large_set_load_when_they_are_opened(browser: Browser, served: Served) -> None:
    some = served.propose_set({f"{n:02}.txt": "x\n" * 60 for n in range(60)})
    with window(browser, served, java_script_enabled=False) as at:
        at.go(f"/proposals/{some[0].set_id}")
        expect(at.page.locator("#viewed")).to_have_text("27 of 60 viewed")
        expect(at.page.locator(".unseen li")).to_have_count(33)
        at.approve()
        at.see("parts of 33 files were never shown")
        assert not list(served.root.glob("*.txt"))
        for seen in ("54 of 60 viewed", "60 of 60 viewed"):
            unseen = at.page.locator("section:has(.viewed:text-is('not viewed'))")
            unseen.locator("button.link:not([data-copy])").first.click()
            expect(at.page.locator("#viewed")).to_have_text(seen)
        at.approve()
        at.see("Change set: 60 files")
        expect(at.page.locator(".head-line .sub")).to_have_count(60)
        for left in (33, 6):  # what undoing removes is looked at, too
            expect(at.page.locator(".unseen li")).to_have_count(left)
            at.page.locator(".file .more a").nth(0 if left == 33 else 27).click()
        at.approve()
        at.see("Reverted and logged.")
    assert not list(served.root.glob("*.txt"))


NARROW = [360, 500, 640, 703]


@pytest.mark.parametrize("width", NARROW)
def test_below_704_pixels_the_view_is_unified(browser: Browser, served: Served, width: int) -> None:
    words = "a long line that has to wrap on any narrow screen " * 6
    words = f"{words}{LONG[:400]} "  # and one word that has no place to break
    served.write("a.txt", "".join(f"{n} {words}\n" for n in range(6)))
    one = served.propose("a.txt", "".join(f"{n} {words}changed\n" for n in range(6)) + "more\n")
    with window(browser, served, viewport={"width": width, "height": 900}) as at:
        at.go(f"/proposals/{one.id}?view=split")
        expect(at.page.locator("[data-view=split]")).to_be_hidden()
        boxes = [cell.bounding_box() for cell in at.page.locator(".diff.split td.c").all()]
        shown = [box for box in boxes if box]
        assert len(shown) == 13
        assert len({round(box["x"]) for box in shown}) == 1, "one column"
        gone = [c.bounding_box() for c in at.page.locator(".diff.split td.c.gone").all()]
        new = [c.bounding_box() for c in at.page.locator(".diff.split td.c.new").all()]
        tops = [box["y"] for box in (*gone, *new) if box]
        assert tops == sorted(tops), "what goes stands before what comes"
        ordered = sorted(shown, key=lambda box: box["y"])
        for above, below in pairwise(ordered):
            assert above["y"] + above["height"] <= below["y"] + 0.5, "nothing is overprinted"
        high = "(td) => td.scrollHeight <= td.clientHeight + 1"
        assert all(cell.evaluate(high) for cell in at.page.locator(".diff.split td.c").all())
        assert at.page.evaluate("document.documentElement.scrollWidth") <= width
        assert serious(at) == []


def test_from_704_pixels_on_there_are_two_sides(browser: Browser, served: Served) -> None:
    served.write("a.txt", "one\n")
    one = served.propose("a.txt", "two\n")
    with window(browser, served, viewport={"width": 720, "height": 900}) as at:
        at.go(f"/proposals/{one.id}?view=split")
        cells = at.page.locator(".diff.split td.c")
        left, right = cells.nth(0).bounding_box(), cells.nth(1).bounding_box()
        assert left is not None
        assert right is not None
        assert left["y"] == right["y"]
        assert left["x"] < right["x"]


def test_what_is_acknowledged_is_written_and_said(browser: Browser, served: Served) -> None:
    one = served.propose("a.js", LONG + "\n")
    with window(browser, served) as at:
        at.go(f"/proposals/{one.id}")
        at.page.check("input[name=unseen]")
        at.page.fill("#passphrase", WORDS)
        at.page.press("#passphrase", "Enter")
        at.see("Written and logged.")
    assert "without being shown" in str(served.events("approved")[-1]["reason"])


def test_boxes_are_as_the_server_says_and_not_as_the_browser_remembers_them(
    browser: Browser, served: Served
) -> None:
    some = served.propose_set({"a.js": LONG + "\n", "b.js": "1\n"})
    with window(browser, served) as at:
        at.go(f"/proposals/{some[0].set_id}")
        at.page.check("input[name=unseen]")
        with at.page.expect_response("**/choose"):
            at.page.uncheck(f'input[name=keep][value="{some[0].id}"]')
        at.go("/")
        body = {"content_digest": some[0].content, "content": "other" * 5000 + "\n"}
        assert served.call("POST", f"/proposals/{some[0].id}/edit", body).status == 200
        at.page.go_back()
        expect(at.page.locator("input[name=unseen]")).not_to_be_checked()
        ticked = [
            served.gate.get(str(box.get_attribute("value"))).path  # type: ignore[union-attr]
            for box in at.page.locator("input[name=keep]").all()
            if box.is_checked()
        ]
        assert ticked == ["b.js"]


@contextmanager
def another_server(page: str) -> Iterator[str]:
    """Run what an agent may run: a server of its own on this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://localhost:{server.server_port}/"
        server.shutdown()
        thread.join()


WAYS = {
    "a script goes there": "<script>location = '{to}'</script>",
    "the page is refreshed to it": "<meta http-equiv=refresh content='0;url={to}'>",
    "a link": "<a id=link href='{to}'>x</a>",
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_another_page_cannot_show_anything_for_the_person(
    browser: Browser, served: Served, way: str
) -> None:
    one = served.propose("a.txt", "1\n")
    to = f"{served.origin}/proposals/{one.id}"
    with window(browser, served) as at, another_server(way.replace("{to}", to)) as other:
        at.page.goto(other, wait_until="commit")
        if "link" in way:
            at.page.click("#link")
        at.page.wait_for_url(to)
        expect(at.page.locator(".unseen")).to_contain_text("none of it was shown")
        at.faults.clear()  # the other server was asked, too
        at.page.click("text=Open it here")
        expect(at.page.locator(".unseen")).to_have_count(0)
        at.approve()
        at.see("Written and logged.")


@pytest.mark.parametrize("width", [500, 800, 1280])
def test_an_undo_draws_the_pictures_that_it_puts_back(
    browser: Browser, served: Served, width: int
) -> None:
    red, blue = dot(b"\xff\0\0"), dot(b"\0\0\xff")
    served.write("a.png", red)
    one = served.propose("a.png", blue)
    with window(browser, served, viewport={"width": width, "height": 900}) as at:
        at.go(f"/proposals/{one.id}")
        at.approve()
        at.see("Written and logged.")
        drawn = at.page.locator("img.picture")
        expect(drawn).to_have_count(2)
        for each in drawn.all():
            each.scroll_into_view_if_needed()
            assert each.evaluate("(img) => img.decode().then(() => img.naturalWidth)") == 8
        assert at.page.evaluate("document.documentElement.scrollWidth") <= width
        assert serious(at) == []
        at.approve()
        at.see("Reverted and logged.")
    assert (served.root / "a.png").read_bytes() == red


def dot(colour: bytes) -> bytes:
    """Return a small picture of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        sum_ = zlib.crc32(kind + data).to_bytes(4, "big")
        return len(data).to_bytes(4, "big") + kind + data + sum_

    size = (8).to_bytes(4, "big") * 2 + b"\x08\x02\0\0\0"
    rows = zlib.compress((b"\0" + colour * 8) * 8)
    head = b"\x89PNG\r\n\x1a\n"
    return head + chunk(b"IHDR", size) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_no_byte_is_cut_off_at_any_width(browser: Browser, served: Served) -> None:
    served.write("a.bin", b"\0" + bytes(range(256)))
    one = served.propose_set({"a.bin": "\1\0" + "x" * 200, "b.txt": "b\n"})[0]
    cut = (
        "[...document.querySelectorAll('.sides section')].map((s) => s.scrollWidth - s.clientWidth)"
    )
    with window(browser, served) as at:
        for where in (one.id, f"{one.set_id}?from={one.id}"):
            at.go(f"/proposals/{where}")
            for width in (360, 500, 704, 800, 1088, 1100, 1280):
                at.page.set_viewport_size({"width": width, "height": 900})
                assert at.page.evaluate(cut) == [0, 0], (where, width)
