"""Write what comes from the code: commands, error codes, the JSON API, the distribution's name.

So does the registration in the plugin that starts the installed hook.

`python tools/manual.py` writes them, `python tools/manual.py --check` says whether they are
what the code says.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from penstock.cli import COMMANDS, penstock
from penstock.core.distribution import NAME
from penstock.doors.hook.agents import claude
from penstock.doors.setup.scopes import shared_command
from penstock.stores.files import errors as refusals
from penstock.stores.system import os_errors, private

ROOT = Path(__file__).resolve().parent.parent
KINDS = {
    "InputError": "the caller",
    "RulesError": "the rules author",
    "RefusedError": "a person",
    "StaleError": "the agent",
    "NewerError": "a person",
    "AuditError": "the auditor",
    "StoreError": "the operator",
    "GitError": "the operator",
    "PenstockError": "the caller",
}
# Codes that stand in tables, one for each error of the kernel's.
FROM_THE_KERNEL: tuple[tuple[Mapping[int, tuple[str, ...]], str], ...] = (
    (refusals.CALLER, "the caller"),
    (private.WHY, "the operator"),
    (os_errors.FAULTS, "the auditor"),
)


def commands() -> str:
    """Return the page of all commands, their arguments and options."""
    out = ["# Commands", "", "Made from the code by `tools/manual.py`.", ""]
    for name in COMMANDS:
        with click.Context(penstock, info_name="penstock") as above:
            command = penstock.get_command(above, name)
            assert command is not None
            out += _command(command, above, name, "##")
    return "\n".join(out).rstrip() + "\n"


def _command(command: click.Command, above: click.Context, name: str, level: str) -> Iterator[str]:
    with click.Context(command, info_name=name, parent=above) as ctx:
        yield f"{level} {ctx.command_path}"
        yield ""
        yield "```text"
        yield "\n".join(line.rstrip() for line in command.get_help(ctx).splitlines())
        yield "```"
        yield ""
        if isinstance(command, click.Group) and command is not penstock:
            for sub in command.list_commands(ctx):
                found = command.get_command(ctx, sub)
                assert found is not None
                yield from _command(found, ctx, sub, level + "#")


def codes() -> dict[str, set[str]]:
    """Return every error code in the source with who acts next."""
    found: dict[str, set[str]] = {}
    for table, who in FROM_THE_KERNEL:
        for code, *_ in table.values():
            found.setdefault(code, set()).add(who)
    for file in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                acts = KINDS.get(node.func.id)
                for code in _texts(node.args[0]) if acts and node.args else ():
                    found.setdefault(code, set()).add(acts or "")
    return found


def _texts(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _texts(node.body)
        yield from _texts(node.orelse)


def errors() -> str:
    """Return the page of all error codes."""
    out = [
        "# Error codes",
        "",
        "Made from the code by `tools/manual.py`. A code is stable; the sentences may improve.",
        "Every error says what happened, why, and what to do. Who acts next:",
        "",
    ]
    for code, who in sorted(codes().items()):
        out += [f"## {code}", "", f"{' or '.join(sorted(who))} acts next.".capitalize(), ""]
    return "\n".join(out).rstrip() + "\n"


API = """\
# The JSON API

Made from the code by `tools/manual.py`. `penstock serve` answers it at
`http://127.0.0.1:7717/api/v1`, and describes it there in OpenAPI 3.1: `/api/v1/openapi.json`.

## Who may ask

Every call but that for the description needs the person's token, which stands in `admin.token`
of the state directory (`~/.local/state/penstock`, or below `XDG_STATE_HOME`), readable by you
alone:

```sh
curl -H "Authorization: Bearer $(cat ~/.local/state/penstock/admin.token)" \\
  http://127.0.0.1:7717/api/v1/proposals
```

The hook's token does not work here (403, `hook-token`). The person's token lets you look, send
back and prepare. It proves no person, as an agent that runs as you can read the file, too:
approving and undoing ask for the approver's passphrase besides, exactly as
[the page](../concepts/approval-page.md) does, and without a key they are refused (`key-needed`).
Wrong passphrases wait, are on the record, and lock.

## What is approved is what was shown

Answers carry `content_digest`, as the call that showed the change gave it. Where that is not what
would be written now, or the file was saved since, the answer is 409 with the code
`newer-version`, `not-as-shown` or `base-changed`, and `differences` holds a diff of what was shown
against what is there.

What was not given is not approved unseen. Name yourself with `viewer` (any name that is hard to
guess) when you ask for `diff` or `preview`, and again when you approve: the lines that were given
under that name count as shown. `unseen` in the answer names what is left. An approval without it
is refused (403, `not-shown`), unless it carries the `unseen_digest` that names exactly these parts;
the audit log then says that they were not shown. Binary content, and lines that are not UTF-8, do
not come through JSON and so are always named. A set's `undo` is asked with the id of the set.

