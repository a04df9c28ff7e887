"""The `penstock` command: parses arguments, calls the gate, prints.

One small module per subcommand, imported only when it is called. Data goes to stdout, talk to
stderr; what an exit code means is in `EXIT`.
Enter by `main`; a command is the module of its name.
Imported by: the console script and `penstock.reviewer`.
Always true: an error is printed in one form (`PenstockError.render`), as JSON with `--json`.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Mapping

import click

from penstock.cli.lazy import Lazy, Table
from penstock.core.distribution import NAME
from penstock.core.errors import PenstockError, RefusedError, StaleError, of_system
from penstock.core.model import Verdict

OK, COULD_NOT, DENIED, WAITING, OUT_OF_DATE, USAGE = 0, 1, 2, 3, 4, 64
EXIT: Mapping[Verdict, int] = {Verdict.ALLOW: OK, Verdict.ASK: WAITING, Verdict.DENY: DENIED}

# Codes that say more than the kind of their error: what was typed cannot be understood, a
# person has yet to look, the answer was no.
CODES: Mapping[str, int] = {
    "bad-json": USAGE,
    "bad-hunks": USAGE,
    "empty-input": USAGE,
    "unknown-tool": USAGE,
    "not-approved": WAITING,
    "already-denied": DENIED,
    "already-rejected": DENIED,
}

COMMANDS: Table = {
    "hook": ("hook", "Answer one call of an agent's hook: JSON in, the agent's answer out."),
    "judge": ("judge", "Say what the rules would answer to a tool call; records nothing."),
    "init": ("init", "Put the gate in front of the agents of this project."),
    "uninstall": ("uninstall", "Take back exactly what `init` did."),
    "projects": ("projects", "List the projects that have state, and how large it is."),
    "doctor": ("doctor", "Prove that the hooks work, or say why they do not."),
    "check": ("check", "Read the rules and tell every problem in them, with its line."),
    "status": ("status", "Tell the workspace, the policy in force, what waits."),
    "report": ("report", "Show what the rules stopped, or would have, and what would calm it."),
    "proposals": ("proposals", "List what waits for a person."),
    "show": ("show", "Show a proposal: what would be lost, every warning, the diff."),
    "review": ("review", "Go through what waits, on the full screen or at a prompt."),
    "watch": ("watch", "Wait for proposals: ring, set the title, say what came."),
    "approve": ("approve", "Approve a proposal exactly as it is shown, and write it."),
    "apply": ("apply", "Write what was approved before."),
    "reject": ("reject", "Close a proposal with a reason that the agent gets to read."),
    "renew": ("renew", "Give a waiting proposal its whole time again."),
    "edit": ("edit", "Change the proposed content in your editor."),
    "rebase": ("rebase", "Merge a proposal with what was saved meanwhile."),
    "undo": ("undo", "Put back what a write replaced."),
    "why": ("why", "Explain the last denials and questions, and what would change them."),
    "log": ("log", "Show what agents did and what became of it."),
    "allow": ("allow", "Allow files or commands for a while."),
    "rules": ("rules", "Change the rules, with a way back, and learn from decisions."),
    "approver": ("approver", "Set up the key that proves an approval."),
    "audit": ("audit", "Read, prove and ship the record."),
    "sandbox": ("sandbox", "Make and clean up a place for agents to try things in."),
    "broker": ("broker", "Take an agent's tool requests as JSON lines; writes are proposed."),
    "broker-cli": ("broker_cli", "Run an agent behind the broker and decide at this terminal."),
    "mcp": ("mcp", "Serve tools to an agent over the Model Context Protocol."),
    "serve": ("serve", "Answer hooks and show the approval page, from one process that stays."),
    "open": ("open", "Print a link that opens the approval page once."),
    "notify": ("notify", "Try where messages about waiting proposals go."),
    "demo": ("demo", "Show a denied, a waiting, an applied and an undone write."),
    "completion": ("completion", "Print the completion script for bash, zsh or fish."),
}


@click.group(cls=Lazy, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name=NAME, prog_name="penstock")
def penstock() -> None:
    """The gate between AI coding agents and a project's files.

    An agent asks, the rules answer, a person decides when the rules say "ask", one function
    writes, and every step adds a line to one chain.
    """


def exit_code(error: PenstockError) -> int:
    """Return the exit code that tells what kind of inability it was."""
    if error.code in CODES:
        return CODES[error.code]
    if isinstance(error, StaleError):
        return OUT_OF_DATE
    return DENIED if isinstance(error, RefusedError) else COULD_NOT


def main(
    argv: list[str] | None = None, *, command: click.Command | None = None, name: str = "penstock"
) -> None:
    """Run the command and exit; 2 always means denied, never a typo."""
    arguments = sys.argv[1:] if argv is None else argv
    _print_anything()
    try:
        run = (command or penstock).main
        sys.exit(run(arguments, prog_name=name, standalone_mode=False) or OK)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except click.UsageError as wrong:
        _tell_usage(wrong, as_json="--json" in arguments)
        sys.exit(USAGE)
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        if "--json" in arguments:
            _tell(PenstockError("stopped", "this was stopped before its end"), as_json=True)
        sys.exit(COULD_NOT)
    except PenstockError as error:
        _tell(error, as_json="--json" in arguments)
        sys.exit(exit_code(error))
    except BrokenPipeError:
        sys.stderr.close()  # the reader left; there is nobody to tell
        sys.exit(COULD_NOT)
    except OSError as fault:
        _tell(of_system(fault), as_json="--json" in arguments)
        sys.exit(COULD_NOT)


def _print_anything() -> None:
    """A terminal that lacks a character gets its number, and never a crash."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _tell(error: PenstockError, *, as_json: bool) -> None:
    from penstock.cli.output import print_json, tell

    if as_json:
        print_json(error.as_json())
    else:
        tell(error.render())


def _tell_usage(wrong: click.UsageError, *, as_json: bool) -> None:
    from penstock.cli.output import usage_message

    command = wrong.ctx.command_path if wrong.ctx else "penstock"
    error = PenstockError("wrong-usage", usage_message(wrong), hint=f"{command} --help")
    _tell(error, as_json=as_json)
