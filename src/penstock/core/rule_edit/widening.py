"""Say whether edited rules files would allow more than before; in doubt they would.

An agent can set the switch that lets it edit rules, so an edit that loosens them may need a
person. Only what surely tightens, or surely changes no answer, passes without a reason.
Always true: no reason means that no request is answered more leniently because of the texts
after; what is not understood is a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from penstock.core.model import STRICTNESS, Verdict
from penstock.core.rule_edit.dialect import RuleDialect, dialect_of
from penstock.core.rule_edit.operation import EditError
from penstock.core.rule_edit.pieces import rules_in
from penstock.core.rule_edit.source import read_text
from penstock.core.rules.documents import Document
from penstock.core.rules.fields import ADDED_PRESETS, BY_NAME, EDITED_TABLES
from penstock.core.rules.permissions_hook.document import SECTION_KEYS, SETTINGS, meaning_of
from penstock.core.rules.permissions_hook.rule import FIELD_KEYS, Meaning
from penstock.core.rules.rule import GLOB_FIELDS
from penstock.core.rules.toml_positions import Name

Rule = Mapping[str, object]
UNTOLD = "it is unknown what was allowed before"

# What a rule only says, and never decides by.
WORDS = frozenset(
    {"id", "description", "reason", "note", "instead", "code", "owner", "match", "not_match"}
)
# Every one of these narrows what a rule speaks of when it is there; the text inside may be
# anything. In the original only the exclusions do: there a missing field means something else.
EXCLUSIONS = frozenset(
    key for key in BY_NAME["rule"] if key.endswith("_exclude_regex") or key == "not_paths"
)
CONDITIONS = EXCLUSIONS | {
    *(key for key in BY_NAME["rule"] if key.endswith("_regex")),
    *("line_threshold", "change_threshold", "max_bytes", "kinds", "expires_at", "subagent_type"),
    *("inside", "beyond", "tree", "uncommitted", "not_by", "within"),
}


def widens(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> tuple[str, ...]:
    """Return why the texts after may allow more than those before; empty when they do not."""
    changed = [path for path in after if before.get(path) != after[path]]
    reasons = (why for path in changed for why in _in_file(path, before.get(path), after[path]))
    return tuple(dict.fromkeys(reasons))


def _in_file(path: str, before: bytes | None, after: bytes) -> Iterator[str]:
    try:
        old: Document = {} if before is None else read_text(path, before).document
        new = read_text(path, after).document
    except EditError:
        yield UNTOLD
        return
    dialect = dialect_of(path, new)
    if before is None and path.endswith("penstock.toml") and new.get("preset") not in PRESETS:
        yield "it takes the place of the preset that holds without it"
    if dialect_of(path, old) is not dialect and old:
        yield "the file is now read in another way"
        return
    yield from _rules(old, new, dialect, asking=_asking_is_strict(path, old, new))
    yield from _settings(old, new, dialect)
    if dialect is not RuleDialect.OWN:
        yield from _readings(old, new)


# --- rules ------------------------------------------------------------------------------


def _tables(document: Document, dialect: RuleDialect) -> list[Name]:
    if dialect is not RuleDialect.SECTIONED:
        known = EDITED_TABLES if dialect is RuleDialect.OWN else ("allow", "deny")
        return [(key,) for key in known if isinstance(document.get(key), list)]
    return [
        (name, kind)
        for name, section in document.items()
        if name not in SETTINGS and isinstance(section, dict)
        for kind in ("allow", "deny")
        if kind in section
    ]


# What holds where there is no `penstock.toml` is the first, and the other is stricter.
PRESETS = ("guard", "strict")
# Presets whose defaults are never `deny`, so that a question is never milder than them.
MILD_PRESETS = (None, *PRESETS)


def _asking_is_strict(path: str, old: Document, new: Document) -> bool:
    """Say whether asking is surely no milder than what is said where no rule speaks.

    A default of `deny` holds only until some rule speaks, so a rule that asks would open it.
    """
    if not path.endswith("penstock.toml"):
        return False  # perhaps included by a file that denies by default
    return all(
        one.get("preset") in MILD_PRESETS
        and _includes_are_mild(one.get("includes", {}))
        and "deny" not in (_mapping(one.get("defaults")).values())
        for one in (old, new)
    )


def _includes_are_mild(includes: object) -> bool:
    """Say whether shipped files that deny nothing by default are all that is included."""
    if not isinstance(includes, dict) or includes.keys() - {"presets"}:
        return False
    return _is_part(includes.get("presets", []), [*PRESETS, *ADDED_PRESETS])


def _mapping(value: object) -> Rule:
    return value if isinstance(value, dict) else {}


def _rules(old: Document, new: Document, dialect: RuleDialect, *, asking: bool) -> Iterator[str]:
    tables = dict.fromkeys([*_tables(old, dialect), *_tables(new, dialect)])
    for kind in dict.fromkeys(table[-1] for table in tables):
        ours = [table for table in tables if table[-1] == kind]
        was = _by_name(old, ours)
        now = _by_name(new, ours)
        for name in [*was, *(name for name in now if name not in was)]:
            if was.get(name) == now.get(name):
                continue
            if kind == "ask" and not asking:
                yield f"ask rule '{name[:200]}' changes what may be denied by default"
            before, after = was.get(name, [None]), now.get(name, [None])
            if len(before) == len(after) == 1:
                yield from _rule(kind, name, before[0], after[0], dialect)
            else:
                yield f"{kind} rule '{name[:200]}' is there several times"


def _by_name(document: Document, tables: list[Name]) -> dict[str, list[Rule | None]]:
    """Return the rules by id, each with those that share it; one without says its own name."""
    found: dict[str, list[Rule | None]] = {}
    for table in tables:
        for raw in rules_in(document, table):
            rule = raw if isinstance(raw, dict) else {"?": raw}
            name = rule.get("id")
            named = name if isinstance(name, str) else repr(sorted(rule.items()))
            found.setdefault(named, []).append(rule)
    return found


LOOSE = ("allow", "safe", "except", "warn")


def _rule(
    kind: str, name: str, was: Rule | None, now: Rule | None, dialect: RuleDialect
) -> Iterator[str]:
    name = name if len(name) <= 200 else f"{name[:200]}..."
    if was is None or now is None:
        yield from _new_or_gone(kind, name, was, now)
        return
    off, on = was.get("enabled") is False, now.get("enabled") is not False
    loose = kind in LOOSE and kind != "warn"
    if (loose and not on) or (not loose and off and on and kind != "warn"):
        return  # falls silent, or begins to deny
    for key in dict.fromkeys((*was, *now)):
        if was.get(key) == now.get(key) or key in WORDS:
            continue
        if kind == "warn" or not _narrows(key, was, now, dialect, grows=not loose):
            does = "allow more" if loose else "deny less"
            yield f"{kind} rule '{name}' may {does}: `{key}` changed"


def _new_or_gone(kind: str, name: str, was: Rule | None, now: Rule | None) -> Iterator[str]:
    rule = now if was is None else was
    if rule is not None and rule.get("enabled") is False:
        return
    if was is None and kind in LOOSE:
        yield f"{kind} rule '{name}' is new"
    if now is None and (kind == "warn" or kind not in LOOSE):
        yield f"{kind} rule '{name}' is gone"


def _narrows(key: str, was: Rule, now: Rule, dialect: RuleDialect, *, grows: bool) -> bool:
    """Say whether a rule surely speaks of less than before, or with `grows` of more."""
    less, more = (now, was) if not grows else (was, now)
    if key == "enabled":
        return less.get(key) is False
    if key in GLOB_FIELDS and key in less and key in more:
        small, large = (more, less) if key == "not_paths" else (less, more)
        return _is_part(small[key], large[key])
    sure = CONDITIONS if dialect is RuleDialect.OWN else EXCLUSIONS
    return key in sure and key in less and key not in more


def _is_part(small: object, large: object) -> bool:
    return isinstance(small, list) and isinstance(large, list) and all(g in large for g in small)


# --- settings ---------------------------------------------------------------------------

Setting = Callable[[Any, Any], bool]


def _strict(was: Any, now: Any) -> bool:
    """Verdicts: the later one at least as strict."""
    known = {str(verdict) for verdict in Verdict}
    return was in known and now in known and STRICTNESS[Verdict(now)] >= STRICTNESS[Verdict(was)]


def _ordered(*words: object) -> Setting:
    """Words from the laxest to the strictest."""
    return lambda was, now: was in words and now in words and words.index(now) >= words.index(was)


def _lower(was: Any, now: Any) -> bool:
    return isinstance(was, int | float) and isinstance(now, int | float) and now <= was


# What is not here is a reason whenever it changes.
TIGHTER: Mapping[tuple[str, str], Setting] = {
    ("", "outside_project"): _ordered("none", "ask", "deny"),
    ("", "mode"): _ordered("judge", "propose"),
    ("", "observe"): _ordered(True, False),
    ("", "version"): lambda _was, _now: True,
    ("gate", "mode"): _ordered("judge", "propose"),
    ("approval", "ttl_seconds"): _lower,
    ("approval", "require_key"): _ordered(False, True),
    ("approval", "totp"): _ordered(False, True),
    ("approval", "rules"): _ordered("switch", "person"),
    ("broker", "enabled"): _ordered(True, False),
    ("broker", "auto_apply"): _ordered(True, False),
}
DEFAULT_OF = {
    (table, key): one.default for table, known in BY_NAME.items() for key, one in known.items()
}
QUIET = ("description", "priority")  # of a section: words, and an order that decides nothing


def _settings(old: Document, new: Document, dialect: RuleDialect) -> Iterator[str]:
    rules = EDITED_TABLES if dialect is RuleDialect.OWN else ("allow", "deny")
    for name in dict.fromkeys((*old, *new)):
        was, now = old.get(name), new.get(name)
        if was == now or (name in rules and not isinstance(was or now, str)):
            continue
        if isinstance(was, dict | None) and isinstance(now, dict | None):
            section = dialect is RuleDialect.SECTIONED and name not in SETTINGS
            yield from (_section if section else _table)(name, was or {}, now or {})
        elif not _is_tighter("", name, was, now):
            yield f"`{name}` changed"


def _section(name: str, was: Rule, now: Rule) -> Iterator[str]:
    """A section that is switched, on or off, brings or takes rules of both kinds."""
    for key in dict.fromkeys((*was, *now)):
        if key not in ("allow", "deny", *QUIET) and was.get(key) != now.get(key):
            gone = key in SECTION_KEYS and was.get(key, True) == now.get(key, True)
            if not gone:
                yield f"`{name}.{key}` changed"


def _table(name: str, was: Rule, now: Rule) -> Iterator[str]:
    if name == "llm_fallback" and _is_off(was) and _is_off(now):
        return  # whoever is not asked makes no answer stricter, and hears nothing
    for key in dict.fromkeys((*was, *now)):
        if was.get(key) != now.get(key) and not _is_tighter(name, key, was.get(key), now.get(key)):
            yield f"`{name}.{key}` changed"


def _is_off(table: Rule) -> bool:
    return table.get("enabled", False) is False


def _is_tighter(table: str, key: str, was: object, now: object) -> bool:
    usual = DEFAULT_OF.get((table, key))
    if table == "defaults" and key in ("create", "delete") and (was is None or now is None):
        return False  # absent it is as `write`, which is somewhere else
    was, now = (usual if one is None else one for one in (was, now))
    judge = _strict if table in ("defaults", "on_error") else TIGHTER.get((table, key))
    return was == now or (judge is not None and judge(was, now))


# --- how the original reads a file ------------------------------------------------------


def _readings(old: Document, new: Document) -> Iterator[str]:
    """Yield what changes without a word about it: lists that are dropped, another dialect."""
    includes = new.get("includes")
    if isinstance(includes, dict) and includes.get("files"):
        for table in _tables(new, dialect_of("", new)):
            if table[-1] == "deny" and not rules_in(old, table) and rules_in(new, table):
                yield f"`{'.'.join(table)}` now hides the rules of that name in included files"
        for table in _tables(old, dialect_of("", old)):
            if table[-1] == "allow" and rules_in(old, table) and not rules_in(new, table):
                yield f"`{'.'.join(table)}` no longer hides the rules of included files"
    meanings = {meaning_of(old), meaning_of(new)}
    if len(meanings) > 1 and Meaning.LEAVES in meanings and old:
        yield "the file is now read as another of the original's dialects"
    elif len(meanings) > 1 and _has_bare_allow(new):
        yield "rules that name only a tool now match it"


def _has_bare_allow(document: Document) -> bool:
    tables = _tables(document, dialect_of("", document))
    return any(
        isinstance(rule, dict) and FIELD_KEYS.isdisjoint(rule)
        for table in tables
        if table[-1] == "allow"
        for rule in rules_in(document, table)
    )
