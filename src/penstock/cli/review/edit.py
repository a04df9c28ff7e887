"""`penstock edit`: change the proposed content in your editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile

import click

from penstock.cli import COULD_NOT
from penstock.cli.shape import PlainCommand
from penstock.cli.terminal.complete import proposal_ids
from penstock.cli.terminal.output import json_option, print_json, tell, workspace_option
from penstock.core.errors import InputError, StoreError


@click.command(cls=PlainCommand, examples=("EDITOR=nano penstock edit 3f2a1c9e",))
@click.argument("id_", metavar="ID", shell_complete=proposal_ids)
@workspace_option
@json_option
def command(id_: str, workspace: str | None, as_json: bool) -> int:
    """Edit the proposed content in $VISUAL or $EDITOR.

    The result is stored as a new version of the pending change, which you can then approve.
    """
    from penstock.cli.review.queue import named_by_person, show_versions
    from penstock.cli.terminal.progress import measuring
    from penstock.core.proposals.short_id import short
    from penstock.gate.lookup import only, still_open

    here, group = named_by_person(workspace, id_)
    one = only(still_open(group))
    _, after = here.gate.contents(one)
    if after is None:
        raise InputError(
            "nothing-to-edit",
            f"this change deletes `{one.path}`; there is no content to edit",
            hint=f"`penstock approve {short(one.id)}` or `penstock reject {short(one.id)}`",
        )
    content = edited(after, os.path.basename(one.path))
    if content == after:
        tell("nothing was changed")
        if as_json:
            print_json({"proposals": []})
        return COULD_NOT
    with measuring(here.gate):
        made = here.gate.revise(one.id, content, origin="edit")
    return show_versions(here.gate, (made,), as_json=as_json)


def edited(content: bytes, name: str) -> bytes:
    """Return what the person left in the file when their editor ended."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        raise InputError(
            "no-editor",
            "no editor is configured",
            because="neither VISUAL nor EDITOR is set",
            hint="set one, for example `export EDITOR=nano`",
        )
    with tempfile.TemporaryDirectory(prefix="penstock-edit-") as folder:
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(content)
        _run_editor(editor, path)
        return _left_behind(path)


def _left_behind(path: str) -> bytes:
    """Return what an editor saved; only a file counts, since that is what will be written."""
    try:
        if not os.path.isfile(path) or os.path.islink(path):
            raise StoreError(
                "editor-failed", "the editor left no regular file behind; nothing was changed"
            )
        with open(path, "rb") as file:
            return file.read()
    except OSError as fault:
        raise StoreError(
            "editor-failed",
            "the edited file can't be read; nothing was changed",
            because=(fault.strerror or "").lower(),
        ) from None


def _run_editor(editor: str, path: str) -> None:
    try:
        ended = subprocess.run([*shlex.split(editor), path], check=False).returncode  # noqa: S603
    except (OSError, ValueError) as fault:
        raise StoreError(
            "editor-failed", f"the editor `{editor}` can't be started", because=str(fault).lower()
        ) from None
    if ended:
        raise StoreError(
            "editor-failed", f"the editor exited with code {ended}; nothing was changed"
        )
