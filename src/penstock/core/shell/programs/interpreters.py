"""How interpreters read their words: which option carries a program, and where a script stands.

`runners` follows what is run, `reads` tells what is read; both take the words apart here.
Always true: what stands behind a program or a script is that program's, never the interpreter's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.shell.effects import Options, options
from penstock.core.shell.expansion import Value
from penstock.core.text.late_regex import late_regex


class Interpreter(Struct, frozen=True):
    """A language, the options that carry a program in it, and the others that take a value.

    `each_line` names the options that run the program for each line of the operands.
    """

    language: str
    code: str
    short: str = ""
    long: str = ""
    each_line: str = ""


class Started(Struct, frozen=True):
    """The words of an interpreter: its own options, programs, a script, what is behind them."""

    given: Options
    texts: tuple[Value, ...]
    script: tuple[Value, ...]
    rest: tuple[Value, ...]


_JS = Interpreter(
    "js",
    "e p eval print",
    "r",
    "require import input-type loader env-file env-file-if-exists conditions",
)
INTERPRETERS: Mapping[str, Interpreter] = {
    **dict.fromkeys(("python", "pypy"), Interpreter("python", "c", "mWX", "check-hash-based-pycs")),
    **dict.fromkeys(("node", "nodejs", "bun", "tsx", "ts-node"), _JS),
    "php": Interpreter("php", "r B R E", "dcfFSt"),
    **dict.fromkeys(("lua", "luajit"), Interpreter("lua", "e", "l")),
    "osascript": Interpreter("applescript", "e", "l"),
    **dict.fromkeys(("Rscript", "R"), Interpreter("r", "e", "f", "file")),
    "tclsh": Interpreter("tcl", ""),
    "julia": Interpreter("julia", "e E eval print", "pLC"),
    "elixir": Interpreter("elixir", "e", "rSp"),
    "groovy": Interpreter("jvm", "e"),
    "perl": Interpreter("perl", "e E", "i?IMmFCdx", each_line="n p a"),
    "ruby": Interpreter("ruby", "e E", "i?IrCFKTWx", each_line="n p a"),
}


def start(name: str, args: Sequence[Value]) -> Started:
    """Take apart the words of an interpreter."""
    kind = INTERPRETERS[name]
    args = args[1:] if name == "bun" and args[:1] == (Value("run"),) else args
    flags = kind.code.split()
    letters = "".join(flag for flag in flags if len(flag) == 1)
    words = " ".join(flag for flag in flags if len(flag) > 1)
    # `-pe` is two options, not a program called `e`.
    if not kind.each_line:
        args = [Value("-e") if word.text == "-pe" else word for word in args]
    found = options(
        args,
        short=letters + kind.short,
        long=f"{words} {kind.long}",
        first_operand_ends=not kind.each_line,
    )
    texts = tuple(found.values(*flags))
    script = () if texts else found.operands[:1]
    return Started(found, texts, script, found.operands[len(script) :])


_UP_TO_MODULE = late_regex(r"-[bBdEiIOPqRsSuvVx?]{0,16}m(.*)")


def module_of(args: Sequence[Value]) -> tuple[Value, Sequence[Value]] | None:
    """Return the module behind `-m` and its words: Python reads no option of its own after it."""
    at = 0
    while at < len(args) and args[at].text.startswith("-"):
        found = _UP_TO_MODULE.fullmatch(args[at].text)
        if found and found.group(1):
            return replace(args[at], text=found.group(1)), args[at + 1 :]
        if found:
            return (args[at + 1], args[at + 2 :]) if at + 1 < len(args) else None
        if args[at].text in ("-", "--") or ("c" in args[at].text and args[at].text[1] != "-"):
            return None
        at += 2 if args[at].text in ("-W", "-X", "--check-hash-based-pycs") else 1
    return None


SHELLS = (
    *("sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "rbash", "yash", "csh", "tcsh"),
)


def shell_options(args: Sequence[Value]) -> Options:
    """Take apart the words of a shell: with `c` the first operand is a text, else a script."""
    words = [word for word in args if not re.fullmatch(r"\+[A-Za-z]{1,8}", word.text)]
    return options(words, short="oO", long="rcfile init-file", first_operand_ends=True)
