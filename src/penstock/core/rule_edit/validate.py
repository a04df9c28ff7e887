"""Say what is wrong with the policy that an edit would leave, before it is left.

The rules of the edit are looked at one by one, in the words of the reviewer; then the whole
policy is loaded with the new texts in place of the old, includes and all. What does not stop
an edit but should be known is `warnings`'.
Always true: with nothing blocking, the files as edited load, every regex compiles, every id
is there once, and every rule holds against its own examples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from penstock.core.policy.regex_faults import beyond_rust
from penstock.core.policy.regexes import fault
from penstock.core.rule_edit.dialect import RuleDialect, dialect_of
from penstock.core.rule_edit.operation import RULE_KEYS, Detail, EditError, EditWarning, Operation
from penstock.core.rule_edit.source import parsing, read_text
from penstock.core.rule_edit.summary import EditEffect
from penstock.core.rule_edit.warnings import warnings_of
from penstock.core.rules import load
from penstock.core.rules.documents import Document
from penstock.core.rules.foreign import is_original
from penstock.core.rules.layers import LoadResult
from penstock.core.rules.permissions_hook.document import meaning_of
from penstock.core.rules.permissions_hook.rule import BRANCH, ORIGINAL_KEYS, Meaning
from penstock.core.rules.problems import Problem, did_you_mean, shown
from penstock.core.rules.rule import (
    BOTH_TOOLS,
    CONDITIONS,
    NEED_TOOL,
    NO_TOOL,
    REGEX_FIELDS,
    TOOL_FIELDS,
)

Read = Callable[[str], bytes | None]
MOST_TOLD = 100


class EditCheck(Struct, frozen=True, kw_only=True):
    """What stops an edit, what should be known about it, and the policy that it would make.

    `overlaps` are the ids of the rules that the changed ones partly cover.
    """

    blocking: tuple[Detail, ...] = ()
    warnings: tuple[EditWarning, ...] = ()
    loaded: LoadResult | None = None
    overlaps: tuple[str, ...] = ()


def check(
    read: Read,
    path: str,
    texts: Mapping[str, bytes],
    changes: tuple[EditEffect, ...],
    operation: Operation,
) -> EditCheck:
    """Check the policy at `path` with some texts in place of what `read` gives."""

    def overlaid(name: str) -> bytes | None:
        return texts[name] if name in texts else read(name)

    alone = tuple(_rule_details(read, overlaid, changes, operation))
    if alone:
        return EditCheck(blocking=alone[:MOST_TOLD])

    parse = parsing(texts)
    level = load.load(path, overlaid, parse=parse)
    levels = [level, *_unreached(level, overlaid, texts, parse)]
    problems = [problem for one in levels for problem in one.problems]
    shifts = {path: _Shift(read(path) or b"", data) for path, data in texts.items() if problems}
    blocking = [
        _detail(problem, changes, operation, shifts.get(problem.file)) for problem in problems
    ]
    blocking += _half_advisor(levels, operation)
    if blocking:
        return EditCheck(blocking=tuple(dict.fromkeys(blocking))[:MOST_TOLD], loaded=level)
    found, overlaps = warnings_of(levels, changes)
    other = tuple(_other_dialect(read, texts))
    return EditCheck(warnings=(*other, *found), loaded=level, overlaps=overlaps)


def _unreached(
    level: LoadResult, read: Read, texts: Mapping[str, bytes], parse: load.Parse
) -> list[LoadResult]:
    """Load the edited files that the policy does not include: they must load, too."""
    reached = {file for file, _ in level.sources}
    others = [] if level.problems else [file for file in texts if file not in reached]
    return [load.load(file, read, parse=parse) for file in others]


def _other_dialect(read: Read, texts: Mapping[str, bytes]) -> Iterator[EditWarning]:
    """Warn where one key tells that the whole file is in another of the original's dialects."""
    for path, data in texts.items():
        old, new = _document(path, read(path)), _document(path, data)
        if not old or dialect_of(path, new) is RuleDialect.OWN:
            continue
        meanings = {meaning_of(old), meaning_of(new)}
        if len(meanings) > 1 and Meaning.LEAVES in meanings:
            message = f"All rules of {path} are now read as those of another dialect"
            hint = "Leave out `reason`, `subagent_type_regex` and what else only one fork has"
            yield EditWarning("dialect_change", message, hint)


def _document(path: str, data: bytes | None) -> Document:
    try:
        return read_text(path, data or b"").document
    except EditError:
        return {}


def _half_advisor(levels: list[LoadResult], operation: Operation) -> list[Detail]:
    """The original checks these settings only when it is asked to; we do when they change."""
    if not any(one.type == "update_llm_config" for one in operation.each):
        return []
    missing = [w for level in levels for w in level.warnings if "is enabled without" in w.message]
    return [
        Detail("changes.enabled", one.message.removesuffix(", so it stays off"), one.hint)
        for one in missing
    ]


# --- one rule ---------------------------------------------------------------------------


def _rule_details(
    read: Read, overlaid: Read, changes: tuple[EditEffect, ...], operation: Operation
) -> Iterator[Detail]:
    for one, changed in _written(operation, changes):
        path = changed.path
        before, after = _document(path, read(path)), _document(path, overlaid(path))
        # A file of the original does not become one of ours by a field that only we know.
        dialect = dialect_of(path, before if is_original(path, before) else after)
        place = f"{one.place}{'rule' if one.type == 'add_rule' else 'changes'}."
        yield from _faults(changed.after or {}, place, dialect)


