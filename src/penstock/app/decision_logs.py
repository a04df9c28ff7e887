"""Where past decisions are found: this workspace's record, and the logs of the original hook.

Always true: looking leaves nothing behind.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from penstock.app.workspace import read_rules, workspace_of
from penstock.stores.system.places import RULES, home, user_rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.core.learning.past_decision import Past
    from penstock.core.rules.layers import LoadResult
    from penstock.stores.decisions.query import DecisionQuery, Decisions

__all__ = [
    "DecisionQuery",
    "Decisions",
    "Logs",
    "is_ours",
    "loaded_config",
    "logs_of",
    "original_logs",
    "past_of",
    "wanted",
]

# What the original writes to where its file does not say.
REVIEW_LOG, USUAL_LOG = "/var/log/claude-decisions-review.log", "/var/log/claude-tool-use.log"


def loaded_config(path: str) -> LoadResult:
    """Read a rules file with what it includes."""
    from penstock.core.rules.load import load

    return load(path, read_rules)


class Logs(Struct, frozen=True, kw_only=True):
    """The logs that tell of past decisions; `root` is where those of our own record were made."""

    paths: tuple[str, ...]
    root: str = ""

    def open(self, told: Callable[[int, int], None] | None = None) -> Decisions:
        """Return the decisions of the logs. Raises AuditError where one cannot be read."""
        from penstock.stores.audit.reader import quiet
        from penstock.stores.decisions.query import Decisions

        return Decisions(self.paths, told=told or quiet)

    def recent(self, most: int) -> list[Past]:
        """Return up to `most` of the newest decisions of each log, what people said included."""
        from msgspec.structs import replace

        from penstock.stores.decisions.query import recent

        found = recent(self.paths, most)
        # Our record tells paths from the root on; in a command they may be whole ones.
        placed = [bool(self.root) and not past.cwd and "/" in past.command for past in found]
        return [
            replace(past, cwd=self.root) if whole else past
            for past, whole in zip(found, placed, strict=True)
        ]


def wanted(**asked: Any) -> DecisionQuery:
    """Return a choice among decisions."""
    from penstock.stores.decisions.query import DecisionQuery

    return DecisionQuery(**asked)


def logs_of(
    *, named: Sequence[str] = (), config: LoadResult | None = None, start: str = ""
) -> Logs:
    """Return the logs that are named; else the workspace's record and those of a rules file."""
    if named:
        paths = [os.path.realpath(os.path.expanduser(path)) for path in named]
        return Logs(paths=tuple(paths))
    here = workspace_of(os.path.realpath(start or os.getcwd()))
    own = [here.audit_path] if _has_lines(here.audit_path) else []
    theirs = [path for path in original_logs(config) if os.path.isfile(path)] if config else []
    return Logs(paths=tuple(dict.fromkeys((*own, *theirs))), root=here.root if own else "")


def _has_lines(path: str) -> bool:
    try:
        return os.stat(path).st_size > 0
    except OSError:
        return False


def original_logs(config: LoadResult) -> tuple[str, ...]:
    """Return the logs that a rules file of the original writes to, the one that tells most."""
    said = config.settings.get("original")
    if said is None:
        return ()
    given = {key: _place(value) for key, value in said.items() if isinstance(value, str)}
    main = [given[key] for key in ("audit_file",) if key in given]
    if not main:
        review = given.get("review_log_file", REVIEW_LOG)
        main = [review if os.path.isfile(review) else given.get("log_file", USUAL_LOG)]
    more = [given["passthrough_log_file"]] if "passthrough_log_file" in given else []
    return tuple(os.path.realpath(path) for path in (*main, *more))


def _place(path: str) -> str:
    return f"{home()}{path[1:]}" if path.startswith("~/") else path


def past_of(config: LoadResult, *, most: int) -> list[Past]:
    """Return the decisions that tell of a rules file which was read already."""
    start = os.path.dirname(config.name)
    return logs_of(config=config, start=start).recent(most)


def is_ours(path: str) -> bool:
    """Say whether a rules file is read as part of a workspace's policy."""
    return os.path.basename(path) == RULES or path == user_rules()
