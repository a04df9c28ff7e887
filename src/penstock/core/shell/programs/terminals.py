"""Programs that start a command in another terminal, at another time or on another machine.

Terminal multiplexers and emulators, typing by program, schedules, remote shells, containers.
Always true: a command behind them is followed like any other; of one that runs on another
machine what it reads is told and what Penstock itself has against it, of one in a container only
the latter (`reads` knows what a container sees of ours).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from penstock.core.shell.effects import (
    Code,
    Effect,
    Options,
    Program,
    ProgramCall,
    RunFile,
    RunProgram,
    Shell,
    Touch,
    Typed,
    Unclear,
    options,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.syntax.words import unescape
from penstock.core.text.late_regex import late_regex

Words = Sequence[Value]
TmuxRow = Callable[[Options, ProgramCall], Iterator[Effect]]


def _command(words: Words) -> Iterator[Effect]:
    """One word is a text for a shell, several are a program with its words."""
    if len(words) == 1:
        yield Shell(words[0])
    elif words:
        yield RunProgram(tuple(words))


def _text(words: Words, glue: str = " ") -> Value:
    return Value(glue.join(word.text for word in words), exact=all(word.exact for word in words))


# tmux

_TMUX_ALIASES = {
    **{
        "new": "new-session",
        "neww": "new-window",
        "splitw": "split-window",
        "popup": "display-popup",
    },
    **{"respawnp": "respawn-pane", "respawnw": "respawn-window", "send": "send-keys"},
    **{"run": "run-shell", "if": "if-shell", "pipep": "pipe-pane", "bind": "bind-key"},
    **{"set": "set-option", "setw": "set-option", "set-window-option": "set-option"},
    **{"setb": "set-buffer", "confirm": "confirm-before", "source": "source-file"},
    **{"menu": "display-menu", "loadb": "load-buffer"},
}
# Subcommands that start something, with those of their options that take a value.
_TMUX_RUNS = {
    "new-session": "AcefFnstxy",
    "new-window": "ceFnt",
    "split-window": "ceFlpt",
    "respawn-pane": "cet",
    "respawn-window": "cet",
    "display-popup": "bcdehsStTwxy",
    "run-shell": "cdt",
    "pipe-pane": "t",
    "if-shell": "t",
    "send-keys": "cNt",
    "set-buffer": "bnt",
    "set-option": "t",
    "set-hook": "t",
    "bind-key": "NT",
    "confirm-before": "cpt",
    "choose-tree": "FfKOt",
    "command-prompt": "IpTt",
    "source-file": "t",
    "load-buffer": "bt",
    "display-menu": "bcCHsStTxy",
}
_TMUX_COMMAND_OPTIONS = (
    "default-command",
    "default-shell",
    "lock-command",
    "copy-command",
    "editor",
)
_TMUX_FORMAT = late_regex(r"#\(([^()]{1,2000})\)")


def _tmux(call: ProgramCall) -> Iterator[Effect]:
    """Read tmux's own options, then each of its commands; a lone `;` stands between two."""
    found = options(call.args, short="cfLST", first_operand_ends=True)
    yield from (Shell(text) for text in found.values("c"))
    now: list[Value] = []
    for word in (*found.operands, Value(";")):
        if word.text == ";" or word.text.endswith(";"):
            rest = replace(word, text=word.text[:-1])
            yield from _tmux_command([*now, rest] if rest.text else now, call)
            now = []
        else:
            now.append(word)


def _tmux_command(words: Words, call: ProgramCall) -> Iterator[Effect]:
    if not words:
        return
    for word in words:
        yield from (Shell(Value(text)) for text in _TMUX_FORMAT.findall(word.text))
    name = _tmux_name(words[0].text)
    short = _TMUX_RUNS.get(name)
    if short is None:
        return
    found = options(words[1:], short=short, first_operand_ends=True)
    row = _TMUX_ROWS.get(name)
    yield from row(found, call) if row else _command(found.operands)


def _tmux_typed(found: Options, call: ProgramCall) -> Iterator[Effect]:  # noqa: ARG001 - a row
    yield Typed(_keys(found.operands, literal=found.has("l"), hexadecimal=found.has("H")))


def _tmux_buffer(found: Options, call: ProgramCall) -> Iterator[Effect]:
    """What is put into a buffer is there to be pasted."""
    yield Typed(_fed(call) if found.operands[:1] == (Value("-"),) else _text(found.operands))
    yield from (RunFile("sh", path, (path,)) for path in found.operands)


def _tmux_file(found: Options, call: ProgramCall) -> Iterator[Effect]:  # noqa: ARG001 - a row
    yield from (RunFile("tmux", path, (path,)) for path in found.operands)