def _written(
    operation: Operation, changes: tuple[EditEffect, ...]
) -> Iterator[tuple[Operation, EditEffect]]:
    """Yield each operation that writes a rule with the last change to that rule."""
    last = {(one.path, one.rule_id): one for one in changes if one.after is not None}
    for one in operation.each:
        if one.type not in ("add_rule", "update_rule"):
            continue
        path = one.target_file or next((c.path for c in changes), "")
        changed = last.get((path, one.rule_id))
        if changed is not None:
            yield one, changed


def _faults(rule: Mapping[str, object], place: str, dialect: RuleDialect) -> Iterator[Detail]:
    """Yield what is wrong with one rule by itself."""
    if dialect is not RuleDialect.OWN:
        yield from _foreign(rule, place)
    if "rule" in rule and dialect is RuleDialect.OWN:
        return  # an exception: whoever reads the file tells all that can be wrong with it
    needs_tool = dialect is not RuleDialect.OWN or NEED_TOOL & rule.keys()
    if "tool" in rule and "tool_regex" in rule:
        yield Detail(f"{place}tool_regex", BOTH_TOOLS, "Keep one of them.")
    elif not {"tool", "tool_regex"} & rule.keys() and (needs_tool or not CONDITIONS & rule.keys()):
        yield Detail(f"{place}tool", NO_TOOL, 'Add for example "tool": "Bash".')
    for key, value in rule.items():
        if key in TOOL_FIELDS and not isinstance(value, str):
            yield Detail(f"{place}{key}", f"`{key}` must be text in quotes, not {shown(value)}")
        if key in REGEX_FIELDS and isinstance(value, str) and "${" not in value:
            found = fault(value) or (beyond_rust(value) if dialect is not RuleDialect.OWN else None)
            if found is not None:
                yield Detail(f"{place}{key}", f"Regex compilation failed: {found}", found.hint)


def _foreign(rule: Mapping[str, object], place: str) -> Iterator[Detail]:
    """Yield the fields that the original does not know: it would ignore them in silence."""
    for key in rule:
        if key not in ORIGINAL_KEYS and key != BRANCH:
            error = f"`{key}` means nothing in a rule file of the original"
            yield Detail(f"{place}{key}", error, did_you_mean(key, ORIGINAL_KEYS))


# --- the whole policy -------------------------------------------------------------------

FAILED = "Failed to load config: "
CIRCLE = "circular include detected"


class _Shift:
    """Where lines of an edited text were before: nothing is written, so the old ones count."""

    def __init__(self, before: bytes, after: bytes) -> None:
        old, new = before.split(b"\n"), after.split(b"\n")
        pairs = zip(old, new, strict=False)
        self._same = next(
            (at for at, (a, b) in enumerate(pairs) if a != b), min(len(old), len(new))
        )
        self._by = len(new) - len(old)

    def back(self, line: int) -> int:
        """Return the line in the file as it is."""
        return line if line <= self._same else max(line - self._by, 1)


def _detail(
    problem: Problem,
    changes: tuple[EditEffect, ...],
    operation: Operation,
    shift: _Shift | None,
) -> Detail:
    """Return a problem as the answer tells it, at the field of the operation if it is there."""
    if problem.message.startswith(CIRCLE):
        where = problem.message.removeprefix(CIRCLE).lstrip(": ")
        asked = next((f"{one.place}path" for one in operation.each if one.path), "")
        field = asked or f"{problem.file}:{problem.line}"
        return Detail(field, f"{FAILED}{CIRCLE}", " ".join([where, problem.hint]).strip())
    for one in operation.each:
        if problem.field in _settings_of(one) and "[llm_fallback]" in problem.message:
            field = f"{one.place}{_settings_of(one)[problem.field]}"
            return Detail(field, problem.message, problem.hint)
    for one, changed in _written(operation, changes):
        place = f"{one.place}{'rule' if one.type == 'add_rule' else 'changes'}"
        taken = f"Rule with id '{changed.rule_id}' already exists"
        if problem.message.startswith(taken):
            other = _other_place(problem, problem.message.removeprefix(taken).strip(), changed)
            return Detail(f"{place}.id", taken, f"it is {other}; {problem.hint}")
        if changed.path == problem.file and changed.line <= problem.line <= changed.until:
            field = f"{place}.{problem.field}" if problem.field in RULE_KEYS else place
            return Detail(field, problem.message, problem.hint)
    for one in operation.each:
        if one.type == "add_include" and problem.message.startswith("included file"):
            return Detail(f"{one.place}path", f"{FAILED}{problem.message}", problem.hint)
    line = shift.back(problem.line) if shift and problem.line else problem.line
    where = f"{problem.file}:{line}" if line else problem.file
    return Detail(where, f"{FAILED}{problem.message}", problem.hint)


def _settings_of(operation: Operation) -> Mapping[str, str]:
    """Return the settings of the model that an operation names, each with its field there."""
    if operation.type == "update_llm_prompt":
        return {"system_prompt": "prompt"}
    changes = operation.changes if operation.type == "update_llm_config" else ()
    return {key: f"changes.{key}" for key in changes}


def _other_place(problem: Problem, told: str, changed: EditEffect) -> str:
    """Return where the rule is that was there before: readers name the one that they read first."""
    file, _, line = told.removeprefix("at ").rpartition(":")
    ours = file == changed.path and line.isdigit() and changed.line <= int(line) <= changed.until
    return f"at {problem.file}:{problem.line}" if ours and problem.line else told
