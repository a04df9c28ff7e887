"""`penstock rules` and `decision_reviewer`: change the rules, and learn from decisions.

Always true: each subcommand is imported only when it is called, and `apply` has one reader of its
words, whichever of the two names it is called by.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping

import click

# Every subcommand with the module that has it and the line that `--help` shows.
COMMANDS: Mapping[str, tuple[str, str]] = {
    "apply": ("rules_apply", "Change a rules file: validated, atomic, with a way back."),
    "query": ("rules_query", "Ask about rules, past decisions and what is missing."),
    "suggest": ("rules_suggest", "Propose rules from what people decided again and again."),
    "stale": ("rules_stale", "List rules that are never hit, expired or shadowed."),
    "test": ("rules_test", "Try one rule on an input."),
    "profile": ("rules_profile", "Measure what one rule costs."),
    "analyze-rule": ("rules_analyze", "Say what a rule covers, overlaps and lets slip past."),
}


class Lazy(click.Group):
    """A group that knows its commands' names and imports one only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names, for help and completion."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of one command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"penstock.cli.{COMMANDS[cmd_name][0]}")
        found: click.Command = module.command
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])


@click.group(cls=Lazy)
def command() -> None:
    """Change the rules, with a way back, and learn from decisions.

    The same commands are also called `decision_reviewer`.
    """


def main(argv: list[str]) -> None:
    """Run `decision_reviewer` and exit."""
    from penstock.cli import main as penstock

    penstock(["rules", *argv])
