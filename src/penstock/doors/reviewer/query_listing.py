"""Answers about rules and settings from a listing: what a rules file says, as plain values.

The listing is made by `query_rules` when a file is first asked about and kept; most questions
are then answered without reading rules at all, so nothing heavy is imported here.
Always true: an answer from a kept listing is the answer that reading the files would give.
"""

from __future__ import annotations

from penstock.doors.reviewer.query import QueryError, flag_of, text_of

TYPE_CHECKING = False  # what `typing` calls so; type checkers know the bare name too
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from penstock.doors.reviewer.query import Document, Query

    Listing = Mapping[str, Any]

TYPES = ("allow", "deny", "ask", "warn", "safe")
SECTIONS = ("llm_fallback", "logging", "audit", "limits", "includes", "defaults")
PLACE = ("source_file", "source_line")


def config(query: Query, listing: Listing) -> Document:
    """Answer with the settings, whole or in part, or with the files they come from."""
    section = text_of(query, "section")
    if flag_of(query, "sources"):
        return {"result": listing["sources"]}
    settings = listing["settings"]
    if section:
        if section not in (*SECTIONS, *settings):
            known = ", ".join(sorted({*SECTIONS, *settings}))
            raise QueryError("invalid_query", f"there is no section `{section}`", f"known: {known}")
        return {"result": listing["sections"].get(section) or settings.get(section, {})}
    result: Document = {"config_file": listing["file"], "settings": settings}
    if flag_of(query, "full"):
        result["rules"] = listing["rules"]
    return {"result": {**result, "rule_count": _counts(listing)}}


def config_files(query: Query, listing: Listing) -> Document:  # noqa: ARG001 - a row of the table
    """Answer with the files that are read."""
    return {"result": listing["sources"]}


def rule(query: Query, listing: Listing) -> Document:
    """Answer with the rules that fit."""
    kind, tool, name = text_of(query, "filter", TYPES), text_of(query, "tool"), text_of(query, "id")
    source = flag_of(query, "with_source") or False
    found = [
        one if source else {key: value for key, value in one.items() if key not in PLACE}
        for one in listing["rules"]
        if (not kind or one["type"] == kind)
        and (not name or one["id"] == name)
        and (not tool or speaks_of(one, tool))
    ]
    return {"result": {"count": len(found), "rules": found}}


def speaks_of(one: Mapping[str, Any], tool: str) -> bool:
    """Say whether a rule may speak of a tool."""
    regex, exclude = one.get("tool_regex"), one.get("tool_exclude_regex")
    if not regex:
        return one.get("tool") in (None, "", tool)
    from penstock.core.policy.regexes import search

    return search(regex, tool) and not (bool(exclude) and search(str(exclude), tool))


def rule_count(query: Query, listing: Listing) -> Document:  # noqa: ARG001 - a row of the table
    """Answer with how many rules there are."""
    return {"result": _counts(listing)}


def _counts(listing: Listing) -> Document:
    kinds = {"allow": 0, "deny": 0}
    tools: dict[str, int] = {}
    for one in listing["rules"]:
        kinds[one["type"]] = kinds.get(one["type"], 0) + 1
        tool = str(one.get("tool") or one.get("tool_regex") or "*")
        tools[tool] = tools.get(tool, 0) + 1
    by_tool = dict(sorted(tools.items(), key=lambda one: -one[1]))
    return {**kinds, "total": sum(kinds.values()), "by_tool": by_tool}


ANSWERS: Mapping[str, Callable[[Query, Listing], Document]] = {
    "config": config,
    "config_files": config_files,
    "rule": rule,
    "rule_count": rule_count,
}
