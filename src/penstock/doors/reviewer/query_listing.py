"""Answers about rules and settings: what a rules file and its includes say, as plain values.

Always true: a key of the model is never told.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import to_builtins

from penstock.app.workspace import read_rules
from penstock.core.policy.regexes import search
from penstock.core.rules.layers import build
from penstock.doors.reviewer.question import (
    Document,
    Query,
    QueryContext,
    QueryError,
    flag_of,
    text_of,
)

if TYPE_CHECKING:
    from penstock.core.policy.rule import Rule
    from penstock.core.rules.layers import LoadResult

TYPES = ("allow", "deny", "ask", "warn", "safe")
SECTIONS = ("llm_fallback", "logging", "audit", "limits", "includes", "defaults", "sets")
PLACE = ("source_file", "source_line")
SECRETS = frozenset({"api_key"})


def config(query: Query, asking: QueryContext) -> Document:
    """Answer with the settings, whole or in part, or with the files they come from."""
    section = text_of(query, "section")
    loaded = asking.loaded()
    if flag_of(query, "sources"):
        return {"result": _sources(loaded)}
    settings = _settings(loaded)
    if section:
        if section not in (*SECTIONS, *settings):
            known = ", ".join(sorted({*SECTIONS, *settings}))
            raise QueryError("invalid_query", f"there is no section `{section}`", f"known: {known}")
        return {"result": _sections(settings, loaded).get(section) or settings.get(section, {})}
    rules = _rules(loaded)
    result: Document = {"config_file": loaded.name, "settings": settings}
    if flag_of(query, "full"):
        result["rules"] = rules
    return {"result": {**result, "rule_count": _counts(rules)}}


def config_files(query: Query, asking: QueryContext) -> Document:  # noqa: ARG001 - one of ANSWERS
    """Answer with the files that are read."""
    return {"result": _sources(asking.loaded())}


def rule(query: Query, asking: QueryContext) -> Document:
    """Answer with the rules that fit."""
    kind, tool, name = text_of(query, "filter", TYPES), text_of(query, "tool"), text_of(query, "id")
    source = flag_of(query, "with_source") or False
    found = [
        one if source else {key: value for key, value in one.items() if key not in PLACE}
        for one in _rules(asking.loaded())
        if (not kind or one["type"] == kind)
        and (not name or one["id"] == name)
        and (not tool or _speaks_of(one, tool))
    ]
    return {"result": {"count": len(found), "rules": found}}


def _speaks_of(one: Document, tool: str) -> bool:
    """Say whether a rule may speak of a tool."""
    regex, exclude = one.get("tool_regex"), one.get("tool_exclude_regex")
    if not regex:
        return one.get("tool") in (None, "", tool)
    return search(str(regex), tool) and not (bool(exclude) and search(str(exclude), tool))


def rule_count(query: Query, asking: QueryContext) -> Document:  # noqa: ARG001 - one of ANSWERS
    """Answer with how many rules there are."""
    return {"result": _counts(_rules(asking.loaded()))}


def _counts(rules: list[Document]) -> Document:
    kinds = Counter({"allow": 0, "deny": 0})
    kinds.update(str(one["type"]) for one in rules)
    tools = Counter(str(one.get("tool") or one.get("tool_regex") or "*") for one in rules)
    return {**kinds, "total": len(rules), "by_tool": dict(tools.most_common())}


ANSWERS: Mapping[str, Callable[[Query, QueryContext], Document]] = {
    "config": config,
    "config_files": config_files,
    "rule": rule,
    "rule_count": rule_count,
}


# --- what the files say ---------------------------------------------------------------------------


def _rules(loaded: LoadResult) -> list[Document]:
    return [_document(rule, raw) for rule, raw in _each(loaded)]


def _settings(loaded: LoadResult) -> dict[str, Document]:
    """Return what the files say, by table; the original's own settings under their own name."""
    told: dict[str, Document] = {}
    for table, values in loaded.settings.items():
        name = {"": "general", "original": "logging"}.get(table, table)
        told[name] = {key: _plain(value) for key, value in values.items() if key not in SECRETS}
    return told


def _sections(settings: Mapping[str, Document], loaded: LoadResult) -> dict[str, Document]:
    """Return the tables that say more when asked for: what holds where the file is silent."""
    usual = {key: _plain(value) for key, value in to_builtins(build(loaded).advisor).items()}
    found = {"llm_fallback": {**usual, **settings.get("llm_fallback", {})}}
    if "original" in loaded.settings:
        found["audit"] = settings["logging"]
    return found


def _plain(value: object) -> object:
    if isinstance(value, tuple | list | frozenset):
        return [_plain(one) for one in value]
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


def _sources(loaded: LoadResult) -> Document:
    base, *includes = [file for file, _ in loaded.sources] or [loaded.name]
    return {"base": base, "includes": includes}


def _each(loaded: LoadResult) -> Iterator[tuple[Rule, Mapping[str, object]]]:
    """Yield each rule once as it is written; one of the original may stand for several of ours."""
    written = _written(loaded)
    seen: set[tuple[str, str]] = set()
    for rule in loaded.rules:
        key = (rule.id, str(rule.where))
        if key not in seen:
            seen.add(key)
            yield rule, written.get(rule.id, {})


def _written(loaded: LoadResult) -> dict[str, Mapping[str, object]]:
    """Return the tables of rules with an id, as they stand in the files."""
    found: dict[str, Mapping[str, object]] = {}
    for file, _ in loaded.sources:
        try:
            document = tomllib.loads((read_rules(file) or b"").decode("utf-8-sig"))
        except (ValueError, RecursionError):
            continue
        tables = [document, *(v for v in document.values() if isinstance(v, dict))]
        for raw in (r for t in tables for k in TYPES for r in _list(t.get(k))):
            if isinstance(raw, dict) and isinstance(raw.get("id"), str):
                found.setdefault(raw["id"], raw)
    return found


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _type(rule: Rule) -> str:
    if rule.warns:
        return "warn"
    return str(rule.verdict) if rule.verdict else "safe"


def _document(rule: Rule, raw: Mapping[str, object]) -> Document:
    told: Document = {"id": rule.id, "type": _type(rule)}
    if raw:
        told |= {key: _plain(value) for key, value in raw.items() if key != "id"}
    else:
        told |= _fields(rule)
    if not rule.enabled:
        told["enabled"] = False
    if rule.where.section:
        told["section"] = rule.where.section
    return told | {"source_file": rule.where.file, "source_line": rule.where.line}


def _fields(rule: Rule) -> Document:
    told: Document = {
        "description": rule.description,
        "tool": rule.tool,
        "tool_regex": rule.tool_regex,
        "paths": list(rule.paths),
    }
    for test in rule.fields:
        told[f"{test.name}_regex"] = test.regex
        told[f"{test.name}_exclude_regex"] = test.exclude
        told[test.name] = test.exact
    return {key: value for key, value in told.items() if value}
