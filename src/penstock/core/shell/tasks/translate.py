"""Build files that are neither data nor code, as the shell text that they come to.

CMake, Meson and Ninja, the XML of Ant, Maven and MSBuild, PowerShell: commands in them become
commands, and what they do to files themselves becomes the shell's word for it.
Always true: what is not known to run something is left out; a variable stays a variable.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import islice

from penstock.core.shell.tasks.model import Task, Tasks
from penstock.core.text.late_regex import late_regex

MOST_FOUND = 512

# CMake

_CMAKE = late_regex(r"^[ \t]*(\w+)[ \t]*\(((?:[^()\"#]|\"(?:[^\"\\]|\\.)*\"|#[^\n]*)*)\)", re.M)
_CMAKE_WORD = late_regex(r"\"((?:[^\"\\]|\\.)*)\"|([^\s\"#]+)|#[^\n]*", re.DOTALL)
_CMAKE_RUNS = frozenset(
    {"execute_process", "add_custom_command", "add_custom_target", "add_test", "exec_program"}
)
_CMAKE_PLACE = late_regex(r"\$\{(?:CMAKE_(?:CURRENT_)?(?:SOURCE|LIST)_DIR|PROJECT_SOURCE_DIR)\}/?")
_CMAKE_FILES = {
    **dict.fromkeys(("WRITE", "APPEND", "TOUCH", "CONFIGURE"), "tee {0}"),
    **dict.fromkeys(("REMOVE", "REMOVE_RECURSE"), "rm -rf {all}"),
    "RENAME": "mv {0} {1}",
    "COPY_FILE": "cp {0} {1}",
    "READ": "cat {0}",
    "STRINGS": "cat {0}",
}
_KEYWORD = late_regex(r"[A-Z][A-Z_]+")


def cmake(text: str) -> str:
    """Return what a `CMakeLists.txt` runs, and what it does to files."""
    return "\n".join(islice(_cmake_lines(text), MOST_FOUND))


def _cmake_lines(text: str) -> Iterator[str]:
    for found in _CMAKE.finditer(text):
        name = found.group(1).lower()
        words = [
            _CMAKE_PLACE.sub("", quoted or plain)
            for quoted, plain in _CMAKE_WORD.findall(found.group(2))
            if quoted or plain
        ]
        if name == "file" and words and words[0].upper() in _CMAKE_FILES:
            yield _on_files(_CMAKE_FILES[words[0].upper()], words[1:])
        elif name == "configure_file" and len(words) > 1:
            yield f"cp {shlex.quote(words[0])} {shlex.quote(words[1])}"
        elif name in _CMAKE_RUNS:
            yield from _commands(words)


def _on_files(form: str, words: list[str]) -> str:
    names = [shlex.quote(word) for word in words] or [""]
    return form.format(*(*names, ""), all=" ".join(names))


def _commands(words: list[str]) -> Iterator[str]:
    """Yield the words behind each `COMMAND`, up to the next keyword."""
    now: list[str] | None = None
    for word in (*words, "COMMAND"):
        if word == "COMMAND":
            if now:
                yield shlex.join(now)
            now = []
        elif now is not None and _KEYWORD.fullmatch(word):
            yield shlex.join(now)
            now = None
        elif now is not None:
            now.append(word)


# Meson, Ninja

_MESON = late_regex(r"\b(?:run_command\s*\(|command\s*:\s*\[)\s*((?:'[^'\n]*'\s*,?\s*)+)")
_MESON_WORD = late_regex(r"'([^'\n]*)'")
_NINJA = late_regex(r"^[ \t]*(\w+)[ \t]*=[ \t]*(.*)$", re.M)


def meson(text: str) -> str:
    """Return the commands of a `meson.build`."""
    found = islice(_MESON.finditer(text), MOST_FOUND)
    return "\n".join(shlex.join(_MESON_WORD.findall(one.group(1))) for one in found)


def ninja(text: str) -> str:
    """Return the commands of a `build.ninja`; its variables are a shell's in all but the dollar."""
    lines = text.replace("$\n", " ")
    found = islice(_NINJA.findall(lines), MOST_FOUND)
    return "\n".join(
        value.replace("$$", "$") if name == "command" else f"{name}={shlex.quote(value)}"
        for name, value in found
    )


# XML

