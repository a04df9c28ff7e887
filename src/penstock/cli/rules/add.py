"""`penstock rules add`: the everyday way to add a rule."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from penstock.cli import COULD_NOT, OK
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.complete import rule_ids
from penstock.cli.terminal.output import echo, json_option, print_json, tell, workspace_option
from penstock.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.app import Workspace
    from penstock.core.rule_edit.quick_rule import QuickRule
    from penstock.doors.reviewer.quick import EditPreview
    from penstock.gate import Proof

MOST_SHOWN = 5
WORDS = {"passthrough": "no rule"}  # what holds then is the default


@click.command(
    "add",
    cls=PlainCommand,
    examples=(
        'penstock rules add --allow --command "make generate" --expires 7d',
        'penstock rules add --deny --path "db/migrations/**" --reason "already applied"',
        "penstock rules add --except env-files --path .env.ci --dry-run",
    ),
)
@click.option("--allow", is_flag=True, help="Allow the call.")
@click.option("--ask", is_flag=True, help="Require approval.")
@click.option("--deny", is_flag=True, help="Deny the call.")
@click.option(
    "--except",
    "of",
    default="",
    metavar="RULE",
    shell_complete=rule_ids,
    help="Add an exception to this rule.",
)
@click.option("--path", default="", metavar="GLOB", help="Files that the rule applies to.")
@click.option(
    "--command", "prefix", default="", metavar="PREFIX", help="Commands that start with this."
)
@click.option(
    "--regex", default="", metavar="RE", help="Commands that match this regular expression."
)
@click.option("--reason", default="", metavar="TEXT", help="Reason (sent to the agent).")
@click.option(
    "--expires", default="", metavar="TIME", help="Expires after 1h, 7d, or at a UTC time."
)
@click.option("--owner", default="", metavar="WHO", help="Who is responsible for the rule.")
@click.option("--user", is_flag=True, help="Add it to your own rules, for all projects.")
@click.option("--dry-run", is_flag=True, help="Show the diff and the effect; change nothing.")
@click.option("--no-commit", is_flag=True, help="Keep a dated backup instead of a git commit.")
@click.option("--yes", is_flag=True, help="Don't ask for confirmation.")
@workspace_option
@json_option
def command(
    allow: bool,
    ask: bool,
    deny: bool,
    of: str,
    path: str,
    prefix: str,
    regex: str,
    reason: str,
    expires: str,
    owner: str,
    user: bool,
    dry_run: bool,
    no_commit: bool,
    yes: bool,
    workspace: str | None,
    as_json: bool,
) -> int:
    """Add a rule to penstock.toml.

    Shows the diff and how the rule would have changed past decisions, then asks. Choose one of
    --allow, --ask, --deny, --except, and one of --path, --command, --regex.
    """
    from penstock.app import open_workspace
    from penstock.core.rule_edit.quick_rule import QuickRule, glob_of
    from penstock.gate.doors import Door

    kinds = [name for name, chosen in (("allow", allow), ("ask", ask), ("deny", deny)) if chosen]
    kinds += ["except"] if of else []
    if len(kinds) != 1:
        raise click.UsageError("choose one of `--allow`, `--ask`, `--deny` and `--except RULE`")
    if sum(map(bool, (path, prefix, regex))) != 1:
        raise click.UsageError("choose one of `--path`, `--command` and `--regex`")
    here = open_workspace(workspace, door=Door.COMMAND)
    quick = QuickRule(
        kind=kinds[0],
        of=of,
        path=glob_of(path, root=here.root, home=os.path.expanduser("~")),
        command=prefix,
        regex=regex,
        reason=reason,
        owner=owner,
        expires_at=end_of(expires) if expires else None,
        user=user,
    )
    if _has_no_effect(here, quick):
        tell(f"warning: rule `{of}` does not match `{quick.path}`; the exception has no effect")
    return add(here, [quick], dry_run=dry_run, commit=not no_commit, yes=yes, as_json=as_json)


def _has_no_effect(here: Workspace, quick: QuickRule) -> bool:
    """Say whether an exception names a file that its rule is not about; patterns may be."""
    from penstock.core.paths.globs import matches

    named = [
        r for each in here.policy().layers for r in each.rules if quick.of and r.id == quick.of
    ]
    globs = [glob for rule in named for glob in rule.paths]
    if not globs or not quick.path or quick.path.startswith("@") or set("*?") & set(quick.path):
        return False
    spelt = {quick.path, quick.path.lower()}
    return not any(
        matches(each, path) for glob in globs for each in {glob, glob.lower()} for path in spelt
    )


def end_of(text: str) -> float:
    """Return when `1h`, `7d` or a UTC time is, seen from now; it must lie ahead."""
    from penstock.core.timestamps import UNITS, parse_when, seconds_of

    now = time.time()
    ago = text.strip()[-1:] in UNITS
    found = seconds_of(parse_when(text, now=now))
    end = float(2 * int(now) - found if ago else found)
    if end <= now:
        raise InputError(
            "bad-time", f"`{text[:80]}` is in the past", hint="use a duration such as `1h` or `7d`"
        )
    return end


def add(
    here: Workspace,
    rules: Sequence[QuickRule],
    *,
    dry_run: bool = False,
    commit: bool = True,
    yes: bool,
    as_json: bool,
) -> int:
    """Show what some rules would change, and add them. Raises why they can't be added."""
    with _file(here, rules[0], dry_run=dry_run) as file:
        return _added(here, rules, file, dry_run=dry_run, commit=commit, yes=yes, as_json=as_json)


