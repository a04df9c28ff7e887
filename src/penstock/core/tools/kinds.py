"""The ways in which tools say what they do: write, swap, patch, move, run, read.

Each function here reads the arguments of one kind of tool into intents; which tool is of
which kind is the table in `table`. Agents name the same argument differently, so every
kind knows all the names.
Always true: a reader looks at arguments only, never at a disk.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct

from penstock.core.errors import PenstockError
from penstock.core.model import Action, GateRefusal
from penstock.core.shell.git_deed import GitDeed
from penstock.core.shell.look import Look
from penstock.core.text.late_regex import late_regex
from penstock.core.text.sought import finds_secrets, holds_secrets
from penstock.core.tools.arguments import Args, ArgumentFault, plain, texts
from penstock.core.tools.edits import (
    ApplyPatch,
    Edit,
    InsertLines,
    NotebookCell,
    Swap,
    Swaps,
    Whole,
    as_bytes,
)

if TYPE_CHECKING:
    from penstock.core.shell.findings import ScriptRun, ShellRefusal, ShellTarget

PATH = ("file_path", "path", "target_file", "absolute_path", "notebook_path", "relative_path")
FILE_NAMES = (*PATH, "filename", "file", "file_name", "relative_workspace_path", "target_path")
CONTENT = ("content", "contents", "file_text", "text", "code_content")
OLD = ("old_string", "old_str", "old_text", "old", "search", "search_string", "original")
NEW = ("new_string", "new_str", "new_text", "new", "replace", "replacement", "replace_string")
SEVERAL = ("paths", "files", "file_paths", "filenames")
EVERY = ("replace_all", "all_occurrences", "allow_multiple")
COMMAND = ("command", "cmd", "script", "commands", "command_line", "shell_command")
DIRECTORY = ("cwd", "workdir", "working_directory", "directory", "dir_path", "working_dir")
PATCH = ("patch", "input", "command", "patch_text", "diff")
SOURCE = ("source", "source_path", "old_path", "from", "src", "source_file")
DESTINATION = ("destination", "destination_path", "new_path", "to", "dest", "dst", "target")


class Intent(Struct, frozen=True, kw_only=True):
    """One thing that a tool call would do.

    `path` is as given, relative to `base`; None when no file is named. `edit` is None when the
    content that would result cannot be known. `source` names the file that the edit starts
    from when it is not `path` itself (a move). `unclear` says what the call does not tell.
    For shell commands, `leaves` are the simple commands, `programs` what they start (each with
    the simple command that it comes from), `by` is the program behind a path,
    `tree` means everything below it, and `within` is a directory that must exist for this to
    happen. `excessive` tells that the call is larger or deeper than any honest one.
    `refusals` are what Penstock itself has against the command; with `only_at` they hold
    only where that file is part of the policy in force. `whole` means that what lies below the
    path may no longer be reached. `kept` is where a file that goes from here is from then on.
    `git` is what a git command does to the repository at `base`.
    `mention` means that the path is only named, and that nobody knows what happens to it.
    `script` is the file of the project that says so, which the command runs.
    `doing` are the simple commands that make a command unclear, or the one that touches the
    path; "" stands for what is around them, as a redirection. `keeps` tells of a change whose
    result is not known that it leaves every line in place, if perhaps changed.
    """

    action: Action
    path: str | None
    base: str = ""
    edit: Edit | None = None
    unclear: str = ""
    leaves: tuple[str, ...] = ()
    programs: tuple[tuple[str, str], ...] = ()
    by: str = ""
    source: str | None = None
    tree: bool = False
    within: str = ""
    excessive: bool = False
    refusals: tuple[GateRefusal, ...] = ()
    only_at: str = ""
    whole: bool = False
    kept: str = ""
    doing: tuple[str, ...] = ()
    git: GitDeed | None = None
    mention: bool = False
    script: str = ""
    keeps: bool = False


Intents = Iterator[Intent]
Row = Callable[[Args, str], Intents]


def unclear(action: Action, why: str, path: str | None = None) -> Intent:
    """Return an intent of which something is not known."""
    return Intent(action=action, path=path, unclear=why)


# Paths and contents


def named(args: Args, keys: tuple[str, ...], action: Action) -> Iterator[str | Intent]:
    """Return every path among some keys; what stands in a path's place and is none is unclear.

    Every spelling counts, and a bad one never hides a good one: which of them the tool takes
    is not known here.
    """
    seen: set[str] = set()
    for key, value in args.all(*keys):
        if isinstance(value, str):
            if value not in seen:
                yield value
            seen.add(value)
        elif value is not None:
            yield unclear(action, f"`{key[:60]}` is not a text")


def changed(args: Args, edit: Callable[[Args], Edit | None]) -> Intents:
    """Return the intent to change each named file by an edit."""
    for path in named(args, FILE_NAMES, Action.WRITE):
        yield path if isinstance(path, Intent) else written(path, lambda: edit(args))


def written(path: str, edit: Callable[[], Edit | None]) -> Intent:
    """Return the intent to write a file; an edit that cannot be read makes it unclear."""
    try:
        return Intent(action=Action.WRITE, path=path, edit=edit())
    except ArgumentFault as problem:
        return unclear(Action.WRITE, str(problem), path)
    except PenstockError as problem:
        return unclear(Action.WRITE, problem.message, path)


def content_given(args: Args, cwd: str) -> Intents:  # noqa: ARG001 - a row of the table
    """A file gets the content that is given."""
    return changed(args, whole)


def whole(args: Args) -> Edit | None:
    """Return the content that arguments give."""
    text = args.one(*CONTENT)
    return None if text is None else Whole(content=as_bytes(text))


# Swaps


def texts_swapped(args: Args, cwd: str) -> Intents:  # noqa: ARG001 - a row of the table
    """Texts in a file are replaced: one pair, a list of pairs, or search-and-replace blocks."""
    return changed(args, swaps)


def texts_swapped_often(args: Args, cwd: str) -> Intents:  # noqa: ARG001 - a row of the table
    """The same, for tools that take how often a text must occur."""
    return changed(args, lambda given: swaps(given, counted=True))


def swaps(args: Args, *, counted: bool = False) -> Edit | None:
    """Return the swaps that arguments describe, or their whole content.

    A pair of its own outweighs a list of pairs: tools that have the one ignore the other, and
    an edit that fits less than the tool's own would go unmeasured.
    """
    pair = _swap(args, counted=counted)
    if pair is not None:
        return Swaps(swaps=(pair,))
    listed = [_swap(item) for item in args.items("edits", "changes", "replacements")]
    if listed and all(swap is not None for swap in listed):
        return Swaps(swaps=tuple(swap for swap in listed if swap is not None))
    blocks = args.one("diff")
    found = _blocks(blocks) if blocks is not None and ":start_line:" not in blocks else []
    return Swaps(swaps=tuple(found)) if found else None if listed else whole(args)


def _swap(args: Args, *, counted: bool = False) -> Swap | None:
    old, new = args.one(*OLD), args.one(*NEW)
    if old is None or new is None:
        return None
    times = args.number("expected_replacements") if counted else None
    return Swap(old=old, new=new, every=args.flag(*EVERY), times=1 if times is None else times)


# A line that begins, divides or ends a block, with whatever follows its mark.
_BEGINS = late_regex(r"(?:<{7,}|-{7,})[ \t]*SEARCH>?[ \t]*")
_DIVIDES = late_regex(r"={7,}[ \t]*")
_ENDS = late_regex(r"(?:>{7,}|\+{7,})[ \t]*REPLACE>?[ \t]*")


def _blocks(text: str) -> list[Swap]:
    """Read `SEARCH`/`REPLACE` blocks; anything else is not ours to guess."""
    found: list[Swap] = []
    old: list[str] = []
    new: list[str] = []
    part: list[str] | None = None
    for line in text.split("\n"):
        bare = line.removesuffix("\r")
        if part is None and _BEGINS.fullmatch(bare):
            old, new = [], []
            part = old
        elif part is old and _DIVIDES.fullmatch(bare):
            part = new
        elif part is new and _ENDS.fullmatch(bare):
            found.append(Swap(old=_lines(old), new=_lines(new)))
            part = None
        elif part is not None:
            part.append(line)
    return found


def _lines(lines: list[str]) -> str:
    return "".join(line + "\n" for line in lines)


def text_or_swap(args: Args, cwd: str) -> Intents:
    """One tool for all: lines where a line is named, a swap where an old text is, else a file."""
    if args.first("insert_line") is not None:
        return lines_inserted(args, cwd)
    return changed(args, swaps if args.first(*OLD) is not None else _all_new)


def _all_new(args: Args) -> Edit | None:
    text = args.one(*NEW, *CONTENT)
    return None if text is None else Whole(content=as_bytes(text))


# Lines and cells


def lines_inserted(args: Args, cwd: str) -> Intents:  # noqa: ARG001 - a row of the table
    """Lines are put into a file."""
    return changed(args, _insertion)


def _insertion(args: Args) -> Edit | None:
    text = args.one("insert_text", *NEW, *CONTENT)
    line = args.number("insert_line", "line", "line_number")
    return None if text is None else InsertLines(text=text, line=line)


def text_appended(args: Args, cwd: str) -> Intents:  # noqa: ARG001 - a row of the table
    """Text is put at the end of a file."""
    return changed(args, _appendix)


def _appendix(args: Args) -> Edit | None:
    text = args.one(*NEW, *CONTENT)
    return None if text is None else InsertLines(text=text)


def cell_changed(args: Args, cwd: str) -> Intents:  # noqa: ARG001 - a row of the table
    """A cell of a notebook is changed."""
    return changed(args, _cell)


def _cell(args: Args) -> Edit | None:
    cell = args.one("cell_id")
    return NotebookCell(
        source=args.one("new_source") or "",
        cell=args.number("cell_number") if cell is None else cell,
        cell_type=args.one("cell_type") or "",
        mode=args.one("edit_mode") or "replace",
    )


# Files that are only named


def files_named(action: Action, *, below: bool = False) -> Row:
    """The named files are read, made or deleted; nothing else is known of them.

    `below` means that a directory stands for what is in it; whoever deletes one deletes that.
    """

    def row(args: Args, cwd: str) -> Intents:  # noqa: ARG001 - a row of the table
        tree = below or action is not Action.WRITE
        yield from _acted(action, named(args, FILE_NAMES, action), tree=tree)
        for key, value in args.all(*SEVERAL):
            yield from _acted(action, _listed_paths(action, key, value), tree=tree)
        for each in args.items("operations"):
            yield from _acted(action, named(each, FILE_NAMES, action), tree=tree)

    return row


def _acted(action: Action, paths: Iterator[str | Intent], *, tree: bool = False) -> Intents:
    for path in paths:
        yield path if isinstance(path, Intent) else Intent(action=action, path=path, tree=tree)


def _listed_paths(action: Action, key: str, value: object) -> Iterator[str | Intent]:
    try:
        yield from texts(key, value)
    except ArgumentFault as problem:
        yield unclear(action, str(problem))


# Names of the files that a search is narrowed to, and how it shows what it finds.
GLOBS = ("glob", "include", "include_pattern", "includes", "globs", "file_pattern", "file_glob")
_SEARCHED = (*FILE_NAMES, "directory", "dir_path", "dir", "folder", "search_directory")
_NAMES_ONLY = frozenset({"files_with_matches", "count"})


def text_searched(args: Args, cwd: str) -> Intents:  # noqa: ARG001 - a row of the table
    """Files are searched: those that are named, and those that a glob narrows the search to.

    A directory is looked through only where the search would show secrets; names and counts
    show none, and neither do files of some ending where a glob is after those only.
    """
    shown = args.first("output_mode") not in _NAMES_ONLY and not _is_by_ending(args)
    sought = args.first("pattern", "query", "regex", "search_pattern")
    tree = shown and (not isinstance(sought, str) or finds_secrets(sought))
    for path in named(args, _SEARCHED, Action.READ):
        whole = tree or (shown and isinstance(path, str) and holds_secrets(path))
        yield from _acted(Action.READ, iter([path]), tree=whole)
    places = [path for path in named(args, _SEARCHED, Action.READ) if isinstance(path, str)]
    for key, value in args.all(*GLOBS):
        given = [value] if isinstance(value, str) else _listed_paths(Action.READ, key, value)
        for glob in given if value is not None else ():
            yield from [glob] if isinstance(glob, Intent) else _narrowed(glob, places)


_BY_ENDING = late_regex(r"\*\.(?:\w+|\{\w+(?:,\w+)*\})")


def _is_by_ending(args: Args) -> bool:
    """True where all that is searched are files of some endings: `*.ts`, `src/**/*.{js,ts}`.

    What those globs are after is told by itself.
    """
    found = [one for _, value in args.all(*GLOBS) for one in _each_text(value)]
    wanted = [glob for glob in found if not glob.startswith("!")]
    return bool(wanted) and all(_BY_ENDING.fullmatch(glob.rpartition("/")[2]) for glob in wanted)


def _each_text(value: object) -> Iterator[str]:
    several = value if isinstance(value, list) else [value]
    return (one for one in several if isinstance(one, str))


def all_read(files: Row) -> Row:
    """Files are read, and those that globs name."""

    def row(args: Args, cwd: str) -> Intents:
        yield from files(args, cwd)
        if _ignores_nothing(args):
            yield Intent(action=Action.READ, path=".", tree=True, whole=True)
        for key, value in args.all(*SEVERAL, "include"):
            for glob in _each_text(value):
                if any(sign in glob for sign in "*?[{"):
                    yield from _narrowed(glob, [])
                elif key == "include":  # the others are named above
                    yield Intent(action=Action.READ, path=glob, tree=True)

    return row


_EVERYTHING = frozenset({"**/*", "**", "*", "./**/*", "./**", "."})


def _ignores_nothing(args: Args) -> bool:
    """True for a tool that takes every file, also those that git ignores."""
    inner = args.first("file_filtering_options")
    given = Args(inner) if isinstance(inner, Mapping) else args
    every = any(
        isinstance(one, str) and one in _EVERYTHING
        for _, value in args.all(*SEVERAL, "include")
        for one in (value if isinstance(value, list) else [value])
    )
    return every and given.first("respect_git_ignore") is False


def _narrowed(glob: str, places: list[str]) -> Intents:
    """Return the names that a glob is after; `!x` leaves some out."""
    if glob.startswith("!"):
        return
    from penstock.core.tools.patterns import after  # few calls have a glob

    for text, tree in after(glob.removeprefix("**/")):
        for place in places or [""]:
            path = posixpath.join(place, text)
            yield Intent(action=Action.READ, path=path, by="search", tree=tree)


# Addresses

ADDRESS = ("url", "uri", "urls", "href", "prompt", "address")
_LOCAL_ADDRESS = late_regex(
    r"\bfile:(?://localhost(?=/))?(?://)?(/?[^\s'\"`<>]+)"
    r"|\bhttps?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?::\d+)?/([^\s'\"`<>?#]+)",
    re.IGNORECASE,
)
MOST_ADDRESSES = 32


def address_fetched(args: Args, cwd: str) -> Intents:  # noqa: ARG001 - a row of the table
    """A page is fetched; its address may be a file, or a server's that runs on this machine."""
    from urllib.parse import unquote  # few calls have an address

    for _, value in args.all(*ADDRESS):
        for text in value if isinstance(value, list) else [value]:
            found = _LOCAL_ADDRESS.finditer(text) if isinstance(text, str) else ()
            for address in islice(found, MOST_ADDRESSES):
                path = unquote(address[1] or address[2], errors="surrogateescape")
                yield Intent(action=Action.READ, path=path, mention=address[1] is None)


