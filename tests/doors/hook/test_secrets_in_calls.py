"""What an agent types into a command never reaches the disk if it is a secret."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from penstock.core.text.redact import MARK
from penstock.core.text.token_formats import formats
from tests.core.text.contexts import CONTEXTS
from tests.core.text.tokens import example
from tests.doors.hook.hooks import Hook, said
from tests.project import Project

LONGEST = 3500  # of one command; the log shows all of it, because every token becomes a mark
MOST = 60
PASSWORD = "q7VbN3xK9mZr4TtW"
PIECE = 10


@pytest.fixture
def hook(project: Project) -> Hook:
    """A hook that has been called once, so that the policy lies ready."""
    found = Hook(project)
    assert said(found.write("notes.txt", "x")) == {}
    return found


def batches() -> Iterator[list[str]]:
    """Every token of the table, as many to a command as the log looks at."""
    batch: list[str] = []
    for token in (example(one) for one in formats()):
        if batch and (len(" ".join([*batch, token])) > LONGEST or len(batch) == MOST):
            yield batch
            batch = []
        batch.append(token)
    yield batch


def on_disk(hook: Hook) -> bytes:
    """All that the hook has left below its home: log, database, compiled policy, blobs."""
    state = hook.project.home / "state"
    return b"".join(one.read_bytes() for one in sorted(state.rglob("*")) if one.is_file())


def readable(token: str, prefix: str, data: bytes) -> bool:
    rest = token.removeprefix(prefix).encode()
    return any(rest[at : at + PIECE] in data for at in range(max(1, len(rest) - PIECE + 1)))


def test_no_token_of_the_table_is_readable_in_the_state(hook: Hook) -> None:
    given = list(batches())
    for number, batch in enumerate(given):
        said(hook.before("Bash", {"command": "echo " + " ".join(batch)}, f"toolu_{number}"))
    data = on_disk(hook)
    assert data.count(MARK.encode()) >= len(formats()), "the commands are on the log, hidden"
    prefixes = {example(one): one.prefix for one in formats()}
    found = [one for batch in given for one in batch if readable(one, prefixes[one], data)]
    assert found == []


def test_no_password_is_readable_in_the_state(hook: Hook) -> None:
    lines = [context.format(PASSWORD) for context in CONTEXTS]
    for at in range(0, len(lines), 9):
        command = " ; ".join(lines[at : at + 9])
        said(hook.before("Bash", {"command": command}, f"toolu_{at}"))
    assert PASSWORD.encode() not in on_disk(hook)
    assert MARK.encode() in on_disk(hook)


def test_a_token_in_a_path_is_hidden_on_the_fast_path(hook: Hook) -> None:
    tokens = [one for one in map(example, formats()) if "/" not in one and len(one) < 200]
    for at in range(0, len(tokens), 40):
        path = "/".join(["docs", *tokens[at : at + 40], "x.txt"])
        if len(path) < 3000:
            hook.before("Write", {"file_path": hook.at(path), "content": "x"}, f"toolu_{at}")
    (log,) = (hook.project.home / "state" / "penstock").glob("*/audit.jsonl")
    data = log.read_bytes()
    assert data.count(MARK.encode()) > len(tokens) // 2
    assert [one for one in tokens if one.encode() in data] == []