def _tmux_option(found: Options, call: ProgramCall) -> Iterator[Effect]:  # noqa: ARG001 - a row
    if found.operands[:1] and found.operands[0].text in _TMUX_COMMAND_OPTIONS:
        yield from (Shell(text) for text in found.operands[1:])


def _tmux_menu(found: Options, call: ProgramCall) -> Iterator[Effect]:  # noqa: ARG001 - a row
    yield from (_again(word) for word in found.operands[2::3])


def _tmux_if(found: Options, call: ProgramCall) -> Iterator[Effect]:  # noqa: ARG001 - a row
    yield from (Shell(word) for word in found.operands[:1])
    yield from (_again(word) for word in found.operands[1:])


def _tmux_run(found: Options, call: ProgramCall) -> Iterator[Effect]:  # noqa: ARG001 - a row
    again = found.has("C")
    yield from (_again(word) for word in found.operands) if again else _command(found.operands)


def _tmux_pipe(found: Options, call: ProgramCall) -> Iterator[Effect]:  # noqa: ARG001 - a row
    """With `-I`, what the command prints is typed into the pane."""
    text = _text(found.operands)
    yield from _command(found.operands)
    if found.has("I"):
        yield Shell(replace(text, text=f"{text.text} | sh"))


def _tmux_later(skip: int) -> TmuxRow:
    """Behind `skip` words stands a command of tmux again, as one text or as words."""

    def row(found: Options, call: ProgramCall) -> Iterator[Effect]:  # noqa: ARG001 - a row
        words = found.operands[skip:]
        if len(words) == 1:
            yield _again(words[0])
        elif words:
            yield RunProgram((Value("tmux"), *words))

    return row


def _again(word: Value) -> Effect:
    return Shell(_text((Value("tmux"), word)))


def _fed(call: ProgramCall) -> Value:
    return Value(call.feed.text or "", exact=call.feed.exact)


_TMUX_ROWS: Mapping[str, TmuxRow] = {
    "send-keys": _tmux_typed,
    "set-buffer": _tmux_buffer,
    "load-buffer": _tmux_buffer,
    "source-file": _tmux_file,
    "set-option": _tmux_option,
    "display-menu": _tmux_menu,
    "if-shell": _tmux_if,
    "run-shell": _tmux_run,
    "pipe-pane": _tmux_pipe,
    "set-hook": _tmux_later(1),
    "bind-key": _tmux_later(1),
    "confirm-before": _tmux_later(0),
    "choose-tree": _tmux_later(0),
    "command-prompt": _tmux_later(0),
}


def _tmux_name(given: str) -> str:
    """Return a subcommand by its name, its alias or the beginning of its name."""
    if given in _TMUX_RUNS or given in _TMUX_ALIASES:
        return _TMUX_ALIASES.get(given, given)
    return next((name for name in _TMUX_RUNS if len(given) > 2 and name.startswith(given)), "")


_KEYS = {
    **dict.fromkeys(
        ("Enter", "KPEnter", "C-m", "C-j", "C-M", "C-J", "^M", "Return", "KP_Enter"), "\n"
    ),
    **dict.fromkeys(("Space", "space"), " "),
    "Tab": "\t",
}
_OTHER_KEY = late_regex(
    r"[CMS^]-?.|(?:[CMS]-)+\S+|F[0-9]{1,2}|Up|Down|Left|Right|Escape|BSpace|DC|IC|End|Home"
    r"|NPage|PPage|PageUp|PageDown|BTab"
)


def _keys(words: Words, *, literal: bool = False, hexadecimal: bool = False) -> Value:
    """Return the text that keys type; names of keys that type nothing are left out."""
    exact = all(word.exact for word in words)
    if literal:
        return Value("".join(word.text for word in words), exact=exact)
    if hexadecimal:
        codes = [word.text for word in words if re.fullmatch(r"[0-9A-Fa-f]{1,2}", word.text)]
        return Value("".join(chr(int(code, 16)) for code in codes).replace("\r", "\n"), exact=exact)
    typed = [
        _KEYS.get(word.text, "" if _OTHER_KEY.fullmatch(word.text) else word.text) for word in words
    ]
    return Value("".join(typed).replace("\r", "\n"), exact=exact)


# screen, and typing by program


def _screen(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="ceEhprsStT", first_operand_ends=True)
    if found.has("X"):
        yield from _screen_command(found.operands)
    elif found.operands:
        yield RunProgram(found.operands)