## Errors

`{"error": {"code": ..., "message": ..., "because": ..., "try": ...}}`, with a
[stable code](errors.md). Unknown fields and parameters are errors, not ignored.

| status | means |
|---|---|
"""


def api() -> str:
    """Return the page of the JSON API."""
    from penstock.doors.web.api.endpoints import ENDPOINTS
    from penstock.doors.web.api.openapi import REFUSED

    out = [API + "\n".join(f"| {status} | {about} |" for status, about in REFUSED.items()), ""]
    for one in ENDPOINTS:
        out += [f"## {one.method} {one.path}", "", f"{one.about}.", ""]
        needed = one.body["required"] if one.body else []
        fields = [("query", name, schema, False) for name, schema in one.query.items()]
        fields += [
            ("body", name, schema, name in needed)
            for name, schema in (one.body["properties"] if one.body else {}).items()
        ]
        if fields:
            out += ["| in | name | type | what |", "|---|---|---|---|"]
            out += [_field(*each) for each in fields] + [""]
        out += [f"Gives {', '.join(f'`{name}`' for name in one.gives)}.", ""]
    return "\n".join(out).rstrip() + "\n"


def _field(where: str, name: str, schema: Mapping[str, Any], needed: bool) -> str:
    about = schema["description"]
    if "enum" in schema:
        about += ": " + ", ".join(f"`{word}`" for word in schema["enum"])
    kind = f"{schema['type']}, needed" if needed else schema["type"]
    return f"| {where} | `{name}` | {kind} | {about} |"


# Where a text names the distribution: in a command that installs, and in three files' own fields.
INSTALLS = r"""(?:pip install|pipx install|uv tool install|uvx --from) ['"]?"""
FIELDS = r'"(?:identifier|value)": "|^name = "'
NAMED = re.compile(rf"""({INSTALLS}|{FIELDS})penstock[\w-]*(?=[\['"`\s])""", re.MULTILINE)
PLACES = (
    "*.md",
    "docs/**/*.md",
    "skills/**/*.md",
    "examples/**/*.py",
    "server.json",
    "pyproject.toml",
)


def _named(page: str) -> Callable[[], str]:
    return lambda: NAMED.sub(rf"\g<1>{NAME}", _current(ROOT / page))


TREE = re.compile(r"(?<=<!-- tree -->\n).*?(?=<!-- /tree -->)", re.DOTALL)


def house_map() -> str:
    """Return the map with its tree as the packages describe themselves."""
    return TREE.sub(lambda _: _tree(), _current(ROOT / "docs/map.md"))


def _tree() -> str:
    top = ROOT / "src/penstock"
    out = ["```text"]
    for plate in sorted(top.rglob("__init__.py"), key=lambda path: path.parent.parts):
        inside = plate.parent.relative_to(top).parts
        name = f"{inside[-1]}/" if inside else "penstock/"
        pad = "  " * len(inside)
        about, enter = _said(plate)
        out += [f"{pad}{name:<{max(1, 18 - len(pad))}} {about}", f"{' ' * 18} {enter}"]
    return "\n".join((*out, "```", ""))


def _said(plate: Path) -> tuple[str, str]:
    """Return a package's first sentence, and where to enter."""
    lines = (ast.get_docstring(ast.parse(plate.read_text(encoding="utf-8"))) or "").splitlines()
    enter = next(line for line in lines if line.startswith("Enter by"))
    return lines[0], re.split(r"[;:]| \(", enter.rstrip("."))[0].replace("`", "")


def full_plugin() -> str:
    """Return the hooks of the full plugin: those that `penstock init --shared` registers."""
    hooks: dict[str, list[object]] = {}
    for entry in claude.registration(shared_command(claude.NAME), strict=False):
        hooks.setdefault(entry["at"][-1], []).append(entry["add"])
    about = "Penstock's full hook: reads, writes, shell commands and MCP tools by penstock.toml"
    return json.dumps({"description": about, "hooks": hooks}, indent=2) + "\n"


PAGES = {
    **{
        page: _named(page)
        for pattern in PLACES
        for page in sorted(str(p.relative_to(ROOT)) for p in ROOT.glob(pattern))
    },
    "docs/map.md": house_map,
    "docs/reference/commands.md": commands,
    "docs/reference/errors.md": errors,
    "docs/reference/api.md": api,
    "plugins/penstock-full/hooks/hooks.json": full_plugin,
}


def main() -> int:
    """Write the pages, or compare them."""
    stale = [p for p, make in PAGES.items() if _current(ROOT / p) != make()]
    if "--check" in sys.argv:
        print(f"out of date: {', '.join(stale)}" if stale else "the manual is up to date")
        return 1 if stale else 0
    for page in stale:
        (ROOT / page).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / page).write_text(PAGES[page](), encoding="utf-8")
        print(f"wrote {page}")
    return 0


def _current(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
