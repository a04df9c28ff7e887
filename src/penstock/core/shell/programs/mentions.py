"""A command for people inside a text that some program may run, or that is run once it is made.

Editors, debuggers, databases, build tools and buses each have their own way to start a command;
what they are given is looked through for a command of ours where a command can begin.
What a shell, an interpreter or a terminal runs is followed properly elsewhere.
Always true: prose (a title, a message, a search) is not looked at, and asking for help is free.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from msgspec.structs import replace

from penstock.core.own_commands import FOR_PEOPLE, ON_RULES, PROGRAMS, command_for_people
from penstock.core.shell.effects import Effect, ProgramCall, Refuse
from penstock.core.shell.expansion import Value
from penstock.core.shell.programs.own import AGENTS, SHOWS, for_people
from penstock.core.text.late_regex import late_regex

MOST_TEXT = 16_384
MOST_FOUND = 32

_OURS = rf"({'|'.join(PROGRAMS)})(?:\.exe)?(?=[\"'`\s,\])])([^\n]{{0,300}})"
_ANYWHERE = late_regex(_OURS)
_BEGINS = late_regex(
    r"(?:^|[\n\"'`!;&|({\[][ \t]{0,8}|=[ \t]{0,8}|:"
    r"|\b(?:exec|eval|sh|shell|system|spawn|str|sudo|RUN|CMD)[ \t]{1,8})"
    rf"(?:[\w.~/-]{{0,200}}/)?{_OURS}"
)
_BETWEEN = late_regex(r"[\s\"'`,()\[\]{}]+")
_GLUE = ("c", "args:", "nil")  # how some languages list the words of a command

# Programs whose words are prose, or names to look for.
_PROSE = (
    SHOWS
    | AGENTS
    | frozenset(
        {
            *(
                "mail",
                "mutt",
                "sendmail",
                "curl",
                "wget",
                "http",
                "xh",
                "glab",
                "hub",
                "tea",
                "jira",
            ),
            *("pytest", "go", "cargo", "ctest", "jest", "vitest", "mocha", "playwright", "xclip"),
            *("xsel", "wl-copy", "pbcopy", "fmt", "fold", "column", "terminal-notifier", "ntfy"),
        }
    )
)
_PROSE_OPTIONS = frozenset(
    {
        *("-m", "--message", "-t", "--title", "-b", "--body", "--subject", "--description"),
        *("--notes", "--comment", "--text", "--summary", "--grep", "--name", "-k"),
    }
)
# Programs with a row of their own that run texts as well, in ways that the row does not follow.
_ALSO_RUN = frozenset(
    {
        *("vim", "vi", "nvim", "ex", "ed", "emacs", "tar", "rsync", "scp", "sftp", "ssh", "zip"),
        *("sqlite3", "npx", "bunx", "npm", "pnpm", "yarn", "bun", "deno", "pwsh", "powershell"),
        *("powershell.exe", "cmd.exe", "sort", "split", "systemd-run", "launchctl", "osascript"),
        *("screen", "docker", "podman", "parallel", "entr", "Rscript", "xdotool", "lua"),
    }
)
_GIT_PROSE = frozenset(
    {"commit", "log", "grep", "show", "tag", "notes", "diff", "blame", "shortlog"}
)
# Programs that run what comes in by their input.
_FED = frozenset(
    {
        *("make", "gmake", "just", "psql", "mysql", "mariadb", "sqlite3", "ftp", "sftp", "lftp"),
        *("ed", "ex", "vi", "vim", "tclsh", "wish", "m4", "dc", "gdb", "lldb", "jshell", "irb"),
        *("ipython", "tmux", "screen", "dtach", "parallel", "docker", "podman", "pwsh", "telnet"),
        *("powershell", "cmd.exe", "fcrontab", "asyncio", "code", "uv", "empty"),
    }
)
# Files that a program reads its commands from without being told their names.
FILES_OF: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("make", "gmake"), ("Makefile", "makefile", "GNUmakefile")),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), ("package.json",)),
    **dict.fromkeys(("docker", "podman"), ("Dockerfile", "compose.yaml", "docker-compose.yml")),
    "just": ("justfile", "Justfile", ".justfile"),
    "ninja": ("build.ninja",),
    "task": ("Taskfile.yml", "Taskfile.yaml"),
}


def mentions(call: ProgramCall, *, tabled: bool) -> Iterator[Effect]:
    """Return the commands for people in the words and the input of a program that may run them."""
    looks = call.name in _ALSO_RUN if tabled else call.name not in _PROSE
    if call.name == "git":
        looks = not any(word.text in _GIT_PROSE for word in call.args[:3])
    if looks:
        yield from _in_words(call.args)
    elif call.name in _PAGERS:
        yield from _in_words([*_behind(call.args, "-P"), *_starting(call.args, _PAGES)])
    if call.name in _FED:
        yield from commands_in(call.feed.text or call.feed.parts)


# What pagers run: `less +!CMD`, `man -P CMD`, `git grep -OCMD`.
_PAGERS = frozenset({"less", "more", "man", "git"})
_PAGES = ("+!", "-P", "--pager=", "-O", "--open-files-in-pager=")


def _behind(words: Sequence[Value], option: str) -> Sequence[Value]:
    return [words[at + 1] for at, word in enumerate(words[:-1]) if word.text == option]


def _starting(words: Sequence[Value], marks: tuple[str, ...]) -> Iterator[Value]:
    """Return what stands behind the mark that a word starts with."""
    for word in words:
        mark = next((mark for mark in marks if word.text.startswith(mark)), "")
        if mark:
            yield replace(word, text=word.text.removeprefix(mark))


def _in_words(words: Sequence[Value]) -> Iterator[Effect]:
    for at, word in enumerate(words):
        before = words[at - 1].text if at else ""
        if before not in _PROSE_OPTIONS and word.text.partition("=")[0] not in _PROSE_OPTIONS:
            yield from commands_in(word.text)


def commands_in(text: str, *, anywhere: bool = False) -> Iterator[Refuse]:
    """Return the commands for people in a text, where a command can begin or `anywhere`."""
    pattern = _ANYWHERE if anywhere else _BEGINS
    text = text.lower() if anywhere else text
    if not any(program in text for program in PROGRAMS):
        return
    for found in islice(pattern.finditer(text[:MOST_TEXT]), MOST_FOUND):
        program, rest = found.groups()
        words = [word for word in _BETWEEN.split(rest) if word and word not in _GLUE]
        command = command_for_people(program, words)
        if command in FOR_PEOPLE and not (command in ON_RULES and "--dry-run" in words):
            yield Refuse(for_people(command))
