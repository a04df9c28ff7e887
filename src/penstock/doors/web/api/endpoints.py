"""What the API can be asked, row by row: the path, what it takes, what it gives, who does it.

Always true: each row is both what is published and what is served.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field

from penstock.core.merge.strategies import Strategy
from penstock.core.proposals.line_comment import MOST_COMMENTS
from penstock.core.proposals.model import State
from penstock.doors.web.api import handlers
from penstock.doors.web.api import schemas as of
from penstock.doors.web.api.handlers import MOST_SHOWN, ApiCall, Given
from penstock.doors.web.api.schemas import Schema

MOST_LINES = 20_000
IN_QUERY = 250  # characters: a head has not much room


class Endpoint(Struct, frozen=True, kw_only=True):
    """One row: `gives` names the fields of the answer."""

    method: str
    path: str
    name: str
    about: str
    handle: Callable[[ApiCall], Given]
    gives: Mapping[str, str]
    query: Mapping[str, Schema] = field(default_factory=dict)
    body: Schema | None = None


WORKSPACE = of.text("workspace name or root; default: the first one", most=IN_QUERY)
LIMIT = of.whole("return at most this many", least=1, most=MOST_SHOWN, default=200)
PATH = of.text("only this file", most=2 * IN_QUERY)
STATES = ("open", "all", *(str(state) for state in State))
WHEN: Mapping[str, Any] = {"most": 8, "pattern": "^[0-9]{1,4}[smhdw]$", "examples": ["1h", "7d"]}
DIGEST = of.text(
    "what was shown: `content_digest` of the proposal, the set or the preview", least=1
)
PASSPHRASE = of.text("the approver's passphrase", least=1)
CODE = of.text("the one-time code, if set up", most=16)
NUMBER = of.whole("the number of a hunk", least=1, most=1_000_000)
ID = of.text("the id of a proposal", least=1, most=256)
CONTENT = of.text("the whole new content", most=of.LARGEST_CONTENT)
ENCODING = of.text("encoding of `content`", enum=["utf-8", "base64"], default="utf-8")
REBASE = of.yes_or_no("keep later changes that do not conflict")
VIEWER = of.text(
    "a name of your choice that is hard to guess; what it received counts as shown to it", most=128
)
UNSEEN = of.text("approve without viewing these parts: their `unseen_digest`", most=128)
RESULT = of.text("`result_digest` of the preview", most=128)
PIECE: Mapping[str, Schema] = {
    "viewer": VIEWER,
    "offset": of.whole("the first line of the diff", most=100_000_000),
    "limit": of.whole("return at most this many lines", least=1, most=MOST_LINES, default=2000),
}
NOT_SHOWN = {"unseen": "array", "unseen_digest": "string"}
SHOWN: Mapping[str, Schema] = {"content_digest": DIGEST}
PROVEN: Mapping[str, Schema] = {
    **SHOWN,
    **{"viewer": VIEWER, "unseen_digest": UNSEEN},
    **{"passphrase": PASSPHRASE, "code": CODE},
}
ONE = {"workspace": "string", "content_digest": "string"}
MADE = {
    **{"content_digest": "string", "proposals": "array"},
    **{"receipts": "array", "still_waiting": "integer", "rejected": "array"},
}


def _get(
    path: str, handle: Callable[[ApiCall], Given], gives: Mapping[str, str], /, **query: Schema
) -> Endpoint:
    return Endpoint(
        method="GET",
        path=path,
        name=handle.__name__,
        about=(handle.__doc__ or "").rstrip("."),
        handle=handle,
        gives=gives,
        query=query,
    )


def _post(action: str, about: str, body: Schema | None, *, of_what: str = "proposals") -> Endpoint:
    handle = handlers.edit if action == "edit" else handlers.answer(action)
    return Endpoint(
        method="POST",
        path=f"/{of_what}/{{id}}/{action}",
        name=action,
        about=about,
        handle=handle,
        gives=MADE,
        body=body,
    )


FINDING = (
    _get("/workspaces", handlers.workspaces, {"workspaces": "array"}),
    _get(
        "/status",
        handlers.status,
        {
            **dict.fromkeys(("workspace", "name", "policy", "degraded", "audit_head"), "string"),
            **{"waiting": "integer", "approver_key": "boolean"},
        },
        workspace=WORKSPACE,
    ),
    _get(
        "/proposals",
        handlers.proposals,
        {"proposals": "array", "unreadable": "array"},
        workspace=WORKSPACE,
        state=of.text("only those", enum=list(STATES), default="open"),
        path=PATH,
        limit=LIMIT,
    ),
    _get("/proposals/{id}", handlers.proposal, {**ONE, "proposals": "array"}),
    _get(
        "/proposals/{id}/diff",
        handlers.diff,
        {**ONE, "files": "array", **NOT_SHOWN},
        **PIECE,
    ),
    _get(
        "/proposals/{id}/preview",
        handlers.preview,
        {**ONE, "result_digest": "string", "warnings": "array", "file": "object"},
        **PIECE,
        strategy=of.text("how", enum=[str(each) for each in Strategy], default="replace"),
        at=of.whole("insert: after this line, 0 is the top"),
        hunks=of.text("only these hunks: 1,3-5", most=IN_QUERY),
    ),
)

COMMENT = of.text("`path:14: text`, or 10-20, -7 for a removed line, #2 for a hunk", least=1)

ANSWERING = (
    _post(
        "approve",
        "Approve a proposal or a set exactly as it was shown to `viewer`, and write it",
        of.obj(
            ("content_digest", "passphrase"),
            **PROVEN,
            keep=of.listed("of a set, only these", ID, least=1),
        ),
    ),
    _post(
        "reject",
        "Reject a proposal or a set; the reason is sent to the agent",
        of.obj(
            ("reason",),
            reason=of.text("why", least=1),
            comments=of.listed("comments on lines: `path:14: text`", COMMENT, most=MOST_COMMENTS),
            **SHOWN,
        ),
    ),
    _post("renew", "Reset the expiry timer of a pending proposal or set", None),
)

# Each makes another version, which waits: what nobody has seen cannot be approved by the same call.
MAKING_VERSIONS = (
    _post(
        "strategy",
        "Merge a proposal with the current file; the result is a new pending version",
        of.obj(
            ("content_digest", "strategy"),
            **SHOWN,
            strategy=of.text("how", enum=[str(each) for each in Strategy]),
            at=of.whole("insert: after this line, 0 is the top"),
            result_digest=RESULT,
        ),
    ),
    _post(
        "hunks",
        "Keep only some hunks of a proposal; the result is a new pending version",
        of.obj(
            ("content_digest", "hunks"),
            **SHOWN,
            hunks=of.listed("their numbers", NUMBER, least=1),
            result_digest=RESULT,
        ),
    ),
    _post(
        "edit",
        "Replace the content of a proposal; the result is a new pending version",
        of.obj(("content_digest", "content"), **SHOWN, content=CONTENT, encoding=ENCODING),
    ),
    _post(
        "rebase",
        "Rebase a proposal on the current file; the result is a new pending version",
        of.obj(("content_digest",), **SHOWN),
    ),
)

UNDOING = (
    _get(
        "/receipts",
        handlers.receipts,
        {"receipts": "array"},
        workspace=WORKSPACE,
        path=PATH,
        limit=LIMIT,
    ),
    _get(
        "/receipts/{id}/undo",
        handlers.undo_preview,
        {"content_digest": "string", "files": "array", **NOT_SHOWN},
        **PIECE,
        rebase=REBASE,
    ),
    _post(
        "undo",
        "Undo a write",
        of.obj(("content_digest", "passphrase"), **PROVEN, rebase=REBASE),
        of_what="receipts",
    ),
)

LOOKING_BACK = (
    _get(
        "/audit/log",
        handlers.audit_log,
        {"events": "array"},
        workspace=WORKSPACE,
        op=of.text("only this kind of event", most=IN_QUERY),
        path=of.text("only paths that match this glob", most=IN_QUERY),
        agent=of.text("only this agent's", most=IN_QUERY),
        outcome=of.text("only this outcome", most=IN_QUERY),
        rule=of.text("only entries with this rule", most=IN_QUERY),
        since=of.text("only entries of the last N seconds, minutes, hours, days or weeks", **WHEN),
        until=of.text("before", **WHEN),
        last=of.whole("only the last N", least=1, most=MOST_SHOWN, default=200),
    ),
    _get(
        "/audit/verify",
        handlers.audit_verify,
        {
            **{"ok": "boolean", "count": "integer", "head": "string"},
            **{"problems": "array", "warnings": "array", "level": "string"},
        },
        workspace=WORKSPACE,
    ),
    _get(
        "/rules",
        handlers.rules,
        {"revision": "string", "files": "array", "degraded": "string", "rules": "array"},
        workspace=WORKSPACE,
    ),
    _get(
        "/stats",
        handlers.stats,
        {
            "events": "integer",
            **dict.fromkeys(("decisions", "days", "agents", "rules", "answers"), "object"),
        },
        workspace=WORKSPACE,
    ),
)

LINK = Endpoint(
    method="POST",
    path="/links",
    name="link",
    about="Create a link that opens the page once, within two minutes",
    handle=handlers.link,
    gives={"url": "string"},
    query={"device": of.text("where it is opened", enum=["computer", "phone"], default="computer")},
)

ENDPOINTS: tuple[Endpoint, ...] = (
    *FINDING,
    *ANSWERING,
    *MAKING_VERSIONS,
    *UNDOING,
    *LOOKING_BACK,
    LINK,
)
