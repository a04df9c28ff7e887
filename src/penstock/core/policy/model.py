"""A policy: all rules, a default per action, and the settings that steer doors.

`core.rules` makes a Policy from text, `decide` asks it. Nothing here reads text or decides.
Always true: a Policy is valid because it exists; its revision is the digest of the text it
came from, and every layer's defaults cover every action.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from penstock.core.model import Action, Target, Verdict
from penstock.core.policy.rule import Rule
from penstock.core.policy.rule_index import RuleIndex


class Warn(StrEnum):
    """What a `[[warn]]` rule does besides adding its note."""

    CONTEXT = "context"  # the agent is told, nothing is granted
    ALLOW = "allow"  # told and granted, as the hook spec writes it
    ASK = "ask"
    DENY = "deny"


WARN_VERDICT: Mapping[Warn, Verdict | None] = {
    Warn.CONTEXT: None,
    Warn.ALLOW: Verdict.ALLOW,
    Warn.ASK: Verdict.ASK,
    Warn.DENY: Verdict.DENY,
}


DEFAULTS: Mapping[Action, Verdict] = {
    Action.READ: Verdict.ALLOW,
    Action.WRITE: Verdict.ALLOW,
    Action.CREATE: Verdict.ALLOW,
    Action.DELETE: Verdict.ALLOW,
    Action.RUN: Verdict.ALLOW,
}


@dataclass(frozen=True, kw_only=True)
class Layer:
    """One level of the policy: a project's file with its includes, or a user's.

    Layers are judged one by one and the strictest verdict wins, so a project can tighten
    what its user wrote and never loosen it.
    """

    name: str
    rules: tuple[Rule, ...] = ()
    defaults: Mapping[Action, Verdict] = field(default_factory=lambda: DEFAULTS)
    unclear: Verdict = Verdict.ALLOW
    outside: Verdict | None = None
    warn: Warn = Warn.CONTEXT

    @cached_property
    def index(self) -> RuleIndex:
        """The rules arranged for look-up, built at the first question."""
        return RuleIndex(self.rules)


def _none_nested(target: Target) -> tuple[Layer, ...]:
    """Say that no directory has rules of its own."""
    del target
    return ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """Caps on what is read and written; None is no cap."""

    max_read_bytes_default: int = 32_000
    max_read_bytes_hard: int = 131_072
    max_write_bytes: int | None = None
    max_chain_length: int = 0  # simple commands in one shell command; 0 is no cap


@dataclass(frozen=True, kw_only=True, slots=True)
class GateSettings:
    """When a change is destructive, and whether the hook judges or proposes."""

    line_threshold: int = 100
    change_threshold: float = 0.5
    mode: str = "judge"


@dataclass(frozen=True, kw_only=True, slots=True)
class BrokerSettings:
    """The broker door's switches."""

    enabled: bool = True
    audit_log_enabled: bool = True
    auto_apply: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ApprovalSettings:
    """How long a proposal waits, and what an approval must prove."""

    ttl_seconds: int = 3600
    require_key: bool = False
    totp: bool = False
    rules: str = "person"  # or "switch": who may make an edit of the rules that widens them

    @property
    def key_wanted(self) -> bool:
        """True where only a key approves; a one-time code is asked for beside one."""
        return self.require_key or self.totp


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditSettings:
    """How the record is kept."""

    level: str = "all"
    rotate_bytes: int = 10 * 1024 * 1024
    checkpoint_events: int = 1000
    checkpoint_seconds: int = 300
    keep_blobs_bytes: int = 512 * 1024 * 1024
    keep_days: int = 90
    witnesses: tuple[str, ...] = ()
    file: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class AdvisorSettings:
    """The language model that may be asked where no rule answers."""

    enabled: bool = False
    endpoint: str = ""
    model: str = ""
    timeout_secs: int = 60
    temperature: float = 0.1
    max_retries: int = 2
    system_prompt: str = ""
    provider_preferences: tuple[str, ...] = ()


ON_ERROR: Mapping[str, Verdict] = {"hook": Verdict.ALLOW}


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Everything the rules say. Frozen; one revision, one set of answers.

    `degraded` is empty, or tells why an older or the built-in policy is in force. `guarded`
    are directories that must not go together with what lies above them, `vital` are places that
    the hook cannot run without. `notify`, `run` and `ship` are what each level's file says of
    messages, isolated runs and sinks: which of it counts depends on whose file it is. `enforced`
    is the policy without the levels that say `observe`, where one does. `nested` finds the layers
    of rules files in directories above a path; they only ever tighten.
    """

    layers: tuple[Layer, ...]
    revision: str
    files: tuple[str, ...] = ()
    guarded: tuple[str, ...] = ()
    vital: tuple[str, ...] = ()
    limits: Limits = Limits()
    gate: GateSettings = GateSettings()
    broker: BrokerSettings = BrokerSettings()
    approval: ApprovalSettings = ApprovalSettings()
    audit: AuditSettings = AuditSettings()
    advisor: AdvisorSettings = AdvisorSettings()
    on_error: Mapping[str, Verdict] = field(default_factory=lambda: ON_ERROR)
    notify: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    run: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    ship: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    degraded: str = ""
    enforced: Policy | None = None
    nested: Callable[[Target], tuple[Layer, ...]] = field(default=_none_nested, compare=False)

    @property
    def in_force(self) -> Policy:
        """What stops calls: all of it, or what is left where some level only observes."""
        return self.enforced or self

    def layers_for(self, target: Target | None) -> tuple[Layer, ...]:
        """Return the layers that judge a path: all, and those of the directories it lies in."""
        return self.layers if target is None else (*self.layers, *self.nested(target))

    def when_failing(self, door: str) -> Verdict:
        """Return what a door answers when it cannot judge."""
        return self.on_error.get(door, Verdict.DENY)
