"""`[[except]]`: what a file takes out of a rule that it, a preset or an include brought.

Here the tables are read and attached to their rules; what they mean for a request is
`policy.conditions`'. They reach the rules of their own level only, so that a project cannot take
anything out of its user's rules, and never what Penstock protects by itself.
Always true: an exception names a rule that is there and says what it takes out of it; anything
else is a problem with its line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from penstock.core.policy.builtin import CODE_GONE_RULE, CODE_RULE, SELF_RULE, STATE_RULE
from penstock.core.policy.rule import Rule, RuleExcept, Where
from penstock.core.rules.fields import EXCEPT
from penstock.core.rules.problems import Problem, did_you_mean

if TYPE_CHECKING:
    from penstock.core.rules.rule import Reader

Named = tuple[str, RuleExcept]  # the id of the rule, and what is taken out of it
BUILT_IN = (SELF_RULE, STATE_RULE, CODE_RULE, CODE_GONE_RULE)


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
        hint = "add `paths` or `command_regex`; `disable` switches the whole rule off"
        report.wrong("[[except]] does not say what it takes out", *path, hint=hint)
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
    attached = [
        replace(rule, excepts=(*rule.excepts, *taken[rule.id])) if rule.id in taken else rule
        for rule in rules
    ]
    return attached, wrong


def _unknown(name: str, one: RuleExcept, known: set[str]) -> Problem:
    message = f"[[except]] names `{name}`, and no rule here has that id"
    hint = did_you_mean(name, known) if known else "there are no rules to take anything out of"
    if name in BUILT_IN:
        message = f"nothing can be taken out of `{name}`"
        hint = "it is what keeps agents from the rules; remove the exception"
    return Problem(
        file=one.where.file, line=one.where.line, field="rule", message=message, hint=hint
    )
