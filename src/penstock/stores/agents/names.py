"""Which agents there are, and how to know one by its variables or by its processes.

One table. A variable counts if the agent sets it for what it runs; one that a person sets to
configure the agent does not. A process counts by the name it runs under or by the script
that its interpreter runs; what merely stands in a path or among the arguments does not: a
user called claude, a directory `claude-projects`, an editor with `codex.md` open.
Always true: the same variables and processes give the same answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field

ANY = ""
COMM = 15  # the kernel keeps so many characters of a process's name


class ProcessInfo(Struct, frozen=True, kw_only=True):
    """A process: its name as the kernel keeps it, what it was started as, and its variables.

    `environ` holds only variables of the table below: those of other processes are none of
    our business. `cut` says that more processes stood above than we were willing to look at.
    """

    pid: int
    ppid: int = 0
    name: str = ""
    argv: tuple[str, ...] = ()
    exe: str = ""
    environ: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False


class Agent(Struct, frozen=True, kw_only=True):
    """How one agent is known.

    `marks`: each is a set of variables that must all be there, with a value or with any.
    `prefix`: every variable that begins so counts, except where `settings` has the next word.
    `programs`: names of processes and scripts; `packages`: directories of its installation.
    """

    name: str
    marks: Sequence[Mapping[str, str]] = ()
    prefix: str = ""
    settings: frozenset[str] = frozenset()
    programs: frozenset[str] = frozenset()
    packages: frozenset[str] = frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _each(text: str) -> tuple[Mapping[str, str], ...]:
    return tuple({word: ANY} for word in text.split())


# What people export for Claude Code in their profile, and what its extension sets in every
# terminal of an editor (SSE_PORT): the word after CLAUDE_CODE_.
CLAUDE_SETTINGS = _words(
    "ACCESSIBILITY ACCOUNT API AUTO AUTOCOMPACT BLOCKING CERT CLIENT DEBUG DISABLE DONT EFFORT"
    " ENABLE EXIT EXTRA FILE FORCE GIT GLOB HIDE HTTP IDE MAX NEW NO OAUTH ORGANIZATION OTEL"
    " OVERRIDE PERFORCE PLUGIN PLUGINS PREFER PROXY RETRY SCROLL SHELL SIMPLE SKIP SLOW SSE"
    " STREAM SUBAGENT SYNTAX TMPDIR USE USER"
)
CODEX_SETTINGS = _words(
    "ACCESS API BIN CONFIG HOME INSTALL MODEL PATH PROFILE QUIET RUST UNSAFE VERSION"
)

AGENTS: Sequence[Agent] = (
    Agent(
        name="Claude Code",
        marks=_each("CLAUDECODE CLAUDE_CODE CLAUDE_PID"),
        prefix="CLAUDE_CODE_",
        settings=CLAUDE_SETTINGS,
        programs=_words("claude claude-code"),
        packages=_words("claude-code"),
    ),
    Agent(
        name="Codex",
        prefix="CODEX_",
        settings=CODEX_SETTINGS,
        programs=_words("codex codex-exec codex-linux-sandbox codex-tui"),
        packages=_words("@openai/codex"),
    ),
    Agent(
        name="Gemini CLI",
        marks=_each("GEMINI_CLI GEMINI_SESSION_ID"),
        programs=_words("gemini"),
        packages=_words("gemini-cli"),
    ),
    Agent(
        name="Cursor",
        # Not CURSOR_TRACE_ID alone: every terminal of the editor has it, a person's too.
        marks=(
            {"CURSOR_AGENT": ANY},
            {"CURSOR_EXTENSION_HOST_ROLE": "agent-exec"},
            {"CURSOR_TRACE_ID": ANY, "PAGER": "head -n 10000 | cat"},
        ),
        programs=_words("cursor-agent"),
        packages=_words("cursor-agent"),
    ),
    Agent(
        name="GitHub Copilot",
        marks=(
            *_each("COPILOT_CLI COPILOT_AGENT COPILOT_AGENT_JOB_ID COPILOT_AGENT_SESSION_ID"),
            # How its commands are run in a terminal of VS Code.
            {"TERM_PROGRAM": "vscode", "GIT_PAGER": "cat"},
        ),
        programs=_words("copilot"),
        packages=_words("@github/copilot"),
    ),
    Agent(
        name="OpenCode",
        marks=_each(
            "OPENCODE OPENCODE_SESSION_ID OPENCODE_CLIENT OPENCODE_BIN_PATH OPENCODE_SERVER"
            " OPENCODE_APP_INFO OPENCODE_MODES"
        ),
        programs=_words("opencode"),
        packages=_words("opencode-ai"),
    ),
    Agent(
        name="Cline",
        marks=_each("CLINE_ACTIVE"),
        programs=_words("cline"),
    ),
    Agent(
        name="Windsurf",
        marks=_each("WINDSURF_CASCADE_TERMINAL"),
    ),
    Agent(
        name="Amp",
        marks=(*_each("AMP_CURRENT_THREAD_ID AMP_THREAD_ID"), {"AGENT": "amp"}),
        programs=_words("amp"),
        packages=_words("@sourcegraph/amp"),
    ),
    Agent(
        name="Qwen Code",
        marks=_each("QWEN_CODE QWEN_SESSION_ID"),
        programs=_words("qwen"),
        packages=_words("qwen-code"),
    ),
    Agent(
        name="Aider",
        programs=_words("aider"),
    ),
    Agent(
        name="Goose",
        marks=(*_each("GOOSE_TERMINAL"), {"AGENT": "goose"}),
        programs=_words("goose goosed"),
    ),
    Agent(
        name="Devin",
        marks=_each("DEVIN DEVIN_SESSION_ID"),
        programs=_words("devin"),
    ),
    Agent(name="Augment", marks=_each("AUGMENT_AGENT"), programs=_words("auggie")),
    Agent(name="Antigravity", marks=_each("ANTIGRAVITY_AGENT")),
    Agent(name="Crush", marks=_each("CRUSH"), programs=_words("crush")),
    Agent(name="Kilo Code", marks=({"KILOCODE_FEATURE": "cli"},), programs=_words("kilocode")),
    Agent(name="Roo Code", marks=_each("ROO_ACTIVE ROO_CLI_RUNTIME")),
    Agent(name="Kiro", programs=_words("kiro-cli qchat")),
    Agent(name="iFlow", marks=_each("IFLOW_CLI"), programs=_words("iflow")),
    Agent(name="Trae", marks=_each("TRAE_AI_SHELL_ID"), programs=_words("trae-cli")),
    Agent(name="Pi", marks=_each("PI_CODING_AGENT")),
    Agent(name="Factory", programs=_words("droid")),
    Agent(name="OpenHands", programs=_words("openhands")),
    # What agents call themselves, and what whoever writes one can set.
    Agent(name="an agent", marks=_each("AI_AGENT PENSTOCK_AGENT")),
)

SCRIPT_ENDINGS = (".js", ".mjs", ".cjs", ".ts", ".py", ".sh")
JAVASCRIPT = _words("node nodejs bun deno tsx")
SHELLS = _words("sh bash dash zsh ksh fish ash busybox")
PYTHON = _words("python pypy")
# Where a package's own program lies below its directory, when it is not in node_modules.
ENTRIES = _words("cli.js cli.mjs index.js index.mjs dist bundle bin build lib")
# Options that are followed by a value, and words before the script (`bun run cli.js`).
TAKES_VALUE = _words(
    "-X -W -r --require --import --loader -C --conditions -o -O --rcfile --init-file"
)
SUBCOMMANDS = _words("run x exec")


def agent_by_variables(environ: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the agent that set some variables, and which of them tells."""
    for agent in AGENTS:
        for mark in agent.marks:
            if all(_has(environ, name, value) for name, value in mark.items()):
                return agent.name, next(iter(mark))
        if agent.prefix:
            for name in sorted(environ):
                if _counts(agent, name) and environ[name]:
                    return agent.name, name
    return None


