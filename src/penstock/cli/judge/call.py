"""What `penstock judge` is asked about: its words, or `--tool` and `--input`, as one tool call.

Always true: what is no call at all (no input, no JSON, a misspelt tool whose input names
nothing) is an error and never "allowed".
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click
from msgspec import Struct

from penstock.cli.shape import PlainCommand, nearest
from penstock.core.errors import InputError
from penstock.core.strict_json import strict
from penstock.core.text.json_fault import json_fault
from penstock.core.tools.intents import Knowledge, knowledge
from penstock.gate import Judgement

EXAMPLE = """for example `--input '{"file_path": "src/app.py", "content": "..."}'`"""
WAYS = (
    "give a command after `--`, or `write`, `edit` or `read` with a path, or `--tool` and `--input`"
)
_AFTER = "penstock.judge.after"
JSON = {
    list: "an array",
    str: "a string",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}
# A tool in one word, and what agents call it: any of their hooks that sees one sees such a call.
SHELL = ("Bash", "run_shell_command", "Shell")
FILE_TOOLS: Mapping[str, tuple[str, ...]] = {
    "write": ("Write", "write_file", "apply_patch"),
    "edit": ("Edit", "replace", "edit", "apply_patch"),
    "read": ("Read", "read_file"),
}


class Question(Struct, frozen=True, kw_only=True):
    """One tool call to judge; `names` are the tool's names whose hooks would see it."""

    names: tuple[str, ...]
    tool_input: dict[str, object]

    @property
    def tool(self) -> str:
        """The tool's name."""
        return self.names[0]


class WithCommand(PlainCommand):
    """A command whose words after `--` are another command line."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep apart what follows the first `--`; click would drop the mark."""
        if "--" in args:
            at = args.index("--")
            ctx.meta[_AFTER], args = args[at + 1 :], args[:at]
        return super().parse_args(ctx, args)


def words_after() -> list[str] | None:
    """Return the words after `--`; None where there was none."""
    kept: list[str] | None = click.get_current_context().meta.get(_AFTER)
    return kept


def question(words: Sequence[str], tool: str | None, tool_input: str | None) -> Question:
    """Return the one call that is asked about, however it was said."""
    after = words_after()
    given = sum((after is not None, bool(words), tool is not None or tool_input is not None))
    if given != 1:
        raise click.UsageError(WAYS)
    if after is not None:
        return _command(after)
    if words:
        return _on_file(words)
    if tool is None or tool_input is None:
        raise click.UsageError("`--tool` and `--input` belong together")
    return Question(names=(tool,), tool_input=parsed(_text(tool_input)))


def _command(words: list[str]) -> Question:
    """Several words are quoted as a shell would need them; one is a whole command line."""
    line = words[0] if len(words) == 1 else shlex.join(words)
    if not line.strip():
        raise click.UsageError(
            "there is no command after `--`; for example `penstock judge -- git pull`"
        )
    return Question(names=SHELL, tool_input={"command": line})


def _on_file(words: Sequence[str]) -> Question:
    names = FILE_TOOLS.get(words[0])
    if names is None:
        meant = nearest(words[0], FILE_TOOLS) if len(words) == 2 else ""
        line = f"penstock judge -- {shlex.join(words)}"
        guess = f", or did you mean `{meant}`?" if meant else ""
        raise click.UsageError(f"put `--` before a command: `{line}`{guess}")
    if len(words) != 2 or not words[1]:
        raise click.UsageError(f"give one file: `penstock judge {words[0]} PATH`")
    return Question(names=names, tool_input={"file_path": words[1]})


def _text(given: str) -> str:
    """Return the input itself, or what `@FILE` or the standard input holds."""
    if given != "-" and not given.startswith("@"):
        return given
    name = "standard input" if given == "-" else f"`{given[1:]}`"
    try:
        if given == "-":
            return sys.stdin.buffer.read().decode()
        with open(given[1:], "rb") as file:
            return file.read().decode()
    except UnicodeDecodeError:
        raise InputError("bad-json", f"{name} is not UTF-8 text", hint=EXAMPLE) from None
    except OSError as fault:
        reason = os.strerror(fault.errno) if fault.errno else str(fault)
        raise InputError(
            "no-input", f"{name} can't be read", because=reason.lower(), hint=EXAMPLE
        ) from None


def parsed(text: str) -> dict[str, object]:
    """Return the input as an object. Raises InputError for anything else."""
    try:
        found: Any = strict(text)
    except (ValueError, RecursionError) as wrong:
        raise InputError(
            "bad-json", "the input is not valid JSON", because=json_fault(wrong), hint=EXAMPLE
        ) from None
    if not isinstance(found, dict):
        raise InputError(
            "bad-json", f"the input must be a JSON object, not {JSON[type(found)]}", hint=EXAMPLE
        )
    return found


def check(asked: Question, judged: Judgement) -> None:
    """Raise InputError where nothing was judged because nothing was asked."""
    tool, known = asked.tool, knowledge(asked.tool)
    if known is Knowledge.HARMLESS or judged.decision.reasons:
        return
    if _is_blank(asked.tool_input):
        raise InputError("empty-input", f"the input of `{tool}` is empty", hint=EXAMPLE)
    if judged.prepared:
        return
    if known is Knowledge.KNOWN:
        message = f"the input of `{tool}` has no file and no command"
        raise InputError("empty-input", message, hint=EXAMPLE)
    if known is Knowledge.UNKNOWN:
        raise InputError(
            "unknown-tool",
            f"`{tool}` is not a known tool, and its input has no file or command",
            because="hooks allow calls of unknown tools that have no file and no command",
            hint="check the spelling: Bash, Write, Edit, Read, apply_patch, mcp__SERVER__TOOL ...",
        )


def _is_blank(value: object) -> bool:
    if isinstance(value, dict):
        return all(_is_blank(one) for one in value.values())
    return value is None or (isinstance(value, str) and not value.strip())


def guesses(tool: str) -> list[str]:
    """Return that a tool is not known, where it is not."""
    if knowledge(tool) is not Knowledge.UNKNOWN:
        return []
    return [f"`{tool}` is not a known tool; judged by its input"]


def remarks(asked: Question) -> list[str]:
    """Return what a person should know of how the call was read."""
    found = guesses(asked.tool)
    if asked.names in (FILE_TOOLS["write"], FILE_TOOLS["edit"]):
        found.append(
            "rules about content and removed lines were not applied, because no content was given; "
            "use `--tool` and `--input`"
        )
    return found
