"""A past decision as a plain value, read from a line of Penstock's record or of another hook's log.

Both kinds of line tell the same: which tool was called with what, what was answered, and by
whom. They also leave things out (contents, what is too long, secrets); `whole` says whether
what is left is enough to ask the rules again. Finding and reading the files is a store's work.
Always true: a line that is no decision gives None, whatever it holds; nothing here raises.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from penstock.core.audit.event import VERDICTS
from penstock.core.model import NOTHING, Action
from penstock.core.proposals.model import RULE_EDIT, UNDO

ALLOW, ASK, DENY, PASSTHROUGH = "allow", "ask", "deny", "passthrough"
DECISIONS = (ALLOW, ASK, DENY, PASSTHROUGH)


class AnswerSource(StrEnum):
    """Who answered."""

    RULE = "rule"
    LLM = "llm"
    PASSTHROUGH = "passthrough"  # nobody: no rule spoke, and what follows was left to the agent
    PERSON = "person"


class Person(StrEnum):
    """What a person said, where one was asked."""

    APPROVED = "approved"
    REJECTED = "rejected"


class Past(Struct, frozen=True, kw_only=True):
    """One call that was decided. `path` and `action` are known of Penstock's own decisions.

    `decision` is one of DECISIONS, or "" where a line tells only the call. `key` joins what is
    told of one call on several lines; `observed` says that the call passed all the same.
    """

    ts: str = ""
    tool: str = ""
    tool_input: Mapping[str, object] = field(default_factory=lambda: NOTHING)
    decision: str = ""
    source: str = ""
    rules: tuple[str, ...] = ()
    reasoning: str = ""
    session: str = ""
    cwd: str = ""
    path: str = ""
    action: Action | None = None
    person: Person | None = None
    key: str = ""
    needs_review: bool = False
    whole: bool = True
    observed: bool = False

    @property
    def command(self) -> str:
        """The shell command, or "" for any other call."""
        value = self.tool_input.get("command")
        return value if isinstance(value, str) else ""

    @property
    def by_default(self) -> bool:
        """True when no rule spoke: only what holds where none does, or that nobody was there."""
        return bool(self.rules) and all(rule.startswith(DEFAULT) for rule in self.rules)

    @property
    def subject(self) -> str:
        """What the call is about: its command, its path, or nothing that is told."""
        if self.command:
            return self.command
        for name in ("file_path", "notebook_path", "path"):
            value = self.tool_input.get(name)
            if isinstance(value, str):
                return value
        return self.path


Event = Mapping[str, object]


def past_of(event: Event) -> Past | None:
    """Return the decision that a line tells, whichever program wrote it."""
    if "tool_name" in event:
        return of_original(event)
    return of_record(event) if "op" in event else None


# --- the original hook's lines ---------------------------------------------------------------

CUT = ("…", "...")
LONGEST = 256  # characters of a text that the original keeps
ADVISED = ("ALLOW", "QUERY", "TIMEOUT", "ERROR")


def of_original(event: Event) -> Past | None:
    """Read a line of the original hook: operational, review, audit or passthrough."""
    given = event.get("tool_input")
    tool = text(event, "tool_name")
    if not tool:
        return None
    tool_input = given if isinstance(given, dict) else NOTHING
    rule = text(_inner(event, "rule_metadata"), "rule_id")
    return Past(
        ts=text(event, "timestamp"),
        tool=tool,
        tool_input=tool_input,
        decision=_word(event),
        source=_source(event),
        rules=(rule,) if rule else (),
        reasoning=text(event, "reasoning") or text(event, "reason"),
        session=text(event, "session_id"),
        cwd=text(event, "cwd"),
        needs_review=_inner(event, "review_flags").get("needs_review") is True,
        whole=not any(_is_cut(value) for value in tool_input.values()),
    )


def _word(event: Event) -> str:
    """A line without a decision was passed through, or is from before decisions were told."""
    word = text(event, "decision")
    return word if word in DECISIONS else "" if word else PASSTHROUGH


def _source(event: Event) -> str:
    """A model that was asked and did not know is told as a passthrough by the original."""
    if text(_inner(event, "llm_metadata"), "assessment") in ADVISED:
        return AnswerSource.LLM
    said = text(event, "decision_source")
    if said:
        return said
    return (
        AnswerSource.RULE if text(event, "decision") in (ALLOW, DENY) else AnswerSource.PASSTHROUGH
    )


def _is_cut(value: object) -> bool:
    return isinstance(value, str) and len(value) >= LONGEST and value.endswith(CUT)


def _inner(event: Event, name: str) -> Event:
    value = event.get(name)
    return value if isinstance(value, dict) else NOTHING


def text(event: Event, name: str) -> str:
    """Return a field that is a text, "" for anything else."""
    value = event.get(name)
    return value if isinstance(value, str) else ""


# --- Penstock's own lines -----------------------------------------------------------------------

# What stands where something was left out; a command that ends so is not all of it.
LEFT_OUT = ("[redacted]", " lines]", " characters]")
ASKED = frozenset({"tool_call", "proposed", "write_file_propose", "read_file"})
OBSERVED = "observed"
ANSWERED: Mapping[str, Person] = {
    "approved": Person.APPROVED,
    "rejected": Person.REJECTED,
    "write_file_apply": Person.APPROVED,
    "write_file_reject": Person.REJECTED,
    # The agent wrote, so whoever it had to ask said yes; that is no decision of its own.
    OBSERVED: Person.APPROVED,
}
ACTIONS: Mapping[str, Action] = {str(action): action for action in Action}
DEFAULT = "default."


def of_record(event: Event) -> Past | None:
    """Read a line of Penstock's record: a call that was judged, or a person's answer."""
    op = text(event, "op")
    if text(event, "origin") in (RULE_EDIT, UNDO):
        return None  # a person's own command: nothing to learn about what agents ask for
    if op in ASKED:
        return _asked(event)
    if op not in ANSWERED or (op == "write_file_apply" and text(event, "status") != "allowed"):
        return None
    person = ANSWERED[op]
    said = "" if op == OBSERVED else ALLOW if person is Person.APPROVED else DENY
    return _of_event(event, decision=said, source=AnswerSource.PERSON, person=person)


def _asked(event: Event) -> Past | None:
    # What rules would have said that only observed is what there is to learn from.
    word = VERDICTS.get(text(event, "would") or text(event, "status"))
    if word is None:
        return None
    rules = event.get("rules")
    named = tuple(r for r in rules if isinstance(r, str)) if isinstance(rules, list) else ()
    spoke = any(not rule.startswith(DEFAULT) for rule in named)
    if word == ALLOW and not spoke:
        return _of_event(event, decision=PASSTHROUGH, source=AnswerSource.PASSTHROUGH, rules=named)
    return _of_event(event, decision=word, source=AnswerSource.RULE, rules=named)


def _of_event(
    event: Event,
    *,
    decision: str,
    source: str,
    rules: tuple[str, ...] = (),
    person: Person | None = None,
) -> Past:
    command, path = text(event, "command"), text(event, "path")
    given: dict[str, object] = {"command": command} if command else {}
    if path and not command:
        given["file_path"] = path
    return Past(
        ts=text(event, "ts"),
        tool=text(event, "tool") or ("Read" if text(event, "op") == "read_file" else "Write"),
        tool_input=given,
        decision=decision,
        source=source,
        rules=rules,
        reasoning=text(event, "reason") or text(event, "code"),
        session=text(event, "session") or text(event, "context_id"),
        path=path,
        action=_action(event),
        person=person,
        key=text(event, "tool_call_id") or text(event, "proposal") or text(event, "hitl_id"),
        whole=not any(mark in value for mark in LEFT_OUT for value in (command, path)),
        observed=bool(text(event, "would")),
    )


def _action(event: Event) -> Action:
    known = ACTIONS.get(text(event, "action"))
    return known or (Action.READ if text(event, "op") == "read_file" else Action.WRITE)
