"""A tool call as a door hands it over, and each request that it becomes.

`prepare` makes the second from the first.
Always true: both are plain values; nothing here looks at a disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from penstock.core.errors import InputError
from penstock.core.model import NOBODY, Actor, Request
from penstock.core.paths.relpath import RelPath


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
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


@dataclass(frozen=True, kw_only=True, slots=True)
class PreparedRequest:
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