def file_moved(args: Args, cwd: str) -> Intents:  # noqa: ARG001 - a row of the table
    """A file goes from one name to another."""
    yield from _acted(Action.WRITE, named(args, DESTINATION, Action.WRITE), tree=True)
    yield from _acted(Action.DELETE, named(args, SOURCE, Action.DELETE), tree=True)


def file_renamed(args: Args, cwd: str) -> Intents:  # noqa: ARG001 - a row of the table
    """A file goes to another name; where it is now is told like any other file."""
    yield from _acted(Action.WRITE, named(args, DESTINATION, Action.WRITE), tree=True)
    yield from _acted(Action.DELETE, named(args, (*SOURCE, *FILE_NAMES), Action.DELETE), tree=True)


def file_copied(args: Args, cwd: str) -> Intents:  # noqa: ARG001 - a row of the table
    """A file gets a copy under another name."""
    yield from _acted(Action.WRITE, named(args, DESTINATION, Action.WRITE), tree=True)
    yield from _acted(Action.READ, named(args, SOURCE, Action.READ))


# Patches


def patch_applied(args: Args, cwd: str) -> Intents:  # noqa: ARG001 - a row of the table
    """A patch changes the files that it names."""
    for key, value in args.all(*PATCH):
        if value is None:
            continue
        try:
            yield from patched(value if isinstance(value, str) else "".join(texts(key, value)[-1:]))
        except ArgumentFault as problem:
            yield unclear(Action.WRITE, str(problem))


