"""The nouns of reading shell text: words and their parts, redirections, scripts, nodes.

The scanner makes words and tokens, the tree makes nodes of them, the walk follows nodes.
Nothing here decides anything.
Always true: these are plain immutable values, so that one text can be walked many times.
They are named tuples because a hostile text makes tens of thousands of them.
"""

from __future__ import annotations

from msgspec import Struct


class Lit(Struct, frozen=True):
    """Text that stands for itself; unquoted text still has live braces, globs and tildes."""

    text: str
    quoted: bool


class Var(Struct, frozen=True):
    """A parameter: `$name`, `${name}`, or `${name op arg}`."""

    name: str
    op: str
    arg: tuple[Part, ...]
    quoted: bool
    raw: str


class Sub(Struct, frozen=True):
    """Commands inside a word: `$(...)`, a backquoted text, `<(...)` or `>(...)`.

    `script` is None for arithmetic, whose own substitutions are in `inner`.
    """

    kind: str
    script: Script | None
    inner: tuple[Part, ...]
    quoted: bool
    raw: str


class Arr(Struct, frozen=True):
    """The words of an array assignment, `name=(a b)`."""

    words: tuple[ShellWord, ...]


Part = Lit | Var | Sub | Arr


class ShellWord(Struct, frozen=True):
    """One shell word as it is written (`raw`), and what it is made of."""

    parts: tuple[Part, ...]
    raw: str
    start: int
    end: int


class Redirect(Struct, frozen=True):
    """A redirection. `body` is what a here-document or here-string feeds, as parts."""

    op: str
    fd: str
    word: ShellWord | None
    body: tuple[Part, ...] | None
    start: int
    end: int


class Op(Struct, frozen=True):
    """An operator, or a reserved word that stands where it is one."""

    text: str
    word: ShellWord | None = None


Token = ShellWord | Redirect | Op


class Script(Struct, frozen=True):
    """The tokens of one text, in order."""

    text: str
    tokens: tuple[Token, ...]


class Simple(Struct, frozen=True):
    """One simple command: words and redirections, and the text they stand in."""

    words: tuple[ShellWord, ...]
    redirects: tuple[Redirect, ...]
    text: str


class Pipe(Struct, frozen=True):
    """Commands joined by `|`."""

    items: tuple[Node, ...]


class Not(Struct, frozen=True):
    """A command whose success and failure change places."""

    item: Node


class Both(Struct, frozen=True):
    """`left && right`, or `left || right` when `either` is set."""

    left: Node
    right: Node
    either: bool


class CommandBlock(Struct, frozen=True):
    """Commands one after the other; `apart` means in a process of their own."""

    items: tuple[Node, ...]
    redirects: tuple[Redirect, ...] = ()
    apart: bool = False


class If(Struct, frozen=True):
    """Conditions with their bodies, and what runs when none holds."""

    branches: tuple[tuple[Node, Node], ...]
    otherwise: Node


class Loop(Struct, frozen=True):
    """`while` and `until`."""

    condition: Node
    body: Node


class For(Struct, frozen=True):
    """`for name in words`; no words means the positional parameters."""

    name: str
    words: tuple[ShellWord, ...] | None
    body: Node


class Case(Struct, frozen=True):
    """The bodies of a `case`, each with whether it falls through into the next (`;&`).

    Any one of them may run. `words` are only looked into.
    """

    words: tuple[ShellWord, ...]
    bodies: tuple[tuple[Node, bool], ...]


class Function(Struct, frozen=True):
    """A function definition."""

    name: str
    body: Node


Node = Simple | Pipe | Not | Both | CommandBlock | If | Loop | For | Case | Function

NOTHING = CommandBlock(())
