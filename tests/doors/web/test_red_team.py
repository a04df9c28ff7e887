"""The five promises of the page, attacked: by other windows, old forms, odd words and odd places.

Every case shares one server; each has files of its own.
"""

from __future__ import annotations

import html
import itertools
import json
import re
from collections.abc import Callable, Iterator

import pytest
from starlette.routing import Route

from penstock.core.proposals.intent import intent
from penstock.core.proposals.model import Proposal, State
from penstock.core.proposals.passkey import from_text
from penstock.doors.web.app import PAGES
from penstock.doors.web.drift import shown
from penstock.doors.web.pages.answer_forms import ACTIONS
from tests.authenticator import Authenticator
from tests.doors.web.page_server import LINES, WORDS, Answer, Browser, Served, serving

RULES = """[defaults]
write = "ask"
create = "ask"
delete = "ask"

[[deny]]
id = "keys"
paths = ["**/*.key"]
"""
NUMBER = itertools.count()
TWO = LINES.replace("line 10\n", "ten\n").replace("line 200\n", "two hundred\n")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("red"), rules=RULES) as one:
        yield one


@pytest.fixture(scope="module")
def browser(served: Served) -> Browser:
    return served.browser()


def new(
    served: Served, after: str = TWO, *, before: str | None = LINES, **more: object
) -> Proposal:
    path = f"case/{next(NUMBER)}.txt"
    if before is not None:
        served.write(path, before)
    return served.propose(path, after, **more)


def now(served: Served, one: Proposal) -> str | None:
    file = served.root / one.path
    return file.read_text() if file.exists() else None


def page(browser: Browser, one: Proposal | str) -> Answer:
    answer = browser.get(f"/proposals/{one if isinstance(one, str) else one.id}")
    assert answer.status == 200, answer.text
    return answer


def form(answer: Answer, **more: str) -> list[tuple[str, str]]:
    """Return the fields of the form that approves, as the page has them."""
    found: list[tuple[str, str]] = []
    for tag in re.findall(r"<input [^>]*>", answer.text):
        said = {key: html.unescape(text) for key, text in re.findall(r'([\w-]+)="([^"]*)"', tag)}
        name = said.get("name", "")
        box = said.get("type") == "checkbox"
        wanted = re.match(r"(digest|total|here|drop|hunk|keep|boxes|ticks|left)", name)
        if wanted and name not in more and (not box or " checked" in tag):
            found.append((name, said.get("value", "")))
    once = dict.fromkeys(pair for pair in found if not pair[0].startswith(("hunk", "keep")))
    boxes = [pair for pair in found if pair[0].startswith(("hunk", "keep"))]
    return [*once, *boxes, *more.items()]


def without(fields: list[tuple[str, str]], *pairs: tuple[str, str]) -> list[tuple[str, str]]:
    return [pair for pair in fields if pair not in pairs]


def approve(browser: Browser, one: Proposal | str, fields: list[tuple[str, str]]) -> Answer:
    id_ = one if isinstance(one, str) else one.id
    return browser.post(f"/proposals/{id_}/approve", [*fields, ("passphrase", WORDS)])


# --- 1: what is not ticked is not written ---------------------------------------------------------


def test_a_hunk_that_another_window_unticked_is_not_written(
    served: Served, browser: Browser
) -> None:
    one = new(served)
    old = form(page(browser, one))  # a window that stays open
    other = without(form(page(browser, one)), ("hunk", "1"))
    assert browser.post(f"/proposals/{one.id}/choose", other).status == 303
    refused = approve(browser, one, old)
    assert (refused.status, "form-disagrees" in refused.text) == (400, True)
    assert now(served, one) == LINES
    again = form(page(browser, one))
    assert ("hunk", "1") not in again
    assert ("drop", "1") in again
    assert approve(browser, one, [*again, ("hunk", "1")]).status == 303, "ticked again where it is"
    assert now(served, one) == TWO


