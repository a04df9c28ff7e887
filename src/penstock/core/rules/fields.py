"""Every field of `penstock.toml`, once: its name, what it holds, and what it is for.

The reader takes values through this table, the JSON Schema and the manual are made from it,
so that the three cannot differ. Reading one value is `values`' work, and what the
fields of a rule mean together is `rule`'s.
Always true: a key that is not in this table is a problem, wherever it is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from penstock.core.model import Verdict
from penstock.core.policy.model import ON_ERROR, Warn

MOST = 2**53  # every whole number up to here survives JSON


class FieldKind(StrEnum):
    """What a field holds."""

    TEXT = "text"
    ID = "id"
    REGEX = "regex"
    GLOBS = "globs"
    TEXTS = "texts"
    WORD = "word"
    WORDS = "words"
    FLAG = "flag"
    COUNT = "count"
    RATIO = "ratio"
    NUMBER = "number"
    MOMENT = "moment"
    URL = "url"
    TARGETS = "targets"
    HOURS = "hours"


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """One key: `words` are all it may say; `least` and `most` bound a number."""

    name: str
    kind: FieldKind
    doc: str
    words: tuple[str, ...] = ()
    least: int = 0
    most: int = MOST
    default: object = None


VERDICTS = tuple(Verdict)
RULE_TABLES = ("deny", "ask", "warn", "allow", "safe")
EXCEPT = "except"  # takes something out of a rule; edited like one
EDITED_TABLES = (*RULE_TABLES, EXCEPT)
SETS = "sets"  # its keys are free
ACTION_WORDS = ("read", "write", "create", "delete", "modify", "run")
DOORS = ("hook", "broker", "langgraph", "mcp", "http", "terminal", "tui")
PRESETS = ("guard", "strict", "hook-spec", "broker-spec")  # what a policy can start from
ADDED_PRESETS = ("destructive",)  # only rules: no defaults, nothing is granted


def _verdict(name: str, doc: str, default: str = "allow") -> Field:
    return Field(name=name, kind=FieldKind.WORD, words=VERDICTS, doc=doc, default=default)


def _regex(name: str, doc: str) -> Field:
    return Field(name=name, kind=FieldKind.REGEX, doc=doc)


def _count(name: str, doc: str, default: int | None = None, least: int = 0) -> Field:
    return Field(name=name, kind=FieldKind.COUNT, doc=doc, default=default, least=least)


def _text(name: str, doc: str, default: str | None = None) -> Field:
    return Field(name=name, kind=FieldKind.TEXT, doc=doc, default=default)


def _flag(name: str, doc: str, *, default: bool) -> Field:
    return Field(name=name, kind=FieldKind.FLAG, doc=doc, default=default)


def _word(name: str, doc: str, words: tuple[str, ...], default: str | None = None) -> Field:
    return Field(name=name, kind=FieldKind.WORD, doc=doc, words=words, default=default)


_OWNER = _text("owner", "Who answers for it: a person, a team, a ticket.")
_RATIO = "at least this part of its lines; above 0, at most 1"
_GATE = (
    _count("line_threshold", "A change is substantial in files of at least so many lines.", 100),
    Field(
        name="change_threshold",
        kind=FieldKind.RATIO,
        doc=f"And when the file loses {_RATIO}.",
        default=0.5,
    ),
)
_WARN = _word("warn", "What a `[[warn]]` rule does besides its note.", tuple(Warn), "context")
_MODES = ("judge", "propose")
_MODE = _word(
    "mode",
    "Whether a hook asks by itself, or stores what is to be asked about as a proposal.",
    _MODES,
    "judge",
)

TOP = (
    Field(
        name="version",
        kind=FieldKind.COUNT,
        doc="The version of this format.",
        least=1,
        most=1,
        default=1,
    ),
    _word("preset", "A shipped rules file to start from, as if it were included.", PRESETS),
    _WARN,
    _word(
        "outside_project",
        "What is said of paths outside the project.",
        ("none", "ask", "deny"),
        "none",
    ),
    _MODE,
    _flag(
        "observe",
        "Decide and record, and stop nothing but what would remove Penstock or its record.",
        default=False,
    ),
    Field(
        name="disable",
        kind=FieldKind.TEXTS,
        doc="Ids of rules, from a preset or an include, to switch off.",
    ),
)

RULE = (
    Field(
        name="id", kind=FieldKind.ID, doc="The rule's name in answers and in the record; unique."
    ),
    _text("description", "What the rule is for."),
    Field(
        name="paths",
        kind=FieldKind.GLOBS,
        doc="Globs; the rule speaks of paths that meet one of them.",
    ),
    Field(
        name="within",
        kind=FieldKind.GLOBS,
        doc="Globs of which a path must meet one as well.",
    ),
    Field(
        name="not_paths",
        kind=FieldKind.GLOBS,
        doc="Globs of paths that the rule does not speak of.",
    ),
    Field(
        name="actions",
        kind=FieldKind.WORDS,
        words=ACTION_WORDS,
        doc="What is done: `write` is any change, `modify` only one to a file that exists.",
    ),
    _text("tool", "The exact name of the tool; instead of `tool_regex`."),
    _regex("tool_regex", "A regex for the name of the tool; instead of `tool`."),
    _regex("tool_exclude_regex", "Names that `tool_regex` does not mean."),
    _regex("command_regex", "A regex for the shell command, and each simple command in it."),
    _regex("command_exclude_regex", "Commands that the rule does not speak of."),
    _regex(
        "program_regex",
        "A regex for each program that a command starts, with its arguments, "
        "without `sudo` and its like before it.",
    ),
    _regex("program_exclude_regex", "Programs that the rule does not speak of."),
    _regex("file_path_regex", "A regex for the path as the tool was given it."),
    _regex("file_path_exclude_regex", "Paths, as given, that the rule does not speak of."),
    _text("subagent_type", "The exact kind of a subagent."),
    _regex("subagent_type_regex", "A regex for the kind of a subagent."),
    _regex("subagent_type_exclude_regex", "Kinds that the rule does not speak of."),
    _regex("prompt_regex", "A regex for the prompt of a subagent."),
    _regex("prompt_exclude_regex", "Prompts that the rule does not speak of."),
    _count("line_threshold", "Speaks of files that have at least so many lines."),
    Field(
        name="change_threshold",
        kind=FieldKind.RATIO,
        doc=f"Speaks of changes by which a file loses {_RATIO}.",
    ),
    _flag("substantial", "Takes both thresholds from `[gate]`.", default=False),
    Field(
        name="kinds",
        kind=FieldKind.WORDS,
        words=("new", "modify", "replace", "delete"),
        doc="The kinds of change that the rule speaks of.",
    ),
    _count("max_bytes", "Speaks of content that is larger than this."),
    _flag("inside", "Speaks only of paths inside the project.", default=False),
    _flag(
        "beyond",
        "Speaks only of paths outside the project, temporary directories and caches.",
        default=False,
    ),
    _flag("tree", "Speaks only of what reaches all below a directory: `rm -r`.", default=False),
    _flag(
        "uncommitted",
        "Speaks only of deletions that lose what git has not committed and does not ignore.",
        default=False,
    ),
    Field(
        name="not_by",
        kind=FieldKind.TEXTS,
        doc="Programs whose writes the rule does not speak of: `git`.",
    ),
    _text(
        "reason",
        "What is said. Filled in: `{path}`, `{action}`, `{tool}`, `{deleted}`, `{existing}`, "
        "`{percent}`, `{size}`.",
    ),
    _text("note", "A sentence that is added and grants nothing."),
    _text("instead", "What the agent should do instead."),
    _text("code", "A stable word for programs."),
    _flag("enabled", "Whether the rule speaks at all.", default=True),
    _OWNER,
    Field(
        name="expires_at",
        kind=FieldKind.MOMENT,
        doc="When the rule falls silent; UTC unless it says.",
    ),
    Field(name="match", kind=FieldKind.TEXTS, doc="Paths or commands that the rule must meet."),
    Field(name="not_match", kind=FieldKind.TEXTS, doc="Paths or commands that it must not meet."),
)

EXCEPTION = (
    Field(name="id", kind=FieldKind.ID, doc="Its name for `rules apply`; unique."),
    Field(
        name="rule",
        kind=FieldKind.ID,
        doc="The id of the rule, from a preset, an include or this file, that it is taken out of.",
    ),
    Field(name="paths", kind=FieldKind.GLOBS, doc="Globs of paths that the rule does not mean."),
    _regex("command_regex", "A regex for simple commands that the rule does not mean."),
    _text("reason", "Why it is an exception."),
    _OWNER,
    Field(
        name="expires_at",
        kind=FieldKind.MOMENT,
        doc="When the exception ends and the rule holds again; UTC unless it says.",
    ),
)

SET = Field(
    name="NAME",
    kind=FieldKind.GLOBS,
    doc='Globs, and names of other sets; `"@NAME"` stands for them in any list of globs.',
)

_NOTIFY = (
    Field(
        name="targets",
        kind=FieldKind.TARGETS,
        doc="Where messages go; counts only in the user's own file. An address such as "
        "`ntfys://ntfy.sh/TOPIC`, or `env:NAME` or `file:PATH` where the address is kept.",
    ),
    Field(
        name="link",
        kind=FieldKind.URL,
        doc="The approval page that messages link to; counts only in the user's own file.",
    ),
    _flag("contents", "Whether a message shows the diff.", default=False),
    Field(
        name="quiet",
        kind=FieldKind.HOURS,
        doc="Hours, of the local day, in which nothing is sent: `22:00-07:00`.",
    ),
    Field(
        name="events",
        kind=FieldKind.WORDS,
        words=("waiting", "expiring"),
        doc="What is told: that something waits, that little of its time is left.",
        default=["waiting"],
    ),
    _flag("desktop", "Whether the desktop shows a notification, where there is one.", default=True),
    Field(
        name="every_seconds",
        kind=FieldKind.COUNT,
        doc="The least time between two messages; what comes meanwhile is told together.",
        most=600,
        default=30,
    ),
)

_FAILING = {door: str(verdict) for door, verdict in ON_ERROR.items()}
TABLES: Mapping[str, tuple[Field, ...]] = {
    "defaults": (
        _verdict("read", "What is said of reading when no rule speaks."),
        _verdict("write", "The same for changing a file."),
        _verdict("create", "The same for making a file; as `write` when absent."),
        _verdict("delete", "The same for deleting one; as `write` when absent."),
        _verdict("run", "The same for running a command."),
        _verdict("unclear", "A shell command whose writes cannot be told."),
        _WARN,
    ),
    "on_error": tuple(
        _verdict(
            door,
            f"What the {door} door answers when it cannot judge or record.",
            _FAILING.get(door, "deny"),
        )
        for door in DOORS
    ),
    "includes": (
        Field(name="files", kind=FieldKind.TEXTS, doc="Rules files, relative to this one."),
        Field(
            name="presets",
            kind=FieldKind.WORDS,
            words=(*PRESETS, *ADDED_PRESETS),
            doc="Shipped rules files to add to the one that `preset` names.",
        ),
    ),
    "gate": (*_GATE, _MODE),
    "limits": (
        _count("max_read_bytes_default", "How much a read returns unless asked.", 32_000, 1),
        _count("max_read_bytes_hard", "The most that a read ever returns.", 131_072, 1),
        _count("max_write_bytes", "Larger content is denied."),
        _count("max_chain_length", "The most simple commands in one shell command; 0 is any.", 0),
    ),
    "approval": (
        _count("ttl_seconds", "How long a proposal waits for an answer.", 3600, 1),
        _flag("require_key", "Whether an approval needs the approver's key.", default=False),
        _flag("totp", "Whether an approval needs a one-time code.", default=False),
        _word(
            "rules",
            "Who may widen the rules in force: a person, or whoever sets the switch.",
            ("switch", "person"),
            "person",
        ),
    ),
    "audit": (
        _word("level", "What is recorded.", ("off", "matched", "all"), "all"),
        _count("rotate_bytes", "A log file grows to this size.", 10 * 1024 * 1024, 4096),
        _count("checkpoint_events", "A checkpoint after so many events.", 1000, 1),
        _count("checkpoint_seconds", "And after so many seconds.", 300, 1),
        _count("keep_blobs_bytes", "How much room kept contents may take.", 512 * 1024 * 1024),
        _count("keep_days", "How long writes can be undone; 0 is for ever.", 90),
        Field(name="witnesses", kind=FieldKind.TEXTS, doc="Where checkpoints are sent."),
        _text("file", "Where the log is, when not in the state directory."),
    ),
    "broker": (
        _flag("enabled", "Whether the broker takes writes at all.", default=True),
        _flag("audit_log_enabled", "Whether the broker keeps its log.", default=True),
        _flag("auto_apply", "Whether its front end may apply without a person.", default=False),
    ),
    "llm_fallback": (
        _flag("enabled", "Whether a language model is asked where no rule speaks.", default=False),
        Field(name="endpoint", kind=FieldKind.URL, doc="Its address; needed when enabled."),
        _text("model", "Its name; needed when enabled."),
        _count("timeout_secs", "How long to wait for it.", 60, 1),
        Field(
            name="temperature", kind=FieldKind.NUMBER, doc="How it is asked.", most=2, default=0.1
        ),
        _count("max_retries", "How often a malformed answer is asked for again.", 2),
        _text("system_prompt", "What it is told first."),
        Field(
            name="provider_preferences",
            kind=FieldKind.TEXTS,
            doc="Providers in order of preference.",
        ),
    ),
    "notify": _NOTIFY,
}

BY_NAME: Mapping[str, Mapping[str, Field]] = {
    "": {one.name: one for one in TOP},
    "rule": {one.name: one for one in RULE},
    EXCEPT: {one.name: one for one in EXCEPTION},
    **{table: {one.name: one for one in fields} for table, fields in TABLES.items()},
}
