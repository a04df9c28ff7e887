"""Code that reads a file and writes it again: whether it changes parts of it, or leaves much out.

`s = open(f).read(); open(f, "w").write(s.replace(...))` is an edit, as `sed -i s/a/b/` is one.
Nobody can tell from the text what such code leaves; cutting and choosing lines look alike
everywhere, so what does neither counts as an edit.
Always true: a file that the code does not read is replaced as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from penstock.core.model import Action
from penstock.core.shell.effects import Effect, Touch
from penstock.core.text.late_regex import late_regex

MOST_TEXT = 65_536
_FROM_START = late_regex(r"\[\s*:\s*[^\]:\s][^\]\n]{0,80}\]|\.(?:slice|substr|substring)\(\s*0\s*,")
_TO_END = late_regex(r"\[[^\]:\n]{1,80}:\s*\]|\.(?:slice|substr|substring)\([^,()]{1,80}\)")
_CHOOSES = late_regex(
    r"\[[^\]\n]{1,200}\bfor\b[^\]\n]{1,200}\bif\b|\.filter\(|\bfilter\(|\.truncate\(|\.splice\("
    r"|\.(?:select|reject|first|take|grep)\b|\bislice\(|\.clear\(\)"
)


def with_edits(text: str, effects: Iterable[Effect]) -> Iterator[Effect]:
    """Return what code does, each write that is an edit marked as one."""
    found = list(effects)
    read = {one.value.text for one in found if isinstance(one, Touch) and one.action is Action.READ}
    edits = bool(read) and _edits(text[:MOST_TEXT])
    for one in found:
        again = isinstance(one, Touch) and one.action is Action.WRITE and one.value.text in read
        yield replace(one, keeps=True) if edits and again and isinstance(one, Touch) else one


def _edits(text: str) -> bool:
    """True where nothing is left out: both sides of a cut are used, and no line is chosen."""
    cut = bool(_FROM_START.search(text)) is not bool(_TO_END.search(text))
    return not cut and not _CHOOSES.search(text)
