"""Rows made from a few words, and what all families of reading programs share.

Always true: a pattern is told together with the usual names that it meets, because a look at the
disk may not be possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase

from penstock.core.model import Action
from penstock.core.shell.effects import Effect, Program, ProgramCall, Touch, options, read
from penstock.core.shell.expansion import Value
from penstock.core.shell.look import LookHere
from penstock.core.text.late_regex import late_regex

MOST_WORDS = 512
MOST_PARTS = 16


def shows(short: str = "", long: str = "", *, skip: int = 0, files: str = "") -> Program:
    """All operands behind the first `skip` are read, and the values of the options in `files`."""
    letters = "".join(name for name in files.split() if len(name) == 1)

    def program(call: ProgramCall) -> Iterator[Effect]:
        found = options(call.args, short=short + letters, long=f"{long} {files}")
        yield from read(found.values(*files.split()))
        yield from read(met(found.operands[skip:]))

    return program


def only(files: str, short: str = "", long: str = "") -> Program:
    """Only the values of some options are read."""
    return shows(short, long, skip=MOST_WORDS, files=files)


def dashed(*names: str) -> Program:
    """The words behind some options with one dash are read (`openssl -in f`)."""

    def program(call: ProgramCall) -> Iterator[Effect]:
        for at, word in enumerate(call.args[:-1]):
            if word.text in names:
                yield Touch(call.args[at + 1], Action.READ)

    return program


def is_all(value: Value) -> bool:
    """True for the directory that the command runs in."""
    return value.text.rstrip("/") in (".", "", "./.", "$PWD", "${PWD}", "$(pwd)", "`pwd`")


def sweep(roots: Iterable[Value]) -> Iterator[Effect]:
    """Everything below is read, the project as a whole included."""
    for root in roots:
        place = Value(".") if is_all(root) else root
        yield Touch(place, Action.READ, tree=True, whole=True)


def perhaps(values: Iterable[Value]) -> Iterator[Touch]:
    """Each value may be a file that is read."""
    return (Touch(value, Action.READ, mention=True) for value in values)


def implied(here: LookHere, *paths: str) -> Iterator[Effect]:
    """A program reads files that no word names, where they are there."""
    return perhaps(Value(path) for path in paths if here.kind(path) != "")


def either(value: Value) -> Iterator[Effect]:
    """A file that is read or written, whichever of the two."""
    yield Touch(value, Action.READ, mention=True)
    yield Touch(value, mention=True)


# Names that a pattern may be after where nobody can look at the disk.
USUAL = (
    *(".env", ".env.local", ".env.production", ".npmrc", ".netrc", ".pypirc", ".git-credentials"),
    *("id_rsa", "id_ed25519", "server.key", "key.pem", "secrets"),
)


def met(values: Sequence[Value] | Iterator[Value]) -> Iterator[Value]:
    """Return values, and for a pattern the usual names that it meets."""
    for value in values:
        yield value
        if value.pattern and value.text.rpartition("/")[2][:1] != "*":
            yield from usual_names(value)


_GROUP = late_regex(r"[@?*+!]\([^()]*\)")  # `.@(env|npmrc)`


def usual_names(pattern: Value) -> Iterator[Value]:
    """Return the usual names that a pattern meets whose star may stand for a dot."""
    folder, slash, name = _GROUP.sub("*", pattern.text).rpartition("/")
    return (Value(folder + slash + usual) for usual in USUAL if fnmatchcase(usual, name))
