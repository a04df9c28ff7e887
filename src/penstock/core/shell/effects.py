"""What a program does to files, as values; and its options, as GNU programs read them.

The tables of programs answer with these; the walk carries them out.
Always true: an effect names values, never paths: whether a value is certain travels with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.model import Action, GateRefusal
from penstock.core.shell.expansion import Value
from penstock.core.shell.git_deed import GitDeed
from penstock.core.shell.look import NOWHERE, LookHere


class Touch(Struct, frozen=True):
    """A file would be written, deleted or read.

    `tree` means everything below it as well. `within` makes it conditional: the effect is
    real only when that other value turns out to be a directory (`cp a b` writes `b/a` then).
    `whole` means that what lies below may no longer be reached: a mount, other permissions.
    `kept` is where a file that goes from here is from then on: a move. `mention` means that
    nobody knows whether the word is a file, or what happens to it. `content` is what the file
    holds afterwards, where that can be computed; `keeps` means that only parts of its lines change.
    """

    value: Value
    action: Action = Action.WRITE
    tree: bool = False
    within: Value | None = None
    whole: bool = False
    kept: Value | None = None
    mention: bool = False
    content: str | None = None
    keeps: bool = False


class Unclear(Struct, frozen=True):
    """Something would be written, or could be, that the text does not tell.

    `runs` means that a command may be made and then run; without a `why` that is all.
    """

    why: str
    runs: bool = False


class Refuse(Struct, frozen=True):
    """Penstock itself has something against this, whatever the rules say.

    With `only_at` it holds only where that is a file of the policy in force, or something that
    the hook runs from.
    """

    refusal: GateRefusal
    only_at: Value | None = None


class RunProgram(Struct, frozen=True):
    """Another program is started with these words.

    `elsewhere` means on another machine or in a container: what it changes there is not ours to
    judge. `mounts` are directories of ours and where they lie there; None where only what
    Penstock has against the command counts.
    """

    argv: tuple[Value, ...]
    directory: Value | None = None
    env: tuple[Value, ...] = ()
    elsewhere: bool = False
    mounts: tuple[tuple[str, str], ...] | None = None


class Feed(Struct, frozen=True):
    """What a program reads on its standard input.

    `piped` means that it comes from commands or from the text itself, not from a terminal or
    a file; `exact` is false when parts of `text` are only known when it runs. `parts` is what
    is known of an input whose `text` as a whole is not, and `files` are those on the disk whose
    lines come in. `lines` computes which lines come in from files on the disk, if that can be;
    `patch` is what git puts into a patch that comes in (`programs.git_patches`).
    """

    text: str | None = None
    piped: bool = False
    exact: bool = True
    parts: str = ""
    files: tuple[str, ...] = ()
    lines: Callable[[], str | None] | None = None
    patch: tuple[str, ...] = ()


class Shell(Struct, frozen=True):
    """A text is run as shell commands; `args` are its `$0`, `$1` and so on.

    `here` means in this very shell (`eval`), `started` in a new one that gets only what is
    exported; `feed` replaces the input of its caller.
    """

    text: Value
    args: tuple[Value, ...] = ()
    here: bool = False
    feed: Feed | None = None
    started: bool = False


class Later(Struct, frozen=True):
    """A text is run by this shell later on: when it ends, or, with `often`, at any time."""

    text: Value
    often: bool = False


class RunRole(StrEnum):
    """In which role a file of the project is run.

    A script that somebody starts shows what it reads; a module, a tool's own file and a test read
    settings for themselves, unless they print. Tests often make a place of their own to write in.
    """

    SCRIPT = ""
    MODULE = "module"
    IMPORT = "import"
    TOOL = "tool"
    TEST = "test"


class RunFile(Struct, frozen=True):
    """A file is run as a script: one that the same command wrote, or one on the disk.

    `here` means in this very shell, as `source` does it.
    """

    language: str
    path: Value
    args: tuple[Value, ...] = ()
    here: bool = False
    role: RunRole = RunRole.SCRIPT


class RunText(Struct, frozen=True):
    """A text of the project is run: a script on the disk, a recipe, a line of a manifest.

    `name` is the file that holds it. It is followed apart: what is unclear in it does not count.
    Of its functions only the `called` run, where these are known. `shown` says that whoever runs
    it prints what it returns.
    """

    name: str
    language: str
    text: str
    args: tuple[Value, ...] = ()
    directory: Value | None = None
    here: bool = False
    role: RunRole = RunRole.SCRIPT
    called: frozenset[str] | None = None
    shown: bool = False


class Code(Struct, frozen=True):
    """A text is run by an interpreter; `here` means by this very shell."""

    language: str
    text: Value
    args: tuple[Value, ...] = ()
    here: bool = False


class Typed(Struct, frozen=True):
    """A text is typed into a terminal, behind what the same command has typed before."""

    text: Value


class Patch(Struct, frozen=True):
    """A patch is applied."""

    text: str
    directory: Value | None = None


class Git(Struct, frozen=True):
    """A git command does something to a repository, in the directory that `git -C` names."""

    deed: GitDeed
    directory: Value | None = None


class Alias(Struct, frozen=True):
    """A name becomes a second name of another file."""

    link: Value
    target: Value


Effect = (
    Touch
    | Unclear
    | Refuse
    | RunProgram
    | Shell
    | Later
    | RunFile
    | RunText
    | Code
    | Typed
    | Patch
    | Alias
    | Git
)


HERE = Value(".")


class ProgramCall(Struct, frozen=True):
    """One program with its words (the name apart), its input, and what it sees of the disk.

    `away` means that what it prints goes to another machine.
    """

    name: str
    args: tuple[Value, ...]
    feed: Feed = Feed()
    here: LookHere = NOWHERE
    away: bool = False


Program = Callable[[ProgramCall], Iterator[Effect]]


def nothing(call: ProgramCall) -> Iterator[Effect]:  # noqa: ARG001 - a row of a table of programs
    """Write nothing."""
    return iter(())


_LONGEST_CLUSTER = 64


class Options(Struct, frozen=True):
    """Options in order, each with its value if it has one, and the operands."""

    given: tuple[tuple[str, Value | None], ...]
    operands: tuple[Value, ...]
    known: tuple[str, ...] = ()

    def has(self, *names: str) -> bool:
        """True when one of some options is given; long ones may be shortened."""
        return any(self._is_one_of(names, given) for given, _ in self.given)

    def values(self, *names: str) -> list[Value]:
        """Return the values of some options, in order."""
        return [
            value
            for given, value in self.given
            if value is not None and self._is_one_of(names, given)
        ]

    def _is_one_of(self, names: tuple[str, ...], given: str) -> bool:
        if given in names:
            return True
        if len(given) < 2 or given in self.known:
            return False
        return any(name.startswith(given) for name in names)


def options(
    args: Sequence[Value], *, short: str = "", long: str = "", first_operand_ends: bool = False
) -> Options:
    """Split words into options and operands.

    `short` are the letters that take a value; a letter before `?` takes one only when it is
    attached (`-i.bak`). `long` are the long names that take a value.
    """
    takes, attached = _letters(short)
    names = long.split()
    given: list[tuple[str, Value | None]] = []
    operands: list[Value] = []
    at = 0
    while at < len(args):
        word = args[at]
        at += 1
        if word.text == "--":
            operands.extend(args[at:])
            break
        if word.text.startswith("--"):
            name, value = _long(word)
            if value is None and at < len(args) and _takes_value(name, names):
                value, at = args[at], at + 1
            given.append((name, value))
        elif word.text.startswith("-") and len(word.text) > 1:
            at += _cluster(word, args[at : at + 1], takes, attached, given)
        elif first_operand_ends:
            operands.extend([word, *args[at:]])
            break
        else:
            operands.append(word)
    return Options(tuple(given), tuple(operands), tuple(names))


@lru_cache(512)  # of the few that our own tables have
def _letters(short: str) -> tuple[frozenset[str], frozenset[str]]:
    attached = frozenset(short[n - 1] for n, char in enumerate(short) if char == "?" and n)
    return frozenset(short) - attached - {"?"}, attached


def _takes_value(name: str, names: Sequence[str]) -> bool:
    """True for a long option with a value; it may be shortened, but `--head` is no `--header`."""
    return name in names or (name != "head" and any(n.startswith(name) for n in names))


def _long(word: Value) -> tuple[str, Value | None]:
    name, equals, value = word.text[2:].partition("=")
    return name, replace(word, text=value) if equals else None


def _cluster(
    word: Value,
    following: Sequence[Value],
    takes: frozenset[str],
    attached: frozenset[str],
    given: list[tuple[str, Value | None]],
) -> int:
    """Read `-abc value`; return how many of the following words were taken."""
    for at, letter in enumerate(word.text[1:_LONGEST_CLUSTER], start=2):
        if letter not in takes and letter not in attached:
            given.append((letter, None))
            continue
        rest = replace(word, text=word.text[at:])
        if rest.text or letter in attached:
            given.append((letter, rest if rest.text else None))
            return 0
        given.append((letter, following[0] if following else None))
        return len(following)
    return 0


def removing_all(command: Sequence[Value]) -> Sequence[Value]:
    """Return an `rm` of whatever a search finds as one of a whole directory: it takes as much."""
    name = command[0].text.rpartition("/")[2] if command else ""
    return (command[0], Value("-r"), *command[1:]) if name == "rm" else command


def base_name(value: Value) -> Value:
    """Return the last name of a path."""
    return replace(value, text=value.text.rstrip("/").rpartition("/")[2])


def below(directory: Value, name: Value) -> Value:
    """Return a name below a directory."""
    return Value(
        f"{directory.text.rstrip('/')}/{name.text}" if directory.text else name.text,
        exact=directory.exact and name.exact,
        pattern=directory.pattern or name.pattern,
    )


def written(
    values: Iterable[Value], *, tree: bool = False, whole: bool = False
) -> Iterator[Effect]:
    """Every value is written; a lone dash is a stream and no file."""
    return (Touch(value, tree=tree, whole=whole) for value in values if value.text != "-")


def deleted(values: Iterable[Value], *, tree: bool = False) -> Iterator[Effect]:
    """Every value is deleted."""
    return (Touch(value, Action.DELETE, tree=tree) for value in values)


def read(values: Iterable[Value], *, tree: bool = False) -> Iterator[Effect]:
    """Every value is read; a lone dash is a stream and no file."""
    return (Touch(value, Action.READ, tree=tree) for value in values if value.text != "-")


def last(values: Sequence[Value]) -> Value | None:
    """Return the last of some values: an option given twice counts as its last."""
    return values[-1] if values else None
