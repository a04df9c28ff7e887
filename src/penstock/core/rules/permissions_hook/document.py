"""Read `claude-code-permissions-hook.toml`, flat or in sections, with the original's meaning.

The original and its forks differ in small ways that decide what a rule means; which of them a
file was written for is told by its shape. This module puts the rules in order and reads
settings; gathering files is `includes`' work and a rule's meaning is `rule`'s.
Always true: a file that the original loads is read, and where a rule can never match, a list
is dropped or a key is ignored there, a warning says so here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from penstock.core.policy.rule import Rule
from penstock.core.rules.documents import Document
from penstock.core.rules.fields import BY_NAME, RULE_TABLES, SETS, TABLES
from penstock.core.rules.layers import LoadResult, join
from penstock.core.rules.permissions_hook.includes import (
    LLM,
    MergedDocument,
    Path,
    Read,
    gather,
    list_of,
)
from penstock.core.rules.permissions_hook.rule import ORIGINAL_KEYS, Meaning, read_rule
from penstock.core.rules.permissions_hook.variables import expanded
from penstock.core.rules.problems import ProblemReport, did_you_mean, shown
from penstock.core.rules.values import READERS, WrongValueError

RESERVED = ("logging", "llm_fallback", "includes")
SETTINGS = (*RESERVED, "audit", "limits", "variables", "git_protection")
SECTION_KEYS = ("description", "priority", "enabled", "allow", "deny")
MAX_PRIORITY = 2**32 - 1
USUAL_PRIORITY = 50


def looks_original(document: Mapping[str, object], *, named: bool = False) -> bool:
    """Say whether a document was written for the original: by its name, or by its shape."""
    ours = {"version", "preset", "defaults", "on_error", "gate", "approval", "broker", "warn", SETS}
    if ours & document.keys() or {"ask", "safe", "outside_project", "disable"} & document.keys():
        return False
    if named or any(_is_section(key, value) for key, value in document.items()):
        return True
    rules = [*list_of(document.get("allow")), *list_of(document.get("deny"))]
    plain = all(isinstance(r, dict) and r.keys() <= ORIGINAL_KEYS for r in rules)
    audit = document.get("audit")
    logs = "logging" in document or (isinstance(audit, dict) and "audit_file" in audit)
    return plain and (logs or "variables" in document)


def _is_section(key: str, value: object) -> bool:
    """A section has rules; one that lost its last still says nothing that only we would."""
    if key in SETTINGS or not isinstance(value, dict):
        return False
    return bool({"allow", "deny"} & value.keys()) or (
        key not in TABLES and key not in RULE_TABLES and value.keys() <= {*SECTION_KEYS}
    )


def read_permissions_hook(
    main: str,
    read: Read,
    *,
    env: Mapping[str, str] | None = None,
    parsed: tuple[Document, ProblemReport] | None = None,
) -> LoadResult:
    """Read a rule file of the original; `env` is what `$HOME` in its variables stands for.

    `parsed` is the main file's document, when somebody has read it already.
    """
    document, report = parsed or (None, ProblemReport(file=main))
    merged = MergedDocument(main=report, first=document)
    gather(merged, main, read, trail=())
    rules = tuple(_rules(merged, env or {}))
    settings = _settings(merged)
    level = LoadResult(
        name=main,
        rules=rules,
        settings=settings,
        problems=tuple(p for report in merged.reports for p in report.problems),
        warnings=tuple(w for report in merged.reports for w in report.warnings),
        sources=tuple(merged.sources),
    )
    return join(main, [level])


# --- the rules --------------------------------------------------------------------------


def _rules(merged: MergedDocument, env: Mapping[str, str]) -> Iterator[Rule]:
    """Yield the rules in the original's order: all denials, then what is allowed."""
    document = merged.document
    sections = [key for key, value in document.items() if _is_table(key, value)]
    top = [key for key in ("deny", "allow") if key in document]
    if sections and top:
        report = merged.report_of(top[0])
        message = f"[[{top[0]}]] outside of a section, in a file with sections"
        report.wrong(message, top[0], hint=f"write [[{sections[0]}.{top[0]}]]")
    meaning = meaning_of(document)
    variables = expanded(document, env, merged.report_of("variables"))
    for table in ("deny", "allow"):
        for path in [(table,)] if top else _in_order(merged, sections, table):
            yield from _rules_at(merged, path, meaning, variables)


def _is_table(key: str, value: object) -> bool:
    return key not in (*SETTINGS, "allow", "deny") and isinstance(value, dict)


def meaning_of(document: Document) -> Meaning:
    """Tell for which of the original's dialects a file was written, by what it uses."""
    sections = [key for key, value in document.items() if _is_table(key, value)]
    rules = [
        rule
        for table in (document, *(cast("Document", document[name]) for name in sections))
        for key in ("allow", "deny")
        for rule in list_of(table.get(key))
        if isinstance(rule, dict)
    ]
    keys = {key for rule in rules for key in rule}
    audit = document.get("audit")
    late = {"variables", "limits", "git_protection"} & document.keys()
    if late or {"subagent_type_regex", "reason", "protected_branch_check"} & keys:
        return Meaning.LEAVES
    if isinstance(audit, dict) and "passthrough_log_file" in audit:
        return Meaning.LEAVES
    if sections or {"tool_regex", "tool_exclude_regex", "id", "description"} & keys:
        return Meaning.ANY_TOOL
    return Meaning.ANY_TOOL if {"includes", "llm_fallback"} & document.keys() else Meaning.SIX_TOOLS