def test_a_file_that_another_window_unticked_is_not_written(
    served: Served, browser: Browser
) -> None:
    some = served.propose_set({f"set/{n}.txt": "x\n" for n in ("a", "b")})
    group = some[0].set_id
    old = form(page(browser, group))
    other = without(form(page(browser, group)), ("keep", some[1].id))
    assert browser.post(f"/proposals/{group}/choose", other).status == 303
    assert approve(browser, group, old).status == 400
    assert not (served.root / "set").exists()
    again = form(page(browser, group))
    assert ("keep", some[1].id) not in again
    assert approve(browser, group, [*again, ("keep", some[1].id)]).status == 303
    assert sorted(file.name for file in (served.root / "set").iterdir()) == ["a.txt", "b.txt"]


def test_what_another_person_unticks_is_their_own_choice(served: Served, browser: Browser) -> None:
    one, other = new(served), served.browser()
    theirs = without(form(page(other, one)), ("hunk", "2"))
    assert other.post(f"/proposals/{one.id}/choose", theirs).status == 303
    assert approve(browser, one, form(page(browser, one))).status == 303
    assert now(served, one) == TWO


def test_a_denied_file_is_not_taken_along_with_its_set(served: Served, browser: Browser) -> None:
    some = served.propose_set({"deny/a.txt": "x\n", "deny/b.key": "y\n"})
    group = some[0].set_id
    assert served.stored(some[1]).state is State.DENIED
    fields = form(page(browser, group))
    assert ("keep", some[1].id) not in fields
    forged = approve(browser, group, [*fields, ("keep", some[1].id)])
    assert forged.status >= 400
    assert not (served.root / "deny").exists()


def test_a_file_of_another_set_is_not_taken_along(served: Served, browser: Browser) -> None:
    mine = served.propose_set({"mine/a.txt": "x\n", "mine/b.txt": "x\n"})
    others = served.propose_set({"others/a.txt": "x\n", "others/b.txt": "x\n"})
    for some in (mine, others):
        page(browser, some[0].set_id)
    fields = form(page(browser, mine[0].set_id))
    assert approve(browser, mine[0].set_id, [*fields, ("keep", others[0].id)]).status >= 400
    assert not (served.root / "others").exists()
    assert not (served.root / "mine").exists()


def test_a_selection_does_not_take_what_is_unticked_elsewhere(
    served: Served, browser: Browser
) -> None:
    one, two = new(served), new(served)
    fields = without(form(page(browser, one)), ("hunk", "1"))
    assert browser.post(f"/proposals/{one.id}/choose", fields).status == 303
    listed = browser.get(f"/selection?id={one.id}&id={two.id}")
    takes = re.findall(r'name="take" value="([^"]*)" form="approve"', listed.text)
    forged = [*takes, f"{one.id}|{one.content}|"]
    done = browser.post(
        "/selection/approve", [*(("take", each) for each in forged), ("passphrase", WORDS)]
    )
    assert done.status in (303, 400)
    assert now(served, one) == LINES


# --- 2: what was not shown is not approved unseen -------------------------------------------------


def test_looking_at_one_version_shows_nothing_of_the_next(served: Served, browser: Browser) -> None:
    one = new(served)
    old = form(page(browser, one))
    made = served.gate.revise(one.id, (TWO + "and more\n").encode())
    assert approve(browser, one, old).status == 409
    forged = [("digest", shown([made])), *without(old, *[p for p in old if p[0] == "digest"])]
    assert approve(browser, made, forged).status >= 400, "it was never shown"
    assert now(served, one) == LINES


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Dest": "empty"},
        {"Sec-Fetch-Dest": "image"},
        {"Sec-Purpose": "prefetch"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
    ],
)
def test_what_nobody_looks_at_does_not_count(
    served: Served, browser: Browser, headers: dict[str, str]
) -> None:
    one = new(served)
    answer = browser.get(f"/proposals/{one.id}", headers)
    if answer.status == 200:
        assert approve(browser, one, form(answer)).status >= 400
    assert now(served, one) == LINES


