"""A phone in a real browser: its own address by TLS, passkeys, narrow pages, deep links."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from penstock.app.push import application_key, pushed, subscribers
from penstock.core.notify.message import Group
from penstock.core.notify.settings import NotifyEvent
from penstock.core.proposals.passkey import as_text
from penstock.stores.notify.web_push import send_push
from tests.doors.web.browser import WITHIN, Window, chromium, window
from tests.doors.web.page_server import LINES, WORDS
from tests.doors.web.phone_server import NAME, PhoneServed, phone_at, serving_phone
from tests.doors.web.test_browser_passkeys import Device, sound
from tests.doors.web.test_browser_shown import serious
from tests.push_service import SERVICES, push_service

NARROW: dict[str, Any] = {
    "viewport": {"width": 360, "height": 640},
    "has_touch": True,
    "is_mobile": True,
}


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tls")


@pytest.fixture(scope="module")
def browser(tls: Path) -> Iterator[Browser]:
    """A browser for which the name leads to this machine, and which trusts exactly our key."""
    opened = phone_at(tls)
    pin = PhoneServed(None, opened).pin  # type: ignore[arg-type]
    for listening in opened.sockets:
        listening.close()
    with chromium(
        f"--host-resolver-rules=MAP {NAME} 127.0.0.1",
        f"--ignore-certificate-errors-spki-list={pin}",
    ) as one:
        yield one


@pytest.fixture
def phone(tmp_path: Path, tls: Path) -> Iterator[PhoneServed]:
    with serving_phone(tmp_path, tls=tls) as one:
        yield one


@contextmanager
def on_phone(browser: Browser, phone: PhoneServed) -> Iterator[Page]:
    """Open a page of a phone by a link, and hold against it whatever it did wrong."""
    context = browser.new_context(**NARROW)
    page = context.new_page()
    page.set_default_timeout(WITHIN)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda one: faults.append(one.url) if elsewhere(one.url) else None)
    page.on("console", lambda line: faults.append(line.text) if "Security" in line.text else None)

    def elsewhere(url: str) -> bool:
        return not url.startswith(f"{phone.world.origin}/")

    try:
        page.goto(phone.world.link())
        yield page
        assert faults == []
    finally:
        context.close()


def go(page: Page, phone: PhoneServed, path: str) -> None:
    page.goto(f"{phone.world.origin}{path}")


def pair(browser: Browser, phone: PhoneServed, page: Page) -> Device:
    """Register the phone's passkey: made there, confirmed on the computer."""
    device = Device(Window(page, phone.served))
    go(page, phone, "/passkeys")
    page.fill("#label", "phone")
    page.click("#add-passkey button")
    code = page.locator("#pairing .code").inner_text()
    with window(browser, phone.served) as computer:
        computer.go("/passkeys")
        computer.page.fill("#pairing-code", code)
        computer.page.fill("#confirm-passphrase", WORDS)
        computer.page.click("#confirm-passkey button")
        expect(computer.page.locator("#passkeys li")).to_contain_text(phone.world.origin)
    return device


def test_a_phone_is_paired_approves_by_touch_and_comes_back_to_a_deep_link(
    browser: Browser, phone: PhoneServed
) -> None:
    with on_phone(browser, phone) as page:
        pair(browser, phone, page)
        one = phone.served.propose("a.txt", "x\n")
        go(page, phone, f"/proposals/{one.id}")
        expect(page.locator("input[type=password]")).to_have_count(0)
        page.click("[data-touch]")
        page.get_by_text("Written and logged").first.wait_for()
        assert (phone.served.root / "a.txt").read_text() == "x\n"
        assert phone.served.events("approved")[0]["proof"] == "passkey"
        # The session is over; a link from a notification still leads where it should.
        page.context.clear_cookies()
        other = phone.served.propose("b.txt", "y\n")
        go(page, phone, f"/proposals/{other.id}")
        expect(page.locator("h1")).to_have_text("Sign in")
        assert serious(Window(page, phone.served)) == []
        page.click("#sign-in button")
        expect(page.locator("h1")).to_contain_text("b.txt")
        page.check("[name=keep-unlocked]")
        page.click("[data-touch]")
        page.get_by_text("Written and logged").first.wait_for()
        third = phone.served.propose("c.txt", "z\n")
        go(page, phone, f"/proposals/{third.id}")
        page.click("#approve button.go:not([data-touch])")
        page.get_by_text("Written and logged").first.wait_for()
    proofs = [event["proof"] for event in phone.served.events("approved")]
    assert proofs == ["passkey", "passkey", "unlock"]
    assert sound(phone.served) == []


def test_a_deep_link_on_the_computer_survives_penstock_open(
    browser: Browser, phone: PhoneServed
) -> None:
    one = phone.served.propose("a.txt", "x\n")
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{phone.served.origin}/proposals/{one.id}")
    expect(page.locator("main")).to_contain_text("penstock open")
    page.goto(phone.served.world.link())
    expect(page.locator("h1")).to_contain_text("a.txt")
    context.close()


