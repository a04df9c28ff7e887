"""Which rules would let pass what an entry of the audit log tells of, judged by the rules of now.

Always true: nothing is written; where the log holds only a part of a command, no rule is named.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping

from msgspec import Struct

from penstock.app.rules.rule_ways import RuleTrial, RuleWays
from penstock.core.learning.past_decision import past_of
from penstock.core.model import Verdict
from penstock.core.rule_edit.ways import needs_command, stops_of_event
from penstock.gate.prepare import Call

CUT = "the audit log has only part of this command; add a rule yourself with `penstock rules add`"
# Tools that stand for a change of a file whose content the audit log does not hold.
FILE_TOOLS = {"read": "Read", "delete": "delete_file"}


class PastWays(Struct, frozen=True, kw_only=True):
    """What the rules say now to what was decided then, why, and what would change it.

    `now` is None where that cannot be said without the content.
    """

    ways: RuleWays
    now: Verdict | None
    because: str | None


def ways_of(root: str, event: Mapping[str, object]) -> PastWays:
    """Return the rules that would let a decision pass, or what stands against every rule."""
    past = past_of(event)
    tool = past.tool if past is not None and past.whole and past.command else ""
    trial = RuleTrial(root, [*_calls(event, tool)])
    said = trial.decisions()
    stops = trial.stops(said)
    stops += [] if tool else stops_of_event(event, trial.policy, time.time())
    stopped = [one for one in said if one.verdict is not Verdict.ALLOW]
    passes = not stops and not stopped
    if event.get("command") and not tool and needs_command(event, trial.policy):
        ways, passes = RuleWays(against=CUT), False
    else:
        ways = RuleWays() if passes else trial.ways(stops)
    now = Verdict.ALLOW if passes else stopped[0].verdict if stopped else None
    return PastWays(ways=ways, now=now, because=stopped[0].because if stopped else None)


def _calls(event: Mapping[str, object], tool: str) -> Iterator[Call]:
    """Yield calls to judge again: the command where all of it is known, else each file."""
    home = os.path.expanduser("~")
    if tool:
        yield Call(tool=tool, tool_input={"command": event.get("command")}, home=home)
        return
    several = event.get("stops")
    for row in several if isinstance(several, list) and several else [event]:
        name = FILE_TOOLS.get(str(row.get("action")), "Write")
        if row.get("path"):
            yield Call(tool=name, tool_input={"file_path": row["path"]}, home=home)
