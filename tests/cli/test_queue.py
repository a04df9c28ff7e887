"""The queue at a real terminal and without one: what is shown, asked, written and answered."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from penstock.cli import main
from penstock.core.proposals.intent import intent
from penstock.core.proposals.short_id import short
from penstock.gate import Item
from tests.cli.pending import AGENT, events, gate_of, one_proposed, ops, proposed, state_of
from tests.project import Done, Project
from tests.terminal import END, Seen, in_terminal

OLD = "".join(f"line {at}\n" for at in range(1, 21))
YES = [("exactly like this?", "y")]


@pytest.fixture
def app(project: Project) -> Project:
    project.write("src/app.py", OLD)
    return project


def text_of(project: Project, path: str = "src/app.py") -> str:
    return (project.root / path).read_text()


def approve(project: Project, *argv: str) -> Seen:
    seen = in_terminal(project, "approve", *argv, typed=YES)
    assert seen.code == 0, seen.text
    return seen


def error(done: Done) -> dict[str, str]:
    return dict(done.json["error"])


# Looking


def test_the_queue_and_one_proposal_read_as_lines_and_as_json(app: Project) -> None:
    new = OLD.replace("line 7\n", "seven\n").encode()
    one = one_proposed(app, "src/app.py", new)
    heading, row = app.run("proposals").out.splitlines()
    assert heading.split() == ["id", "age", "agent", "set", "lines", "file"]
    short, _, _, *rest = row.split()
    assert (short, rest) == (one[5:13], ["an-agent", "-", "−1", "+1", "src/app.py"])
    (listed,) = app.run("proposals", "--json").json["proposals"]
    assert (listed["id"], listed["state"], listed["path"]) == (one, "waiting", "src/app.py")
    shown = app.run("show", one)
    assert shown.code == 0
    assert shown.err == ""
    assert shown.out.startswith("src/app.py: 1 line changed (−1 +1 of 20)\n")
    (document,) = app.run("show", one, "--json").json["proposals"]
    assert document["lost_lines"] == [{"line": 7, "text": "line 7"}]
    assert document["diff"].endswith(" line 6\n-line 7\n+seven\n line 8\n line 9\n line 10\n")
    assert document["actor"]["agent"] == "an-agent"
    status = app.run("status", "--json").json
    assert status["waiting"] == 1
    assert status["audit_head"].startswith("sha256:")
    assert status["workspace"] == str(app.root.resolve())
    assert 0 < status["images_bytes"] <= status["images_most"]
    assert status["kept_days"] == 90


def test_show_quotes_the_agent_and_names_functions_and_line_ends(app: Project) -> None:
    code = "def first():\n" + "    step()\n" * 20
    app.write("src/f.py", code)
    new = code.removesuffix("    step()\n") + "    other()\n"
    said = intent("because\nof that", ["21: the call"], path="src/f.py")
    with gate_of(app) as gate:
        item = Item(path="src/f.py", content=new.replace("\n", "\r\n").encode())
        (one,) = gate.propose([item], actor=AGENT, intent=said)
        (two,) = gate.propose([Item(path="src/f.py", content=new.encode())], actor=AGENT)
    out = app.run("show", one.id).out
    quote = (
        "  the agent says (not checked):\n  > because\n  > of that\n  > look at line 21: the call\n"
    )
    assert quote in out
    assert "  note       20 lines differ only in line endings\n" in out
    assert " @@ def first()\n" in app.run("show", two.id).out


def test_lost_lines_come_first_then_warnings_then_the_diff(app: Project) -> None:
    hidden = OLD.replace("line 3\n", "access = 'user\u202e'\n").encode()
    out = app.run("show", one_proposed(app, "src/app.py", hidden)).out
    places = [out.index(text) for text in ("REMOVED LINES", "danger ", "--- a/")]
    assert places == sorted(places)
    assert "     3 - line 3\n" in out
    assert "+access = 'user⟦U+202E RLO⟧'\n" in out
    assert "\u202e" not in out


def test_a_diff_marks_what_is_hidden_and_nothing_else(app: Project) -> None:
    app.write("w.txt", "a\n\n\tb\r\nc\n")
    out = app.run("show", one_proposed(app, "w.txt", b"a\n\n\tb\r\nc \x1b[2J\n")).out
    assert "\n \n" in out, "an empty line of context is an empty line"
    assert "\n \tb" in out, "a tab stays a tab"
    assert "+c ⟦U+001B ESC⟧[2J\n" in out
    assert "\x1b" not in out


def test_what_an_agent_calls_itself_cannot_command_the_terminal(app: Project) -> None:
    from penstock.core.model import Actor
    from penstock.gate import Item

    with gate_of(app) as gate:
        items = [Item(path="src/app.py", content=b"x\n")]
        (one,) = gate.propose(items, actor=Actor(agent="a\x1b[2Jb", tool_call_id="\x07"))
    for done in (app.run("proposals"), app.run("show", one.id)):
        assert "⟦U+001B ESC⟧" in done.out
        assert "\x1b" not in done.out
        assert "\x07" not in done.out


def test_an_id_may_be_cut_as_long_as_one_is_meant(app: Project) -> None:
    one = one_proposed(app, "src/app.py", b"x\n")
    other = one_proposed(app, "src/app.py", b"y\n")
    bare = one.removeprefix("hitl-")
    cut = next(
        bare[:n] for n in range(1, 36) if not other.removeprefix("hitl-").startswith(bare[:n])
    )
    for text in (one, cut, f"hitl-{cut}"):
        assert app.run("show", text, "--json").json["proposals"][0]["id"] == one
    for text, code in (("hitl-", "ambiguous-id"), ("nothing", "not-found"), ("", "not-found")):
        done = app.run("show", text, "--json")
        assert (done.code, error(done)["code"]) == (1, code)


def test_states_stand_in_a_column_of_their_own(app: Project, tmp_path: Path) -> None:
    one = one_proposed(app, "src/app.py", b"short\n")
    app.run("edit", one, env=editor(tmp_path, "open(path, 'w').write('other')"))
    listed = app.run("proposals", "--all").out.splitlines()
    assert [line.split()[-2] for line in listed] == ["state", "replaced", "pending"]
    assert len({line.index(line.split()[-2]) for line in listed}) == 1
    assert app.run("proposals", "--limit", "0").code == 64
    again = app.run("rebase", one, "--json")
    assert (again.code, error(again)["code"]) == (4, "already-superseded")
    said = "a proposal that is replaced can't be replaced by another version"
    assert error(again)["message"] == said


def test_nothing_waiting_is_said_and_is_no_error(app: Project) -> None:
    done = app.run("proposals")
    assert (done.code, done.out) == (0, "")
    assert "no pending changes" in done.err


# Approving


def test_at_a_terminal_the_change_is_shown_then_asked_about_then_written(app: Project) -> None:
    one = one_proposed(app, "src/app.py", b"short\n")
    seen = approve(app, one)
    assert seen.text.index("REMOVED LINES") < seen.text.index("exactly like this?")
    assert "\x1b[31m-line 1\x1b[0m" in seen.text, "coloured at a terminal"
    assert "applied src/app.py\nundo with `penstock undo r-" in seen.text
    assert text_of(app) == "short\n"
    assert ops(app) == ["proposed", "approved", "applying", "applied"]


@pytest.mark.parametrize("answer", ["n", "", END, "maybe\nn"])
def test_whatever_is_not_a_yes_writes_nothing(app: Project, answer: str) -> None:
    one = one_proposed(app, "src/app.py", b"short\n")
    seen = in_terminal(app, "approve", one, typed=[("exactly like this?", answer)])
    assert seen.code == 1
    assert text_of(app) == OLD
    assert state_of(app, one) == "waiting"


@pytest.mark.parametrize(("answer", "said"), [("n", '"receipts": []'), (END, '"code": "stopped"')])
def test_an_answer_that_is_no_yes_is_a_document_as_well(
    app: Project, answer: str, said: str
) -> None:
    one = one_proposed(app, "src/app.py", b"short\n")
    seen = in_terminal(app, "approve", one, "--json", typed=[("exactly like this?", answer)])
    assert seen.code == 1
    assert said in seen.text


def test_no_colour_means_no_escapes_at_all(app: Project) -> None:
    one = one_proposed(app, "src/app.py", b"short\n")
    seen = in_terminal(app, "show", one, "--no-pager", env={"NO_COLOR": "1"})
    assert "REMOVED LINES" in seen.text
    assert "\x1b" not in seen.text


def test_without_a_terminal_nothing_is_asked_and_nothing_approved(app: Project) -> None:
    one = one_proposed(app, "src/app.py", b"short\n")
    for more in ((), ("--yes",)):
        done = app.run("approve", one, *more, "--json", stdin="y\n")
        assert (done.code, error(done)["code"]) == (1, "no-terminal")
    said = app.run("approve", one, "--yes").err
    assert said.startswith(
        "error[no-terminal]: approving needs a person at a terminal\n  because: "
    )
    assert "\n  try: " in said
    assert text_of(app) == OLD


def test_approving_and_writing_can_be_two_steps(app: Project) -> None:
    one = one_proposed(app, "src/app.py", b"short\n")
    waits = app.run("apply", one, "--json")
    assert (waits.code, error(waits)["code"]) == (3, "not-approved")
    seen = in_terminal(app, "approve", one, "--yes", "--no-apply", "--json")
    assert seen.code == 0
    assert text_of(app) == OLD
    done = app.run("apply", one, "--json")
    assert done.code == 0
    assert done.json["receipts"][0]["path"] == "src/app.py"
    assert text_of(app) == "short\n"


STRATEGIES = [
    (("append",), OLD + "\nnew\n", "after an empty line"),
    (("insert", "--at", "0"), "new\n" + OLD, "at the top"),
    (("insert", "--at", "20"), OLD + "new\n", "at the end"),
    (("replace",), "new\n", "as it was proposed"),
    (("extend",), OLD + "\nnew\n", "no Python: appended, and told"),
]


@pytest.mark.parametrize(("words", "expected", "why"), STRATEGIES, ids=[w[2] for w in STRATEGIES])
def test_a_strategy_is_shown_and_written(
    project: Project, words: tuple[str, ...], expected: str, why: str
) -> None:
    project.write("list.txt", OLD)
    one = one_proposed(project, "list.txt", b"new\n")
    seen = approve(project, one, "--strategy", *words)
    assert text_of(project, "list.txt") == expected
    assert ("extend fell back to append" in seen.text) == (words[0] == "extend")


def test_extend_keeps_the_members_that_are_there(project: Project) -> None:
    project.write("app.py", "def old():\n    return 1\n")
    one = one_proposed(project, "app.py", b"def new():\n    return 2\n")
    approve(project, one, "--strategy", "extend")
    text = text_of(project, "app.py")
    assert "def old():" in text
    assert "def new():" in text


def test_line_numbers_are_shown_before_an_insertion_point_is_asked_for(app: Project) -> None:
    one = one_proposed(app, "src/app.py", b"new\n")
    typed = [("end): ", "99"), ("end): ", "x"), ("end): ", "2"), *YES]
    seen = in_terminal(app, "approve", one, "--strategy", "insert", typed=typed)
    assert seen.code == 0, seen.text
    assert seen.text.index("    20  line 20\n") < seen.text.index("insert after line")
    assert "    21" not in seen.text
    assert text_of(app).startswith("line 1\nline 2\nnew\nline 3\n")


def test_chosen_hunks_are_what_is_written_and_the_rest_is_not(app: Project) -> None:
    new = OLD.replace("line 2\n", "two\n").replace("line 10\n", "").replace("line 18\n", "18\n")
    one = one_proposed(app, "src/app.py", new.encode())
    shown = app.run("show", one).out
    assert "hunks: 1 at line 2 (-1 +1), 2 at line 10 (-1 +0), 3 at line 18 (-1 +1)" in shown
    seen = approve(app, one, "--hunks", "1,3", "--reason", "line 10 is used")
    assert "Preview of src/app.py: selected hunks only; nothing is written yet" in seen.text
    assert text_of(app) == OLD.replace("line 2\n", "two\n").replace("line 18\n", "18\n")
    old = app.run("show", one, "--json").json["proposals"][0]
    assert old["state"] == "superseded"
    back = "2 of 3 hunks kept; hunk 2 (line 10) rejected: line 10 is used"
    assert old["answer"]["reason"] == back, "what is left goes back to the agent with the reason"
    assert events(app, "superseded")[0]["reason"] == back


WRONG = [
    (["approve"], "an id is missing"),
    (["approve", "x", "--strategy", "merge"], "no such strategy"),
    (["approve", "x", "--hunks", "one"], "no numbers"),
    (["approve", "x", "--hunks", "3-1"], "no hunk is in there"),
    (["approve", "x", "--at", "3"], "only insert has a place"),
    (["approve", "x", "--strategy", "insert", "--at", "-1"], "no line"),
    (["approve", "x", "--files", "a", "--hunks", "1"], "one or the other"),
    (["approve", "x", "--hunks", "1", "--hunks", "2"], "twice"),
    (["approve", "x", "--hunks", "a:1", "--hunks", "a:2"], "twice of one file"),
    (["approve", "x", "--hunks", "a:1", "--hunks", "2"], "whose hunks"),
    (["approve", "x", "--hunks", "a:"], "no numbers of a file"),
    (["approve", "x", "--reason", "y"], "nothing goes back"),
    (["reject", "x"], "the agent must be told why"),
    (["undo", "--last", "0"], "nothing"),
    (["undo", "r-1", "--path", "a"], "one or the other"),
    (["nonsense"], "no command"),
]


@pytest.mark.parametrize(("argv", "why"), WRONG, ids=[row[1] for row in WRONG])
def test_wrong_usage_is_64_and_never_a_denial(
    capsys: pytest.CaptureFixture[str], argv: list[str], why: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*argv, "--json"])
    assert ended.value.code == 64
    assert json.loads(capsys.readouterr().out)["error"]["message"]


# Rejecting, renewing, expiring, going stale: four outcomes


def test_every_outcome_is_told_apart(app: Project) -> None:
    rejected = one_proposed(app, "src/app.py", b"1\n")
    done = app.run("reject", rejected, "--reason", "not like this", "--json")
    assert (done.code, done.json["rejected"][0]["answer"]["reason"]) == (0, "not like this")
    denied = one_proposed(app, ".env", b"KEY=1\n")
    expired = one_proposed(app, "src/app.py", b"3\n", ttl=0.001)
    stale = one_proposed(app, "src/app.py", b"4\n")
    app.write("src/app.py", OLD + "saved\n")
    outcomes = []
    for one in (rejected, denied, expired, stale):
        seen = in_terminal(app, "approve", one, "--yes", "--json")
        found = json.loads(seen.text[seen.text.index("{\n") :])
        outcomes.append((seen.code, found["error"]["code"], state_of(app, one)))
    assert outcomes == [
        (2, "already-rejected", "rejected"),
        (2, "already-denied", "denied"),
        (4, "expired", "expired"),
        (4, "base-changed", "stale"),
    ]
    assert {"rejected", "expired", "outdated"} <= set(ops(app))
    assert text_of(app) == OLD + "saved\n"


def test_time_runs_out_across_restarts_and_renewing_comes_before_that(app: Project) -> None:
    waiting = one_proposed(app, "src/app.py", b"1\n", ttl=1000)
    done = app.run("renew", waiting, "--json")
    assert (done.code, done.json["renewed"][0]["state"]) == (0, "waiting")
    over = one_proposed(app, "src/app.py", b"2\n", ttl=0.001)
    for argv in (
        ["renew", over],
        ["reject", over, "--reason", "x"],
        ["edit", over],
        ["apply", over],
    ):
        done = app.run(*argv, "--json")
        assert (done.code, error(done)["code"]) == (4, "expired"), argv
    assert app.run("show", over, "--json").json["proposals"][0]["state"] == "expired"


# New versions


EDITOR = f"{sys.executable} {{script}} 'two words'"


def editor(folder: Path, body: str) -> dict[str, str]:
    script = folder / "editor.py"
    script.write_text(f"import sys\npath = sys.argv[-1]\n{body}\n")
    return {"EDITOR": EDITOR.format(script=script), "VISUAL": ""}


def test_a_persons_edit_is_a_new_version_that_waits(app: Project, tmp_path: Path) -> None:
    one = one_proposed(app, "src/app.py", b"short\n")
    env = editor(
        tmp_path, "assert open(path).read() == 'short\\n'; open(path, 'a').write('mine\\n')"
    )
    done = app.run("edit", one, "--json", env=env)
    (made,) = done.json["proposals"]
    assert (done.code, made["state"], made["parent"], made["origin"]) == (3, "waiting", one, "edit")
    assert state_of(app, one) == "superseded"
    assert text_of(app) == OLD
    approve(app, made["id"])
    assert text_of(app) == "short\nmine\n"


def test_an_editor_that_fails_or_changes_nothing_changes_nothing(
    app: Project, tmp_path: Path
) -> None:
    one = one_proposed(app, "src/app.py", b"short\n")
    unchanged = app.run("edit", one, "--json", env=editor(tmp_path, "pass"))
    assert (unchanged.code, unchanged.json) == (1, {"proposals": []})
    for env in (
        editor(tmp_path, "sys.exit(3)"),
        {"EDITOR": "rm", "VISUAL": ""},  # it leaves no file
        {"EDITOR": "ln -sf /etc/hostname", "VISUAL": ""},  # nor is a link to another one
        {"EDITOR": "/nonexistent/editor", "VISUAL": ""},
        {"EDITOR": "'unclosed", "VISUAL": ""},
    ):
        done = app.run("edit", one, "--json", env=env)
        assert (done.code, error(done)["code"]) == (1, "editor-failed")
    done = app.run("edit", one, "--json", env={"EDITOR": "", "VISUAL": ""})
    assert (done.code, error(done)["code"]) == (1, "no-editor")
    assert state_of(app, one) == "waiting"


def test_a_rebase_keeps_what_was_saved_meanwhile(app: Project) -> None:
    one = one_proposed(app, "src/app.py", OLD.replace("line 18\n", "18\n").encode())
    in_terminal(app, "approve", one, "--yes", "--no-apply")
    app.write("src/app.py", "saved\n" + OLD)
    stale = app.run("apply", one, "--json")
    assert (stale.code, error(stale)["code"]) == (4, "base-changed")
    assert f"penstock rebase {short(one)}" in error(stale)["try"]
    done = app.run("rebase", one, "--json")
    (made,) = done.json["proposals"]
    assert (done.code, made["state"], made["origin"]) == (3, "waiting", "rebase")
    assert app.run("apply", made["id"]).code == 3, "the old approval is void"
    approve(app, made["id"])
    assert text_of(app) == "saved\n" + OLD.replace("line 18\n", "18\n")


def test_a_rebase_that_would_have_to_guess_says_where(app: Project) -> None:
    one = one_proposed(app, "src/app.py", OLD.replace("line 5\n", "five\n").encode())
    app.write("src/app.py", OLD.replace("line 5\n", "cinq\n"))
    done = app.run("rebase", one, "--json")
    assert (done.code, error(done)["code"]) == (4, "conflict")
    assert error(done)["because"] == "line 5 of the current file"


# Sets


@pytest.fixture
def group(app: Project) -> tuple[Project, str]:
    files: dict[str, bytes | None] = {"src/app.py": b"A\n", "b.txt": b"B\n", "notes/n": b"N\n"}
    return app, proposed(app, files)[0].set_id


def test_a_set_is_shown_whole_and_written_whole(group: tuple[Project, str]) -> None:
    project, set_id = group
    seen = approve(project, set_id.removeprefix("set-")[:12])
    for title in (
        "src/app.py: 20 of 20 lines removed, 1 added",
        "b.txt: new file",
        "notes/n: new file",
    ):
        assert title in seen.text, "what the rules allow is shown too"
    assert "write 3 files" in seen.text
    assert [text_of(project, path) for path in ("src/app.py", "b.txt", "notes/n")] == [
        "A\n",
        "B\n",
        "N\n",
    ]


def test_one_file_of_a_set_waits_for_the_others(group: tuple[Project, str]) -> None:
    project, set_id = group
    shown = project.run("show", set_id, "--json").json["proposals"]
    ids = {one["path"]: one["id"] for one in shown}
    seen = in_terminal(project, "approve", ids["b.txt"], "--yes")
    assert seen.code == 3
    assert "(1 file pending)" in seen.text
    assert not (project.root / "b.txt").exists()
    assert in_terminal(project, "approve", ids["src/app.py"], "--yes").code == 0
    assert text_of(project, "b.txt") == "B\n"
    assert text_of(project) == "A\n"


def test_chosen_files_are_a_set_of_their_own_and_the_others_go_back(
    group: tuple[Project, str],
) -> None:
    project, set_id = group
    refused = in_terminal(project, "approve", set_id, "--files", "b.txt,zzz", "--yes")
    assert (refused.code, "not-in-set" in refused.text) == (1, True)
    approve(project, set_id, "--files", "b.txt", "--reason", "one at a time")
    assert text_of(project, "b.txt") == "B\n"
    assert text_of(project) == OLD
    assert not (project.root / "notes").exists()
    states = {
        (one["path"], one["state"])
        for one in project.run("proposals", "--all", "--json").json["proposals"]
    }
    assert {("src/app.py", "rejected"), ("notes/n", "rejected"), ("b.txt", "applied")} <= states
    told = {event["reason"] for event in events(project, "rejected")}
    assert told == {"not selected from its set: one at a time"}


def test_a_set_with_a_denied_file_is_refused_before_anything_is_asked(app: Project) -> None:
    set_id = proposed(app, {"src/app.py": b"A\n", ".env": b"K\n"})[0].set_id
    seen = in_terminal(app, "approve", set_id)
    assert seen.code == 2
    assert "error[already-denied]: this change set can't be applied as a whole" in seen.text
    assert "--files src/app.py" in seen.text
    assert text_of(app) == OLD


def test_a_set_is_rejected_whole(group: tuple[Project, str]) -> None:
    project, set_id = group
    done = project.run("reject", set_id, "--reason", "no", "--json")
    assert {one["path"] for one in done.json["rejected"]} == {"src/app.py", "b.txt", "notes/n"}
    assert project.run("apply", set_id).code == 2


def test_commands_for_one_file_name_the_files_of_a_set(group: tuple[Project, str]) -> None:
    project, set_id = group
    done = project.run("edit", set_id, "--json")
    assert (done.code, error(done)["code"]) == (1, "is-a-set")
    assert re.search(r"ids: [0-9a-f]{8}, [0-9a-f]{8}", error(done)["try"])


# Large files


def test_a_large_file_tells_that_it_is_being_compared(project: Project) -> None:
    many = "".join(f"{at}\n" for at in range(10_050))
    project.write("big.txt", many)
    one = one_proposed(project, "big.txt", many.replace("\n77\n", "\nseventy\n").encode())
    seen = in_terminal(project, "approve", one, typed=YES)
    assert seen.code == 0
    assert seen.text.index("comparing 10,050 lines") < seen.text.index("exactly like this?")
    assert "comparing" not in project.run("show", one).err, "nobody is there to wait"


def test_measuring_a_large_file_again_shows_how_far_it_has_come(project: Project) -> None:
    (project.root / "big.txt").write_bytes(b"".join(b"line %d\n" % n for n in range(10_050)))
    one = one_proposed(project, "big.txt", b"one more\n")
    argv = ("approve", one, "--strategy", "append")
    seen = in_terminal(project, *argv, typed=[("exactly like this?", "n")])
    assert "measuring" not in seen.text, "looking makes nothing"
    assert state_of(project, one) == "waiting"
    seen = in_terminal(project, *argv, typed=[("exactly like this?", "y")])
    assert re.search(r"comparing, \d+ % of [\d.]+ KiB", seen.text), seen.text
    small = one_proposed(project, "small.txt", b"one more\n")
    seen = in_terminal(project, "approve", small, typed=[("exactly like this?", "n")])
    assert "measuring" not in seen.text
