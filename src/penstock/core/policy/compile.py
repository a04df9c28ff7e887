"""A policy as one plain structure that the hook reads without importing anything.

Only strings, numbers, lists and dictionaries, so that `marshal` writes and reads it. It holds
what the fast path may answer by itself; all else is marked as needing the engine.
Always true: it carries the revision of the policy and the version of this form; a reader that
finds another version asks the engine.
"""

from __future__ import annotations

import marshal
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from penstock.core.model import Action, Verdict
from penstock.core.paths.glob_index import compile_globs
from penstock.core.policy.fast_decide import FORMAT
from penstock.core.policy.model import Layer, Policy
from penstock.core.policy.rule import Rule
from penstock.core.policy.rule_index import COMMAND, input_key
from penstock.core.policy.sentences import effective, instead_of, sentence

NO_LIMIT = 1 << 62
HOOK = "hook"  # the door that reads this

Stamp = tuple[str, int, int, int]  # a file the policy came from: path, size, mtime_ns, inode


def compile_policy(
    policy: Policy, *, stamps: Sequence[Stamp] = (), folds: bool = False
) -> dict[str, object]:
    """Return the plain structure of a policy.

    `stamps` say when it is out of date, `folds` that its file system takes `A` for `a`.
    """
    kept = policy.enforced
    return {
        "version": FORMAT,
        "revision": policy.revision,
        "stamps": list(stamps),
        "folds": folds,
        "rotate": policy.audit.rotate_bytes,
        "signing": (policy.audit.checkpoint_events, policy.audit.checkpoint_seconds),
        "level": policy.audit.level,
        "on_error": str(policy.in_force.when_failing(HOOK)),
        "enforced": [_layer(one, advised=False) for one in kept.layers] if kept else None,
        "valid": _valid(policy),
        "layers": [_layer(layer, advised=policy.advisor.enabled) for layer in policy.layers],
    }


def _valid(policy: Policy) -> tuple[float, float] | None:
    """Return from when until when the layers are all that is judged; None is for ever."""
    term = policy.validity
    return None if term is None else (term.since, term.until)


def dump(policy: Policy, *, stamps: Sequence[Stamp] = (), folds: bool = False) -> bytes:
    """Return the bytes of `hook.policy`."""
    return marshal.dumps(compile_policy(policy, stamps=stamps, folds=folds))


def load(data: bytes) -> dict[str, object] | None:
    """Return the structure, or None for bytes that are not one of this version."""
    try:
        policy = marshal.loads(data)  # noqa: S302 - our own file, 0600, below a 0700 directory
    except (ValueError, EOFError, TypeError):
        return None
    fits = isinstance(policy, dict) and policy.get("version") == FORMAT
    return policy if fits else None


def _layer(layer: Layer, *, advised: bool) -> dict[str, object]:
    """`advised`: what no rule decides is not simply allowed, an advisor is asked first."""
    globs = [(g, at) for at, rule in enumerate(layer.rules) if rule.enabled for g in rule.paths]
    # A file tool in the project reaches neither beyond it nor below a directory.
    near = [rule for rule in layer.rules if rule.enabled and not (rule.beyond or rule.tree)]
    pathless = [rule for rule in near if not rule.paths]
    return {
        "index": compile_globs(globs),
        # Each by itself, because nearly all stay unread in a hook that starts cold.
        "rules": [marshal.dumps(_rule(rule, layer)) for rule in layer.rules],
        "silent": {
            str(action): not advised and _silent(layer, action, pathless) for action in Action
        },
        "uncertain": {str(action): _uncertain(layer, action, pathless) for action in Action},
        "losses": [_loss(rule) for rule in pathless if rule.line_threshold is not None],
        "bytes": min((_fewest_bytes(rule) for rule in pathless), default=NO_LIMIT),
    }


def _rule(rule: Rule, layer: Layer) -> tuple[Any, ...]:
    """The order is that of the names in `fast_decide`."""
    verdict = effective(rule, layer)
    return (
        verdict is Verdict.DENY,
        _by_name_alone(rule),
        verdict not in (None, Verdict.ALLOW),
        verdict is None,
        sorted(str(action) for action in rule.actions),
        rule.id,
        rule.code,
        sentence(rule, layer),
        rule.note,
        instead_of(rule),
        _index(rule.not_paths) if rule.paths and rule.not_paths else None,
        _index(rule.within) if rule.paths and rule.within else None,
    )


@lru_cache(maxsize=64)  # rules that share their exceptions share the index
def _index(globs: tuple[str, ...]) -> dict[str, object]:
    return compile_globs([(glob, 0) for glob in globs])


def _by_name_alone(rule: Rule) -> bool:
    """True when a glob that meets the path is all there is to the rule."""
    more = rule.tool or rule.tool_regex or rule.fields or rule.excepts or any(rule.extent[:3])
    facts = {"deleted", "existing", "percent", "size", "tool", "action"}
    told = any(f"{{{fact}}}" in rule.reason + rule.note for fact in facts)
    return not (rule.measures or more or rule.expires_at is not None or told)


def _silent(layer: Layer, action: Action, pathless: Sequence[Rule]) -> bool:
    """Say whether a path that meets no glob is simply allowed, without a word."""
    speaking = [rule for rule in pathless if _may_speak(rule, action) and not _bounded(rule)]
    return layer.defaults[action] is Verdict.ALLOW and not speaking


def _uncertain(layer: Layer, action: Action, pathless: Sequence[Rule]) -> bool:
    """Say whether a rule without globs may deny, and so be the one that is named."""
    return any(
        _may_speak(rule, action) and rule.max_bytes is None
        for rule in pathless
        if effective(rule, layer) is Verdict.DENY
    )


def _may_speak(rule: Rule, action: Action) -> bool:
    """Say whether a rule can be about a file tool: commands are judged by the engine."""
    about_commands = rule.tool == "Bash" or any(input_key(f.name) == COMMAND for f in rule.fields)
    return action in rule.actions and not about_commands


def _bounded(rule: Rule) -> bool:
    """True for a rule that a bound on lines or bytes can rule out by itself."""
    return rule.line_threshold is not None or rule.max_bytes is not None


def _loss(rule: Rule) -> tuple[int, float]:
    """The fewest lines and the smallest share of lost ones with which a rule can speak."""
    return rule.line_threshold or 0, rule.change_threshold or 0.0


def _fewest_bytes(rule: Rule) -> int:
    """The most bytes with which a rule keeps silent."""
    return NO_LIMIT if rule.max_bytes is None else rule.max_bytes
