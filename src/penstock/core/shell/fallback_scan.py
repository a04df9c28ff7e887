"""Look for redirections and writing programs in shell text that was not read closely.

A text that is too large or too tangled is called unclear; this look makes sure that a plain
`> .env` or `rm .env` at its beginning or its end is still met by the rules on names.
Always true: it errs towards telling too much, and looks at a bounded number of places.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from penstock.core.model import Action
from penstock.core.shell.effects import Touch
from penstock.core.shell.expansion import Value
from penstock.core.shell.findings import ShellFindings
from penstock.core.shell.state import ShellState
from penstock.core.text.late_regex import late_regex

# From each end, of each kind.
MOST_LOOKS = 200
MOST_FOUND = 32
MOST_WORDS = 8

_NAME = late_regex(r">{0,2}[|&!]?[ \t]{0,8}['\"]?([^\s;&|<>()'\"`$]{1,255})")
_ARGUMENTS = late_regex(r"[ \t]([^\n;|&<>]{1,255})")
_WORD = late_regex(r"[^\s'\"]{1,255}")
_DELETES = ("rm", "unlink", "shred")
_WRITERS = ("mv", "cp", "ln", "tee", "dd", "touch", "truncate", "install", "chmod", "sed -i")


def scan(text: str, found: ShellFindings, state: ShellState) -> None:
    """Tell what a look at both ends of the text shows."""
    names = (_NAME.match(text, at) for at in _places(text, ">"))
    for match in islice(filter(None, names), MOST_FOUND):
        if not match.group(1).isdigit():
            found.touch(Touch(Value(match.group(1))), state, ">")
    for action, programs in ((Action.DELETE, _DELETES), (Action.WRITE, _WRITERS)):
        for program in programs:
            for words in islice(_calls(text, program), MOST_FOUND):
                _tell(words, found, state, action, program)


def _tell(
    words: str, found: ShellFindings, state: ShellState, action: Action, program: str
) -> None:
    for word in islice(_WORD.findall(words), MOST_WORDS):
        if not word.startswith("-"):
            found.touch(Touch(Value(word.removeprefix("of=")), action), state, program)


def _places(text: str, mark: str) -> Iterator[int]:
    """Return where a mark stands: the last places first, then the first ones."""
    at = len(text)
    for _ in range(MOST_LOOKS):
        at = text.rfind(mark, 0, at)
        if at < 0:
            return
        yield at
    last, at = at, -1
    for _ in range(MOST_LOOKS):
        at = text.find(mark, at + 1, last)
        if at < 0:
            return
        yield at


def _calls(text: str, program: str) -> Iterator[str]:
    """Return what stands behind each mention of a program."""
    for at in _places(text, program + " "):
        arguments = _ARGUMENTS.match(text, at + len(program))
        if arguments and not (at and text[at - 1].isalnum()):
            yield arguments.group(1)
