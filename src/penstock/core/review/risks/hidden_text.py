"""What in the new lines of a text could mislead its reader: `core.text.deception`, and how grave.

Always true: lines that stay say nothing, so a file that always had an odd space stays quiet.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

from penstock.core.proposals.flag import RiskFlag, RiskLevel
from penstock.core.review.risks.changed_text import ChangedText
from penstock.core.text.deception import findings

MOST_READ = 8 << 20  # bytes of new lines that are read for this


def hidden_text(changed: ChangedText) -> Iterator[RiskFlag]:
    """Yield a flag for each thing that the new lines hide."""
    added = changed.added
    if len(added.text) > MOST_READ:
        text = "too much new text to look for hidden characters"
        yield RiskFlag(level=RiskLevel.NOTICE, code="not-checked", text=text)
        return
    for finding in findings(_in_place(changed)):
        level = RiskLevel.DANGER if finding.grave else RiskLevel.NOTICE
        yield RiskFlag(level=level, code="hidden-text", text=finding.text, lines=finding.lines)


def _in_place(changed: ChangedText) -> str:
    """Return the new lines where they stand, with nothing on the lines that stay."""
    if changed.before is None:
        return (changed.after or b"").decode("utf-8", "surrogateescape")
    kept = [_end(line) for line in changed.new]
    for at in changed.added.numbers:
        kept[at] = changed.new[at]
    text = BytesIO()  # `join` would take eighty bytes for each line
    text.writelines(kept)
    return text.getvalue().decode("utf-8", "surrogateescape")


def _end(line: bytes) -> bytes:
    return b"\r\n" if line.endswith(b"\r\n") else b"\n" if line.endswith(b"\n") else b""
