"""Tools that run code of the project by a name or by convention: frameworks, builds, compilers.

`python manage.py NAME` runs a file called NAME, `mix NAME` another, `bazel build //a:b` what a
BUILD file says; a compiler makes a program of what it is given. The sources are read as any other
script of the project would be.
Always true: only files that are there count, `MOST_FILES` of each kind at most.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from penstock.core.shell.effects import (
    Effect,
    Program,
    ProgramCall,
    RunRole,
    RunText,
    options,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.look import LookHere
from penstock.core.shell.tasks.model import source
from penstock.core.text.late_regex import late_regex

MOST_FILES = 40
# What a source is written in, by the end of its name.
LANGUAGES: Mapping[str, str] = {
    **dict.fromkeys(("py", "pyw"), "python"),
    **dict.fromkeys(("js", "cjs", "mjs", "ts", "cts", "mts", "jsx", "tsx"), "js"),
    **dict.fromkeys(("sh", "bash", "zsh"), "sh"),
    **dict.fromkeys(("c", "cc", "cpp", "cxx", "h", "hpp", "m", "mm"), "c"),
    **dict.fromkeys(("java", "kt", "kts", "scala", "sc", "groovy", "gradle"), "jvm"),
    **dict.fromkeys(("ex", "exs"), "elixir"),
    **dict.fromkeys(("R", "r"), "r"),
    **dict.fromkeys(("pl", "pm"), "perl"),
    **dict.fromkeys(("cs", "csx"), "csharp"),
    **{"rb": "ruby", "php": "php", "lua": "lua", "go": "go", "rs": "rust", "jl": "julia"},
    **dict.fromkeys(
        (
            *("swift", "nim", "zig", "cr", "hs", "ml", "v", "d", "dart", "clj", "cljs", "erl"),
            *("f90", "pas", "fs", "fsx", "odin", "rkt", "scm", "lisp", "tcl", "vala", "hx"),
        ),
        "other",
    ),
}


def language_by_name(path: str) -> str:
    """Return the language of a source, or nothing."""
    return LANGUAGES.get(posixpath.splitext(path)[1][1:], "")


def _each(here: LookHere, *patterns: str) -> list[str]:
    found = [name for pattern in patterns for name in here.names(pattern) or ()]
    return list(dict.fromkeys(found))[:MOST_FILES]


def _operands(call: ProgramCall) -> list[str]:
    return [word.text for word in options(call.args).operands]


# Frameworks

_SETTINGS = late_regex(r"DJANGO_SETTINGS_MODULE['\"]\s*,\s*['\"]([\w.]+)['\"]")


def django(call: ProgramCall) -> Iterator[Effect]:
    """`python manage.py NAME`: the settings are imported, and the command of that name runs."""
    words = [word.text for word in call.args]
    at = next((n for n, word in enumerate(words) if _is_manage(word)), -1)
    if call.name in ("manage.py", "django-admin"):
        script, rest = "manage.py", words
    elif at >= 0:
        script, rest = words[at], words[at + 1 :]
    else:
        return
    folder = posixpath.dirname(script)
    start = f"{folder}/" if folder else ""
    for module in _SETTINGS.findall(call.here.text(script) or "")[:1]:
        yield source("python", f"{start}{module.replace('.', '/')}.py")
    name = next((word for word in rest if word[:1] != "-"), "")
    if name.isidentifier():
        places = (f"{start}{deep}management/commands/{name}.py" for deep in ("", "*/", "*/*/"))
        for file in _each(call.here, *places):
            yield source("python", file)


def _is_manage(word: str) -> bool:
    return word == "manage.py" or word.endswith("/manage.py")


_RAILS_FILES = (
    "config/application.rb config/boot.rb config/environment.rb config/environments/*.rb"
    " config/initializers/*.rb test/test_helper.rb db/seeds.rb"
)


def rails(call: ProgramCall) -> Iterator[Effect]:
    """`rails runner FILE`, and what every command of rails loads."""
    words = _operands(call)
    if words[:1] and words[0] not in ("new", "--version", "-v", "generate", "g", "destroy"):
        for file in _each(call.here, *_RAILS_FILES.split()):
            yield source("ruby", file)
    if words[:1] in (["runner"], ["r"]) and words[1:] and words[1].endswith(".rb"):
        yield source("ruby", words[1], role=RunRole.SCRIPT)


def mix(call: ProgramCall) -> Iterator[Effect]:
    """`mix NAME`: the settings are read, and the task of that name runs."""
    words = _operands(call)
    for file in _each(call.here, "config/*.exs"):
        yield source("elixir", file)
    if words[:1]:
        name = words[0]
        for form in dict.fromkeys((name, name.replace(".", "/"), name.replace(".", "_"))):
            for file in _each(call.here, f"lib/mix/tasks/{form}.ex", f"lib/*/mix/tasks/{form}.ex"):
                yield source("elixir", file)
    if words[:1] == ["run"] and words[1:] and words[1].endswith((".exs", ".ex")):
        yield source("elixir", words[1], role=RunRole.SCRIPT)


def artisan(call: ProgramCall) -> Iterator[Effect]:
    """`php artisan NAME`: the project's own commands."""
    words = _operands(call)
    if words[:1] == ["artisan"]:
        for file in _each(call.here, "routes/console.php", "app/Console/Commands/*.php"):
            yield source("php", file)
        if words[1:2] == ["db:seed"]:
            yield from (source("php", file) for file in _each(call.here, "database/seeders/*.php"))