def interesting(name: str) -> bool:
    """Say whether a variable can tell anything: only those are looked at in other processes."""
    return name in _NAMES or name.startswith(_PREFIXES)


_NAMES = frozenset(name for agent in AGENTS for mark in agent.marks for name in mark)
_PREFIXES = tuple(agent.prefix for agent in AGENTS if agent.prefix)


def _has(environ: Mapping[str, str], name: str, value: str) -> bool:
    found = environ.get(name, "")
    return bool(found) if value == ANY else found == value


def _counts(agent: Agent, name: str) -> bool:
    word = name.removeprefix(agent.prefix).partition("_")[0]
    return name.startswith(agent.prefix) and word not in agent.settings


def agent_by_process(process: ProcessInfo) -> str | None:
    """Return the agent that a process is, by its names and by the script that it runs."""
    names = {name.lower() for name in _names(process)}  # file systems may fold case
    paths = _package_paths(process)
    for agent in AGENTS:
        if names & agent.programs or _cut_name(process.name, agent.programs):
            return agent.name
        if any(_lies_in(path, package) for package in agent.packages for path in paths):
            return agent.name
    return None


def _names(process: ProcessInfo) -> Iterator[str]:
    """Yield what a process is called: by the kernel, by whoever started it, by its file."""
    first = process.argv[0] if process.argv else ""
    yield process.name
    yield _base(first.removeprefix("-"))  # a login shell has a dash before its name
    yield _base(process.exe.removesuffix(" (deleted)"))
    script = _script(process)
    if script:
        yield _base(script)
        for ending in SCRIPT_ENDINGS:
            if script.endswith(ending):
                yield _base(script.removesuffix(ending))


