"""Every field of `penstock.toml`, once: its name, what it holds, and what it is for.

The reader takes values through this table, the JSON Schema and the manual are made from it,
so that the three cannot differ. Reading one value is `values`' work, and what the
fields of a rule mean together is `rule`'s.
Always true: a key that is not in this table is a problem, wherever it is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

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
    PLACES = "places"
    SINKS = "sinks"
    CREDENTIAL = "credential"
    COSIGNERS = "cosigners"
    PUBLIC_KEY = "public-key"
    BUNDLE_URL = "bundle-url"


class Field(Struct, frozen=True, kw_only=True):
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


_OWNER = _text("owner", "Who owns the rule: a person, a team, a ticket.")
_RATIO = "at least this part of its lines; above 0, at most 1"
_GATE = (
    _count(
        "line_threshold", "A change is substantial in files with at least this many lines.", 100
    ),
    Field(
        name="change_threshold",
        kind=FieldKind.RATIO,
        doc=f"And when it removes {_RATIO}.",
        default=0.5,
    ),
)
_WARN = _word(
    "warn", "What a `[[warn]]` rule does in addition to its note.", tuple(Warn), "context"
)
_MODES = ("judge", "propose")
_MODE = _word(
    "mode",
    "Whether a hook asks directly, or saves changes that need approval as proposals.",
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
    _word("preset", "A preset to start from, as if it were included.", PRESETS),
    _WARN,
    _word(
        "outside_project",
        "Verdict for paths outside the project.",
        ("none", "ask", "deny"),
        "none",
    ),
    _MODE,
    _flag(
        "observe",
        "Log decisions but block nothing, except removing Penstock or its audit log.",
        default=False,
    ),
    Field(
        name="disable",
        kind=FieldKind.TEXTS,
        doc="Ids of rules, from a preset or an include, to disable.",
    ),
)

RULE = (
    Field(
        name="id",
        kind=FieldKind.ID,
        doc="The rule's name in messages and in the audit log; unique.",
    ),
    _text("description", "What the rule is for."),
    Field(
        name="paths",
        kind=FieldKind.GLOBS,
        doc="Globs; the rule matches paths that match one of them.",
    ),
    Field(
        name="within",
        kind=FieldKind.GLOBS,
        doc="Globs; a path must also match one of these.",
    ),
    Field(
        name="not_paths",
        kind=FieldKind.GLOBS,
        doc="Globs of paths that the rule does not match.",
    ),
    Field(
        name="actions",
        kind=FieldKind.WORDS,
        words=ACTION_WORDS,
        doc="Actions: `write` is any change, `modify` only a change to an existing file.",
    ),
    _text("tool", "The exact name of the tool; instead of `tool_regex`."),
    _regex("tool_regex", "A regex for the name of the tool; instead of `tool`."),
    _regex("tool_exclude_regex", "Tool names to exclude from `tool_regex`."),
    _regex("command_regex", "A regex for the shell command and each simple command in it."),
    _regex("command_exclude_regex", "Commands that the rule does not match."),
    _regex(
        "program_regex",
        "A regex for each program that a command starts, with its arguments, "
        "without prefixes such as `sudo`.",
    ),
    _regex("program_exclude_regex", "Programs that the rule does not match."),
    _regex("file_path_regex", "A regex for the path as passed to the tool."),
    _regex("file_path_exclude_regex", "Paths, as passed, that the rule does not match."),
    _text("subagent_type", "The exact subagent type."),
    _regex("subagent_type_regex", "A regex for the subagent type."),
    _regex("subagent_type_exclude_regex", "Subagent types that the rule does not match."),
    _regex("prompt_regex", "A regex for the subagent prompt."),
    _regex("prompt_exclude_regex", "Prompts that the rule does not match."),
    _count("line_threshold", "Matches files with at least this many lines."),
    Field(
        name="change_threshold",
        kind=FieldKind.RATIO,
        doc=f"Matches changes that remove {_RATIO}.",
    ),
    _flag("substantial", "Use both thresholds of `[gate]`.", default=False),
    Field(
        name="kinds",
        kind=FieldKind.WORDS,
        words=("new", "modify", "replace", "delete"),
        doc="The kinds of change that the rule matches.",
    ),
    _count("max_bytes", "Matches content larger than this."),
    _flag("inside", "Matches only paths inside the project.", default=False),
    _flag(
        "beyond",
        "Matches only paths outside the project, temporary directories and caches.",
        default=False,
    ),
    _flag("tree", "Matches only recursive actions on a directory, such as `rm -r`.", default=False),
    _flag(
        "uncommitted",
        "Matches only deletions of content that is neither committed nor ignored by git.",
        default=False,
    ),
    Field(
        name="not_by",
        kind=FieldKind.TEXTS,
        doc="Programs whose writes the rule does not match, such as `git`.",
    ),
    _text(
        "reason",
        "The reason. Placeholders: `{path}`, `{action}`, `{tool}`, `{deleted}`, `{existing}`, "
        "`{percent}`, `{size}`.",
    ),
    _text("note", "A note that is added; it grants nothing."),
    _text("instead", "What the agent should do instead."),
    _text("code", "A stable code for programs."),
    _flag("enabled", "Whether the rule is enabled.", default=True),
    _OWNER,
    Field(
        name="expires_at",
        kind=FieldKind.MOMENT,
        doc="When the rule expires; UTC unless a zone is given.",
    ),
    Field(name="match", kind=FieldKind.TEXTS, doc="Paths or commands that the rule must match."),
    Field(name="not_match", kind=FieldKind.TEXTS, doc="Paths or commands that it must not match."),
)

EXCEPTION = (
    Field(name="id", kind=FieldKind.ID, doc="Its name for `rules apply`; unique."),
    Field(
        name="rule",
        kind=FieldKind.ID,
        doc="The id of the rule (of this file, a preset or an include) to make an exception to.",
    ),
    Field(name="paths", kind=FieldKind.GLOBS, doc="Globs of paths that the rule does not match."),
    _regex("command_regex", "A regex for simple commands that the rule does not match."),
    _text("reason", "Why the exception exists."),
    _OWNER,
    Field(
        name="expires_at",
        kind=FieldKind.MOMENT,
        doc="When the exception expires; UTC unless a zone is given.",
    ),
)

SET = Field(
    name="NAME",
    kind=FieldKind.GLOBS,
    doc='Globs, and names of other sets; `"@NAME"` refers to them in any list of globs.',
)

_NOTIFY = (
    Field(
        name="targets",
        kind=FieldKind.TARGETS,
        doc="Notification targets; only used in the user's own file. An address such as "
        "`ntfys://ntfy.sh/TOPIC`, or `env:NAME` or `file:PATH` where the address is kept.",
    ),
    Field(
        name="link",
        kind=FieldKind.URL,
        doc="The approval page that notifications link to; only used in the user's own file.",
    ),
    _flag("contents", "Whether notifications contain the diff.", default=False),
    Field(
        name="quiet",
        kind=FieldKind.HOURS,
        doc="Local hours in which nothing is sent: `22:00-07:00`.",
    ),
    Field(
        name="events",
        kind=FieldKind.WORDS,
        words=("waiting", "expiring"),
        doc="When to notify: a change is pending, or it expires soon.",
        default=["waiting"],
    ),
    _flag("desktop", "Whether to show desktop notifications.", default=True),
    Field(
        name="every_seconds",
        kind=FieldKind.COUNT,
        doc="Minimum time between two notifications; changes in between are combined.",
        most=600,
        default=30,
    ),
)

_OWN_FILE = "Only used in the user's own file."
_SHIP = (
    Field(
        name="sinks",
        kind=FieldKind.SINKS,
        doc=f"Where `penstock ship` sends the audit log. {_OWN_FILE} `otlp+https://HOST`, "
        "`syslog+tls://HOST`, `syslog+tcp://HOST`, `https://HOST/PATH` (JSON lines), `file:/PATH`.",
    ),
    _word(
        "format",
        f"What `https://` and `file:` sinks get. {_OWN_FILE}",
        ("jsonl", "ocsf", "cef"),
        "jsonl",
    ),
    Field(
        name="authorization",
        kind=FieldKind.CREDENTIAL,
        doc=f"The `Authorization` header for HTTP sinks: `env:NAME` or `file:PATH`. {_OWN_FILE}",
    ),
    _text("ca_file", f"Certificates to trust for TLS, instead of the system's. {_OWN_FILE}"),
)
_PAGE = (
    _text(
        "editor",
        "Link by which the review page opens a file in your editor, for example "
        f"`vscode://file{{path}}:{{line}}`. {_OWN_FILE}",
    ),
)
_WITNESS = (
    Field(
        name="cosigners",
        kind=FieldKind.COSIGNERS,
        doc="Witnesses that others run, by the C2SP tlog-witness protocol: "
        f'`"NAME+ID+KEY https://HOST/PATH"`, as their operators publish them. {_OWN_FILE}',
    ),
    _count("require", f"How many of them must cosign; 0 is all of them. {_OWN_FILE}", 0),
    _text("ca_file", f"Certificates to trust for TLS, instead of the system's. {_OWN_FILE}"),
)
_BUNDLE = (
    Field(
        name="url",
        kind=FieldKind.BUNDLE_URL,
        doc=f"Where your organisation publishes its policy bundle. {_OWN_FILE} "
        "`https://HOST/PATH`, `git+https://HOST/REPO#BRANCH:FILE`, `git+ssh://...`, `file:/PATH`.",
    ),
    Field(
        name="key",
        kind=FieldKind.PUBLIC_KEY,
        doc=f"The organisation's public key: `ed25519:` and base64. {_OWN_FILE}",
    ),
    _text("group", f"The group of this machine; its policy counts besides `all`. {_OWN_FILE}"),
    _text(
        "person",
        "Who works on this machine, by the bundle's name for them: the author of what is proposed "
        f"here. Needed where their approver key is not in the bundle. {_OWN_FILE}",
    ),
    Field(
        name="authorization",
        kind=FieldKind.CREDENTIAL,
        doc=f"The `Authorization` header for HTTPS: `env:NAME` or `file:PATH`. {_OWN_FILE}",
    ),
    _text("ca_file", f"Certificates to trust for HTTPS, instead of the system's. {_OWN_FILE}"),
)
_RUN = (
    _word(
        "mode",
        "Isolation of `penstock run`: `overlay`, the weaker `copy`, or the strongest that works.",
        ("overlay", "copy", "auto"),
        "auto",
    ),
    _word(
        "apply",
        "When allowed changes are written: while the command runs, or when it ends; "
        "`ask` requires approval for every change.",
        ("turn", "exit", "ask"),
        "turn",
    ),
    _word(
        "home",
        "The home directory in a run: a layer kept for the next run, an empty layer for each "
        "run, or read-only.",
        ("keep", "fresh", "read-only"),
        "keep",
    ),
    _word(
        "keep",
        "Which layers stay after a run: all, those with anything left, or those with "
        "more than scratch files left.",
        ("all", "rest", "changes"),
        "rest",
    ),
    Field(
        name="hide",
        kind=FieldKind.PLACES,
        doc="Files and directories that a run can't read; relative paths start at the project. "
        "A project's file adds to the list, the user's own file replaces it.",
        default=["~/.ssh", "~/.aws", "~/.gnupg"],
    ),
    Field(
        name="scratch",
        kind=FieldKind.PLACES,
        doc="More directories that tools can make again: a name, or a path in the project.",
    ),
    Field(
        name="through",
        kind=FieldKind.PLACES,
        doc=f"Directories outside the project that a run writes directly. {_OWN_FILE}",
    ),
    _word(
        "git",
        "Whether a run may change `.git` in its layer.",
        ("write", "read-only"),
        "write",
    ),
    Field(
        name="sockets",
        kind=FieldKind.PLACES,
        doc=f"Unix sockets that a run can connect to. {_OWN_FILE}",
    ),
    Field(
        name="devices",
        kind=FieldKind.PLACES,
        doc=f"Character devices below `/dev` that a run can use. {_OWN_FILE}",
    ),
    _word("net", "Network access of a run.", ("on", "off"), "on"),
    _count("limit_bytes", "Larger files stay in the layer, unread.", 64 * 1024 * 1024, 1),
    _count("limit_files", "If a run changes more files than this, nothing is written.", 10_000, 1),
)

_FAILING = {door: str(verdict) for door, verdict in ON_ERROR.items()}
TABLES: Mapping[str, tuple[Field, ...]] = {
    "defaults": (
        _verdict("read", "Verdict for reads when no rule matches."),
        _verdict("write", "Verdict for changing an existing file."),
        _verdict("create", "Verdict for creating a file; default: as `write`."),
        _verdict("delete", "Verdict for deleting a file; default: as `write`."),
        _verdict("run", "Verdict for running a command."),
        _verdict("unclear", "Verdict for a shell command whose changes can't be predicted."),
        _WARN,
    ),
    "on_error": tuple(
        _verdict(
            door,
            f"What the {door} integration answers when it can't judge or log.",
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
            doc="Presets to add to the one in `preset`.",
        ),
    ),
    "gate": (*_GATE, _MODE),
    "limits": (
        _count("max_read_bytes_default", "How many bytes a read returns by default.", 32_000, 1),
        _count("max_read_bytes_hard", "How many bytes a read returns at most.", 131_072, 1),
        _count("max_write_bytes", "Larger content is denied."),
        _count(
            "max_chain_length",
            "Maximum number of simple commands in one shell command; 0 is unlimited.",
            0,
        ),
    ),
    "approval": (
        _count("ttl_seconds", "How long a proposal stays pending.", 3600, 1),
        _flag("require_key", "Whether an approval needs the approver key.", default=False),
        _flag("totp", "Whether an approval needs a one-time code.", default=False),
        _word(
            "rules",
            "Who may make the active rules allow more: only a person, or whoever sets the switch.",
            ("switch", "person"),
            "person",
        ),
    ),
    "audit": (
        _word("level", "What is logged.", ("off", "matched", "all"), "all"),
        _count(
            "rotate_bytes",
            "Maximum size of a log file before it is rotated.",
            10 * 1024 * 1024,
            4096,
        ),
        _count("checkpoint_events", "Sign a checkpoint after this many entries.", 1000, 1),
        _count("checkpoint_seconds", "And after this many seconds.", 300, 1),
        _count("keep_blobs_bytes", "Maximum size of stored file contents.", 512 * 1024 * 1024),
        _count("keep_days", "How long writes can be undone; 0 is forever.", 90),
        Field(name="witnesses", kind=FieldKind.TEXTS, doc="Where checkpoints are sent."),
        _text("file", "Path of the log, if not in the state directory."),
    ),
    "broker": (
        _flag("enabled", "Whether the broker accepts writes.", default=True),
        _flag("audit_log_enabled", "Whether the broker keeps its log.", default=True),
        _flag("auto_apply", "Whether its front end may apply without a person.", default=False),
    ),
    "llm_fallback": (
        _flag("enabled", "Whether a language model is asked when no rule matches.", default=False),
        Field(name="endpoint", kind=FieldKind.URL, doc="Endpoint URL; required when enabled."),
        _text("model", "Model name; required when enabled."),
        _count("timeout_secs", "How long to wait for it.", 60, 1),
        Field(
            name="temperature", kind=FieldKind.NUMBER, doc="How it is asked.", most=2, default=0.1
        ),
        _count("max_retries", "How often to retry after a malformed answer.", 2),
        _text("system_prompt", "The system prompt."),
        Field(
            name="provider_preferences",
            kind=FieldKind.TEXTS,
            doc="Providers in order of preference.",
        ),
    ),
    "notify": _NOTIFY,
    "run": _RUN,
    "ship": _SHIP,
    "witness": _WITNESS,
    "bundle": _BUNDLE,
    "page": _PAGE,
}

BY_NAME: Mapping[str, Mapping[str, Field]] = {
    "": {one.name: one for one in TOP},
    "rule": {one.name: one for one in RULE},
    EXCEPT: {one.name: one for one in EXCEPTION},
    **{table: {one.name: one for one in fields} for table, fields in TABLES.items()},
}
