"""`penstock judge --batch`: many calls, one line each, through the real command."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from penstock.cli.judge.batch import ALONE, WORTH_SHARING, shared
from penstock.cli.judge.workers import BatchWorkers
from tests.project import Project

CALLS: list[dict[str, Any]] = [
    {"tool": "Bash", "input": {"command": "ls"}, "id": "first"},
    {"tool": "Write", "input": {"file_path": ".env", "content": "x"}, "id": 2},
    {"tool": "Bash", "input": {"command": "echo x > .env"}, "id": [3]},
]


def batch(project: Project, text: str, *more: str) -> list[dict[str, object]]:
    done = project.run("judge", "--batch", *more, stdin=text)
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.out.splitlines()]


def lines(*calls: object) -> str:
    return "".join(json.dumps(call) + "\n" for call in calls)


def test_each_line_gets_the_document_of_judge_with_its_id_in_order(project: Project) -> None:
    found = batch(project, lines(*CALLS))
    assert [one["id"] for one in found] == ["first", 2, [3]]
    assert [one["verdict"] for one in found] == ["allow", "deny", "deny"]
    for call, one in zip(CALLS, found, strict=True):
        alone = project.judge(str(call["tool"]), call["input"], "--json").json
        assert {key: one[key] for key in one if key != "id"} == alone


def test_a_line_without_an_id_has_none_and_empty_lines_are_passed_over(project: Project) -> None:
    (one,) = batch(project, "\n  \n" + lines({"tool": "Bash", "input": {"command": "ls"}}) + "\n")
    assert "id" not in one


def test_a_bad_line_gets_an_error_and_the_next_goes_on(project: Project) -> None:
    bad = [
        "no json",
        "[1]",
        '{"id": 7}',
        '{"tool": "Bash", "input": "ls", "id": 8}',
        '{"tool": "Bash", "input": {"command": "ls"}, "cwd": 3, "id": 9}',
        '{"tool": "Bash", "tool": "Write", "input": {}}',
        "[" * 5000,
        '{"tool": "Bash", "input": {"command": "\\ud800"}, "id": "odd"}',
        '{"tool": 5, "input": {}}',
    ]
    found = batch(project, "\n".join(bad) + "\n" + lines(CALLS[0]))
    assert len(found) == len(bad) + 1
    for one in found[:7]:
        error = one["error"]
        assert isinstance(error, dict)
        assert error["code"] in ("bad-json", "bad-call")
        assert set(error) == {"code", "message", "because", "try"}
    assert [one.get("id") for one in found[2:5]] == [7, 8, 9]
    assert found[-1]["verdict"] == "allow"


def test_the_directory_is_only_where_relative_paths_start(project: Project) -> None:
    project.write("deep/penstock.toml", "version = 1\n")
    call = {"tool": "Bash", "input": {"command": "echo x > ../.env"}}
    found = batch(
        project,
        lines(
            {**call, "cwd": "deep"},
            {**call, "cwd": str(project.root / "deep")},
            {**call, "cwd": "/nowhere/at/all"},
        ),
    )
    assert [one["verdict"] for one in found[:2]] == ["deny", "deny"]
    assert len(found) == 3


def test_unattended_an_ask_is_a_denial(project: Project) -> None:
    text = lines({"tool": "Bash", "input": {"command": "curl x | sh"}})
    assert batch(project, text)[0]["verdict"] == "ask"
    assert batch(project, text, "--unattended")[0]["verdict"] == "deny"


def test_which_hooks_see_the_call_is_a_field(project: Project) -> None:
    calls = lines(
        {"tool": "Bash", "input": {"command": "ls"}},
        {"tool": "NoSuchTool", "input": {}},
    )
    assert [one["seen_by"] for one in batch(project, calls)] == [[], []]
    assert project.run("init", "--agent", "claude").code == 0
    assert [one["seen_by"] for one in batch(project, calls)] == [["claude"], []]


@contextmanager
def talking(project: Project) -> Iterator[Callable[[dict[str, Any]], dict[str, Any]]]:
    """Yield what writes one call and reads its answer, through a process that goes on."""
    with subprocess.Popen(
        [sys.executable, "-m", "penstock.cli", "judge", "--batch"],
        cwd=project.root,
        env=project.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        to, back = process.stdin, process.stdout
        assert to
        assert back

        def ask(call: dict[str, Any]) -> dict[str, Any]:
            to.write(json.dumps(call) + "\n")
            to.flush()
            found = json.loads(back.readline())
            assert isinstance(found, dict)
            return found

        yield ask
        to.close()
        assert back.read() == ""


def test_an_answer_comes_before_the_next_line_is_written(project: Project) -> None:
    with talking(project) as ask:
        assert [ask(call)["id"] for call in CALLS] == ["first", 2, [3]]


def test_a_line_that_comes_later_is_judged_by_the_files_of_its_time(project: Project) -> None:
    call = {"tool": "Bash", "input": {"command": "sh tool.sh"}}
    project.write("tool.sh", "echo fine\n")
    with talking(project) as ask:
        assert ask(call)["verdict"] == "allow"
        project.write("tool.sh", "echo x > .env\n")
        assert ask(call)["verdict"] == "deny"


def test_many_lines_keep_their_order_and_their_answers(project: Project) -> None:
    many = [{**CALLS[at % 3], "id": at} for at in range(WORTH_SHARING + 7)]
    found = batch(project, lines(*many))
    assert [one["id"] for one in found] == list(range(len(many)))
    assert [one["verdict"] for one in found[:6]] == ["allow", "deny", "deny"] * 2


def test_what_a_killed_process_owes_is_judged_here_and_another_takes_its_place() -> None:
    some = [str(number).encode() for number in range(9)]
    workers = BatchWorkers(lambda given: (one.decode() for one in given), 2)
    assert list(workers.answers(some)) == [one.decode() for one in some]
    first, second = (process for process, _ in workers.started)
    first.kill()
    first.join()
    assert list(workers.answers(some)) == [one.decode() for one in some]
    assert [process for process, _ in workers.started] == [second]
    assert list(workers.answers(some)) == [one.decode() for one in some]
    assert len(workers.started) == 2
    workers.dismiss()
    assert not second.is_alive()


def test_the_first_of_many_lines_are_judged_before_a_process_is_started() -> None:
    def answers(given: Iterable[bytes]) -> Iterator[str]:
        return (f"{len(workers.started)} started" for _ in given)

    workers = BatchWorkers(answers, 1)
    some = [b"x"] * WORTH_SHARING
    found = list(shared(some, answers, workers))
    assert found[: ALONE + 1] == ["0 started"] * ALONE + ["1 started"]
    assert len(found) == len(some)
    assert next(shared(some, answers, workers)) == "1 started"
    workers.dismiss()


def test_fewer_lines_than_processes_are_answered_all_the_same() -> None:
    workers = BatchWorkers(lambda given: (one.decode() for one in given), 3)
    assert list(workers.answers([b"a"])) == ["a"]
    assert list(workers.answers([b"a", b"b"])) == ["a", "b"]
    workers.dismiss()


def test_with_batch_no_other_call_can_be_named(project: Project) -> None:
    done = project.run("judge", "--batch", "--tool", "Bash")
    assert done.code == 64
    assert project.run("judge", "--tool", "Bash").code == 64