def _cut_name(name: str, programs: Iterable[str]) -> bool:
    return len(name) == COMM and any(program[:COMM] == name for program in programs)


def _base(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".exe")


def _interpreter(process: ProcessInfo) -> str:
    """Return the plain name of the interpreter that a process is, if it is one."""
    for path in (process.argv[0] if process.argv else "", process.exe):
        name = _base(path.removeprefix("-")).rstrip("0123456789.")
        if name in JAVASCRIPT | SHELLS | PYTHON:
            return name
    return ""


def _script(process: ProcessInfo) -> str:
    """Return the script or the module that an interpreter runs, or nothing."""
    interpreter = _interpreter(process)
    if not interpreter:
        return ""
    rest = iter(process.argv[1:])
    for argument in rest:
        if argument in TAKES_VALUE:
            next(rest, "")
        elif interpreter in PYTHON and _short(argument, "m"):
            return next(rest, "").partition(".")[0]
        elif _inline(interpreter, argument):
            return ""  # the program is in the arguments: nothing names it
        elif not argument.startswith("-") and argument not in SUBCOMMANDS:
            return argument
    return ""


def _inline(interpreter: str, argument: str) -> bool:
    if interpreter in JAVASCRIPT:
        return argument in ("--eval", "--print") or any(_short(argument, one) for one in "ep")
    return _short(argument, "c")


def _short(argument: str, letter: str) -> bool:
    """Say whether a bundle of one-letter options has a letter: -c, -lc, -Im."""
    letters = argument[1:]
    return argument.startswith("-") and letters.isalpha() and letter in letters and len(letters) < 6


def _package_paths(process: ProcessInfo) -> Iterable[Sequence[str]]:
    """Return the files that may belong to a package: its own, and the script that node runs."""
    script = _script(process) if _interpreter(process) in JAVASCRIPT else ""
    return tuple(path.split("/") for path in (process.exe, script) if path)


def _lies_in(path: Sequence[str], package: str) -> bool:
    """Say whether a file belongs to an installed package, not just below a like-named place."""
    parts = package.split("/")
    for at in range(len(path) - len(parts)):
        if path[at : at + len(parts)] != parts:
            continue
        before, after = path[at - 1] if at else "", path[at + len(parts)]
        installed = before == "node_modules" or before.startswith("@") or len(parts) > 1
        if installed or after == "versions" or (after in ENTRIES and path[-1].endswith("js")):
            return True
    return False
