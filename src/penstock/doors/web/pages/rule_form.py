"""Rules from the page: about what is looked at, shown as a diff with the effect, then added.

The steps are those of `penstock rules add`: the same checks, the same replay, the same lock, log
and undo. How far a rule goes is `rule_choice`'s.
Always true: looking writes nothing; adding needs a fresh proof of a person, whatever the rule says:
the passphrase, or a touch for exactly this text, and never an unlocked session; what is added is
exactly the text that was shown, so a form that is sent twice adds nothing twice.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from penstock.core.errors import InputError, PenstockError
from penstock.core.learning.suggest import LEAST
from penstock.core.rule_edit.quick_rule import glob_of, ids_in
from penstock.core.text.display import in_line, visible
from penstock.doors.web.answers import AnswerResult
from penstock.doors.web.errors import status_of
from penstock.doors.web.pages import proposal_state
from penstock.doors.web.pages.passkeys import challenge_response
from penstock.doors.web.pages.rule_choice import (
    ENDS,
    KINDS,
    LONGEST,
    RuleChoice,
    RuleSubject,
    scopes,
)
from penstock.doors.web.proof import PagePerson
from penstock.doors.web.render import page
from penstock.doors.web.request import choice_of, form_of, world_of

if TYPE_CHECKING:
    from penstock.app import Workspace
    from penstock.app.rules.past_ways import PastWays
    from penstock.gate import Proof

Given = Mapping[str, str]
FIELDS = ("workspace", "proposal", "entry", "suggestion", "path", "command", "kind", "scope",
          "pattern", "reason", "expires", "until")  # fmt: skip
NEWEST = 50_000  # entries that are searched for a decision
MOST_EXAMPLES = 5
COMMAND = "page rules add"


def show(request: Request) -> Response:
    """Offer a rule, and show what it would change where one is chosen."""
    given = {name: request.query_params.get(name, "")[: 4 * LONGEST] for name in FIELDS}
    return _page(request, given)


def add(request: Request) -> Response:
    """Add the rules that were shown."""
    from penstock.doors.reviewer.quick import drafted_at, made_at

    here, given, person = _sent(request)

    def prove(home: Workspace, _reasons: tuple[str, ...]) -> Proof:
        proof = person.proof(home, command=COMMAND)
        drafts = drafted_at(home, document, shown=shown, ids=person.ids)
        person.check(home, drafts, proof, command=COMMAND)
        return proof

    try:
        person.admit(here, command=COMMAND)
        document, shown = _document(here, given, now=time.time()), _shown(request)
        made_at(here, document, prove=prove, shown=shown, ids=lambda: person.ids)
    except PenstockError as error:
        return _page(request, given, error=error)
    query = urlencode({"workspace": given["workspace"], "added": "1"})
    return RedirectResponse(f"/rules?{query}", 303)


def challenge(request: Request) -> Response:
    """Return what a passkey has to sign to add the rules that were shown; nothing is changed."""
    from penstock.doors.reviewer.quick import drafted_at

    here, given, person = _sent(request)
    person.admit(here, command=COMMAND)
    document = _document(here, given, now=time.time())
    found = drafted_at(here, document, shown=_shown(request))
    signed, credentials = person.ask(here, found, {one.path: one.id for one in found})
    return challenge_response(AnswerResult(challenge=signed, credentials=credentials))


def _sent(request: Request) -> tuple[Workspace, dict[str, str], PagePerson]:
    """Return what a form is about and who sends it; an unlocked session does not count here."""
    form, world, session = form_of(request), world_of(request), request.state.session
    given = {name: form.get(name)[: 4 * LONGEST] for name in FIELDS}
    here = world.here(given["workspace"])
    world.gate_of(here)
    person = PagePerson(
        prover=world.prover,
        session=session,
        origin=world.origin,
        who=session.key,
        passphrase=form.get("passphrase"),
        code=form.get("code").replace(" ", ""),
        touch=form.get("touch"),
    )
    return here, given, person


def _shown(request: Request) -> str:
    return form_of(request).get("shown") or "nothing"


def _page(request: Request, given: Given, *, error: PenstockError | None = None) -> Response:
    here = world_of(request).here(given["workspace"])
    chosen = dict(given)
    preview, refused, ways = None, error, None
    subject = _subject(here, given)
    if (given["kind"] or given["suggestion"]) and (error is None or error.code == "base-changed"):
        chosen["until"] = given["until"] or _until(given["expires"])
        try:
            preview = _preview(here, chosen)
        except PenstockError as problem:
            refused = error or problem
    elif subject.event is not None:
        ways = _ways(here, subject)
    return page(
        request,
        "rule_form.html",
        status=200 if refused is None else status_of(refused),
        here="rules",
        subject={"path": visible(subject.path), "command": visible(subject.command)},
        given=chosen,
        kinds=KINDS,
        ends=ENDS,
        scopes=scopes(subject),
        against=ways.ways.against if ways else "",
        passes=bool(ways and ways.now == "allow"),
        preview=preview,
        error=refused,
        key=replace(proposal_state.key_of(request, here), unlocks=False, unlocked=False, fresh=()),
        **choice_of(request, here),
    )


# -- what a rule is about --------------------------------------------------------------------------


def _subject(here: Workspace, given: Given) -> RuleSubject:
    """Return what a rule is to be about: a proposal, an entry of the log, or a name."""
    if given["proposal"]:
        one = here.gate.get(given["proposal"])
        if one is None:
            raise InputError("not-found", f"there is no proposal `{given['proposal'][:80]}`")
        rules = [reason.rule for reason in one.decision.reasons if reason.verdict]
        action = str(one.decision.action or "write")
        event: Mapping[str, object] = {
            "op": "proposed",
            "path": one.path,
            "rules": rules,
            "action": action,
        }
        return RuleSubject(path=one.path, event=event)
    if given["entry"]:
        event = _entry(here, given["entry"])
        command = str(event.get("command") or "")
        return RuleSubject(
            path="" if command else str(event.get("path") or ""), command=command, event=event
        )
    path = glob_of(given["path"], root=here.root, home=os.path.expanduser("~"))
    return RuleSubject(path=path, command=given["command"])


def _entry(here: Workspace, seq: str) -> Mapping[str, object]:
    for event in here.record.newest(last=NEWEST):
        if str(event.get("seq")) == seq and event.get("op") in ("tool_call", "proposed"):
            return event
    raise InputError("not-found", f"there is no decision `{seq[:80]}`")


def _ways(here: Workspace, subject: RuleSubject) -> PastWays | None:
    from penstock.app.rules.past_ways import ways_of

    return ways_of(here.root, subject.event) if subject.event is not None else None


def _until(expires: str) -> str:
    return str(int(time.time()) + int(expires)) if expires and expires in ENDS else ""


# -- the edit --------------------------------------------------------------------------------------


def _document(here: Workspace, given: Given, *, now: float) -> dict[str, object]:
    """Return the edit that a form means. Raises InputError where it means none."""
    from penstock.doors.reviewer.quick import in_one

    if given["suggestion"]:
        return _suggested(here, given["suggestion"], now)
    if given["kind"] not in KINDS:
        raise InputError(
            "bad-choice",
            "the form does not say what the rule does",
            because="a rule allows, asks or denies",
            hint="choose one of the three",
        )
    until = int(given["until"]) if given["until"].isdecimal() and len(given["until"]) < 12 else 0
    if given["until"] and until <= now:
        raise InputError("bad-time", "the rule would have ended already", hint="choose again")
    subject = _subject(here, given)
    ways = _ways(here, subject) if given["kind"] == "allow" else None
    choice = RuleChoice(
        subject=subject,
        kind=given["kind"],
        scope=given["scope"],
        pattern=_pattern(here, subject, given["pattern"][:LONGEST]),
        reason=in_line(given["reason"].strip()[:LONGEST]),
        until=until,
    )
    return in_one(_operations(here, choice, ways))


def _pattern(here: Workspace, subject: RuleSubject, typed: str) -> str:
    typed = typed.strip()
    if subject.command:
        return typed
    return glob_of(typed, root=here.root, home=os.path.expanduser("~"))


def _operations(
    here: Workspace, choice: RuleChoice, ways: PastWays | None
) -> Sequence[dict[str, object]]:
    from penstock.app.rules.rule_ways import rules_file

    taken, made = ids_in(here.policy()), []
    for rule in choice.rules(ways.ways if ways else None):
        file = rules_file(here.root, rule)
        if not os.path.lexists(file):
            raise InputError(
                "no-target",
                f"the rules file `{file}` does not exist",
                hint="create it with `penstock init`",
            )
        made.append(rule.operation(file, taken))
        taken.add(rule.name(taken))
    return made


def _suggested(here: Workspace, name: str, now: float) -> dict[str, object]:
    for one in suggestions(here, now=now):
        if one["id"] == name:
            operation: dict[str, object] = one["operation"]
            return operation
    raise InputError("not-found", f"`{name[:80]}` is no longer suggested")


def suggestions(here: Workspace, *, now: float) -> list[dict[str, Any]]:
    """Return the rules that past decisions suggest, each with its pattern as people read it."""
    from penstock.app.rules.rule_ways import rules_file
    from penstock.core.rule_edit.quick_rule import QuickRule
    from penstock.doors.reviewer import learning
    from penstock.doors.reviewer.question import QueryContext

    file = rules_file(here.root, QuickRule(kind="allow"))
    if not os.path.lexists(file):
        return []
    asked = QueryContext(config=file, logs=(here.audit_path,), start=here.root, now=now)
    found = learning.suggestions(asked, least=LEAST)["suggestions"]
    assert isinstance(found, list)
    return [
        {
            "id": str(one["rule"]["id"]),
            "pattern": one["pattern"],
            "times": one["support"]["total"],
            "risk": one["risk"],
            "operation": {
                "type": "add_rule",
                "rule_type": "allow",
                "target_file": file,
                "rule": one["rule"],
            },
        }
        for one in found
    ]


def _preview(here: Workspace, given: Given) -> dict[str, Any]:
    """Return the diff, the effect on past decisions, and what to know before it is added."""
    from penstock.doors.reviewer.quick import previewed

    made = previewed(_document(here, given, now=time.time()))
    rows = [(line[:1], visible(line)) for line in made.diff.splitlines()]
    return {
        "rows": rows,
        "effect": _effect(made.effect),
        "widens": made.widens,
        "warnings": made.warnings,
        "shown": made.shown,
        "changes": bool(made.diff),
    }


def _effect(effect: Mapping[str, object]) -> dict[str, Any]:
    """Return in words what an edit would have changed."""
    replayed = effect.get("decisions_replayed", 0)
    if "not_replayed" in effect:
        said = f"Past decisions can't be replayed: {effect['not_replayed']}"
    elif not replayed:
        said = "Unknown: there are no past decisions to compare with."
    else:
        said = f"{effect.get('would_flip', 0)} of {replayed} past decisions would change."
    several = (effect.get(name) for name in ("looser", "stricter"))
    found = [one for some in several if isinstance(some, list) for one in some]
    words = {"passthrough": "no rule"}
    return {
        "words": in_line(said),
        "examples": [
            (
                words.get(str(one["before"]), str(one["before"])),
                words.get(str(one["after"]), str(one["after"])),
                in_line(f"{one['tool']} {one['input']}"),
            )
            for one in found[:MOST_EXAMPLES]
            if isinstance(one, dict)
        ],
    }