def _added(
    here: Workspace,
    rules: Sequence[QuickRule],
    file: str,
    *,
    dry_run: bool,
    commit: bool,
    yes: bool,
    as_json: bool,
) -> int:
    from penstock.cli.rules.person import confirm
    from penstock.cli.terminal.ask import agreed
    from penstock.core.rule_edit.quick_rule import ids_in
    from penstock.doors.reviewer.quick import in_one, made, previewed

    taken = ids_in(here.policy())
    operations: list[dict[str, object]] = []
    for quick in rules:
        operations.append(quick.operation(file, taken))
        taken.add(_id_of(operations[-1]))
    document = in_one(operations)
    preview = previewed(document)
    show(preview, to_stdout=not as_json)
    facts = {
        "rules": [one["rule"] for one in operations],
        "file": file,
        "diff": preview.diff,
        "effect": preview.effect,
        "widens": list(preview.widens),
    }
    if dry_run:
        if as_json:
            print_json({"success": True, "dry_run": True, **facts})
        return OK
    # Whoever widens is asked by `confirm`, which wants a person; anybody may tighten.
    if not preview.widens and not agreed("make this change?", yes=yes):
        tell("nothing was changed")
        return COULD_NOT

    def prove(where: Workspace, reasons: tuple[str, ...]) -> Proof:
        return confirm(where, reasons, yes)

    answer = made(document, prove=prove, commit=commit)
    names = ", ".join(f"`{_id_of(one)}`" for one in operations)
    if as_json:
        print_json({**facts, **answer})
    tell(f"added {names} to {file}; undo with `penstock undo`")
    return OK


def _id_of(operation: dict[str, object]) -> str:
    rule = operation["rule"]
    return str(rule.get("id", "")) if isinstance(rule, dict) else ""


@contextmanager
def _file(here: Workspace, rule: QuickRule, *, dry_run: bool) -> Iterator[str]:
    """Give the rules file to edit; one that is made for it goes again where nothing was added."""
    from penstock.app.rules.rule_ways import new_file, rules_file

    file = rules_file(here.root, rule)
    if os.path.lexists(file):
        yield file
        return
    if dry_run or here.inside_agent():
        hint = "run it without `--dry-run`" if rule.user else "create it with `penstock init`"
        raise InputError("no-target", f"the rules file `{file}` does not exist", hint=hint)
    os.makedirs(os.path.dirname(file), exist_ok=True)
    begun = new_file(rule)
    with open(file, "xb") as made:
        made.write(begun)
    try:
        yield file
    finally:
        with open(file, "rb") as made:
            unchanged = made.read() == begun
        if unchanged:
            os.unlink(file)


def show(preview: EditPreview, *, to_stdout: bool) -> None:
    """Print the diff, and which past decisions would change."""
    say = echo if to_stdout else tell
    say(preview.diff.rstrip("\n"))
    for warning in preview.warnings:
        say(f"warning: {warning}")
    for line in effect_lines(preview.effect):
        say(line)


def effect_lines(effect: dict[str, object]) -> list[str]:
    """Return in words what an edit would have changed."""
    if "not_replayed" in effect:
        return [f"effect: past decisions can't be replayed: {effect['not_replayed']}"]
    replayed, flips = effect.get("decisions_replayed", 0), effect.get("would_flip", 0)
    if not replayed:
        return ["effect: unknown, there are no past decisions to compare with"]
    lines = [f"effect: {flips} of {replayed} past decisions would change"]
    examples = [*_list(effect.get("looser")), *_list(effect.get("stricter"))]
    for one in examples[:MOST_SHOWN]:
        if isinstance(one, dict):
            before, after = (WORDS.get(str(one[key]), one[key]) for key in ("before", "after"))
            lines.append(f"  {before} -> {after}: {one['tool']} {one['input']}")
    return lines


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