def patched(text: str) -> Intents:
    """Return what a patch would do, file by file; a move writes before it deletes."""
    from penstock.core.patch.apply import parse_patch  # most calls hold no patch

    try:
        files = parse_patch(text)
    except PenstockError as problem:
        yield unclear(Action.WRITE, f"the patch cannot be read: {problem.message}")
        return
    for file in files:
        if file.moved_to is not None:
            edit = ApplyPatch(patch=file)
            yield Intent(action=Action.WRITE, path=file.moved_to, edit=edit, source=file.path)
        if file.moved_to is not None or file.action is Action.DELETE:
            yield Intent(action=Action.DELETE, path=file.path)
        else:
            yield Intent(action=Action.WRITE, path=file.path, edit=ApplyPatch(patch=file))


# Shell commands


def command_run(args: Args, cwd: str) -> Intents:
    """A shell command runs, in the directory that it names."""
    args = _unwrapped(args)
    where = list(named(args, DIRECTORY, Action.RUN))
    yield from (problem for problem in where if isinstance(problem, Intent))
    places = [place for place in where if isinstance(place, str)] or [""]
    for place in places:
        yield from _commands(args, posixpath.join(cwd, place))


def command_run_here(args: Args, cwd: str) -> Intents:
    """A shell command runs. Some agents' tools of this name take a directory, others ignore it."""
    yield from _commands(args, cwd)
    if args.first(*DIRECTORY) is not None:
        yield from command_run(args, cwd)


