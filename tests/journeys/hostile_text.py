"""Names and texts that hide something, and how to find what is still hidden."""

from __future__ import annotations

import json
import re

from penstock.core.text.invisible import HiddenKind, class_of

KINDS = (
    HiddenKind.CONTROL,
    HiddenKind.ESCAPE,
    HiddenKind.DIRECTION,
    HiddenKind.MARK,
    HiddenKind.NOTHING,
    HiddenKind.JOINER,
    HiddenKind.TAG,
    HiddenKind.LINE,
    HiddenKind.FILLER,
)
HIDDEN = re.compile(f"[{class_of(*KINDS)}]")
# A name may hold all but control characters, a text all of them.
NAME = "na\u202eme\u200b\u2066x\U000e0041\u034f\u3164.txt"
TEXT = "a\x1b[2J\x1b]0;title\x07\u202eb\u200bc\u2066d\x9bm\x08\u2028e\u034ff\u3164g\n"
# What a program calls itself, and what a rules file says: all on one line.
AGENT = f"agent\x1b]0;t\x07{NAME}"
SAID = TEXT.strip() + " {path}"
RULES = f"""\
version = 1
preset = "guard"
[[ask]]
id = "asks"
description = {json.dumps(SAID)}
reason = {json.dumps(SAID)}
paths = ["na*"]
actions = ["write"]
[[deny]]
id = "denies"
reason = {json.dumps("deny " + SAID)}
instead = {json.dumps("do " + SAID)}
paths = ["denied*"]
[[warn]]
id = "warns"
note = {json.dumps("note " + SAID)}
paths = ["warned*"]
"""


def raw(text: str) -> list[str]:
    """Return the hidden characters of a text, with a little around each."""
    return [repr(text[max(0, m.start() - 30) : m.end() + 10]) for m in HIDDEN.finditer(text)]


def raw_in(value: object) -> list[str]:
    """Return the hidden characters of all texts in a document, keys left out."""
    if isinstance(value, str):
        return raw(value)
    if isinstance(value, dict):
        return raw_in(list(value.values()))
    return [one for part in value for one in raw_in(part)] if isinstance(value, list) else []
