"""Collect what a shell command would do: targets, what is unclear, its simple commands.

Always true: the collection is bounded, and saying "unclear" is how it overflows, so a target
that was left out can never pass for a target that is not there.
"""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from penstock.core.model import Action, GateRefusal
from penstock.core.paths.free_places import is_temporary
from penstock.core.shell.effects import Feed, Git, Refuse, Touch
from penstock.core.shell.expansion import PIPE, Value
from penstock.core.shell.git_deed import GitDeed, GitKind
from penstock.core.shell.place import is_absolute, joined
from penstock.core.shell.state import ShellState
from penstock.core.shell.wildcards import fits
from penstock.core.text.late_regex import late_regex

MOST_TARGETS = 900
MOST_READS = 2_048
MOST_UNCLEAR = 32
MOST_LEAVES = 256
MOST_PROGRAMS = 1024
MOST_ALIASES = 8
MOST_REFUSALS = 16
MOST_DEEDS = 64
_SHOWN = 120

NOT_PARSED = "the command does not parse"
TOO_LARGE = "the command is too large to be read closely"

_STREAMS = frozenset(
    {"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/full", "/dev/zero", PIPE, "-"}
)
_DESCRIPTOR = late_regex(r"/(?:dev|proc/(?:self|thread-self|[0-9]+|\$\$))/fd/([0-9]+)")
_TERMINAL = late_regex(r"/dev/(?:pts/[0-9]+|tty[0-9A-Za-z]*|ptmx)")
_PROCESS = late_regex(r"/proc/(?:self|thread-self|[0-9]+|\$\$)/(cwd|root)(?:/|$)")
_VARIABLE = late_regex(r"\$\{?([A-Za-z_]\w{0,63})\b(?:(?<=\w)\})?")
_ROOTS = frozenset({"", "/", "~", ".."})
# Variables that give git other objects or another index.
_GIT_PARTS = (
    *("GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"),
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
)


class ShellTarget(Struct, frozen=True, kw_only=True):
    """One file that a command would change or read.

    `path` is as it would be named, relative to `base`; `by` is the program or redirection.
    `exact` is false where the path still holds a pattern or an unknown part. `tree` means
    everything below as well. `within` is a directory that must exist for this to happen
    (`cp a b` writes `b/a` only when `b` is a directory); it is relative to `base` too. `whole`
    means that what lies below may no longer be reached. `kept` is where a file that goes from
    here is from then on, relative to `base` too. `mention` means that the word may be a file or
    not, and that nobody knows what the program does with it. `leaf` is the simple command that
    does it, "" where a redirection does. `content` is what it holds afterwards where that can be
    computed, and `keeps` tells that its lines are changed only in part.
    """

    path: str
    action: Action
    base: str
    by: str
    exact: bool = True
    tree: bool = False
    within: str = ""
    whole: bool = False
    kept: str = ""
    leaf: str = ""
    mention: bool = False
    content: str | None = None
    keeps: bool = False


class ShellRefusal(Struct, frozen=True, kw_only=True):
    """What Penstock has against a command; `only_at` is relative to `base`."""

    refusal: GateRefusal
    only_at: str = ""
    base: str = ""


class ScriptRun(Struct, frozen=True, kw_only=True):
    """What one text of the project would do when it runs."""

    name: str
    targets: tuple[ShellTarget, ...] = ()
    leaves: tuple[str, ...] = ()
    programs: tuple[tuple[str, str], ...] = ()
    refusals: tuple[ShellRefusal, ...] = ()
    git: tuple[tuple[GitDeed, str, str], ...] = ()


