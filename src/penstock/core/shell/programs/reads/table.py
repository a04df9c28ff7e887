"""The table of programs that read: which words of a command name files whose content they take.

A row says which words are read. A program with no row is not known: every word of it that could
be a file is a mention, which a person is asked about where a rule protects that file.
Always true: each program that another table knows has a row here, if only to say that it shows
nothing of a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, islice

from msgspec.structs import replace

from penstock.core.model import Action
from penstock.core.shell.effects import Effect, Program, ProgramCall, Touch, nothing, options, read
from penstock.core.shell.expansion import Value
from penstock.core.shell.programs.own import OWN
from penstock.core.shell.programs.reads.command_file import TAKES, commanded
from penstock.core.shell.programs.reads.container import CONTAINERS
from penstock.core.shell.programs.reads.credential import CREDENTIALS, KEEPERS, with_words
from penstock.core.shell.programs.reads.database import DATABASES
from penstock.core.shell.programs.reads.document import DOCUMENTS
from penstock.core.shell.programs.reads.environment import LOADERS
from penstock.core.shell.programs.reads.git import git_reads
from penstock.core.shell.programs.reads.mention import inside_code, mentioned
from penstock.core.shell.programs.reads.rows import MOST_WORDS, only, perhaps
from penstock.core.shell.programs.reads.script import SCRIPTS
from penstock.core.shell.programs.reads.search import SEARCHES
from penstock.core.shell.programs.reads.server import SERVERS
from penstock.core.shell.programs.reads.transfer import TRANSFERS
from penstock.core.shell.programs.reads.vocabulary import (
    CHANGES,
    QUIET,
    STARTS,
    WORDS_INSIDE,
)


def reads(call: ProgramCall) -> Iterator[Effect]:
    """Return what a program reads."""
    row = READS.get(call.name)
    call = _from_here(call)
    found = row(call) if row is not None else _unknown(call)
    return chain(found, commanded(call)) if call.name in TAKES else found


def _from_here(call: ProgramCall) -> ProgramCall:
    """Return a call whose words say `.` for the directory it runs in, as `$PWD` is by then."""
    place = call.here.cwd.rstrip("/") if call.here.sure else ""
    if not place or not any(word.text.startswith(place) for word in call.args):
        return call
    here = (place, f"{place}/", f"{place}/.")
    args = (replace(word, text=".") if word.text in here else word for word in call.args)
    return replace(call, args=tuple(args))


def _unknown(call: ProgramCall) -> Iterator[Effect]:
    """Return what a program may read that nobody knows; a command may stand in one of its words."""
    yield from mentioned(call)
    for word in islice(call.args, MOST_WORDS):
        name, *words = word.text.split() or ("",)
        row = READS.get(name) if words else None
        if row is not None:
            inner = ProgramCall(name, tuple(map(Value, words)), here=call.here)
            found = (one for one in row(inner) if isinstance(one, Touch))
            yield from perhaps(one.value for one in found if one.action is Action.READ)


def _gh(call: ProgramCall) -> Iterator[Effect]:
    """Its `--env-file` is sent, not loaded."""
    yield from mentioned(call)
    yield from read(options(call.args, long="env-file").values("env-file"))


def _xargs(call: ProgramCall) -> Iterator[Effect]:
    found = options(
        call.args,
        short="aEIi?l?LnPsd",
        long="arg-file eof replace max-lines max-args max-procs max-chars delimiter",
        first_operand_ends=True,
    )
    yield from read(found.values("a", "arg-file"))


def _nix(call: ProgramCall) -> Iterator[Effect]:
    """Expressions are read for the files that they name; what a shell of its runs is mentioned."""
    found = options(call.args, short="EIfAo", long="expr file apply argstr arg")
    texts = [*found.values("E", "expr", "apply"), *found.values("argstr", "arg")]
    texts += found.operands if found.has("E") else ()
    yield from perhaps(name for text in texts for name in inside_code(text.text))
    yield from mentioned(call)


def _typed(call: ProgramCall) -> Iterator[Effect]:
    return mentioned(call, writes=False)


_FAMILIES: Mapping[str, Program] = {
    **DOCUMENTS,
    **SEARCHES,
    **SCRIPTS,
    **TRANSFERS,
    **CONTAINERS,
    **LOADERS,
    **DATABASES,
    **SERVERS,
}
READS: Mapping[str, Program] = {
    **dict.fromkeys({*QUIET, *STARTS, *CHANGES, *OWN}, nothing),
    **dict.fromkeys(WORDS_INSIDE, mentioned),
    **CREDENTIALS,
    **_FAMILIES,
    **{name: with_words(row) for name, row in _FAMILIES.items() if name in KEEPERS},
    "gh": with_words(_gh),
    # What they run is followed, and so are their scripts; files among their words are handed on.
    **dict.fromkeys(("make", "gmake", "just", "task", "go-task", "pytest", "py.test"), mentioned),
    **dict.fromkeys(("npm", "pnpm", "yarn"), with_words(mentioned)),
    **dict.fromkeys(("go", "wish"), mentioned),
    **dict.fromkeys(("tmux", "byobu", "tmate", "screen", "crontab", "fcrontab"), _typed),
    "at": only("f", "qt"),
    **dict.fromkeys(("xdotool", "ydotool"), only("file", "", "delay window clearmodifiers")),
    **dict.fromkeys(("xargs", "gxargs"), _xargs),
    "parallel": only("a arg-file", "jNCIS", "jobs colsep delay timeout joblog results"),
    **dict.fromkeys(("nix", "nix-instantiate", "nix-build", "nix-shell", "nix-eval-jobs"), _nix),
    "git": git_reads,
}
