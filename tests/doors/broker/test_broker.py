"""The broker as a whole: its roles, its log, its settings, and what it says of closed proposals."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from penstock import broker as public
from penstock.broker import Broker, Role
from penstock.core.errors import AuditError, InputError, RefusedError, RulesError
from penstock.core.proposals.model import OPEN, State
from penstock.doors.broker.config import config_of
from penstock.doors.broker.workspace_log import CAUGHT_UP
from penstock.gate import Proof
from penstock.stores.audit.verify import verify_log
from tests.doors.broker.brokers import LOG, Bench, bench, code, status

PERSON = Proof(by="ada", kind="terminal")


@pytest.fixture
def here() -> Iterator[Bench]:
    with bench() as made:
        made.write("src/a.py", "one\ntwo\n")
        yield made


def test_the_public_name_is_the_doors_own() -> None:
    assert public.__all__ == ["Broker", "Role"]
    assert public.Broker is Broker


# --- roles ------------------------------------------------------------------------------


def test_a_broker_is_an_agents_unless_it_is_told_otherwise(here: Bench) -> None:
    assert here.broker().role is Role.AGENT


def test_a_front_end_inside_an_agent_does_not_start(
    here: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENSTOCK_AGENT", "1")
    with pytest.raises(RefusedError, match="inside-agent"):
        here.broker(Role.FRONT_END)
    assert here.broker(Role.AGENT).role is Role.AGENT


def test_a_front_end_passes_an_agents_request_on_as_the_agents(here: Bench) -> None:
    waiting = here.propose("src/a.py", "x\n")
    request = {"tool_name": "apply_proposal", "path": "src/a.py", "hitl_id": waiting}
    found = here.broker(Role.FRONT_END).execute_tool(request, by_agent=True)
    assert code(found) == "not_for_agents"
    assert here.holds("src/a.py") == b"one\ntwo\n"


def test_once_a_key_exists_an_unsigned_front_end_cannot_apply_but_can_reject(
    here: Bench,
) -> None:
    keys = here.broker(Role.FRONT_END).here.keys
    keys.init("correct horse battery staple")
    waiting = here.propose("src/a.py", "x\n")
    assert code(here.apply("src/a.py", waiting)) == "key_needed"
    assert here.holds("src/a.py") == b"one\ntwo\n"
    here.broker(Role.FRONT_END).proof = Proof(
        by="ada", kind="key", sign=keys.unseal("correct horse battery staple")
    )
    assert status(here.apply("src/a.py", waiting)) == "allowed"
    assert code(here.reject("src/a.py", here.propose("src/a.py", "y\n"))) == "rejected"


def test_who_applied_and_by_which_proof_is_on_the_record(here: Bench) -> None:
    here.broker(Role.FRONT_END).proof = PERSON
    here.apply("src/a.py", here.propose("src/a.py", "x\n"))
    events = [*here.broker().here.record.events()]
    approved = next(event for event in events if event["op"] == "approved")
    assert (approved["by"], approved["proof"]) == ("ada", "front-end")
    assert [event["op"] for event in events] == ["proposed", "approved", "applying", "applied"]


# --- settings ---------------------------------------------------------------------------


def test_switched_off_it_reads_and_never_writes(here: Bench) -> None:
    waiting = here.propose("src/a.py", "x\n")
    here.restart({"enabled": False})
    assert status(here.ask("read_file", path="src/a.py")) == "allowed"
    for tool, said in (
        ("write_file", {"path": "src/a.py", "content": "x"}),
        ("replace_text", {"path": "src/a.py", "old": "one", "new": "1"}),
        ("apply_patch", {"patch": "--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-one\n+1\n"}),
    ):
        assert code(here.ask(tool, **said)) == "disabled"
    assert code(here.apply("src/a.py", waiting)) == "disabled"
    assert here.holds("src/a.py") == b"one\ntwo\n"
    assert code(here.reject("src/a.py", waiting)) == "rejected"


@pytest.mark.parametrize(
    "text",
    [
        "file_broker: [",
        "file_broker: 7\n",
        "file_broker:\n  hitl_ttl_seconds: soon\n",
        "file_broker:\n  hitl_ttl_seconds: 0\n",
        "file_broker:\n  enabled: maybe\n",
        "file_broker:\n  deny_path_globs: '**/.env'\n",
        "file_broker:\n  max_write_bytes_hard: -1\n",
    ],
)
def test_it_does_not_start_on_settings_that_it_cannot_understand(here: Bench, text: str) -> None:
    here.write("config.yaml", text)
    with pytest.raises(RulesError, match="bad-policy"):
        here.broker()


def test_settings_that_break_while_it_runs_stay_what_they_were(here: Bench) -> None:
    here.write("config.yaml", "file_broker:\n  deny_path_globs: ['src/a.py']\n")
    assert code(here.ask("read_file", path="src/a.py")) == "path_denied"
    here.write("config.yaml", "file_broker: [")
    assert code(here.ask("read_file", path="src/a.py")) == "path_denied"
    here.write("config.yaml", "file_broker:\n  deny_path_globs: []\n")
    assert status(here.ask("read_file", path="src/a.py")) == "allowed"


def test_settings_take_effect_while_it_runs(here: Bench) -> None:
    waiting = here.propose("src/a.py", "x\n")
    here.broker(Role.FRONT_END)
    here.write("config.yaml", "file_broker:\n  deny_path_globs: ['src/**']\n")
    assert code(here.apply("src/a.py", waiting)) == "path_denied"


def test_broken_rules_do_not_take_the_brokers_own_away(here: Bench) -> None:
    here.write("penstock.toml", "version = 1\n[[deny]]\nid = 'x'\npaths = ['src/x/**']\n")
    assert code(here.ask("write_file", path="src/x/y", content="")) == "path_denied"
    here.write("penstock.toml", "[[[")
    assert code(here.ask("write_file", path=".env", content="")) == "path_denied"
    assert code(here.ask("write_file", path="elsewhere/y", content="")) == "create_not_allowed"
    found = here.ask("write_file", path="src/n", content="x")
    assert status(found) == "hitl_required"
    assert "the rules are broken" in found["details"]["warnings"][0]


def test_a_policy_that_allows_everything_makes_no_write_free(here: Bench) -> None:
    here.write(
        "penstock.toml", 'version = 1\n[defaults]\nwrite = "allow"\n[[allow]]\npaths = ["**"]\n'
    )
    assert status(here.ask("write_file", path="src/a.py", content="x")) == "hitl_required"


def test_what_a_policy_does_not_let_be_read_without_asking_is_not_read(here: Bench) -> None:
    here.write("penstock.toml", 'version = 1\n[[ask]]\npaths = ["src/**"]\ntool = "Read"\n')
    here.write("penstock.toml", 'version = 1\n[defaults]\nread = "ask"\n')
    assert code(here.ask("read_file", path="src/a.py")) == "path_denied"


def test_a_mapping_is_settings_with_or_without_its_heading(tmp_path: Path) -> None:
    flat = config_of(str(tmp_path), {"hitl_ttl_seconds": 7}).level(None)
    headed = config_of(str(tmp_path), {"file_broker": {"hitl_ttl_seconds": 7}}).level(None)
    assert flat.settings == headed.settings
    assert flat.setting("approval", "ttl_seconds") == 7


def test_the_hooks_own_policy_is_not_the_brokers(here: Bench) -> None:
    here.propose("src/a.py", "x\n")
    assert not (here.state / "hook.policy").exists()


# --- the log ----------------------------------------------------------------------------


def test_without_a_log_nothing_is_proposed_or_applied_and_reading_says_so(here: Bench) -> None:
    waiting = here.propose("src/a.py", "x\n")
    here.broker(Role.FRONT_END)
    (here.root / LOG).unlink()
    (here.root / LOG).mkdir()
    before = len(here.broker().gate.find())
    assert code(here.ask("write_file", path="src/a.py", content="y\n")) == "audit_failed"
    assert len(here.broker().gate.find()) == before
    found = here.apply("src/a.py", waiting)
    assert code(found) == "audit_failed"
    assert here.holds("src/a.py") == b"one\ntwo\n"
    read = here.ask("read_file", path="src/a.py")
    assert status(read) == "allowed"
    assert read["details"]["audit"] == {"prev_hash": None, "event_hash": None}
    log = here.root / LOG
    assert read["details"]["warnings"] == [
        f"this is not in the audit log: `{log}` is not a regular file"
    ]
    (here.root / LOG).rmdir()
    assert status(here.apply("src/a.py", waiting)) == "allowed"  # it had been approved


def test_a_log_that_is_a_link_is_never_followed(here: Bench) -> None:
    outside = here.root.parent / "theirs.txt"
    outside.write_text("theirs\n")
    (here.root / LOG).symlink_to(outside)
    assert code(here.ask("write_file", path="src/a.py", content="y\n")) == "audit_failed"
    assert outside.read_text() == "theirs\n"


def test_a_proposal_whose_line_fails_is_taken_back(
    here: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = here.broker().ledger.lines

    def fail(*_: object, **__: object) -> None:
        raise AuditError("audit-disk-full", "the disk is full")

    monkeypatch.setattr(lines, "append", fail)
    assert code(here.ask("write_file", path="src/a.py", content="y\n")) == "audit_failed"
    assert here.broker().gate.find(states=OPEN) == ()
    assert [event["op"] for event in here.broker().here.record.events()] == ["proposed", "rejected"]


def test_several_brokers_at_once_keep_one_chain(here: Bench) -> None:
    brokers = [Broker(here.root, state=os.fspath(here.state)) for _ in range(4)]

    def work(one: Broker) -> None:
        for at in range(10):
            one.execute_tool({"tool_name": "read_file", "path": "src/a.py"})
            one.execute_tool({"tool_name": "write_file", "path": "src/a.py", "content": f"{at}\n"})

    threads = [threading.Thread(target=work, args=(one,)) for one in brokers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    report = verify_log(str(here.root / LOG))
    assert (report.ok, report.count) == (True, 80)


def test_what_another_command_applied_is_told_at_the_next_start(here: Bench) -> None:
    waiting = here.propose("src/a.py", "x\n")
    gate = Broker(here.root, {"audit_log_enabled": False}, state=os.fspath(here.state)).gate
    gate.answer(waiting, approve=True, proof=PERSON)
    gate.apply(waiting)
    for _ in range(2):  # once, however often it starts
        here.restart()
        here.broker()
    applied = [line for line in here.log() if line["op"] == "write_file_apply"]
    assert [(line["hitl_id"], line["how"]) for line in applied] == [(waiting, CAUGHT_UP)]


def test_a_log_that_was_taken_away_is_not_made_up_anew(here: Bench) -> None:
    here.apply("src/a.py", here.propose("src/a.py", "x\n"))
    (here.root / LOG).unlink()
    here.restart()
    here.ask("read_file", path="src/a.py")
    assert [line["op"] for line in here.log()] == ["chain_start", "read_file"]


def test_no_line_holds_content(here: Bench) -> None:
    secret = "hunter2-is-the-content"
    here.apply("src/a.py", here.propose("src/a.py", secret))
    here.ask("replace_text", path="src/a.py", old=secret, new=secret[::-1])
    here.ask("read_file", path="src/a.py")
    text = (here.root / LOG).read_text()
    assert secret not in text
    assert secret[::-1] not in text


# --- what became of it --------------------------------------------------------------------


def test_a_closed_proposal_tells_what_it_was_and_what_to_do(here: Bench) -> None:
    told, because = {}, {}
    for state in ("applied", "rejected", "stale"):
        known = here.propose("src/a.py", f"{state}\n")
        if state == "stale":
            here.write("src/a.py", "theirs\n")
        if state == "rejected":
            here.reject("src/a.py", known, "not now")
        else:
            here.apply("src/a.py", known)
        found = here.apply("src/a.py", known)
        assert code(found) == "hitl_not_found"
        told[state] = found["output"]
        assert "src/a.py" in told[state]
        asked = here.ask("apply_proposal", path="src/a.py", hitl_id=known)
        because[state] = asked["details"]["error"]["because"].removeprefix("proposal for ")
    assert because == {
        "applied": "`src/a.py`: it is already written; read the file to see it",
        "rejected": "`src/a.py`: the user rejected it (not now); "
        "do not send the same again unchanged",
        "stale": "`src/a.py`: the file has changed since it was proposed; "
        "read the file and propose again",
    }
    assert "is applied: it is already written (try: read the file to see it)" in told["applied"]
    assert "not now" in told["rejected"]
    assert "do not send the same again unchanged" in told["rejected"]
    assert "propose again" in told["stale"]
    known = here.propose("src/a.py", "late\n")
    here.later(300)
    assert "do not send the same again unchanged" in here.apply("src/a.py", known)["output"]
    late = here.ask("apply_proposal", path="src/a.py", hitl_id=known)
    assert "it expired without an answer" in late["output"]
    assert code(here.reject("src/a.py", known)) == "hitl_expired"


def test_an_agent_that_looks_is_told_that_nobody_answered_yet(here: Bench) -> None:
    known = here.propose("src/a.py", "x\n")
    found = here.ask("apply_proposal", path="src/a.py", hitl_id=known)
    assert found["details"]["error"]["because"] == (
        "proposal for `src/a.py`: the user has not answered yet; continue with other work"
    )
    nothing = here.ask("apply_proposal", path="src/a.py", hitl_id="hitl-none")
    assert "because" not in nothing["details"]["error"]


def test_a_rejected_path_or_an_unknown_id_closes_nothing(here: Bench) -> None:
    known = here.propose("src/a.py", "x\n")
    assert code(here.reject("src/b.py", known)) == "hitl_path_mismatch"
    assert code(here.reject("src/a.py", "hitl-none")) == "hitl_not_found"
    assert status(here.apply("src/a.py", known)) == "allowed"
    assert code(here.reject("src/a.py", known)) == "hitl_not_found"


def test_a_set_is_rejected_whole_by_any_of_its_names(here: Bench) -> None:
    patch = (
        "*** Begin Patch\n*** Update File: src/a.py\n@@\n-one\n+1\n"
        "*** Add File: src/b.py\n+b\n*** End Patch\n"
    )
    for choose in (0, 1, None):
        data = here.ask("apply_patch", patch=patch)["details"]["data"]
        files = data["files"]
        path = files[choose or 0]["path"]
        known = data["set_id"] if choose is None else files[choose]["hitl_id"]
        assert code(here.reject(path, known)) == "rejected"
        proposals = [here.broker().gate.get(one["hitl_id"]) for one in files]
        assert [one and one.state for one in proposals] == [State.REJECTED] * 2


def test_a_move_is_a_set_of_a_removal_and_a_creation(here: Bench) -> None:
    patch = (
        "*** Begin Patch\n*** Update File: src/a.py\n*** Move to: lib/a.py\n@@\n-one\n+1\n"
        "*** End Patch\n"
    )
    details = here.ask("apply_patch", patch=patch)["details"]
    assert {one["summary"] for one in details["data"]["files"]} == {
        "DELETE FILE src/a.py",
        "CREATE FILE lib/a.py",
    }
    assert status(here.apply(details["op"]["path"], details["hitl"]["hitl_id"])) == "allowed"
    assert here.tree() == {"lib/a.py": b"1\ntwo\n"}


def test_dangers_are_told_and_only_then_is_there_such_a_key(here: Bench) -> None:
    assert "warnings" not in here.ask("write_file", path="src/n.py", content="x\n")["details"]
    hidden = here.ask("write_file", path="src/n.py", content="x = 1  # \u202e\u2066\n")
    assert any("U+202E" in text or "bidi" in text for text in hidden["details"]["warnings"])


def test_line_ends_are_kept_by_every_tool(here: Bench) -> None:
    here.write("src/crlf.py", b"one\r\ntwo\r\n")
    found = here.ask("replace_text", path="src/crlf.py", old="one\ntwo", new="1\n2")
    here.apply("src/crlf.py", found["details"]["hitl"]["hitl_id"])
    assert here.holds("src/crlf.py") == b"1\r\n2\r\n"
    here.write("src/mixed.py", b"one\r\ntwo\n")
    found = here.ask("replace_text", path="src/mixed.py", old="one\r\n", new="1\n")
    here.apply("src/mixed.py", found["details"]["hitl"]["hitl_id"])
    assert here.holds("src/mixed.py") == b"1\ntwo\n"


def test_a_file_saved_while_it_is_proposed_is_told(
    here: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = here.broker().gate
    propose = gate.propose

    def saved_first(*args: object, **kwargs: object) -> object:
        here.write("src/a.py", "one\ntwo\nthree\n")
        return propose(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(gate, "propose", saved_first)
    found = here.ask("replace_text", path="src/a.py", old="one", new="1")
    assert code(found) == "base_changed"
    assert gate.find(states=OPEN) == ()


def test_a_rule_that_denies_by_measure_closes_the_whole_set(here: Bench) -> None:
    here.write(
        "penstock.toml",
        'version = 1\n[[deny]]\nid = "big"\nline_threshold = 2\nchange_threshold = 0.5\n',
    )
    patch = (
        "*** Begin Patch\n*** Add File: src/n.py\n+n\n*** Update File: src/a.py\n"
        "@@\n-one\n-two\n+1\n*** End Patch\n"
    )
    assert status(here.ask("apply_patch", patch=patch)) == "denied"
    assert here.broker().gate.find(states=OPEN) == ()


def test_a_settings_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.yaml"):
        config_of(str(tmp_path), tmp_path / "none.yaml")


def test_what_came_in_by_another_door_is_applied_and_logged_here_too(here: Bench) -> None:
    from penstock.gate import Item

    gate = here.broker().gate
    (made,) = gate.propose([Item(path="src/a.py", content=b"x\n")])
    found = here.apply("src/a.py", made.id)
    assert status(found) == "allowed"
    assert found["details"]["audit"]["event_hash"] == here.log()[-1]["event_hash"]
    assert here.log()[-1]["hitl_id"] == made.id


def test_a_fault_that_nobody_foresaw_is_a_no_with_a_line(
    here: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(here.broker().gate, "propose", fail)
    found = here.ask("write_file", path="src/a.py", content="x")
    assert (code(found), status(found)) == ("internal_error", "denied")
    assert here.log()[-1]["code"] == "internal_error"
    assert status(here.ask("read_file", path="src/a.py")) == "allowed"


def test_a_file_too_large_to_be_compared_is_left_alone(here: Bench) -> None:
    with (here.root / "src/huge.txt").open("wb") as file:
        file.truncate(65 * 1024 * 1024)
    assert code(here.ask("write_file", path="src/huge.txt", content="x")) == "too_large"
    assert (here.root / "src/huge.txt").stat().st_size == 65 * 1024 * 1024


def test_a_file_with_a_second_name_is_told_when_it_would_be_parted(here: Bench) -> None:
    os.link(here.root / "src/a.py", here.root / "src/b.py")
    found = here.apply("src/a.py", here.propose("src/a.py", "x\n"))
    assert code(found) == "hard_linked"
    assert here.holds("src/b.py") == b"one\ntwo\n"


# --- after a crash ------------------------------------------------------------------------


def ended(one: str, **more: object) -> dict[str, object]:
    """The gate's event for an apply that it found done when it started."""
    return {
        "op": "applied",
        "path": "src/a.py",
        "proposal": one,
        "agent": "broker",
        "how": "found written after a crash",
        **more,
    }


