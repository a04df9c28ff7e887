"""The JSON API over a real socket: the queue and its answers, and who may ask."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from penstock.app import Workspace
from penstock.core.digest import digest
from penstock.core.proposals.model import State
from penstock.doors.web.answers import approve
from penstock.doors.web.api.endpoints import ENDPOINTS
from penstock.doors.web.context import World
from penstock.doors.web.proof import PagePerson, Prover
from penstock.gate import Proof
from tests.doors.web.page_server import HOOK_TOKEN, LINES, TOKEN, WORDS, Served, running, serving


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as one:
        yield one


# --- who may ask ---------------------------------------------------------------------------------


@pytest.mark.parametrize("one", ENDPOINTS, ids=lambda one: f"{one.method} {one.path}")
def test_every_call_needs_the_persons_token(shared: Served, one: object) -> None:
    path = one.path.replace("{id}", "x")  # type: ignore[attr-defined]
    method = one.method  # type: ignore[attr-defined]
    assert shared.call(method, path, {}, token="").code == "no-token"
    assert shared.call(method, path, {}, token="c" * 64).status == 401


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("api")) as one:
        yield one


def test_the_hooks_token_is_good_for_judging_only(served: Served) -> None:
    one = served.propose("a.txt", "x\n")
    body = {"content_digest": one.content, "passphrase": WORDS}
    answer = served.call("POST", f"/proposals/{one.id}/approve", body, token=HOOK_TOKEN)
    assert (answer.status, answer.code) == (403, "hook-token")
    assert served.stored(one).state is State.WAITING
    assert served.call("GET", "/proposals", token=HOOK_TOKEN).status == 403


def test_a_session_of_the_page_is_no_token(served: Served) -> None:
    assert served.browser().get("/api/v1/proposals").status == 401


# --- looking -------------------------------------------------------------------------------------


def test_the_queue_is_listed_with_what_answers_need(served: Served) -> None:
    one = served.propose("a.txt", "x\n")
    (listed,) = served.call("GET", "/proposals").json["proposals"]
    assert (listed["id"], listed["state"], listed["path"]) == (one.id, "waiting", "a.txt")
    found = served.call("GET", f"/proposals/{one.id}").json
    assert found["content_digest"] == digest(b"x\n")
    assert found["workspace"] == "project-1"


def test_a_diff_comes_in_pieces_that_say_how_much_there_is(served: Served) -> None:
    served.write("app.py", LINES)
    one = served.propose("app.py", "one line\n")
    first = served.call("GET", f"/proposals/{one.id}/diff?limit=10").json["files"][0]
    assert first["more"] is True
    assert first["lost"] == 270
    assert len(first["lost_lines"]) == 10
    rest = served.call("GET", f"/proposals/{one.id}/diff?offset=10&limit=20000").json["files"][0]
    assert rest["more"] is False
    assert first["diff"].count("\n") + 1 + rest["diff"].count("\n") + 1 == rest["lines"]


def test_an_id_that_is_nowhere_is_not_found(served: Served) -> None:
    assert served.call("GET", "/proposals/hitl-none").code == "not-found"
    assert served.call("GET", "/receipts/r-none/undo").status == 404
    assert served.call("GET", "/status?workspace=nowhere").code == "no-workspace"
    assert served.call("GET", "/nothing").code == "no-page"


def test_what_is_around_the_queue_can_be_asked(served: Served) -> None:
    served.propose("a.txt", "x\n")
    status = served.call("GET", "/status").json
    assert (status["waiting"], status["approver_key"]) == (1, True)
    assert served.call("GET", "/workspaces").json["workspaces"][0]["root"] == str(served.root)
    assert served.call("GET", "/rules").json["revision"] == status["policy"]
    (event,) = served.call("GET", "/audit/log?op=proposed").json["events"]
    assert event["path"] == "a.txt"
    assert served.call("GET", "/audit/verify").json["ok"] is True
    assert served.call("GET", "/stats").json["decisions"] == {"ask": 1}


def test_a_workspace_that_cannot_be_opened_hides_no_other(served: Served, tmp_path: Path) -> None:
    one = served.propose("a.txt", "x\n")
    state = tmp_path / "state/penstock/broken-1"
    state.mkdir(mode=0o700, parents=True)
    (state / "penstock.db").write_bytes(b"no database")
    (tmp_path / "broken").mkdir()
    broken = Workspace(str(tmp_path / "broken"), str(state))
    world = World([broken, served.here], token=TOKEN)
    with running(world) as port:
        served.port = port
        listed = served.call("GET", "/proposals").json
        assert [each["id"] for each in listed["proposals"]] == [one.id]
        assert listed["unreadable"][0]["error"]["code"] == "queue-broken"
        assert served.call("GET", f"/proposals/{one.id}").status == 200
        assert served.call("GET", "/proposals/nowhere").code == "queue-broken"


def test_a_new_link_opens_the_page(served: Served) -> None:
    url = served.call("POST", "/links").json["url"]
    assert url.startswith(f"{served.origin}/open?t=")
    assert served.stranger().get(url.removeprefix(served.origin)).status == 303


# --- answering -----------------------------------------------------------------------------------


def test_an_approval_with_the_passphrase_writes_exactly_what_was_shown(served: Served) -> None:
    one = served.propose("a.txt", "x\n")
    body = {"content_digest": one.content, "passphrase": WORDS, **served.seen(one.id)}
    answer = served.call("POST", f"/proposals/{one.id}/approve", body)
    assert answer.status == 200, answer.text
    assert (served.root / "a.txt").read_text() == "x\n"
    (receipt,) = answer.json["receipts"]
    assert receipt["path"] == "a.txt"
    (event,) = served.events("approved")
    assert event["proof"] == "key"
    assert served.here.verify().ok


@pytest.mark.parametrize(
    ("more", "code", "status"),
    [
        ({"passphrase": "not it"}, "wrong-passphrase", 403),
        ({"content_digest": "sha256:" + "0" * 64}, "not-as-shown", 409),
        ({"keep": ["hitl-other"]}, "not-in-set", 400),
        ({"passphrase": ""}, "bad-request", 400),
        ({"surprise": 1}, "bad-request", 400),
    ],
)
def test_an_approval_that_lacks_anything_writes_nothing(
    served: Served, more: dict[str, object], code: str, status: int
) -> None:
    one = served.propose("a.txt", "x\n")
    body = {"content_digest": one.content, "passphrase": WORDS, **served.seen(one.id), **more}
    answer = served.call("POST", f"/proposals/{one.id}/approve", body)
    assert (answer.code, answer.status) == (code, status)
    assert not (served.root / "a.txt").exists()
    assert served.stored(one).state is State.WAITING


def test_a_file_that_was_saved_since_is_refused_with_the_difference(served: Served) -> None:
    served.write("a.txt", "old\n")
    one = served.propose("a.txt", "new\n")
    served.write("a.txt", "saved meanwhile\n")
    body = {"content_digest": one.content, "passphrase": WORDS}
    answer = served.call("POST", f"/proposals/{one.id}/approve", body)
    assert (answer.status, answer.code) == (409, "base-changed")
    (difference,) = answer.json["differences"]
    assert "-old" in difference["diff"]
    assert "+saved meanwhile" in difference["diff"]
    assert served.stored(one).state is State.WAITING


def test_a_file_that_is_saved_while_the_passphrase_is_checked_stays_as_it_was_saved(
    served: Served,
) -> None:
    served.write("a.txt", "old\n")
    one = served.propose("a.txt", "new\n")

    class Slow(Prover):
        def proof(self, here: Workspace, *given: Any, **told: Any) -> Proof:
            served.write("a.txt", "saved meanwhile\n")
            return super().proof(here, *given, **told)

    answered = approve(
        served.here,
        one.id,
        digest=str(one.content),
        person=PagePerson(passphrase=WORDS, prover=Slow()),
        reader=served.world.readers.of(served.seen(one.id)["viewer"]),
    )
    assert answered.error is not None
    assert answered.error.code == "base-changed"
    assert [each.now for each in answered.differences] == [b"saved meanwhile\n"]
    assert (served.root / "a.txt").read_text() == "saved meanwhile\n"


def test_of_many_who_approve_at_once_one_writes_and_the_others_are_told(served: Served) -> None:
    one = served.propose("a.txt", "x\n")
    body = {"content_digest": one.content, "passphrase": WORDS, **served.seen(one.id)}
    with ThreadPoolExecutor(8) as pool:
        found = [
            pool.submit(served.call, "POST", f"/proposals/{one.id}/approve", body) for _ in range(8)
        ]
    statuses = sorted(each.result().status for each in found)
    assert statuses == [200] + [409] * 7
    assert len(served.events("applied")) == 1
    assert served.here.verify().ok


def test_a_version_that_was_replaced_is_refused_with_the_difference(served: Served) -> None:
    one = served.propose("a.txt", "first\n")
    body = {"content_digest": one.content, "content": "second\n"}
    made = served.call("POST", f"/proposals/{one.id}/edit", body).json["proposals"][0]
    approving = {"content_digest": one.content, "passphrase": WORDS}
    answer = served.call("POST", f"/proposals/{one.id}/approve", approving)
    assert (answer.status, answer.code) == (409, "newer-version")
    (difference,) = answer.json["differences"]
    assert difference["newer"] == made["id"]
    assert "-first" in difference["diff"]
    assert "+second" in difference["diff"]
    assert not (served.root / "a.txt").exists()


def test_comments_on_lines_come_back_with_their_places(served: Served) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", LINES.replace("line 10\n", "X\n"))
    said = {"reason": "no", "comments": ["10: keep it", "a.txt:-10: this"]}
    answer = served.call("POST", f"/proposals/{one.id}/reject", said)
    (told,) = answer.json["proposals"]
    first, second = told["answer"]["comments"]
    assert (first["path"], first["start"], first["text"]) == ("a.txt", 10, "keep it")
    assert second["removed"] is True
    (again,) = served.call("GET", f"/proposals/{one.id}").json["proposals"]
    assert again["answer"]["comments"] == told["answer"]["comments"]
    other = served.propose("a.txt", "x\n")
    wrong = {"reason": "no", "comments": ["b.txt:1: not in it"]}
    assert served.call("POST", f"/proposals/{other.id}/reject", wrong).code == "bad-comment"


def test_a_rejection_needs_a_reason_and_no_key(served: Served) -> None:
    one = served.propose("a.txt", "x\n")
    assert served.call("POST", f"/proposals/{one.id}/reject", {}).code == "bad-request"
    answer = served.call("POST", f"/proposals/{one.id}/reject", {"reason": "not now"})
    assert answer.json["proposals"][0]["state"] == "rejected"
    again = served.call("POST", f"/proposals/{one.id}/reject", {"reason": "not now"})
    assert (again.status, again.code) == (403, "already-rejected")


def test_strategies_hunks_and_edits_make_versions_that_wait(served: Served) -> None:
    served.write("a.txt", LINES)
    new = LINES.replace("line 7\n", "seven\n").replace("line 200\n", "two hundred\n")
    one = served.propose("a.txt", new)
    body = {"content_digest": one.content, "hunks": [2]}
    second = served.call("POST", f"/proposals/{one.id}/hunks", body).json
    assert second["proposals"][0]["state"] == "waiting"
    text = served.gate.contents(served.gate.get(second["proposals"][0]["id"]))[1]  # type: ignore[arg-type]
    assert text == LINES.replace("line 200\n", "two hundred\n").encode()
    body = {"content_digest": second["content_digest"], "strategy": "append"}
    path = f"/proposals/{second['proposals'][0]['id']}/strategy"
    third = served.call("POST", path, body).json
    assert third["proposals"][0]["origin"] == "strategy:append"
    assert served.call("POST", path, body).code == "newer-version"
    assert (served.root / "a.txt").read_text() == LINES


def test_a_proposal_is_carried_over_to_what_was_saved_since(served: Served) -> None:
    served.write("a.txt", LINES)
    one = served.propose("a.txt", LINES.replace("line 7\n", "seven\n"))
    served.write("a.txt", LINES.replace("line 200\n", "two hundred\n"))
    answer = served.call("POST", f"/proposals/{one.id}/rebase", {"content_digest": one.content})
    made = answer.json
    id_ = made["proposals"][0]["id"]
    body = {"content_digest": made["content_digest"], "passphrase": WORDS, **served.seen(id_)}
    done = served.call("POST", f"/proposals/{id_}/approve", body)
    assert done.status == 200, done.text
    both = LINES.replace("line 7\n", "seven\n").replace("line 200\n", "two hundred\n")
    assert (served.root / "a.txt").read_text() == both


def test_a_set_is_approved_whole_or_in_part(served: Served) -> None:
    found = served.propose_set({"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n"})
    group = served.call("GET", f"/proposals/{found[0].set_id}").json
    body = {
        "content_digest": group["content_digest"],
        "passphrase": WORDS,
        **served.seen(found[0].set_id),
        "keep": [found[0].id, found[2].id],
    }
    answer = served.call("POST", f"/proposals/{found[0].set_id}/approve", body)
    assert answer.status == 200, answer.text
    assert sorted(path.name for path in served.root.glob("*.txt")) == ["a.txt", "c.txt"]
    assert served.stored(found[1]).state is State.REJECTED
    assert [one["path"] for one in answer.json["rejected"]] == ["b.txt"]


def test_a_set_with_another_version_of_a_member_is_not_what_was_shown(served: Served) -> None:
    found = served.propose_set({"a.txt": "a\n", "b.txt": "b\n"})
    group = served.call("GET", f"/proposals/{found[0].set_id}").json
    body = {"content_digest": found[1].content, "content": "other\n"}
    served.call("POST", f"/proposals/{found[1].id}/edit", body)
    body = {"content_digest": group["content_digest"], "passphrase": WORDS}
    answer = served.call("POST", f"/proposals/{found[0].set_id}/approve", body)
    assert (answer.status, answer.code) == (409, "not-as-shown")
    assert answer.json["differences"][0]["path"] == "b.txt"
    assert not list(served.root.glob("*.txt"))


def test_of_a_set_that_cannot_be_written_whole_the_rest_is_taken_alone(served: Served) -> None:
    rules = served.root / "penstock.toml"
    rules.write_text(rules.read_text() + '[[deny]]\nid = "no-b"\npaths = ["b.txt"]\n')
    found = served.propose_set({"a.txt": "a\n", "b.txt": "b\n"})
    group = served.call("GET", f"/proposals/{found[0].set_id}").json
    body = {"content_digest": group["content_digest"], "passphrase": WORDS}
    whole = served.call("POST", f"/proposals/{found[0].set_id}/approve", body)
    assert (whole.status, whole.code) == (403, "already-denied")
    part = {**body, "keep": [found[0].id], **served.seen(found[0].set_id)}
    assert served.call("POST", f"/proposals/{found[0].set_id}/approve", part).status == 200
    assert sorted(path.name for path in served.root.glob("*.txt")) == ["a.txt"]


def test_one_file_of_a_set_waits_for_the_others(served: Served) -> None:
    found = served.propose_set({"a.txt": "a\n", "b.txt": "b\n"})
    for one, left in ((found[0], 1), (found[1], 0)):
        body = {"content_digest": one.content, "passphrase": WORDS, **served.seen(one.id)}
        answer = served.call("POST", f"/proposals/{one.id}/approve", body)
        assert answer.json["still_waiting"] == left
    assert (served.root / "a.txt").read_text() == "a\n"


def test_a_write_is_undone_as_it_was_shown(served: Served) -> None:
    served.write("a.txt", "old\n")
    one = served.propose("a.txt", "new\n")
    body = {"content_digest": one.content, "passphrase": WORDS, **served.seen(one.id)}
    receipt = served.call("POST", f"/proposals/{one.id}/approve", body).json["receipts"][0]["id"]
    preview = served.call("GET", f"/receipts/{receipt}/undo").json
    assert "+old" in preview["files"][0]["diff"]
    seen = served.seen(receipt, what="receipts")
    body = {"content_digest": preview["content_digest"], "passphrase": "not it", **seen}
    assert served.call("POST", f"/receipts/{receipt}/undo", body).code == "wrong-passphrase"
    other = {"content_digest": "sha256:0", "passphrase": WORDS}
    assert served.call("POST", f"/receipts/{receipt}/undo", other).code == "not-as-shown"
    assert (served.root / "a.txt").read_text() == "new\n"
    body["passphrase"] = WORDS
    assert served.call("POST", f"/receipts/{receipt}/undo", body).status == 200
    assert (served.root / "a.txt").read_text() == "old\n"


def test_an_undo_over_what_was_saved_since_is_refused_with_the_difference(served: Served) -> None:
    one = served.propose("a.txt", "new\n")
    body = {"content_digest": one.content, "passphrase": WORDS, **served.seen(one.id)}
    receipt = served.call("POST", f"/proposals/{one.id}/approve", body).json["receipts"][0]["id"]
    digest_ = served.call("GET", f"/receipts/{receipt}/undo").json["content_digest"]
    served.write("a.txt", "saved meanwhile\n")
    body = {"content_digest": digest_, "passphrase": WORDS}
    answer = served.call("POST", f"/receipts/{receipt}/undo", body)
    assert (answer.status, answer.code) == (409, "changed-since")
    assert "+saved meanwhile" in answer.json["differences"][0]["diff"]
    assert (served.root / "a.txt").read_text() == "saved meanwhile\n"


def test_a_waiting_proposal_gets_its_time_again(served: Served) -> None:
    one = served.propose("a.txt", "x\n")
    assert served.call("POST", f"/proposals/{one.id}/renew").status == 200
    assert served.events("renewed")


# --- bodies --------------------------------------------------------------------------------------

BODIES = [
    (b"", "bad-json"),
    (b"{", "bad-json"),
    (b"[]", "bad-request"),
    (b"\xff", "bad-json"),
    (b'{"reason": NaN}', "bad-json"),
    (b'{"reason": "a", "reason": "b"}', "bad-json"),
    (b"[" * 100_00, "bad-json"),
    (b'{"reason": 1}', "bad-request"),
    (b'{"reason": ""}', "bad-request"),
    (b'{"reason": "' + b"x" * 5000 + b'"}', "bad-request"),
]


@pytest.mark.parametrize(("body", "code"), BODIES)
def test_a_body_that_does_not_fit_is_told(shared: Served, body: bytes, code: str) -> None:
    headers = {"Authorization": "Bearer " + "a" * 64, "Content-Type": "application/json"}
    answer = shared.stranger().ask("POST", "/api/v1/proposals/x/reject", body, headers)
    assert (answer.status, answer.code) == (400, code)


def test_only_json_is_taken_and_other_methods_are_told(shared: Served) -> None:
    headers = {"Authorization": "Bearer " + "a" * 64, "Content-Type": "text/plain"}
    path = "/api/v1/proposals/x/reject"
    assert shared.stranger().ask("POST", path, b"{}", headers).status == 415
    answer = shared.stranger().ask("DELETE", path, b"", headers)
    assert (answer.status, answer.code, answer.headers["Allow"]) == (405, "wrong-method", "POST")


def test_a_stranger_sends_a_small_body_at_most(shared: Served) -> None:
    big = b"x" * (64 * 1024 + 1)
    answer = shared.stranger().ask("POST", "/api/v1/proposals/x/reject", big)
    assert answer.status == 413