def test_regions_beyond_the_file_point_nowhere_and_hide_nothing(
    served: Served, browser: Browser
) -> None:
    path = f"case/{next(NUMBER)}.txt"
    served.write(path, "one\ntwo\n")
    said = intent(
        "see\x1b[2J \u202e<script>alert(1)</script>",
        [f"{path}:900000-900001: here", f"{path}:2: <img src=x onerror=alert(1)>"],
    )
    one = served.propose(path, "one\n2\n", intent=said)
    text = page(browser, one).text
    assert "lines 900000 to 900001" in text
    for raw in ("<script>alert", "<img src=x", "\x1b", "\u202e"):
        assert raw not in text
    anchors = set(re.findall(r'href="#([^"]+)"', text))
    assert anchors <= set(re.findall(r'id="([^"]+)"', text)), "a link leads somewhere"
    assert re.search(r'class="c">(<[^>]+>)*2', text), "the whole diff is below"


def test_an_expired_form_writes_nothing(served: Served, browser: Browser) -> None:
    one = new(served, ttl=0.0)
    fields = form(page(browser, one), digest=shown([one]))
    assert approve(browser, one, fields).status >= 400
    assert served.stored(one).state is State.EXPIRED
    assert now(served, one) == LINES


def test_a_file_saved_meanwhile_is_not_overwritten(served: Served, browser: Browser) -> None:
    one = new(served)
    fields = form(page(browser, one))
    served.write(one.path, "saved\n")
    assert approve(browser, one, fields).status == 409
    assert now(served, one) == "saved\n"


# --- 3: looking changes nothing -------------------------------------------------------------------


def state(served: Served) -> tuple[object, ...]:
    files = {
        str(file.relative_to(served.root)): file.read_bytes()
        for file in served.root.rglob("*")
        if file.is_file()
    }
    rows = sorted((one.id, one.state, one.content) for one in served.gate.find(limit=1000))
    return files, rows, [dict(event) for event in served.here.record.events()]


def test_no_page_that_is_looked_at_changes_anything(served: Served, browser: Browser) -> None:
    one, some = new(served), served.propose_set({"look/a.txt": "x\n", "look/b.txt": "x\n"})
    done = new(served, "done\n", before=None)
    assert approve(browser, done, form(page(browser, done))).status == 303
    receipt = served.gate.receipts()[0].id
    names = {"id": [one.id, some[0].set_id, receipt, "x"], "side": ["before", "after"]}
    names |= {"run": ["x"], "name": ["x"]}
    query = "?hunks=1&strategy=append&side=after&line=1&kind=deny&scope=file&q=a&id=" + one.id
    before = state(served)
    asked = 0
    for route in PAGES:
        assert isinstance(route, Route)
        if route.methods and "GET" in route.methods:
            parts = re.findall(r"{(\w+)}", route.path)
            for values in itertools.product(*(names[part] for part in parts)):
                path = route.path.format(**dict(zip(parts, values, strict=True)))
                for address in (path, path + query):
                    assert browser.get(address).status < 500, address
                    asked += 1
    assert asked > 60
    assert state(served) == before


# --- 4 and 5, and who may send a form -------------------------------------------------------------

POSTS = sorted(
    {route.path for route in PAGES if isinstance(route, Route) and "POST" in (route.methods or ())}
)


@pytest.mark.parametrize("path", POSTS)
def test_every_form_is_refused_from_elsewhere_and_without_its_token(
    served: Served, browser: Browser, path: str
) -> None:
    one = new(served)
    fields = {"digest": one.content, "passphrase": WORDS, "reason": "no"}
    before = state(served)
    for action in ACTIONS if "{action}" in path else [""]:
        address = path.format(id=one.id, action=action)
        stranger = served.stranger()
        forged = Browser(served.port, cookie=browser.cookie, csrf="a" * 43)
        assert stranger.post(address, fields).status in (401, 403), address
        assert forged.post(address, fields).status == 403, address
        for told in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "same-site"}):
            assert browser.post(address, fields, told).status == 403, address
        assert browser.get(f"{address}?digest={one.content}&passphrase=x").status != 500
    assert state(served) == before