class ShellFindings(Struct):
    """What has been found so far."""

    start: str = ""  # where the command begins: never a place that nobody misses
    targets: dict[ShellTarget, None] = field(default_factory=dict)
    reads: dict[ShellTarget, None] = field(default_factory=dict)
    unclear: dict[str, None] = field(default_factory=dict)
    leaves: dict[str, None] = field(default_factory=dict)
    programs: dict[tuple[str, str], None] = field(default_factory=dict)
    aliases: list[tuple[str, Value, ShellState]] = field(default_factory=list)
    scripts: list[ScriptRun] = field(default_factory=list)
    refusals: dict[ShellRefusal, None] = field(default_factory=dict)
    git: list[tuple[GitDeed, str, str]] = field(default_factory=list)
    excessive: bool = False
    computes: bool = False
    # The simple commands that are being followed, the innermost last; "" is a redirection.
    doing: list[str] = field(default_factory=list)
    doubted: dict[str, None] = field(default_factory=dict)

    @property
    def doer(self) -> str:
        """The simple command that is being followed, "" where none is."""
        return self.doing[-1] if self.doing else ""

    def doubt(self, why: str, *, runs: bool = False) -> None:
        """Something cannot be told from the text; `runs` says that it is a command."""
        self.computes = self.computes or runs
        if why:
            self.doubted[self.doer] = None
        if why and len(self.unclear) < MOST_UNCLEAR:
            self.unclear[why] = None

    def overflow(self) -> None:
        """There is more here than is followed."""
        self.excessive = True
        self.doubted[""] = None
        self.unclear.setdefault(TOO_LARGE)

    def leaf(self, text: str) -> None:
        """Remember a simple command; what is found until `doing` loses it is its doing."""
        self.doing.append(text)
        if len(self.leaves) < MOST_LEAVES or text in self.leaves:
            self.leaves[text] = None
        else:
            self.overflow()

    def program(self, name: str, args: Sequence[Value], feed: Feed) -> None:
        """Remember a program that is started, whatever stands before it, with what it is given."""
        words = [name.rpartition("/")[2].lstrip("="), *(word.text for word in args)]
        given = feed.text if feed.text is not None else feed.parts
        text = shlex.join(words) + (f" <<< {shlex.quote(given)}" if given else "")
        self._started(text)

    def _started(self, text: str) -> None:
        if len(self.programs) < MOST_PROGRAMS:
            self.programs[self.doer, text] = None
        elif (self.doer, text) not in self.programs:
            self.doubt("the command starts more programs than are followed")

    def elsewhere(self, there: ShellFindings) -> None:
        """Of what is done on another machine, only the programs and the refusals count here."""
        self.refusals.update(there.refusals)
        for text in (*there.leaves, *(text for _, text in there.programs)):
            self._started(text)

    def refuse(self, effect: Refuse, state: ShellState) -> None:
        """Penstock itself has something against the command."""
        file = effect.only_at.text if effect.only_at else ""
        refusal = ShellRefusal(refusal=effect.refusal, only_at=file, base=state.cwd)
        if len(self.refusals) < MOST_REFUSALS or refusal in self.refusals:
            self.refusals[refusal] = None
        else:
            self.overflow()

    def git_deed(self, effect: Git, state: ShellState) -> None:
        """A git command does something to the repository that it is run in."""
        where = state.move(effect.directory) if effect.directory else state
        deed = replace(
            effect.deed,
            git_dir=effect.deed.git_dir or self._git_place("GIT_DIR", effect, state),
            work_tree=effect.deed.work_tree or self._git_place("GIT_WORK_TREE", effect, state),
        )
        parts = [name for name in _GIT_PARTS if name in state.scope]
        if parts and not deed.for_later:
            self.doubt(f"`{parts[0]}` says which repository `{deed.command}` works on")
        elif not where.sure:
            self.doubt("the directory is only known when it runs")
        elif deed.kind is GitKind.PATCH and self._writes_one_of(deed.paths, where):
            self.doubt(f"`{deed.command}` takes a patch that the same command writes")
        elif len(self.git) >= MOST_DEEDS:
            self.overflow()
        else:
            self.git.append((deed, where.cwd, self.doer))

    def _git_place(self, name: str, effect: Git, state: ShellState) -> str:
        """Return what a variable says about where git works."""
        value = (state.scope.get(name) or (Value(""),))[0]
        if not value.exact:
            self.doubt(f"`{name}` says which repository `{effect.deed.command}` works on")
        return value.text if value.exact else ""

    def _writes_one_of(self, paths: tuple[str, ...], state: ShellState) -> bool:
        written = {joined(one.base, one.path) for one in self.targets}
        return any(joined(state.cwd, path) in written for path in paths)

    def touch(self, effect: Touch, state: ShellState, by: str) -> None:
        """A file would be written, deleted or read."""
        reads = effect.action is Action.READ or effect.mention
        path = self._file(effect.value.text, reads=reads)
        if not path:
            return
        if not reads:
            self._doubt_value(effect, path, state, by)
        self._add(
            ShellTarget(
                path=path,
                action=effect.action,
                base=state.cwd,
                by=by,
                exact=effect.value.exact and (not effect.value.pattern or _is_known_pattern(path)),
                tree=effect.tree,
                within=effect.within.text if effect.within else "",
                whole=effect.whole,
                kept=effect.kept.text if effect.kept else "",
                leaf=self.doer,
                mention=effect.mention,
                content=effect.content if effect.value.exact else None,
                keeps=effect.keeps,
            )
        )
        if reads and not effect.value.exact:
            self._read_unset(effect, path, state, by)
        if effect.action is Action.DELETE or by == ">":
            self._lose_moved(joined(state.cwd, path), by)
        if self.aliases:
            self._through_aliases(effect, path, state, by)

    def _read_unset(self, effect: Touch, path: str, state: ShellState, by: str) -> None:
        """A variable that nothing gives a value is most likely empty: `cat .e${x}nv`."""
        left = _VARIABLE.sub(lambda one: one[0] if one[1] in state.scope else "", path)
        if left and left != path:
            self._add(
                ShellTarget(
                    path=left,
                    action=effect.action,
                    base=state.cwd,
                    by=by,
                    exact=False,
                    tree=effect.tree,
                    leaf=self.doer,
                    mention=True,
                )
            )

    def see(
        self, there: ShellFindings, mounts: tuple[tuple[str, str], ...], state: ShellState
    ) -> None:
        """Add what a command reads elsewhere, and what it changes in directories of ours."""
        for target in (*there.reads, *there.targets):
            host = _from_inside(joined(target.base, target.path), mounts)
            if host or target.action is Action.READ:
                seen = target.mention or not host or target.action is Action.READ
                self._add(
                    replace(
                        target,
                        path=host or target.path,
                        base=state.cwd if host else target.base,
                        whole=target.tree and seen,
                        mention=seen,
                        within="",
                        kept="",
                        leaf=self.doer,
                    )
                )

    def _lose_moved(self, place: str, by: str) -> None:
        """What was moved and is then removed from its new place is lost after all."""
        for target in [one for one in self.targets if one.kept]:
            there = joined(target.base, target.kept)
            if place == there or place.startswith(f"{there}/") or there.startswith(f"{place}/"):
                del self.targets[target]
                self._add(replace(target, kept="", by=by))

    def _file(self, text: str, *, reads: bool) -> str:
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
            if not reads and (not descriptor or descriptor.group(1) not in ("1", "2")):
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
        elif value.pattern and not _is_known_pattern(path):
            self.doubt(f"`{by}` changes the files that `{name}` matches")
        if not state.sure and not is_absolute(path):
            self.doubt("the directory is only known when it runs")
        if effect.tree and self._is_root(path, state):
            self.doubt(f"`{by}` changes everything below `{name}`")

    def _is_root(self, path: str, state: ShellState) -> bool:
        there = joined(state.cwd, path)
        if is_temporary(there) and not f"{self.start}/".startswith(f"{there}/"):
            return False
        return there in _ROOTS or there == self.start or state.cwd.startswith(there + "/")

    def _add(self, target: ShellTarget) -> None:
        reads = target.action is Action.READ or target.mention
        kind = self.reads if reads else self.targets
        if len(kind) < (MOST_READS if reads else MOST_TARGETS) or target in kind:
            kind[target] = None
        else:
            self.overflow()

    def made(self, pattern: str, state: ShellState) -> list[str] | None:
        """Return the files of this command that a pattern meets.

        None where the command puts something unknown there: a link, a whole directory.
        """
        wanted = joined(state.cwd, pattern).split("/")
        links = [(link.split("/"), True) for link, _, _ in self.aliases]
        paths = [
            (joined(t.base, t.path).split("/"), t.tree and t.action is not Action.DELETE)
            for t in self.targets
            if t.exact
        ]
        found: list[str] = []
        for parts, whole in (*links, *paths):
            if len(parts) > len(wanted) or not all(map(fits, wanted, parts)):
                continue
            if len(parts) == len(wanted):
                found.append("/".join(parts))
            elif whole:
                return None
        return found

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
                        leaf=self.doer,
                        mention=effect.mention,
                    )
                )


def _from_inside(place: str, mounts: tuple[tuple[str, str], ...]) -> str:
    """Return which file of ours a path elsewhere is, or nothing."""
    for host, inside in mounts:
        if place == inside or place.startswith(f"{inside}/"):
            return f"{host.rstrip('/')}{place[len(inside) :]}" or "/"
    return ""


def _is_known_pattern(path: str) -> bool:
    """True for names of temporary files: whichever they are, they lie in that directory."""
    return is_temporary(path) and not set(posixpath.dirname(path)) & set("*?[")


def shown(text: str) -> str:
    """Return a text cut to what a person reads."""
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
