"""Git's settings as text: which of them make git start programs, or read more from elsewhere.

Git writes its own settings all the time: a remote, a branch's upstream, a name. A few of them
hand the next git command to somebody else, and only those matter here.
Always true: a text that git itself would not read is not taken for a harmless one.
"""

from __future__ import annotations

import re

from penstock.core.text.late_regex import late_regex

# Settings that make git start programs, or read more settings, hooks or files from elsewhere.
_NAMES = frozenset(
    {
        *("core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "core.hookspath"),
        *("core.askpass", "core.gitproxy", "core.worktree", "core.alternaterefscommand"),
        *("core.attributesfile", "sequence.editor", "diff.external", "include.path"),
        *("init.templatedir", "interactive.difffilter", "uploadpack.packobjectshook"),
        *("gc.recentobjectshook", "web.browser", "extensions.worktreeconfig", "help.browser"),
    }
)
_BEFORE = ("pager.", "filter.", "includeif.", "hook.", "sendemail.", "protocol.", "guitool.")
_AFTER = (
    *(".helper", ".textconv", ".command", ".driver", ".cmd", ".program", ".path", ".clean"),
    *(".smudge", ".process", ".uploadpack", ".receivepack", ".vcs", ".proxy", ".tocmd", ".cccmd"),
)
# How git looks, whom it names, and which way a pull goes: a user's own file may say so.
_PERSONAL = frozenset(
    {
        *("init.defaultbranch", "pull.rebase", "pull.ff", "push.autosetupremote", "push.default"),
        *("push.followtags", "fetch.prune", "fetch.prunetags", "rebase.autostash"),
        *(
            "rebase.autosquash",
            "merge.conflictstyle",
            "merge.ff",
            "diff.algorithm",
            "diff.colormoved",
        ),
        *("core.autocrlf", "core.eol", "core.filemode", "core.ignorecase", "core.quotepath"),
        *("core.longpaths", "core.abbrev", "core.precomposeunicode", "rerere.enabled"),
        *("commit.verbose", "log.date", "help.autocorrect", "format.signoff", "safe.directory"),
    }
)
_PERSONAL_BEFORE = ("user.", "color.", "advice.", "column.", "author.", "committer.")
_HARMLESS = frozenset({"", "cat", "less", "true", "false", "no", "0", "off", ":", "/dev/null"})
MOST_LINES = 20_000

_SECTION = late_regex(r"\[\s*([A-Za-z0-9.-]+)(?:\s+\"((?:[^\"\\]|\\.)*)\")?\s*\]\s*")
_SETTING = late_regex(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$", re.DOTALL)
_PIECE = late_regex(r"\\(.)|\"|[#;].*|[^\\\"#;]+", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}

Settings = list[tuple[str, str]]


def starts_programs(name: str, value: str) -> bool:
    """Say whether a setting makes git start a program, or read more from elsewhere."""
    key = name.lower()
    if value.startswith(("!", "ext::")):
        return True
    if key.startswith("alias."):
        return value.startswith("-")  # an alias may hold options, and with them any setting
    risky = key in _NAMES or key.startswith(_BEFORE) or key.endswith(_AFTER)
    return risky and value not in _HARMLESS


def is_personal(name: str) -> bool:
    """Say whether a setting is one that everybody makes for themselves, and that starts nothing."""
    key = name.lower()
    return key in _PERSONAL or key.startswith(_PERSONAL_BEFORE)


def steering(data: bytes) -> Settings | None:
    """Return the settings of a file that matter, in order; None where it cannot be read."""
    found = _settings(data.decode("utf-8", "surrogateescape").removeprefix("\ufeff"))
    if found is None:
        return None
    return [(name, value) for name, value in found if starts_programs(name, value)]


def _settings(text: str) -> Settings | None:
    section, found = "", Settings()
    lines = re.sub(r"\\\r?\n", "\x00", text).split("\n")
    if len(lines) > MOST_LINES:
        return None
    for line in lines:
        rest = line.replace("\x00", "").strip()
        header = _SECTION.match(rest)
        if header:
            top, below = header.groups()
            section = f"{top.lower()}.{_unescaped(below)}" if below is not None else top.lower()
            rest = rest[header.end() :]
        if not rest or rest[0] in "#;":
            continue
        setting = _SETTING.match(rest)
        if not setting or not section:
            return None
        name, value = setting.groups()
        found.append((f"{section}.{name.lower()}", _value(value)))
    return found


def _value(text: str | None) -> str:
    """Return a value as git reads it: quotes gone, escapes decoded, a comment cut off."""
    if text is None:
        return "true"
    out, quoted = "", False
    at = 0
    while at < len(text):
        piece = _PIECE.match(text, at)
        if piece is None:
            break
        whole, escape = piece.group(), piece.group(1)
        if escape:
            out += _ESCAPES.get(escape, escape)
        elif whole == '"':
            quoted = not quoted
        elif whole[0] in "#;":
            if not quoted:
                break
            out, whole = out + whole[0], whole[0]
        else:
            out += whole
        at += len(whole)
    return out.strip()


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
