"""How the page looks and what it lets through: phones, dark rooms, screen readers, attacks."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from penstock.core.model import Actor
from penstock.gate import Item
from tests.doors.web.browser import Window, chromium, window
from tests.doors.web.page_server import LINES, WORDS, Served, serving

PHONE = {"viewport": {"width": 390, "height": 844}}
DARK = {"color_scheme": "dark"}
RULES = """[defaults]
write = "ask"
create = "ask"
delete = "ask"

[[deny]]
id = "keys"
paths = ["**/*.key"]
reason = "keys stay where they are"
"""


def picture(shade: int) -> bytes:
    """Return a small PNG."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    rows = b"".join(b"\0" + bytes([shade]) * 8 for _ in range(8))
    head = struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        [chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")]
    )


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as one:
        yield one


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("looks"), rules=RULES) as one:
        yield one


@pytest.fixture(scope="module")
def pages(served: Served) -> dict[str, str]:
    """Something to see on every page, with names as long and as odd as they come."""
    # Short: axe looks at every letter's colour.
    source = "".join(Path(__file__).read_text().splitlines(True)[:45])
    long = "src/" + "a_directory_with_a_long_name/" * 4 + "and_a_file_with_a_longer_name_still.py"
    served.write(long, source)
    served.write("src/app.py", source)
    changed = source.replace("def ", "async def ").replace("return", "yield")
    modify = served.propose(long, changed)
    stub = "".join(source.splitlines(True)[:12])
    odd = "x = 'a\u202eb\u200b'   \n" + "y" * 3000
    replace = served.propose("src/app.py", stub + odd)
    some = served.propose_set({"a.py": "1\n", long.replace(".py", ".md"): "# Title\n", "c": ""})
    served.write("pic.png", picture(20))
    image = served.propose("pic.png", picture(200))
    served.write("data.bin", b"\0\1" * 300)
    data = served.propose("data.bin", b"\0\2" * 400)
    served.propose("a/b.key", "secret\n")
    moved = served.propose("src/app.py", LINES[:100])
    _write(served, "done.txt", "one\n")
    receipt = served.gate.receipts()[0]
    return {
        "queue": "/",
        "modify": f"/proposals/{modify.id}?view=unified",
        "split": f"/proposals/{modify.id}?view=split",
        "replace": f"/proposals/{replace.id}?view=unified",
        "second replace": f"/proposals/{moved.id}",
        "set": f"/proposals/{some[0].set_id}",
        "picture": f"/proposals/{image.id}",
        "bytes": f"/proposals/{data.id}",
        "edit": f"/proposals/{modify.id}/edit",
        "insert": f"/proposals/{modify.id}/insert",
        "history": "/history",
        "undo": f"/history/{receipt.id}",
        "decisions": "/decisions",
        "rules": "/rules",
        "rule": f"/rules/new?proposal={modify.id}&kind=deny&scope=folder",
        "selection": f"/selection?id={modify.id}&id={image.id}&id={some[0].set_id}",
        "audit": "/audit",
        "passkeys": "/passkeys",
        "nothing": "/nothing-here",
    }


def _write(served: Served, path: str, text: str) -> None:
    from penstock.doors.web.answers import approve
    from penstock.doors.web.drift import shown
    from penstock.doors.web.proof import PagePerson

    one = served.propose(path, text)
    reader = served.world.readers.of(served.seen(one.id)["viewer"])
    person = PagePerson(passphrase=WORDS)
    done = approve(served.here, one.id, digest=shown([one]), person=person, reader=reader)
    assert done.ok, done.error


def each_page(at: Window, pages: dict[str, str]) -> Iterator[str]:
    for name, address in pages.items():
        assert at.go(address) == (404 if name == "nothing" else 200), name
        yield name


def test_nothing_is_wider_than_a_phone(
    browser: Browser, served: Served, pages: dict[str, str]
) -> None:
    with window(browser, served, **PHONE) as at:
        for name in each_page(at, pages):
            wide = at.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= 390, name


