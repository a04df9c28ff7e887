"""Any text for a path: it is refused by name or stays inside, and is always judged."""

from __future__ import annotations

import os

from penstock.core.errors import InputError
from penstock.core.model import Target
from penstock.core.paths.relpath import RelPath, locate, parse

ROOT = "/w/project"


def parsed(text: str | bytes) -> RelPath | str:
    """Return a path, or the code of the error."""
    try:
        return parse(text, root=ROOT)
    except InputError as error:
        return error.code


def located(text: str | bytes, *, folds: bool) -> Target | str:
    """Return every spelling, or the code of the error."""
    try:
        return locate(text, root=ROOT, folds=folds)
    except InputError as error:
        return error.code


def one(data: bytes) -> None:
    """Parse and locate one text, as bytes and as text."""
    for text in (data[1:], data[1:].decode("utf-8", "surrogateescape")):
        path, target = parsed(text), located(text, folds=data[:1] > b"\x80")
        if isinstance(target, str):
            assert target in ("bad-path", "path-too-long")
            continue
        assert len(target.tightening) < 200
        assert set(target.judged).isdisjoint(target.tightening)
        if isinstance(path, str):
            assert path in ("bad-path", "path-too-long", "path-escape", "absolute-path")
            assert target.outside or target.judged == (".",)
            continue
        assert os.path.normpath(f"{ROOT}/{path}") == f"{ROOT}/{path}"
        assert target.judged == (str(path),)
        assert parsed(str(path)) == path
