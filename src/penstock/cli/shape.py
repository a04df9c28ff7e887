"""What every command has in common: the shape of its help, its choices, its guesses.

Always true: help shows the usage, one description, the options and at least one example.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import click

from penstock.core.text.late_regex import late_regex

EXAMPLES = "Examples"
_IN = r"(?:x[<>]=?[0-9.]+|[0-9.]+<=x<=[0-9.]+)"
RANGE = late_regex(rf"\s*\[{_IN}\]|; {_IN}(?=\])")


class UnknownCommandError(click.UsageError):
    """A word that is no command of the group; `names` are those that are."""

    def __init__(self, word: str, names: Iterable[str], ctx: click.Context) -> None:
        super().__init__(f"unknown command {word}", ctx)
        self.word = word
        self.names = tuple(names)


class PlainCommand(click.Command):
    """A command whose help ends in examples, each a line that can be copied."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **settings: Any) -> None:
        settings.setdefault("options_metavar", "[options]")
        super().__init__(*args, **settings)
        self.examples = tuple(examples)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words; what is wrong with them is told as this command's."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as wrong:
            wrong.ctx = wrong.ctx or ctx
            raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the options without click's notation for ranges, `[x>=1]`."""
        with formatter.section("Options"):
            formatter.write_dl(option_rows(self, ctx))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples as they are: a wrapped command could not be copied."""
        if self.examples:
            with formatter.section(EXAMPLES):
                for line in self.examples:
                    formatter.write(f"{'':{formatter.current_indent}}{line}\n")


class CommandGroup(click.Group):
    """A group that prints its help when it is called alone, and guesses what a typo meant."""

    command_class = PlainCommand

    def __init__(self, *args: Any, **settings: Any) -> None:
        settings.setdefault("subcommand_metavar", "<command> [options]")
        settings.setdefault("options_metavar", "")
        super().__init__(*args, **settings)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Print the help when no command is named: that is a question, not a mistake."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, each with the first sentence of its help, never cut."""
        names = list(self.known(ctx))
        width = max(map(len, names), default=0)
        formatter.write("\nCommands\n")
        for name in names:
            formatter.write(f"  {name:{width}}  {first_sentence(self.commands[name].help or '')}\n")

    def known(self, ctx: click.Context) -> Iterable[str]:
        """The names to guess from when one is misspelt."""
        return [name for name, one in self.commands.items() if not one.hidden]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a word that is none is told with the nearest that is one."""
        if not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None:
            raise UnknownCommandError(args[0], self.known(ctx), ctx)
        return super().resolve_command(ctx, args)


class OneOf(click.Choice):  # type: ignore[type-arg]
    """A choice of words; what is none of them is answered with the nearest."""

    def __init__(self, words: Iterable[str]) -> None:
        super().__init__([str(word) for word in words])

    def get_invalid_choice_message(self, value: object, ctx: click.Context | None) -> str:
        """Say which words there are, and which was probably meant."""
        words = [str(word) for word in self.choices]
        return f"`{value}` is not one of {', '.join(words)}{did_you_mean(str(value), words)}"


def option_rows(command: click.Command, ctx: click.Context) -> list[tuple[str, str]]:
    """Return the options of a command, each with what it does, as help and man page show them."""
    options = [one for one in command.get_params(ctx) if isinstance(one, click.Option)]
    records = filter(None, (one.get_help_record(ctx) for one in options))
    return [(name, RANGE.sub("", about).rstrip()) for name, about in records]


def first_sentence(text: str) -> str:
    """Return the first sentence of a help text, on one line and without its full stop."""
    first = " ".join(text.split("\n\n", maxsplit=1)[0].split())
    return re.split(r"(?<=[a-z)])[.;] ", first + " ", maxsplit=1)[0].strip().rstrip(".")


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the known word that was probably meant, or nothing."""
    from difflib import get_close_matches

    names = list(known)
    close = get_close_matches(word, names, n=1)
    longer = [name for name in names if len(word) > 1 and name.startswith(word)]
    return (close or longer or [""])[0]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the end of a sentence that names the nearest word, where one is near."""
    found = nearest(word, known)
    return f"; did you mean `{found}`?" if found else ""
