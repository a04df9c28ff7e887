"""A policy: all rules, a default per action, and the settings that steer doors.

`core.rules` makes a Policy from text, `decide` asks it. Nothing here reads text or decides.
Always true: a Policy is valid because it exists; its revision is the digest of the text it
came from, and every layer's defaults cover every action.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct, field

from penstock.core.model import Action, Target, Verdict
from penstock.core.policy.rule import Rule
from penstock.core.policy.rule_index import RuleIndex

if TYPE_CHECKING:
    from penstock.core.bundle.model import PolicyBundle


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


class Layer(Struct, frozen=True, kw_only=True, dict=True):
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


class Validity(Struct, frozen=True, kw_only=True):
    """From when until when a policy holds as it is, in seconds since 1970.

    At any other time `otherwise` is judged beside its layers.
    """

    since: float
    until: float
    otherwise: Layer

    def covers(self, now: float) -> bool:
        """Say whether the policy holds as it is."""
        return self.since <= now < self.until


def _none_nested(target: Target) -> tuple[Layer, ...]:
    """Say that no directory has rules of its own."""
    del target
    return ()


class Limits(Struct, frozen=True, kw_only=True):
    """Caps on what is read and written; None is no cap."""

    max_read_bytes_default: int = 32_000
    max_read_bytes_hard: int = 131_072
    max_write_bytes: int | None = None
    max_chain_length: int = 0  # simple commands in one shell command; 0 is no cap


class GateSettings(Struct, frozen=True, kw_only=True):
    """When a change is destructive, and whether the hook judges or proposes."""

    line_threshold: int = 100
    change_threshold: float = 0.5
    mode: str = "judge"


class BrokerSettings(Struct, frozen=True, kw_only=True):
    """The broker door's switches."""

    enabled: bool = True
    audit_log_enabled: bool = True
    auto_apply: bool = False


class ApprovalSettings(Struct, frozen=True, kw_only=True):
    """How long a proposal waits, and what an approval must prove."""

    ttl_seconds: int = 3600
    require_key: bool = False
    totp: bool = False
    rules: str = "person"  # or "switch": who may make an edit of the rules that widens them

    @property
    def key_wanted(self) -> bool:
        """True where only a key approves; a one-time code is asked for beside one."""
        return self.require_key or self.totp


class AuditSettings(Struct, frozen=True, kw_only=True):
    """How the record is kept."""

    level: str = "all"
    rotate_bytes: int = 10 * 1024 * 1024
    checkpoint_events: int = 1000
    checkpoint_seconds: int = 300
    keep_blobs_bytes: int = 512 * 1024 * 1024
    keep_days: int = 90
    witnesses: tuple[str, ...] = ()
    file: str = ""


class AdvisorSettings(Struct, frozen=True, kw_only=True):
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


class Policy(Struct, frozen=True, kw_only=True, dict=True):
    """Everything the rules say. Frozen; one revision, one set of answers.

    `degraded` is empty, or tells why an older or the built-in policy is in force. `guarded`
    are directories that must not go together with what lies above them, `vital` are places that
    the hook cannot run without. `notify`, `run`, `ship`, `witness`, `page` and `bundles` are what
    each level's file says of messages, isolated runs, sinks, witnesses, the review page and policy
    bundles: which of it counts depends on whose file it is. `enforced` is the policy without the
    levels that say `observe`, where one does. `nested` finds the layers of rules files in
    directories above a path; they only ever tighten. `bundle` is what the user's organisation
    says, whose rules are among the layers, `validity` how long that holds, and `person` who works
    on this machine by the user's own file.
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
    witness: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    page: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    bundles: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    bundle: PolicyBundle | None = None
    person: str = ""
    validity: Validity | None = None
    warnings: tuple[str, ...] = ()
    degraded: str = ""
    enforced: Policy | None = None
    nested: Callable[[Target], tuple[Layer, ...]] = _none_nested

    @property
    def in_force(self) -> Policy:
        """What stops calls: all of it, or what is left where some level only observes."""
        return self.enforced or self

    def layers_for(self, target: Target | None, now: float | None = None) -> tuple[Layer, ...]:
        """Return the layers that judge a path: all, and those of the directories it lies in.

        At a time at which the policy does not hold as it is, one more.
        """
        layers = self.layers if target is None else (*self.layers, *self.nested(target))
        term = self.validity
        if term is None or now is None or term.covers(now):
            return layers
        return (*layers, term.otherwise)

    def when_failing(self, door: str) -> Verdict:
        """Return what a door answers when it cannot judge."""
        return self.on_error.get(door, Verdict.DENY)
