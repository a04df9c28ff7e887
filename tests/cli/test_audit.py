"""`penstock audit`: query, verify and export the audit log."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock.cli import main
from penstock.core.audit import chain
from penstock.gate import Proof
from penstock.stores.audit.checkpoints import create_key
from tests.cli.pending import gate_of, proposed, state_dir, surroundings_of
from tests.core.text.tokens import examples
from tests.project import Project
from tests.schemas import ocsf_faults


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with a record: an applied, a denied and a rejected write."""
    place = tmp_path_factory.mktemp("lived")
    (place / "project" / ".git").mkdir(parents=True)
    (place / "home").mkdir()
    project = Project(place / "project", place / "home")
    you = Proof(by="you", kind="terminal")
    written, refused = (proposed(project, {name: b"x\n"})[0].id for name in ("a.txt", "b.md"))
    proposed(project, {".env": b"KEY=secret-value\n"})
    with gate_of(project) as gate:
        gate.answer(written, approve=True, proof=you)
        gate.apply(written)
        gate.answer(refused, approve=False, proof=you, reason="no")
    return project


def log_of(project: Project) -> Path:
    return state_dir(project) / "audit.jsonl"


OPS = ["proposed", "proposed", "proposed", "approved", "applying", "applied", "rejected"]
FILTERS = [
    ((), OPS),
    (("--path", "*.txt"), ["proposed", "approved", "applying", "applied"]),
    (("--decision", "deny"), ["proposed"]),
    (("--decision", "rejected"), ["rejected"]),
    (("--rule", "secrets"), ["proposed"]),
    (("--agent", "an-agent"), OPS),
    (("--agent", "nobody"), []),
    (("--op", "applied"), ["applied"]),
    (("--last", "2"), ["applied", "rejected"]),
    (("--since", "1h"), OPS),
    (("--until", "1h"), []),
    (("--since", "2001-01-01T00:00:00Z", "--until", "2002-01-01T00:00:00Z"), []),
    (("--path", "*.txt", "--op", "proposed", "--last", "5"), ["proposed"]),
]


@pytest.mark.parametrize(("chosen", "expected"), FILTERS, ids=[" ".join(f[0]) for f in FILTERS])
def test_events_are_chosen(
    lived: Project,
    capsys: pytest.CaptureFixture[str],
    chosen: tuple[str, ...],
    expected: list[str],
) -> None:
    with surroundings_of(lived), pytest.raises(SystemExit) as ended:
        main(["audit", "log", *chosen, "--json", "--workspace", str(lived.root)])
    assert ended.value.code == 0
    found = json.loads(capsys.readouterr().out)["events"]
    assert [event["op"] for event in found] == expected


def test_the_record_reads_as_lines_and_never_holds_content(lived: Project) -> None:
    done = lived.run("audit", "log")
    assert done.out.count("\n") == len(OPS)
    assert "proposed denied .env an-agent" in done.out
    assert b"secret-value" not in log_of(lived).read_bytes()


def test_a_sound_record_is_told_with_its_length_and_head(lived: Project) -> None:
    done = lived.run("audit", "verify", "--json")
    last = json.loads(log_of(lived).read_bytes().splitlines()[-1])
    assert done.code == 0
    assert {**done.json, "level": ""} == {
        "ok": True,
        "count": len(OPS),
        "head": last["event_hash"],
        "problems": [],
        "warnings": [],
        "level": "",
    }
    assert lived.run("audit", "verify").out.startswith("ok: 7 entries")


def lines_of(project: Project) -> list[bytes]:
    return log_of(project).read_bytes().splitlines(keepends=True)


ATTACKS = [
    ("edited", 2, lambda x: [x[0], x[1].replace(b"b.md", b"c.md"), *x[2:]]),
    ("deleted", 3, lambda x: [*x[:2], *x[3:]]),
    ("reordered", 3, lambda x: [*x[:2], x[3], x[2], *x[4:]]),
]


@pytest.mark.parametrize(("kind", "line", "attack"), ATTACKS, ids=[a[0] for a in ATTACKS])
def test_tampering_is_a_result_and_names_what_and_where(
    lived: Project, tmp_path: Path, kind: str, line: int, attack: object
) -> None:
    assert callable(attack)
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(b"".join(attack(lines_of(lived))))
    done = lived.run("audit", "verify", "--log", str(copy), "--json")
    assert (done.code, done.json["ok"]) == (1, False)
    first = done.json["problems"][0]
    assert (first["kind"], first["line"]) == (kind, line)
    assert first["message"]
    assert lived.run("audit", "verify", "--log", str(copy)).out.startswith(f"{kind} at line {line}")


def test_a_cut_end_is_told_by_what_is_remembered_and_a_torn_line_is_a_warning(
    lived: Project, tmp_path: Path
) -> None:
    log, kept = log_of(lived), log_of(lived).read_bytes()
    try:
        log.write_bytes(b"".join(lines_of(lived)[:-1]))
        cut = lived.run("audit", "verify", "--json")
        log.unlink()
        gone = lived.run("audit", "verify", "--json")
    finally:
        log.write_bytes(kept)
    assert (cut.code, cut.json["ok"], cut.json["count"]) == (1, False, len(OPS) - 1)
    assert (gone.code, gone.json["ok"]) == (1, False)
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(kept + b'{"ts":"2026')
    done = lived.run("audit", "verify", "--log", str(torn), "--json")
    assert (done.code, done.json["ok"]) == (0, True)
    assert [warning["kind"] for warning in done.json["warnings"]] == ["torn-tail"]


