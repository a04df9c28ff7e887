"""Files that code reads and shows when it runs, found when the code is written.

A script that a command names is read when it runs (`core.shell.scripts`). Code that a framework
finds by itself, a test, a plugin, a build file, a page of a server, runs without being named, so
it is looked at when an agent writes it. Settings that a program takes in for itself are shown to
nobody: only code that reads a file and prints or sends something counts, and only what is new.
Always true: the text alone is looked at, a bounded part of it; whether a file matters is the
rules' to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from posixpath import basename, dirname, join, normpath, splitext

from penstock.core.shell.programs.reads.literals import named_in_code
from penstock.core.shell.script_files import shows, works_elsewhere
from penstock.core.text.late_regex import late_regex
from penstock.core.text.secret_signs import names_secret_file
from penstock.core.tools.built_names import built_names

MOST_CODE = 262_144
MOST_NAMES = 16
# Languages, and files of tools, that run what they hold.
CODE = frozenset(
    {
        *(".py", ".pyi", ".ipynb", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts"),
        *(".tsx", ".vue", ".svelte", ".rb", ".rake", ".php", ".phtml", ".go", ".rs", ".java"),
        *(".kt", ".kts", ".groovy", ".gradle", ".scala", ".clj", ".ex", ".exs", ".erl", ".lua"),
        *(".pl", ".pm", ".r", ".jl", ".cs", ".fs", ".swift", ".dart", ".c", ".h", ".cc"),
        *(".cpp", ".cxx", ".hpp", ".m", ".nim", ".zig", ".sh", ".bash", ".zsh", ".fish"),
        *(".ps1", ".awk", ".tf", ".hcl", ".nix", ".bzl", ".bazel", ".cmake", ".mk", ".yml"),
        *(".yaml", ".dockerfile"),
    }
)
NAMES = frozenset(
    {
        *("Dockerfile", "Containerfile", "Makefile", "GNUmakefile", "Justfile", "justfile"),
        *("Rakefile", "Gemfile", "Jenkinsfile", "Vagrantfile", "BUILD", "WORKSPACE"),
    }
)
_HOME = late_regex(r"(?<![\w.])(?:~|\$\$?\{?HOME\}?|\$\(HOME\))/([\w.][\w./-]{1,200})")
_SENT = late_regex(r"(?<!\w)@(\.{0,2}/?[\w.][\w./-]{1,200})")
_COPIED = late_regex(r"^[ \t]*(?:COPY|ADD)[ \t]+(?:--\S+[ \t]+)*(\S{2,200})[ \t]", re.MULTILINE)
_MOUNTED = late_regex(r"""(?:^|[\s"'\[,=])([\w.~/][\w./-]{0,200}):(/[\w./-]{1,200})""", re.M)
_PRINTED = late_regex(
    r"\b(?:cat|head|tail|base64|xxd|strings)[ \t]+(?:-\S+[ \t]+)*([\w./~][\w./-]{1,200})"
)
# What shows a value without a call that prints: an output of a plan, a message of a playbook, a
# test that fails and says what it found, a value that is put into a page.
_DECLARES = late_regex(
    r"^[ \t]*(?:output\b|- debug:|debug:|msg:|cmd\b|command:|assert\b)"
    r"|\bexpect\(|\breadfile\(|\bdefine:|std::cout|\bgetline\b",
    re.MULTILINE,
)


def shown_files(path: str, before: bytes | None, after: bytes) -> Iterator[str]:
    """Yield the files that new code in a file reads and shows, as seen from the project.

    `path` is relative to the project. A relative name counts from there and from the file.
    """
    if not _is_code(path) or not names_secret_file(after):
        return
    text = after[:MOST_CODE].decode("utf-8", "replace")
    if works_elsewhere(text) or not (shows(text) or _DECLARES.search(text)):
        return
    new = _new_lines(before or b"", text)
    seen: set[str] = set()
    for name in islice(_named(new), MOST_NAMES):
        for place in _places(path, name):
            if place not in seen:
                seen.add(place)
                yield place


def _is_code(path: str) -> bool:
    name = basename(path)
    return splitext(name)[1].lower() in CODE or name.partition(".")[0] in NAMES


def _new_lines(before: bytes, text: str) -> str:
    known = set(before[:MOST_CODE].decode("utf-8", "replace").split("\n"))
    return "\n".join(line for line in text.split("\n") if line not in known)


def _named(text: str) -> Iterator[str]:
    """Yield the names that code hands to a call, or to a command inside of it."""
    yield from named_in_code(text)
    if '"' in text and "'" in text:  # one kind of quotes inside of the other
        yield from named_in_code(text.replace('"', " "))
    yield from (f"~/{found}" for found in _HOME.findall(text))
    yield from _SENT.findall(text)
    yield from _COPIED.findall(text)
    printed = _PRINTED.findall(text)
    yield from printed
    mounts = {there: here for here, there in _MOUNTED.findall(text)} if printed else {}
    yield from (mounts[name] for name in printed if name in mounts)
    yield from built_names(text)


def _places(path: str, name: str) -> Iterator[str]:
    if name.startswith(("/", "~")):
        yield name
        return
    for folder in dict.fromkeys(("", dirname(path))):
        place = normpath(join(folder, name))
        if not place.startswith(".."):
            yield place
