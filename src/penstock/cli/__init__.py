"""The `penstock` command: parses arguments, calls the gate, prints.

One small module per subcommand, imported only when it is called. Data goes to stdout, talk to
stderr; what an exit code means is in `EXIT`. `setup` holds what gets a project going, `review`
pending changes, `isolation` runs, `rules` and `judge` the policy, `audit` the log, `integrations`
servers and protocols; `terminal` is what they share.
Enter by `main`; `COMMANDS` says in which module a command is.
Imported by: the console script and `penstock.reviewer`.
Always true: an error is printed in one form (`PenstockError.render`), as JSON with `--json`.
"""

from __future__ import annotations

import atexit
import gc

# How many objects may be made between two looks for garbage: nearly all that a start makes stays.
# It is said before the imports, because they make most of them.
gc.set_threshold(100_000)
# Nor is it worth taking them apart one by one when the process ends. What must be closed by then
# is closed by whoever opened it, and handlers of others run before this one, the first of all.
atexit.register(gc.freeze)

import io
import os
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr

import click

from penstock.cli.lazy import Lazy, Sections, Table
from penstock.core.distribution import NAME
from penstock.core.errors import PenstockError, RefusedError, StaleError, of_system
from penstock.core.model import Verdict

COMPLETE = "_PENSTOCK_COMPLETE"  # a shell sets it to have a line completed
OK, COULD_NOT, DENIED, WAITING, OUT_OF_DATE, USAGE = 0, 1, 2, 3, 4, 64
UNAVAILABLE = 69
EXIT: Mapping[Verdict, int] = {Verdict.ALLOW: OK, Verdict.ASK: WAITING, Verdict.DENY: DENIED}

# Codes that say more than the kind of their error: what was typed cannot be understood, nobody
# can be asked here, a person has yet to look, the answer was no.
CODES: Mapping[str, int] = {
    **dict.fromkeys(
        ("bad-json", "bad-hunks", "bad-time", "empty-input", "unknown-tool", "bad-address"), USAGE
    ),
    **dict.fromkeys(("no-terminal", "needs-yes", "not-confirmed"), COULD_NOT),
    "not-approved": WAITING,
    "owners-missing": WAITING,
    "no-isolation": UNAVAILABLE,
    "already-denied": DENIED,
    "already-rejected": DENIED,
}

