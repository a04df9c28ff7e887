"""A check of commits as workflow commands, which GitHub shows beside the files.

Always true: nothing in a path or a reason can end a command or begin another one.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock.core.commits.findings import CommitCheck
from penstock.core.commits.sentences import sentence
from penstock.core.model import Verdict

COMMANDS = {Verdict.DENY: "error", Verdict.ASK: "warning", Verdict.ALLOW: "notice"}
IN_TEXT = {"%": "%25", "\r": "%0D", "\n": "%0A"}
IN_PROPERTY = {**IN_TEXT, ":": "%3A", ",": "%2C"}
TEXT, PROPERTY = str.maketrans(IN_TEXT), str.maketrans(IN_PROPERTY)


def workflow_commands(check: CommitCheck) -> Iterator[str]:
    """Yield one workflow command for each file that somebody should look at."""
    if check.degraded:
        yield f"::warning title=Penstock::{check.degraded.translate(TEXT)}"
    for one in check.findings:
        if one.remarkable:
            path, title = one.path.translate(PROPERTY), f"Penstock: {one.rule}".translate(PROPERTY)
            command = COMMANDS[one.decision.verdict]
            yield f"::{command} file={path},title={title}::{sentence(one).translate(TEXT)}"