def _unwrapped(args: Args) -> Args:
    """Return the arguments that hold the command: some tools wrap them once more."""
    inner = args.first("action")
    wrapped = isinstance(inner, Mapping) and args.first(*COMMAND) is None
    return Args(inner, args.look) if wrapped and isinstance(inner, Mapping) else args


def _commands(args: Args, cwd: str) -> Intents:
    for key, value in args.all(*COMMAND):
        if value is None:
            continue
        try:
            yield from ran(command_text(key, value), cwd, args.look)
        except ArgumentFault as problem:
            yield unclear(Action.RUN, str(problem))


def command_text(key: str, value: object) -> str:
    """Return a command as one text; a list is a program with its words, or whole commands."""
    if isinstance(value, str):
        return value
    words = texts(key, value)
    return "\n".join(words) if plain(key) == "commands" else shlex.join(words)


def ran(command: str, cwd: str, look: Look) -> Intents:
    """Return what a command would do: that it runs, then each file that it names."""
    from penstock.core.shell.analyze import writes  # most calls run no command, and it is large

    effect = writes(command, cwd=cwd, look=look)
    yield Intent(
        action=Action.RUN,
        path=None,
        base=cwd,
        unclear="; ".join(effect.unclear),
        leaves=effect.leaves,
        programs=effect.programs,
        doing=effect.doubted,
        excessive=effect.excessive,
        refusals=tuple(one.refusal for one in effect.refusals if not one.only_at),
    )
    yield from (_refused(one) for one in effect.refusals if one.only_at)
    yield from _touched((*effect.targets, *effect.reads))
    for deed, base, leaf in effect.git:
        yield Intent(action=Action.RUN, path=None, base=base, git=deed, doing=(leaf,))
    for script in effect.scripts:
        yield from _of_script(script, cwd)


