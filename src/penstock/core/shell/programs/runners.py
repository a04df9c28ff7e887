"""Programs that run other programs: sudo, env, timeout, xargs, find, shells, interpreters.

A row says how to find the inner command; what that command does is asked again.
Always true: an inner command that comes from a pipe, a variable or a file list is either
read (when the text tells it) or called unclear. Commands for other machines (ssh, docker)
are not ours to judge and are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from penstock.core.shell.effects import (
    Code,
    Effect,
    Later,
    Options,
    Program,
    ProgramCall,
    RunFile,
    RunProgram,
    RunRole,
    Shell,
    Touch,
    Unclear,
    last,
    options,
    removing_all,
    written,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.programs.find import fd, find
from penstock.core.shell.programs.interpreters import (
    INTERPRETERS,
    SHELLS,
    module_of,
    shell_options,
    start,
)
from penstock.core.shell.programs.own import carried, module
from penstock.core.shell.programs.reads.name_list import fed, listed_in
from penstock.core.text.late_regex import late_regex

MOST_ARGUMENTS = 512
UNKNOWN_INPUT = Value("{its input}", exact=False)

_ASSIGNMENT = late_regex(r"[A-Za-z_][A-Za-z0-9_]*(?:%%)?=")


# Wrappers


def wrapper(
    short: str = "", long: str = "", *, skip: int = 0, directory: str = "", files: str = ""
) -> Program:
    """Own options, `skip` operands, then a command.

    `directory` names the options that change directory, `files` those that name an output.
    """

    def program(call: ProgramCall) -> Iterator[Effect]:
        found = options(call.args, short=short, long=long, first_operand_ends=True)
        yield from written(found.values(*files.split()))
        words = found.operands[skip:]
        env = tuple(_assignments(words))
        rest = words[len(env) :]
        if rest:
            yield RunProgram(rest, last(found.values(*directory.split())), env)

    return program


def _assignments(words: Sequence[Value]) -> Iterator[Value]:
    for word in words:
        if not _ASSIGNMENT.match(word.text):
            return
        yield word


def _env(call: ProgramCall) -> Iterator[Effect]:
    """`env -S` splits a text into the command; everything else is a plain wrapper."""
    found = options(
        call.args, short="uCS", long="unset chdir split-string", first_operand_ends=True
    )
    for text in found.values("S", "split-string"):
        words = [text.text, *(word.text for word in found.operands)]
        yield Shell(Value(" ".join(words), exact=text.exact))
    if not found.values("S", "split-string"):
        yield from _ENV(call)


_ENV = wrapper("uC", "unset chdir", directory="C chdir")


def _nice(call: ProgramCall) -> Iterator[Effect]:
    words = [word for word in call.args if not re.fullmatch(r"-[0-9]+", word.text)]
    yield from wrapper("n", "adjustment")(ProgramCall(call.name, tuple(words), call.feed))


def _flock(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="wEc", long="timeout wait command", first_operand_ends=True)
    yield from written(word for word in found.operands[:1] if not word.text.isdigit())
    rest = found.operands[1:]
    if len(rest) > 1 and rest[0].text in ("-c", "--command"):
        yield Shell(rest[1])
    elif rest:
        yield RunProgram(rest)


def _joined(short: str = "", long: str = "") -> Program:
    """The operands are joined and run by a shell, as `watch` and `eval` do."""

    def program(call: ProgramCall) -> Iterator[Effect]:
        found = options(call.args, short=short, long=long, first_operand_ends=True)
        if found.operands:
            yield Shell(_sentence(found.operands))

    return program


def _sentence(words: Sequence[Value]) -> Value:
    return Value(" ".join(word.text for word in words), exact=all(w.exact for w in words))


def _eval(call: ProgramCall) -> Iterator[Effect]:
    if call.args:
        yield Shell(_sentence(call.args), here=True)


# Signals that end a command: what they run happens at its end.
_ENDING = frozenset({"EXIT", "0", "INT", "TERM", "HUP", "QUIT", "PIPE", "ABRT", "1", "2", "15"})


def _trap(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args)
    if len(found.operands) > 1 and found.operands[0].text not in ("", "-"):
        signals = {word.text.upper().removeprefix("SIG") for word in found.operands[1:]}
        if not signals <= _ENDING:  # otherwise it runs at the end, with the values of then
            yield Shell(found.operands[0])
        yield Later(found.operands[0], often=not signals <= _ENDING)


def _mapfile(call: ProgramCall) -> Iterator[Effect]:
    """`-C` names a command that is run for lines that are read."""
    for text in options(call.args, short="dnOsuCc").values("C"):
        yield Shell(replace(text, text=f"{text.text} 0 line"))


def _fc(call: ProgramCall) -> Iterator[Effect]:
    if call.args[:1] != (Value("-l"),):
        yield Unclear("`fc` runs a command of the history again", runs=True)


def _enable(call: ProgramCall) -> Iterator[Effect]:
    if options(call.args, short="f").has("f"):
        yield Unclear("`enable -f` loads code into the shell", runs=True)


def _alias(call: ProgramCall) -> Iterator[Effect]:
    for word in options(call.args).operands:
        _, equals, text = word.text.partition("=")
        if equals:
            yield Shell(replace(word, text=text))


def _pager(call: ProgramCall) -> Iterator[Effect]:
    """`man -P CMD`: what shows the page."""
    found = options(call.args, short="PCmMSsHL", long="pager html preprocessor")
    yield from (Shell(text) for text in found.values("P", "pager", "H", "html"))


def _script(call: ProgramCall) -> Iterator[Effect]:
    """`script` records a session into a file, by default `typescript`."""
    found = options(call.args, short="cEmOIBTo", long="command log-out log-in log-io log-timing")
    yield from written(found.operands[:1] or (Value("typescript"),))
    yield from (Shell(text) for text in found.values("c", "command"))
    for rest in (found.operands, found.operands[1:]):  # a file may stand before the command
        if rest:
            yield RunProgram(rest)
    if call.feed.piped and not found.values("c", "command"):
        yield from _from_input(call, "sh")  # what the shell in there reads


def _chroot(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, long="userspec groups", first_operand_ends=True)
    if call.args:
        yield Unclear("`chroot` runs a command in another root directory")
    if found.operands[1:]:
        yield RunProgram(found.operands[1:], elsewhere=True)


def _sudo(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="ughpCDRTrtU", first_operand_ends=True)
    if found.has("e", "edit"):
        yield from written(found.operands)
    else:
        yield from _SUDO(call)


_SUDO = wrapper("ughpCDRTrtU", "user group host prompt chdir chroot", directory="D chdir")


def _su(call: ProgramCall) -> Iterator[Effect]:
    """`su`, `runuser` and `sg`: a text behind `-c`, or a command behind the user."""
    found = options(call.args, short="cgGsuw", long="command shell user group supp-group")
    texts = found.values("c", "command")
    yield from (Shell(text) for text in texts)
    if call.name == "runuser" and found.has("u", "user"):
        yield from wrapper("ugGs", "user group")(call)
    elif call.name == "sg" and found.operands[:1] and found.operands[0].text in _AST_GREP:
        return  # another program of that name, which rewrites sources
    elif not texts and len(found.operands) > 1:
        yield from _shell(ProgramCall("sh", (*found.operands[1:],), call.feed))
        yield Shell(_sentence(found.operands[1:]))


_AST_GREP = frozenset({"run", "scan", "test", "new", "lsp", "completions"})


def first_word_runs(*verbs: str) -> Program:
    """`uv run CMD`, `bundle exec CMD`: the command stands behind a subcommand."""

    def program(call: ProgramCall) -> Iterator[Effect]:
        found = options(
            call.args,
            short="pne",
            long="python package name env directory",
            first_operand_ends=True,
        )
        words = found.operands
        for verb in verbs:
            known = verb.split()
            if [word.text for word in words[: len(known)]] == known:
                yield from _inner(ProgramCall(call.name, words[len(known) :], call.feed))

    return program


_RELEASE = late_regex(r"(?<=[\w\]])(?:@|[=<>!~]=).{0,64}$")
_INNER_LONG = (
    "python package with with-editable with-requirements name env env-file project spec from"
)


def _inner(call: ProgramCall) -> Iterator[Effect]:
    """Run what stands behind such a subcommand; `-m` names a Python module."""
    found = options(call.args, short="pnem", long=_INNER_LONG, first_operand_ends=True)
    for name in found.values("m", "module"):
        yield from module(name, found.operands)
    if not found.values("m", "module") and found.operands:
        words = found.operands
        if words[0].text == "-":
            yield from _from_input(call, "python")
            return
        # hatch: `env:command`; uvx and pipx: `package@version`
        first = replace(words[0], text=_RELEASE.sub("", words[0].text.rpartition(":")[2]))
        yield from wrapper()(ProgramCall(call.name, (first, *words[1:]), call.feed))


def _behind_dashes(call: ProgramCall) -> Iterator[Effect]:
    """`doppler run -- CMD`: a command in another environment, or one text behind `--command`."""
    texts = [word.text for word in call.args]
    if "--" in texts:
        yield RunProgram(tuple(call.args[texts.index("--") + 1 :]))
    yield from (Shell(text) for text in options(call.args, long="command").values("command"))


def _each_text(call: ProgramCall) -> Iterator[Effect]:
    """`concurrently CMD...`: each operand is a command line."""
    yield from (Shell(word) for word in options(call.args).operands)


# xargs, parallel, find


def _xargs(call: ProgramCall) -> Iterator[Effect]:
    found = options(
        call.args,
        short="aEIi?l?LnPsd",
        long="arg-file eof replace max-lines max-args max-procs max-chars delimiter",
        first_operand_ends=True,
    )
    command = found.operands or (Value("echo"),)
    mark = _mark(found)
    lists = found.values("a", "arg-file")
    text = None if lists else call.feed.text
    if text is not None:
        items = [replace(item, exact=call.feed.exact) for item in _items(text, found)]
    else:
        items = [*_items(None, found), *_named(lists, call)]
    yield from _for_each(command, mark, items)


def _named(lists: Sequence[Value], call: ProgramCall) -> list[Value]:
    """Return files that a list file or the input may name, where the whole is not known."""
    if lists:
        return listed_in([path.text for path in lists], call.here)
    return list(fed(call.feed, call.here))


def _mark(found: Options) -> str:
    named = last(found.values("I", "i", "replace"))
    if named:
        return named.text
    return "{}" if found.has("i", "replace") else ""


def _items(text: str | None, found: Options) -> list[Value]:
    """Return the words that xargs reads; one unknown word when nobody can tell."""
    if text is None:
        return [UNKNOWN_INPUT]
    cut = last(found.values("d", "delimiter"))
    if found.has("0", "null"):
        pieces = text.split("\0")
    elif cut:
        pieces = text.split(cut.text.replace("\\n", "\n").replace("\\0", "\0") or None)
    elif found.has("I", "i", "replace"):
        pieces = [line.strip() for line in text.split("\n")]
    else:
        pieces = re.sub(r"['\"\\]", "", text).split()
    items = [Value(piece) for piece in pieces[: MOST_ARGUMENTS + 1] if piece.strip()]
    return items if len(items) <= MOST_ARGUMENTS else [*items, UNKNOWN_INPUT]


def _for_each(command: Sequence[Value], mark: str, items: list[Value]) -> Iterator[Effect]:
    command = removing_all(command)
    if not mark:
        yield RunProgram((*command, *items))
        return
    for item in items:
        yield RunProgram(tuple(_filled(word, mark, item) for word in command))


def _filled(word: Value, mark: str, item: Value) -> Value:
    if not mark or mark not in word.text:
        return word
    pattern = item.pattern and word.text == mark
    text = word.text.replace(mark, item.text)
    return Value(text, exact=word.exact and item.exact, pattern=pattern)


_PLACE = late_regex(r"\{[0-9]{0,2}[./%#]{0,2}\}")  # `{1}`, `{/.}`
_SEPARATORS = (":::", ":::+", "::::")


def _parallel(call: ProgramCall) -> Iterator[Effect]:
    found = options(
        call.args,
        short="jaNCIS",
        long="jobs arg-file colsep delay timeout joblog results",
        first_operand_ends=True,
    )
    yield from written(found.values("joblog", "results"))
    texts = [word.text for word in found.operands]
    at = next((n for n, text in enumerate(texts) if text in _SEPARATORS), len(texts))
    command = found.operands[:at]
    listed = [w for w in found.operands[at + 1 :] if w.text not in _SEPARATORS]
    known = bool(listed) and "::::" not in texts
    lists = listed if "::::" in texts else found.values("a", "arg-file")
    unknown = [Value("$its_input", exact=False)]
    items = listed[:MOST_ARGUMENTS] if known else [*unknown, *_named(lists, call)]
    command = tuple(replace(word, text=_PLACE.sub("{}", word.text)) for word in command)
    for item in items:
        words = [_filled(word, "{}", item) for word in command]
        plain = not any("{}" in word.text for word in command)
        yield Shell(_sentence([*words, item] if plain else words))


# Shells


def _shell(call: ProgramCall) -> Iterator[Effect]:
    found = shell_options(call.args)
    for file in found.values("rcfile", "init-file"):
        yield RunFile("sh", file)
    if found.has("c", "command"):
        if found.operands:
            yield Shell(found.operands[0], found.operands[1:], started=True)
    elif found.operands and not found.has("s") and not is_input(found.operands[0]):
        yield RunFile("sh", found.operands[0], found.operands)
        return
    if found.has("i"):
        yield from (RunFile("sh", rc, (rc,)) for rc in found.values("rcfile", "init-file"))
    if found.has("c", "command"):
        return
    else:
        skip = 0 if found.has("s") else 1
        yield from _from_input(call, "sh", (Value(call.name), *found.operands[skip:]))


def is_input(path: Value) -> bool:
    """True for a name of the standard input."""
    return path.exact and path.text in _INPUT


_INPUT = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})


def _from_input(
    call: ProgramCall,
    language: str,
    args: tuple[Value, ...] | None = None,
    *,
    here: bool = False,
) -> Iterator[Effect]:
    """What comes in by a pipe or a here-document is the program."""
    args = call.args if args is None else args
    if call.feed.text is not None:
        yield Code(language, Value(call.feed.text, exact=call.feed.exact), args, here=here)
    elif len(call.feed.files) == 1 and not call.feed.piped:
        path = Value(call.feed.files[0])
        yield RunFile(language, path, args or (path,), here=here)
    elif call.feed.piped:
        yield Unclear(f"`{call.name}` runs whatever the pipe sends it", runs=True)
        if call.feed.parts:
            yield Code(language, Value(call.feed.parts, exact=False), args, here=here)
    elif all(word.text in WAITING for word in call.args):
        yield Unclear(f"`{call.name}` runs what comes in by its input")


# With nothing but these an interpreter waits for a program at its terminal, and some agents
# type into a running one without asking anybody.
WAITING = frozenset({"-", "-i", "-l", "-s", "-il", "-li", "--login", "--interactive", "-q"})


def _later(call: ProgramCall) -> Iterator[Effect]:
    """`at` and `batch` run their input, or a file, at another time."""
    found = options(call.args, short="fqt")
    yield from (RunFile("sh", path, (path,)) for path in found.values("f"))
    if not found.has("f", "l", "r", "d", "c"):
        yield from _from_input(ProgramCall(call.name, (), call.feed), "sh")


def _source(call: ProgramCall) -> Iterator[Effect]:
    for path in options(call.args, first_operand_ends=True).operands[:1]:
        if is_input(path):
            yield from _from_input(call, "sh", here=True)
        else:
            yield RunFile("sh", path, call.args, here=True)


def _powershell(call: ProgramCall) -> Iterator[Effect]:
    """A script file is read; what is typed is in a language that is not read here."""
    words = [word for word in call.args if word.text.lower() not in _POWERSHELL_OPTIONS]
    files = [word for word in words if word.text.lower().endswith(".ps1")]
    yield from (
        RunFile("powershell", path, tuple(words[words.index(path) :])) for path in files[:1]
    )
    if not files or call.feed.piped:
        yield Unclear(f"`{call.name}` runs a language that is not read here")
    yield from carried(call.args)


_POWERSHELL_OPTIONS = frozenset(
    {"-file", "-f", "-noprofile", "-nop", "-noninteractive", "-nologo", "-executionpolicy"}
    | {"-ep", "-ex", "bypass", "remotesigned", "unrestricted", "-command", "-c", "&", "."}
)


# Interpreters


def _interpreter(call: ProgramCall) -> Iterator[Effect]:
    """Run a program that an option carries; otherwise a file, or the input."""
    language = INTERPRETERS[call.name].language
    named = module_of(call.args) if language == "python" else None
    if named:
        yield from module(*named)
        path = Value(named[0].text.replace(".", "/"), exact=named[0].exact)
        yield RunFile("python", path, (path, *named[1]), role=RunRole.MODULE)
        return
    found = start(call.name, call.args)
    yield from (Code(language, text, (Value("-c"), *found.rest)) for text in found.texts)
    if found.texts:
        return
    if found.script and found.script[0].text not in ("-", "/dev/stdin"):
        yield RunFile(language, found.script[0], (*found.script, *found.rest))
    else:
        yield from _from_input(call, language)


def _edits_in_place(call: ProgramCall) -> Iterator[Effect]:
    """Perl and ruby: `-i` rewrites the operands, `-e` is a program."""
    language = INTERPRETERS[call.name].language
    found = start(call.name, call.args)
    words = (*found.script, *found.rest)
    if found.given.has("i"):  # with `-p` each line is printed again, with `-n` those that it says
        keeps = found.given.has("p") and not found.given.has("n", "0")
        yield from (Touch(file, keeps=keeps) for file in found.rest)
    yield from (Code(language, text, words) for text in found.texts)
    if found.script and found.script[0].text != "-":
        yield RunFile(language, found.script[0], words)
    elif not found.texts:
        yield from _from_input(call, language)


def _deno(call: ProgramCall) -> Iterator[Effect]:
    verb, *rest = call.args or (Value(""),)
    found = options(rest, short="c", long="config import-map lock env-file")
    if verb.text == "eval":
        yield from (Code("js", text) for text in found.operands[:1])
    elif verb.text == "run" and found.operands[:1] == (Value("-"),):
        yield from _from_input(call, "js")
    elif verb.text in ("run", "serve", "bench", "compile"):
        yield from (RunFile("js", path, found.operands) for path in found.operands[:1])
    elif verb.text.endswith((".ts", ".js", ".mts", ".tsx")):
        yield RunFile("js", verb, call.args)


def _bun(call: ProgramCall) -> Iterator[Effect]:
    yield from first_word_runs("x")(call)
    yield from _interpreter(call)


_PLAIN_WRAPPERS = (
    *("nohup", "setsid", "builtin", "noglob", "nocorrect", "unbuffer", "fakeroot"),
    *("caffeinate", "torsocks", "proxychains", "proxychains4", "ccache", "catchsegv", "-"),
    *("busybox", "toybox", "xvfb-run", "dbus-run-session", "firejail", "cross-env", "env-cmd"),
    *("corepack", "chronic", "dumb-init", "tini", "shx"),
)
# They keep settings or secrets, and start a command with them.
_ENVIRONMENTS = (
    *("dotenv", "dotenvx", "doppler", "op", "infisical", "aws-vault", "chamber", "teller"),
    *("devbox", "fnm", "lerna", "vercel"),
)


def _npx(call: ProgramCall) -> Iterator[Effect]:
    """A package's program with its words, or a text for a shell behind `-c`."""
    found = options(call.args, short="cpw", long="call package workspace", first_operand_ends=True)
    yield from (Shell(text) for text in found.values("c", "call"))
    if not found.values("c", "call") and found.operands:
        first = found.operands[0]
        name = replace(first, text=_RELEASE.sub("", first.text))
        yield from wrapper()(ProgramCall(call.name, (name, *found.operands[1:]), call.feed))


