"""Which language a file is written in: by its name, and by the first line of a script without one.

Always true: a name that the table knows decides, so that no content can pass for another language
than its name promises.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Language(StrEnum):
    """The languages that something here knows anything about."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"  # TypeScript as well
    GO = "go"
    RUST = "rust"
    JAVA = "java"  # and Kotlin, Groovy, Scala
    CSHARP = "csharp"
    C = "c"  # and C++, Objective-C
    RUBY = "ruby"
    PHP = "php"
    SHELL = "shell"
    POWERSHELL = "powershell"
    CSS = "css"
    MARKDOWN = "markdown"
    TOML = "toml"
    INI = "ini"
    YAML = "yaml"
    JSON = "json"
    SQL = "sql"
    HTML = "html"
    MAKE = "make"
    DOCKER = "docker"
    SWIFT = "swift"


_ENDINGS = {
    Language.PYTHON: "py pyi pyw pyx pxd py3 bzl bazel",
    Language.JAVASCRIPT: "js jsx mjs cjs ts tsx mts cts vue svelte astro",
    Language.GO: "go",
    Language.RUST: "rs",
    Language.JAVA: "java kt kts groovy gradle scala sc",
    Language.CSHARP: "cs csx",
    Language.C: "c h cc cpp cxx c++ hh hpp hxx h++ ipp tpp inl m mm cu cuh ino",
    Language.RUBY: "rb rake gemspec ru podspec",
    Language.PHP: "php phtml php5 php7 php8",
    Language.SHELL: "sh bash zsh ksh dash fish bats envrc",
    Language.POWERSHELL: "ps1 psm1 psd1",
    Language.CSS: "css scss sass less",
    Language.MARKDOWN: "md markdown mdx mdc",
    Language.TOML: "toml",
    Language.INI: "ini cfg conf properties editorconfig service desktop npmrc env",
    Language.YAML: "yaml yml",
    Language.JSON: "json jsonc json5 webmanifest ipynb",
    Language.SQL: "sql ddl psql",
    Language.HTML: "html htm xhtml xml svg xaml csproj vbproj fsproj props targets "
    "jinja j2 hbs erb",
    Language.MAKE: "mk mak",
    Language.DOCKER: "dockerfile containerfile",
    Language.SWIFT: "swift",
}
_NAMES = {
    Language.PYTHON: "sconstruct sconscript wscript build workspace",
    Language.RUBY: "rakefile gemfile podfile vagrantfile fastfile brewfile dangerfile",
    Language.JAVA: "jenkinsfile",
    Language.SHELL: ".bashrc .bash_profile .bash_login .profile .zshrc .zshenv .zprofile .envrc "
    "pkgbuild apkbuild",
    Language.MAKE: "makefile gnumakefile bsdmakefile justfile",
    Language.DOCKER: "dockerfile containerfile",
    Language.INI: ".gitconfig .gitmodules .npmrc .yarnrc .pypirc .flake8 .pylintrc .coveragerc "
    ".env",
    Language.TOML: "pipfile",
}
BY_ENDING: Mapping[str, Language] = {
    ending: language for language, row in _ENDINGS.items() for ending in row.split()
}
BY_NAME: Mapping[str, Language] = {
    name: language for language, row in _NAMES.items() for name in row.split()
}
# Languages in which the blanks before a line decide what it belongs to.
BY_INDENTATION = frozenset({Language.PYTHON, Language.YAML, Language.MAKE})


_SHEBANGS = {
    Language.PYTHON: "python pypy uv",
    Language.JAVASCRIPT: "node deno bun ts-node tsx",
    Language.SHELL: "sh bash zsh ksh dash ash fish",
    Language.RUBY: "ruby",
    Language.PHP: "php",
    Language.POWERSHELL: "pwsh",
    Language.MAKE: "make",
}
BY_SHEBANG: Mapping[str, Language] = {
    name: language for language, row in _SHEBANGS.items() for name in row.split()
}


def language_of(path: str, content: bytes | None = None) -> Language | None:
    """Return the language of a file: `Dockerfile.dev` and `app.test.ts` are known, too.

    Where the name says nothing, the first line of a script does.
    """
    name = file_name(path)
    first, ending = name.partition(".")[0], name.rpartition(".")[2]
    known = BY_NAME.get(name) or (BY_ENDING.get(ending) if "." in name else None)
    return known or BY_NAME.get(first) or _by_shebang(content or b"")


def _by_shebang(content: bytes) -> Language | None:
    """Return the language of `#!/usr/bin/env -S python3 -u`."""
    if not content.startswith(b"#!"):
        return None
    words = content[2:128].partition(b"\n")[0].decode("ascii", "replace").split()
    names = (word.rsplit("/", 1)[-1].rstrip("0123456789.") for word in words)
    return next((BY_SHEBANG[name] for name in names if name in BY_SHEBANG), None)


def file_name(path: str) -> str:
    """Return the last part of a path, in lower case: names fold on many disks."""
    return path.rsplit("/", 1)[-1].lower()