def test_the_same_form_twice_writes_once(served: Served, browser: Browser) -> None:
    one = new(served)
    fields = form(page(browser, one))
    assert approve(browser, one, fields).status == 303
    receipts = len(served.gate.receipts())
    again = approve(browser, one, fields)
    assert again.status == 409
    assert len(served.gate.receipts()) == receipts


@pytest.mark.parametrize(
    "to", ["//evil.example", "https://evil.example", "?a=1\r\nSet-Cookie: x=1", "@evil", "?x=%0d"]
)
@pytest.mark.parametrize("action", ["choose", "comment"])
def test_a_form_leads_nowhere_else(served: Served, browser: Browser, to: str, action: str) -> None:
    one = new(served)
    answer = browser.post(f"/proposals/{one.id}/{action}", form(page(browser, one), to=to))
    assert answer.status == 303
    assert answer.headers["Location"] == f"/proposals/{one.id}"
    assert "x=1" not in (answer.headers["Set-Cookie"] or "")


# --- comments -------------------------------------------------------------------------------------

EVIL = "stop\x1b[2J\x07\u202e\u2066<script>alert(1)</script>\x00"


def test_a_comment_is_text_wherever_it_is_read(served: Served, browser: Browser) -> None:
    one = new(served)
    page(browser, one)
    fields = {"digest": one.content, f"say:{one.id}:10": EVIL, "talk": one.id}
    assert browser.post(f"/proposals/{one.id}/comment", fields).status == 303
    assert "<script>alert" not in page(browser, one).text, "it stands in its box again"
    assert browser.post(f"/proposals/{one.id}/reject", {**fields, "reason": EVIL}).status == 303
    for address in (f"/proposals/{one.id}", "/audit", "/decisions", "/"):
        text = browser.get(address).text
        for raw in ("<script>alert", "\x1b", "\x00", "\u202e", "\u2066"):
            assert raw not in text, address
    log = b"\n".join(served.here.record.log.lines())
    assert b"\x1b" not in log
    assert "\u202e".encode() not in log


def test_comments_are_not_lost_by_another_version(served: Served, browser: Browser) -> None:
    one = new(served)
    fields = {"digest": one.content, f"say:{one.id}:10": "keep it", "talk": one.id}
    page(browser, one)
    assert browser.post(f"/proposals/{one.id}/comment", fields).status == 303
    edited = {"digest": one.content, "text": TWO + "mine\n"}
    assert browser.post(f"/proposals/{one.id}/edit", edited).status == 303
    made = next(each for each in served.gate.find() if each.parent == one.id)
    answer = page(browser, made)
    assert "keep it" in answer.text
    refused = approve(browser, made, form(answer))
    assert "comments-unsent" in refused.text
    assert now(served, one) == LINES


def test_comments_go_along_where_several_changes_are_rejected(
    served: Served, browser: Browser
) -> None:
    one, two = new(served), new(served)
    fields = {"digest": one.content, f"say:{one.id}:10": "keep it", "talk": one.id}
    page(browser, one)
    assert browser.post(f"/proposals/{one.id}/comment", fields).status == 303
    browser.get(f"/selection?id={one.id}&id={two.id}")
    takes = [("take", f"{each.id}|{each.content}|") for each in (one, two)]
    assert "comments-unsent" in browser.post("/selection/challenge", takes).text
    assert browser.post("/selection/reject", [*takes, ("reason", "no")]).status == 303
    answer = served.stored(one).answer
    assert answer is not None
    assert [each.words for each in answer.comments] == ["line 10: keep it"]
    assert served.stored(two).state is State.REJECTED


