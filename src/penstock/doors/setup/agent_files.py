"""What is found when hooks are looked at, where to look, and how agents' settings are read.

Always true: a settings file that cannot be read is a finding and never passed over; reading
changes nothing.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Generator, Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from penstock.core.errors import InputError
from penstock.doors.setup import json_splice

OK, NOTE, WARN, BAD = "ok", "note", "warn", "bad"
LARGEST = 16 * 1024 * 1024


class Finding(Struct, frozen=True, kw_only=True):
    """One thing that was looked at: how it is, and what to do where it is not well."""

    name: str
    status: str
    what: str
    hint: str = ""


class SettingsPlace(Struct, frozen=True, kw_only=True):
    """Where to look. `system` is put in front of the paths that are for all users.

    `environ` are the variables by which agents' settings lie elsewhere.
    """

    root: str
    home: str
    system: str = ""
    environ: Mapping[str, str] = field(default_factory=dict)

    def settings(self, name: str, usual: str, *, below: str = "") -> str:
        """Return a place of settings: what a variable names, or the usual one in the home.

        `below` is where in the variable's place it lies.
        """
        given = self.environ.get(name, "")
        if not given:
            return os.path.join(self.home, usual)
        if given == "~" or given.startswith("~/"):
            given = self.home + given[1:]
        return os.path.normpath(os.path.join(self.root, given, below))


def place_of(root: str) -> SettingsPlace:
    """Return where to look for a project on this machine."""
    return SettingsPlace(root=root, home=os.path.expanduser("~"), environ=os.environ)


# Reading


def settings_of(path: str, place: SettingsPlace) -> Generator[Finding, None, dict[str, Any] | None]:
    """Return a settings file as an object, None where there is none; tell what is wrong."""
    try:
        return json_of(path)
    except InputError as wrong:
        yield Finding(
            name="settings",
            status=BAD,
            what=f"`{shown(path, place)}` can't be read, so its hooks are ignored: "
            f"{wrong.because or wrong.message}",
            hint="fix the file",
        )
    return None


def json_of(path: str) -> dict[str, Any] | None:
    """Return a JSON file as an object, None where there is none. Raises InputError."""
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST)
    except FileNotFoundError:
        return None
    except OSError as fault:
        raise InputError(
            "unreadable", f"`{path}`", because=(fault.strerror or "").lower()
        ) from None
    document = json_splice.read(data, path)[1]
    if not isinstance(document, dict):
        why = "it is not an object"
        raise InputError("settings-shape", f"`{path}` has no settings", because=why)
    return document


def commented(path: str) -> dict[str, Any]:
    """Return a file that an agent manages: JSON with lines of comment; {} where it is none."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = [line for line in file.read(LARGEST).split("\n") if line.lstrip()[:2] != "//"]
        found = json.loads("\n".join(lines))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def below(path: str, folder: str) -> bool:
    """Say whether a path is a folder or lies below it."""
    return (path + "/").startswith(folder.rstrip("/") + "/")


def toml_of(path: str) -> dict[str, Any]:
    """Return a TOML file, {} where it is none."""
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except (OSError, ValueError):
        return {}


def table_of(document: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return the object under a key, {} where there is none."""
    found = document.get(key)
    return found if isinstance(found, dict) else {}


def shown(path: str, place: SettingsPlace) -> str:
    """Return a path as a person finds it: from the project, from the home, or whole."""
    for above, sign in ((place.root, ""), (place.home, "~/")):
        if above and path.startswith(above + "/"):
            return sign + path[len(above) + 1 :]
    return path


def wrong_types(
    document: Mapping[str, Any], path: str, place: SettingsPlace, known: frozenset[str]
) -> Iterator[Finding]:
    """One hook of a type that the agent does not know drops all hooks of its file."""
    for event, group in _groups(document):
        inner = group.get("hooks")
        for hook in inner if isinstance(inner, list) else ():
            kind = hook.get("type") if isinstance(hook, dict) else None
            if kind not in known:
                yield Finding(
                    name="hook-type",
                    status=BAD,
                    what=f"`{shown(path, place)}` has a hook of type `{kind}` for `{event}`, "
                    "which drops every hook of the file",
                    hint="fix or remove that hook",
                )


def _groups(document: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    hooks = document.get("hooks")
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            if isinstance(group, dict):
                yield event, group
