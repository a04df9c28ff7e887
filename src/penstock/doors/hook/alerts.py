"""Say that protected files were changed: in the audit log, to the agent, and to the person.

Which files those are is `protected_files`'s; who is notified, and how, are the person's settings.
Always true: a text says that somebody was notified only as far as that is known here: the agent was
given a message for its user, a notification is queued, or neither; what could not be recorded
says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

from penstock.core.text.quantities import counted
from penstock.doors.hook.agents import agent_module
from penstock.doors.hook.before_after import ChangedFile
from penstock.doors.hook.failures import tried
from penstock.doors.hook.messages import HookAnswer, HookCall
from penstock.doors.hook.protected_files import EARLIER

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.core.notify.message import Alert

MOST_NAMED = 10  # files that are told by name
UNDO = "`penstock undo --path FILE` reverts it"

Record = Callable[[Mapping[str, object]], str]


def alerted(
    here: Workspace, call: HookCall, changes: Sequence[ChangedFile], record: Record
) -> HookAnswer:
    """Return the notes for the agent and the warnings for the person about some changes."""
    answer = HookAnswer()
    by_origin = sorted(changes, key=_origin)
    for origin, found in groupby(by_origin, key=_origin):
        note, warning = _alert(here, call, list(found), origin, record)
        answer.notes += (note,)
        answer.warnings += (warning,)
    return answer


def _origin(change: ChangedFile) -> str:
    return str(change.facts.get("origin", ""))


def _alert(
    here: Workspace, call: HookCall, found: Sequence[ChangedFile], origin: str, record: Record
) -> tuple[str, str]:
    from penstock.core.notify.message import Alert  # nearly every call changes none

    hashes: list[str] = []
    problems = [tried("log it", partial(_recorded, one, record, hashes)) for one in found]
    unrecorded = next(filter(None, problems), "")
    paths = tuple(str(one.facts["path"]) for one in found)
    what = _what(paths, origin)
    logged = f"{unrecorded}; it is not in the audit log" if unrecorded else "it is in the audit log"
    alert = Alert(id=(hashes or [_made_id(paths)])[0], paths=paths, origin=origin, agent=call.agent)
    told = _notified(here, call, alert)
    return f"{what}; {logged}. {told}", f"{what}; {logged}. {UNDO}"


def _recorded(change: ChangedFile, record: Record, hashes: list[str]) -> None:
    event_hash = record(change.facts)
    hashes.append(event_hash.removeprefix("sha256:"))
    change.settle(event_hash)


def _made_id(paths: Sequence[str]) -> str:
    from penstock.core.audit.chain import hexdigest

    return hexdigest("\n".join(paths).encode("utf-8", "surrogateescape"))


def _what(paths: Sequence[str], origin: str) -> str:
    more = [f"{len(paths) - MOST_NAMED} more"] if len(paths) > MOST_NAMED else []
    names = ", ".join([*paths[:MOST_NAMED], *more])
    if not origin:
        return f"Penstock: this changed protected files ({names})"
    if origin == EARLIER:
        return f"Penstock: an earlier call changed protected files ({names})"
    return (
        f"Penstock: protected files ({names}) were changed while a background process of this "
        f"session was running; origin {origin}"
    )


def _notified(here: Workspace, call: HookCall, alert: Alert) -> str:
    """Have the person notified, and return what came of it so far."""
    said = here.alert(alert)
    module = agent_module(call.agent)
    parts = [f"{module.TITLE} will show the user a message"] if _shows(call) else []
    if said.targets:
        parts.append(f"a notification is queued for {counted(said.targets, 'target')}")
        parts += [said.later] if said.later else []
    if said.problem:
        parts.append(f"a notification could not be queued ({said.problem})")
    if not parts or (said.problem and len(parts) == 1):
        parts.append("no notification was sent: tell the user; `penstock status` shows it")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}"


def _shows(call: HookCall) -> bool:
    shows = getattr(agent_module(call.agent), "shows", None)
    return shows is not None and bool(shows(call))