def _refused(one: ShellRefusal, script: str = "") -> Intent:
    return Intent(
        action=Action.RUN,
        path=None,
        base=one.base,
        refusals=(one.refusal,),
        only_at=one.only_at,
        script=script,
    )


def _of_script(script: ScriptRun, cwd: str) -> Intents:
    """Return what a text of the project does: its commands, and each file that it names."""
    name = script.name
    yield Intent(
        action=Action.RUN,
        path=None,
        base=cwd,
        leaves=script.leaves,
        programs=script.programs,
        refusals=tuple(one.refusal for one in script.refusals if not one.only_at),
        script=name,
    )
    yield from (_refused(one, name) for one in script.refusals if one.only_at)
    yield from _touched(script.targets, name)
    for deed, base, leaf in script.git:
        yield Intent(action=Action.RUN, path=None, base=base, git=deed, doing=(leaf,), script=name)


def _left_by(target: ShellTarget) -> Edit | None:
    """Return what a command leaves in a file, where that was computed."""
    try:
        text = target.content
        return None if text is None else Whole(content=text.encode(errors="surrogateescape"))
    except UnicodeEncodeError:  # half of a character: what a shell makes of it nobody knows
        return None


def _touched(targets: Iterable[ShellTarget], script: str = "") -> Intents:
    """Return each file that a command names; what is unclear in a script does not count."""
    for target in targets:
        known = script or target.exact or target.mention or target.action is Action.READ
        yield Intent(
            action=target.action,
            path=target.path,
            base=target.base,
            unclear="" if known else "the name is only known when it runs",
            by=target.by,
            tree=target.tree,
            within=target.within,
            whole=target.whole,
            kept=target.kept,
            doing=(target.leaf,),
            mention=target.mention,
            edit=_left_by(target),
            keeps=target.keeps,
            script=script,
        )