def test_a_record_that_never_was_is_sound_and_a_name_that_is_wrong_is_not(
    project: Project,
) -> None:
    done = project.run("audit", "verify", "--json")
    assert (done.code, done.json["ok"], done.json["count"]) == (0, True, 0)
    assert project.run("audit", "log", "--json").json == {"events": []}
    done = project.run("audit", "verify", "--log", "nowhere.jsonl", "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "audit-not-found")


def test_a_checkpoint_signs_and_proofs_are_given_under_it(lived: Project) -> None:
    first = lived.run("audit", "checkpoint", "--json")
    assert (first.code, first.json["size"]) == (0, len(OPS))
    assert Path(first.json["checkpoints"]).exists()
    proofs = ("--inclusion", "2", "--consistency", str(len(OPS)))
    done = lived.run("audit", "verify", "--json", *proofs)
    assert done.code == 0, done.out
    assert done.json["ok"]
    assert set(done.json["proofs"]) == {"inclusion", "consistency"}
    none = lived.run("audit", "verify", "--json", "--inclusion", "99")
    assert none.code == 1
    assert none.json["error"]["code"]
    assert none.json["error"]["message"] == "line 99 is not covered by a signed checkpoint"


def test_this_records_own_path_is_verified_with_all_that_is_known_of_it(lived: Project) -> None:
    log = log_of(lived)
    whole = log.read_bytes()
    asked = ("audit", "verify", "--json", "--log", str(log))
    assert lived.run(*asked).json["level"] == "remembered"
    log.write_bytes(b"".join(whole.splitlines(keepends=True)[:-3]))
    try:
        done = lived.run(*asked)
    finally:
        log.write_bytes(whole)
    assert (done.code, done.json["problems"][0]["kind"]) == (1, "tail-cut")


def test_a_witness_that_says_no_is_named_with_its_reason(project: Project, tmp_path: Path) -> None:
    (tmp_path / "seen").mkdir()
    places = [str(tmp_path / "seen"), str(tmp_path / "nowhere")]
    project.write("penstock.toml", f"version = 1\n[audit]\nwitnesses = {json.dumps(places)}\n")
    proposed(project, {"a.txt": b"x\n"})
    done = project.run("audit", "checkpoint")
    assert done.code == 1
    assert f"witness {places[0]}: confirmed\n" in done.err
    assert f"witness {places[1]}: error[audit-no-directory]: " in done.err


@pytest.mark.parametrize("form", ["jsonl", "ocsf", "cef", "syslog"])
def test_events_are_shipped_in_forms_that_others_read(lived: Project, form: str) -> None:
    done = lived.run("audit", "export", "--format", form, "--decision", "deny")
    assert done.code == 0, done.err
    (line,) = done.out.splitlines()
    assert ".env" in line
    if form in ("jsonl", "ocsf"):
        assert isinstance(json.loads(line), dict)


def test_every_entry_is_valid_by_the_published_schema_of_ocsf(lived: Project) -> None:
    done = lived.run("audit", "export", "--format", "ocsf")
    events = [json.loads(line) for line in done.out.splitlines()]
    assert [one["metadata"]["event_code"] for one in events] == OPS
    assert [ocsf_faults(one) for one in events] == [[]] * len(events)


def test_an_export_goes_to_a_file_or_says_why_not(lived: Project, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    assert lived.run("audit", "export", "--output", str(target)).code == 0
    assert target.read_text().count("\n") == len(OPS)
    done = lived.run("audit", "export", "--output", str(tmp_path / "no" / "out"))
    assert done.code == 1
    assert done.err.startswith("error[system]: ")
    assert "Traceback" not in done.err


# --- witnesses ---------------------------------------------------------------------------------


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """An empty repository for a witness."""
    git(tmp_path, "init", "--quiet", "--bare", "remote.git")
    return tmp_path / "remote.git"


def witnessed(project: Project, remote: Path) -> None:
    """Let a project with an entry in its log show it to a git witness."""
    rules = f"version = 1\n[audit]\nwitnesses = {json.dumps([f'git:{remote}'])}\n"
    project.write("penstock.toml", rules)
    proposed(project, {"a.txt": b"x\n"})
    done = project.run("audit", "checkpoint")
    assert done.code == 0, done.err


def emptied(remote: Path) -> None:
    shutil.rmtree(remote)
    git(remote.parent, "init", "--quiet", "--bare", remote.name)


def branch_removed(remote: Path) -> None:
    (branch,) = git(remote, "for-each-ref", "--format=%(refname)").split()
    git(remote, "update-ref", "-d", branch)


def rewritten(remote: Path) -> None:
    (branch,) = git(remote, "for-each-ref", "--format=%(refname)").split()
    who = ["-c", "user.name=x", "-c", "user.email=x"]
    tree = git(remote, "rev-parse", f"{branch}^{{tree}}").strip()
    git(remote, "update-ref", branch, git(remote, *who, "commit-tree", tree, "-m", "x").strip())


def verified(project: Project) -> tuple[int, list[str], list[str]]:
    done = project.run("audit", "verify", "--json")
    kinds = [[one["kind"] for one in done.json[part]] for part in ("problems", "warnings")]
    return done.code, kinds[0], kinds[1]


@pytest.mark.parametrize("change", [emptied, branch_removed, rewritten])
def test_a_git_witness_that_was_rewritten_or_emptied_is_a_problem(
    project: Project, remote: Path, change: Callable[[Path], None]
) -> None:
    witnessed(project, remote)
    assert verified(project) == (0, [], [])
    change(remote)
    assert verified(project) == (1, ["witness-rewritten"], [])


def test_a_git_witness_that_cannot_be_reached_is_a_warning(project: Project, remote: Path) -> None:
    witnessed(project, remote)
    shutil.rmtree(remote)
    assert verified(project) == (0, [], ["unreachable"])


def test_two_machines_with_one_path_have_two_logs_at_one_witness(
    project: Project, remote: Path, tmp_path: Path
) -> None:
    (tmp_path / "other-home").mkdir()
    other = Project(project.root, tmp_path / "other-home")
    for machine in (project, other, project):
        witnessed(machine, remote)
    assert verified(project) == verified(other) == (0, [], [])
    branches = git(remote, "for-each-ref", "--format=%(refname:short)").split()
    assert len(branches) == 2


def test_a_log_that_was_named_before_there_was_an_id_keeps_its_name(
    project: Project, remote: Path
) -> None:
    proposed(project, {"a.txt": b"x\n"})
    state = state_dir(project)
    create_key(str(state / "checkpoint.key"), f"penstock/{state.name}")
    witnessed(project, remote)
    assert f"penstock/{state.name}\n" in (state / "checkpoints").read_text()
    assert verified(project) == (0, [], [])


# --- secrets that an older version left readable ---------------------------------------------


def old_log(folder: Path, commands: list[str]) -> Path:
    """Write a log as a version would have that knew no form of a secret."""
    path, prev = folder / "old.jsonl", chain.GENESIS
    with path.open("wb") as file:
        for number, text in enumerate(commands):
            shown = json.dumps(text)[1:-1]
            body = f'"op":"tool_call","path":"","status":"allowed","command":"{shown}"'
            ts = f"2024-05-01T12:00:{number:02}Z"
            line, prev = chain.link(ts, number, body.encode(), prev, hashlib.sha256)
            file.write(line)
    return path


def test_secrets_of_an_old_log_are_listed_without_being_shown(
    lived: Project, tmp_path: Path
) -> None:
    tokens = dict(examples())
    given = [
        ("ls -la", ""),
        (f"echo {tokens['GitHub personal access token']}", "GitHub personal access token"),
        ("export DB_PASSWORD=[redacted]", ""),
        (f"run {tokens['Groq API key']} now", "Groq API key"),
        ("git clone https://bob:hunter2Hunter@host/x.git", "password in an address"),
    ]
    log = old_log(tmp_path, [command for command, _ in given])
    before = log.read_bytes()
    done = lived.run("audit", "secrets", "--log", str(log), "--json")
    assert done.code == 1
    assert (done.json["ok"], done.json["log"]) == (False, str(log))
    found = {one["line"]: one for one in done.json["found"]}
    assert {line: one["formats"] for line, one in found.items()} == {
        number: [name] for number, (_, name) in enumerate(given, 1) if name
    }
    entries = [json.loads(line) for line in before.splitlines()]
    assert all(one["id"] == entries[line - 1]["event_hash"] for line, one in found.items())
    assert all(one["ts"] == entries[line - 1]["ts"] for line, one in found.items())
    assert {one["field"] for one in found.values()} == {"command"}
    spoken = lived.run("audit", "secrets", "--log", str(log))
    assert spoken.code == 1
    assert "2024-05-01T12:00:01Z" in spoken.out
    assert "Groq API key in `command` of tool_call" in spoken.out
    assert "Replace each of these secrets" in spoken.err
    for secret in (*tokens.values(), "hunter2Hunter"):
        assert secret not in done.out + done.err + spoken.out + spoken.err
    assert log.read_bytes() == before, "a log is never changed by looking at it"


def test_every_known_format_is_found_in_an_old_log(lived: Project, tmp_path: Path) -> None:
    log = old_log(tmp_path, [f"echo {token}" for _, token in examples()])
    done = lived.run("audit", "secrets", "--log", str(log), "--json")
    assert [one["line"] for one in done.json["found"]] == [
        number for number, _ in enumerate(examples(), 1)
    ]


def test_a_log_of_this_version_has_no_readable_secrets(lived: Project) -> None:
    done = lived.run("audit", "secrets")
    assert (done.code, done.out) == (0, "no readable secrets found\n")
    assert lived.run("audit", "secrets", "--json").json["found"] == []
