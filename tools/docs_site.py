"""What the site of the manual needs beside its settings: navigation, and links out of docs/.

MkDocs calls the functions whose names begin with `on_`. The list in `docs/README.md` is the
navigation, so that there is one. Pages may link to files of the repository, which are no pages of
the site: such a link leads to the repository.
Always true: a link to a file that does not exist stays as it is, and strict building finds it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
REPOSITORY = "https://github.com/penstock/penstock/blob/main/"
SECTION = re.compile(r"^## (.+)$|\[([^\]]+)\]\(([^)#:]+\.md)\)", re.MULTILINE)
LINK = re.compile(r"(\]\()(\.{1,2}/[^)#\s]+)(#[^)]*)?\)")


def navigation(text: str) -> list[dict[str, Any]]:
    """Return the sections of the manual's first page, each with its pages."""
    found: list[dict[str, Any]] = [{"Penstock": "README.md"}]
    for section, title, page in SECTION.findall(text):
        if section:
            found.append({section: []})
        elif len(found) > 1:
            name = title if "." in title else title[:1].upper() + title[1:]
            next(iter(found[-1].values())).append({name: page})
    return [one for one in found if next(iter(one.values()))]


def outside(markdown: str, page: str) -> str:
    """Return a page whose links out of docs/ lead to the repository."""

    def lead(found: re.Match[str]) -> str:
        target = (DOCS / page).parent / found[2]
        inside = os.path.normpath(target).startswith(f"{DOCS}{os.sep}")
        if inside or not target.exists():
            return found[0]
        there = os.path.relpath(os.path.normpath(target), ROOT)
        return f"{found[1]}{REPOSITORY}{there}{found[3] or ''})"

    return LINK.sub(lead, markdown)


def on_config(config: Any) -> Any:
    """Take the navigation from the manual's first page."""
    config.nav = navigation((DOCS / "README.md").read_text(encoding="utf-8"))
    return config


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Let links out of docs/ lead to the repository."""
    return outside(markdown, page.file.src_uri)
