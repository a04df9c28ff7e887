"""Look for redirections and writing programs in shell text that was not read closely.

A text that is too large or too tangled is called unclear; this look makes sure that a plain
`> .env` or `rm .env` in it is still met by the rules on names.
Always true: it errs towards telling too much, and its work is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from penstock.core.model import Action
from penstock.core.shell_effects import Touch
from penstock.core.shell_found import Found
from penstock.core.shell_state import State
from penstock.core.shell_words import Value

MOST_LOOKS = 64
MOST_CALLS = 16
MOST_WORDS = 8

_REDIRECTED = re.compile(r">[>|&!]?[ \t]*['\"]?([^\s;&|<>()'\"`$]{1,255})")
_ARGUMENTS = re.compile(r"[^\n;|&<>]{1,255}")
_WORD = re.compile(r"[^\s'\"]{1,255}")
_DELETES = ("rm", "unlink", "shred")
_WRITERS = ("mv", "cp", "ln", "tee", "dd", "touch", "truncate", "install", "chmod", "sed -i")


def scan(text: str, found: Found, state: State) -> None:
    """Tell what a look at the text shows."""
    for match in islice(_REDIRECTED.finditer(text), MOST_LOOKS):
        if not match.group(1).isdigit():
            found.touch(Touch(Value(match.group(1))), state, ">")
    for action, programs in ((Action.DELETE, _DELETES), (Action.WRITE, _WRITERS)):
        for program in programs:
            for words in islice(_calls(text, program), MOST_CALLS):
                for word in islice(_WORD.findall(words), MOST_WORDS):
                    value = Value(word.removeprefix("of="))
                    if not word.startswith("-"):
                        found.touch(Touch(value, action), state, program)


def _calls(text: str, program: str) -> Iterator[str]:
    """Return what stands behind each mention of a program."""
    at = 0
    while (at := text.find(program + " ", at)) >= 0:
        before = text[at - 1] if at else " "
        at += len(program) + 1
        arguments = None if before.isalnum() else _ARGUMENTS.match(text, at)
        if arguments:
            yield arguments.group()