def test_the_header_has_two_rows_and_the_answer_is_always_in_sight(
    browser: Browser, served: Served, pages: dict[str, str]
) -> None:
    with window(browser, served, viewport={"width": 1240, "height": 800}) as at:
        for name in ("replace", "split", "set", "selection"):
            at.go(pages[name])
            bar = at.page.locator(".answer-bar")
            expect(bar).to_have_count(1)
            for where in ("0", "document.body.scrollHeight / 2"):
                at.page.evaluate(f"scrollTo(0, {where})")
                low = bar.evaluate("bar => bar.getBoundingClientRect().bottom")
                assert 720 < low <= 801, name  # the footer is below it
                expect(at.page.locator("#approve button.go")).to_be_in_viewport()
                expect(at.page.locator("#reject button.stop")).to_be_in_viewport()
            tall = bar.evaluate("bar => bar.getBoundingClientRect().height")
            assert tall <= 0.4 * 800 + 1, "most of the window is the diff's"
        every = ("claude", "no rule matches", "Expires in")
        for name, own in (("replace", "lines removed"), ("set", "applied atomically")):
            at.go(pages[name])
            said = at.page.locator(".head-line").inner_text()
            for part in (*every, own):
                assert part in said, part
            rows = at.page.locator(".head-line > :not(.crumb)")
            tall = rows.evaluate_all("rows => rows.map(row => row.getBoundingClientRect().height)")
            assert len(tall) == 2, name
            assert max(tall) < 48, name


@pytest.mark.usefixtures("pages")  # another change is pending, so that one comes next
def test_on_a_phone_one_can_answer(browser: Browser, served: Served) -> None:
    one = served.propose("phone.txt", "hello\n")
    with window(browser, served, **PHONE, has_touch=True, is_mobile=True) as at:
        at.page.tap(f'[data-id="{one.id}"] a')
        at.page.tap(".jump")
        at.page.fill("#passphrase", WORDS)
        at.page.tap("#approve button")
        at.see("Approved phone.txt")


def serious(at: Window) -> list[str]:
    """Return what axe has to say that is serious or worse."""
    return [
        f"{bad['id']}: {[node['html'][:160] for node in bad['nodes'][:3]]}"
        for bad in Axe().run(at.page).response["violations"]
        if bad["impact"] in ("serious", "critical")
    ]


SOME = ("queue", "split", "replace", "set")


@pytest.mark.parametrize("options", [{}, DARK, PHONE], ids=["light", "dark", "phone"])
def test_axe_finds_nothing_serious(
    browser: Browser, served: Served, pages: dict[str, str], options: dict[str, Any]
) -> None:
    chosen = {name: where for name, where in pages.items() if options != PHONE or name in SOME}
    with window(browser, served, **options) as at:
        found = {name: serious(at) for name in each_page(at, chosen)}
    assert {name: said for name, said in found.items() if said} == {}


def test_axe_would_find_a_picture_without_words_and_pale_letters(
    browser: Browser, served: Served
) -> None:
    with window(browser, served) as at:
        at.page.evaluate(
            "document.querySelector('main').append(new Image(),"
            " Object.assign(document.createElement('h1'), {textContent: 'pale letters'}));"
            " document.querySelector('main h1:last-child').style.color = '#eee'"
        )
        assert {said.partition(":")[0] for said in serious(at)} >= {"image-alt", "color-contrast"}


def test_dark_is_dark_and_light_is_light(browser: Browser, served: Served) -> None:
    shades = []
    for options in ({}, DARK):
        with window(browser, served, **options) as at:
            colour = at.page.evaluate("getComputedStyle(document.body).backgroundColor")
            shades.append(sum(int(part) for part in colour[4:-1].split(",")))
    assert shades[0] > 600
    assert shades[1] < 150


def test_pictures_are_seen_before_and_after(
    browser: Browser, served: Served, pages: dict[str, str]
) -> None:
    with window(browser, served) as at:
        at.go(pages["picture"])
        loaded = "[...document.querySelectorAll('.picture')].map((i) => i.naturalWidth)"
        expect(at.page.locator(".picture")).to_have_count(2)
        at.page.wait_for_function(f"{loaded}.every((wide) => wide === 8)")


# -- attacks ---------------------------------------------------------------------------------------

