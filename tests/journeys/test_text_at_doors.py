"""Pages, API, graphs, messages, the full screen, commits: people read nothing hidden there either.

What programs read (arguments, paths as keys, a file's content) stays as it is, to the letter.
"""

from __future__ import annotations

import ast
import asyncio
import json
import re
import subprocess
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.core.model import Actor
from penstock.core.notify.message import Message
from penstock.doors.langgraph.prompts import ask_for_approval, show
from penstock.gate import Item
from penstock.stores.notify.send import show_on_desktop
from tests.app.mailbox import mailbox
from tests.app.test_telling import run_teller, told_by
from tests.cli.pending import gate_of
from tests.doors.langgraph.guarded_agent import Guarded, question
from tests.doors.langgraph.scripted_model import said as messages_of
from tests.doors.reviewer.reviewer_process import NPM, adding, in_git
from tests.doors.tui.stage import review
from tests.doors.web.page_server import ASK_ALL, Served, serving
from tests.journeys.hostile_text import AGENT, NAME, RULES, SAID, TEXT, raw, raw_in
from tests.project import Project

WHO = Actor(agent=AGENT, session=AGENT, tool_call_id=AGENT)
TEXTAREA = re.compile(r"<textarea.*?</textarea>", re.DOTALL)
EXACT = re.compile(r'<option value="[^"]*"')  # what a form sends back
# What the API gives to people; everything else is a value for programs.
FOR_PEOPLE = frozenset({"because", "notes", "warnings", "message", "try", "text", "suggestion"})


def hostile_set(gate: Any) -> None:
    """One change alone, two as a set, one denied; all by an agent with a hostile name."""
    gate.propose([Item(path=NAME, content=TEXT.encode())], actor=WHO)
    both = [Item(path=f"{word}{NAME}", content=TEXT.encode()) for word in ("na1", "na2")]
    gate.propose(both, actor=WHO)
    gate.propose([Item(path="denied.txt", content=b"x")], actor=WHO)


# --- the page and the API -------------------------------------------------------------------


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path, rules=RULES + ASK_ALL) as here:
        here.write(NAME, "before\n" + TEXT)
        hostile_set(here.gate)
        yield here


def test_no_page_holds_what_nobody_sees(served: Served) -> None:
    found = served.gate.find()
    each = [
        f"/proposals/{one.id}{more}" for one in found for more in ("", "/insert", "?view=split")
    ]
    sets = [f"/proposals/{one.set_id}" for one in found if one.set_id]
    more = ["/", "/history", "/decisions", "/rules", "/audit", f"/{NAME.encode().hex()}"]
    edits = [f"/proposals/{one.id}/edit" for one in found]
    browser = served.browser()
    wrong = {}
    for path in (*more, *each, *dict.fromkeys(sets), *edits):
        html = unescape(EXACT.sub("", TEXTAREA.sub("", browser.get(path).text)))
        if raw(html):
            wrong[path] = raw(html)[:3]
    assert wrong == {}
    assert "⟦U+202E RLO⟧" in browser.get(each[0]).text


def test_a_form_gives_back_exactly_what_was_proposed(served: Served) -> None:
    one = next(one for one in served.gate.find() if one.path == NAME)
    shown = TEXTAREA.search(served.browser().get(f"/proposals/{one.id}/edit").text)
    assert shown is not None
    assert TEXT.strip() in unescape(shown[0])


def people_read(document: Any) -> list[str]:
    """Return what is hidden in those fields of a document that people read."""
    if isinstance(document, list):
        return [one for part in document for one in people_read(part)]
    if not isinstance(document, dict):
        return []
    read = [one for name, value in document.items() if name in FOR_PEOPLE for one in raw_in(value)]
    return read + [one for value in document.values() for one in people_read(value)]


def test_the_api_hides_nothing_from_people_and_is_exact_for_programs(served: Served) -> None:
    (one, *_) = [one for one in served.gate.find() if one.path == NAME]
    asked = ["/proposals?state=all", f"/proposals/{one.id}", "/rules", "/status", "/proposals/none"]
    answers = {path: served.call("GET", path).json for path in asked}
    assert [hidden for path in asked for hidden in people_read(answers[path])] == []
    assert NAME in [each["path"] for each in answers[asked[0]]["proposals"]]
    rules = [raw_in([each["description"], each["reason"]]) for each in answers["/rules"]["rules"]]
    assert [each for each in rules if each] == []


# --- graphs ---------------------------------------------------------------------------------


