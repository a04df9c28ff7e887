"""Policy load: text to Policy beside the bare TOML parser, and many regexes beside few."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator

from bench.row import Row, best_of, each
from penstock import presets
from penstock.core.policy.regexes import Bank
from penstock.core.rules import load


def penstock_text(count: int) -> str:
    """Return a penstock.toml of path rules and command rules, half and half."""
    parts = ["version = 1\n"]
    for n in range(count):
        parts.append(
            f'[[deny]]\nid = "command-{n}"\ndescription = "number {n}"\ntool = "Bash"\n'
            f'command_regex = "^tool{n} (run|exec) .*--force"\n'
            if n % 2
            else f'[[deny]]\nid = "path-{n}"\npaths = ["dir{n}/**", "**/*.x{n}"]\nreason = "{n}"\n'
        )
    return "\n".join(parts)


def sectioned_text(count: int) -> str:
    """Return a rule file of the original, in sections of a hundred rules."""
    parts = []
    for n in range(count):
        if n % 100 == 0:
            parts.append(f"[section-{n // 100}]\npriority = {n}\n")
        parts.append(
            f'[[section-{n // 100}.deny]]\nid = "deny-{n}"\ntool = "Bash"\n'
            f'command_regex = "^tool{n} .*--force"\n'
        )
    return "\n".join(parts)


def load_rows() -> Iterator[Row]:
    """Read rules, beside reading the same text as plain TOML."""
    for count, limit in ((10, None), (1000, 3.0), (10_000, 3.0)):
        text = penstock_text(count)
        turns = max(1, 1000 // count)
        subject, baseline = best_of(
            [
                each(lambda text=text: load.parse_policy(text), times=turns),  # type: ignore[misc]
                each(lambda text=text: tomllib.loads(text), times=turns),  # type: ignore[misc]
            ],
            rounds=7,
        )
        yield Row(
            area="rules",
            name=f"penstock.toml with {count:,} rules to Policy",
            subject=subject / turns,
            baseline=baseline / turns,
            beside="tomllib.loads",
            limit=limit,
        )


def dialect_row() -> Row:
    """Read the original's sectioned format."""
    text = sectioned_text(10_000)
    name = "claude-code-permissions-hook.toml"
    files = {name: text.encode()}
    subject, baseline = best_of(
        [lambda: load.load(name, files.get), lambda: tomllib.loads(text)], rounds=5
    )
    return Row(
        area="rules",
        name="sectioned dialect with 10,000 rules",
        subject=subject,
        baseline=baseline,
        beside="tomllib.loads",
        limit=4.0,
    )


def preset_row() -> Row:
    """Load the preset that new users get."""
    raw = presets.read("guard").decode()
    subject, baseline = best_of(
        [lambda: load.build(load.load_preset("guard")), lambda: tomllib.loads(raw)]
    )
    return Row(
        area="rules",
        name="preset guard",
        subject=subject,
        baseline=baseline,
        beside="tomllib.loads",
    )


def bank_row() -> Row:
    """Ask ten thousand command rules about a command, beside asking ten."""
    many = Bank([f"^tool{n} (run|exec) .*--force" for n in range(10_000)])
    few = Bank([f"^tool{n} (run|exec) .*--force" for n in range(10)])
    command = json.dumps({"command": "git commit -m 'a message of usual length' && git push"})
    many.hits(command)
    subject, baseline = best_of(
        [each(lambda: many.hits(command), times=200), each(lambda: few.hits(command), times=200)]
    )
    return Row(
        area="rules",
        name="10,000 command regexes, one command",
        subject=subject / 200,
        baseline=baseline / 200,
        beside="10 regexes",
        limit=3.0,
    )


def rows() -> Iterator[Row]:
    """Measure policy load and regex look-up."""
    yield from load_rows()
    yield dialect_row()
    yield preset_row()
    yield bank_row()
