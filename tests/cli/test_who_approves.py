"""Who may approve: a person at a terminal, the holder of a key, and never an agent's shell."""

from __future__ import annotations

import base64
import json
import os
import pwd
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from penstock.core.audit import chain
from penstock.core.proposals.signature import code_at, public_of, step_of
from penstock.stores.agents.ancestry import seen_here
from penstock.stores.approver.keys import ApproverKeys
from tests.cli.pending import events, one_proposed, state_dir, state_of
from tests.project import Done, Project
from tests.terminal import by_agent, in_terminal

WORDS = "correct horse battery staple"
FD = "PENSTOCK_PASSPHRASE_FD"


def error(done: Done) -> str:
    return str(done.json["error"]["code"])


def handed(project: Project, *argv: str, words: str = WORDS, **env: str) -> Done:
    """Run a command whose passphrase comes through a pipe, as from a password manager."""
    return project.run(*argv, env={FD: "0", **env}, stdin=f"{words}\n")


def new_file(project: Project, name: str) -> str:
    return one_proposed(project, name, b"x\n")


# Without a key


@pytest.fixture
def outside() -> None:
    if seen_here():
        pytest.skip("these tests run inside an agent themselves")


COMMANDS = [
    "approve {id} --yes",
    "apply {id}",
    "undo --yes",
    "reject {id} --reason x",
    "renew {id}",
    "edit {id}",
    "rebase {id}",
    "review",
    "approver init",
    "approver replace",
    "approver totp",
    "approver passphrase",
    "approver passkey",
    "approver remove-passkey x",
    "approve no-such-id",
]


def _words(text: str) -> str:
    """Return the command of a line, without what it is about."""
    first, _, more = text.partition(" ")
    return f"{first} {more.partition(' ')[0]}" if first == "approver" else first


@pytest.mark.usefixtures("outside")
def test_no_command_that_decides_works_in_a_terminal_that_an_agent_opened(
    project: Project, tmp_path: Path
) -> None:
    one = new_file(project, "a.txt")
    commands = [text.format(id=one).split() for text in COMMANDS]
    answers = by_agent(project, tmp_path / "bin", "claude", commands)
    for command, seen in zip(COMMANDS, answers, strict=True):
        assert seen.code == 2, command
        assert seen.text.startswith("error[inside-agent]: "), command
        assert "Claude Code" in seen.text, command
    assert state_of(project, one) == "waiting"
    assert not (project.root / "a.txt").exists()
    tried = events(project, "approval_refused")
    assert [event["command"] for event in tried] == [_words(text) for text in COMMANDS]
    assert (tried[0]["proposal"], tried[0]["code"]) == (one, "inside-agent")
    assert "Claude Code" in str(tried[0]["reason"])
    (person,) = by_agent(project, tmp_path / "bin", "someone", [["approve", one, "--yes"]])
    assert person.code == 0, "the same terminal, opened by a program that is no agent"