def text_typed(args: Args, cwd: str) -> Intents:
    """Text is typed into a program that runs already, most likely a shell."""
    for text in named(args, ("chars", "input", "text", "data"), Action.RUN):
        yield from [text] if isinstance(text, Intent) else ran(text, cwd, args.look)
        yield unclear(Action.RUN, "text is typed into a program that runs already")


def foreign_command(args: Args, cwd: str) -> Intents:  # noqa: ARG001 - a row of the table
    """A command in a language that is not read here."""
    if args.first(*COMMAND) is not None:
        yield unclear(Action.RUN, "the command is in a language that is not read here")


# Tools that do several things


def by_verb(verbs: Mapping[str, Row], otherwise: Row) -> Row:
    """One tool with an argument that says what to do."""

    def row(args: Args, cwd: str) -> Intents:
        verb = args.first("command", "operation")
        known = verb.lower() if isinstance(verb, str) else ""
        return verbs.get(known, otherwise)(args, cwd)

    return row


def content_or_verb(verbs: Row) -> Row:
    """A tool that takes whole content, and whose namesakes elsewhere take a verb.

    Content outweighs a verb: the tool that takes content ignores it.
    """

    def row(args: Args, cwd: str) -> Intents:
        return (verbs if args.first("content") is None else content_given)(args, cwd)

    return row


def nothing_done(args: Args, cwd: str) -> Intents:  # noqa: ARG001 - a row of the table
    """A tool of the agent itself that touches no file and runs nothing."""
    return iter(())
