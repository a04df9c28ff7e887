"""Programs that put files under another name: cp, mv, ln, install, rsync, scp.

Where a destination may be a directory, both readings are told; the second one is marked with
the directory that it depends on, because only a disk can settle it.
Always true: what is moved away is told as deleted, and where it is kept; what gets a second
name is told as written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from penstock.core.model import Action
from penstock.core.paths.free_places import is_temporary
from penstock.core.shell.effects import (
    HERE,
    Alias,
    Effect,
    Options,
    Program,
    ProgramCall,
    RunProgram,
    Shell,
    Touch,
    base_name,
    below,
    deleted,
    options,
    written,
)
from penstock.core.shell.expansion import Value

_RECURSIVE = ("r", "R", "a", "recursive", "archive")
_DIRECTORIES = (".", "..", "~", "/")


def _arrivals(found: Options, *, tree: bool) -> Iterator[Effect]:
    """Tell what appears where sources are put into, or under, a destination."""
    folders = found.values("t", "target-directory")
    sources, last = (found.operands, None) if folders else _sources(found.operands)
    target = folders[-1] if folders else last
    if target is None:
        return
    sure = bool(folders) or len(sources) > 1 or _is_directory(target)
    if found.has("T", "no-target-directory"):
        yield Touch(target, tree=tree)
        return
    if not sure:
        yield Touch(target, tree=tree)
    for source in sources:
        yield from _into(target, source, tree=tree, sure=sure)


def _sources(words: Sequence[Value]) -> tuple[Sequence[Value], Value | None]:
    return (words[:-1], words[-1]) if len(words) > 1 else ((), None)


def _is_directory(value: Value) -> bool:
    return value.text.endswith("/") or value.text.rpartition("/")[2] in _DIRECTORIES


def _into(target: Value, source: Value, *, tree: bool, sure: bool) -> Iterator[Effect]:
    name = base_name(source)
    if name.text in ("", *_DIRECTORIES):
        yield Touch(target, tree=True)
        return
    yield Touch(below(target, name), tree=tree, within=None if sure else target)


_SHORT = "tSZ?"
_LONG = "target-directory suffix"


MOST_INSIDE = 32


def _inside(call: ProgramCall, found: Options) -> Iterator[Effect]:
    """A directory that gets another name: what is in it has other names as well."""
    if len(found.operands) != 2 or found.values("t", "target-directory"):
        return
    source, target = found.operands
    inside = target.exact and call.here.is_below_start(target.text)
    there = call.here.kind(target.text) if inside else None
    new = there == "" or (there == "directory" and found.has("T", "no-target-directory"))
    if not new or not source.exact or call.here.kind(source.text) != "directory":
        return
    names = [name for name in call.here.below(source.text) or () if not name.endswith("/")]
    for name in names[:MOST_INSIDE] if call.here.grant(min(len(names), MOST_INSIDE)) else ():
        yield Touch(below(target, Value(name)))


def _cp(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short=_SHORT, long=_LONG)
    yield from _arrivals(found, tree=found.has(*_RECURSIVE))
    yield from _inside(call, found) if found.has(*_RECURSIVE) else ()
    folders = found.values("t", "target-directory")
    sources = found.operands if folders else _sources(found.operands)[0]
    if found.has("l", "link"):
        yield from written(sources, tree=found.has(*_RECURSIVE))
    elif found.has("s", "symbolic-link"):
        yield from (Touch(source, Action.READ) for source in sources)


def _mv(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short=_SHORT, long=_LONG)
    yield from _arrivals(found, tree=True)
    yield from _inside(call, found)
    folders = found.values("t", "target-directory")
    sources = found.operands if folders else found.operands[:-1]
    kept = next(reversed(folders or found.operands), None)
    if kept is not None and (
        is_temporary(kept.text) or is_temporary(f"{kept.text}/x")
    ):  # what lies there will be gone one day
        yield RunProgram((Value("rm"), Value("-r"), Value("--"), *sources))
        return
    for source in sources:
        yield Touch(source, Action.DELETE, tree=True, kept=kept)


def _install(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="tmogS", long="target-directory mode owner group suffix")
    if found.has("d", "directory"):
        yield from written(found.operands)
    else:
        yield from _arrivals(found, tree=False)


def _ln(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short=_SHORT, long=_LONG)
    words = found.operands
    if len(words) == 1 and not found.values("t", "target-directory"):
        words = (words[0], HERE)
    both = Options(found.given, words)
    over = found.has("T", "no-target-directory", "n", "no-dereference")
    effects = [
        replace(effect, whole=over and effect.within is None)
        for effect in _arrivals(both, tree=False)
        if isinstance(effect, Touch)
    ]
    yield from effects
    sources = words if found.values("t", "target-directory") else words[:-1]
    if not found.has("s", "symbolic"):
        # A hard link is a second name that no later look at the path can tell apart.
        yield from written(sources)
        return
    for effect in effects:
        name = base_name(effect.value).text
        named = [source for source in sources if base_name(source).text == name]
        for source in (named or sources)[:1]:
            # Whoever may not read a file makes no other way to it either.
            yield Touch(_seen_from(effect.value, source), Action.READ)
            yield Alias(effect.value, source)


def _seen_from(link: Value, source: Value) -> Value:
    """Return what a symbolic link leads to: its text hangs from the directory it lies in."""
    above = replace(link, text=link.text.rpartition("/")[0])
    return source if source.text.startswith(("/", "~")) or not above.text else below(above, source)


def _rsync(call: ProgramCall) -> Iterator[Effect]:
    found = options(
        call.args,
        short="eBTfM@",
        long="rsh exclude include filter files-from exclude-from include-from log-file chmod"
        " backup-dir suffix temp-dir partial-dir compare-dest copy-dest link-dest max-size"
        " min-size timeout port password-file bwlimit out-format rsync-path info debug",
    )
    yield from written(found.values("log-file", "backup-dir"))
    yield from (Shell(program) for program in found.values("e", "rsh", "rsync-path"))
    if found.has("n", "dry-run"):
        return
    *sources, target = found.operands if len(found.operands) > 1 else (HERE, Value("a:b"))
    if found.has("remove-source-files"):
        yield from deleted((s for s in sources if not _is_remote(s)), tree=True)
    if not _is_remote(target):
        inside = [replace(s, text=s.text + ".") if s.text.endswith("/") else s for s in sources]
        yield from _arrivals(Options((), (*inside, target)), tree=True)
        if found.has("delete", "delete-after", "delete-before", "delete-excluded"):
            yield Touch(target, Action.DELETE, tree=True)


def _is_remote(value: Value) -> bool:
    """True for `host:path`; a colon behind a slash belongs to a name."""
    return ":" in value.text.partition("/")[0]


def _scp(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="cFiJloPSX")
    yield from (Shell(program) for program in found.values("S"))
    for setting in found.values("o"):
        key, _, command = setting.text.partition("=")
        if key.strip().lower() == "proxycommand":
            yield Shell(replace(setting, text=command))
    if len(found.operands) > 1 and not _is_remote(found.operands[-1]):
        sources = [replace(s, text=s.text.rpartition(":")[2]) for s in found.operands[:-1]]
        yield from _arrivals(Options((), (*sources, found.operands[-1])), tree=found.has("r"))


COPIES: Mapping[str, Program] = {
    "cp": _cp,
    "gcp": _cp,
    "ditto": _cp,
    "mv": _mv,
    "gmv": _mv,
    "ln": _ln,
    "link": _ln,
    "install": _install,
    "ginstall": _install,
    "rsync": _rsync,
    "scp": _scp,
}