@pytest.mark.parametrize("name", ["CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "PENSTOCK_AGENT"])
def test_a_variable_that_agents_set_is_enough(project: Project, name: str) -> None:
    seen = in_terminal(project, "approve", "x", "--yes", env={name: "1"})
    assert seen.code == 2
    assert f"because: the environment variable {name} is set" in seen.text


def test_a_refusal_stands_where_it_cannot_be_recorded(project: Project) -> None:
    one = new_file(project, "a.txt")
    log = state_dir(project) / "audit.jsonl"
    log.unlink()
    log.mkdir()
    done = project.run("approve", one, "--yes", "--json", env={"CLAUDECODE": "1"})
    assert (done.code, error(done)) == (2, "inside-agent")


def test_an_agent_may_look_but_not_touch(project: Project) -> None:
    one = new_file(project, "a.txt")
    inside = {"CLAUDECODE": "1"}
    for argv in (["proposals"], ["show", one], ["status"], ["audit", "verify"]):
        assert project.run(*argv, env=inside).code == 0, argv
    assert error(project.run("reject", one, "--reason", "x", "--json", env=inside)) == (
        "inside-agent"
    )


@pytest.mark.usefixtures("outside")
def test_a_key_in_place_of_a_lost_one_is_told_to_the_person_and_by_verifying(
    project: Project,
) -> None:
    first = handed(project, "approver", "init", "--json")
    Path(first.json["path"]).unlink()
    second = handed(project, "approver", "init", "--json")
    assert (second.code, "this replaces an earlier key" in second.err) == (0, True)
    found = project.run("audit", "verify", "--json").json
    assert found["ok"]
    assert [warning["kind"] for warning in found["warnings"]] == ["key-replaced"]


@pytest.mark.usefixtures("outside")
def test_the_record_says_which_proof_it_was(project: Project) -> None:
    one = new_file(project, "a.txt")
    seen = in_terminal(project, "approve", one, "--yes", env={"USER": "someone-else"})
    assert seen.code == 0, seen.text
    (event,) = events(project, "approved")
    assert (event["proof"], event["by"]) == ("terminal", pwd.getpwuid(os.getuid()).pw_name)
    assert "signature" not in event


# With a key


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with a key, and an approval from before there was one."""
    if seen_here():
        pytest.skip("these tests run inside an agent themselves")
    place = tmp_path_factory.mktemp("keyed")
    (place / "project" / ".git").mkdir(parents=True)
    (place / "home").mkdir()
    project = Project(place / "project", place / "home")
    early = new_file(project, "early.txt")
    assert in_terminal(project, "approve", early, "--yes", "--no-apply").code == 0
    done = handed(project, "approver", "init", "--json")
    assert done.code == 0, done.err
    assert project.run("approver", "show", "--json").json["public"] == done.json["public"]
    late = project.run("apply", early, "--json")
    assert (late.code, error(late)) == (2, "bad-signature"), "from before the key"
    return project


def test_there_is_one_key_and_it_is_never_written_over(keyed: Project) -> None:
    before = keyed.run("approver", "show", "--json").json
    again = handed(keyed, "approver", "init", "--json", words="another passphrase")
    assert (again.code, error(again)) == (1, "key-exists")
    assert keyed.run("approver", "show", "--json").json == before
    assert oct(os.stat(before["path"]).st_mode & 0o777) == "0o600"


def test_the_right_passphrase_signs_and_the_record_holds_the_signature(keyed: Project) -> None:
    one = new_file(keyed, "signed.txt")
    done = handed(keyed, "approve", one, "--yes", "--json")
    assert done.code == 0, done.err
    answer = done.json["approved"][0]["answer"]
    event = events(keyed, "approved")[-1]
    assert (event["signature"], event["key_id"]) == (answer["signature"], answer["key_id"])
    assert (event["proof"], event["path"]) == ("key", "signed.txt")
    assert WORDS not in done.out + done.err
    assert (keyed.root / "signed.txt").read_text() == "x\n"
    assert keyed.run("audit", "verify").code == 0


def test_a_passphrase_is_typed_unseen_after_the_change_was_shown(keyed: Project) -> None:
    one = new_file(keyed, "typed.txt")
    typed = [("exactly like this?", "y"), ("passphrase: ", WORDS)]
    seen = in_terminal(keyed, "approve", one, typed=typed)
    assert seen.code == 0, seen.text
    assert WORDS not in seen.text
    assert "applied typed.txt" in seen.text


NO_PROOF = [
    ({}, "y\n", "no-terminal", "nothing"),
    ({"PENSTOCK_PASSPHRASE": WORDS, "PASSPHRASE": WORDS}, "", "no-terminal", "a variable"),
    ({FD: "0"}, "wrong horse\n", "wrong-passphrase", "another passphrase"),
    ({FD: "0"}, "", "no-passphrase", "an empty descriptor"),
    ({FD: WORDS}, "", "bad-descriptor", "the passphrase in place of the number"),
    ({FD: "77"}, "", "bad-descriptor", "a descriptor that is not open"),
]


@pytest.mark.parametrize(("env", "stdin", "code", "why"), NO_PROOF, ids=[n[3] for n in NO_PROOF])
def test_nothing_else_approves(
    keyed: Project, env: dict[str, str], stdin: str, code: str, why: str
) -> None:
    one = new_file(keyed, "unproven.txt")
    done = keyed.run("approve", one, "--yes", "--json", env=env, stdin=stdin)
    assert (done.code, error(done)) == (1 if "descr" in code or code.startswith("no-") else 2, code)
    assert state_of(keyed, one) == "waiting"
    assert not (keyed.root / "unproven.txt").exists()


def test_a_terminal_alone_is_no_proof_any_more(keyed: Project) -> None:
    one = new_file(keyed, "terminal.txt")
    seen = in_terminal(keyed, "approve", one, "--yes", typed=[("passphrase: ", "wrong")])
    assert seen.code == 2
    assert "error[wrong-passphrase]" in seen.text
    tried = events(keyed, "approval_refused")[-1]
    assert (tried["code"], tried["proposal"]) == ("wrong-passphrase", one)


FORGED = {"approved": True, "by": "you", "at": 1.0, "reason": "", "signature": "", "key_id": ""}
ROWS = [
    (None, {}, "approved, by nobody"),
    ({"proof": "terminal"}, {}, "approved at a terminal"),
    ({"proof": "policy"}, {}, "approved by the rules"),
    ({"proof": "policy"}, {"origin": "undo"}, "as if it were an undo"),
    ({"proof": "key", "signature": "A" * 86 + "==", "key_id": "0" * 16}, {}, "signed by another"),
]


@pytest.mark.parametrize(("answer", "body", "why"), ROWS, ids=[row[2] for row in ROWS])
def test_a_row_that_was_edited_by_hand_is_not_written(
    keyed: Project, answer: dict[str, str] | None, body: dict[str, str], why: str
) -> None:
    one = new_file(keyed, "forged.txt")
    database = state_dir(keyed) / "penstock.db"
    with sqlite3.connect(database) as forger:
        for (name,) in forger.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'"):
            forger.execute(f"DROP TRIGGER {name}")
        (text,) = forger.execute("SELECT body FROM proposals WHERE id = ?", (one,)).fetchone()
        given = None if answer is None else json.dumps({**_version(text), **FORGED, **answer})
        forged = json.dumps({**json.loads(text), **body})
        forger.execute(
            "UPDATE proposals SET state = 'approved', answer = ?, body = ? WHERE id = ?",
            (given, forged, one),
        )
    forger.close()
    done = keyed.run("apply", one, "--json")
    assert done.code in (1, 2, 3), done.out
    assert error(done) in ("not-in-log", "record-broken"), done.out
    assert not (keyed.root / "forged.txt").exists()


def _version(body: str) -> dict[str, object]:
    found = json.loads(body)
    return {"v": found["v"]} if "v" in found else {}


def test_undo_needs_the_key_too(keyed: Project) -> None:
    one = new_file(keyed, "undone.txt")
    assert handed(keyed, "approve", one, "--yes").code == 0
    undo = ("undo", "--path", "undone.txt", "--yes", "--json")
    assert error(keyed.run(*undo)) == "no-terminal"
    assert (keyed.root / "undone.txt").exists()
    assert handed(keyed, *undo).code == 0
    assert not (keyed.root / "undone.txt").exists()


# The record


@contextmanager
def tampered(project: Project, change: dict[str, object | None]) -> Iterator[None]:
    """Change the first signed approval on the record and make the chain whole again."""
    log = state_dir(project) / "audit.jsonl"
    kept = log.read_bytes()
    prev, lines, done = chain.GENESIS, [], False
    for line in kept.splitlines():
        event = json.loads(line)
        if event["op"] == "approved" and "signature" in event and not done:
            event = {k: v for k, v in {**event, **change}.items() if v is not None}
            done = True
        body = {k: v for k, v in event.items() if k not in ("ts", "seq", "prev_hash", "event_hash")}
        text = chain.encode(body)[1:-1].encode()
        made, prev = chain.link(event["ts"], event["seq"], text, prev)
        lines.append(made)
    assert done
    log.write_bytes(b"".join(lines))
    try:
        yield
    finally:
        log.write_bytes(kept)


TAMPERED: list[tuple[dict[str, object | None], str]] = [
    ({}, "nothing"),
    ({"path": "other.txt"}, "another path"),
    ({"content_hash": "sha256:" + "0" * 64}, "other content"),
    ({"signed_at": 1.0}, "another time"),
    ({"key_id": "0" * 16}, "another key"),
    ({"signature": None, "key_id": None}, "no signature"),
]


@pytest.mark.parametrize(("change", "why"), TAMPERED, ids=[row[1] for row in TAMPERED])
def test_an_approval_that_was_changed_on_the_record_is_found(
    keyed: Project, change: dict[str, object | None], why: str
) -> None:
    if not [event for event in events(keyed, "approved") if "signature" in event]:
        assert handed(keyed, "approve", new_file(keyed, "r.txt"), "--yes").code == 0
    with tampered(keyed, change):
        done = keyed.run("audit", "verify", "--json")
    told = "bad-approval" in {problem["kind"] for problem in done.json["problems"]}
    assert (done.code, done.json["ok"], told) == ((1, False, True) if change else (0, True, False))


def test_a_line_that_names_another_key_makes_nobody_an_approver(keyed: Project) -> None:
    """The chain has no secret: whoever can write the log can add a line that fits."""
    log = state_dir(keyed) / "audit.jsonl"
    kept = log.read_bytes()
    last = json.loads(kept.splitlines()[-1])
    own = base64.b64encode(public_of(bytes(32))).decode()
    text = chain.encode({"op": "key_made", "path": "", "status": "done", "approver": own})[1:-1]
    line, _ = chain.link(last["ts"], last["seq"] + 1, text.encode(), last["event_hash"])
    log.write_bytes(kept + line)
    try:
        done = keyed.run("audit", "verify", "--json")
    finally:
        log.write_bytes(kept)
    assert [problem["kind"] for problem in done.json["problems"]] == ["bad-approval"]
    assert "is not the approver's" in done.json["problems"][0]["message"]
    assert keyed.run("audit", "verify").code == 0


def test_a_key_in_the_place_of_ours_is_refused(keyed: Project) -> None:
    one = new_file(keyed, "exchanged.txt")
    path = Path(keyed.run("approver", "show", "--json").json["path"])
    kept = path.read_bytes()
    path.unlink()
    assert error(handed(keyed, "approve", one, "--yes", "--json")) == "no-key"
    strange = ApproverKeys(str(path.parent.parent / "elsewhere"), cost=2**14)
    strange.init("another's words")
    os.replace(strange.path, path)
    done = handed(keyed, "approve", one, "--yes", "--json", words="another's words")
    path.write_bytes(kept)
    assert (done.code, error(done)) == (2, "unknown-key")
    assert state_of(keyed, one) == "waiting"


def test_rules_that_ask_for_codes_are_not_content_with_a_passphrase(keyed: Project) -> None:
    one = new_file(keyed, "no-code.txt")
    keyed.write("penstock.toml", "version = 1\n[approval]\ntotp = true\n")
    try:
        done = handed(keyed, "approve", one, "--yes", "--json")
    finally:
        (keyed.root / "penstock.toml").unlink()
    assert (done.code, error(done)) == (2, "code-needed")


# The key and its passphrase change, and codes are demanded: last, as they stay


def test_another_key_takes_over_with_the_signature_of_the_first(keyed: Project) -> None:
    before = keyed.run("approver", "show", "--json").json
    done = handed(keyed, "approver", "replace", "--json")
    assert (done.code, done.json["replaces"]) == (0, before["key_id"])
    assert handed(keyed, "approve", new_file(keyed, "new-key.txt"), "--yes").code == 0
    assert events(keyed, "approved")[-1]["key_id"] == done.json["key_id"] != before["key_id"]
    found = keyed.run("audit", "verify", "--json").json
    assert (found["ok"], found["warnings"]) == (True, [])
    copy = keyed.run("audit", "verify", "--json", "--log", str(state_dir(keyed) / "audit.jsonl"))
    assert copy.json["ok"]


def test_the_passphrase_can_be_changed_and_then_codes_demanded(keyed: Project) -> None:
    new = "another long passphrase"
    done = keyed.run("approver", "passphrase", env={FD: "0"}, stdin=f"{WORDS}\n{new}\n")
    assert done.code == 0, done.err
    one = new_file(keyed, "coded.txt")
    assert error(handed(keyed, "approve", one, "--yes", "--json")) == "wrong-passphrase"
    done = handed(keyed, "approver", "totp", words=new)
    assert done.code == 0, done.err
    secret = parse_qs(urlsplit(done.out.strip()).query)["secret"][0]
    assert error(handed(keyed, "approve", one, "--yes", "--json", words=new)) == "code-needed"
    code = code_at(_decoded(secret), step_of(time.time()))
    typed = [("passphrase: ", new), ("one-time code: ", code)]
    seen = in_terminal(keyed, "approve", one, "--yes", typed=typed)
    assert seen.code == 0, seen.text
    again = in_terminal(keyed, "approve", new_file(keyed, "again.txt"), "--yes", typed=typed)
    assert again.code == 2
    assert "error[wrong-code]" in again.text, "a code works once"


def _decoded(secret: str) -> bytes:
    return base64.b32decode(secret + "=" * (-len(secret) % 8))
