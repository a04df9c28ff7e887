"""`read_file`: some lines of a text file, with the digest of the whole.

Always true: the rules are asked before a byte is shown, and what is shown stays within the
policy's caps.
"""

from __future__ import annotations

from collections.abc import Mapping

from penstock.core.text.excerpt import Window, bytes_shown, line_range, window
from penstock.core.text.quantities import counted
from penstock.doors.mcp.tool_call import ToolAnswer, ToolCall, denied, number_of, refuse, text_of


def read_file(asked: ToolCall, arguments: Mapping[str, object]) -> ToolAnswer:
    """Return the lines that were asked for."""
    start, end = line_range(number_of(arguments, "start_line"), number_of(arguments, "end_line"))
    path = asked.reach(text_of(arguments, "path"))
    # Judged as it came, so that rules about links and arguments hold; and as the file that will
    # be opened, because a link can be turned round between two looks at it.
    decision = asked.judge(arguments, attended=False).decision
    for one in (decision, asked.may_read(path.text)):
        if denied(one):
            raise refuse(one)
    limits = asked.here.policy().limits
    most = bytes_shown(
        number_of(arguments, "max_bytes"),
        default=limits.max_read_bytes_default,
        most=limits.max_read_bytes_hard,
    )
    source = asked.here.files.source(path)
    with source:
        shown = window(source, start=start, end=end, max_bytes=most, shown=path.text)
    asked.record_read(path.text, decision)
    return _answer(path.text, shown, decision.notes)


def _answer(path: str, shown: Window, notes: tuple[str, ...]) -> ToolAnswer:
    cut = f", cut after {counted(len(shown.text.encode()), 'byte')}" if shown.truncated else ""
    lines = f"lines {shown.start_line} to {shown.end_line} of {shown.total_lines}"
    return ToolAnswer(
        content=shown.text,
        texts=(f"{path}: {lines}{cut}; {shown.digest}", *notes),
        data={
            "path": path,
            "content": shown.text,
            "digest": shown.digest,
            "start_line": shown.start_line,
            "end_line": shown.end_line,
            "total_lines": shown.total_lines,
            "size": shown.size,
            "truncated": shown.truncated,
            "notes": list(notes),
        },
    )
