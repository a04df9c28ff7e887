"""Hooks of git: scripts that run because a command commits, merges, checks out or pushes.

Where they lie is read from the repository's configuration; hooks that only call pre-commit,
lefthook or husky lead to what these run.
Always true: a hook that git would not run for a command does not count.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from penstock.core.shell.effects import Effect, ProgramCall, RunFile, RunProgram, options
from penstock.core.shell.expansion import Value
from penstock.core.shell.look import LookHere
from penstock.core.text.late_regex import late_regex

_COMMITS = "pre-commit prepare-commit-msg commit-msg post-commit"
_HOOKS: Mapping[str, str] = {
    "commit": _COMMITS,
    "merge": "pre-merge-commit commit-msg post-merge",
    "pull": "pre-merge-commit post-merge post-checkout post-rewrite",
    **dict.fromkeys(("checkout", "switch", "clone", "worktree"), "post-checkout"),
    "rebase": f"pre-rebase post-rewrite post-checkout {_COMMITS}",
    "push": "pre-push",
    "am": "applypatch-msg pre-applypatch post-applypatch",
    **dict.fromkeys(("cherry-pick", "revert"), _COMMITS),
    "gc": "pre-auto-gc",
}
_SKIPPED = frozenset({"pre-commit", "commit-msg", "pre-merge-commit", "pre-push", "pre-rebase"})
_PATH = late_regex(r"^\s*hooksPath\s*=\s*\"?([^\"\n#;]+?)\"?\s*$", re.I | re.M)
_GIVEN = late_regex(r"core\.hookspath=(.+)", re.I)
# What a hook calls that has hooks of its own, and the command by which it runs them.
_CALLED = {
    "pre-commit": "pre-commit run",
    "pre_commit": "pre-commit run",
    "lefthook": "lefthook run {}",
}


def git_hooks(call: ProgramCall) -> Iterator[Effect]:
    """Run the hooks that a git command runs."""
    found = options(
        call.args, short="Cc", long="git-dir work-tree exec-path", first_operand_ends=True
    )
    words = [word.text for word in found.operands]
    names = _HOOKS.get(words[0], "").split() if words else []
    if not names or not call.here.sees:
        return
    if "--no-verify" in words or (words[0] == "commit" and "-n" in words):
        names = [name for name in names if name not in _SKIPPED]
    folders = [value.text for value in found.values("C")]
    yield from _run(names, _folder(found.values("c"), folders, call.here), call.here)


def _folder(settings: Sequence[Value], places: Sequence[str], here: LookHere) -> str:
    """Return the directory of the hooks."""
    top = posixpath.join(*places) if places else ""
    for setting in settings:
        given = _GIVEN.fullmatch(setting.text)
        if given:
            return posixpath.join(top, given.group(1))
    configured = _PATH.search(here.text(posixpath.join(top, ".git/config")) or "")
    return posixpath.join(top, configured.group(1) if configured else ".git/hooks")


def _run(names: Sequence[str], folder: str, here: LookHere) -> Iterator[Effect]:
    # husky keeps what git runs in `_` below the directory of the scripts that people write
    folders = (folder, posixpath.dirname(folder)) if folder.endswith("/_") else (folder,)
    for name in names:
        for place in folders:
            path = posixpath.join(place, name)
            text = here.text(path)
            if text is None:
                continue
            yield RunFile("", Value(path), (Value(path),))
            command = next((one for word, one in _CALLED.items() if word in text), "")
            if command:
                yield RunProgram(tuple(map(Value, command.format(name).split())))
