"""Programs that carry out commands of their own from a file: editors, debuggers, plotters.

`vim -S s.vim`, `gdb -x s.gdb`, `psql -f q.sql`, `ed f < s.ed`: such a text may open, write and
run whatever it names. Names in it that could be files are mentions, as they are where the same
text stands in the command.
Always true: a text that is not on the disk has been told where it was written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from msgspec import Struct

from penstock.core.shell.effects import Effect, Options, ProgramCall, options
from penstock.core.shell.programs.reads.mention import words_inside
from penstock.core.shell.programs.reads.rows import either

MOST_NAMES = 64
MOST_FILES = 8


class Takes(Struct, frozen=True):
    """Where a program's files of commands stand: behind options, among operands, in its input."""

    options: str = ""
    short: str = ""
    operands: bool = False
    dashed: tuple[str, ...] = ()
    loads: str = ""


_VIM = Takes("S u", "cTUwWi", loads="so source")
_EMACS = Takes("l load script", "f", dashed=("-load", "-script", "-l", "--script", "--load"))
_FIRST = Takes(operands=True)
_TYPED = frozenset({"vi", "vim", "nvim"})  # their `-s FILE` holds keys that are typed
TAKES: Mapping[str, Takes] = {
    **dict.fromkeys(("vi", "vim", "nvim", "view", "gvim", "rvim", "ex", "vimdiff"), _VIM),
    **dict.fromkeys(("ed", "red"), Takes()),
    **dict.fromkeys(("emacs", "emacsclient"), _EMACS),
    **dict.fromkeys(("gdb", "cgdb", "rust-gdb"), Takes("x command", dashed=("-x", "-command"))),
    **dict.fromkeys(("lldb", "rust-lldb"), Takes("s S source")),
    **dict.fromkeys(("gnuplot", "octave", "m4", "gm4", "bc", "gp", "scilab", "maxima"), _FIRST),
    "dc": Takes("f file"),
    **dict.fromkeys(("sftp", "ftp"), Takes("b")),
    "lftp": Takes("f"),
    **dict.fromkeys(
        ("ghci", "runghc", "sage", "racket", "guile", "clisp", "sbcl", "ocaml"), _FIRST
    ),
    **dict.fromkeys(("irb", "pry", "iex", "erl", "scala", "jshell", "swipl", "gosh"), _FIRST),
}


def commanded(call: ProgramCall) -> Iterator[Effect]:
    """Tell the files that a program's file of commands names."""
    takes = TAKES[call.name]
    texts = [text for path in _paths(call, takes) if (text := call.here.text(path))]
    for text in texts[:MOST_FILES]:
        for name in islice(words_inside(text), MOST_NAMES):
            yield from either(name)


def _paths(call: ProgramCall, takes: Takes) -> Iterator[str]:
    names = takes.options.split()
    letters = "".join(name for name in names if len(name) == 1) + takes.short
    found: Options = options(call.args, short=letters, long=takes.options)
    yield from (value.text for value in found.values(*names))
    typed = ("-s",) if call.name in _TYPED and not found.has("e", "E") else ()
    for at, word in enumerate(call.args[:-1]):
        if word.text in (*takes.dashed, *typed):
            yield call.args[at + 1].text
    yield from (word.text for word in found.operands if takes.operands)
    yield from call.feed.files
    for word in call.args:
        verb, _, rest = word.text.lstrip(":+").partition(" ")
        if verb in takes.loads.split():
            yield rest.strip()