def php_server(call: ProgramCall) -> Iterator[Effect]:
    """`php -S HOST -t DIR`: the pages of the directory run when somebody asks for them."""
    found = options(call.args, short="StdcfrB", first_operand_ends=True)
    if not found.has("S"):
        return
    root = next((value.text.rstrip("/") for value in found.values("t")), ".")
    start = "" if root == "." else f"{root}/"
    for file in _each(call.here, f"{start}*.php", f"{start}*/*.php"):
        yield source("php", file)


# Builds

_COMMAND = late_regex(
    r"\b(?:cmd|cmd_bash|command|cmds)\s*=\s*(\"\"\"(?:.*?)\"\"\"|\"(?:[^\"\\\n]|\\.)*\")", re.S
)
_SOURCES = late_regex(r"\b(?:srcs|main|src)\s*=\s*(\[[^\]]*\]|\"[^\"\n]*\")")
_STRING = late_regex(r"\"([^\"\n]{1,200})\"")
_BUILD_FILES = ("BUILD.bazel", "BUILD", "BUCK", "TARGETS", "BUILD.plz")
_VERBS = frozenset({"build", "run", "test", "coverage"})


def bazel(call: ProgramCall) -> Iterator[Effect]:
    """`bazel build //a:b`: the commands of the rules in that package run."""
    words = _operands(call)
    if not words or words[0] not in _VERBS:
        return
    for word in words[1:9]:
        folder = word.removeprefix("//").partition(":")[0].removesuffix("...").rstrip("/")
        patterns = [f"{folder}/{name}".lstrip("/") for name in _BUILD_FILES]
        if word.endswith("..."):
            start = f"{folder}/" if folder else ""
            patterns += [f"{start}{deep}{n}" for n in _BUILD_FILES for deep in ("*/", "*/*/")]
        for file in _each(call.here, *patterns):
            yield from _rules(file, call.here.text(file) or "", runs=words[0] != "build")


