"""A tool call as a door hands it over, and each request that it becomes.

`prepare` makes the second from the first; what it cannot understand is `denied`.
Always true: all are plain values; nothing here looks at a disk.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from penstock.core.errors import InputError
from penstock.core.model import NOBODY, Actor, Decision, Request, Verdict
from penstock.core.paths.relpath import RelPath
from penstock.core.policy.model import Policy


class Call(Struct, frozen=True, kw_only=True):
    """A tool call as a door hands it over; `home` is `~`, `temporary` what `TMPDIR` says.

    `moved` are places of agents' settings that the agent's own variables name, each with the
    place that rules know it by.
    """

    tool: str
    tool_input: Mapping[str, object]
    cwd: str = ""
    home: str = ""
    moved: tuple[tuple[str, str], ...] = ()
    temporary: str = ""
    attended: bool = True
    actor: Actor = NOBODY


class PreparedRequest(Struct, frozen=True, kw_only=True):
    """One request of a call, with the content behind it where it is known.

    `path` is the file that would really be reached, None when it lies outside or is no plain
    file. `known` says that `after` is the content that would result (None: removed).
    `later` says that this happens only when what the call writes is run: a person may know better
    than a rule, so it is never denied outright.
    """

    request: Request
    path: RelPath | None = None
    known: bool = False
    after: bytes | None = None
    problem: InputError | None = None
    later: bool = False


def denied(problem: InputError, policy: Policy) -> Decision:
    """Hostile or broken input is denied and told, never let through as a failure."""
    because = f"{problem.message}: {problem.because}" if problem.because else problem.message
    return Decision(
        verdict=Verdict.DENY,
        code=problem.code,
        because=because,
        suggestion=problem.hint,
        revision=policy.revision,
        degraded=policy.degraded,
    )
