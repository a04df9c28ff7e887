"""Find a program that Penstock itself starts, on PATH, and never in a project.

A project's own directories are often on PATH (`bin`, `.venv/bin`, `node_modules/.bin`), and agents
write there. What they put there must not run in our name.
Always true: an entry of PATH that is relative, or lies in one of the projects, is passed over.
"""

from __future__ import annotations

import os

from penstock.stores.system.places import workspace_above


def program_outside(name: str, *folders: str) -> str:
    """Return the absolute path of a program that lies in no project of some folders, or ""."""
    projects = [workspace_above(os.path.realpath(folder)) for folder in folders if folder]
    for entry in os.environ.get("PATH", os.defpath).split(os.pathsep):
        found = os.path.join(entry, name)
        if not entry.startswith("/") or not os.access(found, os.X_OK) or not os.path.isfile(found):
            continue
        places = {os.path.realpath(entry), os.path.dirname(os.path.realpath(found))}
        if not any(_is_in(place, project) for place in places for project in projects):
            return found
    return ""


def _is_in(place: str, project: str) -> bool:
    return project != "/" and (place == project or place.startswith(f"{project}/"))
