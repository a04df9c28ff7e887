"""`penstock check`: read the rules files and list every problem."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from penstock.cli import COULD_NOT, OK
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.output import console, json_option, print_json, workspace_option
from penstock.core.text.quantities import counted

if TYPE_CHECKING:
    from penstock.core.rules.layers import LoadResult
    from penstock.core.rules.problems import Problem


@click.command(
    cls=PlainCommand,
    examples=("penstock check", "penstock check --schema > penstock.schema.json"),
)
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path())
@click.option("--schema", is_flag=True, help="Print the JSON Schema of penstock.toml.")
@workspace_option
@json_option
def command(files: tuple[str, ...], schema: bool, workspace: str | None, as_json: bool) -> int:
    """Check rules files for errors; without FILE, those of this project and your own.

    Supported: penstock.toml, write-policies.json, config.yaml with `file_broker:`, and
    claude-code-permissions-hook.toml.
    """
    from penstock.app.places import rules_of, user_rules
    from penstock.app.workspace import read_rules, workspace_root
    from penstock.core.rules.load import load
    from penstock.presets import SCHEMA, read

    if schema:
        click.echo(read(SCHEMA), nl=False)
        return OK
    chosen = list(files)
    if not chosen:
        there = [path for path in rules_of(workspace_root(workspace)) if os.path.lexists(path)]
        own = (*there[:1], user_rules())
        chosen = [path for path in own if read_rules(path) is not None]
    found = {path: _with_ended(_with_ignored(load(path, read_rules))) for path in chosen}
    results = {path: _with_preset(path, one) for path, one in found.items()}
    broken = any(result.problems for result in results.values())
    if as_json:
        told = [_document(path, result) for path, result in results.items()]
        print_json({"ok": not broken, "files": told})
    else:
        _print(results)
    return COULD_NOT if broken else OK


def _print(results: Mapping[str, LoadResult]) -> None:
    out = console()
    for path, result in results.items():
        for problem in (*result.problems, *result.warnings):
            out.print(str(problem), markup=False)
        found = counted(len(result.problems), "problem") if result.problems else "no problems"
        out.print(f"{path}: {counted(len(result.rules), 'rule')}, {found}", markup=False)
    if not results:
        out.print("no rules file found; the preset `guard` is active", markup=False)


def _document(path: str, result: LoadResult) -> dict[str, object]:
    return {
        "file": path,
        "rules": len(result.rules),
        "problems": [_plain(problem) for problem in result.problems],
        "warnings": [_plain(warning) for warning in result.warnings],
    }


def _with_preset(path: str, found: LoadResult) -> LoadResult:
    """Warn of a project's rules without a preset: then only what they list is protected."""
    from msgspec.structs import replace

    from penstock.app.places import user_rules
    from penstock.core.rules.load import PRESET
    from penstock.core.rules.problems import Problem

    named = any(name.startswith(PRESET) for name, _ in found.sources)
    if named or found.literal or found.problems or path == user_rules():
        return found
    warning = Problem(
        file=found.name,
        field="preset",
        message="no preset is named, so only the rules in this file protect anything",
        hint='add `preset = "guard"` to protect secrets, `.git` and lock files too',
    )
    return replace(found, warnings=(*found.warnings, warning))


def _with_ignored(found: LoadResult) -> LoadResult:
    """Warn of settings that count only in the user's own file, and stand elsewhere."""
    from msgspec.structs import replace

    from penstock.app.places import user_rules
    from penstock.core.notify.settings import ignored
    from penstock.core.rules.problems import Problem
    from penstock.core.run.settings import without_effect

    own, name = user_rules(), os.path.abspath(found.name)
    wrong = []
    if ignored({name: found.settings.get("notify", {})}, user=own):
        wrong.append(("notify", "`targets` and `link` of [notify] are"))
    for _, key in without_effect({name: found.settings.get("run", {})}, user=own):
        wrong.append((f"run.{key}", f"`{key}` of [run] is"))
    hint = f"move the setting to your own rules, {own}"
    warnings = [
        Problem(file=found.name, field=field, message=f"{what} ignored in this file", hint=hint)
        for field, what in wrong
    ]
    return replace(found, warnings=(*found.warnings, *warnings))


def _with_ended(found: LoadResult) -> LoadResult:
    """Warn of rules and exceptions whose time is over: they no longer count."""
    import time

    from msgspec.structs import replace

    from penstock.core.policy.expiry import endings
    from penstock.core.rules.problems import Problem
    from penstock.core.timestamps import stamp

    ended = [end for end in endings(found.rules, time.time()) if end.ended]
    warnings = [
        Problem(
            file=end.where.file,
            line=end.where.line,
            field="expires_at",
            message=f"{end.name} expired on {stamp(end.expires_at)} and has no effect",
            hint="remove it, or set a later date",
        )
        for end in ended
    ]
    return replace(found, warnings=(*found.warnings, *warnings))


def _plain(problem: Problem) -> dict[str, object]:
    from msgspec import to_builtins

    plain: dict[str, object] = to_builtins(problem)
    return plain
