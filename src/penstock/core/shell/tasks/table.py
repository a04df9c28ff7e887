"""The table of tools that run what files of the project say.

A row says which files a tool reads, in which language or format they are, and behind which words
of the call the tasks stand; `model` does the rest. What a tool does besides is in `RUNNERS` and
`PROGRAMS`.
Always true: adding a tool is adding a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from msgspec.structs import replace

from penstock.core.model import Action
from penstock.core.shell.effects import (
    Effect,
    Program,
    ProgramCall,
    RunFile,
    RunProgram,
    RunRole,
    RunText,
    Touch,
    options,
)
from penstock.core.shell.expansion import Value
from penstock.core.shell.programs.runners import RUNNERS
from penstock.core.shell.programs.table import PROGRAMS
from penstock.core.shell.programs.terminals import TERMINALS
from penstock.core.shell.tasks import suites
from penstock.core.shell.tasks.data import at, json_data, toml_data, yaml_data
from penstock.core.shell.tasks.documents import DOCUMENTS
from penstock.core.shell.tasks.just import just, just_includes
from penstock.core.shell.tasks.make import make
from penstock.core.shell.tasks.manifests import (
    DENO,
    JSON_SCRIPTS,
    LINT_STAGED,
    TASKFILE,
    TASKFILES,
    compose,
    every_task,
    hatch,
    pre_commit,
    pyproject,
    taskfile_includes,
    tasks_at,
    tox_ini,
    tox_toml,
    translated,
    whole,
)
from penstock.core.shell.tasks.model import ALL, TaskFile, TaskTool, also, run_tasks, source
from penstock.core.shell.tasks.packages import each_package, npx, nx, package
from penstock.core.shell.tasks.project_code import PROJECT_CODE, dockerfile_reads
from penstock.core.shell.tasks.rake import rake
from penstock.core.shell.tasks.suites import run_tests
from penstock.core.shell.tasks.translate import ant, cmake, meson, ninja, xml_commands
from penstock.core.text.late_regex import late_regex

_PYPROJECT = "pyproject.toml"


def _functions(files: str, **given: str) -> TaskTool:
    """A Python file whose functions are the tasks."""
    kind = TaskFile(files, whole("python", chosen=True))
    return TaskTool((kind,), **{"file": "f", "quiet": "l list help version", **given})


def _source(files: str, language: str, verbs: str = "", *, every: bool = False) -> TaskFile:
    """Source files that run as they are, behind some verbs."""
    return TaskFile(files, whole(language), verbs=verbs, every=every)


def _in_pyproject(paths: str, verbs: str = "", along: Mapping[str, str] | None = None) -> TaskFile:
    """Tasks at some paths of `pyproject.toml`."""
    return TaskFile(_PYPROJECT, pyproject(*paths.split()), verbs=verbs, along=along or {})


# Python

_BUILDS = "setup.py hatch_build.py build.py"
_POETRY = "tool.poetry.scripts project.scripts tool.poe.tasks"
_PDM_ALONG = {verb: f"pre_{verb} post_{verb}" for verb in ("install", "lock", "build", "publish")}
_PYTHON_TOOLS: Mapping[str, TaskTool] = {
    "nox": _functions("noxfile.py", file="f noxfile", goals="s session e", quiet="l list"),
    **dict.fromkeys(
        ("invoke", "inv"), _functions("tasks.py tasks/__init__.py", place="r", file="")
    ),
    "fab": _functions("fabfile.py fabfile/__init__.py", takes="H i"),
    "doit": _functions("dodo.py"),
    "scons": TaskTool((_source("SConstruct Sconstruct SConscript", "python"),), file="f"),
    "waf": TaskTool((_source("wscript", "python"),)),
    "tox": TaskTool(
        (
            TaskFile("tox.ini setup.cfg", tox_ini, default=ALL),
            TaskFile("tox.toml pyproject.toml", tox_toml, default=ALL),
        ),
        file="c conf",
        goals="e",
        quiet="l listenvs a showconfig help version",
    ),
    "poe": TaskTool((_in_pyproject("tool.poe.tasks"),), place="C directory", quiet="h help"),
    "hatch": TaskTool(
        (
            TaskFile("pyproject.toml hatch.toml", hatch, verbs="run", every=True),
            _source("hatch_build.py setup.py", "python", "build run env test", every=True),
        )
    ),
    "pdm": TaskTool(
        (
            _in_pyproject("tool.pdm.scripts", along=_PDM_ALONG),
            _in_pyproject("project.scripts", "run"),
            _source(_BUILDS, "python", "install sync build", every=True),
        )
    ),
    "rye": TaskTool(
        (
            _in_pyproject("tool.rye.scripts project.scripts", "run"),
            _source(_BUILDS, "python", "sync build", every=True),
        )
    ),
    "pixi": TaskTool(
        (
            TaskFile("pixi.toml", tasks_at(toml_data, "tasks", "feature.*.tasks"), verbs="run"),
            _in_pyproject("tool.pixi.tasks tool.pixi.feature.*.tasks", "run"),
        ),
        takes="e environment manifest-path",
    ),
    "pipenv": TaskTool((TaskFile("Pipfile", tasks_at(toml_data, "scripts"), verbs="run"),)),
    "poetry": TaskTool(
        (
            _in_pyproject(_POETRY, "run"),
            _source(_BUILDS, "python", "install build", every=True),
        )
    ),
    "uv": TaskTool(
        (
            _in_pyproject("project.scripts", "run"),
            _source("setup.py hatch_build.py", "python", "sync build run", every=True),
        ),
        takes="with python p extra group package env-file",
    ),
    "alembic": TaskTool((_source("alembic/env.py migrations/env.py", "python"),)),
    "python-build": TaskTool((_source(_BUILDS, "python", every=True),)),
}

# JavaScript

_ENDS = ("js", "cjs", "mjs", "ts", "mts", "cts")
_CONFIGURED = (
    *("webpack", "vite", "vitest", "rollup", "tsup", "next", "nuxt", "astro", "svelte", "jest"),
    *("babel", "postcss", "tailwind", "playwright", "cypress", "eslint", "prettier", "stylelint"),
    *("commitlint", "metro", "snowpack", "remix", "vue", "craco", "rspack", "unocss", "knip"),
)
_OTHER_NAME = {"tailwindcss": "tailwind", "vue-cli-service": "vue", "react-scripts": "craco"}


def _config(name: str) -> TaskFile:
    files = " ".join(f"{name}.config.{end}" for end in _ENDS)
    return TaskFile(f"{files} .{name}rc.js .{name}rc.cjs", whole("js"), every=True)


_JS_TOOLS: Mapping[str, TaskTool] = {
    **{name: TaskTool((_config(name),), file="c config") for name in _CONFIGURED},
    **{name: TaskTool((_config(one),)) for name, one in _OTHER_NAME.items()},
    "gulp": TaskTool(
        (TaskFile(" ".join(f"gulpfile.{end}" for end in _ENDS), whole("js", chosen=True)),),
        file="f gulpfile",
        quiet="T tasks",
    ),
    "grunt": TaskTool(
        (_source("Gruntfile.js Gruntfile.cjs gruntfile.js", "js"),), file="gruntfile"
    ),
    "jake": TaskTool((_source("Jakefile Jakefile.js", "js"),), file="f"),
    "karma": TaskTool((_source("karma.conf.js", "js"),)),
    "mocha": TaskTool((_source(".mocharc.js .mocharc.cjs", "js"),)),
    "lint-staged": TaskTool(
        (
            TaskFile("package.json", every_task(LINT_STAGED)),
            TaskFile(".lintstagedrc .lintstagedrc.json", every_task(tasks_at(json_data, ""))),
            _source("lint-staged.config.js .lintstagedrc.js lint-staged.config.mjs", "js"),
        )
    ),
    "deno": TaskTool(
        (TaskFile("deno.json deno.jsonc package.json", DENO, verbs="task"),), file="c config"
    ),
}

# Other languages

_CARGO = "build b run r test t check c bench clippy doc install publish package fix nextest"
_COMPOSER_ALONG = {
    "install": "pre-install-cmd post-install-cmd pre-autoload-dump post-autoload-dump",
    "update": "pre-update-cmd post-update-cmd pre-autoload-dump post-autoload-dump",
    **dict.fromkeys(
        ("require", "remove", "upgrade", "u", "i"),
        "pre-update-cmd post-update-cmd pre-autoload-dump post-autoload-dump",
    ),
    **dict.fromkeys(("dump-autoload", "dumpautoload"), "pre-autoload-dump post-autoload-dump"),
}
_GRADLE = (
    "build.gradle build.gradle.kts settings.gradle settings.gradle.kts init.gradle"
    " */build.gradle */build.gradle.kts */*/build.gradle */*/build.gradle.kts"
    " buildSrc/src/main/*/*.gradle.kts gradle/*.gradle gradle/*.gradle.kts"
)
_BUILD_TOOLS: Mapping[str, TaskTool] = {
    "rake": TaskTool(
        (
            TaskFile(
                "Rakefile rakefile Rakefile.rb rakelib/*.rake lib/tasks/*.rake",
                rake,
                default="default",
                every=True,
            ),
        ),
        file="f rakefile",
        quiet="T tasks n dry-run P",
    ),
    "bundle": TaskTool((_source("Gemfile *.gemspec", "ruby", every=True),)),
    "rails": TaskTool((TaskFile("lib/tasks/*.rake", rake, every=True),)),
    "thor": TaskTool((_source("Thorfile *.thor", "ruby", every=True),)),
    "fastlane": TaskTool((_source("fastlane/Fastfile Fastfile", "ruby"),)),
    "pod": TaskTool((_source("Podfile", "ruby"),)),
    "vagrant": TaskTool((_source("Vagrantfile", "ruby"),)),
    "composer": TaskTool(
        (TaskFile("composer.json", JSON_SCRIPTS, along=_COMPOSER_ALONG),),
        place="d working-dir",
        quiet="no-scripts",
    ),
    "mix": TaskTool((_source("mix.exs config/config.exs", "elixir", every=True),)),
    "mage": TaskTool(
        (TaskFile("magefile.go magefiles/*.go", whole("go", chosen=True), every=True),), quiet="l"
    ),
    **dict.fromkeys(
        ("gradle", "gradlew"),
        TaskTool((_source(_GRADLE, "jvm", every=True),), place="p project-dir", takes="b c I x"),
    ),
    **dict.fromkeys(
        ("mvn", "mvnw"),
        TaskTool((TaskFile("pom.xml", translated(xml_commands)),), file="f file", takes="P pl"),
    ),
    "ant": TaskTool((TaskFile("build.xml", ant, default="default.target"),), file="f buildfile"),
    "sbt": TaskTool((_source("build.sbt project/*.sbt project/*.scala", "jvm", every=True),)),
    "lein": TaskTool((_source("project.clj", "clojure"),)),
    "dotnet": TaskTool(
        (
            TaskFile(
                "*.csproj *.fsproj Directory.Build.props Directory.Build.targets",
                translated(xml_commands),
                "build run test publish pack msbuild",
                every=True,
            ),
            _source("Program.cs *.cs", "csharp", "run test", every=True),
        )
    ),
    "cmake": TaskTool(
        (TaskFile("CMakeLists.txt", translated(cmake)),),
        file="P",
        place="S",
        takes="B G D C build preset target t j",
    ),
    "meson": TaskTool((TaskFile("meson.build", translated(meson), "setup compile"),)),
    "ninja": TaskTool((TaskFile("build.ninja", translated(ninja)),), file="f", place="C"),
    # just, task, mise, hooks
    "just": TaskTool(
        (
            TaskFile(
                "justfile Justfile .justfile",
                just,
                default="default.recipe",
                includes=just_includes,
            ),
        ),
        file="f justfile",
        takes="set shell d working-directory",
        quiet="n dry-run l list summary show evaluate choose dump fmt variables",
    ),
    **dict.fromkeys(
        ("task", "go-task"),
        TaskTool(
            (
                TaskFile(TASKFILES, TASKFILE, default="default", includes=taskfile_includes),
                _in_pyproject("tool.taskipy.tasks"),
            ),
            file="t taskfile",
            place="d dir",
            quiet="l list list-all dry n summary init a",
        ),
    ),
    "mise": TaskTool(
        (
            TaskFile(
                "mise.toml .mise.toml mise/config.toml .config/mise.toml",
                tasks_at(toml_data, "tasks"),
                every=True,
            ),
            TaskFile(
                "mise.toml .mise.toml",
                every_task(tasks_at(toml_data, "hooks")),
                "install use i u",
            ),
        ),
    ),
    "direnv": TaskTool((TaskFile(".envrc", whole("sh"), "allow exec reload permit grant"),)),
    "pre-commit": TaskTool(
        (TaskFile(".pre-commit-config.yaml", pre_commit, "run", default=ALL),),
        file="c config",
        takes="hook-stage files",
    ),
    "lefthook": TaskTool(
        (
            TaskFile(
                "lefthook.yml .lefthook.yml lefthook.yaml lefthook-local.yml",
                tasks_at(yaml_data, ""),
                "run",
                every=True,
            ),
        )
    ),
    "cargo": TaskTool(
        (TaskFile("Makefile.toml", tasks_at(toml_data, "tasks"), "make", default="default"),),
        takes="p package bin example target features manifest-path",
    ),
}
_COMPOSE = TaskFile(
    "compose.yaml compose.yml docker-compose.yml docker-compose.yaml",
    compose,
    "up run start restart create",
    default=ALL,
    every=True,
)


# Tools that need a word more


def _pip(call: ProgramCall) -> Iterator[Effect]:
    """What is installed from a directory is built there: its `setup.py` runs."""
    found = options(
        call.args, short="rcite", long="requirement constraint index-url target editable"
    )
    words = [word.text for word in found.operands if word.text not in ("pip", "install", "wheel")]
    for word in (*words, *(value.text for value in found.values("e", "editable"))):
        folder = re.sub(r"\[.*\]$", "", word).removeprefix("file://").rstrip("/")
        if folder and call.here.kind(folder) == "directory":
            where = None if folder == "." else Value(folder)
            for name in ("setup.py", "hatch_build.py"):
                text = call.here.text(f"{folder}/{name}")
                if text is not None:
                    yield RunText(name, "python", text, directory=where, role=RunRole.TOOL)


def _module_app(call: ProgramCall) -> Iterator[Effect]:
    """`uvicorn package.module:app`: the module is imported."""
    found = options(call.args, short="Awkcb", long="app factory host port workers app-dir env-file")
    for word in (*found.values("A", "app"), *found.operands):
        path = Value(word.text.partition(":")[0].replace(".", "/"))
        yield RunFile("python", path, (path,), role=RunRole.MODULE)


def _file_behind(verbs: str, language: str) -> Program:
    """`streamlit run app.py`: the file behind a verb runs."""

    def program(call: ProgramCall) -> Iterator[Effect]:
        words = options(call.args, short="f", long="port host config").operands
        if words[:1] and words[0].text in verbs.split():
            words = words[1:]
        yield from (source(language, word.text, role=RunRole.SCRIPT) for word in words[:1])

    return program


def _sphinx(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="bDcdtj", long="conf-dir doctree-dir")
    for word in (*found.values("c", "conf-dir"), *found.operands[:1]):
        yield source("python", f"{word.text.rstrip('/')}/conf.py")


_PLUGIN = late_regex(r"(?:^|[\s\"'=])-p[ =]?([A-Za-z_][\w.]*)")
_ADDED = late_regex(r"^\s*addopts\s*=\s*(.*(?:\n[ \t]+.*)*)", re.M)
_PYTEST_SETTINGS = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")


def _pytest_plugins(call: ProgramCall) -> Iterator[Effect]:
    """A plugin is a module that pytest imports: `-p NAME` of the call, or of its settings."""
    named = [value.text for value in options(call.args, short="p").values("p")]
    for file in _PYTEST_SETTINGS:
        added = _ADDED.search(call.here.text(file) or "")
        named += _PLUGIN.findall(added.group(1)) if added else []
    for name in named[:8]:
        path = Value(name.replace(".", "/"))
        yield RunFile("python", path, (path,), role=RunRole.MODULE)


def _cargo(call: ProgramCall) -> Iterator[Effect]:
    """A build script runs when anything is built; an alias is another call of cargo."""
    words = [word.text for word in options(call.args, short="p").operands]
    words = words[1:] if words[:1] and words[0].startswith("+") else words
    config = toml_data(call.here.text(".cargo/config.toml") or "")
    alias = at(config, "alias").get(words[0]) if words else None
    if alias is not None:
        given = alias.split() if isinstance(alias, str) else [str(one) for one in _list(alias)]
        yield RunProgram((Value("cargo"), *map(Value, [*given[:16], *words[1:]])))
    if not words or words[0] not in _CARGO.split():
        return
    manifest = at(toml_data(call.here.text("Cargo.toml") or ""), "package")
    script = manifest.get("build")
    yield source("rust", script if isinstance(script, str) else "build.rs")
    for member in _CARGO_MEMBERS:
        for name in (call.here.names(f"{member}/build.rs") or ())[: suites.MOST_TESTS]:
            folder, text = name.rpartition("/")[0], call.here.text(name)
            if text is not None:  # it runs where its package lies
                yield RunText("build.rs", "rust", text, directory=Value(folder), role=RunRole.TOOL)
    if words[0] in ("run", "r"):
        yield source("rust", "src/main.rs")
        yield from _cargo_member(call)
    for value in _strings(at(config, "target.*"), at(config, "build"), "runner", "rustc-wrapper"):
        yield from _start(value)


def _cargo_member(call: ProgramCall) -> Iterator[Effect]:
    """`cargo run -p NAME`: the program of a member runs in the directory of the call."""
    found = options(call.args, short="p", long="package bin")
    wanted = {word.text for word in found.values("p", "package", "bin")}
    members = (
        name for one in _CARGO_MEMBERS for name in call.here.names(f"{one}/Cargo.toml") or ()
    )
    for name in dict.fromkeys(islice(members, suites.MOST_TESTS)):
        folder = name.rpartition("/")[0]
        known = at(toml_data(call.here.text(name) or ""), "package").get("name")
        if not wanted or known in wanted:
            yield source("rust", f"{folder}/src/main.rs")
    for word in sorted(wanted):
        yield source("rust", f"src/bin/{word}.rs")


_CARGO_MEMBERS = ("*", "crates/*", "*/*")


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def _strings(*given: Mapping[str, object] | str) -> Iterator[str]:
    tables = [one for one in given if not isinstance(one, str)]
    for key in (one for one in given if isinstance(one, str)):
        for value in (table.get(key) for table in tables):
            yield from (str(one) for one in (_list(value) or ([value] if value else [])))


def _start(text: str) -> Iterator[Effect]:
    words = text.split()
    if words:
        yield RunProgram(tuple(map(Value, words)))


_GENERATES = late_regex(r"^//go:generate[ \t]+(.+)$", re.M)
_GO_FILES = ("*.go", "*/*.go", "*/*/*.go", "*/*/*/*.go")


def _go(call: ProgramCall) -> Iterator[Effect]:
    """`go run` runs sources, `go generate` the commands that stand in them."""
    found = options(call.args, short="o", long="exec tags run")
    words = [word.text for word in found.operands]
    verb, named = (words[0], words[1:]) if words else ("", [])
    if verb == "run":
        yield from (source("go", name, role=RunRole.SCRIPT) for name in _go_files(call, named[:1]))
    elif verb == "generate":
        for name in _go_files(call, named or ["."]):
            folder, _, _ = name.rpartition("/")
            lines = "\n".join(_GENERATES.findall(call.here.text(name) or ""))
            yield RunText(name, "sh", lines, directory=Value(folder) if folder else None)


def _go_files(call: ProgramCall, named: Sequence[str]) -> list[str]:
    """Return the sources that words of go stand for: files, packages, trees."""
    found: list[str] = []
    for name in named:
        place = name.removesuffix("...").rstrip("/") or "."
        start = "" if place == "." else f"{place.removeprefix('./')}/"
        if name.endswith(".go"):
            found.append(name)
        else:
            patterns = _GO_FILES if name.endswith("...") else _GO_FILES[:1]
            found += [one for p in patterns for one in call.here.names(start + p) or ()]
    return found[: suites.MOST_TESTS]


def _mise(call: ProgramCall) -> Iterator[Effect]:
    """Tasks of mise may be files as well."""
    words = [word.text for word in options(call.args, short="C").operands]
    for word in words[:2]:
        for folder in (
            "mise-tasks",
            ".mise-tasks",
            "mise/tasks",
            ".mise/tasks",
            ".config/mise/tasks",
        ):
            path = Value(f"{folder}/{word}")
            yield RunFile("", path, (path,))


_CMAKE_TOOLS = {
    **dict.fromkeys(("rm", "remove", "remove_directory"), "rm -rf"),
    **dict.fromkeys(("copy", "copy_if_different", "copy_if_newer"), "cp"),
    "copy_directory": "cp -r",
    "rename": "mv -T",
    "create_symlink": "ln -s",
    "create_hardlink": "ln",
    "make_directory": "mkdir -p",
    **{name: name for name in ("touch", "cat", "env", "time", "tar")},
}


def _cmake_tool(call: ProgramCall) -> Iterator[Effect]:
    """`cmake -E rm x`: the usual programs by cmake's own names."""
    words = call.args[1:]
    if call.args[:1] != (Value("-E"),) or not words:
        return
    if words[0].text == "chdir":
        yield RunProgram(tuple(words[2:]), words[1] if words[1:] else None)
    program = _CMAKE_TOOLS.get(words[0].text)
    if program:
        yield RunProgram((*map(Value, program.split()), *words[1:]))