_TAG = late_regex(r"<(/?)([A-Za-z][\w.-]*)((?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*)\s*(/?)>")
_ATTRIBUTE = late_regex(r"([\w:.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_ANT_FILES = {
    "delete": ("rm -rf", ("file", "dir")),
    "echo": ("tee", ("file",)),
    "touch": ("touch", ("file",)),
    "copy": ("cp", ("file", "tofile", "todir")),
    "move": ("mv", ("file", "tofile", "todir")),
    "concat": ("tee", ("destfile",)),
    "replace": ("tee", ("file",)),
    "get": ("tee", ("dest",)),
    "loadfile": ("cat", ("srcFile",)),
    "propertyfile": ("tee", ("file",)),
}
_TARGET = late_regex(r"<target\b([^>]*?)(?:/>|>(.*?)</target>)", re.DOTALL)
_PROJECT = late_regex(r"<project\b([^>]*)>")
_PLACES = late_regex(r"\$[{(](?:basedir|project\.basedir|MSBuildProjectDirectory)[})]/?")


def ant(text: str) -> Tasks:
    """Read the targets of a `build.xml`."""
    targets: dict[str, Task] = {}
    for given, body in islice(_TARGET.findall(text), MOST_FOUND):
        keys = _attributes(given)
        needs = keys.get("depends", "").replace(" ", "").split(",")
        targets[keys.get("name", "")] = Task((xml_commands(body),), tuple(filter(None, needs)))
    project = _PROJECT.search(text)
    default = _attributes(project.group(1)).get("default", "") if project else ""
    around = xml_commands(_TARGET.sub("", text))
    return {**targets, "": Task((around,)), "default.target": Task(needs=(default,))}


def _attributes(text: str) -> dict[str, str]:
    return {name: _unescape(one or other) for name, one, other in _ATTRIBUTE.findall(text)}


def _unescape(text: str) -> str:
    for name, char in (("&quot;", '"'), ("&apos;", "'"), ("&gt;", ">"), ("&lt;", "<")):
        text = text.replace(name, char)
    return _PLACES.sub("", text.replace("&amp;", "&"))


def xml_commands(text: str) -> str:
    """Return what the elements of a build file run, and what they do to files."""
    return "\n".join(islice(_xml_lines(text), MOST_FOUND))


def _xml_lines(text: str) -> Iterator[str]:
    words: list[str] = []
    shell = False
    for found in _TAG.finditer(text):
        closes, name, given, _ = found.groups()
        attributes = _attributes(given)
        if closes and name in ("exec", "configuration") and words:
            yield shlex.join(words)
            words = []
        elif "Command" in attributes:  # MSBuild
            yield attributes["Command"]
        elif name in ("exec", "apply") and "executable" in attributes:
            words = [attributes["executable"]]
            shell = True
        elif name == "arg" and words and shell:
            words += [attributes["value"]] if "value" in attributes else []
            words += attributes.get("line", "").split()
        elif name in ("executable", "argument", "commandlineArgs") and not closes:
            words.append(_content(text, found.end()))
        elif name in _ANT_FILES and not closes:
            program, keys = _ANT_FILES[name]
            operands = [shlex.quote(attributes[key]) for key in keys if key in attributes]
            yield " ".join([program, *operands]) if operands else ""


def _content(text: str, at: int) -> str:
    return _unescape(text[at : text.find("<", at)].strip())


# PowerShell

_CMDLETS = {
    **dict.fromkeys(
        ("set-content", "add-content", "out-file", "new-item", "sc", "ac", "ni"), "tee"
    ),
    **dict.fromkeys(("clear-content", "tee-object", "clc"), "tee"),
    **dict.fromkeys(("remove-item", "ri", "del", "erase", "rd"), "rm"),
    **dict.fromkeys(("copy-item", "ci", "cpi", "copy"), "cp"),
    **dict.fromkeys(("move-item", "rename-item", "mi", "rni", "ren", "move"), "mv"),
    **dict.fromkeys(("get-content", "gc", "type"), "cat"),
    **dict.fromkeys(("invoke-expression", "iex"), "eval"),
}
_CMDLET = late_regex(r"(?:^|[|;&({]|\bthen\b)[ \t]*([A-Za-z]+(?:-[A-Za-z]+)?)\b", re.M)
_NAMED = late_regex(
    r"(?i)(?<=\s)-(?:path|literalpath|filepath|destination|force|recurse|encoding|nonewline)\b:?"
)
_VALUE = late_regex(
    r"(?i)\s-(?:value|itemtype|encoding|inputobject)[ :]+(?:\"[^\"]*\"|'[^']*'|\S+)"
)


def powershell(text: str) -> str:
    """Return what PowerShell does to files, in the words of a shell."""
    plain = _NAMED.sub("", _VALUE.sub("", text))
    return _CMDLET.sub(lambda m: m.group().replace(m[1], _CMDLETS.get(m[1].lower(), m[1])), plain)