def test_an_apply_that_a_crash_cut_short_is_told_once(here: Bench) -> None:
    ledger = here.broker().ledger
    ledger.add_applied(ended("hitl-1"))
    for _ in range(3):  # the line is there, also for a broker that starts later
        here.restart()
        here.broker().ledger.add_applied(ended("hitl-1"))
    ledger.add_applied(ended("hitl-2", set="set-1"))
    here.broker().ledger.add_applied(ended("hitl-3", set="set-1"))  # one line for a set
    assert [line["hitl_id"] for line in here.log()] == ["hitl-1", "hitl-2"]


def test_what_another_door_began_is_not_told_after_a_crash(here: Bench) -> None:
    here.broker().ledger.add_applied(ended("hitl-1", agent="claude"))
    assert not (here.root / LOG).exists()


def test_a_line_whose_disk_failed_is_looked_for_before_it_is_written_again(
    here: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = here.broker().ledger
    append = ledger.lines.append  # type: ignore[union-attr]

    def written_and_failed(event: dict[str, object], *, durable: bool) -> None:
        append(event, durable=durable)
        raise AuditError("audit-failed", "the disk says no afterwards")

    event = {name: value for name, value in ended("hitl-1", set="s").items() if name != "how"}
    monkeypatch.setattr(ledger.lines, "append", written_and_failed)
    with pytest.raises(AuditError):
        ledger.add_applied(event)
    monkeypatch.undo()
    ledger.add_applied({**event, "proposal": "hitl-2"})
    assert [line["hitl_id"] for line in here.log()] == ["hitl-1"]


def test_a_patch_makes_a_program_and_a_link(here: Bench) -> None:
    (here.root / "src").mkdir(exist_ok=True)
    (here.root / "src/run.sh").write_text("#!/bin/sh\n")
    patch = (
        "diff --git a/src/run.sh b/src/run.sh\nold mode 100644\nnew mode 100755\n"
        "diff --git a/src/to b/src/to\nnew file mode 120000\n--- /dev/null\n+++ b/src/to\n"
        "@@ -0,0 +1 @@\n+run.sh\n\\ No newline at end of file\n"
    )
    details = here.ask("apply_patch", patch=patch)["details"]
    shown = details["hitl"]["diff_preview"]
    assert "new mode 100755" in shown
    assert "new file mode 120000" in shown
    assert not os.path.lexists(here.root / "src/to"), "proposing never writes"
    told = here.answer("apply_proposal", path="src/run.sh", hitl_id=details["hitl"]["hitl_id"])
    assert told["ok"], told
    assert (here.root / "src/run.sh").stat().st_mode & 0o111 == 0o111
    assert os.readlink(here.root / "src/to") == "run.sh"


def test_an_agents_words_are_kept_and_a_persons_comments_come_back(here: Bench) -> None:
    here.write("src/a.py", "a\nb\nc\n")
    said = {"why": "b was wrong", "regions": ["2: this one"]}
    found = here.ask("write_file", path="src/a.py", content="a\nB\nc\n", **said)
    known = str(found["details"]["hitl"]["hitl_id"])
    one = here.broker().gate.get(known)
    assert one is not None
    assert (one.why, [region.words for region in one.regions]) == (
        "b was wrong",
        ["line 2: this one"],
    )
    told = here.answer(
        "reject_proposal", path="src/a.py", hitl_id=known, comments=["2: keep it", "-2: really"]
    )
    assert code(told) == "rejected"
    assert "line 2: keep it; removed line 2: really" in str(told)
    first, second = told["details"]["data"]["comments"]
    assert (first["path"], first["start"], first["removed"]) == ("src/a.py", 2, False)
    assert (second["text"], second["removed"]) == ("really", True)
    again = here.answer("apply_proposal", path="src/a.py", hitl_id=known)
    assert "line 2: keep it" in str(again)
    assert again["details"]["data"]["comments"] == told["details"]["data"]["comments"]


@pytest.mark.parametrize("said", [{"why": 7}, {"regions": "2"}, {"regions": ["other.py:1: x"]}])
def test_words_that_are_none_are_a_bad_parameter(here: Bench, said: dict[str, object]) -> None:
    found = here.ask("write_file", path="src/a.py", content="x\n", **said)
    assert code(found) in ("bad_parameter", "bad_region")