@pytest.mark.parametrize("lines", ["0-0-0", "x", "99999999999", "5-2", "#", "--1"])
def test_a_comment_on_no_line_is_refused(served: Served, browser: Browser, lines: str) -> None:
    one = new(served)
    page(browser, one)
    fields = {"digest": one.content, f"say:{one.id}:{lines}": "no", "talk": one.id}
    assert browser.post(f"/proposals/{one.id}/reject", fields).status == 400
    assert served.stored(one).state is State.WAITING


# --- names and proofs -----------------------------------------------------------------------------

NAMES = [
    "<script>alert(1)</script>.txt",
    'a" onmouseover="alert(1).txt',
    "a\u202etxt.exe",
    "a&amp;b.txt",
    "{{7*7}}.txt",
    "%2e%2e.txt",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_path_is_text_on_every_page_and_in_what_is_said_after(
    served: Served, browser: Browser, name: str
) -> None:
    one = served.propose(f"names/{next(NUMBER)}-{name}", "x\n")
    new(served)  # another one to go on to
    done = approve(browser, one, form(page(browser, one)))
    assert done.status == 303
    for address in (done.headers["Location"], "/", "/history", "/decisions", "/audit"):
        text = browser.get(address).text
        for raw in ("<script>alert", '" onmouseover', "\u202e", "\x1b", ">49.txt"):
            assert raw not in text, address


@pytest.fixture(scope="module")
def passkey(served: Served, browser: Browser) -> Callable[[bytes], str]:
    one = Authenticator()
    options = browser.post("/passkeys/options").json
    made = json.dumps(one.create(from_text(options["challenge"]), origin=served.origin))
    fields = {"credential": made, "passphrase": WORDS, "label": "ring"}
    assert browser.post("/passkeys/add", fields).status == 303
    return lambda challenge: json.dumps(one.answer(challenge, origin=served.origin))


def test_a_touch_for_a_part_a_selection_or_an_older_choice_is_good_for_nothing_else(
    served: Served, browser: Browser, passkey: Callable[[bytes], str]
) -> None:
    one, two, three = new(served), new(served), new(served)
    for each in (one, two, three):
        page(browser, each)
    takes = [("take", f"{each.id}|{each.content}|") for each in (one, two)]
    asked = browser.post("/selection/challenge", takes)
    touch = passkey(from_text(asked.json["challenge"]))
    more = [*takes, ("take", f"{three.id}|{three.content}|"), ("touch", touch)]
    assert "wrong-touch" in browser.post("/selection/approve", more).text, (
        "one more than was signed"
    )
    asked = browser.post("/selection/challenge", takes)
    touch = passkey(from_text(asked.json["challenge"]))
    alone = browser.post(
        f"/proposals/{three.id}/approve", [*form(page(browser, three)), ("touch", touch)]
    )
    assert alone.status == 403
    again = browser.post("/selection/approve", [*takes, ("touch", touch)])
    assert "wrong-touch" in again.text, "it was used up by the attempt"
    other = served.browser()
    asked = browser.post("/selection/challenge", takes)
    touch = passkey(from_text(asked.json["challenge"]))
    for each in (one, two):
        page(other, each)
    assert "wrong-touch" in other.post("/selection/approve", [*takes, ("touch", touch)]).text
    assert {now(served, each) for each in (one, two, three)} == {LINES}


def test_a_link_of_the_queue_cannot_answer(served: Served, browser: Browser) -> None:
    """A person who follows a link has answered nothing: every answer is a form."""
    one = new(served)
    for action in ACTIONS:
        browser.get(f"/proposals/{one.id}/{action}?digest={one.content}&passphrase=x")
    assert served.stored(one).state is State.WAITING


def test_everything_that_was_approved_here_is_proven(served: Served) -> None:
    report = served.here.verify()
    assert [problem.message for problem in report.problems] == []
