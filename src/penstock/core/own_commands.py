"""Penstock's own commands: which are for people alone, and which an agent may run as well.

Whoever adds a command says here whose it is; a test holds this table and the commands of `cli`
together. Finding such a command inside shell text is the work of `core/shell`.
Always true: what cannot be read counts as a command for people, and asking for help is free.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# What `[project.scripts]` installs; `REVIEWER` is the group `rules` by another name.
PENSTOCK, REVIEWER = "penstock", "decision_reviewer"
PROGRAMS = (PENSTOCK, REVIEWER)
# What a registration that a team shares starts; it only answers agents.
HOOK_PROGRAM = "penstock-hook"

# Commands for people, each with what it does. `rules` is a group: its commands follow it.
FOR_PEOPLE: Mapping[str, str] = {
    "approve": "approves a pending change",
    "apply": "writes an approved change",
    "reject": "rejects a pending change",
    "undo": "reverts a change",
    "edit": "edits a pending change",
    "rebase": "merges a pending change with the current file",
    "renew": "extends a pending change",
    "review": "decides on pending changes",
    "allow": "allows what the rules deny",
    "uninstall": "removes the hooks",
    "projects --forget": "removes a project's audit log and pending changes",
    "approver": "manages the approver's key",
    "open": "opens the review page",
    "broker-cli": "decides on pending changes",
    "broker --role front-end": "decides on pending changes",
    "runs apply": "writes the changes of a run",
    "runs enter": "opens a shell in the layer of a run",
    "runs merge": "moves a branch to the commits of a run",
    "runs drop": "removes the changes of a run",
    "runs clean": "removes runs",
    "ship --sink": "sends the audit log to another address",
    "bundle sign": "signs a bundle",
    "bundle init-key": "creates an organisation's key",
    "rules apply": "changes the active rules",
    "rules add": "changes the active rules",
}
# These hold for files of the policy in force only; the write switch is enough for others.
ON_RULES = frozenset({"rules apply", "rules add"})

FOR_ANYONE = frozenset(
    {
        *("hook", "judge", "init", "doctor", "check", "status", "proposals", "show", "watch"),
        "projects",
        *("sandbox", "sandbox new", "sandbox clean", "broker", "mcp", "serve", "demo"),
        *("notify", "notify test", "notify send", "completion", "approver show"),
        "approver passkeys",
        *("help", "version", "run", "runs", "runs ls", "runs diff"),
        *("audit", "audit log", "audit verify", "audit export", "audit checkpoint"),
        *("audit secrets", "why", "log", "report", "ship"),
        *("bundle", "bundle build", "bundle verify", "bundle show", "bundle fetch"),
        *("bundle key", "bundle approver"),
        *("rules", "rules query", "rules suggest", "rules stale", "rules test"),
        *("rules profile", "rules analyze-rule"),
    }
)
_PAIRS = [name.split() for name in (*FOR_PEOPLE, *FOR_ANYONE) if "--" not in name]
_TOPS = frozenset(words[0] for words in _PAIRS)
GROUPS: Mapping[str, frozenset[str]] = {
    pair[0]: frozenset(below for top, *rest in _PAIRS if top == pair[0] for below in rest)
    for pair in _PAIRS
    if len(pair) > 1
}
_HELP = ("--help", "-h", "--version")
UNREADABLE = "?"

Words = Sequence["str | None"]


def command_for_people(program: str, words: Words) -> str:
    """Return the key in `FOR_PEOPLE` of what some words would run, "" for all other commands.

    A word of None is only known when it runs; `UNREADABLE` stands for such a command.
    """
    words = [word for word in words if word != ""]  # `{penstock,} approve`
    if _asks_for_help(words):
        return ""
    top, rest = ("rules", words) if program == REVIEWER else _command(words, _TOPS)
    if top in GROUPS:
        below, _ = _command(rest, GROUPS[top])
        top = below if below == UNREADABLE else f"{top} {below}" if below else top
    elif top == "broker" and _option(rest, "--role") in (None, "front-end"):
        top = "broker --role front-end"
    elif top == "projects" and any(word is None or word.startswith("--forget") for word in rest):
        top = "projects --forget"
    elif top == "ship" and any(word is None or word.startswith("--sink") for word in rest):
        top = "ship --sink"
    return _key(top)


def _key(command: str) -> str:
    return command if command in FOR_PEOPLE or command == UNREADABLE else ""


def _command(words: Words, known: frozenset[str]) -> tuple[str, Words]:
    """Return the first word that is a command, and what follows; options may come before it."""
    after_option = False
    for at, word in enumerate(words):
        if word is None and not after_option:
            return UNREADABLE, words[at + 1 :]
        if word in known:
            return word, words[at + 1 :]
        option = word is not None and word.startswith("-")
        if not option and not after_option:
            return "", ()  # no command of ours: it will only complain
        after_option = option and "=" not in str(word)
    return "", ()


def _option(words: Words, name: str) -> str | None:
    """Return the value of an option, "" for none; the last one counts."""
    found: str | None = ""
    for at, word in enumerate(words):
        if word == name:
            found = words[at + 1] if at + 1 < len(words) else ""
        elif word is not None and word.startswith(f"{name}="):
            found = word.partition("=")[2]
    return found


def _asks_for_help(words: Words) -> bool:
    """Help is shown in place of the command, unless it is the value of the option before it."""
    for at, word in enumerate(words):
        if word == "--":
            return False
        if word in _HELP:
            before = words[at - 1] if at else ""
            return before is not None and not before.startswith("-")
    return False
