"""npm, yarn, pnpm, bun and what runs their scripts in many packages at once: turbo, lerna, nx.

Always true: a script runs that is named, or that an installation runs along the way; with several
packages, the script of each of them.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from penstock.core.shell.effects import (
    Effect,
    Options,
    ProgramCall,
    RunProgram,
    RunText,
    Shell,
    last,
    options,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.look import LookHere
from penstock.core.shell.place import joined
from penstock.core.shell.tasks.data import at, json_data, yaml_data
from penstock.core.shell.tasks.manifests import NX
from penstock.core.shell.tasks.model import effects_of, source
from penstock.core.text.late_regex import late_regex

MOST_PACKAGES = 40
_INSTALLS = ("preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare")
_ON_INSTALL = frozenset(
    {
        *("install", "i", "ci", "add", "rebuild", "it", "install-test", "link", "remove", "rm"),
        *("uninstall", "update", "up", "upgrade", "dedupe", "install-clean", "clean-install"),
    }
)
_ALONG: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(_ON_INSTALL, (*_INSTALLS, "postprepare", "dependencies")),
    **dict.fromkeys(
        ("pack", "publish"),
        ("prepublishOnly", "prepack", "prepare", "postpack", "publish", "postpublish"),
    ),
    "version": ("preversion", "version", "postversion"),
}
_SHORT_FOR = {"t": "test", "tst": "test", "run-script": "run", "rum": "run", "urn": "run"}
_OWN = frozenset({"test", "start", "stop", "restart"})
_RUNS = frozenset({"run", "run-script", "recursive", "workspaces", "foreach", "exec"})
# Programs of packages that no package manager has a verb for: `pnpm vitest` is `npx vitest`.
_PACKAGED = frozenset(
    {
        *("vitest", "jest", "mocha", "ava", "tap", "karma", "cypress", "playwright", "jasmine"),
        *("tsx", "ts-node", "tsc", "esbuild", "vite", "webpack", "rollup", "nodemon", "node"),
        *("eslint", "prettier", "stylelint", "biome", "nx", "turbo", "lerna", "dotenv", "env-cmd"),
    }
)
_TAKES = "C prefix cwd dir filter F w workspace"
_WORKSPACES = ("packages/*", "apps/*", "libs/*")
# Files that a package manager runs by itself.
_OWN_FILES = {"pnpm": (".pnpmfile.cjs", "pnpmfile.js"), "yarn": ("yarn.config.cjs",)}
_YARN_PATH = late_regex(r"^\s*-?\s*(?:yarnPath|path):\s*['\"]?([^'\"\s]+)", re.M)


def package(call: ProgramCall) -> Iterator[Effect]:
    """Run the scripts of `package.json` that a command runs by name or along the way."""
    found = options(call.args, short="CFw", long=_TAKES, first_operand_ends=True)
    words = [word.text for word in found.operands]
    verb = _SHORT_FOR.get(words[0], words[0]) if words else "install"
    if verb in ("exec", "x", "dlx"):
        yield from _started(found.operands[1:])
    yield from _own_files(call)
    if found.has("ignore-scripts") or "--ignore-scripts" in words:
        return
    place = last(found.values("C", "prefix", "cwd", "dir"))
    verb, rest, folders = _asked(found, verb, words[1:], call.here)
    for folder in folders or [place.text if place else ""]:
        scripts = _scripts(call.here, folder)
        if call.name != "npm" and verb not in scripts:  # perhaps a program of a package
            yield RunProgram(found.operands, elsewhere=verb not in _PACKAGED)
        for name, args in _run_by(call.name, verb, rest, scripts):
            where = Value(folder) if folder else None
            yield RunText("package.json", "sh", _with_words(scripts[name], args), directory=where)


def _asked(
    found: Options, verb: str, rest: Sequence[str], here: LookHere
) -> tuple[str, Sequence[str], list[str]]:
    """Return what is asked of which packages, the project's own for none."""
    inner = [word for word in rest if word not in _MANY]
    many = found.has("r", "recursive", "w", "workspace", "workspaces", "F", "filter", "ws")
    many = many or any(word.startswith(_OPTIONS) for word in rest)
    if verb in ("workspaces", "workspace", "recursive", "multi"):
        inner = inner[1:] if verb == "workspace" else [word for word in inner if word != "foreach"]
        words = [word for word in inner if not word.startswith("-")]
        many, verb, inner = True, words[0] if words else "", words[1:]
    return verb, inner, ["", *workspaces(here)] if many else []


