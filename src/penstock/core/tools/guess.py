"""Guess what an unknown tool does to files, from its name and its arguments.

MCP servers bring any tool that they like. A name that says read, list or search and nothing
that changes is taken at its word; every other tool that is given a path may write there.
Always true: each path-like argument becomes an intent; what is nested deeper than we look is
told as unclear.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from penstock.core.model import Action
from penstock.core.shell.look import Look
from penstock.core.text.late_regex import late_regex
from penstock.core.tools.arguments import MOST_DEPTH, MOST_ITEMS, Args, ArgumentFault, plain
from penstock.core.tools.edits import Edit, Whole, as_bytes
from penstock.core.tools.kinds import (
    COMMAND,
    CONTENT,
    DESTINATION,
    FILE_NAMES,
    SOURCE,
    Intent,
    Intents,
    command_text,
    patched,
    ran,
    swaps,
    unclear,
    written,
)

_PATHS = (
    *(*FILE_NAMES, "output", "output_path", "output_file", "uri", "file_uri", "filepath"),
    *("directory", "folder", "dir", "dir_path", "local_path", "save_path"),
)
_SEVERAL = ("paths", "files", "file_paths", "filenames", "uris", "targets", "outputs")
_CONTENT = (*CONTENT, "data", "body", "new_content", "file_content")
_PATCHES = ("patch", "diff", "patch_text")
# Words that name the ends of a move only when the tool says that it moves.
_WEAK_ENDS = frozenset({"from", "to", "source"})

_WORD = late_regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_READS = frozenset(
    {
        *("read", "list", "get", "search", "find", "view", "stat", "show", "fetch", "cat"),
        *("glob", "grep", "ls", "describe", "count", "exists", "check", "query", "inspect"),
        *("preview", "tree", "info", "lookup", "head", "tail", "scan", "analyze", "analyse"),
        *("audit", "validate", "verify", "compare", "summarize", "explain", "retrieve", "docs"),
    }
)
_DELETES = frozenset({"delete", "remove", "unlink", "rm", "rmdir", "erase", "trash", "destroy"})
_MOVES = frozenset({"move", "rename", "mv"})
_COPIES = frozenset({"copy", "cp", "duplicate", "clone"})
_PARTIAL = frozenset({"append", "insert", "add", "prepend"})
_WRITES = frozenset(
    {
        *("write", "create", "update", "replace", "edit", "set", "put", "save", "modify", "patch"),
        *("apply", "upload", "download", "export", "generate", "make", "touch", "store", "sync"),
        *("import", "convert", "format", "fix", "refactor"),
    }
)
MOST_LEVELS = 500


class Verbs(Struct, frozen=True):
    """What a tool's name says it does to the paths that it is given."""

    action: Action
    moves: bool = False
    copies: bool = False
    partial: bool = False


def words_of(name: str) -> frozenset[str]:
    """Return the words of a name: `saveTo`, `save_to` and `SAVE-TO` have the same."""
    return frozenset(word.lower() for word in _WORD.findall(name[:200]))


def verbs(name: str) -> Verbs:
    """Read a tool's name; a word that changes something outweighs one that reads."""
    words = words_of(name)
    moves, copies = bool(words & _MOVES), bool(words & _COPIES)
    partial = bool(words & _PARTIAL)
    if words & _DELETES:
        return Verbs(Action.DELETE, moves, copies)
    if words & _READS and not (words & _WRITES or moves or copies or partial):
        return Verbs(Action.READ)
    return Verbs(Action.WRITE, moves, copies, partial)


def guessed(name: str, args: Args, cwd: str) -> Intents:
    """Return what an unknown tool may do."""
    seen: set[tuple[Action, str | None, str]] = set()
    for intent in _Guess(verbs(name), cwd, args.look).level(args.given, 0):
        key = (intent.action, intent.path, intent.unclear)
        if intent.leaves or key not in seen:
            seen.add(key)
            yield intent


