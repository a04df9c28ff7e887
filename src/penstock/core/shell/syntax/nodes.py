"""The nouns of reading shell text: words and their parts, redirections, scripts, nodes.

The scanner makes words and tokens, the tree makes nodes of them, the walk follows nodes.
Nothing here decides anything.
Always true: these are plain immutable values, so that one text can be walked many times.
They are named tuples because a hostile text makes tens of thousands of them.
"""

from __future__ import annotations

from typing import NamedTuple


class Lit(NamedTuple):
    """Text that stands for itself; unquoted text still has live braces, globs and tildes."""

    text: str
    quoted: bool


class Var(NamedTuple):
    """A parameter: `$name`, `${name}`, or `${name op arg}`."""

    name: str
    op: str
    arg: tuple[Part, ...]
    quoted: bool
    raw: str


class Sub(NamedTuple):
    """Commands inside a word: `$(...)`, a backquoted text, `<(...)` or `>(...)`.

    `script` is None for arithmetic, whose own substitutions are in `inner`.
    """

    kind: str
    script: Script | None
    inner: tuple[Part, ...]
    quoted: bool
    raw: str


class Arr(NamedTuple):
    """The words of an array assignment, `name=(a b)`."""

    words: tuple[ShellWord, ...]


Part = Lit | Var | Sub | Arr


class ShellWord(NamedTuple):
    """One shell word as it is written (`raw`), and what it is made of."""

    parts: tuple[Part, ...]
    raw: str
    start: int
    end: int


class Redirect(NamedTuple):
    """A redirection. `body` is what a here-document or here-string feeds, as parts."""

    op: str
    fd: str
    word: ShellWord | None
    body: tuple[Part, ...] | None
    start: int
    end: int


class Op(NamedTuple):
    """An operator, or a reserved word that stands where it is one."""

    text: str
    word: ShellWord | None = None


Token = ShellWord | Redirect | Op


class Script(NamedTuple):
    """The tokens of one text, in order."""

    text: str
    tokens: tuple[Token, ...]


class Simple(NamedTuple):
    """One simple command: words and redirections, and the text they stand in."""

    words: tuple[ShellWord, ...]
    redirects: tuple[Redirect, ...]
    text: str


class Pipe(NamedTuple):
    """Commands joined by `|`."""

    items: tuple[Node, ...]


class Not(NamedTuple):
    """A command whose success and failure change places."""

    item: Node


class Both(NamedTuple):
    """`left && right`, or `left || right` when `either` is set."""

    left: Node
    right: Node
    either: bool


class CommandBlock(NamedTuple):
    """Commands one after the other; `apart` means in a process of their own."""

    items: tuple[Node, ...]
    redirects: tuple[Redirect, ...] = ()
    apart: bool = False


class If(NamedTuple):
    """Conditions with their bodies, and what runs when none holds."""

    branches: tuple[tuple[Node, Node], ...]
    otherwise: Node


class Loop(NamedTuple):
    """`while` and `until`."""

    condition: Node
    body: Node


class For(NamedTuple):
    """`for name in words`; no words means the positional parameters."""

    name: str
    words: tuple[ShellWord, ...] | None
    body: Node


class Case(NamedTuple):
    """The bodies of a `case`, each with whether it falls through into the next (`;&`).

    Any one of them may run. `words` are only looked into.
    """

    words: tuple[ShellWord, ...]
    bodies: tuple[tuple[Node, bool], ...]


class Function(NamedTuple):
    """A function definition."""

    name: str
    body: Node


Node = Simple | Pipe | Not | Both | CommandBlock | If | Loop | For | Case | Function

NOTHING = CommandBlock(())
