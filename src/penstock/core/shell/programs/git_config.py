"""`git config`: which settings may be written, and which are files that somebody must see.

A setting that starts a program, or that makes git read more from elsewhere, is a write to the
file it stands in (`core.text.git_settings` knows which). One that changes what later commands
mean (an alias, what a push does) is a deed.
Always true: a key that is only known when the command runs is taken for the worst one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from penstock.core.shell.effects import (
    Effect,
    Options,
    ProgramCall,
    Shell,
    Touch,
    Unclear,
    last,
    options,
    written,
)
from penstock.core.shell.expansion import Scope, Value
from penstock.core.shell.git_deed import GitKind
from penstock.core.shell.programs.git_tree import deed
from penstock.core.text.git_settings import is_personal, starts_programs
from penstock.core.text.late_regex import late_regex

_CONFIG = Value(".git/config")
_GLOBAL = Value("~/.gitconfig")
_SYSTEM = Value("/etc/gitconfig")
_READS = ("get", "get-all", "get-regexp", "get-urlmatch", "list", "l", "get-color")
_WRITES = (
    *("unset", "unset-all", "add", "replace-all", "edit", "e"),
    *("remove-section", "rename-section"),
)
_WHOLE = ("edit", "rename-section", "remove-section")
_SETTING_VARIABLES = (
    *("GIT_CONFIG_KEY_", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"),
    *("GIT_EXEC_PATH", "GIT_TEMPLATE_DIR"),
)
# Settings that change what later commands bring, lose or push.
_SWITCH = late_regex(r"[0-9]*|true|false|", re.IGNORECASE)  # no file for a trace
_MEANINGS = ("alias.", "remote.", "push.", "branch.", "clean.", "gc.", "submodule.recurse")
_VERBS = ("set", "unset", "edit", "rename-section", "remove-section")


def config(call: ProgramCall) -> Iterator[Effect]:
    """Read the words of `git config`."""
    found = options(call.args, short="ft", long="file type default blob value comment")
    verb = found.operands[0].text if found.operands else ""
    changes = found.has(*_WRITES) or verb in _VERBS or len(found.operands) > 1
    if any(given in _READS for given, _ in found.given) or verb in ("get", "list") or not changes:
        return
    words = found.operands[1:] if verb in _VERBS else found.operands
    if not _is_ordinary(found, words):
        yield Touch(_file(found))
        if found.has("global", "system"):
            key = words[0].text if words and words[0].exact else ""
            if not key or starts_programs(key, words[1].text if len(words) > 1 else "x"):
                yield Unclear("a setting for all repositories starts programs, or may")
    if len(words) > 1 and words[0].exact and not found.has("unset", "unset-all"):
        yield from setting(words[0].text, words[1].text if words[1].exact else "+")


def variables(scope: Scope) -> Iterator[Effect]:
    """Yield what settings in variables change: `GIT_CONFIG_KEY_0=alias.x` and its relatives."""
    for name, values in scope.items():
        if name == "GIT_INDEX_FILE":  # most commands write it
            yield from written(values[:1])
        if name.startswith("GIT_TRACE") and values and not _SWITCH.fullmatch(values[0].text):
            yield Touch(values[0], keeps=True)
        if not name.startswith(_SETTING_VARIABLES) or not values:
            continue
        text = values[0].text if values[0].exact else "?"
        if name.startswith("GIT_CONFIG_KEY_"):
            given = scope.get(f"GIT_CONFIG_VALUE_{name.removeprefix('GIT_CONFIG_KEY_')}", ())
            value = given[0].text if given and given[0].exact else "!"
            if starts_programs(text, value):
                yield Unclear(f"`{name}={text}` starts a program")
                yield Shell(Value(value.removeprefix("!")))
            yield from setting(text, value)
        elif text not in ("", "/dev/null"):
            yield Unclear(f"`{name}` makes git read settings or programs from elsewhere")


def steers(key: str, value: str) -> bool:
    """Say whether a setting makes git start a program, or read more from elsewhere."""
    return starts_programs(key, value)


def setting(key: str, value: str) -> Iterator[Effect]:
    """Yield what a setting changes in later commands."""
    if key.lower().startswith(_MEANINGS):
        yield deed(GitKind.SETTING, "git config", refs=(Value(key), Value(value)))


def _is_ordinary(found: Options, words: tuple[Value, ...]) -> bool:
    """True for a setting that git itself writes as well: a name, a remote.

    In the user's own file only those are that say how git looks and whom it names.
    """
    value = words[1] if len(words) > 1 else Value("x")
    whole = found.has("edit", "e", "remove-section", "rename-section")
    named = bool(words) and words[0].exact and "." in words[0].text
    if whole or not named or found.operands[0].text in _WHOLE:
        return False
    if found.has("f", "file", "system", "worktree") or words[0].text.lower() == "core.hookspath":
        return False  # also where it switches hooks off: that lasts
    if found.has("global"):
        return is_personal(words[0].text)
    unknown = "!" if words[0].text.lower().startswith(("alias.", "submodule.")) else "x"
    return not starts_programs(words[0].text, value.text if value.exact else unknown)


def _file(found: Options) -> Value:
    named = last(found.values("f", "file"))
    if named:
        return named
    if found.has("global"):
        return _GLOBAL
    return _SYSTEM if found.has("system") else _CONFIG