def _screen_command(words: Words) -> Iterator[Effect]:
    verb, rest = (words[0].text, words[1:]) if words else ("", ())
    if verb in ("stuff", "register", "process", "paste"):
        texts = rest[1:] if verb == "register" else rest
        yield Typed(_control(_text(texts)))
    elif verb in ("exec", "screen", "backtick"):
        yield RunProgram(
            tuple(word for word in rest if not re.fullmatch(r"[.!:|]{1,3}|-\S+", word.text))
        )
    elif verb == "eval":
        yield from (Shell(_text((Value("screen -X"), word))) for word in rest)
    elif verb in ("at", "bind", "bindkey"):
        yield from _screen_command(rest[1:])


def _control(value: Value) -> Value:
    """Read escapes and `^M` as the keys that they are."""
    text = unescape(value.text.replace("^M", "\n").replace("^J", "\n"))
    return replace(value, text=text.replace("\r", "\n"))


def _typist(call: ProgramCall) -> Iterator[Effect]:
    """`xdotool type TEXT key Return`, and others that type."""
    found = options(call.args, short="dw", long="delay window args terminator key-delay file")
    verbs = ("type", "key", "-")
    if found.operands[:1] == (Value("exec"),):
        yield RunProgram(found.operands[1:])
    elif call.name != "xdotool" or (found.operands[:1] and found.operands[0].text in verbs):
        yield Typed(_keys([word for word in found.operands if word.text not in verbs]))
        if call.feed.text is not None:
            yield Typed(Value(call.feed.text.removeprefix("type "), exact=call.feed.exact))


def _expect(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="cfD", first_operand_ends=True)
    yield from (Code("expect", text) for text in found.values("c"))
    yield from (
        RunFile("expect", path, (path,)) for path in (*found.values("f"), *found.operands[:1])
    )
    if call.feed.text is not None or call.feed.parts:
        text = call.feed.text if call.feed.text is not None else call.feed.parts
        yield Code("expect", Value(text, exact=call.feed.exact))


_EXPECT_RUNS = late_regex(r"(?:^|[\s;{\[])(?:spawn|exec|system|overlay)\s+([^\n;\]}]{1,2000})")
_EXPECT_TYPES = late_regex(r"(?:^|[\s;{])(?:send|exp_send)\s+(?:--\s+)?\"?([^\n\"]{1,2000})")


def expect_commands(text: str) -> Iterator[Effect]:
    """Return what an expect script starts and types."""
    yield from (Shell(Value(found)) for found in _EXPECT_RUNS.findall(text)[:64])
    typed = "".join(_control(Value(found)).text for found in _EXPECT_TYPES.findall(text)[:64])
    if typed:
        yield Typed(Value(typed))


# Terminal emulators

_TERMINAL_MARKS = ("-e", "-x", "--execute", "--command", "--", "-c", "/c", "cmd")


def _emulator(call: ProgramCall) -> Iterator[Effect]:
    """What stands behind `-e`, `-x` or `--` runs in the new window."""
    for at, word in enumerate(call.args):
        name, _, text = word.text.partition("=")
        if text and name in _TERMINAL_MARKS:
            yield Shell(replace(word, text=text))
        elif word.text in _TERMINAL_MARKS:
            yield from _command(call.args[at + 1 :])
            return


def _modern(call: ProgramCall) -> Iterator[Effect]:
    """kitty, wezterm, foot, zellij: a command as words, or text sent to a window that is open."""
    words = [
        w for w in call.args if w.text not in ("@", "cli", "start", "spawn", "launch", "action")
    ]
    texts = [word.text for word in words]
    sends = [at for at, text in enumerate(texts) if text in ("send-text", "write-chars")]
    if sends:
        rest = [word for word in words[sends[0] + 1 :] if not word.text.startswith("-")]
        yield Typed(_control(_text(rest)))
        if call.feed.text is not None:
            yield Typed(Value(call.feed.text, exact=call.feed.exact))
        return
    marks = [at for at, text in enumerate(texts) if text in _TERMINAL_MARKS]
    if marks:
        yield from _command(words[marks[0] + 1 :])
        return
    found = options(
        words, short="coTdDmw", long="config override title directory cwd class name type"
    )
    yield from _command(found.operands[1:] if texts[:1] == ["run"] else found.operands)


# Other times


_CRONTAB = Value("/var/spool/cron/crontabs/user")


def _crontab(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="u")
    if not found.has("l"):
        yield Touch(_CRONTAB)
    if found.has("l", "r", "e"):
        return
    if found.operands and found.operands[0].text != "-":
        yield RunFile("cron", found.operands[0], ())
    elif call.feed.text is not None or call.feed.parts:
        known = call.feed.text is not None
        text = call.feed.text if known else call.feed.parts
        yield Code("cron", Value(text or "", exact=known and call.feed.exact))
    else:
        yield Unclear("`crontab` schedules what comes in by its input")


