"""Rules from the page: shown with their diff and effect first, then added as a person's edit."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

from penstock.core.proposals.model import Proposal
from penstock.core.proposals.passkey import from_text
from tests.authenticator import Authenticator
from tests.doors.web.page_server import LINES, WORDS, Answer, Browser, Served, serving

RULES = """# mine
[defaults]
write = "ask"
create = "ask"

[[ask]]
id = "sources"
paths = ["src/**"]
reason = "look at sources"
"""


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("DECISION_REVIEWER_LOG", str(tmp_path / "reviewer.log"))
    monkeypatch.delenv("DECISION_REVIEWER_ALLOW_WRITES", raising=False)
    monkeypatch.chdir(tmp_path)
    with serving(tmp_path, rules=RULES) as one:
        yield one


@pytest.fixture
def one(served: Served) -> Proposal:
    served.write("src/a.py", LINES)
    return served.propose("src/a.py", LINES + "more\n")


def hidden(answer: Answer) -> dict[str, str]:
    form = answer.text.partition('id="add-rule"')[2]
    found = re.findall(r'type="hidden" name="(\w+)"[^>]* value="([^"]*)"', form)
    return {name: html.unescape(value) for name, value in found if name != "csrf"}


def asked(browser: Browser, one: Proposal, **given: str) -> Answer:
    return browser.get(f"/rules/new?{urlencode({'proposal': one.id, **given})}")


def add(browser: Browser, page: Answer, **given: str) -> Answer:
    return browser.post("/rules/new", {**hidden(page), "passphrase": WORDS, **given})


def test_every_scope_is_written_out_before_it_is_chosen(served: Served, one: Proposal) -> None:
    answer = asked(served.browser(), one)
    assert answer.status == 200
    for pattern in ("src/a.py", "src/**", "src/**/*.py"):
        assert f"<code>{pattern}</code>" in answer.text
    assert 'id="add-rule"' not in answer.text
    assert (served.root / "penstock.toml").read_text() == RULES


@pytest.mark.parametrize(
    ("kind", "scope", "line"),
    [
        ("deny", "file", 'paths = ["src/a.py"]'),
        ("ask", "folder", 'paths = ["src/**"]'),
        ("deny", "kind", 'paths = ["src/**/*.py"]'),
        ("deny", "own", 'paths = ["docs/*.md"]'),
    ],
)
def test_a_rule_is_shown_as_text_and_then_added(
    served: Served, one: Proposal, kind: str, scope: str, line: str
) -> None:
    browser = served.browser()
    given = {"kind": kind, "scope": scope, "pattern": "docs/*.md", "reason": "not <b>now</b>"}
    shown = asked(browser, one, **given)
    assert html.escape(f"+{line}", quote=False).replace('"', "&#34;") in shown.text
    assert "past decisions" in shown.text
    assert "<b>now" not in shown.text
    assert (served.root / "penstock.toml").read_text() == RULES, "looking writes nothing"
    answer = add(browser, shown)
    assert answer.status == 303, answer.text
    text = (served.root / "penstock.toml").read_text()
    assert text.startswith("# mine\n")
    assert line in text
    assert 'reason = "not <b>now</b>"' in text
    (approved,) = served.events("approved")
    assert (approved["proof"], bool(approved["signature"])) == ("key", True)
    assert served.here.verify().ok
    (receipt,) = served.gate.undoable(last=1)
    assert receipt.path.endswith("penstock.toml")


def test_allowing_takes_the_file_out_of_the_rule_that_asked(served: Served, one: Proposal) -> None:
    browser = served.browser()
    shown = asked(browser, one, kind="allow", scope="folder", expires="604800")
    assert "This makes the rules less strict" in shown.text
    assert add(browser, shown).status == 303
    text = (served.root / "penstock.toml").read_text()
    assert 'rule = "sources"' in text
    assert "expires_at" in text
    again = served.propose("src/b.py", "x\n")
    assert "sources" not in [reason.rule for reason in again.decision.reasons]


def test_a_form_that_is_sent_twice_adds_one_rule(served: Served, one: Proposal) -> None:
    browser = served.browser()
    shown = asked(browser, one, kind="deny", scope="file")
    assert add(browser, shown).status == 303
    after = (served.root / "penstock.toml").read_text()
    again = add(browser, shown)
    assert again.status == 409
    assert "base-changed" in again.text
    assert (served.root / "penstock.toml").read_text() == after


def test_rules_that_changed_since_they_were_shown_are_not_overwritten(
    served: Served, one: Proposal
) -> None:
    browser = served.browser()
    shown = asked(browser, one, kind="deny", scope="file")
    mine = RULES + '\n[[deny]]\nid = "mine"\npaths = ["x"]\n'
    (served.root / "penstock.toml").write_text(mine)
    answer = add(browser, shown)
    assert (answer.status, "base-changed" in answer.text) == (409, True)
    assert (served.root / "penstock.toml").read_text() == mine
    assert add(browser, answer).status == 303, "the new diff is shown with the refusal"


@pytest.mark.parametrize("kind", ["allow", "ask", "deny"])
def test_nothing_is_added_without_the_approvers_passphrase(
    served: Served, one: Proposal, kind: str
) -> None:
    browser = served.browser()
    shown = asked(browser, one, kind=kind, scope="file")
    for given in ({"passphrase": ""}, {"passphrase": "wrong"}, {"shown": "", "unlocked": "x"}):
        answer = add(browser, shown, **given)
        assert answer.status in (403, 409), answer.status
    assert (served.root / "penstock.toml").read_text() == RULES
    assert os.environ.get("DECISION_REVIEWER_ALLOW_WRITES") is None


def test_without_a_key_rules_are_added_in_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with serving(tmp_path, key=False, rules=RULES) as served:
        served.write("src/a.py", LINES)
        one = served.propose("src/a.py", LINES + "more\n")
        browser = served.browser()
        shown = asked(browser, one, kind="deny", scope="file")
        assert "penstock rules add" in shown.text
        assert add(browser, shown).status == 403
        assert (served.root / "penstock.toml").read_text() == RULES


@pytest.mark.parametrize(
    "given",
    [
        {"kind": "maybe", "scope": "file"},
        {"kind": "deny", "scope": "own"},
        {"kind": "deny", "scope": "file", "until": "5"},
        {"kind": "deny", "scope": "nowhere"},
    ],
)
def test_a_choice_that_means_nothing_is_refused(
    served: Served, one: Proposal, given: dict[str, str]
) -> None:
    answer = asked(served.browser(), one, **given)
    assert answer.status == 400
    assert 'id="add-rule"' not in answer.text


def test_what_protects_penstock_itself_cannot_be_allowed(served: Served) -> None:
    served.write("sub/penstock.toml", "")
    browser = served.browser()
    served.here.record.log.append(
        {
            "op": "tool_call",
            "status": "deny",
            "tool": "Write",
            "path": "penstock.toml",
            "rules": ["penstock.itself"],
        },
        durable=False,
    )
    (event,) = served.events("tool_call")
    answer = browser.get(f"/rules/new?entry={event['seq']}&kind=allow&scope=file")
    assert answer.status == 400
    assert "No rule can allow this" in answer.text


def test_a_command_is_allowed_by_its_beginning(served: Served) -> None:
    served.write(
        "penstock.toml",
        RULES + '\n[[ask]]\nid = "npm"\ncommand_regex = "^npm "\ntool_regex = "."\n',
    )
    served.here.record.log.append(
        {
            "op": "tool_call",
            "status": "ask",
            "tool": "Bash",
            "command": "npm test --fast",
            "rules": ["npm"],
        },
        durable=False,
    )
    (event,) = served.events("tool_call")
    browser = served.browser()
    listed = browser.get("/decisions")
    assert f"entry={event['seq']}" in listed.text
    form = browser.get(f"/rules/new?entry={event['seq']}")
    assert "<code>npm test</code>" in form.text
    shown = browser.get(f"/rules/new?entry={event['seq']}&kind=allow&scope=prefix")
    assert "npm test" in shown.text
    assert add(browser, shown).status == 303
    assert 'rule = "npm"' in (served.root / "penstock.toml").read_text()


def test_a_rule_about_something_new(served: Served) -> None:
    browser = served.browser()
    shown = browser.get(f"/rules/new?kind=deny&scope=own&path={quote('secrets/**')}")
    assert add(browser, shown).status == 303
    assert 'paths = ["secrets/**"]' in (served.root / "penstock.toml").read_text()


def test_suggested_rules_are_readable_and_added_the_same_way(served: Served) -> None:
    for n in range(6):
        served.here.record.log.append(
            {
                "op": "tool_call",
                "status": "ask",
                "tool": "Bash",
                "command": f"cargo test --jobs {n}",
                "rules": ["default.run"],
                "session": f"s{n}",
            },
            durable=False,
        )
    browser = served.browser()
    found = browser.get("/rules?suggest=1")
    assert found.status == 200
    assert "<code>cargo test</code>" in found.text
    link = html.unescape(re.findall(r'href="(/rules/new\?[^"]*suggestion=[^"]*)"', found.text)[0])
    shown = browser.get(link)
    assert "command_regex" in shown.text
    assert add(browser, shown).status == 303
    assert "cargo" in (served.root / "penstock.toml").read_text()


# --- by a touch -----------------------------------------------------------------------------------


@pytest.fixture
def passkey(served: Served) -> tuple[Browser, Authenticator]:
    browser, one = served.browser(), Authenticator()
    options = browser.post("/passkeys/options").json
    made = json.dumps(one.create(from_text(options["challenge"]), origin=served.origin))
    fields = {"credential": made, "passphrase": WORDS, "label": "key ring"}
    assert browser.post("/passkeys/add", fields).status == 303
    return browser, one


def touched(browser: Browser, key: Authenticator, page: Answer, origin: str) -> dict[str, str]:
    """Return a form with a touch for what it was shown with."""
    fields = hidden(page)
    answer = browser.post("/rules/challenge", fields)
    assert answer.status == 200, answer.text
    touch = key.answer(from_text(answer.json["challenge"]), origin=origin)
    return {**fields, "touch": json.dumps(touch)}


DENY = {"kind": "deny", "scope": "folder"}


def test_a_touch_adds_exactly_the_rule_that_was_shown(
    served: Served, one: Proposal, passkey: tuple[Browser, Authenticator]
) -> None:
    browser, key = passkey
    page = asked(browser, one, kind="allow", scope="folder")
    assert "Add the rule with passkey" in page.text
    assert "Unlock for 10 minutes" not in page.text
    form = touched(browser, key, page, served.origin)
    assert (served.root / "penstock.toml").read_text() == RULES, "a question changes nothing"
    done = browser.post("/rules/new", form)
    assert done.status == 303, done.text
    assert "src/**" in (served.root / "penstock.toml").read_text().partition("# mine")[2]
    assert (served.root / "penstock.toml").read_text() != RULES
    (event,) = served.events("approved")
    assert event["proof"] == "passkey"
    report = served.here.verify()
    assert [problem.message for problem in (*report.problems, *report.warnings)] == []
    again = browser.post("/rules/new", form)
    assert again.status == 409, "the same touch and the same text: nothing is added twice"


def test_a_touch_for_one_rule_adds_no_other(
    served: Served, one: Proposal, passkey: tuple[Browser, Authenticator]
) -> None:
    browser, key = passkey
    page = asked(browser, one, **DENY)
    form = touched(browser, key, page, served.origin)
    other = hidden(asked(browser, one, kind="allow", scope="folder"))
    refused = browser.post("/rules/new", {**other, "touch": form["touch"]})
    assert refused.status == 403
    assert "wrong-touch" in refused.text
    assert "wrong-touch" in browser.post("/rules/new", form).text, "it was used"
    change = served.propose("b.txt", "x\n")
    browser.get(f"/proposals/{change.id}")
    touch = touched(browser, key, page, served.origin)["touch"]
    fields = {"digest": change.content, "touch": touch}
    assert browser.post(f"/proposals/{change.id}/approve", fields).status == 403
    assert (served.root / "penstock.toml").read_text() == RULES
    assert not (served.root / "b.txt").exists()
    assert served.events("approved") == []


def test_a_touch_is_void_once_the_rules_changed(
    served: Served, one: Proposal, passkey: tuple[Browser, Authenticator]
) -> None:
    browser, key = passkey
    form = touched(browser, key, asked(browser, one, **DENY), served.origin)
    file = served.root / "penstock.toml"
    file.write_text(RULES + "# saved meanwhile\n")
    assert browser.post("/rules/challenge", hidden(asked(browser, one, **DENY))).status == 200
    assert browser.post("/rules/new", form).status == 409
    assert file.read_text() == RULES + "# saved meanwhile\n"
    stale = {name: value for name, value in form.items() if name != "touch"}
    assert browser.post("/rules/challenge", stale).status == 409


def test_an_unlocked_session_adds_no_rule(
    served: Served, one: Proposal, passkey: tuple[Browser, Authenticator]
) -> None:
    browser, _ = passkey
    other = served.propose("b.txt", "x\n")
    browser.get(f"/proposals/{other.id}")
    secret = "s" * 43
    fields = {"digest": other.content, "passphrase": WORDS, "unlock": secret}
    assert browser.post(f"/proposals/{other.id}/approve", fields).status == 303
    page = asked(browser, one, **DENY)
    assert "data-unlocked" not in page.text
    refused = browser.post("/rules/new", {**hidden(page), "unlocked": secret})
    assert refused.status == 403
    assert (served.root / "penstock.toml").read_text() == RULES