def _behind(verb: str, skip: int) -> Program:
    """`direnv exec DIR CMD`: the command stands behind a verb and some words."""

    def program(call: ProgramCall) -> Iterator[Effect]:
        words = [word for word in call.args if word.text != "--"]
        if words[:1] == [Value(verb)] and words[1 + skip :]:
            yield RunProgram(tuple(words[1 + skip :]))

    return program


def _node(call: ProgramCall) -> Iterator[Effect]:
    """Files that run before the script, the script of a directory, and suites."""
    found = options(
        call.args, short="rC", long="require import loader env-file", first_operand_ends=True
    )
    for value in found.values("r", "require", "import", "loader"):
        yield from (source("js", value.text),) if value.text[:1] in ("./") else ()
    for word in found.operands[:1]:
        if call.here.kind(word.text) == "directory":
            manifest = at(json_data(call.here.text(f"{word.text}/package.json") or ""), "")
            yield source(
                "js", f"{word.text}/{manifest.get('main', 'index.js')}", role=RunRole.SCRIPT
            )
    if found.has("test"):
        yield from _NODE_TESTS(replace(call, args=found.operands))


_NODE_TESTS = run_tests(suites.JEST)


def _docker(call: ProgramCall) -> Iterator[Effect]:
    if call.args[:1] == (Value("compose"),):
        yield from _DOCKER_COMPOSE(replace(call, args=call.args[1:]))
        return
    words = [word for word in call.args if word.text not in ("buildx", "image", "builder")]
    if words[:1] == [Value("build")]:
        yield from _image(replace(call, args=tuple(words[1:])))


