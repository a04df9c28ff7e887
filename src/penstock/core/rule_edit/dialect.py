"""Tell how a file writes its rules: as `penstock.toml`, or as one of the original's dialects.

Reading and judging rules is for the readers of those dialects; an edit has to know only where
a new rule goes, how one is switched off, and which fields the file's own program refuses.
Always true: in doubt a file is taken for one of the original's, whose way to switch a rule
off works in all of them.
"""

from __future__ import annotations

import posixpath
from enum import Enum, auto

from penstock.core.rules import foreign
from penstock.core.rules.documents import Document
from penstock.core.rules.fields import BY_NAME, EDITED_TABLES, SETS
from penstock.core.rules.permissions_hook.document import SECTION_KEYS, SETTINGS, meaning_of
from penstock.core.rules.permissions_hook.includes import list_of
from penstock.core.rules.permissions_hook.rule import ORIGINAL_KEYS, Meaning
from penstock.core.rules.toml_positions import Name


class RuleDialect(Enum):
    """How a file writes its rules."""

    OWN = auto()  # penstock.toml: five tables, and rules that can be disabled by a key
    FLAT = auto()  # the original's [[allow]] and [[deny]]
    SECTIONED = auto()  # the original's [[section.allow]] and [[section.deny]]


# People write `enabled` into files of the original, too, where it means nothing.
OUR_FIELDS = frozenset(BY_NAME["rule"]) - ORIGINAL_KEYS - {"enabled"}
OURS = frozenset({"version", "preset", "defaults", "on_error", "gate", "approval", "broker", SETS})


def dialect_of(path: str, document: Document) -> RuleDialect:
    """Tell how a file writes its rules; in doubt as the original does, which we read too."""
    if posixpath.basename(path) == "penstock.toml" or OURS & document.keys():
        return RuleDialect.OWN
    if not foreign.is_original(path, document) and _uses_our_words(document):
        return RuleDialect.OWN
    logging = document.get("logging")
    sections = any(_is_section(key, value) for key, value in document.items())
    late = isinstance(logging, dict) and "review_log_file" in logging
    flat = "allow" in document or "deny" in document
    return RuleDialect.SECTIONED if (sections or late) and not flat else RuleDialect.FLAT


def _is_section(key: str, value: object) -> bool:
    if key in SETTINGS or not isinstance(value, dict):
        return False
    return "allow" in value or "deny" in value or value.keys() <= set(SECTION_KEYS)


def _uses_our_words(document: Document) -> bool:
    if {"ask", "except", "warn", "safe", "disable", "outside_project"} & document.keys():
        return True
    rules = (rule for key in ("allow", "deny") for rule in list_of(document.get(key)))
    return any(isinstance(rule, dict) and not OUR_FIELDS.isdisjoint(rule) for rule in rules)


def is_nameless(document: Document, dialect: RuleDialect) -> bool:
    """Tell whether a file is for the fork that refuses keys it does not know, as `id` is.

    It shows by what only that fork has, and by rules none of which has an id.
    """
    if dialect is not RuleDialect.FLAT or meaning_of(document) is not Meaning.LEAVES:
        return False
    rules = (rule for key in ("allow", "deny") for rule in list_of(document.get(key)))
    return not any(isinstance(rule, dict) and {"id", "description"} & rule.keys() for rule in rules)


def table_of(name: Name, dialect: RuleDialect) -> Name | None:
    """Return the table of rules that a header's name leads into, or None."""
    if dialect is RuleDialect.SECTIONED:
        inside = len(name) > 1 and name[1] in ("allow", "deny") and name[0] not in SETTINGS
        return name[:2] if inside else None
    known = EDITED_TABLES if dialect is RuleDialect.OWN else ("allow", "deny")
    return name[:1] if name[0] in known else None