RUNNERS: Mapping[str, Program] = {
    **dict.fromkeys(_PLAIN_WRAPPERS, wrapper()),
    **dict.fromkeys(("npx", "bunx", "pnpx"), _npx),
    **dict.fromkeys(_ENVIRONMENTS, _behind_dashes),
    **dict.fromkeys(("concurrently", "hyperfine"), _each_text),
    **dict.fromkeys(("gosu", "su-exec", "setuidgid", "envchain"), wrapper(skip=1)),
    **dict.fromkeys(("rbenv", "pyenv", "asdf", "nodenv"), first_word_runs("exec")),
    "volta": first_word_runs("run"),
    "direnv": wrapper(skip=2),
    "sudo": _sudo,
    "doas": wrapper("uC"),
    "pkexec": wrapper(long="user"),
    **dict.fromkeys(("su", "runuser", "sg"), _su),
    "env": _env,
    "timeout": wrapper("ks", "kill-after signal", skip=1),
    "gtimeout": wrapper("ks", "kill-after signal", skip=1),
    "nice": _nice,
    "ionice": wrapper("cnpPu", "class classdata"),
    "chrt": wrapper("TPD", skip=1),
    "taskset": wrapper(skip=1),
    "numactl": wrapper("CNmip", "cpunodebind membind"),
    "prlimit": wrapper("p"),
    "time": wrapper("of", "output format", files="o output"),
    "stdbuf": wrapper("ioe", "input output error"),
    "unshare": wrapper("wRSG", "wd root"),
    "nsenter": wrapper("tSGrw", "target"),
    "chroot": _chroot,
    "exec": wrapper("a"),
    "command": lambda call: (
        iter(()) if options(call.args, first_operand_ends=True).has("v", "V") else wrapper()(call)
    ),
    "strace": wrapper("oeapsSuEIOPb", "output trace", files="o output"),
    "ltrace": wrapper("aADeFlnopsuwx", "output", files="o output"),
    "perf": wrapper(skip=1),
    "rlwrap": wrapper("aAbcCdfgHlmOpPqsSTwzZ"),
    "systemd-run": wrapper(
        "pMHuE",
        "unit property setenv description slice uid gid nice service-type on-active on-boot"
        " on-startup on-unit-active on-unit-inactive on-calendar timer-property working-directory",
        directory="working-directory",
    ),
    "flock": _flock,
    "watch": _joined("nq", "interval equexit"),
    **dict.fromkeys(("man", "info"), _pager),
    "entr": wrapper("d"),
    "script": _script,
    "uv": first_word_runs("run", "tool run"),
    "uvx": _inner,
    "pipx": first_word_runs("run"),
    "pixi": first_word_runs("run", "exec"),
    "mise": first_word_runs("exec", "x"),
    "coverage": first_word_runs("run"),
    "nix": wrapper("c", "command", skip=1),
    "poetry": first_word_runs("run"),
    "pipenv": first_word_runs("run"),
    "pdm": first_word_runs("run"),
    "rye": first_word_runs("run"),
    "hatch": first_word_runs("run"),
    "conda": first_word_runs("run"),
    "mamba": first_word_runs("run"),
    "bundle": first_word_runs("exec"),
    "xargs": _xargs,
    "gxargs": _xargs,
    "parallel": _parallel,
    "find": find,
    "gfind": find,
    **dict.fromkeys(("fd", "fdfind"), fd),
    "eval": _eval,
    "trap": _trap,
    "alias": _alias,
    "mapfile": _mapfile,
    "readarray": _mapfile,
    "fc": _fc,
    "enable": _enable,
    "source": _source,
    ".": _source,
    **dict.fromkeys(SHELLS, _shell),
    "at": _later,
    "batch": _later,
    "pwsh": _powershell,
    "powershell": _powershell,
    "powershell.exe": _powershell,
    "cmd.exe": _powershell,
    **dict.fromkeys(INTERPRETERS, _interpreter),
    "bun": _bun,
    "deno": _deno,
    **dict.fromkeys(("perl", "ruby"), _edits_in_place),
}