SUBSCRIBE = """(made) => {
  PushManager.prototype.subscribe = async function (options) {
    window.asked = [...new Uint8Array(options.applicationServerKey)];
    sessionStorage.subscribed = "1";
    return { toJSON: () => made, endpoint: made.endpoint };
  };
  PushManager.prototype.getSubscription = async () => sessionStorage.subscribed
    ? { endpoint: made.endpoint, unsubscribe: async () => { sessionStorage.clear(); } } : null;
}"""


def test_a_phone_subscribes_and_a_push_becomes_a_notification_that_leads_to_the_change(
    browser: Browser, phone: PhoneServed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of it is real but the vendor's service, which this machine cannot reach."""
    home = str(phone.served.root.parent / "state")
    monkeypatch.setattr("penstock.app.push.state_home", lambda: home)
    phone.world.push_services = SERVICES
    with push_service() as service, on_phone(browser, phone) as page:
        page.context.grant_permissions(["notifications"], origin=phone.world.origin)
        page.context.add_init_script(f"({SUBSCRIBE})({json.dumps(service.document)})")
        go(page, phone, "/")
        page.click("#push button")
        expect(page.locator("#push")).to_contain_text("Stop notifying this device")
        (one,) = subscribers().all()
        assert (one.endpoint, one.origin) == (service.endpoint, phone.world.origin)
        assert as_text(bytes(page.evaluate("window.asked"))) == application_key()
        change = phone.served.propose("secret-plan.txt", "x\n")
        due = (Group(event=NotifyEvent.WAITING, id=change.id, files=(change,)),)
        assert pushed(one, due, partial(send_push, services=SERVICES)) == ""
        shown = deliver(page, phone, service.opened().decode())
        assert shown == [["A change needs your approval", {"to": f"/proposals/{change.id}"}]]
        page.click("#push button")
        expect(page.locator("#push")).to_contain_text("Notify this device")
        assert subscribers().all() == ()


def deliver(page: Page, phone: PhoneServed, said: str) -> list[Any]:
    """Hand a push to the service worker as the browser does, and return what it shows."""
    cdp = page.context.new_cdp_session(page)
    found: list[str] = []
    cdp.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda event: found.extend(one["registrationId"] for one in event["registrations"]),
    )
    cdp.send("ServiceWorker.enable")
    page.wait_for_function("navigator.serviceWorker.controller")
    given = {"origin": phone.world.origin, "registrationId": found[0], "data": said}
    cdp.send("ServiceWorker.deliverPushMessage", given)
    for _ in range(WITHIN // 50):
        shown: list[Any] = page.evaluate(
            "navigator.serviceWorker.ready.then((one) => one.getNotifications())"
            ".then((all) => all.map((one) => [one.title, one.data]))"
        )
        if shown:
            return shown
        page.wait_for_timeout(50)
    return []


def too_wide(page: Page) -> int:
    """Return how far a page can be scrolled sideways."""
    found: int = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return found


# Buttons, fields and links outside of running text, which WCAG 2.2 (2.5.8) wants at 24 px.
SMALL = """() => [...document.querySelectorAll("button, summary, select, input:not([type=hidden])")]
  .filter((one) => one.checkVisibility({visibilityProperty: true}) && !one.closest("label"))
  .map((one) => [one.getBoundingClientRect(), one.outerHTML.slice(0, 80)])
  .filter(([box]) => box.width && (box.width < 24 || box.height < 24))
  .map(([box, text]) => `${Math.round(box.width)}x${Math.round(box.height)} ${text}`)"""


def test_no_page_is_wider_than_a_phone_and_the_answer_is_at_hand(
    browser: Browser, phone: PhoneServed
) -> None:
    served = phone.served
    path = "src/a/rather/deep/directory/with/a_module_of_a_long_name.py"
    served.write(path, LINES)
    long = LINES.replace("line 10\n", "line 10 " + "word " * 60 + "\n").replace("line 99\n", "")
    one = served.propose(path, long)
    some = served.propose_set({f"pkg/{'n' * 40}_{n}.txt": "a\n" * 30 for n in range(4)})
    single, together = f"/proposals/{one.id}", f"/proposals/{some[0].set_id}"
    pages = ["/", "/history", "/runs", "/decisions", "/rules", "/audit", "/passkeys"]
    pages += [single, together, f"{single}/edit", f"/selection?id={one.id}"]
    with on_phone(browser, phone) as page:
        for address in pages:
            go(page, phone, address)
            found = [too_wide(page), page.evaluate(SMALL)]
            assert found == [0, []], address
        for address in (single, together):
            go(page, phone, address)
            page.evaluate("window.scrollTo(0, 400)")
            expect(page.locator(".jump")).to_be_in_viewport()
            page.tap(".jump")
            expect(page.locator("#approve")).to_be_in_viewport()


def test_the_path_of_a_file_can_be_copied(browser: Browser, phone: PhoneServed) -> None:
    one = phone.served.propose("src/app.py", "x = 1\n")
    some = phone.served.propose_set({"a/b.txt": "1\n", "a/c.txt": "2\n"})
    with on_phone(browser, phone) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        for address, path in ((one.id, "src/app.py"), (some[0].set_id, "a/b.txt")):
            go(page, phone, f"/proposals/{address}")
            page.click(f'[data-copy="{path}"]')
            expect(page.locator(f'[data-copy="{path}"]')).to_have_text("Copied")
            assert page.evaluate("navigator.clipboard.readText()") == path
