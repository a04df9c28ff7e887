"""`penstock judge --batch`: a decision for each line of the input, in order, as it comes.

The rules and the registered hooks are looked up once, at the start; files are looked at once for
all lines that arrive together. Many of them are shared with `workers`, one for each other core.
Always true: every line that is not empty gets exactly one line back, whatever is in it; one that
cannot be judged gets an `error` document, and the next goes on.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from select import select
from typing import TYPE_CHECKING

from penstock.cli.judge.call import JSON, guesses
from penstock.cli.judge.document import document
from penstock.cli.judge.workers import Answers, BatchWorkers
from penstock.cli.terminal.output import json_printable
from penstock.core.errors import InputError, PenstockError
from penstock.core.strict_json import strict
from penstock.core.text.json_fault import json_fault
from penstock.gate import Call, Judgement
from penstock.gate.look import DiskMemory

if TYPE_CHECKING:
    from io import BufferedReader

Judge = Callable[[Call, float, DiskMemory], Judgement]
AT_ONCE = 1 << 20  # bytes that are read together
PIPE = 1 << 16  # bytes that a pipe holds
MOMENT = 0.02
WORTH_SHARING = 200  # lines; fewer are judged before another process has started
ALONE = 100  # lines before the first process is started: it then has loaded what judging takes
_HINT = """a line is like {"tool": "Bash", "input": {"command": "rm a"}, "cwd": "src", "id": 1}"""


def judge_lines(*, workspace: str | None, policy_file: str | None, attended: bool) -> None:
    """Answer each line of the standard input on the standard output."""
    from penstock.app.workspace import open_judge, workspace_root
    from penstock.doors.setup.agent_files import place_of
    from penstock.doors.setup.inspect import sight

    root = workspace_root(workspace)
    judge = open_judge(root, policy_file=policy_file)
    batch = BatchJudge(root, judge, sight(place_of(root)), attended=attended)
    workers = BatchWorkers(batch.answers, _cores() - 1)
    with open(0, "rb", closefd=False) as stream:
        for lines in arrivals(stream):
            for answer in shared(lines, batch.answers, workers):
                sys.stdout.write(answer + "\n")
            sys.stdout.flush()
    workers.dismiss()


def shared(lines: list[bytes], answers: Answers, workers: BatchWorkers) -> Iterator[str]:
    """Yield the answer to each line; of many, the other processes give a part."""
    few = len(lines) < WORTH_SHARING
    alone = len(lines) if few else 0 if workers.started else ALONE
    yield from answers(lines[:alone])
    if not few:
        yield from workers.answers(lines[alone:])


def arrivals(stream: BufferedReader) -> Iterator[list[bytes]]:
    """Yield the lines of a stream, those that are there at the same time together."""
    rest = b""
    while piece := stream.read1(AT_ONCE):
        while len(piece) < AT_ONCE and select([stream], [], [], _patience(piece))[0]:
            more = stream.read1(AT_ONCE - len(piece))
            if not more:
                break
            piece += more
        *lines, rest = (rest + piece).split(b"\n")
        yield lines
    yield [rest]


def _patience(piece: bytes) -> float:
    """Return how many seconds to wait for more; whoever has filled a pipe is still writing."""
    return MOMENT if len(piece) >= PIPE else 0


def _cores() -> int:
    """Return how many processes can work at once; 1 where forking is not safe."""
    return len(os.sched_getaffinity(0)) if sys.platform.startswith("linux") else 1


class BatchJudge:
    """Judges lines one after the other; `sees` says which agents' hooks get to see a tool."""

    def __init__(
        self, root: str, judge: Judge, sees: Callable[[str], list[str]], *, attended: bool
    ) -> None:
        self.root = root
        self.judge = judge
        self.sees = sees
        self.attended = attended
        self.home = os.path.expanduser("~")
        self.temporary = os.environ.get("TMPDIR", "")

    def answers(self, lines: Iterable[bytes]) -> Iterator[str]:
        """Yield a compact JSON line for each line that is not empty, by one look at the disk."""
        memory = DiskMemory()
        for line in lines:
            if line.strip():
                answer = self._answer(line, memory)
                text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
                yield json_printable(text)

    def _answer(self, line: bytes, memory: DiskMemory) -> dict[str, object]:
        given: dict[str, object] = {}
        answer: dict[str, object]
        try:
            given = _parsed(line)
            call = self._call(given)
            judged = self.judge(call, time.time(), memory)
            answer = document(judged, seen_by=self.sees(call.tool), remarks=guesses(call.tool))
        except PenstockError as wrong:
            answer = dict(wrong.as_json())
        except Exception as wrong:  # noqa: BLE001 - one line must not end the others
            failed = InputError(
                "judge-failed",
                "this call can't be judged",
                because=f"{type(wrong).__name__}: {wrong}",
                hint="the hook denies such a call; please report it",
            )
            answer = dict(failed.as_json())
        return {"id": given["id"], **answer} if "id" in given else answer

    def _call(self, given: dict[str, object]) -> Call:
        tool, tool_input, cwd = given.get("tool"), given.get("input"), given.get("cwd") or ""
        if not isinstance(tool, str) or not tool or not isinstance(tool_input, dict):
            raise InputError(
                "bad-call",
                "a line needs `tool`, a string, and `input`, an object",
                hint=_HINT,
            )
        if not isinstance(cwd, str):
            raise InputError("bad-call", "`cwd` must be a string: a directory", hint=_HINT)
        return Call(
            tool=tool,
            tool_input=tool_input,
            cwd=os.path.normpath(os.path.join(self.root, cwd)),
            home=self.home,
            temporary=self.temporary,
            attended=self.attended,
        )


def _parsed(line: bytes) -> dict[str, object]:
    try:
        found = strict(line.decode("utf-8"))
    except (ValueError, RecursionError) as wrong:
        raise InputError(
            "bad-json", "this line is not valid JSON", because=json_fault(wrong), hint=_HINT
        ) from None
    if not isinstance(found, dict):
        raise InputError(
            "bad-json",
            f"a line must be a JSON object, not {JSON[type(found)]}",
            hint=_HINT,
        )
    return found
