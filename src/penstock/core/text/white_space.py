r"""Text as it reads when white space does not count: no indentation, single blanks, one line end.

Only ASCII blanks fold, so an odd space or a lone return is never taken for white space.
Always true: words never join or part by folding, and a folded content has as many lines as before.
"""

from __future__ import annotations


def folded(content: bytes) -> bytes:
    r"""Return a content without indentation, with single blanks, and with `\n` at each end."""
    if content and not content.endswith(b"\n"):
        content += b"\n"
    content = content.replace(b"\t", b" ")
    while b"  " in content:  # each time a run gets half as long
        content = content.replace(b"  ", b" ")
    content = content.replace(b"\r\n", b"\n")
    return content.replace(b" \n", b"\n").replace(b"\n ", b"\n").removeprefix(b" ")
