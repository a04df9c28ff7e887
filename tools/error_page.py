"""Write the page of error codes: what each says, why it happens, what to do.

The sentences come from the code (`error_codes`); `error_texts.toml` adds what the code leaves to
the situation. Always true: what is filled in when an error is raised is a `<word>` in code style.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain

from tools.error_codes import ROOT, ErrorSite, Texts, sites

CATALOGUE = ROOT / "tools/error_texts.toml"
INTRODUCTION = """\
# Error codes

Made from the code by `make manual`. Every error says what happened, and where it can, why and what
to try:

```text
error[base-changed]: `src/app.py` changed after this proposal was made
  because: it was sha256:1c9e... and is sha256:77b0... now
  try: ask the agent to propose again, or penstock rebase 3f2a
```

With `--json` the same is one document: `{"error": {"code", "message", "because", "try"}}`. A code
is stable, so scripts can rely on it; the sentences may improve. Below, `<path>` and other words in
angle brackets stand for what is filled in. Each code says who acts next:

| who | because |
|---|---|
| the caller | the request itself is wrong, or asks for something that does not exist |
| the rules author | a rules file does not hold together |
| a person | somebody who may decide has to look, approve or sign |
| the agent | the files or the proposal changed meanwhile; propose again |
| the auditor | the audit log cannot be written, or does not hold |
| the operator | a disk, a database, a network or an installation failed |

A denied call is an answer and no error: `penstock why` explains it.
"""
COMMAND = re.compile(r"(?:penstock|decision_reviewer|git|EDITOR=|--[a-z])")
PLACE = re.compile(r"<[a-z0-9][\w .-]*>")
PLACED = re.compile(rf"({PLACE.pattern})|<")


def catalogue() -> dict[str, dict[str, str]]:
    """Return what is said beside the sentences of the code: `what`, `why` and `do`, by code."""
    return tomllib.loads(CATALOGUE.read_text(encoding="utf-8"))


@cache
def entries() -> dict[str, tuple[str, Texts, Texts, Texts]]:
    """Return each code with who acts next, what happened, why, and what to do."""
    more = catalogue()
    by_code: dict[str, list[ErrorSite]] = {}
    for site in sites():
        by_code.setdefault(site.code, []).append(site)
    return {
        code: (
            " or ".join(sorted({site.acts for site in found})),
            _texts(more, code, "what", (site.message for site in found)),
            _texts(more, code, "why", (site.because for site in found)),
            _texts(more, code, "do", (site.hint for site in found)),
        )
        for code, found in sorted(by_code.items())
    }


def _texts(
    more: dict[str, dict[str, str]], code: str, key: str, from_code: Iterable[Texts]
) -> Texts:
    ours = [text] if (text := more.get(code, {}).get(key)) else []
    return tuple(dict.fromkeys([*ours, *filter(_says, chain.from_iterable(from_code))]))


def _says(text: str) -> bool:
    """Say whether anything is left of a sentence without what is filled in."""
    return bool(re.search(r"\w", PLACE.sub("", text))) or text in (f"<{word}>" for word in KEPT)


KEPT = ("what the system said",)


def page() -> str:
    """Return the page of all error codes."""
    return "\n".join([INTRODUCTION, *chain.from_iterable(map(_entry, entries()))]).rstrip() + "\n"


def _entry(code: str) -> Iterator[str]:
    acts, what, why, do = entries()[code]
    yield f"## {code}\n"
    yield from _part("What happened", what)
    yield from _part("Why", tuple(map(_sentence, why)))
    yield from _part("Try", tuple(map(_sentence, do)))
    yield f"{acts.capitalize()} acts next.\n"


def _part(title: str, texts: Texts) -> Iterator[str]:
    if len(texts) == 1:
        yield f"**{title}:** {_markdown(texts[0])}\n"
    elif texts:
        yield f"**{title}**, one of:\n"
        yield "\n".join(f"- {_markdown(text)}" for text in texts) + "\n"


def _sentence(text: str) -> str:
    """Return a text with a capital, unless it is a command."""
    return text if COMMAND.match(text) else text[:1].upper() + text[1:]


def _markdown(text: str) -> str:
    """Return a sentence for the page: commands and filled in words are code."""
    text = " ".join(text.split())
    if "`" not in text and COMMAND.match(text):
        return f"`{text}`"
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a quote that is not closed: shown as it is
        return f"``{text}``"
    outside = [
        PLACED.sub(lambda found: f"`{found[0]}`" if found[1] else "&lt;", p) for p in parts[::2]
    ]
    inside = [f"`{part}`" for part in parts[1::2]]
    return "".join(chain.from_iterable(zip(outside, [*inside, ""], strict=True)))
