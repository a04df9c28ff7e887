"""`rules add` behind its command line: a quick rule shown first, then made as any rule edit is.

The steps are `apply`'s own: the same validation, the same replay of what people refused, the same
lock, record and way back. Here is only what an everyday editor shows before, and that a person's
own command needs no switch.
Always true: showing writes nothing; inside an agent the switch is asked for as ever.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from penstock.app.workspace import inside_agent
from penstock.core.diff.hunks import unified
from penstock.core.rule_edit.edit import parse_operation, widens
from penstock.doors.reviewer.apply import Apply, Prove, rules_changed
from penstock.doors.reviewer.arguments import SWITCH, ApplyArguments
from penstock.doors.reviewer.effect import effect, respect_people
from penstock.doors.reviewer.plan import aimed, planned
from penstock.doors.reviewer.responses import Document
from penstock.gate.rule_edit import RuleEdit
from penstock.ports import Version

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.core.proposals.model import Proposal


NO_IDS: Mapping[str, str] = {}


class EditPreview(Struct, frozen=True, kw_only=True):
    """What an edit would do: its text, its effect on past decisions, why it widens the rules."""

    diff: str
    effect: Document
    widens: tuple[str, ...]
    warnings: tuple[str, ...]
    shown: str


def previewed(document: Document) -> EditPreview:
    """Return what an operation would do. Raises what stands against it."""
    plan = planned(aimed(parse_operation(document), "", os.environ))
    respect_people(plan, force=False)
    diffs = [
        unified(plan.before[path], text, path=os.path.basename(path)).decode("utf-8", "replace")
        for path, text in plan.after.items()
    ]
    return EditPreview(
        diff="".join(diffs),
        effect=effect(plan),
        widens=widens(plan.before, {**plan.before, **plan.after}) if plan.after else (),
        warnings=tuple(one.message for one in plan.checked.warnings),
        shown=plan.fingerprint,
    )


def made(document: Document, *, prove: Prove, commit: bool, by: str = "") -> Document:
    """Make an edit and return `apply`'s answer. Raises what stands against it."""
    asked = ApplyArguments(
        json=json.dumps(document), no_commit=not commit, applied_by=by, force=False
    )
    if not inside_agent():
        os.environ[SWITCH] = "1"  # a person's own command is its own switch
    work = Apply(asked=asked, environ=os.environ, prove=prove)
    answer = work.run()
    if work.error is not None:
        raise work.error
    return answer.document


def drafted_at(
    home: Workspace, document: Document, *, shown: str, ids: Mapping[str, str] = NO_IDS
) -> tuple[Proposal, ...]:
    """Return what `made_at` would propose, for a proof that signs it. Nothing is changed."""
    plan = planned(aimed(parse_operation(document), "", os.environ))
    if plan.fingerprint != shown:
        raise rules_changed()
    versions = tuple(
        Version(path=path, before=plan.before[path], after=data)
        for path, data in plan.after.items()
    )
    return home.gate.draft_rules(RuleEdit(versions=versions, message="", snapshot="", ids=ids))


def made_at(
    home: Workspace,
    document: Document,
    *,
    prove: Prove,
    shown: str,
    ids: Callable[[], Mapping[str, str]] = dict,
    by: str = "",
) -> Document:
    """Make an edit for a server, as `made` does for a command; it belongs to a workspace.

    Somebody proves that they are a person whatever it changes, and only what was shown is made.
    `ids` are those of the proposals that were drafted for their proof, by file.
    """
    asked = ApplyArguments(json=json.dumps(document), no_commit=False, applied_by=by, force=False)
    environ = {**os.environ, SWITCH: "1"}  # of this one edit, and for nobody else in this process
    work = Apply(asked=asked, environ=environ, prove=prove, home=home, shown=shown, ids=ids)
    answer = work.run()
    if work.error is not None:
        raise work.error
    return answer.document


def in_one(operations: Sequence[Document]) -> Document:
    """Return several operations as one edit."""
    return {"type": "batch", "operations": list(operations)} if operations[1:] else operations[0]
