"""A group of commands that imports one only to run it, so that none pays for another's imports.

Always true: help and completion of the group come from the table alone.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from penstock.cli.shape import CommandGroup

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# Every subcommand with its place and the line that `--help` shows. A place is a module, and after
# a colon the name in it, where that is not `command`.
Table: TypeAlias = Mapping[str, tuple[str, str]]
# Headings of the help with the names below each; a command that none lists works and is not shown.
Sections: TypeAlias = Mapping[str, tuple[str, ...]]


class Lazy(CommandGroup):
    """A group that has its commands in a table of names."""

    def __init__(self, *, table: Table, sections: Sections | None = None, **settings: Any) -> None:
        super().__init__(**settings)
        self.table = table
        self.sections = sections or {"Commands": tuple(table)}

    @property
    def listed(self) -> Iterator[str]:
        """The commands that help and completion show, in their order."""
        for names in self.sections.values():
            yield from names

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

    def known(self, ctx: click.Context) -> Iterable[str]:
        """The names to guess from when one is misspelt."""
        return self.table

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with the table's words: click would ask each command for its own."""
        width = max(map(len, self.listed))
        for title, names in self.sections.items():
            formatter.write(f"\n{title}\n")
            for name in names:
                formatter.write(f"  {name:{width}} {self.table[name][1]}\n")

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Offer the listed commands without importing them; options come from click."""
        from click.shell_completion import CompletionItem

        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        return [
            CompletionItem(name, help=self.table[name][1])
            for name in self.listed
            if name.startswith(incomplete)
        ]
