"""Man pages in roff, made from the same help that the commands print.

`tools/manual.py` writes them to `docs/man`; the wheel installs them in `share/man/man1`.
Always true: whatever stands in a help text is text on the page, never a request of roff's.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click

from penstock import __version__
from penstock.cli import COMMANDS, SECTIONS, penstock
from penstock.cli.shape import PlainCommand, option_rows

EXIT_STATUS = (
    ("0", "Done, or allowed."),
    ("1", "Failed."),
    ("2", "Denied by the rules, or refused."),
    ("3", "Changes are pending: a person has to approve them."),
    ("4", "Out of date: the file has changed since, or the change is closed."),
    ("64", "Wrong usage."),
)
ENVIRONMENT = (
    ("PENSTOCK_PAGER, PAGER", "Pager for long output; empty or `cat` switches it off."),
    ("NO_COLOR", "Print without colours."),
    ("VISUAL, EDITOR", "Editor for `penstock edit`."),
    ("XDG_STATE_HOME", "Where the audit log and pending changes are stored."),
    ("XDG_CONFIG_HOME", "Where your own rules are: `penstock/penstock.toml` below it."),
)
FILES = (
    ("penstock.toml", "The rules of a project."),
    ("~/.config/penstock/penstock.toml", "Your own rules, for all projects."),
    ("~/.local/state/penstock", "Audit logs, pending changes and undo data."),
)
CODE = re.compile(r"`([^`]+)`")


def pages() -> dict[str, str]:
    """Return the text of every page by its file name."""
    with click.Context(penstock, info_name="penstock", help_option_names=["-h", "--help"]) as top:
        found = {"penstock.1": _joined(_root())}
        for name in COMMANDS:
            command = penstock.get_command(top, name)
            assert command is not None
            found[f"penstock-{name}.1"] = _joined(_page(command, top, name))
    return found


def _joined(lines: Iterator[str]) -> str:
    return "\n".join(lines) + "\n"


def _root() -> Iterator[str]:
    yield from _head("penstock", "review and control what AI coding agents change on disk")
    yield from _synopsis("penstock", "<command> [options]")
    yield ".SH DESCRIPTION"
    yield from _text(penstock.help or "")
    for title, names in SECTIONS.items():
        yield f'.SH "{title.upper()}"'
        for name in names:
            yield from _item(f"penstock-{name}(1)", COMMANDS[name][1] + ".")
    for title, rows in (
        ("EXIT STATUS", EXIT_STATUS),
        ("ENVIRONMENT", ENVIRONMENT),
        ("FILES", FILES),
    ):
        yield f'.SH "{title}"'
        for name, about in rows:
            yield from _item(name, about)


def _page(command: click.Command, above: click.Context, name: str) -> Iterator[str]:
    yield from _head(f"penstock-{name}", COMMANDS[name][1])
    with click.Context(command, info_name=name, parent=above) as ctx:
        yield from _synopsis(ctx.command_path, " ".join(command.collect_usage_pieces(ctx)))
        yield ".SH DESCRIPTION"
        yield from _text(command.help or "")
        if isinstance(command, click.Group):
            yield ".SH COMMANDS"
            for below in command.list_commands(ctx):
                found = command.get_command(ctx, below)
                if found is not None and not found.hidden:
                    yield from _below(found, ctx, below)
        else:
            yield from _options(command, ctx, ".SH OPTIONS")
            yield from _examples(command, ".SH EXAMPLES")
    yield '.SH "SEE ALSO"'
    yield r"\fBpenstock\fR(1)"


def _below(command: click.Command, above: click.Context, name: str) -> Iterator[str]:
    """Write a command of a group as a section of the group's page."""
    with click.Context(command, info_name=name, parent=above) as ctx:
        usage = " ".join([ctx.command_path, *command.collect_usage_pieces(ctx)])
        yield f'.SS "{_plain(usage)}"'
        yield from _text(command.help or "")
        yield from _options(command, ctx, ".PP\nOptions:")
        yield from _examples(command, ".PP\nExamples:")


def _head(name: str, about: str) -> Iterator[str]:
    yield f'.TH "{_plain(name.upper())}" 1 "" "Penstock {_plain(__version__)}" "Penstock Manual"'
    yield ".SH NAME"
    said = about.replace("`", "")
    yield f"{_plain(name)} \\- {_plain(said[:1].lower() + said[1:])}"


def _synopsis(path: str, rest: str) -> Iterator[str]:
    yield ".SH SYNOPSIS"
    yield f"\\fB{_plain(path)}\\fR {_plain(rest)}".rstrip()


def _text(help_text: str) -> Iterator[str]:
    for at, paragraph in enumerate(inspect.cleandoc(help_text).split("\n\n")):
        if at:
            yield ".PP"
        yield _line(" ".join(paragraph.split()))


def _options(command: click.Command, ctx: click.Context, title: str) -> Iterator[str]:
    yield title
    for name, about in option_rows(command, ctx):
        yield from _item(name, about)


def _examples(command: click.Command, title: str) -> Iterator[str]:
    lines = command.examples if isinstance(command, PlainCommand) else ()
    if lines:
        yield from (title, ".PP", ".RS 4", ".nf")
        yield from (_line(line, code=False) for line in lines)
        yield from (".fi", ".RE")


def _item(name: str, about: str) -> Iterator[str]:
    yield ".TP"
    yield f"\\fB{_plain(name)}\\fR"
    yield _line(" ".join(about.split()))


def _line(text: str, *, code: bool = True) -> str:
    """Return a line of text; what is in backticks is bold."""
    parts = CODE.split(text) if code else [text]
    made = "".join(
        f"\\fB{_plain(part)}\\fR" if at % 2 else _plain(part) for at, part in enumerate(parts)
    )
    return f"\\&{made}" if made.startswith((".", "'")) else made


def _plain(text: str) -> str:
    """Return text as roff prints it unchanged."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return "".join(one if one.isascii() else f"\\[u{ord(one):04X}]" for one in escaped)
