"""`penstock judge --batch`: a decision for each line of the input, in order, as it comes.

The rules, the files and the registered hooks are looked up once, at the start.
Always true: every line that is not empty gets exactly one line back, whatever is in it; one that
cannot be judged gets an `error` document, and the next goes on.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator

from penstock.cli.judge.call import JSON, guesses
from penstock.cli.judge.document import document
from penstock.cli.terminal.output import json_printable
from penstock.core.errors import InputError, PenstockError
from penstock.core.strict_json import strict
from penstock.core.text.json_fault import json_fault
from penstock.gate import Call, Judgement

Judge = Callable[[Call, float], Judgement]
_HINT = """a line is like {"tool": "Bash", "input": {"command": "rm a"}, "cwd": "src", "id": 1}"""


def judge_lines(*, workspace: str | None, policy_file: str | None, attended: bool) -> None:
    """Answer each line of the standard input on the standard output."""
    from penstock.app.workspace import open_judge, workspace_root
    from penstock.doors.setup.agent_files import place_of
    from penstock.doors.setup.inspect import sight

    root = workspace_root(workspace)
    judge = open_judge(root, policy_file=policy_file)
    batch = BatchJudge(root, judge, sight(place_of(root)), attended=attended)
    for answer in batch.answers(sys.stdin.buffer):
        sys.stdout.write(answer + "\n")
        sys.stdout.flush()


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
        """Yield a compact JSON line for each line that is not empty."""
        for line in lines:
            if line.strip():
                answer = json.dumps(self._answer(line), ensure_ascii=False, separators=(",", ":"))
                yield json_printable(answer)

    def _answer(self, line: bytes) -> dict[str, object]:
        given: dict[str, object] = {}
        answer: dict[str, object]
        try:
            given = _parsed(line)
            call = self._call(given)
            judged = self.judge(call, time.time())
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
