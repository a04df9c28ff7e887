"""Links in Markdown lead somewhere: to a file that exists, and to a heading that it has.

`make docs` checks the same on the site; this needs nothing but the text.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests import REPOSITORY
from tools import docs_site

FENCE = re.compile(r"^( *)(`{3,}|~{3,}).*?^\1\2 *$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)(?: \"[^\"]*\")?\)|(?:src|href)=\"([^\"]+)\"")
HEADING = re.compile(r"^#{1,6} (.+?) *$", re.MULTILINE)
ELSEWHERE = ("http://", "https://", "mailto:")
FOLDERS = (".", "docs", "changes", "skills", "examples", "tests/corpus")
PAGES = sorted(
    page
    for folder in FOLDERS
    for page in (REPOSITORY / folder).glob("*.md" if folder == "." else "**/*.md")
)


def slug(heading: str) -> str:
    """Return the anchor that a heading gets: by GitHub, and by the site."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


@cache
def anchors(page: Path) -> frozenset[str]:
    found: Counter[str] = Counter()
    names = set()
    for heading in HEADING.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        name = slug(heading)
        names.add(f"{name}-{found[name]}" if found[name] else name)
        found[name] += 1
    return frozenset(names)


def links(page: Path) -> list[str]:
    text = CODE.sub("", FENCE.sub("", page.read_text(encoding="utf-8")))
    return [unquote(first or second) for first, second in LINK.findall(text)]


def broken(page: Path, link: str) -> bool:
    if link.startswith(ELSEWHERE):
        return False
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.exists():
        return True
    return bool(anchor) and target.suffix == ".md" and anchor not in anchors(target)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_every_link_leads_to_a_file_and_a_heading_that_exist(page: Path) -> None:
    assert [link for link in links(page) if broken(page, link)] == []


def test_a_broken_link_would_be_found(tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    page.write_text("# One `two` & three\n\n```md\n[x](none.md)\n```\n`[y](none.md)` [z](#one)\n")
    assert links(page) == ["#one"]
    assert anchors(page) == {"one-two--three"}
    assert [link for link in ("#one", "b.md", "#one-two--three") if broken(page, link)] == [
        "#one",
        "b.md",
    ]


def test_every_page_of_the_manual_is_in_the_navigation() -> None:
    index = (REPOSITORY / "docs/README.md").read_text(encoding="utf-8")
    listed = re.findall(r"'([^']+\.md)'", str(docs_site.navigation(index)))
    docs = REPOSITORY / "docs"
    pages = {str(page.relative_to(docs)) for page in docs.rglob("*.md")}
    decisions = {page for page in pages if page.startswith("adr/0")}
    assert pages - decisions - set(listed) == set()
    assert Counter(listed).most_common(1)[0][1] == 1
    record = (docs / "adr/README.md").read_text(encoding="utf-8")
    assert [page for page in decisions if page.removeprefix("adr/") not in record] == []


def test_a_link_out_of_the_manual_leads_to_the_repository() -> None:
    made = docs_site.outside("[a](../SECURITY.md#x) [b](map.md) [c](../none.md)", "comparison.md")
    assert made == f"[a]({docs_site.REPOSITORY}SECURITY.md#x) [b](map.md) [c](../none.md)"


@pytest.mark.parametrize("lock", ["requirements.lock.txt", "requirements.docs.txt"])
def test_a_lock_names_packages_versions_and_hashes_only(lock: str) -> None:
    line = re.compile(
        r"[\w.-]+(\[[\w,-]+\])?==[\w.+!]+( ; .+)?( \\)?|    --hash=sha256:[0-9a-f]{64}( \\)?|"
    )
    lines = (REPOSITORY / lock).read_text(encoding="utf-8").splitlines()
    assert [one for one in lines if not line.fullmatch(one)] == []
