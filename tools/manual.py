"""Write what comes from the code: commands, man pages, error codes, the JSON API, names.

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
from functools import partial
from pathlib import Path
from typing import Any

import click
from man import pages

from penstock.cli import COMMANDS, penstock
from penstock.core.distribution import NAME
from penstock.doors.hook.agents import claude
from penstock.doors.setup.scopes import shared_command

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # as a script this module is in no package

from tools import error_page  # noqa: E402


def commands() -> str:
    """Return the page of all commands, their arguments and options."""
    out = ["# Commands", "", "Made from the code by `tools/manual.py`.", ""]
    for name in COMMANDS:
        with click.Context(
            penstock, info_name="penstock", help_option_names=["-h", "--help"]
        ) as above:
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


API = """\
# The JSON API

Made from the code by `tools/manual.py`. `penstock serve` answers it at
`http://127.0.0.1:7717/api/v1`, and describes it there in OpenAPI 3.1: `/api/v1/openapi.json`.

## Who may ask

Every call except the one for the description needs the token in `admin.token`
of the state directory (`~/.local/state/penstock`, or below `XDG_STATE_HOME`), readable by you
alone:

```sh
curl -H "Authorization: Bearer $(cat ~/.local/state/penstock/admin.token)" \\
  http://127.0.0.1:7717/api/v1/proposals
```

The hook's token does not work here (403, `hook-token`). This token lets you read, reject
and edit. It does not prove that you are a person, as an agent that runs as you can read it too:
approving and undoing also need the approver's passphrase, exactly as on
[the page](../concepts/approval-page.md), and without a key they are refused (`key-needed`).
Wrong passphrases are delayed, logged, and lock after a while.

## What is approved is what was shown

Answers carry `content_digest`, as the call that showed the change gave it. Where that is not what
would be written now, or the file was saved since, the answer is 409 with the code
`newer-version`, `not-as-shown` or `base-changed`, and `differences` holds a diff of what was shown
against the current file.

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


MAN = "docs/man"
PAGES: dict[str, Callable[[], str]] = {
    **{
        page: _named(page)
        for pattern in PLACES
        for page in sorted(str(p.relative_to(ROOT)) for p in ROOT.glob(pattern))
    },
    "docs/map.md": house_map,
    **{f"{MAN}/{name}": partial(str, text) for name, text in pages().items()},
    "docs/reference/commands.md": commands,
    "docs/reference/errors.md": error_page.page,
    "docs/reference/api.md": api,
    "plugins/penstock-full/hooks/hooks.json": full_plugin,
}


def main() -> int:
    """Write the pages, or compare them."""
    stale = [p for p, make in PAGES.items() if _current(ROOT / p) != make()]
    gone = [file for file in (ROOT / MAN).glob("*") if f"{MAN}/{file.name}" not in PAGES]
    stale += [f"{MAN}/{file.name}" for file in gone if "--check" in sys.argv]
    if "--check" in sys.argv:
        print(f"out of date: {', '.join(stale)}" if stale else "the manual is up to date")
        return 1 if stale else 0
    for file in gone:
        file.unlink()
        print(f"removed {MAN}/{file.name}")
    for page in stale:
        (ROOT / page).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / page).write_text(PAGES[page](), encoding="utf-8")
        print(f"wrote {page}")
    return 0


def _current(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
