"""A group of commands that imports one only to run it, so that none pays for another's imports.

Always true: help and completion come from the table alone.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, TypeAlias

import click

# Every subcommand with its place and the line that `--help` shows. A place is a module, and after
# a colon the name in it, where that is not `command`.
Table: TypeAlias = Mapping[str, tuple[str, str]]


class Lazy(click.Group):
    """A group that has its commands in a table of names."""

    def __init__(self, *, table: Table, **settings: Any) -> None:
        super().__init__(**settings)
        self.table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names, in the table's order."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of one command."""
        if cmd_name not in self.table:
            return None
        module, _, name = self.table[cmd_name][0].partition(":")
        found: click.Command = getattr(
            importlib.import_module(f"penstock.cli.{module}"), name or "command"
        )
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with the table's words: click would ask each command for its own."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in self.table.items()])
