"""Who approves: the person at the terminal, or the one whose program resumes the graph.

An interrupt's answer comes from the program that runs the graph. Without an approver's key that
program is taken for a person's, as a broker's front end is, unless it runs inside an agent. With
a key only its signature approves: the passphrase is typed at the terminal and never travels in
an answer, because checkpointers keep answers. Then a write waits in the queue for
`penstock approve`, and the graph finds it approved.
Always true: what cannot be proven approves nothing, and the attempt is on the record.
"""

from __future__ import annotations

import getpass
import sys

from penstock.app import Workspace
from penstock.app.proof import attempts_recorded, by_key, need_code_set_up, who
from penstock.core.errors import RefusedError
from penstock.gate import Proof

GRAPH = "graph"


def at_terminal() -> bool:
    """Say whether standard input is a terminal."""
    try:
        return sys.stdin is not None and sys.stdin.isatty()
    except ValueError:  # it was closed
        return False


def by_resume(here: Workspace) -> Proof:
    """Return the proof of whoever resumed the graph. Raises RefusedError inside an agent."""
    _refuse_inside_agent(here, "resume")
    return Proof(by=who(), kind=GRAPH)


def by_prompt(here: Workspace) -> Proof:
    """Return the proof of whoever answered the prompt; with a key, the passphrase is asked for."""
    _refuse_inside_agent(here, "prompt")
    if not here.keys.exists():
        return Proof(by=who(), kind="terminal" if at_terminal() else "input")
    need_code_set_up(here)
    if not at_terminal():
        raise RefusedError(
            "no-terminal",
            "the passphrase needs a terminal",
            hint="approve it with `penstock approve`",
        )
    words = _typed("passphrase: ")
    code = _typed("one-time code: ") if here.keys.current().totp else None
    return by_key(here, words, code, command="langgraph prompt")


def _typed(question: str) -> str:
    """Ask for what must not be seen. Giving up is a refusal, and the graph goes on."""
    try:
        return getpass.getpass(question)
    except (EOFError, KeyboardInterrupt):
        raise RefusedError("cancelled", "no passphrase was given") from None


def rejecting(kind: str) -> Proof:
    """Return who says no; that takes no proof."""
    return Proof(by=who(), kind=kind)


def _refuse_inside_agent(here: Workspace, command: str) -> None:
    why = here.inside_agent()
    if why:
        with attempts_recorded(here, command=f"langgraph {command}"):
            raise RefusedError(
                "inside-agent",
                "a graph run by an agent can't approve its own writes",
                because=why,
                hint="approve it with `penstock approve` in your own terminal",
            )
