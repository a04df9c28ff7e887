"""`penstock init --observe` and `--enforce`: one line of penstock.toml.

Always true: every other byte of the file stays; observing lets agents do more, so a person
confirms it, and inside an agent it is refused.
"""

from __future__ import annotations

import os
import tomllib
from typing import TYPE_CHECKING

from penstock.core.errors import InputError

if TYPE_CHECKING:
    from penstock.app import Workspace

KEY = "observe"
LINE = f"{KEY} = true"
LOUD = (
    "observe mode: agents' calls are only logged, not blocked, except attempts to remove "
    "Penstock or its audit log; `penstock report` shows what would have been blocked, "
    "`penstock init --enforce` blocks again. Penstock's own tools (MCP server, broker, LangGraph "
    "write gate) still enforce the rules"
)
RULES = "penstock.toml"


def switch(here: Workspace, *, observe: bool, yes: bool, dry_run: bool) -> list[dict[str, object]]:
    """Make a rules file that is there observe or enforce; return what changed, as `init` shows it.

    Raises RefusedError where no person stands behind it.
    """
    path = os.path.realpath(os.path.join(here.root, RULES))
    try:
        with open(path, "rb") as file:
            before = file.read()
    except FileNotFoundError:
        return []
    after = observing(before, observe=observe)
    if after == before:
        return []
    if not dry_run:
        _write(here, path, before, after, observe=observe, yes=yes)
    word = "would change" if dry_run else "changed"
    diff = f"+{LINE}\n" if observe else f"-{LINE}\n"
    return [{"path": RULES, "status": word, "diff": diff}]


def observing(before: bytes, *, observe: bool) -> bytes:
    """Return the text of a rules file that observes, or that does not."""
    text = before.decode("utf-8")
    was = _document(text)
    lines = text.splitlines(keepends=True)
    end = next((at for at, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
    kept = [line for line in lines[:end] if not _is_ours(line)]
    if observe:
        first = next((at for at, line in enumerate(kept) if _is_setting(line)), len(kept))
        kept.insert(first, f"{LINE}\n")
    made = "".join([*kept, *lines[end:]])
    now = _document(made)
    others = [{key: value for key, value in one.items() if key != KEY} for one in (was, now)]
    if others[0] != others[1] or now.get(KEY, False) is not observe:
        raise InputError(
            "bad-target",
            f"`{RULES}` can't be edited automatically",
            hint=f"add or remove the line `{LINE}` yourself",
        )
    return made.encode()


def _document(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise InputError(
            "bad-target",
            f"`{RULES}` is not valid TOML",
            because=str(problem),
            hint="fix it; `penstock check` shows the line",
        ) from None


def _is_ours(line: str) -> bool:
    return line.partition("=")[0].strip() == KEY


def _is_setting(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _write(
    here: Workspace, path: str, before: bytes, after: bytes, *, observe: bool, yes: bool
) -> None:
    from penstock.app.rule_edits import editing
    from penstock.cli.rules.person import confirm
    from penstock.cli.terminal.proof import person, refuse_inside_agent
    from penstock.gate.rule_edit import RuleEdit
    from penstock.ports import Version

    command = "init --observe" if observe else "init --enforce"
    refuse_inside_agent(here, command=command)
    proof = confirm(here, (LOUD,), yes) if observe else person(here)
    edit = RuleEdit(
        versions=(Version(path=path, before=before, after=after),),
        message="",
        snapshot="",
        facts={"command": command},
        proof=proof,
    )
    with editing([path], by=command) as write:
        write(edit)
