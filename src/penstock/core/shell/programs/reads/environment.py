"""Programs that load an environment file and start another: what that one shows of it.

`dotenv run -- pytest` loads `.env` and shows it to nobody; `dotenv run -- printenv` prints it.
Files that no word names (`.env` of `pipenv run`) count where they are there.
Some fetch variables into such a file: that file is written.
Always true: loading alone is no read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.shell.effects import Effect, Program, ProgramCall, Touch, options, read
from penstock.core.shell.expansion import Value
from penstock.core.shell.programs.interpreters import INTERPRETERS, SHELLS, start
from penstock.core.shell.programs.reads.literals import prints_environment
from penstock.core.shell.programs.reads.mention import mentioned
from penstock.core.shell.programs.reads.name_list import listed_in
from penstock.core.shell.programs.reads.rows import implied, perhaps
from penstock.core.text.late_regex import late_regex

_BUILTINS = frozenset({"set", "export", "declare", "typeset"})
_PRINTERS = _BUILTINS | {"printenv"}
_WRAPPERS = frozenset({"sudo", "exec", "command", "time", "nice", "npx", "timeout", "sh", "env"})
_PRINTS_ALL = late_regex(
    r"(?:^|[;&|(]|\$\()\s*(?:env|printenv|set|export(?:\s+-p)?|declare -x)\s*(?:$|[;&|)])"
)
_PRINTS_ONE = late_regex(r"\b(?:echo|printf|cat\s*<<<)\b[^;&|]{0,200}\$\{?[A-Za-z_]|\bprintenv\b")
_ASSIGNS = late_regex(r"[A-Za-z_]\w*=")


def shows_environment(words: Sequence[Value]) -> bool:
    """Say whether a command prints the environment that it is started with."""
    words = list(words)
    while words and (words[0].text.startswith("-") or _ASSIGNS.match(words[0].text)):
        words.pop(0)
    if not words:
        return False
    name, rest = words[0].text.rpartition("/")[2], words[1:]
    plain = re.sub(r"[0-9.]+$", "", name)
    if name == "env" and not any("=" not in w.text and w.text[:1] != "-" for w in rest):
        return True
    if name in _PRINTERS:
        return True
    if plain in INTERPRETERS:
        found = start(plain, rest)
        printed = bool(found.given.values("p", "print"))
        return any(prints_environment(text.text, printed=printed) for text in found.texts)
    if name in SHELLS:
        return any(_prints(word.text) for word in rest)
    return name in _WRAPPERS and shows_environment(rest[name == "timeout" :])


def prints_own(argv: Sequence[Value]) -> bool:
    """Say whether a command of a shell prints what this shell has in its environment.

    With words behind them `set` and `export` set something; alone or with `-p` they print.
    """
    if argv and argv[0].text in _BUILTINS:
        return all(word.text == "-p" for word in argv[1:])
    return shows_environment(argv)


def _prints(text: str) -> bool:
    text = text[:4_096]
    return bool(_PRINTS_ALL.search(text) or _PRINTS_ONE.search(text))


# Loaders


class Loader(Struct, frozen=True):
    """How a program is told its file, which verb starts a command, and which file is usual.

    `prints` are verbs that print by themselves.
    """

    files: str
    verbs: tuple[str, ...] = ()
    usual: tuple[str, ...] = (".env",)
    prints: tuple[str, ...] = ()
    short: str = ""
    long: str = ""


def loads(loader: Loader) -> Program:
    """Make the row of a program that loads an environment file."""

    def program(call: ProgramCall) -> Iterator[Effect]:
        letters = "".join(name for name in loader.files.split() if len(name) == 1)
        short, long = loader.short + letters, f"{loader.files} {loader.long}"
        found = options(call.args, short=short, long=long, first_operand_ends=True)
        verb = found.operands[0].text if found.operands else ""
        inner = found.operands
        if loader.verbs and verb in loader.verbs:
            behind = options(inner[1:], short=short, long=long, first_operand_ends=True)
            inner, given = behind.operands, (*found.given, *behind.given)
            found = replace(found, given=given)
        elif loader.verbs and verb not in loader.prints:
            return
        if verb in loader.prints or shows_environment(inner):
            files = found.values(*loader.files.split())
            yield from read(files)
            yield from implied(call.here, *loader.usual) if not files else ()

    return program


_DOTENV_SHOWS = frozenset({"list", "get", "print", "dump", "encrypt", "decrypt", "keypair"})


def _dotenv(call: ProgramCall) -> Iterator[Effect]:
    """`dotenv run` loads the file; `list` and `get` print it, `set` and `unset` change it."""
    found = options(call.args, short="fep", long="file env env-file", first_operand_ends=True)
    verb = found.operands[0].text if found.operands else ""
    inner = found.operands
    if verb in ("run", "exec", "get"):
        behind = options(inner[1:], short="fep", long="file env env-file", first_operand_ends=True)
        inner, found = behind.operands, replace(found, given=(*found.given, *behind.given))
    files = found.values("f", "file", "e", "env", "env-file") or [Value(".env")]
    shown = verb in _DOTENV_SHOWS or not found.operands or found.has("p")
    if shown or shows_environment(inner):
        yield from read(files)
    elif verb in ("set", "unset"):
        yield from (Touch(file) for file in files)


def _pulls(call: ProgramCall) -> Iterator[Effect]:
    """`vercel env pull` and `dotenv-vault pull` fetch variables into an environment file."""
    found = options(call.args, short="tSA", long="environment token scope cwd git-branch")
    words = [word.text for word in found.operands]
    verbs = ["env", "pull"] if call.name in ("vercel", "vc") else ["pull"]
    if words[: len(verbs)] == verbs:
        rest = found.operands[len(verbs) :]
        usual = Value(".env" if call.name == "dotenv-vault" else ".env.local")
        yield Touch(next((word for word in rest if "env" in word.text), usual))


def _direnv(call: ProgramCall) -> Iterator[Effect]:
    """`exec DIR CMD` starts a command; `export` and `dump` print what has been loaded."""
    words = options(call.args, first_operand_ends=True).operands
    verb = words[0].text if words else ""
    if verb in ("export", "dump") or (verb == "exec" and shows_environment(words[2:])):
        place = words[1].text.rstrip("/") if verb == "exec" and len(words) > 1 else "."
        yield from implied(call.here, f"{place}/.envrc", f"{place}/.env")


def _mise(call: ProgramCall) -> Iterator[Effect]:
    """Its settings name environment files."""
    words = options(call.args, first_operand_ends=True).operands
    verb = words[0].text if words else ""
    rest = words[2:] if words[1:2] == (Value("--"),) else words[1:]
    if verb == "env" or (verb in ("exec", "x") and shows_environment(rest)):
        yield from perhaps(listed_in(("mise.toml", ".mise.toml", ".tool-versions"), call.here))


_UNIT = late_regex(r"EnvironmentFile=-?(.+)")


def _systemd_run(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="pMHuE", long="property unit", first_operand_ends=True)
    if shows_environment(found.operands):
        named = (_UNIT.match(value.text) for value in found.values("p", "property"))
        yield from read(Value(match.group(1)) for match in named if match)


_PIP = "requirement constraint index-url extra-index-url python target prefix env-file"


def _packages(call: ProgramCall) -> Iterator[Effect]:
    """A line of a requirements file that is none is printed; `uv run` loads as others do."""
    found = options(call.args, short="rc", long=_PIP)
    verb = found.operands[0].text if found.operands else ""
    if verb in ("install", "pip", "download", "wheel", "add", "lock", "compile", "sync"):
        yield from read(found.values("r", "requirement", "c", "constraint"))
    if call.name == "uv":
        yield from loads(Loader("env-file", ("run",), usual=(), short="pn", long="with python"))(
            call
        )


_RUN = Loader("e env", ("run",), short="fp", long="procfile port")

LOADERS: Mapping[str, Program] = {
    **dict.fromkeys(("dotenv", "dotenvx", "dotenv-cli"), _dotenv),
    **dict.fromkeys(("vercel", "vc", "dotenv-vault"), _pulls),
    "env-cmd": loads(Loader("f file e environments")),
    **dict.fromkeys(("foreman", "honcho", "nf", "forego", "hivemind", "overmind"), loads(_RUN)),
    "heroku": loads(Loader("e env", ("local:run",))),
    "pipenv": loads(Loader("", ("run",))),
    "op": lambda call: (
        mentioned(call)
        if not shows_environment(_behind_dashes(call.args))
        else read(options(call.args, long="env-file").values("env-file"))
    ),
    "direnv": _direnv,
    "mise": _mise,
    "systemd-run": _systemd_run,
    **dict.fromkeys(("pip", "uv"), _packages),
}


def _behind_dashes(words: Sequence[Value]) -> Sequence[Value]:
    at = next((n for n, word in enumerate(words) if word.text == "--"), len(words))
    return words[at + 1 :]