def _in_order(merged: MergedDocument, sections: list[str], table: str) -> list[Path]:
    """Return a table's place in each section that is enabled, by priority and name."""
    order = []
    for name in sections:
        section = cast("Document", merged.document[name])
        report = merged.report_of(name)
        first = table == "deny"  # each section is looked at twice and checked once
        priority, enabled = _section_head(
            name, section, report if first else ProblemReport(file="")
        )
        if enabled and table in section:
            order.append((priority, name))
        elif first and not enabled:
            report.warn(f"section `{name}` is disabled, with all its rules", name, "enabled")
    return [(name, table) for _, name in sorted(order)]


def _section_head(name: str, section: Document, report: ProblemReport) -> tuple[int, bool]:
    if not _is_kebab(name):
        message = f"Invalid section name {shown(name)}"
        report.wrong(message, name, hint="lower case letters, digits and hyphens, a letter first")
    for key in section:
        if key not in SECTION_KEYS:
            hint = did_you_mean(key, SECTION_KEYS)
            report.warn(f"unknown key {shown(key)} in [{name}] is ignored", name, key, hint=hint)
    priority = section.get("priority", USUAL_PRIORITY)
    if (
        isinstance(priority, bool)
        or not isinstance(priority, int)
        or not 0 <= priority <= MAX_PRIORITY
    ):
        report.wrong(f"`priority` of [{name}] must be a whole number from 0", name, "priority")
        priority = USUAL_PRIORITY
    enabled = section.get("enabled", True)
    if not isinstance(enabled, bool):
        report.wrong(f"`enabled` of [{name}] must be true or false", name, "enabled")
    return priority, enabled is not False


def _is_kebab(name: str) -> bool:
    plain = name.isascii() and name.replace("-", "a").isalnum() and name == name.lower()
    return plain and name[:1].isalpha()


def _rules_at(
    merged: MergedDocument, path: Path, meaning: Meaning, variables: Mapping[str, str]
) -> Iterator[Rule]:
    value: object = merged.document
    for key in path:
        value = cast("Document", value).get(key, [])
    report = merged.report_of(*path)
    if not isinstance(value, list):
        report.wrong(f"`{'.'.join(path)}` must be an array of tables", *path, hint="write [[...]]")
        return
    for number, raw in enumerate(value):
        yield from read_rule(raw, (*path, number), report, meaning, variables)


# --- the settings -----------------------------------------------------------------------


def _settings(merged: MergedDocument) -> dict[str, dict[str, object]]:
    """Return what steers Penstock, and under "original" what steers only the original."""
    document = merged.document
    settings: dict[str, dict[str, object]] = {"on_error": {"hook": "allow"}, "original": {}}
    for table in ("audit", "logging"):
        raw = document.get(table, {})
        if isinstance(raw, dict):
            settings["original"].update(raw)
        else:
            merged.report_of(table).wrong(f"`{table}` must be a table", table)
    limits = document.get("limits")
    if isinstance(limits, dict) and "max_chain_length" in limits:
        value = _read("limits", "max_chain_length", limits["max_chain_length"], merged)
        settings["limits"] = {} if value is None else {"max_chain_length": value}
    settings["llm_fallback"] = _advisor(merged)
    return settings


def _read(table: str, key: str, raw: object, merged: MergedDocument) -> object:
    one = BY_NAME[table][key]
    try:
        return READERS[one.kind](one, raw)
    except WrongValueError as wrong:
        report = merged.report_of(table, key)
        for one_fault in wrong.all_of:
            message = f"`{key}` in [{table}] {one_fault.what}"
            report.wrong(message, table, key, hint=one_fault.hint)
    return None


def _advisor(merged: MergedDocument) -> dict[str, object]:
    """Read `[llm_fallback]`; the original checks it late, so what is missing only warns."""
    raw = merged.document.get("llm_fallback", {})
    report = merged.report_of("llm_fallback")
    if not isinstance(raw, dict):
        report.wrong("`llm_fallback` must be a table", "llm_fallback")
        return {}
    values: dict[str, object] = {}
    for key, value in raw.items():
        if key == "api_key":
            report.warn("`api_key` is not taken from a rules file", "llm_fallback", key)
        elif key not in LLM:
            report.warn(f"unknown key {shown(key)} is ignored", "llm_fallback", key)
        else:
            found = _read("llm_fallback", key, value, merged)
            values.update({} if found is None else {key: found})
    missing = [key for key in ("endpoint", "model") if not values.get(key)]
    if values.get("enabled") and missing:
        message = f"[llm_fallback] is enabled without `{missing[0]}`, so it stays off"
        report.warn(message, "llm_fallback", "enabled", hint=f"add `{missing[0]}`")
        values["enabled"] = False
    return values
