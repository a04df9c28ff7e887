"""What files hold once the commands so far have run, as far as that can be computed.

A file that is emptied, cut or replaced by another one that is known is judged by its content, as
a tool would be that writes this content. Beside `texts`, which remembers what may be run later.
Always true: a content is the whole of a file, or None; a file that was written in a way that
nobody can tell is not known any more, whatever the disk holds.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from penstock.core.model import Action
from penstock.core.shell.command.host import Follows
from penstock.core.shell.effects import Effect, Feed, ProgramCall, Touch, base_name, below, options
from penstock.core.shell.expansion import Value
from penstock.core.shell.place import joined
from penstock.core.shell.programs.line_filters import passed, sed_leaves, sed_words
from penstock.core.shell.programs.output import printed
from penstock.core.shell.state import ShellState
from penstock.core.text.late_regex import late_regex

_EMPTY = frozenset({"/dev/null"})
_INPUT = frozenset({"-", "/dev/stdin"})
_SIZE = late_regex(r"([0-9]{1,9})([KMG]?)")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_COPIES = frozenset({"cp", "gcp", "mv", "gmv", "install", "ginstall"})
_TAKES_INPUT = frozenset({"tee", "sponge"})


class Contents:
    """The contents of files for one walk."""

    def __init__(self, walk: Follows) -> None:
        self._walk = walk
        self._left: dict[str, str | None] = {}

    @property
    def changed(self) -> Container[str]:
        """The files that the commands so far have written."""
        return self._left

    def of(self, path: Value, state: ShellState) -> str | None:
        """Return what a file holds now."""
        if not path.exact or path.pattern:
            return None
        if path.text in _EMPTY:
            return ""
        there = joined(state.cwd, path.text)
        if there in self._left:
            return self._left[there]
        here = self._walk.here(state)
        return "" if here.kind(path.text) == "" else here.text(path.text)

    def leave(self, path: Value, text: str | None, state: ShellState) -> None:
        """From now on a file holds a text; None where nobody knows which."""
        self._left[joined(state.cwd, path.text)] = text

    def output(self, argv: Sequence[Value], feed: Feed, state: ShellState) -> str | None:
        """Return what a command prints, where it prints what files or its input hold."""

        def read(path: Value) -> str | None:
            return self.fed(feed, state) if path.text in _INPUT else self.of(path, state)

        if not argv:
            return ""
        text = printed(argv, feed, state.cwd)
        return passed(argv, read) if text is None else text

    def fed(self, feed: Feed, state: ShellState) -> str | None:
        """Return what comes in by an input."""
        if feed.text is not None:
            return feed.text if feed.exact else None
        if feed.lines is not None:
            return feed.lines()
        return (
            self.of(Value(feed.files[0]), state)
            if len(feed.files) == 1 and not feed.piped
            else None
        )

    def told(
        self, effects: Iterable[Effect], call: ProgramCall, state: ShellState
    ) -> Iterator[Effect]:
        """Return the effects of a program, each write with the content that it leaves."""
        known = _made(self, call, state) if call.here.sees else {}
        for effect in effects:
            if (
                isinstance(effect, Touch)
                and effect.action is not Action.READ
                and not effect.mention
            ):
                gone = effect.action is Action.DELETE
                text = None if gone else known.get(effect.value.text)
                self.leave(effect.value, text, state)
                yield effect if text is None else replace(effect, content=text)
            else:
                yield effect


def _made(contents: Contents, call: ProgramCall, state: ShellState) -> Mapping[str, str]:
    """Return what each file holds that a program writes, where that can be computed."""
    if not all(word.exact and not word.pattern for word in call.args):
        return {}
    if call.name in _COPIES:
        return _copied(contents, call, state)
    if call.name in _TAKES_INPUT:
        return _poured(contents, call, state)
    row = {"truncate": _truncated, "dd": _dd, "sed": _edited, "gsed": _edited}.get(call.name)
    return row(contents, call, state) if row else {}


def _copied(contents: Contents, call: ProgramCall, state: ShellState) -> Mapping[str, str]:
    found = options(call.args, short="tSZ?mog", long="target-directory suffix mode owner group")
    if len(found.operands) != 2 or found.has("t", "target-directory", "d", "directory"):
        return {}
    source, target = found.operands
    text = contents.of(source, state)
    places = (target.text, below(target, base_name(source)).text)
    return {} if text is None else dict.fromkeys(places, text)


def _poured(contents: Contents, call: ProgramCall, state: ShellState) -> Mapping[str, str]:
    found = options(call.args)
    text = None if found.has("a", "append") else contents.fed(call.feed, state)
    return {} if text is None else {word.text: text for word in found.operands}


def _truncated(contents: Contents, call: ProgramCall, state: ShellState) -> Mapping[str, str]:
    found = options(call.args, short="sr", long="size reference")
    sizes = [_SIZE.fullmatch(value.text) for value in found.values("s", "size")]
    if len(sizes) != 1 or sizes[0] is None:
        return {}
    most = int(sizes[0][1]) * _UNITS[sizes[0][2]]
    known = {word.text: contents.of(word, state) for word in found.operands}
    # Without any byte left it does not matter what was there.
    return {
        name: (text or "")[:most] for name, text in known.items() if text is not None or not most
    }


def _dd(contents: Contents, call: ProgramCall, state: ShellState) -> Mapping[str, str]:
    sides = dict(word.text.partition("=")[::2] for word in call.args)
    if "of" not in sides or set(sides) - {"if", "of", "bs", "status"}:
        return {}
    source = sides.get("if")
    text = contents.of(Value(source), state) if source else contents.fed(call.feed, state)
    return {} if text is None else {sides["of"]: text}


def _edited(contents: Contents, call: ProgramCall, state: ShellState) -> Mapping[str, str]:
    """`sed -i` where it chooses lines; where it only changes parts of them, its row says so."""
    found, scripts, files = sed_words(call.args)
    if not found.has("i", "in-place") or found.has("f", "file", "z") or not scripts:
        return {}
    quiet, wide = found.has("n", "quiet", "silent"), found.has("E", "r", "regexp-extended")
    made: dict[str, str] = {}
    for file in files:
        text = contents.of(file, state)
        left = None if text is None else sed_leaves(scripts, text, quiet=quiet, wide=wide)
        if left is not None:
            made[file.text] = left
    return made
