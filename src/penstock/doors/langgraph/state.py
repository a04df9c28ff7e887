"""The state of the workflow, and what it holds about writes.

Always true: everything that the gate puts into state is a plain JSON value, so that any
checkpointer keeps it and another process reads it; a state without these fields works.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, NotRequired, TypedDict


class WriteClassification(str, Enum):  # noqa: UP042 - the spec's type; it prints with its name
    """What a write does to its file."""

    NEW = "new"
    MODIFY = "modify"
    REPLACE = "replace"


class FileWriteRequest(TypedDict):
    """A write: its file, its content, and what it does to the file.

    A pending write needs the first two only. The others are measured from the disk; what a
    pending write says of them plays no part. An entry of `rejected_writes` says why as well.
    `why` and `regions` (`10-20: what to look at`) are the agent's own words for the reviewer.
    """

    target_path: str
    new_content: str
    why: NotRequired[str]
    regions: NotRequired[list[str]]
    classification: NotRequired[WriteClassification]
    existing_lines: NotRequired[int]
    lines_deleted: NotRequired[int]
    lines_added: NotRequired[int]
    change_ratio: NotRequired[float]
    # Of a write that was not made; a comment has `path`, `start`, `end`, `removed`, `hunk`, `text`:
    reason: NotRequired[str]
    comments: NotRequired[list[dict[str, Any]]]
    timestamp: NotRequired[str]
    outcome: NotRequired[str]
    by: NotRequired[str]
    proof: NotRequired[str]
    proposal_id: NotRequired[str]
    before: NotRequired[str | None]


class WriteApproval(TypedDict):
    """A decision about a write. `strategy` is what was chosen: append, insert, extend, replace.

    `outcome` tells what a person approved from what the rules let through (`auto-allowed`);
    `before` and `after` are digests of what the file held and holds, None for no file.
    """

    request: FileWriteRequest
    approved: bool
    strategy: str
    timestamp: str
    insertion_point: NotRequired[int]
    reason: NotRequired[str]
    outcome: NotRequired[str]
    by: NotRequired[str]
    proof: NotRequired[str]
    proposal_id: NotRequired[str]
    before: NotRequired[str | None]
    after: NotRequired[str | None]
    receipt: NotRequired[str]
    applied_strategy: NotRequired[str]
    warnings: NotRequired[list[str]]


class SafeWriteState(TypedDict, total=False):
    """What the gate reads and leaves in the state of a graph.

    `files_at_start` remembers, for each file that this thread has written, the digest of what
    it held before: many small changes are judged together against that.
    """

    pending_writes: list[FileWriteRequest]
    approved_writes: list[WriteApproval]
    rejected_writes: list[FileWriteRequest]
    auto_mode: bool
    project_root: str
    files_at_start: dict[str, str | None]


class TestingWorkflowState(SafeWriteState, total=False):
    """The state of the workflow that writes code until its tests pass.

    `scratch` belongs to the program: `generate` and `run_tests` keep there what they like.
    """

    task: str
    attempts: int
    max_attempts: int
    tests_passed: bool
    test_output: str
    scratch: dict[str, Any]


# Its name begins like that of a test class, and pytest would try to run it.
TestingWorkflowState.__test__ = False  # type: ignore[attr-defined]
