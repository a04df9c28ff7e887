"""Who is answering: the proof that a person, and not an agent, sits at this command.

Always true: inside an agent nothing is proven, whatever is typed there; once an approver key
exists, only a signature counts.
"""

from __future__ import annotations

import getpass
import os
import sys

import click

from penstock.app import Workspace
from penstock.core.errors import InputError, RefusedError
from penstock.gate import Proof

PASSPHRASE_FD = "PENSTOCK_PASSPHRASE_FD"  # noqa: S105 - the name of a variable, not a secret


def person(here: Workspace, *, terminal: bool = True) -> Proof:
    """Return the proof of whoever runs this command. Raises RefusedError inside an agent."""
    refuse_inside_agent(here)
    if here.keys.exists():
        return _by_key(here)
    if terminal and not sys.stdin.isatty():
        raise RefusedError(
            "no-terminal",
            "approving needs a person at a terminal",
            because="standard input is not a terminal, and no approver key is set up",
            hint="run it in a terminal, or set a key up with `penstock approver init`",
        )
    kind = "terminal" if sys.stdin.isatty() else "no-terminal"
    return Proof(by=who(), kind=kind)


def refuse_inside_agent(here: Workspace) -> None:
    """Say no to a command that an agent's shell runs."""
    why = here.inside_agent()
    if why:
        raise RefusedError(
            "inside-agent",
            "an agent's shell cannot approve",
            because=why,
            hint="open a terminal of your own and run the command there",
        )


def _by_key(here: Workspace) -> Proof:
    public = here.keys.public()
    words = passphrase()
    code = getpass.getpass("one-time code: ") if public is not None and public.totp else None
    return Proof(by=who(), kind="key", sign=here.keys.unseal(words, code=code))


def passphrase(*, confirm: bool = False) -> str:
    """Take the passphrase from a descriptor that a person's own tool holds, or ask for it."""
    handed = os.environ.get(PASSPHRASE_FD)
    if handed is not None:
        from penstock.stores.keys import passphrase_from_fd

        if not handed.isdecimal():
            raise InputError("bad-descriptor", f"{PASSPHRASE_FD} is not a number: `{handed}`")
        return passphrase_from_fd(int(handed))
    if not sys.stdin.isatty():
        raise RefusedError(
            "no-terminal",
            "the passphrase cannot be asked for without a terminal",
            hint=f"hand it over with {PASSPHRASE_FD}",
        )
    typed = getpass.getpass("passphrase: ")
    if confirm and getpass.getpass("once more: ") != typed:
        raise InputError("not-the-same", "the two passphrases differ")
    return typed


def who() -> str:
    """Return the user's name, for the record."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}"


def agreed(question: str, *, yes: bool) -> bool:
    """Ask for a yes at a terminal; without one, only `--yes` is a yes."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise RefusedError(
            "needs-yes", "nothing is asked without a terminal", hint="add --yes to go on"
        )
    return click.confirm(question, default=False, err=True)
