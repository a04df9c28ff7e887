"""What is done for each call of the API: from checked arguments to a status and a document.

Which calls there are, and what they take, is `endpoints`'. Everything here blocks.
Always true: a call looks at what it was asked for and nothing else; answers go through `answers`.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from penstock.core.diff.coverage import Unseen, fingerprint
from penstock.core.digest import digest as digest_of
from penstock.core.errors import InputError, PenstockError
from penstock.core.merge.combination import Combination
from penstock.core.merge.strategies import strategy_named
from penstock.core.proposals.codec import to_plain
from penstock.core.proposals.model import OPEN, Proposal, Receipt, State
from penstock.doors.web.answers import AnswerResult, unseen_of_undo
from penstock.doors.web.api.given_diff import given_diff
from penstock.doors.web.context import World
from penstock.doors.web.drift import Difference, shown, shown_undo, undo_keys
from penstock.doors.web.errors import as_document, status_of
from penstock.doors.web.reader import PageReader
from penstock.doors.web.statistics import tally
from penstock.doors.web.wording import from_ranges, name_of
from penstock.gate.lookup import only
from penstock.gate.views import change_key

if TYPE_CHECKING:
    from penstock.app import Workspace

MOST_SHOWN = 1000
LONGEST_DIFFERENCE = 200_000  # characters
MOST_COUNTED = 50_000
MOST_HUNKS = 1_000_000

# What the API calls it, and what `answers` does.
NAMES = {
    "content_digest": "digest",
    "result_digest": "result",
    "unseen_digest": "acknowledged",
}

Document = dict[str, Any]
Given = tuple[int, Document]


class ApiCall(Struct, frozen=True, kw_only=True):
    """One call: the id in its path, its query and its body, all of them checked."""

    world: World
    id: str
    query: Mapping[str, Any]
    body: Mapping[str, Any]
    gives: bool = True  # False for HEAD: whoever asks so is given nothing to read

    @property
    def reader(self) -> PageReader:
        """Who reads: what they were given so far."""
        return self.world.readers.of(self.query.get("viewer", "") if self.gives else "")

    @property
    def here(self) -> Workspace:
        """The workspace that the call is about."""
        return self.world.here(self.query.get("workspace", ""))


# --- looking -------------------------------------------------------------------------------------


def workspaces(asked: ApiCall) -> Given:
    """List the workspaces that are served."""
    asked.world.look_around()
    rows = [{"name": name_of(here), "root": here.root} for here in asked.world.workspaces]
    return 200, {"workspaces": rows}


def status(asked: ApiCall) -> Given:
    """Show the workspace, active policy, pending changes and the head of the audit log."""
    here = asked.here
    gate = asked.world.gate_of(here)
    gate.expire()
    policy = here.policy()
    waiting = gate.find(states=(State.WAITING,), limit=MOST_COUNTED)
    return 200, {
        "workspace": here.root,
        "name": name_of(here),
        "policy": policy.revision,
        "degraded": policy.degraded,
        "waiting": len(waiting),
        "audit_head": here.audit_head(),
        "approver_key": here.keys.exists(),
    }


def proposals(asked: ApiCall) -> Given:
    """List proposals, oldest first."""
    query = asked.query
    state = query.get("state", "open")
    states = {"open": tuple(OPEN), "all": ()}.get(state) if state in ("open", "all") else None
    chosen = (State(state),) if states is None else states
    named = [asked.here] if "workspace" in query else asked.world.workspaces
    limit, path = query.get("limit", 200), query.get("path", "")
    rows: list[Document] = []
    broken: list[Document] = []
    for here in named:
        try:
            gate = asked.world.gate_of(here)
            gate.expire()
            found = gate.find(states=chosen, path=path, limit=limit)
        except PenstockError as error:  # the others are told all the same
            broken.append({"workspace": name_of(here), **as_document(error)})
            continue
        rows += [_plain(one, workspace=name_of(here)) for one in found]
    return 200, {"proposals": rows, "unreadable": broken}


def proposal(asked: ApiCall) -> Given:
    """Show a proposal, or the members of a set."""
    here, found = asked.world.find(asked.id)
    return 200, {
        "workspace": name_of(here),
        "content_digest": shown(found),
        "proposals": [{**_plain(one), **_owners(here, one)} for one in found],
    }


def _owners(here: Workspace, one: Proposal) -> Document:
    """Return how many owners have approved, where the policy bundle asks for any."""
    found = here.gate.approvals(one)
    return {} if found is None else {"approvals": found.as_json()}


def diff(asked: ApiCall) -> Given:
    """Show the change in pages: removed lines, the diff, its hunks."""
    here, found = asked.world.find(asked.id)
    first, most = asked.query.get("offset", 0), asked.query.get("limit", 2000)
    reader = asked.reader
    files = [_differing(reader, one, *here.gate.contents(one), first, most) for one in found]
    return 200, {
        "workspace": name_of(here),
        "content_digest": shown(found),
        "files": files,
        **_not_shown(reader.unseen(found)),
    }


def _not_shown(unseen: Sequence[Unseen]) -> Document:
    """Return what this reader was not given yet, and the name by which it is acknowledged."""
    return {
        "unseen": [{"path": one.path, "parts": one.places} for one in unseen],
        "unseen_digest": fingerprint(unseen),
    }


def _differing(
    reader: PageReader,
    one: Proposal,
    before: bytes | None,
    after: bytes | None,
    first: int,
    most: int,
) -> Document:
    from penstock.core.diff.hunks import hunks
    from penstock.core.diff.measure import lost_lines
    from penstock.core.diff.rows import listed

    parts = hunks(before, after) if before is not None and after is not None else ()
    in_lines, end = one.change.unit == "lines", first + most
    old, new = before or b"", after or b""
    gone = lost_lines(old, new, limit=end, white_space=False) if in_lines else ()
    return {
        "id": one.id,
        **given_diff(reader, change_key(one), before, after, first, most),
        "lost": one.change.lines_deleted,
        "lost_lines": [
            {"line": at, "text": line.decode("utf-8", "replace").rstrip("\r\n")}
            for at, line in gone[first:end]
        ],
        "hunks": listed(parts[:MOST_SHOWN]),
        "hunk_count": len(parts),
    }


def receipts(asked: ApiCall) -> Given:
    """List writes, latest first."""
    query = asked.query
    gate = asked.world.gate_of(asked.here)
    found = gate.receipts(path=query.get("path", ""), limit=query.get("limit", 200))
    return 200, {"receipts": [_plain(one) for one in found]}


def undo_preview(asked: ApiCall) -> Given:
    """Preview an undo; its digest is what `undo` needs."""
    here, _ = asked.world.find_receipts(asked.id)
    found = here.gate.undoable(receipt=asked.id)
    plan = here.gate.preview_undo(found, rebase=asked.query.get("rebase", False))
    first, most = asked.query.get("offset", 0), asked.query.get("limit", 2000)
    reader = asked.reader
    files = [
        given_diff(reader, key, now, item.content, first, most)
        for key, (item, now) in zip(undo_keys(plan), plan, strict=True)
    ]
    unseen = unseen_of_undo(reader, plan)
    return 200, {"content_digest": shown_undo(plan), "files": files, **_not_shown(unseen)}


def preview(asked: ApiCall) -> Given:
    """Preview a strategy or selected hunks; nothing is stored."""
    here, found = asked.world.find(asked.id)
    one, query = only(found), asked.query
    before, after = here.gate.contents(one)
    made = Combination(
        strategy=strategy_named(query.get("strategy", "replace")),
        at=query.get("at"),
        hunks=from_ranges(query["hunks"], most=MOST_HUNKS) if "hunks" in query else None,
    ).of(one.path, before, after)
    result = digest_of(made.content)
    first, most = query.get("offset", 0), query.get("limit", 2000)
    key = (one.path, one.base, result)
    return 200, {
        "workspace": name_of(here),
        "content_digest": shown(found),
        "result_digest": result,
        "warnings": list(made.warnings),
        "file": given_diff(asked.reader, key, before, made.content, first, most),
    }


def audit_log(asked: ApiCall) -> Given:
    """List audit log entries, oldest first."""
    import time

    from penstock.app.servers import select
    from penstock.core.timestamps import parse_when

    query = dict(asked.query)
    query.pop("workspace", None)
    for name in ("since", "until"):
        if name in query:
            query[name] = parse_when(query[name], now=time.time())
    query.setdefault("last", 200)
    return 200, {"events": select(asked.here, query)}


def audit_verify(asked: ApiCall) -> Given:
    """Verify that no entry was edited, removed, inserted, reordered or replaced."""
    return 200, asked.here.verify().as_json()


def rules(asked: ApiCall) -> Given:
    """List the active rules, with the file and line of each."""
    policy = asked.here.policy()
    rows = [
        {
            "id": rule.id,
            "layer": layer.name,
            "verdict": str(rule.verdict) if rule.verdict else "warn" if rule.warns else None,
            "actions": sorted(rule.actions),
            "paths": list(rule.paths),
            "tool": rule.tool or rule.tool_regex,
            "description": rule.description,
            "reason": rule.reason,
            "enabled": rule.enabled,
            "where": str(rule.where),
        }
        for layer in policy.layers
        for rule in layer.rules
    ]
    facts = {"revision": policy.revision, "files": list(policy.files)}
    return 200, {**facts, "degraded": policy.degraded, "rules": rows}


def stats(asked: ApiCall) -> Given:
    """Count the latest decisions by verdict, day, agent and rule, and the response times."""
    from penstock.app.servers import select

    found = tally(select(asked.here, {"last": MOST_COUNTED}))
    return 200, {
        "events": found.events,
        "decisions": dict(found.total),
        "days": {day: dict(counts) for day, counts in found.days.items()},
        "agents": {agent: dict(counts) for agent, counts in found.agents.items()},
        "rules": {rule: dict(hits.counts) for rule, hits in found.rules.items()},
        "answers": dict(found.answers),
        "median_wait_seconds": found.median_wait,
    }


def link(asked: ApiCall) -> Given:
    """Make a link that opens the page once, within two minutes."""
    world: World | None = asked.world
    if asked.query.get("device") == "phone":
        world = asked.world.phone
    if world is None:
        raise InputError(
            "no-phone-address",
            "this server has no address for other devices",
            because="it listens on this machine only",
            hint="start it with `penstock serve --address NAME`, a host name of this machine",
        )
    return 200, {"url": world.link()}


# --- answering -----------------------------------------------------------------------------------


def answer(action: str) -> Callable[[ApiCall], Given]:
    """Return the call that gives one of the answers."""

    def handle(asked: ApiCall) -> Given:
        given = {NAMES.get(name, name): value for name, value in asked.body.items()}
        return _answered(asked.world.answer(None, action, asked.id, **given))

    return handle


def edit(asked: ApiCall) -> Given:
    """Replace the content of a proposal."""
    asked.world.find(asked.id)
    content = _content(asked.body["content"], asked.body.get("encoding", "utf-8"))
    digest = asked.body["content_digest"]
    return _answered(asked.world.answer(None, "edit", asked.id, digest=digest, content=content))


def _content(text: str, encoding: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True) if encoding == "base64" else text.encode()
    except (UnicodeEncodeError, binascii.Error, ValueError):
        raise InputError("bad-request", f"`content` is not {encoding}") from None


def _answered(answer: AnswerResult) -> Given:
    if answer.error is not None:
        differences = [_difference(one) for one in answer.differences]
        document: Document = dict(as_document(answer.error))
        return status_of(answer.error), {
            **document,
            **({"differences": differences} if differences else {}),
        }
    return 200, {
        "content_digest": shown(answer.proposals) if answer.proposals else "",
        "proposals": [_plain(one) for one in answer.proposals],
        "receipts": [_plain(one) for one in answer.receipts],
        "still_waiting": answer.still_waiting,
        "rejected": [_plain(one) for one in answer.rejected],
    }


def _difference(one: Difference) -> Document:
    from penstock.core.diff.hunks import unified

    made = unified(one.shown, one.now, path=one.path)
    return {"path": one.path, "newer": one.newer, "diff": _cut(made)}


def _cut(diff_: bytes) -> str:
    text = diff_.decode("utf-8", "replace")
    if len(text) <= LONGEST_DIFFERENCE:
        return text
    hidden = len(text) - LONGEST_DIFFERENCE
    return f"{text[:LONGEST_DIFFERENCE]}\n... {hidden} more characters"


def _plain(one: Proposal | Receipt, **more: str) -> Document:
    return {**to_plain(one), **more}
