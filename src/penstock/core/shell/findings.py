"""Collect what a shell command would do: targets, what is unclear, its simple commands.

Always true: the collection is bounded, and saying "unclear" is how it overflows, so a target
that was left out can never pass for a target that is not there.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field

from penstock.core.model import Action, GateRefusal
from penstock.core.shell.effects import Refuse, Touch
from penstock.core.shell.expansion import PIPE, Value
from penstock.core.shell.state import ShellState, is_absolute, joined

MOST_TARGETS = 256
MOST_UNCLEAR = 32
MOST_LEAVES = 256
MOST_ALIASES = 8
MOST_REFUSALS = 16
_SHOWN = 120

NOT_PARSED = "the command does not parse"
TOO_LARGE = "the command is too large to be read closely"

_STREAMS = frozenset(
    {"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/full", "/dev/zero", PIPE, "-"}
)
_DESCRIPTOR = re.compile(r"/(?:dev|proc/(?:self|thread-self|[0-9]+|\$\$))/fd/([0-9]+)")
_TERMINAL = re.compile(r"/dev/(?:pts/[0-9]+|tty[0-9A-Za-z]*|ptmx)")
_PROCESS = re.compile(r"/proc/(?:self|thread-self|[0-9]+|\$\$)/(cwd|root)(?:/|$)")
_ROOTS = frozenset({"", "/", "~", ".."})


@dataclass(frozen=True, kw_only=True, slots=True)
class ShellTarget:
    """One file that a command would change.

    `path` is as it would be named, relative to `base`; `by` is the program or redirection.
    `exact` is false where the path still holds a pattern or an unknown part. `tree` means
    everything below as well. `within` is a directory that must exist for this to happen
    (`cp a b` writes `b/a` only when `b` is a directory); it is relative to `base` too. `whole`
    means that what lies below may no longer be reached.
    """

    path: str
    action: Action
    base: str
    by: str
    exact: bool = True
    tree: bool = False
    within: str = ""
    whole: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ShellRefusal:
    """What Penstock has against a command; `only_at` is relative to `base`."""

    refusal: GateRefusal
    only_at: str = ""
    base: str = ""


@dataclass(slots=True)
class ShellFindings:
    """What has been found so far."""

    targets: dict[ShellTarget, None] = field(default_factory=dict)
    unclear: dict[str, None] = field(default_factory=dict)
    leaves: dict[str, None] = field(default_factory=dict)
    aliases: list[tuple[str, Value, ShellState]] = field(default_factory=list)
    refusals: dict[ShellRefusal, None] = field(default_factory=dict)
    excessive: bool = False
    computes: bool = False

    def doubt(self, why: str, *, runs: bool = False) -> None:
        """Something cannot be told from the text; `runs` says that it is a command."""
        self.computes = self.computes or runs
        if why and len(self.unclear) < MOST_UNCLEAR:
            self.unclear[why] = None

    def overflow(self) -> None:
        """There is more here than is followed."""
        self.excessive = True
        self.unclear.setdefault(TOO_LARGE)

    def leaf(self, text: str) -> None:
        """Remember a simple command."""
        if len(self.leaves) < MOST_LEAVES or text in self.leaves:
            self.leaves[text] = None
        else:
            self.overflow()

    def refuse(self, effect: Refuse, state: ShellState) -> None:
        """Penstock itself has something against the command."""
        file = effect.only_at.text if effect.only_at else ""
        refusal = ShellRefusal(refusal=effect.refusal, only_at=file, base=state.cwd)
        if len(self.refusals) < MOST_REFUSALS or refusal in self.refusals:
            self.refusals[refusal] = None
        else:
            self.overflow()

    def touch(self, effect: Touch, state: ShellState, by: str) -> None:
        """A file would be written or deleted."""
        path = self._file(effect.value.text)
        if not path:
            return
        self._doubt_value(effect, path, state, by)
        self._add(
            ShellTarget(
                path=path,
                action=effect.action,
                base=state.cwd,
                by=by,
                exact=effect.value.exact and not effect.value.pattern,
                tree=effect.tree,
                within=effect.within.text if effect.within else "",
                whole=effect.whole,
            )
        )
        if self.aliases:
            self._through_aliases(effect, path, state, by)

    def _file(self, text: str) -> str:
        """Return the file that a name stands for; nothing for streams and terminals."""
        if text in _STREAMS or text.startswith(("/dev/tcp/", "/dev/udp/")):
            return ""
        if not text.startswith(("/dev/", "/proc/")):
            return text
        if _TERMINAL.fullmatch(text):
            return ""
        descriptor = _DESCRIPTOR.fullmatch(text)
        if descriptor or text == "/dev/stdin":
            # Opened again by this name, a file that was opened to be read can be written.
            if not descriptor or descriptor.group(1) not in ("1", "2"):
                self.doubt(f"`{text}` is whatever file was opened before")
            return ""
        process = _PROCESS.match(text)
        if process:
            rest = text[process.end() :]
            return f"./{rest}" if process.group(1) == "cwd" else f"/{rest}"
        return text

    def _doubt_value(self, effect: Touch, path: str, state: ShellState, by: str) -> None:
        value = effect.value
        name = shown(path)
        if not value.exact:
            self.doubt(f"`{by}` changes `{name}`, which is only known when it runs")
        elif value.pattern:
            self.doubt(f"`{by}` changes the files that `{name}` matches")
        if not state.sure and not is_absolute(path):
            self.doubt("the directory is only known when it runs")
        if effect.tree and self._is_root(path, state):
            self.doubt(f"`{by}` changes everything below `{name}`")

    def _is_root(self, path: str, state: ShellState) -> bool:
        there = joined(state.cwd, path)
        return there in _ROOTS or there == state.cwd or state.cwd.startswith(there + "/")

    def _add(self, target: ShellTarget) -> None:
        if len(self.targets) < MOST_TARGETS or target in self.targets:
            self.targets[target] = None
        else:
            self.overflow()

    # A name that the same command makes for another file

    def alias(self, link: Value, target: Value, state: ShellState) -> None:
        """Remember that a name leads to another file from now on."""
        alias = (joined(state.cwd, link.text), target, state)
        if alias in self.aliases:
            return
        if len(self.aliases) < MOST_ALIASES:
            self.aliases.append(alias)
        else:
            self.doubt("the command makes too many links to follow")

    def _through_aliases(self, effect: Touch, path: str, state: ShellState, by: str) -> None:
        there = joined(state.cwd, path)
        for link, target, where in self.aliases:
            if there == link or there.startswith(link + "/"):
                rest = there[len(link) :].lstrip("/")
                # A relative link is relative to the directory that holds it.
                start = "" if is_absolute(target.text) else posixpath.dirname(link)
                real = posixpath.join(start, target.text, rest).rstrip("/")
                self._add(
                    ShellTarget(
                        path=real,
                        action=effect.action,
                        base="" if start else where.cwd,
                        by=by,
                        exact=target.exact,
                        tree=effect.tree,
                    )
                )


def shown(text: str) -> str:
    """Return a text cut to what a person reads."""
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
