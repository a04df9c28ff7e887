"""`[[except]]`: what a file takes out of a rule that it, a preset or an include brought.

Here the tables are read and attached to their rules; what they mean for a request is
`policy.conditions`'. They reach the rules of their own level only, so that a project cannot take
anything out of its user's rules, and never what Penstock protects by itself.
Always true: an exception names a rule that is there and says what it takes out of it; anything
else is a problem with its line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from msgspec.structs import replace

from penstock.core.model import Action
from penstock.core.policy.rule import Rule, RuleExcept, Where
from penstock.core.policy.rule_index import COMMAND, input_key
from penstock.core.rules.fields import EXCEPT
from penstock.core.rules.problems import Problem, did_you_mean

if TYPE_CHECKING:
    from penstock.core.rules.rule import Reader

Named = tuple[str, RuleExcept]  # the id of the rule, and what is taken out of it
# What decisions name besides rules of a file, by its beginning: what is said of it, and what to do.
NO_RULES: Mapping[str, tuple[str, str]] = {
    "penstock-": (
        "`{}` can't have exceptions",
        "it protects the rules from agents; remove the exception",
    ),
    "default.": (
        "`{}` is a default, not a rule",
        "use [[allow]], or change the setting",
    ),
    "limits.": ("`{}` is a limit, not a rule", "change it in [limits]"),
}


def exceptions_in(document: Mapping[str, object], reader: Reader) -> Iterator[Named]:
    """Yield the exceptions of one file that nothing is wrong with."""
    raw = document.get(EXCEPT, [])
    if not isinstance(raw, list):
        reader.report.wrong(f"`{EXCEPT}` must be an array of tables", EXCEPT, hint="[[except]]")
        return
    for number, one in enumerate(raw):
        made = _exception(one, number, reader)
        if made is not None:
            yield made


def _exception(raw: object, number: int, reader: Reader) -> Named | None:
    report = reader.report
    before, path = len(report.problems), (EXCEPT, number)
    values = reader.table(raw, EXCEPT, "[[except]]", *path)
    reader.spell_out(values, "[[except]]", *path)
    reader.check_regexes(values, "[[except]]", *path)
    given = raw if isinstance(raw, dict) else {}
    if "rule" not in given:
        report.wrong("[[except]] without `rule`", *path, hint="name the id of the rule")
    if not given.keys() & {"paths", "command_regex"}:
        hint = "add `paths` or `command_regex`; `disable` turns the whole rule off"
        report.wrong("[[except]] has no `paths` or `command_regex`", *path, hint=hint)
    if len(report.problems) > before:
        return None
    name = str(values.get("id", f"{reader.prefix}{EXCEPT}-{number + 1}"))
    where = Where(file=report.file, line=report.line_of(*path))
    reader.names.append((name, where))
    one = RuleExcept(
        id=name,
        paths=cast("tuple[str, ...]", values.get("paths", ())),
        command_regex=str(values.get("command_regex", "")),
        reason=str(values.get("reason", "")),
        owner=str(values.get("owner", "")),
        expires_at=cast("float | None", values.get("expires_at")),
        where=where,
    )
    return str(values["rule"]), one


def with_exceptions(
    rules: Sequence[Rule], excepts: Iterable[Named]
) -> tuple[list[Rule], list[Problem]]:
    """Return the rules of a level with what is taken out of them, and what names no rule."""
    taken: dict[str, list[RuleExcept]] = {}
    for name, one in excepts:
        taken.setdefault(name, []).append(one)
    known = {rule.id for rule in rules}
    wrong = [_unknown(n, o, known) for n, all_of in taken.items() if n not in known for o in all_of]
    both = ((rule, one) for rule in rules for one in taken.get(rule.id, ()))
    wrong += [problem for rule, one in both for problem in _idle(rule, one)]
    attached = [
        replace(rule, excepts=(*rule.excepts, *taken[rule.id])) if rule.id in taken else rule
        for rule in rules
    ]
    return attached, wrong


def _unknown(name: str, one: RuleExcept, known: set[str]) -> Problem:
    said = next((NO_RULES[start] for start in NO_RULES if name.startswith(start)), None)
    if said is not None:
        return _at(one, said[0].format(name), said[1])
    hint = did_you_mean(name, known) if known else 'add `preset = "guard"`: this file has no rules'
    return _at(one, f"[[except]] names `{name}`, but no rule has that id", hint)


def _idle(rule: Rule, one: RuleExcept) -> Iterator[Problem]:
    """Tell of paths that are taken out of a rule about commands: it speaks of none."""
    about = any(input_key(test.name) == COMMAND for test in rule.fields)
    if one.paths and about and not rule.paths and Action.RUN in rule.actions:
        message = f"[[except]] has paths for `{rule.id}`, which is about commands"
        yield _at(one, message, "use `command_regex` instead of `paths`")


def _at(one: RuleExcept, message: str, hint: str) -> Problem:
    where = one.where
    return Problem(file=where.file, line=where.line, field="rule", message=message, hint=hint)