def _rules(file: str, text: str, *, runs: bool) -> Iterator[Effect]:
    for found in _COMMAND.findall(text)[:MOST_FILES]:
        command = found.strip('"').replace('\\"', '"').replace("\\n", "\n").replace("$$", "$")
        yield RunText(file, "sh", re.sub(r"\$\(\w+\)|\$[@<^]", "out", command), role=RunRole.SCRIPT)
    folder = posixpath.dirname(file)
    for found in _SOURCES.findall(text)[:MOST_FILES] if runs else ():
        for name in _STRING.findall(found):
            language = language_by_name(name)
            if language:
                yield source(language, posixpath.join(folder, name.lstrip(":")))


_FROM = late_regex(r"^\s*(COPY|ADD|RUN)\s+(.+)$", re.M | re.I)


def dockerfile_reads(text: str) -> Iterator[str]:
    """Return the files that a Dockerfile copies and whose copy a command in it names."""
    runs: list[str] = []
    copies: list[tuple[str, str]] = []
    for verb, rest in _FROM.findall(text.replace("\\\n", " "))[: MOST_FILES * 4]:
        if verb.upper() == "RUN":
            runs.append(rest)
            continue
        words = [word for word in re.split(r"[\s,\[\]\"]+", rest) if word and word[:2] != "--"]
        copies += [(word, words[-1]) for word in words[:-1]]
    for path, place in copies:
        name = posixpath.basename(path.rstrip("/"))
        there = posixpath.basename(place.rstrip("/"))
        sought = [re.escape(one) for one in (name, place if there not in ("", ".") else "") if one]
        if any(re.search(rf"(?<![\w.-]){one}(?![\w-])", run) for one in sought for run in runs):
            yield path


# Compilers

_TAKES = "oIlLDUxTfmjCe"


def compiler(call: ProgramCall) -> Iterator[Effect]:
    """What a compiler is given becomes a program, which the next command may run."""
    for word in options(call.args, short=_TAKES, long="out-dir edition crate-type").operands[:16]:
        yield from _read(word, call.here)


def _read(word: Value, here: LookHere) -> Iterator[Effect]:
    """Return a source as a text that runs; what is only computed in it does not count."""
    language = language_by_name(word.text) if word.exact and word.text[:1] != "-" else ""
    text = here.text(word.text) if language else None
    if text is not None and "\0" not in text:
        yield RunText(word.text, language, text, (word,), role=RunRole.TOOL)


# Programs that nobody knows


def by_convention(call: ProgramCall) -> Iterator[Effect]:
    """Return what a program runs that no table knows: sources it is given, settings it is named in.

    `crystal run x.cr`, `vite-node x.ts`: the source. `drizzle-kit push`: `drizzle.config.ts`.
    """
    if not call.here.sees:
        return
    for word in call.args[:16]:
        yield from _read(word, call.here)
    names = {call.name, call.name.partition("-")[0]}
    for name in sorted(names):
        if re.fullmatch(r"[a-z][a-z0-9]{2,30}", name):
            patterns = (f"{name}.config.*", f"{name}.conf.*", f"{name}file.*", f".{name}rc.*")
            yield from _settings_of(_each(call.here, *patterns))


def _settings_of(files: Sequence[str]) -> Iterator[Effect]:
    for file in files[:4]:
        language = language_by_name(file)
        if language:
            yield source(language, file)


PROJECT_CODE: Mapping[str, tuple[Program, ...]] = {
    **dict.fromkeys(("python", "manage.py", "django-admin"), (django,)),
    "rails": (rails,),
    "mix": (mix,),
    "php": (artisan, php_server),
    **dict.fromkeys(("bazel", "bazelisk", "buck", "buck2", "plz", "please", "pants"), (bazel,)),
    **dict.fromkeys(
        (
            *("gcc", "g++", "cc", "c++", "clang", "clang++", "tcc", "rustc", "javac", "kotlinc"),
            *("swiftc", "ghc", "nim", "zig", "crystal", "ocamlfind", "ocamlopt", "ocamlc", "fpc"),
            *("gfortran", "dmd", "ldc2", "scalac", "valac", "odin", "v"),
        ),
        (compiler,),
    ),
}