_MANY = frozenset({"--workspaces", "-ws", "--recursive", "-r", "--parallel", "--stream"})
_OPTIONS = ("-w", "--workspace", "-r", "--recursive", "--filter", "-F")


def _started(words: Sequence[Value]) -> Iterator[Effect]:
    rest = [word for at, word in enumerate(words) if word.text != "--" or at]
    while rest and rest[0].text.startswith("-"):
        rest = rest[1:]
    if rest:
        first = replace(rest[0], text=re.sub(r"(?<=\w)@[\w.^~-]*$", "", rest[0].text))
        yield RunProgram((first, *rest[1:]))


def npx(call: ProgramCall) -> Iterator[Effect]:
    """`npx jest@29`, `npx -p a b`, `npx -c TEXT`."""
    found = options(call.args, short="pcw", long="package call", first_operand_ends=True)
    yield from (Shell(text) for text in found.values("c", "call"))
    yield from _started(found.operands)


def _own_files(call: ProgramCall) -> Iterator[Effect]:
    yield from (source("js", name) for name in _OWN_FILES.get(call.name, ()))
    if call.name == "yarn":
        settings = call.here.text(".yarnrc.yml") or ""
        yield from (source("js", path) for path in _YARN_PATH.findall(settings)[:8])


def _run_by(
    program: str, verb: str, rest: Sequence[str], scripts: Mapping[str, str]
) -> Iterator[tuple[str, Sequence[str]]]:
    named = next((word for word in rest if not word.startswith("-")), "")
    args: Sequence[str]
    if verb == "run":
        wanted, args = named, rest[rest.index(named) + 1 :] if named else ()
    elif verb in _OWN or (program != "npm" and verb in scripts):
        wanted, args = verb, rest
    else:
        yield from ((name, ()) for name in _ALONG.get(verb, ()) if name in scripts)
        return
    for name in (f"pre{wanted}", wanted, f"post{wanted}"):
        if name in scripts:
            yield name, args if name == wanted else ()


def _with_words(text: str, args: Sequence[str]) -> str:
    return " ".join([text, *(shlex.quote(word) for word in args if word != "--")])


def _scripts(here: LookHere, folder: str) -> dict[str, str]:
    text = here.text(joined(folder, "package.json"))
    found = at(json_data(text), "scripts") if text is not None else {}
    return {name: line for name, line in found.items() if isinstance(line, str)}


def workspaces(here: LookHere) -> list[str]:
    """Return the directories of the packages that a project holds."""
    manifest = at(json_data(here.text("package.json") or ""), "")
    given = manifest.get("workspaces")
    listed = given.get("packages") if isinstance(given, dict) else given
    other = at(yaml_data(here.text("pnpm-workspace.yaml") or ""), "").get("packages")
    lerna = at(json_data(here.text("lerna.json") or ""), "").get("packages")
    patterns = [
        str(one) for some in (listed, other, lerna) if isinstance(some, list) for one in some
    ]
    found: dict[str, None] = {}
    for pattern in patterns or _WORKSPACES:
        for name in here.names(f"{pattern.rstrip('/')}/package.json") or ():
            found[name.removesuffix("/package.json")] = None
    return list(found)[:MOST_PACKAGES]


# turbo, lerna, nx


def each_package(call: ProgramCall) -> Iterator[Effect]:
    """`turbo run build`, `lerna run build`: the script in every package that has it."""
    words = [word.text for word in options(call.args, long="filter scope concurrency").operands]
    names = words[1:] if words[:1] == ["run"] else words
    for folder in ["", *workspaces(call.here)] if names else ():
        scripts = _scripts(call.here, folder)
        for name in names:
            if name in scripts:
                where = Value(folder) if folder else None
                yield RunText("package.json", "sh", scripts[name], directory=where)


_NX_FILES = ("project.json", "*/project.json", "*/*/project.json")


def nx(call: ProgramCall) -> Iterator[Effect]:
    """The targets of nx, and the scripts of packages, which are targets as well."""
    found = options(call.args, short="tp", long="target targets projects configuration")
    words = [word.text for word in found.operands]
    goals = [
        part for value in found.values("t", "target", "targets") for part in value.text.split(",")
    ]
    goals += [part for word in words for part in word.split(":")]
    for pattern in _NX_FILES:
        for name in (call.here.names(pattern) or ())[:MOST_PACKAGES]:
            yield from effects_of(NX(call.here.text(name) or ""), goals, (), name)
    yield from each_package(replace(call, args=tuple(map(Value, ("run", *goals)))))
