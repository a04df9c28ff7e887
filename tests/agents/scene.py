"""The project in which the scenarios play, and how they look at it afterwards."""

from __future__ import annotations

from typing import Any

from tests.project import Project

SECRET = "TOKEN=keep-me\n"
LOCK = '{"lockfileVersion": 3}\n'
NOTES = "first\nsecond\nthird\n"
BIG = "".join(f"value_{n} = {n}\n" for n in range(270))
SMALL = "".join(f"value_{n} = {n}\n" for n in range(56))  # 214 of the 270 lines are gone

OWN_RULES = """
version = 1
preset = "guard"

[[deny]]
id = "db"
paths = ["db/**"]
reason = "{path} is the database's"
"""


def furnish(project: Project) -> Project:
    """Put files there that are protected, told about, large and free."""
    project.write(".env", SECRET)
    project.write("package-lock.json", LOCK)
    project.write("src/app.py", "print('hello')\n")
    project.write("lib/big.py", BIG)
    project.write("notes.txt", NOTES)
    project.write(".git/config", "[core]\n")
    return project


def guarded(project: Project, agent: str, *more: str, rules: str = "") -> Project:
    """Furnish the project and let `penstock init` register the hook with one agent."""
    furnish(project)
    if rules:
        project.write("penstock.toml", rules)
    done = project.run("init", "--agent", agent, *more)
    assert done.code == 0, done
    return project


def text_of(project: Project, path: str) -> str | None:
    file = project.root / path
    return file.read_text() if file.exists() else None


def untouched(project: Project) -> bool:
    """Tell whether everything that is protected is as it was."""
    kept = {".env": SECRET, "package-lock.json": LOCK, ".git/config": "[core]\n", "lib/big.py": BIG}
    return all(text_of(project, path) == text for path, text in kept.items())


def events(project: Project, *, rule: str = "", **fields: str) -> list[dict[str, Any]]:
    """Return the lines of the record that have these values, and name a rule."""
    done = project.run("audit", "log", "--json")
    assert done.code == 0, done
    found: list[dict[str, Any]] = done.json["events"]
    named = [e for e in found if not rule or rule in e.get("rules", ())]
    return [e for e in named if all(e.get(name) == value for name, value in fields.items())]


def proven(project: Project) -> bool:
    """Tell whether the record holds together."""
    return project.run("audit", "verify").code == 0
