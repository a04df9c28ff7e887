"""How commands print: JSON documents, plain lines, colour only where it is wanted."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TextIO, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import Console

F = TypeVar("F", bound=Callable[..., Any])


def print_json(document: object) -> None:
    """Print one document; keys keep their order, other alphabets stay readable."""
    text = json.dumps(document, ensure_ascii=False, indent=2)
    sys.stdout.write(json_printable(text) + "\n")
    sys.stdout.flush()


def json_printable(text: str) -> str:
    """Return JSON that means the same, with an escape for each character that is not seen."""
    if _is_plain(text):
        return text
    from penstock.core.text.display import json_visible

    return json_visible(text)


def echo(text: str, *, mark: str = "", colour: str = "", bold: bool = False) -> None:
    """Print one line after a coloured mark; quicker to start than a console."""
    styled = click.style(mark, fg=colour or None, bold=bold) + " " if mark else ""
    print_styled(f"{styled}{printable(text)}")


def print_styled(line: str) -> None:
    """Print a line with styles of our own; what it tells of others was made printable before."""
    click.echo(line, color=False if os.environ.get("NO_COLOR") else None)


def console(*, stderr: bool = False, into: TextIO | None = None) -> Console:
    """Return a console that honours NO_COLOR and never wraps what is piped.

    `into` takes what is meant for the terminal and shown later.
    """
    from rich.console import Console

    stream = into or (sys.stderr if stderr else sys.stdout)
    width = None if into or stream.isatty() else 100_000
    # Without a colour system Rich sends no escapes for styles at all, bold included.
    plain = bool(os.environ.get("NO_COLOR"))
    system: Literal["auto"] | None = None if plain else "auto"

    class PlainConsole(Console):
        """Prints no character that a terminal would obey, unless it is of our own style."""

        def print(self, *objects: Any, **options: Any) -> None:
            super().print(*map(_shown, objects), **options)

    return PlainConsole(
        file=stream,
        force_terminal=True if into else None,
        highlight=False,
        soft_wrap=True,
        color_system=system,
        width=width,
    )


def _shown(value: Any) -> Any:
    """Return a text as it may be printed; anything else is of our own making."""
    from rich.text import Text

    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Text) and printable(value.plain) != value.plain:
        return Text(printable(value.plain), style=value.style)
    return value


def tell(text: str) -> None:
    """Say a sentence to the person, on stderr."""
    click.echo(printable(text), err=True)


def printable(text: str) -> str:
    """Return a text that a terminal shows and never obeys; what is visible stays as it is."""
    if _is_plain(text):
        return text
    from penstock.core.text.display import harmless

    return harmless(text)


def _is_plain(text: str) -> bool:
    """Most texts are, and spare us an import."""
    return text.isascii() and text.replace("\n", "").replace("\t", "").isprintable()


def workspace_option(function: F) -> F:
    """Add `--workspace DIR` to a subcommand."""
    return click.option(
        "--workspace",
        metavar="DIR",
        default=None,
        help="Project directory (default: the nearest parent with penstock.toml or .git).",
    )(function)


def json_option(function: F) -> F:
    """Add `--json` to a subcommand."""
    return click.option(
        "--json", "as_json", is_flag=True, help="Print one JSON document, also for errors."
    )(function)
