"""Containers and clusters: what is mounted, copied and loaded, and which command runs inside.

A command inside is followed like any other; names in directories of ours that are mounted are
told as ours, and other names as they are, because a project is usually in its container.
Always true: an environment file that is loaded is read only where the command inside shows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.model import Action
from penstock.core.shell.effects import (
    Effect,
    Options,
    Program,
    ProgramCall,
    RunProgram,
    Touch,
    Unclear,
    last,
    options,
    read,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.programs.reads.credential import kept
from penstock.core.shell.programs.reads.environment import shows_environment
from penstock.core.shell.programs.reads.mention import is_candidate, mentioned
from penstock.core.shell.programs.reads.name_list import listed_in
from penstock.core.shell.programs.reads.rows import MOST_PARTS, implied, is_all, perhaps, sweep
from penstock.core.text.late_regex import late_regex

_SHORT = "aceflhmnpuvw"
_LONG = (
    "add-host annotation attach blkio-weight cap-add cap-drop cgroup-parent cidfile cluster"
    " container context cpus device dns entrypoint env env-file expose file gpus group-add"
    " health-cmd host hostname index ip ipc kubeconfig label link log-driver log-opt memory mount"
    " pid name namespace network net platform pod profile progress project-directory project-name"
    " publish pull restart runtime secret security-opt shm-size stop-signal sysctl tmpfs ulimit"
    " user userns volume volumes-from workdir build-context"
)
_GROUPS = frozenset({"compose", "container", "image", "builder", "buildx", "stack", "pod"})
_RUNS = frozenset({"run", "exec", "create", "shell", "enter", "debug"})
# Other verbs that are given files; `up`, `logs`, `get` and the like show none.
_TAKES_FILES = frozenset(
    {
        *("build", "bake", "import", "load", "secret", "config", "deploy", "context", "plugin"),
        *("apply", "create", "replace", "diff", "patch", "set", "delete", "edit", "kustomize"),
    }
)
_COPIED = late_regex(r"^\s*(?:COPY|ADD)\s+(?:--\S+\s+)*(.+)$", re.MULTILINE | re.IGNORECASE)
_COMPOSE_FILES = ("docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml")
_NO_VALUES = (
    *("services", "images", "volumes", "profiles", "hash", "networks", "q", "quiet", "models"),
)


class _Words(Struct, frozen=True):
    """The options in front of and behind the verb, the verb, and what follows them."""

    given: Options
    groups: tuple[str, ...]
    verb: str
    rest: tuple[Value, ...]


def _words(args: Sequence[Value]) -> _Words:
    given: tuple[tuple[str, Value | None], ...] = ()
    groups: list[str] = []
    rest = tuple(args)
    for _ in range(4):
        found = options(rest, short=_SHORT, long=_LONG, first_operand_ends=True)
        given, rest = (*given, *found.given), found.operands
        if not rest or rest[0].text not in _GROUPS:
            break
        groups.append(rest[0].text)
        rest = rest[1:]
    verb = rest[0].text if rest else ""
    found = options(rest[1:], short=_SHORT, long=_LONG, first_operand_ends=True)
    every = Options((*given, *found.given), found.operands, found.known)
    return _Words(every, tuple(groups), verb, found.operands)


def _container(call: ProgramCall) -> Iterator[Effect]:
    """Read the verb; what it starts, copies or prints is told, all else is mentioned."""
    words = _words(call.args)
    composes = "compose" in words.groups or call.name.endswith("-compose")
    yield from kept(call)
    if words.verb in _RUNS and not (words.verb == "create" and not _is_docker(call)):
        yield from _started(call, words, composes=composes)
        yield from _volumes(call, words.given) if composes else ()
    elif words.verb == "cp":
        yield from sweep(word for word in words.rest[:1] if ":" not in word.text)
        yield from mentioned(call)
    elif composes and words.verb in ("config", "convert"):
        if not words.given.has(*_NO_VALUES):
            yield from _settings(call, words.given)
    elif composes and words.verb in ("up", "start", "create"):
        yield from _volumes(call, words.given)
    elif words.verb in _TAKES_FILES:
        yield from sweep(_behind_equals(words.given.values("build-context")))
        for copied in _COPIED.findall(call.feed.text or "")[:MOST_PARTS]:
            yield from perhaps(map(Value, copied.split()[:-1]))
        yield from mentioned(replace(call, args=tuple(_without_secrets(call.args))))
        yield from _put(call)


def _is_docker(call: ProgramCall) -> bool:
    return call.name in ("docker", "podman", "nerdctl")


def _put(call: ProgramCall) -> Iterator[Effect]:
    """A secret of a cluster that is made from files can be shown in the same breath."""
    found = options(call.args, long="from-file cert key")
    if any(word.text == "secret" for word in found.operands):
        yield from perhaps(found.values("cert", "key"))
    files = _behind_equals(found.values("from-file"))
    yield from sweep(word for word in files if _is_folder(word, call))


def _is_folder(word: Value, call: ProgramCall) -> bool:
    return call.here.kind(word.text) == "directory"


def _behind_equals(values: Iterator[Value] | Sequence[Value]) -> list[Value]:
    return [replace(value, text=value.text.partition("=")[2] or value.text) for value in values]


def _without_secrets(args: Sequence[Value]) -> Iterator[Value]:
    """Leave out what a build is lent: it stays out of the image."""
    before = ""
    for word in args:
        if before != "--secret" and not word.text.startswith("--secret="):
            yield word
        before = word.text


# Commands inside

_MOUNT = late_regex(r"(?:(?:^|,)(source|src|target|dst|destination)=([^,]+))")
_APART = late_regex(r"[=:,]+")


def _started(call: ProgramCall, words: _Words, *, composes: bool) -> Iterator[Effect]:
    given = words.given
    volumes = [*given.values("v", "volume"), *given.values("mount")]
    for value in volumes:
        for part in _APART.split(value.text)[:MOST_PARTS]:
            yield from perhaps([Value(part, value.exact)] if is_candidate(part) else [])
    broad = [value.text for value in volumes if _is_broad(value.text)]
    if broad or _is_host(given):
        shown = broad[0] if broad else "the whole machine"
        yield Unclear(f"`{call.name}` lets a container change `{shown}`")
    inner = words.rest[1:]
    inner = inner[1:] if inner[:1] == (Value("--"),) else inner
    entry = last(given.values("entrypoint"))
    inner = (entry, *inner) if entry else inner
    if not inner:
        return
    place = last(given.values("w", "workdir"))
    yield RunProgram(inner, place, elsewhere=True, mounts=tuple(_mounts(volumes)))
    if shows_environment(inner):
        yield from read(given.values("env-file"))
        yield from _settings(call, given) if composes else ()


# Directories of this machine that no container needs to write.
_BROAD = late_regex(
    r"(?:/|~|\$\{?HOME\}?|/(?:bin|boot|dev|etc|home|lib|lib64|opt|proc|root|run|sbin|srv|sys|usr|var)"
    r"|/home/[^/:,]+|/Users(?:/[^/:,]+)?)/?"
)


def _is_broad(volume: str) -> bool:
    """True for a mount of the machine, the system or a whole home that can be written."""
    named = {name[0]: text for name, text in _MOUNT.findall(volume)}
    host, _, rest = volume.partition(":")
    settings = re.split(r"[:,]", rest or volume)
    closed = "ro" in settings or "readonly" in settings or "readonly=true" in settings
    return not closed and _BROAD.fullmatch(named.get("s", host)) is not None


def _is_host(given: Options) -> bool:
    """True for a container that is this machine itself."""
    return given.has("privileged") and Value("host") in given.values("pid")


def _mounts(volumes: Sequence[Value]) -> Iterator[tuple[str, str]]:
    """Return which directory of ours lies where inside."""
    for volume in volumes[:MOST_PARTS]:
        named = {name[0]: text for name, text in _MOUNT.findall(volume.text)}
        host, _, inside = volume.text.partition(":")
        host, inside = named.get("s", host), named.get("t") or named.get("d") or inside
        inside = inside.partition(":")[0].rstrip("/")
        if inside.startswith("/"):
            yield "." if is_all(Value(host)) else host, inside


def _settings(call: ProgramCall, given: Options) -> Iterator[Effect]:
    """What Compose puts into its containers: `.env`, and the files that its settings name."""
    files = given.values("env-file")
    yield from read(files)
    yield from implied(call.here, ".env") if not files else ()
    named = [value.text for value in given.values("f", "file")] or _COMPOSE_FILES
    yield from perhaps(listed_in(named, call.here))


_VOLUME = late_regex(
    r"^\s*(?:-\s*['\"]?(?P<short>(?:~|/|\.\.?/|\$\{?HOME\}?)[^:'\"\s]*):/"
    r"|(?:-\s*)?source:\s*['\"]?(?P<long>(?:~|/|\.\.?/|\$\{?HOME\}?)[^'\"\s]*))",
    re.MULTILINE,
)
_OWN_HOME = late_regex(r"^\$\{?HOME\}?")


def _volumes(call: ProgramCall, given: Options) -> Iterator[Effect]:
    """Directories and files of this machine that the services of Compose are given."""
    named = [value.text for value in given.values("f", "file")] or _COMPOSE_FILES
    for name in named[:MOST_PARTS]:
        for found in islice(_VOLUME.finditer(call.here.text(name) or ""), MOST_PARTS):
            place = Value(_OWN_HOME.sub("~", found["short"] or found["long"]))
            if not is_all(place):
                yield Touch(place, Action.READ, tree=True, mention=True)


def _enters(call: ProgramCall) -> Iterator[Effect]:
    """Boxes that share our files, and machines of our own: a command behind dashes, or a verb."""
    texts = [word.text for word in call.args]
    if "--" in texts:
        inner = call.args[texts.index("--") + 1 :]
    elif call.name in ("bwrap", "proot", "wsl", "flatpak-spawn"):
        inner = options(call.args, first_operand_ends=True).operands
    else:
        inner = ()
    if inner:
        yield RunProgram(tuple(inner), elsewhere=True, mounts=())
    else:
        yield from mentioned(call)


CONTAINERS: Mapping[str, Program] = {
    **dict.fromkeys(
        (
            *("docker", "podman", "nerdctl", "kubectl", "oc", "docker-compose", "podman-compose"),
            *("crictl",),
        ),
        _container,
    ),
    **dict.fromkeys(
        (
            *("lxc", "incus", "machinectl", "vagrant", "flatpak", "distrobox", "toolbox"),
            *("flatpak-spawn", "systemd-nspawn", "bwrap", "proot", "wsl", "multipass"),
        ),
        _enters,
    ),
}