COMMANDS: Table = {
    "init": (
        "setup.init",
        "Protect this project: create penstock.toml and register agent hooks",
    ),
    "run": (
        "isolation.run",
        "Run a command isolated from your files; changes are reviewed first",
    ),
    "runs": ("isolation.runs", "List isolated runs; show, apply, enter or drop their changes"),
    "doctor": ("setup.doctor", "Check that the hooks are installed and working"),
    "status": ("setup.status", "Show protected agents, pending changes and recent denials"),
    "demo": ("demo", "Take a one-minute tour"),
    "uninstall": ("setup.uninstall", "Remove the hooks and what else `init` created"),
    "projects": ("setup.projects", "List the projects that Penstock stores data for"),
    "completion": ("setup.completion", "Print the completion script for bash, zsh or fish"),
    "help": ("setup.help", "Show help for a command"),
    "version": ("setup.version", "Show the version"),
    "review": ("review.review", "Review pending changes in the terminal"),
    "open": ("review.open", "Open the review page in the browser"),
    "proposals": ("review.proposals", "List pending changes"),
    "show": ("review.show", "Show the diff of a pending change"),
    "approve": ("review.approve", "Approve a pending change and write it"),
    "reject": ("review.reject", "Reject a pending change with a reason for the agent"),
    "undo": ("review.undo", "Revert a change that Penstock or an agent wrote"),
    "edit": ("review.edit", "Edit a pending change before you approve it"),
    "rebase": ("review.rebase", "Merge a pending change with the current file"),
    "renew": ("review.renew", "Reset the expiry timer of a pending change"),
    "watch": ("review.watch", "Print pending changes as they arrive"),
    "apply": ("review.apply", "Write a change that was approved with --no-apply"),
    "approver": ("setup.approver", "Manage the key that signs your approvals"),
    "judge": ("judge.command", "Test what the rules say about a tool call"),
    "why": ("rules.why", "Explain the latest denials and how to change them"),
    "rules": ("rules.group", "Add, test and analyze rules"),
    "allow": ("rules.allow", "Allow files or commands for a limited time"),
    "check": ("rules.check", "Check the rules files for errors"),
    "bundle": ("rules.bundle", "Build, sign and fetch an organisation's policy bundle"),
    "report": ("rules.report", "Count what the rules stopped and suggest rules"),
    "log": ("audit.log", "Show what agents did and what was decided"),
    "audit": ("audit.group", "Query, verify and export the audit log"),
    "ship": ("audit.ship", "Send the audit log to a SIEM, a collector or a file"),
    "serve": ("integrations.serve", "Run the server for the review page, HTTP hooks and the API"),
    "mcp": ("integrations.mcp", "Run the MCP server"),
    "broker": ("integrations.broker", "Run the file broker on stdin and stdout (JSON lines)"),
    "broker-cli": ("integrations.broker_cli", "Run an agent behind the file broker"),
    "notify": ("integrations.notify", "Test notifications"),
    "sandbox": ("integrations.sandbox", "Create and clean up scratch directories for agents"),
    "hook": ("integrations.hook", "Answer one hook call of an agent (JSON on stdin)"),
}
SECTIONS: Sections = {
    "Get started": ("init", "run", "runs", "doctor", "status", "demo", "uninstall", "projects"),
    "Review changes": (
        *("review", "open", "proposals", "show", "approve", "reject", "undo"),
        *("edit", "rebase", "renew", "watch", "approver"),
    ),
    "Rules": ("why", "judge", "allow", "rules", "check", "report", "bundle"),
    "Audit": ("log", "audit", "ship"),
    "Integrations": ("serve", "mcp", "broker", "broker-cli", "notify", "sandbox", "completion"),
}
# Commands that work and are not listed: other programs call them, or another command names them.
PLUMBING = ("hook", "apply", "help", "version")


class _Root(Lazy):
    """The group of all commands, with a line at the end that says how to go on."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands only; the two options of the group are `--help` and `--version`."""
        self.format_commands(ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Say where help on one command is."""
        formatter.write("\nRun `penstock <command> --help` for the options of a command.\n")


@click.group(
    cls=_Root,
    table=COMMANDS,
    sections=SECTIONS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name=NAME, prog_name="penstock")
def penstock() -> None:
    """Review and control what AI coding agents change on disk."""


def exit_code(error: PenstockError) -> int:
    """Return the exit code that says what kind of failure it was."""
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
    _open_standard_streams()
    _print_anything()
    if COMPLETE in os.environ:
        _complete()
    run = command or penstock
    try:
        sys.exit(_run(run, arguments, name))
    except click.UsageError as wrong:
        from penstock.cli.usage import usage_error

        _tell(usage_error(wrong), as_json="--json" in arguments)
        sys.exit(USAGE)
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        if "--json" in arguments:
            _tell(PenstockError("stopped", "interrupted before it was done"), as_json=True)
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


def _complete() -> None:
    """Answer a shell that completes a line, and exit: what goes wrong says nothing at all."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stderr(nowhere):
        try:
            penstock.main([], prog_name="penstock", complete_var=COMPLETE)
        except Exception:  # noqa: BLE001 - a person is in the middle of a line
            sys.exit(COULD_NOT)


def _run(command: click.Command, arguments: list[str], name: str) -> int:
    """Run a command and return its exit code."""
    try:
        return command.main(arguments, prog_name=name, standalone_mode=False) or OK
    except click.exceptions.Exit as done:
        return done.exit_code


def _open_standard_streams() -> None:
    """Open what is closed (`>&-`): the next file that is opened would get its number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
            mode = "w" if number else "r"
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def _print_anything() -> None:
    """A terminal that lacks a character gets its number, and never a crash."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _tell(error: PenstockError, *, as_json: bool) -> None:
    from penstock.cli.terminal.output import print_json, tell

    if as_json:
        print_json(error.as_json())
    else:
        tell(error.render())
