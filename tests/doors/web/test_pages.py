"""The pages as a browser without JavaScript gets them, from a real server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from penstock.app import Workspace
from penstock.core.proposals.model import State
from penstock.doors.web.diff.content_type import (
    Presentation,
    first_difference,
    look_of,
    picture_type,
)
from penstock.doors.web.pages.answer_forms import ACTIONS
from penstock.doors.web.wording import as_ranges, from_ranges
from penstock.gate import Item
from penstock.gate.rule_edit import RuleEdit
from penstock.ports import Version
from penstock.stores.rules.history import RuleHistory
from tests.doors.web.page_server import ASK_ALL, LINES, WORDS, Answer, Browser, Served, serving

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
BAD = "<img src=x onerror=alert(1)>\"'&{{7*7}}"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as one:
        yield one


class Page(HTMLParser):
    """The forms, links and text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: dict[str, dict[str, list[str]]] = {}
        self.by_id: dict[str, str] = {}
        self.links: list[str] = []
        self.pictures: list[str] = []
        self.tags: list[str] = []
        self._form = ""
        self._text: list[str] = []
        self.feed(html)

    @property
    def text(self) -> str:
        return " ".join("".join(self._text).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        if tag == "a":
            self.links.append(known.get("href", ""))
        if tag == "img" and known.get("class") == "picture":
            self.pictures.append(known["src"])
        if tag == "form":
            self._form = known.get("action", "")
            self.forms[self._form] = {}
            self.by_id[known.get("id", self._form)] = self._form
        if tag == "input" and "name" in known:
            form = self.by_id.get(known["form"], "") if "form" in known else self._form
            ticked = known.get("type") not in ("checkbox", "radio") or "checked" in known
            if ticked:
                fields = self.forms.setdefault(form or f"#{known.get('form')}", {})
                fields.setdefault(known["name"], []).append(known.get("value", ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = ""

    def handle_data(self, data: str) -> None:
        self._text.append(data)

    def form(self, action: str) -> tuple[str, dict[str, list[str]]]:
        """Return the form that ends so, boxes before it included."""
        address = next(each for each in self.forms if each.endswith(f"/{action}"))
        name = next(known for known, where in self.by_id.items() if where == address)
        fields = {k: list(v) for k, v in self.forms[address].items()}
        for key, values in self.forms.get(f"#{name}", {}).items():
            fields.setdefault(key, []).extend(values)
        return address, fields


def get(browser: Browser, path: str, *, status: int = 200) -> Page:
    answer = browser.get(path)
    assert answer.status == status, answer.text
    return Page(answer.text)


def send(browser: Browser, page: Page, action: str, **more: str | list[str]) -> Answer:
    """Send a form as the page shows it, with some fields filled in."""
    address, fields = page.form(action)
    for name, value in more.items():
        fields[name] = value if isinstance(value, list) else [value]
    fields.pop("csrf", None)
    return browser.post(address, [(n, v) for n, values in fields.items() for v in values])


def follow(browser: Browser, answer: Answer) -> Page:
    assert answer.status == 303, answer.text
    return get(browser, answer.headers["Location"])


def asked(browser: Browser, page: Page, strategy: str, at: str) -> Page:
    """Send the form that asks for a preview: its fields stand in the address."""
    address, _ = page.form("preview")
    answer = browser.get(f"{address}?strategy={strategy}&at={at}")
    if answer.status == 303:
        return get(browser, answer.headers["Location"])
    assert answer.status == 200, answer.text
    return Page(answer.text)


# -- the queue -----------------------------------------------------------------------------------


def test_an_empty_queue_says_so(served: Served) -> None:
    assert "No pending changes" in get(served.browser(), "/").text


def test_the_queue_shows_what_waits_with_the_files_of_a_set_together(served: Served) -> None:
    served.write("a.py", LINES)
    one = served.propose("a.py", "one\n")
    some = served.propose_set({"b.py": "1\n", "c.py": "2\n"})
    page = get(served.browser(), "/")
    assert "2 pending changes" in page.text
    assert "270 of 270 lines removed" in page.text
    assert f"/proposals/{one.id}" in page.links
    assert f"/proposals/{some[0].set_id}" in page.links
    assert f"/proposals/{some[0].id}" not in page.links


def test_what_was_answered_is_no_longer_waiting(served: Served) -> None:
    one = served.propose("a.py", "1\n")
    browser = served.browser()
    page = get(browser, f"/proposals/{one.id}")
    assert send(browser, page, "reject", reason="no").status == 303
    page = get(browser, "/")
    assert "No pending changes" in page.text
    assert "rejected a.py" in page.text


def test_a_stranger_is_told_how_to_get_in_and_nothing_else(served: Served) -> None:
    served.propose("secret-name.py", "1\n")
    answer = served.stranger().get("/")
    assert answer.status == 401
    page = Page(answer.text)
    assert "penstock open" in page.text
    assert served.root.name not in page.text
    assert page.forms.keys() == {""}, "only the one that closes the list of keys"


# -- answers -------------------------------------------------------------------------------------


def test_approving_writes_what_was_shown_and_says_so(served: Served) -> None:
    one = served.propose("a.py", "print(1)\n")
    browser = served.browser()
    page = get(browser, f"/proposals/{one.id}")
    done = follow(browser, send(browser, page, "approve", passphrase=WORDS))
    assert "Written and logged" in done.text
    assert (served.root / "a.py").read_bytes() == b"print(1)\n"


def test_the_third_approval_of_a_kind_offers_the_rule(served: Served) -> None:
    browser = served.browser()
    told = ""
    for name in ("a", "b", "c"):
        assert "to stop being asked" not in told
        one = served.propose(f"guides/{name}.md", "x\n")
        page = get(browser, f"/proposals/{one.id}")
        told = follow(browser, send(browser, page, "approve", passphrase=WORDS)).text
    assert "to stop being asked: penstock rules add --allow --path 'guides/*.md'" in told


def test_a_wrong_passphrase_writes_nothing_and_says_so(served: Served) -> None:
    one = served.propose("a.py", "print(1)\n")
    browser = served.browser()
    page = get(browser, f"/proposals/{one.id}")
    answer = send(browser, page, "approve", passphrase="wrong")
    assert answer.status == 403
    assert "wrong-passphrase" in answer.text
    assert "wrong" not in [v for f in Page(answer.text).forms.values() for v in f]
    assert not (served.root / "a.py").exists()


def test_rejecting_tells_the_agent_why(served: Served) -> None:
    one = served.propose("a.py", "print(1)\n")
    browser = served.browser()
    send(browser, get(browser, f"/proposals/{one.id}"), "reject", reason=BAD)
    answer = served.stored(one).answer
    assert answer is not None
    assert (answer.approved, answer.reason) == (False, BAD)
    page = get(browser, f"/proposals/{one.id}")
    assert BAD in page.text


def test_chosen_hunks_are_shown_as_a_new_version_before_they_can_be_approved(
    served: Served,
) -> None:
    served.write("a.txt", LINES)
    one = served.propose(
        "a.txt", LINES.replace("line 10\n", "number ten\n").replace("line 99\n", "x\n")
    )
    browser = served.browser()
    page = get(browser, f"/proposals/{one.id}")
    address, fields = page.form("approve")
    chosen = [("to", "preview"), ("hunk", "2")]
    rest = [(n, v) for n, vs in fields.items() if n not in ("hunk", "csrf") for v in vs]
    preview = follow(browser, browser.post(address.replace("approve", "choose"), rest + chosen))
    assert "number ten" not in preview.text
    assert served.stored(one).state is State.WAITING, "looking changes nothing"
    shown = follow(browser, send(browser, preview, "hunks"))
    assert "It was created by hunks:2" in shown.text
    assert "number ten" not in shown.text
    assert served.stored(one).state is State.SUPERSEDED
    done = follow(browser, send(browser, shown, "approve", passphrase=WORDS))
    assert "Written and logged." in done.text
    assert (served.root / "a.txt").read_text() == LINES.replace("line 99\n", "x\n")


def test_hunks_that_were_unticked_on_another_page_stay_unticked(served: Served) -> None:
    before = "".join(f"{n}\n" for n in range(3000))
    after = "".join(f"{n} changed\n" if n % 10 == 0 else f"{n}\n" for n in range(3000))
    served.write("a.txt", before)
    one = served.propose("a.txt", after)
    browser = served.browser()
    page = get(browser, f"/proposals/{one.id}")
    assert "page 1 of" in page.text
    _, fields = page.form("approve")
    ticked = [number for number in fields["hunk"] if number != "3"]
    _, fields = page.form("approve")
    second = follow(
        browser,
        browser.post(
            f"/proposals/{one.id}/choose",
            [*((n, v) for n, vs in fields.items() if n not in ("hunk", "csrf") for v in vs)]
            + [("hunk", number) for number in ticked]
            + [("to", "?page=2")],
        ),
    )
    assert "page 2 of" in second.text
    assert "1 of 300 hunks deselected" in second.text
    preview = follow(browser, send(browser, second, "approve", passphrase=WORDS))
    assert "Nothing was written" in preview.text
    follow(browser, send(browser, preview, "hunks"))
    made = served.gate.find(states=[State.WAITING])[-1]
    content = served.gate.contents(made)[1] or b""
    assert b"\n20\n" in content
    assert content.count(b"changed") == 299


@pytest.mark.parametrize(
    ("strategy", "at", "expected"),
    [
        ("append", "", LINES + "\nnew\n"),
        ("insert", "2", LINES.replace("line 2\n", "line 2\nnew\n", 1)),
    ],
)
def test_a_strategy_is_shown_before_it_is_approved(
    served: Served, strategy: str, at: str, expected: str
) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", "new\n")
    browser = served.browser()
    page = get(browser, f"/proposals/{one.id}")
    preview = asked(browser, page, strategy, at)
    assert served.stored(one).state is State.WAITING, "looking changes nothing"
    shown = follow(browser, send(browser, preview, "strategy"))
    assert f"It was created by strategy:{strategy}" in shown.text
    assert (served.root / "a.txt").read_text() == LINES, "nothing is written by looking"
    follow(browser, send(browser, shown, "approve", passphrase=WORDS))
    assert (served.root / "a.txt").read_text() == expected


def test_inserting_without_a_line_offers_the_lines_to_choose_from(served: Served) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", "new\n")
    browser = served.browser()
    page = get(browser, f"/proposals/{one.id}")
    offered = asked(browser, page, "insert", "")
    assert "at the top" in offered.text
    assert "line 270" in offered.text
    preview = asked(browser, offered, "insert", "270")
    shown = follow(browser, send(browser, preview, "strategy"))
    assert "strategy:insert" in shown.text


def test_one_can_go_back_to_the_agents_version(served: Served) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", "new\n")
    browser = served.browser()
    page = get(browser, f"/proposals/{one.id}")
    joined = follow(browser, send(browser, asked(browser, page, "append", ""), "strategy"))
    back = follow(browser, send(browser, joined, "restore"))
    assert "270 of 270 lines" in back.text
    made = served.gate.find(states=[State.WAITING])[-1]
    assert made.content == one.content


# -- what was shown is what is approved ------------------------------------------------------------


def test_a_newer_version_is_refused_with_the_difference(served: Served) -> None:
    one = served.propose("a.py", "print(1)\n")
    browser = served.browser()
    page = get(browser, f"/proposals/{one.id}")
    newer = served.gate.revise(one.id, b"print(2)\n")
    answer = send(browser, page, "approve", passphrase=WORDS)
    assert answer.status == 409
    told = Page(answer.text)
    assert "newer-version" in told.text
    assert "print(1)" in told.text
    assert "print(2)" in told.text
    assert f"/proposals/{newer.id}" in told.links
    assert not (served.root / "a.py").exists()


def test_a_file_that_moved_is_told_before_anything_is_typed_and_can_be_carried_over(
    served: Served,
) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", LINES.replace("line 9\n", "nine\n"))
    served.write("a.txt", LINES.replace("line 200\n", "saved meanwhile\n"))
    browser = served.browser()
    page = get(browser, f"/proposals/{one.id}")
    assert "The file has changed since this was proposed" in page.text
    assert "saved meanwhile" in page.text
    answer = send(browser, page, "approve", passphrase=WORDS)
    assert answer.status == 409
    carried = follow(browser, send(browser, page, "rebase"))
    follow(browser, send(browser, carried, "approve", passphrase=WORDS))
    text = (served.root / "a.txt").read_text()
    assert "nine\n" in text
    assert "saved meanwhile\n" in text


def test_a_form_with_another_digest_is_refused(served: Served) -> None:
    one = served.propose("a.py", "print(1)\n")
    browser = served.browser()
    page = get(browser, f"/proposals/{one.id}")
    answer = send(browser, page, "approve", passphrase=WORDS, digest="sha256:" + "0" * 64)
    assert answer.status == 409
    assert "not-as-shown" in answer.text


# -- editing ---------------------------------------------------------------------------------------

CONTENTS = [
    (b"a\nb\n", "line feeds"),
    (b"a\r\nb\r\n", "returns and line feeds"),
    (b"a\r\nb\nc\rd", "all ends mixed, and none at the end"),
    (b"\n\na", "blank lines at the top"),
    (b"\xef\xbb\xbfa\n", "a byte order mark"),
    ("</textarea><script>alert(1)</script>\n\u200b\u202e".encode(), "markup and hidden letters"),
    (b"\ta \n  \n", "blanks at ends"),
    (b"", "nothing"),
]


@pytest.mark.parametrize(("content", "why"), CONTENTS)
def test_text_that_comes_back_unchanged_changes_no_byte(content: bytes, why: str) -> None:
    from penstock.doors.web.textarea import offered, taken

    text = offered(content)
    assert "\r" not in text
    assert taken(content, text.replace("\n", "\r\n")) == content, why


@pytest.mark.parametrize(
    ("was", "typed", "expected"),
    [
        (b"a\r\nb\r\n", "a\r\nB\r\n", b"a\r\nB\r\n"),
        (b"a\nb\n", "a\r\nB\r\n", b"a\nB\n"),
        (b"a\r\nb\nc\n", "a\r\nb\r\nC\r\n", b"a\r\nb\nC\n"),
        (b"a\nb\r\nc\n", "a\r\nB\r\nc\r\n", b"a\nB\r\nc\n"),
        (b"a", "a\r\n", b"a\n"),
    ],
)
def test_new_lines_end_as_the_others_do(was: bytes, typed: str, expected: bytes) -> None:
    from penstock.doors.web.textarea import taken

    assert taken(was, typed) == expected


def test_an_edit_is_judged_and_shown_again(served: Served) -> None:
    one = served.propose("a.py", b"x = 1\r\ny = 2\r\n")
    browser = served.browser()
    page = get(browser, f"/proposals/{one.id}/edit")
    shown = follow(browser, send(browser, page, "edit", text="x = 1\r\ny = 3\r\n"))
    assert "It was created by edit" in shown.text
    follow(browser, send(browser, shown, "approve", passphrase=WORDS))
    assert (served.root / "a.py").read_bytes() == b"x = 1\r\ny = 3\r\n"


def test_an_edit_that_somebody_was_quicker_than_is_not_lost(served: Served) -> None:
    one = served.propose("a.py", "x = 1\n")
    browser = served.browser()
    page = get(browser, f"/proposals/{one.id}/edit")
    served.gate.revise(one.id, b"x = 2\n")
    answer = send(browser, page, "edit", text="my long work\n")
    assert answer.status == 409
    assert "my long work" in answer.text


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"caf\xe9\n", b"a\0b"])
def test_what_is_no_text_is_not_offered_for_editing(served: Served, content: bytes) -> None:
    one = served.propose("a.bin", content)
    assert served.browser().get(f"/proposals/{one.id}/edit").status == 400


# -- sets ------------------------------------------------------------------------------------------


def test_unticked_files_of_a_set_go_back_and_the_others_are_written(served: Served) -> None:
    some = served.propose_set({"a.py": "1\n", "b.py": "2\n", "c.py": "3\n"})
    browser = served.browser()
    page = get(browser, f"/proposals/{some[0].set_id}")
    answer = send(browser, page, "approve", passphrase=WORDS, keep=[some[0].id, some[2].id])
    done = follow(browser, answer)
    assert "Written and logged." in done.text
    assert (served.root / "a.py").exists()
    assert not (served.root / "b.py").exists()
    assert (served.root / "c.py").exists()


def test_a_set_with_nothing_ticked_is_not_taken_for_all_of_it(served: Served) -> None:
    some = served.propose_set({"a.py": "1\n", "b.py": "2\n"})
    browser = served.browser()
    page = get(browser, f"/proposals/{some[0].set_id}")
    answer = send(browser, page, "approve", passphrase=WORDS, keep=[])
    assert answer.status == 400
    assert not (served.root / "a.py").exists()


# -- history, decisions, rules, the record ---------------------------------------------------------


def test_a_write_can_be_taken_back(served: Served) -> None:
    served.write("a.txt", "old\n")
    one = served.propose("a.txt", "new\n")
    browser = served.browser()
    page = get(browser, f"/proposals/{one.id}")
    written = follow(browser, send(browser, page, "approve", passphrase=WORDS))
    back = follow(browser, send(browser, written, "undo", passphrase=WORDS))
    assert "Reverted and logged." in back.text
    assert (served.root / "a.txt").read_text() == "old\n"
    assert "undone" in get(browser, "/history").text


def test_an_edit_of_rules_outside_is_in_the_history_and_taken_back_by_the_key(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("DECISION_REVIEWER_ALLOW_WRITES", "1")
    rules = tmp_path / "elsewhere" / "rules.toml"
    rules.parent.mkdir()
    rules.write_bytes(b"old = 1\n")
    version = Version(path=str(rules), before=b"old = 1\n", after=b"new = 1\n")
    edit = RuleEdit(versions=(version,), message="", snapshot="", facts={"operation": "x"})
    served.gate.edit_rules(edit, history=RuleHistory())
    assert rules.read_bytes() == b"new = 1\n"
    browser = served.browser()
    listed = get(browser, "/history")
    assert str(rules) in listed.text
    (receipt,) = served.gate.undoable(last=1)
    written = get(browser, f"/history/{receipt.id}")
    assert (
        "Reverted and logged."
        in follow(browser, send(browser, written, "undo", passphrase=WORDS)).text
    )
    assert rules.read_bytes() == b"old = 1\n"
    assert served.here.verify().ok


def test_a_file_that_changed_since_is_shown_and_not_overwritten(served: Served) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", LINES.replace("line 3\n", "three\n"))
    browser = served.browser()
    page = get(browser, f"/proposals/{one.id}")
    written = send(browser, page, "approve", passphrase=WORDS).headers["Location"].partition("?")[0]
    served.write("a.txt", (served.root / "a.txt").read_text().replace("line 250\n", "mine\n"))
    page = get(browser, written)
    assert "has changed since Penstock wrote it" in page.text
    assert "mine" in page.text
    kept = get(browser, f"{written}?rebase=1")
    follow(browser, send(browser, kept, "undo", passphrase=WORDS))
    text = (served.root / "a.txt").read_text()
    assert "line 3\n" in text
    assert "mine\n" in text


def test_decisions_are_counted_drawn_and_listed(served: Served) -> None:
    served.propose("a.txt", "1\n")
    page = get(served.browser(), "/decisions")
    assert page.tags.count("svg") >= 3
    assert "1 asked" in page.text
    assert "the last 30 days" in page.text
    assert "ask a.txt" in page.text


def test_rules_are_listed_with_their_hits(tmp_path: Path) -> None:
    rules = '[[ask]]\nid = "python"\npaths = ["*.py"]\nreason = "look at code"\n'
    with serving(tmp_path, rules=rules) as served:
        served.propose("a.py", "1\n")
        page = get(served.browser(), "/rules")
        assert re.search(r"python 1 match, last \d{4}", page.text)
        assert "look at code" in page.text


def test_the_record_is_verified_on_demand(served: Served) -> None:
    served.propose("a.py", "1\n")
    browser = served.browser()
    page = get(browser, "/audit")
    assert "proposed" in page.text
    answer = send(browser, page, "verify")
    assert answer.status == 200
    assert "Verified" in Page(answer.text).text


def test_decisions_and_the_audit_log_are_searched(served: Served) -> None:
    browser = served.browser()
    for n in range(40):
        served.propose(f"src/file{n}.py", f"value = {n}\n")
    needle = served.propose("docs/needle.md", "x\n")
    text = browser.get("/decisions?q=NEEDLE").text
    assert "docs/needle.md" in text
    assert "src/file1.py" not in text
    text = browser.get("/audit?q=needle").text
    assert "1 entry found" in text
    assert "src/file1.py" not in text
    assert "docs/needle.md" in browser.get(f"/audit?q={needle.id}").text
    assert "No entry matches" in browser.get("/audit?q=%22%3E%3Cimg%20src%3Dx%3E").text
    assert "No decision matches" in browser.get("/decisions?q=nothing-like-this").text


def test_an_edited_record_is_told(served: Served) -> None:
    served.propose("a.py", "1\n")
    served.propose("b.py", "1\n")
    path = Path(served.here.audit_path)
    path.write_bytes(path.read_bytes().replace(b'"a.py"', b'"z.py"'))
    browser = served.browser()
    answer = send(browser, get(browser, "/audit"), "verify")
    assert "Verification failed" in Page(answer.text).text


# -- what comes from an agent is never markup ------------------------------------------------------

PAGES = ("/", "/proposals/{id}", "/proposals/{id}?view=split", "/proposals/{id}/edit",
         "/proposals/{set}", "/decisions", "/rules", "/rules/new?proposal={id}",
         "/audit", "/history")  # fmt: skip


@pytest.mark.parametrize("address", PAGES)
def test_names_paths_and_contents_are_text_wherever_they_stand(
    served: Served, address: str
) -> None:
    from penstock.core.model import Actor
    from penstock.gate import Item

    bad = "<svg onload=alert(1)>"
    actor = Actor(agent=bad, session=bad, tool_call_id=bad)
    one = served.gate.propose([Item(path=f"{bad}.py", content=bad.encode())], actor=actor)[0]
    some = served.gate.propose(
        [Item(path=f"{n}{bad}", content=f"</textarea>{bad}\n".encode()) for n in "ab"], actor=actor
    )
    html = served.browser().get(address.format(id=one.id, set=some[0].set_id)).text
    assert "<svg onload" not in html
    assert "</textarea><svg" not in html


def test_no_page_holds_a_script_a_style_or_an_address_elsewhere(served: Served) -> None:
    one = served.propose("a.py", "x\n")
    browser = served.browser()
    for address in PAGES:
        if "{set}" in address:
            continue
        html = browser.get(address.format(id=one.id)).text
        assert re.findall(r"<script(?! src=\"/static/[a-z]+\.js\" defer>)", html) == []
        assert " style=" not in html
        assert re.findall(r"\son\w+=", html) == []
        assert re.findall(r"(?:href|src|action)=\"(?!/|#|\?)", html) == []


# -- contents that are no text ---------------------------------------------------------------------


def test_a_picture_is_shown_and_nothing_in_it_can_run(served: Served) -> None:
    one = served.propose("a.png", PNG)
    browser = served.browser()
    assert f'src="/proposals/{one.id}/raw/after"' in browser.get(f"/proposals/{one.id}").text
    answer = browser.get(f"/proposals/{one.id}/raw/after")
    assert answer.headers["Content-Type"] == "image/png"
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.body == PNG


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("a.svg", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"),
        ("a.html", b"<script>alert(1)</script>"),
        ("a.png", b"<script>alert(1)</script>"),
    ],
)
def test_what_could_run_is_only_ever_saved(served: Served, path: str, content: bytes) -> None:
    one = served.propose(path, content)
    answer = served.browser().get(f"/proposals/{one.id}/raw/after")
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"].startswith("attachment")


def test_bytes_are_shown_as_bytes(served: Served) -> None:
    served.write("a.bin", b"\0" * 1000 + b"old" + b"\0" * 50)
    one = served.propose("a.bin", b"\0" * 1000 + b"new" + b"\0" * 50)
    page = get(served.browser(), f"/proposals/{one.id}")
    assert "the first difference is at 1,000" in page.text
    assert "6f 6c 64" in page.text


def test_wide_text_is_shown_and_offers_no_choice_that_works_on_its_bytes(served: Served) -> None:
    before, after = LINES, LINES.replace("line 3\n", "x\n").replace("line 99\n", "y\n")
    served.write("a.txt", before.encode("utf-16"))
    one = served.propose("a.txt", after.encode("utf-16"))
    page = get(served.browser(), f"/proposals/{one.id}")
    assert "UTF-16" in page.text
    assert "line 99" in page.text
    actions = {action.rpartition("/")[2] for action in page.forms}
    assert actions & {"hunks", "strategy"} == set()
    assert f"/proposals/{one.id}/edit" not in page.links


LOOKS = [
    (b"a", b"b", Presentation.TEXT, "text"),
    (None, b"", Presentation.TEXT, "an empty file"),
    ("a".encode("utf-16"), "b".encode("utf-16"), Presentation.TEXT, "wide text with its mark"),
    (PNG, b"x\0", Presentation.BYTES, "a picture on one side"),
    (b"a\0", b"b\0", Presentation.BYTES, "bytes"),
    (b"\xff\xfea\0\0", None, Presentation.BYTES, "a mark of wide text before what is none"),
]


@pytest.mark.parametrize(("before", "after", "look", "why"), LOOKS)
def test_a_content_is_told_by_its_bytes(
    before: bytes | None, after: bytes | None, look: Presentation, why: str
) -> None:
    assert look_of(before, after) is look, why


DRAWN = [
    ("a.png", PNG, "image/png"),
    ("A.PNG", PNG, "image/png"),
    ("a.jpeg", b"\xff\xd8\xff\xe0\0", "image/jpeg"),
    ("a.gif", b"GIF89a\0", "image/gif"),
    ("a.webp", b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
    ("a.webp", b"RIFF\0\0\0\0WAVEfmt ", ""),
    ("a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", ""),
    ("a.png", b"GIF89a\0", ""),
    ("deploy.sh", b"GIF89a=1\ncurl x | sh\n\0", ""),
    ("png", PNG, ""),
]


@pytest.mark.parametrize(("path", "content", "kind"), DRAWN)
def test_a_picture_is_one_by_its_bytes_and_its_name_and_cannot_run_anything(
    path: str, content: bytes, kind: str
) -> None:
    assert picture_type(path, content) == kind


def test_the_first_difference_is_found() -> None:
    assert first_difference(b"a" * 100 + b"x", b"a" * 100 + b"y") == 100
    assert first_difference(b"same", b"same") == 4
    assert first_difference(b"", b"x") == 0


# -- words and numbers -----------------------------------------------------------------------------


def test_ranges_are_read_as_they_are_written() -> None:
    assert as_ranges([3, 1, 2, 7]) == "1-3,7"
    assert from_ranges("1-3,7,junk,9-8,99999999999", most=8) == {1, 2, 3, 7}
    assert from_ranges(as_ranges(range(1, 50)), most=100) == set(range(1, 50))


def test_a_proposal_whose_contents_are_gone_says_so(served: Served) -> None:
    one = served.propose("a.txt", "x\n")
    some = served.propose_set({"b.txt": "y\n", "c.txt": "z\n"})
    for blob in Path(served.here.state, "blobs").rglob("*"):
        if blob.is_file():
            blob.unlink()
    browser = served.browser()
    page = get(browser, f"/proposals/{one.id}", status=410)
    assert "is no longer stored" in page.text
    assert "b.txt" in get(browser, f"/proposals/{some[0].set_id}").text


# -- odd requests ----------------------------------------------------------------------------------

ODD = ["-1", "0", "abc", "9" * 40, "<script>", "%00", "1-", "%F0%9F%92%A9", "1,2,3", "1e9"]


@pytest.mark.parametrize("odd", ODD)
def test_odd_questions_get_a_page(served: Served, odd: str) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", "new\n")
    browser = served.browser()
    for name in ("page", "view", "drop"):
        assert browser.get(f"/proposals/{one.id}?{name}={odd}").status == 200
    assert browser.get(f"/proposals/{one.id}/insert?page={odd}").status == 200
    assert browser.get(f"/decisions?verdict={odd}&agent={odd}").status == 200
    for address in (
        "/proposals/{}",
        "/history/{}",
        "/proposals/{}/raw/after",
        "/history?workspace={}",
    ):
        assert browser.get(address.format(odd)).status == 404


@pytest.mark.parametrize("action", [*ACTIONS, "nothing"])
def test_forms_without_their_fields_are_refused_and_change_nothing(
    served: Served, action: str
) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", "new\n")
    browser = served.browser()
    status = browser.post(f"/proposals/{one.id}/{action}", {}).status
    assert status in {"choose": {303}, "comment": {303}, "renew": {303}, "nothing": {404}}.get(
        action, {400, 403, 409}
    )
    assert served.stored(one).state is State.WAITING
    assert browser.post(f"/proposals/nowhere/{action}", {}).status == 404
    assert (served.root / "a.txt").read_text() == LINES


@pytest.mark.parametrize("odd", ODD)
def test_odd_fields_are_refused_or_ignored(served: Served, odd: str) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", LINES.replace("line 3\n", "x\n").replace("line 9\n", "y\n"))
    browser = served.browser()
    digest = one.content or ""
    for action, fields in (
        ("hunks", {"here": odd, "hunk": odd, "drop": odd}),
        ("choose", {"to": odd, "here": odd, "drop": odd}),
        ("strategy", {"strategy": odd, "at": odd}),
        ("strategy", {"strategy": "insert", "at": odd}),
        ("approve", {"passphrase": odd, "code": odd, "keep": odd}),
    ):
        answer = browser.post(f"/proposals/{one.id}/{action}", {"digest": digest, **fields})
        assert answer.status < 500, (action, answer.text)
    assert (served.root / "a.txt").read_text() == LINES


# -- several workspaces ----------------------------------------------------------------------------


def test_every_workspace_is_on_the_page_and_a_broken_one_hides_no_other(
    served: Served, tmp_path: Path
) -> None:
    for name in ("second", "third"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "penstock.toml").write_text(ASK_ALL)
    second, third = (
        Workspace(str(tmp_path / name), str(tmp_path / "state/penstock" / f"{name}-1"))
        for name in ("second", "third")
    )
    made = second.gate.propose([Item(path="there.txt", content=b"x\n")])[0]
    Path(third.state).parent.mkdir(parents=True, exist_ok=True)
    Path(third.state).write_text("a file where a directory should be")
    served.world._places.update({"second-1": second, "third-1": third})
    served.propose("here.txt", "y\n")
    browser = served.browser()
    page = get(browser, "/")
    assert "here.txt" in page.text
    assert "there.txt" in page.text
    assert "third can't be opened" in page.text
    assert "second" in page.text
    assert get(browser, f"/proposals/{made.id}")
    assert "second" in get(browser, "/history?workspace=second-1").text


def test_one_time_codes_are_asked_for_where_they_are_set_up(served: Served) -> None:
    one = served.propose("a.txt", "x\n")
    browser = served.browser()
    assert 'name="code"' not in browser.get(f"/proposals/{one.id}").text
    served.here.keys.add_totp(WORDS)
    assert 'name="code"' in browser.get(f"/proposals/{one.id}").text


# -- large things ----------------------------------------------------------------------------------


def test_a_long_diff_says_how_much_there_is_and_every_page_of_it_is_there(served: Served) -> None:
    served.write("a.txt", "".join(f"line {n}\n" for n in range(20_000)))
    one = served.propose("a.txt", "".join(f"other {n}\n" for n in range(20_000)))
    browser = served.browser()
    page = get(browser, f"/proposals/{one.id}")
    assert "Showing 1–400 of 40,001 rows, page 1 of 101" in page.text
    assert "This approves all 40,001 rows" in page.text
    last = get(browser, f"/proposals/{one.id}?page=101")
    assert "other 19999" in last.text
    gone = get(browser, f"/proposals/{one.id}?view=removed&page=50")
    assert "Showing 19,601–20,000 of 20,001 rows, page 50 of 51" in gone.text
    assert "line 19998" in gone.text
    assert "other" not in gone.text


def test_two_hundred_proposals_are_five_pages(served: Served) -> None:
    for n in range(200):
        served.propose(f"src/file{n}.py", f"{n}\n")
    page = get(served.browser(), "/")
    assert "200 pending changes" in page.text
    assert len([link for link in page.links if link.startswith("/proposals/")]) == 40
    assert "Page 1 of 5" in page.text
    pages = [get(served.browser(), f"/?page={n}") for n in range(1, 6)]
    found = {link for each in pages for link in each.links if link.startswith("/proposals/")}
    assert len(found) == 200


def test_a_file_opens_in_the_editor_that_the_users_own_rules_name(tmp_path: Path) -> None:
    link = '[page]\neditor = "vscode://file{path}:{line}"\n'
    with serving(tmp_path, rules=f"{ASK_ALL}{link}") as served:  # a project's word is none
        one, *_ = served.propose_set({"a b.txt": "x\n", "c.txt": "y\n"})
        pages = [f"/proposals/{one.id}", f"/proposals/{one.set_id}"]
        assert all("data-editor" not in served.browser().get(path).text for path in pages)
        served.here.__dict__["editor"] = lambda: "vscode://file{path}:{line}"
        wanted = f'href="vscode://file{served.root}/a%20b.txt:1"'
        assert all(wanted in served.browser().get(path).text for path in pages)
