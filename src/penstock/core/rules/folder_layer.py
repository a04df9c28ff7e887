"""A rules file in a directory of a project: one more layer, for what lies below that directory.

Whoever can write there must not be able to loosen what holds for the whole project, so only what
tightens counts: `deny`, `ask` and `warn` rules about paths, of the file itself and of the presets
that it names, with its exceptions to them, and defaults that ask or deny. `allow`, rules about
commands, settings and included files do not. Where such files are is for whoever reads the disk.
Always true: a layer that comes out says allow to everything outside of its directory, and a file
that cannot be read makes a person decide about what lies below it.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from penstock.core.model import COVERS, Action, Verdict
from penstock.core.paths.globs import tidy
from penstock.core.policy.model import Layer, Warn
from penstock.core.policy.rule import Rule, Where
from penstock.core.policy.sentences import treatment
from penstock.core.rules.layers import LoadResult, as_layer
from penstock.core.rules.load import load

NAME = "nested-rules"


def nested_layer(folder: str, file: str, data: bytes) -> Layer:
    """Return the layer of a rules file in a directory, which is relative to the project."""
    level = load(file, {file: data}.get)
    rules = _rules(level) if level.ok else [_unreadable(level)]
    warn = as_layer(level).warn if level.ok else Warn.CONTEXT
    return Layer(
        name=file,
        rules=tuple(_below(folder, rule) for rule in rules),
        warn=Warn.CONTEXT if warn is Warn.ALLOW else warn,  # a warning grants nothing here
    )


def _rules(level: LoadResult) -> Iterator[Rule]:
    layer = as_layer(level)
    for rule in layer.rules:
        about_commands = not rule.paths and bool(rule.fields or rule.per_leaf or rule.tool)
        if rule.verdict is not Verdict.ALLOW and not about_commands:
            yield rule
    for action, verdict in layer.defaults.items():
        if verdict is not Verdict.ALLOW and action is not Action.RUN:
            yield Rule(
                id=f"{NAME}-{action}",
                verdict=verdict,
                actions=frozenset({action}),
                reason=treatment(action, verdict, " in this directory"),
                where=Where(file=level.name),
            )


def _unreadable(level: LoadResult) -> Rule:
    return Rule(
        id=NAME,
        verdict=Verdict.ASK,
        actions=COVERS[Action.WRITE],
        reason=f"the rules of this directory can't be read ({level.problems[0]})",
        instead="ask the user to fix them; `penstock check` shows the line",
        code="nested-rules-broken",
        where=Where(file=level.name),
    )


def _below(folder: str, rule: Rule) -> Rule:
    """Return a rule about the same paths, seen from the project."""

    def seen(globs: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"{folder}/{tidy(glob)}" for glob in globs)

    return replace(
        rule,
        paths=seen(rule.paths or ("**",)),
        within=seen(rule.within),
        not_paths=seen(rule.not_paths),
        excepts=tuple(replace(one, paths=seen(one.paths)) for one in rule.excepts),
    )