_CRON_LINE = late_regex(r"[ \t]*(?:@\w+|(?:[^\s#=]+[ \t]+){4}[^\s=]+)[ \t]+(.+)")


def cron_commands(text: str) -> str:
    """Return the commands of a crontab, a line each."""
    found = [_CRON_LINE.match(line) for line in text.split("\n")[:256]]
    return "\n".join(match.group(1) for match in found if match)


# Other machines

_LOCAL = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0", "ip6-localhost", "0", "127.1"})  # noqa: S104


# Settings of ssh that are commands of this machine.
_SSH_RUNS = frozenset({"proxycommand", "localcommand", "knownhostscommand"})


def _ssh(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="BbcDEeFIiJLlmOopQRSWw", first_operand_ends=True)
    for setting in found.values("o"):
        key, _, command = setting.text.partition("=")
        if key.strip().lower() in _SSH_RUNS:
            yield Shell(replace(setting, text=command))
    if not found.operands:
        return
    host = found.operands[0].text.removeprefix("ssh://").rpartition("@")[2].partition(":")[0]
    words = found.operands[1:]
    words = words[1:] if words[:1] == (Value("--"),) else words
    if host in _LOCAL:
        if words:
            yield Shell(_text(words))
        elif call.feed.text is not None:
            yield Code("sh", Value(call.feed.text, exact=call.feed.exact))
        return
    yield RunProgram((Value("sh"), Value("-c"), _text(words)), elsewhere=True, mounts=())
    if call.feed.text is not None:
        text = Value(call.feed.text)
        yield RunProgram((Value("sh"), Value("-c"), text), elsewhere=True, mounts=())


_CONTAINER_RUNS = frozenset({"exec", "run", "shell", "enter", "ssh", "unshare"})
_ENTRY = ("--entrypoint", "--command")


def _container(call: ProgramCall) -> Iterator[Effect]:
    """`docker exec NAME CMD` and its kin: each word may be where the command begins."""
    texts = [word.text for word in call.args]
    verbs = [at for at, text in enumerate(texts) if text in _CONTAINER_RUNS]
    if not verbs and call.name not in _ENTERS:
        return
    words = call.args[verbs[0] + 1 :] if verbs else call.args
    starts = [at for at, word in enumerate(words) if not word.text.startswith("-")]
    entries = [word.text.partition("=") for word in words]
    entry = next((text for name, _, text in entries if name in _ENTRY and text), "")
    for at in starts[:8]:
        yield RunProgram(tuple(words[at:]), elsewhere=True)
        if entry:
            yield RunProgram((Value(entry), *words[at + 1 :]), elsewhere=True)
        elif at and words[at - 1].text in _ENTRY:
            entry = words[at].text
    for at, word in enumerate(words[:-1]):
        if word.text in ("-c", "-C", "--command"):
            yield RunProgram((Value("sh"), Value("-c"), words[at + 1]), elsewhere=True)


_HOSTED = ("heroku", "railway", "fly", "flyctl")  # `heroku run CMD`, `fly ssh console -C CMD`
_ENTERS = frozenset(
    {"distrobox", "toolbox", "flatpak-spawn", "systemd-nspawn", "bwrap", "proot", "wsl"}
)

TERMINALS: Mapping[str, Program] = {
    **dict.fromkeys(("tmux", "byobu", "tmate"), _tmux),
    "screen": _screen,
    **dict.fromkeys(("xdotool", "ydotool", "wtype", "dotool"), _typist),
    "expect": _expect,
    **dict.fromkeys(
        (
            *("xterm", "uxterm", "urxvt", "rxvt", "st", "x-terminal-emulator", "konsole", "tilix"),
            *("gnome-terminal", "mate-terminal", "xfce4-terminal", "lxterminal", "terminator"),
            *(
                "alacritty",
                "ghostty",
                "ptyxis",
                "kgx",
                "terminology",
                "qterminal",
                "eterm",
                "guake",
            ),
        ),
        _emulator,
    ),
    **dict.fromkeys(("kitty", "kitten", "wezterm", "foot", "footclient", "zellij"), _modern),
    **dict.fromkeys(("crontab", "fcrontab"), _crontab),
    **dict.fromkeys(("ssh", "mosh", "autossh"), _ssh),
    **dict.fromkeys(
        (
            *("docker", "podman", "nerdctl", "kubectl", "oc", "lxc", "incus", "machinectl"),
            *(
                "docker-compose",
                "podman-compose",
                "vagrant",
                "flatpak",
                "crictl",
                *_HOSTED,
                *_ENTERS,
            ),
        ),
        _container,
    ),
}