class _Guess:
    """Looks through the arguments of one call, level by level, and not without end."""

    def __init__(self, what: Verbs, cwd: str, look: Look) -> None:
        self.what = what
        self.cwd = cwd
        self.look = look
        self.levels = 0

    def level(self, given: Mapping[str, object], depth: int) -> Intents:
        """Return what one object of the arguments tells, and those inside it."""
        self.levels += 1
        args = Args(given, self.look)
        if args.cut or self.levels > MOST_LEVELS:
            yield _too_much()
            return
        yield from _commands(args, self.cwd)
        yield from _patches(args)
        yield from self._ends(args)
        for path in _paths(args):
            yield path if isinstance(path, Intent) else self._at(path, args)
        for value in given.values():
            yield from self._inside(value, depth)

    def _at(self, path: str, args: Args) -> Intent:
        if self.what.action is not Action.WRITE:
            return Intent(action=self.what.action, path=path)
        return written(path, lambda: self._edit(args))

    def _edit(self, args: Args) -> Edit | None:
        found = swaps(args)
        if found is not None:
            return None if self.what.partial and isinstance(found, Whole) else found
        text = args.one(*_CONTENT)
        return None if text is None or self.what.partial else Whole(content=as_bytes(text))

    def _ends(self, args: Args) -> Intents:
        """A source and a destination: a move deletes the one, a copy reads it."""
        what = self.what
        carries = what.moves or what.copies
        for path in _end_paths(args, DESTINATION, weak=carries):
            action = Action.READ if what.action is Action.READ else Action.WRITE
            yield Intent(action=action, path=path, tree=carries)
        for path in _end_paths(args, SOURCE, weak=carries):
            yield Intent(
                action=Action.DELETE if what.moves else Action.READ, path=path, tree=what.moves
            )

    def _inside(self, value: object, depth: int) -> Intents:
        """Look into nested objects and lists."""
        if not isinstance(value, Mapping | list | tuple):
            return
        if depth >= MOST_DEPTH or (not isinstance(value, Mapping) and len(value) > MOST_ITEMS):
            yield _too_much()
        elif isinstance(value, Mapping):
            yield from self.level(value, depth + 1)
        else:
            for item in value:
                yield from self._inside(item, depth + 1)


def _too_much() -> Intent:
    why = "the arguments are larger or deeper than is read"
    return Intent(action=Action.WRITE, path=None, unclear=why, excessive=True)


def _paths(args: Args) -> Iterator[str | Intent]:
    """Return the paths of one level; what stands in a path's place and is none is unclear."""
    for key, value in args.all(*_PATHS):
        if isinstance(value, str):
            yield from _local(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield unclear(Action.WRITE, f"`{key[:60]}` is not a text")
    for _, value in args.all(*_SEVERAL):
        items = value if isinstance(value, list | tuple) else [value]
        for item in items[:MOST_ITEMS]:
            if isinstance(item, str):
                yield from _local(item)


def _end_paths(args: Args, keys: tuple[str, ...], *, weak: bool) -> Iterator[str]:
    for key, value in args.all(*keys):
        if isinstance(value, str) and (weak or plain(key) not in _WEAK_ENDS):
            yield from _local(value)


_SCHEME = late_regex(r"([A-Za-z][A-Za-z0-9+.-]{1,30}):(//)?")


def _local(text: str) -> Iterator[str]:
    """Return the path that a text means: a `file:` address is one, other addresses are not."""
    scheme = _SCHEME.match(text)
    if scheme and scheme.group(1).lower() == "file":
        yield _from_address(text[scheme.end() :], host=bool(scheme.group(2)))
    elif text and "\n" not in text and not (scheme and scheme.group(2)):
        yield text


def _from_address(rest: str, *, host: bool) -> str:
    from urllib.parse import unquote  # only the few calls with an address pay for it

    path = rest if not host or rest.startswith("/") else "/" + rest.partition("/")[2]
    return unquote(path.partition("#")[0].partition("?")[0], errors="surrogateescape")


def _commands(args: Args, cwd: str) -> Intents:
    for key, value in args.all(*COMMAND):
        if isinstance(value, str | list | tuple):
            try:
                yield from ran(command_text(key, value), cwd, args.look)
            except ArgumentFault as problem:
                yield unclear(Action.RUN, str(problem))


def _patches(args: Args) -> Intents:
    for _, value in args.all(*_PATCHES):
        if isinstance(value, str) and ("\n--- " in "\n" + value or "*** Begin Patch" in value):
            yield from patched(value)