def _image(call: ProgramCall) -> Iterator[Effect]:
    """`docker build`: what a command of the Dockerfile prints of a file that it copies."""
    takes = "tag build-arg target platform secret ssh label network progress output cache-from"
    found = options(call.args, short="ftolmc", long=f"file {takes}")
    places = [word.text.rstrip("/") for word in found.operands[:1]] or ["."]
    folder = "" if places[0] == "." else f"{places[0]}/"
    named = [value.text for value in found.values("f", "file")]
    for file in named or [f"{folder}Dockerfile"]:
        for path in dockerfile_reads(call.here.text(file) or ""):
            yield Touch(Value(folder + path), Action.READ)


_DOCKER_COMPOSE = run_tasks(TaskTool((_COMPOSE,), file="f file", takes="p project-name"))


_SPECIAL: Mapping[str, Program] = {
    **dict.fromkeys(("make", "gmake", "bmake", "remake"), make),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun", "cnpm"), package),
    **dict.fromkeys(("npx", "bunx", "pnpx"), npx),
    **dict.fromkeys(("turbo", "lerna", "rush", "wsrun"), each_package),
    "nx": nx,
    **dict.fromkeys(("pip", "pipx"), _pip),
    **dict.fromkeys(("uvicorn", "gunicorn", "hypercorn", "granian", "celery"), _module_app),
    "streamlit": _file_behind("run", "python"),
    "fastapi": _file_behind("run dev", "python"),
    "locust": _file_behind("", "python"),
    "nodemon": _file_behind("", "js"),
    "pm2": _file_behind("start", "js"),
    **dict.fromkeys(("java", "kotlin", "scala", "jbang"), _file_behind("run", "jvm")),
    "swift": _file_behind("run", "swift"),
    "dart": _file_behind("run", "dart"),
    "sphinx-build": _sphinx,
    "cmake": _cmake_tool,
    "direnv": _behind("exec", 1),
    "tox": _behind("exec", 0),
    "cargo": _cargo,
    "go": _go,
    **dict.fromkeys(("pytest", "py.test"), _pytest_plugins),
    **DOCUMENTS,
    "mise": _mise,
    "uv": _pip,
    **dict.fromkeys(("node", "nodejs"), _node),
    **dict.fromkeys(("docker", "podman"), _docker),
    **dict.fromkeys(("docker-compose", "podman-compose"), _DOCKER_COMPOSE),
}
_TESTS: Mapping[str, Program] = {
    name: run_tests(tool)
    for names, tool in (
        ("pytest py.test", suites.PYTEST),
        ("unittest", suites.UNITTEST),
        ("jest vitest ava", suites.JEST),
        ("mocha", suites.MOCHA),
        ("bun deno playwright", suites.VERB_JS),
        ("rspec", suites.RSPEC),
        ("phpunit pest", suites.PHPUNIT),
        ("prove", suites.PROVE),
        ("go", suites.GO_TEST),
        ("cargo", suites.CARGO_TEST),
        ("mix", suites.MIX_TEST),
    )
    for name in names.split()
}
_TOOLS = {**_PYTHON_TOOLS, **_JS_TOOLS, **_BUILD_TOOLS}


def _program(name: str) -> Program:
    """Return all that is known of a tool."""
    own = [
        table[name] for table in (PROGRAMS, RUNNERS, TERMINALS, _SPECIAL, _TESTS) if name in table
    ]
    own += PROJECT_CODE.get(name, ())
    return also(*own, *([run_tasks(_TOOLS[name])] if name in _TOOLS else []))


TASKS: Mapping[str, Program] = {
    name: _program(name) for name in (*_SPECIAL, *_TESTS, *_TOOLS, *PROJECT_CODE)
}
