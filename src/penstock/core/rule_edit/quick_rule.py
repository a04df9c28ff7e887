"""Rules in the words of the command line: `penstock rules add`, made, read back and offered.

A quick rule becomes an operation of `edit`, which checks and writes it; here are only values.
`ways_past` says which quick rules would change an answer.
Always true: a quick rule speaks of one glob or one command; a command with an operator in it
(`|`, `;`, `&`, `>`) is taken as a whole, character for character; nothing is offered against
what Penstock protects by itself.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from penstock.core.model import Action, Decision, Verdict
from penstock.core.policy.builtin import NAME
from penstock.core.policy.model import Layer, Policy
from penstock.core.policy.regexes import re_escape
from penstock.core.policy.rule import Rule
from penstock.core.policy.rule_index import COMMAND, input_key
from penstock.core.rules.sets import one_path
from penstock.core.timestamps import stamp

OPERATORS = re.compile(r"[|;&<>\n]")
ANY_TOOL = "."  # agents call their shells by many names; only a command's own text is meant
DEFAULT = "default."
OUTSIDE = f"{DEFAULT}outside_project"


@dataclass(frozen=True, kw_only=True, slots=True)
class QuickRule:
    """One rule as `rules add` takes it; `of` is the rule that an `except` is taken out of."""

    kind: str
    path: str = ""
    command: str = ""
    regex: str = ""
    of: str = ""
    reason: str = ""
    owner: str = ""
    expires_at: float | None = None
    user: bool = False

    def fields(self, name: str) -> dict[str, object]:
        """Return the rule as the file will hold it."""
        made: dict[str, object] = {"id": name}
        if self.of:
            made["rule"] = self.of
        if self.path:
            made["paths"] = [self.path]
        else:
            made |= {} if self.of else {"tool_regex": ANY_TOOL}
            made["command_regex"] = self.regex or regex_of(self.command)
        made |= {key: text for key in ("reason", "owner") if (text := getattr(self, key))}
        if self.expires_at is not None:
            made["expires_at"] = stamp(self.expires_at)
        return made

    def name(self, taken: Iterable[str]) -> str:
        """Return an id for it that nobody has."""
        about = re.sub(r"[^a-z0-9]+", "-", (self.path or self.command or self.regex).lower())
        first = "-".join(filter(None, (self.kind, self.of, about.strip("-")[:40].strip("-"))))
        known = set(taken)
        more = (f"{first}-{number}" for number in range(2, len(known) + 3))
        return next(name for name in (first, *more) if name not in known)

    def operation(self, target: str, taken: Iterable[str]) -> dict[str, object]:
        """Return the operation that adds it to a file."""
        return {
            "type": "add_rule",
            "rule_type": self.kind,
            "target_file": target,
            "rule": self.fields(self.name(taken)),
        }

    @property
    def command_line(self) -> str:
        """The command that adds it, ready to be pasted into a shell."""
        kind = ["--except", self.of] if self.of else [f"--{self.kind}"]
        what = [(f"--{n}", v) for n in ("path", "command", "regex") if (v := getattr(self, n))]
        more = ["--user"] if self.user else []
        return shlex.join(["penstock", "rules", "add", *kind, *what[0], *more])


def regex_of(command: str) -> str:
    """Return the regex of a command's beginning, or of a command with operators as it stands."""
    plain = re_escape(command.strip())
    return f"^{plain}$" if OPERATORS.search(command) else f"^{plain}(?:\\s|$)"


def ids_in(policy: Policy) -> set[str]:
    """Return every id that a rule or an exception has."""
    rules = [rule for layer in policy.layers for rule in layer.rules]
    return {rule.id for rule in rules} | {one.id for rule in rules for one in rule.excepts}


# --- what would change an answer ---------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Stop:
    """One rule, or default, that stopped a call at a path or a command."""

    rule: str
    path: str = ""
    command: str = ""
    action: Action | None = None


def stops_in(decision: Decision, command: str) -> list[Stop]:
    """Return what stands in the way of a call that was judged again."""
    return [
        Stop(rule=reason.rule, path=part.path, command=command, action=part.action)
        for part in decision.parts or (decision,)
        if part.verdict is not Verdict.ALLOW
        for reason in part.reasons
        if reason.verdict in (Verdict.ASK, Verdict.DENY)
    ]


def ways_past(stops: Iterable[Stop], policy: Policy, *, user_file: str = "") -> list[QuickRule]:
    """Return the quick rules that together let a call pass; empty where one stop has no way."""
    found: list[QuickRule] = []
    for stop in stops:
        ways = list(_ways(stop, policy, user_file))
        if not ways:
            return []
        found += ways
    return list(dict.fromkeys(found))


def _ways(stop: Stop, policy: Policy, user_file: str) -> Iterator[QuickRule]:
    for layer in policy.layers:
        if layer.name == NAME:
            continue
        made = _by_default(stop, layer) or _by_rule(stop, layer)
        if made is not None:
            yield replace(made, user=layer.name == user_file)


def _by_default(stop: Stop, layer: Layer) -> QuickRule | None:
    if not stop.rule.startswith(DEFAULT) or stop.rule == OUTSIDE:
        return None
    named = stop.rule.removeprefix(DEFAULT)
    strict = layer.defaults.get(Action(named)) if named in set(Action) else layer.unclear
    if strict is Verdict.ALLOW:
        return None
    if stop.command:
        return QuickRule(kind="allow", command=stop.command)
    return QuickRule(kind="allow", path=one_path(stop.path)) if stop.path else None


def _by_rule(stop: Stop, layer: Layer) -> QuickRule | None:
    rule = next((rule for rule in layer.rules if rule.id == stop.rule), None)
    if rule is None or stop.rule.startswith("limits."):
        return None
    if stop.command and _about_commands(rule):
        return QuickRule(kind="except", of=rule.id, command=stop.command)
    return QuickRule(kind="except", of=rule.id, path=one_path(stop.path)) if stop.path else None


def _about_commands(rule: Rule) -> bool:
    return not rule.paths and any(input_key(test.name) == COMMAND for test in rule.fields)


def stops_of_event(event: Mapping[str, object], policy: Policy) -> list[Stop]:
    """Return what an entry of the audit log says stood in the way of a call to a file."""
    strict = {
        rule.id
        for layer in policy.layers
        for rule in layer.rules
        if rule.verdict in (Verdict.ASK, Verdict.DENY)
    }
    known = {rule.id for layer in policy.layers for rule in layer.rules}
    path, action = str(event.get("path", "")), str(event.get("action", ""))
    rules = event.get("rules")
    names = [name for name in rules if isinstance(name, str)] if isinstance(rules, list) else []
    return [
        Stop(rule=name, path=path, action=Action(action) if action in set(Action) else None)
        for name in dict.fromkeys(names)
        if name in strict or name not in known
    ]


def joined(ways: Sequence[QuickRule]) -> str:
    """Return the commands of some quick rules as one line."""
    return " && ".join(way.command_line for way in ways)
