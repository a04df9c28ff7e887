"""Who is answering: the proof that a person, and not an agent, sits at this command.

Always true: inside an agent nothing is proven, whatever is typed there; once an approver key
exists, only a signature counts.
"""

from __future__ import annotations

import getpass
import os

import click

from penstock.app import Workspace
from penstock.app.proof import attempts_recorded, by_key, by_key_in, need_code_set_up, who
from penstock.cli.terminal.ask import at_terminal, need_answer
from penstock.core.errors import InputError, RefusedError
from penstock.gate import Proof


def may_answer(here: Workspace, *, yes: bool, terminal: bool = True, keys: str = "") -> None:
    """Refuse at once what could not be answered later, before anything is opened or shown."""
    refuse_inside_agent(here)
    if not keys and not here.keys.exists():
        _need_terminal(terminal)
    need_answer(yes=yes)


def person(here: Workspace, *, terminal: bool = True, keys: str = "") -> Proof:
    """Return the proof of whoever runs this command. Raises RefusedError inside an agent.

    `keys` is the directory of another approver's key: an owner who comes to this machine.
    """
    refuse_inside_agent(here)
    if keys:
        return by_key_in(here, keys, passphrase(), **_command())
    if here.keys.exists():
        return _by_key(here)
    _need_terminal(terminal)
    return Proof(by=who(), kind="terminal" if at_terminal() else "no-terminal")


def front_end(here: Workspace) -> Proof:
    """Return the proof of a person's own program, which may talk to us over pipes.

    Where a key exists its passphrase is handed over or typed; without one nothing is signed, and
    the gate then refuses what needs a signature.
    """
    refuse_inside_agent(here)
    proof = Proof(by=who(), kind="front-end")
    if not here.keys.exists():
        return proof
    try:
        return _by_key(here)
    except RefusedError as no:
        if no.code != "no-terminal":
            raise
    return proof


def _need_terminal(needed: bool) -> None:
    if needed and not at_terminal():
        raise RefusedError(
            "no-terminal",
            "approving needs a person at a terminal",
            because="standard input is not a terminal, and there is no approver key",
            hint="run it in a terminal, or create a key with `penstock approver init`",
        )


def refuse_inside_agent(here: Workspace, *, command: str = "") -> None:
    """Refuse a command that an agent's shell runs, and log the attempt."""
    why = here.inside_agent()
    if why:
        with attempts_recorded(here, **(_command() or {"command": command})):
            raise RefusedError(
                "inside-agent",
                "this command can't be run from an agent's shell",
                because=why,
                hint="run it in your own terminal",
            )


def _command() -> dict[str, str]:
    at = click.get_current_context(silent=True)
    if at is None:
        return {}
    named = at.params.get("id_") or at.params.get("receipt") or ""
    return {"command": at.command_path.partition(" ")[2], "proposal": named}


def _by_key(here: Workspace) -> Proof:
    need_code_set_up(here)
    words = passphrase()
    return by_key(here, words, code_if_needed(here), **_command())


def code_if_needed(here: Workspace) -> str | None:
    """Ask for a one-time code where they are set up."""
    if not here.keys.current().totp:
        return None
    if not at_terminal():
        raise RefusedError(
            "code-needed",
            "a one-time code is needed besides the passphrase",
            because="standard input is not a terminal, so you can't be asked for it",
            hint="run it in a terminal",
        )
    return getpass.getpass("one-time code: ")


def passphrase(*, confirm: bool = False) -> str:
    """Take the passphrase from a descriptor that a person's own tool holds, or ask for it."""
    from penstock.app.proof import PASSPHRASE_VARIABLE, passphrase_from_environment

    handed = passphrase_from_environment(os.environ)
    if handed is not None:
        return handed
    if not at_terminal():
        raise RefusedError(
            "no-terminal",
            "the approver key's passphrase is needed",
            because="standard input is not a terminal, so you can't be asked for it",
            hint=f"run it in a terminal, or pass the passphrase with `{PASSPHRASE_VARIABLE}`",
        )
    typed = getpass.getpass("passphrase: ")
    if confirm and getpass.getpass("repeat passphrase: ") != typed:
        raise InputError("not-the-same", "the two passphrases differ", hint="run the command again")
    return typed
