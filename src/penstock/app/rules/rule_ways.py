"""Rules that would let a stopped call pass: found, and tried in memory before they are offered.

Always true: with the rules that come out, the calls that were tried pass; nothing is written.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from msgspec import Struct

from penstock.app.rules.policy import policy_of, read_rules
from penstock.core.model import Decision, Verdict
from penstock.core.policy.model import Policy
from penstock.core.rule_edit.edit import edited, parse_operation
from penstock.core.rule_edit.quick_rule import QuickRule, ids_in
from penstock.core.rule_edit.ways import Stop, decided_by, stops_in, ways_past, whole
from penstock.gate.judge import judge_call
from penstock.gate.prepare import Call
from penstock.stores.files.workspace import DiskFiles
from penstock.stores.git.find import GitRepositories
from penstock.stores.system.places import RULES, rules_of, user_rules

MOST_ROUNDS = 4  # a rule that is opened may show another behind it
NEW_FILE = b'version = 1\npreset = "guard"\n'  # what holds where a project has no rules
NEW_USER_FILE = b"version = 1\n"


class RuleWays(Struct, frozen=True, kw_only=True):
    """The rules that let some calls pass; where there are none, `against` says what decides."""

    rules: tuple[QuickRule, ...] = ()
    against: str = ""


class RuleTrial:
    """Judges calls by the rules of a project, as they are and with some more."""

    def __init__(self, root: str, calls: Sequence[Call]) -> None:
        self.root = root
        self.calls = calls
        self.policy = policy_of(root)
        self._files, self._repositories = DiskFiles(root), GitRepositories()

    def decisions(self, policy: Policy | None = None) -> list[Decision]:
        """Return what the rules say to each call, also those that only observe."""
        judged = [
            judge_call(
                self._files,
                policy or self.policy,
                call,
                now=time.time(),
                repositories=self._repositories,
            )
            for call in self.calls
        ]
        return [one.by_all_rules.decision for one in judged]

    def stops(self, decisions: Sequence[Decision]) -> list[Stop]:
        """Return what stands against the calls by some decisions."""
        pairs = zip(self.calls, decisions, strict=True)
        return [stop for call, said in pairs for stop in stops_in(said, _command(call))]

    def ways(self, stops: Sequence[Stop], *, first: Sequence[QuickRule] = ()) -> RuleWays:
        """Return rules that let all calls pass, those in `first` among them."""
        found, against = [*first], ""
        for _ in range(MOST_ROUNDS):
            more = [(stop, self._more(stop, found)) for stop in stops]
            closed = next((stop for stop, ways in more if not ways), None)
            if closed is not None:
                return RuleWays(against=against or decided_by(closed, self.policy))
            found = [*dict.fromkeys([*found, *(way for _, ways in more for way in ways)])]
            said = self.decisions(self.with_rules(found))
            stopped = [one for one in said if one.verdict is not Verdict.ALLOW]
            if not stopped:
                return RuleWays(
                    rules=tuple(way for way in found if not _is_named_whole(way, found))
                )
            stops, against = self.stops(said), stopped[0].because
        return RuleWays(against=against)

    def _more(self, stop: Stop, found: Sequence[QuickRule]) -> list[QuickRule]:
        """Return what is left to try against a stop; a command by its beginning, then whole."""
        ways = ways_past([stop], self.policy, root=self.root, user_file=user_rules())
        steps = [[way, whole(way)] if way.command else [way] for way in ways]
        left = [[one for one in step if one not in found] for step in steps]
        return [step[0] for step in left if step]

    def with_rules(self, rules: Sequence[QuickRule]) -> Policy:
        """Return the policy with some rules more."""
        texts: dict[str, bytes] = {}
        taken = ids_in(self.policy)
        for rule in rules:
            file = rules_file(self.root, rule)
            texts.setdefault(file, read_rules(file) or new_file(rule))
            operation = parse_operation(rule.operation(file, taken))
            texts.update(edited(texts, operation).texts)
            taken.add(rule.name(taken))

        def read(path: str) -> bytes | None:
            return texts[path] if path in texts else read_rules(path)

        return policy_of(self.root, read=read)


def _is_named_whole(way: QuickRule, found: Sequence[QuickRule]) -> bool:
    return bool(way.command) and whole(way) in found


def _command(call: Call) -> str:
    value = call.tool_input.get("command")
    return value if isinstance(value, str) else ""


def rules_file(root: str, rule: QuickRule) -> str:
    """Return the file that a rule would be added to; it may have to be made."""
    if rule.user:
        return user_rules()
    if rule.folder:
        return os.path.join(rule.folder, RULES)
    own = rules_of(root)
    return next((path for path in own if os.path.lexists(path)), own[0])


def new_file(rule: QuickRule) -> bytes:
    """Return what a rules file begins with that says what holds without it."""
    return NEW_USER_FILE if rule.user else NEW_FILE