PAYLOADS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "'><iframe srcdoc='<script>parent.alert(1)</script>'>",
    "</textarea><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</table></div><script>alert(1)</script>",
    "<base href=http://127.0.0.2/>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.2/'>",
    "<link rel=stylesheet href=http://127.0.0.2/x.css>",
    "<form action=http://127.0.0.2/><button>Approve</button>",
    "javascript:alert(1)",
    "{{ ''.__class__ }}{% include '/etc/passwd' %}",
    "\u202e<script>alert(1)</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "x\x00<script>alert(1)</script>",
]


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_that_an_agent_says_runs_loads_or_becomes_markup(
    browser: Browser, tmp_path: Path, payload: str
) -> None:
    with serving(tmp_path) as served, window(browser, served) as at:
        actor = Actor(agent=payload, session=payload, tool_call_id=payload, context_id=payload)
        name = payload.replace("/", "\u2215").replace("\x00", "")[:200]
        items = [
            Item(path=f"{n}{name}", content=f"{payload}\n{payload}".encode()) for n in ("a", "b")
        ]
        some = served.gate.propose(items, actor=actor)
        served.write("old.txt", f"{payload} one\n" * 50)
        one = served.gate.propose(
            [Item(path="old.txt", content=f"{payload} two\n".encode())], actor=actor
        )[0]
        ids = {"set": some[0].set_id, "one": one.id}
        for address in (
            "/", "/proposals/{one}", "/proposals/{one}?view=split", "/proposals/{set}",
            "/proposals/{one}/insert", "/decisions", "/rules", "/audit", "/history",
        ):  # fmt: skip
            assert at.go(address.format(**ids)) == 200
            strange = at.page.evaluate(
                "document.querySelectorAll('iframe, base, svg:not(.chart), script:not([src]),"
                ' img:not([src^="/"]), [onload], [onerror], meta[http-equiv]\').length'
            )
            assert strange == 0, address
        if "\x00" not in payload:
            at.go(f"/proposals/{one.id}/edit")
            assert at.page.input_value("#text") == f"{payload} two\n"
        at.go(f"/proposals/{one.id}")
        at.page.fill("#reason", payload)
        at.page.click("#reject button")
        at.see("Rejected old.txt")
        at.go(f"/proposals/{one.id}")
        assert at.page.evaluate("document.querySelectorAll('script:not([src])').length") == 0


def test_a_picture_opened_alone_runs_nothing(browser: Browser, tmp_path: Path) -> None:
    svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"
    with serving(tmp_path) as served, window(browser, served) as at:
        one = served.propose("x.svg", svg)
        at.go(f"/proposals/{one.id}")
        expect(at.page.locator("img.picture")).to_have_count(0)
        with at.page.expect_download() as download:
            at.page.evaluate(f"location.assign('/proposals/{one.id}/raw/after')")
        assert Path(download.value.path()).read_bytes() == svg


def test_hidden_characters_are_seen(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path) as served, window(browser, served) as at:
        one = served.propose("a.py", "access = 'user\u202e \u2066# admin\u2069'   \n")
        at.go(f"/proposals/{one.id}")
        shown = at.page.locator("tr.new .c").inner_text()
        assert "⟦U+202E RLO⟧" in shown
        assert "⟦U+0020 SPACE ×3⟧" in shown
        at.see("direction controls")


# -- large things ----------------------------------------------------------------------------------


def test_a_long_diff_and_a_long_queue_stay_usable(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path) as served, window(browser, served) as at:
        served.write("long.txt", "".join(f"line {n}\n" for n in range(20_000)))
        one = served.propose("long.txt", "".join(f"other {n}\n" for n in range(20_000)))
        for n in range(199):
            served.propose(f"src/file{n}.py", f"{n}\n")
        at.go("/")
        expect(at.page.locator(".card")).to_have_count(40)
        at.page.keyboard.press("j")
        at.page.keyboard.press("Enter")
        at.page.wait_for_url(f"**/{one.id}")
        at.see("Showing 1–400 of 40,001 rows, page 1 of 101")
        at.page.locator(".pager >> text=Next").first.click()
        at.see("Showing 401–800 of 40,001 rows, page 2 of 101")
        rows = at.page.evaluate("document.querySelectorAll('tr').length")
        assert rows < 1000, "a page holds a page's worth"