@pytest.fixture
def graph_project(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    project.write("penstock.toml", RULES)
    project.write(NAME, "before\n" + TEXT)
    for name, value in project.environ.items():
        monkeypatch.setenv(name, value)
    return project


def test_a_graphs_question_hides_nothing_and_its_arguments_are_exact(
    graph_project: Project,
) -> None:
    scene = Guarded(graph_project, [("write_file", {"file_path": NAME, "content": TEXT})])
    (action,) = question(scene.start())["action_requests"]
    read = [action["description"], action["because"], [one["warnings"] for one in action["files"]]]
    assert raw_in(read) == []
    assert action["args"] == {"file_path": NAME, "content": TEXT}


@pytest.mark.parametrize("path", ["denied.txt", "warned.txt", f".env{NAME}"], ids=ascii)
def test_what_a_graphs_tool_is_told_hides_nothing(graph_project: Project, path: str) -> None:
    scene = Guarded(graph_project, [("write_file", {"file_path": path, "content": "x"})])
    (answer,) = messages_of(scene.start())
    assert raw(str(answer.content)) == []


def test_the_questions_at_the_terminal_hide_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[str] = []

    def answer(question: str) -> str:
        asked.append(question)
        return "no"

    request: Any = {"target_path": NAME, "new_content": TEXT, "classification": AGENT}
    ask_for_approval(
        request, f"--- a/{NAME}\n+++ b/{NAME}\n@@ -1 +1 @@\n-{TEXT}+{TEXT}", ask=answer
    )
    show(TEXT)
    assert raw_in([asked, capsys.readouterr().out]) == []
    assert asked


# --- messages -------------------------------------------------------------------------------


def test_a_notification_hides_nothing(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_NOTIFY", "off")
    project.write("penstock.toml", RULES)
    project.write(NAME, "before\n" + TEXT)
    with mailbox() as box:
        told_by(project, box, "contents = true")
        with gate_of(project) as gate:
            hostile_set(gate)
        run_teller(project)
        box.until(lambda: bool(box.got))
        assert raw_in([[got["title"], got["message"]] for got in box.got]) == []
        assert "⟦U+202E RLO⟧" in box.got[0]["message"]


def test_a_message_made_of_anything_hides_nothing_on_the_desktop(tmp_path: Path) -> None:
    program, heard = tmp_path / "notify-send", tmp_path / "heard"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {heard}\n')
    program.chmod(0o755)
    environ = {"DISPLAY": ":0", "PATH": "/usr/bin:/bin"}
    said = Message(title=AGENT, body=TEXT)
    assert show_on_desktop(said, environ, programs=str(tmp_path)) == ""
    assert raw(heard.read_text()) == []


# --- the full screen ------------------------------------------------------------------------


def test_the_full_screen_hides_nothing(project: Project) -> None:
    project.write("penstock.toml", RULES)
    project.write(NAME, "before\n" + TEXT)
    with gate_of(project) as gate:
        hostile_set(gate)

    async def look() -> list[str]:
        shown = []
        async with review(project, size=(160, 60)) as stage:
            shown.append(stage.text)
            for key in ("j", "j", "question_mark"):
                await stage.press(key)
                shown.append(stage.text)
            await stage.press("escape")
            stage.app.say(AGENT)
            await stage.settled()
            shown.append(stage.text)
        return shown

    assert raw("\n".join(asyncio.run(look()))) == []


# --- commits and the reviewer ---------------------------------------------------------------


def test_a_commit_of_a_rule_edit_hides_nothing(tmp_path: Path) -> None:
    at = in_git(tmp_path / "rules")
    rule = {**NPM, "id": "allow-it", "description": SAID}
    done = at.run(
        "apply", "--json", json.dumps(adding(rule)), "--target-file", str(at.file),
        env={"DECISION_REVIEWER_ALLOW_WRITES": "1", "USER": AGENT, "LOGNAME": AGENT},
    )  # fmt: skip
    assert raw(done.out) + raw(done.err) == []
    log = subprocess.run(
        ["git", "-C", str(at.folder), "log", "--format=%B"], capture_output=True, check=True
    )
    assert raw(log.stdout.decode()) == []


# --- nothing leaves by another way ----------------------------------------------------------

# Where a text may be printed, and why nothing hidden can leave there.
EXITS = {
    "cli/__init__.py": "a word of ours",
    "cli/audit/group.py": "exported lines, escaped by their formats",
    "cli/audit/ship.py": "a unit that a program reads",
    "cli/integrations/broker_cli.py": "a question of ours",
    "cli/integrations/serve.py": "a unit that a program reads",
    "cli/judge/batch.py": "JSON lines that a program reads",
    "cli/review/open.py": "an address of ours",
    "cli/review/watch.py": "escaped where the line is made; titles and bells are ours",
    "cli/rules/check.py": "a file of ours",
    "cli/setup/approver.py": "a secret of ours",
    "cli/setup/completion.py": "a script of click's",
    "cli/setup/help.py": "help texts of ours",
    "cli/setup/version.py": "a version of ours",
    "cli/shape.py": "help texts of ours",
    "cli/terminal/output.py": "the one place for everything else",
    "cli/terminal/pager.py": "what a console of ours has printed, escaped there",
    "core/rules/json_schema.py": "a file of ours",
    "doors/http/talk.py": "the server's one place",
    "doors/langgraph/node.py": "a name and a reason that are escaped in the entry",
    "doors/langgraph/preview.py": "how far it is, with a name that is escaped",
    "doors/langgraph/prompts.py": "the graph's one place",
    "doors/mcp/http.py": "the server's one place",
    "doors/mcp/tool_call.py": "an error, escaped",
    "doors/reviewer/output.py": "the reviewer's one place",
    "doors/colours/worker.py": "JSON for a program",
    "hook.py": "a word of ours",
}
PRINTERS = {"print", "echo", "secho", "write", "writelines"}
STREAMS = {"stdout", "stderr", "click"}


def printing(source: str) -> bool:
    """Say whether a module prints by `print`, by click or on a standard stream."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id == "print":
            return True
        if isinstance(node.func, ast.Attribute) and node.func.attr in PRINTERS:
            of = node.func.value
            name = of.attr if isinstance(of, ast.Attribute) else getattr(of, "id", "")
            if name in STREAMS:
                return True
    return False


def test_a_text_leaves_by_no_other_place() -> None:
    top = Path(penstock.__file__).parent
    found = {str(file.relative_to(top)) for file in top.rglob("*.py") if printing(file.read_text())}
    assert found == set(EXITS)
