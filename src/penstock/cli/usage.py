"""Wrong usage in our own words: what is wrong with the words typed, and what would be right.

Always true: no sentence of click's reaches a user with a capital, a Python repr or a bare name
such as `ID_`.
"""

from __future__ import annotations

import re

import click

from penstock.cli.shape import UnknownCommandError, did_you_mean
from penstock.core.errors import PenstockError

# What a user who leaves an argument out can do to find one.
WHERE = {
    "ID": "list the ids with `penstock proposals`",
    "RECEIPT": "list applied changes with `penstock log`",
}
VALUE = re.compile(r"(?s)'?(.*?)'? is not ")
QUOTED = re.compile(r"'([^'\n]*)'")


def usage_error(wrong: click.UsageError) -> PenstockError:
    """Return wrong usage as an error of ours."""
    command = wrong.ctx.command_path if wrong.ctx else "penstock"
    hint = WHERE.get(_missing(wrong), "") or f"see `{command} --help`"
    because = ""
    if _before_command(wrong):
        because = "options follow the command"
        hint = f"for example `{command} status {_option(wrong)}`"
    return PenstockError("wrong-usage", message(wrong), because=because, hint=hint)


def message(wrong: click.UsageError) -> str:
    """Return in one sentence what is wrong with a command's words."""
    if isinstance(wrong, UnknownCommandError):
        guess = did_you_mean(wrong.word, wrong.names)
        return f"there is no command `{_path(wrong)} {wrong.word}`{guess}"
    if isinstance(wrong, click.NoSuchOption):
        return _no_such_option(wrong)
    if isinstance(wrong, click.MissingParameter):
        kind = "option" if isinstance(wrong.param, click.Option) else "argument"
        return f"the {kind} {_missing(wrong)} is missing"
    if isinstance(wrong, click.BadParameter):
        return f"{_name(wrong.param)}: {_value(wrong)}" if wrong.param else _plain(wrong.message)
    return _plain(wrong.format_message())


def _no_such_option(wrong: click.NoSuchOption) -> str:
    known = [name for one in _params(wrong) for name in (*one.opts, *one.secondary_opts)]
    options = [name for name in known if name.startswith("--")]
    guess = "" if _before_command(wrong) else did_you_mean(wrong.option_name, options)
    return f"`{_path(wrong)}` has no option `{wrong.option_name}`{guess}"


def _value(wrong: click.BadParameter) -> str:
    """Say what a value should have been; numbers are told with their range."""
    kind = wrong.param.type if wrong.param else None
    found = VALUE.match(wrong.message)
    if not isinstance(kind, click.types.IntParamType | click.types.FloatParamType) or not found:
        return _plain(wrong.message)
    low, high = getattr(kind, "min", None), getattr(kind, "max", None)
    if low is not None and high is not None:
        limits = f" from {low:g} to {high:g}"
    else:
        limits = f", {low:g} or more" if low is not None else ""
    whole = "a whole number" if isinstance(kind, click.types.IntParamType) else "a number"
    return f"`{found[1]}` is not {whole}{limits}"


def _before_command(wrong: click.UsageError) -> bool:
    """Say whether an option of a command was given before the command."""
    return (
        isinstance(wrong, click.NoSuchOption)
        and isinstance(wrong.ctx.command if wrong.ctx else None, click.Group)
        and _option(wrong) in ("--json", "--workspace", "--yes", "--dry-run", "--no-pager")
    )


def _option(wrong: click.UsageError) -> str:
    return wrong.option_name if isinstance(wrong, click.NoSuchOption) else ""


def _missing(wrong: click.UsageError) -> str:
    return _name(wrong.param) if isinstance(wrong, click.MissingParameter) and wrong.param else ""


def _name(param: click.Parameter) -> str:
    """Return how a user knows a parameter: `--reason`, or ID."""
    if isinstance(param, click.Option):
        return f"`{max(param.opts, key=len)}`"
    shown = param.metavar or (param.name or "").upper()
    return shown.strip("[]").removeprefix("-- ").split(" ")[0].removesuffix("...")


def _path(wrong: click.UsageError) -> str:
    return wrong.ctx.command_path if wrong.ctx else "penstock"


def _params(wrong: click.UsageError) -> list[click.Parameter]:
    return wrong.ctx.command.get_params(wrong.ctx) if wrong.ctx else []


def _plain(said: str) -> str:
    """Return a sentence of click's as ours are: lower case, no full stop, values in backticks."""
    text = QUOTED.sub(r"`\1`", said).rstrip(".")
    extra = re.fullmatch(r"Got unexpected extra arguments? \((.*)\)", text, re.DOTALL)
    if extra:
        return f"unexpected argument `{extra[1]}`"
    needs = re.fullmatch(r"Option `(.*)` requires an argument", text)
    if needs:
        return f"`{needs[1]}` needs a value"
    return text if text.startswith("`") else text[:1].lower() + text[1:]
