"""A rule as somebody puts it together on the page: about what, how far it goes, until when.

Which rules let something pass is `app.rules.past_ways`', the edit itself the reviewer's.
Always true: a choice is values only; the same choice makes the same rules as long as the policy is
the same; what a scope covers is written out as a pattern before anybody chooses it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.errors import InputError
from penstock.core.learning.clusters import head_of, is_plain
from penstock.core.rule_edit.quick_rule import OPERATORS, QuickRule, exact_regex
from penstock.core.rules.sets import one_path

if TYPE_CHECKING:
    from penstock.app.rules.rule_ways import RuleWays

KINDS = {"allow": "Always allow", "ask": "Always ask", "deny": "Never allow"}
ENDS = {"": "never", "3600": "in 1 hour", "86400": "in 1 day", "604800": "in 7 days",
        "2592000": "in 30 days"}  # fmt: skip
LONGEST = 1000  # characters of a pattern or a reason
OWN, EXACT = "own", "exact"


class RuleSubject(Struct, frozen=True, kw_only=True):
    """What a rule is to be about: a file, or a command. `event` is the decision, as the log has it.

    It may be empty, for a rule about something new.
    """

    path: str = ""
    command: str = ""
    event: Mapping[str, object] | None = None


class RuleScope(Struct, frozen=True, kw_only=True):
    """How far a rule goes: a glob, or the beginning of a command, or all of it."""

    name: str
    label: str
    pattern: str


def scopes(subject: RuleSubject) -> tuple[RuleScope, ...]:
    """Return what a rule about a decision may cover, the narrowest first."""
    if subject.event is None:
        return ()
    if subject.command:
        return _of_command(subject.command)
    return _of_path(subject.path) if subject.path else ()


def _of_path(path: str) -> tuple[RuleScope, ...]:
    folder, name = posixpath.split(path)
    ending = posixpath.splitext(name)[1]
    base = f"{folder}/" if folder.strip("/") else ""
    found = [RuleScope(name="file", label="this file", pattern=_glob(path))]
    if base:
        found.append(RuleScope(name="folder", label="this folder", pattern=_glob(f"{base}**")))
    if ending:
        label = f"files with {ending} in this folder" if base else f"files with {ending} anywhere"
        found.append(RuleScope(name="kind", label=label, pattern=_glob(f"{base}**/*{ending}")))
    return tuple(found)


def _glob(path: str) -> str:
    return f"**{path}" if path.startswith("/") else one_path(path)


def _of_command(command: str) -> tuple[RuleScope, ...]:
    whole = RuleScope(name=EXACT, label="exactly this command", pattern=command)
    if OPERATORS.search(command) or not is_plain(command):
        return (whole,)
    head = " ".join(head_of(command))
    starts = [RuleScope(name="prefix", label="commands that start with", pattern=head)]
    return (whole, *(starts if head != command else ()))


class RuleChoice(Struct, frozen=True, kw_only=True):
    """What was chosen on the form; `until` is a moment, 0 for a rule without an end."""

    subject: RuleSubject
    kind: str
    scope: str
    pattern: str = ""
    reason: str = ""
    until: int = 0

    def rules(self, ways: RuleWays | None) -> tuple[QuickRule, ...]:
        """Return the rules; `ways` are those that let the subject itself pass."""
        covered, exact = self._covered()
        made = self._allowed(ways, covered, exact) if self.kind == "allow" else ()
        if not made:
            made = (self._plain(covered, exact),)
        more = {"reason": self.reason, "expires_at": float(self.until) if self.until else None}
        return tuple(replace(rule, **more) for rule in made)

    def _covered(self) -> tuple[str, bool]:
        """Return the pattern, and whether it is a whole command."""
        known = next((one for one in scopes(self.subject) if one.name == self.scope), None)
        if known is not None:
            return known.pattern, known.name == EXACT
        about = self.subject
        typed = self.pattern or (about.command or about.path if about.event is None else "")
        if self.scope != OWN or not typed:
            raise InputError(
                "bad-pattern",
                "the form does not say what the rule covers",
                because="no scope is chosen, or the pattern is empty",
                hint="choose a scope, or type a pattern",
            )
        return typed, False

    def _plain(self, covered: str, exact: bool) -> QuickRule:
        if not self.subject.command:
            return QuickRule(kind=self.kind, path=covered)
        if exact:
            return QuickRule(kind=self.kind, regex=exact_regex(covered))
        return QuickRule(kind=self.kind, command=covered)

    def _allowed(self, ways: RuleWays | None, covered: str, exact: bool) -> Sequence[QuickRule]:
        """Return the rules that let the subject pass, as far as the scope goes."""
        if ways is None:
            return ()
        if not ways.rules and ways.against:
            raise InputError(
                "no-rule-helps",
                "no rule can allow this",
                because=ways.against,
                hint="change the setting that decides, or approve each change",
            )
        return [self._widened(rule, covered, exact) for rule in ways.rules]

    def _widened(self, rule: QuickRule, covered: str, exact: bool) -> QuickRule:
        if rule.path and not rule.folder and rule.path == _glob(self.subject.path):
            return replace(rule, path=covered)
        if rule.command and self.subject.command:
            own = {"command": "", "regex": exact_regex(covered)} if exact else {"command": covered}
            return replace(rule, **own)
        return rule
