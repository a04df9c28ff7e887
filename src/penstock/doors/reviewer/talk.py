"""Print an answer: the document on stdout, sentences on stderr.

Always true: what is printed is one whole JSON document, and nothing in it can steer a terminal.
"""

from __future__ import annotations

import json
import os
import sys

from penstock.doors.reviewer.answers import Answer


def tell(answer: Answer) -> int:
    """Print an answer and return its exit code."""
    for sentence in answer.talk:
        sys.stderr.write(_shown(sentence) + "\n")
    sys.stderr.flush()
    text = json.dumps(answer.document, ensure_ascii=False, indent=2)
    # A lone surrogate cannot be printed as UTF-8; JSON has an escape for it.
    data = (text.encode("utf-8", "backslashreplace") + b"\n").replace(b"\x7f", b"\\u007f")
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the reader left; nothing more is told
    return answer.code


def _shown(text: str) -> str:
    return "".join(c if c == "\n" or c.isprintable() else repr(c)[1:-1] for c in text)
