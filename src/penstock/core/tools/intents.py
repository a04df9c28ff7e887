"""Turn a tool call into intents: the one place where an agent's words become ours.

Known tools are read by their row in `table`, all others by what their arguments look like
(`guess`). Whether a file exists, and what it holds, is for whoever has a disk.
Always true: a call without a path or a command has no intents; an argument of a wrong type is
an intent that is unclear; nothing that a call holds makes this raise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum, auto
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec.structs import replace

from penstock.core.errors import InputError
from penstock.core.model import Action
from penstock.core.shell.look import NO_LOOK, Look
from penstock.core.tools.arguments import Args
from penstock.core.tools.edits import (
    ApplyPatch,
    Edit,
    InsertLines,
    NotebookCell,
    Swap,
    Swaps,
    Whole,
    edited,
)
from penstock.core.tools.kinds import Intent, Row, address_fetched, nothing_done, unclear
from penstock.core.tools.table import READS, RUNS, TOOLS

if TYPE_CHECKING:
    from penstock.core.tools.mentions import Mention

__all__ = [
    "ApplyPatch",
    "Edit",
    "InsertLines",
    "Intent",
    "Knowledge",
    "NotebookCell",
    "Swap",
    "Swaps",
    "Whole",
    "intents",
    "knowledge",
    "mentioned",
    "resulting",
]

MOST_INTENTS = 1_000
# Windsurf asks about any server's tool under one name.
_CARRIERS = frozenset({"pre_mcp_tool_use"})
Carried = tuple[str, Mapping[str, object]]


class Knowledge(Enum):
    """What is known of a tool by its name alone."""

    KNOWN = auto()  # it reads, writes or runs something, which its arguments name
    HARMLESS = auto()  # it touches no file and runs nothing
    FOREIGN = auto()  # a server brought it
    UNKNOWN = auto()


def intents(
    tool: str, tool_input: Mapping[str, object], *, cwd: str, look: Look = NO_LOOK
) -> tuple[Intent, ...]:
    """Return what a tool call would do, in the order of its effects.

    `look` shows the disk to the commands that the call runs.
    """
    found: list[Intent] = []
    for intent in _intents(tool, tool_input, cwd, look):
        if len(found) == MOST_INTENTS:
            why = "the call names more files than are read"
            found.append(Intent(action=Action.WRITE, path=None, unclear=why, excessive=True))
            break
        found.append(intent)
    return tuple(one if one.base else replace(one, base=cwd) for one in found)


def knowledge(tool: str) -> Knowledge:
    """Return what the table says of a tool's name."""
    foreign, name, row = _row(tool)
    if foreign or name.lower() in _CARRIERS:
        return Knowledge.FOREIGN
    if row is None:
        return Knowledge.UNKNOWN
    # Most addresses are no file, and that is no mistake of whoever asks.
    return Knowledge.HARMLESS if row in (nothing_done, address_fetched) else Knowledge.KNOWN


def mentioned(tool: str, tool_input: Mapping[str, object]) -> Iterator[Mention]:
    """Yield whatever could be a path among the arguments of a tool that no table describes.

    A tool that a server brought may take more arguments than its namesake in the table.
    """
    foreign, name, row = _row(tool)
    if not isinstance(tool_input, Mapping) or not (foreign or row is None):
        return
    carried = _carries(name, tool_input)
    if carried is not None:
        yield from mentioned(*carried)
        return
    from penstock.core.tools.guess import verbs, words_of
    from penstock.core.tools.mentions import mentions

    action = Action.READ if row in READS else verbs(name).action
    yield from mentions(words_of(name), action, tool_input, server=words_of(tool))


def _intents(tool: str, tool_input: object, cwd: str, look: Look) -> Iterator[Intent]:
    foreign, name, row = _row(tool)
    if not isinstance(tool_input, Mapping):
        yield unclear(_action(name, row), "the arguments are not an object")
        return
    carried = _carries(name, tool_input)
    if carried is not None:
        yield from _intents(*carried, cwd, look)
        return
    args = Args(tool_input, look)
    known = list(row(args, cwd)) if row else []
    yield from known
    if not known and (foreign or row is None):
        yield from _guessed(name, args, cwd)


def _carries(name: str, tool_input: Mapping[str, object]) -> Carried | None:
    """Return the server's tool and its arguments that a call carries, if it carries one."""
    if name.lower() not in _CARRIERS:
        return None
    args = Args(tool_input)
    inner, given = args.first("mcp_tool_name", "tool_name"), args.first("mcp_tool_arguments")
    if isinstance(inner, str) and isinstance(given, Mapping):
        return f"mcp__server__{inner}", given
    return None


def _guessed(name: str, args: Args, cwd: str) -> Iterator[Intent]:
    from penstock.core.tools.guess import guessed  # known tools need no guess

    return guessed(name, args, cwd)


def _action(name: str, row: Row | None) -> Action:
    """Return what a call does at least, when its arguments cannot be read."""
    from penstock.core.tools.guess import verbs

    if row in RUNS:
        return Action.RUN
    return Action.READ if row in READS else verbs(name).action


@lru_cache(256)  # of the few tools that an agent has
def _row(tool: str) -> tuple[bool, str, Row | None]:
    """Return whether a server brought the tool, its own name, and its row if it has one."""
    server, name = _own_name(tool)
    for candidate in name:
        row = TOOLS.get(candidate.lower())
        if row:
            return server, candidate, row
    return server, name[0], None


def _own_name(tool: str) -> tuple[bool, list[str]]:
    """Take off what an agent puts in front of a server's tool.

    `mcp__server__tool`, `MCP:tool`, `@server/tool`; in `mcp_server_tool` nobody can tell where
    the server's name ends, so every rest may be the tool's.
    """
    if tool.startswith("mcp__"):
        return True, [tool.rpartition("__")[2] or tool]
    if tool.lower().startswith("mcp:"):
        return True, [tool[4:].rpartition("/")[2].rpartition(":")[2] or tool]
    if tool.startswith("@") and "/" in tool:
        return True, [tool.rpartition("/")[2] or tool]
    if tool.startswith("mcp_"):
        words = tool[:200].split("_")[2:] or [tool]
        return True, ["_".join(words[at:]) for at in range(len(words))]
    return False, [tool]


def resulting(intent: Intent, before: bytes | None) -> bytes | None:
    """Return a file's content after an intent; None is no file, before and after.

    Raises InputError: `edit-does-not-fit` and the errors of patches when the edit does not fit
    what is there, `content-unknown` when the call has no content.
    """
    if intent.action is Action.DELETE:
        return None
    if intent.edit is None:
        raise InputError(
            "content-unknown",
            "the content of the write is unknown",
            because="the call has no content",
        )
    return edited(intent.edit, before)
